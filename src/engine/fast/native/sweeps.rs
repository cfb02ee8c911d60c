//! Numbers tracked per site that change at many sites at once: all new ones are read before any is written.

use super::emit::Emit;
use super::memory::Region;
use super::stage::{Numbers, Stage, Sweep};
use super::value::{Flag, Num, Word};
use crate::program::ir::{Domain, Effect, Int, Part, Sets, Test};
use crate::rules::CompareOp;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, StackSlotData, StackSlotKind, Value, types};

/// A change of the entries of all members of a set.
pub(super) struct Entries<'e> {
    slot: u16,
    members: &'e Sets,
    base: u16,
    value: &'e Int,
    range: Option<(i64, i64)>,
    guard: &'e Test,
}

impl Entries<'_> {
    /// Whether the number, or whether there is one, hangs on the member.
    fn tells_members_apart(&self) -> bool {
        let is_member = |part: &Part<'_>| matches!(part, Part::Int(Int::Slot(slot)) if *slot == self.slot);
        Part::Int(self.value).asks(&is_member) || Part::Test(self.guard).asks(&is_member)
    }
}

/// The change as one of entries, if it is one: each member has the entry of its own.
pub(super) fn entries(effect: &Effect) -> Option<Entries<'_>> {
    let Effect::Each { slot, domain: Domain::Sites(members), effect } = effect else { return None };
    let Effect::Set { base, index: Some(Int::Slot(index)), value, range, guard, .. } = &**effect else { return None };
    (index == slot).then_some(Entries { slot: *slot, members, base: *base, value, range: *range, guard })
}

impl Emit<'_, '_> {
    /// Reads the new numbers of the entries of a set.
    pub(super) fn gather_sweep(&mut self, entries: &Entries<'_>, stage: &mut Stage) {
        if entries.tells_members_apart() {
            return self.gather_own(entries, stage);
        }
        let guard = self.test(entries.guard);
        let (sites, none) = (self.set(entries.members), self.none());
        let sites = self.select_words(guard, &sites, &none);
        let number = self.int(entries.value);
        let (some, fits) = (self.any(&sites), self.fits(number, entries.range));
        self.require(&mut stage.fits, some, fits);
        stage.sweeps.push(Sweep { base: entries.base, sites, numbers: Numbers::Same(number.word) });
    }

    fn gather_own(&mut self, entries: &Entries<'_>, stage: &mut Stage) {
        let size = u32::try_from(8 * self.plan.bits).unwrap_or(u32::MAX);
        let room = self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3));
        let first = self.b.ins().stack_addr(types::I64, room, 0);
        let fits = self.variable(types::I8);
        let yes = self.flag(Flag::Known(true));
        self.b.def_var(fits, yes);
        let (taken, members) = (self.variables(), self.set(entries.members));
        self.each_member(&members, None, |e, site| {
            e.bind(entries.slot, site);
            let guard = e.test(entries.guard);
            e.when(guard, |e| {
                let number = e.int(entries.value);
                let one = e.fits(number, entries.range);
                let so_far = Flag::Value(e.b.use_var(fits));
                let held = e.flags_and(so_far, one);
                let held = e.flag(held);
                e.b.def_var(fits, held);
                let (number, address) = (e.value(number.word), e.number_place(first, site));
                e.store(number, Region::Out, address, 0);
                let bit = e.single(site);
                e.gather(&taken, &bit);
            });
        });
        let held = Flag::Value(self.b.use_var(fits));
        stage.fits = self.flags_and(stage.fits, held);
        let sites = self.gathered(&taken);
        stage.sweeps.push(Sweep { base: entries.base, sites, numbers: Numbers::Own(first) });
    }

    /// Whether a number is known and within a range.
    pub(super) fn fits(&mut self, number: Num, range: Option<(i64, i64)>) -> Flag {
        let Some((low, high)) = range else { return Flag::Known(true) };
        let above = self.compare(CompareOp::GreaterEqual, number, Num::known(low));
        let below = self.compare(CompareOp::LessEqual, number, Num::known(high));
        self.flags_and(above, below)
    }

    /// The place of the number of a site on the stack.
    fn number_place(&mut self, first: Value, site: Num) -> Value {
        let site = self.value(site.word);
        let bytes = self.b.ins().ishl_imm_u(site, 3);
        self.b.ins().iadd(first, bytes)
    }

    fn number_at(&mut self, sweep: &Sweep, site: Num) -> Word {
        match sweep.numbers {
            Numbers::Same(word) => word,
            Numbers::Own(first) => {
                let address = self.number_place(first, site);
                Word::Value(self.load(Region::Out, address, 0))
            }
        }
    }

    /// No entry takes two different values.
    pub(super) fn keep_sweeps_apart(&mut self, stage: &mut Stage) {
        let mut fits = stage.fits;
        for (at, sweep) in stage.sweeps.iter().enumerate() {
            for other in stage.sweeps[..at].iter().filter(|other| other.base == sweep.base) {
                let clash = self.sweeps_clash(sweep, other);
                self.refuse(&mut fits, clash);
            }
            for cell in &stage.cells {
                let place = self.value(cell.place);
                let site = self.b.ins().iadd_imm_s(place, -i64::from(sweep.base));
                // A cell of another memory is at no position of this one.
                let last = self.plan.bits as i64 - 1;
                let on = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, site, last);
                let zero = self.constant(0);
                let site = Num::within(self.b.ins().select(on, site, zero), 0, last);
                let met = self.contains(&sweep.sites, site);
                let met = self.flags_and(Flag::Value(on), met);
                let own = self.number_at(sweep, site);
                let differ = self.compare_words(CompareOp::NotEqual, own, cell.value);
                let clash = self.flags_and(met, differ);
                let clash = self.flags_and(clash, cell.guard);
                self.refuse(&mut fits, clash);
            }
        }
        stage.fits = fits;
    }

    fn sweeps_clash(&mut self, sweep: &Sweep, other: &Sweep) -> Flag {
        let both = self.both(&sweep.sites, &other.sites);
        if let (Numbers::Same(one), Numbers::Same(another)) = (sweep.numbers, other.numbers) {
            let (meet, differ) = (self.any(&both), self.compare_words(CompareOp::NotEqual, one, another));
            return self.flags_and(meet, differ);
        }
        let clash = self.variable(types::I8);
        let no = self.flag(Flag::Known(false));
        self.b.def_var(clash, no);
        self.each_member(&both, Some(clash), |e, site| {
            let (one, another) = (e.number_at(sweep, site), e.number_at(other, site));
            let differ = e.compare_words(CompareOp::NotEqual, one, another);
            let differ = e.flag(differ);
            e.b.def_var(clash, differ);
        });
        Flag::Value(self.b.use_var(clash))
    }

    pub(super) fn commit_sweep(&mut self, sweep: &Sweep) {
        self.each_member(&sweep.sites, None, |e, site| {
            let number = e.number_at(sweep, site);
            let (number, address) = (e.value(number), e.number_place(e.now.cells, site));
            e.store(number, Region::Cells, address, 8 * usize::from(sweep.base));
        });
    }
}
