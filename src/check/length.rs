//! Whether every game comes to an end: what can be proved from the rule graph alone.
//!
//! A game is bounded if each turn is and there cannot be turns without end. A turn is if what is repeated in it is a ply of
//! which there can only be so many (`spent` has these). Of turns, either an ending sees to it: a limit on `turn` or `ply`, or
//! positions that come up again. Or each turn holds a ply of which there can only be so many, or one that ends the game
//! where it is played twice in a row, or an ending counts the turns without.

use super::Checker;
use super::balance::is_nothing;
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
        let spent = length.spent_in_game(&length.all_calls());
        if length.an_ending_bounds_turns() || length.turns_bound_themselves(&spent) {
            return;
        }
        let open = length.open_moves(&spent);
        let end = self.project.items().find(|item| matches!(item.kind, ast::ItemKind::End(_)));
        let head = end.map_or(self.project.head(), |item| Span { end: item.span.start + 3, ..item.span });
        self.report(
            Diagnostic::new(Code::Unbounded, head, "nothing that can be proved brings every game to an end")
                .label(format!("as far as can be proved, {open} could go on for ever"))
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

    /// A ply that a turn may repeat without anything being used up.
    fn endless_call(&self) -> Option<NodeIndex> {
        let repeated: Vec<NodeIndex> = self.all_calls().into_iter().filter(|call| self.reaches_itself(*call)).collect();
        let spent = self.spent_in_turn(&repeated);
        let goes_on = |call: &NodeIndex| {
            let rest = self.after_without(*call, |other| spent.contains(&other));
            !spent.contains(call) && rest.contains(call)
        };
        repeated.iter().copied().find(goes_on)
    }

    /// The moves with which turns could follow one another without end, in words.
    fn open_moves(&self, spent: &BTreeSet<NodeIndex>) -> String {
        let uses_up = |call: NodeIndex| spent.contains(&call);
        let later = self.rules.turns.iter().filter(|turn| !matches!(turn.of, TurnOf::Numbers(..)));
        let open = later.filter(|turn| self.ends_without(turn.entry, &uses_up));
        let calls = open.flat_map(|turn| self.calls(turn.entry)).filter(|call| !uses_up(*call));
        let moves: BTreeSet<MoveId> = calls.filter_map(|call| self.mv(call)).collect();
        let names: Vec<String> =
            moves.iter().filter_map(|mv| self.rules.moves.get(mv.0)).map(|mv| format!("`{}`", mv.name)).collect();
        match names.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("turns of {} or {last}", rest.join(", ")),
            Some((only, _)) => format!("turns of {only}"),
            None => "turns".to_owned(),
        }
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

    /// Every turn, or one of every few, holds a ply of which there can only be so many.
    fn turns_bound_themselves(&self, spent: &BTreeSet<NodeIndex>) -> bool {
        let later = |turn: &&Turn| !matches!(turn.of, TurnOf::Numbers(..));
        let turns: Vec<&Turn> = self.rules.turns.iter().filter(later).collect();
        let uses_up = |call: NodeIndex| spent.contains(&call);
        let hold_one = |turns: &[&Turn], or: &dyn Fn(NodeIndex) -> bool| {
            turns.iter().all(|turn| !self.ends_without(turn.entry, &|call| uses_up(call) || or(call)))
        };
        let decisive = || self.rules.endings.iter().filter(|ending| decides(ending));
        hold_one(&turns, &|_| false)
            || decisive()
                .filter_map(|ending| self.ends_after(ending))
                .any(|event| hold_one(&turns, &|call| self.mv(call).is_some_and(|mv| is_of(event, mv))))
            || decisive().any(|ending| {
                self.counts_turns_without(ending).is_some_and(|(event, phase)| {
                    let of_event = |call: &NodeIndex| {
                        self.mv(*call).is_some_and(|mv| event.alternatives.iter().any(|(known, _)| *known == mv))
                    };
                    let calls = turns.iter().flat_map(|turn| self.calls(turn.entry));
                    // Only in one phase does the line end the game: from the others the game goes on.
                    let elsewhere = |turn: &&Turn| phase.is_some_and(|phase| turn.of != TurnOf::Phase(phase));
                    let elsewhere: Vec<&Turn> = turns.iter().copied().filter(elsewhere).collect();
                    calls.filter(of_event).all(&uses_up) && hold_one(&elsewhere, &|_| false)
                })
            })
    }

    // ---- endings ----

    /// The plies without which so many turns in a row end the game, and the phase in which alone they do.
    fn counts_turns_without(&self, ending: &Ending) -> Option<(&'r Event, Option<ChoiceId>)> {
        let condition = ending.condition.as_ref()?;
        self.rules.chronicles.iter().find_map(|chronicle| {
            let Chronicle::Without { event, count, .. } = chronicle else { return None };
            let grows = |condition: &Expr| {
                self.grows_to(
                    condition,
                    |left| matches!(left.kind, ExprKind::Memory { memory, .. } if memory == *count),
                )
            };
            if grows(condition) {
                return Some((event, None));
            }
            let ExprKind::And(parts) = &condition.kind else { return None };
            let [one, other] = parts.as_slice() else { return None };
            let (phase, counted) = self
                .phase_asked(one)
                .map(|phase| (phase, other))
                .or_else(|| self.phase_asked(other).map(|phase| (phase, one)))?;
            // The number may be passed over while the phase is another.
            (grows(counted) && !is_exact(counted)).then_some((event, Some(phase)))
        })
    }

    /// The phase that a condition asks for, and nothing else.
    fn phase_asked(&self, condition: &Expr) -> Option<ChoiceId> {
        let ExprKind::Compare { first, rest } = &condition.kind else { return None };
        let (ExprKind::Memory { memory, index: None }, [(CompareOp::Equal, value)]) = (&first.kind, rest.as_slice())
        else {
            return None;
        };
        let is_phase = self.rules.memories.get(memory.0).is_some_and(|memory| memory.name == "phase");
        let Some(Value::Choice(choice)) = value.as_constant() else { return None };
        is_phase.then_some(*choice)
    }

    /// The plies that end the game if there are some in a turn, or in each of two turns in a row.
    fn ends_after(&self, ending: &Ending) -> Option<&'r Event> {
        let condition = ending.condition.as_ref()?;
        let (first, rest) =
            if let ExprKind::And(parts) = &condition.kind { parts.split_first()? } else { (condition, &[][..]) };
        let (memory, event) = self.happened(first)?;
        let same = |part: &Expr| self.happened(part).is_some_and(|(other, _)| other == memory);
        rest.iter().all(same).then_some(event)
    }

    /// The plies of which a condition asks whether there were some in this turn or in the last one.
    fn happened(&self, condition: &Expr) -> Option<(MemoryId, &'r Event)> {
        let ExprKind::Memory { memory, index: None } = condition.kind else { return None };
        let carried = self.rules.chronicles.iter().find_map(|chronicle| {
            let Chronicle::Carry { from, to } = chronicle else { return None };
            (*to == memory).then_some(*from)
        });
        let asked = carried.unwrap_or(memory);
        self.rules.chronicles.iter().find_map(|chronicle| {
            let Chronicle::Happened { event, memory } = chronicle else { return None };
            (*memory == asked).then_some((asked, event))
        })
    }

    /// Whether a ply of this move, whatever its parts, ends the game with its turn.
    pub(super) fn ends_the_game(&self, mv: MoveId) -> bool {
        self.rules.endings.iter().filter(|ending| decides(ending)).any(|ending| {
            let alone = !matches!(ending.condition.as_ref().map(|condition| &condition.kind), Some(ExprKind::And(_)));
            alone && self.ends_after(ending).is_some_and(|event| is_of(event, mv))
        })
    }

    fn counts_to_an_end(&self, ending: &Ending, counter: Counter) -> bool {
        // Turns end between plies: a single number of plies may be passed over.
        let skips = counter == Counter::Plies && !ending.at_once;
        decides(ending)
            && ending.condition.as_ref().is_some_and(|condition| {
                !(skips && is_exact(condition))
                    && self.grows_to(
                        condition,
                        |left| matches!(&left.kind, ExprKind::Primitive(word, _) if word.counts == Some(counter)),
                    )
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
    pub(super) fn after(&self, node: NodeIndex) -> BTreeSet<NodeIndex> {
        self.after_without(node, |_| false)
    }

    /// All nodes that come after one on ways that lead through none of certain nodes.
    fn after_without(&self, node: NodeIndex, closed: impl Fn(NodeIndex) -> bool) -> BTreeSet<NodeIndex> {
        let mut found = BTreeSet::new();
        let mut waiting: Vec<NodeIndex> = self.next(node).collect();
        while let Some(node) = waiting.pop() {
            if !closed(node) && found.insert(node) {
                waiting.extend(self.next(node));
            }
        }
        found
    }

    pub(super) fn calls(&self, entry: NodeIndex) -> Vec<NodeIndex> {
        self.after(entry).into_iter().filter(|node| self.mv(*node).is_some()).collect()
    }

    fn reaches_itself(&self, call: NodeIndex) -> bool {
        self.after(call).contains(&call)
    }

    /// Whether a turn can pass without any of certain plies.
    pub(super) fn ends_without(&self, entry: NodeIndex, plies: &impl Fn(NodeIndex) -> bool) -> bool {
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

    pub(super) fn body(&self, call: NodeIndex) -> BTreeSet<NodeIndex> {
        let entry = self.mv(call).and_then(|mv| self.rules.moves.get(mv.0)).map(|mv| mv.entry);
        entry.map(|entry| self.after(entry)).unwrap_or_default()
    }

    fn changes(&self) -> impl Iterator<Item = &'r Change> {
        self.rules.graph.node_weights().flat_map(|node| changes_of(Some(&node.kind)))
    }

    /// The move asks for a site that it has not taken in this turn; or it goes where it has not left from in this turn, and
    /// nothing else that may be repeated with it puts anything there: what was left once is never left again.
    pub(super) fn takes_sites_in_turn(&self, call: NodeIndex) -> bool {
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
    pub(super) fn counts_up(&self, call: NodeIndex) -> bool {
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
    pub(super) fn happens_once(&self, call: NodeIndex) -> bool {
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
    pub(super) fn makes_new_board(&self, call: NodeIndex) -> bool {
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

/// Whether a number is asked for, and not what is greater.
fn is_exact(condition: &Expr) -> bool {
    matches!(&condition.kind, ExprKind::Compare { rest, .. } if rest.iter().any(|(op, _)| *op == CompareOp::Equal))
}

/// Whether all plies of a move are of an event.
fn is_of(event: &Event, mv: MoveId) -> bool {
    event.alternatives.iter().any(|(known, condition)| *known == mv && condition.is_none())
}

/// What a node changes.
pub(super) fn changes_of(node: Option<&NodeKind>) -> &[Change] {
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
