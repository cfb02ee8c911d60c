//! Diagnostics for people (miette's frames, or one line each) and for programs (JSON).

use super::{Diagnostic, Severity};
use crate::source::{Sources, Span};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource};
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Frames around the source text; with or without colour.
    Human { color: bool },
    /// `file:line:column: error[CODE]: message`
    Short,
}

/// A diagnostic joined with its text, as miette wants it.
#[derive(Debug)]
struct Report<'a> {
    diagnostic: &'a Diagnostic,
    source: NamedSource<String>,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for Report<'_> {}

impl miette::Diagnostic for Report<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(format!("{}[{}]", self.diagnostic.severity.word(), self.diagnostic.tag())))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diagnostic.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.diagnostic.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let at = |span: Span, label: &str, primary: bool| {
            let text = if label.is_empty() { None } else { Some(label.to_owned()) };
            let range = (span.start as usize, (span.end - span.start) as usize);
            if primary {
                LabeledSpan::new_primary_with_span(text, range)
            } else {
                LabeledSpan::new_with_span(text, range)
            }
        };
        let first = std::iter::once(at(self.diagnostic.span, &self.diagnostic.label, true));
        let others = self
            .diagnostic
            .labels
            .iter()
            .filter(|(span, _)| span.source == self.diagnostic.span.source)
            .map(move |(span, label)| at(*span, label, false));
        Some(Box::new(first.chain(others)))
    }
}

/// One diagnostic as text, ending in a newline.
#[must_use]
pub fn render(diagnostic: &Diagnostic, sources: &Sources, format: Format) -> String {
    let Some(source) = sources.get(diagnostic.span.source) else { return format!("{}\n", diagnostic.message) };
    match format {
        Format::Short => {
            let at = source.locate(diagnostic.span.start as usize);
            let severity = diagnostic.severity.word();
            let mut line = format!(
                "{}:{}:{}: {severity}[{}]: {}",
                source.name,
                at.line,
                at.column,
                diagnostic.tag(),
                diagnostic.message
            );
            if let Some(help) = &diagnostic.help {
                line.push_str(&format!(" ({})", help.replace('\n', " ")));
            }
            line.push('\n');
            line
        }
        Format::Human { color } => {
            let report = Report { diagnostic, source: NamedSource::new(&source.name, source.text.clone()) };
            let mut out = String::new();
            if handler(painted(diagnostic, color)).render_report(&mut out, &report).is_err() {
                return render(diagnostic, sources, Format::Short);
            }
            // The blank line belongs between diagnostics, not behind the code.
            format!("{}\n", out.trim_start_matches('\n').replacen("\n\n", "\n", 1))
        }
    }
}

/// A sentence with the place it speaks of, for people; it is no mistake and has no code.
#[must_use]
pub fn snippet(sentence: &str, span: Span, labels: &[(Span, String)], sources: &Sources, color: bool) -> String {
    let Some(source) = sources.get(span.source) else { return format!("{sentence}\n") };
    let labels = labels.iter().filter(|(at, _)| at.source == span.source).map(|(at, label)| {
        let range = at.start as usize..at.end as usize;
        LabeledSpan::new_primary_with_span(Some(label.clone()).filter(|label| !label.is_empty()), range)
    });
    let advice = miette::MietteDiagnostic::new(sentence).with_severity(miette::Severity::Advice).with_labels(labels);
    let report = miette::Report::new(advice).with_source_code(NamedSource::new(&source.name, source.text.clone()));
    let mut out = String::new();
    // Rules quoted in the sentence are not to be broken at their operators.
    match handler(theme(color)).with_wrap_lines(false).render_report(&mut out, report.as_ref()) {
        Ok(()) => out,
        Err(_) => format!("{sentence}\n"),
    }
}

fn handler(theme: GraphicalTheme) -> GraphicalReportHandler {
    GraphicalReportHandler::new_themed(theme).with_width(100).with_context_lines(1)
}

fn theme(color: bool) -> GraphicalTheme {
    if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() }
}

/// The mistake has the colour of its severity, and places that explain it another one, whichever comes first in the text.
fn painted(diagnostic: &Diagnostic, color: bool) -> GraphicalTheme {
    let mut theme = theme(color);
    let styles = &theme.styles;
    let own = match diagnostic.severity {
        Severity::Error => styles.error,
        Severity::Warning => styles.warning,
    };
    let others = diagnostic.labels.iter().map(|(span, _)| *span).filter(|span| span.source == diagnostic.span.source);
    let mut labels: Vec<_> = others.map(|span| (span.start, styles.help)).collect();
    labels.insert(0, (diagnostic.span.start, own));
    // As the frames are drawn.
    labels.sort_by_key(|(start, _)| *start);
    theme.styles.highlights = labels.into_iter().map(|(_, style)| style).collect();
    theme
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Code;

    #[test]
    fn a_mistake_is_red_wherever_it_stands() {
        let mut sources = Sources::default();
        let id = sources.add("x.game", "word a = 1\nword b = 2\nword c = 3\n");
        let found = |wrong: usize, other: usize| {
            Diagnostic::new(Code::DefinedTwice, Span::new(id, wrong, wrong + 4), "twice")
                .label("wrong")
                .also(Span::new(id, other, other + 4), "other")
        };
        for found in [found(0, 22), found(22, 0)] {
            let shown = render(&found, &sources, Format::Human { color: true });
            assert!(shown.contains("\u{1b}[31mwrong") && shown.contains("\u{1b}[36mother"), "{shown:?}");
            let plain = render(&found, &sources, Format::Human { color: false });
            assert!(!plain.contains('\u{1b}'), "{plain:?}");
        }
    }
}
