//! Turn patterns made at random, played on both engines: ways that begin alike, conditions that leave parts out, preferences,
//! repetitions and whole turns, nested in each other.

use super::common::compare::compare;
use super::common::wish;
use crate::game::Game;
use crate::library::Library;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const MOVES: [&str; 6] = ["put", "put", "go", "go", "take", "stop"];
const CONDITIONS: [&str; 4] = ["turn mod 2 = 0", "count own > 4", "n < 3", "any enemy next_to own"];

fn one<'a>(of: &[&'a str], dice: &mut Xoshiro256PlusPlus) -> &'a str {
    of.choose(dice).copied().unwrap()
}

/// A pattern of so many levels at most.
fn pattern(levels: u32, dice: &mut Xoshiro256PlusPlus) -> String {
    let kind = if levels == 0 { 0 } else { dice.random_range(0..20) };
    let parts = |dice: &mut Xoshiro256PlusPlus, joined: &str| {
        let parts: Vec<String> = (0..dice.random_range(2..4)).map(|_| pattern(levels - 1, dice)).collect();
        format!("({})", parts.join(joined))
    };
    match kind {
        0..6 => one(&MOVES, dice).to_owned(),
        6..11 => parts(dice, ", "),
        11..15 => parts(dice, " or "),
        15 | 16 => format!("({} else {})", pattern(levels - 1, dice), pattern(levels - 1, dice)),
        17 | 18 => format!("({} when {})", pattern(levels - 1, dice), one(&CONDITIONS, dice)),
        _ => format!("({}, again {})", one(&MOVES, dice), one(&["put", "go", "take", "go by it"], dice)),
    }
}

/// A turn of a seed, whole or not.
fn turn(number: u64) -> (bool, String) {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(number);
    let ways: Vec<String> = (0..dice.random_range(2..4)).map(|_| pattern(2, &mut dice)).collect();
    let ways = ways.join(" or ");
    let turn = if dice.random_bool(0.5) { format!("put, ({ways})") } else { ways };
    (dice.random_range(0..3) > 0, turn)
}

fn text(whole: bool, turn: &str) -> String {
    let whole = if whole { "whole " } else { "" };
    format!(
        "game \"Turns\"\nabout \"a test\"\nplayers A, B\nboard square(3)\npiece stone of each player\n\
         track n : 0..40 = 0\nallow same-notation\nstart {{ row(1) becomes stone of A; row(3) becomes stone of B }}\n\
         move put \"{{cell}}\" {{ cell : empty next_to own; cell becomes stone of mover; n becomes min(n + 1, 40) }}\n\
         move go \"{{from}}-{{to}}\" {{ from : own; to : empty next_to from; from -> to }}\n\
         move take \"{{from}}x{{to}}\" {{ from : own; to : enemy next_to from; from -> to }}\nmove stop \"stop\" {{ }}\n\
         {whole}turn {{ {turn} }}\n\
         end {{ draw when turn > 6; mover loses when unfinished; next loses when stuck }}\n"
    )
}

/// How many of so many patterns were rules, and the plies compared.
fn campaign(patterns: std::ops::Range<u64>) -> (u64, u64) {
    let (mut played, mut compared) = (0, 0);
    for number in patterns {
        let (whole, turn) = turn(number);
        let text = text(whole, &turn);
        if let Ok(game) = Game::from_text("turns.game", &text, None, &[], &Library) {
            played += 1;
            compared += compare(&format!("turns {number}:\n{text}\n"), &game, |games| games < 3, 24, number);
        }
    }
    (played, compared)
}

/// A part that may be left out before the same move: here the place behind `go` is the same before and after places are joined.
#[test]
fn both_engines_agree_on_parts_that_are_left_out_before_the_same_move() {
    for turn in
        ["go, (put when n < 3), put", "put, (go, (put when n < 3), put)", "put, (put or (go, (put when n < 3), put))"]
    {
        let text = text(true, turn);
        let game =
            Game::from_text("turns.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{error:?}"));
        assert!(compare(turn, &game, |games| games < 4, 24, 1) > 10, "{turn}");
    }
}

#[test]
fn both_engines_agree_on_turns_made_at_random() {
    let (played, compared) = campaign(0..200);
    println!("{played} of 200 turns were rules; {compared} plies compared");
    assert!(played > 100 && compared > 1000, "{played} of 200 turns were rules; {compared} plies compared");
}

/// `TURNS=5000 cargo test --release --lib turn_patterns:: -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn both_engines_agree_on_turns_made_at_random_for_long() {
    let (played, compared) = campaign(200..200 + wish("TURNS", 5000));
    println!("{played} turns were rules; {compared} plies compared");
}
