//! Why a command ends without having done what was asked.

use crate::ai::AgentError;
use crate::diagnostic::{Diagnostic, Format, render};
use crate::game::LoadError;
use crate::library::describe;
use crate::source::Sources;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// One sentence, and perhaps a way out.
    #[error("{message}")]
    Message { message: String, help: Option<String> },
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
        Self::Message { message: message.into(), help: None }
    }

    pub fn with_help(message: impl Into<String>, help: Option<String>) -> Self {
        Self::Message { message: message.into(), help }
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

    /// The text for standard error.
    pub fn report(&self, color: bool) -> String {
        match self {
            Self::Told => String::new(),
            Self::Rules { message, diagnostics, sources } => {
                let mut text: String = diagnostics.iter().map(|diagnostic| show(diagnostic, sources, color)).collect();
                text.push_str(&heading(message, color));
                text
            }
            Self::Message { message, help } => {
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
        Self::with_help(error.to_string(), Some(error.help().to_owned()))
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
            LoadError::Other { message, help } => Self::Message { message, help },
        }
    }
}
