//! A game between people and programs: moves chosen part by part, undo, and its record.

pub mod picker;
pub mod table;

pub use picker::{Choice, Picked, Picker};
pub use table::Table;
