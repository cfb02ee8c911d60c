//! Reads a board drawn with characters into a list of cells.

use super::{BoardError, MAX_SITES};

// Cells farther apart than these cannot belong to a sensible board, and the later steps look
// at every place between them.
const MAX_COLUMNS: usize = 4 * MAX_SITES;
const MAX_ROWS: usize = 2 * MAX_SITES;

struct Mark {
    column: usize,
    offset: usize,
    is_site: bool,
}

/// The cells of a drawing as (column, row) in reading order; the leftmost column and the top
/// row that hold a cell are 0. Hex cells keep doubled columns, square cells are 1 apart.
pub(super) fn read(text: &str, hex: bool) -> Result<Vec<(i32, i32)>, BoardError> {
    let rows = marks(text)?;
    check_shifts(&rows, hex)?;

    let count = rows.iter().flatten().filter(|mark| mark.is_site).count();
    if count == 0 {
        return Err(BoardError::NoSites);
    }
    if count > MAX_SITES {
        return Err(BoardError::TooManySites { count: count as u128 });
    }
    let sites: Vec<(usize, usize)> = rows
        .iter()
        .enumerate()
        .flat_map(|(row, marks)| marks.iter().map(move |mark| (mark, row)))
        .filter(|(mark, _)| mark.is_site)
        .map(|(mark, row)| (mark.column, row))
        .collect();
    let left = sites.iter().map(|site| site.0).min().unwrap_or(0);
    let top = sites.iter().map(|site| site.1).min().unwrap_or(0);
    let step = if hex { 1 } else { 2 };
    let mut cells = Vec::with_capacity(count);
    for (column, row) in sites {
        let (column, row) = ((column - left) / step, row - top);
        if column >= MAX_COLUMNS || row >= MAX_ROWS {
            return Err(BoardError::TooSpread);
        }
        // Both are small now.
        cells.push((column as i32, row as i32));
    }
    Ok(cells)
}

/// The characters of each row, without the blank rows above and below the drawing.
fn marks(text: &str) -> Result<Vec<Vec<Mark>>, BoardError> {
    let mut rows: Vec<Vec<Mark>> = Vec::new();
    let mut blank_at = None;
    let mut start = 0;
    for line in text.split('\n') {
        let mut row = Vec::new();
        let visible = line.strip_suffix('\r').unwrap_or(line);
        for (column, (at, found)) in visible.char_indices().enumerate() {
            let offset = start + at;
            let is_site = match found {
                ' ' => continue,
                'o' | '.' => true,
                '-' | '*' => false,
                '\t' => return Err(BoardError::Tab { offset }),
                _ => return Err(BoardError::UnknownCharacter { found, offset }),
            };
            row.push(Mark { column, offset, is_site });
        }
        if !row.is_empty() {
            // Only now is it clear that the blank row was not one below the drawing.
            if let Some(offset) = blank_at {
                let row = rows.len() + 1;
                return Err(BoardError::BlankRow { row, offset });
            }
            rows.push(row);
        } else if !rows.is_empty() && blank_at.is_none() {
            blank_at = Some(start);
        }
        start += line.len() + 1;
    }
    Ok(rows)
}

/// Makes sure that the cells of a row are two columns apart and that the rows stand right
/// beneath each other.
fn check_shifts(rows: &[Vec<Mark>], hex: bool) -> Result<(), BoardError> {
    let mut classes = Vec::with_capacity(rows.len());
    for (i, row) in rows.iter().enumerate() {
        let Some(first) = row.first() else { continue };
        let odd_one = row.iter().find(|mark| mark.column % 2 != first.column % 2).map(|mark| mark.offset);
        if let Some(offset) = odd_one {
            return Err(BoardError::UnevenRow { row: i + 1, offset });
        }
        let expected_shift = if hex { i } else { 0 };
        classes.push(((first.column + expected_shift) % 2, first.offset));
    }
    // The rows that disagree with most of the others are the ones to move; where the two
    // kinds are equally many the first row counts as right.
    let odd = classes.iter().filter(|class| class.0 == 1).count();
    let even = classes.len() - odd;
    let right = match odd.cmp(&even) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Greater => 1,
        std::cmp::Ordering::Equal => classes.first().map_or(0, |class| class.0),
    };
    match classes.iter().position(|class| class.0 != right) {
        None => Ok(()),
        Some(i) => Err(BoardError::ShiftRow { row: i + 1, offset: classes.get(i).map_or(0, |class| class.1), hex }),
    }
}

/// For each cell, whether one of the places beside it lies outside the board: whether it is
/// no cell and can be reached from beyond the rim without crossing a cell.
pub(super) fn touches_outside(cells: &[(i32, i32)], offsets: &[(i32, i32)]) -> Vec<bool> {
    const CELL: u8 = 1;
    const OUTSIDE: u8 = 2;
    // A margin of two columns and one row joins all that lies outside, on both kinds of grid.
    let width = cells.iter().map(|cell| cell.0).max().unwrap_or(0) + 5;
    let height = cells.iter().map(|cell| cell.1).max().unwrap_or(0) + 3;
    let index = |(col, row): (i32, i32)| -> Option<usize> {
        let (col, row) = (col + 2, row + 1);
        if (0..width).contains(&col) && (0..height).contains(&row) {
            usize::try_from(i64::from(row) * i64::from(width) + i64::from(col)).ok()
        } else {
            None
        }
    };
    let area = usize::try_from(i64::from(width) * i64::from(height)).unwrap_or(0);
    let mut state = vec![0u8; area];
    for &cell in cells {
        if let Some(place) = index(cell).and_then(|i| state.get_mut(i)) {
            *place = CELL;
        }
    }
    // A hex grid uses only half of the doubled places. Stepping west and up from a cell leads
    // to a place of the right kind in the margin.
    let mut open: Vec<(i32, i32)> = Vec::new();
    if let Some(&(col, row)) = cells.first() {
        let shift = (col + row + 1).rem_euclid(2);
        open.push((if shift == 0 { -2 } else { -1 }, -1));
    }
    while let Some(place) = open.pop() {
        let Some(seen) = index(place).and_then(|i| state.get_mut(i)) else {
            continue;
        };
        if *seen != 0 {
            continue;
        }
        *seen = OUTSIDE;
        open.extend(offsets.iter().map(|offset| (place.0 + offset.0, place.1 + offset.1)));
    }
    cells
        .iter()
        .map(|cell| {
            offsets.iter().any(|offset| {
                let place = (cell.0 + offset.0, cell.1 + offset.1);
                index(place).and_then(|i| state.get(i)) == Some(&OUTSIDE)
            })
        })
        .collect()
}
