//! What a few hundred random games tell about a game: how long it is, whether pieces are taken, how it is judged where it is
//! not over, and by which search it is played best.

use super::evaluation::{Evaluation, Rates, Sight};
use super::looks::Looks;
use super::world::{World, worth};
use crate::engine::{Look, Play};
use crate::game::{Game, Line};
use crate::rules::{Content, KindId, PlayerId};
use crate::study::playout::{generator, pick};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// As many plies are played, and games not counting the last; the numbers do not depend on the machine.
const PLIES: usize = 12_000;
const GAMES: u64 = 400;

/// A random game that lasts longer is cut.
const LONGEST: usize = 600;

/// Who plays by the clock does not wait longer, and others only where plies are so slow that they would never begin.
const PATIENCE: Duration = Duration::from_millis(400);
const MOST_PATIENCE: Duration = Duration::from_secs(10);

/// An evaluation that errs less than the mean by this share tells something.
const TELLING: f64 = 0.03;

/// Shorter random games are cheap, and tell more than material.
const LONG: f64 = 40.0;

/// Where a larger share of plies takes something, what is on the board soon changes again.
const OFTEN: f64 = 0.35;

/// Where a smaller share of random games comes to an end, they tell nothing.
const ENDING: f64 = 0.1;

/// Looking at all plies of a position takes long: it is done as long as there are no more than so many of them in all.
const MOVES: usize = 60_000;

/// How often all positions are gone through.
const ROUNDS: u32 = 2;

/// Games that are remembered in one process.
const KNOWN: usize = 32;

/// Which search plays a game best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plan {
    /// Tree search with random games to the end.
    Tree,
    /// Alpha-beta.
    AlphaBeta,
    /// Alpha-beta with weights that ship with the game.
    Learned,
}

impl Plan {
    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tree => "tree search",
            Self::AlphaBeta => "alpha-beta",
            Self::Learned => "alpha-beta with learnt weights",
        }
    }
}

/// What is known of a game.
#[derive(Clone, Debug)]
pub struct Insight {
    /// Random games that were looked at.
    pub games: u64,
    /// Their plies, on average.
    pub length: f64,
    /// The shortest of them that came to an end.
    pub shortest: usize,
    /// The share that came to an end.
    pub ended: f64,
    /// Legal plies of a position, on average.
    pub branching: f64,
    /// The share of plies that take something from another player.
    pub captures: f64,
    /// The share of those that can be told beforehand, by their looks.
    pub foreseen: f64,
    /// How much better the evaluation foretells results than their mean does, on games that it has not learnt from: 0 for
    /// not at all, 1 for certainty.
    pub fit: f64,
    /// What a position is worth.
    pub(super) evaluation: Evaluation,
    /// What plies bring, by their looks.
    pub(super) looks: Looks,
    /// Chance had a say in them.
    chance: bool,
    /// Random games draw plies without listing the others.
    pub(super) drawn: bool,
    /// More than a ply brings beside what it takes.
    pub(super) margin: f32,
    /// What plays it best.
    pub plan: Plan,
    /// No clock cut this short.
    complete: bool,
}

/// A position of a random game.
struct Sample {
    sight: Sight,
    game: u64,
}

/// A ply of a random game, and how often each content stood on the board before and after.
struct Change {
    look: Look,
    mover: usize,
    /// Codes with what was won or lost.
    counts: Vec<(u16, i16)>,
}

#[derive(Default)]
struct Survey {
    samples: Vec<Sample>,
    results: Vec<Option<Vec<f32>>>,
    changes: Vec<Change>,
    plies: usize,
    choices: usize,
    shortest: usize,
    /// By code: pieces seen whose owner was to move, and the plies that they had.
    mobility: Vec<(u32, u32)>,
    chance: bool,
    complete: bool,
}

static INSIGHTS: Known<Insight> = Known::new();

/// What has been found out about games in this process, by the hashes of their rules.
pub(super) struct Known<T>(Mutex<Vec<(String, Arc<T>)>>);

impl<T> Known<T> {
    pub const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// What is known of a game, if it will do; else what is found out now, which is known from then on.
    pub fn of(&self, game: &Game, will_do: impl Fn(&T) -> bool, find: impl FnOnce() -> T) -> Arc<T> {
        let key = game.rules_hash();
        let list = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            list().iter().find(|(hash, known)| *hash == key && will_do(known)).map(|(_, known)| Arc::clone(known));
        known.unwrap_or_else(|| {
            let found = Arc::new(find());
            let mut list = list();
            list.retain(|(hash, _)| *hash != key);
            if list.len() >= KNOWN {
                list.remove(0);
            }
            list.push((key, Arc::clone(&found)));
            found
        })
    }
}

/// How long a look at a game may take.
pub(super) fn patience(by_clock: bool) -> Duration {
    if by_clock { PATIENCE } else { MOST_PATIENCE }
}

impl Insight {
    /// What is known of a game, from the first time on. One who plays by the clock does not wait long for it.
    #[must_use]
    pub fn of(game: &Game, by_clock: bool) -> Arc<Self> {
        INSIGHTS.of(game, |insight| by_clock || insight.complete, || Self::gain(game, patience(by_clock)))
    }

    fn gain(game: &Game, patience: Duration) -> Self {
        let line = Line::new(game.start());
        let (mut world, _) = World::at(&line);
        let survey = Survey::of(&mut world, patience);
        let sites = game.rules().board.len();
        let (evaluation, fit) = survey.evaluate(world.seats, sites, game.rules().kinds.len());
        let looks = survey.looks(&evaluation);
        let taken = survey.changes.iter().filter(|change| change.takes()).count();
        let foreseen = survey.changes.iter().filter(|change| change.takes() && looks.expects(change.look)).count();
        let games = survey.results.len().max(1) as f64;
        let mut insight = Self {
            games: survey.results.len() as u64,
            length: survey.plies as f64 / games,
            shortest: survey.shortest,
            ended: survey.results.iter().flatten().count() as f64 / games,
            branching: survey.choices as f64 / survey.plies.max(1) as f64,
            captures: taken as f64 / survey.changes.len().max(1) as f64,
            foreseen: foreseen as f64 / taken.max(1) as f64,
            fit,
            evaluation,
            looks,
            drawn: game.fast().is_some_and(|fast| !fast.drawn_places().is_empty()),
            margin: 0.0,
            plan: Plan::Tree,
            chance: survey.chance,
            complete: survey.complete,
        };
        insight.plan = insight.best_plan(world.seats);
        insight.margin = insight.evaluation.lightest();
        insight
    }

    /// Whether plies that take something are worth a look below the depth of a search: not where all do, nor where it cannot
    /// be seen beforehand.
    pub(super) fn takes(&self) -> bool {
        self.captures > 0.005 && self.captures < 0.5 && self.foreseen > 0.5
    }

    /// Where pieces are taken here and there, and who has more of them, or heavier ones, wins more often, it pays to look at
    /// all plies as deep as one can; so it does where random games hardly ever end. Else games to the end tell more than an
    /// evaluation that was learnt in a moment.
    fn best_plan(&self, players: usize) -> Plan {
        if players == 2 && !self.chance && self.never_ends() {
            return Plan::AlphaBeta;
        }
        let material_counts = self.fit >= TELLING || self.evaluation.parts_kinds();
        let fits = players == 2 && !self.chance && self.length >= LONG && self.takes() && self.captures < OFTEN;
        if fits && material_counts && self.evaluation.keeps_all() { Plan::AlphaBeta } else { Plan::Tree }
    }

    /// Random games tell nothing, since they hardly ever come to an end.
    fn never_ends(&self) -> bool {
        self.ended < ENDING
    }

    /// What plays the game, and why, as the end of a sentence.
    #[must_use]
    pub fn choice(&self) -> String {
        let percent = (self.captures * 100.0).round();
        let length = self.length.round();
        match self.plan {
            Plan::AlphaBeta if self.never_ends() => {
                format!("{}: random games hardly ever come to an end, so that they tell nothing", self.plan.name())
            }
            Plan::AlphaBeta => {
                format!(
                    "alpha-beta: {percent} % of the plies of random games take something, and what is left on the board tells who wins"
                )
            }
            Plan::Tree | Plan::Learned => {
                format!(
                    "{}: random games of about {length} plies tell more than what stands on the board",
                    self.plan.name()
                )
            }
        }
    }

    /// Random games may find out what they had better leave out: two play without chance, and plies are drawn.
    pub(super) fn may_leave_out(&self) -> bool {
        self.drawn && !self.chance && self.plan == Plan::Tree
    }

    /// Random games may keep together what the last piece would part: chance has no say, and plies are listed.
    pub(super) fn may_keep_together(&self) -> bool {
        !self.drawn && !self.chance && self.plan == Plan::Tree
    }
}

impl Change {
    /// Whether somebody else has lost a piece.
    fn takes(&self) -> bool {
        self.counts.iter().any(|(code, count)| *count < 0 && owner(*code).is_some_and(|owner| owner != self.mover))
    }
}

fn owner(code: u16) -> Option<usize> {
    Content::from_code(code).owner().map(|owner| usize::from(owner.0))
}

impl Survey {
    fn of(world: &mut World<'_>, patience: Duration) -> Self {
        let began = Instant::now();
        let is_late = || began.elapsed() > patience;
        let mut survey = Self {
            shortest: usize::MAX,
            mobility: vec![(0, 0); Content::codes(world.seats)],
            complete: true,
            ..Self::default()
        };
        for game in 0..GAMES {
            if survey.plies >= PLIES {
                break;
            }
            if is_late() {
                survey.complete = false;
                break;
            }
            survey.play(world, game, &is_late);
        }
        survey
    }

    fn play(&mut self, world: &mut World<'_>, game: u64, is_late: &dyn Fn() -> bool) {
        let mut chance = generator(SEED, game);
        world.player.reset();
        let mut before = counts(&*world.player);
        let mut played = 0;
        while world.player.count() > 0 && played < LONGEST && !is_late() {
            let is_chance = world.player.chance();
            self.chance |= is_chance;
            let count = world.player.count();
            let index = world.player.choose(&mut |count| pick(count, &mut chance).unwrap_or(0));
            let mover = world.player.mover();
            if !is_chance {
                self.samples.push(Sample { sight: Sight::of(&mut *world.player), game });
                if self.choices < MOVES {
                    self.count_plies(world, count, mover);
                }
                self.choices += count;
            }
            let look = world.player.look(index);
            world.player.play(index);
            played += 1;
            let after = counts(&*world.player);
            if !is_chance {
                let counts = changed(&before, &after);
                self.changes.push(Change { look, mover, counts });
            }
            before = after;
        }
        self.plies += played;
        let result = world.player.over().map(|over| {
            let places = over.places.get(..world.seats).unwrap_or_default();
            (0..world.seats).map(|player| worth(places, player)).collect()
        });
        if result.is_some() {
            self.shortest = self.shortest.min(played);
        }
        self.results.push(result);
    }

    /// How many plies each piece of the mover has.
    fn count_plies(&mut self, world: &mut World<'_>, count: usize, mover: usize) {
        let is_own = |code: u16| owner(code) == Some(mover);
        world.player.each_piece(&mut |content, _| {
            if let Some((seen, _)) =
                self.mobility.get_mut(usize::from(content.code())).filter(|_| is_own(content.code()))
            {
                *seen += 1;
            }
        });
        for index in 0..count {
            let first = world.player.look(index).first().filter(|code| is_own(*code));
            if let Some((_, plies)) = first.and_then(|code| self.mobility.get_mut(usize::from(code))) {
                *plies += 1;
            }
        }
    }

    /// Learns from all games but every fifth, which tell how good it is, in several ways, and takes the best.
    fn evaluate(&self, players: usize, sites: usize, kinds: usize) -> (Evaluation, f64) {
        let known = |sample: &&Sample| self.result(sample).is_some();
        let (held, learnt): (Vec<&Sample>, Vec<&Sample>) =
            self.samples.iter().filter(known).partition(|sample| sample.game % 5 == 4);
        let mut best: Option<(Evaluation, f64)> = None;
        for supposed in SUPPOSED {
            let prior = self.supposed(players, sites, kinds, supposed);
            for rates in RATES {
                let evaluation = self.learnt(prior.clone(), &learnt, rates);
                let fit = self.fit(&evaluation, &held);
                if best.as_ref().is_none_or(|(_, known)| fit > *known) {
                    best = Some((evaluation, fit));
                }
            }
        }
        let (mut evaluation, fit) = best
            .filter(|(_, fit)| *fit > 0.0)
            // Games at random tell nothing: mobility is what remains.
            .unwrap_or_else(|| (self.supposed(players, sites, kinds, SUPPOSED[0]), 0.0));
        evaluation.finish();
        (evaluation, fit)
    }

    /// What the game of a position came to for each player, if it came to an end.
    fn result(&self, sample: &Sample) -> Option<&[f32]> {
        self.results.get(sample.game as usize)?.as_deref()
    }

    /// Every piece weighs as much as the plies that it has on average, times a number.
    fn supposed(&self, players: usize, sites: usize, kinds: usize, times: f32) -> Evaluation {
        let mut evaluation = Evaluation::new(players, sites);
        for kind in 0..kinds {
            let of = |player: usize| Content::piece(KindId(kind as u8), Some(PlayerId(player as u8)));
            // Pieces of a kind weigh the same, whoever owns them.
            let (seen, plies) = (0..players)
                .filter_map(|player| self.mobility.get(usize::from(of(player).code())))
                .fold((0, 0), |sum, (seen, plies)| (sum.0 + seen, sum.1 + plies));
            if seen > 0 {
                (0..players).for_each(|player| evaluation.suppose(of(player), times * plies as f32 / seen as f32));
            }
        }
        evaluation
    }

    fn learnt(&self, mut evaluation: Evaluation, samples: &[&Sample], rates: Rates) -> Evaluation {
        let mut order: Vec<usize> = (0..samples.len()).collect();
        let mut chance: Xoshiro256PlusPlus = generator(SEED, u64::MAX);
        for round in 1..=ROUNDS {
            for at in (1..order.len()).rev() {
                order.swap(at, pick(at + 1, &mut chance).unwrap_or(at));
            }
            let rates = Rates { kinds: rates.kinds / round as f32, places: rates.places / round as f32 };
            for sample in order.iter().filter_map(|at| samples.get(*at)) {
                evaluation.learn(&sample.sight, self.result(sample).unwrap_or_default(), rates);
            }
        }
        evaluation
    }

    /// How much less an evaluation errs than the mean result does: 1 where it never errs.
    fn fit(&self, evaluation: &Evaluation, samples: &[&Sample]) -> f64 {
        let real = |sample: &Sample| {
            self.result(sample).and_then(|result| result.first()).map_or(0.5, |first| f64::from(*first))
        };
        let count = samples.len().max(1) as f64;
        let mean = samples.iter().map(|sample| real(sample)).sum::<f64>() / count;
        let variance = samples.iter().map(|sample| (real(sample) - mean).powi(2)).sum::<f64>();
        let foretold = |sample: &Sample| f64::from(evaluation.foretold(&sample.sight, 0));
        let wrong = samples.iter().map(|sample| (real(sample) - foretold(sample)).powi(2)).sum::<f64>();
        if variance > 0.0 { 1.0 - wrong / variance } else { 0.0 }
    }

    /// What plies have brought, by their looks.
    fn looks(&self, evaluation: &Evaluation) -> Looks {
        let mut looks = Looks::default();
        for change in &self.changes {
            let gain: f32 = change
                .counts
                .iter()
                .map(|(code, count)| evaluation.weight(*code, change.mover) * f32::from(*count))
                .sum();
            looks.note(change.look, gain, change.takes());
        }
        looks
    }
}

/// What a piece weighs for each ply that it has on average, before results tell more.
const SUPPOSED: [f32; 3] = [0.1, 0.03, 0.0];

/// How fast results are believed.
const RATES: [Rates; 3] =
    [Rates { kinds: 0.002, places: 0.0 }, Rates { kinds: 0.01, places: 0.001 }, Rates { kinds: 0.01, places: 0.004 }];

const SEED: u64 = 0x1095;

fn counts(player: &dyn Play) -> Vec<u16> {
    let mut counts = vec![0; Content::codes(player.players())];
    player.each_piece(&mut |content, _| {
        if let Some(count) = counts.get_mut(usize::from(content.code())) {
            *count += 1;
        }
    });
    counts
}

fn changed(before: &[u16], after: &[u16]) -> Vec<(u16, i16)> {
    let pairs = before.iter().zip(after).enumerate().filter(|(_, (before, after))| before != after);
    pairs.map(|(code, (before, after))| (code as u16, *after as i16 - *before as i16)).collect()
}
