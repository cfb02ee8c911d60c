//! What a game is like: numbers with intervals, from random games and from games of programs against themselves.
//!
//! docs/measures.md has the formulas, where they come from, and what they do not say.

mod bound;
pub mod compare;
mod course;
mod ladder;
mod page;
mod plan;
mod positions;
mod quantity;
mod series;
mod survey;
mod tally;
mod trials;
pub mod tune;

pub use course::{Lengths, Offered, SiteUse};
pub use ladder::Rung;
pub use page::{End, Page, page};
pub use plan::{Plan, Stage, Words};
pub use positions::Space;
pub use quantity::{Numbers, Quantity};
pub use series::Told;
pub use survey::{Dead, Idle, Survey};
pub use tally::{Ended, Item, Series, Tally};
pub use trials::{First, Restricted, fairest};

use super::arena;
use crate::game::Game;
use crate::study::estimate::Estimate;
use crate::study::halt::Halt;
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

/// Measures a game; `progress` is told how much of the time is over.
pub fn measure(game: &Game, settings: Settings, halt: Halt<'_>, progress: &mut dyn FnMut(f64)) -> Page {
    let words = Words::of(game);
    let mut course =
        Course { game, settings, halt, progress, began: Instant::now(), words: &words, played: Vec::new() };
    course.play(Stage::Random, RANDOM);
    course.play(Stage::Space, POSITIONS);
    course.play(Stage::Survey, SURVEY);
    let before = Instant::now();
    let weak = course.play(Stage::Weak, WEAK);
    course.play(Stage::Strong(rounds(settings, before.elapsed(), weak)), STRONG);
    for rung in ladder::rungs() {
        course.play(rung, LADDER);
        if ladder::climbed(page::rungs(&course.played), rung.games(settings.games, &words)).1 || course.is_over(LADDER)
        {
            break;
        }
    }
    course.play(Stage::Firsts, FIRSTS);
    course.play(Stage::Mirror, MIRROR);
    let beside = page::seen(&words, &course.played).traffic.beside;
    let kinds: Vec<usize> = trials::choices(game).filter(|kind| beside.get(*kind) > Some(&0)).collect();
    for (number, kind) in kinds.iter().enumerate() {
        // Every kind of move has the same part of the time that is left.
        course.play(Stage::Without(*kind), MIRROR + (1.0 - MIRROR) * (number + 1) as f64 / kinds.len() as f64);
    }
    page(&words, settings.games, &course.played)
}

/// Stages that are played one after the other, each until a part of the time is over, where games are not counted.
struct Course<'a> {
    game: &'a Game,
    settings: Settings,
    halt: Halt<'a>,
    progress: &'a mut dyn FnMut(f64),
    began: Instant,
    words: &'a Words,
    played: Vec<(Stage, Tally)>,
}

impl<'a> Course<'a> {
    /// When a stage ends.
    fn until(&self, part: f64) -> Halt<'a> {
        match self.settings.games {
            Some(_) => self.halt,
            None => self.halt.by(self.began + self.settings.time.mul_f64(part)),
        }
    }

    fn is_over(&self, part: f64) -> bool {
        self.until(part).is_set()
    }

    /// Plays a stage, and says how many games of it.
    fn play(&mut self, stage: Stage, part: f64) -> u64 {
        let mut tally = stage.nothing(self.words);
        let games = stage.games(self.settings.games, self.words);
        let halt = self.until(part);
        let (began, time) = (self.began, self.settings.time.as_secs_f64().max(1e-9));
        let progress = &mut *self.progress;
        stage.play(self.game, self.settings, 0..games, halt, &mut |item| {
            tally.add(item);
            progress((began.elapsed().as_secs_f64() / time).min(1.0));
            true
        });
        let games = tally.games();
        self.played.push((stage, tally));
        games
    }
}

impl Settings {
    /// Games between programs, numbered up to this one.
    fn arena<A>(self, agents: Vec<A>, games: u64) -> arena::Settings<A> {
        let Self { seed, threads, max_plies, .. } = self;
        arena::Settings { agents, games, seed, threads, max_plies: Some(max_plies), opening: 0 }
    }
}

/// How much thinking fits into the time: twice the rounds take twice as long at most.
fn rounds(settings: Settings, took: Duration, games: u64) -> u64 {
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
