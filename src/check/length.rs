//! Whether every game comes to an end: what can be proved from the rule graph alone.
//!
//! A game is bounded if each turn is and there cannot be turns without end. A turn is if what is repeated in it takes
//! pieces, or is a ply of which there can only be so many. Of turns, either an ending sees to it: a limit on
//! `turn` or `ply`, or positions that come up again. Or each turn holds a ply of which there can only be so many, and
//! an ending counts the turns without. Such a ply puts a piece on an empty site where no ply takes one off, takes one off
//! where no ply adds any, makes a board or a position that was never there, or leaves a phase for good.

use super::Checker;
use super::balance::{Effect, is_nothing};
use super::endings::decides;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue::{Counter, Id};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast;
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;
use std::collections::BTreeSet;

impl Checker<'_> {
    pub(super) fn check_bounded(&mut self) {
        // What is wrong otherwise is said first.
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            return;
        }
        let length = Length { rules: &self.rules };
        if length.plies_are_limited() {
            return;
        }
        if let Some(call) = length.endless_call() {
            let again = self.rules.graph[call].span;
            let name = length.mv(call).and_then(|mv| self.rules.moves.get(mv.0)).map_or("", |mv| mv.name.as_str());
            self.report(
                Diagnostic::new(Code::Unbounded, again, "nothing that can be proved brings this turn to an end")
                    .label(format!("`{name}` may be repeated for ever within one turn"))
                    .help(format!(
                        "let it use something up: a part of it `not {name}.PART this turn`, an enemy piece that a part picks and the move takes, or a stone on a site picked as empty; or end the game by a number of plies, read at once: draw at once when ply >= 1000"
                    )),
            );
            return;
        }
        if length.turns_are_bounded() {
            return;
        }
        let end = self.project.items().find(|item| matches!(item.kind, ast::ItemKind::End(_)));
        let head = end.map_or(self.project.head(), |item| Span { end: item.span.start + 3, ..item.span });
        self.report(
            Diagnostic::new(Code::Unbounded, head, "nothing that can be proved brings every game to an end")
                .help("declare it: `draw when position seen 3` where positions can come up again, or a limit such as `draw when turn > 1000`"),
        );
    }
}

pub(super) struct Length<'r> {
    pub rules: &'r Rules,
}

impl<'r> Length<'r> {
    /// A line read after every ply ends the game at a number of plies.
    fn plies_are_limited(&self) -> bool {
        self.rules.endings.iter().any(|ending| ending.at_once && self.counts_to_an_end(ending, Counter::Plies))
    }

    fn all_calls(&self) -> Vec<NodeIndex> {
        self.rules.turns.iter().flat_map(|turn| self.calls(turn.entry)).collect()
    }

    fn none_takes(&self, calls: &[NodeIndex]) -> bool {
        self.keeps_after_turns() && calls.iter().all(|call| self.effect(*call).keeps)
    }

    fn none_adds(&self, calls: &[NodeIndex]) -> bool {
        self.after_turns().is_none_or(|after| after.clears) && calls.iter().all(|call| self.effect(*call).clears)
    }

    /// What is done after each turn takes no piece off.
    fn keeps_after_turns(&self) -> bool {
        self.after_turns().is_none_or(|after| after.keeps)
    }

    fn after_turns(&self) -> Option<Effect> {
        let after = self.rules.after_turn.and_then(|mv| self.rules.moves.get(mv.0));
        after.map(|mv| self.effect_from(mv.entry))
    }

    /// A ply that a turn may repeat without anything being used up.
    fn endless_call(&self) -> Option<NodeIndex> {
        let all = self.all_calls();
        let keeps = self.none_takes(&all);
        let repeated: Vec<NodeIndex> = all.into_iter().filter(|call| self.reaches_itself(*call)).collect();
        let clears = repeated.iter().all(|call| self.effect(*call).clears);
        let ends = |call: &NodeIndex| {
            let effect = self.effect(*call);
            self.takes_sites_in_turn(*call)
                || self.counts_up(*call)
                || self.happens_once(*call)
                || keeps && effect.fills
                || clears && effect.takes
        };
        repeated.iter().copied().find(|call| !ends(call))
    }

    fn turns_are_bounded(&self) -> bool {
        let calls = self.all_calls();
        self.an_ending_bounds_turns() || self.turns_bound_themselves(self.none_takes(&calls), self.none_adds(&calls))
    }

    fn an_ending_bounds_turns(&self) -> bool {
        self.rules.endings.iter().any(|ending| {
            let again = |condition: &Expr| matches!(condition.kind, ExprKind::Seen { times: Some(_), .. });
            decides(ending)
                && (ending.condition.as_ref().is_none_or(again)
                    || self.counts_to_an_end(ending, Counter::Plies)
                    || self.counts_to_an_end(ending, Counter::Turns))
        })
    }

    /// Every turn, or one of every few, holds a ply that uses something up: no ply takes pieces off, or none adds any.
    fn turns_bound_themselves(&self, keeps: bool, clears: bool) -> bool {
        let uses_up = |call: NodeIndex| {
            let effect = self.effect(call);
            self.happens_once(call) || self.makes_new_board(call) || keeps && effect.fills || clears && effect.takes
        };
        let turns: Vec<&Turn> =
            self.rules.turns.iter().filter(|turn| !matches!(turn.of, TurnOf::Numbers(..))).collect();
        let calls: Vec<NodeIndex> = turns.iter().flat_map(|turn| self.calls(turn.entry)).collect();
        let counted = self.rules.chronicles.iter().any(|chronicle| {
            let Chronicle::Without { event, count, .. } = chronicle else { return false };
            let used_up =
                |mv: MoveId| calls.iter().filter(|call| self.mv(**call) == Some(mv)).all(|call| uses_up(*call));
            event.alternatives.iter().all(|(mv, _)| used_up(*mv))
                && self.rules.endings.iter().any(|ending| {
                    decides(ending)
                        && ending.condition.as_ref().is_some_and(|condition| {
                            self.grows_to(
                                condition,
                                |left| matches!(left.kind, ExprKind::Memory { memory, .. } if memory == *count),
                            )
                        })
                })
        });
        counted || turns.iter().all(|turn| !self.ends_without(turn.entry, &uses_up))
    }

    // ---- endings ----

    fn counts_to_an_end(&self, ending: &Ending, counter: Counter) -> bool {
        // Turns end between plies: a single number of plies may be passed over.
        let skips = counter == Counter::Plies && !ending.at_once;
        decides(ending)
            && ending.condition.as_ref().is_some_and(|condition| {
                let exact = matches!(&condition.kind, ExprKind::Compare { rest, .. } if rest.iter().any(|(op, _)| *op == CompareOp::Equal));
                !(skips && exact)
                    && self.grows_to(condition, |left| {
                        matches!(&left.kind, ExprKind::Primitive(word, _) if word.counts == Some(counter))
                    })
            })
    }

    /// A comparison that becomes true when its left side, which grows by ones, has grown enough.
    fn grows_to(&self, condition: &Expr, counter: impl Fn(&Expr) -> bool) -> bool {
        let ExprKind::Compare { first, rest } = &condition.kind else { return false };
        let [(op, bound)] = rest.as_slice() else { return false };
        let fixed = match &bound.kind {
            ExprKind::Constant(Value::Number(Some(number))) => *number > 0,
            ExprKind::Count(inner) => matches!(&inner.kind, ExprKind::Primitive(word, _) if word.id == Id::Players),
            _ => false,
        };
        fixed && counter(first) && matches!(op, CompareOp::Equal | CompareOp::Greater | CompareOp::GreaterEqual)
    }

    // ---- turns ----

    pub(super) fn next(&self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        self.rules.graph.edges(node).filter(|edge| *edge.weight() != Edge::Plays).map(|edge| edge.target())
    }

    pub(super) fn kind(&self, node: NodeIndex) -> Option<&'r NodeKind> {
        self.rules.graph.node_weight(node).map(|node| &node.kind)
    }

    pub(super) fn mv(&self, call: NodeIndex) -> Option<MoveId> {
        if let Some(NodeKind::Call(call)) = self.kind(call) { Some(call.mv) } else { None }
    }

    /// All nodes that come after one, itself only if it is on a circle.
    fn after(&self, node: NodeIndex) -> BTreeSet<NodeIndex> {
        let mut found = BTreeSet::new();
        let mut waiting: Vec<NodeIndex> = self.next(node).collect();
        while let Some(node) = waiting.pop() {
            if found.insert(node) {
                waiting.extend(self.next(node));
            }
        }
        found
    }

    fn calls(&self, entry: NodeIndex) -> Vec<NodeIndex> {
        self.after(entry).into_iter().filter(|node| self.mv(*node).is_some()).collect()
    }

    fn reaches_itself(&self, call: NodeIndex) -> bool {
        self.after(call).contains(&call)
    }

    /// Whether a turn can pass without any of certain plies.
    fn ends_without(&self, entry: NodeIndex, plies: &impl Fn(NodeIndex) -> bool) -> bool {
        let mut seen = BTreeSet::new();
        let mut waiting = vec![entry];
        while let Some(node) = waiting.pop() {
            match self.kind(node) {
                Some(NodeKind::End) => return true,
                Some(NodeKind::Call(_)) if plies(node) => {}
                _ if seen.insert(node) => waiting.extend(self.next(node)),
                _ => {}
            }
        }
        false
    }

    // ---- plies ----

    fn body(&self, call: NodeIndex) -> BTreeSet<NodeIndex> {
        let entry = self.mv(call).and_then(|mv| self.rules.moves.get(mv.0)).map(|mv| mv.entry);
        entry.map(|entry| self.after(entry)).unwrap_or_default()
    }

    fn changes(&self) -> impl Iterator<Item = &'r Change> {
        self.rules.graph.node_weights().flat_map(|node| changes_of(Some(&node.kind)))
    }

    /// The move asks for a site that it has not taken in this turn; or it goes where it has not left from in this turn, and
    /// nothing else that may be repeated with it puts anything there: what was left once is never left again.
    fn takes_sites_in_turn(&self, call: NodeIndex) -> bool {
        let body = self.body(call);
        let goes_to = |from: Local| {
            let changes: Vec<&Change> = body.iter().flat_map(|node| changes_of(self.kind(*node))).collect();
            let stays = |change: &&&Change| match &change.kind {
                ChangeKind::Remember { .. } | ChangeKind::Seats { .. } | ChangeKind::Know { .. } => true,
                ChangeKind::Becomes { piece, .. } => is_nothing(piece),
                ChangeKind::MoveTo { .. }
                | ChangeKind::Gets { .. }
                | ChangeKind::Slice { .. }
                | ChangeKind::Carry { .. } => false,
            };
            // Nothing else that the move does may put a piece back.
            let moving: Vec<&&Change> = changes.iter().filter(|change| !stays(change)).collect();
            let [Change { kind: ChangeKind::MoveTo { from: start, to, .. }, each: None, guard: None, .. }] =
                moving.as_slice()
            else {
                return None;
            };
            let (ExprKind::Local(start), ExprKind::Local(to)) = (&start.kind, &to.kind) else { return None };
            (*start == from).then_some(*to)
        };
        let is_alone = || {
            let circle =
                self.after(call).into_iter().filter(|node| self.mv(*node).is_some() && self.reaches_itself(*node));
            circle.into_iter().all(|other| self.mv(other) == self.mv(call))
        };
        let asks = |local: Local, taken: MemoryId| {
            body.iter().any(|node| {
                // A part that may be left out takes nothing then.
                if let Some(NodeKind::Choose { local: own, domain, conditions, guard: None, .. }) = self.kind(*node) {
                    *own == local && self.lies_outside(domain, taken)
                        || conditions.iter().any(|condition| self.denies(condition, local, taken))
                } else {
                    matches!(self.kind(*node), Some(NodeKind::Require { condition, .. }) if self.denies(condition, local, taken))
                }
            })
        };
        self.rules.chronicles.iter().any(|chronicle| {
            matches!(chronicle, Chronicle::Part { of, part, memory }
                if Some(*of) == self.mv(call)
                    && self.rules.memories.get(memory.0).is_some_and(|memory| memory.each_turn)
                    && (asks(*part, *memory) || goes_to(*part).is_some_and(|to| asks(to, *memory)) && is_alone()))
        })
    }

    /// The ply adds to a number that nothing makes less within a turn, and that has an end.
    fn counts_up(&self, call: NodeIndex) -> bool {
        let added_to = |change: &'r Change| {
            let ChangeKind::Remember { memory, index: None, value } = &change.kind else { return None };
            let ExprKind::Arithmetic(ArithmeticOp::Add, left, right) = &value.kind else { return None };
            let of_itself = matches!(left.kind, ExprKind::Memory { memory: own, index: None } if own == *memory);
            (of_itself && matches!(right.as_constant(), Some(Value::Number(Some(1..))))).then_some(*memory)
        };
        let only_grows = |memory: MemoryId| {
            self.changes().all(|change| {
                !matches!(change.kind, ChangeKind::Remember { memory: other, .. } if other == memory)
                    || added_to(change) == Some(memory)
            })
        };
        let is_bounded =
            |memory: MemoryId| self.rules.memories.get(memory.0).is_some_and(|known| known.range.is_some());
        self.body(call).into_iter().any(|node| {
            let Some(NodeKind::Change(changes)) = self.kind(node) else { return false };
            changes.iter().any(|change| {
                change.guard.is_none()
                    && change.each.is_none()
                    && added_to(change).is_some_and(|memory| is_bounded(memory) && only_grows(memory))
            })
        })
    }

    /// Nothing leads back to the value that the ply asks for and then replaces.
    fn happens_once(&self, call: NodeIndex) -> bool {
        let before = self.rules.graph.neighbors_directed(call, petgraph::Direction::Incoming);
        let mut asked = before.map(|node| match self.kind(node) {
            Some(NodeKind::Guard { condition, holds: true }) => match &condition.kind {
                ExprKind::Compare { first, rest } => match (&first.kind, rest.as_slice()) {
                    (ExprKind::Memory { memory, index: None }, [(CompareOp::Equal, value)]) => {
                        value.as_constant().map(|value| (*memory, value))
                    }
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        });
        let Some(Some((asked_of, value))) = asked.next() else { return false };
        let sets = |change: &'r Change| match &change.kind {
            ChangeKind::Remember { memory, index: None, value } if *memory == asked_of => Some(value.as_constant()),
            _ => None,
        };
        let leaves = |node: NodeIndex| match self.kind(node) {
            Some(NodeKind::Change(changes)) => {
                changes.iter().any(|change| change.guard.is_none() && sets(change).is_some())
            }
            _ => false,
        };
        asked.next().is_none()
            && self.rules.memories.get(asked_of.0).is_some_and(|memory| !memory.each_turn)
            && self.changes().filter_map(sets).all(|new| new.is_some_and(|new| new != value))
            && self.body(call).into_iter().any(leaves)
    }

    /// The board or the position after the ply was never there, and the turn ends with it. Of both there are only so many.
    fn makes_new_board(&self, call: NodeIndex) -> bool {
        // What is done after the turn is not yet on the board.
        self.rules.after_turn.is_none()
            && self.next(call).all(|next| matches!(self.kind(next), Some(NodeKind::End)))
            && self.body(call).into_iter().any(|node| match self.kind(node) {
                Some(NodeKind::Require { condition, .. }) => {
                    matches!(condition.kind, ExprKind::Seen { times: None, .. })
                }
                _ => false,
            })
    }
}

/// What a node changes.
fn changes_of(node: Option<&NodeKind>) -> &[Change] {
    if let Some(NodeKind::Change(changes) | NodeKind::Repeat { changes, .. }) = node { changes } else { &[] }
}

impl Length<'_> {
    /// Whether a condition holds only of sites that are not remembered.
    fn denies(&self, condition: &Expr, local: Local, taken: MemoryId) -> bool {
        let is_own = |left: &Expr| matches!(left.kind, ExprKind::Local(left) if left == local);
        let outside = |condition: &Expr, wanted: bool| {
            matches!(&condition.kind, ExprKind::In { left, not, right } if is_own(left)
                && if *not == wanted { self.lies_outside(right, taken) } else { self.holds_all(right, taken) })
        };
        outside(condition, false)
            || matches!(&condition.kind, ExprKind::Not(inner) if outside(inner, true))
            || matches!(&condition.kind, ExprKind::And(parts) if parts.iter().any(|part| self.denies(part, local, taken)))
    }

    /// Whether no member of a set is remembered.
    fn lies_outside(&self, set: &Expr, taken: MemoryId) -> bool {
        let is_outside = |part: &Expr| self.lies_outside(part, taken);
        matches!(&set.kind, ExprKind::Complement(inner) if self.holds_all(inner, taken))
            || matches!(&set.kind, ExprKind::Intersection(parts) if parts.iter().any(is_outside))
            || matches!(&set.kind, ExprKind::Union(parts) if parts.iter().all(is_outside))
            || matches!(&set.kind, ExprKind::SetOf { domain, .. } if is_outside(domain))
            || self.body_of(set).is_some_and(is_outside)
    }

    /// Whether a set holds all that is remembered.
    fn holds_all(&self, set: &Expr, taken: MemoryId) -> bool {
        matches!(&set.kind, ExprKind::Memory { memory, index: None } if *memory == taken)
            || matches!(&set.kind, ExprKind::Union(parts) if parts.iter().any(|part| self.holds_all(part, taken)))
            || self.body_of(set).is_some_and(|body| self.holds_all(body, taken))
    }

    /// What a word stands for.
    fn body_of(&self, expr: &Expr) -> Option<&Expr> {
        let ExprKind::Word(word, _) = &expr.kind else { return None };
        self.rules.words.get(word.0).map(|word| &word.body)
    }
}
