//! Rule texts and places in them: every name, message and node points back to a span of a source.

use std::fmt;

/// Index of a text among those that take part in one compilation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SourceId(pub u16);

/// A half-open range of bytes in one source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The text it lies in.
    pub source: SourceId,
    /// Its first byte.
    pub start: u32,
    /// The byte behind it.
    pub end: u32,
}

impl Span {
    /// The bytes of a text from one to before another.
    #[must_use]
    pub fn new(source: SourceId, start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { source, start: clamp(start), end: clamp(end.max(start)) }
    }

    /// The smallest span that covers both, which lie in one source.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether another one lies in it.
    #[must_use]
    pub fn covers(self, other: Self) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }

    /// The bytes it covers.
    #[must_use]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..{}", self.source.0, self.start, self.end)
    }
}

/// A line and a column, both from 1; columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// One rule text with the name it is known by (a path, or the name of a shipped game).
#[derive(Clone, Debug)]
pub struct Source {
    /// What messages call it.
    pub name: String,
    /// All of it.
    pub text: String,
}

impl Source {
    /// Where a byte offset stands; an offset past the end is the end.
    #[must_use]
    pub fn locate(&self, offset: usize) -> LineColumn {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        LineColumn { line: before.matches('\n').count() + 1, column: before[start..].chars().count() + 1 }
    }

    /// The whole line that holds the offset, without its end.
    #[must_use]
    pub fn line_text(&self, offset: usize) -> &str {
        let line = self.locate(offset).line;
        self.text.lines().nth(line - 1).unwrap_or("")
    }
}

/// All texts of one compilation: the prelude, the file asked for, and what it extends or uses.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    sources: Vec<Source>,
}

impl Sources {
    /// Adds a text; at most 65,536 are told apart.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.sources.push(Source { name: name.into(), text: text.into() });
        SourceId(u16::try_from(self.sources.len() - 1).unwrap_or(u16::MAX))
    }

    /// A text by its number.
    #[must_use]
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.sources.get(usize::from(id.0))
    }

    /// The text under a span.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.get(span.source).and_then(|source| source.text.get(span.range())).unwrap_or("")
    }

    /// The text of an expression on one line, with the blanks that the formatter would leave: layout does not show.
    #[must_use]
    pub fn phrase(&self, span: Span) -> String {
        const SPREAD: [&str; 10] = ["!=", ">=", "<=", "=", ">", "<", "+", "*", "{", "}"];
        let mut out = String::new();
        for line in self.slice(span).lines() {
            let mut blank = true;
            let mut rest = line.split("//").next().unwrap_or("");
            while let Some(c) = rest.chars().next() {
                let sign = SPREAD.into_iter().find(|sign| rest.starts_with(sign));
                let token = sign.map_or(c.len_utf8(), str::len);
                if c.is_whitespace() {
                    blank = true;
                } else {
                    let glued = out.is_empty() || out.ends_with(['(', '[']) || matches!(c, ')' | ']' | ',');
                    let called = c == '(' && (out.ends_with("count") || !blank);
                    if (blank || sign.is_some()) && !glued && !called {
                        out.push(' ');
                    }
                    out.push_str(&rest[..token]);
                    blank = sign.is_some() || c == ',';
                }
                rest = &rest[token..];
            }
        }
        out
    }

    /// All texts with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        self.sources
            .iter()
            .enumerate()
            .map(|(index, source)| (SourceId(u16::try_from(index).unwrap_or(u16::MAX)), source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_does_not_show_how_it_was_laid_out() {
        let mut sources = Sources::default();
        for text in [
            "count(own next_to x)>=2 // so\n  and   f( a ,b ) = { y in c }",
            "count (own next_to x) >= 2\nand f(a, b)={y in c}",
        ] {
            let id = sources.add("x", text);
            let phrase = sources.phrase(Span::new(id, 0, text.len()));
            assert_eq!(phrase, "count(own next_to x) >= 2 and f(a, b) = { y in c }");
        }
    }
}
