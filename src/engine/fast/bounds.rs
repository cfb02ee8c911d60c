//! How many members sets, masks and ranges can have in any state, as far as their form tells.

use super::geometry::Geometry;
use super::toil::weight;
use crate::board::{Direction, MOST_STEPS};
use crate::program::Program;
use crate::program::ir::{Domain, Int, Kept, NONE, Part, Sets, Test, When};
use crate::rules::{ArithmeticOp, Content, Reduce};

/// Masks have as many members at most.
const MEMBERS: u64 = u32::MAX as u64;

/// How many sites there are of each kind of set, whatever the state.
#[derive(Debug)]
pub struct Bounds {
    /// The words of a set.
    words: u64,
    all: u64,
    near: u64,
    /// The most sites that lie in one direction from a site.
    line: u64,
    /// In how many directions there are steps.
    ways: u64,
    /// By site, how far the board reaches in each direction.
    reach: Vec<[u64; 16]>,
    /// The greatest distance between two sites.
    farthest: i64,
    /// The steps of the longest line, where no line leads back to where it began, and none is a shorter way than the
    /// distance.
    longest: Option<i64>,
    /// By plane, the kind and the owner of its pieces.
    pieces: Vec<(i64, i64)>,
}

/// A piece that is taken to stand on the site in a slot.
#[derive(Clone, Copy)]
pub struct Standing {
    slot: u16,
    plane: i64,
    kind: i64,
    owner: i64,
}

/// What slots hold that were bound in front of a place in a generator.
#[derive(Clone, Default)]
pub struct Known<'g> {
    /// By slot, what stands there, and between which numbers it lies; none where that is not known.
    pub numbers: Vec<(u16, Option<&'g Int>, Option<Between>)>,
    /// By slot, what stands there, and the most members of it.
    pub sets: Vec<(u16, &'g Sets, u64)>,
    pub standing: Option<Standing>,
}

/// The least and the greatest of some numbers.
pub type Between = (i64, i64);

impl<'g> Known<'g> {
    /// The same with a number that stands in a slot.
    pub fn with_number(&self, slot: u16, int: &'g Int, bounds: &Bounds) -> Self {
        let mut known = self.clone();
        known.numbers.push((slot, Some(int), bounds.between(int, self)));
        known
    }

    /// The same with a set.
    pub fn with_set(&self, slot: u16, set: &'g Sets, bounds: &Bounds) -> Self {
        let mut known = self.clone();
        known.sets.push((slot, set, bounds.most_of(set, self)));
        known
    }

    /// The same where a loop has put something else into a slot.
    pub fn shadowed(&self, slot: u16) -> Self {
        let mut known = self.clone();
        known.numbers.push((slot, None, None));
        known
    }

    /// Whether something is another one for each member of a loop.
    pub fn hangs_on_loops(&self, part: &Part<'_>) -> bool {
        hangs_on_loops(part, &self.numbers, &self.sets)
    }

    /// The same with what is kept, which may stand where something else stood.
    pub fn beside(&self, kept: &'g Kept, bounds: &Bounds) -> Self {
        match kept {
            Kept::Int(slot, int) => self.with_number(*slot, int, bounds),
            Kept::Sets(slot, set) => self.with_set(*slot, set, bounds),
        }
    }

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

    /// What a number is in every state, as far as that is known.
    fn constant(&self, int: &Int) -> Option<i64> {
        let on = |site: &Int| self.standing.filter(|standing| *site == Int::Slot(standing.slot));
        let int = self.number(int);
        let found = if let Int::Const(number) = int {
            Some(*number)
        } else if let Int::Kind(site, When::Now) = int {
            on(site).map(|standing| standing.kind)
        } else if let Int::Owner(site, When::Now) = int {
            on(site).map(|standing| standing.owner)
        } else if let Int::Piece(site, When::Now) = int {
            on(site).map(|standing| standing.plane)
        } else if let Int::Bit(member) = int {
            self.constant(member).filter(|member| (0..32).contains(member)).map(|member| 1 << member)
        } else if let Int::MaskAnd(a, b) = int {
            self.constant(a).zip(self.constant(b)).map(|(a, b)| a & b)
        } else if let Int::MaskOr(a, b) = int {
            self.constant(a).zip(self.constant(b)).map(|(a, b)| a | b)
        } else if let Int::Table { values, index } = int {
            self.constant(index).and_then(|index| values.get(usize::try_from(index).ok()?).copied())
        } else if let Int::If(test, yes, no) = int {
            self.decided(test).and_then(|held| self.constant(if held { yes } else { no }))
        } else {
            None
        };
        found.filter(|number| *number != NONE)
    }

    /// Whether a test holds in every state; none where that is not known.
    pub fn decided(&self, test: &Test) -> Option<bool> {
        if let Test::Const(held) = test {
            Some(*held)
        } else if let Test::Not(inner) = test {
            self.decided(inner).map(|held| !held)
        } else if let Test::And(all) = test {
            self.decided_by(false, all)
        } else if let Test::Or(all) = test {
            self.decided_by(true, all)
        } else if let Test::Compare(op, a, b) = test {
            self.constant(a).zip(self.constant(b)).map(|(a, b)| op.holds(a, b))
        } else if let Test::Contains(Sets::Planes(planes, When::Now), site) = test {
            let standing = self.standing.filter(|standing| *site == Int::Slot(standing.slot))?;
            Some(*planes >> standing.plane & 1 == 1)
        } else {
            None
        }
    }

    /// The same of several tests, of which one decides if it holds, or does not hold, as said.
    fn decided_by(&self, held: bool, tests: &[Test]) -> Option<bool> {
        let each = || tests.iter().map(|test| self.decided(test));
        if each().any(|decided| decided == Some(held)) {
            return Some(held);
        }
        each().all(|decided| decided.is_some()).then_some(!held)
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
    pub fn of<const W: usize>(program: &Program, geometry: &Geometry<W>) -> Self {
        let piece = |content: &Content| {
            let (kind, owner) = (content.kind(), content.owner());
            (kind.map_or(NONE, |kind| i64::from(kind.0)), owner.map_or(NONE, |owner| i64::from(owner.0)))
        };
        let reach = |at: usize| {
            let far = |way| Direction::from_index(way).map_or(0, |way| geometry.reach(at, way, &geometry.all) as u64);
            std::array::from_fn(far)
        };
        let reach: Vec<[u64; 16]> = geometry.all.iter().map(reach).collect();
        Self {
            words: W as u64,
            all: geometry.all.len() as u64,
            near: geometry.neighbours.iter().map(|set| set.len() as u64).max().unwrap_or(0),
            farthest: farthest(geometry),
            longest: longest(geometry),
            ways: (0..16).filter(|way| reach.iter().any(|row| row.get(*way).is_some_and(|far| *far > 0))).count()
                as u64,
            line: reach.iter().flatten().copied().max().unwrap_or(0),
            reach,
            pieces: program.planes.iter().map(piece).collect(),
        }
    }

    /// A piece of a plane on the site in a slot.
    pub fn standing(&self, slot: u16, plane: usize) -> Option<Standing> {
        let (kind, owner) = *self.pieces.get(plane)?;
        Some(Standing { slot, plane: i64::try_from(plane).ok()?, kind, owner })
    }

    /// The words of a set.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// The most operations on sets that a flood takes: it may come from site to site.
    pub fn flood(&self) -> u64 {
        self.all
    }

    /// The most operations on sets that steps in so many directions take; round a ring they go on.
    pub fn walk(&self, directions: u64) -> u64 {
        let steps = if self.line < self.all { self.line } else { self.line.max(MOST_STEPS.into()) };
        steps.saturating_mul(directions.min(self.ways))
    }

    /// Whether a set can have most of the sites of the board.
    pub fn are_most(&self, set: &Sets) -> bool {
        self.most(set) > self.all / 2
    }

    /// About how many instructions something takes that is made of sets.
    pub fn work(&self, part: &Part<'_>) -> u64 {
        weight(part).saturating_mul(self.words)
    }

    pub fn members(&self, domain: &Domain, known: &Known<'_>) -> Option<u64> {
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
    pub fn ones(&self, mask: &Int, known: &Known<'_>) -> u64 {
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
            Int::With { kept, of } => self.ones(of, &known.beside(kept, self)),
            // Of the others no more is known than how many members there can be.
            _ => of(-1),
        };
        most.min(of(-1))
    }

    /// Between which numbers one lies where it is not missing; none where nothing is known.
    pub fn between(&self, int: &Int, known: &Known<'_>) -> Option<Between> {
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
        if let Int::Ones(mask) = int {
            return Some((0, i64::try_from(self.ones(mask, known)).ok()?));
        }
        if let Int::With { kept, of } = int {
            return self.between(of, &known.beside(kept, self));
        }
        // The least and the greatest of some numbers are among them; and missing where one of them is.
        if let Int::Reduce { reduce: Reduce::Least | Reduce::Most, slot, body, .. } = int {
            return self.between(body, &known.shadowed(*slot));
        }
        let anything = (i64::MIN, i64::MAX);
        let ends = |int: &Int| self.between(int, known).unwrap_or(anything);
        let told = |ends: Between| (ends != anything).then_some(ends);
        if let Int::Min(a, b) = int {
            let (a, b) = (ends(a), ends(b));
            return told((a.0.min(b.0), a.1.min(b.1)));
        }
        if let Int::Max(a, b) = int {
            let (a, b) = (ends(a), ends(b));
            return told((a.0.max(b.0), a.1.max(b.1)));
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
    pub fn most(&self, set: &Sets) -> u64 {
        self.most_of(set, &Known::default())
    }

    /// The same where it is known what slots hold.
    pub fn most_of(&self, set: &Sets, known: &Known<'_>) -> u64 {
        let ways = |mask: &Int| match known.constant(mask) {
            Some(mask) => u64::from(mask.count_ones()),
            None => self.ones(mask, known).min(self.ways),
        };
        // What comes first beyond a run lies on the same lines.
        let is_beyond_a_run = |part: &Sets, parts: &[Sets]| {
            let Sets::Beyond { from, directions, through } = part else { return false };
            let run = Sets::Run { from: from.clone(), directions: directions.clone(), through: through.clone() };
            parts.contains(&run)
        };
        let most = match set {
            Sets::Const(set) => set.len() as u64,
            Sets::One(_) => 1,
            Sets::Slot(slot) => known.most(*slot).unwrap_or(self.all),
            Sets::And(parts) => parts.iter().map(|part| self.most_of(part, known)).min().unwrap_or(self.all),
            Sets::Or(parts) => {
                let apart = parts.iter().filter(|part| !is_beyond_a_run(part, parts));
                apart.map(|part| self.most_of(part, known)).fold(0, u64::saturating_add)
            }
            Sets::Minus(from, _) => self.most_of(from, known),
            Sets::Near(_) => self.near,
            // What lies between two sites lies on one line from the first.
            Sets::Between(..) => self.line,
            Sets::Ahead { from, directions, .. } | Sets::Beyond { from, directions, .. } => {
                self.most_of(from, known).saturating_mul(ways(directions))
            }
            Sets::Run { from, directions, .. } => self.most_of(from, known).saturating_mul(self.run(directions, known)),
            Sets::If(test, yes, no) => match known.decided(test) {
                Some(held) => self.most_of(if held { yes } else { no }, known),
                None => self.most_of(yes, known).max(self.most_of(no, known)),
            },
            Sets::Filter { domain: set, .. } | Sets::Heads(set) => self.most_of(set, known),
            Sets::With { kept, of } => self.most_of(of, &known.beside(kept, self)),
            Sets::First(set) => self.most_of(set, known).min(1),
            // Of the others no more is known than that they lie on the board.
            _ => self.all,
        };
        most.min(self.all)
    }

    /// The most sites that one site has in some directions.
    fn run(&self, directions: &Int, known: &Known<'_>) -> u64 {
        let mask = known.constant(directions);
        let one = mask.is_none() && self.ones(directions, known) == 1;
        let mask = mask.unwrap_or_else(|| some_of(directions, known));
        let among = |reach: &[u64; 16]| {
            let each = reach.iter().enumerate().filter(|(way, _)| mask >> way & 1 == 1).map(|(_, far)| *far);
            if one { each.max().unwrap_or(0) } else { each.sum() }
        };
        self.reach.iter().map(among).max().unwrap_or(0)
    }
}

/// Whether something is another one for each member of a loop, with what stood in slots in front of it.
fn hangs_on_loops(
    part: &Part<'_>,
    numbers: &[(u16, Option<&Int>, Option<Between>)],
    sets: &[(u16, &Sets, u64)],
) -> bool {
    part.asks(&|part| match part {
        Part::Int(Int::Slot(slot)) => numbers.iter().rposition(|(own, ..)| own == slot).is_some_and(|at| {
            let (before, held) = numbers.split_at(at);
            held.first()
                .is_some_and(|(_, held, _)| held.is_none_or(|held| hangs_on_loops(&Part::Int(held), before, sets)))
        }),
        Part::Sets(Sets::Slot(slot)) => sets.iter().rposition(|(own, ..)| own == slot).is_some_and(|at| {
            let (before, held) = sets.split_at(at);
            held.first().is_some_and(|(_, held, _)| hangs_on_loops(&Part::Sets(held), numbers, before))
        }),
        Part::Sets(_) | Part::Int(_) | Part::Test(_) => false,
    })
}

/// What a mask can have as members, in whatever state.
fn some_of(mask: &Int, known: &Known<'_>) -> i64 {
    match known.number(mask) {
        Int::Const(mask) => *mask,
        Int::Table { values, .. } => values.iter().filter(|mask| **mask != NONE).fold(0, |all, mask| all | mask),
        Int::MaskOr(a, b) | Int::If(_, a, b) => some_of(a, known) | some_of(b, known),
        Int::MaskAnd(a, b) => some_of(a, known) & some_of(b, known),
        Int::MaskNot(every, _) => *every,
        Int::MaskWhere { domain, .. } => some_of(domain, known),
        // Of the others nothing is known.
        _ => -1,
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
