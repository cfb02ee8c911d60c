//! Legal plies: the paths of the rule graph from a place in the turn to the next.

use super::eval::{Frame, View, empty_of, leave_out, set_local, unpicked};
use super::{Reference, State};
use crate::board::Site;
use crate::engine::steps::{Room, take, take_room};
use crate::rules::{
    self, Call, Chronicle, Duty, DutyKind, Edge, Event, MAX_ROUNDS, Move, MoveId, Named, NodeKind, NotationPiece,
    PlayerId, Rules, TurnOf, Value,
};
use petgraph::graph::NodeIndex;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

/// Searches over the rest of a turn stop here: a turn that needs more plies counts as impossible to finish.
const MAX_TURN: u32 = 64;

/// One decision: a move with its parts, and where in the turn it leads.
#[derive(Clone, Debug)]
pub struct Ply {
    pub mv: MoveId,
    /// The values of the move's parts and definitions.
    pub frame: Vec<Value>,
    /// The state when the move is made, before history and places are brought up to date.
    pub(super) changed: State,
    pub(super) it: Option<Site>,
    pub(super) places: Vec<NodeIndex>,
}

impl Ply {
    /// About how many bytes it takes in a list.
    pub(super) fn size(&self) -> u64 {
        let apart: usize = self.frame.iter().map(Value::room).sum();
        let values = size_of_val(self.frame.as_slice()) + apart + size_of_val(self.places.as_slice());
        let beside = values + size_of::<Self>() - size_of::<State>();
        self.changed.size().saturating_add(u64::try_from(beside).unwrap_or(u64::MAX))
    }

    /// The values of the parts alone, in the order of the text; one that is left out is `Value::Condition(None)`, whatever its
    /// type.
    pub fn parts<'a>(&'a self, rules: &'a Rules) -> impl Iterator<Item = Value> + 'a {
        let parts = rules.moves.get(self.mv.0).into_iter().flat_map(Move::parts);
        let picked = |name: &Named| self.frame.get(name.local.0).filter(|value| **value != empty_of(name.ty)).cloned();
        parts.map(move |name| picked(name).unwrap_or(Value::Condition(None)))
    }
}

/// What may be done at a place.
#[derive(Debug, Default)]
pub struct Legal {
    pub plies: Vec<Ply>,
    /// The turn may end here.
    pub end: bool,
}

type Visit<'v> = &'v mut dyn FnMut(Ply) -> ControlFlow<()>;

/// Told every way in which a move can be made: the state, the site of the piece moved or placed, the parts.
type Made<'m> = &'m mut dyn FnMut(&State, Option<Site>, &Frame) -> ControlFlow<()>;

impl Reference {
    /// The player whose turn comes after the one that begins in a state.
    pub(super) fn player_after(&self, state: &State) -> PlayerId {
        self.player_at(state, self.place_after(state))
    }

    pub(super) fn player_before(&self, state: &State) -> PlayerId {
        self.player_at(state, self.place_before(state))
    }

    /// The player at a place in the order of turns: what counts is who sits there, whatever he plays by now.
    pub(super) fn player_at(&self, state: &State, place: usize) -> PlayerId {
        let order = &self.rules.order;
        let seat = order.get(place % order.len().max(1)).copied().unwrap_or(PlayerId(0));
        (0..self.rules.players.len() as u8)
            .map(PlayerId)
            .find(|player| self.seat(state, *player) == seat)
            .unwrap_or(seat)
    }

    /// Who plays a side, named by the side that he began with.
    #[must_use]
    pub fn seat(&self, state: &State, side: PlayerId) -> PlayerId {
        let seats = self.rules.seats.map(|seats| self.values(state, seats.0));
        let seat = seats.and_then(|seats| seats.get(usize::from(side.0))).and_then(|seat| seat.players().only());
        seat.unwrap_or(side)
    }

    /// Puts the state at the beginning of the turn that its number and phase call for.
    pub(super) fn enter_turn(&self, state: &mut State) {
        let phase = self.rules.phase.map(|phase| self.memory(state, phase).clone());
        let fits = |of: TurnOf| match of {
            TurnOf::Numbers(first, last) => (first..=last).contains(&i64::from(state.turn)),
            TurnOf::Phase(choice) => phase == Some(Value::Choice(choice)),
            TurnOf::Any => true,
        };
        // The more special section comes first: a number, a phase, any.
        let rank = |of: TurnOf| match of {
            TurnOf::Numbers(..) => 0,
            TurnOf::Phase(_) => 1,
            TurnOf::Any => 2,
        };
        let section = (0..self.rules.turns.len())
            .filter(|index| fits(self.rules.turns[*index].of))
            .min_by_key(|index| rank(self.rules.turns[*index].of));
        state.section = section.unwrap_or(0);
        state.places = section.map(|section| vec![self.rules.turns[section].entry]).unwrap_or_default();
    }

    /// All legal plies of a state, duties applied.
    #[must_use]
    pub fn legal(&self, state: &State) -> Legal {
        let mut legal = self.offered(state);
        let duties = self.rules.turns.get(state.section).map(|turn| turn.duties.as_slice());
        duties.unwrap_or_default().iter().for_each(|duty| self.oblige(state, duty, &mut legal));
        self.merge_alike(state, &mut legal.plies);
        legal
    }

    /// What the present places in the turn offer, whatever its duties.
    pub(super) fn offered(&self, state: &State) -> Legal {
        let turn = self.rules.turns.get(state.section);
        let whole = turn.is_some_and(|turn| turn.whole);
        let _room = Room::begin();
        let mut legal = Legal::default();
        let mut at: HashMap<(MoveId, Vec<Value>), usize> = HashMap::new();
        for place in &state.places {
            let mut end = false;
            let plies = &mut legal.plies;
            let _ = self.visit(state, *place, whole, 0, &mut end, &mut Vec::new(), &mut |ply| {
                // Plies that look the same are one, whatever part of the pattern they belong to.
                let key = (ply.mv, self.parts(&ply));
                match at.get(&key) {
                    Some(known) => {
                        let known: &mut Ply = &mut plies[*known];
                        for place in ply.places {
                            if !known.places.contains(&place) {
                                known.places.push(place);
                            }
                        }
                    }
                    None => {
                        // The parts are kept a second time while plies are compared.
                        let known = key.1.iter().map(|value| size_of::<Value>() + value.room()).sum::<usize>();
                        let known = u64::try_from(known).unwrap_or(u64::MAX);
                        let place = self.rules.moves.get(ply.mv.0).map(|mv| mv.span).unwrap_or_default();
                        if !take_room(ply.size().saturating_add(known), place) {
                            return ControlFlow::Break(());
                        }
                        at.insert(key, plies.len());
                        plies.push(ply);
                    }
                }
                ControlFlow::Continue(())
            });
            legal.end |= end;
        }
        legal
    }

    /// Takes out what a duty bars.
    pub(super) fn oblige(&self, state: &State, duty: &Duty, legal: &mut Legal) {
        let open = duty.guard.as_ref().is_none_or(|guard| View::of(self, state).holds(guard, &mut Frame::new()));
        if !open || legal.plies.is_empty() {
            return;
        }
        match &duty.kind {
            DutyKind::Must(event) => {
                let fits: Vec<bool> = legal.plies.iter().map(|ply| self.matches(state, event, ply)).collect();
                self.saw(duty.span, fits.contains(&true) && fits.contains(&false));
                if fits.contains(&true) {
                    let mut fits = fits.into_iter();
                    legal.plies.retain(|_| fits.next().unwrap_or(true));
                    legal.end = false;
                }
            }
            DutyKind::MustMost(number) => {
                let most: Vec<Option<i64>> = legal.plies.iter().map(|ply| self.most(state, ply, number, 1)).collect();
                if let Some(best) = most.iter().flatten().max().copied() {
                    self.saw(duty.span, most.iter().any(|most| *most != Some(best)));
                    let mut most = most.into_iter();
                    legal.plies.retain(|_| most.next().flatten() == Some(best));
                }
            }
            DutyKind::ExtraTurn | DutyKind::NextTurn(_) => {}
        }
    }

    pub(super) fn parts(&self, ply: &Ply) -> Vec<Value> {
        ply.parts(&self.rules).collect()
    }

    /// Plies of one move that print alike and lead to the same are one.
    fn merge_alike(&self, state: &State, plies: &mut Vec<Ply>) {
        let hides = |mv: &Move| {
            mv.names.iter().any(|named| {
                named.part
                    && !mv.notation.iter().any(|piece| {
                        matches!(piece, NotationPiece::Value { value, .. }
                                if matches!(value.kind, crate::rules::ExprKind::Local(local) if local == named.local))
                    })
            })
        };
        let hiding: Vec<bool> = self.rules.moves.iter().map(hides).collect();
        let mut seen: HashSet<(MoveId, Vec<Value>, u64)> = HashSet::new();
        plies.retain(|ply| {
            hiding.get(ply.mv.0) != Some(&true)
                || seen.insert((ply.mv, self.shown(state, ply), self.after(state, ply).hash()))
        });
    }

    /// The values that the notation prints.
    #[must_use]
    pub fn shown(&self, state: &State, ply: &Ply) -> Vec<Value> {
        let Some(mv) = self.rules.moves.get(ply.mv.0) else { return Vec::new() };
        let view = View::of(self, state);
        let mut frame = ply.frame.clone();
        mv.notation
            .iter()
            .filter_map(|piece| match piece {
                NotationPiece::Value { value, .. } => Some(view.eval(value, &mut frame)),
                NotationPiece::Text(_) | NotationPiece::Optional { .. } => None,
            })
            .collect()
    }

    pub(super) fn matches(&self, state: &State, event: &Event, ply: &Ply) -> bool {
        event.alternatives.iter().any(|(mv, condition)| {
            *mv == ply.mv
                && condition
                    .as_ref()
                    .is_none_or(|condition| View::of(self, state).holds(condition, &mut ply.frame.clone()))
        })
    }

    /// Every ply that a node leads to; `end` is set where the turn may end.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn visit(
        &self,
        state: &State,
        node: NodeIndex,
        whole: bool,
        depth: u32,
        end: &mut bool,
        path: &mut Vec<NodeIndex>,
        f: Visit<'_>,
    ) -> ControlFlow<()> {
        if path.contains(&node) {
            return ControlFlow::Continue(());
        }
        let Some(weight) = self.rules.graph.node_weight(node) else { return ControlFlow::Continue(()) };
        match &weight.kind {
            NodeKind::End => *end = true,
            NodeKind::Call(call) => return self.call(state, node, call, whole, depth, f),
            NodeKind::Guard { condition, holds } => {
                if View::of(self, state).holds(condition, &mut Frame::new()) == *holds {
                    path.push(node);
                    for (_, next) in self.ways(node) {
                        self.visit(state, *next, whole, depth, end, path, f)?;
                    }
                    path.pop();
                }
            }
            NodeKind::Prefer => {
                path.push(node);
                for (_, next) in self.ways(node) {
                    let mut any = false;
                    let mut ends = false;
                    self.visit(state, *next, whole, depth, &mut ends, path, &mut |ply| {
                        any = true;
                        f(ply)
                    })?;
                    *end |= ends;
                    if any || ends {
                        break;
                    }
                }
                path.pop();
            }
            _ => {
                path.push(node);
                for (_, next) in self.ways(node) {
                    self.visit(state, *next, whole, depth, end, path, f)?;
                }
                path.pop();
            }
        }
        ControlFlow::Continue(())
    }

    /// The plies of one call.
    fn call(
        &self,
        state: &State,
        node: NodeIndex,
        call: &Call,
        whole: bool,
        depth: u32,
        f: Visit<'_>,
    ) -> ControlFlow<()> {
        let Some(mv) = self.rules.moves.get(call.mv.0) else { return ControlFlow::Continue(()) };
        let mut frame = unpicked(mv);
        let view = View::of(self, state);
        let it = if call.by_it { self.it(state) } else { None };
        self.walk(&view, mv.entry, None, &mut frame, &mut |changed, moved, frame| {
            if call.by_it && mv.moved.and_then(|local| frame.get(local.0)).and_then(Value::site) != it {
                return ControlFlow::Continue(());
            }
            if !call.with.iter().all(|condition| view.holds(condition, &mut frame.clone())) {
                return ControlFlow::Continue(());
            }
            // What is listed is bounded as well: a byte counts as a step.
            if !take(changed.size(), mv.span) {
                return ControlFlow::Continue(());
            }
            let ply = self.made(&view, node, call, changed, moved, frame);
            if whole && !self.completable(&self.after(state, &ply), depth + 1) {
                return ControlFlow::Continue(());
            }
            if let Some(call) = self.rules.graph.node_weight(node) {
                self.saw(call.span, true);
            }
            f(ply)
        })
    }

    /// The ply of a call whose move has been made: it leads out of the loop around it if it fulfils `until`.
    pub(super) fn made(
        &self,
        view: &View<'_>,
        node: NodeIndex,
        call: &Call,
        changed: &State,
        it: Option<Site>,
        frame: &Frame,
    ) -> Ply {
        let mut frame = frame.clone();
        let leaves = call.until.as_ref().is_some_and(|until| view.holds(until, &mut frame));
        let wanted = if leaves { Edge::Until } else { Edge::Next };
        let places = self.ways(node).iter().filter(|(edge, _)| *edge == wanted).map(|(_, next)| *next).collect();
        frame.truncate(self.rules.moves.get(call.mv.0).map_or(0, |mv| mv.names.len()));
        Ply { mv: call.mv, frame, changed: changed.clone(), it, places }
    }

    /// Whether a turn that has come so far can be finished.
    pub(super) fn completable(&self, state: &State, depth: u32) -> bool {
        if depth > MAX_TURN {
            return false;
        }
        let mut end = false;
        state.places.iter().any(|place| {
            self.visit(state, *place, true, depth, &mut end, &mut Vec::new(), &mut |_| ControlFlow::Break(()))
                .is_break()
                || end
        })
    }

    /// Whether a pattern can be played to its end by the player to move.
    pub(super) fn is_possible(&self, state: &State, entry: NodeIndex) -> bool {
        let mut state = state.clone();
        state.places = vec![entry];
        self.completable(&state, 0)
    }

    /// The most of a number that any turn beginning with a ply comes to.
    pub(super) fn most(&self, state: &State, ply: &Ply, number: &crate::rules::Expr, depth: u32) -> Option<i64> {
        let after = self.after(state, ply);
        let mut best = None;
        let mut end = false;
        if depth <= MAX_TURN {
            for place in &after.places {
                let _ = self.visit(&after, *place, true, depth, &mut end, &mut Vec::new(), &mut |next| {
                    best = best.max(self.most(&after, &next, number, depth + 1));
                    ControlFlow::Continue(())
                });
            }
        }
        if best.is_none() && end { View::of(self, &after).eval(number, &mut Frame::new()).number() } else { best }
    }

    /// Follows the body of a move; `done` is told every way it can be made.
    pub(super) fn walk(
        &self,
        view: &View<'_>,
        node: NodeIndex,
        it: Option<Site>,
        frame: &mut Frame,
        done: Made<'_>,
    ) -> ControlFlow<()> {
        let Some(weight) = self.rules.graph.node_weight(node) else { return ControlFlow::Continue(()) };
        if !take(1, weight.span) {
            return ControlFlow::Continue(());
        }
        match &weight.kind {
            NodeKind::Done => return done(view.state, it, frame),
            // Left out, it has no value; the frame may still hold the one it had on another way.
            NodeKind::Choose { local, guard: Some(guard), .. } if !view.holds(guard, frame) => {
                leave_out(frame, local.0);
            }
            NodeKind::Choose { local, domain, conditions, .. } => {
                for value in view.eval(domain, frame).members() {
                    set_local(frame, local.0, value);
                    if conditions.iter().all(|condition| view.holds(condition, frame)) {
                        self.onward(view, node, it, frame, done)?;
                    }
                }
                return ControlFlow::Continue(());
            }
            NodeKind::Let { local, value, guard } => {
                if guard.as_ref().is_none_or(|guard| view.holds(guard, frame)) {
                    let value = view.eval(value, frame);
                    set_local(frame, local.0, value);
                } else {
                    leave_out(frame, local.0);
                }
            }
            NodeKind::Require { condition, .. } => {
                if !view.holds(condition, frame) {
                    return ControlFlow::Continue(());
                }
            }
            NodeKind::Weigh(weight) => {
                let weighs = rules::weight(view.eval(weight, frame).number()).is_some();
                if !weighs {
                    return ControlFlow::Continue(());
                }
            }
            NodeKind::Guard { condition, holds } => {
                if view.holds(condition, frame) != *holds {
                    return ControlFlow::Continue(());
                }
            }
            NodeKind::Change(changes) => {
                let Some((state, moved)) = self.apply(view, changes, frame) else { return ControlFlow::Continue(()) };
                return self.onward(&view.at(&state), node, it.or(moved), frame, done);
            }
            NodeKind::Repeat { times, condition, changes } => {
                let rounds = view.eval(times, frame).number().unwrap_or(0).clamp(0, MAX_ROUNDS.into());
                let mut state = view.state.clone();
                for _ in 0..rounds {
                    let here = view.at(&state);
                    if condition.as_ref().is_some_and(|condition| !here.holds(condition, frame)) {
                        break;
                    }
                    let mut next = state.clone();
                    for change in changes {
                        match self.apply(&view.at(&next), std::slice::from_ref(change), frame) {
                            Some((changed, _)) => next = changed,
                            None => return ControlFlow::Continue(()),
                        }
                    }
                    state = next;
                }
                return self.onward(&view.at(&state), node, it, frame, done);
            }
            NodeKind::Turn
            | NodeKind::Fork
            | NodeKind::Prefer
            | NodeKind::Call(_)
            | NodeKind::End
            | NodeKind::Move(_) => {}
        }
        self.onward(view, node, it, frame, done)
    }

    fn onward(
        &self,
        view: &View<'_>,
        node: NodeIndex,
        it: Option<Site>,
        frame: &mut Frame,
        done: Made<'_>,
    ) -> ControlFlow<()> {
        if let Some(passed) = self.rules.graph.node_weight(node) {
            self.saw(passed.span, true);
        }
        for (_, next) in self.ways(node) {
            self.walk(view, *next, it, frame, done)?;
        }
        ControlFlow::Continue(())
    }

    /// Whether chance decides between these plies, and not the player to move.
    #[must_use]
    pub fn is_chance(&self, plies: &[Ply]) -> bool {
        let by_chance = |ply: &Ply| self.rules.moves.get(ply.mv.0).is_some_and(|mv| mv.chance);
        plies.first().is_some_and(by_chance)
    }

    /// How heavy a legal ply is where chance decides.
    #[must_use]
    pub fn weight(&self, state: &State, ply: &Ply) -> u32 {
        let Some(weight) = self.rules.weight_of(ply.mv) else { return 1 };
        let number = View::of(self, state).eval(weight, &mut ply.frame.clone()).number();
        rules::weight(number).unwrap_or(0)
    }

    pub(super) fn it(&self, state: &State) -> Option<Site> {
        self.rules.chronicles.iter().find_map(|chronicle| match chronicle {
            Chronicle::It { memory } => self.memory(state, *memory).site(),
            _ => None,
        })
    }

    /// The state after a ply, with its history and its place in the turn.
    #[must_use]
    pub fn after(&self, before: &State, ply: &Ply) -> State {
        let mut state = ply.changed.clone();
        state.places.clone_from(&ply.places);
        state.ply += 1;
        for chronicle in &self.rules.chronicles {
            match chronicle {
                Chronicle::Happened { event, memory } | Chronicle::Without { event, seen: memory, .. } => {
                    if self.matches(before, event, ply) {
                        self.set_memory(&mut state, *memory, Value::Condition(Some(true)));
                    }
                }
                Chronicle::Part { of, part, memory } => {
                    if *of == ply.mv {
                        let taken = ply.frame.get(part.0).map(Value::sites).unwrap_or_default();
                        let all = self.memory(&state, *memory).sites() | taken;
                        self.set_memory(&mut state, *memory, Value::of_sites(all));
                    }
                }
                Chronicle::LastTo { event, memory } => {
                    if self.matches(before, event, ply) {
                        self.set_memory(
                            &mut state,
                            *memory,
                            Value::Players(crate::rules::Players::single(before.mover)),
                        );
                    }
                }
                Chronicle::It { memory } => {
                    if let Some(site) = ply.it {
                        self.set_memory(&mut state, *memory, Value::of_site(site));
                    }
                }
                Chronicle::Carry { .. } => {}
            }
        }
        state
    }
}
