//! From text to a syntax tree with spans; the only place that knows the parser generator.

pub mod ast;
mod explain;
mod habits;
mod limits;
pub mod move_lists;
#[cfg(test)]
mod nesting;
mod parse;
mod parts;
mod sections;
mod tokens;
mod tree;
mod verbs;

pub use parse::parse;
pub use sections::SECTIONS;
pub use tokens::{Role, Token, TokenKind, tokens};
