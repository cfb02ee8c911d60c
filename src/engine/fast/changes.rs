//! Changes of a stage: gathered first, and then all made at once.

use super::set::Set;
use super::state::{State, Zobrist};

/// What a stage does, gathered before any of it happens; kept and reused, so that a stage allocates nothing.
#[derive(Clone, Debug)]
pub struct Changes<const W: usize> {
    pub(super) quick: Quick<W>,
    /// Sites that pieces leave: empty unless something arrives.
    pub(super) left: Set<W>,
    /// All sites at which something arrives, and which by plane.
    pub(super) arriving: Set<W>,
    pub(super) by_plane: Vec<(u8, Set<W>)>,
    pub(super) cells: Vec<(u16, i64)>,
    /// For every cell the round in which it was written to last, and where its value is in the list.
    pub(super) written: Vec<(u32, u32)>,
    pub(super) round: u32,
    pub(super) sets: Vec<(u16, Set<W>)>,
    pub(super) it: Option<u16>,
    pub(super) moved: bool,
}

/// The only change of a stage: nothing can be in its way.
#[derive(Clone, Copy, Debug)]
pub(super) enum Quick<const W: usize> {
    No,
    Move { from: usize, to: usize, plane: u8 },
    Put { sites: Set<W>, plane: u8 },
    Cell(u16, i64),
}

impl<const W: usize> Default for Changes<W> {
    fn default() -> Self {
        Self {
            quick: Quick::No,
            left: Set::EMPTY,
            arriving: Set::EMPTY,
            by_plane: Vec::new(),
            cells: Vec::new(),
            written: Vec::new(),
            round: 0,
            sets: Vec::new(),
            it: None,
            moved: false,
        }
    }
}

impl<const W: usize> Changes<W> {
    /// The site of the piece moved first, or else placed first.
    #[inline]
    #[must_use]
    pub fn it(&self) -> Option<usize> {
        self.it.map(usize::from)
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.quick = Quick::No;
        self.it = None;
        self.left = Set::EMPTY;
        self.arriving = Set::EMPTY;
        self.by_plane.clear();
        self.cells.clear();
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.written.clear();
            1
        });
        self.sets.clear();
        self.moved = false;
    }

    /// One memory cannot take two values.
    #[inline]
    pub(super) fn write(&mut self, cell: u16, value: i64) -> bool {
        let at = usize::from(cell);
        if self.written.len() <= at {
            self.written.resize(at + 1, (0, 0));
        }
        let Some(written) = self.written.get_mut(at) else { return false };
        if written.0 == self.round {
            return self.cells.get(written.1 as usize).is_some_and(|(_, known)| *known == value);
        }
        *written = (self.round, self.cells.len() as u32);
        self.cells.push((cell, value));
        true
    }

    /// Two different pieces cannot arrive on one site.
    #[inline]
    pub(super) fn arrive(&mut self, sites: Set<W>, plane: u8) -> bool {
        let taken = self.arriving & sites;
        self.arriving |= sites;
        match self.by_plane.iter_mut().find(|(known, _)| *known == plane) {
            Some((_, known)) => {
                let fits = taken.subset(*known);
                *known |= sites;
                fits
            }
            None => {
                self.by_plane.push((plane, sites));
                taken.is_empty()
            }
        }
    }

    /// Does what was gathered last; it must have been possible.
    #[inline]
    pub fn commit(&self, state: &mut State<W>, zobrist: Option<&Zobrist>) {
        match self.quick {
            Quick::Move { from, to, plane } => {
                state.put(from, 0, zobrist);
                state.put(to, plane, zobrist);
            }
            Quick::Put { sites, plane } => {
                for site in sites {
                    state.put(site, plane, zobrist);
                }
            }
            Quick::Cell(cell, value) => put_in(&mut state.cells, cell, value),
            Quick::No => self.commit_all(state, zobrist),
        }
    }

    fn commit_all(&self, state: &mut State<W>, zobrist: Option<&Zobrist>) {
        for site in self.left - self.arriving {
            state.put(site, 0, zobrist);
        }
        for (plane, sites) in &self.by_plane {
            for site in *sites {
                state.put(site, *plane, zobrist);
            }
        }
        for (cell, value) in &self.cells {
            put_in(&mut state.cells, *cell, *value);
        }
        for (index, value) in &self.sets {
            put_in(&mut state.sets, *index, *value);
        }
    }
}

#[inline]
fn put_in<T>(list: &mut [T], index: u16, value: T) {
    if let Some(place) = list.get_mut(usize::from(index)) {
        *place = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ir::NONE;

    #[test]
    fn two_different_pieces_cannot_arrive_on_one_site() {
        let mut changes = Changes::<1>::default();
        assert!(changes.arrive([1, 2].into_iter().collect(), 1));
        assert!(changes.arrive([3, 4].into_iter().collect(), 2));
        assert!(changes.arrive([2, 5].into_iter().collect(), 1), "the same piece may arrive twice");
        assert!(!changes.arrive([4, 6].into_iter().collect(), 1));
        changes.clear();
        assert!(changes.arrive([4, 6].into_iter().collect(), 1));
    }

    #[test]
    fn one_memory_cannot_take_two_values() {
        let mut changes = Changes::<1>::default();
        changes.clear();
        assert!(changes.write(3, 7));
        assert!(changes.write(3, 7), "the same value may be given twice");
        assert!(changes.write(4, 8));
        assert!(!changes.write(3, NONE));
        changes.clear();
        assert!(changes.write(3, NONE), "what was written in another round does not count");
    }
}
