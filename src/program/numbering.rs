//! What a program knows by numbers: planes of pieces, places in memory, places in a turn.

use super::narrow::narrow;
use super::{EndOfTurn, MemoryInfo, Stacks, Unsupported};
use crate::rules::{
    self, Call, Content, Edge, Expr, KindId, MemoryId, NodeKind, PlayerId, Rules, Stacking, Type, Value,
};
use crate::source::Span;
use petgraph::graph::NodeIndex;
use petgraph::visit::{Dfs, IntoNodeReferences, Walker};
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

/// The planes of all pieces, the empty sites first.
pub(super) struct Planes {
    pub contents: Vec<Content>,
    /// For every kind the planes of its pieces by owner, the last without one; 0 where there is none.
    pub of: Vec<Vec<u8>>,
}

impl Planes {
    pub fn of(rules: &Rules, span: Span) -> Result<Self, Unsupported> {
        let mut contents = vec![Content::EMPTY];
        let players = rules.players.len();
        let mut of = Vec::new();
        for (kind, info) in (0..).map(KindId).zip(&rules.kinds) {
            let mut row = vec![0u8; players + 1];
            let owners = (0..).map(PlayerId).take(players).map(Some).chain([None]);
            for (plane, owner) in row.iter_mut().zip(owners).filter(|(_, owner)| owner.is_none() == info.neutral) {
                *plane = narrow(contents.len(), "more kinds of pieces than fit a word", span)?;
                contents.push(Content::piece(kind, owner));
            }
            of.push(row);
        }
        if contents.len() > 64 {
            return Err(Unsupported { what: "more kinds of pieces than fit a word".into(), span });
        }
        Ok(Self { contents, of })
    }

    /// The bits of all planes.
    pub fn all(&self) -> u64 {
        match self.contents.len() {
            count @ 0..64 => (1 << count) - 1,
            _ => u64::MAX,
        }
    }
}

/// Where every memory is kept.
pub(super) struct Memories {
    pub places: Vec<MemoryInfo>,
    /// Where stacks are kept, behind all that the rules remember.
    pub stacks: Option<Stacks>,
    pub cells: usize,
    pub sets: usize,
}

impl Memories {
    /// Entries for sites stand at the positions of the sites, of which there are so many.
    pub fn of(rules: &Rules, positions: usize, planes: usize) -> Result<Self, Unsupported> {
        let (mut cells, mut sets) = (0, 0);
        let mut places = Vec::new();
        for memory in &rules.memories {
            let many = |number| narrow(number, "more tracked values than can be numbered", memory.span);
            let count = memory.scope.entries(rules, positions);
            let sites = memory.ty == Type::Sites;
            let next = if sites { &mut sets } else { &mut cells };
            let base = many(*next)?;
            *next += count;
            // The end of the last one must have a number too.
            let _: u16 = many(*next)?;
            places.push(MemoryInfo {
                sites,
                base,
                count: many(count)?,
                counted: memory.declared && !memory.each_turn,
                each_turn: memory.each_turn,
                range: memory.range.filter(|(low, high)| begins_within(memory, *low..=*high)),
            });
        }
        let stacks = stacks(rules, cells, positions, planes)?;
        if let Some(Stacks { base, count, .. }) = stacks {
            places.push(MemoryInfo { sites: false, base, count, counted: true, each_turn: false, range: None });
            cells += positions;
        }
        Ok(Self { places, stacks, cells, sets })
    }

    pub fn place(&self, memory: MemoryId) -> Option<MemoryInfo> {
        self.places.get(memory.0).copied()
    }

    /// What the end of a turn does to them.
    pub fn end_of_turn(&self, rules: &Rules) -> Vec<EndOfTurn> {
        let mut all = Vec::new();
        for chronicle in &rules.chronicles {
            match chronicle {
                rules::Chronicle::Without { seen, count, .. } => {
                    if let (Some(seen), Some(count)) = (self.place(*seen), self.place(*count)) {
                        all.push(EndOfTurn::Without { seen: seen.base, count: count.base });
                    }
                }
                rules::Chronicle::Carry { .. }
                | rules::Chronicle::Happened { .. }
                | rules::Chronicle::Part { .. }
                | rules::Chronicle::LastTo { .. }
                | rules::Chronicle::It { .. } => {}
            }
        }
        all
    }
}

/// The bits of a number that is not negative.
const BITS: usize = 63;

/// Whether a number is one of a range at first. It stays one of it then, since no move can leave it.
fn begins_within(memory: &rules::Memory, range: RangeInclusive<i64>) -> bool {
    matches!(memory.first.as_constant(), Some(Value::Number(Some(first))) if range.contains(first))
}

/// Where stacks are kept, if a number can hold as many pieces as may lie beneath another.
fn stacks(rules: &Rules, base: usize, positions: usize, planes: usize) -> Result<Option<Stacks>, Unsupported> {
    let Some(Stacking { most: height, span }) = rules.stacks else { return Ok(None) };
    let bits = usize::try_from(planes.saturating_sub(1).max(1).ilog2() + 1).unwrap_or(BITS);
    let most = height.saturating_sub(1);
    if most > BITS / bits {
        let highest = BITS / bits + 1;
        let what = format!(
            "stacks of more than {highest}, with so many sorts of pieces; instead: write `stacks to {highest}`"
        );
        return Err(Unsupported { what: what.into(), span });
    }
    let many = |number| narrow(number, "more stacks than can be numbered", span);
    // The end of the last one must have a number too.
    let _: u16 = many(base + positions)?;
    Ok(Some(Stacks { base: many(base)?, count: many(positions)?, bits: many(bits)?, most: many(most)? }))
}

/// The nodes of turns and patterns, without the lines of moves. Those from which a turn goes on alike have one number: a
/// pattern that is named twice is one.
pub(super) struct Places {
    /// The first node of each number.
    pub nodes: Vec<NodeIndex>,
    pub number: HashMap<NodeIndex, u16>,
}

impl Places {
    pub fn of(rules: &Rules, span: Span) -> Result<Self, Unsupported> {
        let all: Vec<(NodeIndex, Said<'_>)> =
            rules.graph.node_references().filter_map(|(node, weight)| Some((node, said(&weight.kind)?))).collect();
        let (mut nodes, mut number) = (Vec::new(), HashMap::new());
        let mut number_of: HashMap<usize, u16> = HashMap::new();
        for ((node, _), class) in all.iter().zip(classes(rules, &all)) {
            let next: u16 = narrow(nodes.len(), "more places in turns than can be numbered", span)?;
            let own = *number_of.entry(class).or_insert(next);
            if own == next {
                nodes.push(*node);
            }
            number.insert(*node, own);
        }
        Ok(Self { nodes, number })
    }

    /// The numbers of those of some nodes that stand in turns, each once: `put or put` is one way.
    pub fn numbers(&self, nodes: impl IntoIterator<Item = NodeIndex>) -> Vec<u16> {
        let mut numbers = Vec::new();
        for number in nodes.into_iter().filter_map(|node| self.number.get(&node).copied()) {
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        numbers
    }
}

/// What a node of a turn says, wherever it leads.
#[derive(PartialEq)]
enum Said<'r> {
    Turn,
    Fork,
    Prefer,
    Guard(&'r Expr, bool),
    Call(&'r Call),
    End,
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
