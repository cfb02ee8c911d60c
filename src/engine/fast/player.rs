//! A game of the fast engine being played: where it is, where it can go back to, and what it tells of itself.

use super::eval::Core;
use super::facing::{Chooser, Facing, Number};
use super::found::Found;
use super::native::Native;
use super::native::host::{Lent, Spare};
use super::plies::Ply;
use super::runner::Runner;
use super::scratch::{Lister, Scratch};
use super::set::Set;
use super::state::{State, mix};
use super::values::{part, remembered, stored};
use crate::board::Site;
use crate::engine::dice::Dice;
use crate::engine::guide::Guide;
use crate::engine::shunned::{Shunned, Surroundings};
use crate::engine::steps::{self, Stopped};
use crate::engine::{Look, Over, Play, Shown, Snapshot, by_weight};
use crate::program::ir::NONE;
use crate::program::{Chances, Section};
use crate::rules::{Content, Kinds, MAX_PLAYERS, MemoryId, MoveId, PlayerId, Scope, TurnOf, Type, Value};
use std::sync::Arc;

/// So many plies a player interprets before machine code is made.
const WARM: u32 = 1_000;

/// A ply of a game whose plies are drawn counts as so many.
const DRAWN: u32 = 10;

pub(super) struct Player<'p, const W: usize> {
    pub core: &'p Core<W>,
    pub runner: &'p Runner<W>,
    pub native: Option<&'p Native>,
    /// Some plies of random games are drawn without being listed.
    pub draws: bool,
    /// Some plies are made by chance.
    pub chances: bool,
    /// Plies that were interpreted.
    pub cold: u32,
    pub spare: Spare<W>,
    pub marked: Here<'p, W>,
    pub now: Here<'p, W>,
    /// States to go back to; those from `depth` on are room to be used again.
    pub stack: Vec<Here<'p, W>>,
    pub depth: usize,
    pub scratch: Scratch<'p, W>,
    /// Room for the weights of plies.
    pub weights: Vec<u32>,
    /// A ply was given up, until somebody asks.
    pub stopped: Option<Stopped>,
    /// Plies that random games leave out.
    pub shunned: Option<Arc<Shunned>>,
}

/// A state with its legal plies, or the end.
pub(super) struct Here<'p, const W: usize> {
    pub state: State<W>,
    pub over: Option<Over>,
    pub found: Found<'p, W>,
}

impl<const W: usize> Clone for Here<'_, W> {
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), over: self.over, found: self.found.clone() }
    }

    /// Reuses the room of the old state.
    #[inline]
    fn clone_from(&mut self, other: &Self) {
        self.state.clone_from(&other.state);
        self.over = other.over;
        self.found.clone_from(&other.found);
    }
}

impl<'p, const W: usize> Player<'p, W> {
    /// A player whose game has not begun: a position is loaded first.
    pub fn of(runner: &'p Runner<W>) -> Self {
        let core = &runner.core;
        let program = &core.program;
        let blank = State::empty(core.geometry.all, program.layout.positions, program);
        let native = runner.native.get().and_then(Option::as_deref);
        let mut scratch = Scratch::new(program);
        scratch.native = lister(native);
        Self {
            core,
            runner,
            native,
            draws: core.draws(),
            chances: !program.chances.is_empty(),
            cold: 0,
            spare: Spare::new(core),
            marked: Here { state: blank.clone(), over: None, found: Found::default() },
            now: Here { state: blank, over: None, found: Found::default() },
            stack: Vec::new(),
            depth: 0,
            scratch,
            weights: Vec::new(),
            stopped: None,
            shunned: None,
        }
    }

    pub fn decode(&mut self, index: usize) -> Option<Ply> {
        if let (Some(native), true) = (self.native, self.now.found.native) {
            return native.ply(self.core, &self.now.state, &self.now.found, &mut self.scratch, index);
        }
        self.now.found.get(self.core, &self.now.state, &mut self.scratch.frame, index)
    }

    /// The present position with its legal plies.
    pub(super) fn facing(&mut self) -> Facing<'_, 'p, W> {
        Facing {
            core: self.core,
            state: &self.now.state,
            found: &self.now.found,
            scratch: &mut self.scratch,
            listed: self.native.filter(|_| self.now.found.native).map(Native::records),
        }
    }

    /// A legal ply of the present state is played.
    pub fn advance(&mut self, ply: &Ply) {
        self.core.play_ply(&mut self.now.state, ply, &mut self.scratch);
        self.now.over = self.core.settle(&mut self.now.state, &mut self.scratch, &mut self.now.found);
        self.list();
    }

    /// Where a ply took more steps than it may the game ends, and nobody wins.
    fn heed_steps(&mut self) {
        let Some(stopped) = steps::used_up() else { return };
        self.stopped = Some(stopped);
        self.now.found.clear();
        let mut places = [0; MAX_PLAYERS];
        places.iter_mut().take(self.core.program.players).for_each(|place| *place = 1);
        self.now.over = Some(Over { places, line: None });
    }

    /// Machine code lists the plies anew, so that it can go on from here, where it can.
    pub fn list(&mut self) {
        if let (Some(native), None) = (self.native, self.now.over)
            && (self.now.found.drawn || !native.code.list(self.lend(), native.room))
        {
            self.now.found.playable = native.plays(&self.now.state, &self.now.found);
        }
    }

    pub fn lend(&mut self) -> Lent<'_, 'p, W> {
        Lent {
            core: self.core,
            state: &mut self.now.state,
            scratch: &mut self.scratch,
            found: &mut self.now.found,
            spare: &mut self.spare,
        }
    }

    /// What chance has to do with the present place.
    #[inline]
    pub fn chances(&self) -> Chances {
        match self.now.state.places.only() {
            Some(place) => self.core.program.chances.get(usize::from(place)).copied().unwrap_or(Chances::Never),
            None => Chances::Asked,
        }
    }

    /// Whether the plies of the present state are made by chance.
    pub fn is_chance(&mut self) -> bool {
        match self.chances() {
            Chances::Never => false,
            Chances::Even => true,
            Chances::Asked => self.decode(0).is_some_and(|ply| self.core.is_chance(&self.now.state, &ply)),
        }
    }

    /// The number of one ply of chance, as likely as it is heavy.
    pub fn drawn(&mut self, roll: &mut dyn FnMut(usize) -> usize) -> usize {
        if self.chances() == Chances::Even {
            return roll(self.now.found.count);
        }
        let mut weights = std::mem::take(&mut self.weights);
        weights.clear();
        weights.extend((0..self.now.found.count).map(|index| self.weight(index)));
        let index = by_weight(&weights, roll);
        self.weights = weights;
        index
    }

    /// A random game in which chance decides here and there. Between two of its plies the rest goes as ever.
    pub fn playout_with_chance(&mut self, dice: &mut Dice, most: u64) -> (u64, u64) {
        let (mut plies, mut choices) = (0, 0);
        while plies < most && self.now.over.is_none() {
            let index = if self.is_chance() {
                self.drawn(&mut |count| dice.choose(count))
            } else {
                dice.choose(self.now.found.count)
            };
            let (played, offered) = self.run(Number(index), 1);
            if played == 0 {
                break;
            }
            plies += played;
            choices += offered;
        }
        (plies, choices)
    }

    /// Plays plies as chosen, by machine code as far as it goes; how many, and how many there were to choose from. Who chooses
    /// is told of so many plies, and may look at them.
    pub fn run(&mut self, mut chooser: impl Chooser<W>, most: u64) -> (u64, u64) {
        let (mut plies, mut choices) = (0, 0);
        while plies < most && self.now.over.is_none() {
            match self.native {
                Some(native) if self.now.found.native || self.now.found.playable => {
                    let (played, offered, over) = native.run(self.lend(), most - plies, &mut chooser);
                    self.now.over = over;
                    plies += played;
                    choices += offered;
                    if played == 0 {
                        self.heed_steps();
                        break;
                    }
                }
                _ => {
                    let count = self.now.found.count;
                    let facing = Facing {
                        core: self.core,
                        state: &self.now.state,
                        found: &self.now.found,
                        scratch: &mut self.scratch,
                        listed: None,
                    };
                    let chosen = chooser.choose(count, facing);
                    let Some(ply) = self.now.found.get(self.core, &self.now.state, &mut self.scratch.frame, chosen)
                    else {
                        break;
                    };
                    // Where plies are drawn, one of them takes as long as many others.
                    let (before, work) = (self.cold, if self.draws { DRAWN } else { 1 });
                    self.cold = self.cold.saturating_add(work);
                    if before < WARM && self.cold >= WARM {
                        self.native = self.runner.compiled();
                        self.scratch.native = lister(self.native);
                    }
                    self.advance(&ply);
                    plies += 1;
                    choices += count as u64;
                }
            }
            self.heed_steps();
        }
        (plies, choices)
    }
}

impl<const W: usize> Play for Player<'_, W> {
    fn load(&mut self, from: &Snapshot) {
        let core = self.core;
        let program = &core.program;
        let mut state = State::empty(core.geometry.all, program.layout.positions, program);
        for (index, content) in from.contents.iter().enumerate() {
            let plane = program.planes.iter().position(|plane| plane == content).unwrap_or(0);
            if let Some(site) = Site::from_index(index).filter(|_| plane > 0) {
                state.put(program.layout.position(site), plane as u8, core.zobrist.as_ref());
            }
        }
        core.put_beneath(&mut state, &from.beneath);
        let mut values = from.memory.iter();
        for (memory, place) in core.rules.memories.iter().zip(&program.memories) {
            let entries = memory.scope.entries(&core.rules, core.rules.board.len());
            for entry in 0..entries {
                let Some(value) = values.next() else { continue };
                let offset = match (memory.scope, Site::from_index(entry)) {
                    (Scope::Site, Some(site)) => program.layout.position(site),
                    _ => entry,
                };
                let at = usize::from(place.base) + offset;
                if place.sites {
                    if let Some(set) = state.sets.get_mut(at) {
                        *set = Set::from_words(&program.layout.set(value.sites()));
                    }
                } else if let Some(cell) = state.cells.get_mut(at) {
                    let number = stored(program, value);
                    // No position has another number; machine code reads tables by it.
                    *cell = place.range.map_or(number, |(low, high)| number.clamp(low, high));
                }
            }
        }
        state.mover = from.mover.0;
        state.order = from.order;
        state.next = core.player_at(&state, core.following(&state, from.order));
        state.turn = from.turn;
        state.ply = from.ply;
        core.enter_turn(&mut state);
        core.remember(&mut state);
        self.now.state = state;
        self.now.over = core.begin(&mut self.now.state, &mut self.scratch, &mut self.now.found);
        self.heed_steps();
        self.list();
        self.mark();
    }

    fn mark(&mut self) {
        self.marked.clone_from(&self.now);
    }

    fn reset(&mut self) {
        self.now.clone_from(&self.marked);
        // What was marked before there was machine code is listed anew once.
        if self.native.is_some() && !self.now.found.native && !self.now.found.playable {
            self.list();
            self.mark();
        }
    }

    fn push(&mut self) {
        match self.stack.get_mut(self.depth) {
            Some(room) => room.clone_from(&self.now),
            None => self.stack.push(self.now.clone()),
        }
        self.depth += 1;
    }

    fn pop(&mut self) {
        let Some(depth) = self.depth.checked_sub(1) else { return };
        self.depth = depth;
        if let Some(top) = self.stack.get_mut(depth) {
            std::mem::swap(&mut self.now, top);
        }
    }

    fn count(&self) -> usize {
        if self.now.over.is_some() { 0 } else { self.now.found.count }
    }

    fn over(&self) -> Option<Over> {
        self.now.over
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.now.over.is_some()
    }

    fn mover(&self) -> usize {
        usize::from(self.now.state.mover)
    }

    fn seat(&self, player: usize) -> usize {
        self.core.seat(&self.now.state, player)
    }

    fn ply(&mut self, index: usize) -> Option<(MoveId, Vec<Value>)> {
        let core = self.core;
        let ply = self.decode(index)?;
        let call = core.own(&self.now.state).calls.get(usize::from(ply.call))?;
        let mv = core.rules.moves.get(call.mv.0)?;
        let parts = mv.parts().zip(&call.parts).map(|(name, slot)| {
            let value = ply.parts.get(usize::from(*slot)).copied().unwrap_or(NONE);
            if value == NONE { Value::Condition(None) } else { part(&core.program, name.ty, value) }
        });
        Some((call.mv, parts.collect()))
    }

    fn key(&mut self, index: usize) -> u64 {
        self.decode(index).map_or(0, |ply| self.core.key(&self.now.state, &ply))
    }

    fn play(&mut self, index: usize) {
        if index < self.count() {
            self.run(Number(index), 1);
        }
    }

    fn chance(&mut self) -> bool {
        self.chances && self.now.over.is_none() && self.is_chance()
    }

    fn weight(&mut self, index: usize) -> u32 {
        let Some(ply) = self.decode(index) else { return 0 };
        self.core.weight(&self.now.state, &ply, &mut self.scratch.frame)
    }

    fn playout(&mut self, dice: &mut Dice, most: u64) -> (u64, u64) {
        if self.chances {
            return self.playout_with_chance(dice, most);
        }
        if !self.begin_draws(dice) {
            return self.run(|count: usize, _: Facing<'_, '_, W>| dice.choose(count), most);
        }
        let (plies, choices) = self.run(|count: usize, mut facing: Facing<'_, '_, W>| facing.drawn(count), most);
        let (played, offered) = self.end_draws(dice);
        (plies, choices.saturating_sub(played) + offered)
    }

    fn playout_told(&mut self, dice: &mut Dice, most: u64, tell: &mut dyn FnMut(&mut dyn Play, usize)) -> (u64, u64) {
        self.told(dice, most, tell)
    }

    fn shown(&mut self, index: usize, values: &mut Vec<Shown>) -> Option<MoveId> {
        self.values_shown(index, values)
    }

    fn stopped(&mut self) -> Option<Stopped> {
        self.stopped.take()
    }

    fn is_drawn(&self) -> bool {
        self.now.found.drawn
    }

    fn playout_noted(&mut self, dice: &mut Dice, guide: Guide<'_>, most: u64, noted: &mut Vec<(u8, u64)>) -> u64 {
        self.guided(dice, guide, most, noted)
    }

    fn keys(&mut self, keys: &mut Vec<u64>) {
        if self.now.over.is_none() {
            self.facing().keys(keys);
        }
    }

    fn perft(&mut self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let count = self.count();
        if depth == 1 {
            return count as u64;
        }
        let mut sum = 0;
        for index in 0..count {
            if self.stopped.is_some() {
                break;
            }
            self.push();
            self.play(index);
            sum += self.perft(depth - 1);
            self.pop();
        }
        sum
    }

    fn hash(&self) -> u64 {
        let state = &self.now.state;
        let program = &self.core.program;
        // Of the number of the turn only that matters which a section of turns waits for.
        let numbered = |section: &Section| match section.of {
            TurnOf::Numbers(_, last) => u32::try_from(last).unwrap_or(u32::MAX),
            TurnOf::Phase(_) | TurnOf::Any => 0,
        };
        let last = program.sections.iter().map(numbered).max().unwrap_or(0);
        let clock = if program.clock { (state.turn, state.ply) } else { (state.turn.min(last.saturating_add(1)), 0) };
        [state.order as u64, state.section as u64, u64::from(clock.0), u64::from(clock.1)]
            .into_iter()
            .fold(self.core.state_hash(state), |hash, number| mix(hash ^ number))
    }

    fn looks_back(&self) -> bool {
        self.core.program.repetition.any()
    }

    fn forget(&mut self, counts: &[MemoryId], clock: Option<(u32, u32)>) {
        let state = &mut self.now.state;
        (state.turn, state.ply) = clock.unwrap_or((state.turn, state.ply));
        state.seen.clear();
        for memory in counts {
            let Some(place) = self.core.program.memories.get(memory.0).filter(|place| !place.sites) else { continue };
            if let Some(cell) = state.cells.get_mut(usize::from(place.base)) {
                *cell = 0;
            }
        }
    }

    fn each_piece(&self, tell: &mut dyn FnMut(Content, usize)) {
        for (content, plane) in self.core.program.planes.iter().zip(&self.now.state.planes).skip(1) {
            for position in plane.iter() {
                tell(*content, position);
            }
        }
    }

    fn look(&mut self, index: usize) -> Look {
        let Some(ply) = self.decode(index) else { return Look::default() };
        let core = self.core;
        let Some(call) = core.own(&self.now.state).calls.get(usize::from(ply.call)) else { return Look::default() };
        let Some(mv) = core.rules.moves.get(call.mv.0) else { return Look::default() };
        let parts = mv.parts().zip(&call.parts);
        parts.fold(Look::of(call.mv), |look, (name, slot)| {
            let value = ply.parts.get(usize::from(*slot)).and_then(|value| usize::try_from(*value).ok());
            let Some(value) = value else { return look };
            if name.ty == Type::Sites {
                let plane = self.now.state.contents.get(value).copied().unwrap_or(0);
                look.with_site(core.program.planes.get(usize::from(plane)).copied().unwrap_or_default())
            } else if name.ty == Type::Kinds {
                look.with_kinds(Kinds(1 << (value & 31)))
            } else {
                look
            }
        })
    }

    fn shun(&mut self, shunned: Option<Arc<Shunned>>) {
        self.shunned = shunned;
    }

    fn surroundings(&mut self, index: usize) -> Option<Surroundings> {
        let ply = self.decode(index)?;
        self.core.around(&self.now.state, &ply)
    }

    fn pieces(&self) -> [u32; MAX_PLAYERS] {
        let mut pieces = [0; MAX_PLAYERS];
        for (plane, content) in self.core.program.planes.iter().enumerate() {
            if let Some(count) = content.owner().and_then(|owner| pieces.get_mut(usize::from(owner.0))) {
                *count += self.now.state.plane(plane).len() as u32;
            }
        }
        pieces
    }

    fn snapshot(&self) -> Snapshot {
        let core = self.core;
        let program = &core.program;
        let board = &core.rules.board;
        let content = |site: Site| {
            let plane = self.now.state.contents.get(program.layout.position(site)).copied().unwrap_or(0);
            program.planes.get(usize::from(plane)).copied().unwrap_or_default()
        };
        let mut memory = Vec::new();
        for (info, place) in core.rules.memories.iter().zip(&program.memories) {
            let offsets: Vec<usize> = match info.scope {
                Scope::Site => board.all().iter().map(|site| program.layout.position(site)).collect(),
                scope @ (Scope::Game | Scope::Player | Scope::Kind | Scope::PlayerKind) => {
                    (0..scope.entries(&core.rules, board.len())).collect()
                }
            };
            for offset in offsets {
                let at = usize::from(place.base) + offset;
                memory.push(if place.sites {
                    let set = self.now.state.sets.get(at).copied().unwrap_or(Set::EMPTY);
                    Value::of_sites(program.layout.sites_at(set.to_sites()))
                } else {
                    let cell = self.now.state.cells.get(at).copied().unwrap_or(NONE);
                    remembered(program, info.ty, cell)
                });
            }
        }
        Snapshot {
            contents: board.all().iter().map(content).collect(),
            beneath: core.beneath(&self.now.state),
            memory,
            mover: PlayerId(self.now.state.mover),
            order: self.now.state.order,
            turn: self.now.state.turn,
            ply: self.now.state.ply,
        }
    }

    fn players(&self) -> usize {
        self.core.program.players
    }

    fn scores(&mut self) -> Vec<i64> {
        self.core.scores(&self.now.state, &mut self.scratch)
    }
}

/// What lists plies with machine code.
fn lister<const W: usize>(native: Option<&Native>) -> Option<&dyn Lister<W>> {
    native.map(|native| native as &dyn Lister<W>)
}
