//! What plies are drawn from: candidates that are cheap to count, among which every ply of a call stands once. Worked out
//! once, when a program is made ready.

use super::geometry::Geometry;
use crate::board::Direction;
use crate::program::ir::{Domain, Effect, Int, Part, Sets, Test};
use crate::program::{Branch, Call, ForMover, Generator, Program, Repeat, TurnNode, closing};

/// A loop within a loop is drawn from where it has no more candidates than this: they may all but one be in vain.
const MOST_WITHIN: u64 = 64;

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
    Let(u16, Int, Box<Lots>),
    LetSites(u16, Sets, Box<Lots>),
    /// As many candidates for each member as one can have at most.
    Loop {
        slot: u16,
        domain: Domain,
        tests: Vec<Test>,
        within: u64,
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
    /// By player and call, whether candidates are judged by changes to a copy of the state.
    copying: Vec<Vec<bool>>,
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
        let calls: Vec<Vec<Option<Lots>>> =
            by_mover.map(|own| own.calls.iter().map(|call| Lots::of(&call.generator, &bounds)).collect()).collect();
        let slow = |call: &Call, lots: &Lots| is_staged(&call.generator) || lots.toil(&bounds, 1) > LITTLE_TOIL;
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
        let places = behind.iter().enumerate().map(draws).collect();
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
        let copies = |lots: &Option<Lots>| lots.as_ref().is_some_and(Lots::changes_a_copy);
        let copying = calls.iter().map(|own| own.iter().map(copies).collect()).collect();
        Self { calls, places, behind, prefers, copying, costs, closing, bounds }
    }

    /// What a call is drawn from.
    pub fn lots(&self, mover: u8, call: u16) -> Option<&Lots> {
        self.calls.get(usize::from(mover))?.get(usize::from(call))?.as_ref()
    }

    /// Whether a ply of a call, whose parts are bound, ends the turn; none where it has to be played to find out.
    pub fn closing(&self, mover: u8, call: u16) -> Option<&Test> {
        self.closing.get(usize::from(mover))?.get(usize::from(call))?.as_ref()
    }

    /// Whether the candidates of a call are judged by changes to a copy of the state.
    pub fn changes_a_copy(&self, mover: u8, call: u16) -> bool {
        self.copying.get(usize::from(mover)).and_then(|own| own.get(usize::from(call))) == Some(&true)
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
    fn of(generator: &Generator, bounds: &Bounds) -> Option<Self> {
        let inner_of = |inner: &Generator| Self::of(inner, bounds).map(Box::new);
        Some(match generator {
            Generator::One => Self::One,
            Generator::Leaf { slot, set } => Self::of_set(*slot, set),
            Generator::Fan { slot, branches } => Self::Fan { slot: *slot, branches: branches.clone() },
            Generator::Test(test, inner) => Self::Test(test.clone(), inner_of(inner)?),
            Generator::If(test, yes, no) => Self::If(test.clone(), inner_of(yes)?, inner_of(no)?),
            Generator::Let(slot, int, inner) => Self::Let(*slot, int.clone(), inner_of(inner)?),
            Generator::LetSites(slot, set, inner) => Self::LetSites(*slot, set.clone(), inner_of(inner)?),
            Generator::Loop { slot, domain, tests, inner } => {
                let inner = inner_of(inner)?;
                let within = inner.most(bounds).filter(|within| (1..=MOST_WITHIN).contains(within))?;
                Self::Loop { slot: *slot, domain: domain.clone(), tests: tests.clone(), within, inner }
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
    fn of_set(slot: u16, set: &Sets) -> Self {
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
        Self::Loop { slot, domain: Domain::Sites(domain), tests, within: 1, inner: Box::new(Self::One) }
    }

    /// The most candidates that there can be in any state; none where nothing is known.
    pub fn most(&self, bounds: &Bounds) -> Option<u64> {
        match self {
            Self::One => Some(1),
            Self::Fan { branches, .. } => {
                branches.iter().try_fold(0u64, |sum, branch| sum.checked_add(bounds.most(&branch.set)))
            }
            Self::Loop { domain, within, .. } => bounds.members(domain)?.checked_mul(*within),
            Self::If(_, yes, no) => Some(yes.most(bounds)?.max(no.most(bounds)?)),
            Self::Test(_, inner)
            | Self::Let(_, _, inner)
            | Self::LetSites(_, _, inner)
            | Self::Stage(_, inner)
            | Self::Repeat(_, inner) => inner.most(bounds),
        }
    }

    /// Whether candidates are judged by changes to a copy of the state.
    pub fn changes_a_copy(&self) -> bool {
        match self {
            Self::One | Self::Fan { .. } => false,
            Self::Stage(..) | Self::Repeat(..) => true,
            Self::If(_, yes, no) => yes.changes_a_copy() || no.changes_a_copy(),
            Self::Test(_, inner) | Self::Let(_, _, inner) | Self::LetSites(_, _, inner) | Self::Loop { inner, .. } => {
                inner.changes_a_copy()
            }
        }
    }

    /// What candidates cost: what is worked out before the first loop is so only once.
    fn cost(&self) -> Cost {
        let once = |part: Part<'_>, inner: &Self| Cost { once: weight(&part), test: 0 }.and(inner.cost());
        match self {
            Self::One | Self::Fan { .. } => Cost::default(),
            Self::Test(test, inner) => once(Part::Test(test), inner),
            Self::If(test, yes, no) => Cost { once: weight(&Part::Test(test)), test: 0 }.and(yes.cost().or(no.cost())),
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
    fn toil(&self, bounds: &Bounds, times: u64) -> u64 {
        let size = |test: &Test| times.saturating_mul(weight(&Part::Test(test)));
        match self {
            Self::One | Self::Fan { .. } => 0,
            Self::Loop { domain, tests, inner, .. } => {
                let times = times.saturating_mul(bounds.members(domain).unwrap_or(1));
                let tests = tests.iter().map(|test| times.saturating_mul(weight(&Part::Test(test))));
                tests.fold(inner.toil(bounds, times), u64::saturating_add)
            }
            Self::Test(test, inner) => inner.toil(bounds, times).saturating_add(if times > 1 { size(test) } else { 0 }),
            Self::If(_, yes, no) => yes.toil(bounds, times).max(no.toil(bounds, times)),
            Self::Let(_, _, inner) | Self::LetSites(_, _, inner) | Self::Stage(_, inner) | Self::Repeat(_, inner) => {
                inner.toil(bounds, times)
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
            reach: geometry.all.iter().map(reach).collect(),
        }
    }

    fn members(&self, domain: &Domain) -> Option<u64> {
        match domain {
            Domain::Sites(set) => Some(self.most(set)),
            Domain::Mask(Int::Const(mask)) => Some(u64::from(mask.count_ones())),
            Domain::Mask(_) | Domain::Range(..) => None,
        }
    }

    /// The most members that a set can have in any state, as far as its form tells.
    fn most(&self, set: &Sets) -> u64 {
        let ways = |mask: &Int| {
            let one = matches!(mask, Int::Bit(_) | Int::OnlyBit(_));
            let known = if let Int::Const(mask) = mask { Some(mask.count_ones()) } else { None };
            u64::from(known.unwrap_or(if one { 1 } else { 16 }))
        };
        let most = match set {
            Sets::Const(set) => set.len() as u64,
            Sets::One(_) => 1,
            Sets::And(parts) => parts.iter().map(|part| self.most(part)).min().unwrap_or(self.all),
            Sets::Or(parts) => parts.iter().map(|part| self.most(part)).fold(0, u64::saturating_add),
            Sets::Minus(from, _) => self.most(from),
            Sets::Near(_) => self.near,
            Sets::Ahead { from, directions, .. } | Sets::Beyond { from, directions, .. } => {
                self.most(from).saturating_mul(ways(directions))
            }
            Sets::Run { from, directions, .. } => self.most(from).saturating_mul(self.run(directions)),
            Sets::If(_, yes, no) => self.most(yes).max(self.most(no)),
            Sets::Filter { domain: set, .. } | Sets::Heads(set) | Sets::With { of: set, .. } => self.most(set),
            Sets::First(set) => self.most(set).min(1),
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
