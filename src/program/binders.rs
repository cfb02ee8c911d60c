//! Slots bound in instructions that say the same are made the same, so that these are seen to be equal.
//!
//! An instruction that goes through members is named when it is put together, and those within it before it: so two that
//! differ in nothing but slots become equal. One never stands within another that is equal to it, and what is equal has the
//! same slots free; so no slot comes to be bound twice at one place. What comes after a stage has names of its own: there the
//! values that the stage has written are put in, and one of them may be equal to what it is put into.

use super::ir::*;
use super::lower::Lowering;
use std::cell::RefCell;

/// Stands for the slot that an instruction binds.
const BOUND: u16 = u16::MAX;

/// The instructions put together so far that bind a slot, with [`BOUND`] in its place, and the slots.
#[derive(Default)]
pub(super) struct Binders {
    sets: Vec<(Sets, u16)>,
    ints: Vec<(Int, u16)>,
    tests: Vec<(Test, u16)>,
}

impl Lowering<'_> {
    pub fn named_set(&mut self, set: Sets) -> Sets {
        let (Sets::Filter { slot, .. } | Sets::Collect { slot, .. }) = &set else { return set };
        let slot = *slot;
        named(set, slot, &mut self.binders.sets, |set| PartMut::Sets(set))
    }

    pub fn named_int(&mut self, int: Int) -> Int {
        let (Int::Reduce { slot, .. } | Int::MaskWhere { slot, .. } | Int::MaskCollect { slot, .. }) = &int else {
            return int;
        };
        let slot = *slot;
        named(int, slot, &mut self.binders.ints, |int| PartMut::Int(int))
    }

    pub fn named_test(&mut self, test: Test) -> Test {
        let Test::Exists { slot, .. } = &test else { return test };
        let slot = *slot;
        named(test, slot, &mut self.binders.tests, |test| PartMut::Test(test))
    }
}

/// An instruction that binds a slot, with the slot of one that says the same.
fn named<T: PartialEq + Clone>(of: T, slot: u16, known: &mut Vec<(T, u16)>, part: fn(&mut T) -> PartMut<'_>) -> T {
    let mut plain = of.clone();
    rename(&mut part(&mut plain), slot, BOUND);
    match known.iter().find(|(other, _)| *other == plain) {
        Some((_, same)) => {
            rename(&mut part(&mut plain), BOUND, *same);
            plain
        }
        None => {
            known.push((plain, slot));
            of
        }
    }
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

/// Puts a slot in the place of another where it is bound and wherever it is read.
fn rename(part: &mut PartMut<'_>, old: u16, new: u16) {
    let slot = match part {
        PartMut::Sets(Sets::Filter { slot, .. } | Sets::Collect { slot, .. })
        | PartMut::Int(
            Int::Slot(slot) | Int::Reduce { slot, .. } | Int::MaskWhere { slot, .. } | Int::MaskCollect { slot, .. },
        )
        | PartMut::Test(Test::Exists { slot, .. }) => Some(slot),
        PartMut::Sets(_) | PartMut::Int(_) | PartMut::Test(_) => None,
    };
    if let Some(slot) = slot.filter(|slot| **slot == old) {
        *slot = new;
    }
    part.parts_mut(&mut |mut part| rename(&mut part, old, new));
}
