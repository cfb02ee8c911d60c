//! Series of games between programs, each from every seat equally often, and what they say about strength.

use super::agent::Agent;
use super::mind::{Mind, Thought};
use super::world::worth;
use crate::game::Game;
use crate::game::Line;
use crate::study::estimate::Estimate;
use crate::study::games::{End, Entry, Lines, quoted};
use crate::study::halt::Halt;
use crate::study::playout::{choose, generator};
use crate::study::series::in_order;
use rand::Rng;
use std::sync::atomic::AtomicBool;

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
    /// In the order of the agents.
    pub standings: Vec<Standing>,
    /// Games won alone by whoever sat at each seat.
    pub by_seat: Vec<u64>,
}

/// One game.
#[derive(Clone, Debug)]
pub(super) struct Played {
    pub plies: u64,
    /// By seat; all the same if the game was cut.
    pub places: Vec<u8>,
    /// Which agent sat where.
    pub sat: Vec<usize>,
    /// Why it ended; none if it was cut.
    pub reason: Option<String>,
    /// Ply by ply.
    pub steps: Vec<Step>,
}

/// What was thought about a ply of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Who decided.
    pub seat: usize,
    /// Among so many.
    pub choices: usize,
    /// What the seat could expect; none where nothing was weighed.
    pub value: Option<f64>,
    /// Whether one who thinks less would have done as well; none where nobody was asked.
    pub shadow: Option<bool>,
}

/// What goes on beside the games.
#[derive(Clone, Copy)]
pub(super) struct Watch<'a> {
    pub halt: Halt<'a>,
    /// What writes them down.
    pub lines: Option<&'a Lines<'a>>,
    /// Somebody who thinks less, and is asked now and then what he would do.
    pub shadow: Option<Agent>,
}

/// Every so many plies.
const SHADOWED: u64 = 4;

/// Moves whose values differ by less are as good as each other.
pub(super) const MARGIN: f64 = 0.05;

/// Whether a thought holds another move for as good as the one that it chose.
fn is_as_good(thought: &Thought, index: usize) -> bool {
    let value = thought.candidates.iter().find(|candidate| candidate.index == index).map(|candidate| candidate.value);
    index == thought.index || value.is_some_and(|value| value >= thought.value - MARGIN)
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
pub fn play(game: &Game, settings: &Settings, progress: &mut dyn FnMut(&Results)) -> Results {
    play_each(game, settings, Halt::never(), None, &mut |results, _| {
        progress(results);
        true
    })
}

/// The same until it is halted, where games that have only begun do not count, or until the taker says no. It is given the
/// results so far and the line of the game that came last, if games are written down.
pub fn play_each(
    game: &Game,
    settings: &Settings,
    halt: Halt<'_>,
    lines: Option<&Lines<'_>>,
    take: &mut dyn FnMut(&Results, &[u8]) -> bool,
) -> Results {
    let mut results = Results {
        standings: vec![Standing::default(); settings.agents.len()],
        by_seat: vec![0; game.rules().players.len()],
        ..Results::default()
    };
    let watch = Watch { halt, lines, shadow: None };
    traced(game, settings, watch, &mut |played, line| {
        results.add(played);
        take(&results, line)
    });
    results
}

/// The games one by one, with what the programs thought on the way.
pub(super) fn traced(game: &Game, settings: &Settings, watch: Watch<'_>, take: &mut dyn FnMut(&Played, &[u8]) -> bool) {
    let worker = || {
        |number| {
            let mut line = Vec::new();
            play_one(game, settings, number, watch, &mut line).map(|played| (played, line))
        }
    };
    in_order(0..settings.games, settings.threads, &worker, &mut |(played, line): (Played, Vec<u8>)| {
        take(&played, &line)
    });
}

fn play_one(game: &Game, settings: &Settings, number: u64, watch: Watch<'_>, written: &mut Vec<u8>) -> Option<Played> {
    let seats = game.rules().players.len().max(1) as u64;
    let mut chance = generator(settings.seed, number);
    let turn = usize::try_from(number % seats).unwrap_or(0);
    let count = settings.agents.len().max(1);
    let sat: Vec<usize> = (0..settings.agents.len()).map(|seat| (seat + turn) % count).collect();
    let mut minds: Vec<Mind> = sat
        .iter()
        .map(|agent| Mind::new(settings.agents.get(*agent).copied().unwrap_or(Agent::Random), chance.next_u64()))
        .collect();
    // The games in which the same programs change seats have the same dice and begin with the same plies.
    let mut dice = generator(settings.seed ^ DICE, number / seats);
    let mut opening = Mind::new(Agent::Random, generator(!settings.seed, number / seats).next_u64());
    let stop = AtomicBool::new(false);
    let mut line = Line::new(game.start());
    let (mut plies, mut moves, mut steps) = (0, String::new(), Vec::new());
    while let Some(seat) = line.position().seat() {
        if settings.max_plies.is_some_and(|most| plies >= most) {
            break;
        }
        if watch.halt.is_set() {
            return None;
        }
        if line.position().is_chance() {
            let index = choose(line.position(), &mut dice);
            let Some(text) = index.and_then(|index| line.play(index)) else { break };
            quoted(&mut moves, |moves| {
                moves.push_str(&text);
                Some(())
            });
            plies += 1;
            continue;
        }
        let mind = if plies < settings.opening { Some(&mut opening) } else { minds.get_mut(seat) };
        let choices = line.position().move_count();
        let Some(thought) = mind.and_then(|mind| mind.think(&line, &stop, &mut |_, _| {})) else { break };
        let weighed = thought.rounds > 0;
        let value = weighed.then_some(thought.value);
        // Now and then somebody who thinks less is asked the same.
        let asked = watch.shadow.filter(|_| weighed && (number + plies).is_multiple_of(SHADOWED));
        let shadow = asked.and_then(|shadow| {
            let mut mind = Mind::new(shadow, chance.next_u64());
            mind.think(&line, &stop, &mut |_, _| {}).map(|other| is_as_good(&thought, other.index))
        });
        let step = Step { seat, choices, value, shadow };
        let Some(text) = line.play(thought.index) else { break };
        quoted(&mut moves, |moves| {
            moves.push_str(&text);
            Some(())
        });
        steps.push(step);
        plies += 1;
    }
    let (outcome, by_seat) = (line.position().outcome(), line.position().outcome_by_seat());
    if let Some(lines) = watch.lines {
        let player = |agent: &usize| settings.agents.get(*agent).map(Agent::to_string).unwrap_or_default();
        let players: Vec<String> = sat.iter().map(player).collect();
        let end = outcome.zip(by_seat.clone()).map(|(outcome, seats)| End {
            places: outcome.places.clone(),
            seats,
            reason: outcome.reason.clone(),
        });
        lines.write(&Entry { index: number, players: &players, moves: &moves, end, plies }, written);
    }
    let reason = outcome.map(|outcome| outcome.reason.clone());
    let places = by_seat.unwrap_or_else(|| vec![1; sat.len()]);
    Some(Played { plies, places, sat, reason, steps })
}

impl Results {
    fn add(&mut self, played: &Played) {
        self.games += 1;
        self.plies += played.plies;
        self.unfinished += u64::from(played.reason.is_none());
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
