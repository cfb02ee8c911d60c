//! Boards of all kinds and random sets, for tests.

use crate::board::{Adjacency, Board, BoardSpec, Shape, Site, SiteSet, build};

/// A small generator of random numbers, the same everywhere.
pub(crate) struct Dice(pub u64);

impl Dice {
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.roll() % n.max(1) as u64) as usize
    }

    /// Some of the sites: each with a chance that changes from set to set.
    pub(crate) fn set(&mut self, board: &Board) -> SiteSet {
        let chance = [1, 8, 20, 50, 80, 97, 100][self.below(7)];
        board.all().iter().filter(|_| self.below(100) < chance).collect()
    }

    pub(crate) fn site(&mut self, board: &Board) -> Site {
        Site(self.below(board.len()) as u16)
    }
}

pub(crate) fn shape(shape: Shape) -> Board {
    build(&BoardSpec { shape, adjacency: None, coordinates: None, classes: None }).unwrap()
}

pub(crate) fn hexagon(a: u32, b: u32) -> Board {
    shape(Shape::Hexagon { a, b })
}

pub(crate) fn squares(width: u32, height: u32, adjacency: Adjacency) -> Board {
    let shape = Shape::Rectangle { width, height };
    build(&BoardSpec { shape, adjacency: Some(adjacency), coordinates: None, classes: None }).unwrap()
}

/// So many squares scattered over a field.
pub(crate) fn drawn_squares(side: usize, count: usize) -> Board {
    let mut dice = Dice(count as u64);
    let mut field = vec!['-'; side * side];
    let mut left = count;
    while left > 0 {
        let place = &mut field[dice.below(side * side)];
        if *place == '-' {
            *place = 'o';
            left -= 1;
        }
    }
    let rows: Vec<String> = field.chunks(side).map(|row| row.iter().map(|c| format!("{c} ")).collect()).collect();
    let adjacency = Some(Adjacency::Orthogonal);
    build(&BoardSpec { shape: Shape::DrawnSquare(rows.join("\n")), adjacency, coordinates: None, classes: None })
        .unwrap()
}

fn lines(rows: &[&str]) -> Shape {
    Shape::Lines(rows.iter().map(|row| row.split_whitespace().map(str::to_owned).collect()).collect())
}

pub(crate) fn boards() -> Vec<(String, Board)> {
    let mut boards = Vec::new();
    let mut add = |name: &str, board: Board| boards.push((name.to_owned(), board));
    for side in 1..=9 {
        add(&format!("hexagon {side}"), hexagon(side, side));
    }
    for (a, b) in [(5, 6), (3, 5), (2, 7), (1, 8), (7, 8)] {
        add(&format!("hexagon {a} {b}"), hexagon(a, b));
    }
    for adjacency in [Adjacency::Orthogonal, Adjacency::Diagonal, Adjacency::All] {
        for (width, height) in
            [(8, 8), (1, 9), (9, 1), (1, 1), (15, 15), (7, 6), (19, 19), (22, 23), (24, 24), (32, 32)]
        {
            add(&format!("squares {width}x{height} {adjacency:?}"), squares(width, height, adjacency));
        }
    }
    for side in [2, 4, 5, 6, 8, 13] {
        add(&format!("diamond {side}"), shape(Shape::Diamond { side }));
    }
    for side in [1, 6, 10, 15] {
        add(&format!("triangle {side}"), shape(Shape::Triangle { side }));
    }
    for (width, height) in [(11, 11), (5, 4), (14, 14), (1, 3)] {
        add(&format!("rhombus {width}x{height}"), shape(Shape::Rhombus { width, height }));
    }
    for n in [1, 2, 3, 4, 12, 63, 64, 65, 130, 512, 1024] {
        add(&format!("ring {n}"), shape(Shape::Ring { n }));
    }
    for (width, height) in [(1, 1), (2, 5), (3, 3), (8, 8), (9, 7), (16, 4)] {
        for columns in [false, true] {
            add(&format!("round {width}x{height} {columns}"), shape(Shape::Round { width, height, columns }));
        }
    }
    for (circles, points) in [(1, 8), (3, 8), (4, 12), (8, 2)] {
        add(&format!("rings {circles}x{points}"), shape(Shape::Rings { circles, points }));
    }
    for side in [1, 4, 9, 22] {
        add(&format!("triangles {side}"), shape(Shape::Triangles { side }));
    }
    let holes = "
        - o o o
       - o o o o
      o o o * o o
     o o o o o o -
    o o * o o o o -
     o o o o * o o
      o o o o o o
       - - o o o
";
    add("drawn hexes", shape(Shape::DrawnHex(holes.into())));
    let islands = "o o o - - o o\no - o - - o o\no o o - - - -\n- - - - - o o\no o o o - o o\n";
    add("drawn squares in parts", shape(Shape::DrawnSquare(islands.into())));
    for (side, count) in [(6, 20), (12, 100), (20, 300), (25, 512), (34, 1024)] {
        add(&format!("scattered {count}"), drawn_squares(side, count));
    }
    let morris = [
        "a7 d7 g7", "b6 d6 f6", "c5 d5 e5", "a4 b4 c4", "e4 f4 g4", "c3 d3 e3", "b2 d2 f2", "a1 d1 g1", "a7 a4 a1",
        "b6 b4 b2", "c5 c4 c3", "d7 d6 d5", "d3 d2 d1", "e5 e4 e3", "f6 f4 f2", "g7 g4 g1",
    ];
    add("morris", shape(lines(&morris)));
    add("lines on a circle", shape(lines(&["one two three four one", "one three", "two five six"])));
    let points = [("top", 0.0, -3.5), ("left", -2.0, 0.0), ("right", 2.0, 0.0), ("alone", 9.0, 9.0), ("far", 3.0, 2.0)];
    let links = [("top", "left"), ("top", "right"), ("right", "left"), ("right", "far")];
    add(
        "graph",
        shape(Shape::Graph {
            points: points.iter().map(|&(name, x, y)| (name.to_owned(), x, y)).collect(),
            links: links.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect(),
        }),
    );
    // So many links that few of them get a direction of their own.
    let mut dice = Dice(7);
    let points: Vec<(String, f64, f64)> = (0..90)
        .map(|i| (format!("p{i}"), dice.below(40) as f64 + f64::from(i) / 100.0, dice.below(40) as f64))
        .collect();
    let links = (0..200)
        .map(|_| (dice.below(90), dice.below(89)))
        .map(|(a, b)| (format!("p{a}"), format!("p{}", if b >= a { b + 1 } else { b })))
        .collect();
    add("random graph", shape(Shape::Graph { points, links }));
    boards
}
