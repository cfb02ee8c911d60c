//! A ply of a random game drawn by machine code: of all candidates of a place one after the other, until one is a legal ply,
//! just as the host draws them.

use super::context::{DREW, LISTED, offset};
use super::draws::{Exits, Ready, is_native};
use super::emit::{Emit, Scope};
use super::memory::{Facts, Region};
use super::plan::Plan;
use super::plies::{COUNT, Kind, Listing, is_native_call};
use super::value::{Flag, Word};
use crate::engine::fast::lots::Lots;
use crate::engine::fast::tries::{AT_ONCE, TRIES};
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
}

/// Whether a turn can be completed after a ply.
#[derive(Clone, Copy)]
enum Finish<'p> {
    /// It can if this holds in front of the ply.
    Before(&'p Test),
    /// It can if this holds after it.
    After(&'p Test),
}

/// As many plies of turns that must be completed are drawn in vain.
const MOST_UNFINISHED: i64 = 16;

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
            source.finish = Some(finish(plan, mover, source)?);
        }
    }
    (!found.is_empty()).then_some(found)
}

/// What tells whether a turn can be completed after a ply of a call; none where that takes a search.
fn finish<'p>(plan: &'p Plan, mover: usize, source: &Source<'p>) -> Option<Finish<'p>> {
    if let Some(closes) = plan.urn.closing(u8::try_from(mover).ok()?, source.index) {
        return Some(Finish::Before(closes));
    }
    let own = plan.program.by_mover.get(mover)?;
    let [next] = source.call.next.as_slice() else { return None };
    let guard = (*own.finishes.get(usize::from(*next))?).filter(|_| source.call.until.is_none())?;
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
        let alone = alone && next.len() == 1;
        next.iter().try_for_each(|next| add_sources(plan, mover, *next, alone, guards, found))
    };
    match program.nodes.get(usize::from(node))? {
        TurnNode::End => {}
        TurnNode::Call(index) => {
            let call = own.calls.get(usize::from(*index)).filter(|call| is_native_call(call, planes))?;
            let lots = plan.urn.calls.get(mover)?.get(usize::from(*index))?.as_ref();
            let lots = lots.filter(|lots| is_native(lots, planes))?;
            found.push(Source { index: *index, call, lots, guards: guards.clone(), finish: None });
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
        let (mut total, mut each) = (Word::Known(0), Vec::new());
        for source in sources {
            let guards = source.guards.iter().fold(Flag::Known(true), |held, guard| {
                let guard = self.test(guard);
                self.flags_and(held, guard)
            });
            let own = self.scope.clone();
            let (weight, ready) = if guards == Flag::Known(true) {
                self.ready(source.lots)
            } else {
                (self.weight_if(guards, |e| e.weight(source.lots, &plan.urn.bounds), |_| Word::Known(0)), Ready::Later)
            };
            let own = std::mem::replace(&mut self.scope, own);
            total = self.added(total, weight);
            each.push((weight, own, ready));
        }
        let several = matches!(sources, [only] if plan.urn.is_sparse(only.index));
        let (tried, judged) = (self.variable(types::I64), self.variable(types::I64));
        let (number, rolled) = (self.variable(types::I64), self.variable(types::I64));
        let unfinished = self.variable(types::I64);
        self.set_variable(unfinished, Word::Known(0));
        self.set_variable(tried, Word::Known(0));
        self.set_variable(judged, Word::Known(0));
        // As if all that were rolled at a time had been looked at.
        self.set_variable(rolled, Word::Known(AT_ONCE as u64));
        let whole = sources.iter().any(|source| source.finish.is_some());
        let least = plan.urn.cost(place, whole).least().max(1);
        let pays = self.compare_words(CompareOp::GreaterEqual, total, Word::Known(least));
        let (pays, total) = (self.flag(pays), self.value(total));
        self.split(pays, head, list);

        self.begin(head);
        let (enough, found, fails) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let mut to_finish = Vec::new();
        self.next_number(total, several, (tried, number, rolled), enough);
        let seen = self.facts.clone();
        let mut left = Word::Value(self.b.use_var(number));
        for (source, (weight, own, ready)) in sources.iter().zip(&each) {
            let kind = listing.kinds.len();
            listing.kinds.push(Kind::alone(self.scene.mover, source.index, source.call));
            let on = if source.finish.is_some() { self.b.create_block() } else { found };
            to_finish.push(on);
            let exits = Exits { place: None, fails, missing: head, found: Some((kind, on)) };
            if sources.len() == 1 {
                self.scope = own.clone();
                self.ready_candidate(source.call, source.lots, ready, left, exits);
                break;
            }
            let within = self.below(left, *weight);
            let (here, on) = (self.b.create_block(), self.b.create_block());
            let within = self.flag(within);
            self.split(within, here, on);
            self.begin(here);
            self.rebind(own);
            self.ready_candidate(source.call, source.lots, ready, left, exits);
            self.begin(on);
            (self.scope, self.facts) = (scope.clone(), seen.clone());
            let (passed, all) = (self.value(left), self.value(*weight));
            left = Word::Value(self.b.ins().isub(passed, all));
        }
        if sources.len() != 1 {
            // The numbers rolled are below the sum.
            self.go_to(head);
        }

        self.begin(fails);
        self.add_one(judged);
        self.go_to(head);

        if whole {
            let drop = self.b.create_block();
            for (source, block) in sources.iter().zip(to_finish) {
                self.begin(block);
                let kind = Kind::alone(self.scene.mover, source.index, source.call);
                let held = self.can_be_finished(source, &kind);
                let held = self.flag(held);
                self.split(held, found, drop);
            }
            // Such a ply is looked at like any other.
            self.begin(drop);
            self.add_one(judged);
            self.add_one(unfinished);
            let so_many = self.b.use_var(unfinished);
            let more = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, so_many, MOST_UNFINISHED);
            self.split(more, head, enough);
        }

        self.begin(found);
        self.add_one(judged);
        let (records, one, none) = (self.context_field(offset::RECORDS), self.constant(1), self.constant(0));
        self.store(one, Region::Records, records, 8 * COUNT);
        let cursor = self.b.ins().iadd_imm_s(records, 8 * listing.stride as i64);
        self.set_context_field(cursor, offset::CURSOR);
        self.set_context_field(none, offset::END);
        let listed = self.constant(LISTED as i64);
        self.set_context_field(listed, offset::NATIVE);
        self.tell_of_draws(place, whole, total, (tried, judged, number));
        let drew = self.constant(DREW as i64);
        self.set_context_field(drew, offset::DREW);
        self.b.ins().return_(&[one]);

        self.begin(enough);
        self.tell_of_draws(place, whole, total, (tried, judged, number));
        self.call(plan.addresses.drew_in_vain, &[self.context]);
        self.go_to(list);

        self.begin(list);
        (self.scope, self.facts) = (scope, facts);
    }

    /// Whether the turn can be completed after the ply in the record.
    fn can_be_finished(&mut self, source: &Source<'_>, kind: &Kind) -> Flag {
        (self.scope, self.facts) = (Scope::default(), Facts::default());
        let (record, first) = (self.context_field(offset::RECORDS), self.constant(0));
        self.decode(kind, record, first);
        match source.finish {
            None => Flag::Known(true),
            Some(Finish::Before(closes)) => self.test(closes),
            Some(Finish::After(test)) => {
                let (outside, scene) = (self.enter_trial(), self.scene);
                self.play(source.call);
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
    fn next_number(
        &mut self,
        total: Value,
        several: bool,
        (tried, number, rolled): (Variable, Variable, Variable),
        enough: Block,
    ) {
        let (roll, go_on) = (self.b.create_block(), self.b.create_block());
        if several {
            let at = self.b.use_var(rolled);
            let there = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, at, AT_ONCE as i64);
            self.split(there, go_on, roll);
            self.begin(roll);
        }
        let so_many = self.b.use_var(tried);
        let more = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, so_many, TRIES as i64);
        let more_of_them = self.b.create_block();
        self.split(more, more_of_them, enough);
        self.begin(more_of_them);
        if several {
            self.call(self.plan.addresses.roll_several, &[self.context, total]);
            self.set_variable(rolled, Word::Known(0));
            self.go_to(go_on);
            self.begin(go_on);
            let next = self.drawn_number(rolled);
            self.set_variable(number, next);
            self.add_one(rolled);
        } else {
            let next = self.call(self.plan.addresses.roll, &[self.context, total]);
            self.b.def_var(number, next);
        }
        self.add_one(tried);
    }

    /// The host is told what drawing has come to.
    fn tell_of_draws(
        &mut self,
        place: u16,
        whole: bool,
        total: Value,
        (tried, judged, number): (Variable, Variable, Variable),
    ) {
        let (place, whole) = (self.constant(i64::from(place)), self.constant(i64::from(whole)));
        let [tried, judged, number] = [tried, judged, number].map(|variable| self.b.use_var(variable));
        for (at, value) in [place, whole, total, tried, judged, number].into_iter().enumerate() {
            self.set_context_field(value, offset::TRIED + 8 * at);
        }
    }
}
