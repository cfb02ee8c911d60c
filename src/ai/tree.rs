//! Monte Carlo tree search: UCT with values of moves played later in a game (RAVE), transpositions and proven positions.
//!
//! Sources: L. Kocsis and C. Szepesvári, *Bandit based Monte-Carlo planning* (2006) for the choice of plies; S. Gelly and
//! D. Silver, *Combining online and offline knowledge in UCT* (2007) for moves that count wherever they are played; M.
//! Winands, Y. Björnsson and J.-T. Saito, *Monte-Carlo tree search solver* (2008) for what is certain.

use super::edges::{Edges, NOWHERE, Noted, Weighing};
use super::habits::Habits;
use super::insight::Insight;
use super::world::{Values, World};
use crate::engine::guide::{Better, CHANCE, Guide};
use crate::study::playout::{Dice, pick};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::FxBuildHasher;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// A simulated game that lasts longer is cut, and judged by its score.
const MAX_PLAYOUT: u64 = 1_000;

/// Where there are more plies than this, each is explored less: there would be no time to try all of them.
const FEW: f32 = 8.0;

/// From nodes so many plies below the root several games are simulated, see [`Growth::together`].
const FAR: usize = 3;

/// Edges of a tree; when there are so many it grows no further.
const MAX_EDGES: usize = 4_000_000;

/// Of a node that so many games have come to, what was played later is noted of one game in [`ONE_IN`] only: many more tell
/// hardly more.
const WELL_KNOWN: u32 = 1_000;
const ONE_IN: u32 = 4;

const NONE: u32 = NOWHERE;

/// How a tree grows.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    /// How strongly plies that have seldom been tried are preferred, where there are few of them.
    pub exploration: f32,
    /// How soon a ply's own games count more than those in which it was played later.
    pub bias: f32,
    /// Plies below the root that are weighed; from there on games are random.
    pub depth: usize,
    /// Nodes are looked through for plies that end the game when they are opened.
    pub decisive: bool,
    /// So many plies of a random game, the first ones, are those that were better in other games.
    pub habits: u64,
    /// A node is opened when so many games have come to it: most are never come to again.
    pub ripe: u32,
    /// So many games are simulated from a node far below the root that is not opened, one after the other: the way there often
    /// takes longer than a game.
    pub together: u64,
}

impl Growth {
    pub const TREE: Self =
        Self { exploration: 0.35, bias: 0.005, depth: usize::MAX, decisive: false, habits: 0, ripe: 4, together: 2 };
    /// The same with an eye for ends, and random games that learn from each other.
    pub const SHARP: Self = Self { decisive: true, habits: 16, ..Self::TREE };
    /// Only the plies at the root.
    pub const FLAT: Self = Self { exploration: 0.5, bias: f32::INFINITY, depth: 1, together: 1, ..Self::TREE };
}

#[derive(Clone, Debug)]
struct Node {
    /// The first of its edges, one for each legal ply; none before it is expanded.
    first: u32,
    count: u32,
    visits: u32,
    /// Chance decides here.
    chance: bool,
    seat: u8,
    /// The sum of what games from here were worth to the seat that decides.
    total: f64,
    /// What it is worth with certainty.
    proven: Option<Proven>,
}

impl Node {
    /// The numbers of its edges.
    fn edges(&self) -> Range<usize> {
        let first = self.first as usize;
        if self.first == NONE { 0..0 } else { first..first + self.count as usize }
    }
}

/// The number of what is certain, among the [`Ends`] of a tree: a node of a game for two has no room for sixteen seats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Proven(u32);

/// What the ends met so far are worth to every seat.
#[derive(Debug, Default)]
struct Ends(Vec<Values>);

impl Ends {
    /// Games for few players have few different ends, and these are met first.
    const COMMON: usize = 8;

    fn number(&mut self, values: Values) -> Proven {
        let known = self.0.iter().take(Self::COMMON).position(|known| *known == values);
        let at = known.unwrap_or_else(|| {
            self.0.push(values);
            self.0.len() - 1
        });
        Proven(at as u32)
    }

    fn get(&self, proven: Proven) -> Option<&Values> {
        self.0.get(proven.0 as usize)
    }
}

/// What became of a ply at the root.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tried {
    pub visits: u64,
    pub value: f64,
    /// Whether the value is certain.
    pub proven: bool,
}

/// Games that were simulated, and the plies that were played for them: those of the tree once for games that have them in
/// common.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Simulated {
    pub games: u64,
    pub plies: u64,
}

/// What has been found out about the plies from a position on.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    edges: Edges,
    ends: Ends,
    /// Nodes by position, so that two ways to the same one share what is known.
    known: HashMap<u64, u32, FxBuildHasher>,
    growth: Growth,
    /// The way of the game that is being simulated: nodes with the edges taken.
    path: Vec<(u32, u32)>,
    noted: Vec<(u8, u64)>,
    /// Room for the keys of plies.
    keys: Vec<u64>,
    /// The same, to be found by seat and key.
    played: Noted,
    rounds: u32,
    /// What judges games that are cut; scores where there is nothing.
    insight: Option<Arc<Insight>>,
    /// Plies at the root that are not considered.
    barred: Vec<bool>,
    /// Nodes that were looked through for ends, and those in which there was one.
    looked: u32,
    ending: u32,
    /// How good plies have been anywhere, if random games go by it.
    habits: Option<Habits>,
    /// Random games keep together what the last piece would part.
    keeps_together: bool,
}

/// How much each of so many plies is explored, as a part of what it is where there are few.
fn rarity(plies: usize) -> f32 {
    if plies as f32 <= FEW { 1.0 } else { (FEW / plies as f32).cbrt().powi(2) }
}

/// The natural logarithm of a number of games, 0 of none: straight between powers of two, so never off by more than 0.06. It is
/// asked for at every node of every way.
fn log(games: u32) -> f32 {
    const ONE: i32 = 1.0_f32.to_bits().cast_signed();
    const OCTAVE: f32 = 1_i32.wrapping_shl(f32::MANTISSA_DIGITS - 1) as f32;
    // The bits of a number are its exponent, and behind it how far it is on the way to the next.
    let octaves = (games.max(1) as f32).to_bits().cast_signed() - ONE;
    octaves as f32 / OCTAVE * std::f32::consts::LN_2
}

impl Tree {
    /// A tree for the marked position of a world.
    #[must_use]
    pub fn new(world: &mut World<'_>, growth: Growth, insight: Option<Arc<Insight>>) -> Self {
        let mut tree = Self {
            nodes: Vec::new(),
            edges: Edges::with_room(MAX_EDGES),
            ends: Ends::default(),
            known: HashMap::default(),
            growth,
            path: Vec::new(),
            noted: Vec::new(),
            keys: Vec::new(),
            played: Noted::new(),
            rounds: 0,
            insight,
            barred: Vec::new(),
            looked: 0,
            ending: 0,
            habits: (growth.habits > 0).then(Habits::new),
            keeps_together: false,
        };
        world.player.reset();
        tree.add(world);
        tree.expand(0, world);
        tree
    }

    fn add(&mut self, world: &mut World<'_>) -> u32 {
        let id = self.nodes.len() as u32;
        let proven = world.values().map(|values| self.ends.number(values));
        let seat = if proven.is_some() { 0 } else { world.seat() as u8 };
        let chance = proven.is_none() && world.player.chance();
        self.nodes.push(Node { first: NONE, count: 0, visits: 0, chance, seat, total: 0.0, proven });
        id
    }

    fn expand(&mut self, node: u32, world: &mut World<'_>) {
        let count = world.player.count();
        self.keys.clear();
        world.player.keys(&mut self.keys);
        let first = self.edges.add(&self.keys);
        if let Some(node) = self.nodes.get_mut(node as usize) {
            (node.first, node.count) = (first, count as u32);
        }
        // Where ends are rare they are looked for now and then, lest they have become frequent.
        if self.growth.decisive
            && (self.looked < 64 || self.ending * 16 >= self.looked || self.rounds.is_multiple_of(16))
        {
            self.look_for_ends(node, first, count, world);
        }
    }

    /// Notes which plies of a node end the game; with one that wins the node is proven.
    fn look_for_ends(&mut self, id: u32, first: u32, count: usize, world: &mut World<'_>) {
        let Node { chance, seat, .. } = *self.node(id);
        if chance {
            return;
        }
        self.looked += 1;
        let mut some = false;
        for index in 0..count {
            world.player.push();
            world.player.play(index);
            if let Some(values) = world.values() {
                some = true;
                let (child, edge) = (self.add(world), first + index as u32);
                self.edges.lead(edge, child);
                self.edges.settle(edge, values[usize::from(seat)]);
                if values[usize::from(seat)] >= 1.0
                    && let Some(node) = self.nodes.get_mut(id as usize)
                {
                    node.proven = Some(self.ends.number(values));
                }
            }
            world.player.pop();
            if self.node(id).proven.is_some() {
                break;
            }
        }
        self.ending += u32::from(some);
        if some && self.node(id).proven.is_none() {
            let proven = self.proof(id);
            if let Some(node) = self.nodes.get_mut(id as usize) {
                node.proven = proven;
            }
        }
    }

    /// From now on random games keep together what the last piece would part, or they do not.
    pub fn keep_together(&mut self, keeps: bool) {
        self.keeps_together = keeps;
    }

    /// Considers only some of the plies at the root.
    pub fn consider(&mut self, among: &[usize]) {
        self.barred = vec![true; self.node(0).count as usize];
        for index in among {
            if let Some(barred) = self.barred.get_mut(*index) {
                *barred = false;
            }
        }
    }

    fn node(&self, id: u32) -> &Node {
        // Ids are given out by `add` alone, and the root is there from the beginning.
        &self.nodes[id as usize]
    }

    /// The nodes that the plies of a node lead to.
    fn nodes_after(&self, node: &Node) -> impl Iterator<Item = u32> + '_ {
        self.edges.nodes_of(&node.edges())
    }

    /// What a node is worth with certainty, if that is known.
    fn value(&self, node: &Node) -> Option<Values> {
        self.ends.get(node.proven?).copied()
    }

    /// Whether the value of the root is certain.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.node(0).proven.is_some()
    }

    /// What became of every ply at the root, in their order.
    #[must_use]
    pub fn tried(&self) -> Vec<Tried> {
        let root = self.node(0);
        let seat = usize::from(root.seat);
        let tried = |edge: usize, child: u32| {
            let proven = self.certain(child).map(|values| values[seat]);
            let (visits, mean) = self.edges.tried(edge as u32);
            let value = proven.map_or(mean, f64::from);
            Tried { visits: u64::from(visits), value, proven: proven.is_some() }
        };
        root.edges().zip(self.nodes_after(root)).map(|(edge, child)| tried(edge, child)).collect()
    }

    /// What a node is worth with certainty, by its number.
    fn certain(&self, id: u32) -> Option<&Values> {
        self.ends.get(self.nodes.get(id as usize)?.proven?)
    }

    /// Simulates games from the root that part where the tree ends, no more than so many.
    pub fn round(&mut self, world: &mut World<'_>, generator: &mut Xoshiro256PlusPlus, most: u64) -> Simulated {
        self.rounds += 1;
        self.path.clear();
        self.noted.clear();
        self.played.clear();
        world.player.reset();
        let (leaf, known) = self.descend(world, generator);
        let way = self.path.len();
        let mut simulated = Simulated { games: 1, plies: way as u64 };
        if let Some(values) = known {
            self.backup(leaf, &values);
            return simulated;
        }
        let games = if way < FAR { 1 } else { self.growth.together.min(most).max(1) };
        for left in (0..games).rev() {
            if left > 0 {
                world.player.push();
            }
            simulated.plies += self.playout(world, generator);
            let values = match (world.values(), &self.insight) {
                (Some(values), _) => values,
                (None, Some(insight)) => insight.evaluation.values(world),
                (None, None) => world.standing(),
            };
            self.backup(leaf, &values);
            if left > 0 {
                world.player.pop();
                self.noted.truncate(way);
                self.played.clear();
                simulated.games += 1;
            }
        }
        simulated
    }

    /// Plays down the tree to a node that is not opened, or of which it is certain what it is worth; that, if it is.
    fn descend(&mut self, world: &mut World<'_>, generator: &mut Xoshiro256PlusPlus) -> (u32, Option<Values>) {
        let mut at = 0;
        loop {
            let node = self.node(at);
            if let Some(values) = self.value(node) {
                return (at, Some(values));
            }
            let deep = self.path.len() >= self.growth.depth;
            if node.first == NONE {
                let full = self.edges.len() > MAX_EDGES;
                if node.visits < self.growth.ripe || deep || full {
                    return (at, None);
                }
                self.expand(at, world);
                if let Some(values) = self.value(self.node(at)) {
                    return (at, Some(values));
                }
            }
            let Node { chance, seat, first, .. } = *self.node(at);
            let edge = if chance {
                let index = world.player.choose(&mut |count| pick(count, generator).unwrap_or(0));
                first + index as u32
            } else {
                self.select(at, generator)
            };
            let Some(key) = self.edges.key(edge) else { return (at, Some(world.standing())) };
            // What chance plays is nobody's.
            self.noted.push((if chance { CHANCE } else { seat }, key));
            self.path.push((at, edge));
            let index = (edge - first) as usize;
            world.player.play(index);
            let taken = self.edges.node(edge);
            at = if taken == NONE { self.child(edge, world) } else { taken };
        }
    }

    /// A random game from here on; the plies played.
    fn playout(&mut self, world: &mut World<'_>, generator: &mut Xoshiro256PlusPlus) -> u64 {
        let better =
            |seat, key, other| self.habits.as_ref().is_some_and(|habits| habits.of(seat, other) > habits.of(seat, key));
        let better: &Better<'_> = &better;
        let guide = Guide {
            keeps_together: self.keeps_together,
            better: self.habits.as_ref().map(|_| (better, self.growth.habits)),
        };
        let mut dice = Dice::new(generator.clone());
        let plies = world.player.playout_noted(&mut dice, guide, MAX_PLAYOUT, &mut self.noted);
        *generator = dice.into_generator();
        plies
    }

    /// The node after an edge that has not been taken before: a new one, or one that another way led to.
    fn child(&mut self, edge: u32, world: &mut World<'_>) -> u32 {
        let id = if world.player.looks_back() {
            self.add(world)
        } else {
            // Positions at different plies are kept apart, so that no way leads back.
            let hash = world.player.hash() ^ (self.path.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            match self.known.get(&hash) {
                Some(id) => *id,
                None => {
                    let id = self.add(world);
                    self.known.insert(hash, id);
                    id
                }
            }
        };
        self.edges.lead(edge, id);
        id
    }

    /// The edge to try next.
    fn select(&mut self, at: u32, generator: &mut Xoshiro256PlusPlus) -> u32 {
        let node = self.node(at);
        let (edges, seat) = (node.edges(), usize::from(node.seat));
        let weighing = Weighing {
            bias: self.growth.bias,
            spread: self.growth.exploration * rarity(edges.len()) * log(node.visits).sqrt(),
            expected: (node.total / f64::from(node.visits.max(1))) as f32,
        };
        // Among equals chance decides, by where the look round begins.
        let offset = pick(edges.len(), generator).unwrap_or(0);
        let barred = if at == 0 { self.barred.as_slice() } else { &[] };
        loop {
            let chosen = edges.start as u32 + self.edges.heaviest(&edges, weighing, offset, barred) as u32;
            // It may have been proven on another way.
            match self.certain(self.edges.node(chosen)).map(|values| values[seat]) {
                Some(value) if !self.edges.is_certain(chosen) => self.edges.settle(chosen, value),
                Some(_) | None => return chosen,
            }
        }
    }

    /// What a game was worth goes to all nodes and edges on its way, and what is certain by now is noted.
    fn backup(&mut self, leaf: u32, values: &Values) {
        self.visit(leaf, values);
        if let Some(habits) = &mut self.habits {
            habits.note(&self.noted, values);
        }
        let in_tree = self.path.len();
        for (seat, key) in self.noted.get(in_tree..).unwrap_or_default() {
            self.played.note(*seat, *key);
        }
        let mut certain = self.value(self.node(leaf));
        for depth in (0..in_tree).rev() {
            if let Some((seat, key)) = self.noted.get(depth) {
                self.played.note(*seat, *key);
            }
            let (id, taken) = self.path[depth];
            self.visit(id, values);
            let node = self.node(id);
            let (seat, edges, chance) = (node.seat, node.edges(), node.chance);
            let value = values[usize::from(seat)];
            let tells = node.visits < WELL_KNOWN || node.visits.is_multiple_of(ONE_IN);
            if self.growth.bias.is_finite() && !chance && tells {
                self.edges.note_later(&edges, seat, value, &self.played);
            }
            self.edges.visit(taken, value);
            if let Some(values) = certain {
                self.edges.settle(taken, values[usize::from(seat)]);
                let proven = self.proof(id);
                if let Some(node) = self.nodes.get_mut(id as usize) {
                    node.proven = proven;
                }
                certain = self.value(self.node(id));
            }
        }
    }

    fn visit(&mut self, id: u32, values: &Values) {
        if let Some(node) = self.nodes.get_mut(id as usize) {
            node.visits += 1;
            node.total += f64::from(values[usize::from(node.seat)]);
        }
    }

    /// Notes what a node is worth with certainty: a ply wins, or all plies are known and one is the best. Where chance decides all
    /// outcomes must be worth the same.
    fn proof(&mut self, id: u32) -> Option<Proven> {
        let values = self.certainty(self.node(id))?;
        Some(self.ends.number(values))
    }

    fn certainty(&self, node: &Node) -> Option<Values> {
        if node.chance {
            let mut outcomes = self.nodes_after(node).map(|child| self.certain(child));
            let first = outcomes.next()??;
            return outcomes.all(|outcome| outcome == Some(first)).then_some(*first);
        }
        let seat = usize::from(node.seat);
        let mut best: Option<&Values> = None;
        let mut all = true;
        for child in self.nodes_after(node) {
            match self.certain(child) {
                Some(values) if values[seat] >= 1.0 => return Some(*values),
                Some(values) if best.is_none_or(|best| values[seat] > best[seat]) => best = Some(values),
                Some(_) => {}
                None => all = false,
            }
        }
        best.filter(|_| all).copied()
    }

    /// The part of the tree after some plies, the numbers of which are given; none if it has not come there.
    #[must_use]
    pub fn after(self, plies: &[usize]) -> Option<Self> {
        let mut root = 0;
        for index in plies {
            let node = self.node(root);
            root = self.nodes_after(node).nth(*index)?;
            if root == NONE {
                return None;
            }
        }
        if self.node(root).first == NONE {
            return None;
        }
        let mut tree = Self {
            nodes: Vec::new(),
            edges: Edges::with_room(MAX_EDGES),
            ends: Ends::default(),
            known: HashMap::default(),
            path: Vec::new(),
            barred: Vec::new(),
            ..self
        };
        let (nodes, edges, ends) = (&self.nodes, &self.edges, &self.ends);
        // Copies what can still be reached; the numbers are new ones.
        let mut renamed = vec![NONE; nodes.len()];
        let mut order = Vec::new();
        let mut rename = |old: u32, order: &mut Vec<u32>| match renamed.get_mut(old as usize) {
            Some(new) if *new == NONE => {
                *new = order.len() as u32;
                order.push(old);
                *new
            }
            Some(new) => *new,
            None => NONE,
        };
        rename(root, &mut order);
        let mut next = 0;
        while let Some(old) = order.get(next).copied() {
            next += 1;
            let Some(node) = nodes.get(old as usize) else { break };
            let mut copy = node.clone();
            copy.proven = node.proven.and_then(|proven| ends.get(proven)).map(|values| tree.ends.number(*values));
            if node.first != NONE {
                copy.first = tree.edges.copy(edges, &node.edges(), |child| rename(child, &mut order));
            }
            tree.nodes.push(copy);
        }
        Some(tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_close_and_grow() {
        assert_eq!(log(0), 0.0);
        for games in 1..10_000 {
            assert!((log(games) - (games as f32).ln()).abs() < 0.06, "{games}");
            assert!(log(games) < log(games + 1), "{games}");
        }
    }
}
