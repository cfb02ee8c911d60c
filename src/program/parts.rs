//! A part picked: as one set at the end of a move, by functions of the first part, or one member after the other.

use super::build::*;
use super::finish::put_set;
use super::ir::*;
use super::lift::{all_of, either_way, with, written};
use super::lower::Lowering;
use super::overlay::held;
use super::strides::within_range;
use super::told::reads_only;
use super::writes::reads_play;
use super::{Branch, Generator};
use crate::board::{Direction, SiteSet};

/// More ways through a move than this are followed one after the other.
pub(super) const MAX_BRANCHES: usize = 64;

/// A part that lies more steps away than these is looked for as it is said, on lines for instance.
const MOST_TOLD: usize = 16;

/// Sites along a line are told apart by how many steps away they lie, up to so many.
const MOST_TRAILED: i64 = 4;

/// What is asked of a next part is not written out for each that it may be where that is longer than this.
const MOST_LED: usize = 800;

impl Lowering<'_> {
    /// Picks a part: as one set at the end of a move, by functions of the first part, or one after the other.
    pub fn chosen(&mut self, slot: u16, domain: Domain, test: Test, rest: Generator) -> Generator {
        // What does not depend on the part is asked once.
        let (test, before): (Vec<Test>, Vec<Test>) = conjuncts(test).into_iter().partition(|test| test.reads(slot));
        let test = and(test);
        let (rest, later) = match rest {
            Generator::Test(later, inner) => {
                let (own, later): (Vec<Test>, Vec<Test>) =
                    conjuncts(later).into_iter().partition(|test| test.reads(slot));
                (inner.guarded_by(and(own)), later)
            }
            rest => (rest, Vec::new()),
        };
        if !before.is_empty() || !later.is_empty() {
            let before = and(before.into_iter().chain(later).collect());
            return self.chosen(slot, domain, test, rest).guarded_by(before);
        }
        if let Some(found) = self.for_some_witness(slot, &domain, &test, &rest) {
            return found;
        }
        let Domain::Sites(set) = domain else {
            if let Domain::Range(..) = domain {
                let (asked, inner) = asked_first(&rest);
                if let Some((range, test)) = self.within_stride(slot, &domain, &and(vec![test.clone(), asked])) {
                    return within_range(slot, range, test, inner);
                }
            }
            if let Some(fan) = self.fanned_by_member(slot, &domain, &test, &rest) {
                return fan;
            }
            return Generator::Loop { slot, domain, tests: conjuncts(test), inner: Box::new(rest) };
        };
        let (set, test) = self.asked_together(slot, set, test);
        // What is asked of the last part at the end of a move may say how far it lies.
        let last = if let Generator::Test(last, _) = &rest { last.clone() } else { Test::Const(true) };
        if let Some(mut along) = self.along(slot, &set, &and(vec![test.clone(), last])) {
            let rest = if let Generator::Test(_, inner) = rest { *inner } else { rest };
            let (set, test) =
                (std::mem::replace(&mut along.set, nothing()), std::mem::replace(&mut along.test, Test::Const(true)));
            let beside = along.beside.take();
            let each = self.chosen(slot, Domain::Sites(set), test, rest.clone());
            let on_lines = along.plies(each);
            let Some((set, test)) = beside else { return on_lines };
            return Generator::Either(vec![on_lines, self.chosen(slot, Domain::Sites(set), test, rest)]);
        }
        match rest {
            Generator::One => return Generator::Leaf { slot, set: self.filtered(slot, set, test) },
            Generator::Test(last, inner) if matches!(*inner, Generator::One) => {
                return Generator::Leaf { slot, set: self.filtered(slot, set, and(vec![test, last])) };
            }
            _ => {}
        }
        if let Some(branches) = self.fanned(slot, &set, &test, &rest) {
            return Generator::Fan { slot, branches };
        }
        let set = match self.leading_somewhere(slot, &set, &rest) {
            Some(leading) => self.ground.and(vec![set, leading]),
            None => set,
        };
        // What an `if` asks next of the part is asked of the whole board where it can be, as if it were said of the part.
        let (set, rest) = match rest {
            Generator::Test(asked, inner) => {
                let (mut of_set, mut left) = (vec![set], Vec::new());
                for test in conjuncts(asked) {
                    match self.lift(&test, slot) {
                        Some(lifted) => of_set.push(lifted),
                        None => left.push(test),
                    }
                }
                (self.ground.and(of_set), inner.guarded_by(and(left)))
            }
            rest => (set, rest),
        };
        let set = self.filtered(slot, set, test);
        Generator::Loop { slot, domain: Domain::Sites(set), tests: Vec::new(), inner: Box::new(rest) }
    }

    /// A part with few members before the last one, which is a site, as branches, one for each member: where the member is
    /// known, what could only be asked of one site after the other is found for the whole board. None where it is not, or
    /// where nothing is asked so.
    fn fanned_by_member(&mut self, part: u16, domain: &Domain, test: &Test, rest: &Generator) -> Option<Generator> {
        if let Generator::Test(asked, inner) = rest {
            return self.fanned_by_member(part, domain, &and(vec![test.clone(), asked.clone()]), inner);
        }
        let (site, branches) = if let Generator::Leaf { slot, set } = rest {
            (*slot, vec![Branch { set: set.clone(), derived: Vec::new() }])
        } else if let Generator::Fan { slot, branches } = rest {
            (*slot, branches.clone())
        } else {
            return None;
        };
        let is_slow = |branch: &Branch| matches!(&branch.set, Sets::Filter { test, .. } if test.reads(part));
        if !branches.iter().any(is_slow) {
            return None;
        }
        let (members, noted) = (members_if(domain)?, self.slow.len());
        let mut found = Vec::new();
        for (member, there) in members {
            let member = Int::Const(member);
            let mut test = and(vec![there, test.clone()]);
            put_in(PartMut::Test(&mut test), part, &member);
            for mut branch in branches.iter().cloned() {
                branch.put_in(part, &member);
                if let Sets::Filter { slot, domain, test } = branch.set {
                    branch.set = self.filtered(slot, *domain, *test);
                }
                if matches!(branch.set, Sets::Filter { .. }) {
                    self.slow.truncate(noted);
                    return None;
                }
                branch.set = self.ground.choose(test.clone(), branch.set, nothing());
                branch.derived.insert(0, (part, member.clone()));
                if branch.set != nothing() {
                    found.push(branch);
                }
            }
        }
        (found.len() <= MAX_BRANCHES).then_some(Generator::Fan { slot: site, branches: found })
    }

    /// The sites for which there may be a next part, where that is a piece: most pieces have none to take.
    fn leading_somewhere(&self, slot: u16, set: &Sets, rest: &Generator) -> Option<Sets> {
        let next = match rest {
            Generator::Loop { domain: Domain::Sites(set), .. } | Generator::Leaf { set, .. } => set,
            Generator::Test(_, inner) => return self.leading_somewhere(slot, set, inner),
            Generator::Loop { slot: member, domain: Domain::Mask(Int::Const(mask)), tests, .. } => {
                return self.leading_in_some_way(slot, (*member, *mask), tests);
            }
            _ => return None,
        };
        if !next.reads(slot) {
            return None;
        }
        // There are mostly some empty sites: only what play does not change is asked of these.
        let is_piece = held(next, self.facts(), self.ground.planes) & 1 == 0;
        let all: Vec<Sets> = [self.perhaps_told(next, slot, set), self.perhaps_any(next, slot, is_piece)]
            .into_iter()
            .flatten()
            .collect();
        (!all.is_empty()).then(|| self.ground.and(all))
    }

    /// The sites for which the next part, one of a few that are known, may pass what is asked of it.
    fn leading_in_some_way(&self, slot: u16, (member, mask): (u16, i64), tests: &[Test]) -> Option<Sets> {
        let asked: Vec<Test> = tests.iter().filter(|test| test.reads(slot) && test.reads(member)).cloned().collect();
        let asked = and(asked);
        let size = written(&Part::Test(&asked)).saturating_mul(members(mask).count());
        if asked == Test::Const(true) || size > MOST_LED {
            return None;
        }
        let each = members(mask).map(|at| self.lift_in_part(&with(&asked, member, at), slot));
        Some(self.ground.or(each.collect::<Option<_>>()?))
    }

    /// The sites for which a set may have a member; the more parts of it can be lifted the fewer.
    fn perhaps_any(&self, set: &Sets, slot: u16, is_piece: bool) -> Option<Sets> {
        let parts = match set {
            Sets::Filter { domain, .. } => return self.perhaps_any(domain, slot, is_piece),
            Sets::And(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        let (own, rest): (Vec<Sets>, Vec<Sets>) = parts.into_iter().partition(|part| part.reads(slot));
        let with_part = |others: &[Sets], part: &Sets| self.ground.and([others, std::slice::from_ref(part)].concat());
        // What hangs on another site that was picked, and not on play, is a table of that site's.
        let fixed: Vec<Sets> = rest.iter().filter(|set| !Part::Sets(set).asks(&reads_play)).cloned().collect();
        let told = own.iter().find_map(|part| {
            let told = self.related(&any(with_part(&fixed, part)), slot);
            told.filter(|told| matches!(told, Sets::Table { .. } | Sets::Near(_)))
        });
        // What hangs on nothing else is asked once for all that was picked before.
        let lift = |part: &Sets| self.lift_any(&with_part(&rest, part), slot);
        let lifted = || own.iter().filter(|part| reads_only(&Part::Sets(part), &[slot])).find_map(lift);
        let lifted_somehow = || if told.is_none() { own.iter().find_map(lift) } else { None };
        let lifted = if is_piece { lifted().or_else(lifted_somehow) } else { None };
        let both: Vec<Sets> = told.into_iter().chain(lifted).collect();
        (!both.is_empty()).then(|| self.ground.and(both))
    }

    /// Those sites of a set for which the next part may have a member, where a test of its members tells that of them and one
    /// more site, whatever stands on the board.
    fn perhaps_told(&self, next: &Sets, slot: u16, set: &Sets) -> Option<Sets> {
        let Sets::Filter { slot: member, domain, test } = next else { return None };
        if !test.reads(slot) || Part::Test(test).asks(&reads_play) {
            return None;
        }
        let some = any(Sets::Filter { slot: *member, domain: Box::new(self.fixed(domain)), test: test.clone() });
        let told = self.related(&and(vec![contains(self.fixed(set), Int::Slot(slot)), some]), slot);
        told.filter(|told| matches!(told, Sets::Table { .. } | Sets::Near(_)))
    }

    /// What a set lies in whatever stands on the board.
    fn fixed(&self, set: &Sets) -> Sets {
        let parts = all_of(set).iter().filter_map(|part| self.fixed_part(part));
        self.ground.and(parts.collect())
    }

    /// The same of one of the sets that a set lies in: what is met on lines lies on them.
    fn fixed_part(&self, part: &Sets) -> Option<Sets> {
        if !Part::Sets(part).asks(&reads_play) {
            return Some(part.clone());
        }
        if let Sets::Or(cases) = part {
            let cases: Option<Vec<Sets>> = cases.iter().map(|case| self.fixed_part(case)).collect();
            return Some(self.ground.or(cases?));
        }
        let (Sets::Run { from, directions, .. } | Sets::Beyond { from, directions, .. }) = part else { return None };
        let (Sets::One(from), Int::Const(ways)) = (&**from, &**directions) else { return None };
        (!Part::Int(from).asks(&reads_play)).then(|| self.lines(from, Int::Const(*ways)))
    }

    /// The set of a part, and what is asked of its members: of a union of sets whose members are asked one by one, each case is asked
    /// of its own members, so that one of them can be drawn before any is asked.
    fn asked_together(&self, slot: u16, set: Sets, test: Test) -> (Sets, Test) {
        let is_asked = |case: &Sets| matches!(case, Sets::Filter { .. });
        let parts = if let Sets::And(parts) = &set { parts.as_slice() } else { std::slice::from_ref(&set) };
        let asked = |part: &Sets| matches!(part, Sets::Or(cases) if cases.iter().any(is_asked));
        let Some(at) = parts.iter().position(asked) else { return (set, test) };
        let mut parts = parts.to_vec();
        let Sets::Or(cases) = parts.remove(at) else { return (set, test) };
        let (mut among, mut passing) = (Vec::new(), Vec::new());
        for mut case in cases {
            let mut tests = Vec::new();
            while let Sets::Filter { slot: member, domain, test } = case {
                let mut test = *test;
                put_in(PartMut::Test(&mut test), member, &Int::Slot(slot));
                tests.push(test);
                case = *domain;
            }
            tests.insert(0, contains(case.clone(), Int::Slot(slot)));
            passing.push(and(tests));
            among.push(case);
        }
        parts.push(self.ground.or(among));
        self.asked_together(slot, self.ground.and(parts), and(vec![test, or(passing)]))
    }

    /// The rest of a move as branches, in each of which further parts are steps from the site in the slot, or constants.
    fn fanned(&mut self, slot: u16, set: &Sets, test: &Test, rest: &Generator) -> Option<Vec<Branch>> {
        let own = self.lift(test, slot)?;
        let whole = self.ground.and(vec![set.clone(), own]);
        let mut branches = Vec::new();
        for (tests, derived) in self.paths(slot, rest, &[])? {
            // What cannot be lifted is asked site by site, but not of all sites.
            let lifts = |test: &Test| test.reads(slot) && self.lift(test, slot).is_some();
            let conditions: Vec<Test> = tests.into_iter().flat_map(conjuncts).collect();
            if !conditions.is_empty() && !conditions.iter().any(lifts) {
                return None;
            }
            let set = self.filtered(slot, whole.clone(), and(conditions));
            if set != nothing() {
                branches.push(Branch { set, derived });
            }
        }
        Some(branches)
    }

    /// Every way through the rest of a move, with what is asked on it; some steps from the site in the slot are known to lead to
    /// sites.
    #[allow(clippy::type_complexity)]
    fn paths(&self, slot: u16, rest: &Generator, there: &[Int]) -> Option<Vec<(Vec<Test>, Vec<(u16, Int)>)>> {
        match rest {
            Generator::One => Some(vec![(Vec::new(), Vec::new())]),
            Generator::Test(test, inner) => {
                let mut paths = self.paths(slot, inner, there)?;
                let asked: Vec<Test> =
                    conjuncts(test.clone()).into_iter().flat_map(|test| self.left_to_ask(test, slot)).collect();
                paths.iter_mut().for_each(|(tests, _)| tests.extend(asked.iter().cloned()));
                Some(paths)
            }
            Generator::Leaf { slot: part, set } => self.spread(slot, *part, set, &Generator::One, there),
            Generator::Fan { slot: part, branches } => {
                let mut all = Vec::new();
                for branch in branches {
                    for (tests, mut derived) in self.spread(slot, *part, &branch.set, &Generator::One, there)? {
                        let site = derived.first().map(|(_, site)| site.clone())?;
                        for (own, number) in &branch.derived {
                            let mut number = number.clone();
                            put_in(PartMut::Int(&mut number), *part, &site);
                            derived.push((*own, number));
                        }
                        all.push((tests, derived));
                    }
                }
                (all.len() <= MAX_BRANCHES).then_some(all)
            }
            Generator::Loop { slot: part, domain: Domain::Sites(set), tests, inner } => {
                let inner = (**inner).clone().guarded_by(and(tests.clone()));
                self.spread(slot, *part, set, &inner, there)
            }
            Generator::Loop { slot: part, domain, tests, inner } => {
                let mut all = Vec::new();
                for (member, is_one) in members_if(domain)? {
                    let member = Int::Const(member);
                    let mut rest = (**inner).clone().guarded_by(and(tests.clone())).guarded_by(is_one);
                    substitute(&mut rest, &|int| match int {
                        Int::Slot(slot) if slot == part => Some(member.clone()),
                        Int::Make(kind, owner) => match (&**kind, &**owner) {
                            (Int::Const(kind), Int::Const(owner)) => self.made(*kind, *owner),
                            _ => None,
                        },
                        _ => None,
                    });
                    for (tests, mut derived) in self.paths(slot, &rest, there)? {
                        if !tests.contains(&Test::Const(false)) {
                            derived.insert(0, (*part, member.clone()));
                            all.push((tests, derived));
                        }
                    }
                }
                (all.len() <= MAX_BRANCHES).then_some(all)
            }
            _ => None,
        }
    }

    /// A part whose sites are steps from the one in the slot: one way for each step.
    #[allow(clippy::type_complexity)]
    fn spread(
        &self,
        slot: u16,
        part: u16,
        set: &Sets,
        rest: &Generator,
        there: &[Int],
    ) -> Option<Vec<(Vec<Test>, Vec<(u16, Int)>)>> {
        // What is asked of single sites is asked on each way.
        let (mut set, mut asked) = (set, Vec::new());
        while let Sets::Filter { slot: inner, domain, test } = set {
            asked.push((*inner, &**test));
            set = domain;
        }
        // Or it tells where they lie, as far as play does not change it.
        let told = || {
            let mut all: Vec<Test> = there.iter().cloned().map(known).collect();
            all.push(contains(self.fixed(set), Int::Slot(part)));
            for (inner, test) in asked.iter().filter(|(_, test)| !Part::Test(test).asks(&reads_play)) {
                let mut test = (*test).clone();
                put_in(PartMut::Test(&mut test), *inner, &Int::Slot(part));
                all.push(test);
            }
            let told = self.related(&and(all), part)?;
            self.spots(slot, &self.ground.and(vec![told, set.clone()])).filter(|spots| spots.len() <= MOST_TOLD)
        };
        let mut all = Vec::new();
        for Spot { site, test: here } in self.spots(slot, set).or_else(told)? {
            let there = [there, std::slice::from_ref(&site)].concat();
            let mut rest = rest.clone();
            if let Some(told) = self.told_by_steps(slot, part, &site) {
                substitute(&mut rest, &|int| {
                    told.iter().find(|(known, _)| known == int).map(|(_, as_it_is)| as_it_is.clone())
                });
            }
            substitute(&mut rest, &|int| (*int == Int::Slot(part)).then(|| site.clone()));
            // On this way the site is there.
            substitute(&mut rest, &|int| {
                let Int::If(test, yes, _) = int else { return None };
                (**test == Test::Known(site.clone())).then(|| (**yes).clone())
            });
            let mut here = conjuncts(here);
            for (inner, test) in &asked {
                let mut test = (*test).clone();
                put_in(PartMut::Test(&mut test), *inner, &site);
                here.extend(conjuncts(test).into_iter().flat_map(|test| self.left_to_ask(test, slot)));
            }
            if !here.iter().any(|test| matches!(test, Test::Contains(_, inside) if *inside == site)) {
                here.push(contains(self.ground.everything(), site.clone()));
            }
            for (mut tests, mut derived) in self.paths(slot, &rest, &there)? {
                tests.extend(here.iter().cloned());
                derived.insert(0, (part, site.clone()));
                all.push((tests, derived));
            }
        }
        Some(all)
    }

    /// What is asked of a part that lies some steps in one direction from the site in the slot, and what that is there: the
    /// direction from one to the other, and the only site between them.
    fn told_by_steps(&self, slot: u16, part: u16, site: &Int) -> Option<Vec<(Int, Int)>> {
        let board = &self.rules.board;
        let Int::Step(way, before) = site else { return None };
        let (mut at, mut steps) = (&**before, 1);
        while let Int::Step(same, before) = at {
            (at, steps) = ((*same == *way).then_some(&**before)?, steps + 1);
        }
        let way = Direction::from_index(usize::from(*way))?;
        let all = || board.all().iter().filter_map(|from| Some((from, self.follow(from, site)?)));
        if !all().all(|(from, to)| board.direction(from, to) == Some(way)) {
            return None;
        }
        let [from, to] = [Int::Slot(slot), Int::Slot(part)].map(Box::new);
        let mut told = vec![(Int::Direction(from.clone(), to.clone()), Int::Const(direction_index(way)))];
        if all().all(|(from, to)| board.direction(to, from) == Some(way.opposite())) {
            told.push((Int::Direction(to.clone(), from.clone()), Int::Const(direction_index(way.opposite()))));
        }
        if steps == 2 && self.ways.rays_are_apart && !self.ways.rings {
            for between in [Sets::Between(from.clone(), to.clone()), Sets::Between(to, from)] {
                told.push((Int::Only(Box::new(between)), (**before).clone()));
            }
        }
        Some(told)
    }

    /// How far it is from the site in the slot to where some steps lead, and what lies between, as the board says.
    fn fold_steps(&self, mut part: PartMut<'_>, slot: u16) {
        part.parts_mut(&mut |part| self.fold_steps(part, slot));
        match part {
            PartMut::Int(int) => {
                if let Int::Distance(a, b) = int
                    && let Some(far) = other_end((a, b), &Int::Slot(slot))
                    && let Some(steps) = self.steps_to(far, slot)
                {
                    *int = Int::Const(steps);
                }
            }
            PartMut::Sets(set) => {
                if let Sets::Between(..) = set
                    && let Some(spots) = self.spots(slot, set)
                {
                    *set = self.ground.or(spots.into_iter().map(|spot| one(spot.site)).collect());
                }
            }
            PartMut::Test(_) => {}
        }
    }

    /// How far it is from the site in a slot to where a chain of steps leads, if that is the same from everywhere.
    fn steps_to(&self, site: &Int, slot: u16) -> Option<i64> {
        let board = &self.rules.board;
        let distance = |from| Some(board.distance(from, self.follow(from, site)?)).flatten();
        let all = || board.all().iter().filter(|from| self.follow(*from, site).is_some());
        let steps = all().next().filter(|_| chain(site, slot)).and_then(distance)?;
        all().all(|from| distance(from) == Some(steps)).then(|| i64::from(steps))
    }

    /// A set as steps from the site in the slot, each with what must hold for the site it leads to; no two steps lead to one
    /// site.
    fn spots(&self, slot: u16, set: &Sets) -> Option<Vec<Spot>> {
        let anywhere = |site: Int| Spot { site, test: Test::Const(true) };
        match set {
            Sets::One(site) if chain(site, slot) => Some(vec![anywhere((**site).clone())]),
            Sets::Near(site) if **site == Int::Slot(slot) && self.ways.steps_are_neighbours => {
                Some(super::lower::ways_of(self).map(|way| anywhere(Int::Step(way, site.clone()))).collect())
            }
            Sets::Near(site) if chain(site, slot) && self.ways.steps_are_neighbours => None,
            // What lies between a site and another so many steps on in one direction.
            Sets::Between(a, b) if self.ways.rays_are_apart && !self.ways.rings => {
                let mut at = other_end((a, b), &Int::Slot(slot))?;
                let mut passed = Vec::new();
                while let Int::Step(way, before) = at {
                    if passed.first().is_some_and(|(first, _)| *first != *way) {
                        return None;
                    }
                    passed.push((*way, before));
                    at = before;
                }
                (*at == Int::Slot(slot)).then(|| {
                    passed.pop();
                    passed.into_iter().map(|(_, site)| anywhere((**site).clone())).collect()
                })
            }
            Sets::And(parts) => {
                let (at, spots) =
                    parts.iter().enumerate().find_map(|(at, part)| Some((at, self.spots(slot, part)?)))?;
                let mut rest = parts.clone();
                rest.remove(at);
                // What else the sites lie in is asked of the whole board as well, or they are picked one after the other.
                let lifts = |site: &Int, set: &Sets| self.lift(&contains(set.clone(), site.clone()), slot).is_some();
                let mut own = rest.iter().filter(|set| set.reads(slot));
                if !own.all(|set| spots.iter().all(|spot| lifts(&spot.site, set))) {
                    return None;
                }
                let rest = self.ground.and(rest);
                Some(spots.into_iter().map(|spot| spot.within(&rest)).collect())
            }
            set @ Sets::Ahead { .. } if let Some((test, yes, no)) = either_way(set) => {
                self.spots(slot, &Sets::If(Box::new(test), Box::new(yes), Box::new(no)))
            }
            Sets::Ahead { from, directions, steps } => {
                let (Int::Const(mask), Int::Const(steps @ 1..=8)) = (&**directions, &**steps) else { return None };
                let mut all = Vec::new();
                for Spot { site, test } in self.spots(slot, from)? {
                    for way in members(*mask) {
                        let site = ahead(site.clone(), Int::Const(way), Int::Const(*steps));
                        all.push(Spot { site, test: test.clone() });
                    }
                }
                self.one_each(all)
            }
            Sets::Trail { from, directions, steps } if !self.ways.rings => {
                let (Int::Const(mask), Int::Const(steps @ 1..=MOST_TRAILED)) = (&**directions, &**steps) else {
                    return None;
                };
                let mut all = Vec::new();
                for Spot { site, test } in self.spots(slot, from)? {
                    for (way, step) in members(*mask).flat_map(|way| (1..=*steps).map(move |step| (way, step))) {
                        let site = ahead(site.clone(), Int::Const(way), Int::Const(step));
                        all.push(Spot { site, test: test.clone() });
                    }
                }
                self.one_each(all)
            }
            Sets::Filter { slot: member, domain, test } => {
                let asked = |spot: Spot| {
                    let mut test = (**test).clone();
                    put_in(PartMut::Test(&mut test), *member, &spot.site);
                    self.fold_steps(PartMut::Test(&mut test), slot);
                    Spot { test: and(vec![spot.test, test]), ..spot }
                };
                Some(self.spots(slot, domain)?.into_iter().map(asked).collect())
            }
            // What is asked of single sites in one of two cases could be asked in neither of the whole board.
            Sets::If(_, yes, no) if [yes, no].into_iter().any(|set| matches!(**set, Sets::Filter { .. })) => None,
            Sets::If(test, yes, no) => {
                let guarded = |spots: Vec<Spot>, guard: Test| {
                    spots.into_iter().map(move |spot| Spot { test: and(vec![guard.clone(), spot.test]), ..spot })
                };
                let mut all: Vec<Spot> = guarded(self.spots(slot, yes)?, (**test).clone()).collect();
                all.extend(guarded(self.spots(slot, no)?, not((**test).clone())));
                self.one_each(all)
            }
            Sets::Or(parts) => {
                let each = parts.iter().map(|part| self.spots(slot, part)).collect::<Option<Vec<_>>>()?;
                self.one_each(each.into_iter().flatten().collect())
            }
            Sets::Table { rows, index } if **index == Int::Slot(slot) => {
                Some(self.ways_in(rows, slot)?.into_iter().map(|(site, test)| Spot { site, test }).collect())
            }
            set if *set == nothing() => Some(Vec::new()),
            _ => None,
        }
    }

    /// The same steps met more than once as one, where different steps never lead to one site.
    fn one_each(&self, spots: Vec<Spot>) -> Option<Vec<Spot>> {
        let mut all: Vec<Spot> = Vec::new();
        for spot in spots {
            match all.iter_mut().find(|known| known.site == spot.site) {
                Some(known) => known.test = or(vec![known.test.clone(), spot.test]),
                None => all.push(spot),
            }
        }
        self.lead_apart(&all).then_some(all)
    }

    /// Whether different steps lead to different sites, wherever they begin.
    fn lead_apart(&self, spots: &[Spot]) -> bool {
        self.rules.board.all().iter().all(|from| {
            let mut seen = SiteSet::EMPTY;
            spots.iter().filter_map(|spot| self.follow(from, &spot.site)).all(|there| {
                let new = !seen.contains(there);
                seen.insert(there);
                new
            })
        })
    }

    /// What is left to ask of a condition: of a stage whose sites are different steps from the one in the slot, whether those
    /// from which and to which pieces move are there.
    fn left_to_ask(&self, test: Test, slot: u16) -> Vec<Test> {
        let Test::CanApply(effects) = &test else { return vec![test] };
        self.there_for(effects, slot).unwrap_or_else(|| vec![test])
    }

    fn there_for(&self, effects: &[Effect], slot: u16) -> Option<Vec<Test>> {
        let (mut sites, mut tests, mut tracked) = (Vec::new(), Vec::new(), Vec::new());
        for effect in effects {
            match effect {
                Effect::Put { target: Sets::One(site), piece, .. } if self.is_sure(piece) => sites.push(&**site),
                Effect::Move { from, to, piece, guard }
                    if chain(from, slot) && piece.as_ref().is_none_or(|piece| self.is_sure(piece)) =>
                {
                    sites.push(to);
                    let there = [from, to].map(|site| contains(self.ground.everything(), site.clone()));
                    tests.push(or(vec![not(guard.clone()), and(there.into())]));
                }
                Effect::Set { .. } | Effect::SetSites { .. } => tracked.push(effect.clone()),
                Effect::Put { .. } | Effect::Move { .. } | Effect::Each { .. } => return None,
            }
        }
        // All of them together: two may give one tracked value different things.
        if self.can_apply(&tracked) != Test::Const(true) {
            return None;
        }
        let apart = sites.iter().all(|site| chain(site, slot))
            && self.rules.board.all().iter().all(|from| {
                let mut seen: Vec<_> = sites.iter().filter_map(|site| self.follow(from, site)).collect();
                let count = seen.len();
                seen.sort_unstable();
                seen.dedup();
                seen.len() == count
            });
        apart.then(|| conjuncts(and(tests)))
    }

    /// Where a chain of steps leads from a site.
    pub fn follow(&self, from: crate::board::Site, int: &Int) -> Option<crate::board::Site> {
        match int {
            Int::Step(way, inner) => {
                let at = self.follow(from, inner)?;
                self.rules.board.step(at, crate::board::Direction::from_index(usize::from(*way))?)
            }
            _ => Some(from),
        }
    }
}

pub(super) fn conjuncts(test: Test) -> Vec<Test> {
    match test {
        Test::And(parts) => parts,
        Test::Const(true) => Vec::new(),
        other => vec![other],
    }
}

/// A chain of steps from the site in a slot, and what must hold for the site it leads to.
struct Spot {
    site: Int,
    test: Test,
}

impl Spot {
    fn within(self, set: &Sets) -> Self {
        let parts = if let Sets::And(parts) = set { parts.as_slice() } else { std::slice::from_ref(set) };
        let inside = parts.iter().map(|part| contains(part.clone(), self.site.clone()));
        Self { test: and(std::iter::once(self.test).chain(inside).collect()), ..self }
    }
}

/// Whether a number is a chain of steps from the site in a slot.
pub(super) fn chain(int: &Int, slot: u16) -> bool {
    match int {
        Int::Slot(own) => *own == slot,
        Int::Step(_, inner) => chain(inner, slot),
        _ => false,
    }
}

/// Puts others in the place of the numbers that a function knows of, throughout a generator.
pub(super) fn substitute(generator: &mut Generator, known_as: &dyn Fn(&Int) -> Option<Int>) {
    generator.walk_mut(&mut |part| refold(part, known_as));
}

/// What is asked before anything else is picked or changed, and what comes then: sets that are kept on the way are put in where
/// they are asked about.
pub(super) fn asked_first(rest: &Generator) -> (Test, Generator) {
    match rest {
        Generator::Test(test, inner) => {
            let (later, inner) = asked_first(inner);
            (and(vec![test.clone(), later]), inner)
        }
        Generator::LetSites(slot, set, inner) => {
            let (mut asked, inner) = asked_first(inner);
            put_set(PartMut::Test(&mut asked), *slot, set);
            (asked, Generator::LetSites(*slot, set.clone(), Box::new(inner)))
        }
        other => (Test::Const(true), other.clone()),
    }
}
