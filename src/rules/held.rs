//! Sets of sites as values hold them: most have one member, and such a set takes no more room than a number.

use crate::board::{Members, Site, SiteSet};
use std::fmt;

/// A set of sites as a value. Equal sets are held alike.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Held(Form);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Form {
    Empty,
    One(Site),
    /// Two and more.
    Many(Box<SiteSet>),
}

impl Held {
    /// The set itself.
    #[must_use]
    pub fn get(&self) -> SiteSet {
        match &self.0 {
            Form::Empty => SiteSet::EMPTY,
            Form::One(site) => SiteSet::single(*site),
            Form::Many(set) => **set,
        }
    }

    /// Whether there is no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self.0, Form::Empty)
    }

    /// The number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Form::Empty => 0,
            Form::One(_) => 1,
            Form::Many(set) => set.len(),
        }
    }

    /// The only member of a set with exactly one.
    #[must_use]
    pub fn only(&self) -> Option<Site> {
        match self.0 {
            Form::One(site) => Some(site),
            Form::Empty | Form::Many(_) => None,
        }
    }

    /// The members in ascending order.
    pub fn iter(&self) -> Members {
        self.get().iter()
    }

    /// The bytes that it takes beside itself.
    #[must_use]
    pub fn room(&self) -> usize {
        match self.0 {
            Form::Empty | Form::One(_) => 0,
            Form::Many(_) => size_of::<SiteSet>(),
        }
    }
}

impl From<Site> for Held {
    fn from(site: Site) -> Self {
        // A site that no board has is in no set.
        SiteSet::single(site).into()
    }
}

impl From<SiteSet> for Held {
    fn from(set: SiteSet) -> Self {
        let mut members = set.iter();
        Self(match (members.next(), members.next()) {
            (None, _) => Form::Empty,
            (Some(site), None) => Form::One(site),
            (Some(_), Some(_)) => Form::Many(Box::new(set)),
        })
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_set_is_the_set() {
        for sites in [vec![], vec![0], vec![1023], vec![5, 6], vec![1, 64, 700]] {
            let set: SiteSet = sites.iter().copied().map(Site).collect();
            let held = Held::from(set);
            assert_eq!((held.get(), held.len(), held.only()), (set, set.len(), set.only()));
            assert_eq!((held.is_empty(), held.room() > 0), (set.is_empty(), sites.len() > 1));
            assert!(held.iter().eq(set) && format!("{held:?}") == format!("{set:?}"));
        }
        assert!(Held::from(Site(u16::MAX)).is_empty());
        assert!(size_of::<Held>() <= 16, "values are copied all the time");
    }
}
