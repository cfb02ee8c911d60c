//! Series of games between programs, each from every seat equally often, and what they say about strength.

use super::agent::Agent;
use super::bout::{Contestant, Fixture};
pub(super) use super::bout::{MARGIN, Played, Step, Watch};
use super::world::worth;
use crate::game::Game;
use crate::study::estimate::Estimate;
use crate::study::games::Lines;
use crate::study::halt::Halt;
use crate::study::series::in_order;

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

/// The same until it is halted, where games that have only begun do not count, or until the taker says no. It is given the
/// results so far and the line of the game that came last, if games are written down.
pub fn play_each<A: Contestant>(
    game: &Game,
    settings: &Settings<A>,
    halt: Halt<'_>,
    lines: Option<&Lines<'_>>,
    take: &mut dyn FnMut(&Results, &[u8]) -> bool,
) -> Results {
    let mut results = Results {
        standings: vec![Standing::default(); settings.agents.len()],
        by_seat: vec![0; game.rules().players.len()],
        ..Results::default()
    };
    let watch = Watch { lines, ..Watch::of(halt) };
    traced(game, settings, watch, &mut |played, line| {
        results.add(played);
        take(&results, line)
    });
    results
}

/// The games one by one, with what the programs thought on the way.
pub(super) fn traced<A: Contestant>(
    game: &Game,
    settings: &Settings<A>,
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
    in_order(0..settings.games, settings.threads, &worker, &mut |(played, line): (Played, Vec<u8>)| {
        take(&played, &line)
    });
}

impl Results {
    fn add(&mut self, played: &Played) {
        self.games += 1;
        self.plies += played.plies;
        self.unfinished += u64::from(played.reason.is_none());
        self.forfeits += u64::from(played.forfeit.is_some());
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
