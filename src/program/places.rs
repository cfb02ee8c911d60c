//! Whether parts that are not printed are told by where printed sites lie, whatever stands on the board.

use super::Printed;
use super::build::*;
use super::ir::*;
use super::lower::{Lowered, Lowering};
use super::plan::MovePlan;
use super::single::has_one_at_most;
use super::told::*;
use crate::board::SiteSet;
use crate::rules::Type;
use std::collections::HashSet;

/// Of a part with more values it is not asked where each of them leads.
const MOST_VALUES: usize = 64;

/// Where a part leads from one site is found out by no more looks than this.
const MOST_LOOKS: usize = 512;

/// Sets that are printed are compared for no more values of the hidden parts that they are made of.
const MOST_SETS: usize = 4096;

impl Lowering<'_> {
    /// Whether every hidden part is told by where a printed site lies: whatever stands on the board, it can lie there for one
    /// value of the part only, seen from a part that is told.
    pub(super) fn told_by_places(&mut self, plan: &MovePlan<'_>) -> Lowered<bool> {
        let mut asked = Vec::new();
        if !required(&plan.line, &mut asked) {
            return Ok(false);
        }
        let printed = self.printed_sites(plan, &asked)?;
        let (mut sites, mut domains) = (Vec::new(), Vec::new());
        picked_sites(&plan.line, &mut sites);
        picked_from(&plan.line, &mut domains);
        let (mut told, mut hidden): (Vec<u16>, Vec<u16>) = (Vec::new(), Vec::new());
        for (local, slot) in &plan.parts {
            if shown(plan.mv, *local) { told.push(*slot) } else { hidden.push(*slot) }
        }
        while !hidden.is_empty() {
            let of_part = |slot: &u16| {
                let picked = sites.iter().filter(|(own, _)| own == slot).map(|(_, set)| (*set).clone());
                let tested = asked.iter().filter(|test| test.reads(*slot)).filter_map(|test| self.lift(test, *slot));
                picked.chain(tested).collect()
            };
            let mut seen: Vec<Vec<Sets>> = told.iter().map(of_part).collect();
            seen.extend(printed.iter().map(|site| vec![one(site.clone())]));
            let by_place = |part: &u16| {
                let Some((_, domain)) = domains.iter().find(|(slot, _)| slot == part) else { return false };
                if let Domain::Sites(set) = domain
                    && has_one_at_most(set)
                    && reads_only(&Part::Sets(set), &told)
                {
                    return true;
                }
                // Of a part that is printed any value will do as well; there are too many sites.
                let are_known =
                    |domain: &Domain| !matches!(domain, Domain::Sites(_)) && self.values_of(domain, &[]).is_some();
                let is_tried = |slot: &u16, domain: &Domain| hidden.contains(slot) || are_known(domain);
                let others: Vec<(u16, &Domain)> =
                    domains.iter().filter(|(slot, domain)| slot != part && is_tried(slot, domain)).copied().collect();
                seen.iter().any(|sets| {
                    let asked = Places { sets, others: &others };
                    asked.read(*part) && told.iter().any(|from| self.has_places_apart((*part, domain), *from, &asked))
                })
            };
            let Some(at) = hidden.iter().position(by_place) else { return Ok(false) };
            told.push(hidden.remove(at));
        }
        Ok(true)
    }

    /// Whether what lies in all of some sets lies elsewhere for each value of a part, wherever the part in `from` is.
    fn has_places_apart(&self, (part, domain): (u16, &Domain), from: u16, asked: &Places<'_>) -> bool {
        self.facts().contains_key(&from)
            && self.ground.all.iter().all(|site| {
                let mut given = vec![(from, i64::from(site.0))];
                let Some(values) = self.values_of(domain, &given) else { return false };
                let (mut taken, mut left) = (SiteSet::EMPTY, MOST_LOOKS);
                values.iter().all(|value| {
                    given.push((part, *value));
                    let places = self.places(asked.sets, asked.others, &mut given, &mut left);
                    given.pop();
                    let new = !places.intersects(taken);
                    taken |= places;
                    new
                })
            })
    }

    /// All that some sets may have in common, whatever some parts are that they read; anything at all where that takes more
    /// looks than are left.
    fn places(
        &self,
        sets: &[Sets],
        others: &[(u16, &Domain)],
        given: &mut Vec<(u16, i64)>,
        left: &mut usize,
    ) -> SiteSet {
        let all = self.ground.all;
        let Some(less) = left.checked_sub(1) else { return all };
        *left = less;
        let Some(((slot, domain), rest)) = others.split_first() else {
            return sets.iter().fold(all, |places, set| places & self.extent(set, given).most);
        };
        if !sets.iter().any(|set| set.reads(*slot)) {
            return self.places(sets, rest, given, left);
        }
        let Some(values) = self.values_of(domain, given) else { return all };
        values.into_iter().fold(SiteSet::EMPTY, |places, value| {
            given.push((*slot, value));
            let more = self.places(sets, rest, given, left);
            given.pop();
            places | more
        })
    }

    /// The values that a part may have, unless they are many or not known.
    fn values_of(&self, domain: &Domain, given: &[(u16, i64)]) -> Option<Vec<i64>> {
        let values: Vec<i64> = match domain {
            Domain::Sites(set) => self.extent(set, given).most.iter().map(|site| i64::from(site.0)).collect(),
            Domain::Mask(Int::Const(mask)) => members(*mask).collect(),
            Domain::Range(low, high) => {
                let ((low, _), (_, high)) = self.bounds(low).zip(self.bounds(high))?;
                (low..=high).take(MOST_VALUES + 1).collect()
            }
            Domain::Mask(_) => return None,
        };
        (values.len() <= MOST_VALUES).then_some(values)
    }

    /// Whether a printed set is made of all hidden parts, and is another one for other values of them: a row of pieces tells
    /// its two ends.
    pub(super) fn told_by_sets(&mut self, plan: &MovePlan<'_>) -> Lowered<bool> {
        let mut asked = Vec::new();
        if !required(&plan.line, &mut asked) {
            return Ok(false);
        }
        let (mut sites, mut domains) = (Vec::new(), Vec::new());
        picked_sites(&plan.line, &mut sites);
        picked_from(&plan.line, &mut domains);
        let mut sites: Vec<(u16, Sets)> = sites.into_iter().map(|(slot, set)| (slot, set.clone())).collect();
        for (slot, domain) in &domains {
            if let Domain::Sites(_) = domain {
                let tests = asked.iter().filter(|test| test.reads(*slot));
                sites.extend(tests.filter_map(|test| Some((*slot, self.lift(test, *slot)?))));
            }
        }
        let is_hidden = |slot: &u16| plan.parts.iter().any(|(local, own)| own == slot && !shown(plan.mv, *local));
        domains.retain(|(slot, _)| is_hidden(slot));
        let sets = self.printed(plan)?.0.into_iter().filter_map(|printed| match printed {
            Printed::Sites(set) => Some(set),
            Printed::Number(_) => None,
        });
        let all = plan.parts.iter().filter(|(local, _)| !shown(plan.mv, *local)).count();
        Ok(domains.len() == all
            && sets.into_iter().any(|set| {
                let (mut found, mut given) = (HashSet::new(), Vec::new());
                domains.iter().all(|(slot, _)| set.reads(*slot))
                    && self.are_all_new(&set, &domains, &sites, &mut given, &mut found)
            }))
    }

    /// Whether a set of which nothing hangs on play differs from all found before, whatever some parts are.
    fn are_all_new(
        &self,
        set: &Sets,
        parts: &[(u16, &Domain)],
        sites: &[(u16, Sets)],
        given: &mut Vec<(u16, i64)>,
        found: &mut HashSet<SiteSet>,
    ) -> bool {
        let Some(((slot, domain), rest)) = parts.split_first() else {
            let extent = self.extent(set, given);
            return extent.least == extent.most && found.len() < MOST_SETS && found.insert(extent.most);
        };
        let values = match domain {
            Domain::Sites(_) => {
                let asked = sites.iter().filter(|(own, _)| own == slot);
                let most = asked.fold(self.ground.all, |most, (_, set)| most & self.extent(set, given).most);
                most.iter().map(|site| i64::from(site.0)).collect()
            }
            domain => match self.values_of(domain, given) {
                Some(values) => values,
                None => return false,
            },
        };
        values.into_iter().all(|value| {
            given.push((*slot, value));
            let new = self.are_all_new(set, rest, sites, given, found);
            given.pop();
            new
        })
    }

    /// The printed sites that are there in every legal ply, before it is played.
    fn printed_sites(&mut self, plan: &MovePlan<'_>, asked: &[Test]) -> Lowered<Vec<Int>> {
        let (printed, types) = self.printed(plan)?;
        let site = |(shown, ty)| match (shown, ty) {
            (Printed::Number(site), Some(Type::Sites)) => Some(site),
            (Printed::Number(_) | Printed::Sites(_), _) => None,
        };
        Ok(printed.into_iter().zip(types).filter_map(site).filter(|site| is_there(site, asked)).collect())
    }
}

/// Sets in all of which a printed site lies, and parts that are not told.
struct Places<'a> {
    sets: &'a [Sets],
    others: &'a [(u16, &'a Domain)],
}

impl Places<'_> {
    fn read(&self, part: u16) -> bool {
        let domain_reads = |(_, domain): &(u16, &Domain)| match domain {
            Domain::Sites(set) => set.reads(part),
            Domain::Mask(mask) => mask.reads(part),
            Domain::Range(low, high) => low.reads(part) || high.reads(part),
        };
        self.sets.iter().any(|set| set.reads(part)) || self.others.iter().any(domain_reads)
    }
}
