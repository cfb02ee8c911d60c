//! Programs that play any game, in the fast engine's terms: a search asks how many plies are legal and plays one by its
//! number.

pub mod agent;
pub mod arena;
mod bout;
mod edges;
mod evaluation;
mod habits;
pub mod insight;
mod keeping;
pub mod learned;
mod looks;
pub mod measure;
mod mind;
mod minimax;
mod shunning;
pub mod solve;
pub mod suggest;
mod tactics;
pub mod tournament;
pub mod train;
mod tree;
mod world;
mod worlds;

pub use agent::{Agent, AgentError, Budget, LEVELS, Level, OPPONENT, Seat};
pub use bout::{Contestant, Failure, Player};
pub use mind::{Candidate, Mind, Thought};
pub use world::given_up;
pub(crate) use world::{World, worth};
#[cfg(test)]
pub(crate) use worlds::Worlds;
