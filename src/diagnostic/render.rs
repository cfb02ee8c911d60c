//! Diagnostics for people (miette's frames, or one line each) and for programs (JSON).

use super::{Diagnostic, Severity};
use crate::source::{Source, Sources, Span};
use miette::{LabeledSpan, MietteError, MietteSpanContents, NamedSource, SourceCode, SourceSpan, SpanContents};
use std::fmt;

/// How diagnostics are shown to people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Frames around the source text, with or without colour; in words where the program was built without frames.
    Human {
        /// Whether with colour.
        color: bool,
    },
    /// `file:line:column: error[CODE]: message`
    Short,
}

/// A diagnostic joined with its text, as miette wants it.
#[derive(Debug)]
struct Report<'a> {
    diagnostic: &'a Diagnostic,
    source: Window,
}

/// The lines of a text around a place, which is all that a frame shows: to go through the whole text for each of thousands
/// of messages would take long.
#[derive(Debug)]
struct Window {
    name: String,
    text: String,
    /// Where it begins in the whole text: how many bytes, and how many lines, stand before.
    offset: usize,
    lines: usize,
}

impl Window {
    /// The lines of all these places of a text, and some before and behind; what cannot be seen is `?`.
    fn around(source: &Source, spans: impl Iterator<Item = Span>) -> Self {
        let end = source.text.len();
        let (from, to) =
            spans.fold((end, 0), |(from, to), span| (from.min(span.start as usize), to.max(span.end as usize)));
        let newlines = |text: &str, most: usize| text.match_indices('\n').map(|(at, _)| at + 1).nth(most);
        let before = source.text.get(..from.min(end)).unwrap_or_default();
        let offset = before.rmatch_indices('\n').nth(MARGIN).map_or(0, |(at, _)| at + 1);
        let behind = to.min(end);
        let behind = source.text.get(behind..).and_then(|text| newlines(text, MARGIN)).map_or(end, |at| behind + at);
        let text = source.text.get(offset..behind).unwrap_or_default();
        let blank = |sign: char| if is_unseen(sign) { "?".repeat(sign.len_utf8()) } else { sign.to_string() };
        Self {
            name: source.name.clone(),
            text: text.chars().map(blank).collect(),
            offset,
            lines: source.text.get(..offset).unwrap_or_default().matches('\n').count(),
        }
    }
}

impl SourceCode for Window {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let within = SourceSpan::from((span.offset().saturating_sub(self.offset), span.len()));
        let found = self.text.read_span(&within, before, after)?;
        let place = SourceSpan::from((found.span().offset() + self.offset, found.span().len()));
        let (line, count) = (found.line() + self.lines, found.line_count() + self.lines);
        Ok(Box::new(MietteSpanContents::new_named(self.name.clone(), found.data(), place, line, found.column(), count)))
    }
}

/// So many lines before and behind a place may be looked at.
const MARGIN: usize = 3;

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
            format!("{}\n", visible(&line))
        }
        // Of a line that fills the screen nothing can be seen.
        Format::Human { .. } if longest_line(&source.text, diagnostic.span) > LONG_LINE => {
            render(diagnostic, sources, Format::Short)
        }
        Format::Human { color } => {
            let mut shown = diagnostic.clone();
            for text in [&mut shown.message, &mut shown.label]
                .into_iter()
                .chain(&mut shown.help)
                .chain(shown.labels.iter_mut().map(|(_, label)| label))
            {
                *text = visible(text);
            }
            let others = diagnostic.labels.iter().map(|(span, _)| *span);
            let spans = std::iter::once(diagnostic.span).chain(others);
            let window = Window::around(source, spans.filter(|span| span.source == diagnostic.span.source));
            let report = Report { diagnostic: &shown, source: window };
            let Ok(out) = frames::of_report(&report, color) else {
                return render(diagnostic, sources, Format::Short);
            };
            // The blank line belongs between diagnostics, not behind the code.
            format!("{}\n", out.trim_start_matches('\n').replacen("\n\n", "\n", 1))
        }
    }
}

/// Longer lines than this are not shown.
const LONG_LINE: usize = 1000;

/// The length of the longest line that would be shown: those of the place, and one before and behind it.
fn longest_line(text: &str, span: Span) -> usize {
    let (start, end) = ((span.start as usize).min(text.len()), (span.end as usize).min(text.len()));
    let bytes = text.as_bytes();
    let newline = |(_, byte): &(usize, &u8)| **byte == b'\n';
    let from = bytes[..start].iter().enumerate().rev().filter(newline).nth(1).map_or(0, |(at, _)| at + 1);
    let to = bytes[end..].iter().enumerate().filter(newline).nth(1).map_or(text.len(), |(at, _)| end + at);
    bytes[from..to].split(|byte| *byte == b'\n').map(<[u8]>::len).max().unwrap_or(0)
}

/// What a terminal would obey instead of showing it.
fn is_unseen(sign: char) -> bool {
    sign.is_control() && !matches!(sign, '\0' | '\t' | '\n' | '\r')
}

/// A text with what cannot be seen written out.
fn visible(text: &str) -> String {
    text.chars()
        .map(|sign| if is_unseen(sign) { format!("\\x{:02x}", u32::from(sign)) } else { sign.to_string() })
        .collect()
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
    frames::of_sentence(report.as_ref(), color).unwrap_or_else(|_| format!("{sentence}\n"))
}

/// Reports as frames around the text.
#[cfg(feature = "frames")]
mod frames {
    use super::{Diagnostic, Report, Severity};
    use miette::{GraphicalReportHandler, GraphicalTheme};
    use std::fmt;

    pub fn of_report(report: &Report<'_>, color: bool) -> Result<String, fmt::Error> {
        let mut out = String::new();
        handler(painted(report.diagnostic, color)).render_report(&mut out, report)?;
        Ok(out)
    }

    pub fn of_sentence(sentence: &dyn miette::Diagnostic, color: bool) -> Result<String, fmt::Error> {
        let mut out = String::new();
        // Rules quoted in the sentence are not to be broken at their operators.
        handler(theme(color)).with_wrap_lines(false).render_report(&mut out, sentence)?;
        Ok(out)
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
        let others =
            diagnostic.labels.iter().map(|(span, _)| *span).filter(|span| span.source == diagnostic.span.source);
        let mut labels: Vec<_> = others.map(|span| (span.start, styles.help)).collect();
        labels.insert(0, (diagnostic.span.start, own));
        // As the frames are drawn.
        labels.sort_by_key(|(start, _)| *start);
        theme.styles.highlights = labels.into_iter().map(|(_, style)| style).collect();
        theme
    }
}

/// Reports in words: nobody looks at a terminal.
#[cfg(not(feature = "frames"))]
mod frames {
    use super::Report;
    use miette::NarratableReportHandler;
    use std::fmt;

    pub fn of_report(report: &Report<'_>, _color: bool) -> Result<String, fmt::Error> {
        of_sentence(report, false)
    }

    pub fn of_sentence(sentence: &dyn miette::Diagnostic, _color: bool) -> Result<String, fmt::Error> {
        let mut out = String::new();
        NarratableReportHandler::new().with_context_lines(1).render_report(&mut out, sentence)?;
        Ok(out)
    }
}

#[cfg(all(test, feature = "frames"))]
mod tests {
    use super::*;
    use crate::diagnostic::Code;

    #[test]
    fn what_a_terminal_would_obey_is_written_out_and_long_lines_are_not_shown() {
        let mut sources = Sources::default();
        let escape = sources.add("x.game", "word \u{1b}]0;x\u{7} = 1\n");
        let found = Diagnostic::new(Code::Syntax, Span::new(escape, 5, 6), "what is `\u{1b}`").help("no \u{9b}");
        for format in [Format::Short, Format::Human { color: false }] {
            let shown = render(&found, &sources, format);
            assert!(!shown.contains(is_unseen) && shown.contains("what is `\\x1b`"), "{shown:?}");
            assert!(shown.contains("no \\x9b"), "{shown:?}");
        }
        let long =
            sources.add("y.game", format!("word a = 1\nword {} = 2\nword b = 3\n\nword c = 4", "y".repeat(2000)));
        let at = |start: usize| Diagnostic::new(Code::Syntax, Span::new(long, start, start + 4), "here");
        for start in [0, 15, 2021] {
            assert!(render(&at(start), &sources, Format::Human { color: false }).len() < 200, "{start}");
        }
        assert!(render(&at(2033), &sources, Format::Human { color: false }).contains("word c = 4"));
    }

    #[test]
    fn a_frame_shows_the_same_lines_with_their_numbers_wherever_they_stand_in_a_text() {
        let shown = |before: usize, behind: usize| {
            let mut sources = Sources::default();
            let text =
                format!("{}word a = 1\nword b = 2\nword ü = 3\n{}", "\n".repeat(before), "word d = 4\n".repeat(behind));
            let id = sources.add("x.game", text);
            let found = Diagnostic::new(Code::Syntax, Span::new(id, before + 11, before + 15), "here").label("this");
            render(&found, &sources, Format::Human { color: false })
        };
        let told = shown(700, 900);
        for line in ["[x.game:702:1]", "701 │ word a = 1", "702 │ word b = 2", "703 │ word ü = 3"] {
            assert!(told.contains(line), "{told}");
        }
        assert_eq!(shown(100, 0).replace("102", "902").replace("101", "901").replace("103", "903"), shown(900, 5));
        assert!(shown(0, 0).contains(" 2 │ word b = 2"), "{}", shown(0, 0));
    }

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
