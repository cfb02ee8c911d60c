//! Lists of moves as they stand in tests, records, saved games and on command lines: cut at commas, semicolons and ends of lines.

/// What cuts a list, ends it, or is read as something else than a move; within quotation marks nothing does.
const CUTS: [&str; 7] = [",", ";", "{", "}", "//", "[read", " because "];

/// A move of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub text: String,
    /// It stood in quotation marks, and is no more than a move.
    pub quoted: bool,
}

/// The entries of a list: parted by commas, semicolons and ends of lines, `//` begins a remark, and what stands in quotation marks is
/// left as it is.
#[must_use]
pub fn entries(text: &str) -> Vec<Entry> {
    text.lines().flat_map(entries_of_line).collect()
}

fn entries_of_line(line: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let (piece, behind) = cut(rest);
        let piece = piece.trim();
        let inner = piece.strip_prefix('"').and_then(|piece| piece.strip_suffix('"'));
        let entry = match inner {
            Some(inner) => Entry { text: inner.trim().to_owned(), quoted: true },
            None => Entry { text: piece.to_owned(), quoted: false },
        };
        found.extend(Some(entry).filter(|entry| !entry.text.is_empty()));
        rest = behind;
    }
    found
}

/// The text up to the next comma or semicolon outside of quotation marks, and what follows it; nothing follows a remark.
fn cut(text: &str) -> (&str, &str) {
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            // A mark without a partner is a sign like any other.
            '"' => quoted = !quoted && text[at + 1..].contains('"'),
            ',' | ';' if !quoted => return (&text[..at], &text[at + 1..]),
            '/' if !quoted && text[at..].starts_with("//") => return (&text[..at], ""),
            _ => {}
        }
    }
    (text, "")
}

/// What in a text would keep it from being one move of a list, if anything does.
#[must_use]
pub fn cut_by(text: &str) -> Option<&'static str> {
    CUTS.into_iter().find(|sign| text.contains(sign))
}

/// A move as it stands in a list.
#[must_use]
pub fn entry_of(mv: &str) -> String {
    let numbered =
        mv.split_once('.').is_some_and(|(number, _)| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
    if cut_by(mv).is_some() || numbered { format!("\"{mv}\"") } else { mv.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &str) -> Vec<String> {
        entries(list).into_iter().map(|entry| entry.text).collect()
    }

    #[test]
    fn what_stands_in_quotation_marks_is_one_move() {
        assert_eq!(texts("a1, \"b1,c1\" // b2, \"\n\"x//y\", d\"4"), ["a1", "b1,c1", "x//y", "d\"4"]);
        assert!(entries("\"a\"")[0].quoted && !entries("a")[0].quoted);
        assert_eq!(texts("\"a5,b5\"; \"c5,d5\"; e5"), ["a5,b5", "c5,d5", "e5"]);
    }

    #[test]
    fn a_move_is_read_back_from_the_list_it_was_put_into() {
        for mv in ["a1", "a1,b1", "12.c3", "a {b}", "x//y", "O-O", "1/2"] {
            assert_eq!(texts(&entry_of(mv)), [mv]);
        }
        assert_eq!(entry_of("e2-e4"), "e2-e4");
    }
}
