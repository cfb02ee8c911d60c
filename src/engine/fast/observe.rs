//! What those who learn a game are told of a position of the fast engine.

use super::eval::{Core, Frame};
use super::found::{Alike, Found, fan};
use super::player::{Here, Player};
use super::set::Set;
use super::state::State;
use crate::engine::Over;
use crate::engine::observe::{MISSING, Observe, Remembered, Saved, Sheaf};
use crate::program::ir::NONE;
use crate::program::{MAX_PARTS, MemoryInfo};
use crate::rules::{Content, Scope, Type};

/// A position that somebody goes back to.
struct Kept<const W: usize> {
    state: State<W>,
    over: Option<Over>,
}

impl<const W: usize> Found<'_, W> {
    /// Tells of all plies in the order of their numbers, those that differ in one part at once where nothing follows from it.
    fn sheaves(&self, core: &Core<W>, state: &State<W>, frame: &mut Frame<W>, tell: &mut impl FnMut(Alike<'_, W>)) {
        for (at, leaf) in self.leaves.iter().enumerate() {
            let Some(ply) = self.common(at) else { continue };
            let varied = (usize::from(leaf.slot) < MAX_PARTS).then_some((leaf.slot, leaf.set));
            fan(core, state, frame, ply, varied, leaf.derived, tell);
        }
        self.plies.iter().for_each(|ply| tell(Alike::of(&ply, None)));
    }
}

impl<const W: usize> Observe for Player<'_, W> {
    fn places(&self) -> Vec<usize> {
        let layout = &self.core.program.layout;
        self.core.rules.board.all().iter().map(|site| layout.position(site)).collect()
    }

    fn sheaves(&mut self, tell: &mut dyn FnMut(Sheaf<'_>)) {
        if self.now.over.is_some() {
            return;
        }
        let core = self.core;
        let calls = &core.own(&self.now.state).calls;
        let mut tell = |alike: Alike<'_, W>| {
            let Some(call) = calls.get(usize::from(alike.ply.call)) else { return };
            let parts = alike.ply.parts.get(..call.parts.len()).unwrap_or_default();
            let varied = alike.varied.map(|(slot, set)| (usize::from(slot), set.0.as_slice()));
            tell(Sheaf { mv: call.mv, parts, varied, follows: alike.follows, shape: alike.shape });
        };
        let Here { state, found, .. } = &self.now;
        match self.native {
            Some(native) if found.native => native.sheaves(core, state, found, &mut self.scratch.frame, &mut tell),
            Some(_) | None => found.sheaves(core, state, &mut self.scratch.frame, &mut tell),
        }
    }

    fn standing(&self, tell: &mut dyn FnMut(Content, &[u64])) {
        for (content, plane) in self.core.program.planes.iter().zip(&self.now.state.planes).skip(1) {
            tell(*content, &plane.0);
        }
    }

    fn remembered(&self, memory: usize, tell: &mut dyn FnMut(usize, Remembered<'_>)) {
        let program = &self.core.program;
        let (Some(info), Some(place)) = (self.core.rules.memories.get(memory), program.memories.get(memory)) else {
            return;
        };
        let MemoryInfo { sites, base, .. } = *place;
        let mut each = |offset: usize| {
            let at = usize::from(base) + offset;
            if sites {
                let set = self.now.state.sets.get(at).copied().unwrap_or(Set::EMPTY);
                return tell(offset, Remembered::Sites(&set.0));
            }
            let cell = self.now.state.cells.get(at).copied().unwrap_or(NONE);
            let piece = || usize::try_from(cell).ok().and_then(|plane| program.planes.get(plane)).copied();
            let number = match info.ty {
                _ if cell == NONE => MISSING,
                Type::Piece => piece().map_or(MISSING, |piece| i64::from(piece.code())),
                _ => cell,
            };
            tell(offset, Remembered::Number(number));
        };
        match info.scope {
            Scope::Site => {
                self.core.rules.board.all().iter().for_each(|site| each(program.layout.position(site)));
            }
            scope @ (Scope::Game | Scope::Player | Scope::Kind | Scope::PlayerKind) => {
                (0..scope.entries(&self.core.rules, 0)).for_each(each);
            }
        }
    }

    fn place_in_turn(&self) -> Option<usize> {
        self.now.state.places.only().map(usize::from)
    }

    fn save(&self) -> Saved {
        Saved(Box::new(Kept { state: self.now.state.clone(), over: self.now.over }))
    }

    fn restore(&mut self, saved: &Saved) -> bool {
        let Some(kept) = saved.0.downcast_ref::<Kept<W>>() else { return false };
        self.now.state.clone_from(&kept.state);
        self.now.over = kept.over;
        self.now.found.clear();
        if self.now.over.is_none() {
            self.core.legal(&self.now.state, &mut self.scratch, &mut self.now.found);
            self.list();
        }
        true
    }
}
