//! Boards of squares, and of what lies between them.

use super::super::Board;
use super::super::names::Scheme;
use super::{Bar, Raw, Size, Spot, Stroke, cells, labels, taken};
use std::collections::BTreeMap;

/// The most sites along a side for which cells are huge.
const MOST_HUGE: i32 = 5;

/// Squares alone.
pub fn lay(board: &Board, size: Size, mark: i32) -> Option<Raw> {
    let span = board.parts.cells.iter().map(|cell| cell.0.max(cell.1) + 1).max().unwrap_or(1);
    let pitch = match size {
        Size::Huge if span > MOST_HUGE => return None,
        Size::Huge => (8, 4),
        Size::Large => (mark + 3, 2),
        Size::Medium => (mark + 2, 1),
        Size::Compact => (mark + 1, 1),
    };
    let mut raw = Raw::new(pitch, i32::from(size <= Size::Medium));
    let at = |cell: (i32, i32)| (cell.0 * pitch.0, cell.1 * pitch.1);
    raw.spots.extend(cells(board).map(|(_, cell)| {
        let (x, y) = at(cell);
        Spot { x, y, bar: None }
    }));
    let bordered = size <= Size::Large;
    if bordered {
        for (_, cell) in cells(board) {
            let (x, y) = at(cell);
            // The frame of a cell is that of its neighbours too.
            let (left, right) = (x - pitch.0 / 2, x - pitch.0 / 2 + pitch.0);
            let (top, bottom) = (y - pitch.1 / 2, y - pitch.1 / 2 + pitch.1);
            raw.pen.line((left, top), (right, top));
            raw.pen.line((left, bottom), (right, bottom));
            raw.pen.line((left, top), (left, bottom));
            raw.pen.line((right, top), (right, bottom));
        }
    }
    border(board, &mut raw, if bordered { pitch.0 / 2 + 1 } else { 2 }, if bordered { pitch.1 / 2 + 1 } else { 1 });
    Some(raw)
}

/// Squares divided into cells, edges and vertices: what is even lies between cells.
pub fn lay_classes(board: &Board, size: Size, mark: i32) -> Option<Raw> {
    let half = match size {
        Size::Huge => return None,
        Size::Large => (4.max(mark + 1), 2),
        Size::Medium => (2.max(mark + 1), 1),
        Size::Compact => (mark.max(1), 1),
    };
    let mut raw = Raw::new(half, i32::from(size <= Size::Medium));
    for (_, (column, row)) in cells(board) {
        let bar = match (column % 2 == 0, row % 2 == 0) {
            (false, true) => Some(Bar::Lying(half.0 - 1)),
            (true, false) => Some(Bar::Standing(half.1 - 1)),
            _ => None,
        };
        raw.spots.push(Spot { x: column * half.0, y: row * half.1, bar });
    }
    // The corners between edges, to see where an edge is.
    let sites = taken(board);
    for (column, row) in sites.keys().copied() {
        let ends = match (column % 2 == 0, row % 2 == 0) {
            (false, true) => [(column - 1, row), (column + 1, row)],
            (true, false) => [(column, row - 1), (column, row + 1)],
            _ => continue,
        };
        for corner in ends.into_iter().filter(|corner| !sites.contains_key(corner)) {
            raw.pen.stroke((corner.0 * half.0, corner.1 * half.1), Stroke::Dot);
        }
    }
    border(board, &mut raw, half.0 + 1, half.1 + 1);
    Some(raw)
}

/// Numbers to the left and letters below.
fn border(board: &Board, raw: &mut Raw, left: i32, below: i32) {
    labels::rows(board, raw, left, board.parts.scheme == Scheme::Numbered);
    if board.parts.scheme != Scheme::Square {
        return;
    }
    let mut columns = BTreeMap::new();
    for (site, _) in cells(board).filter(|(site, _)| board.cells().contains(*site)) {
        if let Some(spot) = raw.spots.get(site.index()) {
            columns.entry(spot.x).or_insert_with(|| labels::name_parts(board, site).0.to_owned());
        }
    }
    let lowest = raw.spots.iter().zip(board.all().iter()).filter(|(_, site)| board.cells().contains(*site));
    let lowest = lowest.map(|(spot, _)| spot.y).max().unwrap_or(0);
    labels::letters(raw, lowest + below, &columns, false);
}
