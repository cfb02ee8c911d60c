//! How far several sites can go together in one direction: counted before a number of steps is picked, and not asked of one
//! number after the other.

use super::Generator;
use super::build::*;
use super::ir::*;
use super::lower::Lowering;
use super::parts::{asked_first, conjuncts};
use super::single::is_one_way;
use crate::rules::{ArithmeticOp, CompareOp, Reduce};

/// A number of steps differs from the number of a part by this at most.
const MOST_MORE: i64 = 32;

/// A part from a range of numbers, with what is asked of it and what else is asked, and what comes next.
pub(super) fn within_range(slot: u16, domain: Domain, test: Test, rest: Generator) -> Generator {
    let (tests, before): (Vec<Test>, Vec<Test>) = conjuncts(test).into_iter().partition(|test| test.reads(slot));
    Generator::Loop { slot, domain, tests, inner: Box::new(rest) }.guarded_by(and(before))
}

/// Sites that go as many steps in a direction as a part says, or so many more.
#[derive(Clone, PartialEq)]
struct Stride {
    from: Sets,
    directions: Int,
    more: i64,
}

impl Lowering<'_> {
    /// A range of numbers as far as some sites can go so many steps over a set without leaving the board, and what else is
    /// asked; none where no test says that of the number in a slot.
    ///
    /// That sites can go so many steps holds of fewer steps as well, so the number of those that hold tells which.
    pub(super) fn within_stride(&mut self, slot: u16, domain: &Domain, test: &Test) -> Option<(Domain, Test)> {
        self.stride(slot, domain, test, false)
    }

    /// The plies of a generator, of which ranges end where a single site can go no further. That is asked of what is left to be
    /// gone through: of few numbers plies are found at once.
    pub(super) fn with_strides(&mut self, generator: Generator) -> Generator {
        let whole = generator.map_inner(&mut |inner| self.with_strides(inner));
        let Generator::Loop { slot, domain: domain @ Domain::Range(..), tests, inner } = &whole else { return whole };
        let (asked, rest) = asked_first(inner);
        let test = and(tests.iter().cloned().chain([asked]).collect());
        match self.stride(*slot, domain, &test, true) {
            Some((domain, test)) => within_range(*slot, domain, test, rest),
            None => whole,
        }
    }

    /// The same; `single` sites are such as well that go so many steps by themselves.
    fn stride(&mut self, slot: u16, domain: &Domain, test: &Test, single: bool) -> Option<(Domain, Test)> {
        let Domain::Range(low, high) = domain else { return None };
        // Where steps from two sites lead to one, fewer arrive than go.
        if self.ways.rings || !self.ways.steps_lead_back {
            return None;
        }
        let mut tests = conjuncts(test.clone());
        let (at, stride, through) = tests.iter().enumerate().find_map(|(at, test)| {
            let counted = || if single { self.counts_way(test, slot) } else { None };
            let (stride, through) = self.passes(test, slot).or_else(counted)?;
            matches!(low, Int::Const(low) if low.checked_add(stride.more)? >= 0).then_some((at, stride, through))
        })?;
        let asked = tests.remove(at);
        // Where some may leave the board the others may still go on.
        let all_count = matches!(asked, Test::Compare(..));
        let on_board = |test: &Test| stays_on_board(test, &stride, slot) || single && lands(test, &stride, slot);
        if !all_count && !tests.iter().any(on_board) {
            return None;
        }
        tests.retain(|test| !stays_on_board(test, &stride, slot));
        let Stride { from, directions, more } = stride;
        let run = |from: Sets, through: Sets| {
            let (from, directions) = (Box::new(from), Box::new(directions.clone()));
            Int::Count(Box::new(Sets::Run { from, directions, through: Box::new(through) }))
        };
        let high = if let Sets::One(site) = &from {
            if all_count {
                tests.push(contains(through.clone(), (**site).clone()));
            }
            // Without the site there is no step.
            tests.push(self.is_there(site));
            Int::Min(Box::new(high.clone()), Box::new(offset(run(from.clone(), through), -more)))
        } else {
            let site = self.int_slot();
            let farthest = Int::Reduce {
                reduce: Reduce::Least,
                slot: site,
                domain: Box::new(Domain::Sites(from.clone())),
                test: Box::new(Test::Const(true)),
                body: Box::new(run(one(Int::Slot(site)), through)),
            };
            let nearer = Int::Min(Box::new(high.clone()), Box::new(offset(farthest, -more)));
            // None of no sites is in the way of any number.
            if self.surely_any(&from) { nearer } else { pick(any(from), nearer, high.clone()) }
        };
        Some((Domain::Range(low.clone(), high), and(tests)))
    }

    /// The sites that go so many steps over a set, where a test asks that all these steps lie in it.
    fn passes(&self, test: &Test, slot: u16) -> Option<(Stride, Sets)> {
        let (set, within) = if let Test::Subset(set, within) = test {
            (set, within.clone())
        } else if let Test::Not(inner) = test
            && let Test::Any(set) = &**inner
        {
            (set, nothing())
        } else {
            return None;
        };
        let mut parts = self.parts_of(set);
        let at = parts.iter().position(|part| matches!(part, Sets::Trail { .. }))?;
        let stride = stride_of(&parts.swap_remove(at), slot)?;
        // What lies elsewhere does not matter.
        let through = self.ground.or(vec![within, self.ground.not(self.ground.and(parts))]);
        stride.goes_through(&through, slot).then_some((stride, through))
    }

    /// The site that goes so many steps over a set, where a test asks that it and all these steps are as many sites of the set
    /// as they are at most.
    fn counts_way(&self, test: &Test, slot: u16) -> Option<(Stride, Sets)> {
        let Test::Compare(CompareOp::Equal, a, b) = test else { return None };
        let (Int::Count(set), number) = (if matches!(a, Int::Count(_)) { (a, b) } else { (b, a) }) else { return None };
        let mut parts = self.parts_of(set);
        let at = parts.iter().position(|part| matches!(part, Sets::Or(_)))?;
        let Sets::Or(row) = parts.swap_remove(at) else { return None };
        let [first, trail] = row.as_slice() else { return None };
        let (site, trail) = if matches!(first, Sets::One(_)) { (first, trail) } else { (trail, first) };
        let stride = stride_of(trail, slot).filter(|stride| stride.from == *site && matches!(site, Sets::One(_)))?;
        let through = self.ground.and(parts);
        let counts_all = steps_of(number, slot) == Some(stride.more + 1);
        (counts_all && stride.goes_through(&through, slot)).then_some((stride, through))
    }

    /// The sets of which a set is what they have in common.
    fn parts_of(&self, set: &Sets) -> Vec<Sets> {
        if let Sets::And(parts) = set {
            return parts.iter().flat_map(|part| self.parts_of(part)).collect();
        }
        let Sets::Minus(set, taken) = set else { return vec![set.clone()] };
        let mut parts = self.parts_of(set);
        parts.push(self.ground.not((**taken).clone()));
        parts
    }

    /// Whether a set has a member for certain.
    fn surely_any(&self, set: &Sets) -> bool {
        matches!(set, Sets::One(site) if self.is_there(site) == Test::Const(true))
            || matches!(set, Sets::Or(parts) if parts.iter().any(|part| self.surely_any(part)))
    }
}

impl Stride {
    /// Whether the way is the same whatever number is picked.
    fn goes_through(&self, through: &Sets, slot: u16) -> bool {
        !self.from.reads(slot) && !self.directions.reads(slot) && !through.reads(slot)
    }
}

/// The number in a slot and so many more; how many more.
fn steps_of(int: &Int, slot: u16) -> Option<i64> {
    if let Int::Slot(own) = int {
        return (*own == slot).then_some(0);
    }
    let Int::Arithmetic(op @ (ArithmeticOp::Add | ArithmeticOp::Subtract), of, more) = int else { return None };
    let (Int::Slot(own), Int::Const(more)) = (&**of, &**more) else { return None };
    let known = *own == slot && (-MOST_MORE..=MOST_MORE).contains(more);
    known.then_some(if *op == ArithmeticOp::Add { *more } else { -more })
}

fn stride_of(trail: &Sets, slot: u16) -> Option<Stride> {
    let Sets::Trail { from, directions, steps } = trail else { return None };
    let more = steps_of(steps, slot).filter(|_| is_one_way(directions))?;
    Some(Stride { from: (**from).clone(), directions: (**directions).clone(), more })
}

/// Whether a test asks that the only site that goes does not leave the board, among other things: it asks something of the site
/// that it comes to, or would come to with more steps.
fn lands(test: &Test, stride: &Stride, slot: u16) -> bool {
    let (Test::Known(site) | Test::Contains(_, site)) = test else { return false };
    let Int::Ahead { from, direction, steps } = site else { return false };
    stride.from == one((**from).clone())
        && stride.directions == bit((**direction).clone())
        && steps_of(steps, slot).is_some_and(|more| more >= stride.more)
}

/// Whether a test asks that none of those that go leaves the board, by counting them or one by one.
fn stays_on_board(test: &Test, stride: &Stride, slot: u16) -> bool {
    let is_stride = |from: &Sets, directions: &Int, steps: &Int| {
        *from == stride.from && *directions == stride.directions && steps_of(steps, slot) == Some(stride.more)
    };
    let counts_all = |arrived: &Int, all: &Int| {
        matches!(arrived, Int::Count(set) if matches!(&**set, Sets::Ahead { from, directions, steps }
            if is_stride(from, directions, steps)))
            && matches!(all, Int::Count(set) if **set == stride.from)
    };
    if let Test::Compare(CompareOp::Equal, a, b) = test {
        return counts_all(a, b) || counts_all(b, a);
    }
    let Test::Not(inner) = test else { return false };
    let Test::Exists { slot: each, domain, test } = &**inner else { return false };
    let Test::Not(known) = &**test else { return false };
    **domain == Domain::Sites(stride.from.clone())
        && matches!(&**known, Test::Known(Int::Ahead { from, direction, steps })
            if **from == Int::Slot(*each) && steps_of(steps, slot) == Some(stride.more) && stride.directions == bit((**direction).clone()))
}
