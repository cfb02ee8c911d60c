//! What rule sheets call things that are done, with how they are written here.

/// Words that a line of a move or of changes begins with elsewhere, and what is written for them.
const VERBS: &[(&[&str], &str)] = &[
    (
        &["remove", "capture", "kill", "take", "delete", "clear", "discard"],
        "a piece is taken off by a change of its site: `x becomes empty`",
    ),
    (
        &["place", "put", "add", "insert", "deploy"],
        "a piece is placed by a change of a site: `x becomes stone of mover`",
    ),
    (&["go", "slide", "step"], "a piece goes by an arrow: `from -> to`"),
    (&["swap", "exchange", "switch"], "two pieces change places by two lines: `a -> b` and `b -> a`"),
    (
        &["promote", "convert", "transform", "crown"],
        "a piece becomes another one by a change of its site: `x becomes king of mover`",
    ),
    (
        &["flip", "turn_over", "recolour", "recolor"],
        "pieces change sides by a change of their sites: `S becomes stone of mover`",
    ),
    (
        &["increase", "decrease", "increment", "decrement", "set"],
        "a tracked value is changed by `becomes`: `pips becomes pips + 1`",
    ),
    (&["choose", "select", "pick"], "what the player picks is a part: `x : own`"),
    (&["let", "define"], "a definition is a name and a value: `n = count own`"),
    (&["require", "requires", "assert", "check", "only"], "a condition stands behind `if`: `if any own next_to cell`"),
];

/// Words that a line outside of braces begins with elsewhere, and the section that is written for them.
const SECTIONS: &[(&[&str], &str)] = &[
    (
        &["first", "second", "third", "opening", "opening_turn"],
        "the first turn is written `turn 1 { ... }`, and all others `turn { ... }`",
    ),
    (
        &["var", "variable", "counter", "int", "state", "store", "memory", "let"],
        "a value that is kept from turn to turn is a `track`: track captured(player) : 0..9 = 0",
    ),
    (
        &["function", "def", "define", "macro", "fn"],
        "an expression with a name is a `word`: word friends(x) = own next_to x",
    ),
    (
        &["win", "wins", "winning", "lose", "loses", "victory", "goal"],
        "how the game ends is said in `end`: end { mover wins when line(3, own, directions) }",
    ),
    (
        &["setup", "initial", "init", "place"],
        "the first position is said in `start`: start { row(1) becomes man of White }",
    ),
    (
        &["keeping", "adjacent", "coordinates"],
        "this belongs to the board, and stands on its line: `board square(5) keeping not corner`",
    ),
    (
        &["shape", "mark"],
        "how a piece looks stands on the line of the piece, its mark first: `piece horse \"H\" shape knight of each player`",
    ),
];

/// What is written for a section that begins with such a word, if it does.
pub(super) fn section(word: &str) -> Option<&'static str> {
    SECTIONS.iter().find(|(words, _)| words.contains(&word.to_lowercase().as_str())).map(|(_, written)| *written)
}

/// Verbs within a line, as rule sheets have them behind a piece or a player.
const WITHIN: &[(&[&str], &str)] = &[
    (
        &["captured", "captures", "removed", "removes", "takes", "taken", "killed", "eaten"],
        "a piece is taken by a change: `x becomes empty`, where `x` are the sites it stands on",
    ),
    (
        &["may", "must", "cannot", "can", "should", "never", "allowed", "forbidden"],
        "what must hold stands behind `if`, as in `if cell not in corner`",
    ),
    (
        &["promotes", "promoted", "promotion", "upgrades", "transforms"],
        "what moves becomes another piece where it arrives: `from -> to as (if to in row(5) then king of mover else man of mover)`",
    ),
    (&["flips", "flipped", "turned"], "pieces change by `becomes`, as in `enemy next_to cell becomes stone of mover`"),
    (
        &["places", "puts", "placed", "drops"],
        "a piece is put down by a change: `cell becomes stone of mover`, where the part `cell : empty` says where",
    ),
    (
        &["moves", "jumps", "jump", "goes", "slides", "steps", "walks"],
        "a piece moves by an arrow between two parts: `from -> to`",
    ),
];

/// What is written for the first such verb of a line, if it has one.
pub(super) fn within<'w>(mut words: impl Iterator<Item = &'w str>) -> Option<&'static str> {
    words.find_map(|word| WITHIN.iter().find(|(verbs, _)| verbs.contains(&word)).map(|(_, written)| *written))
}

/// What is written for a line that begins with such a word, if it does.
pub(super) fn meant(line: &str) -> Option<&'static str> {
    let first = line.split(|c: char| !c.is_alphanumeric() && c != '_').next()?.to_lowercase();
    VERBS.iter().find(|(words, _)| words.contains(&first.as_str())).map(|(_, written)| *written)
}

/// Whether a line asks something, as conditions do.
pub(super) fn asks(line: &str) -> bool {
    let words = ["is", "in", "not", "any", "no", "every", "some", "next_to", "adjacent", "has", "must", "can"];
    line.contains(['<', '>', '='])
        || line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| words.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_verb_stands_twice() {
        let all: Vec<&str> = VERBS.iter().chain(WITHIN).flat_map(|(words, _)| words.iter().copied()).collect();
        let different: std::collections::BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(all.len(), different.len());
    }

    #[test]
    fn lines_are_told_by_how_they_begin() {
        assert!(meant("remove x").is_some_and(|said| said.contains("becomes empty")));
        assert!(meant("x becomes empty").is_none());
        assert!(asks("cell adjacent to own") && !asks("the piece"));
    }
}
