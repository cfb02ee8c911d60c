//! What a set, a number or a test comes to whatever stands on the board, as far as the form of the board and some known
//! numbers tell it.
//!
//! Of a set that is two sets: the sites that it has in any state, and all that it can have. Each rule below is one of sets,
//! so both are right wherever nothing is known of play.

use super::build::*;
use super::ir::*;
use super::lower::Lowering;
use super::narrow::count;
use super::walk::Walk;
use crate::board::{Direction, Site, SiteSet};
use crate::rules::Reduce;

/// The numbers in some slots; of two for one slot the last one counts.
pub(super) type Given<'a> = &'a [(u16, i64)];

/// Longer ranges are not gone through.
const MOST_NUMBERS: i64 = 1_000;

/// The sites that a set has in any state, and all that it can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Extent {
    pub least: SiteSet,
    pub most: SiteSet,
}

impl Extent {
    fn exactly(set: SiteSet) -> Self {
        Self { least: set, most: set }
    }

    fn at_most(set: SiteSet) -> Self {
        Self { least: SiteSet::EMPTY, most: set }
    }

    pub(super) fn known(self) -> Option<SiteSet> {
        (self.least == self.most).then_some(self.most)
    }

    /// Both, where the more a set has the more a function of it has.
    fn map(self, f: impl Fn(SiteSet) -> SiteSet) -> Self {
        Self { least: f(self.least), most: f(self.most) }
    }

    fn join(self, other: Self, f: impl Fn(SiteSet, SiteSet) -> SiteSet) -> Self {
        Self { least: f(self.least, other.least), most: f(self.most, other.most) }
    }

    /// One of two.
    fn either(self, other: Self) -> Self {
        Self { least: self.least & other.least, most: self.most | other.most }
    }
}

pub(super) fn place(at: i64) -> Option<Site> {
    usize::try_from(at).ok().and_then(Site::from_index)
}

fn number_of(site: Option<Site>) -> i64 {
    site.map_or(NONE, |site| i64::from(site.0))
}

impl Lowering<'_> {
    pub(super) fn walk(&self) -> Walk<'_> {
        Walk { board: &self.rules.board, layout: self.layout }
    }

    /// What a set holds at least and at most.
    pub(super) fn extent(&self, set: &Sets, given: Given<'_>) -> Extent {
        let all = self.ground.all;
        match set {
            Sets::Const(set) => Extent::exactly(*set),
            Sets::One(site) => self.place_of(site, given),
            Sets::And(parts) => {
                let each = parts.iter().map(|part| self.extent(part, given));
                each.fold(Extent::exactly(all), |whole, part| whole.join(part, |a, b| a & b))
            }
            Sets::Or(parts) => {
                let each = parts.iter().map(|part| self.extent(part, given));
                each.fold(Extent::exactly(SiteSet::EMPTY), |whole, part| whole.join(part, |a, b| a | b))
            }
            Sets::Not(inner) => {
                let inner = self.extent(inner, given);
                Extent { least: all - inner.most, most: all - inner.least }
            }
            Sets::Minus(set, taken) => {
                let (set, taken) = (self.extent(set, given), self.extent(taken, given));
                Extent { least: set.least - taken.most, most: set.most - taken.least }
            }
            Sets::Near(site) => self.place_of(site, given).map(|set| self.walk().neighbours(set)),
            Sets::Dilate(inner) => self.extent(inner, given).map(|set| self.walk().neighbours(set)),
            Sets::Within { of, steps } => {
                let of = self.extent(of, given);
                match self.number(steps, given) {
                    Some(steps) => of.map(|set| self.within_steps(set, steps)),
                    None => Extent { least: SiteSet::EMPTY, most: self.within_steps(of.most, i64::MAX) },
                }
            }
            Sets::Nearer { to, than, equal } => {
                match (self.extent(to, given).known(), self.extent(than, given).known()) {
                    (Some(to), Some(than)) => Extent::exactly(self.sites_nearer(to, than, *equal)),
                    _ => Extent::at_most(self.ground.all),
                }
            }
            Sets::Ahead { from, directions, steps } => self.stepped(from, directions, steps, given),
            Sets::Trail { from, directions, steps } => {
                let from = self.extent(from, given);
                match (self.number(directions, given), self.number(steps, given)) {
                    (Some(mask), Some(steps)) => from.map(|set| self.walk().trail(set, mask, steps.max(0))),
                    (mask, _) => {
                        let most = self.bounds(steps).map_or(i64::MAX, |(_, most)| most.max(0));
                        Extent::at_most(self.walk().trail(from.most, mask.unwrap_or(i64::MAX), most))
                    }
                }
            }
            Sets::Run { from, directions, through } => {
                let (from, through) = (self.extent(from, given), self.extent(through, given));
                match self.number(directions, given) {
                    Some(mask) => from.join(through, |from, through| self.walk().runs(from, mask, through).0),
                    None => Extent::at_most(self.walk().runs(from.most, i64::MAX, through.most).0),
                }
            }
            Sets::Beyond { from, directions, through } => {
                let (from, through) = (self.extent(from, given), self.extent(through, given));
                match (from.known(), self.number(directions, given), through.known()) {
                    (Some(from), Some(mask), Some(through)) => Extent::exactly(self.walk().runs(from, mask, through).1),
                    (_, mask, _) => Extent::at_most(self.walk().trail(from.most, mask.unwrap_or(i64::MAX), i64::MAX)),
                }
            }
            Sets::Between(a, b) => match (self.number(a, given), self.number(b, given)) {
                (Some(a), Some(b)) => Extent::exactly(self.walk().between(place(a), place(b))),
                (Some(NONE), _) | (_, Some(NONE)) => Extent::exactly(SiteSet::EMPTY),
                _ => Extent::at_most(all),
            },
            Sets::Table { rows, index } => match self.number(index, given) {
                Some(at) => {
                    let row = usize::try_from(at).ok().and_then(|at| rows.get(at));
                    Extent::exactly(row.copied().unwrap_or(SiteSet::EMPTY))
                }
                None => Extent::at_most(rows.iter().fold(SiteSet::EMPTY, |whole, row| whole | *row)),
            },
            Sets::If(test, yes, no) => match self.judged(test, given) {
                Some(held) => self.extent(if held { yes } else { no }, given),
                None => self.extent(yes, given).either(self.extent(no, given)),
            },
            Sets::Filter { slot, domain, test } => {
                let domain = self.extent(domain, given);
                let mut passing = domain;
                for site in domain.most {
                    let held = self.judged_of(test, given, (*slot, site));
                    if held != Some(true) {
                        passing.least.remove(site);
                    }
                    if held == Some(false) {
                        passing.most.remove(site);
                    }
                }
                passing
            }
            Sets::Connected { from, within } => {
                let (from, within) = (self.extent(from, given), self.extent(within, given));
                from.join(within, |from, within| self.flooded(from, within))
            }
            Sets::Heads(within) => {
                let within = self.extent(within, given);
                within.known().map_or(Extent::at_most(within.most), |set| Extent::exactly(self.heads(set)))
            }
            Sets::First(within) => {
                let within = self.extent(within, given);
                let first = |set: SiteSet| set.iter().next().map_or(SiteSet::EMPTY, SiteSet::single);
                within.known().map_or(Extent::at_most(within.most), |set| Extent::exactly(first(set)))
            }
            Sets::Collect { slot, domain, test, body } => {
                self.collected_of(*slot, domain, test, body, given).map_or(Extent::at_most(all), Extent::exactly)
            }
            Sets::Pull(way, goal) => self.extent(goal, given).map(|goal| self.leading(1 << *way, goal)),
            Sets::PullAny(mask, goal) => self.extent(goal, given).map(|goal| self.leading(*mask, goal)),
            Sets::PullRun { directions, goal, through } => {
                let (goal, through) = (self.extent(goal, given), self.extent(through, given));
                goal.join(through, |goal, through| self.led_through(*directions, goal & through, through))
            }
            Sets::PullBeyond { directions, goal, through } => {
                let Some(through) = self.extent(through, given).known() else { return Extent::at_most(all) };
                self.extent(goal, given).map(|goal| self.led_through(*directions, goal - through, through))
            }
            Sets::Tally(tally) => self.tallied(tally, given).map_or(Extent::at_most(all), Extent::exactly),
            // What stands on the board, what is remembered, and what has no rule here.
            Sets::Planes(..)
            | Sets::Memory(..)
            | Sets::Slot(_)
            | Sets::Grown { .. }
            | Sets::Bracketed { .. }
            | Sets::Alike(..)
            | Sets::OfKinds(..)
            | Sets::OfPlayers(..)
            | Sets::With { .. }
            | Sets::Ranked { .. }
            | Sets::Primitive(..) => Extent::at_most(all),
        }
    }

    /// The sites from which a step in one of some directions leads into a set.
    fn leading(&self, mask: i64, goal: SiteSet) -> SiteSet {
        let sources = self.sources_of_steps.get_or_init(|| self.walk().sources());
        let into = |way: u8| {
            let sources = sources.get(usize::from(way)).map_or(&[][..], Vec::as_slice);
            goal.iter().filter_map(|to| sources.get(to.index())).fold(SiteSet::EMPTY, |all, from| all | *from)
        };
        ways(mask).fold(SiteSet::EMPTY, |all, way| all | into(way))
    }

    /// The sites from which lines in some directions lead into a set through nothing but another one.
    fn led_through(&self, mask: i64, goal: SiteSet, through: SiteSet) -> SiteSet {
        let mut all = SiteSet::EMPTY;
        for way in ways(mask) {
            let (mut found, mut next) = (SiteSet::EMPTY, goal);
            while !next.is_empty() {
                let from = self.leading(1 << way, next) - found;
                found |= from;
                next = from & through;
            }
            all |= found;
        }
        all
    }

    /// The sites at which two numbers of sets that have them compare as said, where all this is known.
    fn tallied(&self, tally: &Tally, given: Given<'_>) -> Option<SiteSet> {
        let known = |sets: &[Sets]| sets.iter().map(|set| self.extent(set, given).known()).collect::<Option<Vec<_>>>();
        let (left, right) = (known(&tally.left)?, known(&tally.right)?);
        let offset = self.number(&tally.offset, given).filter(|offset| *offset != NONE)?;
        let having = |sets: &[SiteSet], site: Site| count(sets.iter().filter(|set| set.contains(site)).count());
        let holds = |site: &Site| tally.op.holds(&(having(&left, *site) + offset), &having(&right, *site));
        Some(self.ground.all.iter().filter(holds).collect())
    }

    /// All that neighbours in a set link to some of its members, these included.
    fn flooded(&self, from: SiteSet, within: SiteSet) -> SiteSet {
        let mut reached = from & within;
        loop {
            let next = reached | self.walk().neighbours(reached) & within;
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    /// The sites at most so many steps from some.
    fn within_steps(&self, set: SiteSet, steps: i64) -> SiteSet {
        let mut reached = if steps < 0 { SiteSet::EMPTY } else { set };
        for _ in 0..steps {
            let more = reached | self.walk().neighbours(reached);
            if more == reached {
                break;
            }
            reached = more;
        }
        reached
    }

    /// The sites that are nearer to some than to others, or with `equal` as near; none where there are no others.
    fn sites_nearer(&self, to: SiteSet, mut than: SiteSet, equal: bool) -> SiteSet {
        if than.is_empty() {
            return than;
        }
        let mut nearer = if equal { to } else { to - than };
        let mut front = nearer;
        while !front.is_empty() {
            let spread = than | self.walk().neighbours(than);
            front = self.walk().neighbours(front) - nearer - if equal { than } else { spread };
            nearer |= front;
            than = spread;
        }
        nearer
    }

    /// The first member of each group of a set.
    fn heads(&self, set: SiteSet) -> SiteSet {
        let (mut left, mut heads) = (set, SiteSet::EMPTY);
        while let Some(first) = left.iter().next() {
            heads.insert(first);
            left -= self.flooded(SiteSet::single(first), set);
        }
        heads
    }

    /// The members of a domain, where all of them are known, and not too many.
    fn all_known(&self, domain: &Domain, given: Given<'_>) -> Option<Vec<i64>> {
        Some(match domain {
            Domain::Sites(set) => self.extent(set, given).known()?.iter().map(|site| i64::from(site.0)).collect(),
            Domain::Mask(mask) => members(self.number(mask, given)?).collect(),
            Domain::Range(low, high) => match (self.number(low, given)?, self.number(high, given)?) {
                (NONE, _) | (_, NONE) => Vec::new(),
                (low, high) if high.saturating_sub(low) > MOST_NUMBERS => return None,
                (low, high) => (low..=high).collect(),
            },
        })
    }

    /// The members of a domain that pass a test, where all this is known.
    fn members_known(&self, slot: u16, domain: &Domain, test: &Test, given: Given<'_>) -> Option<Vec<i64>> {
        let mut members = self.all_known(domain, given)?;
        let mut known = true;
        members.retain(|member| {
            let passes = self.judged(test, &[given, &[(slot, *member)]].concat());
            known &= passes.is_some();
            passes == Some(true)
        });
        known.then_some(members)
    }

    fn collected_of(&self, slot: u16, domain: &Domain, test: &Test, body: &Sets, given: Given<'_>) -> Option<SiteSet> {
        let members = self.members_known(slot, domain, test, given)?.into_iter();
        let each = members.map(|member| self.extent(body, &[given, &[(slot, member)]].concat()).known());
        each.collect::<Option<Vec<_>>>().map(|sets| sets.into_iter().fold(SiteSet::EMPTY, |all, set| all | set))
    }

    /// The sum, the least or the greatest of numbers that are all known; none where one of them is missing.
    fn reduced_of(
        &self,
        reduce: Reduce,
        (slot, domain, test, body): (u16, &Domain, &Test, &Int),
        given: Given<'_>,
    ) -> Option<i64> {
        let members = self.members_known(slot, domain, test, given)?.into_iter();
        let numbers = members.map(|member| self.number(body, &[given, &[(slot, member)]].concat()));
        let numbers = numbers.collect::<Option<Vec<i64>>>()?;
        if numbers.contains(&NONE) {
            return Some(NONE);
        }
        Some(match reduce {
            Reduce::Sum => numbers.into_iter().try_fold(0i64, i64::checked_add).unwrap_or(NONE),
            Reduce::Least => numbers.into_iter().min().unwrap_or(NONE),
            Reduce::Most => numbers.into_iter().max().unwrap_or(NONE),
        })
    }

    /// The same of one site, or none.
    pub(super) fn place_of(&self, site: &Int, given: Given<'_>) -> Extent {
        if let Some(at) = self.number(site, given) {
            return Extent::exactly(place(at).map_or(SiteSet::EMPTY, SiteSet::single));
        }
        let mask_of =
            |way: &Int| self.number(way, given).map_or(i64::MAX, |way| if way == NONE { 0 } else { 1 << way });
        if let Int::If(_, yes, no) = site {
            return self.place_of(yes, given).either(self.place_of(no, given));
        }
        Extent::at_most(if let Int::Step(way, inner) = site {
            self.walk().pushed(self.place_of(inner, given).most, 1 << way, 1)
        } else if let Int::Ahead { from, direction, steps } = site {
            let (from, mask) = (self.place_of(from, given).most, mask_of(direction));
            match self.number(steps, given) {
                Some(steps) => self.walk().pushed(from, mask, steps),
                None => self.on_the_way(from, Some(mask), steps),
            }
        } else if let Int::Beyond { from, direction, .. } = site {
            self.walk().trail(self.place_of(from, given).most, mask_of(direction), i64::MAX)
        } else if let Int::Only(set) = site {
            self.extent(set, given).most
        } else {
            self.ground.all
        })
    }

    fn stepped(&self, from: &Sets, directions: &Int, steps: &Int, given: Given<'_>) -> Extent {
        let from = self.extent(from, given);
        match (self.number(directions, given), self.number(steps, given)) {
            (_, Some(NONE)) => Extent::exactly(SiteSet::EMPTY),
            (Some(mask), Some(steps)) => from.map(|set| self.walk().pushed(set, mask, steps)),
            (None, Some(steps)) => Extent::at_most(self.walk().pushed(from.most, i64::MAX, steps)),
            (mask, None) => Extent::at_most(self.on_the_way(from.most, mask, steps)),
        }
    }

    /// All that may lie so many steps on, where play tells how many there are: none backwards as far as the bounds say.
    fn on_the_way(&self, from: SiteSet, mask: Option<i64>, steps: &Int) -> SiteSet {
        match self.bounds(steps) {
            Some((least @ 0.., most)) => {
                let met = self.walk().trail(from, mask.unwrap_or(i64::MAX), most);
                if least == 0 { met | from } else { met }
            }
            Some(_) | None => self.ground.all,
        }
    }

    /// A number that is the same in every state, none among them; nothing where play may change it.
    pub(super) fn number(&self, int: &Int, given: Given<'_>) -> Option<i64> {
        let of = |int: &Int| self.number(int, given);
        // What is made of known numbers by the rules that put instructions together.
        let known = |int: &Int| of(int).map(Int::Const);
        let folded = |int: Int| if let Int::Const(number) = int { Some(number) } else { None };
        // What is none makes the whole none.
        let with = |a: &Int, b: &Int, f: &dyn Fn(i64, i64) -> Option<i64>| match (of(a)?, of(b)?) {
            (NONE, _) | (_, NONE) => Some(NONE),
            (a, b) => f(a, b),
        };
        Some(match int {
            Int::Const(number) => *number,
            Int::Slot(slot) => given.iter().rev().find(|(own, _)| own == slot)?.1,
            Int::Step(way, from) => {
                number_of(self.walk().step(place(of(from)?), Direction::from_index(usize::from(*way))))
            }
            Int::Ahead { from, direction, steps } => {
                let (from, way, steps) = (place(of(from)?), of(direction)?, of(steps)?);
                if steps == NONE || way == NONE {
                    return Some(NONE);
                }
                number_of(self.walk().pushed(from.map_or(SiteSet::EMPTY, SiteSet::single), 1 << way, steps).only())
            }
            Int::Beyond { from, direction, through } => {
                let (from, way) = (place(of(from)?), of(direction)?);
                let through = self.extent(through, given).known()?;
                let from = from.map_or(SiteSet::EMPTY, SiteSet::single);
                let found = if way == NONE { SiteSet::EMPTY } else { self.walk().runs(from, 1 << way, through).1 };
                number_of(found.only())
            }
            Int::Direction(a, b) => {
                with(a, b, &|a, b| Some(self.walk().aim(place(a), place(b)).map_or(NONE, |way| count(way.index()))))?
            }
            Int::Distance(a, b) => with(a, b, &|a, b| {
                let (a, b) = (self.layout.site(place(a)?.index())?, self.layout.site(place(b)?.index())?);
                Some(self.rules.board.distance(a, b).map_or(NONE, i64::from))
            })?,
            Int::Arithmetic(op, a, b) => with(a, b, &|a, b| Some(op.apply(a, b).unwrap_or(NONE)))?,
            Int::Table { values, index } => {
                usize::try_from(of(index)?).ok().and_then(|at| values.get(at)).copied().unwrap_or(NONE)
            }
            Int::If(test, yes, no) => {
                if self.judged(test, given)? {
                    of(yes)?
                } else {
                    of(no)?
                }
            }
            Int::Only(set) => number_of(self.extent(set, given).known()?.only()),
            Int::Count(set) => count(self.extent(set, given).known()?.len()),
            Int::Opposite(inner) => folded(opposite(known(inner)?))?,
            Int::OppositeMask(inner) => folded(opposite_mask(known(inner)?))?,
            Int::Bit(inner) => folded(bit(known(inner)?))?,
            Int::OnlyBit(inner) => folded(only_bit(known(inner)?))?,
            Int::MaskAnd(a, b) => folded(mask_and(known(a)?, known(b)?))?,
            Int::MaskOr(a, b) => folded(mask_or(known(a)?, known(b)?))?,
            Int::MaskNot(all, a) => folded(mask_not(*all, known(a)?))?,
            Int::Max(a, b) => with(a, b, &|a, b| Some(a.max(b)))?,
            Int::Min(a, b) => with(a, b, &|a, b| Some(a.min(b)))?,
            Int::Abs(inner) => with(inner, inner, &|of, _| Some(of.checked_abs().unwrap_or(NONE)))?,
            Int::Negative(inner) => with(inner, inner, &|of, _| Some(of.checked_neg().unwrap_or(NONE)))?,
            Int::Reduce { reduce, slot, domain, test, body } => {
                self.reduced_of(*reduce, (*slot, domain, test, body), given)?
            }
            Int::MaskWhere { slot, domain, test } => {
                let domain = Domain::Mask((**domain).clone());
                self.members_known(*slot, &domain, test, given)?.into_iter().fold(0, |mask, member| mask | 1 << member)
            }
            Int::Ones(mask) => match of(mask)? {
                NONE => NONE,
                mask => i64::from(mask.count_ones()),
            },
            Int::Cell(..)
            | Int::CellAt { .. }
            | Int::RowLength { .. }
            | Int::Owner(..)
            | Int::Kind(..)
            | Int::Piece(..)
            | Int::Owners(..)
            | Int::KindsIn(..)
            | Int::Make(..)
            | Int::With { .. }
            | Int::MaskCollect { .. }
            | Int::Pieces(..)
            | Int::Among { .. }
            | Int::Upper { .. }
            | Int::Lower { .. }
            | Int::Pile { .. }
            | Int::Turn
            | Int::Ply
            | Int::Next
            | Int::Truth(..)
            | Int::Primitive(..) => return None,
        })
    }

    /// Whether a test holds in every state, or in none.
    pub(super) fn judged(&self, test: &Test, given: Given<'_>) -> Option<bool> {
        self.left_to_judge.set(self.left_to_judge.get().checked_sub(1)?);
        let all = |parts: &[Test], wanted: bool| {
            let mut open = false;
            for part in parts {
                match self.judged(part, given) {
                    Some(held) if held == wanted => {}
                    Some(_) => return Some(!wanted),
                    None => open = true,
                }
            }
            (!open).then_some(wanted)
        };
        match test {
            Test::Const(held) => Some(*held),
            Test::Not(inner) => self.judged(inner, given).map(|held| !held),
            Test::And(parts) => all(parts, true),
            Test::Or(parts) => all(parts, false),
            Test::Any(Sets::Filter { slot, domain, test }) => self.judged_of_sites(*slot, domain, test, given),
            Test::Any(set) => {
                let extent = self.extent(set, given);
                if extent.most.is_empty() { Some(false) } else { (!extent.least.is_empty()).then_some(true) }
            }
            Test::Contains(set, site) => {
                let (set, site) = (self.extent(set, given), self.place_of(site, given));
                if !set.most.intersects(site.most) {
                    return Some(false);
                }
                (!site.least.is_empty() && site.most.is_subset(set.least)).then_some(true)
            }
            Test::Subset(a, b) => {
                let (a, b) = (self.extent(a, given), self.extent(b, given));
                if a.most.is_subset(b.least) {
                    return Some(true);
                }
                (!a.least.is_subset(b.most)).then_some(false)
            }
            Test::Compare(op, a, b) => match (self.number(a, given), self.number(b, given)) {
                (Some(NONE), _) | (_, Some(NONE)) => Some(false),
                (Some(a), Some(b)) => Some(op.holds(&a, &b)),
                (None, _) | (_, None) => None,
            },
            Test::Known(number) => self.number(number, given).map(|number| number != NONE),
            Test::Exists { slot, domain, test } => self.judged_of_some(*slot, domain, test, given),
            Test::Lists(..)
            | Test::Seen { .. }
            | Test::Possible { .. }
            | Test::Stuck
            | Test::Unfinished
            | Test::CanApply(_)
            | Test::With { .. }
            | Test::WithSites { .. }
            | Test::OfNew { .. } => None,
        }
    }

    /// The same where one more slot holds a site.
    pub(super) fn judged_of(&self, test: &Test, given: Given<'_>, (slot, site): (u16, Site)) -> Option<bool> {
        let mut inner = given.to_vec();
        inner.push((slot, i64::from(site.0)));
        self.judged(test, &inner)
    }

    /// Whether some member of a domain passes a test.
    fn judged_of_some(&self, slot: u16, domain: &Domain, test: &Test, given: Given<'_>) -> Option<bool> {
        if let Domain::Sites(set) = domain {
            return self.judged_of_sites(slot, set, test, given);
        }
        let members = self.all_known(domain, given)?.into_iter();
        self.some_judged(slot, members.map(|member| (member, true)), test, given)
    }

    /// The same of the sites that a set has at least and at most.
    fn judged_of_sites(&self, slot: u16, set: &Sets, test: &Test, given: Given<'_>) -> Option<bool> {
        let extent = self.extent(set, given);
        let members = extent.most.iter().map(|site| (i64::from(site.0), extent.least.contains(site)));
        self.some_judged(slot, members, test, given)
    }

    /// Whether some of these members passes a test, of each of which is known whether it is one for certain. No more are judged
    /// than it takes to tell.
    fn some_judged(
        &self,
        slot: u16,
        members: impl Iterator<Item = (i64, bool)>,
        test: &Test,
        given: Given<'_>,
    ) -> Option<bool> {
        let (mut open, mut inner) = (false, given.to_vec());
        for (member, is_certain) in members {
            inner.push((slot, member));
            match self.judged(test, &inner) {
                Some(true) if is_certain => return Some(true),
                Some(false) => {}
                Some(true) | None => open = true,
            }
            inner.pop();
        }
        (!open).then_some(false)
    }
}
