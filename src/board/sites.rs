//! Numbers the places of a board and holds sets of them in a small copyable bitset.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Sub, SubAssign};

/// The most sites a board can have.
pub const MAX_SITES: usize = 1024;

const WORDS: usize = MAX_SITES / 64;

/// A place on a board: an index into its list of sites.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site(pub u16);

impl Site {
    /// The site as an index into a list.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The site with this index, if a board can have one.
    pub fn from_index(index: usize) -> Option<Site> {
        match u16::try_from(index) {
            Ok(number) if index < MAX_SITES => Some(Site(number)),
            _ => None,
        }
    }
}

/// A set of sites. Sites no board can have are never members.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SiteSet([u64; WORDS]);

impl SiteSet {
    /// The set without members.
    pub const EMPTY: SiteSet = SiteSet([0; WORDS]);

    /// The sites 0 to n - 1 (at most all that a board can have).
    pub fn first(n: usize) -> SiteSet {
        let mut set = SiteSet::EMPTY;
        for (i, word) in set.0.iter_mut().enumerate() {
            let left = n.saturating_sub(i * 64);
            *word = if left >= 64 { u64::MAX } else { (1u64 << left) - 1 };
        }
        set
    }

    /// The set with one member.
    pub fn single(site: Site) -> SiteSet {
        let mut set = SiteSet::EMPTY;
        set.insert(site);
        set
    }

    /// Whether the site is a member.
    #[inline]
    pub fn contains(self, site: Site) -> bool {
        match self.0.get(site.index() / 64) {
            Some(word) => word & (1 << (site.0 % 64)) != 0,
            None => false,
        }
    }

    /// Adds a site.
    #[inline]
    pub fn insert(&mut self, site: Site) {
        if let Some(word) = self.0.get_mut(site.index() / 64) {
            *word |= 1 << (site.0 % 64);
        }
    }

    /// Takes a site out.
    #[inline]
    pub fn remove(&mut self, site: Site) {
        if let Some(word) = self.0.get_mut(site.index() / 64) {
            *word &= !(1 << (site.0 % 64));
        }
    }

    /// The number of members.
    #[inline]
    pub fn len(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there is no member.
    #[inline]
    pub fn is_empty(self) -> bool {
        self == SiteSet::EMPTY
    }

    /// The only member of a set with exactly one.
    pub fn only(self) -> Option<Site> {
        let mut members = self.iter();
        match (members.next(), members.next()) {
            (Some(site), None) => Some(site),
            _ => None,
        }
    }

    /// The members in ascending order.
    #[inline]
    pub fn iter(self) -> Members {
        Members { set: self, word: 0 }
    }

    /// Whether every member is also in the other set.
    #[inline]
    pub fn is_subset(self, other: SiteSet) -> bool {
        (self - other).is_empty()
    }

    /// Whether the sets share a member.
    #[inline]
    pub fn intersects(self, other: SiteSet) -> bool {
        !(self & other).is_empty()
    }

    /// The bits, 64 sites to a word, site 0 in the lowest bit of the first.
    pub fn words(&self) -> &[u64; WORDS] {
        &self.0
    }

    /// The set with these bits.
    pub fn from_words(words: [u64; WORDS]) -> SiteSet {
        SiteSet(words)
    }
}

/// Walks the members of a set in ascending order.
#[derive(Clone, Debug)]
pub struct Members {
    set: SiteSet,
    word: usize,
}

impl Iterator for Members {
    type Item = Site;

    #[inline]
    fn next(&mut self) -> Option<Site> {
        loop {
            let bits = self.set.0.get_mut(self.word)?;
            if *bits != 0 {
                let site = Site((self.word * 64) as u16 + bits.trailing_zeros() as u16);
                // Clears the lowest bit, the one just read.
                *bits &= *bits - 1;
                return Some(site);
            }
            self.word += 1;
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.set.len();
        (left, Some(left))
    }
}

impl ExactSizeIterator for Members {}

impl IntoIterator for SiteSet {
    type Item = Site;
    type IntoIter = Members;

    fn into_iter(self) -> Members {
        self.iter()
    }
}

impl fmt::Debug for SiteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|site| site.0)).finish()
    }
}

impl BitOrAssign for SiteSet {
    #[inline]
    fn bitor_assign(&mut self, other: SiteSet) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine |= theirs;
        }
    }
}

impl BitAndAssign for SiteSet {
    #[inline]
    fn bitand_assign(&mut self, other: SiteSet) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine &= theirs;
        }
    }
}

impl SubAssign for SiteSet {
    #[inline]
    fn sub_assign(&mut self, other: SiteSet) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine &= !theirs;
        }
    }
}

impl BitOr for SiteSet {
    type Output = SiteSet;

    #[inline]
    fn bitor(mut self, other: SiteSet) -> SiteSet {
        self |= other;
        self
    }
}

impl BitAnd for SiteSet {
    type Output = SiteSet;

    #[inline]
    fn bitand(mut self, other: SiteSet) -> SiteSet {
        self &= other;
        self
    }
}

impl Sub for SiteSet {
    type Output = SiteSet;

    #[inline]
    fn sub(mut self, other: SiteSet) -> SiteSet {
        self -= other;
        self
    }
}

impl FromIterator<Site> for SiteSet {
    fn from_iter<I: IntoIterator<Item = Site>>(sites: I) -> SiteSet {
        let mut set = SiteSet::EMPTY;
        for site in sites {
            set.insert(site);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_counts_and_clamps() {
        for n in [0, 1, 63, 64, 65, 127, 128, 511, 512, 1023, 1024] {
            let set = SiteSet::first(n);
            assert_eq!(set.len(), n);
            assert_eq!(set.iter().count(), n);
            assert!(!set.contains(Site(n as u16)));
        }
        assert_eq!(SiteSet::first(usize::MAX).len(), MAX_SITES);
    }

    #[test]
    fn members_come_in_order_and_print() {
        let set: SiteSet = [300u16, 2, 64, 1023, 2].into_iter().map(Site).collect();
        assert_eq!(format!("{set:?}"), "{2, 64, 300, 1023}");
        assert_eq!(set.only(), None);
        assert_eq!(SiteSet::single(Site(64)).only(), Some(Site(64)));
        assert_eq!(SiteSet::EMPTY.only(), None);
    }

    #[test]
    fn operators_agree_with_membership() {
        let evens: SiteSet = (0..1024).step_by(2).map(Site).collect();
        let low = SiteSet::first(100);
        assert_eq!((evens & low).len(), 50);
        assert_eq!((evens | low).len(), 562);
        assert_eq!((low - evens).len(), 50);
        assert!((evens & low).is_subset(low));
        assert!(!low.is_subset(evens));
        assert!(low.intersects(evens));
        let mut set = low;
        set.remove(Site(5));
        assert!(!set.contains(Site(5)));
    }

    #[test]
    fn impossible_sites_are_never_members() {
        let mut set = SiteSet::single(Site(u16::MAX));
        assert!(set.is_empty());
        set.remove(Site(1024));
        assert!(!SiteSet::first(1024).contains(Site(1024)));
        assert_eq!(Site::from_index(1024), None);
    }
}
