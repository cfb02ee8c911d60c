//! Commands by their names, as typed after a colon or in plain play.

/// What can be asked for besides moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    Undo,
    Redo,
    Hint,
    /// Why a move is legal or not; without one, the last that was tried.
    Why(String),
    Resign,
    /// Offers a draw to the other person.
    Draw,
    Save(String),
    Help,
    Moves,
    /// The rules in words.
    Rules,
    Quit,
}

/// The names, for completion.
pub const NAMES: [&str; 11] =
    ["undo", "redo", "hint", "why", "rules", "draw", "resign", "save", "moves", "help", "quit"];

impl Command {
    /// Reads a command by its whole name: where moves are typed too, a letter may be a move.
    #[must_use]
    pub fn exact(text: &str) -> Option<Self> {
        // With a colon, as on the whole screen, it can be no move.
        let text = text.trim().strip_prefix(':').unwrap_or(text);
        let word = text.split_whitespace().next()?;
        if NAMES.contains(&word) { Self::parse(text) } else { None }
    }

    /// Reads a command; any beginning of its name will do that no other has.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (word, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
        if word.is_empty() {
            return None;
        }
        let mut meant = NAMES.into_iter().filter(|name| name.starts_with(word));
        let name =
            NAMES.into_iter().find(|name| *name == word).or_else(|| meant.next().filter(|_| meant.next().is_none()));
        Some(match name? {
            "undo" => Command::Undo,
            "redo" => Command::Redo,
            "hint" => Command::Hint,
            "why" => Command::Why(rest.trim().to_owned()),
            "draw" => Command::Draw,
            "resign" => Command::Resign,
            "save" => Command::Save(rest.trim().to_owned()),
            "moves" => Command::Moves,
            "rules" => Command::Rules,
            "help" => Command::Help,
            _ => Command::Quit,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_may_be_shortened_as_long_as_they_are_certain() {
        assert_eq!(Command::parse("u"), Some(Command::Undo));
        assert_eq!(Command::parse("save my game.txt "), Some(Command::Save("my game.txt".to_owned())));
        assert_eq!(Command::parse("why e2e5"), Some(Command::Why("e2e5".to_owned())));
        assert_eq!(Command::parse("re"), None);
        assert_eq!(Command::parse("h"), None);
        assert_eq!(Command::parse("dance"), None);
        assert_eq!(Command::parse(" "), None);
        assert_eq!((Command::exact("u"), Command::exact(" undo")), (None, Some(Command::Undo)));
    }
}
