//! Checks beside the conversation: a quick one after each change, the whole one when the author pauses.

use super::analysis::Overlay;
use crate::author::inspect::check_file;
use crate::check::{Project, check};
use crate::diagnostic::Diagnostic;
use crate::source::Sources;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

/// How long the author has to pause for the whole check to begin.
const PAUSE: Duration = Duration::from_millis(300);

/// A version of a text to be checked.
#[derive(Clone, Debug)]
pub struct Job {
    pub uri: String,
    pub version: u64,
    pub name: String,
    pub text: String,
    pub overlay: Overlay,
}

/// What a check found.
pub struct Done {
    pub uri: String,
    pub version: u64,
    pub diagnostics: Vec<Diagnostic>,
    pub sources: Sources,
}

/// Starts the two threads; they end when the sender is dropped.
pub fn start() -> (Sender<Job>, Receiver<Done>) {
    let (jobs, new) = unbounded();
    let (done, found) = unbounded();
    let (calm, waiting) = unbounded();
    let quick_done = done.clone();
    thread::spawn(move || quick(&new, &quick_done, &calm));
    thread::spawn(move || thorough(&waiting, &done));
    (jobs, found)
}

/// Of several versions of one text only the last counts.
fn newest(first: Job, more: &Receiver<Job>) -> BTreeMap<String, Job> {
    let mut jobs = BTreeMap::from([(first.uri.clone(), first)]);
    jobs.extend(more.try_iter().map(|job| (job.uri.clone(), job)));
    jobs
}

/// Reads a text and checks it with its defaults.
fn quick(new: &Receiver<Job>, done: &Sender<Done>, calm: &Sender<Job>) {
    let mut waiting: BTreeMap<String, Job> = BTreeMap::new();
    loop {
        let job = if waiting.is_empty() {
            new.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            new.recv_timeout(PAUSE)
        };
        match job {
            Ok(job) => {
                for (uri, job) in newest(job, new) {
                    let found = catch_unwind(AssertUnwindSafe(|| {
                        let project = Project::load(&job.name, &job.text, &job.overlay);
                        let mut diagnostics = check(&project, &BTreeMap::new(), None).diagnostics;
                        let main = project.main;
                        diagnostics.sort_by_key(|found| (found.span.source != main, found.span.start));
                        (diagnostics, project.sources)
                    }));
                    if let Ok((diagnostics, sources)) = found {
                        let _ = done.send(Done { uri: uri.clone(), version: job.version, diagnostics, sources });
                    }
                    waiting.insert(uri, job);
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                for job in std::mem::take(&mut waiting).into_values() {
                    let _ = calm.send(job);
                }
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Checks a text with every ruleset and its options in pairs, as `check` does.
fn thorough(waiting: &Receiver<Job>, done: &Sender<Done>) {
    while let Ok(job) = waiting.recv() {
        for (uri, job) in newest(job, waiting) {
            let found = catch_unwind(AssertUnwindSafe(|| check_file(&job.name, &job.text, &job.overlay)));
            if let Ok((diagnostics, sources)) = found {
                let _ = done.send(Done { uri, version: job.version, diagnostics, sources });
            }
        }
    }
}
