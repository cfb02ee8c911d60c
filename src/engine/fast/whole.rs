//! Turns that must be finished: plies after which that is possible, and whether it is.

use super::eval::{Asked, Core, View};
use super::found::Found;
use super::generate::{LOOK, MAX_TURN, Search};
use super::plies::{Ply, bind};
use super::scratch::{Lister, Scratch};
use super::seen::Seen;
use super::state::{Places, State};
use crate::engine::steps;
use crate::program::ir::Domain;
use crate::program::{Call, Generator};
use std::sync::Arc;

impl<const W: usize> Core<W> {
    /// Goes through a generator and keeps plies after which the turn can be finished; stops when enough are found.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn run_whole<'p>(
        &'p self,
        view: &View<'_, W>,
        call: &'p Call,
        index: u16,
        generator: &'p Generator,
        depth: u32,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
    ) {
        // What is kept in slots has to be worked out again for every site: the search for the rest of the turn uses
        // the same slots.
        let kept = |scratch: &mut Scratch<'p, W>| {
            let mut inner = generator;
            loop {
                match inner {
                    Generator::Let(slot, int, next) => {
                        view.define(*slot, int, &mut scratch.frame);
                        inner = next;
                    }
                    Generator::LetSites(slot, set, next) => {
                        view.define_sites(*slot, set, &mut scratch.frame);
                        inner = next;
                    }
                    _ => return inner,
                }
            }
        };
        if let Generator::Loop { slot, domain: Domain::Sites(set), tests, inner } = kept(scratch) {
            // Site by site, so that a search for a single ply looks no further than it must.
            for site in view.sets(set, &mut scratch.frame).iter() {
                kept(scratch);
                scratch.frame.bind(*slot, site as i64);
                if tests.iter().all(|test| view.test(test, &mut scratch.frame)) {
                    let mut here = scratch.list();
                    self.run(view, call, index, inner, scratch, &mut here);
                    self.keep_completable(view.now, &here, depth, scratch, found);
                    scratch.give_back_list(here);
                }
                if found.full() {
                    return;
                }
            }
            return;
        }
        let mut all = scratch.list();
        self.run(view, call, index, generator, scratch, &mut all);
        self.keep_completable(view.now, &all, depth, scratch, found);
        scratch.give_back_list(all);
    }

    fn keep_completable<'p>(
        &'p self,
        state: &State<W>,
        all: &Found<'p, W>,
        depth: u32,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
    ) {
        for at in 0..all.count {
            let Some(ply) = all.get(self, state, &mut scratch.frame, at) else { continue };
            if self.can_follow(state, &ply, depth, scratch) {
                found.push_ply(&ply, self.program.parts);
            }
            if found.full() {
                return;
            }
        }
    }

    /// Whether the turn can be finished after a ply.
    pub(super) fn can_follow<'p>(
        &'p self,
        state: &State<W>,
        ply: &Ply,
        depth: u32,
        scratch: &mut Scratch<'p, W>,
    ) -> bool {
        if let Some(closes) =
            self.urn.closing(state.mover, ply.call).filter(|_| ply.places.is_none() && depth < MAX_TURN)
        {
            bind(&mut scratch.frame, &ply.parts);
            return View::of(self, state).test(closes, &mut scratch.frame);
        }
        steps::within(self.steps, || {
            let native = scratch.native.filter(|_| ply.places.is_none());
            if depth + 1 < MAX_TURN
                && let Some(can) = native.and_then(|native| native.finishes(self, state, ply, scratch))
            {
                return steps::take(LOOK, self.turn) && can;
            }
            let mut after = scratch.state(state);
            if !native.is_some_and(|native| native.play_ahead(self, state, ply, &mut after, scratch)) {
                self.play_ply(&mut after, ply, scratch);
            }
            let can = self.completable(&after, depth + 1, scratch);
            scratch.give_back(after);
            can
        })
    }

    /// Whether a turn that has come so far can be finished.
    pub(super) fn completable<'p>(&'p self, state: &State<W>, depth: u32, scratch: &mut Scratch<'p, W>) -> bool {
        if depth > MAX_TURN || !steps::take(LOOK, self.turn) {
            return false;
        }
        let own = self.own(state);
        let finish = state.places.only().and_then(|place| own.finishes.get(usize::from(place)).copied().flatten());
        if let Some(finish) = finish.filter(|_| depth < MAX_TURN) {
            return self.is_open(state, own, finish, scratch);
        }
        let search = Search { own, must: None, whole: true, depth };
        if depth == 1 && self.finishes_alike(state, search, scratch) {
            return true;
        }
        let mut found = scratch.list();
        found.stop_at(1);
        let path = std::mem::take(&mut scratch.path);
        if !self.sift(state, search, true, scratch, &mut found) {
            self.visit_all(state, search, scratch, &mut found);
        }
        scratch.path = path;
        let can = found.count > 0 || found.end;
        if depth == 1 {
            self.note_finisher(found.plies.get(0), scratch);
        }
        scratch.give_back_list(found);
        can
    }

    /// Keeps, of all plies that machine code lists, those after which the turn can be finished; none where the turn may end as
    /// it is and that is `enough`. False where machine code lists none, or where a way is preferred as long as one of its
    /// plies can be followed.
    pub(super) fn sift<'p>(
        &'p self,
        state: &State<W>,
        search: Search<'p>,
        enough: bool,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
    ) -> bool {
        let Some(place) = state.places.only() else { return false };
        if self.urn.prefers.get(usize::from(place)) != Some(&false) {
            return false;
        }
        let mut all = scratch.list();
        let listed = scratch.native.is_some_and(|native| native.list_all(self, state, scratch, &mut all));
        if listed {
            found.end = all.end;
            if !(found.end && enough) {
                self.keep_completable(state, &all, search.depth, scratch, found);
            }
        }
        scratch.give_back_list(all);
        listed
    }
}

/// Whether the pattern at a node can be played to its end. A state that a move is tried on knows of no earlier positions, so
/// they are told apart; they are wanted only where moves ask for them.
pub(super) fn possible<const W: usize>(core: &Core<W>, state: &State<W>, history: &Seen, asked: Asked) -> bool {
    let mut scratch = Scratch::new(&core.program);
    let lister = core.lister.get().and_then(|lister| lister.downcast_ref::<Arc<dyn Lister<W>>>());
    scratch.native = lister.map(AsRef::as_ref);
    let mut state = state.without_history();
    if core.program.recalls {
        state.seen.clone_from(history);
    }
    if asked.answers {
        core.pass_on(&mut state, &mut scratch);
    }
    state.places = Places::one(asked.place);
    steps::within(core.steps, || core.completable(&state, 0, &mut scratch))
}
