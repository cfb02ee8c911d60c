//! Turns the description of a board into the board.

use std::collections::{HashMap, HashSet};

use super::classes::Divided;
use super::names::{Scheme, name_by_axes, name_cells};
use super::{
    Adjacency, Board, BoardError, BoardSpec, Coordinates, Direction, Directions, Grid, MAX_SITES, NONE, Parts, Shape,
    Site, SiteSet, drawing, points,
};

type Cells = Vec<(i32, i32)>;

// Hex columns are doubled: two cells of a row are two columns apart.
const HEX_OFFSETS: [(Direction, (i32, i32)); 6] = [
    (Direction::NE, (1, -1)),
    (Direction::E, (2, 0)),
    (Direction::SE, (1, 1)),
    (Direction::SW, (-1, 1)),
    (Direction::W, (-2, 0)),
    (Direction::NW, (-1, -1)),
];

const SQUARE_OFFSETS: [(Direction, (i32, i32)); 8] = [
    (Direction::N, (0, -1)),
    (Direction::NE, (1, -1)),
    (Direction::E, (1, 0)),
    (Direction::SE, (1, 1)),
    (Direction::S, (0, 1)),
    (Direction::SW, (-1, 1)),
    (Direction::W, (-1, 0)),
    (Direction::NW, (-1, -1)),
];

/// Builds a board, or says what is wrong with its description.
pub fn build(spec: &BoardSpec) -> Result<Board, BoardError> {
    // First the size, by arithmetic alone: nothing may be allocated for a board too large.
    match size(&spec.shape) {
        Some(0) => return Err(BoardError::NoSites),
        Some(count) if count > MAX_SITES as u128 => {
            return Err(BoardError::TooManySites { count });
        }
        _ => {}
    }
    let grid = grid_of(&spec.shape);
    if grid != Grid::Square && spec.adjacency.is_some() {
        return Err(BoardError::AdjacencyNotAllowed { board: kind(&spec.shape) });
    }
    let scheme = scheme(spec)?;
    if spec.classes.is_some() && (grid != Grid::Square || matches!(spec.shape, Shape::Round { .. })) {
        return Err(BoardError::ClassesNotAllowed { board: kind(&spec.shape) });
    }

    let parts = match &spec.shape {
        Shape::Ring { n } => points::ring(*n)?,
        Shape::Rings { circles, points } => points::rings(*circles as usize, *points as usize),
        Shape::Triangles { side } => points::triangles(*side as usize),
        Shape::Lines(rows) => points::lines(rows)?,
        Shape::Graph { points, links } => points::graph(points, links)?,
        Shape::Hexagon { .. }
        | Shape::Rhombus { .. }
        | Shape::Triangle { .. }
        | Shape::Star { .. }
        | Shape::Rectangle { .. }
        | Shape::Round { .. }
        | Shape::Diamond { .. }
        | Shape::DrawnHex(_)
        | Shape::DrawnSquare(_) => cells(grid, scheme, spec)?,
    };
    Ok(Board::complete(parts))
}

/// The number of sites of the shapes that are given by sizes.
fn size(shape: &Shape) -> Option<u128> {
    // The squares of 32-bit sizes cannot overflow 128 bits.
    let count = match *shape {
        Shape::Hexagon { a, b } => {
            let (m, big) = (u128::from(a.min(b)), u128::from(a.max(b)));
            if m == 0 {
                0
            } else {
                let growing = m * big + m * (m - 1) / 2;
                let shrinking = (big - 1) * (big + 2 * m - 2) / 2;
                growing + shrinking
            }
        }
        Shape::Rhombus { width, height } | Shape::Rectangle { width, height } | Shape::Round { width, height, .. } => {
            u128::from(width) * u128::from(height)
        }
        Shape::Triangle { side } => u128::from(side) * (u128::from(side) + 1) / 2,
        Shape::Star { side } => {
            let side = u128::from(side);
            if side == 0 { 0 } else { 6 * side * (side + 1) + 1 }
        }
        Shape::Diamond { side } => {
            let side = u128::from(side);
            if side == 0 { 0 } else { 2 * side * (side - 1) + 1 }
        }
        Shape::Ring { n } => u128::from(n),
        Shape::Rings { circles, points } => u128::from(circles) * u128::from(points),
        Shape::Triangles { side } => u128::from(side) * u128::from(side),
        Shape::DrawnHex(_) | Shape::DrawnSquare(_) | Shape::Lines(_) | Shape::Graph { .. } => {
            return None;
        }
    };
    Some(count)
}

fn grid_of(shape: &Shape) -> Grid {
    match shape {
        Shape::Hexagon { .. }
        | Shape::Rhombus { .. }
        | Shape::Triangle { .. }
        | Shape::Star { .. }
        | Shape::DrawnHex(_) => Grid::Hex,
        Shape::Rectangle { .. } | Shape::Round { .. } | Shape::Diamond { .. } | Shape::DrawnSquare(_) => Grid::Square,
        Shape::Ring { .. } | Shape::Rings { .. } | Shape::Triangles { .. } | Shape::Lines(_) | Shape::Graph { .. } => {
            Grid::Points
        }
    }
}

fn kind(shape: &Shape) -> &'static str {
    match shape {
        Shape::Ring { .. } => "a ring",
        Shape::Rings { .. } => "a board of circles",
        Shape::Triangles { .. } => "a board of triangles",
        Shape::Lines(_) | Shape::Graph { .. } => "a board of named points",
        Shape::Hexagon { .. }
        | Shape::Rhombus { .. }
        | Shape::Triangle { .. }
        | Shape::Star { .. }
        | Shape::DrawnHex(_) => "a board of hexagons",
        Shape::Round { .. } => "a board of squares that goes round",
        Shape::Rectangle { .. } | Shape::Diamond { .. } | Shape::DrawnSquare(_) => "a board of squares",
    }
}

fn scheme(spec: &BoardSpec) -> Result<Scheme, BoardError> {
    let shape = &spec.shape;
    let refuse = |coordinates| Err(BoardError::CoordinatesNotAllowed { board: kind(shape), coordinates });
    let slanted = match shape {
        Shape::Triangle { .. } => Scheme::FromNorthEast,
        _ => Scheme::FromNorthWest,
    };
    let scheme = match (grid_of(shape), spec.coordinates) {
        (Grid::Hex, Some(Coordinates::Doubled)) => Scheme::Doubled,
        (Grid::Hex, Some(Coordinates::Plain)) => slanted,
        (Grid::Hex, None) => match shape {
            Shape::Rhombus { .. } | Shape::Triangle { .. } => slanted,
            _ => Scheme::Doubled,
        },
        (Grid::Square, None | Some(Coordinates::Plain)) => Scheme::Square,
        (Grid::Square, Some(Coordinates::Numbered)) if spec.classes.is_some() => return refuse("numbered"),
        (Grid::Hex | Grid::Square, Some(Coordinates::Numbered)) => Scheme::Numbered,
        (Grid::Hex, Some(Coordinates::Axes(_))) => slanted,
        (Grid::Square, Some(Coordinates::Axes(_))) if spec.classes.is_none() => Scheme::Square,
        (_, Some(Coordinates::Axes(_))) => return refuse("row-and-column"),
        (_, Some(Coordinates::Doubled)) => return refuse("doubled"),
        (Grid::Points, Some(Coordinates::Plain)) => return refuse("plain"),
        (Grid::Points, coordinates) => match (shape, coordinates) {
            (Shape::Ring { .. }, _) | (_, None) => Scheme::Named,
            _ => return refuse("numbered"),
        },
    };
    Ok(scheme)
}

/// Builds a board of hexes or squares.
fn cells(grid: Grid, scheme: Scheme, spec: &BoardSpec) -> Result<Parts, BoardError> {
    let shape = &spec.shape;
    let hex = grid == Grid::Hex;
    let mut cells = match shape {
        Shape::DrawnHex(text) | Shape::DrawnSquare(text) => drawing::read(text, hex)?,
        _ => regular(shape),
    };
    let divided = spec.classes.map(|classes| Divided::of(&cells, classes)).transpose()?;
    if let Some(divided) = &divided {
        cells.clone_from(&divided.places);
    }
    let offsets: &[(Direction, (i32, i32))] = if hex { &HEX_OFFSETS } else { &SQUARE_OFFSETS };
    let compass: Directions = offsets.iter().map(|offset| offset.0).collect();
    let directions = match (hex, spec.adjacency, shape) {
        (true, _, _) => compass,
        (_, Some(Adjacency::Orthogonal), _) => Directions::ORTHOGONAL,
        (_, Some(Adjacency::Diagonal), _) => Directions::DIAGONAL,
        (_, Some(Adjacency::All), _) => compass,
        (_, None, Shape::Diamond { .. }) if divided.is_none() => compass,
        (_, None, _) => Directions::ORTHOGONAL,
    };

    let at: HashMap<(i32, i32), u16> =
        cells.iter().enumerate().filter_map(|(i, &cell)| Some((cell, Site::from_index(i)?.0))).collect();
    let mut steps = vec![[NONE; 16]; cells.len()];
    let mut neighbours = vec![SiteSet::EMPTY; cells.len()];
    for ((cell, row), near) in cells.iter().zip(&mut steps).zip(&mut neighbours) {
        for &(direction, offset) in offsets {
            let Some(&next) = at.get(&round(shape, (cell.0 + offset.0, cell.1 + offset.1))) else {
                continue;
            };
            if let Some(place) = row.get_mut(direction.index()) {
                *place = next;
            }
            if directions.contains(direction) {
                near.insert(Site(next));
            }
        }
    }

    let sides = sides(shape, &cells);
    let edge = edge(shape, &cells, &sides, offsets);
    let corners = corners(shape, &cells, &sides);
    let (rows, columns) = rows_and_columns(&cells, hex);
    let height = if hex { 0.75f64.sqrt() } else { 1.0 };
    let width = if hex { 0.5 } else { 1.0 };
    let mut parts = Parts {
        grid,
        scheme,
        names: name_cells(&cells, scheme),
        labels: Vec::new(),
        xy: cells.iter().map(|cell| (f64::from(cell.0) * width, f64::from(cell.1) * height)).collect(),
        steps,
        neighbours,
        compass,
        directions,
        edge,
        corners,
        centre: centre(shape, &cells, &at, hex),
        sides,
        rows,
        columns,
        lines: Vec::new(),
        cells_class: SiteSet::first(cells.len()),
        edges_class: SiteSet::EMPTY,
        vertices_class: SiteSet::EMPTY,
        paths: Vec::new(),
        other_names: Vec::new(),
        cells,
    };
    if let Some(Coordinates::Axes(axes)) = spec.coordinates {
        name_by_axes(&mut parts, axes);
        let mut seen = HashSet::new();
        if let Some(name) = parts.names.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(BoardError::DuplicateName { name: name.clone() });
        }
    }
    if let Some(divided) = divided {
        divided.finish(shape, &mut parts);
    }
    Ok(parts)
}

/// A place as the cell that it is where rows or columns go round.
fn round(shape: &Shape, (column, row): (i32, i32)) -> (i32, i32) {
    match *shape {
        Shape::Round { width, height, columns } => {
            // Of one or two cells both ways would lead to the same one.
            let goes_round = |place: i32, length: u32| if length > 2 { place.rem_euclid(length as i32) } else { place };
            (goes_round(column, width), if columns { goes_round(row, height) } else { row })
        }
        Shape::Hexagon { .. }
        | Shape::Rhombus { .. }
        | Shape::Triangle { .. }
        | Shape::Star { .. }
        | Shape::Rectangle { .. }
        | Shape::Diamond { .. }
        | Shape::Ring { .. }
        | Shape::Rings { .. }
        | Shape::Triangles { .. }
        | Shape::DrawnHex(_)
        | Shape::DrawnSquare(_)
        | Shape::Lines(_)
        | Shape::Graph { .. } => (column, row),
    }
}

/// The cells of a shape given by sizes, in reading order. The sizes are known to be small.
fn regular(shape: &Shape) -> Cells {
    // For each row its first column, its length and how far apart its cells are.
    let mut rows: Vec<(i32, i32)> = Vec::new();
    let mut gap = 2;
    match *shape {
        Shape::Hexagon { a, b } => {
            let (m, big) = (a.min(b) as i32, a.max(b) as i32);
            for row in 0..m {
                rows.push((m - 1 - row, big + row));
            }
            for row in 1..big {
                rows.push((row, big + m - 1 - row));
            }
        }
        Shape::Rhombus { width, height } => {
            rows.extend((0..height as i32).map(|row| (row, width as i32)));
        }
        Shape::Triangle { side } => {
            let side = side as i32;
            rows.extend((0..side).map(|row| (side - 1 - row, row + 1)));
        }
        Shape::Star { side } => {
            // A triangle on its base and one on its tip, whose rows have their middle in one column.
            let side = side as i32;
            let upright = |row: i32| if row <= 3 * side { row + 1 } else { 0 };
            let lengths = (0..=4 * side).map(|row| upright(row).max(upright(4 * side - row)));
            rows.extend(lengths.map(|length| (3 * side + 1 - length, length)));
        }
        Shape::Rectangle { width, height } | Shape::Round { width, height, .. } => {
            gap = 1;
            rows.extend((0..height).map(|_| (0, width as i32)));
        }
        Shape::Diamond { side } => {
            gap = 1;
            let side = side as i32;
            rows.extend((1 - side..side).map(|row| (row.abs(), 2 * (side - row.abs()) - 1)));
        }
        // Read from what is written out, or no cells.
        Shape::Ring { .. }
        | Shape::Rings { .. }
        | Shape::Triangles { .. }
        | Shape::DrawnHex(_)
        | Shape::DrawnSquare(_)
        | Shape::Lines(_)
        | Shape::Graph { .. } => {}
    }
    rows.iter().zip(0..).flat_map(|(&(first, length), row)| (0..length).map(move |i| (first + gap * i, row))).collect()
}

/// The sites for which something holds that depends on the column and the row.
fn collect(cells: &[(i32, i32)], holds: impl Fn(i32, i32) -> bool) -> SiteSet {
    cells
        .iter()
        .enumerate()
        .filter(|(_, cell)| holds(cell.0, cell.1))
        .filter_map(|(i, _)| Site::from_index(i))
        .collect()
}

fn right_and_bottom(cells: &[(i32, i32)]) -> (i32, i32) {
    let right = cells.iter().map(|cell| cell.0).max().unwrap_or(0);
    let bottom = cells.iter().map(|cell| cell.1).max().unwrap_or(0);
    (right, bottom)
}

fn sides(shape: &Shape, cells: &[(i32, i32)]) -> [SiteSet; 16] {
    let mut sides = [SiteSet::EMPTY; 16];
    let mut set = |direction: Direction, members: SiteSet| {
        if let Some(side) = sides.get_mut(direction.index()) {
            *side = members;
        }
    };
    let (right, bottom) = right_and_bottom(cells);
    // The first and the last column of each row.
    let mut ends: HashMap<i32, (i32, i32)> = HashMap::new();
    for &(col, row) in cells {
        let end = ends.entry(row).or_insert((col, col));
        end.0 = end.0.min(col);
        end.1 = end.1.max(col);
    }
    let is_first = |col: i32, row: i32| ends.get(&row).is_some_and(|end| end.0 == col);
    let is_last = |col: i32, row: i32| ends.get(&row).is_some_and(|end| end.1 == col);
    match *shape {
        Shape::Hexagon { a, b } => {
            let widest = a.min(b) as i32 - 1;
            set(Direction::N, collect(cells, |_, row| row == 0));
            set(Direction::S, collect(cells, |_, row| row == bottom));
            set(Direction::NE, collect(cells, |col, row| row <= widest && is_last(col, row)));
            set(Direction::SE, collect(cells, |col, row| row >= widest && is_last(col, row)));
            set(Direction::SW, collect(cells, |col, row| row >= widest && is_first(col, row)));
            set(Direction::NW, collect(cells, |col, row| row <= widest && is_first(col, row)));
        }
        Shape::Rhombus { .. } => {
            set(Direction::N, collect(cells, |_, row| row == 0));
            set(Direction::S, collect(cells, |_, row| row == bottom));
            set(Direction::W, collect(cells, is_first));
            set(Direction::E, collect(cells, is_last));
        }
        Shape::Triangle { .. } => {
            set(Direction::S, collect(cells, |_, row| row == bottom));
            set(Direction::NW, collect(cells, is_first));
            set(Direction::NE, collect(cells, is_last));
        }
        Shape::Star { side } => {
            let side = side as i32;
            let ways = [(Direction::S, Direction::N), (Direction::NE, Direction::SW), (Direction::NW, Direction::SE)];
            for (way, (ahead, back)) in ways.into_iter().enumerate() {
                let along = |col, row| from_middle(side, col, row)[way];
                set(ahead, collect(cells, |col, row| along(col, row) > side));
                set(back, collect(cells, |col, row| along(col, row) < -side));
            }
        }
        Shape::Round { columns, .. } => {
            if !columns {
                set(Direction::N, collect(cells, |_, row| row == 0));
                set(Direction::S, collect(cells, |_, row| row == bottom));
            }
        }
        Shape::Rectangle { .. } | Shape::DrawnSquare(_) => {
            set(Direction::N, collect(cells, |_, row| row == 0));
            set(Direction::E, collect(cells, |col, _| col == right));
            set(Direction::S, collect(cells, |_, row| row == bottom));
            set(Direction::W, collect(cells, |col, _| col == 0));
        }
        Shape::Diamond { side } => {
            let tip = side as i32 - 1;
            let on_rim = |col: i32, row: i32| (col - tip).abs() + (row - tip).abs() == tip;
            for (direction, east, south) in [
                (Direction::NE, true, false),
                (Direction::SE, true, true),
                (Direction::SW, false, true),
                (Direction::NW, false, false),
            ] {
                let members = collect(cells, |col, row| {
                    let east_fits = if east { col >= tip } else { col <= tip };
                    let south_fits = if south { row >= tip } else { row <= tip };
                    on_rim(col, row) && east_fits && south_fits
                });
                set(direction, members);
            }
        }
        Shape::DrawnHex(_)
        | Shape::Ring { .. }
        | Shape::Rings { .. }
        | Shape::Triangles { .. }
        | Shape::Lines(_)
        | Shape::Graph { .. } => {}
    }
    sides
}

/// How far a cell of a star is from its middle: down, up to the right and up to the left, which are nothing together.
fn from_middle(side: i32, col: i32, row: i32) -> [i32; 3] {
    let (right, down) = (col - 3 * side, row - 2 * side);
    [down, (right - down) / 2, (-right - down) / 2]
}

fn edge(shape: &Shape, cells: &[(i32, i32)], sides: &[SiteSet; 16], offsets: &[(Direction, (i32, i32))]) -> SiteSet {
    let drawn_with = match shape {
        Shape::Star { .. } | Shape::DrawnHex(_) => Directions::HEX,
        Shape::DrawnSquare(_) => Directions::ORTHOGONAL,
        Shape::Hexagon { .. }
        | Shape::Rhombus { .. }
        | Shape::Triangle { .. }
        | Shape::Rectangle { .. }
        | Shape::Round { .. }
        | Shape::Diamond { .. }
        | Shape::Ring { .. }
        | Shape::Rings { .. }
        | Shape::Triangles { .. }
        | Shape::Lines(_)
        | Shape::Graph { .. } => {
            return sides.iter().fold(SiteSet::EMPTY, |all, &members| all | members);
        }
    };
    let around: Vec<(i32, i32)> =
        offsets.iter().filter(|offset| drawn_with.contains(offset.0)).map(|offset| offset.1).collect();
    drawing::touches_outside(cells, &around)
        .into_iter()
        .enumerate()
        .filter(|(_, touches)| *touches)
        .filter_map(|(i, _)| Site::from_index(i))
        .collect()
}

fn corners(shape: &Shape, cells: &[(i32, i32)], sides: &[SiteSet; 16]) -> SiteSet {
    let side = |direction: Direction| sides.get(direction.index()).copied().unwrap_or_default();
    match shape {
        // On a board of a single row every cell lies on two opposite sides, which makes no
        // corner.
        Shape::Rhombus { .. } | Shape::Rectangle { .. } | Shape::DrawnSquare(_) => {
            (side(Direction::N) | side(Direction::S)) & (side(Direction::E) | side(Direction::W))
        }
        // The tips.
        Shape::Star { side } => {
            let tip = 2 * *side as i32;
            collect(cells, |col, row| from_middle(*side as i32, col, row).iter().any(|way| way.abs() == tip))
        }
        Shape::Hexagon { .. }
        | Shape::Triangle { .. }
        | Shape::Round { .. }
        | Shape::Diamond { .. }
        | Shape::Ring { .. }
        | Shape::Rings { .. }
        | Shape::Triangles { .. }
        | Shape::DrawnHex(_)
        | Shape::Lines(_)
        | Shape::Graph { .. } => {
            let mut once = SiteSet::EMPTY;
            let mut twice = SiteSet::EMPTY;
            for &members in sides {
                twice |= once & members;
                once |= members;
            }
            twice
        }
    }
}

/// The cells nearest to the middle. On a drawn board the middle is that of the box around the
/// drawing, and there is no centre where a cell is missing or the middle lies askew.
fn centre(shape: &Shape, cells: &[(i32, i32)], at: &HashMap<(i32, i32), u16>, hex: bool) -> SiteSet {
    // With the true width of half a column, the square of a length on a hex grid is a quarter
    // of this; on a square grid it is exactly this.
    let length = move |dx: i64, dy: i64| dx * dx + if hex { 3 } else { 1 } * dy * dy;

    if !matches!(shape, Shape::DrawnHex(_) | Shape::DrawnSquare(_)) {
        // All is multiplied by the number of cells, to stay with whole numbers.
        let n = cells.len() as i64;
        let sum_x: i64 = cells.iter().map(|cell| i64::from(cell.0)).sum();
        let sum_y: i64 = cells.iter().map(|cell| i64::from(cell.1)).sum();
        let to_middle = |x: i32, y: i32| length(i64::from(x) * n - sum_x, i64::from(y) * n - sum_y);
        let nearest = cells.iter().map(|cell| to_middle(cell.0, cell.1)).min();
        return collect(cells, |x, y| Some(to_middle(x, y)) == nearest);
    }

    let (right, bottom) = right_and_bottom(cells);
    let parity = cells.first().map_or(0, |cell| (cell.0 + cell.1) % 2);
    let to_middle = |x: i32, y: i32| length(i64::from(2 * x - right), i64::from(2 * y - bottom));
    // The places nearest to the middle, cells or not, are within two columns and one row.
    let mut places = Vec::new();
    for y in bottom / 2 - 1..=bottom / 2 + 2 {
        for x in right / 2 - 2..=right / 2 + 3 {
            if !hex || (x + y).rem_euclid(2) == parity {
                places.push((x, y));
            }
        }
    }
    let nearest = places.iter().map(|&(x, y)| to_middle(x, y)).min();
    places.retain(|&(x, y)| Some(to_middle(x, y)) == nearest);
    if places.len() == 1 && nearest != Some(0) {
        return SiteSet::EMPTY;
    }
    places.iter().map(|place| at.get(place).copied().map(Site)).collect::<Option<SiteSet>>().unwrap_or_default()
}

fn rows_and_columns(cells: &[(i32, i32)], hex: bool) -> (Vec<SiteSet>, Vec<SiteSet>) {
    let (right, bottom) = right_and_bottom(cells);
    let group = |count: i32, number: &dyn Fn(&(i32, i32)) -> i32| {
        let mut sets = vec![SiteSet::EMPTY; usize::try_from(count).unwrap_or(0)];
        for (i, cell) in cells.iter().enumerate() {
            let place = usize::try_from(number(cell)).ok().and_then(|index| sets.get_mut(index));
            if let (Some(set), Some(site)) = (place, Site::from_index(i)) {
                set.insert(site);
            }
        }
        sets
    };
    if hex {
        (group(bottom + 1, &|cell| cell.1), Vec::new())
    } else {
        (group(bottom + 1, &|cell| bottom - cell.1), group(right + 1, &|cell| cell.0))
    }
}
