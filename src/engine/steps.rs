//! What working out one ply may take before it is given up: steps, and memory for the plies that are listed. Both are
//! counted for each thread, since a ply is worked out on one.

use crate::rules::Span;
use std::cell::Cell;
use std::fmt;

/// The steps of a ply where nobody says otherwise: some ten seconds. A step is some nanoseconds, and the engines count what
/// they do by how long it takes.
pub const STEPS: u64 = 1_000_000_000;

/// The bytes that the legal plies of one position may take. The reference engine keeps with each ply the position that it
/// leads to, so that this is some hundred thousand plies.
pub const ROOM: u64 = 256 << 20;

/// Which of the bounds on one ply was met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// So many steps.
    Steps(u64),
    /// So many bytes for its legal plies.
    Room(u64),
}

/// Why a ply was given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// What it needed more of.
    pub bound: Bound,
    /// The place in the rules that the last step was at, or the move of which there are too many plies.
    pub at: Span,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bound {
            Bound::Steps(steps) => write!(f, "this ply was given up: it takes more than {steps} steps to work out"),
            Bound::Room(bytes) => {
                write!(f, "this ply was given up: to list what is legal takes more than {} MiB of memory", bytes >> 20)
            }
        }
    }
}

thread_local! {
    /// Without end outside of a ply.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    /// How many bytes may still be listed.
    static ROOM_LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    /// Steps of a ply are being counted.
    static COUNTING: Cell<bool> = const { Cell::new(false) };
    /// Which bound was met and where, until somebody asks; steps are told by how many there were at the beginning.
    static MET: Cell<Option<Stopped>> = const { Cell::new(None) };
    /// How many steps there were at the beginning.
    static ALL: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Ends the counting, however the work ends.
struct Counted;

impl Drop for Counted {
    fn drop(&mut self) {
        LEFT.set(u64::MAX);
        ROOM_LEFT.set(u64::MAX);
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
    ALL.set(steps);
    ROOM_LEFT.set(ROOM);
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
        give_up(Stopped { bound: Bound::Steps(ALL.get()), at });
    }
    false
}

/// Takes room for plies of a move that are listed. False where there is no more: then no further step is taken either.
#[inline]
pub(super) fn take_room(bytes: u64, mv: Span) -> bool {
    let left = ROOM_LEFT.get();
    if left > bytes {
        ROOM_LEFT.set(left - bytes);
        return true;
    }
    if LEFT.get() > 0 {
        give_up(Stopped { bound: Bound::Room(ROOM), at: mv });
    }
    false
}

/// Gives back, when it is dropped, the room that was taken since it was made: of a list that is no longer held.
pub(super) struct Room(u64);

impl Room {
    pub(super) fn begin() -> Self {
        Self(ROOM_LEFT.get())
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        ROOM_LEFT.set(self.0);
    }
}

fn give_up(stopped: Stopped) {
    LEFT.set(0);
    MET.set(Some(stopped));
}

/// Why the last work was given up, if it was; that is told once.
pub(super) fn used_up() -> Option<Stopped> {
    MET.take()
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
        assert_eq!(used_up(), Some(Stopped { bound: Bound::Steps(10), at }));
        assert_eq!(used_up(), None);
        assert!(within(10, || take(9, at)), "and others begin anew");
        assert_eq!(used_up(), None);
    }

    #[test]
    fn room_is_taken_within_work_alone_and_ends_the_steps_too() {
        let at = Span::default();
        assert!(take_room(u64::MAX - 1, at), "nobody counts");
        let listed = within(1000, || (0..20).filter(|_| take_room(ROOM / 8, at)).count());
        assert_eq!(listed, 7);
        assert_eq!(used_up(), Some(Stopped { bound: Bound::Room(ROOM), at }));
        let one_list = || (0..5).all(|_| take_room(ROOM / 8, at));
        let lists = within(1000, || (0..5).filter(|_| Some(Room::begin()).is_some_and(|_room| one_list())).count());
        assert_eq!(lists, 5, "one after the other");
        assert_eq!(used_up(), None);
        assert!(within(1000, || !take_room(ROOM, at) && !take(1, at)), "nothing goes on");
        assert!(matches!(used_up(), Some(Stopped { bound: Bound::Room(_), .. })));
    }
}
