//! Numbers of a site as counts: so many sets hold it, counted for all sites at once.

use super::build::*;
use super::ir::*;
use super::lift::{MOST_WRITTEN, with, without, written};
use super::lower::{Lowering, ways_of};
use super::narrow::count;
use super::parts::chain;
use super::writes::reads_play;
use crate::rules::{ArithmeticOp, CompareOp};

/// As often at most is a number counted more than once.
const MOST_TIMES: i64 = 4;

/// Runs are compared with numbers up to this.
const MOST_STEPS: i64 = 8;

/// Of so few sets all cases are told by themselves.
const FEW_COUNTED: usize = 2;

/// No more sets than this are made of numbers that are counted more than once.
const MOST_COUNTED: usize = 48;

/// How many sets hold a site, less how many others do, and a number that is the same for all sites.
struct Balance {
    more: Vec<Sets>,
    less: Vec<Sets>,
    offset: Int,
}

impl Lowering<'_> {
    pub(super) fn tally(&self, op: CompareOp, left: Vec<Sets>, right: Vec<Sets>, offset: Int) -> Sets {
        // Nothing but constants on the right: often it asks for all, for one at least, or for none.
        if right.is_empty()
            && let Int::Const(offset) = offset
        {
            let wanted = -offset;
            let most = count(left.len());
            match op {
                CompareOp::GreaterEqual | CompareOp::Equal if wanted == most => return self.ground.and(left),
                CompareOp::Greater if wanted == most - 1 => return self.ground.and(left),
                CompareOp::GreaterEqual if wanted == 1 => return self.ground.or(left),
                CompareOp::Greater | CompareOp::NotEqual if wanted == 0 => return self.ground.or(left),
                CompareOp::Equal if wanted == 0 => return self.ground.not(self.ground.or(left)),
                CompareOp::Less if wanted == 1 => return self.ground.not(self.ground.or(left)),
                _ => {}
            }
        }
        // No site lies in fewer sets than none, or in more than all.
        if let Int::Const(offset) = offset
            && offset != NONE
            && let Some(holds) = decided(op, offset - count(right.len()), offset + count(left.len()))
        {
            return if holds { self.ground.everything() } else { nothing() };
        }
        Sets::Tally(Box::new(Tally { op, left, right, offset }))
    }

    /// The sites of the slot for which two numbers compare as said, where both are made of counts that are added or taken off,
    /// and of what is the same for all sites.
    pub(super) fn balanced(&self, op: CompareOp, a: &Int, b: &Int, slot: u16) -> Option<Sets> {
        // What play does not change is told by a table.
        if ![a, b].into_iter().any(|number| Part::Int(number).asks(&reads_play)) {
            return None;
        }
        let mut balance = Balance { more: Vec::new(), less: Vec::new(), offset: Int::Const(0) };
        self.weigh(a, slot, true, &mut balance)?;
        self.weigh(b, slot, false, &mut balance)?;
        let Balance { more, less, offset } = balance;
        let count = more.len() + less.len();
        (FEW_COUNTED < count && count <= MOST_COUNTED).then(|| self.tally(op, more, less, offset))
    }

    /// Adds a number to what is in the balance, or takes it off.
    fn weigh(&self, int: &Int, slot: u16, adds: bool, balance: &mut Balance) -> Option<()> {
        let op = if adds { ArithmeticOp::Add } else { ArithmeticOp::Subtract };
        let mut shift = |number: Int| balance.offset = calculate(op, balance.offset.clone(), number);
        if !int.reads(slot) {
            shift(int.clone());
        } else if let Some((sets, constant)) = self.addends(int, slot) {
            shift(Int::Const(constant));
            if adds { &mut balance.more } else { &mut balance.less }.extend(sets);
        } else {
            if let Int::Arithmetic(ArithmeticOp::Multiply, a, b) = int {
                let (number, times) = if let Int::Const(_) = **a { (b, a) } else { (a, b) };
                let Int::Const(times) = **times else { return None };
                let adds = adds == (times >= 0);
                let times = Some(times.unsigned_abs()).filter(|times| *times <= MOST_TIMES.unsigned_abs())?;
                return (0..times).try_for_each(|_| self.weigh(number, slot, adds, balance));
            }
            let (first, second) = if let Int::Arithmetic(op @ (ArithmeticOp::Add | ArithmeticOp::Subtract), a, b) = int
            {
                (Some(a), (b, adds == (*op == ArithmeticOp::Add)))
            } else if let Int::Negative(inner) = int {
                (None, (inner, !adds))
            } else {
                return None;
            };
            if let Some(first) = first {
                self.weigh(first, slot, adds, balance)?;
            }
            self.weigh(second.0, slot, second.1, balance)?;
        }
        Some(())
    }

    /// A number of the site in the slot as the number of sets that hold the site, and a constant.
    pub(super) fn addends(&self, int: &Int, slot: u16) -> Option<(Vec<Sets>, i64)> {
        match int {
            Int::Const(NONE) => None,
            Int::Const(number) if (-60..=60).contains(number) => Some((Vec::new(), *number)),
            Int::Table { values, index } if **index == Int::Slot(slot) => self.steps_of(values),
            Int::Count(set) if int.reads(slot) => {
                if let Some(each) = self.named_counted(set, slot) {
                    return Some((each, 0));
                }
                let parts = match &**set {
                    Sets::And(parts) => parts.clone(),
                    other => vec![other.clone()],
                };
                let (mut own, rest): (Vec<Sets>, Vec<Sets>) = parts.into_iter().partition(|part| part.reads(slot));
                if own.len() != 1 {
                    return None;
                }
                self.members_counted(&own.pop()?, self.ground.and(rest), slot).map(|sets| (sets, 0))
            }
            Int::Ones(mask) if int.reads(slot) => match &**mask {
                Int::MaskWhere { slot: inner, domain, test } => {
                    let Int::Const(domain) = **domain else { return None };
                    if members(domain).count().saturating_mul(written(&Part::Test(test))) > MOST_WRITTEN {
                        return None;
                    }
                    let each = members(domain).map(|at| self.lift(&with(test, *inner, at), slot));
                    Some((each.collect::<Option<_>>()?, 0))
                }
                _ => None,
            },
            Int::Arithmetic(ArithmeticOp::Add, a, b) => {
                let ((mut left, k), (right, l)) = (self.addends(a, slot)?, self.addends(b, slot)?);
                left.extend(right);
                Some((left, k + l))
            }
            Int::Arithmetic(ArithmeticOp::Multiply, a, b) => {
                let (number, times) = if let Int::Const(_) = **a { (b, a) } else { (a, b) };
                let Int::Const(times @ 1..=MOST_TIMES) = **times else { return None };
                let (sets, k) = self.addends(number, slot)?;
                let all: Vec<Sets> = std::iter::repeat_n(sets, usize::try_from(times).ok()?).flatten().collect();
                (all.len() <= MOST_COUNTED).then_some((all, k.checked_mul(times)?))
            }
            // The smaller number, and as often as the larger one is more the sites for which that is meant.
            Int::If(test, yes, no) => {
                let (Int::Const(yes @ -60..=60), Int::Const(no @ -60..=60)) = (&**yes, &**no) else { return None };
                let times = Some((yes - no).abs()).filter(|times| *times <= MOST_TIMES)?;
                let larger = if yes > no { (**test).clone() } else { not((**test).clone()) };
                Some((vec![self.lift(&larger, slot)?; usize::try_from(times).ok()?], *yes.min(no)))
            }
            _ => None,
        }
    }

    /// The sites of the slot whose runs in some directions are together so long, compared with a number that is known: whether
    /// a run is that long is asked step by step, up to one step more than the number.
    pub(super) fn runs_beside(&self, op: CompareOp, own: &Int, other: &Int, slot: u16) -> Option<Sets> {
        let Int::Const(number @ 0..=MOST_STEPS) = *other else { return None };
        let Int::Count(set) = own else { return None };
        let itself = one(Int::Slot(slot));
        let (runs, itself) = match &**set {
            Sets::Or(parts) if parts.len() == 2 && parts.contains(&itself) => {
                (parts.iter().find(|part| **part != itself)?, 1)
            }
            runs => (runs, 0),
        };
        let Sets::Run { from, directions, through } = runs else { return None };
        // Runs from the site itself do not come back to it.
        if itself == 1 && **from != one(Int::Slot(slot)) {
            return None;
        }
        let steps = number + 1 - itself;
        let Int::Const(mask) = **directions else { return None };
        if self.ways.rings || mask.count_ones() > 1 && !self.ways.rays_are_apart {
            return None;
        }
        if !(1..=MOST_COUNTED).contains(&usize::try_from(steps).ok()?.checked_mul(ways(mask).count())?) {
            return None;
        }
        let through_others = without(through, slot);
        let mut all: Vec<Sets> = Vec::new();
        for step in 1..=steps {
            // The sites from which so many steps in a row lead into the set.
            let far = |way: u8| {
                let into = |set: Option<Sets>| match set {
                    None => through_others.clone(),
                    Some(set) => self.ground.and(vec![through_others.clone(), set]),
                };
                let pull = |set: Option<Sets>, _| Some(self.pull(way, into(set)));
                (0..step).fold(None, pull).unwrap_or_else(nothing)
            };
            all.extend(self.pulled_each(from, directions, through, slot, far)?);
        }
        // Of a single run the sets lie within one another.
        if ways(mask).count() == 1 {
            let reaches = |least: i64| match usize::try_from(least - 1 - itself) {
                Ok(at) => all.get(at).cloned().unwrap_or_else(nothing),
                Err(_) => self.ground.everything(),
            };
            let (this, next) = (reaches(number), reaches(number + 1));
            return Some(match op {
                CompareOp::GreaterEqual => this,
                CompareOp::Greater => next,
                CompareOp::Less => self.ground.not(this),
                CompareOp::LessEqual => self.ground.not(next),
                CompareOp::Equal => self.ground.and(vec![this, self.ground.not(next)]),
                CompareOp::NotEqual => self.ground.or(vec![self.ground.not(this), next]),
            });
        }
        Some(self.tally(op, all, Vec::new(), Int::Const(itself - number)))
    }

    /// The sites of some sets, if each is one some steps away from the site in the slot and no two are ever the same.
    fn sites_apart<'s>(&self, sets: &'s [Sets], slot: u16) -> Option<Vec<&'s Int>> {
        let one = |set: &'s Sets| if let Sets::One(site) = set { Some(&**site) } else { None };
        let sites = sets.iter().map(one).collect::<Option<Vec<&Int>>>()?;
        let apart = |start| {
            let met: Vec<_> = sites.iter().filter_map(|site| self.follow(start, site)).collect();
            met.iter().enumerate().all(|(at, site)| !met[..at].contains(site))
        };
        (sites.iter().all(|site| chain(site, slot)) && self.rules.board.all().iter().all(apart)).then_some(sites)
    }

    /// The members in `rest` of a set that reads the slot, as sets of which each holds one of them.
    fn members_counted(&self, own: &Sets, rest: Sets, slot: u16) -> Option<Vec<Sets>> {
        match own {
            Sets::Near(site) if self.ways.steps_are_neighbours => {
                ways_of(self).map(|way| self.sources(site, self.pull(way, rest.clone()), slot)).collect()
            }
            Sets::One(site) => Some(vec![self.sources(site, rest, slot)?]),
            Sets::Between(from, to) => self.counted_between((from, to), &rest, slot),
            // What is seen in different directions is not the same.
            Sets::Beyond { from, directions, through } if self.ways.rays_are_apart => {
                self.pulled_each(from, directions, through, slot, |way| Sets::PullBeyond {
                    directions: 1 << way,
                    goal: Box::new(rest.clone()),
                    through: Box::new(without(through, slot)),
                })
            }
            Sets::Ahead { from, directions, steps } if self.ways.rays_are_apart => {
                let (Sets::One(site), Int::Const(mask), Int::Const(count @ 1..=32)) =
                    (&**from, &**directions, &**steps)
                else {
                    return None;
                };
                let far = |way| (0..*count).fold(rest.clone(), |set, _| self.pull(way, set));
                ways(*mask).map(|way| self.sources(site, far(way), slot)).collect()
            }
            Sets::Or(parts) if let Some(sites) = self.sites_apart(parts, slot) => {
                sites.into_iter().map(|site| self.sources(site, rest.clone(), slot)).collect()
            }
            // A row of sites and its first one have no site in common, unless the row leads back.
            Sets::Or(parts) if !self.ways.rings && parts.len() == 2 => {
                let first = parts.iter().find(|part| matches!(part, Sets::One(site) if **site == Int::Slot(slot)))?;
                let other = parts.iter().find(|part| *part != first)?;
                let inner = match other {
                    Sets::And(parts) => parts.clone(),
                    other => vec![other.clone()],
                };
                let (mut trail, more): (Vec<Sets>, Vec<Sets>) = inner.into_iter().partition(|part| part.reads(slot));
                if trail.len() != 1 {
                    return None;
                }
                let mut sets = self.members_counted(first, rest.clone(), slot)?;
                let mut more = more;
                more.push(rest);
                sets.extend(self.members_counted(&trail.pop()?, self.ground.and(more), slot)?);
                Some(sets)
            }
            Sets::Trail { from, directions, steps } if !self.ways.rings => {
                let (Sets::One(site), Int::Const(mask), Int::Const(count @ 0..=32)) =
                    (&**from, &**directions, &**steps)
                else {
                    return None;
                };
                let mut all = ways(*mask);
                let (Some(way), None) = (all.next(), all.next()) else { return None };
                let mut far = rest;
                let mut sets = Vec::new();
                for _ in 0..*count {
                    far = self.pull(way, far);
                    sets.push(self.sources(site, far.clone(), slot)?);
                }
                Some(sets)
            }
            _ => None,
        }
    }
}

/// Whether all numbers of a range compare with 0 as said; none where some do and some do not.
fn decided(op: CompareOp, least: i64, most: i64) -> Option<bool> {
    let (first, last) = (op.holds(&least, &0), op.holds(&most, &0));
    match op {
        CompareOp::Equal | CompareOp::NotEqual if least <= 0 && 0 <= most => (least == most).then_some(first),
        CompareOp::Equal
        | CompareOp::NotEqual
        | CompareOp::Less
        | CompareOp::LessEqual
        | CompareOp::Greater
        | CompareOp::GreaterEqual => (first == last).then_some(first),
    }
}
