//! `graph`: the rule graph in the language of a drawing program.

use super::error::CliError;
use super::output::Output;
use super::source::GameArgs;
use crate::rules::{to_dot, to_mermaid};
use clap::Args;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright graph iqishiqi --dot | dot -Tsvg > iqishiqi.svg\n  ludwright graph iqishiqi --mermaid"
)]
pub struct GraphArgs {
    #[command(flatten)]
    game: GameArgs,
    /// For Graphviz (the default)
    #[arg(long)]
    dot: bool,
    /// For Mermaid
    #[arg(long, conflicts_with = "dot")]
    mermaid: bool,
}

pub fn run(args: &GraphArgs, output: &mut Output) -> Result<(), CliError> {
    let (_, game) = args.game.load()?;
    let graph = if args.mermaid { to_mermaid(game.rules()) } else { to_dot(game.rules()) };
    output.block(&graph)
}
