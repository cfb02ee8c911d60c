//! Rule files that can be played and probably mean something else: what the checker says of each.

use super::common::files::text_of;
use crate::author::inspect::check_file;
use crate::diagnostic::{Diagnostic, Format, render};
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
