//! When long work is to end before it is done: somebody says so, the time is over, or a ply was given up.

use crate::engine::Stopped;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Where work tells that a ply was given up. What games come to that end there says nothing, so that the work ends with them.
#[derive(Debug, Default)]
pub struct GivenUp(OnceLock<Stopped>);

impl GivenUp {
    /// Why the first ply that was told of was given up, if any was.
    #[must_use]
    pub fn told(&self) -> Option<Stopped> {
        self.0.get().copied()
    }
}

/// What is asked between games whether to go on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Halt<'a> {
    flag: Option<&'a AtomicBool>,
    deadline: Option<Instant>,
    given_up: Option<&'a GivenUp>,
}

impl<'a> Halt<'a> {
    /// Nothing ends the work but its own end.
    #[must_use]
    pub fn never() -> Self {
        Self::default()
    }

    /// It ends when this is set.
    #[must_use]
    pub fn when(flag: &'a AtomicBool) -> Self {
        Self { flag: Some(flag), ..Self::default() }
    }

    /// And it ends when a ply is given up, which is told there.
    #[must_use]
    pub fn telling(self, given_up: &'a GivenUp) -> Self {
        Self { given_up: Some(given_up), ..self }
    }

    /// A ply was given up: the work ends with it, and the first one is told.
    pub fn give_up(&self, stopped: Stopped) {
        if let Some(given_up) = self.given_up {
            // What came first stays.
            let _ = given_up.0.set(stopped);
        }
    }

    /// And it ends at a time, or at the time that was said before if that is earlier.
    #[must_use]
    pub fn by(self, deadline: Instant) -> Self {
        Self { deadline: Some(self.deadline.map_or(deadline, |known| known.min(deadline))), ..self }
    }

    /// What ends the work when it is set, if anything does.
    #[must_use]
    pub fn flag(&self) -> Option<&'a AtomicBool> {
        self.flag
    }

    /// Whether it is to end.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.given_up.is_some_and(|given_up| given_up.told().is_some())
    }
}
