//! Texts as editors see them: lines and columns in their encoding, changes of parts, URIs and paths.

use lsp_types::{Position, PositionEncodingKind, Range, TextDocumentContentChangeEvent, Uri};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// In what the columns of an editor are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    Utf8,
    #[default]
    Utf16,
}

impl Encoding {
    /// UTF-8 if the editor knows it, else what every editor must know.
    pub fn chosen(offered: &[PositionEncodingKind]) -> Self {
        if offered.contains(&PositionEncodingKind::UTF8) { Self::Utf8 } else { Self::Utf16 }
    }

    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    pub fn length(self, text: &str) -> u32 {
        let length = match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
        };
        u32::try_from(length).unwrap_or(u32::MAX)
    }
}

/// A text with the places where its lines begin.
#[derive(Clone, Debug, Default)]
pub struct Text {
    pub text: String,
    starts: Vec<usize>,
}

impl Text {
    pub fn new(text: String) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            if *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
                starts.push(at + 1);
            }
        }
        Self { text, starts }
    }

    pub fn position(&self, offset: usize, encoding: Encoding) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or(0);
        Position::new(u32::try_from(line).unwrap_or(u32::MAX), encoding.length(&self.text[start..offset]))
    }

    /// The offset of a place; one beyond the end of its line is that end.
    pub fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else { return self.text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let text = self.text[start..end].trim_end_matches(['\n', '\r']);
        let mut left = position.character as usize;
        for (at, c) in text.char_indices() {
            let width = match encoding {
                Encoding::Utf8 => c.len_utf8(),
                Encoding::Utf16 => c.len_utf16(),
            };
            if left < width {
                return start + at;
            }
            left -= width;
        }
        start + text.len()
    }

    pub fn range(&self, range: std::ops::Range<usize>, encoding: Encoding) -> Range {
        Range::new(self.position(range.start, encoding), self.position(range.end, encoding))
    }

    /// The text after changes, which may each be of the whole or of a part.
    pub fn changed(&self, changes: Vec<TextDocumentContentChangeEvent>, encoding: Encoding) -> Self {
        let mut now = self.clone();
        for change in changes {
            now = match change.range {
                None => Self::new(change.text),
                Some(range) => {
                    let start = now.offset(range.start, encoding);
                    let end = now.offset(range.end, encoding).max(start);
                    let mut text = now.text;
                    text.replace_range(start..end, &change.text);
                    Self::new(text)
                }
            };
        }
        now
    }
}

/// The path of a `file:` URI.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.find('/').map(|at| &rest[at..])?;
    let mut bytes = Vec::new();
    let mut left = path.as_bytes();
    while let Some((first, rest)) = left.split_first() {
        let code = rest.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match (first, code.and_then(|code| u8::from_str_radix(code, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                left = &rest[2..];
            }
            _ => {
                bytes.push(*first);
                left = rest;
            }
        }
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/c:/games` on systems with drives
    let drive = path.as_bytes().get(2) == Some(&b':') && std::path::MAIN_SEPARATOR == '\\';
    Some(PathBuf::from(if drive { &path[1..] } else { &path }))
}

/// The `file:` URI of a path.
pub fn uri_of(path: &Path) -> Option<Uri> {
    let path = std::path::absolute(path).ok()?.to_string_lossy().replace('\\', "/");
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/:".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    Uri::from_str(&uri).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_as_the_editor_does() {
        let text = Text::new("a\r\n\u{1F600}é b\rc".to_owned());
        for (encoding, column) in [(Encoding::Utf8, 6), (Encoding::Utf16, 3)] {
            let at = text.text.find(' ').unwrap();
            assert_eq!(text.position(at, encoding), Position::new(1, column));
            assert_eq!(text.offset(Position::new(1, column), encoding), at);
        }
        let inside = text.offset(Position::new(1, 1), Encoding::Utf16);
        assert!(text.text.is_char_boundary(inside));
        assert_eq!(text.offset(Position::new(0, 99), Encoding::Utf16), 1);
        assert_eq!(text.offset(Position::new(99, 0), Encoding::Utf16), text.text.len());
        assert_eq!(text.position(text.text.len(), Encoding::Utf16), Position::new(2, 1));
    }

    #[test]
    fn paths_go_to_uris_and_back() {
        let path = Path::new("/tmp/a b/ä%.game");
        let uri = uri_of(path).unwrap();
        assert_eq!(uri.as_str(), "file:///tmp/a%20b/%C3%A4%25.game");
        assert_eq!(path_of(uri.as_str()).unwrap(), path);
        assert!(path_of("untitled:Untitled-1").is_none());
    }
}
