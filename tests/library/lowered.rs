//! What the compiler proves of rules: asked of the programs that small games become, and of both engines.

use super::common::compare::compare;
use crate::game::Game;
use crate::library::Library;
use crate::program::{Program, compile, dump};

/// A game in which stones are put, with further words and lines.
fn game(words: &str, part: &str, lines: &str) -> Game {
    let text = format!(
        "game \"Proofs\"\nabout \"a test\"\nplayers A, B\nboard square(5) adjacent all\n\
         piece stone, king of each player\npiece rock \"x\" neutral\ntrack n : 0..5 = 0\ntrack mood : calm, wild = calm\n\
         track marks(site) : 0..3 = 0\n{words}\n\
         start {{ row(1) becomes stone of A; row(5) becomes king of B; a3 becomes rock }}\n\
         move act \"{{cell}}\" {{\n  cell : {part}\n{lines}\n}}\n\
         move settle \"settle\" {{ mood becomes wild when mood is calm; mood becomes calm when mood is wild; n becomes (n + 2) mod 6 }}\n\
         move crown \"{{cell}}*\" {{ cell : own stone; cell becomes king of mover }}\n\
         turn {{ act or settle or crown }}\nend {{ draw when turn > 40; draw when stuck }}\n"
    );
    Game::from_text("proofs.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

fn program(game: &Game) -> Program {
    compile(game.rules()).expect("lowered")
}

/// How the plies of the first call are found, by the first player.
fn plies(game: &Game) -> String {
    let listing = dump(game.rules(), &program(game), &|_| String::new());
    let call = listing.split("call 0: ").nth(1).unwrap();
    let lines = call.lines().skip(1).take_while(|line| !line.trim_start().starts_with("do "));
    lines.map(str::trim).collect::<Vec<_>>().join("; ")
}

fn both_agree(label: &str, game: &Game) {
    assert!(compare(label, game, |games| games < 3, 40, 7) > 0, "{label}");
}

const CELL: &str = "plies s0 in empty";

/// Changes that can always be made, whatever stands on the board.
const SURE: &[&str] = &[
    // A set and what is taken out of it.
    "  cell becomes stone of mover\n  own king but corner becomes stone of mover\n  own king corner becomes rock",
    "  (own but next_to cell) becomes king of mover\n  (own next_to cell) becomes stone of mover",
    // Own, enemy and neutral pieces; kinds.
    "  own king becomes stone of mover\n  enemy king becomes stone of next\n  cell becomes rock",
    "  king next_to cell becomes empty\n  stone next_to cell becomes rock",
    // Guards that never hold together.
    "  cell becomes stone of mover when any rock\n  cell becomes king of mover when no rock",
    "  cell becomes stone of mover when mood is calm\n  cell becomes rock when mood is wild",
    "  cell becomes stone of mover when n < 2\n  cell becomes rock when n > 3",
    "  cell becomes stone of mover when (n < 2 and any rock)\n  cell becomes rock when (n >= 2 or no rock)",
    "  mood becomes wild when n = 0\n  mood becomes calm when n != 0\n  cell becomes rock",
    // For every member of a set.
    "  every x in stone: x becomes rock\n  cell becomes stone of mover",
    "  every p in players: (stone of p) becomes rock\n  cell becomes stone of mover",
    "  every x in own: marks(x) becomes 1\n  every x in enemy: marks(x) becomes 2\n  cell becomes rock",
    // Again and again.
    "  cell becomes stone of mover\n  then\n  repeat at most 3 while any rock { rock becomes empty }",
    "  repeat at most n { rock becomes empty\n  stone next_to rock becomes rock }\n  cell becomes rock",
    "  repeat at most 2 while any king { king becomes stone of mover }\n  cell becomes rock\n  then\n  cell becomes king of mover",
];

#[test]
fn changes_that_cannot_meet_are_not_tried() {
    for lines in SURE {
        let game = game("", "empty", lines);
        assert_eq!(plies(&game), CELL, "{lines}");
        both_agree(lines, &game);
    }
}

/// Changes that cannot always be made.
const UNSURE: &[&str] = &[
    "  cell becomes stone of mover\n  own king but corner becomes stone of mover\n  own king next_to cell becomes rock",
    "  (own but next_to cell) becomes king of mover\n  own row(2) becomes stone of mover",
    "  king next_to cell becomes empty\n  own next_to cell becomes rock",
    "  cell becomes stone of mover when any rock\n  cell becomes king of mover when any king",
    "  cell becomes stone of mover when n < 3\n  cell becomes rock when n > 1",
    "  mood becomes wild when n < 3\n  mood becomes calm when n > 1\n  cell becomes rock",
    "  n becomes n + 1\n  cell becomes rock",
    "  every x in piece next_to cell: x becomes piece_on(ahead(x, N))\n  cell becomes rock",
    "  every x in own: marks(x) becomes 1\n  every x in piece: marks(x) becomes 2\n  cell becomes rock",
    "  every x in own: x -> ahead(x, N)\n  cell becomes rock",
    "  every x in own: x -> ahead(x, direction(x, cell))",
    "  the king becomes rock\n  (the rock) -> cell",
    "  cell becomes stone of mover\n  then\n  repeat at most 3 { n becomes n + 1 }",
    "  repeat at most 3 while any rock { (the rock) -> ahead(the rock, N) }\n  cell becomes rock",
];

#[test]
fn changes_that_may_meet_are_tried() {
    for lines in UNSURE {
        let game = game("", "empty", lines);
        assert_ne!(plies(&game), CELL, "{lines}");
        both_agree(lines, &game);
    }
}

/// What depends on no member is worked out once, and stands before the change that asks for it.
#[test]
fn what_no_member_decides_is_asked_once_in_a_change() {
    let lines = "  cell becomes stone of mover\n  n becomes count { x in own with count(group(x)) = most { count(group(y)) for y in own } }";
    let game = game("", "empty", lines);
    let listing = dump(game.rules(), &program(&game), &|_| String::new());
    let (before, change) = listing.split_once("number[0] :=").unwrap();
    assert!(before.contains("do s") && !change.lines().next().unwrap().contains("most"), "{listing}");
    both_agree(lines, &game);
}

#[test]
fn pieces_that_may_be_missing_are_asked_for_all_at_once() {
    for lines in [
        "  every x in run(cell, N, piece): x becomes piece_on(ahead(x, S))\n  cell becomes rock",
        "  every x in own next_to cell: x becomes piece_on(ahead(x, E))\n  cell becomes rock",
        "  corner becomes piece_on(ahead(cell, N)) when n > 2",
        "  every x in own: x -> ahead(x, NE)",
        "  every x in piece next_to cell: x -> ahead(x, if n > 2 then N else S)",
        "  every x in run(cell, N, piece): x -> ahead(x, N)\n  ahead(cell, N) becomes stone of mover",
    ] {
        let game = game("", "empty", lines);
        assert!(!plies(&game).contains("can_apply"), "{lines}: {}", plies(&game));
        both_agree(lines, &game);
    }
}

/// Words of the site alone, by what else there is around them; the condition on the part becomes a set that is known.
const SETTLED: &[(&str, &str)] = &[
    ("word up(x: site) = least { k for k in 1 .. 5 with x in row(k) }", "up(cell) > 2"),
    ("word up(x: site) = least { k for k in 1 .. 5 with x in row(k) }", "up(cell) * up(cell) - 3 * up(cell) = 4"),
    ("word roomy(x: site) = count(next_to x) = 8", "cell in roomy"),
    ("word roomy(x: site) = no y in next_to x with (count(next_to y) = 3)", "cell in roomy"),
    ("word off(x: site) = sum { distance(x, c) for c in corner }", "off(cell) < 10"),
    ("word far(x: site) = if x in centre then 0 else least { distance(x, c) for c in centre }", "far(cell) mod 2 = 1"),
    ("word deep(x: site) = case mover { A: distance(x, a1), B: distance(x, e5) }", "deep(cell) < 4"),
    ("word lies(x: site) = some d in directions with (ahead(x, d, 4) in corner)", "cell in lies"),
    // What lies off the board has no row, and counts for nothing.
    ("word up(x: site) = least { k for k in 1 .. 5 with x in row(k) }", "up(ahead(cell, N)) > 2"),
    ("word up(x: site) = least { k for k in 1 .. 5 with x in row(k) }", "not up(ahead(cell, N)) > 2"),
    ("word none_up(x: site) = no k in 1 .. 5 with x in row(k)", "none_up(ahead(cell, NE))"),
];

#[test]
fn what_the_site_alone_decides_is_known_when_the_board_is() {
    for (word, condition) in SETTLED {
        let game = game(word, &format!("empty, {condition}"), "  cell becomes stone of mover");
        let found = plies(&game);
        let known = found.starts_with("plies s0 in (empty & {") || found.starts_with("plies s0 in (empty & pull(");
        let known = known || found.starts_with("plies s0 in (empty & !") || found == CELL;
        assert!(known && !found.contains("filter") && !found.contains("table"), "{word}: {condition}: {found}");
        both_agree(condition, &game);
    }
}

/// Numbers of the site beside what play changes: found for all sites at once.
const BESIDE: &[(&str, &str)] = &[
    ("word up(x: site) = least { k for k in 1 .. 5 with x in row(k) }", "up(cell) > n"),
    ("word up(x: site) = least { k for k in 1 .. 5 with x in row(k) }", "n != up(cell)"),
    ("word up(x: site) = least { k for k in 1 .. 4 with x in row(k) }", "up(cell) <= n"),
    ("word up(x: site) = least { k for k in 1 .. 5 with x in row(k) }", "up(cell) >= count(own next_to cell)"),
    ("word up(x: site) = least { k for k in 1 .. 5 with x in row(k) }", "up(cell) < up(the own king)"),
    ("word near(x: site) = distance(x, the rock)", "up(cell) > 1 and near(cell) < 9\nword up(x) = count(next_to x)"),
];

#[test]
fn a_number_of_the_site_is_compared_for_all_sites_at_once() {
    for (word, condition) in BESIDE {
        let (condition, more) = condition.split_once('\n').unwrap_or((condition, ""));
        let game = game(&format!("{word}\n{more}"), &format!("empty, {condition}"), "  cell becomes stone of mover");
        let slow = program(&game).slow.len();
        assert!(slow == 0 || word.contains("near"), "{word}: {condition}: {}", plies(&game));
        both_agree(condition, &game);
    }
}

#[test]
fn what_pieces_decide_is_no_table_and_what_takes_too_long_is_none_either() {
    let word = "word linked(x: site) = least { count(own next_to y) for y in next_to x }";
    let with_pieces = game(word, "empty, linked(cell) > 0", "  cell becomes stone of mover");
    assert!(!plies(&with_pieces).contains("table"), "{}", plies(&with_pieces));
    both_agree(word, &with_pieces);
    let word = "word long(x: site) = sum { sum { sum { sum { distance(a, b) + distance(c, d) for a in site } for b in site } for c in site } for d in site }";
    let long = game(word, "empty, long(cell) > turn", "  cell becomes stone of mover");
    assert!(plies(&long).contains("sum"), "{}", plies(&long));
}

/// A game in which a part that is not printed may be told by one that is.
fn hidden(lines: &str, printed: &str) -> Game {
    let text = format!(
        "game \"Hidden\"\nabout \"a test\"\nplayers A, B\nboard hexagon(3)\npiece stone of each player\n\
         track high(site) : 1..5 = 1\ntrack low(site) : 0..5 = 1\nallow same-notation\n\
         start {{ row(1) becomes stone of A; row(5) becomes stone of B }}\n\
         move act \"{printed}\" {{\n{lines}\n}}\n\
         move put \"{{cell}}\" {{ cell : empty; cell becomes stone of mover; low(cell) becomes (low(cell) + 1) mod 3 }}\n\
         turn {{ act or put }}\nend {{ draw when turn > 30; draw when stuck }}\n"
    );
    Game::from_text("hidden.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

#[test]
fn a_hidden_direction_is_told_by_the_site_that_lies_there() {
    let ahead = |steps: &str| {
        format!("  from : own\n  d : directions\n  to = ahead(from, d, {steps}) but own\n  if any to\n  from -> to")
    };
    let pair = |i: &str, j: &str| {
        format!(
            "  to : empty\n  i : 0 .. 5\n  j : 0 .. 5\n  a = own first(to, turned({i}))\n  b = own first(to, turned({j}))\n             \x20 if i < j\n  if any a\n  if any b\n  to becomes stone of mover\n  a becomes empty\n  b becomes empty"
        )
    };
    for (lines, printed, told) in [
        (ahead("1 + count(own next_to from)"), "{from}-{to}", true),
        (ahead("high(from)"), "{from}-{to}", true),
        // No step at all leads to the same site in all directions: then only the first is found.
        (ahead("low(from)").replace(" but own", ""), "{from}-{to}", true),
        // But not where the direction makes a difference all the same.
        (ahead("low(from)").replace(" but own", "") + "\n  ahead(to, d) becomes empty", "{from}-{to}", false),
        (ahead("low(from)").replace(" but own", "") + "\n  if any (ahead(from, d) but own)", "{from}-{to}", false),
        // Nothing tells where it came from.
        (ahead("high(from)"), "to {to}", false),
        // What is printed may be missing.
        (ahead("high(from)").replace("  if any to\n  from -> to", "  from becomes empty"), "{from}-{to}", false),
        (pair("NE, i", "NE, j"), "{a},{b}-{to}", true),
        // Behind the first piece that is met.
        (
            "  from : own\n  d : directions\n  screen = first(from, d) piece\n  to = enemy first(screen, d)\n  if any screen\n  \
             if any to\n  from -> to"
                .to_owned(),
            "{from}x{to}",
            true,
        ),
        (pair("NE, i", "NE, j"), "{b}-{to}", false),
        // Half of the directions come twice.
        (pair("NE, i mod 3", "NE, j"), "{a},{b}-{to}", false),
    ] {
        let game = hidden(&lines, printed);
        let alike = program(&game).by_mover.iter().any(|own| own.calls.iter().any(|call| call.may_repeat));
        assert_eq!(alike, !told, "{printed}\n{lines}");
        both_agree(&lines, &game);
    }
}

/// Ways of a few numbers and directions are sets, without those that a condition rules out before the game.
#[test]
fn ways_that_a_condition_rules_out_are_none() {
    for (order, ways) in [("i < j", 15), ("i <= j", 21), ("i = j", 6), ("i < j - 5", 0)] {
        let lines = format!(
            "  to : empty\n  i : 0 .. 5\n  j : 0 .. 5\n  if {order}\n  a = own first(to, turned(NE, i))\n  \
             b = enemy first(to, turned(NE, j))\n  if any a\n  if any b\n  to becomes stone of mover"
        );
        let game = hidden(&lines, "{a},{b}-{to}");
        let found = plies(&game);
        assert_eq!(found.matches("plies s0 in ").count(), ways, "{order}: {found}");
        both_agree(order, &game);
    }
}

#[test]
fn a_piece_jumped_over_is_told_by_the_site_behind_it() {
    let jump = |over: &str, to: &str| {
        format!("  from : own\n  over : {over}\n  to : {to}\n  from -> to\n  over becomes empty")
    };
    for (lines, told) in [
        (jump("enemy next_to from", "empty behind(from, over)"), true),
        (jump("enemy ahead(from, W or E)", "empty behind(from, over)"), true),
        (jump("enemy beyond(from, directions, empty)", "run(over, direction(from, over), empty)"), true),
        (
            jump(
                "if high(from) > 1 then enemy next_to from else beyond(from, W or E, empty)",
                "run(over, direction(from, over), empty)",
            ),
            true,
        ),
        (jump("enemy next_to from, low(over) < 2", "empty behind(from, over) but own"), true),
        // As far behind it as one comes from, whatever that is, as long as there is one in each direction.
        (
            jump(
                "enemy (ahead(from, E) or ahead(from, W) or ahead(from, NW or SE, 2))",
                "empty ahead(over, direction(from, over), distance(from, over))",
            ),
            true,
        ),
        // Were the nearer of two in one direction jumped over, the one behind it would be in the way.
        (jump("enemy (ahead(from, E) or ahead(from, E or W, 2))", "run(over, direction(from, over), empty)"), true),
        // Wherever on its line: the site behind it is told by it.
        (jump("enemy", "empty behind(from, over)"), true),
        // Any piece of the line, or on no line at all.
        (jump("run(from, directions, piece)", "run(over, direction(from, over), site)"), false),
        (jump("enemy next_to from", "empty next_to over"), false),
        (jump("enemy next_to from", "empty"), false),
        // The site on the other side tells it as well.
        (jump("enemy next_to from", "empty behind(over, from)"), true),
    ] {
        let game = hidden(&lines, "{from}x{to}");
        let alike = program(&game).by_mover.iter().any(|own| own.calls.iter().any(|call| call.may_print_alike));
        assert_eq!(alike, !told, "{lines}");
        both_agree(&lines, &game);
    }
}

/// A game whose turns are two plies that together must do something.
fn in_two(lines: &str, such_that: &str) -> Game {
    let text = format!(
        "game \"In two\"\nabout \"a test\"\nplayers A, B\nboard hexagon(3)\npiece stone of each player\npiece rock \"x\" neutral\n\
         track low(site) : 0..5 = 1\nallow same-notation\nstart {{ side(NW) becomes stone of A; side(SE) becomes stone of B }}\n\
         move act {{\n{lines}\n}}\nmove rest \"rest {{cell}}\" {{ cell : empty; low(cell) becomes 2 }}\n\
         whole turn {{ (act or rest), (act or rest) such that {such_that} }}\n\
         end {{ next wins when stuck; draw when turn > 12 }}\n"
    );
    Game::from_text("two.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

#[test]
fn whether_one_more_ply_ends_a_turn_is_one_condition() {
    for (lines, such_that, asked) in [
        ("  cell : empty next_to own\n  cell becomes rock", "some act this turn", true),
        (
            "  from : own\n  to : empty next_to from, low(to) < 2\n  from -> to",
            "some act this turn with to in side(NE)",
            true,
        ),
        (
            "  cell : empty\n  n : 0 .. count(own next_to cell)\n  if n < 3\n  cell becomes rock",
            "some act this turn with n > 1",
            true,
        ),
        (
            "  cell : empty\n  n : 0 - low(cell) .. 2\n  cell becomes rock",
            "some act this turn with n < 0 and some act this turn with n > 0",
            true,
        ),
        (
            "  from : own\n  d : directions\n  to = ahead(from, d)\n  if to in empty\n  from -> to",
            "some act this turn with d = NE",
            true,
        ),
        ("  cell : empty\n  cell becomes rock", "count rock > 0", true),
        // It has to be played to find out; that nothing need follow shows without.
        ("  cell : empty\n  cell becomes rock", "sum { count connected(x, rock) for x in rock } > 0", false),
        ("  cell : empty\n  cell becomes rock\n  so that count(rock next_to cell) < 2", "some act this turn", true),
    ] {
        let game = in_two(lines, such_that);
        let finishes = program(&game).by_mover.iter().all(|own| own.finishes.iter().flatten().count() > 1);
        assert_eq!(
            finishes,
            asked,
            "{lines}\n{such_that}\n{}",
            dump(game.rules(), &program(&game), &|_| String::new())
        );
        both_agree(lines, &game);
    }
}

/// A stone on an empty site, after which one more ply has to do something: the plies of the first player that are found only if
/// something holds before them.
fn told_before(lines: &str, such_that: &str) -> String {
    let game = in_two(lines, such_that);
    let label = format!("{lines}\n{such_that}");
    let listing = dump(game.rules(), &program(&game), &|_| String::new());
    both_agree(&label, &game);
    let own = listing.split("\nB to move").next().unwrap();
    let calls = own.split("\n  call ").skip(1).filter_map(|call| {
        let (name, hope) = call.lines().find_map(|line| line.trim().strip_suffix(" ? 1 : 0)")?.split_once(" := ("))?;
        let asked = format!("{name} = 1");
        let found = call.lines().filter(|line| line.contains(&asked)).map(|line| line.trim().replace(&asked, "hope"));
        Some(format!("call {}: hope is {hope}: {}", &call[..1], found.collect::<Vec<_>>().join("; ")))
    });
    calls.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_only_takes_away_makes_nothing_possible() {
    let leap =
        "  cell : empty\n  n : 0 .. count open(cell, E)\n  own corner becomes empty when n > 1\n  cell becomes rock";
    let rock = "  cell : empty\n  cell becomes rock";
    for (lines, such_that, told) in [
        // What is asked of rocks may come of such a ply, but for there being none; of what is empty it may not.
        (
            leap,
            "(some act this turn with n > 1 and no rock corner)",
            "call 0: hope is (number[21] = 1 and not any (rock & {6 sites})): plies s0 in (hope ? empty : {}), s1 = 0; plies s0 in (hope ? S5 : {}), s1 = 1\n\
             call 1: hope is (number[21] = 1 and not any (rock & {6 sites})): if hope",
        ),
        // Own stones are left where they are by plies that do not leap.
        (
            leap,
            "(some act this turn with n > 1 and any own edge)",
            "call 0: hope is (number[21] = 1 and any (stone:A & {12 sites})): plies s0 in (hope ? empty : {}), s1 = 0; plies s0 in (hope ? S5 : {}), s1 = 1\n\
             call 1: hope is (number[21] = 1 and any (stone:A & {12 sites})): if hope",
        ),
        // After a rock is put another one makes two; after a rest it takes one that is there.
        (
            rock,
            "count rock > 1",
            "call 1: hope is count rock > 1: if hope\n\
             call 2: hope is any empty: if hope\n\
             call 3: hope is (exists s0 in empty with count (rock | {s0}) > 1 or (count rock > 1 and any empty)): if hope",
        ),
    ] {
        let found = told_before(lines, such_that);
        assert_eq!(found, told, "{lines}\n{such_that}");
    }
}

#[test]
fn lines_whose_directions_only_play_tells_are_followed() {
    for condition in [
        "count run(cell, direction(the rock, cell) or opposite(direction(the rock, cell)), site) > 2",
        "any own run(cell, { d for d in directions with ahead(cell, d) in own }, piece)",
        "any enemy beyond(cell, { d for d in directions with any ahead(cell, d) own }, own)",
        "no own between(cell, the rock)",
        // The other end is worked out by the catalogue.
        "no own between(cell, the (row(max(n, 1)) side(W)))",
        "count between(the (row(max(n, 1)) column(2)), cell) < 3",
        "some k in king with count between(cell, k) > n",
        "(any between(the rock, cell)) or cell in next_to the rock",
    ] {
        let game = game("", &format!("empty, {condition}"), "  cell becomes stone of mover");
        both_agree(condition, &game);
    }
}

/// Patterns about a site, its neighbours and theirs.
const PATTERNS: &[&str] = &[
    "no x in own with any (own ahead(x, diagonal) but next_to (own next_to x))",
    "some x in enemy with (ahead(x, NE) in enemy and ahead(x, NE) not in next_to (own next_to x))",
    "some x in own with ahead(ahead(x, N), NE) in next_to (empty next_to x)",
    "cell not in { x in empty with any (enemy ahead(x, N or E) next_to (piece next_to x)) }",
];

/// A move with a hidden direction, of which no printed site tells.
fn aside(picked: &str, lines: &str) -> Game {
    let text = format!(
        "game \"Aside\"\nabout \"a test\"\nplayers A, B\nboard square(4) adjacent all\npiece stone of each player\n\
         track n : 0..20 = 0\nallow same-notation\n\
         start {{ row(1) becomes stone of A; c3 or row(4) becomes stone of B }}\n\
         move fly \"{{from}}-{{to}}\" {{\n  from : own\n  d : {picked}\n  middle = ahead(from, d)\n\
         {lines}\n  from -> to\n}}\n\
         turn {{ fly }}\nend {{ draw when turn > 12; draw when stuck }}\n"
    );
    Game::from_text("aside.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

#[test]
fn a_hidden_part_that_decides_nothing_more_is_not_compared() {
    let compared = |game: &Game| dump(game.rules(), &program(game), &|_| String::new()).contains("compared");
    for (picked, lines) in [
        ("directions", "  to : empty next_to middle"),
        ("directions", "  if any enemy next_to middle\n  to : empty next_to middle"),
        ("orthogonal", "  wide = empty next_to middle\n  to : (wide or next_to wide) but own"),
        ("N or E or W", "  if middle in empty\n  to : { y in not own with distance(y, middle) = 2 }"),
    ] {
        let game = aside(picked, lines);
        assert!(!compared(&game), "{picked}: {lines}");
        both_agree(lines, &game);
    }
    // Where a change reads it, plies are compared.
    for change in ["n becomes count(own next_to middle)", "n becomes n + 1 when d is N"] {
        let game = aside("directions", &format!("  to : empty next_to middle\n  {change}"));
        assert!(compared(&game), "{change}");
        both_agree(change, &game);
    }
}

#[test]
fn runs_compared_with_a_number_are_asked_of_the_whole_board() {
    for op in ["<", "<=", "=", "!=", ">=", ">"] {
        for number in 0..=3 {
            let condition = format!("count run(cell, E, own) {op} {number}");
            let game = game("", "site", &format!("  if {condition}\n  n becomes {number}"));
            assert!(!plies(&game).contains("filter("), "{condition}\n{}", plies(&game));
            both_agree(&condition, &game);
        }
    }
    for condition in [
        "count run(cell, orthogonal, not piece) >= 3",
        "count run(cell, E or W, own) = 1",
        "count run(cell, directions, site) > 8",
        "count run(cell, N, site but cell) > 2",
        "count(cell or run(cell, E or W, own)) >= 3",
        "count(cell or run(cell, N or S, piece)) != 1",
        "count run(ahead(cell, N), E, own) <= 1",
    ] {
        let game = game("", "site", &format!("  if {condition}\n  n becomes 3"));
        assert!(!plies(&game).contains("filter("), "{condition}\n{}", plies(&game));
        both_agree(condition, &game);
    }
}

#[test]
fn patterns_around_a_site_are_asked_of_the_whole_board() {
    for condition in PATTERNS {
        let game = game("", &format!("empty, {condition}"), "  cell becomes stone of mover");
        assert!(program(&game).slow.is_empty(), "{condition}: {}", plies(&game));
        both_agree(condition, &game);
    }
}

/// Members of several sets are asked one after the other, each for its own direction.
#[test]
fn plies_of_several_sets_whose_members_are_asked_one_by_one_are_drawn() {
    let text = "game \"Drawn\"\nabout \"a test\"\nplayers A, B\nboard hexagon(6)\npiece stone \"x\", ball \"o\" neutral\n\
                start { centre becomes ball }\n\
                move put \"{cell}{d?}\" { cell : empty; cell becomes stone; then; d : directions, \
                first(the ball, opposite(d)) in group(cell), count open(the ball, d) >= count group(cell); \
                the ball -> ahead(the ball, d) }\nturn { put else pass }\nend { draw when turn > 30 }";
    let game = Game::from_text("drawn.game", text, None, &[], &Library).unwrap_or_else(|error| panic!("{error:?}"));
    let listing = game.dump_program().unwrap();
    assert!(listing.contains("filter(") && listing.contains("random games draw plies"), "{listing}");
    both_agree("drawn", &game);
}

/// Stones are put until no two more can be; with a turn, further patterns and lines of `end`.
fn put_in_pairs(turn: &str, patterns: &str, lines: &str) -> Game {
    let text = format!(
        "game \"Pairs\"\nabout \"a test\"\nplayers A, B\nboard square(3)\npiece stone of each player\n\
         move put \"{{cell}}\" {{\n  cell : empty, no own next_to cell\n  cell becomes stone of mover\n}}\n\
         {patterns}turn {{ {turn} }}\nend {{\n{lines}\n  draw when stuck\n}}\n"
    );
    Game::from_text("pairs.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

#[test]
fn patterns_from_which_a_turn_goes_on_alike_are_the_same_places() {
    let places = |patterns: &str, lines: &str| {
        let game = put_in_pairs("put", patterns, lines);
        both_agree(&format!("{patterns}{lines}"), &game);
        program(&game).nodes.len()
    };
    let (pair, asked) = ("pattern pair = put, put\n", "  draw when not possible pair\n");
    let once = places(pair, asked);
    assert_eq!(places(pair, &format!("{asked}  mover wins when turn > 3 and not possible pair")), once);
    assert_eq!(
        places("", "  draw when not possible (put, put)\n  mover wins when turn > 3 and not possible (put, put)"),
        once
    );
    assert_eq!(places("pattern one = put\npattern pair = one, one\npattern idle = put, put, put\n", asked), once);
    assert!(
        places(pair, &format!("{asked}  mover wins when turn > 3 and not possible (put, put with cell in corner)"))
            > once
    );
    // One way and not two whose plies would have to be compared.
    let twice = put_in_pairs("put or put", pair, asked);
    both_agree("put or put", &twice);
    assert!(!twice.dump_program().unwrap().contains("alike"));
}
