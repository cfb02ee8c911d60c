//! The frame in which something is lowered: the values of names, the slots that are taken, and what is known of what they hold.

use super::binders::Binders;
use super::ir::*;
use super::lower::{Lowered, Lowering};
use super::narrow::narrow;
use super::overlay::{Facts, held};
use super::values::Val;
use crate::board::SiteSet;
use crate::rules::Local;
use crate::source::Span;
use std::collections::{HashMap, HashSet};

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

/// What is known of what slots hold.
#[derive(Clone, Default)]
pub(super) struct Knowledge {
    /// The planes of the pieces on sites, in the state that is read now.
    pub pieces: Facts,
    /// Between which numbers a number lies, where that is known.
    pub ranges: HashMap<u16, (i64, i64)>,
    /// Among which sites a site is, where the rules name them.
    pub homes: HashMap<u16, SiteSet>,
    /// Of which two slots, the lower one first, the sites are never the same.
    pub apart: HashSet<(u16, u16)>,
    /// Of which two slots the site in the first comes after that in the other one.
    pub after: HashSet<(u16, u16)>,
}

impl Knowledge {
    /// The slot will hold something else.
    fn forget(&mut self, slot: u16) {
        self.pieces.remove(&slot);
        self.ranges.remove(&slot);
        self.homes.remove(&slot);
        for pairs in [&mut self.apart, &mut self.after] {
            pairs.retain(|(one, other)| *one != slot && *other != slot);
        }
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
        self.knowledge = Knowledge::default();
        self.binders = Binders::default();
        self.parts.clear();
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
        match domain {
            Val::Sites(_) | Val::Site(_) => {
                let set = self.sets_of(domain.clone());
                let planes = held(&set, self.facts(), self.ground.planes);
                self.knowledge.forget(slot);
                self.knowledge.pieces.insert(slot, planes);
                let parts = if let Sets::And(parts) = &set { parts.as_slice() } else { std::slice::from_ref(&set) };
                let named = |part: &Sets| if let Sets::Const(set) = part { Some(*set) } else { None };
                self.knowledge.homes.extend(parts.iter().find_map(named).map(|home| (slot, home)));
            }
            Val::Range(low, high) => {
                // There are members only where both ends are there.
                let ends = self.ends_of(low).zip(self.ends_of(high));
                self.know_range(slot, ends.map(|((low, _), (_, high))| (low, high)));
            }
            _ => self.knowledge.forget(slot),
        }
    }

    /// The slot will hold a number within these bounds, if there are any.
    pub fn know_range(&mut self, slot: u16, bounds: Option<(i64, i64)>) {
        self.knowledge.forget(slot);
        self.knowledge.ranges.extend(bounds.map(|bounds| (slot, bounds)));
    }

    /// What is known of the pieces on the sites in slots.
    pub fn facts(&self) -> &Facts {
        &self.knowledge.pieces
    }

    /// Goes on where something else is known of what slots hold.
    pub fn know(&mut self, knowledge: &Knowledge) {
        self.knowledge = knowledge.clone();
    }

    /// What comes to be known in between holds there only.
    pub fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let known = self.knowledge.clone();
        let result = f(self);
        self.knowledge = known;
        result
    }

    /// Lowers something as if the site in a slot held one of these planes.
    pub fn supposing<T>(&mut self, slot: u16, planes: u64, f: impl FnOnce(&mut Self) -> T) -> T {
        self.scoped(|own| {
            own.knowledge.pieces.insert(slot, planes);
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
        self.knowledge.pieces.values_mut().for_each(|planes| *planes = self.ground.planes);
    }
}
