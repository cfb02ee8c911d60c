//! One ply drawn at random without listing the others: draw a candidate from a larger set that is cheap to count, test it,
//! and draw again where it fails.
//!
//! Every candidate is as likely as any other and stands for at most one ply, and every legal ply is a candidate, so each
//! legal ply is as likely as any other (rejection sampling). Where too many candidates fail, the plies are listed.

use super::eval::{Core, View, bits};
use super::found::Found;
use super::generate::{Search, common_of};
use super::plies::Ply;
use super::scratch::{Draws, Scratch};
use super::set::Set;
use super::state::State;
use crate::program::ir::{Domain, Int, NONE, Sets};
use crate::program::{Call, DutyKind, Generator, MAX_PARTS, TurnNode};
use std::cell::RefCell;

/// Candidates drawn for one ply before the plies are listed after all.
const TRIES: u32 = 64;

/// A loop within a loop is drawn from where it has no more candidates than this: they may all but one be in vain.
const MOST_WITHIN: u64 = 8;

/// Drawing is given up for the rest of a game when so many candidates fail for each that is taken.
const MOST_FAILURES: u64 = 32;

/// Whether a generator makes changes to find out what is legal: its plies are cheaper to draw than to list.
fn is_staged(generator: &Generator) -> bool {
    generator.any(&|inner| matches!(inner, Generator::Stage(..) | Generator::Repeat(..)))
}

impl Draws {
    fn roll(&mut self, count: usize) -> u64 {
        self.tried += 1;
        self.dice.roll(count) as u64
    }

    fn take(&mut self, number: u64, offered: u64) {
        self.taken += 1;
        self.next = Some((number, offered));
    }

    fn are_in_vain(&self) -> bool {
        self.tried > 64 * MOST_FAILURES && self.tried / MOST_FAILURES > self.taken
    }
}

impl<const W: usize> Core<W> {
    /// Whether there are plies in this game that are drawn.
    pub(super) fn draws(&self) -> bool {
        self.program.sections.iter().any(|section| section.whole)
            || self.program.by_mover.iter().any(|own| own.calls.iter().any(|call| is_staged(&call.generator)))
    }

    /// All legal plies of a state; in a random game one of them, each as likely as any other, where drawing it is cheaper.
    pub(super) fn offer<'p>(&'p self, state: &State<W>, scratch: &mut Scratch<'p, W>, found: &mut Found<'p, W>) {
        if scratch.draws.is_none() || !self.draw(state, scratch, found) {
            self.legal(state, scratch, found);
        }
    }

    /// Makes one legal ply all that is found. False where plies are not drawn, or were drawn in vain: then nothing is known
    /// of them.
    fn draw<'p>(&'p self, state: &State<W>, scratch: &mut Scratch<'p, W>, found: &mut Found<'p, W>) -> bool {
        let Some(place) = state.places.only() else { return false };
        if self.program.plain.get(usize::from(place)) != Some(&true) {
            return false;
        }
        let own = self.own(state);
        let view = View::of(self, state);
        let bound = own.duties.get(state.section).is_some_and(|duties| {
            duties
                .iter()
                .any(|duty| !matches!(duty.kind, DutyKind::ExtraTurn) && view.test(&duty.guard, &mut scratch.frame))
        });
        if bound {
            return false;
        }
        let Some(draws) = scratch.draws.clone() else { return false };
        let whole = self.program.sections.get(state.section).is_some_and(|section| section.whole);
        let search = Search { own, must: None, whole, depth: 0 };
        let in_vain = draws.borrow().are_in_vain();
        let drawn = if in_vain { None } else { self.drawn(state, place, search, &draws, scratch) };
        if let Some(ply) = &drawn {
            #[cfg(test)]
            self.assert_legal(state, ply, scratch);
            found.only(ply, self.program.parts);
        }
        drawn.is_some()
    }

    /// In tests every ply that is drawn is looked up in the list of legal ones.
    #[cfg(test)]
    fn assert_legal<'p>(&'p self, state: &State<W>, ply: &Ply, scratch: &mut Scratch<'p, W>) {
        let mut all = Found::default();
        self.legal(state, scratch, &mut all);
        let listed = (0..all.count).filter_map(|index| all.get(self, state, &mut scratch.frame, index));
        let same = |other: Ply| other.call == ply.call && other.parts == ply.parts;
        assert!(listed.into_iter().any(same), "{ply:?} was drawn and is not legal");
    }

    fn drawn<'p>(
        &'p self,
        state: &State<W>,
        place: u16,
        search: Search<'p>,
        draws: &RefCell<Draws>,
        scratch: &mut Scratch<'p, W>,
    ) -> Option<Ply> {
        let mut calls = Vec::new();
        if !self.open_calls(state, place, search, true, &mut calls, scratch) {
            return None;
        }
        let staged =
            |index: &u16| search.own.calls.get(usize::from(*index)).is_some_and(|call| is_staged(&call.generator));
        if !search.whole && !calls.iter().any(staged) {
            return None;
        }
        let view = View::of(self, state);
        let mut weights = Vec::new();
        for index in &calls {
            let call = search.own.calls.get(usize::from(*index))?;
            weights.push((call, *index, self.candidates(&view, &call.generator, scratch)));
        }
        let candidates = weights.iter().try_fold(0u64, |sum, (_, _, weight)| sum.checked_add((*weight)?));
        match candidates {
            Some(candidates) => self.repeatedly(state, candidates, search, draws, scratch, |core, mut k, scratch| {
                let (call, index, _) = weights.iter().find(|(_, _, weight)| {
                    let weight = weight.unwrap_or(0);
                    let here = k < weight;
                    if !here {
                        k -= weight;
                    }
                    here
                })?;
                core.candidate(&view, call, *index, &call.generator, k, scratch)
            }),
            // As if every ply could be followed by the rest of a turn.
            None if search.whole => {
                let mut all = scratch.list();
                self.list(state, Search { whole: false, ..search }, scratch, &mut all);
                let drawn = self.repeatedly(state, all.count as u64, search, draws, scratch, |core, k, scratch| {
                    all.get(core, state, &mut scratch.frame, usize::try_from(k).ok()?)
                });
                scratch.give_back_list(all);
                drawn
            }
            None => None,
        }
    }

    /// Draws from so many candidates until one is a legal ply.
    fn repeatedly<'p>(
        &'p self,
        state: &State<W>,
        candidates: u64,
        search: Search<'p>,
        draws: &RefCell<Draws>,
        scratch: &mut Scratch<'p, W>,
        mut candidate: impl FnMut(&'p Self, u64, &mut Scratch<'p, W>) -> Option<Ply>,
    ) -> Option<Ply> {
        let count = usize::try_from(candidates).ok().filter(|count| *count > 0)?;
        for attempt in 0..TRIES {
            let k = draws.borrow_mut().roll(count);
            let Some(ply) = candidate(self, k, scratch) else { continue };
            if search.whole && !self.can_follow(state, &ply, search.depth, scratch) {
                continue;
            }
            // The estimate is without bias: the first candidate is legal as often as candidates are legal plies.
            draws.borrow_mut().take(k, if attempt == 0 { candidates } else { 0 });
            return Some(ply);
        }
        None
    }

    /// The calls that a place leads to in a state, of a preference those of its first way. False where that way may offer
    /// nothing unnoticed, since there are others beside the preference.
    fn open_calls<'p>(
        &'p self,
        state: &State<W>,
        node: u16,
        search: Search<'p>,
        alone: bool,
        calls: &mut Vec<u16>,
        scratch: &mut Scratch<'p, W>,
    ) -> bool {
        let next = match self.program.nodes.get(usize::from(node)) {
            None | Some(TurnNode::End) => return true,
            Some(TurnNode::Call(call)) => {
                calls.push(*call);
                return true;
            }
            Some(TurnNode::Prefer(next)) => {
                return alone
                    && next.first().is_some_and(|first| self.open_calls(state, *first, search, true, calls, scratch));
            }
            Some(TurnNode::Guard(test, next)) => {
                let open = search.own.guards.get(usize::from(*test));
                if !open.is_some_and(|test| View::of(self, state).test(test, &mut scratch.frame)) {
                    return true;
                }
                next
            }
            Some(TurnNode::Fork(next)) => next,
        };
        let alone = alone && next.len() == 1;
        next.iter().all(|next| self.open_calls(state, *next, search, alone, calls, scratch))
    }

    /// How many candidates a generator has; none where too many of them would be drawn in vain.
    fn candidates<'p>(
        &'p self,
        view: &View<'_, W>,
        generator: &'p Generator,
        scratch: &mut Scratch<'p, W>,
    ) -> Option<u64> {
        Some(match generator {
            Generator::One => 1,
            Generator::Leaf { set, .. } => view.sets(set, &mut scratch.frame).len() as u64,
            Generator::Fan { branches, .. } => {
                branches.iter().map(|branch| view.sets(&branch.set, &mut scratch.frame).len() as u64).sum()
            }
            Generator::Test(test, inner) => {
                if !view.test(test, &mut scratch.frame) {
                    return Some(0);
                }
                return self.candidates(view, inner, scratch);
            }
            Generator::If(test, yes, no) => {
                let chosen = if view.test(test, &mut scratch.frame) { yes } else { no };
                return self.candidates(view, chosen, scratch);
            }
            Generator::Let(slot, int, inner) => {
                view.define(*slot, int, &mut scratch.frame);
                return self.candidates(view, inner, scratch);
            }
            Generator::LetSites(slot, set, inner) => {
                view.define_sites(*slot, set, &mut scratch.frame);
                return self.candidates(view, inner, scratch);
            }
            Generator::Loop { domain, inner, .. } => {
                let within = self.most_plies(inner).filter(|within| *within <= MOST_WITHIN)?;
                let members = match domain {
                    Domain::Sites(set) => view.sets(set, &mut scratch.frame).len() as u64,
                    Domain::Mask(mask) => bits(view.int(mask, &mut scratch.frame)).count() as u64,
                    Domain::Range(low, high) => {
                        let (low, high) = (view.int(low, &mut scratch.frame), view.int(high, &mut scratch.frame));
                        span(low, high)?
                    }
                };
                members.checked_mul(within)?
            }
            Generator::Stage(_, inner) | Generator::Repeat(_, inner) => return self.most_plies(inner),
        })
    }

    /// The most plies that a generator can have in any state, as far as its form tells.
    fn most_plies(&self, generator: &Generator) -> Option<u64> {
        match generator {
            Generator::One => Some(1),
            Generator::Leaf { set, .. } => Some(self.most_sites(set)),
            Generator::Fan { branches, .. } => {
                branches.iter().try_fold(0u64, |sum, branch| sum.checked_add(self.most_sites(&branch.set)))
            }
            Generator::Loop { domain, inner, .. } => {
                let members = match domain {
                    Domain::Sites(set) => self.most_sites(set),
                    Domain::Mask(Int::Const(mask)) => u64::from(mask.count_ones()),
                    Domain::Mask(_) | Domain::Range(..) => return None,
                };
                members.checked_mul(self.most_plies(inner)?)
            }
            Generator::If(_, yes, no) => Some(self.most_plies(yes)?.max(self.most_plies(no)?)),
            Generator::Test(_, inner)
            | Generator::Let(_, _, inner)
            | Generator::LetSites(_, _, inner)
            | Generator::Stage(_, inner)
            | Generator::Repeat(_, inner) => self.most_plies(inner),
        }
    }

    /// The most members that a set can have in any state, as far as its form tells.
    fn most_sites(&self, set: &Sets) -> u64 {
        let all = self.geometry.all.len() as u64;
        let ways = |mask: &Int| {
            let one = matches!(mask, Int::Bit(_) | Int::OnlyBit(_));
            if let Int::Const(mask) = mask {
                u64::from(mask.count_ones())
            } else {
                u64::from(if one { 1u8 } else { 16 })
            }
        };
        let most = match set {
            Sets::Const(set) => set.len() as u64,
            Sets::One(_) => 1,
            Sets::And(parts) => parts.iter().map(|part| self.most_sites(part)).min().unwrap_or(all),
            Sets::Or(parts) => parts.iter().map(|part| self.most_sites(part)).fold(0, u64::saturating_add),
            Sets::Minus(from, _) => self.most_sites(from),
            Sets::Near(_) => self.geometry.neighbours.iter().map(|set| set.len() as u64).max().unwrap_or(0),
            Sets::Ahead { from, directions, .. } | Sets::Beyond { from, directions, .. } => {
                self.most_sites(from).saturating_mul(ways(directions))
            }
            Sets::If(_, yes, no) => self.most_sites(yes).max(self.most_sites(no)),
            Sets::Filter { domain, .. } => self.most_sites(domain),
            // Of the others no more is known than that they lie on the board.
            _ => all,
        };
        most.min(all)
    }

    /// The candidate with a number below the weight of a generator, if it is a ply.
    fn candidate<'p>(
        &'p self,
        view: &View<'_, W>,
        call: &'p Call,
        index: u16,
        generator: &'p Generator,
        k: u64,
        scratch: &mut Scratch<'p, W>,
    ) -> Option<Ply> {
        match generator {
            Generator::One => (k == 0).then(|| common_of(&scratch.frame, call, index)),
            Generator::Leaf { slot, set } => {
                let set = view.sets(set, &mut scratch.frame);
                let member = set.nth(usize::try_from(k).ok()?)?;
                Some(with_part(common_of(&scratch.frame, call, index), *slot, member))
            }
            Generator::Fan { slot, branches } => {
                let mut left = usize::try_from(k).ok()?;
                for branch in branches {
                    let set: Set<W> = view.sets(&branch.set, &mut scratch.frame);
                    if let Some(member) = set.nth(left) {
                        let mut ply = with_part(common_of(&scratch.frame, call, index), *slot, member);
                        ply.derive(&branch.derived, view, &mut scratch.frame);
                        return Some(ply);
                    }
                    left -= set.len();
                }
                None
            }
            Generator::Test(test, inner) => {
                let open = view.test(test, &mut scratch.frame);
                if open { self.candidate(view, call, index, inner, k, scratch) } else { None }
            }
            Generator::If(test, yes, no) => {
                let chosen = if view.test(test, &mut scratch.frame) { yes } else { no };
                self.candidate(view, call, index, chosen, k, scratch)
            }
            Generator::Let(slot, int, inner) => {
                view.define(*slot, int, &mut scratch.frame);
                self.candidate(view, call, index, inner, k, scratch)
            }
            Generator::LetSites(slot, set, inner) => {
                view.define_sites(*slot, set, &mut scratch.frame);
                self.candidate(view, call, index, inner, k, scratch)
            }
            Generator::Loop { slot, domain, tests, inner } => {
                let within = self.most_plies(inner).filter(|within| *within > 0)?;
                let at = usize::try_from(k / within).ok()?;
                let member = match domain {
                    Domain::Sites(set) => view.sets(set, &mut scratch.frame).nth(at)? as i64,
                    Domain::Mask(mask) => bits(view.int(mask, &mut scratch.frame)).nth(at)?,
                    Domain::Range(low, high) => {
                        let (low, high) = (view.int(low, &mut scratch.frame), view.int(high, &mut scratch.frame));
                        span(low, high).filter(|count| (at as u64) < *count)?;
                        low + at as i64
                    }
                };
                scratch.frame.bind(*slot, member);
                if !tests.iter().all(|test| view.test(test, &mut scratch.frame)) {
                    return None;
                }
                self.candidate(view, call, index, inner, k % within, scratch)
            }
            Generator::Stage(effects, inner) => {
                let mut changes = scratch.changes();
                let mut ply = None;
                if changes.gather(view, effects, &mut scratch.frame) {
                    let mut state = scratch.state(view.now);
                    changes.commit(&mut state, self.zobrist.as_ref());
                    ply = self.candidate(&view.at(&state), call, index, inner, k, scratch);
                    scratch.give_back(state);
                }
                scratch.keep(changes);
                ply
            }
            Generator::Repeat(repeat, inner) => {
                let mut state = scratch.state(view.now);
                let mut ply = None;
                if self.repeat(&mut state, view, repeat, scratch) {
                    ply = self.candidate(&view.at(&state), call, index, inner, k, scratch);
                }
                scratch.give_back(state);
                ply
            }
        }
    }
}

/// The numbers from one to another that a loop goes through.
fn span(low: i64, high: i64) -> Option<u64> {
    if low == NONE || high == NONE {
        return Some(0);
    }
    let count = high.checked_sub(low)?.checked_add(1)?.clamp(0, 100_000);
    u64::try_from(count).ok()
}

fn with_part(mut ply: Ply, slot: u16, value: usize) -> Ply {
    if let Some(part) = ply.parts.get_mut(usize::from(slot)).filter(|_| usize::from(slot) < MAX_PARTS) {
        *part = value as i64;
    }
    ply
}
