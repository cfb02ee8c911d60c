//! Describes, checks and runs board games written as text.

pub mod diagnostic;
pub mod source;
pub mod syntax;
