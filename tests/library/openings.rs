//! Orders of turns that begin otherwise than they go on, on both engines, and positions that are set up with them.

use super::common::compare::compare;
use crate::game::Game;
use crate::library::Library;

fn game(order: &str, rest: &str) -> Game {
    let text = format!(
        "game \"Put\"\nplayers A, B, C\norder {order}\nboard square(4)\npiece stone of each player\n\
         track heir : player each turn\n\
         move put \"{{cell}}\" {{ cell : empty; cell becomes stone of mover }}\n\
         move out \"out\" {{ mover leaves }}\nmove give \"to {{who}}\" {{ who : players; heir becomes who }}\n\
         {rest}\nend {{ draw when no empty or turn > 60 }}\n"
    );
    Game::from_text("put.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

const PUT: &str = "turn { put or out or give }\nallow unused";

fn movers(game: &Game, plies: &[&str]) -> String {
    let mut position = game.start();
    let mut found = position.mover().unwrap_or("-").to_owned();
    for ply in plies {
        position = position.play(ply).unwrap_or_else(|error| panic!("{ply}: {error:?}"));
        found += position.mover().unwrap_or("-");
    }
    found
}

#[test]
fn an_opening_is_played_once_and_the_round_again_and_again() {
    let row = ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4", "c1"];
    assert_eq!(movers(&game("A then B, B, A, A", PUT), &row), "ABBAABBAAB");
    assert_eq!(movers(&game("A, B then C", PUT), &row), "ABCCCCCCCC");
    assert_eq!(movers(&game("C, C, B then A, B, C", PUT), &row), "CCBABCABCA");
    assert_eq!(movers(&game("A, B, B", PUT), &row), "ABBABBABBA");
    // Who has left is passed over, in the opening and in the round.
    assert_eq!(movers(&game("A, B then C, B, A", PUT), &["out", "a1", "a2", "a3", "a4"]), "ABCBCB");
    assert_eq!(movers(&game("A then B, C, B", PUT), &["a1", "out", "a2", "a3"]), "ABCCC");
}

#[test]
fn what_is_set_up_is_as_far_on_as_its_turns() {
    let next = |order: &str, mover: &str, turn: &str| {
        let game = game(order, PUT);
        let text = format!("{{\"mover\": \"{mover}\", \"sites\": {{\"a1\": \"stone:A\"}}{turn}}}");
        let position = game.set_up(&serde_json::from_str(&text).unwrap()).unwrap();
        position.play("d4").unwrap().mover().unwrap_or("-").to_owned()
    };
    assert_eq!(next("A, B then C, B, A", "B", ""), "C", "the second turn is the second of the opening");
    assert_eq!(next("A, B then C, B, A", "B", ", \"turn\": 9"), "A");
    assert_eq!(next("A, B then C", "A", ", \"turn\": 9"), "B", "he has a place in the opening alone");
    assert_eq!(next("A then B, B, A, A", "A", ", \"turn\": 4"), "A");
    assert_eq!(next("A then B, B, A, A", "B", ", \"turn\": 3"), "A", "the second turn of B in a row");
    assert_eq!(next("A then B, B, A, A", "A", ", \"turn\": 5"), "B");
    assert_eq!(next("A, B, B, A", "B", ", \"turn\": 7"), "A");
}

#[test]
fn both_engines_go_through_openings_alike() {
    let given = "turn { put or give or out or pass\n  next turn to heir }";
    let phased =
        "turn 1 .. 2 { put }\nturn { put, (put or give or out)\n  extra turn when any own corner and turn mod 3 = 0 }";
    let row = [
        "A then B, B, A, A",
        "A, B then C",
        "C, C, B then A, B, C",
        "A, B then C, B, A",
        "A then B, C",
        "B then A, C, C",
        "A, A, A then A",
        "A then A, B, C",
        "B, C then A, B, C",
    ];
    for (seed, order) in row.iter().enumerate() {
        for rest in [PUT, given, phased] {
            let rest = if rest == phased { format!("{rest}\nallow unused") } else { rest.to_owned() };
            let game = game(order, &rest);
            assert!(compare(order, &game, |games| games < 12, 80, seed as u64) > 50, "{order}");
        }
    }
}

/// Two for a turn after a single first stone, as a row of players and as two stones in one turn.
#[test]
fn connect_six_can_be_said_by_its_order() {
    let common = "players Black, White\nboard square(6) adjacent all\npiece stone of each player\n\
                  move put \"{point}\" { point : empty; point becomes stone of mover }\n";
    let end = "end { mover wins at once when some d in (N or NE or E or SE) with count row_through(it, d) >= 6\n draw when no empty }\n";
    let order = format!("game \"Six\"\norder Black then White, White, Black, Black\n{common}turn {{ put }}\n{end}");
    let turns = format!("game \"Six\"\n{common}turn 1 {{ put }}\nturn {{ put, (put else nothing) }}\n{end}");
    let [order, turns] = [order, turns].map(|text| Game::from_text("six.game", &text, None, &[], &Library).unwrap());
    let (mut one, mut two) = (order.start(), turns.start());
    for step in 0..36 {
        assert_eq!((one.mover(), one.moves()), (two.mover(), two.moves()), "{step}");
        let Some(mv) = one.moves().get(step * 7 % one.moves().len().max(1)).cloned() else { break };
        (one, two) = (one.play(&mv).unwrap(), two.play(&mv).unwrap());
    }
    assert!(one.is_over() && two.is_over());
}
