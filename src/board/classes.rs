//! Boards of squares on whose edges and vertices one can play as well: all of it on one grid of half steps.

use std::collections::BTreeMap;

use super::names::letters;
use super::{BoardError, Classes, Direction, MAX_SITES, Parts, Shape, Site, SiteSet};

/// The sides and corners of a cell, in half steps. A site is called by the first that fits: after the cell to its left or
/// below it where there is one.
pub(super) const AROUND: [(&str, (i32, i32)); 8] = [
    ("n", (0, -1)),
    ("e", (1, 0)),
    ("s", (0, 1)),
    ("w", (-1, 0)),
    ("ne", (1, -1)),
    ("nw", (-1, -1)),
    ("se", (1, 1)),
    ("sw", (-1, 1)),
];

/// The sites of such a board in reading order: where they lie, and by what names each of its cells knows them.
pub(super) struct Divided {
    pub places: Vec<(i32, i32)>,
    names: Vec<Vec<(usize, String)>>,
}

impl Divided {
    /// Divides cells given by column and row.
    pub fn of(cells: &[(i32, i32)], wanted: Classes) -> Result<Self, BoardError> {
        let bottom = cells.iter().map(|cell| cell.1).max().unwrap_or(0);
        let mut sites: BTreeMap<(i32, i32), Vec<(usize, String)>> = BTreeMap::new();
        for &(column, row) in cells {
            let name = format!("{}{}", letters(usize::try_from(column).unwrap_or(0)), bottom - row + 1);
            let (x, y) = (2 * column + 1, 2 * row + 1);
            for (rank, (side, (dx, dy))) in AROUND.into_iter().enumerate() {
                if if dx == 0 || dy == 0 { wanted.edges } else { wanted.vertices } {
                    sites.entry((y + dy, x + dx)).or_default().push((rank, format!("{name}{side}")));
                }
            }
            if wanted.cells {
                sites.entry((y, x)).or_default().push((0, name));
            }
        }
        if sites.is_empty() {
            return Err(BoardError::NoSites);
        }
        if sites.len() > MAX_SITES {
            return Err(BoardError::TooManySites { count: sites.len() as u128 });
        }
        let places = sites.keys().map(|&(y, x)| (x, y)).collect();
        let mut names: Vec<Vec<(usize, String)>> = sites.into_values().collect();
        names.iter_mut().for_each(|names| names.sort());
        Ok(Self { places, names })
    }

    /// Puts right what a board of cells alone has otherwise.
    pub fn finish(self, shape: &Shape, parts: &mut Parts) {
        let set = |holds: &dyn Fn((i32, i32), usize) -> bool| -> SiteSet {
            let sites = self.places.iter().zip(&self.names).enumerate();
            sites
                .filter(|(_, (place, names))| holds(**place, names.len()))
                .filter_map(|(i, _)| Site::from_index(i))
                .collect()
        };
        let odd = |(x, y): (i32, i32)| (x & 1) + (y & 1);
        parts.cells_class = set(&|place, _| odd(place) == 2);
        parts.edges_class = set(&|place, _| odd(place) == 1);
        parts.vertices_class = set(&|place, _| odd(place) == 0);
        // At the rim something belongs to fewer cells than elsewhere.
        parts.edge = set(&|place, cells| cells < [4, 2, 1][odd(place) as usize]);
        let (right, bottom) = self.places.iter().fold((0, 0), |most, place| (most.0.max(place.0), most.1.max(place.1)));
        let boxed = matches!(shape, Shape::Rectangle { .. } | Shape::DrawnSquare(_));
        for (direction, side) in Direction::ALL.into_iter().zip(&mut parts.sides) {
            *side = match direction {
                Direction::N if boxed => set(&|place, _| place.1 == 0),
                Direction::S if boxed => set(&|place, _| place.1 == bottom),
                Direction::W if boxed => set(&|place, _| place.0 == 0),
                Direction::E if boxed => set(&|place, _| place.0 == right),
                _ => SiteSet::EMPTY,
            } & parts.edge;
        }
        let side = |direction: Direction| parts.sides.get(direction.index()).copied().unwrap_or_default();
        parts.corners = (side(Direction::N) | side(Direction::S)) & (side(Direction::E) | side(Direction::W));
        // Rows and columns are those of the cells.
        let lines = |count: i32, number: &dyn Fn((i32, i32)) -> i32| -> Vec<SiteSet> {
            (0..count).map(|line| set(&|place, _| odd(place) == 2 && number(place) == line)).collect()
        };
        parts.rows = lines(bottom / 2 + 1, &|place| (bottom - place.1) / 2);
        parts.columns = lines(right / 2 + 1, &|place| place.0 / 2);
        parts.xy = self.places.iter().map(|place| (f64::from(place.0) / 2.0, f64::from(place.1) / 2.0)).collect();
        for (index, names) in self.names.into_iter().enumerate() {
            let mut names = names.into_iter().map(|(_, name)| name);
            let (Some(site), Some(place), Some(first)) =
                (Site::from_index(index), parts.names.get_mut(index), names.next())
            else {
                continue;
            };
            *place = first;
            parts.other_names.extend(names.map(|name| (name, site)));
        }
    }
}
