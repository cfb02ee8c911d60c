//! The clauses of checked rules, and which of them were reached, were true and were false in play.

use super::{Change, Chronicle, Duty, DutyKind, EndingResult, Event, Expr, ExprKind, NodeKind, Role, Rules, Type};
use crate::source::{SourceId, Span};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// A place in the rules that play may reach: a line, or one condition of it.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Clause {
    /// It holds or fails, as against being done.
    pub condition: bool,
    pub held: bool,
    pub failed: bool,
    /// How often it was asked or done.
    pub times: u64,
}

impl Clause {
    /// What play has left out, if anything.
    #[must_use]
    pub fn missing(&self) -> Option<&'static str> {
        match (self.held, self.failed || !self.condition) {
            (true, true) => None,
            (true, false) => Some("never false"),
            (false, _) if self.failed => Some("never true"),
            (false, _) => Some("never reached"),
        }
    }
}

/// What became of a change when it had something to put on a site.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Fate {
    /// How often all changes of its stage could be made.
    pub made: u64,
    /// How often they could not, since this one and another put different things on one site.
    pub met: u64,
    /// The change that it met first.
    pub other: Option<Span>,
}

/// Notes which clauses of one text were reached. Clauses are known by their place, since the same text under
/// different options gives different graphs.
#[derive(Debug, Default)]
pub struct Recorder {
    clauses: Mutex<BTreeMap<Span, Clause>>,
    fates: Mutex<BTreeMap<Span, Fate>>,
}

impl Recorder {
    /// Adds the clauses of these rules that stand in one text.
    pub fn watch(&self, rules: &Rules, text: SourceId) {
        let found = Clauses::of(rules);
        let mut clauses = self.clauses.lock().unwrap_or_else(PoisonError::into_inner);
        for (span, condition) in found {
            if span.source == text {
                clauses.entry(span).or_default().condition |= condition;
            }
        }
    }

    /// Notes a further place, where something may fail.
    pub fn expect(&self, span: Span) {
        let mut clauses = self.clauses.lock().unwrap_or_else(PoisonError::into_inner);
        clauses.entry(span).or_default();
    }

    /// A condition held or failed; a line was done.
    pub fn saw(&self, span: Span, held: bool) {
        let mut clauses = self.clauses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(clause) = clauses.get_mut(&span) {
            clause.held |= held;
            clause.failed |= !held;
            clause.times += 1;
        }
    }

    /// A change that has something to put on a site was made together with the others of its stage.
    pub fn made(&self, change: Span) {
        let mut fates = self.fates.lock().unwrap_or_else(PoisonError::into_inner);
        fates.entry(change).or_default().made += 1;
    }

    /// Two changes of a stage put different things on one site, so that none of it was made.
    pub fn met(&self, changes: [Span; 2]) {
        let mut fates = self.fates.lock().unwrap_or_else(PoisonError::into_inner);
        let [one, two] = changes;
        for (change, other) in [(one, two), (two, one)] {
            let fate = fates.entry(change).or_default();
            fate.met += 1;
            fate.other.get_or_insert(other);
        }
    }

    /// What became of the changes of all texts, in the order of the text.
    #[must_use]
    pub fn fates(&self) -> BTreeMap<Span, Fate> {
        self.fates.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The clauses in the order of the text.
    #[must_use]
    pub fn clauses(&self) -> Vec<(Span, Clause)> {
        let clauses = self.clauses.lock().unwrap_or_else(PoisonError::into_inner);
        clauses.iter().map(|(span, clause)| (*span, *clause)).collect()
    }
}

/// A bound on turns or plies is there so as not to be reached.
fn is_limit(condition: &Expr) -> bool {
    let ExprKind::Compare { first, .. } = &condition.kind else { return false };
    matches!(&first.kind, ExprKind::Primitive(word, _) if word.counts.is_some())
}

/// What asks for a key of a case stands where the key does. It refuses nothing by itself, and the last one may always hold where
/// it is asked.
fn is_key(condition: &Expr) -> bool {
    let stands_there = |right: &Expr| right.span == condition.span;
    if let ExprKind::In { right, .. } = &condition.kind {
        return stands_there(right);
    }
    matches!(&condition.kind, ExprKind::Compare { rest, .. } if rest.iter().any(|(_, right)| stands_there(right)))
}

/// Gathers the clauses of everything that play can come to.
struct Clauses {
    /// Whether the clause at a place is a condition.
    found: BTreeMap<Span, bool>,
    waiting: Vec<NodeIndex>,
}

impl Clauses {
    fn of(rules: &Rules) -> BTreeMap<Span, bool> {
        let mut clauses = Self { found: BTreeMap::new(), waiting: Vec::new() };
        for word in &rules.words {
            clauses.typed(&word.body, word.result);
        }
        for chronicle in &rules.chronicles {
            if let Chronicle::Happened { event, .. }
            | Chronicle::LastTo { event, .. }
            | Chronicle::Without { event, .. } = chronicle
            {
                clauses.event(event);
            }
        }
        let after = rules.after_turn.and_then(|mv| rules.moves.get(mv.0));
        clauses.waiting.extend(after.map(|mv| mv.entry));
        for turn in &rules.turns {
            clauses.waiting.push(turn.entry);
            turn.duties.iter().for_each(|duty| clauses.duty(duty));
        }
        for ending in &rules.endings {
            match &ending.condition {
                Some(condition) if is_limit(condition) => {}
                Some(condition) => clauses.condition(condition),
                None => clauses.line(ending.span),
            }
            if let EndingResult::Ranks(by) = &ending.result {
                clauses.value(by);
            }
        }
        for (favoured, guard) in &rules.ties {
            clauses.line(favoured.span);
            clauses.value(favoured);
            guard.iter().for_each(|guard| clauses.condition(guard));
        }
        let mut visited = BTreeSet::new();
        while let Some(node) = clauses.waiting.pop() {
            if visited.insert(node) {
                clauses.node(rules, node);
                clauses.waiting.extend(rules.graph.neighbors(node));
            }
        }
        clauses.found
    }

    fn line(&mut self, span: Span) {
        self.found.entry(span).or_insert(false);
    }

    fn node(&mut self, rules: &Rules, node: NodeIndex) {
        let Some(node) = rules.graph.node_weight(node) else { return };
        match &node.kind {
            NodeKind::Guard { condition, .. } | NodeKind::Require { condition, .. } => self.condition(condition),
            NodeKind::Call(call) => {
                self.line(node.span);
                call.with.iter().chain(&call.until).for_each(|condition| self.condition(condition));
            }
            NodeKind::Choose { domain, conditions, guard, .. } => {
                self.line(node.span);
                self.value(domain);
                conditions.iter().chain(guard).for_each(|condition| self.condition(condition));
            }
            NodeKind::Let { value, guard, .. } => {
                self.line(node.span);
                self.value(value);
                guard.iter().for_each(|guard| self.condition(guard));
            }
            NodeKind::Weigh(weight) => {
                self.line(node.span);
                self.value(weight);
            }
            NodeKind::Change(changes) => changes.iter().for_each(|change| self.change(change)),
            NodeKind::Repeat { times, condition, changes } => {
                self.value(times);
                condition.iter().for_each(|condition| self.condition(condition));
                changes.iter().for_each(|change| self.change(change));
            }
            NodeKind::Turn | NodeKind::Fork | NodeKind::Prefer | NodeKind::End | NodeKind::Move(_) | NodeKind::Done => {
            }
        }
    }

    fn change(&mut self, change: &Change) {
        // What follows from another line is no clause of the text.
        if change.carried {
            return;
        }
        self.line(change.span);
        change.guard.iter().for_each(|guard| self.condition(guard));
        change.each.iter().for_each(|(_, domain)| self.value(domain));
        change.kind.exprs().into_iter().for_each(|part| self.value(part));
    }

    /// Of a duty that bars plies it is asked whether it ever did.
    fn duty(&mut self, duty: &Duty) {
        duty.guard.iter().for_each(|guard| self.condition(guard));
        self.found.insert(duty.span, !matches!(duty.kind, DutyKind::ExtraTurn | DutyKind::NextTurn(_)));
        match &duty.kind {
            DutyKind::Must(event) => self.event(event),
            DutyKind::MustMost(value) | DutyKind::NextTurn(value) => self.value(value),
            DutyKind::ExtraTurn => {}
        }
    }

    fn event(&mut self, event: &Event) {
        event.alternatives.iter().flat_map(|(_, with)| with).for_each(|condition| self.condition(condition));
    }

    fn typed(&mut self, expr: &Expr, ty: Type) {
        if ty == Type::Condition { self.condition(expr) } else { self.value(expr) }
    }

    /// Conditions joined by `and`, `or` and `not` are clauses each.
    fn condition(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Constant(_) => {}
            ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Not(_) | ExprKind::Before(_) | ExprKind::If { .. } => {
                expr.children().into_iter().for_each(|part| self.condition(part));
            }
            _ => {
                self.found.insert(expr.span, !is_key(expr));
                self.value(expr);
            }
        }
    }

    /// The conditions inside anything else.
    fn value(&mut self, expr: &Expr) {
        if let ExprKind::Possible { entry, .. } = expr.kind {
            self.waiting.push(entry);
        }
        // A value that goes along with a piece is given to one that is there: of that condition the text says nothing.
        if let ExprKind::If { then, .. } = &expr.kind
            && then.span == expr.span
        {
            return self.value(then);
        }
        expr.kind.visit(&mut |part, role| match role {
            Role::Condition => self.condition(part),
            Role::Operand | Role::Domain => self.value(part),
        });
    }
}
