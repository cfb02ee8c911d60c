//! `moves`: a position and its legal moves.

use super::envelope::Subject;
use super::error::CliError;
use super::output::Output;
use super::source::{GameArgs, line_after, move_list, seat_of, status_line};
use clap::Args;
use serde_json::{Value, json};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright moves iqishiqi\n  ludwright moves iqishiqi -o side=6 --moves \"c6, q6\" --json"
)]
pub struct MovesArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Moves played first, separated by commas
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    moves: String,
    /// Show what the seat of this player sees, in games that hide something: the position, its own legal moves, and the
    /// moves played as it reads them
    #[arg(long, value_name = "PLAYER")]
    seat: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &MovesArgs, output: &mut Output) -> Result<(), CliError> {
    let (text, game) = args.game.load()?;
    let line = line_after(&game, &move_list(&args.moves))?;
    let seat = args.seat.as_deref().map(|name| seat_of(&game, name)).transpose()?;
    let told = seat.map(|seat| line.moves_seen_from(seat));
    let position = seat.map_or_else(|| line.position().clone(), |seat| line.position().seen_from(seat));
    // Only whoever is to move is told of legal moves.
    let decides = seat.is_none_or(|seat| line.position().seat() == Some(seat) && !line.position().is_chance());
    let moves = if decides { line.position().moves() } else { Vec::new() };
    if args.json {
        let mut object = position.to_json();
        if let Value::Object(fields) = &mut object {
            fields.insert("moves".to_owned(), json!(moves));
            if let Some(weights) = line.position().weights().filter(|_| decides) {
                fields.insert("weights".to_owned(), json!(weights));
            }
            if let Some(told) = told {
                fields.insert("told".to_owned(), json!(told));
            }
        }
        return output.answer(&Subject::game(&text.name, &game), object);
    }
    output.block(&position.draw())?;
    output.line("")?;
    output.line(&status_line(&position))?;
    if let Some(told) = told.filter(|told| !told.is_empty()) {
        output.line(&format!(
            "Played, as {} reads it: {}",
            args.seat.as_deref().unwrap_or_default(),
            told.join(", ")
        ))?;
    }
    if !moves.is_empty() {
        let what = match (position.is_chance(), moves.len()) {
            (true, _) => "outcomes, of which chance picks one",
            (false, 1) => "legal move",
            (false, _) => "legal moves",
        };
        output.line(&format!("{} {what}:", moves.len()))?;
        output.text(&columns(&moves, width()))?;
    }
    Ok(())
}

/// How many characters a line holds.
pub fn width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(80).clamp(20, 400)
}

/// Words in columns, read along the rows, two blanks apart.
pub fn columns(words: &[String], width: usize) -> String {
    let widest = words.iter().map(|word| word.chars().count()).max().unwrap_or(0);
    let per_row = ((width.saturating_sub(2)) / (widest + 2)).max(1);
    words
        .chunks(per_row)
        .map(|row| {
            let cells: String = row.iter().map(|word| format!("  {word:widest$}")).collect();
            format!("{}\n", cells.trim_end())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fit_the_width() {
        let words: Vec<String> = ["a", "bcd", "e", "f"].map(str::to_owned).to_vec();
        assert_eq!(columns(&words, 20), "  a    bcd  e\n  f\n");
        assert_eq!(columns(&words, 1), "  a\n  bcd\n  e\n  f\n");
    }
}
