//! Tables for spreadsheets and data frames, with commas between cells (RFC 4180): one row a game, or one row a setting.

use super::envelope::VERSION;
use super::error::CliError;
use super::store::Store;
use crate::ai::measure::Measure;
use crate::ai::measure::compare::Compared;
use crate::game::Game;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;

/// The cells of a row, each with the column that it belongs to.
pub type Row = Vec<(String, String)>;

/// Writes a table with the columns of all rows, in the order in which they come first.
pub fn write(mut store: Store, rows: &[Row]) -> Result<(), CliError> {
    store.write(table(rows).as_bytes())?;
    store.finish()
}

fn table(rows: &[Row]) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for (column, _) in rows.iter().flatten() {
        if !columns.contains(&column.as_str()) {
            columns.push(column);
        }
    }
    let cell = |row: &Row, column: &str| {
        row.iter().find(|(name, _)| name == column).map_or(String::new(), |(_, cell)| cell.clone())
    };
    let cells = |row: &Row| columns.iter().map(|column| cell(row, column)).collect::<Vec<_>>();
    let head = columns.iter().map(|column| (*column).to_owned()).collect::<Vec<_>>();
    std::iter::once(head).chain(rows.iter().map(cells)).map(|cells| line(&cells)).collect()
}

/// A line of a table. What holds a comma, a quotation mark or a break stands in quotation marks.
fn line(cells: &[String]) -> String {
    let cell = |cell: &String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    format!("{}\n", cells.iter().map(cell).collect::<Vec<_>>().join(","))
}

fn named(name: &str, cell: impl ToString) -> (String, String) {
    (name.to_owned(), cell.to_string())
}

/// What a row is about: the game with its options, each in a column of its own.
pub fn subject(name: &str, game: &Game, seed: u64) -> Row {
    let rules = game.rules();
    let options =
        rules.settings.iter().map(|(name, value)| (format!("option_{name}"), rules.setting_text(*value))).collect();
    let ruleset = rules.ruleset.clone().unwrap_or_default();
    let ends = vec![named("rules_hash", game.rules_hash()), named("version", VERSION), named("seed", seed)];
    [vec![named("game", name), named("ruleset", ruleset)], options, ends].concat()
}

/// A measure: its value, the ends of its interval, and from how many games; what cannot be told is empty.
pub fn measure(measure: &Measure) -> Row {
    let name = measure.name;
    let cell = |of: fn(&crate::study::estimate::Estimate) -> f64| {
        measure.estimate.as_ref().map_or(String::new(), |found| of(found).to_string())
    };
    vec![
        (name.to_owned(), cell(|found| found.value)),
        (format!("{name}_low"), cell(|found| found.low)),
        (format!("{name}_high"), cell(|found| found.high)),
        (format!("{name}_games"), measure.games.to_string()),
    ]
}

/// The same with how much it differs from that of the first row.
pub fn compared(compared: &Compared) -> Row {
    let name = compared.measure.name;
    let difference = compared.difference.as_ref();
    let cell = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
    let more = vec![
        (format!("{name}_difference"), cell(difference.map(|found| found.estimate.value))),
        (format!("{name}_difference_low"), cell(difference.map(|found| found.estimate.low))),
        (format!("{name}_difference_high"), cell(difference.map(|found| found.estimate.high))),
        (format!("{name}_p_corrected"), cell(compared.corrected)),
    ];
    [measure(&compared.measure), more].concat()
}

/// A table of games that is written while they are played.
pub struct Games {
    store: Store,
    options: Vec<String>,
    seats: usize,
}

/// What is read of the line of a game; the moves are left to the file of lines.
#[derive(Deserialize)]
struct Written {
    game: String,
    ruleset: Option<String>,
    options: Map<String, Value>,
    rules_hash: String,
    version: String,
    seed: u64,
    part: Option<String>,
    index: u64,
    players: Vec<String>,
    result: Value,
    reason: Option<String>,
    places: Option<Vec<u8>>,
    forfeit: Option<String>,
    plies: u64,
}

impl Games {
    /// A new table, for games of these rules.
    pub fn create(path: &Path, force: bool, game: &Game) -> Result<Self, CliError> {
        let rules = game.rules();
        let options: Vec<String> = rules.settings.iter().map(|(name, _)| name.clone()).collect();
        let seats = rules.players.len();
        let mut store = Store::create(path, force)?;
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let by_seat = |name: &str| (1..=seats).map(|seat| format!("{name}_{seat}")).collect::<Vec<_>>();
        let head = [
            own(&["game", "ruleset"]),
            options.iter().map(|name| format!("option_{name}")).collect(),
            own(&["rules_hash", "version", "seed", "part", "index"]),
            by_seat("player"),
            own(&["winner", "reason"]),
            by_seat("place"),
            own(&["forfeit", "plies"]),
        ];
        store.write(line(&head.concat()).as_bytes())?;
        Ok(Self { store, options, seats })
    }

    /// One more game, by its line in a file of games.
    pub fn add(&mut self, text: &[u8]) -> Result<(), CliError> {
        let unread = |error: serde_json::Error| CliError::message(format!("a game that was written is none: {error}"));
        let written: Written = serde_json::from_slice(text).map_err(unread)?;
        let option = |name: &String| match written.options.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        };
        let places = written.places.unwrap_or_default();
        let place = |seat| places.get(seat).map_or(String::new(), u8::to_string);
        let cells = [
            vec![written.game, written.ruleset.unwrap_or_default()],
            self.options.iter().map(option).collect(),
            vec![written.rules_hash, written.version, written.seed.to_string()],
            vec![written.part.unwrap_or_default(), written.index.to_string()],
            (0..self.seats).map(|seat| written.players.get(seat).cloned().unwrap_or_default()).collect(),
            vec![winner(&written.result), written.reason.unwrap_or_default()],
            (0..self.seats).map(place).collect(),
            vec![written.forfeit.unwrap_or_default(), written.plies.to_string()],
        ];
        self.store.write(line(&cells.concat()).as_bytes())
    }

    /// All games are written.
    pub fn finish(self) -> Result<(), CliError> {
        self.store.finish()
    }
}

/// Who is first, several joined by `+`; `draw` where all share the place, and nothing where the game was cut.
fn winner(result: &Value) -> String {
    if let Some(winner) = result["winner"].as_str() {
        return winner.to_owned();
    }
    let Some(ranks) = result["ranks"].as_object() else {
        return if result.is_null() { String::new() } else { "draw".to_owned() };
    };
    let first: Vec<&str> = ranks.iter().filter(|(_, rank)| **rank == 1).map(|(name, _)| name.as_str()).collect();
    if first.len() == ranks.len() { "draw".to_owned() } else { first.join("+") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tables_have_all_columns_and_quote_what_would_break_a_line() {
        let rows = [vec![named("a", "1,5"), named("b", "say \"x\"")], vec![named("c", "two\nlines"), named("a", 7)]];
        assert_eq!(table(&rows), "a,b,c\n\"1,5\",\"say \"\"x\"\"\",\n7,,\"two\nlines\"\n");
    }

    #[test]
    fn whoever_is_first_has_won() {
        let of = |result: Value| winner(&result);
        assert_eq!(of(json!({ "winner": "Red" })), "Red");
        assert_eq!(of(json!({ "draw": true })), "draw");
        assert_eq!(of(json!({ "ranks": { "Red": 2, "Blue": 1, "Green": 2 } })), "Blue");
        assert_eq!(of(json!({ "ranks": { "Red": 1, "Blue": 1, "Green": 3 } })), "Red+Blue");
        assert_eq!(of(json!({ "ranks": { "Red": 1, "Blue": 1, "Green": 1 } })), "draw");
        assert_eq!(of(Value::Null), "");
    }
}
