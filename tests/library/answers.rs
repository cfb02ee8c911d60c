//! `possible`, behind `so that` and elsewhere: who is asked, about which state, and what is remembered of it.

use super::common::compare::{compare, with_machine_code};
use crate::author::script::Scripts;
use crate::check::Project;
use crate::engine::fast::native::Coverage;
use crate::game::{Game, Line};
use crate::library::Library;
use std::sync::Arc;

/// A game on a board of nine sites, where everyone grows from a corner.
fn text(moves: &str, turn: &str, end: &str) -> String {
    format!(
        "game \"Answers\"\nabout \"a test\"\nplayers A, B\nboard square(3)\npiece stone of each player\n\
         piece rock \"x\" neutral\nstart {{ a1 becomes stone of A; c3 becomes stone of B }}\n{moves}\n{turn}\n\
         end {{ {end}; draw when turn > 40; draw when stuck }}\n"
    )
}

fn game(moves: &str, turn: &str, end: &str) -> Game {
    let text = text(moves, turn, end);
    Game::from_text("answers.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

const GO: &str = "move go \"{cell}\" { cell : empty next_to own; cell becomes stone of mover }\n";
const BLOCK: &str = "move block \"x{cell}\" { cell : empty; cell becomes rock; so that possible go }\n";

fn agree(label: &str, game: &Game) {
    let compared = compare(label, game, |games| games < 30, 40, 5);
    assert!(compared > 60, "{label}: {compared}");
}

#[test]
fn a_test_asks_about_the_position_as_it_stands() {
    let script = "test \"who can go\" {\n  expect possible go and possible (go, go)\n\
                  \x20 position { a1 becomes stone of A; c3 becomes stone of B; (b3 or c2) becomes rock } to move A\n\
                  \x20 expect possible go\n\
                  \x20 position { a1 becomes stone of A; c3 becomes stone of B; (b3 or c2) becomes rock } to move B\n\
                  \x20 expect not possible go\n}";
    let text = text(GO, "turn { go }", "draw when turn > 30") + script;
    let reports = Scripts::default().run(&Project::load("answers.game", &text, &Library), None, &[]).unwrap();
    assert!(reports.len() == 1 && reports.iter().all(|report| report.ok), "{reports:?}");
}

#[test]
fn after_an_extra_turn_too_it_is_the_next_player_who_is_asked() {
    let game = game(&format!("{GO}{BLOCK}"), "turn { go or block; extra turn }", "draw when turn > 30");
    agree("extra turn", &game);
    // Only one way out is left to B, and it stays open, though A would move again.
    let legal = Line::replayed(&game, &["xc2"]).unwrap().position().moves();
    assert!(legal.contains(&"xb2".to_owned()) && !legal.contains(&"xb3".to_owned()), "{legal:?}");
}

#[test]
fn elsewhere_it_asks_about_the_state_as_it_stands() {
    for end in ["mover loses at once when not possible go", "mover wins at once when not possible (go, go)"] {
        agree(end, &game(GO, "turn { go }", end));
        agree(end, &game(GO, "turn { go, (go or stop) }", end));
    }
    // Where nothing is remembered for one turn, machine code leads through such games as well.
    let apart = "move go \"{cell}\" { cell : empty next_to own, cell not in next_to (go.cell this turn); cell becomes stone of mover }\n";
    for (go, left) in [(GO, false), (apart, true)] {
        for end in ["mover wins when not possible go", "next loses when not possible (go, go)"] {
            let game = game(go, "turn { go, (go or stop) }", end);
            agree(end, &game);
            let fast = with_machine_code(end, &Arc::new(game.rules().clone()));
            assert_eq!(Coverage::of(fast.program()) == Coverage::Nothing, left, "{go}{end}");
        }
    }
    agree("unfinished", &game(GO, "turn { go, go }", "mover wins when (unfinished and possible go)"));
    agree("both", &game(&format!("{GO}{BLOCK}"), "turn { go or block }", "mover loses at once when not possible go"));
}

#[test]
fn answers_know_the_positions_before() {
    let put = "move put \"{cell}\" { cell : piece or empty; cell becomes stone of mover when cell in empty; \
               cell becomes empty when cell in piece; so that board new }\n";
    for asks in ["possible put", "not possible (put such that no own)"] {
        let block = format!(
            "move block \"x{{cell}}\" {{ cell : empty or rock; cell becomes rock when cell in empty; cell becomes empty when cell in rock; so that {asks} }}\n"
        );
        agree(asks, &game(&format!("{put}{block}"), "turn { put or block }", "draw when turn > 40"));
    }
}

#[test]
fn a_question_that_options_switch_off_asks_nothing() {
    let ruled = |strict: u8| {
        let moves =
            "move put \"{cell}\" { cell : empty; cell becomes stone of mover; so that possible put when strict = 1 }\n";
        let text = text(moves, "turn { put }", "draw when turn > 30")
            .replace("players A", &format!("option strict : 0..1 = {strict}\nplayers A"));
        Game::from_text("answers.game", &text, None, &[], &Library).map(|_| ())
    };
    assert!(ruled(0).is_ok(), "{:?}", ruled(0));
    assert!(ruled(1).is_err(), "it asks itself");
}
