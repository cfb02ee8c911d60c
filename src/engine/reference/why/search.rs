//! The graph walked with the parts that a text names, up to the clause that stops them.

use super::super::eval::{Frame, View, leave_out, set_local, unpicked};
use super::super::values::{Deciding, contains};
use super::super::{Ply, Reference, State};
use super::{Cause, Reached, Reading, Refusal, Stage};
use crate::board::{Site, SiteSet};
use crate::rules::{self, Call, Change, Expr, ExprKind, Local, MAX_ROUNDS, Node, NodeKind, Value};
use petgraph::graph::NodeIndex;
use std::ops::ControlFlow;

/// So many nodes are walked with sites that no rule offers for the parts that the text leaves open.
const MAX_TRIES: usize = 20_000;

/// The walk of one reading, and what has been found on it.
pub(super) struct Search<'r, 's> {
    engine: &'r Reference,
    state: &'s State,
    reading: &'s Reading,
    whole: bool,
    /// The clauses passed on the present way.
    trail: Vec<&'r Node>,
    pub(super) best: Option<Refusal<'r>>,
    /// How many nodes may still be walked past a breach.
    tries: usize,
    /// The refusal passed over on the present way, to see whether it is the only one.
    breach: Option<Refusal<'r>>,
    /// The first ply that nothing but a duty can refuse, with its way.
    pub(super) made: Option<(Ply, Vec<&'r Node>)>,
}

/// The call whose move is being made.
#[derive(Clone, Copy)]
struct Calling<'r> {
    node: NodeIndex,
    clause: &'r Node,
    call: &'r Call,
}

/// Where in the body of a move the walk is.
#[derive(Clone, Copy)]
struct At<'v, 'r> {
    view: View<'v>,
    node: NodeIndex,
    clause: &'r Node,
    /// The site of the piece moved or placed.
    it: Option<Site>,
    calling: Calling<'r>,
}

impl<'r, 's> Search<'r, 's> {
    pub(super) fn through(engine: &'r Reference, state: &'s State, reading: &'s Reading) -> Self {
        let whole = engine.rules().turns.get(state.section).is_some_and(|turn| turn.whole);
        let trail = Vec::new();
        let mut search = Self { engine, state, reading, whole, trail, best: None, tries: 0, breach: None, made: None };
        for tries in [0, MAX_TRIES] {
            search.tries = tries;
            if search.made.is_none() {
                state.places.iter().for_each(|place| search.turn(*place, &mut Vec::new()));
            }
        }
        search
    }

    fn refuse(&mut self, stage: Stage, within: usize, cause: Cause<'r>, values: impl FnOnce(&mut Deciding<'r>)) {
        let reached = (stage, self.trail.len(), within);
        if self.breach.is_none() && self.best.as_ref().is_none_or(|best| reached > best.reached) {
            self.best = Some(self.refusal(reached, cause, values));
        }
    }

    fn keep(&mut self, refusal: Refusal<'r>) {
        if self.breach.is_none() && self.best.as_ref().is_none_or(|best| refusal.is_further_than(best)) {
            self.best = Some(refusal);
        }
    }

    fn refusal(&self, reached: Reached, cause: Cause<'r>, values: impl FnOnce(&mut Deciding<'r>)) -> Refusal<'r> {
        let mut found = Deciding::new(self.engine.rules());
        values(&mut found);
        Refusal { reached, mv: self.reading.mv, cause, values: found.found() }
    }

    fn said(&self, local: Local) -> Option<&Value> {
        let of = |expr: &Expr| matches!(expr.kind, ExprKind::Local(own) if own == local);
        self.reading.said.iter().find(|(expr, _)| of(expr)).map(|(_, value)| value)
    }

    /// Whether plies of the move are to be had from a node on, whatever stands before them.
    fn leads(&self, node: NodeIndex) -> bool {
        self.engine.below(&[node], false).into_iter().any(|node| {
            matches!(self.engine.node(node), Some(Node { kind: NodeKind::Call(call), .. }) if call.mv == self.reading.mv)
        })
    }

    /// Follows the turn to the calls of the move.
    fn turn(&mut self, node: NodeIndex, path: &mut Vec<NodeIndex>) {
        let engine = self.engine;
        let Some(weight) = engine.node(node) else { return };
        if path.contains(&node) || !self.leads(node) {
            return;
        }
        path.push(node);
        self.trail.push(weight);
        match &weight.kind {
            NodeKind::Call(call) => {
                if let Some(mv) = engine.rules().moves.get(call.mv.0) {
                    let calling = Calling { node, clause: weight, call };
                    let view = View::of(engine, self.state);
                    self.walk(view, mv.entry, None, calling, &mut unpicked(mv));
                }
            }
            NodeKind::Guard { condition, holds }
                if View::of(engine, self.state).holds(condition, &mut Frame::new()) != *holds =>
            {
                let view = View::of(engine, self.state);
                self.refuse(Stage::Offer, 0, Cause::Closed { guard: weight }, |values| {
                    values.condition(&view, condition, &mut Frame::new());
                });
            }
            NodeKind::Prefer => self.prefer(node, weight, path),
            _ => engine.ways(node).iter().for_each(|(_, next)| self.turn(*next, path)),
        }
        self.trail.pop();
        path.pop();
    }

    /// The ways of an `else`, up to the first that offers anything.
    fn prefer(&mut self, node: NodeIndex, weight: &'r Node, path: &mut Vec<NodeIndex>) {
        let ways = self.engine.ways(node);
        for (index, (_, next)) in ways.iter().enumerate() {
            self.turn(*next, path);
            let (mut by, mut ends) = (None, false);
            let _ = self.engine.visit(self.state, *next, self.whole, 0, &mut ends, &mut path.clone(), &mut |ply| {
                by = Some(Box::new(ply));
                ControlFlow::Break(())
            });
            if by.is_some() || ends {
                if ways[index + 1..].iter().any(|(_, later)| self.leads(*later)) {
                    self.refuse(Stage::Offer, 0, Cause::Shut { prefer: weight, by }, |_| {});
                }
                return;
            }
        }
    }

    /// Follows the body of the move as the engine does, but picks what the text says.
    fn walk(&mut self, view: View<'_>, node: NodeIndex, it: Option<Site>, calling: Calling<'r>, frame: &mut Frame) {
        let Some(clause) = self.engine.node(node) else { return };
        if self.breach.is_some() {
            match self.tries.checked_sub(1) {
                Some(left) => self.tries = left,
                None => return,
            }
        }
        self.trail.push(clause);
        self.step(At { view, node, clause, it, calling }, frame);
        self.trail.pop();
    }

    fn onward(&mut self, at: At<'_, 'r>, frame: &mut Frame) {
        let engine = self.engine;
        engine.ways(at.node).iter().for_each(|(_, next)| self.walk(at.view, *next, at.it, at.calling, frame));
    }

    fn step(&mut self, at: At<'_, 'r>, frame: &mut Frame) {
        let At { view, clause, .. } = at;
        match &clause.kind {
            NodeKind::Done => return self.done(at, frame),
            // Left out, it has no value; the frame may still hold the one it had on another way.
            NodeKind::Choose { local, guard: Some(guard), .. } if !view.holds(guard, frame) => {
                leave_out(frame, local.0);
            }
            NodeKind::Choose { local, domain, conditions, .. } => {
                return self.pick(at, (*local, domain), conditions, frame);
            }
            NodeKind::Let { local, value, guard } => {
                let open = guard.as_ref().is_none_or(|guard| view.holds(guard, frame));
                if open {
                    let found = view.eval(value, frame);
                    set_local(frame, local.0, found);
                } else {
                    leave_out(frame, local.0);
                }
                let found = frame.get(local.0).cloned().unwrap_or(Value::Condition(None));
                if self.said(*local).is_some_and(|said| !fits(said, &found)) {
                    let cause = Cause::Differs { define: clause, local: *local, value: found };
                    return self.refuse(Stage::Body, 0, cause, |values| values.value(&view, value, frame));
                }
            }
            NodeKind::Require { condition, .. } if !view.holds(condition, frame) => {
                let cause = Cause::Fails { clause, condition, of: None };
                return self.refuse(Stage::Body, 0, cause, |values| values.condition(&view, condition, frame));
            }
            NodeKind::Weigh(weight) if rules::weight(view.eval(weight, frame).number()).is_none() => {
                let cause = Cause::Weightless { clause };
                return self.refuse(Stage::Body, 0, cause, |values| values.value(&view, weight, frame));
            }
            NodeKind::Guard { condition, holds } if view.holds(condition, frame) != *holds => {
                let cause = Cause::Closed { guard: clause };
                return self.refuse(Stage::Body, 0, cause, |values| values.condition(&view, condition, frame));
            }
            NodeKind::Change(changes) => {
                return match self.engine.apply(&view, changes, frame) {
                    Some((state, moved)) => {
                        self.onward(At { view: view.at(&state), it: at.it.or(moved), ..at }, frame);
                    }
                    None => {
                        // The first change that cannot be made, or does not go with those before it.
                        let fails = |change: &&Change| {
                            let upto = changes.iter().position(|other| std::ptr::eq(other, *change)).unwrap_or(0);
                            self.engine.apply(&view, &changes[..=upto], &mut frame.clone()).is_none()
                        };
                        let change = changes.iter().find(fails);
                        let meets = change.and_then(|change| self.met(&view, change, changes, frame));
                        self.impossible(&view, change, meets, frame);
                    }
                };
            }
            NodeKind::Repeat { times, condition, changes } => {
                let rounds = view.eval(times, frame).number().unwrap_or(0).clamp(0, MAX_ROUNDS.into());
                let mut state = view.state.clone();
                for _ in 0..rounds {
                    if condition.as_ref().is_some_and(|condition| !view.at(&state).holds(condition, frame)) {
                        break;
                    }
                    for change in changes {
                        match self.engine.apply(&view.at(&state), std::slice::from_ref(change), frame) {
                            Some((changed, _)) => state = changed,
                            None => return self.impossible(&view.at(&state), Some(change), None, frame),
                        }
                    }
                }
                return self.onward(At { view: view.at(&state), ..at }, frame);
            }
            _ => {}
        }
        self.onward(at, frame);
    }

    /// Picks a part: what the text says, or else everything that the rules offer.
    fn pick(&mut self, at: At<'_, 'r>, (part, domain): (Local, &'r Expr), conditions: &'r [Expr], frame: &mut Frame) {
        let said = self.said(part).cloned();
        let offered = at.view.eval(domain, frame);
        let mut members = offered.members();
        members.retain(|member| said.as_ref().is_none_or(|said| fits(said, member)));
        if members.is_empty() {
            let refusal = self.outside(at, (part, domain), said.clone(), frame);
            self.keep(refusal);
        }
        for value in members {
            set_local(frame, part.0, value);
            match self.failing(at, conditions, frame) {
                Some(refusal) => self.keep(refusal),
                None => self.onward(at, frame),
            }
        }
        if let (None, Value::Sites(offered)) = (said, offered) {
            self.stretch(at, (part, domain, offered.get()), conditions, frame);
        }
    }

    /// A site that the rules bar from a part may be the one that is meant: told if nothing else stands in the way.
    fn stretch(
        &mut self,
        at: At<'_, 'r>,
        (part, domain, offered): (Local, &'r Expr, SiteSet),
        conditions: &'r [Expr],
        frame: &mut Frame,
    ) {
        for site in self.engine.rules().board.all().iter() {
            if self.tries == 0 || self.breach.is_some() {
                return;
            }
            let value = Value::of_site(site);
            set_local(frame, part.0, value.clone());
            let mut breach = match (offered.contains(site), self.failing(at, conditions, frame)) {
                (true, None) | (false, Some(_)) => continue,
                (true, Some(refusal)) => refusal,
                (false, None) => self.outside(at, (part, domain), Some(value.clone()), frame),
            };
            if let Cause::Fails { of, .. } = &mut breach.cause {
                *of = Some((part, value));
            }
            self.breach = Some(breach);
            self.onward(at, frame);
            self.breach = None;
        }
    }

    /// The first condition of a part that does not hold.
    fn failing(&self, at: At<'_, 'r>, conditions: &'r [Expr], frame: &mut Frame) -> Option<Refusal<'r>> {
        let (index, condition) =
            conditions.iter().enumerate().find(|(_, condition)| !at.view.holds(condition, frame))?;
        // Whatever the set was made of, it has been passed.
        let reached = (Stage::Body, self.trail.len(), 100 + index);
        let cause = Cause::Fails { clause: at.clause, condition, of: None };
        Some(self.refusal(reached, cause, |values| values.condition(&at.view, condition, frame)))
    }

    /// A part cannot be what the text says, or there is nothing that it could be.
    fn outside(
        &self,
        at: At<'_, 'r>,
        (part, domain): (Local, &'r Expr),
        member: Option<Value>,
        frame: &mut Frame,
    ) -> Refusal<'r> {
        let At { view, clause, .. } = at;
        let Some(member) = member else {
            let cause = Cause::Outside { choose: clause, part, member: None, set: domain, inside: false };
            let reached = (Stage::Body, self.trail.len(), 0);
            return self.refusal(reached, cause, |values| values.value(&view, domain, frame));
        };
        let mut set = domain;
        let mut within = 0;
        while let ExprKind::Intersection(parts) = &set.kind {
            let missing: Vec<&Expr> = parts.iter().filter(|part| !contains(&view, part, &member, frame)).collect();
            within = parts.len() - missing.len();
            match missing.first() {
                Some(first) => set = first,
                None => break,
            }
        }
        let (set, inside) = match &set.kind {
            ExprKind::Complement(inner) => (&**inner, true),
            _ => (set, false),
        };
        let cause = Cause::Outside { choose: clause, part, member: Some(member.clone()), set, inside };
        let reached = (Stage::Body, self.trail.len(), within.min(99));
        self.refusal(reached, cause, |values| values.member(&view, set, &member, frame))
    }

    /// The change of a stage that another one does not go with, though each could be made alone.
    fn met(
        &self,
        view: &View<'_>,
        change: &Change,
        changes: &'r [Change],
        frame: &Frame,
    ) -> Option<(&'r Change, Option<Site>)> {
        let can = |changes: &[Change]| self.engine.apply(view, changes, &mut frame.clone()).is_some();
        let before = changes.iter().take_while(|other| !std::ptr::eq(*other, change));
        let mut meeting = before.filter(|other| !can(&[(*other).clone(), change.clone()]));
        let other = meeting.next().filter(|_| can(std::slice::from_ref(change)))?;
        Some((other, self.engine.meeting_place(view, [other, change], frame)))
    }

    fn impossible(
        &mut self,
        view: &View<'_>,
        change: Option<&'r Change>,
        meets: Option<(&'r Change, Option<Site>)>,
        frame: &mut Frame,
    ) {
        let Some(change) = change else { return };
        self.refuse(Stage::Body, 0, Cause::Impossible { change, meets }, |values| {
            change.kind.exprs().into_iter().for_each(|expr| values.value(view, expr, frame));
        });
    }

    /// The move is made: what remains is what the call and the rest of the turn ask of it.
    fn done(&mut self, at: At<'_, 'r>, frame: &mut Frame) {
        let Calling { node, clause, call } = at.calling;
        let engine = self.engine;
        let view = View::of(engine, self.state);
        let written = |(expr, said): &(Expr, Value)| fits(said, &view.eval(expr, &mut frame.clone()));
        if !self.reading.said.iter().all(written) {
            let mv = self.trail.iter().rev().find(|node| matches!(node.kind, NodeKind::Move(_)));
            let cause = Cause::Written { clause: mv.unwrap_or(&clause) };
            return self.refuse(Stage::Ply, 0, cause, |_| {});
        }
        if call.by_it {
            let it = engine.it(self.state);
            let moved =
                engine.rules().moves.get(call.mv.0).and_then(|mv| mv.moved).and_then(|local| frame.get(local.0));
            if moved.and_then(Value::site) != it {
                return self.refuse(Stage::Ply, 1, Cause::OtherPiece { clause, it }, |_| {});
            }
        }
        for (index, condition) in call.with.iter().enumerate() {
            if !view.holds(condition, frame) {
                let cause = Cause::Fails { clause, condition, of: None };
                return self.refuse(Stage::Ply, 2 + index, cause, |values| values.condition(&view, condition, frame));
            }
        }
        let ply = engine.made(&view, node, call, at.view.state, at.it, frame);
        if self.whole {
            let after = engine.after(self.state, &ply);
            if !engine.completable(&after, 1) {
                return self.unfinished(&after);
            }
        }
        match self.breach.take() {
            Some(only) => {
                self.keep(Refusal { reached: (Stage::Ply, 0, 0), ..only.clone() });
                self.breach = Some(only);
            }
            None if self.made.is_none() => self.made = Some((ply, self.trail.clone())),
            None => {}
        }
    }

    /// No way leads from here to the end of the turn: the condition at that end tells most.
    fn unfinished(&mut self, after: &State) {
        let engine = self.engine;
        let last = |node: &&NodeIndex| {
            let ends =
                |(_, next): &(_, NodeIndex)| matches!(engine.node(*next), Some(Node { kind: NodeKind::End, .. }));
            matches!(engine.node(**node), Some(Node { kind: NodeKind::Guard { holds: true, .. }, .. }))
                && engine.ways(**node).iter().any(ends)
        };
        let here = engine.below(&after.places, false).iter().find(last).and_then(|node| engine.node(*node));
        let ahead = || engine.below(&after.places, true).iter().find(last).and_then(|node| engine.node(*node));
        let clause = here.or_else(ahead).or_else(|| engine.place(after));
        self.refuse(Stage::Turn, 0, Cause::Unfinished { clause }, |values| {
            if let Some(Node { kind: NodeKind::Guard { condition, .. }, .. }) = here {
                values.condition(&View::of(engine, after), condition, &mut Frame::new());
            }
        });
    }
}

/// Whether a value is the one that a text says; a dash says nothing, or zero.
fn fits(said: &Value, value: &Value) -> bool {
    let nothing = || match value {
        Value::Condition(None) | Value::Number(None | Some(0)) | Value::Piece(None) => true,
        set => set.is_empty_set(),
    };
    said == value || *said == Value::Condition(None) && nothing()
}
