//! Holds sets of positions in as many machine words as the board needs.

use std::array::from_fn;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Shl, Shr, Sub, SubAssign};

use crate::board::SiteSet;

/// A set of positions, 64 to a word, position 0 in the lowest bit of the first. Positions beyond
/// the last word are never members.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Set<const W: usize>(pub [u64; W]);

impl<const W: usize> Default for Set<W> {
    #[inline(always)]
    fn default() -> Self {
        Set::EMPTY
    }
}

impl<const W: usize> Set<W> {
    /// The set without members.
    pub const EMPTY: Self = Set([0; W]);

    /// Takes the words of a wider set; what lies beyond the last word is lost.
    #[inline(always)]
    pub fn from_words(set: &SiteSet) -> Self {
        let words = set.words();
        Set(from_fn(|i| words.get(i).copied().unwrap_or(0)))
    }

    /// The same members as a set of full width.
    #[inline(always)]
    pub fn to_sites(self) -> SiteSet {
        SiteSet::from_words(from_fn(|i| self.0.get(i).copied().unwrap_or(0)))
    }

    /// The set with one member.
    #[inline(always)]
    pub fn single(position: usize) -> Self {
        let mut set = Set::EMPTY;
        set.insert(position);
        set
    }

    /// Whether the position is a member.
    #[inline(always)]
    pub fn contains(self, position: usize) -> bool {
        match self.0.get(position / 64) {
            Some(word) => (word >> (position % 64)) & 1 != 0,
            None => false,
        }
    }

    /// Adds a position.
    #[inline(always)]
    pub fn insert(&mut self, position: usize) {
        if let Some(word) = self.0.get_mut(position / 64) {
            *word |= 1 << (position % 64);
        }
    }

    /// Takes a position out.
    #[inline(always)]
    pub fn remove(&mut self, position: usize) {
        if let Some(word) = self.0.get_mut(position / 64) {
            *word &= !(1 << (position % 64));
        }
    }

    /// Whether there is a member.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) != 0
    }

    /// Whether there is no member.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        !self.any()
    }

    /// The number of members.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the sets share a member.
    #[inline(always)]
    pub fn meets(self, other: Self) -> bool {
        (self & other).any()
    }

    /// Whether every member is also in the other set.
    #[inline(always)]
    pub fn subset(self, other: Self) -> bool {
        (self - other).is_empty()
    }

    /// The only member of a set with exactly one.
    #[inline(always)]
    pub fn only(self) -> Option<usize> {
        let mut found = None;
        for (i, &word) in self.0.iter().enumerate() {
            if word != 0 {
                if found.is_some() || word & (word - 1) != 0 {
                    return None;
                }
                found = Some(i * 64 + word.trailing_zeros() as usize);
            }
        }
        found
    }

    /// The lowest member.
    #[inline(always)]
    pub fn first(self) -> Option<usize> {
        for (i, &word) in self.0.iter().enumerate() {
            if word != 0 {
                return Some(i * 64 + word.trailing_zeros() as usize);
            }
        }
        None
    }

    /// The highest member.
    #[inline(always)]
    pub fn last(self) -> Option<usize> {
        for (i, &word) in self.0.iter().enumerate().rev() {
            if word != 0 {
                return Some(i * 64 + 63 - word.leading_zeros() as usize);
            }
        }
        None
    }

    /// The members in ascending order.
    #[inline(always)]
    pub fn iter(self) -> Positions<W> {
        Positions { set: self, word: 0 }
    }

    /// How many members stand before a position.
    #[inline]
    pub fn before(self, position: usize) -> usize {
        let of_word = |(at, word): (usize, u64)| match at.cmp(&(position / 64)) {
            Ordering::Less => word,
            Ordering::Equal => word & ((1 << (position % 64)) - 1),
            Ordering::Greater => 0,
        };
        let mut words = self.0.into_iter().enumerate().map(of_word);
        Self(from_fn(|_| words.next().unwrap_or(0))).len()
    }

    /// The k-th member in ascending order, counted from 0.
    #[inline(always)]
    pub fn nth(self, k: usize) -> Option<usize> {
        let mut left = k as u64;
        // More than any set can hold; and what is left must fit into a byte below.
        if k >= 64 * W {
            return None;
        }
        for (i, &word) in self.0.iter().enumerate() {
            let counts = byte_counts(word);
            let count = counts >> 56;
            if left < count {
                return Some(i * 64 + select(word, counts, left));
            }
            left -= count;
        }
        None
    }

    /// All members moved up, or down by a negative amount.
    #[inline(always)]
    pub fn move_by(self, by: i32) -> Self {
        if by >= 0 { self << by as usize } else { self >> by.unsigned_abs() as usize }
    }
}

/// All members moved up by an amount; those moved beyond the last word are lost.
impl<const W: usize> Shl<usize> for Set<W> {
    type Output = Self;

    #[inline(always)]
    fn shl(self, n: usize) -> Self {
        if W == 1 {
            return if n < 64 { Set(from_fn(|i| self.0[i] << n)) } else { Set::EMPTY };
        }
        if n < 64 {
            // In two steps, as a word cannot be shifted by all its 64 bits at once.
            return Set(from_fn(|i| self.0[i] << n | if i > 0 { self.0[i - 1] >> 1 >> (63 - n) } else { 0 }));
        }
        let (words, bits) = (n / 64, n % 64);
        let word = |i: usize, back: usize| match i.checked_sub(back) {
            Some(from) => self.0.get(from).copied().unwrap_or(0),
            None => 0,
        };
        Set(from_fn(|i| word(i, words) << bits | word(i, words + 1) >> 1 >> (63 - bits)))
    }
}

/// All members moved down by an amount; those moved below 0 are lost.
impl<const W: usize> Shr<usize> for Set<W> {
    type Output = Self;

    #[inline(always)]
    fn shr(self, n: usize) -> Self {
        if W == 1 {
            return if n < 64 { Set(from_fn(|i| self.0[i] >> n)) } else { Set::EMPTY };
        }
        if n < 64 {
            return Set(from_fn(|i| self.0[i] >> n | if i + 1 < W { self.0[i + 1] << 1 << (63 - n) } else { 0 }));
        }
        let (words, bits) = (n / 64, n % 64);
        let word = |i: usize, on: usize| i.checked_add(on).and_then(|from| self.0.get(from)).copied().unwrap_or(0);
        Set(from_fn(|i| word(i, words) >> bits | word(i, words + 1) << 1 << (63 - bits)))
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// In each byte the number of bits in it and the bytes below.
#[inline(always)]
fn byte_counts(word: u64) -> u64 {
    let pairs = word - ((word >> 1) & (0x55 * ONES));
    let nibbles = (pairs & (0x33 * ONES)) + ((pairs >> 2) & (0x33 * ONES));
    ((nibbles + (nibbles >> 4)) & (0x0F * ONES)).wrapping_mul(ONES)
}

/// The place of the k-th bit of a word that has more than k bits.
#[inline(always)]
fn select(word: u64, counts: u64, k: u64) -> usize {
    // The top bit of a byte stays where its count is at most k: these are the bytes to pass.
    let passed = (((k * ONES) | (0x80 * ONES)) - counts) & (0x80 * ONES);
    let place = ((passed >> 7).wrapping_mul(ONES) >> 56) * 8;
    let byte = (word >> place) & 0xFF;
    let rest = k - (((counts << 8) >> place) & 0xFF);
    place as usize + usize::from(SELECT[(rest << 8 | byte) as usize & 0x7FF])
}

/// The place of the k-th bit of a byte, by 256 k + byte.
pub(super) static SELECT: [u8; 2048] = {
    let mut table = [0; 2048];
    let mut byte = 0;
    while byte < 256 {
        let mut place = 0;
        let mut k = 0;
        while place < 8 {
            if byte >> place & 1 != 0 {
                table[k << 8 | byte] = place as u8;
                k += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    table
};

/// Walks the members of a set in ascending order.
#[derive(Clone, Debug)]
pub struct Positions<const W: usize> {
    set: Set<W>,
    word: usize,
}

impl<const W: usize> Iterator for Positions<W> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        loop {
            let bits = self.set.0.get_mut(self.word)?;
            if *bits != 0 {
                let position = self.word * 64 + bits.trailing_zeros() as usize;
                // Clears the lowest bit, the one just read.
                *bits &= *bits - 1;
                return Some(position);
            }
            self.word += 1;
        }
    }
}

impl<const W: usize> IntoIterator for Set<W> {
    type Item = usize;
    type IntoIter = Positions<W>;

    #[inline(always)]
    fn into_iter(self) -> Positions<W> {
        self.iter()
    }
}

impl<const W: usize> FromIterator<usize> for Set<W> {
    fn from_iter<I: IntoIterator<Item = usize>>(positions: I) -> Self {
        let mut set = Set::EMPTY;
        for position in positions {
            set.insert(position);
        }
        set
    }
}

impl<const W: usize> fmt::Debug for Set<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

macro_rules! operator {
    ($operator:ident, $method:ident, $assign:ident, $assign_method:ident, |$a:ident, $b:ident| $value:expr) => {
        impl<const W: usize> $operator for Set<W> {
            type Output = Self;

            #[inline(always)]
            fn $method(mut self, other: Self) -> Self {
                for ($a, $b) in self.0.iter_mut().zip(other.0) {
                    *$a = $value;
                }
                self
            }
        }

        impl<const W: usize> $assign for Set<W> {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = self.$method(other);
            }
        }
    };
}

operator!(BitAnd, bitand, BitAndAssign, bitand_assign, |a, b| *a & b);
operator!(BitOr, bitor, BitOrAssign, bitor_assign, |a, b| *a | b);
operator!(BitXor, bitxor, BitXorAssign, bitxor_assign, |a, b| *a ^ b);
operator!(Sub, sub, SubAssign, sub_assign, |a, b| *a & !b);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::program::samples::Dice;

    fn random<const W: usize>(dice: &mut Dice) -> Set<W> {
        let kind = dice.below(6);
        Set(from_fn(|_| match kind {
            0 => dice.roll() & dice.roll() & dice.roll() & dice.roll() & dice.roll(),
            1 => dice.roll() | dice.roll() | dice.roll(),
            2 => u64::MAX,
            3 => [0, 0, 1 << 63, 1][dice.below(4)],
            _ => dice.roll(),
        }))
    }

    fn check<const W: usize>() {
        let mut dice = Dice(W as u64);
        let same = |set: Set<W>, members: &BTreeSet<usize>| {
            assert!(set.iter().eq(members.iter().copied()));
        };
        for _ in 0..60 {
            let (a, b) = (random::<W>(&mut dice), random::<W>(&mut dice));
            let (x, y): (BTreeSet<usize>, BTreeSet<usize>) = (a.iter().collect(), b.iter().collect());
            same(a & b, &(&x & &y));
            same(a | b, &(&x | &y));
            same(a ^ b, &(&x ^ &y));
            same(a - b, &(&x - &y));
            let mut assigned = a;
            assigned -= b;
            assigned |= b;
            same(assigned, &(&x | &y));
            assert_eq!(a.len(), x.len());
            assert_eq!(a.any(), !x.is_empty());
            assert_eq!(a.is_empty(), x.is_empty());
            assert_eq!(a.first(), x.first().copied());
            assert_eq!(a.last(), x.last().copied());
            assert_eq!(a.only(), x.first().copied().filter(|_| x.len() == 1));
            assert_eq!(a.meets(b), !x.is_disjoint(&y));
            assert_eq!(a.subset(b), x.is_subset(&y));
            assert!((a & b).subset(a));
            assert_eq!(Set::from_words(&a.to_sites()), a);
            assert_eq!(a.to_sites().len(), a.len());
            assert_eq!(x.iter().copied().collect::<Set<W>>(), a);
            for (k, &position) in x.iter().enumerate() {
                assert_eq!(a.nth(k), Some(position));
            }
            for k in [x.len(), x.len() + 1, 64 * W, 1000, usize::MAX] {
                assert_eq!(a.nth(k), None);
            }
            for n in (0..=64 * W + 1).chain([640, usize::MAX - 63, usize::MAX]) {
                let up = x.iter().filter_map(|p| p.checked_add(n)).filter(|&p| p < 64 * W).collect();
                same(a << n, &up);
                let down = x.iter().filter_map(|p| p.checked_sub(n)).collect();
                same(a >> n, &down);
                if n < 1000 {
                    assert_eq!(a.move_by(n as i32), a << n);
                    assert_eq!(a.move_by(-(n as i32)), a >> n);
                }
            }
            let at = dice.below(64 * W);
            let mut with = a;
            with.insert(at);
            assert!(with.contains(at));
            with.remove(at);
            assert!(!with.contains(at));
            assert_eq!(with, a - Set::single(at));
            assert_eq!(Set::<W>::single(at).only(), Some(at));
        }
        let mut off = Set::<W>::single(64 * W);
        off.remove(usize::MAX);
        assert!(off.is_empty() && !off.contains(64 * W) && off.move_by(i32::MIN).is_empty());
        assert_eq!(Set::<W>::default().first(), None);
    }

    #[test]
    fn sets_do_what_ordered_sets_do() {
        check::<1>();
        check::<2>();
        check::<3>();
        check::<4>();
        check::<6>();
        check::<8>();
    }
}
