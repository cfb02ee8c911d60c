//! Writes the functions of a program: which there are, and what each is made with.

use super::apart;
use super::context;
use super::course::{self, Course};
use super::drawn;
use super::draws;
use super::emit::{Bases, Emit, Scene, Scope, Signatures};
use super::host::Drawing;
use super::memory::Facts;
use super::plan::Plan;
use super::plies::{self, Kind};
use super::translate::{Care, Processor, Queue, Written};
use super::value::{Flag, Num};
use crate::engine::fast::eval::Core;
use crate::program::ir::Test;
use crate::program::{ForMover, Program, TurnNode, calls_behind, floods};
use cranelift_codegen::inline::{Inline, InlineCommand};
use cranelift_codegen::ir::{AbiParam, FuncRef, Function, Inst, InstBuilder, Opcode, Value, types};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module};
use std::borrow::Cow;
use std::collections::HashMap;

/// What functions are written with.
pub(super) struct Writer<'a> {
    plan: &'a Plan,
    course: &'a Course,
    pub(super) module: JITModule,
    context: FunctionBuilderContext,
    queue: &'a Queue,
    pub(super) stride: usize,
    /// Lists of plies that are short enough to be written out where they are wanted.
    short: HashMap<(usize, u16), Function>,
    /// Long conditions that several functions ask, by player.
    apart: Vec<(usize, &'a Test, FuncId)>,
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
pub(super) type Ids = Vec<Vec<Option<FuncId>>>;

impl<'a> Writer<'a> {
    /// The kinds of plies that stand alone, by player and call: of all that the host may list.
    pub(super) fn alone(&self, kinds: &mut Vec<Kind>) -> Vec<Vec<Option<usize>>> {
        let program = &self.plan.program;
        let mut alone: Vec<Vec<Option<usize>>> =
            program.by_mover.iter().map(|own| vec![None; own.calls.len()]).collect();
        let by_host = |(mover, place): &(usize, u16)| {
            !self.course.native[*mover][usize::from(*place)] || self.compares_turns(*mover, *place)
        };
        for (mover, place) in self.stations().into_iter().filter(by_host).chain(self.drawn()) {
            let Some(own) = program.by_mover.get(mover) else { continue };
            for index in calls_behind(&program.nodes, usize::from(place)) {
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

    /// What draws and judges plies: how many candidates calls have, one of them judged, the conditions of turns, and whether
    /// these can be finished.
    pub(super) fn drawing<const W: usize>(&mut self, core: &Core<W>) -> Option<Drawing<Ids>> {
        let (plan, program) = (self.plan, &core.program);
        let rows = |of: &dyn Fn(&ForMover) -> usize| -> Ids {
            program.by_mover.iter().map(|own| vec![None; of(own)]).collect()
        };
        let (mut weights, mut candidates) = (rows(&|own| own.calls.len()), rows(&|own| own.calls.len()));
        let mut guards = rows(&|own| own.guards.len());
        let none = HashMap::new();
        for (mover, place) in self.drawn() {
            for index in calls_behind(&program.nodes, usize::from(place)) {
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
            for (index, guard) in (0u16..).zip(&own.guards) {
                let apart = self.apart.iter().find(|(own, test, _)| *own == mover && *test == guard);
                let id = match apart {
                    Some((_, _, id)) => *id,
                    None => {
                        let id = self.declare(&format!("guard {mover} {index}"), 2)?;
                        self.define_condition(id, mover, guard)?;
                        id
                    }
                };
                *guards.get_mut(mover)?.get_mut(usize::from(index))? = Some(id);
            }
        }
        let (finishes, ahead) = self.following(core)?;
        Some(Drawing { weights, candidates, guards, finishes, ahead })
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

    pub(super) fn new(plan: &'a Plan, course: &'a Course, processor: &Processor, queue: &'a Queue) -> Option<Self> {
        let isa = processor.fast().clone();
        // Addresses and numbers of the state are taken for words of 64 bits, the lowest byte first.
        if isa.pointer_bits() != 64 || isa.endianness() != cranelift_codegen::ir::Endianness::Little {
            return None;
        }
        let module = JITModule::new(JITBuilder::with_isa(isa, cranelift_module::default_libcall_names()));
        let calls = plan.program.by_mover.iter().flat_map(|own| &own.calls);
        let parts = calls.map(|call| call.parts.len()).max().unwrap_or(0);
        let stride = plies::SET + plan.words + parts;
        let context = FunctionBuilderContext::new();
        let mut writer = Self {
            plan,
            course,
            module,
            context,
            queue,
            stride,
            short: HashMap::new(),
            apart: Vec::new(),
            flood: None,
            floods: false,
        };
        for (mover, own) in plan.program.by_mover.iter().enumerate() {
            for (index, test) in apart::conditions(own).into_iter().enumerate() {
                let id = writer.declare(&format!("condition {mover} {index}"), 2)?;
                writer.apart.push((mover, test, id));
            }
        }
        if plan.words >= WIDE && plan.program.by_mover.iter().any(|own| floods(own) >= MANY_FLOODS) {
            writer.flood = Some(writer.declare("flood", 2)?);
        }
        Some(writer)
    }

    /// Writes the functions that tell whether conditions hold which others ask.
    pub(super) fn write_apart(&mut self) -> Option<()> {
        self.apart.clone().into_iter().try_for_each(|(mover, test, id)| self.define_condition(id, mover, test))
    }

    fn define_condition(&mut self, id: FuncId, mover: usize, test: &Test) -> Option<()> {
        self.define(id, 2, &HashMap::new(), |emit, _| {
            if let Some(of_copy) = emit.second_argument() {
                emit.write_condition(mover, test, of_copy);
            }
        })
    }

    /// Writes the function that follows what is connected, if one of those written calls it.
    pub(super) fn write_flood(&mut self) -> Option<()> {
        let Some(id) = self.flood.take().filter(|_| self.floods) else { return Some(()) };
        self.define(id, 2, &HashMap::new(), |emit, _| {
            if let Some(room) = emit.second_argument() {
                emit.write_flood(room);
            }
        })
    }

    /// The players and places at which plies are asked for.
    fn stations(&self) -> Vec<(usize, u16)> {
        let program: &Program = &self.plan.program;
        let places = program.stations();
        (0..program.players).flat_map(|mover| places.iter().map(move |place| (mover, *place))).collect()
    }

    /// Those whose plies machine code finds, all of them or those that it draws.
    pub(super) fn places(&self) -> Vec<(usize, u16)> {
        let mut places = self.stations();
        places.retain(|(mover, place)| {
            self.course.native[*mover][usize::from(*place)] || self.draws_itself(*mover, *place)
        });
        places
    }

    /// The players and places whose plies are listed by machine code and compared by the host.
    pub(super) fn listed(&self) -> Vec<(usize, u16)> {
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
    pub(super) fn define_list(&mut self, id: FuncId, write: impl FnOnce(&mut Emit<'_, '_>, usize)) -> Option<()> {
        let mut written = self.written(id, 1, &HashMap::new(), write)?;
        if written.length() > LONG {
            written.care = Care::Soon;
        }
        self.queue.push(written);
        Some(())
    }

    /// Writes a function that finds the plies of a place.
    pub(super) fn define_legal(
        &mut self,
        (id, station): (FuncId, (usize, u16)),
        lists: &HashMap<(usize, u16), FuncId>,
        write: impl FnOnce(&mut Emit<'_, '_>, usize),
    ) -> Option<()> {
        let written = self.written(id, 1, lists, write)?;
        if written.length() <= SHORT {
            self.short.insert(station, written.context.func.clone());
        }
        self.queue.push(written);
        Some(())
    }

    fn signature(&self, args: usize) -> cranelift_codegen::ir::Signature {
        let mut signature = self.module.make_signature();
        signature.params.extend((0..args).map(|_| AbiParam::new(types::I64)));
        signature.returns.push(AbiParam::new(types::I64));
        signature
    }

    pub(super) fn declare(&mut self, name: &str, args: usize) -> Option<FuncId> {
        let signature = self.signature(args);
        self.module.declare_function(name, Linkage::Local, &signature).ok()
    }

    pub(super) fn define(
        &mut self,
        id: FuncId,
        args: usize,
        found: &HashMap<(usize, u16), FuncId>,
        write: impl FnOnce(&mut Emit<'_, '_>, usize),
    ) -> Option<()> {
        let written = self.written(id, args, found, write)?;
        self.queue.push(written);
        Some(())
    }

    fn written(
        &mut self,
        id: FuncId,
        args: usize,
        found: &HashMap<(usize, u16), FuncId>,
        write: impl FnOnce(&mut Emit<'_, '_>, usize),
    ) -> Option<Written> {
        let mut context = self.module.make_context();
        context.func.signature = self.signature(args);
        let signatures = [self.signature(1), self.signature(2), self.signature(3)];
        let legal: HashMap<(usize, u16), FuncRef> =
            found.iter().map(|(key, id)| (*key, self.module.declare_func_in_func(*id, &mut context.func))).collect();
        let asked = self.apart.iter();
        let apart = asked
            .map(|(mover, test, id)| (*mover, *test, self.module.declare_func_in_func(*id, &mut context.func)))
            .collect();
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
            apart,
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
        Some(Written { id, context, care: Care::Fast })
    }
}
