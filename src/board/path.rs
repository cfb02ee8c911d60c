//! Paths: rows of sites, each of which leads to the next as a step in a direction of its own does.

use super::{Board, Direction, Directions, NONE, Site};
use std::collections::HashMap;

/// Sites in their order; behind the last comes the first where the row is round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stretch {
    pub sites: Vec<Site>,
    pub round: bool,
}

/// A path: its name, the point of the compass that stands for it in tables of steps, and its sites.
#[derive(Clone, Debug)]
pub struct Path {
    pub name: String,
    pub way: Direction,
    pub stretches: Vec<Stretch>,
}

/// Why there can be no such path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathError {
    /// No step at all.
    NoStep,
    /// A site would lead to two others, or to itself.
    TwoBehind(Site),
    /// Two sites would lead to one, from which none of them is the one before.
    TwoBefore(Site),
    /// All points of the compass that the board leaves free are taken; so many paths there is room for.
    NoRoom(usize),
}

impl Stretch {
    /// Each site with the one that comes behind it.
    fn steps(&self) -> impl Iterator<Item = (Site, Site)> {
        let back = self.sites.last().copied().zip(self.sites.first().copied()).filter(|_| self.round);
        self.sites.iter().copied().zip(self.sites.iter().copied().skip(1)).chain(back)
    }
}

impl Path {
    /// Each site that leads on, with the one to which it leads.
    pub fn steps(&self) -> impl Iterator<Item = (Site, Site)> {
        self.stretches.iter().flat_map(Stretch::steps)
    }
}

impl Board {
    /// The paths of the game in their order.
    pub fn paths(&self) -> &[Path] {
        &self.parts.paths
    }

    /// All directions in which a step may lead: those of the board, and paths both ways.
    pub fn ways(&self) -> Directions {
        let both = |path: &Path| Directions::single(path.way) | Directions::single(path.way.opposite());
        self.paths().iter().fold(self.compass(), |all, path| all | both(path))
    }

    /// What a direction is called: a path by its name, and backwards with `_back` behind it.
    pub fn way_name(&self, way: Direction) -> String {
        for path in self.paths() {
            if path.way == way {
                return path.name.clone();
            }
            if path.way.opposite() == way {
                return format!("{}_back", path.name);
            }
        }
        way.name().to_owned()
    }

    /// The direction with this name as [`Board::way_name`] tells it, capitals or not; paths come first.
    pub fn find_way(&self, name: &str) -> Option<Direction> {
        let known = |way: &Direction| self.way_name(*way).eq_ignore_ascii_case(name);
        let of_paths = (self.ways() - self.compass()).iter();
        of_paths.chain((Directions::ALL - self.ways()).iter()).chain(self.compass().iter()).find(known)
    }

    /// Adds a path, which is a direction that nothing else of the board has to do with.
    pub fn add_path(&mut self, name: &str, stretches: Vec<Stretch>) -> Result<(), PathError> {
        let mut next: HashMap<Site, Site> = HashMap::new();
        let mut previous: HashMap<Site, Site> = HashMap::new();
        for (from, to) in stretches.iter().flat_map(Stretch::steps) {
            if from == to || next.insert(from, to).is_some_and(|known| known != to) {
                return Err(PathError::TwoBehind(from));
            }
            if previous.insert(to, from).is_some_and(|known| known != from) {
                return Err(PathError::TwoBefore(to));
            }
        }
        if next.is_empty() {
            return Err(PathError::NoStep);
        }
        let way = self.free_way().ok_or(PathError::NoRoom(self.paths().len()))?;
        for (from, to) in next {
            for (at, direction, there) in [(from, way, to), (to, way.opposite(), from)] {
                let row = self.parts.steps.get_mut(at.index());
                if let Some(place) = row.and_then(|row| row.get_mut(direction.index())) {
                    debug_assert_eq!(*place, NONE);
                    *place = there.0;
                }
            }
        }
        self.parts.paths.push(Path { name: name.to_owned(), way, stretches });
        Ok(())
    }

    /// A point of the compass in which the board has neither steps nor sides, and the opposite one neither. Those between the
    /// eight that people name are taken first.
    fn free_way(&self) -> Option<Direction> {
        let taken = self.ways() | self.sides() | self.directions();
        let half = Direction::ALL.into_iter().take(8);
        let (named, between): (Vec<_>, Vec<_>) = half.partition(|way| Directions::EIGHT.contains(*way));
        between.into_iter().chain(named).find(|way| !taken.contains(*way) && !taken.contains(way.opposite()))
    }
}
