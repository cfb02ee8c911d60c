//! Distances to the nearest of several sites, compared for all sites at once.

use super::build::*;
use super::ir::*;
use super::lower::Lowering;
use super::parts::conjuncts;
use crate::rules::{CompareOp, Reduce};

impl Lowering<'_> {
    /// The sites of the slot from which some sites are nearer than others, or as near, or farther.
    pub(super) fn nearest_compared(&self, op: CompareOp, a: &Int, b: &Int, slot: u16) -> Option<Sets> {
        let (a, b) = (self.nearest_of(a, &Int::Slot(slot))?, self.nearest_of(b, &Int::Slot(slot))?);
        Some(match op {
            CompareOp::Less => self.nearer(a, b, false),
            CompareOp::LessEqual => self.nearer(a, b, true),
            CompareOp::Greater => self.nearer(b, a, false),
            CompareOp::GreaterEqual => self.nearer(b, a, true),
            CompareOp::Equal => {
                self.ground.and(vec![self.nearer(a, b, true), self.ground.not(self.nearer(a, b, false))])
            }
            CompareOp::NotEqual => self.ground.or(vec![self.nearer(a, b, false), self.nearer(b, a, false)]),
        })
    }

    /// The sites of the slot from which some member of a set is at most as far as a number says that is the same for all sites,
    /// or is one of the nearest of a set that has all these members, or is nearer than any member of another set.
    pub(super) fn some_is_near(&self, (member, domain, test): (u16, &Domain, &Test), slot: u16) -> Option<Sets> {
        let Domain::Sites(set) = domain else { return None };
        let (own, rest): (Vec<Test>, Vec<Test>) =
            conjuncts(test.clone()).into_iter().partition(|test| test.reads(slot));
        let [own] = own.as_slice() else { return None };
        if set.reads(slot) || !self.all_are_linked() {
            return None;
        }
        let of = || Some(self.ground.and(vec![set.clone(), self.lift(&and(rest), member)?]));
        if let Test::Not(inner) = own {
            let (op, others) = self.some_other_compares(inner, slot, member)?;
            let (of, equal) = (of()?, op == CompareOp::Less);
            let alone = self.ground.choose(any(of.clone()), self.ground.everything(), nothing());
            let known = any(others.clone());
            return Some(self.ground.choose(known, self.nearer(&of, &others, equal), alone));
        }
        let (op, bound) = distance_compared(own, slot, member)?;
        if bound.reads(member) {
            return None;
        }
        if !bound.reads(slot) {
            let steps = match op {
                CompareOp::LessEqual => bound.clone(),
                CompareOp::Less => offset(bound.clone(), -1),
                CompareOp::Equal | CompareOp::NotEqual | CompareOp::Greater | CompareOp::GreaterEqual => return None,
            };
            return Some(Sets::Within { of: Box::new(of()?), steps: Box::new(steps) });
        }
        let (among, of) = (self.nearest_of(bound, &Int::Slot(slot))?, of()?);
        let is_nearest = matches!(op, CompareOp::Equal | CompareOp::LessEqual) && self.surely_within(&of, among);
        is_nearest.then(|| self.nearer(&of, among, true))
    }

    /// How the distance to some of other sites compares with that to a member, and these sites, if a test asks that.
    fn some_other_compares(&self, test: &Test, slot: u16, member: u16) -> Option<(CompareOp, Sets)> {
        let Test::Exists { slot: other, domain, test } = test else { return None };
        let Domain::Sites(set) = &**domain else { return None };
        let (own, rest): (Vec<Test>, Vec<Test>) =
            conjuncts((**test).clone()).into_iter().partition(|test| test.reads(slot) || test.reads(member));
        let [own] = own.as_slice() else { return None };
        let (op, bound) = distance_compared(own, slot, *other)?;
        let is_nearer = matches!(op, CompareOp::Less | CompareOp::LessEqual) && is_distance(bound, slot, member);
        if !is_nearer || set.reads(slot) || set.reads(member) {
            return None;
        }
        Some((op, self.ground.and(vec![set.clone(), self.lift(&and(rest), *other)?])))
    }

    /// The sites from which some sites are nearer than others, or with `equal` as near.
    fn nearer(&self, to: &Sets, than: &Sets, equal: bool) -> Sets {
        if to == than {
            return if equal {
                self.ground.choose(any(to.clone()), self.ground.everything(), nothing())
            } else {
                nothing()
            };
        }
        Sets::Nearer { to: Box::new(to.clone()), than: Box::new(than.clone()), equal }
    }

    /// The distance to one of the nearest of some sites, whichever it is: the least.
    pub(super) fn distance_to_nearest(&self, a: &Int, b: &Int) -> Option<Int> {
        [(a, b), (b, a)].into_iter().find_map(|(one, from)| {
            let Int::Only(only) = one else { return None };
            let Sets::First(nearest) = &**only else { return None };
            let Sets::Filter { slot, domain, test } = &**nearest else { return None };
            let Test::Compare(CompareOp::Equal, a, b) = &**test else { return None };
            let (distance, least) = if matches!(a, Int::Distance(..)) { (a, b) } else { (b, a) };
            let is_least = is_between(distance, from, &Int::Slot(*slot)) && self.nearest_of(least, from)? == &**domain;
            is_least.then(|| least.clone())
        })
    }

    /// The sites to the nearest of which a number is the distance from another one.
    fn nearest_of<'i>(&self, int: &'i Int, from: &Int) -> Option<&'i Sets> {
        let Int::Reduce { reduce: Reduce::Least, slot: member, domain, test, body } = int else { return None };
        let Domain::Sites(set) = &**domain else { return None };
        let hangs_on_it = matches!(from, Int::Slot(slot) if set.reads(*slot));
        let is_plain = **test == Test::Const(true) && is_between(body, from, &Int::Slot(*member)) && !hangs_on_it;
        (is_plain && self.all_are_linked()).then_some(set)
    }

    /// Whether steps lead from every site to all others, and back as fast.
    fn all_are_linked(&self) -> bool {
        self.ways.farthest.is_some() && self.ways.steps_are_neighbours
    }
}

/// How a test compares the distance between the sites in two slots with another number.
fn distance_compared(test: &Test, slot: u16, member: u16) -> Option<(CompareOp, &Int)> {
    let Test::Compare(op, a, b) = test else { return None };
    let sides = [(*op, a, b), (op.turned(), b, a)];
    sides.into_iter().find_map(|(op, own, other)| is_distance(own, slot, member).then_some((op, other)))
}

fn is_distance(int: &Int, slot: u16, member: u16) -> bool {
    is_between(int, &Int::Slot(slot), &Int::Slot(member))
}

/// Whether a number is the distance between two sites.
fn is_between(int: &Int, one: &Int, other: &Int) -> bool {
    matches!(int, Int::Distance(a, b) if (&**a, &**b) == (one, other) || (&**a, &**b) == (other, one))
}
