//! Numbers that plies are called by wherever they are played: the same for the same move with the same parts.

use super::state::{mix, unmix};
use crate::program::Call;

/// What plies of a call are called but for their parts.
pub(super) fn name_of(call: &Call) -> u64 {
    mix(call.mv.0 as u64)
}

/// The same of a ply with one part.
#[inline]
pub(super) fn named(name: u64, part: i64) -> u64 {
    mix(name ^ part.cast_unsigned())
}

/// The part of the ply with one part that has a key, where the call has this name; of other plies a number without meaning.
#[inline]
pub(super) fn part_of(name: u64, key: u64) -> u64 {
    unmix(key) ^ name
}
