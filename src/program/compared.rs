//! Comparisons of numbers turned round: the set of all sites for which they hold, computed for the whole board at once.

use super::build::*;
use super::cases::MOST_TAKEN_APART;
use super::ir::*;
use super::lift::{MOST_WRITTEN, written};
use super::lower::Lowering;
use super::parts::conjuncts;
use super::relation::{FEW_SITES, MOST_JUDGED};
use crate::rules::{ArithmeticOp, CompareOp, Reduce};

impl Lowering<'_> {
    /// All sites of the slot for which two numbers compare as said.
    pub(super) fn lift_compare(&self, op: CompareOp, a: &Int, b: &Int, slot: u16) -> Option<Sets> {
        self.compared(op, a, b, slot)
            .or_else(|| self.nearest_compared(op, a, b, slot))
            .or_else(|| self.by_cases(op, a, b, slot))
            .or_else(|| self.in_either_case(op, a, b, slot))
    }

    /// The same of a number that is one of two, by what is the same for all sites.
    fn in_either_case(&self, op: CompareOp, a: &Int, b: &Int, slot: u16) -> Option<Sets> {
        if written(&Part::Int(a)).saturating_add(written(&Part::Int(b))) > MOST_TAKEN_APART {
            return None;
        }
        [(op, a, b), (op.turned(), b, a)].into_iter().find_map(|(op, own, other)| {
            let Int::If(test, yes, no) = own else { return None };
            if test.reads(slot) {
                return None;
            }
            let [yes, no] = [yes, no].map(|case| self.lift(&compare(op, (**case).clone(), other.clone()), slot));
            Some(self.ground.choose((**test).clone(), yes?, no?))
        })
    }

    fn compared(&self, op: CompareOp, a: &Int, b: &Int, slot: u16) -> Option<Sets> {
        if let Some(found) = self.beside_table(op, a, b, slot) {
            return Some(found);
        }
        for (op, own, other) in [(op, a, b), (op.turned(), b, a)] {
            if own.reads(slot)
                && !other.reads(slot)
                && let Some(found) = (self.greatest_beside(op, own, other, slot))
                    .or_else(|| self.in_direction(op, own, other, slot))
                    .or_else(|| self.runs_beside(op, own, other, slot))
            {
                return Some(found);
            }
        }
        if let (Some((left, k)), Some((right, l))) = (self.addends(a, slot), self.addends(b, slot)) {
            return Some(self.tally(op, left, right, Int::Const(k - l)));
        }
        // A number of the site compared with one that is the same for all sites.
        if a.reads(slot)
            && !b.reads(slot)
            && let Some((left, k)) = self.addends(a, slot)
        {
            let offset = calculate(ArithmeticOp::Subtract, Int::Const(k), b.clone());
            return Some(self.tally(op, left, Vec::new(), offset));
        }
        if b.reads(slot)
            && !a.reads(slot)
            && let Some((right, k)) = self.addends(b, slot)
        {
            let offset = calculate(ArithmeticOp::Subtract, a.clone(), Int::Const(k));
            return Some(self.tally(op, Vec::new(), right, offset));
        }
        if let Some(balanced) = self.balanced(op, a, b, slot) {
            return Some(balanced);
        }
        let (own, other) = if a.reads(slot) { (a, b) } else { (b, a) };
        if op == CompareOp::Equal
            && !other.reads(slot)
            && let Some(two_on) = self.two_steps_on(own, slot)
        {
            let Int::Only(between) = own else { return None };
            let it = self.lift(&contains((**between).clone(), other.clone()), slot)?;
            return Some(self.ground.and(vec![it, two_on]));
        }
        if other.reads(slot) || !self.finds_sites(own, slot) {
            return None;
        }
        match op {
            CompareOp::Equal => self.sources(own, one(other.clone()), slot),
            CompareOp::NotEqual => {
                let there = self.sources(own, self.ground.everything(), slot)?;
                let same = self.sources(own, one(other.clone()), slot)?;
                let apart = self.ground.and(vec![there, self.ground.not(same)]);
                Some(self.ground.choose(self.is_there(other), apart, nothing()))
            }
            CompareOp::Less | CompareOp::LessEqual | CompareOp::Greater | CompareOp::GreaterEqual => None,
        }
    }

    /// The sites of the slot between which and another one there is one site: those two steps on.
    fn two_steps_on(&self, site: &Int, slot: u16) -> Option<Sets> {
        let Int::Only(between) = site else { return None };
        let Sets::Between(a, b) = &**between else { return None };
        let other = other_end((a, b), &Int::Slot(slot))?;
        let is_line = self.ways.rays_are_apart && self.ways.directions_are_lines && self.ways.steps_lead_back;
        let (from, directions) = (Box::new(one(other.clone())), Box::new(Int::Const(self.all_ways())));
        let two_on = Sets::Ahead { from, directions, steps: Box::new(Int::Const(2)) };
        (is_line && !self.ways.rings && !other.reads(slot)).then_some(two_on)
    }

    /// The sites at which the least or the greatest of some numbers compares as said: some of them do, or none that do not.
    /// Where one of them is missing there is no least.
    fn greatest_beside(&self, op: CompareOp, own: &Int, other: &Int, slot: u16) -> Option<Sets> {
        let Int::Reduce { reduce, slot: member, domain, test, body } = own else { return None };
        let some = |asked: Test| {
            let test = Box::new(and(vec![(**test).clone(), asked]));
            if let (Test::Const(true), Domain::Sites(set)) = (&*test, &**domain) {
                return self.lift_any(set, slot);
            }
            self.lift(&Test::Exists { slot: *member, domain: domain.clone(), test }, slot)
        };
        let some_is = |op| some(compare(op, (**body).clone(), other.clone()));
        let (some_will_do, against) = match op {
            CompareOp::Less => (Reduce::Least, CompareOp::GreaterEqual),
            CompareOp::LessEqual => (Reduce::Least, CompareOp::Greater),
            CompareOp::Greater => (Reduce::Most, CompareOp::LessEqual),
            CompareOp::GreaterEqual => (Reduce::Most, CompareOp::Less),
            CompareOp::Equal | CompareOp::NotEqual => return None,
        };
        let found = match reduce {
            Reduce::Sum => return None,
            reduce if *reduce == some_will_do => some_is(op)?,
            Reduce::Least | Reduce::Most => {
                let fits = self.ground.and(vec![some(Test::Const(true))?, self.ground.not(some_is(against)?)]);
                self.ground.choose(self.is_there(other), fits, nothing())
            }
        };
        let missing = some(not(known((**body).clone())))?;
        Some(self.ground.and(vec![found, self.ground.not(missing)]))
    }

    /// Whether the least or the greatest of some numbers compares so with another one, and whether both are there and it does
    /// not: some of the numbers do, or there are some and none that does not. None where one of them may be missing.
    pub(super) fn greatest_compared(&mut self, op: CompareOp, own: &Int, other: &Int) -> Option<(Test, Test)> {
        // Of few numbers they are as soon compared as asked for.
        if !goes_through_sites(own) {
            return None;
        }
        // Where the other number hangs on a member of which the numbers do not, these are worked out once for all members.
        let hangs_on_more =
            Part::Int(other).asks(&|part| matches!(part, Part::Int(Int::Slot(slot)) if !own.reads(*slot)));
        if hangs_on_more || !matches!(other, Int::Const(_)) && self.bounds(other).is_none() {
            return None;
        }
        Some((self.some_compare(op, own, other)?, self.some_compare(op.negated(), own, other)?))
    }

    fn some_compare(&mut self, op: CompareOp, own: &Int, other: &Int) -> Option<Test> {
        let Int::Reduce { reduce, slot, domain, test, body } = own else { return None };
        let beyond = match reduce {
            Reduce::Most => CompareOp::Greater,
            Reduce::Least => CompareOp::Less,
            Reduce::Sum => return None,
        };
        if !self.is_there_where(body, test) && !self.has_always_some((*slot, domain, test), body) {
            return None;
        }
        let passing = |own: &mut Self, op: CompareOp, test: &Test, body: &Int| {
            let passes = own.some_compare(op, body, other);
            and(vec![test.clone(), passes.unwrap_or_else(|| own.numbers_compared(op, body, other))])
        };
        let some = |own: &mut Self, op: CompareOp| {
            let size = written(&Part::Test(test)).saturating_add(written(&Part::Int(body)));
            match few(domain).filter(|members| members.len().saturating_mul(size) <= MOST_WRITTEN) {
                // With the number known it may be asked of the whole board.
                Some(members) => or(members
                    .into_iter()
                    .map(|member| {
                        let (mut test, mut body) = ((**test).clone(), (**body).clone());
                        put_in(PartMut::Test(&mut test), *slot, &Int::Const(member));
                        put_in(PartMut::Int(&mut body), *slot, &Int::Const(member));
                        passing(own, op, &test, &body)
                    })
                    .collect()),
                None => {
                    let passes = passing(own, op, test, body);
                    own.some_of(*slot, (**domain).clone(), passes)
                }
            }
        };
        Some(match op {
            CompareOp::Equal => and(vec![some(self, op), not(some(self, beyond))]),
            CompareOp::Greater | CompareOp::GreaterEqual if beyond == CompareOp::Greater => some(self, op),
            CompareOp::Less | CompareOp::LessEqual if beyond == CompareOp::Less => some(self, op),
            CompareOp::NotEqual
            | CompareOp::Less
            | CompareOp::LessEqual
            | CompareOp::Greater
            | CompareOp::GreaterEqual => {
                let against = self.some_compare(op.negated(), own, other)?;
                let there = self.some_of(*slot, (**domain).clone(), (**test).clone());
                and(vec![there, not(against)])
            }
        })
    }

    /// Whether a number is there wherever a test holds: one that is never missing, or the least or the greatest of such numbers
    /// where the test says that there are some.
    fn is_there_where(&self, number: &Int, test: &Test) -> bool {
        let Int::Reduce { reduce: Reduce::Most | Reduce::Least, domain, test: passing, body, .. } = number else {
            return never_missing(number) || self.bounds(number).is_some();
        };
        let some = match &**domain {
            Domain::Sites(set) => any(set.clone()),
            Domain::Mask(mask) => compare(CompareOp::NotEqual, mask.clone(), Int::Const(0)),
            Domain::Range(..) => return false,
        };
        let asked = some == Test::Const(true) || conjuncts(test.clone()).contains(&some);
        asked && **passing == Test::Const(true) && self.is_there_where(body, passing)
    }

    /// Whether a number is the least or the greatest of some for every member of a domain that passes a test, as far as that is
    /// told whatever stands on the board.
    fn has_always_some(&self, (slot, domain, test): (u16, &Domain, &Test), number: &Int) -> bool {
        let Int::Reduce { reduce: Reduce::Most | Reduce::Least, slot: inner, domain: of, test: passing, body } = number
        else {
            return false;
        };
        let has_some = Test::Exists { slot: *inner, domain: of.clone(), test: passing.clone() };
        let without = Test::Exists {
            slot,
            domain: Box::new(domain.clone()),
            test: Box::new(and(vec![test.clone(), not(has_some)])),
        };
        let left = self.left_to_judge.replace(MOST_JUDGED);
        let found = self.judged(&without, &[]);
        self.left_to_judge.set(left);
        found == Some(false) && self.is_there_where(body, passing)
    }

    /// The sites that lie in a direction from another one, or from which another one lies in it.
    fn in_direction(&self, op: CompareOp, own: &Int, other: &Int, slot: u16) -> Option<Sets> {
        let Int::Direction(from, to) = own else { return None };
        if op != CompareOp::Equal || self.ways.rings || !self.ways.rays_are_apart {
            return None;
        }
        // On a small board as a table of each site's, of which steps can be made.
        if self.layout.positions <= FEW_SITES
            && let Some(told) = self.related(&compare(op, own.clone(), other.clone()), slot)
        {
            return Some(told);
        }
        let line = |from: &Int, way: Int| self.lines(from, bit(way));
        if **to == Int::Slot(slot) && !from.reads(slot) {
            return Some(line(from, other.clone()));
        }
        let leads_back = **from == Int::Slot(slot) && !to.reads(slot) && self.ways.steps_lead_back;
        leads_back.then(|| line(to, opposite(other.clone())))
    }

    /// Whether a number is a site wherever there is one: of others [`Lowering::sources`] would lose those that are none.
    pub(super) fn finds_sites(&self, int: &Int, slot: u16) -> bool {
        match int {
            Int::If(_, yes, no) => self.finds_sites(yes, slot) && self.finds_sites(no, slot),
            Int::Const(number) => usize::try_from(*number).is_ok_and(|site| site < self.rules.board.len()),
            other => other.reads(slot),
        }
    }

    /// The same of two lists of numbers.
    pub(super) fn lift_lists(&self, op: CompareOp, a: &[Int], b: &[Int], slot: u16) -> Option<Sets> {
        if a.len() != b.len() || a.is_empty() {
            return None;
        }
        // Only numbers that are never missing may be compared one by one.
        let (strict, last) = match op {
            CompareOp::Less | CompareOp::LessEqual => (CompareOp::Less, op),
            CompareOp::Greater | CompareOp::GreaterEqual => (CompareOp::Greater, op),
            CompareOp::Equal | CompareOp::NotEqual => return None,
        };
        if !a.iter().chain(b).all(never_missing) {
            return None;
        }
        let tallies = a.iter().zip(b).map(|(a, b)| {
            let compared = self.lift_compare(CompareOp::Greater, a, b, slot)?;
            if let Sets::Tally(tally) = compared { Some(*tally) } else { None }
        });
        if let Some(levels) = tallies.collect::<Option<Vec<Tally>>>() {
            let greater = strict == CompareOp::Greater;
            return Some(Sets::Ranked { greater, equal: last != strict, levels });
        }
        let mut result = nothing();
        for at in (0..a.len()).rev() {
            let ahead = self.lift_compare(if at + 1 == a.len() { last } else { strict }, &a[at], &b[at], slot)?;
            if at + 1 == a.len() {
                result = ahead;
            } else {
                let same = self.lift_compare(CompareOp::Equal, &a[at], &b[at], slot)?;
                result = self.ground.or(vec![ahead, self.ground.and(vec![same, result])]);
            }
        }
        Some(result)
    }
}

/// Whether a number is worked out of those of many members: of sites, or of numbers that are worked out of those of sites.
fn goes_through_sites(number: &Int) -> bool {
    let Int::Reduce { domain, body, .. } = number else { return false };
    matches!(**domain, Domain::Sites(_)) || goes_through_sites(body)
}
