//! Go and Slither: stones on the points of a square.

use super::{ALL, DIAGONAL, Grid, ORTHOGONAL, Position, Settings, is, number};

#[derive(Clone)]
pub struct Go {
    grid: Grid,
    komi: i32,
    suicide: bool,
    ko: String,
    cells: Vec<u8>,
    mover: u8,
    /// Every board so far with the player to move.
    seen: Vec<(Vec<u8>, u8)>,
    passes: u32,
    /// The stone just placed and the stones that it took.
    last: Option<(usize, Vec<usize>)>,
}

impl Go {
    pub fn start(options: &Settings) -> Self {
        let grid = Grid::square(number(options, "size", 9));
        let cells = vec![0; grid.cells()];
        Self {
            grid,
            komi: number(options, "komi", 15),
            suicide: is(options, "suicide", "allowed"),
            ko: options.get("ko").cloned().unwrap_or("positional".to_owned()),
            seen: vec![(cells.clone(), 1)],
            cells,
            mover: 1,
            passes: 0,
            last: None,
        }
    }

    fn without_liberties(&self, cells: &[u8], owner: u8) -> Vec<usize> {
        let choked = |cell: &usize| {
            let free = |cell: usize| self.grid.beside(cell, &ORTHOGONAL).iter().any(|beside| cells[*beside] == 0);
            cells[*cell] == owner && !self.grid.group(cells, *cell).into_iter().any(free)
        };
        self.grid.all().filter(choked).collect()
    }

    fn put(&self, point: usize) -> Option<Self> {
        let mut cells = self.cells.clone();
        cells[point] = self.mover;
        let taken = self.without_liberties(&cells, 3 - self.mover);
        taken.iter().for_each(|cell| cells[*cell] = 0);
        let own = self.without_liberties(&cells, self.mover);
        if !own.is_empty() && !self.suicide {
            return None;
        }
        own.iter().for_each(|cell| cells[*cell] = 0);
        if self.ko == "positional" && self.seen.iter().any(|(board, _)| *board == cells) {
            return None;
        }
        let board_before_last = self.seen.len().checked_sub(2).map(|at| &self.seen[at].0);
        // Only a stone put can be taken back: after a pass the board before the last move is the present one.
        if self.ko == "simple" && self.last.is_some() && board_before_last == Some(&cells) && own.is_empty() {
            return None;
        }
        let mut next = Self { cells, passes: 0, mover: 3 - self.mover, last: Some((point, taken)), ..self.clone() };
        let position = (next.cells.clone(), next.mover);
        if self.ko == "situational" && self.seen.contains(&position) {
            return None;
        }
        next.seen.push(position);
        Some(next)
    }

    fn area(&self, owner: u8) -> i32 {
        let counts = |cell: &usize| {
            self.cells[*cell] == owner
                || self.cells[*cell] == 0 && {
                    let borders = |cell: usize| self.grid.beside(cell, &ORTHOGONAL);
                    let area = self.grid.group(&self.cells, *cell);
                    let around = area.into_iter().flat_map(borders).map(|cell| self.cells[cell]);
                    let mut owners: Vec<u8> = around.filter(|owner| *owner != 0).collect();
                    owners.sort_unstable();
                    owners.dedup();
                    owners == [owner]
                }
        };
        self.grid.all().filter(counts).count() as i32
    }
}

impl Position for Go {
    fn next(&self) -> Vec<(String, Self)> {
        if self.result().is_some() {
            return Vec::new();
        }
        let empty = self.grid.all().filter(|cell| self.cells[*cell] == 0);
        let mut next: Vec<_> =
            empty.filter_map(|point| self.put(point).map(|after| (self.grid.name(point), after))).collect();
        let mut passed = Self { mover: 3 - self.mover, passes: self.passes + 1, last: None, ..self.clone() };
        passed.seen.push((self.cells.clone(), passed.mover));
        next.push(("pass".to_owned(), passed));
        next
    }

    fn result(&self) -> Option<Option<usize>> {
        if self.passes == 2 {
            let (black, white) = (2 * self.area(1), 2 * self.area(2) + self.komi);
            return Some(match black.cmp(&white) {
                std::cmp::Ordering::Greater => Some(0),
                std::cmp::Ordering::Less => Some(1),
                std::cmp::Ordering::Equal => None,
            });
        }
        let now = (self.cells.clone(), self.mover);
        let thrice = self.ko == "simple" && self.seen.iter().filter(|seen| **seen == now).count() >= 3;
        thrice.then_some(None)
    }

    fn repeats(&self) -> Option<Vec<u16>> {
        None
    }
}

#[derive(Clone)]
pub struct Slither {
    grid: Grid,
    touching: bool,
    cells: Vec<u8>,
    mover: u8,
    stepped: bool,
    winner: Option<u8>,
}

impl Slither {
    pub fn start(options: &Settings) -> Self {
        let grid = Grid::square(number(options, "size", 9));
        let touching = is(options, "movable", "touching");
        Self { grid, touching, cells: vec![0; grid.cells()], mover: 1, stepped: false, winner: None }
    }

    /// Every two stones that meet at a corner share a neighbour of their colour.
    fn sound(&self, cells: &[u8]) -> bool {
        let own = |cell: &usize| cells[*cell] == self.mover;
        self.grid.all().filter(own).all(|cell| {
            DIAGONAL.iter().all(|(dx, dy)| match self.grid.ahead(cell, (*dx, *dy), 1).filter(own) {
                Some(_) => {
                    [(*dx, 0), (0, *dy)].iter().any(|way| self.grid.ahead(cell, *way, 1).is_some_and(|c| own(&c)))
                }
                None => true,
            })
        })
    }

    fn joined(&self) -> bool {
        let across = |cell: usize| match (self.mover, self.grid.place(cell)) {
            (1, (_, y)) => y,
            (_, (x, _)) => x,
        };
        let begins = |cell: &usize| self.cells[*cell] == self.mover && across(*cell) == 0;
        let mut reached = self.grid.all().filter(begins).flat_map(|cell| self.grid.group(&self.cells, cell));
        reached.any(|cell| across(cell) == self.grid.width - 1)
    }

    fn placed(&self) -> Vec<(String, Self)> {
        let empty = self.grid.all().filter(|cell| self.cells[*cell] == 0);
        let put = |cell: usize| {
            let mut next = self.clone();
            next.cells[cell] = self.mover;
            if !next.sound(&next.cells) {
                return None;
            }
            next.winner = next.joined().then_some(self.mover);
            next.mover = 3 - self.mover;
            next.stepped = false;
            Some((self.grid.name(cell), next))
        };
        empty.filter_map(put).collect()
    }
}

impl Position for Slither {
    fn next(&self) -> Vec<(String, Self)> {
        if self.winner.is_some() {
            return Vec::new();
        }
        let mut next = self.placed();
        if self.stepped {
            return next;
        }
        for from in self.grid.all().filter(|cell| self.cells[*cell] == self.mover) {
            let company = self.grid.beside(from, &ORTHOGONAL).iter().any(|cell| self.cells[*cell] != 0);
            if self.touching && !company {
                continue;
            }
            for to in self.grid.beside(from, &ALL).into_iter().filter(|cell| self.cells[*cell] == 0) {
                let mut after = Self { stepped: true, ..self.clone() };
                after.cells.swap(from, to);
                if !after.placed().is_empty() {
                    next.push((format!("{}-{}", self.grid.name(from), self.grid.name(to)), after));
                }
            }
        }
        if next.is_empty() {
            next.push(("pass".to_owned(), Self { mover: 3 - self.mover, ..self.clone() }));
        }
        next
    }

    fn result(&self) -> Option<Option<usize>> {
        self.winner.map(|winner| Some(usize::from(winner - 1)))
    }

    fn repeats(&self) -> Option<Vec<u16>> {
        None
    }
}
