//! What a program knows by numbers: planes of pieces, places in memory, places in a turn.

use super::narrow::narrow;
use super::{EndOfTurn, MemoryInfo, Stacks, Unsupported};
use crate::rules::{self, Content, KindId, MemoryId, NodeKind, PlayerId, Rules, Type};
use crate::source::Span;
use petgraph::graph::NodeIndex;
use std::collections::HashMap;

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
            return Err(Unsupported { what: "more kinds of pieces than fit a word", span });
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
    pub fn of(rules: &Rules, positions: usize, planes: usize, span: Span) -> Result<Self, Unsupported> {
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
            });
        }
        let stacks = stacks(rules, cells, positions, planes, span)?;
        if let Some(Stacks { base, count, .. }) = stacks {
            places.push(MemoryInfo { sites: false, base, count, counted: true, each_turn: false });
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

/// Where stacks are kept, if a number can hold as many pieces as may lie beneath another.
fn stacks(
    rules: &Rules,
    base: usize,
    positions: usize,
    planes: usize,
    span: Span,
) -> Result<Option<Stacks>, Unsupported> {
    let Some(height) = rules.stacks else { return Ok(None) };
    let bits = usize::try_from(planes.saturating_sub(1).max(1).ilog2() + 1).unwrap_or(BITS);
    let most = height.saturating_sub(1);
    if most > BITS / bits {
        return Err(Unsupported { what: "stacks too high for so many kinds of pieces", span });
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
        let stands_in_turns = |node: &NodeIndex| match rules.graph[*node].kind {
            NodeKind::Turn
            | NodeKind::Fork
            | NodeKind::Prefer
            | NodeKind::Guard { .. }
            | NodeKind::Call(_)
            | NodeKind::End => true,
            NodeKind::Move(_)
            | NodeKind::Choose { .. }
            | NodeKind::Let { .. }
            | NodeKind::Require { .. }
            | NodeKind::Weigh(_)
            | NodeKind::Change(_)
            | NodeKind::Repeat { .. }
            | NodeKind::Done => false,
        };
        let all: Vec<NodeIndex> = rules.graph.node_indices().filter(stands_in_turns).collect();
        let (mut nodes, mut number) = (Vec::new(), HashMap::new());
        let mut number_of: HashMap<usize, u16> = HashMap::new();
        for (node, class) in all.iter().zip(classes(rules, &all)) {
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

/// The classes of nodes from which a turn goes on alike, by refinement (E. F. Moore, 1956): nodes that say the same and lead
/// to nodes of the same classes. Those of different turns stay apart.
fn classes(rules: &Rules, nodes: &[NodeIndex]) -> Vec<usize> {
    let place: HashMap<NodeIndex, usize> = nodes.iter().copied().zip(0..).collect();
    let ways: Vec<Vec<(rules::Edge, usize)>> = nodes
        .iter()
        .map(|node| {
            let ways = rules.ways(*node).into_iter();
            ways.filter_map(|(edge, next)| Some((edge, *place.get(&next)?))).collect()
        })
        .collect();
    let turns: Vec<Vec<bool>> =
        rules.turns.iter().map(|turn| reached(&ways, place.get(&turn.entry).copied())).collect();
    let is_alike = |a: usize, b: usize| {
        let kinds = (&rules.graph[nodes[a]].kind, &rules.graph[nodes[b]].kind);
        turns.iter().all(|reached| reached[a] == reached[b]) && say_the_same(kinds.0, kinds.1)
    };
    let first = |at: usize| (0..at).find(|other| is_alike(*other, at)).unwrap_or(at);
    let mut class: Vec<usize> = (0..nodes.len()).map(first).collect();
    let mut count = 0;
    loop {
        let mut number_of = HashMap::new();
        let refined: Vec<usize> = ways
            .iter()
            .zip(&class)
            .map(|(ways, own)| {
                let on: Vec<(rules::Edge, usize)> = ways.iter().map(|(edge, next)| (*edge, class[*next])).collect();
                let next = number_of.len();
                *number_of.entry((*own, on)).or_insert(next)
            })
            .collect();
        let classes = number_of.len();
        if classes == count {
            return refined;
        }
        (class, count) = (refined, classes);
    }
}

/// Which nodes can be reached from one.
fn reached(ways: &[Vec<(rules::Edge, usize)>], from: Option<usize>) -> Vec<bool> {
    let (mut reached, mut waiting) = (vec![false; ways.len()], Vec::from_iter(from));
    while let Some(at) = waiting.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            waiting.extend(ways[at].iter().map(|(_, next)| *next));
        }
    }
    reached
}

/// Whether two nodes of turns say the same, wherever they lead.
fn say_the_same(a: &NodeKind, b: &NodeKind) -> bool {
    match a {
        NodeKind::Guard { condition, holds } => {
            matches!(b, NodeKind::Guard { condition: other, holds: held } if holds == held && condition == other)
        }
        NodeKind::Call(call) => matches!(b, NodeKind::Call(other) if call == other),
        NodeKind::Turn | NodeKind::Fork | NodeKind::Prefer | NodeKind::End => {
            std::mem::discriminant(a) == std::mem::discriminant(b)
        }
        // These stand in moves.
        NodeKind::Move(_)
        | NodeKind::Choose { .. }
        | NodeKind::Let { .. }
        | NodeKind::Require { .. }
        | NodeKind::Weigh(_)
        | NodeKind::Change(_)
        | NodeKind::Repeat { .. }
        | NodeKind::Done => false,
    }
}
