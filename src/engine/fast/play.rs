//! A ply made: its stages one after the other, and what is noted of it.

use super::eval::{Core, View};
use super::plies::{Ply, bind};
use super::scratch::Scratch;
use super::set::Set;
use super::state::{Places, State};
use crate::program::ir::{NONE, Test};
use crate::program::{Chronicle, Repeat, Step};
use crate::rules::MAX_ROUNDS;

impl<const W: usize> Core<W> {
    /// Makes a legal ply: pieces, memory and the place in the turn.
    pub fn play_ply<'p>(&'p self, state: &mut State<W>, ply: &Ply, scratch: &mut Scratch<'p, W>) {
        let own = self.own(state);
        let Some(call) = own.calls.get(usize::from(ply.call)) else { return };
        bind(&mut scratch.frame, &ply.parts);
        let mut steps = call.body.iter();
        let mut rest = steps.as_slice();
        // Definitions before the first change; what is asked about the ply is asked before it too.
        while let Some(step) = steps.next() {
            let view = View::of(self, state);
            match step {
                Step::Let(slot, int) => view.define(*slot, int, &mut scratch.frame),
                Step::LetSites(slot, set) => view.define_sites(*slot, set, &mut scratch.frame),
                Step::Change(_) | Step::Repeat(_) => break,
            }
            rest = steps.as_slice();
        }
        let view = View::of(self, state);
        let mut noted = 0u64;
        for (at, chronicle) in call.chronicles.iter().enumerate() {
            if let Chronicle::Note { when, .. } = chronicle
                && (matches!(when, Test::Const(true)) || view.test(when, &mut scratch.frame))
            {
                noted |= 1 << (at % 64);
            }
        }
        let leaves = call.until.as_ref().is_some_and(|until| view.test(until, &mut scratch.frame));
        let it = match rest {
            [] => None,
            [Step::Change(effects)] => {
                let mut changes = scratch.changes();
                let done = changes.gather(&view, effects, &mut scratch.frame);
                if done {
                    changes.commit(state, self.zobrist.as_ref());
                }
                let it = if done { changes.it() } else { None };
                scratch.keep(changes);
                it
            }
            _ => self.play_stages(state, rest, call.reads_before, scratch),
        };
        for (at, chronicle) in call.chronicles.iter().enumerate() {
            match chronicle {
                Chronicle::Note { cell, value, .. } => {
                    if noted >> (at % 64) & 1 == 1
                        && let Some(place) = state.cells.get_mut(usize::from(*cell))
                    {
                        *place = *value;
                    }
                }
                Chronicle::Collect { sites, set } => {
                    let taken = View::of(self, state).sets(sites, &mut scratch.frame);
                    if let Some(place) = state.sets.get_mut(usize::from(*set)) {
                        *place |= taken;
                    }
                }
                Chronicle::It { set } => {
                    if let (Some(it), Some(place)) = (it, state.sets.get_mut(usize::from(*set))) {
                        *place = Set::single(it);
                    }
                }
            }
        }
        state.places = match &ply.places {
            Some(places) => places.clone(),
            None => Places::from(if leaves { call.until_next.as_slice() } else { call.next.as_slice() }),
        };
        state.ply += 1;
    }

    /// What the rules do after each turn; what cannot be done is left out.
    pub(super) fn after_turn<'p>(&'p self, state: &mut State<W>, scratch: &mut Scratch<'p, W>) {
        let own = self.own(state);
        let call = own.after_turn.and_then(|call| own.calls.get(usize::from(call)));
        if let Some(call) = call {
            self.play_stages(state, &call.body, call.reads_before, scratch);
        }
    }

    /// Stage after stage; definitions in between read what has been done, and `before` what was.
    #[cold]
    fn play_stages<'p>(
        &'p self,
        state: &mut State<W>,
        steps: &'p [Step],
        reads_before: bool,
        scratch: &mut Scratch<'p, W>,
    ) -> Option<usize> {
        let before = reads_before.then(|| scratch.stage(state));
        let mut it = None;
        for step in steps {
            let view = View::of(self, state);
            let view = View { before: before.as_deref().unwrap_or(state), ..view };
            match step {
                Step::Let(slot, int) => view.define(*slot, int, &mut scratch.frame),
                Step::LetSites(slot, set) => view.define_sites(*slot, set, &mut scratch.frame),
                Step::Change(effects) => {
                    let mut changes = scratch.changes();
                    if changes.gather(&view, effects, &mut scratch.frame) {
                        changes.commit(state, self.zobrist.as_ref());
                        it = it.or(changes.it());
                    }
                    scratch.keep(changes);
                }
                Step::Repeat(repeat) => {
                    let mut next = scratch.stage(state);
                    if self.repeat(&mut next, &view, repeat, scratch) {
                        state.follow(&next);
                    }
                    scratch.give_back(next);
                }
            }
        }
        if let Some(before) = before {
            scratch.give_back(before);
        }
        it
    }

    /// Does something again and again; false if it cannot be done.
    pub(super) fn repeat<'p>(
        &'p self,
        state: &mut State<W>,
        view: &View<'_, W>,
        repeat: &Repeat,
        scratch: &mut Scratch<'p, W>,
    ) -> bool {
        let rounds = view.int(&repeat.times, &mut scratch.frame);
        let rounds = if rounds == NONE { 0 } else { rounds.clamp(0, MAX_ROUNDS.into()) };
        let mut changes = scratch.changes();
        let mut done = true;
        'rounds: for _ in 0..rounds {
            if !view.at(&*state).test(&repeat.condition, &mut scratch.frame) {
                break;
            }
            for step in &repeat.steps {
                let here = view.at(&*state);
                let made = match step {
                    Step::Let(slot, int) => {
                        here.define(*slot, int, &mut scratch.frame);
                        continue;
                    }
                    Step::LetSites(slot, set) => {
                        here.define_sites(*slot, set, &mut scratch.frame);
                        continue;
                    }
                    Step::Change(effects) => changes.gather(&here, effects, &mut scratch.frame),
                    Step::Repeat(inner) => self.repeat(state, view, inner, scratch),
                };
                if !made {
                    done = false;
                    break 'rounds;
                }
                if let Step::Change(_) = step {
                    changes.commit(state, self.zobrist.as_ref());
                }
            }
        }
        scratch.keep(changes);
        done
    }
}
