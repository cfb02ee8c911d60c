//! A position as one word, for protocols that part what they are told by blanks.

use crate::game::{Game, Position};
use serde_json::Value;

/// The digits of base 64 that may stand in a file name (RFC 4648, section 5).
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// What a position is set up of, as far as it is not left out.
const FIELDS: [&str; 4] = ["turn", "mover", "sites", "state"];

/// What stands on the board, who is to move and what the game tracks. What came before is not in it.
#[must_use]
pub fn write(position: &Position) -> String {
    let mut json = position.to_json();
    if let Value::Object(fields) = &mut json {
        fields.retain(|name, _| FIELDS.contains(&name.as_str()));
    }
    encode(json.to_string().as_bytes())
}

/// The position that a word stands for, or why it is none.
pub fn read(game: &Game, token: &str) -> Result<Position, String> {
    let bytes = decode(token).ok_or("it is not what `query fen` answers")?;
    let json: Value = serde_json::from_slice(&bytes).map_err(|_| "it is not what `query fen` answers")?;
    game.set_up(&json)
}

fn encode(bytes: &[u8]) -> String {
    let digit = |group: u32, place: u32| {
        let six = usize::try_from(group >> (18 - 6 * place) & 63).unwrap_or(0);
        DIGITS.get(six).map_or('A', |digit| char::from(*digit))
    };
    bytes
        .chunks(3)
        .flat_map(|chunk| {
            let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
            let group = byte(0) << 16 | byte(1) << 8 | byte(2);
            (0..=u32::try_from(chunk.len()).unwrap_or(0)).map(move |place| digit(group, place)).collect::<Vec<_>>()
        })
        .collect()
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let digits: Option<Vec<u32>> = text
        .trim_end_matches('=')
        .bytes()
        .map(|byte| DIGITS.iter().position(|digit| *digit == byte).and_then(|at| u32::try_from(at).ok()))
        .collect();
    for chunk in digits?.chunks(4) {
        let group = (0..4).fold(0, |group, at| group << 6 | chunk.get(at).copied().unwrap_or(0));
        let whole = chunk.len().checked_sub(1).filter(|whole| *whole > 0)?;
        bytes.extend(group.to_be_bytes().iter().skip(1).take(whole));
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Line;
    use crate::library::Library;

    #[test]
    fn bytes_of_every_length_come_back() {
        for length in 0..70_u8 {
            let bytes: Vec<u8> = (0..length).map(|byte| byte.wrapping_mul(37) ^ 0xa5).collect();
            assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
        assert_eq!(encode(b"Ludwright"), "THVkd3JpZ2h0");
        assert!(decode("a b").is_none() && decode("A").is_none());
    }

    #[test]
    fn a_position_is_one_word_and_comes_back() {
        for (name, moves) in [("chess", vec!["e2e4", "e7e5", "e1e2"]), ("hex", vec!["c3"])] {
            let game = Game::from_text(name, Library::text(name).unwrap(), None, &[], &Library).unwrap();
            let position = Line::replayed(&game, &moves).unwrap().position().clone();
            let token = write(&position);
            assert!(!token.contains(char::is_whitespace));
            let read = read(&game, &token).unwrap();
            assert_eq!((read.moves(), read.mover()), (position.moves(), position.mover()));
            assert_eq!(write(&read), token);
        }
        let game = Game::from_text("hex", Library::text("hex").unwrap(), None, &[], &Library).unwrap();
        assert!(super::read(&game, "nonsense!").is_err() && super::read(&game, "bm9uc2Vuc2U").is_err());
    }
}
