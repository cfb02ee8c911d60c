//! From text to a syntax tree with spans; the only place that knows the parser generator.

pub mod ast;
mod limits;
mod parse;

pub use parse::{parse, parse_expression};
