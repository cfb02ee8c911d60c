//! Instructions that make sets, as machine code.

use super::emit::{Bits, Emit, Flag, Num, Word, Words};
use super::plan::Step;
use crate::program::ir::{Domain, Int, NONE, Sets, Tally, Test, When};
use crate::rules::CompareOp;
use cranelift_codegen::ir::{InstBuilder, StackSlotData, StackSlotKind, types};

/// As many members are looked up one by one.
const FEW: u64 = 4;

/// Steps in a row that are written out one by one; more are left to the host.
const UNROLLED: i64 = 12;

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
            Sets::Memory(index, when) => {
                let base = self.base(*when).sets;
                self.load_set(base, usize::from(*index)).into()
            }
            Sets::Slot(slot) => match self.scope.sets.get(slot) {
                Some(bits) => bits.clone(),
                None => self.load_set(self.slots, usize::from(*slot)).into(),
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
            Sets::Dilate(inner) => {
                let inner = self.set(inner);
                self.dilate(&inner).into()
            }
            Sets::Pull(direction, inner) => {
                let inner = self.set(inner);
                self.pull(&inner, usize::from(*direction)).into()
            }
            Sets::PullBeyond { direction, goal, through } => {
                let (goal, through) = (self.set(goal), self.set(through));
                let goal = self.minus(&goal, &through);
                self.pull_on(usize::from(*direction), &goal, &through).into()
            }
            Sets::PullRun { direction, goal, through } => {
                let (goal, through) = (self.set(goal), self.set(through));
                let goal = self.both(&goal, &through);
                self.pull_on(usize::from(*direction), &goal, &through).into()
            }
            Sets::Ahead { from, directions, steps } => match (&**directions, &**steps) {
                (Int::Const(_), Int::Const(NONE)) => self.none().into(),
                (Int::Const(directions), Int::Const(steps)) if steps.unsigned_abs() <= UNROLLED as u64 => {
                    let from = self.set(from);
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
                _ => self.set_by_host(e),
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
                _ => self.set_by_host(e),
            },
            Sets::Run { from, directions, through } => self.runs(e, from, directions, through, false),
            Sets::Beyond { from, directions, through } => self.runs(e, from, directions, through, true),
            Sets::Connected { from, within } => {
                let (from, within) = (self.set(from), self.set(within));
                self.flood(&from, &within).into()
            }
            Sets::Grown { kept, from, within } => {
                let (from, within) = (self.set(from), self.set(within));
                self.grow(usize::from(*kept), &from, &within).into()
            }
            Sets::Enclosed { from, directions, through, goal } => {
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
                let known = self.is_known(plane);
                let value = self.value(plane.word);
                let zero = self.constant(0);
                let flag = self.flag(known);
                let value = self.b.ins().select(flag, value, zero);
                let bytes = self.b.ins().imul_imm_s(value, 8 * self.plan.words as i64);
                let planes = self.base(*when).planes;
                let base = self.b.ins().iadd(planes, bytes);
                let set = self.load_set(base, 0);
                let none = self.none();
                self.select_words(known, &set, &none).into()
            }
            Sets::OfKinds(kinds, when) => match &**kinds {
                Int::Const(kinds) => {
                    let mask = union_of(&self.plan.planes_of_kind, *kinds);
                    self.planes(mask, *when).into()
                }
                _ => self.set_by_host(e),
            },
            Sets::OfPlayers(players, when) => match &**players {
                Int::Const(players) => {
                    let mask = union_of(&self.plan.planes_of_owner, *players);
                    self.planes(mask, *when).into()
                }
                _ => self.set_by_host(e),
            },
            Sets::If(test, a, b) => {
                let test = self.test(test);
                self.choose(test, |e| e.set(a), |e| e.set(b)).into()
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
            Sets::Between(..) | Sets::Primitive(..) => self.set_by_host(e),
        }
    }

    /// The members of a set that lie in another one.
    fn set_in(&mut self, e: &Sets, within: Words) -> Words {
        match e {
            Sets::And(all) => self.all_in(all, within),
            Sets::Or(all) if all.iter().any(is_heavy_set) => {
                let mut found = self.none();
                for one in all {
                    let open = self.minus(&within, &found);
                    let one = self.set_in(one, open);
                    found = self.either(&found, &one);
                }
                found
            }
            Sets::Not(inner) if is_heavy_set(inner) => {
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
            if is_heavy_set(one) {
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

    pub fn base(&self, when: When) -> super::emit::Bases {
        match when {
            When::Now => self.now,
            When::Before => self.before,
        }
    }

    pub fn load_set(&mut self, base: cranelift_codegen::ir::Value, index: usize) -> Words {
        let words = self.plan.words;
        (0..words).map(|word| Word::Value(self.load(base, 8 * (index * words + word)))).collect()
    }

    pub fn store_set(&mut self, set: &[Word], base: cranelift_codegen::ir::Value, index: usize) {
        let words = self.plan.words;
        for (at, word) in set.iter().enumerate() {
            let value = self.value(*word);
            self.store(value, base, 8 * (index * words + at));
        }
    }

    /// The union of planes; where most are asked for, all sites without the others.
    pub fn planes(&mut self, mask: u64, when: When) -> Words {
        let base = self.base(when).planes;
        let mask = mask & self.plan.every_plane;
        let others = self.plan.every_plane & !mask;
        let wanted = if others.count_ones() < mask.count_ones() { others } else { mask };
        let mut set = self.none();
        for plane in (0..64).filter(|plane| wanted >> plane & 1 == 1) {
            let plane = self.load_set(base, plane);
            set = self.either(&set, &plane);
        }
        if wanted == mask {
            return set;
        }
        let all = self.all();
        self.minus(&all, &set)
    }

    pub fn filter(&mut self, slot: u16, domain: &[Word], test: &Test) -> Words {
        let found = self.variables();
        self.each_member(domain, None, |e, member| {
            e.bind(slot, member);
            let test = e.test(test);
            e.when(test, |e| {
                let bit = e.single(member);
                e.gather(&found, &bit);
            });
        });
        self.gathered(&found)
    }

    /// Binds one member of a domain after the other, until the variable is no longer zero.
    pub fn each(
        &mut self,
        slot: u16,
        domain: &Domain,
        until: Option<cranelift_frontend::Variable>,
        body: impl FnOnce(&mut Self),
    ) {
        match domain {
            Domain::Sites(set) => {
                let set = self.set(set);
                self.each_member(&set, until, |e, member| {
                    e.bind(slot, member);
                    body(e);
                });
            }
            Domain::Mask(mask) => {
                let mask = self.int(mask);
                self.each_bit(mask, until, |e, member| {
                    e.bind(slot, member);
                    body(e);
                });
            }
            Domain::Range(low, high) => {
                let (low, high) = (self.int(low), self.int(high));
                let (a, b) = (self.is_known(low), self.is_known(high));
                let known = self.flags_and(a, b);
                let (at, left) = (self.variable(types::I64), self.variable(types::I64));
                self.set_variable(at, low.word);
                self.set_variable(left, Word::Known(100_000));
                self.when(known, |e| {
                    e.repeat(
                        |e| {
                            let (at, left) = (e.read(at), e.read(left));
                            let within = e.compare_words(CompareOp::LessEqual, at, high.word);
                            let some = e.compare_words(CompareOp::Greater, left, Word::Known(0));
                            let mut on = e.flags_and(within, some);
                            if let Some(until) = until {
                                let done = Flag::Value(e.b.use_var(until));
                                let open = e.not(done);
                                on = e.flags_and(on, open);
                            }
                            on
                        },
                        |e| {
                            let number = e.b.use_var(at);
                            e.bind(slot, Num::within(number, low.low, high.high));
                            body(e);
                            let next = e.b.ins().iadd_imm_s(number, 1);
                            e.b.def_var(at, next);
                            let count = e.b.use_var(left);
                            let less = e.b.ins().iadd_imm_s(count, -1);
                            e.b.def_var(left, less);
                        },
                    );
                });
            }
        }
    }

    /// Positions of a direction only ascend, or only descend.
    pub fn is_straight(&self, direction: usize) -> bool {
        self.plan.longest[direction] == 0 || self.plan.ascending[direction].is_some()
    }

    /// The positions passed from one position, and the first that stops, as a number.
    pub fn run_from(&mut self, direction: usize, from: Num, through: &[Word]) -> (Words, Num) {
        let plan = self.plan;
        let row = &plan.rays[direction * plan.rows * plan.words..][..plan.rows * plan.words];
        let ray = self.row(row, from);
        let blocking = self.minus(&ray, through);
        let end = if plan.ascending[direction] == Some(true) { self.first(&blocking) } else { self.last(&blocking) };
        let end = Num::within(end, 0, plan.bits as i64);
        let behind = self.row_at(row, end);
        let passed = self.both(&ray, through);
        (self.minus(&passed, &behind), end)
    }

    /// A row by a number that is at most the number of bits.
    fn row_at(&mut self, table: &[u64], at: Num) -> Words {
        self.row(table, Num { high: self.plan.bits as i64 - 1, ..at })
    }

    /// The same in a direction that is only known in the game; all directions must be straight.
    fn run_towards(&mut self, direction: Num, from: Num, through: &[Word]) -> (Words, Num) {
        let plan = self.plan;
        let (ray, fits, base) = self.ray_towards(direction, from);
        let blocking = self.minus(&ray, through);
        let (first, last) = (self.first(&blocking), self.last(&blocking));
        let way = self.value(direction.word);
        let ways = self.constant(15);
        let way = self.b.ins().band(way, ways);
        let up = self.entry_at(plan.up.as_ptr() as i64, way);
        let up = self.value(up.word);
        let end = self.b.ins().select(up, first, last);
        let behind = self.row_dynamic(base, end);
        let passed = self.both(&ray, through);
        let passed = self.minus(&passed, &behind);
        let none = self.none();
        (self.select_words(fits, &passed, &none), Num::within(end, 0, plan.bits as i64))
    }

    /// A ray of a direction from a position, whether there is such a direction, and where the rays of the direction begin.
    fn ray_towards(&mut self, direction: Num, from: Num) -> (Words, Flag, cranelift_codegen::ir::Value) {
        let plan = self.plan;
        let way = self.value(direction.word);
        let fits = if !direction.missing && direction.low >= 0 && direction.high < 16 {
            Flag::Known(true)
        } else {
            Flag::Value(self.b.ins().icmp_imm_u(cranelift_codegen::ir::condcodes::IntCC::UnsignedLessThan, way, 16))
        };
        let ways = self.constant(15);
        let way = self.b.ins().band(way, ways);
        let bytes = self.b.ins().imul_imm_s(way, (8 * plan.rows * plan.words) as i64);
        let rays = self.constant(plan.rays.as_ptr() as i64);
        let base = self.b.ins().iadd(rays, bytes);
        let from = self.index(from);
        let ray = self.row_dynamic(base, from);
        let none = self.none();
        (self.select_words(fits, &ray, &none), fits, base)
    }

    fn row_dynamic(&mut self, base: cranelift_codegen::ir::Value, index: cranelift_codegen::ir::Value) -> Words {
        let bytes = self.b.ins().imul_imm_s(index, 8 * self.plan.words as i64);
        let address = self.b.ins().iadd(base, bytes);
        self.load_set(address, 0)
    }

    /// The first position beyond what is passed; none where there is none.
    pub fn beyond(&mut self, direction: Num, from: Num, through: &[Word]) -> Num {
        let plan = self.plan;
        let end = match direction.constant() {
            Some(way @ 0..16) => {
                let way = way as usize;
                if plan.longest[way] == 0 {
                    return Num::known(NONE);
                }
                let row = &plan.rays[way * plan.rows * plan.words..][..plan.rows * plan.words];
                let ray = self.row(row, from);
                let blocking = self.minus(&ray, through);
                if plan.ascending[way] == Some(true) { self.first(&blocking) } else { self.last(&blocking) }
            }
            Some(_) => return Num::known(NONE),
            None => self.run_towards(direction, from, through).1.word_value(self),
        };
        let none = self.constant(NONE);
        let bits = self.constant(plan.bits as i64);
        let lacks = self.b.ins().icmp(cranelift_codegen::ir::condcodes::IntCC::Equal, end, bits);
        let mut value = self.b.ins().select(lacks, none, end);
        if direction.constant().is_none() && (direction.missing || direction.low < 0 || direction.high > 15) {
            let way = self.value(direction.word);
            let fits = self.b.ins().icmp_imm_u(cranelift_codegen::ir::condcodes::IntCC::UnsignedLessThan, way, 16);
            value = self.b.ins().select(fits, value, none);
        }
        Num { word: Word::Value(value), low: 0, high: plan.bits as i64 - 1, missing: true }
    }

    pub fn all_straight(&self) -> bool {
        (0..16).all(|direction| self.is_straight(direction))
    }

    fn runs(&mut self, e: &Sets, from: &Sets, directions: &Int, through: &Sets, beyond: bool) -> Bits {
        let known = match directions {
            Int::Const(directions) => Some(*directions),
            _ => None,
        };
        match (known, directions) {
            (Some(directions), _) => {
                let from = self.bits(from);
                let through = self.set(through);
                let mut found = self.none();
                for direction in ways(directions).filter(|direction| self.plan.longest[*direction] > 0) {
                    let (passed, stops) = match from.single {
                        Some(from) if self.is_straight(direction) => {
                            let (passed, end) = self.run_from(direction, from, &through);
                            let stops = if beyond { self.single(end) } else { self.none() };
                            (passed, stops)
                        }
                        _ => self.run_all(direction, &from.words, &through),
                    };
                    found = self.either(&found, if beyond { &stops } else { &passed });
                }
                found.into()
            }
            (None, Int::Bit(direction)) if self.all_straight() => {
                let from_bits = self.bits(from);
                let Some(from) = from_bits.single else { return self.set_by_host(e) };
                let direction = self.int(direction);
                let through = self.set(through);
                let (passed, end) = self.run_towards(direction, from, &through);
                if !beyond {
                    return passed.into();
                }
                let stops = self.single(end);
                stops.into()
            }
            _ => self.set_by_host(e),
        }
    }

    /// From all members of a set at once: what is passed, and where it stops.
    fn run_all(&mut self, direction: usize, from: &[Word], through: &[Word]) -> (Words, Words) {
        let plan = self.plan;
        if let Some(Step::By(shifts)) = plan.steps.get(direction)
            && let [(_, by)] = shifts.as_slice()
        {
            let all = self.all();
            let targets = self.push(&all, direction);
            let mut open = self.both(through, &targets);
            let first = self.push(from, direction);
            let mut passed = self.both(&first, through);
            let (mut far, mut steps) = (*by, 1);
            while steps < plan.longest[direction] {
                let more = self.move_by(&passed, far);
                let more = self.both(&more, &open);
                passed = self.either(&passed, &more);
                let next = self.move_by(&open, far);
                open = self.both(&open, &next);
                far *= 2;
                steps *= 2;
            }
            let all_passed = self.either(&passed, from);
            let reached = self.push(&all_passed, direction);
            let stops = self.minus(&reached, through);
            return (passed, stops);
        }
        let (passed, stops, at) = (self.variables(), self.variables(), self.kept(from));
        self.repeat(
            |e| {
                let at = e.gathered(&at);
                e.any(&at)
            },
            |e| {
                let here = e.gathered(&at);
                let next = e.push(&here, direction);
                let stopped = e.minus(&next, through);
                e.gather(&stops, &stopped);
                let known = e.gathered(&passed);
                let next = e.both(&next, through);
                let next = e.minus(&next, &known);
                e.gather(&passed, &next);
                e.keep(&at, &next);
            },
        );
        (self.gathered(&passed), self.gathered(&stops))
    }

    /// The positions from which steps through a set lead into the goal.
    fn pull_on(&mut self, direction: usize, goal: &[Word], through: &[Word]) -> Words {
        let plan = self.plan;
        if let Some(Step::By(shifts)) = plan.steps.get(direction)
            && let [(sources, by)] = shifts.as_slice()
        {
            let sources = self.words(sources);
            let found = self.move_by(goal, -by);
            let mut found = self.both(&found, &sources);
            let open = self.move_by(through, -by);
            let mut open = self.both(&open, &sources);
            let (mut far, mut steps) = (-by, 1);
            while steps < plan.longest[direction] {
                let more = self.move_by(&found, far);
                let more = self.both(&more, &open);
                found = self.either(&found, &more);
                let next = self.move_by(&open, far);
                open = self.both(&open, &next);
                far *= 2;
                steps *= 2;
            }
            return found;
        }
        let first = self.pull(goal, direction);
        let (fresh, found) = (self.kept(&first), self.kept(&first));
        self.repeat(
            |e| {
                let fresh = e.gathered(&fresh);
                e.any(&fresh)
            },
            |e| {
                let here = e.gathered(&fresh);
                let here = e.both(&here, through);
                let next = e.pull(&here, direction);
                let known = e.gathered(&found);
                let next = e.minus(&next, &known);
                e.gather(&found, &next);
                e.keep(&fresh, &next);
            },
        );
        self.gathered(&found)
    }

    fn flood(&mut self, from: &[Word], within: &[Word]) -> Words {
        let start = self.both(from, within);
        let rest = self.minus(within, &start);
        let (reached, left, fresh) = (self.kept(&start), self.kept(&rest), self.kept(&start));
        self.spread(&reached, &left, &fresh);
        self.gathered(&reached)
    }

    /// What is connected within a set, when what is kept is known to be so already.
    fn grow(&mut self, kept: usize, from: &[Word], within: &[Word]) -> Words {
        let known = self.load_set(self.now.grown, kept);
        let near = self.load_set(self.now.grown, kept + self.plan.program.grown);
        let rest = self.minus(within, &known);
        let start = self.either(&near, from);
        let start = self.both(&start, &rest);
        let some = self.any(&start);
        self.choose(
            some,
            |e| {
                let rest = e.minus(&rest, &start);
                let (reached, left, fresh) = (e.kept(&start), e.kept(&rest), e.kept(&start));
                e.spread(&reached, &left, &fresh);
                let new = e.gathered(&reached);
                let around = e.dilate(&new);
                let around = e.either(&near, &around);
                e.store_set(&around, e.now.grown, kept + e.plan.program.grown);
                let all = e.either(&known, &new);
                e.store_set(&all, e.now.grown, kept);
                all
            },
            |_| known.clone(),
        )
    }

    fn spread(
        &mut self,
        reached: &[cranelift_frontend::Variable],
        left: &[cranelift_frontend::Variable],
        fresh: &[cranelift_frontend::Variable],
    ) {
        self.repeat(
            |e| {
                let fresh = e.gathered(fresh);
                e.any(&fresh)
            },
            |e| {
                let here = e.gathered(fresh);
                let rest = e.gathered(left);
                // Fronts are mostly small: on large boards it is faster to look up one member than to shift all words.
                let few = if e.plan.words > 1 {
                    let count = e.count(&here);
                    e.compare_words(CompareOp::LessEqual, count.word, Word::Known(FEW))
                } else {
                    Flag::Known(false)
                };
                let grow = |e: &mut Self, near: &[Word], waiting: &[Word]| {
                    let near = e.both(near, &rest);
                    let rest = e.minus(&rest, &near);
                    e.keep(left, &rest);
                    e.gather(reached, &near);
                    let next = e.either(&near, waiting);
                    e.keep(fresh, &next);
                };
                e.branch(
                    few,
                    |e| {
                        let first = e.first(&here);
                        let first = Num::within(first, 0, e.plan.bits as i64 - 1);
                        let near = e.row(&e.plan.near, first);
                        let waiting = e.without_first(&here);
                        grow(e, &near, &waiting);
                    },
                    |e| {
                        let near = e.dilate(&here);
                        let none = e.none();
                        grow(e, &near, &none);
                    },
                );
            },
        );
    }

    // Counts of sets, site by site.

    fn tally(&mut self, e: &Sets, tally: &Tally) -> Words {
        let Some((left, right)) = self.sums(tally) else { return self.set_by_host(e).words };
        self.compare_sums(tally.op, &left, &right)
    }

    fn ranked(&mut self, e: &Sets, greater: bool, equal: bool, levels: &[Tally], within: Words) -> Words {
        let known = |tally: &Tally| matches!(&tally.offset, Int::Const(offset) if offset.unsigned_abs() <= 4_096);
        if !levels.iter().all(|tally| known(tally) || self.range_of_offset(tally)) {
            let set = self.set_by_host(e).words;
            return self.both(&set, &within);
        }
        let (found, open) = (self.variables(), self.kept(&within));
        self.levels(greater, levels, &found, &open);
        if equal {
            let rest = self.gathered(&open);
            self.gather(&found, &rest);
        }
        self.gathered(&found)
    }

    /// The offset is a number that counts something, so that few bits hold it.
    fn range_of_offset(&self, tally: &Tally) -> bool {
        fn most(int: &Int) -> Option<i64> {
            match int {
                Int::Const(number) if number.unsigned_abs() <= 4_096 => Some(number.abs()),
                Int::Count(_) | Int::Ones(_) => Some(512),
                Int::Negative(inner) => most(inner),
                Int::Arithmetic(crate::rules::BinaryOp::Add | crate::rules::BinaryOp::Subtract, a, b) => {
                    Some(most(a)? + most(b)?).filter(|most| *most <= 4_096)
                }
                _ => None,
            }
        }
        most(&tally.offset).is_some()
    }

    fn levels(
        &mut self,
        greater: bool,
        levels: &[Tally],
        found: &[cranelift_frontend::Variable],
        open: &[cranelift_frontend::Variable],
    ) {
        let Some((level, rest)) = levels.split_first() else { return };
        let some = self.gathered(open);
        let some = self.any(&some);
        self.when(some, |e| {
            let Some((left, right)) = e.sums(level) else { return };
            let op = if greater { CompareOp::Greater } else { CompareOp::Less };
            let ahead = e.compare_sums(op, &left, &right);
            let same = e.compare_sums(CompareOp::Equal, &left, &right);
            let here = e.gathered(open);
            let ahead = e.both(&ahead, &here);
            e.gather(found, &ahead);
            let here = e.both(&here, &same);
            e.keep(open, &here);
            e.levels(greater, rest, found, open);
        });
    }

    /// Both sides of a comparison as bits of numbers, the lowest first; none where the offset may be anything.
    fn sums(&mut self, tally: &Tally) -> Option<(Vec<Words>, Vec<Words>)> {
        let offset = match &tally.offset {
            Int::Const(offset) if offset.unsigned_abs() <= 4_096 => Num::known(*offset),
            _ if self.range_of_offset(tally) => self.int(&tally.offset),
            _ => return None,
        };
        let mut left: Vec<Words> = tally.left.iter().map(|set| self.set(set)).collect();
        let mut right: Vec<Words> = tally.right.iter().map(|set| self.set(set)).collect();
        left.retain(|set| set.iter().any(|word| *word != Word::Known(0)));
        right.retain(|set| set.iter().any(|word| *word != Word::Known(0)));
        let (mut left, mut right) = (self.sum(left), self.sum(right));
        match offset.constant() {
            Some(offset) => {
                let side = if offset >= 0 { &mut left } else { &mut right };
                let bits =
                    self.spread_bits(Word::Known(offset.unsigned_abs()), 64 - offset.unsigned_abs().leading_zeros());
                *side = self.add(side, &bits);
            }
            None => {
                // It is added to one side or to the other.
                let value = self.value(offset.word);
                let zero = self.constant(0);
                let (up, down) = (self.b.ins().smax(value, zero), self.b.ins().ineg(value));
                let down = self.b.ins().smax(down, zero);
                let bits = |most: i64| 64 - most.max(0).leading_zeros();
                let (most_up, most_down) = (bits(offset.high), bits(offset.low.saturating_neg()));
                let up = self.spread_bits(Word::Value(up), most_up);
                let down = self.spread_bits(Word::Value(down), most_down);
                left = self.add(&left, &up);
                right = self.add(&right, &down);
            }
        }
        Some((left, right))
    }

    /// The bits of a number, each for every site.
    fn spread_bits(&mut self, number: Word, count: u32) -> Vec<Words> {
        (0..count)
            .map(|place| {
                let all = self.all();
                match number {
                    Word::Known(number) => {
                        if number >> place & 1 == 1 {
                            all
                        } else {
                            self.none()
                        }
                    }
                    Word::Value(value) => {
                        let moved = self.b.ins().ushr_imm_u(value, i64::from(place));
                        let bit = self.b.ins().band_imm_u(moved, 1);
                        let mask = self.b.ins().ineg(bit);
                        all.iter().map(|word| self.and(*word, Word::Value(mask))).collect()
                    }
                }
            })
            .collect()
    }

    /// How many of the sets hold each site: three of one weight make one of it and one of the next.
    fn sum(&mut self, sets: Vec<Words>) -> Vec<Words> {
        let mut bits = Vec::new();
        let mut here = sets;
        while !here.is_empty() {
            let mut next = Vec::new();
            while here.len() >= 3 {
                let (Some(a), Some(b), Some(c)) = (here.pop(), here.pop(), here.pop()) else { break };
                let odd = self.differ(&a, &b);
                let pair = self.both(&a, &b);
                let third = self.both(&odd, &c);
                next.push(self.either(&pair, &third));
                here.insert(0, self.differ(&odd, &c));
            }
            if let (2, Some(a), Some(b)) = (here.len(), here.first().cloned(), here.get(1).cloned()) {
                next.push(self.both(&a, &b));
                here = vec![self.differ(&a, &b)];
            }
            bits.append(&mut here);
            here = next;
        }
        bits
    }

    fn add(&mut self, a: &[Words], b: &[Words]) -> Vec<Words> {
        let none = self.none();
        let mut carry = self.none();
        let mut sum = Vec::new();
        for place in 0..a.len().max(b.len()) {
            let (a, b) = (a.get(place).unwrap_or(&none).clone(), b.get(place).unwrap_or(&none).clone());
            let odd = self.differ(&a, &b);
            let pair = self.both(&a, &b);
            let third = self.both(&odd, &carry);
            sum.push(self.differ(&odd, &carry));
            carry = self.either(&pair, &third);
        }
        if carry.iter().any(|word| *word != Word::Known(0)) {
            sum.push(carry);
        }
        sum
    }

    fn compare_sums(&mut self, op: CompareOp, left: &[Words], right: &[Words]) -> Words {
        let (none, all) = (self.none(), self.all());
        let places = left.len().max(right.len());
        let (mut greater, mut equal) = (self.none(), self.all());
        for place in (0..places).rev() {
            let (a, b) = (left.get(place).unwrap_or(&none).clone(), right.get(place).unwrap_or(&none).clone());
            if !matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
                let more = self.minus(&a, &b);
                let more = self.both(&more, &equal);
                greater = self.either(&greater, &more);
            }
            let differ = self.differ(&a, &b);
            equal = self.minus(&equal, &differ);
        }
        match op {
            CompareOp::Equal => equal,
            CompareOp::NotEqual => self.minus(&all, &equal),
            CompareOp::Greater => greater,
            CompareOp::GreaterEqual => self.either(&greater, &equal),
            CompareOp::Less => {
                let rest = self.minus(&all, &greater);
                self.minus(&rest, &equal)
            }
            CompareOp::LessEqual => self.minus(&all, &greater),
        }
    }

    /// What has no machine code of its own is evaluated by the host.
    fn set_by_host(&mut self, e: &Sets) -> Bits {
        let size = 8 * self.plan.words as u32;
        let slot = self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3));
        let out = self.b.ins().stack_addr(types::I64, slot, 0);
        self.tell_scene();
        let node = self.constant(std::ptr::from_ref(e) as i64);
        let address = self.plan.addresses.sets;
        self.call(address, &[self.context, node, out]);
        self.load_set(out, 0).into()
    }
}

impl Num {
    pub fn word_value(self, e: &mut Emit<'_, '_>) -> cranelift_codegen::ir::Value {
        e.value(self.word)
    }
}

/// The directions of a constant mask.
pub fn ways(mask: i64) -> impl Iterator<Item = usize> + Clone {
    (0..16).filter(move |way| mask as u32 >> way & 1 == 1)
}

pub fn opposite(direction: usize) -> usize {
    (direction + 8) % 16
}

pub fn union_of(planes: &[u64], mask: i64) -> u64 {
    let chosen = planes.iter().enumerate().filter(|(index, _)| *index < 32 && mask as u32 >> index & 1 == 1);
    chosen.fold(0, |all, (_, planes)| all | planes)
}

/// So much work that it pays to ask first whether it is wanted.
pub fn is_heavy_set(e: &Sets) -> bool {
    use crate::program::ir::Part;
    match e {
        Sets::Filter { .. }
        | Sets::Collect { .. }
        | Sets::Connected { .. }
        | Sets::Grown { .. }
        | Sets::Primitive(..)
        | Sets::Ranked { .. }
        | Sets::Between(..)
        | Sets::If(..) => return true,
        Sets::Tally(tally) if tally.left.len() + tally.right.len() > 8 => return true,
        _ => {}
    }
    let mut heavy = false;
    e.parts(&mut |part| {
        heavy |= match part {
            Part::Sets(set) => is_heavy_set(set),
            Part::Int(_) | Part::Test(_) => false,
        }
    });
    heavy
}
