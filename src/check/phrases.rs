//! Words that rule sheets and other programs use and the language does not, with what it says instead.

/// How others say that something belongs to a player.
const HAVING: &[&str] = &["has", "have", "owns"];

/// Words that mean nothing here, and what is written for what they mostly mean.
const PHRASES: &[(&[&str], &str)] = &[
    (&["full"], "the board is full when `no empty` is true"),
    (&["board"], "all sites are `site`, and the board is full when `no empty` is true"),
    (&["a", "consecutive"], "so many in a row are `line(4, own, directions)`: the number, the sites, the directions"),
    (
        &["adjacent", "neighbour", "neighbours", "neighbor", "neighbors", "adjacency", "beside", "touching"],
        "the neighbours of `x` are `next_to x`, as in `empty next_to x`; those in one direction are `ahead(x, d)`",
    ),
    (
        &["captured", "capture", "captures", "taken", "killed"],
        "a piece is taken by a change: `x becomes empty`; what a player has left is `of mover`, and `no enemy` is true when nothing is left",
    ),
    (
        &["random", "dice", "die", "roll"],
        "a die is thrown in a `chance move`; any other part is chosen by whoever moves",
    ),
    (
        &["occupied", "nonempty", "not_empty", "any_piece"],
        "sites with something on them are `piece`, those of players `own` and `enemy`",
    ),
    (&["vacant", "free", "blank", "unoccupied"], "sites with nothing on them are `empty`"),
    (
        &["opponent", "opponents", "enemies", "foe"],
        "the sites of other players are `enemy`, the other player is `next`, and all others are `other(mover)`",
    ),
    (&["my", "mine", "friend", "friendly", "self", "ours"], "the mover's sites are `own`, and the mover is `mover`"),
    (
        &["current_player", "current", "me", "player", "active_player"],
        "the player whose turn it is is `mover`, the one after `next`, all are `players`",
    ),
    (
        &["pieces", "stones", "men"],
        "all sites with pieces are `piece`; of one kind the name of the kind stands for them",
    ),
    (
        &["cell", "square", "hex", "field", "space", "tile", "point"],
        "every site is `site`, and one with a name is a part: `cell : empty`",
    ),
    (
        &["light", "pale", "bright", "black_squares", "white_squares"],
        "one half of a board of squares is `dark`, the other one `site but dark`",
    ),
    (
        &["straight", "slides", "sliding"],
        "the sites on straight lines from `x`, over empty ones, are `open_from(x)`; so many in a row are `line(4, own, directions)`",
    ),
    (
        &["left", "right", "sideways"],
        "on the board they are `W` and `E`, as a player sees them `turned(facing(mover), -2)` and `turned(facing(mover), 2)`, counted in eighths of a turn; one of the two is picked by `d : W or E`",
    ),
    (
        &["up", "down", "upwards", "downwards", "north", "south", "east", "west"],
        "directions are `N`, `E`, `S`, `W` and those between, as in `ahead(x, N)`; up to three steps on are `ahead_all(x, N, 3)`",
    ),
    (
        &["forwards", "backward", "backwards"],
        "the site in front of `x`, as a player sees it, is `ahead(x, facing(mover))`, the one behind it `ahead(x, opposite(facing(mover)))`",
    ),
    (
        &["reaches", "reach", "reached", "arrives", "enters"],
        "that a piece stands in a region is written side by side: `any own man side(N)`",
    ),
    (
        &["even", "odd", "parity", "multiple"],
        "what a number leaves when it is divided by 2 is `n mod 2`: `count(own) mod 2 = 0` is true of even numbers, `... = 1` of odd ones",
    ),
    (&["exactly", "precisely", "equals", "equal"], "numbers are compared with `=`: `count(own next_to x) = 2`"),
    (
        &["sight", "sees", "seen_from", "line_of_sight"],
        "the first piece on each line from `x` is in `in_sight(x)`: `any enemy in_sight(x)`",
    ),
    (&["rank"], "a row is `row(1)`, and as a player sees it `row_of(mover, 1)`"),
    (&["file"], "a column is `column(1)`"),
    (
        &["where", "such", "whose", "which"],
        "what else must hold stands behind a comma: `to : empty next_to from, any own next_to to`",
    ),
    (
        &["either", "both"],
        "it is not needed: `(empty or enemy) next_to x` is what lies in one of them, `own next_to x` what lies in both",
    ),
    (
        &["wins", "won", "loses", "lost"],
        "a test asks how the game has ended by `result`, with who wins or with the reason: `result \"Black wins\"`",
    ),
    (&["diagonally"], "`ahead(x, diagonal)` are the sites one step on across corners"),
    (&["orthogonally"], "`ahead(x, orthogonal)` are the sites one step on across sides"),
    (&["jumped", "jumping", "jump_over"], "the site beyond `over`, seen from `x`, is `behind(x, over)`"),
    (
        &["no_moves", "no_legal_moves", "legal", "moves", "cannot", "can", "blocked", "immobile"],
        "a player who has no legal move is `stuck`, in `end`: `next loses when stuck`",
    ),
    (
        &["checkmate", "mate", "checkmated"],
        "a player is mated who cannot move and is attacked: `next loses when stuck and in_check(next)`, with a word of your own for `in_check`",
    ),
    (
        &["check"],
        "say as a word what attacks: word in_check(p: player) = any of other(p) ...; so that not in_check(mover)",
    ),
    (
        &["one", "two", "three", "four", "five", "six", "seven", "eight"],
        "numbers are written in digits: `3`; so many in a row are `line(3, own, directions)`, and one step on from `x` is `ahead(x, directions)`",
    ),
    (HAVING, "what a player has is `of` him: `any king of mover`, and how much `count(of mover) = 3`"),
    (
        &["same", "same_color", "same_colour"],
        "pieces of the same kind and owner are `alike(x)`; owners are compared: `owner(x) = owner(y)`",
    ),
    (
        &["largest", "biggest", "longest", "greatest", "smallest"],
        "the greatest of several numbers is `most { count group(x) for x in own }`, the smallest `least { ... }`",
    ),
    (
        &["most", "least", "sum"],
        "what is looked at for each of several stands in braces behind it: `most { count group(g) for g in groups(own) }`",
    ),
    (
        &["end", "far_end", "furthest", "farthest"],
        "how far a line is free is `open(x, d)`, its last free site is `{ y in open(x, d) with no (empty ahead(y, d)) }`; to the border there are `run(x, d, site)`",
    ),
    (&["middle"], "the site in the middle is `centre`"),
    (&["corners"], "the sites where two sides meet are `corner`"),
    (&["border", "rim", "perimeter"], "the sites on the border are `edge`"),
    (
        &["width", "height_of_board", "columns", "rows"],
        "a size of the board is an option: option size : 3..9 = 5, and board square(size)",
    ),
    (&["size", "length", "number_of", "number", "amount", "total"], "the number of members of a set is `count S`"),
    (
        &["at"],
        "`at least 2` is written `count(S) >= 2`, and `at most 2` is `count(S) <= 2`; what stands on a site is asked by `any own centre`",
    ),
    (
        &["on", "inside", "onto"],
        "what stands in a region is written side by side: `any own row(1)`; rows counted from where a player sits are `row_of(mover, 5)`",
    ),
    (
        &["within", "away"],
        "how far two sites are apart is asked by `distance`, behind a comma or `if`: `to : empty, distance(from, to) <= 2`",
    ),
    (&["all"], "what holds of all is asked by `every`: `every own piece is edge`; all directions are `directions`"),
    (
        &["last"],
        "that nothing is left is `no enemy`; who made the last move is `last to MOVE`; the last of five rows is `row(5)`",
    ),
    (&["unless"], "write what must not hold with `not`, behind a comma or `if`: `cell : empty, not (cell in corner)`"),
    (&["except", "without", "besides"], "what is left out stands behind `but`: `empty but corner`"),
    (
        &["greater", "larger", "bigger", "higher", "exceeds", "more"],
        "numbers are compared with `>` and `>=`: `count own > 3`",
    ),
    (&["less", "fewer", "smaller", "lower"], "numbers are compared with `<` and `<=`: `count own < 3`"),
    (&["true", "True"], "a condition holds by itself; of an option write `is yes`"),
    (&["false", "False"], "write `not` before a condition; of an option write `is no`"),
    (
        &["null", "nil", "None", "nothing"],
        "no value, and the empty set, are `none`; sites with nothing on them are `empty`",
    ),
];

/// What to write where a word stands alone that needs values, besides its example.
const ALONE: &[(&str, &str)] = &[
    ("row", "so many in a row are `line(3, own, directions)`"),
    ("opposite", "the far side of the board, as a player sees it, is `side(facing(mover))`"),
    ("first", "who is first to come to a number wins by a line such as: mover wins when count own >= 5"),
    ("forward", "the site in front of `x` is `ahead(x, forward(mover))`"),
    ("line", "as in `line(3, own, directions)`: the number, the sites, the directions"),
];

/// What else is meant by a word that needs values and has none, or not those.
pub(super) fn alone(word: &str) -> Option<&'static str> {
    ALONE.iter().find(|(known, _)| *known == word).map(|(_, written)| *written)
}

/// What is written for a word that rule sheets use, if it is one of these.
pub(super) fn meant(word: &str) -> Option<&'static str> {
    PHRASES.iter().find(|(words, _)| words.contains(&word)).map(|(_, written)| *written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::catalogue;

    #[test]
    fn no_word_of_the_language_is_explained_away() {
        for word in PHRASES.iter().flat_map(|(words, _)| *words) {
            assert!(catalogue::find(word).is_none(), "{word}");
            assert!(!include_str!("../../grammar/prelude.game").contains(&format!("word {word}")), "{word}");
        }
    }

    #[test]
    fn words_that_stand_alone_are_words_of_the_language() {
        for (word, _) in ALONE {
            let given = include_str!("../../grammar/prelude.game").contains(&format!("word {word}("));
            assert!(given || catalogue::find(word).is_some(), "{word}");
        }
    }

    #[test]
    fn no_word_stands_twice() {
        let all: Vec<&str> = PHRASES.iter().flat_map(|(words, _)| words.iter().copied()).collect();
        let different: std::collections::BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(all.len(), different.len());
    }
}
