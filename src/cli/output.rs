//! Writing to standard output without panics, and colours and progress for people.

use super::envelope::Subject;
use super::error::CliError;
use clap::ValueEnum;
use serde_json::{Value, json};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::time::{Duration, Instant};

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
    /// What was asked, for answers in JSON.
    command: String,
}

impl Output {
    pub fn new(color: ColorWhen, quiet: bool, command: &str) -> Self {
        Self { stdout: BufWriter::new(io::stdout()), color, quiet, command: command.to_owned() }
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

    /// The answer of a command as JSON, on one line, with what every answer says.
    pub fn answer(&mut self, subject: &Subject, answer: Value) -> Result<(), CliError> {
        let whole = subject.with(&self.command, answer);
        self.json(&whole)
    }

    /// The answer of games that were all played, or of those before one that was given up: then it says why.
    pub fn answer_of_games(
        &mut self,
        subject: &Subject,
        mut answer: Value,
        ended: Result<(), CliError>,
    ) -> Result<(), CliError> {
        let Err(error) = ended else { return self.answer(subject, answer) };
        answer["error"] = json!(error.to_json());
        self.answer(subject, answer)?;
        complain(&error.report(self.stderr_color()));
        Err(CliError::Told)
    }

    /// Why there is no answer, as JSON; nothing where the answer itself says what failed, or where it cannot be written.
    pub fn failure(&mut self, error: &CliError) {
        if let Some(error) = error.to_json() {
            // Whether this can be written shows when all is flushed.
            let _ = self.answer(&Subject::nothing(), json!({ "error": error }));
        }
    }

    /// One JSON value on one line, for formats that others have laid down and for lines of many.
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
    pub fn progress(&self) -> Progress {
        let now = Instant::now();
        Progress { seen: !self.quiet && io::stderr().is_terminal(), began: now, next: now, drawn: false }
    }
}

/// How far something is that takes long, on a line that is written again and again.
pub struct Progress {
    seen: bool,
    began: Instant,
    /// When it is to be written next.
    next: Instant,
    drawn: bool,
}

impl Progress {
    /// Long enough to cost nothing, short enough to look alive.
    const BEAT: Duration = Duration::from_millis(50);
    const WIDTH: u64 = 40;

    /// Shows that so much of the whole is done.
    pub fn show(&mut self, done: u64, total: u64) {
        let now = Instant::now();
        if self.seen && now >= self.next {
            complain(&format!("\r{}\x1b[K", Self::line(done, total, self.began.elapsed())));
            (self.next, self.drawn) = (now + Self::BEAT, true);
        }
    }

    /// Takes the line away.
    pub fn clear(self) {
        if self.drawn {
            complain("\r\x1b[K");
        }
    }

    fn line(done: u64, total: u64, elapsed: Duration) -> String {
        let full = (u128::from(done.min(total)) * u128::from(Self::WIDTH)).checked_div(total.into()).unwrap_or(0);
        let full = usize::try_from(full).unwrap_or(0);
        let empty = Self::WIDTH as usize - full;
        format!("{}{} {done}/{total} {} s", "█".repeat(full), "░".repeat(empty), elapsed.as_secs())
    }
}

/// Writes to standard error; there is nobody to tell when that fails.
pub fn complain(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_and_stays_within_its_width() {
        let line = |done, total| Progress::line(done, total, Duration::from_millis(2500));
        assert!(line(1, 4).starts_with(&("█".repeat(10) + &"░".repeat(30))));
        assert!(line(1, 4).ends_with(" 1/4 2 s"));
        for (done, total) in [(0, 0), (9, 4), (u64::MAX, u64::MAX)] {
            assert_eq!(line(done, total).chars().filter(|c| "█░".contains(*c)).count(), 40);
        }
    }
}
