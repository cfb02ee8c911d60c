//! What machine code is given: a context of fields, each at a place that it knows.

/// What machine code works on.
#[repr(C)]
pub struct Context {
    pub now: Lists,
    pub before: Lists,
    /// A copy of the present state on which something is tried, and which is the present one as long as it is; or nothing.
    pub trial: Lists,
    pub ints: *mut i64,
    pub slots: *mut u64,
    /// Records of plies: where they begin, from where on there must be more room, and where the next one goes.
    pub records: *mut u64,
    pub limit: *mut u64,
    pub cursor: *mut u64,
    /// The turn may end where the plies were listed.
    pub end: u64,
    /// The plies were listed by machine code ([`LISTED`]), or by the host in such a way that machine code can play them
    /// ([`PLAYABLE`]); or neither.
    pub native: u64,
    /// [`DRAWS`] in a random game, whose plies may be drawn, as long as that is not in vain; with [`LEAVES_OUT`] where some are
    /// left out.
    pub draws: u64,
    /// [`DREW`] where the ply that is found was drawn by machine code.
    pub drew: u64,
    /// What drawing has come to.
    pub tried: Tried,
    /// How often the position has come up that was remembered last, in the lower half, and its board, in the upper one.
    pub seen: i64,
    /// The line of `end` that holds, or a negative number.
    pub held: i64,
    /// Of the ply that was played last, the part in which it differs from others of its record.
    pub varied: i64,
    pub scene: [u64; 7],
    pub saved: [u64; 6],
    pub kept_cells: *mut i64,
    pub kept_sets: *mut u64,
    pub host: *mut (),
}

/// The candidates of a place that were drawn for one ply.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Tried {
    pub place: u64,
    /// 1 where turns must be completed.
    pub whole: u64,
    /// How many there are to draw from.
    pub candidates: u64,
    /// How many were drawn, and how many of these were not missing.
    pub drawn: u64,
    pub judged: u64,
    /// The number of the last one.
    pub number: u64,
}

/// Plies may be drawn.
pub const DRAWS: u64 = 1;

/// Whether a ply that was drawn is left out is to be asked.
pub const LEAVES_OUT: u64 = 2;

/// Machine code has drawn a ply.
pub const DREW: u64 = 1;

/// Plies stand in records.
pub const LISTED: u64 = 1;

/// Plies stand in the list of the host; the record of the chosen one is written when it is.
pub const PLAYABLE: u64 = 2;

/// A condition is asked of the present state.
pub const PRESENT: u64 = 0;

/// It is asked of the copy on which something is tried.
pub const ON_COPY: u64 = 1;

/// A state and its lists.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Lists {
    pub state: *mut u8,
    pub planes: *mut u64,
    pub contents: *mut u8,
    pub cells: *mut i64,
    pub sets: *mut u64,
    pub grown: *mut u64,
}

impl Lists {
    pub const NOTHING: Self = Self {
        state: std::ptr::null_mut(),
        planes: std::ptr::null_mut(),
        contents: std::ptr::null_mut(),
        cells: std::ptr::null_mut(),
        sets: std::ptr::null_mut(),
        grown: std::ptr::null_mut(),
    };
}

/// Where the fields of a [`Context`] are.
pub mod offset {
    use super::Context;
    use std::mem::offset_of;
    pub const NOW: usize = offset_of!(Context, now);
    pub const BEFORE: usize = offset_of!(Context, before);
    pub const TRIAL: usize = offset_of!(Context, trial);
    pub const INTS: usize = offset_of!(Context, ints);
    pub const SLOTS: usize = offset_of!(Context, slots);
    pub const RECORDS: usize = offset_of!(Context, records);
    pub const LIMIT: usize = offset_of!(Context, limit);
    pub const CURSOR: usize = offset_of!(Context, cursor);
    pub const END: usize = offset_of!(Context, end);
    pub const NATIVE: usize = offset_of!(Context, native);
    pub const DRAWS: usize = offset_of!(Context, draws);
    pub const DREW: usize = offset_of!(Context, drew);
    pub const TRIED: usize = offset_of!(Context, tried);
    pub const SEEN: usize = offset_of!(Context, seen);
    pub const HELD: usize = offset_of!(Context, held);
    pub const VARIED: usize = offset_of!(Context, varied);
    pub const SCENE: usize = offset_of!(Context, scene);
    pub const SAVED: usize = offset_of!(Context, saved);
    pub const KEPT_CELLS: usize = offset_of!(Context, kept_cells);
    pub const KEPT_SETS: usize = offset_of!(Context, kept_sets);
}

/// Why a game may be over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i64)]
pub enum Reason {
    /// A line that is read after every ply holds.
    AtOnce,
    /// A line holds at the end of the turn, and the next one has not begun.
    TurnOver,
    /// The next turn has begun, and a line holds or nothing can be done in it.
    Turn,
    /// The turn cannot go on, and may not end.
    Unfinished,
    /// The next turn has begun, and nothing can be done in it: no line has been looked at.
    Stuck,
}
