//! Families: sets that a word gives one by one, and what goes through them, on both engines.

use super::common::compare::compare;
use crate::author::inspect::check_file;
use crate::author::script::Scripts;
use crate::check::Project;
use crate::diagnostic::{Format, render};
use crate::game::Game;
use crate::library::Library;

fn game(text: &str) -> Game {
    Game::from_text("families.game", text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

/// A game on a board with these lines, in which stones are put down and taken up again.
fn on(board: &str, lines: &str) -> String {
    format!(
        "game \"Families\"\nabout \"a test\"\nplayers A, B\nboard {board}\npiece stone of each player\n{lines}\n\
         move put \"{{cell}}\" {{ cell : empty; cell becomes stone of mover }}\nturn {{ put else pass }}\n\
         end {{ draw when no empty; draw when turn > 60 }}\n"
    )
}

/// Both engines play it alike, and its own tests hold.
fn holds(text: &str) {
    let compared = compare(text, &game(text), |games| games < 20, 40, 5);
    assert!(compared > 60, "{compared}: {text}");
    let reports = Scripts::default().run(&Project::load("families.game", text, &Library), None, &[]).unwrap();
    let failed: Vec<_> =
        reports.iter().filter(|report| !report.ok).map(|report| (&report.name, &report.message)).collect();
    assert!(!reports.is_empty() && failed.is_empty(), "{failed:?}");
}

/// Whether something is so at the start.
fn is_so(board: &str, lines: &str, expected: &str) {
    let text = on(board, lines) + &format!("test \"as said\" {{ expect {expected} }}\n");
    let reports = Scripts::default().run(&Project::load("families.game", &text, &Library), None, &[]).unwrap();
    assert!(reports.iter().all(|report| report.ok), "{board}: {expected}: {:?}", reports[0].message);
}

/// The errors of a file, in short.
fn errors(text: &str) -> Vec<String> {
    let (found, sources) = check_file("families.game", text, &Library);
    found.iter().filter(|found| found.is_error()).map(|found| render(found, &sources, Format::Short)).collect()
}

#[test]
fn every_line_of_a_board_is_found_once() {
    let counts = [
        ("square(4) adjacent all", "lines(3, directions)", 24),
        ("square(4) adjacent all", "lines(3, N or S)", 8),
        ("square(4) adjacent all", "lines(3, S)", 8),
        ("square(4) adjacent orthogonal", "lines(4, directions)", 8),
        ("rectangle(7, 6) adjacent all", "lines(4, directions)", 69),
        ("square(15) adjacent all", "lines(5, directions)", 572),
        ("hexagon(3)", "lines(3, directions)", 27),
        ("hexagon(3)", "whole_lines(directions)", 15),
        ("hexagon(5)", "whole_lines(E)", 9),
        ("square(4) adjacent all", "whole_lines(directions)", 18),
        ("square(4) adjacent all", "whole_lines(orthogonal)", 8),
        ("ring(6)", "lines(3, directions)", 6),
        ("ring(6)", "whole_lines(directions)", 0),
        ("lines { a1 b1 c1; a1 a2 a3; a3 b3 c3; c1 c2 c3 }", "whole_lines(directions)", 4),
        ("lines { a1 b1 c1; a1 a2 a3; a3 b3 c3; c1 c2 c3 }", "lines(2, directions)", 8),
    ];
    for (board, family, count) in counts {
        is_so(&board.replace("; ", "\n"), "", &format!("count {family} = {count}"));
    }
    is_so("square(5)", "path track = a1 .. e1, e2 .. e5", "count lines(3, track) = 7 and count whole_lines(track) = 1");
    is_so("drawn square {\n o o - o\n o o o o\n}", "", "count whole_lines(E) = 2 and count lines(2, N or S) = 3");
}

#[test]
fn a_family_is_asked_in_every_way() {
    let words = "word mine(p) = count { l in lines(3, directions) with every l is of p }\n\
                 word best(p) = most { count(l of p) for l in lines(3, directions) with no (l of other(p)) }\n\
                 word least_free = least { count(l empty) for l in whole_lines(directions) }\n\
                 word held(p) = { l for l in lines(3, directions) with count(l of p) >= 2 }\n\
                 word files = [ column(n) for n in 1 .. 4 ]\n\
                 word chains(p) = [ connected(g, of p) for g in groups(of p) with any next_to g ]\n\
                 word blocks = [ x or ahead(x, N) or ahead(x, E) or ahead(x, NE) for x in site with any ahead(x, NE) ]\n\
                 word quarters(p) = [ b of p for b in blocks with no corner b ]\n\
                 score(p) = mine(p) + 10 * best(p) + sum { count(c) * count(c) for c in chains(p) } + count held(p) \
                 + count { f in files with any f of p } + (if any { q in quarters(p) with count q > 2 } then 100 else 0) \
                 + (if no { f in files with no f of p } then 7 else 0) \
                 + (if some q in quarters(p) with every q is edge then 3 else 0) + max(0, least_free)\n";
    let text = on("square(4) adjacent all", words).replace("draw when no empty", "best score when no empty");
    holds(
        &(text
            + "test \"all of them\" {\n position drawn {\n . . . .\n . S . .\n . S S .\n S S s s\n } to move A\n\
               expect mine(A) = 1 and mine(B) = 0 and best(A) = 3 and count chains(A) = 1 and count chains(B) = 1 \
               and count blocks = 9 and count files = 4\n}\n"),
    );
}

#[test]
fn members_are_gone_through_in_moves() {
    holds(
        &(on("hexagon(3)", "word rows = [ row(n) for n in 1 .. 5 ]\nword own_lines = [ l for l in lines(2, E or SE) with every l is own ]")
            .replace(
                "cell : empty;",
                "cell : empty, no { l in lines(3, directions) with cell in l and count(l own) = 2 }, some r in rows with (cell in r and count r > 3);",
            )
            .replace("turn { put", "move drop \"x{cell}\" { cell : own, some l in own_lines with cell in l; cell becomes empty; so that no own_lines }\nturn { (put or drop)")
            + "test \"rows\" { perft 13 }\n"),
    );
}

#[test]
fn a_family_knows_what_it_is_given_and_no_more() {
    // Names of a family and of what asks it are kept apart.
    let text = on("square(3)", "word pairs(x: site, S) = [ x or y for y in S with y in next_to x ]");
    let asked = "y : row(1); cell : empty, some x in pairs(y, row(2) or row(1)) with (cell in x and y in x);";
    holds(
        &(text.replace("cell : empty;", asked).replace("\"{cell}\"", "\"{y}-{cell}\"")
            + "test \"beside the row\" { perft 10 }\n"),
    );
    // Families of families do not grow with each step.
    let chain: String = (1..12).map(|at| format!("word f{at} = [ l or l for l in f{} ]\n", at - 1)).collect();
    let text = on("square(3)", &format!("word f0 = [ x or x for x in corner ]\n{chain}"));
    is_so(
        "square(3)",
        &text.lines().filter(|line| line.starts_with("word")).collect::<Vec<_>>().join("\n"),
        "count f11 = 4",
    );
}

#[test]
fn mistakes_with_families_are_told_once_with_a_way_out() {
    let with = |line: &str| errors(&on("square(4) adjacent all", line));
    let one = |line: &str, says: &[&str]| {
        let found = with(line);
        let [only] = found.as_slice() else { panic!("{line}: {found:?}") };
        assert!(says.iter().all(|say| only.contains(say)), "{line}: {only}");
    };
    one("region r = lines(3, N)", &["LW301", "`lines` gives several sets"]);
    one("region r = { l in lines(3, N) with any l own }", &["LW301", "several sets"]);
    one("word w = any own lines(3, N)", &["LW301", "several sets"]);
    one("word w = some l in lines(3) with any l own", &["LW302", "2 values"]);
    one("word w = some l in lines with any l own", &["LW302"]);
    one("word w = [ count row(n) for n in 1 .. 3 ]", &["LW301", "sets as members"]);
    one("word w = some l in [ row(n) for n in 1 .. 3 ] with any l own", &["LW301", "have a name"]);
    one("word a = [ l for l in b ]\nword b = [ l for l in a ]", &["LW209"]);
    one(
        "word a = [ row(n) for n in 1 .. 3 with nonsense ]\nword b = count a + count { l in a with any own }",
        &["LW201"],
    );
    one("word w = count lines(9, N)", &["LW404"]);
}
