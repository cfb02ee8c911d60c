//! Why a move is refused: the graph is walked with the parts that a text names, up to the clause that stops them.

use super::eval::{Frame, View, set_local};
use super::plies::Ply;
use super::values::{Deciding, Values, contains};
use super::{Reference, Situation, State};
use crate::board::Site;
use crate::rules::{
    Call, Change, Duty, DutyKind, EndingResult, Expr, ExprKind, Local, MoveId, Node, NodeKind, PlayerId, Players, Value,
};
use petgraph::graph::NodeIndex;
use std::ops::ControlFlow;

/// What a text says: a move, and the values of parts or of other expressions of its notation.
#[derive(Clone, Debug)]
pub struct Reading {
    pub mv: MoveId,
    /// No value (`Value::Condition(None)`) stands for what is written as a dash.
    pub said: Vec<(Expr, Value)>,
}

/// How far a move comes before it is refused; the later stage is the further one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stage {
    Offer,
    Body,
    Ply,
    Turn,
}

/// The stage, the clauses passed, and what was passed within the last one.
type Reached = (Stage, usize, usize);

/// The clause that stops a move.
#[derive(Debug)]
pub enum Cause<'r> {
    /// The turn goes on with other moves here.
    NotOffered {
        place: Option<&'r Node>,
        instead: Vec<MoveId>,
    },
    /// A part of the turn, or of the move, is there only if a condition holds, or does not.
    Closed {
        guard: &'r Node,
    },
    /// Something before `else` is possible: a ply, or else the end of the turn.
    Shut {
        prefer: &'r Node,
        by: Option<Ply>,
    },
    /// A part is not in the set it is picked from, or is in one that it must not be in; none if there is nothing to pick.
    Outside {
        choose: &'r Node,
        part: Local,
        member: Option<Value>,
        set: &'r Expr,
        inside: bool,
    },
    Fails {
        clause: &'r Node,
        condition: &'r Expr,
    },
    /// A definition comes to another value than the text says.
    Differs {
        define: &'r Node,
        local: Local,
        value: Value,
    },
    /// A stage wants to put a piece nowhere, or two on one site, or to remember what is out of range.
    Impossible {
        change: &'r Change,
    },
    /// The parts would be written otherwise.
    Written {
        clause: &'r Node,
    },
    /// Only the piece on this site may move on.
    OtherPiece {
        clause: &'r Node,
        it: Option<Site>,
    },
    Unfinished {
        clause: Option<&'r Node>,
    },
    /// A duty wants another ply.
    Barred {
        duty: &'r Duty,
        by: Option<Ply>,
    },
    /// Other plies lead to more.
    Fewer {
        duty: &'r Duty,
        own: Option<i64>,
        most: i64,
    },
}

#[derive(Debug)]
pub struct Refusal<'r> {
    reached: Reached,
    pub mv: MoveId,
    pub cause: Cause<'r>,
    pub values: Values<'r>,
}

impl Refusal<'_> {
    /// Whether a move came further than another one.
    #[must_use]
    pub fn is_further_than(&self, other: &Self) -> bool {
        self.reached > other.reached
    }
}

impl Reference {
    /// The clauses that a move passes, or the one that stops it.
    pub fn why<'r>(&'r self, state: &State, reading: &Reading) -> Result<Vec<&'r Node>, Refusal<'r>> {
        let whole = self.rules().turns.get(state.section).is_some_and(|turn| turn.whole);
        let mut search = Search { engine: self, state, reading, whole, trail: Vec::new(), best: None, made: None };
        for place in &state.places {
            search.turn(*place, &mut Vec::new());
        }
        match (search.made, search.best) {
            (Some((ply, trail)), _) => self.obeys(state, &ply).map(|()| trail),
            (None, Some(refusal)) => Err(refusal),
            (None, None) => Err(self.not_offered(state, reading.mv)),
        }
    }

    /// The clauses that a lawful ply passes.
    #[must_use]
    pub fn passed<'r>(&'r self, state: &State, ply: &Ply) -> Vec<&'r Node> {
        let names = self.rules().moves.get(ply.mv.0).map(|mv| mv.names.as_slice()).unwrap_or_default();
        let part = |(named, value): (&crate::rules::Named, Value)| {
            (Expr { kind: ExprKind::Local(named.local), span: named.span }, value)
        };
        let said = names.iter().filter(|named| named.part).zip(self.parts(ply)).map(part).collect();
        self.why(state, &Reading { mv: ply.mv, said }).unwrap_or_default()
    }

    /// What decided that a game is over.
    #[must_use]
    pub fn why_over<'r>(&'r self, situation: &Situation) -> Values<'r> {
        let state = &situation.state;
        let Some(outcome) = &situation.outcome else { return Vec::new() };
        let Some(ending) = outcome.ending.and_then(|ending| self.rules().endings.get(ending)) else {
            return Vec::new();
        };
        let Some(condition) = &ending.condition else { return Vec::new() };
        let following = self.following(state);
        let mut before = state.clone();
        before.mover = self.player_before(state);
        // A situation does not tell when it was judged: after a ply, a turn, in the middle of one, or when set up.
        let judged = [
            (View::of(self, state), true),
            (self.between(state, &following, self.legal(&following).plies.is_empty()), false),
            (View { unfinished: true, ..View::of(self, state) }, false),
            (self.between(&before, state, true), false),
        ];
        let Some((view, _)) = judged.iter().find(|(view, once)| self.outcome(view, *once).as_ref() == Some(outcome))
        else {
            return Vec::new();
        };
        let mut frame = Frame::new();
        if let EndingResult::AnyPlayer { local, .. } = &ending.result {
            let count = self.rules().players.len().max(1);
            (0..count).map(|step| PlayerId(((usize::from(view.mover.0) + step) % count) as u8)).find(|player| {
                set_local(&mut frame, local.0, Value::Players(Players::single(*player)));
                view.holds(condition, &mut frame)
            });
        }
        let mut values = Deciding::new(self.rules());
        values.condition(view, condition, &mut frame);
        values.found()
    }

    fn node(&self, node: NodeIndex) -> Option<&Node> {
        self.rules().graph.node_weight(node)
    }

    /// The nodes from some on; plies are not passed unless that is wanted.
    fn below(&self, from: &[NodeIndex], through_plies: bool) -> Vec<NodeIndex> {
        let mut found: Vec<NodeIndex> = Vec::new();
        let mut waiting = from.to_vec();
        while let Some(node) = waiting.pop() {
            if found.contains(&node) {
                continue;
            }
            found.push(node);
            if through_plies || !matches!(self.node(node), Some(Node { kind: NodeKind::Call(_), .. })) {
                waiting.extend(self.ways(node).iter().rev().map(|(_, next)| *next));
            }
        }
        found
    }

    fn not_offered(&self, state: &State, mv: MoveId) -> Refusal<'_> {
        let mut instead: Vec<MoveId> = Vec::new();
        for node in self.below(&state.places, false) {
            if let Some(NodeKind::Call(call)) = self.node(node).map(|node| &node.kind)
                && !instead.contains(&call.mv)
            {
                instead.push(call.mv);
            }
        }
        let place = self.place(state);
        let cause = Cause::NotOffered { place, instead };
        Refusal { reached: (Stage::Offer, 0, 0), mv, cause, values: Vec::new() }
    }

    /// The pattern at which a turn has come.
    fn place(&self, state: &State) -> Option<&Node> {
        let place = *state.places.first()?;
        match self.node(place)?.kind {
            NodeKind::Turn => self.node(self.ways(place).first()?.1),
            _ => self.node(place),
        }
    }

    /// Whether the duties of the turn let a ply pass that is else offered.
    fn obeys(&self, state: &State, ply: &Ply) -> Result<(), Refusal<'_>> {
        let mut legal = self.offered(state);
        let parts = self.parts(ply);
        let same = |other: &Ply| other.mv == ply.mv && self.parts(other) == parts;
        let duties = self.rules().turns.get(state.section).map(|turn| turn.duties.as_slice()).unwrap_or_default();
        for (index, duty) in duties.iter().enumerate() {
            self.oblige(state, duty, &mut legal);
            if legal.plies.iter().any(same) {
                continue;
            }
            let view = View::of(self, state);
            let mut values = Deciding::new(self.rules());
            if let Some(guard) = &duty.guard {
                values.condition(&view, guard, &mut Frame::new());
            }
            let by = legal.plies.into_iter().next();
            let cause = match &duty.kind {
                DutyKind::MustMost(number) => {
                    let most = by.as_ref().and_then(|by| self.most(state, by, number, 1)).unwrap_or(0);
                    Cause::Fewer { duty, own: self.most(state, ply, number, 1), most }
                }
                DutyKind::Must(event) => {
                    let mine = event.alternatives.iter().find(|(mv, _)| *mv == ply.mv);
                    if let Some((_, Some(condition))) = mine {
                        values.condition(&view, condition, &mut ply.frame.clone());
                    }
                    Cause::Barred { duty, by }
                }
                DutyKind::ExtraTurn => Cause::Barred { duty, by },
            };
            return Err(Refusal { reached: (Stage::Turn, 1, index), mv: ply.mv, cause, values: values.found() });
        }
        Ok(())
    }
}

/// The walk of one reading, and what has been found on it.
struct Search<'r, 's> {
    engine: &'r Reference,
    state: &'s State,
    reading: &'s Reading,
    whole: bool,
    /// The clauses passed on the present way.
    trail: Vec<&'r Node>,
    best: Option<Refusal<'r>>,
    /// The first ply that nothing but a duty can refuse, with its way.
    made: Option<(Ply, Vec<&'r Node>)>,
}

/// The call whose move is being made.
#[derive(Clone, Copy)]
struct Calling<'r> {
    node: NodeIndex,
    clause: &'r Node,
    call: &'r Call,
}

impl<'r> Search<'r, '_> {
    fn refuse(&mut self, stage: Stage, within: usize, cause: Cause<'r>, values: impl FnOnce(&mut Deciding<'r>)) {
        let reached = (stage, self.trail.len(), within);
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
        use crate::rules::ChangeKind;
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
