//! Pushpin, Epoxy and Equi, on boards that know what lies in a line from each cell. Only their sequences are counted.

use super::{Counted, Settings, is, number};
use std::rc::Rc;

/// For each cell and direction the cells in a line, the nearest first.
type Rays = Vec<Vec<Vec<usize>>>;

fn rays(cells: &[(i32, i32)], directions: &[(i32, i32)]) -> Rays {
    let at = |x, y| cells.iter().position(|cell| *cell == (x, y));
    let ray = |(x, y): (i32, i32), (dx, dy): (i32, i32)| (1..).map_while(|k| at(x + k * dx, y + k * dy)).collect();
    cells.iter().map(|cell| directions.iter().map(|step| ray(*cell, *step)).collect()).collect()
}

/// A hexagon in cube coordinates with the third left out; opposite directions are three apart.
fn hexagon(side: i32) -> Rays {
    let n = side - 1;
    let inside = |x: i32, y: i32| (x + y).abs() <= n;
    let cells: Vec<_> = (-n..=n).flat_map(|y| (-n..=n).map(move |x| (x, y))).filter(|(x, y)| inside(*x, *y)).collect();
    rays(&cells, &[(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)])
}

#[derive(Clone)]
pub struct Pushpin {
    rays: Rc<Rays>,
    taken: Vec<bool>,
    pin: usize,
    passes: u32,
}

impl Pushpin {
    pub fn start(options: &Settings) -> Self {
        let rays = hexagon(number(options, "side", 4));
        let pin = rays.len() / 2;
        Self { taken: vec![false; rays.len()], rays: rays.into(), pin, passes: 0 }
    }
}

impl Counted for Pushpin {
    fn following(&self) -> Vec<Self> {
        if self.passes == 2 {
            return Vec::new();
        }
        let free = |cell: usize| !self.taken[cell] && cell != self.pin;
        let inner = |cell: usize| self.rays[cell].iter().all(|ray| !ray.is_empty());
        let mut all = vec![Self { passes: self.passes + 1, ..self.clone() }];
        for cell in (0..self.taken.len()).filter(|cell| free(*cell)) {
            let mut placed = Self { passes: 0, ..self.clone() };
            placed.taken[cell] = true;
            match (0..6).find(|way| self.rays[cell][*way].first() == Some(&self.pin)) {
                None => all.push(placed),
                Some(way) => {
                    let path = self.rays[self.pin][way].iter().take_while(|cell| free(**cell));
                    all.extend(path.filter(|to| inner(**to)).map(|to| Self { pin: *to, ..placed.clone() }));
                }
            }
        }
        all
    }
}

#[derive(Clone)]
pub struct Epoxy {
    rays: Rc<Rays>,
    /// 1 for the mover's stones, -1 for the other's.
    stones: Vec<i8>,
    first_turn: bool,
    second_move: bool,
}

impl Epoxy {
    pub fn start(options: &Settings) -> Self {
        let rays = hexagon(number(options, "side", 5));
        Self { stones: vec![0; rays.len()], rays: rays.into(), first_turn: true, second_move: false }
    }

    /// Enemies beside a cell, and directions in which an enemy is seen first.
    fn worth(&self, cell: usize) -> (usize, usize) {
        let rays = &self.rays[cell];
        let beside = rays.iter().filter(|ray| ray.first().is_some_and(|cell| self.stones[*cell] == -1)).count();
        let first = |ray: &Vec<usize>| ray.iter().map(|cell| self.stones[*cell]).find(|stone| *stone != 0);
        (beside, rays.iter().filter(|ray| first(ray) == Some(-1)).count())
    }

    fn moved(&self, from: Option<usize>, to: usize) -> Self {
        let mut after = self.clone();
        if let Some(from) = from {
            after.stones[from] = 0;
        }
        after.stones[to] = 1;
        after
    }

    fn done(mut self) -> Self {
        if self.first_turn || self.second_move {
            self.stones.iter_mut().for_each(|stone| *stone = -*stone);
            (self.first_turn, self.second_move) = (false, false);
        } else {
            self.second_move = true;
        }
        self
    }
}

impl Counted for Epoxy {
    fn following(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for cell in 0..self.stones.len() {
            if self.stones[cell] == 0 && self.worth(cell).1 == 0 {
                all.push(self.moved(None, cell).done());
            }
            if self.stones[cell] == 1 {
                let path =
                    |ray: &Vec<usize>| ray.iter().copied().take_while(|to| self.stones[*to] == 0).collect::<Vec<_>>();
                for to in self.rays[cell].iter().flat_map(path) {
                    let after = self.moved(Some(cell), to);
                    if after.worth(to) > self.worth(cell) {
                        all.push(after.done());
                    }
                }
            }
        }
        if self.second_move {
            all.push(self.clone().done());
        }
        all
    }
}

/// A piece: whose it is, and whether it is a disc.
type Piece = Option<(bool, bool)>;

#[derive(Clone)]
pub struct Equi {
    rays: Rc<Rays>,
    options: Rc<Settings>,
    board: Vec<Piece>,
    mover: bool,
    opening: bool,
    /// The disc that moves in this turn, and whether it may go on jumping.
    moving: Option<(usize, bool)>,
    jumped: Vec<usize>,
}

impl Equi {
    pub fn start(options: &Settings) -> Self {
        let size = number(options, "size", 5);
        let square: Vec<(i32, i32)> = (0..size).flat_map(|y| (0..size).map(move |x| (x, y))).collect();
        let diamond: Vec<(i32, i32)> = (-size..=size)
            .flat_map(|y| (-size..=size).map(move |x| (x, y)))
            .filter(|(x, y)| x.abs() + y.abs() < size)
            .collect();
        let straight = [(1, 0), (0, 1), (-1, 0), (0, -1)];
        let every = [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
        let rays = match options.get("shape").map_or("hexagon", String::as_str) {
            "square" => rays(&square, &straight),
            "square_diagonal" => rays(&square, &every),
            "diamond" => rays(&diamond, &every),
            _ => hexagon(size),
        };
        let board = vec![None; rays.len()];
        let options = options.clone().into();
        Self { board, rays: rays.into(), options, mover: false, opening: true, moving: None, jumped: Vec::new() }
    }

    fn is(&self, name: &str, value: &str) -> bool {
        is(&self.options, name, value)
    }

    /// Jumps of one disc, as the cell jumped and the cell behind.
    fn jumps(&self, from: usize, over_enemies: bool) -> Vec<(usize, usize)> {
        if self.board[from] != Some((self.mover, true)) {
            return Vec::new();
        }
        let pairs = self.rays[from].iter().filter(|ray| ray.len() > 1).map(|ray| (ray[0], ray[1]));
        let fits = |(over, to): &(usize, usize)| {
            self.board[*over].is_some_and(|(owner, _)| (owner != self.mover) == over_enemies)
                && self.board[*to].is_none()
                && !self.jumped.contains(over)
        };
        pairs.filter(fits).collect()
    }

    fn jump(&self, from: usize, (over, to): (usize, usize)) -> Self {
        let mut after = self.clone();
        after.board[to] = after.board[from].take();
        let (owner, disc) = self.board[over].unwrap();
        let option = if owner == self.mover { "own_capture" } else { "enemy_capture" };
        after.board[over] = match self.options.get(option).map_or("territory", String::as_str) {
            "same" => Some((self.mover, disc)),
            "morph" => Some((self.mover, !disc)),
            "remove" => None,
            "nothing" => Some((owner, disc)),
            _ => Some((self.mover, false)),
        };
        after.jumped.push(over);
        after.moving = Some((to, true));
        after
    }

    fn placements(&self, all: &mut Vec<Self>) {
        for cell in (0..self.board.len()).filter(|cell| self.board[*cell].is_none()) {
            let beside = self.rays[cell].iter().filter_map(|ray| ray.first()).filter_map(|cell| self.board[*cell]);
            let balance: i32 = beside.map(|(owner, _)| if owner == self.mover { 1 } else { -1 }).sum();
            let disc = balance != 0 || self.is("disc_sites", "anywhere");
            for kind in [(balance == 0).then_some(false), disc.then_some(true)].into_iter().flatten() {
                let mut after = self.clone();
                after.board[cell] = Some((self.mover, kind));
                (after.mover, after.opening, after.moving) = (!self.mover, false, None);
                after.jumped.clear();
                all.push(after);
            }
        }
    }
}

impl Counted for Equi {
    fn following(&self) -> Vec<Self> {
        let mut all = Vec::new();
        if self.opening {
            // In a corner at most half of the directions, and fewer than on an edge, lead on.
            let ways = |cell: usize| self.rays[cell].iter().filter(|ray| !ray.is_empty()).count();
            let corner = (0..self.board.len()).map(ways).min();
            for cell in
                (0..self.board.len()).filter(|cell| self.is("opening", "anywhere") || Some(ways(*cell)) != corner)
            {
                let mut after = self.clone();
                after.board[cell] = Some((false, false));
                (after.mover, after.opening) = (true, false);
                all.push(after);
            }
            return all;
        }
        let discs: Vec<usize> = match self.moving {
            Some((_, false)) => Vec::new(),
            Some((disc, true)) => vec![disc],
            None => (0..self.board.len()).filter(|cell| self.board[*cell] == Some((self.mover, true))).collect(),
        };
        for disc in &discs {
            all.extend(self.jumps(*disc, true).into_iter().map(|jump| self.jump(*disc, jump)));
        }
        if !all.is_empty() && !self.is("forced", "no") {
            return all;
        }
        for disc in &discs {
            if !self.is("jumps", "enemies") {
                all.extend(self.jumps(*disc, false).into_iter().map(|jump| self.jump(*disc, jump)));
            }
            if self.moving.is_none() {
                let steps =
                    self.rays[*disc].iter().filter_map(|ray| ray.first()).filter(|to| self.board[**to].is_none());
                for to in steps {
                    let mut after = self.clone();
                    after.board[*to] = after.board[*disc].take();
                    after.moving = Some((*to, false));
                    all.push(after);
                }
            }
        }
        self.placements(&mut all);
        all
    }
}
