//! Training: a program learns a game by playing against itself (temporal differences; R. Sutton, *Learning to predict by the
//! methods of temporal differences*, 1988), until a match at equal time says that it is stronger than tree search, or the
//! time is over.

mod lesson;
mod proof;

pub use super::learned::file::Proof;
use super::learned::{Facts, Shape, Weights, WeightsError, file};
use crate::game::Game;
use crate::study::halt::Halt;
use crate::study::series::in_order;
use lesson::{Lesson, Pupil};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Games that are played with the same weights before anything is learnt from them: that is why weights do not depend on the
/// number of threads.
const BATCH: u64 = 32;

/// When matches are played, as shares of the time, and how long each may take.
const MATCHES: [(f64, f64); 3] = [(0.3, 0.12), (0.55, 0.15), (0.8, 0.2)];

/// How far a training is to go.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// As long as this, with matches in between; none for no matches.
    pub time: Option<Duration>,
    /// So many games more; none for as many as the time allows.
    pub games: Option<u64>,
    /// On how many threads. The weights do not depend on it, if games are counted.
    pub threads: usize,
}

/// How far it is.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Progress {
    /// Games by now.
    pub games: u64,
    /// Their plies, on average, of the last batch.
    pub length: f64,
    /// How far what was foretold was off, on average, in the last batch.
    pub error: f32,
    /// The share of the plan that is done.
    pub done: f64,
    /// What the last match came to.
    pub proof: Option<Proof>,
    /// A match has just ended.
    pub is_match: bool,
}

/// Why a game cannot be learnt.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TrainError {
    /// It is not for two.
    #[error("training is for games of two players, and this one has {0}")]
    Players(usize),
    /// It would take too much memory.
    #[error("the board has more patterns than there is room for")]
    Room,
}

/// More weights take more memory than anybody expects of such a program.
const MOST_WEIGHTS: usize = 40_000_000;

/// A training in progress.
pub struct Trainer {
    game: Game,
    facts: Facts,
    weights: Weights,
}

impl Trainer {
    /// One that has not begun.
    pub fn new(name: &str, game: &Game, options: Map<String, Value>, seed: u64) -> Result<Self, TrainError> {
        let players = game.rules().players.len();
        if players != 2 {
            return Err(TrainError::Players(players));
        }
        let shape = Shape::of(game, seed);
        if shape.weights() > MOST_WEIGHTS {
            return Err(TrainError::Room);
        }
        Ok(Self { game: game.clone(), facts: Facts::new(name, game, options, seed), weights: Weights::new(shape) })
    }

    /// One that goes on from a file.
    pub fn resumed(bytes: &[u8], game: &Game) -> Result<Self, WeightsError> {
        let (facts, weights) = file::resumed(bytes, game)?;
        Ok(Self { game: game.clone(), facts, weights })
    }

    /// What was learnt, from any file, to be looked at.
    pub fn read(bytes: &[u8], game: &Game) -> Result<Self, WeightsError> {
        let (facts, weights) = file::read(bytes, game)?;
        Ok(Self { game: game.clone(), facts, weights })
    }

    /// What is known of it.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The file that keeps it.
    #[must_use]
    pub fn written(&self) -> Vec<u8> {
        file::written(&self.facts, &self.weights)
    }

    /// A file that is enough to play, many times smaller; a training cannot go on from it.
    #[must_use]
    pub fn light(&self) -> Vec<u8> {
        file::light(&self.facts, &self.weights)
    }

    /// The weights, to be explained.
    #[must_use]
    pub fn explained(&self, most: usize) -> Vec<super::learned::explain::Feature> {
        super::learned::explain::heaviest(&self.game, &self.weights, most)
    }

    /// How many symmetries share each weight, and whether both players do.
    #[must_use]
    pub fn sharing(&self) -> (usize, bool) {
        self.weights.shape.sharing()
    }

    /// How many patterns a position is looked at by, and how many weights there are.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.weights.shape.patterns.len(), self.weights.shape.weights())
    }

    /// Plays and learns until the plan is done, a match is won for certain, or somebody says halt.
    pub fn run(&mut self, plan: Plan, halt: Halt<'_>, told: &mut dyn FnMut(&Progress)) {
        let began = Instant::now();
        let last = plan.games.map(|games| self.facts.games.saturating_add(games));
        if let Some(time) = plan.time {
            self.facts.minutes = Some(self.facts.minutes.unwrap_or(0.0) + time.as_secs_f64() / 60.0);
        }
        let mut progress = Progress { games: self.facts.games, proof: self.facts.proof.clone(), ..Progress::default() };
        let mut matches = MATCHES.iter().zip(1..);
        let mut next = matches.next().filter(|_| plan.time.is_some());
        let halt = plan.time.map_or(halt, |time| halt.by(began + time));
        while !halt.is_set() {
            let share = plan.time.map_or(0.0, |time| began.elapsed().as_secs_f64() / time.as_secs_f64());
            let done = last.is_some_and(|last| self.facts.games >= last);
            if let (Some(((_, most), attempt)), Some(time)) =
                (next.filter(|((at, _), _)| done || share >= *at), plan.time)
            {
                let proof = proof::play(
                    &self.game,
                    &self.copy(),
                    time.mul_f64(*most),
                    plan.threads,
                    halt,
                    progress.length,
                    attempt,
                );
                next = matches.next();
                let accepted = proof.accepted;
                progress.proof = Some(proof.clone());
                self.facts.proof = Some(proof);
                told(&Progress { is_match: true, done: share, ..progress.clone() });
                if accepted {
                    return;
                }
                continue;
            }
            if done {
                return;
            }
            let left = last.map_or(BATCH, |last| last - self.facts.games).min(BATCH);
            if !self.batch(left, plan.threads, halt, &mut progress) {
                return;
            }
            let counted = plan
                .games
                .zip(last)
                .map_or(0.0, |(games, last)| 1.0 - (last - self.facts.games) as f64 / games.max(1) as f64);
            progress.done = counted.max(share);
            told(&progress);
        }
    }

    /// The weights as they are now, for a match.
    fn copy(&self) -> Arc<Weights> {
        Arc::new(self.weights.clone())
    }

    /// Some games with the same weights, and what is learnt from them; false if it was halted before all were played.
    fn batch(&mut self, games: u64, threads: usize, halt: Halt<'_>, progress: &mut Progress) -> bool {
        let first = self.facts.games;
        let (game, weights, seed) = (&self.game, &self.weights, self.facts.seed);
        let mut lessons: Vec<Lesson> = Vec::new();
        let worker = || {
            let mut pupil = Pupil::new(game, weights);
            move |number: u64| (!halt.is_set()).then(|| pupil.play(seed, number))
        };
        in_order(first..first + games, threads, &worker, &mut |lesson| {
            lessons.push(lesson);
            true
        });
        let whole = lessons.len() as u64 == games;
        let (mut error, mut plies, mut count) = (0.0, 0, 0u32);
        for lesson in lessons {
            plies += lesson.plies();
            lesson.learn(&mut self.weights, &mut |off| {
                error += off;
                count += 1;
            });
            self.facts.games += 1;
        }
        self.facts.plies += plies;
        progress.games = self.facts.games;
        progress.length = plies as f64 / games.max(1) as f64;
        progress.error = error / count.max(1) as f32;
        whole
    }
}
