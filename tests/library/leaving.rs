//! Players who leave a game that goes on, and turns that are given to somebody: the order of turns, places, positions set up
//! by hand, and both engines.

use super::common::compare::compare;
use crate::game::{Departure, Game, Position};
use crate::library::Library;
use serde_json::json;

/// Four players who can do nothing but leave, send others away, and say who is next.
fn parlour(turn: &str, end: &str) -> Game {
    let text = format!(
        "game \"Parlour\"\nplayers A, B, C, D\nboard square(3)\npiece stone of each player\n\
         track heir : player each turn\n\
         move out \"out\" {{ mover leaves }}\n\
         move home \"home\" {{ mover finishes }}\n\
         move shoot \"x{{who}}\" {{ who : playing but mover; who leaves }}\n\
         move duel \"duel {{who}}\" {{ who : playing but mover; who leaves; mover leaves }}\n\
         move push \"push {{who}}\" {{ who : playing but mover; who finishes }}\n\
         move give \"to {{who}}\" {{ who : players; heir becomes who }}\n\
         move put \"{{cell}}\" {{ cell : empty; cell becomes stone of mover }}\n\
         turn {{ {turn} }}\nscore(p) = count(of p)\nend {{ {end}; draw when turn > 40 }}\n"
    );
    Game::from_text("parlour.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

const ALL: &str = "out or home or shoot or duel or push or give or put or pass\n  next turn to heir\n";

fn after(game: &Game, moves: &[&str]) -> Position {
    moves.iter().fold(game.start(), |position, mv| {
        position.play(mv).unwrap_or_else(|error| panic!("{mv} after {moves:?}: {error:?}"))
    })
}

fn result(game: &Game, moves: &[&str]) -> String {
    after(game, moves).result_text().unwrap_or_default()
}

#[test]
fn turns_pass_over_who_has_left() {
    let game = parlour(ALL, "draw when no empty");
    let movers = |moves: &[&str]| after(&game, moves).mover().unwrap_or("nobody").to_owned();
    assert_eq!(movers(&["out"]), "B");
    assert_eq!(movers(&["xB"]), "C");
    assert_eq!(movers(&["xB", "xD"]), "A");
    assert_eq!(movers(&["duel B"]), "C");
    assert_eq!(movers(&["xB", "pass", "pass", "pass"]), "C");
}

#[test]
fn places_follow_from_who_left_when() {
    let game = parlour(ALL, "draw when no empty");
    assert_eq!(result(&game, &["out", "home", "xD"]), "1. B, 2. C, 3. D, 4. A");
    assert_eq!(result(&game, &["home", "home", "home"]), "1. A, 2. B, 3. C, 4. D");
    assert_eq!(result(&game, &["duel C", "xD"]), "1. B, 2. D, 3. A, 3. C");
    assert_eq!(result(&game, &["xB", "duel D"]), "1. A, 2. C, 2. D, 4. B");
    assert_eq!(
        after(&game, &["out", "out", "out"]).outcome().map(|over| over.reason.as_str()),
        Some("at most one player is left")
    );
    let both = after(&game, &["xB", "home"]);
    let (out, finished) = (Departure::Out, Departure::Finished);
    assert_eq!(both.departures(), [("C".to_owned(), finished), ("B".to_owned(), out)]);
    assert!(both.store_lines().contains(&"Finished: C; Out: B".to_owned()), "{:?}", both.store_lines());
}

#[test]
fn who_has_left_keeps_his_place_whatever_is_said_later() {
    let text = "game \"Without\"\nplayers A, B, C, D\nboard square(2)\npiece stone of each player\n\
                start { a1 becomes stone of A; b1 becomes stone of B; a2 becomes stone of C; b2 becomes stone of D }\n\
                move take \"x{to}\" { to : enemy; to becomes empty }\n\
                after each ply { every p in players: p leaves when no of p }\n\
                turn { take else pass }\nend { draw when turn > 40 }\n";
    let game = Game::from_text("without.game", text, None, &[], &Library).unwrap();
    assert_eq!(result(&game, &["xb1", "xa1", "xa2"]), "1. D, 2. C, 3. A, 4. B");
    assert!(compare("without", &game, |games| games < 20, 40, 3) > 20);
}

#[test]
fn some_come_first_and_the_others_behind_all_of_them() {
    // Where nobody leaves as where somebody may.
    let text = |end: &str| {
        format!(
            "game \"Places\"\nplayers A, B, C, D\nboard square(2)\npiece stone of each player\n\
             move put \"{{cell}}\" {{ cell : empty; cell becomes stone of mover }}\nturn {{ put }}\nend {{ {end} }}\n"
        )
    };
    for (end, places) in [
        ("(A or C) wins when turn = 1", "1. A, 1. C, 3. B, 3. D"),
        ("mover loses when turn = 1", "1. B, 1. C, 1. D, 4. A"),
        ("B wins when turn = 1", "B wins"),
    ] {
        let game = Game::from_text("places.game", &text(end), None, &[], &Library).unwrap();
        assert_eq!(result(&game, &["a1"]), places, "{end}");
        assert!(compare(end, &game, |games| games < 5, 9, 3) > 0);
    }
}

#[test]
fn lines_of_end_speak_of_those_who_are_playing() {
    let drawn = parlour(ALL, "draw when turn = 3");
    assert_eq!(result(&drawn, &["home", "out", "pass"]), "1. A, 2. C, 2. D, 4. B");
    let won = parlour(ALL, "A wins when turn = 2; next wins when turn = 3");
    assert_eq!(result(&won, &["pass", "pass"]), "A wins");
    assert_eq!(result(&won, &["out", "pass", "pass"]), "1. D, 2. B, 2. C, 4. A", "A is no longer there to win");
    let pair = parlour(ALL, "(A or B) wins when turn = 3");
    assert_eq!(result(&pair, &["out", "pass", "out"]), "1. A, 1. B, 3. D, 4. C", "who has left wins with a partner");
    assert_eq!(result(&pair, &["xB", "pass", "pass"]), "1. A, 1. B, 3. C, 3. D");
    let any = parlour(ALL, "any p wins when any of p");
    assert_eq!(result(&any, &["pass", "a1"]), "B wins");
    let lost = parlour(ALL, "mover loses when turn = 2");
    assert_eq!(result(&lost, &["out", "pass"]), "1. C, 1. D, 3. B, 4. A");
    let scored = parlour(ALL, "best score when turn = 5");
    assert_eq!(result(&scored, &["a1", "out", "pass", "b2", "out"]), "1. D, 2. C, 3. A, 4. B");
}

#[test]
fn the_turn_of_who_leaves_is_over() {
    let game = parlour("(out or put), (put else pass), (put else pass)", "draw when no empty");
    assert_eq!(after(&game, &["out"]).mover(), Some("B"));
    assert_eq!(after(&game, &["a1", "a2", "a3"]).mover(), Some("B"));
}

#[test]
fn a_turn_is_given_to_somebody_who_plays() {
    let game = parlour(ALL, "draw when no empty");
    let mover = |moves: &[&str]| after(&game, moves).mover().unwrap_or("nobody").to_owned();
    assert_eq!(mover(&["to C"]), "C");
    assert_eq!(mover(&["to C", "pass"]), "D", "the order goes on from him");
    assert_eq!(mover(&["to A"]), "A");
    assert_eq!(mover(&["xC", "to C"]), "D", "who has left is passed over");
    let chain = parlour(
        "give or put or shoot\n  next turn to heir when any stone\n  next turn to previous\n  extra turn",
        "draw when no empty",
    );
    let mover = |moves: &[&str]| after(&chain, moves).mover().unwrap_or("nobody").to_owned();
    assert_eq!(mover(&["to C"]), "D", "the guard does not hold, and the line after it does");
    assert_eq!(mover(&["a1", "to B"]), "B");
    assert_eq!(mover(&["xD"]), "A", "the line that names who has left is passed over");
}

#[test]
fn a_position_says_who_has_left() {
    let game = parlour(ALL, "draw when no empty");
    let position = after(&game, &["xC", "push A"]);
    let written = position.to_json();
    assert_eq!(written["state"]["left"], json!({"A": 3, "B": 0, "C": -4, "D": 0}));
    let described = json!({"mover": "B", "sites": {}, "state": written["state"], "turn": 3});
    let again = game.set_up(&described).unwrap();
    assert_eq!((again.to_json()["state"].clone(), again.mover()), (written["state"].clone(), Some("B")));
    assert_eq!(again.play("pass").unwrap().mover(), Some("D"));
    let alone = json!({"mover": "B", "sites": {}, "state": {"left": {"A": 3, "B": 0, "C": -4, "D": -2}}});
    assert_eq!(game.set_up(&alone).unwrap().result_text().as_deref(), Some("1. A, 2. B, 3. D, 4. C"));
    let gone = json!({"mover": "C", "sites": {}, "state": {"left": {"C": -4}}});
    let error = game.set_up(&gone).map(|_| ()).unwrap_err();
    assert_eq!(error, "C has left the game and cannot be to move");
    let unsaid = json!({"sites": {}, "state": {"left": {"A": -4}}});
    assert_eq!(game.set_up(&unsaid).unwrap().mover(), Some("B"));
}

#[test]
fn both_engines_agree_when_players_leave() {
    let ends = [
        "(A or B) wins when turn = 9; (next or C) wins when any corner stone",
        "draw when no empty",
        "any p wins when count(of p) > 2; next loses when turn = 20",
        "best score when turn > 8",
    ];
    for (seed, end) in (1..).zip(ends) {
        for turn in [
            ALL,
            "(out or put or pass), (put or home or pass), maybe put, pass\n  next turn to heir\n  extra turn when any corner stone",
        ] {
            let compared = compare(&format!("{turn} {end}"), &parlour(turn, end), |games| games < 60, 60, seed);
            assert!(compared > 60, "{compared}");
        }
    }
}

/// Teams are words, and a line of `end` names all who win.
#[test]
fn teams_are_said_with_words() {
    let text = "game \"Teams\"\nplayers North, East, South, West\nboard square(4)\npiece stone of each player\n\
        word team(p: player) = case p { North, South: North or South; East, West: East or West }\n\
        word enemy = of (players but team(mover))\n\
        move put \"{cell}\" { cell : empty, no enemy next_to cell; cell becomes stone of mover }\n\
        turn { put else pass }\n\
        end { team(mover) wins when count(of team(mover)) = 3; draw when turn > 20 }\n";
    let game = Game::from_text("teams.game", text, None, &[], &Library).unwrap();
    let over = after(&game, &["a1", "d4", "a2", "d3", "b1"]);
    assert_eq!(over.result_text().as_deref(), Some("1. North, 1. South, 3. East, 3. West"));
    assert!(after(&game, &["a1"]).play("b1").is_err() && after(&game, &["a1", "d4"]).play("b1").is_ok());
    compare("teams", &game, |games| games < 40, 40, 3);
}

#[test]
fn what_nobody_leaves_is_told() {
    let errors = |text: &str| {
        let error = Game::from_text("x.game", text, None, &[], &Library).map(|_| ()).unwrap_err();
        format!("{error:?}")
    };
    let base = "game \"X\"\nplayers A, B, C\nboard square(3)\npiece stone of each player\n\
        move put \"{cell}\" { cell : empty; cell becomes stone of mover }\nturn { put }\n";
    let end = errors(&format!("{base}end {{ A leaves when no empty }}\n"));
    assert!(end.contains("who leaves lets the others go on"), "{end}");
    let alone = errors(
        "game \"X\"\nplayers A\nboard square(3)\nmove go \"go\" { mover leaves }\nturn { go }\nend { draw when turn > 3 }\n",
    );
    assert!(alone.contains("the only player of this game cannot leave it"), "{alone}");
    let tracked = errors(&format!(
        "{base}track left : 0..3\nafter each ply {{ mover leaves when no empty }}\nend {{ draw when no empty }}\n"
    ));
    assert!(tracked.contains("what the game remembers of players who leave it"), "{tracked}");
}

#[test]
fn several_leave_at_once_and_of_nobody_nothing_is_said() {
    let text = "game \"Several\"\nplayers A, B, C, D\nboard square(3)\npiece stone of each player\n\
                start { a1 becomes stone of A; b1 becomes stone of B; a2 becomes stone of C; b2 becomes stone of D }\n\
                move take \"x{to}{both?}\" { to : enemy; both : enemy next_to to; to becomes empty; both becomes empty\n\
                then\n { p in playing with no of p } leaves }\n\
                move put \"{cell}\" { cell : empty; cell becomes stone of mover; owner(cell) leaves\n\
                who : playing when count empty < 3; who leaves }\n\
                turn { take or put else pass }\nend { draw when turn > 40 }\n";
    let game = Game::from_text("several.game", text, None, &[], &Library).unwrap();
    assert_eq!(after(&game, &["c3", "xa2a1", "a3"]).departures().len(), 1);
    assert_eq!(after(&game, &["c3", "xa2b2"]).departures().len(), 2);
    assert!(after(&game, &["c3"]).departures().is_empty(), "of nobody nothing is said");
    assert!(compare("several", &game, |games| games < 60, 40, 5) > 60);
}
