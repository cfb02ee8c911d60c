//! What it takes at most to work out one ply of a program, whatever stands on the board: where that is little, no step need
//! be counted while it is played.
//!
//! The checker bounds what a text asks for as it is worded. A program is the same for whatever says the same, and asks
//! most of it of whole sets; so this bound holds where that of the text is out of reach, and does not hang on the wording.

use super::bounds::{Bounds, Known};
use super::eval::Core;
use super::toil::own_weight;
use crate::program::ir::{Domain, Effect, Int, Kept, Part, Sets, Test};
use crate::program::{
    Call, Chronicle, DutyKind, EndingResult, FirstValue, ForMover, Generator, Printed, Program, Repeat, Step,
    calls_behind,
};
use crate::rules::{MAX_RANGE, MAX_ROUNDS};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// Questions whether something is possible, each asked while the one before it is answered.
const MOST_WITHIN: u32 = 3;

/// Instructions of the processor in the time of a step.
const IN_A_STEP: u64 = 16;

/// To copy a state takes an instruction for each word, and so many steps beside.
const COPY: u64 = 10;

/// The most that a ply takes.
#[derive(Clone, Copy, Debug)]
pub struct Worst {
    /// Steps: instructions, and large ones by what they take.
    pub steps: u64,
    /// The legal plies of one position, listed before those that are alike are taken together.
    pub plies: u64,
}

impl Worst {
    fn of(steps: u64, plies: u64) -> Self {
        Self { steps, plies }
    }

    fn and(self, other: Self) -> Self {
        Self { steps: self.steps.saturating_add(other.steps), plies: self.plies.saturating_add(other.plies) }
    }

    fn after(self, steps: u64) -> Self {
        Self { steps: self.steps.saturating_add(steps), ..self }
    }

    fn times(self, times: u64) -> Self {
        Self { steps: self.steps.saturating_mul(times), plies: self.plies.saturating_mul(times) }
    }
}

/// What is measured of a program, and what has been found.
struct Measure<'p> {
    program: &'p Program,
    bounds: &'p Bounds,
    /// What it takes to copy a state.
    state: u64,
    /// How many questions whether something is possible are being answered, and what others came to by place.
    within: Cell<u32>,
    possible: RefCell<HashMap<(u16, u32), u64>>,
}

/// What a ply of a program takes at most.
pub fn worst<const W: usize>(core: &Core<W>) -> Worst {
    let program = &*core.program;
    let words = (program.planes.len() + program.set_count) * W + program.cell_count;
    let measure = Measure {
        program,
        bounds: &core.urn.bounds,
        state: COPY.saturating_add(words as u64 / IN_A_STEP),
        within: Cell::new(0),
        possible: RefCell::default(),
    };
    let each = program.by_mover.iter().map(|own| measure.ply(own));
    let most = |a: Worst, b: Worst| Worst::of(a.steps.max(b.steps), a.plies.max(b.plies));
    each.reduce(most).unwrap_or(Worst::of(0, 0))
}

impl<'p> Measure<'p> {
    /// A ply is listed or drawn, played and judged.
    fn ply(&self, own: &'p ForMover) -> Worst {
        let none = &Known::default();
        let all = own.calls.iter().map(|call| self.listed(call)).fold(Worst::of(0, 0), Worst::and);
        let played = own.calls.iter().map(|call| self.played(call)).max().unwrap_or(0);
        let guards = self.tests(&own.guards, none);
        // Where the rest of a turn is searched, each ply is played. How often that is done is counted while it is searched.
        let searches = self.program.sections.iter().any(|section| section.whole)
            || own.duties.iter().flatten().any(|duty| matches!(duty.kind, DutyKind::MustMost(..)));
        let look = if searches { played.saturating_add(guards) } else { 0 };
        let looked = look.saturating_mul(all.plies);
        let mut steps = all.steps.saturating_mul(2).saturating_add(looked).saturating_add(guards);
        let mut more = |all: u64| steps = steps.saturating_add(all);
        own.calls.iter().for_each(|call| more(self.played(call)));
        for duty in own.duties.iter().flatten() {
            more(self.test(&duty.guard, none));
            more(match &duty.kind {
                DutyKind::Must(calls) => self.must(calls, all.plies),
                DutyKind::MustMost(value, _) => self.int(value, none).saturating_mul(all.plies),
                DutyKind::NextTurn(player) => self.int(player, none),
                DutyKind::ExtraTurn => 0,
            });
        }
        own.kept.iter().for_each(|kept| more(self.kept(kept, none)));
        for ending in &own.endings {
            more(self.test(&ending.condition, none));
            more(match &ending.result {
                EndingResult::Ranks(by) => self.ints(by),
                EndingResult::Players { players, .. } => self.int(players, none),
                EndingResult::Draw | EndingResult::BestScore | EndingResult::LowestScore => 0,
            });
        }
        more(self.ints(&own.scores));
        own.ties.iter().for_each(|(value, test)| more(self.int(value, none).saturating_add(self.test(test, none))));
        for reset in &own.resets {
            more(match &reset.value {
                FirstValue::Int(value) => self.int(value, none),
                FirstValue::Sets(value) => self.set(value, none),
            });
        }
        Worst { steps, plies: all.plies }
    }

    /// All plies of a call are listed, and those that may be alike compared.
    fn listed(&self, call: &'p Call) -> Worst {
        let none = &Known::default();
        let found = self.generator(&call.generator, none);
        let mut each = 1;
        if call.may_repeat {
            let shown = call.shown.iter().map(|shown| match shown {
                Printed::Number(value) => self.int(value, none),
                Printed::Sites(value) => self.set(value, none),
            });
            each = shown.fold(self.played(call).saturating_add(self.state), u64::saturating_add);
        }
        let weight = call.weight.as_ref().map_or(0, |weight| self.int(weight, none).saturating_mul(2));
        let each = each.saturating_add(weight).saturating_mul(found.plies);
        found.after(each)
    }

    /// One ply of a call is played.
    fn played(&self, call: &'p Call) -> u64 {
        let none = &Known::default();
        let mut steps = self.steps(&call.body).saturating_add(self.state);
        let mut more = |all: u64| steps = steps.saturating_add(all);
        call.until.iter().for_each(|until| more(self.test(until, none)));
        for chronicle in &call.chronicles {
            more(match chronicle {
                Chronicle::Note { when, .. } => self.test(when, none),
                Chronicle::Collect { sites, .. } => self.set(sites, none),
                Chronicle::It { .. } => 1,
            });
        }
        steps
    }

    /// Those of so many plies are found that fulfil a duty.
    fn must(&self, calls: &'p [(Test, Option<Generator>)], plies: u64) -> u64 {
        let none = &Known::default();
        let each = calls.iter().map(|(test, generator)| {
            let found = generator.as_ref().map_or(0, |generator| self.generator(generator, none).steps);
            self.test(test, none).saturating_mul(plies).saturating_add(found)
        });
        each.fold(0, u64::saturating_add)
    }

    fn generator<'k>(&self, generator: &'k Generator, known: &Known<'k>) -> Worst {
        match generator {
            Generator::One => Worst::of(1, 1),
            Generator::Leaf { set, .. } => Worst::of(self.set(set, known), self.bounds.most_of(set, known)),
            Generator::Fan { slot, branches } => {
                let mut found = Worst::of(0, 0);
                for branch in branches {
                    let plies = self.bounds.most_of(&branch.set, known);
                    let member = known.shadowed(*slot);
                    let derived = branch.derived.iter().map(|(_, int)| self.int(int, &member));
                    let each = derived.fold(1, u64::saturating_add).saturating_mul(plies);
                    found = found.and(Worst::of(self.set(&branch.set, known).saturating_add(each), plies));
                }
                found
            }
            Generator::Loop { slot, domain, tests, inner } => {
                let member = known.shadowed(*slot);
                let each = self.generator(inner, &member).after(self.tests(tests, &member));
                each.after(1).times(self.members(domain, known)).after(self.domain(domain, known))
            }
            Generator::Test(test, inner) => self.generator(inner, known).after(self.test(test, known)),
            Generator::If(test, yes, no) => {
                self.generator(yes, known).and(self.generator(no, known)).after(self.test(test, known))
            }
            Generator::Either(all) => {
                all.iter().map(|one| self.generator(one, known)).fold(Worst::of(0, 0), Worst::and)
            }
            Generator::Let(slot, int, inner) => {
                let inner = self.generator(inner, &known.with_number(*slot, int, self.bounds));
                inner.after(self.int(int, known))
            }
            Generator::LetSites(slot, set, inner) => {
                let inner = self.generator(inner, &known.with_set(*slot, set, self.bounds));
                inner.after(self.set(set, known))
            }
            // What slots hold was found before the change: it is not compared with what is found behind it.
            Generator::Stage(effects, inner) => {
                let changed = self.effects(effects, known).saturating_add(self.state);
                self.generator(inner, &Known::default()).after(changed)
            }
            Generator::Repeat(repeat, inner) => {
                let changed = self.repeat(repeat, known).saturating_add(self.state);
                self.generator(inner, &Known::default()).after(changed)
            }
        }
    }

    fn steps(&self, steps: &[Step]) -> u64 {
        let (mut sum, mut known) = (0u64, Known::default());
        for step in steps {
            let once = match step {
                Step::Let(slot, value) => {
                    let once = self.int(value, &known);
                    known = known.with_number(*slot, value, self.bounds);
                    once
                }
                Step::LetSites(slot, value) => {
                    let once = self.set(value, &known);
                    known = known.with_set(*slot, value, self.bounds);
                    once
                }
                Step::Change(effects) => self.effects(effects, &known),
                Step::Repeat(repeat) => self.repeat(repeat, &known),
            };
            sum = sum.saturating_add(once);
        }
        sum
    }

    fn repeat(&self, repeat: &Repeat, known: &Known<'_>) -> u64 {
        let times = self.bounds.between(&repeat.times, known).and_then(|(_, most)| u64::try_from(most.max(0)).ok());
        // The changes of one round have nothing in common with what is known before.
        let none = &Known::default();
        let round = self.test(&repeat.condition, none).saturating_add(self.steps(&repeat.steps));
        let rounds = times.unwrap_or(u64::MAX).min(MAX_ROUNDS.into()).saturating_mul(round.saturating_add(1));
        self.int(&repeat.times, known).saturating_add(rounds)
    }

    fn effects(&self, effects: &[Effect], known: &Known<'_>) -> u64 {
        effects.iter().map(|effect| self.effect(effect, known)).fold(1, u64::saturating_add)
    }

    fn effect(&self, effect: &Effect, known: &Known<'_>) -> u64 {
        if let Effect::Each { slot, domain, effect } = effect {
            let each = self.effect(effect, &known.shadowed(*slot));
            return self.for_each(domain, each, known);
        }
        // What is put on many sites is put on each of them.
        let sites = if let Effect::Put { target, .. } = effect { self.bounds.most_of(target, known) } else { 1 };
        let mut steps = sites;
        effect.parts(&mut |part| steps = steps.saturating_add(self.part(&part, known)));
        steps
    }

    fn kept(&self, kept: &Kept, known: &Known<'_>) -> u64 {
        match kept {
            Kept::Int(_, value) => self.int(value, known),
            Kept::Sets(_, value) => self.set(value, known),
        }
    }

    fn set(&self, set: &Sets, known: &Known<'_>) -> u64 {
        self.part(&Part::Sets(set), known)
    }

    fn int(&self, int: &Int, known: &Known<'_>) -> u64 {
        self.part(&Part::Int(int), known)
    }

    fn test(&self, test: &Test, known: &Known<'_>) -> u64 {
        self.part(&Part::Test(test), known)
    }

    fn ints(&self, all: &[Int]) -> u64 {
        all.iter().map(|int| self.int(int, &Known::default())).fold(0, u64::saturating_add)
    }

    fn tests(&self, tests: &[Test], known: &Known<'_>) -> u64 {
        tests.iter().map(|test| self.test(test, known)).fold(0, u64::saturating_add)
    }

    fn members(&self, domain: &Domain, known: &Known<'_>) -> u64 {
        self.bounds.members(domain, known).unwrap_or(u64::MAX).min(MAX_RANGE as u64)
    }

    /// What it takes to find the members of a domain.
    fn domain(&self, domain: &Domain, known: &Known<'_>) -> u64 {
        match domain {
            Domain::Sites(set) => self.set(set, known),
            Domain::Mask(mask) => self.int(mask, known),
            Domain::Range(low, high) => self.int(low, known).saturating_add(self.int(high, known)),
        }
    }

    fn for_each(&self, domain: &Domain, each: u64, known: &Known<'_>) -> u64 {
        let all = each.saturating_add(1).saturating_mul(self.members(domain, known));
        self.domain(domain, known).saturating_add(all)
    }

    /// What an instruction takes with all that it is made of.
    fn part(&self, part: &Part<'_>, known: &Known<'_>) -> u64 {
        let own = self.own(part, known);
        let more = |steps: u64| own.saturating_add(steps);
        match part {
            Part::Sets(Sets::Filter { slot, domain, test }) => {
                let each = self.test(test, &known.shadowed(*slot)).saturating_add(1);
                let members = self.bounds.most_of(domain, known);
                more(self.set(domain, known).saturating_add(members.saturating_mul(each)))
            }
            Part::Sets(Sets::Collect { slot, domain, test, body }) => {
                let member = &known.shadowed(*slot);
                let each = self.test(test, member).saturating_add(self.set(body, member));
                more(self.for_each(domain, each, known))
            }
            Part::Int(Int::Reduce { slot, domain, test, body, .. } | Int::MaskCollect { slot, domain, test, body }) => {
                let member = &known.shadowed(*slot);
                let each = self.test(test, member).saturating_add(self.int(body, member));
                more(self.for_each(domain, each, known))
            }
            Part::Int(Int::MaskWhere { slot, domain, test }) => {
                let each = self.test(test, &known.shadowed(*slot)).saturating_add(1);
                let members = self.bounds.ones(domain, known);
                more(self.int(domain, known).saturating_add(members.saturating_mul(each)))
            }
            Part::Test(Test::Exists { slot, domain, test }) => {
                let each = self.test(test, &known.shadowed(*slot));
                more(self.for_each(domain, each, known))
            }
            Part::Sets(Sets::With { kept, of }) => {
                more(self.kept(kept, known).saturating_add(self.set(of, &known.beside(kept, self.bounds))))
            }
            Part::Int(Int::With { kept, of }) => {
                more(self.kept(kept, known).saturating_add(self.int(of, &known.beside(kept, self.bounds))))
            }
            Part::Test(Test::With { slot, value, test }) => {
                let test = self.test(test, &known.with_number(*slot, value, self.bounds));
                more(self.int(value, known).saturating_add(test))
            }
            Part::Test(Test::WithSites { held, value, test } | Test::OfNew { held, set: value, test, .. }) => {
                let test = self.test(test, &known.with_set(*held, value, self.bounds));
                more(self.set(value, known).saturating_add(test))
            }
            Part::Test(Test::CanApply(effects)) => more(self.effects(effects, known)),
            Part::Test(Test::Possible { place, .. }) => more(self.possible(*place)),
            // What else goes through members would have to be measured above: of that nothing is known.
            Part::Sets(_) | Part::Int(_) | Part::Test(_) => {
                let mut steps = own;
                part.binds(&mut |_| steps = u64::MAX);
                part.parts(&mut |part| steps = steps.saturating_add(self.part(&part, known)));
                steps
            }
        }
    }

    /// What an instruction takes by itself.
    fn own(&self, part: &Part<'_>, known: &Known<'_>) -> u64 {
        let floods = matches!(
            part,
            Part::Sets(
                Sets::Connected { .. }
                    | Sets::Heads(_)
                    | Sets::Grown { .. }
                    | Sets::Within { .. }
                    | Sets::Nearer { .. }
            )
        );
        let times = match self.walk(part, known) {
            _ if floods => self.bounds.flood(),
            Some(times) => times,
            None => own_weight(part),
        };
        1 + times.saturating_mul(self.bounds.words()) / IN_A_STEP
    }

    /// How many steps from site to site an instruction makes at most, in all directions; none where it makes none.
    fn walk(&self, part: &Part<'_>, known: &Known<'_>) -> Option<u64> {
        let in_all = |ways: &Int| self.bounds.walk(self.bounds.ones(ways, known));
        let far = |steps: &Int| {
            self.bounds
                .between(steps, known)
                .map_or(u64::MAX, |(back, far)| back.unsigned_abs().max(far.unsigned_abs()))
        };
        let set = match part {
            Part::Int(Int::Ahead { steps, .. }) => return Some(self.bounds.walk(1).min(far(steps))),
            Part::Int(Int::Beyond { .. }) => return Some(self.bounds.walk(1)),
            Part::Int(Int::RowLength { directions, .. }) => return Some(in_all(directions)),
            Part::Sets(set) => set,
            Part::Int(_) | Part::Test(_) => return None,
        };
        if let Sets::Ahead { directions, steps, .. } | Sets::Trail { directions, steps, .. } = set {
            let ways = self.bounds.ones(directions, known);
            return Some(in_all(directions).min(far(steps).saturating_mul(ways)));
        }
        if let Sets::Run { directions, .. } | Sets::Beyond { directions, .. } = set {
            return Some(in_all(directions));
        }
        if let Sets::PullRun { directions, .. }
        | Sets::PullBeyond { directions, .. }
        | Sets::Bracketed { directions, .. } = set
        {
            return Some(self.bounds.walk(directions.count_ones().into()));
        }
        matches!(set, Sets::Between(..)).then(|| self.bounds.walk(1))
    }

    /// What it takes to find out whether something is possible from a place: of all plies there may be, each is looked at.
    fn possible(&self, place: u16) -> u64 {
        let depth = self.within.get();
        if depth >= MOST_WITHIN {
            return u64::MAX;
        }
        if let Some(known) = self.possible.borrow().get(&(place, depth)) {
            return *known;
        }
        self.within.set(depth + 1);
        let each = self.program.by_mover.iter().map(|own| {
            let calls = reached(self.program, own, place);
            let calls = calls.iter().filter_map(|call| own.calls.get(usize::from(*call)));
            let looked = calls.map(|call| {
                let found = self.listed(call);
                found.steps.saturating_add(found.plies.saturating_mul(self.played(call)))
            });
            looked.fold(self.tests(&own.guards, &Known::default()), u64::saturating_add)
        });
        let steps = each.max().unwrap_or(0);
        self.within.set(depth);
        self.possible.borrow_mut().insert((place, depth), steps);
        steps
    }
}

/// The calls that a turn may come to from a place.
fn reached(program: &Program, own: &ForMover, place: u16) -> Vec<u16> {
    let (mut places, mut at, mut calls) = (vec![place], 0, Vec::new());
    while let Some(place) = places.get(at).copied() {
        at += 1;
        for index in calls_behind(&program.nodes, usize::from(place)) {
            if calls.contains(&index) {
                continue;
            }
            calls.push(index);
            let call = own.calls.get(usize::from(index));
            for next in call.iter().flat_map(|call| call.next.iter().chain(&call.until_next)) {
                if !places.contains(next) {
                    places.push(*next);
                }
            }
        }
    }
    calls
}
