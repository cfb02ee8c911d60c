//! The steps that working out one ply may take before it is given up. They are counted for each thread, since a ply is
//! worked out on one.

use crate::rules::Span;
use std::cell::Cell;
use std::fmt;

/// The steps of a ply where nobody says otherwise: some ten seconds of the reference engine.
pub const STEPS: u64 = 1_000_000_000;

/// What came next when the steps of a ply were used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// How many steps there were.
    pub steps: u64,
    /// The place in the rules that the last one was at.
    pub at: Span,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this ply was given up: it takes more than {} steps to work out", self.steps)
    }
}

thread_local! {
    /// Without end outside of a ply.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    /// Steps of a ply are being counted.
    static COUNTING: Cell<bool> = const { Cell::new(false) };
    /// Where the last step was, until somebody asks.
    static LAST: Cell<Option<Span>> = const { Cell::new(None) };
}

/// Ends the counting, however the work ends.
struct Counted;

impl Drop for Counted {
    fn drop(&mut self) {
        LEFT.set(u64::MAX);
        COUNTING.set(false);
    }
}

/// Does work that may take so many steps; within such work, the steps of that are used.
pub(super) fn within<T>(steps: u64, work: impl FnOnce() -> T) -> T {
    if COUNTING.replace(true) {
        return work();
    }
    let _counted = Counted;
    LEFT.set(steps.max(1));
    work()
}

/// Some work, and how many steps it takes.
#[cfg(test)]
pub(crate) fn counted<T>(work: impl FnOnce() -> T) -> (T, u64) {
    within(u64::MAX, || {
        let done = work();
        (done, u64::MAX - LEFT.get())
    })
}

/// Takes so many steps at a place of the rules. False where there are no more: then what is asked has no value.
#[inline]
pub(super) fn take(steps: u64, at: Span) -> bool {
    let left = LEFT.get();
    if left > steps {
        LEFT.set(left - steps);
        return true;
    }
    if left > 0 {
        LEFT.set(0);
        LAST.set(Some(at));
    }
    false
}

/// Where the steps of the last work were used up, if they were; that is told once.
pub(super) fn used_up(steps: u64) -> Option<Stopped> {
    LAST.take().map(|at| Stopped { steps, at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_within_work_alone_and_told_once() {
        let at = Span::default();
        assert!((0..5000).all(|_| take(1000, at)), "nobody counts");
        let taken = within(10, || within(1000, || (0..20).filter(|_| take(1, at)).count()));
        assert_eq!(taken, 9, "the work within uses the same steps");
        assert_eq!(used_up(10), Some(Stopped { steps: 10, at }));
        assert_eq!(used_up(10), None);
        assert!(within(10, || take(9, at)), "and others begin anew");
        assert_eq!(used_up(10), None);
    }
}
