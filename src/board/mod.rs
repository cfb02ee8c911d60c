//! Builds the boards games are played on and answers questions about their geometry.

mod border;
mod build;
mod classes;
mod direction;
mod drawing;
mod error;
mod keep;
mod names;
mod outline;
mod path;
pub mod plan;
mod points;
mod shape;
mod sites;
pub mod text;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

pub use border::BorderLabel;
pub use build::build;
pub use direction::{Direction, Directions};
pub use error::BoardError;
pub use outline::Outline;
pub use path::{Path, PathError, Stretch};
pub use shape::{
    Adjacency, Axis, BoardSpec, Class, Classes, Coordinates, Drawn, Lines, Named, SIZED, Shape, Signs, SizedShape,
    WRITTEN_OUT,
};
pub use sites::{MAX_SITES, Members, Site, SiteSet};

use names::Scheme;

/// What the picture of a board looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grid {
    Hex,
    Square,
    Points,
}

/// Stands in the tables for "there is none".
/// So many steps are taken at most, by everything that steps: lines that end do so before, and round a ring this is far
/// enough for any game.
pub const MOST_STEPS: u16 = 4096;

const NONE: u16 = u16::MAX;

/// All that the shapes say about a board; the rest follows from it.
#[derive(Clone, Debug)]
struct Parts {
    grid: Grid,
    scheme: Scheme,
    names: Vec<String>,
    /// What the column and the row of each site are called, where rules say so; empty elsewhere.
    labels: Vec<(String, String)>,
    xy: Vec<(f64, f64)>,
    /// The column and row of each cell, counted from the top left; empty on points boards.
    cells: Vec<(i32, i32)>,
    steps: Vec<[u16; 16]>,
    neighbours: Vec<SiteSet>,
    compass: Directions,
    directions: Directions,
    edge: SiteSet,
    corners: SiteSet,
    centre: SiteSet,
    sides: [SiteSet; 16],
    rows: Vec<SiteSet>,
    columns: Vec<SiteSet>,
    lines: Vec<Vec<Site>>,
    /// All sites but on boards that can be played on their edges or vertices.
    cells_class: SiteSet,
    edges_class: SiteSet,
    vertices_class: SiteSet,
    /// Further names under which sites are found.
    other_names: Vec<(String, Site)>,
    /// Rows of sites that the rules of a game give a direction of their own.
    paths: Vec<Path>,
}

/// A board: its sites, their names and places, and how they hang together.
#[derive(Clone, Debug)]
pub struct Board {
    parts: Parts,
    by_name: HashMap<String, Site>,
    distances: Vec<u16>,
    aims: Vec<Option<Direction>>,
}

impl Board {
    /// The number of sites.
    pub fn len(&self) -> usize {
        self.parts.names.len()
    }

    /// Whether there are no sites; no board that was built is empty.
    pub fn is_empty(&self) -> bool {
        self.parts.names.is_empty()
    }

    /// What the picture looks like.
    pub fn grid(&self) -> Grid {
        self.parts.grid
    }

    /// All sites.
    pub fn all(&self) -> SiteSet {
        SiteSet::first(self.len())
    }

    /// The name of a site; empty if the board has no such site.
    pub fn name(&self, site: Site) -> &str {
        self.parts.names.get(site.index()).map_or("", String::as_str)
    }

    /// The site with exactly this name, or this other name.
    pub fn find(&self, name: &str) -> Option<Site> {
        self.by_name.get(name).copied()
    }

    /// What sites are called besides: `b2s` for the edge `b1n`.
    pub fn other_names(&self) -> impl Iterator<Item = (&str, Site)> {
        self.parts.other_names.iter().map(|(name, site)| (name.as_str(), *site))
    }

    /// The sites that are cells, or points: all but where edges or vertices are sites too.
    pub fn cells(&self) -> SiteSet {
        self.parts.cells_class
    }

    /// The sites between two cells, or between a cell and the outside.
    pub fn edges(&self) -> SiteSet {
        self.parts.edges_class
    }

    /// The sites where the corners of cells meet.
    pub fn vertices(&self) -> SiteSet {
        self.parts.vertices_class
    }

    /// The names in the order of the sites.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.names.iter().map(String::as_str)
    }

    /// Where the middle of a site is: x to the right, y downwards. Neighbouring cells of hex
    /// and square grids are 1 apart.
    pub fn xy(&self, site: Site) -> (f64, f64) {
        self.parts.xy.get(site.index()).copied().unwrap_or((0.0, 0.0))
    }

    /// The next site in a direction.
    #[inline]
    pub fn step(&self, site: Site, direction: Direction) -> Option<Site> {
        let row = self.parts.steps.get(site.index())?;
        match row.get(direction.index()) {
            Some(&next) if next != NONE => Some(Site(next)),
            _ => None,
        }
    }

    /// Every direction that has a meaning on this grid; paths have their own, see [`Board::ways`].
    pub fn compass(&self) -> Directions {
        self.parts.compass
    }

    /// The directions of the chosen adjacency.
    pub fn directions(&self) -> Directions {
        self.parts.directions
    }

    /// The directions straight through the sides of a cell: on squares N, E, S and W, on hexes
    /// all six, on points those of the four that are in use.
    pub fn orthogonal(&self) -> Directions {
        match self.grid() {
            Grid::Hex => Directions::HEX,
            _ => self.compass() & Directions::ORTHOGONAL,
        }
    }

    /// The directions through the corners of a square; on hexes none, on points those of the
    /// four that are in use.
    pub fn diagonal(&self) -> Directions {
        match self.grid() {
            Grid::Hex => Directions::EMPTY,
            _ => self.compass() & Directions::DIAGONAL,
        }
    }

    /// The neighbours under the chosen adjacency, on points boards along the links.
    #[inline]
    pub fn neighbours(&self, site: Site) -> SiteSet {
        self.parts.neighbours.get(site.index()).copied().unwrap_or_default()
    }

    /// Whether the sites one step from any site are its neighbours, and those in one direction and the next of each other: so it
    /// is on hexes, and on squares whose neighbours are all eight.
    pub fn has_closed_rings(&self) -> bool {
        let directions: Vec<Direction> = self.directions().iter().collect();
        self.all().iter().all(|site| {
            let ring: Vec<Option<Site>> = directions.iter().map(|way| self.step(site, *way)).collect();
            ring.iter().zip(ring.iter().cycle().skip(1)).all(|(one, next)| {
                let Some(one) = *one else { return true };
                self.neighbours(site).contains(one) && next.is_none_or(|next| self.neighbours(one).contains(next))
            })
        })
    }

    /// The sites at the rim.
    pub fn edge(&self) -> SiteSet {
        self.parts.edge
    }

    /// The sites where two sides meet.
    pub fn corners(&self) -> SiteSet {
        self.parts.corners
    }

    /// The sites that are not at the rim.
    pub fn interior(&self) -> SiteSet {
        self.all() - self.edge()
    }

    /// The cell in the middle, or those around it where the middle lies between cells.
    pub fn centre(&self) -> SiteSet {
        self.parts.centre
    }

    /// The sites of a side; empty if the board has no such side.
    pub fn side(&self, direction: Direction) -> SiteSet {
        self.parts.sides.get(direction.index()).copied().unwrap_or_default()
    }

    /// Which sides the board has.
    pub fn sides(&self) -> Directions {
        Direction::ALL.into_iter().filter(|&direction| !self.side(direction).is_empty()).collect()
    }

    /// The cells of a row, counted from 1: from the bottom on square grids, from the top on
    /// hex grids. Points boards have no rows.
    pub fn row(&self, number: i32) -> SiteSet {
        numbered(&self.parts.rows, number)
    }

    /// The cells of a column, counted from 1 at the left. Only square grids have columns.
    pub fn column(&self, number: i32) -> SiteSet {
        numbered(&self.parts.columns, number)
    }

    /// The fewest steps over neighbours from one site to another; none if no way leads there.
    #[inline]
    pub fn distance(&self, from: Site, to: Site) -> Option<u32> {
        match self.distances.get(self.pair(from, to)?) {
            Some(&steps) if steps != NONE => Some(u32::from(steps)),
            _ => None,
        }
    }

    /// The direction of the straight line of steps that leads from one site to another. Where
    /// two lead there, as on a ring, it is the shorter one.
    #[inline]
    pub fn direction(&self, from: Site, to: Site) -> Option<Direction> {
        *self.aims.get(self.pair(from, to)?)?
    }

    /// The rows of a points board as written; otherwise empty.
    pub fn lines(&self) -> &[Vec<Site>] {
        &self.parts.lines
    }

    fn pair(&self, from: Site, to: Site) -> Option<usize> {
        let n = self.len();
        (from.index() < n && to.index() < n).then(|| from.index() * n + to.index())
    }

    /// Works out the tables that follow from the parts.
    fn complete(parts: Parts) -> Board {
        let own = parts.names.iter().enumerate().filter_map(|(i, name)| Some((name.clone(), Site::from_index(i)?)));
        let by_name = parts.other_names.iter().cloned().chain(own).collect();
        let mut board = Board { parts, by_name, distances: Vec::new(), aims: Vec::new() };
        let n = board.len();
        board.distances.reserve(n * n);
        board.aims.reserve(n * n);
        for from in board.all() {
            let distances = board.distances_from(from);
            board.distances.extend(distances);
            let aims = board.aims_from(from);
            board.aims.extend(aims);
        }
        board
    }

    fn distances_from(&self, from: Site) -> Vec<u16> {
        let mut found = vec![NONE; self.len()];
        let mut seen = SiteSet::single(from);
        let mut front = seen;
        let mut steps = 0;
        // Each round reaches at least one new site, so there are at most as many as sites.
        while !front.is_empty() {
            let mut next = SiteSet::EMPTY;
            for site in front {
                if let Some(place) = found.get_mut(site.index()) {
                    *place = steps;
                }
                next |= self.neighbours(site);
            }
            front = next - seen;
            seen |= front;
            steps += 1;
        }
        found
    }

    fn aims_from(&self, from: Site) -> Vec<Option<Direction>> {
        let mut aims = vec![None; self.len()];
        let mut shortest = vec![usize::MAX; self.len()];
        for direction in self.compass() {
            let mut at = from;
            // A line that runs in a circle ends where it began, and no line is longer than
            // the board.
            for steps in 1..=self.len() {
                match self.step(at, direction) {
                    Some(next) if next != from => at = next,
                    _ => break,
                }
                if let (Some(aim), Some(best)) = (aims.get_mut(at.index()), shortest.get_mut(at.index()))
                    && steps < *best
                {
                    *aim = Some(direction);
                    *best = steps;
                }
            }
        }
        aims
    }
}

fn numbered(sets: &[SiteSet], number: i32) -> SiteSet {
    number
        .checked_sub(1)
        .and_then(|index| usize::try_from(index).ok())
        .and_then(|index| sets.get(index))
        .copied()
        .unwrap_or_default()
}
