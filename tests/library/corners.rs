//! Where proofs end: small games on which the engines would differ if one of the compiler's proofs, or one of the fast
//! engine's short ways, went a step too far.

use super::common::compare::compare;
use crate::game::Game;
use crate::library::Library;

fn played(label: &str, text: &str) {
    let game =
        Game::from_text("corner.game", text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"));
    assert!(compare(label, &game, |games| games < 3, 40, 7) > 0, "{label}");
}

/// A board with pieces on it, and a move with one part and whatever lines.
struct Corner {
    board: &'static str,
    start: &'static str,
    words: &'static str,
    printed: &'static str,
}

const SQUARES: Corner = Corner {
    board: "square(5) adjacent all",
    start: "row(1) becomes stone of A; row(5) becomes king of B; a3 becomes rock",
    words: "",
    printed: "{cell}",
};

const RING: Corner =
    Corner { board: "ring(6)", start: "1 becomes stone of A; 4 becomes king of B; 5 becomes rock", ..SQUARES };

const HUB: Corner = Corner {
    board: "graph { hub at 0, 0; one at 10, 0; two at 10, 1; three at -5, 0; four at 10, 5; \
            hub - one - two; hub - two; hub - three - four; two - four }",
    start: "hub becomes stone of A; four becomes king of B",
    ..SQUARES
};

impl Corner {
    fn play(&self, part: &str, lines: &str) {
        let Self { board, start, words, printed } = self;
        let text = format!(
            "game \"Corner\"\nabout \"a test\"\nplayers A, B\nboard {board}\npiece stone, king of each player\n\
             piece rock \"x\" neutral\ntrack n : 0..5 = 0\ntrack marks(site) : 0..3 = 0\nallow same-notation\n{words}\n\
             start {{ {start} }}\nmove act \"{printed}\" {{\n  cell : {part}\n{lines}\n}}\n\
             move put \"{{cell}}!\" {{ cell : empty; cell becomes rock; n becomes (n + 2) mod 6 }}\n\
             move lift \"{{cell}}-\" {{ cell : piece; cell becomes empty; marks(cell) becomes (marks(cell) + 1) mod 4 }}\n\
             turn {{ act or put or lift else pass }}\nend {{ draw when turn > 30; draw when stuck }}\n"
        );
        played(&format!("{part}: {lines}"), &text);
    }

    /// A stone is put where a condition holds.
    fn put_where(&self, condition: &str) {
        self.play(&format!("empty, {condition}"), "  cell becomes stone of mover");
    }
}

/// Changes that look as if they could always be made, or never clash.
#[test]
fn changes_that_cannot_be_told_apart_are_tried() {
    for lines in [
        // Two different numbers are compared, with known ones and with each other.
        "  cell becomes stone of mover when n < 2\n  cell becomes rock when turn > 8",
        "  cell becomes stone of mover when n < count(own)\n  cell becomes rock when n > count(rock)",
        // The entry is that of the part, not of each member.
        "  every x in own next_to cell: marks(cell) becomes (if x in column(1) then 1 else 2)",
        // The same piece may arrive twice.
        "  (empty next_to cell) becomes piece_on(a1)\n  ahead(cell, N) becomes stone of mover",
        // There may be several.
        "  (the rock) -> cell",
    ] {
        SQUARES.play("empty", lines);
    }
    let remembered = Corner { words: "track seen : sites = row(1)", ..SQUARES };
    remembered.play("empty", "  seen becomes next_to cell when n > 1\n  cell becomes stone of mover when cell in seen");
    let twice = "  seen becomes next_to cell when n > 1\n  seen becomes own when n < 3\n  cell becomes stone of mover when cell in seen";
    remembered.play("empty", twice);
}

/// Conditions that are nearly of a form that is found for all sites at once, or folded.
#[test]
fn conditions_of_nearly_the_same_form_are_not_taken_for_it() {
    for condition in [
        // What is missing stays missing, whatever it is multiplied with.
        "marks(ahead(cell, N)) * 0 = 0",
        "n * 0 = 0",
        // Two comparisons of different numbers are no single one.
        "n = 2 or turn > 5",
        // Three rows, and a row of which only a part is meant.
        "count(own (cell or ahead_all(cell, N, 2) or ahead_all(cell, E, 2))) > 1",
        "count(piece (cell or (ahead_all(cell, N, 4) and next_to cell))) > 0",
        // Both sides speak of the part.
        "ahead(cell, N, 2) in beyond(cell, N, empty)",
        "beyond(cell, E, empty) in run(cell, E or N, site)",
        "ahead(cell, E) in next_to (own next_to (ahead(cell, N)))",
        // Numbers that are no sites of this board.
        "n not in (if cell in next_to own then 40 else 2) .. 45",
        // Several are not one.
        "the (own next_to cell) in column(1)",
    ] {
        SQUARES.put_where(condition);
    }
    let rows = Corner { words: "word up(x: site) = least { k for k in 1 .. 5 with x in row(k) }", ..SQUARES };
    // A number that is missing makes a list that begins with another one neither more nor less.
    rows.put_where("[count(own next_to cell), up(ahead(cell, N))] > [0, 3]");
    // The site may be missing, so the number may, too.
    rows.play("empty", "  x = the (own next_to cell)\n  n becomes up(x)\n  marks(cell) becomes 1 when up(x) > 2");
    // Lines that lead back come to a site twice, and two of them to the same site.
    let path = Corner {
        board: "square(4)\npath loop = a1 .. d1, d2 .. d4, c4 .. a4, a3 .. a2, round",
        start: "a1 becomes stone of A; d4 becomes king of B; a4 becomes rock",
        ..SQUARES
    };
    path.put_where("count(own ahead_all(cell, loop, 13)) > 1");
    RING.put_where("any piece between(cell, 4)");
    HUB.put_where("no y in next_to cell with (y in own and any enemy next_to y)");
}

#[test]
fn numbers_beyond_the_few_bits_of_a_count_are_compared_rightly() {
    let six = Corner {
        board: "square(6) adjacent all",
        start: "row(1) becomes stone of A; row(6) becomes king of B; a3 becomes rock",
        ..SQUARES
    };
    for condition in [
        "count(own next_to cell) < n * 10 - 20",
        "count(empty next_to cell) * 3 > 2 * count(next_to cell)",
        // Halves and remainders of numbers below zero.
        "(count(own next_to cell) - 2) div 2 >= 0",
        "(count(own next_to cell) - 3) mod 3 = 1",
    ] {
        six.put_where(condition);
    }
}

/// Parts that may lie off the board, be found twice, or be told by no line.
#[test]
fn parts_are_told_by_steps_only_where_steps_lead_to_them() {
    let two = Corner { printed: "{cell}-{to}", ..SQUARES };
    for lines in [
        "  to : empty next_to cell\n  if (if count(own next_to to) > 1 then cell else to) in row(1)\n  cell -> to",
        "  to : next_to cell\n  cell becomes empty",
        "  to : ahead(cell, N) or first(cell, N)\n  cell -> to",
    ] {
        two.play("own", lines);
    }
    // What is not printed makes no difference here.
    let hidden = Corner { printed: "{to}", ..SQUARES };
    hidden.play("own", "  to : empty next_to cell\n  to becomes stone of mover");
    // Two links lead east: one of the points is a neighbour without a direction.
    let hub = Corner { printed: "{cell}-{to}", ..HUB };
    hub.play("own", "  to : empty next_to cell\n  cell -> to");
    let ring = Corner { printed: "{cell}x{to}", ..RING };
    let jump = "  over : site next_to cell\n  to : site ahead(over, direction(cell, over), 2)\n  over becomes rock\n  marks(to) becomes 1";
    ring.play("own", jump);
    let small = Corner { board: "ring(3)", start: "1 becomes stone of A; 2 becomes king of B", ..ring };
    let round = "  over : piece beyond(cell, directions, empty)\n  to : run(over, direction(cell, over), site)\n  over becomes empty\n  marks(to) becomes 1";
    small.play("own", round);
}

/// A game of which the turn has duties and other conditions.
fn turn(players: &str, head: &str, turn: &str, end: &str) {
    let section = if turn.contains("such that") { "whole turn" } else { "turn" };
    let text = format!(
        "game \"Duties\"\nabout \"a test\"\nplayers {players}\nboard square(4) adjacent all\npiece stone, king of each player\n\
         track n : 0..5 = 0\nallow same-notation\n{head}\nstart {{ row(1) becomes stone of A; row(4) becomes king of B }}\n\
         move step \"{{from}}-{{to}}\" {{ from : own; to : empty next_to from; from -> to }}\n\
         move take \"{{from}}x{{to}}\" {{ from : own; to : enemy next_to from; from -> to }}\n\
         move put \"{{cell}}!\" {{ cell : empty; cell becomes stone of mover; n becomes (n + 2) mod 6 }}\n\
         move count_on \"on\" {{ n becomes (n + 1) mod 6 }}\n{section} {{ {turn} }}\nend {{ {end} }}\n"
    );
    played(&format!("{head}: {turn}: {end}"), &text);
}

const ONE: &str = "step or take or put or count_on";

#[test]
fn duties_and_conditions_in_turns_hold_when_they_say_so() {
    for duties in [
        // The first one that can be fulfilled leaves what the second one chooses from.
        "must take\n  must put when n > 1",
        "must take when n > 2",
        "extra turn when n > 3\n  next turn to B when n > 1",
    ] {
        turn("A, B, C", "", &format!("{ONE}\n  {duties}\n"), "draw when turn > 30; draw when stuck");
    }
    let most =
        "(step or take), (step or count_on)\n  must take when n < 3\n  must most count(own next_to own) when n > 0\n";
    let with = "(take with n < 3) else (step with to in centre) else (count_on or put)";
    for text in [most, with] {
        turn("A, B", "", text, "draw when turn > 30; draw when stuck");
    }
    // What is preferred counts only as far as the turn can be finished with it.
    let whole = "(take else step else count_on), (count_on or put) such that (some step this turn or n > 3)";
    turn("A, B", "", whole, "draw when turn > 12; draw when unfinished");
}

#[test]
fn a_line_of_the_end_that_names_nobody_lets_the_next_one_decide() {
    turn("A, B", "track hero : player", ONE, "hero wins when n = 3; B wins when n = 3; draw when turn > 20");
    let leaves = "move out \"out\" { mover leaves when n > 2; n becomes 0 }\nmove home \"home\" { mover finishes when n > 3; n becomes 1 }\n\
                  score(p) = 0 - count(of p)";
    turn("A, B, C, D", leaves, &format!("{ONE} or out or home"), "A wins when n = 5; best score when turn > 12");
    let out = "move out \"out\" { mover leaves; n becomes 3 }";
    turn("A, B, C", out, &format!("{ONE} or out"), "any p wins when n = 3 and turn > 3; draw when turn > 20");
    let ties = format!("{out}\nscore(p) = 0\nties A or B");
    turn("A, B, C", &ties, &format!("{ONE} or out"), "best score when turn > 5");
    for ties in ["ties A when n > 2", "ties A when n > 2\nties B"] {
        turn("A, B", &format!("score(p) = 0\n{ties}"), ONE, "best score when turn > 6");
    }
}

/// Where the game began is a position like others.
#[test]
fn the_first_position_is_remembered() {
    let text = "game \"Hops\"\nabout \"a test\"\nplayers A, B\nboard square(3) adjacent all\npiece stone of each player\n\
                start { a1 becomes stone of A; c3 becomes stone of B }\n\
                move hop \"{from}~{to}\" { from : own; to : empty next_to from; from -> to; so that position new }\n\
                turn { hop else pass }\nend { draw when turn > 30 }\n";
    played("hops", text);
}

#[test]
fn a_range_whose_end_is_taken_from_a_number_is_compared_with_that() {
    let text = "game \"In two\"\nabout \"a test\"\nplayers A, B\nboard hexagon(3)\npiece stone of each player\n\
                piece rock \"x\" neutral\ntrack low(site) : 0..5 = 1\nallow same-notation\n\
                start { side(NW) becomes stone of A; side(SE) becomes stone of B }\n\
                move act { cell : empty; k : 0 .. (3 - low(cell)); if k < 4; cell becomes rock }\n\
                move rest \"rest {cell}\" { cell : empty; low(cell) becomes 2 }\n\
                whole turn { (act or rest), (act or rest) such that some act this turn with k > 1 }\n\
                end { next wins when stuck; draw when turn > 12 }\n";
    played("in two", text);
}

#[test]
fn a_piece_named_in_a_move_stands_on_what_lies_beneath() {
    for lines in [
        "move act \"{from}-{to}\" { from : piece; to : site next_to from; from -> to as piece_on(a1) }",
        "move act \"{from}-{to}\" { from : site; to : site next_to from; from -> to as king of mover }",
        "move act \"{from}\" { from : own; top of from becomes empty }",
    ] {
        let text = format!(
            "game \"Piles\"\nabout \"a test\"\nplayers A, B\nboard square(4) adjacent all\nstacks to 3\n\
             piece stone, king of each player\nallow same-notation\n\
             start {{ row(1) becomes stone of A; row(4) becomes king of B }}\n{lines}\n\
             move up \"{{x}}u\" {{ x : own; x gets king of next }}\n\
             move grow \"{{cell}}^\" {{ cell : empty; cell becomes stone of mover }}\n\
             move go \"go {{f}}-{{t}}\" {{ f : own; t : empty next_to f; f -> t }}\n\
             turn {{ (act, (go by it else pass)) or up or grow else pass }}\nend {{ draw when turn > 25; draw when stuck }}\n"
        );
        played(lines, &text);
    }
}

#[test]
fn a_drawn_o_is_a_piece_where_one_has_that_mark() {
    for (mark, pieces) in [("O", 3), ("o", 3), ("X", 1)] {
        let text = format!(
            "game \"Marks\"\nabout \"a test\"\nplayers A, B\nboard square(2)\npiece ring \"{mark}\", king of each player\n\
             start drawn {{\n  k o\n  . {}\n}}\nmove go \"{{from}}\" {{ from : own; from becomes empty }}\n\
             turn {{ go else pass }}\nend {{ draw when turn > 3 }}\n",
            if mark == "X" { "_" } else { "O" }
        );
        let game =
            Game::from_text("marks.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(game.rules().start.len(), pieces, "{mark}");
    }
}

/// Two changes of one tracked value in a stage make the move illegal where both are made, however the stage is looked at.
#[test]
fn a_value_that_would_be_two_things_at_once_bars_the_move() {
    for (to, change) in [
        ("empty next_to from", "from -> to"),
        ("empty next_to from", "to becomes stone of mover"),
        ("empty", "from -> to"),
        ("empty ahead(from, N or E, 2)", "from -> to"),
    ] {
        for (one, other) in [
            ("to in edge", "to in empty"),
            ("to in edge", "to in corner"),
            ("any own next_to to", "to in edge"),
            ("to in edge", "to not in edge"),
        ] {
            let text = format!(
                "game \"Twice\"\nabout \"a test\"\nplayers A, B\nboard square(4)\npiece stone of each player\n\
                 track n : 0..9 = 0\nstart {{ a1 becomes stone of A; d4 becomes stone of B; b3 becomes stone of A }}\n\
                 move go \"{{from}}-{{to}}\" {{\n  from : own\n  to : {to}\n  {change}\n  n becomes 2 when {one}\n  \
                 n becomes 3 when {other}\n}}\nturn {{ go else pass }}\nend {{ draw when turn > 20 }}\n"
            );
            played(&format!("{to}, {change}: {one}, {other}"), &text);
        }
    }
}

/// What lines of one stage give a tracked value, each in its own case, is what is read behind the stage.
#[test]
fn a_value_that_several_lines_of_a_stage_change_is_read_as_the_one_that_did() {
    let lines = [
        ("n becomes n + 1 when to in corner\n  n becomes 3 when to not in corner", "n < 3"),
        ("n becomes 3 when to in edge\n  n becomes 1 when to in centre", "n > 0"),
        ("last becomes to when to in edge\n  last becomes from when to not in edge", "any own next_to last"),
        ("seen becomes edge when to in edge\n  seen becomes corner when to not in edge", "count (own seen) > 1"),
        ("mood becomes wild when to in edge\n  mood becomes calm when to not in edge", "mood is calm or turn < 4"),
    ];
    for to in ["empty next_to from", "empty", "ahead(from, directions, 2) empty"] {
        for (changes, asked) in lines {
            let text = format!(
                "game \"Read\"\nabout \"a test\"\nplayers A, B\nboard square(5)\npiece stone of each player\n\
                 track n : 0..9 = 0\ntrack last : site\ntrack seen : sites\ntrack mood : calm, wild = calm\n\
                 start {{ row(1) becomes stone of A; row(5) becomes stone of B; b3 becomes stone of A }}\n\
                 move go \"{{from}}-{{to}}\" {{\n  from : own\n  to : {to}\n  from -> to\n  {changes}\n  then\n  \
                 so that {asked}\n}}\nturn {{ go else pass }}\nend {{ draw when turn > 20 }}\n"
            );
            played(&format!("{to}, {changes}, {asked}"), &text);
        }
    }
}
