//! Programs as machine code: the plies of a game, playing one and what follows a turn, written for the processor at hand.
//!
//! What is written is what [`turns`](super::turns), [`play`](super::play) and [`eval`](super::eval) do step by step, for one player at a time and with
//! everything known beforehand worked out. Whatever has no machine code of its own is left to them: an instruction, a list of
//! plies, a whole game. So there are two ways to run every program, and tests compare them with each other and with the
//! reference.

mod addresses;
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

use super::eval::Core;
use super::eval::{Frame, View};
use super::facing::{Chooser, Listed};
use super::found::{Alike, Found, fan};
use super::lots::calls_behind;
use super::names::named;
use super::plies::Ply;
use super::scratch::{Lister, Scratch};
use super::set::Set;
use super::state::State;
use super::tries::{AT_ONCE, Drawn, Draws, Tries};
use crate::engine::Over;
use crate::program::ir::NONE;
use crate::program::{ForMover, MAX_PARTS, Program, TurnNode, floods};
use course::Course;
pub use coverage::{Coverage, left};
use cranelift_codegen::inline::{Inline, InlineCommand};
use cranelift_codegen::ir::{AbiParam, FuncRef, Function, Inst, InstBuilder, Opcode, Value, types};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module};
use emit::{Bases, Emit, Scene, Scope, Signatures};
use host::{Code, Drawing, Judging, Lent, Room, Table};
use memory::Facts;
use plan::Plan;
use plies::{Kind, spread};
use std::borrow::Cow;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use translate::{Care, Written, processor, translate};
use value::{Flag, Num};

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
        let mut writer = Writer::new(&plan, &course)?;
        let mut kinds = Vec::new();
        let places = writer.places();
        let mut found = HashMap::new();
        for (mover, place) in &places {
            found.insert((*mover, *place), writer.declare(&format!("legal {mover} {place}"), 1)?);
        }
        let mut slack = 0;
        for (mover, place) in &places {
            let id = *found.get(&(*mover, *place))?;
            let before = kinds.len();
            // Drawing and listing are functions apart: what is twice as long takes more than twice as long to translate.
            let mut lists = HashMap::new();
            if plan.urn.draws_at(*place) && !course.is_searched(&plan.program, *mover, *place) {
                let id = writer.declare(&format!("plies {mover} {place}"), 1)?;
                writer.define_list(id, |emit, stride| {
                    emit.write_plies(*mover, *place, &course, &mut kinds, stride);
                })?;
                lists.insert((*mover, *place), id);
            }
            let body = writer
                .define(id, 1, &lists, |emit, stride| emit.write_legal(*mover, *place, &course, &mut kinds, stride))?;
            if body.dfg.num_insts() <= SHORT {
                writer.short.insert((*mover, *place), body);
            }
            slack = slack.max(kinds.len() - before);
        }
        let mut lists = HashMap::new();
        let mut listed = Vec::new();
        for (mover, place) in writer.listed() {
            let id = writer.declare(&format!("list {mover} {place}"), 1)?;
            let before = listed.len();
            writer.define_list(id, |emit, stride| emit.write_list(mover, place, &mut listed, stride))?;
            slack = slack.max(listed.len() - before);
            lists.insert((mover, place), id);
        }
        let alone = if leads { writer.alone(&mut kinds) } else { Vec::new() };
        let (weights, candidates, guards) = writer.drawing(core)?;
        let (finishes, ahead) = writer.following(core)?;
        let mut steps = Vec::new();
        for mover in (0..core.program.players).filter(|_| leads) {
            let id = writer.declare(&format!("step {mover}"), 2)?;
            writer.define(id, 2, &found, |emit, stride| {
                if let Some(index) = emit.second_argument() {
                    emit.write_step(mover, index, &course, &kinds, stride);
                }
            })?;
            steps.push(id);
        }
        writer.write_flood()?;
        kinds.iter_mut().for_each(|kind| kind.foresee(core));
        let names = kinds.iter().map(|kind| kind.name).collect();
        let room = Room { stride: writer.stride, slack: slack + 1 };
        let mut module = writer.module;
        translate(&mut module, writer.written)?;
        module.finalize_definitions().ok()?;
        let steps: Vec<*const u8> = steps.into_iter().map(|id| module.get_finalized_function(id)).collect();
        let by_place = |ids: HashMap<(usize, u16), FuncId>| {
            let mut rows = vec![vec![None; core.program.nodes.len()]; core.program.players];
            for ((mover, place), id) in ids {
                rows[mover][usize::from(place)] = Some(module.get_finalized_function(id));
            }
            rows
        };
        let lists_all = |(mover, place): &(usize, u16)| course.native[*mover][usize::from(*place)];
        let legal = found.into_iter().filter(|(key, _)| lists_all(key)).collect();
        let (legal, lists) = (by_place(legal), by_place(lists));
        let finished = |ids: Ids| -> Table {
            let one = |id: Option<FuncId>| id.map(|id| module.get_finalized_function(id));
            ids.into_iter().map(|row| row.into_iter().map(one).collect()).collect()
        };
        let drawing = Drawing {
            weights: finished(weights),
            candidates: finished(candidates),
            guards: finished(guards),
            finishes: finished(finishes),
            ahead: finished(ahead),
        };
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

    /// The ply with a number among those listed by machine code.
    pub fn ply<'p, const W: usize>(
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
        let Some(what) = judging.ask(choice.call, choice.within) else { return (choice.call, Drawn::Open(choice)) };
        match what & draws::WHAT {
            draws::PLY => {
                tries.judge();
                return (choice.call, Drawn::Ply(choice.number));
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

/// What functions are written with.
struct Writer<'a> {
    plan: &'a Plan,
    course: &'a Course,
    module: JITModule,
    context: FunctionBuilderContext,
    written: Vec<Written>,
    stride: usize,
    /// Lists of plies that are short enough to be written out where they are wanted.
    short: HashMap<(usize, u16), Function>,
    /// What follows what is connected, on boards of many words: written out each time it would make long functions. Whether
    /// some function calls it.
    flood: Option<FuncId>,
    floods: bool,
}

/// As many instructions may be written out instead of called.
const SHORT: usize = 600;

/// On boards of so many words what is connected is followed by a function of its own, where so many instructions ask for it.
const WIDE: usize = 2;
const MANY_FLOODS: usize = 6;

/// Functions that are seldom called are translated with less care if they have more instructions.
const LONG: usize = 4000;

/// Calls of short functions, which become what these do.
struct Short<'w> {
    bodies: HashMap<FuncRef, &'w Function>,
}

impl Inline for Short<'_> {
    fn inline(&mut self, _: &Function, _: Inst, _: Opcode, callee: FuncRef, _: &[Value]) -> InlineCommand<'_> {
        match self.bodies.get(&callee) {
            Some(body) => InlineCommand::Inline { callee: Cow::Borrowed(*body), visit_callee: false },
            None => InlineCommand::KeepCall,
        }
    }
}

/// Functions by two numbers.
type Ids = Vec<Vec<Option<FuncId>>>;

impl<'a> Writer<'a> {
    /// The kinds of plies that stand alone, by player and call: of all that the host may list.
    fn alone(&self, kinds: &mut Vec<Kind>) -> Vec<Vec<Option<usize>>> {
        let program = &self.plan.program;
        let mut alone: Vec<Vec<Option<usize>>> =
            program.by_mover.iter().map(|own| vec![None; own.calls.len()]).collect();
        let by_host = |(mover, place): &(usize, u16)| {
            !self.course.native[*mover][usize::from(*place)] || self.compares_turns(*mover, *place)
        };
        for (mover, place) in self.stations().into_iter().filter(by_host).chain(self.drawn()) {
            let Some(own) = program.by_mover.get(mover) else { continue };
            for index in calls_behind(program, usize::from(place)) {
                let call =
                    own.calls.get(usize::from(index)).filter(|call| plies::is_native_call(call, program.planes.len()));
                let kind = alone.get_mut(mover).and_then(|row| row.get_mut(usize::from(index)));
                if let (Some(call), Some(kind @ None)) = (call, kind) {
                    *kind = Some(kinds.len());
                    kinds.push(Kind::alone(mover, index, call));
                }
            }
        }
        alone
    }

    /// The host compares what the plies of a place lead to.
    fn compares_turns(&self, mover: usize, place: u16) -> bool {
        let section = self.course.section_of.get(usize::from(place)).copied().flatten();
        course::compares_turns(&self.plan.program, mover, section)
    }

    /// Machine code draws plies of a place, if it leads there.
    fn draws_itself(&self, mover: usize, place: u16) -> bool {
        let at = usize::from(place);
        let section = self.course.section_of.get(at).copied().flatten();
        let Some(section) = section.and_then(|section| self.plan.program.sections.get(section)) else { return false };
        let lists = self.course.native[mover][at];
        (lists || section.whole) && drawn::sources(self.plan, mover, place, section.whole).is_some()
    }

    /// The players and places whose plies the host draws in random games.
    fn drawn(&self) -> Vec<(usize, u16)> {
        let mut places = self.stations();
        places.retain(|(mover, place)| self.plan.urn.draws_at(*place) && !self.draws_itself(*mover, *place));
        places
    }

    /// What draws and judges plies: how many candidates calls have, one of them judged, and the conditions of turns.
    fn drawing<const W: usize>(&mut self, core: &Core<W>) -> Option<(Ids, Ids, Ids)> {
        let (plan, program) = (self.plan, &core.program);
        let rows = |of: &dyn Fn(&ForMover) -> usize| -> Ids {
            program.by_mover.iter().map(|own| vec![None; of(own)]).collect()
        };
        let (mut weights, mut candidates) = (rows(&|own| own.calls.len()), rows(&|own| own.calls.len()));
        let mut guards = rows(&|own| own.guards.len());
        let none = HashMap::new();
        for (mover, place) in self.drawn() {
            for index in calls_behind(program, usize::from(place)) {
                let (at, lots) = (usize::from(index), plan.urn.calls.get(mover)?.get(usize::from(index))?);
                let call = program.by_mover.get(mover)?.calls.get(at)?;
                let Some(lots) = lots.as_ref().filter(|lots| draws::is_native(lots, core.program.planes.len())) else {
                    continue;
                };
                if weights[mover][at].is_some() {
                    continue;
                }
                let id = self.declare(&format!("weight {mover} {index}"), 1)?;
                self.define(id, 1, &none, |emit, _| emit.write_weight(mover, lots, &plan.urn.bounds))?;
                weights[mover][at] = Some(id);
                let id = self.declare(&format!("candidate {mover} {index}"), 2)?;
                self.define(id, 2, &none, |emit, _| {
                    if let Some(number) = emit.second_argument() {
                        emit.write_candidate(mover, number, call, lots, plan.urn.is_sparse(index));
                    }
                })?;
                candidates[mover][at] = Some(id);
            }
        }
        let whole = program.sections.iter().any(|section| section.whole);
        for (mover, own) in program.by_mover.iter().enumerate().filter(|_| whole) {
            for (index, guard) in own.guards.iter().enumerate() {
                let id = self.declare(&format!("guard {mover} {index}"), 1)?;
                self.define(id, 1, &none, |emit, _| emit.write_guard(mover, guard))?;
                guards[mover][index] = Some(id);
            }
        }
        Some((weights, candidates, guards))
    }

    /// What tells whether the turn can be finished after a ply, by player and call; and where that takes a search, what plays
    /// the ply on a copy of the state.
    fn following<const W: usize>(&mut self, core: &Core<W>) -> Option<(Ids, Ids)> {
        let (plan, program) = (self.plan, &core.program);
        let mut finishes: Ids = program.by_mover.iter().map(|own| vec![None; own.calls.len()]).collect();
        let mut ahead = finishes.clone();
        let compares =
            |mover: usize| (0..program.sections.len()).any(|at| course::compares_turns(program, mover, Some(at)));
        let tries = |mover: usize| compares(mover) || program.sections.iter().any(|section| section.whole);
        let none = HashMap::new();
        for (mover, own) in program.by_mover.iter().enumerate().filter(|(mover, _)| tries(*mover)) {
            for (index, call) in (0..).zip(&own.calls) {
                if !plies::is_native_call(call, program.planes.len()) {
                    continue;
                }
                let kind = Kind::alone(mover, index, call);
                let (name, row) = match drawn::finish(plan, mover, index, call) {
                    Some(_) => ("finishes", &mut finishes),
                    None => ("ahead", &mut ahead),
                };
                let id = self.declare(&format!("{name} {mover} {index}"), 1)?;
                self.define(id, 1, &none, |emit, _| match drawn::finish(plan, mover, index, call) {
                    Some(finish) => emit.write_finishes(&kind, call, finish),
                    None => emit.write_ahead(&kind, call),
                })?;
                *row.get_mut(mover)?.get_mut(usize::from(index))? = Some(id);
            }
        }
        Some((finishes, ahead))
    }

    fn new(plan: &'a Plan, course: &'a Course) -> Option<Self> {
        let isa = processor(Care::Fast)?;
        // Addresses and numbers of the state are taken for words of 64 bits, the lowest byte first.
        if isa.pointer_bits() != 64 || isa.endianness() != cranelift_codegen::ir::Endianness::Little {
            return None;
        }
        let module = JITModule::new(JITBuilder::with_isa(isa, cranelift_module::default_libcall_names()));
        let calls = plan.program.by_mover.iter().flat_map(|own| &own.calls);
        let parts = calls.map(|call| call.parts.len()).max().unwrap_or(0);
        let stride = plies::SET + plan.words + parts;
        let (context, written) = (FunctionBuilderContext::new(), Vec::new());
        let mut writer =
            Self { plan, course, module, context, written, stride, short: HashMap::new(), flood: None, floods: false };
        if plan.words >= WIDE && plan.program.by_mover.iter().any(|own| floods(own) >= MANY_FLOODS) {
            writer.flood = Some(writer.declare("flood", 2)?);
        }
        Some(writer)
    }

    /// Writes the function that follows what is connected, if one of those written calls it.
    fn write_flood(&mut self) -> Option<()> {
        let Some(id) = self.flood.take().filter(|_| self.floods) else { return Some(()) };
        self.define(id, 2, &HashMap::new(), |emit, _| {
            if let Some(room) = emit.second_argument() {
                emit.write_flood(room);
            }
        })?;
        Some(())
    }

    /// The players and places at which plies are asked for.
    fn stations(&self) -> Vec<(usize, u16)> {
        let program: &Program = &self.plan.program;
        let places = program.stations();
        (0..program.players).flat_map(|mover| places.iter().map(move |place| (mover, *place))).collect()
    }

    /// Those whose plies machine code finds, all of them or those that it draws.
    fn places(&self) -> Vec<(usize, u16)> {
        let mut places = self.stations();
        places.retain(|(mover, place)| {
            self.course.native[*mover][usize::from(*place)] || self.draws_itself(*mover, *place)
        });
        places
    }

    /// The players and places whose plies are listed by machine code and compared by the host.
    fn listed(&self) -> Vec<(usize, u16)> {
        let program: &Program = &self.plan.program;
        let mut places: Vec<u16> = program.stations().into_iter().chain(program.asked_places()).collect();
        places.sort_unstable();
        places.dedup();
        let is_end = |place: &u16| matches!(program.nodes.get(usize::from(*place)), Some(TurnNode::End));
        (0..program.players)
            .flat_map(|mover| places.iter().map(move |place| (mover, *place)))
            .filter(|(mover, place)| {
                let native = self.course.native[*mover][usize::from(*place)];
                let by_host = !native || self.compares_turns(*mover, *place);
                by_host && !is_end(place) && plies::is_listed_place(program, *mover, *place)
            })
            .collect()
    }

    /// Writes a function that lists plies and is seldom called: if it is long, nobody should wait for it.
    fn define_list(&mut self, id: FuncId, write: impl FnOnce(&mut Emit<'_, '_>, usize)) -> Option<()> {
        let body = self.define(id, 1, &HashMap::new(), write)?;
        if let Some(written) = self.written.last_mut().filter(|_| body.dfg.num_insts() > LONG) {
            written.care = Care::Soon;
        }
        Some(())
    }

    fn signature(&self, args: usize) -> cranelift_codegen::ir::Signature {
        let mut signature = self.module.make_signature();
        signature.params.extend((0..args).map(|_| AbiParam::new(types::I64)));
        signature.returns.push(AbiParam::new(types::I64));
        signature
    }

    fn declare(&mut self, name: &str, args: usize) -> Option<FuncId> {
        let signature = self.signature(args);
        self.module.declare_function(name, Linkage::Local, &signature).ok()
    }

    fn define(
        &mut self,
        id: FuncId,
        args: usize,
        found: &HashMap<(usize, u16), FuncId>,
        write: impl FnOnce(&mut Emit<'_, '_>, usize),
    ) -> Option<Function> {
        let mut context = self.module.make_context();
        context.func.signature = self.signature(args);
        let signatures = [self.signature(1), self.signature(2), self.signature(3)];
        let legal: HashMap<(usize, u16), FuncRef> =
            found.iter().map(|(key, id)| (*key, self.module.declare_func_in_func(*id, &mut context.func))).collect();
        let flood = self.flood.map(|id| self.module.declare_func_in_func(id, &mut context.func));
        let bodies = self.short.iter().filter_map(|(key, body)| Some((*legal.get(key)?, body))).collect();
        let frontend = self.module.target_config();
        let mut b = FunctionBuilder::new(&mut context.func, &mut self.context);
        let [one, two, three] = signatures.map(|signature| b.import_signature(signature));
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let outer = b.block_params(entry)[0];
        let zero = b.ins().iconst(types::I64, 0);
        let nowhere = Bases { planes: zero, contents: zero, cells: zero, sets: zero, grown: zero, state: zero };
        let unknown = Num::known(0);
        let scene = Scene {
            mover: 0,
            next: unknown,
            turn: unknown,
            ply: unknown,
            stuck: Flag::Known(false),
            unfinished: false,
            following: false,
        };
        let mut emit = Emit {
            b,
            plan: self.plan,
            context: outer,
            now: nowhere,
            before: nowhere,
            on_a_copy: false,
            tries: false,
            ints: zero,
            slots: zero,
            scope: Scope::default(),
            facts: Facts::default(),
            scene,
            signatures: Signatures { one, two, three },
            legal,
            flooding: flood.map(|function| (function, None)),
        };
        emit.now = emit.bases_of_now();
        emit.before = emit.now;
        emit.ints = emit.lasting_field(context::offset::INTS);
        emit.slots = emit.lasting_field(context::offset::SLOTS);
        write(&mut emit, self.stride);
        self.floods |= emit.flooding.is_some_and(|(_, room)| room.is_some());
        emit.b.seal_all_blocks();
        emit.b.finalize(frontend);
        context.inline(Short { bodies }).ok()?;
        let body = context.func.clone();
        self.written.push(Written { id, context, care: Care::Fast });
        Some(body)
    }
}
