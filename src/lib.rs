//! Describes, checks and runs board games written as text.

pub mod ai;
pub mod board;
pub mod cli;
pub mod coverage;
pub mod diagnostic;
pub mod engine;
pub mod format;
pub mod game;
pub mod inspect;
pub mod library;
pub mod lsp;
pub mod mend;
pub mod notation;
pub mod play;
pub mod program;
pub mod render;
pub mod rules;
pub mod run;
pub mod script;
pub mod source;
pub mod syntax;
pub mod table;
pub mod terminal;
pub mod trial;
pub mod why;
