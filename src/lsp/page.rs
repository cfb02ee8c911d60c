//! What a page that is no editor asks about a place of a text, answered as an editor would be.

use super::analysis::Analysis;
use super::text::{Encoding, Text};
use super::{complete, hover};
use crate::check::Resolve;
use lsp_types::{CompletionItem, Hover, Position};

/// A text, and a place in it: line and column from 0, in units of UTF-16.
pub struct Asked<'a> {
    pub name: &'a str,
    pub text: &'a str,
    pub line: u32,
    pub column: u32,
}

impl Asked<'_> {
    fn analysis(&self, resolve: &dyn Resolve) -> (Analysis, usize) {
        let analysis = Analysis::new(self.name, Text::new(self.text.to_owned()), resolve);
        let offset = analysis.text.offset(Position::new(self.line, self.column), Encoding::Utf16);
        (analysis, offset)
    }

    /// What is to be said about the name at the place.
    #[must_use]
    pub fn hover(&self, resolve: &dyn Resolve) -> Option<Hover> {
        let (analysis, offset) = self.analysis(resolve);
        hover::hover(&analysis, offset, Encoding::Utf16)
    }

    /// What may stand at the place, best first.
    #[must_use]
    pub fn complete(&self, resolve: &dyn Resolve) -> Vec<CompletionItem> {
        let (analysis, offset) = self.analysis(resolve);
        let mut items = complete::complete(&analysis, offset);
        items.sort_by(|a, b| a.sort_text.cmp(&b.sort_text));
        items
    }
}
