//! Numbers the sites of a board so that a step moves every site's bit by the same amount.

use std::collections::HashSet;

use crate::board::{Board, Direction, Grid, MAX_SITES, Site, SiteSet};

/// Stands in the tables for "there is none".
const NONE: u16 = u16::MAX;

/// How many sites the search for a circle may look at. The circles of the shapes given by sizes
/// are found long before; for odd drawings the search must end.
const CIRCLE_LOOKS: usize = 300_000;

/// Boards that fit in so many bits are not spread over more: where that would be asked for, tables are as fast.
const SPREAD: usize = 512;

/// How a step in one direction moves the positions of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shift {
    /// No site has a next one.
    None,
    /// All positions of `sources` move by `by`, where positive is to higher bits.
    By { sources: SiteSet, by: i32 },
    /// Two amounts, as on a number line bent to a circle: the positions of `sources` move by
    /// `by`, the fewer ones of `wrapping` by `wrap_by`.
    Around { sources: SiteSet, by: i32, wrapping: SiteSet, wrap_by: i32 },
    /// More amounts than two: only tables serve.
    Table,
}

/// A numbering of the sites of a board: each has a position, the number of its bit.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The number of sites.
    pub sites: usize,
    /// The number of bits used; there may be holes.
    pub positions: usize,
    /// The number of 64-bit words these bits need.
    pub words: usize,
    position_of: Vec<u16>,
    site_at: Vec<u16>,
    /// By the index of the direction.
    pub shifts: [Shift; 16],
}

impl Layout {
    /// Finds a numbering. It is the same for the same board.
    pub fn of(board: &Board) -> Layout {
        let sites = board.len();
        let position_of = places(board)
            .and_then(|places| numbering(&places))
            .unwrap_or_else(|| board.all().iter().map(|site| site.0).collect());
        let positions = position_of.iter().max().map_or(0, |&last| usize::from(last) + 1);
        let mut site_at = vec![NONE; positions];
        for (site, &position) in board.all().iter().zip(&position_of) {
            if let Some(place) = site_at.get_mut(usize::from(position)) {
                *place = site.0;
            }
        }
        let shifts = Direction::ALL.map(|direction| shift(board, &position_of, direction));
        Layout { sites, positions, words: positions.div_ceil(64), position_of, site_at, shifts }
    }

    /// The position of a site; for a site the board does not have, one that is no site's.
    #[inline]
    pub fn position(&self, site: Site) -> usize {
        self.position_of.get(site.index()).map_or(MAX_SITES, |&position| usize::from(position))
    }

    /// Whether positions ascend as sites do, which on some circles they do not.
    pub fn ascends(&self, board: &Board) -> bool {
        board.all().iter().map(|site| self.position(site)).is_sorted()
    }

    /// The site at a position, if it is not a hole.
    #[inline]
    pub fn site(&self, position: usize) -> Option<Site> {
        match self.site_at.get(position) {
            Some(&site) if site != NONE => Some(Site(site)),
            _ => None,
        }
    }

    /// The positions of the sites of a set.
    pub fn set(&self, sites: SiteSet) -> SiteSet {
        sites.iter().filter_map(|site| Site::from_index(self.position(site))).collect()
    }

    /// The sites at the positions of a set.
    pub fn sites_at(&self, positions: SiteSet) -> SiteSet {
        positions.iter().filter_map(|position| self.site(position.index())).collect()
    }
}

/// The vector of a step, x to the right and y down. On hexes y runs along the slanted columns.
/// This is only a guess of what could fit: shifts are always derived from the board.
fn vector(grid: Grid, direction: Direction) -> (i32, i32) {
    if grid == Grid::Hex {
        match direction {
            Direction::NE => return (1, -1),
            Direction::SE => return (0, 1),
            Direction::SW => return (-1, 1),
            Direction::NW => return (0, -1),
            _ => {}
        }
    }
    match direction {
        Direction::N => (0, -1),
        Direction::NNE => (1, -2),
        Direction::NE => (1, -1),
        Direction::ENE => (2, -1),
        Direction::E => (1, 0),
        Direction::ESE => (2, 1),
        Direction::SE => (1, 1),
        Direction::SSE => (1, 2),
        Direction::S => (0, 1),
        Direction::SSW => (-1, 2),
        Direction::SW => (-1, 1),
        Direction::WSW => (-2, 1),
        Direction::W => (-1, 0),
        Direction::WNW => (-2, -1),
        Direction::NW => (-1, -1),
        _ => (-1, -2),
    }
}

/// Places of the sites such that each step adds its vector; none if the board allows no such.
fn places(board: &Board) -> Option<Vec<(i32, i32)>> {
    let mut places: Vec<Option<(i32, i32)>> = vec![None; board.len()];
    // Parts that no step joins lie one below the other.
    let mut top = 0;
    for start in board.all() {
        let first = places.get_mut(start.index())?;
        if first.is_some() {
            continue;
        }
        *first = Some((0, 0));
        let mut part = vec![(start, (0, 0))];
        let mut at = 0;
        while let Some(&(site, (x, y))) = part.get(at) {
            at += 1;
            for direction in board.compass() {
                let Some(next) = board.step(site, direction) else { continue };
                let (dx, dy) = vector(board.grid(), direction);
                let there = (x + dx, y + dy);
                match places.get_mut(next.index())? {
                    Some(known) if *known != there => return None,
                    Some(_) => {}
                    place => {
                        *place = Some(there);
                        part.push((next, there));
                    }
                }
            }
        }
        let left = part.iter().map(|(_, place)| place.0).min()?;
        let upper = part.iter().map(|(_, place)| place.1).min()?;
        let lower = part.iter().map(|(_, place)| place.1).max()?;
        for (site, (x, y)) in part {
            *places.get_mut(site.index())? = Some((x - left, y - upper + top));
        }
        top += lower - upper + 1;
    }
    let places: Vec<(i32, i32)> = places.into_iter().collect::<Option<_>>()?;
    let distinct: HashSet<(i32, i32)> = places.iter().copied().collect();
    (distinct.len() == places.len()).then_some(places)
}

/// A position for each place, the same amount apart wherever the places are the same vector
/// apart: exactly so on a line, up to whole turns on a circle.
fn numbering(places: &[(i32, i32)]) -> Option<Vec<u16>> {
    let least = 64 * places.len().div_ceil(64);
    let most = if least <= SPREAD { SPREAD } else { MAX_SITES };
    let mut search = Search::new(places);
    let mut smallest = places.len();
    for bits in (least..=most).step_by(64) {
        let found = search.line(bits).or_else(|| search.circle(smallest, bits));
        if found.is_some() {
            return found;
        }
        smallest = bits + 1;
    }
    None
}

/// The search for a numbering.
struct Search<'a> {
    places: &'a [(i32, i32)],
    /// The places in an order in which two with the same position are met soon.
    mixed: Vec<(i32, i32)>,
    /// Which attempt took a number last; so nothing has to be wiped between attempts.
    taken: Vec<u32>,
    attempt: u32,
    /// How many sites the search for a circle has looked at.
    looks: usize,
}

impl<'a> Search<'a> {
    fn new(places: &'a [(i32, i32)]) -> Search<'a> {
        let mut mixed: Vec<(usize, (i32, i32))> = places.iter().copied().enumerate().collect();
        mixed.sort_by_key(|&(i, _)| (i * 40503 % 65536, i));
        let mixed = mixed.into_iter().map(|(_, place)| place).collect();
        Search { places, mixed, taken: vec![0; 2 * MAX_SITES], attempt: 0, looks: 0 }
    }

    /// Takes a number; false if it was already taken in this attempt.
    #[inline]
    fn take(&mut self, number: usize) -> bool {
        match self.taken.get_mut(number) {
            Some(last) if *last != self.attempt => {
                *last = self.attempt;
                true
            }
            _ => false,
        }
    }

    /// A line of so many bits at most, in reading order where that is possible.
    fn line(&mut self, bits: usize) -> Option<Vec<u16>> {
        let bits = i32::try_from(bits).ok()?;
        for (across, down) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
            for stride in 1..=bits {
                let factors = match (across, down) {
                    (0, sign) => (sign * stride, 1),
                    (sign, _) => (1, sign * stride),
                };
                if self.fits_line(factors, bits) {
                    let number = |&(x, y): &(i32, i32)| x * factors.0 + y * factors.1;
                    let lowest = self.places.iter().map(number).min()?;
                    return self.places.iter().map(|place| u16::try_from(number(place) - lowest).ok()).collect();
                }
            }
        }
        None
    }

    fn fits_line(&mut self, factors: (i32, i32), bits: i32) -> bool {
        self.attempt += 1;
        let Some(&(x, y)) = self.mixed.first() else { return true };
        let start = x * factors.0 + y * factors.1;
        let (mut lowest, mut highest) = (0, 0);
        for i in 0..self.mixed.len() {
            let Some(&(x, y)) = self.mixed.get(i) else { return false };
            let number = x * factors.0 + y * factors.1 - start;
            lowest = lowest.min(number);
            highest = highest.max(number);
            // Within the span, no number is further from the first than all bits.
            if highest - lowest >= bits || !self.take(MAX_SITES.saturating_add_signed(number as isize)) {
                return false;
            }
        }
        true
    }

    /// A circle of so many bits at least and at most, the smallest that fits. Hexagons and diamonds tile the
    /// plane, so there is one without any holes for them.
    fn circle(&mut self, least: usize, most: usize) -> Option<Vec<u16>> {
        for round in i32::try_from(least).ok()?..=i32::try_from(most).ok()? {
            for stride in 1..round {
                let number = |&(x, y): &(i32, i32)| (x + stride * y).rem_euclid(round);
                self.attempt += 1;
                let mut fits = true;
                for i in 0..self.mixed.len() {
                    let Some(place) = self.mixed.get(i) else { break };
                    self.looks += 1;
                    if !self.take(number(place).unsigned_abs() as usize) {
                        fits = false;
                        break;
                    }
                }
                if fits {
                    return self.places.iter().map(|place| u16::try_from(number(place)).ok()).collect();
                }
                if self.looks > CIRCLE_LOOKS {
                    return None;
                }
            }
        }
        None
    }
}

/// What the numbering makes of the steps in a direction.
fn shift(board: &Board, position_of: &[u16], direction: Direction) -> Shift {
    let position = |site: Site| position_of.get(site.index()).copied().unwrap_or(NONE);
    let mut found: Vec<(i32, SiteSet)> = Vec::new();
    for site in board.all() {
        let Some(next) = board.step(site, direction) else { continue };
        let by = i32::from(position(next)) - i32::from(position(site));
        match found.iter().position(|group| group.0 == by).and_then(|i| found.get_mut(i)) {
            Some(group) => group.1.insert(Site(position(site))),
            None => found.push((by, SiteSet::single(Site(position(site))))),
        }
        if found.len() > 2 {
            return Shift::Table;
        }
    }
    found.sort_by_key(|group| std::cmp::Reverse(group.1.len()));
    match *found.as_slice() {
        [] => Shift::None,
        [(by, sources)] => Shift::By { sources, by },
        [(by, sources), (wrap_by, wrapping)] => Shift::Around { sources, by, wrapping, wrap_by },
        _ => Shift::Table,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Adjacency, Shape};
    use crate::program::samples::{self, hexagon, shape, squares};

    fn moved(set: SiteSet, by: i32) -> SiteSet {
        set.iter().map(|site| Site((i32::from(site.0) + by) as u16)).collect()
    }

    #[test]
    fn every_site_has_a_bit_of_its_own() {
        for (name, board) in samples::boards() {
            let layout = Layout::of(&board);
            assert_eq!(layout.sites, board.len(), "{name}");
            assert!(64 * layout.words <= MAX_SITES && layout.positions <= 64 * layout.words, "{name}");
            for site in board.all() {
                assert_eq!(layout.site(layout.position(site)), Some(site), "{name}");
            }
            let held = (0..layout.positions).filter(|&position| layout.site(position).is_some()).count();
            assert_eq!(held, board.len(), "{name}");
            assert_eq!(layout.sites_at(layout.set(board.all())), board.all(), "{name}");
            assert_eq!(layout.set(board.all()).len(), board.len(), "{name}");
        }
    }

    #[test]
    fn shifts_do_what_steps_do() {
        for (name, board) in samples::boards() {
            let layout = Layout::of(&board);
            for direction in Direction::ALL {
                let (sources, reached): (SiteSet, SiteSet) = match layout.shifts[direction.index()] {
                    Shift::None => (SiteSet::EMPTY, SiteSet::EMPTY),
                    Shift::By { sources, by } => (sources, moved(sources, by)),
                    Shift::Around { sources, by, wrapping, wrap_by } => {
                        assert!(!sources.intersects(wrapping));
                        (sources | wrapping, moved(sources, by) | moved(wrapping, wrap_by))
                    }
                    Shift::Table => continue,
                };
                let stepping: SiteSet = board.all().iter().filter(|&s| board.step(s, direction).is_some()).collect();
                assert_eq!(layout.sites_at(sources), stepping, "{name} {direction}");
                for site in stepping {
                    let next = board.step(site, direction).unwrap();
                    let position = Site(layout.position(site) as u16);
                    let by = match layout.shifts[direction.index()] {
                        Shift::By { by, .. } => by,
                        Shift::Around { sources, by, .. } if sources.contains(position) => by,
                        Shift::Around { wrap_by, .. } => wrap_by,
                        _ => unreachable!(),
                    };
                    assert_eq!(layout.position(next) as i32, layout.position(site) as i32 + by, "{name} {direction}");
                }
                let next: SiteSet = stepping.iter().filter_map(|site| board.step(site, direction)).collect();
                assert_eq!(layout.sites_at(reached), next, "{name} {direction}");
            }
        }
    }

    #[test]
    fn boards_fit_in_few_words() {
        for (side, words) in [(2, 1), (3, 1), (4, 1), (5, 1), (6, 2), (7, 2), (8, 3), (9, 4), (10, 5), (13, 8)] {
            let layout = Layout::of(&hexagon(side, side));
            assert_eq!(layout.words, words, "hexagon {side}");
            assert!(!layout.shifts.contains(&Shift::Table), "hexagon {side}");
        }
        for (board, words) in [
            (shape(Shape::Rhombus { width: 11, height: 11 }), 2),
            (squares(8, 8, Adjacency::All), 1),
            (squares(15, 15, Adjacency::All), 4),
            (squares(1, 512, Adjacency::All), 8),
            (squares(24, 24, Adjacency::All), 9),
            (squares(32, 32, Adjacency::All), 16),
            (shape(Shape::Rhombus { width: 32, height: 32 }), 16),
            (shape(Shape::Diamond { side: 6 }), 1),
            (shape(Shape::Ring { n: 64 }), 1),
        ] {
            let layout = Layout::of(&board);
            assert_eq!(layout.words, words, "{} sites", board.len());
            assert!(!layout.shifts.contains(&Shift::Table));
        }
    }

    #[test]
    fn squares_keep_their_reading_order() {
        let layout = Layout::of(&squares(8, 8, Adjacency::Orthogonal));
        assert!((0..64).all(|i| layout.position(Site(i as u16)) == i));
        assert!(matches!(layout.shifts[Direction::S.index()], Shift::By { by: 8, .. }));
        assert!(matches!(layout.shifts[Direction::NW.index()], Shift::By { by: -9, .. }));
    }

    #[test]
    fn a_ring_is_a_circle() {
        for n in [3, 10, 64, 65, 512, 1024] {
            let layout = Layout::of(&shape(Shape::Ring { n }));
            let Shift::Around { by, wrap_by, wrapping, .. } = layout.shifts[Direction::E.index()] else { panic!() };
            assert_eq!((by, wrap_by, wrapping.len()), (1, 1 - n as i32, 1));
            let Shift::Around { by, wrap_by, .. } = layout.shifts[Direction::W.index()] else { panic!() };
            assert_eq!((by, wrap_by), (-1, n as i32 - 1));
        }
    }

    #[test]
    fn sites_and_positions_off_the_board_are_none() {
        let layout = Layout::of(&hexagon(3, 3));
        assert!(layout.site(layout.position(Site(19))).is_none());
        assert!(layout.site(1023).is_none());
        assert!(layout.set(SiteSet::single(Site(300))).is_empty());
    }
}
