//! Plays games at random, on several threads, with results that do not depend on how many.

pub use crate::engine::Engine;
use crate::engine::dice::Dice;
pub use crate::engine::dice::pick;
use crate::engine::{Over, Play, by_weight};
use crate::game::{Game, Position};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Games that a thread takes at a time.
const BLOCK: u64 = 16;

/// How many random games are played, and how.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How many.
    pub games: u64,
    /// The same seed gives the same games.
    pub seed: u64,
    /// On how many threads; the games do not depend on it.
    pub threads: usize,
    /// Games that last longer are cut; none for no bound.
    pub max_plies: Option<u64>,
    /// On which engine.
    pub engine: Engine,
}

/// Plays one game of a series from the marked position of a player.
pub(super) fn play(player: &mut dyn Play, seed: u64, max_plies: Option<u64>, game: u64) -> Played {
    let mut dice = Dice::new(generator(seed, game));
    player.reset();
    let (plies, choices) = player.playout(&mut dice, max_plies.unwrap_or(u64::MAX));
    let (over, players) = (player.over(), player.players());
    for place in over.iter().flat_map(|over| over.places.iter().take(players)) {
        // No index of a ply is so large: it parts the plies from the result.
        dice.note(u64::from(*place) ^ 1 << 63);
    }
    Played { plies, choices, over, players, digest: dice.digest() }
}

/// What many games came to.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Games played.
    pub games: u64,
    /// Their plies.
    pub plies: u64,
    /// By player, in turn order.
    pub wins: Vec<u64>,
    /// Games in which a player alone came last, by player in turn order.
    pub last: Vec<u64>,
    /// Games whose first place was shared.
    pub draws: u64,
    /// Games that were given up.
    pub unfinished: u64,
    /// Legal moves, summed over all plies.
    pub choices: u64,
    /// The time on the wall.
    pub elapsed: Duration,
    /// A number that changes with any move of any game.
    pub fingerprint: u64,
}

/// What decides a game: the generator of one game of a series.
#[must_use]
pub fn generator(seed: u64, game: u64) -> Xoshiro256PlusPlus {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..].copy_from_slice(&game.to_le_bytes());
    Xoshiro256PlusPlus::seed_from_u64(xxh3_64(&bytes))
}

/// One of the legal moves, each as likely as any other; where chance decides as likely as it is heavy. None when there are none.
pub fn choose(position: &Position, generator: &mut Xoshiro256PlusPlus) -> Option<usize> {
    match position.weights() {
        Some(weights) => Some(by_weight(&weights, &mut |sum| pick(sum, generator).unwrap_or(0))),
        None => pick(position.move_count(), generator),
    }
}

/// Who alone has the first place.
#[must_use]
pub fn winner(places: &[u8]) -> Option<usize> {
    let mut first = places.iter().enumerate().filter(|(_, place)| **place == 1).map(|(player, _)| player);
    let player = first.next()?;
    first.next().is_none().then_some(player)
}

/// Who alone has the last place, and others a better one.
#[must_use]
pub fn last(places: &[u8]) -> Option<usize> {
    let worst = *places.iter().max().filter(|worst| **worst > 1)?;
    let mut last = places.iter().enumerate().filter(|(_, place)| **place == worst).map(|(player, _)| player);
    let player = last.next()?;
    last.next().is_none().then_some(player)
}

/// Plays the games; `progress` is told how many are done.
pub fn playout(game: &Game, settings: Settings, progress: &mut dyn FnMut(u64)) -> Summary {
    let began = Instant::now();
    let next = AtomicU64::new(0);
    let nobody = vec![0; game.rules().players.len()];
    let mut summary = Summary { wins: nobody.clone(), last: nobody, ..Summary::default() };
    let mut digest = Xxh3::new();
    let (sender, receiver) = mpsc::channel();
    let threads = u64::try_from(settings.threads).unwrap_or(1).clamp(1, settings.games.div_ceil(BLOCK).max(1));
    thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || work(game.player(settings.engine).as_mut(), settings, next, &sender));
        }
        drop(sender);
        // Blocks come in any order; the fingerprint and the sums take them in theirs.
        let mut waiting = BTreeMap::new();
        let mut wanted = 0;
        for (block, games) in receiver {
            waiting.insert(block, games);
            while let Some(games) = waiting.remove(&wanted) {
                wanted += 1;
                for game in games {
                    summary.add(&game);
                    digest.update(&game.digest.to_le_bytes());
                }
            }
            progress(summary.games);
        }
    });
    summary.fingerprint = digest.digest();
    summary.elapsed = began.elapsed();
    summary
}

/// What one game came to.
pub(super) struct Played {
    pub(super) plies: u64,
    /// Legal moves, summed over all plies.
    pub(super) choices: u64,
    /// Of the players; none if the game was cut.
    over: Option<Over>,
    players: usize,
    digest: u64,
}

fn work(player: &mut dyn Play, settings: Settings, next: &AtomicU64, sender: &mpsc::Sender<(u64, Vec<Played>)>) {
    loop {
        let block = next.fetch_add(1, Ordering::Relaxed);
        let first = block.saturating_mul(BLOCK);
        if first >= settings.games {
            return;
        }
        let last = (first + BLOCK).min(settings.games);
        let games = (first..last).map(|game| play(player, settings.seed, settings.max_plies, game)).collect();
        if sender.send((block, games)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
impl Played {
    pub(super) fn new(plies: u64, choices: u64) -> Self {
        Self { plies, choices, over: None, players: 0, digest: 0 }
    }
}

impl Summary {
    fn add(&mut self, game: &Played) {
        self.games += 1;
        self.plies += game.plies;
        self.choices += game.choices;
        let places = game.over.as_ref().map(|over| over.places.get(..game.players).unwrap_or(&over.places));
        if let Some(count) = places.and_then(last).and_then(|player| self.last.get_mut(player)) {
            *count += 1;
        }
        match places.map(winner) {
            None => self.unfinished += 1,
            Some(None) => self.draws += 1,
            Some(Some(player)) => {
                if let Some(wins) = self.wins.get_mut(player) {
                    *wins += 1;
                }
            }
        }
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

    /// Games in a second.
    #[must_use]
    pub fn playouts_per_second(&self) -> f64 {
        ratio(self.games as f64, self.elapsed.as_secs_f64())
    }

    /// Plies in a second.
    #[must_use]
    pub fn moves_per_second(&self) -> f64 {
        ratio(self.plies as f64, self.elapsed.as_secs_f64())
    }
}

pub(super) fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_first_place_is_no_win() {
        assert_eq!(winner(&[2, 1]), Some(1));
        assert_eq!(winner(&[1, 1]), None);
        assert_eq!((last(&[1, 1, 2]), last(&[1, 2, 2]), last(&[1, 1])), (Some(2), None, None));
        assert_eq!(winner(&[1, 1, 3]), None);
    }

    #[test]
    fn choices_depend_on_seed_and_game_only() {
        let draw = |seed, game| pick(1_000_000, &mut generator(seed, game));
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(2, 1));
        assert_eq!(pick(0, &mut generator(0, 0)), None);
    }
}
