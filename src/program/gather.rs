//! What is found for each member of a domain, taken together: said of all members at once wherever it can be.

use super::build::*;
use super::ir::*;
use super::lift::directions_of;
use super::lower::Lowering;
use super::parts::{MAX_BRANCHES, conjuncts};
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
                if let Some(whole) = self.of_lines(slot, domain, test, body) {
                    return Some(whole);
                }
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
            | Sets::Within { .. }
            | Sets::Nearer { .. }
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

    /// Of numbers of steps, or of directions, where nothing else hangs on the member: all sites on the way, in all of the
    /// directions.
    fn of_lines(&self, slot: u16, domain: &Domain, test: &Test, body: &Sets) -> Option<Sets> {
        let parts = if let Sets::And(parts) = body { parts.as_slice() } else { std::slice::from_ref(body) };
        let (own, rest): (Vec<&Sets>, Vec<&Sets>) = parts.iter().partition(|part| part.reads(slot));
        let [own] = own.as_slice() else { return None };
        let line = match domain {
            // Few steps are written out, so that each can be asked of the whole board.
            Domain::Range(Int::Const(1), Int::Const(most))
                if usize::try_from(*most).is_ok_and(|most| most * self.rules.board.compass().len() > MAX_BRANCHES) =>
            {
                let each = if let Sets::Or(cases) = own { cases.as_slice() } else { std::slice::from_ref(*own) };
                let each: Option<_> = each.iter().map(|site| self.of_steps(slot, *most, test, site)).collect();
                one_line(each?)?
            }
            Domain::Mask(Int::Const(mask)) if *test == Test::Const(true) => of_directions(slot, *mask, own)?,
            Domain::Sites(_) | Domain::Mask(_) | Domain::Range(..) => return None,
        };
        Some(self.ground.and(rest.into_iter().cloned().chain([line]).collect()))
    }

    /// All sites so many steps from another one or fewer, perhaps those alone to which the way leads through a set.
    fn of_steps(&self, slot: u16, most: i64, test: &Test, site: &Sets) -> Option<Sets> {
        let Sets::Ahead { from, directions, steps } = all_ahead(site)? else { return None };
        let (from, directions) = (*from, *directions);
        if *steps != Int::Slot(slot) || from.reads(slot) || directions.reads(slot) {
            return None;
        }
        let (from, directions) = (Box::new(from), Box::new(directions));
        let all_the_way = |set: &Sets| {
            matches!((set, site), (Sets::Trail { from: start, directions: ways, steps }, Sets::One(_))
                if *start == from && *ways == directions && **steps == Int::Slot(slot))
        };
        // On a ring the way may go through the site where it begins.
        let through = if let Test::Subset(way, whole) = test {
            (all_the_way(way) && !whole.reads(slot) && !self.ways.rings).then(|| whole.clone())?
        } else {
            (*test == Test::Const(true)).then(|| self.ground.everything())?
        };
        let run = Sets::Run { from: from.clone(), directions: directions.clone(), through: Box::new(through) };
        if usize::try_from(most).is_ok_and(|most| most >= self.ways.longest) && !self.ways.rings {
            return Some(run);
        }
        let trail = Sets::Trail { from, directions, steps: Box::new(Int::Const(most)) };
        Some(if *test == Test::Const(true) { trail } else { self.ground.and(vec![run, trail]) })
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
        let from = other_end(ends, &own)?;
        if from.reads(slot) || !self.ways.rays_are_apart || !self.ways.steps_lead_back {
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
        let directions = self.all_ways();
        Some(Sets::Bracketed {
            from: Box::new(from.clone()),
            directions,
            through: Box::new(through),
            goal: Box::new(goal),
        })
    }

    /// What lies between another site and some member of a set that passes a test, if that asks whether anything does: there is
    /// such a member where there is something.
    pub(super) fn some_between(&self, slot: u16, set: &Sets, test: &Test) -> Option<Sets> {
        let tests = conjuncts(test.clone());
        let is_end = |site: &Int| *site == Int::Slot(slot);
        let body = tests.iter().find_map(|test| {
            let Test::Any(between @ Sets::Between(a, b)) = test else { return None };
            (is_end(a) || is_end(b)).then(|| between.clone())
        })?;
        if tests.iter().any(|test| !test.reads(slot)) {
            return None;
        }
        self.of_sites(slot, set, &tests, &body)
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

/// Lines in the directions of a mask, where a set is one in that which a slot holds.
fn of_directions(slot: u16, mask: i64, line: &Sets) -> Option<Sets> {
    let mut whole = line.clone();
    let directions = directions_of(&mut whole).filter(|directions| ***directions == bit(Int::Slot(slot)))?;
    **directions = Int::Const(mask);
    (!whole.reads(slot)).then_some(whole)
}

/// The sites so many steps on, however that is said.
pub(super) fn all_ahead(set: &Sets) -> Option<Sets> {
    let Sets::One(site) = set else { return matches!(set, Sets::Ahead { .. }).then(|| set.clone()) };
    let Int::Ahead { from, direction, steps } = (**site).clone() else { return None };
    Some(Sets::Ahead { from: Box::new(one(*from)), directions: Box::new(bit(*direction)), steps })
}

/// Lines that differ in nothing but their directions, as one in all of them.
fn one_line(mut lines: Vec<Sets>) -> Option<Sets> {
    if lines.len() == 1 {
        return lines.pop();
    }
    let mut ways = 0;
    for line in &mut lines {
        let directions = directions_of(line)?;
        let Int::Const(own) = **directions else { return None };
        ways |= own;
        **directions = Int::Const(0);
    }
    let mut whole = lines.pop().filter(|last| lines.iter().all(|line| line == last))?;
    **directions_of(&mut whole)? = Int::Const(ways);
    Some(whole)
}
