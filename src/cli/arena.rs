//! `arena`: programs play each other, and how strong they are.

use super::envelope::Subject;
use super::error::CliError;
use super::output::Output;
use super::source::GameArgs;
use crate::ai::Agent;
use crate::ai::arena::{Results, Settings, play};
use crate::game::Game;
use clap::Args;
use serde_json::{Value, json};
use std::num::NonZeroUsize;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright arena reversi --players hard,medium -n 200\n  ludwright arena hex -o size=7 --players mcts:100ms,mcts:20ms -n 100 --json"
)]
pub struct ArenaArgs {
    #[command(flatten)]
    game: GameArgs,
    /// A program for each seat, as in `play`; they change seats from game to game
    #[arg(long, value_name = "LIST", value_delimiter = ',', required = true)]
    players: Vec<String>,
    /// How many games
    #[arg(short = 'n', long = "games", value_name = "N", default_value_t = 100)]
    games: u64,
    /// The same seed gives the same games, unless programs think by the clock
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// How many threads play; as many as the machine has unless given
    #[arg(long, value_name = "T")]
    threads: Option<NonZeroUsize>,
    /// Games that last longer count as drawn; 0 for no bound
    #[arg(long, value_name = "P", default_value_t = 2_000)]
    max_plies: u64,
    /// So many plies at the beginning are played at random
    #[arg(long, value_name = "P", default_value_t = 0)]
    opening: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ArenaArgs, output: &mut Output) -> Result<(), CliError> {
    let (text, game) = args.game.load()?;
    let agents = agents(&args.players, game.rules().players.len())?;
    let threads = args.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let max_plies = (args.max_plies > 0).then_some(args.max_plies);
    let settings = Settings { agents, games: args.games, seed: args.seed, threads, max_plies, opening: args.opening };
    let mut bar = output.progress();
    let results = play(&game, &settings, &mut |results| bar.show(results.games, args.games));
    bar.clear();
    if args.json {
        output.answer(&Subject::game(&text.name, &game).by_chance(args.seed), to_json(&game, &settings, &results))
    } else {
        print(&game, &settings, &results, output)
    }
}

fn agents(list: &[String], seats: usize) -> Result<Vec<Agent>, CliError> {
    if list.len() != seats {
        return Err(CliError::coded(
            "bad_player",
            format!("the game has {seats} seats, but `--players` names {}", list.len()),
            None,
        ));
    }
    let agent = |name: &String| match name.trim() {
        "human" => Err(CliError::coded("bad_player", "only programs play in an arena", None)),
        name => name.parse().map_err(CliError::from),
    };
    list.iter().map(agent).collect()
}

fn to_json(game: &Game, settings: &Settings, results: &Results) -> Value {
    let standings = settings.agents.iter().zip(&results.standings).map(|(agent, standing)| {
        let (mean, low, high) = standing.interval(results.games);
        json!({
            "player": agent.to_string(),
            "wins": standing.wins,
            "shared": standing.shared,
            "points": standing.points,
            "mean": mean,
            "interval": [low, high],
        })
    });
    let players = game.rules().players.iter().map(|player| player.name.as_str());
    let by_seat: serde_json::Map<String, Value> =
        players.zip(&results.by_seat).map(|(player, wins)| (player.to_owned(), json!(wins))).collect();
    json!({
        "games": results.games,
        "plies": results.plies,
        "unfinished": results.unfinished,
        "standings": standings.collect::<Vec<_>>(),
        "wins_by_seat": by_seat,
    })
}

fn print(game: &Game, settings: &Settings, results: &Results, output: &mut Output) -> Result<(), CliError> {
    let names: Vec<String> = settings.agents.iter().map(Agent::to_string).collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    for (name, standing) in names.iter().zip(&results.standings) {
        let (mean, low, high) = standing.interval(results.games);
        let shared = if standing.shared > 0 { format!(", {} shared", standing.shared) } else { String::new() };
        output.line(&format!(
            "{name:<width$}  {:5.1} %  (95 %: {:.1} to {:.1})  {} wins{shared}",
            100.0 * mean,
            100.0 * low,
            100.0 * high,
            standing.wins
        ))?;
    }
    let seats: Vec<String> = game
        .rules()
        .players
        .iter()
        .zip(&results.by_seat)
        .map(|(player, wins)| format!("{} {wins}", player.name))
        .collect();
    output.line(&format!("{} games; won by seat: {}", results.games, seats.join(", ")))?;
    if results.unfinished > 0 {
        output.line(&format!("{} games were cut, and count as drawn", results.unfinished))?;
    }
    Ok(())
}
