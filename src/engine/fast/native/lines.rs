//! Lines, floods and what is seen along them, as machine code.

use super::emit::Emit;
use super::memory::{List, Region, unchanging};
use super::plan::Step;
use super::sets::ways;
use super::value::{Bits, Flag, Num, Word, Words};
use crate::program::ir::{Int, NONE, Sets};
use crate::rules::CompareOp;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, StackSlotData, StackSlotKind, Value, types};
use cranelift_frontend::Variable;

/// As many members of a front are looked up one by one.
const FEW: u64 = 4;

/// What is reached, what is left and what is fresh: so many sets are put on the stack for the function that follows what is
/// connected.
const FLOOD_SETS: usize = 3;

impl Emit<'_, '_> {
    /// Positions of a direction only ascend, or only descend.
    pub fn is_straight(&self, direction: usize) -> bool {
        self.plan.longest[direction] == 0 || self.plan.ascending[direction].is_some()
    }

    /// The positions passed from one position, and the first that stops, as a number.
    pub fn run_from(&mut self, direction: usize, from: Num, through: &[Word]) -> (Words, Num) {
        let plan = self.plan;
        let row = &plan.rays[direction * plan.rows * plan.words..][..plan.rows * plan.words];
        let ray = self.row(row, from);
        let end = self.stop_on(direction, from, &ray, through);
        let end = Num::within(end, 0, plan.bits as i64);
        let behind = self.row_at(row, end);
        let passed = self.both(&ray, through);
        (self.minus(&passed, &behind), end)
    }

    /// The first position of a ray that stops whoever passes a set; one past the last where none does.
    fn stop_on(&mut self, direction: usize, from: Num, ray: &[Word], through: &[Word]) -> Value {
        let plan = self.plan;
        let mut blocking = self.minus(ray, through);
        if let Some(table) = &plan.before_turn {
            let row = &table[direction * plan.rows * plan.words..][..plan.rows * plan.words];
            let before = self.row(row, from);
            blocking = self.before_turn(&blocking, &before);
        }
        if plan.ascending[direction] == Some(true) { self.first(&blocking) } else { self.last(&blocking) }
    }

    /// Of some positions on a line those that are met first: before the step that leads round the words, if any are.
    fn before_turn(&mut self, all: &[Word], before: &[Word]) -> Words {
        let near = self.both(all, before);
        let some = self.any(&near);
        self.select_words(some, &near, all)
    }

    /// A row by a number that is at most the number of bits.
    fn row_at(&mut self, table: &[u64], at: Num) -> Words {
        self.row(table, Num { high: self.plan.bits as i64 - 1, ..at })
    }

    /// The same in a direction that is only known in the game; all directions must be straight.
    pub fn run_towards(&mut self, direction: Num, from: Num, through: &[Word]) -> (Words, Num) {
        let plan = self.plan;
        let (ray, fits, base) = self.ray_towards(direction, from);
        let mut blocking = self.minus(&ray, through);
        let way = self.value(direction.word);
        let ways = self.constant(15);
        let way = self.b.ins().band(way, ways);
        if let Some(table) = &plan.before_turn {
            let bytes = self.b.ins().imul_imm_s(way, (8 * plan.rows * plan.words) as i64);
            let table = self.constant(table.as_ptr() as i64);
            let base = self.b.ins().iadd(table, bytes);
            let from = self.index(from);
            let before = self.row_dynamic(base, from);
            blocking = self.before_turn(&blocking, &before);
        }
        let (first, last) = (self.first(&blocking), self.last(&blocking));
        let bytes = self.b.ins().ishl_imm_u(way, 3);
        let base_of_up = self.constant(plan.up.as_ptr() as i64);
        let address = self.b.ins().iadd(base_of_up, bytes);
        let up = self.constant_at(address, 0);
        let end = self.b.ins().select(up, first, last);
        let behind = self.row_dynamic(base, end);
        let passed = self.both(&ray, through);
        let passed = self.minus(&passed, &behind);
        let none = self.none();
        (self.select_words(fits, &passed, &none), Num::within(end, 0, plan.bits as i64))
    }

    /// A ray of a direction from a position, whether there is such a direction, and where the rays of the direction begin.
    fn ray_towards(&mut self, direction: Num, from: Num) -> (Words, Flag, Value) {
        let plan = self.plan;
        let way = self.value(direction.word);
        let fits = if !direction.missing && direction.low >= 0 && direction.high < 16 {
            Flag::Known(true)
        } else {
            Flag::Value(self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, way, 16))
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

    fn row_dynamic(&mut self, base: Value, index: Value) -> Words {
        let bytes = self.b.ins().imul_imm_s(index, 8 * self.plan.words as i64);
        let address = self.b.ins().iadd(base, bytes);
        self.row_from(address)
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
                if !self.is_straight(way) {
                    let (_, end) = self.run_by_steps(direction, from, through);
                    return self.site_or_none(end);
                }
                let row = &plan.rays[way * plan.rows * plan.words..][..plan.rows * plan.words];
                let ray = self.row(row, from);
                self.stop_on(way, from, &ray, through)
            }
            Some(_) => return Num::known(NONE),
            None => {
                let (_, end) = self.run_somewhere(direction, from, through);
                self.value(end.word)
            }
        };
        let site = self.site_or_none(Num::within(end, 0, plan.bits as i64));
        let fits = if direction.constant().is_none() && (direction.missing || direction.low < 0 || direction.high > 15)
        {
            let way = self.value(direction.word);
            Flag::Value(self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, way, 16))
        } else {
            Flag::Known(true)
        };
        self.only_if(fits, site)
    }

    /// A position, or none where it is one past the last.
    fn site_or_none(&mut self, end: Num) -> Num {
        let bits = self.plan.bits;
        let end = self.value(end.word);
        let is_site = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, end, bits as i64);
        self.only_if(Flag::Value(is_site), Num::within(end, 0, bits as i64 - 1))
    }

    pub fn all_straight(&self) -> bool {
        (0..16).all(|direction| self.is_straight(direction))
    }

    /// The runs from a set in some directions, or where they stop.
    pub fn runs(&mut self, e: &Sets, from: &Sets, directions: &Int, through: &Sets, beyond: bool) -> Bits {
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
                        Some(from) => {
                            let (passed, end) = self.run_by_steps(Num::known(direction as i64), from, &through);
                            let stops = if beyond { self.single(end) } else { self.none() };
                            (passed, stops)
                        }
                        None => self.run_all(direction, &from.words, &through),
                    };
                    found = self.either(&found, if beyond { &stops } else { &passed });
                }
                found.into()
            }
            (None, Int::Bit(direction)) => {
                let from_bits = self.bits(from);
                let Some(from) = from_bits.single else { return self.set_by_host(e) };
                let direction = self.int(direction);
                let through = self.set(through);
                let (passed, end) = self.run_somewhere(direction, from, &through);
                if !beyond {
                    return passed.into();
                }
                let stops = self.single(end);
                stops.into()
            }
            // In directions that are known only in the game, one after the other.
            (None, _) => {
                let from_bits = self.bits(from);
                let Some(from) = from_bits.single else { return self.set_by_host(e) };
                let (directions, through) = (self.int(directions), self.set(through));
                let found = self.variables();
                self.each_bit(directions, None, |e, direction| {
                    let (passed, end) = e.run_somewhere(direction, from, &through);
                    let more = if beyond { e.single(end) } else { passed };
                    e.gather(&found, &more);
                });
                self.gathered(&found).into()
            }
        }
    }

    /// The positions passed from one position in a direction that is only known in the game, and the first that stops.
    fn run_somewhere(&mut self, direction: Num, from: Num, through: &[Word]) -> (Words, Num) {
        if self.all_straight() {
            self.run_towards(direction, from, through)
        } else {
            self.run_by_steps(direction, from, through)
        }
    }

    /// The same one step after the other, for boards on which positions neither ascend nor descend along a line. Where lines
    /// run in circles nothing stops a run that comes to where it was.
    fn run_by_steps(&mut self, direction: Num, from: Num, through: &[Word]) -> (Words, Num) {
        let plan = self.plan;
        let (base, fits) = self.steps_in(&plan.next, direction);
        // One past the last position stands for no site.
        let outside = self.constant(plan.bits as i64);
        let start = self.index(from);
        let start = self.select(fits, Word::Value(start), Word::Value(outside));
        let start = self.value(start);
        let (found, at) = (self.variables(), self.variable(types::I64));
        let first = self.step_by(base, start);
        self.b.def_var(at, first);
        let circles = plan.walks.is_none();
        self.repeat(
            |e| {
                let mut inside = e.met_at(at, through);
                if circles {
                    let passed = e.gathered(&found);
                    inside = e.minus(&inside, &passed);
                }
                e.any(&inside)
            },
            |e| {
                let inside = e.met_at(at, through);
                e.gather(&found, &inside);
                let here = e.b.use_var(at);
                let next = e.step_by(base, here);
                e.b.def_var(at, next);
            },
        );
        let mut end = self.b.use_var(at);
        if circles {
            let passed = self.met_at(at, through);
            let passed = self.any(&passed);
            let word = self.select(passed, Word::Value(outside), Word::Value(end));
            end = self.value(word);
        }
        (self.gathered(&found), Num::within(end, 0, plan.bits as i64))
    }

    /// The positions from which steps in a direction lead through a set to one position, if that is not of the set; the same
    /// one step after the other.
    pub fn pull_by_steps(&mut self, direction: usize, goal: Num, through: &[Word]) -> Words {
        let plan = self.plan;
        let (base, _) = self.steps_in(&plan.previous, Num::known(direction as i64));
        let start = self.index(goal);
        let (found, at) = (self.variables(), self.variable(types::I64));
        let all = self.all();
        let one = self.single(goal);
        let goal = self.minus(&one, through);
        let open = self.any(&goal);
        let outside = self.constant(plan.bits as i64);
        let first = self.step_by(base, start);
        let first = self.select(open, Word::Value(first), Word::Value(outside));
        self.set_variable(at, first);
        self.repeat(
            |e| {
                let here = e.read(at);
                e.compare_words(CompareOp::Less, here, Word::Known(plan.bits as u64))
            },
            |e| {
                let inside = e.met_at(at, &all);
                e.gather(&found, &inside);
                let met = e.met_at(at, through);
                let on = e.any(&met);
                let here = e.b.use_var(at);
                let next = e.step_by(base, here);
                let next = e.select(on, Word::Value(next), Word::Value(outside));
                e.set_variable(at, next);
            },
        );
        self.gathered(&found)
    }

    /// The position in a variable, if it is of a set.
    fn met_at(&mut self, at: Variable, set: &[Word]) -> Words {
        let here = Num::within(self.b.use_var(at), 0, self.plan.bits as i64);
        let one = self.single(here);
        self.both(&one, set)
    }

    /// Where the steps of a direction stand in a table, and whether there is such a direction.
    fn steps_in(&mut self, table: &[i16], direction: Num) -> (Value, Flag) {
        let way = self.value(direction.word);
        let fits = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, way, 16);
        let ways = self.constant(15);
        let way = self.b.ins().band(way, ways);
        let bytes = self.b.ins().imul_imm_s(way, 2 * self.plan.rows as i64);
        let base = self.constant(table.as_ptr() as i64);
        (self.b.ins().iadd(base, bytes), Flag::Value(fits))
    }

    /// A step by such a table; one past the last position stands for no site.
    fn step_by(&mut self, base: Value, at: Value) -> Value {
        let bytes = self.b.ins().ishl_imm_u(at, 1);
        let address = self.b.ins().iadd(base, bytes);
        let next = self.b.ins().sload16(types::I64, unchanging(), address, 0);
        let outside = self.constant(self.plan.bits as i64);
        self.b.ins().umin(next, outside)
    }

    /// The positions between two, where one line leads from the one to the other.
    pub fn between(&mut self, from: &Int, to: &Int) -> Words {
        let (from, to) = (self.int(from), self.int(to));
        let plan = self.plan;
        let direction = Num { high: 15, ..self.by_pair(&plan.aims, from, to) };
        let (all, to) = (self.all(), self.single(to));
        let through = self.minus(&all, &to);
        self.run_towards(direction, from, &through).0
    }

    /// From all members of a set at once: what is passed, and where it stops.
    fn run_all(&mut self, direction: usize, from: &[Word], through: &[Word]) -> (Words, Words) {
        let plan = self.plan;
        if let Some(Step::By(shifts)) = plan.steps.get(direction)
            && let [(_, by)] = shifts.as_slice()
        {
            let all = self.all();
            let targets = self.push(&all, direction);
            let open = self.both(through, &targets);
            let first = self.push(from, direction);
            let first = self.both(&first, through);
            let passed = self.move_on(first, open, *by, plan.longest[direction]);
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

    /// All that moves through open positions reach from a set, itself included; each time twice as far.
    fn move_on(&mut self, from: Words, open: Words, by: i32, longest: usize) -> Words {
        let (mut reached, mut open, mut far, mut steps) = (from, open, by, 1);
        while steps < longest {
            let more = self.move_by(&reached, far);
            let more = self.both(&more, &open);
            reached = self.either(&reached, &more);
            let next = self.move_by(&open, far);
            open = self.both(&open, &next);
            far *= 2;
            steps *= 2;
        }
        reached
    }

    /// The positions from which steps through a set lead into the goal.
    pub fn pull_on(&mut self, direction: usize, goal: &[Word], through: &[Word]) -> Words {
        let plan = self.plan;
        if let Some(Step::By(shifts)) = plan.steps.get(direction)
            && let [(sources, by)] = shifts.as_slice()
        {
            let sources = self.words(sources);
            let first = self.move_by(goal, -by);
            let first = self.both(&first, &sources);
            let open = self.move_by(through, -by);
            let open = self.both(&open, &sources);
            return self.move_on(first, open, -by, plan.longest[direction]);
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

    pub fn flood(&mut self, from: &[Word], within: &[Word]) -> Words {
        let start = self.both(from, within);
        let rest = self.minus(within, &start);
        self.spread(&start, &rest, &start)
    }

    /// The same from one site: most often none of its neighbours belongs to it, which is asked first.
    pub fn flood_from(&mut self, from: Num, start: &[Word], within: &[Word]) -> Words {
        let start = self.both(start, within);
        let rest = self.minus(within, &start);
        let near = self.row(&self.plan.near, from);
        let near = self.both(&near, &rest);
        let begun = self.any(&start);
        let none = self.none();
        let near = self.select_words(begun, &near, &none);
        let some = self.any(&near);
        self.choose(
            some,
            |e| {
                let (both, rest) = (e.either(&start, &near), e.minus(&rest, &near));
                e.spread(&both, &rest, &near)
            },
            |_| start.clone(),
        )
    }

    /// What is connected within a set, when what is kept is known to be so already.
    pub fn grow(&mut self, kept: usize, from: &[Word], within: &[Word]) -> Words {
        let known = self.load_set(List::Grown, kept);
        let near = self.load_set(List::Grown, kept + self.plan.program.grown);
        let rest = self.minus(within, &known);
        let start = self.either(&near, from);
        let start = self.both(&start, &rest);
        let some = self.any(&start);
        self.choose(
            some,
            |e| {
                let rest = e.minus(&rest, &start);
                // Mostly one step or two.
                let new = e.spread_here(&start, &rest, &start);
                let around = e.dilate(&new);
                let around = e.either(&near, &around);
                e.store_set(&around, List::Grown, kept + e.plan.program.grown);
                let all = e.either(&known, &new);
                e.store_set(&all, List::Grown, kept);
                all
            },
            |_| known.clone(),
        )
    }

    /// The sites at most so many steps from a member of a set.
    pub fn within(&mut self, set: &[Word], steps: Num) -> Words {
        let known = self.is_known(steps);
        let begun = self.compare_words(CompareOp::GreaterEqual, steps.word, Word::Known(0));
        let begun = self.flags_and(known, begun);
        let none = self.none();
        let start = self.select_words(begun, set, &none);
        let (reached, left, grows) = (self.kept(&start), self.variable(types::I64), self.variable(types::I64));
        let steps = self.select(begun, steps.word, Word::Known(0));
        self.set_variable(left, steps);
        self.set_variable(grows, Word::Known(1));
        self.repeat(
            |e| {
                let (left, grows) = (e.read(left), e.read(grows));
                let some = e.compare_words(CompareOp::Greater, left, Word::Known(0));
                let grows = e.compare_words(CompareOp::NotEqual, grows, Word::Known(0));
                e.flags_and(some, grows)
            },
            |e| {
                let here = e.gathered(&reached);
                let around = e.dilate(&here);
                let new = e.minus(&around, &here);
                let some = e.any(&new);
                let more = e.select(some, Word::Known(1), Word::Known(0));
                e.set_variable(grows, more);
                e.gather(&reached, &new);
                let before = e.b.use_var(left);
                let after = e.b.ins().iadd_imm_s(before, -1);
                e.b.def_var(left, after);
            },
        );
        self.gathered(&reached)
    }

    /// The sites that are nearer to one set than to another one, or with `equal` as near; none where one of them is empty.
    pub fn nearer(&mut self, to: &[Word], than: &[Word], equal: bool) -> Words {
        let others = self.any(than);
        let first = if equal { to.to_vec() } else { self.minus(to, than) };
        let none = self.none();
        let first = self.select_words(others, &first, &none);
        let (nearer, front, others) = (self.kept(&first), self.kept(&first), self.kept(than));
        self.repeat(
            |e| {
                let front = e.gathered(&front);
                e.any(&front)
            },
            |e| {
                let [all, here, other] = [&nearer, &front, &others].map(|set| e.gathered(set));
                let (around, beside) = (e.dilate(&here), e.dilate(&other));
                let spread = e.either(&other, &beside);
                let new = e.minus(&around, &all);
                let new = e.minus(&new, if equal { &other } else { &spread });
                e.gather(&nearer, &new);
                e.keep(&front, &new);
                e.keep(&others, &spread);
            },
        );
        self.gathered(&nearer)
    }

    /// What is reached already, and all of the rest that is connected with its fresh part.
    fn spread(&mut self, reached: &[Word], rest: &[Word], fresh: &[Word]) -> Words {
        let Some((function, slot)) = self.flooding else { return self.spread_here(reached, rest, fresh) };
        let slot = slot.unwrap_or_else(|| {
            let size = u32::try_from(8 * FLOOD_SETS * self.plan.words).unwrap_or(u32::MAX);
            self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3))
        });
        self.flooding = Some((function, Some(slot)));
        let room = self.b.ins().stack_addr(types::I64, slot, 0);
        for (at, set) in [reached, rest, fresh].into_iter().enumerate() {
            let place = self.b.ins().iadd_imm_s(room, 8 * (at * self.plan.words) as i64);
            self.store_set_at(set, Region::Out, place);
        }
        self.b.ins().call(function, &[self.context, room]);
        self.set_at(Region::Out, room, 0)
    }

    /// The same with three sets in memory, of which the first becomes what is reached: the function's whole body.
    pub fn write_flood(&mut self, room: Value) {
        let [reached, rest, fresh] = [0, 1, 2].map(|at| self.set_at(Region::Out, room, 8 * at * self.plan.words));
        let reached = self.spread_here(&reached, &rest, &fresh);
        self.store_set_at(&reached, Region::Out, room);
        let done = self.constant(0);
        self.b.ins().return_(&[done]);
    }

    fn spread_here(&mut self, reached: &[Word], rest: &[Word], fresh: &[Word]) -> Words {
        let (reached, left, fresh) = (self.kept(reached), self.kept(rest), self.kept(fresh));
        self.repeat(
            |e| {
                let fresh = e.gathered(&fresh);
                e.any(&fresh)
            },
            |e| {
                let here = e.gathered(&fresh);
                let rest = e.gathered(&left);
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
                    e.keep(&left, &rest);
                    e.gather(&reached, &near);
                    let next = e.either(&near, waiting);
                    e.keep(&fresh, &next);
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
        self.gathered(&reached)
    }
}
