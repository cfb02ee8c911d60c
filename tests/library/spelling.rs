//! How moves are written for programs of others: as chess programs write them, as points of a board, and in the game's own notation.

use super::common::files::small;
use crate::game::{Game, Line, Position};
use crate::library::Library;
use crate::protocol::spelling::{Misread, Style};

fn after(name: &str, moves: &[&str]) -> Position {
    let game = Game::from_text(name, Library::text(name).unwrap(), None, &[], &Library).unwrap();
    Line::replayed(&game, moves).unwrap().position().clone()
}

fn written(position: &Position, style: Style, mv: &str) -> String {
    style.write(position, position.find(mv).unwrap()).unwrap()
}

#[test]
fn chess_is_written_as_other_programs_write_it() {
    let start = after("chess", &[]);
    assert_eq!(written(&start, Style::Sites, "e2e4"), "e2e4");
    let castling = after("chess", &["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5"]);
    assert_eq!(written(&castling, Style::Sites, "O-O"), "e1g1");
    assert_eq!(written(&castling, Style::Sites, "h1f1"), "h1f1");
    assert_eq!(Style::Sites.read(&castling, "e1g1").ok(), castling.find("O-O").ok());
    let long = ["d2d4", "d7d5", "b1c3", "b8c6", "c1f4", "c8f5", "d1d2", "d8d7"];
    assert_eq!(written(&after("chess", &long), Style::Sites, "O-O-O"), "e1c1");
    let black = after("chess", &[&long[..], &["a2a3"]].concat());
    assert_eq!(written(&black, Style::Sites, "O-O-O"), "e8c8");
    let promotion = after("chess", &["a2a4", "b7b5", "a4b5", "a7a6", "b5a6", "h7h6", "a6a7", "h6h5"]);
    let queens = promotion.moves().iter().position(|text| text.ends_with("b8=Q")).unwrap();
    assert_eq!(Style::Sites.write(&promotion, queens).unwrap(), "a7b8q");
    assert_eq!(Style::Sites.read(&promotion, "a7b8q"), Ok(queens));
    assert_eq!(Style::Sites.read(&promotion, "a7b8k"), Err(Misread::None));
}

#[test]
fn points_of_square_boards_leave_out_a_letter() {
    let start = after("go", &[]);
    assert_eq!(written(&start, Style::Vertices, "h8"), "H8");
    assert_eq!(written(&start, Style::Vertices, "i9"), "J9");
    assert_eq!(written(&start, Style::Vertices, "pass"), "pass");
    assert_eq!(Style::Vertices.read(&start, "j9").ok(), start.find("i9").ok());
    assert_eq!(Style::Vertices.read(&start, "i9"), Err(Misread::None));
    assert_eq!(written(&after("hex", &[]), Style::Vertices, "i9"), "I9");
    assert_eq!(Style::Vertices.read(&start, "PASS").ok(), start.find("pass").ok());
}

#[test]
fn every_legal_move_of_every_game_is_written_without_blanks_and_read_again() {
    for name in Library::names() {
        let mut position = small(name).start();
        for round in 0..3 {
            for style in [Style::Notation, Style::Sites, Style::Vertices] {
                let written = style.write_all(&position);
                assert!(written.iter().all(|text| !text.contains(' ') && !text.is_empty()), "{name}: {written:?}");
                let few = written.len() / 2 + 1;
                for (index, text) in written.iter().enumerate().skip(round % few).step_by(few) {
                    assert_eq!(style.read(&position, text), Ok(index), "{name} {style:?}: {text} of {written:?}");
                }
            }
            let Some(after) = position.play_index(round * 13 % position.move_count().max(1)) else { break };
            position = after;
        }
    }
}

#[test]
fn what_the_rules_forbid_is_not_meant_by_a_shorter_text() {
    let position = after("epoxy", &["e3", "l8"]);
    let hidden = position.moves().iter().all(|mv| mv != "g3");
    assert!(hidden && position.find_short("g3").is_err(), "a stone that may not be added is no slide");
}
