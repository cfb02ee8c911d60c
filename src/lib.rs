//! Describes, checks and runs board games written as text.

pub mod board;
