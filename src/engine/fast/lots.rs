//! What plies are drawn from: candidates that are cheap to count, among which every ply of a call stands once. Worked out
//! once, when a program is made ready.

use super::bounds::{Bounds, Known};
use super::geometry::Geometry;
use super::toil::{Cost, DRAWN, SIFTED, weight};
use crate::program::ir::{Domain, Effect, Int, Part, Sets, Test, When};
use crate::program::{Branch, ForMover, Generator, Program, Repeat, TurnNode, calls_behind, closing, nodes_behind};

/// A loop within a loop is drawn from where it has no more candidates than this: they may all but one be in vain.
const MOST_WITHIN: u64 = 128;

/// The same where ranges of numbers are gone through within: most of them are short, and to find that a number is missing
/// takes little.
const MOST_NUMBERS: u64 = 256;

/// Where more candidates than this are counted for each member of a loop, most of them are missing.
const SPARSE: u64 = 8;

/// Plies are drawn where to list them takes more instructions than this, and so many times as many as to draw one.
const LITTLE_TOIL: u64 = 600;
const WORTH: u64 = 2;

/// Sets of plies that take more instructions are not worked out to draw from them: a member of a larger set is tested.
const LITTLE_SETS: u64 = 100;

/// Of the sites of a board about one in so many is a member of a set of which no more is known.
const OF_ALL: u64 = 4;

/// To make changes on a copy of the state counts as so many instructions, and to see whether a turn can be finished.
const COPY: u64 = 200;
const FOLLOW: u64 = 1_000;

/// The candidates of a call, as its generator, but for sets whose members are tested one by one: these are loops.
#[derive(Clone, Debug)]
pub enum Lots {
    /// The parts that are bound are the only candidate.
    One,
    Fan {
        slot: u16,
        branches: Vec<Branch>,
    },
    /// A candidate for each way and each member of a set: those that pass the tests of the way are plies.
    Sift {
        slot: u16,
        domain: Sets,
        ways: Vec<Way>,
        /// How many instructions it takes to work out the sets of all ways.
        listed: u64,
    },
    Test(Test, Box<Lots>),
    If(Test, Box<Lots>, Box<Lots>),
    Either(Vec<Lots>),
    Let(u16, Int, Box<Lots>),
    LetSites(u16, Sets, Box<Lots>),
    /// As many candidates for each member as one can have at most.
    Loop {
        slot: u16,
        domain: Domain,
        tests: Vec<Test>,
        within: u64,
        /// Where the piece on a site tells more, sets that stand instead of the domain, each with the most candidates that a
        /// member of it can have. Members of the domain that are in none of them have no candidates.
        shares: Vec<(Sets, u64)>,
        /// The most candidates that there can be in any state.
        most: u64,
        inner: Box<Lots>,
    },
    /// The changes are made on a copy of the state.
    Stage(Vec<Effect>, Box<Lots>),
    Repeat(Repeat, Box<Lots>),
}

/// One way to draw from a set: tests of a member, and parts that follow from it.
#[derive(Clone, Debug)]
pub struct Way {
    pub tests: Vec<Test>,
    pub derived: Vec<(u16, Int)>,
}

/// What the calls of a program are drawn from, and where.
#[derive(Debug)]
pub struct Urn {
    /// By player and call; none where there may be too many candidates.
    pub calls: Vec<Vec<Option<Lots>>>,
    /// The places at which a ply is drawn in random games.
    pub places: Vec<bool>,
    /// The calls that each place leads to.
    pub behind: Vec<Vec<u16>>,
    /// The places at which one way is preferred to others.
    pub prefers: Vec<bool>,
    /// By call, whether it is drawn from alone, and most candidates are missing: several are drawn at a time then.
    sparse: Vec<bool>,
    /// What plies of a place cost, by place.
    costs: Vec<Cost>,
    /// By player and call, whether a ply of it ends the turn, where that shows before it is played.
    closing: Vec<Vec<Option<Test>>>,
    /// By player and call, another call whose candidates have the same numbers: none of them can be a ply of both.
    beside: Vec<Vec<Option<u16>>>,
    /// The places at which calls may share numbers: no condition in the turn closes one of them alone.
    unguarded: Vec<bool>,
    pub bounds: Bounds,
}

impl Urn {
    pub fn of<const W: usize>(program: &Program, geometry: &Geometry<W>) -> Self {
        let bounds = Bounds::of(program, geometry);
        let by_mover = program.by_mover.iter();
        let calls: Vec<Vec<Option<Lots>>> = by_mover
            .map(|own| own.calls.iter().map(|call| Lots::of(&call.generator, &bounds, &mut Known::default())).collect())
            .collect();
        let any_whole = program.sections.iter().any(|section| section.whole);
        let behind: Vec<Vec<u16>> = (0..program.nodes.len()).map(|place| calls_behind(&program.nodes, place)).collect();
        let is_slow = |behind: &Vec<u16>| {
            calls.iter().any(|own| {
                let lots = || behind.iter().filter_map(|call| own.get(usize::from(*call))?.as_ref());
                let listing = lots().map(|lots| lots.listing(&bounds)).fold(0, u64::saturating_add);
                let cost = lots().map(|lots| lots.cost(&bounds)).fold(Cost::default(), Cost::or);
                listing > LITTLE_TOIL.max(cost.of_drawing(DRAWN, DRAWN).saturating_mul(WORTH))
            })
        };
        let draws = |(place, behind): (usize, &Vec<u16>)| {
            program.plain.get(place) == Some(&true) && !behind.is_empty() && (any_whole || is_slow(behind))
        };
        let places: Vec<bool> = behind.iter().enumerate().map(draws).collect();
        let closing = |own: &ForMover| own.calls.iter().map(|call| closing(&program.nodes, own, call)).collect();
        let closing = program.by_mover.iter().map(closing).collect();
        let prefers = |place: usize| {
            let nodes = nodes_behind(&program.nodes, place);
            nodes.into_iter().any(|node| matches!(node, TurnNode::Prefer(_)))
        };
        let prefers = (0..program.nodes.len()).map(prefers).collect();
        let cost = |behind: &Vec<u16>| {
            let lots = calls.iter().flat_map(|own| behind.iter().filter_map(|call| own.get(usize::from(*call))));
            lots.flatten().fold(Cost::default(), |cost, lots| cost.or(lots.cost(&bounds)))
        };
        let costs = behind.iter().map(cost).collect();
        // Such a call is the only one wherever it is drawn, so that its code is made for that.
        let is_sparse = |call: &u16| {
            let known = || calls.iter().filter_map(|own| own.get(usize::from(*call))?.as_ref());
            let mut drawn = behind.iter().zip(&places).filter(|(_, draws)| **draws).map(|(behind, _)| behind);
            known().any(Lots::is_sparse)
                && !known().any(Lots::changes_a_copy)
                && drawn.all(|behind| !behind.contains(call) || behind.len() == 1)
        };
        let count = calls.iter().map(Vec::len).max().unwrap_or(0);
        let sparse = (0..count).map(|call| u16::try_from(call).is_ok_and(|call| is_sparse(&call))).collect();
        let beside = calls.iter().map(|own| sharing(own)).collect();
        let unguarded = |place: usize| {
            let nodes = nodes_behind(&program.nodes, place);
            !nodes.into_iter().any(|node| matches!(node, TurnNode::Guard(..)))
        };
        let unguarded = (0..program.nodes.len()).map(unguarded).collect();
        Self { calls, places, behind, prefers, sparse, costs, closing, beside, unguarded, bounds }
    }

    /// What a call is drawn from.
    pub fn lots(&self, mover: u8, call: u16) -> Option<&Lots> {
        self.calls.get(usize::from(mover))?.get(usize::from(call))?.as_ref()
    }

    /// Whether a ply of a call, whose parts are bound, ends the turn; none where it has to be played to find out.
    pub fn closing(&self, mover: u8, call: u16) -> Option<&Test> {
        self.closing.get(usize::from(mover))?.get(usize::from(call))?.as_ref()
    }

    /// Whether several candidates of a call are drawn at a time. None of them changes a copy of the state.
    pub fn is_sparse(&self, call: u16) -> bool {
        self.sparse.get(usize::from(call)) == Some(&true)
    }

    /// By call that is drawn from at a place, another one whose candidates have the same numbers, if that is drawn from as well:
    /// where a candidate of the first is no ply, that of the other one is judged.
    pub fn beside(&self, mover: u8, place: u16) -> &[Option<u16>] {
        let unguarded = self.unguarded.get(usize::from(place)) == Some(&true);
        self.beside.get(usize::from(mover)).filter(|_| unguarded).map_or(&[], Vec::as_slice)
    }

    /// What plies of a place cost.
    pub fn cost(&self, place: u16, whole: bool) -> Cost {
        let cost = self.costs.get(usize::from(place)).copied().unwrap_or_default();
        let follow = if whole { FOLLOW } else { 0 };
        Cost { test: cost.test + follow, each: cost.each + follow, ..cost }
    }

    /// Whether at most one of several ways leads to plies.
    pub fn one_plays(&self, ways: &[u16]) -> bool {
        let plays = |way: &&u16| self.behind.get(usize::from(**way)).is_some_and(|calls| !calls.is_empty());
        ways.iter().filter(plays).count() <= 1
    }

    /// Whether plies are drawn at a place.
    pub fn draws_at(&self, place: u16) -> bool {
        self.places.get(usize::from(place)) == Some(&true)
    }
}

/// By call of a player, one behind it that has the same candidates, none of which can be a ply of both. Every call shares with
/// one other at most.
fn sharing(own: &[Option<Lots>]) -> Vec<Option<u16>> {
    let mut beside: Vec<Option<u16>> = vec![None; own.len()];
    for (other, lots) in (0u16..).zip(own) {
        let is_free = |first: &usize| {
            let is_other = u16::try_from(*first).is_ok_and(|first| beside.contains(&Some(first)));
            let pair = own.get(*first).and_then(Option::as_ref).zip(lots.as_ref());
            beside.get(*first) == Some(&None) && !is_other && pair.is_some_and(|(one, other)| one.excludes(other))
        };
        let first = (0..usize::from(other)).find(is_free);
        if let Some(beside) = first.and_then(|first| beside.get_mut(first)) {
            *beside = Some(other);
        }
    }
    beside
}

/// Whether no site lies in both sets, by what stands there: names may stand for something else in each of them.
fn are_apart(one: &Sets, other: &Sets) -> bool {
    match (one, other) {
        (Sets::And(parts), other) | (other, Sets::And(parts)) => parts.iter().any(|part| are_apart(part, other)),
        (Sets::Planes(one, when), Sets::Planes(other, at)) => when == at && one & other == 0,
        (Sets::Pull(way, one), Sets::Pull(same, other)) => way == same && are_apart(one, other),
        _others => false,
    }
}

impl Lots {
    fn of<'g>(generator: &'g Generator, bounds: &Bounds, known: &mut Known<'g>) -> Option<Self> {
        let inner_of = |inner: &'g Generator| Self::of(inner, bounds, &mut known.clone()).map(Box::new);
        Some(match generator {
            Generator::One => Self::One,
            Generator::Leaf { slot, set } => {
                Self::of_branches(*slot, &[Branch { set: set.clone(), derived: Vec::new() }], bounds)
            }
            Generator::Fan { slot, branches } => Self::of_branches(*slot, branches, bounds),
            Generator::Test(test, inner) => Self::Test(test.clone(), inner_of(inner)?),
            Generator::If(test, yes, no) => Self::If(test.clone(), inner_of(yes)?, inner_of(no)?),
            Generator::Either(all) => {
                Self::Either(all.iter().map(|one| Self::of(one, bounds, &mut known.clone())).collect::<Option<_>>()?)
            }
            Generator::Let(slot, int, inner) => {
                *known = known.with_number(*slot, int, bounds);
                Self::Let(*slot, int.clone(), Box::new(Self::of(inner, bounds, known)?))
            }
            Generator::LetSites(slot, set, inner) => {
                *known = known.with_set(*slot, set, bounds);
                Self::LetSites(*slot, set.clone(), Box::new(Self::of(inner, bounds, known)?))
            }
            Generator::Loop { slot, domain, tests, inner } => {
                let members = bounds.members(domain, known);
                known.numbers.push((*slot, None, None));
                let here = known.clone();
                let inner = Box::new(Self::of(inner, bounds, known)?);
                let most = if inner.counts() { MOST_NUMBERS } else { MOST_WITHIN };
                let within = inner.most_of(bounds, &here).filter(|within| (1..=most).contains(within))?;
                let shares =
                    if let Domain::Sites(set) = domain { inner.shares(*slot, set, bounds, &here) } else { Vec::new() };
                let within = shares.iter().map(|(_, within)| *within).max().unwrap_or(within);
                let most = members?.checked_mul(within)?;
                Self::Loop { slot: *slot, domain: domain.clone(), tests: tests.clone(), within, shares, most, inner }
            }
            Generator::Stage(effects, inner) => {
                let inner = inner_of(inner)?;
                inner.most(bounds)?;
                Self::Stage(effects.clone(), inner)
            }
            Generator::Repeat(repeat, inner) => {
                let inner = inner_of(inner)?;
                inner.most(bounds)?;
                Self::Repeat(repeat.clone(), inner)
            }
        })
    }

    /// A ply for every member of some sets. Members that are tested one by one are drawn first.
    fn of_branches(slot: u16, branches: &[Branch], bounds: &Bounds) -> Self {
        let (plain, tested): (Vec<Branch>, Vec<Branch>) =
            branches.iter().cloned().partition(|branch| !parts_of(&branch.set).iter().any(is_filter));
        let mut lots: Vec<Self> = tested.into_iter().map(|branch| Self::of_tested(slot, branch, bounds)).collect();
        if !plain.is_empty() {
            lots.insert(0, Self::of_plain(slot, &plain, bounds));
        }
        if lots.len() == 1 { lots.remove(0) } else { Self::Either(lots) }
    }

    /// A ply for every member of a set that passes tests.
    fn of_tested(slot: u16, branch: Branch, bounds: &Bounds) -> Self {
        let parts = if let Sets::And(parts) = branch.set { parts } else { vec![branch.set] };
        let (mut domain, mut tests) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                Sets::Filter { slot: name, domain: of, test } => {
                    domain.push(*of);
                    let value = Box::new(Int::Slot(slot));
                    tests.push(if name == slot { *test } else { Test::With { slot: name, value, test } });
                }
                other => domain.push(other),
            }
        }
        let domain = if domain.len() == 1 { domain.remove(0) } else { Sets::And(domain) };
        let most = bounds.most(&domain);
        let bind = |inner, (part, int)| Self::Let(part, int, Box::new(inner));
        let inner = Box::new(branch.derived.into_iter().rev().fold(Self::One, bind));
        Self::Loop { slot, domain: Domain::Sites(domain), tests, within: 1, shares: Vec::new(), most, inner }
    }

    /// A ply for every member of some sets. Where these take long, members of what is at hand are tested.
    fn of_plain(slot: u16, branches: &[Branch], bounds: &Bounds) -> Self {
        let listed: u64 = branches.iter().map(|branch| bounds.work(&Part::Sets(&branch.set))).sum();
        if listed <= LITTLE_SETS {
            return Self::Fan { slot, branches: branches.to_vec() };
        }
        // Those that share what is at hand stand together.
        let mut groups: Vec<(Sets, Vec<&Branch>)> = Vec::new();
        for branch in branches {
            let domain = at_hand(&branch.set, bounds);
            match groups.iter_mut().find(|(other, _)| *other == domain) {
                Some((_, group)) => group.push(branch),
                None => groups.push((domain, vec![branch])),
            }
        }
        let mut lots: Vec<Self> =
            groups.into_iter().map(|(domain, group)| Self::of_group(slot, domain, &group, bounds)).collect();
        if lots.len() == 1 { lots.remove(0) } else { Self::Either(lots) }
    }

    /// The same of branches that share what is at hand.
    fn of_group(slot: u16, domain: Sets, group: &[&Branch], bounds: &Bounds) -> Self {
        let listed: u64 = group.iter().map(|branch| bounds.work(&Part::Sets(&branch.set))).sum();
        if domain == Sets::And(Vec::new()) || listed <= LITTLE_SETS {
            return Self::Fan { slot, branches: group.iter().map(|branch| (*branch).clone()).collect() };
        }
        let test = |part: &Sets| Test::Contains(part.clone(), Int::Slot(slot));
        let drawn_from = parts_of(&domain);
        let way = |branch: &&Branch| Way {
            tests: parts_of(&branch.set).iter().filter(|part| !drawn_from.contains(part)).map(test).collect(),
            derived: branch.derived.clone(),
        };
        let ways = group.iter().map(way).collect();
        Self::Sift { slot, domain, ways, listed }
    }

    /// The most candidates that there can be in any state; none where nothing is known.
    pub fn most(&self, bounds: &Bounds) -> Option<u64> {
        match self {
            Self::One => Some(1),
            Self::Fan { branches, .. } => {
                branches.iter().try_fold(0u64, |sum, branch| sum.checked_add(bounds.most(&branch.set)))
            }
            Self::Sift { domain, ways, .. } => bounds.most(domain).checked_mul(ways.len() as u64),
            Self::Loop { most, .. } => Some(*most),
            Self::Either(all) => all.iter().try_fold(0u64, |sum, one| sum.checked_add(one.most(bounds)?)),
            Self::If(_, yes, no) => Some(yes.most(bounds)?.max(no.most(bounds)?)),
            Self::Test(_, inner)
            | Self::Let(_, _, inner)
            | Self::LetSites(_, _, inner)
            | Self::Stage(_, inner)
            | Self::Repeat(_, inner) => inner.most(bounds),
        }
    }

    /// The same where something is known of slots, and of a piece on a site that no change has touched.
    fn most_of<'a>(&'a self, bounds: &Bounds, known: &Known<'a>) -> Option<u64> {
        match self {
            Self::One => Some(1),
            Self::Fan { branches, .. } => {
                let each = branches.iter().map(|branch| bounds.most_of(&branch.set, known));
                each.reduce(u64::saturating_add)
            }
            Self::Sift { domain, ways, .. } => bounds.most_of(domain, known).checked_mul(ways.len() as u64),
            Self::Loop { domain, within, .. } => bounds.members(domain, known)?.checked_mul(*within),
            Self::Either(all) => all.iter().try_fold(0u64, |sum, one| sum.checked_add(one.most_of(bounds, known)?)),
            Self::Test(test, inner) if known.decided(test) == Some(false) => inner.most_of(bounds, known).map(|_| 0),
            Self::Test(_, inner) => inner.most_of(bounds, known),
            Self::If(test, yes, no) => match known.decided(test) {
                Some(held) => if held { yes } else { no }.most_of(bounds, known),
                None => Some(yes.most_of(bounds, known)?.max(no.most_of(bounds, known)?)),
            },
            Self::Let(slot, int, inner) => inner.most_of(bounds, &known.with_number(*slot, int, bounds)),
            Self::LetSites(slot, set, inner) => inner.most_of(bounds, &known.with_set(*slot, set, bounds)),
            Self::Stage(_, inner) | Self::Repeat(_, inner) => inner.most(bounds),
        }
    }

    /// Parts a set whose sites are bound to a slot, and have these candidates each, by how many candidates the piece on a site
    /// allows. No parts where the pieces tell nothing.
    fn shares<'a>(&'a self, slot: u16, set: &Sets, bounds: &Bounds, known: &Known<'a>) -> Vec<(Sets, u64)> {
        let planes = set.planes_met();
        if planes == u64::MAX {
            return Vec::new();
        }
        let most = |plane: usize| {
            let known = Known { standing: bounds.standing(slot, plane), ..known.clone() };
            self.most_of(bounds, &known).map(|most| (most, 1u64 << plane))
        };
        let each: Option<Vec<(u64, u64)>> = (0..64).filter(|plane| planes >> plane & 1 == 1).map(most).collect();
        let mut each = each.unwrap_or_default();
        each.sort_unstable();
        each.retain(|(most, _)| *most > 0);
        // Each share is counted for every ply, so that those that are nearly alike stand together.
        let alike = |least: u64, most: u64| most <= least.saturating_add(least / 4);
        let mut shares: Vec<(u64, u64)> = Vec::new();
        while let Some((least, _)) = each.first().copied() {
            let of_share = each.iter().take_while(|(most, _)| alike(least, *most)).count();
            let share = each.drain(..of_share);
            shares.push(share.fold((0, 0), |(_, planes), (most, plane)| (most, planes | plane)));
        }
        if shares.len() < 2 {
            return Vec::new();
        }
        shares.into_iter().map(|(most, planes)| (narrowed(set, planes), most)).collect()
    }

    /// The slot of the member that is drawn, the set that it is drawn from, and the ways; whatever stands for names.
    pub fn sift(&self) -> Option<(u16, &Sets, &[Way])> {
        match self {
            Self::Sift { slot, domain, ways, .. } => Some((*slot, domain, ways)),
            Self::Let(_, _, inner) | Self::LetSites(_, _, inner) => inner.sift(),
            Self::One
            | Self::Fan { .. }
            | Self::Test(..)
            | Self::If(..)
            | Self::Either(_)
            | Self::Loop { .. }
            | Self::Stage(..)
            | Self::Repeat(..) => None,
        }
    }

    /// Whether these and others have the same candidates, of which none passes both tests.
    fn excludes(&self, other: &Self) -> bool {
        let (Some((slot, domain, ways)), Some((as_slot, other, others))) = (self.sift(), other.sift()) else {
            return false;
        };
        let sets = |way: &Way, slot: u16| -> Vec<Sets> {
            let set = |test: &Test| {
                let Test::Contains(set, at) = test else { return None };
                (*at == Int::Slot(slot)).then(|| set.clone())
            };
            way.tests.iter().filter_map(set).collect()
        };
        let exclude = |(way, other): (&Way, &Way)| {
            let others = sets(other, as_slot);
            sets(way, slot).iter().any(|one| others.iter().any(|other| are_apart(one, other)))
        };
        // A name may stand for something else in the other ones.
        let named = |part: &Part<'_>| matches!(part, Part::Sets(Sets::Slot(_)) | Part::Int(Int::Slot(_)));
        let is_same = domain == other && !Part::Sets(domain).asks(&named);
        is_same && ways.len() == others.len() && ways.iter().zip(others).all(exclude)
    }

    /// Whether something holds of these or of some that they are made of.
    fn any(&self, holds: &impl Fn(&Self) -> bool) -> bool {
        holds(self)
            || match self {
                Self::One | Self::Fan { .. } | Self::Sift { .. } => false,
                Self::If(_, yes, no) => yes.any(holds) || no.any(holds),
                Self::Either(all) => all.iter().any(|one| one.any(holds)),
                Self::Test(_, inner)
                | Self::Let(_, _, inner)
                | Self::LetSites(_, _, inner)
                | Self::Loop { inner, .. }
                | Self::Stage(_, inner)
                | Self::Repeat(_, inner) => inner.any(holds),
            }
    }

    /// Whether candidates are judged by changes to a copy of the state.
    pub fn changes_a_copy(&self) -> bool {
        self.any(&|lots| matches!(lots, Self::Stage(..) | Self::Repeat(..)))
    }

    /// Whether ranges of numbers are gone through.
    fn counts(&self) -> bool {
        self.any(&|lots| matches!(lots, Self::Loop { domain: Domain::Range(..), .. }))
    }

    /// Whether there are far fewer candidates than are counted, as a rule.
    pub fn is_sparse(&self) -> bool {
        self.any(&|lots| matches!(lots, Self::Loop { within, .. } if *within > SPARSE))
    }

    /// What candidates cost: what is worked out before the first loop is so only once.
    fn cost(&self, bounds: &Bounds) -> Cost {
        let work = |part: Part<'_>| bounds.work(&part);
        match self {
            Self::One => Cost::default(),
            Self::Fan { branches, .. } => {
                Cost::of_members().after(branches.iter().map(|branch| work(Part::Sets(&branch.set))).sum())
            }
            Self::Sift { domain, ways, listed, .. } => {
                let tests = |way: &Way| way.tests.iter().map(|test| weight(&Part::Test(test))).sum::<u64>();
                let test = ways.iter().map(tests).max().unwrap_or(0);
                Cost { once: work(Part::Sets(domain)), draw: SIFTED, test, all: *listed, ..Cost::default() }
            }
            Self::Test(test, inner) => inner.cost(bounds).after(work(Part::Test(test))),
            Self::If(test, yes, no) => yes.cost(bounds).or(no.cost(bounds)).after(work(Part::Test(test))),
            Self::Either(all) => all.iter().map(|one| one.cost(bounds)).fold(Cost::default(), Cost::or),
            Self::Let(_, int, inner) => inner.cost(bounds).after(work(Part::Int(int))),
            Self::LetSites(_, set, inner) => inner.cost(bounds).after(work(Part::Sets(set))),
            Self::Loop { tests, inner, within, domain, .. } => {
                let tests = tests.iter().map(|test| work(Part::Test(test))).sum::<u64>();
                let cost = inner.cost(bounds).in_loop(tests, *within);
                Cost { gaps: cost.gaps || matches!(domain, Domain::Range(..)), ..cost }
            }
            Self::Stage(_, inner) | Self::Repeat(_, inner) => inner.cost(bounds).in_loop(COPY, 1),
        }
    }

    /// About how many instructions it takes to list all plies.
    fn listing(&self, bounds: &Bounds) -> u64 {
        let work = |part: Part<'_>| bounds.work(&part);
        match self {
            Self::One => 1,
            Self::Fan { branches, .. } => branches.iter().map(|branch| work(Part::Sets(&branch.set))).sum(),
            Self::Sift { listed, .. } => *listed,
            Self::Test(test, inner) => work(Part::Test(test)).saturating_add(inner.listing(bounds)),
            Self::If(test, yes, no) => {
                work(Part::Test(test)).saturating_add(yes.listing(bounds).max(no.listing(bounds)))
            }
            Self::Either(all) => all.iter().map(|one| one.listing(bounds)).fold(0, u64::saturating_add),
            Self::Let(_, int, inner) => work(Part::Int(int)).saturating_add(inner.listing(bounds)),
            Self::LetSites(_, set, inner) => work(Part::Sets(set)).saturating_add(inner.listing(bounds)),
            Self::Loop { tests, inner, domain, within, most, .. } => {
                let most = most / within;
                let times = match domain {
                    Domain::Sites(Sets::Const(_)) | Domain::Mask(_) | Domain::Range(..) => most,
                    Domain::Sites(_) => most.min((most / OF_ALL).max(8)),
                };
                let tests = tests.iter().map(|test| work(Part::Test(test))).sum::<u64>();
                times.saturating_mul(tests.saturating_add(inner.listing(bounds)))
            }
            Self::Stage(_, inner) | Self::Repeat(_, inner) => COPY.saturating_add(inner.listing(bounds)),
        }
    }
}

/// The members of a set on some planes.
fn narrowed(set: &Sets, planes: u64) -> Sets {
    if let Sets::Planes(mask, When::Now) = set {
        return Sets::Planes(mask & planes, When::Now);
    }
    let mut parts: Vec<Sets> = parts_of(set).to_vec();
    match parts.iter_mut().find(|part| matches!(part, Sets::Planes(_, When::Now))) {
        Some(part) => *part = narrowed(part, planes),
        None => parts.push(Sets::Planes(planes, When::Now)),
    }
    Sets::And(parts)
}

/// The sets of which one is the intersection.
fn parts_of(set: &Sets) -> &[Sets] {
    if let Sets::And(parts) = set { parts } else { std::slice::from_ref(set) }
}

/// A set whose members are tested one by one.
fn is_filter(set: &Sets) -> bool {
    matches!(set, Sets::Filter { .. })
}

/// A set whose members need not be worked out.
fn is_at_hand(set: &Sets) -> bool {
    let is_one = |set: &Sets| matches!(set, Sets::One(_));
    match set {
        Sets::Or(parts) => parts.iter().all(is_one),
        Sets::Ahead { from, .. } => is_one(from),
        set => {
            is_one(set)
                || matches!(set, Sets::Planes(..) | Sets::Const(_) | Sets::Slot(_) | Sets::Near(_) | Sets::Table { .. })
        }
    }
}

/// What is at hand of an intersection; an intersection of nothing where nothing is. Fixed sets of most sites tell little, and
/// differ where the same is asked in several directions: they are left out where something else is at hand.
fn at_hand(set: &Sets, bounds: &Bounds) -> Sets {
    let mut parts: Vec<Sets> = parts_of(set).iter().filter(|part| is_at_hand(part)).cloned().collect();
    let tells = |part: &Sets| !matches!(part, Sets::Const(_)) || !bounds.are_most(part);
    if parts.iter().any(tells) {
        parts.retain(tells);
    }
    if parts.len() == 1 { parts.remove(0) } else { Sets::And(parts) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: Sets = Sets::Planes(1, When::Now);
    const MEN: Sets = Sets::Planes(2, When::Now);

    /// Men beside whom, in some directions, something is.
    fn beside(what: &Sets, directions: &[u8]) -> Option<Lots> {
        let test = |way: &u8| Test::Contains(Sets::Pull(*way, Box::new(what.clone())), Int::Slot(0));
        let ways = directions.iter().map(|way| Way { tests: vec![test(way)], derived: Vec::new() });
        Some(Lots::Sift { slot: 0, domain: MEN, ways: ways.collect(), listed: 0 })
    }

    #[test]
    fn calls_share_numbers_where_no_candidate_can_be_a_ply_of_both() {
        let (step, hop) = (beside(&EMPTY, &[0, 4]), beside(&MEN, &[0, 4]));
        assert_eq!(sharing(&[step.clone(), hop.clone()]), [Some(1), None]);
        let named = hop.clone().map(|hop| Lots::LetSites(1, EMPTY, Box::new(hop)));
        assert_eq!(sharing(&[step.clone(), None, named]), [Some(2), None, None]);
        // The same is asked, in other directions, in fewer of them, or behind a condition that may not hold.
        let closed = hop.clone().map(|hop| Lots::Test(Test::Stuck, Box::new(hop)));
        for other in [step.clone(), beside(&MEN, &[4, 0]), beside(&MEN, &[0]), closed] {
            assert_eq!(sharing(&[step.clone(), other]), [None, None]);
        }
        // What a name stands for may differ.
        let of_names = |lots: &Option<Lots>| match lots {
            Some(Lots::Sift { slot, ways, listed, .. }) => {
                Some(Lots::Sift { slot: *slot, domain: Sets::Slot(2), ways: ways.clone(), listed: *listed })
            }
            _others => None,
        };
        assert_eq!(sharing(&[of_names(&step), of_names(&hop)]), [None, None]);
        // Two share, and nobody shares with them.
        let others = beside(&Sets::Planes(4, When::Now), &[0, 4]);
        assert_eq!(sharing(&[step, hop, others]), [Some(1), None, None]);
    }
}
