//! The frame in which something is lowered: the values of names, the slots that are taken, and what is known of what they hold.

use super::binders::Binders;
use super::ir::*;
use super::lower::{Lowered, Lowering};
use super::narrow::narrow;
use super::overlay::{Facts, held};
use super::values::Val;
use crate::rules::Local;
use crate::source::Span;

/// The values of names, and the state that is read.
#[derive(Clone, Debug)]
pub(super) struct Env {
    pub locals: Vec<Val>,
    pub when: When,
}

impl Env {
    pub fn new() -> Self {
        Self { locals: Vec::new(), when: When::Now }
    }

    pub fn set(&mut self, local: Local, value: Val) {
        if self.locals.len() <= local.0 {
            self.locals.resize(local.0 + 1, Val::Missing);
        }
        if let Some(place) = self.locals.get_mut(local.0) {
            *place = value;
        }
    }
}

/// The slots of a frame that hold numbers, or sets.
pub(super) struct Slots {
    used: usize,
    /// The most that were in use at once.
    most: usize,
}

impl Slots {
    /// None is taken yet, and a frame has at least so many.
    pub fn from(least: usize) -> Self {
        Self { used: 0, most: least }
    }

    /// The next slot. Where there are too many, [`Lowering::slots`] refuses them all.
    fn take(&mut self) -> u16 {
        let slot = u16::try_from(self.used).unwrap_or(u16::MAX);
        self.used += 1;
        self.most = self.most.max(self.used);
        slot
    }
}

/// So many slots of both kinds.
#[derive(Clone, Copy, Default)]
pub(super) struct FrameSize {
    pub ints: usize,
    pub sets: usize,
}

impl Lowering<'_> {
    /// Something new is lowered, in a frame of which these slots are taken already.
    pub fn begin(&mut self, taken: FrameSize) {
        self.ints.used = taken.ints.max(self.floor.ints);
        self.sets.used = taken.sets.max(self.floor.sets);
        self.facts.clear();
        self.binders = Binders::default();
        self.ranges.clear();
        self.homes.clear();
    }

    /// Slots that something else has taken are not taken again.
    pub fn leave_out(&mut self, taken: FrameSize) {
        for (slots, taken) in [(&mut self.ints, taken.ints), (&mut self.sets, taken.sets)] {
            slots.used = slots.used.max(taken);
            slots.most = slots.most.max(taken);
        }
    }

    /// The slots taken since then, and by it.
    pub fn used(&self) -> FrameSize {
        FrameSize { ints: self.ints.used, sets: self.sets.used }
    }

    pub fn int_slot(&mut self) -> u16 {
        self.ints.take()
    }

    pub fn set_slot(&mut self) -> u16 {
        self.sets.take()
    }

    /// The size of a frame, unless it has more slots than can be numbered.
    pub fn slots(&self, span: Span) -> Lowered<FrameSize> {
        let size = FrameSize { ints: self.ints.most, sets: self.sets.most };
        let _: u16 = narrow(size.ints.max(size.sets), "more values at once than can be numbered", span)?;
        Ok(size)
    }

    /// The slot will hold one member of a domain after the other.
    pub fn bind(&mut self, slot: u16, domain: &Val) {
        self.ranges.remove(&slot);
        self.homes.remove(&slot);
        match domain {
            Val::Sites(_) | Val::Site(_) => {
                let set = self.sets_of(domain.clone());
                let planes = held(&set, &self.facts, self.ground.planes);
                self.facts.insert(slot, planes);
                let parts = if let Sets::And(parts) = &set { parts.as_slice() } else { std::slice::from_ref(&set) };
                let named = |part: &Sets| if let Sets::Const(set) = part { Some(*set) } else { None };
                self.homes.extend(parts.iter().find_map(named).map(|home| (slot, home)));
            }
            Val::Range(low, high) => {
                // There are members only where both ends are there.
                let ends = self.ends_of(low).zip(self.ends_of(high));
                self.facts.remove(&slot);
                self.ranges.extend(ends.map(|((low, _), (_, high))| (slot, (low, high))));
            }
            _ => drop(self.facts.remove(&slot)),
        }
    }

    /// What is known of the pieces on the sites in slots.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Goes on where something else is known of them.
    pub fn know(&mut self, facts: Facts) {
        self.facts = facts;
    }

    /// What comes to be known in between holds there only.
    pub fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let (known, ranges, homes) = (self.facts.clone(), self.ranges.clone(), self.homes.clone());
        let result = f(self);
        (self.facts, self.ranges, self.homes) = (known, ranges, homes);
        result
    }

    /// Lowers something as if the site in a slot held one of these planes.
    pub fn supposing<T>(&mut self, slot: u16, planes: u64, f: impl FnOnce(&mut Self) -> T) -> T {
        self.scoped(|own| {
            own.facts.insert(slot, planes);
            own.with_new_names(f)
        })
    }

    /// Lowers what comes after a stage.
    pub fn behind_stage<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.scoped(|own| {
            own.forget_pieces();
            own.with_new_names(f)
        })
    }

    /// Lowers something in which no slot is shared with what stands outside: that may come to stand within it, as the new value
    /// of what a stage has changed, or may know less of what its slot holds.
    fn with_new_names<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::take(&mut self.binders);
        let result = f(self);
        self.binders = outside;
        result
    }

    /// The sites in slots are still known to be sites, but no longer what stands there.
    pub fn forget_pieces(&mut self) {
        self.facts.values_mut().for_each(|planes| *planes = self.ground.planes);
    }
}
