//! What changes while a game is played, by plane and by position at once.

use super::seen::Seen;
use super::set::Set;
use crate::program::Program;
use std::cell::Cell;
use std::sync::Arc;

/// The places in a turn that the plies so far lead to; almost always there is only one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    /// The only place, unless there are others.
    pub(super) one: u16,
    others: Option<Arc<[u16]>>,
}

impl Places {
    #[must_use]
    pub fn one(place: u16) -> Self {
        Self { one: place, others: None }
    }

    #[must_use]
    pub fn as_slice(&self) -> &[u16] {
        match &self.others {
            None => std::slice::from_ref(&self.one),
            Some(places) => places,
        }
    }

    /// The place, where it is one.
    #[inline]
    #[must_use]
    pub fn only(&self) -> Option<u16> {
        self.others.is_none().then_some(self.one)
    }
}

impl From<&[u16]> for Places {
    fn from(places: &[u16]) -> Self {
        match places {
            [place] => Places::one(*place),
            _ => Places { one: 0, others: Some(places.into()) },
        }
    }
}

/// A random number for every plane at every position; a board hashes to those of its pieces combined.
#[derive(Clone, Debug)]
pub struct Zobrist {
    pub(super) keys: Vec<u64>,
    pub(super) planes: usize,
}

impl Zobrist {
    #[must_use]
    pub fn new(positions: usize, planes: usize) -> Self {
        let keys = (0..positions * planes)
            // Empty sites count for nothing, so that an empty board hashes to zero.
            .map(|index| if index % planes == 0 { 0 } else { mix(index as u64 + 1) })
            .collect();
        Self { keys, planes }
    }

    #[inline]
    fn key(&self, position: usize, plane: u8) -> u64 {
        self.keys.get(position * self.planes + usize::from(plane)).copied().unwrap_or(0)
    }
}

/// Spreads the bits of a number over a word.
#[must_use]
pub fn mix(number: u64) -> u64 {
    let mut bits = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// The number that [`mix`] has spread: each of its steps can be undone.
#[must_use]
pub fn unmix(bits: u64) -> u64 {
    const BACK: [u64; 3] =
        [inverse(0x94d0_49bb_1331_11eb), inverse(0xbf58_476d_1ce4_e5b9), inverse(0x9e37_79b9_7f4a_7c15)];
    let mut number = (bits ^ (bits >> 31) ^ (bits >> 62)).wrapping_mul(BACK[0]);
    number = (number ^ (number >> 27) ^ (number >> 54)).wrapping_mul(BACK[1]);
    number = number ^ (number >> 30) ^ (number >> 60);
    number.wrapping_sub(0x9e37_79b9_7f4a_7c15).wrapping_mul(BACK[2])
}

/// What gives 1 when it is multiplied with an odd number.
const fn inverse(odd: u64) -> u64 {
    // Each step of Newton's doubles the bits that are right, of which there are three to begin with.
    let (mut inverse, mut right) = (odd, 3);
    while right < u64::BITS {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        right *= 2;
    }
    inverse
}

#[derive(PartialEq, Debug)]
pub struct State<const W: usize> {
    /// Where the pieces of each plane stand; plane 0 is the empty sites.
    pub planes: Vec<Set<W>>,
    /// The plane of the piece at every position.
    pub contents: Vec<u8>,
    pub cells: Vec<i64>,
    pub sets: Vec<Set<W>>,
    /// What floods over pieces that never leave have reached so far, after all these the neighbours of it, and then the
    /// sets of which tests did not hold.
    pub grown: Vec<Cell<Set<W>>>,
    pub mover: u8,
    pub next: u8,
    /// Where in the order of turns.
    pub order: usize,
    /// Turns begun, from 1.
    pub turn: u32,
    /// Plies played.
    pub ply: u32,
    /// Which turn section is in force.
    pub section: usize,
    pub places: Places,
    /// Kept only for games that ask about repetition.
    pub board_hash: u64,
    pub seen: Seen,
}

impl<const W: usize> Clone for State<W> {
    fn clone(&self) -> Self {
        Self { seen: self.seen.clone(), ..self.without_history() }
    }

    /// Reuses the allocations of the old state.
    #[inline]
    fn clone_from(&mut self, other: &Self) {
        self.follow(other);
        self.seen.clone_from(&other.seen);
    }
}

impl<const W: usize> State<W> {
    /// A copy to try something on, which knows of no earlier positions.
    #[must_use]
    pub fn without_history(&self) -> Self {
        Self {
            planes: self.planes.clone(),
            contents: self.contents.clone(),
            cells: self.cells.clone(),
            sets: self.sets.clone(),
            grown: self.grown.clone(),
            mover: self.mover,
            next: self.next,
            order: self.order,
            turn: self.turn,
            ply: self.ply,
            section: self.section,
            places: self.places.clone(),
            board_hash: self.board_hash,
            seen: Seen::default(),
        }
    }

    /// Becomes the same as another state, but for the earlier positions.
    #[inline]
    pub fn follow(&mut self, other: &Self) {
        copy(&mut self.planes, &other.planes);
        copy(&mut self.contents, &other.contents);
        copy(&mut self.cells, &other.cells);
        copy(&mut self.sets, &other.sets);
        if self.grown.len() == other.grown.len() {
            self.grown.iter_mut().zip(&other.grown).for_each(|(own, other)| *own.get_mut() = other.get());
        } else {
            self.grown.clone_from(&other.grown);
        }
        self.mover = other.mover;
        self.next = other.next;
        self.order = other.order;
        self.turn = other.turn;
        self.ply = other.ply;
        self.section = other.section;
        self.places.clone_from(&other.places);
        self.board_hash = other.board_hash;
    }

    /// An empty board of these sites, whose positions end before `positions`.
    #[must_use]
    pub fn empty(all: Set<W>, positions: usize, program: &Program) -> Self {
        let mut state = Self {
            planes: vec![Set::EMPTY; program.planes.len().max(1)],
            // Also for positions that no site has: then no position a word can hold is beyond the end.
            contents: vec![0; positions.next_multiple_of(64).max(64 * W)],
            cells: vec![crate::program::ir::NONE; program.cell_count],
            sets: vec![Set::EMPTY; program.set_count],
            grown: vec![Cell::new(Set::EMPTY); 2 * program.grown + program.failed],
            mover: 0,
            next: 0,
            order: 0,
            turn: 1,
            ply: 0,
            section: 0,
            places: Places::one(0),
            board_hash: 0,
            seen: Seen::default(),
        };
        if let Some(empty) = state.planes.first_mut() {
            *empty = all;
        }
        state
    }

    #[inline]
    #[must_use]
    pub fn plane(&self, plane: usize) -> Set<W> {
        self.planes.get(plane).copied().unwrap_or(Set::EMPTY)
    }

    /// Puts the piece of a plane on a site; the hash follows where it is wanted.
    #[inline]
    pub fn put(&mut self, position: usize, plane: u8, zobrist: Option<&Zobrist>) {
        let Some(place) = self.contents.get_mut(position) else { return };
        let old = std::mem::replace(place, plane);
        if let Some(set) = self.planes.get_mut(usize::from(old)) {
            set.remove(position);
        }
        if let Some(set) = self.planes.get_mut(usize::from(plane)) {
            set.insert(position);
        }
        if let Some(zobrist) = zobrist {
            self.board_hash ^= zobrist.key(position, old) ^ zobrist.key(position, plane);
        }
    }
}

/// Makes a list the same as another. States of one game have lists of the same lengths, which takes no more than to copy them.
#[inline]
fn copy<T: Copy>(to: &mut Vec<T>, from: &[T]) {
    if to.len() == from.len() {
        to.copy_from_slice(from);
    } else {
        to.clear();
        to.extend_from_slice(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mixed_can_be_told_from_what_comes_out() {
        let numbers = (0..64).map(|bit| 1 << bit).chain([0, u64::MAX, 0x1234_5678_9abc_def0]);
        assert!(numbers.into_iter().all(|number: u64| unmix(mix(number)) == number));
    }
}
