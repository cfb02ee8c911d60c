//! Weights as a file: a line that says what it is, a line of JSON with what is known of the training, every weight that was
//! told anything, and a sum over all of it.

use super::shape::Shape;
use super::weights::{Weight, Weights};
use crate::game::Game;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_64;

/// The first line. Another layout gets another number.
const HEAD: &str = "ludwright weights 1\n";

/// The numbers of one weight: where it stands, and three of its own.
const RECORD: usize = 16;

/// Bytes of the sum.
const SUM: usize = 8;

/// What is known of a training.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Facts {
    /// What the game was called.
    pub game: String,
    /// Its ruleset, if one was chosen.
    pub ruleset: Option<String>,
    /// Its options.
    pub options: Map<String, Value>,
    /// Of the rules with all options resolved.
    pub rules_hash: String,
    /// What all chance of the training came from.
    pub seed: u64,
    /// Games played against itself.
    pub games: u64,
    /// Their plies.
    pub plies: u64,
    /// Minutes that were asked for, all in all; none where games were.
    pub minutes: Option<f64>,
    /// What the last match came to, if there was one.
    pub proof: Option<Proof>,
    /// Another number where other patterns are looked at.
    patterns: u64,
    /// How many weights follow.
    weights: u64,
}

/// A match of what was learnt against `mcts` with the same time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Proof {
    /// Whether the test says that what was learnt is the stronger one.
    pub accepted: bool,
    /// Against whom, with the time for a ply.
    pub against: String,
    /// Games played.
    pub games: u64,
    /// Pairs of games by half points, from 0 to 4.
    pub pairs: [u64; 5],
    /// The share of the points.
    pub score: f64,
    /// The difference in Elo and its 95 % interval.
    pub elo: f64,
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Which match of the training this was, from 1.
    pub attempt: u64,
}

/// Why a file is of no use.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WeightsError {
    /// It is something else, or was written by another version.
    #[error("it is no file of weights that this version can read")]
    Foreign,
    /// Some of it is missing or was changed.
    #[error("it is damaged")]
    Damaged,
    /// It belongs to other rules.
    #[error("it was trained for {0}")]
    OtherGame(String),
}

impl WeightsError {
    /// What can be done.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::Foreign | Self::Damaged => "`ludwright train` writes such files; train once more",
            Self::OtherGame(_) => "weights fit the rules and options that they were trained for, and no others",
        }
    }
}

impl Facts {
    /// Those of a training that has not begun.
    #[must_use]
    pub fn new(name: &str, game: &Game, options: Map<String, Value>, seed: u64) -> Self {
        Self {
            game: name.to_owned(),
            ruleset: game.rules().ruleset.clone(),
            options,
            rules_hash: game.rules_hash(),
            seed,
            ..Self::default()
        }
    }

    /// The game with its options, as people say it.
    fn subject(&self) -> String {
        let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let options: Vec<String> = self.options.iter().map(|(name, of)| format!("{name}={}", value(of))).collect();
        if options.is_empty() { self.game.clone() } else { format!("{} with {}", self.game, options.join(", ")) }
    }
}

/// The bytes of a file.
#[must_use]
pub(crate) fn written(facts: &Facts, weights: &Weights) -> Vec<u8> {
    let count = weights.each().count();
    let facts = Facts { patterns: weights.shape.hash(), weights: count as u64, ..facts.clone() };
    let mut bytes = HEAD.as_bytes().to_vec();
    bytes.extend(serde_json::to_vec(&facts).unwrap_or_default());
    bytes.push(b'\n');
    for weight in weights.each() {
        bytes.extend(u32::try_from(weight.index).unwrap_or(u32::MAX).to_le_bytes());
        for number in [weight.value, weight.told, weight.moved] {
            bytes.extend(number.to_le_bytes());
        }
    }
    bytes.extend(xxh3_64(&bytes).to_le_bytes());
    bytes
}

/// What stands in a file, for a game that it must fit.
pub(crate) fn read(bytes: &[u8], game: &Game) -> Result<(Facts, Weights), WeightsError> {
    let rest = bytes.strip_prefix(HEAD.as_bytes()).ok_or(WeightsError::Foreign)?;
    let (whole, sum) = bytes.split_last_chunk::<SUM>().ok_or(WeightsError::Damaged)?;
    if xxh3_64(whole) != u64::from_le_bytes(*sum) {
        return Err(WeightsError::Damaged);
    }
    let end = rest.iter().position(|byte| *byte == b'\n').ok_or(WeightsError::Damaged)?;
    let (line, rest) = rest.split_at(end);
    let facts: Facts = serde_json::from_slice(line).map_err(|_| WeightsError::Foreign)?;
    if facts.rules_hash != game.rules_hash() {
        return Err(WeightsError::OtherGame(facts.subject()));
    }
    let shape = Shape::of(game, facts.seed);
    if shape.hash() != facts.patterns {
        return Err(WeightsError::Foreign);
    }
    let records = rest.get(1..rest.len().saturating_sub(SUM)).ok_or(WeightsError::Damaged)?;
    if records.len() as u64 != facts.weights.saturating_mul(RECORD as u64) {
        return Err(WeightsError::Damaged);
    }
    let mut weights = Weights::new(shape);
    let (records, _) = records.as_chunks::<RECORD>();
    if records.iter().all(|record| weight(record).is_some_and(|weight| weights.put(weight))) {
        Ok((facts, weights))
    } else {
        Err(WeightsError::Damaged)
    }
}

fn weight(record: &[u8; RECORD]) -> Option<Weight> {
    let (numbers, _) = record.as_chunks::<4>();
    let [index, value, told, moved] = numbers else { return None };
    let index = usize::try_from(u32::from_le_bytes(*index)).ok()?;
    let [value, told, moved] = [value, told, moved].map(|number| f32::from_le_bytes(*number));
    Some(Weight { index, value, told, moved })
}
