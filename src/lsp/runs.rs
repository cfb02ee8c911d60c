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
    /// Held by every thread as long as it lives.
    threads: Arc<()>,
}

/// So many tests run at once.
const MOST: usize = 8;

impl Runs {
    /// None yet, and where those to come are told of.
    pub fn new() -> (Self, Receiver<Ran>) {
        let (sender, receiver) = unbounded();
        (Self { running: HashMap::new(), sender, threads: Arc::new(()) }, receiver)
    }

    /// Runs a test beside what else there is to do; false where too many are running, those that are cancelled and have not
    /// come to their next step among them.
    pub fn begin(&mut self, id: RequestId, wanted: Wanted) -> bool {
        // One stands for the runs themselves.
        if Arc::strong_count(&self.threads) > MOST {
            return false;
        }
        let (stop, alive) = (Arc::new(AtomicBool::new(false)), Arc::clone(&self.threads));
        let (sender, halt, name) = (self.sender.clone(), Arc::clone(&stop), id.clone());
        let thread = thread::Builder::new().spawn(move || {
            let run = || lenses::run(&Project::load(&wanted.file, &wanted.text, &wanted.overlay), &wanted.test, halt);
            let outcome = catch_unwind(AssertUnwindSafe(run));
            let outcome = outcome.unwrap_or_else(|_| Err("this test is beyond the server".to_owned()));
            drop(alive);
            let _ = sender.send(Ran { id: name, outcome });
        });
        if thread.is_ok() {
            self.running.insert(id, stop);
        }
        thread.is_ok()
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
