//! What a game is like: numbers with intervals, from random games and from games of programs against themselves.
//!
//! docs/measures.md has the formulas, where they come from, and what they do not say.

pub mod best;
mod bound;
pub mod compare;
mod course;
mod ladder;
mod need;
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
pub use series::{Told, against_itself};
pub use survey::{Dead, Idle, Survey};
pub use tally::{Ended, Item, Series, Tally};
pub use trials::{First, Restricted, fairest};

use super::arena;
use crate::game::Game;
use crate::study::estimate::Estimate;
use crate::study::games::Lines;
use crate::study::halt::Halt;
use serde_json::{Map, Value};
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

/// As many games in a series as make the interval of any share narrower than 3 % on either side.
const ENOUGH: u64 = 1_100;

/// When the parts of the work end, of all the time. A part that needs less leaves the rest to those behind it.
const RANDOM: f64 = 0.04;
const POSITIONS: f64 = 0.08;
const SURVEY: f64 = 0.12;
const WEAK: f64 = 0.27;
const STRONG: f64 = 0.62;
const STRONG_AT_MOST: f64 = 0.72;
const LADDER: f64 = 0.8;
const FIRSTS: f64 = 0.9;
const MIRROR: f64 = 0.93;

/// Where the games go that are played on the way.
pub struct Book<'a> {
    /// What every line begins with, but for the part of the work that the game belongs to.
    pub head: Map<String, Value>,
    /// Is given every line, and says whether to go on.
    pub take: &'a mut dyn FnMut(&[u8]) -> bool,
}

/// Measures a game; `progress` is told how much of the time is over.
pub fn measure(game: &Game, settings: Settings, halt: Halt<'_>, progress: &mut dyn FnMut(f64)) -> Page {
    measure_written(game, settings, halt, None, progress)
}

/// The same, with the games written down: all but those that are only looked at to count positions and clauses.
pub fn measure_written(
    game: &Game,
    settings: Settings,
    halt: Halt<'_>,
    book: Option<Book<'_>>,
    progress: &mut dyn FnMut(f64),
) -> Page {
    let words = Words::of(game);
    let (began, full) = (Instant::now(), false);
    let mut course = Course { game, settings, halt, progress, began, words: &words, played: Vec::new(), book, full };
    course.play(Stage::Random, RANDOM);
    course.play(Stage::Space, POSITIONS);
    course.play(Stage::Survey, SURVEY);
    let before = Instant::now();
    let weak = course.play(Stage::Weak, WEAK);
    let strong = Stage::Strong(course.rounds(before.elapsed(), weak));
    // A machine that has become slower must not leave the first seat unsure: the ladder waits.
    course.play(strong, STRONG_AT_MOST);
    for rung in ladder::rungs() {
        if !course.needs(rung) || course.is_over(LADDER) {
            break;
        }
        course.play(rung, LADDER);
    }
    course.play(Stage::Firsts, FIRSTS);
    course.play(Stage::Mirror, MIRROR);
    let kinds: Vec<Stage> = trials::choices(game).map(Stage::Without).filter(|stage| course.needs(*stage)).collect();
    for (number, stage) in kinds.iter().enumerate() {
        // Every kind of move has the same part of the time that is left.
        course.play(*stage, MIRROR + (1.0 - MIRROR) * (number + 1) as f64 / kinds.len() as f64);
    }
    page(&words, settings.games, &course.played)
}

/// Stages that are played one after the other, each until a part of the time is over, where games are not counted.
struct Course<'a, 'b> {
    game: &'a Game,
    settings: Settings,
    halt: Halt<'a>,
    progress: &'a mut dyn FnMut(f64),
    began: Instant,
    words: &'a Words,
    played: Vec<(Stage, Tally)>,
    book: Option<Book<'b>>,
    /// The book takes no more: nothing else is played.
    full: bool,
}

impl<'a> Course<'a, '_> {
    /// When a stage ends.
    fn until(&self, part: f64) -> Halt<'a> {
        match self.settings.games {
            Some(_) => self.halt,
            None => self.halt.by(self.began + self.settings.time.mul_f64(part)),
        }
    }

    fn needs(&self, stage: Stage) -> bool {
        page::is_needed(stage, self.words, self.settings.games, &self.played)
    }

    fn is_over(&self, part: f64) -> bool {
        self.full || self.until(part).is_set()
    }

    /// What writes the games of a stage.
    fn lines(&self, stage: Stage) -> Option<Lines<'a>> {
        let mut head = self.book.as_ref()?.head.clone();
        head.insert("part".to_owned(), stage.name(self.words).into());
        Some(Lines::new(self.game, &head))
    }

    /// Plays a stage, and says how many games of it.
    fn play(&mut self, stage: Stage, part: f64) -> u64 {
        let mut tally = stage.nothing(self.words);
        let games = if self.full { 0 } else { stage.games(self.settings.games, self.words) };
        let (halt, lines, counted) = (self.until(part), self.lines(stage), self.settings.games.is_some());
        let (began, time) = (self.began, self.settings.time.as_secs_f64().max(1e-9));
        let Self { progress, book, full, .. } = self;
        stage.play(self.game, self.settings, 0..games, (halt, lines.as_ref()), &mut |item, line| {
            tally.add(item);
            progress((began.elapsed().as_secs_f64() / time).min(1.0));
            if let Some(book) = book.as_mut().filter(|_| !line.is_empty()) {
                *full = !(book.take)(line);
            }
            !*full && (counted || !need::is_met(stage, &tally))
        });
        let games = tally.games();
        self.played.push((stage, tally));
        games
    }

    /// How much thinking fits into the time that is left for the strongest games, after so many games of a program that thinks
    /// little took so long: twice the rounds take twice as long at most.
    fn rounds(&self, took: Duration, games: u64) -> u64 {
        if self.settings.games.is_some() {
            return MUCH;
        }
        let left = self.settings.time.mul_f64(STRONG).saturating_sub(self.began.elapsed()).as_secs_f64();
        let one = took.as_secs_f64() / games.max(1) as f64 / LITTLE as f64;
        let fits = |rounds: &u64| one * ENOUGH as f64 * *rounds as f64 <= left;
        let more = std::iter::successors(Some(LEAST), |rounds| Some(rounds * 2));
        more.take_while(|rounds| *rounds <= MOST).filter(fits).last().unwrap_or(LEAST)
    }
}

impl Settings {
    /// Games between programs, numbered up to this one.
    fn arena<A>(self, agents: Vec<A>, games: u64) -> arena::Settings<A> {
        let Self { seed, threads, max_plies, .. } = self;
        arena::Settings { agents, games, seed, threads, max_plies: Some(max_plies), opening: 0 }
    }
}
