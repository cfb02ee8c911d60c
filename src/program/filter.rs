//! The members of a set that pass a test: found for the whole board as far as can be, the rest one by one.

use super::How;
use super::build::*;
use super::ir::*;
use super::lift::{blocked_by, each_int, replace_int};
use super::lower::Lowering;
use super::members::MOST_PIECES;
use super::parts::conjuncts;
use super::told::{Seen, seen_in};
use crate::rules::CompareOp;

impl Lowering<'_> {
    /// The members of a set that pass a test: lifted as far as possible, the rest one by one.
    pub fn filtered(&mut self, slot: u16, set: Sets, test: Test) -> Sets {
        let (domain, rest) = self.fewer(slot, set, conjuncts(test));
        let (domain, rest) = self.at_known_distance(slot, domain, rest);
        let domain = self.seen_on_lines(self.on_common_lines(domain));
        if rest.is_empty() || domain == nothing() {
            return domain;
        }
        let asked = rest.clone();
        let rest: Vec<Test> = rest.into_iter().map(|test| self.off_the_line(test, slot)).collect();
        // Where what is the same for all sites says that they pass, none is asked.
        let Some(free) = rest.iter().map(|test| free_of(test, slot)).collect::<Option<Vec<Test>>>() else {
            let noted = self.slow.len();
            let how = if self.parts.contains(&slot) { How::EachPick } else { How::EachSite };
            self.note_tests(how, &asked);
            let notes = self.slow.get(noted..).unwrap_or_default().to_vec();
            let set = self.asked_of_each(slot, domain, rest);
            self.slow_sets.push((set.clone(), notes));
            return set;
        };
        // That it is asked of each at times is not worth a word.
        let (all, noted) = (domain.clone(), self.slow.len());
        let passing = match rest.as_slice() {
            // What is the same for all sites does not hold where this is asked.
            [only] => self.filtered(slot, domain, asked_of(only, slot)),
            _ => self.asked_of_each(slot, domain, rest),
        };
        self.slow.truncate(noted);
        self.ground.choose(and(free), all, passing)
    }

    /// A set of sites on one line, of which a test says how far away from its first site they are: one site, so many steps on.
    fn at_known_distance(&self, slot: u16, set: Sets, tests: Vec<Test>) -> (Sets, Vec<Test>) {
        let is_plain = self.ways.lines_are_short && self.ways.steps_lead_back && !self.ways.rings;
        let own = Int::Slot(slot);
        let (mut there, mut rest) = (Vec::new(), Vec::new());
        for test in tests {
            let far = seen_in(&set, &own).filter(|_| is_plain).and_then(|Seen { from, way, .. }| {
                let Test::Compare(CompareOp::Equal, a, b) = &test else { return None };
                let is_length = |int: &&Int| {
                    matches!(int, Int::Distance(a, b) if other_end((&**a, &**b), &own).is_some_and(|end| end == from))
                };
                let steps = if is_length(&a) { Some(b) } else { Some(a).filter(|_| is_length(&b)) };
                let steps = steps.filter(|steps| ![from, way, *steps].iter().any(|int| int.reads(slot)))?;
                Some(one(ahead(from.clone(), way.clone(), steps.clone())))
            });
            match far {
                Some(site) => there.push(site),
                None => rest.push(test),
            }
        }
        if !there.is_empty() {
            there.push(set);
            return (self.ground.and(there), rest);
        }
        (set, rest)
    }

    /// The members of a set for which those tests hold that are found for the whole board, if need be piece by piece; and the
    /// other tests.
    pub(super) fn fewer(&self, slot: u16, set: Sets, tests: Vec<Test>) -> (Sets, Vec<Test>) {
        let (mut sets, mut rest) = (vec![set], Vec::new());
        for test in tests {
            match self.lift(&test, slot).or_else(|| self.lift_by_content(&test, slot)) {
                Some(lifted) => sets.push(lifted),
                None => rest.push(test),
            }
        }
        (self.ground.and(sets), rest)
    }

    /// What was worked out for one site after the other, for the whole board where that can be said now that more is known.
    pub(super) fn filters_anew(&self, mut part: PartMut<'_>) {
        part.parts_mut(&mut |part| self.filters_anew(part));
        let PartMut::Sets(sets) = part else { return };
        let Sets::Filter { slot, domain, test } = sets else { return };
        let (domain, rest) = self.fewer(*slot, (**domain).clone(), conjuncts((**test).clone()));
        *sets = match and(rest) {
            Test::Const(true) => domain,
            test => Sets::Filter { slot: *slot, domain: Box::new(domain), test: Box::new(test) },
        };
    }

    /// Takes back that sets are worked out for one site after the other, where what they have become is not.
    pub(super) fn forget_slow(&mut self, before: &Sets, now: &Sets) {
        let is_filter = |part: &Part<'_>| matches!(part, Part::Sets(Sets::Filter { .. }));
        if Part::Sets(now).asks(&is_filter) {
            return;
        }
        // Its slot tells a set that is asked site by site, also where what it leaves out is asked.
        let slot_of = |set: &Sets| if let Sets::Filter { slot, .. } = set { Some(*slot) } else { None };
        for (set, notes) in &self.slow_sets {
            let is_it = |one: &Sets| one == set || slot_of(one).is_some() && slot_of(one) == slot_of(set);
            if Part::Sets(before).asks(&|part| matches!(part, Part::Sets(one) if is_it(one))) {
                self.mended.extend(notes);
            }
        }
    }

    /// The sites for which a test holds that asks which kind of piece stands there, or whose it is: piece by piece, where that
    /// says it for the whole board.
    fn lift_by_content(&self, test: &Test, slot: u16) -> Option<Sets> {
        let asks = |part: &Part<'_>| matches!(part, Part::Int(int) if asks_content(int, slot));
        if !Part::Test(test).asks(&asks) || self.ground.planes.count_ones() > MOST_PIECES {
            return None;
        }
        let each = (0..64).filter(|plane| self.ground.planes >> plane & 1 == 1).map(|plane: usize| {
            let mut test = test.clone();
            self.suppose_content(PartMut::Test(&mut test), slot, plane)?;
            Some(self.ground.and(vec![self.ground.planes(1 << plane, When::Now), self.lift(&test, slot)?]))
        });
        Some(self.ground.or(each.collect::<Option<_>>()?))
    }

    /// Puts into an instruction what a piece of a plane is, for what it asks about the piece on the site of a slot.
    pub(super) fn suppose_content(&self, part: PartMut<'_>, slot: u16, plane: usize) -> Option<()> {
        let content = self.planes.get(plane)?;
        let kind = content.kind().map_or(NONE, |kind| i64::from(kind.0));
        let owner = content.owner().map_or(NONE, |owner| i64::from(owner.0));
        let known = |int: &Int| {
            if let Int::Make(kind, owner) = int {
                let (Int::Const(kind), Int::Const(owner)) = (&**kind, &**owner) else { return None };
                let is_none = [kind, owner].contains(&&NONE);
                return if is_none { Some(Int::Const(NONE)) } else { self.made(*kind, *owner) };
            }
            let value = if let Int::Kind(..) = int { kind } else { owner };
            asks_content(int, slot).then_some(Int::Const(value))
        };
        refold(part, &known);
        Some(())
    }

    /// The members of a set of which some other site tells that they pass: found for each of those others, where a part of what
    /// is asked is a set told by it alone. None where it is not so.
    pub(super) fn gathered_by_others(&mut self, domain: &Sets, slot: u16, test: &Test) -> Option<Sets> {
        let mut tests = conjuncts(test.clone());
        let at = tests.iter().position(|test| matches!(test, Test::Exists { .. }))?;
        let Test::Exists { slot: other, domain: others, test } = tests.remove(at) else { return None };
        if !matches!(&*others, Domain::Sites(set) if !set.reads(slot)) {
            return None;
        }
        let (free, own): (Vec<Test>, Vec<Test>) = conjuncts(*test).into_iter().partition(|test| !test.reads(slot));
        let is_told =
            |test: &Test| matches!(test, Test::Contains(set, Int::Slot(at)) if *at == slot && !set.reads(slot));
        let (told, asked): (Vec<Test>, Vec<Test>) = own.into_iter().partition(is_told);
        if told.is_empty() {
            return None;
        }
        let told = told.into_iter().map(|test| if let Test::Contains(set, _) = test { set } else { nothing() });
        let domain = self.ground.and(told.chain([domain.clone()]).collect());
        let asked = and(asked.into_iter().chain(tests).collect());
        let body = match asked {
            Test::Const(true) => domain,
            asked => Sets::Filter { slot, domain: Box::new(domain), test: Box::new(asked) },
        };
        let (test, body) = (Box::new(and(free)), Box::new(body));
        Some(self.named_set(Sets::Collect { slot: other, domain: others, test, body }))
    }

    fn asked_of_each(&mut self, slot: u16, domain: Sets, tests: Vec<Test>) -> Sets {
        let test = and(tests);
        if let Some(groups) = self.groups_that_pass(slot, &domain, &test) {
            return self.named_set(groups);
        }
        self.named_set(Sets::Filter { slot, domain: Box::new(domain), test: Box::new(test) })
    }

    /// A test that counts along a line which the site in the slot may block: mostly it does not, and the line is the
    /// same for all sites.
    fn off_the_line(&self, test: Test, slot: u16) -> Test {
        let mut line = None;
        each_int(&Part::Test(&test), &mut Vec::new(), &mut |int| {
            if let Int::Count(set) = int
                && let Sets::Run { from, directions, through } = &**set
                && let Some(open) = blocked_by(through, slot)
                && !from.reads(slot)
                && !directions.reads(slot)
            {
                let free = Sets::Run { from: from.clone(), directions: directions.clone(), through: Box::new(open) };
                line = Some((int.clone(), free));
            }
        });
        let Some((node, free)) = line else { return test };
        let mut without = test.clone();
        replace_int(&mut PartMut::Test(&mut without), &node, &Int::Count(Box::new(free.clone())));
        let blocked = contains(free, Int::Slot(slot));
        or(vec![and(vec![not(blocked.clone()), without]), and(vec![blocked, test])])
    }
}

/// Those cases of a test that are the same for all sites in a slot; none where all speak of it.
fn free_of(test: &Test, slot: u16) -> Option<Test> {
    let Test::Or(cases) = test else { return None };
    let free: Vec<Test> = cases.iter().filter(|case| !case.reads(slot)).cloned().collect();
    (!free.is_empty()).then(|| or(free))
}

/// Those cases of a test that speak of the site in a slot.
fn asked_of(test: &Test, slot: u16) -> Test {
    match test {
        Test::Or(cases) => or(cases.iter().filter(|case| case.reads(slot)).cloned().collect()),
        other => other.clone(),
    }
}

/// Whether a number is the kind or the owner of the piece on the site of a slot.
fn asks_content(int: &Int, slot: u16) -> bool {
    matches!(int, Int::Kind(of, When::Now) | Int::Owner(of, When::Now) if **of == Int::Slot(slot))
}
