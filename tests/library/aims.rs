//! Which two sites have a direction: the lines of a board do not hang on what is next to what.

use super::common::compare::compare;
use crate::game::Game;
use crate::library::Library;

fn game(board: &str, condition: &str) -> Game {
    let text = format!(
        "game \"Aims\"\nplayers A, B\nboard {board}\npiece stone of each player\nstart {{ centre becomes stone of A }}\n\
         move go \"{{from}}-{{to}}\" {{ from : own; to : empty, {condition}; to becomes stone of next }}\n\
         turn {{ go else pass }}\nend {{ draw when turn > 12 }}\n"
    );
    Game::from_text("aims.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

/// How many sites are aimed at from the centre.
fn from_centre(board: &str, condition: &str) -> usize {
    game(board, condition).start().moves().iter().filter(|mv| mv.contains('-')).count()
}

#[test]
fn squares_have_eight_lines_whatever_is_next_to_what() {
    for adjacent in ["orthogonal", "diagonal", "all"] {
        let board = format!("square(5) adjacent {adjacent}");
        assert_eq!(from_centre(&board, "any direction(from, to)"), 16, "{adjacent}");
        assert_eq!(from_centre(&board, "no direction(from, to)"), 8, "{adjacent}: a knight's move away");
        let own = if adjacent == "all" { 16 } else { 8 };
        assert_eq!(from_centre(&board, "direction(from, to) in directions"), own, "{adjacent}");
        assert_eq!(from_centre(&board, "direction(from, to) in orthogonal"), 8, "{adjacent}");
        assert_eq!(from_centre(&board, "any between(from, to)"), 8, "{adjacent}");
    }
}

#[test]
fn hexes_have_six_lines() {
    assert_eq!(from_centre("hexagon(3)", "any direction(from, to)"), 12);
    assert_eq!(from_centre("hexagon(3)", "no direction(from, to)"), 6);
}

#[test]
fn both_engines_aim_alike() {
    let boards = ["square(4)", "square(4) adjacent diagonal", "rectangle(5, 3) adjacent all", "hexagon(3)", "ring(7)"];
    let conditions = [
        "any direction(from, to)",
        "no direction(from, to)",
        "direction(from, to) in directions",
        "direction(from, to) not in orthogonal",
        "not (direction(from, to) in directions)",
        "any own between(from, to) or no direction(to, from)",
    ];
    for (seed, board) in boards.iter().enumerate() {
        for condition in conditions.iter().filter(|condition| *board != "ring(7)" || !condition.contains("between")) {
            assert!(
                compare(condition, &game(board, condition), |games| games < 4, 12, seed as u64) > 10,
                "{board}, {condition}"
            );
        }
    }
}
