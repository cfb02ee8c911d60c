//! The sites around each site, clockwise.

use super::geometry::Geometry;
use crate::board::Board;

/// Most sites that lie around one.
pub const MOST_AROUND: usize = 8;

/// Where there is no site.
const OUTSIDE: u16 = u16::MAX;

/// The positions one step away from each, by direction; none on boards with more directions.
#[derive(Clone, Debug, Default)]
pub struct Rings {
    directions: usize,
    sites: Vec<u16>,
}

impl Rings {
    pub fn of<const W: usize>(geometry: &Geometry<W>, board: &Board) -> Self {
        let directions: Vec<_> = board.directions().iter().collect();
        if directions.len() > MOST_AROUND {
            return Self::default();
        }
        let step = |at: usize, way| geometry.step(at, way).and_then(|to| u16::try_from(to).ok()).unwrap_or(OUTSIDE);
        let sites = (0..geometry.positions).flat_map(|at| directions.iter().map(move |way| step(at, *way))).collect();
        Self { directions: directions.len(), sites }
    }

    /// The positions around one.
    #[inline]
    pub fn around(&self, position: usize) -> &[u16] {
        let first = position.saturating_mul(self.directions);
        self.sites.get(first..first.saturating_add(self.directions)).unwrap_or_default()
    }
}
