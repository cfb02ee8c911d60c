//! Evaluates the instructions of a program on a state.

use super::changes::Changes;
use super::ends::certain;
use super::geometry::Geometry;
use super::names::{name_of, part_of};
use super::rings::Rings;
use super::seen::Seen;
use super::set::Set;
use super::state::{State, Zobrist, mix};
use super::urn::Urn;
use crate::board::Direction;
use crate::engine::Over;
use crate::engine::shunned::Surroundings;
use crate::program::ir::{Int, Kept, NONE, Sets, When};
use crate::program::{ForMover, MemoryInfo, Program};
use crate::rules::{MoveId, Repetition, Rules, Span};
use std::any::Any;
use std::sync::{Arc, OnceLock};

mod conditions;
mod effects;
pub(super) mod numbers;
mod sets;
mod stacks;
mod sum;
mod words;

/// What is asked of a state: whether the pattern at a node of the turn can be played to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    pub place: u16,
    /// By the next player, as if the turn were over.
    pub answers: bool,
}

/// Answers that, of a state and the positions before it.
pub type Possible<const W: usize> = fn(&Core<W>, &State<W>, &Seen, Asked) -> bool;

/// Everything that stays the same while a game is played.
#[derive(Clone, Debug)]
pub struct Core<const W: usize> {
    pub geometry: Geometry<W>,
    pub program: Arc<Program>,
    pub rules: Arc<Rules>,
    /// What plies of random games are drawn from.
    pub(super) urn: Arc<Urn>,
    /// Only for games that ask about repetition.
    pub zobrist: Option<Zobrist>,
    /// What lists and judges plies by machine code, once there is some: only the machinery of turns knows its type.
    pub(super) lister: OnceLock<Arc<dyn Any + Send + Sync>>,
    /// The machinery of turns, which the evaluation itself knows nothing of.
    pub possible: Possible<W>,
    /// How many steps the search for the rest of a turn may take in one ply.
    pub steps: u64,
    /// The place of the turn in the text.
    pub(super) turn: Span,
    /// A bit for every plane.
    pub(super) every_plane: u64,
    pub(super) owner_of: Vec<i64>,
    pub(super) kind_of: Vec<i64>,
    /// The planes of each player's, and of each kind's, pieces.
    pub(super) planes_of_owner: Vec<u64>,
    pub(super) planes_of_kind: Vec<u64>,
    /// What comes of the lines of `end`, where that is certain.
    pub(super) ends: Vec<Vec<Option<Over>>>,
    /// What lies around each site.
    pub(super) rings: Rings,
    /// What plies are called that name a site and nothing else, but for the site.
    names_of_sites: Vec<u64>,
    /// What the player to move adds to a hash.
    key_of_mover: Vec<u64>,
    /// What tells the cells of stacks apart in a hash, as [`hash_of_cell`] does.
    key_of_stack: Vec<u64>,
    /// Two at a time, each with a number of its own for hashes.
    counted_cells: Vec<[(u16, u64); 2]>,
    counted_sets: Vec<u16>,
    /// What is remembered for one turn only.
    pub(super) turn_cells: Vec<u16>,
    pub(super) turn_sets: Vec<u16>,
    /// Positions ascend otherwise than sites do, as on some circles.
    pub(super) reordered: bool,
}

impl<const W: usize> Core<W> {
    #[must_use]
    pub fn new(
        geometry: Geometry<W>,
        program: Arc<Program>,
        rules: Arc<Rules>,
        possible: Possible<W>,
        steps: u64,
    ) -> Self {
        let count = program.planes.len().min(64);
        let every_plane = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
        let owner_of: Vec<i64> =
            program.planes.iter().map(|piece| piece.owner().map_or(NONE, |owner| i64::from(owner.0))).collect();
        let kind_of: Vec<i64> =
            program.planes.iter().map(|piece| piece.kind().map_or(NONE, |kind| i64::from(kind.0))).collect();
        let holding = |list: &[i64], wanted: usize| {
            let fits = list.iter().take(64).enumerate().filter(|(_, member)| **member == wanted as i64);
            fits.fold(0u64, |all, (plane, _)| all | 1 << plane)
        };
        let planes_of_owner = (0..rules.players.len()).map(|player| holding(&owner_of, player)).collect();
        let planes_of_kind = (0..rules.kinds.len()).map(|kind| holding(&kind_of, kind)).collect();
        let turn = rules.turns.first().map_or_else(Span::default, |turn| turn.span);
        let places = |sites: bool, wanted: fn(&MemoryInfo) -> bool| {
            let fits = program.memories.iter().filter(move |memory| wanted(memory) && memory.sites == sites);
            fits.flat_map(|memory| memory.base..memory.base.saturating_add(memory.count)).collect::<Vec<u16>>()
        };
        Self {
            every_plane,
            planes_of_owner,
            planes_of_kind,
            key_of_mover: (0..rules.players.len() as u64).map(mix).collect(),
            key_of_stack: program.stacks.map_or_else(Vec::new, |stacks| {
                (stacks.base..stacks.base.saturating_add(stacks.count)).map(|cell| mix(u64::from(cell))).collect()
            }),
            counted_cells: in_pairs(&places(false, |memory| memory.counted)),
            counted_sets: places(true, |memory| memory.counted),
            turn_cells: places(false, |memory| memory.each_turn),
            turn_sets: places(true, |memory| memory.each_turn),
            reordered: !program.layout.ascends(&rules.board),
            zobrist: program
                .repetition
                .any()
                .then(|| Zobrist::new(program.layout.positions, program.planes.len().max(1))),
            urn: Arc::new(Urn::of(&program, &geometry)),
            ends: certain(&program),
            rings: Rings::of(&geometry, &rules.board),
            names_of_sites: names_of_sites(&program),
            lister: OnceLock::new(),
            owner_of,
            kind_of,
            geometry,
            program,
            rules,
            possible,
            steps,
            turn,
        }
    }

    /// What there is for the player to move.
    pub(super) fn own(&self, state: &State<W>) -> &ForMover {
        &self.program.by_mover[usize::from(state.mover).min(self.program.by_mover.len() - 1)]
    }

    /// What tells whether a position has come up before with this player to move, or with `alone` its board.
    #[must_use]
    pub fn sign(&self, state: &State<W>, mover: u8, alone: bool) -> u64 {
        let board = self.board_hash(state);
        if alone { board } else { self.position_hash(board, state, mover) }
    }

    /// The position is one of those that were, as far as rules ask for them: how often it has come up, and its board.
    pub fn remember(&self, state: &mut State<W>) -> [u32; 2] {
        let Repetition { positions, boards } = self.program.repetition;
        let [position, board] = [(positions, false), (boards, true)]
            .map(|(asked, alone)| asked.then(|| self.sign(state, state.mover, alone)));
        state.seen.push(position, board)
    }

    /// The only site that the ply with a key names, where that is all it names.
    #[inline]
    pub fn site_of(&self, key: u64) -> Option<usize> {
        let site =
            |name: &u64| usize::try_from(part_of(*name, key)).ok().filter(|site| *site < self.geometry.positions);
        self.names_of_sites.iter().find_map(site)
    }

    /// What stands around a position, for the player to move.
    #[inline]
    pub fn surroundings(&self, state: &State<W>, mv: MoveId, at: usize) -> Option<Surroundings> {
        let around = *self.geometry.neighbours.get(at)?;
        let own = self.planes_of_owner.get(usize::from(state.mover)).copied().unwrap_or(0);
        let [own, empty] = [joined(state, own), state.plane(0)].map(|set| (set & around).len());
        Some(Surroundings::of(mv, own, around.len().saturating_sub(own + empty), empty))
    }

    /// Pieces alone, those beneath others included.
    fn board_hash(&self, state: &State<W>) -> u64 {
        let Some(stacks) = self.program.stacks else { return state.board_hash };
        let cells = usize::from(stacks.base)..usize::from(stacks.base.saturating_add(stacks.count));
        let values = state.cells.get(cells).unwrap_or_default().iter().zip(&self.key_of_stack);
        let covered = values.filter(|(value, _)| **value != 0);
        covered.fold(state.board_hash, |hash, (value, key)| hash ^ mix(key ^ value.cast_unsigned()))
    }

    /// Pieces, tracked values that outlast a turn, and the player to move.
    fn position_hash(&self, board: u64, state: &State<W>, mover: u8) -> u64 {
        let key = self.key_of_mover.get(usize::from(mover)).copied().unwrap_or(0);
        let mut hash = mix(board ^ key);
        for pair in &self.counted_cells {
            let [one, other] = pair
                .map(|(cell, key)| key ^ state.cells.get(usize::from(cell)).copied().unwrap_or(NONE).cast_unsigned());
            hash ^= folded(one, other);
        }
        for index in &self.counted_sets {
            let set = state.sets.get(usize::from(*index)).copied().unwrap_or(Set::EMPTY);
            for word in set.0 {
                hash = mix(hash ^ word);
            }
        }
        hash
    }

    /// The union of planes; where most are asked for, all sites without the others.
    #[inline]
    fn planes(&self, state: &State<W>, mask: u64) -> Set<W> {
        let others = self.every_plane & !mask;
        if others.count_ones() < mask.count_ones() {
            self.geometry.all - joined(state, others)
        } else {
            joined(state, mask)
        }
    }
}

/// What a cell adds to a hash: nothing where it is 0, as most cells are of those kept for each site.
#[inline]
pub(super) fn hash_of_cell(cell: usize, value: i64) -> u64 {
    if value == 0 { 0 } else { mix(mix(cell as u64) ^ value.cast_unsigned()) }
}

/// What plies are called that name a site and nothing else, but for the site.
fn names_of_sites(program: &Program) -> Vec<u64> {
    let calls = program.by_mover.iter().flat_map(|own| &own.calls);
    let mut names: Vec<u64> = calls.filter(|call| call.only_site.is_some()).map(name_of).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Cells two at a time, the last one with itself where their number is odd; both numbers of a pair are its own.
fn in_pairs(cells: &[u16]) -> Vec<[(u16, u64); 2]> {
    let pair = |(at, pair): (usize, &[u16])| {
        let keys = [2 * at as u64, 2 * at as u64 + 1].map(mix);
        let cell = |which: usize| pair.get(which).or(pair.first()).copied().unwrap_or(0);
        [(cell(0), keys[0]), (cell(1), keys[1])]
    };
    cells.chunks(2).enumerate().map(pair).collect()
}

/// Both halves of a product as one number: a hash of two numbers that takes one multiplication, and no branch. From Wang Yi's
/// *wyhash*.
#[inline]
fn folded(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

#[inline]
pub(super) fn union_of(planes: &[u64], mask: i64) -> u64 {
    bits(mask).fold(0, |all, index| all | planes.get(index as usize).copied().unwrap_or(0))
}

#[inline]
fn joined<const W: usize>(state: &State<W>, mut mask: u64) -> Set<W> {
    let mut set = Set::EMPTY;
    while mask != 0 {
        set |= state.plane(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
    set
}

/// The members of a set of directions, players or kinds; none of them has more than 32.
#[inline]
pub(super) fn bits(mask: i64) -> impl Iterator<Item = i64> {
    let mut left = mask as u32;
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let lowest = left.trailing_zeros();
        left &= left - 1;
        Some(i64::from(lowest))
    })
}

/// The values of parts, definitions and bound names.
#[derive(Clone, Debug, Default)]
pub struct Frame<const W: usize> {
    pub ints: Vec<i64>,
    pub sets: Vec<Set<W>>,
    /// What tests of changes gather into.
    scratch: Changes<W>,
    /// What was found possible or not, while one state is asked about; none where it may be several.
    answered: Option<Vec<(Asked, bool)>>,
}

impl<const W: usize> Frame<W> {
    #[must_use]
    pub fn new(program: &Program) -> Self {
        Self {
            ints: vec![NONE; program.int_slots],
            sets: vec![Set::EMPTY; program.set_slots],
            scratch: Changes::default(),
            answered: None,
        }
    }

    /// From now on the lines of `end` are read, of one state: what they ask again is not looked for again.
    pub fn begin_lines(&mut self) {
        self.answered = Some(Vec::new());
    }

    pub fn end_lines(&mut self) {
        self.answered = None;
    }

    #[inline]
    #[must_use]
    pub fn int(&self, slot: u16) -> i64 {
        self.ints.get(usize::from(slot)).copied().unwrap_or(NONE)
    }

    #[inline]
    pub fn bind(&mut self, slot: u16, value: i64) {
        if let Some(place) = self.ints.get_mut(usize::from(slot)) {
            *place = value;
        }
    }

    #[inline]
    pub fn bind_sites(&mut self, slot: u16, value: Set<W>) {
        if let Some(place) = self.sets.get_mut(usize::from(slot)) {
            *place = value;
        }
    }
}

/// Where an instruction is read.
#[derive(Debug)]
pub struct View<'a, const W: usize> {
    pub engine: &'a Core<W>,
    pub now: &'a State<W>,
    /// The state at the beginning of the move.
    pub before: &'a State<W>,
    pub mover: u8,
    pub next: u8,
    pub turn: u32,
    pub ply: u32,
    pub stuck: bool,
    pub unfinished: bool,
    /// In `end`: the state in which the next player is to move.
    pub following: Option<&'a State<W>>,
    /// The positions before: a state that a move is tried on knows of none.
    pub history: &'a Seen,
}

impl<const W: usize> Clone for View<'_, W> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<const W: usize> Copy for View<'_, W> {}

#[inline]
fn position(number: i64) -> Option<usize> {
    usize::try_from(number).ok()
}

#[inline]
fn site_or_none(position: Option<usize>) -> i64 {
    position.map_or(NONE, |position| position as i64)
}

/// The direction with this number, or the one that leads back.
#[inline]
fn way(direction: i64, back: bool) -> Option<Direction> {
    let way = usize::try_from(direction).ok().and_then(Direction::from_index)?;
    Some(if back { way.opposite() } else { way })
}

/// A direction that is part of an instruction, which always has one of the sixteen numbers.
#[inline]
fn fixed(direction: u8) -> Direction {
    Direction::from_index(usize::from(direction)).unwrap_or(Direction::N)
}

#[inline]
fn present(number: Option<i64>) -> i64 {
    number.unwrap_or(NONE)
}

impl<'a, const W: usize> View<'a, W> {
    #[inline]
    #[must_use]
    pub fn of(engine: &'a Core<W>, state: &'a State<W>) -> Self {
        Self {
            engine,
            now: state,
            before: state,
            mover: state.mover,
            next: state.next,
            turn: state.turn,
            ply: state.ply,
            stuck: false,
            unfinished: false,
            following: None,
            history: &state.seen,
        }
    }

    /// The same move, further on.
    #[inline]
    #[must_use]
    pub fn at(self, state: &'a State<W>) -> Self {
        Self { now: state, ..self }
    }

    /// Keeps a number in a slot of the frame.
    #[inline]
    pub(super) fn define(&self, slot: u16, value: &Int, f: &mut Frame<W>) {
        let value = self.int(value, f);
        f.bind(slot, value);
    }

    #[inline]
    pub(super) fn define_sites(&self, slot: u16, value: &Sets, f: &mut Frame<W>) {
        let value = self.sets(value, f);
        f.bind_sites(slot, value);
    }

    /// Works out what is kept in a slot.
    #[inline]
    pub(super) fn keep(&self, kept: &Kept, f: &mut Frame<W>) {
        match kept {
            Kept::Int(slot, value) => self.define(*slot, value, f),
            Kept::Sets(slot, value) => self.define_sites(*slot, value, f),
        }
    }

    #[inline]
    fn state(&self, when: When) -> &'a State<W> {
        match when {
            When::Now => self.now,
            When::Before => self.before,
        }
    }
}
