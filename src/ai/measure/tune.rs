//! The value of an option at which a measure comes to what is wanted: a search that plays most where the answer is unsure.

use super::best::Goal;
use super::quantity::{Numbers, Quantity};
use crate::study::estimate::{Estimate, Z};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The measure.
    pub quantity: Quantity,
    /// What it is to be.
    pub target: f64,
    /// The least value of the option.
    pub low: i64,
    /// The greatest one.
    pub high: i64,
}

/// What was measured at a value of the option.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tried {
    /// The value.
    pub value: i64,
    /// What the measure came to.
    pub estimate: Estimate,
    /// In how many games.
    pub games: u64,
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// The value at which the measure is nearest to what is wanted; none where nothing could be measured.
    pub value: Option<i64>,
    /// The least value that may be the right one.
    pub low: i64,
    /// The greatest one.
    pub high: i64,
    /// Whether the measure can be what is wanted between the ends of the range.
    pub reached: bool,
    /// What was measured on the way, by value.
    pub tried: Vec<Tried>,
}

/// Games that are played at a time, up to [`MOST`]; then as many as there were.
const BATCH: u64 = 100;

/// At one value no more than these are played.
const MOST: u64 = 2_000;

/// How many times as wide an interval must be to be as sure in the end, if it is looked at again and again, and for so many
/// values or variants together.
///
/// The first factor is that of S. J. Pocock, *Group Sequential Methods in the Design and Analysis of Clinical Trials* (1977), for
/// 25 looks. By the second one the chance to be wrong is shared by all of them; the tail of the normal distribution falls at
/// least as fast as it allows for.
pub(super) fn wider(together: usize) -> f64 {
    1.4 * (1.0 + 2.0 * (together.max(1) as f64).ln() / (Z * Z)).sqrt()
}

/// As many values within the answer are looked at as tell which one is nearest.
const WITHIN: i64 = 6;

/// Gives the games with these numbers at a value of the option, fewer where the work is halted. A number stands for the same
/// game whenever it is asked for.
pub type Play<'a, E> = dyn FnMut(i64, Range<u64>) -> Result<Vec<Numbers>, E> + 'a;

/// Looks for the value, supposing that the measure rises or falls with the option. At one value `most` games are played, or as
/// many as tell something.
pub fn tune<E>(wanted: Wanted, most: Option<u64>, play: &mut Play<'_, E>) -> Result<Found, E> {
    let mut search = Search { wanted, most: most.unwrap_or(MOST), known: BTreeMap::new(), play };
    let (low, high) = (wanted.low, wanted.high);
    let sides = (search.side(low)?, search.side(high)?);
    if sides.0 == sides.1 && sides.0 != Ordering::Equal {
        return Ok(search.found(low, high, false));
    }
    // The first value that is not surely on the side of the low end, and the last not on that of the high end.
    let from = search.first(low, high, &|side| side != sides.0 || sides.0 == Ordering::Equal)?;
    let behind = search.first(from, high + 1, &|side| side == sides.1 && sides.1 != Ordering::Equal)?;
    let (from, to) = ((behind - 1).min(from).max(low), from.max(behind - 1).min(high));
    if to - from > WITHIN {
        // Too many to tell them apart: some of them say where the middle is.
        let gap = (to - from) / WITHIN;
        for value in (from..=to).step_by(usize::try_from(gap).unwrap_or(1)) {
            search.side(value)?;
        }
        return Ok(search.found(from, to, true));
    }
    // A value that is surely on one side may still be nearer than its neighbour on the other.
    let (from, to) = search.nearest((from - 1).max(low), (to + 1).min(high))?;
    Ok(search.found(from, to, true))
}

struct Search<'s, 'p, E> {
    wanted: Wanted,
    most: u64,
    known: BTreeMap<i64, Vec<Numbers>>,
    play: &'s mut Play<'p, E>,
}

impl<E> Search<'_, '_, E> {
    /// The first value of a range, its end included, from which on something holds; the end itself is not asked.
    fn first(&mut self, low: i64, high: i64, holds: &dyn Fn(Ordering) -> bool) -> Result<i64, E> {
        let (mut low, mut high) = (low, high);
        while low < high {
            let middle = low + (high - low) / 2;
            if holds(self.side(middle)?) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(low)
    }

    /// On which side of what is wanted a value is; equal where it is not sure after as many games as are played.
    fn side(&mut self, value: i64) -> Result<Ordering, E> {
        loop {
            let side = self.known_side(value);
            if side != Ordering::Equal || !self.batch(value)? {
                return Ok(side);
            }
        }
    }

    /// Plays one more batch at a value; false if all its games were played, or if the work is halted. Everything is asked after
    /// whole batches only, so that a run that was interrupted comes to the same.
    fn batch(&mut self, value: i64) -> Result<bool, E> {
        let known = self.known.entry(value).or_default();
        let played = known.len() as u64;
        // Every look is one more chance to be wrong: where many games are played, there are few looks at the later ones.
        let more = if played < MOST { BATCH } else { played };
        let wanted = played..played.saturating_add(more).min(self.most);
        if wanted.is_empty() {
            return Ok(false);
        }
        let games = (self.play)(value, wanted.clone())?;
        known.extend_from_slice(&games);
        Ok(games.len() as u64 == wanted.end - wanted.start)
    }

    /// Plays at values beside each other until one is surely nearest to what is wanted, or until all that may be have had their
    /// games; the ends of those that may be.
    fn nearest(&mut self, low: i64, high: i64) -> Result<(i64, i64), E> {
        loop {
            let open = self.possible(low, high);
            let mut more = false;
            for value in open.iter().filter(|_| open.len() > 1) {
                more |= self.batch(*value)?;
            }
            if !more {
                return Ok((open.first().copied().unwrap_or(low), open.last().copied().unwrap_or(high)));
            }
        }
    }

    /// Those of some values of which no other is surely nearer to what is wanted.
    fn possible(&self, low: i64, high: i64) -> Vec<i64> {
        let away = |value: i64| Some(Goal::Near(self.wanted.target).away(self.range(value)?));
        let surely = (low..=high).filter_map(away).map(|away| away.high).fold(f64::INFINITY, f64::min);
        (low..=high).filter(|value| away(*value).is_none_or(|away| away.low <= surely)).collect()
    }

    /// The same from what has been played.
    fn known_side(&self, value: i64) -> Ordering {
        match self.range(value) {
            Some(range) if range.low > self.wanted.target => Ordering::Greater,
            Some(range) if range.high < self.wanted.target => Ordering::Less,
            Some(_) | None => Ordering::Equal,
        }
    }

    /// Between what the measure is at a value, surely enough to be looked at again and again, and so at any value.
    fn range(&self, value: i64) -> Option<Estimate> {
        let (found, _) = self.wanted.quantity.estimate(self.known.get(&value)?);
        let values = self.wanted.high.abs_diff(self.wanted.low).saturating_add(1);
        Some(found?.wider(wider(usize::try_from(values).unwrap_or(usize::MAX))))
    }

    /// The answer: of the values between those that may be right the nearest one that was looked at.
    fn found(&self, low: i64, high: i64, reached: bool) -> Found {
        let tried: Vec<Tried> = self
            .known
            .iter()
            .filter_map(|(value, games)| {
                let (estimate, games) = self.wanted.quantity.estimate(games);
                Some(Tried { value: *value, estimate: estimate?, games })
            })
            .collect();
        let away = |tried: &Tried| (tried.estimate.value - self.wanted.target).abs();
        let within = tried.iter().filter(|tried| (low..=high).contains(&tried.value));
        let value = within.min_by(|a, b| away(a).total_cmp(&away(b))).map(|tried| tried.value);
        Found { value, low, high, reached, tried }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::playout::generator;
    use rand::Rng;

    /// What the first seat gets with each value of an option from 0 to 4: nearest to one half with 2.
    const SHARES: [f64; 5] = [0.68, 0.61, 0.492, 0.4, 0.36];

    fn found(seed: u64, shares: [f64; 5]) -> Found {
        let wanted = Wanted { quantity: Quantity::FirstSeat, target: 0.5, low: 0, high: 4 };
        let mut play = |value: i64, numbers: Range<u64>| {
            let share = shares[usize::try_from(value).unwrap()];
            let game = |number: u64| {
                let mut chance = generator(seed * 10 + value.unsigned_abs(), number);
                let mut numbers = Numbers::default();
                let won = (chance.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
                numbers[Quantity::FirstSeat.at()] = Some(if won < share { 1.0 } else { 0.0 });
                numbers
            };
            Ok::<_, ()>(numbers.map(game).collect())
        };
        tune(wanted, Some(4_000), &mut play).unwrap()
    }

    #[test]
    fn the_values_that_may_be_right_hold_the_right_one_also_between_two() {
        for shares in [SHARES, [0.62, 0.513, 0.492, 0.45, 0.4], [0.51, 0.506, 0.501, 0.496, 0.49]] {
            let all: Vec<Found> = (0..40).map(|seed| found(seed, shares)).collect();
            let held = all.iter().filter(|found| (found.low..=found.high).contains(&2)).count();
            assert!(held >= 38, "{shares:?}: {held}");
            let value =
                all.iter().filter(|found| found.value.is_some_and(|value| (found.low..=found.high).contains(&value)));
            assert_eq!(value.count(), 40);
        }
        // Where the others are far away it is the only one.
        assert!((0..40).all(|seed| (found(seed, SHARES).low, found(seed, SHARES).high) == (2, 2)));
    }
}
