//! Other programs that play: how they are named, started and spoken to, and how they may speak to this one.

mod clock;
mod contender;
mod dialogue;
mod facts;
pub mod gtp;
mod guest;
mod name;
mod process;
pub mod spelling;
pub mod thinker;
mod token;
pub mod universal;

pub use contender::{Contender, ContenderError, list};
pub use guest::Visit;
pub use name::Protocol;
