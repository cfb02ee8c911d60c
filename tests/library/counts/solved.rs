//! Small games whose value is known, solved by trying everything: a wrong rule would most likely give another value.

use crate::ai::solve::{Settings, Way, solve, solve_with};
use crate::game::line::Line;
use crate::game::{Game, Position};
use crate::library::Library;
use crate::study::halt::Halt;
use std::collections::HashMap;

fn game(name: &str, options: &[(&str, &str)]) -> Game {
    let options: Vec<_> = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Game::from_text(name, Library::text(name).unwrap(), None, &options, &Library).unwrap()
}

/// Boxes that the mover will get more than the other from here on: who owns the others does not matter.
fn boxes_to_come(position: &Position, known: &mut HashMap<Vec<bool>, i64>) -> i64 {
    let state = &position.situation().state;
    let lines: Vec<bool> =
        state.contents().iter().map(|content| content.owner().is_none() && !content.is_empty()).collect();
    if position.is_over() {
        return 0;
    }
    if let Some(value) = known.get(&lines) {
        return *value;
    }
    let gain = |position: &Position, mover: &str| -> i64 {
        position.scores().iter().map(|(name, score)| if name == mover { score.number } else { -score.number }).sum()
    };
    let mover = position.mover().unwrap();
    let best = (0..position.move_count())
        .map(|index| {
            let next = position.play_index(index).unwrap();
            let closed = gain(&next, mover) - gain(position, mover);
            let rest = boxes_to_come(&next, known);
            closed + if next.mover() == Some(mover) { rest } else { -rest }
        })
        .max()
        .unwrap();
    known.insert(lines, best);
    best
}

/// One box goes to the second player; of four the first gets three.
#[test]
fn dots_and_boxes_on_small_boards_has_its_known_values() {
    let value = |size: &str| boxes_to_come(&game("dots_and_boxes", &[("size", size)]).start(), &mut HashMap::new());
    assert_eq!(value("1"), -1);
    assert_eq!(value("2"), 2);
}

/// What a game is worth to who begins: W, D or L.
fn worth(game: &Game) -> char {
    let values = solve(&Line::new(game.start()), 1_000_000, &mut |_| {}).values;
    match values.as_deref() {
        Some([1.0, _]) => 'W',
        Some([0.5, _]) => 'D',
        Some([0.0, _]) => 'L',
        other => panic!("{other:?}"),
    }
}

fn example(name: &str, options: &[(&str, &str)]) -> Game {
    let path = format!("examples/{name}.game");
    let options: Vec<_> = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Game::from_text(&path, &std::fs::read_to_string(&path).unwrap(), None, &options, &Library).unwrap()
}

/// Irving, Donkers and Uiterwijk, Solving Kalah, 2000: one to three houses a side, one to six seeds in each.
#[test]
fn kalah_has_its_published_values() {
    for (houses, row) in (1..).zip(["DLWLWD", "WLLLWW", "DWWWWL"]) {
        for (seeds, wanted) in (1..).zip(row.chars()) {
            let options = [("houses", &*format!("{houses}")), ("seeds_each", &*format!("{seeds}"))];
            assert_eq!(worth(&example("kalah", &options)), wanted, "{houses} houses, {seeds} seeds");
        }
    }
}

/// Breuker, Uiterwijk and van den Herik, Solving 8x8 Domineering; Martin Müller, Solving NoGo on Small Board Sizes, which
/// says of 4x4 that the second player wins.
#[test]
fn games_of_the_last_move_have_their_published_values() {
    for (size, wanted) in [("2", 'W'), ("3", 'W'), ("4", 'W'), ("5", 'L')] {
        assert_eq!(worth(&example("domineering", &[("columns", size), ("rows", size)])), wanted, "{size}");
    }
    assert_eq!(worth(&example("nogo", &[("size", "3")])), 'W');
    // More than a proof finds in ten million positions: what is turned and mirrored counts once in a table.
    let settings = Settings { nodes: 1_000_000, bytes: 64 << 20, way: Some(Way::Table) };
    let start = Line::new(example("nogo", &[("size", "4")]).start());
    assert_eq!(solve_with(&start, settings, Halt::never(), &mut |_| {}).values, Some(vec![0.0, 1.0]));
}

/// All of these are common knowledge; Reversi on sixteen cells belongs to the second player.
#[test]
fn small_classics_have_their_known_values() {
    for (name, options, wanted) in [
        ("tic_tac_toe", &[][..], 'D'),
        ("tic_tac_toe", &[("aim", "avoid")], 'D'),
        ("wild_tic_tac_toe", &[], 'W'),
        ("connect_four", &[("width", "4"), ("height", "4")], 'D'),
        ("reversi", &[("size", "4")], 'L'),
        ("hex", &[("size", "4")], 'W'),
    ] {
        assert_eq!(worth(&game(name, options)), wanted, "{name} {options:?}");
    }
    assert_eq!(worth(&example("three_mens_morris", &[])), 'W');
}

/// What is left of a game of morris with three men each: some plies to a mill, or to nothing.
#[test]
fn endings_of_morris_are_won_by_who_can_make_a_mill_that_nobody_stops() {
    let ending = |white: &str, black: &str| {
        let rules = format!(
            "game \"Ending\" extends six_mens_morris\nstart {{\n  {white} becomes man of White\n  \
             {black} becomes man of Black\n  hand(White) becomes 0\n  hand(Black) becomes 0\n}}\n"
        );
        solve(
            &Line::new(Game::from_text("ending.game", &rules, None, &[], &Library).unwrap().start()),
            1_000_000,
            &mut |_| {},
        )
    };
    let won = ending("a1 or c1 or e3", "b4 or d4 or c5");
    assert!(won.counts.is_some_and(|counts| counts.images == 8), "{:?}", won.missing);
    assert_eq!((won.values, won.distance), (Some(vec![1.0, 0.0]), Some(2)));
}
