//! What can be wrong with a rule file, said once, with a code, a place, labels and a way out.

mod code;
mod machine;
mod pages;
mod render;

pub use code::Code;
pub use machine::{github, sarif};
pub use pages::page;
pub use render::{Format, render, snippet};

use crate::source::Span;
use serde::Serialize;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// There are no rules.
    Error,
    /// There are rules, and probably others were meant.
    Warning,
}

impl Severity {
    /// `error` or `warning`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// How far a fix can be trusted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Applicability {
    /// It mends the problem, and nothing else was meant.
    Safe,
    /// It is a guess, or takes away something that somebody wrote.
    Unsafe,
}

/// A replacement that mends the problem.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fix {
    /// What it does, as a button would say it.
    pub title: String,
    /// What is replaced.
    pub span: Span,
    /// What takes its place.
    pub replacement: String,
    /// How far it can be trusted.
    pub applicability: Applicability,
}

/// One message about one place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagnostic {
    /// Which kind of mistake.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What stands under the place itself.
    pub label: String,
    /// Other places involved.
    pub labels: Vec<(Span, String)>,
    /// The way out.
    pub help: Option<String>,
    /// Replacements that mend it.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// A message about a place, as severe as its code.
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

    /// The same with a way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Proposes the names that were probably meant, as help and as fixes. One that stands alone is certain if it differs as
    /// slips of the hand do.
    #[must_use]
    pub fn did_you_mean<'a>(mut self, word: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let best = nearest(word, known);
        if best.is_empty() {
            return self;
        }
        let names: Vec<String> = best.iter().map(|name| format!("`{name}`")).collect();
        self.help = Some(format!("did you mean {}?", names.join(" or ")));
        for name in &best {
            let certain = best.len() == 1 && is_slip(word, name);
            let applicability = if certain { Applicability::Safe } else { Applicability::Unsafe };
            self.fixes.push(Fix {
                title: format!("write `{name}`"),
                span: self.span,
                replacement: (*name).to_owned(),
                applicability,
            });
        }
        self
    }

    /// Adds a replacement that mends the problem for certain.
    #[must_use]
    pub fn fix(mut self, title: impl Into<String>, span: Span, replacement: impl Into<String>) -> Self {
        let (title, replacement) = (title.into(), replacement.into());
        self.fixes.push(Fix { title, span, replacement, applicability: Applicability::Safe });
        self
    }

    /// Adds a replacement that somebody should look at first.
    #[must_use]
    pub fn guess(mut self, title: impl Into<String>, span: Span, replacement: impl Into<String>) -> Self {
        let (title, replacement) = (title.into(), replacement.into());
        self.fixes.push(Fix { title, span, replacement, applicability: Applicability::Unsafe });
        self
    }

    /// Help where nothing better is known.
    #[must_use]
    pub fn or_help(mut self, help: impl FnOnce() -> String) -> Self {
        if self.help.is_none() {
            self.help = Some(help());
        }
        self
    }

    /// The code, with the name of the lint where it is one.
    #[must_use]
    pub fn tag(&self) -> String {
        match self.code.lint() {
            Some(lint) => format!("{} {lint}", self.code),
            None => self.code.to_string(),
        }
    }

    /// Whether there are no rules because of it.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// A list as it is said: `a, b and c`.
#[must_use]
pub fn listed(words: &[&str], last: &str) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

/// The known word that differs least from `word`, if it is close enough to be a slip of the hand.
#[must_use]
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest(word, known).into_iter().next()
}

/// Whether somebody who wrote a word surely meant another: with a letter too many or too few, with two letters exchanged, or
/// with another letter in a long word. In short words another letter often makes another word (`moves`, `mover`).
fn is_slip(word: &str, meant: &str) -> bool {
    let (word, meant) = (word.to_lowercase(), meant.to_lowercase());
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    // Names that are numbered or lettered differ on purpose: `corner1`, `region_b`.
    let number = |word: &str| word.chars().filter(char::is_ascii_digit).collect::<String>();
    let letter = |word: &str| word.rsplit_once('_').filter(|(_, last)| last.len() < 3).map(|(_, last)| last.to_owned());
    if number(&word) != number(&meant) || letter(&word) != letter(&meant) {
        return false;
    }
    let short = word.len().min(meant.len());
    match strsim::damerau_levenshtein(&word, &meant) {
        0 => true,
        1 => short > 6 || short > 2 && (word.len() != meant.len() || sorted(&word) == sorted(&meant)),
        _ => short > 8,
    }
}

/// The known words that differ least from `word`: at most three, and only slips of the hand.
fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = word.to_lowercase();
    let first = wanted.chars().next();
    let mut near: Vec<(usize, bool, usize, &str)> = known
        .into_iter()
        .map(|candidate| {
            let lower = candidate.to_lowercase();
            let distance = strsim::damerau_levenshtein(&wanted, &lower);
            // Of words equally far away, slips at the beginning are the rarer ones.
            (distance, lower.chars().next() != first, candidate.len(), candidate)
        })
        .filter(|(distance, _, length, _)| *distance <= 1 + (*length).min(word.len()) / 4 && *distance < word.len())
        .collect();
    near.sort_by_key(|(distance, other, length, _)| (*distance, *other, *length));
    let mut best: Vec<&str> = Vec::new();
    for (distance, .., name) in &near {
        if near.first().is_some_and(|first| first.0 == *distance) && !best.contains(name) {
            best.push(name);
        }
    }
    best.truncate(3);
    best
}
