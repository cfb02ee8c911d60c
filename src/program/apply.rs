//! Whether the changes of a stage can be made all at once: where the operands tell, nothing need be tried.

use super::build::*;
use super::extent::Given;
use super::ir::*;
use super::lower::Lowering;
use super::narrow::count;
use super::overlay::held;
use super::range_of;
use super::single::{has_one_at_most, is_one_way};
use crate::rules::{ArithmeticOp, CompareOp, Reduce};
use std::ops::Range;

/// A piece that is sent somewhere.
struct Arrival<'e> {
    to: Goal<'e>,
    /// The planes that it may be of.
    planes: u64,
    guard: &'e Test,
}

/// Where pieces arrive.
enum Goal<'e> {
    /// The same on all of these sites.
    Sites(Sets),
    /// From each member of a set as many steps in one direction, which are told of the member in a slot.
    Steps { members: &'e Sets, slot: u16, to: &'e Int },
    /// From each member of a set that passes a test somewhere else, which is told of the member in a slot.
    Each { members: &'e Sets, slot: u16, to: &'e Int, own: &'e Test },
}

/// A change of memory.
struct Write<'e> {
    cells: Range<u32>,
    entries: Entries<'e>,
    value: &'e Int,
    guard: &'e Test,
}

/// Which entries of a memory are written to.
enum Entries<'e> {
    Only,
    At(&'e Int),
    /// Those of all sites of a set.
    Of(&'e Sets),
}

/// No game is as long.
const LATEST: i64 = 1 << 48;

impl Lowering<'_> {
    /// Whether changes can be made all at once: every operand is there, numbers stay within their ranges, no two different
    /// pieces arrive on one site, and no memory takes two values.
    pub fn can_apply(&self, effects: &[Effect]) -> Test {
        self.tests_of(effects).unwrap_or_else(|| Test::CanApply(effects.to_vec()))
    }

    fn tests_of(&self, effects: &[Effect]) -> Option<Test> {
        let mut tests = Vec::new();
        let (mut arrivals, mut writes, mut sets) = (Vec::new(), Vec::new(), Vec::new());
        for effect in effects {
            match effect {
                Effect::Put { target, piece, guard } => {
                    // What is put nowhere need not be there.
                    if !self.is_sure(piece) {
                        let there = or(vec![known(piece.clone()), not(any(target.clone()))]);
                        tests.push(or(vec![not(guard.clone()), there]));
                    }
                    arrivals.push(Arrival { to: Goal::Sites(target.clone()), planes: self.planes_of(piece), guard });
                }
                Effect::Move { from, to, piece, guard } => {
                    let mut there = vec![self.is_there(from), self.is_there(to)];
                    there.extend(piece.iter().filter(|piece| !self.is_sure(piece)).map(|piece| known(piece.clone())));
                    tests.push(or(vec![not(guard.clone()), and(there)]));
                    let piece = piece.clone().unwrap_or_else(|| Int::Piece(Box::new(from.clone()), When::Now));
                    arrivals.push(Arrival { to: Goal::Sites(one(to.clone())), planes: self.planes_of(&piece), guard });
                }
                Effect::Set { base, count, index, value, range, guard } => {
                    let mut fits = vec![self.fits(value, *range)];
                    fits.extend(index.iter().map(|index| self.is_entry(index, *count)));
                    tests.push(or(vec![not(guard.clone()), and(fits)]));
                    let entries = index.as_ref().map_or(Entries::Only, Entries::At);
                    writes.push(Write { cells: cells(*base, *count), entries, value, guard });
                }
                Effect::SetSites { base, guard, .. } => sets.push((*base, guard)),
                Effect::Each { slot, domain: Domain::Sites(members), effect } => match &**effect {
                    Effect::Set { base, count, index: Some(Int::Slot(index)), value, range, guard }
                        if index == slot =>
                    {
                        tests.push(self.all_fit(*slot, members, (value, *range), guard));
                        // A guard speaks of one member, of which nothing is known outside.
                        let guard = if guard.reads(*slot) { &Test::Const(true) } else { guard };
                        let entries = Entries::Of(members);
                        writes.push(Write { cells: cells(*base, *count), entries, value, guard });
                    }
                    effect => {
                        let (there, arrival) = self.arrivals_of_each(*slot, members, effect)?;
                        tests.push(there);
                        arrivals.push(arrival);
                    }
                },
                Effect::Each { .. } => return None,
            }
        }
        let twice = sets.iter().enumerate().any(|(at, (base, guard))| {
            sets.iter().take(at).any(|(other, another)| base == other && !self.exclude(guard, another))
        });
        let pairs = writes.iter().enumerate().flat_map(|(at, one)| writes[..at].iter().map(move |other| (one, other)));
        if twice {
            return None;
        }
        for (one, other) in pairs.filter(|(one, other)| !self.agree(one, other)) {
            tests.push(not(gives_two_values(one, other)?));
        }
        for (at, arrival) in arrivals.iter().enumerate() {
            for other in &arrivals[..at] {
                tests.push(self.no_clash(arrival, other)?);
            }
        }
        Some(and(tests))
    }

    /// What arrives where something is done for each member of a set, and whether all of it can.
    fn arrivals_of_each<'e>(&self, slot: u16, members: &'e Sets, effect: &'e Effect) -> Option<(Test, Arrival<'e>)> {
        // A guard speaks of one member, of which nothing is known outside.
        let outside = |guard: &'e Test| if guard.reads(slot) { &Test::Const(true) } else { guard };
        match effect {
            Effect::Put { target: Sets::One(site), piece, guard } if **site == Int::Slot(slot) => {
                let there = self.all_are_sure(slot, members, piece, guard)?;
                let planes = if let Int::Const(_) = piece { self.planes_of(piece) } else { u64::MAX };
                Some((there, Arrival { to: Goal::Sites(members.clone()), planes, guard: outside(guard) }))
            }
            Effect::Put { target: Sets::One(to), piece, guard }
                if self.is_sure(piece) && self.sends_apart(to, slot, members) =>
            {
                let planes = self.planes_of(piece);
                let arrival =
                    Arrival { to: Goal::Each { members, slot, to, own: guard }, planes, guard: outside(guard) };
                Some((Test::Const(true), arrival))
            }
            Effect::Move { from, to, piece: None, guard } if *from == Int::Slot(slot) => {
                // Where each goes as far in the same direction, no two of them arrive on one site.
                let goal = if self.leads_apart(to, slot) {
                    Goal::Steps { members, slot, to }
                } else if self.sends_apart(to, slot, members) {
                    Goal::Each { members, slot, to, own: guard }
                } else {
                    return None;
                };
                let there = self.all_get_there(slot, members, to, guard);
                Some((there, Arrival { to: goal, planes: self.ground.planes, guard: outside(guard) }))
            }
            Effect::Put { .. }
            | Effect::Move { .. }
            | Effect::Set { .. }
            | Effect::SetSites { .. }
            | Effect::Each { .. } => None,
        }
    }

    /// The planes that a piece may be of.
    fn planes_of(&self, piece: &Int) -> u64 {
        match piece {
            Int::Const(plane @ 0..64) => 1 << plane,
            Int::Piece(site, When::Now) => held(&one_site(site), self.facts(), self.ground.planes),
            _ => self.ground.planes,
        }
    }

    /// Whether a number is a site; those in slots that were bound to members of sets are.
    pub fn is_there(&self, site: &Int) -> Test {
        match site {
            site if self.always_leads(site) => Test::Const(true),
            site => known(site.clone()),
        }
    }

    /// Whether a piece is always there to be put.
    pub fn is_sure(&self, piece: &Int) -> bool {
        match piece {
            Int::Const(plane) => *plane != NONE,
            Int::Piece(site, _) => self.is_there(site) == Test::Const(true),
            Int::If(_, yes, no) => self.is_sure(yes) && self.is_sure(no),
            _ => false,
        }
    }

    /// Whether a number lies in the range of what is tracked.
    fn fits(&self, value: &Int, range: Option<(i64, i64)>) -> Test {
        let Some((low, high)) = range else { return Test::Const(true) };
        match self.bounds(value) {
            Some((least, most)) if low <= least && most <= high => Test::Const(true),
            _ => {
                let at_most = (high < i64::MAX).then(|| compare(CompareOp::LessEqual, value.clone(), Int::Const(high)));
                let at_least = compare(CompareOp::GreaterEqual, value.clone(), Int::Const(low));
                let asked = and(std::iter::once(at_least).chain(at_most).collect());
                or(self.fits_by_far(value, (low, high)).into_iter().chain([asked]).collect())
            }
        }
    }

    /// Whether a number is so far from the ends of a range that what is added to it or taken from it cannot lead out.
    fn fits_by_far(&self, value: &Int, (low, high): (i64, i64)) -> Option<Test> {
        let Int::Arithmetic(op @ (ArithmeticOp::Add | ArithmeticOp::Subtract), number, change) = value else {
            return None;
        };
        let (Int::Cell(..) | Int::CellAt { .. }) = **number else { return None };
        let (least, most) = match &**change {
            Int::Count(set) => (0, self.most_members(set)),
            change => self.bounds(change).filter(|(least, most)| least < most)?,
        };
        let (least, most) = if *op == ArithmeticOp::Add { (least, most) } else { (-most, -least) };
        let (low, high) = (low.checked_sub(least.min(0))?, high.checked_sub(most.max(0))?);
        (low <= high).then(|| {
            and(vec![
                compare(CompareOp::GreaterEqual, (**number).clone(), Int::Const(low)),
                compare(CompareOp::LessEqual, (**number).clone(), Int::Const(high)),
            ])
        })
    }

    /// The most members that a set can have, wherever a site is that it speaks of.
    fn most_members(&self, set: &Sets) -> i64 {
        let most = |given: Given<'_>| self.extent(set, given).most.len();
        let speaks_of = self.facts().keys().filter(|slot| set.reads(**slot));
        let wherever =
            |slot: &u16| self.ground.all.iter().map(|at| most(&[(*slot, i64::from(at.0))])).max().unwrap_or(0);
        count(speaks_of.map(wherever).min().unwrap_or_else(|| most(&[])))
    }

    /// Whether a memory has such an entry.
    fn is_entry(&self, index: &Int, count: u16) -> Test {
        match index {
            index if self.always_leads(index) => Test::Const(true),
            index => and(vec![
                compare(CompareOp::GreaterEqual, index.clone(), Int::Const(0)),
                compare(CompareOp::Less, index.clone(), Int::Const(i64::from(count))),
            ]),
        }
    }

    /// Whether two changes of memory never give different values to one entry.
    fn agree(&self, one: &Write<'_>, other: &Write<'_>) -> bool {
        if one.cells.end <= other.cells.start || other.cells.end <= one.cells.start {
            return true;
        }
        if matches!(one.value, Int::Const(_)) && one.value == other.value || self.exclude(one.guard, other.guard) {
            return true;
        }
        match (&one.entries, &other.entries) {
            (Entries::At(a), Entries::At(b)) => self.are_different(a, b),
            (Entries::Of(set), Entries::At(site)) | (Entries::At(site), Entries::Of(set)) => {
                self.are_apart(set, &one_site(site))
            }
            (Entries::Of(a), Entries::Of(b)) => self.are_apart(a, b),
            _ => false,
        }
    }

    /// Whether a piece is there to be put on every member of a set: none of those that are meant lacks it.
    fn all_are_sure(&self, slot: u16, members: &Sets, piece: &Int, guard: &Test) -> Option<Test> {
        if self.is_sure(piece) {
            return Some(Test::Const(true));
        }
        let lacks = self.lift(&and(vec![guard.clone(), not(self.is_piece(piece))]), slot)?;
        Some(not(any(self.ground.and(vec![members.clone(), lacks]))))
    }

    /// Whether a number lies in the range of what is tracked for all members of a set that are meant.
    fn all_fit(&self, slot: u16, members: &Sets, (value, range): (&Int, Option<(i64, i64)>), guard: &Test) -> Test {
        match self.fits(value, range) {
            Test::Const(true) => Test::Const(true),
            fits => self.none_of(slot, members, &and(vec![guard.clone(), not(fits)])),
        }
    }

    /// Whether none of those that are meant goes off the board.
    fn all_get_there(&self, slot: u16, members: &Sets, to: &Int, guard: &Test) -> Test {
        if self.surely_get_there(to, slot, members) {
            return Test::Const(true);
        }
        self.none_of(slot, members, &and(vec![guard.clone(), not(known(to.clone()))]))
    }

    /// Whether a test holds for no member of a set.
    fn none_of(&self, slot: u16, members: &Sets, test: &Test) -> Test {
        match self.lift(test, slot) {
            Some(those) => not(any(self.ground.and(vec![members.clone(), those]))),
            None => {
                let domain = Box::new(Domain::Sites(members.clone()));
                not(Test::Exists { slot, domain, test: Box::new(test.clone()) })
            }
        }
    }

    /// Whether a site is told of another one, in a slot, in such a way that different ones lead to different sites.
    fn leads_apart(&self, to: &Int, slot: u16) -> bool {
        let is_own = |from: &Int| *from == Int::Slot(slot);
        let alike = |way: &Int, steps: &Int| !way.reads(slot) && !steps.reads(slot);
        let one_step = matches!(to, Int::Step(_, from) if is_own(from) || self.leads_apart(from, slot));
        let line = matches!(to, Int::Ahead { from, direction, steps } if is_own(from) && alike(direction, steps));
        let only = matches!(to, Int::Only(set) if matches!(&**set, Sets::Ahead { from, directions, steps }
            if **from == one_site(&Int::Slot(slot)) && is_one_way(directions) && alike(directions, steps)));
        self.ways.steps_lead_back && (one_step || line || only)
    }

    /// Whether there is such a piece.
    fn is_piece(&self, piece: &Int) -> Test {
        match piece {
            Int::Piece(site, _) => self.is_there(site),
            piece => known(piece.clone()),
        }
    }

    /// Whether two numbers are different for certain.
    pub fn are_different(&self, a: &Int, b: &Int) -> bool {
        let planes = |site: &Int| held(&one_site(site), self.facts(), self.ground.planes);
        match (a, b) {
            (Int::Const(a), Int::Const(b)) => a != b,
            _ if self.never_meet(a, b) => true,
            _ => planes(a) & planes(b) == 0 || !self.ways.rings && (is_steps_from(a, b) || is_steps_from(b, a)),
        }
    }

    /// Whether steps from one site lead to two different ones, wherever that is.
    fn never_meet(&self, a: &Int, b: &Int) -> bool {
        let (Some(slot), Some(other)) = (self.origin_of(a), self.origin_of(b)) else { return false };
        let meet = |from| self.follow(from, a).is_some_and(|there| self.follow(from, b) == Some(there));
        slot == other && !self.rules.board.all().iter().any(meet)
    }

    /// The slot of the site from which some steps lead.
    fn origin_of(&self, site: &Int) -> Option<u16> {
        let mut at = site;
        while let Int::Step(_, from) = at {
            at = from;
        }
        if let Int::Slot(slot) = at { Some(*slot).filter(|slot| self.facts().contains_key(slot)) } else { None }
    }

    /// Whether steps lead to a site from wherever they begin.
    fn always_leads(&self, site: &Int) -> bool {
        self.origin_of(site).is_some() && self.rules.board.all().iter().all(|from| self.follow(from, site).is_some())
    }

    /// Whether no two different pieces arrive on one site; none where that cannot be said by a test.
    fn no_clash(&self, one: &Arrival<'_>, other: &Arrival<'_>) -> Option<Test> {
        let is_same = one.planes == other.planes && one.planes.is_power_of_two();
        if is_same || self.exclude(one.guard, other.guard) {
            return Some(Test::Const(true));
        }
        let (one_sites, other_sites) = match (&one.to, &other.to) {
            (Goal::Sites(one), Goal::Sites(other)) => (one, other),
            (Goal::Steps { members, slot, to }, Goal::Sites(Sets::One(site)))
            | (Goal::Sites(Sets::One(site)), Goal::Steps { members, slot, to }) => {
                // The same steps lead there from a site that is no member, and from no other one.
                let from = origin(site, to, *slot)?;
                return self.are_apart(&one_site(from), members).then_some(Test::Const(true));
            }
            (
                Goal::Each { members, slot, to, own },
                Goal::Each { members: others, slot: another, to: there, own: asked },
            ) => {
                let never = self.never_both((members, *slot, to, own), (others, *another, there, asked));
                return never.then_some(Test::Const(true));
            }
            (Goal::Steps { .. } | Goal::Each { .. }, _) | (_, Goal::Steps { .. } | Goal::Each { .. }) => return None,
        };
        if self.are_apart(one_sites, other_sites) {
            return Some(Test::Const(true));
        }
        // Where they are not apart for certain it is asked, but not of what stands on them.
        if one.planes & other.planes != 0 {
            return None;
        }
        let shared = if let (Sets::One(a), Sets::One(b)) = (one_sites, other_sites) {
            compare(CompareOp::Equal, (**a).clone(), (**b).clone())
        } else {
            any(self.ground.and(vec![one_sites.clone(), other_sites.clone()]))
        };
        Some(not(and(vec![one.guard.clone(), other.guard.clone(), shared])))
    }

    /// Between which numbers one lies if it is there at all.
    pub fn ends_of(&self, int: &Int) -> Option<(i64, i64)> {
        match int {
            Int::Table { values, .. } => {
                let known = || values.iter().copied().filter(|value| *value != NONE);
                known().min().zip(known().max())
            }
            Int::Arithmetic(ArithmeticOp::Add, a, b) => {
                let ((a, b), (c, d)) = (self.ends_of(a)?, self.ends_of(b)?);
                Some((a.checked_add(c)?, b.checked_add(d)?))
            }
            Int::Arithmetic(ArithmeticOp::Subtract, a, b) => {
                let ((a, b), (c, d)) = (self.ends_of(a)?, self.ends_of(b)?);
                Some((a.checked_sub(d)?, b.checked_sub(c)?))
            }
            int => self.bounds(int),
        }
    }

    /// Between which numbers one lies that is never missing, as far as that shows.
    pub fn bounds(&self, int: &Int) -> Option<(i64, i64)> {
        self.bounds_among(int, &[])
    }

    /// The same where some slots hold sites.
    fn bounds_among(&self, int: &Int, sites: &[u16]) -> Option<(i64, i64)> {
        let is_site = |slot: &u16| sites.contains(slot) || self.facts().contains_key(slot);
        let bounds = |int: &Int| self.bounds_among(int, sites);
        let of_memory = |cell: u16| range_of(self.memories, cell);
        match int {
            Int::Const(NONE) => None,
            Int::Const(number) => Some((*number, *number)),
            Int::Count(set) => {
                // A run in one direction is no longer than a line.
                let is_run = matches!(&**set, Sets::Run { from, directions, .. }
                    if is_one_way(directions) && has_one_at_most(from));
                Some((0, count(if is_run { self.ways.longest } else { self.rules.board.len() })))
            }
            Int::Distance(a, b) => {
                let are_sites = [a, b].iter().all(|site| matches!(&***site, Int::Slot(slot) if is_site(slot)));
                Some((0, i64::from(self.ways.farthest.filter(|_| are_sites)?)))
            }
            Int::Ones(mask) => match &**mask {
                Int::MaskWhere { domain, .. } if matches!(**domain, Int::Const(_)) => {
                    let Int::Const(domain) = **domain else { return None };
                    Some((0, i64::from(domain.count_ones())))
                }
                _ => Some((0, 32)),
            },
            Int::Turn | Int::Ply => Some((0, LATEST)),
            Int::Pieces(bits, _) => {
                let fit = i64::from(i64::BITS) / i64::from(*bits);
                Some((0, self.stacks.map_or(fit, |stacks| fit.min(i64::from(stacks.most)))))
            }
            Int::Slot(slot) => self.knowledge.ranges.get(slot).copied(),
            Int::Cell(cell, _) => of_memory(*cell),
            Int::CellAt { base, count, index, .. } => match **index {
                Int::Const(index) if (0..i64::from(*count)).contains(&index) => of_memory(*base),
                Int::Slot(slot) if is_site(&slot) => of_memory(*base),
                _ => None,
            },
            Int::Arithmetic(ArithmeticOp::Add, a, b) => {
                let ((a, b), (c, d)) = (bounds(a)?, bounds(b)?);
                Some((a.checked_add(c)?, b.checked_add(d)?))
            }
            Int::Arithmetic(ArithmeticOp::Subtract, a, b) => {
                let ((a, b), (c, d)) = (bounds(a)?, bounds(b)?);
                Some((a.checked_sub(d)?, b.checked_sub(c)?))
            }
            Int::Min(a, b) => {
                let ((a, b), (c, d)) = (bounds(a)?, bounds(b)?);
                Some((a.min(c), b.min(d)))
            }
            Int::Table { values, index } if matches!(**index, Int::Slot(slot) if is_site(&slot)) => {
                let of = |site: crate::board::Site| values.get(site.index()).copied().filter(|value| *value != NONE);
                let known = self.ground.all.iter().map(of).collect::<Option<Vec<i64>>>()?;
                Some((*known.iter().min()?, *known.iter().max()?))
            }
            Int::If(_, a, b) => {
                let ((a, b), (c, d)) = (bounds(a)?, bounds(b)?);
                Some((a.min(c), b.max(d)))
            }
            Int::Max(a, b) => {
                let ((a, b), (c, d)) = (bounds(a)?, bounds(b)?);
                Some((a.max(c), b.max(d)))
            }
            // As many numbers at most as there are members.
            Int::Reduce { reduce: Reduce::Sum, slot, domain, body, .. } => {
                let (members, sites) = match &**domain {
                    Domain::Sites(_) => (count(self.rules.board.len()), [sites, &[*slot]].concat()),
                    Domain::Mask(_) => (32, sites.to_vec()),
                    Domain::Range(..) => return None,
                };
                let (low, high) = self.bounds_among(body, &sites)?;
                Some((low.checked_mul(members)?.min(0), high.checked_mul(members)?.max(0)))
            }
            _ => None,
        }
    }
}

fn cells(base: u16, count: u16) -> Range<u32> {
    u32::from(base)..u32::from(base) + u32::from(count)
}

fn one_site(site: &Int) -> Sets {
    Sets::One(Box::new(site.clone()))
}

/// Whether two changes of memory give different values to one entry; none where that cannot be said by a test.
fn gives_two_values(one: &Write<'_>, other: &Write<'_>) -> Option<Test> {
    let same = match (&one.entries, &other.entries) {
        (Entries::Only, Entries::Only) => Test::Const(true),
        (Entries::At(a), Entries::At(b)) => compare(CompareOp::Equal, (*a).clone(), (*b).clone()),
        (Entries::Only | Entries::At(_) | Entries::Of(_), _) => return None,
    };
    let differ = not(compare(CompareOp::Equal, one.value.clone(), other.value.clone()));
    (one.cells == other.cells).then(|| and(vec![one.guard.clone(), other.guard.clone(), same, differ]))
}

/// The site from which the steps that lead from a slot lead to another site, if they are those that it is told by.
fn origin<'i>(site: &'i Int, to: &Int, slot: u16) -> Option<&'i Int> {
    if *to == Int::Slot(slot) {
        return Some(site);
    }
    if let (Int::Step(way, from), Int::Step(same, rest)) = (site, to) {
        return if way == same { origin(from, rest, slot) } else { None };
    }
    if let (Int::Ahead { from, direction: way, steps: far }, Int::Ahead { from: rest, direction, steps }) = (site, to) {
        return if way == direction && far == steps { origin(from, rest, slot) } else { None };
    }
    let (Int::Only(site), Int::Only(to)) = (site, to) else { return None };
    if let (Sets::Ahead { from, directions: ways, steps: far }, Sets::Ahead { from: rest, directions, steps }) =
        (&**site, &**to)
        && let (Sets::One(from), Sets::One(rest)) = (&**from, &**rest)
        && ways == directions
        && far == steps
    {
        return origin(from, rest, slot);
    }
    None
}

/// Whether a site is one or more steps from another, in one direction.
fn is_steps_from(site: &Int, other: &Int) -> bool {
    let Int::Step(way, _) = site else { return false };
    let mut at = site;
    while let Int::Step(step, inner) = at
        && step == way
    {
        at = inner;
        if at == other {
            return true;
        }
    }
    false
}
