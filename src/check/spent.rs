//! Plies of which there can only be so many: what they use up does not come back.
//!
//! Such a ply puts a piece on an empty site where no ply takes one off, takes one off where no ply adds any, moves a tracked
//! number on that no ply moves back, makes a board or a position that was never there, or leaves a phase for good. What
//! other plies do that can only be played so often themselves does not count: when they have all been played the rest
//! goes on without them. So the plies are found in rounds, each among those that are left.

use super::balance::Effect;
use super::length::{Length, changes_of};
use crate::rules::*;
use petgraph::graph::NodeIndex;
use std::collections::BTreeSet;

/// Plies that go on without the others, and what is done beside them.
struct Rest<'l> {
    calls: &'l [NodeIndex],
    /// Where the lines begin that are done after each turn.
    after: Option<NodeIndex>,
    /// Values that begin afresh with each turn are not lost among them.
    in_turn: bool,
}

impl<'r> Length<'r> {
    /// Of the plies that a turn may repeat, those of which it can hold only so many.
    pub(super) fn spent_in_turn(&self, repeated: &[NodeIndex]) -> BTreeSet<NodeIndex> {
        let surely =
            |call: &NodeIndex| self.takes_sites_in_turn(*call) || self.counts_up(*call) || self.happens_once(*call);
        let mut spent: BTreeSet<NodeIndex> = repeated.iter().copied().filter(surely).collect();
        self.spend(repeated, &mut spent, |calls| Rest { calls, after: None, in_turn: true });
        spent
    }

    /// Of all plies, those of which a game can hold only so many, if its turns come to an end.
    pub(super) fn spent_in_game(&self, all: &[NodeIndex]) -> BTreeSet<NodeIndex> {
        let surely = |call: &NodeIndex| {
            self.happens_once(*call)
                || self.makes_new_board(*call)
                || self.mv(*call).is_some_and(|mv| self.ends_the_game(mv))
        };
        let numbered = self.rules.turns.iter().filter(|turn| matches!(turn.of, TurnOf::Numbers(..)));
        let mut spent: BTreeSet<NodeIndex> = numbered.flat_map(|turn| self.calls(turn.entry)).collect();
        spent.extend(all.iter().copied().filter(surely));
        let after = self.rules.after_turn.and_then(|mv| self.rules.moves.get(mv.0)).map(|mv| mv.entry);
        self.spend(all, &mut spent, |calls| Rest { calls, after, in_turn: false });
        spent
    }

    /// Goes on until no more is found to be used up.
    fn spend<'l>(
        &self,
        all: &[NodeIndex],
        spent: &mut BTreeSet<NodeIndex>,
        rest: impl for<'a> Fn(&'a [NodeIndex]) -> Rest<'a>,
    ) {
        loop {
            let left: Vec<NodeIndex> = all.iter().copied().filter(|call| !spent.contains(call)).collect();
            let rest = rest(&left);
            let effect = self.effect_of(&rest);
            let uses_up = |call: &NodeIndex| {
                let own = self.effect(*call);
                effect.keeps && own.fills
                    || effect.clears && own.takes
                    || self.moves_on(*call, &rest)
                    || !rest.in_turn && !self.ends_without(*call, &|other| spent.contains(&other))
            };
            let more: Vec<NodeIndex> = left.iter().copied().filter(uses_up).collect();
            if more.is_empty() {
                return;
            }
            spent.extend(more);
        }
    }

    /// What all of them have in common.
    fn effect_of(&self, rest: &Rest<'_>) -> Effect {
        let effects = rest.calls.iter().map(|call| self.effect(*call));
        effects.chain(rest.after.map(|after| self.effect_from(after))).fold(Effect::NOTHING, |all, own| Effect {
            keeps: all.keeps && own.keeps,
            clears: all.clears && own.clears,
            ..all
        })
    }

    /// The ply moves on a number that has an end, and that nothing moves back.
    fn moves_on(&self, call: NodeIndex, rest: &Rest<'_>) -> bool {
        let lines = |call: &NodeIndex| self.body(*call);
        let after = rest.after.map(|after| self.after(after)).unwrap_or_default();
        let nodes: Vec<NodeIndex> = rest.calls.iter().flat_map(lines).chain(after).collect();
        let all = || nodes.iter().flat_map(|node| changes_of(self.kind(*node)));
        let only = |memory: MemoryId, up: bool| {
            all().all(|change| {
                !matches!(change.kind, ChangeKind::Remember { memory: other, .. } if other == memory)
                    || step(change) == Some((memory, up))
            })
        };
        let has_an_end = |memory: MemoryId| {
            let known = self.rules.memories.get(memory.0);
            known.is_some_and(|memory| {
                memory.range.is_some() && !memory.with_piece && (rest.in_turn || !memory.each_turn)
            })
        };
        self.body(call).into_iter().any(|node| {
            let Some(NodeKind::Change(changes)) = self.kind(node) else { return false };
            let surely = changes.iter().filter(|change| change.guard.is_none() && change.each.is_none());
            surely.filter_map(step).any(|(memory, up)| has_an_end(memory) && only(memory, up))
        })
    }
}

/// The number that a change moves on by a number that is known, and whether it grows.
fn step(change: &Change) -> Option<(MemoryId, bool)> {
    let ChangeKind::Remember { memory, index, value } = &change.kind else { return None };
    let ExprKind::Arithmetic(op, left, right) = &value.kind else { return None };
    let of_itself = matches!(&left.kind, ExprKind::Memory { memory: own, index: at }
        if own == memory && at.as_deref() == index.as_ref());
    let Some(Value::Number(Some(by))) = right.as_constant() else { return None };
    let grows = match op {
        ArithmeticOp::Add => *by > 0,
        ArithmeticOp::Subtract => *by < 0,
        ArithmeticOp::Multiply | ArithmeticOp::Divide | ArithmeticOp::Modulo => return None,
    };
    (of_itself && *by != 0).then_some((*memory, grows))
}
