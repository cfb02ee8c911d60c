//! One ply drawn at random without listing the others: draw a candidate from a larger set that is cheap to count, test it,
//! and draw again where it fails.
//!
//! Every candidate is as likely as any other and stands for at most one ply, and every legal ply is a candidate, so each
//! legal ply is as likely as any other (rejection sampling). Where too many candidates fail, the plies are listed.

use super::eval::{Core, View, bits};
use super::found::Found;
use super::generate::{Search, common_of};
use super::lots::{Cost, Lots};
use super::plies::Ply;
use super::scratch::{Candidate, Draws, Scratch};
use super::set::Set;
use super::state::State;
use crate::program::ir::{Domain, NONE};
use crate::program::{Call, DutyKind, MAX_PARTS, TurnNode};

/// Candidates drawn for one ply before the plies are listed after all.
const TRIES: u64 = 64;

/// Where most candidates are missing so many are drawn at a time.
pub(super) const AT_ONCE: usize = 8;

/// The same where the rest of a turn decides: to find that nothing can be followed takes longest.
const TRIES_OF_TURNS: u32 = 16;

/// So many candidates are drawn in a game before it is asked whether drawing pays.
const TRIAL: u64 = 96;

/// To draw a candidate takes so many instructions beside those of its tests.
const DRAW: u64 = 240;

/// So many candidates, what they cost, and how many of them are drawn at a time.
#[derive(Clone, Copy)]
struct Lot {
    candidates: u64,
    cost: Cost,
    at_once: usize,
}

impl Draws {
    fn roll(&mut self, count: usize) -> u64 {
        self.dice.roll(count) as u64
    }

    fn take(&mut self, number: u64, offered: u64) {
        self.next = Some((number, offered));
    }

    fn are_in_vain(&self) -> bool {
        self.tried > TRIAL && self.cost > self.cost_of_lists
    }

    /// Notes what a ply has cost for which so many of some candidates were drawn, of which as many were judged; and what it
    /// would have cost to judge all that there are.
    fn account(&mut self, cost: Cost, candidates: u64, drawn: u64, judged: u64) {
        self.tried += drawn;
        let each = cost.once + DRAW;
        self.cost = self.cost.saturating_add((drawn + 1) * each + judged.saturating_mul(cost.test));
        let there = candidates.saturating_mul(judged) / drawn.max(1);
        self.cost_of_lists = self.cost_of_lists.saturating_add(cost.once + there.saturating_mul(cost.test));
    }
}

impl<const W: usize> Core<W> {
    /// Whether there are plies in this game that are drawn.
    pub(super) fn draws(&self) -> bool {
        self.urn.places.contains(&true)
    }

    /// All legal plies of a state; in a random game one of them, each as likely as any other, where drawing it is cheaper.
    pub(super) fn offer<'p>(&'p self, state: &State<W>, scratch: &mut Scratch<'p, W>, found: &mut Found<'p, W>) {
        if scratch.draws.is_none() || !self.draw(state, scratch, found) {
            self.legal(state, scratch, found);
        }
    }

    /// Makes one legal ply all that is found. False where plies are not drawn, or were drawn in vain: then nothing is known
    /// of them.
    pub(super) fn draw<'p>(&'p self, state: &State<W>, scratch: &mut Scratch<'p, W>, found: &mut Found<'p, W>) -> bool {
        let Some(place) = state.places.only().filter(|place| self.urn.draws_at(*place)) else { return false };
        let in_vain = scratch.draws.as_ref().is_none_or(|draws| draws.are_in_vain());
        if in_vain || self.is_bound(state, scratch) {
            return false;
        }
        // Nothing is drawn while something is.
        let Some(mut draws) = scratch.draws.take() else { return false };
        let whole = self.program.sections.get(state.section).is_some_and(|section| section.whole);
        let search = Search { own: self.own(state), must: None, whole, depth: 0 };
        let mut open = std::mem::take(&mut scratch.open);
        open.clear();
        let drawn = self.drawn(state, place, search, &mut draws, &mut open, scratch);
        scratch.open = open;
        scratch.draws = Some(draws);
        if let Some(ply) = &drawn {
            #[cfg(test)]
            self.assert_legal(state, ply, scratch);
            found.only(ply, self.program.parts);
        }
        drawn.is_some()
    }

    /// Whether a duty decides about plies, so that all of them have to be known.
    fn is_bound(&self, state: &State<W>, scratch: &mut Scratch<'_, W>) -> bool {
        let duties = self.own(state).duties.get(state.section).map_or(&[][..], Vec::as_slice);
        let view = View::of(self, state);
        let decides = |kind: &DutyKind| !matches!(kind, DutyKind::ExtraTurn | DutyKind::NextTurn(_));
        duties.iter().any(|duty| decides(&duty.kind) && view.test(&duty.guard, &mut scratch.frame))
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
        draws: &mut Draws,
        open: &mut Vec<(u16, u64)>,
        scratch: &mut Scratch<'p, W>,
    ) -> Option<Ply> {
        if let Some(Some(straight)) = self.program.straight.get(usize::from(place)) {
            open.extend(straight.calls.iter().map(|call| (*call, 0)));
        } else if !self.open_calls(state, place, search, true, open, scratch) {
            return None;
        }
        let mut candidates = Some(0u64);
        for (index, weight) in open.iter_mut() {
            let known = self.weigh(state, *index, scratch);
            *weight = known.unwrap_or(0);
            candidates = candidates.zip(known).and_then(|(sum, weight)| sum.checked_add(weight));
        }
        let cost = self.urn.cost(place, search.whole);
        match candidates {
            Some(candidates) => {
                let several = self.urn.sparse.get(usize::from(place)) == Some(&true);
                let lot = Lot { candidates, cost, at_once: if several { AT_ONCE } else { 1 } };
                self.repeatedly(state, lot, search, draws, scratch, |core, numbers, scratch| {
                    let mut within = [numbers.first().copied().unwrap_or(0)];
                    let [k] = &mut within;
                    let (index, numbers) = match open.as_slice() {
                        [(index, _)] => (Some(*index), numbers),
                        several => {
                            let found = several.iter().find(|(_, weight)| {
                                let here = *k < *weight;
                                if !here {
                                    *k -= *weight;
                                }
                                here
                            });
                            (found.map(|(index, _)| *index), within.as_slice())
                        }
                    };
                    // Asked at one place only, so that it is written out here.
                    index.map_or((1, Candidate::Missing), |index| core.candidate_of(state, index, numbers, scratch))
                })
            }
            // As if every ply could be followed by the rest of a turn.
            None if search.whole => {
                let mut all = scratch.list();
                self.list(state, Search { whole: false, ..search }, scratch, &mut all);
                let lot = Lot { candidates: all.count as u64, cost, at_once: 1 };
                let drawn = self.repeatedly(state, lot, search, draws, scratch, |core, numbers, scratch| {
                    let index = numbers.first().and_then(|k| usize::try_from(*k).ok());
                    let ply = index.and_then(|index| all.get(core, state, &mut scratch.frame, index));
                    ply.map_or((1, Candidate::Missing), |ply| (0, Candidate::Ply(ply)))
                });
                scratch.give_back_list(all);
                drawn
            }
            None => None,
        }
    }

    /// Draws from so many candidates until one is a legal ply. Of the numbers of candidates that it is given, who judges
    /// passes over those that are missing, and tells how many these were and what the next one is.
    fn repeatedly<'p>(
        &'p self,
        state: &State<W>,
        Lot { candidates, cost, at_once }: Lot,
        search: Search<'p>,
        draws: &mut Draws,
        scratch: &mut Scratch<'p, W>,
        mut candidate: impl FnMut(&'p Self, &[u64], &mut Scratch<'p, W>) -> (usize, Candidate),
    ) -> Option<Ply> {
        let count = usize::try_from(candidates).ok().filter(|count| *count > 0)?;
        let (mut drawn, mut judged, mut unfinished) = (0, 0, 0);
        let mut numbers = [0; AT_ONCE];
        'tries: while drawn < TRIES {
            let numbers = numbers.get_mut(..at_once).unwrap_or_default();
            numbers.iter_mut().for_each(|number| *number = draws.roll(count));
            let mut left = &*numbers;
            while !left.is_empty() {
                let (missing, next) = candidate(self, left, scratch);
                let first = drawn == 0 && missing == 0;
                drawn += missing as u64;
                let Some((k, others)) = left.get(missing..).and_then(<[u64]>::split_first) else { continue 'tries };
                (drawn, left) = (drawn + 1, others);
                match next {
                    Candidate::Missing => {}
                    Candidate::Fails => judged += 1,
                    Candidate::Ply(ply) => {
                        judged += 1;
                        if !search.whole || self.can_follow(state, &ply, search.depth, scratch) {
                            draws.account(cost, candidates, drawn, judged);
                            // The estimate is without bias: the first candidate is legal as often as candidates are
                            // legal plies.
                            draws.take(*k, if first { candidates } else { 0 });
                            return Some(ply);
                        }
                        unfinished += 1;
                        if unfinished == TRIES_OF_TURNS {
                            break 'tries;
                        }
                    }
                }
            }
        }
        draws.account(cost, candidates, drawn.max(TRIES), judged);
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
        calls: &mut Vec<(u16, u64)>,
        scratch: &mut Scratch<'p, W>,
    ) -> bool {
        let next = match self.program.nodes.get(usize::from(node)) {
            None | Some(TurnNode::End) => return true,
            Some(TurnNode::Call(call)) => {
                calls.push((*call, 0));
                return true;
            }
            Some(TurnNode::Prefer(next)) => {
                return alone
                    && next.first().is_some_and(|first| self.open_calls(state, *first, search, true, calls, scratch));
            }
            Some(TurnNode::Guard(test, next)) => {
                if !self.is_open(state, search.own, *test, scratch) {
                    return true;
                }
                next
            }
            Some(TurnNode::Fork(next)) => next,
        };
        let alone = alone && next.len() == 1;
        next.iter().all(|next| self.open_calls(state, *next, search, alone, calls, scratch))
    }

    /// How many candidates a call has; none where there may be too many.
    fn weigh<'p>(&'p self, state: &State<W>, index: u16, scratch: &mut Scratch<'p, W>) -> Option<u64> {
        let lots = self.urn.lots(state.mover, index)?;
        if let Some(native) = scratch.native
            && let Some(weight) = native.weigh(self, state, scratch, index)
        {
            return Some(weight);
        }
        Some(self.members_of(&View::of(self, state), lots, scratch))
    }

    /// How many of the candidates of a call with these numbers, which lie below its weight, are missing in front of the next
    /// one, and what that is.
    #[inline(always)]
    fn candidate_of<'p>(
        &'p self,
        state: &State<W>,
        index: u16,
        numbers: &[u64],
        scratch: &mut Scratch<'p, W>,
    ) -> (usize, Candidate) {
        if let Some(native) = scratch.native
            && let Some(found) = native.candidate(self, state, scratch, index, numbers)
        {
            return found;
        }
        let call = self.own(state).calls.get(usize::from(index));
        let Some((call, lots)) = call.zip(self.urn.lots(state.mover, index)) else {
            return (numbers.len(), Candidate::Missing);
        };
        let view = View::of(self, state);
        let mut judged = numbers.iter().map(|k| self.candidate(&view, call, index, lots, *k, scratch));
        let there = |(at, found): (usize, Option<Candidate>)| found.map(|found| (at, found));
        let next = judged.by_ref().enumerate().find_map(there);
        next.unwrap_or((numbers.len(), Candidate::Missing))
    }

    fn members_of<'p>(&'p self, view: &View<'_, W>, lots: &'p Lots, scratch: &mut Scratch<'p, W>) -> u64 {
        match lots {
            Lots::One => 1,
            Lots::Fan { branches, .. } => {
                branches.iter().map(|branch| view.sets(&branch.set, &mut scratch.frame).len() as u64).sum()
            }
            Lots::Test(test, inner) => {
                if view.test(test, &mut scratch.frame) {
                    self.members_of(view, inner, scratch)
                } else {
                    0
                }
            }
            Lots::If(test, yes, no) => {
                let chosen = if view.test(test, &mut scratch.frame) { yes } else { no };
                self.members_of(view, chosen, scratch)
            }
            Lots::Either(all) => all.iter().map(|one| self.members_of(view, one, scratch)).sum(),
            Lots::Let(slot, int, inner) => {
                view.define(*slot, int, &mut scratch.frame);
                self.members_of(view, inner, scratch)
            }
            Lots::LetSites(slot, set, inner) => {
                view.define_sites(*slot, set, &mut scratch.frame);
                self.members_of(view, inner, scratch)
            }
            Lots::Loop { domain, within, .. } => {
                let members = match domain {
                    Domain::Sites(set) => view.sets(set, &mut scratch.frame).len() as u64,
                    Domain::Mask(mask) => bits(view.int(mask, &mut scratch.frame)).count() as u64,
                    Domain::Range(low, high) => {
                        let (low, high) = (view.int(low, &mut scratch.frame), view.int(high, &mut scratch.frame));
                        span(low, high)
                    }
                };
                members * within
            }
            Lots::Stage(_, inner) | Lots::Repeat(_, inner) => inner.most(&self.urn.bounds).unwrap_or(0),
        }
    }

    /// The candidate with a number below the weight of lots; none where it is missing.
    fn candidate<'p>(
        &'p self,
        view: &View<'_, W>,
        call: &'p Call,
        index: u16,
        lots: &'p Lots,
        k: u64,
        scratch: &mut Scratch<'p, W>,
    ) -> Option<Candidate> {
        match lots {
            Lots::One => (k == 0).then(|| Candidate::Ply(common_of(&scratch.frame, call, index))),
            Lots::Fan { slot, branches } => {
                let mut left = usize::try_from(k).ok()?;
                for branch in branches {
                    let set: Set<W> = view.sets(&branch.set, &mut scratch.frame);
                    if let Some(member) = set.nth(left) {
                        let mut ply = with_part(common_of(&scratch.frame, call, index), *slot, member);
                        ply.derive(&branch.derived, view, &mut scratch.frame);
                        return Some(Candidate::Ply(ply));
                    }
                    left -= set.len();
                }
                None
            }
            Lots::Test(test, inner) => {
                let open = view.test(test, &mut scratch.frame);
                if open { self.candidate(view, call, index, inner, k, scratch) } else { Some(Candidate::Fails) }
            }
            Lots::If(test, yes, no) => {
                let chosen = if view.test(test, &mut scratch.frame) { yes } else { no };
                self.candidate(view, call, index, chosen, k, scratch)
            }
            Lots::Either(all) => {
                let mut left = k;
                for one in all {
                    let here = self.members_of(view, one, scratch);
                    if left < here {
                        return self.candidate(view, call, index, one, left, scratch);
                    }
                    left -= here;
                }
                None
            }
            Lots::Let(slot, int, inner) => {
                view.define(*slot, int, &mut scratch.frame);
                self.candidate(view, call, index, inner, k, scratch)
            }
            Lots::LetSites(slot, set, inner) => {
                view.define_sites(*slot, set, &mut scratch.frame);
                self.candidate(view, call, index, inner, k, scratch)
            }
            Lots::Loop { slot, domain, tests, within, inner, most: _ } => {
                let at = usize::try_from(k.checked_div(*within)?).ok()?;
                let member = match domain {
                    Domain::Sites(set) => view.sets(set, &mut scratch.frame).nth(at)? as i64,
                    Domain::Mask(mask) => bits(view.int(mask, &mut scratch.frame)).nth(at)?,
                    Domain::Range(low, high) => {
                        let (low, high) = (view.int(low, &mut scratch.frame), view.int(high, &mut scratch.frame));
                        ((at as u64) < span(low, high)).then(|| low + at as i64)?
                    }
                };
                scratch.frame.bind(*slot, member);
                if !tests.iter().all(|test| view.test(test, &mut scratch.frame)) {
                    return Some(Candidate::Fails);
                }
                self.candidate(view, call, index, inner, k % within, scratch)
            }
            Lots::Stage(effects, inner) => {
                let mut changes = scratch.changes();
                let mut ply = Some(Candidate::Fails);
                if changes.gather(view, effects, &mut scratch.frame) {
                    let mut state = scratch.stage(view.now);
                    changes.commit(&mut state, self.zobrist.as_ref());
                    ply = self.candidate(&view.at(&state), call, index, inner, k, scratch);
                    scratch.give_back(state);
                }
                scratch.keep(changes);
                ply
            }
            Lots::Repeat(repeat, inner) => {
                let mut state = scratch.stage(view.now);
                let mut ply = Some(Candidate::Fails);
                if self.repeat(&mut state, view, repeat, scratch) {
                    ply = self.candidate(&view.at(&state), call, index, inner, k, scratch);
                }
                scratch.give_back(state);
                ply
            }
        }
    }
}

/// How many numbers from one to another a loop goes through.
fn span(low: i64, high: i64) -> u64 {
    if low == NONE || high == NONE {
        return 0;
    }
    let count = high.saturating_sub(low).saturating_add(1).clamp(0, 100_000);
    count.unsigned_abs()
}

fn with_part(mut ply: Ply, slot: u16, value: usize) -> Ply {
    if let Some(part) = ply.parts.get_mut(usize::from(slot)).filter(|_| usize::from(slot) < MAX_PARTS) {
        *part = value as i64;
    }
    ply
}
