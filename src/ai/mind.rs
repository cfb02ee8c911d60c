//! A program at a seat: it looks at a game and chooses a move, and may keep what it has thought for the next one.

use super::agent::Agent;
use crate::play::Line;
use crate::run::playout::{generator, pick};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::atomic::AtomicBool;

/// What a program has come to think of a position.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Thought {
    /// The number of the legal move that it would play.
    pub index: usize,
    /// The result that the mover may expect: 1 for a win, 0 for a loss.
    pub value: f64,
    /// Whether that is certain.
    pub proven: bool,
    /// Simulated games, or positions for alpha-beta.
    pub rounds: u64,
    /// Plies played in them.
    pub plies: u64,
    /// The moves that were looked at, best first; empty for programs that do not weigh.
    pub candidates: Vec<Candidate>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Candidate {
    /// The number of the legal move.
    pub index: usize,
    pub rounds: u64,
    pub value: f64,
}

/// A program at a seat of one game.
#[derive(Debug)]
pub struct Mind {
    agent: Agent,
    generator: Xoshiro256PlusPlus,
}

impl Mind {
    #[must_use]
    pub fn new(agent: Agent, seed: u64) -> Self {
        Self { agent, generator: generator(seed, 0) }
    }

    #[must_use]
    pub fn agent(&self) -> Agent {
        self.agent
    }

    /// The move to play in the position of a line; none when the game is over. `report` is told now and then how far the
    /// thinking is, from 0 to 1, and what it has come to; when `stop` is set the best so far is the answer.
    pub fn think(&mut self, line: &Line, stop: &AtomicBool, report: &mut dyn FnMut(f64, &Thought)) -> Option<Thought> {
        let _ = (stop, report);
        let index = pick(line.position().move_count(), &mut self.generator)?;
        Some(Thought { index, value: 0.5, ..Thought::default() })
    }
}
