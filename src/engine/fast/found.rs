//! What may be done in a state: sets of plies that differ in one part, plies that stand alone, or records of machine code.

use super::eval::{Core, Frame, View};
use super::plies::{Plies, Ply};
use super::set::Set;
use super::state::State;
use crate::engine::observe::Follow;
use crate::program::MAX_PARTS;
use crate::program::ir::{Int, NONE};

/// Plies that differ in one part only: one for every member of the set.
#[derive(Clone, Debug)]
pub struct Leaf<'p, const W: usize> {
    /// The part; beyond the slots of parts there is a single ply, and the set does not count.
    pub(super) slot: u16,
    pub(super) count: usize,
    /// How many plies stand before these.
    before: usize,
    pub(super) set: Set<W>,
    pub(super) derived: &'p [(u16, Int)],
}

/// The fields of a record of machine code: how many plies, their kind, the set of the part that differs, the parts known.
pub const COUNT: usize = 0;
pub const KIND: usize = 1;
pub const SET: usize = 2;

/// What may be done in a state.
#[derive(Debug)]
pub struct Found<'p, const W: usize> {
    pub(super) leaves: Vec<Leaf<'p, W>>,
    /// For every leaf what its plies have in common.
    common: Plies,
    pub(super) plies: Plies,
    /// What machine code has listed, if it was the one that did.
    pub(super) records: Vec<u64>,
    pub(super) used: usize,
    pub(super) native: bool,
    /// The plies stand alone, and machine code can play each of them.
    pub(super) playable: bool,
    pub count: usize,
    /// The turn may end here.
    pub end: bool,
    /// The one ply was drawn, and the others were not looked for.
    pub(super) drawn: bool,
    /// Enough is known when so many are found.
    limit: usize,
}

impl<'p, const W: usize> Leaf<'p, W> {
    /// A ply for each member of a set, with further parts that follow from the member.
    pub(super) fn of(slot: u16, set: Set<W>, derived: &'p [(u16, Int)]) -> Self {
        Self { slot, count: set.len(), before: 0, set, derived }
    }

    /// One ply whose parts are all known.
    pub(super) fn one() -> Self {
        Self { slot: MAX_PARTS as u16, count: 1, before: 0, set: Set::EMPTY, derived: &[] }
    }
}

impl<const W: usize> Default for Found<'_, W> {
    fn default() -> Self {
        Self {
            leaves: Vec::new(),
            common: Plies::default(),
            plies: Plies::default(),
            records: Vec::new(),
            used: 0,
            native: false,
            playable: false,
            count: 0,
            end: false,
            drawn: false,
            limit: usize::MAX,
        }
    }
}

impl<const W: usize> Clone for Found<'_, W> {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Reuses the room of the old lists.
    #[inline]
    fn clone_from(&mut self, other: &Self) {
        self.native = other.native;
        self.playable = other.playable;
        self.used = other.used;
        if other.native {
            if self.records.len() < other.records.len() {
                self.records.resize(other.records.len(), 0);
            }
            if let (Some(room), Some(records)) = (self.records.get_mut(..other.used), other.records.get(..other.used)) {
                room.copy_from_slice(records);
            }
            self.forget();
        } else {
            self.leaves.clone_from(&other.leaves);
            self.common.clone_from(&other.common);
            self.plies.clone_from(&other.plies);
        }
        (self.count, self.end, self.drawn, self.limit) = (other.count, other.end, other.drawn, other.limit);
    }
}

impl<'p, const W: usize> Found<'p, W> {
    /// Nothing is looked for any more once there are so many.
    pub(super) fn stop_at(&mut self, limit: usize) {
        self.limit = limit;
    }

    pub fn clear(&mut self) {
        self.forget();
        self.native = false;
        self.playable = false;
        self.count = 0;
        self.end = false;
        self.drawn = false;
        self.limit = usize::MAX;
    }

    /// One ply that was drawn.
    pub(super) fn only(&mut self, ply: &Ply, parts: usize) {
        self.clear();
        self.push_ply(ply, parts);
        self.drawn = true;
    }

    /// Drops what was not listed by machine code.
    #[inline]
    fn forget(&mut self) {
        if !(self.leaves.is_empty() && self.plies.is_empty()) {
            self.leaves.clear();
            self.common.clear();
            self.plies.clear();
        }
    }

    /// The plies, where all of them stand alone.
    #[cfg(feature = "native")]
    pub(super) fn alone(&self) -> Option<&Plies> {
        self.leaves.is_empty().then_some(&self.plies)
    }

    pub(super) fn full(&self) -> bool {
        self.count >= self.limit
    }

    pub(super) fn push(&mut self, leaf: Leaf<'p, W>, common: &Ply, parts: usize) {
        let before = self.leaves.last().map_or(0, |last| last.before + last.count);
        self.leaves.push(Leaf { before, ..leaf });
        self.count += leaf.count;
        self.common.push(common, parts);
    }

    pub(super) fn push_ply(&mut self, ply: &Ply, parts: usize) {
        self.count += 1;
        self.plies.push(ply, parts);
    }

    /// The sets of plies that differ in one part, each with how many plies stand before it, the call and the part; none where
    /// machine code has listed them.
    pub(super) fn sets(&self) -> impl Iterator<Item = (usize, u16, u16, &Set<W>)> {
        self.leaves.iter().zip(self.common.calls()).map(|(leaf, call)| (leaf.before, call, leaf.slot, &leaf.set))
    }

    /// What the plies of a leaf have in common.
    pub(super) fn common(&self, leaf: usize) -> Option<Ply> {
        self.common.get(leaf)
    }

    /// The ply with this number.
    #[must_use]
    pub fn get(&self, core: &Core<W>, state: &State<W>, frame: &mut Frame<W>, index: usize) -> Option<Ply> {
        // Positions in a long list are asked for one after the other.
        let at = self.leaves.partition_point(|leaf| leaf.before <= index).wrapping_sub(1);
        let Some(leaf) = self.leaves.get(at) else { return self.plies.get(index) };
        let left = index - leaf.before;
        if left >= leaf.count {
            return self.plies.get(left - leaf.count);
        }
        let mut ply = self.common.get(at)?;
        if let Some(part) = ply.parts.get_mut(usize::from(leaf.slot)) {
            *part = leaf.set.nth(left)? as i64;
        }
        ply.derive(leaf.derived, &View::of(core, state), frame);
        Some(ply)
    }
}

/// Plies that differ in one part, with what follows from it.
pub struct Alike<'a, const W: usize> {
    pub ply: &'a Ply,
    pub varied: Option<(u16, &'a Set<W>)>,
    pub follows: &'a [Follow],
    pub shape: Option<usize>,
}

impl<'a, const W: usize> Alike<'a, W> {
    pub fn of(ply: &'a Ply, varied: Option<(u16, &'a Set<W>)>) -> Self {
        Self { ply, varied, follows: &[], shape: None }
    }
}

/// Tells of plies that differ in one part: one by one where further parts follow from it.
pub(super) fn fan<const W: usize>(
    core: &Core<W>,
    state: &State<W>,
    frame: &mut Frame<W>,
    mut ply: Ply,
    varied: Option<(u16, Set<W>)>,
    derived: &[(u16, Int)],
    tell: &mut impl FnMut(Alike<'_, W>),
) {
    let view = View::of(core, state);
    match varied {
        None => {
            ply.derive(derived, &view, frame);
            tell(Alike::of(&ply, None));
        }
        Some((slot, set)) if derived.is_empty() => tell(Alike::of(&ply, Some((slot, &set)))),
        Some((slot, set)) => {
            for member in set {
                if let Some(part) = ply.parts.get_mut(usize::from(slot)) {
                    *part = i64::try_from(member).unwrap_or(NONE);
                }
                ply.derive(derived, &view, frame);
                tell(Alike::of(&ply, None));
            }
        }
    }
}
