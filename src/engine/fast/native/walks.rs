//! Steps from one site, one after the other: where they lead, and what they pass.

use super::emit::Emit;
use super::memory::unchanging;
use super::sets::{UNROLLED, opposite, ways};
use super::value::{Bits, Flag, Num, Word};
use crate::board::MOST_STEPS;
use crate::program::ir::{Int, NONE, Sets};
use crate::rules::{ArithmeticOp, CompareOp};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::Variable;

/// As many sites are asked one by one.
const FEW_STEPS: i64 = 4;

impl Emit<'_, '_> {
    pub fn step(&mut self, direction: usize, from: Num) -> Num {
        let plan = self.plan;
        self.entry(&plan.next[direction * plan.rows..][..plan.rows], from)
    }

    pub fn ahead(&mut self, from: Num, direction: Num, steps: Num) -> Num {
        match (direction.constant(), steps.constant()) {
            (_, Some(NONE)) => return Num::known(NONE),
            (Some(way @ 0..16), Some(steps @ -8..=8)) => {
                let way = if steps < 0 { opposite(way as usize) } else { way as usize };
                if let Some(walk) = self.plan.walk(way, steps.unsigned_abs() as usize) {
                    return self.entry(walk, from);
                }
                let mut at = from;
                for _ in 0..steps.unsigned_abs() {
                    at = self.step(way, at);
                }
                return at;
            }
            (Some(way), _) if !(0..16).contains(&way) => return Num::known(NONE),
            _ => {}
        }
        match &self.plan.walks {
            Some(walks) => self.ahead_by_table(from, direction, steps, walks),
            None => self.ahead_by_steps(from, direction, steps),
        }
    }

    fn ahead_by_table(&mut self, from: Num, direction: Num, steps: Num, walks: &[i16]) -> Num {
        let plan = self.plan;
        // As many steps lead to no site from anywhere.
        let most = walks.len() / (16 * plan.rows) - 1;
        let (mut way, mut fits) = (direction.word, self.is_known(steps));
        if let Word::Value(value) = way {
            let is_way = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, value, 16);
            fits = self.flags_and(fits, Flag::Value(is_way));
            way = Word::Value(self.b.ins().band_imm_u(value, 15));
        }
        let mut count = self.value(steps.word);
        if steps.low < 0 {
            let back = self.compare_words(CompareOp::Less, steps.word, Word::Known(0));
            let turned = self.xor(way, Word::Known(8));
            way = self.select(back, turned, way);
            let least = self.b.ins().ineg(count);
            count = self.b.ins().smax(count, least);
        }
        if steps.low < 0 || steps.missing || steps.high > most as i64 {
            let most = self.constant(most as i64);
            count = self.b.ins().umin(count, most);
        }
        let way = self.value(way);
        let first = self.b.ins().imul_imm_s(way, (most + 1) as i64);
        let row = self.b.ins().iadd(first, count);
        let row = self.b.ins().imul_imm_s(row, plan.rows as i64);
        let from = self.index(from);
        let at = self.b.ins().iadd(row, from);
        let found = self.entry_at(walks.as_ptr() as i64, at);
        let found = Num { high: plan.bits as i64 - 1, ..found };
        self.only_if(fits, found)
    }

    fn ahead_by_steps(&mut self, from: Num, direction: Num, steps: Num) -> Num {
        let plan = self.plan;
        let way = self.value(direction.word);
        let count = self.value(steps.word);
        let back = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, count, 0);
        let turned = self.b.ins().bxor_imm_u(way, 8);
        let way = self.b.ins().select(back, turned, way);
        let fits = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, way, 16);
        let known = self.is_known(steps);
        let fits = self.flags_and(Flag::Value(fits), known);
        let least = self.b.ins().ineg(count);
        let count = self.b.ins().smax(count, least);
        let most = self.constant(MOST_STEPS.into());
        let count = self.b.ins().umin(count, most);
        let bytes = self.b.ins().imul_imm_s(way, 2 * plan.rows as i64);
        let base = self.constant(plan.next.as_ptr() as i64);
        let base = self.b.ins().iadd(base, bytes);
        // One past the last position stands for no site.
        let (at, left) = (self.variable(types::I64), self.variable(types::I64));
        let start = self.index(from);
        let outside = self.constant(plan.bits as i64);
        let start = self.select(fits, Word::Value(start), Word::Value(outside));
        self.set_variable(at, start);
        self.b.def_var(left, count);
        self.repeat(
            |e| {
                let (at, left) = (e.read(at), e.read(left));
                let some = e.compare_words(CompareOp::Greater, left, Word::Known(0));
                let on = e.compare_words(CompareOp::Less, at, Word::Known(plan.bits as u64));
                e.flags_and(some, on)
            },
            |e| {
                let here = e.b.use_var(at);
                let bytes = e.b.ins().ishl_imm_u(here, 1);
                let address = e.b.ins().iadd(base, bytes);
                let next = e.b.ins().sload16(types::I64, unchanging(), address, 0);
                let next = e.b.ins().umin(next, outside);
                e.b.def_var(at, next);
                let count = e.b.use_var(left);
                let less = e.b.ins().iadd_imm_s(count, -1);
                e.b.def_var(left, less);
            },
        );
        let at = self.b.use_var(at);
        let on = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, at, plan.bits as i64);
        self.only_if(Flag::Value(on), Num::within(at, 0, plan.bits as i64 - 1))
    }

    /// So many steps from the sites of a set in directions that are only known in the game: where they lead, or all that
    /// they pass.
    pub fn walked(&mut self, from: &Sets, directions: &Int, steps: &Int, passed: bool) -> Bits {
        let (from, directions, steps) = (self.bits(from), self.int(directions), self.int(steps));
        let found = self.variables();
        self.each_bit(directions, None, |e, direction| match from.single {
            Some(site) => e.walk(site, direction, steps, passed, &found),
            None => e.each_member(&from.words, None, |e, site| e.walk(site, direction, steps, passed, &found)),
        });
        self.gathered(&found).into()
    }

    fn walk(&mut self, from: Num, direction: Num, steps: Num, passed: bool, found: &[Variable]) {
        match (steps.constant(), passed) {
            (Some(steps @ 0..=UNROLLED), _) => self.walk_few(from, direction, steps, passed, found),
            (_, false) => {
                let site = self.ahead(from, direction, steps);
                let bit = self.single(site);
                self.gather(found, &bit);
            }
            (_, true) => self.walk_on(from, direction, steps, found),
        }
    }

    /// Where the steps in a direction begin in the table of steps.
    fn steps_towards(&mut self, direction: Num) -> Value {
        let way = self.value(direction.word);
        // Masks of directions have sixteen bits.
        let way = self.b.ins().band_imm_u(way, 15);
        let bytes = self.b.ins().imul_imm_s(way, 2 * self.plan.rows as i64);
        let base = self.constant(self.plan.next.as_ptr() as i64);
        self.b.ins().iadd(base, bytes)
    }

    /// The next site by such a table; one past the last position stands for none.
    fn next_by(&mut self, base: Value, at: Value) -> Value {
        let bytes = self.b.ins().ishl_imm_u(at, 1);
        let address = self.b.ins().iadd(base, bytes);
        let next = self.b.ins().sload16(types::I64, unchanging(), address, 0);
        let outside = self.constant(self.plan.bits as i64);
        self.b.ins().umin(next, outside)
    }

    fn walk_few(&mut self, from: Num, direction: Num, steps: i64, passed: bool, found: &[Variable]) {
        let base = self.steps_towards(direction);
        let mut at = self.index(from);
        let bits = self.plan.bits as i64;
        for step in 1..=steps {
            at = self.next_by(base, at);
            if passed && step < steps {
                let bit = self.single(Num::within(at, 0, bits));
                self.gather(found, &bit);
            }
        }
        if steps > 0 || !passed {
            let bit = self.single(Num::within(at, 0, bits));
            self.gather(found, &bit);
        }
    }

    /// The sites passed by as many steps as a number says, which is negative where it is missing.
    fn walk_on(&mut self, from: Num, direction: Num, steps: Num, found: &[Variable]) {
        let base = self.steps_towards(direction);
        let bits = self.plan.bits as i64;
        let (start, count) = (self.index(from), self.value(steps.word));
        let (at, left) = (self.variable(types::I64), self.variable(types::I64));
        self.b.def_var(at, start);
        // Lines that run in circles pass no more sites than there are.
        let most = self.constant(bits);
        let count = self.b.ins().smin(count, most);
        self.b.def_var(left, count);
        self.repeat(
            |e| {
                let (at, left) = (e.read(at), e.read(left));
                let some = e.compare_words(CompareOp::Greater, left, Word::Known(0));
                let on = e.compare_words(CompareOp::Less, at, Word::Known(bits as u64));
                e.flags_and(some, on)
            },
            |e| {
                let here = e.b.use_var(at);
                let next = e.next_by(base, here);
                e.b.def_var(at, next);
                let bit = e.single(Num::within(next, 0, bits));
                e.gather(found, &bit);
                let count = e.b.use_var(left);
                let less = e.b.ins().iadd_imm_s(count, -1);
                e.b.def_var(left, less);
            },
        );
    }

    /// How many of the few sites passed on the way from one site lie in sets, asked site by site where words are many.
    pub fn count_of_few(&mut self, set: &Sets) -> Option<Num> {
        let Sets::And(parts) = set else { return None };
        let at = parts.iter().position(|part| matches!(part, Sets::Trail { .. }))?;
        let Sets::Trail { from, directions, steps } = &parts[at] else { return None };
        let (Sets::One(from), Int::Bit(direction), Int::Const(steps @ 0..=FEW_STEPS)) =
            (&**from, &**directions, &**steps)
        else {
            return None;
        };
        // Where lines run in circles, a site may be passed twice.
        if self.plan.words == 1 || self.plan.walks.is_none() {
            return None;
        }
        let (from, direction) = (self.int(from), self.int(direction));
        let mut count = Num::known(0);
        for step in 1..=*steps {
            let site = self.ahead(from, direction, Num::known(step));
            let mut held = self.is_known(site);
            for (_, part) in parts.iter().enumerate().filter(|(other, _)| *other != at) {
                let member = self.is_member(part, site);
                held = self.flags_and(held, member);
            }
            let held = self.select(held, Word::Known(1), Word::Known(0));
            count = self.arithmetic(ArithmeticOp::Add, count, Num { word: held, low: 0, high: 1, missing: false });
        }
        Some(count)
    }

    pub fn row_length(&mut self, e: &Int, from: &Sets, directions: &Int, through: &Sets) -> Num {
        if let (Sets::One(from), Int::Bit(direction)) = (from, directions)
            && self.all_straight()
        {
            let (from, direction, through) = (self.int(from), self.int(direction), self.set(through));
            let (passed, _) = self.run_towards(direction, from, &through);
            let further = self.count(&passed);
            let length = self.arithmetic(ArithmeticOp::Add, further, Num::known(1));
            // No site is in no row.
            let known = self.is_known(from);
            let word = self.select(known, length.word, Word::Known(0));
            return Num { word, low: 0, ..length };
        }
        let Int::Const(directions) = directions else { return self.int_by_host(e) };
        let from_bits = self.bits(from);
        let from = self.only(&from_bits);
        let through = self.set(through);
        let alone = self.is_known(from);
        let plan = self.plan;
        self.choose_number(
            alone,
            |e| {
                let length = e.variable(types::I64);
                e.set_variable(length, Word::Known(1));
                for direction in ways(*directions).filter(|direction| plan.longest[*direction] > 0) {
                    let start = e.index(from);
                    let at = e.variable(types::I64);
                    let left = e.variable(types::I64);
                    e.b.def_var(at, start);
                    // A line that runs in a circle has no more steps than there are positions.
                    e.set_variable(left, Word::Known(plan.bits as u64));
                    let on = e.variable(types::I8);
                    let yes = e.flag(Flag::Known(true));
                    e.b.def_var(on, yes);
                    e.repeat(
                        |e| Flag::Value(e.b.use_var(on)),
                        |e| {
                            let here = e.b.use_var(at);
                            let next = e.step(direction, Num::within(here, 0, plan.bits as i64 - 1));
                            let met = e.contains(&through, next);
                            let some = e.read(left);
                            let some = e.compare_words(CompareOp::Greater, some, Word::Known(0));
                            let met = e.flags_and(met, some);
                            let flag = e.flag(met);
                            e.b.def_var(on, flag);
                            let index = e.index(next);
                            e.b.def_var(at, index);
                            let one = e.b.ins().uextend(types::I64, flag);
                            let so_far = e.b.use_var(length);
                            let more = e.b.ins().iadd(so_far, one);
                            e.b.def_var(length, more);
                            let count = e.b.use_var(left);
                            let less = e.b.ins().iadd_imm_s(count, -1);
                            e.b.def_var(left, less);
                        },
                    );
                }
                let length = e.b.use_var(length);
                Num::within(length, 1, plan.bits as i64 * 16)
            },
            |host| {
                let found = host.int_by_host(e);
                Num { low: 0, high: plan.bits as i64 * 16, ..found }
            },
        )
    }
}
