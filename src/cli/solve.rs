//! `solve`: what a position is worth when everybody plays as well as can be.

use super::envelope::Subject;
use super::error::CliError;
use super::output::Output;
use super::source::{GameArgs, line_after, move_list};
use super::stop;
use crate::ai::solve::{Missing, Settings, Solution, Way, solve_with};
use crate::game::Game;
use crate::study::halt::Halt;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright solve tic_tac_toe\n  ludwright solve hex -o size=4 --moves \"a1\"\n  ludwright solve connect_four -o width=5 -o height=4 --json\n  ludwright solve hex -o size=3 --way table\n\nA table holds all positions that can come up, and tells how many plies a win takes; it values play that goes round in circles, which a proof cannot. Play that nobody need end counts as a draw. About 35 bytes are kept for each position of a table and 8 for each move, and 24 to 96 for each position of a proof, within the bound of --memory.\n\nCtrl-C stops it and prints what is known so far."
)]
pub struct SolveArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Moves from the start, separated by commas
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true)]
    moves: String,
    /// Give up after so many positions
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    nodes: u64,
    /// Keep no more of positions than so many MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    memory: u32,
    /// How it is solved where two play without chance
    #[arg(long, value_enum, value_name = "WAY", default_value = "auto")]
    way: Wanted,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Wanted {
    /// A table if it is small, else a proof, and where positions return a larger table
    Auto,
    /// A table of all positions that can come up, from the ends of games back
    Table,
    /// Proof-number search
    Proof,
}

pub fn run(args: &SolveArgs, output: &mut Output) -> Result<(), CliError> {
    let (text, game) = args.game.load()?;
    if game.hides() {
        let message = "nobody sees everything in this game, and `solve` knows only games where everybody does";
        let help = "`arena` and `best` play it by what each seat has been told";
        return Err(CliError::with_help(message, Some(help.to_owned())));
    }
    let line = line_after(&game, &move_list(&args.moves))?;
    let mut bar = output.progress();
    let flag = stop::flag();
    let way = match args.way {
        Wanted::Auto => None,
        Wanted::Table => Some(Way::Table),
        Wanted::Proof => Some(Way::Proof),
    };
    let bytes = usize::try_from(u64::from(args.memory) << 20).unwrap_or(usize::MAX);
    let settings = Settings { nodes: args.nodes, bytes, way };
    let solution = solve_with(&line, settings, Halt::when(&flag), &mut |nodes| bar.show(nodes, args.nodes));
    bar.clear();
    let interrupted = solution.values.is_none() && Halt::when(&flag).is_set();
    if interrupted {
        output.note("stopped before it was solved");
    }
    if args.json {
        let mut answer = to_json(&game, &solution);
        if interrupted {
            answer["interrupted"] = json!(true);
        }
        output.answer(&Subject::game(&text.name, &game), answer)
    } else {
        print(&game, &solution, output)
    }
}

fn results<'s, T: Copy>(game: &'s Game, values: &'s [T]) -> impl Iterator<Item = (&'s str, T)> {
    game.rules().players.iter().map(|player| player.name.as_str()).zip(values.iter().copied())
}

/// A number with a comma before every three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let begins = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    digits.char_indices().map(|(at, digit)| if begins(at) { format!(",{digit}") } else { digit.to_string() }).collect()
}

fn plies(number: usize) -> &'static str {
    if number == 1 { "ply" } else { "plies" }
}

fn to_json(game: &Game, solution: &Solution) -> Value {
    let by_player = |values: &[f32]| {
        results(game, values).map(|(player, value)| (player.to_owned(), json!(value))).collect::<Map<String, Value>>()
    };
    let positions = solution.counts.as_ref().map(|counts| {
        let won: Map<String, Value> =
            results(game, &counts.won).map(|(player, won)| (player.to_owned(), json!(won))).collect();
        json!({
            "all": counts.all(),
            "won": won,
            "drawn": counts.drawn,
            "endless": counts.endless,
            "images": counts.images,
            "longest": counts.longest,
        })
    });
    json!({
        "solved": solution.values.is_some(),
        "way": solution.way.name(),
        "values": solution.values.as_deref().map(by_player),
        "bounds": solution.bounds.map(|(low, high)| [low, high]),
        "distance": solution.distance,
        "endless": solution.endless,
        "moves": solution.moves,
        "positions": positions,
        "nodes": solution.nodes,
        "bytes": solution.bytes,
        "missing": solution.missing.map(|missing| missing.to_string()),
    })
}

/// Who wins, or what each gets.
fn result(game: &Game, solution: &Solution, values: &[f32]) -> String {
    let winner = results(game, values).find(|(_, value)| *value >= 1.0);
    let even = values.windows(2).all(|pair| pair[0] == pair[1]);
    match winner {
        Some((player, _)) => format!("{player} wins"),
        None if solution.endless => "a draw: nobody can force a win, and play goes round in circles".to_owned(),
        None if even => "a draw".to_owned(),
        None => results(game, values).map(|(player, value)| format!("{player} {value}")).collect::<Vec<_>>().join(", "),
    }
}

fn print(game: &Game, solution: &Solution, output: &mut Output) -> Result<(), CliError> {
    match &solution.values {
        Some(values) => {
            output.line(&result(game, solution, values))?;
            if !solution.moves.is_empty() {
                let (number, moves) = (solution.moves.len(), solution.moves.join(", "));
                let best = if solution.distance.is_some() { "with best play in" } else { "in" };
                output.line(&format!("{best} {number} {}: {moves}", plies(number)))?;
            }
        }
        None => {
            let first = game.rules().players.first().map_or("", |player| player.name.as_str());
            output.line("not solved")?;
            if let Some((low, high)) = solution.bounds.filter(|bounds| *bounds != (0.0, 1.0)) {
                output.line(&format!("{first} gets between {low} and {high}"))?;
            }
            if let Some(missing) = solution.missing.filter(|missing| *missing != Missing::Time) {
                output.note(&missing.to_string());
            }
        }
    }
    if let Some(counts) = &solution.counts {
        let won = results(game, &counts.won).filter(|(_, won)| *won > 0);
        let mut parts: Vec<String> = won.map(|(player, won)| format!("{player} wins {}", grouped(won))).collect();
        let endless = match counts.endless {
            0 => String::new(),
            all if all == counts.drawn => " by going round in circles".to_owned(),
            some => format!(", {} of these by going round in circles", grouped(some)),
        };
        if counts.drawn > 0 {
            parts.push(format!("{} are drawn{endless}", grouped(counts.drawn)));
        }
        let once = if counts.images > 1 { " (turned and mirrored ones count once)" } else { "" };
        output.line(&format!("of {} positions that can come up{once}, {}", grouped(counts.all()), parts.join(", ")))?;
        if counts.longest > 0 {
            output.line(&format!("the longest win takes {} {}", counts.longest, plies(counts.longest as usize)))?;
        }
    }
    let way = match solution.way {
        Way::Table => "in a table",
        Way::Proof => "for a proof",
        Way::Search => "to the end of the game",
    };
    let mib = solution.bytes.div_ceil(1 << 20);
    output.note(&format!("{} positions looked at {way}, {mib} MiB", grouped(solution.nodes)));
    Ok(())
}
