//! What instructions come to while machine code is written: words, sets, numbers and flags, and what is known of them.

use crate::program::ir::NONE;
use cranelift_codegen::ir::Value;

/// A machine word: known already, or the result of an instruction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Word {
    Known(u64),
    Value(Value),
}

/// The words of a set of positions.
pub type Words = Vec<Word>;

/// A set, and its only member where it was made from one.
#[derive(Clone, Debug)]
pub struct Bits {
    pub words: Words,
    pub single: Option<Num>,
}

impl From<Words> for Bits {
    fn from(words: Words) -> Self {
        Self { words, single: None }
    }
}

/// A number, with what is known of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Num {
    pub word: Word,
    /// Where it lies unless it is missing.
    pub low: i64,
    pub high: i64,
    /// It may be [`NONE`].
    pub missing: bool,
}

impl Num {
    pub fn known(number: i64) -> Self {
        Self { word: Word::Known(number as u64), low: number, high: number, missing: number == NONE }
    }

    /// Of unknown size, perhaps missing.
    pub fn any(value: Value) -> Self {
        Self { word: Word::Value(value), low: NONE + 1, high: i64::MAX, missing: true }
    }

    pub fn within(value: Value, low: i64, high: i64) -> Self {
        Self { word: Word::Value(value), low, high, missing: false }
    }

    pub fn or_missing(self) -> Self {
        Self { missing: true, ..self }
    }

    pub fn constant(self) -> Option<i64> {
        match self.word {
            Word::Known(number) => Some(number as i64),
            Word::Value(_) => None,
        }
    }

    /// Sums and products of two such numbers do not overflow.
    pub fn is_small(self) -> bool {
        const SMALL: i64 = 1 << 30;
        self.low >= -SMALL && self.high <= SMALL
    }
}

/// What a test comes to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Flag {
    Known(bool),
    Value(Value),
}
