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
