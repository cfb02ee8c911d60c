//! What a turn may come to: empty turns, silent ends, and turns that may be impossible to finish.

use super::Checker;
use super::balance::is_nothing;
use super::moves::mentions;
use crate::diagnostic::{Code, Diagnostic, listed};
use crate::rules::*;
use crate::syntax::ast::{self};
use petgraph::Direction as Way;
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;
use std::collections::BTreeSet;

/// Of a turn that may stand at more sets of places than this, each way is looked at by itself.
const MOST_STOOD: usize = 512;

impl Checker<'_> {
    /// Empty turns, silent ends, turns that may be impossible to finish.
    pub(super) fn check_flow(&mut self, turn: &Turn, item: &ast::TurnItem) {
        let first = self.reach(turn.entry);
        if first.end {
            self.report(
                Diagnostic::new(Code::EmptyTurn, item.pattern.span, "this turn can end before anything was played")
                    .help(match self.repeated_until(&item.pattern) {
                        Some(again) => format!(
                            "let it be played once first, and oblige the player to go on: `{again}, again {again} until ...`, with a line `must {again}` below; what stands behind `until` is read before the ply"
                        ),
                        None => "let the player say so: `or pass`".to_owned(),
                    }),
            );
            return;
        }
        let calls: Vec<NodeIndex> = self.calls_below(turn.entry);
        let by_chance = |call: &NodeIndex| {
            let NodeKind::Call(call) = &self.rules.graph[*call].kind else { return false };
            self.rules.moves.get(call.mv.0).is_some_and(|mv| mv.chance)
        };
        // What chance decides cannot be looked ahead over.
        let whole = if calls.iter().any(by_chance) {
            ""
        } else {
            "`whole turn { ... }` (a first part is legal only if the rest can follow), "
        };
        let mut unfinished = None;
        for call in calls {
            let exits: Vec<NodeIndex> = self
                .rules
                .graph
                .edges_directed(call, Way::Outgoing)
                .filter(|edge| *edge.weight() != Edge::Plays)
                .map(|edge| edge.target())
                .collect();
            for exit in exits {
                let after = self.reach(exit);
                let span = self.rules.graph[call].span;
                if after.end && !after.calls.is_empty() && !self.duty_decides(turn, &after.calls) {
                    self.report(
                        Diagnostic::new(Code::SilentEnd, span, "after this ply the turn could end, and it could go on")
                            .label("nothing says which")
                            .help(match self.repeated_until(&item.pattern) {
                                Some(again) => format!(
                                    "oblige the player to go on until then: write a line `must {again}` below the pattern; what stands behind `until` is read before the ply"
                                ),
                                None if after.calls.iter().any(by_chance) => "chance does not end a turn by itself: say when it goes on, `MOVE, MOVE when C`, or give it turns of its own, `turn in PHASE { MOVE; extra turn when C }`".to_owned(),
                                None => "let the player end it by a ply (`again MOVE, stop`; `MOVE or stop`), or oblige the player to go on with `must MOVE when some MOVE this turn`".to_owned(),
                            }),
                    );
                    return;
                }
                if !turn.whole
                    && !self.surely_goes_on(exit, &[], &mut BTreeSet::new())
                    && !self.unfinished_is_said()
                    && unfinished.get_or_insert_with(|| self.unfinished(turn)).contains(&call)
                {
                    self.report(
                        Diagnostic::new(Code::Unfinished, span, "after this ply the turn may be impossible to finish")
                            .label(self.what_may_fail(&after.calls))
                            .help(format!(
                                "say what happens then: {whole}`... else nothing` (the turn ends there), or `mover loses when unfinished` in `end`"
                            )),
                    );
                    return;
                }
            }
        }
    }

    /// The calls behind which the turn may neither end nor go on. The same call may stand beside one of them: of
    /// `(put, put) or (put, stop)` the second way is open whenever the first one is.
    fn unfinished(&self, turn: &Turn) -> BTreeSet<NodeIndex> {
        let mut unfinished = BTreeSet::new();
        let (mut stood, mut waiting) = (BTreeSet::new(), vec![BTreeSet::from([turn.entry])]);
        while let Some(places) = waiting.pop() {
            if stood.len() > MOST_STOOD {
                return self.calls_below(turn.entry).into_iter().collect();
            }
            if !stood.insert(places.clone()) {
                continue;
            }
            let open: Vec<NodeIndex> = places.iter().flat_map(|place| self.open_calls(*place, false)).collect();
            for call in places.iter().flat_map(|place| self.open_calls(*place, true)) {
                let alike = open.iter().copied().filter(|other| self.is_same_call(call, *other)).chain([call]);
                let ways: Vec<(Edge, NodeIndex)> = alike.flat_map(|call| self.rules.ways(call)).collect();
                for wanted in [Edge::Next, Edge::Until] {
                    let exits = ways.iter().filter(|(edge, _)| *edge == wanted).map(|(_, exit)| *exit);
                    let exits: BTreeSet<NodeIndex> = exits.collect();
                    let goes_on = |exit: &NodeIndex| self.surely_goes_on(*exit, &[], &mut BTreeSet::new());
                    if exits.is_empty() {
                        continue;
                    }
                    if !exits.iter().any(goes_on) {
                        unfinished.insert(call);
                    }
                    waiting.push(exits);
                }
            }
        }
        unfinished
    }

    /// Whether two nodes call the same move under the same conditions.
    fn is_same_call(&self, one: NodeIndex, other: NodeIndex) -> bool {
        let call =
            |node: NodeIndex| if let NodeKind::Call(call) = &self.rules.graph[node].kind { Some(call) } else { None };
        call(one) == call(other)
    }

    /// The calls at a place: all of them, or those that no condition and no preference closes.
    fn open_calls(&self, place: NodeIndex, closed_too: bool) -> Vec<NodeIndex> {
        let (mut seen, mut waiting, mut calls) = (BTreeSet::new(), vec![place], Vec::new());
        while let Some(node) = waiting.pop() {
            if !seen.insert(node) {
                continue;
            }
            match &self.rules.graph[node].kind {
                NodeKind::Turn | NodeKind::Fork => waiting.extend(self.next_of(node)),
                NodeKind::Prefer | NodeKind::Guard { .. } if closed_too => waiting.extend(self.next_of(node)),
                NodeKind::Call(_) => calls.push(node),
                NodeKind::Prefer
                | NodeKind::Guard { .. }
                | NodeKind::End
                | NodeKind::Move(_)
                | NodeKind::Choose { .. }
                | NodeKind::Let { .. }
                | NodeKind::Require { .. }
                | NodeKind::Weigh(_)
                | NodeKind::Change(_)
                | NodeKind::Repeat { .. }
                | NodeKind::Done => {}
            }
        }
        calls
    }

    /// What a pattern repeats until something holds, as it is written.
    fn repeated_until(&self, pattern: &ast::Pattern) -> Option<String> {
        use ast::PatternKind::{Again, Chain, Either, Else, Sequence, Until, When};
        if let Until(inner, _) = &pattern.kind
            && let Again(again) | Chain(again) = &inner.kind
        {
            return Some(self.project.sources.phrase(again.span));
        }
        let parts = if let Sequence(parts) | Either(parts) | Else(parts) = &pattern.kind {
            parts.as_slice()
        } else if let When(inner, _) = &pattern.kind {
            std::slice::from_ref(&**inner)
        } else {
            return None;
        };
        parts.iter().find_map(|part| self.repeated_until(part))
    }

    /// The moves behind a place, none of which is possible in every position.
    fn what_may_fail(&self, calls: &[NodeIndex]) -> String {
        let mut names: Vec<String> = Vec::new();
        for call in calls {
            let NodeKind::Call(call) = &self.rules.graph[*call].kind else { continue };
            let name = self.rules.moves.get(call.mv.0).map(|mv| format!("`{}`", mv.name));
            names.extend(name.filter(|name| !names.contains(name)));
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match names.as_slice() {
            [] => "nothing may be legal behind it".to_owned(),
            names => format!("{} may be impossible behind it", listed(names, "and")),
        }
    }

    fn unfinished_is_said(&self) -> bool {
        let endings = self
            .project
            .items()
            .find_map(|item| if let ast::ItemKind::End(lines) = &item.kind { Some(lines) } else { None });
        endings.is_some_and(|lines| {
            lines.iter().filter_map(|line| line.guard.as_ref()).any(|guard| mentions(guard, "unfinished"))
        })
    }

    fn duty_decides(&self, turn: &Turn, calls: &[NodeIndex]) -> bool {
        turn.duties.iter().any(|duty| match &duty.kind {
            DutyKind::Must(event) => calls.iter().all(|call| match &self.rules.graph[*call].kind {
                NodeKind::Call(call) => event.alternatives.iter().any(|(mv, _)| *mv == call.mv),
                _ => false,
            }),
            DutyKind::MustMost(_) => true,
            DutyKind::ExtraTurn | DutyKind::NextTurn(_) => false,
        })
    }

    pub(super) fn next_of(&self, node: NodeIndex) -> Vec<NodeIndex> {
        self.rules
            .graph
            .edges_directed(node, Way::Outgoing)
            .filter(|edge| *edge.weight() != Edge::Plays)
            .map(|edge| edge.target())
            .collect()
    }

    /// What can come next from a place, the second ways of preferences and guarded ends left aside.
    fn reach(&self, from: NodeIndex) -> Reach {
        let mut reach = Reach::default();
        let mut seen = BTreeSet::new();
        let mut waiting = vec![from];
        while let Some(node) = waiting.pop() {
            if !seen.insert(node) {
                continue;
            }
            match &self.rules.graph[node].kind {
                NodeKind::Call(_) => reach.calls.push(node),
                NodeKind::End => reach.end = true,
                NodeKind::Prefer => {
                    let first = self
                        .rules
                        .graph
                        .edges_directed(node, Way::Outgoing)
                        .find(|edge| *edge.weight() == Edge::Choice(0));
                    waiting.extend(first.map(|edge| edge.target()));
                }
                NodeKind::Guard { .. } => {
                    // A guarded way to the end excludes what stands beside it, or is lookahead.
                    let inner: Vec<NodeIndex> = self.next_of(node);
                    waiting.extend(
                        inner.into_iter().filter(|next| !matches!(self.rules.graph[*next].kind, NodeKind::End)),
                    );
                }
                _ => waiting.extend(self.next_of(node)),
            }
        }
        reach
    }

    pub(super) fn calls_below(&self, entry: NodeIndex) -> Vec<NodeIndex> {
        let mut seen = BTreeSet::new();
        let mut calls = Vec::new();
        let mut waiting = vec![entry];
        while let Some(node) = waiting.pop() {
            if seen.insert(node) {
                if matches!(self.rules.graph[node].kind, NodeKind::Call(_)) {
                    calls.push(node);
                }
                waiting.extend(self.next_of(node));
            }
        }
        calls.sort();
        calls
    }

    /// Whether from a place the turn can surely end or go on, where certain sets have members.
    pub(super) fn surely_goes_on(&self, node: NodeIndex, some: &[&Expr], seen: &mut BTreeSet<NodeIndex>) -> bool {
        if !seen.insert(node) {
            return false;
        }
        match &self.rules.graph[node].kind {
            NodeKind::End => true,
            NodeKind::Call(call) => {
                call.with.is_empty()
                    && !call.by_it
                    && self.rules.moves.get(call.mv.0).is_some_and(|mv| {
                        if mv.chance { self.surely_happens(mv) } else { self.is_always_legal(mv.entry, some) }
                    })
            }
            NodeKind::Guard { .. } => false,
            NodeKind::Fork => {
                let ways = self.next_of(node);
                // Two guards of one condition exclude each other: both must go on.
                let guards: Vec<&NodeIndex> =
                    ways.iter().filter(|way| matches!(self.rules.graph[**way].kind, NodeKind::Guard { .. })).collect();
                if guards.len() == 2 && ways.len() == 2 {
                    return guards.iter().all(|guard| {
                        self.next_of(**guard).iter().any(|next| self.surely_goes_on(*next, some, &mut seen.clone()))
                    });
                }
                ways.into_iter().any(|way| self.surely_goes_on(way, some, seen))
            }
            _ => self.next_of(node).into_iter().any(|way| self.surely_goes_on(way, some, seen)),
        }
    }

    /// Whether nothing can stand in the way of a move where certain sets have members: it asks for nothing, picks from what is
    /// there, and changes tracked values to ones that fit, or takes pieces.
    fn is_always_legal(&self, entry: NodeIndex, some: &[&Expr]) -> bool {
        let (mut at, mut some) = (entry, some);
        loop {
            let &[next] = self.next_of(at).as_slice() else { return false };
            at = next;
            if let NodeKind::Choose { domain, conditions, guard: None, .. } = &self.rules.graph[at].kind {
                let always = domain.as_constant().is_some_and(|value| !value.members().is_empty());
                if !conditions.is_empty() || !(always || some.contains(&domain)) {
                    return false;
                }
            } else if let NodeKind::Let { .. } = &self.rules.graph[at].kind {
                continue;
            } else if let NodeKind::Change(changes) = &self.rules.graph[at].kind {
                let fits = |change: &Change| {
                    let is_set = |memory: &MemoryId| {
                        let ty = self.rules.memories.get(memory.0).map(|memory| memory.ty);
                        matches!(ty, Some(Type::Sites | Type::Players))
                    };
                    let known = |memory: &MemoryId, value: &Expr| value.as_constant().is_some() || is_set(memory);
                    matches!(&change.kind, ChangeKind::Remember { memory, index: None, value } if known(memory, value))
                        || matches!(&change.kind, ChangeKind::Becomes { piece, .. } if is_nothing(piece))
                };
                if !changes.iter().all(fits) && !self.surely_leaves(changes) {
                    return false;
                }
                // What it has left of them is not known.
                some = &[];
            } else {
                return matches!(self.rules.graph[at].kind, NodeKind::Done);
            }
        }
    }
}

#[derive(Default)]
struct Reach {
    calls: Vec<NodeIndex>,
    end: bool,
}
