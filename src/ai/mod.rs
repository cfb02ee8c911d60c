//! Programs that play any game, in the fast engine's terms: a search asks how many plies are legal and plays one by its
//! number.

pub mod agent;
pub mod arena;
pub mod measure;
mod mind;
mod minimax;
pub mod solve;
mod tree;
mod world;

pub use agent::{Agent, AgentError, Budget, LEVELS, OPPONENT, Seat};
pub use mind::{Candidate, Mind, Thought};
pub(crate) use world::World;
