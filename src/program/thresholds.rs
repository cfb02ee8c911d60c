//! Numbers from tables compared: the sites for which the comparison holds are a row of another table.

use super::build::*;
use super::ir::*;
use super::lower::Lowering;
use crate::board::{Site, SiteSet};
use crate::rules::{ArithmeticOp, CompareOp};

/// No table of sets has more rows than this.
const MOST_ROWS: i64 = 512;

/// A number from a table with no more steps than this is counted as so many sets.
const MOST_STEPS: i64 = 12;

impl Lowering<'_> {
    /// The sites of the slot for which two numbers compare as said, where the one that reads the slot is from a table.
    ///
    /// The number on the other side is the same for all sites, so the sites that fit it can be worked out beforehand for
    /// every value that it may have; numbers beyond those of the table fit the same sites as the next one.
    pub fn beside_table(&self, op: CompareOp, a: &Int, b: &Int, slot: u16) -> Option<Sets> {
        match (a, b) {
            (Int::Table { values, index }, b) if index.reads(slot) && !b.reads(slot) => {
                self.fitting(op, values, index, b, slot)
            }
            (a, Int::Table { values, index }) if index.reads(slot) && !a.reads(slot) => {
                self.fitting(op.turned(), values, index, a, slot)
            }
            (Int::Table { values, index }, Int::Table { values: others, index: other }) if index == other => {
                let both = values.iter().zip(others.iter()).map(|(a, b)| holds(op, *a, *b));
                self.sources(index, Sets::Const(self.positions(both)), slot)
            }
            _ => None,
        }
    }

    fn fitting(&self, op: CompareOp, values: &[i64], index: &Int, other: &Int, slot: u16) -> Option<Sets> {
        let fit = |number: i64| self.positions(values.iter().map(|value| holds(op, *value, number)));
        let set = match other {
            Int::Const(number) => Sets::Const(fit(*number)),
            Int::Table { values, index } => row(values.iter().map(|number| fit(*number)).collect(), (**index).clone()),
            other => {
                let known = || values.iter().copied().filter(|value| *value != NONE);
                let (low, high) = (known().min()?.checked_sub(1)?, known().max()?.checked_add(1)?);
                if high.checked_sub(low)? >= MOST_ROWS {
                    return None;
                }
                let within = Int::Max(
                    Box::new(Int::Const(low)),
                    Box::new(Int::Min(Box::new(Int::Const(high)), Box::new(other.clone()))),
                );
                row((low..=high).map(fit).collect(), calculate(ArithmeticOp::Subtract, within, Int::Const(low)))
            }
        };
        self.sources(index, set, slot)
    }

    /// The positions of sites for which something holds, told position by position.
    fn positions(&self, held: impl Iterator<Item = bool>) -> SiteSet {
        let all = held.enumerate().filter(|(_, held)| *held).filter_map(|(at, _)| Site::from_index(at));
        all.collect::<SiteSet>() & self.ground.all
    }

    /// A number that every site has, as the number of sets that hold the site, and a constant: the sites at which it is one
    /// more than the least, those at which it is two more, and so on.
    pub fn steps_of(&self, values: &[i64]) -> Option<(Vec<Sets>, i64)> {
        let of = |at: Site| values.get(at.index()).copied().filter(|value| *value != NONE);
        let known = self.ground.all.iter().map(of).collect::<Option<Vec<i64>>>()?;
        let (low, high) = (*known.iter().min()?, *known.iter().max()?);
        if high.checked_sub(low)? > MOST_STEPS || !(-60..=60).contains(&low) {
            return None;
        }
        let steps = (low + 1..=high).map(|least| {
            Sets::Const(self.ground.all.iter().filter(|at| of(*at).is_some_and(|value| value >= least)).collect())
        });
        Some((steps.collect(), low))
    }
}

fn holds(op: CompareOp, a: i64, b: i64) -> bool {
    a != NONE && b != NONE && op.holds(a, b)
}
