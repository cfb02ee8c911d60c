//! A program of this crate that thinks on a thread of its own while somebody else is listened to.

use crate::ai::{Agent, Budget, Mind, Thought};
use crate::game::Line;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};

/// What happens while somebody is listened to.
#[derive(Debug)]
pub enum Event {
    /// A line came.
    Line(String),
    /// No more lines come.
    End,
    /// What a program thinks by now.
    Thinks(Thought),
    /// A program has thought, and comes back.
    Thought(Box<Mind>, Option<Thought>),
}

/// A program that thinks.
#[derive(Debug)]
pub struct Thinking {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Thinking {
    /// Lets a program think about the position of a line, and tells what comes of it.
    #[must_use]
    pub fn start(mut mind: Mind, line: Line, events: Sender<Event>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let thought = mind.think(&line, &stopped, &mut |_, thought| {
                let _ = events.send(Event::Thinks(thought.clone()));
            });
            let _ = events.send(Event::Thought(Box::new(mind), thought));
        });
        Self { stop, thread }
    }

    /// The best so far is wanted.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Ends the thinking, and waits for it.
    pub fn end(self) {
        self.stop();
        // If it has panicked that has been said.
        let _ = self.thread.join();
    }
}

/// The same program with another time to think; those that do not think stay as they are.
#[must_use]
pub fn with_budget(agent: Agent, budget: Budget) -> Agent {
    match agent {
        Agent::Random | Agent::Greedy => agent,
        Agent::Flat(_) => Agent::Flat(budget),
        Agent::Mcts(_) => Agent::Mcts(budget),
        Agent::AlphaBeta(_) => Agent::AlphaBeta(budget),
        Agent::Learned(_) => Agent::Learned(budget),
        Agent::Level(level, _) => Agent::Level(level, Some(budget)),
    }
}
