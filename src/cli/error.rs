//! Why a command ends without having done what was asked.

use crate::ai::AgentError;
use crate::diagnostic::{Diagnostic, Format, render};
use crate::game::{Bound, Game, LoadError, PlayError, Stopped};
use crate::library::describe;
use crate::protocol::ContenderError;
use crate::source::Sources;
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// The way out where a ply was given up because of its steps, and where there are too many plies.
const STEPS_HELP: &str = "`--steps N` allows more; `ludwright check` tells which clauses may take many";
const ROOM_HELP: &str =
    "choose parts from smaller sets, leave out those that change nothing, or make two plies of one move";

/// The word for what has no word of its own.
const NOT_POSSIBLE: &str = "not_possible";

#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// One sentence, and perhaps a way out.
    #[error("{message}")]
    Message { code: &'static str, message: String, help: Option<String> },
    /// A rule file with errors.
    #[error("{message}")]
    Rules { message: String, diagnostics: Vec<Diagnostic>, sources: Sources },
    #[error("the output cannot be written: {}", describe(.0))]
    Output(io::Error),
    #[error("`{}` cannot be read: {}", .path.display(), describe(.error))]
    Read { path: PathBuf, error: io::Error },
    #[error("`{}` cannot be written: {}", .path.display(), describe(.error))]
    Write { path: PathBuf, error: io::Error },
    /// The output says already what failed.
    #[error("failed")]
    Told,
}

impl CliError {
    pub fn message(message: impl Into<String>) -> Self {
        Self::with_help(message, None)
    }

    pub fn with_help(message: impl Into<String>, help: Option<String>) -> Self {
        Self::coded(NOT_POSSIBLE, message, help)
    }

    /// The same with a word for programs, which stays when the sentence is written anew.
    pub fn coded(code: &'static str, message: impl Into<String>, help: Option<String>) -> Self {
        Self::Message { code, message: message.into(), help }
    }

    /// A move in a list that cannot be played.
    pub fn bad_move(number: usize, error: &PlayError) -> Self {
        let apart = match error {
            PlayError::Illegal { text, .. } => text.split_whitespace().count() > 1,
            _ => false,
        };
        let help = apart.then(|| "several moves are separated by commas: `--moves \"a1, b2\"`".to_owned());
        Self::coded(error.code(), format!("move {number}: {error}"), help)
    }

    /// The first ply cannot be worked out in the steps, or the memory, that it may take.
    pub fn stopped(error: &PlayError) -> Self {
        let many = matches!(error, PlayError::Stopped { bound: Bound::Room(_), .. });
        let help = if many { ROOM_HELP } else { STEPS_HELP };
        Self::coded(error.code(), error.to_string(), Some(help.to_owned()))
    }

    /// What a run came to says nothing where a ply was given up.
    pub fn unless_stopped(game: &Game, stopped: Option<Stopped>) -> Result<(), Self> {
        match stopped {
            None => Ok(()),
            Some(stopped) => Err(Self::stopped(&game.error_of_stop(&stopped))),
        }
    }

    /// Two things would go the same way.
    pub fn two_outputs() -> Self {
        let help = "write to a file instead of `-`, or leave out `--json`".to_owned();
        Self::with_help("standard output is wanted twice, by `-` and `--json` or by two files", Some(help))
    }

    /// A command line that cannot be understood, as clap tells it.
    pub fn usage(error: &clap::Error) -> Self {
        let text = error.to_string();
        let mut parts = text.trim_start_matches("error: ").split("\n\n").map(str::trim);
        let message = parts.next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        let help = parts.find_map(|part| part.strip_prefix("tip: ").or_else(|| part.strip_prefix("Usage: ")));
        Self::coded("usage", message, help.map(str::to_owned))
    }

    pub fn read(path: &Path, error: io::Error) -> Self {
        Self::Read { path: path.to_owned(), error }
    }

    pub fn write(path: &Path, error: io::Error) -> Self {
        Self::Write { path: path.to_owned(), error }
    }

    /// Whether the reader of the output has gone, which is no failure.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The exit status. What cannot be understood (status 2) is found before any command begins.
    pub fn status(&self) -> u8 {
        u8::from(!self.is_closed_pipe())
    }

    /// The same for programs: a word that stays, a sentence, a way out; none where the answer itself says what failed, or
    /// where nobody reads it.
    pub fn to_json(&self) -> Option<Value> {
        let mut error = json!({ "code": self.code()?, "message": self.to_string(), "help": Value::Null });
        match self {
            Self::Message { help, .. } => error["help"] = json!(help),
            Self::Rules { diagnostics, sources, .. } => {
                error["help"] = json!(diagnostics.iter().find_map(|found| found.help.clone()));
                error["diagnostics"] = diagnostics.iter().map(|found| found.to_json(sources)).collect();
            }
            Self::Output(_) | Self::Read { .. } | Self::Write { .. } | Self::Told => {}
        }
        Some(error)
    }

    fn code(&self) -> Option<&'static str> {
        match self {
            Self::Message { code, .. } => Some(code),
            Self::Rules { .. } => Some("bad_rules"),
            Self::Read { .. } => Some("not_readable"),
            Self::Write { .. } => Some("not_writable"),
            Self::Output(_) | Self::Told => None,
        }
    }

    /// The text for standard error.
    pub fn report(&self, color: bool) -> String {
        match self {
            Self::Told => String::new(),
            Self::Rules { message, diagnostics, sources } => {
                let mut text: String = diagnostics.iter().map(|diagnostic| show(diagnostic, sources, color)).collect();
                text.push_str(&heading(message, color));
                text
            }
            Self::Message { message, help, .. } => {
                let mut text = heading(message, color);
                if let Some(help) = help {
                    text.push_str(&format!("  help: {help}\n"));
                }
                text
            }
            other => heading(&other.to_string(), color),
        }
    }
}

/// A diagnostic in a frame, or on a line of its own when there is no text to frame.
pub fn show(diagnostic: &Diagnostic, sources: &Sources, color: bool) -> String {
    let empty = sources.get(diagnostic.span.source).is_none_or(|source| source.text.is_empty());
    render(diagnostic, sources, if empty { Format::Short } else { Format::Human { color } })
}

fn heading(message: &str, color: bool) -> String {
    if color { format!("\u{1b}[1;31merror\u{1b}[0m: {message}\n") } else { format!("error: {message}\n") }
}

impl From<AgentError> for CliError {
    fn from(error: AgentError) -> Self {
        Self::coded("bad_player", error.to_string(), Some(error.help().to_owned()))
    }
}

impl From<ContenderError> for CliError {
    fn from(error: ContenderError) -> Self {
        Self::coded("bad_player", error.to_string(), Some(error.help().to_owned()))
    }
}

#[cfg(feature = "pictures")]
impl From<crate::render::RenderError> for CliError {
    fn from(error: crate::render::RenderError) -> Self {
        Self::message(error.to_string())
    }
}

impl From<LoadError> for CliError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Rules { message, diagnostics, sources } => Self::Rules { message, diagnostics, sources },
            LoadError::Other { message, help } => Self::coded("bad_option", message, help),
        }
    }
}
