//! Describes, checks and runs board games written as text.

pub mod board;
pub mod cli;
pub mod diagnostic;
pub mod library;
pub mod run;
pub mod source;
pub mod syntax;
