//! Turns: patterns become the upper part of the rule graph, and duties are checked.

use super::uses::Meaning;
use super::{Checker, Defined};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, PatternKind};
use petgraph::graph::NodeIndex;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Places in the turns of a game, patterns put in.
pub(super) const MAX_PLACES: usize = 400;

/// What surrounds a pattern: limits on its plies, and where the loop around it leads.
#[derive(Clone, Default)]
pub(super) struct Around {
    pub by_it: bool,
    pub with: Vec<ast::Expr>,
    pub until: Option<(ast::Expr, NodeIndex)>,
    /// What the moves themselves ask of answers is left out.
    pub apart: bool,
}

impl Checker<'_> {
    pub(super) fn check_turns(&mut self) {
        let project = self.project;
        self.nodes_of_moves = self.rules.graph.node_count();
        let mut numbered = Vec::new();
        for item in project.items() {
            if let ast::ItemKind::Turn(turn) = &item.kind {
                self.check_turn(turn);
                self.check_numbers(turn, &mut numbered);
            }
        }
        self.check_replies();
        let has_any = self.rules.turns.iter().any(|turn| turn.of == TurnOf::Any);
        let phases =
            self.rules.phase.is_some() && self.rules.turns.iter().any(|turn| matches!(turn.of, TurnOf::Phase(_)));
        if !self.rules.turns.is_empty() && !has_any && !phases && !self.project.lost.contains("turn") {
            let span = self.rules.turns[0].span;
            self.report(
                Diagnostic::new(Code::Section, span, "the turns after this one are not described")
                    .help("add `turn { ... }` for all others"),
            );
        }
    }

    /// A pattern that nobody plays or asks about is still checked, and leaves no places behind.
    pub(super) fn check_patterns(&mut self) {
        let places = self.rules.graph.node_count();
        for (name, pattern) in self.patterns.clone() {
            if !self.is_used(Defined::Pattern, &name) {
                let end = self.node(NodeKind::End, pattern.span);
                self.pattern_stack.push(name);
                self.build(&pattern, end, &Around::default());
                self.pattern_stack.pop();
            }
        }
        // From the last on, so that the others keep their numbers.
        for added in (places..self.rules.graph.node_count()).rev() {
            self.rules.graph.remove_node(NodeIndex::new(added));
        }
    }

    /// Of two sections that have the number of a turn the first counts: one of which nothing is left is never used.
    fn check_numbers<'t>(&mut self, item: &'t ast::TurnItem, before: &mut Vec<&'t ast::TurnItem>) {
        let ast::TurnOf::Numbers(first, last) = item.of else { return };
        let (mut next, mut taken_by) = (first, None);
        let holding = |number: i64| {
            before.iter().find_map(|other| {
                let ast::TurnOf::Numbers(low, high) = other.of else { return None };
                (low..=high).contains(&number).then_some((*other, high))
            })
        };
        while let Some((other, end)) = holding(next) {
            (next, taken_by) = (end.saturating_add(1), Some(other));
            if next > last {
                break;
            }
        }
        if let Some(other) = taken_by.filter(|_| next > last) {
            let head = |item: &ast::TurnItem| Span { end: item.pattern.span.start, ..item.span };
            self.report(
                Diagnostic::new(
                    Code::Unreachable,
                    head(item),
                    "this is never used: a section before it has these turns",
                )
                .also(head(other), "of two that fit, the first counts")
                .help("let the section for fewer turns come first, or take one of the two out"),
            );
        }
        before.push(item);
    }

    fn check_turn(&mut self, item: &ast::TurnItem) {
        let of = match &item.of {
            ast::TurnOf::Any => TurnOf::Any,
            ast::TurnOf::Numbers(first, last) => {
                if *first < 1 || first > last {
                    self.error(
                        Code::OutOfRange,
                        Span { end: item.pattern.span.start, ..item.span },
                        "there are no turns with these numbers",
                        "turns are numbered from 1, as in `turn 1 { ... }` and `turn 1..4 { ... }`",
                    );
                }
                TurnOf::Numbers(*first, *last)
            }
            ast::TurnOf::Phase(name) => {
                self.note_value("phase", name.span);
                let phases = self.option_values.get("phase").cloned().unwrap_or_default();
                if self.rules.phase.is_none() || !phases.contains(&name.text) {
                    let diagnostic =
                        Diagnostic::new(Code::UnknownName, name.span, format!("there is no phase `{}`", name.text))
                            .did_you_mean(&name.text, phases.iter().map(String::as_str));
                    self.report(diagnostic);
                    return;
                }
                TurnOf::Phase(self.choice(&name.text))
            }
        };
        let end = self.node(NodeKind::End, item.span);
        let mut exit = end;
        let mut whole = item.whole;
        let mut duties = Vec::new();
        for duty in &item.duties {
            let guard = duty.guard.as_ref().map(|guard| self.typed(guard, Type::Condition));
            let decided = guard.as_ref().and_then(Expr::as_decided);
            let dead = decided == Some(false);
            let kind = self.dead(dead, |checker| match &duty.kind {
                ast::DutyKind::Must(event) => Some(DutyKind::Must(checker.event(event))),
                ast::DutyKind::MustMost(number) => Some(DutyKind::MustMost(checker.typed(number, Type::Number))),
                ast::DutyKind::ExtraTurn => Some(DutyKind::ExtraTurn),
                ast::DutyKind::NextTurn(player) => Some(DutyKind::NextTurn(checker.typed(player, Type::Players))),
                ast::DutyKind::SuchThat(condition) => {
                    let condition = checker.typed(condition, Type::Condition);
                    if !dead {
                        let condition = match &guard {
                            Some(guard) if decided.is_none() => Expr {
                                span: condition.span,
                                kind: ExprKind::If {
                                    condition: Box::new(guard.clone()),
                                    then: Box::new(condition.clone()),
                                    otherwise: Box::new(Expr::constant(Value::Condition(Some(true)), guard.span)),
                                },
                            },
                            _ => condition,
                        };
                        let node = checker.node(NodeKind::Guard { condition, holds: true }, duty.span);
                        checker.rules.graph.add_edge(node, exit, Edge::Next);
                        exit = node;
                        whole = true;
                    }
                    None
                }
            });
            if let (Some(kind), false) = (kind, dead) {
                let reason = duty.reason.as_ref().map(|reason| reason.text.clone());
                whole |= matches!(kind, DutyKind::MustMost(_));
                duties.push(Duty { kind, guard: guard.filter(|_| decided.is_none()), reason, span: duty.span });
            }
        }
        let errors = self.diagnostics.len();
        let start = self.build(&item.pattern, exit, &Around::default());
        let entry = self.node(NodeKind::Turn, item.span);
        match start {
            Some(start) => {
                self.rules.graph.add_edge(entry, start, Edge::Next);
            }
            None if self.diagnostics.len() > errors => return,
            None => {
                self.error(
                    Code::EmptyTurn,
                    item.pattern.span,
                    "with these options nothing can be played in this turn",
                    "offer a move that no option switches off, as in `... or pass`",
                );
            }
        }
        let turn = Turn { of, entry, whole, duties, span: item.span };
        // How a pattern goes on is not to be told of one that is wrong in itself.
        let unclear = self.project.diagnostics.iter().any(|found| found.code == Code::TwoReadings);
        if self.diagnostics.len() == errors && !unclear {
            self.check_flow(&turn, item);
            self.check_chance(&turn, item);
        }
        self.rules.turns.push(turn);
    }

    pub(super) fn possible(&mut self, pattern: &ast::Pattern) -> Option<NodeIndex> {
        let end = self.node(NodeKind::End, pattern.span);
        let start = self.build(pattern, end, &Around::default())?;
        let entry = self.node(NodeKind::Turn, pattern.span);
        self.rules.graph.add_edge(entry, start, Edge::Next);
        Some(entry)
    }

    /// The node at which a pattern begins that goes on at `exit`; none if the options switch it off.
    pub(super) fn build(&mut self, pattern: &ast::Pattern, exit: NodeIndex, around: &Around) -> Option<NodeIndex> {
        if self.rules.graph.node_count() - self.nodes_of_moves > MAX_PLACES {
            self.too_many_places(pattern.span);
            return None;
        }
        let inside = std::mem::replace(&mut self.inside, false);
        let start = self.within(pattern.span, |checker| checker.build_form(pattern, exit, around)).flatten();
        self.inside = inside;
        start
    }

    /// Patterns are put in wherever they are named: few lines may come to very many places.
    fn too_many_places(&mut self, span: Span) {
        if self.diagnostics.iter().any(|diagnostic| diagnostic.code == Code::TooLarge) {
            return;
        }
        let name = self.pattern_stack.first().map_or("this pattern".to_owned(), |name| format!("the pattern `{name}`"));
        self.report(
            Diagnostic::new(Code::TooLarge, span, format!("with {name} put in, the turns have too many places"))
                .label("put in once more here")
                .help(format!(
                    "a game has at most {MAX_PLACES} places in its turns, patterns counted wherever they are named; say `again` or `maybe` where the same is repeated"
                )),
        );
    }

    fn build_form(&mut self, pattern: &ast::Pattern, exit: NodeIndex, around: &Around) -> Option<NodeIndex> {
        let span = pattern.span;
        match &pattern.kind {
            PatternKind::Nothing => Some(exit),
            PatternKind::Name(name) => self.build_name(name, exit, around),
            PatternKind::Sequence(parts) => {
                let mut exit = exit;
                if let Some((condition, _)) = &around.until {
                    self.report(
                        Diagnostic::new(
                            Code::BadPattern,
                            condition.span,
                            "`until` looks at one ply, and several in a row are repeated here",
                        )
                        .help("repeat a single move, or a choice of moves: `again (A or B) until ...`"),
                    );
                }
                let inner = Around { until: None, ..around.clone() };
                for part in parts.iter().rev() {
                    exit = match &part.kind {
                        // Left out of a sequence, a part is simply not there.
                        PatternKind::When(body, condition) => {
                            let condition = self.typed(condition, Type::Condition);
                            match condition.as_decided() {
                                Some(false) => {
                                    self.dead(true, |checker| checker.build(body, exit, &inner));
                                    exit
                                }
                                Some(true) => self.build(body, exit, &inner)?,
                                None => {
                                    let body = self.build(body, exit, &inner)?;
                                    let yes = self
                                        .node(NodeKind::Guard { condition: condition.clone(), holds: true }, part.span);
                                    let no = self.node(NodeKind::Guard { condition, holds: false }, part.span);
                                    self.rules.graph.add_edge(yes, body, Edge::Next);
                                    self.rules.graph.add_edge(no, exit, Edge::Next);
                                    self.fork(&[yes, no], part.span)
                                }
                            }
                        }
                        _ => self.build(part, exit, &inner)?,
                    };
                }
                Some(exit)
            }
            PatternKind::Either(parts) => {
                let starts: Vec<NodeIndex> = parts.iter().filter_map(|part| self.build(part, exit, around)).collect();
                match starts.as_slice() {
                    [] => None,
                    [only] => Some(*only),
                    starts => Some(self.fork(starts, span)),
                }
            }
            PatternKind::Else(parts) => {
                let starts: Vec<NodeIndex> = parts.iter().filter_map(|part| self.build(part, exit, around)).collect();
                match starts.as_slice() {
                    [] => None,
                    [only] => Some(*only),
                    starts => {
                        let node = self.node(NodeKind::Prefer, span);
                        for (index, start) in starts.iter().enumerate() {
                            self.rules.graph.add_edge(
                                node,
                                *start,
                                Edge::Choice(u32::try_from(index).unwrap_or(u32::MAX)),
                            );
                        }
                        Some(node)
                    }
                }
            }
            PatternKind::Maybe(inner) => match self.build(inner, exit, around) {
                Some(start) => Some(self.fork(&[start, exit], span)),
                None => Some(exit),
            },
            PatternKind::Again(inner) => Some(self.looped(inner, exit, around, span)),
            PatternKind::Chain(inner) => {
                let again = Around { by_it: true, ..around.clone() };
                let repeat = self.looped(inner, exit, &again, span);
                let first =
                    Around { until: around.until.clone().map(|(condition, _)| (condition, exit)), ..around.clone() };
                self.build(inner, repeat, &first)
            }
            PatternKind::ByIt(inner) => self.build(inner, exit, &Around { by_it: true, ..around.clone() }),
            PatternKind::With(inner, condition) => {
                let mut around = around.clone();
                around.with.push(condition.clone());
                self.build(inner, exit, &around)
            }
            PatternKind::Until(inner, condition) => {
                if !matches!(inner.kind, PatternKind::Chain(_) | PatternKind::Again(_)) {
                    self.report(
                        Diagnostic::new(
                            Code::BadPattern,
                            condition.span,
                            "`until` ends a repetition, and nothing is repeated here",
                        )
                        .help("write `chain MOVE until ...` or `again MOVE until ...`"),
                    );
                    return self.build(inner, exit, around);
                }
                self.build(inner, exit, &Around { until: Some((condition.clone(), exit)), ..around.clone() })
            }
            PatternKind::SuchThat(inner, condition) => {
                let condition = self.typed(condition, Type::Condition);
                let guard = self.node(NodeKind::Guard { condition, holds: true }, span);
                self.rules.graph.add_edge(guard, exit, Edge::Next);
                self.build(inner, guard, around)
            }
            PatternKind::When(inner, condition) => {
                let condition = self.typed(condition, Type::Condition);
                match condition.as_decided() {
                    Some(false) => {
                        self.dead(true, |checker| checker.build(inner, exit, around));
                        None
                    }
                    Some(true) => self.build(inner, exit, around),
                    None => {
                        let start = self.build(inner, exit, around)?;
                        let guard = self.node(NodeKind::Guard { condition, holds: true }, span);
                        self.rules.graph.add_edge(guard, start, Edge::Next);
                        Some(guard)
                    }
                }
            }
        }
    }

    fn fork(&mut self, ways: &[NodeIndex], span: Span) -> NodeIndex {
        let node = self.node(NodeKind::Fork, span);
        for way in ways {
            self.rules.graph.add_edge(node, *way, Edge::Next);
        }
        node
    }

    /// Any number of rounds of a pattern.
    fn looped(&mut self, inner: &ast::Pattern, exit: NodeIndex, around: &Around, span: Span) -> NodeIndex {
        let fork = self.node(NodeKind::Fork, span);
        let around = Around { until: around.until.clone().map(|(condition, _)| (condition, exit)), ..around.clone() };
        if let Some(start) = self.build(inner, fork, &around) {
            if start == fork {
                self.error(
                    Code::BadPattern,
                    span,
                    "a repetition of nothing would never end",
                    "repeat a move: `again hop`",
                );
            } else {
                self.rules.graph.add_edge(fork, start, Edge::Next);
            }
        }
        self.rules.graph.add_edge(fork, exit, Edge::Next);
        fork
    }

    fn build_name(&mut self, name: &ast::Name, exit: NodeIndex, around: &Around) -> Option<NodeIndex> {
        if let Some(pattern) = self.patterns.get(&name.text).map(Rc::clone) {
            self.mark_used(Defined::Pattern, &name.text);
            self.note(name.span, Meaning::Pattern);
            if self.pattern_stack.contains(&name.text) {
                let mut path = self.pattern_stack.clone();
                path.push(name.text.clone());
                self.report(
                    Diagnostic::new(Code::Cycle, name.span, format!("the pattern `{}` holds itself", name.text))
                        .label(path.join(" -> "))
                        .help("say `again` or `chain` for a repetition"),
                );
                return None;
            }
            self.pattern_stack.push(name.text.clone());
            let start = self.build(&pattern, exit, around);
            self.pattern_stack.pop();
            return start;
        }
        let Some(mv) = self.move_ids.get(&name.text).copied() else {
            self.unknown_move(name, true);
            return None;
        };
        self.mark_used(Defined::Move, &name.text);
        self.note(name.span, Meaning::Move);
        let mv = self.unasked.get(&mv).copied().filter(|_| around.apart).unwrap_or(mv);
        if around.by_it
            && let Some(defined) = self.defined_movers.get(&mv).copied()
            && let Some(mv) = self.rules.moves.get_mut(mv.0)
        {
            mv.moved.get_or_insert(defined);
        }
        if around.by_it && self.rules.moves.get(mv.0).is_some_and(|mv| mv.moved.is_none()) {
            self.report(
                Diagnostic::new(
                    Code::BadPattern,
                    name.span,
                    format!("`{}` moves no piece, so that nothing can go on with it", name.text),
                )
                .help("`by it` and `chain` go on with a piece that moves: write `part -> to`, not `part becomes empty` and `to becomes ...`"),
            );
        }
        if around.by_it {
            self.it();
        }
        let with = around
            .with
            .iter()
            .map(|condition| self.on_parts(mv, |checker| checker.typed(condition, Type::Condition)))
            .collect();
        let until = around
            .until
            .as_ref()
            .map(|(condition, _)| self.on_parts(mv, |checker| checker.typed(condition, Type::Condition)));
        let call = self.node(NodeKind::Call(Call { mv, by_it: around.by_it, with, until }), name.span);
        self.rules.graph.add_edge(call, exit, Edge::Next);
        if let Some((_, leave)) = &around.until {
            self.rules.graph.add_edge(call, *leave, Edge::Until);
        }
        if let Some(entry) = self.rules.moves.get(mv.0).map(|mv| mv.entry) {
            self.rules.graph.add_edge(call, entry, Edge::Plays);
        }
        Some(call)
    }

    /// The moves that a name in an event means: a move, or every move of a pattern.
    pub(super) fn moves_named(&mut self, name: &ast::Name) -> Vec<MoveId> {
        if let Some(mv) = self.move_ids.get(&name.text) {
            let mv = *mv;
            self.mark_used(Defined::Move, &name.text);
            self.note(name.span, Meaning::Move);
            return vec![mv];
        }
        let Some(pattern) = self.patterns.get(&name.text).map(Rc::clone) else {
            self.unknown_move(name, true);
            return Vec::new();
        };
        self.mark_used(Defined::Pattern, &name.text);
        self.note(name.span, Meaning::Pattern);
        let mut found = BTreeSet::new();
        let mut visited = BTreeSet::from([name.text.clone()]);
        self.moves_in(&pattern, &mut found, &mut visited);
        found.into_iter().collect()
    }

    fn moves_in(&self, pattern: &ast::Pattern, found: &mut BTreeSet<MoveId>, visited: &mut BTreeSet<String>) {
        match &pattern.kind {
            PatternKind::Nothing => {}
            PatternKind::Name(name) => {
                if let Some(mv) = self.move_ids.get(&name.text) {
                    found.insert(*mv);
                } else if let Some(inner) = self.patterns.get(&name.text)
                    && visited.insert(name.text.clone())
                {
                    self.moves_in(inner, found, visited);
                }
            }
            PatternKind::Sequence(parts) | PatternKind::Either(parts) | PatternKind::Else(parts) => {
                parts.iter().for_each(|part| self.moves_in(part, found, visited));
            }
            PatternKind::Maybe(inner)
            | PatternKind::Again(inner)
            | PatternKind::Chain(inner)
            | PatternKind::ByIt(inner) => {
                self.moves_in(inner, found, visited);
            }
            PatternKind::With(inner, _)
            | PatternKind::Until(inner, _)
            | PatternKind::SuchThat(inner, _)
            | PatternKind::When(inner, _) => {
                self.moves_in(inner, found, visited);
            }
        }
    }

    // ---- endings ----
}
