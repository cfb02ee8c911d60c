//! The other end of the pipe: a process that answers one question after the other and knows no file of its own accord.
//!
//! It may be killed at any time: whatever it keeps can be had again from what it is asked.

use super::author;
use super::desk::Desk;
use super::message::{Answer, Ask, Refusal, STOP};
use crossbeam_channel::{Receiver, unbounded};
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Address space, which is what systems can limit: room for a large search, and none for a machine brought to its knees.
const MEMORY: u64 = 2 << 30;
/// No answer is nearly as long.
const MAX_ANSWER: usize = 16 << 20;

/// A question, and what tells that its answer is wanted at once.
type Question = (String, Arc<AtomicBool>);

/// Answers until the server goes away, with so many steps for a ply. The nicer it is, the less it gets of a processor that
/// others want too (0 to 19, as `nice` counts).
///
/// # Errors
/// When an answer cannot be written.
pub fn work(steps: u64, nice: u8) -> io::Result<()> {
    limit_memory();
    stand_back(nice);
    let questions = listen();
    let mut desk = Desk::new(steps);
    for (line, stop) in questions {
        let answer = match serde_json::from_str(&line) {
            Ok(ask) => answer(&mut desk, ask, &stop),
            Err(error) => Answer::Refused(Refusal::new("bad_question", error.to_string())),
        };
        write(&answer)?;
    }
    Ok(())
}

fn answer(desk: &mut Desk, ask: Ask, stop: &AtomicBool) -> Answer {
    let done = |body| Answer::Done { body, saved: None };
    let answer = match ask {
        Ask::Facts { source } => author::facts(&source, desk.steps).map(done),
        Ask::Picture { source, dark } => author::picture(&source, dark, desk.steps).map(done),
        Ask::Check { text, whole } => Ok(done(author::check(&text, whole))),
        Ask::Test { text, wanted } => author::test(&text, wanted.as_deref()).map(done),
        Ask::Format { text } => author::format(&text).map(done),
        Ask::About { text, line, column, complete } => Ok(done(author::about(&text, line, column, complete))),
        Ask::Table { id, saved, act, seat } => {
            let mut report = |progress| {
                // A server that has gone away is noticed by the thread that listens.
                let _ = write(&Answer::Progress(progress));
            };
            let found = desk.act(&id, &saved, (act, seat), stop, &mut report);
            found.map(|(body, saved)| Answer::Done { body, saved: saved.map(Box::new) })
        }
    };
    answer.unwrap_or_else(Answer::Refused)
}

fn write(answer: &Answer) -> io::Result<()> {
    let mut line = serde_json::to_string(answer)?;
    if line.len() > MAX_ANSWER {
        line = serde_json::to_string(&Answer::Refused(Refusal::new("too_large", "there is too much to tell")))?;
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// Reads questions beside the thread that answers them, so that `stop` is heard while it thinks, and the end always.
fn listen() -> Receiver<Question> {
    let (sender, questions) = unbounded();
    let latest = Mutex::new(Arc::new(AtomicBool::new(false)));
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
            if line == STOP {
                latest.store(true, Ordering::Relaxed);
                continue;
            }
            *latest = Arc::new(AtomicBool::new(false));
            if sender.send((line, Arc::clone(&latest))).is_err() {
                break;
            }
        }
        // Nobody waits for what is being worked at.
        std::process::exit(0);
    });
    questions
}

#[cfg(any(target_os = "linux", target_os = "freebsd"))]
fn limit_memory() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let set = |resource, most| {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        // Where it is refused the deadline still holds.
        let _ = setrlimit(resource, limit);
    };
    set(Resource::As, MEMORY);
    set(Resource::Core, 0);
}

#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
fn limit_memory() {}

#[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
fn stand_back(nice: u8) {
    // Where it is refused, all are served alike.
    let _ = rustix::process::nice(i32::from(nice));
}

#[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "freebsd")))]
fn stand_back(_: u8) {}
