//! Plays games at random, on several threads, with results that do not depend on how many.

pub use super::totals::{Points, Summary, Totals};
pub use crate::engine::Engine;
pub use crate::engine::dice::{Dice, pick};
use crate::engine::{Over, Play, Rank, Stopped, by_weight};
use crate::game::{Game, Position};
use crate::study::games::Lines;
use crate::study::halt::{GivenUp, Halt};
use crate::study::series::in_order;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::ops::Range;
use std::time::Instant;
use xxhash_rust::xxh3::xxh3_64;

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

/// How the plies of random games are drawn. Each is as likely as any other in either way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Draw {
    /// As the engine does it fastest: in an order of its own, or without listing them.
    #[default]
    Own,
    /// The k-th of the legal plies by their moves and parts, so that all engines play the same games.
    Listed,
}

impl Draw {
    /// Plays one game of a series; `tell` hears of every ply before it is played.
    pub(super) fn play(
        self,
        player: &mut dyn Play,
        (seed, max_plies): (u64, Option<u64>),
        game: u64,
        tell: &mut dyn FnMut(&mut dyn Play, usize),
    ) -> Played {
        match self {
            Self::Own => play_told(player, seed, max_plies, game, tell),
            Self::Listed => play_listed(player, seed, max_plies, game, tell),
        }
    }
}

/// What one game came to.
#[derive(Clone, Debug)]
pub struct Played {
    /// How long it was.
    pub plies: u64,
    /// Legal moves, summed over all plies.
    pub choices: u64,
    /// How it ended; none if it was cut.
    pub over: Option<Over>,
    /// Another number for other moves or another end.
    pub digest: u64,
    /// A ply took more steps than it may, and ended the game.
    pub stopped: Option<Stopped>,
}

/// Plays one game of a series from the marked position of a player.
pub(super) fn play(player: &mut dyn Play, seed: u64, max_plies: Option<u64>, game: u64) -> Played {
    played(player, seed, game, |player, dice| player.playout(dice, max_plies.unwrap_or(u64::MAX)))
}

/// A game of the same series whose plies are drawn from a list in order; `tell` hears of every ply before it is played.
fn play_listed(
    player: &mut dyn Play,
    seed: u64,
    max_plies: Option<u64>,
    game: u64,
    tell: &mut dyn FnMut(&mut dyn Play, usize),
) -> Played {
    let most = max_plies.unwrap_or(u64::MAX);
    played(player, seed, game, |player, dice| {
        let (mut plies, mut choices) = (0, 0);
        while plies < most && player.count() > 0 {
            let listed = in_listed_order(player);
            let place = if player.chance() {
                let weights: Vec<u32> = listed.iter().map(|index| player.weight(*index)).collect();
                by_weight(&weights, &mut |sum| dice.choose(sum))
            } else {
                dice.choose(listed.len())
            };
            let Some(index) = listed.get(place) else { break };
            tell(player, *index);
            player.play(*index);
            plies += 1;
            choices += u64::try_from(listed.len()).unwrap_or(u64::MAX);
        }
        (plies, choices)
    })
}

/// The numbers of the legal plies in one order for all engines: by their moves in the text, then by their parts.
fn in_listed_order(player: &mut dyn Play) -> Vec<usize> {
    let mut listed: Vec<_> = (0..player.count()).map(|index| (player.ply(index).map(Rank::of), index)).collect();
    listed.sort();
    listed.into_iter().map(|(_, index)| index).collect()
}

/// The same game, with a word about every ply before it is played.
fn play_told(
    player: &mut dyn Play,
    seed: u64,
    max_plies: Option<u64>,
    game: u64,
    tell: &mut dyn FnMut(&mut dyn Play, usize),
) -> Played {
    played(player, seed, game, |player, dice| player.playout_told(dice, max_plies.unwrap_or(u64::MAX), tell))
}

fn played(
    player: &mut dyn Play,
    seed: u64,
    game: u64,
    playout: impl FnOnce(&mut dyn Play, &mut Dice) -> (u64, u64),
) -> Played {
    let mut dice = Dice::new(generator(seed, game));
    player.reset();
    let (plies, choices) = playout(player, &mut dice);
    let over = player.over();
    for place in over.iter().flat_map(|over| over.places.iter().take(player.players())) {
        // No index of a ply is so large: it parts the plies from the result.
        dice.note(u64::from(*place) ^ 1 << 63);
    }
    Played { plies, choices, over, digest: dice.digest(), stopped: player.stopped() }
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
    let (began, given_up) = (Instant::now(), GivenUp::default());
    let mut summary = empty(game);
    let run = Run { settings, games: 0..settings.games, halt: Halt::never().telling(&given_up), lines: None };
    run.each(game, &mut |number, played, _| {
        summary.add(number, played);
        progress(summary.totals.games);
        true
    });
    (summary.elapsed, summary.stopped) = (began.elapsed(), given_up.told());
    summary
}

/// Nothing played yet of a game.
#[must_use]
pub fn empty(game: &Game) -> Summary {
    Summary::of(game.rules().players.len(), game.rules().endings.len())
}

/// Some games of a series, by their numbers.
pub struct Run<'a> {
    /// How they are played; how many there are stands below.
    pub settings: Settings,
    /// Which ones.
    pub games: Range<u64>,
    /// When this says so, those that have begun are the last ones.
    pub halt: Halt<'a>,
    /// What writes each of them down, if anything does.
    pub lines: Option<&'a Lines<'a>>,
}

impl Run<'_> {
    /// Plays them, and hands over each with its number and its line, in the order of the numbers, until the taker says no, or
    /// until a ply is given up: the game that it belongs to is not handed over.
    pub fn each(&self, game: &Game, take: &mut dyn FnMut(u64, &Played, &[u8]) -> bool) {
        self.each_drawn(game, Draw::Own, take);
    }

    /// The same, with a word on how plies are drawn.
    pub fn each_drawn(&self, game: &Game, draw: Draw, take: &mut dyn FnMut(u64, &Played, &[u8]) -> bool) {
        let blocks = 0..self.games.end.saturating_sub(self.games.start).div_ceil(BLOCK);
        let worker = || {
            let mut player = game.player(self.settings.engine);
            let mut pen = self.lines.map(Lines::pen);
            move |block: u64| {
                let first = self.games.start + block * BLOCK;
                let mut done = Vec::new();
                for number in first..(first + BLOCK).min(self.games.end) {
                    if self.halt.is_set() {
                        break;
                    }
                    let Settings { seed, max_plies, .. } = self.settings;
                    let mut line = Vec::new();
                    let played = match &mut pen {
                        Some(pen) => pen.play(player.as_mut(), self.settings, draw, number, &mut line),
                        None if draw == Draw::Listed => {
                            play_listed(player.as_mut(), seed, max_plies, number, &mut |_, _| {})
                        }
                        None => play(player.as_mut(), seed, max_plies, number),
                    };
                    done.push((number, played, line));
                }
                (!done.is_empty()).then_some(done)
            }
        };
        in_order(blocks, self.settings.threads, &worker, &mut |games| {
            let whole = games.len() as u64 == BLOCK;
            let mut more = |(number, played, line): &(u64, Played, Vec<u8>)| match played.stopped {
                None => take(*number, played, line),
                Some(stopped) => {
                    self.halt.give_up(stopped);
                    false
                }
            };
            games.iter().all(&mut more) && whole
        });
    }
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
