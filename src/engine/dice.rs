//! Chance: one of so many plies, each as likely as any other, and a number that tells what was chosen.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// One of so many, each as likely as any other; none of none.
#[inline]
pub fn pick(count: usize, generator: &mut Xoshiro256PlusPlus) -> Option<usize> {
    // A number of fixed width keeps the choice the same on every machine.
    let count = u64::try_from(count).ok().filter(|count| *count > 0)?;
    usize::try_from(generator.random_range(0..count)).ok()
}

/// Who chooses the plies of a random game. Engines know it by its type, since a ply takes no longer than a few calls.
#[derive(Clone, Debug)]
pub struct Dice {
    generator: Xoshiro256PlusPlus,
    digest: u64,
}

impl Dice {
    /// Dice that roll what a generator gives.
    #[must_use]
    pub fn new(generator: Xoshiro256PlusPlus) -> Self {
        Self { generator, digest: 0 }
    }

    /// One of so many plies, which must be some.
    #[inline]
    pub fn choose(&mut self, count: usize) -> usize {
        let index = self.roll(count);
        self.note(index as u64);
        index
    }

    /// The same for what may not be played: the digest does not tell it.
    #[inline]
    pub fn roll(&mut self, count: usize) -> usize {
        pick(count, &mut self.generator).unwrap_or(0)
    }

    /// Adds a number to what the digest tells apart.
    #[inline]
    pub fn note(&mut self, number: u64) {
        self.digest = (self.digest ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }

    /// What goes on rolling as these dice would.
    #[must_use]
    pub fn into_generator(self) -> Xoshiro256PlusPlus {
        self.generator
    }

    /// Another number for other choices, as good as always.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.digest
    }
}
