//! Checks the boards of every shape: their cells, names, steps, tables and drawings.

mod drawings;

use super::text::draw;
use super::*;

const PERFORATED: &str = "
        - o o o 
       - o o o o 
      o o o * o o 
     o o o o o o - 
    o o * o o o o - 
     o o o o * o o 
      o o o o o o 
       - - o o o 
";

fn spec(shape: Shape) -> BoardSpec {
    BoardSpec { shape, adjacency: None, coordinates: None, classes: None }
}

fn board(shape: Shape) -> Board {
    build(&spec(shape)).unwrap()
}

fn with(shape: Shape, coordinates: Coordinates) -> Board {
    build(&BoardSpec { shape, adjacency: None, coordinates: Some(coordinates), classes: None }).unwrap()
}

fn fault(shape: Shape) -> BoardError {
    build(&spec(shape)).unwrap_err()
}

fn hexagon(a: u32, b: u32) -> Shape {
    Shape::Hexagon { a, b }
}

fn morris() -> Shape {
    let rows = [
        "a7 d7 g7", "b6 d6 f6", "c5 d5 e5", "a4 b4 c4", "e4 f4 g4", "c3 d3 e3", "b2 d2 f2", "a1 d1 g1", "a7 a4 a1",
        "b6 b4 b2", "c5 c4 c3", "d7 d6 d5", "d3 d2 d1", "e5 e4 e3", "f6 f4 f2", "g7 g4 g1",
    ];
    lines(&rows)
}

fn lines(rows: &[&str]) -> Shape {
    Shape::Lines(rows.iter().map(|row| row.split_whitespace().map(str::to_owned).collect()).collect())
}

fn names(board: &Board, set: SiteSet) -> String {
    let names: Vec<&str> = set.iter().map(|site| board.name(site)).collect();
    names.join(" ")
}

fn picture(board: &Board, labels: bool) -> String {
    let text = draw(board, &|_| "o".to_owned(), labels);
    assert!(text.lines().all(|line| line.trim_end() == line));
    text
}

/// Draws and puts a newline before, as the expected drawings in the tests have it.
fn shown(board: &Board, labels: bool) -> String {
    format!("\n{}", picture(board, labels))
}

fn samples() -> Vec<Board> {
    let graph = Shape::Graph {
        points: vec![
            ("top".into(), 0.0, -3.5),
            ("left".into(), -2.0, 0.0),
            ("right".into(), 2.0, 0.0),
            ("alone".into(), 9.0, 9.0),
        ],
        links: vec![("top".into(), "left".into()), ("top".into(), "right".into()), ("right".into(), "left".into())],
    };
    let mut shapes = vec![
        Shape::Rhombus { width: 5, height: 4 },
        Shape::Rhombus { width: 1, height: 3 },
        Shape::Triangle { side: 5 },
        Shape::Rectangle { width: 5, height: 4 },
        Shape::Rectangle { width: 1, height: 1024 },
        Shape::Diamond { side: 4 },
        Shape::DrawnHex(PERFORATED.into()),
        Shape::DrawnHex("o . o".into()),
        Shape::DrawnSquare("o o o\no * o\no o o o".into()),
        morris(),
        lines(&["one two three", "three four one"]),
        graph,
    ];
    for a in 1..5 {
        for b in 1..5 {
            shapes.push(hexagon(a, b));
        }
    }
    for n in 1..6 {
        shapes.push(Shape::Ring { n });
    }
    shapes.push(Shape::Ring { n: 1024 });
    for n in 1..6 {
        shapes.push(Shape::Rings { circles: n, points: 6 - n });
        shapes.push(Shape::Triangles { side: n });
        for columns in [false, true] {
            shapes.push(Shape::Round { width: n, height: 6 - n, columns });
        }
    }
    let mut boards: Vec<Board> = shapes.into_iter().map(board).collect();
    for adjacency in [Adjacency::Orthogonal, Adjacency::Diagonal, Adjacency::All] {
        let spec = BoardSpec {
            shape: Shape::Rectangle { width: 4, height: 3 },
            adjacency: Some(adjacency),
            coordinates: Some(Coordinates::Numbered),
            classes: None,
        };
        boards.push(build(&spec).unwrap());
    }
    for shape in [hexagon(3, 4), Shape::Triangle { side: 4 }, Shape::DrawnHex(PERFORATED.into())] {
        for coordinates in [Coordinates::Doubled, Coordinates::Plain, Coordinates::Numbered] {
            boards.push(with(shape.clone(), coordinates));
        }
    }
    boards
}

#[test]
fn hexagons_have_the_right_number_of_cells() {
    for n in 1..13 {
        assert_eq!(board(hexagon(n, n)).len() as u32, 3 * n * (n - 1) + 1);
    }
    let alternating = [(3, 4, 27), (5, 6, 75), (7, 8, 147), (2, 4, 18), (3, 5, 36), (4, 6, 60)];
    for (a, b, count) in alternating {
        let board = board(hexagon(a, b));
        assert_eq!(board.len(), count, "{a} {b}");
        assert_eq!(super::tests::board(hexagon(b, a)).len(), count);
        assert_eq!(board.side(Direction::N).len() as u32, b);
        assert_eq!(board.side(Direction::S).len() as u32, a);
        assert_eq!(board.side(Direction::SE).len() as u32, b);
        assert_eq!(board.side(Direction::NE).len() as u32, a);
        assert_eq!(board.corners().len(), 6);
    }
    let lengths: Vec<usize> = (1..=7).map(|row| board(hexagon(3, 4)).row(row).len()).collect();
    assert_eq!(lengths, [4, 5, 6, 5, 4, 3, 0]);
}

#[test]
fn other_shapes_have_the_right_number_of_cells() {
    let count = |shape| board(shape).len();
    assert_eq!(count(Shape::Rhombus { width: 11, height: 11 }), 121);
    assert_eq!(count(Shape::Triangle { side: 6 }), 21);
    assert_eq!(count(Shape::Rectangle { width: 8, height: 7 }), 56);
    assert_eq!(count(Shape::Diamond { side: 4 }), 25);
    assert_eq!(count(Shape::Ring { n: 9 }), 9);
    assert_eq!(count(morris()), 24);
}

#[test]
fn a_step_and_the_step_back_undo_each_other() {
    for board in samples() {
        for site in board.all() {
            for direction in Direction::ALL {
                if let Some(next) = board.step(site, direction) {
                    assert!(board.compass().contains(direction));
                    assert_eq!(board.step(next, direction.opposite()), Some(site));
                }
            }
            for other in board.neighbours(site) {
                assert!(board.neighbours(other).contains(site));
                assert_ne!(other, site);
            }
        }
        assert!(board.directions().is_subset(board.compass()));
    }
}

#[test]
fn names_are_unique_and_found() {
    for board in samples() {
        assert_eq!(board.names().count(), board.len());
        for site in board.all() {
            assert_eq!(board.find(board.name(site)), Some(site));
        }
        assert_eq!(board.find("nowhere"), None);
    }
}

#[test]
fn tables_agree_with_walking() {
    for board in samples() {
        let ring = board.grid() == Grid::Points && board.lines().is_empty() || goes_round(&board);
        for a in board.all() {
            assert_eq!(board.distance(a, a), Some(0));
            assert_eq!(board.direction(a, a), None);
            for b in board.all() {
                assert_eq!(board.distance(a, b), board.distance(b, a));
                let adjacent = board.neighbours(a).contains(b);
                assert_eq!(board.distance(a, b) == Some(1), adjacent);
                let Some(direction) = board.direction(a, b) else {
                    continue;
                };
                let mut at = a;
                let mut steps = 0;
                while at != b {
                    at = board.step(at, direction).unwrap();
                    steps += 1;
                }
                if board.directions() == board.compass() {
                    assert!(board.distance(a, b).unwrap() <= steps);
                }
                if !ring {
                    assert_eq!(board.direction(b, a), Some(direction.opposite()));
                }
            }
        }
    }
}

/// Whether somebody who goes straight on comes back.
fn goes_round(board: &Board) -> bool {
    let comes_back = |site: Site, direction: Direction| {
        let mut way = std::iter::successors(board.step(site, direction), |at| board.step(*at, direction));
        way.by_ref().take(board.len()).any(|at| at == site)
    };
    board.all().iter().any(|site| board.compass().iter().any(|direction| comes_back(site, direction)))
}

#[test]
fn neighbouring_cells_are_one_apart() {
    for board in samples() {
        if board.grid() == Grid::Points || goes_round(&board) {
            continue;
        }
        for site in board.all() {
            for direction in board.orthogonal() {
                if let Some(next) = board.step(site, direction) {
                    let (a, b) = (board.xy(site), board.xy(next));
                    assert!(((a.0 - b.0).hypot(a.1 - b.1) - 1.0).abs() < 1e-9);
                }
            }
        }
    }
}

#[test]
fn regions_fit_together() {
    for board in samples() {
        assert!(board.corners().is_subset(board.edge()));
        assert_eq!(board.edge() | board.interior(), board.all());
        assert!(!board.edge().intersects(board.interior()));
        for direction in board.sides() {
            assert!(board.side(direction).is_subset(board.edge()));
        }
    }
}

#[test]
fn a_regular_hexagon_is_named_in_doubled_columns() {
    for (side, centre) in [(4, "g4"), (6, "k6"), (7, "m7")] {
        let board = board(hexagon(side, side));
        assert_eq!(names(&board, board.centre()), centre);
    }
    let four = board(hexagon(4, 4));
    assert_eq!(names(&four, four.row(4)), "a4 c4 e4 g4 i4 k4 m4");
    assert_eq!(names(&four, four.corners()), "d1 j1 a4 m4 d7 j7");
    assert_eq!(names(&four, four.side(Direction::NE)), "j1 k2 l3 m4");
    assert_eq!(names(&four, four.side(Direction::SW)), "a4 b5 c6 d7");
    assert_eq!(four.edge().len(), 18);
    assert_eq!(four.name(Site(0)), "d1");
    let eight = board(hexagon(8, 8));
    assert_eq!(eight.name(Site(0)), "h1");
    assert!(eight.find("ac8").is_some());
}

#[test]
fn hexagons_are_walked_and_measured() {
    let board = board(hexagon(4, 4));
    let at = |name: &str| board.find(name).unwrap();
    assert_eq!(board.step(at("g4"), Direction::NE), Some(at("h3")));
    assert_eq!(board.step(at("g4"), Direction::E), Some(at("i4")));
    assert_eq!(board.step(at("g4"), Direction::N), None);
    assert_eq!(board.direction(at("a4"), at("d1")), Some(Direction::NE));
    assert_eq!(board.direction(at("a4"), at("e2")), None);
    assert_eq!(board.distance(at("a4"), at("m4")), Some(6));
    assert_eq!(board.distance(at("a4"), at("j1")), Some(6));
    assert_eq!(board.neighbours(at("g4")).len(), 6);
    assert_eq!(board.orthogonal().len(), 6);
    assert!(board.diagonal().is_empty());
}

#[test]
fn one_short_side_makes_a_triangle_on_its_tip() {
    let board = board(hexagon(3, 1));
    assert_eq!(board.len(), 6);
    assert_eq!(names(&board, board.side(Direction::NE)), "e1");
    assert_eq!(names(&board, board.side(Direction::SE)), "e1 d2 c3");
    assert_eq!(names(&board, board.corners()), "a1 e1 c3");
    assert_eq!(names(&board, board.centre()), "c1 b2 d2");
}

#[test]
fn a_rhombus_has_four_sides() {
    let board = board(Shape::Rhombus { width: 4, height: 3 });
    assert_eq!(names(&board, board.row(2)), "a2 b2 c2 d2");
    assert_eq!(names(&board, board.side(Direction::W)), "a1 a2 a3");
    assert_eq!(names(&board, board.side(Direction::S)), "a3 b3 c3 d3");
    assert_eq!(names(&board, board.corners()), "a1 d1 a3 d3");
    assert_eq!(names(&board, board.centre()), "b2 c2");
    let (a1, a3) = (board.find("a1").unwrap(), board.find("a3").unwrap());
    assert_eq!(board.direction(a1, a3), Some(Direction::SE));
    assert!(board.column(1).is_empty());
}

#[test]
fn a_triangle_stands_on_its_base() {
    let board = board(Shape::Triangle { side: 4 });
    assert_eq!(names(&board, board.side(Direction::NE)), "a1 b2 c3 d4");
    assert_eq!(names(&board, board.side(Direction::NW)), "a1 a2 a3 a4");
    assert_eq!(names(&board, board.side(Direction::S)), "a4 b4 c4 d4");
    assert_eq!(names(&board, board.corners()), "a1 a4 d4");
    assert_eq!(names(&board, board.centre()), "b3");
    assert_eq!(board.sides().len(), 3);
}

#[test]
fn a_star_has_six_points() {
    let board = board(Shape::Star { side: 2 });
    assert_eq!(board.len(), 37);
    assert_eq!(names(&board, board.side(Direction::N)), "g1 f2 h2");
    assert_eq!(names(&board, board.side(Direction::NE)), "k3 m3 l4");
    assert_eq!(names(&board, board.side(Direction::SE)), "l6 k7 m7");
    assert_eq!(names(&board, board.side(Direction::NW)), "a3 c3 b4");
    assert_eq!(names(&board, board.corners()), "g1 a3 m3 a7 m7 g9");
    assert_eq!(names(&board, board.centre()), "g5");
    assert_eq!(names(&board, board.edge() & board.row(4)), "b4 l4");
}

#[test]
fn squares_know_rows_columns_and_adjacency() {
    let shape = Shape::Rectangle { width: 4, height: 4 };
    let plain = board(shape.clone());
    assert_eq!(names(&plain, plain.row(1)), "a1 b1 c1 d1");
    assert_eq!(names(&plain, plain.column(2)), "b4 b3 b2 b1");
    assert_eq!(names(&plain, plain.corners()), "a4 d4 a1 d1");
    assert_eq!(names(&plain, plain.centre()), "b3 c3 b2 c2");
    assert_eq!(names(&plain, plain.side(Direction::N)), "a4 b4 c4 d4");
    assert_eq!(plain.edge().len(), 12);
    for odd in [i32::MIN, -1, 0, 5, i32::MAX] {
        assert!(plain.row(odd).is_empty() && plain.column(odd).is_empty());
    }
    let b2 = plain.find("b2").unwrap();
    assert_eq!(plain.neighbours(b2).len(), 4);
    assert_eq!(plain.step(b2, Direction::NE), plain.find("c3"));
    assert_eq!(plain.direction(b2, plain.find("d4").unwrap()), Some(Direction::NE));
    let diagonal =
        build(&BoardSpec { shape, adjacency: Some(Adjacency::Diagonal), coordinates: None, classes: None }).unwrap();
    let (a, b) = (diagonal.find("a1").unwrap(), diagonal.find("b1").unwrap());
    assert_eq!(diagonal.distance(a, b), None);
    assert_eq!(diagonal.direction(a, b), Some(Direction::E));
    let row = board(Shape::Rectangle { width: 5, height: 1 });
    assert_eq!(names(&row, row.corners()), "a1 e1");
}

#[test]
fn a_diamond_has_four_tips() {
    let board = board(Shape::Diamond { side: 3 });
    assert_eq!(names(&board, board.corners()), "c5 a3 e3 c1");
    assert_eq!(names(&board, board.side(Direction::NE)), "c5 d4 e3");
    assert_eq!(names(&board, board.side(Direction::SW)), "a3 b2 c1");
    assert_eq!(names(&board, board.centre()), "c3");
    assert_eq!(board.edge().len(), 8);
    assert_eq!(board.neighbours(board.find("c3").unwrap()).len(), 8);
}

#[test]
fn a_ring_leads_round() {
    let board = board(Shape::Ring { n: 6 });
    let at = |name: &str| board.find(name).unwrap();
    assert_eq!(board.step(at("6"), Direction::E), Some(at("1")));
    assert_eq!(board.step(at("1"), Direction::W), Some(at("6")));
    assert_eq!(board.distance(at("1"), at("4")), Some(3));
    assert_eq!(board.direction(at("1"), at("3")), Some(Direction::E));
    assert_eq!(board.direction(at("1"), at("5")), Some(Direction::W));
    assert_eq!(board.edge(), board.all());
    let one = super::tests::board(Shape::Ring { n: 1 });
    assert!(one.neighbours(Site(0)).is_empty());
}

#[test]
fn rows_and_columns_go_round() {
    let [cylinder, torus] = [false, true].map(|columns| {
        let shape = Shape::Round { width: 5, height: 4, columns };
        build(&BoardSpec { shape, adjacency: Some(Adjacency::All), coordinates: None, classes: None }).unwrap()
    });
    let at = |name: &str| cylinder.find(name).unwrap();
    let step = |board: &Board, from: &str, way| board.step(at(from), way).map(|site| board.name(site).to_owned());
    for board in [&cylinder, &torus] {
        assert_eq!(step(board, "e2", Direction::E).as_deref(), Some("a2"));
        assert_eq!(step(board, "a2", Direction::NW).as_deref(), Some("e3"));
        assert_eq!(names(board, board.row(1)), "a1 b1 c1 d1 e1");
        assert!(board.corners().is_empty());
    }
    assert_eq!((step(&cylinder, "c4", Direction::N), step(&torus, "c4", Direction::N)), (None, Some("c1".to_owned())));
    assert_eq!(step(&torus, "e4", Direction::NE).as_deref(), Some("a1"));
    assert_eq!((cylinder.distance(at("a1"), at("e4")), torus.distance(at("a1"), at("e4"))), (Some(3), Some(1)));
    assert_eq!((cylinder.edge().len(), torus.edge().len(), torus.sides().len()), (10, 0, 0));
    assert!(torus.all().iter().all(|site| torus.neighbours(site).len() == 8));
    let lone = board(Shape::Round { width: 1, height: 1, columns: true });
    assert!(lone.neighbours(Site(0)).is_empty());
}

#[test]
fn circles_lie_around_each_other() {
    let board = board(Shape::Rings { circles: 3, points: 8 });
    let at = |name: &str| board.find(name).unwrap();
    assert_eq!(board.len(), 24);
    assert_eq!(board.step(at("b8"), Direction::E), Some(at("b1")));
    assert_eq!(board.step(at("b3"), Direction::N), Some(at("c3")));
    assert_eq!(board.step(at("b3"), Direction::S), Some(at("a3")));
    assert_eq!(board.step(at("c3"), Direction::N), None);
    assert_eq!(names(&board, board.row(1)), "a1 a2 a3 a4 a5 a6 a7 a8");
    assert_eq!(names(&board, board.column(2)), "a2 b2 c2");
    assert_eq!(board.edge(), board.row(3));
    assert_eq!(board.neighbours(at("b1")).len(), 4);
}

#[test]
fn triangles_fill_a_triangle() {
    let board = board(Shape::Triangles { side: 3 });
    let at = |name: &str| board.find(name).unwrap();
    assert_eq!(
        board.all().iter().map(|site| board.name(site)).collect::<Vec<_>>().join(" "),
        "a1 a2 b2 c2 a3 b3 c3 d3 e3"
    );
    assert_eq!(names(&board, board.neighbours(at("b2"))), "a1 a2 c2");
    assert_eq!(names(&board, board.neighbours(at("c3"))), "b3 d3");
    assert_eq!(board.step(at("a2"), Direction::S), Some(at("b3")));
    assert_eq!(board.step(at("b3"), Direction::N), Some(at("a2")));
    assert_eq!(names(&board, board.corners()), "a1 a3 e3");
    assert_eq!(names(&board, board.side(Direction::NW)), "a1 a2 a3");
    assert_eq!(names(&board, board.side(Direction::S)), "a3 c3 e3");
    assert_eq!(names(&board, board.row(2)), "a2 b2 c2");
}

#[test]
fn a_drawn_hex_board_keeps_its_holes() {
    let board = board(Shape::DrawnHex(PERFORATED.into()));
    assert_eq!(board.len(), 39);
    assert!(board.all().iter().all(|s| board.neighbours(s).len() < 6));
    assert!(board.sides().is_empty());
    assert!(board.corners().is_empty());
    assert_eq!(names(&board, board.row(1)), "g1 i1 k1");
    assert!(board.find("a5").is_some());
    // The hole in the third row cuts the row in two.
    let at = |name: &str| board.find(name).unwrap();
    assert_eq!(board.direction(at("c3"), at("g3")), Some(Direction::E));
    assert_eq!(board.direction(at("c3"), at("k3")), None);
}

#[test]
fn a_hole_is_no_rim_but_a_bay_is() {
    let ring = "   o o o\n  o o o o\n o o * o o\n  o o o o\n   o o o\n";
    let closed = board(Shape::DrawnHex(ring.into()));
    assert_eq!(closed.edge().len(), 12);
    assert_eq!(closed.interior().len(), 6);
    assert!(closed.centre().is_empty());
    let whole = board(Shape::DrawnHex(ring.replace('*', "o")));
    assert_eq!(whole.centre().len(), 1);
    let regular = board(hexagon(3, 3));
    assert!(whole.names().eq(regular.names()));
    assert_eq!(whole.edge(), regular.edge());
    let bay = "   o * o\n  o * o o\n o o * o o\n  o o o o\n   o o o\n";
    let open = board(Shape::DrawnHex(bay.into()));
    // The bay reaches the middle, so every cell around that lies at the rim now.
    assert_eq!(open.len(), 16);
    assert_eq!(open.interior().len(), 0);
}

#[test]
fn a_drawn_square_board_is_a_grid() {
    let board = board(Shape::DrawnSquare("\n\n   - -\n   o o o\n   o * o\n   o o o\r\n\n".into()));
    assert_eq!(board.len(), 8);
    assert_eq!(names(&board, board.row(1)), "a1 b1 c1");
    assert_eq!(names(&board, board.side(Direction::E)), "c3 c2 c1");
    assert_eq!(board.corners().len(), 4);
    assert_eq!(board.edge(), board.all());
    assert!(board.centre().is_empty());
}

#[test]
fn lines_with_lettered_names_lie_on_a_lattice() {
    let board = board(morris());
    let at = |name: &str| board.find(name).unwrap();
    assert_eq!(board.xy(at("a7")), (0.0, 0.0));
    assert_eq!(board.xy(at("g1")), (6.0, 6.0));
    assert_eq!(board.lines().len(), 16);
    assert_eq!(board.step(at("a1"), Direction::E), Some(at("d1")));
    assert_eq!(board.step(at("a1"), Direction::N), Some(at("a4")));
    assert_eq!(names(&board, board.neighbours(at("d2"))), "d3 b2 f2 d1");
    assert_eq!(names(&board, board.corners()), "a7 g7 a1 g1");
    assert_eq!(board.directions(), Directions::ORTHOGONAL);
    assert!(board.centre().is_empty());
}

#[test]
fn a_second_link_in_a_direction_has_none() {
    let board = board(Shape::Graph {
        points: vec![("a".into(), 0.0, 0.0), ("b".into(), 10.0, 0.0), ("c".into(), 20.0, 1.0)],
        links: vec![("a".into(), "b".into()), ("a".into(), "c".into()), ("b".into(), "a".into())],
    });
    assert_eq!(board.step(Site(0), Direction::E), Some(Site(1)));
    assert_eq!(board.step(Site(2), Direction::W), None);
    assert_eq!(names(&board, board.neighbours(Site(0))), "b c");
    assert_eq!(board.distance(Site(1), Site(2)), Some(2));
}

#[test]
fn sizes_beyond_reason_are_refused() {
    let huge = u32::MAX;
    for shape in [
        hexagon(0, 3),
        hexagon(0, 0),
        Shape::Rhombus { width: 0, height: huge },
        Shape::Triangle { side: 0 },
        Shape::Diamond { side: 0 },
        Shape::Ring { n: 0 },
        Shape::DrawnHex(String::new()),
        Shape::DrawnSquare(" - *\n".into()),
        Shape::Lines(vec![vec![]]),
    ] {
        assert_eq!(fault(shape), BoardError::NoSites);
    }
    for shape in [
        hexagon(huge, huge),
        hexagon(1, huge),
        hexagon(19, 19),
        Shape::Rhombus { width: huge, height: huge },
        Shape::Triangle { side: 45 },
        Shape::Triangle { side: huge },
        Shape::Rectangle { width: 1025, height: 1 },
        Shape::Diamond { side: huge },
        Shape::Ring { n: huge },
        Shape::DrawnSquare("o ".repeat(1025)),
        Shape::Lines(vec![(0..1100).map(|i| i.to_string()).collect()]),
    ] {
        assert!(matches!(fault(shape), BoardError::TooManySites { .. }));
    }
    let far = format!("o{}o", " ".repeat(99_999));
    assert_eq!(fault(Shape::DrawnHex(far)), BoardError::TooSpread);
    let deep = format!("o\n{}o", "-\n".repeat(9_999));
    assert_eq!(fault(Shape::DrawnSquare(deep)), BoardError::TooSpread);
}

#[test]
fn faults_of_a_drawing_are_located() {
    let hex = |text: &str| fault(Shape::DrawnHex(text.into()));
    let square = |text: &str| fault(Shape::DrawnSquare(text.into()));
    let unknown = hex(" o o\no x o\n");
    assert_eq!(unknown.offset(), Some(7));
    assert!(unknown.help().is_some());
    assert_eq!(hex(" o é o").offset(), Some(3));
    assert_eq!(hex("o\to").offset(), Some(1));
    assert_eq!(hex(" o o\noo o\n"), BoardError::UnevenRow { row: 2, offset: 6 });
    let shifted = hex("\n  o o\n o o o\n o o o o\n o o o\n");
    assert_eq!(shifted, BoardError::ShiftRow { row: 3, offset: 15, hex: true });
    assert!(shifted.to_string().contains("row 3"));
    assert_eq!(square("o o\n o o\no o").to_string(), "row 2 of the drawing must be shifted by one blank");
    assert_eq!(hex("o\n\n o"), BoardError::BlankRow { row: 2, offset: 2 });
}

#[test]
fn faults_of_a_description_are_named() {
    let refused = |shape: Shape, adjacency, coordinates| {
        build(&BoardSpec { shape, adjacency, coordinates, classes: None }).unwrap_err()
    };
    assert!(matches!(refused(hexagon(3, 3), Some(Adjacency::All), None), BoardError::AdjacencyNotAllowed { .. }));
    assert!(matches!(refused(morris(), Some(Adjacency::All), None), BoardError::AdjacencyNotAllowed { .. }));
    assert!(matches!(
        refused(Shape::Diamond { side: 3 }, None, Some(Coordinates::Doubled)),
        BoardError::CoordinatesNotAllowed { .. }
    ));
    assert!(matches!(refused(morris(), None, Some(Coordinates::Plain)), BoardError::CoordinatesNotAllowed { .. }));
    let graph = |points: &[(&str, f64, f64)], links: &[(&str, &str)]| {
        fault(Shape::Graph {
            points: points.iter().map(|&(name, x, y)| (name.to_owned(), x, y)).collect(),
            links: links.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect(),
        })
    };
    let (a, b) = (("a", 0.0, 0.0), ("b", 1.0, 0.0));
    assert_eq!(graph(&[a, ("a", 1.0, 1.0)], &[]), BoardError::DuplicateName { name: "a".into() });
    assert_eq!(graph(&[a, b], &[("a", "c")]), BoardError::UnknownPoint { name: "c".into() });
    assert_eq!(graph(&[a, b], &[("b", "b")]), BoardError::SelfLink { name: "b".into() });
    for odd in [f64::NAN, f64::INFINITY, 1e300] {
        assert_eq!(graph(&[a, ("x", odd, 0.0)], &[]), BoardError::BadPlace { name: "x".into() });
    }
    assert!(matches!(graph(&[a, ("c", 0.0, 0.0)], &[]), BoardError::SamePlace { .. }));
    assert_eq!(graph(&[], &[]), BoardError::NoSites);
    assert_eq!(fault(lines(&["a1 a1"])), BoardError::SelfLink { name: "a1".into() });
    assert_eq!(fault(Shape::Lines(vec![vec![" ".into()]])), BoardError::EmptyName);
}

#[test]
fn sites_beyond_the_board_do_no_harm() {
    for board in samples() {
        for odd in [board.len() as u16, 1024, u16::MAX].map(Site) {
            assert_eq!(board.name(odd), "");
            assert_eq!(board.step(odd, Direction::E), None);
            assert!(board.neighbours(odd).is_empty());
            assert_eq!(board.distance(odd, Site(0)), None);
            assert_eq!(board.direction(Site(0), odd), None);
            assert_eq!(board.xy(odd), (0.0, 0.0));
        }
    }
}

#[test]
fn any_drawing_is_built_or_refused() {
    const SIGNS: [char; 12] = [' ', 'o', 'o', ' ', '.', '-', '*', ' ', '\n', ' ', 'o', '\r'];
    let mut seed: u64 = 1;
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut built = 0;
    for round in 0..4000 {
        // Half of the drawings are sound rows, so that not all are refused.
        let mut text = String::new();
        if round % 2 == 0 {
            for _ in 0..next(60) {
                text.push(SIGNS[next(12) as usize]);
            }
        } else {
            let rows = next(7);
            for row in 0..rows {
                if round % 4 == 1 && row % 2 == 1 {
                    text.push(' ');
                }
                for _ in 0..next(8) {
                    text.push(['o', '*', '-', ' '][next(4) as usize]);
                    text.push(' ');
                }
                text.push('\n');
            }
        }
        for shape in [Shape::DrawnHex(text.clone()), Shape::DrawnSquare(text)] {
            match build(&spec(shape)) {
                Ok(board) => {
                    built += 1;
                    assert!(board.centre().is_subset(board.all()));
                    assert!(!board.edge().is_empty());
                    picture(&board, true);
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
    assert!(built > 500, "{built}");
}

#[test]
fn edges_and_vertices_lie_between_cells() {
    let classes = Some(super::Classes { cells: true, edges: true, vertices: false });
    let shape = Shape::Rectangle { width: 2, height: 1 };
    let board = build(&BoardSpec { shape, adjacency: None, coordinates: None, classes }).unwrap();
    let names: Vec<&str> = board.names().collect();
    assert_eq!(names, ["a1n", "b1n", "a1w", "a1", "a1e", "b1", "b1e", "a1s", "b1s"]);
    assert_eq!(board.find("b1w"), board.find("a1e"));
    let named = |set: SiteSet| set.iter().map(|site| board.name(site)).collect::<Vec<_>>();
    assert_eq!(named(board.neighbours(board.find("a1e").unwrap())), ["a1", "b1"]);
    assert_eq!(named(board.neighbours(board.find("b1").unwrap())), ["b1n", "a1e", "b1e", "b1s"]);
    assert_eq!(named(board.edge()), ["a1n", "b1n", "a1w", "b1e", "a1s", "b1s"]);
    assert_eq!(named(board.side(Direction::N)), ["a1n", "b1n"]);
    assert_eq!((named(board.row(1)), named(board.column(2))), (vec!["a1", "b1"], vec!["b1"]));
    assert_eq!(board.xy(board.find("b1").unwrap()), (1.5, 0.5));
    assert_eq!(text::draw(&board, &|_| ".".to_owned(), true), "  + . + . +\n1 . . . . .\n  + . + . +\n    a   b\n");
}

#[test]
fn rings_are_closed_where_neighbours_that_follow_each_other_touch() {
    let closed = |shape: Shape, adjacency: Option<Adjacency>| {
        build(&BoardSpec { shape, adjacency, coordinates: None, classes: None }).unwrap().has_closed_rings()
    };
    let square = || Shape::Rectangle { width: 4, height: 4 };
    assert!(
        closed(hexagon(3, 3), None)
            && closed(Shape::Rhombus { width: 4, height: 4 }, None)
            && closed(Shape::Triangle { side: 4 }, None)
    );
    assert!(closed(square(), Some(Adjacency::All)));
    assert!(!closed(square(), None) && !closed(square(), Some(Adjacency::Diagonal)) && !closed(morris(), None));
}
