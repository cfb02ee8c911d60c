//! The dice of a random game, and the candidates that are drawn with them for one ply, one after the other.

use crate::engine::dice::Dice;
use crate::engine::shunned::{PATIENCE, Shunned, Surroundings};
use std::sync::Arc;

/// Candidates drawn for one ply before the plies are listed after all.
pub const TRIES: u64 = 64;

/// Where the rest of a turn decides so many that are there are drawn: to find that nothing can be followed takes longest.
pub const TRIES_OF_TURNS: u32 = 48;

/// Where most candidates are missing so many are drawn at a time.
pub const AT_ONCE: usize = 8;

/// The dice of a random game, and what drawing from them has come to.
#[derive(Debug)]
pub struct Draws {
    pub dice: Dice,
    /// The number of the candidate that was drawn for the next ply, and an estimate of how many plies there were.
    pub next: Option<(u64, u64)>,
    /// Candidates that were drawn.
    pub tried: u64,
    /// What drawing has cost in this game, and what lists would have cost, in instructions.
    pub cost: u64,
    pub cost_of_lists: u64,
    /// Of plies that were drawn, or listed after enough were drawn in vain, how many there were to choose from: as they were
    /// counted when they were chosen, and the sum of the estimates that stand for that.
    pub counted: u64,
    pub offered: u64,
    /// The plies that are left out, and how many have been in a row.
    pub shunned: Option<Arc<Shunned>>,
    left_out: u32,
    /// Enough candidates were drawn for the next ply, and none of them is one.
    pub vain: bool,
}

impl Draws {
    pub fn new(dice: Dice, shunned: Option<Arc<Shunned>>) -> Self {
        Self {
            dice,
            next: None,
            tried: 0,
            cost: 0,
            cost_of_lists: 0,
            counted: 0,
            offered: 0,
            shunned,
            left_out: 0,
            vain: false,
        }
    }

    /// Whether the ply that was drawn is left out.
    pub fn leaves_out(&mut self, seat: usize, around: Surroundings) -> bool {
        let shuns =
            self.left_out < PATIENCE && self.shunned.as_ref().is_some_and(|shunned| shunned.holds(seat, around));
        self.left_out = if shuns { self.left_out + 1 } else { 0 };
        shuns
    }

    /// One of so many plies: the one that was drawn, or else any.
    pub fn choose(&mut self, count: usize) -> usize {
        let Some((number, offered)) = self.next.take() else {
            // An estimate is nothing but where the first candidate is a ply, or it would be too high on average.
            if std::mem::take(&mut self.vain) {
                self.counted += count as u64;
            }
            return self.dice.choose(count);
        };
        self.dice.note(number);
        self.counted += 1;
        self.offered += offered;
        0
    }
}

/// Candidates of calls, each drawn as likely as any other.
#[derive(Debug)]
pub struct Tries<'a> {
    /// The calls, with how many candidates each has.
    open: &'a [(u16, u64)],
    /// By call, another one whose candidates have the same numbers, if it is one of these.
    beside: &'a [Option<u16>],
    /// How many candidates there are, which must be some.
    count: usize,
    /// [`AT_ONCE`] are drawn at a time, all of them from one call.
    several: bool,
    numbers: [u64; AT_ONCE],
    /// So many of the numbers have been looked at.
    passed: usize,
    /// Candidates looked at, and those of them that were not missing.
    drawn: u64,
    judged: u64,
}

/// What has come of drawing.
pub enum Drawn {
    /// A ply, with the number of the candidate.
    Ply(u64),
    /// Nobody has judged the candidate.
    Open(Choice),
    /// Enough have been drawn.
    Enough,
}

/// A candidate by its number among all, and by its number among those of its call.
#[derive(Clone, Copy)]
pub struct Choice {
    pub number: u64,
    pub call: u16,
    pub within: u64,
}

impl<'a> Tries<'a> {
    /// None of so many candidates has been drawn; nothing where there are none.
    pub fn new(open: &'a [(u16, u64)], beside: &'a [Option<u16>], candidates: u64, several: bool) -> Option<Self> {
        let count = usize::try_from(candidates).ok().filter(|count| *count > 0)?;
        Some(Self { open, beside, count, several, numbers: [0; AT_ONCE], passed: AT_ONCE, drawn: 0, judged: 0 })
    }

    /// How many candidates there are.
    pub fn candidates(&self) -> u64 {
        self.count as u64
    }

    pub fn drawn(&self) -> u64 {
        self.drawn
    }

    pub fn judged(&self) -> u64 {
        self.judged
    }

    /// The candidate that was drawn last is there.
    #[inline]
    pub fn judge(&mut self) {
        self.judged += 1;
    }

    /// The number of the next candidate; none where enough have been drawn.
    #[inline]
    pub fn number(&mut self, draws: &mut Draws) -> Option<u64> {
        if self.several {
            let (numbers, passed) = self.together(draws)?;
            let number = numbers.get(passed).copied();
            return self.pass(passed).and(number);
        }
        if self.drawn >= TRIES {
            return None;
        }
        self.drawn += 1;
        Some(draws.dice.roll(self.count) as u64)
    }

    /// The next candidate.
    #[inline]
    pub fn next(&mut self, draws: &mut Draws) -> Option<Choice> {
        let number = self.number(draws)?;
        let mut within = number;
        for (call, weight) in self.open {
            if within < *weight {
                return Some(Choice { number, call: *call, within });
            }
            within -= weight;
        }
        None
    }

    /// Where a candidate is no ply, the one of another call with the same number.
    #[inline]
    pub fn beside(&self, choice: Choice) -> Option<Choice> {
        let call = (*self.beside.get(usize::from(choice.call))?)?;
        self.open.iter().any(|(open, _)| *open == call).then_some(Choice { call, ..choice })
    }

    /// The only call, where several candidates are drawn at a time.
    #[inline]
    pub fn only_call(&self) -> Option<u16> {
        self.open.first().filter(|_| self.several).map(|(call, _)| *call)
    }

    /// The numbers that were drawn at a time, and how many of them have been looked at, which is not all.
    #[inline]
    pub fn together(&mut self, draws: &mut Draws) -> Option<(&[u64; AT_ONCE], usize)> {
        if self.passed == AT_ONCE {
            if self.drawn >= TRIES {
                return None;
            }
            self.numbers.iter_mut().for_each(|number| *number = draws.dice.roll(self.count) as u64);
            self.passed = 0;
        }
        Some((&self.numbers, self.passed))
    }

    /// Of the numbers that were drawn at a time, those in front of a place are of candidates that are missing, and the one at
    /// that place is looked at; none where all were missing.
    #[inline]
    pub fn pass(&mut self, place: usize) -> Option<u64> {
        let number = self.numbers.get(place).copied();
        let passed = (place + 1).min(AT_ONCE);
        self.drawn += passed.saturating_sub(self.passed) as u64;
        self.passed = passed;
        number
    }
}
