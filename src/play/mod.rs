//! A game being played: its positions in a row, moves chosen part by part, and how it is written down.

pub mod line;
pub mod picker;
pub mod record;

pub use line::Line;
pub use picker::{Choice, Picked, Picker};
pub use record::Record;
