//! `solve`: what a position is worth when everybody plays as well as can be.

use super::envelope::Subject;
use super::error::CliError;
use super::output::Output;
use super::source::{GameArgs, move_list};
use super::stop;
use crate::ai::solve::{Solution, solve_until};
use crate::game::Game;
use crate::game::Line;
use crate::study::halt::Halt;
use clap::Args;
use serde_json::{Map, Value, json};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright solve tic_tac_toe\n  ludwright solve hex -o size=4 --moves \"a1\"\n  ludwright solve connect_four -o width=5 -o height=4 --json\n\nCtrl-C stops it and prints what is known so far."
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
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &SolveArgs, output: &mut Output) -> Result<(), CliError> {
    let (text, game) = args.game.load()?;
    let line = Line::replayed(&game, &move_list(&args.moves)).map_err(|(at, error)| CliError::bad_move(at, &error))?;
    let mut bar = output.progress();
    let flag = stop::flag();
    let solution = solve_until(&line, args.nodes, Halt::when(&flag), &mut |nodes| bar.show(nodes, args.nodes));
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

fn results<'s>(game: &'s Game, values: &'s [f32]) -> impl Iterator<Item = (&'s str, f32)> {
    game.rules().players.iter().map(|player| player.name.as_str()).zip(values.iter().copied())
}

fn to_json(game: &Game, solution: &Solution) -> Value {
    let values = solution.values.as_ref().map(|values| {
        results(game, values).map(|(player, value)| (player.to_owned(), json!(value))).collect::<Map<String, Value>>()
    });
    json!({
        "solved": solution.values.is_some(),
        "values": values,
        "bounds": solution.bounds.map(|(low, high)| [low, high]),
        "moves": solution.moves,
        "nodes": solution.nodes,
    })
}

fn print(game: &Game, solution: &Solution, output: &mut Output) -> Result<(), CliError> {
    match &solution.values {
        Some(values) => {
            let winner = results(game, values).find(|(_, value)| *value >= 1.0);
            let even = values.windows(2).all(|pair| pair[0] == pair[1]);
            output.line(&match winner {
                Some((player, _)) => format!("{player} wins"),
                None if even => "a draw".to_owned(),
                None => results(game, values)
                    .map(|(player, value)| format!("{player} {value}"))
                    .collect::<Vec<_>>()
                    .join(", "),
            })?;
            if !solution.moves.is_empty() {
                output.line(&format!("in {} plies: {}", solution.moves.len(), solution.moves.join(", ")))?;
            }
        }
        None => {
            let first = game.rules().players.first().map_or("", |player| player.name.as_str());
            output.line("not solved")?;
            if let Some((low, high)) = solution.bounds.filter(|bounds| *bounds != (0.0, 1.0)) {
                output.line(&format!("{first} gets between {low} and {high}"))?;
            }
        }
    }
    output.note(&format!("{} positions looked at", solution.nodes));
    Ok(())
}
