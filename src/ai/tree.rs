//! Monte Carlo tree search: UCT with values of moves played later in a game (RAVE), transpositions and proven positions.
//!
//! Sources: L. Kocsis and C. Szepesvári, *Bandit based Monte-Carlo planning* (2006) for the choice of plies; S. Gelly and
//! D. Silver, *Combining online and offline knowledge in UCT* (2007) for moves that count wherever they are played; M.
//! Winands, Y. Björnsson and J.-T. Saito, *Monte-Carlo tree search solver* (2008) for what is certain.

use super::habits::Habits;
use super::insight::Insight;
use super::world::{Values, World};
use crate::engine::Play;
use crate::study::playout::{Dice, pick};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashMap;
use std::sync::Arc;

/// A simulated game that lasts longer is cut, and judged by its score.
const MAX_PLAYOUT: u64 = 1_000;

/// Edges of a tree; when there are so many it grows no further.
const MAX_EDGES: usize = 4_000_000;

/// Plies noted by seat and key; where two share a place the later one is forgotten, which is harmless.
const NOTED: usize = 1 << 12;

/// From here on older games count less and less, so that sums stay exact.
const MAX_LATER: u32 = 1 << 20;

const NONE: u32 = u32::MAX;

/// How a tree grows.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    /// How strongly plies that have seldom been tried are preferred.
    pub exploration: f32,
    /// How soon a ply's own games count more than those in which it was played later.
    pub bias: f32,
    /// Plies below the root that are weighed; from there on games are random.
    pub depth: usize,
    /// Nodes are looked through for plies that end the game when they are opened.
    pub decisive: bool,
    /// Random games prefer plies that were good in others.
    pub habits: bool,
}

impl Growth {
    pub const TREE: Self = Self { exploration: 0.35, bias: 0.05, depth: usize::MAX, decisive: false, habits: false };
    /// The same with an eye for ends, and random games that learn from each other.
    pub const SHARP: Self = Self { decisive: true, habits: true, ..Self::TREE };
    /// Only the plies at the root.
    pub const FLAT: Self = Self { exploration: 0.5, bias: f32::INFINITY, depth: 1, ..Self::TREE };
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

#[derive(Clone, Copy, Debug)]
struct Edge {
    /// What the ply is called in other positions too.
    key: u64,
    node: u32,
    visits: u32,
    /// The sum of what games with this ply here were worth to the seat that decides.
    total: f64,
    /// Games in which the same seat played the ply here or later.
    later: u32,
    later_total: f32,
}

/// What became of a ply at the root.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tried {
    pub visits: u64,
    pub value: f64,
    /// Whether the value is certain.
    pub proven: bool,
}

/// What has been found out about the plies from a position on.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    ends: Ends,
    /// Nodes by position, so that two ways to the same one share what is known.
    known: HashMap<u64, u32>,
    growth: Growth,
    /// The way of the game that is being simulated: nodes with the edges taken.
    path: Vec<(u32, u32)>,
    noted: Vec<(u8, u64)>,
    /// Stamped with the number of the round in which a ply was noted.
    stamps: Vec<(u32, u64)>,
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
}

impl Tree {
    /// A tree for the marked position of a world.
    #[must_use]
    pub fn new(world: &mut World<'_>, growth: Growth, insight: Option<Arc<Insight>>) -> Self {
        let mut tree = Self {
            nodes: Vec::new(),
            edges: Vec::new(),
            ends: Ends::default(),
            known: HashMap::new(),
            growth,
            path: Vec::new(),
            noted: Vec::new(),
            stamps: vec![(0, 0); NOTED],
            rounds: 0,
            insight,
            barred: Vec::new(),
            looked: 0,
            ending: 0,
            habits: growth.habits.then(Habits::new),
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
        let first = self.edges.len() as u32;
        for index in 0..count {
            let key = world.player.key(index);
            self.edges.push(Edge { key, node: NONE, visits: 0, total: 0.0, later: 0, later_total: 0.0 });
        }
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
                let child = self.add(world);
                if let Some(edge) = self.edges.get_mut(first as usize + index) {
                    edge.node = child;
                }
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

    fn edges_of(&self, node: &Node) -> &[Edge] {
        let first = node.first as usize;
        self.edges.get(first..first + node.count as usize).unwrap_or_default()
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
        let tried = |edge: &Edge| {
            let proven = self.certain(edge).map(|values| values[seat]);
            let mean = if edge.visits > 0 { edge.total / f64::from(edge.visits) } else { 0.0 };
            let value = proven.map_or(mean, f64::from);
            Tried { visits: u64::from(edge.visits), value, proven: proven.is_some() }
        };
        self.edges_of(root).iter().map(tried).collect()
    }

    fn certain(&self, edge: &Edge) -> Option<&Values> {
        self.ends.get(self.nodes.get(edge.node as usize)?.proven?)
    }

    /// Simulates one game from the root; the plies played.
    pub fn round(&mut self, world: &mut World<'_>, generator: &mut Xoshiro256PlusPlus) -> u64 {
        self.rounds += 1;
        self.path.clear();
        self.noted.clear();
        world.player.reset();
        let mut at = 0;
        let mut played = 0;
        let values = loop {
            let node = self.node(at);
            if let Some(values) = self.value(node) {
                break values;
            }
            let deep = self.path.len() >= self.growth.depth;
            if node.first == NONE {
                let full = self.edges.len() > MAX_EDGES;
                if node.visits == 0 || deep || full {
                    played += self.playout(world, generator);
                    break match (world.values(), &self.insight) {
                        (Some(values), _) => values,
                        (None, Some(insight)) => insight.evaluation.values(world),
                        (None, None) => world.standing(),
                    };
                }
                self.expand(at, world);
                if let Some(values) = self.value(self.node(at)) {
                    break values;
                }
            }
            let Node { chance, seat, first, .. } = *self.node(at);
            let edge = if chance {
                let index = world.player.choose(&mut |count| pick(count, generator).unwrap_or(0));
                first + index as u32
            } else {
                self.select(at, generator)
            };
            let Some(taken) = self.edges.get(edge as usize).copied() else { break world.standing() };
            // What chance plays is nobody's.
            self.noted.push((if chance { u8::MAX } else { seat }, taken.key));
            self.path.push((at, edge));
            let index = (edge - first) as usize;
            world.player.play(index);
            played += 1;
            at = if taken.node == NONE { self.child(edge, world) } else { taken.node };
        };
        self.backup(at, &values);
        played
    }

    /// A random game from here on; the plies played.
    fn playout(&mut self, world: &mut World<'_>, generator: &mut Xoshiro256PlusPlus) -> u64 {
        if self.insight.as_ref().is_some_and(|insight| insight.drawn) {
            // Plies are drawn without a look at all others.
            let noted = &mut self.noted;
            let mut tell = |player: &mut dyn Play, index: usize| {
                if !player.chance() {
                    noted.push((player.seat(player.mover()) as u8, player.key(index)));
                }
            };
            let mut dice = Dice::new(Xoshiro256PlusPlus::seed_from_u64(generator.next_u64()));
            return world.player.playout_told(&mut dice, MAX_PLAYOUT, &mut tell).0;
        }
        let mut roll = |count: usize| pick(count, generator).unwrap_or(0);
        if let Some(habits) = &self.habits {
            let better = |seat, key, other| habits.of(seat, other) > habits.of(seat, key);
            return world.player.playout_preferring(&mut roll, &better, MAX_PLAYOUT, &mut self.noted);
        }
        world.player.playout_noted(&mut roll, MAX_PLAYOUT, &mut self.noted)
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
        if let Some(edge) = self.edges.get_mut(edge as usize) {
            edge.node = id;
        }
        id
    }

    /// The edge to try next.
    fn select(&self, at: u32, generator: &mut Xoshiro256PlusPlus) -> u32 {
        let node = self.node(at);
        let edges = self.edges_of(node);
        let seat = usize::from(node.seat);
        let Growth { exploration, bias, .. } = self.growth;
        let visits = node.visits.max(1) as f32;
        let expected = (node.total / f64::from(node.visits.max(1))) as f32;
        let spread = exploration * visits.ln().max(0.0).sqrt();
        // Among equals chance decides, by where the look round begins.
        let offset = pick(edges.len(), generator).unwrap_or(0);
        let mut best = (f32::NEG_INFINITY, offset);
        for (index, edge) in edges.iter().enumerate().skip(offset).chain(edges.iter().enumerate().take(offset)) {
            if at == 0 && self.barred.get(index) == Some(&true) {
                continue;
            }
            let value = match self.certain(edge) {
                // What is certain needs no exploring; a certain loss is taken only where there is nothing else.
                Some(values) if values[seat] <= 0.0 => -1.0,
                Some(values) => values[seat],
                None => {
                    let own = edge.visits as f32;
                    let mean = if edge.visits > 0 { (edge.total / f64::from(edge.visits)) as f32 } else { expected };
                    let later = edge.later as f32;
                    let value = if edge.later > 0 {
                        let weight = later / (own + later + bias * own * later);
                        let weight = if weight.is_finite() { weight } else { 0.0 };
                        mean + weight * (edge.later_total / later - mean)
                    } else {
                        mean
                    };
                    value + spread / (own + 1.0).sqrt()
                }
            };
            if value > best.0 {
                best = (value, index);
            }
        }
        node.first + best.1 as u32
    }

    /// What a game was worth goes to all nodes and edges on its way, and what is certain by now is noted.
    fn backup(&mut self, leaf: u32, values: &Values) {
        self.visit(leaf, values);
        if let Some(habits) = &mut self.habits {
            habits.note(&self.noted, values);
        }
        let in_tree = self.path.len();
        for at in in_tree..self.noted.len() {
            self.stamp(at);
        }
        let mut certain = self.node(leaf).proven.is_some();
        for depth in (0..in_tree).rev() {
            self.stamp(depth);
            let (id, taken) = self.path[depth];
            self.visit(id, values);
            let node = self.node(id);
            let (seat, first, count) = (usize::from(node.seat), node.first as usize, node.count as usize);
            let value = values[seat];
            let (stamps, rounds) = (&self.stamps, self.rounds);
            if self.growth.bias.is_finite() && !node.chance {
                for edge in self.edges.get_mut(first..first + count).unwrap_or_default() {
                    let sign = sign(seat as u8, edge.key);
                    if stamps[place(sign)] == (rounds, sign) {
                        edge.later += 1;
                        edge.later_total += value;
                        if edge.later == MAX_LATER {
                            edge.later /= 2;
                            edge.later_total /= 2.0;
                        }
                    }
                }
            }
            if let Some(edge) = self.edges.get_mut(taken as usize) {
                edge.visits += 1;
                edge.total += f64::from(value);
            }
            if certain {
                let proven = self.proof(id);
                certain = proven.is_some();
                if let Some(node) = self.nodes.get_mut(id as usize) {
                    node.proven = proven;
                }
            }
        }
    }

    fn stamp(&mut self, at: usize) {
        if let Some((seat, key)) = self.noted.get(at) {
            let sign = sign(*seat, *key);
            self.stamps[place(sign)] = (self.rounds, sign);
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
            let mut outcomes = self.edges_of(node).iter().map(|edge| self.certain(edge));
            let first = outcomes.next()??;
            return outcomes.all(|outcome| outcome == Some(first)).then_some(*first);
        }
        let seat = usize::from(node.seat);
        let mut best: Option<&Values> = None;
        let mut all = true;
        for edge in self.edges_of(node) {
            match self.certain(edge) {
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
            root = self.edges_of(node).get(*index)?.node;
            if root == NONE {
                return None;
            }
        }
        if self.node(root).first == NONE {
            return None;
        }
        let mut tree = Self {
            nodes: Vec::new(),
            edges: Vec::new(),
            ends: Ends::default(),
            known: HashMap::new(),
            path: Vec::new(),
            barred: Vec::new(),
            ..self
        };
        let (nodes, edges, ends) = (&self.nodes, &self.edges, &self.ends);
        // Copies what can still be reached; the numbers are new ones.
        let mut renamed: HashMap<u32, u32> = HashMap::from([(root, 0)]);
        let mut order = vec![root];
        let mut next = 0;
        while let Some(old) = order.get(next).copied() {
            next += 1;
            let Some(node) = nodes.get(old as usize) else { break };
            let mut copy = node.clone();
            copy.proven = node.proven.and_then(|proven| ends.get(proven)).map(|values| tree.ends.number(*values));
            if node.first != NONE {
                copy.first = tree.edges.len() as u32;
                let first = node.first as usize;
                for edge in edges.get(first..first + node.count as usize).unwrap_or_default() {
                    let mut edge = *edge;
                    if edge.node != NONE {
                        edge.node = *renamed.entry(edge.node).or_insert_with(|| {
                            order.push(edge.node);
                            order.len() as u32 - 1
                        });
                    }
                    tree.edges.push(edge);
                }
            }
            tree.nodes.push(copy);
        }
        Some(tree)
    }
}

/// A ply of a seat.
fn sign(seat: u8, key: u64) -> u64 {
    key ^ u64::from(seat).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

fn place(sign: u64) -> usize {
    (sign >> 20) as usize % NOTED
}
