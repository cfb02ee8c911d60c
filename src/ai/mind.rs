//! A program at a seat: it looks at a game and chooses a move, and may keep what it has thought for the next one.

use super::agent::{Agent, Budget, Level};
use super::insight::{Insight, Plan};
use super::learned::{self, Reader, Weights};
use super::minimax;
use super::tactics::{self, Tactics};
use super::tree::{Growth, Simulated, Tree, Tried};
use super::world::World;
use super::worlds::{WORLDS, Worlds};
use super::{keeping, shunning};
use crate::engine::shunned::Shunned;
use crate::game::Line;
use crate::study::playout::{choose, generator, pick};
use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often somebody is told how far the thinking is.
const REPORT: Duration = Duration::from_millis(100);

const MAX_THREADS: usize = 64;

/// The look at the next two plies takes no more of the time.
const LOOK: f64 = 0.3;

/// A level that counts rounds takes no longer than this, however slow the game is.
const EASY_LIMIT: Duration = Duration::from_millis(400);

/// Hardly any program looks at more positions in a millionth of a second.
const FASTEST: u64 = 1;

/// One in so many rounds, or so much of the time, looks for wins by force before a tree is grown.
const PROBE: u32 = 32;

/// As many moves as are worth telling.
const MAX_CANDIDATES: usize = 8;

/// What a program has come to think of a position.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Thought {
    /// The number of the legal move that it would play.
    pub index: usize,
    /// The result that the mover may expect: 1 for a win, 0 for a loss.
    pub value: f64,
    /// Whether that is certain.
    pub proven: bool,
    /// Simulated games, or positions for alpha-beta.
    pub rounds: u64,
    /// Plies played in them.
    pub plies: u64,
    /// The search that was picked for the game; none where nothing was picked.
    pub search: Option<Plan>,
    /// The moves that were looked at, best first; empty for programs that do not weigh.
    pub candidates: Vec<Candidate>,
}

/// A move that was thought about.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Candidate {
    /// The number of the legal move.
    pub index: usize,
    /// How many rounds of the search went through it.
    pub rounds: u64,
    /// What the mover may expect of it, from 0 to 1.
    pub value: f64,
}

/// A program at a seat of one game.
#[derive(Debug)]
pub struct Mind {
    agent: Agent,
    generator: Xoshiro256PlusPlus,
    threads: usize,
    kept: Option<Kept>,
    worlds: Worlds,
}

/// The tree of the last search, with the game that it belongs to.
#[derive(Debug)]
struct Kept {
    game: (String, u64),
    path: Vec<usize>,
    trees: Vec<Tree>,
}

/// How far the thinking may go, and has gone.
pub(super) struct Clock<'a> {
    budget: Budget,
    /// However few the rounds, it does not take longer.
    limit: Option<Duration>,
    began: Instant,
    told: Instant,
    stop: &'a AtomicBool,
}

impl<'a> Clock<'a> {
    fn new(budget: Budget, stop: &'a AtomicBool) -> Self {
        let now = Instant::now();
        Self { budget, limit: None, began: now, told: now, stop }
    }

    /// The same, but no longer than a limit, if there is one.
    fn within(self, limit: Option<Duration>) -> Self {
        Self { limit, ..self }
    }

    /// The same, begun a while ago; at least half of the time is still left.
    fn since(self, began: Instant) -> Self {
        let half = self.time().unwrap_or_default() / 2;
        let latest = self.began.checked_sub(half).unwrap_or(self.began);
        Self { began: began.max(latest), ..self }
    }

    /// As long as it may take on the wall.
    fn time(&self) -> Option<Duration> {
        match self.budget {
            Budget::Rounds(_) => self.limit,
            Budget::Time(time) => Some(time),
        }
    }

    /// Whether the time is over.
    pub(super) fn is_over(&self, rounds: u64) -> bool {
        let done = match self.budget {
            Budget::Rounds(most) => rounds >= most,
            Budget::Time(_) => false,
        };
        done || self.time().is_some_and(|most| self.began.elapsed() >= most) || self.stop.load(Ordering::Relaxed)
    }

    /// The clock of one of several threads: time passes for all at once, rounds are divided.
    fn shared(&self, threads: usize) -> Self {
        let budget = match self.budget {
            Budget::Rounds(rounds) => Budget::Rounds(rounds.div_ceil(threads as u64)),
            time @ Budget::Time(_) => time,
        };
        Self { budget, ..*self }
    }

    /// More rounds there will hardly be.
    pub(super) fn most(&self) -> u64 {
        match self.budget {
            Budget::Rounds(rounds) => rounds,
            Budget::Time(time) => u64::try_from(time.as_micros()).unwrap_or(u64::MAX).saturating_mul(FASTEST),
        }
    }

    /// How much of the budget is used up.
    fn used(&self, rounds: u64) -> f64 {
        let done = match self.budget {
            Budget::Rounds(most) => rounds as f64 / most as f64,
            Budget::Time(_) => 0.0,
        };
        let passed = self.time().map_or(0.0, |most| self.began.elapsed().as_secs_f64() / most.as_secs_f64());
        done.max(passed).min(1.0)
    }

    /// Whether it is time to tell how far the thinking is.
    fn is_due(&mut self) -> bool {
        let due = self.told.elapsed() >= REPORT;
        if due {
            self.told = Instant::now();
        }
        due
    }
}

impl Mind {
    /// A mind that has thought of nothing yet; chance comes from the seed.
    #[must_use]
    pub fn new(agent: Agent, seed: u64) -> Self {
        Self { agent, generator: generator(seed, 0), threads: 1, kept: None, worlds: Worlds::default() }
    }

    /// Tree searches grow so many trees at once, and add up what they say.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.clamp(1, MAX_THREADS);
        self
    }

    /// Whose mind it is.
    #[must_use]
    pub fn agent(&self) -> Agent {
        self.agent
    }

    /// The move to play in the position of a line; none when the game is over. `report` is told now and then how far the
    /// thinking is, from 0 to 1, and what it has come to; when `stop` is set the best so far is the answer.
    pub fn think(&mut self, line: &Line, stop: &AtomicBool, report: &mut dyn FnMut(f64, &Thought)) -> Option<Thought> {
        let count = line.position().move_count();
        if count == 0 {
            return None;
        }
        // Chance has no mind.
        if line.position().is_chance() {
            let index = choose(line.position(), &mut self.generator)?;
            return Some(Thought { index, value: 0.5, ..Thought::default() });
        }
        // Where there is no choice there is nothing to think about.
        if count == 1 || self.agent == Agent::Random {
            let index = pick(count, &mut self.generator)?;
            return Some(Thought { index, value: 0.5, ..Thought::default() });
        }
        if line.game().hides() {
            return self.think_blind(line, stop);
        }
        self.consider(self.agent, line, stop, report)
    }

    /// The move to play where the seat does not see everything: it thinks in several worlds that fit what it was told, and
    /// takes the move that most speaks for over all of them (determinization, as in Ginsberg's bridge player). Where no world
    /// is found it plays any move.
    fn think_blind(&mut self, line: &Line, stop: &AtomicBool) -> Option<Thought> {
        let position = line.position();
        let seat = position.seat()?;
        let plan = || Insight::of(line.game(), true).plan;
        let agent = self.agent.hurried(WORLDS as u32 + 1, plan);
        let time = agent.time();
        let began = Instant::now();
        let late = || stop.load(Ordering::Relaxed) || time.is_some_and(|time| began.elapsed() > time);
        let mut worlds = std::mem::take(&mut self.worlds);
        // What was given instead of the start may tell more than the seat was told.
        let known = line.start().hash() == line.game().start().hash();
        let told = if known { line.told(seat) } else { Vec::new() };
        let lines = if known { worlds.fit(line.game(), seat, told, &mut self.generator, &late) } else { &[] };
        let moves = position.moves();
        let mut votes = vec![Vote::default(); moves.len()];
        let mut sum = Thought::default();
        for world in lines {
            let Some(thought) = self.consider(agent, world, stop, &mut |_, _| {}) else { continue };
            sum.rounds += thought.rounds;
            sum.plies += thought.plies;
            sum.search = thought.search;
            let looked: u64 = thought.candidates.iter().map(|candidate| candidate.rounds).sum();
            let alone = [Candidate { index: thought.index, rounds: 1, value: thought.value }];
            // What is certain in one world is as good as anything that was tried for long.
            let candidates = if looked == 0 || thought.proven { &alone[..] } else { &thought.candidates };
            let looked = candidates.iter().map(|candidate| candidate.rounds).sum::<u64>().max(1) as f64;
            for candidate in candidates {
                let text = world.position().move_text(candidate.index);
                let at = text.and_then(|text| moves.iter().position(|known| *known == text));
                if let Some(vote) = at.and_then(|at| votes.get_mut(at)) {
                    vote.add(candidate.rounds as f64 / looked, candidate.value);
                }
            }
        }
        self.worlds = worlds;
        let index = match best_of(&votes) {
            Some(index) => index,
            None => pick(moves.len(), &mut self.generator)?,
        };
        let value = votes.get(index).map_or(0.5, Vote::value);
        Some(Thought { index, value, ..sum })
    }

    /// The move that a program plays who sees everything.
    fn consider(
        &mut self,
        agent: Agent,
        line: &Line,
        stop: &AtomicBool,
        report: &mut dyn FnMut(f64, &Thought),
    ) -> Option<Thought> {
        match agent {
            Agent::Random => pick(line.position().move_count(), &mut self.generator).map(|index| Thought {
                index,
                value: 0.5,
                ..Thought::default()
            }),
            Agent::Greedy => self.greedy(line),
            Agent::Flat(budget) => self.search(line, Way::plain(Growth::FLAT), Clock::new(budget, stop), report),
            Agent::Mcts(budget) => self.search(line, Way::plain(Growth::TREE), Clock::new(budget, stop), report),
            Agent::AlphaBeta(budget) => {
                let insight = Insight::of(line.game(), budget.is_time());
                self.alpha_beta(line, &insight, None, &Clock::new(budget, stop))
            }
            Agent::Learned(budget) => self.by_weights(learned::of(line.game())?, line, None, &Clock::new(budget, stop)),
            Agent::Level(level, budget) => self.at_level(line, level, budget, stop, report),
        }
    }

    /// What is best for a game, after a look at the next two plies.
    fn at_level(
        &mut self,
        line: &Line,
        level: Level,
        budget: Option<Budget>,
        stop: &AtomicBool,
        report: &mut dyn FnMut(f64, &Thought),
    ) -> Option<Thought> {
        let began = Instant::now();
        let by_clock = budget.is_none_or(Budget::is_time);
        let insight = Insight::of(line.game(), by_clock);
        let limit = budget.is_none().then_some(EASY_LIMIT);
        let budget = budget.unwrap_or_else(|| level.budget(insight.plan));
        let clock = Clock::new(budget, stop).within(limit).since(began);
        let (mut world, _) = World::at(line);
        let certain = |index: usize, value: f64, world: &mut World<'_>| {
            let index = world.legal_index(line.position(), index)?;
            Some(Thought { index, value, proven: true, rounds: 1, ..Thought::default() })
        };
        // Of what is left behind the look at the game.
        let looked = clock.used(0);
        let late = |share: f64| clock.used(0) - looked > LOOK * share * (1.0 - looked);
        let among = match tactics::look(&mut world, &late) {
            Tactics::Wins(index) => return certain(index, 1.0, &mut world),
            Tactics::Lost(index) => return certain(index, 0.0, &mut world),
            Tactics::Among(among) => among,
        };
        if let [only] = among[..] {
            let index = world.legal_index(line.position(), only)?;
            return Some(Thought { index, value: 0.5, rounds: 1, ..Thought::default() });
        }
        drop(world);
        // The lower levels find out by themselves.
        let learnt = if level == Level::Hard { learned::that_ship(line.game()) } else { None };
        let plan = if learnt.is_some() { Plan::Learned } else { insight.plan };
        let thought = match (learnt, plan) {
            (Some(weights), _) => self.by_weights(weights, line, Some(&among), &clock),
            (None, Plan::AlphaBeta | Plan::Learned) => self.alpha_beta(line, &insight, Some(&among), &clock),
            (None, Plan::Tree) => {
                // A part of the budget goes to wins by force, which random games are slow to find.
                let part = Clock::new(budget.part(PROBE), stop).within(limit.map(|limit| limit / PROBE));
                let probe = self.alpha_beta(line, &insight, Some(&among), &part)?;
                if probe.proven && probe.value >= 1.0 {
                    return Some(Thought { search: Some(Plan::AlphaBeta), ..probe });
                }
                // Where plies are drawn because it takes long to list them, they are neither compared nor all played.
                let growth = if insight.drawn { Growth::TREE } else { Growth::SHARP };
                // The lower levels have no time to find out.
                let shunned = if level == Level::Hard { shunning::of(line.game(), &insight, by_clock) } else { None };
                let keeps_together = level != Level::Easy && keeping::helps(line.game(), &insight);
                let way = Way { growth, insight: Some(insight), shunned, keeps_together, among: Some(among) };
                // Where there was no time for a single game the first look counts, unless the tree knew already.
                self.search(line, way, clock, report)
                    .filter(|thought| thought.rounds > 0 || thought.proven)
                    .or(Some(probe))
            }
        };
        thought.map(|thought| Thought { search: Some(plan), ..thought })
    }

    /// Alpha-beta with weights that were learnt by playing; none where this process has no weights for the game.
    fn by_weights(
        &mut self,
        weights: Arc<Weights>,
        line: &Line,
        among: Option<&[usize]>,
        clock: &Clock<'_>,
    ) -> Option<Thought> {
        let insight = Insight::of(line.game(), true);
        let mut reader = Reader::new(weights);
        let (mut world, _) = World::at(line);
        let all: Vec<usize> = (0..world.player.count()).collect();
        let among = among.unwrap_or(&all);
        let best = minimax::search_by(&mut world, &insight, &mut reader, among, clock, &mut self.generator);
        thought_of(best, line, &mut world)
    }

    fn alpha_beta(
        &mut self,
        line: &Line,
        insight: &Insight,
        among: Option<&[usize]>,
        clock: &Clock<'_>,
    ) -> Option<Thought> {
        let (mut world, _) = World::at(line);
        let all: Vec<usize> = (0..world.player.count()).collect();
        let best = minimax::search(&mut world, insight, among.unwrap_or(&all), clock, &mut self.generator);
        thought_of(best, line, &mut world)
    }

    /// The ply after which the seat stands best.
    fn greedy(&mut self, line: &Line) -> Option<Thought> {
        let (mut world, _) = World::at(line);
        let seat = world.seat();
        let count = world.player.count();
        let mut values = Vec::with_capacity(count);
        for index in 0..count {
            world.player.reset();
            world.player.play(index);
            let after = world.values().unwrap_or_else(|| world.standing());
            values.push(after[seat]);
        }
        world.player.reset();
        let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let best: Vec<usize> = (0..count).filter(|index| values[*index] >= most).collect();
        let index = best.get(pick(best.len(), &mut self.generator)?).copied()?;
        let index = world.legal_index(line.position(), index)?;
        Some(Thought { index, value: f64::from(most), rounds: count as u64, plies: count as u64, ..Thought::default() })
    }

    fn search(
        &mut self,
        line: &Line,
        way: Way,
        mut clock: Clock<'_>,
        report: &mut dyn FnMut(f64, &Thought),
    ) -> Option<Thought> {
        let (mut world, path) = World::at(line);
        world.player.shun(way.shunned.clone());
        let game = (line.game().rules_hash(), line.start().hash());
        let kept = self.kept.take().filter(|kept| kept.game == game && path.starts_with(&kept.path));
        let mut kept = kept.map_or(Vec::new(), |kept| {
            let after = &path[kept.path.len()..];
            kept.trees.into_iter().map(|tree| tree.after(after)).collect()
        });
        kept.resize_with(self.threads, || None);
        let share = clock.shared(self.threads);
        let mut jobs: Vec<Job> = kept
            .into_iter()
            .map(|tree| Job {
                tree: way.prepare(tree.unwrap_or_else(|| Tree::new(&mut world, way.growth, way.insight.clone()))),
                generator: generator(self.generator.next_u64(), 0),
                rounds: 0,
                plies: 0,
            })
            .collect();
        let proven = AtomicBool::new(false);
        thread::scope(|scope| {
            let Some((first, others)) = jobs.split_first_mut() else { return };
            for job in others {
                let (share, proven, shunned) = (&share, &proven, way.shunned.clone());
                scope.spawn(move || {
                    let (mut world, _) = World::at(line);
                    world.player.shun(shunned);
                    job.run(&mut world, share, proven, &mut |_| {});
                });
            }
            first.run(&mut world, &share, &proven, &mut |job| {
                if clock.is_due() {
                    let mut tried = job.tree.tried();
                    way.leave_out(&mut tried);
                    if let Some(thought) = weigh(&tried, job.tree.is_proven(), line) {
                        report(clock.used(job.rounds), &Thought { rounds: job.rounds, plies: job.plies, ..thought });
                    }
                }
            });
        });
        let certain = jobs.iter().any(|job| job.tree.is_proven());
        let mut tried = merged(&jobs);
        way.leave_out(&mut tried);
        let (rounds, plies) = jobs.iter().fold((0, 0), |sum, job| (sum.0 + job.rounds, sum.1 + job.plies));
        let thought = weigh(&tried, certain, line);
        self.kept = Some(Kept { game, path, trees: jobs.into_iter().map(|job| job.tree).collect() });
        thought.map(|thought| Thought { rounds, plies, ..thought })
    }
}

/// What speaks for a move in several worlds.
#[derive(Clone, Copy, Default)]
struct Vote {
    share: f64,
    worth: f64,
}

impl Vote {
    fn add(&mut self, share: f64, value: f64) {
        self.share += share;
        self.worth += share * value;
    }

    /// What the mover may expect of it.
    fn value(&self) -> f64 {
        if self.share > 0.0 { self.worth / self.share } else { 0.5 }
    }
}

/// The move for which most speaks; none where nothing speaks for any.
fn best_of(votes: &[Vote]) -> Option<usize> {
    let most = votes.iter().enumerate().max_by(|(_, a), (_, b)| a.share.total_cmp(&b.share));
    most.filter(|(_, vote)| vote.share > 0.0).map(|(index, _)| index)
}

/// What alpha-beta has come to.
fn thought_of(best: minimax::Best, line: &Line, world: &mut World<'_>) -> Option<Thought> {
    let index = world.legal_index(line.position(), best.index)?;
    let value = f64::from(best.value);
    Some(Thought { index, value, proven: best.exact, rounds: best.nodes, plies: best.nodes, ..Thought::default() })
}

/// How a tree is grown for a position.
struct Way {
    growth: Growth,
    insight: Option<Arc<Insight>>,
    /// What random games leave out.
    shunned: Option<Arc<Shunned>>,
    /// Random games keep together what the last piece would part.
    keeps_together: bool,
    /// The plies that are considered, if not all.
    among: Option<Vec<usize>>,
}

impl Way {
    /// By random games alone.
    fn plain(growth: Growth) -> Self {
        Self { growth, insight: None, shunned: None, keeps_together: false, among: None }
    }

    fn prepare(&self, mut tree: Tree) -> Tree {
        tree.keep_together(self.keeps_together);
        if let Some(among) = &self.among {
            tree.consider(among);
        }
        tree
    }

    /// What is not considered loses at once.
    fn leave_out(&self, tried: &mut [Tried]) {
        let Some(among) = &self.among else { return };
        for (index, tried) in tried.iter_mut().enumerate() {
            if !among.contains(&index) {
                *tried = Tried { visits: 0, value: 0.0, proven: true };
            }
        }
    }
}

/// What one thread does.
struct Job {
    tree: Tree,
    generator: Xoshiro256PlusPlus,
    rounds: u64,
    plies: u64,
}

impl Job {
    /// Simulates until the time is over, or some tree knows for certain.
    fn run(&mut self, world: &mut World<'_>, clock: &Clock<'_>, proven: &AtomicBool, told: &mut dyn FnMut(&Self)) {
        while !clock.is_over(self.rounds) && !proven.load(Ordering::Relaxed) {
            if self.tree.is_proven() {
                proven.store(true, Ordering::Relaxed);
                return;
            }
            let left = clock.most().saturating_sub(self.rounds);
            let Simulated { games, plies } = self.tree.round(world, &mut self.generator, left);
            self.rounds += games;
            self.plies += plies;
            told(self);
        }
    }
}

/// What became of every ply in all trees together; what one of them knows for certain is certain.
fn merged(jobs: &[Job]) -> Vec<Tried> {
    let mut trees = jobs.iter().map(|job| job.tree.tried());
    let mut all = trees.next().unwrap_or_default();
    for tried in trees {
        for (sum, one) in all.iter_mut().zip(tried) {
            let visits = sum.visits + one.visits;
            let (value, proven) = match (sum.proven, one.proven) {
                (true, _) => (sum.value, true),
                (false, true) => (one.value, true),
                (false, false) => {
                    let total = sum.value * sum.visits as f64 + one.value * one.visits as f64;
                    (total / visits.max(1) as f64, false)
                }
            };
            *sum = Tried { visits, value, proven };
        }
    }
    all
}

/// What the plies tried say about the position of a line.
fn weigh(tried: &[Tried], certain: bool, line: &Line) -> Option<Thought> {
    let (mut world, _) = World::at(line);
    // A certain win comes first and a certain loss last; in between what was tried most often.
    let rank = |index: &usize| {
        let tried = tried[*index];
        let sure = if !tried.proven {
            1
        } else if tried.value >= 1.0 {
            2
        } else {
            i32::from(tried.value > 0.0)
        };
        // Where all is certain it does not matter how often something was tried.
        (sure, if certain { tried.value } else { 0.0 }, tried.visits, tried.value)
    };
    let mut order: Vec<usize> = (0..tried.len()).collect();
    order.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(std::cmp::Ordering::Equal));
    let best = *order.first()?;
    let position = line.position();
    let candidates = order.iter().filter(|index| tried[**index].visits > 0).take(MAX_CANDIDATES).filter_map(|index| {
        let legal = world.legal_index(position, *index)?;
        Some(Candidate { index: legal, rounds: tried[*index].visits, value: tried[*index].value })
    });
    let candidates = candidates.collect();
    let index = world.legal_index(position, best)?;
    let Tried { value, proven, .. } = tried[best];
    // Another ply might still be better than one that certainly draws or loses.
    let proven = proven && (value >= 1.0 || certain);
    Some(Thought { index, value, proven, candidates, ..Thought::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_end_with_their_limit_however_few_were_played() {
        let never = AtomicBool::new(false);
        let rounds = |limit| Clock::new(Budget::Rounds(60), &never).within(limit);
        assert!(!rounds(None).is_over(59) && rounds(None).is_over(60));
        assert!(rounds(Some(Duration::ZERO)).is_over(0));
        assert!(!rounds(Some(Duration::from_secs(3600))).is_over(59));
    }

    #[test]
    fn what_was_done_before_takes_at_most_half_of_the_time() {
        let never = AtomicBool::new(false);
        let hour = Duration::from_secs(3600);
        let now = Instant::now();
        let Some(earlier) = now.checked_sub(hour) else { return };
        let clock = |began| Clock::new(Budget::Time(hour), &never).since(began);
        let share = |began| (clock(began).used(0) * 10.0).round();
        assert_eq!((share(earlier), share(now)), (5.0, 0.0));
    }
}
