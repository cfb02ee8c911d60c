//! Rules about two sites said by steps, directions, distances, sets and definitions: whatever the words, the same plies are found
//! without asking one site after the other.

use super::common::compare::compare;
use crate::game::Game;
use crate::library::Library;
use crate::program::{compile, dump};

const SQUARES: &str = "rectangle(5, 6)";

/// Boards of other forms: hexagons, holes, rings, lines that turn, and steps that do not lead back.
const BOARDS: [&str; 6] = [
    SQUARES,
    "square(5) adjacent all",
    "hexagon(3)",
    "ring(9)",
    "lines { a1 b1 c1 d1\na2 b2 c2 d2\na3 b3 c3 d3\na1 a2 a3\nb1 b2 b3\nc1 c2 c3\na1 b2 c3\nc1 b2 a3 }",
    "square(6) keeping site but (b2 or d4 or e4)",
];

fn game(board: &str, moves: &str, turn: &str) -> Game {
    let text = format!(
        "game \"Places\"\nplayers A, B\nboard {board}\npiece man of each player\n\
         track seeds(site) : 0..9 = 2\nword number(x: site) = count {{ y in site with any (x listed_after(y)) }} mod 5\n\
         word early(x: site) = number(x) < 2\nword late(x: site) = number(x) = 3\n\
         start {{ site early becomes man of A; site late becomes man of B }}\n{moves}\n\
         turn {{ {turn} else pass }}\nend {{ draw when turn > 30 }}\n"
    );
    Game::from_text("places.game", &text, None, &[], &Library)
        .unwrap_or_else(|error| panic!("{text}\n{:?}", error.to_string()))
}

/// Whether plies may be alike, and how those of the first call are found.
fn calls(game: &Game) -> String {
    let program = compile(game.rules()).unwrap_or_else(|error| panic!("{error}"));
    let listing = dump(game.rules(), &program, &|_| String::new());
    let mut parts = listing.split(" to move");
    let head = parts.next().unwrap().matches("alike").count();
    let first = parts.next().unwrap().split("call 1: ").next().unwrap();
    format!("{head} alike\n{first}")
}

fn moves_of(game: &Game) -> Vec<String> {
    let mut moves = game.start().moves();
    moves.sort();
    moves
}

/// Ways to say one rule; each line is a move of its own.
fn check(board: &str, wordings: &[&str], is_fast: impl Fn(&str) -> bool) {
    let mut first: Option<Vec<String>> = None;
    for wording in wordings {
        let game = game(board, &format!("move go \"{{from}}-{{to}}\" {{\n  {wording}\n}}"), "go");
        let calls = calls(&game);
        assert!(is_fast(&calls), "{wording}\n{calls}");
        let moves = moves_of(&game);
        assert_eq!(first.get_or_insert_with(|| moves.clone()), &moves, "{wording}");
        assert!(compare(wording, &game, |games| games < 3, 40, 7) > 0);
    }
}

const JUMPS: [&str; 7] = [
    "from : own\n  over : enemy next_to from\n  to : empty behind(from, over)\n  from -> to\n  over becomes empty",
    "from : own\n  d : directions\n  over = enemy ahead(from, d)\n  to : empty ahead(over, d)\n  from -> to\n  over becomes empty",
    "from : own\n  d : directions\n  over : enemy ahead(from, d)\n  to = ahead(over, d)\n  if to in empty\n  from -> to\n  over becomes empty",
    "from : own\n  over : enemy next_to from\n  to = behind(from, over)\n  if to in empty\n  from -> to\n  over becomes empty",
    "from : own\n  to : empty ahead(from, directions, 2)\n  over = enemy between(from, to)\n  if any over\n  from -> to\n  over becomes empty",
    "from : own\n  to : { ahead(from, d, 2) for d in directions with ahead(from, d) in enemy } but piece\n  from -> to\n  between(from, to) becomes empty",
    "from : own\n  to : empty, distance(from, to) = 2, some d in directions with ahead(from, d, 2) is to\n  over = between(from, to)\n  if over in enemy\n  from -> to\n  over becomes empty",
];

#[test]
fn a_jump_is_asked_of_the_whole_board_in_any_words() {
    check(SQUARES, &JUMPS, |calls| {
        !calls.contains("filter(") && !calls.contains("for s") && calls.starts_with("0 alike")
    });
}

#[test]
fn neighbours_are_neighbours_in_any_words() {
    let wordings = [
        "from : own\n  to : next_to from but own\n  from -> to",
        "from : own\n  to : site but own, distance(from, to) = 1\n  from -> to",
        "from : own\n  to : site but own, some d in directions with (ahead(from, d) is to)\n  from -> to",
        "from : own\n  to : { ahead(from, d) for d in directions with ahead(from, d) not in own }\n  from -> to",
        "from : own\n  d : directions\n  to : ahead(from, d) but own\n  from -> to",
        "from : own\n  to : site but own, from in next_to to\n  from -> to",
    ];
    check("square(5) adjacent all", &wordings, |calls| !calls.contains("filter(") && !calls.contains("for s"));
}

#[test]
fn a_slide_is_a_line_of_sight_in_any_words() {
    let wordings = [
        "from : own\n  to : ray(from, orthogonal) but own\n  from -> to",
        "from : own\n  d : orthogonal\n  to : ray(from, d) but own\n  from -> to",
        "from : own\n  to : ahead_all(from, orthogonal, 5) but own, no piece between(from, to)\n  from -> to",
        "from : own\n  to : (row(row_number(from)) or column(column_number(from))) but own, no piece between(from, to)\n  if to is not from\n  from -> to",
        "from : own\n  to : site but own, row_number(to) = row_number(from) or column_number(to) = column_number(from), every between(from, to) is empty or no between(from, to)\n  from -> to",
    ];
    check(SQUARES, &wordings, |calls| !calls.contains("filter(") && calls.starts_with("0 alike"));
}

#[test]
fn hidden_parts_are_told_apart_only_where_they_are() {
    for (wording, alike) in [
        // From one site lines lead apart; on a ring both directions lead everywhere.
        ("d : directions\n  to : empty ray(from, d)", false),
        ("d : directions\n  n : 1..3\n  to = ahead(from, d, n)\n  if to in empty", false),
        // Nothing goes where there is no site.
        ("d : directions\n  to = empty ahead(from, d)", false),
        ("d : directions\n  over = piece ahead(from, d)\n  to = empty ahead(over, d)", false),
        // Two of these neighbours have a neighbour in common.
        ("over : piece next_to from\n  to : empty next_to over", true),
        // A number that is not printed and leads nowhere else.
        ("n : 1..2\n  to : empty next_to from", true),
    ] {
        for board in BOARDS {
            let words = format!("move go \"{{from}}-{{to}}\" {{\n  from : own\n  {wording}\n  from -> to\n}}");
            let game = game(board, &words, "go");
            assert!(
                alike || board.starts_with("ring") || board.starts_with("lines") || calls(&game).starts_with("0 alike")
            );
            assert!(compare(wording, &game, |games| games < 1, 20, 3) > 0, "{board}");
        }
    }
}

#[test]
fn both_engines_find_the_same_on_boards_of_all_forms() {
    let moves = JUMPS.iter().chain(&[
        "from : own\n  to : empty, no piece between(from, to)\n  from -> to",
        "from : own\n  to : site but own, every between(to, from) is enemy\n  from -> to",
        "from : own\n  to : empty, any own between(from, to), distance(from, to) < 4\n  from -> to",
        "from : own\n  to : empty, distance(to, from) = 2\n  from -> to",
        "from : own\n  to : empty, direction(from, to) is E or distance(to, from) = 3\n  from -> to",
        "from : own\n  d : directions\n  near = own ahead(from, d)\n  to : empty ahead(near, d, 2) or empty ahead(near, opposite(d), 2)\n  from -> to",
        "from : own\n  to : if any enemy next_to from then enemy next_to from else empty ahead(from, directions)\n  from -> to",
    ]);
    for (at, wording) in moves.enumerate() {
        for board in BOARDS {
            let game = game(board, &format!("move go \"{{from}}-{{to}}\" {{\n  {wording}\n}}"), "go");
            assert!(compare(wording, &game, |games| games < 1, 20, at as u64) > 0, "{board}");
        }
    }
}

#[test]
fn numbers_of_many_sites_change_at_once() {
    for change in [
        "every x in next_to cell: seeds(x) becomes seeds(x) + 1",
        "every x in next_to cell: seeds(x) becomes seeds(cell)",
        "every x in next_to cell: seeds(x) becomes seeds(x) - 1 when x in own",
        "every x in next_to cell: seeds(x) becomes min(seeds(x) + turn, 9); seeds(cell) becomes 0",
        "every x in piece: seeds(x) becomes 3; every x in next_to cell: seeds(x) becomes seeds(x) + 1",
        "every x in next_to cell: seeds(x) becomes 4; every x in own: seeds(x) becomes 4 when seeds(x) > 1",
        "every x in cell or next_to cell: seeds(x) becomes 5 - seeds(x); seeds(cell) becomes 3",
        "every x in ahead_all(cell, E, 3): seeds(x) becomes seeds(x) + 1; seeds(cell) becomes seeds(cell) - 2",
        "every x in own: seeds(x) becomes hand + 7; every x in own: seeds(x) becomes 9",
    ] {
        let words = format!(
            "track hand : 0..9 = 1\nmove put \"{{cell}}\" {{\n  cell : site\n  {change}\n  hand becomes min(hand + 1, 9)\n  \
             cell becomes man of mover when cell in empty\n}}"
        );
        for board in [SQUARES, "ring(9)", "rectangle(9, 9)"] {
            let game = game(board, &words, "put");
            assert!(compare(change, &game, |games| games < 2, 30, 5) > 0, "{board}");
            let listing = game.dump_program().unwrap();
            assert!(
                cfg!(not(feature = "native")) || listing.trim_end().ends_with("machine code: everything"),
                "{listing}"
            );
        }
    }
}

/// A definition that is read again behind a change is kept, and tells what it would tell if it were written out.
#[test]
fn a_definition_that_is_read_behind_a_change_tells_what_it_is() {
    for board in BOARDS {
        let words = "move go \"{from}-{to}\" {\n  from : own\n  d : directions\n  n : 1 .. (if from in edge then 2 else 1)\n  \
                     to = ahead(from, d, n)\n  if any to and to not in own\n  from becomes empty\n  then\n  \
                     to becomes man of mover\n  then\n  edge but to becomes empty when no enemy\n}";
        let game = game(board, words, "go");
        let told = board.starts_with("ring") || board.starts_with("lines") || calls(&game).starts_with("0 alike");
        assert!(told, "{board}\n{}", calls(&game));
        assert!(compare(board, &game, |games| games < 2, 20, 9) > 0, "{board}");
    }
}

/// Proofs that would take too many looks are given up, so that every text is compiled at once.
#[test]
fn many_hidden_parts_are_not_looked_at_in_every_combination() {
    let parts: String = ["a", "b", "c", "d", "e", "f"].map(|part| format!("  {part} : own next_to from\n")).concat();
    let words = format!(
        "move go \"{{from}}-{{to}}\" {{\n  from : own\n{parts}  to : empty and (next_to a or next_to b or next_to c or next_to d or \
         next_to e or next_to f)\n  from -> to\n}}"
    );
    let game = game("square(8)", &words, "go");
    assert!(calls(&game).contains("call 0: go"));
}
