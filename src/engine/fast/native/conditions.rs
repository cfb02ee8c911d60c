//! Tests of a state, as machine code.

use super::context::offset;
use super::emit::Emit;
use super::memory::List;
use super::plan::Step;
use super::sets::{is_heavy, ways};
use super::value::{Flag, Num, Word, Words};
use crate::program::ir::{Domain, Int, Part, Sets, Test};
use crate::rules::CompareOp;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, types};

impl Emit<'_, '_> {
    pub fn test(&mut self, e: &Test) -> Flag {
        if let Some(held) = self.asked_apart(e) {
            return held;
        }
        match e {
            Test::Const(held) => Flag::Known(*held),
            Test::Not(inner) => {
                let inner = self.test(inner);
                self.not(inner)
            }
            Test::And(all) => {
                let mut held = Flag::Known(true);
                for one in all {
                    held = if is_heavy(&Part::Test(one)) {
                        self.and_then(held, |e| e.test(one))
                    } else {
                        let one = self.test(one);
                        self.flags_and(held, one)
                    };
                }
                held
            }
            Test::Or(all) => {
                let mut held = Flag::Known(false);
                for one in all {
                    held = if is_heavy(&Part::Test(one)) {
                        let open = self.not(held);
                        let more = self.and_then(open, |e| e.test(one));
                        self.flags_or(held, more)
                    } else {
                        let one = self.test(one);
                        self.flags_or(held, one)
                    };
                }
                held
            }
            Test::Any(set) => {
                let set = self.set(set);
                self.any(&set)
            }
            Test::Contains(set, member) => {
                let member = self.int(member);
                self.is_member(set, member)
            }
            Test::Subset(a, b) => {
                let (a, b) = (self.set(a), self.set(b));
                let beyond = self.minus(&a, &b);
                let beyond = self.any(&beyond);
                self.not(beyond)
            }
            Test::Compare(op, a, b) => match self.row_reaches(e, *op, a, b) {
                Some(flag) => flag,
                None => {
                    let (a, b) = (self.int(a), self.int(b));
                    self.compare(*op, a, b)
                }
            },
            Test::Known(number) => {
                let number = self.int(number);
                self.is_known(number)
            }
            Test::Lists(op, left, right) => self.lists(*op, left, right),
            Test::Exists { slot, domain, test } => self.exists(*slot, domain, test),
            Test::Stuck => self.scene.stuck,
            Test::Unfinished => Flag::Known(self.scene.unfinished),
            Test::With { slot, value, test } => {
                let value = self.int(value);
                self.bind(*slot, value);
                self.test(test)
            }
            Test::WithSites { held, value, test } => {
                let value = self.bits(value);
                self.bind_sites(*held, value);
                self.test(test)
            }
            Test::OfNew { kept, held, set, test } => {
                let kept = 2 * self.plan.program.grown + usize::from(*kept);
                let (set, failed) = (self.set(set), self.load_set(List::Grown, kept));
                let new = self.minus(&set, &failed);
                let found = match &**test {
                    Test::Exists { slot: member, domain, test } if **domain == Domain::Sites(Sets::Slot(*held)) => {
                        self.exists_among_few(*member, &new, test)
                    }
                    test => {
                        self.bind_sites(*held, new.into());
                        self.test(test)
                    }
                };
                let failed = self.not(found);
                self.when(failed, |e| e.store_set(&set, List::Grown, kept));
                found
            }
            Test::CanApply(effects) => match self.can_apply(effects) {
                Some(fits) => fits,
                None => self.test_by_host(e),
            },
            Test::Seen { board, times } if self.scene.following => self.has_come_up(*board, *times),
            Test::Seen { .. } | Test::Possible { .. } => self.test_by_host(e),
        }
    }

    /// Whether a site lies in a set. On large boards the pieces there are asked, not the words of their planes.
    pub fn is_member(&mut self, set: &Sets, position: Num) -> Flag {
        if self.plan.words == 1 {
            let set = self.set(set);
            return self.contains(&set, position);
        }
        match set {
            Sets::Planes(mask, when) => {
                let plane = self.content_of(position, *when);
                let there = self.is_known(plane);
                let held = if let Some(plane) = plane.constant() {
                    Flag::Known((0..64).contains(&plane) && mask >> plane & 1 == 1)
                } else if mask.is_power_of_two() {
                    self.compare_words(CompareOp::Equal, plane.word, Word::Known(u64::from(mask.trailing_zeros())))
                } else {
                    let (mask, plane) = (self.constant(*mask as i64), self.value(plane.word));
                    let bit = self.b.ins().ushr(mask, plane);
                    let bit = self.b.ins().band_imm_u(bit, 1);
                    Flag::Value(self.b.ins().ireduce(types::I8, bit))
                };
                self.flags_and(there, held)
            }
            Sets::Pull(direction, goal) if is_light(goal) => {
                let next = self.step(usize::from(*direction), position);
                self.is_member(goal, next)
            }
            Sets::Not(inner) if is_light(inner) => {
                // What is not on the board is in no set.
                let on_board = self.is_known(position);
                let inner = self.is_member(inner, position);
                let outside = self.not(inner);
                self.flags_and(on_board, outside)
            }
            Sets::And(all) if asks_points(all) => {
                let mut held = Flag::Known(true);
                for one in all {
                    let one = self.is_member(one, position);
                    held = self.flags_and(held, one);
                }
                held
            }
            Sets::Or(all) if asks_points(all) => {
                let mut held = Flag::Known(false);
                for one in all {
                    let one = self.is_member(one, position);
                    held = self.flags_or(held, one);
                }
                held
            }
            _ => {
                let set = self.set(set);
                self.contains(&set, position)
            }
        }
    }

    fn exists(&mut self, slot: u16, domain: &Domain, test: &Test) -> Flag {
        let found = self.variable(types::I8);
        let no = self.flag(Flag::Known(false));
        self.b.def_var(found, no);
        self.each(slot, domain, Some(found), |e| {
            let test = e.test(test);
            let test = e.flag(test);
            e.b.def_var(found, test);
        });
        Flag::Value(self.b.use_var(found))
    }

    /// The same of a set that has few members, wherever they are: mostly one or none.
    fn exists_among_few(&mut self, slot: u16, set: &[Word], test: &Test) -> Flag {
        let (left, found) = (self.kept(set), self.variable(types::I8));
        let no = self.flag(Flag::Known(false));
        self.b.def_var(found, no);
        self.repeat(
            |e| {
                let left = e.gathered(&left);
                let some = e.any(&left);
                let done = Flag::Value(e.b.use_var(found));
                let open = e.not(done);
                e.flags_and(some, open)
            },
            |e| {
                let here = e.gathered(&left);
                let first = e.first(&here);
                let rest = e.without_first(&here);
                e.keep(&left, &rest);
                e.bind(slot, Num::within(first, 0, e.plan.bits as i64 - 1));
                let test = e.test(test);
                let test = e.flag(test);
                e.b.def_var(found, test);
            },
        );
        Flag::Value(self.b.use_var(found))
    }

    /// "A row as long as this or longer": found in both directions of the row at once, without a walk.
    fn row_reaches(&mut self, e: &Test, op: CompareOp, a: &Int, b: &Int) -> Option<Flag> {
        let Int::RowLength { from, directions, through } = a else { return None };
        let (Int::Const(directions), Int::Const(least)) = (&**directions, b) else { return None };
        let least = match op {
            CompareOp::GreaterEqual => *least,
            CompareOp::Greater => least + 1,
            _ => return None,
        };
        let mut both = ways(*directions);
        let (direction, back) = (both.next()?, both.next()?);
        let plan = self.plan;
        let Step::By(shifts) = &plan.steps[direction] else { return None };
        let [(_, by)] = shifts.as_slice() else { return None };
        if both.next().is_some() || back != direction + 8 || !(2..=16).contains(&least) || !self.is_straight(direction)
        {
            return None;
        }
        let from = self.bits(from);
        let middle = self.only(&from);
        let through = self.set(through);
        // Within so few steps of the middle a run this long passes it, and no shift crosses the rim.
        let window = plan.window(direction, least as usize - 1);
        let window = self.row(&window, middle);
        let row = self.either(&through, &from.words);
        let row = self.both(&row, &window);
        // On large boards it pays to count first: most rows are too few altogether.
        let held = if plan.words > 1 {
            let count = self.count(&row);
            let enough = self.compare_words(CompareOp::GreaterEqual, count.word, Word::Known(least as u64));
            self.and_then(enough, |e| e.has_run(row, *by, least))
        } else {
            self.has_run(row, *by, least)
        };
        let alone = self.is_known(middle);
        if alone == Flag::Known(true) {
            return Some(held);
        }
        // From no site, or from several, the rare case.
        let result = self.variable(types::I8);
        let held = self.flag(held);
        self.b.def_var(result, held);
        let otherwise = self.not(alone);
        self.when(otherwise, |emit| {
            let held = emit.test_by_host(e);
            let held = emit.flag(held);
            emit.b.def_var(result, held);
        });
        Some(Flag::Value(self.b.use_var(result)))
    }

    /// So many members lie in a row, each a shift after the one before it.
    fn has_run(&mut self, row: Words, by: i32, least: i64) -> Flag {
        let (mut run, mut length) = (row, 1);
        while length < least {
            let more = length.min(least - length);
            let moved = self.move_by(&run, by * more as i32);
            run = self.both(&run, &moved);
            length += more;
        }
        self.any(&run)
    }

    /// Number by number; a list that ends is less than one that goes on, and nothing may be missing.
    fn lists(&mut self, op: CompareOp, left: &[Int], right: &[Int]) -> Flag {
        let left: Vec<Num> = left.iter().map(|one| self.int(one)).collect();
        let right: Vec<Num> = right.iter().map(|one| self.int(one)).collect();
        let mut known = Flag::Known(true);
        for number in left.iter().chain(&right) {
            let one = self.is_known(*number);
            known = self.flags_and(known, one);
        }
        let mut order = Word::Known((left.len() as i64 - right.len() as i64).signum() as u64);
        for (a, b) in left.iter().zip(&right).rev() {
            let more = self.compare_words(CompareOp::Greater, a.word, b.word);
            let less = self.compare_words(CompareOp::Less, a.word, b.word);
            order = self.select(less, Word::Known(-1i64 as u64), order);
            order = self.select(more, Word::Known(1), order);
        }
        let held = self.compare_words(op, order, Word::Known(0));
        self.flags_and(known, held)
    }

    /// Whether the position that the turn to come begins with has come up so often, or is new: that was counted when it was
    /// remembered.
    fn has_come_up(&mut self, board: bool, times: Option<i64>) -> Flag {
        let counts = self.context_field(offset::SEEN);
        let count = if board {
            self.b.ins().ushr_imm_u(counts, i64::from(u32::BITS))
        } else {
            self.b.ins().band_imm_u(counts, i64::from(u32::MAX))
        };
        // The position reached is among those that were.
        let least = times.map_or(2, |times| times.max(1));
        let held = self.compare_words(CompareOp::GreaterEqual, Word::Value(count), Word::Known(least as u64));
        if times.is_some() { held } else { self.not(held) }
    }

    pub fn test_by_host(&mut self, e: &Test) -> Flag {
        self.tell_scene();
        let node = self.constant(std::ptr::from_ref(e) as i64);
        let address = self.plan.addresses.test;
        let held = self.call(address, &[self.context, node]);
        Flag::Value(self.b.ins().icmp_imm_u(IntCC::NotEqual, held, 0))
    }
}

/// Some sets of which it is quicker to ask each about a site than to work out what they have in common, or together: what
/// stands there decides, or sets would have to be shifted.
fn asks_points(all: &[Sets]) -> bool {
    let planes = all.iter().all(|set| matches!(set, Sets::Planes(..)));
    let shifted = |set: &Sets| Part::Sets(set).asks(&|part| matches!(part, Part::Sets(Sets::Pull(..))));
    planes || (all.iter().all(is_light) && all.iter().any(shifted))
}

/// Whether a site belongs to such a set is told by what stands there, or a few steps away.
fn is_light(set: &Sets) -> bool {
    let within = |inner: &Sets| is_light(inner);
    match set {
        Sets::Pull(_, inner) | Sets::Not(inner) => within(inner),
        Sets::And(all) | Sets::Or(all) => all.iter().all(within),
        other => matches!(other, Sets::Planes(..) | Sets::Const(_) | Sets::Slot(_)),
    }
}
