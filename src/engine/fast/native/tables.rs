//! Tables of a program looked up: the code holds their addresses, and the plan the program that they belong to.

use super::emit::Emit;
use super::memory::unchanging;
use super::value::{Flag, Num, Word, Words};
use crate::board::SiteSet;
use crate::program::ir::NONE;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

impl Emit<'_, '_> {
    /// An entry of a table of numbers; none where there is no such entry.
    pub fn table_entry(&mut self, values: &[i64], index: Num) -> Num {
        if let Some(at) = index.constant() {
            let entry = usize::try_from(at).ok().and_then(|at| values.get(at));
            return Num::known(entry.copied().unwrap_or(NONE));
        }
        let known = || values.iter().copied().filter(|value| *value != NONE);
        let (Some(low), Some(high)) = (known().min(), known().max()) else { return Num::known(NONE) };
        let (at, fits) = self.table_index(values.len(), index);
        let bytes = self.b.ins().ishl_imm_u(at, 3);
        let base = self.constant(values.as_ptr() as i64);
        let address = self.b.ins().iadd(base, bytes);
        let entry = self.b.ins().load(types::I64, unchanging(), address, 0);
        self.only_if(fits, Num { word: Word::Value(entry), low, high, missing: values.contains(&NONE) })
    }

    /// The plane of pieces of a kind and an owner; none where there are no such pieces.
    pub fn piece_of(&mut self, kind: Num, owner: Num) -> Num {
        let plan = self.plan;
        let at = |number: i64| usize::try_from(number).ok();
        if let Some(kind) = kind.constant() {
            let of_kind = at(kind).and_then(|kind| plan.pieces.chunks_exact(plan.owners).nth(kind));
            return self.table_entry(of_kind.unwrap_or_default(), owner);
        }
        let kinds = plan.pieces.len() / plan.owners;
        let ((kind, is_kind), (owner, is_owner)) =
            (self.table_index(kinds, kind), self.table_index(plan.owners, owner));
        let row = self.b.ins().imul_imm_s(kind, plan.owners as i64);
        let index = self.b.ins().iadd(row, owner);
        let entry = self.table_entry(&plan.pieces, Num::within(index, 0, plan.pieces.len() as i64 - 1));
        let fits = self.flags_and(is_kind, is_owner);
        self.only_if(fits, entry)
    }

    /// A row of a table of sets; none where there is no such row.
    pub fn table_row(&mut self, rows: &[SiteSet], index: Num) -> Words {
        let words = self.plan.words;
        if let Some(at) = index.constant() {
            let row = usize::try_from(at).ok().and_then(|at| rows.get(at)).copied().unwrap_or(SiteSet::EMPTY);
            let row: Vec<u64> = row.words().iter().take(words).copied().collect();
            return self.words(&row);
        }
        let (at, fits) = self.table_index(rows.len(), index);
        let bytes = self.b.ins().imul_imm_s(at, size_of::<SiteSet>() as i64);
        let base = self.constant(rows.as_ptr() as i64);
        let address = self.b.ins().iadd(base, bytes);
        let row = self.row_from(address);
        match fits {
            Flag::Known(true) => row,
            fits => row.iter().map(|word| self.select(fits, *word, Word::Known(0))).collect(),
        }
    }

    /// A number that surely is one of an entry, and whether it is the one that was meant.
    fn table_index(&mut self, entries: usize, index: Num) -> (Value, Flag) {
        let value = self.value(index.word);
        let entries = entries as i64;
        if !index.missing && index.low >= 0 && index.high < entries {
            return (value, Flag::Known(true));
        }
        let fits = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, value, entries);
        let zero = self.constant(0);
        (self.b.ins().select(fits, value, zero), Flag::Value(fits))
    }
}
