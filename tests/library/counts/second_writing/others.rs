//! Men's morris, Slimetrail and Trike.

use super::{ALL, Grid, ORTHOGONAL, Position, Settings, Step, is, number};

#[derive(Clone)]
pub struct Morris {
    points: Vec<&'static str>,
    lines: &'static [&'static str],
    flying: bool,
    cells: Vec<u8>,
    hands: [i32; 2],
    mover: u8,
    /// A mill was closed, and a piece is to be taken.
    taking: bool,
    quiet: u32,
}

const NINE: [&str; 16] = [
    "a1 d1 g1", "b2 d2 f2", "c3 d3 e3", "a4 b4 c4", "e4 f4 g4", "c5 d5 e5", "b6 d6 f6", "a7 d7 g7", "a1 a4 a7",
    "b2 b4 b6", "c3 c4 c5", "d1 d2 d3", "d5 d6 d7", "e3 e4 e5", "f2 f4 f6", "g1 g4 g7",
];
const TWELVE: [&str; 20] = [
    "a1 d1 g1", "b2 d2 f2", "c3 d3 e3", "a4 b4 c4", "e4 f4 g4", "c5 d5 e5", "b6 d6 f6", "a7 d7 g7", "a1 a4 a7",
    "b2 b4 b6", "c3 c4 c5", "d1 d2 d3", "d5 d6 d7", "e3 e4 e5", "f2 f4 f6", "g1 g4 g7", "a1 b2 c3", "a7 b6 c5",
    "g1 f2 e3", "g7 f6 e5",
];
const SIX: [&str; 12] = [
    "a1 c1 e1", "b2 c2 d2", "b4 c4 d4", "a5 c5 e5", "a1 a3 a5", "b2 b3 b4", "d2 d3 d4", "e1 e3 e5", "a3 b3", "d3 e3",
    "c1 c2", "c4 c5",
];

impl Morris {
    pub fn start(game: &str, options: &Settings) -> Self {
        let (lines, men): (&[&str], i32) = match game {
            "six_mens_morris" => (&SIX, 6),
            "twelve_mens_morris" => (&TWELVE, 12),
            _ => (&NINE, 9),
        };
        let men = number(options, "men", men);
        let mut points: Vec<&str> = lines.iter().flat_map(|line| line.split(' ')).collect();
        points.sort_unstable();
        points.dedup();
        let flying =
            if game == "six_mens_morris" { is(options, "flying", "yes") } else { !is(options, "flying", "no") };
        let cells = vec![0; points.len()];
        Self { points, lines, flying, cells, hands: [men, men], mover: 1, taking: false, quiet: 0 }
    }

    fn row(&self, line: &str) -> Vec<usize> {
        line.split(' ').map(|name| self.points.iter().position(|point| *point == name).unwrap()).collect()
    }

    fn mill(&self, at: usize) -> bool {
        let rows = self.lines.iter().map(|line| self.row(line)).filter(|row| row.len() == 3 && row.contains(&at));
        rows.into_iter().any(|row| row.iter().all(|cell| self.cells[*cell] == self.cells[at]))
    }

    fn linked(&self, a: usize, b: usize) -> bool {
        let beside = |row: Vec<usize>| row.windows(2).any(|pair| pair == [a, b] || pair == [b, a]);
        self.lines.iter().any(|line| beside(self.row(line)))
    }

    fn of(&self, player: u8) -> Vec<usize> {
        (0..self.cells.len()).filter(|cell| self.cells[*cell] == player).collect()
    }

    fn arrived(mut self, to: usize, placed: bool) -> Self {
        self.cells[to] = self.mover;
        self.quiet = if placed { 0 } else { self.quiet + 1 };
        self.taking = self.mill(to) && !self.of(3 - self.mover).is_empty();
        if !self.taking {
            self.mover = 3 - self.mover;
        }
        self
    }

    fn moves(&self) -> Vec<(String, Self)> {
        let mut next = Vec::new();
        let hand = usize::from(self.mover - 1);
        if self.taking {
            let prey = self.of(3 - self.mover);
            let all = prey.iter().all(|cell| self.mill(*cell));
            for cell in prey.into_iter().filter(|cell| all || !self.mill(*cell)) {
                let mut after = Self { taking: false, quiet: 0, mover: 3 - self.mover, ..self.clone() };
                after.cells[cell] = 0;
                next.push((format!("x{}", self.points[cell]), after));
            }
            return next;
        }
        let own = self.of(self.mover);
        for to in self.of(0) {
            if self.hands[hand] > 0 {
                let mut after = self.clone();
                after.hands[hand] -= 1;
                next.push((self.points[to].to_owned(), after.arrived(to, true)));
                continue;
            }
            let flies = self.flying && own.len() == 3;
            for from in own.iter().copied().filter(|from| flies || self.linked(*from, to)) {
                let mut after = self.clone();
                after.cells[from] = 0;
                next.push((format!("{}-{}", self.points[from], self.points[to]), after.arrived(to, false)));
            }
        }
        next
    }
}

impl Position for Morris {
    fn next(&self) -> Vec<(String, Self)> {
        if self.result().is_some() { Vec::new() } else { self.moves() }
    }

    fn result(&self) -> Option<Option<usize>> {
        let before = Some(usize::from(2 - self.mover));
        if self.taking {
            None
        } else if self.of(self.mover).len() as i32 + self.hands[usize::from(self.mover - 1)] < 3 {
            Some(before)
        } else if self.of(0).is_empty() {
            Some(None)
        } else if self.moves().is_empty() {
            Some(before)
        } else {
            (self.quiet == 100).then_some(None)
        }
    }

    fn repeats(&self) -> Option<Vec<u16>> {
        let hands = self.hands.iter().map(|hand| *hand as u16);
        let cells = self.cells.iter().chain([&self.mover]).map(|cell| u16::from(*cell));
        (!self.taking).then(|| cells.chain(hands).collect())
    }
}

#[derive(Clone)]
pub struct Slimetrail {
    grid: Grid,
    ways: &'static [Step],
    draws: bool,
    way_out: bool,
    slime: Vec<bool>,
    slug: usize,
    mover: usize,
}

impl Slimetrail {
    pub fn start(options: &Settings) -> Self {
        let size = number(options, "size", 8);
        let grid = Grid::square(size);
        Self {
            grid,
            ways: if is(options, "steps", "rook") { &ORTHOGONAL } else { &ALL },
            draws: is(options, "blocked", "draws"),
            way_out: is(options, "dead_ends", "forbidden"),
            slime: vec![false; grid.cells()],
            slug: grid.at(size / 2, size / 2).unwrap(),
            mover: 0,
        }
    }

    fn goals(&self) -> [usize; 2] {
        [0, self.grid.cells() - 1]
    }

    fn can_reach_a_goal(&self) -> bool {
        let mut reached = vec![self.slug];
        let mut at = 0;
        while at < reached.len() {
            let fresh = self.grid.beside(reached[at], self.ways).into_iter().filter(|cell| !self.slime[*cell]);
            let fresh: Vec<usize> = fresh.filter(|cell| !reached.contains(cell)).collect();
            reached.extend(fresh);
            at += 1;
        }
        self.goals().iter().any(|goal| reached.contains(goal))
    }

    fn moves(&self) -> Vec<(String, Self)> {
        let creep = |way: &Step| {
            let to = self.grid.ahead(self.slug, *way, 1).filter(|cell| !self.slime[*cell])?;
            let mut after = Self { slug: to, mover: 1 - self.mover, ..self.clone() };
            after.slime[self.slug] = true;
            let name = match way {
                (x, 1) => ["nw", "n", "ne"][(x + 1) as usize],
                (x, -1) => ["sw", "s", "se"][(x + 1) as usize],
                (x, _) => ["w", "", "e"][(x + 1) as usize],
            };
            (!self.way_out || after.can_reach_a_goal()).then(|| (name.to_owned(), after))
        };
        self.ways.iter().filter_map(creep).collect()
    }
}

impl Position for Slimetrail {
    fn next(&self) -> Vec<(String, Self)> {
        if self.result().is_some() { Vec::new() } else { self.moves() }
    }

    fn result(&self) -> Option<Option<usize>> {
        let reached = self.goals().iter().position(|goal| *goal == self.slug);
        let blocked = if self.draws { None } else { Some(1 - self.mover) };
        if reached.is_some() { Some(reached) } else { self.moves().is_empty().then_some(blocked) }
    }

    fn repeats(&self) -> Option<Vec<u16>> {
        None
    }
}

#[derive(Clone)]
pub struct Trike {
    size: i32,
    /// Row by row from the top, each row one longer than the one above.
    cells: Vec<u8>,
    pawn: Option<(i32, i32)>,
    mover: u8,
}

impl Trike {
    pub fn start(options: &Settings) -> Self {
        let size = number(options, "size", 7);
        Self { size, cells: vec![0; (size * (size + 1) / 2) as usize], pawn: None, mover: 1 }
    }

    fn at(&self, (row, place): (i32, i32)) -> Option<usize> {
        let inside = (0..self.size).contains(&row) && (0..=row).contains(&place);
        inside.then(|| (row * (row + 1) / 2 + place) as usize)
    }

    fn slides(&self) -> Vec<(i32, i32)> {
        let mut reached = Vec::new();
        match self.pawn {
            None => reached.extend((0..self.size).flat_map(|row| (0..=row).map(move |place| (row, place)))),
            Some((row, place)) => {
                for (down, right) in [(0, 1), (0, -1), (1, 0), (1, 1), (-1, 0), (-1, -1)] {
                    let line = (1..).map(|k| (row + k * down, place + k * right));
                    reached.extend(line.take_while(|to| self.at(*to).is_some_and(|cell| self.cells[cell] == 0)));
                }
            }
        }
        reached
    }
}

impl Position for Trike {
    fn next(&self) -> Vec<(String, Self)> {
        let slide = |to: (i32, i32)| {
            let mut after = Self { pawn: Some(to), mover: 3 - self.mover, ..self.clone() };
            after.cells[self.at(to).unwrap()] = self.mover;
            (format!("{}{}", char::from(b'a' + to.1 as u8), to.0 + 1), after)
        };
        self.slides().into_iter().map(slide).collect()
    }

    fn result(&self) -> Option<Option<usize>> {
        let (row, place) = self.pawn?;
        let around = [(0, 0), (0, 1), (0, -1), (1, 0), (1, 1), (-1, 0), (-1, -1)];
        let near = around.iter().filter_map(|(down, right)| self.at((row + down, place + right)));
        let owners: Vec<u8> = near.map(|cell| self.cells[cell]).collect();
        let count = |player: u8| owners.iter().filter(|owner| **owner == player).count();
        let most = (count(1) != count(2)).then(|| usize::from(count(2) > count(1)));
        self.slides().is_empty().then_some(most)
    }

    fn repeats(&self) -> Option<Vec<u16>> {
        None
    }
}
