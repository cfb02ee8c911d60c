//! Whether plies that are picked differently and print alike can be legal in one state: all that can be picked on the board is
//! gone through, with what has to stand where for it.
//!
//! What is picked is taken from the most that a set can have, and given up where a condition fails on the board alone. Of
//! conditions that play decides only those are read that say what stands on a known site, so more is gone through than is
//! legal. Two plies are rivals where what they print may be the same, and no site would have to hold two things for them.

use super::build::{any, members, put_in};
use super::extent::{Extent, Given, place};
use super::finish::put_set;
use super::ir::*;
use super::lower::{Lowered, Lowering};
use super::parts::conjuncts;
use super::plan::{Line, MovePlan};
use super::told::{is_there, required};
use super::{Generator, Printed, Step};
use crate::board::{Site, SiteSet};
use crate::rules::{CompareOp, Local};
use std::collections::BTreeMap;

/// Where more can be picked than this it is not gone through.
const MOST_PICKED: usize = 4_000;

/// So many pairs are compared at most.
const MOST_COMPARED: usize = 500_000;

/// So many members and conditions are looked at on the way there at most.
const MOST_JUDGED: u64 = 40_000;

/// What is done on the way through a move before anything changes.
enum Pace {
    Pick(u16, Domain),
    Name(u16, Int),
    Ask(Test),
}

/// What stands on some sites: one of some planes each.
type Needs = Vec<(Site, u64)>;

/// What is printed of one value.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    Number(i64),
    /// One of these sites, which is there.
    Within(SiteSet),
    /// A set that has some sites at least and at most, and whether it surely has any.
    Sites(Extent, bool),
    Anything,
}

impl Shown {
    fn may_equal(self, other: Self) -> bool {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => one == other,
            (Self::Within(one), Self::Within(other)) => one.intersects(other),
            (Self::Within(sites), Self::Number(at)) | (Self::Number(at), Self::Within(sites)) => {
                place(at).is_some_and(|site| sites.contains(site))
            }
            (Self::Sites(one, some), Self::Sites(other, others)) => {
                let may_be = one.least.is_subset(other.most) && other.least.is_subset(one.most);
                may_be && (one.most.intersects(other.most) || !some && !others)
            }
            (Self::Anything | Self::Sites(..), _) | (_, Self::Anything | Self::Sites(..)) => true,
        }
    }
}

/// Something that can be picked.
struct Picked {
    parts: Vec<i64>,
    shown: Vec<Shown>,
    needs: Needs,
}

impl Picked {
    /// Whether another one may be legal in the same state, and print the same.
    fn is_rival_of(&self, other: &Self) -> bool {
        let needed =
            |site: &Site| other.needs.iter().rev().find(|(own, _)| own == site).map_or(u64::MAX, |(_, planes)| *planes);
        self.parts != other.parts
            && self.shown.iter().zip(&other.shown).all(|(one, other)| one.may_equal(*other))
            && self.needs.iter().all(|(site, planes)| planes & needed(site) != 0)
    }
}

/// All that has been gone through.
struct Found<'p> {
    paces: Vec<Pace>,
    /// What is printed, and whether that is there in every legal ply.
    printed: Vec<(Printed, bool)>,
    /// The parts that tell plies from each other.
    parts: &'p [u16],
    picked: Vec<Picked>,
}

impl Lowering<'_> {
    /// Whether no two plies of a move are rivals, as far as the board and what must stand on it tell.
    pub(super) fn has_no_rivals(&mut self, plan: &MovePlan<'_>, generator: &Generator) -> Lowered<bool> {
        if !required(&plan.line, &mut Vec::new()) {
            return Ok(false);
        }
        let paces = paces(&plan.line);
        let asked = asked_in(&paces);
        let is_there = |shown: &Printed| match shown {
            Printed::Number(site) => is_there(site, &asked),
            Printed::Sites(set) => asked.contains(&any(set.clone())),
        };
        let printed = self.printed(plan)?.0.into_iter().map(|shown| (is_there(&shown), shown));
        let printed = printed.map(|(is_there, shown)| (shown, is_there)).collect();
        // What only witnesses that a ply is legal makes no other one, unless it is gone through.
        let is_part = |(local, slot): &&(Local, u16)| !plan.is_witness(*local) || generator.binds(*slot);
        let parts: Vec<u16> = plan.parts.iter().filter(is_part).map(|(_, slot)| *slot).collect();
        let mut found = Found { paces, printed, parts: &parts, picked: Vec::new() };
        let left = self.left_to_judge.replace(MOST_JUDGED);
        let all = self.go_through(0, &mut Vec::new(), &mut Needs::new(), &mut found);
        self.left_to_judge.set(left);
        Ok(all && are_no_rivals(&found.picked))
    }

    /// Goes on with what can be picked from a place on; false where that is too much.
    fn go_through(&self, at: usize, given: &mut Vec<(u16, i64)>, needs: &mut Needs, found: &mut Found<'_>) -> bool {
        let Some(pace) = found.paces.get(at) else {
            let part = |slot: &u16| given.iter().rev().find(|(own, _)| own == slot).map_or(NONE, |(_, value)| *value);
            let shown = found.printed.iter().map(|(shown, there)| self.shown_of(shown, *there, given)).collect();
            found.picked.push(Picked { parts: found.parts.iter().map(part).collect(), shown, needs: needs.clone() });
            return found.picked.len() <= MOST_PICKED;
        };
        let (known, needed) = (given.len(), needs.len());
        let going = match pace {
            Pace::Name(slot, value) => {
                let slot = *slot;
                if let Some(number) = self.number(value, given) {
                    given.push((slot, number));
                }
                self.go_through(at + 1, given, needs, found)
            }
            Pace::Ask(test) => match self.judged(test, given) {
                Some(false) => true,
                Some(true) | None => {
                    self.left_to_judge.get() > 0
                        && (!self.add_needs(test, given, needs) || self.go_through(at + 1, given, needs, found))
                }
            },
            Pace::Pick(slot, domain) => {
                let slot = *slot;
                let Some(members) = self.all_that_may_be(domain, given) else { return false };
                let set = if let Domain::Sites(set) = domain { Some(set.clone()) } else { None };
                members.into_iter().all(|member| {
                    let Some(left) = self.left_to_judge.get().checked_sub(1) else { return false };
                    self.left_to_judge.set(left);
                    let before = needs.len();
                    given.push((slot, member));
                    let site = place(member);
                    let may_lie = set
                        .as_ref()
                        .zip(site)
                        .is_none_or(|(set, site)| self.add_needs_of_member(set, site, given, needs));
                    let going = !may_lie || self.go_through(at + 1, given, needs, found);
                    given.truncate(known);
                    needs.truncate(before);
                    going
                })
            }
        };
        given.truncate(known);
        needs.truncate(needed);
        going
    }

    /// All that a domain can have; none where that is not bounded.
    fn all_that_may_be(&self, domain: &Domain, given: Given<'_>) -> Option<Vec<i64>> {
        Some(match domain {
            Domain::Sites(set) => self.extent(set, given).most.iter().map(|site| i64::from(site.0)).collect(),
            Domain::Mask(mask) => members(self.most_of_mask(mask, given)?).collect(),
            Domain::Range(low, high) => {
                let low = self.number(low, given).or_else(|| self.bounds(low).map(|(least, _)| least))?;
                let high = self.number(high, given).or_else(|| self.bounds(high).map(|(_, most)| most))?;
                if low == NONE || high == NONE {
                    return Some(Vec::new());
                }
                let few = usize::try_from(high.saturating_sub(low)).is_ok_and(|length| length < MOST_PICKED);
                if !few && high >= low {
                    return None;
                }
                (low..=high).collect()
            }
        })
    }

    /// All that a mask can hold; none where its form does not say.
    fn most_of_mask(&self, mask: &Int, given: Given<'_>) -> Option<i64> {
        if let Some(known) = self.number(mask, given) {
            return Some(if known == NONE { 0 } else { known });
        }
        let most = |mask: &Int| self.most_of_mask(mask, given);
        if let Int::MaskWhere { domain, .. } = mask {
            most(domain)
        } else if let Int::MaskAnd(a, b) = mask {
            match (most(a), most(b)) {
                (Some(a), Some(b)) => Some(a & b),
                (a, b) => a.or(b),
            }
        } else if let Int::MaskOr(a, b) | Int::If(_, a, b) = mask {
            Some(most(a)? | most(b)?)
        } else {
            None
        }
    }

    fn shown_of(&self, shown: &Printed, is_there: bool, given: Given<'_>) -> Shown {
        match shown {
            Printed::Number(number) => match self.number(number, given) {
                Some(number) => Shown::Number(number),
                None if is_there => Shown::Within(self.place_of(number, given).most),
                None => Shown::Anything,
            },
            Printed::Sites(set) => Shown::Sites(self.extent(set, given), is_there),
        }
    }

    /// Adds what must stand where for a test to hold; false where nothing can.
    fn add_needs(&self, test: &Test, given: Given<'_>, needs: &mut Needs) -> bool {
        match test {
            Test::And(parts) => parts.iter().all(|part| self.add_needs(part, given, needs)),
            Test::Or(parts) => {
                let mut open = parts.iter().filter(|part| self.judged(part, given) != Some(false));
                match (open.next(), open.next()) {
                    (None, _) => false,
                    (Some(only), None) => self.add_needs(only, given, needs),
                    (Some(_), Some(_)) => true,
                }
            }
            Test::Not(inner) => self.add_needs_of_failing(inner, given, needs),
            Test::Any(set) => match self.extent(set, given).most.only() {
                Some(site) => self.add_needs_of_member(set, site, given, needs),
                None => true,
            },
            Test::Contains(set, site) => match self.place_of(site, given).known().and_then(SiteSet::only) {
                Some(site) => self.add_needs_of_member(set, site, given, needs),
                None => true,
            },
            Test::Subset(some, of) => {
                let mut some = self.extent(some, given).least.iter();
                some.all(|site| self.add_needs_of_member(of, site, given, needs))
            }
            Test::Compare(CompareOp::Equal, length, Int::Count(run))
            | Test::Compare(CompareOp::Equal, Int::Count(run), length)
                if let Sets::Run { from, directions, through } = &**run
                    && let Some(length) = self.number(length, given)
                    && let (Some(from), Some(way)) =
                        (self.extent(from, given).known(), self.number(directions, given))
                    && from.only().is_some()
                    && members(way).count() == 1 =>
            {
                let ends = |steps: i64| self.walk().pushed(from, way, steps).only();
                let mut passed = (1..=length.max(0)).map(ends);
                passed.all(|site| site.is_some_and(|site| self.add_needs_of_member(through, site, given, needs)))
                    && ends(length + 1).is_none_or(|site| self.add_needs_of_no_member(through, site, given, needs))
            }
            Test::Compare(op, Int::Count(set), number) => {
                let most = self.extent(set, given).most;
                let (Some(number), Ok(all)) = (self.number(number, given), i64::try_from(most.len())) else {
                    return true;
                };
                // No other number of members than this would do.
                let alone = |wanted: i64| (0..=all).all(|count| op.holds(&count, &number) == (count == wanted));
                if alone(all) {
                    most.iter().all(|site| self.add_needs_of_member(set, site, given, needs))
                } else if alone(0) {
                    most.iter().all(|site| self.add_needs_of_no_member(set, site, given, needs))
                } else {
                    true
                }
            }
            Test::With { slot, value, test } => match self.number(value, given) {
                Some(value) => self.add_needs(test, &[given, &[(*slot, value)]].concat(), needs),
                None => true,
            },
            // Nothing is known of these.
            Test::Const(_)
            | Test::Compare(..)
            | Test::Known(_)
            | Test::Exists { .. }
            | Test::WithSites { .. }
            | Test::Lists(..)
            | Test::Seen { .. }
            | Test::Possible { .. }
            | Test::Stuck
            | Test::Unfinished
            | Test::CanApply(_)
            | Test::OfNew { .. } => true,
        }
    }

    /// The same for a test to fail.
    fn add_needs_of_failing(&self, test: &Test, given: Given<'_>, needs: &mut Needs) -> bool {
        if let Test::Not(inner) = test {
            self.add_needs(inner, given, needs)
        } else if let Test::Or(parts) = test {
            parts.iter().all(|part| self.add_needs_of_failing(part, given, needs))
        } else if let Test::Any(set) = test {
            let mut all = self.extent(set, given).most.iter();
            all.all(|site| self.add_needs_of_no_member(set, site, given, needs))
        } else if let Test::Contains(set, site) = test
            && let Some(site) = self.place_of(site, given).known().and_then(SiteSet::only)
        {
            self.add_needs_of_no_member(set, site, given, needs)
        } else {
            true
        }
    }

    /// Adds what must stand where for a set to have a member.
    fn add_needs_of_member(&self, set: &Sets, site: Site, given: Given<'_>, needs: &mut Needs) -> bool {
        if !self.extent(set, given).most.contains(site) {
            return false;
        }
        if let Sets::Planes(planes, When::Now) = set {
            add(needs, site, *planes)
        } else if let Sets::And(parts) = set {
            parts.iter().all(|part| self.add_needs_of_member(part, site, given, needs))
        } else if let Sets::Or(parts) = set {
            let mut open = parts.iter().filter(|part| self.extent(part, given).most.contains(site));
            match (open.next(), open.next()) {
                (Some(only), None) => self.add_needs_of_member(only, site, given, needs),
                (None, _) | (_, Some(_)) => true,
            }
        } else if let Sets::Not(inner) = set {
            self.add_needs_of_no_member(inner, site, given, needs)
        } else if let Sets::Minus(whole, taken) = set {
            self.add_needs_of_member(whole, site, given, needs)
                && self.add_needs_of_no_member(taken, site, given, needs)
        } else if let Sets::Filter { slot, domain, test } = set {
            self.add_needs_of_member(domain, site, given, needs)
                && self.add_needs(test, &[given, &[(*slot, i64::from(site.0))]].concat(), needs)
        } else if let Sets::Collect { slot, domain, test: _, body } = set
            && let Some(members) = self.all_that_may_be(domain, given)
        {
            let with = |member: i64| [given, &[(*slot, member)]].concat();
            let mut open = members.into_iter().map(with).filter(|given| self.extent(body, given).most.contains(site));
            match (open.next(), open.next()) {
                (Some(only), None) => self.add_needs_of_member(body, site, &only, needs),
                (None, _) | (_, Some(_)) => true,
            }
        } else if let Sets::Run { from, through, .. } | Sets::Beyond { from, through, .. } = set
            && self.ways.rays_are_apart
            && let Some(from) = self.extent(from, given).known().and_then(SiteSet::only)
        {
            let mut passed = self.walk().between(Some(from), Some(site)).iter();
            let is_run = matches!(set, Sets::Run { .. });
            passed.all(|passed| self.add_needs_of_member(through, passed, given, needs))
                && if is_run {
                    self.add_needs_of_member(through, site, given, needs)
                } else {
                    self.add_needs_of_no_member(through, site, given, needs)
                }
        } else {
            true
        }
    }

    /// Adds what must stand where for a set not to have a member.
    fn add_needs_of_no_member(&self, set: &Sets, site: Site, given: Given<'_>, needs: &mut Needs) -> bool {
        if self.extent(set, given).least.contains(site) {
            return false;
        }
        if let Sets::Planes(planes, When::Now) = set {
            add(needs, site, !planes & self.ground.planes)
        } else if let Sets::Not(inner) = set {
            self.add_needs_of_member(inner, site, given, needs)
        } else if let Sets::Or(parts) = set {
            parts.iter().all(|part| self.add_needs_of_no_member(part, site, given, needs))
        } else if let Sets::And(parts) = set {
            let mut open = parts.iter().filter(|part| !self.extent(part, given).least.contains(site));
            match (open.next(), open.next()) {
                (Some(only), None) => self.add_needs_of_no_member(only, site, given, needs),
                (None, _) | (_, Some(_)) => true,
            }
        } else {
            true
        }
    }
}

/// Adds what may stand on a site to what is known of it; false where nothing may.
fn add(needs: &mut Needs, site: Site, planes: u64) -> bool {
    let known = needs.iter().rev().find(|(own, _)| *own == site).map_or(u64::MAX, |(_, planes)| *planes);
    needs.push((site, planes & known));
    planes & known != 0
}

/// The way through a move up to its first change, with sets in the place of their names.
fn paces(line: &Line) -> Vec<Pace> {
    let (mut paces, mut sets, mut at) = (Vec::new(), Vec::new(), line);
    let written = |mut part: PartMut<'_>, sets: &[(u16, Sets)]| {
        for (slot, set) in sets.iter().rev() {
            part.parts_mut(&mut |part| put_set(part, *slot, set));
        }
    };
    loop {
        match at {
            Line::Part { slot, domain, test, rest, .. } => {
                let (mut domain, mut test) = (domain.clone(), test.clone());
                domain.parts_mut(&mut |part| written(part, &sets));
                written(PartMut::Test(&mut test), &sets);
                paces.extend([Pace::Pick(*slot, domain), Pace::Ask(test)]);
                at = rest;
            }
            Line::Keep(steps, rest) => {
                for step in steps {
                    match step {
                        Step::Let(slot, value) => {
                            let mut value = value.clone();
                            written(PartMut::Int(&mut value), &sets);
                            paces.push(Pace::Name(*slot, value));
                        }
                        Step::LetSites(slot, set) => {
                            let mut set = set.clone();
                            written(PartMut::Sets(&mut set), &sets);
                            sets.push((*slot, set));
                        }
                        Step::Change(_) | Step::Repeat(_) => {}
                    }
                }
                at = rest;
            }
            Line::Require(test, rest) => {
                let mut test = test.clone();
                written(PartMut::Test(&mut test), &sets);
                paces.push(Pace::Ask(test));
                at = rest;
            }
            Line::Change { test, .. } => {
                let mut test = test.clone();
                written(PartMut::Test(&mut test), &sets);
                paces.push(Pace::Ask(test));
                return paces;
            }
            Line::Guarded { .. } | Line::Repeat { .. } | Line::Done(_) => return paces,
        }
    }
}

/// What every ply passes, with what is meant in the place of names.
fn asked_in(paces: &[Pace]) -> Vec<Test> {
    let (mut asked, mut names): (Vec<Test>, Vec<(u16, &Int)>) = (Vec::new(), Vec::new());
    for pace in paces {
        match pace {
            Pace::Pick(..) => {}
            Pace::Name(slot, value) => names.push((*slot, value)),
            Pace::Ask(test) => {
                let mut test = test.clone();
                names.iter().rev().for_each(|(slot, value)| put_in(PartMut::Test(&mut test), *slot, value));
                asked.extend(conjuncts(test));
            }
        }
    }
    asked
}

/// Whether no two of what can be picked are rivals, as far as that can be told by comparing not too many of them.
fn are_no_rivals(picked: &[Picked]) -> bool {
    // What prints a number that is known of all of them is compared only with what prints the same one.
    let width = picked.first().map_or(0, |first| first.shown.len());
    let known = |at: usize| picked.iter().all(|picked| matches!(picked.shown.get(at), Some(Shown::Number(_))));
    let keys: Vec<usize> = (0..width).filter(|at| known(*at)).collect();
    let key = |picked: &Picked| -> Vec<i64> {
        let number = |at: &usize| match picked.shown.get(*at) {
            Some(Shown::Number(number)) => *number,
            Some(Shown::Sites(..) | Shown::Within(_) | Shown::Anything) | None => NONE,
        };
        keys.iter().map(number).collect()
    };
    let mut by_key: BTreeMap<Vec<i64>, Vec<&Picked>> = BTreeMap::new();
    for picked in picked {
        by_key.entry(key(picked)).or_default().push(picked);
    }
    let pairs: usize = by_key.values().map(|alike| alike.len() * alike.len() / 2).sum();
    pairs <= MOST_COMPARED
        && by_key
            .values()
            .all(|alike| (1..alike.len()).all(|at| alike.iter().take(at).all(|other| !other.is_rival_of(alike[at]))))
}
