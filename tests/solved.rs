//! Small games whose value is known, solved by trying everything: a wrong rule would most likely give another value.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ludwright::game::{Game, Position};
use ludwright::library::Library;
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
        position.scores().iter().map(|(name, score)| if name == mover { *score } else { -score }).sum()
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
