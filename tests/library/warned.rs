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

/// Whether a game is warned of a piece that goes off its board, and what is offered.
fn off_board(body: &str, turn: &str) -> Vec<Diagnostic> {
    let text = format!(
        "game \"Shove\"\nabout \"a test\"\nplayers White, Black\nboard square(4)\npiece man of each player\ntrack at : site\n\
         start {{ row(1) becomes man of White; row(2) becomes man of Black; row(3) becomes man of White }}\n{body}\n\
         move mark {{ if no at; at becomes a1 }}\nturn {{ {turn} or mark or pass }}\nend {{ draw when turn > 50 }}"
    );
    let (found, _) = check_file("shove.game", &text, &Library);
    assert!(!found.iter().any(Diagnostic::is_error), "{text}\n{found:?}");
    found.into_iter().filter(|found| found.code == Code::OffBoard).collect()
}

/// Lines of a move that shoves what stands before a piece.
fn shoving(lines: &str) -> String {
    format!(
        "move shove \"{{from}}{{d}}\" {{\n from : own\n d : orthogonal\n x = ahead(from, d)\n y = ahead(x, d)\n if x in enemy\n \
         from -> x\n {lines}\n}}"
    )
}

/// Lines of a move that goes on from place to place.
fn going(changes: &str) -> String {
    format!(
        "change slide(x: site, w: direction) {{ x -> ahead(x, w); at becomes ahead(x, w) }}\n\
         move shove \"{{from}}{{d}}\" {{\n from : own\n d : orthogonal\n at becomes from\n then\n {changes}\n}}"
    )
}

#[test]
fn a_place_that_the_text_asks_for_is_not_warned_of() {
    for lines in [
        "x -> y; if any y",
        "x -> y; so that any y",
        "x -> y; so that any ahead(x, d)",
        "x -> ahead(x, d); so that any y",
        "x -> ahead(x, d); so that before any y",
        "x -> ahead(x, d); so that any own ahead(x, d) or any enemy ahead(x, d)",
        "x -> ahead(x, d); so that any (piece ahead(x, d)) and turn > 1",
        "x -> ahead(x, d); so that y in piece",
        "x -> ahead(x, d); so that not (y in corner)",
        "x -> ahead(x, d); so that not no y",
        "x -> ahead(x, d); so that some z in y with z in piece",
        "x -> ahead(x, d); so that owner(y) = next",
        "x -> y; then; if any next_to y",
        "x -> y; then; z : empty, z in next_to y",
        "x -> y when any y",
    ] {
        assert_eq!(off_board(&shoving(lines), "shove"), [], "{lines}");
    }
    assert_eq!(off_board(&shoving("x -> y"), "shove with any y"), []);
    for lines in [
        "x -> y",
        "x -> y; so that any ahead(x, opposite(d))",
        "x -> y; so that any y or turn > 3",
        "x -> y; so that any y when turn > 3",
        "x -> y; so that no y or y in piece",
        "x -> y; so that any (y or from)",
        "x -> y; so that count y < 2",
        "x -> y; so that every y is piece",
        "x -> y; so that some z in own with any ahead(z, d)",
        "x -> beyond(x, d, empty); so that any beyond(x, d, empty)",
        "x -> y; then; z : empty, z in next_to y when turn > 3",
    ] {
        assert_eq!(off_board(&shoving(lines), "shove").len(), 1, "{lines}");
    }
    assert_eq!(off_board(&shoving("x -> y"), "(shove with any y, (shove or pass))").len(), 1);
}

#[test]
fn pieces_that_go_off_the_board_in_a_round_are_warned_of() {
    for changes in [
        "repeat at most 3 while any ahead(at, d) { at -> ahead(at, d); at becomes ahead(at, d) }",
        "repeat at most 3 while at not in side(d) { at -> ahead(at, d); at becomes ahead(at, d) }",
        "repeat at most 3 { at -> ahead(at, d) when any ahead(at, d); at becomes ahead(at, d) }",
        "repeat at most 3 while any ahead(at, d) { do slide(at, d) }",
        "repeat at most 1 { from -> ahead(from, d) }; so that any ahead(from, d)",
    ] {
        assert_eq!(off_board(&going(changes), "shove"), [], "{changes}");
    }
    for changes in [
        "repeat at most 3 { at -> ahead(at, d); at becomes ahead(at, d) }",
        "repeat at most 3 while any at { at -> ahead(at, d); at becomes ahead(at, d) }",
        "repeat at most 3 while any ahead(at, d) { at becomes ahead(at, d); at -> ahead(at, d) }",
        "repeat at most 3 { every x in own: x -> ahead(x, d) }",
        "repeat at most 3 { do slide(at, d) }",
        "repeat at most 3 { at -> ahead(at, d); at becomes ahead(at, d) }; so that any ahead(at, d)",
    ] {
        let found = off_board(&going(changes), "shove");
        assert_eq!(found.len(), 1, "{changes}");
        assert!(found[0].message.contains("in some round"), "{found:?}");
    }
    // What comes after a turn bars no move, and what is offered there is taken back as a whole.
    let after = "move shove \"{from}\" { from : own; from becomes empty }\nafter each turn { every x in own: x -> ahead(x, N) }";
    let found = off_board(after, "shove");
    assert!(found.len() == 1 && found[0].message.contains("nothing is done after the turn"), "{found:?}");
}

#[test]
fn what_is_offered_for_a_round_takes_the_piece_before_others_move() {
    let body = going("repeat at most 3 { every x in own: x -> ahead(x, d) }");
    let found = off_board(&body, "shove");
    let offered: Vec<&str> = found.iter().flat_map(|found| &found.fixes).map(|fix| fix.replacement.as_str()).collect();
    let mended =
        "every x in own: x becomes empty when no ahead(x, d)\n  every x in own: x -> ahead(x, d) when any ahead(x, d)";
    assert_eq!(offered, [mended]);
    let body = body.replace("every x in own: x -> ahead(x, d)", mended);
    assert_eq!(off_board(&body, "shove"), []);
}
