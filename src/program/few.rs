//! Sets that are a few sites with names, as those that are picked together: what is asked of the members is asked of each.

use super::build::*;
use super::ir::*;
use super::lift::{MOST_WRITTEN, all_of, written};
use super::lower::Lowering;
use super::narrow::count;
use super::parts::conjuncts;
use super::relation::MOST_SITES;
use super::single::{has_one_at_most, is_one_way};
use super::writes::reads_play;
use crate::board::Site;
use crate::rules::CompareOp;

/// More sites are not asked one by one.
const MOST_NAMED: usize = 8;

/// Of more sites it is not asked whether all are there.
const MOST_COUNTED: i64 = 32;

impl Lowering<'_> {
    /// Whether a test holds of some member of a set that is a few sites in slots, each asked by itself.
    pub(super) fn some_of_named(&self, slot: u16, set: &Sets, test: &Test) -> Option<Test> {
        let (sites, rest) = self.named(set)?;
        // Sites that are steps from another one may be missing: a loop over those that are there asks less.
        if !sites.iter().all(|site| matches!(site, Int::Slot(_))) {
            return None;
        }
        // What play does not change is told as a whole by a table, unless the board is large.
        let is_in_play = Part::Test(test).asks(&reads_play) || Part::Sets(set).asks(&reads_play);
        if !is_in_play && self.layout.positions <= MOST_SITES {
            return None;
        }
        if sites.len().saturating_mul(written(&Part::Test(test))) > MOST_WRITTEN {
            return None;
        }
        let asked = |site: &Int| {
            let mut test = test.clone();
            put_in(PartMut::Test(&mut test), slot, site);
            self.leave_out_others(PartMut::Test(&mut test));
            and(vec![self.stands_among(site, &rest), test])
        };
        Some(or(sites.iter().map(asked).collect()))
    }

    /// Whether a set has a member, where of a few sites each is asked by itself.
    pub(super) fn has_some(&self, set: &Sets) -> Test {
        match self.named(set) {
            Some((sites, rest)) => or(sites.iter().map(|site| self.stands_among(site, &rest)).collect()),
            None => any(set.clone()),
        }
    }

    /// Whether a set lies within another one. Of a few sites those are asked by themselves that are there in any case.
    pub(super) fn lies_within(&self, set: Sets, whole: Sets) -> Test {
        let Some((sites, rest)) = self.named(&set) else { return Test::Subset(set, whole) };
        let is_there = |site: &Int| self.stands_among(site, &rest) == Test::Const(true);
        let (there, others): (Vec<Int>, Vec<Int>) = sites.into_iter().partition(is_there);
        if there.is_empty() {
            return Test::Subset(set, whole);
        }
        let others = self.ground.or(others.into_iter().map(one).collect());
        let others = self.ground.and(vec![others, rest]);
        let mut all: Vec<Test> = there.into_iter().map(|site| contains(whole.clone(), site)).collect();
        if others != nothing() {
            all.push(Test::Subset(others, whole));
        }
        and(all)
    }

    /// Whether as many sites as a set can have at most, wherever it is, lie in another one: all that there can be are there, and
    /// all of them lie in it.
    pub(super) fn all_counted(&self, op: CompareOp, number: &Int, bound: &Int) -> Option<Test> {
        let (Int::Count(set), Int::Const(bound)) = (number, bound) else { return None };
        let is_fixed = |part: &Sets| !Part::Sets(part).asks(&reads_play);
        let (fixed, rest): (Vec<Sets>, Vec<Sets>) = all_of(set).iter().cloned().partition(is_fixed);
        if fixed.is_empty() || rest.is_empty() || self.layout.positions > MOST_SITES {
            return None;
        }
        let fixed = self.ground.and(fixed);
        let most = most_by_form(&fixed).filter(|most| (2..=MOST_COUNTED).contains(most))?;
        let below = op.holds(&0, bound);
        if (1..most).any(|count| op.holds(&count, bound) != below) {
            return None;
        }
        let all = and(vec![self.are_all_there(&fixed, most), self.lies_within(fixed, self.ground.and(rest))]);
        Some(match (below, op.holds(&most, bound)) {
            (false, true) => all,
            (true, false) => not(all),
            (held, _) => Test::Const(held),
        })
    }

    /// Whether a set has as many members as it can have.
    fn are_all_there(&self, set: &Sets, most: i64) -> Test {
        match self.named(set) {
            Some((sites, rest)) if self.are_all_apart(&sites) => {
                and(sites.iter().map(|site| self.stands_among(site, &rest)).collect())
            }
            _ => compare(CompareOp::Equal, Int::Count(Box::new(set.clone())), Int::Const(most)),
        }
    }

    fn are_all_apart(&self, sites: &[Int]) -> bool {
        let mut pairs =
            sites.iter().enumerate().flat_map(|(at, site)| sites.iter().take(at).map(move |other| (site, other)));
        pairs.all(|(site, other)| self.are_others(site, other))
    }

    /// The number of members of a set that is a few sites, all of them different, as the number of sets that hold the site in
    /// the slot.
    pub(super) fn named_counted(&self, set: &Sets, slot: u16) -> Option<Vec<Sets>> {
        let (sites, rest) = self.named(set)?;
        let are_apart = self.are_all_apart(&sites);
        let each = || sites.iter().map(|site| self.lift(&self.stands_among(site, &rest), slot)).collect();
        are_apart.then(each).flatten()
    }

    /// The sites of which a set is made, and in what else they are asked to lie.
    fn named(&self, set: &Sets) -> Option<(Vec<Int>, Sets)> {
        let mut rest: Vec<Sets> = all_of(set).to_vec();
        let at = rest.iter().position(|part| sites_of(part).is_some())?;
        let few = rest.remove(at);
        let sites = sites_of(&few)?.into_iter().cloned().collect();
        Some((sites, self.ground.and(rest)))
    }

    fn stands_among(&self, site: &Int, set: &Sets) -> Test {
        if *set == self.ground.everything() { self.is_there(site) } else { contains(set.clone(), site.clone()) }
    }

    /// Takes sites out of sets of a few that are asked to have others: `({a} | {b}) & !{a}` is b.
    fn leave_out_others(&self, mut part: PartMut<'_>) {
        part.parts_mut(&mut |part| self.leave_out_others(part));
        let PartMut::Sets(set) = part else { return };
        let whole = if let Sets::Minus(few, taken) = set {
            self.ground.and(vec![(**few).clone(), self.ground.not((**taken).clone())])
        } else {
            set.clone()
        };
        let Some((mut sites, rest)) = self.named(&whole) else { return };
        let (all, mut asked) = (sites.len(), all_of(&rest).to_vec());
        asked.retain(|part| {
            let out = if let Sets::Not(out) = part { site_of(out) } else { None };
            sites.retain(|site| Some(site) != out);
            // Of those that are surely others that need not be asked.
            out.is_none_or(|out| !sites.iter().all(|site| self.are_others(site, out)))
        });
        if sites.len() < all {
            asked.push(self.ground.or(sites.into_iter().map(one).collect()));
            *set = self.ground.and(asked);
        }
    }

    /// Whether two sites are never the same.
    fn are_others(&self, a: &Int, b: &Int) -> bool {
        if let (Int::Slot(a), Int::Slot(b)) = (a, b) {
            return self.knowledge.apart.contains(&(*a.min(b), *a.max(b)));
        }
        matches!((a, b), (Int::Const(a), Int::Const(b)) if a != b)
    }

    /// Notes which sites in other slots the site in a slot never is, as far as the set that it is picked from and what is asked
    /// of it say so.
    pub(super) fn know_apart(&mut self, slot: u16, domain: &Domain, test: &Test) {
        let Domain::Sites(set) = domain else { return };
        let mut sets: Vec<Sets> = all_of(set).to_vec();
        for test in conjuncts(test.clone()) {
            match test {
                Test::Contains(set, site) if site == Int::Slot(slot) => sets.extend_from_slice(all_of(&set)),
                test => sets.extend(self.related(&test, slot)),
            }
        }
        let mut others: Vec<u16> = sets.iter().filter_map(|set| self.leaves_out(set)).collect();
        let earlier: Vec<u16> = sets.iter().filter_map(|set| self.comes_after(set)).collect();
        for before in earlier {
            // It comes after those as well that this one comes after.
            let after = &mut self.knowledge.after;
            let earlier: Vec<u16> = after.iter().filter(|(late, _)| *late == before).map(|(_, early)| *early).collect();
            others.extend(&earlier);
            after.extend(earlier.into_iter().chain([before]).map(|early| (slot, early)));
        }
        self.knowledge.apart.extend(others.into_iter().map(|other| (slot.min(other), slot.max(other))));
    }

    /// The slot of the site after which all members of a set come.
    fn comes_after(&self, set: &Sets) -> Option<u16> {
        let Sets::Table { rows, index } = set else { return None };
        let Int::Slot(slot) = **index else { return None };
        let is_after = |at: Site| rows.get(at.index()).is_none_or(|row| row.iter().all(|site| site > at));
        self.ground.all.iter().all(is_after).then_some(slot)
    }

    /// The slot of the site that no member of a set is.
    fn leaves_out(&self, set: &Sets) -> Option<u16> {
        let site = if let Sets::Near(site) = set {
            Some(&**site).filter(|_| self.ground.neighbours_are_others)
        } else if let Sets::Not(out) | Sets::Minus(_, out) = set {
            site_of(out)
        } else if let Sets::Table { rows, index } = set {
            let has_itself = |site: Site| rows.get(site.index()).is_some_and(|row| row.contains(site));
            (!self.ground.all.iter().any(has_itself)).then_some(&**index)
        } else {
            None
        };
        if let Some(Int::Slot(slot)) = site { Some(*slot) } else { None }
    }
}

/// The sites of a set that is put together of single ones.
fn sites_of(set: &Sets) -> Option<Vec<&Int>> {
    let Sets::Or(cases) = set else { return None };
    let are_few = (2..=MOST_NAMED).contains(&cases.len());
    are_few.then(|| cases.iter().map(site_of).collect()).flatten()
}

/// How many members a set has at most, as its form says.
fn most_by_form(set: &Sets) -> Option<i64> {
    match set {
        set if has_one_at_most(set) => Some(1),
        Sets::And(parts) => parts.iter().filter_map(most_by_form).min(),
        Sets::Or(cases) => cases.iter().map(most_by_form).sum(),
        Sets::Trail { from, directions, steps } => {
            let Int::Const(steps @ 0..) = **steps else { return None };
            (is_one_way(directions) && has_one_at_most(from)).then_some(steps)
        }
        set => {
            let Sets::Table { rows, .. } = set else { return None };
            rows.iter().map(|row| count(row.len())).max()
        }
    }
}

fn site_of(set: &Sets) -> Option<&Int> {
    if let Sets::One(site) = set { Some(site) } else { None }
}
