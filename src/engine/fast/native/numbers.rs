//! Instructions that make numbers, as machine code.

use super::emit::Emit;
use super::memory::Region;
use super::sets::opposite;
use super::value::{Flag, Num, Word};
use crate::program::ir::{Domain, Int, NONE, Sets, Test, When};
use crate::program::range_of;
use crate::rules::{ArithmeticOp, CompareOp, Reduce};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::Variable;

impl Emit<'_, '_> {
    pub fn int(&mut self, e: &Int) -> Num {
        match e {
            Int::Const(number) => Num::known(*number),
            Int::Slot(slot) => match self.scope.ints.get(slot) {
                Some(number) => *number,
                None => {
                    let at = usize::from(*slot);
                    Num::any(self.load(Region::Int(at), self.ints, 8 * at))
                }
            },
            Int::Cell(cell, when) => {
                let base = self.base(*when).cells;
                let number = self.load(Region::Cells, base, 8 * usize::from(*cell));
                self.of_cell(*cell, number)
            }
            Int::CellAt { base, count, index, when } => {
                let index = self.int(index);
                let cells = self.base(*when).cells;
                if let Some(index) = index.constant() {
                    return if (0..i64::from(*count)).contains(&index) {
                        let number = self.load(Region::Cells, cells, 8 * (usize::from(*base) + index as usize));
                        self.of_cell(*base, number)
                    } else {
                        Num::known(NONE)
                    };
                }
                let index = self.value(index.word);
                let fits = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, index, i64::from(*count));
                let zero = self.constant(0);
                let index = self.b.ins().select(fits, index, zero);
                let bytes = self.b.ins().ishl_imm_u(index, 3);
                let address = self.b.ins().iadd(cells, bytes);
                let cell = self.load(Region::Cells, address, 8 * usize::from(*base));
                let number = self.of_cell(*base, cell);
                self.only_if(Flag::Value(fits), number)
            }
            Int::Table { values, index } => {
                let index = self.int(index);
                self.table_entry(values, index)
            }
            Int::Count(set) => {
                if let Some(count) = self.count_of_few(set) {
                    return count;
                }
                let set = self.set(set);
                self.count(&set)
            }
            Int::Only(set) => {
                let set = self.bits(set);
                self.only(&set)
            }
            Int::Step(direction, from) => {
                // Several steps in one direction are one entry of a table.
                let (mut start, mut steps) = (&**from, 1);
                while let Int::Step(same, inner) = start
                    && same == direction
                {
                    (start, steps) = (&**inner, steps + 1);
                }
                if let Some(walk) = self.plan.walk(usize::from(*direction), steps) {
                    let start = self.int(start);
                    return self.entry(walk, start);
                }
                let from = self.int(from);
                self.step(usize::from(*direction), from)
            }
            Int::Ahead { from, direction, steps } => {
                let (from, direction, steps) = (self.int(from), self.int(direction), self.int(steps));
                self.ahead(from, direction, steps)
            }
            Int::Beyond { from, direction, through } => {
                let (from, direction) = (self.int(from), self.int(direction));
                let through = self.set(through);
                self.beyond(direction, from, &through)
            }
            Int::RowLength { from, directions, through } => self.row_length(e, from, directions, through),
            Int::Direction(a, b) => {
                let (a, b) = (self.int(a), self.int(b));
                let plan = self.plan;
                let found = self.by_pair(&plan.aims, a, b);
                Num { high: 15, ..found }
            }
            Int::Distance(a, b) => {
                let (a, b) = (self.int(a), self.int(b));
                let plan = self.plan;
                self.by_pair(&plan.distances, a, b)
            }
            Int::Owner(site, when) => {
                let plan = self.plan;
                let found = self.by_plane(&plan.owner_of, site, *when);
                Num { low: 0, high: 31, ..found }
            }
            Int::Kind(site, when) => {
                let plan = self.plan;
                let found = self.by_plane(&plan.kind_of, site, *when);
                Num { low: 0, high: 63, ..found }
            }
            Int::Piece(site, when) => self.content(site, *when),
            Int::Owners(set, when) => {
                let plan = self.plan;
                self.met(&plan.planes_of_owner, set, *when)
            }
            Int::KindsIn(set, when) => {
                let plan = self.plan;
                self.met(&plan.planes_of_kind, set, *when)
            }
            Int::Arithmetic(op, a, b) => {
                let (a, b) = (self.int(a), self.int(b));
                self.arithmetic(*op, a, b)
            }
            Int::Negative(inner) => {
                let inner = self.int(inner);
                self.arithmetic(ArithmeticOp::Subtract, Num::known(0), inner)
            }
            Int::Abs(inner) => {
                let inner = self.int(inner);
                let value = self.value(inner.word);
                let less = self.b.ins().ineg(value);
                let value = self.b.ins().smax(value, less);
                // The mark of a missing number is its own opposite.
                let high = inner.high.max(inner.low.saturating_neg());
                Num { word: Word::Value(value), low: 0, high, missing: inner.missing }
            }
            Int::Max(a, b) => {
                let (a, b) = (self.int(a), self.int(b));
                let (x, y) = (self.value(a.word), self.value(b.word));
                let value = self.b.ins().smax(x, y);
                let most =
                    Num { word: Word::Value(value), low: a.low.max(b.low), high: a.high.max(b.high), missing: false };
                let known = self.both_known(a, b);
                self.only_if(known, most)
            }
            Int::Min(a, b) => {
                let (a, b) = (self.int(a), self.int(b));
                let (x, y) = (self.value(a.word), self.value(b.word));
                let value = self.b.ins().smin(x, y);
                Num {
                    word: Word::Value(value),
                    low: a.low.min(b.low),
                    high: a.high.min(b.high),
                    missing: a.missing || b.missing,
                }
            }
            Int::With { kept, of } => {
                self.bind_kept(kept);
                self.int(of)
            }
            Int::If(test, a, b) => {
                let test = self.test(test);
                self.choose_number(test, |e| e.int(a), |e| e.int(b))
            }
            Int::Reduce { reduce, slot, domain, test, body } => self.reduce(*reduce, *slot, domain, test, body),
            Int::MaskWhere { slot, domain, test } => {
                let mask = self.variable(types::I64);
                self.set_variable(mask, Word::Known(0));
                let domain = self.int(domain);
                self.each_bit(domain, None, |e, member| {
                    e.bind(*slot, member);
                    let test = e.test(test);
                    e.when(test, |e| {
                        let bit = e.bit(member);
                        let old = e.read(mask);
                        let new = e.or(old, bit.word);
                        e.set_variable(mask, new);
                    });
                });
                self.mask_in(mask)
            }
            Int::MaskCollect { slot, domain, test, body } => {
                let mask = self.variable(types::I64);
                self.set_variable(mask, Word::Known(0));
                self.each(*slot, domain, None, |e| {
                    let test = e.test(test);
                    e.when(test, |e| {
                        let body = e.int(body);
                        let more = e.as_mask(body);
                        let old = e.read(mask);
                        let new = e.or(old, more);
                        e.set_variable(mask, new);
                    });
                });
                self.mask_in(mask)
            }
            Int::MaskAnd(a, b) => {
                let (a, b) = (self.int(a), self.int(b));
                let (a, b) = (self.as_mask(a), self.as_mask(b));
                let word = self.and(a, b);
                self.mask(word)
            }
            Int::MaskOr(a, b) => {
                let (a, b) = (self.int(a), self.int(b));
                let (a, b) = (self.as_mask(a), self.as_mask(b));
                let word = self.or(a, b);
                self.mask(word)
            }
            Int::MaskNot(every, inner) => {
                let inner = self.int(inner);
                let inner = self.as_mask(inner);
                let word = self.and_not(Word::Known(*every as u64), inner);
                self.mask(word)
            }
            Int::Bit(inner) => {
                let inner = self.int(inner);
                self.bit(inner)
            }
            Int::OnlyBit(inner) => {
                let inner = self.int(inner);
                let mask = self.as_mask(inner);
                if let Word::Known(mask) = mask {
                    let only = mask.count_ones() == 1;
                    return Num::known(if only { i64::from(mask.trailing_zeros()) } else { NONE });
                }
                let mask = self.value(mask);
                let count = self.b.ins().popcnt(mask);
                let one = self.b.ins().icmp_imm_u(IntCC::Equal, count, 1);
                let place = self.b.ins().ctz(mask);
                self.only_if(Flag::Value(one), Num::within(place, 0, 31))
            }
            Int::Ones(inner) => {
                let inner = self.int(inner);
                let mask = self.as_mask(inner);
                match mask {
                    Word::Known(mask) => Num::known(i64::from(mask.count_ones())),
                    Word::Value(mask) => Num::within(self.b.ins().popcnt(mask), 0, 32),
                }
            }
            Int::Opposite(inner) => {
                let inner = self.int(inner);
                if let Some(way) = inner.constant() {
                    return Num::known(if (0..16).contains(&way) { opposite(way as usize) as i64 } else { NONE });
                }
                let value = self.value(inner.word);
                let fits = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, value, 16);
                let turned = self.b.ins().bxor_imm_u(value, 8);
                self.only_if(Flag::Value(fits), Num::within(turned, 0, 15))
            }
            Int::OppositeMask(inner) => {
                let inner = self.int(inner);
                if let Some(mask) = inner.constant() {
                    return Num::known(i64::from((mask as u16).rotate_left(8)));
                }
                let value = self.value(inner.word);
                let low = self.b.ins().band_imm_u(value, 0xFFFF);
                let (up, down) = (self.b.ins().ishl_imm_u(low, 8), self.b.ins().ushr_imm_u(low, 8));
                let turned = self.b.ins().bor(up, down);
                Num::within(self.b.ins().band_imm_u(turned, 0xFFFF), 0, 0xFFFF)
            }
            Int::Pieces(..) | Int::Among { .. } | Int::Upper { .. } | Int::Lower { .. } | Int::Pile { .. } => {
                self.of_stack(e)
            }
            Int::Turn => self.scene.turn,
            Int::Ply => self.scene.ply,
            Int::Next => self.scene.next,
            Int::Truth(yes, no) => {
                let yes = self.test(yes);
                self.choose_number(
                    yes,
                    |_| Num::known(1),
                    |e| {
                        let no = e.test(no);
                        let word = e.select(no, Word::Known(0), Word::Known(NONE as u64));
                        Num { word, low: 0, high: 1, missing: true }
                    },
                )
            }
            Int::Make(kind, owner) => {
                let (kind, owner) = (self.int(kind), self.int(owner));
                self.piece_of(kind, owner)
            }
            Int::Primitive(..) => self.int_by_host(e),
        }
    }

    /// One number or the other, worked out only when it is wanted.
    pub fn choose_number(
        &mut self,
        flag: Flag,
        yes: impl FnOnce(&mut Self) -> Num,
        no: impl FnOnce(&mut Self) -> Num,
    ) -> Num {
        match flag {
            Flag::Known(true) => yes(self),
            Flag::Known(false) => no(self),
            Flag::Value(_) => {
                let chosen = self.variable(types::I64);
                let (mut a, mut b) = (None, None);
                self.branch(
                    flag,
                    |e| {
                        let number = yes(e);
                        e.set_variable(chosen, number.word);
                        a = Some(number);
                    },
                    |e| {
                        let number = no(e);
                        e.set_variable(chosen, number.word);
                        b = Some(number);
                    },
                );
                self.one_of(chosen, a, b)
            }
        }
    }

    /// What is known of a number that is one or the other, as far as these are there.
    pub fn one_of(&mut self, chosen: Variable, a: Option<Num>, b: Option<Num>) -> Num {
        let result = Num::any(self.b.use_var(chosen));
        let fits = |number: Num| (number.constant() != Some(NONE)).then_some(number);
        match (a.and_then(fits), b.and_then(fits), a.zip(b)) {
            (Some(a), Some(b), _) => {
                Num { low: a.low.min(b.low), high: a.high.max(b.high), missing: a.missing || b.missing, ..result }
            }
            (Some(one), None, Some(_)) | (None, Some(one), Some(_)) => Num { low: one.low, high: one.high, ..result },
            _ => result,
        }
    }

    fn mask(&self, word: Word) -> Num {
        Num { word, low: 0, high: i64::from(u32::MAX), missing: false }
    }

    fn mask_in(&mut self, variable: Variable) -> Num {
        let word = self.read(variable);
        self.mask(word)
    }

    fn as_mask(&mut self, number: Num) -> Word {
        if !number.missing && number.low >= 0 && number.high <= i64::from(u32::MAX) {
            return number.word;
        }
        self.and(number.word, Word::Known(u64::from(u32::MAX)))
    }

    fn bit(&mut self, number: Num) -> Num {
        if let Some(known) = number.constant() {
            return Num::known(if (0..32).contains(&known) { 1 << known } else { 0 });
        }
        let value = self.value(number.word);
        let one = self.constant(1);
        let bit = self.b.ins().ishl(one, value);
        if !number.missing && number.low >= 0 && number.high < 32 {
            return self.mask(Word::Value(bit));
        }
        let fits = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, value, 32);
        let word = self.select(Flag::Value(fits), Word::Value(bit), Word::Known(0));
        self.mask(word)
    }

    pub fn both_known(&mut self, a: Num, b: Num) -> Flag {
        let (a, b) = (self.is_known(a), self.is_known(b));
        self.flags_and(a, b)
    }

    /// A number that a cell holds, and what is known of it in every state.
    fn of_cell(&self, cell: u16, number: Value) -> Num {
        match range_of(&self.plan.program.memories, cell) {
            Some((low, high)) => Num::within(number, low, high),
            None => Num::any(number),
        }
    }

    /// Whether two numbers are there and compare as said, decided here where what is known of them tells.
    pub fn compare(&mut self, op: CompareOp, a: Num, b: Num) -> Flag {
        let known = self.both_known(a, b);
        let (below, above) = (a.high < b.low, a.low > b.high);
        let (at_most, at_least) = (a.high <= b.low, a.low >= b.high);
        let decided = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
        let held = match op {
            CompareOp::Equal => decided(false, below || above),
            CompareOp::NotEqual => decided(below || above, false),
            CompareOp::Less => decided(below, at_least),
            CompareOp::LessEqual => decided(at_most, above),
            CompareOp::Greater => decided(above, at_most),
            CompareOp::GreaterEqual => decided(at_least, below),
        };
        let held = held.map_or_else(|| self.compare_words(op, a.word, b.word), Flag::Known);
        self.flags_and(known, held)
    }

    fn reduce(&mut self, reduce: Reduce, slot: u16, domain: &Domain, test: &Test, body: &Int) -> Num {
        let (result, stop) = (self.variable(types::I64), self.variable(types::I8));
        let first = if reduce == Reduce::Sum { 0 } else { NONE };
        self.set_variable(result, Word::Known(first as u64));
        let open = self.flag(Flag::Known(false));
        self.b.def_var(stop, open);
        // Members of sets are so few that a sum of small numbers is no large one.
        let few = reduce == Reduce::Sum && matches!(domain, Domain::Sites(_) | Domain::Mask(_));
        let most = self.plan.bits as i64;
        let mut range = few.then_some((0, 0));
        self.each(slot, domain, Some(stop), |e| {
            let test = e.test(test);
            e.when(test, |e| {
                let (number, so_far) = (e.int(body), e.b.use_var(result));
                let is_small = !number.missing && number.is_small();
                range = range
                    .filter(|_| is_small)
                    .map(|(low, high): (i64, i64)| (low.min(most * number.low), high.max(most * number.high)));
                if few && is_small {
                    let number = e.value(number.word);
                    let next = e.b.ins().iadd(so_far, number);
                    return e.b.def_var(result, next);
                }
                let next = e.reduced(reduce, Num::any(so_far), number);
                e.set_variable(result, next.word);
                let done = e.compare_words(CompareOp::Equal, next.word, Word::Known(NONE as u64));
                let done = e.flag(done);
                e.b.def_var(stop, done);
            });
        });
        let result = self.b.use_var(result);
        range.map_or(Num::any(result), |(low, high)| Num::within(result, low, high))
    }

    fn reduced(&mut self, reduce: Reduce, so_far: Num, number: Num) -> Num {
        match reduce {
            Reduce::Sum => self.arithmetic(ArithmeticOp::Add, so_far, number),
            Reduce::Most => {
                let (a, b) = (self.value(so_far.word), self.value(number.word));
                let value = self.b.ins().smax(a, b);
                let known = self.is_known(number);
                self.only_if(known, Num { word: Word::Value(value), ..number })
            }
            Reduce::Least => {
                let (a, b) = (self.value(so_far.word), self.value(number.word));
                let least = self.b.ins().smin(a, b);
                let begun = self.is_known(so_far);
                let word = self.select(begun, Word::Value(least), number.word);
                let known = self.is_known(number);
                self.only_if(known, Num { word, ..number })
            }
        }
    }

    pub fn arithmetic(&mut self, op: ArithmeticOp, a: Num, b: Num) -> Num {
        if a.constant() == Some(NONE) || b.constant() == Some(NONE) {
            return Num::known(NONE);
        }
        let small = a.is_small() && b.is_small();
        let plain = match op {
            ArithmeticOp::Add if small => {
                let (x, y) = (self.value(a.word), self.value(b.word));
                Some((self.b.ins().iadd(x, y), a.low + b.low, a.high + b.high))
            }
            ArithmeticOp::Subtract if small => {
                let (x, y) = (self.value(a.word), self.value(b.word));
                Some((self.b.ins().isub(x, y), a.low - b.high, a.high - b.low))
            }
            ArithmeticOp::Multiply if small => {
                let (x, y) = (self.value(a.word), self.value(b.word));
                let ends = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
                let (low, high) =
                    ends.iter().fold((i64::MAX, i64::MIN), |(low, high), end| (low.min(*end), high.max(*end)));
                Some((self.b.ins().imul(x, y), low, high))
            }
            ArithmeticOp::Divide if small && a.low >= 0 && b.constant().is_some_and(|by| by > 0) => {
                let (x, y) = (self.value(a.word), self.value(b.word));
                Some((self.b.ins().udiv(x, y), 0, a.high))
            }
            ArithmeticOp::Modulo if small && a.low >= 0 && b.constant().is_some_and(|by| by > 0) => {
                let (x, y) = (self.value(a.word), self.value(b.word));
                Some((self.b.ins().urem(x, y), 0, b.high - 1))
            }
            _ => None,
        };
        let known = self.both_known(a, b);
        if let Some((value, low, high)) = plain {
            if let (Some(x), Some(y)) = (a.constant(), b.constant()) {
                return Num::known(op.apply(x, y).unwrap_or(NONE));
            }
            return self.only_if(known, Num::within(value, low, high));
        }
        let address = match op {
            ArithmeticOp::Add => self.plan.addresses.add,
            ArithmeticOp::Subtract => self.plan.addresses.subtract,
            ArithmeticOp::Multiply => self.plan.addresses.multiply,
            ArithmeticOp::Divide => self.plan.addresses.divide,
            ArithmeticOp::Modulo => self.plan.addresses.modulo,
        };
        let (a, b) = (self.value(a.word), self.value(b.word));
        Num::any(self.call(address, &[a, b]))
    }

    pub(super) fn by_pair(&mut self, table: &[i16], a: Num, b: Num) -> Num {
        let rows = self.plan.rows;
        if let (Some(a), Some(b)) = (a.constant(), b.constant()) {
            let at = |number: i64| usize::try_from(number).unwrap_or(rows - 1).min(rows - 1);
            let entry = i64::from(table[at(a) * rows + at(b)]);
            return Num::known(if entry < 0 { NONE } else { entry });
        }
        let (a, b) = (self.index(a), self.index(b));
        let row = self.b.ins().imul_imm_s(a, rows as i64);
        let index = self.b.ins().iadd(row, b);
        self.entry_at(table.as_ptr() as i64, index)
    }

    /// The plane of the piece at a site.
    pub fn content(&mut self, site: &Int, when: When) -> Num {
        let site = self.int(site);
        self.content_of(site, when)
    }

    pub fn content_of(&mut self, site: Num, when: When) -> Num {
        if let (Some(plane), When::Now) = (self.facts.plane_at(site), when) {
            return Num::known(plane);
        }
        let contents = self.base(when).contents;
        let high = self.plan.program.planes.len() as i64 - 1;
        let value = self.value(site.word);
        let fits = if self.is_position(site) {
            Flag::Known(true)
        } else {
            Flag::Value(self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, value, self.plan.bits as i64))
        };
        let index = self.select(fits, site.word, Word::Known(0));
        let index = self.value(index);
        let address = self.b.ins().iadd(contents, index);
        let plane = self.content_at(address);
        self.only_if(fits, Num::within(plane, 0, high))
    }

    fn by_plane(&mut self, table: &[i64], site: &Int, when: When) -> Num {
        let plane = self.content(site, when);
        let known = self.is_known(plane);
        let value = self.select(known, plane.word, Word::Known(0));
        let value = self.value(value);
        let bytes = self.b.ins().ishl_imm_u(value, 3);
        let base = self.constant(table.as_ptr() as i64);
        let address = self.b.ins().iadd(base, bytes);
        let found = self.constant_at(address, 0);
        self.only_if(known, Num::any(found))
    }

    fn met(&mut self, groups: &[u64], set: &Sets, when: When) -> Num {
        let set = self.set(set);
        let mut mask = Word::Known(0);
        for (index, planes) in groups.iter().enumerate().take(32) {
            let planes = self.planes(*planes, when);
            let both = self.both(&planes, &set);
            let any = self.any(&both);
            let bit = self.select(any, Word::Known(1 << index), Word::Known(0));
            mask = self.or(mask, bit);
        }
        self.mask(mask)
    }

    pub fn int_by_host(&mut self, e: &Int) -> Num {
        self.tell_scene();
        let node = self.constant(std::ptr::from_ref(e) as i64);
        let address = self.plan.addresses.int;
        Num::any(self.call(address, &[self.context, node]))
    }
}
