//! Stacks that are numbers, as machine code.

use super::emit::Emit;
use super::value::{Flag, Num, Word};
use crate::program::ir::Int;
use crate::rules::CompareOp;
use cranelift_codegen::ir::{InstBuilder, Value};

/// The bits of a number that is not negative.
const BITS: u16 = 63;

impl Emit<'_, '_> {
    /// An instruction that makes a number of a stack; all others are none of these.
    pub fn of_stack(&mut self, e: &Int) -> Num {
        match e {
            Int::Pieces(bits, stack) => {
                let stack = self.int(stack);
                let value = self.value(stack.word);
                let zeros = self.b.ins().clz(value);
                let all = self.constant(i64::from(i64::BITS - 1) + i64::from(*bits));
                let rounded = self.b.ins().isub(all, zeros);
                // A division by so small a number, of one not much larger, by a product and a shift.
                let product = self.b.ins().imul_imm_s(rounded, (1 << 16) / i64::from(*bits) + 1);
                let pieces = self.b.ins().ushr_imm_u(product, 16);
                let known = self.is_stack(stack);
                self.only_if(known, Num::within(pieces, 0, i64::from(BITS / bits)))
            }
            Int::Among { bits, planes, stack } => self.among(*bits, *planes, stack),
            Int::Upper { bits, stack, count } => {
                let (stack, count) = (self.int(stack), self.int(count));
                let width = self.width(*bits, count.word);
                let one = self.constant(1);
                let beyond = self.b.ins().ishl(one, width);
                let mask = self.b.ins().iadd_imm_s(beyond, -1);
                let value = self.value(stack.word);
                let upper = self.b.ins().band(value, mask);
                let known = self.all_stacks([stack, count]);
                self.only_if(known, Num::within(upper, 0, i64::MAX))
            }
            Int::Lower { bits, stack, count } => {
                let (stack, count) = (self.int(stack), self.int(count));
                let width = self.width(*bits, count.word);
                let value = self.value(stack.word);
                let lower = self.b.ins().ushr(value, width);
                let known = self.all_stacks([stack, count]);
                self.only_if(known, Num::within(lower, 0, i64::MAX))
            }
            Int::Pile { bits, most, upper, count, lower } => {
                let (upper, count, lower) = (self.int(upper), self.int(count), self.int(lower));
                let (top, number, rest) = (self.value(upper.word), self.value(count.word), self.value(lower.word));
                let most = self.constant(i64::from(*most));
                let room = self.b.ins().isub(most, number);
                let zero = self.constant(0);
                let room = self.b.ins().smax(room, zero);
                let room = self.width(*bits, Word::Value(room));
                let over = self.b.ins().ushr(rest, room);
                let fits = self.compare_words(CompareOp::Equal, Word::Value(over), Word::Known(0));
                let width = self.width(*bits, Word::Value(number));
                let below = self.b.ins().ishl(rest, width);
                let pile = self.b.ins().bor(top, below);
                let known = self.all_stacks([upper, count, lower]);
                let known = self.flags_and(known, fits);
                self.only_if(known, Num::within(pile, 0, i64::MAX))
            }
            other => self.int_by_host(other),
        }
    }

    /// The pieces on some planes: those of each are where the stack is the same as one of nothing else.
    fn among(&mut self, bits: u16, planes: u64, stack: &Int) -> Num {
        let stack = self.int(stack);
        let value = self.value(stack.word);
        let capacity = BITS / bits;
        let ones = (0..capacity).fold(0i64, |ones, at| ones | 1 << (at * bits));
        let mut found = self.constant(0);
        for plane in (0..64).filter(|plane| planes >> plane & 1 == 1) {
            let same = self.constant(ones.wrapping_mul(plane));
            let other = self.b.ins().bxor(value, same);
            // The lowest bit of a piece tells whether any of its bits differs.
            let mut differs = other;
            for by in 1..bits {
                let shifted = self.b.ins().ushr_imm_u(other, i64::from(by));
                differs = self.b.ins().bor(differs, shifted);
            }
            let lowest = self.constant(ones);
            let differs = self.b.ins().band(differs, lowest);
            let different = self.b.ins().popcnt(differs);
            let all = self.constant(i64::from(capacity));
            let equal = self.b.ins().isub(all, different);
            found = self.b.ins().iadd(found, equal);
        }
        let known = self.is_stack(stack);
        self.only_if(known, Num::within(found, 0, i64::from(capacity)))
    }

    /// How many bits so many pieces take, and never more than there are.
    fn width(&mut self, bits: u16, count: Word) -> Value {
        let most = self.constant(i64::from(BITS));
        let count = self.value(count);
        // Before the product, which could be too large else.
        let count = self.b.ins().umin(count, most);
        let width = self.b.ins().imul_imm_s(count, i64::from(bits));
        self.b.ins().umin(width, most)
    }

    /// A number is none less than nothing, which the mark of a missing one is.
    fn is_stack(&mut self, number: Num) -> Flag {
        if !number.missing && number.low >= 0 {
            return Flag::Known(true);
        }
        self.compare_words(CompareOp::GreaterEqual, number.word, Word::Known(0))
    }

    fn all_stacks<const N: usize>(&mut self, numbers: [Num; N]) -> Flag {
        numbers.into_iter().fold(Flag::Known(true), |all, number| {
            let one = self.is_stack(number);
            self.flags_and(all, one)
        })
    }
}
