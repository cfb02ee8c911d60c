//! What every answer in JSON says first: which program gave it, to which command, and about which game.

use crate::game::Game;
use crate::jobs;
use serde_json::{Map, Value, json};

/// The version of this program.
pub const VERSION: &str = jobs::VERSION;

/// What an answer is about: a game, where there is one, and the seed, where chance plays a part.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    fields: Map<String, Value>,
}

impl Subject {
    /// An answer about no game in particular.
    #[must_use]
    pub fn nothing() -> Self {
        Self::default()
    }

    /// An answer about a game that goes by a name.
    #[must_use]
    pub fn game(name: &str, game: &Game) -> Self {
        let mut subject = Self::default();
        subject.say("game", json!(name));
        subject.say("ruleset", json!(game.rules().ruleset));
        subject.say("options", settings(game));
        subject.say("rules_hash", json!(game.rules_hash()));
        subject
    }

    /// What a job is about, whose fields were written by `with`.
    #[must_use]
    pub fn of(about: &Map<String, Value>) -> Self {
        let own = |name: &String| !["ludwright", "command"].contains(&name.as_str());
        Self { fields: about.iter().filter(|(name, _)| own(name)).map(|(n, v)| (n.clone(), v.clone())).collect() }
    }

    /// Chance played a part, and this seed decided.
    #[must_use]
    pub fn by_chance(mut self, seed: u64) -> Self {
        self.say("seed", json!(seed));
        self
    }

    /// What is said first, alone.
    #[must_use]
    pub fn fields(self) -> Map<String, Value> {
        let mut fields = self.fields;
        fields.shift_insert(0, "ludwright".to_owned(), json!(VERSION));
        fields
    }

    /// What every line of a file of games begins with.
    #[must_use]
    pub fn line_fields(self) -> Map<String, Value> {
        let mut fields = self.fields;
        fields.insert("version".to_owned(), json!(VERSION));
        fields
    }

    fn say(&mut self, name: &str, value: Value) {
        self.fields.insert(name.to_owned(), value);
    }

    /// The whole answer of a command. Where it has a field of its own by the same name, its own stands.
    #[must_use]
    pub fn with(&self, command: &str, answer: Value) -> Value {
        let mut whole = Map::new();
        whole.insert("ludwright".to_owned(), json!(VERSION));
        whole.insert("command".to_owned(), json!(command));
        whole.extend(self.fields.clone());
        match answer {
            Value::Object(own) => whole.extend(own),
            other => {
                whole.insert("answer".to_owned(), other);
            }
        }
        Value::Object(whole)
    }
}

/// The options of a game by name, as JSON values.
#[must_use]
pub fn settings(game: &Game) -> Value {
    Value::Object(jobs::settings(game))
}

/// Whether the answer, and what goes wrong on the way to it, is to be one JSON object. Asked before the command line is
/// understood, since it may not be.
#[must_use]
pub fn is_wanted<S: AsRef<str>>(words: &[S]) -> bool {
    let own: Vec<&str> = words.iter().map(AsRef::as_ref).take_while(|word| *word != "--").collect();
    let format = own.windows(2).any(|pair| matches!(pair, ["--format", "json"]));
    format || own.iter().any(|word| ["--json", "--format=json"].contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_says_itself_stands() {
        let subject = Subject::nothing().by_chance(7);
        let whole = subject.with("show", json!({ "seed": "own", "plies": 3 }));
        assert_eq!((&whole["seed"], &whole["plies"], &whole["command"]), (&json!("own"), &json!(3), &json!("show")));
        assert_eq!(whole["ludwright"], json!(env!("CARGO_PKG_VERSION")));
    }

    #[test]
    fn json_is_wanted_by_a_flag_and_not_by_the_name_of_a_file() {
        assert!(is_wanted(&["check", "--format", "json"]));
        assert!(is_wanted(&["moves", "hex", "--json"]));
        assert!(!is_wanted(&["replay", "hex", "--", "--json"]));
        assert!(!is_wanted(&["check", "--format", "sarif"]));
    }
}
