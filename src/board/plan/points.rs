//! Boards of points: the points to scale where they fit, and the links between them.

use super::super::names::Scheme;
use super::super::text::gap;
use super::super::{Board, Site};
use super::{Label, Raw, Size, Spot, labels, width};
use std::collections::{BTreeMap, BTreeSet};

// A drawing to scale may grow this large before it gives up the scale.
const MAX_COLUMNS: f64 = 400.0;
const MAX_LINES: f64 = 200.0;

/// The most points for which a board is drawn huge.
const MOST_HUGE: usize = 16;

pub fn lay(board: &Board, size: Size, mark: i32) -> Option<Raw> {
    let pitch = match size {
        Size::Huge if board.len() > MOST_HUGE => return None,
        Size::Huge => (8, 4),
        Size::Large => (6.max(mark + 2), 3),
        Size::Medium => (4.max(mark + 2), 2),
        Size::Compact => (2.max(mark + 1), 1),
    };
    let mut raw = Raw::new(pitch, i32::from(size <= Size::Medium));
    let places = scaled(board, pitch).unwrap_or_else(|| ranked(board, pitch));
    raw.spots.extend(places.into_iter().map(|(x, y)| Spot { x, y, bar: None }));
    links(board, &mut raw);
    if board.parts.scheme == Scheme::Lattice {
        border(board, &mut raw);
    } else {
        names(board, &mut raw);
    }
    Some(raw)
}

/// A line along every link; those that pass through other points on their way are left out, for they would seem to end
/// there.
fn links(board: &Board, raw: &mut Raw) {
    let taken: BTreeSet<(i32, i32)> = raw.spots.iter().map(|spot| (spot.x, spot.y)).collect();
    for from in board.all() {
        for to in board.neighbours(from).iter().filter(|to| *to > from) {
            let (Some(a), Some(b)) = (raw.spots.get(from.index()), raw.spots.get(to.index())) else { continue };
            let (a, b) = ((a.x, a.y), (b.x, b.y));
            if a.0 == b.0 || a.1 == b.1 {
                let between = |at: &&(i32, i32)| {
                    **at != a
                        && **at != b
                        && (a.0.min(b.0)..=a.0.max(b.0)).contains(&at.0)
                        && (a.1.min(b.1)..=a.1.max(b.1)).contains(&at.1)
                };
                if taken.iter().find(between).is_none() {
                    raw.pen.line(a, b);
                }
            } else {
                raw.pen.slope(a, b);
            }
        }
    }
}

/// Letters below and numbers to the left, as the names of the points say.
fn border(board: &Board, raw: &mut Raw) {
    let left = raw.spots.iter().map(|spot| spot.x).min().unwrap_or(0);
    let bottom = raw.spots.iter().map(|spot| spot.y).max().unwrap_or(0);
    let (mut rows, mut columns) = (BTreeMap::new(), BTreeMap::new());
    for (site, spot) in board.all().iter().zip(&raw.spots) {
        let (letter, number) = labels::name_parts(board, site);
        rows.entry(spot.y).or_insert_with(|| number.to_owned());
        columns.entry(spot.x).or_insert_with(|| letter.to_owned());
    }
    let numbers = rows.into_iter().map(|(y, text)| Label { x: left - 2 - width(&text), y, text });
    raw.labels.extend(numbers);
    labels::letters(raw, bottom + 1, &columns, false);
}

/// Names that say nothing about the place stand beside their points, where there is room.
fn names(board: &Board, raw: &mut Raw) {
    let marks: BTreeSet<(i32, i32)> =
        raw.spots.iter().flat_map(|spot| (-2..=2).map(|dx| (spot.x + dx, spot.y))).collect();
    let mut used: BTreeSet<(i32, i32)> = BTreeSet::new();
    let all: Vec<(Site, Spot)> = board.all().iter().zip(raw.spots.iter().copied()).collect();
    for (site, spot) in all {
        let text = board.name(site);
        let wide = width(text);
        let places = [
            (spot.x + 3, spot.y),
            (spot.x - 2 - wide, spot.y),
            (spot.x - wide / 2, spot.y - 1),
            (spot.x - wide / 2, spot.y + 1),
        ];
        let free = |(x, y): &(i32, i32)| {
            (-1..=wide).all(|dx| !marks.contains(&(x + dx, *y)) && !used.contains(&(x + dx, *y)))
                && (0..wide).all(|dx| !raw.pen.covers((x + dx, *y)))
        };
        if let Some((x, y)) = places.into_iter().find(free) {
            used.extend((0..wide).map(|dx| (x + dx, y)));
            raw.labels.push(Label { x, y, text: text.to_owned() });
        }
    }
}

/// The columns and lines of the points drawn to scale, if they fit without touching.
fn scaled(board: &Board, pitch: (i32, i32)) -> Option<Vec<(i32, i32)>> {
    let xy = &board.parts.xy;
    let left = xy.iter().map(|place| place.0).fold(f64::INFINITY, f64::min);
    let top = xy.iter().map(|place| place.1).fold(f64::INFINITY, f64::min);
    let gap = gap(board);
    (1..=3).find_map(|factor| {
        let mut places = Vec::with_capacity(xy.len());
        let mut taken: BTreeSet<(i32, i32)> = BTreeSet::new();
        for &(x, y) in xy {
            let column = (x - left) / gap * f64::from(pitch.0 * factor);
            let line = (y - top) / gap * f64::from(pitch.1 * factor);
            // Written so that anything that is not a number fails as well.
            if !(column <= MAX_COLUMNS && line <= MAX_LINES) {
                return None;
            }
            let place = (column.round() as i32, line.round() as i32);
            taken.insert((place.1, place.0));
            places.push(place);
        }
        let close = taken.iter().zip(taken.iter().skip(1)).any(|(a, b)| a.0 == b.0 && b.1 - a.1 < pitch.0.min(4));
        (taken.len() == xy.len() && !close).then_some(places)
    })
}

/// The columns and lines of the points with every distance drawn alike, which always fits.
fn ranked(board: &Board, pitch: (i32, i32)) -> Vec<(i32, i32)> {
    let ranks = |values: Vec<f64>| {
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.dedup();
        let rank = |value: &f64| i32::try_from(sorted.partition_point(|other| other < value)).unwrap_or(0);
        values.iter().map(rank).collect::<Vec<i32>>()
    };
    let columns = ranks(board.parts.xy.iter().map(|place| place.0).collect());
    let lines = ranks(board.parts.xy.iter().map(|place| place.1).collect());
    columns.into_iter().zip(lines).map(|(column, line)| (column * pitch.0, line * pitch.1)).collect()
}
