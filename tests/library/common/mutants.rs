//! Small changes to rule texts, the same ones every time.

/// Small and the same everywhere (xorshift).
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below.max(1)
    }
}

/// The tokens of a text as byte ranges: words, quoted texts and single signs; comments and blanks are none.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    at += 1;
                }
                continue;
            }
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' && bytes[at] != b'\n' {
                    at += 1;
                }
                at += 1;
            }
            byte if byte.is_ascii_alphanumeric() || byte == b'_' => {
                while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
                    at += 1;
                }
            }
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            _ => {
                at += 1;
                while !text.is_char_boundary(at) {
                    at += 1;
                }
            }
        }
        found.push((start, at.min(bytes.len())));
    }
    found
}

/// A mutant, where it was changed (in its own bytes), and how.
pub fn mutate(text: &str, dice: &mut Dice) -> (String, usize, String) {
    let tokens = tokens(text);
    if tokens.is_empty() {
        return (format!("{text}\n;"), text.len() + 1, "a sign where nothing stood".to_owned());
    }
    loop {
        let index = dice.roll(tokens.len());
        let (start, end) = tokens[index];
        let token = &text[start..end];
        match dice.roll(4) {
            0 => return (format!("{}{}", &text[..start], &text[end..]), start, format!("`{token}` deleted")),
            1 => {
                return (format!("{} {token}{}", &text[..end], &text[end..]), end + 1, format!("`{token}` doubled"));
            }
            2 if index + 1 < tokens.len() => {
                let (next, after) = tokens[index + 1];
                let other = &text[next..after];
                if other == token {
                    continue;
                }
                let mutant = format!("{}{other}{}{token}{}", &text[..start], &text[end..next], &text[after..]);
                return (mutant, start, format!("`{token}` and `{other}` swapped"));
            }
            3 if token.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') => {
                let at = start + dice.roll(token.len());
                let letter = b"abcdefghijklmnopqrstuvwxyz"[dice.roll(26)] as char;
                if text[at..].starts_with(letter) {
                    continue;
                }
                let mutant = format!("{}{letter}{}", &text[..at], &text[at + 1..]);
                return (mutant, at, format!("a letter of `{token}` became `{letter}`"));
            }
            _ => {}
        }
    }
}
