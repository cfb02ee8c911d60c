//! Paths: rows of sites that lead on like a direction, on all boards, in all words, on both engines.

use super::common::compare::compare;
use crate::author::sheet::Sheet;
use crate::board::{Direction, Directions};
use crate::check::Project;
use crate::game::Game;
use crate::library::Library;

fn game(board: &str, rest: &str) -> Game {
    let text = format!(
        "game \"Ways\"\nplayers A, B\nboard {board}\n{rest}\npiece man of each player\n\
         turn {{ go else pass }}\nend {{ draw when turn > 30 }}\n"
    );
    Game::from_text("ways.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// The sites of a path from one on, as the board steps along it.
fn row(game: &Game, path: &str, first: &str) -> String {
    let board = &game.rules().board;
    let way = board.find_way(path).unwrap();
    let mut at = board.find(first);
    let mut names = Vec::new();
    while let Some(site) = at.filter(|_| names.len() < 99) {
        if names.first().is_some_and(|known| known == board.name(site)) {
            names.push("round".to_owned());
            break;
        }
        names.push(board.name(site).to_owned());
        at = board.step(site, way);
    }
    names.join(" ")
}

const GO: &str = "start { site becomes empty }\nmove go \"{cell}\" { cell : empty; cell becomes man of mover }";

#[test]
fn a_path_is_said_by_sites_lines_rows_and_numbers() {
    let all = format!(
        "path one = a1, c3, b2\npath two = a1 .. d1, d2 .. d4, round\npath three = row(1) from E, row(2) from W\n\
         path four = (side(N) or c3) from W and a1 .. a2\n{GO}"
    );
    let squares = game("square(4) keeping not c4", &all);
    assert_eq!(row(&squares, "one", "a1"), "a1 c3 b2");
    assert_eq!(row(&squares, "two", "b1"), "b1 c1 d1 d2 d3 d4 a1 round");
    assert_eq!(row(&squares, "three", "d1"), "d1 c1 b1 a1 a2 b2 c2 d2");
    assert_eq!(row(&squares, "four", "a4"), "a4 b4 c3 d4");
    assert_eq!(row(&squares, "four", "a1"), "a1 a2");
    let ring = game("ring(9)", &format!("option far : 2..9 = 4\npath one = 3 .. far, 9 .. 7, 1\n{GO}"));
    assert_eq!(row(&ring, "one", "3"), "3 4 9 8 7 1");
    let points =
        game("lines { s1 s2 s3 s4 s9\ns4 s1 }", &format!("path one = s4 .. s1, round\npath two = s4, s9, s1\n{GO}"));
    assert_eq!(row(&points, "one", "s2"), "s2 s1 s4 s3 round");
    assert_eq!(row(&points, "two", "s4"), "s4 s9 s1");
    let numbered = game("square(3) coordinates numbered", &format!("path snake = 7 .. 9, 6 .. 4, 1 .. 3\n{GO}"));
    assert_eq!(row(&numbered, "snake", "7"), "7 8 9 6 5 4 1 2 3");
    let hexes = game("hexagon(3)", &format!("path rim = row(1) from W, side(SE) from N\n{GO}"));
    assert_eq!(row(&hexes, "rim", "c1"), "c1 e1 g1 i3 h4 g5");
}

#[test]
fn the_sheet_tells_where_paths_lead() {
    let text = format!(
        "game \"Ways\"\nplayers A, B\nboard square(3)\npath short_cut \"across\" = a1, b2, c3\n\
         path rim = a1 .. c1, c2, round and a2 .. a3\npiece man of each player\n{GO}\n\
         turn {{ go else pass }}\nend {{ draw when turn > 30 }}\n"
    );
    let game =
        Game::from_text("ways.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error}"));
    let sheet = Sheet::new(&game, &Project::load("ways.game", &text, &Library)).text();
    let rows: Vec<&str> =
        sheet.lines().skip_while(|line| *line != "Paths:").take_while(|line| !line.is_empty()).collect();
    assert_eq!(rows, ["Paths:", "  short cut  across: a1 b2 c3", "  rim        a1 b1 c1 c2 and round again; a2 a3"]);
}

#[test]
fn a_path_is_no_direction_of_the_board() {
    let with = game("square(4) adjacent all", &format!("path one = a1, c3, a4, a1\n{GO}"));
    let without = game("square(4) adjacent all", GO);
    let (with, without) = (&with.rules().board, &without.rules().board);
    let ways =
        |board: &crate::board::Board| [board.compass(), board.directions(), board.orthogonal(), board.diagonal()];
    assert_eq!(ways(with), ways(without));
    let one = with.find_way("one").unwrap();
    assert_eq!(with.ways() - with.compass(), Directions::single(one) | Directions::single(one.opposite()));
    for a in with.all() {
        assert_eq!(with.neighbours(a), without.neighbours(a));
        for b in with.all() {
            assert_eq!(with.direction(a, b), without.direction(a, b));
            assert_eq!(with.distance(a, b), without.distance(a, b));
        }
        let next = with.step(a, one);
        assert!(next.is_none_or(|next| with.step(next, one.opposite()) == Some(a)));
    }
    assert_eq!(with.way_name(one.opposite()), "one_back");
    assert_eq!(with.find_way("ONE_BACK"), Some(one.opposite()));
    assert_eq!(with.find_way("ne"), Some(Direction::NE));
}

#[test]
fn what_is_round_is_closed_only_where_it_comes_back() {
    // The last site is named once more, which says the same as `round`.
    let game = game("square(3)", &format!("path one = a1, b1, b2, a1\npath two = a1, b1, b2, round\n{GO}"));
    assert_eq!(row(&game, "one", "a1"), row(&game, "two", "a1"));
}

/// Each word for directions along paths that end, that are round and that meet, on boards of all kinds.
#[test]
fn both_engines_go_along_paths_in_all_words() {
    const BOARDS: [(&str, &str); 5] = [
        (
            "square(4)",
            "path way = row(1) from W, row(2) from E\npath round_about = row(3) from W, row(1) from E, round",
        ),
        ("square(5) adjacent all", "path way = a1 .. e5, e4\npath round_about = row(2) from W, row(4) from E, round"),
        ("hexagon(3)", "path way = row(1) from W, row(5) from W\npath round_about = row(3) from E, round"),
        ("ring(9)", "path way = 1 .. 4, 9\npath round_about = 3 .. 1, 7 .. 9, round and 4 .. 6, round"),
        (
            "lines { a1 b1 c1 d1\na2 b2 c2 d2\na1 a2\nd1 d2 }",
            "path way = a1, b2, c1, d2\npath round_about = a1 .. a2, c1, round",
        ),
    ];
    const TARGETS: [&str; 12] = [
        "ahead(from, way) or ahead(from, round_about, 2)",
        "ahead(from, round_about, die)",
        "ahead(from, way, -1)",
        "ahead_all(from, way or round_about, 3)",
        "ahead_all(from, round_about, die)",
        "run(from, round_about, empty)",
        "run(from, opposite(way), site but own)",
        "beyond(from, round_about, own)",
        "{ x in site with steps_to(from, x, round_about) = die }",
        "{ x in site with some d in (way or opposite(way)) with x in ahead(from, d, die) }",
        "ahead(from, if mover is A then way else round_about, die)",
        "{ x in site with steps_to(from, x, way) > 1 or line(2, own, way or round_about) }",
    ];
    for (board, paths) in BOARDS {
        for target in TARGETS {
            let rest = format!(
                "{paths}\ntrack die : 0..9 = 2\ntrack course : direction = way\n\
                 start {{ {{ x in site with count {{ y in site with any (x listed_after(y)) }} mod 4 = 0 }} becomes man of A;\n\
                 {{ x in site with count {{ y in site with any (x listed_after(y)) }} mod 4 = 2 }} becomes man of B }}\n\
                 move go \"{{from}}-{{to}} {{d}}\" {{ from : own; to : ({target}) but own; d : directions or way or course\n\
                 die becomes (die + count ahead(to, d)) mod 4 + 1\ncourse becomes d\nfrom -> to }}"
            );
            assert!(compare(target, &game(board, &rest), |games| games < 2, 30, 5) > 0, "{board} {target}");
        }
    }
}

#[test]
fn a_path_is_printed_and_read_by_its_name() {
    let rest = "path Way = a1 .. c1\ntrack course : direction\nstart { b1 becomes man of A }\n\
                move go \"{from}{d}\" { from : own; d : Way or opposite(Way) or N; to : ahead(from, d) empty; course becomes d\nfrom -> to }";
    let game = game("square(3)", rest);
    let mut moves = game.start().moves();
    moves.sort();
    assert_eq!(moves, ["b1Way", "b1Way_back", "b1n"]);
    let position = game.start().play("B1way_back").unwrap();
    let json = position.to_json();
    assert_eq!(json["sites"]["a1"], "man:A");
    assert_eq!(json["state"]["course"], "Way_back");
    assert_eq!(game.set_up(&json).unwrap().to_json()["state"], json["state"]);
}

#[test]
fn paths_are_drawn_with_arrows_and_other_boards_as_ever() {
    use crate::render::{Style, svg};
    let with = game("square(3)", &format!("path one = a1 .. c1, c2\n{GO}"));
    let without = game("square(3)", GO);
    let picture = |game: &Game| svg(&game.start(), &Style::default());
    assert_eq!(picture(&with).matches("class=\"way\"").count(), 1);
    assert_eq!(picture(&without).matches("way").count(), 0);
}

#[test]
fn a_game_with_a_path_is_another_game_and_turns_with_it() {
    let hash = |rest: &str| game("ring(6)", rest).rules_hash();
    let one = format!("path one = 1 .. 6, round\n{GO}");
    assert_ne!(hash(GO), hash(&one));
    assert_ne!(hash(&one), hash(&format!("path one = 6 .. 1, round\n{GO}")));
    // A round path over the whole ring leaves the ring's turns as they are, and none of its mirrors.
    let group = |rest: &str| crate::symmetry::Symmetries::of(&game("ring(6)", rest)).mappings.len();
    assert_eq!((group(GO), group(&one), group(&format!("path one = 1 .. 3\n{GO}"))), (12, 6, 1));
}
