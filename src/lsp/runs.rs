//! Tests that an editor runs: each on a thread beside the conversation, until it ends or the editor does not want it any more.

use super::analysis::Overlay;
use super::lenses;
use crate::check::Project;
use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::RequestId;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// A test of a text, by its name.
pub struct Wanted {
    pub file: String,
    pub text: String,
    pub overlay: Overlay,
    pub test: String,
}

/// How a test has gone, in a sentence, for whoever asked.
pub struct Ran {
    pub id: RequestId,
    pub outcome: Result<(bool, String), String>,
}

/// The tests that are running.
pub struct Runs {
    running: HashMap<RequestId, Arc<AtomicBool>>,
    sender: Sender<Ran>,
}

impl Runs {
    /// None yet, and where those to come are told of.
    pub fn new() -> (Self, Receiver<Ran>) {
        let (sender, receiver) = unbounded();
        (Self { running: HashMap::new(), sender }, receiver)
    }

    /// Runs a test beside what else there is to do.
    pub fn begin(&mut self, id: RequestId, wanted: Wanted) {
        let stop = Arc::new(AtomicBool::new(false));
        self.running.insert(id.clone(), Arc::clone(&stop));
        let sender = self.sender.clone();
        thread::spawn(move || {
            let run = || lenses::run(&Project::load(&wanted.file, &wanted.text, &wanted.overlay), &wanted.test, stop);
            let outcome = catch_unwind(AssertUnwindSafe(run));
            let outcome = outcome.unwrap_or_else(|_| Err("this test is beyond the server".to_owned()));
            let _ = sender.send(Ran { id, outcome });
        });
    }

    /// Nobody wants to know any more; whether it was running. It stops at its next step.
    pub fn cancel(&mut self, id: &RequestId) -> bool {
        let stop = self.running.remove(id);
        stop.map(|stop| stop.store(true, Ordering::Relaxed)).is_some()
    }

    /// Whether somebody still wants to know how one that has ended has gone.
    pub fn end(&mut self, id: &RequestId) -> bool {
        self.running.remove(id).is_some()
    }
}
