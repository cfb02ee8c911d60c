//! Pages that show a game to people: what was measured of it, and all that there is to know of it.

mod frame;
pub mod game;
mod lesson;
pub mod measures;
pub mod options;
mod plot;
pub mod sweep;
