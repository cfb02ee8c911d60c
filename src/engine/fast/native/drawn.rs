//! A ply of a random game drawn by machine code: of all candidates of a place one after the other, until one is a legal ply,
//! just as the host draws them.

use super::context::{DREW, LEAVES_OUT, LISTED, offset};
use super::draws::{Exits, Ready, is_native};
use super::emit::{Emit, Scope};
use super::memory::{Facts, Region};
use super::plan::Plan;
use super::plies::{COUNT, Kind, Listing, is_native_call};
use super::value::{Flag, Word};
use crate::engine::fast::lots::Lots;
use crate::engine::fast::tries::{AT_ONCE, TRIES, TRIES_OF_TURNS};
use crate::program::ir::Test;
use crate::program::{Call, TurnNode};
use crate::rules::CompareOp;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::Variable;

/// A call that a place leads to, with what its plies are drawn from.
pub struct Source<'p> {
    index: u16,
    call: &'p Call,
    lots: &'p Lots,
    /// What has to hold in the turn for it.
    guards: Vec<&'p Test>,
    /// Where turns must be completed, what tells whether this one can be after a ply.
    finish: Option<Finish<'p>>,
    /// The place among the sources of one whose numbers the candidates of this one have too.
    shares: Option<usize>,
}

/// Whether a turn can be completed after a ply.
#[derive(Clone, Copy)]
pub enum Finish<'p> {
    /// It can if this holds in front of the ply.
    Before(&'p Test),
    /// It can if this holds after it.
    After(&'p Test),
}

/// The calls that a place leads to in a random game, where machine code can draw from all of them; else the host does.
/// `whole` where turns must be completed.
pub fn sources(plan: &Plan, mover: usize, place: u16, whole: bool) -> Option<Vec<Source<'_>>> {
    let program = &plan.program;
    if !plan.urn.draws_at(place) || program.plain.get(usize::from(place)) != Some(&true) {
        return None;
    }
    let mut found = Vec::new();
    add_sources(plan, mover, place, true, &mut Vec::new(), &mut found)?;
    if whole {
        for source in &mut found {
            source.finish = Some(finish(plan, mover, source.index, source.call)?);
        }
    }
    let beside = plan.urn.beside(u8::try_from(mover).ok()?, place);
    for first in 0..found.len() {
        let other = found.get(first).and_then(|first| *beside.get(usize::from(first.index))?);
        if let Some(other) = found.iter_mut().find(|source| other == Some(source.index)) {
            other.shares = Some(first);
        }
    }
    (!found.is_empty()).then_some(found)
}

/// What tells whether a turn can be completed after a ply of a call; none where that takes a search.
pub fn finish<'p>(plan: &'p Plan, mover: usize, index: u16, call: &Call) -> Option<Finish<'p>> {
    if let Some(closes) = plan.urn.closing(u8::try_from(mover).ok()?, index) {
        return Some(Finish::Before(closes));
    }
    let own = plan.program.by_mover.get(mover)?;
    let [next] = call.next.as_slice() else { return None };
    let guard = (*own.finishes.get(usize::from(*next))?).filter(|_| call.until.is_none())?;
    own.guards.get(usize::from(guard)).map(Finish::After)
}

/// Adds those behind a node, of a preference those of its first way; none where one of them is left to the host.
fn add_sources<'p>(
    plan: &'p Plan,
    mover: usize,
    node: u16,
    alone: bool,
    guards: &mut Vec<&'p Test>,
    found: &mut Vec<Source<'p>>,
) -> Option<()> {
    let (program, planes) = (&plan.program, plan.program.planes.len());
    let own = program.by_mover.get(mover)?;
    let mut follow = |next: &'p [u16], guards: &mut Vec<&'p Test>| {
        let alone = alone && plan.urn.one_plays(next);
        next.iter().try_for_each(|next| add_sources(plan, mover, *next, alone, guards, found))
    };
    match program.nodes.get(usize::from(node))? {
        TurnNode::End => {}
        TurnNode::Call(index) => {
            let call = own.calls.get(usize::from(*index)).filter(|call| is_native_call(call, planes))?;
            let lots = plan.urn.calls.get(mover)?.get(usize::from(*index))?.as_ref();
            let lots = lots.filter(|lots| is_native(lots, planes))?;
            let guards = guards.clone();
            found.push(Source { index: *index, call, lots, guards, finish: None, shares: None });
        }
        TurnNode::Prefer(next) => {
            let first = next.first().filter(|_| alone)?;
            add_sources(plan, mover, *first, true, guards, found)?;
        }
        TurnNode::Guard(test, next) => {
            guards.push(own.guards.get(usize::from(*test))?);
            follow(next, guards)?;
            guards.pop();
        }
        TurnNode::Fork(next) => follow(next, guards)?,
    }
    Some(())
}

/// A call with how many candidates it has, what names stand for there, and the sets that are drawn from; none where names and
/// sets are worked out for each candidate.
struct Weighed {
    weight: Word,
    scope: Scope,
    ready: Option<Ready>,
}

/// What is counted while plies of a place are drawn, and the number that was rolled last.
#[derive(Clone, Copy)]
enum Count {
    Tried,
    Judged,
    Number,
    /// Of the numbers that are rolled at a time, how many have been looked at.
    Rolled,
    Unfinished,
}

/// The drawing of one ply.
struct Drawing {
    place: u16,
    whole: bool,
    /// How many candidates there are.
    total: Value,
    counts: [Variable; 5],
}

impl Drawing {
    fn count(&self, which: Count) -> Variable {
        let [tried, judged, number, rolled, unfinished] = self.counts;
        match which {
            Count::Tried => tried,
            Count::Judged => judged,
            Count::Number => number,
            Count::Rolled => rolled,
            Count::Unfinished => unfinished,
        }
    }
}

impl Emit<'_, '_> {
    /// In a random game the host may draw a ply, so that none need be listed.
    pub fn draw_by_host(&mut self) {
        let (draws, list) = (self.b.create_block(), self.b.create_block());
        let wanted = self.context_field(offset::DRAWS);
        self.split(wanted, draws, list);
        self.begin(draws);
        let drawn = self.call(self.plan.addresses.draw, &[self.context]);
        let found = self.b.create_block();
        self.split(drawn, found, list);
        self.begin(found);
        self.b.ins().return_(&[drawn]);
        self.begin(list);
    }

    /// In a random game one ply is drawn, as the host would draw it, and the function returns; it goes on where plies are
    /// listed after all.
    pub fn draw_here(&mut self, sources: &[Source<'_>], place: u16, listing: &mut Listing<'_>) {
        let (scope, facts, plan) = (self.scope.clone(), self.facts.clone(), self.plan);
        let (draws, list, head) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let wanted = self.context_field(offset::DRAWS);
        self.split(wanted, draws, list);

        self.begin(draws);
        let weighed: Vec<Weighed> = sources.iter().map(|source| self.weighed(source, sources.len() == 1)).collect();
        let own = sources.iter().zip(&weighed).filter(|(source, _)| source.shares.is_none());
        let total = own.fold(Word::Known(0), |sum, (_, one)| self.added(sum, one.weight));
        let whole = sources.iter().any(|source| source.finish.is_some());
        let least = plan.urn.cost(place, whole).least().max(1);
        let pays = self.compare_words(CompareOp::GreaterEqual, total, Word::Known(least));
        let (pays, total) = (self.flag(pays), self.value(total));
        let draws = Drawing { place, whole, total, counts: std::array::from_fn(|_| self.variable(types::I64)) };
        draws.counts.iter().for_each(|count| self.set_variable(*count, Word::Known(0)));
        // As if all that are rolled at a time had been looked at.
        self.set_variable(draws.count(Count::Rolled), Word::Known(AT_ONCE as u64));
        self.split(pays, head, list);

        self.begin(head);
        let (enough, found, fails) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let several = matches!(sources, [only] if plan.urn.is_sparse(only.index));
        self.next_number(&draws, several, enough);
        let to_look_at = self.judge_one(sources, &weighed, &draws, [head, fails, found], listing);

        self.begin(fails);
        self.add_one(draws.count(Count::Judged));
        self.go_to(head);

        let (drop, left_out) = (self.b.create_block(), self.b.create_block());
        for (source, block) in sources.iter().zip(to_look_at) {
            if block == found {
                continue;
            }
            self.begin(block);
            if let Some(finish) = source.finish {
                let kind = Kind::alone(self.scene.mover, source.index, source.call);
                let held = self.can_be_finished(&kind, source.call, finish);
                let (held, on) = (self.flag(held), self.b.create_block());
                self.split(held, on, drop);
                self.begin(on);
            }
            if source.call.only_site.is_some() {
                self.leave_out(source.call, left_out, found);
            }
            self.go_to(found);
        }
        if sources.iter().any(|source| source.call.only_site.is_some()) {
            self.begin(left_out);
            self.add_one(draws.count(Count::Judged));
            self.go_to(head);
        }
        if whole {
            // Such a ply is looked at like any other.
            self.begin(drop);
            self.add_one(draws.count(Count::Judged));
            self.add_one(draws.count(Count::Unfinished));
            let so_many = self.b.use_var(draws.count(Count::Unfinished));
            let more = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, so_many, i64::from(TRIES_OF_TURNS));
            self.split(more, head, enough);
        }

        self.begin(found);
        self.add_one(draws.count(Count::Judged));
        let (records, one, none) = (self.context_field(offset::RECORDS), self.constant(1), self.constant(0));
        self.store(one, Region::Records, records, 8 * COUNT);
        let cursor = self.b.ins().iadd_imm_s(records, 8 * listing.stride as i64);
        self.set_context_field(cursor, offset::CURSOR);
        self.set_context_field(none, offset::END);
        let listed = self.constant(LISTED as i64);
        self.set_context_field(listed, offset::NATIVE);
        self.tell_of_draws(&draws);
        let drew = self.constant(DREW as i64);
        self.set_context_field(drew, offset::DREW);
        self.b.ins().return_(&[one]);

        self.begin(enough);
        self.tell_of_draws(&draws);
        self.call(plan.addresses.drew_in_vain, &[self.context]);
        self.go_to(list);

        self.begin(list);
        (self.scope, self.facts) = (scope, facts);
    }

    /// How many candidates a call has; where something in the turn decides about it, none while that does not hold. Where the
    /// only call is closed there is nothing to draw, which is rare: its sets are worked out first.
    fn weighed(&mut self, source: &Source<'_>, is_only: bool) -> Weighed {
        let plan = self.plan;
        let held = source.guards.iter().fold(Flag::Known(true), |held, guard| {
            let guard = self.test(guard);
            self.flags_and(held, guard)
        });
        let outer = self.scope.clone();
        let (weight, ready) = if held == Flag::Known(true) || is_only {
            let (weight, ready) = self.ready(source.lots);
            (self.select(held, weight, Word::Known(0)), Some(ready))
        } else {
            let weight = |e: &mut Self| e.weight(source.lots, &plan.urn.bounds);
            (self.weight_if(held, weight, |_| Word::Known(0)), None)
        };
        Weighed { weight, scope: std::mem::replace(&mut self.scope, outer), ready }
    }

    /// Judges the candidate whose number was rolled. Goes on to the next one, to what fails or to what was found; where turns
    /// must be completed, and of calls whose plies may be left out, to a block for each call instead.
    fn judge_one(
        &mut self,
        sources: &[Source<'_>],
        weighed: &[Weighed],
        draws: &Drawing,
        [next, fails, found]: [Block; 3],
        listing: &mut Listing<'_>,
    ) -> Vec<Block> {
        let (scope, facts) = (self.scope.clone(), self.facts.clone());
        let mut exits_of = Vec::new();
        for source in sources {
            let kind = listing.kinds.len();
            listing.kinds.push(Kind::alone(self.scene.mover, source.index, source.call));
            let looked_at = source.finish.is_some() || source.call.only_site.is_some();
            let on = if looked_at { self.b.create_block() } else { found };
            exits_of.push((Exits { place: None, fails, missing: next, found: Some((kind, on)) }, on));
        }
        let mut left = Word::Value(self.b.use_var(draws.count(Count::Number)));
        for (at, (source, Weighed { weight, scope: own, ready })) in sources.iter().zip(weighed).enumerate() {
            if source.shares.is_some() {
                continue;
            }
            let exits = exits_of[at].0;
            let beside = sources.iter().position(|other| other.shares == Some(at));
            let (here, others) = (self.b.create_block(), self.b.create_block());
            let within = self.below(left, *weight);
            let within = self.flag(within);
            self.split(within, here, others);
            self.begin(here);
            self.rebind(own);
            match (beside, ready) {
                (Some(other), Some(ready)) => {
                    let exits = [exits, exits_of[other].0];
                    self.either_candidate([source, &sources[other]], &weighed[other].scope, ready, left, exits);
                }
                (None, Some(ready)) => self.ready_candidate(source.call, source.lots, ready, left, exits),
                (_, None) => self.candidate(source.call, source.lots, left, exits),
            }
            self.begin(others);
            (self.scope, self.facts) = (scope.clone(), facts.clone());
            let (passed, all) = (self.value(left), self.value(*weight));
            left = Word::Value(self.b.ins().isub(passed, all));
        }
        // The numbers rolled are below the sum.
        self.go_to(next);
        exits_of.into_iter().map(|(_, on)| on).collect()
    }

    /// Judges the candidate of a call, and if it fails that of another one with the same number.
    fn either_candidate(
        &mut self,
        sources: [&Source<'_>; 2],
        scope: &Scope,
        ready: &Ready,
        number: Word,
        [mut exits, beside]: [Exits; 2],
    ) {
        let [Some((slot, _, ways)), Some((other_slot, _, other_ways))] = sources.map(|source| source.lots.sift())
        else {
            return self.go_to(exits.missing);
        };
        let Ready::Sets(sets) = ready else { return self.go_to(exits.missing) };
        let Some((set, count)) = sets.first() else { return self.go_to(exits.missing) };
        let drawn = self.member_and_way(ways.len(), (set, *count), number, exits);
        exits.fails = self.b.create_block();
        let facts = self.facts.clone();
        self.judged_in_way(sources[0].call, slot, ways, drawn, exits);
        self.begin(exits.fails);
        self.facts = facts;
        self.rebind(scope);
        self.judged_in_way(sources[1].call, other_slot, other_ways, drawn, beside);
    }

    /// Whether the turn can be completed after the ply of a call whose parts stand in the record: the function's whole body.
    pub fn write_finishes(&mut self, kind: &Kind, call: &Call, finish: Finish<'_>) {
        self.scene = self.scene_of(kind.mover);
        let held = self.can_be_finished(kind, call, finish);
        let held = self.flag(held);
        let held = self.b.ins().uextend(types::I64, held);
        self.b.ins().return_(&[held]);
    }

    /// Whether the turn can be completed after the ply in the record.
    fn can_be_finished(&mut self, kind: &Kind, call: &Call, finish: Finish<'_>) -> Flag {
        (self.scope, self.facts) = (Scope::default(), Facts::default());
        let (record, first) = (self.context_field(offset::RECORDS), self.constant(0));
        self.decode(kind, record, first);
        match finish {
            Finish::Before(closes) => self.test(closes),
            Finish::After(test) => {
                let (outside, scene) = (self.enter_trial(), self.scene);
                self.play(call);
                self.count_ply();
                self.scene = self.scene_of(kind.mover);
                let held = self.test(test);
                self.call(self.plan.addresses.tried, &[self.context]);
                self.leave_trial(outside);
                self.scene = scene;
                held
            }
        }
    }

    /// Goes back to draw another ply where this one is left out, else to what was found; goes on where nobody leaves out any.
    fn leave_out(&mut self, call: &Call, again: Block, found: Block) {
        let asked = self.context_field(offset::DRAWS);
        let asked = self.b.ins().band_imm_u(asked, LEAVES_OUT as i64);
        let (ask, on) = (self.b.create_block(), self.b.create_block());
        self.split(asked, ask, on);
        self.begin(ask);
        let mv = self.constant(call.mv.0 as i64);
        let left_out = self.call(self.plan.addresses.leaves_out, &[self.context, mv]);
        self.split(left_out, again, found);
        self.begin(on);
    }

    /// Names stand for what they stood for in a scope that is left, also for the host: others may have taken their slots.
    pub fn rebind(&mut self, scope: &Scope) {
        let outer = std::mem::replace(&mut self.scope, scope.clone());
        for (slot, number) in &scope.ints {
            if outer.ints.get(slot) != Some(number) {
                self.bind(*slot, *number);
            }
        }
        for (slot, set) in &scope.sets {
            if !outer.sets.contains_key(slot) {
                self.bind_sites(*slot, set.clone());
            }
        }
    }

    fn add_one(&mut self, variable: Variable) {
        let before = self.b.use_var(variable);
        let after = self.b.ins().iadd_imm_s(before, 1);
        self.b.def_var(variable, after);
    }

    /// The number of the next candidate is rolled, or the next of those that are rolled at a time.
    fn next_number(&mut self, draws: &Drawing, several: bool, enough: Block) {
        let [tried, number, rolled] = [Count::Tried, Count::Number, Count::Rolled].map(|count| draws.count(count));
        let (roll, go_on) = (self.b.create_block(), self.b.create_block());
        if several {
            let at = self.b.use_var(rolled);
            let there = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, at, AT_ONCE as i64);
            let again = self.b.create_block();
            self.split(there, go_on, again);
            self.begin(again);
        }
        let so_many = self.b.use_var(tried);
        let more = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, so_many, TRIES as i64);
        self.split(more, roll, enough);
        self.begin(roll);
        if several {
            self.call(self.plan.addresses.roll_several, &[self.context, draws.total]);
            self.set_variable(rolled, Word::Known(0));
            self.go_to(go_on);
            self.begin(go_on);
            let next = self.drawn_number(rolled);
            self.set_variable(number, next);
            self.add_one(rolled);
        } else {
            let next = self.call(self.plan.addresses.roll, &[self.context, draws.total]);
            self.b.def_var(number, next);
        }
        self.add_one(tried);
    }

    /// The host is told what drawing has come to.
    fn tell_of_draws(&mut self, draws: &Drawing) {
        let (place, whole) = (self.constant(i64::from(draws.place)), self.constant(i64::from(draws.whole)));
        let [tried, judged, number] =
            [Count::Tried, Count::Judged, Count::Number].map(|count| self.b.use_var(draws.count(count)));
        for (at, value) in [place, whole, draws.total, tried, judged, number].into_iter().enumerate() {
            self.set_context_field(value, offset::TRIED + 8 * at);
        }
    }
}
