//! Rules said in other words than ours: what is asked twice is worked out once, and what play leaves few ways for is looked up.

use super::common::compare::compare;
use super::common::files::root;
use crate::engine::Engine;
use crate::game::Game;
use crate::library::Library;
use crate::program::{DutyKind, EndingResult, Program, compile, dump};
use crate::study::perft::perft;

/// A game of stones of two kinds on hexagons, with some words, moves and a turn.
fn game(words: &str, turn: &str, end: &str) -> Game {
    game_of(&game_text(words, turn, end))
}

fn game_of(text: &str) -> Game {
    Game::from_text("wordings.game", text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

fn game_text(words: &str, turn: &str, end: &str) -> String {
    format!(
        "game \"Wordings\"\nabout \"a test\"\nplayers A, B\nboard hexagon(3)\npiece stone, king of each player\n\
         track n : 0..40 = 0\ntrack mood : calm, wild = calm\nallow same-notation\n\
         start {{ side(NW) becomes stone of A; side(SE) becomes stone of B; c1 becomes king of A }}\n{words}\n\
         turn {{ {turn} }}\nend {{ {end}draw when turn > 30; draw when stuck }}\n"
    )
}

fn program(game: &Game) -> Program {
    compile(game.rules()).unwrap_or_else(|error| panic!("{error}"))
}

/// What the first player's calls have become.
fn calls(game: &Game) -> String {
    let listing = dump(game.rules(), &program(game), &|_| String::new());
    let first = listing.split(" to move").nth(1).unwrap();
    first.split("\n  end ").next().unwrap().to_owned()
}

/// How the plies of the first call are found.
fn plies(game: &Game) -> String {
    let calls = calls(game);
    let call = calls.split("call 0: ").nth(1).unwrap();
    call.lines().skip(1).take_while(|line| !line.trim_start().starts_with("do ")).collect::<Vec<_>>().join("\n")
}

fn both_agree(label: &str, game: &Game) {
    assert!(compare(label, game, |games| games < 4, 40, 11) > 0, "{label}");
}

fn is_all_machine_code(game: &Game) -> bool {
    cfg!(not(feature = "native")) || game.dump_program().unwrap().trim_end().ends_with("machine code: everything")
}

/// Lines that say what they mean by definitions, each used again and again.
const PUSH: &str = "move push \"{tail}{d}\" {\n  tail : own\n  d : directions\n  n = 1 + count(run(tail, d, own))\n  \
                    head = ahead(tail, d, n - 1)\n  foes = run(head, d, enemy)\n  behind = ahead(head, d, count(foes) + 1)\n  \
                    if n <= 3\n  if count(foes) < n\n  if any ahead(head, d)\n  if no (own behind)\n  tail becomes empty\n  \
                    ahead(head, d) becomes stone of mover\n  behind becomes stone of next when any foes\n}";

#[test]
fn what_is_said_in_several_ways_is_one_program() {
    let conditions: [&[&str]; 11] = [
        &[
            "some d in directions with any own ahead(cell, d)",
            "any { d in directions with any own ahead(cell, d) }",
            "count { d in directions with any own ahead(cell, d) } > 0",
            "1 <= count { d in directions with any own ahead(cell, d) }",
            "not no { d in directions with any own ahead(cell, d) }",
            "any ways(cell)",
        ],
        &[
            "no own next_to cell",
            "count (own next_to cell) = 0",
            "count (own next_to cell) < 1",
            "not any own next_to cell",
        ],
        &["count own >= 3", "3 <= count own", "not 3 > count own"],
        &[
            "max(count own, count(enemy next_to cell)) < 3",
            "count own < 3 and count(enemy next_to cell) < 3",
            "not max(count own, count(enemy next_to cell)) >= 3",
            "not (count own >= 3 or count(enemy next_to cell) >= 3)",
        ],
        &[
            "min(count own, count enemy) <= 2",
            "count own <= 2 or count enemy <= 2",
            "not min(count own, count enemy) > 2",
        ],
        &[
            "some x in own with (count(own next_to x) > 2 and x in edge)",
            "some x in site with (x in edge and x in own and count(own next_to x) > 2)",
            "any { x in site with (count(own next_to x) > 2 and x in own and x in edge) }",
            "count { x in own edge with 2 < count(own next_to x) } != 0",
        ],
        &["turn > 3", "(if turn > 3 then 1 else 0) = 1", "(if turn > 3 then 2 else if turn > 2 then 3 else 0) = 2"],
        &["cell in edge", "any edge cell", "not (cell not in edge)", "not cell in others"],
        &["(if cell in edge then n else 3) > 1", "(if cell not in edge then 3 else n) > 1"],
        &[
            "some x in next_to cell with x in stone of mover",
            "some x in next_to cell with (owner(x) = mover and kind(x) = stone)",
            "some x in next_to cell with (owner(x) is mover and kind(x) is stone)",
            "some x in next_to cell with (owner(x) in mover and kind(x) in stone)",
            "some x in next_to cell with (if kind(x) is stone then owner(x) is mover else 1 = 2)",
        ],
        &["some x in next_to cell with x in enemy", "some x in next_to cell with owner(x) != mover"],
    ];
    let words = "word ways(x) = { d in directions with any own ahead(x, d) }\nword others = site but edge\n";
    let listing = |parts: &str| {
        let moves = format!("{words}move act \"{{cell}}\" {{\n  {parts}\n  cell becomes stone of mover\n}}");
        let game = game(&moves, "act or pass", "");
        both_agree(parts, &game);
        dump(game.rules(), &program(&game), &|_| String::new())
    };
    for ways in conditions {
        let all = ways.iter().map(|condition| listing(&format!("cell : empty, {condition}")));
        let all: Vec<String> = all.collect();
        for (way, program) in ways.iter().zip(&all) {
            assert_eq!(program, &all[0], "{way}");
        }
    }
    let picked = listing("cell : empty, any own next_to cell");
    for way in [
        "cell : site, cell in empty, any own next_to cell",
        "cell : site, any own next_to cell and cell in empty",
        "cell : { x in site with x in empty and any own next_to x }",
    ] {
        assert_eq!(listing(way), picked, "{way}");
    }
    // What stands on a part that was picked, where it is not asked of the whole board.
    let stands =
        |asked: &str| listing(&format!("cell : own\n  to : empty next_to cell, distance(cell, to) > n or {asked}"));
    for way in ["kind(cell) = stone", "kind(cell) is stone", "kind(cell) in stone", "not (kind(cell) is king)"] {
        assert_eq!(stands(way), stands("cell in stone"), "{way}");
    }
}

/// What is asked before a stage is asked of the whole board, also where the stages behind it read the same definitions.
#[test]
fn a_definition_read_behind_a_stage_is_written_out_before_it() {
    for lines in [
        "cell : empty\n  turned = custodial(cell, enemy, own)\n  if any turned\n  cell becomes stone of mover\n  THEN\
         turned becomes stone of mover",
        "cell : empty\n  other = empty ahead(cell, E)\n  if any other\n  cell becomes stone of mover\n  THEN\
         other becomes king of mover",
        "cell : own\n  foes = enemy next_to cell\n  left = count foes\n  if left > 1\n  cell becomes king of mover\n  THEN\
         every x in foes: x becomes empty\n  THENn becomes left",
    ] {
        let [together, apart] = ["", "then\n  "].map(|then| {
            let lines = lines.replace("THEN", then);
            let game = game(&format!("move act \"{{cell}}\" {{\n  {lines}\n}}"), "act or pass", "");
            both_agree(&lines, &game);
            plies(&game)
        });
        assert_eq!(together, apart, "{lines}");
    }
}

/// The direction of a part tells where a line in it ends, so that no two plies are alike, and what is asked of sites in that
/// direction is asked of the whole board.
#[test]
fn ends_of_lines_are_told_by_their_direction() {
    for (parts, lines) in [
        ("d : directions, any run(from, d, empty)\n  to = ahead(from, d, count run(from, d, empty))", "plies s0 in ("),
        (
            "d : directions\n  to : run(from, d, empty) but { x in site with any (empty ahead(x, d)) }",
            "!pull(NE, empty)",
        ),
        (
            "to : { run(from, d, empty) but { x in site with any (empty ahead(x, d)) } for d in directions }",
            "!pull(NE, empty)",
        ),
    ] {
        let game =
            game(&format!("move go \"{{from}}-{{to}}\" {{\n  from : own\n  {parts}\n  from -> to\n}}"), "go", "");
        let listing = dump(game.rules(), &program(&game), &|_| String::new());
        assert!(listing.contains(lines) && !listing.contains("alike") && !listing.contains("slow:"), "{listing}");
        assert!(is_all_machine_code(&game), "{parts}");
        both_agree(parts, &game);
    }
}

/// The piece that was moved last stands on one site, whatever it is called there.
#[test]
fn what_is_done_to_the_piece_moved_last_is_done_to_one_site() {
    let listing = |from: &str| {
        let words = format!(
            "move put \"{{cell}}\" {{ cell : site, height(cell) < 3; cell gets stone of mover }}\nmove take \"{{from}}\" {{\n  \
             {from}, height(from) > 1\n  top of from becomes empty\n}}\nmove stop \"stop\" {{ }}",
        );
        let words = words.replace("from = it, height(from) > 1", "from = it\n  if height(from) > 1");
        let text = format!(
            "game \"Piles\"\nabout \"a test\"\nplayers A, B\nboard hexagon(3)\npiece stone of each player\nstacks to 3\n{words}\n\
             turn {{ put, (take or stop) }}\nend {{ draw when turn > 30 }}\n"
        );
        let game = Game::from_text("piles.game", &text, None, &[], &Library)
            .unwrap_or_else(|error| panic!("{text}\n{error:?}"));
        assert!(is_all_machine_code(&game), "{from}");
        both_agree(from, &game);
        calls(&game)
    };
    assert!(!listing("from = it").contains("; for ") && !listing("from : it").contains("; for "));
}

/// A turn whose second half is left out in some turns can be finished whatever is played first, whichever half of the
/// condition is written where.
#[test]
fn a_turn_of_which_half_is_left_out_can_always_be_finished() {
    let put = "move put \"{cell}\" { cell : empty; cell becomes stone of mover }";
    for turn in ["put, (put when n < 3 else nothing)", "put, (put else nothing) when n < 3"] {
        let game = game(put, turn, "");
        assert!(program(&game).sections.iter().all(|section| !section.whole), "{turn}");
        both_agree(turn, &game);
    }
}

/// Ways of a turn that begin with the same move are that move and what may follow it, wherever they part.
#[test]
fn ways_of_a_turn_that_begin_alike_are_one_way() {
    let moves = "move put \"{cell}\" { cell : empty; cell becomes stone of mover }\n\
                 move go \"{from}-{to}\" { from : own; to : empty next_to from; from -> to }\nmove stop \"stop\" { }";
    for ways in [
        &["put, (put or stop)", "(put, put) or (put, stop)", "(put, stop) or (put, put)"][..],
        &["put, (stop or (put, (stop or go)))", "(put, stop) or (put, put, stop) or (put, put, go)"],
        &["put or (go, again go by it, stop)", "put or (go, stop) or (go, again go by it, stop)"],
        &[
            "put or ((go, again go, (stop or put)) when n < 3) or ((go, again go, stop) when n >= 3)",
            "whole put or (go, again go, stop) or ((go, again go, put) when n < 3)",
        ],
        &["put, (put or go or stop)", "(put, put) or (put, go) or (put, stop)"],
        &["(put when n < 3) or go or (put when count own > 7)", "go or (put when (count own > 7 or n < 3))"],
        &["(put, (go or stop)) or (go, (put or stop))", "(put, go) or (go, put) or (put, stop) or (go, stop)"],
    ] {
        let counts = ways.iter().map(|turn| {
            let (whole, turn) = turn.split_once("whole ").map_or(("", *turn), |(_, turn)| ("whole ", turn));
            let text = game_text(moves, turn, "").replace("\nturn {", &format!("\n{whole}turn {{"));
            let game = game_of(&text);
            let program = program(&game);
            assert!(program.plain.iter().all(|plain| *plain), "{turn}: no two plies of a place are alike");
            assert!(program.sections.iter().all(|section| !section.whole), "{turn}: it can always be finished");
            assert!(is_all_machine_code(&game), "{turn}");
            both_agree(turn, &game);
            perft(&game.start(), 2, false, &mut |_, _| ()).nodes
        });
        let counts: Vec<Vec<u64>> = counts.collect();
        assert!(counts.iter().all(|count| *count == counts[0]), "{ways:?}: {counts:?}");
    }
}

/// What is asked first decides whether the rest is worked out, also where that stands in a loop and the same in two places.
#[test]
fn what_a_condition_keeps_is_worked_out_behind_those_before_it() {
    let words = "word sized(p, k) = count { x in of p with count(group(x)) = k }\n\
                 word decider = most { k for k in 1 .. 19 with sized(A, k) != sized(B, k) }\n\
                 move put \"{cell}\" { cell : empty; cell becomes stone of mover }";
    let game = game(words, "put", "mover wins when no empty and sized(mover, decider) > sized(next, decider); ");
    let listing = dump(game.rules(), &program(&game), &|_| String::new());
    let line = listing.lines().find(|line| line.contains("most(")).unwrap();
    assert!(line.find("not any empty").unwrap() < line.find("most(").unwrap(), "{line}");
    assert_eq!(line.matches("most(").count(), 1, "{line}");
    both_agree("decider", &game);
}

/// Members that only tell which of few numbers changes change these, also where one tells none.
#[test]
fn what_members_tell_of_few_numbers_is_changed_number_by_number() {
    let words = "track points(player) : 0..40 = 0\ntrack left(player, kind) : 0..9 = 9\n";
    for (line, is_few) in [
        ("every x in piece next_to cell: points(owner(x)) becomes points(owner(x)) + 1", true),
        (
            "every x in enemy next_to cell: points(other(owner(x))) becomes points(other(owner(x))) + count(own next_to cell)",
            true,
        ),
        ("every x in piece next_to cell: left(owner(x), kind(x)) becomes left(owner(x), kind(x)) - 1", true),
        // Who owns an empty site is not known.
        ("every x in ahead(cell, NE or NW): points(owner(x)) becomes points(owner(x)) + 1", true),
        ("every x in piece next_to cell: points(owner(x)) becomes distance(x, c1)", false),
    ] {
        let words =
            format!("{words}move put \"{{cell}}\" {{\n  cell : empty\n  cell becomes stone of mover\n  {line}\n}}");
        let game = game(&words, "put", "");
        let calls = calls(&game);
        assert_eq!(!calls.contains("; for s"), is_few, "{line}: {calls}");
        both_agree(line, &game);
    }
}

/// Taking pieces one by one places nothing, so that it says nothing of the piece that has moved.
#[test]
fn pieces_taken_one_by_one_are_taken_as_a_set() {
    let words = "move leap \"{from}-{to}\" {\n  from : own\n  to : empty ahead(from, directions, 2)\n  from -> to\n  \
                 every x in enemy next_to from: x becomes empty\n}\nmove stop \"stop\" { }";
    let game = game(words, "(leap, again leap by it, stop) else pass", "");
    let calls = calls(&game);
    assert!(calls.contains("sites[0] := it") && !calls.contains("; for "), "{calls}");
    assert!(is_all_machine_code(&game), "{calls}");
    both_agree("leap", &game);
}

#[test]
fn a_definition_used_again_and_again_is_worked_out_once() {
    let game = game(PUSH, "push", "");
    let plies = plies(&game);
    assert_eq!(plies.matches("run(").count(), 2, "{plies}");
    // What is asked first decides whether the rest is worked out at all.
    let (first, second) = (plies.find("<= 3").unwrap(), plies.rfind("run(").unwrap());
    assert!(first < second, "{plies}");
    both_agree("push", &game);
}

#[test]
fn the_same_word_asked_in_two_places_is_asked_once() {
    let words = "word largest(p) = most { count(group(x)) for x in of p }\n\
                 word record = max(largest(mover), largest(next))\n\
                 move put \"{cell}\" {\n  cell : empty\n  cell becomes stone of mover\n  mood becomes wild when record > 2\n  \
                 mood becomes calm when record <= 2\n}";
    let game = game(words, "put", "");
    let calls = calls(&game);
    // One number for each player, and two guards that are seen to exclude each other.
    assert_eq!(calls.matches("most(").count(), 2, "{calls}");
    assert!(!calls.contains("can_apply"), "{calls}");
    both_agree("record", &game);
}

#[test]
fn what_is_the_same_for_all_of_a_group_is_asked_of_one() {
    for (words, asked, heads) in [
        ("word large = { x in own with count(group(x)) > 2 }", "cell in next_to large", "in (heads("),
        ("word large = most { count(group(x)) for x in piece }", "count(own) < large", "in (heads("),
        ("", "some x in own with count(group(x)) > 2", "in (heads("),
        ("", "count groups(own) < 4", "count heads("),
        ("", "cell in next_to one_of(own)", "first("),
    ] {
        let words =
            format!("{words}\nmove put \"{{cell}}\" {{\n  cell : empty, {asked}\n  cell becomes stone of mover\n}}");
        let game = game(&words, "put or pass", "");
        let calls = calls(&game);
        assert!(calls.contains(heads) && !calls.contains("word "), "{asked}: {calls}");
        both_agree(asked, &game);
    }
    // Each member counts, and some are asked for more than their group.
    for asked in
        ["sum { count(group(x)) for x in own } < 6", "least { count(group(x)) * distance(x, cell) for x in own } < 3"]
    {
        let words = format!("move put \"{{cell}}\" {{\n  cell : empty, {asked}\n  cell becomes stone of mover\n}}");
        let game = game(&words, "put or pass", "");
        assert!(!calls(&game).contains("heads("), "{asked}: {}", calls(&game));
        both_agree(asked, &game);
    }
}

#[test]
fn a_word_of_a_site_asked_of_all_is_one_set() {
    let words = "word bounded(x: site) = no e in empty next_to group(x) with count((of owner(x)) next_to e) = 1\n\
                 move grow \"{cell}\" {\n  cell : empty\n  cell becomes stone of mover\n  then\n  piece bounded becomes empty\n}";
    let game = game(words, "grow", "");
    let calls = calls(&game);
    assert!(!calls.contains("filter(") && !calls.contains("collect("), "{calls}");
    both_agree("bounded", &game);
}

/// Words within words, each of which asks twice: written out they double with every step.
const LOOPS: &str = "word rim(x: site) = { y in (x or run(x, directions, empty)) with y in edge }\n\
     word across(e: site) = case e { c1: g5; g5: c1; a3: i3; i3: a3; c5: g1; g1: c5; b2: h4; h4: b2 }\n\
     word on(x: sites) = { z in (across(rim(x)) or across(rim(next_to x))) with z not in x }\n\
     move take \"{from}x{to}\" {\n  from : own\n  a = on(from)\n  b = on(a)\n  c = on(b)\n  e = on(c)\n  \
     f = on(e)\n  to : (a or b or c or e or f) but own\n  from -> to\n}";

#[test]
fn definitions_too_large_to_be_written_out_are_kept() {
    let game = game(LOOPS, "take or pass", "");
    assert!(plies(&game).contains("S0 :="), "{}", plies(&game));
    both_agree("loops", &game);
}

#[test]
fn pieces_that_each_go_somewhere_are_moved_by_machine_code() {
    let game_of =
        |lines: &str| game(&format!("move act \"{{cell}}\" {{\n  cell : interior\n{lines}\n}}"), "act or pass", "");
    for lines in [
        "  every x in next_to cell: x -> ahead(cell, turned(direction(cell, x), if turn mod 2 = 0 then 2 else -4))",
        "  every x in run(cell, E, piece): x -> ahead(x, E)\n  ahead(cell, E) becomes stone of mover",
        "  every x in next_to cell: x becomes king of mover when count(own next_to x) > 1",
        "  every x in piece next_to cell: x -> ahead(x, direction(x, cell)) as stone of mover",
        "  every x in piece next_to cell: ahead(x, NE or W) becomes piece_on(x) when x in own",
    ] {
        let game = game_of(lines);
        assert!(is_all_machine_code(&game), "{lines}: {}", game.dump_program().unwrap());
        assert!(!calls(&game).contains("word turned"), "{}", calls(&game));
        both_agree(lines, &game);
    }
    // Which of them is moved first is what `it` speaks of.
    let game = game(
        "move act \"{cell}\" {\n  cell : interior\n  every x in own next_to cell: x -> ahead(x, E)\n}\n\
         move on \"{cell}-{to}\" { cell : own; to : empty next_to cell; cell -> to }",
        "act, (on by it or stop)",
        "",
    );
    both_agree("it", &game);
}

#[test]
fn steps_of_a_number_that_only_play_tells_are_walked_by_machine_code() {
    for asked in [
        "count(own (cell or ahead_all(cell, direction(c1, cell), n))) = 1",
        "any own ahead_all(cell, { d for d in directions with ahead(cell, d) in own }, n - 1)",
        "any enemy ahead(own next_to cell, direction(cell, c1))",
        "no own ahead(cell, { d for d in directions with ahead(cell, d) in own }, 1 - n)",
        "any of (owner(c1)) next_to cell",
        "any kinds(kind(c1)) next_to cell",
    ] {
        let words = format!(
            "move put \"{{cell}}\" {{\n  cell : empty, {asked}\n  cell becomes stone of mover\n  n becomes (n + 1) mod 4\n}}"
        );
        both_agree(asked, &game(&words, "put or pass", ""));
    }
}

#[test]
fn a_ply_that_takes_nothing_leaves_what_a_turn_must_have_most_of() {
    let moves = "move hop \"{from}x{to}\" {\n  from : own stone\n  over : enemy next_to from\n  to : empty behind(from, over)\n  \
                 from -> to\n  over becomes empty\n}\n\
                 move leap \"{from}*{to}\" {\n  from : own king\n  over : enemy next_to from\n  to : empty behind(from, over)\n  from -> to\n  over becomes empty\n}\n\
                 move walk \"{from}-{to}\" {\n  from : own\n  to : empty next_to from\n  from -> to\n}\n\
                 move crown \"crown\" { own corner becomes king of mover }\n\
                 word taken = hop.over this turn or leap.over this turn\npattern take = hop or leap";
    let turn = "(chain take or walk), maybe (crown when any own corner)\n  must most (count taken)\n";
    let game = game(moves, turn, "");
    let program = program(&game);
    let own = &program.by_mover[0];
    let DutyKind::MustMost(_, leaves) = &own.duties[0][0].kind else { panic!() };
    for (call, leaves) in own.calls.iter().zip(leaves) {
        let name = &game.rules().moves[call.mv.0].name;
        assert_eq!(*leaves, name == "walk" || name == "crown", "{name}");
    }
    both_agree("most", &game);
}

#[test]
fn what_players_are_ranked_by_is_asked_once() {
    let words = "word largest(p) = if no of p then 0 else most { count(group(x)) for x in of p }\n\
                 word best(p) = { x in of p with count(group(x)) = largest(p) }\n\
                 word second(p) = if count(best(p)) > largest(p) then largest(p) else 0\n\
                 move put \"{cell}\" { cell : empty; cell becomes stone of mover }";
    let game = game(words, "put", "ranks by 100 * largest(mover) + second(mover) when no empty\n");
    let program = program(&game);
    let EndingResult::Ranks(ranks) = &program.by_mover[0].endings[0].result else { panic!() };
    for rank in ranks {
        let listed = format!("{rank:?}");
        assert_eq!(listed.matches("reduce: Most").count(), 1, "{listed}");
    }
    both_agree("ranks", &game);
}

#[test]
fn what_is_slow_is_told_by_its_condition() {
    let words = "move put \"{cell}\" {\n  cell : empty, cell not in corner and count(own connected(cell, empty)) > 1\n  \
                 if count(piece connected(cell, site but next_to c1)) > 2\n  cell becomes stone of mover\n}";
    let slow = game(words, "put or pass", "").slow_clauses();
    let told = |clause: &str| slow.iter().any(|line| line.contains(&format!("`{clause}` is worked out for one site")));
    assert!(told("count(own connected(cell, empty)) > 1"), "{slow:?}");
}

#[test]
fn what_is_tried_on_copies_is_told_with_the_line_that_makes_it_so() {
    let words = "move act \"{cell}\" {\n  cell : empty\n  \
                 cell becomes (if any own next_to cell then king else stone) of mover\n  then\n  \
                 n becomes n + count alike(cell)\n}";
    let slow = game(words, "act or pass", "").slow_clauses();
    let line =
        slow.iter().find(|line| line.contains("is tried on a copy of the state")).unwrap_or_else(|| panic!("{slow:?}"));
    assert!(line.contains("`cell becomes (if any own next_to cell then king else stone) of mover` is tried"), "{line}");
    assert!(line.contains("since `n becomes n + count"), "{line}");
}

#[test]
fn changes_that_may_be_impossible_are_told_as_such_and_what_is_told_twice_is_told_once() {
    let words = "stacks to 8\nmove act \"{cell}\" {\n  cell : site\n  cell gets stone of mover\n}\n\
                 move more \"*{cell}\" {\n  cell : site\n  cell gets stone of mover, stone of next\n}";
    let slow = game(words, "act or more or pass", "").slow_clauses();
    let tried: Vec<&String> =
        slow.iter().filter(|line| line.contains("is tried for one move after the other")).collect();
    let [one, other] = tried.as_slice() else { panic!("{slow:?}") };
    assert!(one.contains("`cell gets stone of mover` is tried") && one.contains("; instead: "), "{one}");
    assert!(
        other.contains("`cell gets stone of mover, stone of next` is tried") && !other.contains("instead"),
        "{other}"
    );
    let asked = "mark(cell) = 1";
    let words = format!(
        "track mark(site) : 0..3 = 1\nmove act \"{{cell}}\" {{\n  cell : empty, {asked}\n  cell becomes stone of mover\n}}\n\
         move lay \"+{{cell}}\" {{\n  cell : site, {asked}\n  mark(cell) becomes 2\n}}"
    );
    let slow = game(&words, "act or lay or pass", "").slow_clauses();
    let asked: Vec<&String> = slow.iter().filter(|line| line.contains(asked)).collect();
    let [both] = asked.as_slice() else { panic!("{slow:?}") };
    assert!(both.contains(" (and wordings.game:"), "{both}");
}

#[test]
fn a_repeat_that_is_tried_on_copies_is_told_with_the_change_that_may_fail() {
    let words = "track last : site\nmove act \"{cell}\" {\n  cell : empty\n  last becomes cell\n  then\n  repeat at most 3 {\n    \
                 n becomes n + count(own)\n    last becomes ahead(last, E)\n  }\n  then\n  if any last\n  \
                 cell becomes stone of mover\n}";
    let slow = game(words, "act or pass", "").slow_clauses();
    let named = |line: &&String| {
        line.contains("`repeat at most 3` is tried") && line.contains("since `n becomes n + count(own)`")
    };
    assert!(slow.iter().any(|line| named(&line)), "{slow:?}");
}

#[test]
fn rules_that_may_take_too_many_steps_are_told_how_many_to_allow() {
    let words = "move act \"{a}{b}{c}{d}\" {\n  a : empty\n  b : empty but a\n  c : empty but a but b\n  d : empty but a but b but c\n  \
                 if count { connected(x, empty but a but b but c but d) for x in site } > 4\n  a becomes stone of mover\n}";
    let game = game(words, "act or pass", "").with_steps(1_000_000);
    let told = game.slow_clauses();
    let cost = game.rules().cost;
    assert!(
        told[0].contains("runs on the reference engine only") && told[0].contains(&format!("`--steps {cost}`")),
        "{told:?}"
    );
    assert!(game.with_steps(cost).lowered().is_ok());
}

#[test]
fn stacks_that_are_too_high_are_told_at_their_line_with_the_height_that_fits() {
    let moves = "move act \"{cell}\" {\n  cell : empty\n  cell becomes stone of mover\n}";
    let of = |height: usize| game(&format!("stacks to {height}\n{moves}"), "act or pass", "").slow_clauses();
    let told = of(23).join("\n");
    assert!(told.starts_with("wordings.game:") && told.contains("; instead: write `stacks to 22`"), "{told}");
    assert!(told.contains(":11: runs on the reference engine only"), "{told}");
    assert!(!of(22).join("\n").contains("reference"));
}

#[cfg(feature = "native")]
#[test]
fn what_has_no_machine_code_after_each_ply_is_told_at_its_line() {
    let moves = "track marks(site) : 0..9 = 0\nmove put \"{cell}\" { cell : empty; cell becomes stone of mover }\n\
                 after each ply { every x in own: marks(ahead(x, E)) becomes count(own next_to x) when any ahead(x, E) }";
    let slow = game(moves, "put or pass", "").slow_clauses();
    let left: Vec<&String> = slow.iter().filter(|line| line.contains("has no machine code")).collect();
    assert!(!left.is_empty() && left.iter().all(|line| line.contains("`every x in own: marks(")), "{slow:?}");
}

#[cfg(feature = "native")]
#[test]
fn what_has_no_machine_code_is_told_with_the_reason() {
    let moves = "track marks(site) : 0..9 = 0\n\
                 move act \"{cell}\" { cell : empty; every x in own: marks(ahead(x, E)) becomes count(own next_to x) when any ahead(x, E); cell becomes stone of mover }";
    for (turn, end, reason) in [
        ("act or pass", "", "it changes something else for each member of a set"),
        (
            "act or pass",
            "draw when (some act this turn) and not possible (act)\n",
            "it asks what is possible in the turn to come",
        ),
        (
            "act or pass\nmust most (count own)\nmust most (count enemy)",
            "",
            "several lines of `must most` compare what all plies lead to",
        ),
    ] {
        let slow = game(moves, turn, end).slow_clauses();
        let told = |line: &String| line.contains("has no machine code, since ") && line.contains(reason);
        assert!(slow.iter().any(told), "{slow:?}");
    }
}

#[test]
fn a_site_tells_how_far_it_lies_and_in_which_direction() {
    for (steps, told) in [("n : 1 .. 2", true), ("n : 1 .. (if any king then 2 else 1)", true), ("n : -1 .. 2", false)]
    {
        let words = format!(
            "move slide \"{{from}}-{{to}}\" {{\n  from : own\n  d : directions\n  {steps}\n  to = ahead(from, d, n)\n  \
             if to in empty\n  from -> to\n}}"
        );
        let game = game(&words, "slide or pass", "");
        assert_eq!(program(&game).by_mover[0].calls[0].may_repeat, !told, "{steps}");
        both_agree(steps, &game);
    }
}

/// More plies than there is room for at first, of a way that fulfils no duty and is taken all the same.
#[test]
fn records_of_plies_that_move_elsewhere_are_found_again() {
    let moves = "move couple \"{both}\" {\n  both : 4 of edge\n  every x in both: x becomes stone of mover\n}\n\
                 move put \"{cell}\" {\n  cell : empty\n  cell becomes stone of mover\n}";
    let game = game(moves, "couple or put else pass\n  must put with cell in edge\n", "");
    both_agree("couple", &game);
}

/// The value that a stage has written stands in what is asked behind it, which says the same of another state.
#[test]
fn what_is_asked_again_behind_a_stage_is_asked_of_what_the_stage_has_left() {
    let words = "move put \"{cell}\" {\n  cell : empty\n  n becomes most { n + count(own next_to x) for x in own }\n  \
                 cell becomes stone of mover\n  so that most { n + count(own next_to x) for x in own } < 5\n}";
    both_agree("put", &game(words, "put else pass", ""));
}

/// Where a game must stay on the reference engine since one clause is too dear, that clause is told, and not the turn.
#[test]
fn the_clause_that_costs_most_is_told() {
    let dear = |x: &str| {
        format!(
            "some a in site with (some b in site with (some c in empty with distance(a, b) + distance(b, c) = distance(c, {x})))"
        )
    };
    let word = "word far(x: site) = some a in site with (some b in empty with distance(a, b) + 1 = distance(b, x))\n";
    let (own, cell) = (format!("some e in own with ({})", dear("e")), dear("cell"));
    let plain = "move put \"{cell}\" { cell : empty, no enemy next_to cell; cell becomes stone of mover }\n";
    let asked = format!(
        "move put \"{{cell}}\" {{ cell : empty, no enemy next_to cell\n  if count own < 30\n  if {cell}\n  cell becomes stone of mover }}\n"
    );
    let after = "move put \"{cell}\" { cell : empty; cell becomes stone of mover\n  then\n  \
                 every x in own: x becomes empty when far(x) }\n";
    let end = "draw when no empty";
    for (lines, end, told) in [
        (asked.clone(), end.to_owned(), cell.clone()),
        (
            plain.to_owned(),
            format!("mover wins when {own} and count own > 3\n {end}"),
            format!("{own} and count own > 3"),
        ),
        (format!("{word}{after}"), end.to_owned(), "every x in own: x becomes empty when far(x)".to_owned()),
        (format!("{word}{asked}"), format!("mover wins when far(the own)\n{end}"), cell.clone()),
    ] {
        let text = format!(
            "game \"Dear\"\nplayers A, B\nboard rectangle(11, 14)\npiece stone of each player\n{lines}turn {{ put }}\nend {{ {end} }}\n"
        );
        let game = Game::from_text("dear.game", &text, None, &[], &Library)
            .unwrap_or_else(|error| panic!("{text}\n{error:?}"));
        let slow = game.slow_clauses();
        // Of the same text twice, in a word and in a line, the line costs: it is asked more than once.
        let at = text.rfind(&told).unwrap();
        let before = &text[..at];
        let place = format!("dear.game:{}:{}:", before.matches('\n').count() + 1, at - before.rfind('\n').unwrap_or(0));
        assert!(slow.len() == 1 && slow[0].starts_with(&place), "{place} {told}:\n{slow:?}");
    }
}

/// How far a piece goes hangs on the direction alone: each direction has one site, or a short line.
#[test]
fn a_part_that_lies_as_far_as_its_direction_says_is_looked_for_in_each_direction() {
    for asked in [
        "distance(from, to) = count(piece (from or run(from, direction(from, to) or opposite(direction(from, to)), site)))",
        "count(own run(from, direction(from, to), site)) + 1 = distance(to, from), no enemy between(from, to)",
        "distance(from, to) <= 1 + count(own run(from, opposite(direction(from, to)), own)), from in own",
        "n + 1 >= distance(from, to) and (direction(from, to) is not N or to in empty)",
    ] {
        let words = format!(
            "move go \"{{from}}-{{to}}\" {{\n  from : own\n  to : run(from, directions, site) but own, {asked}\n  \
             n becomes (n + 1) mod 3\n  from -> to\n}}"
        );
        let game = game(&words, "go or pass", "");
        let plies = plies(&game);
        assert!(plies.contains("run({s0}, bit(") && !plies.contains("filter("), "{asked}: {plies}");
        both_agree(asked, &game);
    }
    // Wherever the sites are, those on no line as well: to these there is no direction, so that nothing is counted, and a
    // direction that is not there is not another one either.
    for (asked, beside) in [
        (
            "distance(from, to) = 1 + count(piece run(from, direction(from, to) or opposite(direction(from, to)), site))",
            true,
        ),
        ("distance(from, to) = 2 + count(own run(from, opposite(direction(from, to)), own))", true),
        ("distance(to, from) = count(own run(from, direction(from, to), site)), direction(from, to) is not W", false),
        ("distance(from, to) = 1 + count(own run(from, direction(from, to), site)), direction(from, to) is NE", false),
    ] {
        let words = format!(
            "move go \"{{from}}-{{to}}\" {{\n  from : own\n  to : site but own, {asked}\n  n becomes (n + 1) mod 3\n  \
             from -> to\n}}"
        );
        let game = game(&words, "go or pass", "");
        let plies = plies(&game);
        assert!(plies.contains("run({s0}, bit(") && !plies.contains("filter("), "{asked}: {plies}");
        assert_eq!(plies.contains("each of"), beside, "{asked}: {plies}");
        both_agree(asked, &game);
    }
    // The number hangs on the site that is picked, so that no direction tells it.
    let asked = "distance(from, to) = count(piece next_to to)";
    let words = format!(
        "move go \"{{from}}-{{to}}\" {{\n  from : own\n  to : run(from, directions, site) but own, {asked}\n  from -> to\n}}"
    );
    both_agree(asked, &game(&words, "go or pass", ""));
}

#[test]
fn what_lies_between_sites_some_steps_away_is_counted_on_the_whole_board() {
    for asked in [
        "count(enemy between(from, to)) = 1",
        "count(piece between(from, to)) > n - 1",
        "count(empty between(from, to)) = count(own between(from, to))",
    ] {
        for to in ["ahead(from, directions, 2)", "ahead(from, directions, 3)", "ahead(ahead(from, NE), E, 2)"] {
            let words = format!(
                "move go \"{{from}}-{{to}}\" {{\n  from : own\n  to : empty {to}, {asked}\n  n becomes (n + 1) mod 3\n  \
                 from -> to\n}}"
            );
            let game = game(&words, "go or pass", "");
            let plies = plies(&game);
            assert!(!plies.contains("filter("), "{to}, {asked}: {plies}");
            both_agree(&format!("{to}, {asked}"), &game);
        }
    }
}

/// Whoever says in which direction something lies, and that nothing stands between, slides in that direction alone: by steps
/// where these are few.
#[test]
fn what_is_seen_in_some_directions_is_looked_for_in_these() {
    for (size, asked, found) in [
        (8, "direction(from, to) in (E or W), no piece between(from, to)", "s1 = s0.W.W"),
        (8, "no own between(from, to), direction(from, to) is NE", "s1 = s0.NE.NE"),
        (
            11,
            "no piece between(from, to), direction(from, to) in (orthogonal or NE or SE or SW)",
            "(run({s0}, N+NE+E+SE+S+SW+W, ",
        ),
        // Too many for tables.
        (12, "direction(from, to) in (E or W), no piece between(from, to)", "run({s0}, E+W, "),
        (12, "no piece between(from, to), direction(to, from) in (E or NE)", "run({s0}, SW+W, "),
        (12, "no own between(from, to), not (direction(from, to) is NE)", "run({s0}, NE, all)"),
        (12, "(turn < 3 or direction(from, to) is N), no piece between(from, to)", "& (S0 | run({s0}, N, all))"),
        // At that distance there are sites on no line as well.
        (8, "no piece between(from, to), distance(from, to) = 3", "s1 = s0.W.W.SW"),
    ] {
        let text = format!(
            "game \"Slides\"\nplayers A, B\nboard square({size}) adjacent all\npiece stone of each player\n\
             start {{ a1 becomes stone of A; c4 becomes stone of A; d4 becomes stone of B; h8 becomes stone of B }}\n\
             move slide \"{{from}}-{{to}}\" {{\n  from : own\n  to : site but own, {asked}\n  from -> to\n}}\n\
             turn {{ slide else pass }}\nend {{ draw when turn > 30 }}\n"
        );
        let game = Game::from_text("slides.game", &text, None, &[], &Library).unwrap();
        let plies = plies(&game);
        assert!(plies.contains(found), "{asked}: {plies}");
        both_agree(asked, &game);
    }
}

/// The simplest move.
const PUT: &str = "move put \"{cell}\" {\n  cell : empty\n  cell becomes stone of mover\n}";

#[test]
fn whether_a_set_hangs_together_is_asked_of_one_member() {
    for asked in
        ["some x in own with count connected(x, own) = count own", "no x in own with any (own but connected(x, own))"]
    {
        let game = game(PUT, "put or pass", &format!("mover wins when count own > 4 and ({asked})\n  "));
        let listing = dump(game.rules(), &program(&game), &|_| String::new());
        let ends: Vec<&str> = listing.lines().filter(|line| line.contains("connected(")).collect();
        assert!(
            ends.iter().all(|end| end.contains("connected(first(") && !end.contains("heads(")),
            "{asked}: {ends:?}"
        );
        both_agree(asked, &game);
    }
}

/// A sum of numbers that each lie within bounds lies within bounds itself: nothing need be tried.
#[test]
fn members_of_sets_joined_by_or_are_drawn_before_they_are_asked() {
    let text = |part: &str| {
        format!(
            "game \"Sight\"\nabout \"towers as high as the own towers in sight\"\nplayers A, B\nboard hexagon(6)\n\
             piece tower of each player\ntrack height_of(site) : 0..9 = 0\n\
             start {{ f1 becomes tower of A; p1 becomes tower of B }}\nword seen(x: site) = count(own in_sight x)\n\
             move grow \"{{cell}}\" {{\n  cell : {part}\n  cell becomes tower of mover\n  height_of(cell) becomes seen(cell)\n}}\n\
             turn {{ grow or pass }}\nend {{ draw when turns without grow = 2; draw when turn > 200 }}\n"
        )
    };
    for part in [
        "site, seen(cell) > height_of(cell)",
        "site, (cell in empty and seen(cell) > 0) or (cell in piece and seen(cell) > height_of(cell))",
        "{ x in empty with seen(x) > 0 } or { x in piece with seen(x) > height_of(x) }",
        "own or enemy or empty but corner, seen(cell) > height_of(cell)",
        "({ x in empty with seen(x) > height_of(x) } or { x in piece with seen(x) > height_of(x) }) but corner",
    ] {
        let game = game_of(&text(part));
        let listing = dump(game.rules(), &program(&game), &|_| String::new());
        // Neither how many there can be at most, nor that there are not fewer than none, is asked of a site.
        assert!(!listing.contains("tally"), "{part}\n{listing}");
        let lines = plies(&game);
        assert_eq!(lines.matches("filter(").count(), 1, "{part}\n{lines}");
        assert!(lines.contains("plies s0 in filter("), "{part}\n{lines}");
        let described = game.dump_program().unwrap();
        assert!(described.contains("random games draw plies"), "{part}\n{described}");
        both_agree(part, &game);
    }
}

/// What is printed tells the parts that are not, in whatever order and by whatever words they are found: no plies are compared.
#[test]
fn printed_parts_tell_hidden_ones_however_they_are_found() {
    let change = "from -> to\n  over becomes empty";
    for (notation, parts, change) in [
        ("{from}x{to}", "over : enemy\n  from : own next_to over\n  to : empty behind(from, over)", change),
        (
            "{from}x{to}",
            "from : own\n  to : empty ahead(from, directions, 2)\n  over : enemy between(from, to)",
            change,
        ),
        (
            "{from}x{to}",
            "from : own\n  to : empty\n  over : enemy between(from, to), over in next_to from, to in next_to over",
            change,
        ),
        (
            "{from}-{to}",
            "from : own\n  d : directions\n  \
             to = ahead(from, d, count(piece (from or run(from, d or opposite(d), site)))) but own\n  if any to",
            "from -> to",
        ),
        (
            "{from}{d}",
            "from : own\n  head : empty beyond(from, directions, own)\n  d = direction(from, head)",
            "every x in (from or run(from, d, own)): x -> ahead(x, d)",
        ),
        ("{from}-{to}", "from : own\n  over : enemy ahead(from, E)\n  to : empty next_to over", change),
    ] {
        let game = game(&format!("move go \"{notation}\" {{\n  {parts}\n  {change}\n}}"), "go else pass", "");
        let listing = dump(game.rules(), &program(&game), &|_| String::new());
        assert!(!listing.contains("alike"), "{parts}\n{listing}");
        both_agree(parts, &game);
    }
    // On one line through an own man nothing tells where a man stops that may go no step at all.
    let stays = "from : own\n  d : directions\n  to = ahead(from, d, count(enemy run(from, d, site)))\n  if to in (own or empty)";
    let game = game(&format!("move go \"{{from}}-{{to}}\" {{\n  {stays}\n  n becomes 1\n}}"), "go", "");
    assert!(dump(game.rules(), &program(&game), &|_| String::new()).contains("alike"));
    both_agree(stays, &game);
}

/// Numbers that a condition tells are worked out, and ranges that end where play says are ranges of few numbers.
#[test]
fn numbers_that_something_tells_are_not_looked_for() {
    let of = |parts: &str| {
        let game = game(&format!("move go \"{{from}}{{d}}{{k}}\" {{\n  {parts}\n  from -> to\n}}"), "go", "");
        both_agree(parts, &game);
        plies(&game)
    };
    let told = of("from : own\n  d : directions\n  k : 1 .. 4, k = count(own run(from, d, site)) + 1\n  \
                   to = ahead(from, d, k)\n  if to in empty");
    assert!(!told.contains("in 1 .. 4"), "{told}");
    let few = of("from : own\n  d : directions\n  k : 1 .. count open(from, d)\n  to = ahead(from, d, k)");
    assert!(!few.contains(".. count"), "{few}");
}

/// Whose moves take nothing leave the enemy's pieces, so that they need not be played to see how many are left.
#[test]
fn plies_that_touch_no_enemy_leave_how_many_there_are() {
    let words = "move step \"{from}-{to}\" {\n  from : own\n  to : empty next_to from\n  from -> to\n}\n\
                 move jump \"{from}x{to}\" {\n  from : own\n  over : enemy next_to from\n  to : empty behind(from, over)\n  \
                 from -> to\n  over becomes empty\n}";
    let game = game(words, "(jump, again jump by it) else step; must most (- count enemy)", "");
    let leaves = program(&game).by_mover[0].duties[0].iter().any(
        |duty| matches!(&duty.kind, DutyKind::MustMost(_, leave) if leave.contains(&true) && leave.contains(&false)),
    );
    assert!(leaves, "{}", calls(&game));
    both_agree("enemies left", &game);
}

/// Boards on which lines lead round the words of a set: a run stops where it does on any other board.
#[test]
fn lines_that_lead_round_the_words_stop_where_others_do() {
    for board in ["hexagon(5)", "diamond(5)", "hexagon(5) keeping not corner", "square(8)", "square(9)"] {
        for to in [
            "to : open(from, directions)",
            "to : first(from, directions) but own",
            "to : empty ray(from, directions), no piece between(from, to)",
            "d : directions\n  to : run(from, d, empty)",
            "d : directions\n  to = beyond(from, d, empty) but own\n  if any to",
        ] {
            let game = game_of(&format!(
                "game \"Lines\"\nabout \"a test\"\nplayers A, B\nboard {board}\npiece man of each player\n\
                 start {{ edge becomes man of A; interior but centre becomes man of B; {{ x in site with \
                 count(next_to x edge) = 3 }} becomes empty }}\nallow same-notation\n\
                 move go \"{{from}}-{{to}}\" {{\n  from : own\n  {to}\n  from -> to\n}}\nturn {{ go else pass }}\n\
                 end {{ draw when turn > 40 }}\n"
            ));
            assert!(is_all_machine_code(&game), "{board}, {to}: {}", game.dump_program().unwrap());
            both_agree(&format!("{board}, {to}"), &game);
        }
    }
}

#[test]
fn a_sum_is_known_to_fit_a_number_that_is_large_enough() {
    let words = "move put \"{cell}\" {\n  cell : empty\n  cell becomes stone of mover\n  \
                 n becomes min(40, sum { distance(x, c1) for x in own })\n}";
    let calls = calls(&game(words, "put or pass", ""));
    assert!(!calls.split("  do ").next().unwrap().contains("sum("), "{calls}");
    both_agree("sum", &game(words, "put or pass", ""));
}

/// What is tried on a copy of the state is tried by machine code, also where more is picked behind it, and so are plies of an
/// order in which somebody comes twice.
#[test]
fn stages_that_are_tried_and_orders_of_turns_have_machine_code() {
    let tried = [
        "move put \"{cell}\" {\n  cell : empty\n  cell becomes stone of mover\n  then\n  \
         every x in enemy: x becomes empty when no empty next_to x\n  so that count connected(cell, own) < 4\n}",
        "move put \"{cell}{to}\" {\n  cell : own\n  cell becomes empty\n  then\n  to : empty, some g in enemy with \
         (count connected(g, site but own but to) > 3)\n  to becomes stone of mover\n}",
        "move put \"{cell}\" {\n  cell : empty\n  cell becomes stone of mover\n  n becomes n + count(own next_to cell)\n  then\n  \
         repeat at most 3 while n > 2 { n becomes n - 2; some_other becomes n }\n  so that n < 30\n}",
        "move put \"{cell}\" {\n  cell : empty\n  cell becomes stone of mover\n  so that possible shift when count own > 3\n}\n\
         move shift \"{from}-{to}\" {\n  from : own\n  to : empty next_to from\n  from -> to\n}",
    ];
    for words in tried {
        let words = format!("track some_other : 0..40 = 0\n{words}");
        let game = game(&words, "put or pass", "");
        assert!(is_all_machine_code(&game), "{words}: {}", game.dump_program().unwrap());
        both_agree(&words, &game);
    }
    for order in ["order A, B, B, A", "order A then B, B, A", "order B then A, A, B, A, B, B"] {
        let game = game(PUT, &format!("put or pass }}\n{order}\nturn 7 {{ pass"), "");
        assert!(is_all_machine_code(&game), "{order}");
        both_agree(order, &game);
    }
}

/// Steps and walls, each of which has to leave the other player an answer, which need not leave one itself.
const LEAVE_A_WAY: &str = "move step \"{from}-{to}\" {\n  from : own\n  to : empty next_to from\n  from -> to\n  ASKED\n}\n\
     move put \"{cell}\" {\n  cell : empty next_to own\n  cell becomes stone of mover\n  ASKED\n  \
     so that count own < 9\n}";

#[test]
fn an_answer_apart_from_what_it_leaves_itself_is_that_of_moves_which_ask_nothing() {
    let twins = "move shift \"{from}-{to}\" {\n  from : own\n  to : empty next_to from\n  from -> to\n}\n\
                 move drop \"{cell}\" {\n  cell : empty next_to own\n  cell becomes stone of mover\n  so that count own < 9\n}";
    let by = |asked: &str| game(&LEAVE_A_WAY.replace("ASKED", &format!("so that {asked}")), "step or put", "");
    let apart = by("possible (step or put) apart from this");
    let twice = game(
        &format!("{twins}\n{}", LEAVE_A_WAY.replace("ASKED", "so that possible (shift or drop)")),
        "step or put",
        "",
    );
    let joined = by("possible (step or put) apart from this and turn < 99");
    both_agree("apart", &apart);
    for other in [&twice, &joined] {
        let plies = |game: &Game| crate::study::perft::perft(&game.start(), 3, false, &mut |_, _| ()).nodes;
        assert_eq!(plies(&apart), plies(other));
    }
}

/// What could be answered is asked of sets, and not looked for ply by ply.
#[test]
fn an_answer_of_one_ply_is_a_condition_on_sets() {
    let put = |asked: &str| {
        format!(
            "move put \"{{cell}}\" {{\n  cell : empty\n  cell becomes stone of mover\n  {asked}\n}}\n\
             move shift \"{{from}}-{{to}}\" {{\n  from : own\n  to : empty next_to from\n  from -> to\n}}\n\
             move late \"{{cell}}!\" {{\n  cell : empty edge\n  if turn > 12\n  cell becomes king of mover\n}}"
        )
    };
    for (asked, of_sets) in [
        ("so that possible shift", true),
        ("so that not possible shift or count own < 12", true),
        // What depends on the number of the turn is not that of this turn.
        ("so that possible (shift or late)", false),
        // A turn of two plies has to be played out.
        ("so that possible (shift, shift)", false),
    ] {
        let game = game(&put(asked), "put or pass", "");
        let listing = calls(&game);
        assert_eq!(!listing.contains("answered from"), of_sets, "{asked}: {listing}");
        both_agree(asked, &game);
    }
}

/// Whether a turn can be finished by a ply that puts or moves a piece is asked of the board before that ply.
#[test]
fn a_turn_that_a_ply_must_finish_is_looked_at_and_not_played_out() {
    let whole = |such_that: &str, plies: &str| {
        let text = format!(
            "game \"Wordings\"\nabout \"a test\"\nplayers A, B\nboard hexagon(3)\npiece stone, king of each player\n\
             track n : 0..40 = 0\nallow same-notation\nstart {{ side(NW) becomes stone of A; side(SE) becomes king of B }}\n\
             move step \"{{from}}-{{to}}\" {{ from : own; to : empty next_to from; from -> to }}\n\
             move put \"{{cell}}\" {{ cell : empty; cell becomes stone of mover }}\n\
             move turned \"{{cell}}!\" {{ cell : own king; cell becomes stone of mover; n becomes n + 1 }}\n\
             whole turn {{ ({plies}) else pass; such that {such_that} }}\n\
             end {{ draw when turn > 30; draw when stuck }}"
        );
        Game::from_text("wordings.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
    };
    for (such_that, plies, looked_at) in [
        ("no (own next_to centre)", "maybe step, put", true),
        ("count(own edge) < 7", "maybe step, put", true),
        ("no (own king next_to (enemy stone))", "maybe put, step", true),
        ("n < 3 and count(own stone) < 9", "maybe step, (put or turned)", true),
        // What has names of its own is played out.
        ("sum { count connected(x, own) for x in own } < 60", "maybe step, put", false),
    ] {
        let game = whole(such_that, plies);
        let listing = calls(&game);
        assert_eq!(listing.matches("or with one more ply").count() > 1, looked_at, "{such_that}: {listing}");
        both_agree(such_that, &game);
    }
}

/// On boards whose sites are numbered around a circle too, groups and first members are found by machine code.
#[test]
fn groups_are_found_whatever_the_numbering_of_the_sites() {
    for board in ["hexagon(5)", "diamond(5)", "hexagon(3)", "square(6) keeping not (row(3) or column(4))"] {
        for asked in [
            "count groups(own next_to cell) <= 1",
            "some g in groups(own) with count connected(g, own) > 2",
            "distance(cell, one_of(own)) < 4",
            "count groups(enemy) < 4",
        ] {
            let text = format!(
                "game \"Wordings\"\nabout \"a test\"\nplayers A, B\nboard {board}\npiece stone of each player\n\
                 start {{ row(2) becomes stone of A; row(4) becomes stone of B }}\n\
                 move put \"{{cell}}\" {{ cell : empty, {asked}; cell becomes stone of mover }}\n\
                 move hop \"{{from}}-{{to}}\" {{ from = one_of(own); to : empty next_to from; from -> to }}\n\
                 move lead \"{{from}}^\" {{ from : groups(own); from becomes empty; if count own > 3 }}\n\
                 turn {{ put or hop or lead or pass }}\nend {{ draw when turn > 40 }}"
            );
            let game = Game::from_text("wordings.game", &text, None, &[], &Library)
                .unwrap_or_else(|error| panic!("{text}\n{error:?}"));
            let listing = calls(&game);
            assert!(!listing.contains("word "), "{board}, {asked}: {listing}");
            assert!(is_all_machine_code(&game), "{board}, {asked}");
            both_agree(asked, &game);
        }
    }
}

/// Whoever knows how a line is gone along need not be told the direction, if there is at least one step.
#[test]
fn a_direction_is_told_by_the_site_that_steps_of_any_number_lead_to() {
    for (steps, compared) in [
        ("count(piece run(from, d or opposite(d), site)) + 1", false),
        ("max(1, count(own run(from, d, site)))", false),
        // With no step at all, every direction leads to the same site.
        ("count(own run(from, d, site))", true),
    ] {
        let words = format!(
            "move go \"{{from}}-{{to}}\" {{\n  from : own\n  d : directions\n  to = ahead(from, d, {steps})\n  \
             if to not in enemy\n  from -> to\n  n becomes min(40, n + 1)\n}}"
        );
        let game = game(&words, "go or pass", "");
        let listing = game.dump_program().unwrap();
        assert_eq!(listing.contains("are listed and compared"), compared, "{steps}: {listing}");
        both_agree(steps, &game);
    }
}

/// What is counted or added up over a few directions is written out for each of them, and counted on the whole board.
#[test]
fn members_of_families_over_directions_are_counted_on_the_whole_board() {
    for condition in [
        "count { l in lines(3, directions) with every l is own } >= 4",
        "count { l in lines(3, directions) with count(l own) = 2 } > 5",
        "count { l in whole_lines(E or NE) with any (l own edge) } > 3",
        "sum { count(own ahead(own, d)) for d in (E or NE or SE) } > 7",
        "sum { 3 + count(own ahead(own, d)) for d in directions with any (own ahead(own, d) edge) } > 19",
    ] {
        let game = game(PUT, "put", &format!("mover wins when {condition}; "));
        let end = game.dump_program().unwrap();
        let end = end.lines().find(|line| line.contains("won by 1 if")).unwrap().to_owned();
        assert!(!end.contains("sum(") && !end.contains("in 21845"), "{condition}: {end}");
        both_agree(condition, &game);
    }
}

/// A game in which stones of one sort fill a board, until a set of them shuts something off.
fn filling(board: &str, set: &str) -> Game {
    let text = format!(
        "game \"Filling\"\nabout \"a test\"\nplayers A, B\n{board}\npiece stone \"x\" neutral\n\
         move put \"{{cell}}\" {{ cell : empty; cell becomes stone }}\nturn {{ put }}\n\
         end {{ mover wins when any enclosed({set}); draw when no empty }}\n"
    );
    Game::from_text("filling.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

#[test]
fn whether_a_group_shuts_anything_off_is_counted() {
    let drawn = "board drawn hex {\n    o o o o\n   o o o o o\n  o o o o o o\n   o o o o o\n    o o o\n}";
    let hollow = "board drawn hex {\n    o o o o\n   o o o o o\n  o o - o o o\n   o o o o o\n    o o o\n}";
    for (board, set, floods) in [
        ("board hexagon(4)", "group(it)", 2),
        (drawn, "group(it)", 2),
        // A hole of the board is no hole of the group, squares have corners, and of several groups it is not known how many.
        (hollow, "group(it)", 4),
        ("board square(5)", "group(it)", 4),
        ("board hexagon(4)", "stone", 2),
    ] {
        let game = filling(board, set);
        let listing = game.dump_program().unwrap();
        assert_eq!(listing.matches("connected(").count(), floods, "{board}, {set}: {listing}");
        assert!(compare(board, &game, |games| games < 30, 60, 11) > 0);
    }
}

#[test]
fn what_several_lines_of_the_end_ask_is_worked_out_before_them() {
    let end =
        "mover wins when count(group(it)) > 5; mover wins when count { d in sides with any (group(it) side(d)) } > 2; ";
    let game = game(PUT, "put", end);
    let listing = game.dump_program().unwrap();
    assert_eq!(listing.matches("connected(").count(), 2, "{listing}");
    assert_eq!(listing.matches("before all lines of end S").count(), 2, "{listing}");
    both_agree("lines", &game);
}

#[test]
fn any_site_stands_for_a_group_of_which_nothing_else_is_asked() {
    // A board whose sites are numbered in another order than that in which they are listed.
    let game = |word: &str, end: &str| {
        let text = format!(
            "game \"Groups\"\nabout \"a test\"\nplayers A, B\nboard hexagon(5)\npiece stone of each player\n\
             word asked = {word}\n{PUT}\nturn {{ put }}\nend {{ mover wins when {end}; draw when turn > 40 }}\n"
        );
        Game::from_text("groups.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
    };
    for asked in [
        "most { count group(g) for g in groups(of mover) }",
        "sum { count group(g) * count group(g) for g in groups(of mover) }",
        "count { g in groups(of mover) with count group(g) > 2 }",
    ] {
        let game = game(asked, "asked > 6");
        let listing = game.dump_program().unwrap();
        assert!(listing.contains("heads(") && !listing.contains("least("), "{asked}: {listing}");
        both_agree(asked, &game);
    }
    // Which site it is shows.
    let game = game("groups(of mover)", "some g in asked with (g in corner and count group(g) > 2)");
    assert!(game.dump_program().unwrap().contains("least("));
    both_agree("first of each", &game);
}

#[test]
fn what_is_near_is_asked_of_the_whole_board_however_it_is_said() {
    for near in [
        "no x in own with distance(x, cell) <= 2",
        "least { distance(x, cell) for x in own } > 2",
        "not (least { distance(x, cell) for x in own } <= 2)",
    ] {
        let words = format!("move put \"{{cell}}\" {{ cell : empty, {near}; cell becomes stone of mover }}");
        let game = game(&words, "put else pass", "");
        assert!(!plies(&game).contains("filter("), "{near}: {}", plies(&game));
        both_agree(near, &game);
    }
}

#[test]
fn of_numbers_of_which_one_is_missing_there_is_no_least() {
    for asked in ["<= 2", "< 2", "> 1", ">= 3"] {
        for reduce in ["least", "most"] {
            let near =
                format!("{reduce} {{ if x in corner then none else row_number(x) for x in own next_to cell }} {asked}");
            for near in [format!("({near} or no own)"), format!("not ({near})")] {
                let words = format!("move put \"{{cell}}\" {{ cell : empty, {near}; cell becomes stone of mover }}");
                let game = game(&words, "put else pass", "");
                assert!(!plies(&game).contains(reduce), "{near}: {}", plies(&game));
                both_agree(&near, &game);
            }
        }
    }
}

#[test]
fn a_step_on_in_the_same_direction_tells_what_was_jumped() {
    let words = "move jump \"{from}x{to}\" {\n  from : own\n  over : enemy next_to from\n  \
                 to : empty next_to over, direction(from, over) = direction(over, to)\n  from -> to\n  over becomes empty\n}\n\
                 move step \"{from}-{to}\" { from : own; to : empty next_to from; from -> to }";
    let game = game(words, "jump or step", "");
    let listing = game.dump_program().unwrap();
    assert!(!listing.contains("may be alike"), "{listing}");
    both_agree("jump", &game);
}

#[test]
fn directions_and_numbers_are_picked_in_any_order() {
    let way = "track way : direction\n";
    for (words, lines) in [
        (way, "d : directions\n  from : own\n  to = empty ahead(from, d, 2)\n  if any to\n  if d not in way"),
        (way, "d : directions but way\n  from : own\n  to = empty ahead(from, d, 2)\n  if any to"),
        (way, "d : directions, d not in way\n  from : own, any (enemy ahead(from, d))\n  to = ahead(from, d)"),
        (
            "track way : direction\nword roads(x: site) = if x in edge then directions else (N or S or NE or SW)\n",
            "from : own\n  to : empty ahead(from, roads(from))\n  d = direction(from, to)\n  if d not in way",
        ),
        (
            way,
            "from : own\n  d : directions\n  n : 1..3\n  over = { ahead(from, d, k) for k in 1..n }\n  \
             to = ahead(from, d, n + 1)\n  if any to\n  if every over is enemy",
        ),
    ] {
        let game = game(
            &format!("{words}move go \"{{from}}-{{to}}\" {{\n  {lines}\n  from -> to\n  way becomes d\n}}"),
            "go else pass",
            "",
        );
        let plies = plies(&game);
        assert!(!plies.contains("filter(") && !plies.contains("for "), "{lines}: {plies}");
        both_agree(lines, &game);
    }
}

#[test]
fn rows_go_as_far_as_all_of_them_can() {
    let parts = "first : own\n  last : own, last = first or last in listed_after(first) and any direction(first, last), \
                 every between(first, last) is own\n  row = first or between(first, last) or last\n  d : directions\n  n : 1..5";
    let all_arrive = "if count ahead(row, d, n) = count row";
    for lines in [
        format!("if every (ahead_all(row, d, n) but row) is empty\n  {all_arrive}"),
        format!("{all_arrive}\n  way = ahead_all(row, d, n) but row\n  if every way is empty"),
        format!("if no (piece ahead_all(row, d, n) but row)\n  {all_arrive}"),
        format!("if every ahead_all(row, d, n) is empty\n  {all_arrive}"),
    ] {
        for after in [
            "",
            "\n  so that count groups(own) <= 2",
            "\n  then\n  new = ahead(row, d, n)\n  so that count group(one_of(new)) > before count group(first)",
        ] {
            let game = game(
                &format!(
                    "move fly \"{{row}}-{{d}}{{n}}\" {{\n  {parts}\n  {lines}\n  every x in row: x -> ahead(x, d, n){after}\n}}"
                ),
                "fly else pass",
                "",
            );
            let plies = plies(&game);
            // No number is tried that is too large for one of the row, nothing is tried on a copy, and none is compared.
            assert!(plies.contains("least(count run("), "{lines}: {plies}");
            let asks_kinds = after.contains("group(one_of(");
            assert!(asks_kinds || !plies.contains("on a copy"), "{lines}{after}: {plies}");
            let compared = dump(game.rules(), &program(&game), &|_| String::new()).contains("may be alike");
            assert!(!compared, "{lines}{after}");
            both_agree(&format!("{lines}{after}"), &game);
        }
    }
}

#[test]
fn rows_that_may_leave_the_board_in_part_try_every_number() {
    let game = game(
        "move fly \"{first}{last}-{d}{n}\" {\n  first : own\n  last : own but first\n  row = first or last\n  d : directions\n  n : 0..3\n  \
         if every ahead_all(row, d, n) is empty\n  ahead(row, d, n) becomes stone of mover\n}",
        "fly else pass",
        "",
    );
    assert!(!plies(&game).contains("least(count run("), "{}", plies(&game));
    both_agree("rows off the board", &game);
}

#[test]
fn what_is_joined_by_or_is_asked_of_those_alone_that_are_meant() {
    let words = "word beset(x: site) = every ahead(x, directions) is piece\n\
                 word reach(x: site) = case kind(x) { stone: next_to x, king: ahead(x, directions, 2) }\n\
                 word ambushed(y: site) = some a in own with (some b in own but a with (y in reach(a) and y in reach(b) and \
                 distance(a, y) + distance(b, y) > 2))\n\
                 move go \"{from}-{to}\" { from : own; to : empty reach(from); from -> to; then; \
                 enemy (beset or ambushed) becomes empty }";
    let game = game(words, "go else pass", "");
    let calls = calls(&game);
    assert!(!calls.contains(" in all where"), "{calls}");
    // Which kind of piece stands there is told by the planes.
    assert!(!plies(&game).contains("kind("), "{}", plies(&game));
    both_agree("joined by or", &game);
}

#[test]
fn what_ends_a_move_counts_once_among_the_steps_of_a_ply() {
    let spread = "track sites : sites = none";
    let words = format!(
        "{spread}\nmove link \"{{a}}-{{b}}\" {{\n  a : empty\n  b : empty but a\n  a becomes stone of mover\n  then\n  \
         sites becomes own\n  then\n  repeat at most 50 while any (next_to sites but sites) {{ sites becomes sites or next_to sites }}\n}}"
    );
    let plain = game(&words, "link or pass", "");
    let (cost, once) = (plain.rules().cost, plain.rules().cost_once);
    assert!(once < cost / 10, "{once} {cost}");
    assert!(plain.with_steps(once).lowered().is_ok());
    both_agree("what ends a move", &plain);
    // Behind a condition it is tried for every ply.
    let behind = words.replace("next_to sites }\n}", "next_to sites }\n  so that any sites\n}");
    let asked = game(&behind, "link or pass", "");
    assert!(asked.rules().cost_once > once, "{} {once}", asked.rules().cost_once);
}

#[test]
fn a_word_of_many_cases_is_a_table() {
    let words = "word loop(x: site) = case x { c1: g1, g1: c1, b2: f2, f2: b2, d2: e1, e1: d2 }\n\
                 move go \"{from}-{to}\" { from : own; to : empty loop(from); from -> to }\n\
                 move step \"{from}-{to}\" { from : own; to : empty next_to from; from -> to }";
    let game = game(words, "go or step", "");
    assert!(calls(&game).contains("table_of_"), "{}", calls(&game));
    both_agree("loops", &game);
}

#[test]
fn ties_are_told_by_what_is_worked_out_once() {
    let words = format!(
        "word size(S) = most {{ count group(g) for g in S }}\n\
         word rest(p) = groups(of p) but one_of({{ g in groups(of p) with count group(g) = size(groups(of p)) }})\n{PUT}"
    );
    let text = format!(
        "game \"Ties\"\nabout \"a test\"\nplayers A, B\nboard hexagon(3)\npiece stone of each player\n{words}\n\
         score(p) = size(groups(of p))\nturn {{ put }}\nend {{ best score when no empty }}\n\
         ties {{ p in players with size(rest(p)) > size(rest(other(p))) }}\n"
    );
    let game = Game::from_text("ties.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{error:?}"));
    let program = program(&game);
    let mut floods = 0;
    for (favoured, _) in &program.by_mover[0].ties {
        floods += format!("{favoured:?}").matches("Connected {").count();
    }
    assert!(floods <= 12, "{floods}");
    both_agree("ties", &game);
}

/// The rules of `benches/wordings.sh`: both wordings are counted alike by both engines. Pairs that are picked in order are
/// twice as many.
#[test]
fn what_is_said_and_what_is_reworded_are_one_game() {
    let folder = root().join("benches/wordings");
    let counts = |name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let game =
            Game::from_text(name, &text, None, &[], &Library).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!(is_all_machine_code(&game), "{name}");
        let [fast, slow] =
            [Engine::Fast, Engine::Reference].map(|engine| [1, 2].map(|depth| game.player(engine).perft(depth)));
        assert_eq!(fast, slow, "{name}");
        fast
    };
    let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut rules: Vec<String> = names.filter_map(|name| Some(name.strip_suffix(".said.game")?.to_owned())).collect();
    rules.sort();
    assert_eq!(rules.len(), 17);
    for rule in rules {
        let [said, best] = ["said", "best"].map(|wording| counts(&format!("{rule}.{wording}.game")));
        let times: u64 = if rule == "pair" { 2 } else { 1 };
        assert_eq!([said[0] * times, said[1] * times * times], best, "{rule}");
    }
}

/// Moves of which a part only witnesses that a ply is legal, and the same said of what is printed alone.
const WITNESSED: [(&str, &str); 4] = [
    (
        "move go \"!{target}\" {\n  front : own\n  d : directions, ahead(front, opposite(d)) in own\n  target : enemy (ahead(front, d) or ahead(front, d, 2))\n  \
         target becomes empty\n}",
        "word hit(d: direction) = ahead(own ahead(own, d), d) or ahead(own ahead(own, d), d, 2)\n\
         move go \"!{target}\" {\n  target : enemy { hit(d) for d in directions }\n  target becomes empty\n}",
    ),
    (
        "move go \"{from}-{to}\" {\n  from : own\n  d : directions\n  to : open(from, d) or empty beyond(piece first(from, d), d, piece)\n  from -> to\n}",
        "move go \"{from}-{to}\" {\n  from : own\n  to : { open(from, d) or empty beyond(piece first(from, d), d, piece) for d in directions }\n  from -> to\n}",
    ),
    (
        "move go \"{to}\" {\n  d : E or NE or W\n  to : empty ahead(own, d)\n  helper : own next_to to\n  to becomes stone of mover\n}",
        "move go \"{to}\" {\n  to : empty ahead(own, E or NE or W), any own next_to to\n  to becomes stone of mover\n}",
    ),
    (
        "move go \"{from}-{to}\" {\n  from : own\n  near : piece next_to from\n  to : empty next_to near\n  from -> to\n}",
        "move go \"{from}-{to}\" {\n  from : own\n  to : empty next_to (piece next_to from)\n  from -> to\n}",
    ),
];

#[test]
fn parts_that_only_witness_that_a_ply_is_legal_are_no_parts_of_it() {
    for (said, best) in WITNESSED {
        let [said, best] = [said, best].map(|words| game(words, "go else pass", ""));
        let witnesses =
            |game: &Game| game.rules().moves.iter().flat_map(|mv| &mv.names).filter(|name| name.witness).count();
        assert!(witnesses(&said) > 0 && witnesses(&best) == 0);
        let plies = plies(&said);
        assert!(!dump(said.rules(), &program(&said), &|_| String::new()).contains("may be alike"), "{plies}");
        let counts =
            [&said, &best].map(|game| [Engine::Fast, Engine::Reference].map(|engine| game.player(engine).perft(2)));
        assert_eq!(counts[0], counts[1], "{plies}");
        assert_eq!(counts[0][0], counts[0][1], "{plies}");
        both_agree(&plies, &said);
    }
}

#[test]
fn what_is_read_when_a_ply_is_played_is_no_witness() {
    let parts = [
        // It is changed, printed by a definition, decides what is taken, or is asked for later.
        "move go \"{to}\" { from : own; to : empty next_to from; from -> to }",
        "move go \"{there}\" { from : own; to : empty next_to from; there = ahead(from, E) or to; to becomes stone of mover }",
        "move go \"{to}\" { to : empty; d : directions, ahead(to, d) in enemy; gone = ahead(to, d); to becomes stone of mover; gone becomes empty }",
        "move go \"{to}\" { near : own; to : empty next_to near, to not in go.near last turn; to becomes stone of mover }",
        "move go \"{to}\" { near : own; to : empty next_to near; to becomes stone of mover; so that no (own next_to to but near) }",
    ];
    let witnesses = parts.map(|words| {
        let game = game(words, "go else pass", "");
        both_agree(words, &game);
        game.rules().moves.iter().flat_map(|mv| &mv.names).filter(|name| name.witness).count()
    });
    // Only in the last one any piece will do.
    assert_eq!(witnesses, [0, 0, 0, 0, 1]);
}

#[test]
fn directions_that_depend_on_a_site_are_asked_one_by_one() {
    let said = "word ways(x: site) = if x in edge then directions else (E or W)\n\
                move go \"{from}-{to}\" { from : own; d : ways(from); to : empty ahead(from, d); any_enemy = run(to, d, enemy); if any any_enemy; \
                from -> to; any_enemy becomes empty }";
    let game = game(said, "go else pass", "");
    let plies = plies(&game);
    assert!(plies.contains("s2 = s0.E") && !plies.contains(" where "), "{plies}");
    both_agree("ways of a site", &game);
}

#[test]
fn printed_sites_tell_what_they_are_made_of() {
    for words in [
        "move go \"{rear}-{to}\" { front : own; d : directions; rear = own ahead(front, opposite(d), 2); to = empty ahead(front, d); if any to; \
         if any rear; rear -> to }",
        "move go \"{rear}{d}\" { front : own; d : directions; rear = own ahead(front, opposite(d)); to : empty ahead(front, d); if any rear; \
         rear -> to }",
        "move go \"{rear}-{to}\" { front : own; d : directions; rear = own ahead(front, opposite(d)); to : empty ahead(front, d); if any rear; \
         rear -> to }",
    ] {
        let game = game(words, "go else pass", "");
        assert!(!dump(game.rules(), &program(&game), &|_| String::new()).contains("may be alike"), "{words}");
        both_agree(words, &game);
    }
    // Two that lead to the same are not told apart.
    let words = "move go \"{mid}\" { front : own; d : E or NE or W; mid = empty ahead(front, d); if any mid; front becomes empty; mid becomes stone of mover }";
    let game = game(words, "go else pass", "");
    assert!(dump(game.rules(), &program(&game), &|_| String::new()).contains("may be alike"));
    both_agree(words, &game);
}

#[test]
fn groups_asked_for_by_their_first_are_asked_whole() {
    let words = "word breathes(x: site) = any empty next_to group(x)\n\
                 move go \"{to}\" { to : empty; to becomes stone of mover; so that (breathes(to) or some g in groups(stone of next) with no (empty next_to group(g))) }";
    let game = game(words, "go else pass", "");
    assert!(!plies(&game).contains("heads("), "{}", plies(&game));
    both_agree("groups", &game);
}

/// The most or the least of some numbers compared is a question of whether one of them compares so.
#[test]
fn the_most_of_some_numbers_is_asked_of_each_however_it_is_compared() {
    for (asked, missing) in [
        ("most { count row_through(x, d) for x in own for d in directions } >= 3", "most("),
        ("most { count row_through(x, d) for x in own for d in directions } < 4", "most("),
        ("2 < most { count row_through(x, d) for x in own for d in directions }", "most("),
        ("least { distance(x, cell) for x in own } > 1", "least("),
        ("least { distance(x, cell) for x in own } = 2", "least("),
        ("least { distance(x, cell) for x in own } != 2", "least("),
        ("most { count(group(x)) for x in own } = count own", "most("),
        ("most { n + count(group(x)) for x in own } <= 8 + n", "most("),
        ("most { distance(x, y) for x in own for y in enemy } > 3", "most("),
    ] {
        let words = format!("move put \"{{cell}}\" {{\n  cell : empty, {asked}\n  cell becomes stone of mover\n}}");
        let game = game(&words, "put else pass", "");
        assert!(!calls(&game).contains(missing), "{asked}: {}", calls(&game));
        both_agree(asked, &game);
    }
    // What is the same for all that are asked is worked out once.
    let asked = "count { x in own with count(group(x)) = most { count(group(y)) for y in enemy } } > 1";
    let game = game(
        &format!("move put \"{{cell}}\" {{\n  cell : empty, {asked}\n  cell becomes stone of mover\n}}"),
        "put else pass",
        "",
    );
    assert!(calls(&game).contains("most("), "{}", calls(&game));
    both_agree(asked, &game);
}

/// A row that is asked of each of its members is looked for on the whole board, as `line` is.
#[test]
fn rows_are_found_however_they_are_asked_for() {
    let end = |asked: &str| {
        let words = "move put \"{cell}\" { cell : empty; cell becomes stone of mover }";
        let game = game(words, "put else pass", &format!("mover wins when {asked}; "));
        both_agree(asked, &game);
        let listing = dump(game.rules(), &program(&game), &|_| String::new());
        listing.lines().find(|line| line.contains("won by 1")).unwrap().split(" if ").nth(1).unwrap().to_owned()
    };
    let line = end("line(3, stone of mover, directions)");
    for asked in [
        "most { count row_through(x, d) for x in own for d in directions } >= 3",
        "some d in directions with (some x in own with (count row_through(x, d) > 2))",
        "some x in own with (some d in directions with (count row_through(x, d) >= 3))",
        "any { x in own with any { d in directions with 3 <= count row_through(x, d) } }",
    ] {
        let kind = "stone of mover";
        let (asked, found) = (asked.replace("own", kind), end(&asked.replace("own", kind)));
        assert!(found.starts_with("of_new") && found.len() == line.len(), "{asked}: {found}");
    }
}

/// Whether there is one group, or a group has one member, is asked without counting.
#[test]
fn one_group_is_asked_for_without_counting() {
    for asked in [
        "count groups(own) = 1",
        "1 < count groups(own)",
        "count groups(own) <= 1",
        "count groups(own) != 1",
        "some x in stone of mover with (every (stone of mover) in group(x))",
        "some x in stone of mover with count(group(x)) = count stone of mover",
        "most { count(group(x)) for x in stone of mover } = count stone of mover",
        "no x in own with count(group(x)) = 1",
        "some x in own with count(group(x)) >= 2",
        "not (some x in own with count(group(x)) != 1)",
    ] {
        let words =
            format!("move put \"{{cell}}\" {{\n  cell : empty\n  if {asked}\n  cell becomes stone of mover\n}}");
        let game = game(&words, "put else pass", "");
        let calls = calls(&game);
        assert!(!calls.contains("count ") && !calls.contains("exists"), "{asked}: {calls}");
        both_agree(asked, &game);
    }
    let alone =
        "move put \"{cell}\" {\n  cell : empty\n  cell becomes stone of mover\n  so that count(group(cell)) = 1\n}";
    let game = game(alone, "put else pass", "");
    assert!(!plies(&game).contains("filter("), "{}", plies(&game));
    both_agree(alone, &game);
}

/// One beside whom there is another one: several.
#[test]
fn one_beside_another_is_several() {
    for asked in [
        "no x in enemy next_to cell with (any (enemy next_to cell but x))",
        "not (some x in enemy next_to cell with any (enemy next_to cell but x))",
        "some x in own with (any (own but x))",
    ] {
        let words =
            format!("move put \"{{cell}}\" {{\n  cell : empty\n  if {asked}\n  cell becomes stone of mover\n}}");
        let game = game(&words, "put else pass", "");
        assert!(!plies(&game).contains("filter(") && !plies(&game).contains("exists"), "{asked}: {}", plies(&game));
        both_agree(asked, &game);
    }
}

/// What lies between, and how far away, is told by the board: what is picked before the last part leads somewhere.
#[test]
fn what_the_board_tells_of_later_parts_is_asked_of_earlier_ones() {
    for parts in [
        "from : own\n  over : enemy\n  to : empty\n  if distance(from, to) = 2\n  if over in between(from, to)",
        "over : enemy\n  from : own\n  to : empty, over in between(to, from), distance(to, from) <= 2",
        "from : own\n  over : piece\n  to : empty, over in between(from, to)\n  if no piece between(over, to)",
    ] {
        let words =
            format!("move go \"{{from}}x{{over}}x{{to}}\" {{\n  {parts}\n  from -> to\n  over becomes empty\n}}");
        let game = game(&words, "go else pass", "");
        assert!(!plies(&game).contains("filter("), "{parts}: {}", plies(&game));
        both_agree(parts, &game);
    }
    for parts in [
        "from : own\n  to : { x in empty with from in in_sight x }",
        "from : own\n  n : 1 .. 12\n  to : empty ahead(from, directions, n), no piece between(from, to)",
        "from : own\n  d : directions\n  n : 1 .. 12\n  to : empty ahead(from, d, n)\n  if every ahead_all(from, d, n) is empty",
        "from : own\n  n : 1 .. 2\n  to : empty ahead(from, directions, n)",
    ] {
        let words = format!("move go \"{{from}}-{{to}}\" {{\n  {parts}\n  from -> to\n}}");
        let game = game(&words, "go else pass", "");
        assert!(!plies(&game).contains("pull_beyond") && !plies(&game).contains("s0.NE.NE.NE"), "{}", plies(&game));
        both_agree(parts, &game);
    }
}

/// Where the site that a piece leaves tells it from others, plies that print alike are not compared, and stay apart.
#[test]
fn a_piece_that_leaves_is_told_by_its_site() {
    let listing = |parts: &str, change: &str| {
        let words = format!("move go \"{{to}}\" {{\n  {parts}\n  {change}\n}}");
        let game = game(&words, "go else pass", "");
        both_agree(parts, &game);
        let [fast, slow] = [Engine::Fast, Engine::Reference].map(|engine| game.player(engine).perft(2));
        assert_eq!(fast, slow, "{parts}");
        dump(game.rules(), &program(&game), &|_| String::new())
    };
    for (parts, change) in [
        ("from : own\n  to : empty next_to from", "from -> to"),
        ("from : king of mover\n  to : (empty or enemy) next_to from", "from -> to"),
    ] {
        assert!(!listing(parts, change).contains("may be alike"), "{parts}");
    }
    for (parts, change) in [
        // A piece comes to where another one of those may be, or what it does is undone.
        ("from : own\n  to : own next_to from", "from becomes empty\n  to becomes king of mover"),
        ("from : own\n  to : empty next_to from", "from -> to\n  then\n  (own or from) becomes stone of mover"),
        ("from : own\n  to : empty next_to from", "from becomes empty when n > 3\n  to becomes stone of mover"),
    ] {
        assert!(listing(parts, change).contains("may be alike"), "{parts}: {change}");
    }
}

/// What takes too many steps to find out about each two sites is left for play.
#[test]
fn no_more_is_told_of_two_sites_than_is_found_out_soon() {
    let words = "move put \"{cell}\" {\n  cell : empty\n  if some a in site with (some b in site with (some c in site with \
                 distance(a, b) + distance(b, c) + 90 = distance(c, cell)))\n  cell becomes stone of mover\n}";
    let text = format!(
        "game \"Far\"\nplayers A, B\nboard hexagon(6)\npiece stone of each player\n{words}\nturn {{ put }}\nend {{ draw when stuck }}\n"
    );
    let game = game_of(&text);
    let left = game.slow_clauses().len() + calls(&game).matches("exists").count();
    assert!(left > 0, "{}", calls(&game));
}

/// The only piece of a kind may not be there: then it is nowhere, and nobody's.
#[test]
fn the_only_piece_of_a_kind_may_be_missing() {
    for asked in [
        "(the king of next) in enemy",
        "(the king of next) not in own",
        "owner(the king of next) = next",
        "kind(the king of next) is king",
        "some x in own with (the king of next) in (enemy ray(x, directions))",
    ] {
        let words = format!("move put \"{{cell}}\" {{\n  cell : empty, {asked}\n  cell becomes stone of mover\n}}");
        both_agree(asked, &game(&words, "put else pass", ""));
    }
}

/// A site in its own direction from another one lies on a line from there, and so some steps on: no steps lead to none.
#[test]
fn no_steps_lead_to_no_site_in_its_own_direction() {
    for asked in [
        "to in ahead(from, direction(from, to), n)",
        "to in ahead(from, direction(from, to), count(own next_to from) - 1)",
        "to in ahead_all(from, direction(from, to), n)",
        "to in beyond(from, direction(from, to), own)",
    ] {
        let words = format!(
            "move go \"{{from}}-{{to}}\" {{\n  from : own\n  to : site, {asked}\n  to becomes king of mover\n  n becomes (n + 1) mod 3\n}}"
        );
        both_agree(asked, &game(&words, "go else pass", ""));
    }
}

/// Where a piece moves from a set or to one, there is one site in it: what follows from a site follows from that.
#[test]
fn sites_between_which_a_piece_moves_are_one_each() {
    for (what, lines) in [
        (
            "\"{to}\"",
            "  from = own king\n  d : directions\n  k : 1 .. 4, k <= count(open(from, d))\n  to = ahead(from, d, k)\n  from -> to",
        ),
        (
            "\"{from}-{to}\"",
            "  from : own\n  dest : empty, any (enemy between(from, dest)), distance(from, dest) = 2\n  \
             to = between(from, dest)\n  if to in enemy\n  to becomes empty\n  then\n  from -> to",
        ),
        (
            "\"{from}-{to}\"",
            "  from : own\n  first : enemy ahead(from, directions, 2)\n  to = between(from, first)\n  if to in empty\n  \
             from -> to\n  first becomes empty",
        ),
    ] {
        let words = format!("move go {what} {{\n{lines}\n}}");
        let game = game(&words, "go else pass", "");
        let listing = dump(game.rules(), &program(&game), &|_| String::new());
        assert!(!listing.contains("plies may be alike"), "{words}\n{listing}");
        both_agree(lines, &game);
    }
    // There may be none, or several, and then there is no such ply; that the name is read otherwise says nothing.
    for lines in [
        "  from = own\n  to : empty next_to from\n  from -> to",
        "  from = own king or own corner\n  to : empty next_to from\n  from -> to",
        "  from = own next_to enemy\n  to = empty next_to from\n  n becomes count(from) mod 9\n  from -> to",
        "  cell : empty\n  from = own next_to cell\n  from -> cell",
        "  cell : empty\n  from = own next_to cell\n  cell becomes king of mover\n  then\n  from -> ahead(from, NE)",
        "  cell : empty\n  from = own next_to cell\n  from -> cell when count from = 1\n  cell becomes king of mover when no from",
    ] {
        let words = format!("move go \"go {{n}}\" {{\n{lines}\n}}")
            .replace("go {n}", if lines.contains("cell") { "{cell}" } else { "go" });
        both_agree(lines, &game(&words, "go else pass", ""));
    }
}

/// Across a large board it takes more steps than are written out at one site.
#[test]
fn many_steps_are_asked_of_the_whole_board() {
    let text = |asked: &str, end: &str| {
        format!(
            "game \"Far\"\nabout \"a test\"\nplayers A, B\nboard square(12)\npiece stone of each player\n\
             start {{ row(1) becomes stone of A; row(12) becomes stone of B }}\n\
             move put \"{{cell}}\" {{\n  cell : {asked}\n  cell becomes stone of mover\n}}\n\
             turn {{ put else pass }}\nend {{ {end}draw when turn > 40 }}\n"
        )
    };
    for asked in [
        "ahead(cell, E, 9) in own or ahead(cell, W, 9) in own",
        "some k in 1 .. 11 with (ahead(cell, N, k) in own and ahead(cell, E, k) in own)",
        "no k in 1 .. 11 with ((ahead(cell, S, k) or ahead(cell, W, k)) is own and any ahead(cell, S, k))",
    ] {
        let game = game_of(&text(&format!("empty, {asked}"), ""));
        assert!(!plies(&game).contains(" for s"), "{asked}\n{}", plies(&game));
        assert!(!plies(&game).contains("exists"), "{asked}\n{}", plies(&game));
        both_agree(asked, &game);
    }
    // For each of the numbers first.
    let corners = "mover wins when some k in 2 .. 11 with (some x in own with (ahead(x, N, k) in own and ahead(x, E, k) in own)); ";
    let game = game_of(&text("empty", corners));
    let listing = dump(game.rules(), &program(&game), &|_| String::new());
    assert!(!listing.contains("exists"), "{listing}");
    both_agree(corners, &game);
}

/// A site lies neither among its neighbours nor in what leaves it out: a piece that arrives there adds nothing to these.
#[test]
fn a_site_adds_nothing_to_what_lies_beside_it() {
    for asked in [
        "so that any own next_to to or no (own but to)",
        "so that some x in own with (x in next_to to) or count(own but to) = 0",
        "so that count(own next_to to) > 1",
    ] {
        let words = format!(
            "move go \"{{from}}-{{to}}\" {{\n  from : own\n  to : open_from(from)\n  from -> to\n  {asked}\n}}"
        );
        let game = game(&words, "go else pass", "");
        assert!(!plies(&game).contains("| {s1}"), "{asked}\n{}", plies(&game));
        both_agree(asked, &game);
    }
}
