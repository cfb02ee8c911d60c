//! Tests: what is true of a state, and what is not.

use super::{Asked, Frame, View, position};
use crate::engine::fast::set::Set;
use crate::program::ir::{Effect, Int, NONE, Sets, Test};
use crate::rules::CompareOp;
use std::cell::Cell;
use std::cmp::Ordering;

impl<const W: usize> View<'_, W> {
    #[inline]
    #[must_use]
    pub fn test(&self, e: &Test, f: &mut Frame<W>) -> bool {
        match e {
            Test::Const(held) => *held,
            Test::Not(inner) => !self.test(inner, f),
            Test::And(all) => all.iter().all(|one| self.test(one, f)),
            Test::Or(all) => all.iter().any(|one| self.test(one, f)),
            Test::Any(set) => self.sets(set, f).any(),
            Test::Contains(set, member) => match position(self.int(member, f)) {
                Some(position) => self.sets(set, f).contains(position),
                None => false,
            },
            Test::Subset(a, b) => {
                let a = self.sets(a, f);
                a.is_empty() || a.subset(self.sets(b, f))
            }
            Test::Compare(op, a, b) => {
                let (a, b) = (self.int(a, f), self.int(b, f));
                a != NONE && b != NONE && op.holds(a, b)
            }
            Test::Known(number) => self.int(number, f) != NONE,
            Test::Exists { slot, domain, test } => !self.members(*slot, domain, f, |f| !self.test(test, f)),
            Test::Stuck => self.stuck,
            Test::Unfinished => self.unfinished,
            Test::Lists(op, left, right) => self.lists(*op, left, right, f),
            Test::Seen { board, times } => self.seen(*board, *times),
            Test::Possible { place, answers } => {
                let (state, history) =
                    self.following.map_or((self.now, self.history), |following| (following, &following.seen));
                let asked = Asked { place: *place, answers: *answers };
                let known = f.answered.iter().flatten().find(|(known, _)| *known == asked);
                if let Some((_, can)) = known {
                    return *can;
                }
                let can = (self.engine.possible)(self.engine, state, history, asked);
                if let Some(answered) = &mut f.answered {
                    answered.push((asked, can));
                }
                can
            }
            Test::CanApply(effects) => self.can_apply(effects, f),
            Test::WithSites { held, value, test } => {
                self.define_sites(*held, value, f);
                self.test(test, f)
            }
            Test::OfNew { kept, held, set, test } => self.of_new(*kept, *held, set, test, f),
            Test::With { slot, value, test } => {
                self.define(*slot, value, f);
                self.test(test, f)
            }
        }
    }

    #[inline(never)]
    fn can_apply(&self, effects: &[Effect], f: &mut Frame<W>) -> bool {
        // A test within the changes would find a fresh one.
        let mut changes = std::mem::take(&mut f.scratch);
        let fits = changes.gather(self, effects, f);
        f.scratch = changes;
        fits
    }

    #[inline(never)]
    fn of_new(&self, kept: u16, slot: u16, set: &Sets, test: &Test, f: &mut Frame<W>) -> bool {
        let set = self.sets(set, f);
        let failed = self.now.grown.get(2 * self.engine.program.grown + usize::from(kept));
        f.bind_sites(slot, set - failed.map_or(Set::EMPTY, Cell::get));
        let held = self.test(test, f);
        if let (false, Some(failed)) = (held, failed) {
            failed.set(set);
        }
        held
    }

    #[inline(never)]
    fn lists(&self, op: CompareOp, left: &[Int], right: &[Int], f: &mut Frame<W>) -> bool {
        let mut order = Ordering::Equal;
        for index in 0..left.len().max(right.len()) {
            let (a, b) = (left.get(index).map(|one| self.int(one, f)), right.get(index).map(|one| self.int(one, f)));
            if a == Some(NONE) || b == Some(NONE) {
                return false;
            }
            // A list that ends is less than one that goes on, and so is nothing than something.
            order = order.then(a.cmp(&b));
        }
        op.holds(order, Ordering::Equal)
    }

    #[inline(never)]
    fn seen(&self, board: bool, times: Option<i64>) -> bool {
        let (seen, now) = match self.following {
            // The position reached is the last one remembered.
            Some(following) => (&following.seen, following.seen.last(board)),
            None => (self.history, None),
        };
        // While a turn lasts, the position is the one that the next player would face if it were over.
        let now = now.unwrap_or_else(|| self.engine.sign(self.now, self.next, board));
        let itself = i64::from(self.following.is_some());
        let count = i64::from(seen.count(now, board));
        match times {
            None => count <= itself,
            Some(times) => count >= times.saturating_sub(1).max(0) + itself,
        }
    }
}
