//! The graph walked with the parts that a text names, up to the clause that stops them.

use super::super::eval::{Frame, View, set_local};
use super::super::values::{Deciding, contains};
use super::super::{Ply, Reference, State};
use super::{Cause, Reached, Reading, Refusal, Stage};
use crate::board::Site;
use crate::rules::{Call, Change, ChangeKind, Expr, ExprKind, Local, Node, NodeKind, Value};
use petgraph::graph::NodeIndex;
use std::ops::ControlFlow;

/// The walk of one reading, and what has been found on it.
pub(super) struct Search<'r, 's> {
    engine: &'r Reference,
    state: &'s State,
    reading: &'s Reading,
    whole: bool,
    /// The clauses passed on the present way.
    trail: Vec<&'r Node>,
    pub(super) best: Option<Refusal<'r>>,
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

impl<'r, 's> Search<'r, 's> {
    pub(super) fn through(engine: &'r Reference, state: &'s State, reading: &'s Reading) -> Self {
        let whole = engine.rules().turns.get(state.section).is_some_and(|turn| turn.whole);
        let mut search = Self { engine, state, reading, whole, trail: Vec::new(), best: None, made: None };
        state.places.iter().for_each(|place| search.turn(*place, &mut Vec::new()));
        search
    }

    fn refuse(&mut self, stage: Stage, within: usize, cause: Cause<'r>, values: impl FnOnce(&mut Deciding<'r>)) {
        let reached: Reached = (stage, self.trail.len(), within);
        if self.best.as_ref().is_none_or(|best| reached > best.reached) {
            let mut found = Deciding::new(self.engine.rules());
            values(&mut found);
            self.best = Some(Refusal { reached, mv: self.reading.mv, cause, values: found.found() });
        }
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
                let frame = engine.rules().moves.get(call.mv.0).map(|mv| (mv.entry, mv.names.len()));
                if let Some((entry, names)) = frame {
                    let view = View::of(engine, self.state);
                    let calling = Calling { node, clause: weight, call };
                    self.walk(&view, entry, None, &mut vec![Value::Condition(None); names], calling);
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
                by = Some(ply);
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
    fn walk(&mut self, view: &View<'_>, node: NodeIndex, it: Option<Site>, frame: &mut Frame, calling: Calling<'r>) {
        let Some(weight) = self.engine.node(node) else { return };
        self.trail.push(weight);
        self.step(view, node, weight, it, frame, calling);
        self.trail.pop();
    }

    fn onward(&mut self, view: &View<'_>, node: NodeIndex, it: Option<Site>, frame: &mut Frame, calling: Calling<'r>) {
        let engine = self.engine;
        engine.ways(node).iter().for_each(|(_, next)| self.walk(view, *next, it, frame, calling));
    }

    fn step(
        &mut self,
        view: &View<'_>,
        node: NodeIndex,
        weight: &'r Node,
        it: Option<Site>,
        frame: &mut Frame,
        calling: Calling<'r>,
    ) {
        match &weight.kind {
            NodeKind::Done => return self.done(view.state, it, frame, calling),
            NodeKind::Choose { local, domain, conditions } => {
                let said = self.said(*local).cloned();
                let members = view.eval(domain, frame).members();
                let picked: Vec<Value> =
                    members.into_iter().filter(|member| said.as_ref().is_none_or(|said| fits(said, member))).collect();
                if picked.is_empty() {
                    self.outside(view, weight, (*local, domain), said, frame);
                }
                for value in picked {
                    set_local(frame, local.0, value.clone());
                    match conditions.iter().position(|condition| !view.holds(condition, frame)) {
                        None => self.onward(view, node, it, frame, calling),
                        Some(failed) => {
                            let condition = &conditions[failed];
                            let cause = Cause::Fails { clause: weight, condition };
                            // Whatever the set was made of, it has been passed.
                            self.refuse(Stage::Body, 100 + failed, cause, |values| {
                                values.condition(view, condition, frame);
                            });
                        }
                    }
                    set_local(frame, local.0, value);
                }
                return;
            }
            NodeKind::Let { local, value, guard } => {
                let open = guard.as_ref().is_none_or(|guard| view.holds(guard, frame));
                let found = if open { view.eval(value, frame) } else { Value::Condition(None) };
                set_local(frame, local.0, found.clone());
                if self.said(*local).is_some_and(|said| !fits(said, &found)) {
                    let cause = Cause::Differs { define: weight, local: *local, value: found };
                    return self.refuse(Stage::Body, 0, cause, |values| values.value(view, value, frame));
                }
            }
            NodeKind::Require { condition, .. } if !view.holds(condition, frame) => {
                let cause = Cause::Fails { clause: weight, condition };
                return self.refuse(Stage::Body, 0, cause, |values| values.condition(view, condition, frame));
            }
            NodeKind::Guard { condition, holds } if view.holds(condition, frame) != *holds => {
                let cause = Cause::Closed { guard: weight };
                return self.refuse(Stage::Body, 0, cause, |values| values.condition(view, condition, frame));
            }
            NodeKind::Change(changes) => {
                return match self.engine.apply(view, changes, frame) {
                    Some((state, moved)) => self.onward(&view.at(&state), node, it.or(moved), frame, calling),
                    None => {
                        let made =
                            |count: &usize| self.engine.apply(view, &changes[..*count], &mut frame.clone()).is_some();
                        let count = (0..changes.len()).take_while(made).count();
                        self.impossible(view, changes.get(count.saturating_sub(1)), frame);
                    }
                };
            }
            NodeKind::Repeat { times, condition, changes } => {
                let rounds = view.eval(times, frame).number().unwrap_or(0).clamp(0, 10_000);
                let mut state = view.state.clone();
                for _ in 0..rounds {
                    if condition.as_ref().is_some_and(|condition| !view.at(&state).holds(condition, frame)) {
                        break;
                    }
                    for change in changes {
                        match self.engine.apply(&view.at(&state), std::slice::from_ref(change), frame) {
                            Some((changed, _)) => state = changed,
                            None => return self.impossible(&view.at(&state), Some(change), frame),
                        }
                    }
                }
                return self.onward(&view.at(&state), node, it, frame, calling);
            }
            _ => {}
        }
        self.onward(view, node, it, frame, calling);
    }

    /// A part has nothing to be picked from that the text allows.
    fn outside(
        &mut self,
        view: &View<'_>,
        choose: &'r Node,
        (part, domain): (Local, &'r Expr),
        member: Option<Value>,
        frame: &mut Frame,
    ) {
        let Some(member) = member else {
            let cause = Cause::Outside { choose, part, member: None, set: domain, inside: false };
            return self.refuse(Stage::Body, 0, cause, |values| values.value(view, domain, frame));
        };
        let mut set = domain;
        let mut within = 0;
        while let ExprKind::Intersection(parts) = &set.kind {
            let missing: Vec<&Expr> = parts.iter().filter(|part| !contains(view, part, &member, frame)).collect();
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
        let cause = Cause::Outside { choose, part, member: Some(member.clone()), set, inside };
        self.refuse(Stage::Body, within.min(99), cause, |values| values.member(view, set, &member, frame));
    }

    fn impossible(&mut self, view: &View<'_>, change: Option<&'r Change>, frame: &mut Frame) {
        let Some(change) = change else { return };
        self.refuse(Stage::Body, 0, Cause::Impossible { change }, |values| {
            let mut value = |expr: &'r Expr| values.value(view, expr, frame);
            match &change.kind {
                ChangeKind::Becomes { target, piece } => [target, piece].into_iter().for_each(value),
                ChangeKind::MoveTo { from, to, piece } => [from, to].into_iter().chain(piece).for_each(value),
                ChangeKind::Remember { index, value: remembered, .. } => {
                    index.iter().for_each(&mut value);
                    value(remembered);
                }
            }
        });
    }

    /// The move is made: what remains is what the call and the rest of the turn ask of it.
    fn done(&mut self, changed: &State, it: Option<Site>, frame: &mut Frame, calling: Calling<'r>) {
        let Calling { node, clause, call } = calling;
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
                let cause = Cause::Fails { clause, condition };
                return self.refuse(Stage::Ply, 2 + index, cause, |values| values.condition(&view, condition, frame));
            }
        }
        let ply = engine.made(&view, node, call, changed, it, frame);
        if self.whole {
            let after = engine.after(self.state, &ply);
            if !engine.completable(&after, 1) {
                return self.unfinished(&after);
            }
        }
        if self.made.is_none() {
            self.made = Some((ply, self.trail.clone()));
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
