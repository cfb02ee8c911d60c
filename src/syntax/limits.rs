//! Bounds on a text that are checked before it is parsed, so that no input can exhaust the parser.

use crate::diagnostic::{Code, Diagnostic};
use crate::source::{SourceId, Span};

/// A rule file is text for people: the longest known one has some 20 kB.
const MAX_BYTES: usize = 1 << 20;
/// Brackets within brackets.
const MAX_DEPTH: usize = 64;
/// Words that open a new level of an expression, on one line with its continuations.
const MAX_OPENERS: usize = 200;

/// Lines of a file; looking for the end of a row of blank lines takes time that grows with its square.
const MAX_LINES: usize = 5000;
/// Words of one line of the text.
const MAX_WORDS: usize = 10_000;

const OPENERS: &[&str] = &[
    "if", "case", "not", "before", "the", "any", "no", "every", "count", "some", "possible", "sum", "least", "most",
    "of", "else", "with", "maybe", "again", "chain", "but", "div", "mod",
];
const CONTINUING: &[&str] = &["and", "or", "else", "with", "when", "until", "but", "as", "for"];

/// Checks size and nesting; comments do not count, and of quoted texts only what stands in braces, as in notations.
pub(super) fn check(source: SourceId, text: &str) -> Result<(), Diagnostic> {
    if text.len() > MAX_BYTES {
        let span = Span::new(source, 0, 0);
        return Err(Diagnostic::new(Code::TooLarge, span, format!("the file has {} bytes", text.len()))
            .help(format!("a rule file holds at most {MAX_BYTES} bytes")));
    }
    if let Some((at, _)) = text.match_indices('\n').nth(MAX_LINES) {
        let span = Span::new(source, at, at);
        return Err(Diagnostic::new(Code::TooLarge, span, "the file has too many lines")
            .help(format!("a rule file has at most {MAX_LINES} lines")));
    }
    if let Some(at) = text.find('\0') {
        return Err(Diagnostic::new(Code::Unreadable, Span::new(source, at, at + 1), "this is not a text file")
            .label("a zero byte")
            .help("a rule file is plain UTF-8 text"));
    }
    let unseen = |(_, sign): &(usize, char)| sign.is_control() && !matches!(sign, '\t' | '\n' | '\r');
    if let Some((at, sign)) = text.char_indices().find(unseen) {
        let span = Span::new(source, at, at + sign.len_utf8());
        let message = format!("a control character stands here, U+{:04X}", u32::from(sign));
        return Err(Diagnostic::new(Code::Unreadable, span, message)
            .label("not to be seen")
            .help("take it out: a rule file holds letters, digits, signs, blanks, tabs and ends of lines"));
    }
    let bytes = text.as_bytes();
    let too_deep = |at: usize, what: &str| {
        Err(Diagnostic::new(Code::TooDeep, Span::new(source, at, at + 1), format!("{what} are nested too deeply here"))
            .label("one level too many")
            .help("give parts of it names with `word` or `pattern` and use these"))
    };
    let (mut depth, mut round, mut openers, mut words, mut at) = (0usize, 0usize, 0usize, 0usize, 0usize);
    while at < bytes.len() {
        if bytes[at] == b'\n' {
            words = 0;
        }
        match bytes[at] {
            b'"' => {
                let start = at + 1;
                at = start;
                while at < bytes.len() && bytes[at] != b'"' && bytes[at] != b'\n' {
                    at += 1;
                }
                if let Some(deep) = too_deep_in_braces(&text[start..at]) {
                    return too_deep(start + deep, "brackets");
                }
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                while at + 1 < bytes.len() && bytes[at + 1] != b'\n' {
                    at += 1;
                }
            }
            open @ (b'(' | b'[' | b'{') => {
                depth += 1;
                round += usize::from(open != b'{');
                if depth > MAX_DEPTH {
                    return too_deep(at, "brackets");
                }
            }
            close @ (b')' | b']' | b'}') => {
                depth = depth.saturating_sub(1);
                round = round.saturating_sub(usize::from(close != b'}'));
            }
            b'-' | b'+' | b'*' => openers += 1,
            b'.' if bytes.get(at + 1) == Some(&b'.') => openers += 1,
            b'\n' if round == 0 && !continues(&text[at..]) => openers = 0,
            byte if byte.is_ascii_alphabetic() => {
                let start = at;
                while at + 1 < bytes.len() && (bytes[at + 1].is_ascii_alphanumeric() || bytes[at + 1] == b'_') {
                    at += 1;
                }
                words += 1;
                if words > MAX_WORDS {
                    let span = Span::new(source, start, at + 1);
                    return Err(Diagnostic::new(Code::TooLarge, span, "this line is too long")
                        .label(format!("word {words} of the line"))
                        .help("a line holds at most 10000 words"));
                }
                if OPENERS.contains(&&text[start..=at]) {
                    openers += 1;
                }
            }
            _ => {}
        }
        if openers > MAX_OPENERS {
            return too_deep(at.min(bytes.len() - 1), "words");
        }
        at += 1;
    }
    Ok(())
}

/// Where the expressions in the braces of a quoted text nest too deeply or hold too many words.
fn too_deep_in_braces(text: &str) -> Option<usize> {
    let (mut depth, mut openers) = (0usize, 0usize);
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' if depth > 0 => depth += 1,
            '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            // Every word may open a level, as far as one line is concerned.
            _ if depth > 0 => openers += usize::from(c == '-' || c.is_alphabetic() && !before.is_alphanumeric()),
            _ => {}
        }
        if depth == 0 {
            openers = 0;
        }
        if depth > MAX_DEPTH || openers > MAX_OPENERS {
            return Some(at);
        }
        before = c;
    }
    None
}

/// Whether the line after this newline goes on with the one before.
fn continues(rest: &str) -> bool {
    let next = rest.trim_start();
    let word: &str = next.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
    CONTINUING.contains(&word) || next.starts_with(['=', ')', ']', ',']) || next.starts_with("->")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_brackets_and_long_chains_are_refused_and_quotes_do_not_count() {
        let check = |text: &str| check(SourceId(0), text).map_err(|diagnostic| diagnostic.code);
        assert_eq!(check(&"(".repeat(65)), Err(Code::TooDeep));
        assert_eq!(check(&"not ".repeat(201)), Err(Code::TooDeep));
        assert_eq!(check(&"x = not y\n".repeat(1000)), Ok(()));
        assert_eq!(check(&format!("\"{}\"", "(".repeat(100))), Ok(()));
        assert_eq!(check(&format!("x : {}", "1 .. ".repeat(201))), Err(Code::TooDeep));
        assert_eq!(check(&format!("\"{{{}\"", "(".repeat(100))), Err(Code::TooDeep), "a notation");
        assert_eq!(check(&format!("\"{{{}\"", "not ".repeat(201))), Err(Code::TooDeep), "a notation");
        assert_eq!(check(&format!("\"{}\"", "{a}".repeat(1000))), Ok(()));
        assert_eq!(check("a\0b"), Err(Code::Unreadable));
        assert_eq!(check("game \"\u{1b}]0;x\u{7}\""), Err(Code::Unreadable));
        assert_eq!(check("game\t\"\u{e4}\"\r\n"), Ok(()));
    }
}
