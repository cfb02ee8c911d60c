//! What the options of a game change: each varied alone, and compared with the game as it is.

use super::frame::{figure, grid, paragraph, section, table};
use super::plot::{self, Row};
use crate::ai::Agent;
use crate::ai::measure::compare::{Compared, Variant, table as compared};
use crate::ai::measure::{Quantity, Settings};
use crate::author::declared::option_objects;
use crate::check::Project;
use crate::game::Game;
use crate::study::halt::Halt;
use serde_json::Value;
use std::time::Instant;

/// An option with what its values come to; the first row is the game as it is.
#[derive(Clone, Debug)]
pub struct Swept {
    /// The name of the option.
    pub name: String,
    /// What it is about.
    pub doc: String,
    /// Each value with its measures, in the order of `QUANTITIES`.
    pub rows: Vec<(String, Vec<Compared>)>,
}

/// An option that can be varied, with the game under each of its other values.
struct Varied {
    name: String,
    doc: String,
    games: Vec<(String, Game)>,
}

/// What is looked at.
pub const QUANTITIES: [Quantity; 4] = [Quantity::FirstSeat, Quantity::Draws, Quantity::Plies, Quantity::Completion];

/// As many other values of an option are tried, and as many options.
const VALUES: usize = 4;
const OPTIONS: usize = 8;

/// Plays each option alone with some of its other values. The time of the settings is for all of them together.
#[must_use]
pub fn sweep(
    project: &Project,
    game: &Game,
    (player, settings): (Agent, Settings),
    halt: Halt<'_>,
    told: &mut dyn FnMut(),
) -> Vec<Swept> {
    let rules = game.rules();
    let chosen: Vec<(String, String)> =
        rules.settings.iter().map(|(name, setting)| (name.clone(), rules.setting_text(*setting))).collect();
    let with = |name: &str, value: &str| {
        let other = |(known, set): &(String, String)| {
            let value = if known == name { value } else { set };
            (known.clone(), value.to_owned())
        };
        let options: Vec<(String, String)> = chosen.iter().map(other).collect();
        Game::from_project(project, rules.ruleset.as_deref(), &options).ok()
    };
    let mut all: Vec<Varied> = Vec::new();
    for option in option_objects(project).iter().take(OPTIONS) {
        let name = option.get("name").and_then(Value::as_str).unwrap_or_default();
        let Some((_, now)) = chosen.iter().find(|(known, _)| known == name) else { continue };
        let doc = option.get("doc").and_then(Value::as_str).unwrap_or_default();
        let others = values(option.get("values").unwrap_or(&Value::Null), now);
        // Values that this ruleset or the other options exclude are left out.
        let games: Vec<(String, Game)> =
            others.into_iter().filter_map(|value| Some((value.clone(), with(name, &value)?))).collect();
        if !games.is_empty() {
            all.push(Varied { name: name.to_owned(), doc: doc.to_owned(), games });
        }
    }
    let count = 1 + all.iter().map(|varied| varied.games.len()).sum::<usize>();
    let began = Instant::now();
    let mut played = 0;
    let mut variant = |game: &Game| {
        played += 1;
        let halt = match settings.games {
            Some(_) => halt,
            None => halt.by(began + settings.time.mul_f64(f64::from(played) / count as f64)),
        };
        Variant::play(game, settings, player, halt, told)
    };
    let first = variant(game);
    let row = |Varied { name, doc, games }: Varied| {
        let now = chosen.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value.as_str());
        let mut variants = vec![first.clone()];
        let mut labels = vec![now.to_owned()];
        for (value, game) in &games {
            variants.push(variant(game));
            labels.push(value.clone());
        }
        let rows = labels.into_iter().zip(compared(&variants, &QUANTITIES)).collect();
        Swept { name, doc, rows }
    };
    all.into_iter().map(row).collect()
}

/// Some values of an option but the one that is set: all of a few, of many some from end to end.
fn values(values: &Value, now: &str) -> Vec<String> {
    let all: Vec<String> = match (values.as_array(), values.get("min").and_then(Value::as_i64)) {
        (Some(list), _) => {
            list.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect()
        }
        (None, Some(low)) => {
            let high = values.get("max").and_then(Value::as_i64).unwrap_or(low).min(low.saturating_add(10_000));
            (low..=high).map(|value| value.to_string()).collect()
        }
        (None, None) => Vec::new(),
    };
    let others: Vec<String> = all.into_iter().filter(|value| value != now).collect();
    let last = others.len().saturating_sub(1);
    let mut at: Vec<usize> = (0..VALUES.min(others.len())).map(|n| n * last / (VALUES - 1).min(last).max(1)).collect();
    at.dedup();
    at.into_iter().filter_map(|at| others.get(at).cloned()).collect()
}

/// The section.
#[must_use]
pub fn section_of(swept: &[Swept], told: &str) -> String {
    if swept.is_empty() {
        return String::new();
    }
    let figures: Vec<String> = swept.iter().map(of_one).collect();
    let note = "Each option is changed alone and everything else left as it is; the first row of each is the game as it is. A \
                star says that the difference is sure (95 %, corrected for the comparisons of one option).";
    section("options", "What the options change", &(paragraph(told) + &paragraph(note) + &grid(&figures)))
}

fn of_one(swept: &Swept) -> String {
    let rows: Vec<Row> = swept.rows.iter().filter_map(|(value, compared)| seat(value, compared)).collect();
    let cells = |(value, compared): &(String, Vec<Compared>)| {
        std::iter::once(value.clone()).chain(compared.iter().skip(1).map(cell)).collect::<Vec<String>>()
    };
    let table = table(
        &format!("{}: other measures", swept.name),
        &["value", "draws", "plies", "ended"],
        &swept.rows.iter().map(cells).collect::<Vec<_>>(),
    );
    let plot = plot::intervals(&format!("First seat by {}", swept.name), &rows, &[(0.5, "even for the first seat")]);
    figure(&swept.name, &(plot + &table), &swept.doc)
}

fn seat(value: &str, compared: &[Compared]) -> Option<Row> {
    let first = compared.first()?;
    let found = first.measure.estimate?;
    let star = if first.differs() { " *" } else { "" };
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let said = format!("{} ({} to {}){star}", percent(found.value), percent(found.low), percent(found.high));
    Some(Row { label: value.to_owned(), range: (found.value, found.low, found.high), said })
}

fn cell(compared: &Compared) -> String {
    let star = if compared.differs() { " *" } else { "" };
    match compared.measure.estimate {
        None => "–".to_owned(),
        Some(found) if compared.measure.unit == "share" => format!("{:.0} %{star}", 100.0 * found.value),
        Some(found) => format!("{:.1}{star}", found.value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn some_values_from_end_to_end_are_tried_and_never_the_one_that_is_set() {
        assert_eq!(values(&json!({ "min": 1, "max": 11 }), "5"), ["1", "4", "8", "11"]);
        assert_eq!(values(&json!(["yes", "no"]), "no"), ["yes"]);
        assert_eq!(values(&json!({ "min": 3, "max": 5 }), "5"), ["3", "4"]);
        assert!(values(&json!({ "min": 3, "max": 3 }), "3").is_empty());
    }
}
