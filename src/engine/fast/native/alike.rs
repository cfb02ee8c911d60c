//! Ways to draw from a set that differ in their directions and fixed sets alone: all of them are judged by the same code, which
//! reads from a table where each way leads from each site. Code for each way would be a jump that nobody can foresee.

use super::emit::Emit;
use super::memory::unchanging;
use super::plan::Plan;
use super::value::{Flag, Num};
use crate::engine::fast::lots::Way;
use crate::program::ir::{Int, Sets, Test};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use std::sync::Arc;

/// The bytes of an entry of the table.
const ENTRY: usize = 2;

/// A longer table would be read from memory farther away, which takes longer than a jump.
const MOST_ENTRIES: usize = 1 << 15;

/// What several ways ask of the member that is drawn, and the parts that follow from it.
pub(super) struct Alike {
    /// By member and way: whether the member can be of the way at all, then where each walk leads; one entry after the other.
    table: Arc<[u16]>,
    ways: usize,
    walks: usize,
    /// Sets, and the walk whose end has to lie in each.
    asked: Vec<(Sets, usize)>,
    derived: Vec<(u16, Derived)>,
}

enum Derived {
    /// The end of a walk.
    Walk(usize),
    Int(Int),
}

/// Where each way leads that takes so many steps.
struct Walk {
    /// By way, the directions of the steps.
    taken: Vec<Vec<u8>>,
    /// By way and position; none where the walk leaves the board.
    ends: Vec<Vec<Option<usize>>>,
}

/// What is found about some ways, one test after the other.
struct Finder<'p> {
    plan: &'p Plan,
    slot: u16,
    /// By way and position.
    open: Vec<Vec<bool>>,
    /// The first walk stays where it begins.
    walks: Vec<Walk>,
    asked: Vec<(Sets, usize)>,
}

impl Alike {
    /// None where ways differ in more, or there is one only.
    pub(super) fn of(plan: &Plan, slot: u16, ways: &[Way]) -> Option<Self> {
        let first = ways.first().filter(|_| ways.len() > 1)?;
        let same = |way: &Way| way.tests.len() == first.tests.len() && way.derived.len() == first.derived.len();
        if !ways.iter().all(same) {
            return None;
        }
        let on_board = |at: usize| plan.all.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1);
        let stay: Vec<Option<usize>> = (0..plan.bits).map(|at| on_board(at).then_some(at)).collect();
        let open = stay.iter().map(Option::is_some).collect();
        let walks = vec![Walk { taken: vec![Vec::new(); ways.len()], ends: vec![stay; ways.len()] }];
        let mut finder = Finder { plan, slot, open: vec![open; ways.len()], walks, asked: Vec::new() };
        for at in 0..first.tests.len() {
            let tests: Vec<&Test> = ways.iter().filter_map(|way| way.tests.get(at)).collect();
            finder.test(&tests)?;
        }
        let mut derived: Vec<(u16, Derived)> = Vec::new();
        for (at, (part, _)) in first.derived.iter().enumerate() {
            let (parts, ints): (Vec<u16>, Vec<&Int>) =
                ways.iter().filter_map(|way| way.derived.get(at)).map(|(part, int)| (*part, int)).unzip();
            if parts.iter().any(|other| other != part) {
                return None;
            }
            derived.push((*part, finder.derived(&ints, &derived)?));
        }
        let entries = plan.bits * ways.len() * finder.walks.len();
        if entries > MOST_ENTRIES {
            return None;
        }
        let mut table = Vec::with_capacity(entries);
        for member in 0..plan.bits {
            for (way, open) in finder.open.iter().enumerate() {
                table.push(u16::from(open[member]));
                for walk in &finder.walks[1..] {
                    // Of a member that is not open nothing else is asked: any site will do.
                    table.push(u16::try_from(walk.ends[way][member].unwrap_or(0)).ok()?);
                }
            }
        }
        let (walks, asked) = (finder.walks.len(), finder.asked);
        Some(Self { table: plan.keep(table), ways: ways.len(), walks, asked, derived })
    }
}

impl Finder<'_> {
    fn test(&mut self, tests: &[&Test]) -> Option<()> {
        let member = Int::Slot(self.slot);
        let sets = each(tests, |test| match test {
            Test::Contains(set, at) if *at == member => Some(set),
            _other => None,
        });
        self.contains(&sets?, 0)
    }

    /// The end of a walk lies in the set of its way.
    fn contains(&mut self, sets: &[&Sets], walk: usize) -> Option<()> {
        if let Some(inner) = each(sets, |set| if let Sets::Const(set) = set { Some(set) } else { None }) {
            for ((open, ends), set) in self.open.iter_mut().zip(&self.walks.get(walk)?.ends).zip(inner) {
                for (open, end) in open.iter_mut().zip(ends) {
                    *open &= end
                        .is_some_and(|end| set.words().get(end / 64).is_some_and(|word| word >> (end % 64) & 1 == 1));
                }
            }
            return Some(());
        }
        if let Some(inner) =
            each(sets, |set| if let Sets::Pull(way, goal) = set { Some((*way, &**goal)) } else { None })
        {
            let (directions, goals): (Vec<u8>, Vec<&Sets>) = inner.into_iter().unzip();
            let walk = self.on(walk, &directions)?;
            // Nothing holds of a way that leaves the board.
            for (open, ends) in self.open.iter_mut().zip(&self.walks.get(walk)?.ends) {
                open.iter_mut().zip(ends).for_each(|(open, end)| *open &= end.is_some());
            }
            return self.contains(&goals, walk);
        }
        if let Some(all) = each(sets, |set| if let Sets::And(all) = set { Some(all) } else { None }) {
            let count = all.first()?.len();
            if all.iter().any(|all| all.len() != count) {
                return None;
            }
            return (0..count).try_for_each(|at| {
                let parts: Vec<&Sets> = all.iter().filter_map(|all| all.get(at)).collect();
                self.contains(&parts, walk)
            });
        }
        let set = all_alike(sets).filter(|set| asks_one_site(set))?;
        self.asked.push(((*set).clone(), walk));
        Some(())
    }

    /// A walk with one more step, in the direction of each way.
    fn on(&mut self, walk: usize, directions: &[u8]) -> Option<usize> {
        let before = self.walks.get(walk)?;
        let further = |(taken, next): (&Vec<u8>, &u8)| taken.iter().copied().chain([*next]).collect();
        let taken: Vec<Vec<u8>> = before.taken.iter().zip(directions).map(further).collect();
        if let Some(known) = self.walks.iter().position(|other| other.taken == taken) {
            return Some(known);
        }
        let step = |direction: u8, from: usize| {
            let next = *self.plan.next.get(usize::from(direction) * self.plan.rows + from)?;
            usize::try_from(next).ok()
        };
        let ends = before.ends.iter().zip(directions);
        let ends = ends.map(|(ends, next)| ends.iter().map(|at| step(*next, (*at)?)).collect()).collect();
        self.walks.push(Walk { taken, ends });
        Some(self.walks.len() - 1)
    }

    /// A part that follows: the end of a walk that has been asked about, or what is the same for all ways.
    fn derived(&mut self, ints: &[&Int], before: &[(u16, Derived)]) -> Option<Derived> {
        if let Some(walk) = self.walk_of(ints, before) {
            return Some(Derived::Walk(walk));
        }
        all_alike(ints).map(|int| Derived::Int((*int).clone()))
    }

    fn walk_of(&mut self, ints: &[&Int], before: &[(u16, Derived)]) -> Option<usize> {
        if let Some(slots) = each(ints, |int| if let Int::Slot(slot) = int { Some(*slot) } else { None }) {
            let slot = *all_alike(&slots)?;
            let part = || before.iter().find(|(part, _)| *part == slot).map(|(_, derived)| derived);
            return match part() {
                Some(Derived::Walk(walk)) => Some(*walk),
                Some(Derived::Int(_)) => None,
                None => (slot == self.slot).then_some(0),
            };
        }
        let steps = each(ints, |int| if let Int::Step(way, from) = int { Some((*way, &**from)) } else { None })?;
        let (directions, from): (Vec<u8>, Vec<&Int>) = steps.into_iter().unzip();
        let walk = self.walk_of(&from, before)?;
        let known = self.walks.len();
        let on = self.on(walk, &directions)?;
        // Of a walk that no test has asked about it is not known that it stays on the board.
        (on < known).then_some(on)
    }
}

/// What is found in each of them, if it is found in all.
fn each<'a, T: ?Sized, R>(all: &[&'a T], find: impl Fn(&'a T) -> Option<R>) -> Option<Vec<R>> {
    all.iter().map(|one| find(one)).collect()
}

/// The first, if all are the same.
fn all_alike<T: PartialEq>(all: &[T]) -> Option<&T> {
    all.first().filter(|first| all.iter().all(|one| one == *first))
}

/// What stands on a site tells whether it is in the set, or a bit of a set that is known.
fn asks_one_site(set: &Sets) -> bool {
    match set {
        Sets::Not(inner) => asks_one_site(inner),
        Sets::And(all) | Sets::Or(all) => all.iter().all(asks_one_site),
        other => matches!(other, Sets::Planes(..) | Sets::Const(_) | Sets::Slot(_)),
    }
}

impl Emit<'_, '_> {
    /// The row of the table for a member in a way, which are numbers in range.
    pub(super) fn row_alike(&mut self, alike: &Alike, member: Value, way: Value) -> Value {
        let row = self.b.ins().imul_imm_s(member, alike.ways as i64);
        let row = self.b.ins().iadd(row, way);
        let row = self.b.ins().imul_imm_s(row, (ENTRY * alike.walks) as i64);
        let base = self.constant(alike.table.as_ptr() as i64);
        self.b.ins().iadd(base, row)
    }

    fn entry_alike(&mut self, row: Value, at: usize) -> Value {
        let address = self.b.ins().iadd_imm_s(row, (ENTRY * at) as i64);
        let entry = self.b.ins().load(types::I16, unchanging(), address, 0);
        self.b.ins().uextend(types::I64, entry)
    }

    /// Where a walk of the member leads; to any site where the member cannot be of the way.
    fn end_of_walk(&mut self, member: Value, row: Value, walk: usize) -> Num {
        let end = if walk == 0 { member } else { self.entry_alike(row, walk) };
        Num::within(end, 0, self.plan.bits as i64 - 1)
    }

    /// Whether all holds that is asked of a member whose row this is.
    pub(super) fn holds_alike(&mut self, alike: &Alike, member: Value, row: Value) -> Flag {
        let open = self.entry_alike(row, 0);
        let mut held = Flag::Value(self.b.ins().icmp_imm_u(IntCC::NotEqual, open, 0));
        for (set, walk) in &alike.asked {
            let end = self.end_of_walk(member, row, *walk);
            let one = self.is_member(set, end);
            held = self.flags_and(held, one);
        }
        held
    }

    /// Binds the parts that follow from a member for which all holds.
    pub(super) fn derive_alike(&mut self, alike: &Alike, member: Value, row: Value) {
        for (part, derived) in &alike.derived {
            let value = match derived {
                Derived::Walk(walk) => self.end_of_walk(member, row, *walk),
                Derived::Int(int) => self.int(int),
            };
            self.bind(*part, value);
        }
    }
}
