//! Writes machine code word by word: what is known beforehand is worked out beforehand, and the rest becomes instructions.

use super::memory::{Facts, List, Region, unchanging};
use super::plan::{Plan, Step};
use super::value::{Bits, Flag, Num, Word, Words};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{FuncRef, InstBuilder, SigRef, StackSlot, Value, types};
use cranelift_frontend::FunctionBuilder;
use std::collections::HashMap;

use crate::program::ir::{NONE, Test};
use crate::rules::CompareOp;

/// Where the parts of a state are.
#[derive(Clone, Copy, Debug)]
pub struct Bases {
    pub planes: Value,
    pub contents: Value,
    pub cells: Value,
    pub sets: Value,
    pub grown: Value,
    pub state: Value,
}

impl Bases {
    /// Of each part one of the two.
    pub fn either(self, other: Self, mut one: impl FnMut(Value, Value) -> Value) -> Self {
        Self {
            planes: one(self.planes, other.planes),
            contents: one(self.contents, other.contents),
            cells: one(self.cells, other.cells),
            sets: one(self.sets, other.sets),
            grown: one(self.grown, other.grown),
            state: one(self.state, other.state),
        }
    }
}

/// What instructions read beside the state.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    pub mover: usize,
    pub next: Num,
    pub turn: Num,
    pub ply: Num,
    pub stuck: Flag,
    pub unfinished: bool,
    pub following: bool,
}

/// Names bound so far.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub ints: HashMap<u16, Num>,
    pub sets: HashMap<u16, Bits>,
}

/// A function being written.
pub struct Emit<'a, 'f> {
    pub b: FunctionBuilder<'f>,
    pub plan: &'a Plan,
    pub context: Value,
    pub now: Bases,
    pub before: Bases,
    /// What is changed is a copy, and the state before is the one that it was made of.
    pub on_a_copy: bool,
    /// Something is being tried on a copy of the state.
    pub tries: bool,
    pub ints: Value,
    pub slots: Value,
    pub scope: Scope,
    pub facts: Facts,
    pub scene: Scene,
    pub signatures: Signatures,
    /// The functions that find plies, by player and place.
    pub legal: HashMap<(usize, u16), FuncRef>,
    /// The functions that tell whether conditions hold, by player.
    pub apart: Vec<(usize, &'a Test, FuncRef)>,
    /// The function that follows what is connected, where there is one, and where its sets are put on the stack.
    pub flooding: Option<(FuncRef, Option<StackSlot>)>,
}

/// How functions of the host are called, by the number of their arguments.
#[derive(Clone, Copy, Debug)]
pub struct Signatures {
    pub one: SigRef,
    pub two: SigRef,
    pub three: SigRef,
}

fn condition(op: CompareOp) -> IntCC {
    match op {
        CompareOp::Equal => IntCC::Equal,
        CompareOp::NotEqual => IntCC::NotEqual,
        CompareOp::Less => IntCC::SignedLessThan,
        CompareOp::LessEqual => IntCC::SignedLessThanOrEqual,
        CompareOp::Greater => IntCC::SignedGreaterThan,
        CompareOp::GreaterEqual => IntCC::SignedGreaterThanOrEqual,
    }
}

impl Emit<'_, '_> {
    pub fn constant(&mut self, number: i64) -> Value {
        self.b.ins().iconst(types::I64, number)
    }

    pub fn value(&mut self, word: Word) -> Value {
        match word {
            Word::Known(word) => self.constant(word as i64),
            Word::Value(value) => value,
        }
    }

    // Words.

    pub fn and(&mut self, a: Word, b: Word) -> Word {
        match (a, b) {
            (Word::Known(a), Word::Known(b)) => Word::Known(a & b),
            (Word::Known(0), _) | (_, Word::Known(0)) => Word::Known(0),
            (Word::Known(u64::MAX), other) | (other, Word::Known(u64::MAX)) => other,
            (a, b) if a == b => a,
            (a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                Word::Value(self.b.ins().band(a, b))
            }
        }
    }

    pub fn or(&mut self, a: Word, b: Word) -> Word {
        match (a, b) {
            (Word::Known(a), Word::Known(b)) => Word::Known(a | b),
            (Word::Known(0), other) | (other, Word::Known(0)) => other,
            (a, b) if a == b => a,
            (a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                Word::Value(self.b.ins().bor(a, b))
            }
        }
    }

    pub fn xor(&mut self, a: Word, b: Word) -> Word {
        match (a, b) {
            (Word::Known(a), Word::Known(b)) => Word::Known(a ^ b),
            (Word::Known(0), other) | (other, Word::Known(0)) => other,
            (a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                Word::Value(self.b.ins().bxor(a, b))
            }
        }
    }

    pub fn and_not(&mut self, a: Word, b: Word) -> Word {
        match (a, b) {
            (a, Word::Known(b)) => self.and(a, Word::Known(!b)),
            (Word::Known(0), _) => Word::Known(0),
            (a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                Word::Value(self.b.ins().band_not(a, b))
            }
        }
    }

    fn shift_up(&mut self, a: Word, by: u32) -> Word {
        match a {
            Word::Known(word) => Word::Known(if by < 64 { word << by } else { 0 }),
            Word::Value(_) if by >= 64 => Word::Known(0),
            Word::Value(_) if by == 0 => a,
            Word::Value(value) => Word::Value(self.b.ins().ishl_imm_u(value, i64::from(by))),
        }
    }

    fn shift_down(&mut self, a: Word, by: u32) -> Word {
        match a {
            Word::Known(word) => Word::Known(if by < 64 { word >> by } else { 0 }),
            Word::Value(_) if by >= 64 => Word::Known(0),
            Word::Value(_) if by == 0 => a,
            Word::Value(value) => Word::Value(self.b.ins().ushr_imm_u(value, i64::from(by))),
        }
    }

    // Sets.

    pub fn words(&self, words: &[u64]) -> Words {
        words.iter().map(|word| Word::Known(*word)).collect()
    }

    pub fn none(&self) -> Words {
        vec![Word::Known(0); self.plan.words]
    }

    pub fn all(&self) -> Words {
        self.words(&self.plan.all)
    }

    fn zip(&mut self, a: &[Word], b: &[Word], op: fn(&mut Self, Word, Word) -> Word) -> Words {
        a.iter().zip(b).map(|(a, b)| op(self, *a, *b)).collect()
    }

    pub fn both(&mut self, a: &[Word], b: &[Word]) -> Words {
        self.zip(a, b, Self::and)
    }

    pub fn either(&mut self, a: &[Word], b: &[Word]) -> Words {
        self.zip(a, b, Self::or)
    }

    pub fn differ(&mut self, a: &[Word], b: &[Word]) -> Words {
        self.zip(a, b, Self::xor)
    }

    pub fn minus(&mut self, a: &[Word], b: &[Word]) -> Words {
        self.zip(a, b, Self::and_not)
    }

    /// All members moved up, or down by a negative amount.
    pub fn move_by(&mut self, set: &[Word], by: i32) -> Words {
        let (whole, part) = ((by.unsigned_abs() / 64) as usize, by.unsigned_abs() % 64);
        let count = set.len();
        (0..count)
            .map(|at| {
                let at_or_none = |index: Option<usize>| index.and_then(|index| set.get(index)).copied();
                let (near, far) = if by >= 0 {
                    (at_or_none(at.checked_sub(whole)), at_or_none(at.checked_sub(whole + 1)))
                } else {
                    (at_or_none(Some(at + whole)), at_or_none(Some(at + whole + 1)))
                };
                let (near, far) = (near.unwrap_or(Word::Known(0)), far.unwrap_or(Word::Known(0)));
                if part == 0 {
                    return near;
                }
                let (near, far) = if by >= 0 {
                    (self.shift_up(near, part), self.shift_down(far, 64 - part))
                } else {
                    (self.shift_down(near, part), self.shift_up(far, 64 - part))
                };
                self.or(near, far)
            })
            .collect()
    }

    /// One step of all members; none where only tables tell.
    pub fn push_shifted(&mut self, set: &[Word], direction: usize) -> Option<Words> {
        let plan = self.plan;
        match plan.steps.get(direction)? {
            Step::None => Some(self.none()),
            Step::By(shifts) => {
                let mut found = self.none();
                for (sources, by) in shifts {
                    let sources = self.words(sources);
                    let moving = self.both(set, &sources);
                    let moved = self.move_by(&moving, *by);
                    found = self.either(&found, &moved);
                }
                Some(found)
            }
            Step::Table => None,
        }
    }

    pub fn push(&mut self, set: &[Word], direction: usize) -> Words {
        match self.push_shifted(set, direction) {
            Some(found) => found,
            None => self.look_up(&self.plan.next, set, direction),
        }
    }

    /// The positions from which a step leads into the set.
    pub fn pull(&mut self, set: &[Word], direction: usize) -> Words {
        let plan = self.plan;
        match plan.steps.get(direction) {
            Some(Step::By(shifts)) => {
                let mut found = self.none();
                for (sources, by) in shifts {
                    let moved = self.move_by(set, -by);
                    let sources = self.words(sources);
                    let fits = self.both(&moved, &sources);
                    found = self.either(&found, &fits);
                }
                found
            }
            Some(Step::Table) => self.look_up(&plan.previous, set, direction),
            Some(Step::None) | None => self.none(),
        }
    }

    fn look_up(&mut self, table: &[i16], set: &[Word], direction: usize) -> Words {
        let found = self.variables();
        let row = &table[direction * self.plan.rows..][..self.plan.rows];
        self.each_member(set, None, |e, member| {
            let there = e.entry(row, member);
            let bit = e.single(there);
            e.gather(&found, &bit);
        });
        self.gathered(&found)
    }

    /// The neighbours of all members.
    pub fn dilate(&mut self, set: &[Word]) -> Words {
        let plan = self.plan;
        if let Some(spreads) = &plan.spreads {
            let mut found = self.none();
            for (sources, by) in spreads {
                let sources = self.words(sources);
                let moving = self.both(set, &sources);
                let moved = self.move_by(&moving, *by);
                found = self.either(&found, &moved);
            }
            return found;
        }
        let found = self.variables();
        self.each_member(set, None, |e, member| {
            let near = e.row(&plan.near, member);
            e.gather(&found, &near);
        });
        self.gathered(&found)
    }

    /// The set with one member, or none where the number is no position.
    pub fn single(&mut self, position: Num) -> Words {
        if let Some(known) = position.constant() {
            let mut words = vec![0; self.plan.words];
            if let Some(word) = usize::try_from(known).ok().and_then(|known| words.get_mut(known / 64)) {
                *word = 1 << (known % 64);
            }
            return self.words(&words);
        }
        if self.plan.words == 1 {
            let place = self.value(position.word);
            let fits = if self.is_position(position) {
                Flag::Known(true)
            } else {
                Flag::Value(self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, place, self.plan.bits as i64))
            };
            let one = self.select(fits, Word::Known(1), Word::Known(0));
            let one = self.value(one);
            return vec![Word::Value(self.b.ins().ishl(one, place))];
        }
        self.row(&self.plan.singles, position)
    }

    /// The row of a table of sets; beyond the last position there is an empty one.
    pub fn row(&mut self, table: &[u64], position: Num) -> Words {
        let (words, bits) = (self.plan.words, self.plan.bits);
        if let Some(known) = position.constant() {
            let at = usize::try_from(known).unwrap_or(bits).min(bits) * words;
            return self.words(&table[at..at + words]);
        }
        let index = self.index(position);
        let bytes = self.b.ins().imul_imm_s(index, 8 * words as i64);
        let base = self.constant(table.as_ptr() as i64);
        let address = self.b.ins().iadd(base, bytes);
        self.row_from(address)
    }

    pub fn is_position(&self, number: Num) -> bool {
        !number.missing && number.low >= 0 && number.high < self.plan.bits as i64
    }

    /// The number as an index of rows: what is no position becomes the last one.
    pub fn index(&mut self, position: Num) -> Value {
        let value = self.value(position.word);
        if self.is_position(position) {
            return value;
        }
        let last = self.constant(self.plan.bits as i64);
        self.b.ins().umin(value, last)
    }

    /// An entry of a table of small numbers by position; a negative one is missing.
    pub fn entry(&mut self, table: &[i16], position: Num) -> Num {
        let high = self.plan.bits as i64 - 1;
        if let Some(known) = position.constant() {
            let at = usize::try_from(known).unwrap_or(self.plan.bits).min(self.plan.bits);
            let entry = i64::from(table[at]);
            return Num::known(if entry < 0 { NONE } else { entry });
        }
        let index = self.index(position);
        let found = self.entry_at(table.as_ptr() as i64, index);
        Num { high: high.max(i64::from(i16::MAX)), ..found }
    }

    /// The same by an index that is within the table for certain.
    pub fn entry_at(&mut self, table: i64, index: Value) -> Num {
        let bytes = self.b.ins().ishl_imm_u(index, 1);
        let base = self.constant(table);
        let address = self.b.ins().iadd(base, bytes);
        let entry = self.b.ins().sload16(types::I64, unchanging(), address, 0);
        let none = self.constant(NONE);
        let lacks = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, entry, 0);
        let value = self.b.ins().select(lacks, none, entry);
        Num { word: Word::Value(value), low: 0, high: i64::from(i16::MAX), missing: true }
    }

    pub fn any(&mut self, set: &[Word]) -> Flag {
        let mut all = Word::Known(0);
        for word in set {
            all = self.or(all, *word);
        }
        match all {
            Word::Known(word) => Flag::Known(word != 0),
            Word::Value(value) => Flag::Value(self.b.ins().icmp_imm_u(IntCC::NotEqual, value, 0)),
        }
    }

    pub fn count(&mut self, set: &[Word]) -> Num {
        let mut known = 0;
        let mut sum: Option<Value> = None;
        for word in set {
            match *word {
                Word::Known(word) => known += i64::from(word.count_ones()),
                Word::Value(value) => {
                    let ones = self.b.ins().popcnt(value);
                    sum = Some(match sum {
                        Some(sum) => self.b.ins().iadd(sum, ones),
                        None => ones,
                    });
                }
            }
        }
        match sum {
            None => Num::known(known),
            Some(sum) => {
                let sum = if known > 0 { self.b.ins().iadd_imm_s(sum, known) } else { sum };
                Num::within(sum, 0, self.plan.sites)
            }
        }
    }

    /// The position of the lowest member; the number of bits where there is none.
    pub fn first(&mut self, set: &[Word]) -> Value {
        if let [word] = set {
            let word = self.value(*word);
            return self.b.ins().ctz(word);
        }
        let mut found = self.constant(self.plan.bits as i64);
        for (at, word) in set.iter().enumerate().rev() {
            if *word == Word::Known(0) {
                continue;
            }
            let word = self.value(*word);
            let place = self.b.ins().ctz(word);
            let place = self.b.ins().iadd_imm_s(place, 64 * at as i64);
            found = self.b.ins().select(word, place, found);
        }
        found
    }

    /// The set without its lowest member.
    pub fn without_first(&mut self, set: &[Word]) -> Words {
        let mut open = Flag::Known(true);
        set.iter()
            .map(|word| {
                let value = self.value(*word);
                let less = self.b.ins().iadd_imm_s(value, -1);
                let rest = self.b.ins().band(value, less);
                // Only the first word with a member loses one.
                let kept = self.select(open, Word::Value(rest), *word);
                if set.len() > 1 {
                    let empty = Flag::Value(self.b.ins().icmp_imm_u(IntCC::Equal, value, 0));
                    open = self.flags_and(open, empty);
                }
                kept
            })
            .collect()
    }

    /// The position of the highest member; the number of bits where there is none.
    pub fn last(&mut self, set: &[Word]) -> Value {
        let mut found = self.constant(self.plan.bits as i64);
        for (at, word) in set.iter().enumerate() {
            if *word == Word::Known(0) {
                continue;
            }
            let word = self.value(*word);
            let zeros = self.b.ins().clz(word);
            let top = self.constant(64 * at as i64 + 63);
            let place = self.b.ins().isub(top, zeros);
            found = self.b.ins().select(word, place, found);
        }
        found
    }

    /// The only member, or none.
    pub fn only(&mut self, set: &Bits) -> Num {
        if let Some(single) = set.single {
            return single;
        }
        let words = &set.words;
        let count = self.count(words);
        let first = self.first(words);
        let none = self.constant(NONE);
        let count = self.value(count.word);
        let one = self.b.ins().icmp_imm_u(IntCC::Equal, count, 1);
        let value = self.b.ins().select(one, first, none);
        Num { word: Word::Value(value), low: 0, high: self.plan.bits as i64 - 1, missing: true }
    }

    pub fn contains(&mut self, set: &[Word], position: Num) -> Flag {
        if let (Some(known), [Word::Value(word)]) = (position.constant(), set) {
            return if (0..64).contains(&known) {
                let bit = self.b.ins().band_imm_u(*word, 1i64 << known);
                Flag::Value(self.b.ins().icmp_imm_u(IntCC::NotEqual, bit, 0))
            } else {
                Flag::Known(false)
            };
        }
        let bit = self.single(position);
        let both = self.both(&bit, set);
        self.any(&both)
    }

    // Flags.

    pub fn flag(&mut self, flag: Flag) -> Value {
        match flag {
            Flag::Known(held) => self.b.ins().iconst(types::I8, i64::from(held)),
            Flag::Value(value) => value,
        }
    }

    pub fn not(&mut self, flag: Flag) -> Flag {
        match flag {
            Flag::Known(held) => Flag::Known(!held),
            Flag::Value(value) => Flag::Value(self.b.ins().icmp_imm_u(IntCC::Equal, value, 0)),
        }
    }

    pub fn flags_and(&mut self, a: Flag, b: Flag) -> Flag {
        match (a, b) {
            (Flag::Known(false), _) | (_, Flag::Known(false)) => Flag::Known(false),
            (Flag::Known(true), other) | (other, Flag::Known(true)) => other,
            (Flag::Value(a), Flag::Value(b)) => Flag::Value(self.b.ins().band(a, b)),
        }
    }

    pub fn flags_or(&mut self, a: Flag, b: Flag) -> Flag {
        match (a, b) {
            (Flag::Known(true), _) | (_, Flag::Known(true)) => Flag::Known(true),
            (Flag::Known(false), other) | (other, Flag::Known(false)) => other,
            (Flag::Value(a), Flag::Value(b)) => Flag::Value(self.b.ins().bor(a, b)),
        }
    }

    pub fn compare_words(&mut self, op: CompareOp, a: Word, b: Word) -> Flag {
        match (a, b) {
            (Word::Known(a), Word::Known(b)) => Flag::Known(op.holds(a as i64, b as i64)),
            (a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                Flag::Value(self.b.ins().icmp(condition(op), a, b))
            }
        }
    }

    pub fn is_known(&mut self, number: Num) -> Flag {
        if !number.missing {
            return Flag::Known(true);
        }
        self.compare_words(CompareOp::NotEqual, number.word, Word::Known(NONE as u64))
    }

    /// One word or the other.
    pub fn select(&mut self, flag: Flag, a: Word, b: Word) -> Word {
        match flag {
            Flag::Known(true) => a,
            Flag::Known(false) => b,
            Flag::Value(_) if a == b => a,
            Flag::Value(flag) => {
                let (a, b) = (self.value(a), self.value(b));
                Word::Value(self.b.ins().select(flag, a, b))
            }
        }
    }

    pub fn select_words(&mut self, flag: Flag, a: &[Word], b: &[Word]) -> Words {
        a.iter().zip(b).map(|(a, b)| self.select(flag, *a, *b)).collect()
    }

    /// The number, or none where the flag is down.
    pub fn only_if(&mut self, flag: Flag, number: Num) -> Num {
        match flag {
            Flag::Known(true) => number,
            Flag::Known(false) => Num::known(NONE),
            Flag::Value(_) => {
                let word = self.select(flag, number.word, Word::Known(NONE as u64));
                Num { word, ..number }.or_missing()
            }
        }
    }

    // Names.

    /// Binds a number; what the host evaluates finds it in memory.
    pub fn bind(&mut self, slot: u16, number: Num) {
        let value = self.value(number.word);
        self.store(value, Region::Int(usize::from(slot)), self.ints, 8 * usize::from(slot));
        self.scope.ints.insert(slot, number);
    }

    pub fn bind_sites(&mut self, slot: u16, set: Bits) {
        self.store_set(&set.words, List::Slots, usize::from(slot));
        self.scope.sets.insert(slot, set);
    }

    /// What the function is called with beside the context, where its body begins.
    pub fn second_argument(&self) -> Option<Value> {
        self.b.block_params(self.b.current_block()?).get(1).copied()
    }

    /// Calls a function of the host.
    pub fn call(&mut self, address: usize, args: &[Value]) -> Value {
        let signature = match args.len() {
            1 => self.signatures.one,
            2 => self.signatures.two,
            _ => self.signatures.three,
        };
        let callee = self.constant(address as i64);
        let call = self.b.ins().call_indirect(signature, callee, args);
        self.b.inst_results(call)[0]
    }
}
