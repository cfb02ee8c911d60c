//! The value of an option at which a measure comes to what is wanted: a search that plays most where the answer is unsure.

use super::quantity::{Numbers, Quantity};
use crate::study::estimate::Estimate;
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

/// Games that are played at a time.
const BATCH: u64 = 100;

/// At one value no more than these are played.
const MOST: u64 = 2_000;

/// The interval is looked at again and again, so that it must be wider to be as sure in the end.
const WIDER: f64 = 1.4;

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
    let gap = ((to - from) / WITHIN).max(1);
    for value in (from..=to).step_by(usize::try_from(gap).unwrap_or(1)) {
        search.side(value)?;
    }
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

    /// On which side of what is wanted a value is; equal where it is not sure after as many games as are played. It is asked
    /// after whole batches only, so that a run that was interrupted comes to the same.
    fn side(&mut self, value: i64) -> Result<Ordering, E> {
        loop {
            let played = self.known.get(&value).map_or(0, |games| games.len() as u64);
            let side = self.known_side(value);
            if side != Ordering::Equal || played >= self.most {
                return Ok(side);
            }
            let wanted = played..played.saturating_add(BATCH).min(self.most);
            let games = (self.play)(value, wanted.clone())?;
            let halted = (games.len() as u64) < wanted.end - wanted.start;
            self.known.entry(value).or_default().extend_from_slice(&games);
            if halted {
                return Ok(Ordering::Equal);
            }
        }
    }

    /// The same from what has been played.
    fn known_side(&self, value: i64) -> Ordering {
        let games = self.known.get(&value).map_or(&[][..], Vec::as_slice);
        let (Some(found), _) = self.wanted.quantity.estimate(games) else { return Ordering::Equal };
        let target = self.wanted.target;
        let sure = |end: f64| found.value + WIDER * (end - found.value);
        if sure(found.low) > target {
            Ordering::Greater
        } else if sure(found.high) < target {
            Ordering::Less
        } else {
            Ordering::Equal
        }
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
