//! Instructions put together: constants folded, planes merged, and what is asked about them.

pub use super::conditions::*;
use super::instruction::Field;
use super::ir::*;
use super::layout::Layout;
use super::narrow::count;
use crate::board::{Board, Direction, MAX_SITES, SiteSet};
use crate::rules::{ArithmeticOp, CompareOp, Type};
use std::sync::Arc;

/// What folding needs to know of the board.
#[derive(Clone, Copy, Debug)]
pub struct Ground {
    pub all: SiteSet,
    /// The bits of all planes.
    pub planes: u64,
    /// No site is a neighbour of itself.
    pub neighbours_are_others: bool,
}

impl Ground {
    pub fn of(board: &Board, layout: &Layout, planes: u64) -> Self {
        let neighbours_are_others = board.all().iter().all(|site| !board.neighbours(site).contains(site));
        Self { all: layout.set(board.all()), planes, neighbours_are_others }
    }

    pub fn everything(&self) -> Sets {
        Sets::Const(self.all)
    }

    pub fn planes(&self, mask: u64, when: When) -> Sets {
        let mask = mask & self.planes;
        if mask == 0 {
            nothing()
        } else if mask == self.planes {
            self.everything()
        } else {
            Sets::Planes(mask, when)
        }
    }

    pub fn and(&self, parts: Vec<Sets>) -> Sets {
        let mut constant = self.all;
        let mut planes = [self.planes; 2];
        let mut rest: Vec<Sets> = Vec::new();
        let (mut filters, mut chosen) = (Vec::new(), None);
        let mut queue = parts;
        queue.reverse();
        while let Some(part) = queue.pop() {
            match part {
                Sets::And(inner) => queue.extend(inner.into_iter().rev()),
                Sets::Const(set) => constant &= set,
                Sets::Planes(mask, When::Now) => planes[0] &= mask,
                Sets::Planes(mask, When::Before) => planes[1] &= mask,
                Sets::Filter { slot, domain, test } => {
                    queue.push(*domain);
                    filters.push((slot, test));
                }
                // The same of a set that is asked site by site in one case or another.
                Sets::If(test, yes, no)
                    if chosen.is_none() && [&yes, &no].into_iter().any(|case| self.is_asked_of_all(case)) =>
                {
                    chosen = Some((*test, *yes, *no));
                }
                // Where any site may be left out, that is asked of those alone that the rest leaves.
                Sets::Not(inner) if matches!(&*inner, Sets::Filter { domain, .. } if matches!(**domain, Sets::Const(_))) =>
                {
                    let Sets::Filter { slot, domain, test } = *inner else { continue };
                    let held = and(vec![contains(*domain, Int::Slot(slot)), *test]);
                    filters.push((slot, Box::new(not(held))));
                }
                other if rest.contains(&other) => {}
                Sets::Table { rows, index } => {
                    let same = rest.iter_mut().find_map(|known| {
                        let Sets::Table { rows, index: own } = known else { return None };
                        (*own == index).then_some(rows)
                    });
                    match same {
                        Some(known) => *known = known.iter().zip(rows.iter()).map(|(a, b)| *a & *b).collect(),
                        None => rest.push(Sets::Table { rows, index }),
                    }
                }
                other => rest.push(other),
            }
        }
        if constant.is_empty() || planes.contains(&0) {
            return nothing();
        }
        // What is asked site by site is asked of those alone that the rest leaves.
        if planes[0] != self.planes || constant != self.all {
            let left = [Sets::Planes(planes[0], When::Now), Sets::Const(constant)];
            rest.iter_mut().for_each(|part| self.ask_fewer(part, &left));
        }
        let mut all = Vec::new();
        for (mask, when) in [(planes[0], When::Now), (planes[1], When::Before)] {
            if mask != self.planes {
                all.push(Sets::Planes(mask, when));
            }
        }
        if constant != self.all {
            all.push(Sets::Const(constant));
        }
        let is_asked = |part: &Sets| {
            rest.contains(part)
                || matches!(part, Sets::Const(set) if constant & *set == constant)
                || matches!(part, Sets::Planes(mask, When::Now) if planes[0] & !mask == 0)
        };
        let needed = |part: &Sets| {
            let part = self.without_asked(self.on_planes(part.clone(), planes[0]), &is_asked);
            self.beside_none_of(part, &rest)
        };
        let needed: Vec<Sets> = rest.iter().map(needed).collect();
        let is_less = needed != rest;
        all.extend(needed);
        let set = match all.len() {
            // What is left of a part may be nothing, or everything, or go together with others.
            _ if is_less => self.and(all),
            0 => self.everything(),
            1 => all.remove(0),
            _ => Sets::And(all),
        };
        let set = match chosen {
            Some((test, yes, no)) => {
                let [yes, no] = [yes, no].map(|case| self.and(vec![set.clone(), case]));
                self.choose(test, yes, no)
            }
            None => set,
        };
        filters.into_iter().fold(set, |domain, (slot, test)| Sets::Filter { slot, domain: Box::new(domain), test })
    }

    /// Whether a set is asked of every site, one after the other.
    fn is_asked_of_all(&self, set: &Sets) -> bool {
        matches!(set, Sets::Filter { domain, .. } if **domain == self.everything())
    }

    /// Where cases of a set are asked site by site, only sites in all of some sets are asked.
    fn ask_fewer(&self, set: &mut Sets, among: &[Sets; 2]) {
        if let Sets::Or(cases) = set {
            cases.iter_mut().for_each(|case| self.ask_fewer(case, among));
        } else if let Sets::Collect { body, .. } = set {
            self.ask_fewer(body, among);
        } else if let Sets::Filter { domain, .. } = set {
            let all = std::mem::replace(&mut **domain, nothing());
            **domain = self.and(among.iter().cloned().chain([all]).collect());
        }
    }

    /// What is left of a set among sites of which something is asked already: whoever is not in several sets, but in one of
    /// them, is not in the others.
    fn without_asked(&self, set: Sets, is_asked: &dyn Fn(&Sets) -> bool) -> Sets {
        match set {
            Sets::Not(inner) if matches!(&*inner, Sets::And(parts) if parts.iter().any(is_asked)) => {
                let Sets::And(mut parts) = *inner else { return nothing() };
                parts.retain(|part| !is_asked(part));
                self.not(self.and(parts))
            }
            other => other,
        }
    }

    /// What is left of a set among sites that lie in all of some sets: none of them lies beside one.
    fn beside_none_of(&self, set: Sets, all: &[Sets]) -> Sets {
        // A site lies neither in what leaves it out nor among its neighbours.
        let leaves_out = |part: &Sets, site: &Int| {
            matches!(part, Sets::Not(set) if matches!(&**set, Sets::One(other) if **other == *site))
                || self.neighbours_are_others && matches!(part, Sets::Near(centre) if **centre == *site)
        };
        let is_beside = |case: &Sets| {
            matches!(case, Sets::Not(set) if all.contains(set))
                || matches!(case, Sets::One(site) if all.iter().any(|part| leaves_out(part, site)))
        };
        match set {
            Sets::Or(cases) if cases.iter().any(is_beside) => {
                self.or(cases.into_iter().filter(|case| !is_beside(case)).collect())
            }
            other => other,
        }
    }

    /// A set as far as it matters on some planes of the present state: what lies on others falls away.
    fn on_planes(&self, set: Sets, mask: u64) -> Sets {
        match set {
            Sets::Or(parts) => {
                let met = parts.into_iter().filter(|part| part.planes_met() & mask != 0);
                self.or(met.map(|part| self.on_planes(part, mask)).collect())
            }
            Sets::Not(inner) => self.not(self.on_planes(*inner, mask)),
            other => other,
        }
    }

    pub fn or(&self, parts: Vec<Sets>) -> Sets {
        let mut constant = SiteSet::EMPTY;
        let mut planes = [0u64; 2];
        let mut rest: Vec<Sets> = Vec::new();
        let mut queue = parts;
        queue.reverse();
        while let Some(part) = queue.pop() {
            match part {
                Sets::Or(inner) => queue.extend(inner.into_iter().rev()),
                Sets::Const(set) => constant |= set,
                Sets::Planes(mask, When::Now) => planes[0] |= mask,
                Sets::Planes(mask, When::Before) => planes[1] |= mask,
                other if rest.contains(&other) => {}
                other => rest.push(other),
            }
        }
        if constant == self.all || planes.contains(&self.planes) {
            return self.everything();
        }
        let cases = rest.len();
        merge_opposites(&mut rest);
        if rest.len() < cases {
            let known =
                [Sets::Planes(planes[0], When::Now), Sets::Planes(planes[1], When::Before), Sets::Const(constant)];
            let known = known.into_iter().filter(|set| !matches!(set, Sets::Planes(0, _)));
            return self.or(known.chain(rest).collect());
        }
        let mut all = Vec::new();
        for (mask, when) in [(planes[0], When::Now), (planes[1], When::Before)] {
            if mask != 0 {
                all.push(Sets::Planes(mask, when));
            }
        }
        if !constant.is_empty() {
            all.push(Sets::Const(constant));
        }
        all.append(&mut rest);
        match all.len() {
            0 => nothing(),
            1 => all.remove(0),
            _ => Sets::Or(all),
        }
    }

    pub fn not(&self, set: Sets) -> Sets {
        match set {
            Sets::Const(set) => Sets::Const(self.all - set),
            Sets::Planes(mask, when) => self.planes(self.planes & !mask, when),
            Sets::Not(inner) => *inner,
            // What is in none of the others of several is in one of these.
            Sets::And(parts) if parts.iter().all(|part| matches!(part, Sets::Not(_))) => {
                self.or(parts.into_iter().map(|part| self.not(part)).collect())
            }
            other => Sets::Not(Box::new(other)),
        }
    }

    pub fn choose(&self, test: Test, yes: Sets, no: Sets) -> Sets {
        match test {
            Test::Not(test) => self.choose(*test, no, yes),
            Test::Const(true) => yes,
            Test::Const(false) => no,
            _ if yes == no => yes,
            test => Sets::If(Box::new(test), Box::new(yes), Box::new(no)),
        }
    }
}

/// Cases of which one asks for a set and the other for what is not in it, and which are the same else, are one case.
fn merge_opposites(cases: &mut Vec<Sets>) {
    let mut first = 0;
    while first < cases.len() {
        let merged =
            (first + 1..cases.len()).find_map(|other| Some((other, without_opposites(&cases[first], &cases[other])?)));
        match merged {
            Some((other, both)) => {
                cases.remove(other);
                cases[first] = both;
            }
            None => first += 1,
        }
    }
}

/// What two cases have in common, where one of them lies in a set beside it and the other one does not.
fn without_opposites(one: &Sets, other: &Sets) -> Option<Sets> {
    let (Sets::And(one), Sets::And(other)) = (one, other) else { return None };
    if one.len() != other.len() {
        return None;
    }
    let lacks = |parts: &[Sets], others: &[Sets]| {
        let mut lacking = parts.iter().enumerate().filter(|(_, part)| !others.contains(part)).map(|(at, _)| at);
        lacking.next().filter(|_| lacking.next().is_none())
    };
    let (here, there) = (lacks(one, other)?, lacks(other, one)?);
    let is_opposite = |a: &Sets, b: &Sets| matches!(a, Sets::Not(inner) if **inner == *b);
    if !is_opposite(&one[here], &other[there]) && !is_opposite(&other[there], &one[here]) {
        return None;
    }
    let mut rest: Vec<Sets> =
        one.iter().enumerate().filter(|(at, _)| *at != here).map(|(_, part)| part.clone()).collect();
    Some(if rest.len() == 1 { rest.remove(0) } else { Sets::And(rest) })
}

pub fn nothing() -> Sets {
    Sets::Const(SiteSet::EMPTY)
}

pub fn minus(set: Sets, taken: Sets) -> Sets {
    if set == nothing() || taken == nothing() { set } else { Sets::Minus(Box::new(set), Box::new(taken)) }
}

pub fn one(site: Int) -> Sets {
    match site {
        Int::Const(NONE) => nothing(),
        Int::Const(at) => usize::try_from(at)
            .ok()
            .and_then(crate::board::Site::from_index)
            .map_or(nothing(), |site| Sets::Const(SiteSet::single(site))),
        Int::Only(set) if matches!(*set, Sets::One(_)) => *set,
        other => Sets::One(Box::new(other)),
    }
}

pub fn only(set: Sets) -> Int {
    match set {
        Sets::One(site) => *site,
        Sets::Const(set) => Int::Const(set.only().map_or(NONE, |site| i64::from(site.0))),
        other => Int::Only(Box::new(other)),
    }
}

/// An entry of a table.
pub fn table(values: Arc<[i64]>, index: Int) -> Int {
    match index {
        Int::Const(at) => {
            let entry = usize::try_from(at).ok().and_then(|at| values.get(at));
            Int::Const(entry.copied().unwrap_or(NONE))
        }
        index => Int::Table { values, index: Box::new(index) },
    }
}

/// Tables of more sets are not made of two others.
const MOST_ROWS: usize = 600;

/// A row of a table of sets. Where a table by a site tells which, there is one row for each site.
pub fn row(rows: Arc<[SiteSet]>, index: Int) -> Sets {
    let row_at = |at: i64| usize::try_from(at).ok().and_then(|at| rows.get(at)).copied().unwrap_or(SiteSet::EMPTY);
    if let Int::Const(at) = index {
        return Sets::Const(row_at(at));
    }
    let (of, more) = if let Int::Arithmetic(op @ (ArithmeticOp::Add | ArithmeticOp::Subtract), of, more) = &index
        && let Int::Const(more) = **more
    {
        (&**of, if *op == ArithmeticOp::Add { more } else { more.saturating_neg() })
    } else {
        (&index, 0)
    };
    if let Int::Table { values, index: site } = of
        && matches!(**site, Int::Slot(_))
        && values.len() <= MOST_ROWS
    {
        let entry = |value: &i64| value.checked_add(more).filter(|_| *value != NONE).map_or(SiteSet::EMPTY, row_at);
        return Sets::Table { rows: values.iter().map(entry).collect(), index: site.clone() };
    }
    Sets::Table { rows, index: Box::new(index) }
}

pub fn bit(index: Int) -> Int {
    match index {
        Int::Const(at) => Int::Const(if (0..32).contains(&at) { 1 << at } else { 0 }),
        other => Int::Bit(Box::new(other)),
    }
}

pub fn only_bit(mask: Int) -> Int {
    let only = |mask: i64| if mask.count_ones() == 1 { i64::from(mask.trailing_zeros()) } else { NONE };
    match mask {
        Int::Const(mask) => Int::Const(only(mask)),
        Int::Bit(index) => *index,
        Int::Table { values, index } => Int::Table { values: values.iter().map(|mask| only(*mask)).collect(), index },
        Int::If(test, yes, no) => Int::If(test, Box::new(only_bit(*yes)), Box::new(only_bit(*no))),
        other => Int::OnlyBit(Box::new(other)),
    }
}

pub fn mask_and(a: Int, b: Int) -> Int {
    match (a, b) {
        (Int::Const(a), Int::Const(b)) => Int::Const(a & b),
        (Int::Const(0), _) | (_, Int::Const(0)) => Int::Const(0),
        (a, b) => Int::MaskAnd(Box::new(a), Box::new(b)),
    }
}

pub fn mask_or(a: Int, b: Int) -> Int {
    match (a, b) {
        (Int::Const(a), Int::Const(b)) => Int::Const(a | b),
        (Int::Const(0), a) | (a, Int::Const(0)) => a,
        (a, b) => Int::MaskOr(Box::new(a), Box::new(b)),
    }
}

pub fn mask_not(all: i64, a: Int) -> Int {
    match a {
        Int::Const(a) => Int::Const(all & !a),
        a => Int::MaskNot(all, Box::new(a)),
    }
}

pub fn opposite(direction: Int) -> Int {
    match direction {
        Int::Const(at) if (0..16).contains(&at) => Int::Const((at + 8) % 16),
        Int::Const(NONE) => Int::Const(NONE),
        Int::Opposite(inner) => *inner,
        other => Int::Opposite(Box::new(other)),
    }
}

pub fn opposite_mask(mask: Int) -> Int {
    match mask {
        Int::Const(mask) => Int::Const((mask & 0xff) << 8 | mask >> 8 & 0xff),
        other => Int::OppositeMask(Box::new(other)),
    }
}

pub fn calculate(op: ArithmeticOp, a: Int, b: Int) -> Int {
    match (a, b) {
        (Int::Const(a), Int::Const(b)) => {
            let known = |number: i64| (number != NONE).then_some(number);
            Int::Const(known(a).zip(known(b)).and_then(|(a, b)| op.apply(a, b)).unwrap_or(NONE))
        }
        (a, Int::Const(0)) if matches!(op, ArithmeticOp::Add | ArithmeticOp::Subtract) => a,
        (Int::Const(0), b) if op == ArithmeticOp::Add => b,
        (a, Int::Const(1)) if op == ArithmeticOp::Multiply => a,
        (Int::Const(1), b) if op == ArithmeticOp::Multiply => b,
        (a, b) => Int::Arithmetic(op, Box::new(a), Box::new(b)),
    }
}

/// A number and so many more, or fewer.
pub fn offset(of: Int, more: i64) -> Int {
    if more < 0 {
        calculate(ArithmeticOp::Subtract, of, Int::Const(-more))
    } else {
        calculate(ArithmeticOp::Add, of, Int::Const(more))
    }
}

pub fn pick(test: Test, yes: Int, no: Int) -> Int {
    match test {
        Test::Not(test) => pick(*test, no, yes),
        Test::Const(true) => yes,
        Test::Const(false) => no,
        _ if yes == no => yes,
        test => Int::If(Box::new(test), Box::new(yes), Box::new(no)),
    }
}

/// The other one of two ends, where one is as told.
pub fn other_end<'i>((a, b): (&'i Int, &'i Int), own: &Int) -> Option<&'i Int> {
    if a == own { Some(b) } else { Some(a).filter(|_| b == own) }
}

/// The site so many steps on.
pub fn ahead(from: Int, direction: Int, steps: Int) -> Int {
    // A direction that is known only if the site is: without the site there is no step either.
    if let Int::If(test, way, other) = &direction
        && let (Test::Known(site), Int::Const(_), Int::Const(NONE)) = (&**test, &**way, &**other)
        && *site == from
    {
        let way = (**way).clone();
        return ahead(from, way, steps);
    }
    match (&direction, &steps) {
        (Int::Const(NONE), _) | (_, Int::Const(NONE)) => Int::Const(NONE),
        (Int::Const(way), Int::Const(steps)) if (0..=8).contains(steps) && (0..16).contains(way) => {
            ways(1 << way).fold(from, |from, way| (0..*steps).fold(from, |at, _| Int::Step(way, Box::new(at))))
        }
        _ => Int::Ahead { from: Box::new(from), direction: Box::new(direction), steps: Box::new(steps) },
    }
}

/// The direction from one site to another, where the form of the two says it.
pub fn direction(a: Int, b: Int) -> Int {
    let steps = |from: &Int, to: &Int| match to {
        Int::Step(way, inner) if **inner == *from => Some(i64::from(*way)),
        _ => None,
    };
    if let Some(way) = steps(&a, &b) {
        return Int::If(Box::new(Test::Known(b)), Box::new(Int::Const(way)), Box::new(Int::Const(NONE)));
    }
    if let Some(way) = steps(&b, &a) {
        return Int::If(Box::new(Test::Known(a)), Box::new(opposite(Int::Const(way))), Box::new(Int::Const(NONE)));
    }
    Int::Direction(Box::new(a), Box::new(b))
}

/// What is asked of everything that holds instructions.
pub trait Reads {
    /// Whether a slot is read anywhere within.
    fn reads(&self, slot: u16) -> bool;
    fn size(&self) -> usize;
}

impl<T: Field> Reads for T {
    fn reads(&self, slot: u16) -> bool {
        let mut found = false;
        self.visit(&mut |part| {
            found = found || part.asks(&|part| matches!(part, Part::Int(Int::Slot(read)) if *read == slot));
        });
        found
    }

    fn size(&self) -> usize {
        let mut size = 0;
        self.visit(&mut |part| size += part.size());
        size
    }
}

/// Puts a number in the place of a slot, and folds what becomes known thereby.
pub fn put_in(part: PartMut<'_>, slot: u16, value: &Int) {
    refold(part, &|int| (*int == Int::Slot(slot)).then(|| value.clone()));
}

/// What lies in any of some sets.
fn all_of_some(mut sets: Vec<Sets>) -> Sets {
    sets.retain(|part| *part != nothing());
    match sets.len() {
        0 => nothing(),
        1 => sets.remove(0),
        _ => Sets::Or(sets),
    }
}

/// Puts others in the place of the numbers that a function knows of, and folds what becomes known thereby.
pub fn refold(part: PartMut<'_>, known_as: &dyn Fn(&Int) -> Option<Int>) {
    match part {
        PartMut::Sets(sets) => {
            sets.parts_mut(&mut |part| refold(part, known_as));
            let whole = std::mem::replace(sets, nothing());
            *sets = match whole {
                Sets::One(site) => one(*site),
                Sets::If(test, yes, no) => match *test {
                    Test::Const(true) => *yes,
                    Test::Const(false) => *no,
                    _ => Sets::If(test, yes, no),
                },
                Sets::Minus(set, taken) => minus(*set, *taken),
                Sets::Table { rows, index } => row(rows, *index),
                Sets::Ahead { directions, .. }
                | Sets::Trail { directions, .. }
                | Sets::Run { directions, .. }
                | Sets::Beyond { directions, .. }
                    if *directions == Int::Const(0) =>
                {
                    nothing()
                }
                Sets::And(all) if all.contains(&nothing()) => nothing(),
                Sets::Or(all) => all_of_some(all),
                Sets::Collect { slot, domain, test, body } => match told_of_few(slot, &domain, &test, &body) {
                    Some(told) => {
                        let each = told.into_iter().map(|(test, set)| match test {
                            Test::Const(true) => set,
                            Test::Const(false) => nothing(),
                            test => Sets::If(Box::new(test), Box::new(set), Box::new(nothing())),
                        });
                        all_of_some(each.collect())
                    }
                    None => Sets::Collect { slot, domain, test, body },
                },
                other => other,
            };
        }
        PartMut::Test(test) => {
            test.parts_mut(&mut |part| refold(part, known_as));
            let whole = std::mem::replace(test, Test::Const(false));
            *test = match whole {
                Test::And(all) => and(all),
                Test::Or(all) => or(all),
                Test::Not(inner) => not(*inner),
                Test::Any(set) => any(set),
                Test::Known(site) => known(site),
                Test::Contains(set, site) => contains(set, site),
                Test::Compare(op, a, b) => compare(op, a, b),
                other => other,
            };
        }
        PartMut::Int(int) => {
            int.parts_mut(&mut |part| refold(part, known_as));
            let whole = std::mem::replace(int, Int::Const(NONE));
            *int = match whole {
                Int::Opposite(inner) => opposite(*inner),
                Int::OppositeMask(inner) => opposite_mask(*inner),
                Int::Bit(inner) => bit(*inner),
                Int::OnlyBit(inner) => only_bit(*inner),
                Int::MaskAnd(a, b) => mask_and(*a, *b),
                Int::MaskOr(a, b) => mask_or(*a, *b),
                Int::MaskNot(all, a) => mask_not(all, *a),
                Int::Ahead { from, direction, steps } => ahead(*from, *direction, *steps),
                Int::Direction(a, b) => direction(*a, *b),
                Int::Arithmetic(op, a, b) => calculate(op, *a, *b),
                Int::If(test, a, b) => pick(*test, *a, *b),
                Int::Only(set) => only(*set),
                Int::Count(set) if *set == nothing() => Int::Const(0),
                Int::Table { values, index } => table(values, *index),
                other => other,
            };
            if let Some(other) = known_as(int) {
                *int = other;
            }
        }
    }
}

/// As many numbers of a range are few.
const MOST_NUMBERS: i64 = 64;

/// The members of a small set, or the numbers of a range, if they are known.
pub fn few(domain: &Domain) -> Option<Vec<i64>> {
    match domain {
        Domain::Mask(Int::Const(mask)) => Some(members(*mask).collect()),
        // From nowhere, or to nowhere, there are none.
        Domain::Range(Int::Const(NONE), _) | Domain::Range(_, Int::Const(NONE)) => Some(Vec::new()),
        Domain::Range(Int::Const(low), Int::Const(high)) => {
            (high.saturating_sub(*low) < MOST_NUMBERS).then(|| (*low..=*high).collect())
        }
        Domain::Sites(_) | Domain::Mask(_) | Domain::Range(..) => None,
    }
}

/// The values that a domain can have in any state, if they are few, each with what holds where it has them.
pub fn members_if(domain: &Domain) -> Option<Vec<(i64, Test)>> {
    if let Some(known) = few(domain) {
        return Some(known.into_iter().map(|member| (member, Test::Const(true))).collect());
    }
    let Domain::Mask(mask) = domain else { return None };
    let each = members(part_of(mask)?).map(|at| (at, is_among(mask, at)));
    Some(each.filter(|(_, there)| *there != Test::Const(false)).collect())
}

/// A known mask that has all members of another one, whatever the state.
fn part_of(mask: &Int) -> Option<i64> {
    if let Int::MaskAnd(a, b) = mask {
        return match (part_of(a), part_of(b)) {
            (Some(a), Some(b)) => Some(a & b),
            (a, b) => a.or(b),
        };
    }
    if let Int::MaskOr(a, b) | Int::If(_, a, b) = mask {
        return Some(part_of(a)? | part_of(b)?);
    }
    if let Int::MaskWhere { domain, .. } = mask {
        return part_of(domain);
    }
    if let Int::Const(mask) = mask { Some(*mask) } else { None }
}

/// Whether a mask has a member.
pub fn is_among(mask: &Int, at: i64) -> Test {
    match mask {
        Int::Bit(only) => compare(CompareOp::Equal, (**only).clone(), Int::Const(at)),
        Int::MaskAnd(a, b) => and(vec![is_among(a, at), is_among(b, at)]),
        Int::MaskOr(a, b) => or(vec![is_among(a, at), is_among(b, at)]),
        Int::If(test, a, b) => match (is_among(a, at), is_among(b, at)) {
            (yes, no) if yes == no => yes,
            (yes, no) => or(vec![and(vec![(**test).clone(), yes]), and(vec![not((**test).clone()), no])]),
        },
        Int::MaskWhere { slot, domain, test } => {
            let mut passes = (**test).clone();
            put_in(PartMut::Test(&mut passes), *slot, &Int::Const(at));
            and(vec![is_among(domain, at), passes])
        }
        Int::Const(mask) => Test::Const(mask >> at & 1 == 1),
        mask => compare(CompareOp::NotEqual, mask_and(Int::Const(1 << at), mask.clone()), Int::Const(0)),
    }
}

/// More instructions than this are not made of what is told of each of a few members.
const MOST_TOLD: usize = 2_000;

/// What is gathered of each of a few members that are known, written out for each: as sets they can be seen to lie one step
/// from another. Unless that would be written out too often: what is told of members of members grows with each.
pub fn told_of_few(slot: u16, domain: &Domain, test: &Test, body: &Sets) -> Option<Vec<(Test, Sets)>> {
    let members = members_if(domain)?;
    // What goes round a ring more than once would be a long chain of steps.
    let far = |(at, _): &(i64, Test)| usize::try_from(at.unsigned_abs()).map_or(true, |at| at > MAX_SITES);
    if members.iter().any(far) {
        return None;
    }
    if members.len().saturating_mul(test.size() + body.size()) > MOST_TOLD {
        return None;
    }
    let told = |(at, there)| {
        let (mut test, mut body) = (and(vec![there, test.clone()]), body.clone());
        put_in(PartMut::Test(&mut test), slot, &Int::Const(at));
        put_in(PartMut::Sets(&mut body), slot, &Int::Const(at));
        (test, body)
    };
    Some(members.into_iter().map(told).collect())
}

/// The members of a mask of directions, players or kinds.
pub fn members(mask: i64) -> impl Iterator<Item = i64> {
    ways(mask).map(i64::from)
}

/// The same for instructions that name a direction.
pub fn ways(mask: i64) -> impl Iterator<Item = u8> {
    (0..32).filter(move |at| mask >> at & 1 == 1)
}

/// The plane that a mask has, if it is only one.
pub fn only_plane(mask: u64) -> Option<u8> {
    (0..64).find(|plane| mask == 1 << plane)
}

#[must_use]
pub fn direction_index(direction: Direction) -> i64 {
    count(direction.index())
}

/// What a type's missing value is among numbers: sets without members are the mask 0.
#[must_use]
pub fn missing(ty: Type) -> i64 {
    match ty {
        Type::Directions | Type::Players | Type::Kinds => 0,
        _ => NONE,
    }
}
