//! Plies that random games leave out: those of one site, by what stands around it.

use crate::rules::MoveId;

/// As many neighbours of a kind are told apart.
const MOST: usize = 8;

/// Classes of surroundings, and words with a bit for each.
const CLASSES: usize = (MOST + 1).pow(3);
const WORDS: usize = CLASSES.div_ceil(64);

/// After so many plies that were left out in a row the next one is played whatever it is: there may be no other.
pub(crate) const PATIENCE: u32 = 64;

/// What stands on the neighbours of the only site that a ply names, for who plays it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Surroundings {
    /// The move of the ply.
    pub mv: MoveId,
    class: u16,
}

impl Surroundings {
    /// So many neighbours hold own pieces, pieces of others, and nothing.
    #[must_use]
    pub fn of(mv: MoveId, own: usize, others: usize, empty: usize) -> Self {
        let of_few = |count: usize| count.min(MOST);
        let class = (of_few(own) * (MOST + 1) + of_few(others)) * (MOST + 1) + of_few(empty);
        Self { mv, class: u16::try_from(class).unwrap_or(u16::MAX) }
    }

    /// Nothing around is empty.
    #[must_use]
    pub fn are_full(self) -> bool {
        let [_, _, empty] = self.counts();
        empty == 0
    }

    /// How many own pieces, pieces of others and empty sites there are around.
    #[must_use]
    pub fn counts(self) -> [usize; 3] {
        let class = usize::from(self.class);
        [class / (MOST + 1) / (MOST + 1), class / (MOST + 1) % (MOST + 1), class % (MOST + 1)]
    }
}

/// The plies that are left out, by seat.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shunned {
    seats: Vec<Classes>,
}

/// Classes of surroundings, by move.
type Classes = Vec<[u64; WORDS]>;

impl Shunned {
    /// A seat leaves out plies with such surroundings too.
    pub fn add(&mut self, seat: usize, around: Surroundings) {
        if self.seats.len() <= seat {
            self.seats.resize(seat + 1, Classes::new());
        }
        let Some(classes) = self.seats.get_mut(seat) else { return };
        if classes.len() <= around.mv.0 {
            classes.resize(around.mv.0 + 1, [0; WORDS]);
        }
        let class = usize::from(around.class);
        if let Some(word) = classes.get_mut(around.mv.0).and_then(|words| words.get_mut(class / 64)) {
            *word |= 1 << (class % 64);
        }
    }

    /// The surroundings of plies that a seat leaves out.
    pub fn of(&self, seat: usize) -> impl Iterator<Item = Surroundings> + '_ {
        let moves = self.seats.get(seat).map_or(&[][..], Vec::as_slice).iter().enumerate();
        moves.flat_map(|(mv, words)| {
            let has =
                |class: &u16| words.get(usize::from(*class) / 64).is_some_and(|word| word >> (class % 64) & 1 != 0);
            (0..).take(CLASSES).filter(has).map(move |class| Surroundings { mv: MoveId(mv), class })
        })
    }

    /// Whether a seat leaves out a ply with such surroundings.
    #[inline]
    #[must_use]
    pub fn holds(&self, seat: usize, around: Surroundings) -> bool {
        let class = usize::from(around.class);
        let words = self.seats.get(seat).and_then(|classes| classes.get(around.mv.0));
        words.and_then(|words| words.get(class / 64)).is_some_and(|word| word >> (class % 64) & 1 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surroundings_are_told_apart_by_seat_move_and_counts() {
        let mut shunned = Shunned::default();
        let eye = Surroundings::of(MoveId(3), 4, 0, 0);
        assert_eq!(eye.counts(), [4, 0, 0]);
        shunned.add(1, eye);
        assert!(shunned.of(1).eq([eye]) && shunned.of(0).next().is_none());
        assert!(shunned.holds(1, eye) && !shunned.holds(0, eye) && !shunned.holds(2, eye));
        for other in [(2, 4, 0, 0), (3, 3, 0, 1), (3, 3, 1, 0), (3, 0, 4, 0), (9, 4, 0, 0)] {
            let (mv, own, others, empty) = other;
            assert!(!shunned.holds(1, Surroundings::of(MoveId(mv), own, others, empty)), "{other:?}");
        }
        // More than there are numbers for are as many as there are.
        assert_eq!(Surroundings::of(MoveId(0), 20, 9, 8), Surroundings::of(MoveId(0), 8, 8, 8));
    }
}
