//! Draws a board as lines of monospaced text.

use std::collections::{BTreeMap, BTreeSet};

use super::names::Scheme;
use super::{Board, Grid, Site};

// A drawing of points to scale may grow this large before it gives up the scale.
const MAX_WIDTH: f64 = 200.0;
const MAX_HEIGHT: f64 = 100.0;

/// Draws a board with a mark for each site; every line ends in a newline. With labels the
/// border tells the names of the rows and columns; points whose names say nothing about their
/// place stand before their marks instead, as in "name:mark".
pub fn draw(board: &Board, mark: &dyn Fn(Site) -> String, labels: bool) -> String {
    let named = labels && board.parts.scheme == Scheme::Named;
    let marks: Vec<String> = board
        .all()
        .iter()
        .map(|site| {
            let shown = if named { format!("{}:{}", board.name(site), mark(site)) } else { mark(site) };
            // A line break within a mark would tear the drawing apart.
            shown.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
        })
        .collect();
    let canvas = match board.grid() {
        Grid::Hex => draw_hex(board, &marks, labels),
        Grid::Square => draw_square(board, &marks, labels),
        Grid::Points => draw_points(board, &marks, labels),
    };
    canvas.print()
}

/// Lines of characters with labels for the lines to their left.
#[derive(Default)]
struct Canvas {
    lines: Vec<Vec<char>>,
    left: BTreeMap<usize, String>,
}

impl Canvas {
    fn put(&mut self, line: usize, column: usize, text: &str) {
        while self.lines.len() <= line {
            self.lines.push(Vec::new());
        }
        let Some(row) = self.lines.get_mut(line) else {
            return;
        };
        for (i, c) in text.chars().enumerate() {
            while row.len() <= column + i {
                row.push(' ');
            }
            if let Some(place) = row.get_mut(column + i) {
                *place = c;
            }
        }
    }

    /// Writes labels side by side if there is room, else each downwards letter by letter with
    /// its last letter in the last line. Returns the number of lines used.
    fn put_letters(&mut self, line: usize, labels: &BTreeMap<usize, String>, room: usize) -> usize {
        let longest = labels.values().map(|label| width(label)).max().unwrap_or(0);
        if longest <= 1 || longest < room {
            for (&column, label) in labels {
                self.put(line, column, label);
            }
            return 1;
        }
        for (&column, label) in labels {
            let first = line + longest - width(label);
            for (i, letter) in label.chars().enumerate() {
                self.put(first + i, column, letter.encode_utf8(&mut [0; 4]));
            }
        }
        longest
    }

    fn print(&self) -> String {
        let margin = self.left.values().map(|label| width(label)).max();
        let mut text = String::new();
        for (i, line) in self.lines.iter().enumerate() {
            let mut shown: String = line.iter().collect();
            if let Some(margin) = margin {
                let label = self.left.get(&i).map_or("", String::as_str);
                shown = format!("{label:>margin$} {shown}");
            }
            text.push_str(shown.trim_end());
            text.push('\n');
        }
        text
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn widest(marks: &[String]) -> usize {
    marks.iter().map(|mark| width(mark)).max().unwrap_or(1).max(1)
}

fn longest_letters(board: &Board) -> usize {
    board.all().iter().map(|site| width(board.name_parts(site).0)).max().unwrap_or(0)
}

fn row_label(board: &Board, site: Site) -> String {
    match board.parts.scheme {
        Scheme::Numbered => board.name(site).to_owned(),
        _ => board.name_parts(site).1.to_owned(),
    }
}

/// The sites with their column and row and their marks.
fn placed<'a>(board: &'a Board, marks: &'a [String]) -> impl Iterator<Item = (Site, usize, usize, &'a str)> {
    let at = |value: i32| usize::try_from(value).unwrap_or(0);
    board
        .all()
        .iter()
        .zip(&board.parts.cells)
        .zip(marks)
        .map(move |((site, cell), mark)| (site, at(cell.0), at(cell.1), mark.as_str()))
}

fn draw_hex(board: &Board, marks: &[String], labels: bool) -> Canvas {
    let slant = match board.parts.scheme {
        Scheme::FromNorthWest if labels => Some(-1),
        Scheme::FromNorthEast if labels => Some(1),
        _ => None,
    };
    let mut room = widest(marks);
    if slant.is_some() {
        // The letters of slanted columns stand in places like those of cells.
        room = room.max(longest_letters(board));
    }
    // A cell takes two of the doubled columns, and one blank at least divides two cells.
    let unit = (room + 1).div_ceil(2);
    let mut canvas = Canvas::default();
    let mut top = 0;
    let mut shift = 0;

    if let Some(slant) = slant {
        // The letter of a slanted column stands where its next cell upwards would be.
        let mut heads: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (site, column, row, _) in placed(board, marks) {
            let letters = board.name_parts(site).0;
            heads.entry(letters).or_insert((column, row));
        }
        let at_rim = heads.values().any(|head| head.0 == 0);
        shift = usize::from(at_rim && slant < 0);
        top = 1;
        for (letters, (column, row)) in heads {
            if let Some(column) = (column + shift).checked_add_signed(slant) {
                canvas.put(row, column * unit, letters);
            }
        }
    } else if labels && board.parts.scheme == Scheme::Doubled {
        let mut letters = BTreeMap::new();
        for (site, column, _, _) in placed(board, marks) {
            letters.entry(column * unit).or_insert_with(|| board.name_parts(site).0.to_owned());
        }
        top = canvas.put_letters(0, &letters, unit);
    }
    for (site, column, row, mark) in placed(board, marks) {
        canvas.put(top + row, (column + shift) * unit, mark);
        if labels {
            canvas.left.entry(top + row).or_insert_with(|| row_label(board, site));
        }
    }
    canvas
}

fn draw_square(board: &Board, marks: &[String], labels: bool) -> Canvas {
    let lettered = labels && board.parts.scheme == Scheme::Square;
    let mut unit = widest(marks) + 1;
    if lettered {
        unit = unit.max(longest_letters(board) + 1);
    }
    let mut canvas = Canvas::default();
    let mut letters = BTreeMap::new();
    for (site, column, row, mark) in placed(board, marks) {
        canvas.put(row, column * unit, mark);
        // Edges and vertices are called after their cells.
        if !board.cells().contains(site) {
            continue;
        }
        if labels {
            canvas.left.entry(row).or_insert_with(|| row_label(board, site));
        }
        if lettered {
            letters.entry(column * unit).or_insert_with(|| board.name_parts(site).0.to_owned());
        }
    }
    if !board.edges().is_empty() && board.vertices().is_empty() {
        // The corners between them, to see where an edge is.
        let taken: BTreeSet<(usize, usize)> = placed(board, marks).map(|(_, column, row, _)| (column, row)).collect();
        for (column, row) in
            placed(board, marks).filter(|(site, ..)| board.edges().contains(*site)).flat_map(|(_, column, row, _)| {
                // An edge that lies down has a corner on each side, one that stands has them above and below.
                let lies = row % 2 == 0;
                [
                    (column - usize::from(lies), row - usize::from(!lies)),
                    (column + usize::from(lies), row + usize::from(!lies)),
                ]
            })
        {
            if !taken.contains(&(column, row)) {
                canvas.put(row, column * unit, "+");
            }
        }
    }
    if lettered {
        let below = canvas.lines.len();
        canvas.put_letters(below, &letters, unit);
    }
    canvas
}

fn draw_points(board: &Board, marks: &[String], labels: bool) -> Canvas {
    let lettered = labels && board.parts.scheme == Scheme::Lattice;
    let mut room = widest(marks);
    if lettered {
        room = room.max(longest_letters(board));
    }
    let unit = room + 1;
    let places = scaled(board, unit).unwrap_or_else(|| ranked(board, unit));

    let mut canvas = Canvas::default();
    let mut letters = BTreeMap::new();
    for ((site, &(column, line)), mark) in board.all().iter().zip(&places).zip(marks) {
        canvas.put(line, column, mark);
        if lettered {
            let (letter, number) = board.name_parts(site);
            canvas.left.entry(line).or_insert_with(|| number.to_owned());
            letters.entry(column).or_insert_with(|| letter.to_owned());
        }
    }
    if lettered {
        let below = canvas.lines.len();
        canvas.put_letters(below, &letters, unit);
    }
    canvas
}

/// The distance of points that is drawn as one step.
pub(super) fn gap(board: &Board) -> f64 {
    if board.parts.scheme == Scheme::Lattice {
        // Letters and numbers grow in whole steps.
        return 1.0;
    }
    let xy = &board.parts.xy;
    let pairs = xy.iter().enumerate().flat_map(|(i, a)| xy.iter().take(i).map(move |b| (a, b)));
    let nearest = pairs.map(|(a, b)| (a.0 - b.0).hypot(a.1 - b.1)).fold(f64::INFINITY, f64::min);
    if nearest.is_finite() && nearest > 0.0 { nearest } else { 1.0 }
}

/// The columns and lines of the points drawn to scale, if they fit without touching.
fn scaled(board: &Board, unit: usize) -> Option<Vec<(usize, usize)>> {
    let xy = &board.parts.xy;
    let left = xy.iter().map(|place| place.0).fold(f64::INFINITY, f64::min);
    let top = xy.iter().map(|place| place.1).fold(f64::INFINITY, f64::min);
    let gap = gap(board);
    // A character is about twice as high as it is wide; but wide marks need not make a drawing
    // equally high.
    let lines = (unit / 2).clamp(1, 3) as f64;
    (1..=4).find_map(|factor| {
        let mut taken: BTreeSet<(usize, usize)> = BTreeSet::new();
        let mut places = Vec::with_capacity(xy.len());
        for &(x, y) in xy {
            let column = (x - left) / gap * unit as f64 * f64::from(factor);
            let line = (y - top) / gap * lines * f64::from(factor);
            // Written so that anything that is not a number fails as well.
            if !(column <= MAX_WIDTH.max(4.0 * unit as f64) && line <= MAX_HEIGHT) {
                return None;
            }
            let place = (column.round() as usize, line.round() as usize);
            taken.insert((place.1, place.0));
            places.push(place);
        }
        let mut last: Option<(usize, usize)> = None;
        for &(line, column) in &taken {
            if last.is_some_and(|(above, before)| above == line && column < before + unit) {
                return None;
            }
            last = Some((line, column));
        }
        (taken.len() == xy.len()).then_some(places)
    })
}

/// The columns and lines of the points with every distance drawn alike, which always fits.
fn ranked(board: &Board, unit: usize) -> Vec<(usize, usize)> {
    let ranks = |values: Vec<f64>| {
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.dedup();
        values.iter().map(|value| sorted.partition_point(|other| other < value)).collect::<Vec<usize>>()
    };
    let columns = ranks(board.parts.xy.iter().map(|place| place.0).collect());
    let lines = ranks(board.parts.xy.iter().map(|place| place.1).collect());
    columns.into_iter().zip(lines).map(|(column, line)| (column * unit, line)).collect()
}
