//! Games written down: header lines, then moves, as `play` saves and `replay` reads them.

use super::error::CliError;
use super::source::Choice;
use crate::library::read_bytes;
use std::io::Read;
use std::path::Path;

/// As much as is read of one record.
const MAX_READ: u64 = 16 << 20;

#[derive(Clone, Debug, Default)]
pub struct Record {
    pub choice: Choice,
    /// The hash of the rules it was played by, if it tells.
    pub rules_hash: Option<String>,
    pub moves: Vec<String>,
}

impl Record {
    /// Reads a file, or standard input for `-`.
    pub fn read(path: &Path) -> Result<Self, CliError> {
        let bytes = if path == Path::new("-") {
            let mut bytes = Vec::new();
            std::io::stdin().lock().take(MAX_READ).read_to_end(&mut bytes).map(|_| bytes)
        } else {
            read_bytes(path)
        };
        let bytes = bytes.map_err(|error| CliError::read(path, error))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| CliError::message(format!("`{}` is not a text in UTF-8", path.display())))?;
        Ok(Self::parse(&text))
    }

    pub fn parse(text: &str) -> Self {
        let mut record = Self::default();
        for line in text.trim_start_matches('\u{feff}').lines() {
            let (line, comment) = line.split_once("//").unwrap_or((line, ""));
            if let Some(hash) = comment.trim().strip_prefix("rules ") {
                record.rules_hash.get_or_insert_with(|| hash.trim().to_owned());
            }
            for entry in line.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
                record.add(entry);
            }
        }
        record
    }

    /// Headers come before all moves, so that a move may look like one.
    fn add(&mut self, entry: &str) {
        if self.moves.is_empty() {
            if let Some(name) = entry.strip_prefix("ruleset ") {
                self.choice.ruleset = Some(name.trim().to_owned());
                return;
            }
            if let Some((name, value)) = entry.split_once('=').filter(|(name, value)| is_word(name) && is_word(value)) {
                self.choice.options.push((name.trim().to_owned(), value.trim().to_owned()));
                return;
            }
        }
        self.moves.push(entry.to_owned());
    }

    /// Its own choice of options, with that of the command line on top.
    pub fn choice_under(&self, given: &Choice) -> Choice {
        let ruleset = given.ruleset.clone().or_else(|| self.choice.ruleset.clone());
        let replaced = |name: &str| given.options.iter().any(|(other, _)| other == name);
        let own = self.choice.options.iter().filter(|(name, _)| !replaced(name));
        Choice { ruleset, options: own.chain(&given.options).cloned().collect() }
    }
}

/// A name or a number, as options have them.
fn is_word(text: &str) -> bool {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The text of a game played so far.
pub fn write(name: &str, hash: &str, choice: &Choice, moves: &[String]) -> String {
    let mut text = format!("// game {name}\n// rules {hash}\n");
    if let Some(ruleset) = &choice.ruleset {
        text.push_str(&format!("ruleset {ruleset}\n"));
    }
    for (option, value) in &choice.options {
        text.push_str(&format!("{option}={value}\n"));
    }
    for mv in moves {
        text.push_str(&format!("{mv}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let choice = Choice { ruleset: Some("small".to_owned()), options: vec![("side".to_owned(), "5".to_owned())] };
        let moves = ["c6".to_owned(), "o5 -2 2".to_owned(), "a8=Q".to_owned()];
        let record = Record::parse(&write("iqishiqi", "00ff", &choice, &moves));
        assert_eq!(record.moves, moves);
        assert_eq!(record.rules_hash.as_deref(), Some("00ff"));
        assert_eq!(record.choice.ruleset, choice.ruleset);
        assert_eq!(record.choice.options, choice.options);
    }

    #[test]
    fn the_command_line_comes_last() {
        let record = Record::parse("side=5, player_count = 3\nc6,q6");
        let given = Choice { ruleset: None, options: vec![("side".to_owned(), "4".to_owned())] };
        let options = record.choice_under(&given).options;
        assert_eq!(options, [("player_count".to_owned(), "3".to_owned()), ("side".to_owned(), "4".to_owned())]);
    }
}
