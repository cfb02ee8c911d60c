//! The page of every code, embedded from docs/errors.

use super::Code;
use include_dir::{Dir, include_dir};

static PAGES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/docs/errors");

/// The page of a code in Markdown. Tests see to it that every code has one.
#[must_use]
pub fn page(code: Code) -> &'static str {
    PAGES.get_file(format!("{code}.md")).and_then(|file| file.contents_utf8()).unwrap_or(code.title())
}
