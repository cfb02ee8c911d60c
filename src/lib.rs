//! Describes, checks and runs board games written as text.

pub mod ai;
pub mod author;
pub mod board;
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod date;
pub mod diagnostic;
pub mod engine;
pub mod format;
pub mod game;
pub mod library;
#[cfg(feature = "lsp")]
pub mod lsp;
pub mod operator;
pub mod play;
pub mod program;
pub mod render;
pub mod rules;
#[cfg(feature = "serve")]
pub mod serve;
pub mod source;
mod stack;
pub mod study;
pub mod syntax;
#[cfg(feature = "terminal")]
pub mod terminal;

/// From inside, so that the tests see what the outside does not.
#[cfg(test)]
#[path = "../tests/library/mod.rs"]
mod tests;
