//! Several pieces on a site: what is written of them can be read again, and what lies beneath tells positions apart.

use super::common::compare::compare;
use crate::engine::fast::Fast;
use crate::game::Game;
use crate::library::Library;
use serde_json::json;
use std::sync::Arc;

/// A game of few rules on a small board.
fn game(more: &str, law: &str, turn: &str) -> Game {
    let text = format!(
        "game \"Heaps\"\nplayers Black, White\nboard square(3) adjacent all\npiece disc, king of each player\n{more}\n\
         start {{ row(1) becomes disc of Black; row(3) gets king of White, disc of White }}\n\
         move go \"{{from}}-{{to}}\" {{ from : own; to : site next_to from; from -> on to; {law} }}\n\
         move split \"{{from}}/{{to}}\" {{ from : own; to : site next_to from; top of from -> under to; {law} }}\n\
         move turn_over \"{{from}}!\" {{ from : own, height(from) > 1; top of from becomes empty; then; from gets piece_on(from) as bottom; {law} }}\n\
         {turn}\nend {{ mover wins when no enemy; draw when turn > 60 }}\n"
    );
    Game::from_text("heaps.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

#[test]
fn a_position_with_stacks_is_written_and_read_again() {
    let game = game("stacks to 6", "if any site", "turn { go or split or turn_over else pass }");
    let position = game.start().play("a1-b2").unwrap().play("b3-b2").unwrap();
    let written = position.to_json();
    assert_eq!(written["sites"]["b2"], "disc:White");
    assert_eq!(written["stacks"]["b2"], json!(["disc:Black", "king:White", "disc:White"]));
    let mut described = written.clone();
    described.as_object_mut().unwrap().retain(|name, _| ["mover", "sites", "stacks", "turn"].contains(&name.as_str()));
    let again = game.set_up(&described).unwrap();
    assert_eq!(again.to_json()["stacks"], written["stacks"]);
    assert_eq!(again.draw(), position.draw());
    assert!(position.draw().contains("D/k/d"), "{}", position.draw());
}

#[test]
fn what_cannot_be_a_stack_is_told() {
    let game = game("stacks to 3", "if any site", "turn { go or split or turn_over else pass }");
    let told = |stacks: serde_json::Value| {
        game.set_up(&json!({"mover": "Black", "sites": {"a1": "disc:Black"}, "stacks": stacks}))
            .map(|_| ())
            .unwrap_err()
    };
    assert!(told(json!({"b1": ["disc:Black", "disc:Black", "disc:Black", "disc:Black"]})).contains("3 at most"));
    assert!(told(json!({"a1": ["disc:Black", "disc:White"]})).contains("differ"));
    assert!(told(json!({"b1": "disc:Black"})).contains("list"));
    let plain = Game::from_text("hex", Library::text("hex").unwrap(), None, &[], &Library).unwrap();
    let error = plain.set_up(&json!({"mover": "Red", "sites": {}, "stacks": {}})).map(|_| ()).unwrap_err();
    assert!(error.contains("no stacks"), "{error}");
}

#[test]
fn more_pieces_than_a_site_holds_cannot_be_put_there() {
    let game = game("stacks to 2", "if any site", "turn { go or split or turn_over else pass }");
    let moves = game.start().moves();
    assert!(moves.contains(&"a1-b1".to_owned()) && moves.contains(&"a1-a2".to_owned()), "{moves:?}");
    let full = game.start().play("a1-b1").unwrap().moves();
    assert!(!full.iter().any(|mv| mv.ends_with("-b3") || mv.ends_with("/b3")), "two stand there: {full:?}");
}

#[test]
fn both_engines_agree_where_what_lies_beneath_tells_boards_apart() {
    for (height, law, turn) in [
        (2, "if any site", "turn { go or split or turn_over else pass }"),
        (15, "so that board new", "turn { go or split or turn_over else pass }"),
        (15, "so that position new", "turn { go or split or turn_over else pass }"),
        (21, "if any site", "whole turn { (go, split) else pass }"),
    ] {
        let game = game(&format!("stacks to {height}"), law, turn);
        let compared = compare(turn, &game, |games| games < 12, 60, 7);
        assert!(compared > 100, "{law} {turn}: {compared}");
    }
}

#[test]
fn stacks_too_high_for_a_number_are_left_to_the_reference() {
    let lowered = |height: usize| {
        let game = game(&format!("stacks to {height}"), "if any site", "turn { go or split or turn_over else pass }");
        Fast::new(&Arc::new(game.rules().clone())).is_ok()
    };
    assert!(lowered(22), "21 pieces of three bits lie beneath one");
    assert!(!lowered(23));
}

#[test]
fn no_more_pieces_are_taken_than_there_are_from_above_or_below() {
    for end in ["top", "bottom"] {
        for number in ["2", "(tally - 1)", "(height(from) - 2)"] {
            for piece in ["empty", "king of next"] {
                let law = format!(
                    "tally becomes (tally + 1) mod 4; then; {end} {number} of ((own or enemy) next_to from) becomes {piece}"
                );
                let game =
                    game("stacks to 4\ntrack tally : 0..4 = 0", &law, "turn { go or split or turn_over else pass }");
                assert!(compare(&law, &game, |games| games < 4, 40, 3) > 0, "{law}");
            }
        }
    }
}

/// As far as a stack is high, one step or more: where it goes tells the direction, so plies need not be compared.
#[test]
fn a_stack_that_goes_as_far_as_it_is_high_tells_its_direction() {
    for steps in ["height(from)", "1 + height(from)", "height(from) - 1"] {
        let text = format!(
            "game \"Leaps\"\nplayers Black, White\nboard square(4) adjacent all\npiece disc of each player\nstacks to 6\n\
             allow same-notation\nstart {{ row(1) becomes disc of Black; row(4) becomes disc of White }}\n\
             move leap \"{{from}}>{{to}}\" {{\n  from : own\n  d : directions\n  to = ahead(from, d, {steps}) piece\n  \
             if any to\n  from -> on to\n}}\nturn {{ leap else pass }}\nend {{ draw when turn > 30 }}\n"
        );
        let game = Game::from_text("leaps.game", &text, None, &[], &Library).unwrap();
        let program = crate::program::compile(game.rules()).unwrap();
        assert!(!program.by_mover[0].calls[0].may_repeat, "{steps}");
        assert!(compare(steps, &game, |games| games < 3, 40, 5) > 0, "{steps}");
    }
}
