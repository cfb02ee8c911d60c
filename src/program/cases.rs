//! Numbers that have few values: for each value the sites, or the members, of which it is the number. So what is asked of such
//! a number is asked of the whole board, and what is added up is counted.

use super::build::*;
use super::ir::*;
use super::lift::written;
use super::lower::{Env, Lowered, Lowering};
use super::parts::conjuncts;
use super::share::unshare;
use super::values::Val;
use super::writes::reads_play;
use crate::rules::{ArithmeticOp, CompareOp, Content, Expr, Local, Reduce};

/// A number of more values than this is not taken apart, nor two with more pairs of them.
const MOST_CASES: usize = 16;
const MOST_PAIRS: usize = 64;

/// Larger numbers, with what is written out for each member of a set, are not taken apart either.
pub(super) const MOST_TAKEN_APART: usize = 400;

/// So many members of a sum are written out one by one, unless that takes more instructions than this.
const MOST_ADDED: u32 = 8;
const MOST_WRITTEN: usize = 600;

/// What is added up for each member has no greater cases than this, so that the sum fits.
const GREATEST: i64 = 1_000_000;

/// Sites, and the number that all of them have, which does not read the slot.
type Case = (Sets, Int);

impl Lowering<'_> {
    /// The sites of the slot for which two numbers compare as said, where those that read the slot have few values.
    pub(super) fn by_cases(&self, op: CompareOp, a: &Int, b: &Int, slot: u16) -> Option<Sets> {
        // Each case is written out with each of the others.
        if written(&Part::Int(a)).saturating_add(written(&Part::Int(b))) > MOST_TAKEN_APART {
            return None;
        }
        let (left, right) = (self.cases(a, slot)?, self.cases(b, slot)?);
        if left.len() * right.len() > MOST_PAIRS {
            return None;
        }
        let pairs = left.iter().flat_map(|one| right.iter().map(move |other| (one, other)));
        let each = pairs.map(|((sites, a), (others, b))| {
            let both = self.ground.and(vec![sites.clone(), others.clone()]);
            self.ground.choose(compare(op, a.clone(), b.clone()), both, nothing())
        });
        Some(self.ground.or(each.collect()))
    }

    /// All sites by a number that each of them has, or has not: no site is in two cases.
    fn cases(&self, int: &Int, slot: u16) -> Option<Vec<Case>> {
        if !int.reads(slot) {
            return Some(vec![(self.ground.everything(), int.clone())]);
        }
        let one = |a: &Int, f: &dyn Fn(Int) -> Int| {
            let all = self.cases(a, slot)?;
            self.together(all.into_iter().map(|(sites, number)| (sites, f(number))))
        };
        let two = |a: &Int, b: &Int, f: &dyn Fn(Int, Int) -> Int| {
            let (all, others) = (self.cases(a, slot)?, self.cases(b, slot)?);
            let each = all.iter().flat_map(|one| others.iter().map(move |other| (one, other)));
            self.together(each.map(|((sites, a), (others, b))| {
                (self.ground.and(vec![sites.clone(), others.clone()]), f(a.clone(), b.clone()))
            }))
        };
        if let Some(counted) = self.by_count(int, slot) {
            return Some(counted);
        }
        match int {
            Int::If(test, yes, no) if is_plain(test) => {
                let chosen = self.lift(test, slot)?;
                let others = self.ground.not(chosen.clone());
                let (yes, no) = (self.cases(yes, slot)?, self.cases(no, slot)?);
                let yes = yes.into_iter().map(|(sites, number)| (vec![sites, chosen.clone()], number));
                let no = no.into_iter().map(|(sites, number)| (vec![sites, others.clone()], number));
                self.together(yes.chain(no).map(|(sites, number)| (self.ground.and(sites), number)))
            }
            Int::Kind(site, when) => self.by_content(site, *when, slot, &|content| content.kind().map(|kind| kind.0)),
            Int::Owner(site, when) => {
                self.by_content(site, *when, slot, &|content| content.owner().map(|owner| owner.0))
            }
            // Which kinds a piece is one of is asked piece by piece, from what is known of it.
            Int::Bit(inner) if matches!(**inner, Int::Kind(..)) => None,
            Int::Bit(inner) => one(inner, &bit),
            Int::OnlyBit(inner) => one(inner, &only_bit),
            Int::MaskNot(all, inner) => one(inner, &|mask| mask_not(*all, mask)),
            Int::MaskAnd(a, b) => two(a, b, &mask_and),
            Int::MaskOr(a, b) => two(a, b, &mask_or),
            Int::Arithmetic(op, a, b) => two(a, b, &|a, b| calculate(*op, a, b)),
            Int::Max(a, b) => two(a, b, &|a, b| of_known(a, b, i64::max, Int::Max)),
            Int::Min(a, b) => two(a, b, &|a, b| of_known(a, b, i64::min, Int::Min)),
            Int::Negative(inner) => one(inner, &|a| calculate(ArithmeticOp::Subtract, Int::Const(0), a)),
            Int::Abs(inner) => one(inner, &absolute),
            Int::Const(_)
            | Int::If(..)
            | Int::Slot(_)
            | Int::Cell(..)
            | Int::CellAt { .. }
            | Int::Table { .. }
            | Int::Count(_)
            | Int::Only(_)
            | Int::Step(..)
            | Int::Ahead { .. }
            | Int::Beyond { .. }
            | Int::RowLength { .. }
            | Int::Direction(..)
            | Int::Distance(..)
            | Int::Piece(..)
            | Int::Owners(..)
            | Int::KindsIn(..)
            | Int::Make(..)
            | Int::With { .. }
            | Int::Reduce { .. }
            | Int::MaskWhere { .. }
            | Int::MaskCollect { .. }
            | Int::Ones(_)
            | Int::Opposite(_)
            | Int::OppositeMask(_)
            | Int::Pieces(..)
            | Int::Among { .. }
            | Int::Upper { .. }
            | Int::Lower { .. }
            | Int::Pile { .. }
            | Int::Turn
            | Int::Ply
            | Int::Next
            | Int::Truth(..)
            | Int::Primitive(..) => None,
        }
    }

    /// All sites by how many sets hold them, where a number counts that.
    fn by_count(&self, int: &Int, slot: u16) -> Option<Vec<Case>> {
        let counts = matches!(int, Int::Count(_) | Int::Ones(_) | Int::Arithmetic(ArithmeticOp::Add, ..));
        // What play does not change is told by a table.
        if !counts || !Part::Int(int).asks(&reads_play) {
            return None;
        }
        let (sets, least) = self.addends(int, slot)?;
        let most = i64::try_from(sets.len()).ok().filter(|_| sets.len() < MOST_CASES)?;
        let held = |count: i64| self.tally(CompareOp::Equal, sets.clone(), Vec::new(), Int::Const(-count));
        self.together((0..=most).map(|count| (held(count), Int::Const(least + count))))
    }

    /// All sites by what the content of a site tells that is some steps away.
    fn by_content(
        &self,
        site: &Int,
        when: When,
        slot: u16,
        told: &dyn Fn(&Content) -> Option<u8>,
    ) -> Option<Vec<Case>> {
        let mut values: Vec<u8> = self.planes.iter().filter_map(told).collect();
        values.sort_unstable();
        values.dedup();
        let mut all = Vec::new();
        for value in values {
            let planes = self.planes_where(|content| told(&content) == Some(value));
            let sites = self.sources(site, self.ground.planes(planes, when), slot)?;
            all.push((sites, Int::Const(i64::from(value))));
        }
        let known = self.ground.or(all.iter().map(|(sites, _)| sites.clone()).collect());
        all.push((self.ground.not(known), Int::Const(NONE)));
        self.together(all)
    }

    /// Cases of the same number as one, unless there are too many; those without sites fall away.
    fn together(&self, cases: impl IntoIterator<Item = Case>) -> Option<Vec<Case>> {
        let mut all: Vec<Case> = Vec::new();
        for (sites, number) in cases {
            if sites == nothing() {
                continue;
            }
            match all.iter_mut().find(|(_, known)| *known == number) {
                Some((known, _)) => *known = self.ground.or(vec![known.clone(), sites]),
                None => all.push((sites, number)),
            }
            if all.len() > MOST_CASES {
                return None;
            }
        }
        Some(all)
    }

    /// A sum over a few directions, players or kinds that are known before the game, written out: of each by itself more may
    /// be known. None where there are too many, or it would be too long.
    pub(super) fn written_out(
        &mut self,
        local: Local,
        domain: &Val,
        condition: Option<&Expr>,
        body: &Expr,
        env: &Env,
    ) -> Lowered<Option<Int>> {
        let Domain::Mask(Int::Const(mask)) = self.domain(domain.clone()) else { return Ok(None) };
        if *domain == Val::Missing || mask.count_ones() > MOST_ADDED {
            return Ok(None);
        }
        let (mut sum, mut inner, mut size) = (Int::Const(0), env.clone(), 0);
        for at in members(mask) {
            inner.set(local, self.member(domain, Int::Const(at)));
            let test = self.guard(condition, &inner)?;
            let body = self.expr(body, &inner)?;
            let number = pick(test, self.number_of(body), Int::Const(0));
            size += number.size();
            if size > MOST_WRITTEN {
                return Ok(None);
            }
            sum = if sum == Int::Const(0) { number } else { calculate(ArithmeticOp::Add, sum, number) };
        }
        Ok(Some(sum))
    }

    /// What is reduced to one number: a sum of few numbers is so many times the members of which each is the number.
    pub(super) fn reduced(&mut self, reduce: Reduce, slot: u16, domain: Domain, test: Test, body: Int) -> Int {
        if reduce == Reduce::Sum
            && let Some(sum) = self.summed(slot, &domain, &test, &body)
        {
            return sum;
        }
        let (domain, test) = self.with_fewer_members(slot, domain, test);
        if matches!(&domain, Domain::Sites(set) if *set == nothing()) || test == Test::Const(false) {
            return Int::Const(if reduce == Reduce::Sum { 0 } else { NONE });
        }
        let (domain, test, body) = (Box::new(domain), Box::new(test), Box::new(body));
        self.named_int(Int::Reduce { reduce, slot, domain, test, body })
    }

    /// Fewer members to go through: what is asked of each is asked of the whole board where it can be.
    fn with_fewer_members(&self, slot: u16, domain: Domain, test: Test) -> (Domain, Test) {
        let Domain::Sites(set) = &domain else { return (domain, test) };
        let mut plain = test.clone();
        unshare(PartMut::Test(&mut plain));
        if test == Test::Const(true) || written(&Part::Test(&plain)) > MOST_TAKEN_APART {
            return (domain, test);
        }
        let goes_through = |part: &Part<'_>| matches!(part, Part::Sets(Sets::Filter { .. } | Sets::Collect { .. }));
        let (mut sets, mut rest) = (vec![set.clone()], Vec::new());
        for asked in conjuncts(plain) {
            let lifted = if asked.reads(slot) { self.lift(&asked, slot) } else { None };
            match lifted.filter(|lifted| !Part::Sets(lifted).asks(&goes_through)) {
                Some(lifted) => sets.push(lifted),
                None => rest.push(asked),
            }
        }
        if sets.len() == 1 { (domain, test) } else { (Domain::Sites(self.ground.and(sets)), and(rest)) }
    }

    fn summed(&mut self, slot: u16, domain: &Domain, test: &Test, body: &Int) -> Option<Int> {
        if let Int::Arithmetic(op @ (ArithmeticOp::Add | ArithmeticOp::Subtract), a, b) = body {
            let (a, b) = (self.summed(slot, domain, test, a)?, self.summed(slot, domain, test, b)?);
            return Some(calculate(*op, a, b));
        }
        // The test is written out for each number.
        if written(&Part::Test(test)).saturating_add(written(&Part::Int(body))) > MOST_TAKEN_APART {
            return None;
        }
        let mut leaves = Vec::new();
        if !note_leaves(body, test, &mut leaves) {
            return self.counted_together(slot, domain, test, body);
        }
        let (mut sum, mut lacking) = (Int::Const(0), Vec::new());
        for (test, number) in leaves {
            if test == Test::Const(false) || number == 0 {
                continue;
            }
            let mut some = Vec::new();
            let times = match domain {
                Domain::Sites(set) => {
                    let lifted = self.lift(&test, slot)?;
                    let those = self.ground.and(vec![set.clone(), lifted]);
                    some.push(any(those.clone()));
                    if those == nothing() { Int::Const(0) } else { Int::Count(Box::new(those)) }
                }
                Domain::Mask(mask) => {
                    let mask = Int::MaskWhere { slot, domain: Box::new(mask.clone()), test: Box::new(test) };
                    let mask = self.named_int(mask);
                    some.push(compare(CompareOp::NotEqual, mask.clone(), Int::Const(0)));
                    Int::Ones(Box::new(mask))
                }
                Domain::Range(..) => return None,
            };
            if number == NONE {
                lacking.append(&mut some);
            } else {
                let all = calculate(ArithmeticOp::Multiply, times, Int::Const(number));
                sum = if sum == Int::Const(0) { all } else { calculate(ArithmeticOp::Add, sum, all) };
            }
        }
        Some(pick(or(lacking), Int::Const(NONE), sum))
    }

    /// A sum of numbers that are counts: each of the few sets that are counted is counted for all members together.
    fn counted_together(&self, slot: u16, domain: &Domain, test: &Test, body: &Int) -> Option<Int> {
        let Domain::Sites(domain) = domain else { return None };
        let (sets, offset) = self.addends(body, slot).filter(|(sets, _)| sets.len() <= MOST_CASES)?;
        let passing = self.ground.and(vec![domain.clone(), self.lift(test, slot)?]);
        let count = |set: Sets| if set == nothing() { Int::Const(0) } else { Int::Count(Box::new(set)) };
        let each = sets.into_iter().map(|set| count(self.ground.and(vec![passing.clone(), set])));
        let sum = each.fold(Int::Const(0), |sum, count| calculate(ArithmeticOp::Add, sum, count));
        if offset == 0 {
            return Some(sum);
        }
        let rest = calculate(ArithmeticOp::Multiply, count(passing.clone()), Int::Const(offset));
        Some(calculate(ArithmeticOp::Add, sum, rest))
    }
}

/// The greater or the less of two numbers.
fn of_known(a: Int, b: Int, of: fn(i64, i64) -> i64, form: fn(Box<Int>, Box<Int>) -> Int) -> Int {
    match (&a, &b) {
        (Int::Const(NONE), _) | (_, Int::Const(NONE)) => Int::Const(NONE),
        (Int::Const(a), Int::Const(b)) => Int::Const(of(*a, *b)),
        _ => form(Box::new(a), Box::new(b)),
    }
}

fn absolute(a: Int) -> Int {
    match a {
        Int::Const(NONE) => Int::Const(NONE),
        Int::Const(number) => Int::Const(number.saturating_abs()),
        other => Int::Abs(Box::new(other)),
    }
}

/// Whether a test asks for no number that hangs on another test: such ones would be taken apart over and over.
pub(super) fn is_plain(test: &Test) -> bool {
    !Part::Test(test).asks(&|part| matches!(part, Part::Int(Int::If(..))))
}

/// The numbers that one may be, each with what then holds; false where they are not known, or too many.
fn note_leaves(body: &Int, test: &Test, leaves: &mut Vec<(Test, i64)>) -> bool {
    match body {
        Int::Const(number) if *number == NONE || (-GREATEST..=GREATEST).contains(number) => {
            leaves.push((test.clone(), *number));
            leaves.len() <= MOST_CASES
        }
        Int::If(asked, yes, no) if is_plain(asked) => {
            note_leaves(yes, &and(vec![test.clone(), (**asked).clone()]), leaves)
                && note_leaves(no, &and(vec![test.clone(), not((**asked).clone())]), leaves)
        }
        _ => false,
    }
}
