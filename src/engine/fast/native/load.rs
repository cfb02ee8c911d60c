//! Reads and writes memory, each place as the part of it that it belongs to.

use super::emit::Emit;
use super::memory::{List, Region, unchanging};
use super::value::{Bits, Word, Words};
use crate::program::ir::When;
use cranelift_codegen::ir::{AliasRegionData, InstBuilder, MemFlagsData, Type, Value, types};

impl Emit<'_, '_> {
    /// Memory that is there and aligned, as [`super::host`] says.
    fn flags(&mut self, region: Region) -> MemFlagsData {
        let data = AliasRegionData { user_id: region.id(), description: "".into() };
        let region = self.b.func.dfg.alias_regions.insert(data);
        MemFlagsData::trusted().with_alias_region(Some(region))
    }

    /// Where places are compared before they are read or written, asks the host whether this one is of its part.
    fn checked(&mut self, region: Region, base: Value, offset: usize, ty: Type) {
        let Some(check) = self.plan.addresses.check.filter(|_| region != Region::Out) else { return };
        let offset = self.constant(offset as i64);
        let address = self.b.ins().iadd(base, offset);
        let what = self.constant(i64::from(region.id()) << 8 | i64::from(ty.bytes()));
        self.call(check, &[self.context, address, what]);
    }

    pub fn load(&mut self, region: Region, base: Value, offset: usize) -> Value {
        self.load_as(types::I64, region, base, offset)
    }

    pub fn store(&mut self, value: Value, region: Region, base: Value, offset: usize) {
        self.checked(region, base, offset, self.b.func.dfg.value_type(value));
        let flags = self.flags(region);
        self.b.ins().store(flags, value, base, offset as i32);
    }

    /// A number that is smaller than a word.
    pub fn load_as(&mut self, ty: Type, region: Region, base: Value, offset: usize) -> Value {
        self.checked(region, base, offset, ty);
        let flags = self.flags(region);
        let value = self.b.ins().load(ty, flags, base, offset as i32);
        if ty == types::I64 { value } else { self.b.ins().uextend(types::I64, value) }
    }

    pub fn store_as(&mut self, ty: Type, value: Value, region: Region, base: Value, offset: usize) {
        let value = if ty == types::I64 { value } else { self.b.ins().ireduce(ty, value) };
        self.store(value, region, base, offset);
    }

    /// An entry of a table.
    pub fn constant_at(&mut self, address: Value, offset: usize) -> Value {
        self.b.ins().load(types::I64, unchanging(), address, offset as i32)
    }

    pub fn context_field(&mut self, at: usize) -> Value {
        self.load(Region::Context(at), self.context, at)
    }

    pub fn set_context_field(&mut self, value: Value, at: usize) {
        self.store(value, Region::Context(at), self.context, at);
    }

    pub fn state_field(&mut self, ty: Type, at: usize) -> Value {
        self.load_as(ty, Region::State(at), self.now.state, at)
    }

    pub fn set_state_field(&mut self, ty: Type, value: Value, at: usize) {
        self.store_as(ty, value, Region::State(at), self.now.state, at);
    }

    pub fn cell(&mut self, cell: usize) -> Value {
        self.load(Region::Cells, self.now.cells, 8 * cell)
    }

    pub fn set_cell(&mut self, value: Value, cell: usize) {
        self.store(value, Region::Cells, self.now.cells, 8 * cell);
    }

    /// The plane of the piece at an address among the contents.
    pub fn content_at(&mut self, address: Value) -> Value {
        self.load_as(types::I8, Region::Contents, address, 0)
    }

    pub fn set_content_at(&mut self, plane: Value, address: Value) {
        self.store_as(types::I8, plane, Region::Contents, address, 0);
    }

    /// Where a list begins, and the part of a word of it.
    fn list(&mut self, list: List, word: usize) -> (Value, Region) {
        match list {
            List::Planes(when) => (self.base(when).planes, Region::Planes),
            List::Memory(when) => (self.base(when).sets, Region::Memory(word)),
            List::Grown => (self.now.grown, Region::Grown(word)),
            List::Kept => (self.kept_sets(), Region::KeptSets(word)),
            List::Slots => (self.slots, Region::Slot(word)),
        }
    }

    pub fn load_set(&mut self, list: List, index: usize) -> Words {
        let words = self.plan.words;
        let word_of = |word: usize| index * words + word;
        (0..words)
            .map(|word| {
                let (base, region) = self.list(list, word_of(word));
                Word::Value(self.load(region, base, 8 * word_of(word)))
            })
            .collect()
    }

    pub fn store_set(&mut self, set: &[Word], list: List, index: usize) {
        let words = self.plan.words;
        for (word, value) in set.iter().enumerate() {
            let value = self.value(*value);
            let at = index * words + word;
            let (base, region) = self.list(list, at);
            self.store(value, region, base, 8 * at);
        }
        if matches!(list, List::Memory(_)) {
            self.facts.singles.retain(|(at, _)| *at != index);
        }
    }

    /// A set of the memory.
    pub fn remembered(&mut self, index: usize, when: When) -> Bits {
        let words = self.load_set(List::Memory(when), index);
        let fact = self.facts.singles.iter().find(|(at, _)| *at == index && when == When::Now);
        Bits { words, single: fact.map(|(_, single)| *single) }
    }

    pub fn remember(&mut self, set: &Bits, index: usize) {
        self.store_set(&set.words, List::Memory(When::Now), index);
        self.facts.singles.extend(set.single.map(|single| (index, single)));
    }

    /// The set of one word after the other from an address on, of the planes or of records.
    pub fn set_at(&mut self, region: Region, address: Value, offset: usize) -> Words {
        (0..self.plan.words).map(|word| Word::Value(self.load(region, address, offset + 8 * word))).collect()
    }

    pub fn store_set_at(&mut self, set: &[Word], region: Region, address: Value) {
        for (at, word) in set.iter().enumerate() {
            let word = self.value(*word);
            self.store(word, region, address, 8 * at);
        }
    }

    /// The same of a table.
    pub fn row_from(&mut self, address: Value) -> Words {
        (0..self.plan.words).map(|word| Word::Value(self.constant_at(address, 8 * word))).collect()
    }

    fn kept_sets(&mut self) -> Value {
        self.lasting_field(super::context::offset::KEPT_SETS)
    }

    /// A field of the context that stays the same as long as machine code runs.
    pub fn lasting_field(&mut self, at: usize) -> Value {
        self.b.ins().load(types::I64, unchanging(), self.context, at as i32)
    }
}
