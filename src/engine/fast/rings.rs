//! The sites around each site, clockwise.

use super::geometry::Geometry;
use crate::board::Board;

/// Most sites that lie around one.
pub const MOST_AROUND: usize = 8;

/// The positions one step away from one, by direction.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    /// Where there is none, the position in the middle.
    pub sites: [u16; MOST_AROUND],
    /// The directions in which there is none, a bit each.
    pub outside: u32,
}

/// The rings of all positions; none on boards with more directions.
#[derive(Clone, Debug, Default)]
pub struct Rings {
    directions: usize,
    rings: Vec<Ring>,
}

impl Rings {
    pub fn of<const W: usize>(geometry: &Geometry<W>, board: &Board) -> Self {
        let directions: Vec<_> = board.directions().iter().collect();
        if directions.len() > MOST_AROUND {
            return Self::default();
        }
        let around = |at: usize| {
            let mut ring = Ring { sites: [u16::try_from(at).unwrap_or(u16::MAX); MOST_AROUND], outside: 0 };
            for (bit, (site, way)) in ring.sites.iter_mut().zip(&directions).enumerate() {
                match geometry.step(at, *way).and_then(|to| u16::try_from(to).ok()) {
                    Some(to) => *site = to,
                    None => ring.outside |= 1 << bit,
                }
            }
            ring
        };
        Self { directions: directions.len(), rings: (0..geometry.positions).map(around).collect() }
    }

    /// How many sites are around one, those counted that there are not.
    pub fn directions(&self) -> usize {
        self.directions
    }

    /// What is around a position.
    #[inline]
    pub fn around(&self, position: usize) -> Option<&Ring> {
        self.rings.get(position)
    }
}
