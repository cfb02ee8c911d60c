//! Parts that only witness that a ply is legal: what comes after one is found for all of its values together, so that no plies
//! print alike and none need be compared.

use super::build::*;
use super::calls::Asked;
use super::ir::*;
use super::lower::{Lowered, Lowering};
use super::plan::MovePlan;
use super::told::hidden;
use super::{Branch, Generator};

/// Parts of which any will do.
#[derive(Default)]
pub(super) struct Witnesses {
    pub slots: Vec<u16>,
    /// What comes after them is found for all their values even where that is for one after the other.
    pub by_all_means: bool,
}

impl Lowering<'_> {
    /// How the plies of a move are found, and whether some may print alike: without its witnesses where that is found at once,
    /// and by all means where plies would have to be compared.
    pub(super) fn found(&mut self, plan: &MovePlan<'_>, asked: &Asked<'_>) -> Lowered<(Generator, bool)> {
        let slow = self.slow.len();
        if let Some(plainer) = self.without_witnesses(plan, asked, false)? {
            return Ok((plainer, false));
        }
        let generator = self.generator(&plan.line, asked, false)?;
        if !self.may_print_alike(plan, &generator)? {
            return Ok((generator, false));
        }
        if self.leave_apart(plan, &hidden(plan, &generator)) {
            return Ok((generator, true));
        }
        let noted = self.slow.split_off(slow);
        Ok(match self.without_witnesses(plan, asked, true)? {
            Some(plainer) => (plainer, false),
            None => {
                self.slow.extend(noted);
                (generator, true)
            }
        })
    }

    /// The plies of a move without the parts that only witness that a ply is legal, so that none print alike; none where these
    /// must be picked all the same, or (unless `by_all_means`) what they lead to can only be found for one after the other.
    fn without_witnesses(
        &mut self,
        plan: &MovePlan<'_>,
        asked: &Asked<'_>,
        by_all_means: bool,
    ) -> Lowered<Option<Generator>> {
        // Plies that fulfil a duty are looked for by themselves, and any will not do.
        let slots = if self.may_be_obliged(plan.id) { Vec::new() } else { plan.witnesses() };
        if slots.is_empty() {
            return Ok(None);
        }
        let slow = self.slow.len();
        self.witnesses = Witnesses { slots: slots.clone(), by_all_means };
        let found = self.generator(&plan.line, asked, false);
        self.witnesses = Witnesses::default();
        let found = found?;
        if slots.iter().any(|slot| found.binds(*slot)) || self.may_print_alike(plan, &found)? {
            self.slow.truncate(slow);
            return Ok(None);
        }
        Ok(Some(found))
    }

    /// A part that only witnesses that a ply is legal: what comes after it is found for all of its values together. None where
    /// it is picked like others.
    pub(super) fn for_some_witness(
        &mut self,
        slot: u16,
        domain: &Domain,
        test: &Test,
        rest: &Generator,
    ) -> Option<Generator> {
        if !self.witnesses.slots.contains(&slot) {
            return None;
        }
        match rest {
            Generator::One if self.witnesses.by_all_means => {
                Some(Generator::One.guarded_by(self.some(slot, domain.clone(), test.clone())))
            }
            Generator::Test(asked, inner) => {
                self.for_some_witness(slot, domain, &and(vec![test.clone(), asked.clone()]), inner)
            }
            Generator::Leaf { .. } | Generator::Let(..) | Generator::LetSites(..) => {
                let (last, set) = self.as_set(rest)?;
                Some(Generator::Leaf { slot: last, set: self.of_witness(slot, domain, test, set)? })
            }
            Generator::Fan { slot: last, branches } => {
                let branches = self.branches_for_some(slot, domain, test, branches)?;
                Some(Generator::Fan { slot: *last, branches })
            }
            // The other way round: the next part is picked from what it may be for some value, then that is asked again.
            Generator::Loop { slot: next, domain: Domain::Sites(set), tests, inner } if self.witnesses.by_all_means => {
                let asked = and(tests.iter().cloned().chain([test.clone()]).collect());
                let (from, own) = if set.reads(slot) {
                    (self.of_witness(slot, domain, test, set.clone())?, contains(set.clone(), Int::Slot(*next)))
                } else {
                    (set.clone(), Test::Const(true))
                };
                let inner = self.for_some_witness(slot, domain, &and(vec![asked, own]), inner)?;
                Some(self.chosen(*next, Domain::Sites(from), Test::Const(true), inner))
            }
            Generator::One
            | Generator::Loop { .. }
            | Generator::If(..)
            | Generator::Either(_)
            | Generator::Stage(..)
            | Generator::Repeat(..) => None,
        }
    }

    /// The sites that a set has for some value of a witness.
    fn of_witness(&mut self, slot: u16, domain: &Domain, test: &Test, set: Sets) -> Option<Sets> {
        if self.witnesses.by_all_means {
            return Some(self.gathered(slot, domain.clone(), test.clone(), set));
        }
        let all = self.at_once(slot, domain, test, &set)?;
        self.forget_slow(&set, &all);
        Some(all)
    }

    /// The same of branches: those that tell the same of other parts are one.
    fn branches_for_some(
        &mut self,
        slot: u16,
        domain: &Domain,
        test: &Test,
        branches: &[Branch],
    ) -> Option<Vec<Branch>> {
        let mut found: Vec<Branch> = Vec::new();
        let mut add =
            |own: &Self, set: Sets, derived: Vec<(u16, Int)>| match found.iter_mut().find(|one| one.derived == derived)
            {
                Some(one) => one.set = own.ground.or(vec![one.set.clone(), set]),
                None => found.push(Branch { set, derived }),
            };
        if !branches.iter().any(|branch| branch.derived.iter().any(|(_, number)| number.reads(slot))) {
            for Branch { set, derived } in branches {
                let set = self.of_witness(slot, domain, test, set.clone())?;
                add(self, set, derived.clone());
            }
            return Some(found);
        }
        for (member, there) in members_if(domain)? {
            let member = Int::Const(member);
            let mut test = and(vec![there, test.clone()]);
            put_in(PartMut::Test(&mut test), slot, &member);
            for mut branch in branches.iter().cloned() {
                branch.put_in(slot, &member);
                let set = self.ground.choose(test.clone(), branch.set, nothing());
                add(self, set, branch.derived);
            }
        }
        Some(found)
    }
}
