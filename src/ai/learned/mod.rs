//! Evaluations that were learnt by playing, with the weights that stand in a file: what sits at the seat `learned`.

pub mod explain;
pub mod file;
mod shape;
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

static KNOWN: Mutex<Vec<(String, Arc<Weights>)>> = Mutex::new(Vec::new());

/// From now on `learned` plays games of these rules with these weights.
pub(crate) fn install(rules_hash: &str, weights: Arc<Weights>) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|(hash, _)| hash != rules_hash);
    if known.len() >= MOST {
        known.remove(0);
    }
    known.push((rules_hash.to_owned(), weights));
}

/// The weights for a game, if it has any here.
pub(crate) fn of(game: &Game) -> Option<Arc<Weights>> {
    let hash = game.rules_hash();
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.iter().find(|(known, _)| *known == hash).map(|(_, weights)| Arc::clone(weights))
}

/// Whether `learned` can play a game in this process.
#[must_use]
pub fn is_ready(game: &Game) -> bool {
    of(game).is_some()
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
