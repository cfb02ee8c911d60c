//! Parts that are not printed and decide nothing but what another part may be: of the plies that print alike only the first
//! one is found, so that no plies need be compared.

use super::build::*;
use super::ir::*;
use super::lift::{MOST_WRITTEN, written};
use super::lower::{Lowered, Lowering};
use super::plan::MovePlan;
use super::told::reads_slot;
use super::{Branch, Generator, Printed, Step};

/// A part that has no more values than this is gone through value by value.
const MOST_VALUES: usize = 8;

impl Lowering<'_> {
    /// Leaves of plies that differ in a hidden part only the one with its least value, where nothing reads the part but what
    /// the last part is picked from; false where that cannot be said. `later` tells whether a slot is read after the move.
    pub(super) fn keeps_first(
        &mut self,
        (plan, body): (&MovePlan<'_>, &[Step]),
        generator: &mut Generator,
        hidden: &[u16],
        later: &dyn Fn(u16) -> bool,
    ) -> Lowered<bool> {
        let [slot] = *hidden else { return Ok(false) };
        let mut read = later(slot);
        let mut look = |part: PartMut<'_>| read |= reads_slot(&part, slot);
        body.to_vec().iter_mut().for_each(|step| step.parts_mut(&mut look));
        if read {
            return Ok(false);
        }
        let printed = self.printed(plan)?.0;
        let prints = printed.iter().any(|printed| match printed {
            Printed::Number(number) => number.reads(slot),
            Printed::Sites(set) => set.reads(slot),
        });
        Ok(!prints && self.leave_first(generator, slot))
    }

    /// The same in a generator.
    fn leave_first(&self, generator: &mut Generator, slot: u16) -> bool {
        let Some(part) = generator.loop_of(slot) else { return false };
        if let Generator::Fan { branches, .. } = part {
            return self.leave_first_branch(branches);
        }
        let Generator::Loop { domain: Domain::Mask(Int::Const(mask)), tests, inner, .. } = part else { return false };
        let values: Vec<i64> = members(*mask).collect();
        let found = self.told_first(slot, &values, tests, inner);
        found.map(|found| *part = found).is_some()
    }

    /// The same of branches, one for each value.
    fn leave_first_branch(&self, branches: &mut [Branch]) -> bool {
        let size: usize = branches.iter().map(|branch| written(&Part::Sets(&branch.set))).sum();
        if branches.len() > MOST_VALUES || size.saturating_mul(branches.len()) > MOST_WRITTEN {
            return false;
        }
        let sets: Vec<Sets> = branches.iter().map(|branch| branch.set.clone()).collect();
        for (at, branch) in branches.iter_mut().enumerate() {
            branch.set = minus(branch.set.clone(), self.ground.or(sets[..at].to_vec()));
        }
        true
    }

    /// For each value the members of the last part's set that no lesser value has.
    fn told_first(&self, slot: u16, values: &[i64], tests: &[Test], inner: &Generator) -> Option<Generator> {
        let (last, set) = self.as_set(inner)?;
        let set = self.ground.choose(and(tests.to_vec()), set, nothing());
        let copies = values.len().checked_mul(values.len())?;
        let most = written(&Part::Sets(&set)).checked_mul(copies)?;
        if last == slot || values.len() > MOST_VALUES || most > MOST_WRITTEN {
            return None;
        }
        let of_value = |value: &i64| {
            let mut set = set.clone();
            put_in(PartMut::Sets(&mut set), slot, &Int::Const(*value));
            set
        };
        let sets: Vec<Sets> = values.iter().map(of_value).collect();
        let branch = |(at, value): (usize, &i64)| Branch {
            set: minus(sets[at].clone(), self.ground.or(sets[..at].to_vec())),
            derived: vec![(slot, Int::Const(*value))],
        };
        Some(Generator::Fan { slot: last, branches: values.iter().enumerate().map(branch).collect() })
    }

    /// A generator of plies that differ in one part, as the part and a set.
    pub(super) fn as_set(&self, generator: &Generator) -> Option<(u16, Sets)> {
        match generator {
            Generator::Leaf { slot, set } => Some((*slot, set.clone())),
            Generator::Test(test, inner) => {
                let (slot, set) = self.as_set(inner)?;
                Some((slot, self.ground.choose(test.clone(), set, nothing())))
            }
            Generator::Let(kept, int, inner) => {
                let (slot, of) = self.as_set(inner)?;
                let kept = Kept::Int(*kept, Box::new(int.clone()));
                Some((slot, Sets::With { kept, of: Box::new(of) }))
            }
            Generator::LetSites(kept, set, inner) => {
                let (slot, of) = self.as_set(inner)?;
                let kept = Kept::Sets(*kept, Box::new(set.clone()));
                Some((slot, Sets::With { kept, of: Box::new(of) }))
            }
            Generator::One
            | Generator::Fan { .. }
            | Generator::Loop { .. }
            | Generator::If(..)
            | Generator::Either(_)
            | Generator::Stage(..)
            | Generator::Repeat(..) => None,
        }
    }
}
