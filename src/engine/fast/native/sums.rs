//! Counts of sets, site by site: each bit of the counts is a set, so that all sites are counted at once.

use super::emit::Emit;
use super::value::{Num, Word, Words};
use crate::board::MAX_SITES;
use crate::program::ir::{Int, Sets, Tally};
use crate::rules::CompareOp;
use cranelift_codegen::ir::InstBuilder;
use cranelift_frontend::Variable;

impl Emit<'_, '_> {
    pub fn tally(&mut self, e: &Sets, tally: &Tally) -> Words {
        let Some((left, right)) = self.sums(tally) else { return self.set_by_host(e).words };
        self.compare_sums(tally.op, &left, &right)
    }

    pub fn ranked(&mut self, e: &Sets, greater: bool, equal: bool, levels: &[Tally], within: Words) -> Words {
        let known = |tally: &Tally| matches!(&tally.offset, Int::Const(offset) if offset.unsigned_abs() <= 4_096);
        if !levels.iter().all(|tally| known(tally) || self.range_of_offset(tally)) {
            let set = self.set_by_host(e).words;
            return self.both(&set, &within);
        }
        let (found, open) = (self.variables(), self.kept(&within));
        self.levels(greater, levels, &found, &open);
        if equal {
            let rest = self.gathered(&open);
            self.gather(&found, &rest);
        }
        self.gathered(&found)
    }

    /// The offset is a number that counts something, so that few bits hold it.
    fn range_of_offset(&self, tally: &Tally) -> bool {
        fn most(int: &Int) -> Option<i64> {
            match int {
                Int::Const(number) if number.unsigned_abs() <= 4_096 => Some(number.abs()),
                Int::Count(_) | Int::Ones(_) => Some(MAX_SITES as i64),
                Int::Negative(inner) => most(inner),
                Int::Arithmetic(crate::rules::ArithmeticOp::Add | crate::rules::ArithmeticOp::Subtract, a, b) => {
                    Some(most(a)? + most(b)?).filter(|most| *most <= 4_096)
                }
                _ => None,
            }
        }
        most(&tally.offset).is_some()
    }

    fn levels(&mut self, greater: bool, levels: &[Tally], found: &[Variable], open: &[Variable]) {
        let Some((level, rest)) = levels.split_first() else { return };
        let some = self.gathered(open);
        let some = self.any(&some);
        self.when(some, |e| {
            let Some((left, right)) = e.sums(level) else { return };
            let op = if greater { CompareOp::Greater } else { CompareOp::Less };
            let ahead = e.compare_sums(op, &left, &right);
            let same = e.compare_sums(CompareOp::Equal, &left, &right);
            let here = e.gathered(open);
            let ahead = e.both(&ahead, &here);
            e.gather(found, &ahead);
            let here = e.both(&here, &same);
            e.keep(open, &here);
            e.levels(greater, rest, found, open);
        });
    }

    /// Both sides of a comparison as bits of numbers, the lowest first; none where the offset may be anything.
    fn sums(&mut self, tally: &Tally) -> Option<(Vec<Words>, Vec<Words>)> {
        let offset = match &tally.offset {
            Int::Const(offset) if offset.unsigned_abs() <= 4_096 => Num::known(*offset),
            _ if self.range_of_offset(tally) => self.int(&tally.offset),
            _ => return None,
        };
        let mut left: Vec<Words> = tally.left.iter().map(|set| self.set(set)).collect();
        let mut right: Vec<Words> = tally.right.iter().map(|set| self.set(set)).collect();
        left.retain(|set| set.iter().any(|word| *word != Word::Known(0)));
        right.retain(|set| set.iter().any(|word| *word != Word::Known(0)));
        let (mut left, mut right) = (self.sum(left), self.sum(right));
        match offset.constant() {
            Some(offset) => {
                let side = if offset >= 0 { &mut left } else { &mut right };
                let bits =
                    self.spread_bits(Word::Known(offset.unsigned_abs()), 64 - offset.unsigned_abs().leading_zeros());
                *side = self.add(side, &bits);
            }
            None => {
                // It is added to one side or to the other.
                let value = self.value(offset.word);
                let zero = self.constant(0);
                let (up, down) = (self.b.ins().smax(value, zero), self.b.ins().ineg(value));
                let down = self.b.ins().smax(down, zero);
                let bits = |most: i64| 64 - most.max(0).leading_zeros();
                let (most_up, most_down) = (bits(offset.high), bits(offset.low.saturating_neg()));
                let up = self.spread_bits(Word::Value(up), most_up);
                let down = self.spread_bits(Word::Value(down), most_down);
                left = self.add(&left, &up);
                right = self.add(&right, &down);
            }
        }
        Some((left, right))
    }

    /// The bits of a number, each for every site.
    fn spread_bits(&mut self, number: Word, count: u32) -> Vec<Words> {
        (0..count)
            .map(|place| {
                let all = self.all();
                match number {
                    Word::Known(number) => {
                        if number >> place & 1 == 1 {
                            all
                        } else {
                            self.none()
                        }
                    }
                    Word::Value(value) => {
                        let moved = self.b.ins().ushr_imm_u(value, i64::from(place));
                        let bit = self.b.ins().band_imm_u(moved, 1);
                        let mask = self.b.ins().ineg(bit);
                        all.iter().map(|word| self.and(*word, Word::Value(mask))).collect()
                    }
                }
            })
            .collect()
    }

    /// How many of the sets hold each site: three of one weight make one of it and one of the next.
    fn sum(&mut self, sets: Vec<Words>) -> Vec<Words> {
        let mut bits = Vec::new();
        let mut here = sets;
        while !here.is_empty() {
            let mut next = Vec::new();
            while here.len() >= 3 {
                let (Some(a), Some(b), Some(c)) = (here.pop(), here.pop(), here.pop()) else { break };
                let odd = self.differ(&a, &b);
                let pair = self.both(&a, &b);
                let third = self.both(&odd, &c);
                next.push(self.either(&pair, &third));
                here.insert(0, self.differ(&odd, &c));
            }
            if let (2, Some(a), Some(b)) = (here.len(), here.first().cloned(), here.get(1).cloned()) {
                next.push(self.both(&a, &b));
                here = vec![self.differ(&a, &b)];
            }
            bits.append(&mut here);
            here = next;
        }
        bits
    }

    fn add(&mut self, a: &[Words], b: &[Words]) -> Vec<Words> {
        let none = self.none();
        let mut carry = self.none();
        let mut sum = Vec::new();
        for place in 0..a.len().max(b.len()) {
            let (a, b) = (a.get(place).unwrap_or(&none).clone(), b.get(place).unwrap_or(&none).clone());
            let odd = self.differ(&a, &b);
            let pair = self.both(&a, &b);
            let third = self.both(&odd, &carry);
            sum.push(self.differ(&odd, &carry));
            carry = self.either(&pair, &third);
        }
        if carry.iter().any(|word| *word != Word::Known(0)) {
            sum.push(carry);
        }
        sum
    }

    fn compare_sums(&mut self, op: CompareOp, left: &[Words], right: &[Words]) -> Words {
        let (none, all) = (self.none(), self.all());
        let places = left.len().max(right.len());
        let (mut greater, mut equal) = (self.none(), self.all());
        for place in (0..places).rev() {
            let (a, b) = (left.get(place).unwrap_or(&none).clone(), right.get(place).unwrap_or(&none).clone());
            if !matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
                let more = self.minus(&a, &b);
                let more = self.both(&more, &equal);
                greater = self.either(&greater, &more);
            }
            let differ = self.differ(&a, &b);
            equal = self.minus(&equal, &differ);
        }
        match op {
            CompareOp::Equal => equal,
            CompareOp::NotEqual => self.minus(&all, &equal),
            CompareOp::Greater => greater,
            CompareOp::GreaterEqual => self.either(&greater, &equal),
            CompareOp::Less => {
                let rest = self.minus(&all, &greater);
                self.minus(&rest, &equal)
            }
            CompareOp::LessEqual => self.minus(&all, &greater),
        }
    }
}
