//! The value of an option at which a measure comes to what is wanted: a search that plays most where the answer is unsure.

use super::quantity::{Numbers, Quantity};
use super::{Settings, series};
use crate::ai::agent::Agent;
use crate::game::{Game, LoadError};
use crate::study::estimate::Estimate;
use crate::study::halt::Halt;
use std::cmp::Ordering;
use std::collections::BTreeMap;

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

/// Looks for the value, supposing that the measure rises or falls with the option. `game` makes the game with a value;
/// `progress` is told how many games were played.
pub fn tune(
    game: &dyn Fn(i64) -> Result<Game, LoadError>,
    wanted: Wanted,
    (settings, player): (Settings, Agent),
    halt: Halt<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<Found, LoadError> {
    let mut search = Search { game, wanted, settings, player, halt, known: BTreeMap::new(), progress };
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

struct Search<'a> {
    game: &'a dyn Fn(i64) -> Result<Game, LoadError>,
    wanted: Wanted,
    settings: Settings,
    player: Agent,
    halt: Halt<'a>,
    known: BTreeMap<i64, Vec<Numbers>>,
    progress: &'a mut dyn FnMut(u64),
}

impl Search<'_> {
    /// The first value of a range, its end included, from which on something holds; the end itself is not asked.
    fn first(&mut self, low: i64, high: i64, holds: &dyn Fn(Ordering) -> bool) -> Result<i64, LoadError> {
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
    fn side(&mut self, value: i64) -> Result<Ordering, LoadError> {
        let game = (self.game)(value)?;
        let most = self.settings.games.unwrap_or(MOST);
        loop {
            let played = self.known.get(&value).map_or(0, |games| games.len() as u64);
            let side = self.known_side(value);
            if side != Ordering::Equal || played >= most || self.halt.is_set() {
                return Ok(side);
            }
            let games = BATCH.min(most - played);
            // Every value has the same seeds, batch for batch.
            let settings = Settings { seed: self.settings.seed.wrapping_add(played), ..self.settings };
            let played = series::numbers(&game, settings, self.player, 0..games, self.halt, &mut || {});
            if played.is_empty() {
                return Ok(Ordering::Equal);
            }
            self.known.entry(value).or_default().extend_from_slice(&played);
            let total = self.known.values().map(|games| games.len() as u64).sum();
            (self.progress)(total);
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
