//! What is asked of each site in plain words is asked of the whole board at once: parities and differences of counts, what lies
//! nearest, groups that are joined, and how far pieces can go; with the same plies on both engines.

use super::common::compare::compare;
use crate::game::Game;
use crate::library::Library;
use crate::program::{compile, dump};

/// The listing of a game that both engines play alike.
fn listing(board: &str, rules: &str, end: &str) -> String {
    let text = format!(
        "game \"At Once\"\nabout \"a test\"\nplayers A, B\nboard {board}\npiece stone of each player\n\
         start {{ row(1) becomes stone of A; row(3) becomes stone of B }}\n{rules}\n\
         end {{ {end}draw when stuck; draw when turn > 30 }}\n"
    );
    let game =
        Game::from_text("at_once.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"));
    assert!(compare(rules, &game, |games| games < 3, 30, 11) > 0, "{rules}");
    let program = compile(game.rules()).unwrap_or_else(|error| panic!("{error}"));
    dump(game.rules(), &program, &|_| String::new())
}

/// The same of stones that are put on cells of which something holds.
fn put(board: &str, words: &str, asked: &str) -> String {
    let rules = format!(
        "{words}\nmove put \"{{cell}}\" {{ cell : empty, {asked}; cell becomes stone of mover }}\nturn {{ put else pass }}"
    );
    listing(board, &rules, "")
}

/// A number that counts what stands around a site may be worked on before it is compared.
#[test]
fn numbers_made_of_counts_are_compared_for_all_sites() {
    for asked in [
        "count(piece next_to cell) mod 2 = 1",
        "(count(piece next_to cell) + 1) div 2 = 1",
        "count(own next_to cell) - count(enemy next_to cell) <= 1",
        "6 - count(empty next_to cell) > 1 + count(own next_to cell)",
        "-count(own next_to cell) > count own - 6",
        "abs(count(own next_to cell) - 2) = 1",
        "max(count(own next_to cell), 1) = min(2, count(piece next_to cell))",
        "count { d in directions with any first(cell, d) } mod 2 = 0",
        "count { d in directions with any first(cell, d) } mod 2 = count own mod 2",
    ] {
        for board in ["hexagon(3)", "square(5) adjacent all"] {
            let listing = put(board, "", asked);
            assert!(!listing.contains("filter("), "{board}, {asked}: {listing}");
        }
    }
}

/// Which of several sites are the nearest, and how far they are, is found step by step for the whole board.
#[test]
fn what_is_nearest_is_found_for_all_sites() {
    let way_to = "word way_to(p, x: site) = if any of p then least { distance(x, y) for y in of p } else 9";
    for (asked, found) in [
        ("least { distance(cell, x) for x in own } < least { distance(cell, x) for x in enemy }", "nearer("),
        ("least { distance(cell, x) for x in own } <= least { distance(cell, x) for x in enemy }", "nearer_or_equal("),
        ("least { distance(cell, x) for x in own } > least { distance(cell, x) for x in enemy }", "nearer("),
        ("least { distance(cell, x) for x in own } = least { distance(cell, x) for x in enemy }", "nearer_or_equal("),
        ("least { distance(cell, x) for x in own } != least { distance(cell, x) for x in enemy }", "nearer("),
        ("way_to(mover, cell) < way_to(next, cell)", "nearer("),
        ("any enemy nearest(piece, cell)", "nearer_or_equal("),
        ("every nearest(piece, cell) is own", "nearer_or_equal("),
        ("some a in own with (no b in enemy with distance(b, cell) <= distance(a, cell))", "nearer("),
        ("some a in own with (no b in enemy with distance(b, cell) < distance(a, cell))", "nearer_or_equal("),
        ("some a in own with distance(a, cell) <= count own - 3", "within("),
        ("least { distance(cell, x) for x in own } < count enemy", "within("),
        ("distance(one_of(nearest(own, cell)), cell) = 2", "pull"),
    ] {
        for board in ["hexagon(3)", "square(5)", "square(12) adjacent all"] {
            let listing = put(board, way_to, asked);
            assert!(listing.contains(found) && !listing.contains("filter("), "{board}, {asked}: {listing}");
        }
    }
}

/// Where the board alone says how two sites lie to each other, what else is asked of the other one is asked some steps away.
#[test]
fn what_is_asked_of_a_site_some_steps_away_is_asked_there() {
    for asked in [
        "some y in own with (distance(cell, y) = 2 and no enemy (next_to cell and next_to y))",
        "any { y in own next_to next_to cell but next_to cell but cell with no enemy (next_to cell and next_to y) }",
    ] {
        let listing = put("rhombus(5)", "", asked);
        assert!(!listing.contains("filter(") && !listing.contains("exists"), "{asked}: {listing}");
    }
}

/// A piece that is added to others makes one group of them if it touches all their groups.
#[test]
fn whether_all_hang_together_is_asked_of_the_others() {
    for asked in [
        "so that count groups(own) = 1",
        "so that every own in group(to)",
        "if every (own but from) in connected(to, (own but from) or to)",
    ] {
        let rules = format!(
            "move go \"{{from}}-{{to}}\" {{ from : own; to : empty\n  {asked}\n  from -> to }}\nturn {{ go else pass }}"
        );
        let asked_first = rules.replace("from -> to }", "}").replace("so that", "from -> to\n  so that");
        let listing = listing("square(5)", if asked.starts_with("if") { &rules } else { &asked_first }, "");
        // Of one group the sites beside it are all that join it.
        assert!(listing.contains("within S0 ? (S1 | dilate(S1))"), "{asked}: {listing}");
    }
}

/// Numbers of steps end where the way does, and where a piece goes tells how it got there: no two of these plies print alike.
#[test]
fn how_many_go_and_how_far_is_told_by_where_they_come_to() {
    for n in ["1 .. 5, count(own (tail or ahead_all(tail, d, n - 1))) = n", "1 .. (count run(tail, d, own) + 1)"] {
        let rules = format!(
            "move advance \"{{tail}}-{{front}}:{{to}}\" {{\n  tail : own\n  d : directions\n  n : {n}\n  front = ahead(tail, d, n - 1)\n  \
             k : 1 .. n\n  to = ahead(front, d, k)\n  if to in (empty or enemy) and every ahead_all(front, d, k - 1) is empty\n  \
             foes = to or run(to, d, enemy)\n  if to in empty or count foes < n\n  foes becomes empty when to in enemy\n  then\n  \
             every x in tail or ahead_all(tail, d, n - 1): x -> ahead(x, d, k)\n}}\nturn {{ advance else pass }}"
        );
        let listing = listing("square(5) adjacent all", &rules, "");
        assert!(listing.contains("bit(s1), empty) + 1))"), "{n}: {listing}");
        assert!(!listing.contains("plies may be alike"), "{n}: {listing}");
    }
}

/// Of a few sites those that are there in any case are asked for first, so that few others are gone through.
#[test]
fn sites_that_are_there_in_any_case_are_asked_first() {
    let boxes = "word boxes = [x or y or ahead(x, N, distance(x, y)) or ahead(y, N, distance(x, y)) \
                 for x in site for y in run(x, E, site) with any ahead(x, N, distance(x, y))]\n\
                 move put \"{cell}\" { cell : empty; cell becomes stone of mover }\nturn { put else pass }";
    let listing = listing("square(5)", boxes, "mover wins when some b in boxes with every b is own; ");
    assert!(listing.contains("exists s0 in stone:A with exists s1 in (stone:A & "), "{listing}");
}

/// What is summed up over lines is summed up over those alone of which it is asked.
#[test]
fn sums_go_through_those_of_which_something_is_asked() {
    let on_line = "word on_line(x: site, y: site) = sum { count(l piece) for l in whole_lines(directions) with x in l and y in l }\n\
                   move go \"{from}-{to}\" { from : own; to : empty, distance(from, to) = on_line(from, to); from -> to }\nturn { go else pass }";
    let listing = listing("square(5) adjacent all", on_line, "");
    assert!(
        listing.contains("sum(") && !listing.contains("where false") && !listing.contains("in all where"),
        "{listing}"
    );
}

/// Pieces between two sites can all go on towards the far one, so that nothing has to be asked of each.
#[test]
fn what_lies_between_can_go_on_towards_the_far_site() {
    let rules = "move push \"{dot}{way}\" {\n  dot : own\n  way : orthogonal\n  gap = beyond(dot, way, piece)\n  if gap in empty\n  \
                 every x in between(dot, gap): x -> ahead(x, way)\n}\nturn { push else pass }";
    let listing = listing("square(5)", rules, "");
    assert!(!listing.contains("not known"), "{listing}");
}

/// One member and what stands beside it, sites of a block, runs that lead up to a piece, and sums of several questions.
#[test]
fn members_beside_others_blocks_runs_and_sums_are_asked_of_all_sites() {
    let block = "cell or ahead(cell, N) or ahead(cell, E) or ahead(cell, NE)";
    for (asked, found) in [
        ("some z in own with (z in next_to cell and no ((own next_to cell) but z))", "+ -1 = #()"),
        ("no x in own with (some y in own but x with (x in next_to cell and y in next_to cell))", "+ -1 > #()"),
        (&*format!("count(own ({block})) >= 2"), "+ -2 >= #()"),
        ("some b in enemy with (any between(b, cell) and every between(b, cell) is own)", "pull_beyond"),
        (
            "sum { (if count(own next_to x) > 1 then 1 else 0) + (if x in edge then 2 else 0) for x in own } mod 3 = 1",
            "tally",
        ),
        ("sum { count(own ahead(x, N or E)) for x in own } mod 2 = 0", "count"),
    ] {
        let listing = put("square(5) adjacent all", "", asked);
        let goes_through = ["filter(", "sum(", "exists "].iter().any(|word| listing.contains(word));
        assert!(listing.contains(found) && !goes_through, "{asked}: {listing}");
    }
}

/// Directions that play tells are turned by looking up what becomes of each.
#[test]
fn directions_that_are_tracked_are_turned_by_instructions() {
    let rules = "track way : direction = N\nmove put \"{cell}{d}\" { cell : empty; d : turned(way, 2) or turned(way, -2); \
                 if any (site ahead(cell, d)); cell becomes stone of mover; way becomes d }\nturn { put else pass }";
    let listing = listing("square(5)", rules, "");
    assert!(!listing.contains("word turned"), "{listing}");
}

/// Whether something stands in the same row, column or line is asked along whole lines.
#[test]
fn rows_that_a_number_of_the_site_tells_are_asked_of_all_sites() {
    for asked in [
        "no (own row(row_number(cell)))",
        "any (enemy column(column_number(cell))) and no (enemy row(row_number(cell)))",
        "no y in own with (row_number(y) = row_number(cell) or column_number(y) = column_number(cell))",
    ] {
        let listing = put("square(5)", "", asked);
        assert!(listing.contains("pull_run(") && !listing.contains("filter("), "{asked}: {listing}");
    }
    // A row has the site itself in it.
    let itself = "move go \"{from}-{to}\" { from : own, any (own row(row_number(from))); to : empty next_to from; from -> to }\n\
                  turn { go else pass }";
    assert!(listing("square(5)", itself, "").contains("pull_run("));
}

/// What a kind or a player that was picked has after a change is told in the state before it.
#[test]
fn kinds_that_were_picked_are_known_after_a_change() {
    let rules = "piece red, blue neutral\nmove lay \"{c}{cell}\" {\n  cell : empty\n  c : kinds(red, blue)\n  cell becomes c\n  \
                 so that count(c row(row_number(cell))) = 1 and no c next_to cell\n}\nturn { lay else pass }";
    let of_kinds = listing("square(5)", rules, "");
    assert!(!of_kinds.contains("on a copy"), "{of_kinds}");
    let rules = "move give \"{p}{cell}\" {\n  cell : empty\n  p : players\n  cell becomes stone of p\n  \
                 so that count(of p next_to cell) < 2 and count(of p) < 9\n}\nturn { give else pass }";
    let of_players = listing("square(5)", rules, "");
    assert!(!of_players.contains("on a copy"), "{of_players}");
    // What has moved is no longer where it was.
    let rules = "piece king of each player\nmove go \"{k}{from}{to}\" {\n  k : kinds(stone, king)\n  from : own k\n  \
                 to : empty next_to from\n  from -> to\n  so that no k next_to to or count(k row(row_number(to))) < 2\n}\n\
                 turn { go else pass }";
    let moved = listing("square(5)", rules, "");
    assert!(!moved.contains("on a copy"), "{moved}");
}

/// A change for each of a few players or numbers is one for each, of which it is known what it changes.
#[test]
fn changes_for_each_of_a_few_are_written_out() {
    let rules = "track purse(player) : 0..25 = 9\nmove put \"{cell}\" {\n  cell : empty\n  cell becomes stone of mover\n  \
                 every p in players but mover: purse(p) becomes purse(p) - 1 when count(of p next_to cell) > 1\n}\n\
                 turn { put else pass }";
    let players = listing("square(5)", rules, "");
    assert!(!players.contains("can_apply") && !players.contains("do for "), "{players}");
    let rules = "path circle = row(1) from W, row(2) from E, round\ntrack seeds(site) : 0..60 = 3\nmove sow \"{from}\" {\n  \
                 from : site, seeds(from) > 0\n  n = seeds(from)\n  \
                 every s in 1..3: seeds(ahead(from, circle, s)) becomes seeds(ahead(from, circle, s)) + (if n < s then 0 else 1)\n  \
                 seeds(from) becomes max(0, n - 3)\n}\nturn { sow else pass }";
    let numbers = listing("rectangle(4, 3)", rules, "");
    assert!(!numbers.contains("can_apply") && !numbers.contains("do for "), "{numbers}");
    // Where the third step leads back to where the sowing began, two changes meet and bar the move unless they agree.
    let short = rules.replace("row(1) from W, row(2) from E, round", "a1 .. c1, round");
    let short = listing("rectangle(4, 3)", &short, "");
    assert!(short.contains("not ("), "{short}");
    // Who has left is not one of those for whom it is done.
    let text = "game \"Purses\"\nabout \"a test\"\nplayers A, B, C\nboard square(4)\npiece stone of each player\n\
                track purse(player) : 0..60 = 0\nmove put \"{cell}\" { cell : empty; cell becomes stone of mover }\n\
                after each ply { every p in playing: purse(p) becomes purse(p) + 1; A leaves when turn = 4 }\n\
                turn { put else pass }\nscore(p) = purse(p)\nend { best score when turn > 12 }\n";
    let game = Game::from_text("purses.game", text, None, &[], &Library).unwrap_or_else(|error| panic!("{error:?}"));
    assert!(compare("purses", &game, |games| games < 3, 30, 11) > 0);
    let purses = compile(game.rules()).unwrap_or_else(|error| panic!("{error}"));
    let purses = dump(game.rules(), &purses, &|_| String::new());
    assert!(!purses.contains("do for "), "{purses}");
    // On a ring that leads past all sites no two of three steps meet, so that nothing is asked of two changes.
    let ring = rules.replace("row(2) from E, round", "row(2) from E, row(3) from W, round");
    let ring = listing("rectangle(4, 3)", &ring, "");
    assert!(!ring.contains("not (s0.") && ring.contains("do "), "{ring}");
}

/// Changes of which each is made only where the other is not are made together, also where counts tell.
#[test]
fn counts_that_exclude_each_other_are_known_to() {
    let rules = "word lead(x: site) = sum { if y in own then 1 else -1 for y in piece next_to x }\nmove put \"{cell}\" {\n  \
                 cell : empty\n  cell becomes stone of mover\n  then\n  \
                 every x in empty: x becomes stone of mover when lead(x) > 1\n  \
                 every x in empty: x becomes stone of next when lead(x) < -1\n}\nturn { put else pass }";
    // Where both hold of one site, the two changes meet and bar the move.
    listing("square(5)", &rules.replace("lead(x) < -1", "lead(x) > 2"), "");
    let listing = listing("square(5)", rules, "");
    assert!(
        !listing.contains("can_apply") && !listing.contains("filter(") && !listing.contains("on a copy"),
        "{listing}"
    );
}

/// Sites along a line that pass what is asked of them are told apart by how far away they lie.
#[test]
fn sites_along_lines_are_told_apart_by_their_steps() {
    let rules = "move march \"{rear}-{to}\" {\n  rear : own\n  d : directions\n  to : ahead_all(rear, d, 3) (empty or enemy)\n  \
                 if count(between(rear, to) own) = distance(rear, to) - 1\n  rear -> to\n}\nturn { march else pass }";
    let listing = listing("square(5)", rules, "");
    assert!(listing.contains(", s1 = s0.N.N.N\n") && !listing.contains("filter("), "{listing}");
}

/// What a stage changes is worked out once with what is asked before it.
#[test]
fn changes_of_a_stage_share_what_is_asked_before_it() {
    let rules = "track age(site) : 0..9 = 0\nmove go \"{from}-{to}\" {\n  from : own\n  to : empty next_to from\n  \
                 if count(own connected(to, empty)) + age(from) < 5\n  from -> to\n  \
                 age(to) becomes count(own connected(to, empty)) + age(from)\n  then\n  \
                 repeat at most 3 while age(to) > 3 { age(to) becomes age(to) - 2 }\n  then\n  \
                 if any groups(own) next_to to\n}\nturn { go else pass }";
    let listing = listing("square(5)", rules, "");
    let of_stage = listing.lines().filter(|line| line.contains("on a copy of the state")).collect::<Vec<_>>();
    assert!(!of_stage.is_empty() && of_stage.iter().all(|line| !line.contains("connected")), "{listing}");
}
