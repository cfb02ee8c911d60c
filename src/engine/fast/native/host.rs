//! The border between machine code and the rest: what it is given, what it may call, and how it is called. The only file
//! with `unsafe`.
//!
//! Why this is sound. Machine code is made from a program by the modules beside this one and reads and writes only
//!
//! * the lists of a [`State`], by places that the program fixed when it was lowered (planes, cells, sets, floods) or by a
//!   position below 64 times the number of words, which every list of contents is long enough for;
//! * the slots of a [`Frame`](crate::engine::fast::eval::Frame), by numbers that the program counted;
//! * records of plies, within the room that [`Context::limit`] leaves, or after asking for more;
//! * tables of its own [`Plan`], by positions clamped to the last row, by planes as contents hold them, by masked numbers
//!   of directions and by numbers of steps clamped to the longest line.
//!
//! A number in a cell with a declared range lies within it, so that positions need not be clamped that follow from it: it does
//! in the states that are set up and loaded, and no change is made that would take it elsewhere, here or by the host.
//!
//! Every pointer in a [`Context`] is made anew from exclusive borrows when machine code is entered, and those borrows last
//! until it returns, or where candidates are judged one after the other, until the last of them is; code that only lists or
//! judges plies writes nothing into the state, and has a shared borrow of it. While machine
//! code runs nothing else touches what they point to, but for functions of this file that machine code calls and that end
//! before it goes on; none of them moves one of the lists except the records, whose new place they tell. The code itself
//! lives as long as the [`Native`](super::Native) that hands out the pointers to it.
#![allow(unsafe_code)]

use super::context::{Context, DRAWS, DREW, LEAVES_OUT, LISTED, Lists, PLAYABLE, PRESENT, Reason, Tried};
pub use super::lent::{Lent, Room, Spare};
#[cfg(test)]
use super::memory::KIND_SHIFT;
use super::plies::{Kind, spread};
use crate::engine::Over;
use crate::engine::fast::eval::{Core, View};
use crate::engine::fast::facing::{Chooser, Facing, Listed};
use crate::engine::fast::found::{Found, SET};
use crate::engine::fast::scratch::Scratch;
use crate::engine::fast::set::Set;
use crate::engine::fast::state::State;
use crate::engine::fast::toil::Cost;
use crate::engine::fast::tries::AT_ONCE;
use crate::program::MAX_PARTS;
use crate::program::ir::{Int, Sets, Test};
use crate::rules::MoveId;
use cranelift_jit::JITModule;
use std::mem::offset_of;

type StepCode = unsafe extern "C" fn(*mut Context, u64) -> i64;
type LegalCode = unsafe extern "C" fn(*mut Context) -> i64;

/// Machine code, ready to be run.
pub struct Code {
    /// By player.
    step: Vec<StepCode>,
    /// By player and place: those that find the legal plies, and those that only list plies.
    legal: Vec<Vec<Option<LegalCode>>>,
    lists: Vec<Vec<Option<LegalCode>>>,
    /// By player and call: how many candidates there are to draw from, and one of them judged.
    weights: Vec<Vec<Option<LegalCode>>>,
    judges: Vec<Vec<Option<StepCode>>>,
    /// By player, conditions in the turn.
    guards: Vec<Vec<Option<StepCode>>>,
    /// By player and call, what tells whether the turn can be finished after a ply, and what plays a ply on a copy.
    finishes: Vec<Vec<Option<LegalCode>>>,
    ahead: Vec<Vec<Option<LegalCode>>>,
    module: Option<JITModule>,
}

/// A state lent to the code that judges candidates.
pub struct Judging<'a> {
    judges: &'a [Option<StepCode>],
    context: &'a mut Context,
    /// The words of the record.
    length: usize,
}

impl Judging<'_> {
    /// What the code of a call says of a number; none where there is no code.
    #[inline]
    pub fn ask(&mut self, call: u16, number: u64) -> Option<i64> {
        let code = (*self.judges.get(usize::from(call))?)?;
        // SAFETY: the code was made for this player and call, and changes nothing but copies; the record has room.
        Some(unsafe { code(std::ptr::from_mut(self.context), number) })
    }

    /// The record, which code writes the parts of a ply into.
    #[inline]
    pub fn record(&mut self) -> &mut [u64] {
        // SAFETY: code that judges candidates does not move the record, which is lent for as long as this is, and does not run.
        unsafe { std::slice::from_raw_parts_mut(self.context.records, self.length) }
    }
}

/// The addresses of functions by two numbers.
pub(super) type Table = Vec<Vec<Option<*const u8>>>;

/// What draws plies: the addresses of its functions, or how these are called while they are being made.
pub(super) struct Drawing<T> {
    pub weights: T,
    pub candidates: T,
    pub guards: T,
    /// With these it is told whether the turn can be finished after a ply.
    pub finishes: T,
    /// With these plies are played on a copy of the state.
    pub ahead: T,
}

impl<T> Drawing<T> {
    pub fn map<R>(self, each: impl Fn(T) -> R) -> Drawing<R> {
        Drawing {
            weights: each(self.weights),
            candidates: each(self.candidates),
            guards: each(self.guards),
            finishes: each(self.finishes),
            ahead: each(self.ahead),
        }
    }
}

// SAFETY: the module is not touched between the end of compilation and its end, and code is only read.
unsafe impl Send for Code {}
// SAFETY: as above; there is no state that threads could share.
unsafe impl Sync for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the pointers to the code are fields of this, and nobody else has copies of them.
            unsafe { module.free_memory() };
        }
    }
}

impl Code {
    /// The functions at these addresses, which must be those that the writers beside this file have put there.
    pub(super) fn new(
        step: &[*const u8],
        legal: &Table,
        lists: &Table,
        drawing: &Drawing<Table>,
        module: JITModule,
    ) -> Self {
        // SAFETY: the module was asked for the addresses of functions that it had compiled with these signatures.
        let step = step.iter().map(|code| unsafe { std::mem::transmute::<*const u8, StepCode>(*code) }).collect();
        let one = |code: &Option<*const u8>| {
            // SAFETY: as above.
            code.map(|code| unsafe { std::mem::transmute::<*const u8, LegalCode>(code) })
        };
        let rows = |rows: &Table| rows.iter().map(|row| row.iter().map(one).collect()).collect();
        let judge = |code: &Option<*const u8>| {
            // SAFETY: as above.
            code.map(|code| unsafe { std::mem::transmute::<*const u8, StepCode>(code) })
        };
        let of_number = |rows: &Table| rows.iter().map(|row| row.iter().map(judge).collect()).collect();
        Self {
            step,
            legal: rows(legal),
            lists: rows(lists),
            weights: rows(&drawing.weights),
            judges: of_number(&drawing.candidates),
            guards: of_number(&drawing.guards),
            finishes: rows(&drawing.finishes),
            ahead: rows(&drawing.ahead),
            module: Some(module),
        }
    }
}

/// The same as pointers, for functions that machine code calls.
struct Host<'p, const W: usize> {
    core: &'p Core<W>,
    state: *mut State<W>,
    scratch: *mut Scratch<'p, W>,
    found: *mut Found<'p, W>,
    spare: *mut Spare<W>,
    over: Option<Over>,
    /// The words that records need besides those that are written; where there is no list, those of the only record.
    slack: usize,
    /// Where records that fill their room become plies that stand alone: the kinds of plies that they are of, and the words of
    /// a record.
    spread: Option<(*const [Kind], usize)>,
}

fn lists<const W: usize>(state: *mut State<W>) -> Lists {
    // SAFETY: the pointer comes from an exclusive borrow that lasts as long as the context does.
    let state_ref = unsafe { &mut *state };
    Lists {
        planes: state_ref.planes.as_mut_ptr().cast(),
        contents: state_ref.contents.as_mut_ptr(),
        cells: state_ref.cells.as_mut_ptr(),
        sets: state_ref.sets.as_mut_ptr().cast(),
        grown: state_ref.grown.as_mut_ptr().cast(),
        state: state.cast(),
    }
}

/// The same of a state that is only read, but for the cells of what is kept.
fn lists_to_read<const W: usize>(state: *mut State<W>) -> Lists {
    // SAFETY: the pointer comes from a borrow that lasts as long as the context does.
    let state_ref = unsafe { &*state };
    Lists {
        planes: state_ref.planes.as_ptr().cast_mut().cast(),
        contents: state_ref.contents.as_ptr().cast_mut(),
        cells: state_ref.cells.as_ptr().cast_mut(),
        sets: state_ref.sets.as_ptr().cast_mut().cast(),
        grown: state_ref.grown.as_ptr().cast_mut().cast(),
        state: state.cast(),
    }
}

impl Code {
    /// Lists the plies of the state, where there is code for its place; false where there is none.
    pub fn list<const W: usize>(&self, lent: Lent<'_, '_, W>, room: Room) -> bool {
        let code = lent.state.places.only().and_then(|place| {
            let row = self.legal.get(usize::from(lent.state.mover))?;
            *row.get(usize::from(place))?
        });
        let Some(code) = code else { return false };
        self.enter(lent, room, |context, _| {
            // SAFETY: see the head of this file; the code was made for this player and place.
            unsafe { code(context) }
        });
        true
    }

    /// Lists all plies of the state's only place into `found`, where there is code for that; false where there is none.
    pub fn look<'p, const W: usize>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
        room: Room,
        spread: &[Kind],
    ) -> bool {
        let code = state.places.only().and_then(|place| {
            let row = self.lists.get(usize::from(state.mover))?;
            *row.get(usize::from(place))?
        });
        let Some(code) = code else { return false };
        make_room(found, room);
        let slack = room.slack * room.stride;
        // Such code writes nothing into the state: of what it could write to only floods are kept, in cells.
        let state = std::ptr::from_ref(state).cast_mut();
        let scratch: *mut Scratch<'_, W> = scratch;
        let found: *mut Found<'_, W> = found;
        let spare = std::ptr::null_mut();
        let spread = Some((std::ptr::from_ref(spread), room.stride));
        let mut host = Host { core, state, scratch, found, spare, over: None, slack, spread };
        let now = lists_to_read(state);
        // SAFETY: the pointers come from the borrows above, which last until the end of this function; listing plies neither
        // keeps what belongs to a turn nor makes copies, which is what the spare parts are for.
        unsafe {
            let mut context = context(&mut host, now, std::ptr::null_mut(), std::ptr::null_mut());
            let count = code(&raw mut context);
            (*found).used = context.cursor.offset_from(context.records).unsigned_abs();
            (*found).end = context.end != 0;
            (*found).count = usize::try_from(count).unwrap_or(0);
        }
        true
    }

    /// Writes down how many candidates each call has to draw from, up to the first that there is no code for; how many there
    /// is code for.
    pub fn weigh<'p, const W: usize>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        scratch: &mut Scratch<'p, W>,
        open: &mut [(u16, u64)],
    ) -> usize {
        let row = self.weights.get(usize::from(state.mover)).map_or(&[][..], Vec::as_slice);
        lend(core, state, scratch, &mut [], |context| {
            let mut known = 0;
            for (call, weight) in open {
                let Some(code) = row.get(usize::from(*call)).copied().flatten() else { break };
                // SAFETY: the code was made for this player and call, and changes nothing.
                *weight = u64::try_from(unsafe { code(context) }).unwrap_or(0);
                known += 1;
            }
            known
        })
    }

    /// Whether a condition in the turn holds; none where there is no code for it.
    pub fn is_open<'p, const W: usize>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        scratch: &mut Scratch<'p, W>,
        guard: u16,
    ) -> Option<bool> {
        let code = (*self.guards.get(usize::from(state.mover))?.get(usize::from(guard))?)?;
        // SAFETY: as above.
        Some(lend(core, state, scratch, &mut [], |context| unsafe { code(context, PRESENT) }) != 0)
    }

    /// Whether the turn can be finished after a ply of a call, whose parts stand in the record; none where there is no code
    /// for that.
    pub fn finishes<'p, const W: usize>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        call: u16,
        scratch: &mut Scratch<'p, W>,
        record: &mut [u64],
    ) -> Option<bool> {
        let code = (*self.finishes.get(usize::from(state.mover))?.get(usize::from(call))?)?;
        // SAFETY: the code was made for this player and call, and changes nothing but copies; it only reads the record.
        Some(lend(core, state, scratch, record, |context| unsafe { code(context) }) != 0)
    }

    /// Plays a ply of a call, whose parts stand in the record, on a copy of a state; false where there is no code for that.
    pub fn play_ahead<'p, const W: usize>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        call: u16,
        copy: &mut State<W>,
        scratch: &mut Scratch<'p, W>,
        record: &mut [u64],
    ) -> bool {
        let row = self.ahead.get(usize::from(state.mover)).map_or(&[][..], Vec::as_slice);
        // Such code writes the place that a ply leads to where there is one, and leaves a list of several as it is.
        let Some(code) = row.get(usize::from(call)).copied().flatten().filter(|_| state.places.only().is_some()) else {
            return false;
        };
        lend(core, state, scratch, record, |context| {
            context.now = lists(copy);
            // SAFETY: the code was made for this player and call, and changes the copy alone; the record has room.
            unsafe { code(context) };
        });
        true
    }

    /// Lends a state to the code that judges candidates of calls; the record has room for all that such code writes and reads.
    #[inline]
    pub fn judging<'p, const W: usize, R>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        scratch: &mut Scratch<'p, W>,
        record: &mut [u64],
        run: impl FnOnce(&mut Judging<'_>) -> R,
    ) -> R {
        let judges = self.judges.get(usize::from(state.mover)).map_or(&[][..], Vec::as_slice);
        let length = record.len();
        lend(core, state, scratch, record, |context| run(&mut Judging { judges, context, length }))
    }

    /// Whether there is code that judges candidates of a call.
    pub fn judges(&self, mover: u8, call: u16) -> bool {
        self.judges.get(usize::from(mover)).and_then(|row| row.get(usize::from(call))).is_some_and(Option::is_some)
    }

    /// Plays plies as chosen; `write` makes a record of one that is only listed by the host.
    pub fn run<const W: usize>(
        &self,
        lent: Lent<'_, '_, W>,
        room: Room,
        records: Listed<'_>,
        most: u64,
        chooser: &mut impl Chooser<W>,
        write: impl Fn(u8, &mut Found<'_, W>, usize) -> Option<()>,
    ) -> (u64, u64, Option<Over>) {
        let (mut plies, mut choices) = (0, 0);
        let first = lent.found.count;
        let mover_at = offset_of!(State<W>, mover);
        let draws = pays(lent.scratch);
        let found: *mut Found<'_, W> = &raw mut *lent.found;
        let (core, scratch) = (lent.core, &raw mut *lent.scratch);
        let lent_state: *const State<W> = &raw const *lent.state;
        let over = self.enter(lent, room, |context, state| {
            // SAFETY: the context is alive.
            unsafe { (*context).draws = draws };
            // SAFETY: as above.
            let (mut count, mut listed) = (first as i64, unsafe { (*context).native });
            while plies < most && count > 0 {
                let listed_by = (listed == LISTED).then_some(records);
                // SAFETY: machine code does not run, and what is looked at is what was lent.
                let facing = unsafe {
                    Facing { core, state: &*lent_state, found: &*found, scratch: &mut *scratch, listed: listed_by }
                };
                let chosen = chooser.choose(count as usize, facing);
                if chosen >= count as usize {
                    break;
                }
                // SAFETY: the state is borrowed for as long as this runs, and the field is a byte of it.
                let mover = unsafe { *state.add(mover_at) };
                let Some(code) = self.step.get(usize::from(mover)) else { break };
                let mut index = chosen as u64;
                if listed == PLAYABLE {
                    // SAFETY: machine code does not run, and the list is the one that was lent.
                    let written = unsafe { write(mover, &mut *found, chosen) };
                    if written.is_none() {
                        break;
                    }
                    index = 0;
                }
                choices += count as u64;
                plies += 1;
                // SAFETY: see the head of this file; the number is below that of the plies listed.
                count = unsafe { code(context, index) };
                // SAFETY: the context is alive, and machine code has returned.
                let varied = unsafe { (*context).varied };
                chooser.played(varied);
                // SAFETY: as above.
                listed = unsafe { (*context).native };
                if listed == 0 {
                    break;
                }
                // SAFETY: as above; nobody else has what was lent.
                unsafe {
                    if (*context).drew == DREW {
                        (*context).draws = note_drawn(core, &(*context).tried, &mut *scratch);
                        (*found).drawn = true;
                    }
                }
            }
            count
        });
        (plies, choices, over)
    }

    /// Lends the parts of a game to machine code, and takes them back.
    fn enter<const W: usize>(
        &self,
        lent: Lent<'_, '_, W>,
        room: Room,
        run: impl FnOnce(*mut Context, *const u8) -> i64,
    ) -> Option<Over> {
        make_room(lent.found, room);
        let state: *mut State<W> = lent.state;
        let scratch: *mut Scratch<'_, W> = lent.scratch;
        let found: *mut Found<'_, W> = lent.found;
        let spare: *mut Spare<W> = lent.spare;
        let slack = room.slack * room.stride;
        let mut host = Host { core: lent.core, state, scratch, found, spare, over: None, slack, spread: None };
        let now = lists(state);
        // SAFETY: all pointers come from the borrows in `lent`, which last until the end of this function.
        let mut context = unsafe {
            let (cells, sets) = ((*spare).cells.as_mut_ptr(), (*spare).sets.as_mut_ptr().cast());
            context(&mut host, now, cells, sets)
        };
        let count = run(&raw mut context, state.cast_const().cast());
        // SAFETY: machine code has returned, and the borrow of `found` is ours again; the cursor lies within the records.
        unsafe {
            (*found).native = context.native == LISTED;
            (*found).playable = context.native == PLAYABLE;
            if (*found).native {
                (*found).used = context.cursor.offset_from(context.records).unsigned_abs();
                (*found).end = context.end != 0;
                (*found).drawn = context.drew == DREW;
            }
            (*found).count = usize::try_from(count).unwrap_or(0);
        }
        host.over
    }
}

/// 1 in a random game whose plies may be drawn, as long as that is not in vain; else 0.
fn pays<const W: usize>(scratch: &Scratch<'_, W>) -> u64 {
    let draws = scratch.draws.as_ref().filter(|draws| !draws.are_in_vain());
    draws.map_or(0, |draws| if draws.shunned.is_some() { DRAWS | LEAVES_OUT } else { DRAWS })
}

/// Lends a state to code that changes nothing of it.
#[inline]
fn lend<'p, const W: usize, R>(
    core: &'p Core<W>,
    state: &State<W>,
    scratch: &mut Scratch<'p, W>,
    record: &mut [u64],
    run: impl FnOnce(&mut Context) -> R,
) -> R {
    // Such code writes nothing into the state: of what it could write to only floods are kept, in cells.
    let state = std::ptr::from_ref(state).cast_mut();
    let before = lists_to_read(state);
    let ints = scratch.frame.ints.as_mut_ptr();
    let slots = scratch.frame.sets.as_mut_ptr().cast();
    let (found, spare) = (std::ptr::null_mut(), std::ptr::null_mut());
    let mut host = Host { core, state, scratch, found, spare, over: None, slack: record.len(), spread: None };
    let records = record.as_mut_ptr();
    let mut context = Context {
        now: before,
        before,
        trial: Lists::NOTHING,
        ints,
        slots,
        records,
        limit: records,
        cursor: records,
        end: 0,
        native: 0,
        draws: 0,
        drew: 0,
        tried: Tried::default(),
        seen: 0,
        held: -1,
        varied: 0,
        scene: [0; 7],
        saved: [0; 6],
        kept_cells: std::ptr::null_mut(),
        kept_sets: std::ptr::null_mut(),
        host: (&raw mut host).cast(),
    };
    run(&mut context)
}

/// There is room for as many records as may be written without asking for it.
fn make_room<const W: usize>(found: &mut Found<'_, W>, room: Room) {
    let least = (room.slack + 64) * room.stride;
    if found.records.len() < least {
        found.records.resize(least, 0);
    }
}

/// What machine code works on.
///
/// # Safety
/// The pointers of the host are good for as long as the context is used, and its records have room.
unsafe fn context<const W: usize>(
    host: &mut Host<'_, W>,
    now: Lists,
    kept_cells: *mut i64,
    kept_sets: *mut u64,
) -> Context {
    // SAFETY: as said above; the records are longer than the slack.
    unsafe {
        let records = (*host.found).records.as_mut_ptr();
        let length = (*host.found).records.len();
        Context {
            now,
            before: now,
            trial: Lists::NOTHING,
            ints: (*host.scratch).frame.ints.as_mut_ptr(),
            slots: (*host.scratch).frame.sets.as_mut_ptr().cast(),
            records,
            limit: records.add(length - host.slack),
            cursor: records,
            end: 0,
            native: if (*host.found).playable { PLAYABLE } else { LISTED },
            draws: 0,
            drew: 0,
            tried: Tried::default(),
            seen: 0,
            held: -1,
            varied: 0,
            scene: [0; 7],
            saved: [0; 6],
            kept_cells,
            kept_sets,
            host: std::ptr::from_mut(host).cast(),
        }
    }
}

/// The host of a context, for a function that machine code has called.
///
/// # Safety
/// The context is one made by [`Code::enter`] for boards of `W` words.
unsafe fn host<'a, 'p, const W: usize>(context: *mut Context) -> &'a mut Host<'p, W> {
    // SAFETY: the field was set from a host of this type, which lives as long as the context.
    unsafe { &mut *(*context).host.cast::<Host<'p, W>>() }
}

/// What instructions see that are evaluated here.
///
/// # Safety
/// As for [`host`]; the states outlive the call of machine code.
unsafe fn view<'a, 'p: 'a, const W: usize>(context: *mut Context, host: &Host<'p, W>) -> View<'a, W> {
    // SAFETY: both pointers are to states that are borrowed for as long as machine code runs.
    let (now, before, history, scene) = unsafe {
        let present = (*context).now.state;
        let (trial, before) = ((*context).trial.state, (*context).before.state);
        let (now, before) = if trial.is_null() { (present, before) } else { (trial, present) };
        (&*now.cast::<State<W>>(), &*before.cast::<State<W>>(), &(*host.state).seen, (*context).scene)
    };
    let [mover, next, turn, ply, stuck, unfinished, following] = scene;
    View {
        engine: host.core,
        now,
        before,
        mover: mover as u8,
        next: next as u8,
        turn: turn as u32,
        ply: ply as u32,
        stuck: stuck != 0,
        unfinished: unfinished != 0,
        following: (following != 0).then_some(now),
        history,
    }
}

pub(super) unsafe extern "C" fn sets<const W: usize>(
    context: *mut Context,
    node: *const Sets,
    out: *mut Set<W>,
) -> i64 {
    // SAFETY: the node is part of the program that the core holds, `out` is room on the stack of the caller.
    unsafe {
        let host = host::<W>(context);
        let set = view(context, host).sets(&*node, &mut (*host.scratch).frame);
        out.write(set);
    }
    0
}

pub(super) unsafe extern "C" fn int<const W: usize>(context: *mut Context, node: *const Int) -> i64 {
    // SAFETY: the node is part of the program that the core holds.
    unsafe {
        let host = host::<W>(context);
        view(context, host).int(&*node, &mut (*host.scratch).frame)
    }
}

pub(super) unsafe extern "C" fn test<const W: usize>(context: *mut Context, node: *const Test) -> i64 {
    // SAFETY: the node is part of the program that the core holds.
    unsafe {
        let host = host::<W>(context);
        i64::from(view(context, host).test(&*node, &mut (*host.scratch).frame))
    }
}

/// The function that is asked whether a place may be read or written. Only tests do.
pub(super) fn checking<const W: usize>() -> Option<usize> {
    #[cfg(test)]
    return Some((check::<W> as *const ()).addr());
    #[cfg(not(test))]
    None
}

/// Ends the program where machine code is about to read or write a place that is not of the part of memory that it means.
#[cfg(test)]
unsafe extern "C" fn check<const W: usize>(context: *mut Context, address: usize, what: u64) -> i64 {
    let (kind, size) = (what >> (8 + KIND_SHIFT), usize::try_from(what & 0xff).unwrap_or(usize::MAX));
    let within = |start: usize, bytes: usize| address >= start && address.saturating_add(size) <= start + bytes;
    // SAFETY: machine code has called and waits; only lengths of lists are read, and addresses are compared.
    let good = unsafe {
        let host = host::<W>(context);
        let state = &*host.state;
        let either = |of: fn(&Lists) -> usize, bytes: usize| {
            [(*context).now, (*context).before, (*context).trial].iter().any(|lists| within(of(lists), bytes))
        };
        let frame = &(*host.scratch).frame;
        let records = host.found.as_ref().map_or(host.slack, |found| found.records.len());
        let spare = host.spare.as_ref();
        match kind {
            0 => within(context.addr(), size_of::<Context>()),
            1 => either(|lists| lists.state.addr(), size_of::<State<W>>()),
            2 => either(|lists| lists.planes.addr(), size_of_val(state.planes.as_slice())),
            3 => either(|lists| lists.contents.addr(), size_of_val(state.contents.as_slice())),
            4 => either(|lists| lists.cells.addr(), size_of_val(state.cells.as_slice())),
            5 => either(|lists| lists.sets.addr(), size_of_val(state.sets.as_slice())),
            6 => either(|lists| lists.grown.addr(), size_of_val(state.grown.as_slice())),
            7 => spare.is_some_and(|spare| within(spare.cells.as_ptr().addr(), size_of_val(spare.cells.as_slice()))),
            8 => spare.is_some_and(|spare| within(spare.sets.as_ptr().addr(), size_of_val(spare.sets.as_slice()))),
            9 => within((*context).ints.addr(), size_of_val(frame.ints.as_slice())),
            10 => within((*context).slots.addr(), size_of_val(frame.sets.as_slice())),
            11 => within((*context).records.addr(), records * size_of::<u64>()),
            // Sets on the stack are not asked about, and there are no other parts.
            12.. => false,
        }
    };
    // Nothing unwinds through machine code: the program ends here.
    assert!(good, "machine code means part {kind} of memory, and {size} bytes at {address} are not of it");
    0
}

/// More room for records; where the next one goes then.
pub(super) unsafe extern "C" fn grow<const W: usize>(context: *mut Context, cursor: *mut u64) -> *mut u64 {
    // SAFETY: the records are those of `found`, and machine code takes their new place from the context; the kinds were borrowed
    // for as long as it runs.
    unsafe {
        let host = host::<W>(context);
        let used = cursor.offset_from((*context).records).unsigned_abs();
        if let Some((kinds, stride)) = host.spread {
            (*host.found).used = used;
            let frame = &mut (*host.scratch).frame;
            let (ints, sets) = (frame.ints.clone(), frame.sets.clone());
            spread(host.core, &*host.state, &*kinds, stride, frame, &mut *host.found);
            // Machine code goes on with what it keeps there.
            frame.ints.copy_from_slice(&ints);
            frame.sets.copy_from_slice(&sets);
            return (*context).records;
        }
        let records = &mut (*host.found).records;
        let length = 2 * records.len();
        records.resize(length, 0);
        (*context).records = records.as_mut_ptr();
        (*context).limit = (*context).records.add(length - host.slack);
        (*context).records.add(used)
    }
}

/// A copy of the state is what `before` reads from now on.
pub(super) unsafe extern "C" fn stage<const W: usize>(context: *mut Context) -> i64 {
    // SAFETY: the copy is not read by anybody else while machine code runs.
    unsafe {
        let host = host::<W>(context);
        (*host.spare).before.follow(&*host.state);
        (*context).before = lists(&raw mut (*host.spare).before);
    }
    0
}

/// A copy of the present state is the present one until what is done to it has been tried.
pub(super) unsafe extern "C" fn try_on_copy<const W: usize>(context: *mut Context) -> i64 {
    // SAFETY: the copy is lent to machine code alone until it says that it has tried, and lies where it is till then; the
    // present state is only read.
    unsafe {
        let host = host::<W>(context);
        let state = &*(*context).now.state.cast::<State<W>>();
        (*context).trial = lists((*host.scratch).trials.lend(state));
    }
    0
}

/// Something has been tried on the copy that was made last.
pub(super) unsafe extern "C" fn tried<const W: usize>(context: *mut Context) -> i64 {
    // SAFETY: machine code looks at the copy no longer.
    unsafe {
        let host = host::<W>(context);
        (*host.scratch).trials.take_back();
        (*context).trial = Lists::NOTHING;
    }
    0
}

/// The position is one of those that were. How often it has come up is told in the lower half, its board in the upper one.
pub(super) unsafe extern "C" fn remember<const W: usize>(context: *mut Context) -> i64 {
    // SAFETY: the list of earlier positions is none of those that machine code has a pointer to.
    unsafe {
        let host = host::<W>(context);
        let [position, board] = host.core.remember(&mut *host.state);
        (u64::from(board) << u32::BITS | u64::from(position)).cast_signed()
    }
}

/// Plies are listed without machine code.
pub(super) unsafe extern "C" fn legal<const W: usize>(context: *mut Context) -> i64 {
    // SAFETY: machine code has called and waits.
    unsafe {
        let host = host::<W>(context);
        host.core.offer(&*host.state, &mut *host.scratch, &mut *host.found);
        (*context).draws = pays(&*host.scratch);
        hand_over(context, host)
    }
}

/// Plies are listed without machine code, and no candidate is drawn.
pub(super) unsafe extern "C" fn all_legal<const W: usize>(context: *mut Context) -> i64 {
    // SAFETY: machine code has called and waits.
    unsafe {
        let host = host::<W>(context);
        host.core.list_or_pick(&*host.state, &mut *host.scratch, &mut *host.found);
        hand_over(context, host)
    }
}

/// Tells machine code of what the host has found.
///
/// # Safety
/// As for [`host`].
unsafe fn hand_over<const W: usize>(context: *mut Context, host: &Host<'_, W>) -> i64 {
    // SAFETY: as said above, and machine code waits.
    unsafe {
        let found = &mut *host.found;
        found.playable = (*host.scratch).native.is_some_and(|native| native.plays(&*host.state, found));
        (*context).native = if found.playable { PLAYABLE } else { 0 };
        (*context).end = u64::from(found.end);
        found.count as i64
    }
}

/// A ply of a random game is drawn; how many there are now, none where it was not.
pub(super) unsafe extern "C" fn draw<const W: usize>(context: *mut Context) -> i64 {
    // SAFETY: machine code has called and waits.
    unsafe {
        let host = host::<W>(context);
        let drawn = host.core.draw(&*host.state, &mut *host.scratch, &mut *host.found);
        (*context).draws = pays(&*host.scratch);
        if drawn { hand_over(context, host) } else { 0 }
    }
}

/// One of so many candidates.
pub(super) unsafe extern "C" fn roll<const W: usize>(context: *mut Context, candidates: u64) -> u64 {
    // SAFETY: machine code has called and waits.
    unsafe {
        let host = host::<W>(context);
        let draws = (*host.scratch).draws.as_mut();
        draws.map_or(0, |draws| draws.dice.roll(usize::try_from(candidates).unwrap_or(usize::MAX)) as u64)
    }
}

/// As many of so many candidates as are drawn at a time, into the record behind the parts of a ply.
pub(super) unsafe extern "C" fn roll_several<const W: usize>(context: *mut Context, candidates: u64) -> i64 {
    // SAFETY: machine code has called and waits; there is room for many records, which are longer than this together.
    unsafe {
        let host = host::<W>(context);
        let numbers = (*context).records.add(SET + W + MAX_PARTS);
        if let Some(draws) = &mut (*host.scratch).draws {
            let candidates = usize::try_from(candidates).unwrap_or(usize::MAX);
            for at in 0..AT_ONCE {
                numbers.add(at).write(draws.dice.roll(candidates) as u64);
            }
        }
    }
    0
}

/// Whether the ply in the record, of a move with one part, which is a site, is left out of this game for what stands around.
pub(super) unsafe extern "C" fn leaves_out<const W: usize>(context: *mut Context, mv: u64) -> i64 {
    // SAFETY: machine code has called and waits; the record of a ply holds its parts.
    unsafe {
        let host = host::<W>(context);
        let site = usize::try_from((*context).records.add(SET + W).read()).unwrap_or(usize::MAX);
        let (core, state) = (host.core, &*host.state);
        let around = core.surroundings(state, MoveId(usize::try_from(mv).unwrap_or(usize::MAX)), site);
        let seat = core.seat(state, usize::from(state.mover));
        let draws = (*host.scratch).draws.as_mut();
        i64::from(draws.zip(around).is_some_and(|(draws, around)| draws.leaves_out(seat, around)))
    }
}

/// Enough candidates were drawn, and none of them is a ply.
pub(super) unsafe extern "C" fn drew_in_vain<const W: usize>(context: *mut Context) -> i64 {
    // SAFETY: machine code has called and waits.
    unsafe {
        let host = host::<W>(context);
        let (tried, scratch) = ((*context).tried, &mut *host.scratch);
        if let Some(draws) = &mut scratch.draws {
            draws.give_up(tried.cost(host.core), tried.candidates, tried.drawn, tried.judged);
        }
        (*context).draws = pays(scratch);
    }
    0
}

impl Tried {
    /// What plies of the place cost.
    fn cost<const W: usize>(&self, core: &Core<W>) -> Cost {
        core.urn.cost(u16::try_from(self.place).unwrap_or(0), self.whole != 0)
    }
}

/// The candidate that machine code has drawn last is the ply to be played: whether drawing still pays.
#[inline]
fn note_drawn<const W: usize>(core: &Core<W>, tried: &Tried, scratch: &mut Scratch<'_, W>) -> u64 {
    if let Some(draws) = &mut scratch.draws {
        let Tried { candidates, drawn, judged, number, .. } = *tried;
        draws.account(tried.cost(core), candidates, drawn, judged);
        draws.take(number, if drawn == 1 { candidates } else { 0 });
    }
    pays(scratch)
}

/// The game is over: who came where.
pub(super) unsafe extern "C" fn finish<const W: usize>(context: *mut Context, why: Reason) -> i64 {
    // SAFETY: machine code has called and waits; it reads nothing any more after this.
    unsafe {
        let host = host::<W>(context);
        let (core, state, scratch) = (host.core, &mut *host.state, &mut *host.scratch);
        let held = usize::try_from((*context).held).ok();
        host.over = match why {
            Reason::AtOnce => core.concluded(&View::of(core, state), held, scratch),
            Reason::TurnOver => {
                let next = (*context).scene[1] as u8;
                core.concluded(&View { next, ..View::of(core, state) }, held, scratch)
            }
            Reason::Unfinished => {
                let view = View { unfinished: true, ..View::of(core, state) };
                let over = core.outcome(&view, false, scratch);
                Some(over.unwrap_or_else(|| core.lost_by(state, state.mover)))
            }
            Reason::Turn | Reason::Stuck => {
                let [mover, next, order, turn, section, place] = (*context).saved;
                let (mover, turn, spare) = (mover as u8, turn as u32, &*host.spare);
                let stuck = why == Reason::Stuck || (*context).scene[4] != 0;
                let over = if why == Reason::Stuck {
                    // Whether something is possible is asked of the turn to come as it stands.
                    let mut finished = scratch.state(state);
                    spare.put_back(core, &mut finished);
                    let following = Some(&*state);
                    let view = View { mover, next: state.mover, turn, stuck, following, ..View::of(core, &finished) };
                    let over = core.outcome(&view, false, scratch);
                    scratch.give_back(finished);
                    spare.put_back(core, state);
                    over
                } else {
                    spare.put_back(core, state);
                    let following = Some(&*state);
                    let view = View { mover, next: state.mover, turn, stuck, following, ..View::of(core, state) };
                    core.concluded(&view, held, scratch)
                };
                let over = over.or_else(|| core.over_for_want_of_players(state));
                let over = over.or_else(|| stuck.then(|| core.lost_by(state, state.mover)));
                (state.mover, state.next, state.order) = (mover, next as u8, order as usize);
                (state.turn, state.section) = (turn, section as usize);
                state.places = crate::engine::fast::state::Places::one(place as u16);
                state.seen.pop();
                over
            }
        };
        // Machine code has seen a line of `end` hold, so that there is always an outcome.
        if host.over.is_none() {
            host.over = Some(core.lost_by(state, state.mover));
        }
    }
    0
}
