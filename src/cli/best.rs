//! `sweep --best`: which variant is best, found in rounds after each of which the worse half is left out.

use super::error::CliError;
use super::output::Output;
use super::series::Source;
use super::sweep::{Row, quantity};
use crate::ai::measure::Quantity;
use crate::ai::measure::best::{Best, Goal, best};
use crate::study::halt::Halt;
use serde_json::{Value, json};
use std::time::Instant;

/// More games of a variant than these tell next to nothing new, however much time there is.
const ENOUGH: u64 = 20_000;

/// The measure, and what it should be.
pub type Sought = (Quantity, Goal);

pub fn sought(text: &str) -> Result<Sought, String> {
    let (name, goal) = text.split_once('=').ok_or("write it as MEASURE=least, =most or =X, as in first_seat=0.5")?;
    let goal = match goal.trim() {
        "least" => Goal::Least,
        "most" => Goal::Most,
        number => match number.parse::<f64>().ok().filter(|number| number.is_finite()) {
            Some(number) => Goal::Near(number),
            None => return Err(format!("`{number}` is neither `least` nor `most` nor a number")),
        },
    };
    Ok((quantity(name.trim())?, goal))
}

fn words((quantity, goal): Sought) -> String {
    let goal = match goal {
        Goal::Least => "least".to_owned(),
        Goal::Most => "most".to_owned(),
        Goal::Near(number) => number.to_string(),
    };
    format!("{}={goal}", quantity.name())
}

/// Plays the rounds.
pub fn seek(
    mut source: Source<'_>,
    rows: &[Row],
    sought: Sought,
    (halt, output): (Halt<'_>, &Output),
) -> Result<Best, CliError> {
    let games: Vec<_> = rows.iter().map(|row| &row.game).collect();
    source.expect(&games)?;
    let (settings, mut bar, mut played) = (source.settings, output.progress(), 0);
    let found = best(rows.len(), sought, &mut |variant, had, round| {
        let Some(game) = games.get(variant).filter(|_| !halt.is_set()) else { return Ok(None) };
        bar.show(played, played);
        let new = match settings.games {
            Some(most) => source.games(game, had..round.games(most), halt)?,
            // Every round has the same time, so that the variants that are left play more and more.
            None => {
                let shares = round.of.saturating_mul(u32::try_from(round.variants).unwrap_or(u32::MAX)).max(1);
                source.games(game, had..round.games(ENOUGH), halt.by(Instant::now() + settings.time / shares))?
            }
        };
        played += new.len() as u64;
        // What was halted in the middle would have been played less than the others.
        Ok((!halt.is_set()).then_some(new))
    });
    bar.clear();
    found
}

pub fn to_json(best: &Best, sought: Sought) -> Value {
    json!({
        "for": words(sought),
        "row": best.variant,
        "not_surely_worse": best.open,
        "rounds": best.rounds,
    })
}

pub fn print(best: &Best, sought: Sought, rows: &[Row], output: &mut Output) -> Result<(), CliError> {
    let label = |row: usize| rows.get(row).map_or("", |row| row.label.as_str());
    let goal = words(sought);
    let Some(row) = best.variant else {
        return output.line(&format!("{goal} cannot be told of these games"));
    };
    if rows.len() == 1 {
        return output.line(&format!("best for {goal}: {}, the only variant", label(row)));
    }
    let sizes: Vec<String> = best.rounds.iter().map(|round| round.len().to_string()).collect();
    let played = match sizes.as_slice() {
        [] => "stopped in the first round".to_owned(),
        [size] => format!("1 round of {size} variants"),
        sizes => format!("{} rounds of {} variants", sizes.len(), sizes.join(", ")),
    };
    output.line(&format!("best for {goal}: {} ({played})", label(row)))?;
    if best.open.is_empty() {
        return output.line("all others are surely worse (95 %)");
    }
    let open: Vec<&str> = best.open.iter().map(|row| label(*row)).collect();
    output.line(&format!("not surely worse: {}", open.join("; ")))
}
