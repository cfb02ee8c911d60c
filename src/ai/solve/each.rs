//! What each seat comes to where more than two play, or chance does: to the end of the game at once.

use super::{MAX_DEPTH, Missing, Solution, Solver, Way};
use crate::game::Line;
use crate::rules::MAX_PLAYERS;
use std::collections::HashMap;

/// A table of positions takes no more bytes than this for each, also while it grows: two numbers beside the results, and
/// room for four times as many.
const ROOM: usize = 4 * (size_of::<u64>() + size_of::<Expected>());

impl Solver<'_> {
    /// Why a position cannot be looked at, with so many that are known.
    fn lacking(&self, key: u64, known: usize) -> Option<Missing> {
        if self.is_over() {
            Some(self.out_of())
        } else if known.saturating_mul(ROOM) >= self.bytes {
            Some(Missing::Memory)
        } else if self.path.len() >= MAX_DEPTH {
            Some(Missing::Depth)
        } else {
            self.path.contains(&key).then_some(Missing::Circles)
        }
    }

    fn each_comes_to(&self, values: Option<Vec<f32>>, moves: Vec<String>, bytes: usize) -> Solution {
        Solution { values, moves, missing: self.missing, ..Solution::by(Way::Search, self.nodes, bytes) }
    }
}

/// What every seat comes to, and the ply that leads there; none where chance decides, or the game is over.
type Expected = ([f64; MAX_PLAYERS], Option<usize>);

impl Solver<'_> {
    /// With more seats than two, or where chance plays a part: every seat does what is best for itself, and chance is worth its
    /// mean.
    pub fn expected(&mut self, line: &Line) -> Solution {
        let mut known = HashMap::new();
        self.world.player.reset();
        let values = self.expect(&mut known).map(|(values, _)| values);
        let moves = if values.is_some() { self.until_chance(line, &known) } else { Vec::new() };
        let seats = self.world.seats;
        let values = values.map(|values| values.iter().take(seats).map(|value| *value as f32).collect());
        self.each_comes_to(values, moves, known.len() * ROOM)
    }

    /// None when there is no more time, or where positions return.
    fn expect(&mut self, known: &mut HashMap<u64, Expected>) -> Option<Expected> {
        self.nodes += 1;
        if let Some(values) = self.world.values() {
            return Some((values.map(f64::from), None));
        }
        let key = self.key();
        if let Some(expected) = known.get(&key) {
            return Some(*expected);
        }
        self.missing = self.missing.or_else(|| self.lacking(key, known.len()));
        if self.missing.is_some() {
            return None;
        }
        let chance = self.world.player.chance();
        let seat = self.world.seat();
        let (mut best, mut sum, mut all): (Option<Expected>, _, _) = (None, [0.0; MAX_PLAYERS], 0.0);
        for index in 0..self.world.player.count() {
            let weight = if chance { f64::from(self.world.player.weight(index)) } else { 0.0 };
            self.world.player.push();
            self.path.push(key);
            self.world.player.play(index);
            let values = self.expect(known);
            self.path.pop();
            self.world.player.pop();
            let (values, _) = values?;
            all += weight;
            sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
            if best.is_none_or(|(best, _)| values[seat] > best[seat]) {
                best = Some((values, Some(index)));
            }
            if !chance && values[seat] >= 1.0 {
                break;
            }
        }
        let expected = if chance { (sum.map(|sum| sum / all), None) } else { best? };
        known.insert(key, expected);
        Some(expected)
    }

    /// Play from the marked position that keeps to its value, up to where chance decides.
    fn until_chance(&mut self, line: &Line, known: &HashMap<u64, Expected>) -> Vec<String> {
        self.world.player.reset();
        self.path.clear();
        let (mut line, mut moves) = (line.clone(), Vec::new());
        while let Some((_, Some(index))) = known.get(&self.key()).copied().filter(|_| self.world.values().is_none()) {
            let Some(legal) = self.world.legal_index(line.position(), index) else { break };
            self.path.push(self.key());
            self.world.player.play(index);
            moves.extend(line.play(legal));
        }
        moves
    }
}
