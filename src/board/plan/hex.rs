//! Boards of hexes: rows shifted by half a cell, with the slanted sides drawn where there is room.

use super::super::Board;
use super::super::names::Scheme;
use super::{Label, Raw, Size, Spot, Stroke, cells, labels, taken, width};
use std::collections::BTreeMap;

pub fn lay(board: &Board, size: Size, mark: i32) -> Option<Raw> {
    let half = match size {
        Size::Huge => return None,
        Size::Large => (2, 2),
        Size::Medium => ((mark + 3) / 2, 1),
        Size::Compact => ((mark + 2) / 2, 1),
    };
    let bordered = size == Size::Large;
    let mut raw = Raw::new((2 * half.0, half.1), i32::from(size <= Size::Medium));
    raw.spots.extend(cells(board).map(|(_, (column, row))| Spot { x: column * half.0, y: row * half.1, bar: None }));
    if bordered {
        for spot in raw.spots.clone() {
            for (dy, west, east) in [(-1, Stroke::Rising, Stroke::Falling), (1, Stroke::Falling, Stroke::Rising)] {
                raw.pen.stroke((spot.x - 1, spot.y + dy), west);
                raw.pen.stroke((spot.x + 1, spot.y + dy), east);
            }
            for x in [spot.x - 2, spot.x + 2] {
                raw.pen.stroke((x, spot.y), Stroke::Arms { up: true, down: true, left: false, right: false });
            }
        }
    }
    let gap = if bordered { 3 } else { 2 };
    match board.parts.scheme {
        Scheme::FromNorthWest => slanted(board, &mut raw, half, -1, bordered),
        Scheme::FromNorthEast => slanted(board, &mut raw, half, 1, bordered),
        Scheme::Doubled => {
            let mut columns = BTreeMap::new();
            for (site, (column, _)) in cells(board) {
                columns.entry(column * half.0).or_insert_with(|| labels::name_parts(board, site).0.to_owned());
            }
            let top = raw.spots.iter().map(|spot| spot.y).min().unwrap_or(0);
            labels::letters(&mut raw, top - 1 - i32::from(bordered), &columns, true);
        }
        _ => {}
    }
    // Names in one column are easily followed only where the rows begin near it.
    let beside = board.parts.scheme != Scheme::Doubled;
    let slant = i32::from(board.parts.scheme == Scheme::FromNorthWest);
    labels::rows(board, &mut raw, gap + slant * (half.0 - 1).max(0), beside);
    Some(raw)
}

/// The letter of a slanted line of cells stands where its next cell upwards would be.
fn slanted(board: &Board, raw: &mut Raw, half: (i32, i32), slant: i32, bordered: bool) {
    let sites = taken(board);
    let mut seen = Vec::new();
    for (site, (column, row)) in cells(board) {
        let text = labels::name_parts(board, site).0;
        if seen.contains(&text) || sites.contains_key(&(column + slant, row - 1)) {
            continue;
        }
        seen.push(text);
        let (mut x, mut y) = ((column + slant) * half.0, (row - 1) * half.1);
        if bordered {
            // Right at the upper corner of the cell.
            (x, y) = (column * half.0 + 2 * slant, row * half.1 - 1 - i32::from(slant < 0));
            if slant > 0 {
                x += 1;
                y = row * half.1 - 1;
            } else {
                x += 1;
            }
        }
        let x = if slant < 0 { x - width(text) + 1 } else { x };
        raw.labels.push(Label { x, y, text: text.to_owned() });
    }
}
