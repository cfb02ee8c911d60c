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
    pub(super) fn told_by_places(&mut self, plan: &MovePlan<'_>, hidden: &[u16]) -> Lowered<bool> {
        let mut asked = Vec::new();
        if !required(&plan.line, &mut asked) {
            return Ok(false);
        }
        let printed = self.printed_sites(plan, &asked)?;
        let (mut sites, mut domains) = (Vec::new(), Vec::new());
        picked_sites(&plan.line, &mut sites);
        picked_from(&plan.line, &mut domains);
        let (mut told, mut hidden) = (told(plan), hidden.to_vec());
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

    /// Whether the printed sites tell all hidden parts, whatever stands on the board: for other values of these some of the
    /// sites are others. A row of pieces tells its two ends, and a site beside another one the direction between them.
    pub(super) fn told_by_sets(&mut self, plan: &MovePlan<'_>, hidden: &[u16]) -> Lowered<bool> {
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
        let all = self.printed(plan)?.0.into_iter().filter_map(|printed| match printed {
            Printed::Sites(set) => Some(Shown::All(set)),
            Printed::Number(_) => None,
        });
        let one = self.printed_sites(plan, &asked)?.into_iter().map(|site| Shown::One(one(site)));
        // A part that is printed is told by what it is picked from, where that is one site.
        let told = told(plan);
        let of_part = |slot: &u16| {
            let sets: Vec<Sets> = sites.iter().filter(|(own, _)| own == slot).map(|(_, set)| set.clone()).collect();
            (!sets.is_empty()).then(|| Shown::One(self.ground.and(sets)))
        };
        let parts = told.iter().filter_map(of_part);
        let reads = |shown: &Shown| hidden.iter().any(|slot| shown.set().reads(*slot));
        let printed: Vec<Shown> = all.chain(one).chain(parts).filter(reads).collect();
        let is_read = |slot: &u16| printed.iter().any(|shown| shown.set().reads(*slot));
        // What there is one of at most is told by the others.
        let is_told =
            |slot: &u16, domain: &Domain| is_read(slot) || matches!(domain, Domain::Sites(set) if has_one_at_most(set));
        let is_picked = |slot: &u16| domains.iter().any(|(own, domain)| own == slot && is_told(slot, domain));
        if !hidden.iter().all(is_picked) {
            return Ok(false);
        }
        // Of those that are printed as well, what is printed may hang on a few values.
        let is_few = |domain: &Domain| !matches!(domain, Domain::Sites(_)) && self.values_of(domain, &[]).is_some();
        domains.retain(|(slot, domain)| hidden.contains(slot) || is_read(slot) && is_few(domain));
        let (mut rows, mut given) = (Vec::new(), Vec::new());
        let are_known = self.rows_printed(&printed, &domains, &sites, &mut given, &mut rows);
        let rows: Vec<Row> = rows.into_iter().flatten().collect();
        Ok(are_known && are_told_apart(&rows, &told))
    }

    /// What is printed for all values of some parts, row by row; false where these are many or not known.
    fn rows_printed(
        &self,
        printed: &[Shown],
        parts: &[(u16, &Domain)],
        sites: &[(u16, Sets)],
        given: &mut Vec<(u16, i64)>,
        rows: &mut Vec<Option<Row>>,
    ) -> bool {
        let Some(((slot, domain), rest)) = parts.split_first() else {
            let known = |shown: &Shown| {
                let extent = self.extent(shown.set(), given);
                let is_known = match shown {
                    Shown::All(_) => extent.least == extent.most,
                    Shown::One(_) => extent.most.len() <= 1,
                };
                is_known.then_some(extent.most)
            };
            let sets: Vec<Option<SiteSet>> = printed.iter().map(known).collect();
            // Where nothing is known there is nothing to tell parts apart by.
            if sets.iter().all(Option::is_none) {
                return false;
            }
            // A site that is off the board is in no legal ply.
            let is_off = |(shown, sites): (&Shown, &Option<SiteSet>)| {
                matches!(shown, Shown::One(_)) && sites.is_some_and(|sites| sites.is_empty())
            };
            let is_legal = !printed.iter().zip(&sets).any(is_off);
            rows.push(is_legal.then(|| Row { parts: given.clone(), sets }));
            return rows.len() <= MOST_SETS;
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
            let known = self.rows_printed(printed, rest, sites, given, rows);
            given.pop();
            known
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

/// What is printed of sites.
enum Shown {
    /// All sites of a set.
    All(Sets),
    /// The only site of a set, which has one in every legal ply.
    One(Sets),
}

impl Shown {
    fn set(&self) -> &Sets {
        let (Self::All(set) | Self::One(set)) = self;
        set
    }
}

/// What is printed for values of some parts; none where that is not known.
struct Row {
    parts: Vec<(u16, i64)>,
    sets: Vec<Option<SiteSet>>,
}

/// Whether no two rows are alike in the parts that are told and in what is known of all rows.
fn are_told_apart(rows: &[Row], told: &[u16]) -> bool {
    let width = rows.first().map_or(0, |row| row.sets.len());
    let is_known = |at: &usize| rows.iter().all(|row| row.sets.get(*at).is_some_and(Option::is_some));
    let known: Vec<usize> = (0..width).filter(is_known).collect();
    let mut found = HashSet::new();
    rows.iter().all(|row| {
        let parts: Vec<i64> =
            row.parts.iter().filter(|(slot, _)| told.contains(slot)).map(|(_, value)| *value).collect();
        let sets: Vec<Option<SiteSet>> = known.iter().filter_map(|at| row.sets.get(*at).copied()).collect();
        found.insert((parts, sets))
    })
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
