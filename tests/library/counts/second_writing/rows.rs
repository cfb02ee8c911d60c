//! Gomoku with the bans of Renju: every row is looked for in windows of a line, stone by stone.

use super::{Grid, Position, Settings, Step, is, number};
use std::collections::BTreeSet;

const WAYS: [Step; 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// Why Black may not play on a point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Ban {
    Overline,
    DoubleFour,
    DoubleThree,
}

#[derive(Clone)]
pub struct Gomoku {
    grid: Grid,
    bans: bool,
    opening: bool,
    /// Whether only five count, and no more.
    exact: bool,
    cells: Vec<u8>,
    mover: u8,
    turn: i32,
    winner: Option<u8>,
}

impl Gomoku {
    pub fn start(options: &Settings) -> Self {
        let grid = Grid::square(number(options, "size", 15));
        Self {
            grid,
            bans: is(options, "bans", "yes"),
            opening: is(options, "opening", "renju"),
            exact: is(options, "more", "counts_nothing"),
            cells: vec![0; grid.cells()],
            mover: 1,
            turn: 1,
            winner: None,
        }
    }

    pub fn stones(&self, owner: u8) -> impl Iterator<Item = usize> {
        self.grid.all().filter(move |cell| self.cells[*cell] == owner)
    }

    pub fn black_moves(&self) -> bool {
        self.mover == 1
    }

    /// Rows of exactly so many points that hold a point, each with what lies before and behind it.
    fn windows(&self, point: usize, way: Step, length: i32) -> Vec<(Vec<usize>, [Option<usize>; 2])> {
        let mut found = Vec::new();
        for back in 0..length {
            let points: Vec<usize> = (0..length).filter_map(|step| self.grid.ahead(point, way, step - back)).collect();
            if points.len() == length as usize {
                found.push((points, [-back - 1, length - back].map(|step| self.grid.ahead(point, way, step))));
            }
        }
        found
    }

    /// Whether a point stands in a row of one colour that is neither longer nor shorter.
    fn in_row(cells: &[u8], windows: &[(Vec<usize>, [Option<usize>; 2])], owner: u8) -> bool {
        windows.iter().any(|(points, ends)| {
            points.iter().all(|point| cells[*point] == owner) && ends.iter().flatten().all(|end| cells[*end] != owner)
        })
    }

    fn five(&self, cells: &[u8], point: usize, owner: u8) -> bool {
        WAYS.iter().any(|way| Self::in_row(cells, &self.windows(point, *way, 5), owner))
    }

    fn overline(&self, cells: &[u8], point: usize, owner: u8) -> bool {
        let full = |window: &(Vec<usize>, _)| window.0.iter().all(|point| cells[*point] == owner);
        WAYS.iter().any(|way| self.windows(point, *way, 6).iter().any(full))
    }

    /// All sets of four stones with a point that one stone more makes exactly five.
    fn fours(&self, cells: &[u8], point: usize) -> usize {
        let mut fours: BTreeSet<Vec<usize>> = BTreeSet::new();
        for way in WAYS {
            for (points, ends) in self.windows(point, way, 5) {
                let stones: Vec<usize> = points.iter().copied().filter(|point| cells[*point] == 1).collect();
                let room = points.iter().any(|point| cells[*point] == 0);
                if stones.len() == 4 && room && ends.iter().flatten().all(|end| cells[*end] != 1) {
                    fours.insert(stones);
                }
            }
        }
        fours.len()
    }

    /// Whether four stones in a row hold a point, both ends can be filled, and either makes exactly five.
    fn straight_four(&self, cells: &[u8], point: usize, way: Step) -> bool {
        self.windows(point, way, 6).iter().any(|(points, ends)| {
            let wanted = [0, 1, 1, 1, 1, 0];
            points.iter().zip(wanted).all(|(point, owner)| cells[*point] == owner)
                && ends.iter().flatten().all(|end| cells[*end] != 1)
        })
    }

    /// A three: a stone that Black may put makes a straight four of it.
    fn three(&self, cells: &[u8], point: usize, way: Step) -> bool {
        (-3..=3).filter_map(|step| self.grid.ahead(point, way, step)).any(|fourth| {
            if cells[fourth] != 0 {
                return false;
            }
            let mut cells = cells.to_vec();
            cells[fourth] = 1;
            self.straight_four(&cells, point, way)
                && self.straight_four(&cells, fourth, way)
                && !self.five(&cells, fourth, 1)
                && !self.overline(&cells, fourth, 1)
                && self.fours(&cells, fourth) < 2
        })
    }

    pub fn ban(&self, point: usize) -> Option<Ban> {
        let mut cells = self.cells.clone();
        cells[point] = 1;
        if self.five(&cells, point, 1) {
            None
        } else if self.overline(&cells, point, 1) {
            Some(Ban::Overline)
        } else if self.fours(&cells, point) >= 2 {
            Some(Ban::DoubleFour)
        } else if WAYS.iter().filter(|way| self.three(&cells, point, **way)).count() >= 2 {
            Some(Ban::DoubleThree)
        } else {
            None
        }
    }

    /// The points that are empty and banned for the mover.
    pub fn banned(&self) -> Vec<(usize, Ban)> {
        if !self.bans || self.mover != 1 || self.winner.is_some() {
            return Vec::new();
        }
        self.stones(0).filter_map(|point| self.ban(point).map(|ban| (point, ban))).collect()
    }

    pub fn name(&self, point: usize) -> String {
        self.grid.name(point)
    }

    pub fn distance(&self, a: usize, b: usize) -> i32 {
        let ((ax, ay), (bx, by)) = (self.grid.place(a), self.grid.place(b));
        (ax - bx).abs().max((ay - by).abs())
    }
}

impl Position for Gomoku {
    fn next(&self) -> Vec<(String, Self)> {
        if self.result().is_some() {
            return Vec::new();
        }
        let half = self.grid.width / 2;
        let opened = |point: &usize| {
            let centre = self.grid.at(half, half);
            !self.opening || self.turn > 3 || centre.is_some_and(|centre| self.distance(centre, *point) < self.turn)
        };
        let legal = |point: &usize| !self.bans || self.mover == 2 || self.ban(*point).is_none();
        let put = |point: usize| {
            let mut next = self.clone();
            next.cells[point] = self.mover;
            let long = !self.exact && self.overline(&next.cells, point, self.mover);
            next.winner = (long || self.five(&next.cells, point, self.mover)).then_some(self.mover);
            next.mover = 3 - self.mover;
            next.turn += 1;
            (self.grid.name(point), next)
        };
        self.stones(0).filter(opened).filter(legal).map(put).collect()
    }

    fn result(&self) -> Option<Option<usize>> {
        match self.winner {
            Some(winner) => Some(Some(usize::from(winner - 1))),
            None => self.cells.iter().all(|cell| *cell != 0).then_some(None),
        }
    }

    fn repeats(&self) -> Option<Vec<u16>> {
        None
    }
}
