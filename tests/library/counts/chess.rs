//! Chess: published numbers of sequences of plies, from positions set up as a program would, on both engines.
//!
//! The positions and their numbers are those of the Chess Programming Wiki, "Perft Results".

use crate::game::{Game, Position};
use crate::library::Library;
use crate::study::perft::perft;
use serde_json::{Map, Value, json};

const POSITIONS: [(&str, &[u64]); 6] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", &[20, 400, 8_902, 197_281, 4_865_609]),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", &[48, 2_039, 97_862, 4_085_603]),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", &[14, 191, 2_812, 43_238, 674_624]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -", &[6, 264, 9_467, 422_333]),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -", &[44, 1_486, 62_379, 2_103_487]),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - -", &[46, 2_079, 89_890, 3_894_594]),
];

fn chess() -> Game {
    Game::from_text("chess", Library::text("chess").unwrap(), None, &[], &Library).unwrap()
}

/// A position from its Forsyth notation.
fn set_up(game: &Game, notation: &str) -> Position {
    let mut fields = notation.split(' ');
    let mut sites = Map::new();
    for (row, line) in (1..=8).rev().zip(fields.next().unwrap().split('/')) {
        let mut column = b'a';
        for mark in line.chars() {
            if let Some(empty) = mark.to_digit(10) {
                column += empty as u8;
                continue;
            }
            let kind = game.rules().kinds.iter().find(|kind| kind.mark == mark.to_uppercase().to_string()).unwrap();
            let owner = if mark.is_uppercase() { "White" } else { "Black" };
            sites.insert(format!("{}{row}", char::from(column)), json!(format!("{}:{owner}", kind.name)));
            column += 1;
        }
    }
    let mover = if fields.next() == Some("w") { "White" } else { "Black" };
    let rooks = fields.next().unwrap().chars().filter_map(|right| match right {
        'K' => Some("h1"),
        'Q' => Some("a1"),
        'k' => Some("h8"),
        'q' => Some("a8"),
        _ => None,
    });
    let passed: Vec<&str> = fields.filter(|square| *square != "-").collect();
    let state = json!({ "castling": rooks.collect::<Vec<_>>(), "passed": passed });
    let position = json!({ "mover": mover, "sites": Value::Object(sites), "state": state });
    game.set_up(&position).unwrap()
}

/// The sequences of so many plies on the fast engine.
fn fast(game: &Game, position: &Position, depth: usize) -> u64 {
    let mut player = game.fast().expect("chess is lowered").player();
    player.load(&game.engine().snapshot(&position.situation().state));
    player.perft(depth as u32)
}

fn published_counts(most: u64) {
    let game = chess();
    for (notation, counts) in POSITIONS {
        let position = set_up(&game, notation);
        for (index, count) in counts.iter().enumerate().filter(|(_, count)| **count <= most) {
            assert_eq!(fast(&game, &position, index + 1), *count, "{notation}, {} plies", index + 1);
        }
        let counted = perft(&position, 2, false, &mut |_, _| {});
        assert_eq!(counted.nodes, counts[..2], "{notation}, by the reference");
    }
}

#[test]
fn published_counts_of_chess_are_met() {
    published_counts(200_000);
}

/// All of them, with 4,865,609 plies from the start.
#[test]
#[ignore = "takes a minute or two"]
fn published_counts_of_chess_are_met_to_the_last() {
    published_counts(u64::MAX);
}

#[test]
fn a_pawn_may_be_taken_in_passing_only_at_once() {
    let game = chess();
    let position = set_up(&game, "4k3/8/8/8/4p3/8/3P4/4K3 w - -");
    let after = position.play("d2d4").unwrap();
    assert_eq!(after.to_json()["state"]["passed"], json!(["d3"]));
    let taken = after.play("e4d3").unwrap();
    assert_eq!(taken.to_json()["sites"].as_object().unwrap().len(), 3);
    let later = ["e8e7", "e1e2"].iter().fold(after, |position, mv| position.play(mv).unwrap());
    assert!(later.find("e4d3").is_err());
}

/// With nobody beside the pawn the position is the same as without the double step.
#[test]
fn a_square_passed_counts_only_where_a_pawn_could_take() {
    let game = chess();
    let position = set_up(&game, "4k3/8/8/8/7p/8/3P4/4K3 w - -");
    assert_eq!(position.play("d2d4").unwrap().to_json()["state"]["passed"], json!([]));
}

/// A castling that is illegal now is not taken for the beginning of the other one.
#[test]
fn castling_is_typed_with_the_letter_o() {
    let game = chess();
    let both = set_up(&game, "4k3/8/8/8/8/8/8/R3K2R w KQ -");
    assert!(both.find("O-O").is_ok() && both.find("o-o-o").is_ok());
    let long = set_up(&game, "4k3/8/8/8/8/8/8/R3K2R w Q -");
    assert!(long.find("O-O").is_err() && long.find("O-O-O").is_ok());
    // Through an attacked square, out of check, and over a piece; the rook itself may be attacked.
    for (notation, legal) in [
        ("4k3/8/8/8/8/3r4/8/R3K3 w Q -", false),
        ("4k3/8/8/8/8/4r3/8/R3K3 w Q -", false),
        ("4k3/8/8/8/8/8/8/RN2K3 w Q -", false),
        ("4k3/8/8/8/8/r7/8/R3K3 w Q -", true),
        ("4k3/8/8/8/8/1r6/8/R3K3 w Q -", true),
    ] {
        assert_eq!(set_up(&game, notation).find("O-O-O").is_ok(), legal, "{notation}");
    }
}
