//! The tests of the program: each starts it as people, editors and browsers do. README.md beside this folder says what
//! each proves.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

mod authoring;
mod browser;
mod cli;
mod clocks;
mod data;
mod examples;
#[cfg(unix)]
mod faults;
mod fmt;
mod given_up;
mod hands;
mod hidden;
mod hidden_serve;
mod json;
mod lsp;
mod measured;
mod notices;
mod page;
mod protocols;
mod render;
mod resume;
mod serve;
mod serve_load;
mod sheets;
mod show;
mod tables;
#[cfg(unix)]
mod terminal;
mod thinking;
mod tournament;
mod train;
mod why;
#[cfg(target_os = "linux")]
mod worst;
