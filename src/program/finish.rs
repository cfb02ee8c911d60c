//! Whether a turn can be ended by one more ply, as one condition of the state before that ply: what would be found ply by ply
//! is asked of whole sets.

use super::binders::bound_slots;
use super::build::*;
use super::closing::{closing, only_guard};
use super::ir::*;
use super::lift::{MOST_WRITTEN, with as at_member, written};
use super::lower::{Lowered, Lowering};
use super::narrow::narrow;
use super::overlay::Overlay;
use super::parts::conjuncts;
use super::{Branch, Call, Chronicle, ForMover, Generator, Step, TurnNode};
use crate::rules::{ArithmeticOp, CompareOp};
use crate::source::Span;

/// Conditions with more instructions than this would take longer than to look for a ply.
const MAX_SIZE: usize = 2_000;

impl Lowering<'_> {
    /// Adds to the conditions in turns, for every place that a ply leads to, whether the turn can be ended there at once or
    /// by one more ply. None where another ply may have to follow that one, or where it has to be played to find out.
    pub(super) fn finishes(&mut self, nodes: &[TurnNode], own: &mut ForMover, span: Span) -> Lowered<()> {
        own.finishes = vec![None; nodes.len()];
        let mut places: Vec<u16> = own.calls.iter().flat_map(|call| &call.next).copied().collect();
        places.sort_unstable();
        places.dedup();
        for place in places {
            self.begin(self.slots(span)?);
            let Some(test) = self.finish(nodes, own, place, &mut Vec::new()).filter(|test| test.size() <= MAX_SIZE)
            else {
                continue;
            };
            if let Some(finish) = own.finishes.get_mut(usize::from(place)) {
                *finish = Some(narrow(own.guards.len(), "more conditions in turns than can be numbered", span)?);
                own.guards.push(self.shared_test(test));
            }
        }
        Ok(())
    }

    pub(super) fn finish(
        &mut self,
        nodes: &[TurnNode],
        own: &ForMover,
        node: u16,
        path: &mut Vec<u16>,
    ) -> Option<Test> {
        if path.contains(&node) {
            return None;
        }
        let (guard, next) = match nodes.get(usize::from(node))? {
            TurnNode::End => return Some(Test::Const(true)),
            TurnNode::Call(index) => {
                let call = own.calls.get(usize::from(*index))?;
                let closes =
                    closing(nodes, own, call).map(simplified).or_else(|| self.closing_by_board(nodes, own, call))?;
                let plain = self.plain.get(usize::from(*index)).cloned();
                return self.some_ply(plain.as_ref().unwrap_or(&call.generator), closes);
            }
            TurnNode::Fork(next) => (Test::Const(true), next),
            TurnNode::Guard(test, next) => (own.guards.get(usize::from(*test))?.clone(), next),
            TurnNode::Prefer(_) => return None,
        };
        path.push(node);
        let ways: Option<Vec<Test>> = next.iter().map(|next| self.finish(nodes, own, *next, path)).collect();
        path.pop();
        Some(and(vec![guard, or(ways?)]))
    }

    /// Whether the turn is over after a ply of a call, where that depends on what stands on the board after its only stage, as
    /// a test of the state before it. None where the condition gives names of its own, which might be those of parts, or asks
    /// for what is noted of the ply.
    fn closing_by_board(&self, nodes: &[TurnNode], own: &ForMover, call: &Call) -> Option<Test> {
        let guard = only_guard(nodes, own, call)?;
        let ([Step::Change(effects)], [] | [Chronicle::It { .. }]) = (call.body.as_slice(), call.chronicles.as_slice())
        else {
            return None;
        };
        let noted = |part: &Part<'_>| matches!(part, Part::Sets(Sets::Memory(..)));
        let asks_noted = !call.chronicles.is_empty() && Part::Test(guard).asks(&noted);
        if asks_noted || !bound_slots(&Part::Test(guard)).is_empty() {
            return None;
        }
        let plan = self.plans.get(&call.mv)?;
        let mut test = guard.clone();
        Overlay::of(self, effects, &plan.known.pieces, true)?.test(&mut test)?;
        Some(test)
    }

    /// Whether a generator finds a ply for which a test holds; none where it makes changes to find its plies.
    fn some_ply(&mut self, generator: &Generator, wanted: Test) -> Option<Test> {
        let test = match generator {
            Generator::One => wanted,
            Generator::Leaf { slot, set } => self.some(*slot, Domain::Sites(set.clone()), wanted),
            Generator::Fan { slot, branches } => {
                let mut ways = Vec::new();
                for Branch { set, derived } in branches {
                    let wanted = derived.iter().rev().fold(wanted.clone(), |test, (slot, int)| with(test, *slot, int));
                    ways.push(self.some(*slot, Domain::Sites(set.clone()), wanted));
                }
                or(ways)
            }
            Generator::Test(test, inner) => and(vec![test.clone(), self.some_ply(inner, wanted)?]),
            Generator::If(test, yes, no) => {
                let (yes, no) = (self.some_ply(yes, wanted.clone())?, self.some_ply(no, wanted)?);
                or(vec![and(vec![test.clone(), yes]), and(vec![not(test.clone()), no])])
            }
            Generator::Either(all) => {
                let mut ways = Vec::new();
                for one in all {
                    ways.push(self.some_ply(one, wanted.clone())?);
                }
                or(ways)
            }
            Generator::Let(slot, int, inner) => with(self.some_ply(inner, wanted)?, *slot, int),
            Generator::LetSites(slot, set, inner) => {
                let mut test = self.some_ply(inner, wanted)?;
                put_set(PartMut::Test(&mut test), *slot, set);
                test
            }
            Generator::Loop { slot, domain, tests, inner } => {
                let found = self.some_ply(inner, wanted)?;
                let tests = tests.iter().cloned().chain([found]).collect();
                self.some(*slot, domain.clone(), and(tests))
            }
            Generator::Stage(..) | Generator::Repeat(..) => return None,
        };
        (test.size() <= MAX_SIZE).then_some(test)
    }

    /// Whether a test holds for some member. What does not depend on the member is asked once; what can be asked of the
    /// whole board leaves fewer members to look at.
    pub(super) fn some(&mut self, slot: u16, domain: Domain, test: Test) -> Test {
        let parts = conjuncts(simplified(test)).into_iter();
        let (inside, mut all): (Vec<Test>, Vec<Test>) = parts.partition(|test| test.reads(slot));
        match domain {
            Domain::Sites(set) if let Some(row) = self.some_row(slot, &set, &and(inside.clone())) => all.push(row),
            Domain::Sites(set) => {
                let (mut sets, mut rest) = (vec![set], Vec::new());
                for test in inside {
                    match self.lift(&test, slot) {
                        Some(lifted) => sets.push(lifted),
                        None => {
                            sets.extend(self.lift_in_part(&test, slot));
                            rest.push(test);
                        }
                    }
                }
                let set = self.ground.and(sets);
                let test = and(rest.clone());
                let asked = self.asked_of_first(slot, &set, &test);
                if let Some(asked) = asked.or_else(|| self.some_of_named(slot, &set, &test)) {
                    all.push(asked);
                    return and(all);
                }
                all.push(if rest.is_empty() || set == nothing() {
                    any(set)
                } else {
                    self.for_some(slot, Domain::Sites(set), rest)
                });
            }
            Domain::Range(..) if let Some(asked) = self.some_number(slot, &domain, &inside) => all.push(asked),
            Domain::Range(low, high) => {
                all.extend(inside.iter().filter_map(|test| needed(test, slot, &low, &high)));
                all.push(self.for_some(slot, Domain::Range(low, high), inside));
            }
            Domain::Mask(_) => all.push(self.for_some(slot, domain, inside)),
        }
        and(all)
    }

    /// Whether for one of a few numbers a set has a member that passes a test, where with each of the numbers known that is
    /// asked of the whole board.
    pub(super) fn some_number(&mut self, slot: u16, numbers: &Domain, inside: &[Test]) -> Option<Test> {
        let [Test::Exists { slot: member, domain, test }] = inside else { return None };
        let (Domain::Sites(set), Some(numbers)) = (&**domain, few(numbers)) else { return None };
        if set.reads(slot) || numbers.len().saturating_mul(written(&Part::Test(test))) > MOST_WRITTEN {
            return None;
        }
        let mut ways = Vec::new();
        for number in numbers {
            let asked = self.some(*member, Domain::Sites(set.clone()), at_member(test, slot, number));
            if asks_each(&asked) {
                return None;
            }
            ways.push(asked);
        }
        Some(or(ways))
    }

    /// The same; of a few members each is asked by itself.
    pub(super) fn some_of(&mut self, slot: u16, domain: Domain, test: Test) -> Test {
        match few(&domain) {
            Some(members)
                if matches!(domain, Domain::Mask(_)) && members.len() * written(&Part::Test(&test)) <= MAX_SIZE =>
            {
                or(members.into_iter().map(|member| at_member(&test, slot, member)).collect())
            }
            _ => self.some(slot, domain, test),
        }
    }

    /// Whether tests hold for some member, asked one by one; what they have in common is worked out once for each.
    fn for_some(&mut self, slot: u16, domain: Domain, tests: Vec<Test>) -> Test {
        let test = self.shared_test(and(tests));
        Test::Exists { slot, domain: Box::new(domain), test: Box::new(test) }
    }

    /// A set outside of which a test does not hold: what of it can be asked of the whole board.
    pub(super) fn lift_in_part(&self, test: &Test, slot: u16) -> Option<Sets> {
        match test {
            Test::And(parts) => {
                let sets: Vec<Sets> = parts.iter().filter_map(|part| self.lift_in_part(part, slot)).collect();
                (!sets.is_empty()).then(|| self.ground.and(sets))
            }
            Test::Or(parts) => {
                let sets: Option<Vec<Sets>> = parts.iter().map(|part| self.lift_in_part(part, slot)).collect();
                Some(self.ground.or(sets?))
            }
            other => self.lift(other, slot),
        }
    }
}

/// A test goes through members of a set one after the other.
fn asks_each(test: &Test) -> bool {
    Part::Test(test).asks(&|part| {
        matches!(part, Part::Test(Test::Exists { .. }) | Part::Sets(Sets::Filter { .. } | Sets::Collect { .. }))
    })
}

/// What has to hold for a test to hold of a number in a range, told without the number; none where nothing is known.
pub(super) fn needed(test: &Test, slot: u16, low: &Int, high: &Int) -> Option<Test> {
    if !test.reads(slot) {
        return Some(test.clone());
    }
    if let Test::Or(parts) = test {
        let ways: Option<Vec<Test>> = parts.iter().map(|part| needed(part, slot, low, high)).collect();
        return Some(factored(ways?));
    }
    if let Test::And(parts) = test {
        return Some(and(parts.iter().filter_map(|part| needed(part, slot, low, high)).collect()));
    }
    let Test::Compare(op, a, b) = test else { return None };
    let (op, with) = if let (Int::Slot(own), Int::Const(with)) = (a, b)
        && *own == slot
    {
        (*op, *with)
    } else if let (Int::Const(with), Int::Slot(own)) = (a, b)
        && *own == slot
    {
        (op.turned(), *with)
    } else {
        return None;
    };
    match op {
        CompareOp::Equal => None,
        CompareOp::NotEqual => Some(factored(vec![compared(op, low, with), compared(op, high, with)])),
        CompareOp::Less | CompareOp::LessEqual => Some(compared(op, low, with)),
        CompareOp::Greater | CompareOp::GreaterEqual => Some(compared(op, high, with)),
    }
}

/// A comparison with a known number; of a number that depends on a condition, in either case by itself.
fn compared(op: CompareOp, number: &Int, with: i64) -> Test {
    match number {
        Int::If(test, yes, no) => or(vec![
            and(vec![(**test).clone(), compared(op, yes, with)]),
            and(vec![not((**test).clone()), compared(op, no, with)]),
        ]),
        Int::Arithmetic(ArithmeticOp::Subtract, zero, rest) if **zero == Int::Const(0) && with == 0 => {
            compared(op.turned(), rest, 0)
        }
        other => compare(op, other.clone(), Int::Const(with)),
    }
}

/// Comparisons of numbers that depend on a condition, told apart by it, and what stands on both sides of an `or` in front.
pub(super) fn simplified(test: Test) -> Test {
    match test {
        Test::And(parts) => and(parts.into_iter().map(simplified).collect()),
        Test::Or(parts) => factored(parts.into_iter().map(simplified).collect()),
        Test::Compare(op, number, Int::Const(with)) => compared(op, &number, with),
        other => other,
    }
}

/// One test or another, of which what all of them ask stands in front.
fn factored(tests: Vec<Test>) -> Test {
    let ways: Vec<Vec<Test>> = tests.into_iter().map(conjuncts).collect();
    let Some((first, others)) = ways.split_first() else { return Test::Const(false) };
    let common: Vec<Test> = first.iter().filter(|test| others.iter().all(|way| way.contains(test))).cloned().collect();
    let rest = ways.iter().map(|way| and(way.iter().filter(|test| !common.contains(test)).cloned().collect()));
    let rest = or(rest.collect());
    and(common.into_iter().chain([rest]).collect())
}

/// A test with a number in the place of a slot.
pub(super) fn with(mut test: Test, slot: u16, value: &Int) -> Test {
    put_in(PartMut::Test(&mut test), slot, value);
    test
}

/// Puts a set in the place of a slot.
pub(super) fn put_set(mut part: PartMut<'_>, slot: u16, value: &Sets) {
    part.parts_mut(&mut |part| put_set(part, slot, value));
    if let PartMut::Sets(sets) = part
        && *sets == Sets::Slot(slot)
    {
        *sets = value.clone();
    }
}
