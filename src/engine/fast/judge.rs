//! Whether a ply whose parts are known is legal, without listing others; and plies that have finished turns before, which
//! may finish this one too.

use super::eval::{Core, View, bits};
use super::generate::Search;
use super::plies::Ply;
use super::scratch::Scratch;
use super::state::State;
use crate::program::ir::{Domain, NONE};
use crate::program::{Generator, TurnNode};

/// Turns that run in circles are not followed further than this.
const MAX_CIRCLE: u32 = 64;

impl<const W: usize> Core<W> {
    /// Whether a turn can go on with one of the plies that others were finished with.
    pub(super) fn finishes_alike<'p>(
        &'p self,
        state: &State<W>,
        search: Search<'p>,
        scratch: &mut Scratch<'p, W>,
    ) -> bool {
        let Some(place) = state.places.only() else { return false };
        let behind = self.urn.behind.get(usize::from(place)).map_or(&[][..], Vec::as_slice);
        if behind.is_empty() {
            return false;
        }
        for at in 0..scratch.finishers.len() {
            let known = scratch.finishers.get(at).filter(|ply| behind.contains(&ply.call));
            let Some(ply) = known.cloned() else { continue };
            let Some(call) = search.own.calls.get(usize::from(ply.call)) else { continue };
            if self.leads_to(state, place, ply.call, search, 0, scratch)
                && self.offers(&View::of(self, state), &call.generator, &ply, scratch)
                && self.can_follow(state, &ply, search.depth, scratch)
            {
                scratch.finishers.note(ply);
                return true;
            }
        }
        false
    }

    /// A turn could be finished with this ply.
    pub(super) fn note_finisher(&self, ply: Option<Ply>, scratch: &mut Scratch<'_, W>) {
        if let Some(ply) = ply.filter(|ply| ply.places.is_none()) {
            scratch.finishers.note(ply);
        }
    }

    /// Whether a place leads to a call for certain: where one way is preferred to others it may not.
    fn leads_to<'p>(
        &'p self,
        state: &State<W>,
        node: u16,
        wanted: u16,
        search: Search<'p>,
        depth: u32,
        scratch: &mut Scratch<'p, W>,
    ) -> bool {
        let next = match self.program.nodes.get(usize::from(node)).filter(|_| depth < MAX_CIRCLE) {
            None | Some(TurnNode::End | TurnNode::Prefer(_)) => return false,
            Some(TurnNode::Call(call)) => return *call == wanted,
            Some(TurnNode::Guard(test, next)) => {
                if !self.is_open(state, search.own, *test, scratch) {
                    return false;
                }
                next
            }
            Some(TurnNode::Fork(next)) => next,
        };
        next.iter().any(|next| self.leads_to(state, *next, wanted, search, depth + 1, scratch))
    }

    /// Whether a generator offers a ply.
    fn offers<'p>(
        &'p self,
        view: &View<'_, W>,
        generator: &'p Generator,
        ply: &Ply,
        scratch: &mut Scratch<'p, W>,
    ) -> bool {
        let part = |slot: u16| ply.parts.get(usize::from(slot)).copied().filter(|part| *part != NONE);
        match generator {
            Generator::One => true,
            Generator::Leaf { slot, set } => {
                let at = part(*slot).and_then(|part| usize::try_from(part).ok());
                at.is_some_and(|at| view.sets(set, &mut scratch.frame).contains(at))
            }
            Generator::Fan { slot, branches } => {
                let Some(at) = part(*slot).and_then(|part| usize::try_from(part).ok()) else { return false };
                branches.iter().any(|branch| {
                    let mut same = ply.clone();
                    view.sets(&branch.set, &mut scratch.frame).contains(at) && {
                        same.derive(&branch.derived, view, &mut scratch.frame);
                        same.parts == ply.parts
                    }
                })
            }
            Generator::Test(test, inner) => {
                view.test(test, &mut scratch.frame) && self.offers(view, inner, ply, scratch)
            }
            Generator::If(test, yes, no) => {
                let chosen = if view.test(test, &mut scratch.frame) { yes } else { no };
                self.offers(view, chosen, ply, scratch)
            }
            Generator::Either(all) => all.iter().any(|one| self.offers(view, one, ply, scratch)),
            Generator::Let(slot, int, inner) => {
                view.define(*slot, int, &mut scratch.frame);
                self.offers(view, inner, ply, scratch)
            }
            Generator::LetSites(slot, set, inner) => {
                view.define_sites(*slot, set, &mut scratch.frame);
                self.offers(view, inner, ply, scratch)
            }
            // A direction in which a part is looked for is no part itself.
            Generator::Loop { slot, domain: Domain::Mask(mask), tests, inner } if part(*slot).is_none() => {
                bits(view.int(mask, &mut scratch.frame)).any(|value| {
                    scratch.frame.bind(*slot, value);
                    tests.iter().all(|test| view.test(test, &mut scratch.frame))
                        && self.offers(view, inner, ply, scratch)
                })
            }
            Generator::Loop { slot, domain, tests, inner } => {
                let Some(value) = part(*slot) else { return false };
                let within = match domain {
                    Domain::Sites(set) => {
                        usize::try_from(value).is_ok_and(|at| view.sets(set, &mut scratch.frame).contains(at))
                    }
                    Domain::Mask(mask) => bits(view.int(mask, &mut scratch.frame)).any(|member| member == value),
                    Domain::Range(low, high) => {
                        let (low, high) = (view.int(low, &mut scratch.frame), view.int(high, &mut scratch.frame));
                        low != NONE && high != NONE && (low..=high).contains(&value)
                    }
                };
                within && {
                    scratch.frame.bind(*slot, value);
                    tests.iter().all(|test| view.test(test, &mut scratch.frame))
                        && self.offers(view, inner, ply, scratch)
                }
            }
            Generator::Stage(effects, inner) => {
                let mut changes = scratch.changes();
                let mut offered = false;
                if changes.gather(view, effects, &mut scratch.frame) {
                    let mut state = scratch.stage(view.now);
                    changes.commit(&mut state, self.zobrist.as_ref());
                    offered = self.offers(&view.at(&state), inner, ply, scratch);
                    scratch.give_back(state);
                }
                scratch.keep(changes);
                offered
            }
            Generator::Repeat(repeat, inner) => {
                let mut state = scratch.stage(view.now);
                let offered = self.repeat(&mut state, view, repeat, scratch)
                    && self.offers(&view.at(&state), inner, ply, scratch);
                scratch.give_back(state);
                offered
            }
        }
    }
}
