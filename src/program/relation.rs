//! Tests of two sites that play does not change: for each site the set of the others, and the steps that lead to them.

use super::binders::bound_slots;
use super::build::*;
use super::extent::Given;
use super::ir::*;
use super::lift::written;
use super::lower::Lowering;
use super::parts::conjuncts;
use super::share::{is_kept, unshare};
use super::writes::reads_play;
use crate::board::{Site, SiteSet};
use std::cell::Cell;
use std::sync::Arc;

/// On larger boards not every site is asked of every other one.
pub(super) const MOST_SITES: usize = 200;

/// Up to this lines are told site by site as well.
pub(super) const FEW_SITES: usize = 128;

/// What takes more steps is not told site by site.
pub(super) const MOST_JUDGED: u64 = 3_000_000;

/// More ways than this are not told apart, and none of more steps.
const MOST_WAYS: usize = 24;
const MOST_STEPS: i64 = 8;

/// What is asked of a member is not written out for each of the ways to it where that is longer than this.
const MOST_WRITTEN_OUT: usize = 800;

/// As far as this a neighbourhood is found step by step.
const MOST_AROUND: u32 = 4;

/// A test of two sites, the slot of one of them, and what was found.
pub(super) type Relation = (Test, u16, Option<Sets>);

impl Lowering<'_> {
    /// All sites for which a test of the site in the slot, and perhaps of one other site, holds, where that is the same in every
    /// state.
    pub(super) fn related(&self, test: &Test, slot: u16) -> Option<Sets> {
        if Part::Test(test).asks(&is_kept) {
            let mut plain = test.clone();
            unshare(PartMut::Test(&mut plain));
            return self.related(&plain, slot);
        }
        let other = self.other_site(test, slot)?;
        let known = |(known, own, _): &&Relation| *own == slot && known == test;
        if let Some((.., found)) = self.relations.borrow().iter().find(known) {
            return found.clone();
        }
        let left = self.left_to_judge.replace(MOST_JUDGED);
        let found = match other {
            Some(other) => self.rows_of(test, slot, other).map(|rows| self.row_of(rows, other)),
            None => self.fitting_sites(test, slot, &[]).map(Sets::Const),
        };
        self.left_to_judge.set(left);
        self.relations.borrow_mut().push((test.clone(), slot, found.clone()));
        found
    }

    /// The slot of the one other site that a test reads, if it reads nothing else that is not known.
    fn other_site(&self, test: &Test, slot: u16) -> Option<Option<u16>> {
        let (other, bound) = (Cell::new(None), bound_slots(&Part::Test(test)));
        let reads_more = Part::Test(test).asks(&|part| match part {
            Part::Int(Int::Slot(own)) if *own == slot || bound.contains(own) => false,
            Part::Int(Int::Slot(own)) => other.replace(Some(*own)).is_some_and(|other| other != *own),
            Part::Sets(set) => matches!(set, Sets::Slot(_)),
            Part::Int(_) | Part::Test(_) => false,
        });
        let is_site = other.get().is_none_or(|other| self.facts().contains_key(&other));
        let few = self.layout.positions <= MOST_SITES;
        (few && !reads_more && is_site).then_some(other.get())
    }

    fn rows_of(&self, test: &Test, slot: u16, other: u16) -> Option<Arc<[SiteSet]>> {
        let row = |at: usize| {
            let at = Site::from_index(at).filter(|at| self.ground.all.contains(*at));
            at.map_or(Some(SiteSet::EMPTY), |at| self.fitting_sites(test, slot, &[(other, i64::from(at.0))]))
        };
        (0..self.layout.positions).map(row).collect()
    }

    /// The sites for which a test holds, if all of them are judged.
    fn fitting_sites(&self, test: &Test, slot: u16, given: Given<'_>) -> Option<SiteSet> {
        // Others than those of a set need not be judged, and these not again by the set.
        let (mut among, mut rest) = (self.ground.all, Vec::new());
        for test in conjuncts(test.clone()) {
            match &test {
                Test::Contains(set, Int::Slot(own)) if *own == slot && !set.reads(slot) => {
                    let extent = self.extent(set, given);
                    among &= extent.most;
                    if extent.least != extent.most {
                        rest.push(test);
                    }
                }
                _ => rest.push(test),
            }
        }
        let test = and(rest);
        let mut fitting = SiteSet::EMPTY;
        for site in among {
            if self.judged_of(&test, given, (slot, site))? {
                fitting.insert(site);
            }
        }
        Some(fitting)
    }

    fn row_of(&self, rows: Arc<[SiteSet]>, other: u16) -> Sets {
        let site = || Box::new(Int::Slot(other));
        let holds_of_all = |site: Site| rows.get(site.index()) == Some(&self.ground.all);
        if self.ground.all.iter().all(holds_of_all) {
            return self.ground.choose(self.is_there(&site()), self.ground.everything(), nothing());
        }
        let are_neighbours = |(at, row): (usize, &SiteSet)| {
            let neighbours = self.layout.site(at).map(|site| self.rules.board.neighbours(site));
            neighbours.is_none_or(|neighbours| self.layout.set(neighbours) == *row)
        };
        if rows.iter().enumerate().all(are_neighbours) {
            Sets::Near(site())
        } else {
            Sets::Table { rows, index: site() }
        }
    }

    /// How many steps to neighbours lead from each site to just those of a table, itself among them.
    pub(super) fn neighbourhood(&self, rows: &[SiteSet]) -> Option<u32> {
        let around = |set: SiteSet| {
            let sites = self.layout.sites_at(set).iter();
            sites.fold(set, |all, site| all | self.layout.set(self.rules.board.neighbours(site)))
        };
        let mut reached: Vec<(Site, SiteSet)> = self.ground.all.iter().map(|at| (at, SiteSet::single(at))).collect();
        (1..=MOST_AROUND).find(|_| {
            reached.iter_mut().for_each(|(_, set)| *set = around(*set));
            self.ways.steps_are_neighbours && reached.iter().all(|(at, set)| rows.get(at.index()) == Some(set))
        })
    }

    /// The directions in which all lines from each site, to their ends, are just the sets of a table, and whether each site is
    /// in its own.
    pub(super) fn whole_lines_of(&self, rows: &[SiteSet]) -> Option<(i64, bool)> {
        let of = |site: Site| rows.get(site.index()).copied().unwrap_or(SiteSet::EMPTY);
        let line = |site: Site, ways: i64| self.walk().trail(SiteSet::single(site), ways, i64::MAX);
        let within = |way: &u8| self.ground.all.iter().all(|site| line(site, 1 << way).is_subset(of(site)));
        let directions = ways(self.all_directions()).filter(within).fold(0, |mask, way| mask | 1 << way);
        let itself = self.ground.all.iter().all(|site| of(site).contains(site));
        let whole = |site: Site| {
            let line = line(site, directions);
            of(site) == if itself { line | SiteSet::single(site) } else { line }
        };
        (directions != 0 && !self.ways.rings && self.ground.all.iter().all(whole)).then_some((directions, itself))
    }

    /// The sets of a table as steps from the site in a slot, no two of which lead to one site: each step leads from wherever
    /// it can be made to a site of the set there, or, where the sets are no such steps, from most sites that a condition names.
    pub(super) fn ways_in(&self, rows: &[SiteSet], slot: u16) -> Option<Vec<(Int, Test)>> {
        let ways = self.ways_from(slot);
        let from_anywhere = |fitting: SiteSet, all: SiteSet| fitting == all;
        let from_most = |fitting: SiteSet, all: SiteSet| fitting.len().saturating_mul(2) >= all.len();
        self.covered(rows, &ways, from_anywhere).or_else(|| self.covered(rows, &ways, from_most)).map(|found| {
            let with_condition = |(way, from): (Int, Option<SiteSet>)| {
                let named = from.map(|from| contains(Sets::Const(from), Int::Slot(slot)));
                (way, named.unwrap_or(Test::Const(true)))
            };
            found.into_iter().map(with_condition).collect()
        })
    }

    /// The sites of the slot for which some member of a set passes a test, part of which says without play how the two lie to
    /// each other: that is so many steps, and what else is asked of the member is asked of the site that they lead to.
    pub(super) fn some_so_many_steps_away(
        &self,
        (member, domain, test): (u16, &Domain, &Test),
        slot: u16,
    ) -> Option<Sets> {
        let Domain::Sites(set) = domain else { return None };
        let says_where = |test: &Test| {
            test.reads(slot) && test.reads(member) && !Part::Test(test).asks(&|part| is_kept(part) || reads_play(part))
        };
        let (where_it_lies, rest): (Vec<Test>, Vec<Test>) = conjuncts(test.clone()).into_iter().partition(says_where);
        // What is asked of the member alone needs no steps.
        if where_it_lies.is_empty() || !rest.iter().any(|test| test.reads(slot) && test.reads(member)) {
            return None;
        }
        let rest = and(rest);
        let there = self.related(&and(where_it_lies), member)?;
        let steps = if let Sets::Table { rows, index } = &there
            && **index == Int::Slot(slot)
        {
            self.ways_in(rows, slot)?
        } else if let Sets::Near(site) = &there
            && **site == Int::Slot(slot)
            && self.ways.steps_are_neighbours
        {
            let step = |way: u8| (Int::Step(way, site.clone()), Test::Const(true));
            ways(self.all_directions()).map(step).collect()
        } else {
            return None;
        };
        let asked = |there: &Int| {
            let mut asked = rest.clone();
            put_in(PartMut::Test(&mut asked), member, there);
            and(vec![contains(set.clone(), there.clone()), asked])
        };
        self.asked_where_steps_lead(steps, asked, slot)
    }

    /// The sites of the slot for which some site lies in all of some sets, of which some say without play how the two lie to each
    /// other.
    pub(super) fn any_so_many_steps_away(&self, sets: &[Sets], slot: u16) -> Option<Sets> {
        let says_where =
            |set: &&Sets| set.reads(slot) && !Part::Sets(set).asks(&|part| is_kept(part) || reads_play(part));
        let (where_it_lies, rest): (Vec<&Sets>, Vec<&Sets>) = sets.iter().partition(says_where);
        // What is asked of the other site alone needs no steps.
        let of_both = rest.iter().any(|set| set.reads(slot));
        if where_it_lies.is_empty() || !of_both || self.layout.positions > MOST_SITES {
            return None;
        }
        let where_it_lies = self.ground.and(where_it_lies.into_iter().cloned().collect());
        let row = |at: usize| match Site::from_index(at).filter(|at| self.ground.all.contains(*at)) {
            Some(at) => self.extent(&where_it_lies, &[(slot, i64::from(at.0))]).known(),
            None => Some(SiteSet::EMPTY),
        };
        let left = self.left_to_judge.replace(MOST_JUDGED);
        let rows: Option<Vec<SiteSet>> = (0..self.layout.positions).map(row).collect();
        self.left_to_judge.set(left);
        let asked = |there: &Int| and(rest.iter().map(|set| contains((*set).clone(), there.clone())).collect());
        self.asked_where_steps_lead(self.ways_in(&rows?, slot)?, asked, slot)
    }

    /// The sites of the slot from which some steps lead to a site of which something holds.
    fn asked_where_steps_lead(&self, steps: Vec<(Int, Test)>, asked: impl Fn(&Int) -> Test, slot: u16) -> Option<Sets> {
        let each: Vec<Test> = steps.into_iter().map(|(there, from)| and(vec![from, asked(&there)])).collect();
        let size = each.iter().fold(0, |size: usize, test| size.saturating_add(written(&Part::Test(test))));
        if size > MOST_WRITTEN_OUT {
            return None;
        }
        let lifted = each.iter().map(|test| self.lift(test, slot));
        Some(self.ground.or(lifted.collect::<Option<_>>()?))
    }

    /// Ways that lead to all sites of a table, and from where, unless from wherever they lead. Of each is asked whether the
    /// sites from which it leads to one of the table are enough of all from which it leads.
    fn covered(
        &self,
        rows: &[SiteSet],
        ways: &[Int],
        are_enough: impl Fn(SiteSet, SiteSet) -> bool,
    ) -> Option<Vec<(Int, Option<SiteSet>)>> {
        let mut left: Vec<SiteSet> = rows.to_vec();
        let mut found = Vec::new();
        while let Some(at) = left.iter().position(|row| !row.is_empty()) {
            let first = Site::from_index(at)?;
            // Of the ways to it those that can be made from the most sites are the shortest, or one of several alike.
            let reach = |way: &Int| {
                let leads = |from: Site| self.led(from, way).is_some_and(|there| holds(&left, from, there));
                let all = || self.ground.all.iter().filter(|from| self.led(*from, way).is_some());
                let enough = || {
                    let (fitting, all) = (all().filter(|from| leads(*from)).collect(), all().collect());
                    are_enough(fitting, all).then_some((fitting, fitting == all))
                };
                leads(first).then(enough).flatten()
            };
            let fitting = ways.iter().filter_map(|way| Some((reach(way)?, way)));
            let ((from, always), way) = fitting.rev().max_by_key(|((fitting, always), _)| (fitting.len(), *always))?;
            for from in from {
                if let (Some(there), Some(row)) = (self.led(from, way), left.get_mut(from.index())) {
                    row.remove(there);
                }
            }
            found.push((way.clone(), (!always).then_some(from)));
            if found.len() > MOST_WAYS {
                return None;
            }
        }
        Some(found)
    }

    /// Where steps lead from a position.
    fn led(&self, from: Site, steps: &Int) -> Option<Site> {
        let there = self.follow(self.layout.site(from.index())?, steps)?;
        Site::from_index(self.layout.position(there))
    }

    /// Ways of a few steps from the site in a slot, the shortest first: one step or two and another one, or straight on.
    fn ways_from(&self, slot: u16) -> Vec<Int> {
        let compass: Vec<i64> = self.rules.board.compass().iter().map(direction_index).collect();
        let steps = |from: &Int, way: i64, count: i64| ahead(from.clone(), Int::Const(way), Int::Const(count));
        let mut all = vec![Int::Slot(slot)];
        all.extend(compass.iter().map(|way| steps(&Int::Slot(slot), *way, 1)));
        for count in 1..=2 {
            for first in &compass {
                let first = steps(&Int::Slot(slot), *first, count);
                all.extend(compass.iter().map(|second| steps(&first, *second, 1)));
            }
        }
        for count in 3..=MOST_STEPS {
            all.extend(compass.iter().map(|way| steps(&Int::Slot(slot), *way, count)));
        }
        all
    }
}

fn holds(rows: &[SiteSet], from: Site, there: Site) -> bool {
    rows.get(from.index()).is_some_and(|row| row.contains(there))
}

/// For each site those whose sets hold it.
pub(super) fn turned_round(rows: &[SiteSet]) -> Arc<[SiteSet]> {
    let holding = |at: Site| rows.iter().enumerate().filter(move |(_, row)| row.contains(at));
    let most = rows.iter().fold(SiteSet::EMPTY, |all, row| all | *row);
    let width = rows.len().max(most.iter().last().map_or(0, |last| last.index() + 1));
    let sites = |at: usize| {
        let found = Site::from_index(at).into_iter().flat_map(holding);
        found.filter_map(|(from, _)| Site::from_index(from)).collect()
    };
    (0..width).map(sites).collect()
}
