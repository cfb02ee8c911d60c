//! Legal plies, found as sets: what may be done is counted and the chosen one decoded, without a list of moves.

use super::eval::{Core, Frame, View, bits, hash_of_cell};
use super::found::{Found, Leaf};
use super::names::{name_of, named};
use super::plies::{Plies, Ply, bind};
use super::scratch::Scratch;
use super::state::{Places, State, mix};
use crate::engine::steps;
use crate::program::ir::{Domain, Int, NONE, Test};
use crate::program::{Call, DutyKind, ForMover, Generator, MAX_PARTS, Printed, TurnNode};
use crate::rules::{MAX_RANGE, Named, Type};

/// Searches over the rest of a turn stop here, as in the reference.
pub(super) const MAX_TURN: u32 = 64;

/// So many steps is a look at what can follow in the turn: about what a position takes in bytes, as in the reference.
pub(super) const LOOK: u64 = 500;

/// The parts of a ply that are bound by now.
pub(super) fn common_of<const W: usize>(frame: &Frame<W>, call: &Call, index: u16) -> Ply {
    let mut ply = Ply { call: index, parts: [NONE; MAX_PARTS], places: None };
    for slot in &call.parts {
        if let Some(part) = ply.parts.get_mut(usize::from(*slot)) {
            *part = frame.int(*slot);
        }
    }
    ply
}

/// How the plies of a place are looked for.
#[derive(Clone, Copy)]
pub(super) struct Search<'p> {
    pub(super) own: &'p ForMover,
    /// Only plies that fulfil a duty, call by call.
    pub(super) must: Option<&'p [(Test, Option<Generator>)]>,
    /// Only plies after which the turn can be completed.
    pub(super) whole: bool,
    pub(super) depth: u32,
}

impl<const W: usize> Core<W> {
    /// All legal plies of a state, duties applied.
    pub fn legal<'p>(&'p self, state: &State<W>, scratch: &mut Scratch<'p, W>, found: &mut Found<'p, W>) {
        found.clear();
        let own = self.own(state);
        let whole = self.program.sections.get(state.section).is_some_and(|section| section.whole);
        let duties = own.duties.get(state.section).map_or(&[][..], Vec::as_slice);
        let view = View::of(self, state);
        let mut must = None;
        let mut plain = !whole
            && state.places.only().is_some_and(|place| self.program.plain.get(usize::from(place)) == Some(&true));
        for duty in duties {
            match &duty.kind {
                DutyKind::ExtraTurn | DutyKind::NextTurn(_) => {}
                DutyKind::Must(tests) if must.is_none() => {
                    if view.test(&duty.guard, &mut scratch.frame) {
                        must = Some(tests.as_slice());
                    }
                }
                _ => plain &= !view.test(&duty.guard, &mut scratch.frame),
            }
        }
        if plain
            && must.is_none()
            && let Some(place) = state.places.only()
            && let Some(Some(straight)) = self.program.straight.get(usize::from(place))
        {
            for index in &straight.calls {
                if let Some(call) = own.calls.get(usize::from(*index)) {
                    self.run(&view, call, *index, &call.generator, scratch, found);
                }
            }
            found.end = straight.end;
            return;
        }
        let search = Search { own, must: None, whole, depth: 0 };
        if !plain {
            return self.legal_slowly(state, search, scratch, found);
        }
        if must.is_some() {
            self.visit_all(state, Search { must, ..search }, scratch, found);
            if found.count > 0 {
                found.end = false;
                return;
            }
            found.clear();
        }
        self.visit_all(state, search, scratch, found);
    }

    pub(super) fn visit_all<'p>(
        &'p self,
        state: &State<W>,
        search: Search<'p>,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
    ) {
        for place in state.places.as_slice() {
            let mut end = false;
            self.visit(state, *place, search, &mut end, scratch, found);
            found.end |= end;
        }
    }

    /// Every ply that a node leads to; `end` is set where the turn may end.
    pub(super) fn visit<'p>(
        &'p self,
        state: &State<W>,
        node: u16,
        search: Search<'p>,
        end: &mut bool,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
    ) {
        if found.full() || scratch.path.contains(&node) {
            return;
        }
        let Some(shape) = self.program.nodes.get(usize::from(node)) else { return };
        match shape {
            TurnNode::End => *end = true,
            TurnNode::Call(call) => self.call(state, *call, search, scratch, found),
            TurnNode::Fork(next) => {
                scratch.path.push(node);
                for next in next {
                    self.visit(state, *next, search, end, scratch, found);
                }
                scratch.path.pop();
            }
            TurnNode::Guard(test, next) => {
                if self.is_open(state, search.own, *test, scratch) {
                    scratch.path.push(node);
                    for next in next {
                        self.visit(state, *next, search, end, scratch, found);
                    }
                    scratch.path.pop();
                }
            }
            TurnNode::Prefer(next) => {
                scratch.path.push(node);
                for next in next {
                    let before = found.count;
                    let mut ends = false;
                    self.visit(state, *next, search, &mut ends, scratch, found);
                    *end |= ends;
                    if found.count > before || ends {
                        break;
                    }
                    // A way whose plies fulfil no duty is still the way that is taken.
                    if search.must.is_some() {
                        let mut any = scratch.list();
                        any.stop_at(1);
                        self.visit(state, *next, Search { must: None, ..search }, &mut ends, scratch, &mut any);
                        let taken = any.count > 0;
                        scratch.give_back_list(any);
                        if taken {
                            break;
                        }
                    }
                }
                scratch.path.pop();
            }
        }
    }

    /// Whether a condition in the turn holds.
    pub(super) fn is_open<'p>(
        &'p self,
        state: &State<W>,
        own: &'p ForMover,
        guard: u16,
        scratch: &mut Scratch<'p, W>,
    ) -> bool {
        if let Some(native) = scratch.native
            && let Some(open) = native.is_open(self, state, scratch, guard)
        {
            return open;
        }
        let test = own.guards.get(usize::from(guard));
        test.is_some_and(|test| View::of(self, state).test(test, &mut scratch.frame))
    }

    fn call<'p>(
        &'p self,
        state: &State<W>,
        index: u16,
        search: Search<'p>,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
    ) {
        let Some(call) = search.own.calls.get(usize::from(index)) else { return };
        let generator = match search.must {
            None => &call.generator,
            Some(tests) => match tests.get(usize::from(index)) {
                Some((_, Some(generator))) => generator,
                _ => return,
            },
        };
        let view = View::of(self, state);
        if !search.whole {
            self.run(&view, call, index, generator, scratch, found);
            return;
        }
        self.run_whole(&view, call, index, generator, search.depth, scratch, found);
    }

    /// Goes through a generator; every set of plies is pushed as one leaf.
    pub(super) fn run<'p>(
        &'p self,
        view: &View<'_, W>,
        call: &'p Call,
        index: u16,
        generator: &'p Generator,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
    ) {
        match generator {
            Generator::Leaf { slot, set } => {
                let leaf = Leaf::of(*slot, view.sets(set, &mut scratch.frame), &[]);
                if leaf.count > 0 {
                    let common = common_of(&scratch.frame, call, index);
                    found.push(leaf, &common, self.program.parts);
                }
            }
            Generator::Fan { slot, branches } => {
                for branch in branches {
                    let leaf = Leaf::of(*slot, view.sets(&branch.set, &mut scratch.frame), &branch.derived);
                    if leaf.count > 0 {
                        let common = common_of(&scratch.frame, call, index);
                        found.push(leaf, &common, self.program.parts);
                    }
                }
            }
            Generator::One => {
                let common = common_of(&scratch.frame, call, index);
                found.push(Leaf::one(), &common, self.program.parts);
            }
            Generator::Test(test, inner) => {
                if view.test(test, &mut scratch.frame) {
                    self.run(view, call, index, inner, scratch, found);
                }
            }
            Generator::If(test, yes, no) => {
                let chosen = if view.test(test, &mut scratch.frame) { yes } else { no };
                self.run(view, call, index, chosen, scratch, found);
            }
            Generator::Either(all) => {
                for one in all {
                    self.run(view, call, index, one, scratch, found);
                }
            }
            Generator::Let(slot, int, inner) => {
                view.define(*slot, int, &mut scratch.frame);
                self.run(view, call, index, inner, scratch, found);
            }
            Generator::LetSites(slot, set, inner) => {
                view.define_sites(*slot, set, &mut scratch.frame);
                self.run(view, call, index, inner, scratch, found);
            }
            Generator::Loop { slot, domain, tests, inner } => {
                let each = |value: i64, scratch: &mut Scratch<'p, W>, found: &mut Found<'p, W>| {
                    scratch.frame.bind(*slot, value);
                    if tests.iter().all(|test| view.test(test, &mut scratch.frame)) {
                        self.run(view, call, index, inner, scratch, found);
                        // What is further in may have bound the slot of the part anew.
                        scratch.frame.bind(*slot, value);
                    }
                };
                match domain {
                    Domain::Sites(set) => {
                        for site in view.sets(set, &mut scratch.frame).iter() {
                            each(site as i64, scratch, found);
                        }
                    }
                    Domain::Mask(mask) => {
                        for member in bits(view.int(mask, &mut scratch.frame)) {
                            each(member, scratch, found);
                        }
                    }
                    Domain::Range(low, high) => {
                        let (low, high) = (view.int(low, &mut scratch.frame), view.int(high, &mut scratch.frame));
                        if low != NONE && high != NONE {
                            for number in (low..=high).take(MAX_RANGE) {
                                each(number, scratch, found);
                            }
                        }
                    }
                }
            }
            Generator::Stage(effects, inner) => {
                let mut changes = scratch.changes();
                if changes.gather(view, effects, &mut scratch.frame) {
                    let mut state = scratch.stage(view.now);
                    changes.commit(&mut state, self.zobrist.as_ref());
                    self.run(&view.at(&state), call, index, inner, scratch, found);
                    scratch.give_back(state);
                }
                scratch.keep(changes);
            }
            Generator::Repeat(repeat, inner) => {
                let mut state = scratch.stage(view.now);
                if self.repeat(&mut state, view, repeat, scratch) {
                    self.run(&view.at(&state), call, index, inner, scratch, found);
                }
                scratch.give_back(state);
            }
        }
    }

    /// Where plies may be alike, or be bound by what comes later in the turn, they are listed and compared.
    #[cold]
    fn legal_slowly<'p>(
        &'p self,
        state: &State<W>,
        search: Search<'p>,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
    ) {
        steps::within(self.steps, || self.legal_compared(state, search, scratch, found));
    }

    fn legal_compared<'p>(
        &'p self,
        state: &State<W>,
        search: Search<'p>,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
    ) {
        let mut all = std::mem::take(&mut found.plies);
        let mut end = false;
        // Where every move is called once at most, no two plies have the same parts.
        let once = state.places.only().is_some_and(|place| self.program.once.get(usize::from(place)) == Some(&true));
        if once {
            let mut here = scratch.list();
            self.list(state, search, scratch, &mut here);
            end = here.end;
            if here.leaves.is_empty() {
                std::mem::swap(&mut all, &mut here.plies);
            } else {
                for index in 0..here.count {
                    if let Some(ply) = here.get(self, state, &mut scratch.frame, index) {
                        all.push(&ply, self.program.parts);
                    }
                }
            }
            scratch.give_back_list(here);
            return self.bound_by_duties(state, search, all, end, scratch, found);
        }
        for place in state.places.as_slice() {
            let mut here = scratch.list();
            let mut ends = false;
            self.visit(state, *place, search, &mut ends, scratch, &mut here);
            end |= ends;
            for index in 0..here.count {
                if let Some(ply) = here.get(self, state, &mut scratch.frame, index) {
                    all.push(&Ply { places: None, ..ply }, self.program.parts);
                }
            }
            scratch.give_back_list(here);
        }
        self.join_same(state, search.own, &mut all, scratch);
        self.bound_by_duties(state, search, all, end, scratch, found);
    }

    /// Of plies with the same move and the same parts the first one stays, and leads wherever one of them does.
    fn join_same<'p>(&'p self, state: &State<W>, own: &'p ForMover, plies: &mut Plies, scratch: &mut Scratch<'p, W>) {
        let mut keys = std::mem::take(&mut scratch.prints);
        keys.clear();
        let key = |(at, ply): (usize, Ply)| self.key(state, &ply) & !u64::from(u32::MAX) | at as u64;
        keys.extend(plies.iter().enumerate().map(key));
        keys.sort_unstable();
        let mv = |ply: &Ply| own.calls.get(usize::from(ply.call)).map(|call| call.mv);
        let mut gone: Vec<u32> = Vec::new();
        for same_key in keys.chunk_by(|a, b| a >> 32 == b >> 32).filter(|same| same.len() > 1) {
            let mut kept: Vec<(usize, Ply)> = Vec::new();
            for at in same_key.iter().map(|key| *key as u32) {
                let Some(ply) = plies.get(at as usize) else { continue };
                let same = |(_, known): &&(usize, Ply)| mv(known) == mv(&ply) && known.parts == ply.parts;
                let Some((first, known)) = kept.iter().find(same) else {
                    kept.push((at as usize, ply));
                    continue;
                };
                let known = Ply { places: plies.get(*first).and_then(|known| known.places), ..known.clone() };
                let mut places = self.next_places(state, &known, scratch);
                for place in self.next_places(state, &ply, scratch) {
                    if !places.contains(&place) {
                        places.push(place);
                    }
                }
                plies.set_places(*first, Places::from(places.as_slice()));
                gone.push(at);
            }
        }
        scratch.prints = keys;
        plies.remove(gone);
    }

    /// Of the plies of a state those that its duties allow, none twice.
    fn bound_by_duties<'p>(
        &'p self,
        state: &State<W>,
        search: Search<'p>,
        mut all: Plies,
        mut end: bool,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
    ) {
        let view = View::of(self, state);
        for duty in search.own.duties.get(state.section).map_or(&[][..], Vec::as_slice) {
            if all.is_empty() || !view.test(&duty.guard, &mut scratch.frame) {
                continue;
            }
            match &duty.kind {
                DutyKind::Must(tests) => {
                    let fits = |index: usize| {
                        let (test, _) = tests.get(usize::from(all.call(index)?))?;
                        // Often the call alone decides, and the parts need not be looked at.
                        if let Test::Const(held) = test {
                            return Some(*held);
                        }
                        bind(&mut scratch.frame, &all.get(index)?.parts);
                        Some(view.test(test, &mut scratch.frame))
                    };
                    let fits: Vec<bool> = (0..all.len()).map(fits).map(|fits| fits == Some(true)).collect();
                    if fits.contains(&true) {
                        all.retain(|index| fits.get(index).copied().unwrap_or(true));
                        end = false;
                    }
                }
                DutyKind::MustMost(number, leave) => {
                    let now = Some(view.int(number, &mut scratch.frame)).filter(|number| *number != NONE);
                    let leaves = |call: u16| leave.get(usize::from(call)) == Some(&true);
                    if all.len() < 2 || (0..all.len()).all(|index| all.call(index).is_some_and(leaves)) {
                        continue;
                    }
                    let most: Vec<Option<i64>> = (0..all.len())
                        .map(|index| match all.call(index) {
                            Some(call) if leaves(call) => now,
                            _ => self.most(state, &all.get(index)?, number, 1, scratch),
                        })
                        .collect();
                    if let Some(best) = most.iter().flatten().max().copied() {
                        all.retain(|index| most.get(index).copied().flatten() == Some(best));
                    }
                }
                DutyKind::ExtraTurn | DutyKind::NextTurn(_) => {}
            }
        }
        self.drop_alike(state, search.own, &mut all, scratch);
        found.end = end;
        found.count = all.len();
        found.plies = all;
    }

    /// Of plies that print alike and lead to the same the first one stays.
    fn drop_alike<'p>(&'p self, state: &State<W>, own: &'p ForMover, plies: &mut Plies, scratch: &mut Scratch<'p, W>) {
        let view = View::of(self, state);
        let print = |plies: &Plies, index: usize, scratch: &mut Scratch<'p, W>| {
            let call = own.calls.get(usize::from(plies.call(index)?)).filter(|call| call.may_repeat)?;
            bind(&mut scratch.frame, &plies.get(index)?.parts);
            Some(call.shown.iter().fold(mix(call.mv.0 as u64), |print, shown| match shown {
                Printed::Number(number) => mix(print ^ view.int(number, &mut scratch.frame) as u64),
                Printed::Sites(set) => {
                    view.sets(set, &mut scratch.frame).0.iter().fold(print, |print, word| mix(print ^ word))
                }
            }))
        };
        // The upper half of how a ply prints, and its number.
        let mut prints = std::mem::take(&mut scratch.prints);
        prints.clear();
        for at in 0..plies.len() {
            prints.extend(print(plies, at, scratch).map(|print| print & !u64::from(u32::MAX) | at as u64));
        }
        prints.sort_unstable();
        // What is to go; where prints differ no ply need be tried.
        let mut gone: Vec<u32> = Vec::new();
        let mut reached: Vec<(u64, u64, u32)> = Vec::new();
        for alike in prints.chunk_by(|a, b| a >> 32 == b >> 32).filter(|alike| alike.len() > 1) {
            reached.clear();
            for at in alike.iter().map(|print| *print as u32) {
                let Some(ply) = plies.get(at as usize) else { continue };
                let Some(print) = print(plies, at as usize, scratch) else { continue };
                let mut after = scratch.state(state);
                self.play_ply(&mut after, &ply, scratch);
                reached.push((print, self.state_hash(&after), at));
                scratch.give_back(after);
            }
            reached.sort_unstable();
            for same in reached.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).filter(|same| same.len() > 1) {
                // As in the reference, the one that is listed first in the order of the sites.
                let first = same.iter().map(|(_, _, at)| *at).min_by_key(|at| self.rank(own, plies, *at));
                gone.extend(same.iter().map(|(_, _, at)| *at).filter(|at| Some(*at) != first));
            }
        }
        scratch.prints = prints;
        plies.remove(gone);
    }

    /// The parts of a ply in numbers, with sites in their order.
    fn rank(&self, own: &ForMover, plies: &Plies, at: u32) -> Option<Vec<i64>> {
        let ply = plies.get(usize::try_from(at).ok()?)?;
        let call = own.calls.get(usize::from(ply.call))?;
        let names = self.rules.moves.get(call.mv.0)?.parts();
        let part = |(name, slot): (&Named, &u16)| {
            let value = ply.parts.get(usize::from(*slot)).copied().unwrap_or(NONE);
            let site = |at| self.program.layout.site(at).and_then(|site| i64::try_from(site.index()).ok());
            if name.ty == Type::Sites { usize::try_from(value).ok().and_then(site).unwrap_or(NONE) } else { value }
        };
        Some(names.zip(&call.parts).map(part).collect())
    }

    /// The most of a number that any turn beginning with a ply comes to.
    fn most<'p>(
        &'p self,
        state: &State<W>,
        ply: &Ply,
        number: &Int,
        depth: u32,
        scratch: &mut Scratch<'p, W>,
    ) -> Option<i64> {
        if !steps::take(LOOK, self.turn) {
            return None;
        }
        let mut after = scratch.state(state);
        let native = scratch.native.filter(|_| ply.places.is_none());
        if !native.is_some_and(|native| native.play_ahead(self, state, ply, &mut after, scratch)) {
            self.play_ply(&mut after, ply, scratch);
        }
        let mut best = None;
        let mut found = scratch.list();
        if depth <= MAX_TURN {
            let whole =
                depth == MAX_TURN || self.program.sections.get(after.section).is_none_or(|section| section.whole);
            let search = Search { own: self.own(&after), must: None, whole, depth };
            self.list(&after, search, scratch, &mut found);
            for index in 0..found.count {
                if let Some(next) = found.get(self, &after, &mut scratch.frame, index) {
                    best = best.max(self.most(&after, &next, number, depth + 1, scratch));
                }
            }
        }
        if best.is_none() && found.end {
            let value = View::of(self, &after).int(number, &mut scratch.frame);
            best = (value != NONE).then_some(value);
        }
        scratch.give_back(after);
        scratch.give_back_list(found);
        best
    }

    /// All plies of a state, by machine code where it can, and whether the turn may end.
    pub(super) fn list<'p>(
        &'p self,
        state: &State<W>,
        search: Search<'p>,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
    ) {
        let listed = match scratch.native {
            Some(native) if !search.whole => native.list_all(self, state, scratch, found),
            Some(_) => self.sift(state, search, false, scratch, found),
            None => false,
        };
        if !listed {
            self.visit_all(state, search, scratch, found);
        }
    }

    /// The places that a ply leads to.
    fn next_places<'p>(&'p self, state: &State<W>, ply: &Ply, scratch: &mut Scratch<'p, W>) -> Vec<u16> {
        let mut after = scratch.state(state);
        self.play_ply(&mut after, ply, scratch);
        let places = after.places.as_slice().to_vec();
        scratch.give_back(after);
        places
    }

    /// Whether chance makes a ply.
    pub(super) fn is_chance(&self, state: &State<W>, ply: &Ply) -> bool {
        self.own(state).calls.get(usize::from(ply.call)).is_some_and(|call| call.chance)
    }

    /// How heavy a ply of chance is.
    pub(super) fn weight(&self, state: &State<W>, ply: &Ply, frame: &mut Frame<W>) -> u32 {
        let Some(call) = self.own(state).calls.get(usize::from(ply.call)) else { return 0 };
        let Some(weight) = &call.weight else { return 1 };
        bind(frame, &ply.parts);
        let number = View::of(self, state).int(weight, frame);
        crate::rules::weight((number != NONE).then_some(number)).unwrap_or(0)
    }

    /// A number for a ply, the same wherever the same move is made with the same parts.
    #[must_use]
    pub fn key(&self, state: &State<W>, ply: &Ply) -> u64 {
        let Some(call) = self.own(state).calls.get(usize::from(ply.call)) else { return 0 };
        call.parts
            .iter()
            .fold(name_of(call), |hash, slot| named(hash, ply.parts.get(usize::from(*slot)).copied().unwrap_or(NONE)))
    }

    /// Everything that decides how the game can go on.
    #[must_use]
    pub fn state_hash(&self, state: &State<W>) -> u64 {
        let mut hash = mix(u64::from(state.mover) | u64::from(state.next) << 8);
        for set in state.planes.iter().chain(&state.sets) {
            for word in set.0 {
                hash = mix(hash ^ word);
            }
        }
        for (cell, value) in state.cells.iter().enumerate() {
            hash ^= hash_of_cell(cell, *value);
        }
        hash = mix(hash);
        for place in state.places.as_slice() {
            hash = mix(hash ^ u64::from(*place));
        }
        hash
    }
}
