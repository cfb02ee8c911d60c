//! The reference engine as searches and random games use it: slow, and in the same terms as the fast one.

use super::{Reference, Situation, State};
use crate::engine::dice::Dice;
use crate::engine::observe::{Observe, Remembered, Saved, Sheaf, mask_of, number_of};
use crate::engine::{Look, Over, Play, Shown, Snapshot, Stopped};
use crate::rules::{Content, MAX_PLAYERS, MemoryId, MoveId, PlayerId, Value};
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

struct Player<'r> {
    engine: &'r Reference,
    marked: Situation,
    now: Situation,
    stack: Vec<Situation>,
    /// A ply was given up, until somebody asks.
    stopped: Option<Stopped>,
}

impl Reference {
    /// Somebody to play games on it.
    #[must_use]
    pub fn player(&self) -> Box<dyn Play + '_> {
        let start = self.start();
        let stopped = start.stopped;
        Box::new(Player { engine: self, marked: start.clone(), now: start, stack: Vec::new(), stopped })
    }

    /// The situation that a snapshot was taken of, at the beginning of a turn.
    #[must_use]
    pub fn restore(&self, from: &Snapshot) -> Situation {
        self.begin(self.state_of(from))
    }

    /// What a snapshot says of a state: all but the place in the turn, and the positions before.
    #[must_use]
    pub fn state_of(&self, from: &Snapshot) -> State {
        let mut state = self.blank();
        for (site, content) in self.rules().board.all().iter().zip(&from.contents) {
            state.put(site, *content);
        }
        for (site, beneath) in self.rules().board.all().iter().zip(&from.beneath) {
            let mut stack = beneath.clone();
            stack.extend(state.stack(site));
            state.put_stack(site, stack);
        }
        state.memory.clone_from(&from.memory);
        (state.mover, state.order, state.turn, state.ply) = (from.mover, from.order, from.turn, from.ply);
        state
    }
}

impl Player<'_> {
    fn come_to(&mut self, situation: Situation) {
        self.stopped = self.stopped.or(situation.stopped);
        self.now = situation;
    }
}

impl Observe for Player<'_> {
    fn places(&self) -> Vec<usize> {
        (0..self.engine.rules().board.len()).collect()
    }

    fn sheaves(&mut self, tell: &mut dyn FnMut(Sheaf<'_>)) {
        tell_each(self, tell);
    }

    fn standing(&self, tell: &mut dyn FnMut(Content, &[u64])) {
        tell_standing(&self.snapshot(), tell);
    }

    fn remembered(&self, memory: usize, tell: &mut dyn FnMut(usize, Remembered<'_>)) {
        for (offset, value) in self.engine.values(&self.now.state, memory).iter().enumerate() {
            match mask_of(value) {
                Some(number) => tell(offset, Remembered::Number(number)),
                None => tell(offset, Remembered::Sites(value.sites().words())),
            }
        }
    }

    fn place_in_turn(&self) -> Option<usize> {
        None
    }

    fn save(&self) -> Saved {
        Saved(Box::new(self.now.clone()))
    }

    fn restore(&mut self, saved: &Saved) -> bool {
        let Some(kept) = saved.0.downcast_ref::<Situation>() else { return false };
        self.now = kept.clone();
        true
    }
}

impl Play for Player<'_> {
    fn load(&mut self, from: &Snapshot) {
        self.come_to(self.engine.restore(from));
        self.mark();
    }

    fn mark(&mut self) {
        self.marked = self.now.clone();
    }

    fn reset(&mut self) {
        self.now = self.marked.clone();
    }

    fn push(&mut self) {
        self.stack.push(self.now.clone());
    }

    fn pop(&mut self) {
        if let Some(situation) = self.stack.pop() {
            self.now = situation;
        }
    }

    fn count(&self) -> usize {
        self.now.legal.len()
    }

    fn over(&self) -> Option<Over> {
        let outcome = self.now.outcome.as_ref()?;
        let mut places = [0; MAX_PLAYERS];
        for (place, told) in places.iter_mut().zip(&outcome.places) {
            *place = *told;
        }
        Some(Over { places, line: outcome.ending })
    }

    fn mover(&self) -> usize {
        usize::from(self.now.state.mover.0)
    }

    fn seat(&self, player: usize) -> usize {
        let side = PlayerId(u8::try_from(player).unwrap_or(0));
        usize::from(self.engine.seat(&self.now.state, side).0)
    }

    fn ply(&mut self, index: usize) -> Option<(MoveId, Vec<Value>)> {
        let ply = self.now.legal.get(index)?;
        Some((ply.mv, ply.parts(self.engine.rules()).collect()))
    }

    fn playout_told(&mut self, dice: &mut Dice, most: u64, tell: &mut dyn FnMut(&mut dyn Play, usize)) -> (u64, u64) {
        let (mut plies, mut choices) = (0, 0);
        while plies < most && self.count() > 0 {
            let count = self.count();
            let index = self.choose(&mut |count| dice.choose(count));
            tell(self, index);
            self.play(index);
            plies += 1;
            choices += count as u64;
        }
        (plies, choices)
    }

    fn shown(&mut self, index: usize, values: &mut Vec<Shown>) -> Option<MoveId> {
        let ply = self.now.legal.get(index)?;
        values.clear();
        values.extend(self.engine.shown(&self.now.state, ply).into_iter().map(Shown::Value));
        Some(ply.mv)
    }

    fn key(&mut self, index: usize) -> u64 {
        let Some((mv, parts)) = self.ply(index) else { return 0 };
        let mut hasher = Xxh3::new();
        hasher.update(&mv.0.to_le_bytes());
        hasher.update(format!("{parts:?}").as_bytes());
        hasher.digest()
    }

    fn play(&mut self, index: usize) {
        if let Some(ply) = self.now.legal.get(index) {
            self.come_to(self.engine.play(&self.now, ply));
        }
    }

    fn stopped(&mut self) -> Option<Stopped> {
        self.stopped.take()
    }

    fn chance(&mut self) -> bool {
        self.engine.is_chance(&self.now.legal)
    }

    fn weight(&mut self, index: usize) -> u32 {
        self.now.legal.get(index).map_or(0, |ply| self.engine.weight(&self.now.state, ply))
    }

    fn perft(&mut self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            1 => self.count() as u64,
            _ => {
                let here = self.now.clone();
                let mut sum = 0;
                for ply in here.legal.iter() {
                    if self.stopped.is_some() {
                        break;
                    }
                    self.come_to(self.engine.play(&here, ply));
                    sum += self.perft(depth - 1);
                }
                self.now = here;
                sum
            }
        }
    }

    fn hash(&self) -> u64 {
        let state = &self.now.state;
        let mut hasher = Xxh3::new();
        for number in [state.hash(), u64::from(state.turn), u64::from(state.ply)] {
            hasher.update(&number.to_le_bytes());
        }
        hasher.digest()
    }

    fn looks_back(&self) -> bool {
        self.engine.rules().repetition.any()
    }

    fn forget(&mut self, counts: &[MemoryId], clock: Option<(u32, u32)>) {
        let state = &mut self.now.state;
        (state.turn, state.ply) = clock.unwrap_or((state.turn, state.ply));
        state.seen = Arc::default();
        counts.iter().for_each(|memory| self.engine.set_value(state, memory.0, 0, Value::Number(Some(0))));
    }

    fn each_piece(&self, tell: &mut dyn FnMut(Content, usize)) {
        for (site, content) in self.engine.rules().board.all().iter().zip(self.now.state.contents()) {
            if !content.is_empty() {
                tell(*content, site.index());
            }
        }
    }

    fn look(&mut self, index: usize) -> Look {
        let Some(ply) = self.now.legal.get(index) else { return Look::default() };
        ply.parts(self.engine.rules()).fold(Look::of(ply.mv), |look, part| {
            if let Value::Sites(sites) = &part {
                sites.iter().next().map_or(look, |site| look.with_site(self.now.state.content(site)))
            } else if let Value::Kinds(kinds) = part {
                look.with_kinds(kinds)
            } else {
                look
            }
        })
    }

    fn pieces(&self) -> [u32; MAX_PLAYERS] {
        let mut pieces = [0; MAX_PLAYERS];
        for owner in self.now.state.contents().iter().filter_map(|content| content.owner()) {
            if let Some(count) = pieces.get_mut(usize::from(owner.0)) {
                *count += 1;
            }
        }
        pieces
    }

    fn snapshot(&self) -> Snapshot {
        self.engine.snapshot(&self.now.state)
    }

    fn scores(&mut self) -> Vec<i64> {
        self.engine.scores(&self.now.state)
    }

    fn players(&self) -> usize {
        self.engine.rules().players.len()
    }
}

/// Tells of a list of plies one by one.
fn tell_each(player: &mut dyn Play, tell: &mut dyn FnMut(Sheaf<'_>)) {
    for index in 0..player.count() {
        let Some((mv, values)) = player.ply(index) else { continue };
        let parts: Vec<i64> = values.iter().map(number_of).collect();
        tell(Sheaf { mv, parts: &parts, varied: None, follows: &[], shape: None });
    }
}

/// Tells of what stands where in a snapshot, with sites by their index.
fn tell_standing(snapshot: &Snapshot, tell: &mut dyn FnMut(Content, &[u64])) {
    let mut seen: Vec<Content> = snapshot.contents.iter().copied().filter(|content| !content.is_empty()).collect();
    seen.sort_unstable();
    seen.dedup();
    for content in seen {
        let mut words = vec![0; snapshot.contents.len().div_ceil(64)];
        for (site, _) in snapshot.contents.iter().enumerate().filter(|(_, here)| **here == content) {
            if let Some(word) = words.get_mut(site / 64) {
                *word |= 1 << (site % 64);
            }
        }
        tell(content, &words);
    }
}
