//! Layouts of boards as drawings of plain characters.

use super::*;
use crate::board::{Adjacency, BoardSpec, Classes, Shape, build};
use std::collections::BTreeSet;

fn board(shape: Shape) -> Board {
    build(&BoardSpec { shape, adjacency: None, coordinates: None, classes: None }).unwrap()
}

fn divided(width: u32, height: u32, classes: Classes) -> Board {
    let shape = Shape::Rectangle { width, height };
    build(&BoardSpec { shape, adjacency: Some(Adjacency::Orthogonal), coordinates: None, classes: Some(classes) })
        .unwrap()
}

fn lines(rows: &[&str]) -> Shape {
    Shape::Lines(rows.iter().map(|row| row.split(' ').map(str::to_owned).collect()).collect())
}

fn morris() -> Board {
    board(lines(&[
        "a5 c5 e5", "b4 c4 d4", "a3 b3", "d3 e3", "b2 c2 d2", "a1 c1 e1", "a5 a3 a1", "b4 b3 b2", "c5 c4", "c2 c1",
        "d4 d3 d2", "e5 e3 e1",
    ]))
}

/// Boards of every kind.
fn boards() -> Vec<(&'static str, Board)> {
    let ring = Shape::Ring { n: 8 };
    let points = ["p", "q", "r", "s"].into_iter().zip([(0.0, 0.0), (2.0, 1.0), (1.0, 3.0), (-1.0, 2.0)]);
    let graph = Shape::Graph {
        points: points.map(|(name, (x, y))| (name.to_owned(), x, y)).collect(),
        links: [("p", "q"), ("q", "r"), ("r", "s"), ("s", "p"), ("p", "r")]
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .to_vec(),
    };
    let all = Classes { cells: true, edges: true, vertices: true };
    let edges = Classes { cells: true, edges: true, vertices: false };
    vec![
        ("hexagon", board(Shape::Hexagon { a: 3, b: 3 })),
        ("rhombus", board(Shape::Rhombus { width: 4, height: 3 })),
        ("triangle", board(Shape::Triangle { side: 4 })),
        ("star", board(Shape::Star { side: 2 })),
        ("drawn with a hole", board(Shape::DrawnHex(" o o\no - o\n o o".to_owned()))),
        ("rectangle", board(Shape::Rectangle { width: 4, height: 3 })),
        ("diamond", board(Shape::Diamond { side: 3 })),
        ("morris", morris()),
        ("ring", board(ring)),
        ("rings", board(Shape::Rings { circles: 2, points: 8 })),
        ("triangles", board(Shape::Triangles { side: 3 })),
        ("graph", board(graph)),
        ("edges", divided(3, 2, edges)),
        ("vertices", divided(2, 2, all)),
    ]
}

/// The layout with `o` for sites, `=` and `!` for edges.
fn drawn(plan: &Plan, ascii: bool) -> String {
    let (width, height) = (plan.width as usize, plan.height as usize);
    let mut lines = vec![vec![' '; width]; height];
    let mut put = |x: i32, y: i32, c: char| lines[y as usize][x as usize] = c;
    for ink in plan.ink() {
        put(ink.x, ink.y, ink.stroke.glyph(ascii));
    }
    for label in plan.labels() {
        for (dx, c) in (0..).zip(label.text.chars()) {
            put(label.x + dx, label.y, c);
        }
    }
    for (_, spot) in plan.spots() {
        match spot.bar {
            Some(Bar::Lying(reach)) => (-reach..=reach).for_each(|dx| put(spot.x + dx, spot.y, '=')),
            Some(Bar::Standing(reach)) => (-reach..=reach).for_each(|dy| put(spot.x, spot.y + dy, '!')),
            None => put(spot.x, spot.y, 'o'),
        }
    }
    lines.iter().map(|line| format!("{}\n", line.iter().collect::<String>().trim_end())).collect()
}

#[test]
fn boards_of_every_kind_are_laid_out_in_every_size() {
    let mut text = String::new();
    for (name, board) in boards() {
        for plan in Size::ALL.into_iter().filter_map(|size| Plan::new(&board, size, 1)) {
            text.push_str(&format!("{name}, {:?}\n{}\n", plan.size, drawn(&plan, plan.size == Size::Medium)));
        }
    }
    insta::assert_snapshot!(text);
}

#[test]
fn pointing_at_a_site_finds_it() {
    for (name, board) in boards() {
        for mark in 1..=3 {
            for plan in Size::ALL.into_iter().filter_map(|size| Plan::new(&board, size, mark)) {
                for (site, spot) in plan.spots() {
                    assert_eq!(plan.site_at(spot.x, spot.y), Some(site), "{name} {:?}", plan.size);
                    assert!((0..plan.width).contains(&spot.x) && (0..plan.height).contains(&spot.y));
                }
                assert_eq!(plan.site_at(-50, -50), None);
            }
        }
    }
}

#[test]
fn every_site_is_reached_with_four_keys() {
    for (name, board) in boards() {
        for plan in Size::ALL.into_iter().filter_map(|size| Plan::new(&board, size, 1)) {
            for start in board.all() {
                let mut seen = BTreeSet::from([start]);
                let mut open = vec![start];
                while let Some(site) = open.pop() {
                    let ways = [Heading::Up, Heading::Down, Heading::Left, Heading::Right];
                    open.extend(
                        ways.into_iter().filter_map(|way| plan.neighbour(site, way)).filter(|next| seen.insert(*next)),
                    );
                }
                assert_eq!(seen.len(), board.len(), "{name} {:?} from {}", plan.size, board.name(start));
            }
        }
    }
}

#[test]
fn down_goes_back_where_up_came_from() {
    let board = board(Shape::Hexagon { a: 4, b: 4 });
    let plan = Plan::new(&board, Size::Large, 1).unwrap();
    let centre = board.centre().only().unwrap();
    let above = plan.neighbour(centre, Heading::Up).unwrap();
    assert_eq!(plan.neighbour(above, Heading::Down), Some(centre));
    let right = plan.neighbour(centre, Heading::Right).unwrap();
    assert_eq!(plan.neighbour(right, Heading::Left), Some(centre));
}

#[test]
fn a_small_window_gets_a_small_drawing() {
    let board = board(Shape::Rectangle { width: 8, height: 8 });
    let sizes = [(80, 30), (40, 20), (30, 12), (25, 12), (5, 5)];
    let sizes = sizes.map(|(width, height)| Plan::fitting(&board, 1, width, height).unwrap().size);
    assert_eq!(sizes, [Size::Large, Size::Large, Size::Medium, Size::Compact, Size::Compact]);
}
