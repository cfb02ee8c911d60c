//! What a player has scored: a whole number, or one of halves.

use crate::operator::Halves;
use serde_json::{Value, json};
use std::fmt;

/// The score of a player. In games that count halves it may be 6.5, and is kept as 13 of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Points {
    /// How many points, or how many halves.
    pub number: i64,
    /// Whether it is halves that are counted.
    pub halves: bool,
}

impl Points {
    /// As a number of JSON, which has halves exactly.
    #[must_use]
    pub fn to_json(self) -> Value {
        if self.is_whole() { json!(self.whole()) } else { json!(self.whole() as f64 + 0.5) }
    }

    fn is_whole(self) -> bool {
        !self.halves || self.number % 2 == 0
    }

    /// The whole points below it.
    fn whole(self) -> i64 {
        if self.halves { self.number.div_euclid(2) } else { self.number }
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.halves { Halves(self.number).fmt(f) } else { self.number.fmt(f) }
    }
}
