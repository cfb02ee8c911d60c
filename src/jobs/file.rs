//! Jobs as files: what is to be played altogether, with all that another machine or process needs to play parts of it.

use super::shard::Job;
use crate::game::Game;
use crate::rules::Setting;
use crate::study::names::Names;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use xxhash_rust::xxh3::xxh3_64;

/// The version of this library.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A job with all that another machine needs to play it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobFile {
    /// The version of the program that wrote it.
    pub ludwright: String,
    /// The command that does it on one machine.
    pub verb: String,
    /// What the text is called in messages.
    pub name: String,
    /// The rules.
    pub text: String,
    /// The choice that was made.
    pub ruleset: Option<String>,
    /// All options with their values.
    pub options: Map<String, Value>,
    /// What the parts belong to.
    pub job: Job,
}

/// Why a file is no job that can be played here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// It is something else.
    #[error("it is no job: {0}")]
    NoJob(String),
    /// Another version wrote it.
    #[error("it was written by Ludwright {made}, and this is {VERSION}")]
    OtherVersion {
        /// Which one.
        made: String,
    },
    /// Its text makes other rules here.
    #[error("its rules are not those that it was written for")]
    OtherRules,
}

impl JobFile {
    /// A job of a game that was made from this text.
    #[must_use]
    pub fn new((name, text): (&str, &str), game: &Game, seed: u64, job: Job) -> Self {
        Self {
            ludwright: VERSION.to_owned(),
            verb: job.work.verb().to_owned(),
            name: name.to_owned(),
            text: text.to_owned(),
            ruleset: game.rules().ruleset.clone(),
            options: settings(game),
            job: Job { about: about(job.work.verb(), name, game, seed), names: Names::of(game), ..job },
        }
    }

    /// Reads what [`Self::text`] has written.
    pub fn read(bytes: &[u8]) -> Result<Self, JobError> {
        let file: Self = serde_json::from_slice(bytes).map_err(|error| JobError::NoJob(error.to_string()))?;
        if file.ludwright == VERSION { Ok(file) } else { Err(JobError::OtherVersion { made: file.ludwright }) }
    }

    /// The job as one JSON object.
    #[must_use]
    pub fn text(&self) -> String {
        json!(self).to_string()
    }

    /// A hash of the job, the same on every machine.
    #[must_use]
    pub fn digest(&self) -> u64 {
        xxh3_64(self.text().as_bytes())
    }

    /// The options as they are given to a game.
    #[must_use]
    pub fn chosen(&self) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        self.options.iter().map(|(name, value)| (name.clone(), text(value))).collect()
    }

    /// Refuses a game whose rules are not those that were meant: a text that they use may be another one here.
    pub fn fits(&self, game: &Game) -> Result<(), JobError> {
        let meant = self.job.about.get("rules_hash").and_then(Value::as_str);
        if meant == Some(game.rules_hash().as_str()) { Ok(()) } else { Err(JobError::OtherRules) }
    }
}

/// What every answer about a job says first.
#[must_use]
pub fn about(verb: &str, name: &str, game: &Game, seed: u64) -> Map<String, Value> {
    let fields = [
        ("ludwright", json!(VERSION)),
        ("command", json!(verb)),
        ("game", json!(name)),
        ("ruleset", json!(game.rules().ruleset)),
        ("options", Value::Object(settings(game))),
        ("rules_hash", json!(game.rules_hash())),
        ("seed", json!(seed)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The options of a game by name, as JSON values.
#[must_use]
pub fn settings(game: &Game) -> Map<String, Value> {
    let rules = game.rules();
    let value = |setting: &Setting| match setting {
        Setting::Number(number) => json!(number),
        Setting::Choice(id) => json!(rules.choice(*id)),
    };
    rules.settings.iter().map(|(name, setting)| (name.clone(), value(setting))).collect()
}
