//! Running games by the thousand: counting move sequences and playing at random.

pub mod perft;
pub mod playout;
