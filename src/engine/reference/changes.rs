//! Changes: all operands of a stage are read first, then everything happens at once.

use super::eval::{Frame, View, set_local};
use super::stacks::turned_into;
use super::{Reference, State};
use crate::board::{Site, SiteSet};
use crate::engine::steps::take;
use crate::rules::{Change, ChangeKind, Chronicle, Content, Expr, MemoryId, PlayerId, Scope, Value};
use std::collections::BTreeMap;

/// So many bytes are copied in the time of a step.
const BYTES: u64 = 16;

/// To put a piece on a site takes so many steps.
const ARRIVAL: u64 = 30;

/// What a stage does, gathered before any of it happens.
#[derive(Default)]
pub(super) struct Effects {
    /// Sites that pieces leave: empty unless something arrives.
    left: SiteSet,
    /// All that then stands on a site, from the bottom.
    arriving: BTreeMap<Site, Vec<Content>>,
    remembered: BTreeMap<usize, Value>,
    /// The site of the piece moved first, or else placed first.
    pub(super) it: Option<Site>,
    moved: bool,
}

impl Reference {
    /// The values that memories have before the game.
    pub(super) fn first_memories(&self, state: &mut State) {
        for (index, memory) in self.rules.memories.iter().enumerate() {
            let count = memory.scope.entries(&self.rules, self.rules.board.len());
            let values: Vec<Value> = (0..count)
                .map(|entry| {
                    let mut view = View::of(self, state);
                    // What each player begins with may speak of him as the mover.
                    if let Some(player) = memory.scope.player(&self.rules, entry) {
                        view.mover = PlayerId(player as u8);
                    }
                    view.eval(&memory.first, &mut Frame::new())
                })
                .collect();
            debug_assert_eq!(state.memory.len(), self.base(MemoryId(index)));
            state.memory.extend(values);
        }
    }

    /// The lines of a start, one after the other.
    #[must_use]
    pub fn apply_setup(&self, state: &State, changes: &[Change]) -> Option<State> {
        let (mut state, mut frame) = (state.clone(), Frame::new());
        for change in changes {
            let view = View::of(self, &state);
            let (next, _) = self.apply(&view, std::slice::from_ref(change), &mut frame)?;
            state = next;
            state.next = self.player_after(&state);
        }
        Some(state)
    }

    /// The state after the changes of a stage, and the site of the piece moved or placed; none if they cannot be made.
    pub(super) fn apply(
        &self,
        view: &View<'_>,
        changes: &[Change],
        frame: &mut Frame,
    ) -> Option<(State, Option<Site>)> {
        let mut effects = Effects::default();
        for (at, change) in changes.iter().enumerate() {
            if self.gather_all(view, change, frame, &mut effects).is_none() {
                self.tell_meeting(view, change, changes.get(..at).unwrap_or_default(), frame);
                return None;
            }
        }
        self.tell_made(view, changes, frame);
        let arriving = u64::try_from(effects.arriving.len()).unwrap_or(u64::MAX);
        let done = (view.state.size() / BYTES).saturating_add(arriving.saturating_mul(ARRIVAL));
        if !changes.first().is_none_or(|change| take(done, change.span)) {
            return None;
        }
        let mut state = view.state.clone();
        for site in effects.left.iter() {
            state.put(site, Content::EMPTY);
        }
        for (site, stack) in effects.arriving {
            state.put_stack(site, stack);
        }
        for (slot, value) in effects.remembered {
            if let Some(place) = state.memory.get_mut(slot) {
                *place = value;
            }
        }
        Some((state, effects.it))
    }

    /// Tells whoever watches of the changes of a stage that can be made, those that put something on a site.
    fn tell_made(&self, view: &View<'_>, changes: &[Change], frame: &Frame) {
        let Some(recorder) = &self.recorder else { return };
        let puts = |change: &&Change| self.arriving(view, change, frame).is_some_and(|arriving| !arriving.is_empty());
        changes.iter().filter(puts).for_each(|change| recorder.made(change.span));
    }

    /// Tells whoever watches which change before it in its stage keeps one from being made.
    fn tell_meeting(&self, view: &View<'_>, change: &Change, before: &[Change], frame: &Frame) {
        let Some(recorder) = &self.recorder else { return };
        let meets = |other: &&Change| self.meeting_place(view, [*other, change], frame).is_some();
        if let Some(other) = before.iter().find(meets) {
            recorder.met([other.span, change.span]);
        }
    }

    /// What a change that could be made alone puts on sites.
    fn arriving(&self, view: &View<'_>, change: &Change, frame: &Frame) -> Option<BTreeMap<Site, Vec<Content>>> {
        let mut effects = Effects::default();
        self.gather_all(view, change, &mut frame.clone(), &mut effects).map(|()| effects.arriving)
    }

    /// A site on which two changes, each of which could be made alone, leave different things.
    pub(super) fn meeting_place(&self, view: &View<'_>, changes: [&Change; 2], frame: &Frame) -> Option<Site> {
        let [one, other] = changes.map(|change| self.arriving(view, change, frame));
        let (one, other) = (one?, other?);
        one.iter().find(|(site, stack)| other.get(*site).is_some_and(|put| put != *stack)).map(|(site, _)| *site)
    }

    /// What a change does, for each member of a set where it says so.
    fn gather_all(&self, view: &View<'_>, change: &Change, frame: &mut Frame, effects: &mut Effects) -> Option<()> {
        let Some((local, domain)) = &change.each else { return self.gather(view, change, frame, effects) };
        for member in view.eval(domain, frame).members() {
            set_local(frame, local.0, member);
            self.gather(view, change, frame, effects)?;
        }
        Some(())
    }

    fn gather(&self, view: &View<'_>, change: &Change, frame: &mut Frame, effects: &mut Effects) -> Option<()> {
        if let Some(guard) = &change.guard
            && !view.holds(guard, frame)
        {
            return Some(());
        }
        self.saw(change.span, true);
        match &change.kind {
            ChangeKind::Becomes { target, piece } => {
                let targets = view.eval(target, frame).sites();
                let Value::Piece(Some(content)) = view.eval(piece, frame) else {
                    return targets.is_empty().then_some(());
                };
                for site in targets.iter() {
                    effects.arrive(site, alone(content))?;
                }
                if effects.it.is_none() && !content.is_empty() {
                    effects.it = targets.only();
                }
            }
            ChangeKind::MoveTo { from, to, piece } => {
                let from = view.eval(from, frame).site()?;
                let to = self.destination(view, to, frame)?;
                let stack = view.state.stack(from);
                let stack = match piece {
                    None => stack,
                    Some(piece) => match view.eval(piece, frame) {
                        Value::Piece(Some(content)) if stack.is_empty() => alone(content),
                        Value::Piece(Some(content)) => turned_into(stack, content),
                        _ => return None,
                    },
                };
                // Where there are stacks, what stands on the site that is left is decided by this line alone.
                match self.rules.stacks {
                    Some(_) => effects.arrive(from, Vec::new())?,
                    None => effects.left.insert(from),
                }
                effects.arrive(to, stack)?;
                effects.goes_to(to);
            }
            ChangeKind::Gets { .. } | ChangeKind::Slice { .. } | ChangeKind::Carry { .. } => {
                self.gather_stacks(view, &change.kind, frame, effects)?;
            }
            ChangeKind::Seats { one, other } => {
                let memory = self.rules.seats?;
                let slot = |player: &Value| Some(self.base(memory) + usize::from(player.players().only()?.0));
                let (one, other) = (view.eval(one, frame), view.eval(other, frame));
                let (one, other) = (slot(&one)?, slot(&other)?);
                let seat = |slot: usize| view.state.memory.get(slot).cloned();
                effects.remember(one, seat(other)?)?;
                effects.remember(other, seat(one)?)?;
            }
            ChangeKind::Know { local, value } => {
                let value = view.eval(value, frame);
                set_local(frame, local.0, value);
            }
            ChangeKind::Remember { memory, index, value } => {
                let slot = self.slot(view, *memory, index.as_ref(), frame)?;
                let Some(fitting) = self.fitting(*memory, view.eval(value, frame)) else {
                    self.saw(value.span, false);
                    return None;
                };
                effects.remember(slot, fitting)?;
            }
        }
        Some(())
    }

    /// The site where a piece goes; whoever watches is told if there is none.
    pub(super) fn destination(&self, view: &View<'_>, to: &Expr, frame: &mut Frame) -> Option<Site> {
        let sites = view.eval(to, frame).sites();
        // Where the ply has been given up, nothing is known of the place.
        if sites.is_empty() && take(0, to.span) {
            self.saw(to.span, false);
        }
        sites.only()
    }

    fn slot(&self, view: &View<'_>, memory: MemoryId, index: Option<&Expr>, frame: &mut Frame) -> Option<usize> {
        let info = self.rules.memories.get(memory.0)?;
        let offset = match (info.scope, index) {
            (Scope::Game, _) => 0,
            (Scope::Player, Some(index)) => usize::from(view.eval(index, frame).players().only()?.0),
            (Scope::Site, Some(index)) => view.eval(index, frame).site()?.index(),
            (Scope::Kind, Some(index)) => usize::from(view.eval(index, frame).kinds().only()?.0),
            (Scope::PlayerKind, Some(index)) => usize::try_from(view.eval(index, frame).number()?).ok()?,
            _ => return None,
        };
        Some(self.base(memory) + offset)
    }

    /// A number outside the range of what is tracked makes the move illegal, and so does none, as of a part that was left out.
    fn fitting(&self, memory: MemoryId, value: Value) -> Option<Value> {
        let Some((low, high)) = self.rules.memories.get(memory.0)?.range else { return Some(value) };
        value.number().is_some_and(|number| (low..=high).contains(&number)).then_some(value)
    }

    pub(super) fn set_memory(&self, state: &mut State, memory: MemoryId, value: Value) {
        let base = self.base(memory);
        if let Some(place) = state.memory.get_mut(base) {
            *place = value;
        }
    }

    pub(super) fn memory<'s>(&self, state: &'s State, memory: MemoryId) -> &'s Value {
        const NOTHING: &Value = &Value::Condition(None);
        state.memory.get(self.base(memory)).unwrap_or(NOTHING)
    }

    /// Values that belong to a turn begin afresh.
    /// Values of the turn begin afresh. What is remembered of the turn before is taken over first.
    pub(super) fn reset_turn(&self, state: &mut State) {
        for chronicle in &self.rules.chronicles {
            if let Chronicle::Carry { from, to } = chronicle {
                let value = self.memory(state, *from).clone();
                self.set_memory(state, *to, value);
            }
        }
        for (index, memory) in self.rules.memories.iter().enumerate() {
            if !memory.each_turn || self.rules.carried_from(MemoryId(index)).is_some() {
                continue;
            }
            let count = memory.scope.entries(&self.rules, self.rules.board.len());
            let value = match memory.first.as_constant() {
                Some(value) => value.clone(),
                None => View::of(self, state).eval(&memory.first, &mut Frame::new()),
            };
            let base = self.base(MemoryId(index));
            for place in state.memory.iter_mut().skip(base).take(count) {
                *place = value.clone();
            }
        }
    }
}

impl Effects {
    /// Two different pieces cannot arrive on one site.
    pub(super) fn arrive(&mut self, site: Site, stack: Vec<Content>) -> Option<()> {
        if self.arriving.get(&site).is_some_and(|known| *known != stack) {
            return None;
        }
        self.arriving.insert(site, stack);
        Some(())
    }

    /// A piece goes to a site.
    pub(super) fn goes_to(&mut self, to: Site) {
        if !self.moved {
            self.it = Some(to);
            self.moved = true;
        }
    }

    /// Nor can one thing be remembered as two.
    fn remember(&mut self, slot: usize, value: Value) -> Option<()> {
        if self.remembered.get(&slot).is_some_and(|known| *known != value) {
            return None;
        }
        self.remembered.insert(slot, value);
        Some(())
    }
}

/// What stands on a site that holds nothing else.
fn alone(content: Content) -> Vec<Content> {
    if content.is_empty() { Vec::new() } else { vec![content] }
}
