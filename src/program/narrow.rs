//! Numbers that a program keeps in fewer bits than they are counted in: what does not fit is refused, never cut off.

use super::{Unsupported, ir::Int};
use crate::source::Span;

/// A number in the width that a program keeps it in, or a word on what there is too much of.
pub(super) fn narrow<T: TryFrom<usize>>(number: usize, what: &'static str, span: Span) -> Result<T, Unsupported> {
    T::try_from(number).map_err(|_| Unsupported { what: what.into(), span })
}

/// A count as a number of the language. No count comes near the end of the numbers.
pub(super) fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The same as an instruction.
pub(super) fn counted(number: usize) -> Int {
    Int::Const(count(number))
}
