//! Builds the boards that are made of points and links rather than of cells.

use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

use super::names::{Scheme, column_of, letters, split};
use super::{BoardError, Direction, Directions, Grid, MAX_SITES, NONE, Parts, Site, SiteSet};

// Coordinates up to here can be multiplied and added without trouble.
const FARTHEST: f64 = 1_000_000.0;

/// Points on a circle named 1 to n; the number is known to be small.
pub(super) fn ring(n: u32) -> Result<Parts, BoardError> {
    let count = n as usize;
    let mut parts = empty((1..=n).map(|i| i.to_string()).collect(), circle(count), Scheme::Named);
    round(&mut parts);
    if count > 1 {
        for i in 0..count {
            step(&mut parts, i, Direction::E, (i + 1) % count);
        }
    }
    Ok(finish(parts))
}

/// Circles around each other with as many points on each, joined along the circles and from each circle to the next. The
/// circles are a, b, c from the inside, the points numbered clockwise from the top. The numbers are known to be small.
pub(super) fn rings(circles: usize, points: usize) -> Parts {
    let inner = (0.5 / (PI / points.max(2) as f64).sin()).max(1.0);
    let outer = inner + circles.saturating_sub(1) as f64;
    let all = || (0..circles).flat_map(|circle| (0..points).map(move |point| (circle, point)));
    let names = all().map(|(circle, point)| format!("{}{}", letters(circle), point + 1)).collect();
    let place = |(circle, point): (usize, usize)| {
        let angle = TAU * point as f64 / points as f64;
        let radius = inner + circle as f64;
        (outer + radius * angle.sin(), outer - radius * angle.cos())
    };
    let mut parts = empty(names, all().map(place).collect(), Scheme::Named);
    for (circle, point) in all() {
        let here = circle * points + point;
        let onward = circle * points + (point + 1) % points;
        if onward != here {
            step(&mut parts, here, Direction::E, onward);
        }
        if circle + 1 < circles {
            step(&mut parts, here, Direction::N, here + points);
        }
    }
    parts.edge = some((circles.saturating_sub(1) * points..circles * points).collect());
    parts.rows = (0..circles).map(|circle| some((circle * points..(circle + 1) * points).collect())).collect();
    parts.columns =
        (0..points).map(|point| some((0..circles).map(|circle| circle * points + point).collect())).collect();
    finish(parts)
}

/// Small triangles in a large one: each row from the top has two more, the first and the last with their tips up. They are
/// called by their place in the row and the row. The side is known to be small.
pub(super) fn triangles(side: usize) -> Parts {
    let all = || (0..side).flat_map(|row| (0..2 * row + 1).map(move |at| (row, at)));
    let index = |row: usize, at: usize| row * row + at;
    let names = all().map(|(row, at)| format!("{}{}", letters(at), row + 1)).collect();
    // The middles of neighbours are one apart.
    let place = |(row, at): (usize, usize)| {
        let down = if at % 2 == 0 { 1.0 } else { 0.5 };
        ((side - 1 - row + at) as f64 * 0.75f64.sqrt(), 1.5 * row as f64 + down)
    };
    let mut parts = empty(names, all().map(place).collect(), Scheme::Named);
    for (row, at) in all() {
        if at < 2 * row {
            step(&mut parts, index(row, at), Direction::E, index(row, at + 1));
        }
        if at % 2 == 0 && row + 1 < side {
            step(&mut parts, index(row, at), Direction::S, index(row + 1, at + 1));
        }
    }
    let last = |row: usize| index(row, 2 * row);
    let bottom = side.saturating_sub(1);
    let rows = |of: &dyn Fn(usize) -> usize| some((0..side).map(of).collect());
    let lowest = some((0..side).map(|at| index(bottom, 2 * at)).collect());
    let (left, right) = (rows(&|row| index(row, 0)), rows(&last));
    for (direction, side) in [(Direction::NW, left), (Direction::NE, right), (Direction::S, lowest)] {
        if let Some(place) = parts.sides.get_mut(direction.index()) {
            *place = side;
        }
        parts.edge |= side;
    }
    parts.corners = some(vec![0, index(bottom, 0), last(bottom)]);
    parts.rows = (0..side).map(|row| some((index(row, 0)..=last(row)).collect())).collect();
    finish(parts)
}

fn some(sites: Vec<usize>) -> SiteSet {
    sites.into_iter().filter_map(Site::from_index).collect()
}

/// A step that is undone by its opposite.
fn step(parts: &mut Parts, from: usize, direction: Direction, to: usize) {
    join(parts, from, to);
    set_step(parts, from, direction, to);
    set_step(parts, to, direction.opposite(), from);
}

/// Points joined along rows of names.
pub(super) fn lines(rows: &[Vec<String>]) -> Result<Parts, BoardError> {
    let mut names: Vec<String> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut written: Vec<Vec<usize>> = Vec::with_capacity(rows.len());
    for row in rows {
        let mut line = Vec::with_capacity(row.len());
        for name in row {
            if name.trim().is_empty() {
                return Err(BoardError::EmptyName);
            }
            let index = *known.entry(name).or_insert_with(|| {
                names.push(name.clone());
                names.len() - 1
            });
            if line.last() == Some(&index) {
                return Err(BoardError::SelfLink { name: name.clone() });
            }
            line.push(index);
        }
        written.push(line);
    }
    check_count(names.len())?;

    let mut parts = match lattice(&names) {
        Some(xy) => {
            check_places(&names, &xy)?;
            let mut parts = empty(names, xy, Scheme::Lattice);
            boxed(&mut parts);
            parts
        }
        None => {
            let xy = circle(names.len());
            let mut parts = empty(names, xy, Scheme::Named);
            round(&mut parts);
            parts
        }
    };
    for line in &written {
        for pair in line.windows(2) {
            if let &[a, b] = pair {
                link(&mut parts, a, b);
            }
        }
    }
    parts.lines =
        written.iter().map(|line| line.iter().filter_map(|&index| Site::from_index(index)).collect()).collect();
    Ok(finish(parts))
}

/// Points with places of their own, joined by links.
pub(super) fn graph(points: &[(String, f64, f64)], links: &[(String, String)]) -> Result<Parts, BoardError> {
    check_count(points.len())?;
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (i, (name, x, y)) in points.iter().enumerate() {
        if name.trim().is_empty() {
            return Err(BoardError::EmptyName);
        }
        if known.insert(name, i).is_some() {
            return Err(BoardError::DuplicateName { name: name.clone() });
        }
        // Written so that "not a number" fails as well.
        if !(x.abs() <= FARTHEST && y.abs() <= FARTHEST) {
            return Err(BoardError::BadPlace { name: name.clone() });
        }
    }
    let names: Vec<String> = points.iter().map(|point| point.0.clone()).collect();
    let xy: Vec<(f64, f64)> = points.iter().map(|point| (point.1, point.2)).collect();
    check_places(&names, &xy)?;

    let mut parts = empty(names, xy, Scheme::Named);
    boxed(&mut parts);
    for (from, to) in links {
        let find = |name: &String| {
            known.get(name.as_str()).copied().ok_or_else(|| BoardError::UnknownPoint { name: name.clone() })
        };
        let (a, b) = (find(from)?, find(to)?);
        if a == b {
            return Err(BoardError::SelfLink { name: from.clone() });
        }
        link(&mut parts, a, b);
    }
    Ok(finish(parts))
}

fn check_count(count: usize) -> Result<(), BoardError> {
    if count == 0 {
        Err(BoardError::NoSites)
    } else if count > MAX_SITES {
        Err(BoardError::TooManySites { count: count as u128 })
    } else {
        Ok(())
    }
}

fn check_places(names: &[String], xy: &[(f64, f64)]) -> Result<(), BoardError> {
    for (i, place) in xy.iter().enumerate() {
        let same = xy.iter().take(i).position(|other| other == place);
        if let Some((first, second)) = same.and_then(|j| names.get(j)).zip(names.get(i)) {
            return Err(BoardError::SamePlace { first: first.clone(), second: second.clone() });
        }
    }
    Ok(())
}

/// The places that names such as "d6" stand for, if all the names are of that kind.
fn lattice(names: &[String]) -> Option<Vec<(f64, f64)>> {
    let mut columns_and_rows = Vec::with_capacity(names.len());
    for name in names {
        let (letters, digits) = split(name)?;
        let row: u32 = digits.parse().ok().filter(|&row| row <= 1_000_000)?;
        columns_and_rows.push((column_of(letters)?, row));
    }
    // The numbers grow upwards, y grows downwards.
    let top = columns_and_rows.iter().map(|place| place.1).max()?;
    Some(columns_and_rows.iter().map(|&(column, row)| (f64::from(column), f64::from(top - row))).collect())
}

/// Places on a circle, clockwise from the top, each 1 away from the next.
fn circle(count: usize) -> Vec<(f64, f64)> {
    if count < 2 {
        return vec![(0.0, 0.0); count];
    }
    let n = count as f64;
    let radius = 0.5 / (PI / n).sin();
    (0..count)
        .map(|i| {
            let angle = TAU * i as f64 / n;
            (radius + radius * angle.sin(), radius - radius * angle.cos())
        })
        .collect()
}

fn empty(names: Vec<String>, xy: Vec<(f64, f64)>, scheme: Scheme) -> Parts {
    let n = names.len();
    Parts {
        grid: Grid::Points,
        scheme,
        names,
        xy,
        cells: Vec::new(),
        steps: vec![[NONE; 16]; n],
        neighbours: vec![SiteSet::EMPTY; n],
        compass: Directions::EMPTY,
        directions: Directions::EMPTY,
        edge: SiteSet::EMPTY,
        corners: SiteSet::EMPTY,
        centre: SiteSet::EMPTY,
        sides: [SiteSet::EMPTY; 16],
        rows: Vec::new(),
        columns: Vec::new(),
        lines: Vec::new(),
        cells_class: SiteSet::first(n),
        edges_class: SiteSet::EMPTY,
        vertices_class: SiteSet::EMPTY,
        labels: Vec::new(),
        other_names: Vec::new(),
        paths: Vec::new(),
    }
}

/// On a circle all points are alike: all are at the rim, and none is a corner.
fn round(parts: &mut Parts) {
    parts.edge = SiteSet::first(parts.names.len());
}

/// Takes edge, corners and centre from the box around the points.
fn boxed(parts: &mut Parts) {
    let mut left = f64::INFINITY;
    let mut top = f64::INFINITY;
    let mut right = f64::NEG_INFINITY;
    let mut bottom = f64::NEG_INFINITY;
    for &(x, y) in &parts.xy {
        left = left.min(x);
        right = right.max(x);
        top = top.min(y);
        bottom = bottom.max(y);
    }
    let slack = 1e-9 * (right - left).max(bottom - top).max(1e-9);
    let near = |a: f64, b: f64| (a - b).abs() <= slack;
    for (i, &(x, y)) in parts.xy.iter().enumerate() {
        let Some(site) = Site::from_index(i) else {
            continue;
        };
        let beside = near(x, left) || near(x, right);
        let above = near(y, top) || near(y, bottom);
        if beside || above {
            parts.edge.insert(site);
        }
        if beside && above {
            parts.corners.insert(site);
        }
        if near(x, (left + right) / 2.0) && near(y, (top + bottom) / 2.0) {
            parts.centre.insert(site);
        }
    }
}

fn join(parts: &mut Parts, a: usize, b: usize) {
    for (from, to) in [(a, b), (b, a)] {
        if let (Some(near), Some(site)) = (parts.neighbours.get_mut(from), Site::from_index(to)) {
            near.insert(site);
        }
    }
}

fn set_step(parts: &mut Parts, from: usize, direction: Direction, to: usize) {
    let row = parts.steps.get_mut(from);
    let place = row.and_then(|row| row.get_mut(direction.index()));
    if let (Some(place), Some(site)) = (place, Site::from_index(to)) {
        *place = site.0;
        parts.compass.insert(direction);
    }
}

/// Joins two points, with a direction if it is still free at both ends: a step and the step
/// back always undo each other.
fn link(parts: &mut Parts, a: usize, b: usize) {
    let (Some(from), Some(to)) = (Site::from_index(a), Site::from_index(b)) else {
        return;
    };
    if parts.neighbours.get(a).is_some_and(|near| near.contains(to)) {
        return;
    }
    join(parts, a, b);
    let (Some(&start), Some(&end)) = (parts.xy.get(from.index()), parts.xy.get(to.index())) else {
        return;
    };
    let direction = nearest(end.0 - start.0, end.1 - start.1);
    let free = |site: Site, direction: Direction| {
        parts.steps.get(site.index()).and_then(|row| row.get(direction.index())) == Some(&NONE)
    };
    if free(from, direction) && free(to, direction.opposite()) {
        set_step(parts, a, direction, b);
        set_step(parts, b, direction.opposite(), a);
    }
}

/// The compass point nearest to an angle given by its run to the right and its fall.
fn nearest(dx: f64, dy: f64) -> Direction {
    let sixteenths = (dx.atan2(-dy) / (TAU / 16.0)).round();
    // The angle lies between minus and plus half a circle, so the cast is exact.
    Direction::N.turned(sixteenths as i32)
}

fn finish(mut parts: Parts) -> Parts {
    parts.directions = parts.compass;
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_fall_on_the_nearest_compass_point() {
        assert_eq!(nearest(0.0, -1.0), Direction::N);
        assert_eq!(nearest(1.0, -1.0), Direction::NE);
        assert_eq!(nearest(1.0, 0.1), Direction::E);
        assert_eq!(nearest(0.0, 1.0), Direction::S);
        assert_eq!(nearest(-0.0, 1.0), Direction::S);
        assert_eq!(nearest(-1.0, 0.0), Direction::W);
        assert_eq!(nearest(-1.0, -2.0), Direction::NNW);
    }
}
