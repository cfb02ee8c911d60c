//! Stacks as numbers: each piece is so many bits with its plane, the uppermost piece the lowest bits. A number that is no stack
//! has no value here.

use super::{Core, NONE};
use crate::board::Site;
use crate::engine::fast::state::State;
use crate::program::Stacks;
use crate::rules::Content;

/// The bits of a number that is not negative.
const BITS: u32 = 63;

/// How many bits so many pieces take, and never more than there are.
fn width(bits: u16, count: i64) -> u32 {
    let width = count.saturating_mul(i64::from(bits)).min(i64::from(BITS));
    u32::try_from(width).unwrap_or(0)
}

pub fn pieces(bits: u16, stack: i64) -> i64 {
    if stack < 0 {
        return NONE;
    }
    let used = i64::BITS - stack.leading_zeros();
    i64::from(used.div_ceil(u32::from(bits.max(1))))
}

pub fn among(bits: u16, planes: u64, stack: i64) -> i64 {
    if stack < 0 {
        return NONE;
    }
    let (mut left, mut found) = (stack, 0);
    while left != 0 {
        found += i64::from(planes >> upper(bits, left, 1) & 1 == 1);
        left = lower(bits, left, 1);
    }
    found
}

pub fn upper(bits: u16, stack: i64, count: i64) -> i64 {
    if stack < 0 || count < 0 {
        return NONE;
    }
    stack & (i64::MAX >> (BITS - width(bits, count)))
}

pub fn lower(bits: u16, stack: i64, count: i64) -> i64 {
    if stack < 0 || count < 0 {
        return NONE;
    }
    stack >> width(bits, count)
}

pub fn pile(bits: u16, most: u16, upper: i64, count: i64, lower: i64) -> i64 {
    if upper < 0 || count < 0 || lower < 0 {
        return NONE;
    }
    let room = (i64::from(most) - count).max(0);
    if lower >> width(bits, room) != 0 {
        return NONE;
    }
    // Where the shift is cut off nothing is left to be shifted.
    upper | lower << width(bits, count)
}

impl<const W: usize> Core<W> {
    /// What lies beneath the piece of each site, from the bottom; empty in games without stacks.
    pub fn beneath(&self, state: &State<W>) -> Vec<Vec<Content>> {
        let Some(stacks) = self.program.stacks else { return Vec::new() };
        let on = |site: Site| {
            let cell = usize::from(stacks.base) + self.program.layout.position(site);
            self.unpacked(stacks, state.cells.get(cell).copied().unwrap_or(0))
        };
        self.rules.board.all().iter().map(on).collect()
    }

    /// The pieces of a number, from the bottom.
    fn unpacked(&self, stacks: Stacks, mut stack: i64) -> Vec<Content> {
        let mut pieces = Vec::new();
        while stack > 0 {
            let plane = usize::try_from(upper(stacks.bits, stack, 1)).unwrap_or(0);
            pieces.push(self.program.planes.get(plane).copied().unwrap_or_default());
            stack = lower(stacks.bits, stack, 1);
        }
        pieces.reverse();
        pieces
    }

    /// Puts on the board what lies beneath the piece of each site.
    pub fn put_beneath(&self, state: &mut State<W>, beneath: &[Vec<Content>]) {
        let Some(stacks) = self.program.stacks else { return };
        for index in 0..self.rules.board.len() {
            let Some(site) = Site::from_index(index) else { continue };
            let pieces = beneath.get(index).map_or(&[][..], Vec::as_slice);
            let plane = |piece: &Content| self.program.planes.iter().position(|plane| plane == piece).unwrap_or(0);
            let stack = pieces.iter().fold(0, |stack, piece| stack << stacks.bits | plane(piece) as i64);
            let cell = usize::from(stacks.base) + self.program.layout.position(site);
            if let Some(cell) = state.cells.get_mut(cell) {
                *cell = stack;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of three bits: 5 on 2 on 7.
    const STACK: i64 = 0o725;

    #[test]
    fn a_number_is_a_stack() {
        assert_eq!(pieces(3, 0), 0);
        assert_eq!(pieces(3, STACK), 3);
        assert_eq!(upper(3, STACK, 2), 0o25);
        assert_eq!(lower(3, STACK, 2), 0o7);
        assert_eq!((upper(3, STACK, 40), lower(3, STACK, 40)), (STACK, 0));
        assert_eq!(among(3, 1 << 7 | 1 << 2, STACK), 2);
    }

    #[test]
    fn no_more_pieces_than_fit_are_piled_up() {
        assert_eq!(pile(3, 5, 0o61, 2, STACK), 0o72561);
        assert_eq!(pile(3, 4, 0o61, 2, STACK), NONE);
        assert_eq!(pile(3, 2, 0o61, 2, 0), 0o61, "where nothing lies beneath there is always room");
        let full = i64::MAX;
        assert_eq!(pile(3, 21, 1, 1, full >> 3), full << 3 & full | 1);
        assert_eq!(pile(3, 21, 1, 1, full), NONE);
    }

    #[test]
    fn what_is_no_stack_has_no_value() {
        assert_eq!(pieces(2, NONE), NONE);
        assert_eq!(among(2, 2, NONE), NONE);
        assert_eq!(upper(2, 5, -1), NONE);
        assert_eq!(lower(2, 5, NONE), NONE);
        assert_eq!(pile(2, 9, NONE, 1, 0), NONE);
    }
}
