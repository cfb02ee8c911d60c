//! Numbers, and what is a number here: sites, directions, players, kinds, and masks of the small ones.

use super::{Frame, View, bits, fixed, joined, position, present, site_or_none, stacks, way};
use crate::board::{Direction, MOST_STEPS};
use crate::engine::fast::set::Set;
use crate::program::ir::{Domain, Int, NONE, Test, When};
use crate::rules::{ArithmeticOp, MAX_RANGE, Reduce};

impl<const W: usize> View<'_, W> {
    #[inline]
    #[must_use]
    pub fn int(&self, e: &Int, f: &mut Frame<W>) -> i64 {
        match e {
            Int::Const(number) => *number,
            Int::Slot(slot) => f.int(*slot),
            Int::Cell(cell, when) => self.state(*when).cells.get(usize::from(*cell)).copied().unwrap_or(NONE),
            Int::CellAt { base, count, index, when } => {
                let index = self.int(index, f);
                if index < 0 || index >= i64::from(*count) {
                    return NONE;
                }
                self.state(*when).cells.get(usize::from(*base) + index as usize).copied().unwrap_or(NONE)
            }
            Int::Table { values, index } => {
                position(self.int(index, f)).and_then(|at| values.get(at)).copied().unwrap_or(NONE)
            }
            Int::Count(set) => self.sets(set, f).len() as i64,
            Int::Only(set) => site_or_none(self.sets(set, f).only()),
            Int::RowLength { from, directions, through } => {
                let from = self.sets(from, f);
                let ways = bits(self.int(directions, f)).filter_map(|direction| way(direction, false));
                let through = self.sets(through, f);
                if let Some(from) = from.only() {
                    // Runs from one site have no site in common.
                    let geometry = &self.engine.geometry;
                    1 + ways.map(|way| geometry.reach(from, way, &through) as i64).sum::<i64>()
                } else {
                    ways.fold(from, |all, way| all | self.runs(from, way, through).0).len() as i64
                }
            }
            Int::Step(direction, from) => match position(self.int(from, f)) {
                Some(from) => site_or_none(self.engine.geometry.step(from, fixed(*direction))),
                None => NONE,
            },
            Int::Owner(site, when) => self.by_plane(&self.engine.owner_of, site, *when, f),
            Int::Kind(site, when) => self.by_plane(&self.engine.kind_of, site, *when, f),
            Int::Piece(site, when) => {
                let site = position(self.int(site, f));
                match site.and_then(|site| self.state(*when).contents.get(site)) {
                    Some(plane) => i64::from(*plane),
                    None => NONE,
                }
            }
            Int::Arithmetic(op, a, b) => {
                let (a, b) = (self.int(a, f), self.int(b, f));
                arithmetic(*op, a, b)
            }
            Int::With { kept, of } => {
                self.keep(kept, f);
                self.int(of, f)
            }
            Int::If(test, a, b) => {
                if self.test(test, f) {
                    self.int(a, f)
                } else {
                    self.int(b, f)
                }
            }
            Int::Reduce { reduce, slot, domain, test, body } => self.reduce(*reduce, *slot, domain, test, body, f),
            Int::Ahead { from, direction, steps } => {
                let (from, direction, steps) = (self.int(from, f), self.int(direction, f), self.int(steps, f));
                self.ahead(from, direction, steps)
            }
            Int::Beyond { from, direction, through } => {
                let (from, direction) = (self.int(from, f), self.int(direction, f));
                let through = self.sets(through, f);
                self.beyond(from, direction, through)
            }
            Int::Direction(a, b) => {
                let (a, b) = (self.int(a, f), self.int(b, f));
                self.aim(a, b).map_or(NONE, |way| way.index() as i64)
            }
            Int::Distance(a, b) => {
                let (a, b) = (self.int(a, f), self.int(b, f));
                let found = position(a).zip(position(b)).and_then(|(a, b)| self.engine.geometry.distance(a, b));
                found.map_or(NONE, i64::from)
            }
            Int::Owners(set, when) => {
                let set = self.sets(set, f);
                self.planes_met(&self.engine.planes_of_owner, set, *when)
            }
            Int::KindsIn(set, when) => {
                let set = self.sets(set, f);
                self.planes_met(&self.engine.planes_of_kind, set, *when)
            }
            Int::Make(kind, owner) => {
                let (kind, owner) = (position(self.int(kind, f)), position(self.int(owner, f)));
                let owners = kind.and_then(|kind| self.engine.program.plane_of.get(kind));
                match owners.zip(owner).and_then(|(owners, owner)| owners.get(owner)) {
                    // Plane 0 stands for a piece that no rule can make.
                    None | Some(0) => NONE,
                    Some(plane) => i64::from(*plane),
                }
            }
            Int::Negative(inner) => present(self.int(inner, f).checked_neg()),
            Int::Abs(inner) => present(self.int(inner, f).checked_abs()),
            Int::Max(a, b) => {
                let (a, b) = (self.int(a, f), self.int(b, f));
                if a == NONE || b == NONE { NONE } else { a.max(b) }
            }
            Int::Min(a, b) => {
                let (a, b) = (self.int(a, f), self.int(b, f));
                // A missing number is the least of all.
                a.min(b)
            }
            Int::MaskWhere { slot, domain, test } => self.mask_where(*slot, domain, test, f),
            Int::MaskCollect { slot, domain, test, body } => self.mask_collect(*slot, domain, test, body, f),
            Int::MaskAnd(a, b) => as_mask(self.int(a, f)) & as_mask(self.int(b, f)),
            Int::MaskOr(a, b) => as_mask(self.int(a, f)) | as_mask(self.int(b, f)),
            Int::MaskNot(every, inner) => every & !as_mask(self.int(inner, f)),
            Int::Bit(inner) => match self.int(inner, f) {
                member @ 0..32 => 1 << member,
                _ => 0,
            },
            Int::OnlyBit(inner) => {
                let mask = as_mask(self.int(inner, f));
                if mask.count_ones() == 1 { i64::from(mask.trailing_zeros()) } else { NONE }
            }
            Int::Ones(inner) => i64::from(as_mask(self.int(inner, f)).count_ones()),
            Int::Opposite(inner) => way(self.int(inner, f), true).map_or(NONE, |way| way.index() as i64),
            Int::OppositeMask(inner) => i64::from((self.int(inner, f) as u16).rotate_left(8)),
            Int::Pieces(bits, stack) => stacks::pieces(*bits, self.int(stack, f)),
            Int::Among { bits, planes, stack } => stacks::among(*bits, *planes, self.int(stack, f)),
            Int::Upper { bits, stack, count } => stacks::upper(*bits, self.int(stack, f), self.int(count, f)),
            Int::Lower { bits, stack, count } => stacks::lower(*bits, self.int(stack, f), self.int(count, f)),
            Int::Pile { bits, most, upper, count, lower } => {
                let (upper, count) = (self.int(upper, f), self.int(count, f));
                stacks::pile(*bits, *most, upper, count, self.int(lower, f))
            }
            Int::Turn => i64::from(self.turn),
            Int::Ply => i64::from(self.ply),
            Int::Next => i64::from(self.next),
            Int::Truth(yes, no) => {
                if self.test(yes, f) {
                    1
                } else if self.test(no, f) {
                    0
                } else {
                    NONE
                }
            }
            Int::Primitive(primitive, args, when) => {
                let value = self.primitive(primitive, args, *when, f);
                self.number_of(&value)
            }
        }
    }

    #[inline(never)]
    fn mask_where(&self, slot: u16, domain: &Int, test: &Test, f: &mut Frame<W>) -> i64 {
        let mut mask = 0;
        for member in bits(self.int(domain, f)) {
            f.bind(slot, member);
            if self.test(test, f) {
                mask |= 1 << member;
            }
        }
        mask
    }

    #[inline(never)]
    fn mask_collect(&self, slot: u16, domain: &Domain, test: &Test, body: &Int, f: &mut Frame<W>) -> i64 {
        let mut mask = 0;
        self.members(slot, domain, f, |f| {
            if self.test(test, f) {
                mask |= as_mask(self.int(body, f));
            }
            true
        });
        mask
    }

    #[inline]
    pub(super) fn by_plane(&self, table: &[i64], site: &Int, when: When, f: &mut Frame<W>) -> i64 {
        let site = position(self.int(site, f));
        let plane = site.and_then(|site| self.state(when).contents.get(site));
        plane.and_then(|plane| table.get(usize::from(*plane))).copied().unwrap_or(NONE)
    }

    #[inline(never)]
    pub(super) fn planes_met(&self, groups: &[u64], set: Set<W>, when: When) -> i64 {
        let state = self.state(when);
        let met = groups.iter().enumerate().filter(|(_, planes)| joined(state, **planes).meets(set));
        met.fold(0, |mask, (index, _)| mask | 1 << index)
    }

    pub(super) fn aim(&self, a: i64, b: i64) -> Option<Direction> {
        self.engine.geometry.aim(position(a)?, position(b)?)
    }

    #[inline(never)]
    pub(super) fn ahead(&self, from: i64, direction: i64, steps: i64) -> i64 {
        if steps == NONE {
            return NONE;
        }
        let (Some(mut at), Some(way)) = (position(from), way(direction, steps < 0)) else { return NONE };
        for _ in 0..steps.unsigned_abs().min(u64::from(MOST_STEPS)) {
            match self.engine.geometry.step(at, way) {
                Some(next) => at = next,
                None => return NONE,
            }
        }
        at as i64
    }

    #[inline(never)]
    pub(super) fn beyond(&self, from: i64, direction: i64, through: Set<W>) -> i64 {
        let (Some(from), Some(way)) = (position(from), way(direction, false)) else { return NONE };
        site_or_none(self.engine.geometry.beyond(from, way, through))
    }

    #[inline]
    pub(super) fn reduce(
        &self,
        reduce: Reduce,
        slot: u16,
        domain: &Domain,
        test: &Test,
        body: &Int,
        f: &mut Frame<W>,
    ) -> i64 {
        let mut result = if reduce == Reduce::Sum { 0 } else { NONE };
        self.members(slot, domain, f, |f| {
            if !self.test(test, f) {
                return true;
            }
            let number = self.int(body, f);
            result = reduced(reduce, result, number);
            result != NONE
        });
        result
    }

    /// Binds one member after the other until the visitor has enough; whether it never had.
    #[inline]
    pub(in crate::engine::fast) fn members(
        &self,
        slot: u16,
        domain: &Domain,
        f: &mut Frame<W>,
        mut visit: impl FnMut(&mut Frame<W>) -> bool,
    ) -> bool {
        match domain {
            Domain::Sites(set) => {
                for position in self.sets(set, f) {
                    f.bind(slot, position as i64);
                    if !visit(f) {
                        return false;
                    }
                }
            }
            Domain::Mask(mask) => {
                for member in bits(self.int(mask, f)) {
                    f.bind(slot, member);
                    if !visit(f) {
                        return false;
                    }
                }
            }
            Domain::Range(low, high) => {
                let (low, high) = (self.int(low, f), self.int(high, f));
                if low == NONE || high == NONE {
                    return true;
                }
                for number in (low..=high).take(MAX_RANGE) {
                    f.bind(slot, number);
                    if !visit(f) {
                        return false;
                    }
                }
            }
        }
        true
    }
}

#[inline]
pub(super) fn as_mask(number: i64) -> i64 {
    // The mark of a missing number lies above all bits that a mask can have.
    i64::from(number as u32)
}

/// One more number is taken in; nothing so far is zero of a sum and a missing number else.
#[inline]
fn reduced(reduce: Reduce, so_far: i64, number: i64) -> i64 {
    match reduce {
        _ if number == NONE => NONE,
        Reduce::Sum => present(so_far.checked_add(number)),
        Reduce::Least if so_far != NONE => so_far.min(number),
        Reduce::Least => number,
        // A missing number is the least of all.
        Reduce::Most => so_far.max(number),
    }
}

#[inline]
pub(in crate::engine::fast) fn arithmetic(op: ArithmeticOp, a: i64, b: i64) -> i64 {
    if a == NONE || b == NONE {
        return NONE;
    }
    op.apply(a, b).unwrap_or(NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_number_makes_the_whole_missing() {
        assert_eq!(reduced(Reduce::Sum, 4, 3), 7);
        assert_eq!(reduced(Reduce::Sum, i64::MAX, 1), NONE);
        for reduce in [Reduce::Sum, Reduce::Least, Reduce::Most] {
            assert_eq!(reduced(reduce, 4, NONE), NONE);
        }
        assert_eq!(reduced(Reduce::Least, NONE, 3), 3);
        assert_eq!(reduced(Reduce::Least, 2, 3), 2);
        assert_eq!(reduced(Reduce::Most, NONE, -3), -3);
        assert_eq!(reduced(Reduce::Most, -2, -3), -2);
    }

    #[test]
    fn masks_ignore_the_mark_of_a_missing_number() {
        assert_eq!(bits(NONE).count(), 0);
        assert_eq!(bits(0b1010).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(as_mask(NONE), 0);
    }
}
