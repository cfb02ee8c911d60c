//! Slots bound in instructions that say the same are made the same, so that these are seen to be equal.
//!
//! An instruction that goes through members is named when it is put together, and those within it before it: so two that
//! differ in nothing but slots become equal. One never stands within another that is equal to it, and what is equal has the
//! same slots free; so no slot comes to be bound twice at one place. What comes after a stage has names of its own: there the
//! values that the stage has written are put in, and one of them may be equal to what it is put into.

use super::ir::*;
use super::lower::Lowering;
use std::cell::RefCell;

/// Stands for the slot that an instruction binds; numbers below it for those that are bound within.
const BOUND: u16 = u16::MAX;

/// The instructions put together so far that bind a slot: with other slots in the place of all that are bound, and as they are.
#[derive(Default)]
pub(super) struct Binders {
    sets: Vec<(Sets, Sets)>,
    ints: Vec<(Int, Int)>,
    tests: Vec<(Test, Test)>,
}

impl Lowering<'_> {
    pub fn named_set(&mut self, set: Sets) -> Sets {
        if !matches!(set, Sets::Filter { .. } | Sets::Collect { .. }) {
            return set;
        }
        named(set, &mut self.binders.sets, |set| PartMut::Sets(set))
    }

    pub fn named_int(&mut self, int: Int) -> Int {
        if !matches!(int, Int::Reduce { .. } | Int::MaskWhere { .. } | Int::MaskCollect { .. }) {
            return int;
        }
        named(int, &mut self.binders.ints, |int| PartMut::Int(int))
    }

    pub fn named_test(&mut self, test: Test) -> Test {
        if !matches!(test, Test::Exists { .. }) {
            return test;
        }
        named(test, &mut self.binders.tests, |test| PartMut::Test(test))
    }
}

/// An instruction that binds slots, with the slots of one that says the same.
fn named<T: PartialEq + Clone>(of: T, known: &mut Vec<(T, T)>, part: fn(&mut T) -> PartMut<'_>) -> T {
    let mut plain = of.clone();
    let mut names = Vec::new();
    rename(&mut part(&mut plain), &mut names);
    if let Some((_, same)) = known.iter().find(|(other, _)| *other == plain) {
        return same.clone();
    }
    known.push((plain, of.clone()));
    of
}

/// The slots that are bound anywhere in an instruction.
pub(super) fn bound_slots(part: &Part<'_>) -> Vec<u16> {
    let bound = RefCell::new(Vec::new());
    // Looked through to the end, since nothing in it is what is asked for.
    let _ = part.asks(&|part| {
        part.binds(&mut |slot| bound.borrow_mut().push(slot));
        false
    });
    bound.into_inner()
}

/// Puts other slots in the place of those that are bound, in the order in which they are, where they are bound and wherever
/// they are read.
fn rename(part: &mut PartMut<'_>, names: &mut Vec<u16>) {
    let (slot, binds) = match part {
        PartMut::Sets(Sets::Filter { slot, .. } | Sets::Collect { slot, .. })
        | PartMut::Int(Int::Reduce { slot, .. } | Int::MaskWhere { slot, .. } | Int::MaskCollect { slot, .. })
        | PartMut::Test(Test::Exists { slot, .. }) => (Some(slot), true),
        PartMut::Int(Int::Slot(slot)) => (Some(slot), false),
        PartMut::Sets(_) | PartMut::Int(_) | PartMut::Test(_) => (None, false),
    };
    if let Some(slot) = slot {
        if binds && !names.contains(slot) {
            names.push(*slot);
        }
        if let Some(at) = (0u16..).zip(names.iter()).find_map(|(at, name)| (name == slot).then_some(at)) {
            *slot = BOUND - at;
        }
    }
    part.parts_mut(&mut |mut part| rename(&mut part, names));
}
