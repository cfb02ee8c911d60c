//! What is the same for all members of a group, which neighbours link, is asked of one of them.

use super::build::*;
use super::ir::*;
use super::lower::Lowering;
use super::overlay::held;
use super::parts::conjuncts;
use super::values::Val;
use crate::rules::catalogue::{Id, Primitive};
use crate::rules::{CompareOp, Reduce};

/// No more planes than this are looked at one by one.
const FEW_PLANES: u32 = 6;

/// No set of more instructions is written out for each of them.
const MOST: usize = 100;

impl Lowering<'_> {
    /// What the words for groups and for one member give where sites are numbered in another order than that of the board;
    /// none where they are not, or where the board decides.
    pub fn listed(&mut self, word: &Primitive, args: &[Val]) -> Option<Sets> {
        let ([set], Id::Groups | Id::OneOf) = (args, word.id) else { return None };
        if self.layout.ascends(&self.rules.board) || self.settled(word, args).is_some() {
            return None;
        }
        let set = self.sets_of(set.clone());
        Some(if word.id == Id::OneOf { self.first_listed(set) } else { self.heads_listed(set) })
    }

    /// The member of a set that comes first in the order of the board, where sites are numbered in another one.
    fn first_listed(&mut self, set: Sets) -> Sets {
        let slot = self.int_slot();
        let sites = || self.rules.board.all().iter();
        let mut ranks = vec![NONE; self.layout.positions];
        for site in sites() {
            if let Some(rank) = ranks.get_mut(self.layout.position(site)) {
                *rank = i64::from(site.0);
            }
        }
        let places: Vec<i64> = sites().map(|site| i64::try_from(self.layout.position(site)).unwrap_or(NONE)).collect();
        let table = |values: Vec<i64>, index: Int| Int::Table { values: values.into(), index: Box::new(index) };
        let rank = table(ranks, Int::Slot(slot));
        let least = self.reduced(Reduce::Least, slot, Domain::Sites(set), Test::Const(true), rank);
        one(table(places, least))
    }

    /// Of each group of a set the member that comes first in the order of the board, likewise.
    fn heads_listed(&mut self, set: Sets) -> Sets {
        let slot = self.int_slot();
        let from = Box::new(one(Int::Slot(slot)));
        let group = Sets::Connected { from, within: Box::new(set.clone()) };
        let body = Box::new(self.first_listed(group));
        let domain = Box::new(Domain::Sites(Sets::Heads(Box::new(set))));
        self.named_set(Sets::Collect { slot, domain, test: Box::new(Test::Const(true)), body })
    }

    /// Some site for each group where the first of each is asked for, if instructions read the site in a slot for nothing but
    /// its group.
    pub fn any_heads_for(&self, slot: u16, domain: &Sets, parts: &[Part<'_>]) -> Option<Sets> {
        let (heads, of) = first_of_each(domain)?;
        self.are_asked_alike(slot, of, parts).then(|| heads.clone())
    }

    /// All members of the groups of which one site each is asked for, where instructions read the site in a slot for nothing
    /// but its group: what holds of one of them holds of all.
    pub fn whole_groups(&self, slot: u16, domain: &Sets, parts: &[Part<'_>]) -> Option<Sets> {
        let of = if let Sets::Heads(of) = domain { of } else { first_of_each(domain)?.1 };
        self.are_asked_alike(slot, of, parts).then(|| of.clone())
    }

    /// Whether instructions read the site in a slot for nothing but its group, which is a group of the set.
    fn are_asked_alike(&self, slot: u16, of: &Sets, parts: &[Part<'_>]) -> bool {
        self.groups_asked(slot, of, parts).is_some_and(|groups| {
            let alike = is_alike(&groups, slot) && held(of, self.facts(), self.ground.planes).count_ones() <= 1;
            alike || !groups.reads(slot) && self.surely_within(of, &groups)
        })
    }

    /// One site for each group of a set, where some instructions read the site in a slot for nothing but its group.
    pub fn heads_for(&self, slot: u16, domain: &Sets, parts: &[Part<'_>]) -> Option<Sets> {
        let groups = self.groups_asked(slot, domain, parts)?;
        self.heads_of(slot, domain, &groups)
    }

    fn heads_of(&self, slot: u16, domain: &Sets, groups: &Sets) -> Option<Sets> {
        // The set is written out several times.
        if domain.size() > MOST {
            return None;
        }
        let heads = |set: Sets| Sets::Heads(Box::new(set));
        if !is_alike(groups, slot) {
            return self.surely_within(domain, groups).then(|| heads(domain.clone()));
        }
        let planes = held(domain, self.facts(), self.ground.planes);
        let each = (0..64).map(|plane| 1 << plane).filter(|bit| planes & bit != 0);
        let of = |bit: u64| heads(self.ground.and(vec![domain.clone(), self.ground.planes(bit, When::Now)]));
        (planes.count_ones() <= FEW_PLANES).then(|| self.ground.or(each.map(of).collect()))
    }

    /// The members of a set that pass a test which reads the site in the slot for nothing but its group.
    pub fn groups_that_pass(&self, slot: u16, domain: &Sets, test: &Test) -> Option<Sets> {
        let groups = self.groups_asked(slot, domain, &[Part::Test(test)])?;
        let heads = self.heads_of(slot, domain, &groups)?;
        let own = Int::Slot(slot);
        let within = if is_alike(&groups, slot) {
            self.ground.and(vec![domain.clone(), Sets::Alike(Box::new(own.clone()), When::Now)])
        } else {
            domain.clone()
        };
        Some(Sets::Collect {
            slot,
            domain: Box::new(Domain::Sites(heads)),
            test: Box::new(test.clone()),
            body: Box::new(Sets::Connected { from: Box::new(one(own)), within: Box::new(within) }),
        })
    }

    /// That a member of a set has a property which says that its group is the whole set, or that it is not: where that is so
    /// of one member it is so of all, and the first is asked.
    pub fn asked_of_first(&self, slot: u16, set: &Sets, test: &Test) -> Option<Test> {
        if !self.ways.steps_are_neighbours {
            return None;
        }
        let (own, free): (Vec<Test>, Vec<Test>) =
            conjuncts(test.clone()).into_iter().partition(|test| test.reads(slot));
        let (test, always) = (&and(own), |asked: Test| Some(and(free.iter().cloned().chain([asked]).collect())));
        let set = &self.whole_groups(slot, set, &[Part::Test(test)]).unwrap_or_else(|| set.clone());
        let group = |from: Sets| Sets::Connected { from: Box::new(from), within: Box::new(set.clone()) };
        let (own, first) = (group(one(Int::Slot(slot))), group(Sets::First(Box::new(set.clone()))));
        let count = |set: &Sets| Int::Count(Box::new(set.clone()));
        let counted = matches!(test, Test::Compare(CompareOp::Equal, a, b)
            if [(a, b), (b, a)].contains(&(&count(&own), &count(set))));
        if counted || *test == Test::Subset(set.clone(), own.clone()) {
            return always(and(vec![any(set.clone()), Test::Subset(set.clone(), first)]));
        }
        let others = self.outside(set, &own).into_iter().zip(self.outside(set, &first));
        let found = others.into_iter().find(|(other, _)| *test == any(other.clone()));
        found.and_then(|(_, other)| always(any(other)))
    }

    /// Whether a set has more than one member, where that is asked as one beside whom there is another.
    pub(super) fn several(&self, slot: u16, set: &Sets, test: &Test) -> Option<Test> {
        let others = self.outside(set, &one(Int::Slot(slot)));
        let asked = !set.reads(slot) && others.into_iter().any(|other| *test == any(other));
        asked.then(|| compare(CompareOp::GreaterEqual, Int::Count(Box::new(set.clone())), Int::Const(2)))
    }

    /// A set without another one, in the forms in which that is said.
    fn outside(&self, set: &Sets, taken: &Sets) -> [Sets; 2] {
        [minus(set.clone(), taken.clone()), self.ground.and(vec![set.clone(), self.ground.not(taken.clone())])]
    }

    /// Whether a group has more than one member, or a set more than one group, where a comparison asks for no more than that.
    pub(super) fn one_counted(&self, op: CompareOp, number: &Int, bound: &Int) -> Option<Test> {
        let (Int::Count(set), Int::Const(bound), true) = (number, bound, self.ways.steps_are_neighbours) else {
            return None;
        };
        let (some, several) = if let Sets::Connected { from, within } = &**set
            && let Sets::One(site) = &**from
        {
            let there = self.stands_in((**within).clone(), site);
            let near = self.ground.and(vec![(**within).clone(), Sets::Near(site.clone())]);
            (there.clone(), and(vec![there, any(near)]))
        } else if let Sets::Heads(of) = &**set {
            let group = Sets::Connected { from: Box::new(Sets::First(of.clone())), within: of.clone() };
            (any((**of).clone()), not(Test::Subset((**of).clone(), group)))
        } else {
            return None;
        };
        let [none, one, two, three] = [0, 1, 2, 3].map(|count| op.holds(&count, bound));
        if !(0..=2).contains(bound) || two != three {
            return None;
        }
        Some(match [none, one, two] {
            [false, true, false] => and(vec![some, not(several)]),
            [true, false, true] => not(and(vec![some, not(several)])),
            [true, true, false] => not(several),
            [false, false, true] => several,
            [false, true, true] => some,
            [true, false, false] => not(some),
            [true, true, true] | [false, false, false] => Test::Const(none),
        })
    }

    /// The sites of the slot that make one group of a set which they are added to: neighbours of all groups of the set, which
    /// mostly are one. None where a test asks something else.
    pub(super) fn joining(&self, set: &Sets, whole: &Sets, slot: u16) -> Option<Sets> {
        let Sets::Connected { from, within } = whole else { return None };
        let Sets::Or(parts) = &**within else { return None };
        let itself = one(Int::Slot(slot));
        let (joined, rest): (Vec<&Sets>, Vec<&Sets>) = parts.iter().partition(|part| **part == itself);
        let rest = self.ground.or(rest.into_iter().cloned().collect());
        if joined.is_empty() || rest.reads(slot) || !self.ways.steps_are_neighbours {
            return None;
        }
        let begins = **from == itself || **from == Sets::First(within.clone());
        if !begins || *set != **within && (*set != rest || **from != itself) {
            return None;
        }
        let first =
            Sets::Connected { from: Box::new(Sets::First(Box::new(rest.clone()))), within: Box::new(rest.clone()) };
        let around = |set: &Sets| Sets::Dilate(Box::new(set.clone()));
        let beside_all = self.ground.or(vec![rest.clone(), around(&rest)]);
        // Of several groups a site must lie beside the first one and beside others.
        let others = minus(rest.clone(), first.clone());
        let domain = Box::new(self.ground.and(vec![around(&first), around(&others)]));
        let test = Box::new(Test::Subset(set.clone(), whole.clone()));
        let of_several = Sets::Filter { slot, domain, test };
        let of_some = self.ground.choose(Test::Subset(rest.clone(), first), beside_all, of_several);
        Some(self.ground.choose(any(rest), of_some, self.ground.everything()))
    }

    /// What the groups of the site in a slot lie in, where instructions ask for nothing else of it.
    fn groups_asked(&self, slot: u16, domain: &Sets, parts: &[Part<'_>]) -> Option<Sets> {
        let mut groups = None;
        let only = parts.iter().all(|part| asks_only_groups(part, slot, &mut groups));
        groups.filter(|_| only && !domain.reads(slot) && self.ways.steps_are_neighbours)
    }
}

/// One site for each group of a set and the set, where another set is made of the first site of each group.
pub(super) fn first_of_each(set: &Sets) -> Option<(&Sets, &Sets)> {
    let Sets::Collect { slot, domain, test, body } = set else { return None };
    let (Domain::Sites(heads), Test::Const(true), Sets::One(first)) = (&**domain, &**test, &**body) else {
        return None;
    };
    let (Sets::Heads(of), Int::Table { values: sites, index: rank }) = (heads, &**first) else { return None };
    let Int::Reduce { reduce: Reduce::Least, slot: member, domain: group, test, body } = &**rank else { return None };
    let (Domain::Sites(group), Test::Const(true), Int::Table { values: ranks, index }) = (&**group, &**test, &**body)
    else {
        return None;
    };
    let own = Sets::Connected { from: Box::new(one(Int::Slot(*slot))), within: of.clone() };
    let site = |rank: &i64| usize::try_from(*rank).ok().and_then(|rank| sites.get(rank));
    let is_order = ranks.iter().zip(0i64..).all(|(rank, at)| *rank == NONE || site(rank) == Some(&at));
    (*group == own && **index == Int::Slot(*member) && is_order).then_some((heads, &**of))
}

fn is_alike(groups: &Sets, slot: u16) -> bool {
    matches!(groups, Sets::Alike(site, When::Now) if **site == Int::Slot(slot))
}

/// Whether an instruction reads a slot for nothing but the group of the site in it, always in the same set.
fn asks_only_groups(part: &Part<'_>, slot: u16, groups: &mut Option<Sets>) -> bool {
    let own = |from: &Sets| matches!(from, Sets::One(site) if **site == Int::Slot(slot));
    if let Part::Sets(Sets::Connected { from, within }) = part
        && own(from)
    {
        let fits = is_alike(within, slot) || !within.reads(slot);
        return fits && groups.get_or_insert_with(|| (**within).clone()) == &**within;
    }
    let mut only = !matches!(part, Part::Int(Int::Slot(read)) if *read == slot);
    part.parts(&mut |part| only = only && asks_only_groups(&part, slot, groups));
    only
}
