//! Plies found and made, as machine code: generators write records of plies, a chosen one is decoded and played.

use super::emit::{Bits, Emit, Flag, Num, Word, Words};
use super::host::offset;
use crate::program::ir::{Effect, Int, NONE, Part, Sets, Test, When};
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
    /// Parts that the record holds.
    pub saved: Vec<u16>,
    /// The derived parts are sites for certain.
    certain: bool,
}

/// The fields of a record: how many plies, their kind, the set of the part that differs, the parts known.
pub const COUNT: usize = 0;
pub const KIND: usize = 1;
pub const SET: usize = 2;

/// What the writing of a list of plies keeps at hand.
pub struct Listing<'k> {
    pub kinds: &'k mut Vec<Kind>,
    /// Where the next record goes.
    pub cursor: Variable,
    pub count: Variable,
    pub end: Variable,
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
            let (cursor, end) = (e.read(listing.cursor), e.read(listing.end));
            e.visit(*first, None, listing);
            let any = e.read(listing.count);
            let none = e.compare_words(CompareOp::Equal, any, count);
            e.set_variable(listing.cursor, cursor);
            e.set_variable(listing.count, count);
            e.set_variable(listing.end, end);
            e.when(none, |e| e.prefer(rest, count, must, listing));
        });
    }

    fn generate(&mut self, index: u16, call: &Call, generator: &Generator, listing: &mut Listing<'_>) {
        match generator {
            Generator::Leaf { slot, set } => {
                let set = self.set(set);
                self.record(index, call, Some(*slot), &[], false, &set, listing);
            }
            Generator::Fan { slot, branches } => {
                for branch in branches {
                    let set = self.set(&branch.set);
                    let certain = leads_on(&branch.set, *slot, &branch.derived);
                    self.record(index, call, Some(*slot), &branch.derived, certain, &set, listing);
                }
            }
            Generator::One => self.record(index, call, None, &[], false, &[], listing),
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
                let outer = std::mem::replace(&mut listing.looping, true);
                self.each(*slot, domain, None, |e| {
                    let mut held = Flag::Known(true);
                    for test in tests {
                        held = if super::conditions::is_heavy_test(test) {
                            e.and_then(held, |e| e.test(test))
                        } else {
                            let one = e.test(test);
                            e.flags_and(held, one)
                        };
                    }
                    e.when(held, |e| e.generate(index, call, inner, listing));
                });
                listing.looping = outer;
            }
            // Places with such generators are left to the host.
            Generator::Stage(..) | Generator::Repeat(..) => {}
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn record(
        &mut self,
        index: u16,
        call: &Call,
        slot: Option<u16>,
        derived: &[(u16, Int)],
        certain: bool,
        set: &[Word],
        listing: &mut Listing<'_>,
    ) {
        let count = if slot.is_some() { self.count(set) } else { Num::known(1) };
        if count.constant() == Some(0) {
            return;
        }
        let is_bound = |part: &&u16| {
            Some(**part) != slot && !derived.iter().any(|(at, _)| at == *part) && self.scope.ints.contains_key(*part)
        };
        let saved: Vec<u16> = call.parts.iter().filter(is_bound).copied().collect();
        if listing.looping {
            let (cursor, limit) = (self.b.use_var(listing.cursor), self.load(self.context, offset::LIMIT));
            let full = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, cursor, limit);
            self.when(Flag::Value(full), |e| {
                let address = e.plan.addresses.grow;
                let moved = e.call(address, &[e.context, cursor]);
                e.b.def_var(listing.cursor, moved);
            });
        }
        let cursor = self.b.use_var(listing.cursor);
        let number = self.value(count.word);
        self.store(number, cursor, 8 * COUNT);
        let kind = self.constant(listing.kinds.len() as i64);
        self.store(kind, cursor, 8 * KIND);
        for (at, word) in set.iter().enumerate() {
            let word = self.value(*word);
            self.store(word, cursor, 8 * (SET + at));
        }
        for (at, slot) in saved.iter().enumerate() {
            let part = self.scope.ints[slot];
            let part = self.value(part.word);
            self.store(part, cursor, 8 * (SET + self.plan.words + at));
        }
        let kind = Kind { mover: self.scene.mover, call: index, slot, derived: derived.to_vec(), saved, certain };
        listing.kinds.push(kind);
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
        let sum = self.b.use_var(listing.count);
        let sum = self.b.ins().iadd(sum, number);
        self.b.def_var(listing.count, sum);
    }

    /// The parts of the ply with this number within a record.
    pub fn decode(&mut self, kind: &Kind, record: Value, index: Value) {
        for (at, slot) in kind.saved.iter().enumerate() {
            let part = self.load(record, 8 * (SET + self.plan.words + at));
            self.bind(*slot, Num::any(part));
        }
        if let Some(slot) = kind.slot {
            let words = self.plan.words;
            let set: Words = (0..words).map(|at| Word::Value(self.load(record, 8 * (SET + at)))).collect();
            let position = self.nth(&set, index);
            self.bind(slot, Num::within(position, 0, self.plan.bits as i64 - 1));
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
    fn nth(&mut self, set: &[Word], index: Value) -> Value {
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

    /// The place of the k-th bit of a word that has more than k: by halves, each time with the number of bits below.
    fn select_bit(&mut self, word: Value, k: Value) -> Value {
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
        let within = self.b.ins().uload8(types::I64, super::emit::trusted(), address, 0);
        self.b.ins().iadd(place, within)
    }

    /// Plays a ply whose parts are bound; whether it fulfils `until`.
    pub fn play(&mut self, call: &Call) -> Flag {
        let mut steps = call.body.iter();
        let mut rest = steps.as_slice();
        while let Some(step) = steps.next() {
            match step {
                Step::Let(slot, int) => {
                    let number = self.int(int);
                    self.bind(*slot, number);
                }
                Step::LetSites(slot, set) => {
                    let set = self.bits(set);
                    self.bind_sites(*slot, set);
                }
                Step::Change(_) | Step::Repeat(_) => break,
            }
            rest = steps.as_slice();
        }
        let mut noted = Vec::new();
        for chronicle in &call.chronicles {
            noted.push(match chronicle {
                Chronicle::Note { when, .. } => self.test(when),
                Chronicle::Collect { .. } | Chronicle::It { .. } => Flag::Known(false),
            });
        }
        let leaves = match &call.until {
            Some(until) => self.test(until),
            None => Flag::Known(false),
        };
        if rest.len() > 1 && reads_before(rest) {
            let address = self.plan.addresses.stage;
            self.call(address, &[self.context]);
            self.before = self.load_bases(offset::BEFORE);
        }
        let mut it = Num::known(NONE);
        let mut begun = false;
        for step in rest {
            match step {
                Step::Let(slot, int) => {
                    let number = self.int(int);
                    self.bind(*slot, number);
                }
                Step::LetSites(slot, set) => {
                    let set = self.bits(set);
                    self.bind_sites(*slot, set);
                }
                Step::Change(effects) => {
                    let moved = self.change(effects);
                    it = if begun { self.known_or(it, moved) } else { moved };
                    begun = true;
                }
                // Calls with such steps are played by the host.
                Step::Repeat(_) => {}
            }
        }
        self.before = self.now;
        for (chronicle, noted) in call.chronicles.iter().zip(noted) {
            match chronicle {
                Chronicle::Note { cell, value, .. } => {
                    let place = 8 * usize::from(*cell);
                    let word = match noted {
                        Flag::Known(true) => Word::Known(*value as u64),
                        Flag::Known(false) => continue,
                        Flag::Value(_) => {
                            let old = Word::Value(self.load(self.now.cells, place));
                            self.select(noted, Word::Known(*value as u64), old)
                        }
                    };
                    let value = self.value(word);
                    self.store(value, self.now.cells, place);
                }
                Chronicle::Collect { sites, set } => {
                    let taken = self.set(sites);
                    let old = self.load_set(self.now.sets, usize::from(*set));
                    let new = self.either(&old, &taken);
                    self.store_set(&new, self.now.sets, usize::from(*set));
                }
                Chronicle::It { set } => {
                    let known = self.is_known(it);
                    let bit = self.single(it);
                    let new = if known == Flag::Known(true) {
                        bit
                    } else {
                        let old = self.load_set(self.now.sets, usize::from(*set));
                        self.select_words(known, &bit, &old)
                    };
                    self.store_set(&new, self.now.sets, usize::from(*set));
                }
            }
        }
        leaves
    }

    fn known_or(&mut self, a: Num, b: Num) -> Num {
        let known = self.is_known(a);
        match known {
            Flag::Known(true) => a,
            Flag::Known(false) => b,
            Flag::Value(_) => {
                let word = self.select(known, a.word, b.word);
                Num { word, low: a.low.min(b.low), high: a.high.max(b.high), missing: a.missing && b.missing }
            }
        }
    }

    /// All operands are read, then everything happens at once, unless it cannot. The site moved to first, or else placed on.
    fn change(&mut self, effects: &[Effect]) -> Num {
        let mut stage = Stage::default();
        for effect in effects {
            self.gather_effect(effect, &mut stage);
        }
        // Two different pieces cannot arrive on one site.
        for (at, (plane, sites)) in stage.arriving.iter().enumerate() {
            for (other, more) in &stage.arriving[..at] {
                if plane.constant().is_some() && plane.constant() == other.constant() {
                    continue;
                }
                let both = self.both(&sites.words, &more.words);
                let mut clash = self.any(&both);
                if plane.constant().is_none() || other.constant().is_none() {
                    let differ = self.compare_words(CompareOp::NotEqual, plane.word, other.word);
                    clash = self.flags_and(clash, differ);
                }
                let apart = self.not(clash);
                stage.fits = self.flags_and(stage.fits, apart);
            }
        }
        for (at, cell) in stage.cells.iter().enumerate() {
            for other in &stage.cells[..at] {
                let same = self.compare_words(CompareOp::Equal, cell.place, other.place);
                let differ = self.compare_words(CompareOp::NotEqual, cell.value, other.value);
                let mut clash = self.flags_and(same, differ);
                clash = self.flags_and(clash, cell.guard);
                clash = self.flags_and(clash, other.guard);
                let apart = self.not(clash);
                stage.fits = self.flags_and(stage.fits, apart);
            }
        }
        for (at, (index, set, guard)) in stage.sets.iter().enumerate() {
            for (other, more, other_guard) in &stage.sets[..at] {
                if index == other {
                    let differ = self.differ(set, more);
                    let mut clash = self.any(&differ);
                    clash = self.flags_and(clash, *guard);
                    clash = self.flags_and(clash, *other_guard);
                    let apart = self.not(clash);
                    stage.fits = self.flags_and(stage.fits, apart);
                }
            }
        }
        let fits = stage.fits;
        let it = self.known_or(stage.moved, stage.placed);
        self.when(fits, |e| e.commit(&stage));
        self.only_if(fits, it)
    }

    fn gather_effect(&mut self, effect: &Effect, stage: &mut Stage) {
        match effect {
            Effect::Put { target, piece, guard } => {
                let guard = self.test(guard);
                let sites = self.bits(target);
                let plane = self.int(piece);
                // A piece that is none can only go nowhere.
                let value = self.value(plane.word);
                let is_plane = if !plane.missing && plane.low >= 0 && plane.high < 256 {
                    Flag::Known(true)
                } else {
                    Flag::Value(self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, value, 256))
                };
                let some = self.any(&sites.words);
                let lacks = self.not(is_plane);
                let stuck = self.flags_and(lacks, some);
                let stuck = self.flags_and(stuck, guard);
                let apart = self.not(stuck);
                stage.fits = self.flags_and(stage.fits, apart);
                let held = self.flags_and(guard, is_plane);
                let (words, single) = match held {
                    Flag::Known(true) => (sites.words, sites.single),
                    _ => {
                        let none = self.none();
                        (self.select_words(held, &sites.words, &none), None)
                    }
                };
                let placed = Bits { words, single };
                if plane.constant() != Some(0) && stage.placed.missing {
                    let only = self.only(&placed);
                    let real = self.compare_words(CompareOp::NotEqual, plane.word, Word::Known(0));
                    let only = self.only_if(real, only);
                    stage.placed = self.known_or(stage.placed, only);
                }
                stage.arriving.push((plane, placed));
            }
            Effect::Move { from, to, piece, guard } => {
                let guard = self.test(guard);
                let (source, target) = (self.int(from), self.int(to));
                let plane = match piece {
                    Some(piece) => self.int(piece),
                    None => self.content(from, When::Now),
                };
                let mut known = self.both_known(source, target);
                let value = self.value(plane.word);
                let is_plane = if !plane.missing && plane.low >= 0 && plane.high < 256 {
                    Flag::Known(true)
                } else {
                    Flag::Value(self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, value, 256))
                };
                known = self.flags_and(known, is_plane);
                let lacks = self.not(known);
                let stuck = self.flags_and(lacks, guard);
                let apart = self.not(stuck);
                stage.fits = self.flags_and(stage.fits, apart);
                let held = self.flags_and(guard, known);
                let (source, target) = (self.only_if(held, source), self.only_if(held, target));
                let leaving = self.single(source);
                let words = self.single(target);
                stage.left.push(Bits { words: leaving, single: Some(source) });
                if stage.moved.missing {
                    stage.moved = self.known_or(stage.moved, target);
                }
                stage.arriving.push((plane, Bits { words, single: Some(target) }));
            }
            Effect::Set { base, count, index, value, range, guard } => {
                let guard = self.test(guard);
                let (place, fits) = match index {
                    None => (Word::Known(u64::from(*base)), Flag::Known(true)),
                    Some(index) => {
                        let index = self.int(index);
                        let value = self.value(index.word);
                        let fits = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, value, i64::from(*count));
                        let zero = self.constant(0);
                        let value = self.b.ins().select(fits, value, zero);
                        let place = self.b.ins().iadd_imm_s(value, i64::from(*base));
                        (Word::Value(place), Flag::Value(fits))
                    }
                };
                let number = self.int(value);
                let mut fits = fits;
                if let Some((low, high)) = range {
                    let known = self.is_known(number);
                    let above = self.compare_words(CompareOp::GreaterEqual, number.word, Word::Known(*low as u64));
                    let below = self.compare_words(CompareOp::LessEqual, number.word, Word::Known(*high as u64));
                    for flag in [known, above, below] {
                        fits = self.flags_and(fits, flag);
                    }
                }
                let lacks = self.not(fits);
                let stuck = self.flags_and(lacks, guard);
                let apart = self.not(stuck);
                stage.fits = self.flags_and(stage.fits, apart);
                stage.cells.push(CellChange { place, value: number.word, guard });
            }
            Effect::SetSites { base, value, guard } => {
                let guard = self.test(guard);
                let value = self.set(value);
                stage.sets.push((*base, value, guard));
            }
            // Calls with such changes are played by the host.
            Effect::Each { .. } => {}
        }
    }

    fn commit(&mut self, stage: &Stage) {
        let mut arriving = self.none();
        for (_, sites) in &stage.arriving {
            arriving = self.either(&arriving, &sites.words);
        }
        for left in &stage.left {
            match (left.single, stage.arriving.as_slice()) {
                // What moves and arrives where it was is put down again below.
                (Some(single), [_]) => self.put_one(single, Num::known(0)),
                _ => {
                    let gone = self.minus(&left.words, &arriving);
                    self.put_all(&gone, Num::known(0));
                }
            }
        }
        for (plane, sites) in &stage.arriving {
            match sites.single {
                Some(single) => self.put_one(single, *plane),
                None => self.put_all(&sites.words, *plane),
            }
        }
        for cell in &stage.cells {
            let place = self.value(cell.place);
            let bytes = self.b.ins().ishl_imm_u(place, 3);
            let address = self.b.ins().iadd(self.now.cells, bytes);
            let word = match cell.guard {
                Flag::Known(true) => cell.value,
                guard => {
                    let old = Word::Value(self.load(address, 0));
                    self.select(guard, cell.value, old)
                }
            };
            let value = self.value(word);
            self.store(value, address, 0);
        }
        for (index, set, guard) in &stage.sets {
            let old = self.load_set(self.now.sets, usize::from(*index));
            let set = self.select_words(*guard, set, &old);
            self.store_set(&set, self.now.sets, usize::from(*index));
        }
    }

    /// The piece of a plane is put on all members of a set.
    fn put_all(&mut self, sites: &[Word], plane: Num) {
        let small = self.plan.program.planes.len() <= 4 && plane.constant().is_some() && self.plan.zobrist.is_none();
        if !small {
            return self.each_member(sites, None, |e, site| e.put_one(site, plane));
        }
        // All planes at once, and only the contents one by one.
        for other in 0..self.plan.program.planes.len() {
            let old = self.load_set(self.now.planes, other);
            let new =
                if plane.constant() == Some(other as i64) { self.either(&old, sites) } else { self.minus(&old, sites) };
            self.store_set(&new, self.now.planes, other);
        }
        self.each_member(sites, None, |e, site| {
            let site = e.value(site.word);
            let address = e.b.ins().iadd(e.now.contents, site);
            let plane = e.value(plane.word);
            e.b.ins().istore8(super::emit::trusted(), plane, address, 0);
        });
    }

    /// The piece of a plane is put on a site, if it is one.
    fn put_one(&mut self, site: Num, plane: Num) {
        if site.missing || !self.is_position(site) {
            let value = self.value(site.word);
            let fits = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, value, self.plan.bits as i64);
            let site = Num { low: 0, high: self.plan.bits as i64 - 1, missing: false, ..site };
            return self.when(Flag::Value(fits), |e| e.put_one(site, plane));
        }
        let site = self.value(site.word);
        let words = self.plan.words as i64;
        let address = self.b.ins().iadd(self.now.contents, site);
        let old = self.b.ins().uload8(types::I64, super::emit::trusted(), address, 0);
        let new = self.value(plane.word);
        self.b.ins().istore8(super::emit::trusted(), new, address, 0);
        let one = self.constant(1);
        // Shifts count modulo the length of a word.
        let bit = self.b.ins().ishl(one, site);
        let within = if words == 1 {
            self.now.planes
        } else {
            let word = self.b.ins().ushr_imm_u(site, 6);
            let bytes = self.b.ins().ishl_imm_u(word, 3);
            self.b.ins().iadd(self.now.planes, bytes)
        };
        for (plane, insert) in [(old, false), (new, true)] {
            let bytes = self.b.ins().imul_imm_s(plane, 8 * words);
            let address = self.b.ins().iadd(within, bytes);
            let word = self.load(address, 0);
            let word = if insert { self.b.ins().bor(word, bit) } else { self.b.ins().band_not(word, bit) };
            self.store(word, address, 0);
        }
        if let Some(zobrist) = &self.plan.zobrist {
            let planes = self.plan.program.planes.len().max(1) as i64;
            let row = self.b.ins().imul_imm_s(site, planes);
            let base = self.constant(zobrist.as_ptr() as i64);
            let mut hash = self.load(self.now.state, self.plan.addresses.board_hash);
            for plane in [old, new] {
                let index = self.b.ins().iadd(row, plane);
                let bytes = self.b.ins().ishl_imm_u(index, 3);
                let address = self.b.ins().iadd(base, bytes);
                let key = self.load(address, 0);
                hash = self.b.ins().bxor(hash, key);
            }
            self.store(hash, self.now.state, self.plan.addresses.board_hash);
        }
    }
}

/// What a stage does, read before any of it happens.
struct Stage {
    fits: Flag,
    left: Vec<Bits>,
    arriving: Vec<(Num, Bits)>,
    cells: Vec<CellChange>,
    sets: Vec<(u16, Words, Flag)>,
    /// The first site moved to, and the first one placed on.
    moved: Num,
    placed: Num,
}

impl Default for Stage {
    fn default() -> Self {
        Self {
            fits: Flag::Known(true),
            left: Vec::new(),
            arriving: Vec::new(),
            cells: Vec::new(),
            sets: Vec::new(),
            moved: Num::known(NONE),
            placed: Num::known(NONE),
        }
    }
}

struct CellChange {
    place: Word,
    value: Word,
    guard: Flag,
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

/// Some instruction reads the state in which the move began.
fn reads_before(steps: &[Step]) -> bool {
    fn reads(part: &Part<'_>) -> bool {
        let mut found = match part {
            Part::Sets(set) => matches!(
                set,
                Sets::Planes(_, When::Before)
                    | Sets::Memory(_, When::Before)
                    | Sets::Alike(_, When::Before)
                    | Sets::OfKinds(_, When::Before)
                    | Sets::OfPlayers(_, When::Before)
                    | Sets::Primitive(_, _, When::Before)
            ),
            Part::Int(int) => matches!(
                int,
                Int::Cell(_, When::Before)
                    | Int::CellAt { when: When::Before, .. }
                    | Int::Owner(_, When::Before)
                    | Int::Kind(_, When::Before)
                    | Int::Piece(_, When::Before)
                    | Int::Owners(_, When::Before)
                    | Int::KindsIn(_, When::Before)
                    | Int::Primitive(_, _, When::Before)
            ),
            Part::Test(_) => false,
        };
        let mut inner = |one: Part<'_>| found |= reads(&one);
        match part {
            Part::Sets(set) => set.parts(&mut inner),
            Part::Int(int) => int.parts(&mut inner),
            Part::Test(test) => test.parts(&mut inner),
        }
        found
    }
    let mut found = false;
    for step in steps {
        match step {
            Step::Let(_, int) => found |= reads(&Part::Int(int)),
            Step::LetSites(_, set) => found |= reads(&Part::Sets(set)),
            Step::Change(effects) => {
                for effect in effects {
                    effect.parts(&mut |one| found |= reads(&one));
                }
            }
            Step::Repeat(_) => found = true,
        }
    }
    found
}

/// Plies can be listed by machine code.
pub fn is_native_generator(of: &Generator) -> bool {
    match of {
        Generator::One | Generator::Leaf { .. } | Generator::Fan { .. } => true,
        Generator::Loop { inner, .. }
        | Generator::Test(_, inner)
        | Generator::Let(_, _, inner)
        | Generator::LetSites(_, _, inner) => is_native_generator(inner),
        Generator::If(_, yes, no) => is_native_generator(yes) && is_native_generator(no),
        Generator::Stage(..) | Generator::Repeat(..) => false,
    }
}

/// The plies of a place can be found by machine code.
pub fn is_native_place(program: &Program, mover: usize, node: u16) -> bool {
    fn node_fits(program: &Program, mover: usize, node: u16, depth: u32) -> bool {
        // Turns may run in circles of forks.
        if depth > 64 {
            return false;
        }
        let all = |next: &[u16]| next.iter().all(|next| node_fits(program, mover, *next, depth + 1));
        match program.nodes.get(usize::from(node)) {
            None => false,
            Some(TurnNode::End) => true,
            Some(TurnNode::Call(call)) => program.by_mover[mover]
                .calls
                .get(usize::from(*call))
                .is_some_and(|call| is_native_generator(&call.generator) && is_native_call(call)),
            Some(TurnNode::Fork(next) | TurnNode::Prefer(next) | TurnNode::Guard(_, next)) => all(next),
        }
    }
    program.plain.get(usize::from(node)) == Some(&true) && node_fits(program, mover, node, 0)
}

/// A ply of the call can be played by machine code.
pub fn is_native_call(call: &Call) -> bool {
    fn plain(effect: &Effect) -> bool {
        !matches!(effect, Effect::Each { .. })
    }
    let one = |next: &[u16]| next.len() == 1;
    one(&call.next)
        && (call.until.is_none() || one(&call.until_next))
        && call.body.iter().all(|step| match step {
            Step::Let(..) | Step::LetSites(..) => true,
            Step::Change(effects) => effects.iter().all(plain),
            Step::Repeat(_) => false,
        })
}
