//! Ludwright turns a text that reads like a rule sheet into a board game that can be checked, played and counted.
//!
//! No game is written in Rust: the rules of each are a text, in [a language of its own][language], and what is told here
//! holds for all of them. The program `ludwright` is a thin user of this crate.
//!
//! # From text to outcome
//!
//! One straight line, with one type for each stage:
//!
//! | stage | type | made by |
//! |---|---|---|
//! | a text, and those it extends or uses | [`Project`] | [`Project::load`] |
//! | checked rules, with a value for every option, ready to be played | [`Game`] | [`Game::from_text`], [`Game::from_project`] |
//! | a game at a moment: its legal moves, or its outcome | [`Position`] | [`Game::start`], [`Position::play`] |
//! | a game so far, from its start | [`Line`] | [`Line::new`], [`Line::play_text`] |
//! | who came where, and why | [`Outcome`] | [`Position::outcome`] |
//!
//! ```
//! use ludwright::engine::Engine;
//! use ludwright::study::playout::{Settings, playout};
//! use ludwright::{Game, Library};
//!
//! let rules = r#"
//! game "Three in a row"
//! players Cross, Nought
//! board square(3) adjacent all
//! piece mark of each player
//! move put "{cell}" "a mark on an empty cell" {
//!   cell : empty
//!   cell becomes mark of mover
//! }
//! turn { put }
//! end {
//!   mover wins when some d in (N or NE or E or SE) with count row_through(it, d) >= 3 "three in a row"
//!   draw when no empty "the board is full"
//! }
//! "#;
//! let game = Game::from_text("three.game", rules, None, &[], &Library)?;
//!
//! // Positions stay as they are: to play makes another one.
//! let mut position = game.start();
//! assert_eq!((position.mover(), position.move_count()), (Some("Cross"), 9));
//! for mv in ["b2", "a1", "b1", "c1", "b3"] {
//!     position = position.play(mv)?;
//! }
//! let outcome = position.outcome().ok_or("the game goes on")?;
//! assert_eq!((outcome.places.as_slice(), outcome.reason.as_str()), ([1, 2].as_slice(), "three in a row"));
//!
//! // Random games run on the fast engine, as machine code once they are under way.
//! let settings = Settings { games: 100, seed: 1, threads: 2, max_plies: None, engine: Engine::Fast };
//! let summary = playout(&game, settings, &mut |_| {});
//! assert_eq!(summary.wins.iter().sum::<u64>() + summary.draws, 100);
//!
//! // What searches use: plies are numbers, and nothing is allocated on the way.
//! let mut player = game.player(Engine::Fast);
//! player.load(&game.start_snapshot());
//! while player.count() > 0 {
//!     player.play(0);
//! }
//! assert!(player.over().is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A mistake in a text is a [`Diagnostic`](diagnostic::Diagnostic) with a code, a place and a way out;
//! [`author::inspect::check_file`] finds all of them, in every ruleset and option.
//!
//! # Modules
//!
//! * [`game`] games, positions, records, and why a move is refused; [`library`] the shipped games
//! * [`study`] counts, random games, timing; [`ai`] programs that play any game; [`engine`] what they play on
//! * [`author`] what authors of rules ask; [`diagnostic`] mistakes; [`mod@format`] the one layout of rule files
//! * [`jobs`] long work cut into parts for many machines
//! * [`learn`] games as programs that learn see them: numbered actions, planes of bytes
//! * [`render`] pictures of positions
//!
//! # Features
//!
//! All are on by default. Without them (`default-features = false`) the crate needs some forty others instead of 237, and
//! can do all that is named above, but for pictures in pixels.
//!
//! | feature | brings | crates alone |
//! |---|---|---:|
//! | `native` | machine code for games that are played much (Cranelift); else they are interpreted, several times slower | 73 |
//! | `pictures` | PNG and GIF, with fonts; SVG needs no feature | 91 |
//! | `frames` | mistakes shown in frames around the text, as in the terminal | 46 |
//! | `cli` | the program `ludwright`; brings `frames` | 91 |
//! | `terminal` | its games on the whole screen | 89 |
//! | `lsp` | its language server | 52 |
//! | `serve` | its local web page; brings `cli` and `lsp` | 131 |
//!
//! [language]: https://docs.rs/crate/ludwright/latest/source/README.md

#![warn(missing_docs)]
// What only parts of the program ask for is not missed where these are left out.
#![cfg_attr(
    not(all(feature = "native", feature = "pictures", feature = "serve", feature = "terminal")),
    allow(dead_code, unused_imports)
)]

pub mod ai;
pub mod author;
pub mod diagnostic;
pub mod engine;
pub mod format;
pub mod game;
pub mod jobs;
pub mod learn;
pub mod library;
pub mod render;
pub mod study;

mod board;
mod check;
#[cfg(feature = "cli")]
mod cli;
mod date;
#[cfg(feature = "lsp")]
mod lsp;
mod operator;
mod play;
mod program;
mod protocol;
#[cfg(feature = "cli")]
mod report;
mod rules;
#[cfg(feature = "serve")]
mod serve;
mod source;
mod stack;
mod symmetry;
mod syntax;
#[cfg(feature = "terminal")]
mod terminal;

pub use check::{Project, Resolve};
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use cli::main;
pub use game::{Game, Line, LoadError, Outcome, PlayError, Position, Record};
pub use library::Library;
pub use source::{SourceId, Sources, Span};

/// The example of the README is compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

/// From inside, so that the tests see what the outside does not.
#[cfg(test)]
#[cfg(all(feature = "native", feature = "pictures", feature = "serve", feature = "terminal"))]
#[path = "../tests/library/mod.rs"]
mod tests;
