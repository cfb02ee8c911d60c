//! Whether the form of a set, or of a mask of directions, says that it has one member at most.

use super::ir::*;
use super::lower::Lowering;

impl Lowering<'_> {
    /// Whether a set has one member at most, by its form or since it holds the site of the piece that was moved last.
    pub(super) fn is_one_at_most(&self, set: &Sets) -> bool {
        has_one_at_most(set) || matches!(set, Sets::Memory(base, _) if self.it_set() == Some(*base))
    }
}

/// Whether the form of a set says that it has one member at most.
pub(super) fn has_one_at_most(set: &Sets) -> bool {
    match set {
        Sets::And(parts) => parts.iter().any(has_one_at_most),
        Sets::Const(set) => set.len() <= 1,
        Sets::One(_) | Sets::First(_) => true,
        Sets::Minus(set, _) => has_one_at_most(set),
        Sets::Filter { domain, .. } => has_one_at_most(domain),
        Sets::If(_, yes, no) => has_one_at_most(yes) && has_one_at_most(no),
        // From one site there is one way in one direction.
        Sets::Ahead { from, directions, .. } | Sets::Beyond { from, directions, .. } => {
            is_one_way(directions) && has_one_at_most(from)
        }
        Sets::Table { rows, .. } => rows.iter().all(|row| row.len() <= 1),
        Sets::Planes(..)
        | Sets::Memory(..)
        | Sets::Slot(_)
        | Sets::Or(_)
        | Sets::Not(_)
        | Sets::Near(_)
        | Sets::Dilate(_)
        | Sets::Within { .. }
        | Sets::Nearer { .. }
        | Sets::Trail { .. }
        | Sets::Run { .. }
        | Sets::Between(..)
        | Sets::Connected { .. }
        | Sets::Heads(_)
        | Sets::Pull(..)
        | Sets::PullAny(..)
        | Sets::PullBeyond { .. }
        | Sets::PullRun { .. }
        | Sets::Grown { .. }
        | Sets::Bracketed { .. }
        | Sets::Alike(..)
        | Sets::OfKinds(..)
        | Sets::OfPlayers(..)
        | Sets::With { .. }
        | Sets::Collect { .. }
        | Sets::Tally(_)
        | Sets::Ranked { .. }
        | Sets::Primitive(..) => false,
    }
}

/// Whether a mask of directions never holds two of them.
pub(super) fn is_one_way(directions: &Int) -> bool {
    match directions {
        Int::Const(mask) => mask.count_ones() <= 1,
        Int::If(_, yes, no) => is_one_way(yes) && is_one_way(no),
        Int::Table { values, .. } => values.iter().all(|mask| mask.count_ones() <= 1),
        directions => matches!(directions, Int::Bit(_)),
    }
}
