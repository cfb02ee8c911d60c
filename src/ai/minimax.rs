//! Alpha-beta search, deeper and deeper; with more than two seats every seat takes what is best for itself (max-n).
//!
//! Positions that are no end are judged by what is learnt of the game ([`super::evaluation`]), after what can be taken has
//! been taken (quiescence). Plies are tried in the order of what is known about them: the best of an earlier search, what
//! they take, what has cut off others beside them (killer moves; S. Akl and M. Newborn, 1977) and elsewhere (the history
//! heuristic; J. Schaeffer, 1983). All but the first are asked whether they are better at all (principal variation search;
//! T. Marsland and M. Campbell, 1982), late ones less deep at first.

use super::evaluation::Evaluation;
use super::insight::Insight;
use super::looks::Looks;
use super::mind::Clock;
use super::world::{Values, World};
use crate::engine::Play;
use crate::engine::fast::state::mix;
use crate::rules::MAX_PLAYERS;
use crate::study::playout::pick;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Games end somewhere, but some only after very long.
const MAX_DEPTH: i32 = 512;

/// Positions that are remembered, at most; a power of two.
const MAX_KNOWN: usize = 1 << 20;

/// What cuts off others is remembered by key; where two share a place they share what is known.
const HISTORY: usize = 1 << 13;

/// A won game, less the plies until then. All that is above `SURE` is one.
const WON: f32 = 1_000.0;
const SURE: f32 = 400.0;

/// How far plies that take something are followed below the depth of the search.
const QUIET: i32 = 10;

/// Plies after which a line is not made longer because there is no choice in it.
const MAX_PATH: u32 = 200;

/// What tells the worth of a position that is no end.
pub(super) trait Judge {
    /// What it is worth to each player: the logarithm of the odds to win.
    fn odds(&mut self, play: &mut dyn Play) -> [f32; MAX_PLAYERS];

    /// More than a ply brings beside what it takes.
    fn margin(&self) -> f32;
}

/// What was learnt from a look at the game.
struct Looked<'i> {
    evaluation: &'i Evaluation,
    margin: f32,
}

impl Judge for Looked<'_> {
    fn odds(&mut self, play: &mut dyn Play) -> [f32; MAX_PLAYERS] {
        self.evaluation.odds(play)
    }

    fn margin(&self) -> f32 {
        self.margin
    }
}

/// What is the best ply, as far as the search has come.
#[derive(Clone, Copy, Debug)]
pub struct Best {
    pub index: usize,
    /// What the seat that decides may expect.
    pub value: f32,
    /// The value is certain.
    pub exact: bool,
    pub nodes: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Bound {
    #[default]
    Exact,
    Low,
    High,
}

/// What is known of a position, in terms of the seat that decides there.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    hash: u64,
    value: f32,
    best: u32,
    depth: i16,
    bound: Bound,
    /// Every way was followed to the end.
    exact: bool,
}

struct Search<'s, 'w, 'g> {
    world: &'s mut World<'w>,
    clock: &'s Clock<'g>,
    judge: &'s mut dyn Judge,
    looks: Looks,
    /// Whether it pays to look on after plies that take something.
    takes: bool,
    known: Vec<Known>,
    /// By seat and key.
    history: Vec<u32>,
    /// By ply from the root: keys of what cut off others.
    killers: Vec<[u64; 2]>,
    nodes: u64,
    stopped: bool,
    /// No position was cut short since this was set.
    exact: bool,
}

/// The best ply at the marked position of a world, among some.
pub fn search(
    world: &mut World<'_>,
    insight: &Insight,
    among: &[usize],
    clock: &Clock<'_>,
    generator: &mut Xoshiro256PlusPlus,
) -> Best {
    let mut judge = Looked { evaluation: &insight.evaluation, margin: insight.margin };
    search_by(world, insight, &mut judge, among, clock, generator)
}

/// The same, where somebody else judges positions.
pub(super) fn search_by(
    world: &mut World<'_>,
    insight: &Insight,
    judge: &mut dyn Judge,
    among: &[usize],
    clock: &Clock<'_>,
    generator: &mut Xoshiro256PlusPlus,
) -> Best {
    world.player.reset();
    let seat = world.seat();
    let mut order = among.to_vec();
    // Chance decides among equals.
    for at in (1..order.len()).rev() {
        order.swap(at, pick(at + 1, generator).unwrap_or(at));
    }
    let mut best = Best { index: order.first().copied().unwrap_or(0), value: 0.5, exact: false, nodes: 0 };
    let room = usize::try_from(clock.most().saturating_mul(2)).unwrap_or(MAX_KNOWN).min(MAX_KNOWN).next_power_of_two();
    let mut search = Search {
        world,
        clock,
        judge,
        looks: insight.looks.clone(),
        takes: insight.takes(),
        known: vec![Known::default(); room.max(1 << 10)],
        history: vec![0; HISTORY],
        killers: Vec::new(),
        nodes: 0,
        stopped: false,
        exact: true,
    };
    search.sort_root(&mut order, seat);
    for depth in 1..=MAX_DEPTH {
        search.exact = true;
        let found = search.root(&order, seat, depth);
        if let Some((place, value)) = found {
            let index = order.remove(place);
            order.insert(0, index);
            // Of a search that was stopped the plies that it has come to count, the first of which was the best before.
            let exact = !search.stopped && search.exact && !search.world.player.looks_back();
            best = Best { index, value: share(value), exact: exact || value.abs() > SURE, ..best };
            if value.abs() > SURE && !search.stopped {
                break;
            }
        }
        if search.stopped || search.exact {
            break;
        }
    }
    search.world.player.reset();
    Best { nodes: search.nodes, ..best }
}

/// Odds as a share of the result.
fn share(odds: f32) -> f32 {
    if odds > SURE {
        1.0
    } else if odds < -SURE {
        0.0
    } else {
        1.0 / (1.0 + (-odds).exp())
    }
}

/// A share of the result as odds; certainty so many plies away.
fn odds(share: f32, plies: u32) -> f32 {
    if share >= 1.0 {
        WON - plies as f32
    } else if share <= 0.0 {
        plies as f32 - WON
    } else {
        (share / (1.0 - share)).ln()
    }
}

/// A certain end is nearer or further, seen from another position.
fn seen_from(value: f32, plies: f32) -> f32 {
    if value > SURE {
        value + plies
    } else if value < -SURE {
        value - plies
    } else {
        value
    }
}

impl Search<'_, '_, '_> {
    /// Plies at the root, those first after which the position looks best.
    fn sort_root(&mut self, order: &mut [usize], seat: usize) {
        let mut ranked: Vec<(f32, usize)> = Vec::with_capacity(order.len());
        for index in order.iter() {
            // What there is no time to look at comes last.
            if self.clock.is_over(0) {
                ranked.push((f32::NEG_INFINITY, *index));
                continue;
            }
            self.world.player.reset();
            self.world.player.play(*index);
            let value = self
                .world
                .values()
                .map_or_else(|| self.judge_for(seat), |values| odds(values.get(seat).copied().unwrap_or(0.5), 1));
            ranked.push((value, *index));
        }
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (place, (_, index)) in order.iter_mut().zip(ranked) {
            *place = index;
        }
    }

    /// The best of the root's plies, by place in the order, and its value for the seat; none if the time was over before
    /// the first of them was done.
    fn root(&mut self, order: &[usize], seat: usize, depth: i32) -> Option<(usize, f32)> {
        let mut best: Option<(usize, f32)> = None;
        for (place, index) in order.iter().enumerate() {
            self.world.player.reset();
            self.world.player.play(*index);
            let value = if self.world.seats == 2 {
                let low = best.map_or(f32::NEG_INFINITY, |(_, value)| value);
                self.probe(seat, depth - 1, low, f32::INFINITY, 1, place > 0)
            } else {
                odds(self.max_n(depth - 1).get(seat).copied().unwrap_or(0.5), 1)
            };
            if self.stopped {
                break;
            }
            if best.is_none_or(|(_, known)| value > known) {
                best = Some((place, value));
            }
            // Nothing wins sooner.
            if value >= WON - 1.0 {
                break;
            }
        }
        best
    }

    /// The value of the present position for a seat: where another ply is known first only whether it is better.
    fn probe(&mut self, seat: usize, depth: i32, low: f32, high: f32, path: u32, later: bool) -> f32 {
        if later && low > f32::NEG_INFINITY {
            let narrow = low + STEP * low.abs().max(1.0);
            if narrow < high {
                let value = self.value_for(seat, depth, low, narrow, path);
                if value <= low || self.stopped {
                    return value;
                }
            }
        }
        self.value_for(seat, depth, low, high, path)
    }

    /// The value of the present position for a seat, whoever decides there.
    fn value_for(&mut self, seat: usize, depth: i32, low: f32, high: f32, path: u32) -> f32 {
        if let Some(values) = self.world.values() {
            self.visit();
            return odds(values.get(seat).copied().unwrap_or(0.5), path);
        }
        if self.world.player.chance() {
            return self.expectation(seat, depth, path);
        }
        if self.world.seat() == seat {
            self.alpha_beta(seat, depth, low, high, path)
        } else {
            -self.alpha_beta(1 - seat.min(1), depth, -high, -low, path)
        }
    }

    fn visit(&mut self) {
        self.nodes += 1;
        // A clock takes longer to read than a position.
        if self.nodes.is_multiple_of(64) || self.nodes < 64 {
            self.stopped |= self.clock.is_over(self.nodes);
        }
    }

    /// How a position that is no end looks to a seat.
    fn judge_for(&mut self, seat: usize) -> f32 {
        let odds = self.judge.odds(&mut *self.world.player);
        (0..self.world.seats)
            .find(|player| self.world.player.seat(*player) == seat)
            .and_then(|player| odds.get(player).copied())
            .unwrap_or(0.0)
    }

    /// The same as a share of the result for each seat, none of which is certain.
    fn judged(&mut self) -> Values {
        let odds = self.judge.odds(&mut *self.world.player);
        let value = |player: usize| share(odds.get(player).copied().unwrap_or(0.0).clamp(-SURE, SURE));
        self.world.by_seat(|player| value(player).clamp(0.001, 0.999))
    }

    /// What the seat that decides may expect, exactly if it lies between the bounds.
    fn alpha_beta(&mut self, seat: usize, depth: i32, low: f32, high: f32, path: u32) -> f32 {
        let count = self.world.player.count();
        // Where there is no choice nothing is weighed, and the end may be near.
        let depth = if count == 1 && path < MAX_PATH { depth.max(1) } else { depth };
        if depth <= 0 {
            return self.quiescence(seat, QUIET, low, high, path);
        }
        self.visit();
        if self.stopped {
            self.exact = false;
            return 0.0;
        }
        let hash = mix(self.world.player.hash() ^ seat as u64);
        let known = self.recall(hash);
        if let Some(known) = known.filter(|known| i32::from(known.depth) >= depth || known.exact) {
            let value = seen_from(known.value, -(path as f32));
            let useful = match known.bound {
                Bound::Exact => true,
                Bound::Low => value >= high,
                Bound::High => value <= low,
            };
            if useful {
                self.exact &= known.exact;
                return value;
            }
        }
        let outer = std::mem::replace(&mut self.exact, true);
        let (mut best, mut at) = (f32::NEG_INFINITY, 0);
        let mut from = low;
        let ordered = self.ordered(known.map(|known| known.best), seat, path);
        for (place, ply) in ordered.iter().enumerate() {
            let forced = count == 1;
            let next = if forced && path < MAX_PATH { depth } else { depth - 1 };
            // Plies that come late are seldom the best, and looked at less deep unless they turn out to be.
            let late = depth >= 3 && place >= 4 && ply.rank < LIKELY && from > -SURE;
            let less = if !late {
                0
            } else if place >= 16 {
                2
            } else {
                1
            };
            self.world.player.push();
            self.world.player.play(ply.index);
            let mut value = if less > 0 {
                self.value_for(seat, next - less, from, from + STEP * from.abs().max(1.0), path + 1)
            } else {
                f32::INFINITY
            };
            if value > from && !self.stopped {
                value = self.probe(seat, next, from, high, path + 1, place > 0);
            }
            self.world.player.pop();
            if self.stopped {
                break;
            }
            if value > best {
                (best, at) = (value, ply.index);
            }
            from = from.max(value);
            if from >= high {
                self.cut(ply.key, seat, depth, path);
                break;
            }
        }
        if self.stopped {
            self.exact = false;
            return best.max(-SURE);
        }
        let bound = if best <= low {
            Bound::High
        } else if best >= high {
            Bound::Low
        } else {
            Bound::Exact
        };
        let exact = self.exact && !self.world.player.looks_back();
        let value = seen_from(best, path as f32);
        self.remember(Known { hash, value, best: at as u32, depth: depth as i16, bound, exact });
        self.exact &= outer;
        best
    }

    fn recall(&self, hash: u64) -> Option<Known> {
        let known = self.known.get(hash as usize & (self.known.len() - 1))?;
        (known.hash == hash).then_some(*known)
    }

    fn remember(&mut self, known: Known) {
        let room = self.known.len() - 1;
        if let Some(place) = self.known.get_mut(known.hash as usize & room) {
            *place = known;
        }
    }

    /// A ply has made all others beside it needless.
    fn cut(&mut self, key: u64, seat: usize, depth: i32, path: u32) {
        if let Some(history) = self.history.get_mut(place(key, seat)) {
            *history = history.saturating_add(depth.unsigned_abs().pow(2)).min(LIKELY / 2);
        }
        let path = path as usize;
        if self.killers.len() <= path {
            self.killers.resize(path + 1, [0; 2]);
        }
        if let Some(killers) = self.killers.get_mut(path).filter(|killers| killers[0] != key) {
            *killers = [key, killers[0]];
        }
    }

    /// What a position is worth after something has been taken, as long as it pays; where something must be taken, all is
    /// looked at.
    fn quiescence(&mut self, seat: usize, left: i32, low: f32, high: f32, path: u32) -> f32 {
        self.visit();
        self.exact = false;
        if self.stopped {
            return 0.0;
        }
        let standing = self.judge_for(seat);
        if !self.takes || left <= 0 {
            return standing;
        }
        let count = self.world.player.count();
        let mut takes: Vec<(f32, usize)> = Vec::new();
        for index in 0..count {
            let look = self.world.player.look(index);
            if self.looks.expects(look) {
                takes.push((self.looks.gain(look).unwrap_or(0.0), index));
            }
        }
        let must = takes.len() == count;
        let mut best = if must { f32::NEG_INFINITY } else { standing };
        if best >= high || takes.is_empty() {
            return standing;
        }
        takes.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (gain, index) in takes {
            if !must && standing + gain + self.judge.margin() < low.max(best) {
                break;
            }
            self.world.player.push();
            self.world.player.play(index);
            let value = self.quiet_value(seat, left - 1, low.max(best), high, path + 1);
            self.world.player.pop();
            if self.stopped {
                return best.max(-SURE);
            }
            best = best.max(value);
            if best >= high {
                break;
            }
        }
        best
    }

    fn quiet_value(&mut self, seat: usize, left: i32, low: f32, high: f32, path: u32) -> f32 {
        if let Some(values) = self.world.values() {
            self.visit();
            return odds(values.get(seat).copied().unwrap_or(0.5), path);
        }
        if self.world.player.chance() {
            return self.judge_for(seat);
        }
        if self.world.seat() == seat {
            self.quiescence(seat, left, low, high, path)
        } else {
            -self.quiescence(1 - seat.min(1), left, -high, -low, path)
        }
    }

    /// What a seat may expect where chance decides.
    fn expectation(&mut self, seat: usize, depth: i32, path: u32) -> f32 {
        let (mut sum, mut all) = (0.0, 0.0);
        for index in 0..self.world.player.count() {
            let weight = self.world.player.weight(index) as f32;
            self.world.player.push();
            self.world.player.play(index);
            let value = self.value_for(seat, depth - 1, f32::NEG_INFINITY, f32::INFINITY, path + 1);
            self.world.player.pop();
            if self.stopped {
                return 0.0;
            }
            all += weight;
            sum += weight * share(value);
        }
        odds(sum / all, path)
    }

    /// The plies, those first that promise most.
    fn ordered(&mut self, best: Option<u32>, seat: usize, path: u32) -> Vec<Ordered> {
        let count = self.world.player.count();
        let killers = self.killers.get(path as usize).copied().unwrap_or_default();
        let mut ranked: Vec<Ordered> = Vec::with_capacity(count);
        for index in 0..count {
            let key = self.world.player.key(index);
            let look = if self.takes { Some(self.world.player.look(index)) } else { None };
            let gain = look.filter(|look| self.looks.expects(*look)).and_then(|look| self.looks.gain(look));
            let rank = if best == Some(index as u32) {
                u32::MAX
            } else if let Some(gain) = gain {
                2 * LIKELY + (gain * 1_000.0).clamp(0.0, 1e8) as u32
            } else if killers.contains(&key) {
                LIKELY
            } else {
                self.history.get(place(key, seat)).copied().unwrap_or(0)
            };
            ranked.push(Ordered { rank, index, key });
        }
        ranked.sort_by_key(|ply| (std::cmp::Reverse(ply.rank), ply.index));
        ranked
    }

    /// What every seat may expect where each does what is best for itself.
    fn max_n(&mut self, depth: i32) -> Values {
        self.visit();
        if let Some(values) = self.world.values() {
            return values;
        }
        if depth <= 0 || self.stopped {
            self.exact = false;
            return self.judged();
        }
        if self.world.player.chance() {
            return self.mean(depth);
        }
        let seat = self.world.seat();
        let mut best: Option<Values> = None;
        for index in 0..self.world.player.count() {
            self.world.player.push();
            self.world.player.play(index);
            let values = self.max_n(depth - 1);
            self.world.player.pop();
            if best.is_none_or(|best| values[seat] > best[seat]) {
                best = Some(values);
            }
            if self.stopped || values[seat] >= 1.0 {
                break;
            }
        }
        best.unwrap_or([0.5; MAX_PLAYERS])
    }

    /// What every seat may expect where chance decides.
    fn mean(&mut self, depth: i32) -> Values {
        let (mut sum, mut all) = ([0.0; MAX_PLAYERS], 0.0);
        for index in 0..self.world.player.count() {
            let weight = self.world.player.weight(index) as f32;
            self.world.player.push();
            self.world.player.play(index);
            let values = self.max_n(depth - 1);
            self.world.player.pop();
            all += weight;
            sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
        }
        sum.map(|sum| sum / all)
    }
}

/// A ply with what is known of it beforehand.
struct Ordered {
    rank: u32,
    index: usize,
    key: u64,
}

/// Plies of this rank have cut off others here before, or take something.
const LIKELY: u32 = 1 << 28;

/// So much, relative to the value, another ply must be better to be noticed.
const STEP: f32 = 1e-5;

fn place(key: u64, seat: usize) -> usize {
    (mix(key) as usize ^ seat.wrapping_mul(0x55)) % HISTORY
}
