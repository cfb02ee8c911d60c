//! Lasca, Focus and DVONN: pieces one on another, as lists from the bottom.

use super::{DIAGONAL, Grid, ORTHOGONAL, Position, Step};
use std::collections::BTreeSet;

/// Whose a piece is, and whether it is an officer.
type Man = (usize, bool);

#[derive(Clone)]
pub struct Lasca {
    grid: Grid,
    cells: Vec<Vec<Man>>,
    mover: usize,
    /// The column that goes on jumping, and the cells it has jumped over.
    jumping: Option<(usize, Vec<usize>)>,
}

impl Lasca {
    pub fn start() -> Self {
        let grid = Grid::square(7);
        let column = |cell| match grid.place(cell) {
            (x, y) if (x + y) % 2 != 0 || y == 3 => Vec::new(),
            (_, 0..3) => vec![(0, false)],
            _ => vec![(1, false)],
        };
        Self { grid, cells: grid.all().map(column).collect(), mover: 0, jumping: None }
    }

    fn commands(&self, cell: usize) -> Option<Man> {
        self.cells[cell].last().copied()
    }

    fn ways(&self, (owner, officer): Man) -> Vec<Step> {
        let forward = if owner == 0 { 1 } else { -1 };
        DIAGONAL.into_iter().filter(|(_, dy)| officer || *dy == forward).collect()
    }

    /// A column goes, and its top may be crowned.
    fn gone(&self, from: usize, to: usize) -> (Self, bool) {
        let mut next = Self { jumping: None, ..self.clone() };
        let mut column = std::mem::take(&mut next.cells[from]);
        let last = if self.mover == 0 { 6 } else { 0 };
        let top = column.last_mut().unwrap();
        let crowned = !top.1 && self.grid.place(to).1 == last;
        top.1 |= crowned;
        next.cells[to] = column;
        (next, crowned)
    }

    fn jumps_of(&self, from: usize, over: &[usize]) -> Vec<(usize, usize)> {
        let Some(man) = self.commands(from).filter(|man| man.0 == self.mover) else { return Vec::new() };
        let jump = |way: Step| {
            let (prey, to) = (self.grid.ahead(from, way, 1)?, self.grid.ahead(from, way, 2)?);
            let enemy = self.commands(prey).is_some_and(|man| man.0 != self.mover);
            (enemy && self.cells[to].is_empty() && !over.contains(&prey)).then_some((prey, to))
        };
        self.ways(man).into_iter().filter_map(jump).collect()
    }

    fn jump(&self, from: usize, over: &[usize], prey: usize, to: usize) -> (String, Self) {
        let (mut next, crowned) = self.gone(from, to);
        let taken = next.cells[prey].pop().unwrap();
        next.cells[to].insert(0, taken);
        let over = [over, &[prey]].concat();
        if crowned || next.jumps_of(to, &over).is_empty() {
            next.mover = 1 - self.mover;
        } else {
            next.jumping = Some((to, over));
        }
        (format!("{}x{}", self.grid.name(from), self.grid.name(to)), next)
    }
}

impl Position for Lasca {
    fn next(&self) -> Vec<(String, Self)> {
        let own: Vec<usize> = match &self.jumping {
            Some((from, _)) => vec![*from],
            None => {
                self.grid.all().filter(|cell| self.commands(*cell).is_some_and(|man| man.0 == self.mover)).collect()
            }
        };
        let over = self.jumping.as_ref().map_or(&[][..], |(_, over)| over);
        let jumps: Vec<(String, Self)> = own
            .iter()
            .flat_map(|from| self.jumps_of(*from, over).into_iter().map(|(prey, to)| self.jump(*from, over, prey, to)))
            .collect();
        if !jumps.is_empty() {
            return jumps;
        }
        let mut walks = Vec::new();
        for from in own {
            for way in self.ways(self.commands(from).unwrap()) {
                if let Some(to) = self.grid.ahead(from, way, 1).filter(|to| self.cells[*to].is_empty()) {
                    let (mut next, _) = self.gone(from, to);
                    next.mover = 1 - self.mover;
                    walks.push((format!("{}-{}", self.grid.name(from), self.grid.name(to)), next));
                }
            }
        }
        walks
    }

    fn result(&self) -> Option<Option<usize>> {
        self.next().is_empty().then_some(Some(1 - self.mover))
    }

    fn repeats(&self) -> Option<Vec<u16>> {
        let piece = |(owner, officer): &Man| 1 + *owner as u16 * 2 + u16::from(*officer);
        let column = |cell: &Vec<Man>| cell.iter().map(piece).chain([0]).collect::<Vec<u16>>();
        let board = self.cells.iter().flat_map(column).chain([self.mover as u16]).collect();
        self.jumping.is_none().then_some(board)
    }
}

#[derive(Clone)]
pub struct Focus {
    grid: Grid,
    /// Whose the pieces are; nothing where the board has no cell.
    cells: Vec<Option<Vec<usize>>>,
    reserve: [u16; 2],
    mover: usize,
}

impl Focus {
    pub fn start() -> Self {
        let grid = Grid::square(8);
        let cell = |cell| {
            let (x, y) = grid.place(cell);
            let near = |n: i32| n.min(7 - n);
            match (near(x) + near(y), near(x).min(near(y))) {
                (0 | 1, _) => None,
                (_, 0) => Some(Vec::new()),
                // Pairs in each row, the other way round in the next; Red has the top left one.
                _ => Some(vec![usize::from(((x - 1) / 2 + (6 - y)) % 2 != 0)]),
            }
        };
        Self { grid, cells: grid.all().map(cell).collect(), reserve: [0, 0], mover: 0 }
    }

    fn pile(&self, mut next: Self, to: usize, pieces: &[usize]) -> Self {
        let stack = next.cells[to].as_mut().unwrap();
        stack.extend(pieces);
        while stack.len() > 5 {
            if stack.remove(0) == self.mover {
                next.reserve[self.mover] += 1;
            }
        }
        next.mover = 1 - self.mover;
        next
    }
}

impl Position for Focus {
    fn next(&self) -> Vec<(String, Self)> {
        let mut all = Vec::new();
        for from in self.grid.all() {
            let Some(stack) = self.cells[from].as_ref().filter(|stack| stack.last() == Some(&self.mover)) else {
                continue;
            };
            for way in ORTHOGONAL {
                for count in 1..=stack.len() {
                    let Some(to) = self.grid.ahead(from, way, count as i32).filter(|to| self.cells[*to].is_some())
                    else {
                        continue;
                    };
                    let mut next = self.clone();
                    let moved = next.cells[from].as_mut().unwrap().split_off(stack.len() - count);
                    let name = format!("{}-{}", self.grid.name(from), self.grid.name(to));
                    all.push((name, self.pile(next, to, &moved)));
                }
            }
        }
        for cell in self.grid.all().filter(|cell| self.reserve[self.mover] > 0 && self.cells[*cell].is_some()) {
            let mut next = self.clone();
            next.reserve[self.mover] -= 1;
            all.push((format!("*{}", self.grid.name(cell)), self.pile(next, cell, &[self.mover])));
        }
        all
    }

    fn result(&self) -> Option<Option<usize>> {
        self.next().is_empty().then_some(Some(1 - self.mover))
    }

    fn repeats(&self) -> Option<Vec<u16>> {
        let stack = |cell: &Option<Vec<usize>>| {
            cell.iter().flatten().map(|owner| 1 + *owner as u16).chain([0]).collect::<Vec<u16>>()
        };
        let rest = [self.reserve[0], self.reserve[1], self.mover as u16];
        Some(self.cells.iter().flat_map(stack).chain(rest).collect())
    }
}

/// A red piece belongs to nobody.
const RED: usize = 2;
const HEX: [Step; 6] = [(2, 0), (1, 1), (-1, 1), (-2, 0), (-1, -1), (1, -1)];

#[derive(Clone)]
pub struct Dvonn {
    /// Half steps from the left and the rows from the top, with the stack there.
    cells: Vec<(Step, Vec<usize>)>,
    placed: usize,
    mover: usize,
    passes: u32,
}

impl Dvonn {
    pub fn start() -> Self {
        let row = |y: i32| {
            let (first, count) = [(2, 9), (1, 10), (0, 11), (1, 10), (2, 9)][y as usize];
            (0..count).map(move |n| ((first + 2 * n, y), Vec::new()))
        };
        Self { cells: (0..5).flat_map(row).collect(), placed: 0, mover: 0, passes: 0 }
    }

    fn at(&self, (x, y): Step) -> Option<usize> {
        self.cells.iter().position(|(place, _)| *place == (x, y))
    }

    fn beside(&self, cell: usize, (dx, dy): Step, steps: i32) -> Option<usize> {
        let (x, y) = self.cells[cell].0;
        self.at((x + dx * steps, y + dy * steps)).filter(|to| !self.cells[*to].1.is_empty())
    }

    fn name(&self, cell: usize) -> String {
        let (x, y) = self.cells[cell].0;
        format!("{}{}", char::from(b'a' + x as u8), y + 1)
    }

    fn put(&self, cell: usize) -> (String, Self) {
        let mut next = Self { placed: self.placed + 1, mover: 1 - self.mover, ..self.clone() };
        next.cells[cell].1 = vec![if self.placed < 3 { RED } else { self.mover }];
        if next.placed == 49 {
            next.mover = self.mover;
        }
        (self.name(cell), next)
    }

    fn go(&self, from: usize, to: usize) -> (String, Self) {
        let mut next = Self { mover: 1 - self.mover, passes: 0, ..self.clone() };
        let stack = std::mem::take(&mut next.cells[from].1);
        next.cells[to].1.extend(stack);
        let mut touched: BTreeSet<usize> =
            (0..next.cells.len()).filter(|cell| next.cells[*cell].1.contains(&RED)).collect();
        let mut fresh: Vec<usize> = touched.iter().copied().collect();
        while let Some(cell) = fresh.pop() {
            fresh.extend(HEX.iter().filter_map(|way| next.beside(cell, *way, 1)).filter(|cell| touched.insert(*cell)));
        }
        for (cell, (_, stack)) in next.cells.iter_mut().enumerate() {
            if !touched.contains(&cell) {
                stack.clear();
            }
        }
        (format!("{}-{}", self.name(from), self.name(to)), next)
    }

    fn score(&self, player: usize) -> usize {
        self.cells.iter().filter(|(_, stack)| stack.last() == Some(&player)).map(|(_, stack)| stack.len()).sum()
    }
}

impl Position for Dvonn {
    fn next(&self) -> Vec<(String, Self)> {
        if self.placed < 49 {
            return (0..49).filter(|cell| self.cells[*cell].1.is_empty()).map(|cell| self.put(cell)).collect();
        }
        if self.passes >= 2 {
            return Vec::new();
        }
        let mut all = Vec::new();
        for (from, (_, stack)) in self.cells.iter().enumerate() {
            let free = HEX.iter().filter(|way| self.beside(from, **way, 1).is_some()).count() < 6;
            if stack.last() == Some(&self.mover) && free {
                let goals = HEX.iter().filter_map(|way| self.beside(from, *way, stack.len() as i32));
                all.extend(goals.map(|to| self.go(from, to)));
            }
        }
        if all.is_empty() {
            all.push(("pass".to_owned(), Self { mover: 1 - self.mover, passes: self.passes + 1, ..self.clone() }));
        }
        all
    }

    fn result(&self) -> Option<Option<usize>> {
        (self.passes >= 2).then(|| match self.score(0).cmp(&self.score(1)) {
            std::cmp::Ordering::Greater => Some(0),
            std::cmp::Ordering::Less => Some(1),
            std::cmp::Ordering::Equal => None,
        })
    }

    fn repeats(&self) -> Option<Vec<u16>> {
        None
    }
}
