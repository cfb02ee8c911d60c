//! Describes, checks and runs board games written as text.

pub mod board;
pub mod diagnostic;
pub mod source;
pub mod syntax;
