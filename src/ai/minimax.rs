//! Alpha-beta search, deeper and deeper; with more than two seats every seat takes what is best for itself (max-n).
//!
//! Positions that are no end are judged by score, else by the pieces on the board: this is for small games and for those in
//! which material counts.

use super::mind::Clock;
use super::world::{Values, World};
use crate::rules::MAX_PLAYERS;
use crate::study::playout::pick;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashMap;

/// Games end somewhere, but some only after very long.
const MAX_DEPTH: u32 = 512;

/// Positions that are remembered.
const MAX_KNOWN: usize = 2_000_000;

/// What is the best ply, as far as the search has come.
#[derive(Clone, Copy, Debug)]
pub struct Best {
    pub index: usize,
    /// What the seat that decides may expect.
    pub value: f32,
    /// Every way was followed to the end of the game.
    pub exact: bool,
    pub nodes: u64,
}

/// What is known of a position: its value lies between two bounds, as deep as was looked.
#[derive(Clone, Copy)]
struct Known {
    depth: u32,
    low: f32,
    high: f32,
    best: u32,
    exact: bool,
}

struct Search<'s, 'w, 'g> {
    world: &'s mut World<'w>,
    clock: &'s Clock<'g>,
    known: HashMap<u64, Known>,
    /// How often a ply has cut off the others, by its key: such plies are looked at first.
    history: HashMap<u64, u32>,
    nodes: u64,
    stopped: bool,
    /// No position was cut short since this was set.
    exact: bool,
}

/// The best ply at the marked position of a world.
pub fn search(world: &mut World<'_>, clock: &Clock<'_>, generator: &mut Xoshiro256PlusPlus) -> Best {
    world.player.reset();
    let seat = world.seat();
    let count = world.player.count();
    let mut best = Best { index: pick(count, generator).unwrap_or(0), value: 0.5, exact: false, nodes: 0 };
    let mut order: Vec<usize> = (0..count).collect();
    // Chance decides among equals.
    for at in (1..count).rev() {
        order.swap(at, pick(at + 1, generator).unwrap_or(at));
    }
    let mut search =
        Search { world, clock, known: HashMap::new(), history: HashMap::new(), nodes: 0, stopped: false, exact: true };
    for depth in 1..=MAX_DEPTH {
        search.exact = true;
        let Some((place, value)) = search.root(&order, seat, depth) else { break };
        let index = order.remove(place);
        order.insert(0, index);
        best = Best { index, value, exact: search.exact, nodes: search.nodes };
        if search.exact || search.stopped {
            break;
        }
    }
    search.world.player.reset();
    Best { nodes: search.nodes, ..best }
}

impl Search<'_, '_, '_> {
    /// The best of the root's plies, by place in the order, and its value for the seat; none if the time was over before
    /// this depth was done.
    fn root(&mut self, order: &[usize], seat: usize, depth: u32) -> Option<(usize, f32)> {
        let mut best: Option<(usize, f32)> = None;
        for (place, index) in order.iter().enumerate() {
            self.world.player.reset();
            self.world.player.play(*index);
            let value = if self.world.seats == 2 {
                // In terms of the first seat, as everywhere below.
                let bound = best.map_or(0.0, |(_, value)| value);
                let (low, high) = if seat == 0 { (bound, 1.0) } else { (0.0, 1.0 - bound) };
                let value = self.alpha_beta(depth - 1, low, high);
                if seat == 0 { value } else { 1.0 - value }
            } else {
                self.max_n(depth - 1)[seat]
            };
            if self.stopped {
                return None;
            }
            if best.is_none_or(|(_, known)| value > known) {
                best = Some((place, value));
            }
            if value >= 1.0 {
                break;
            }
        }
        best
    }

    fn visit(&mut self) {
        self.nodes += 1;
        // A clock takes longer to read than a position.
        if self.nodes.is_multiple_of(64) || self.nodes < 64 {
            self.stopped |= self.clock.is_over(self.nodes);
        }
    }

    /// How a position looks where the search ends.
    fn judge(&mut self) -> Values {
        let standing = self.world.standing();
        if standing.iter().any(|value| *value != 0.5) {
            return standing;
        }
        self.world.material()
    }

    /// What the first of two seats may expect, exactly if it lies between the bounds.
    fn alpha_beta(&mut self, depth: u32, mut low: f32, mut high: f32) -> f32 {
        self.visit();
        if let Some(values) = self.world.values() {
            return values[0];
        }
        if depth == 0 || self.stopped {
            self.exact = false;
            return self.judge()[0].clamp(0.001, 0.999);
        }
        if self.world.player.chance() {
            return self.expectation(depth, low, high);
        }
        let hash = (!self.world.player.looks_back()).then(|| self.world.player.hash());
        let known = hash.and_then(|hash| self.known.get(&hash).copied());
        if let Some(known) = known.filter(|known| known.depth >= depth || known.exact) {
            if known.low >= known.high || known.low >= high || known.high <= low {
                self.exact &= known.exact;
                return if known.low >= high { known.low } else { known.high };
            }
            (low, high) = (low.max(known.low), high.min(known.high));
        }
        let first = self.world.seat() == 0;
        let (from, to) = (low, high);
        let outer = std::mem::replace(&mut self.exact, true);
        let mut best = (if first { f32::NEG_INFINITY } else { f32::INFINITY }, 0);
        for index in self.ordered(known.map(|known| known.best)) {
            self.world.player.push();
            self.world.player.play(index);
            let value = self.alpha_beta(depth - 1, low, high);
            self.world.player.pop();
            if self.stopped {
                break;
            }
            if first && value > best.0 || !first && value < best.0 {
                best = (value, index);
            }
            if first {
                low = low.max(value);
            } else {
                high = high.min(value);
            }
            if low >= high {
                let key = self.world.player.key(index);
                *self.history.entry(key).or_default() += depth * depth;
                break;
            }
        }
        if let Some(hash) = hash.filter(|_| !self.stopped && self.known.len() < MAX_KNOWN) {
            let bounds = if best.0 <= from {
                (0.0, best.0)
            } else if best.0 >= to {
                (best.0, 1.0)
            } else {
                (best.0, best.0)
            };
            let exact = self.exact;
            self.known.insert(hash, Known { depth, low: bounds.0, high: bounds.1, best: best.1 as u32, exact });
        }
        self.exact &= outer;
        best.0.clamp(0.0, 1.0)
    }

    /// What the first of two seats may expect where chance decides, exactly if it lies between the bounds. An outcome need be
    /// known only as far as the others leave the mean within them (B. Ballard, *The \*-minimax search procedure*, 1983).
    fn expectation(&mut self, depth: u32, low: f32, high: f32) -> f32 {
        let weights: Vec<u32> = (0..self.world.player.count()).map(|index| self.world.player.weight(index)).collect();
        let all = weights.iter().map(|weight| *weight as f32).sum::<f32>();
        let (mut sum, mut rest) = (0.0, all);
        for (index, weight) in weights.into_iter().enumerate() {
            let weight = weight as f32;
            rest -= weight;
            let from = ((low * all - sum - rest) / weight).max(0.0);
            let to = ((high * all - sum) / weight).min(1.0);
            self.world.player.push();
            self.world.player.play(index);
            let value = self.alpha_beta(depth - 1, from, to);
            self.world.player.pop();
            if self.stopped {
                return 0.5;
            }
            sum += weight * value;
            if from > 0.0 && value <= from {
                return ((sum + rest) / all).min(low);
            }
            if to < 1.0 && value >= to {
                return (sum / all).max(high);
            }
        }
        sum / all
    }

    /// The plies, those first that promise most.
    fn ordered(&mut self, best: Option<u32>) -> Vec<usize> {
        let count = self.world.player.count();
        let mut ranked: Vec<(u32, usize)> = (0..count)
            .map(|index| {
                let key = self.world.player.key(index);
                let rank =
                    if best == Some(index as u32) { u32::MAX } else { self.history.get(&key).copied().unwrap_or(0) };
                (rank, index)
            })
            .collect();
        ranked.sort_by_key(|(rank, index)| (std::cmp::Reverse(*rank), *index));
        ranked.into_iter().map(|(_, index)| index).collect()
    }

    /// What every seat may expect where each does what is best for itself.
    fn max_n(&mut self, depth: u32) -> Values {
        self.visit();
        if let Some(values) = self.world.values() {
            return values;
        }
        if depth == 0 || self.stopped {
            self.exact = false;
            return self.judge();
        }
        if self.world.player.chance() {
            return self.mean(depth);
        }
        let seat = self.world.seat();
        let mut best: Option<Values> = None;
        for index in 0..self.world.player.count() {
            self.world.player.push();
            self.world.player.play(index);
            let values = self.max_n(depth - 1);
            self.world.player.pop();
            if best.is_none_or(|best| values[seat] > best[seat]) {
                best = Some(values);
            }
            if self.stopped || values[seat] >= 1.0 {
                break;
            }
        }
        best.unwrap_or([0.5; MAX_PLAYERS])
    }

    /// What every seat may expect where chance decides.
    fn mean(&mut self, depth: u32) -> Values {
        let (mut sum, mut all) = ([0.0; MAX_PLAYERS], 0.0);
        for index in 0..self.world.player.count() {
            let weight = self.world.player.weight(index) as f32;
            self.world.player.push();
            self.world.player.play(index);
            let values = self.max_n(depth - 1);
            self.world.player.pop();
            all += weight;
            sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
        }
        sum.map(|sum| sum / all)
    }
}
