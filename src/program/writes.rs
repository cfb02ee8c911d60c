//! What plies of a call write, and which instructions read something that plies may change.

use super::effects::puts;
use super::ir::{Effect, Int, Part, Sets, Test, When};
use super::told::is_told;
use super::{Call, Chronicle, Step};
use std::ops::Range;

/// What plies write at most.
#[derive(Default)]
pub(super) struct Writes {
    /// The planes that lose sites, and those that win some.
    pub lost: u64,
    pub won: u64,
    /// The numbers and sets that are remembered.
    cells: Vec<Range<u16>>,
    sets: Vec<u16>,
}

impl Writes {
    /// What any ply of a call writes. Which planes lose sites and which win some is not told apart.
    pub fn of(call: &Call) -> Self {
        // What stands on other planes is where it was.
        let touched = call.takes | puts(&call.body);
        let mut writes = Self { lost: touched, won: touched, ..Self::default() };
        for step in &call.body {
            match step {
                Step::Let(..) | Step::LetSites(..) => {}
                Step::Change(effects) => effects.iter().for_each(|effect| writes.remember(effect)),
                Step::Repeat(repeat) => repeat.effects().for_each(|effect| writes.remember(effect)),
            }
        }
        call.chronicles.iter().for_each(|chronicle| writes.note(chronicle));
        writes
    }

    /// Adds what an effect writes to memory.
    pub fn remember(&mut self, effect: &Effect) {
        match effect {
            Effect::Put { .. } | Effect::Move { .. } => {}
            Effect::Set { base, count, .. } => self.cells.push(*base..base.saturating_add(*count)),
            Effect::SetSites { base, .. } => self.sets.push(*base),
            Effect::Each { effect, .. } => self.remember(effect),
        }
    }

    /// Adds what a ply leaves in memory.
    pub fn note(&mut self, chronicle: &Chronicle) {
        match chronicle {
            Chronicle::Note { cell, .. } => self.cells.push(*cell..cell.saturating_add(1)),
            Chronicle::Collect { set, .. } | Chronicle::It { set } => self.sets.push(*set),
        }
    }

    /// Whether an instruction itself reads what is written, or anything but the board and memory that plies may change.
    pub fn are_read_by(&self, part: &Part<'_>) -> bool {
        let meets = |first: u16, count: u16| {
            self.cells.iter().any(|cells| cells.start < first.saturating_add(count) && first < cells.end)
        };
        match part {
            Part::Sets(Sets::Planes(planes, When::Now)) => planes & (self.lost | self.won) != 0,
            Part::Sets(Sets::Memory(at, When::Now)) => self.sets.contains(at),
            Part::Int(Int::Cell(at, When::Now)) => meets(*at, 1),
            Part::Int(Int::CellAt { base, count, when: When::Now, .. }) => meets(*base, *count),
            other => reads_play(other),
        }
    }
}

/// Whether a number is always the same for the same values of these parts, whatever stands on the board.
pub fn is_fixed_by(number: &Int, parts: &[u16]) -> bool {
    is_told(number, parts) && !Part::Int(number).asks(&reads_play)
}

/// Whether an instruction itself reads something that plies may change; what is memory now is asked before.
pub(super) fn reads_play(part: &Part<'_>) -> bool {
    match part {
        Part::Sets(set) => match set {
            Sets::Planes(..)
            | Sets::Memory(..)
            | Sets::Alike(..)
            | Sets::OfKinds(..)
            | Sets::OfPlayers(..)
            | Sets::Grown { .. }
            | Sets::Primitive(..) => true,
            Sets::Const(_)
            | Sets::Slot(_)
            | Sets::One(_)
            | Sets::And(_)
            | Sets::Or(_)
            | Sets::Not(_)
            | Sets::Minus(..)
            | Sets::Near(_)
            | Sets::Dilate(_)
            | Sets::Within { .. }
            | Sets::Nearer { .. }
            | Sets::Pull(..)
            | Sets::PullAny(..)
            | Sets::PullBeyond { .. }
            | Sets::PullRun { .. }
            | Sets::Ahead { .. }
            | Sets::Trail { .. }
            | Sets::Run { .. }
            | Sets::Beyond { .. }
            | Sets::Between(..)
            | Sets::Connected { .. }
            | Sets::Heads(_)
            | Sets::First(_)
            | Sets::Bracketed { .. }
            | Sets::Table { .. }
            | Sets::If(..)
            | Sets::With { .. }
            | Sets::Filter { .. }
            | Sets::Collect { .. }
            | Sets::Tally(_)
            | Sets::Ranked { .. } => false,
        },
        Part::Int(int) => match int {
            Int::Cell(..)
            | Int::CellAt { .. }
            | Int::Owner(..)
            | Int::Kind(..)
            | Int::Piece(..)
            | Int::Owners(..)
            | Int::KindsIn(..)
            | Int::Turn
            | Int::Ply
            | Int::Next
            | Int::Primitive(..) => true,
            Int::Const(_)
            | Int::Slot(_)
            | Int::Table { .. }
            | Int::Count(_)
            | Int::Only(_)
            | Int::Step(..)
            | Int::Ahead { .. }
            | Int::Beyond { .. }
            | Int::RowLength { .. }
            | Int::Direction(..)
            | Int::Distance(..)
            | Int::Make(..)
            | Int::Arithmetic(..)
            | Int::Negative(_)
            | Int::Max(..)
            | Int::Min(..)
            | Int::Abs(_)
            | Int::If(..)
            | Int::With { .. }
            | Int::Reduce { .. }
            | Int::MaskWhere { .. }
            | Int::MaskCollect { .. }
            | Int::MaskAnd(..)
            | Int::MaskOr(..)
            | Int::MaskNot(..)
            | Int::Bit(_)
            | Int::OnlyBit(_)
            | Int::Ones(_)
            | Int::Opposite(_)
            | Int::OppositeMask(_)
            | Int::Pieces(..)
            | Int::Among { .. }
            | Int::Upper { .. }
            | Int::Lower { .. }
            | Int::Pile { .. }
            | Int::Truth(..) => false,
        },
        Part::Test(test) => match test {
            Test::Seen { .. }
            | Test::Possible { .. }
            | Test::Stuck
            | Test::Unfinished
            | Test::CanApply(_)
            | Test::OfNew { .. } => true,
            Test::Const(_)
            | Test::Not(_)
            | Test::And(_)
            | Test::Or(_)
            | Test::Any(_)
            | Test::Contains(..)
            | Test::Subset(..)
            | Test::Compare(..)
            | Test::Known(_)
            | Test::Lists(..)
            | Test::Exists { .. }
            | Test::With { .. }
            | Test::WithSites { .. } => false,
        },
    }
}

/// Whether what a move does reads the state in which it began.
pub(super) fn reads_before(steps: &[Step]) -> bool {
    let reads = |part: &Part<'_>| {
        part.asks(&|part| match part {
            Part::Sets(set) => matches!(
                set,
                Sets::Planes(_, When::Before)
                    | Sets::Memory(_, When::Before)
                    | Sets::Alike(_, When::Before)
                    | Sets::OfKinds(_, When::Before)
                    | Sets::OfPlayers(_, When::Before)
                    | Sets::Primitive(_, _, When::Before)
            ),
            Part::Int(int) => matches!(
                int,
                Int::Cell(_, When::Before)
                    | Int::CellAt { when: When::Before, .. }
                    | Int::Owner(_, When::Before)
                    | Int::Kind(_, When::Before)
                    | Int::Piece(_, When::Before)
                    | Int::Owners(_, When::Before)
                    | Int::KindsIn(_, When::Before)
                    | Int::Primitive(_, _, When::Before)
            ),
            Part::Test(_) => false,
        })
    };
    let mut found = false;
    steps.iter().for_each(|step| step.parts(&mut |part| found = found || reads(&part)));
    found
}
