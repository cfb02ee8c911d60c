//! A program that thinks on a thread of its own while the screen goes on.

use crate::ai::{Mind, Thought};
use crate::game::Line;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

/// A search under way.
#[derive(Debug)]
pub struct Thinking {
    /// The seat whose program thinks.
    pub place: usize,
    pub since: Instant,
    stop: Arc<AtomicBool>,
    progress: Arc<Mutex<Option<(f64, Thought)>>>,
    answer: Receiver<(Mind, Option<Thought>)>,
}

/// What has become of it.
#[derive(Debug)]
pub enum Answer {
    NotYet,
    Here(Mind, Option<Thought>),
    /// The thread has ended without one.
    Never,
}

impl Thinking {
    pub fn start(mut mind: Mind, line: Line, place: usize) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let progress = Arc::new(Mutex::new(None));
        let (sender, answer) = channel();
        let (its_stop, its_progress) = (Arc::clone(&stop), Arc::clone(&progress));
        thread::Builder::new().name("thinking".to_owned()).spawn(move || {
            let mut report = |part: f64, thought: &Thought| {
                if let Ok(mut progress) = its_progress.lock() {
                    *progress = Some((part, thought.clone()));
                }
            };
            let thought = mind.think(&line, &its_stop, &mut report);
            // Nobody may be waiting any more.
            let _ = sender.send((mind, thought));
        })?;
        Ok(Self { place, since: Instant::now(), stop, progress, answer })
    }

    /// Asks it to come to an end; the answer still has to be fetched.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// How far it is, from 0 to 1, and what it thinks so far.
    pub fn progress(&self) -> Option<(f64, Thought)> {
        self.progress.lock().ok()?.clone()
    }

    pub fn answer(&self) -> Answer {
        match self.answer.try_recv() {
            Ok((mind, thought)) => Answer::Here(mind, thought),
            Err(TryRecvError::Empty) => Answer::NotYet,
            Err(TryRecvError::Disconnected) => Answer::Never,
        }
    }
}
