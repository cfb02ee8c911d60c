//! A program that thinks on a thread of its own while the screen goes on.

use crate::ai::{Failure, Mind, Player, Thought};
use crate::game::Line;
use crate::protocol::Visit;
use crate::study::halt::Halt;
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
    answer: Receiver<(Thinker, Result<Thought, Failed>)>,
}

/// Who thinks: a program of this crate, or one of somebody else.
#[derive(Debug)]
pub enum Thinker {
    Own(Mind),
    Guest(Visit),
}

/// Why there is no move: a reason for which the game is lost, if there is one.
pub type Failed = Option<String>;

impl Thinker {
    fn think(
        &mut self,
        line: &Line,
        stop: &AtomicBool,
        report: &mut dyn FnMut(f64, &Thought),
    ) -> Result<Thought, Failed> {
        match self {
            Self::Own(mind) => mind.think(line, stop, report).ok_or(None),
            Self::Guest(guest) => guest.decide(line, Halt::when(stop)).map_err(|failure| match failure {
                Failure::Lost(why) => Some(why),
                Failure::Halted | Failure::GivenUp(_) => None,
            }),
        }
    }
}

/// What has become of it.
#[derive(Debug)]
pub enum Answer {
    NotYet,
    Here(Thinker, Result<Thought, Failed>),
    /// The thread has ended without one.
    Never,
}

impl Thinking {
    pub fn start(mut thinker: Thinker, line: Line, place: usize) -> io::Result<Self> {
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
            let thought = thinker.think(&line, &its_stop, &mut report);
            // Nobody may be waiting any more.
            let _ = sender.send((thinker, thought));
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
            Ok((thinker, thought)) => Answer::Here(thinker, thought),
            Err(TryRecvError::Empty) => Answer::NotYet,
            Err(TryRecvError::Disconnected) => Answer::Never,
        }
    }
}
