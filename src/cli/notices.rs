//! `notices`: whose work the program holds, and under which licences.

use super::error::CliError;
use super::output::Output;
use clap::Args;

/// Made by a test from the crates that the program is built of.
const NOTICES: &str = include_str!("../../NOTICES.md");

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  ludwright notices")]
pub struct NoticesArgs {}

pub fn run(_: &NoticesArgs, output: &mut Output) -> Result<(), CliError> {
    output.text(NOTICES)
}
