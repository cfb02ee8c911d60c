//! Rule files that can be played and probably mean something else: what the checker says of each.

use super::common::files::text_of;
use crate::author::inspect::check_file;
use crate::diagnostic::{Code, Diagnostic, Format, render};
use crate::library::Library;

#[test]
fn every_doubtful_file_is_warned_of() {
    insta::glob!("../warned", "*.game", |path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = text_of(&format!("tests/warned/{name}"));
        let (diagnostics, sources) = check_file(&name, &text, &Library);
        assert!(!diagnostics.iter().any(Diagnostic::is_error), "{name} is broken, not doubtful");
        let said: String =
            diagnostics.iter().map(|found| render(found, &sources, Format::Human { color: false })).collect();
        let shown = format!("{text}\n{}\n{said}", "=".repeat(100));
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(shown);
        });
    });
}

/// Texts about a tracked site that has no value at first, and whether they are warned of.
#[test]
fn comparisons_with_what_has_no_value_yet_are_warned_of() {
    let warned = |start: &str, condition: &str| {
        let text = format!(
            "game \"Mark\"\nabout \"a test\"\nplayers A, B\nboard square(3)\npiece man of each player\ntrack mark : site\n{start}\n\
             move put \"{{cell}}\" {{ cell : empty; if {condition}; cell becomes man of mover; mark becomes cell }}\n\
             turn {{ put }}\nend {{ draw when no empty; next loses when stuck }}"
        );
        let (found, _) = check_file("mark.game", &text, &Library);
        assert!(!found.iter().any(Diagnostic::is_error), "{condition}: {found:?}");
        found.iter().any(|found| found.code == Code::NoValue)
    };
    for condition in ["cell != mark", "mark != cell", "not (cell = mark)", "not (cell = mark and count own > 1)"] {
        assert!(warned("", condition), "{condition}");
        assert!(!warned("start { mark becomes a1 }", condition), "{condition}");
    }
    for condition in ["cell not in mark", "no mark or cell != mark", "cell = mark", "any mark and cell != mark"] {
        assert!(!warned("", condition), "{condition}");
    }
}

/// What is said of a move whose part `d` is a direction, on a board.
fn said_of_directions(board: &str, lines: &str) -> Vec<Code> {
    let text = format!(
        "game \"Go\"\nabout \"a test\"\nplayers A facing NE, B facing SW\n{board}\npiece man of each player\n\
         track way : direction\nstart {{ centre becomes man of A }}\n\
         word slant(w: direction) = w in (NE or SE)\nword straight = orthogonal\n\
         move go \"{{from}}{{d}}\" {{ from : own; {lines}; if any empty ahead(from, d); way becomes d; from -> ahead(from, d) }}\n\
         move ask {{ if any way or slant(N or NE) or count straight > turn; way becomes none }}\n\
         turn {{ go or ask }}\nend {{ draw when turn > 20 }}"
    );
    let (found, _) = check_file("go.game", &text, &Library);
    assert!(!found.iter().any(Diagnostic::is_error), "{board}, {lines}: {found:?}");
    let codes = found.into_iter().map(|found| found.code);
    codes.filter(|code| [Code::NeverTrue, Code::AlwaysTrue].contains(code)).collect()
}

#[test]
fn conditions_on_directions_that_no_position_decides_are_warned_of() {
    let (straight, all, hexes) = ("board square(5)", "board square(5) adjacent all", "board hexagon(4)");
    for (board, lines) in [
        (all, "d : orthogonal, d in diagonal"),
        (all, "d : directions, d in orthogonal, d in diagonal"),
        (all, "d : directions, d in orthogonal; if d in diagonal"),
        (all, "d : directions, d = N, d != N"),
        (all, "d : directions but orthogonal, d = N"),
        (all, "d : (N or NE or E), d in (S or W)"),
        (all, "d : orthogonal, not (d not in diagonal)"),
        (all, "d : straight, d in diagonal"),
        (all, "d : facing(mover), d is N"),
        (all, "d : orthogonal, turned(d, 1) in orthogonal"),
        (straight, "d : directions, d in diagonal"),
        (straight, "d : directions; if some e in directions with e in diagonal"),
        (straight, "d : directions; if any (directions but orthogonal)"),
        (straight, "d : directions; if not (direction(from, centre) in (orthogonal or diagonal))"),
        (hexes, "d : directions, d is N"),
        (hexes, "d : directions; if any ahead(from, diagonal) or turn > 3"),
        (hexes, "d : directions; if any open(from, diagonal) or turn > 3"),
        (hexes, "d : directions; if every sides is directions"),
        (hexes, "d : directions, d = (if turn > 3 then N else S)"),
    ] {
        assert_eq!(said_of_directions(board, lines), [Code::NeverTrue], "{board}, {lines}");
    }
    for (board, lines) in [
        (all, "d : diagonal, d in directions"),
        (all, "d : directions, d in diagonal, d not in orthogonal"),
        (all, "d : directions; e = opposite(d); if e in directions"),
        (all, "d : directions; if no (orthogonal and diagonal)"),
        (straight, "d : directions, d is orthogonal"),
        (straight, "d : directions, not (d in diagonal)"),
        (straight, "d : directions; if any d"),
        (hexes, "d : directions, d in orthogonal"),
        (hexes, "d : opposite(facing(mover)), d in directions"),
    ] {
        assert_eq!(said_of_directions(board, lines), [Code::AlwaysTrue], "{board}, {lines}");
    }
    for (board, lines) in [
        (all, "d : directions, d in diagonal"),
        (all, "d : directions, d = way"),
        (all, "d : directions, d in diagonal or turn > 3"),
        (all, "d : directions, slant(d)"),
        (all, "d : facing(mover), d is NE"),
        (all, "d : directions when turn > 3; if no d or d in directions"),
        (all, "d : directions when turn > 3; if d in directions"),
        (all, "d : directions; if direction(from, centre) in directions"),
        (all, "d : directions; e = way; if e in orthogonal or any e"),
        (all, "d : directions; if d in orthogonal when turn > 3; if d in diagonal when turn < 3"),
        (straight, "d : directions; if direction(from, centre) in directions"),
        (straight, "d : directions; if direction(from, centre) in diagonal"),
        (hexes, "d : directions, d in sides"),
        (hexes, "d : directions; if any ahead(from, facing(mover))"),
    ] {
        assert_eq!(said_of_directions(board, lines), [], "{board}, {lines}");
    }
    // What an option decides may be otherwise.
    let option = "option slants : yes, no = no\nboard square(5) adjacent all";
    for lines in [
        "d : (if slants is yes then diagonal else orthogonal), d in orthogonal",
        "d : orthogonal, d in (if slants is yes then directions else diagonal)",
    ] {
        assert_eq!(said_of_directions(option, lines), [], "{lines}");
    }
    let board = "option slants : yes, no = no\nboard case slants { yes: square(5) adjacent all, no: square(5) }";
    assert_eq!(said_of_directions(board, "d : directions, d in orthogonal"), []);
}

#[test]
fn either_way_out_for_a_piece_off_the_board_silences_the_warning() {
    let text = text_of("tests/warned/pieces_pushed_off_the_board.game");
    let told = |text: &str| {
        let (found, _) = check_file("shove.game", text, &Library);
        assert!(!found.iter().any(Diagnostic::is_error), "{text}\n{found:?}");
        found.into_iter().filter(|found| found.code == Code::OffBoard).collect::<Vec<_>>()
    };
    let first = told(&text);
    assert_eq!(first.iter().map(|found| found.fixes.len()).collect::<Vec<_>>(), [2, 2, 2]);
    for fix in first.iter().flat_map(|found| &found.fixes) {
        let mut mended = text.clone();
        mended.replace_range(fix.span.range(), &fix.replacement);
        assert_eq!(told(&mended).len(), 2, "{}:\n{mended}", fix.title);
    }
}
