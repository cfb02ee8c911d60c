//! How many positions a game has: all of them counted where there are few, else between what was seen and what can be put
//! on the board and in the numbers that are tracked.

use super::Measure;
use crate::engine::{Engine, Play};
use crate::game::Game;
use crate::rules::Type;
use crate::study::estimate::Estimate;
use crate::study::halt::Halt;
use crate::study::playout::{Dice, generator};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// Games with more positions are not counted out.
const COUNTED: usize = 100_000;

/// So many random games show how many positions there are at least.
const GAMES: u64 = 500;

/// How many positions a game has.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// All of them were counted.
    Counted(u64),
    /// So many were seen in random games, and there are no more than ways to put pieces on the board and
    /// numbers in what is tracked.
    Between {
        /// How many were seen.
        seen: u64,
        /// In how many games.
        games: u64,
        /// The logarithm of these ways.
        arrangements: f64,
    },
}

/// The size of the state space.
#[must_use]
pub fn space(game: &Game, seed: u64, halt: Halt<'_>) -> Space {
    let mut player = game.player(Engine::Fast);
    let numbers = tracked(game);
    if let Some(count) = all(player.as_mut(), &numbers, halt) {
        return Space::Counted(count as u64);
    }
    let (seen, games) = seen(game, &numbers, seed, halt);
    Space::Between { seen: seen as u64, games, arrangements: arrangements(game) }
}

impl Space {
    /// The same as a measure.
    #[must_use]
    pub fn measure(self) -> Measure {
        let measure = |estimate, games, players: &str, about| Measure {
            name: "state_space_log10",
            estimate: Some(estimate),
            games,
            players: players.to_owned(),
            unit: "log10",
            about,
        };
        match self {
            Self::Counted(count) => {
                let value = (count.max(1) as f64).log10();
                let all = Estimate { value, low: value, high: value };
                measure(all, 0, "every line of play", "positions, all of them counted")
            }
            Self::Between { seen, games, arrangements: high } => {
                let low = (seen.max(1) as f64).log10();
                let bounds = Estimate { value: high, low: low.min(high), high };
                measure(
                    bounds,
                    games,
                    "random moves",
                    "arrangements of pieces and tracked numbers; at least as many as were seen",
                )
            }
        }
    }
}

/// Every position that can be reached, if they are few.
fn all(player: &mut dyn Play, numbers: &[Range<usize>], halt: Halt<'_>) -> Option<usize> {
    player.reset();
    let mut known = HashSet::from([player.hash()]);
    let mut boards = HashSet::from([board(player, numbers)]);
    let mut open = vec![(player.count(), 0)];
    while let Some((count, next)) = open.last_mut() {
        if next == count {
            open.pop();
            if !open.is_empty() {
                player.pop();
            }
            continue;
        }
        let index = *next;
        *next += 1;
        player.push();
        player.play(index);
        if let Some(stopped) = player.over().and_then(|_| player.stopped()) {
            halt.give_up(stopped);
            return None;
        }
        if known.insert(player.hash()) {
            boards.insert(board(player, numbers));
            open.push((player.count(), 0));
        } else {
            player.pop();
        }
        if known.len() > COUNTED || open.len() > COUNTED / 100 || known.len().is_multiple_of(1 << 10) && halt.is_set() {
            return None;
        }
    }
    Some(boards.len())
}

/// Where the numbers that the rules track stand in what is remembered.
fn tracked(game: &Game) -> Vec<Range<usize>> {
    let rules = game.rules();
    let mut from = 0;
    let mut places = Vec::new();
    for memory in &rules.memories {
        let to = from + memory.scope.entries(rules, rules.board.len());
        if memory.declared && memory.ty == Type::Number {
            places.push(from..to);
        }
        from = to;
    }
    places
}

/// What stands where, the numbers that are tracked, and who is to move. Two states of a game may differ in what is remembered
/// beside.
fn board(player: &dyn Play, numbers: &[Range<usize>]) -> u64 {
    let state = player.snapshot();
    let mut hasher = DefaultHasher::new();
    (player.over().is_none().then_some(state.mover), &state.contents, &state.beneath).hash(&mut hasher);
    for places in numbers {
        state.memory.get(places.clone()).hash(&mut hasher);
    }
    hasher.finish()
}

/// How many different positions random games come to, and how many games these were.
fn seen(game: &Game, numbers: &[Range<usize>], seed: u64, halt: Halt<'_>) -> (usize, u64) {
    let mut player = game.player(Engine::Fast);
    let mut known = HashSet::new();
    let mut games = 0;
    while games < GAMES && !halt.is_set() {
        player.reset();
        let mut dice = Dice::new(generator(seed, games));
        player.playout_told(&mut dice, 1_000, &mut |player, _| {
            known.insert(board(player, numbers));
        });
        if let Some(stopped) = player.stopped() {
            halt.give_up(stopped);
            break;
        }
        known.insert(board(player.as_ref(), numbers));
        games += 1;
    }
    (known.len(), games)
}

/// The logarithm of the number of ways to put something or nothing on every site, and a number wherever one is tracked.
fn arrangements(game: &Game) -> f64 {
    let rules = game.rules();
    let pieces: usize = rules.kinds.iter().map(|kind| if kind.neutral { 1 } else { rules.players.len() }).sum();
    let sites = rules.board.len();
    let numbers = rules.memories.iter().filter(|memory| memory.declared).filter_map(|memory| {
        let (low, high) = memory.range?;
        Some(memory.scope.entries(rules, sites) as f64 * (high.abs_diff(low) as f64 + 1.0).log10())
    });
    sites as f64 * ((1 + pieces) as f64).log10() + numbers.sum::<f64>()
}
