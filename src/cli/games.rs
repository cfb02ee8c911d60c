//! Files of games, one JSON object a line: read and played through, one game at a time.

use super::error::CliError;
use super::output::Output;
use super::replay::{Played, warn_of_other_rules};
use super::source::{Choice, RuleText};
use crate::game::{Game, Record};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// What is read of a line; the rest is told to people and to other programs.
#[derive(Deserialize)]
struct Written {
    ruleset: Option<String>,
    #[serde(default)]
    options: Map<String, Value>,
    rules_hash: Option<String>,
    moves: Vec<String>,
    result: Option<Value>,
    /// Who lost because no legal move came from him in time: the rules give no result.
    forfeit: Option<String>,
}

/// What a file of games came to.
pub struct Replayed {
    /// How many games were played through.
    pub games: u64,
    /// Their plies.
    pub plies: u64,
    /// The line that is not whole, at which reading ended.
    pub cut: Option<u64>,
    /// The line of the last game, which failed or was the last one.
    pub line: u64,
    /// The last game.
    pub last: Option<Played>,
}

/// The file or standard input, ready to be read.
pub fn open(path: &Path) -> Result<Box<dyn BufRead>, CliError> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).map_err(|error| CliError::read(path, error))?;
    Ok(Box::new(BufReader::new(file)))
}

/// Whether games in JSON come now, as against one game as a list of moves.
pub fn are_next(input: &mut dyn BufRead) -> bool {
    let next = input.fill_buf().unwrap_or_default().iter().find(|byte| !byte.is_ascii_whitespace());
    next == Some(&b'{')
}

/// Plays through all games up to the first that fails.
pub fn replay(
    text: &RuleText,
    choice: &Choice,
    path: &Path,
    input: &mut dyn BufRead,
    output: &Output,
) -> Result<Replayed, CliError> {
    let mut all = Replayed { games: 0, plies: 0, cut: None, line: 0, last: None };
    let mut known: Option<(Choice, Game)> = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line).map_err(|error| CliError::read(path, error))? == 0 {
            break;
        }
        let number = all.line + 1;
        let written: Written = match serde_json::from_slice(&line) {
            Ok(written) => written,
            Err(_) if line.iter().all(u8::is_ascii_whitespace) => {
                all.line = number;
                continue;
            }
            Err(_) if line.last() != Some(&b'\n') => {
                output.note(&format!("warning: `{}` is cut in line {number}; read up to there", path.display()));
                all.cut = Some(number);
                break;
            }
            Err(error) => return Err(not_a_game(path, number, &error)),
        };
        all.line = number;
        let record = record_of(&written);
        let chosen = choice.over(&record);
        let game = match &known {
            Some((same, game)) if *same == chosen => game.clone(),
            Some(_) | None => text.load(&chosen)?,
        };
        if known.is_none() {
            warn_of_other_rules(&record, &game.rules_hash(), output);
        }
        known = Some((chosen, game.clone()));
        let name = format!("{}, line {number}", path.display());
        let mut played = Played::of(&game, &record.moves, name);
        let forfeited = written.forfeit.is_some();
        played.compare(Some(&Value::Null).filter(|_| forfeited).or(written.result.as_ref()));
        all.games += 1;
        all.plies += u64::from(played.plies);
        let ok = played.ok;
        all.last = Some(played);
        if !ok {
            break;
        }
    }
    Ok(all)
}

fn record_of(written: &Written) -> Record {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Record {
        rules_hash: written.rules_hash.clone(),
        ruleset: written.ruleset.clone(),
        options: written.options.iter().map(|(name, value)| (name.clone(), text(value))).collect(),
        moves: written.moves.clone(),
        ..Record::default()
    }
}

fn not_a_game(path: &Path, number: u64, error: &serde_json::Error) -> CliError {
    let help = "docs/data.md says what a line of games holds".to_owned();
    CliError::coded("bad_games", format!("`{}`, line {number}, is no game: {error}", path.display()), Some(help))
}
