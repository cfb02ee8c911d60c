//! Series of games between programs, each from every seat equally often, and what they say about strength.

use super::agent::Agent;
use super::mind::Mind;
use super::world::worth;
use crate::game::Game;
use crate::game::Line;
use crate::study::playout::{choose, generator};
use rand::Rng;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

/// Parts the dice of a series from the programs that play it.
const DICE: u64 = 0xd1ce_d1ce_d1ce_d1ce;

/// Who plays, and how much.
#[derive(Clone, Debug)]
pub struct Settings {
    /// One program for each seat, first in this order, then moved on by one seat from game to game.
    pub agents: Vec<Agent>,
    /// How many games are played.
    pub games: u64,
    /// The same seed gives the same games, where programs do not go by the clock.
    pub seed: u64,
    /// On how many threads.
    pub threads: usize,
    /// Games that last longer count as drawn by all.
    pub max_plies: Option<u64>,
    /// Plies at the beginning that chance plays, so that programs without chance do not play the same game again.
    pub opening: u64,
}

/// What one program came to.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Standing {
    /// Games won alone, and games with a shared first place.
    pub wins: u64,
    /// Games in which the first place was shared.
    pub shared: u64,
    /// The sum of results: 1 for the first place alone, 0 for the last.
    pub points: f64,
    squares: f64,
}

/// What a series came to.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// Games played so far.
    pub games: u64,
    /// Their plies.
    pub plies: u64,
    /// Games that were given up.
    pub unfinished: u64,
    /// In the order of the agents.
    pub standings: Vec<Standing>,
    /// Games won alone by whoever sat at each seat.
    pub by_seat: Vec<u64>,
}

/// One game: the points by seat, and by agent.
struct Played {
    plies: u64,
    finished: bool,
    places: Vec<u8>,
    /// Which agent sat where.
    sat: Vec<usize>,
}

impl Standing {
    /// The mean result with the ends of its 95 % interval (normal approximation over the games; for wins and losses alone
    /// Wilson's).
    #[must_use]
    pub fn interval(&self, games: u64) -> (f64, f64, f64) {
        const Z: f64 = 1.959_964;
        let n = games.max(1) as f64;
        let mean = self.points / n;
        if self.squares == self.points {
            // Only ones and zeros: Wilson's interval stays within bounds.
            let centre = (mean + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
            let half = Z / (1.0 + Z * Z / n) * (mean * (1.0 - mean) / n + Z * Z / (4.0 * n * n)).sqrt();
            return (mean, (centre - half).max(0.0), (centre + half).min(1.0));
        }
        let variance = (self.squares / n - mean * mean).max(0.0) * n / (n - 1.0).max(1.0);
        let half = Z * (variance / n).sqrt();
        (mean, (mean - half).max(0.0), (mean + half).min(1.0))
    }
}

/// Plays the games; `progress` is told of what has been played so far. The results do not depend on the number of threads,
/// unless programs think by the clock.
pub fn play(game: &Game, settings: &Settings, progress: &mut dyn FnMut(&Results)) -> Results {
    let seats = game.rules().players.len();
    let mut results = Results {
        standings: vec![Standing::default(); settings.agents.len()],
        by_seat: vec![0; seats],
        ..Results::default()
    };
    let next = AtomicU64::new(0);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..settings.threads.max(1) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= settings.games || sender.send((number, play_one(game, settings, number))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        for (number, played) in receiver {
            waiting.insert(number, played);
            while let Some(played) = waiting.remove(&results.games) {
                results.add(&played);
            }
            progress(&results);
        }
    });
    results
}

fn play_one(game: &Game, settings: &Settings, number: u64) -> Played {
    let seats = game.rules().players.len();
    let mut chance = generator(settings.seed, number);
    let turn = (number % seats.max(1) as u64) as usize;
    let sat: Vec<usize> = (0..seats).map(|seat| (seat + turn) % seats).collect();
    let mut minds: Vec<Mind> = sat
        .iter()
        .map(|agent| Mind::new(settings.agents.get(*agent).copied().unwrap_or(Agent::Random), chance.next_u64()))
        .collect();
    // The games in which the same programs change seats have the same dice.
    let mut dice = generator(settings.seed ^ DICE, number / seats.max(1) as u64);
    let mut opening = Mind::new(Agent::Random, chance.next_u64());
    let stop = AtomicBool::new(false);
    let mut line = Line::new(game.start());
    let mut plies = 0;
    while let Some(seat) = line.position().seat() {
        if settings.max_plies.is_some_and(|most| plies >= most) {
            break;
        }
        let index = if line.position().is_chance() {
            choose(line.position(), &mut dice)
        } else {
            let mind = if plies < settings.opening { Some(&mut opening) } else { minds.get_mut(seat) };
            mind.and_then(|mind| mind.think(&line, &stop, &mut |_, _| {})).map(|thought| thought.index)
        };
        if index.and_then(|index| line.play(index)).is_none() {
            break;
        }
        plies += 1;
    }
    let outcome = line.position().outcome_by_seat();
    Played { plies, finished: outcome.is_some(), places: outcome.unwrap_or_else(|| vec![1; seats]), sat }
}

impl Results {
    fn add(&mut self, played: &Played) {
        self.games += 1;
        self.plies += played.plies;
        self.unfinished += u64::from(!played.finished);
        let first = played.places.iter().filter(|place| **place == 1).count();
        for (seat, agent) in played.sat.iter().enumerate() {
            let Some(standing) = self.standings.get_mut(*agent) else { continue };
            let points = f64::from(worth(&played.places, seat));
            standing.points += points;
            standing.squares += points * points;
            if played.places.get(seat) == Some(&1) {
                if first == 1 {
                    standing.wins += 1;
                    if let Some(wins) = self.by_seat.get_mut(seat) {
                        *wins += 1;
                    }
                } else {
                    standing.shared += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_the_mean_and_shrink_with_the_games() {
        let standing = |wins: u64| Standing { wins, shared: 0, points: wins as f64, squares: wins as f64 };
        let (mean, low, high) = standing(70).interval(100);
        assert!((mean - 0.7).abs() < 1e-9, "{mean}");
        assert!((low - 0.604).abs() < 1e-3 && (high - 0.781).abs() < 1e-3, "{low} {high}");
        let (_, low, high) = standing(200).interval(200);
        assert!(low > 0.97 && low < high && high <= 1.0, "{low} {high}");
    }
}
