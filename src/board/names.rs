//! Gives the cells of a grid their names, such as "g4".

use super::shape::{Axis, Lines, Signs};
use super::{Parts, Site};

/// The way the sites of a board got their names; the drawing of a board needs to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scheme {
    /// Hex: a letter for each half step to the right, rows numbered from the top.
    Doubled,
    /// Square: a letter for each column, rows numbered from the bottom.
    Square,
    /// Hex: a letter for each slanted line that runs from north-west to south-east, rows
    /// numbered from the top.
    FromNorthWest,
    /// Hex: a letter for each slanted line that runs from north-east to south-west, rows
    /// numbered from the top.
    FromNorthEast,
    /// Numbers in reading order.
    Numbered,
    /// Points whose own names are a letter for the column and a number for the row.
    Lattice,
    /// Points with any other names.
    Named,
}

/// The letters for a column counted from 0: a to z, then aa, ab and so on.
pub(super) fn letters(column: usize) -> String {
    let mut reversed = Vec::new();
    let mut rest = column;
    loop {
        reversed.push(char::from(b'a' + (rest % 26) as u8));
        if rest < 26 {
            break;
        }
        rest = rest / 26 - 1;
    }
    reversed.iter().rev().collect()
}

/// The column that letters of either case stand for, if it is not absurdly large.
pub(super) fn column_of(letters: &str) -> Option<u32> {
    let mut value: u32 = 0;
    for letter in letters.bytes() {
        if !letter.is_ascii_alphabetic() {
            return None;
        }
        let digit = u32::from(letter.to_ascii_lowercase() - b'a') + 1;
        value = value.checked_mul(26)?.checked_add(digit)?;
        if value > 1_000_000 {
            return None;
        }
    }
    value.checked_sub(1)
}

/// Splits a name such as "g4" into its letters and its digits.
pub(super) fn split(name: &str) -> Option<(&str, &str)> {
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let (head, tail) = name.split_at(digits);
    let sound =
        !head.is_empty() && head.bytes().all(|b| b.is_ascii_alphabetic()) && tail.bytes().all(|b| b.is_ascii_digit());
    sound.then_some((head, tail))
}

/// Where the line lies after which a cell is named.
fn column(&(col, row): &(i32, i32), scheme: Scheme) -> i32 {
    match scheme {
        Scheme::FromNorthWest => col - row,
        Scheme::FromNorthEast => col + row,
        Scheme::Doubled | Scheme::Square | Scheme::Numbered | Scheme::Lattice | Scheme::Named => col,
    }
}

/// How far apart these lines are. Along a row of a hex grid the doubled column grows by two, so half of the sum or the
/// difference with the row is a whole number once the smallest is taken away.
fn width(scheme: Scheme) -> i32 {
    match scheme {
        Scheme::FromNorthWest | Scheme::FromNorthEast => 2,
        Scheme::Doubled | Scheme::Square | Scheme::Numbered | Scheme::Lattice | Scheme::Named => 1,
    }
}

/// Names cells given as (column, row) with row 0 at the top, in reading order.
pub(super) fn name_cells(cells: &[(i32, i32)], scheme: Scheme) -> Vec<String> {
    let column = |cell: &(i32, i32)| column(cell, scheme);
    let width = width(scheme);
    let left = cells.iter().map(column).min().unwrap_or(0);
    let top = cells.iter().map(|cell| cell.1).min().unwrap_or(0);
    let bottom = cells.iter().map(|cell| cell.1).max().unwrap_or(0);
    cells
        .iter()
        .enumerate()
        .map(|(i, cell)| {
            let letter = || {
                let offset = (column(cell) - left) / width;
                letters(usize::try_from(offset).unwrap_or(0))
            };
            match scheme {
                Scheme::Numbered => (i + 1).to_string(),
                Scheme::Square => format!("{}{}", letter(), bottom - cell.1 + 1),
                _ => format!("{}{}", letter(), cell.1 - top + 1),
            }
        })
        .collect()
}

/// Names the cells of a board by their rows and columns. A name that begins with a number can be written in rules with the
/// letter first.
pub(super) fn name_by_axes(parts: &mut Parts, axes: [Axis; 2]) {
    let columns: Vec<i32> = parts.cells.iter().map(|cell| column(cell, parts.scheme)).collect();
    let rows: Vec<i32> = parts.cells.iter().map(|cell| cell.1).collect();
    let width = width(parts.scheme);
    let sign = |axis: Axis, at: usize| {
        let (values, step) = match axis.of {
            Lines::Columns => (&columns, width),
            Lines::Rows => (&rows, 1),
        };
        let value = values.get(at).copied().unwrap_or(0);
        let (first, last) = (values.iter().min(), values.iter().max());
        let steps = if axis.backwards { last.map(|last| last - value) } else { first.map(|first| value - first) };
        let number = usize::try_from(steps.unwrap_or(0) / step).unwrap_or(0);
        match axis.signs {
            Signs::Letters => letters(number),
            Signs::Numbers => (number + 1).to_string(),
        }
    };
    let cells = 0..parts.cells.len();
    let named = cells.map(|at| axes.map(|axis| (axis.of, sign(axis, at))));
    for (at, [(of, first), (_, second)]) in named.enumerate() {
        let name = format!("{first}{second}");
        if let (true, Some(site)) = (name.starts_with(|c: char| c.is_ascii_digit()), Site::from_index(at)) {
            parts.other_names.push((format!("{second}{first}"), site));
        }
        if let Some(known) = parts.names.get_mut(at) {
            *known = name;
        }
        parts.labels.push(match of {
            Lines::Columns => (first, second),
            Lines::Rows => (second, first),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_run_past_z_and_back() {
        assert_eq!(letters(0), "a");
        assert_eq!(letters(25), "z");
        assert_eq!(letters(26), "aa");
        assert_eq!(letters(27), "ab");
        assert_eq!(letters(701), "zz");
        assert_eq!(letters(702), "aaa");
        for column in 0..2000u32 {
            assert_eq!(column_of(&letters(column as usize)), Some(column));
        }
        assert_eq!(column_of("zzzzzzzzzzzzzzzz"), None);
        assert_eq!(column_of(""), None);
    }

    #[test]
    fn only_letters_then_digits_split() {
        assert_eq!(split("g4"), Some(("g", "4")));
        assert_eq!(split("ab12"), Some(("ab", "12")));
        for odd in ["", "a", "4", "4a", "a4b", "é4", "a-4"] {
            assert_eq!(split(odd), None, "{odd}");
        }
    }
}
