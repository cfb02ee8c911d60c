//! The letters and numbers along the border of a board, and where they stand.

use super::classes::AROUND;
use super::names::{Scheme, split};
use super::{Board, Site};
use std::collections::BTreeMap;

// How far from the middle of the last site a letter or number stands.
const BESIDE: f64 = 0.85;

/// A letter or number beside the board, in the measure of `xy`.
#[derive(Clone, PartialEq, Debug)]
pub struct BorderLabel {
    pub text: String,
    pub x: f64,
    pub y: f64,
}

impl Board {
    /// The names of rows and columns; none where the names of sites say nothing about their place, and have to stand
    /// at the sites themselves.
    pub fn border(&self) -> Vec<BorderLabel> {
        match self.parts.scheme {
            Scheme::Numbered | Scheme::Named => Vec::new(),
            Scheme::Square if !(self.edges() | self.vertices()).is_empty() => self.divided_border(),
            Scheme::Square | Scheme::Lattice => self.square_border(),
            Scheme::Doubled => {
                let top = self.all().iter().map(|site| self.xy(site).1).fold(f64::INFINITY, f64::min) - BESIDE;
                let mut columns: BTreeMap<&str, f64> = BTreeMap::new();
                for site in self.all() {
                    columns.entry(self.name_parts(site).0).or_insert(self.xy(site).0);
                }
                let letters = columns.into_iter().map(|(text, x)| BorderLabel { text: text.to_owned(), x, y: top });
                letters.chain(self.rows(false)).collect()
            }
            Scheme::FromNorthWest => self.slanted_border(-0.5),
            Scheme::FromNorthEast => self.slanted_border(0.5),
        }
    }

    /// What the column and the row of a site are called in its name, mostly letters and a number; both empty if it is of another
    /// kind.
    pub(super) fn name_parts(&self, site: Site) -> (&str, &str) {
        match self.parts.labels.get(site.index()) {
            Some((column, row)) => (column, row),
            None => split(self.name(site)).unwrap_or(("", "")),
        }
    }

    /// The number of each row before its first cell, or behind its last.
    fn rows(&self, right: bool) -> Vec<BorderLabel> {
        let mut rows: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for site in self.all() {
            let (x, y) = self.xy(site);
            let end = rows.entry(self.name_parts(site).1).or_insert((x, y));
            end.0 = if right { end.0.max(x) } else { end.0.min(x) };
        }
        let beside = if right { BESIDE } else { -BESIDE };
        rows.into_iter().map(|(text, (x, y))| BorderLabel { text: text.to_owned(), x: x + beside, y }).collect()
    }

    /// The letter of a slanted column stands where its next cell upwards would be.
    fn slanted_border(&self, slant: f64) -> Vec<BorderLabel> {
        let mut heads: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for site in self.all() {
            heads.entry(self.name_parts(site).0).or_insert(self.xy(site));
        }
        let height = 0.75f64.sqrt();
        let letters: Vec<BorderLabel> = heads
            .into_iter()
            .map(|(text, (x, y))| BorderLabel { text: text.to_owned(), x: x + slant, y: y - height })
            .collect();
        let meets = |row: &BorderLabel| letters.iter().any(|head| (head.x - row.x).hypot(head.y - row.y) < 0.6);
        let left = self.rows(false);
        let rows = if left.iter().any(meets) { self.rows(true) } else { left };
        letters.into_iter().chain(rows).collect()
    }

    fn square_border(&self) -> Vec<BorderLabel> {
        let places = || self.all().iter().map(|site| self.xy(site));
        let beside = BESIDE * self.spacing();
        let left = places().map(|place| place.0).fold(f64::INFINITY, f64::min) - beside;
        let bottom = places().map(|place| place.1).fold(f64::NEG_INFINITY, f64::max) + beside;
        let mut columns: BTreeMap<&str, f64> = BTreeMap::new();
        let mut rows: BTreeMap<&str, f64> = BTreeMap::new();
        for site in self.all() {
            let ((column, row), (x, y)) = (self.name_parts(site), self.xy(site));
            columns.entry(column).or_insert(x);
            rows.entry(row).or_insert(y);
        }
        let columns = columns.into_iter().map(|(text, x)| BorderLabel { text: text.to_owned(), x, y: bottom });
        columns.chain(rows.into_iter().map(|(text, y)| BorderLabel { text: text.to_owned(), x: left, y })).collect()
    }

    /// Edges and vertices are called after their cells, which need not be sites themselves.
    fn divided_border(&self) -> Vec<BorderLabel> {
        let mut columns: BTreeMap<&str, f64> = BTreeMap::new();
        let mut rows: BTreeMap<&str, f64> = BTreeMap::new();
        for site in self.all() {
            let name = self.name(site);
            let (cell, side) = name.split_at(name.rfind(|c: char| c.is_ascii_digit()).map_or(name.len(), |at| at + 1));
            let (dx, dy) = AROUND.iter().find(|known| known.0 == side).map_or((0, 0), |known| known.1);
            if let Some((column, row)) = split(cell) {
                columns.entry(column).or_insert(self.xy(site).0 - f64::from(dx) / 2.0);
                rows.entry(row).or_insert(self.xy(site).1 - f64::from(dy) / 2.0);
            }
        }
        let bottom = rows.values().copied().fold(f64::NEG_INFINITY, f64::max) + BESIDE;
        let left = columns.values().copied().fold(f64::INFINITY, f64::min) - BESIDE;
        let columns = columns.into_iter().map(|(text, x)| BorderLabel { text: text.to_owned(), x, y: bottom });
        columns.chain(rows.into_iter().map(|(text, y)| BorderLabel { text: text.to_owned(), x: left, y })).collect()
    }
}
