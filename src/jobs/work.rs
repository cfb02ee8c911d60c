//! What a job plays, and how its blocks are played.

use super::shard::{Block, Job, Sums};
use crate::ai::measure::{self, Plan, compare};
use crate::ai::tournament::{Shape, Tournament};
use crate::ai::{Agent, Contestant, arena};
use crate::game::Game;
use crate::study::bouts::Bouts;
use crate::study::halt::Halt;
use crate::study::playout::{self, Engine, Run, empty};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

/// What is played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case")]
pub enum Work {
    /// Random games.
    Playout {
        /// On which engine.
        engine: String,
    },
    /// Games between programs, each from every seat equally often.
    Arena {
        /// The programs, one for each seat.
        players: Vec<String>,
        /// Plies at the beginning that chance plays.
        opening: u64,
    },
    /// Everybody, or the first, against all others, in pairs of games that begin alike.
    Tournament {
        /// The programs.
        players: Vec<String>,
        /// Plies at the beginning that chance plays.
        opening: u64,
        /// Who meets whom.
        shape: Shape,
    },
    /// Games of a program against itself, of which every one is measured.
    Series {
        /// The program.
        player: String,
    },
    /// All that is measured of a game.
    Measure(Box<Plan>),
}

impl Default for Work {
    fn default() -> Self {
        Self::Playout { engine: "fast".to_owned() }
    }
}

impl Work {
    /// The command that plays it on one machine.
    #[must_use]
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Playout { .. } => "playout",
            Self::Arena { .. } => "arena",
            Self::Tournament { .. } => "tournament",
            Self::Series { .. } => "sweep",
            Self::Measure(_) => "measure",
        }
    }

    /// The programs that have to be found before it can be played.
    #[must_use]
    pub fn players(&self) -> &[String] {
        match self {
            Self::Arena { players, .. } | Self::Tournament { players, .. } => players,
            Self::Series { player } => std::slice::from_ref(player),
            Self::Playout { .. } | Self::Measure(_) => &[],
        }
    }

    /// Everybody's meetings, with as many pairs as a number of games makes.
    #[must_use]
    pub fn tournament<A: Contestant>(players: Vec<A>, shape: Shape, opening: u64, job: &Job) -> Tournament<A> {
        let (seed, max_plies) = (job.seed(), job.max_plies);
        let one = Tournament { players, shape, pairs: 1, seed, threads: 1, max_plies, opening, sprt: None };
        Tournament { pairs: job.games / one.games().max(1), ..one }
    }
}

/// Who plays a part of a job, and how.
#[derive(Clone, Copy, Debug)]
pub struct Crew<'a, A> {
    /// The programs of [`Work::players`], in that order.
    pub players: &'a [A],
    /// On how many threads.
    pub threads: usize,
    /// When it ends before it is done.
    pub halt: Halt<'a>,
}

/// Sums of games that come one by one, handed over block by block.
struct Cutter<'a, T> {
    job: &'a Job,
    now: u64,
    number: u64,
    sums: T,
    nothing: &'a dyn Fn() -> T,
    whole: fn(T) -> Sums,
    take: &'a mut dyn FnMut(Block) -> bool,
}

impl<T> Cutter<'_, T> {
    /// One more game; false when enough has been played.
    fn game(&mut self, add: impl FnOnce(&mut T)) -> bool {
        add(&mut self.sums);
        self.number += 1;
        let games = self.job.games_of(self.now);
        if self.number < games.end {
            return true;
        }
        let sums = std::mem::replace(&mut self.sums, (self.nothing)());
        let block = Block { number: self.now, from: games.start, to: games.end, sums: (self.whole)(sums) };
        self.now += 1;
        (self.take)(block)
    }
}

impl Job {
    /// Plays blocks of the job and hands over each when it is whole; what was begun when it is halted is dropped.
    pub fn play<A: Contestant + Clone>(
        &self,
        game: &Game,
        crew: Crew<'_, A>,
        blocks: Range<u64>,
        take: &mut dyn FnMut(Block) -> bool,
    ) {
        let Crew { players, threads, halt } = crew;
        let (seed, max_plies) = (self.seed(), self.max_plies);
        let within = self.games_of(blocks.start).start..self.games_of(blocks.end).start;
        let counted = |games| measure::Settings {
            time: Duration::ZERO,
            games: Some(games),
            seed,
            threads,
            max_plies: max_plies.unwrap_or(u64::MAX),
        };
        match &self.work {
            Work::Playout { engine } => {
                let engine = if engine == "reference" { Engine::Reference } else { Engine::Fast };
                let settings = playout::Settings { games: self.games, seed, threads, max_plies, engine };
                let nothing = || empty(game);
                let mut cut = self.cutter(blocks, &nothing, Sums::Random, take);
                Run { settings, games: within, halt, lines: None }
                    .each(game, &mut |number, played, _| cut.game(|sums| sums.add(number, played)));
            }
            Work::Arena { opening, .. } => {
                let (agents, opening) = (players.to_vec(), *opening);
                let settings = arena::Settings { agents, games: self.games, seed, threads, max_plies, opening };
                let nothing = || Bouts::of(players.len(), game.rules().players.len());
                let mut cut = self.cutter(blocks, &nothing, Sums::Bouts, take);
                arena::part(game, &settings, within, halt, &mut |bout| cut.game(|sums| sums.add(bout)));
            }
            Work::Tournament { opening, shape, .. } => {
                let tournament = Work::tournament(players.to_vec(), *shape, *opening, self);
                let tournament = Tournament { threads, ..tournament };
                let mut cut = self.cutter(blocks, &Vec::new, Sums::Endings, take);
                tournament.part(game, within, halt, &mut |ending| cut.game(|sums| sums.push(ending.clone())));
            }
            Work::Series { player } => {
                // Whoever made the job has looked at the name.
                let Ok(player) = player.parse::<Agent>() else { return };
                let mut cut = self.cutter(blocks, &Vec::new, Sums::Series, take);
                compare::part(game, counted(self.games), player, within, halt, &mut |numbers| {
                    cut.game(|sums| sums.push(numbers))
                });
            }
            Work::Measure(plan) => {
                let mut cut = self.cutter(blocks, &BTreeMap::new, Sums::Measured, take);
                plan.part(game, counted(plan.each), &within, halt, &mut |at, item| {
                    cut.game(|sums| {
                        if let Some((stage, _)) = plan.stages.get(at) {
                            sums.entry(at).or_insert_with(|| stage.nothing(&plan.words)).add(item);
                        }
                    })
                });
            }
        }
    }

    fn cutter<'a, T>(
        &'a self,
        blocks: Range<u64>,
        nothing: &'a dyn Fn() -> T,
        whole: fn(T) -> Sums,
        take: &'a mut dyn FnMut(Block) -> bool,
    ) -> Cutter<'a, T> {
        let number = self.games_of(blocks.start).start;
        Cutter { job: self, now: blocks.start, number, sums: nothing(), nothing, whole, take }
    }
}
