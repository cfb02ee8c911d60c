//! Konane, Halma and Ataxx: pieces that leap.

use super::{ALL, DIAGONAL, Grid, ORTHOGONAL, Position, Settings, is, number};

#[derive(Clone)]
pub struct Konane {
    grid: Grid,
    cells: Vec<u8>,
    mover: u8,
}

impl Konane {
    pub fn start(options: &Settings) -> Self {
        let grid = Grid::square(number(options, "size", 8));
        let colour = |cell| match grid.place(cell) {
            (x, y) if (x + y) % 2 == 0 => 1,
            _ => 2,
        };
        Self { grid, cells: grid.all().map(colour).collect(), mover: 1 }
    }

    fn after(&self, gone: &[usize], moved: Option<(usize, usize)>) -> Self {
        let mut next = Self { mover: 3 - self.mover, ..self.clone() };
        if let Some((from, to)) = moved {
            next.cells.swap(from, to);
        }
        gone.iter().for_each(|cell| next.cells[*cell] = 0);
        next
    }
}

impl Position for Konane {
    fn next(&self) -> Vec<(String, Self)> {
        let empty: Vec<usize> = self.grid.all().filter(|cell| self.cells[*cell] == 0).collect();
        let own: Vec<usize> = self.grid.all().filter(|cell| self.cells[*cell] == self.mover).collect();
        let (low, high) = (self.grid.width / 2 - 1, self.grid.width / 2);
        let lift = |cell: usize| (self.grid.name(cell), self.after(&[cell], None));
        match empty.as_slice() {
            [] => {
                let first = |cell: &usize| {
                    let (x, y) = self.grid.place(*cell);
                    let last = self.grid.width - 1;
                    (x == 0 || x == last) && (y == 0 || y == last)
                        || [low, high].contains(&x) && [low, high].contains(&y)
                };
                own.into_iter().filter(first).map(lift).collect()
            }
            [hole] => {
                let beside = self.grid.beside(*hole, &ORTHOGONAL);
                own.into_iter().filter(|cell| beside.contains(cell)).map(lift).collect()
            }
            _ => {
                let mut next = Vec::new();
                for from in own {
                    for way in ORTHOGONAL {
                        let (mut gone, mut steps) = (Vec::new(), 0);
                        while let (Some(over), Some(to)) =
                            (self.grid.ahead(from, way, steps + 1), self.grid.ahead(from, way, steps + 2))
                        {
                            if self.cells[over] != 3 - self.mover || self.cells[to] != 0 {
                                break;
                            }
                            gone.push(over);
                            steps += 2;
                            let name = format!("{}-{}", self.grid.name(from), self.grid.name(to));
                            next.push((name, self.after(&gone, Some((from, to)))));
                        }
                    }
                }
                next
            }
        }
    }

    fn result(&self) -> Option<Option<usize>> {
        self.next().is_empty().then_some(Some(usize::from(2 - self.mover)))
    }

    fn repeats(&self) -> Option<Vec<u16>> {
        None
    }
}

#[derive(Clone)]
pub struct Ataxx {
    grid: Grid,
    cells: Vec<u8>,
    mover: u8,
    passes: u32,
    quiet: u32,
}

impl Ataxx {
    pub fn start(options: &Settings) -> Self {
        let size = number(options, "size", 7);
        let grid = Grid::square(size);
        let mut cells = vec![0; grid.cells()];
        let last = size - 1;
        for (x, y, owner) in [(0, last, 1), (last, 0, 1), (0, 0, 2), (last, last, 2)] {
            cells[grid.at(x, y).unwrap()] = owner;
        }
        let middle = grid.at(size / 2, size / 2).unwrap();
        let blocked = match options.get("blocks").map(String::as_str) {
            Some("aslant") => grid.beside(middle, &DIAGONAL),
            Some("straight") => grid.beside(middle, &ORTHOGONAL),
            Some("cross") => [vec![middle], grid.beside(middle, &DIAGONAL)].concat(),
            _ => Vec::new(),
        };
        blocked.into_iter().for_each(|cell| cells[cell] = 3);
        Self { grid, cells, mover: 1, passes: 0, quiet: 0 }
    }

    fn count(&self, owner: u8) -> usize {
        self.cells.iter().filter(|cell| **cell == owner).count()
    }

    fn arrive(&self, to: usize, from: Option<usize>) -> Self {
        let mut next = self.clone();
        next.cells[to] = self.mover;
        if let Some(from) = from {
            next.cells[from] = 0;
        }
        for cell in self.grid.beside(to, &ALL) {
            if next.cells[cell] == 3 - self.mover {
                next.cells[cell] = self.mover;
            }
        }
        next.quiet = if from.is_some() { self.quiet + 1 } else { 0 };
        next.passes = 0;
        next.mover = 3 - self.mover;
        next
    }
}

impl Position for Ataxx {
    fn next(&self) -> Vec<(String, Self)> {
        if self.result().is_some() {
            return Vec::new();
        }
        let mut next = Vec::new();
        let far = |a: usize, b: usize| {
            let ((ax, ay), (bx, by)) = (self.grid.place(a), self.grid.place(b));
            (ax - bx).abs().max((ay - by).abs())
        };
        for to in self.grid.all().filter(|cell| self.cells[*cell] == 0) {
            let own: Vec<usize> = self.grid.all().filter(|cell| self.cells[*cell] == self.mover).collect();
            if own.iter().any(|cell| far(*cell, to) == 1) {
                next.push((self.grid.name(to), self.arrive(to, None)));
            }
            for from in own.into_iter().filter(|cell| far(*cell, to) == 2) {
                next.push((format!("{}-{}", self.grid.name(from), self.grid.name(to)), self.arrive(to, Some(from))));
            }
        }
        if next.is_empty() {
            let passed = Self { mover: 3 - self.mover, passes: self.passes + 1, quiet: self.quiet + 1, ..self.clone() };
            next.push(("pass".to_owned(), passed));
        }
        next
    }

    fn result(&self) -> Option<Option<usize>> {
        let counts = [self.count(1), self.count(2)];
        let most = (counts[0] != counts[1]).then(|| usize::from(counts[1] > counts[0]));
        if counts[usize::from(self.mover - 1)] == 0 {
            return Some(Some(usize::from(2 - self.mover)));
        }
        (self.count(0) == 0 || self.passes == 2 || self.quiet == 50).then_some(most)
    }

    fn repeats(&self) -> Option<Vec<u16>> {
        Some(self.cells.iter().chain([&self.mover]).map(|cell| u16::from(*cell)).collect())
    }
}

#[derive(Clone)]
pub struct Halma {
    grid: Grid,
    players: u8,
    settled: bool,
    parlett: bool,
    cells: Vec<u8>,
    mover: u8,
    /// The cells on which the piece that hops has stood in this turn.
    path: Vec<usize>,
    winner: Option<u8>,
}

impl Halma {
    pub fn start(options: &Settings) -> Self {
        let grid = Grid::square(number(options, "size", 16));
        let players = number(options, "player_count", 2) as u8;
        let mut start = Self {
            grid,
            players,
            settled: !is(options, "settled", "no"),
            parlett: is(options, "goal", "parlett"),
            cells: vec![0; grid.cells()],
            mover: 1,
            path: Vec::new(),
            winner: None,
        };
        for player in 1..=players {
            start.camp(player).into_iter().for_each(|cell| start.cells[cell] = player);
        }
        start
    }

    /// The rows of a camp, from the edge: what the usual boards show.
    fn camp(&self, player: u8) -> Vec<usize> {
        let rows: &[i32] = match (self.grid.width, self.players) {
            (16, 2) => &[5, 5, 4, 3, 2],
            (16, _) => &[4, 4, 3, 2],
            (8, _) | (_, 4) => &[4, 3, 2, 1],
            _ => &[5, 4, 3, 2, 1],
        };
        // White bottom left, then round with the clock; two players sit opposite.
        let corner = if self.players == 2 { 2 * (player - 1) } else { player - 1 };
        let (right, top) = (corner >= 2, corner == 1 || corner == 2);
        let last = self.grid.width - 1;
        let cell =
            |x: i32, y: i32| self.grid.at(if right { last - x } else { x }, if top { last - y } else { y }).unwrap();
        rows.iter().enumerate().flat_map(|(y, width)| (0..*width).map(move |x| cell(x, y as i32))).collect()
    }

    fn far(&self) -> Vec<usize> {
        self.camp((self.mover - 1 + self.players / 2) % self.players + 1)
    }

    fn done(mut self) -> Self {
        let far = self.far();
        let own = far.iter().filter(|cell| self.cells[**cell] == self.mover).count();
        let full = far.iter().all(|cell| self.cells[*cell] != 0);
        if full && (if self.parlett { own > 0 } else { own == far.len() }) {
            self.winner = Some(self.mover);
        }
        self.mover = self.mover % self.players + 1;
        self.path.clear();
        self
    }

    fn moved(&self, from: usize, to: usize) -> Self {
        let mut next = self.clone();
        next.cells.swap(from, to);
        next
    }
}

impl Position for Halma {
    fn next(&self) -> Vec<(String, Self)> {
        if self.winner.is_some() {
            return Vec::new();
        }
        let far = self.far();
        let may = |from: &usize, to: &usize| !self.settled || !far.contains(from) || far.contains(to);
        let mut next = Vec::new();
        let pieces: Vec<usize> = match self.path.last() {
            Some(cell) => vec![*cell],
            None => self.grid.all().filter(|cell| self.cells[*cell] == self.mover).collect(),
        };
        for from in pieces {
            let empty = |cell: &usize| self.cells[*cell] == 0 && may(&from, cell);
            if self.path.is_empty() {
                for to in self.grid.beside(from, &ALL).into_iter().filter(empty) {
                    next.push((
                        format!("{}-{}", self.grid.name(from), self.grid.name(to)),
                        self.moved(from, to).done(),
                    ));
                }
            }
            for way in ALL {
                let over = self.grid.ahead(from, way, 1).filter(|cell| self.cells[*cell] != 0);
                let to = self.grid.ahead(from, way, 2).filter(|cell| empty(cell) && !self.path.contains(cell));
                if let (Some(_), Some(to)) = (over, to) {
                    let mut after = self.moved(from, to);
                    if after.path.is_empty() {
                        after.path.push(from);
                    }
                    after.path.push(to);
                    next.push((format!("{}^{}", self.grid.name(from), self.grid.name(to)), after));
                }
            }
        }
        if !self.path.is_empty() {
            next.push(("stop".to_owned(), self.clone().done()));
        } else if next.is_empty() {
            next.push(("pass".to_owned(), self.clone().done()));
        }
        next
    }

    fn result(&self) -> Option<Option<usize>> {
        self.winner.map(|winner| Some(usize::from(winner - 1)))
    }

    fn repeats(&self) -> Option<Vec<u16>> {
        let cells = self.cells.iter().chain([&self.mover]).map(|cell| u16::from(*cell));
        self.path.is_empty().then(|| cells.collect())
    }
}
