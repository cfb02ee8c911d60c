//! Weights as a file: a line that says what it is, a line of JSON with what is known of the training, the weights, and a sum
//! over all of it. A whole file has every weight that was told anything, with what a training needs to go on; a light one has
//! the weights in steps of one size, packed, and is enough to play.

use super::shape::Shape;
use super::weights::{Weight, Weights};
use crate::game::Game;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_64;

/// The first line of a whole file and of a light one. Another layout gets another number.
const WHOLE: &str = "ludwright weights 1\n";
const LIGHT: &str = "ludwright light weights 1\n";

/// Weights of a light file are whole numbers of steps that are no finer than this, as odds.
const FINEST: f32 = 1.0 / 64.0;

/// How hard it is tried to pack them well, from 0 to 10.
const PACKED: u8 = 10;

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
    /// How large the steps of a light file are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    step: Option<f32>,
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
    /// A training cannot go on from it.
    #[error("it is light: it has what is needed to play, and not what a training needs to go on")]
    Light,
}

impl WeightsError {
    /// What can be done.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::Foreign | Self::Damaged => "`ludwright train` writes such files; train once more",
            Self::OtherGame(_) => "weights fit the rules and options that they were trained for, and no others",
            Self::Light => "go on from the file that it was made of with `--light`, or train once more",
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

/// The bytes of a whole file.
#[must_use]
pub(crate) fn written(facts: &Facts, weights: &Weights) -> Vec<u8> {
    let count = weights.each().count() as u64;
    let mut bytes =
        begun(WHOLE, &Facts { patterns: weights.shape.hash(), weights: count, step: None, ..facts.clone() });
    for weight in weights.each() {
        bytes.extend(u32::try_from(weight.index).unwrap_or(u32::MAX).to_le_bytes());
        for number in [weight.value, weight.told, weight.moved] {
            bytes.extend(number.to_le_bytes());
        }
    }
    summed(bytes)
}

/// The bytes of a light file.
#[must_use]
pub(crate) fn light(facts: &Facts, weights: &Weights) -> Vec<u8> {
    let largest = weights.each().fold(0.0f32, |most, weight| most.max(weight.value.abs()));
    let step = (largest / f32::from(i8::MAX)).max(FINEST);
    let mut steps = vec![0; weights.shape.weights()];
    for weight in weights.each() {
        if let Some(to) = steps.get_mut(weight.index) {
            *to = (weight.value / step).round() as i8 as u8;
        }
    }
    let count = steps.len() as u64;
    let facts = Facts { patterns: weights.shape.hash(), weights: count, step: Some(step), ..facts.clone() };
    let mut bytes = begun(LIGHT, &facts);
    bytes.extend(compress_to_vec(&steps, PACKED));
    summed(bytes)
}

/// The first two lines.
fn begun(head: &str, facts: &Facts) -> Vec<u8> {
    let mut bytes = head.as_bytes().to_vec();
    bytes.extend(serde_json::to_vec(facts).unwrap_or_default());
    bytes.push(b'\n');
    bytes
}

fn summed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.extend(xxh3_64(&bytes).to_le_bytes());
    bytes
}

/// A file taken apart.
struct Parts<'b> {
    facts: Facts,
    is_light: bool,
    /// What stands between the facts and the sum.
    rest: &'b [u8],
}

impl<'b> Parts<'b> {
    fn of(bytes: &'b [u8]) -> Result<Self, WeightsError> {
        let known = [(WHOLE, false), (LIGHT, true)];
        let head = known.into_iter().find(|(head, _)| bytes.starts_with(head.as_bytes()));
        let (head, is_light) = head.ok_or(WeightsError::Foreign)?;
        let (whole, sum) = bytes.split_last_chunk::<SUM>().ok_or(WeightsError::Damaged)?;
        if xxh3_64(whole) != u64::from_le_bytes(*sum) {
            return Err(WeightsError::Damaged);
        }
        let rest = whole.get(head.len()..).ok_or(WeightsError::Damaged)?;
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or(WeightsError::Damaged)?;
        let (line, rest) = rest.split_at(end);
        let facts = serde_json::from_slice(line).map_err(|_| WeightsError::Foreign)?;
        Ok(Self { facts, is_light, rest: rest.get(1..).unwrap_or_default() })
    }

    fn weights(&self, game: &Game) -> Result<Weights, WeightsError> {
        if self.facts.rules_hash != game.rules_hash() {
            return Err(WeightsError::OtherGame(self.facts.subject()));
        }
        let shape = Shape::of(game, self.facts.seed);
        if shape.hash() != self.facts.patterns {
            return Err(WeightsError::Foreign);
        }
        let weights = Weights::new(shape);
        let read = if self.is_light { self.unpacked(weights) } else { self.each(weights) };
        read.ok_or(WeightsError::Damaged)
    }

    fn each(&self, mut weights: Weights) -> Option<Weights> {
        let (records, none) = self.rest.as_chunks::<RECORD>();
        let fits = none.is_empty() && records.len() as u64 == self.facts.weights;
        let read = fits && records.iter().all(|record| weight(record).is_some_and(|weight| weights.put(weight)));
        read.then_some(weights)
    }

    fn unpacked(&self, mut weights: Weights) -> Option<Weights> {
        let count = weights.shape.weights();
        let step = self.facts.step.filter(|step| step.is_finite() && self.facts.weights == count as u64)?;
        let steps = decompress_to_vec_with_limit(self.rest, count).ok().filter(|steps| steps.len() == count)?;
        let of = |byte: u8| f32::from(byte as i8) * step;
        let all = steps.into_iter().enumerate().filter(|(_, byte)| *byte != 0);
        let mut put = all.map(|(index, byte)| weights.put(Weight { index, value: of(byte), told: 0.0, moved: 1.0 }));
        put.all(|fits| fits).then_some(weights)
    }
}

/// What is known of the training that a file comes from, whatever game it is for.
pub(crate) fn facts(bytes: &[u8]) -> Result<Facts, WeightsError> {
    Ok(Parts::of(bytes)?.facts)
}

/// What stands in a file, for a game that it must fit.
pub(crate) fn read(bytes: &[u8], game: &Game) -> Result<(Facts, Weights), WeightsError> {
    let parts = Parts::of(bytes)?;
    let weights = parts.weights(game)?;
    Ok((parts.facts, weights))
}

/// The same for a training that goes on.
pub(crate) fn resumed(bytes: &[u8], game: &Game) -> Result<(Facts, Weights), WeightsError> {
    let parts = Parts::of(bytes)?;
    if parts.is_light {
        return Err(WeightsError::Light);
    }
    let weights = parts.weights(game)?;
    Ok((parts.facts, weights))
}

fn weight(record: &[u8; RECORD]) -> Option<Weight> {
    let (numbers, _) = record.as_chunks::<4>();
    let [index, value, told, moved] = numbers else { return None };
    let index = usize::try_from(u32::from_le_bytes(*index)).ok()?;
    let [value, told, moved] = [value, told, moved].map(|number| f32::from_le_bytes(*number));
    Some(Weight { index, value, told, moved })
}
