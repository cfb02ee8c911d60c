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

const JUMPS: [&str; 9] = [
    "from : own\n  over : enemy next_to from\n  to : empty behind(from, over)\n  from -> to\n  over becomes empty",
    "from : own\n  d : directions\n  over = enemy ahead(from, d)\n  to : empty ahead(over, d)\n  from -> to\n  over becomes empty",
    "from : own\n  d : directions\n  over : enemy ahead(from, d)\n  to = ahead(over, d)\n  if to in empty\n  from -> to\n  over becomes empty",
    "from : own\n  d : directions\n  over = enemy ahead(from, d)\n  to = empty ahead(over, d)\n  from -> to\n  over becomes empty",
    "from : own\n  d : directions\n  over = enemy ahead(from, d)\n  to = empty ahead(from, d, 2)\n  if any over\n  from -> to\n  over becomes empty",
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

/// Conditions said with members, numbers, sums and values; all of a row mean the same.
const ASKED: [&[&str]; 7] = [
    &[
        "any (enemy beyond(to, directions, empty))",
        "some d in directions with some n in 1 .. 5 with (ahead(to, d, n) in enemy and (n = 1 or every ahead_all(to, d, n - 1) is empty))",
        "some n in 1 .. 5 with (some d in directions with (ahead(to, d, n) in enemy and no piece ahead_all(to, d, n - 1)))",
        "any { d in directions with any (enemy beyond(to, d, empty)) }",
    ],
    &[
        "count (own next_to to) > count (enemy next_to to)",
        "sum { if x in own then 1 else 0 for x in next_to to } > sum { if x in enemy then 1 else 0 for x in next_to to }",
        "sum { if ahead(to, d) in own then 1 else 0 for d in directions } > sum { 1 for x in enemy next_to to }",
    ],
    &[
        "2 * count (own next_to to) > count (piece next_to to)",
        "sum { if x in own then 2 else 0 for x in next_to to } > sum { if x in piece then 1 else 0 for x in next_to to }",
    ],
    &[
        "no d in directions with (ahead(to, d) in enemy and ahead(to, opposite(d)) in enemy)",
        "no y in enemy next_to to with (behind(y, to) in enemy)",
        "no { d in directions with ahead(to, d) in enemy and ahead(to, opposite(d)) in enemy }",
    ],
    &[
        "some d in directions with (ahead(to, d) in own and ahead(to, d, 2) in own)",
        "any { d in directions with ahead(to, d) in own and ahead(to, d, 2) in own }",
        "not no { d in directions with ahead(to, d) in own and ahead(to, d, 2) in own }",
    ],
    &[
        "ahead(to, W) in empty or ahead(to, W) in man of A",
        "ahead(to, W) in empty or might(ahead(to, W)) = 1",
        "ahead(to, W) in empty or might(ahead(to, W)) < 2",
    ],
    &[
        "ahead(to, W) in piece and ahead(to, E) in piece and (ahead(to, W) in man of B or ahead(to, E) in man of A)",
        "might(ahead(to, W)) >= might(ahead(to, E))",
        "might(ahead(to, W)) - might(ahead(to, E)) > -1",
        "not might(ahead(to, W)) < might(ahead(to, E))",
    ],
];

#[test]
fn what_is_said_with_members_and_numbers_is_asked_of_the_whole_board_in_any_words() {
    let words = "word might(x: site) = case owner(x) { A: 1; B: 2 }\nallow unused\n";
    for asked in ASKED {
        for board in BOARDS {
            let mut first: Option<Vec<String>> = None;
            for asked in asked {
                let body = format!("from : own\n  to : empty next_to from, {asked}\n  from -> to");
                let game = game(board, &format!("{words}move go \"{{from}}-{{to}}\" {{\n  {body}\n}}"), "go");
                let calls = calls(&game);
                let is_slow =
                    ["filter(", "for s", "exists ", "sum(", "mask_where("].iter().any(|slow| calls.contains(slow));
                assert!(board != SQUARES || !is_slow, "{asked}\n{calls}");
                let moves = moves_of(&game);
                assert_eq!(first.get_or_insert_with(|| moves.clone()), &moves, "{asked} on {board}");
                assert!(compare(asked, &game, |games| games < 2, 30, 7) > 0);
            }
        }
    }
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
        "from : own\n  d : directions\n  to = (site but own) ahead(from, d)\n  from -> to",
        "from : own\n  d : directions\n  to = ahead(from, d) but own\n  from -> to",
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

/// What is done behind a step, in which whatever enemies stand between it and one's own are taken.
const PINCHES: [&str; 7] = [
    "{ between(to, y) for y in own with (any between(to, y) and every between(to, y) is enemy) } becomes empty",
    "every y in { y in own with (every between(to, y) is enemy) }: between(to, y) becomes empty",
    "every y in own: between(y, to) becomes empty when between(to, y) in enemy",
    "every x in { x in enemy with some y in own with (x in between(to, y) and every between(to, y) is enemy) }: x becomes empty",
    "{ x in enemy with some y in own with (x in between(to, y) and no (site but enemy) between(to, y)) } becomes empty",
    "caught = { x in enemy with some y in own with (x in between(y, to) and between(to, y) in enemy) }\n  caught becomes empty",
    "every x in { x in enemy with some y in own with (x in between(to, y) and no (empty or own) between(to, y)) }: x becomes empty",
];

fn pinches() -> Vec<String> {
    let step = "from : own\n  to : empty next_to from\n  from -> to\n  then\n ";
    PINCHES.iter().map(|taken| format!("{step} {taken}")).collect()
}

#[test]
fn what_is_taken_between_two_is_found_along_the_lines_in_any_words() {
    let wordings = pinches();
    let wordings: Vec<&str> = wordings.iter().map(String::as_str).collect();
    check("square(5) adjacent all", &wordings, |calls| {
        calls.contains("bracketed(") && !["collect(", "filter(", "can_apply("].iter().any(|slow| calls.contains(slow))
    });
}

#[test]
fn what_is_taken_between_two_is_the_same_on_boards_of_other_forms() {
    let wordings = pinches();
    let wordings: Vec<&str> = wordings.iter().map(String::as_str).collect();
    BOARDS.iter().for_each(|board| check(board, &wordings, |_| true));
}

#[test]
fn what_is_taken_in_directions_is_asked_along_the_lines_in_any_words() {
    let step = "from : own\n  to : empty next_to from\n  from -> to\n  then\n ";
    let wordings = [
        "custodial(to, enemy, own) becomes empty",
        "every d in { d in directions with beyond(to, d, enemy) in own }: run(to, d, enemy) becomes empty",
        "{ run(to, d, enemy) for d in directions with any (own beyond(to, d, enemy)) } becomes empty",
    ]
    .map(|taken| format!("{step} {taken}"));
    let wordings: Vec<&str> = wordings.iter().map(String::as_str).collect();
    check(SQUARES, &wordings, |calls| calls.contains("bracketed(") && !calls.contains("can_apply("));
    BOARDS.iter().for_each(|board| check(board, &wordings, |_| true));
}

/// What is around each of several sites, by members and at once.
const AROUND: [&str; 5] = [
    "from : own\n  to : empty { next_to x for x in enemy }\n  from -> to",
    "from : own\n  to : empty next_to enemy\n  from -> to",
    "from : own\n  to : empty, some x in enemy with to in next_to x\n  from -> to",
    "from : own\n  to : empty, some x in enemy with (distance(x, to) <= 1)\n  from -> to",
    "from : own\n  to : empty but { x in empty with no y in enemy with (distance(x, y) < 2) }\n  from -> to",
];

#[test]
fn what_is_next_to_any_of_several_is_asked_of_the_whole_board_in_any_words() {
    check(SQUARES, &AROUND, |calls| !["collect(", "filter("].iter().any(|slow| calls.contains(slow)));
    BOARDS.iter().for_each(|board| check(board, &AROUND, |_| true));
}

/// Changes for each of several members that could meet, and those that cannot.
const SENT: [&str; 9] = [
    "every x in next_to pin: ahead(pin, turned(direction(pin, x), k)) becomes piece_on(x) when x in piece\n  every x in next_to pin: ahead(pin, turned(direction(pin, x), k)) becomes empty when x in empty",
    "every x in piece next_to pin: ahead(pin, turned(direction(pin, x), k)) becomes piece_on(x)\n  every x in empty next_to pin: ahead(pin, turned(direction(pin, x), k)) becomes empty",
    "every x in piece next_to pin: x -> ahead(pin, turned(direction(pin, x), k))",
    // Two of them may arrive on one site here.
    "every x in piece next_to pin: ahead(pin, if x in row(3) then N else E) becomes piece_on(x)",
    "every x in next_to pin: ahead(pin, turned(direction(pin, x), k)) becomes piece_on(x) when x in piece\n  every x in next_to pin: ahead(pin, direction(pin, x)) becomes empty when x in empty",
    "every x in piece next_to pin: ahead(pin, if x in own then N else S) becomes piece_on(x)",
    "every x in piece next_to pin: x -> ahead(pin, turned(direction(pin, x), k), 2)",
    "every x in own next_to pin: ahead(pin, turned(direction(pin, x), k)) becomes piece_on(x)\n  every x in next_to pin: ahead(pin, opposite(direction(pin, x))) becomes empty when x in enemy",
    "every x in piece next_to pin: ahead(pin, direction(pin, x), 2) becomes empty",
];

#[test]
fn what_is_sent_to_different_sites_is_not_tried() {
    let twist = |pins: &str, body: &str| {
        let lines = format!("  pin : {pins}\n  way : 1..2\n  k = if way = 1 then 2 else -2\n  {body}");
        game("square(5) adjacent all", &format!("move go \"{{pin}}{{way}}\" {{\n{lines}\n}}"), "go")
    };
    for (at, body) in SENT.iter().enumerate() {
        let game = twist("b2 or d2 or b4 or d4", body);
        let calls = calls(&game);
        assert!(at > 2 || !calls.contains("can_apply("), "{body}\n{calls}");
        assert!(compare(body, &game, |games| games < 3, 40, 7) > 0);
        // At an edge some are sent off the board.
        assert!(compare(body, &twist("a1 or b2 or c5", body), |games| games < 3, 40, 7) > 0);
    }
}

/// Numbers that are kept may have more values than are tried, and the set may hold nothing for the first of them.
#[test]
fn what_hangs_on_more_numbers_than_can_be_tried_is_asked_in_play() {
    let meets = "every x in piece and (if SUM then row(2) else centre and edge): \
                 ahead(pin, if x in column(1) then N else E) becomes piece_on(x)";
    for (kept, sum) in [
        ("k = red\n  red becomes red", "k > 5000"),
        (
            "r = red\n  g = green\n  b = blue\n  red becomes red\n  green becomes green\n  blue becomes blue",
            "r + g + b > 9000",
        ),
    ] {
        let text = format!(
            "game \"Kept\"\nplayers A, B\nboard square(5) adjacent all\npiece man, king of each player\n\
             track red : 0..9000 = 6000\ntrack green : 0..9000 = 6000\ntrack blue : 0..9000 = 6000\n\
             start {{ b2 becomes king of A; d2 becomes man of A; c4 becomes man of A; e5 becomes man of B }}\n\
             move go \"{{pin}}\" {{\n  pin : own\n  {kept}\n  then\n  {}\n}}\n\
             turn {{ go else pass }}\nend {{ draw when turn > 20 }}\n",
            meets.replace("SUM", sum)
        );
        let game = Game::from_text("kept.game", &text, None, &[], &Library).unwrap_or_else(|_| panic!("{text}"));
        assert_eq!(game.start().moves(), ["pass"], "two of the first player's pieces would meet");
        assert!(compare(sum, &game, |games| games < 3, 20, 7) > 0);
    }
}

/// What is told of a member of a set, which is told of a member of another, is not written out for all of them.
#[test]
fn members_of_members_are_not_written_out_too_often() {
    let (mut set, mut at) = ("SITE".to_owned(), "from".to_owned());
    for d in ["d", "e", "f", "g", "h"] {
        at = format!("ahead({at}, {d})");
        set = set.replace("SITE", &format!("{{ SITE for {d} in {{ {d} in directions with {at} in own }} }}"));
    }
    let text = format!(
        "move go \"{{from}}-{{to}}\" {{\n  from : own\n  to : empty {}\n  from -> to\n}}",
        set.replace("SITE", &format!("next_to {at}"))
    );
    let game = game(SQUARES, &text, "go");
    assert!(calls(&game).len() < 200_000);
    assert!(compare("members", &game, |games| games < 1, 6, 7) > 0);
}

#[test]
fn sums_over_directions_within_sums_are_not_written_out_too_often() {
    let mut sum = "ahead(ahead(to, d1), d2) in own".to_owned();
    for level in 1..=4 {
        let at = format!("ahead(to, d{level})");
        sum = format!(
            "sum {{ if ({sum} and {at} in empty) then 1 else if {at} in own then 2 else 0 for d{level} in directions }} > {level}"
        );
    }
    let sum = sum.replacen("ahead(ahead(to, d1), d2)", "ahead(ahead(to, d1), d1)", 1);
    let text =
        format!("move go \"{{from}}-{{to}}\" {{\n  from : own\n  to : empty next_to from, {sum}\n  from -> to\n}}");
    let game = game(SQUARES, &text, "go else pass");
    assert!(calls(&game).len() < 400_000, "{}", calls(&game).len());
    assert!(compare("sums", &game, |games| games < 1, 6, 7) > 0);
}

#[test]
fn two_pieces_put_on_sites_that_differ_are_not_tried() {
    let head = "from : own\n  to : empty next_to from\n  spot : empty";
    let tail = "from -> to\n  spot becomes man of next";
    for (asked, is_fast) in [(", spot is not to", true), (", spot != to", true), (" but to", true), ("", false)] {
        let text = format!("move go \"{{from}}-{{to}}*{{spot}}\" {{\n  {head}{asked}\n  {tail}\n}}");
        let game = game(SQUARES, &text, "go");
        let calls = calls(&game);
        assert!(!is_fast || !["can_apply(", "filter("].iter().any(|slow| calls.contains(slow)), "{asked}\n{calls}");
        assert!(compare(asked, &game, |games| games < 3, 12, 7) > 0);
    }
}

#[test]
fn a_word_of_a_number_in_a_row_of_numbers_is_looked_up() {
    let words = "word house(n: number) = if n <= 3 then row(1) column(n) else row(2) column(n - 3)\n";
    let asked = "no n in 1 .. column_number(ahead(to, E)) with any enemy house(n)";
    let text = format!(
        "{words}move go \"{{from}}-{{to}}\" {{\n  from : own\n  to : empty next_to from, {asked}\n  from -> to\n}}"
    );
    let game = game(SQUARES, &text, "go");
    let calls = calls(&game);
    assert!(!calls.contains("word column"), "{calls}");
    assert!(compare(asked, &game, |games| games < 3, 40, 7) > 0);
}

/// Steps over nothing but empty sites, their number printed and the direction told by where they end.
const MARCHES: [&str; 4] = [
    "from : own\n  n : 1..3\n  d : directions\n  to = ahead(from, d, n)\n  if any to\n  if n = 1 or ahead_all(from, d, n - 1) in empty\n  if to in empty\n  from -> to",
    "from : own\n  n : 1..3\n  d : directions\n  to = ahead(from, d, n)\n  if any (to and empty)\n  if no piece ahead_all(from, d, n)\n  from -> to",
    "from : own\n  n : 1..3\n  d : directions\n  to = ahead(from, d, n)\n  if to in empty and (n = 1 or every ahead_all(from, d, n - 1) is empty)\n  from -> to",
    "from : own\n  n : 1..3\n  to : empty ahead(from, directions, n), no piece between(from, to)\n  from -> to",
];

#[test]
fn a_direction_is_told_by_where_so_many_steps_lead_when_their_number_is_printed() {
    let mut first: Option<Vec<String>> = None;
    for wording in MARCHES {
        let text = format!("move go \"{{from}}{{n}}-{{to}}\" {{\n  {wording}\n}}");
        let game = game(SQUARES, &text, "go");
        let calls = calls(&game);
        assert!(calls.starts_with("0 alike") && !calls.contains("filter("), "{wording}\n{calls}");
        let moves = moves_of(&game);
        assert_eq!(first.get_or_insert_with(|| moves.clone()), &moves, "{wording}");
        assert!(compare(wording, &game, |games| games < 3, 40, 7) > 0);
    }
}
