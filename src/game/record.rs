//! Games written down: header lines, then moves, as `play` saves and `replay` reads them.

use crate::syntax::move_lists::{Entry, entries, entry_of};

/// A game as text. What is no option or move stands in comments, so that a list of moves is a record too.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// The name of a shipped game or the path of a rule file.
    pub game: Option<String>,
    /// The hash of the rules it was played by.
    pub rules_hash: Option<String>,
    /// The ruleset, where one was chosen.
    pub ruleset: Option<String>,
    /// The options that were chosen, as written on a command line.
    pub options: Vec<(String, String)>,
    /// Who sat where, in the order of seats.
    pub players: Option<String>,
    /// The time that people have, and what is left of it, as `play --clock` has it.
    pub clock: Option<String>,
    /// The day it began: `2026-01-31`.
    pub date: Option<String>,
    /// How the game ended, in words.
    pub result: Option<String>,
    /// The moves in notation.
    pub moves: Vec<String>,
}

impl Record {
    /// Reads a record; what is no head of it is moves.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut record = Self::default();
        for line in text.trim_start_matches('\u{feff}').lines() {
            if let Some(comment) = line.trim_start().strip_prefix("//") {
                record.header(comment.trim());
            }
            entries(line).into_iter().for_each(|entry| record.add(entry));
        }
        record
    }

    fn header(&mut self, comment: &str) {
        let Some((word, rest)) = comment.split_once(' ') else { return };
        let field = match word {
            "game" => &mut self.game,
            "rules" => &mut self.rules_hash,
            "players" => &mut self.players,
            "clock" => &mut self.clock,
            "date" => &mut self.date,
            "result" => &mut self.result,
            _ => return,
        };
        field.get_or_insert_with(|| rest.trim().to_owned());
    }

    /// Options come before all moves, so that a move may look like one.
    fn add(&mut self, Entry { text: entry, quoted }: Entry) {
        if self.moves.is_empty() && !quoted {
            if let Some(name) = entry.strip_prefix("ruleset ") {
                self.ruleset = Some(name.trim().to_owned());
                return;
            }
            if let Some((name, value)) = entry.split_once('=').filter(|(name, value)| is_word(name) && is_word(value)) {
                self.options.push((name.trim().to_owned(), value.trim().to_owned()));
                return;
            }
        }
        self.moves.push(entry);
    }

    /// The text of the record: [`Record::parse`] reads it back.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let headers = [
            ("game", &self.game),
            ("rules", &self.rules_hash),
            ("players", &self.players),
            ("clock", &self.clock),
            ("date", &self.date),
            ("result", &self.result),
        ];
        for (word, value) in headers {
            if let Some(value) = value {
                text.push_str(&format!("// {word} {}\n", value.replace(['\n', '\r'], " ")));
            }
        }
        if let Some(ruleset) = &self.ruleset {
            text.push_str(&format!("ruleset {ruleset}\n"));
        }
        for (option, value) in &self.options {
            text.push_str(&format!("{option}={value}\n"));
        }
        for mv in &self.moves {
            text.push_str(&format!("{}\n", entry_of(mv)));
        }
        text
    }
}

/// A name or a number, as options have them.
fn is_word(text: &str) -> bool {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let record = Record {
            game: Some("my_game".to_owned()),
            rules_hash: Some("00ff".to_owned()),
            ruleset: Some("small".to_owned()),
            options: vec![("side".to_owned(), "5".to_owned())],
            players: Some("human, mcts:1s".to_owned()),
            clock: Some("5m+3s 291000 300000".to_owned()),
            date: Some("2026-01-31".to_owned()),
            result: Some("North wins (a corner)".to_owned()),
            moves: ["c6", "o5 -2 2", "a8=Q", "a1,b1", "x//y"].map(str::to_owned).to_vec(),
        };
        assert_eq!(Record::parse(&record.to_text()), record);
    }

    #[test]
    fn a_list_of_moves_is_a_record() {
        let record = Record::parse("side=5, player_count = 3\nc6,q6 // a fine answer");
        assert_eq!(record.moves, ["c6", "q6"]);
        assert_eq!(record.options.len(), 2);
        assert_eq!(record.result, None);
    }
}
