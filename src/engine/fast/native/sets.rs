//! Instructions that make sets, as machine code.

use super::emit::{Bases, Emit};
use super::memory::{List, Region};
use super::value::{Bits, Flag, Num, Word, Words};
use crate::engine::fast::eval::union_of;
use crate::engine::fast::toil::weight;
use crate::program::ir::{Int, Kept, NONE, Part, Sets, Test, When};
use crate::rules::CompareOp;
use cranelift_codegen::ir::{InstBuilder, StackSlotData, StackSlotKind, Value, types};

/// On boards of so many words a member that passes a test is added without a jump.
const NARROW: usize = 2;

/// So many members of a set that is known are gone through without a loop.
const FEW: usize = 12;

/// What takes no more instructions is quickly tested.
const QUICK: u64 = 11;

/// Steps in a row that are written out one by one.
pub const UNROLLED: i64 = 12;

impl Emit<'_, '_> {
    pub fn set(&mut self, e: &Sets) -> Words {
        self.bits(e).words
    }

    pub fn bits(&mut self, e: &Sets) -> Bits {
        match e {
            Sets::Const(set) => {
                let words: Vec<u64> = set.words().iter().take(self.plan.words).copied().collect();
                self.words(&words).into()
            }
            Sets::Planes(mask, when) => self.planes(*mask, *when).into(),
            Sets::Memory(index, when) => self.remembered(usize::from(*index), *when),
            Sets::Slot(slot) => match self.scope.sets.get(slot) {
                Some(bits) => bits.clone(),
                None => self.load_set(List::Slots, usize::from(*slot)).into(),
            },
            Sets::One(site) => {
                let site = self.int(site);
                let words = self.single(site);
                Bits { words, single: Some(site) }
            }
            Sets::And(all) => match all.split_first() {
                None => self.all().into(),
                Some((first, rest)) => {
                    let first = self.set(first);
                    self.all_in(rest, first).into()
                }
            },
            Sets::Or(all) => {
                let mut set = self.none();
                for one in all {
                    let one = self.set(one);
                    set = self.either(&set, &one);
                }
                set.into()
            }
            Sets::Not(inner) => {
                let (all, inner) = (self.all(), self.set(inner));
                self.minus(&all, &inner).into()
            }
            Sets::Minus(a, b) => {
                let (a, b) = (self.set(a), self.set(b));
                self.minus(&a, &b).into()
            }
            Sets::Near(site) => {
                let site = self.int(site);
                self.row(&self.plan.near, site).into()
            }
            Sets::Table { rows, index } => {
                let index = self.int(index);
                self.table_row(rows, index).into()
            }
            Sets::Dilate(inner) => {
                let inner = self.set(inner);
                self.dilate(&inner).into()
            }
            Sets::Within { of, steps } => {
                let (of, steps) = (self.set(of), self.int(steps));
                self.within(&of, steps).into()
            }
            Sets::Nearer { to, than, equal } => {
                let (to, than) = (self.set(to), self.set(than));
                self.nearer(&to, &than, *equal).into()
            }
            Sets::Pull(direction, inner) => {
                let inner = self.set(inner);
                self.pull(&inner, usize::from(*direction)).into()
            }
            Sets::PullAny(directions, inner) => {
                let inner = self.set(inner);
                self.in_each(*directions, |e, direction| e.pull(&inner, direction)).into()
            }
            Sets::PullBeyond { directions, goal, through } => {
                let (goal, through) = (self.bits(goal), self.set(through));
                if let Some(single) = goal.single.filter(|_| self.plan.walks_back) {
                    return self
                        .in_each(*directions, |e, direction| e.pull_by_steps(direction, single, &through))
                        .into();
                }
                let goal = self.minus(&goal.words, &through);
                self.in_each(*directions, |e, direction| e.pull_on(direction, &goal, &through)).into()
            }
            Sets::PullRun { directions, goal, through } => {
                let (goal, through) = (self.set(goal), self.set(through));
                let goal = self.both(&goal, &through);
                self.in_each(*directions, |e, direction| e.pull_on(direction, &goal, &through)).into()
            }
            Sets::Ahead { from, directions, steps } => match (&**directions, &**steps) {
                (Int::Const(_), Int::Const(NONE)) => self.none().into(),
                (Int::Const(directions), Int::Const(steps)) if steps.unsigned_abs() <= UNROLLED as u64 => {
                    let from = self.bits(from);
                    if let (Some(site), 1) = (from.single, directions.count_ones()) {
                        let direction = Num::known(i64::from(directions.trailing_zeros()));
                        let site = self.ahead(site, direction, Num::known(*steps));
                        return Bits { words: self.single(site), single: Some(site) };
                    }
                    let from = from.words;
                    let mut found = self.none();
                    for direction in ways(*directions) {
                        let direction = if *steps < 0 { opposite(direction) } else { direction };
                        let mut at = from.clone();
                        for _ in 0..steps.unsigned_abs() {
                            at = self.push(&at, direction);
                        }
                        found = self.either(&found, &at);
                    }
                    found.into()
                }
                _ => self.walked(from, directions, steps, false),
            },
            Sets::Trail { from, directions, steps } => match (&**directions, &**steps) {
                (Int::Const(directions), Int::Const(steps)) if *steps <= UNROLLED => {
                    let from = self.set(from);
                    let mut found = self.none();
                    for direction in ways(*directions) {
                        let mut at = from.clone();
                        for _ in 0..(*steps).max(0) {
                            at = self.push(&at, direction);
                            found = self.either(&found, &at);
                        }
                    }
                    found.into()
                }
                _ => self.walked(from, directions, steps, true),
            },
            Sets::Run { from, directions, through } => self.runs(e, from, directions, through, false),
            Sets::Beyond { from, directions, through } => self.runs(e, from, directions, through, true),
            Sets::Connected { from, within } => {
                let (from, within) = (self.bits(from), self.set(within));
                match from.single {
                    Some(single) => self.flood_from(single, &from.words, &within).into(),
                    None => self.flood(&from.words, &within).into(),
                }
            }
            Sets::Grown { kept, from, within } => {
                let (from, within) = (self.set(from), self.set(within));
                self.grow(usize::from(*kept), &from, &within).into()
            }
            Sets::Bracketed { from, directions, through, goal } => {
                if !ways(*directions).all(|direction| self.is_straight(direction)) {
                    return self.set_by_host(e);
                }
                let from = self.int(from);
                let (through, goal) = (self.set(through), self.set(goal));
                let mut found = self.none();
                for direction in ways(*directions) {
                    if self.plan.longest[direction] == 0 {
                        continue;
                    }
                    let (passed, end) = self.run_from(direction, from, &through);
                    let end = self.single(end);
                    let met = self.both(&end, &goal);
                    let met = self.any(&met);
                    let none = self.none();
                    let passed = self.select_words(met, &passed, &none);
                    found = self.either(&found, &passed);
                }
                found.into()
            }
            Sets::Alike(site, when) => {
                let plane = self.content(site, *when);
                if let Some(plane) = plane.constant().and_then(|plane| usize::try_from(plane).ok()) {
                    return self.load_set(List::Planes(*when), plane).into();
                }
                let known = self.is_known(plane);
                let value = self.value(plane.word);
                let zero = self.constant(0);
                let flag = self.flag(known);
                let value = self.b.ins().select(flag, value, zero);
                let bytes = self.b.ins().imul_imm_s(value, 8 * self.plan.words as i64);
                let planes = self.base(*when).planes;
                let base = self.b.ins().iadd(planes, bytes);
                let set = self.set_at(Region::Planes, base, 0);
                let none = self.none();
                self.select_words(known, &set, &none).into()
            }
            Sets::OfKinds(kinds, when) => match &**kinds {
                Int::Const(kinds) => {
                    let mask = union_of(&self.plan.planes_of_kind, *kinds);
                    self.planes(mask, *when).into()
                }
                _ => self.of_some(&self.plan.planes_of_kind, kinds, *when),
            },
            Sets::OfPlayers(players, when) => match &**players {
                Int::Const(players) => {
                    let mask = union_of(&self.plan.planes_of_owner, *players);
                    self.planes(mask, *when).into()
                }
                _ => self.of_some(&self.plan.planes_of_owner, players, *when),
            },
            Sets::If(test, a, b) => {
                let test = self.test(test);
                self.choose_set(test, a, b)
            }
            Sets::With { kept, of } => {
                self.bind_kept(kept);
                self.bits(of)
            }
            Sets::Heads(inner) => {
                let set = self.set(inner);
                self.heads(&set).into()
            }
            Sets::First(inner) => {
                let set = self.set(inner);
                let first = self.first(&set);
                self.single(Num::within(first, 0, self.plan.bits as i64)).into()
            }
            Sets::Filter { slot, domain, test } => {
                let domain = self.set(domain);
                self.filter(*slot, &domain, test).into()
            }
            Sets::Collect { slot, domain, test, body } => {
                let found = self.variables();
                self.each(*slot, domain, None, |e| {
                    let test = e.test(test);
                    e.when(test, |e| {
                        let body = e.set(body);
                        e.gather(&found, &body);
                    });
                });
                self.gathered(&found).into()
            }
            Sets::Tally(tally) => self.tally(e, tally).into(),
            Sets::Ranked { greater, equal, levels } => {
                let all = self.all();
                self.ranked(e, *greater, *equal, levels, all).into()
            }
            Sets::Between(from, to) if self.all_straight() => self.between(from, to).into(),
            Sets::Between(..) | Sets::Primitive(..) => self.set_by_host(e),
        }
    }

    /// One set or the other, worked out only when it is wanted.
    fn choose_set(&mut self, test: Flag, a: &Sets, b: &Sets) -> Bits {
        if let Flag::Known(held) = test {
            return self.bits(if held { a } else { b });
        }
        let chosen = self.variable(types::I64);
        let one = |e: &mut Self, set: &Sets, single: &mut Option<Num>| {
            let bits = e.bits(set);
            *single = bits.single;
            if let Some(site) = bits.single {
                e.set_variable(chosen, site.word);
            }
            bits.words
        };
        let (mut yes, mut no) = (None, None);
        let words = self.choose(test, |e| one(e, a, &mut yes), |e| one(e, b, &mut no));
        let single = if yes.is_some() && no.is_some() { Some(self.one_of(chosen, yes, no)) } else { None };
        Bits { words, single }
    }

    /// What is found in some directions, together.
    fn in_each(&mut self, directions: i64, find: impl Fn(&mut Self, usize) -> Words) -> Words {
        let mut found = self.none();
        for direction in ways(directions) {
            let more = find(self, direction);
            found = self.either(&found, &more);
        }
        found
    }

    /// The members of a set that lie in another one.
    fn set_in(&mut self, e: &Sets, within: Words) -> Words {
        match e {
            Sets::And(all) => self.all_in(all, within),
            Sets::Or(all) if all.iter().any(|one| is_heavy(&Part::Sets(one))) => {
                let mut found = self.none();
                for one in all {
                    let open = self.minus(&within, &found);
                    let one = self.set_in(one, open);
                    found = self.either(&found, &one);
                }
                found
            }
            Sets::Not(inner) if is_heavy(&Part::Sets(inner)) => {
                let inner = self.set_in(inner, within.clone());
                self.minus(&within, &inner)
            }
            Sets::If(test, a, b) => {
                let test = self.test(test);
                let (x, y) = (within.clone(), within);
                self.choose(test, |e| e.set_in(a, x), |e| e.set_in(b, y))
            }
            Sets::Filter { slot, domain, test } => {
                let domain = self.set_in(domain, within);
                self.filter(*slot, &domain, test)
            }
            Sets::Ranked { greater, equal, levels } => self.ranked(e, *greater, *equal, levels, within),
            _ => {
                let set = self.set(e);
                self.both(&within, &set)
            }
        }
    }

    /// What all of some sets have in common with another one; what takes long only where something is left.
    fn all_in(&mut self, all: &[Sets], within: Words) -> Words {
        let mut set = within;
        for one in all {
            if is_heavy(&Part::Sets(one)) {
                let some = self.any(&set);
                let inner = set.clone();
                set = self.choose(some, |e| e.set_in(one, inner), Self::nothing);
            } else {
                set = self.set_in(one, set);
            }
        }
        set
    }

    fn nothing(&mut self) -> Words {
        self.none()
    }

    pub fn base(&self, when: When) -> Bases {
        match when {
            When::Now => self.now,
            When::Before => self.before,
        }
    }

    /// The union of planes; where most are asked for, all sites without the others.
    pub fn planes(&mut self, mask: u64, when: When) -> Words {
        let mask = mask & self.plan.every_plane;
        let others = self.plan.every_plane & !mask;
        let wanted = if others.count_ones() < mask.count_ones() { others } else { mask };
        let mut set = self.none();
        for plane in (0..64).filter(|plane| wanted >> plane & 1 == 1) {
            let plane = self.load_set(List::Planes(when), plane);
            set = self.either(&set, &plane);
        }
        if wanted == mask {
            return set;
        }
        let all = self.all();
        self.minus(&all, &set)
    }

    /// The pieces of those players, or kinds, whose bits are set in a mask that only play tells.
    fn of_some(&mut self, planes: &[u64], mask: &Int, when: When) -> Bits {
        let mask = self.int(mask);
        let (mut found, none) = (self.none(), self.none());
        for (at, planes) in planes.iter().enumerate().take(64) {
            let asked = self.and(mask.word, Word::Known(1 << at));
            let is_asked = self.compare_words(CompareOp::NotEqual, asked, Word::Known(0));
            let pieces = self.planes(*planes, when);
            let pieces = self.select_words(is_asked, &pieces, &none);
            found = self.either(&found, &pieces);
        }
        found.into()
    }

    /// Of each group of a set the member with the lowest number.
    fn heads(&mut self, set: &[Word]) -> Words {
        let (left, found) = (self.kept(set), self.variables());
        self.repeat(
            |e| {
                let left = e.gathered(&left);
                e.any(&left)
            },
            |e| {
                let here = e.gathered(&left);
                let first = e.first(&here);
                let first = Num::within(first, 0, e.plan.bits as i64 - 1);
                let head = e.single(first);
                e.gather(&found, &head);
                let group = e.flood_from(first, &head, &here);
                let rest = e.minus(&here, &group);
                e.keep(&left, &rest);
            },
        );
        self.gathered(&found)
    }

    /// What is kept in a slot, for what is written next.
    pub fn bind_kept(&mut self, kept: &Kept) {
        match kept {
            Kept::Int(slot, value) => {
                let value = self.int(value);
                self.bind(*slot, value);
            }
            Kept::Sets(slot, value) => {
                let value = self.bits(value);
                self.bind_sites(*slot, value);
            }
        }
    }

    /// The members of a set for which a test holds. What is quickly tested is not jumped over: half of the jumps would be
    /// wrong guesses.
    pub fn filter(&mut self, slot: u16, domain: &[Word], test: &Test) -> Words {
        let is_quick = self.plan.words <= NARROW && is_quick(test);
        if let Some(members) = self.few_known(domain).filter(|_| is_quick) {
            let mut found = self.none();
            for member in members {
                self.bind(slot, Num::known(member));
                let test = self.test(test);
                let bit = self.single(Num::known(member));
                let bit = self.masked(&bit, test);
                found = self.either(&found, &bit);
            }
            return found;
        }
        let found = self.variables();
        self.each_member(domain, None, |e, member| {
            e.bind(slot, member);
            let test = e.test(test);
            if is_quick {
                let bit = e.single(member);
                let bit = e.masked(&bit, test);
                return e.gather(&found, &bit);
            }
            e.when(test, |e| {
                let bit = e.single(member);
                e.gather(&found, &bit);
            });
        });
        self.gathered(&found)
    }

    /// The members of a set that is known here, where they are few.
    fn few_known(&self, set: &[Word]) -> Option<Vec<i64>> {
        let mut members = Vec::new();
        for (at, word) in set.iter().enumerate() {
            let Word::Known(word) = word else { return None };
            members.extend((0..64).filter(|bit| word >> bit & 1 == 1).map(|bit| 64 * at as i64 + bit));
        }
        (members.len() <= FEW).then_some(members)
    }

    /// A set where a flag is up, else none.
    fn masked(&mut self, set: &[Word], flag: Flag) -> Words {
        let mask = self.select(flag, Word::Known(u64::MAX), Word::Known(0));
        set.iter().map(|word| self.and(*word, mask)).collect()
    }

    /// Where on the stack there is room for a set.
    pub fn room_for_a_set(&mut self) -> Value {
        let size = 8 * self.plan.words as u32;
        let slot = self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3));
        self.b.ins().stack_addr(types::I64, slot, 0)
    }

    /// What has no machine code of its own is evaluated by the host.
    pub fn set_by_host(&mut self, e: &Sets) -> Bits {
        let out = self.room_for_a_set();
        self.tell_scene();
        let node = self.constant(std::ptr::from_ref(e) as i64);
        let address = self.plan.addresses.sets;
        self.call(address, &[self.context, node, out]);
        self.set_at(Region::Out, out, 0).into()
    }
}

/// The directions of a constant mask.
pub fn ways(mask: i64) -> impl Iterator<Item = usize> + Clone {
    (0..16).filter(move |way| mask as u32 >> way & 1 == 1)
}

pub fn opposite(direction: usize) -> usize {
    (direction + 8) % 16
}

/// A test that is over sooner than a jump that was wrongly guessed.
fn is_quick(test: &Test) -> bool {
    weight(&Part::Test(test)) <= QUICK
}

/// So much work that it pays to ask first whether it is wanted.
pub fn is_heavy(part: &Part<'_>) -> bool {
    part.asks(&|part| match part {
        Part::Sets(set) => match set {
            Sets::Filter { .. }
            | Sets::Collect { .. }
            | Sets::Connected { .. }
            | Sets::Grown { .. }
            | Sets::Primitive(..)
            | Sets::Ranked { .. }
            | Sets::Between(..)
            | Sets::Heads(_)
            | Sets::Within { .. }
            | Sets::Nearer { .. }
            | Sets::With { .. }
            | Sets::If(..) => true,
            Sets::Tally(tally) => tally.left.len() + tally.right.len() > 8,
            Sets::Const(_)
            | Sets::Planes(..)
            | Sets::Memory(..)
            | Sets::Slot(_)
            | Sets::One(_)
            | Sets::And(_)
            | Sets::Or(_)
            | Sets::Not(_)
            | Sets::Minus(..)
            | Sets::Near(_)
            | Sets::Dilate(_)
            | Sets::Pull(..)
            | Sets::PullAny(..)
            | Sets::PullBeyond { .. }
            | Sets::PullRun { .. }
            | Sets::Ahead { .. }
            | Sets::Trail { .. }
            | Sets::Run { .. }
            | Sets::Beyond { .. }
            | Sets::Bracketed { .. }
            | Sets::First(_)
            | Sets::Alike(..)
            | Sets::Table { .. }
            | Sets::OfKinds(..)
            | Sets::OfPlayers(..) => false,
        },
        Part::Int(int) => {
            matches!(int, Int::Reduce { .. } | Int::Primitive(..) | Int::MaskWhere { .. } | Int::MaskCollect { .. })
        }
        Part::Test(test) => {
            matches!(test, Test::Exists { .. } | Test::Seen { .. } | Test::Possible { .. } | Test::CanApply(_))
        }
    })
}
