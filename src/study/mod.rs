//! Running games by the thousand: counting move sequences, playing at random, timing it.

pub mod bench;
pub mod perft;
pub mod playout;
