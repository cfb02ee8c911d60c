//! Plies found, as machine code: generators write records of plies, of which a chosen one is decoded.

use super::changes::{is_native_effect, moves_several};
use super::context::offset;
use super::emit::{Bases, Emit, Scope};
use super::flow::Members;
use super::memory::{Facts, Region, unchanging};
use super::value::{Flag, Num, Word, Words};
use crate::engine::fast::eval::{Core, Frame, View};
use crate::engine::fast::follows::follows;
use crate::engine::fast::found::Found;
pub use crate::engine::fast::found::{COUNT, KIND, SET};
use crate::engine::fast::names::name_of;
use crate::engine::fast::plies::Ply;
use crate::engine::fast::set::Set;
use crate::engine::fast::state::State;
use crate::engine::observe::Follow;
use crate::program::ir::{Domain, Effect, Int, NONE, Part, Sets, Test};
use crate::program::{Call, Chronicle, Generator, MAX_PARTS, Program, Step, TurnNode};
use crate::rules::CompareOp;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::Variable;

/// Plies alike but for one part: what all of them have in common.
#[derive(Clone, Debug)]
pub struct Kind {
    pub mover: usize,
    pub call: u16,
    /// The part that differs; none where there is a single ply.
    pub slot: Option<u16>,
    /// Parts that are functions of the others.
    pub derived: Vec<(u16, Int)>,
    /// Parts that the record holds, and those of them that are sites whatever the ply.
    pub saved: Vec<u16>,
    sites: Vec<u16>,
    /// The derived parts are sites for certain.
    certain: bool,
    /// The plane of the pieces on all sites that the part can be.
    plane: Option<i64>,
    /// The same as the derived parts, by the value of the part that differs; none where more decides.
    pub follows: Option<Vec<Follow>>,
    /// What the plies are called but for the part that differs, where that is the only one.
    pub name: Option<u64>,
}

impl Kind {
    /// Each value of the part that differs stands for the same ply at every position.
    pub fn is_fixed(&self) -> bool {
        self.slot.is_some() && self.follows.is_some() && self.saved.is_empty()
    }

    /// Works out what follows from the part that differs, and what the plies are called.
    pub fn foresee<const W: usize>(&mut self, core: &Core<W>) {
        let mover = u8::try_from(self.mover).ok();
        let own = core.program.by_mover.get(self.mover);
        let call = own.and_then(|own| own.calls.get(usize::from(self.call)));
        let alone = call.filter(|call| Some(call.parts.as_slice()) == self.slot.as_ref().map(std::slice::from_ref));
        self.name = alone.map(name_of);
        self.follows = self.slot.zip(mover).and_then(|(slot, mover)| follows(core, mover, slot, &self.derived));
    }

    /// Plies of a call one by one.
    pub fn alone(mover: usize, index: u16, call: &Call) -> Self {
        let saved = call.parts.clone();
        let (slot, derived, follows, name) = (None, Vec::new(), None, None);
        let picked = picked_sites(&call.generator);
        let sites = saved.iter().copied().filter(|part| picked.contains(part)).collect();
        Self { mover, call: index, slot, derived, saved, sites, certain: false, plane: None, follows, name }
    }

    /// Each record is a ply of its own, and holds all its parts.
    pub fn is_alone(&self) -> bool {
        self.slot.is_none() && self.derived.is_empty()
    }

    /// The same, of the same call.
    pub fn is_alone_too(&self, other: &Self) -> bool {
        self.is_alone() && self.call == other.call && self.saved == other.saved
    }

    /// A ply of a record, with the value of the part that differs and what follows from it.
    pub fn whole<const W: usize>(
        &self,
        record: &[u64],
        varied: Option<i64>,
        view: &View<'_, W>,
        frame: &mut Frame<W>,
    ) -> Option<Ply> {
        let mut ply = self.ply(record, W);
        if let (Some(slot), Some(varied)) = (self.slot, varied) {
            *ply.parts.get_mut(usize::from(slot))? = varied;
        }
        ply.derive(&self.derived, view, frame);
        Some(ply)
    }

    /// A ply of a record on a board of so many words, but for the part that differs and what follows from it.
    pub fn ply(&self, record: &[u64], words: usize) -> Ply {
        let mut ply = Ply { call: self.call, parts: [NONE; MAX_PARTS], places: None };
        for (slot, part) in self.saved.iter().zip(record.iter().skip(SET + words)) {
            if let Some(place) = ply.parts.get_mut(usize::from(*slot)) {
                *place = *part as i64;
            }
        }
        ply
    }
}

/// Turns the records of a list into plies that stand alone, and adds them to those that it has already.
pub fn spread<const W: usize>(
    core: &Core<W>,
    state: &State<W>,
    kinds: &[Kind],
    stride: usize,
    frame: &mut Frame<W>,
    found: &mut Found<'_, W>,
) {
    let (view, parts) = (View::of(core, state), core.program.parts);
    let records = found.records.get(..found.used).unwrap_or_default();
    for record in records.chunks_exact(stride) {
        let kind = usize::try_from(record[KIND]).ok().and_then(|kind| kinds.get(kind));
        let Some(kind) = kind else { continue };
        let mut ply = kind.ply(record, W);
        let members = record.get(SET..SET + W).and_then(|words| words.try_into().ok());
        let Some((slot, members)) = kind.slot.zip(members.map(Set::<W>)) else {
            ply.derive(&kind.derived, &view, frame);
            found.plies.push(&ply, parts);
            continue;
        };
        for member in members {
            if let Some(part) = ply.parts.get_mut(usize::from(slot)) {
                *part = member as i64;
            }
            ply.derive(&kind.derived, &view, frame);
            found.plies.push(&ply, parts);
        }
    }
    found.used = 0;
}

/// What the writing of a list of plies keeps at hand.
pub struct Listing<'k> {
    pub kinds: &'k mut Vec<Kind>,
    /// Where the next record goes.
    pub cursor: Variable,
    pub count: Variable,
    pub end: Variable,
    /// Where plies are compared by what they lead to, the calls that there is nothing to compare of, and how many plies there
    /// are of the others.
    pub open: Option<(&'k [bool], Variable)>,
    pub stride: usize,
    /// Inside a loop, where any number of records may be written.
    pub looping: bool,
}

/// Which plies of each call fulfil a duty, and how they are found.
pub type Fulfilling = [(Test, Option<Generator>)];

impl Emit<'_, '_> {
    /// Every ply that a node leads to, or of these the ones that fulfil a duty; whether the turn may end there is added to
    /// `end`.
    pub fn visit(&mut self, node: u16, must: Option<&Fulfilling>, listing: &mut Listing<'_>) {
        let program = &self.plan.program;
        let Some(shape) = program.nodes.get(usize::from(node)) else { return };
        match shape {
            TurnNode::End => {
                let one = self.constant(1);
                self.b.def_var(listing.end, one);
            }
            TurnNode::Call(call) => {
                let Some(info) = program.by_mover[self.scene.mover].calls.get(usize::from(*call)) else { return };
                let generator = match must {
                    None => Some(&info.generator),
                    Some(duty) => duty.get(usize::from(*call)).and_then(|(_, generator)| generator.as_ref()),
                };
                if let Some(generator) = generator {
                    self.generate(*call, info, generator, listing);
                }
            }
            TurnNode::Fork(next) => next.iter().for_each(|next| self.visit(*next, must, listing)),
            TurnNode::Guard(test, next) => {
                let Some(test) = program.by_mover[self.scene.mover].guards.get(usize::from(*test)) else { return };
                let test = self.test(test);
                self.when(test, |e| next.iter().for_each(|next| e.visit(*next, must, listing)));
            }
            TurnNode::Prefer(next) => {
                let count = self.read(listing.count);
                self.prefer(next, count, must, listing);
            }
        }
    }

    /// The first way that offers a ply or the end of the turn.
    fn prefer(&mut self, ways: &[u16], count: Word, must: Option<&Fulfilling>, listing: &mut Listing<'_>) {
        let Some((first, rest)) = ways.split_first() else { return };
        let before = self.read(listing.end);
        self.set_variable(listing.end, Word::Known(0));
        self.visit(*first, must, listing);
        let (now, ends) = (self.read(listing.count), self.read(listing.end));
        let either = self.or(before, ends);
        self.set_variable(listing.end, either);
        if rest.is_empty() {
            return;
        }
        let none = self.compare_words(CompareOp::Equal, now, count);
        let open = self.compare_words(CompareOp::Equal, ends, Word::Known(0));
        let on = self.flags_and(none, open);
        if must.is_none() {
            return self.when(on, |e| e.prefer(rest, count, None, listing));
        }
        // A way whose plies fulfil no duty is still the way that is taken.
        self.when(on, |e| {
            let (cursor, end) = (e.b.use_var(listing.cursor), e.read(listing.end));
            let open = listing.open.map(|(_, open)| (open, e.read(open)));
            let records = e.context_field(offset::RECORDS);
            let used = e.b.ins().isub(cursor, records);
            e.visit(*first, None, listing);
            let any = e.read(listing.count);
            let none = e.compare_words(CompareOp::Equal, any, count);
            // Where there was not enough room, the records lie elsewhere now.
            let records = e.context_field(offset::RECORDS);
            let cursor = e.b.ins().iadd(records, used);
            e.b.def_var(listing.cursor, cursor);
            e.set_variable(listing.count, count);
            e.set_variable(listing.end, end);
            if let Some((variable, open)) = open {
                e.set_variable(variable, open);
            }
            e.when(none, |e| e.prefer(rest, count, must, listing));
        });
    }

    fn generate(&mut self, index: u16, call: &Call, generator: &Generator, listing: &mut Listing<'_>) {
        match generator {
            Generator::Leaf { slot, set: of } => {
                let set = self.set(of);
                let own = Own { slot: Some(*slot), derived: &[], certain: false, plane: plane_of(of) };
                self.record(index, call, &own, &set, listing);
            }
            Generator::Fan { slot, branches } => {
                for branch in branches {
                    let set = self.set(&branch.set);
                    let certain = leads_on(&branch.set, *slot, &branch.derived);
                    let plane = plane_of(&branch.set);
                    let own = Own { slot: Some(*slot), derived: &branch.derived, certain, plane };
                    self.record(index, call, &own, &set, listing);
                }
            }
            Generator::One => {
                let own = Own { slot: None, derived: &[], certain: false, plane: None };
                self.record(index, call, &own, &[], listing);
            }
            Generator::Test(test, inner) => {
                let test = self.test(test);
                self.when(test, |e| e.generate(index, call, inner, listing));
            }
            Generator::If(test, yes, no) => {
                let test = self.test(test);
                // Either side borrows the list in its turn.
                let scope = self.scope.clone();
                match test {
                    Flag::Known(held) => self.generate(index, call, if held { yes } else { no }, listing),
                    Flag::Value(value) => {
                        let (then, other, after) =
                            (self.b.create_block(), self.b.create_block(), self.b.create_block());
                        self.split(value, then, other);
                        for (block, side) in [(then, yes), (other, no)] {
                            self.begin(block);
                            self.generate(index, call, side, listing);
                            self.scope = scope.clone();
                            self.go_to(after);
                        }
                        self.begin(after);
                    }
                }
                self.scope = scope;
            }
            Generator::Either(all) => {
                for one in all {
                    let scope = self.scope.clone();
                    self.generate(index, call, one, listing);
                    self.scope = scope;
                }
            }
            Generator::Let(slot, int, inner) => {
                let scope = self.scope.clone();
                let number = self.int(int);
                self.bind(*slot, number);
                self.generate(index, call, inner, listing);
                self.scope = scope;
            }
            Generator::LetSites(slot, set, inner) => {
                let scope = self.scope.clone();
                let set = self.bits(set);
                self.bind_sites(*slot, set);
                self.generate(index, call, inner, listing);
                self.scope = scope;
            }
            Generator::Loop { slot, domain, tests, inner } => {
                let members = self.members(domain);
                if single_ply(inner) && members.fit_a_set(self.plan.bits) {
                    let found = self.gather_single(*slot, &members, tests, inner);
                    let own = Own { slot: Some(*slot), derived: &[], certain: false, plane: None };
                    return self.record(index, call, &own, &found, listing);
                }
                let outer = std::mem::replace(&mut listing.looping, true);
                self.each_of(*slot, &members, None, |e| {
                    let held = e.all_hold(tests);
                    e.when(held, |e| e.generate(index, call, inner, listing));
                });
                listing.looping = outer;
            }
            Generator::Stage(effects, inner) => self.on_trial(|e| {
                let stage = e.staged(effects);
                e.when(stage.fits, |e| {
                    e.commit(&stage);
                    e.generate(index, call, inner, listing);
                });
            }),
            Generator::Repeat(repeat, inner) => self.on_trial(|e| {
                let after = e.b.create_block();
                e.rounds(repeat, Some(after));
                e.generate(index, call, inner, listing);
                e.go_to(after);
                e.begin(after);
                e.facts = Facts::default();
            }),
        }
    }

    /// Does something on a copy of the state, which is forgotten then. What follows a stage without anything being picked in
    /// between goes on with the same copy.
    fn on_trial(&mut self, run: impl FnOnce(&mut Self)) {
        if self.tries {
            return run(self);
        }
        let outside = self.enter_trial();
        run(self);
        self.call(self.plan.addresses.tried, &[self.context]);
        self.leave_trial(outside);
    }

    /// From here on the present state is a copy; what was known outside it.
    pub fn enter_trial(&mut self) -> Outside {
        let outside =
            Outside { now: self.now, before: self.before, scope: self.scope.clone(), facts: self.facts.clone() };
        self.call(self.plan.addresses.try_on_copy, &[self.context]);
        (self.before, self.now, self.tries) = (self.now, self.bases_of_trial(), true);
        outside
    }

    /// From here on the copy is forgotten.
    pub fn leave_trial(&mut self, outside: Outside) {
        let Outside { now, before, scope, facts } = outside;
        (self.now, self.before, self.tries) = (now, before, false);
        (self.scope, self.facts) = (scope, facts);
    }

    /// All tests hold; what takes long is only asked when those before it do.
    fn all_hold(&mut self, tests: &[Test]) -> Flag {
        let mut held = Flag::Known(true);
        for test in tests {
            held = if super::sets::is_heavy(&Part::Test(test)) {
                self.and_then(held, |e| e.test(test))
            } else {
                let one = self.test(test);
                self.flags_and(held, one)
            };
        }
        held
    }

    /// The members for which there is a ply, as a set, whatever they stand for: one record holds them all.
    fn gather_single(&mut self, slot: u16, members: &Members, tests: &[Test], inner: &Generator) -> Words {
        let found = self.variables();
        self.each_of(slot, members, None, |e| {
            let mut held = e.all_hold(tests);
            let mut rest = inner;
            while let Generator::Test(test, inner) = rest {
                held = e.and_then(held, |e| e.test(test));
                rest = inner;
            }
            let Some(member) = e.scope.ints.get(&slot).copied() else { return };
            e.when(held, |e| {
                let bit = e.single(member);
                e.gather(&found, &bit);
            });
        });
        self.gathered(&found)
    }

    fn record(&mut self, index: u16, call: &Call, own: &Own<'_>, set: &[Word], listing: &mut Listing<'_>) {
        let Own { slot, derived, certain, plane } = *own;
        let count = if slot.is_some() { self.count(set) } else { Num::known(1) };
        if count.constant() == Some(0) {
            return;
        }
        let is_bound = |part: &&u16| {
            Some(**part) != slot && !derived.iter().any(|(at, _)| at == *part) && self.scope.ints.contains_key(*part)
        };
        let saved: Vec<u16> = call.parts.iter().filter(is_bound).copied().collect();
        if listing.looping {
            let (cursor, limit) = (self.b.use_var(listing.cursor), self.context_field(offset::LIMIT));
            let full = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, cursor, limit);
            self.when(Flag::Value(full), |e| {
                let address = e.plan.addresses.grow;
                let moved = e.call(address, &[e.context, cursor]);
                e.b.def_var(listing.cursor, moved);
            });
        }
        let cursor = self.b.use_var(listing.cursor);
        let number = self.value(count.word);
        self.store(number, Region::Records, cursor, 8 * COUNT);
        let kind = self.constant(listing.kinds.len() as i64);
        self.store(kind, Region::Records, cursor, 8 * KIND);
        for (at, word) in set.iter().enumerate() {
            let word = self.value(*word);
            self.store(word, Region::Records, cursor, 8 * (SET + at));
        }
        for (at, slot) in saved.iter().enumerate() {
            let part = self.scope.ints[slot];
            let part = self.value(part.word);
            self.store(part, Region::Records, cursor, 8 * (SET + self.plan.words + at));
        }
        let (mover, derived, follows) = (self.scene.mover, derived.to_vec(), None);
        let (sites, name) = (Vec::new(), None);
        listing.kinds.push(Kind { mover, call: index, slot, derived, saved, sites, certain, plane, follows, name });
        // A record without plies is written over by the next one.
        let bytes = match count.constant() {
            Some(_) => self.constant(8 * listing.stride as i64),
            None => {
                let some = self.b.ins().icmp_imm_u(IntCC::NotEqual, number, 0);
                let bytes = self.constant(8 * listing.stride as i64);
                let zero = self.constant(0);
                self.b.ins().select(some, bytes, zero)
            }
        };
        let next = self.b.ins().iadd(cursor, bytes);
        self.b.def_var(listing.cursor, next);
        let open = listing.open.filter(|(leave, _)| leave.get(usize::from(index)) != Some(&true));
        for counted in open.map(|(_, open)| open).into_iter().chain([listing.count]) {
            let sum = self.b.use_var(counted);
            let sum = self.b.ins().iadd(sum, number);
            self.b.def_var(counted, sum);
        }
    }

    /// The parts of the ply with this number within a record.
    pub fn decode(&mut self, kind: &Kind, record: Value, index: Value) {
        for (at, slot) in kind.saved.iter().enumerate() {
            let part = self.load(Region::Records, record, 8 * (SET + self.plan.words + at));
            let is_site = kind.sites.contains(slot);
            let part = if is_site { Num::within(part, 0, self.plan.bits as i64 - 1) } else { Num::any(part) };
            self.bind(*slot, part);
        }
        if let Some(slot) = kind.slot {
            let set = self.set_at(Region::Records, record, 8 * SET);
            let position = self.nth(&set, index);
            self.set_context_field(position, offset::VARIED);
            let position = Num::within(position, 0, self.plan.bits as i64 - 1);
            self.bind(slot, position);
            if let Some(plane) = kind.plane {
                self.facts.found(position, plane);
            }
        }
        for (slot, int) in &kind.derived {
            let mut part = self.int(int);
            if kind.certain {
                part = Num { low: 0, high: self.plan.bits as i64 - 1, missing: false, ..part };
            }
            self.bind(*slot, part);
        }
        // What was not bound is missing, as it is when the host plays.
        let program = &self.plan.program;
        if let Some(call) = program.by_mover[kind.mover].calls.get(usize::from(kind.call)) {
            for slot in call.parts.iter().filter(|slot| usize::from(**slot) < MAX_PARTS) {
                if !self.scope.ints.contains_key(slot) {
                    self.bind(*slot, Num::known(NONE));
                }
            }
        }
    }

    /// The position of the k-th member of a set that has more than so many.
    pub fn nth(&mut self, set: &[Word], index: Value) -> Value {
        let (mut word, mut base, mut left) = (self.value(set[0]), self.constant(0), index);
        if set.len() > 1 {
            // The first word whose members, with those before, are more than the index.
            let mut passed = self.constant(0);
            for (at, here) in set.iter().enumerate() {
                let here = self.value(*here);
                let is_on = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, index, passed);
                if at > 0 {
                    let rest = self.b.ins().isub(index, passed);
                    let start = self.constant(64 * at as i64);
                    word = self.b.ins().select(is_on, here, word);
                    base = self.b.ins().select(is_on, start, base);
                    left = self.b.ins().select(is_on, rest, left);
                }
                if at + 1 < set.len() {
                    let ones = self.b.ins().popcnt(here);
                    passed = self.b.ins().iadd(passed, ones);
                }
            }
        }
        let place = self.select_bit(word, left);
        if set.len() == 1 { place } else { self.b.ins().iadd(base, place) }
    }

    /// The place of the k-th bit of a word that has more than k: by an instruction of the processor, or else by halves, each
    /// time with the number of bits below.
    fn select_bit(&mut self, word: Value, k: Value) -> Value {
        if let Some(address) = self.plan.addresses.select {
            return self.call(address, &[word, k]);
        }
        const ONES: u64 = 0x0101_0101_0101_0101;
        let half = self.b.ins().ushr_imm_u(word, 1);
        let half = self.b.ins().band_imm_u(half, (0x55 * ONES) as i64);
        let pairs = self.b.ins().isub(word, half);
        let low = self.b.ins().band_imm_u(pairs, (0x33 * ONES) as i64);
        let high = self.b.ins().ushr_imm_u(pairs, 2);
        let high = self.b.ins().band_imm_u(high, (0x33 * ONES) as i64);
        let fours = self.b.ins().iadd(low, high);
        let high = self.b.ins().ushr_imm_u(fours, 4);
        let bytes = self.b.ins().iadd(fours, high);
        let bytes = self.b.ins().band_imm_u(bytes, (0x0F * ONES) as i64);
        let ones = self.constant(ONES as i64);
        let counts = self.b.ins().imul(bytes, ones);
        // The top bit of a byte stays where its count is at most k: these are the bytes to pass.
        let wanted = self.b.ins().imul(k, ones);
        let tops = self.constant((0x80 * ONES) as i64);
        let wanted = self.b.ins().bor(wanted, tops);
        let passed = self.b.ins().isub(wanted, counts);
        let passed = self.b.ins().band(passed, tops);
        let passed = self.b.ins().popcnt(passed);
        let place = self.b.ins().ishl_imm_u(passed, 3);
        let byte = self.b.ins().ushr(word, place);
        let byte = self.b.ins().band_imm_u(byte, 0xFF);
        let below = self.b.ins().ishl_imm_u(counts, 8);
        let below = self.b.ins().ushr(below, place);
        let below = self.b.ins().band_imm_u(below, 0xFF);
        let rest = self.b.ins().isub(k, below);
        let row = self.b.ins().ishl_imm_u(rest, 8);
        let row = self.b.ins().bor(row, byte);
        let base = self.constant(crate::engine::fast::set::SELECT.as_ptr() as i64);
        let address = self.b.ins().iadd(base, row);
        let within = self.b.ins().uload8(types::I64, unchanging(), address, 0);
        self.b.ins().iadd(place, within)
    }
}

/// The parts that are picked from sets of sites on every way to a ply.
fn picked_sites(of: &Generator) -> Vec<u16> {
    let common = |mut all: Vec<u16>, other: Vec<u16>| {
        all.retain(|slot| other.contains(slot));
        all
    };
    match of {
        Generator::One => Vec::new(),
        Generator::Leaf { slot, .. } | Generator::Fan { slot, .. } => vec![*slot],
        Generator::Loop { slot, domain, inner, .. } => {
            let mut picked = picked_sites(inner);
            if matches!(domain, Domain::Sites(_)) {
                picked.push(*slot);
            }
            picked
        }
        Generator::If(_, yes, no) => common(picked_sites(yes), picked_sites(no)),
        Generator::Either(all) => all.iter().map(picked_sites).reduce(common).unwrap_or_default(),
        Generator::Test(_, inner)
        | Generator::Let(_, _, inner)
        | Generator::LetSites(_, _, inner)
        | Generator::Stage(_, inner)
        | Generator::Repeat(_, inner) => picked_sites(inner),
    }
}

/// What is known outside a trial while something is tried.
pub struct Outside {
    now: Bases,
    before: Bases,
    scope: Scope,
    facts: Facts,
}

/// A generator that offers one ply, or none.
fn single_ply(of: &Generator) -> bool {
    match of {
        Generator::One => true,
        Generator::Test(_, inner) => single_ply(inner),
        _ => false,
    }
}

/// What sets plies alike apart.
struct Own<'c> {
    slot: Option<u16>,
    derived: &'c [(u16, Int)],
    certain: bool,
    plane: Option<i64>,
}

/// The plane of the pieces on all sites of a set.
fn plane_of(set: &Sets) -> Option<i64> {
    let met = set.planes_met();
    (met.count_ones() == 1).then(|| i64::from(met.trailing_zeros()))
}

/// The derived part is the next site in a direction, and the set holds only sites that have one.
fn leads_on(set: &Sets, slot: u16, derived: &[(u16, Int)]) -> bool {
    let [(_, Int::Step(direction, from))] = derived else { return false };
    let Int::Slot(from) = **from else { return false };
    let pulled = |set: &Sets| matches!(set, Sets::Pull(way, _) if way == direction);
    from == slot
        && match set {
            Sets::And(all) => all.iter().any(pulled),
            other => pulled(other),
        }
}

/// Plies can be listed by machine code.
pub fn is_native_generator(of: &Generator, planes: usize) -> bool {
    can_be_listed(of, planes, Tried::Nothing)
}

/// What has been done to a copy of the state where a generator begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tried {
    Nothing,
    /// Stages, and this is the only way on from them.
    Straight,
    /// Stages, and there are other ways on, which need the copy as it is.
    Apart,
}

fn can_be_listed(of: &Generator, planes: usize, tried: Tried) -> bool {
    let within = |inner: &Generator| can_be_listed(inner, planes, tried);
    let each = |inner: &Generator| {
        can_be_listed(inner, planes, if tried == Tried::Nothing { Tried::Nothing } else { Tried::Apart })
    };
    let is_native = |effect: &Effect| is_native_effect(effect, planes);
    let on_trial = |inner: &Generator| tried != Tried::Apart && can_be_listed(inner, planes, Tried::Straight);
    match of {
        Generator::One | Generator::Leaf { .. } | Generator::Fan { .. } => true,
        Generator::Test(_, inner) | Generator::Let(_, _, inner) | Generator::LetSites(_, _, inner) => within(inner),
        Generator::If(_, yes, no) => within(yes) && within(no),
        Generator::Loop { inner, .. } => each(inner),
        Generator::Either(all) => all.iter().all(each),
        Generator::Stage(effects, inner) => effects.iter().all(is_native) && on_trial(inner),
        Generator::Repeat(repeat, inner) => repeat.effects().all(is_native) && on_trial(inner),
    }
}

/// The plies of a place can be found by machine code.
pub fn is_native_place(program: &Program, mover: usize, node: u16) -> bool {
    let planes = program.planes.len();
    let fits = |call: &Call| is_native_generator(&call.generator, planes) && is_native_call(call, planes);
    program.plain.get(usize::from(node)) == Some(&true) && all_calls(program, mover, node, &fits)
}

/// The plies of a place can at least be listed by machine code, to be compared by the host.
pub fn is_listed_place(program: &Program, mover: usize, node: u16) -> bool {
    all_calls(program, mover, node, &|call| is_native_generator(&call.generator, program.planes.len()))
}

/// All calls that a node leads to are as wanted.
fn all_calls(program: &Program, mover: usize, node: u16, wanted: &dyn Fn(&Call) -> bool) -> bool {
    fn visit(program: &Program, mover: usize, node: u16, wanted: &dyn Fn(&Call) -> bool, depth: u32) -> bool {
        // Turns may run in circles of forks.
        if depth > 64 {
            return false;
        }
        match program.nodes.get(usize::from(node)) {
            None => false,
            Some(TurnNode::End) => true,
            Some(TurnNode::Call(call)) => program.by_mover[mover].calls.get(usize::from(*call)).is_some_and(wanted),
            Some(TurnNode::Fork(next) | TurnNode::Prefer(next) | TurnNode::Guard(_, next)) => {
                next.iter().all(|next| visit(program, mover, *next, wanted, depth + 1))
            }
        }
    }
    visit(program, mover, node, wanted, 0)
}

/// A ply of the call can be played by machine code.
pub fn is_native_call(call: &Call, planes: usize) -> bool {
    let one = |next: &[u16]| next.len() == 1;
    one(&call.next) && (call.until.is_none() || one(&call.until_next)) && is_native_body(call, planes)
}

/// What is done when a ply is played has machine code.
pub fn is_native_body(call: &Call, planes: usize) -> bool {
    // Until a piece has surely been moved, it is not known which one was moved first.
    let mut asks_it = call.chronicles.iter().any(|chronicle| matches!(chronicle, Chronicle::It { .. }));
    let fits = |effect: &Effect, asks_it: bool| is_native_effect(effect, planes) && !(asks_it && moves_several(effect));
    let moves = |effect: &Effect| matches!(effect, Effect::Move { guard: Test::Const(true), .. });
    call.body.iter().all(|step| match step {
        Step::Let(..) | Step::LetSites(..) => true,
        Step::Change(effects) => {
            let fit = effects.iter().all(|effect| fits(effect, asks_it));
            asks_it &= !effects.iter().any(moves);
            fit
        }
        // It may be made no time at all.
        Step::Repeat(repeat) => repeat.effects().all(|effect| fits(effect, asks_it)),
    })
}
