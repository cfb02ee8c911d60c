//! Several sites picked as one part, changes with a name, and groups as things: what they mean, on both engines.

use super::common::compare::compare;
use crate::author::inspect::check_file;
use crate::author::script::Scripts;
use crate::check::Project;
use crate::diagnostic::{Format, render};
use crate::game::Game;
use crate::library::Library;
use crate::play::picker::{Choice, Picked, Picker};
use crate::symmetry::Symmetries;

fn game(text: &str) -> Game {
    Game::from_text("several.game", text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

/// Both engines play it alike, and its own tests hold.
fn holds(text: &str) {
    let compared = compare(text, &game(text), |games| games < 30, 40, 5);
    assert!(compared > 60, "{compared}: {text}");
    let reports = Scripts::default().run(&Project::load("several.game", text, &Library), None, &[]).unwrap();
    let failed: Vec<_> =
        reports.iter().filter(|report| !report.ok).map(|report| (&report.name, &report.message)).collect();
    assert!(!reports.is_empty() && failed.is_empty(), "{failed:?}");
}

/// A game on sixteen squares with these lines.
fn on_squares(lines: &str) -> String {
    format!(
        "game \"Several\"\nabout \"a test\"\nplayers A, B\nboard square(4)\npiece stone, crown of each player\n{lines}\n\
         end {{ draw when stuck; draw when turn > 30 }}\n"
    )
}

const PAIRS: &str = "move put \"{stones}\" { stones : 2 of empty, no stones next_to stones; stones becomes stone of mover }\n\
                     turn { put }";

#[test]
fn each_pair_is_found_once_and_read_in_any_order() {
    holds(
        &(on_squares(PAIRS)
            + "test \"pairs\" { perft 96 7000; legal \"a1 b3\"; legal b3-a1; illegal \"a1 a2\" because \"next_to\"; play d4 a1\n\
               expect count stone = 2 and count (stone and (a1 or d4)) = 2 }\n"),
    );
}

#[test]
fn a_pick_counts_as_many_sets_as_there_are() {
    let counts = [("1 of site", 16), ("2 of site", 120), ("3 of corner", 4), ("4 of corner", 1), ("5 of corner", 0)];
    for (pick, count) in counts {
        let text =
            on_squares(&format!("move put {{ s : {pick}; s becomes stone of mover }}\nturn {{ put else pass }}"));
        let start = game(&text).start();
        assert_eq!(start.moves().len(), count.max(1), "{pick}");
    }
    // A set that names the pick is one for all of them: the trominoes on sixteen squares.
    let trio = on_squares(
        "move put { s : 3 of site, connected(one_of(s), s); s becomes stone of mover }\nturn { put else pass }",
    );
    assert_eq!(game(&trio).start().moves().len(), 52);
    // What follows `of` is all that follows, and an option may say how many.
    let text = on_squares(
        "option many : 1..3 = 2 \"so many\"\nmove put \"{s}\" { s : many of empty next_to corner but row(1); s becomes stone of mover }\n\
         turn { put else pass }\ntest \"six sites, of which two lie in row 1\" { perft 15 }",
    );
    holds(&text);
}

#[test]
fn a_set_behind_the_comma_holds_all_of_them() {
    holds(&on_squares(
        "move put \"{s}\" { s : 3 of empty, s in (row(1) or row(2)), not edge; s becomes stone of mover }\nturn { put else pass }\n\
         test \"two sites are inside rows 1 and 2\" { only pass }",
    ));
    holds(&on_squares(
        "start { row(1) becomes stone of A; a1 becomes crown of A; row(4) becomes stone of B }\n\
         move swap \"{pair}\" { pair : 2 of own, any pair next_to pair; every x in pair: x -> pair but x }\n\
         move go \"{from}-{to}\" { from : own; to : empty next_to from; from -> to }\n\
         turn { swap or go }\n\
         test \"neighbours\" { legal a1 b1; illegal a1 c1; play b1 a1\n\
         expect a1 in stone of A and b1 in crown of A and mover is B }",
    ));
}

#[test]
fn members_of_a_pick_are_chosen_in_any_order() {
    let start = game(&on_squares(PAIRS)).start();
    let board = &start.game().rules().board;
    let site = |name: &str| Choice::Site(board.find(name).unwrap());
    for pair in [["a1", "d4"], ["d4", "a1"], ["b3", "c2"]] {
        let mut picker = Picker::new(&start);
        assert_eq!(picker.parts(), ["stones"]);
        assert_eq!(picker.pick(&site(pair[0])), Picked::More);
        assert!(!picker.sites().contains(board.find(pair[0]).unwrap()), "{pair:?}");
        let Picked::Move(found) = picker.pick(&site(pair[1])) else { panic!("{pair:?}") };
        let words: Vec<&str> = start.moves()[found].split(' ').map(|word| &*word.to_owned().leak()).collect();
        assert!(pair.iter().all(|name| words.contains(name)), "{words:?}");
    }
    // A move that picks one of the sites that another one picks two of.
    let both = on_squares(
        "move one \"{s}\" { s : empty; s becomes stone of mover }\n\
         move two \"{s}\" { s : 2 of empty; s becomes stone of mover }\nturn { one or two }",
    );
    let start = game(&both).start();
    let mut picker = Picker::new(&start);
    assert_eq!(picker.pick(&site("d4")), Picked::More);
    assert!(
        picker.names().contains(&"d4") && picker.sites().contains(board.find("a1").unwrap()),
        "{:?}",
        picker.names()
    );
}

#[test]
fn a_change_with_a_name_is_made_at_once_with_the_others() {
    holds(&on_squares(
        "track taken(player) : 0..99 = 0\nstart { row(1) becomes stone of A; row(4) becomes stone of B }\n\
         change take(S) \"prisoners\" { taken(mover) becomes taken(mover) + count S; S becomes empty }\n\
         change dub(x, S) { x becomes crown of mover when any (x and next_to (own but S)) }\n\
         move go \"{from}-{to}\" { from : own; to : site next_to from but own; from -> to when to in empty; do take(to) when to in enemy\n\
         from becomes empty when to in enemy; then; every x in (own and stone): do dub(x, row(2)) }\n\
         turn { go }\n\
         test \"two go, and crown one another\" { play a1-a2; play d4-d3; play b1-b2; expect a2 in stone and c1 in crown and taken(A) = 0 }",
    ));
}

#[test]
fn changes_with_names_set_up_the_start_and_are_made_again() {
    holds(&on_squares(
        "track n : 0..9 = 0\nchange row_of_stones(k: number, p) { row(k) becomes stone of p }\n\
         change raise { n becomes n + 1; do clear(corner) when n = 2 }\nchange clear(S) { S becomes empty }\n\
         start { do row_of_stones(1, A); do row_of_stones(4, B) }\n\
         move put \"{cell}\" { cell : empty; cell becomes stone of mover; then; repeat at most 3 while n < 3 { do raise } }\n\
         turn { put else pass }\n\
         test \"three rounds, the last of which clears\" { expect count stone = 8; play a2; expect n = 3 and count stone = 5 and no corner stone }",
    ));
}

#[test]
fn lines_made_in_turn_know_what_was_asked_before_the_first_of_them() {
    // Each of these changes what its guard, what it is given, or the set that it is made for is read from.
    holds(&on_squares(
        "track hand : 0..9 = 0\ntrack hole : site = a1\ntrack n(site) : 0..9 = 1\n\
         change rob { hand becomes n(a2) + n(a3); n(a2) becomes 0; n(a3) becomes 0 }\n\
         change go_to(x) { hole becomes x; n(x) becomes n(x) + 1 }\n\
         change leave(x) { x becomes empty; n(x) becomes 5 }\n\
         start { corner becomes stone of A; do rob when hand = 0; do rob when hand = 0 }\n\
         move put \"{cell}\" {\n  cell : empty\n  repeat at most 2 while any ahead(hole, E) { do go_to(ahead(hole, E)) }\n  cell becomes stone of mover\n  then\n\
         repeat at most 1 { every x in (corner and own): do leave(x) when x in own }\n  then\n\
         repeat at most 1 { hand becomes 0; do rob when hand = 0; do rob when hand = 0 }\n}\n\
         turn { put }\n\
         test \"before the first move\" { expect hand = 2 and n(a2) = 0 and n(a3) = 0 }\n\
         test \"twice to the east\" { play b2; expect hole = c1 and n(b1) = 2 and n(c1) = 2 }\n\
         test \"all that were there\" { play b2; expect no corner stone and n(a1) = 5 and n(d4) = 5 }\n\
         test \"once\" { position { n(a2) becomes 3 } to move A; play b2; expect hand = 4 and n(a2) = 0 }",
    ));
}

#[test]
fn pieces_change_sides_all_at_once() {
    // Whose piece it is decides what is put there, in a stage and where lines are made in turn.
    let flip = "every x in (piece next_to cell): x becomes crown of other(owner(x))";
    for flips in [flip.to_owned(), format!("repeat at most 1 {{ {flip} }}")] {
        holds(&on_squares(&format!(
            "start {{ row(1) becomes stone of A; row(4) becomes stone of B }}\n\
             move put \"{{cell}}\" {{ cell : empty; {flips}; then; cell becomes stone of mover }}\nturn {{ put else pass }}\n\
             test \"there and back\" {{ play b2; expect b1 is of B and b1 in crown and a1 in stone; play b3; expect b4 is of A and b2 is of B; play a2; expect b2 is of A and a1 is of B }}"
        )));
    }
}

#[test]
fn a_tracked_value_is_no_piece_that_a_move_puts_down() {
    holds(&on_squares(
        "track n(site) : 0..9 = 0\nmove put \"{cell}\" { cell : empty; n(cell) becomes 1; cell becomes stone of mover }\n\
         after each ply { n(it) becomes n(it) + 2 }\nturn { put or pass }\ntest \"three\" { play a1; expect n(a1) = 3 }",
    ));
}

#[test]
fn rows_are_seen_on_dark_squares_alone() {
    holds(
        "game \"Dark\"\nabout \"a test\"\nplayers A facing N, B facing S\nboard square(8) adjacent diagonal keeping dark\n\
         piece man, king of each player\nstart { every p in players: (row_of(p, 1) or row_of(p, 2)) becomes man of p }\n\
         move step \"{from}-{to}\" { from : own; to : empty ahead(from, diagonal_forward(mover)); from -> to; then\n\
         to becomes king of mover when to in row_of(mover, 8) }\nturn { step else pass }\n\
         end { draw when turn > 40 }\n\
         test \"rows\" { expect count man = 16 and count row_of(A, 8) = 4 and no (row_of(A, 3) but row(3)) and no (row_of(B, 3) but row(6)) and no row_of(A, 9) }\n\
         test \"crowned\" { position { b8 becomes man of B; c7 becomes man of A } to move A; play c7-d8; expect d8 in king }",
    );
}

#[test]
fn names_of_a_change_are_its_own() {
    // `x` and `S` mean one thing in the move and another in the change.
    holds(&on_squares(
        "change mark(S) { every x in site: x becomes crown of mover when x in S }\n\
         move go \"{x}\" { x : empty; S = empty next_to x; do mark(x or S) when some y in S with (y in S or y in x); x becomes crown of mover }\n\
         turn { go }\ntest \"round the corner\" { play a1; expect count crown = 3 and count (crown and (a1 or a2 or b1)) = 3 }",
    ));
}

#[test]
fn names_renamed_twice_are_still_told_apart() {
    holds(&on_squares(
        "change outer(S) { every x in S: do inner(x or S) }\n\
         change inner(T) { (T but corner) becomes crown of mover when some x in corner with x in T }\n\
         move go \"{x}\" { x : empty; x becomes stone of mover; then; do outer(x or next_to x) }\n\
         turn { go }\ntest \"a corner beside it\" { play b2; expect no crown; play c1; expect count crown = 3 }",
    ));
}

fn refused(lines: &str) -> Vec<String> {
    let (found, sources) = check_file("several.game", &on_squares(lines), &Library);
    found.iter().filter(|found| found.is_error()).map(|found| render(found, &sources, Format::Short)).collect()
}

#[test]
fn a_part_of_a_move_does_not_catch_a_name_of_shared_lines() {
    let put = |part: &str| {
        format!(
            "move put \"{{{part}}}\" {{ {part} : empty; {part} becomes stone of mover; then; do clear }}\nturn {{ put }}\n"
        )
    };
    let region = "region goal = a1 or a2\nchange clear { goal becomes empty }\n";
    assert_eq!(refused(&format!("{region}{}", put("cell"))), Vec::<String>::new());
    let caught = refused(&format!("{region}{}", put("goal")));
    assert!(
        caught.iter().any(|line| line.contains("LW111") && line.contains("`goal` is a part of this move")),
        "{caught:?}"
    );
    let after = "move put \"{cell}\" { cell : empty; cell becomes stone of mover }\nturn { put }\nafter each ply { cell becomes empty }\n";
    let caught = refused(after);
    assert!(caught.iter().any(|line| line.contains("LW201") && line.contains("`cell`")), "{caught:?}");
}

#[test]
fn every_move_ends_with_what_comes_after_each_ply() {
    holds(&on_squares(
        "change settle { every x in (stone of mover) : x becomes crown of mover when count(own next_to x) >= 2 }\n\
         move put \"{cell}\" { cell : empty; cell becomes stone of mover; so that count crown <= 2 }\n\
         after each ply { do settle }\nturn { put or pass }\n\
         test \"the middle one of three\" { play a1, d4, b1, d3, c1; expect crown of A = b1 and count (stone of A) = 2 }\n\
         test \"a pass settles as well\" { position { a1 or b1 or c1 becomes stone of A } to move A; play pass; expect crown = b1 }",
    ));
}

#[test]
fn it_is_known_after_each_ply() {
    let crown = "after each ply { it becomes crown of mover when it in own stone side(N) }\n";
    let start = "start { row(1) becomes stone of A }\n";
    let walk = "move walk \"{from}-{to}\" { from : own; to : empty next_to from; mark becomes from; from -> to }\n";
    holds(&on_squares(&format!(
        "track mark : site\n{start}{walk}turn {{ walk else pass }}\n{crown}\
         test \"crowned\" {{ position {{ (a3 or b3) becomes stone of A; d1 becomes stone of B }} to move A; play a3-a4; expect crown of A = a4 }}\n\
         test \"not before\" {{ position {{ a2 becomes stone of A; (d1 or d4) becomes stone of B }} to move A; play a2-a3; expect no crown; play d1-d2; expect no crown }}"
    )));
    // What is placed, once where nothing goes; in a turn of several plies each is that of its own ply.
    holds(&on_squares(&format!(
        "{PUT}move hop \"{{from}}^{{to}}\" {{ from : own; to = ahead(from, N, 2); if to in empty; to becomes stone of mover; then; from -> ahead(from, E) when any empty ahead(from, E) }}\n\
         turn {{ put, (hop or skip else nothing) }}\n{crown}\
         test \"placed\" {{ play a4; expect crown of A = a4; play skip; expect crown of A = a4 }}\n\
         test \"of its own ply\" {{ play b2; expect no crown; play b2^b4; expect crown of A = b4 }}"
    )));
    // A ply that moves nothing leaves it as it was.
    holds(&on_squares(&format!(
        "track seen : sites\n{PUT}turn {{ put, (put or skip else nothing) }}\nafter each ply {{ seen becomes it }}\n\
         test \"as it was\" {{ play a1; expect seen = a1; play skip; expect seen = a1; play c1, d1; expect seen = d1 }}"
    )));
}

#[test]
fn it_after_each_ply_wants_a_name_in_every_move() {
    let after = "turn { go or put }\nafter each ply { it becomes crown of mover when it in edge }\n";
    let refuses = |go: &str| {
        let text = format!("{PUT}move go \"go\" {{ {go} }}\n{after}");
        refused(&text).iter().any(|line| line.contains("LW111") && line.contains("no name of `go`"))
    };
    let named = "from = the own; to = ahead(from, N)";
    assert!(!refuses(&format!("{named}; from -> to")));
    assert!(!refuses(&format!("{named}; from becomes empty; to becomes stone of mover")));
    assert!(!refuses("a1 becomes empty"));
    for unnamed in
        ["from -> ahead(from, N)", "from -> to when turn > 2", "every x in own: x -> to", "a1 becomes stone of mover"]
    {
        assert!(refuses(&format!("{named}; {unnamed}")), "{unnamed}");
    }
    assert!(refuses("repeat at most 2 { a1 -> a2 }"));
    let word = format!("word here = it\n{PUT}turn {{ put }}\nafter each ply {{ here becomes crown of mover }}\n");
    assert!(refused(&word).iter().any(|line| line.contains("LW111") && line.contains("`here` asks for `it`")));
}

const PUT: &str = "move put \"{cell}\" { cell : empty; cell becomes stone of mover }\n";
const CROWN: &str = "every x in own stone: x becomes crown of mover when count(own next_to x) >= 2\n";

#[test]
fn every_turn_ends_with_what_comes_after_each_turn() {
    holds(&on_squares(&format!(
        "{PUT}turn {{ put, (put else nothing), (put or pass) }}\nafter each turn {{ {CROWN} }}\n\
         test \"not before the turn is over\" {{ play a1, b1; expect no crown; play c1; expect crown = b1 and mover is B }}\n\
         test \"only of whose turn it was\" {{ position {{ a1 or b1 or c1 becomes stone of B }} to move A; play d4, a4, pass; expect no crown }}"
    )));
}

#[test]
fn a_turn_that_ends_by_itself_ends_with_them_too() {
    holds(&on_squares(&format!(
        "{PUT}move more \"{{cell}}\" {{ cell : empty next_to own; cell becomes stone of mover }}\n\
         turn {{ put, again more until cell in edge; must more }}\n\
         after each turn {{ own stone becomes crown of mover }}\n\
         test \"when nothing is left\" {{ position {{ site but (a1 or d4) becomes crown of B }} to move A; play d4; expect mover is B and d4 in crown of A }}\n\
         test \"after the last one\" {{ play b2, b3; expect no crown; play a3; expect count crown = 3 and mover is B }}"
    )));
}

#[test]
fn whose_turn_is_next_and_the_lines_of_end_look_at_what_they_left() {
    let text = on_squares(&format!(
        "track done : 0..3 = 0\n{PUT}turn {{ put; extra turn when done = 1 }}\n\
         after each turn {{ done becomes done + 1; a4 becomes crown of mover when done = 2 }}\n\
         test \"one more turn\" {{ play b1; expect mover is A and done = 1; play b2; expect mover is B }}\n\
         test \"the end\" {{ play b1, b2, c1; result \"crowned\" }}"
    ));
    holds(&text.replace("end {", "end { mover wins when any crown \"crowned\"; draw at once when count crown > 1;"));
    // What would leave its range is not done, and nothing of it is.
    holds(&on_squares(&format!(
        "track done : 0..1 = 0\n{PUT}turn {{ put }}\nafter each turn {{ done becomes done + 1; it becomes crown of mover }}\n\
         test \"once\" {{ play b1, c1; expect done = 1 and crown = b1 }}"
    )));
}

#[test]
fn positions_that_come_up_again_are_those_after_it() {
    holds(&on_squares(
        "move put \"{cell}\" { cell : empty; cell becomes stone of mover }\nturn { put }\nafter each turn { stone becomes empty }\n\
         test \"nothing stays\" { play a1, a1, a1, a1; expect board seen 4 and no piece }",
    ));
}

#[test]
fn what_comes_after_each_turn_knows_no_parts_and_stands_once() {
    let caught = refused(&format!("{PUT}turn {{ put }}\nafter each turn {{ cell becomes empty }}\n"));
    assert!(caught.iter().any(|line| line.contains("LW201") && line.contains("`cell`")), "{caught:?}");
    let twice = "after each turn { corner becomes empty }\n";
    let caught = refused(&format!("{PUT}turn {{ put }}\n{twice}{twice}"));
    assert!(caught.iter().any(|line| line.contains("LW109")), "{caught:?}");
    let both = "after each ply { corner becomes empty }\nafter each turn { centre becomes empty }\n";
    assert_eq!(refused(&format!("{PUT}turn {{ put }}\n{both}")), Vec::<String>::new());
}

#[test]
fn a_turn_that_takes_pieces_off_bounds_no_game() {
    let text = format!("{PUT}turn {{ put }}\nafter each turn {{ LINE }}\n");
    let unbounded = |line: &str| {
        let text = on_squares(&text.replace("LINE", line)).replace("; draw when turn > 30", "");
        let (found, _) = check_file("several.game", &text, &Library);
        found.iter().any(|found| found.code == crate::diagnostic::Code::Unbounded)
    };
    assert!(unbounded("corner becomes empty"));
    assert!(!unbounded("own becomes crown of mover"));
}

#[test]
fn a_piece_on_a_free_site_bounds_a_game_also_where_others_change_with_it() {
    let unbounded = |line: &str| {
        let put =
            format!("move put \"{{cell}}\" {{ cell : empty; turning = enemy next_to cell; {line} }}\nturn {{ put }}\n");
        let text = on_squares(&put).replace("; draw when turn > 30", "");
        let (found, _) = check_file("several.game", &text, &Library);
        found.iter().any(|found| found.code == crate::diagnostic::Code::Unbounded)
    };
    assert!(!unbounded("(cell or turning) becomes stone of mover"));
    assert!(unbounded("(turning or corner) becomes stone of mover"));
}

/// On a ring the numbers of sites are their names: in ranges, as keys, and beside what leads to other sites.
#[test]
fn numbers_are_sites_where_sites_are_meant() {
    let compared = |text: &str| compare(text, &game(text), |games| games < 8, 30, 3);
    let ring = "game \"Ring\"\nplayers A, B\nboard ring(14)\npiece stone of each player\ntrack seeds(site) : 0..48\n\
                region pits(p) = if p is A then 1 .. 6 else 8 .. 13\nregion home = 1 .. 6\n\
                region across(x: site) = case x { 1: 13, 2: 12, 3: 11, 4: 10, 5: 9, 6: 8, 8: 6, 9: 5, 10: 4, 11: 3, 12: 2, 13: 1 }\n\
                word right(x: site) = if x = 8 then 1 else ahead(x, E)\n\
                start { every x in home: seeds(x) becomes 4; every x in pits(B): seeds(x) becomes 4 }\n\
                move take \"{from}\" { from : pits(mover), seeds(from) > 0; seeds(from) becomes 0; seeds(across(from)) becomes 2; \
                seeds(right(from)) becomes 1 when right(from) in pits(mover) and right(from) not in across(from) }\n\
                turn { take else pass }\nend { draw when turn > 20 }\n";
    assert!(compared(ring) > 30);
    let start = game(ring).start();
    assert_eq!(start.moves(), ["1", "2", "3", "4", "5", "6"]);
}

/// What moves may be a definition, if nothing has changed before it; a tracked name may be copied into another one.
#[test]
fn a_piece_that_a_definition_names_may_go_on_and_names_are_copied() {
    holds(&on_squares(
        "piece ball \"o\" neutral\ntrack mood : calm, wild = calm\ntrack before_that : wild, calm, odd = odd\nstart { a1 becomes ball }\n\
         move kick \"{to}\" { b = the ball; to : empty next_to b; b -> to; before_that becomes mood; mood becomes (if mood is calm then wild else mood) }\n\
         move put \"+{cell}\" { cell : empty; cell becomes stone of mover }\n\
         turn { (kick, (kick by it else nothing)) else put }\n\
         test \"goes on\" { play a2, a3; expect before_that is wild and mood is wild and ball in a3 }",
    ));
}

#[test]
fn a_turn_may_be_described_for_several_numbers() {
    holds(&on_squares(
        "move put \"{cell}\" { cell : empty; cell becomes stone of mover }\n\
         turn 1 { put }\nwhole turn 2..3 { put, put }\nturn 3..5 { put or pass }\nturn { put else pass }\n\
         test \"one, two, two, and then one or none\" { play a1, b1, c1, d1, a2; expect turn = 4 and mover is B; legal pass; play b2, c2, d2\n\
         illegal pass; expect turn = 7 }",
    ));
}

#[test]
fn two_sites_never_have_one_name() {
    let errors = |board: &str| {
        let text = on_squares("move put \"{cell}\" { cell : empty; cell becomes stone of mover }\nturn { put }");
        let (found, sources) = check_file("several.game", &text.replace("square(4)", board), &Library);
        found
            .iter()
            .filter(|found| found.is_error())
            .map(|found| render(found, &sources, Format::Short))
            .collect::<Vec<_>>()
    };
    assert_eq!(errors("square(9) coordinates columns numbers from left, rows numbers from top"), Vec::<String>::new());
    let twice = errors("square(12) coordinates columns numbers from left, rows numbers from top");
    assert!(twice.iter().any(|line| line.contains("LW401") && line.contains("111")), "{twice:?}");
    let same = errors("square(4) coordinates columns letters from left, columns numbers from left");
    assert!(same.iter().any(|line| line.contains("by its row and its column")), "{same:?}");
}

#[test]
fn rows_and_columns_are_called_as_the_rules_say() {
    let text = |board: &str, tests: &str| {
        format!(
            "game \"Names\"\nabout \"a test\"\nplayers A, B\nboard {board}\npiece stone of each player\n\
             move put \"{{cell}}\" {{ cell : empty; cell becomes stone of mover }}\nturn {{ put else pass }}\n\
             end {{ draw when no empty; draw when turn > 30 }}\ntest \"names\" {{ {tests} }}\n"
        )
    };
    holds(&text(
        "square(9) coordinates columns numbers from right, rows letters from top",
        "play 7g, 3c; expect g7 in stone of A and row_number(g7) = 3 and column_number(g7) = 3 and i9 in corner side(W)",
    ));
    holds(&text(
        "hexagon(5) coordinates rows letters from bottom, columns numbers from left",
        "expect count corner = 6 and every (a1 or a5 or e1 or e9 or i5 or i9) in corner; legal i5; illegal i4",
    ));
    let game = game(&text("square(3) coordinates rows letters from top, columns letters from left", "legal ca"));
    assert_eq!(game.start().moves(), ["aa", "ab", "ac", "ba", "bb", "bc", "ca", "cb", "cc"]);
    assert_eq!(
        game.start().draw().lines().map(str::trim).collect::<Vec<_>>(),
        ["a . . .", "b . . .", "c . . .", "a b c"]
    );
}

#[test]
fn what_hangs_on_the_order_of_the_board_is_no_symmetry() {
    let put = |cell: &str| {
        format!("move put \"{{cell}}\" {{ cell : {cell}; cell becomes stone of mover }}\nturn {{ put else pass }}")
    };
    let symmetries = |lines: &str| Symmetries::of(&game(&on_squares(lines))).count();
    let plain = symmetries(&put("empty"));
    assert!(plain > 1);
    assert_eq!(symmetries(&put("empty, count groups(own or cell) <= 2")), plain);
    for cell in ["empty groups(empty)", "one_of(empty)", "empty listed_after(a4)"] {
        assert!(symmetries(&put(cell)) < plain, "{cell}");
    }
}

#[test]
fn groups_are_counted_and_gone_through() {
    holds(&on_squares(
        "move put \"{cell}\" { cell : empty, count groups(own or cell) <= 2; cell becomes stone of mover }\nturn { put else pass }\n\
         test \"groups\" { position drawn { S . s s\n . . . s\n S S . .\n . S . s } to move A\n\
         expect count groups(stone of A) = 2 and count groups(stone of B) = 2 and count groups(empty) = 2 and count groups(crown) = 0\n\
         expect count (groups(stone of A) and (a4 or a2)) = 2 and one_of(stone of B) = c4 and no one_of(crown)\n\
         expect most { count connected(g, own) for g in groups(own) } = 3\n\
         expect count (site listed_after(a1)) = 3 and no listed_after(d1) }",
    ));
}
