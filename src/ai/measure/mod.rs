//! What a game is like: numbers with intervals, from random games and from games of programs against themselves.
//!
//! docs/measures.md has the formulas, where they come from, and what they do not say.

pub mod compare;
mod ladder;
mod positions;
mod quantity;
mod series;
pub mod tune;

pub use ladder::Rung;
pub use quantity::Quantity;

use super::agent::{Agent, Budget};
use crate::game::Game;
use crate::study::estimate::Estimate;
use crate::study::halt::Halt;
use series::Series;
use std::time::{Duration, Instant};

/// How much is played.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How long, where games are not counted.
    pub time: Duration,
    /// So many games in every series, however long they take: then the same seed gives the same numbers.
    pub games: Option<u64>,
    /// What chance comes from.
    pub seed: u64,
    /// On how many threads.
    pub threads: usize,
    /// Longer games are cut.
    pub max_plies: u64,
}

/// A number that says something about a game.
#[derive(Clone, PartialEq, Debug)]
pub struct Measure {
    /// What it is called.
    pub name: &'static str,
    /// The number and its 95 % interval; none where it cannot be told, as when no game was decided.
    pub estimate: Option<Estimate>,
    /// From how many games.
    pub games: u64,
    /// Who played them.
    pub players: String,
    /// In what it is counted.
    pub unit: &'static str,
    /// What it says, for people.
    pub about: &'static str,
}

/// How games ended.
#[derive(Clone, PartialEq, Debug)]
pub struct End {
    /// The name of the ending.
    pub reason: String,
    /// Of how many games among all.
    pub share: f64,
}

/// All that was measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Page {
    /// The numbers.
    pub measures: Vec<Measure>,
    /// How games ended, the most frequent way first.
    pub ends: Vec<End>,
    /// Who played the games that ended so.
    pub ends_of: String,
    /// What twice the thinking is worth, from the least on.
    pub ladder: Vec<Rung>,
}

/// The rounds of a program that thinks little.
const LITTLE: u64 = 32;

/// The rounds of one that thinks much where games are counted; where time is, as many between these as it allows.
const MUCH: u64 = 2_048;
const LEAST: u64 = 64;
const MOST: u64 = 4_096;

/// As many games in a series as make the interval of a share narrower than 3 % on either side.
const ENOUGH: u64 = 1_100;

/// When the parts of the work end, of all the time.
const RANDOM: f64 = 0.04;
const POSITIONS: f64 = 0.08;
const WEAK: f64 = 0.25;
const STRONG: f64 = 0.7;

/// Games between programs from which numbers are taken: fewer of the stronger ones say less than many of the weaker.
const FEW: u64 = 10;

/// Measures a game; `progress` is told how much of the time is over.
pub fn measure(game: &Game, settings: Settings, halt: Halt<'_>, progress: &mut dyn FnMut(f64)) -> Page {
    let began = Instant::now();
    let until = |part: f64| match settings.games {
        Some(_) => halt,
        None => halt.by(began + settings.time.mul_f64(part)),
    };
    let mut told = || progress((began.elapsed().as_secs_f64() / settings.time.as_secs_f64().max(1e-9)).min(1.0));
    let games = settings.games.unwrap_or(ENOUGH);
    let little = Agent::Mcts(Budget::Rounds(LITTLE));
    let random = series::of(game, settings, (Agent::Random, None), games.max(1_000), until(RANDOM), &mut told);
    let space = positions::space(game, settings.seed, until(POSITIONS));
    let before = Instant::now();
    let weak = series::of(game, settings, (little, None), games, until(WEAK), &mut told);
    let much = Agent::Mcts(Budget::Rounds(rounds(settings, before.elapsed(), weak.games().len())));
    let strong = series::of(game, settings, (much, Some(little)), games, until(STRONG), &mut told);
    let ladder = ladder::climb(game, settings, until(1.0), &mut told);
    let enough = |series: &Series, least: u64| series.games().len() as u64 >= least;
    let best = [&strong, &weak].into_iter().find(|series| enough(series, FEW.min(games))).unwrap_or(&random);
    let of_best = Quantity::ALL.into_iter().filter(|quantity| *quantity != Quantity::Branching);
    let mut measures: Vec<Measure> = of_best.map(|quantity| best.measure(quantity)).collect();
    measures.push(random.measure(Quantity::Branching));
    measures.push(ladder::rungs(&ladder));
    measures.push(space);
    for (series, names) in [(&random, RANDOM_NAMES), (&weak, WEAK_NAMES)] {
        let asked = [Quantity::FirstSeat, Quantity::Draws, Quantity::Plies];
        measures.extend(asked.into_iter().zip(names).map(|(asked, name)| Measure { name, ..series.measure(asked) }));
    }
    Page { measures, ends: best.ends(), ends_of: best.players(), ladder }
}

/// How much thinking fits into the time: twice the rounds take twice as long at most.
fn rounds(settings: Settings, took: Duration, games: usize) -> u64 {
    if settings.games.is_some() {
        return MUCH;
    }
    let there_is = settings.time.as_secs_f64() * (STRONG - WEAK);
    let takes = |rounds: u64| took.as_secs_f64() / games.max(1) as f64 * ENOUGH as f64 * rounds as f64 / LITTLE as f64;
    let mut rounds = LEAST;
    while rounds < MOST && takes(2 * rounds) <= there_is {
        rounds *= 2;
    }
    rounds
}

/// What is asked of the other series too, under names of its own.
const RANDOM_NAMES: [&str; 3] = ["first_seat_random", "draws_random", "plies_random"];
const WEAK_NAMES: [&str; 3] = ["first_seat_weak", "draws_weak", "plies_weak"];
