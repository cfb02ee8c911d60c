//! How a program of somebody else is named at a seat: `uci[time=100ms, Skill Level=0]:stockfish`.

use super::spelling::Style;
use crate::ai::agent::time;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// What a program speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// The Universal Game Interface of kz04px.
    Ugi,
    /// The Go Text Protocol, version 2.
    Gtp,
    /// The Universal Chess Interface.
    Uci,
}

/// How long a program is to think about a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// So long.
    Time(Duration),
    /// So many plies deep.
    Depth(u64),
    /// So many positions.
    Nodes(u64),
}

/// A program of somebody else, as it is named at a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guest {
    /// How it is spoken to.
    pub protocol: Protocol,
    /// The program and its arguments.
    pub words: Vec<String>,
    /// How long it thinks.
    pub limit: Limit,
    /// How much later than that a move may come.
    pub late: Duration,
    /// How moves are written for it.
    pub moves: Style,
    /// What it is told before the first game, by name.
    pub settings: Vec<(String, String)>,
    /// The settings as they were written.
    written: String,
}

/// Why a name is no program of somebody else.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NameError {
    /// A bracket that is opened is not closed before the colon.
    #[error("the settings in `{name}` do not end")]
    Bracket {
        /// What was written.
        name: String,
    },
    /// There is nothing to start.
    #[error("`{name}` names no program")]
    Nothing {
        /// What was written.
        name: String,
    },
    /// A quotation mark has no partner.
    #[error("a quotation mark in `{name}` has no partner")]
    Quote {
        /// What was written.
        name: String,
    },
    /// A setting has no value, or one that it cannot have.
    #[error("the setting `{setting}` cannot be understood")]
    Setting {
        /// What was written.
        setting: String,
    },
}

impl NameError {
    /// What can be written instead.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::Bracket { .. } => "close them before the colon, as in `uci[time=100ms]:stockfish`",
            Self::Nothing { .. } => "write the program behind the colon, as in `gtp:gnugo --mode gtp`",
            Self::Quote { .. } => "put quotation marks around arguments with blanks or commas, two for each",
            Self::Setting { .. } => {
                "settings are `time=1s`, `depth=5`, `nodes=1000`, `late=500ms`, `moves=notation` or `moves=sites`, and for ugi and uci the program's own options, `Skill Level=0`"
            }
        }
    }
}

impl Protocol {
    const ALL: [Self; 3] = [Self::Ugi, Self::Gtp, Self::Uci];

    /// Its name, in small letters.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ugi => "ugi",
            Self::Gtp => "gtp",
            Self::Uci => "uci",
        }
    }

    /// How moves are written in it when nothing else is said.
    #[must_use]
    pub fn style(self) -> Style {
        match self {
            Self::Ugi => Style::Notation,
            Self::Gtp => Style::Vertices,
            Self::Uci => Style::Sites,
        }
    }

    /// What a program is given when nothing else is said. Those of the Go Text Protocol cannot be told how long to think
    /// about one move, so they get more.
    fn usual(self) -> Limit {
        Limit::Time(Duration::from_secs(match self {
            Self::Ugi | Self::Uci => 1,
            Self::Gtp => 10,
        }))
    }
}

/// How much later a move may come when nothing else is said.
const LATE: Duration = Duration::from_secs(1);

/// How long a program may take that was given a depth or a number of positions.
const PATIENCE: Duration = Duration::from_secs(60);

impl Guest {
    /// Whether a name is meant to be one of these.
    #[must_use]
    pub fn is_meant(name: &str) -> bool {
        let name = name.trim();
        let begins = |protocol: Protocol| name.strip_prefix(protocol.name()).map(str::trim_start);
        Protocol::ALL.into_iter().filter_map(begins).any(|rest| rest.starts_with([':', '[']))
    }

    /// When a move has to be there at the latest.
    #[must_use]
    pub fn patience(&self) -> Duration {
        self.late + if let Limit::Time(time) = self.limit { time } else { PATIENCE }
    }

    fn set(&mut self, setting: &str) -> Result<(), NameError> {
        let wrong = || NameError::Setting { setting: setting.to_owned() };
        let (name, value) = setting.split_once('=').ok_or_else(wrong)?;
        let (name, value) = (name.trim(), value.trim());
        let number = || value.parse().ok().filter(|number| *number > 0);
        match name {
            "time" => self.limit = time(value).filter(|time| !time.is_zero()).map(Limit::Time).ok_or_else(wrong)?,
            "depth" => self.limit = number().map(Limit::Depth).ok_or_else(wrong)?,
            "nodes" => self.limit = number().map(Limit::Nodes).ok_or_else(wrong)?,
            "late" => self.late = time(value).ok_or_else(wrong)?,
            "moves" => self.moves = Style::named(value).ok_or_else(wrong)?,
            "" => return Err(wrong()),
            _ if self.protocol == Protocol::Gtp => return Err(wrong()),
            _ => self.settings.push((name.to_owned(), value.to_owned())),
        }
        Ok(())
    }
}

impl FromStr for Guest {
    type Err = NameError;

    fn from_str(name: &str) -> Result<Self, NameError> {
        let name = name.trim();
        let nothing = || NameError::Nothing { name: name.to_owned() };
        let begun =
            Protocol::ALL.into_iter().find_map(|protocol| Some((protocol, name.strip_prefix(protocol.name())?)));
        let (protocol, rest) = begun.ok_or_else(nothing)?;
        let rest = rest.trim_start();
        let (written, command) = match rest.strip_prefix('[') {
            Some(rest) => {
                let whole = rest.split_once(']').filter(|(_, after)| after.trim_start().starts_with(':'));
                let (settings, after) = whole.ok_or_else(|| NameError::Bracket { name: name.to_owned() })?;
                (settings.trim(), after.trim_start())
            }
            None => ("", rest),
        };
        let command = command.strip_prefix(':').ok_or_else(nothing)?.trim();
        let words = words(command).ok_or_else(|| NameError::Quote { name: name.to_owned() })?;
        if words.first().is_none_or(String::is_empty) {
            return Err(nothing());
        }
        let (limit, moves, written) = (protocol.usual(), protocol.style(), written.to_owned());
        let mut guest = Self { protocol, words, limit, late: LATE, moves, settings: Vec::new(), written };
        let settings = guest.written.clone();
        settings.split([',', ';']).map(str::trim).filter(|one| !one.is_empty()).try_for_each(|one| guest.set(one))?;
        Ok(guest)
    }
}

impl fmt::Display for Guest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.protocol.name())?;
        if !self.written.is_empty() {
            write!(f, "[{}]", self.written)?;
        }
        f.write_str(":")?;
        for (at, word) in self.words.iter().enumerate() {
            let gap = if at > 0 { " " } else { "" };
            if word.is_empty() || word.contains([' ', ',', '\'', '\t']) {
                let mark = if word.contains('"') { '\'' } else { '"' };
                write!(f, "{gap}{mark}{word}{mark}")?;
            } else {
                write!(f, "{gap}{word}")?;
            }
        }
        Ok(())
    }
}

/// The words of a command: parted by blanks, and kept together by quotation marks of either kind. None where one of them has
/// no partner.
fn words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut open = None;
    for c in command.chars() {
        match open {
            Some(mark) if c == mark => open = None,
            None if c == '"' || c == '\'' => {
                open = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            Some(_) | None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    open.is_none().then_some(words)
}

/// The entries of a list of players: parted by commas, but for those within quotation marks and brackets.
#[must_use]
pub fn entries(list: &str) -> Vec<String> {
    let mut entries = vec![String::new()];
    let (mut open, mut depth) = (None, 0_usize);
    for c in list.chars() {
        match (open, c) {
            (Some(mark), c) if c == mark => open = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => open = Some(c),
            (None, '[') => depth += 1,
            (None, ']') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                entries.push(String::new());
                continue;
            }
            (None, _) => {}
        }
        if let Some(entry) = entries.last_mut() {
            entry.push(c);
        }
    }
    entries.iter().map(|entry| entry.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_parted_by_commas_outside_of_quotation_marks_and_brackets() {
        let list = "medium, uci[Skill Level=0, time=100ms]:stockfish, ugi:'./my engine' \"a,b\",easy";
        let entries = entries(list);
        assert_eq!(
            entries,
            ["medium", "uci[Skill Level=0, time=100ms]:stockfish", "ugi:'./my engine' \"a,b\"", "easy"]
        );
        let guest: Guest = entries[2].parse().unwrap();
        assert_eq!(guest.words, ["./my engine", "a,b"]);
        assert_eq!(guest.to_string().parse::<Guest>().unwrap(), guest);
    }

    #[test]
    fn settings_say_how_long_and_what_the_program_is_told() {
        let guest: Guest = "uci[time=100ms; Skill Level=0, late=2s]:stockfish".parse().unwrap();
        assert_eq!((guest.protocol, guest.limit), (Protocol::Uci, Limit::Time(Duration::from_millis(100))));
        assert_eq!(guest.patience(), Duration::from_millis(2100));
        assert_eq!(guest.settings, [("Skill Level".to_owned(), "0".to_owned())]);
        assert_eq!(guest.to_string(), "uci[time=100ms; Skill Level=0, late=2s]:stockfish");
        let guest: Guest = "gtp:gnugo --mode gtp".parse().unwrap();
        assert_eq!((guest.words.len(), guest.moves), (3, Style::Vertices));
    }

    #[test]
    fn what_names_no_program_is_refused() {
        let refused = |name: &str| name.parse::<Guest>().unwrap_err();
        assert_eq!(refused("ugi:"), NameError::Nothing { name: "ugi:".to_owned() });
        assert_eq!(refused("ugi:''"), NameError::Nothing { name: "ugi:''".to_owned() });
        assert!(matches!(refused("ugi:'x"), NameError::Quote { .. }));
        assert!(matches!(refused("uci[time=1s:stockfish"), NameError::Bracket { .. }));
        for setting in ["time=0s", "time=soon", "depth=0", "moves=morse", "Hash"] {
            let refused = refused(&format!("uci[{setting}]:x"));
            assert_eq!(refused, NameError::Setting { setting: setting.to_owned() }, "{setting}");
        }
        assert!(matches!(refused("gtp[Level=1]:x"), NameError::Setting { .. }));
    }

    #[test]
    fn only_what_has_a_protocol_is_meant() {
        assert!(Guest::is_meant("ugi:x") && Guest::is_meant(" uci [a=b]:x"));
        assert!(!Guest::is_meant("medium") && !Guest::is_meant("mcts:1s") && !Guest::is_meant("ugly:x"));
    }
}
