//! Moves made by chance: what they weigh, and where in a turn chance decides and not the player to move.

use super::Checker;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, MoveLineKind};
use petgraph::graph::NodeIndex;
use std::collections::BTreeSet;

/// Sets of places that are looked at together; a turn that comes to more is taken as it is.
const MAX_TOGETHER: usize = 2_000;

/// What excludes two plies of one place from standing there together.
#[derive(Clone, PartialEq)]
enum Apart<'r> {
    /// The condition of a guard, and whether it holds.
    Guard(&'r Expr, bool),
    /// Which way of a preference is taken.
    Way(NodeIndex, usize),
}

/// A ply that a place may offer, and what must be so for that.
struct Offered<'r> {
    call: NodeIndex,
    when: Vec<Apart<'r>>,
}

impl Apart<'_> {
    fn excludes(&self, other: &Self) -> bool {
        match (self, other) {
            (Apart::Guard(one, holds), Apart::Guard(two, also)) => {
                one == two && holds != also || *holds && *also && are_opposite(one, two)
            }
            (Apart::Way(one, way), Apart::Way(two, other)) => one == two && way != other,
            (Apart::Guard(..), Apart::Way(..)) | (Apart::Way(..), Apart::Guard(..)) => false,
        }
    }
}

impl Checker<'_> {
    /// The lines of a move without the weights that cannot stand there.
    pub(super) fn weighed(&mut self, item: &ast::MoveItem) -> Vec<ast::MoveLine> {
        let mut first: Option<Span> = None;
        let mut later = false;
        let mut lines = Vec::new();
        for line in &item.lines {
            later |= matches!(line.kind, MoveLineKind::Then);
            if !matches!(line.kind, MoveLineKind::Weight(_)) {
                lines.push(line.clone());
                continue;
            }
            let wrong = if !item.chance {
                let name = &item.name.text;
                Some(
                    Diagnostic::new(
                        Code::BadChance,
                        line.span,
                        format!("`{name}` is a move of the players, who need no weight"),
                    )
                    .help(format!("take the weight out, or let chance make the move: `chance move {name}`")),
                )
            } else if let Some(first) = first {
                Some(
                    Diagnostic::new(Code::BadChance, line.span, "a move has one weight")
                        .label("a second one")
                        .also(first, "the first one")
                        .help("join them, as in `weight case n { 1: 4; 2: 6; 3: 4 }`"),
                )
            } else if later {
                Some(
                    Diagnostic::new(Code::BadChance, line.span, "a weight stands behind `then`")
                        .help("put it before the first `then`: it is read before anything is changed"),
                )
            } else {
                None
            };
            match wrong {
                Some(wrong) => self.report(wrong),
                None => {
                    first = Some(line.span);
                    lines.push(line.clone());
                }
            }
        }
        lines
    }

    /// The weight of a move; none where it is 1 whatever happens.
    pub(super) fn weight(&mut self, weight: &ast::Expr) -> Option<Expr> {
        let weight = self.typed(weight, Type::Number);
        let constant = weight.as_constant().map(Value::number);
        if constant == Some(Some(1)) {
            return None;
        }
        if let Some(Some(number)) =
            constant.filter(|number| number.is_some_and(|number| !(0..=MAX_WEIGHT).contains(&number)))
        {
            let message = format!("a weight cannot be {number}");
            self.error(Code::OutOfRange, weight.span, message, format!("it is a whole number from 0 to {MAX_WEIGHT}"));
        } else if constant.is_some_and(|number| number.unwrap_or(0) == 0) && self.live {
            self.report(
                Diagnostic::new(
                    Code::NeverTrue,
                    weight.span,
                    "this weight is always 0, so that the move never happens",
                )
                .label("nothing weighs more than 0")
                .help("give it a weight above 0, or take the move out"),
            );
        }
        Some(weight)
    }

    /// Outcomes that print alike would be one, and their weights lost.
    pub(super) fn check_told_apart(&mut self, id: MoveId) {
        let Some(mv) = self.rules.moves.get(id.0) else { return };
        let shown = |local: Local| {
            mv.notation.iter().any(
                |piece| matches!(piece, NotationPiece::Value { value, .. } if value.kind == ExprKind::Local(local)),
            )
        };
        let hidden: Vec<Named> = mv.names.iter().filter(|named| named.part && !shown(named.local)).cloned().collect();
        for named in hidden {
            let name = &named.name;
            self.report(
                Diagnostic::new(
                    Code::BadChance,
                    named.span,
                    format!("the notation does not show `{name}`, which chance decides"),
                )
                .label("outcomes that differ in it could not be told apart")
                .help(format!(
                    "add `{{{name}}}` to the notation; outcomes that are to count as one are one part with a weight"
                )),
            );
        }
    }

    /// Whether a move of chance has an outcome in every position: it picks from what never changes and sets what fits.
    pub(super) fn surely_happens(&self, mv: &Move) -> bool {
        let mut ranges: Vec<(Local, i64, i64)> = Vec::new();
        mv.lines.iter().all(|line| match &self.rules.graph[*line].kind {
            NodeKind::Choose { local, domain, conditions, guard: None } if conditions.is_empty() => {
                let Some(range) = fixed_range(domain) else {
                    return domain.as_constant().is_some_and(|constant| !constant.members().is_empty());
                };
                ranges.push((*local, range.0, range.1));
                range.0 <= range.1
            }
            // Where only some outcomes weigh nothing the others remain; that all of them do is warned of elsewhere.
            NodeKind::Weigh(weight) => weight.as_constant().is_none(),
            NodeKind::Change(changes) => changes.iter().all(|change| self.surely_set(change, &ranges)),
            NodeKind::Choose { .. }
            | NodeKind::Let { .. }
            | NodeKind::Require { .. }
            | NodeKind::Repeat { .. }
            | NodeKind::Turn
            | NodeKind::Fork
            | NodeKind::Prefer
            | NodeKind::Guard { .. }
            | NodeKind::Call(_)
            | NodeKind::End
            | NodeKind::Move(_)
            | NodeKind::Done => false,
        })
    }

    /// Whether a change sets a tracked value to a number that it can take.
    fn surely_set(&self, change: &Change, ranges: &[(Local, i64, i64)]) -> bool {
        let ChangeKind::Remember { memory, index: None, value } = &change.kind else { return false };
        let Some((low, high)) = self.rules.memories.get(memory.0).and_then(|memory| memory.range) else { return true };
        let known = if let ExprKind::Local(local) = &value.kind {
            ranges.iter().find(|(known, ..)| known == local).map(|(_, low, high)| (*low, *high))
        } else {
            value.as_constant().and_then(Value::number).map(|number| (number, number))
        };
        known.is_some_and(|(least, most)| low <= least && most <= high)
    }

    /// At each place of a turn either chance decides or the player to move, and nobody looks ahead over chance.
    pub(super) fn check_chance(&mut self, turn: &Turn, item: &ast::TurnItem) {
        let calls = self.calls_below(turn.entry);
        let Some(chance) = calls.iter().copied().find(|call| self.is_chance(*call)) else { return };
        let span = self.rules.graph[chance].span;
        if turn.whole {
            self.report(
                Diagnostic::new(Code::BadChance, span, "here the turn would have to look ahead over what chance decides")
                    .label("chance cannot be foreseen")
                    .also(item.span, "`whole turn`, `such that` and `must most` look ahead")
                    .help(
                        "let chance decide in a turn of its own: `phases throwing, moving`, \
                         `turn in throwing { roll; extra turn }` with `phase becomes moving` in the move, and `turn in moving { ... }`",
                    ),
            );
            return;
        }
        for duty in &turn.duties {
            if let DutyKind::Must(event) = &duty.kind
                && event.alternatives.iter().any(|(mv, _)| self.rules.moves.get(mv.0).is_some_and(|mv| mv.chance))
            {
                self.report(
                    Diagnostic::new(Code::BadChance, duty.span, "chance has no duties")
                        .label("this names a move made by chance")
                        .help("to make an outcome more likely, or impossible, give the move a `weight`"),
                );
                return;
            }
        }
        if let Some((chance, other)) = self.mixed(turn.entry) {
            let (chance, other) = (self.rules.graph[chance].span, self.rules.graph[other].span);
            self.report(
                Diagnostic::new(Code::BadChance, chance, "either chance decides at a place of a turn, or the player to move")
                    .label("decided by chance")
                    .also(other, "decided by the player, at the same place")
                    .help("put one behind the other with `,`; or join them with `else`, or with `when` and its opposite, so that only one is there"),
            );
        }
    }

    fn is_chance(&self, call: NodeIndex) -> bool {
        let NodeKind::Call(call) = &self.rules.graph[call].kind else { return false };
        self.rules.moves.get(call.mv.0).is_some_and(|mv| mv.chance)
    }

    /// A ply of chance and one of the player that a turn may offer together. Plies that are alike lead to several places at
    /// once, so sets of places are gone through.
    fn mixed(&self, entry: NodeIndex) -> Option<(NodeIndex, NodeIndex)> {
        let mut waiting = vec![BTreeSet::from([entry])];
        let mut seen = BTreeSet::new();
        while let Some(places) = waiting.pop() {
            if seen.len() >= MAX_TOGETHER || !seen.insert(places.clone()) {
                continue;
            }
            let mut offered = Vec::new();
            places.iter().for_each(|place| self.offered(*place, &mut Vec::new(), &mut Vec::new(), &mut offered));
            let (chances, others): (Vec<&Offered<'_>>, Vec<&Offered<'_>>) =
                offered.iter().partition(|offered| self.is_chance(offered.call));
            for chance in &chances {
                let together = |other: &&&Offered<'_>| {
                    !chance.when.iter().any(|one| other.when.iter().any(|two| one.excludes(two)))
                };
                if let Some(other) = others.iter().find(together) {
                    return Some((chance.call, other.call));
                }
            }
            let moves: BTreeSet<MoveId> = offered.iter().filter_map(|offered| self.move_of(offered.call)).collect();
            waiting.extend(moves.into_iter().map(|mv| {
                let same = offered.iter().filter(|offered| self.move_of(offered.call) == Some(mv));
                same.flat_map(|offered| self.next_of(offered.call)).collect()
            }));
        }
        None
    }

    fn move_of(&self, call: NodeIndex) -> Option<MoveId> {
        let NodeKind::Call(call) = &self.rules.graph[call].kind else { return None };
        Some(call.mv)
    }

    /// The plies that a place leads to, with what stands before them.
    fn offered<'r>(
        &'r self,
        node: NodeIndex,
        when: &mut Vec<Apart<'r>>,
        path: &mut Vec<NodeIndex>,
        all: &mut Vec<Offered<'r>>,
    ) {
        if path.contains(&node) {
            return;
        }
        path.push(node);
        let before = when.len();
        match &self.rules.graph[node].kind {
            NodeKind::Call(_) => all.push(Offered { call: node, when: when.clone() }),
            NodeKind::Prefer => {
                for (way, (_, next)) in self.rules.ways(node).into_iter().enumerate() {
                    when.push(Apart::Way(node, way));
                    self.offered(next, when, path, all);
                    when.truncate(before);
                }
            }
            kind => {
                if let NodeKind::Guard { condition, holds } = kind {
                    when.push(match &condition.kind {
                        ExprKind::Not(inner) if *holds => Apart::Guard(inner, false),
                        _ => Apart::Guard(condition, *holds),
                    });
                }
                for next in self.next_of(node) {
                    self.offered(next, when, path, all);
                }
                when.truncate(before);
            }
        }
        path.pop();
    }
}

/// Whether one condition says that the other does not hold: `a is b` and `a is not b`, `n < 3` and `n >= 3`.
fn are_opposite(one: &Expr, two: &Expr) -> bool {
    let (one, two) = (&one.kind, &two.kind);
    if let (ExprKind::In { left, not, right }, ExprKind::In { left: other, not: also, right: set }) = (one, two) {
        return left == other && right == set && not != also;
    }
    if let (ExprKind::Any(set), ExprKind::None(other)) | (ExprKind::None(set), ExprKind::Any(other)) = (one, two) {
        return set == other;
    }
    matches!((one, two), (ExprKind::Compare { first, rest }, ExprKind::Compare { first: other, rest: also })
        if first == other && matches!((rest.as_slice(), also.as_slice()), ([(op, with)], [(another, and)])
            if with == and && op.negated() == *another))
}

/// The ends of a range that are the same in every position.
fn fixed_range(domain: &Expr) -> Option<(i64, i64)> {
    if let Some(Value::Range(range)) = domain.as_constant() {
        return *range;
    }
    let ExprKind::Range(low, high) = &domain.kind else { return None };
    low.as_constant()?.number().zip(high.as_constant()?.number())
}
