//! `why`: the clause that makes a move legal or illegal, or that ended the game.

use super::envelope::Subject;
use super::error::CliError;
use super::output::Output;
use super::source::{GameArgs, after_moves, move_list};
use crate::diagnostic::snippet;
use crate::game::{Explanation, Position};
use clap::Args;
use serde_json::Value;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright why pushpin --move \"h5 9\"\n  ludwright why iqishiqi -o side=6 --moves \"c6, q6, r7\" --move e8w --json"
)]
pub struct WhyArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Moves played first, separated by commas
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    moves: String,
    /// The move asked about
    #[arg(long = "move", value_name = "MOVE", allow_hyphen_values = true)]
    mv: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &WhyArgs, output: &mut Output) -> Result<(), CliError> {
    let (text, game) = args.game.load()?;
    let position = after_moves(game.start(), &move_list(&args.moves))?;
    let why = position.why(&args.mv);
    if args.json {
        return output.answer(&Subject::game(&text.name, &game), Value::Object(why.to_json(&game)));
    }
    let color = output.stdout_color();
    output.text(&describe(&why, &position, color))
}

/// The answer, the line it rests on, and what was found there.
pub fn describe(why: &Explanation, position: &Position, color: bool) -> String {
    let game = position.game();
    let sentence = why.sentence(position);
    let mut text = match why.clause.filter(|_| !why.legal) {
        Some(clause) => {
            let label = why.label.clone().unwrap_or((clause, String::new()));
            snippet(&sentence, clause, &[label], game.sources(), color)
        }
        None => format!("{sentence}\n"),
    };
    for line in why.path_lines(game).into_iter().chain(why.value_lines(game)) {
        text.push_str(&format!("  {line}\n"));
    }
    text
}
