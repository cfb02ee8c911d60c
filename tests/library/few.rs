//! What is said of a few sites, of those that can be there at most, and of sites on one line, in many words: the same plies, found
//! as quickly.

use super::common::compare::compare;
use crate::engine::Engine;
use crate::game::Game;
use crate::library::Library;
use crate::program::{compile, dump};

fn game(board: &str, lines: &str) -> Game {
    let text = format!(
        "game \"Few\"\nabout \"a test\"\nplayers A, B\nboard {board}\npiece stone of each player\n\
         start {{ a1 or b2 or c4 becomes stone of A; d4 or c1 or b5 becomes stone of B }}\n{lines}\n\
         draw when stuck; draw when turn > 30 }}\n"
    );
    Game::from_text("few.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

/// The listing of a game that both engines play alike, move for move.
fn listing(label: &str, game: &Game) -> String {
    assert!(compare(label, game, |games| games < 4, 30, 11) > 0, "{label}");
    let [fast, slow] = [Engine::Fast, Engine::Reference].map(|engine| game.player(engine).perft(2));
    assert_eq!(fast, slow, "{label}");
    let program = compile(game.rules()).unwrap_or_else(|error| panic!("{error}"));
    dump(game.rules(), &program, &|_| String::new())
}

fn picked(board: &str, pick: &str) -> String {
    let lines = format!(
        "move put \"{{all}}\" {{\n  all : {pick}\n  all becomes stone of mover\n}}\nturn {{ put else pass }}\nend {{"
    );
    listing(pick, &game(board, &lines))
}

/// Several that are picked together, where the board alone says which go together: each is so many steps from the first.
#[test]
fn sites_that_go_together_on_any_board_are_steps_from_the_first() {
    for pick in [
        "2 of empty, least { distance(x, y) for x in all for y in all but x } = 1",
        "2 of empty, some x in all with (some d in orthogonal with (ahead(x, d) in all))",
        "2 of empty, some x in all with (ahead(x, N) in all or ahead(x, E) in all)",
        "2 of empty, some x in all with (some y in all with (distance(x, y) = 2))",
        "3 of empty, some x in all with (sum { distance(x, y) for y in all } = 2)",
        "3 of empty, every all in connected(one_of(all), all)",
        "3 of empty, no { x in all with no all next_to x }",
        "3 of empty, some x in all with (some d in orthogonal with (count run(x, d, all) = 2))",
        "3 of empty, some x in all with (count(all next_to x) = 2)",
    ] {
        let listing = picked("square(5)", pick);
        assert!(listing.contains("s1 = s0.") && !listing.contains("filter("), "{pick}: {listing}");
    }
}

/// Where play tells which go together, each of them is asked by itself, of the whole board.
#[test]
fn what_play_says_of_a_few_sites_is_asked_of_each() {
    for pick in [
        "2 of empty, some y in enemy with (every all in next_to y) or no enemy",
        "2 of empty, some y in enemy with (count(all next_to y) = 2) or no enemy",
        "2 of empty, some x in all with (any (enemy next_to x next_to (all but x))) or no enemy",
        "2 of empty, count(all next_to enemy) = 2 or no enemy",
        "2 of empty, all is next_to own",
        "3 of empty, count(all next_to own) = 3",
    ] {
        let listing = picked("square(5)", pick);
        assert!(!listing.contains("filter(") && !listing.contains("slow:"), "{pick}: {listing}");
    }
}

/// A further part that lies where the board says is so many steps away, however that is said.
#[test]
fn where_a_part_lies_is_told_by_all_that_play_does_not_change() {
    for parts in [
        "from : own\n  to : empty next_to from\n  load : stone, distance(load, to) = 2, between(load, to) is from",
        "from : own\n  load : own next_to from\n  to : empty ahead_all(load, direction(from, load), 2)",
    ] {
        let lines = format!(
            "move go \"{{from}}{{load}}-{{to}}\" {{\n  {parts}\n  load becomes empty\n  to becomes stone of mover\n}}\n\
             turn {{ go else pass }}\nend {{"
        );
        let listing = listing(parts, &game("square(5)", &lines));
        assert!(!listing.contains("filter(") && !listing.contains("for s"), "{parts}: {listing}");
    }
}

/// A set has all members that it can have, or the most of some numbers is as great as it can be: each is asked whether all are
/// there.
#[test]
fn as_many_as_there_can_be_are_all() {
    let ends = [
        "most { count(l own) for l in lines(3, directions) } = 3",
        "most { count(l own) for l in lines(3, directions) } > 2",
        "least { count(l but own) for l in lines(3, directions) } = 0",
        "most { count(s and own) for s in squares } = 4",
        "most { count(s and own) for s in squares } < 4 and turn > 20",
    ];
    for end in ends {
        let lines = format!(
            "word squares = [x or ahead(x, N, n) or ahead(x, E, n) or ahead(x, NE, n) for x in site for n in 1 .. 4 with any ahead(x, NE, n)]\n\
             move put \"{{cell}}\" {{ cell : empty; cell becomes stone of mover }}\nturn {{ put }}\nend {{ mover wins when {end}; "
        );
        let listing = listing(end, &game("square(5) adjacent all", &lines));
        for slow in ["most(", "least(", "exists"] {
            assert!(!listing.contains(slow), "{end}: {listing}");
        }
    }
}

/// Sites further on in one direction tell that direction, so that plies are not compared; and how far away they are tells the site.
#[test]
fn what_lies_further_on_tells_the_direction() {
    for parts in [
        "from : own\n  d : directions\n  over = first(from, d)\n  n = distance(from, over)\n  to : ahead(over, d, n) but own",
        "from : own\n  d : directions\n  n = count(open(from, d)) + 1\n  over : piece ahead(from, d, n)\n  to : ahead(from, d, 2 * n) but own",
        "from : own\n  over : in_sight(from)\n  to : ray(over, direction(from, over)) but own, distance(over, to) = distance(from, over)",
        "from : own\n  over : in_sight(from)\n  to : empty or enemy, over in between(from, to), distance(from, over) = distance(over, to)",
        "from : own\n  to : empty or enemy\n  over : piece between(from, to), count(piece between(from, to)) = 1",
    ] {
        let lines = format!(
            "move leap \"{{from}}-{{to}}\" {{\n  {parts}\n  from -> to\n  over becomes empty when over in enemy\n}}\n\
             turn {{ leap else pass }}\nend {{"
        );
        let listing = listing(parts, &game("square(5) adjacent all", &lines));
        assert!(!listing.contains("may be alike"), "{parts}: {listing}");
        // One site at that distance is looked at, not all on the line.
        assert!(!listing.contains("where distance("), "{parts}: {listing}");
    }
    // Two pieces between are two ways to print one ply.
    let lines = "move leap \"{from}-{to}\" {\n  from : own\n  to : empty\n  over : piece between(from, to)\n  from -> to\n  \
                 over becomes empty\n}\nturn { leap else pass }\nend {";
    assert!(listing("two ways", &game("square(5) adjacent all", lines)).contains("may be alike"));
}
