//! What is found for each member of a domain, taken together: said of all members at once wherever it can be.

use super::build::*;
use super::ir::*;
use super::lower::{Lowering, mask_of_directions};
use super::parts::conjuncts;
use crate::rules::CompareOp;

impl Lowering<'_> {
    /// The sites that a set has for some member of a domain that passes a test.
    pub(super) fn gathered(&mut self, slot: u16, domain: Domain, test: Test, body: Sets) -> Sets {
        match self.at_once(slot, &domain, &test, &body) {
            Some(all) => {
                self.forget_slow(&body, &all);
                all
            }
            None => self.collected(slot, domain, test, body),
        }
    }

    /// The same for one member after the other.
    pub(super) fn collected(&mut self, slot: u16, domain: Domain, test: Test, body: Sets) -> Sets {
        let (domain, test, body) = (Box::new(domain), Box::new(test), Box::new(body));
        self.named_set(Sets::Collect { slot, domain, test, body })
    }

    /// The sites of a slot for which some member of a domain passes a test, where that says no more of them than that they lie
    /// in sets which the member tells.
    pub(super) fn met_by_some(&self, member: u16, domain: &Domain, test: &Test, slot: u16) -> Option<Sets> {
        if domain.reads(slot) {
            return None;
        }
        let (own, rest): (Vec<Test>, Vec<Test>) =
            conjuncts(test.clone()).into_iter().partition(|part| part.reads(slot));
        let lies_in = |part: Test| {
            if let Test::Contains(set, Int::Slot(site)) = &part
                && *site == slot
                && !set.reads(slot)
            {
                return Some(set.clone());
            }
            let Test::Compare(CompareOp::Equal, a, b) = part else { return None };
            let (own, other) = if a == Int::Slot(slot) { (a, b) } else { (b, a) };
            (own == Int::Slot(slot) && !other.reads(slot)).then(|| one(other))
        };
        let body = self.ground.and(own.into_iter().map(lies_in).collect::<Option<_>>()?);
        let test = and(rest);
        self.at_once(member, domain, &test, &body).or_else(|| {
            let (domain, test) = (Box::new(domain.clone()), Box::new(test));
            Some(Sets::Collect { slot: member, domain, test, body: Box::new(body) })
        })
    }

    /// The same where it can be said for all members at once.
    pub(super) fn at_once(&self, slot: u16, domain: &Domain, test: &Test, body: &Sets) -> Option<Sets> {
        match domain {
            Domain::Sites(set) => {
                let (own, before): (Vec<Test>, Vec<Test>) =
                    conjuncts(test.clone()).into_iter().partition(|part| part.reads(slot));
                let all = self.of_sites(slot, set, &own, body)?;
                Some(self.ground.choose(and(before), all, nothing()))
            }
            Domain::Mask(Int::MaskWhere { slot: inner, domain, test: passing }) => {
                let Int::Const(mask) = **domain else { return None };
                let mut passing = (**passing).clone();
                put_in(PartMut::Test(&mut passing), *inner, &Int::Slot(slot));
                self.at_once(slot, &Domain::Mask(Int::Const(mask)), &and(vec![passing, test.clone()]), body)
            }
            Domain::Mask(_) | Domain::Range(..) => {
                let told = told_of_few(slot, domain, test, body)?.into_iter();
                let each = told.map(|(test, mut set)| {
                    self.filters_anew(PartMut::Sets(&mut set));
                    self.ground.choose(test, set, nothing())
                });
                Some(self.ground.or(each.collect()))
            }
        }
    }

    /// Of sites: each form is one of which the whole has what its parts have.
    fn of_sites(&self, slot: u16, members: &Sets, tests: &[Test], body: &Sets) -> Option<Sets> {
        let again = |body: &Sets| self.of_sites(slot, members, tests, body);
        match body {
            Sets::Or(parts) => Some(self.ground.or(parts.iter().map(again).collect::<Option<_>>()?)),
            Sets::And(parts) => {
                let (own, rest): (Vec<&Sets>, Vec<&Sets>) = parts.iter().partition(|part| part.reads(slot));
                let [own] = own.as_slice() else { return None };
                let mut all = vec![again(own)?];
                all.extend(rest.into_iter().cloned());
                Some(self.ground.and(all))
            }
            Sets::If(test, yes, no) if **no == nothing() => {
                let (own, before): (Vec<Test>, Vec<Test>) =
                    conjuncts((**test).clone()).into_iter().partition(|part| part.reads(slot));
                let tests: Vec<Test> = tests.iter().cloned().chain(own).collect();
                Some(self.ground.choose(and(before), self.of_sites(slot, members, &tests, yes)?, nothing()))
            }
            Sets::Minus(set, taken) if !taken.reads(slot) => Some(minus(again(set)?, (**taken).clone())),
            Sets::One(site) => self.sites_of_each(slot, members, tests, site),
            Sets::Near(site) => Some(Sets::Dilate(Box::new(self.sites_of_each(slot, members, tests, site)?))),
            Sets::Dilate(inner) => Some(Sets::Dilate(Box::new(again(inner)?))),
            // What is told of where each begins, and of nothing else that hangs on the member.
            Sets::Ahead { from, .. }
            | Sets::Trail { from, .. }
            | Sets::Run { from, .. }
            | Sets::Beyond { from, .. }
            | Sets::Connected { from, .. } => {
                let (from, mut whole) = (again(from)?, body.clone());
                begin_at(&mut whole, from);
                (!whole.reads(slot)).then_some(whole)
            }
            Sets::Between(a, b) => self.closed_lines(slot, members, tests, (a, b)),
            // What is told of a member in another way is worked out for each.
            Sets::Minus(..)
            | Sets::Const(_)
            | Sets::Planes(..)
            | Sets::Memory(..)
            | Sets::Slot(_)
            | Sets::Not(_)
            | Sets::Pull(..)
            | Sets::PullAny(..)
            | Sets::PullBeyond { .. }
            | Sets::PullRun { .. }
            | Sets::Heads(_)
            | Sets::First(_)
            | Sets::Grown { .. }
            | Sets::Bracketed { .. }
            | Sets::Alike(..)
            | Sets::Table { .. }
            | Sets::OfKinds(..)
            | Sets::OfPlayers(..)
            | Sets::If(..)
            | Sets::With { .. }
            | Sets::Filter { .. }
            | Sets::Collect { .. }
            | Sets::Tally(_)
            | Sets::Ranked { .. }
            | Sets::Primitive(..) => None,
        }
    }

    /// The sites that a site some steps from the member is.
    fn sites_of_each(&self, slot: u16, members: &Sets, tests: &[Test], site: &Int) -> Option<Sets> {
        if *site == Int::Slot(slot) {
            let passing = tests.iter().map(|test| self.lift(test, slot));
            let all = std::iter::once(Some(members.clone())).chain(passing);
            return Some(self.ground.and(all.collect::<Option<_>>()?));
        }
        let Int::Step(way, from) = site else { return None };
        let from = Box::new(self.sites_of_each(slot, members, tests, from)?);
        let (directions, steps) = (Box::new(Int::Const(1 << way)), Box::new(Int::Const(1)));
        Some(Sets::Ahead { from, directions, steps })
    }

    /// The lines from one site to members of a set in which all between is of one sort, where no member is of that sort: on each
    /// line it is what comes first behind the others.
    fn closed_lines(&self, slot: u16, members: &Sets, tests: &[Test], ends: (&Int, &Int)) -> Option<Sets> {
        let own = Int::Slot(slot);
        let from = if *ends.0 == own { ends.1 } else { ends.0 };
        let are_told = *ends.0 == own || *ends.1 == own;
        if !are_told || from.reads(slot) || !self.ways.rays_are_apart || !self.ways.steps_lead_back {
            return None;
        }
        // Where steps lead back the order of the two does not matter.
        let between =
            |set: &Sets| matches!(set, Sets::Between(a, b) if **a == own && **b == *from || **b == own && **a == *from);
        let (mut sorts, mut goals) = (Vec::new(), Vec::new());
        for test in tests {
            match test {
                // Of nothing between two sites there is nothing to be had.
                Test::Any(set) if between(set) => {}
                test => match self.all_between(&between, test, slot) {
                    Some(sort) => sorts.push(sort),
                    None => goals.push(self.lift(test, slot)?),
                },
            }
        }
        let all_members = if let Sets::And(parts) = members { parts.as_slice() } else { std::slice::from_ref(members) };
        for part in all_members {
            match self.seen_through(part, from) {
                Some(sort) => sorts.push(sort),
                None => goals.push(part.clone()),
            }
        }
        let (through, goal) = (self.ground.and(sorts), self.ground.and(goals));
        if !self.are_apart(&goal, &through) {
            return None;
        }
        let directions = mask_of_directions(self.rules.board.compass());
        Some(Sets::Bracketed {
            from: Box::new(from.clone()),
            directions,
            through: Box::new(through),
            goal: Box::new(goal),
        })
    }

    /// The set in which all that lies between two sites must lie for a test to hold.
    fn all_between(&self, between: &dyn Fn(&Sets) -> bool, test: &Test, slot: u16) -> Option<Sets> {
        if let Test::Subset(set, whole) = test {
            return (between(set) && !whole.reads(slot)).then(|| whole.clone());
        }
        let Test::Not(none) = test else { return None };
        let Test::Any(Sets::And(parts)) = &**none else { return None };
        let rest: Vec<Sets> = parts.iter().filter(|part| !between(part)).cloned().collect();
        let is_one_of_them = rest.len() + 1 == parts.len() && !rest.iter().any(|part| part.reads(slot));
        is_one_of_them.then(|| self.ground.not(self.ground.and(rest)))
    }
}

/// Steps, lines or groups that begin elsewhere.
fn begin_at(set: &mut Sets, sites: Sets) {
    if let Sets::Ahead { from, .. }
    | Sets::Trail { from, .. }
    | Sets::Run { from, .. }
    | Sets::Beyond { from, .. }
    | Sets::Connected { from, .. } = set
    {
        **from = sites;
    }
}
