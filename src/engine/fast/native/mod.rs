//! Programs as machine code: the plies of a game, playing one and what follows a turn, written for the processor at hand.
//!
//! What is written is what [`turns`](super::turns), [`play`](super::play) and [`eval`](super::eval) do step by step, for one player at a time and with
//! everything known beforehand worked out. Whatever has no machine code of its own is left to them: an instruction, a list of
//! plies, a whole game. So there are two ways to run every program, and tests compare them with each other and with the
//! reference.

mod addresses;
mod alike;
mod apart;
mod arithmetic;
mod changes;
mod conditions;
mod context;
mod course;
mod coverage;
mod drawn;
mod draws;
mod emit;
mod ends;
mod flow;
pub mod host;
mod lent;
mod lines;
mod load;
mod memory;
mod numbers;
mod plan;
mod plies;
mod sets;
mod stacks;
mod stage;
mod succession;
mod sums;
mod sweeps;
mod tables;
mod translate;
mod turns;
mod value;
mod walks;
mod writer;

use super::eval::Core;
use super::eval::{Frame, View};
use super::facing::{Chooser, Listed};
use super::found::{Alike, Found, fan};
use super::names::named;
use super::plies::Ply;
use super::scratch::{Lister, Scratch};
use super::set::Set;
use super::state::State;
use super::tries::{AT_ONCE, Drawn, Draws, Tries};
use crate::engine::Over;
use crate::program::MAX_PARTS;
use crate::program::ir::NONE;
use course::Course;
pub use coverage::{Coverage, left};
use cranelift_jit::JITModule;
use cranelift_module::FuncId;
use host::{Code, Drawing, Judging, Lent, Room, Table};
use plan::Plan;
use plies::{Kind, spread};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use translate::{Processor, place, translating};
use writer::{Ids, Writer};

/// A program as machine code.
pub struct Native {
    pub code: Code,
    pub room: Room,
    /// The time on the wall that it took to write it.
    pub took: Duration,
    /// The kinds of plies that are found by machine code, and of those that are only listed.
    kinds: Vec<Kind>,
    listed: Vec<Kind>,
    /// Of the first kinds, what their plies are called but for the part that differs, where they have no other.
    names: Vec<Option<u64>>,
    /// By player and call the kind of a ply that stands alone, where machine code can play it.
    alone: Vec<Vec<Option<usize>>>,
    /// The tables that the code reads.
    _plan: Plan,
}

impl std::fmt::Debug for Native {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Native").field("room", &self.room).field("kinds", &self.kinds.len()).finish_non_exhaustive()
    }
}

impl Native {
    /// How plies are listed in records.
    pub fn records(&self) -> Listed<'_> {
        Listed { stride: self.room.stride, names: &self.names }
    }

    /// None where the turns of the game, or the processor, are not made for it.
    pub fn compile<const W: usize>(core: &Core<W>, checked: bool) -> Option<Self> {
        let began = Instant::now();
        let led = Course::of(&core.program);
        let leads = led.is_some();
        // Where the host has to lead through the turns, machine code still judges the plies that are drawn.
        let judges = core.urn.places.contains(&true) && core.program.by_mover.len() == core.program.players;
        let course = led.or_else(|| judges.then(|| Course::of_nothing(&core.program)))?;
        let plan = Plan::of(core, checked);
        let processor = Processor::at_hand()?;
        let (made, translated) = translating(&processor, |queue| {
            Made::with(Writer::new(&plan, &course, &processor, queue)?, core, &course, leads)
        })?;
        let Made { mut module, steps, legal, lists, drawing, mut kinds, listed, alone, room } = made;
        place(&mut module, translated)?;
        kinds.iter_mut().for_each(|kind| kind.foresee(core));
        let names = kinds.iter().map(|kind| kind.name).collect();
        let steps: Vec<*const u8> = steps.into_iter().map(|id| module.get_finalized_function(id)).collect();
        let by_place = |ids: HashMap<(usize, u16), FuncId>| {
            let mut rows = vec![vec![None; core.program.nodes.len()]; core.program.players];
            for ((mover, place), id) in ids {
                rows[mover][usize::from(place)] = Some(module.get_finalized_function(id));
            }
            rows
        };
        let (legal, lists) = (by_place(legal), by_place(lists));
        let drawing = drawing.map(|ids: Ids| -> Table {
            let one = |id: Option<FuncId>| id.map(|id| module.get_finalized_function(id));
            ids.into_iter().map(|row| row.into_iter().map(one).collect()).collect()
        });
        let code = Code::new(&steps, &legal, &lists, &drawing, module);
        Some(Self { code, room, took: began.elapsed(), kinds, listed, names, alone, _plan: plan })
    }

    /// Plays plies as chosen, until the game is over, the host has to lead, or so many are played. How many were played,
    /// how many there were to choose from, and who came where.
    pub fn run<const W: usize>(
        &self,
        lent: Lent<'_, '_, W>,
        most: u64,
        chooser: &mut impl Chooser<W>,
    ) -> (u64, u64, Option<Over>) {
        self.code.run(lent, self.room, self.records(), most, chooser, |mover, found, index| {
            self.write_alone(mover, found, index)
        })
    }

    /// Writes the record of one of these plies, from which machine code plays it.
    #[inline(never)]
    fn write_alone<const W: usize>(&self, mover: u8, found: &mut Found<'_, W>, index: usize) -> Option<()> {
        let ply = found.alone()?.get(index)?;
        let at = (*self.alone.get(usize::from(mover))?.get(usize::from(ply.call))?)?;
        let record = found.records.get_mut(..self.room.stride)?;
        (record[plies::COUNT], record[plies::KIND]) = (1, at as u64);
        for (slot, part) in self.kinds.get(at)?.saved.iter().zip(&mut record[plies::SET + W..]) {
            *part = ply.parts.get(usize::from(*slot)).copied().unwrap_or(NONE) as u64;
        }
        Some(())
    }

    /// The record of a ply by its number, which is one of those listed, and the part in which plies of the record differ.
    #[inline]
    fn record<'a, const W: usize>(
        &'a self,
        records: &'a [u64],
        index: usize,
    ) -> Option<(&'a Kind, &'a [u64], Option<i64>)> {
        let (mut left, mut rest) = (index as u64, records);
        // Without the division that it takes to cut a list into equal pieces: most lists have one record.
        while let Some((record, others)) = rest.split_at_checked(self.room.stride) {
            let count = *record.get(plies::COUNT)?;
            if left >= count {
                (left, rest) = (left - count, others);
                continue;
            }
            let kind = self.kinds.get(usize::try_from(*record.get(plies::KIND)?).ok()?)?;
            let varied = if kind.slot.is_some() {
                let words = record.get(plies::SET..plies::SET + W)?;
                Some(Set::<W>(words.try_into().ok()?).nth(usize::try_from(left).ok()?)? as i64)
            } else {
                None
            };
            return Some((kind, record, varied));
        }
        None
    }
}

impl Native {
    /// Tells of all plies that machine code has listed, in the order of their numbers, those that differ in one part at once.
    pub fn sheaves<const W: usize>(
        &self,
        core: &Core<W>,
        state: &State<W>,
        found: &Found<'_, W>,
        frame: &mut Frame<W>,
        tell: &mut impl FnMut(Alike<'_, W>),
    ) {
        let mut left = found.records.get(..found.used).unwrap_or_default();
        // Without the division that it takes to cut a list into equal pieces: most lists have one record.
        while let Some((record, rest)) = left.split_at_checked(self.room.stride) {
            left = rest;
            let number = usize::try_from(record[plies::KIND]).unwrap_or(usize::MAX);
            let Some(kind) = self.kinds.get(number) else { continue };
            let set = record.get(plies::SET..plies::SET + W).and_then(|words| words.try_into().ok()).map(Set::<W>);
            if let (Some(follows), Some(slot), Some(set)) = (&kind.follows, kind.slot, &set) {
                let shape = kind.is_fixed().then_some(number);
                tell(Alike { ply: &kind.ply(record, W), varied: Some((slot, set)), follows, shape });
                continue;
            }
            fan(core, state, frame, kind.ply(record, W), kind.slot.zip(set), &kind.derived, tell);
        }
    }
}

impl<const W: usize> Lister<W> for Native {
    fn ply<'p>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        found: &Found<'p, W>,
        scratch: &mut Scratch<'p, W>,
        index: usize,
    ) -> Option<Ply> {
        let (kind, record, varied) = self.record::<W>(found.records.get(..found.used)?, index)?;
        kind.whole(record, varied, &View::of(core, state), &mut scratch.frame)
    }

    fn key<'p>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        found: &Found<'p, W>,
        scratch: &mut Scratch<'p, W>,
        index: usize,
    ) -> Option<u64> {
        let (kind, record, varied) = self.record::<W>(&found.records, index)?;
        if let (Some(name), Some(varied)) = (kind.name, varied) {
            return Some(named(name, varied));
        }
        let ply = kind.whole(record, varied, &View::of(core, state), &mut scratch.frame)?;
        Some(core.key(state, &ply))
    }

    fn keys(&self, core: &Core<W>, state: &State<W>, found: &Found<'_, W>, frame: &mut Frame<W>, keys: &mut Vec<u64>) {
        self.sheaves(core, state, found, frame, &mut |alike: Alike<'_, W>| {
            let mut ply = alike.ply.clone();
            let Some((slot, set)) = alike.varied else { return keys.push(core.key(state, &ply)) };
            for member in *set {
                if let Some(part) = ply.parts.get_mut(usize::from(slot)) {
                    *part = member as i64;
                }
                for follow in alike.follows {
                    if let (Some(part), Some(value)) = (ply.parts.get_mut(follow.part), follow.by_value.get(member)) {
                        *part = *value;
                    }
                }
                keys.push(core.key(state, &ply));
            }
        });
    }

    fn list_all<'p>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
    ) -> bool {
        if !self.code.look(core, state, scratch, found, self.room, &self.listed) {
            return false;
        }
        spread(core, state, &self.listed, self.room.stride, &mut scratch.frame, found);
        true
    }

    fn weigh<'p>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        scratch: &mut Scratch<'p, W>,
        open: &mut [(u16, u64)],
    ) -> usize {
        self.code.weigh(core, state, scratch, open)
    }

    fn draw<'p>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        scratch: &mut Scratch<'p, W>,
        tries: &mut Tries<'_>,
        draws: &mut Draws,
        ply: &mut Ply,
    ) -> Drawn {
        let mut record = std::mem::take(&mut scratch.record);
        let parts_at = plies::SET + W;
        let length = parts_at + MAX_PARTS + AT_ONCE;
        if record.len() < length {
            record.resize(length, 0);
        }
        let several_of = tries.only_call().filter(|call| self.code.judges(state.mover, *call));
        let (call, drawn) = self.code.judging(core, state, scratch, &mut record, |judging| match several_of {
            Some(call) => (call, several(judging, call, parts_at + MAX_PARTS, tries, draws)),
            None => one_by_one(judging, tries, draws),
        });
        if let Drawn::Ply(_) = drawn {
            (ply.call, ply.parts, ply.places) = (call, [NONE; MAX_PARTS], None);
            let parts = core.own(state).calls.get(usize::from(call)).map_or(&[][..], |call| call.parts.as_slice());
            for (slot, part) in parts.iter().zip(record.iter().skip(parts_at)) {
                if let Some(place) = ply.parts.get_mut(usize::from(*slot)) {
                    *place = part.cast_signed();
                }
            }
        }
        scratch.record = record;
        drawn
    }

    fn is_open<'p>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        scratch: &mut Scratch<'p, W>,
        guard: u16,
    ) -> Option<bool> {
        self.code.is_open(core, state, scratch, guard)
    }

    fn play_ahead<'p>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        ply: &Ply,
        copy: &mut State<W>,
        scratch: &mut Scratch<'p, W>,
    ) -> bool {
        with_record(core, state, ply, scratch, |record, scratch| {
            self.code.play_ahead(core, state, ply.call, copy, scratch, record)
        })
    }

    fn finishes<'p>(
        &self,
        core: &'p Core<W>,
        state: &State<W>,
        ply: &Ply,
        scratch: &mut Scratch<'p, W>,
    ) -> Option<bool> {
        with_record(core, state, ply, scratch, |record, scratch| {
            self.code.finishes(core, state, ply.call, scratch, record)
        })
    }

    fn plays(&self, state: &State<W>, found: &Found<'_, W>) -> bool {
        let alone = self.alone.get(usize::from(state.mover)).map_or(&[][..], Vec::as_slice);
        let plays = |call: u16| alone.get(usize::from(call)).is_some_and(Option::is_some);
        // Machine code writes the place that a ply leads to where there is one, and leaves a list of several as it is.
        let one = state.places.only().is_some();
        one && found.alone().is_some_and(|plies| plies.go_on_as_calls_say() && plies.calls().all(plays))
    }
}

/// The functions of a program, which are being translated.
struct Made {
    module: JITModule,
    /// By player.
    steps: Vec<FuncId>,
    /// By player and place: those that find the legal plies, and those that only list plies.
    legal: HashMap<(usize, u16), FuncId>,
    lists: HashMap<(usize, u16), FuncId>,
    drawing: Drawing<Ids>,
    kinds: Vec<Kind>,
    listed: Vec<Kind>,
    alone: Vec<Vec<Option<usize>>>,
    room: Room,
}

impl Made {
    /// Writes them; `leads` where machine code leads through the turns.
    fn with<const W: usize>(mut writer: Writer<'_>, core: &Core<W>, course: &Course, leads: bool) -> Option<Self> {
        let mut kinds = Vec::new();
        let places = writer.places();
        let mut legal = HashMap::new();
        for (mover, place) in &places {
            legal.insert((*mover, *place), writer.declare(&format!("legal {mover} {place}"), 1)?);
        }
        let mut slack = 0;
        for (mover, place) in places {
            let id = *legal.get(&(mover, place))?;
            let before = kinds.len();
            // Drawing and listing are functions apart: what is twice as long takes more than twice as long to translate.
            let mut lists = HashMap::new();
            if core.urn.draws_at(place) && !course.is_searched(&core.program, mover, place) {
                let id = writer.declare(&format!("plies {mover} {place}"), 1)?;
                writer.define_list(id, |emit, stride| emit.write_plies(mover, place, course, &mut kinds, stride))?;
                lists.insert((mover, place), id);
            }
            writer.define_legal((id, (mover, place)), &lists, |emit, stride| {
                emit.write_legal(mover, place, course, &mut kinds, stride);
            })?;
            slack = slack.max(kinds.len() - before);
        }
        let (mut lists, mut listed) = (HashMap::new(), Vec::new());
        for (mover, place) in writer.listed() {
            let id = writer.declare(&format!("list {mover} {place}"), 1)?;
            let before = listed.len();
            writer.define_list(id, |emit, stride| emit.write_list(mover, place, &mut listed, stride))?;
            slack = slack.max(listed.len() - before);
            lists.insert((mover, place), id);
        }
        let alone = if leads { writer.alone(&mut kinds) } else { Vec::new() };
        let drawing = writer.drawing(core)?;
        let mut steps = Vec::new();
        for mover in (0..core.program.players).filter(|_| leads) {
            let id = writer.declare(&format!("step {mover}"), 2)?;
            writer.define(id, 2, &legal, |emit, stride| {
                if let Some(index) = emit.second_argument() {
                    emit.write_step(mover, index, course, &kinds, stride);
                }
            })?;
            steps.push(id);
        }
        writer.write_apart()?;
        writer.write_flood()?;
        let room = Room { stride: writer.stride, slack: slack + 1 };
        legal.retain(|(mover, place), _| course.native[*mover][usize::from(*place)]);
        Some(Self { module: writer.module, steps, legal, lists, drawing, kinds, listed, alone, room })
    }
}

/// Writes the parts of a ply into the record, and lends it.
fn with_record<'p, const W: usize, R>(
    core: &'p Core<W>,
    state: &State<W>,
    ply: &Ply,
    scratch: &mut Scratch<'p, W>,
    run: impl FnOnce(&mut [u64], &mut Scratch<'p, W>) -> R,
) -> R {
    let parts = core.own(state).calls.get(usize::from(ply.call)).map_or(&[][..], |call| call.parts.as_slice());
    let mut record = std::mem::take(&mut scratch.record);
    record.clear();
    record.resize(plies::SET + W, 0);
    let part = |slot: &u16| ply.parts.get(usize::from(*slot)).copied().unwrap_or(NONE).cast_unsigned();
    record.extend(parts.iter().map(part));
    let done = run(&mut record, scratch);
    scratch.record = record;
    done
}

/// Draws candidates until one is a ply, and tells the call that it is of.
#[inline]
fn one_by_one(judging: &mut Judging<'_>, tries: &mut Tries<'_>, draws: &mut Draws) -> (u16, Drawn) {
    while let Some(choice) = tries.next(draws) {
        let (mut call, mut what) = (choice.call, judging.ask(choice.call, choice.within));
        if let (Some(draws::FAILS), Some(beside)) = (what.map(|what| what & draws::WHAT), tries.beside(choice)) {
            (call, what) = (beside.call, judging.ask(beside.call, beside.within));
        }
        // Where the other one has no code the host judges both again.
        let Some(what) = what else { return (choice.call, Drawn::Open(choice)) };
        match what & draws::WHAT {
            draws::PLY => {
                tries.judge();
                return (call, Drawn::Ply(choice.number));
            }
            draws::FAILS => tries.judge(),
            _missing => {}
        }
    }
    (0, Drawn::Enough)
}

/// The same where several of one call are drawn at a time, which has code. Their numbers stand in the record from a place on.
#[inline]
fn several(judging: &mut Judging<'_>, call: u16, numbers_at: usize, tries: &mut Tries<'_>, draws: &mut Draws) -> Drawn {
    while let Some((numbers, place)) = tries.together(draws) {
        if let Some(room) = judging.record().get_mut(numbers_at..numbers_at + AT_ONCE) {
            room.copy_from_slice(numbers);
        }
        let what = judging.ask(call, place as u64).unwrap_or(draws::MISSING);
        let Some(number) = tries.pass(usize::try_from(what >> draws::KINDS).unwrap_or(AT_ONCE)) else { continue };
        match what & draws::WHAT {
            draws::PLY => {
                tries.judge();
                return Drawn::Ply(number);
            }
            draws::FAILS => tries.judge(),
            _missing => {}
        }
    }
    Drawn::Enough
}
