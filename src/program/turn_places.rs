//! The places at which a turn can stand, by numbers: those from which it goes on alike are one, and ways that begin with the
//! same move are one way that goes on in several.

use super::Unsupported;
use super::narrow::narrow;
use crate::rules::{self, Call, Edge, Expr, NodeKind, Rules};
use crate::source::Span;
use petgraph::graph::NodeIndex;
use petgraph::visit::{Dfs, IntoNodeReferences, Walker};
use std::collections::{HashMap, HashSet};

/// Of turns whose ways become more places than so many, ways that begin alike stay apart.
const MOST_JOINED: usize = 512;

/// Where more conditions decide which ways are open, these stay apart: each may double them.
const MOST_CONDITIONS: usize = 4;

/// The places of all turns and patterns, without the lines of moves.
pub(super) struct Places<'r> {
    pub all: Vec<Place<'r>>,
    pub number: HashMap<NodeIndex, u16>,
}

/// A place, or what stands between it and the moves that can be made there.
#[derive(Clone)]
pub(super) struct Place<'r> {
    /// A node that says this.
    pub node: NodeIndex,
    pub says: Said<'r>,
    pub next: Vec<u16>,
    /// Where the turn goes on after a ply that leaves a loop.
    pub until: Vec<u16>,
}

/// What a node of a turn says, wherever it leads.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Said<'r> {
    Turn,
    Fork,
    Prefer,
    Guard(&'r Expr, bool),
    Call(&'r Call),
    End,
}

impl<'r> Places<'r> {
    pub fn of(rules: &'r Rules, span: Span) -> Result<Self, Unsupported> {
        let nodes: Vec<(NodeIndex, Said<'_>)> =
            rules.graph.node_references().filter_map(|(node, weight)| Some((node, said(&weight.kind)?))).collect();
        let (mut firsts, mut number) = (Vec::new(), HashMap::new());
        let mut number_of: HashMap<usize, u16> = HashMap::new();
        for (node, class) in nodes.iter().zip(classes(rules, &nodes)) {
            let next: u16 = narrow(firsts.len(), "more places in turns than can be numbered", span)?;
            let own = *number_of.entry(class).or_insert(next);
            if own == next {
                firsts.push(*node);
            }
            number.insert(node.0, own);
        }
        let place = |(node, says): (NodeIndex, Said<'r>)| {
            let ways = rules.ways(node);
            let (until, next): (Vec<_>, Vec<_>) = ways.into_iter().partition(|(edge, _)| *edge == Edge::Until);
            // Each once: `put or put` is one way.
            let numbers = |ways: Vec<(Edge, NodeIndex)>| {
                let mut numbers = Vec::new();
                add_new(&mut numbers, ways.iter().filter_map(|(_, next)| number.get(next).copied()));
                numbers
            };
            Place { node, says, next: numbers(next), until: numbers(until) }
        };
        let mut places = Self { all: firsts.into_iter().map(place).collect(), number };
        places.join(span)?;
        Ok(places)
    }

    pub fn get(&self, place: u16) -> Option<&Place<'r>> {
        self.all.get(usize::from(place))
    }

    /// Makes ways that begin with the same move one, everywhere that a turn can stand, as the states of an automaton that
    /// could be in several are made one (Rabin and Scott, 1959).
    fn join(&mut self, span: Span) -> Result<(), Unsupported> {
        let apart = self.all.clone();
        let entry = |place: &Place<'_>| place.says == Said::Turn;
        let entries: Vec<u16> = (0u16..).zip(&apart).filter(|(_, place)| entry(place)).map(|(at, _)| at).collect();
        let mut open = entries.clone();
        let mut joined = Joined { places: std::mem::take(&mut self.all), stood: HashMap::new(), span };
        let mut done = HashSet::new();
        while let Some(place) = open.pop() {
            joined.stand(&[place])?;
            for call in joined.calls(place) {
                if !done.insert(call) {
                    continue;
                }
                let Some(Place { next, until, .. }) = joined.get(call).cloned() else { continue };
                let [next, until] = [next, until].map(|ways| match ways.as_slice() {
                    [] => Ok(Vec::new()),
                    ways => Ok(vec![joined.stand(ways)?]),
                });
                let (next, until) = (next?, until?);
                open.extend(next.iter().chain(&until));
                if let Some(place) = joined.places.get_mut(usize::from(call)) {
                    (place.next, place.until) = (next, until);
                }
            }
            if joined.places.len() > apart.len() + MOST_JOINED {
                joined.places.clone_from(&apart);
                break;
            }
        }
        let before = reached(&apart, &entries);
        let now = reached(&joined.places, &entries);
        self.all = joined.places;
        self.keep(|place| now.contains(&place) || !before.contains(&place));
        Ok(())
    }

    /// Leaves out other places, and numbers those that are left anew.
    fn keep(&mut self, is_kept: impl Fn(u16) -> bool) {
        let kept: Vec<u16> = (0u16..).take(self.all.len()).filter(|place| is_kept(*place)).collect();
        let number_of: HashMap<u16, u16> = kept.iter().copied().zip(0..).collect();
        let numbers = |ways: &[u16]| ways.iter().filter_map(|way| number_of.get(way).copied()).collect();
        let places = kept.iter().filter_map(|place| self.get(*place));
        let places = places.map(|place| Place { next: numbers(&place.next), until: numbers(&place.until), ..*place });
        self.all = places.collect();
        self.number = self.number.iter().filter_map(|(node, at)| Some((*node, *number_of.get(at)?))).collect();
    }
}

/// The places to which some lead.
fn reached(places: &[Place<'_>], from: &[u16]) -> Vec<u16> {
    let (mut reached, mut at) = (from.to_vec(), 0);
    while let Some(place) = reached.get(at).copied() {
        at += 1;
        let ways = places.get(usize::from(place)).into_iter().flat_map(|place| place.next.iter().chain(&place.until));
        add_new(&mut reached, ways.copied());
    }
    reached
}

/// A way from a place to a move, or to the end: the conditions on it, and where it leads.
#[derive(Clone, PartialEq)]
struct Way<'r> {
    guards: Vec<(&'r Expr, bool)>,
    to: u16,
}

/// Places while ways are made one.
struct Joined<'r> {
    places: Vec<Place<'r>>,
    /// The one place for several at which a turn may stand.
    stood: HashMap<Vec<u16>, u16>,
    span: Span,
}

impl<'r> Joined<'r> {
    fn get(&self, place: u16) -> Option<&Place<'r>> {
        self.places.get(usize::from(place))
    }

    fn says(&self, place: u16) -> Said<'r> {
        self.get(place).map_or(Said::End, |place| place.says)
    }

    /// The place of a kind that leads somewhere.
    fn place(&mut self, place: Place<'r>) -> Result<u16, Unsupported> {
        let same =
            |known: &Place<'r>| known.says == place.says && known.next == place.next && known.until == place.until;
        let at = self.places.iter().position(same).unwrap_or(self.places.len());
        if at == self.places.len() {
            self.places.push(place);
        }
        narrow(at, "more places in turns than can be numbered", self.span)
    }

    /// The one place for all at which a turn may stand; ways from it that begin with the same move are one.
    fn stand(&mut self, places: &[u16]) -> Result<u16, Unsupported> {
        let mut key = places.to_vec();
        key.sort_unstable();
        if let Some(known) = self.stood.get(&key) {
            return Ok(*known);
        }
        let mut ways = Vec::new();
        for place in places {
            self.ways(*place, &mut Vec::new(), &mut Vec::new(), &mut ways);
        }
        let mut conditions: Vec<&Expr> = Vec::new();
        for (condition, _) in ways.iter().flat_map(|way| &way.guards) {
            if !conditions.contains(condition) {
                conditions.push(condition);
            }
        }
        let begins_alike = |(at, way): (usize, &Way<'r>)| ways.iter().take(at).any(|other| self.are_alike(way, other));
        let may_join = conditions.len() <= MOST_CONDITIONS;
        let joins = may_join && (places.len() > 1 || ways.iter().enumerate().any(begins_alike));
        let at = match places {
            [place] if !joins => *place,
            [first, ..] => {
                let next = if joins { self.joined(&ways)? } else { places.to_vec() };
                let node = self.get(*first).map_or_else(NodeIndex::end, |place| place.node);
                let fork = Place { node, says: Said::Fork, next, until: Vec::new() };
                match (places, self.places.get_mut(usize::from(*first))) {
                    // Whoever leads there means the same; it may have been so all along.
                    ([_], Some(place)) => {
                        if fork.next != [*first] {
                            *place = fork;
                        }
                        *first
                    }
                    _ => self.place(fork)?,
                }
            }
            [] => 0,
        };
        self.stood.insert(vec![at], at);
        self.stood.insert(key, at);
        Ok(at)
    }

    /// Whether two ways lead to the same move, by different places or under different conditions.
    fn are_alike(&self, one: &Way<'r>, other: &Way<'r>) -> bool {
        one != other && self.is_call(one.to) && self.says(one.to) == self.says(other.to)
    }

    fn is_call(&self, place: u16) -> bool {
        matches!(self.says(place), Said::Call(_))
    }

    /// The ways from a place, in the order of the text.
    fn ways(&self, place: u16, path: &mut Vec<u16>, guards: &mut Vec<(&'r Expr, bool)>, ways: &mut Vec<Way<'r>>) {
        let Some(Place { says, next, .. }) = self.get(place) else { return };
        match says {
            // Turns may run in circles.
            Said::Turn | Said::Fork | Said::Guard(..) if path.contains(&place) => {}
            Said::Turn | Said::Fork => {
                path.push(place);
                next.iter().for_each(|next| self.ways(*next, path, guards, ways));
                path.pop();
            }
            Said::Guard(condition, holds) => {
                path.push(place);
                guards.push((condition, *holds));
                next.iter().for_each(|next| self.ways(*next, path, guards, ways));
                guards.pop();
                path.pop();
            }
            // Which way of a preference is taken is only known when all of its plies are.
            Said::Prefer | Said::Call(_) | Said::End => {
                let way = Way { guards: guards.clone(), to: place };
                if !ways.contains(&way) {
                    ways.push(way);
                }
            }
        }
    }

    /// Where some ways lead, those that begin alike by one place.
    fn joined(&mut self, ways: &[Way<'r>]) -> Result<Vec<u16>, Unsupported> {
        let mut next = Vec::new();
        for (at, way) in ways.iter().enumerate() {
            let is_alike = |other: &&Way<'r>| way == *other || self.are_alike(way, other);
            if ways.iter().take(at).any(|other| self.are_alike(way, other)) {
                continue;
            }
            let alike: Vec<Way<'r>> = ways.iter().filter(is_alike).cloned().collect();
            if let Some(place) = self.decided(&alike)? {
                add_new(&mut next, [place]);
            }
        }
        Ok(next)
    }

    /// The place for some ways that begin alike, behind the conditions that decide which of them are open.
    fn decided(&mut self, ways: &[Way<'r>]) -> Result<Option<u16>, Unsupported> {
        let Some(first) = ways.first() else { return Ok(None) };
        let Some((condition, _)) = ways.iter().find_map(|way| way.guards.first()).copied() else {
            return Ok(Some(self.together(first.to, ways)?));
        };
        let [yes, no] = [true, false].map(|holds| {
            let without = |way: &Way<'r>| {
                let closed = way.guards.contains(&(condition, !holds));
                let guards = way.guards.iter().filter(|guard| **guard != (condition, holds)).copied().collect();
                (!closed).then_some(Way { guards, to: way.to })
            };
            ways.iter().filter_map(without).collect::<Vec<_>>()
        });
        let (yes, no) = (self.decided(&yes)?, self.decided(&no)?);
        if yes == no {
            return Ok(yes);
        }
        let node = self.get(first.to).map_or_else(NodeIndex::end, |place| place.node);
        let mut open = Vec::new();
        for (holds, to) in [(true, yes), (false, no)] {
            if let Some(to) = to {
                let says = Said::Guard(condition, holds);
                open.push(self.place(Place { node, says, next: vec![to], until: Vec::new() })?);
            }
        }
        match open.as_slice() {
            [only] => Ok(Some(*only)),
            _ => Ok(Some(self.place(Place { node, says: Said::Fork, next: open, until: Vec::new() })?)),
        }
    }

    /// One call for several of the same move, which leads wherever one of them does.
    fn together(&mut self, first: u16, ways: &[Way<'r>]) -> Result<u16, Unsupported> {
        let Some(place) = self.get(first).filter(|_| ways.iter().any(|way| way.to != first)) else { return Ok(first) };
        let mut place = Place { next: Vec::new(), until: Vec::new(), ..place.clone() };
        for way in ways {
            let Some(own) = self.get(way.to) else { continue };
            add_new(&mut place.next, own.next.iter().copied());
            add_new(&mut place.until, own.until.iter().copied());
        }
        self.place(place)
    }

    /// The calls at a place.
    fn calls(&self, place: u16) -> Vec<u16> {
        let (mut reached, mut at) = (vec![place], 0);
        while let Some(place) = reached.get(at).copied() {
            at += 1;
            if !self.is_call(place) {
                add_new(&mut reached, self.get(place).into_iter().flat_map(|place| place.next.iter().copied()));
            }
        }
        reached.retain(|place| self.is_call(*place));
        reached
    }
}

fn add_new(numbers: &mut Vec<u16>, more: impl IntoIterator<Item = u16>) {
    for number in more {
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
}

/// What a node says if it stands in turns, and not in moves.
fn said(kind: &NodeKind) -> Option<Said<'_>> {
    Some(match kind {
        NodeKind::Turn => Said::Turn,
        NodeKind::Fork => Said::Fork,
        NodeKind::Prefer => Said::Prefer,
        NodeKind::Guard { condition, holds } => Said::Guard(condition, *holds),
        NodeKind::Call(call) => Said::Call(call),
        NodeKind::End => Said::End,
        NodeKind::Move(_)
        | NodeKind::Choose { .. }
        | NodeKind::Let { .. }
        | NodeKind::Require { .. }
        | NodeKind::Weigh(_)
        | NodeKind::Change(_)
        | NodeKind::Repeat { .. }
        | NodeKind::Done => return None,
    })
}

/// The classes of nodes from which a turn goes on alike, by refinement (E. F. Moore, 1956): nodes that say the same and lead
/// to nodes of the same classes. Those of different turns stay apart.
fn classes(rules: &Rules, nodes: &[(NodeIndex, Said<'_>)]) -> Vec<usize> {
    let place: HashMap<NodeIndex, usize> = nodes.iter().map(|(node, _)| *node).zip(0..).collect();
    let ways = |(node, _): &(NodeIndex, Said<'_>)| -> Vec<(Edge, usize)> {
        rules.ways(*node).into_iter().filter_map(|(edge, next)| Some((edge, *place.get(&next)?))).collect()
    };
    let ways: Vec<Vec<(Edge, usize)>> = nodes.iter().map(ways).collect();
    let reached =
        |turn: &rules::Turn| -> HashSet<NodeIndex> { Dfs::new(&rules.graph, turn.entry).iter(&rules.graph).collect() };
    let turns: Vec<HashSet<NodeIndex>> = rules.turns.iter().map(reached).collect();
    let is_alike = |(a, says): &(NodeIndex, Said<'_>), (b, too): &(NodeIndex, Said<'_>)| {
        says == too && turns.iter().all(|reached| reached.contains(a) == reached.contains(b))
    };
    let first = |node| nodes.iter().position(|other| is_alike(other, node)).unwrap_or_default();
    let mut class: Vec<usize> = nodes.iter().map(first).collect();
    let mut count = 0;
    loop {
        let mut number_of = HashMap::new();
        let mut refine = |(ways, own): (&Vec<(Edge, usize)>, &usize)| {
            let on: Vec<(Edge, usize)> = ways.iter().map(|(edge, next)| (*edge, class[*next])).collect();
            let next = number_of.len();
            *number_of.entry((*own, on)).or_insert(next)
        };
        let refined = ways.iter().zip(&class).map(&mut refine).collect();
        if number_of.len() == count {
            return refined;
        }
        (class, count) = (refined, number_of.len());
    }
}
