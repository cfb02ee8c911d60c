//! Series of games between programs, each from every seat equally often, and what they say about strength.

use super::agent::Agent;
use super::bout::{Contestant, Fixture};
pub(super) use super::bout::{MARGIN, Played, Step, Watch};
use crate::game::Game;
use crate::study::bouts::{Bout, Bouts};
use crate::study::estimate::Estimate;
use crate::study::games::Lines;
use crate::study::halt::Halt;
use crate::study::series::in_order;
use serde_json::{Map, Value};
use std::ops::Range;

/// Who plays, and how much.
#[derive(Clone, Debug)]
pub struct Settings<A = Agent> {
    /// One program for each seat, first in this order, then moved on by one seat from game to game.
    pub agents: Vec<A>,
    /// How many games are played.
    pub games: u64,
    /// The same seed gives the same games, where programs do not go by the clock.
    pub seed: u64,
    /// On how many threads.
    pub threads: usize,
    /// Games that last longer count as drawn by all.
    pub max_plies: Option<u64>,
    /// Plies at the beginning that chance plays, so that programs without chance do not play the same game again. They are
    /// the same for games in a row, one for each order of seats.
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
    /// Games that somebody lost because no legal move came from him in time.
    pub forfeits: u64,
    /// In the order of the agents.
    pub standings: Vec<Standing>,
    /// Games won alone by whoever sat at each seat.
    pub by_seat: Vec<u64>,
    /// Another number for other moves of any game.
    pub fingerprint: u64,
}

impl Standing {
    /// The mean result with its 95 % interval.
    #[must_use]
    pub fn interval(&self, games: u64) -> Estimate {
        Estimate::score(self.points, self.squares, games as f64)
    }
}

/// Plays the games; `progress` is told of what has been played so far. The results do not depend on the number of threads,
/// unless programs think by the clock.
pub fn play<A: Contestant>(game: &Game, settings: &Settings<A>, progress: &mut dyn FnMut(&Results)) -> Results {
    play_each(game, settings, Halt::never(), None, &mut |results, _| {
        progress(results);
        true
    })
}

/// The same until it is halted, where games that have only begun do not count, until a ply is given up, or until the taker says
/// no. It is given the results so far and the line of the game that came last, if games are written down.
pub fn play_each<A: Contestant>(
    game: &Game,
    settings: &Settings<A>,
    halt: Halt<'_>,
    lines: Option<&Lines<'_>>,
    take: &mut dyn FnMut(&Results, &[u8]) -> bool,
) -> Results {
    let written = Written { lines, positions: None };
    play_written(game, settings, halt, written, &mut |results, line, _| take(results, line))
}

/// What is written down of games.
#[derive(Clone, Copy, Default)]
pub struct Written<'a> {
    /// What writes the games.
    pub lines: Option<&'a Lines<'a>>,
    /// What every line about a position begins with, if positions are written down.
    pub positions: Option<&'a Map<String, Value>>,
}

/// Is given the results so far, the line of the game that came last, and those of its positions; says whether to go on.
pub type Take<'t> = dyn FnMut(&Results, &[u8], &[u8]) -> bool + 't;

/// The same with the lines of the positions of the game that came last.
pub fn play_written<A: Contestant>(
    game: &Game,
    settings: &Settings<A>,
    halt: Halt<'_>,
    Written { lines, positions }: Written<'_>,
    take: &mut Take<'_>,
) -> Results {
    let seats = game.rules().players.len();
    let mut sums = Bouts::of(settings.agents.len(), seats);
    let watch = Watch { lines, positions, ..Watch::of(halt) };
    let mut number = 0;
    traced(game, settings, watch, &mut |played, line| {
        sums.add(&bout(number, played));
        number += 1;
        take(&Results::of(&sums), line, &played.positions)
    });
    Results::of(&sums)
}

/// Some of the games, by their numbers: how each went, in order. Fewer come when it is halted, or when the taker says no.
pub fn part<A: Contestant>(
    game: &Game,
    settings: &Settings<A>,
    games: Range<u64>,
    halt: Halt<'_>,
    take: &mut dyn FnMut(&Bout<'_>) -> bool,
) {
    watched(game, settings, games, Watch::of(halt), &mut |bout, _| take(bout));
}

/// The same with the lines of the games, if they are written down.
pub(super) fn watched<A: Contestant>(
    game: &Game,
    settings: &Settings<A>,
    games: Range<u64>,
    watch: Watch<'_>,
    take: &mut dyn FnMut(&Bout<'_>, &[u8]) -> bool,
) {
    let mut number = games.start;
    some(game, settings, games, watch, &mut |played, line| {
        let more = take(&bout(number, played), line);
        number += 1;
        more
    });
}

fn bout(number: u64, played: &Played) -> Bout<'_> {
    Bout {
        number,
        plies: played.plies,
        places: &played.places,
        sat: &played.sat,
        ended: played.reason.is_some(),
        forfeited: played.forfeit.is_some(),
        digest: played.digest,
    }
}

/// The games one by one, with what the programs thought on the way.
pub(super) fn traced<A: Contestant>(
    game: &Game,
    settings: &Settings<A>,
    watch: Watch<'_>,
    take: &mut dyn FnMut(&Played, &[u8]) -> bool,
) {
    some(game, settings, 0..settings.games, watch, take);
}

/// Some of the games, by their numbers.
pub(super) fn some<A: Contestant>(
    game: &Game,
    settings: &Settings<A>,
    games: Range<u64>,
    watch: Watch<'_>,
    take: &mut dyn FnMut(&Played, &[u8]) -> bool,
) {
    let seats = game.rules().players.len().max(1) as u64;
    let count = settings.agents.len();
    let all: Vec<String> = settings.agents.iter().map(A::to_string).collect();
    let worker = || {
        let mut players: Vec<_> = settings.agents.iter().map(A::player).collect();
        let all = &all;
        move |number: u64| {
            let turn = usize::try_from(number % seats).unwrap_or(0);
            let sat: Vec<usize> = (0..count).map(|seat| (seat + turn) % count).collect();
            let names: Vec<String> = sat.iter().filter_map(|at| all.get(*at).cloned()).collect();
            // The games in which the same programs change seats begin alike.
            let fixture = Fixture {
                game,
                index: number,
                stream: number,
                start: number / seats,
                seed: settings.seed,
                opening: settings.opening,
                max_plies: settings.max_plies,
                sat: &sat,
                names: &names,
            };
            let mut line = Vec::new();
            fixture.play(&mut players, watch, &mut line).map(|played| (played, line))
        }
    };
    in_order(games, settings.threads, &worker, &mut |(played, line): (Played, Vec<u8>)| match played.stopped {
        None => take(&played, &line),
        Some(stopped) => {
            watch.halt.give_up(stopped);
            false
        }
    });
}

impl Results {
    /// What sums say.
    #[must_use]
    pub fn of(sums: &Bouts) -> Self {
        let seats = sums.by_seat.len();
        let standing = |((wins, shared), got): ((&u64, &u64), &crate::study::totals::Points)| {
            let (points, squares) = got.worth(seats);
            Standing { wins: *wins, shared: *shared, points, squares }
        };
        Self {
            games: sums.games,
            plies: sums.plies,
            unfinished: sums.unfinished,
            forfeits: sums.forfeits,
            standings: sums.alone.iter().zip(&sums.shared).zip(&sums.got).map(standing).collect(),
            by_seat: sums.by_seat.clone(),
            fingerprint: sums.fingerprint,
        }
    }
}
