//! A position with its legal plies, as whoever chooses one of them may look at it while a game is played on.

use super::eval::Core;
use super::found::{COUNT, Found, KIND, SET};
use super::plies::Ply;
use super::rings::MOST_AROUND;
use super::scratch::Scratch;
use super::set::Set;
use super::state::State;

/// What stands in front of whoever chooses a ply.
pub struct Facing<'a, 'p, const W: usize> {
    pub core: &'p Core<W>,
    pub state: &'a State<W>,
    pub found: &'a Found<'p, W>,
    pub scratch: &'a mut Scratch<'p, W>,
    /// How machine code has listed the plies; none where the host has.
    pub listed: Option<Listed<'a>>,
}

/// Plies listed in records.
#[derive(Clone, Copy)]
pub struct Listed<'a> {
    /// The words of a record.
    pub stride: usize,
    /// What plies of each kind are called but for the part in which those of a record differ, where they have no other.
    pub names: &'a [Option<u64>],
}

/// Which of the sites around one are what, a bit each, clockwise.
#[derive(Clone, Copy)]
struct Around {
    own: u32,
    empty: u32,
    /// Where there is no site.
    outside: u32,
    /// How many there are.
    sites: usize,
}

impl Around {
    /// The empty ones between two own pieces, or between one and the edge.
    fn between(self) -> u32 {
        let Self { own, empty, outside, sites } = self;
        let last = sites.saturating_sub(1);
        // What is on the bits before and behind.
        let (before, behind) = (|set: u32| set << 1 | set >> last, |set: u32| set >> 1 | set << last);
        empty & (before(own) & behind(own | outside) | before(outside) & behind(own))
    }
}

/// Who chooses the plies of a game.
pub trait Chooser<const W: usize> {
    /// The number of one of so many plies.
    fn choose(&mut self, count: usize, facing: Facing<'_, '_, W>) -> usize;

    /// The chosen ply was played by machine code: the part in which it differs from others listed with it, where there is one.
    #[inline]
    fn played(&mut self, _varied: i64) {}
}

impl<F: FnMut(usize, Facing<'_, '_, W>) -> usize, const W: usize> Chooser<W> for F {
    #[inline]
    fn choose(&mut self, count: usize, facing: Facing<'_, '_, W>) -> usize {
        self(count, facing)
    }
}

/// The ply with a number, whatever there is.
pub struct Number(pub usize);

impl<const W: usize> Chooser<W> for Number {
    #[inline]
    fn choose(&mut self, _: usize, _: Facing<'_, '_, W>) -> usize {
        self.0
    }
}

impl<const W: usize> Facing<'_, '_, W> {
    /// The seat of the player to move.
    #[inline]
    pub fn seat(&self) -> u8 {
        u8::try_from(self.core.seat(self.state, usize::from(self.state.mover))).unwrap_or(u8::MAX)
    }

    /// One of so many plies of a random game: the one that was drawn, or else any.
    #[inline]
    pub fn drawn(&mut self, count: usize) -> usize {
        #[cfg(test)]
        self.assert_legal();
        if self.scratch.draws.as_ref().is_some_and(|draws| draws.vain)
            && self.first().is_some_and(|ply| self.core.is_of_another_way(self.state, &ply))
            && let Some(draws) = &mut self.scratch.draws
        {
            draws.vain = false;
        }
        self.scratch.draws.as_mut().map_or(0, |draws| draws.choose(count))
    }

    /// The first of the plies that were listed.
    fn first(&mut self) -> Option<Ply> {
        let Self { core, state, found, .. } = *self;
        if let (Some(_), Some(native)) = (self.listed, self.scratch.native) {
            return native.ply(core, state, found, self.scratch, 0);
        }
        found.get(core, state, &mut self.scratch.frame, 0)
    }

    /// In tests every ply that was drawn is looked up in the list of legal ones, whoever has drawn it.
    #[cfg(test)]
    fn assert_legal(&mut self) {
        if !self.found.drawn {
            return;
        }
        let (core, state, key) = (self.core, self.state, self.key(0));
        let mut all = Found::default();
        core.legal(state, self.scratch, &mut all);
        let mut listed = (0..all.count).filter_map(|at| all.get(core, state, &mut self.scratch.frame, at));
        assert!(listed.any(|ply| core.key(state, &ply) == key), "a ply was drawn that is not legal");
    }

    /// What a ply is called but for the part that is told when it has been played; none where its key is known now.
    #[inline]
    pub fn name(&self, index: usize) -> Option<u64> {
        let listed = self.listed?;
        let (mut left, mut rest) = (index as u64, self.found.records.as_slice());
        // Without the division that it takes to cut a list into equal pieces: most lists have one record.
        while let Some((record, others)) = rest.split_at_checked(listed.stride) {
            let count = *record.get(COUNT)?;
            if left < count {
                return *listed.names.get(usize::try_from(*record.get(KIND)?).ok()?)?;
            }
            (left, rest) = (left - count, others);
        }
        None
    }

    /// A number for a legal ply, equal for the same move with the same parts in other states.
    #[inline]
    pub fn key(&mut self, index: usize) -> u64 {
        let Self { core, state, found, .. } = *self;
        if let (Some(_), Some(native)) = (self.listed, self.scratch.native) {
            return native.key(core, state, found, self.scratch, index).unwrap_or(0);
        }
        let ply = found.get(core, state, &mut self.scratch.frame, index);
        ply.map_or(0, |ply| core.key(state, &ply))
    }

    /// The number of the ply that names this site alone, where it is one of those that stand together and differ in their only
    /// part.
    #[inline]
    fn naming(&self, site: usize, count: usize) -> Option<usize> {
        let Some(listed) = self.listed else { return self.naming_as_listed_by_host(site) };
        let (mut before, mut rest) = (0, self.found.records.as_slice());
        while before < count
            && let Some((record, others)) = rest.split_at_checked(listed.stride)
        {
            if listed.names.get(usize::try_from(*record.get(KIND)?).ok()?)?.is_some() {
                let set = Set::<W>(record.get(SET..SET + W)?.try_into().ok()?);
                if set.contains(site) {
                    return Some(before + set.before(site));
                }
            }
            before += usize::try_from(*record.get(COUNT)?).ok()?;
            rest = others;
        }
        None
    }

    /// The same of plies that the host has listed.
    fn naming_as_listed_by_host(&self, site: usize) -> Option<usize> {
        let calls = &self.core.own(self.state).calls;
        self.found.sets().find_map(|(before, call, slot, set)| {
            let alone = calls.get(usize::from(call)).is_some_and(|call| call.parts == [slot]);
            (alone && set.contains(site)).then(|| before + set.before(site))
        })
    }

    /// The number of a ply that keeps together what the other player's piece would part that the ply with a key has put there;
    /// `pick` chooses one of several. See [`Guide`](crate::engine::guide::Guide).
    #[inline]
    pub fn keeping(&self, key: u64, count: usize, pick: impl FnOnce(usize) -> usize) -> Option<usize> {
        let piece = self.core.site_of(key)?;
        let own = self.core.planes_of_owner.get(usize::from(self.state.mover)).copied().unwrap_or(0);
        let is_own = |plane: u8| u32::from(own.checked_shr(u32::from(plane)).is_some_and(|own| own & 1 != 0));
        let contents = self.state.contents.as_slice();
        contents.get(piece).filter(|plane| **plane != 0 && is_own(**plane) == 0)?;
        let ring = self.core.rings.around(piece)?;
        // A bit for own pieces and, a byte away, one for empty sites: this is asked after every ply of a random game.
        let mut stands = 0;
        for (at, site) in ring.sites.iter().enumerate() {
            let plane = contents.get(usize::from(*site)).copied().unwrap_or(u8::MAX);
            stands |= (is_own(plane) | u32::from(plane == 0) << MOST_AROUND) << at;
        }
        let (own, empty) = (stands & ((1 << MOST_AROUND) - 1), stands >> MOST_AROUND);
        let around = Around { own, empty, outside: ring.outside, sites: self.core.rings.directions() };
        let between = around.between();
        if between == 0 {
            return None;
        }
        let (mut legal, mut found) = ([0; MOST_AROUND], 0);
        for (at, site) in ring.sites.iter().enumerate() {
            if between >> at & 1 == 1
                && let Some(index) = self.naming(usize::from(*site), count)
            {
                *legal.get_mut(found)? = index;
                found += 1;
            }
        }
        let chosen = if found > 1 { pick(found) } else { 0 };
        legal.get(..found)?.get(chosen).copied()
    }

    /// Adds the numbers of all plies, in their order.
    pub fn keys(mut self, keys: &mut Vec<u64>) {
        if let (Some(_), Some(native)) = (self.listed, self.scratch.native) {
            return native.keys(self.core, self.state, self.found, &mut self.scratch.frame, keys);
        }
        keys.extend((0..self.found.count).map(|index| self.key(index)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_between_is_found_all_around() {
        for sites in [3, 4, 6, 8] {
            for number in 0..4_usize.pow(sites) {
                let stands: Vec<usize> = (0..sites).map(|at| number / 4_usize.pow(at) % 4).collect();
                let bits = |what| {
                    (0..).zip(&stands).filter(|(_, stands)| **stands == what).fold(0, |set, (at, _)| set | 1 << at)
                };
                let around = Around { own: bits(0), empty: bits(1), outside: bits(2), sites: stands.len() };
                let is_between = |at: &usize| {
                    let (left, right) =
                        (stands[(at + stands.len() - 1) % stands.len()], stands[(at + 1) % stands.len()]);
                    stands[*at] == 1 && matches!((left, right), (0, 0 | 2) | (2, 0))
                };
                let wanted = (0..stands.len()).filter(is_between).fold(0, |set, at| set | 1 << at);
                assert_eq!(around.between() & ((1 << sites) - 1), wanted, "{stands:?}");
            }
        }
    }
}
