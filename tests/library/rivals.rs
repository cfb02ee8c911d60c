//! Plies that are picked differently and print alike are compared only where two of them can be legal in one state: what is
//! not printed may be told by the board, by what has to stand where, and by whose pieces are named.

use super::common::compare::compare;
use crate::game::Game;
use crate::library::Library;
use crate::program::{compile, dump};

/// Whether plies of a move are compared, in a game that both engines play alike.
fn are_compared(board: &str, mv: &str) -> bool {
    let text = format!(
        "game \"Rivals\"\nabout \"a test\"\nplayers A, B\nboard {board}\npiece stone of each player\n\
         start {{ row(1) becomes stone of A; row(2) becomes stone of A; row(4) becomes stone of B; row(5) becomes stone of B }}\n\
         {mv}\nturn {{ act else pass }}\nend {{ draw when turn > 24 }}\n"
    );
    let game =
        Game::from_text("rivals.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"));
    assert!(compare(mv, &game, |games| games < 4, 24, 5) > 0, "{mv}");
    let program = compile(game.rules()).unwrap_or_else(|error| panic!("{error}"));
    dump(game.rules(), &program, &|_| String::new()).contains("plies may be alike")
}

/// What a move prints and picks, and what it asks, on a board of squares. The second text leaves out what tells plies apart.
const TOLD: [(&str, &str, &str); 7] = [
    // By the direction in which a neighbour lies.
    (
        "\"p{from}{direction(tail, from)}\"",
        "from : own; tail : piece next_to from; to = behind(tail, from); if to in empty; from -> to",
        "from : own; tail : piece; to = behind(tail, from); if to in empty; from -> to",
    ),
    // By the two cells that are printed as one set.
    (
        "\"{cell or ahead(cell, d)}\"",
        "cell : empty; d : E or N; if ahead(cell, d) in empty; (cell or ahead(cell, d)) becomes stone of mover",
        "cell : empty; d : E or W; if ahead(cell, d) in empty; (cell or ahead(cell, d)) becomes stone of mover",
    ),
    // By the owners of two pieces.
    (
        "\"{a or b}\"",
        "a : own; b : enemy, distance(a, b) = 1; a becomes stone of next; b becomes stone of mover",
        "a : own; b : piece, distance(a, b) = 1; a becomes empty",
    ),
    // By the column of the cell.
    (
        "\"{cell}\"",
        "n : 1 .. 5; tall = count(piece column(n)); cell = column(n) row(tall + 1); if any cell; cell becomes stone of mover",
        "n : 1 .. 5; tall = count(piece column(n)); cell = column(1) row(tall + 1); if any cell; cell becomes stone of mover",
    ),
    // By where a row ends, said in numbers.
    (
        "\"{tail}{d}\"",
        "tail : own; d : N or S; n : 1 .. 3; if every ahead_all(tail, d, n - 1) is own; front = ahead(tail, d, n); if any (front but own); \
         front becomes stone of mover",
        "tail : own; d : N or S; n : 1 .. 3; if every ahead_all(tail, d, n - 1) is own; front = ahead(tail, d, n); if any front; \
         front becomes stone of mover",
    ),
    // By where a row ends, said in sites.
    (
        "\"{tail}{d}\"",
        "tail : own; d : N or S; head : own; if head in (tail or run(tail, d, own)); if ahead(head, d) in empty; \
         ahead(head, d) becomes stone of mover",
        "tail : own; d : N or S; head : own; if head in (tail or run(tail, d, own)); if any ahead(head, d); \
         ahead(head, d) becomes stone of mover",
    ),
    // By how far a line is free.
    (
        "\"{from}{direction(from, to)}\"",
        "from : own; to : { last(from, d) for d in directions }; from -> to",
        "from : own; to : { open(from, d) for d in directions }; from -> to",
    ),
];

const LAST: &str =
    "word last(x: site, d: direction) = { y in run(x, d, empty) with distance(x, y) = count run(x, d, empty) }";

#[test]
fn what_the_board_and_the_pieces_tell_is_not_compared() {
    for (notation, lines, _) in TOLD {
        let mv = format!("{LAST}\nmove act {notation} {{ {lines} }}");
        assert!(!are_compared("square(5)", &mv), "{mv}");
    }
}

/// The same without what tells them apart.
#[test]
fn what_may_be_alike_is_compared() {
    for (notation, _, lines) in TOLD {
        let mv = format!("{LAST}\nmove act {notation} {{ {lines} }}");
        assert!(are_compared("square(5)", &mv), "{mv}");
    }
}
