//! One layout for rule files: blanks, indentation and columns are decided here, line breaks by the author.

mod layout;
mod same;

use crate::diagnostic::Diagnostic;
use crate::source::SourceId;
use crate::syntax::{parse, tokens};

/// Why a text is left as it is.
#[derive(Debug)]
pub enum Refusal {
    /// It cannot be read.
    Unread(Vec<Diagnostic>),
    /// The layout found would say something else; a bug, but no harm is done.
    Changed,
}

/// The text in the one layout. It says what it said before: the tree and the comments are compared.
///
/// # Errors
/// If the text cannot be read, or not be laid out without changing it.
pub fn format(text: &str) -> Result<String, Refusal> {
    let source = SourceId::default();
    let (before, diagnostics) = parse(source, text);
    if !diagnostics.is_empty() {
        return Err(Refusal::Unread(diagnostics));
    }
    let Some(old) = tokens(source, text) else { return Err(Refusal::Unread(Vec::new())) };
    let mut laid_out = layout::lay_out(text, &old);
    // A file keeps the ends of lines that its first line has.
    if text.find('\n').is_some_and(|at| text[..at].ends_with('\r')) {
        laid_out = laid_out.replace('\n', "\r\n");
    }
    let (after, diagnostics) = parse(source, &laid_out);
    let new = tokens(source, &laid_out).unwrap_or_default();
    if diagnostics.is_empty() && same::trees(&before, &after) && same::comments(text, &old, &laid_out, &new) {
        Ok(laid_out)
    } else {
        Err(Refusal::Changed)
    }
}
