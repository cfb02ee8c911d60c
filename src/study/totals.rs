//! Sums over games, from which all means come. Sums of parts add up to those of the whole, in any order.

use super::estimate::Estimate;
use super::playout::{Played, last, winner};
use crate::engine::Stopped;
use crate::rules::MAX_PLAYERS;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64;

/// How much was played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Games played.
    pub games: u64,
    /// Their plies.
    pub plies: u64,
    /// Legal moves, summed over all plies.
    pub choices: u64,
}

impl Totals {
    /// One more game, of so many plies with so many choices.
    pub fn add(&mut self, plies: u64, choices: u64) {
        self.merge(Self { games: 1, plies, choices });
    }

    /// Those of other games too.
    pub fn merge(&mut self, other: Self) {
        self.games = self.games.saturating_add(other.games);
        self.plies = self.plies.saturating_add(other.plies);
        self.choices = self.choices.saturating_add(other.choices);
    }

    /// The mean length of a game.
    #[must_use]
    pub fn mean_plies(&self) -> f64 {
        ratio(self.plies as f64, self.games as f64)
    }

    /// The mean number of legal moves.
    #[must_use]
    pub fn mean_branching(&self) -> f64 {
        ratio(self.choices as f64, self.plies as f64)
    }

    /// Games in a second, if they took so long.
    #[must_use]
    pub fn playouts_per_second(&self, time: Duration) -> f64 {
        ratio(self.games as f64, time.as_secs_f64())
    }

    /// Plies in a second, if they took so long.
    #[must_use]
    pub fn moves_per_second(&self, time: Duration) -> f64 {
        ratio(self.plies as f64, time.as_secs_f64())
    }
}

/// What many games came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// How much was played.
    pub totals: Totals,
    /// Games won alone, by player in turn order.
    pub wins: Vec<u64>,
    /// Games in which a player alone came last, by player in turn order.
    pub last: Vec<u64>,
    /// Where more than two play: for each player in turn order, how often he came to each place, the first one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Vec<u64>>,
    /// Games whose first place was shared.
    pub draws: u64,
    /// Games that were cut.
    pub unfinished: u64,
    /// What the players got out of games that ended.
    pub points: Vec<Points>,
    /// By line of `end`, how many games it decided.
    pub ends: Vec<u64>,
    /// How many games had each length.
    pub lengths: BTreeMap<u64, u64>,
    /// A number that changes with any move of any game: the sum over the games of a hash of each with its number.
    pub fingerprint: u64,
    /// The time on the wall, where it was measured.
    #[serde(skip)]
    pub elapsed: Duration,
    /// A ply that took more steps than it may: the game that it belongs to, and those behind it, are not among these.
    #[serde(skip)]
    pub stopped: Option<Stopped>,
}

/// Results of one player, in units so small that they are whole numbers: half the worth of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Points {
    /// Their sum.
    pub sum: u64,
    /// The sum of their squares.
    pub squares: u64,
}

impl Points {
    /// The sum and the sum of squares as results from 0 to 1, among so many players.
    #[must_use]
    pub fn worth(self, players: usize) -> (f64, f64) {
        let unit = 1.0 / (2.0 * players.saturating_sub(1).max(1) as f64);
        (self.sum as f64 * unit, self.squares as f64 * unit * unit)
    }
}

impl Summary {
    /// Nothing played yet, of a game with so many players and lines of `end`.
    #[must_use]
    pub fn of(players: usize, ends: usize) -> Self {
        Self {
            wins: vec![0; players],
            last: vec![0; players],
            places: if players > 2 { vec![vec![0; players]; players] } else { Vec::new() },
            points: vec![Points::default(); players],
            ends: vec![0; ends],
            ..Self::default()
        }
    }

    /// One more game, which has a number.
    pub fn add(&mut self, number: u64, game: &Played) {
        self.totals.add(game.plies, game.choices);
        *self.lengths.entry(game.plies).or_default() += 1;
        self.fingerprint = self.fingerprint.wrapping_add(numbered(number, game.digest));
        let Some(over) = &game.over else {
            self.unfinished += 1;
            return;
        };
        let players = self.wins.len().min(MAX_PLAYERS);
        let places = over.places.get(..players).unwrap_or(&over.places);
        match winner(places).and_then(|player| self.wins.get_mut(player)) {
            Some(wins) => *wins += 1,
            None => self.draws += 1,
        }
        if let Some(count) = last(places).and_then(|player| self.last.get_mut(player)) {
            *count += 1;
        }
        for (counts, place) in self.places.iter_mut().zip(places) {
            if let Some(count) = usize::from(*place).checked_sub(1).and_then(|place| counts.get_mut(place)) {
                *count += 1;
            }
        }
        for (points, own) in self.points.iter_mut().zip(places) {
            let got = units(places, *own);
            points.sum += got;
            points.squares += got * got;
        }
        if let Some(count) = over.line.and_then(|line| self.ends.get_mut(line)) {
            *count += 1;
        }
    }

    /// What other games of the same kind came to, too. The time is not added: it may be the same.
    pub fn merge(&mut self, other: &Self) {
        self.totals.merge(other.totals);
        add_all(&mut self.wins, &other.wins);
        add_all(&mut self.last, &other.last);
        add_all(&mut self.ends, &other.ends);
        for (sums, ones) in self.places.iter_mut().zip(&other.places) {
            add_all(sums, ones);
        }
        self.draws = self.draws.saturating_add(other.draws);
        self.unfinished = self.unfinished.saturating_add(other.unfinished);
        for (sum, one) in self.points.iter_mut().zip(&other.points) {
            sum.sum = sum.sum.saturating_add(one.sum);
            sum.squares = sum.squares.saturating_add(one.squares);
        }
        for (length, count) in &other.lengths {
            let sum = self.lengths.entry(*length).or_default();
            *sum = sum.saturating_add(*count);
        }
        self.fingerprint = self.fingerprint.wrapping_add(other.fingerprint);
    }

    /// What a player gets out of a game that ends: 1 for the first place alone, 0 for the last.
    #[must_use]
    pub fn score(&self, player: usize) -> Estimate {
        let (sum, squares) = self.points.get(player).copied().unwrap_or_default().worth(self.wins.len());
        let ended = self.totals.games.saturating_sub(self.unfinished) as f64;
        Estimate::score(sum, squares, ended)
    }

    /// The shortest, the longest, and the lengths that a quarter, half and three quarters of the games do not exceed.
    #[must_use]
    pub fn quartiles(&self) -> [u64; 5] {
        let games: u64 = self.lengths.values().fold(0, |sum, count| sum.saturating_add(*count));
        [0, 1, 2, 3, 4].map(|quarter: u64| {
            let wanted = (u128::from(games) * u128::from(quarter)).div_ceil(4).max(1);
            let mut passed = 0u128;
            let found = self.lengths.iter().find(|(_, count)| {
                passed += u128::from(**count);
                passed >= wanted
            });
            found.map_or(0, |(length, _)| *length)
        })
    }

    /// Games that ended without a line of `end`.
    #[must_use]
    pub fn other_ends(&self) -> u64 {
        let decided = self.ends.iter().fold(self.unfinished, |sum, count| sum.saturating_add(*count));
        self.totals.games.saturating_sub(decided)
    }
}

fn add_all(sums: &mut [u64], other: &[u64]) {
    for (sum, one) in sums.iter_mut().zip(other) {
        *sum = sum.saturating_add(*one);
    }
}

/// Twice the number of those behind, and one for each beside.
pub(super) fn units(places: &[u8], own: u8) -> u64 {
    places.iter().map(|place| u64::from(*place > own) + u64::from(*place >= own)).sum::<u64>().saturating_sub(1)
}

/// A hash of a game with its number, so that sums of them do not depend on the order and tell games apart.
pub(super) fn numbered(number: u64, digest: u64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    bytes[8..].copy_from_slice(&digest.to_le_bytes());
    xxh3_64(&bytes)
}

/// A part of a whole; of nothing it is nothing.
pub(super) fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Over;

    fn played(plies: u64, places: [u8; 2], line: usize) -> Played {
        let mut all = [0; MAX_PLAYERS];
        all[..2].copy_from_slice(&places);
        Played {
            plies,
            choices: 3 * plies,
            over: Some(Over { places: all, line: Some(line) }),
            digest: plies,
            stopped: None,
        }
    }

    fn summary(games: &[(u64, Played)]) -> Summary {
        let mut summary = Summary::of(2, 2);
        games.iter().for_each(|(number, game)| summary.add(*number, game));
        summary
    }

    #[test]
    fn parts_add_up_to_the_whole_in_any_order() {
        let games: Vec<(u64, Played)> = (0..20)
            .map(|n| (n, played(5 + n % 7, [[1, 2], [2, 1], [1, 1]][(n % 3) as usize], (n % 2) as usize)))
            .collect();
        let whole = summary(&games);
        let mut parts = summary(&games[13..]);
        parts.merge(&summary(&games[..13]));
        assert_eq!(whole, parts);
        assert_eq!((whole.wins.clone(), whole.draws, whole.ends.clone()), (vec![7, 7], 6, vec![10, 10]));
        assert_eq!((whole.score(0).value, whole.totals.mean_branching()), (0.5, 3.0));
        let text = serde_json::to_string(&whole).unwrap();
        assert_eq!(serde_json::from_str::<Summary>(&text).unwrap(), whole);
        // The same games under other numbers are others.
        let moved: Vec<(u64, Played)> = games.iter().map(|(n, game)| (n + 1, game.clone())).collect();
        assert_ne!(summary(&moved).fingerprint, whole.fingerprint);
    }

    #[test]
    fn quartiles_are_lengths_that_were_played() {
        let lengths = |all: &[u64]| {
            let games: Vec<(u64, Played)> = (0..).zip(all).map(|(n, plies)| (n, played(*plies, [1, 2], 0))).collect();
            summary(&games).quartiles()
        };
        assert_eq!(lengths(&[1, 2, 3, 4]), [1, 1, 2, 3, 4]);
        assert_eq!(lengths(&[9]), [9; 5]);
        assert_eq!(lengths(&[]), [0; 5]);
    }

    #[test]
    fn places_are_worth_what_is_behind_them() {
        assert_eq!([units(&[1, 2], 1), units(&[1, 2], 2), units(&[1, 1], 1)], [2, 0, 1]);
        assert_eq!([1, 2].map(|own| units(&[1, 2, 2], own)), [4, 1]);
    }
}
