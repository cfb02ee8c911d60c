//! Plies drawn and judged, as machine code: how many candidates a call has, and whether one of them is a ply. Where that
//! depends on changes, they are made to a copy of the state. Where a place leads to calls that all have such code, it draws
//! by itself; where the rest of a turn decides, the host draws and asks for one step after the other.

use super::alike::Alike;
use super::changes::is_native_effect;
use super::context::offset;
use super::emit::{Emit, Scope};
use super::memory::{Facts, Region};
use super::plies::{KIND, SET};
use super::value::{Flag, Num, Word, Words};
use crate::engine::fast::bounds::Bounds;
use crate::engine::fast::lots::{Lots, Way};
use crate::engine::fast::tries::AT_ONCE;
use crate::program::ir::{Domain, NONE, Sets, Test};
use crate::program::{Branch, Call, MAX_PARTS, Repeat, Step};
use crate::rules::{CompareOp, MAX_RANGE, MAX_ROUNDS};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::{Switch, Variable};

/// Machine code can judge the candidates.
pub fn is_native(lots: &Lots, planes: usize) -> bool {
    match lots {
        Lots::One | Lots::Fan { .. } | Lots::Sift { .. } => true,
        Lots::Stage(effects, inner) => {
            effects.iter().all(|effect| is_native_effect(effect, planes)) && is_native(inner, planes)
        }
        Lots::Repeat(repeat, inner) => {
            repeat.effects().all(|effect| is_native_effect(effect, planes)) && is_native(inner, planes)
        }
        Lots::If(_, yes, no) => is_native(yes, planes) && is_native(no, planes),
        Lots::Either(all) => all.iter().all(|one| is_native(one, planes)),
        Lots::Test(_, inner) | Lots::Let(_, _, inner) | Lots::LetSites(_, _, inner) | Lots::Loop { inner, .. } => {
            is_native(inner, planes)
        }
    }
}

/// What a candidate is, in the lowest bits of what is returned; above these stands at which place its number was, where
/// several are drawn at a time.
pub const KINDS: u32 = 2;
pub const WHAT: i64 = (1 << KINDS) - 1;
pub const PLY: i64 = 1;
pub const FAILS: i64 = 0;
pub const MISSING: i64 = 2;

/// Where it goes on when a candidate has been judged.
#[derive(Clone, Copy)]
pub struct Exits {
    /// Where the number of the candidate stands, where several are drawn at a time.
    pub place: Option<Variable>,
    pub fails: Block,
    pub missing: Block,
    /// Where plies are drawn here: the kind of the ply, and what follows. Else the function ends with what the candidate is.
    pub found: Option<(usize, Block)>,
}

/// Sets from which candidates are drawn, with how many members they have.
pub enum Ready {
    Sets(Vec<(Words, Word)>),
    /// Of each way how many candidates it has, and what names stand for there.
    Each(Vec<(Word, Scope, Ready)>),
    /// They are worked out for each candidate, but for what names stand for before that.
    Later,
}

impl Emit<'_, '_> {
    /// How many candidates there are: the function's whole body.
    pub fn write_weight(&mut self, mover: usize, lots: &Lots, bounds: &Bounds) {
        self.scene = self.scene_of(mover);
        let weight = self.weight(lots, bounds);
        let weight = self.value(weight);
        self.b.ins().return_(&[weight]);
    }

    /// Judges the candidate with a number; or, where several are drawn at a time, those with the numbers that stand in the
    /// record behind the parts, from a place on and up to the first that is not missing. Writes the parts of a ply into the
    /// record, and returns what the candidate is, [`PLY`], [`FAILS`] or [`MISSING`], and at which place its number stands:
    /// the function's whole body.
    pub fn write_candidate(&mut self, mover: usize, number: Value, call: &Call, lots: &Lots, several: bool) {
        self.scene = self.scene_of(mover);
        let place = several.then(|| self.variable(types::I64));
        let exits = Exits { place, fails: self.b.create_block(), missing: self.b.create_block(), found: None };
        match place {
            Some(place) => {
                self.set_variable(place, Word::Value(number));
                self.candidates(call, lots, place, exits);
            }
            None => self.candidate(call, lots, Word::Value(number), exits),
        }
        for (block, what) in [(exits.fails, FAILS), (exits.missing, MISSING)] {
            self.begin(block);
            self.end_with(what, exits);
        }
    }

    fn end_with(&mut self, what: i64, exits: Exits) {
        let found = match exits.place {
            Some(place) => {
                let place = self.b.use_var(place);
                let place = self.b.ins().ishl_imm_u(place, i64::from(KINDS));
                self.b.ins().bor_imm_u(place, what)
            }
            None => self.constant(what),
        };
        self.b.ins().return_(&[found]);
    }

    /// What all candidates have in common is worked out in front of them.
    fn candidates(&mut self, call: &Call, lots: &Lots, place: Variable, exits: Exits) {
        match lots {
            Lots::Let(slot, int, inner) => {
                let value = self.int(int);
                self.bind(*slot, value);
                self.candidates(call, inner, place, exits);
            }
            Lots::LetSites(slot, set, inner) => {
                let set = self.bits(set);
                self.bind_sites(*slot, set);
                self.candidates(call, inner, place, exits);
            }
            Lots::Test(test, inner) => {
                let held = self.test(test);
                self.only_when(held, exits.fails);
                self.candidates(call, inner, place, exits);
            }
            Lots::One
            | Lots::Fan { .. }
            | Lots::Sift { .. }
            | Lots::If(..)
            | Lots::Either(_)
            | Lots::Loop { .. }
            | Lots::Stage(..)
            | Lots::Repeat(..) => {
                let (_, ready) = self.ready(lots);
                let (head, next, body) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
                self.go_to(head);
                self.begin(head);
                let here = self.b.use_var(place);
                let there = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, here, AT_ONCE as i64);
                self.split(there, body, exits.missing);
                self.begin(body);
                let number = self.drawn_number(place);
                self.ready_candidate(call, lots, &ready, number, Exits { missing: next, ..exits });
                self.begin(next);
                let here = self.b.use_var(place);
                let next = self.b.ins().iadd_imm_s(here, 1);
                self.b.def_var(place, next);
                self.go_to(head);
            }
        }
    }

    /// The number of the candidate that is judged next, where several are drawn at a time.
    pub fn drawn_number(&mut self, place: Variable) -> Word {
        let records = self.context_field(offset::RECORDS);
        let place = self.b.use_var(place);
        let bytes = self.b.ins().ishl_imm_u(place, 3);
        let address = self.b.ins().iadd(records, bytes);
        Word::Value(self.load(Region::Records, address, 8 * (SET + self.plan.words + MAX_PARTS)))
    }

    /// How many candidates there are, and the sets from which they are drawn.
    pub fn ready(&mut self, lots: &Lots) -> (Word, Ready) {
        match lots {
            Lots::Let(slot, int, inner) => {
                let value = self.int(int);
                self.bind(*slot, value);
                self.ready(inner)
            }
            Lots::LetSites(slot, set, inner) => {
                let set = self.bits(set);
                self.bind_sites(*slot, set);
                self.ready(inner)
            }
            Lots::Test(test, inner) => {
                let held = self.test(test);
                let (weight, ready) = self.ready(inner);
                (self.select(held, weight, Word::Known(0)), ready)
            }
            Lots::Fan { branches, .. } => {
                let (mut sum, mut sets) = (Word::Known(0), Vec::new());
                for branch in branches {
                    let set = self.set(&branch.set);
                    let count = self.count(&set).word;
                    sum = self.added(sum, count);
                    sets.push((set, count));
                }
                (sum, Ready::Sets(sets))
            }
            Lots::Loop { shares, .. } if !shares.is_empty() => {
                let (mut sum, mut sets) = (Word::Known(0), Vec::new());
                for (share, within) in shares {
                    let set = self.set(share);
                    let count = self.count(&set).word;
                    let weight = self.times(count, *within);
                    sum = self.added(sum, weight);
                    sets.push((set, count));
                }
                (sum, Ready::Sets(sets))
            }
            Lots::Loop { domain: Domain::Sites(set), within, .. } => {
                let set = self.set(set);
                let count = self.count(&set).word;
                (self.times(count, *within), Ready::Sets(vec![(set, count)]))
            }
            Lots::Sift { domain, ways, .. } => {
                let set = self.set(domain);
                let count = self.count(&set).word;
                (self.times(count, ways.len() as u64), Ready::Sets(vec![(set, count)]))
            }
            Lots::Either(all) => {
                let (mut sum, mut each) = (Word::Known(0), Vec::new());
                for one in all {
                    let scope = self.scope.clone();
                    let (weight, ready) = self.ready(one);
                    let own = std::mem::replace(&mut self.scope, scope);
                    sum = self.added(sum, weight);
                    each.push((weight, own, ready));
                }
                (sum, Ready::Each(each))
            }
            Lots::One | Lots::If(..) | Lots::Loop { .. } | Lots::Stage(..) | Lots::Repeat(..) => {
                let (scope, plan) = (self.scope.clone(), self.plan);
                let weight = self.weight(lots, &plan.urn.bounds);
                self.scope = scope;
                (weight, Ready::Later)
            }
        }
    }

    /// Ends the function on every way.
    pub fn ready_candidate(&mut self, call: &Call, lots: &Lots, ready: &Ready, number: Word, exits: Exits) {
        match (lots, ready) {
            (Lots::Let(_, _, inner) | Lots::LetSites(_, _, inner) | Lots::Test(_, inner), _) => {
                self.ready_candidate(call, inner, ready, number, exits);
            }
            (Lots::Fan { slot, branches }, Ready::Sets(sets)) => {
                let mut left = number;
                for (branch, (set, count)) in branches.iter().zip(sets) {
                    left = self.branch_of(call, *slot, branch, (set, *count), left, exits);
                }
                self.go_to(exits.missing);
            }
            (Lots::Loop { slot, tests, shares, inner, .. }, Ready::Sets(sets)) if !shares.is_empty() => {
                let (member, rest) = self.member_of_shares(shares, sets, number, exits);
                self.bind(*slot, member);
                self.judged(call, tests, inner, rest, exits);
            }
            (Lots::Loop { slot, tests, within, inner, .. }, Ready::Sets(sets)) => {
                let Some((set, count)) = sets.first() else { return self.go_to(exits.missing) };
                let (at, rest) = self.divided(number, *within);
                let member = self.nth_of(set, *count, at, self.plan.bits as i64 - 1, exits);
                self.bind(*slot, member);
                self.judged(call, tests, inner, rest, exits);
            }
            (Lots::Sift { slot, ways, .. }, Ready::Sets(sets)) => {
                let Some((set, count)) = sets.first() else { return self.go_to(exits.missing) };
                self.sifted(call, *slot, ways, (set, *count), number, exits);
            }
            (Lots::Either(all), Ready::Each(each)) => {
                let mut left = number;
                for (one, (weight, own, ready)) in all.iter().zip(each) {
                    let (scope, facts) = (self.scope.clone(), self.facts.clone());
                    let within = self.below(left, *weight);
                    let (here, on) = (self.b.create_block(), self.b.create_block());
                    let within = self.flag(within);
                    self.split(within, here, on);
                    self.begin(here);
                    self.rebind(own);
                    self.ready_candidate(call, one, ready, left, exits);
                    self.begin(on);
                    (self.scope, self.facts) = (scope, facts);
                    let (passed, all) = (self.value(left), self.value(*weight));
                    left = Word::Value(self.b.ins().isub(passed, all));
                }
                self.go_to(exits.missing);
            }
            (
                Lots::One
                | Lots::Fan { .. }
                | Lots::Sift { .. }
                | Lots::If(..)
                | Lots::Either(_)
                | Lots::Loop { .. }
                | Lots::Stage(..)
                | Lots::Repeat(..),
                _,
            ) => self.candidate(call, lots, number, exits),
        }
    }

    /// The member that a candidate with a number belongs to, and its number among those of the member.
    fn member_of_shares(
        &mut self,
        shares: &[(Sets, u64)],
        sets: &[(Words, Word)],
        number: Word,
        exits: Exits,
    ) -> (Num, Word) {
        let chosen: Vec<Variable> = (0..self.plan.words).map(|_| self.variable(types::I64)).collect();
        let (place, rest, common) = (self.variable(types::I64), self.variable(types::I64), self.b.create_block());
        let mut left = number;
        for ((_, within), (set, count)) in shares.iter().zip(sets) {
            let weight = self.times(*count, *within);
            let (here, on) = (self.b.create_block(), self.b.create_block());
            let is_here = self.below(left, weight);
            let is_here = self.flag(is_here);
            self.split(is_here, here, on);
            self.begin(here);
            let (at, own) = self.divided(left, *within);
            self.set_variable(place, at);
            self.set_variable(rest, own);
            chosen.iter().zip(set).for_each(|(variable, word)| self.set_variable(*variable, *word));
            self.go_to(common);
            self.begin(on);
            let (passed, all) = (self.value(left), self.value(weight));
            left = Word::Value(self.b.ins().isub(passed, all));
        }
        self.go_to(exits.missing);
        self.begin(common);
        let set: Words = chosen.iter().map(|variable| self.read(*variable)).collect();
        let (at, rest) = (self.b.use_var(place), self.read(rest));
        let member = self.nth(&set, at);
        (Num::within(member, 0, self.plan.bits as i64 - 1), rest)
    }

    fn judged(&mut self, call: &Call, tests: &[Test], inner: &Lots, number: Word, exits: Exits) {
        for test in tests {
            let held = self.test(test);
            self.only_when(held, exits.fails);
        }
        self.candidate(call, inner, number, exits);
    }

    pub fn weight(&mut self, lots: &Lots, bounds: &Bounds) -> Word {
        match lots {
            Lots::One => Word::Known(1),
            Lots::Fan { branches, .. } => {
                let mut sum = Word::Known(0);
                for branch in branches {
                    let set = self.set(&branch.set);
                    let count = self.count(&set);
                    sum = self.added(sum, count.word);
                }
                sum
            }
            Lots::Sift { domain, ways, .. } => {
                let set = self.set(domain);
                let count = self.count(&set).word;
                self.times(count, ways.len() as u64)
            }
            Lots::Test(test, inner) => {
                let test = self.test(test);
                self.weight_if(test, |e| e.weight(inner, bounds), |_| Word::Known(0))
            }
            Lots::If(test, yes, no) => {
                let test = self.test(test);
                self.weight_if(test, |e| e.weight(yes, bounds), |e| e.weight(no, bounds))
            }
            Lots::Let(slot, int, inner) => {
                let number = self.int(int);
                self.bind(*slot, number);
                self.weight(inner, bounds)
            }
            Lots::LetSites(slot, set, inner) => {
                let set = self.bits(set);
                self.bind_sites(*slot, set);
                self.weight(inner, bounds)
            }
            Lots::Either(all) => {
                let mut sum = Word::Known(0);
                for one in all {
                    let scope = self.scope.clone();
                    let weight = self.weight(one, bounds);
                    self.scope = scope;
                    sum = self.added(sum, weight);
                }
                sum
            }
            Lots::Loop { shares, .. } if !shares.is_empty() => self.ready(lots).0,
            Lots::Loop { domain, within, .. } => {
                let members = self.number_of_members(domain);
                self.times(members, *within)
            }
            Lots::Stage(_, inner) | Lots::Repeat(_, inner) => Word::Known(inner.most(bounds).unwrap_or(0)),
        }
    }

    pub fn weight_if(
        &mut self,
        flag: Flag,
        yes: impl FnOnce(&mut Self) -> Word,
        no: impl FnOnce(&mut Self) -> Word,
    ) -> Word {
        let weight = self.variable(types::I64);
        self.branch(
            flag,
            |e| {
                let there = yes(e);
                e.set_variable(weight, there);
            },
            |e| {
                let there = no(e);
                e.set_variable(weight, there);
            },
        );
        self.read(weight)
    }

    pub fn added(&mut self, a: Word, b: Word) -> Word {
        match (a, b) {
            (Word::Known(a), Word::Known(b)) => Word::Known(a + b),
            (a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                Word::Value(self.b.ins().iadd(a, b))
            }
        }
    }

    fn times(&mut self, count: Word, within: u64) -> Word {
        match count {
            Word::Known(count) => Word::Known(count.saturating_mul(within)),
            Word::Value(count) => Word::Value(self.b.ins().imul_imm_s(count, within as i64)),
        }
    }

    fn number_of_members(&mut self, domain: &Domain) -> Word {
        match domain {
            Domain::Sites(set) => {
                let set = self.set(set);
                self.count(&set).word
            }
            Domain::Mask(mask) => {
                let mask = self.int(mask);
                let mask = self.and(mask.word, Word::Known(u64::from(u32::MAX)));
                self.count(&[mask]).word
            }
            Domain::Range(low, high) => {
                let (low, high) = (self.int(low), self.int(high));
                self.length(low, high)
            }
        }
    }

    /// How many numbers from one to another a loop goes through.
    fn length(&mut self, low: Num, high: Num) -> Word {
        let known = self.both_known(low, high);
        let (low, high) = (self.value(low.word), self.value(high.word));
        let more = self.b.ins().isub(high, low);
        let more = self.b.ins().iadd_imm_s(more, 1);
        let (none, most) = (self.constant(0), self.constant(MAX_RANGE as i64));
        let count = self.b.ins().smax(more, none);
        let count = self.b.ins().smin(count, most);
        self.select(known, Word::Value(count), Word::Known(0))
    }

    /// Goes on only if the flag is up.
    fn only_when(&mut self, flag: Flag, fail: Block) {
        if flag == Flag::Known(true) {
            return;
        }
        let on = self.b.create_block();
        let flag = self.flag(flag);
        self.split(flag, on, fail);
        self.begin(on);
    }

    pub fn below(&mut self, number: Word, count: Word) -> Flag {
        let (number, count) = (self.value(number), self.value(count));
        Flag::Value(self.b.ins().icmp(IntCC::UnsignedLessThan, number, count))
    }

    /// Ends the function on every way.
    pub fn candidate(&mut self, call: &Call, lots: &Lots, number: Word, exits: Exits) {
        match lots {
            Lots::One => {
                let first = self.compare_words(CompareOp::Equal, number, Word::Known(0));
                self.only_when(first, exits.missing);
                self.write_parts(call, exits);
            }
            Lots::Fan { slot, branches } => self.branches(call, *slot, branches, number, exits),
            Lots::Sift { slot, domain, ways, .. } => {
                let set = self.set(domain);
                let count = self.count(&set).word;
                self.sifted(call, *slot, ways, (&set, count), number, exits);
            }
            Lots::Test(test, inner) => {
                let held = self.test(test);
                self.only_when(held, exits.fails);
                self.candidate(call, inner, number, exits);
            }
            Lots::If(test, yes, no) => {
                let (scope, facts) = (self.scope.clone(), self.facts.clone());
                let held = self.test(test);
                let held = self.flag(held);
                let (then, other) = (self.b.create_block(), self.b.create_block());
                self.split(held, then, other);
                for (block, side) in [(then, yes), (other, no)] {
                    self.begin(block);
                    (self.scope, self.facts) = (scope.clone(), facts.clone());
                    self.candidate(call, side, number, exits);
                }
            }
            Lots::Let(slot, int, inner) => {
                let value = self.int(int);
                self.bind(*slot, value);
                self.candidate(call, inner, number, exits);
            }
            Lots::LetSites(slot, set, inner) => {
                let set = self.bits(set);
                self.bind_sites(*slot, set);
                self.candidate(call, inner, number, exits);
            }
            Lots::Loop { shares, .. } if !shares.is_empty() => {
                let (_, ready) = self.ready(lots);
                self.ready_candidate(call, lots, &ready, number, exits);
            }
            Lots::Loop { slot, domain, tests, within, inner, shares: _, most: _ } => {
                let (at, rest) = self.divided(number, *within);
                let member = self.member(domain, at, exits);
                self.bind(*slot, member);
                self.judged(call, tests, inner, rest, exits);
            }
            Lots::Either(_) => {
                let (_, ready) = self.ready(lots);
                self.ready_candidate(call, lots, &ready, number, exits);
            }
            Lots::Stage(effects, inner) => self.judged_on_trial(exits, |e, exits| {
                let stage = e.staged(effects);
                e.only_when(stage.fits, exits.fails);
                e.commit(&stage);
                e.candidate(call, inner, number, exits);
            }),
            Lots::Repeat(repeat, inner) => self.judged_on_trial(exits, |e, exits| {
                e.rounds(repeat, Some(exits.fails));
                e.candidate(call, inner, number, exits);
            }),
        }
    }

    /// Judges a candidate by changes to a copy of the state, which is forgotten then. What follows a stage goes on with the
    /// same copy.
    fn judged_on_trial(&mut self, exits: Exits, run: impl FnOnce(&mut Self, Exits)) {
        if self.tries {
            return run(self, exits);
        }
        let outside = self.enter_trial();
        let inner = Exits { fails: self.b.create_block(), missing: self.b.create_block(), ..exits };
        run(self, inner);
        for (block, on) in [(inner.fails, exits.fails), (inner.missing, exits.missing)] {
            self.begin(block);
            self.call(self.plan.addresses.tried, &[self.context]);
            self.go_to(on);
        }
        self.leave_trial(outside);
    }

    fn divided(&mut self, number: Word, by: u64) -> (Word, Word) {
        match number {
            _ if by <= 1 => (number, Word::Known(0)),
            Word::Known(number) => (Word::Known(number / by), Word::Known(number % by)),
            Word::Value(number) => {
                let by = self.constant(by as i64);
                (Word::Value(self.b.ins().udiv(number, by)), Word::Value(self.b.ins().urem(number, by)))
            }
        }
    }

    /// The member of a domain with a number, if there is one.
    fn member(&mut self, domain: &Domain, at: Word, exits: Exits) -> Num {
        let (set, most) = match domain {
            Domain::Sites(set) => (self.set(set), self.plan.bits as i64 - 1),
            Domain::Mask(mask) => {
                let mask = self.int(mask);
                (vec![self.and(mask.word, Word::Known(u64::from(u32::MAX)))], 31)
            }
            Domain::Range(low, high) => {
                let (low, high) = (self.int(low), self.int(high));
                let count = self.length(low, high);
                let within = self.below(at, count);
                self.only_when(within, exits.missing);
                let (first, at) = (self.value(low.word), self.value(at));
                let member = self.b.ins().iadd(first, at);
                return Num::within(member, low.low, high.high);
            }
        };
        let count = self.count(&set).word;
        self.nth_of(&set, count, at, most, exits)
    }

    /// The member of a set of so many with a number, if there is one.
    fn nth_of(&mut self, set: &[Word], count: Word, at: Word, most: i64, exits: Exits) -> Num {
        let within = self.below(at, count);
        self.only_when(within, exits.missing);
        let at = self.value(at);
        let member = self.nth(set, at);
        Num::within(member, 0, most)
    }

    fn branches(&mut self, call: &Call, slot: u16, branches: &[Branch], number: Word, exits: Exits) {
        let mut left = number;
        for branch in branches {
            let set = self.set(&branch.set);
            let count = self.count(&set).word;
            left = self.branch_of(call, slot, branch, (&set, count), left, exits);
        }
        self.go_to(exits.missing);
    }

    /// The candidate with a number of so many members, in one of some ways.
    fn sifted(
        &mut self,
        call: &Call,
        slot: u16,
        ways: &[Way],
        (set, count): (&[Word], Word),
        number: Word,
        exits: Exits,
    ) {
        let (member, way) = self.member_and_way(ways.len(), (set, count), number, exits);
        self.judged_in_way(call, slot, ways, (member, way), exits);
    }

    /// The member and the way of a candidate with a number.
    pub(super) fn member_and_way(
        &mut self,
        ways: usize,
        (set, count): (&[Word], Word),
        number: Word,
        exits: Exits,
    ) -> (Num, Word) {
        let (at, way) = self.divided(number, ways as u64);
        (self.nth_of(set, count, at, self.plan.bits as i64 - 1, exits), way)
    }

    /// A member judged in one of some ways. Ends the function on every way, or goes on where exits lead.
    pub(super) fn judged_in_way(
        &mut self,
        call: &Call,
        slot: u16,
        ways: &[Way],
        (member, way): (Num, Word),
        exits: Exits,
    ) {
        self.bind(slot, member);
        if let Some(alike) = Alike::of(self.plan, slot, ways) {
            let (member, way) = (self.value(member.word), self.value(way));
            let row = self.row_alike(&alike, member, way);
            let held = self.holds_alike(&alike, member, row);
            self.only_when(held, exits.fails);
            self.derive_alike(&alike, member, row);
            return self.write_parts(call, exits);
        }
        let (scope, facts) = (self.scope.clone(), self.facts.clone());
        let blocks: Vec<Block> = ways.iter().map(|_| self.b.create_block()).collect();
        let mut switch = Switch::new();
        blocks.iter().enumerate().for_each(|(at, block)| switch.set_entry(at as u128, *block));
        let way = self.value(way);
        switch.emit(&mut self.b, way, exits.missing);
        for (way, block) in ways.iter().zip(blocks) {
            self.begin(block);
            (self.scope, self.facts) = (scope.clone(), facts.clone());
            for test in &way.tests {
                let held = self.test(test);
                self.only_when(held, exits.fails);
            }
            for (part, int) in &way.derived {
                let value = self.int(int);
                self.bind(*part, value);
            }
            self.write_parts(call, exits);
        }
    }

    /// The candidate with a number of a branch with so many; the number that is left where there are not so many.
    fn branch_of(
        &mut self,
        call: &Call,
        slot: u16,
        branch: &Branch,
        (set, count): (&[Word], Word),
        left: Word,
        exits: Exits,
    ) -> Word {
        let (scope, facts) = (self.scope.clone(), self.facts.clone());
        let within = self.below(left, count);
        let (here, on) = (self.b.create_block(), self.b.create_block());
        let within = self.flag(within);
        self.split(within, here, on);
        self.begin(here);
        let at = self.value(left);
        let member = self.nth(set, at);
        self.bind(slot, Num::within(member, 0, self.plan.bits as i64 - 1));
        for (part, int) in &branch.derived {
            let value = self.int(int);
            self.bind(*part, value);
        }
        self.write_parts(call, exits);
        self.begin(on);
        (self.scope, self.facts) = (scope, facts);
        let (passed, all) = (self.value(left), self.value(count));
        Word::Value(self.b.ins().isub(passed, all))
    }

    /// The candidate is a ply.
    fn write_parts(&mut self, call: &Call, exits: Exits) {
        let records = self.context_field(offset::RECORDS);
        for (at, slot) in call.parts.iter().enumerate() {
            let part = self.scope.ints.get(slot).copied().unwrap_or(Num::known(NONE));
            let part = self.value(part.word);
            self.store(part, Region::Records, records, 8 * (SET + self.plan.words + at));
        }
        if self.tries {
            self.call(self.plan.addresses.tried, &[self.context]);
        }
        match exits.found {
            Some((kind, found)) => {
                let kind = self.constant(kind as i64);
                self.store(kind, Region::Records, records, 8 * KIND);
                self.go_to(found);
            }
            None => self.end_with(PLY, exits),
        }
    }

    /// Does something again and again; where it cannot be done, what there is to do is left, or the function.
    pub fn rounds(&mut self, repeat: &Repeat, fail: Option<Block>) {
        let times = self.int(&repeat.times);
        let known = self.is_known(times);
        let times = self.select(known, times.word, Word::Known(0));
        let (times, most) = (self.value(times), self.constant(MAX_ROUNDS.into()));
        let times = self.b.ins().smin(times, most);
        let left = self.variable(types::I64);
        self.b.def_var(left, times);
        // What was known before a round need not hold in the next.
        self.facts = Facts::default();
        let scope = self.scope.clone();
        let (head, round, after) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.go_to(head);
        self.begin(head);
        let open = self.read(left);
        let open = self.compare_words(CompareOp::Greater, open, Word::Known(0));
        self.only_when(open, after);
        let held = self.test(&repeat.condition);
        self.only_when(held, after);
        self.go_to(round);
        self.begin(round);
        for step in &repeat.steps {
            match step {
                Step::Let(..) | Step::LetSites(..) => self.define(step),
                Step::Change(effects) => {
                    let stage = self.staged(effects);
                    self.only_when(stage.fits, fail.unwrap_or(after));
                    self.commit(&stage);
                }
                Step::Repeat(inner) => self.rounds(inner, Some(fail.unwrap_or(after))),
            }
        }
        let count = self.b.use_var(left);
        let less = self.b.ins().iadd_imm_s(count, -1);
        self.b.def_var(left, less);
        self.go_to(head);
        self.begin(after);
        (self.scope, self.facts) = (scope, Facts::default());
    }
}
