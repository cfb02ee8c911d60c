//! Games written down a second time, without any code of the engine: boards, and what a game has to tell.

pub mod go;
pub mod jumping;
pub mod others;
pub mod rays;
pub mod rows;
pub mod sowing;
pub mod stacking;

use std::collections::BTreeMap;

pub type Settings = BTreeMap<String, String>;

/// A position that knows the moves, as the rule file writes them, and what follows them.
pub trait Position: Sized + Clone {
    /// Nothing follows the end of a game.
    fn next(&self) -> Vec<(String, Self)>;

    /// Once the game is over: who has won, or nobody.
    fn result(&self) -> Option<Option<usize>>;

    /// What must come up three times for a draw; nothing where repetition does not matter, or the position counts for itself.
    fn repeats(&self) -> Option<Vec<u16>>;
}

/// All that counting asks of a position: what may follow it. Nothing follows the end of a game.
pub trait Counted: Sized {
    fn following(&self) -> Vec<Self>;
}

impl<P: Position> Counted for P {
    fn following(&self) -> Vec<Self> {
        self.next().into_iter().map(|(_, position)| position).collect()
    }
}

pub fn number(options: &Settings, name: &str, default: i32) -> i32 {
    options.get(name).map_or(default, |text| text.parse().unwrap())
}

pub fn is(options: &Settings, name: &str, value: &str) -> bool {
    options.get(name).is_some_and(|set| set == value)
}

pub type Step = (i32, i32);

pub const ORTHOGONAL: [Step; 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
pub const DIAGONAL: [Step; 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];
pub const ALL: [Step; 8] = [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)];

/// A board of squares, numbered row by row from the bottom left.
#[derive(Clone, Copy)]
pub struct Grid {
    pub width: i32,
    pub height: i32,
}

impl Grid {
    pub fn square(size: i32) -> Self {
        Self { width: size, height: size }
    }

    pub fn cells(self) -> usize {
        (self.width * self.height) as usize
    }

    pub fn all(self) -> impl Iterator<Item = usize> {
        0..self.cells()
    }

    pub fn at(self, x: i32, y: i32) -> Option<usize> {
        let inside = (0..self.width).contains(&x) && (0..self.height).contains(&y);
        inside.then(|| (y * self.width + x) as usize)
    }

    pub fn place(self, cell: usize) -> (i32, i32) {
        (cell as i32 % self.width, cell as i32 / self.width)
    }

    /// The cell so many steps on.
    pub fn ahead(self, cell: usize, (dx, dy): Step, steps: i32) -> Option<usize> {
        let (x, y) = self.place(cell);
        self.at(x + dx * steps, y + dy * steps)
    }

    pub fn beside(self, cell: usize, ways: &[Step]) -> Vec<usize> {
        ways.iter().filter_map(|way| self.ahead(cell, *way, 1)).collect()
    }

    pub fn name(self, cell: usize) -> String {
        let (x, y) = self.place(cell);
        format!("{}{}", char::from(b'a' + x as u8), y + 1)
    }

    /// The cells of one owner that rows and columns link to a cell.
    pub fn group(self, cells: &[u8], from: usize) -> Vec<usize> {
        let mut group = vec![from];
        let mut at = 0;
        while at < group.len() {
            for cell in self.beside(group[at], &ORTHOGONAL) {
                if cells[cell] == cells[from] && !group.contains(&cell) {
                    group.push(cell);
                }
            }
            at += 1;
        }
        group
    }
}
