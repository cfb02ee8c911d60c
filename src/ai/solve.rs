//! What a game is worth when everybody plays as well as can be, with proof.
//!
//! With two seats: depth-first proof-number search (A. Nagai, *Df-pn algorithm for searching AND/OR trees and its
//! applications*, 2002) for each result that a seat might force. Play that goes round in circles forces nothing, so what is
//! found is sound also where positions return. With more seats every seat takes what is best for itself, and of equal plies
//! the first; then the search goes to the end of the game at once. So it does where chance plays a part: what is found then is
//! the result that each seat may expect.

use super::world::{Values, World};
use crate::game::Line;
use crate::rules::MAX_PLAYERS;
use crate::study::halt::Halt;
use std::collections::HashMap;

/// Longer games are not solved.
const MAX_DEPTH: usize = 1_000;

/// Proven, as the number of what is still missing for the opposite.
const INFINITE: u32 = u32::MAX / 4;

/// What is known about the worth of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The result of each seat: 1 for the first place alone, 0 for the last. None if it could not be found.
    pub values: Option<Vec<f32>>,
    /// With two seats: between what the result of the first one lies, as far as is known.
    pub bounds: Option<(f32, f32)>,
    /// Play that keeps to the value, where it is known.
    pub moves: Vec<String>,
    /// Positions looked at.
    pub nodes: u64,
}

/// How much is missing to prove that a goal can be forced, and to prove that it cannot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Proof {
    yes: u32,
    no: u32,
}

impl Proof {
    const UNKNOWN: Self = Self { yes: 1, no: 1 };
    const YES: Self = Self { yes: 0, no: INFINITE };
    const NO: Self = Self { yes: INFINITE, no: 0 };
}

/// That a seat comes to at least this result.
struct Goal {
    seat: usize,
    least: f32,
    known: HashMap<u64, Proof>,
}

struct Solver<'g> {
    world: World<'g>,
    /// The positions on the way to the present one.
    path: Vec<u64>,
    nodes: u64,
    most: u64,
    halt: Halt<'g>,
}

/// Solves the position of a line, looking at no more positions than these; `progress` is told how many there were.
pub fn solve(line: &Line, most: u64, progress: &mut dyn FnMut(u64)) -> Solution {
    solve_until(line, most, Halt::never(), progress)
}

/// The same until it is halted: what is known then is told.
pub fn solve_until(line: &Line, most: u64, halt: Halt<'_>, progress: &mut dyn FnMut(u64)) -> Solution {
    let (world, _) = World::at(line);
    let seats = world.seats;
    let mut solver = Solver { world, path: Vec::new(), nodes: 0, most, halt };
    if line.game().rules().has_chance() {
        solver.expected(line)
    } else if seats == 2 {
        solver.two(line, progress)
    } else {
        solver.many(line)
    }
}

impl Solver<'_> {
    /// No more positions are to be looked at.
    fn is_over(&self) -> bool {
        self.nodes >= self.most || self.halt.is_set()
    }

    fn two(&mut self, line: &Line, progress: &mut dyn FnMut(u64)) -> Solution {
        // Who decides is more likely to win.
        let mover = self.world.seat();
        let goal = |seat: usize, least: f32| Goal { seat, least, known: HashMap::new() };
        let mut wins = [goal(mover, 1.0), goal(1 - mover, 1.0)];
        let mut draws = [goal(mover, 0.5), goal(1 - mover, 0.5)];
        let mut bounds = [0.0_f32, 1.0];
        for goal in &mut wins {
            if self.root(goal, progress) == Some(true) {
                bounds = if goal.seat == 0 { [1.0, 1.0] } else { [0.0, 0.0] };
                break;
            }
        }
        if bounds[0] < bounds[1] {
            for goal in &mut draws {
                if self.root(goal, progress) == Some(true) {
                    bounds[if goal.seat == 0 { 0 } else { 1 }] = 0.5;
                }
            }
        }
        let nodes = self.nodes;
        let solved = bounds[0] >= bounds[1];
        let moves = if solved {
            let goals = if bounds[0] == 0.5 { &mut draws } else { &mut wins };
            self.most = self.nodes.saturating_mul(2);
            self.principal(line, goals, bounds[0])
        } else {
            Vec::new()
        };
        let values = solved.then(|| vec![bounds[0], 1.0 - bounds[0]]);
        Solution { values, bounds: Some((bounds[0], bounds[1])), moves, nodes }
    }

    /// Whether a goal can be forced from the marked position; none if it is not known.
    fn root(&mut self, goal: &mut Goal, progress: &mut dyn FnMut(u64)) -> Option<bool> {
        self.world.player.reset();
        self.path.clear();
        let proof = self.prove(goal, progress);
        match proof {
            Proof { yes: 0, .. } => Some(true),
            Proof { no: 0, .. } => Some(false),
            _ => None,
        }
    }

    /// Searches the present position until it is proven one way or the other, or there is no more time.
    fn prove(&mut self, goal: &mut Goal, progress: &mut dyn FnMut(u64)) -> Proof {
        let mut proof = self.look(goal);
        while proof.yes > 0 && proof.no > 0 && !self.is_over() {
            // Bounded rounds, so that somebody can be told.
            let before = self.nodes;
            proof = self.search(goal, Proof { yes: INFINITE, no: INFINITE }, before + (1 << 16));
            progress(self.nodes);
        }
        proof
    }

    /// What tells a position apart: where earlier ones decide, they do too.
    fn key(&self) -> u64 {
        let hash = self.world.player.hash();
        if !self.world.player.looks_back() {
            return hash;
        }
        self.path
            .iter()
            .fold(hash.rotate_left(7), |sum, seen| sum.wrapping_add(seen.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// What is known of the present position without a search.
    fn look(&self, goal: &Goal) -> Proof {
        match self.world.values() {
            Some(values) if values[goal.seat] >= goal.least => Proof::YES,
            Some(_) => Proof::NO,
            None => {
                let key = self.key();
                // Who goes round in circles forces nothing.
                if self.path.contains(&key) || self.path.len() >= MAX_DEPTH {
                    return Proof::NO;
                }
                goal.known.get(&key).copied().unwrap_or(Proof::UNKNOWN)
            }
        }
    }

    /// Searches the present position until more is missing than the limit allows, or so many positions have been seen.
    fn search(&mut self, goal: &mut Goal, limit: Proof, until: u64) -> Proof {
        self.nodes += 1;
        let key = self.key();
        self.path.push(key);
        let own = self.world.seat() == goal.seat;
        let mut below: Vec<Proof> = Vec::with_capacity(self.world.player.count());
        for index in 0..self.world.player.count() {
            self.world.player.push();
            self.world.player.play(index);
            let proof = self.look(goal);
            self.world.player.pop();
            below.push(proof);
            if own && proof == Proof::YES || !own && proof == Proof::NO {
                break;
            }
        }
        let proof = loop {
            let proof = summed(&below, own);
            if proof.yes >= limit.yes || proof.no >= limit.no || proof.yes == 0 || proof.no == 0 {
                break proof;
            }
            if self.is_over() || self.nodes >= until {
                break proof;
            }
            // The ply that needs least, and how much the next one needs.
            let needs = |proof: &Proof| if own { proof.yes } else { proof.no };
            let Some(best) = (0..below.len()).min_by_key(|index| needs(&below[*index])) else { break proof };
            let second = (0..below.len()).filter(|index| *index != best).map(|index| needs(&below[index])).min();
            let second = second.unwrap_or(INFINITE).saturating_add(1);
            let limit = if own {
                Proof {
                    yes: limit.yes.min(second),
                    no: limit.no.saturating_sub(proof.no).saturating_add(below[best].no),
                }
            } else {
                Proof {
                    yes: limit.yes.saturating_sub(proof.yes).saturating_add(below[best].yes),
                    no: limit.no.min(second),
                }
            };
            self.world.player.push();
            self.world.player.play(best);
            below[best] = self.search(goal, limit, until);
            self.world.player.pop();
        };
        self.path.pop();
        goal.known.insert(key, proof);
        proof
    }

    /// Play from the marked position that keeps to a value of the first seat.
    fn principal(&mut self, line: &Line, goals: &mut [Goal; 2], value: f32) -> Vec<String> {
        self.world.player.reset();
        self.path.clear();
        let mut line = line.clone();
        let mut moves = Vec::new();
        while self.world.values().is_none() && moves.len() < MAX_DEPTH {
            let seat = self.world.seat();
            let own = if seat == 0 { value } else { 1.0 - value };
            let goal = goals.iter_mut().find(|goal| goal.seat == seat && goal.least <= own);
            let keeping = match goal {
                Some(goal) => self.keeping(goal),
                // Who cannot help losing may play anything.
                None => Some(0),
            };
            let Some(index) = keeping else { break };
            let Some(legal) = self.world.legal_index(line.position(), index) else { break };
            self.path.push(self.key());
            self.world.player.play(index);
            match line.play(legal) {
                Some(mv) => moves.push(mv),
                None => break,
            }
        }
        moves
    }

    /// A ply after which a goal can still be forced.
    fn keeping(&mut self, goal: &mut Goal) -> Option<usize> {
        let key = self.key();
        let count = self.world.player.count();
        for search in [false, true] {
            for index in 0..count {
                self.world.player.push();
                self.path.push(key);
                self.world.player.play(index);
                let proof = if search { self.prove(goal, &mut |_| {}) } else { self.look(goal) };
                self.path.pop();
                self.world.player.pop();
                if proof.yes == 0 {
                    return Some(index);
                }
            }
        }
        None
    }

    fn many(&mut self, line: &Line) -> Solution {
        let mut known = HashMap::new();
        self.world.player.reset();
        let values = self.max_n(&mut known);
        let mut moves = Vec::new();
        if values.is_some() {
            self.world.player.reset();
            self.path.clear();
            let mut line = line.clone();
            while let Some((_, index)) = known.get(&self.key()).copied().filter(|_| self.world.values().is_none()) {
                let Some(legal) = self.world.legal_index(line.position(), index) else { break };
                self.path.push(self.key());
                self.world.player.play(index);
                moves.extend(line.play(legal));
            }
        }
        let seats = self.world.seats;
        let values = values.map(|values| values.iter().copied().take(seats).collect());
        Solution { values, bounds: None, moves, nodes: self.nodes }
    }

    /// What every seat comes to; none when there is no more time, or where positions return.
    fn max_n(&mut self, known: &mut HashMap<u64, (Values, usize)>) -> Option<Values> {
        self.nodes += 1;
        if let Some(values) = self.world.values() {
            return Some(values);
        }
        let key = self.key();
        if let Some((values, _)) = known.get(&key) {
            return Some(*values);
        }
        if self.is_over() || self.path.len() >= MAX_DEPTH || self.path.contains(&key) {
            return None;
        }
        let seat = self.world.seat();
        let mut best: Option<(Values, usize)> = None;
        for index in 0..self.world.player.count() {
            self.world.player.push();
            self.path.push(key);
            self.world.player.play(index);
            let values = self.max_n(known);
            self.path.pop();
            self.world.player.pop();
            let values = values?;
            if best.is_none_or(|(best, _)| values[seat] > best[seat]) {
                best = Some((values, index));
            }
            if values[seat] >= 1.0 {
                break;
            }
        }
        let best = best?;
        known.insert(key, best);
        Some(best.0)
    }
}

/// What every seat comes to, and the ply that leads there; none where chance decides, or the game is over.
type Expected = ([f64; MAX_PLAYERS], Option<usize>);

impl Solver<'_> {
    /// Where chance plays a part: every seat does what is best for itself, and chance is worth its mean.
    fn expected(&mut self, line: &Line) -> Solution {
        let mut known = HashMap::new();
        self.world.player.reset();
        let values = self.expect(&mut known).map(|(values, _)| values);
        let moves = if values.is_some() { self.until_chance(line, &known) } else { Vec::new() };
        let seats = self.world.seats;
        let values = values.map(|values| values.iter().take(seats).map(|value| *value as f32).collect());
        Solution { values, bounds: None, moves, nodes: self.nodes }
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
        if self.is_over() || self.path.len() >= MAX_DEPTH || self.path.contains(&key) {
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

/// Who wants the goal needs one ply that leads there, who does not has to refute them all.
fn summed(below: &[Proof], own: bool) -> Proof {
    let least = |number: fn(&Proof) -> u32| below.iter().map(number).min().unwrap_or(INFINITE);
    let sum = |number: fn(&Proof) -> u32| below.iter().map(number).fold(0, u32::saturating_add).min(INFINITE);
    if own {
        Proof { yes: least(|proof| proof.yes), no: sum(|proof| proof.no) }
    } else {
        Proof { yes: sum(|proof| proof.yes), no: least(|proof| proof.no) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::library::Library;

    fn solved(name: &str, options: &[(&str, &str)], moves: &[&str]) -> Solution {
        let options: Vec<(String, String)> =
            options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let game = Game::from_text(name, Library::text(name).unwrap(), None, &options, &Library).unwrap();
        let line = Line::replayed(&game, moves).unwrap();
        let solution = solve(&line, 2_000_000, &mut |_| {});
        // Best play leads where the value says.
        if let Some(values) = &solution.values {
            let mut line = line.clone();
            solution.moves.iter().for_each(|mv| assert!(line.play_text(mv).is_ok()));
            let places = line.position().outcome_by_seat().unwrap();
            let first = if places[0] < places[1] {
                1.0
            } else if places[0] > places[1] {
                0.0
            } else {
                0.5
            };
            assert_eq!(values[0], first, "{name}: {:?}", solution.moves);
        }
        solution
    }

    #[test]
    fn small_games_have_the_values_that_are_known() {
        assert_eq!(solved("tic_tac_toe", &[], &[]).values, Some(vec![0.5, 0.5]));
        // By strategy stealing the first player wins at Hex.
        assert_eq!(solved("hex", &[("size", "3")], &[]).values, Some(vec![1.0, 0.0]));
        // A corner answered in the middle; after a mistake X wins.
        assert_eq!(solved("tic_tac_toe", &[], &["a1", "b2"]).values, Some(vec![0.5, 0.5]));
        assert_eq!(solved("tic_tac_toe", &[], &["a1", "a2"]).values, Some(vec![1.0, 0.0]));
    }
}
