//! Sets of sites, as instructions make them.

use super::sum::{SUM_BITS, Sum};
use super::{Frame, View, bits, fixed, position, union_of, way};
use crate::board::{Direction, MOST_STEPS};
use crate::engine::fast::set::Set;
use crate::program::ir::{Domain, Int, NONE, Sets, Tally, Test, When};
use crate::rules::CompareOp;

impl<const W: usize> View<'_, W> {
    /// What is only looked up is looked up at once; the rest is worth a call.
    #[inline(always)]
    #[must_use]
    pub fn sets(&self, e: &Sets, f: &mut Frame<W>) -> Set<W> {
        match e {
            Sets::Slot(slot) => f.sets.get(usize::from(*slot)).copied().unwrap_or(Set::EMPTY),
            Sets::Planes(mask, When::Now) if mask.is_power_of_two() => self.now.plane(mask.trailing_zeros() as usize),
            _ => self.computed(e, f),
        }
    }

    pub(super) fn computed(&self, e: &Sets, f: &mut Frame<W>) -> Set<W> {
        match e {
            Sets::Const(set) => Set::from_words(set),
            Sets::Planes(mask, when) => {
                let state = self.state(*when);
                if mask.is_power_of_two() {
                    state.plane(mask.trailing_zeros() as usize)
                } else {
                    self.engine.planes(state, *mask)
                }
            }
            Sets::Memory(index, when) => self.state(*when).sets.get(usize::from(*index)).copied().unwrap_or(Set::EMPTY),
            Sets::Slot(slot) => f.sets.get(usize::from(*slot)).copied().unwrap_or(Set::EMPTY),
            Sets::One(site) => match position(self.int(site, f)) {
                Some(position) => Set::single(position),
                None => Set::EMPTY,
            },
            Sets::And(all) => {
                let Some((first, rest)) = all.split_first() else { return self.engine.geometry.all };
                let set = self.sets(first, f);
                self.all_in(rest, set, f)
            }
            Sets::Or(all) => {
                let mut set = Set::EMPTY;
                for one in all {
                    set |= self.sets(one, f);
                }
                set
            }
            Sets::Not(inner) => self.engine.geometry.all - self.sets(inner, f),
            Sets::Minus(a, b) => {
                let set = self.sets(a, f);
                if set.is_empty() { set } else { set - self.sets(b, f) }
            }
            Sets::Near(site) => match position(self.int(site, f)) {
                Some(position) => self.near(position),
                None => Set::EMPTY,
            },
            Sets::Dilate(inner) => self.engine.geometry.dilate(self.sets(inner, f)),
            Sets::Within { of, steps } => match self.int(steps, f) {
                NONE => Set::EMPTY,
                steps => self.engine.geometry.within(self.sets(of, f), steps),
            },
            Sets::Nearer { to, than, equal } => {
                let (to, than) = (self.sets(to, f), self.sets(than, f));
                self.engine.geometry.nearer(to, than, *equal)
            }
            Sets::Pull(direction, inner) => self.engine.geometry.pull(self.sets(inner, f), fixed(*direction)),
            Sets::PullAny(directions, inner) => {
                let inner = self.sets(inner, f);
                let each = bits(*directions).map(|direction| self.engine.geometry.pull(inner, fixed(direction as u8)));
                each.fold(Set::EMPTY, |all, set| all | set)
            }
            Sets::PullBeyond { directions, goal, through } => {
                let goal = self.sets(goal, f);
                let through = self.sets(through, f);
                let geometry = &self.engine.geometry;
                let each = bits(*directions);
                each.fold(Set::EMPTY, |all, way| all | geometry.pull_beyond(fixed(way as u8), goal, through))
            }
            Sets::PullRun { directions, goal, through } => {
                let goal = self.sets(goal, f);
                let through = self.sets(through, f);
                let geometry = &self.engine.geometry;
                let each = bits(*directions);
                each.fold(Set::EMPTY, |all, way| all | geometry.pull_run(fixed(way as u8), goal, through))
            }
            Sets::If(test, a, b) => {
                if self.test(test, f) {
                    self.sets(a, f)
                } else {
                    self.sets(b, f)
                }
            }
            Sets::With { kept, of } => {
                self.keep(kept, f);
                self.sets(of, f)
            }
            Sets::Heads(inner) => {
                let (mut left, mut heads) = (self.sets(inner, f), Set::EMPTY);
                while let Some(first) = left.first() {
                    heads.insert(first);
                    left -= self.engine.geometry.flood(Set::single(first), left);
                }
                heads
            }
            Sets::First(inner) => self.sets(inner, f).first().map_or(Set::EMPTY, Set::single),
            Sets::Tally(tally) => self.tally(tally, f),
            Sets::Ranked { greater, equal, levels } => {
                self.ranked(*greater, *equal, levels, self.engine.geometry.all, f)
            }
            Sets::Filter { slot, domain, test } => self.filter(*slot, domain, test, f),
            Sets::Connected { from, within } => {
                let from = self.sets(from, f);
                let within = self.sets(within, f);
                self.engine.geometry.flood(from, within)
            }
            Sets::Grown { kept, from, within } => {
                let from = self.sets(from, f);
                let within = self.sets(within, f);
                let kept = usize::from(*kept);
                let (Some(reached), Some(near)) =
                    (self.now.grown.get(kept), self.now.grown.get(kept + self.engine.program.grown))
                else {
                    return Set::EMPTY;
                };
                let grown = self.engine.geometry.grow((reached.get(), near.get()), from, within);
                reached.set(grown.0);
                near.set(grown.1);
                grown.0
            }
            Sets::Bracketed { from, directions, through, goal } => {
                let Some(from) = position(self.int(from, f)) else { return Set::EMPTY };
                let through = self.sets(through, f);
                let goal = self.sets(goal, f);
                let mut set = Set::EMPTY;
                for direction in bits(*directions) {
                    let (passed, end) = self.engine.geometry.run_and_beyond(from, fixed(direction as u8), through);
                    if end.is_some_and(|end| goal.contains(end)) {
                        set |= passed;
                    }
                }
                set
            }
            Sets::Ahead { from, directions, steps } => self.ahead_of(from, directions, steps, f),
            Sets::Trail { from, directions, steps } => self.trail(from, directions, steps, f),
            Sets::Run { from, directions, through } => self.runs_in(from, directions, through, f).0,
            Sets::Beyond { from, directions, through } => self.runs_in(from, directions, through, f).1,
            Sets::Between(a, b) => self.between(a, b, f),
            Sets::Alike(site, when) => {
                let site = position(self.int(site, f));
                let state = self.state(*when);
                match site.and_then(|site| state.contents.get(site)) {
                    Some(plane) => state.plane(usize::from(*plane)),
                    None => Set::EMPTY,
                }
            }
            Sets::Table { rows, index } => match position(self.int(index, f)).and_then(|at| rows.get(at)) {
                Some(row) => Set::from_words(row),
                None => Set::EMPTY,
            },
            Sets::OfKinds(kinds, when) => self.planes_of(&self.engine.planes_of_kind, kinds, *when, f),
            Sets::OfPlayers(players, when) => self.planes_of(&self.engine.planes_of_owner, players, *when, f),
            Sets::Collect { slot, domain, test, body } => self.collect(*slot, domain, test, body, f),
            Sets::Primitive(primitive, args, when) => {
                let value = self.primitive(primitive, args, *when, f);
                Set::from_words(&self.engine.program.layout.set(value.sites()))
            }
        }
    }

    /// The members of a set that lie in another one: what is asked of these only need not be known of all.
    pub(super) fn sets_in(&self, e: &Sets, within: Set<W>, f: &mut Frame<W>) -> Set<W> {
        match e {
            Sets::And(all) => self.all_in(all, within, f),
            Sets::Or(all) => {
                let mut set = Set::EMPTY;
                for one in all {
                    set |= self.sets_in(one, within - set, f);
                }
                set
            }
            Sets::Not(inner) => within - self.sets_in(inner, within, f),
            Sets::If(test, a, b) => {
                let chosen = if self.test(test, f) { a } else { b };
                self.sets_in(chosen, within, f)
            }
            Sets::Filter { slot, domain, test } => {
                let domain = self.sets_in(domain, within, f);
                self.filtered(*slot, domain, test, f)
            }
            Sets::Ranked { greater, equal, levels } => self.ranked(*greater, *equal, levels, within, f),
            _ => within & self.sets(e, f),
        }
    }

    /// What all of some sets have in common with another one.
    #[inline]
    fn all_in(&self, all: &[Sets], within: Set<W>, f: &mut Frame<W>) -> Set<W> {
        let mut set = within;
        for one in all {
            if set.is_empty() {
                break;
            }
            set = self.sets_in(one, set, f);
        }
        set
    }

    /// Where the first number that differs is greater, or less; only for the sites of a set.
    pub(super) fn ranked(
        &self,
        greater: bool,
        equal: bool,
        levels: &[Tally],
        within: Set<W>,
        f: &mut Frame<W>,
    ) -> Set<W> {
        let (mut found, mut open) = (Set::EMPTY, within);
        let op = if greater { CompareOp::Greater } else { CompareOp::Less };
        for level in levels {
            if open.is_empty() {
                return found;
            }
            let most = level.left.len() + level.right.len();
            let offset = self.int(&level.offset, f);
            // A sum may be no larger than its bits can tell, and the offset is no larger than that.
            let [ahead, same] = if offset == NONE || offset.unsigned_abs() > 4_096 {
                let ahead = (offset > 0) == greater && offset != NONE;
                [if ahead { open } else { Set::EMPTY }, Set::EMPTY]
            } else if most + (offset.unsigned_abs() as usize) < 16 {
                self.ahead_and_same::<4>(level, op, offset, f)
            } else {
                self.ahead_and_same::<SUM_BITS>(level, op, offset, f)
            };
            found |= ahead & open;
            open &= same;
        }
        if equal { found | open } else { found }
    }

    #[inline]
    pub(super) fn ahead_and_same<const B: usize>(
        &self,
        level: &Tally,
        op: CompareOp,
        offset: i64,
        f: &mut Frame<W>,
    ) -> [Set<W>; 2] {
        let (left, right) = self.sums::<B>(level, offset, f);
        let all = self.engine.geometry.all;
        [left.compare(op, &right, all), left.compare(CompareOp::Equal, &right, all)]
    }

    /// The sites so many steps ahead. What is rare or takes long anyway is a function of its own, here and below, so that
    /// the match of all instructions stays small.
    #[inline(never)]
    fn ahead_of(&self, from: &Sets, directions: &Int, steps: &Int, f: &mut Frame<W>) -> Set<W> {
        let steps = self.int(steps, f);
        if steps == NONE {
            return Set::EMPTY;
        }
        let from = self.sets(from, f);
        let mut set = Set::EMPTY;
        for direction in bits(self.int(directions, f)) {
            let Some(way) = way(direction, steps < 0) else { continue };
            set |= self.pushed(from, way, steps.unsigned_abs());
        }
        set
    }

    #[inline(never)]
    fn trail(&self, from: &Sets, directions: &Int, steps: &Int, f: &mut Frame<W>) -> Set<W> {
        let steps = self.int(steps, f);
        let from = self.sets(from, f);
        let mut set = Set::EMPTY;
        for direction in bits(self.int(directions, f)) {
            let Some(way) = way(direction, false) else { continue };
            let mut at = from;
            // A missing number is negative, so that it means no step here as well.
            for _ in 0..steps.clamp(0, self.engine.program.layout.sites as i64) {
                at = self.engine.geometry.push(at, way);
                if at.is_empty() {
                    break;
                }
                set |= at;
            }
        }
        set
    }

    /// The runs in some directions, and what comes behind them.
    #[inline(never)]
    fn runs_in(&self, from: &Sets, directions: &Int, through: &Sets, f: &mut Frame<W>) -> (Set<W>, Set<W>) {
        let from = self.sets(from, f);
        let directions = self.int(directions, f);
        let through = self.sets(through, f);
        let (mut passed, mut beyond) = (Set::EMPTY, Set::EMPTY);
        for way in bits(directions).filter_map(|direction| way(direction, false)) {
            let found = self.runs(from, way, through);
            passed |= found.0;
            beyond |= found.1;
        }
        (passed, beyond)
    }

    #[inline(never)]
    fn between(&self, a: &Int, b: &Int, f: &mut Frame<W>) -> Set<W> {
        let (a, b) = (self.int(a, f), self.int(b, f));
        match (position(a), position(b), self.aim(a, b)) {
            (Some(a), Some(b), Some(way)) => {
                self.runs(Set::single(a), way, self.engine.geometry.all - Set::single(b)).0
            }
            _ => Set::EMPTY,
        }
    }

    #[inline(never)]
    fn planes_of(&self, groups: &[u64], members: &Int, when: When, f: &mut Frame<W>) -> Set<W> {
        let members = self.int(members, f);
        self.engine.planes(self.state(when), union_of(groups, members))
    }

    #[inline(never)]
    fn collect(&self, slot: u16, domain: &Domain, test: &Test, body: &Sets, f: &mut Frame<W>) -> Set<W> {
        let mut set = Set::EMPTY;
        self.members(slot, domain, f, |f| {
            if self.test(test, f) {
                set |= self.sets(body, f);
            }
            true
        });
        set
    }

    #[inline]
    pub(super) fn near(&self, position: usize) -> Set<W> {
        self.engine.geometry.neighbours.get(position).copied().unwrap_or(Set::EMPTY)
    }

    pub(super) fn pushed(&self, from: Set<W>, way: Direction, steps: u64) -> Set<W> {
        let mut at = from;
        for _ in 0..steps.min(u64::from(MOST_STEPS)) {
            if at.is_empty() {
                break;
            }
            at = self.engine.geometry.push(at, way);
        }
        at
    }

    /// The sites passed from all of `from`, and the first ones outside `through`.
    pub(super) fn runs(&self, from: Set<W>, way: Direction, through: Set<W>) -> (Set<W>, Set<W>) {
        if let Some(from) = from.only() {
            let (passed, beyond) = self.engine.geometry.run_and_beyond(from, way, through);
            return (passed, beyond.map_or(Set::EMPTY, Set::single));
        }
        let (mut passed, mut beyond) = (Set::EMPTY, Set::EMPTY);
        let mut at = from;
        loop {
            let next = self.engine.geometry.push(at, way);
            beyond |= next - through;
            // On a ring the run would come round to where it has been.
            at = (next & through) - passed;
            if at.is_empty() {
                return (passed, beyond);
            }
            passed |= at;
        }
    }

    #[inline]
    pub(super) fn filter(&self, slot: u16, domain: &Sets, test: &Test, f: &mut Frame<W>) -> Set<W> {
        let set = self.sets(domain, f);
        self.filtered(slot, set, test, f)
    }

    #[inline]
    pub(super) fn filtered(&self, slot: u16, mut set: Set<W>, test: &Test, f: &mut Frame<W>) -> Set<W> {
        for position in set {
            f.bind(slot, position as i64);
            if !self.test(test, f) {
                set.remove(position);
            }
        }
        set
    }

    pub(super) fn tally(&self, tally: &Tally, f: &mut Frame<W>) -> Set<W> {
        let (most_left, most_right) = (tally.left.len() as i64, tally.right.len() as i64);
        let all = self.engine.geometry.all;
        let offset = self.int(&tally.offset, f);
        if offset == NONE {
            return Set::EMPTY;
        }
        // So large an offset decides alone, and would not fit below.
        let decided = |greater: bool| match (tally.op, greater) {
            (CompareOp::NotEqual, _) => all,
            (CompareOp::Greater | CompareOp::GreaterEqual, true) | (CompareOp::Less | CompareOp::LessEqual, false) => {
                all
            }
            _ => Set::EMPTY,
        };
        if offset > most_right {
            return decided(true);
        }
        if offset < -most_left {
            return decided(false);
        }
        // No sum exceeds the number of sets: the offset on one side is at most the number on the other.
        if most_left + most_right < 16 {
            self.count::<4>(tally, offset, f)
        } else {
            self.count::<SUM_BITS>(tally, offset, f)
        }
    }

    #[inline]
    pub(super) fn count<const B: usize>(&self, tally: &Tally, offset: i64, f: &mut Frame<W>) -> Set<W> {
        let (left, right) = self.sums::<B>(tally, offset, f);
        left.compare(tally.op, &right, self.engine.geometry.all)
    }

    /// Both sides of a comparison, the offset on one of them.
    #[inline]
    pub(super) fn sums<const B: usize>(&self, tally: &Tally, offset: i64, f: &mut Frame<W>) -> (Sum<W, B>, Sum<W, B>) {
        let all = self.engine.geometry.all;
        let mut left = Sum::<W, B>::new(all, offset.max(0).unsigned_abs());
        let mut right = Sum::<W, B>::new(all, offset.min(0).unsigned_abs());
        for one in &tally.left {
            left.add(self.sets(one, f));
        }
        for one in &tally.right {
            right.add(self.sets(one, f));
        }
        (left, right)
    }
}
