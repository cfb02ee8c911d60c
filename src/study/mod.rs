//! Running games by the thousand: counting move sequences, playing at random, timing it, writing games down.

pub mod bench;
pub mod bouts;
pub mod elo;
pub mod estimate;
pub mod games;
pub mod halt;
pub mod names;
pub mod perft;
pub mod playout;
pub(crate) mod series;
pub mod totals;
pub mod traffic;
