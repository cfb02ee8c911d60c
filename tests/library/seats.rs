//! Who sits where after players have changed seats: in positions, in JSON, and on both engines.

use super::common::compare::compare;
use crate::game::Game;
use crate::library::Library;
use serde_json::json;

fn hex(pie: &str) -> Game {
    let options = [("size".to_owned(), "3".to_owned()), ("pie".to_owned(), pie.to_owned())];
    Game::from_text("hex", Library::text("hex").unwrap(), None, &options, &Library).unwrap()
}

#[test]
fn the_person_who_swaps_plays_the_other_side() {
    let start = hex("yes").start();
    assert_eq!((start.mover(), start.seat()), (Some("Red"), Some(0)));
    let second = start.play("b2").unwrap();
    assert_eq!((second.mover(), second.seat()), (Some("Blue"), Some(1)));
    let swapped = second.play("swap").unwrap();
    assert_eq!((swapped.mover(), swapped.seat()), (Some("Blue"), Some(0)));
    let after = swapped.play("a1").unwrap();
    assert_eq!((after.mover(), after.seat()), (Some("Red"), Some(1)));
    assert_eq!(after.to_json()["state"], json!({"seats": {"Red": "Blue", "Blue": "Red"}}));
}

#[test]
fn a_position_written_down_comes_back_with_its_seats() {
    let game = hex("yes");
    let after = ["b2", "swap", "a1"].iter().fold(game.start(), |position, mv| position.play(mv).unwrap());
    let again = game.set_up(&after.to_json()).unwrap();
    assert_eq!(again.seat(), Some(1));
    let (one, other) = (after.play("c1").unwrap(), again.play("c1").unwrap());
    assert_eq!(one.mover(), other.mover());
    assert_eq!((one.seat(), other.seat()), (Some(0), Some(0)));
}

#[test]
fn without_the_pie_rule_nothing_is_remembered_of_seats() {
    let game = hex("no");
    assert_eq!(game.rules().seats, None);
    assert!(game.start().to_json().get("state").is_none());
}

#[test]
fn both_players_change_seats_at_once_within_rounds() {
    let text = "game \"Seats\"\nabout \"a test\"\nplayers A, B\nboard square(4)\npiece stone of each player\n\
        move put \"{cell}\" { cell : empty; cell becomes stone of mover; then; repeat at most 1 { mover changes seats with next } }\n\
        turn { put }\nend { draw when stuck }\n";
    let game = Game::from_text("seats.game", text, None, &[], &Library).unwrap();
    assert!(compare(text, &game, |games| games < 20, 40, 5) > 60);
    let (first, second) = (game.start().play("a1").unwrap(), game.start().play("a1").unwrap().play("b1").unwrap());
    // The other person is to move, on the side that has just moved.
    let seen = [first, second].map(|position| (position.mover().map(str::to_owned), position.seat()));
    assert_eq!(seen, [(Some("A".to_owned()), Some(1)), (Some("A".to_owned()), Some(0))]);
}
