//! A game between people and programs: moves chosen part by part, undo, and its record.

pub mod clock;
pub mod command;
pub mod picker;
pub mod table;

pub use command::Command;
pub use picker::{Choice, Picked, Picker};
pub use table::{MAX_ALONE, Table, expectation};
