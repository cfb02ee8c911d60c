//! The names of rows and columns at the border.

use super::super::names::Scheme;
use super::super::{Board, Site};
use super::{Label, Raw, cells, width};
use std::collections::BTreeMap;

/// The letters and the number in the name of a site; both empty if it is of another kind.
pub fn name_parts(board: &Board, site: Site) -> (&str, &str) {
    board.name_parts(site)
}

/// Row names to the left of the first site of each row: beside it, or all in one column.
pub fn rows(board: &Board, raw: &mut Raw, gap: i32, beside: bool) {
    let mut firsts: BTreeMap<i32, (i32, Site)> = BTreeMap::new();
    for (site, _) in cells(board).filter(|(site, _)| board.cells().contains(*site)) {
        let Some(spot) = raw.spots.get(site.index()) else { continue };
        let first = firsts.entry(spot.y).or_insert((spot.x, site));
        if spot.x < first.0 {
            *first = (spot.x, site);
        }
    }
    let left = firsts.values().map(|first| first.0).min().unwrap_or(0);
    for (y, (x, site)) in firsts {
        let text = match board.parts.scheme {
            Scheme::Numbered => board.name(site).to_owned(),
            _ => name_parts(board, site).1.to_owned(),
        };
        let x = if beside { x } else { left };
        raw.labels.push(Label { x: x - gap - width(&text), y, text });
    }
}

/// Letters in one line, each at its column; or downwards, letter by letter, where they would touch. `up` makes the line
/// the last of theirs, else it is the first.
pub fn letters(raw: &mut Raw, line: i32, columns: &BTreeMap<i32, String>, up: bool) {
    let longest = columns.values().map(|text| width(text)).max().unwrap_or(0);
    let nearest = columns.keys().zip(columns.keys().skip(1)).map(|(a, b)| b - a).min().unwrap_or(i32::MAX);
    if longest < nearest || longest <= 1 {
        let shown = columns.iter().map(|(x, text)| Label { x: *x, y: line, text: text.clone() });
        raw.labels.extend(shown);
        return;
    }
    for (x, text) in columns {
        let above = if up { width(text) - 1 } else { 0 };
        let letters = (0..).zip(text.chars());
        raw.labels.extend(letters.map(|(row, letter)| Label {
            x: *x,
            y: line - above + row,
            text: letter.to_string(),
        }));
    }
}
