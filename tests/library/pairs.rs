//! Braces with several `for`s: what they join is what braces within braces join, on both engines.

use super::common::compare::compare;
use crate::game::Game;
use crate::library::Library;

fn game(condition: &str) -> Game {
    let text = format!(
        "game \"Pairs\"\nplayers A, B\nboard square(4) adjacent all\npiece stone of each player\n\
         move put \"{{c}}\" {{ c : empty, {condition}; c becomes stone of mover }}\n\
         turn {{ put else pass }}\nend {{ draw when turn > 24 }}\n"
    );
    Game::from_text("pairs.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

/// Each condition with several `for`s, and the same one with braces in braces.
const PAIRS: [(&str, &str); 9] = [
    (
        "c not in { ahead(x, d) for x in own for d in orthogonal }",
        "c not in { { ahead(x, d) for d in orthogonal } for x in own }",
    ),
    (
        "c not in { ahead(x, d) for x in own with x not in edge for d in directions with any piece ahead(x, d) }",
        "c not in { { ahead(x, d) for d in directions with any piece ahead(x, d) } for x in own with x not in edge }",
    ),
    (
        "5 > sum { n for x in own for n in 1 .. count(own next_to x) }",
        "5 > sum { sum { n for n in 1 .. count(own next_to x) } for x in own }",
    ),
    (
        "2 < least { distance(x, y) + distance(y, c) for x in own for y in enemy next_to x }",
        "2 < least { least { distance(x, y) + distance(y, c) for y in enemy next_to x } for x in own with any enemy next_to x }",
    ),
    (
        "not 4 < most { distance(x, y) for x in own for y in enemy next_to x with y in edge }",
        "not 4 < most { most { distance(x, y) for y in enemy next_to x with y in edge } for x in own with any edge enemy next_to x }",
    ),
    (
        "3 >= most { n * m for n in 1 .. count own for m in n .. 2 }",
        "3 >= most { most { n * m for m in n .. 2 } for n in 1 .. min(2, count own) }",
    ),
    (
        "no { z for x in own for y in own next_to x for z in enemy next_to y with z in corner }",
        "no { { { z for z in enemy next_to y with z in corner } for y in own next_to x } for x in own }",
    ),
    (
        "7 > least { distance(x, y) + distance(y, z) for x in own for y in own next_to x for z in enemy next_to y }",
        "7 > least { least { least { distance(x, y) + distance(y, z) for z in enemy next_to y } for y in own next_to x with any enemy next_to y } for x in own with some y in own next_to x with any enemy next_to y }",
    ),
    ("c in { x for x in empty for n in 3 .. 2 } or turn < 9", "turn < 9"),
];

#[test]
fn several_fors_join_what_braces_in_braces_join() {
    for (several, nested) in PAIRS {
        let (one, two) = (game(several), game(nested));
        let (mut first, mut second) = (one.start(), two.start());
        for step in 0..20 {
            assert_eq!(first.moves(), second.moves(), "{several}, {step}");
            let Some(mv) = first.moves().get(step * 5 % first.moves().len().max(1)).cloned() else { break };
            (first, second) = (first.play(&mv).unwrap(), second.play(&mv).unwrap());
        }
    }
}

#[test]
fn both_engines_join_pairs_alike() {
    for (seed, (several, _)) in PAIRS.iter().enumerate() {
        assert!(compare(several, &game(several), |games| games < 10, 30, seed as u64) > 40, "{several}");
    }
}
