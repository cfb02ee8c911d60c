//! What plies are drawn from: candidates that are cheap to count, among which every ply of a call stands once. Worked out
//! once, when a program is made ready.

use super::geometry::Geometry;
use crate::board::Direction;
use crate::program::ir::{Domain, Effect, Int, NONE, Part, Sets, Test};
use crate::program::{Branch, Call, ForMover, Generator, Program, Repeat, TurnNode, closing};
use crate::rules::ArithmeticOp;

/// A loop within a loop is drawn from where it has no more candidates than this: they may all but one be in vain.
const MOST_WITHIN: u64 = 128;

/// Masks have as many members at most.
const MEMBERS: u64 = u32::MAX as u64;

/// The same where ranges of numbers are gone through within: most of them are short, and to find that a number is missing
/// takes little.
const MOST_NUMBERS: u64 = 256;

/// Where more candidates than this are counted for each member of a loop, most of them are missing.
const SPARSE: u64 = 8;

/// To look at all candidates of a call takes so many instructions at most, or else plies of it are drawn.
const LITTLE_TOIL: u64 = 20_000;

/// What takes long counts as so many instructions.
const HEAVY: u64 = 12;

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
        /// The most candidates that there can be in any state.
        most: u64,
        inner: Box<Lots>,
    },
    /// The changes are made on a copy of the state.
    Stage(Vec<Effect>, Box<Lots>),
    Repeat(Repeat, Box<Lots>),
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
    /// By player and call, whether candidates are judged by changes to a copy of the state.
    pub copying: Vec<Vec<bool>>,
    /// What plies of a place cost, by place.
    costs: Vec<Cost>,
    /// By player and call, whether a ply of it ends the turn, where that shows before it is played.
    closing: Vec<Vec<Option<Test>>>,
    pub bounds: Bounds,
}

impl Urn {
    pub fn of<const W: usize>(program: &Program, geometry: &Geometry<W>) -> Self {
        let bounds = Bounds::of(geometry);
        let by_mover = program.by_mover.iter();
        let calls: Vec<Vec<Option<Lots>>> = by_mover
            .map(|own| own.calls.iter().map(|call| Lots::of(&call.generator, &bounds, &mut Known::default())).collect())
            .collect();
        let slow = |call: &Call, lots: &Lots| is_staged(&call.generator) || lots.toil(1) > LITTLE_TOIL;
        let is_slow = |call: u16| {
            let at = usize::from(call);
            let known = program.by_mover.iter().zip(&calls);
            known.filter_map(|(own, lots)| Some((own.calls.get(at)?, lots.get(at)?.as_ref()?))).any(|(a, b)| slow(a, b))
        };
        let any_whole = program.sections.iter().any(|section| section.whole);
        let behind: Vec<Vec<u16>> = (0..program.nodes.len()).map(|place| calls_behind(program, place)).collect();
        let draws = |(place, behind): (usize, &Vec<u16>)| {
            program.plain.get(place) == Some(&true) && (any_whole || behind.iter().copied().any(is_slow))
        };
        let places: Vec<bool> = behind.iter().enumerate().map(draws).collect();
        let closing = |own: &ForMover| own.calls.iter().map(|call| closing(&program.nodes, own, call)).collect();
        let closing = program.by_mover.iter().map(closing).collect();
        let prefers = |place: usize| {
            let nodes = nodes_behind(program, place).into_iter();
            nodes.filter_map(|node| program.nodes.get(node)).any(|node| matches!(node, TurnNode::Prefer(_)))
        };
        let prefers = (0..program.nodes.len()).map(prefers).collect();
        let cost = |behind: &Vec<u16>| {
            let lots = calls.iter().flat_map(|own| behind.iter().filter_map(|call| own.get(usize::from(*call))));
            lots.flatten().fold(Cost::default(), |cost, lots| cost.or(lots.cost()))
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
        let copies = |lots: &Option<Lots>| lots.as_ref().is_some_and(Lots::changes_a_copy);
        let copying = calls.iter().map(|own| own.iter().map(copies).collect()).collect();
        Self { calls, places, behind, prefers, sparse, copying, costs, closing, bounds }
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

    /// What plies of a place cost.
    pub fn cost(&self, place: u16, whole: bool) -> Cost {
        let cost = self.costs.get(usize::from(place)).copied().unwrap_or_default();
        Cost { test: cost.test + if whole { FOLLOW } else { 0 }, ..cost }
    }

    /// Whether plies are drawn at a place.
    pub fn draws_at(&self, place: u16) -> bool {
        self.places.get(usize::from(place)) == Some(&true)
    }
}

/// What it takes to look at candidates, in instructions: once for all of them, and for each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    pub once: u64,
    pub test: u64,
}

impl Cost {
    fn or(self, other: Self) -> Self {
        Self { once: self.once.max(other.once), test: self.test.max(other.test) }
    }

    fn and(self, other: Self) -> Self {
        Self { once: self.once + other.once, test: self.test + other.test }
    }

    fn of_each(test: u64) -> Self {
        Self { once: 0, test }
    }
}

/// About how long an instruction takes.
fn weight(part: &Part<'_>) -> u64 {
    let heavy = match part {
        Part::Sets(set) => matches!(
            set,
            Sets::Filter { .. }
                | Sets::Collect { .. }
                | Sets::Connected { .. }
                | Sets::Heads(_)
                | Sets::Grown { .. }
                | Sets::Primitive(..)
                | Sets::Ranked { .. }
                | Sets::Between(..)
                | Sets::Run { .. }
                | Sets::Beyond { .. }
                | Sets::Bracketed { .. }
        ),
        Part::Int(int) => {
            matches!(int, Int::Reduce { .. } | Int::Primitive(..) | Int::MaskWhere { .. } | Int::MaskCollect { .. })
        }
        Part::Test(test) => {
            matches!(test, Test::Exists { .. } | Test::Seen { .. } | Test::Possible { .. } | Test::CanApply(_))
        }
    };
    let mut sum = if heavy { HEAVY } else { 1 };
    part.parts(&mut |part| sum += weight(&part));
    sum
}

/// The calls that a place leads to.
pub fn calls_behind(program: &Program, place: usize) -> Vec<u16> {
    let nodes = nodes_behind(program, place).into_iter();
    let call = |node: usize| match program.nodes.get(node)? {
        TurnNode::Call(call) => Some(*call),
        TurnNode::End | TurnNode::Fork(_) | TurnNode::Prefer(_) | TurnNode::Guard(..) => None,
    };
    nodes.filter_map(call).collect()
}

/// A place and the nodes that it leads to before anything is played.
fn nodes_behind(program: &Program, place: usize) -> Vec<usize> {
    let (mut reached, mut at) = (vec![place], 0);
    while let Some(node) = reached.get(at).and_then(|node| program.nodes.get(*node)) {
        at += 1;
        match node {
            TurnNode::End | TurnNode::Call(_) => {}
            TurnNode::Fork(next) | TurnNode::Prefer(next) | TurnNode::Guard(_, next) => {
                for next in next.iter().map(|next| usize::from(*next)) {
                    if !reached.contains(&next) {
                        reached.push(next);
                    }
                }
            }
        }
    }
    reached
}

/// Whether a generator makes changes to find out what is legal.
pub fn is_staged(generator: &Generator) -> bool {
    generator.any(&|inner| matches!(inner, Generator::Stage(..) | Generator::Repeat(..)))
}

impl Lots {
    fn of<'g>(generator: &'g Generator, bounds: &Bounds, known: &mut Known<'g>) -> Option<Self> {
        let inner_of = |inner: &'g Generator| Self::of(inner, bounds, &mut known.clone()).map(Box::new);
        Some(match generator {
            Generator::One => Self::One,
            Generator::Leaf { slot, set } => Self::of_set(*slot, set, bounds),
            Generator::Fan { slot, branches } => Self::Fan { slot: *slot, branches: branches.clone() },
            Generator::Test(test, inner) => Self::Test(test.clone(), inner_of(inner)?),
            Generator::If(test, yes, no) => Self::If(test.clone(), inner_of(yes)?, inner_of(no)?),
            Generator::Either(all) => {
                Self::Either(all.iter().map(|one| Self::of(one, bounds, &mut known.clone())).collect::<Option<_>>()?)
            }
            Generator::Let(slot, int, inner) => {
                known.numbers.push((*slot, Some(int), bounds.between(int, known)));
                Self::Let(*slot, int.clone(), Box::new(Self::of(inner, bounds, known)?))
            }
            Generator::LetSites(slot, set, inner) => {
                known.sets.push((*slot, set, bounds.most_of(set, known)));
                Self::LetSites(*slot, set.clone(), Box::new(Self::of(inner, bounds, known)?))
            }
            Generator::Loop { slot, domain, tests, inner } => {
                let members = bounds.members(domain, known);
                known.numbers.push((*slot, None, None));
                let inner = Box::new(Self::of(inner, bounds, known)?);
                let most = if inner.counts() { MOST_NUMBERS } else { MOST_WITHIN };
                let within = inner.most(bounds).filter(|within| (1..=most).contains(within))?;
                let most = members?.checked_mul(within)?;
                Self::Loop { slot: *slot, domain: domain.clone(), tests: tests.clone(), within, most, inner }
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

    /// A ply for every member of a set. Members that are tested one by one are drawn first.
    fn of_set(slot: u16, set: &Sets, bounds: &Bounds) -> Self {
        let parts = if let Sets::And(parts) = set { parts.as_slice() } else { std::slice::from_ref(set) };
        let (mut domain, mut tests) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                Sets::Filter { slot: name, domain: of, test } => {
                    domain.push((**of).clone());
                    let (value, test) = (Box::new(Int::Slot(slot)), test.clone());
                    tests.push(if *name == slot { *test } else { Test::With { slot: *name, value, test } });
                }
                other => domain.push(other.clone()),
            }
        }
        if tests.is_empty() {
            return Self::Fan { slot, branches: vec![Branch { set: set.clone(), derived: Vec::new() }] };
        }
        let domain = match <[Sets; 1]>::try_from(domain) {
            Ok([only]) => only,
            Err(several) => Sets::And(several),
        };
        let most = bounds.most(&domain);
        Self::Loop { slot, domain: Domain::Sites(domain), tests, within: 1, most, inner: Box::new(Self::One) }
    }

    /// The most candidates that there can be in any state; none where nothing is known.
    pub fn most(&self, bounds: &Bounds) -> Option<u64> {
        match self {
            Self::One => Some(1),
            Self::Fan { branches, .. } => {
                branches.iter().try_fold(0u64, |sum, branch| sum.checked_add(bounds.most(&branch.set)))
            }
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

    /// Whether something holds of these or of some that they are made of.
    fn any(&self, holds: &impl Fn(&Self) -> bool) -> bool {
        holds(self)
            || match self {
                Self::One | Self::Fan { .. } => false,
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
    fn cost(&self) -> Cost {
        let once = |part: Part<'_>, inner: &Self| Cost { once: weight(&part), test: 0 }.and(inner.cost());
        match self {
            Self::One | Self::Fan { .. } => Cost::default(),
            Self::Test(test, inner) => once(Part::Test(test), inner),
            Self::If(test, yes, no) => Cost { once: weight(&Part::Test(test)), test: 0 }.and(yes.cost().or(no.cost())),
            Self::Either(all) => all.iter().map(Self::cost).fold(Cost::default(), Cost::or),
            Self::Let(_, int, inner) => once(Part::Int(int), inner),
            Self::LetSites(_, set, inner) => once(Part::Sets(set), inner),
            Self::Loop { tests, inner, .. } => {
                let within = inner.cost();
                Cost::of_each(
                    tests.iter().map(|test| weight(&Part::Test(test))).sum::<u64>() + within.once + within.test,
                )
            }
            Self::Stage(_, inner) | Self::Repeat(_, inner) => Cost::of_each(COPY).and(inner.cost()),
        }
    }

    /// About how many instructions tests take when all candidates are looked at, each so many times.
    fn toil(&self, times: u64) -> u64 {
        let size = |test: &Test| times.saturating_mul(weight(&Part::Test(test)));
        match self {
            Self::One | Self::Fan { .. } => 0,
            Self::Loop { tests, inner, within, most, .. } => {
                let times = times.saturating_mul(most / within);
                let tests = tests.iter().map(|test| times.saturating_mul(weight(&Part::Test(test))));
                tests.fold(inner.toil(times), u64::saturating_add)
            }
            Self::Test(test, inner) => inner.toil(times).saturating_add(if times > 1 { size(test) } else { 0 }),
            Self::If(_, yes, no) => yes.toil(times).max(no.toil(times)),
            Self::Either(all) => all.iter().map(|one| one.toil(times)).fold(0, u64::saturating_add),
            Self::Let(_, _, inner) | Self::LetSites(_, _, inner) | Self::Stage(_, inner) | Self::Repeat(_, inner) => {
                inner.toil(times)
            }
        }
    }
}

/// How many sites there are of each kind of set, whatever the state.
#[derive(Debug)]
pub struct Bounds {
    all: u64,
    near: u64,
    /// By site, how far the board reaches in each direction.
    reach: Vec<[u64; 16]>,
    /// The greatest distance between two sites.
    farthest: i64,
    /// The steps of the longest line, where no line leads back to where it began, and none is a shorter way than the
    /// distance.
    longest: Option<i64>,
}

/// What slots hold that were bound in front of a place in a generator.
#[derive(Clone, Default)]
struct Known<'g> {
    /// By slot, what stands there, and between which numbers it lies; none where that is not known.
    numbers: Vec<(u16, Option<&'g Int>, Option<Between>)>,
    /// By slot, what stands there, and the most members of it.
    sets: Vec<(u16, &'g Sets, u64)>,
}

/// The least and the greatest of some numbers.
type Between = (i64, i64);

impl<'g> Known<'g> {
    fn between(&self, slot: u16) -> Option<Between> {
        self.numbers.iter().rev().find(|(own, ..)| *own == slot)?.2
    }

    fn most(&self, slot: u16) -> Option<u64> {
        self.sets.iter().rev().find(|(own, ..)| *own == slot).map(|(.., most)| *most)
    }

    /// What stands for a number: what its slot holds, if that is known.
    fn number<'a>(&self, int: &'a Int) -> &'a Int
    where
        'g: 'a,
    {
        let Int::Slot(slot) = int else { return int };
        self.numbers.iter().rev().find(|(own, ..)| own == slot).and_then(|(_, held, _)| *held).unwrap_or(int)
    }

    fn set<'a>(&self, set: &'a Sets) -> &'a Sets
    where
        'g: 'a,
    {
        let Sets::Slot(slot) = set else { return set };
        self.sets.iter().rev().find(|(own, ..)| own == slot).map_or(set, |(_, held, _)| *held)
    }
}

impl Bounds {
    fn of<const W: usize>(geometry: &Geometry<W>) -> Self {
        let reach = |at: usize| {
            let far = |way| Direction::from_index(way).map_or(0, |way| geometry.reach(at, way, &geometry.all) as u64);
            std::array::from_fn(far)
        };
        Self {
            all: geometry.all.len() as u64,
            near: geometry.neighbours.iter().map(|set| set.len() as u64).max().unwrap_or(0),
            farthest: farthest(geometry),
            longest: longest(geometry),
            reach: geometry.all.iter().map(reach).collect(),
        }
    }

    fn members(&self, domain: &Domain, known: &Known<'_>) -> Option<u64> {
        match domain {
            Domain::Sites(set) => Some(self.most_of(set, known)),
            Domain::Mask(mask) => Some(self.ones(mask, known)),
            Domain::Range(low, high) => {
                let ((first, _), (_, last)) = (self.between(low, known)?, self.between(high, known)?);
                let apart = u64::try_from(last.checked_sub(first)?.checked_add(1)?).unwrap_or(0);
                Some(self.along_a_line(low, high, known).map_or(apart, |along| along.min(apart)))
            }
        }
    }

    /// The most members that a mask can have.
    fn ones(&self, mask: &Int, known: &Known<'_>) -> u64 {
        let of = |mask: i64| if mask == NONE { 0 } else { u64::from((mask as u64 & MEMBERS).count_ones()) };
        let most = match known.number(mask) {
            Int::Const(mask) => of(*mask),
            Int::Bit(_) | Int::OnlyBit(_) => 1,
            Int::Table { values, .. } => values.iter().map(|mask| of(*mask)).max().unwrap_or(0),
            Int::MaskOr(a, b) => self.ones(a, known) + self.ones(b, known),
            Int::MaskAnd(a, b) => self.ones(a, known).min(self.ones(b, known)),
            Int::MaskNot(every, _) => of(*every),
            Int::MaskWhere { domain, .. } => self.ones(domain, known),
            Int::If(_, yes, no) => self.ones(yes, known).max(self.ones(no, known)),
            Int::With { of, .. } => self.ones(of, known),
            // Of the others no more is known than how many members there can be.
            _ => of(-1),
        };
        most.min(of(-1))
    }

    /// Between which numbers one lies where it is not missing; none where nothing is known.
    fn between(&self, int: &Int, known: &Known<'_>) -> Option<Between> {
        if let Int::Const(number) = int {
            return Some((*number, *number));
        }
        if let Int::Slot(slot) = int {
            return known.between(*slot);
        }
        if let Int::Count(set) = int {
            return Some((0, i64::try_from(self.most_of(set, known)).ok()?));
        }
        if let Int::Distance(..) = int {
            return Some((0, self.farthest));
        }
        if let Int::If(_, yes, no) = int {
            // What is missing is no number of a range.
            let each = [yes, no].into_iter().filter(|int| ***int != Int::Const(NONE));
            let mut each = each.map(|int| self.between(int, known));
            let first = each.next()??;
            return each.try_fold(first, |all, other| other.map(|other| (all.0.min(other.0), all.1.max(other.1))));
        }
        let Int::Arithmetic(op, a, b) = int else { return None };
        let (a, b) = (self.between(a, known)?, self.between(b, known)?);
        let adds = *op == ArithmeticOp::Add;
        if !adds && *op != ArithmeticOp::Subtract {
            return None;
        }
        let b = if adds { b } else { (b.1.checked_neg()?, b.0.checked_neg()?) };
        Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?))
    }

    /// The most numbers from so many steps back towards a site to so many on from it in the same direction: both lie on one
    /// line. None where a range is something else.
    fn along_a_line(&self, low: &Int, high: &Int, known: &Known<'_>) -> Option<u64> {
        let Int::Arithmetic(ArithmeticOp::Subtract, before, back) = known.number(low) else { return None };
        let (Int::Const(before), back) = (known.number(before), known.number(back)) else { return None };
        let (mut back, mut more) = (back, 0);
        if let Int::Arithmetic(ArithmeticOp::Subtract, steps, less) = back {
            let Int::Const(less) = known.number(less) else { return None };
            (back, more) = (known.number(steps), less.checked_neg()?);
        }
        let (Int::Distance(a, b), Int::Count(run)) = (back, known.number(high)) else { return None };
        let Sets::Run { from, directions, .. } = known.set(run) else { return None };
        let (Sets::One(from), Int::Bit(direction)) = (known.set(from), known.number(directions)) else { return None };
        let Int::Direction(near, far) = known.number(direction) else { return None };
        let same = |a: &Int, b: &Int| known.number(a) == known.number(b);
        let on_it = same(from, far) && (same(a, near) && same(b, far) || same(a, far) && same(b, near));
        let most = self.longest?.max(self.farthest).checked_add(more)?.checked_sub(*before)?.checked_add(1)?;
        on_it.then(|| u64::try_from(most).unwrap_or(0))
    }

    /// The most members that a set can have in any state, as far as its form tells.
    fn most(&self, set: &Sets) -> u64 {
        self.most_of(set, &Known::default())
    }

    /// The same where it is known what slots hold.
    fn most_of(&self, set: &Sets, known: &Known<'_>) -> u64 {
        let ways = |mask: &Int| {
            let one = matches!(mask, Int::Bit(_) | Int::OnlyBit(_));
            let known = if let Int::Const(mask) = mask { Some(mask.count_ones()) } else { None };
            u64::from(known.unwrap_or(if one { 1 } else { 16 }))
        };
        let most = match set {
            Sets::Const(set) => set.len() as u64,
            Sets::One(_) => 1,
            Sets::Slot(slot) => known.most(*slot).unwrap_or(self.all),
            Sets::And(parts) => parts.iter().map(|part| self.most_of(part, known)).min().unwrap_or(self.all),
            Sets::Or(parts) => parts.iter().map(|part| self.most_of(part, known)).fold(0, u64::saturating_add),
            Sets::Minus(from, _) => self.most_of(from, known),
            Sets::Near(_) => self.near,
            Sets::Ahead { from, directions, .. } | Sets::Beyond { from, directions, .. } => {
                self.most_of(from, known).saturating_mul(ways(directions))
            }
            Sets::Run { from, directions, .. } => self.most_of(from, known).saturating_mul(self.run(directions)),
            Sets::If(_, yes, no) => self.most_of(yes, known).max(self.most_of(no, known)),
            Sets::Filter { domain: set, .. } | Sets::Heads(set) | Sets::With { of: set, .. } => {
                self.most_of(set, known)
            }
            Sets::First(set) => self.most_of(set, known).min(1),
            // Of the others no more is known than that they lie on the board.
            _ => self.all,
        };
        most.min(self.all)
    }

    /// The most sites that one site has in some directions.
    fn run(&self, directions: &Int) -> u64 {
        let one = matches!(directions, Int::Bit(_) | Int::OnlyBit(_));
        let mask = if let Int::Const(mask) = directions { Some(mask) } else { None };
        let among = |reach: &[u64; 16]| match mask {
            Some(mask) => reach.iter().enumerate().filter(|(way, _)| mask >> way & 1 == 1).map(|(_, far)| far).sum(),
            None if one => reach.iter().copied().max().unwrap_or(0),
            None => self.all,
        };
        self.reach.iter().map(among).max().unwrap_or(0)
    }
}

/// The greatest distance between two sites.
fn farthest<const W: usize>(geometry: &Geometry<W>) -> i64 {
    let from = |at: usize| geometry.all.iter().filter_map(move |to| geometry.distance(at, to));
    geometry.all.iter().flat_map(from).max().map_or(0, i64::from)
}

/// The steps of the longest line; none where one leads back to where it began, or is a shorter way than the distance.
fn longest<const W: usize>(geometry: &Geometry<W>) -> Option<i64> {
    let mut longest = 0;
    for from in geometry.all.iter() {
        for way in (0..16).filter_map(Direction::from_index) {
            let (mut at, mut steps) = (from, 0u64);
            while let Some(next) = geometry.step(at, way) {
                (at, steps) = (next, steps + 1);
                if steps > geometry.all.len() as u64
                    || geometry.distance(from, at).is_none_or(|distance| u64::from(distance) > steps)
                {
                    return None;
                }
            }
            longest = longest.max(steps);
        }
    }
    i64::try_from(longest).ok()
}
