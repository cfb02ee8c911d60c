//! Positions set up by hand: whether the game is over in them is told by the board, and never by what was not played.

use crate::game::{Game, Position};
use crate::library::Library;
use serde_json::json;

fn shipped(name: &str) -> Game {
    Game::from_text(name, Library::text(name).unwrap(), None, &[], &Library).unwrap()
}

fn again(position: &Position) -> Position {
    position.game().set_up(&position.to_json()).unwrap()
}

#[test]
fn what_decides_is_on_the_board() {
    let game = shipped("tic_tac_toe");
    let three = json!({"mover": "O", "sites": {"a1": "mark:X", "b2": "mark:X", "c3": "mark:X", "a2": "mark:O", "a3": "mark:O"}});
    let position = game.set_up(&three).unwrap();
    assert_eq!(position.to_json()["result"], json!({"winner": "X"}));
    assert_eq!(position.move_count(), 0);
    let two = json!({"mover": "O", "sites": {"a1": "mark:X", "b2": "mark:X", "a2": "mark:O"}});
    assert!(!game.set_up(&two).unwrap().is_over());
}

#[test]
fn the_start_is_no_end() {
    for name in Library::names() {
        let start = shipped(name).start();
        assert_eq!(start.is_over(), again(&start).is_over(), "{}", name);
    }
}

/// The last turn of a position that is set up was never played: a line about it says nothing, whether it would hold or not.
#[test]
fn what_would_have_been_played_does_not_decide() {
    let text = "game \"Twos\"\nplayers A, B\nboard square(3)\npiece stone of each player\n\
                move put \"{cell}\" { cell : empty; cell becomes stone of mover }\nturn { put else pass }\n\
                end { mover loses when not some put last turn; draw when no empty; draw when turn > 20 }\n";
    let game = Game::from_text("twos.game", text, None, &[], &Library).unwrap();
    let stones =
        |all: &[&str]| all.iter().map(|site| ((*site).to_owned(), json!("stone:A"))).collect::<serde_json::Map<_, _>>();
    let set_up = |all: &[&str]| game.set_up(&json!({"mover": "B", "sites": stones(all)})).unwrap();
    assert!(!set_up(&["a1", "b2"]).is_over());
    assert!(set_up(&["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"]).is_over());
}

/// In random games the position at the beginning of each turn is written down and set up again.
#[test]
fn a_game_that_goes_on_goes_on_when_it_is_set_up() {
    for name in Library::names() {
        let mut position = shipped(name).start();
        let mut number = 7_usize;
        for ply in 0..30 {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let Some(count) = (!position.is_over()).then(|| position.move_count()) else { break };
            let turn = position.turn();
            position = position.play_index((number >> 33) % count).unwrap();
            if position.turn() > turn && !position.is_over() {
                assert!(!again(&position).is_over(), "{} after {ply} plies:\n{}", name, position.draw());
            }
        }
    }
}
