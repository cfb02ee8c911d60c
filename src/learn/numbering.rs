//! All that the board allows: every move with every choice of parts, for whoever may be to move.

use super::reach::{Known, Names, Reach, know};
use crate::engine::observe::{MISSING, number_of};
use crate::rules::settled::Settled;
use crate::rules::{Edge, Expr, Move, MoveId, NodeKind, PlayerId, Rules, Type, Value};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};

/// Where more is allowed, a ply is chosen part by part.
pub(super) const MAX_ACTIONS: usize = 20_000;

/// More choices than this are not gone through, whether they lead to anything or not.
const MAX_LOOKS: usize = 2_000_000;

/// Steps that conditions may take for one player.
const MAX_STEPS: u64 = 200_000_000;

/// The values that a part can have, as numbers, ascending; the one that it is left out comes first.
pub(super) type Values = BTreeSet<i64>;

/// The moves that turns call, in the order in which turns come to them.
pub(super) fn called(rules: &Rules) -> Vec<MoveId> {
    let mut found: Vec<MoveId> = Vec::new();
    let mut seen: BTreeSet<NodeIndex> = BTreeSet::new();
    for turn in &rules.turns {
        let mut open = vec![turn.entry];
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            if let Some(NodeKind::Call(call)) = rules.graph.node_weight(node).map(|node| &node.kind)
                && !found.contains(&call.mv)
            {
                found.push(call.mv);
            }
            let kind = rules.graph.node_weight(node).map(|node| &node.kind);
            // A way that options have closed leads nowhere.
            if let Some(NodeKind::Guard { condition, holds }) = kind
                && condition.as_decided().is_some_and(|decided| decided != *holds)
            {
                continue;
            }
            let ways = rules.ways(node).into_iter().filter(|(edge, _)| *edge != Edge::Plays);
            open.extend(ways.map(|(_, next)| next).rev());
        }
    }
    found
}

/// The choices of parts of one move, each once, in the order of their numbers; none where there are too many to tell.
pub(super) fn choices(rules: &Rules, mv: MoveId) -> Option<Vec<Vec<i64>>> {
    let mut walk = Walk { found: BTreeSet::new(), looks: 0 };
    for reach in movers(rules) {
        walk.lines(&reach, mv, 0, &mut Names::new(), &mut Vec::new())?;
    }
    Some(walk.found.into_iter().collect())
}

/// The values that each part of a move can have, each by itself.
pub(super) fn values(rules: &Rules, mv: MoveId) -> Vec<(Type, Values)> {
    let parts = rules.moves.get(mv.0).into_iter().flat_map(Move::parts);
    let mut all: BTreeMap<usize, (Type, Values)> = parts.map(|part| (part.local.0, (part.ty, Values::new()))).collect();
    for reach in movers(rules) {
        let mut names = Names::new();
        let Some(of) = rules.moves.get(mv.0) else { continue };
        for line in &of.lines {
            let Some(NodeKind::Choose { local, domain, guard, .. }) =
                rules.graph.node_weight(*line).map(|node| &node.kind)
            else {
                continue;
            };
            let Some(named) = of.names.iter().find(|named| named.local == *local) else { continue };
            let mut nowhere = Values::new();
            let known = all.get_mut(&local.0).map_or(&mut nowhere, |(_, known)| known);
            if guard.is_some() {
                known.insert(MISSING);
            }
            let every = reach.among(domain, &names).or_else(|| reach.every(named.ty));
            if let Some(every) = every {
                known.extend(every.members().iter().map(number_of));
                know(&mut names, *local, if every.type_of().is_set() { Known::Among(every) } else { Known::Nothing });
            }
        }
    }
    // Parts stand in the order of the text, and so do their locals.
    let order = rules.moves.get(mv.0).into_iter().flat_map(Move::parts);
    order.filter_map(|part| all.remove(&part.local.0)).collect()
}

fn movers(rules: &Rules) -> impl Iterator<Item = Reach<'_>> {
    let players = (0..).take(rules.players.len()).map(PlayerId);
    players.map(|mover| Reach { rules, settled: Settled::by_players(rules, mover, MAX_STEPS) })
}

/// The choices gone through for one move.
struct Walk {
    found: BTreeSet<Vec<i64>>,
    looks: usize,
}

impl Walk {
    fn lines(
        &mut self,
        reach: &Reach<'_>,
        mv: MoveId,
        at: usize,
        names: &mut Names,
        parts: &mut Vec<(usize, i64)>,
    ) -> Option<()> {
        self.looks += 1;
        if self.looks > MAX_LOOKS || self.found.len() > MAX_ACTIONS {
            return None;
        }
        let rules = reach.rules;
        let node = rules.moves.get(mv.0)?.lines.get(at).and_then(|line| rules.graph.node_weight(*line));
        let Some(node) = node else {
            self.found.insert(in_order(rules, mv, parts));
            return Some(());
        };
        match &node.kind {
            NodeKind::Choose { local, domain, conditions, guard } => {
                if !guard.as_ref().is_some_and(|guard| is_true(reach, guard, names)) && guard.is_some() {
                    let mut without = names.clone();
                    know(&mut without, *local, Known::Nothing);
                    parts.push((local.0, MISSING));
                    self.lines(reach, mv, at + 1, &mut without, parts)?;
                    parts.pop();
                }
                if guard.as_ref().is_some_and(|guard| reach.fails(guard, names)) {
                    return Some(());
                }
                let ty = rules.moves.get(mv.0)?.names.iter().find(|name| name.local == *local)?.ty;
                for member in reach.among(domain, names).or_else(|| reach.every(ty))?.members() {
                    let number = number_of(&member);
                    let mut with = names.clone();
                    know(&mut with, *local, Known::Exactly(member));
                    if conditions.iter().any(|condition| reach.fails(condition, &with)) {
                        self.looks += 1;
                        continue;
                    }
                    parts.push((local.0, number));
                    self.lines(reach, mv, at + 1, &mut with, parts)?;
                    parts.pop();
                }
                return Some(());
            }
            NodeKind::Let { local, value, guard } => {
                let known = if guard.is_some() { None } else { reach.exactly(value, names) };
                let among = || if guard.is_some() { None } else { reach.among(value, names) };
                let known = known.map(Known::Exactly).or_else(|| among().map(Known::Among)).unwrap_or(Known::Nothing);
                know(names, *local, known);
            }
            NodeKind::Require { condition, .. } => {
                if reach.fails(condition, names) {
                    return Some(());
                }
            }
            NodeKind::Weigh(_)
            | NodeKind::Change(_)
            | NodeKind::Repeat { .. }
            | NodeKind::Turn
            | NodeKind::Fork
            | NodeKind::Prefer
            | NodeKind::Guard { .. }
            | NodeKind::Call(_)
            | NodeKind::End
            | NodeKind::Move(_)
            | NodeKind::Done => {}
        }
        self.lines(reach, mv, at + 1, names, parts)
    }
}

fn is_true(reach: &Reach<'_>, condition: &Expr, names: &Names) -> bool {
    reach.exactly(condition, names).as_ref().is_some_and(Value::is_true)
}

/// The parts in the order of the text.
fn in_order(rules: &Rules, mv: MoveId, parts: &[(usize, i64)]) -> Vec<i64> {
    let names = rules.moves.get(mv.0).into_iter().flat_map(Move::parts);
    let value = |local: usize| parts.iter().find(|(known, _)| *known == local).map_or(MISSING, |(_, value)| *value);
    names.map(|name| value(name.local.0)).collect()
}
