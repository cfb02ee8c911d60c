//! A ply from its number to what may be done next, as one function of machine code for each player.

use super::context::{LISTED, offset};
use super::course::{Course, OVER, own_duty, own_most};
use super::drawn::sources;
use super::emit::{Bases, Emit, Scene, Scope};
use super::ends::Why;
use super::memory::{Facts, Region};
use super::plies::{COUNT, KIND, Kind, Listing};
use super::value::{Flag, Num, Word};
use crate::program::{Call, Duty, DutyKind, TurnNode};
use crate::rules::CompareOp;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::{Switch, Variable};
use std::collections::BTreeMap;

/// A block that several ways may lead to, with what is known on each of them.
struct Meeting {
    block: Block,
    facts: Vec<Facts>,
}

/// As many kinds of plies are told apart one by one.
const FEW_KINDS: usize = 4;

impl Emit<'_, '_> {
    /// Where the lists of the present state are: they stay there as long as machine code runs.
    pub fn bases_of_now(&mut self) -> Bases {
        self.bases(offset::NOW, Self::lasting_field)
    }

    /// Where those of the state before the stage are.
    pub fn bases_of_before(&mut self) -> Bases {
        self.bases(offset::BEFORE, Self::context_field)
    }

    /// Where those of the copy are on which something is tried.
    pub fn bases_of_trial(&mut self) -> Bases {
        self.bases(offset::TRIAL, Self::context_field)
    }

    fn bases(&mut self, at: usize, field: fn(&mut Self, usize) -> Value) -> Bases {
        Bases {
            state: field(self, at),
            planes: field(self, at + 8),
            contents: field(self, at + 16),
            cells: field(self, at + 24),
            sets: field(self, at + 32),
            grown: field(self, at + 40),
        }
    }

    /// What the state says of the turn.
    pub fn scene_of(&mut self, mover: usize) -> Scene {
        let addresses = &self.plan.addresses;
        let (next, turn, ply) = (addresses.next, addresses.turn, addresses.ply);
        let next = self.state_field(types::I8, next);
        let turn = self.state_field(types::I32, turn);
        let ply = self.state_field(types::I32, ply);
        Scene {
            mover,
            next: Num::within(next, 0, 31),
            turn: Num::within(turn, 0, i64::from(u32::MAX)),
            ply: Num::within(ply, 0, i64::from(u32::MAX)),
            stuck: Flag::Known(false),
            unfinished: false,
            following: false,
        }
    }

    /// Tells the host what instructions read beside the state.
    pub fn tell_scene(&mut self) {
        let scene = self.scene;
        let mover = self.constant(scene.mover as i64);
        let (next, turn, ply) = (self.value(scene.next.word), self.value(scene.turn.word), self.value(scene.ply.word));
        let stuck = self.flag(scene.stuck);
        let stuck = self.b.ins().uextend(types::I64, stuck);
        let unfinished = self.constant(i64::from(scene.unfinished));
        let following = self.constant(i64::from(scene.following));
        for (at, value) in [mover, next, turn, ply, stuck, unfinished, following].into_iter().enumerate() {
            self.set_context_field(value, offset::SCENE + 8 * at);
        }
    }

    /// Finds the plies of a place: the function's whole body. Where there is a function that lists them, that is called if none
    /// is drawn.
    pub fn write_legal(&mut self, mover: usize, place: u16, course: &Course, kinds: &mut Vec<Kind>, stride: usize) {
        self.scene = self.scene_of(mover);
        let program = &self.plan.program;
        let mut listing = self.listing(kinds, stride);
        // Several duties that pick plies are left to the host when they are in force.
        let section = course.section_of[usize::from(place)].unwrap_or(0);
        let mut bound = Flag::Known(false);
        let duties = program.by_mover[mover].duties.get(section).map_or(&[][..], Vec::as_slice);
        let (must, most) = (own_duty(duties), own_most(duties));
        for duty in duties {
            let own = match duty.kind {
                DutyKind::Must(_) => must.is_some(),
                DutyKind::MustMost(..) => most.is_some(),
                DutyKind::ExtraTurn | DutyKind::NextTurn(_) => true,
            };
            if !own {
                let guard = self.test(&duty.guard);
                bound = self.flags_or(bound, guard);
            }
        }
        let free = self.b.create_block();
        match bound {
            Flag::Known(_) => self.go_to(free),
            Flag::Value(bound) => {
                let host = self.b.create_block();
                self.split(bound, host, free);
                self.begin(host);
                let address = self.plan.addresses.legal;
                let count = self.call(address, &[self.context]);
                self.b.ins().return_(&[count]);
            }
        }
        self.begin(free);
        let whole = course.is_searched(program, mover, place);
        match sources(self.plan, mover, place, whole) {
            Some(sources) => {
                let guards = [must.map(|(guard, _)| guard), most.map(|(guard, _)| guard)];
                let bound = guards.into_iter().flatten().fold(Flag::Known(false), |all, guard| {
                    let guard = self.test(guard);
                    self.flags_or(all, guard)
                });
                let free = self.not(bound);
                self.when(free, |e| e.draw_here(&sources, place, &mut listing));
            }
            None if self.plan.urn.draws_at(place) => self.draw_by_host(),
            None => {}
        }
        // Which plies can be followed to the end of the turn is found by the host, without drawing again.
        if whole {
            let count = self.call(self.plan.addresses.all_legal, &[self.context]);
            self.b.ins().return_(&[count]);
            return;
        }
        if self.legal.contains_key(&(mover, place)) {
            let count = self.legal(mover, place);
            self.b.ins().return_(&[count]);
            return;
        }
        self.list_legal(place, duties, listing);
    }

    /// Lists the plies of a place where duties that the host has to see to are not in force: the function's whole body.
    pub fn write_plies(&mut self, mover: usize, place: u16, course: &Course, kinds: &mut Vec<Kind>, stride: usize) {
        self.scene = self.scene_of(mover);
        let listing = self.listing(kinds, stride);
        let section = course.section_of[usize::from(place)].unwrap_or(0);
        let duties = self.plan.program.by_mover[mover].duties.get(section).map_or(&[][..], Vec::as_slice);
        self.list_legal(place, duties, listing);
    }

    /// Lists plies as duties want it, and returns how many there are.
    fn list_legal<'l>(&mut self, place: u16, duties: &'l [Duty], mut listing: Listing<'l>) {
        let must = own_duty(duties).map(|(guard, calls)| (self.test(guard), calls));
        let most = own_most(duties).map(|(guard, leave)| (self.test(guard), leave));
        listing.open = most.map(|(_, leave)| (leave, self.variable(types::I64)));
        if let Some((_, open)) = listing.open {
            self.set_variable(open, Word::Known(0));
        }
        match must {
            None => self.visit(place, None, &mut listing),
            Some((guard, calls)) => {
                self.when(guard, |e| e.visit(place, Some(calls), &mut listing));
                // Where nothing fulfils the duty it binds nobody; where something does the turn cannot end.
                self.set_variable(listing.end, Word::Known(0));
                let none = self.read(listing.count);
                let none = self.compare_words(CompareOp::Equal, none, Word::Known(0));
                self.when(none, |e| e.visit(place, None, &mut listing));
            }
        }
        if let (Some((guard, _)), Some((_, open))) = (most, listing.open) {
            self.compare_turns(guard, open, &listing);
        }
        let count = self.listed(&listing);
        self.b.ins().return_(&[count]);
    }

    /// Where several plies are listed, and some of them may lead to more than others, the host compares what they lead to.
    fn compare_turns(&mut self, guard: Flag, open: Variable, listing: &Listing<'_>) {
        let (count, open) = (self.read(listing.count), self.read(open));
        let several = self.compare_words(CompareOp::Greater, count, Word::Known(1));
        let some = self.compare_words(CompareOp::Greater, open, Word::Known(0));
        let several = self.flags_and(several, some);
        let compared = self.flags_and(guard, several);
        let (compared, host, free) = (self.flag(compared), self.b.create_block(), self.b.create_block());
        self.split(compared, host, free);
        self.begin(host);
        let count = self.call(self.plan.addresses.legal, &[self.context]);
        self.b.ins().return_(&[count]);
        self.begin(free);
    }

    /// Lists the plies of a place as they are, whatever duties and others say: the function's whole body.
    pub fn write_list(&mut self, mover: usize, place: u16, kinds: &mut Vec<Kind>, stride: usize) {
        self.scene = self.scene_of(mover);
        let mut listing = self.listing(kinds, stride);
        self.visit(place, None, &mut listing);
        let count = self.listed(&listing);
        self.b.ins().return_(&[count]);
    }

    /// A list without plies, where records begin.
    fn listing<'k>(&mut self, kinds: &'k mut Vec<Kind>, stride: usize) -> Listing<'k> {
        let start = self.context_field(offset::RECORDS);
        let (cursor, count, end) = (self.variable(types::I64), self.variable(types::I64), self.variable(types::I64));
        self.b.def_var(cursor, start);
        self.set_variable(count, Word::Known(0));
        self.set_variable(end, Word::Known(0));
        Listing { kinds, cursor, count, end, open: None, stride, looping: false }
    }

    /// Tells the host of a list; the number of its plies.
    fn listed(&mut self, listing: &Listing<'_>) -> Value {
        let (cursor, end) = (self.b.use_var(listing.cursor), self.b.use_var(listing.end));
        self.set_context_field(cursor, offset::CURSOR);
        self.set_context_field(end, offset::END);
        let native = self.constant(LISTED as i64);
        self.set_context_field(native, offset::NATIVE);
        self.b.use_var(listing.count)
    }

    /// Finds plies by machine code or by the host.
    pub(super) fn legal(&mut self, mover: usize, place: u16) -> Value {
        match self.legal.get(&(mover, place)) {
            Some(function) => {
                let call = self.b.ins().call(*function, &[self.context]);
                self.b.inst_results(call)[0]
            }
            None => {
                let address = self.plan.addresses.legal;
                self.call(address, &[self.context])
            }
        }
    }

    /// Plays the ply with a number and says how many there are then: the function's whole body.
    pub fn write_step(&mut self, mover: usize, index: Value, course: &Course, kinds: &[Kind], stride: usize) {
        if self.plan.urn.places.contains(&true) {
            let none = self.constant(0);
            self.set_context_field(none, offset::DREW);
        }
        let first = self.context_field(offset::RECORDS);
        let (record, left) = (self.variable(types::I64), self.variable(types::I64));
        self.b.def_var(record, first);
        self.b.def_var(left, index);
        self.repeat(
            |e| {
                let (record, left) = (e.b.use_var(record), e.read(left));
                let count = Word::Value(e.load(Region::Records, record, 8 * COUNT));
                e.compare_words(CompareOp::GreaterEqual, left, count)
            },
            |e| {
                let (here, index) = (e.b.use_var(record), e.b.use_var(left));
                let count = e.load(Region::Records, here, 8 * COUNT);
                let rest = e.b.ins().isub(index, count);
                e.b.def_var(left, rest);
                let next = e.b.ins().iadd_imm_s(here, 8 * stride as i64);
                e.b.def_var(record, next);
            },
        );
        let (record, left) = (self.b.use_var(record), self.b.use_var(left));
        let kind = self.load(Region::Records, record, 8 * KIND);
        let own = kinds.iter().enumerate().filter(|(_, kind)| kind.mover == mover);
        let mut blocks: Vec<(usize, Block)> = Vec::new();
        let mut first_of: Vec<(usize, Block)> = Vec::new();
        for (at, kind) in own {
            // Plies that stand alone are played alike, whoever has written them down.
            let alike = |(other, _): &&(usize, Block)| kind.is_alone() && kinds[*other].is_alone_too(kind);
            let block = match first_of.iter().find(alike) {
                Some((_, block)) => *block,
                None => {
                    let block = self.b.create_block();
                    first_of.push((at, block));
                    block
                }
            };
            blocks.push((at, block));
        }
        self.fork(kind, &blocks);
        let program = &self.plan.program;
        let mut places: BTreeMap<u16, Option<Meeting>> = BTreeMap::new();
        for (at, block) in first_of {
            self.begin(block);
            self.scope = Scope::default();
            self.facts = Facts::default();
            self.scene = self.scene_of(mover);
            let kind = &kinds[at];
            let Some(call) = program.by_mover[mover].calls.get(usize::from(kind.call)) else { continue };
            self.decode(kind, record, left);
            let leaves = self.play(call);
            self.count_ply();
            let mut way = |e: &mut Self, next: &[u16]| {
                let place = next.first().copied().unwrap_or(0);
                e.way_to(places.entry(place).or_default())
            };
            match leaves {
                Flag::Known(false) => {
                    let on = way(self, &call.next);
                    self.go_to(on);
                }
                Flag::Known(true) => {
                    let off = way(self, &call.until_next);
                    self.go_to(off);
                }
                Flag::Value(leaves) => {
                    let (on, off) = (way(self, &call.next), way(self, &call.until_next));
                    self.split(leaves, off, on);
                }
            }
        }
        let mut end = None;
        for (place, meeting) in places {
            self.arrive(meeting);
            self.scene = self.scene_of(mover);
            let number = self.constant(i64::from(place));
            self.set_state_field(types::I16, number, self.plan.addresses.place);
            if program.at_once {
                let over = self.outcome(mover, true);
                self.over_if(over, Why::AtOnce);
            }
            // The turn of a player who leaves is over.
            if let Flag::Value(gone) = self.mover_has_left(mover) {
                let (turn_over, on) = (self.way_to(&mut end), self.b.create_block());
                self.split(gone, turn_over, on);
                self.begin(on);
            }
            if matches!(program.nodes.get(usize::from(place)), Some(TurnNode::End)) {
                let turn_over = self.way_to(&mut end);
                self.go_to(turn_over);
                continue;
            }
            let count = self.legal(mover, place);
            let (some, none) = (self.b.create_block(), self.b.create_block());
            self.split(count, some, none);
            self.begin(some);
            self.b.ins().return_(&[count]);
            self.begin(none);
            let may_end = self.context_field(offset::END);
            let stuck = self.b.create_block();
            let turn_over = self.way_to(&mut end);
            self.split(may_end, turn_over, stuck);
            self.begin(stuck);
            self.finish(Why::Unfinished);
        }
        if end.is_some() {
            self.arrive(end);
            self.write_end_of_turn(mover, course);
        }
    }

    /// Plays a ply whose parts stand in the record on a copy of the state: the function's whole body.
    pub fn write_ahead(&mut self, kind: &Kind, call: &Call) {
        self.on_a_copy = true;
        self.scene = self.scene_of(kind.mover);
        let (record, first) = (self.context_field(offset::RECORDS), self.constant(0));
        self.decode(kind, record, first);
        let leaves = self.play(call);
        self.count_ply();
        let place = |next: &[u16]| Word::Known(next.first().copied().map_or(0, u64::from));
        let place = self.select(leaves, place(&call.until_next), place(&call.next));
        let place = self.value(place);
        self.set_state_field(types::I16, place, self.plan.addresses.place);
        let done = self.constant(1);
        self.b.ins().return_(&[done]);
    }

    /// One more ply has been played.
    pub fn count_ply(&mut self) {
        let played = self.value(self.scene.ply.word);
        let played = self.b.ins().iadd_imm_s(played, 1);
        self.set_state_field(types::I32, played, self.plan.addresses.ply);
    }

    /// Goes to the block of a kind: all kinds that there can be have one.
    fn fork(&mut self, kind: Value, blocks: &[(usize, Block)]) {
        let Some(((_, last), others)) = blocks.split_last() else {
            let over = self.constant(OVER);
            self.b.ins().return_(&[over]);
            return;
        };
        if others.len() < FEW_KINDS {
            for (at, block) in others {
                let is_it = self.compare_words(CompareOp::Equal, Word::Value(kind), Word::Known(*at as u64));
                let is_it = self.flag(is_it);
                let on = self.b.create_block();
                self.split(is_it, *block, on);
                self.begin(on);
            }
            return self.go_to(*last);
        }
        let mut switch = Switch::new();
        others.iter().for_each(|(at, block)| switch.set_entry(*at as u128, *block));
        switch.emit(&mut self.b, kind, *last);
    }

    /// The block of a meeting, to which another way leads from here.
    fn way_to(&mut self, meeting: &mut Option<Meeting>) -> Block {
        let meeting = meeting.get_or_insert_with(|| Meeting { block: self.b.create_block(), facts: Vec::new() });
        meeting.facts.push(self.facts.clone());
        meeting.block
    }

    /// Goes on where ways meet. Names are forgotten, and so is what was stored, unless a single way leads there: several have
    /// no values in common.
    fn arrive(&mut self, meeting: Option<Meeting>) {
        let Some(Meeting { block, facts }) = meeting else { return };
        self.begin(block);
        self.scope = Scope::default();
        let mut facts = facts.into_iter();
        self.facts = facts.next().filter(|_| facts.next().is_none()).unwrap_or_default();
    }
}
