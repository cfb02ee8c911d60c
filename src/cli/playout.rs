//! `playout`: random games, summed up.

use super::envelope::Subject;
use super::error::CliError;
use super::output::Output;
use super::source::{Engine, GameArgs};
use crate::game::Game;
use crate::study::playout::{Settings, Summary, playout};
use clap::Args;
use serde_json::{Map, Value, json};
use std::num::NonZeroUsize;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright playout iqishiqi -n 1000\n  ludwright playout iqishiqi -n 100000 --seed 7 --threads 2 --json"
)]
pub struct PlayoutArgs {
    #[command(flatten)]
    game: GameArgs,
    /// How many games
    #[arg(short = 'n', long = "games", value_name = "N")]
    games: u64,
    /// The same seed gives the same games
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// How many threads play; as many as the machine has unless given
    #[arg(long, value_name = "T")]
    threads: Option<NonZeroUsize>,
    /// Cut games that last longer; 0 for no bound
    #[arg(long, value_name = "P", default_value_t = 10_000)]
    max_plies: u64,
    #[arg(long, value_enum, default_value_t)]
    engine: Engine,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &PlayoutArgs, output: &mut Output) -> Result<(), CliError> {
    let (text, game) = args.game.load()?;
    let threads = args.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let max_plies = (args.max_plies > 0).then_some(args.max_plies);
    let mut bar = output.progress();
    let settings = Settings { games: args.games, seed: args.seed, threads, max_plies, engine: args.engine.runner() };
    let summary = playout(&game, settings, &mut |done| bar.show(done, args.games));
    bar.clear();
    if args.json {
        output.answer(&Subject::game(&text.name, &game).by_chance(args.seed), to_json(&game, &summary))
    } else {
        print(&game, &summary, output)
    }
}

fn fingerprint(summary: &Summary) -> String {
    format!("{:016x}", summary.fingerprint)
}

fn wins<'a>(game: &'a Game, summary: &'a Summary) -> impl Iterator<Item = (&'a str, u64)> {
    game.rules().players.iter().map(|player| player.name.as_str()).zip(summary.wins.iter().copied())
}

/// Games in which each player alone came last.
fn last(game: &Game, summary: &Summary) -> Map<String, Value> {
    let names = game.rules().players.iter().map(|player| player.name.clone());
    names.zip(&summary.last).map(|(player, last)| (player, json!(last))).collect()
}

fn to_json(game: &Game, summary: &Summary) -> Value {
    let wins: Map<String, Value> = wins(game, summary).map(|(player, wins)| (player.to_owned(), json!(wins))).collect();
    json!({
        "games": summary.games,
        "plies": summary.plies,
        "mean_plies": summary.mean_plies(),
        "wins": wins,
        "last": last(game, summary),
        "draws": summary.draws,
        "unfinished": summary.unfinished,
        "mean_branching": summary.mean_branching(),
        "seconds": summary.elapsed.as_secs_f64(),
        "playouts_per_second": summary.playouts_per_second(),
        "moves_per_second": summary.moves_per_second(),
        "fingerprint": fingerprint(summary),
    })
}

fn print(game: &Game, summary: &Summary, output: &mut Output) -> Result<(), CliError> {
    let share = |count: u64| 100.0 * count as f64 / summary.games.max(1) as f64;
    let mut row = |name: &str, value: String| output.line(&format!("{name:<16} {value}"));
    row("games", summary.games.to_string())?;
    row("plies", format!("{} ({:.1} per game)", summary.plies, summary.mean_plies()))?;
    row("moves to choose", format!("{:.1} on average", summary.mean_branching()))?;
    for (player, wins) in wins(game, summary) {
        row(&format!("{player} wins"), format!("{wins} ({:.1} %)", share(wins)))?;
    }
    // Of two players the loser is known.
    if summary.last.len() > 2 {
        for (player, last) in game.rules().players.iter().zip(&summary.last) {
            row(&format!("{} is last", player.name), format!("{last} ({:.1} %)", share(*last)))?;
        }
    }
    row("draws", format!("{} ({:.1} %)", summary.draws, share(summary.draws)))?;
    if summary.unfinished > 0 {
        row("unfinished", summary.unfinished.to_string())?;
    }
    row("fingerprint", fingerprint(summary))?;
    let seconds = summary.elapsed.as_secs_f64();
    output.note(&format!(
        "{seconds:.2} s, {:.0} games and {:.0} moves per second",
        summary.playouts_per_second(),
        summary.moves_per_second()
    ));
    Ok(())
}
