//! What a game is like: numbers with intervals, from random games and from games of programs against themselves.
//!
//! docs/measures.md has the formulas, where they come from, and what they do not say.

mod bound;
pub mod compare;
mod course;
mod ladder;
mod positions;
mod quantity;
mod series;
mod survey;
mod trials;
pub mod tune;

pub use course::{Lengths, Offered, SiteUse};
pub use ladder::Rung;
pub use quantity::{Numbers, Quantity};
pub use survey::{Dead, Idle};
pub use trials::{First, Restricted, fairest};

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
    /// The file and the line where it stands in the rules; none for games that were cut.
    pub place: Option<String>,
    /// So many games.
    pub games: u64,
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
    /// How long games are: those whose ends are told, and random ones.
    pub lengths: Vec<Lengths>,
    /// How many moves there are to choose from in the course of a game, by who played the games that are told first.
    pub offered: Vec<Offered>,
    /// How often something comes to stand on each site, and how often something is there, in the same games.
    pub sites: Vec<SiteUse>,
    /// What each first move is worth to whoever makes it, the best first.
    pub firsts: Vec<First>,
    /// What it costs to do without a kind of move, the dearest first.
    pub restricted: Vec<Restricted>,
    /// What never came up.
    pub dead: Dead,
    /// Who played where moves are weighed one by one.
    pub trials_of: String,
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
const SURVEY: f64 = 0.12;
const WEAK: f64 = 0.27;
const STRONG: f64 = 0.62;
const LADDER: f64 = 0.8;
const FIRSTS: f64 = 0.9;
const MIRROR: f64 = 0.93;

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
    let random = series::of(game, settings, (Agent::Random, None), 0..games.max(1_000), until(RANDOM), &mut told);
    let space = positions::space(game, settings.seed, until(POSITIONS));
    let (seen, idle) = survey::survey(game, settings, until(SURVEY), &mut told);
    let before = Instant::now();
    let weak = series::of(game, settings, (little, None), 0..games, until(WEAK), &mut told);
    let much = Agent::Mcts(Budget::Rounds(rounds(settings, before.elapsed(), weak.games().len())));
    let strong = series::of(game, settings, (much, Some(little)), 0..games, until(STRONG), &mut told);
    let ladder = ladder::climb(game, settings, until(LADDER), &mut told);
    let firsts = trials::firsts(game, settings, little, until(FIRSTS), &mut told);
    let mirror = trials::mirror(game, settings, little, until(MIRROR), &mut told);
    let mut all_seen = seen;
    all_seen.merge(weak.traffic());
    all_seen.merge(strong.traffic());
    // Every kind of move has the same part of the time that is left.
    let ends = |number: usize, of: usize| {
        let part = MIRROR + (1.0 - MIRROR) * (number + 1) as f64 / of.max(1) as f64;
        settings.games.is_none().then(|| began + settings.time.mul_f64(part))
    };
    let restricted = trials::restricted(game, settings, (little, &all_seen), (halt, &ends), &mut told);
    let enough = |series: &Series, least: u64| series.games().len() as u64 >= least;
    let best = [&strong, &weak].into_iter().find(|series| enough(series, FEW.min(games))).unwrap_or(&random);
    let of_best = Quantity::ALL.into_iter().filter(|quantity| *quantity != Quantity::Branching);
    let mut measures: Vec<Measure> = of_best.map(|quantity| best.measure(quantity)).collect();
    measures.push(random.measure(Quantity::Branching));
    measures.push(ladder::rungs(&ladder));
    measures.push(space);
    measures.push(mirror);
    for (series, names) in [(&random, RANDOM_NAMES), (&weak, WEAK_NAMES)] {
        let asked = [Quantity::FirstSeat, Quantity::Draws, Quantity::Plies];
        measures.extend(asked.into_iter().zip(names).map(|(asked, name)| Measure { name, ..series.measure(asked) }));
    }
    let followed = if best.traffic().games > 0 { best.traffic() } else { &all_seen };
    Page {
        measures,
        ends: best.ends(game),
        ends_of: best.players(),
        ladder,
        lengths: lengths(best, &random),
        offered: course::offered(followed),
        sites: course::sites(game, followed),
        firsts,
        restricted,
        dead: survey::dead(game, &all_seen, idle),
        trials_of: weak.players(),
    }
}

/// How long the games are that are told first, and random ones.
fn lengths(best: &Series, random: &Series) -> Vec<Lengths> {
    let mut all: Vec<Lengths> = [best, random].into_iter().filter_map(Lengths::of).collect();
    all.dedup_by(|two, one| two.players == one.players);
    all
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
