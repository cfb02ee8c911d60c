//! Room with a bound: lists that grow in pieces, numbers found by their keys, and a table that forgets what cost least.

use std::mem::size_of;

/// The elements of one piece of a list, as a power of two.
const BITS: u32 = 12;
const PIECE: usize = 1 << BITS;

/// A list that is never moved when it grows.
pub struct List<T> {
    pieces: Vec<Vec<T>>,
    len: usize,
}

impl<T: Copy> List<T> {
    pub fn new() -> Self {
        Self { pieces: Vec::new(), len: 0 }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// How many bytes it takes once it has so many elements more.
    pub fn bytes_with(&self, more: usize) -> usize {
        let pieces = (self.len + more) / PIECE + 1;
        pieces * (PIECE * size_of::<T>() + 2 * size_of::<Vec<T>>())
    }

    pub fn push(&mut self, value: T) {
        if self.len.is_multiple_of(PIECE) {
            self.pieces.push(Vec::with_capacity(PIECE));
        }
        if let Some(last) = self.pieces.last_mut() {
            last.push(value);
            self.len += 1;
        }
    }

    /// An element there is.
    pub fn at(&self, index: u32) -> &T {
        let index = place(index);
        &self.pieces[index >> BITS][index % PIECE]
    }

    pub fn at_mut(&mut self, index: u32) -> &mut T {
        let index = place(index);
        &mut self.pieces[index >> BITS][index % PIECE]
    }
}

fn place(index: u32) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

fn first_place(key: u64, places: usize) -> usize {
    // The lower bits, as many as there are places: a power of two.
    usize::try_from(key & (places as u64).wrapping_sub(1)).unwrap_or(0)
}

/// Numbers below `u32::MAX` found by keys that somebody else keeps.
pub struct Index {
    /// One more than the number; 0 where there is none. A power of two of them, of which at most three quarters are taken.
    places: Vec<u32>,
    taken: usize,
}

impl Index {
    pub fn new() -> Self {
        Self { places: vec![0; PIECE], taken: 0 }
    }

    pub fn find(&self, key: u64, key_of: impl Fn(u32) -> u64) -> Option<u32> {
        let mut at = first_place(key, self.places.len());
        loop {
            let number = self.places[at].checked_sub(1)?;
            if key_of(number) == key {
                return Some(number);
            }
            at = (at + 1) % self.places.len();
        }
    }

    /// How many places there are once there are so many numbers more.
    fn needed(&self, more: usize) -> usize {
        let mut places = self.places.len();
        while (self.taken + more) * 4 > places * 3 {
            places *= 2;
        }
        places
    }

    /// How many bytes it takes once it has so many numbers more.
    pub fn bytes_with(&self, more: usize) -> usize {
        self.needed(more) * size_of::<u32>()
    }

    /// Adds a number whose key is not there yet; all numbers before it are.
    pub fn add(&mut self, number: u32, key_of: impl Fn(u32) -> u64) {
        let needed = self.needed(1);
        if needed > self.places.len() {
            // The old places go before the new ones come.
            self.places = Vec::new();
            self.places = vec![0; needed];
            (0..number).for_each(|number| self.put(number, key_of(number)));
        }
        self.put(number, key_of(number));
        self.taken += 1;
    }

    fn put(&mut self, number: u32, key: u64) {
        let mut at = first_place(key, self.places.len());
        while self.places[at] > 0 {
            at = (at + 1) % self.places.len();
        }
        self.places[at] = number.saturating_add(1);
    }
}

/// How much is missing to prove that a goal can be forced, and to prove that it cannot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proof {
    pub yes: u32,
    pub no: u32,
}

#[derive(Clone, Copy)]
struct Known {
    key: u64,
    proof: Proof,
    /// The positions that were looked at for it; none where there is nothing.
    work: u32,
}

/// So many that are known share a place.
const WAYS: usize = 4;

const NOTHING: [Known; WAYS] = [Known { key: 0, proof: Proof { yes: 1, no: 1 }, work: 0 }; WAYS];

/// What is known of positions by their keys. It grows up to a bound; then what cost least is forgotten for what is new.
pub struct Proofs {
    places: Vec<[Known; WAYS]>,
    taken: usize,
    most: usize,
}

impl Proofs {
    /// One that takes no more than so many bytes, also while it grows, and 4 KiB at least.
    pub fn within(most: usize) -> Self {
        Self { places: vec![NOTHING; 32], taken: 0, most }
    }

    pub fn bytes(&self) -> usize {
        self.places.len() * size_of::<[Known; WAYS]>()
    }

    pub fn get(&self, key: u64) -> Option<Proof> {
        let there = &self.places[first_place(key, self.places.len())];
        there.iter().find(|known| known.work > 0 && known.key == key).map(|known| known.proof)
    }

    pub fn set(&mut self, key: u64, proof: Proof, work: u32) {
        if self.taken * 2 > self.places.len() * WAYS && self.bytes() * 3 <= self.most {
            let old = std::mem::take(&mut self.places);
            self.places = vec![NOTHING; old.len() * 2];
            self.taken = 0;
            old.iter().flatten().filter(|known| known.work > 0).for_each(|known| self.put(*known));
        }
        self.put(Known { key, proof, work: work.max(1) });
    }

    fn put(&mut self, new: Known) {
        let places = self.places.len();
        let there = &mut self.places[first_place(new.key, places)];
        let own = there.iter().position(|known| known.work > 0 && known.key == new.key);
        let least = (0..WAYS).min_by_key(|way| there[*way].work).unwrap_or(0);
        let known = &mut there[own.unwrap_or(least)];
        self.taken += usize::from(known.work == 0);
        // What is searched again and again has cost all of that.
        let work = if own.is_some() { known.work.saturating_add(new.work) } else { new.work };
        *known = Known { work, ..new };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// A number that looks like chance.
    fn key(number: u64) -> u64 {
        number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3
    }

    #[test]
    fn numbers_are_found_by_their_keys() {
        let (mut list, mut index) = (List::new(), Index::new());
        for number in 0..20_000u32 {
            // Many begin at the same place.
            let key = key(u64::from(number)) & !0xfff;
            if index.find(key, |at| *list.at(at)).is_some() {
                continue;
            }
            let at = u32::try_from(list.len()).unwrap();
            list.push(key);
            index.add(at, |at| *list.at(at));
            assert_eq!(index.find(key, |at| *list.at(at)), Some(at));
        }
        let len = u32::try_from(list.len()).unwrap();
        assert!(len > 10_000);
        for at in 0..len {
            assert_eq!(index.find(*list.at(at), |at| *list.at(at)), Some(at));
        }
        assert_eq!(index.find(7, |at| *list.at(at)), None);
    }

    #[test]
    fn a_table_of_proofs_keeps_to_its_bound_and_what_cost_most() {
        let mut proofs = Proofs::within(40_000);
        let mut told = HashMap::new();
        for number in 0..50_000u64 {
            let (proof, work) =
                (Proof { yes: u32::try_from(number).unwrap(), no: 1 }, 1 + u32::from(number % 1_000 == 0) * 999);
            proofs.set(key(number), proof, work);
            told.insert(key(number), proof);
            assert!(proofs.bytes() <= 40_000);
        }
        let kept =
            |step: usize| (0..50_000u64).step_by(step).filter(|number| proofs.get(key(*number)).is_some()).count();
        assert!(kept(1_000) > 40, "{}", kept(1_000));
        assert!(kept(1) > 500 && kept(1) < 2_000, "{}", kept(1));
        for (key, proof) in told {
            assert!(proofs.get(key).is_none_or(|found| found == proof));
        }
    }
}
