//! What is lent to machine code, and how much room it is given.

use crate::engine::fast::eval::Core;
use crate::engine::fast::found::Found;
use crate::engine::fast::scratch::Scratch;
use crate::engine::fast::set::Set;
use crate::engine::fast::state::State;

/// What is remembered for one turn only, while the next one has already begun; and a state at the beginning of a move.
#[derive(Clone, Debug)]
pub struct Spare<const W: usize> {
    pub(super) before: State<W>,
    pub(super) cells: Vec<i64>,
    pub(super) sets: Vec<Set<W>>,
}

impl<const W: usize> Spare<W> {
    pub fn new(core: &Core<W>) -> Self {
        Self {
            before: State::empty(core.geometry.all, core.program.layout.positions, &core.program),
            cells: vec![0; core.turn_cells.len().max(1)],
            sets: vec![Set::EMPTY; core.turn_sets.len().max(1)],
        }
    }
}

impl<const W: usize> Spare<W> {
    /// What is remembered for one turn only is again what was kept.
    pub(super) fn put_back(&self, core: &Core<W>, state: &mut State<W>) {
        for (kept, at) in self.cells.iter().zip(&core.turn_cells) {
            if let Some(cell) = state.cells.get_mut(usize::from(*at)) {
                *cell = *kept;
            }
        }
        for (kept, at) in self.sets.iter().zip(&core.turn_sets) {
            if let Some(set) = state.sets.get_mut(usize::from(*at)) {
                *set = *kept;
            }
        }
    }
}

/// A game in progress, lent to machine code.
pub struct Lent<'a, 'p, const W: usize> {
    pub core: &'p Core<W>,
    pub state: &'a mut State<W>,
    pub scratch: &'a mut Scratch<'p, W>,
    pub found: &'a mut Found<'p, W>,
    pub spare: &'a mut Spare<W>,
}

/// How much room the records need, whatever is listed.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// The words of a record.
    pub stride: usize,
    /// Records that may be written without asking for room.
    pub slack: usize,
}
