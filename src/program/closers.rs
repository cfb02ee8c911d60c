//! Plies that have to end the turn: what must hold at its end is put into the sets from which they are picked, so that
//! none that does not end it is looked at. So is what the state before a ply tells of whether the turn can be finished.

use super::build::*;
use super::closing::closing;
use super::finish::{needed, put_set, simplified, with};
use super::ir::*;
use super::lower::{Lowered, Lowering};
use super::parted::instructions;
use super::parts::conjuncts;
use super::{Branch, ForMover, Generator, TurnNode};
use crate::rules::CompareOp;
use crate::source::Span;

/// What is found by larger generators is asked ply by ply whether it ends the turn.
const MOST_CLOSED: usize = 2_000;

/// Plies, and what holds in front of all of them.
type Closed = (Generator, Test);

impl Lowering<'_> {
    /// Where a turn has to be finished, the calls after which it is over or not, as their plies tell, find only those after
    /// which it is. Others leave out the plies after which it cannot be finished, as the state before them tells.
    pub(super) fn close(&mut self, nodes: &[TurnNode], own: &mut ForMover, span: Span) -> Lowered<()> {
        let open = open_calls(self, nodes, own);
        let plain = std::mem::take(&mut self.plain);
        for (index, (generator, open)) in plain.into_iter().zip(open).enumerate() {
            let Some(call) = own.calls.get(index).filter(|call| !open && !call.may_repeat) else { continue };
            self.begin(self.slots(span)?);
            let (wanted, hope) = match closing(nodes, own, call) {
                Some(closes) => (simplified(closes), None),
                None => {
                    let Some((idle, needs)) = self.prospect(nodes, own, call) else { continue };
                    let slot = self.int_slot();
                    (
                        or(vec![not(idle), compare(CompareOp::Equal, Int::Slot(slot), Int::Const(1))]),
                        Some((slot, needs)),
                    )
                }
            };
            if matches!(wanted, Test::Const(_)) {
                continue;
            }
            let noted = self.slow.len();
            let closed = self.such_that(generator, wanted);
            let closed = closed.map(|(generator, before)| generator.guarded_by(before));
            let Some(mut closed) = closed else { continue };
            if instructions(&mut closed) <= MOST_CLOSED {
                let mut closed = self.shared_plies(closed);
                // Worked out once, in front of everything.
                if let Some((slot, needs)) = hope {
                    let needs = Int::If(Box::new(needs), Box::new(Int::Const(1)), Box::new(Int::Const(0)));
                    closed = Generator::Let(slot, needs, Box::new(closed));
                }
                if let Some(call) = own.calls.get_mut(index) {
                    call.generator = closed;
                }
            }
            self.slow.truncate(noted);
        }
        Ok(())
    }

    /// The plies of a generator for which a test holds, and what must hold for there to be any; none where it makes changes
    /// to find its plies.
    fn such_that(&mut self, generator: Generator, wanted: Test) -> Option<Closed> {
        let always = Test::Const(true);
        Some(match generator {
            Generator::One => (Generator::One.guarded_by(wanted.clone()), wanted),
            Generator::Leaf { slot, set } => {
                let (set, before) = self.those_of(slot, set, wanted);
                (Generator::Leaf { slot, set }, before)
            }
            Generator::Fan { slot, branches } => {
                let mut all = Vec::new();
                for Branch { set, derived } in branches {
                    let test = derived.iter().rev().fold(wanted.clone(), |test, (slot, int)| with(test, *slot, int));
                    let (set, before) = self.those_of(slot, set, test);
                    let set = self.ground.choose(before, set, nothing());
                    all.push(Branch { set, derived });
                }
                (Generator::Fan { slot, branches: all }, always)
            }
            Generator::Test(test, inner) => {
                let (inner, before) = self.such_that(*inner, wanted)?;
                (inner.guarded_by(test), before)
            }
            Generator::If(test, yes, no) => {
                let (yes, before_yes) = self.such_that(*yes, wanted.clone())?;
                let (no, before_no) = self.such_that(*no, wanted)?;
                let (yes, no) = (yes.guarded_by(before_yes), no.guarded_by(before_no));
                (Generator::If(test, Box::new(yes), Box::new(no)), always)
            }
            Generator::Either(all) => {
                let mut ways = Vec::new();
                for way in all {
                    let (way, before) = self.such_that(way, wanted.clone())?;
                    ways.push(way.guarded_by(before));
                }
                (Generator::Either(ways), always)
            }
            Generator::Let(slot, int, inner) => {
                let (inner, before) = self.such_that(*inner, wanted)?;
                let before = with(before, slot, &int);
                (Generator::Let(slot, int, Box::new(inner)), before)
            }
            Generator::LetSites(slot, set, inner) => {
                let (inner, mut before) = self.such_that(*inner, wanted)?;
                put_set(PartMut::Test(&mut before), slot, &set);
                (Generator::LetSites(slot, set, Box::new(inner)), before)
            }
            Generator::Loop { slot, domain, mut tests, inner } => {
                let (inner, needs) = self.such_that(*inner, wanted)?;
                let (own, mut before): (Vec<Test>, Vec<Test>) =
                    conjuncts(simplified(needs)).into_iter().partition(|test| test.reads(slot));
                let domain = match domain {
                    Domain::Sites(set) => {
                        let lifted = own.iter().filter_map(|test| self.lift_in_part(test, slot));
                        let sets = std::iter::once(set).chain(lifted).collect();
                        Domain::Sites(self.ground.and(sets))
                    }
                    Domain::Range(low, high) => {
                        before.extend(own.iter().filter_map(|test| needed(test, slot, &low, &high)));
                        tests.extend(own);
                        Domain::Range(low, high)
                    }
                    Domain::Mask(mask) => {
                        tests.extend(own);
                        Domain::Mask(mask)
                    }
                };
                (Generator::Loop { slot, domain, tests, inner: Box::new(inner) }, and(before))
            }
            Generator::Stage(..) | Generator::Repeat(..) => return None,
        })
    }

    /// The members of a set for which a test holds, and what of it does not depend on the member.
    fn those_of(&mut self, slot: u16, set: Sets, wanted: Test) -> (Sets, Test) {
        let parts = conjuncts(simplified(wanted)).into_iter();
        let (own, before): (Vec<Test>, Vec<Test>) = parts.partition(|test| test.reads(slot));
        (self.filtered(slot, set, and(own)), and(before))
    }
}

/// The calls to which a turn leads that need not be finished, by their numbers.
fn open_calls(lowering: &Lowering<'_>, nodes: &[TurnNode], own: &ForMover) -> Vec<bool> {
    let mut open = vec![false; own.calls.len()];
    let turns = lowering.rules.turns.iter().filter(|turn| !turn.whole);
    let mut reached: Vec<u16> = turns.filter_map(|turn| lowering.places.number.get(&turn.entry).copied()).collect();
    let mut at = 0;
    while let Some(node) = reached.get(at).and_then(|node| nodes.get(usize::from(*node))) {
        at += 1;
        let next: Vec<u16> = match node {
            TurnNode::End => Vec::new(),
            TurnNode::Fork(next) | TurnNode::Prefer(next) | TurnNode::Guard(_, next) => next.clone(),
            TurnNode::Call(call) => {
                if let Some(open) = open.get_mut(usize::from(*call)) {
                    *open = true;
                }
                let call = own.calls.get(usize::from(*call)).into_iter();
                call.flat_map(|call| call.next.iter().chain(&call.until_next)).copied().collect()
            }
        };
        for node in next {
            if !reached.contains(&node) {
                reached.push(node);
            }
        }
    }
    open
}
