//! What the sites of a board look like in a picture: their outlines and the lines between them.

use super::{Board, Grid, Site};

/// The outline of a site, seen from its middle.
#[derive(Clone, PartialEq, Debug)]
pub enum Outline {
    /// A cell, by its corners.
    Polygon(Vec<(f64, f64)>),
    /// An edge between cells, by its ends.
    Bar((f64, f64), (f64, f64)),
    /// A point, or a corner of cells.
    Point,
}

impl Board {
    /// The outline of a site, in the measure of `xy`.
    pub fn outline(&self, site: Site) -> Outline {
        match self.grid() {
            Grid::Points => Outline::Point,
            Grid::Hex => {
                let (half, corner) = (0.5, 0.75f64.sqrt() * 2.0 / 3.0);
                Outline::Polygon(vec![
                    (0.0, -corner),
                    (half, -corner / 2.0),
                    (half, corner / 2.0),
                    (0.0, corner),
                    (-half, corner / 2.0),
                    (-half, -corner / 2.0),
                ])
            }
            Grid::Square if self.vertices().contains(site) => Outline::Point,
            Grid::Square if self.edges().contains(site) => {
                // Edges that stand lie on whole numbers of x, and those that lie down on whole numbers of y.
                let stands = self.xy(site).0.fract() == 0.0;
                let (x, y) = if stands { (0.0, 0.5) } else { (0.5, 0.0) };
                Outline::Bar((-x, -y), (x, y))
            }
            Grid::Square => Outline::Polygon(vec![(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]),
        }
    }

    /// The pairs of neighbours, each once.
    pub fn links(&self) -> Vec<(Site, Site)> {
        let pairs = |site: Site| self.neighbours(site).iter().map(move |other| (site, other));
        self.all().iter().flat_map(pairs).filter(|(site, other)| site.index() < other.index()).collect()
    }

    /// How far apart the two points are that lie nearest to each other; for cells, and for a single point, 1.
    pub fn spacing(&self) -> f64 {
        if self.grid() != Grid::Points {
            return 1.0;
        }
        let xy = &self.parts.xy;
        let nearest = xy
            .iter()
            .enumerate()
            .flat_map(|(i, a)| xy.iter().take(i).map(move |b| (a.0 - b.0).hypot(a.1 - b.1)))
            .fold(f64::INFINITY, f64::min);
        if nearest.is_finite() && nearest > 0.0 { nearest } else { 1.0 }
    }
}
