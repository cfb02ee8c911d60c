//! From text to a syntax tree with spans; the only place that knows the parser generator.

pub mod ast;
mod limits;
mod parse;
mod tokens;
mod tree;

pub use parse::{parse, parse_expression};
pub use tokens::{Role, Token, TokenKind, tokens};
