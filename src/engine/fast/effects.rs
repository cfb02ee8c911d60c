//! Changes: all operands of a stage are read first, then everything happens at once.

use super::eval::{Core, Frame, View};
use super::set::Set;
use super::state::State;
use crate::program::ir::{Domain, Effect, Int, NONE, Test};

/// What a stage does, gathered before any of it happens; kept and reused, so that a stage allocates nothing.
#[derive(Clone, Debug)]
pub struct Changes<const W: usize> {
    quick: Quick<W>,
    /// Sites that pieces leave: empty unless something arrives.
    left: Set<W>,
    /// All sites at which something arrives, and which by plane.
    arriving: Set<W>,
    by_plane: Vec<(u8, Set<W>)>,
    cells: Vec<(u16, i64)>,
    /// For every cell the round in which it was written to last, and where its value is in the list.
    written: Vec<(u32, u32)>,
    round: u32,
    sets: Vec<(u16, Set<W>)>,
    it: Option<u16>,
    moved: bool,
}

/// The only change of a stage: nothing can be in its way.
#[derive(Clone, Copy, Debug)]
enum Quick<const W: usize> {
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

    /// Reads the operands of all changes of a stage; false if they cannot be made together.
    #[inline]
    #[must_use]
    pub fn gather(&mut self, view: &View<'_, W>, effects: &[Effect], f: &mut Frame<W>) -> bool {
        self.clear();
        if let [only] = effects {
            return self.gather_only(view, only, f);
        }
        effects.iter().all(|effect| self.add(view, effect, f))
    }

    #[inline]
    fn clear(&mut self) {
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

    fn gather_only(&mut self, view: &View<'_, W>, effect: &Effect, f: &mut Frame<W>) -> bool {
        match effect {
            Effect::Put { target, piece, guard } => {
                if view.test(guard, f) {
                    let sites = view.sets(target, f);
                    let Some(plane) = plane(view.int(piece, f)) else { return sites.is_empty() };
                    if plane != 0 {
                        self.it = sites.only().map(|site| site as u16);
                    }
                    self.quick = Quick::Put { sites, plane };
                }
                true
            }
            Effect::Move { from, to, piece, guard } => {
                if view.test(guard, f) {
                    let Some((from, to, plane)) = moved(view, from, to, piece.as_ref(), f) else { return false };
                    self.it = Some(to as u16);
                    self.quick = Quick::Move { from, to, plane };
                }
                true
            }
            Effect::Set { base, count, index, value, range, guard } => {
                if view.test(guard, f) {
                    let Some((cell, value)) = set(view, *base, *count, index.as_ref(), value, *range, f) else {
                        return false;
                    };
                    self.quick = Quick::Cell(cell, value);
                }
                true
            }
            Effect::SetSites { .. } | Effect::Each { .. } => self.add(view, effect, f),
        }
    }

    fn add(&mut self, view: &View<'_, W>, effect: &Effect, f: &mut Frame<W>) -> bool {
        match effect {
            Effect::Put { target, piece, guard } => {
                if !view.test(guard, f) {
                    return true;
                }
                let sites = view.sets(target, f);
                let Some(plane) = plane(view.int(piece, f)) else { return sites.is_empty() };
                if !self.arrive(sites, plane) {
                    return false;
                }
                if self.it.is_none() && plane != 0 {
                    self.it = sites.only().map(|site| site as u16);
                }
                true
            }
            Effect::Move { from, to, piece, guard } => {
                if !view.test(guard, f) {
                    return true;
                }
                let Some((from, to, plane)) = moved(view, from, to, piece.as_ref(), f) else { return false };
                self.left.insert(from);
                if !self.arrive(Set::single(to), plane) {
                    return false;
                }
                if !self.moved {
                    self.it = Some(to as u16);
                    self.moved = true;
                }
                true
            }
            Effect::Set { base, count, index, value, range, guard } => {
                if !view.test(guard, f) {
                    return true;
                }
                match set(view, *base, *count, index.as_ref(), value, *range, f) {
                    Some((cell, value)) => self.write(cell, value),
                    None => false,
                }
            }
            Effect::SetSites { base, value, guard } => {
                if !view.test(guard, f) {
                    return true;
                }
                let value = view.sets(value, f);
                match self.sets.iter().find(|(known, _)| known == base) {
                    Some((_, known)) => *known == value,
                    None => {
                        self.sets.push((*base, value));
                        true
                    }
                }
            }
            Effect::Each { slot, domain, effect } => self.each(view, *slot, domain, effect, f),
        }
    }

    /// One memory cannot take two values.
    #[inline]
    fn write(&mut self, cell: u16, value: i64) -> bool {
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

    fn each(&mut self, view: &View<'_, W>, slot: u16, domain: &Domain, effect: &Effect, f: &mut Frame<W>) -> bool {
        // One number for the entries of many sites.
        if let Domain::Sites(sites) = domain
            && let Effect::Set { base, count, index: Some(Int::Slot(index)), value: Int::Const(value), range, guard } =
                effect
            && *index == slot
            && *guard == Test::Const(true)
        {
            let fits = range.is_none_or(|(low, high)| (low..=high).contains(value));
            let mut entries = view.sets(sites, f).iter().map(|site| site as u16);
            return entries.all(|entry| fits && entry < *count && self.write(base.saturating_add(entry), *value));
        }
        if let (Domain::Sites(sites), true) = (domain, view.engine.reordered) {
            // Which piece is the first one placed is told by the order of the sites.
            let layout = &view.engine.program.layout;
            let sites = layout.sites_at(view.sets(sites, f).to_sites());
            return sites.iter().all(|site| {
                f.bind(slot, layout.position(site) as i64);
                self.add(view, effect, f)
            });
        }
        view.members(slot, domain, f, |f| self.add(view, effect, f))
    }

    /// Two different pieces cannot arrive on one site.
    #[inline]
    fn arrive(&mut self, sites: Set<W>, plane: u8) -> bool {
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
    pub fn commit(&self, engine: &Core<W>, state: &mut State<W>) {
        let zobrist = engine.zobrist.as_ref();
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
            Quick::No => self.commit_all(engine, state),
        }
    }

    fn commit_all(&self, engine: &Core<W>, state: &mut State<W>) {
        let zobrist = engine.zobrist.as_ref();
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

#[inline]
fn plane(number: i64) -> Option<u8> {
    u8::try_from(number).ok()
}

#[inline]
fn moved<const W: usize>(
    view: &View<'_, W>,
    from: &Int,
    to: &Int,
    piece: Option<&Int>,
    f: &mut Frame<W>,
) -> Option<(usize, usize, u8)> {
    let from = usize::try_from(view.int(from, f)).ok()?;
    let to = usize::try_from(view.int(to, f)).ok()?;
    let plane = match piece {
        None => view.now.contents.get(from).copied()?,
        Some(piece) => plane(view.int(piece, f))?,
    };
    Some((from, to, plane))
}

/// The cell and its value; a number outside the range of what is tracked makes the move unlawful.
#[inline]
fn set<const W: usize>(
    view: &View<'_, W>,
    base: u16,
    count: u16,
    index: Option<&Int>,
    value: &Int,
    range: Option<(i64, i64)>,
    f: &mut Frame<W>,
) -> Option<(u16, i64)> {
    let offset = match index {
        None => 0,
        Some(index) => u16::try_from(view.int(index, f)).ok().filter(|offset| *offset < count)?,
    };
    let value = view.int(value, f);
    if let Some((low, high)) = range
        && (value == NONE || value < low || value > high)
    {
        return None;
    }
    Some((base.checked_add(offset)?, value))
}

#[cfg(test)]
mod tests {
    use super::*;

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
