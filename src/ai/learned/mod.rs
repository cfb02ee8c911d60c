//! Evaluations that were learnt by playing, with the weights that stand in a file: what sits at the seat `learned`.

pub mod explain;
pub mod file;
mod shape;
mod shipped;
mod weights;

pub use file::{Facts, WeightsError};
pub(crate) use shape::{Shape, Sight};
pub(crate) use weights::{Weights, share};

use super::minimax::Judge;
use crate::engine::Play;
use crate::game::Game;
use crate::rules::MAX_PLAYERS;
use std::sync::{Arc, Mutex, PoisonError};

/// Games whose weights are at hand in this process.
const MOST: usize = 8;

/// Weights by the hash of the rules that they are for.
struct Kept(Mutex<Vec<(String, Arc<Weights>)>>);

/// Weights from files, and those that ship with games.
static READ: Kept = Kept(Mutex::new(Vec::new()));
static SHIPPED: Kept = Kept(Mutex::new(Vec::new()));

impl Kept {
    fn get(&self, rules_hash: &str) -> Option<Arc<Weights>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|(hash, _)| hash == rules_hash).map(|(_, weights)| Arc::clone(weights))
    }

    fn put(&self, rules_hash: &str, weights: Arc<Weights>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(hash, _)| hash != rules_hash);
        if known.len() >= MOST {
            known.remove(0);
        }
        known.push((rules_hash.to_owned(), weights));
    }
}

/// From now on `learned` plays games of these rules with these weights.
pub(crate) fn install(rules_hash: &str, weights: Arc<Weights>) {
    READ.put(rules_hash, weights);
}

/// The weights for a game: those that were read, or else those that ship with it.
pub(crate) fn of(game: &Game) -> Option<Arc<Weights>> {
    READ.get(&game.rules_hash()).or_else(|| that_ship(game))
}

/// The weights that ship with a game, whatever was read.
pub(crate) fn that_ship(game: &Game) -> Option<Arc<Weights>> {
    let hash = game.rules_hash();
    SHIPPED.get(&hash).or_else(|| {
        let weights = Arc::new(shipped::read(&hash, game)?);
        SHIPPED.put(&hash, Arc::clone(&weights));
        Some(weights)
    })
}

/// Whether `learned` can play a game in this process.
#[must_use]
pub fn is_ready(game: &Game) -> bool {
    of(game).is_some()
}

/// What is known of the training of the weights that ship with a game, if any do.
#[must_use]
pub fn shipped(game: &Game) -> Option<Facts> {
    shipped::facts(&game.rules_hash()).cloned()
}

/// Judges positions by weights.
pub(crate) struct Reader {
    weights: Arc<Weights>,
    sight: Sight,
}

impl Reader {
    pub(crate) fn new(weights: Arc<Weights>) -> Self {
        Self { weights, sight: Sight::default() }
    }
}

impl Judge for Reader {
    fn odds(&mut self, play: &mut dyn Play) -> [f32; MAX_PLAYERS] {
        let first = self.weights.odds(play, &mut self.sight);
        let mut odds = [0.0; MAX_PLAYERS];
        [odds[0], odds[1]] = [first, -first];
        odds
    }

    /// Weights say nothing about single plies: nothing is passed over.
    fn margin(&self) -> f32 {
        f32::INFINITY
    }
}

/// Reads a file of weights: from now on `learned` plays this game by them.
pub fn load(bytes: &[u8], game: &Game) -> Result<(), WeightsError> {
    let (_, weights) = file::read(bytes, game)?;
    install(&game.rules_hash(), Arc::new(weights));
    Ok(())
}
