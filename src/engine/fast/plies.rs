//! A ply, and plies in a list, four bytes for each part: there may be hundreds, and a player holds several lists of them.

use super::eval::{Frame, View};
use super::state::Places;
use crate::program::MAX_PARTS;
use crate::program::ir::{Int, NONE};

/// One decision: a call of the turn, with the values of the move's parts.
#[derive(Clone, PartialEq, Debug)]
pub struct Ply {
    pub call: u16,
    pub parts: [i64; MAX_PARTS],
    /// Where the turn goes on, where that is more than the call says.
    pub places: Option<Places>,
}

impl Ply {
    /// Works out the parts that are functions of the others.
    pub(super) fn derive<const W: usize>(&mut self, derived: &[(u16, Int)], view: &View<'_, W>, frame: &mut Frame<W>) {
        if derived.is_empty() {
            return;
        }
        bind(frame, &self.parts);
        for (slot, int) in derived {
            let value = view.int(int, frame);
            frame.bind(*slot, value);
            if let Some(part) = self.parts.get_mut(usize::from(*slot)) {
                *part = value;
            }
        }
    }
}

/// The slots of parts come first in the frame.
#[inline]
pub(super) fn bind<const W: usize>(frame: &mut Frame<W>, parts: &[i64; MAX_PARTS]) {
    if let Some(slots) = frame.ints.first_chunk_mut() {
        *slots = *parts;
    }
}

/// Stands for a part that is missing, and for one that is too large for its place.
const MISSING: i32 = i32::MIN;
const LARGE: i32 = i32::MIN + 1;

/// Room for so many plies at least is made at a time.
const ROWS: usize = 16;

/// Plies one after the other.
#[derive(Debug, Default)]
pub struct Plies {
    /// For every ply its call and its parts.
    rows: Vec<i32>,
    /// How many parts a ply can have in this game.
    parts: usize,
    /// Parts that need more than four bytes, by their place among all, ascending.
    large: Vec<(u32, i64)>,
    /// Where the turn goes on, where that is more than the call says; by the number of the ply, ascending.
    places: Vec<(u32, Places)>,
}

impl Clone for Plies {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Reuses the room of the old list.
    #[inline]
    fn clone_from(&mut self, other: &Self) {
        self.parts = other.parts;
        self.rows.clone_from(&other.rows);
        self.large.clone_from(&other.large);
        self.places.clone_from(&other.places);
    }
}

impl Plies {
    #[inline]
    pub fn clear(&mut self) {
        self.rows.clear();
        self.large.clear();
        self.places.clear();
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len() / (self.parts + 1)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a ply; in a game with so many parts at most, which is the same for all plies of a list.
    pub fn push(&mut self, ply: &Ply, parts: usize) {
        self.parts = parts;
        if self.rows.capacity() - self.rows.len() <= parts {
            // By half instead of twice: several lists may be long at the same time.
            self.rows.reserve_exact((self.rows.len() / 2).max(ROWS * (parts + 1)));
        }
        if let Some(places) = &ply.places {
            self.places.push((self.len() as u32, places.clone()));
        }
        self.rows.push(i32::from(ply.call));
        for part in ply.parts.iter().take(parts) {
            let place = self.rows.len() as u32;
            self.rows.push(match i32::try_from(*part) {
                _ if *part == NONE => MISSING,
                Ok(part) if part > LARGE => part,
                _ => {
                    self.large.push((place, *part));
                    LARGE
                }
            });
        }
    }

    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Ply> {
        let start = index.checked_mul(self.parts + 1)?;
        let (call, row) = self.rows.get(start..start + self.parts + 1)?.split_first()?;
        let mut parts = [NONE; MAX_PARTS];
        for (part, known) in parts.iter_mut().zip(row) {
            *part = if *known == MISSING { NONE } else { i64::from(*known) };
        }
        if !self.large.is_empty() {
            for (at, part) in parts.iter_mut().enumerate().filter(|(_, part)| **part == i64::from(LARGE)) {
                *part = self.large_at((start + 1 + at) as u32)?;
            }
        }
        let places = if self.places.is_empty() { None } else { self.places_at(index as u32) };
        Some(Ply { call: u16::try_from(*call).ok()?, parts, places })
    }

    /// The turn goes on after every ply as its call says.
    #[must_use]
    pub fn go_on_as_calls_say(&self) -> bool {
        self.places.is_empty()
    }

    pub fn calls(&self) -> impl Iterator<Item = u16> + '_ {
        self.rows.iter().step_by(self.parts + 1).map(|call| u16::try_from(*call).unwrap_or(u16::MAX))
    }

    /// The call of a ply.
    #[inline]
    #[must_use]
    pub fn call(&self, index: usize) -> Option<u16> {
        u16::try_from(*self.rows.get(index.checked_mul(self.parts + 1)?)?).ok()
    }

    fn places_at(&self, index: u32) -> Option<Places> {
        let at = self.places.binary_search_by_key(&index, |(at, _)| *at).ok()?;
        self.places.get(at).map(|(_, places)| places.clone())
    }

    fn large_at(&self, place: u32) -> Option<i64> {
        let at = self.large.binary_search_by_key(&place, |(at, _)| *at).ok()?;
        self.large.get(at).map(|(_, part)| *part)
    }

    pub fn iter(&self) -> impl Iterator<Item = Ply> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// Where the turn goes on after a ply, instead of what was known.
    pub fn set_places(&mut self, index: usize, places: Places) {
        let index = index as u32;
        match self.places.binary_search_by_key(&index, |(at, _)| *at) {
            Ok(at) => self.places[at].1 = places,
            Err(at) => self.places.insert(at, (index, places)),
        }
    }

    /// Takes plies out by their numbers, none of which stands twice.
    pub fn remove(&mut self, mut gone: Vec<u32>) {
        if gone.is_empty() {
            return;
        }
        gone.sort_unstable();
        let mut gone = gone.into_iter().peekable();
        self.retain(|index| gone.next_if(|at| usize::try_from(*at) == Ok(index)).is_none());
    }

    /// Keeps the plies whose numbers are wanted, in their order.
    pub fn retain(&mut self, mut wanted: impl FnMut(usize) -> bool) {
        let width = self.parts + 1;
        if self.large.is_empty() && self.places.is_empty() {
            let mut kept = 0;
            for index in 0..self.len() {
                if wanted(index) {
                    self.rows.copy_within(index * width..(index + 1) * width, kept * width);
                    kept += 1;
                }
            }
            return self.rows.truncate(kept * width);
        }
        let all = std::mem::take(self);
        for index in (0..all.len()).filter(|index| wanted(*index)) {
            if let Some(ply) = all.get(index) {
                self.push(&ply, all.parts);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plies() -> Vec<Ply> {
        let values =
            [NONE, 0, 7, -1, i64::from(i32::MAX), i64::from(i32::MIN), i64::from(i32::MIN) + 1, 1 << 40, -(1 << 40)];
        let parts = |at: usize| {
            let mut parts = [NONE; MAX_PARTS];
            (0..3).for_each(|part| parts[part] = values[(at + part * 2) % values.len()]);
            parts
        };
        let places = |at: usize| (at % 4 == 1).then(|| Places::from(&[at as u16, 3][..]));
        (0..40).map(|at| Ply { call: at as u16 % 5, parts: parts(at), places: places(at) }).collect()
    }

    #[test]
    fn plies_come_out_as_they_went_in() {
        let mut list = Plies::default();
        for ply in plies() {
            list.push(&ply, 3);
        }
        assert_eq!(list.iter().collect::<Vec<_>>(), plies());
        assert_eq!(list.get(40), None);
        assert_eq!(list.clone().iter().collect::<Vec<_>>(), plies());
    }

    #[test]
    fn plies_are_taken_out_by_their_numbers_in_any_order() {
        let mut list = Plies::default();
        plies().iter().for_each(|ply| list.push(ply, 3));
        list.remove(vec![7, 0, 39]);
        let expected: Vec<Ply> =
            plies().into_iter().enumerate().filter(|(at, _)| ![0, 7, 39].contains(at)).map(|(_, ply)| ply).collect();
        assert_eq!(list.iter().collect::<Vec<_>>(), expected);
        list.remove(Vec::new());
        assert_eq!(list.len(), expected.len());
    }

    #[test]
    fn what_is_not_wanted_goes_with_all_that_belongs_to_it() {
        for rich in [true, false] {
            let mut expected = plies();
            if !rich {
                expected.iter_mut().for_each(|ply| {
                    ply.places = None;
                    ply.parts = ply.parts.map(|part| if part == NONE { NONE } else { part.clamp(-9, 9) });
                });
            }
            let mut list = Plies::default();
            expected.iter().for_each(|ply| list.push(ply, 3));
            list.set_places(6, Places::one(9));
            expected[6].places = Some(Places::one(9));
            if !rich {
                list.places.clear();
                expected[6].places = None;
            }
            list.retain(|index| index % 3 != 1);
            let expected: Vec<Ply> =
                expected.into_iter().enumerate().filter(|(at, _)| at % 3 != 1).map(|(_, ply)| ply).collect();
            assert_eq!(list.iter().collect::<Vec<_>>(), expected);
            assert_eq!(list.len(), expected.len());
            list.clear();
            assert!(list.is_empty());
        }
    }
}
