//! Names the sixteen points of the compass and holds sets of them.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Sub, SubAssign};

const NAMES: [&str; 16] =
    ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"];

/// One of the sixteen compass points, counted clockwise from north.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Direction(u8);

impl Direction {
    pub const N: Direction = Direction(0);
    pub const NNE: Direction = Direction(1);
    pub const NE: Direction = Direction(2);
    pub const ENE: Direction = Direction(3);
    pub const E: Direction = Direction(4);
    pub const ESE: Direction = Direction(5);
    pub const SE: Direction = Direction(6);
    pub const SSE: Direction = Direction(7);
    pub const S: Direction = Direction(8);
    pub const SSW: Direction = Direction(9);
    pub const SW: Direction = Direction(10);
    pub const WSW: Direction = Direction(11);
    pub const W: Direction = Direction(12);
    pub const WNW: Direction = Direction(13);
    pub const NW: Direction = Direction(14);
    pub const NNW: Direction = Direction(15);

    /// All sixteen, clockwise from north.
    pub const ALL: [Direction; 16] = [
        Direction::N,
        Direction::NNE,
        Direction::NE,
        Direction::ENE,
        Direction::E,
        Direction::ESE,
        Direction::SE,
        Direction::SSE,
        Direction::S,
        Direction::SSW,
        Direction::SW,
        Direction::WSW,
        Direction::W,
        Direction::WNW,
        Direction::NW,
        Direction::NNW,
    ];

    /// The place in the clockwise order, 0 for north.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The direction with this place in the clockwise order.
    pub fn from_index(index: usize) -> Option<Direction> {
        Direction::ALL.get(index).copied()
    }

    /// The name, such as "NE".
    pub fn name(self) -> &'static str {
        NAMES.get(self.index()).copied().unwrap_or("")
    }

    /// The direction with exactly this upper-case name.
    pub fn parse(text: &str) -> Option<Direction> {
        let index = NAMES.iter().position(|name| *name == text)?;
        Direction::from_index(index)
    }

    /// The direction that leads back.
    pub fn opposite(self) -> Direction {
        Direction((self.0 + 8) % 16)
    }

    /// Turned clockwise by sixteenths of a circle; negative steps turn the other way.
    pub fn turned(self, steps: i32) -> Direction {
        // Both terms are below 16, so neither the sum nor the cast can overflow.
        Direction((self.0 + steps.rem_euclid(16) as u8) % 16)
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of directions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Directions(u16);

impl Directions {
    /// The set without members.
    pub const EMPTY: Directions = Directions(0);
    /// All sixteen.
    pub const ALL: Directions = Directions(u16::MAX);
    /// North, east, south and west.
    pub const ORTHOGONAL: Directions = Directions(0x1111);
    /// The four half-way between those.
    pub const DIAGONAL: Directions = Directions(0x4444);
    /// Those and the four before, which the directions of most boards are among.
    pub const EIGHT: Directions = Directions(0x5555);
    /// The six of a hex grid with horizontal rows.
    pub const HEX: Directions = Directions(0x5454);

    /// The set with one member.
    pub fn single(direction: Direction) -> Directions {
        Directions(1 << direction.0)
    }

    /// Whether the direction is a member.
    #[inline]
    pub fn contains(self, direction: Direction) -> bool {
        self.0 & (1 << direction.0) != 0
    }

    /// Adds a direction.
    pub fn insert(&mut self, direction: Direction) {
        self.0 |= 1 << direction.0;
    }

    /// Takes a direction out.
    pub fn remove(&mut self, direction: Direction) {
        self.0 &= !(1 << direction.0);
    }

    /// The number of members.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is no member.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The only member of a set with exactly one.
    pub fn only(self) -> Option<Direction> {
        if self.len() == 1 { self.iter().next() } else { None }
    }

    /// The members, clockwise from north.
    #[inline]
    pub fn iter(self) -> Bearings {
        Bearings(self.0)
    }

    /// Whether every member is also in the other set.
    pub fn is_subset(self, other: Directions) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether the sets share a member.
    pub fn intersects(self, other: Directions) -> bool {
        self.0 & other.0 != 0
    }
}

/// Walks the members of a set of directions, clockwise from north.
#[derive(Clone, Debug)]
pub struct Bearings(u16);

impl Iterator for Bearings {
    type Item = Direction;

    #[inline]
    fn next(&mut self) -> Option<Direction> {
        if self.0 == 0 {
            return None;
        }
        let lowest = self.0.trailing_zeros() as u8;
        self.0 &= self.0 - 1;
        Some(Direction(lowest))
    }
}

impl IntoIterator for Directions {
    type Item = Direction;
    type IntoIter = Bearings;

    fn into_iter(self) -> Bearings {
        self.iter()
    }
}

impl fmt::Debug for Directions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl BitOrAssign for Directions {
    fn bitor_assign(&mut self, other: Directions) {
        self.0 |= other.0;
    }
}

impl BitAndAssign for Directions {
    fn bitand_assign(&mut self, other: Directions) {
        self.0 &= other.0;
    }
}

impl SubAssign for Directions {
    fn sub_assign(&mut self, other: Directions) {
        self.0 &= !other.0;
    }
}

impl BitOr for Directions {
    type Output = Directions;

    fn bitor(self, other: Directions) -> Directions {
        Directions(self.0 | other.0)
    }
}

impl BitAnd for Directions {
    type Output = Directions;

    fn bitand(self, other: Directions) -> Directions {
        Directions(self.0 & other.0)
    }
}

impl Sub for Directions {
    type Output = Directions;

    fn sub(self, other: Directions) -> Directions {
        Directions(self.0 & !other.0)
    }
}

impl FromIterator<Direction> for Directions {
    fn from_iter<I: IntoIterator<Item = Direction>>(directions: I) -> Directions {
        let mut set = Directions::EMPTY;
        for direction in directions {
            set.insert(direction);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for (i, direction) in Direction::ALL.into_iter().enumerate() {
            assert_eq!(direction.index(), i);
            assert_eq!(Direction::from_index(i), Some(direction));
            assert_eq!(Direction::parse(direction.name()), Some(direction));
            assert_eq!(direction.opposite().opposite(), direction);
            assert_eq!(direction.turned(8), direction.opposite());
        }
        assert_eq!(Direction::parse("ne"), None);
        assert_eq!(Direction::parse(""), None);
        assert_eq!(Direction::from_index(16), None);
        assert_eq!(Direction::N.turned(-1), Direction::NNW);
        assert_eq!(Direction::NW.turned(i32::MAX), Direction::WNW);
        assert_eq!(Direction::N.turned(i32::MIN), Direction::N);
    }

    #[test]
    fn the_named_sets_hold_what_they_say() {
        let shown = |set: Directions| format!("{set:?}");
        assert_eq!(shown(Directions::ORTHOGONAL), "{N, E, S, W}");
        assert_eq!(shown(Directions::DIAGONAL), "{NE, SE, SW, NW}");
        assert_eq!(shown(Directions::HEX), "{NE, E, SE, SW, W, NW}");
        assert_eq!(Directions::ALL.len(), 16);
        assert_eq!(Directions::single(Direction::SSW).only(), Some(Direction::SSW));
        assert_eq!(Directions::HEX.only(), None);
        assert!(Directions::DIAGONAL.is_subset(Directions::HEX));
        assert!((Directions::HEX - Directions::DIAGONAL).intersects(Directions::ORTHOGONAL));
    }
}
