//! A game on a whole terminal: what is shown, and what keys and the mouse do; no input or output.

pub mod app;
pub mod help;
pub mod input;
mod paint;
mod prompt;
mod scene;
pub mod theme;
mod thinking;
pub mod view;

pub use app::{App, Effect};
pub use input::Input;
pub use theme::{Colors, Theme};
