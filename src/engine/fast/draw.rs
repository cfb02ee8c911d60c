//! One ply drawn at random without listing the others: draw a candidate from a larger set that is cheap to count, test it,
//! and draw again where it fails.
//!
//! Every candidate is as likely as any other and stands for at most one ply, and every legal ply is a candidate, so each
//! legal ply is as likely as any other (rejection sampling). Where too many candidates fail, the plies are listed.

use super::eval::{Core, View, bits};
use super::found::Found;
use super::generate::{Search, common_of};
use super::lots::Lots;
use super::plies::Ply;
use super::scratch::{Candidate, Scratch};
use super::set::Set;
use super::state::State;
use super::toil::Cost;
use super::tries::{Choice, Drawn, Draws, TRIES, TRIES_OF_TURNS, Tries};
use crate::engine::shunned::Surroundings;
use crate::program::ir::{Domain, NONE, Sets};
use crate::program::{Call, DutyKind, MAX_PARTS, TurnNode};
use crate::rules::MAX_RANGE;

/// So many candidates are drawn in a game before it is asked whether drawing pays.
const TRIAL: u64 = 32;

impl Draws {
    /// The candidate with a number was drawn for the next ply, and about so many plies there were.
    pub fn take(&mut self, number: u64, offered: u64) {
        self.next = Some((number, offered));
        self.vain = false;
    }

    /// Whether lists would have cost less than drawing has.
    pub fn are_in_vain(&self) -> bool {
        self.tried > TRIAL && self.cost > self.cost_of_lists
    }

    /// Notes what a ply has cost for which so many of some candidates were drawn, of which as many were judged; and what it
    /// would have cost to judge all that there are.
    pub fn account(&mut self, cost: Cost, candidates: u64, drawn: u64, judged: u64) {
        self.tried += drawn;
        self.cost = self.cost.saturating_add(cost.of_drawing(drawn, judged));
        self.cost_of_lists = self.cost_of_lists.saturating_add(cost.of_listing(candidates, drawn, judged));
    }

    /// The same where none of them is a ply.
    pub fn give_up(&mut self, cost: Cost, candidates: u64, drawn: u64, judged: u64) {
        self.account(cost, candidates, drawn.max(TRIES), judged);
        self.vain = true;
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
            self.list_or_pick(state, scratch, found);
        }
    }

    /// The same where none was drawn: all of them, or in a random game of turns that must be finished one of them.
    pub(super) fn list_or_pick<'p>(&'p self, state: &State<W>, scratch: &mut Scratch<'p, W>, found: &mut Found<'p, W>) {
        let vain = scratch.draws.as_ref().is_some_and(|draws| draws.vain);
        if !self.pick(state, vain, scratch, found) {
            self.legal(state, scratch, found);
        } else if let Some(draws) = &mut scratch.draws {
            draws.vain = false;
        }
    }

    /// Whether a ply is of a way to which another one is preferred, of which alone candidates are drawn: that has none then, and
    /// nothing that was drawn stands for such plies.
    pub(super) fn is_of_another_way(&self, state: &State<W>, ply: &Ply) -> bool {
        let ways = state.places.only().and_then(|place| self.ways(place)).filter(|ways| ways.len() > 1);
        let preferred = ways.and_then(|ways| self.urn.behind.get(usize::from(*ways.first()?)));
        preferred.is_some_and(|preferred| !preferred.contains(&ply.call))
    }

    /// Finds one of the plies after which the turn can be finished, each as likely as any other: of all plies, in a random
    /// order, the first after which it can. None is found where there is none. False where that is not done.
    fn pick<'p>(
        &'p self,
        state: &State<W>,
        vain: bool,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
    ) -> bool {
        let whole = self.program.sections.get(state.section).is_some_and(|section| section.whole);
        let place = state.places.only().filter(|place| whole && self.urn.draws_at(*place));
        let Some(ways) = place.and_then(|place| self.ways(place)) else { return false };
        if self.is_bound(state, scratch) {
            return false;
        }
        let Some(mut draws) = scratch.draws.take() else { return false };
        let search = Search { own: self.own(state), must: None, whole: false, depth: 0 };
        let mut ends = false;
        found.clear();
        for way in &ways {
            let mut all = scratch.list();
            if ways.len() == 1 {
                self.list(state, search, scratch, &mut all);
            } else {
                self.visit(state, *way, search, &mut ends, scratch, &mut all);
            }
            ends |= all.end;
            if let Some(ply) = self.pick_of(state, &all, vain, &mut draws, scratch) {
                found.only(&ply, self.program.parts);
            }
            scratch.give_back_list(all);
            if found.count > 0 || ends {
                break;
            }
        }
        found.end = ends && found.count == 0;
        scratch.draws = Some(draws);
        true
    }

    /// Of some plies, in a random order, the first after which the turn can be finished.
    fn pick_of<'p>(
        &'p self,
        state: &State<W>,
        all: &Found<'p, W>,
        vain: bool,
        draws: &mut Draws,
        scratch: &mut Scratch<'p, W>,
    ) -> Option<Ply> {
        let mut order = std::mem::take(&mut scratch.order);
        order.clear();
        order.extend(0..all.count);
        let mut picked = None;
        while picked.is_none() && !order.is_empty() {
            let index = order.swap_remove(draws.dice.roll(order.len()));
            let ply = all.get(self, state, &mut scratch.frame, index);
            picked = ply.filter(|ply| self.can_follow(state, ply, 0, scratch));
            if picked.is_some() {
                // Without bias, as where candidates are drawn; those that were drawn before have told of this ply.
                let is_first = order.len() + 1 == all.count && !vain;
                draws.take(index as u64, if is_first { all.count as u64 } else { 0 });
            }
        }
        scratch.order = order;
        picked
    }

    /// The ways that a place prefers one to the other, or the place itself; none where a preference stands further in.
    fn ways(&self, place: u16) -> Option<Vec<u16>> {
        let prefers = |node: u16| self.urn.prefers.get(usize::from(node)) != Some(&false);
        let mut node = place;
        while prefers(node) {
            match self.program.nodes.get(usize::from(node))? {
                TurnNode::Prefer(ways) => return (!ways.iter().any(|way| prefers(*way))).then(|| ways.clone()),
                TurnNode::Fork(next) => node = *next.first().filter(|_| next.len() == 1)?,
                TurnNode::End | TurnNode::Call(_) | TurnNode::Guard(..) => return None,
            }
        }
        Some(vec![place])
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
        let mut ply = Ply { call: 0, parts: [NONE; MAX_PARTS], places: None };
        let drawn = self.drawn(state, place, search, &mut draws, &mut open, &mut ply, scratch);
        scratch.open = open;
        scratch.draws = Some(draws);
        if drawn {
            found.only(&ply, self.program.parts);
        }
        drawn
    }

    /// Whether a duty decides about plies, so that all of them have to be known.
    fn is_bound(&self, state: &State<W>, scratch: &mut Scratch<'_, W>) -> bool {
        let duties = self.own(state).duties.get(state.section).map_or(&[][..], Vec::as_slice);
        let view = View::of(self, state);
        let decides = |kind: &DutyKind| !matches!(kind, DutyKind::ExtraTurn | DutyKind::NextTurn(_));
        duties.iter().any(|duty| decides(&duty.kind) && view.test(&duty.guard, &mut scratch.frame))
    }

    /// Whether a legal ply was drawn, which is written down.
    #[allow(clippy::too_many_arguments)]
    fn drawn<'p>(
        &'p self,
        state: &State<W>,
        place: u16,
        search: Search<'p>,
        draws: &mut Draws,
        open: &mut Vec<(u16, u64)>,
        ply: &mut Ply,
        scratch: &mut Scratch<'p, W>,
    ) -> bool {
        if let Some(Some(straight)) = self.program.straight.get(usize::from(place)) {
            open.extend(straight.calls.iter().map(|call| (*call, 0)));
        } else if !self.open_calls(state, place, search, true, open, scratch) {
            return false;
        }
        let beside = self.urn.beside(state.mover, place);
        let candidates = self.weigh(state, beside, open, scratch);
        match candidates {
            Some(candidates) => {
                let several = matches!(open.as_slice(), [(call, _)] if self.urn.is_sparse(*call));
                let cost = self.urn.cost(place, search.whole);
                let Some(mut tries) =
                    Tries::new(open, beside, candidates, several).filter(|_| candidates >= cost.least())
                else {
                    return false;
                };
                self.repeatedly(
                    state,
                    &mut tries,
                    cost,
                    search,
                    draws,
                    ply,
                    scratch,
                    |core, tries, draws, ply, scratch| core.next_ply(state, tries, draws, ply, scratch),
                )
            }
            // As if every ply could be followed by the rest of a turn.
            None if search.whole => {
                let mut all = scratch.list();
                self.list(state, Search { whole: false, ..search }, scratch, &mut all);
                let Some(mut tries) = Tries::new(open, &[], all.count as u64, false) else {
                    scratch.give_back_list(all);
                    return false;
                };
                let cost = self.urn.cost(place, search.whole);
                let next =
                    |core, tries: &mut Tries<'_>, draws: &mut Draws, ply: &mut Ply, scratch: &mut Scratch<'p, W>| {
                        while let Some(number) = tries.number(draws) {
                            let index = usize::try_from(number).ok();
                            let found = index.and_then(|index| all.get(core, state, &mut scratch.frame, index));
                            if let Some(found) = found {
                                tries.judge();
                                *ply = found;
                                return Some(number);
                            }
                        }
                        None
                    };
                let drawn = self.repeatedly(state, &mut tries, cost, search, draws, ply, scratch, next);
                scratch.give_back_list(all);
                drawn
            }
            None => false,
        }
    }

    /// Draws until a candidate is a legal ply. Whoever judges them writes the next ply down, and tells its number.
    #[allow(clippy::too_many_arguments)]
    #[inline]
    fn repeatedly<'p>(
        &'p self,
        state: &State<W>,
        tries: &mut Tries<'_>,
        cost: Cost,
        search: Search<'p>,
        draws: &mut Draws,
        ply: &mut Ply,
        scratch: &mut Scratch<'p, W>,
        mut next: impl FnMut(&'p Self, &mut Tries<'_>, &mut Draws, &mut Ply, &mut Scratch<'p, W>) -> Option<u64>,
    ) -> bool {
        let (candidates, mut unfinished) = (tries.candidates(), 0);
        while let Some(number) = next(self, tries, draws, ply, scratch) {
            if !search.whole || self.can_follow(state, ply, search.depth, scratch) {
                if self.leaves_out(state, ply, draws) {
                    continue;
                }
                draws.account(cost, candidates, tries.drawn(), tries.judged());
                // The estimate is without bias: the first candidate is legal as often as candidates are legal plies.
                draws.take(number, if tries.drawn() == 1 { candidates } else { 0 });
                return true;
            }
            unfinished += 1;
            if unfinished == TRIES_OF_TURNS {
                break;
            }
        }
        draws.give_up(cost, candidates, tries.drawn(), tries.judged());
        false
    }

    /// Whether a ply that was drawn is left out of this game.
    fn leaves_out(&self, state: &State<W>, ply: &Ply, draws: &mut Draws) -> bool {
        let around = draws.shunned.as_ref().and_then(|_| self.around(state, ply));
        around.is_some_and(|around| draws.leaves_out(self.seat(state, usize::from(state.mover)), around))
    }

    /// What stands around the only site that a ply of the player to move names, where it names one.
    pub(super) fn around(&self, state: &State<W>, ply: &Ply) -> Option<Surroundings> {
        let call = self.own(state).calls.get(usize::from(ply.call))?;
        let site = ply.parts.get(usize::from(call.only_site?)).and_then(|site| usize::try_from(*site).ok())?;
        self.surroundings(state, call.mv, site)
    }

    /// Draws candidates until one is a ply, which is written down, and tells its number; none where enough were drawn.
    fn next_ply<'p>(
        &'p self,
        state: &State<W>,
        tries: &mut Tries<'_>,
        draws: &mut Draws,
        ply: &mut Ply,
        scratch: &mut Scratch<'p, W>,
    ) -> Option<u64> {
        loop {
            let drawn = match scratch.native {
                Some(native) => native.draw(self, state, scratch, tries, draws, ply),
                None => tries.next(draws).map_or(Drawn::Enough, Drawn::Open),
            };
            let choice = match drawn {
                Drawn::Ply(number) => return Some(number),
                Drawn::Enough => return None,
                Drawn::Open(choice) => choice,
            };
            let mut judged = self.judged(state, choice, scratch);
            if let (Candidate::Fails, Some(beside)) = (&judged, tries.beside(choice)) {
                judged = self.judged(state, beside, scratch);
            }
            match judged {
                Candidate::Missing => {}
                Candidate::Fails => tries.judge(),
                Candidate::Ply(found) => {
                    tries.judge();
                    *ply = found;
                    return Some(choice.number);
                }
            }
        }
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
        let alone = alone && self.urn.one_plays(next);
        next.iter().all(|next| self.open_calls(state, *next, search, alone, calls, scratch))
    }

    /// Writes down how many candidates each call has, and tells how many these are together; none where there may be too many.
    /// Those that have the numbers of others are not counted again.
    fn weigh<'p>(
        &'p self,
        state: &State<W>,
        beside: &[Option<u16>],
        open: &mut [(u16, u64)],
        scratch: &mut Scratch<'p, W>,
    ) -> Option<u64> {
        let mut left = &mut *open;
        loop {
            let known = scratch.native.map_or(0, |native| native.weigh(self, state, scratch, left));
            let Some(((index, weight), others)) = left.get_mut(known..).and_then(<[_]>::split_first_mut) else { break };
            let lots = self.urn.lots(state.mover, *index)?;
            *weight = self.members_of(&View::of(self, state), lots, scratch);
            left = others;
        }
        for first in 0..open.len() {
            let other = open.get(first).and_then(|(first, _)| *beside.get(usize::from(*first))?);
            if let Some((_, weight)) = open.iter_mut().find(|(call, _)| other == Some(*call)) {
                *weight = 0;
            }
        }
        open.iter().try_fold(0u64, |sum, (_, weight)| sum.checked_add(*weight))
    }

    /// What a candidate is, without machine code.
    fn judged<'p>(&'p self, state: &State<W>, choice: Choice, scratch: &mut Scratch<'p, W>) -> Candidate {
        let Choice { call: index, within, .. } = choice;
        let call = self.own(state).calls.get(usize::from(index));
        let Some((call, lots)) = call.zip(self.urn.lots(state.mover, index)) else { return Candidate::Missing };
        let candidate = self.candidate(&View::of(self, state), call, index, lots, within, scratch);
        candidate.unwrap_or(Candidate::Missing)
    }

    fn members_of<'p>(&'p self, view: &View<'_, W>, lots: &'p Lots, scratch: &mut Scratch<'p, W>) -> u64 {
        match lots {
            Lots::One => 1,
            Lots::Fan { branches, .. } => {
                branches.iter().map(|branch| view.sets(&branch.set, &mut scratch.frame).len() as u64).sum()
            }
            Lots::Sift { domain, ways, .. } => view.sets(domain, &mut scratch.frame).len() as u64 * ways.len() as u64,
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
            Lots::Loop { shares, .. } if !shares.is_empty() => {
                let weight = |(set, within): &(Sets, u64)| view.sets(set, &mut scratch.frame).len() as u64 * within;
                shares.iter().map(weight).sum()
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
            Lots::Sift { slot, domain, ways, .. } => {
                let ways_of_each = ways.len() as u64;
                let at = usize::try_from(k.checked_div(ways_of_each)?).ok()?;
                let way = ways.get(usize::try_from(k % ways_of_each).ok()?)?;
                let member = view.sets(domain, &mut scratch.frame).nth(at)?;
                scratch.frame.bind(*slot, member as i64);
                if !way.tests.iter().all(|test| view.test(test, &mut scratch.frame)) {
                    return Some(Candidate::Fails);
                }
                let mut ply = with_part(common_of(&scratch.frame, call, index), *slot, member);
                ply.derive(&way.derived, view, &mut scratch.frame);
                Some(Candidate::Ply(ply))
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
            Lots::Loop { slot, domain, tests, within, shares, inner, most: _ } => {
                let (mut left, mut within, mut share) = (k, *within, None);
                for (set, most) in shares {
                    let set = view.sets(set, &mut scratch.frame);
                    let here = set.len() as u64 * most;
                    if left < here {
                        (within, share) = (*most, Some(set));
                        break;
                    }
                    left -= here;
                }
                let at = usize::try_from(left.checked_div(within)?).ok()?;
                let member = match domain {
                    Domain::Sites(_) if !shares.is_empty() => share?.nth(at)? as i64,
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
                self.candidate(view, call, index, inner, left % within, scratch)
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
    let count = high.saturating_sub(low).saturating_add(1).clamp(0, MAX_RANGE as i64);
    count.unsigned_abs()
}

fn with_part(mut ply: Ply, slot: u16, value: usize) -> Ply {
    if let Some(part) = ply.parts.get_mut(usize::from(slot)).filter(|_| usize::from(slot) < MAX_PARTS) {
        *part = value as i64;
    }
    ply
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_whose_end_is_missing_has_no_numbers() {
        assert_eq!([span(2, 4), span(4, 2), span(3, 3)], [3, 0, 1]);
        assert_eq!([span(NONE, 4), span(2, NONE), span(NONE, NONE)], [0, 0, 0]);
    }
}
