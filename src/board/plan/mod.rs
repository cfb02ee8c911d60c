//! Where the sites of a board go on a screen of characters, with the lines between them and the names at the border.

mod hex;
mod ink;
mod labels;
mod points;
mod square;

#[cfg(test)]
mod tests;

pub use ink::{Ink, Stroke};

use super::{Board, Grid, Site};
use ink::Pen;
use std::collections::BTreeMap;

/// How much room a drawing takes, from the most to the least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Size {
    /// Cells that only small boards have room for.
    Huge,
    /// Cells with borders.
    Large,
    /// Cells without borders, a blank between them.
    Medium,
    /// Marks side by side.
    Compact,
}

impl Size {
    pub const ALL: [Size; 4] = [Size::Huge, Size::Large, Size::Medium, Size::Compact];
}

/// A way over the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heading {
    Up,
    Down,
    Left,
    Right,
}

/// The place of a site: the middle of its mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    pub x: i32,
    pub y: i32,
    /// How far an edge reaches to both sides of the middle: columns if it lies, lines if it stands.
    pub bar: Option<Bar>,
}

/// An edge between two cells, drawn as a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bar {
    Lying(i32),
    Standing(i32),
}

/// The name of a row, a column or a point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Of its first character.
    pub x: i32,
    pub y: i32,
    pub text: String,
}

/// A board laid out: columns and lines count from 0 at the top left.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    pub size: Size,
    pub width: i32,
    pub height: i32,
    /// In the order of the sites.
    spots: Vec<Spot>,
    ink: Vec<Ink>,
    labels: Vec<Label>,
    /// Columns and lines from one cell to the next.
    pitch: (i32, i32),
    /// Blank columns to the left and right of the middle, free for brackets.
    pub room: i32,
}

impl Plan {
    /// Lays out a board for marks of at most this width; none if the board has no drawing of this size.
    #[must_use]
    pub fn new(board: &Board, size: Size, mark: usize) -> Option<Self> {
        // Wider marks than these would tear any board apart; they are cut when they are drawn.
        let mark = i32::try_from(mark.clamp(1, 4)).unwrap_or(1);
        let raw = match board.grid() {
            Grid::Hex => hex::lay(board, size, mark),
            Grid::Square if board.cells() != board.all() => square::lay_classes(board, size, mark),
            Grid::Square => square::lay(board, size, mark),
            Grid::Points => points::lay(board, size, mark),
        };
        raw.map(|raw| raw.finish(size))
    }

    /// A layout without sites.
    #[must_use]
    pub fn nothing() -> Self {
        Raw::new((1, 1), 0).finish(Size::Compact)
    }

    /// The largest layout that fits, or the smallest one if none does.
    #[must_use]
    pub fn fitting(board: &Board, mark: usize, width: i32, height: i32) -> Option<Self> {
        let mut plans = Size::ALL.into_iter().filter_map(|size| Self::new(board, size, mark));
        let mut smallest = plans.next()?;
        while smallest.width > width || smallest.height > height {
            match plans.next() {
                Some(plan) => smallest = plan,
                None => break,
            }
        }
        Some(smallest)
    }

    #[must_use]
    pub fn spot(&self, site: Site) -> Option<Spot> {
        self.spots.get(site.index()).copied()
    }

    /// The sites with their places.
    pub fn spots(&self) -> impl Iterator<Item = (Site, Spot)> + '_ {
        self.spots.iter().enumerate().filter_map(|(index, spot)| Some((Site::from_index(index)?, *spot)))
    }

    #[must_use]
    pub fn ink(&self) -> &[Ink] {
        &self.ink
    }

    #[must_use]
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// Columns and lines from one cell to the next.
    #[must_use]
    pub fn pitch(&self) -> (i32, i32) {
        self.pitch
    }

    /// The site that is meant by pointing at a character.
    #[must_use]
    pub fn site_at(&self, x: i32, y: i32) -> Option<Site> {
        let far = |spot: &Spot| {
            let (mut dx, mut dy) = ((x - spot.x).abs(), (y - spot.y).abs());
            match spot.bar {
                Some(Bar::Lying(reach)) => dx = (dx - reach).max(0),
                Some(Bar::Standing(reach)) => dy = (dy - reach).max(0),
                None => {}
            }
            let (dx, dy) = (f64::from(dx) / f64::from(self.pitch.0), f64::from(dy) / f64::from(self.pitch.1));
            dx.hypot(dy)
        };
        let nearest = self.spots().map(|(site, spot)| (site, far(&spot))).min_by(|a, b| a.1.total_cmp(&b.1));
        nearest.filter(|(_, far)| *far < 0.75).map(|(site, _)| site)
    }

    /// The next site in some direction: the nearest of those more ahead than aside, else of all ahead.
    #[must_use]
    pub fn neighbour(&self, from: Site, heading: Heading) -> Option<Site> {
        let start = self.spot(from)?;
        // A character is about twice as high as it is wide.
        let offset = |spot: &Spot| (f64::from(spot.x - start.x) / 2.0, f64::from(spot.y - start.y));
        let ahead = |spot: &Spot| {
            let (x, y) = offset(spot);
            match heading {
                Heading::Up => (-y, x),
                Heading::Down => (y, -x),
                Heading::Left => (-x, -y),
                Heading::Right => (x, y),
            }
        };
        // Of two equally near, up and down take different ones, so that down goes back where up came from.
        let cost = |(along, across): (f64, f64)| along + 2.0 * across.abs() - if across > 0.0 { 0.001 } else { 0.0 };
        let nearest = |wide: bool| {
            let fits = |(along, across): &(f64, f64)| *along > 0.0 && (wide || across.abs() <= *along);
            let ways = self.spots().map(|(site, spot)| (site, ahead(&spot))).filter(|(_, way)| fits(way));
            ways.min_by(|a, b| cost(a.1).total_cmp(&cost(b.1))).map(|(site, _)| site)
        };
        nearest(false).or_else(|| nearest(true))
    }
}

/// A layout in the making: with places that may lie left of and above the first column and line.
struct Raw {
    spots: Vec<Spot>,
    pen: Pen,
    labels: Vec<Label>,
    pitch: (i32, i32),
    room: i32,
}

impl Raw {
    fn new(pitch: (i32, i32), room: i32) -> Self {
        Self { spots: Vec::new(), pen: Pen::default(), labels: Vec::new(), pitch, room }
    }

    /// Moves everything so that the least column and line are 0.
    fn finish(self, size: Size) -> Plan {
        let mut ink = self.pen.finish();
        let (mut spots, mut labels) = (self.spots, self.labels);
        let reach = |spot: &Spot| match spot.bar {
            Some(Bar::Lying(reach)) => (reach, 0),
            Some(Bar::Standing(reach)) => (0, reach),
            // Brackets may stand beside any mark.
            None => (1, 0),
        };
        let boxes = spots.iter().map(|spot| {
            let (x, y) = reach(spot);
            (spot.x - x, spot.y - y, spot.x + x, spot.y + y)
        });
        let drawn = ink.iter().map(|ink| (ink.x, ink.y, ink.x, ink.y));
        let named = labels.iter().map(|label| (label.x, label.y, label.x + width(&label.text) - 1, label.y));
        let whole =
            boxes.chain(drawn).chain(named).reduce(|a, b| (a.0.min(b.0), a.1.min(b.1), a.2.max(b.2), a.3.max(b.3)));
        let (left, top, right, bottom) = whole.unwrap_or_default();
        for spot in &mut spots {
            (spot.x, spot.y) = (spot.x - left, spot.y - top);
        }
        for ink in &mut ink {
            (ink.x, ink.y) = (ink.x - left, ink.y - top);
        }
        for label in &mut labels {
            (label.x, label.y) = (label.x - left, label.y - top);
        }
        let (width, height) = (right - left + 1, bottom - top + 1);
        Plan { size, width, height, spots, ink, labels, pitch: self.pitch, room: self.room }
    }
}

/// How many columns a text takes; names of sites are plain letters and digits, or what an author wrote.
fn width(text: &str) -> i32 {
    i32::try_from(text.chars().count()).unwrap_or(i32::MAX)
}

/// The column and row of each cell.
fn cells(board: &Board) -> impl Iterator<Item = (Site, (i32, i32))> + '_ {
    board.all().iter().zip(board.parts.cells.iter().copied())
}

/// The places that hold a cell.
fn taken(board: &Board) -> BTreeMap<(i32, i32), Site> {
    cells(board).map(|(site, cell)| (cell, site)).collect()
}
