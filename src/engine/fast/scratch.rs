//! Room to work in, and who else may list plies.

use super::changes::Changes;
use super::eval::{Core, Frame};
use super::found::Found;
use super::plies::Ply;
use super::set::Set;
use super::state::State;
use super::tries::{Drawn, Draws, Tries};
use crate::program::Program;
use crate::program::ir::NONE;

/// What lists plies faster than instructions are interpreted: machine code.
pub trait Lister<const W: usize>: Send + Sync + std::fmt::Debug {
    /// Lists all plies of the only place of a state one by one; false where it has no code for them.
    fn list_all<'p>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
    ) -> bool;

    /// Writes down how many candidates each call has to draw from, up to the first that it has no code for; how many it has
    /// code for.
    fn weigh<'p>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        scratch: &mut Scratch<'p, W>,
        open: &mut [(u16, u64)],
    ) -> usize;

    /// Draws candidates until one is a ply, which is written down, or one is of a call that it has no code for.
    fn draw<'p>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        scratch: &mut Scratch<'p, W>,
        tries: &mut Tries<'_>,
        draws: &mut Draws,
        ply: &mut Ply,
    ) -> Drawn;

    /// Whether a condition in the turn of the player to move holds; none where it has no code for that.
    fn is_open<'p>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        scratch: &mut Scratch<'p, W>,
        guard: u16,
    ) -> Option<bool>;

    /// The ply with a number among those that it has listed.
    fn ply<'p>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        found: &Found<'p, W>,
        scratch: &mut Scratch<'p, W>,
        index: usize,
    ) -> Option<Ply>;

    /// What the ply with a number is called in other positions too, of those that it has listed for a game.
    fn key<'p>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        found: &Found<'p, W>,
        scratch: &mut Scratch<'p, W>,
        index: usize,
    ) -> Option<u64>;

    /// Adds what all of these are called, in the order of their numbers.
    fn keys(&self, core: &Core<W>, state: &State<W>, found: &Found<'_, W>, frame: &mut Frame<W>, keys: &mut Vec<u64>);

    /// Plays a legal ply of a state on a copy of it; false where it has no code for that, and the copy is as it was.
    fn play_ahead<'p>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        ply: &Ply,
        copy: &mut State<W>,
        scratch: &mut Scratch<'p, W>,
    ) -> bool;

    /// Whether the turn can be finished after a ply that leads where its call says; none where it has no code for that.
    fn finishes<'p>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        ply: &Ply,
        scratch: &mut Scratch<'p, W>,
    ) -> Option<bool>;

    /// Whether it can play every ply that has been listed for a state.
    fn plays(&self, state: &State<W>, found: &Found<'_, W>) -> bool;
}

/// What was drawn.
#[derive(Clone, Debug)]
pub enum Candidate {
    Ply(Ply),
    /// A test of the rules fails.
    Fails,
    /// There are not so many candidates: more were counted than there can be, since that is quicker.
    Missing,
}

/// Room to work in, kept from ply to ply so that nothing is allocated while a game is played.
#[derive(Debug)]
pub struct Scratch<'p, const W: usize> {
    pub frame: Frame<W>,
    pub(super) path: Vec<u16>,
    /// Halves of hashes of how plies print, with their numbers.
    pub(super) prints: Vec<u64>,
    // In boxes, so that none is moved about when it is lent.
    #[allow(clippy::vec_box)]
    states: Vec<Box<State<W>>>,
    changes: Vec<Changes<W>>,
    /// Copies of states on which machine code tries something.
    pub(super) trials: Trials<W>,
    pub(super) turn: Kept<W>,
    /// Moves ask for earlier positions.
    recalls: bool,
    /// Lists of plies to be used again.
    // In boxes for the same reason.
    #[allow(clippy::vec_box)]
    lists: Vec<Box<Found<'p, W>>>,
    /// Calls to draw from, with how many candidates each has.
    pub(super) open: Vec<(u16, u64)>,
    /// The numbers of plies that have not been looked at.
    pub(super) order: Vec<usize>,
    /// What machine code writes a ply into that was drawn.
    pub(super) record: Vec<u64>,
    /// Plies that turns were finished with.
    pub(super) finishers: Finishers,
    /// In a random game, whose plies may be drawn without being listed.
    pub(super) draws: Option<Box<Draws>>,
    /// Machine code that lists plies.
    pub native: Option<&'p dyn Lister<W>>,
}

/// Copies of states, each of which lies where it is as long as it is lent.
#[derive(Debug)]
pub struct Trials<const W: usize> {
    // In boxes, so that a further one moves none of them.
    #[allow(clippy::vec_box)]
    copies: Vec<Box<State<W>>>,
    lent: usize,
}

impl<const W: usize> Default for Trials<W> {
    fn default() -> Self {
        Self { copies: Vec::new(), lent: 0 }
    }
}

impl<const W: usize> Trials<W> {
    /// A copy of a state, which knows of no earlier positions; those that are lent already stay as they are.
    pub fn lend(&mut self, state: &State<W>) -> &mut State<W> {
        let at = self.lent;
        self.lent += 1;
        if at == self.copies.len() {
            self.copies.push(Box::new(state.without_history()));
        }
        let copy = &mut self.copies[at];
        copy.follow(state);
        copy
    }

    /// The copy that was lent last is needed no longer.
    pub fn take_back(&mut self) {
        self.lent = self.lent.saturating_sub(1);
    }
}

/// So many plies that have finished turns are remembered.
const REMEMBERED: usize = 6;

/// Plies that turns could be finished with, the last one first. They speed up the search and decide nothing.
#[derive(Debug, Default)]
pub(super) struct Finishers {
    plies: Vec<Ply>,
}

impl Finishers {
    pub fn len(&self) -> usize {
        self.plies.len()
    }

    pub fn get(&self, at: usize) -> Option<&Ply> {
        self.plies.get(at)
    }

    pub fn note(&mut self, ply: Ply) {
        match self.plies.iter().position(|known| *known == ply) {
            Some(at) => {
                let known = self.plies.remove(at);
                self.plies.insert(0, known);
            }
            None => {
                self.plies.truncate(REMEMBERED - 1);
                self.plies.insert(0, ply);
            }
        }
    }
}

impl<'p, const W: usize> Scratch<'p, W> {
    #[must_use]
    pub fn new(program: &Program) -> Self {
        Self {
            frame: Frame::new(program),
            path: Vec::new(),
            prints: Vec::new(),
            states: Vec::new(),
            changes: Vec::new(),
            trials: Trials::default(),
            turn: Kept::default(),
            recalls: program.recalls,
            lists: Vec::new(),
            open: Vec::new(),
            order: Vec::new(),
            record: Vec::new(),
            finishers: Finishers::default(),
            draws: None,
            native: None,
        }
    }

    /// A copy of a state within a move, to be given back: the view of the move has the earlier positions.
    pub(super) fn stage(&mut self, like: &State<W>) -> Box<State<W>> {
        match self.states.pop() {
            Some(mut state) => {
                state.follow(like);
                state
            }
            None => Box::new(like.without_history()),
        }
    }

    /// A copy of a state, to be given back; with its earlier positions where moves ask for these.
    pub(super) fn state(&mut self, like: &State<W>) -> Box<State<W>> {
        let mut state = self.stage(like);
        if self.recalls {
            state.seen.clone_from(&like.seen);
        }
        state
    }

    pub(super) fn give_back(&mut self, state: Box<State<W>>) {
        self.states.push(state);
    }

    /// An empty list of plies, to be given back.
    pub(super) fn list(&mut self) -> Box<Found<'p, W>> {
        let mut found = self.lists.pop().unwrap_or_default();
        found.clear();
        found
    }

    pub(super) fn give_back_list(&mut self, found: Box<Found<'p, W>>) {
        self.lists.push(found);
    }

    pub(super) fn changes(&mut self) -> Changes<W> {
        self.changes.pop().unwrap_or_default()
    }

    pub(super) fn keep(&mut self, changes: Changes<W>) {
        self.changes.push(changes);
    }
}

/// What is remembered for one turn only, while the next one has already begun.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept<const W: usize> {
    cells: Vec<i64>,
    sets: Vec<Set<W>>,
}

impl<const W: usize> Kept<W> {
    #[inline]
    pub fn keep(&mut self, core: &Core<W>, state: &State<W>) {
        self.cells.clear();
        self.cells.extend(core.turn_cells.iter().map(|at| state.cells.get(usize::from(*at)).copied().unwrap_or(NONE)));
        self.sets.clear();
        self.sets.extend(core.turn_sets.iter().map(|at| state.sets.get(usize::from(*at)).copied().unwrap_or_default()));
    }

    /// Back into the state, and what stood there is kept.
    #[inline]
    pub fn exchange(&mut self, core: &Core<W>, state: &mut State<W>) {
        for (kept, at) in self.cells.iter_mut().zip(&core.turn_cells) {
            if let Some(cell) = state.cells.get_mut(usize::from(*at)) {
                std::mem::swap(kept, cell);
            }
        }
        for (kept, at) in self.sets.iter_mut().zip(&core.turn_sets) {
            if let Some(set) = state.sets.get_mut(usize::from(*at)) {
                std::mem::swap(kept, set);
            }
        }
    }
}
