//! Boards as text: what is drawn of each shape.

use super::*;

#[test]
fn every_board_can_be_drawn() {
    for board in samples() {
        for labels in [false, true] {
            let text = picture(&board, labels);
            let named = labels && board.parts.scheme == names::Scheme::Named;
            let cells = if named { ":o" } else { "o" };
            assert!(text.matches(cells).count() >= board.len(), "{text}");
            let wide = draw(&board, &|site| format!("<{}\n>", site.0), labels);
            assert_eq!(wide.matches('<').count(), board.len(), "{wide}");
            draw(&board, &|_| String::new(), labels);
        }
    }
}

#[test]
fn hexagon_drawings() {
    assert_eq!(
        shown(&board(hexagon(3, 3)), false),
        "
  o o o
 o o o o
o o o o o
 o o o o
  o o o
"
    );
    assert_eq!(
        shown(&board(hexagon(3, 3)), true),
        "
  abcdefghi
1   o o o
2  o o o o
3 o o o o o
4  o o o o
5   o o o
"
    );
    assert_eq!(
        shown(&board(hexagon(2, 3)), true),
        "
  abcdefg
1  o o o
2 o o o o
3  o o o
4   o o
"
    );
    assert_eq!(
        format!("\n{}", draw(&board(hexagon(2, 2)), &|site| format!("x{}", site.0), true)),
        "
  a b c d e
1   x0  x1
2 x2  x3  x4
3   x5  x6
"
    );
    assert_eq!(
        shown(&with(hexagon(3, 3), Coordinates::Plain), true),
        "
    c d e
1  b o o o
2 a o o o o
3  o o o o o
4   o o o o
5    o o o
"
    );
    assert_eq!(
        shown(&with(hexagon(2, 2), Coordinates::Numbered), true),
        "
1  o o
3 o o o
6  o o
"
    );
}

#[test]
fn letters_past_z_stand_in_two_lines() {
    let board = board(hexagon(8, 8));
    let text = picture(&board, true);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], format!("   {}aaa", " ".repeat(26)));
    assert_eq!(lines[1], "   abcdefghijklmnopqrstuvwxyzabc");
    assert_eq!(lines[2], " 1        o o o o o o o o");
}

#[test]
fn square_rhombus_and_triangle_drawings() {
    assert_eq!(
        shown(&board(Shape::Rectangle { width: 3, height: 3 }), true),
        "
3 o o o
2 o o o
1 o o o
  a b c
"
    );
    assert_eq!(
        shown(&board(Shape::Rhombus { width: 3, height: 3 }), true),
        "
  a b c
1  o o o
2   o o o
3    o o o
"
    );
    assert_eq!(
        shown(&board(Shape::Triangle { side: 3 }), true),
        "
     a
1   o b
2  o o c
3 o o o
"
    );
    assert_eq!(
        shown(&board(Shape::Diamond { side: 2 }), true),
        "
3   o
2 o o o
1   o
  a b c
"
    );
}

#[test]
fn a_drawn_board_is_drawn_with_its_holes() {
    assert_eq!(
        shown(&board(Shape::DrawnHex(PERFORATED.into())), true),
        "
  abcdefghijklmn
1       o o o
2      o o o o
3   o o o   o o
4  o o o o o o
5 o o   o o o o
6  o o o o   o o
7   o o o o o o
8        o o o
"
    );
}

#[test]
fn points_drawings() {
    assert_eq!(
        shown(&board(morris()), true),
        "
7 o     o     o
6   o   o   o
5     o o o
4 o o o   o o o
3     o o o
2   o   o   o
1 o     o     o
  a b c d e f g
"
    );
    assert_eq!(
        shown(&board(Shape::Ring { n: 4 }), true),
        "
   1:o
4:o   2:o

   3:o
"
    );
}
