//! Questions to a program, and what it answers.

use super::process::{Heard, Process};
use crate::ai::Failure;
use crate::study::halt::Halt;
use std::time::{Duration, Instant};

/// Lines up to one that answers; none of what it says besides is of interest.
pub(super) fn wait_for<T>(
    process: &Process,
    patience: Duration,
    halt: Halt<'_>,
    take: &mut dyn FnMut(&str) -> Option<T>,
) -> Result<T, Failure> {
    let by = Instant::now() + patience;
    loop {
        match process.hear(by, halt) {
            Heard::Line(line) => {
                if let Some(answer) = take(&line) {
                    return Ok(answer);
                }
            }
            Heard::Late => return Err(Failure::Lost(format!("gave no answer within {:.1} s", patience.as_secs_f64()))),
            Heard::Gone => return Err(Failure::Lost(gone(process))),
            Heard::Halted => return Err(Failure::Halted),
        }
    }
}

/// Why a program that has ended may have done so.
fn gone(process: &Process) -> String {
    match process.complaint() {
        silent if silent.is_empty() => "ended without an answer".to_owned(),
        said => format!("ended without an answer (`{said}`)"),
    }
}

/// A command of the Go Text Protocol: what is answered, or why it is refused.
pub(super) fn ask(
    process: &Process,
    patience: Duration,
    halt: Halt<'_>,
    command: &str,
) -> Result<Result<String, String>, Failure> {
    process.say(command);
    let mut answer: Option<(bool, String)> = None;
    wait_for(process, patience, halt, &mut |line| {
        let line = line.trim();
        match &mut answer {
            Some((good, text)) if line.is_empty() => {
                let text = text.trim().to_owned();
                Some(if *good { Ok(text) } else { Err(text) })
            }
            Some((_, text)) => {
                text.push('\n');
                text.push_str(line);
                None
            }
            None => {
                let good = line.starts_with('=');
                if let Some(rest) = line.strip_prefix(['=', '?']) {
                    answer = Some((good, rest.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned()));
                }
                None
            }
        }
    })
}
