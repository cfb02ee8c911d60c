//! How far several sites can go together in one direction: counted before a number of steps is picked, and not asked of one
//! number after the other.

use super::build::*;
use super::ir::*;
use super::lower::Lowering;
use super::parts::conjuncts;
use super::single::is_one_way;
use crate::rules::{CompareOp, Reduce};

/// Sites that go as many steps in a direction as a part says.
#[derive(Clone, PartialEq)]
struct Stride {
    from: Sets,
    directions: Int,
}

impl Lowering<'_> {
    /// A range of numbers as far as some sites can go so many steps over a set without leaving the board, and what else is
    /// asked; none where no test says that of the number in a slot.
    ///
    /// That sites can go so many steps holds of fewer steps as well, so the number of those that hold tells which.
    pub(super) fn within_stride(&mut self, slot: u16, domain: &Domain, test: &Test) -> Option<(Domain, Test)> {
        let Domain::Range(low @ Int::Const(0..), high) = domain else { return None };
        // Where steps from two sites lead to one, fewer arrive than go.
        if self.ways.rings || !self.ways.steps_lead_back {
            return None;
        }
        let mut tests = conjuncts(test.clone());
        let (at, stride, through) = tests.iter().enumerate().find_map(|(at, test)| {
            let (stride, through) = self.passes(test, slot)?;
            Some((at, stride, through))
        })?;
        let count = tests.len();
        tests.remove(at);
        tests.retain(|test| !stays_on_board(test, &stride, slot));
        // Where some may leave the board the others may still go on.
        if tests.len() + 1 == count {
            return None;
        }
        let site = self.int_slot();
        let Stride { from, directions } = stride;
        let run = Sets::Run {
            from: Box::new(one(Int::Slot(site))),
            directions: Box::new(directions),
            through: Box::new(through),
        };
        let farthest = Int::Reduce {
            reduce: Reduce::Least,
            slot: site,
            domain: Box::new(Domain::Sites(from.clone())),
            test: Box::new(Test::Const(true)),
            body: Box::new(Int::Count(Box::new(run))),
        };
        let nearer = Int::Min(Box::new(high.clone()), Box::new(farthest));
        // None of no sites is in the way of any number.
        let high = if self.surely_any(&from) { nearer } else { pick(any(from), nearer, high.clone()) };
        Some((Domain::Range(low.clone(), high), and(tests)))
    }

    /// The sites that go so many steps over a set, where a test asks that all these steps lie in it.
    fn passes(&self, test: &Test, slot: u16) -> Option<(Stride, Sets)> {
        let (set, within) = if let Test::Subset(set, within) = test {
            (set, within.clone())
        } else if let Test::Not(inner) = test
            && let Test::Any(set) = &**inner
        {
            (set, nothing())
        } else {
            return None;
        };
        let mut parts = self.parts_of(set);
        let at = parts.iter().position(|part| matches!(part, Sets::Trail { .. }))?;
        let Sets::Trail { from, directions, steps } = parts.swap_remove(at) else { return None };
        if *steps != Int::Slot(slot) || !is_one_way(&directions) {
            return None;
        }
        // What lies elsewhere does not matter.
        let through = self.ground.or(vec![within, self.ground.not(self.ground.and(parts))]);
        let stride = Stride { from: *from, directions: *directions };
        let free = !stride.from.reads(slot) && !stride.directions.reads(slot) && !through.reads(slot);
        free.then_some((stride, through))
    }

    /// The sets of which a set is what they have in common.
    fn parts_of(&self, set: &Sets) -> Vec<Sets> {
        if let Sets::And(parts) = set {
            return parts.iter().flat_map(|part| self.parts_of(part)).collect();
        }
        let Sets::Minus(set, taken) = set else { return vec![set.clone()] };
        let mut parts = self.parts_of(set);
        parts.push(self.ground.not((**taken).clone()));
        parts
    }

    /// Whether a set has a member for certain.
    fn surely_any(&self, set: &Sets) -> bool {
        matches!(set, Sets::One(site) if self.is_there(site) == Test::Const(true))
            || matches!(set, Sets::Or(parts) if parts.iter().any(|part| self.surely_any(part)))
    }
}

/// Whether a test asks that none of those that go leaves the board, by counting them or one by one.
fn stays_on_board(test: &Test, stride: &Stride, slot: u16) -> bool {
    let is_stride = |from: &Sets, directions: &Int, steps: &Int| {
        *from == stride.from && *directions == stride.directions && *steps == Int::Slot(slot)
    };
    let counts_all = |arrived: &Int, all: &Int| {
        matches!(arrived, Int::Count(set) if matches!(&**set, Sets::Ahead { from, directions, steps }
            if is_stride(from, directions, steps)))
            && matches!(all, Int::Count(set) if **set == stride.from)
    };
    if let Test::Compare(CompareOp::Equal, a, b) = test {
        return counts_all(a, b) || counts_all(b, a);
    }
    let Test::Not(inner) = test else { return false };
    let Test::Exists { slot: each, domain, test } = &**inner else { return false };
    let Test::Not(known) = &**test else { return false };
    **domain == Domain::Sites(stride.from.clone())
        && matches!(&**known, Test::Known(Int::Ahead { from, direction, steps })
            if **from == Int::Slot(*each) && **steps == Int::Slot(slot) && stride.directions == bit((**direction).clone()))
}
