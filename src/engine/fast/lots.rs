//! What plies of a call are drawn from: candidates that are cheap to count, among which every ply of it stands once.

use super::bounds::{Bounds, Known};
use super::toil::{Cost, SIFTED, weight};
use crate::program::ir::{Domain, Effect, Int, Part, Sets, Test, When};
use crate::program::{Branch, Generator, Repeat};

/// A loop within a loop is drawn from where it has no more candidates than this: they may all but one be in vain.
const MOST_WITHIN: u64 = 150;

/// The same where ranges of numbers are gone through within: most of them are short, and to find that a number is missing
/// takes little.
const MOST_NUMBERS: u64 = 256;

/// Where more candidates than this are counted for each member of a loop, most of them are missing.
const SPARSE: u64 = 8;

/// Sets of plies that take more instructions are not worked out to draw from them: a member of a larger set is tested.
const LITTLE_SETS: u64 = 100;

/// Of the sites of a board about one in so many is a member of a set of which no more is known.
const OF_ALL: u64 = 4;

/// To make changes on a copy of the state counts as so many instructions.
const COPY: u64 = 200;

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

impl Lots {
    /// What is drawn from where plies are found as a generator says, given what is known of slots; none where there may be too
    /// many candidates.
    pub fn of<'g>(generator: &'g Generator, bounds: &Bounds, known: &mut Known<'g>) -> Option<Self> {
        let inner_of = |inner: &'g Generator| Self::of(inner, bounds, &mut known.clone()).map(Box::new);
        Some(match generator {
            Generator::One => Self::One,
            Generator::Leaf { slot, set } => {
                Self::of_branches(*slot, &[Branch { set: set.clone(), derived: Vec::new() }], bounds, known)
            }
            Generator::Fan { slot, branches } => Self::of_branches(*slot, branches, bounds, known),
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
                let dear = is_dear(set, known);
                *known = known.with_set(*slot, set, bounds);
                Self::of(inner, bounds, known)?.after_set(*slot, set, dear)
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

    /// The same behind a set that is kept in a slot. A dear one that nothing but the tests of members reads is found when these
    /// are asked.
    fn after_set(self, slot: u16, set: &Sets, dear: bool) -> Self {
        let reads = |part: &Part<'_>| part.asks(&|part| matches!(part, Part::Sets(Sets::Slot(read)) if *read == slot));
        match self {
            Self::Loop { slot: part, domain: Domain::Sites(of), tests, within, shares, most, inner }
                if dear && matches!(*inner, Self::One) && !tests.is_empty() && !reads(&Part::Sets(&of)) =>
            {
                let test = Box::new(Test::And(tests));
                let tests = vec![Test::WithSites { held: slot, value: set.clone(), test }];
                Self::Loop { slot: part, domain: Domain::Sites(of), tests, within, shares, most, inner }
            }
            other => Self::LetSites(slot, set.clone(), Box::new(other)),
        }
    }

    /// A ply for every member of some sets. Members that are tested one by one are drawn first.
    fn of_branches(slot: u16, branches: &[Branch], bounds: &Bounds, known: &Known<'_>) -> Self {
        let (plain, tested): (Vec<Branch>, Vec<Branch>) =
            branches.iter().cloned().partition(|branch| !parts_of(&branch.set).iter().any(is_filter));
        let (dear, plain): (Vec<Branch>, Vec<Branch>) =
            plain.into_iter().partition(|branch| has_dear_part(&branch.set, known));
        let tested = tested.into_iter().chain(dear);
        let mut lots: Vec<Self> = tested.map(|branch| Self::of_tested(slot, branch, bounds, known)).collect();
        if !plain.is_empty() {
            lots.insert(0, Self::of_plain(slot, &plain, bounds));
        }
        if lots.len() == 1 { lots.remove(0) } else { Self::Either(lots) }
    }

    /// A ply for every member of a set that passes tests.
    fn of_tested(slot: u16, branch: Branch, bounds: &Bounds, known: &Known<'_>) -> Self {
        let parts = if let Sets::And(parts) = branch.set { parts } else { vec![branch.set] };
        let (mut domain, mut tests) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                Sets::Filter { slot: name, domain: of, test } => {
                    domain.push(*of);
                    let value = Box::new(Int::Slot(slot));
                    tests.push(if name == slot { *test } else { Test::With { slot: name, value, test } });
                }
                dear if is_dear(&dear, known) => tests.push(Test::Contains(dear, Int::Slot(slot))),
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
    pub fn cost(&self, bounds: &Bounds) -> Cost {
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
    pub fn listing(&self, bounds: &Bounds) -> u64 {
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

/// Whether a set is found by floods, for each member of a loop anew.
fn is_dear(set: &Sets, known: &Known<'_>) -> bool {
    let part = Part::Sets(set);
    part.asks(&|part| matches!(part, Part::Sets(Sets::Connected { .. } | Sets::Heads(_))))
        && known.hangs_on_loops(&part)
}

/// Whether an intersection is narrowed by such a set, beside others that are not at hand but found sooner: whether a member of
/// these lies in it as well is asked only when it has been drawn.
fn has_dear_part(set: &Sets, known: &Known<'_>) -> bool {
    let (dear, others): (Vec<&Sets>, Vec<&Sets>) = parts_of(set).iter().partition(|part| is_dear(part, known));
    !dear.is_empty() && !others.iter().all(|part| is_at_hand(part))
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
