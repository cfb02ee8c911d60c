//! `arena`: programs play each other, and how strong they are.

use super::envelope::Subject;
use super::error::CliError;
use super::job::{PartArgs, Whole};
use super::output::Output;
use super::source::{GameArgs, RuleText};
use super::stop::Stop;
use super::store::{Store, goes_to_stdout};
use super::{csv, weights};
use crate::ai::arena::{Results, Settings, Written, play_written};
use crate::game::Game;
use crate::jobs::Work;
use crate::protocol::{self, Contender};
use crate::study::estimate::Estimate;
use crate::study::games::Lines;
use crate::study::names::Names;
use clap::Args;
use serde_json::{Map, Value, json};
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright arena reversi --players hard:2000,medium:200 -n 200\n  ludwright arena hex -o size=7 --players mcts:100ms,mcts:20ms -n 100 --json\n  ludwright arena tic_tac_toe --players easy,random -n 10 --output games.jsonl --csv games.csv\n  ludwright arena tic_tac_toe --players mcts:100,mcts:100 -n 2 --positions positions.jsonl --force\n  ludwright arena hex --players \"easy,ugi[nodes=9]:ludwright engine hex --ugi\" -n 2\n\nCtrl-C stops it and prints what the games so far came to. What the file holds is told in docs/data.md."
)]
pub struct ArenaArgs {
    #[command(flatten)]
    game: GameArgs,
    /// A program for each seat, as in `play`; they change seats from game to game. Programs of others are
    /// `ugi:PROGRAM ARGUMENTS`, `gtp:...` or `uci:...`, with settings in brackets: `uci[time=100ms]:stockfish`; an argument
    /// with a blank or a comma stands in quotation marks
    #[arg(long, value_name = "LIST", required = true)]
    players: Vec<String>,
    /// How many games
    #[arg(short = 'n', long = "games", value_name = "N", default_value_t = 100)]
    games: u64,
    /// The same seed gives the same games, unless programs think by the clock
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// How many threads play; by default as many as the machine has
    #[arg(long, value_name = "T")]
    threads: Option<NonZeroUsize>,
    /// Games that last longer count as drawn; 0 for no bound
    #[arg(long, value_name = "P", default_value_t = 2_000)]
    max_plies: u64,
    /// So many plies at the beginning are played at random, the same for games that differ in who sits where
    #[arg(long, value_name = "P", default_value_t = 0)]
    opening: u64,
    /// Write the games down, one JSON object a line; `-` is standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write down every position in which a program thought, one JSON object a line: the position, its moves, the one chosen,
    /// and what each was held for
    #[arg(long, value_name = "FILE", conflicts_with_all = ["job", "shard"])]
    positions: Option<PathBuf>,
    /// Write a table for spreadsheets, one row a game; `-` is standard output, and docs/data.md has its columns
    #[arg(long, value_name = "FILE", conflicts_with_all = ["shard", "job"])]
    csv: Option<PathBuf>,
    #[command(flatten)]
    part: PartArgs,
    /// Overwrite the files if they are there
    #[arg(long)]
    force: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ArenaArgs, output: &mut Output) -> Result<(), CliError> {
    let (text, game) = args.game.load()?;
    let agents = contenders(&args.players, &text, &game)?;
    if agents.len() != game.rules().players.len() {
        let (seats, named) = (game.rules().players.len(), agents.len());
        let message = format!("the game has {seats} seats, but `--players` names {named}");
        return Err(CliError::coded("bad_player", message, None));
    }
    try_out(&agents, &game)?;
    let threads = args.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let max_plies = (args.max_plies > 0).then_some(args.max_plies);
    let settings = Settings { agents, games: args.games, seed: args.seed, threads, max_plies, opening: args.opening };
    let subject = Subject::game(&text.name, &game).by_chance(args.seed);
    let players: Vec<String> = settings.agents.iter().map(Contender::to_string).collect();
    if args.part.are_given() {
        let whole = Whole {
            rules: (&text, &game),
            work: Work::Arena { players, opening: args.opening },
            games: args.games,
            max_plies,
            seed: args.seed,
            output: args.output.as_deref(),
            force: args.force,
            json: args.json,
        };
        return args.part.run(whole, (&settings.agents, threads), output);
    }
    let to_stdout = goes_to_stdout(args.json, &[&args.output, &args.positions, &args.csv])?;
    let mut store = args.output.as_deref().map(|path| Store::create(path, args.force)).transpose()?;
    let lines = Lines::new(&game, &subject.clone().line_fields());
    let mut seen = args.positions.as_deref().map(|path| Store::create(path, args.force)).transpose()?;
    let mut rows = args.csv.as_deref().map(|path| csv::Games::create(path, args.force, &game)).transpose()?;
    let head = subject.clone().line_fields();
    let mut written = Ok(());
    let mut bar = output.progress();
    let wanted = Written {
        lines: (store.is_some() || rows.is_some()).then_some(&lines),
        positions: seen.as_ref().map(|_| &head),
    };
    let stop = Stop::new();
    let results = play_written(&game, &settings, stop.halt(), wanted, &mut |results, line, positions| {
        bar.show(results.games, args.games);
        if let Some(store) = &mut store {
            written = store.write(line);
        }
        if let (Some(rows), Ok(())) = (&mut rows, &written) {
            written = rows.add(line);
        }
        if let (Some(seen), Ok(())) = (&mut seen, &written) {
            written = seen.write(positions);
        }
        written.is_ok()
    });
    bar.clear();
    written?;
    store.map_or(Ok(()), Store::finish)?;
    seen.map_or(Ok(()), Store::finish)?;
    rows.map_or(Ok(()), csv::Games::finish)?;
    let interrupted = results.games < args.games;
    if interrupted {
        output.note(&format!("stopped after {} of {} games", results.games, args.games));
    }
    if args.json {
        let mut answer = fields(&players, &Names::of(&game), &results);
        if interrupted {
            answer.insert("interrupted".to_owned(), json!(true));
        }
        return output.answer_of_games(&subject, Value::Object(answer), stop.unless_given_up(&game));
    }
    if !to_stdout {
        print(&players, &Names::of(&game), &results, output)?;
    }
    stop.unless_given_up(&game)
}

/// The programs that a list names.
pub fn contenders(lists: &[String], text: &RuleText, game: &Game) -> Result<Vec<Contender>, CliError> {
    let contender = |name: &String| match name.as_str() {
        "human" => Err(CliError::coded("bad_player", "only programs play in an arena or a tournament", None)),
        name => name.parse().map_err(CliError::from),
    };
    weights::seats(protocol::list(lists), text, game)?.iter().map(contender).collect()
}

/// Programs of others that do not run, or do not play this game, are told before the first game.
pub fn try_out(contenders: &[Contender], game: &Game) -> Result<(), CliError> {
    let help = || {
        Some(
            "type the program into a shell to see what is wrong; docs/protocols.md tells what it must speak".to_owned(),
        )
    };
    let failed = |why| CliError::coded("bad_program", why, help());
    contenders.iter().try_for_each(|contender| contender.try_out(game).map_err(failed))
}

/// What a series came to, as fields: it depends on the games alone.
pub fn fields(agents: &[String], names: &Names, results: &Results) -> Map<String, Value> {
    let standings = agents.iter().zip(&results.standings).map(|(agent, standing)| {
        let Estimate { value, low, high } = standing.interval(results.games);
        json!({
            "player": agent,
            "wins": standing.wins,
            "shared": standing.shared,
            "points": standing.points,
            "mean": value,
            "interval": [low, high],
        })
    });
    let by_seat: Map<String, Value> =
        names.players.iter().zip(&results.by_seat).map(|(player, wins)| (player.clone(), json!(wins))).collect();
    let fields = [
        ("games", json!(results.games)),
        ("plies", json!(results.plies)),
        ("unfinished", json!(results.unfinished)),
        ("forfeits", json!(results.forfeits)),
        ("standings", standings.collect()),
        ("wins_by_seat", Value::Object(by_seat)),
        ("fingerprint", json!(format!("{:016x}", results.fingerprint))),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The same for people.
pub fn print(agents: &[String], names: &Names, results: &Results, output: &mut Output) -> Result<(), CliError> {
    let width = agents.iter().map(String::len).max().unwrap_or(0);
    for (name, standing) in agents.iter().zip(&results.standings) {
        let Estimate { value, low, high } = standing.interval(results.games);
        let shared = if standing.shared > 0 { format!(", {} shared", standing.shared) } else { String::new() };
        output.line(&format!(
            "{name:<width$}  {:5.1} %  (95 %: {:.1} to {:.1})  {} wins{shared}",
            100.0 * value,
            100.0 * low,
            100.0 * high,
            standing.wins
        ))?;
    }
    let seats = names.players.iter().zip(&results.by_seat).map(|(player, wins)| format!("{player} {wins}"));
    let seats: Vec<String> = seats.collect();
    output.line(&format!("{} games; won by seat: {}", results.games, seats.join(", ")))?;
    if results.unfinished > 0 {
        output.line(&format!("{} games were cut, and count as drawn", results.unfinished))?;
    }
    if results.forfeits > 0 {
        let why = "lost by a program that made no legal move in time; `--output` says why in each";
        output.line(&format!("{} games were {why}", results.forfeits))?;
    }
    Ok(())
}
