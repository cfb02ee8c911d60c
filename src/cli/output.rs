//! Writing to standard output without panics, and colours and progress for people.

use super::error::CliError;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;
use std::io::{self, BufWriter, IsTerminal, Write};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ColorWhen {
    #[default]
    Auto,
    Always,
    Never,
}

impl ColorWhen {
    /// Whether text that goes to a stream is coloured.
    pub fn applies_to(self, stream: &impl IsTerminal) -> bool {
        let forbidden = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => !forbidden && stream.is_terminal(),
        }
    }
}

/// Standard output and how to write to it.
pub struct Output {
    stdout: BufWriter<io::Stdout>,
    pub color: ColorWhen,
    pub quiet: bool,
}

impl Output {
    pub fn new(color: ColorWhen, quiet: bool) -> Self {
        Self { stdout: BufWriter::new(io::stdout()), color, quiet }
    }

    /// Writes text as it is.
    pub fn text(&mut self, text: &str) -> Result<(), CliError> {
        self.bytes(text.as_bytes())
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        self.stdout.write_all(bytes).map_err(CliError::Output)
    }

    pub fn line(&mut self, line: &str) -> Result<(), CliError> {
        self.text(line)?;
        self.text("\n")
    }

    /// Writes text of which nobody knows whether it ends in a newline; afterwards it does.
    pub fn block(&mut self, text: &str) -> Result<(), CliError> {
        if text.is_empty() || text.ends_with('\n') { self.text(text) } else { self.line(text) }
    }

    /// One JSON value on one line.
    pub fn json(&mut self, value: &Value) -> Result<(), CliError> {
        self.line(&value.to_string())
    }

    pub fn flush(&mut self) -> Result<(), CliError> {
        self.stdout.flush().map_err(CliError::Output)
    }

    /// A remark on standard error; a failure to write it has nowhere to go.
    pub fn note(&self, line: &str) {
        if !self.quiet {
            complain(&format!("{line}\n"));
        }
    }

    pub fn stdout_color(&self) -> bool {
        self.color.applies_to(&io::stdout())
    }

    pub fn stderr_color(&self) -> bool {
        self.color.applies_to(&io::stderr())
    }

    /// A bar on standard error, invisible unless a person looks at it.
    pub fn progress(&self, total: u64) -> ProgressBar {
        let bar = if self.quiet || !io::stderr().is_terminal() {
            ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden())
        } else {
            ProgressBar::new(total)
        };
        match ProgressStyle::with_template("{wide_bar} {pos}/{len} {elapsed}") {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }
}

/// Writes to standard error; there is nobody to tell when that fails.
pub fn complain(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
