//! What can be wrong with a rule file, said once, with a code, a place, labels and a way out.

mod code;
mod render;

pub use code::Code;
pub use render::{Format, render, snippet};

use crate::source::Span;
use serde::Serialize;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
}

/// A replacement that mends the problem for certain.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fix {
    pub span: Span,
    pub replacement: String,
}

/// One message about one place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    pub message: String,
    pub span: Span,
    /// What stands under the place itself.
    pub label: String,
    /// Other places involved.
    pub labels: Vec<(Span, String)>,
    pub help: Option<String>,
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    #[must_use]
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            span,
            label: String::new(),
            labels: Vec::new(),
            help: None,
            fixes: Vec::new(),
        }
    }

    /// Says what is under the place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Points at a second place.
    #[must_use]
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.labels.push((span, label.into()));
        self
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Proposes the name that was probably meant, as help and as a fix.
    #[must_use]
    pub fn did_you_mean<'a>(mut self, word: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        if let Some(best) = closest(word, known) {
            self.help = Some(format!("did you mean `{best}`?"));
            self.fixes.push(Fix { span: self.span, replacement: best.to_owned() });
        }
        self
    }

    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The known word that differs least from `word`, if it is close enough to be a slip of the hand.
#[must_use]
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = word.to_lowercase();
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len().min(word.len()) / 4 && *distance < word.len())
        .min_by_key(|(distance, candidate)| (*distance, candidate.len()))
        .map(|(_, candidate)| candidate)
}
