//! Boards of which only some sites are kept.

use super::names::Scheme;
use super::{Board, BoardError, NONE, Parts, Site, SiteSet};

impl Board {
    /// The board without all other sites. Those kept stay where they are, under the same names; only where sites are
    /// numbered they are counted anew.
    pub fn keeping(&self, kept: SiteSet) -> Result<Board, BoardError> {
        let kept = kept & self.all();
        if kept.is_empty() {
            return Err(BoardError::NothingKept);
        }
        let mut number = vec![NONE; self.len()];
        for (new, site) in kept.iter().enumerate() {
            if let (Some(place), Some(new)) = (number.get_mut(site.index()), Site::from_index(new)) {
                *place = new.0;
            }
        }
        let renumbered = |site: Site| number.get(site.index()).copied().filter(|&new| new != NONE).map(Site);
        let set = |sites: &SiteSet| -> SiteSet { sites.iter().filter_map(renumbered).collect() };
        let old = &self.parts;
        let names = match old.scheme {
            Scheme::Numbered => (1..=kept.len()).map(|name| name.to_string()).collect(),
            _ => kept.iter().map(|site| self.name(site).to_owned()).collect(),
        };
        let mut steps: Vec<[u16; 16]> = picked(&old.steps, kept);
        for place in steps.iter_mut().flatten() {
            *place = Site::from_index(usize::from(*place)).and_then(renumbered).map_or(NONE, |next| next.0);
        }
        Ok(Board::complete(Parts {
            grid: old.grid,
            scheme: old.scheme,
            names,
            labels: kept.iter().filter_map(|site| old.labels.get(site.index()).cloned()).collect(),
            xy: picked(&old.xy, kept),
            cells: picked(&old.cells, kept),
            steps,
            neighbours: picked(&old.neighbours, kept).iter().map(set).collect(),
            compass: old.compass,
            directions: old.directions,
            edge: set(&old.edge),
            corners: set(&old.corners),
            centre: set(&old.centre),
            sides: std::array::from_fn(|side| old.sides.get(side).map(set).unwrap_or_default()),
            rows: old.rows.iter().map(set).collect(),
            columns: old.columns.iter().map(set).collect(),
            cells_class: set(&old.cells_class),
            edges_class: set(&old.edges_class),
            vertices_class: set(&old.vertices_class),
            other_names: old
                .other_names
                .iter()
                .filter_map(|(name, site)| Some((name.clone(), renumbered(*site)?)))
                .collect(),
            paths: Vec::new(),
            lines: old.lines.iter().map(|line| line.iter().copied().filter_map(renumbered).collect()).collect(),
        }))
    }

    /// The squares of the colour of the one at the bottom left, as a chess board is coloured; elsewhere there are none.
    pub fn dark(&self) -> SiteSet {
        if self.parts.grid != super::Grid::Square {
            return SiteSet::EMPTY;
        }
        // Rows are counted from the bottom, columns from the left.
        let of = |lines: &[SiteSet]| lines.iter().step_by(2).fold(SiteSet::EMPTY, |all, line| all | *line);
        let (rows, columns) = (of(&self.parts.rows), of(&self.parts.columns));
        self.all() - (rows - columns) - (columns - rows)
    }
}

/// The entries of the sites that are kept.
fn picked<T: Copy>(all: &[T], kept: SiteSet) -> Vec<T> {
    kept.iter().filter_map(|site| all.get(site.index()).copied()).collect()
}
