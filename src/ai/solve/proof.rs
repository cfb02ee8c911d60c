//! Depth-first proof-number search (A. Nagai, *Df-pn algorithm for searching AND/OR trees and its applications*, 2002) for
//! each result that a seat might force, with a table of bounded size.
//!
//! Play that goes round in circles forces nothing, so what is found is sound also where positions return, and where those
//! that are turned or mirrored are one: a win that comes nearer with every ply comes to no image of a position twice either.

use super::room::{Proof, Proofs};
use super::{MAX_DEPTH, Missing, Solution, Solver, Way};
use crate::game::Line;

/// Proven, as the number of what is still missing for the opposite.
const INFINITE: u32 = u32::MAX / 4;

impl Proof {
    const UNKNOWN: Self = Self { yes: 1, no: 1 };
    const YES: Self = Self { yes: 0, no: INFINITE };
    const NO: Self = Self { yes: INFINITE, no: 0 };
}

/// That a seat comes to at least this result.
#[derive(Clone, Copy)]
struct Goal {
    seat: usize,
    least: f32,
    /// What tells its positions from those of other goals in the table that they share.
    salt: u64,
}

/// The search for one position, with all that it has found.
pub struct Search<'s, 'g> {
    solver: &'s mut Solver<'g>,
    known: Proofs,
}

impl<'s, 'g> Search<'s, 'g> {
    /// One whose table takes so many bytes.
    pub fn within(solver: &'s mut Solver<'g>, bytes: usize) -> Self {
        Self { solver, known: Proofs::within(bytes) }
    }

    /// The result of both seats, or between what it lies.
    pub fn solution(mut self, line: &Line, progress: &mut dyn FnMut(u64)) -> Solution {
        // Who decides is more likely to win.
        let mover = self.solver.world.seat();
        let goal = |seat: usize, least: f32, salt: u64| Goal { seat, least, salt: salt << 60 };
        let wins = [goal(mover, 1.0, 1), goal(1 - mover, 1.0, 2)];
        let draws = [goal(mover, 0.5, 4), goal(1 - mover, 0.5, 8)];
        let mut bounds = [0.0_f32, 1.0];
        for goal in wins {
            if self.root(goal, progress) == Some(true) {
                bounds = if goal.seat == 0 { [1.0, 1.0] } else { [0.0, 0.0] };
                break;
            }
        }
        if bounds[0] < bounds[1] {
            for goal in draws {
                if self.root(goal, progress) == Some(true) {
                    bounds[if goal.seat == 0 { 0 } else { 1 }] = 0.5;
                }
            }
        }
        let nodes = self.solver.nodes;
        let solved = bounds[0] >= bounds[1];
        let missing = if self.solver.is_over() { self.solver.out_of() } else { Missing::Circles };
        let moves = if solved {
            let goals = if bounds[0] == 0.5 { draws } else { wins };
            self.solver.most = nodes.saturating_mul(2);
            self.principal(line, goals, bounds[0])
        } else {
            Vec::new()
        };
        let values = solved.then(|| vec![bounds[0], 1.0 - bounds[0]]);
        let found = Solution::by(Way::Proof, nodes, self.known.bytes());
        let missing = (!solved).then_some(missing);
        Solution { values, bounds: Some((bounds[0], bounds[1])), moves, missing, ..found }
    }

    /// Whether a goal can be forced from the marked position; none if it is not known.
    fn root(&mut self, goal: Goal, progress: &mut dyn FnMut(u64)) -> Option<bool> {
        self.solver.world.player.reset();
        self.solver.path.clear();
        let proof = self.prove(goal, progress);
        match proof {
            Proof { yes: 0, .. } => Some(true),
            Proof { no: 0, .. } => Some(false),
            _ => None,
        }
    }

    /// Searches the present position until it is proven one way or the other, or there is no more time.
    fn prove(&mut self, goal: Goal, progress: &mut dyn FnMut(u64)) -> Proof {
        let mut proof = self.look(goal);
        while proof.yes > 0 && proof.no > 0 && !self.solver.is_over() {
            // Bounded rounds, so that somebody can be told.
            let before = self.solver.nodes;
            proof = self.search(goal, Proof { yes: INFINITE, no: INFINITE }, before + (1 << 16));
            progress(self.solver.nodes);
        }
        proof
    }

    /// What is known of the present position without a search.
    fn look(&self, goal: Goal) -> Proof {
        match self.solver.world.values() {
            Some(values) if values[goal.seat] >= goal.least => Proof::YES,
            Some(_) => Proof::NO,
            None => {
                let key = self.solver.key();
                // Who goes round in circles forces nothing.
                if self.solver.path.contains(&key) || self.solver.path.len() >= MAX_DEPTH {
                    return Proof::NO;
                }
                self.known.get(key ^ goal.salt).unwrap_or(Proof::UNKNOWN)
            }
        }
    }

    /// Searches the present position until more is missing than the limit allows, or so many positions have been seen.
    fn search(&mut self, goal: Goal, limit: Proof, until: u64) -> Proof {
        let before = self.solver.nodes;
        self.solver.nodes += 1;
        let key = self.solver.key();
        self.solver.path.push(key);
        let own = self.solver.world.seat() == goal.seat;
        let mut below: Vec<Proof> = Vec::with_capacity(self.solver.world.player.count());
        for index in 0..self.solver.world.player.count() {
            self.solver.world.player.push();
            self.solver.world.player.play(index);
            let proof = self.look(goal);
            self.solver.world.player.pop();
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
            if self.solver.is_over() || self.solver.nodes >= until {
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
            self.solver.world.player.push();
            self.solver.world.player.play(best);
            below[best] = self.search(goal, limit, until);
            self.solver.world.player.pop();
        };
        self.solver.path.pop();
        let work = u32::try_from(self.solver.nodes - before).unwrap_or(u32::MAX);
        self.known.set(key ^ goal.salt, proof, work);
        proof
    }

    /// Play from the marked position that keeps to a value of the first seat.
    fn principal(&mut self, line: &Line, goals: [Goal; 2], value: f32) -> Vec<String> {
        self.solver.world.player.reset();
        self.solver.path.clear();
        let mut line = line.clone();
        let mut moves = Vec::new();
        while self.solver.world.values().is_none() && moves.len() < MAX_DEPTH {
            let seat = self.solver.world.seat();
            let own = if seat == 0 { value } else { 1.0 - value };
            let goal = goals.into_iter().find(|goal| goal.seat == seat && goal.least <= own);
            let keeping = match goal {
                Some(goal) => self.keeping(goal),
                // Who cannot help losing may play anything.
                None => Some(0),
            };
            let Some(index) = keeping else { break };
            let Some(legal) = self.solver.world.legal_index(line.position(), index) else { break };
            self.solver.path.push(self.solver.key());
            self.solver.world.player.play(index);
            match line.play(legal) {
                Some(mv) => moves.push(mv),
                None => break,
            }
        }
        moves
    }

    /// A ply after which a goal can still be forced.
    fn keeping(&mut self, goal: Goal) -> Option<usize> {
        let key = self.solver.key();
        let count = self.solver.world.player.count();
        for search in [false, true] {
            for index in 0..count {
                self.solver.world.player.push();
                self.solver.path.push(key);
                self.solver.world.player.play(index);
                let proof = if search { self.prove(goal, &mut |_| {}) } else { self.look(goal) };
                self.solver.path.pop();
                self.solver.world.player.pop();
                if proof.yes == 0 {
                    return Some(index);
                }
            }
        }
        None
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
