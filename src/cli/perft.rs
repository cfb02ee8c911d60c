//! `perft`: counts of move sequences, against which others can be compared.

use super::envelope::Subject;
use super::error::CliError;
use super::output::Output;
use super::source::{Engine, GameArgs, after_moves, move_list};
use super::stop;
use crate::game::{Game, Position};
use crate::study::halt::Halt;
use crate::study::perft::{Counts, perft_of, perft_until};
use crate::study::playout;
use clap::Args;
use serde_json::{Value, json};
use std::time::Instant;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright perft iqishiqi -o side=3 --depth 4\n  ludwright perft push_and_pull -o side=4 --depth 1 --turns --divide\n  ludwright perft chess --depth 2 --moves \"e2e4, e7e5\"\n\nCtrl-C stops it and prints the depths counted so far."
)]
pub struct PerftArgs {
    #[command(flatten)]
    game: GameArgs,
    /// How many plies (with `--turns`: turns) deep
    #[arg(short, long, value_name = "N")]
    depth: u16,
    #[arg(long, value_enum, default_value_t)]
    engine: Engine,
    /// Count from the position after these moves, separated by commas, on the reference engine
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    moves: String,
    /// Count whole turns; turns that end in the same position are one
    #[arg(long)]
    turns: bool,
    /// Divide the last count among the first moves
    #[arg(long)]
    divide: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &PerftArgs, output: &mut Output) -> Result<(), CliError> {
    let (text, game) = args.game.load()?;
    let began = Instant::now();
    let moves = move_list(&args.moves);
    let from = if moves.is_empty() { None } else { Some(after_moves(game.start(), &moves)?) };
    let flag = stop::flag();
    let (counts, engine) = counted(args, &game, from.as_ref(), Halt::when(&flag), output)?;
    let interrupted = counts.nodes.len() < usize::from(args.depth);
    if interrupted {
        output.note(&format!("stopped after {} of {} depths", counts.nodes.len(), args.depth));
    }
    if args.json {
        let mut answer = to_json(args, &counts, engine);
        if interrupted {
            answer["interrupted"] = json!(true);
        }
        return output.answer(&Subject::game(&text.name, &game), answer);
    }
    print(args, &counts, output)?;
    output.note(&format!("{:.2} s", began.elapsed().as_secs_f64()));
    Ok(())
}

/// The counts of the depths that were counted to their end. What it takes to count each of them for itself is little more
/// than what the last one takes.
fn counted(
    args: &PerftArgs,
    game: &Game,
    from: Option<&Position>,
    halt: Halt<'_>,
    output: &Output,
) -> Result<(Counts, playout::Engine), CliError> {
    let mut bar = output.progress();
    let mut progress = |done, total| bar.show(done, total);
    let mut whole = (Counts::default(), args.engine.runner());
    for depth in 1..=usize::from(args.depth) {
        let (counts, engine) = match from {
            None => perft_until(game, depth, args.turns, args.engine.runner(), halt, &mut progress),
            Some(from) => (perft_of(from, depth, args.turns, halt, &mut progress), playout::Engine::Reference),
        };
        CliError::unless_stopped(game, counts.stopped)?;
        if halt.is_set() {
            break;
        }
        whole = (counts, engine);
    }
    bar.clear();
    Ok(whole)
}

fn to_json(args: &PerftArgs, counts: &Counts, engine: playout::Engine) -> Value {
    let mut object = json!({
        "engine": Engine::of(engine).name(),
        "nodes": counts.nodes,
    });
    if let (true, Value::Object(fields)) = (args.divide, &mut object) {
        let branches = counts.branches.iter().map(|branch| json!({ "move": branch.text, "nodes": branch.nodes }));
        fields.insert("divide".to_owned(), branches.collect());
    }
    object
}

fn print(args: &PerftArgs, counts: &Counts, output: &mut Output) -> Result<(), CliError> {
    if args.divide {
        for branch in &counts.branches {
            output.line(&format!("{}: {}", branch.text, branch.nodes))?;
        }
    }
    for (index, nodes) in counts.nodes.iter().enumerate() {
        output.line(&format!("{:>3}  {nodes}", index + 1))?;
    }
    Ok(())
}
