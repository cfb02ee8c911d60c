//! From what the command line names to texts and games.

use super::error::CliError;
use crate::diagnostic::{Code, Diagnostic, closest};
use crate::game::Record;
use crate::game::{Game, Line, Position, STEPS};
use crate::library::{EXTENSION, Library, describe, is_path, read_bytes, unmarked};
use crate::source::{Sources, Span};
use crate::syntax::move_lists::entries;
use clap::{Args, ValueEnum};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A game and the choice of its options.
#[derive(Args, Clone, Debug)]
pub struct GameArgs {
    /// Name of a shipped game, or path of a `.game` file
    #[arg(value_name = "GAME")]
    pub game: String,
    #[command(flatten)]
    pub choice: Choice,
    /// The most steps that working out one ply may take
    #[arg(long, value_name = "N", default_value_t = STEPS, value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: u64,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// A ruleset of the game
    #[arg(long, value_name = "NAME")]
    pub ruleset: Option<String>,
    /// The value of an option; may be repeated
    #[arg(short = 'o', long = "option", value_name = "OPTION=VALUE", value_parser = option_value)]
    pub options: Vec<(String, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Engine {
    /// Compiled rules
    #[default]
    Fast,
    /// The interpreter of the rule graph: slow, simple, and what the fast engine is tested against
    Reference,
}

impl Engine {
    pub fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Fast => "fast",
        }
    }

    pub fn of(engine: crate::study::playout::Engine) -> Self {
        match engine {
            crate::study::playout::Engine::Reference => Self::Reference,
            crate::study::playout::Engine::Fast => Self::Fast,
        }
    }

    pub fn runner(self) -> crate::study::playout::Engine {
        match self {
            Self::Reference => crate::study::playout::Engine::Reference,
            Self::Fast => crate::study::playout::Engine::Fast,
        }
    }
}

/// Reads `option=value`.
pub fn option_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.trim().to_owned())),
        _ => Err("write it as option=value".to_owned()),
    }
}

/// A rule text and the name it is known by.
#[derive(Clone, Debug)]
pub struct RuleText {
    pub name: String,
    pub text: String,
}

impl RuleText {
    /// What a GAME argument stands for.
    pub fn of_game(game: &str) -> Result<Self, CliError> {
        if is_path(game) {
            return Self::of_file(Path::new(game));
        }
        match Library::text(game) {
            Some(text) => Ok(Self { name: game.to_owned(), text: text.to_owned() }),
            None => Err(unknown_game(game)),
        }
    }

    fn of_file(path: &Path) -> Result<Self, CliError> {
        let bytes = read_bytes(path).map_err(|error| CliError::read(path, error))?;
        decode(path, bytes).map_err(|unreadable| {
            let (diagnostic, sources) = *unreadable;
            let message = format!("`{}` is not a text", path.display());
            CliError::Rules { message, diagnostics: vec![diagnostic], sources }
        })
    }

    pub fn load(&self, choice: &Choice) -> Result<Game, CliError> {
        Ok(Game::from_text(&self.name, &self.text, choice.ruleset.as_deref(), &choice.options, &Library)?)
    }
}

/// As much as is read of one record from standard input.
const MAX_RECORD: u64 = 16 << 20;

/// Reads a recorded game from a file, or from standard input for `-`.
pub fn read_record(path: &Path) -> Result<Record, CliError> {
    if path == Path::new("-") {
        return record_in(path, &mut io::stdin().lock());
    }
    record_of(path, read_bytes(path).map_err(|error| CliError::read(path, error))?)
}

/// Reads a recorded game to the end of an input.
pub fn record_in(path: &Path, input: &mut dyn Read) -> Result<Record, CliError> {
    let mut bytes = Vec::new();
    input.take(MAX_RECORD).read_to_end(&mut bytes).map_err(|error| CliError::read(path, error))?;
    record_of(path, bytes)
}

fn record_of(path: &Path, bytes: Vec<u8>) -> Result<Record, CliError> {
    let text = String::from_utf8(bytes)
        .map_err(|_| CliError::message(format!("`{}` is not a text in UTF-8", path.display())))?;
    Ok(Record::parse(&text))
}

impl Choice {
    /// What a record says, with this choice on top.
    pub fn over(&self, record: &Record) -> Self {
        let ruleset = self.ruleset.clone().or_else(|| record.ruleset.clone());
        let replaced = |name: &str| self.options.iter().any(|(other, _)| other == name);
        let own = record.options.iter().filter(|(name, _)| !replaced(name));
        Self { ruleset, options: own.chain(&self.options).cloned().collect() }
    }
}

fn unknown_game(name: &str) -> CliError {
    let help = match Library::similar(name) {
        Some(best) => format!("did you mean `{best}`?"),
        None => {
            "`ludwright list` names the shipped games; the path of a file holds a `/` or ends in `.game`".to_owned()
        }
    };
    CliError::coded("unknown_game", format!("there is no shipped game `{name}`"), Some(help))
}

impl GameArgs {
    pub fn load(&self) -> Result<(RuleText, Game), CliError> {
        let text = RuleText::of_game(&self.game)?;
        let game = text.load(&self.choice)?;
        Ok((text, if self.steps == STEPS { game } else { game.with_steps(self.steps) }))
    }
}

/// A problem with its text, where there is one.
pub type Unreadable = Box<(Diagnostic, Sources)>;

/// The text of a file, or a diagnostic at its first byte that is not UTF-8.
fn decode(path: &Path, bytes: Vec<u8>) -> Result<RuleText, Unreadable> {
    let name = path.display().to_string();
    let error = match String::from_utf8(bytes) {
        Ok(text) => return Ok(RuleText { name, text: unmarked(text) }),
        Err(error) => error,
    };
    let at = error.utf8_error().valid_up_to();
    let byte = error.as_bytes().get(at).copied().unwrap_or(0);
    let mut sources = Sources::default();
    // The part before the bad byte is as in the file, so lines and columns are right.
    let id = sources.add(name, String::from_utf8_lossy(error.as_bytes()).into_owned());
    let span = Span::new(id, at, at + char::REPLACEMENT_CHARACTER.len_utf8());
    let diagnostic =
        Diagnostic::new(Code::Unreadable, span, format!("the byte 0x{byte:02x} is not part of a text in UTF-8"))
            .label("here")
            .help("save the file as UTF-8");
    Err(Box::new((diagnostic, sources)))
}

/// A file that a command is to look at, or why it cannot.
pub struct Target {
    pub path: String,
    pub text: Result<RuleText, Unreadable>,
}

impl Target {
    /// What was read under the name of a path.
    pub fn of_bytes(path: &Path, bytes: Vec<u8>) -> Self {
        Self { path: path.display().to_string(), text: decode(path, bytes) }
    }

    fn of_file(path: &Path) -> Self {
        let text = match read_bytes(path) {
            Ok(bytes) => return Self::of_bytes(path, bytes),
            Err(error) => Err(problem(path, &format!("cannot be read: {}", describe(&error)), None)),
        };
        Self { path: path.display().to_string(), text }
    }
}

fn problem(path: &Path, what: &str, help: Option<String>) -> Unreadable {
    let mut sources = Sources::default();
    let id = sources.add(path.display().to_string(), "");
    let mut diagnostic = Diagnostic::new(Code::Unreadable, Span::new(id, 0, 0), format!("`{}` {what}", path.display()));
    diagnostic.help = help;
    Box::new((diagnostic, sources))
}

/// All files that arguments stand for: files, folders with all that is in them, and shipped games.
pub fn targets(arguments: &[PathBuf]) -> Vec<Target> {
    arguments.iter().flat_map(|argument| targets_of(argument)).collect()
}

fn targets_of(argument: &Path) -> Vec<Target> {
    if argument.is_dir() {
        return match games_in(argument) {
            Ok(files) if files.is_empty() => {
                let text = Err(problem(argument, "holds no `.game` files", None));
                vec![Target { path: argument.display().to_string(), text }]
            }
            Ok(files) => files.iter().map(|file| Target::of_file(file)).collect(),
            Err(error) => {
                let text = Err(problem(argument, &format!("cannot be read: {}", describe(&error)), None));
                vec![Target { path: argument.display().to_string(), text }]
            }
        };
    }
    let name = argument.to_string_lossy();
    if !is_path(&name) && !argument.exists() {
        let text = match Library::text(&name) {
            Some(text) => Ok(RuleText { name: name.to_string(), text: text.to_owned() }),
            None => {
                let help = Library::similar(&name).map(|best| format!("did you mean `{best}`?"));
                Err(problem(argument, "is neither a file nor a shipped game", help))
            }
        };
        return vec![Target { path: name.to_string(), text }];
    }
    vec![Target::of_file(argument)]
}

/// All rule files below a folder, sorted by path. Links to folders are not followed: they may form circles.
fn games_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == EXTENSION) && !path.is_dir() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The moves of a list: parted by commas or ends of lines; `//` begins a comment.
pub fn move_list(text: &str) -> Vec<String> {
    entries(text).into_iter().map(|entry| entry.text).collect()
}

/// The position after some moves.
pub fn after_moves(start: Position, moves: &[String]) -> Result<Position, CliError> {
    let start = start.unless_stopped().map_err(|error| CliError::stopped(&error))?;
    moves.iter().enumerate().try_fold(start, |position, (index, mv)| {
        position.play(mv).map_err(|error| CliError::bad_move(index + 1, &error))
    })
}

/// The game that some moves make.
pub fn line_after(game: &Game, moves: &[String]) -> Result<Line, CliError> {
    game.start().unless_stopped().map_err(|error| CliError::stopped(&error))?;
    Line::replayed(game, moves).map_err(|(at, error)| CliError::bad_move(at, &error))
}

/// The seat that looks at a game, by the name of its player.
pub fn seat_of(game: &Game, name: &str) -> Result<usize, CliError> {
    game.seat_called(name).ok_or_else(|| {
        let names: Vec<&str> = game.rules().players.iter().map(|player| player.name.as_str()).collect();
        let best = closest(name, names.iter().copied()).map(|best| format!("did you mean `{best}`?"));
        let help = best.unwrap_or_else(|| format!("the players are {}", names.join(", ")));
        CliError::with_help(format!("there is no player `{name}`"), Some(help))
    })
}

/// Whose turn it is, or how the game ended.
pub fn status_line(position: &Position) -> String {
    let mut line = match (position.outcome(), position.mover()) {
        (Some(outcome), _) => {
            let players: Vec<&str> =
                position.game().rules().players.iter().map(|player| player.name.as_str()).collect();
            format!("The game is over: {}", result_text(&players, &outcome.places, &outcome.reason))
        }
        (None, Some(mover)) if position.is_chance() => {
            format!("chance decides for {mover} (turn {}, {} plies played)", position.turn(), position.ply())
        }
        (None, Some(mover)) => format!("{mover} to move (turn {}, {} plies played)", position.turn(), position.ply()),
        (None, None) => "Nobody is to move".to_owned(),
    };
    let scores: Vec<String> = position.scores().iter().map(|(player, score)| format!("{player} {score}")).collect();
    if !scores.is_empty() {
        line.push_str(&format!("\nScore: {}", scores.join(", ")));
    }
    for kept in kept(position) {
        line.push('\n');
        line.push_str(&kept);
    }
    line
}

/// What is kept count of besides pieces, in lines: hands, stores, and the numbers of sites as boards.
pub fn kept(position: &Position) -> Vec<String> {
    let kept = position.store_lines().into_iter().chain(position.links_line()).chain(position.store_boards());
    kept.map(|kept| kept.trim_end().to_owned()).collect()
}

fn result_text(players: &[&str], places: &[u8], reason: &str) -> String {
    let at = |place: u8| -> Vec<&str> {
        players.iter().zip(places).filter(|(_, own)| **own == place).map(|(player, _)| *player).collect()
    };
    let first = at(1);
    let result = match first.as_slice() {
        [winner] if players.len() <= 2 => format!("{winner} wins"),
        all if all.len() == players.len() => "a draw".to_owned(),
        _ => {
            let last = places.iter().copied().max().unwrap_or(1);
            let groups: Vec<String> = (1..=last)
                .filter(|place| !at(*place).is_empty())
                .map(|place| format!("{place}. {}", at(place).join(" and ")))
                .collect();
            groups.join(", ")
        }
    };
    if reason.is_empty() { result } else { format!("{result} ({reason})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_moves() {
        assert_eq!(move_list(" c6, o5 -2 2,,\nq6 // a, comment\n// none\n"), ["c6", "o5 -2 2", "q6"]);
    }

    #[test]
    fn bytes_that_are_no_text_have_a_place() {
        let unreadable = decode(Path::new("x.game"), b"game\n  \xc3\xa4\xff\xfe".to_vec()).unwrap_err();
        let source = unreadable.1.get(unreadable.0.span.source).unwrap();
        let at = source.locate(unreadable.0.span.start as usize);
        assert_eq!((at.line, at.column), (2, 4));
    }

    #[test]
    fn the_command_line_comes_last() {
        let record = Record::parse("side=5, player_count = 3\nc6,q6");
        let given = Choice { ruleset: None, options: vec![("side".to_owned(), "4".to_owned())] };
        let options = given.over(&record).options;
        assert_eq!(options, [("player_count".to_owned(), "3".to_owned()), ("side".to_owned(), "4".to_owned())]);
    }

    #[test]
    fn results_in_words() {
        assert_eq!(result_text(&["A", "B"], &[1, 2], "stuck"), "A wins (stuck)");
        assert_eq!(result_text(&["A", "B"], &[1, 1], ""), "a draw");
        assert_eq!(result_text(&["A", "B", "C"], &[2, 1, 2], ""), "1. B, 2. A and C");
    }

    #[test]
    fn options_have_a_value() {
        assert_eq!(option_value("side = 5"), Ok(("side".to_owned(), "5".to_owned())));
        assert!(option_value("side").is_err());
    }
}
