//! When long work is to end before it is done: somebody says so, or the time is over.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What is asked between games whether to go on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Halt<'a> {
    flag: Option<&'a AtomicBool>,
    deadline: Option<Instant>,
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
        Self { flag: Some(flag), deadline: None }
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
    }
}
