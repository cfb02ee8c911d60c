//! Parts on lines from another site whose distance hangs on nothing but the direction: they are looked for one direction after
//! the other, where a step of known length, or a short line, finds them.

use super::Generator;
use super::build::*;
use super::ir::*;
use super::lower::Lowering;
use super::parts::conjuncts;
use crate::rules::CompareOp;

/// How a part is found in one direction.
pub(super) struct Along {
    /// The slot of the direction, and the mask of all.
    pub way: u16,
    pub ways: i64,
    /// What the part is picked from, and what is asked of it besides.
    pub set: Sets,
    pub test: Test,
    /// The same of sites that lie on no line, where there may be such.
    pub beside: Option<(Sets, Test)>,
    line: Line,
}

/// Whether a number says how far something lies, or how far at most.
#[derive(Clone, Copy)]
enum Reach {
    Exactly,
    Within,
}

/// The lines from a site, of which one is meant.
struct Line {
    from: Int,
    way: u16,
    ways: i64,
}

impl Lowering<'_> {
    /// The members of a set on lines from a site, where a test says how far they lie, or how far at most, by a number that
    /// depends on the member through its direction alone.
    ///
    /// On boards whose lines from a site have no site in common, and on which as many steps along a line are as great a
    /// distance, such a member is found by that many steps.
    pub(super) fn along(&mut self, slot: u16, set: &Sets, test: &Test) -> Option<Along> {
        if !self.ways.rays_are_apart || !self.ways.lines_are_short {
            return None;
        }
        let parts = if let Sets::And(parts) = set { parts.as_slice() } else { std::slice::from_ref(set) };
        let mut tests = conjuncts(test.clone());
        let on_lines = parts.iter().find_map(|part| lines_from(part, slot));
        let (from, ways) = match &on_lines {
            Some((from, ways)) => (from.clone(), *ways),
            None if self.ways.directions_are_lines => {
                let from = tests.iter().find_map(|test| far_in_a_direction(test, slot))?;
                (from.clone(), self.all_ways())
            }
            None => return None,
        };
        let direction = Int::Direction(Box::new(from.clone()), Box::new(Int::Slot(slot)));
        let with_direction =
            |part: PartMut<'_>, way: Int| refold(part, &|int| (*int == direction).then(|| way.clone()));
        let (at, reach, mut steps) = tests.iter().enumerate().find_map(|(at, test)| {
            let (reach, steps) = how_far(test, &from, slot)?;
            let mut free = steps.clone();
            with_direction(PartMut::Int(&mut free), Int::Const(0));
            (!free.reads(slot)).then(|| (at, reach, steps.clone()))
        })?;
        let lines = self.lines(&from, Int::Const(ways));
        // From what lies on no line there is no direction to it.
        let beside = on_lines.is_none().then(|| {
            let mut test = and(tests.clone());
            with_direction(PartMut::Test(&mut test), Int::Const(NONE));
            (minus(set.clone(), lines.clone()), test)
        });
        let set = if beside.is_some() { self.ground.and(vec![set.clone(), lines]) } else { set.clone() };
        tests.remove(at);
        let way = self.int_slot();
        with_direction(PartMut::Int(&mut steps), Int::Slot(way));
        tests.iter_mut().for_each(|test| with_direction(PartMut::Test(test), Int::Slot(way)));
        let line = Line { from, way, ways };
        let reached = match reach {
            Reach::Exactly => one(ahead(line.from.clone(), Int::Slot(way), steps)),
            Reach::Within => {
                let from = Box::new(one(line.from.clone()));
                Sets::Trail { from, directions: line.ahead(), steps: Box::new(steps) }
            }
        };
        let set = self.ground.and(vec![reached, line.restricted(set)]);
        let beside = beside.filter(|(_, test)| *test != Test::Const(false));
        Some(Along { way, ways, set, test: and(tests), beside, line })
    }
}

impl Along {
    /// The plies with the part, found in each direction.
    pub fn plies(self, each: Generator) -> Generator {
        let Self { way, ways, line, .. } = self;
        let inner = Box::new(line.restricted_plies(each));
        Generator::Loop { slot: way, domain: Domain::Mask(Int::Const(ways)), tests: Vec::new(), inner }
    }
}

impl Line {
    fn ahead(&self) -> Box<Int> {
        Box::new(Int::Bit(Box::new(Int::Slot(self.way))))
    }

    fn restricted_plies(&self, plies: Generator) -> Generator {
        match plies {
            Generator::Leaf { slot, set } => Generator::Leaf { slot, set: self.restricted(set) },
            Generator::Loop { slot, domain: Domain::Sites(set), tests, inner } => {
                Generator::Loop { slot, domain: Domain::Sites(self.restricted(set)), tests, inner }
            }
            Generator::Test(test, inner) => Generator::Test(test, Box::new(self.restricted_plies(*inner))),
            other => other,
        }
    }

    /// A set as far as it lies on the line: of the lines from its beginning no other is followed.
    fn restricted(&self, set: Sets) -> Sets {
        let all = |parts: Vec<Sets>| parts.into_iter().map(|part| self.restricted(part)).collect();
        let starts = |from: &Sets, directions: &Int| {
            let holds_all = |mask: i64| mask & self.ways == self.ways;
            *from == one(self.from.clone()) && matches!(directions, Int::Const(mask) if holds_all(*mask))
        };
        match set {
            Sets::And(parts) => Sets::And(all(parts)),
            Sets::Or(parts) => Sets::Or(all(parts)),
            Sets::Not(inner) => Sets::Not(Box::new(self.restricted(*inner))),
            Sets::Minus(a, b) => Sets::Minus(Box::new(self.restricted(*a)), Box::new(self.restricted(*b))),
            Sets::Filter { slot, domain, test } => {
                Sets::Filter { slot, domain: Box::new(self.restricted(*domain)), test }
            }
            Sets::Run { from, directions, through } if starts(&from, &directions) => {
                Sets::Run { from, directions: self.ahead(), through }
            }
            Sets::Beyond { from, directions, through } if starts(&from, &directions) => {
                Sets::Beyond { from, directions: self.ahead(), through }
            }
            other => other,
        }
    }
}

/// The site from which a set lies on lines, and in which directions.
fn lines_from(set: &Sets, slot: u16) -> Option<(Int, i64)> {
    let Sets::Run { from, directions, .. } = set else { return None };
    let (Sets::One(from), Int::Const(ways)) = (&**from, &**directions) else { return None };
    (!from.reads(slot) && ways.count_ones() > 1).then(|| ((**from).clone(), *ways))
}

/// The site from which the one in a slot lies as far as its direction says, if that is what a test says.
fn far_in_a_direction(test: &Test, slot: u16) -> Option<&Int> {
    let Test::Compare(_, a, b) = test else { return None };
    [(a, b), (b, a)].into_iter().find_map(|(far, steps)| {
        let from = measured_from(far, slot)?;
        let is_direction = |part: &Part<'_>| {
            matches!(part, Part::Int(Int::Direction(start, end)) if **start == *from && **end == Int::Slot(slot))
        };
        Part::Int(steps).asks(&is_direction).then_some(from)
    })
}

/// The site from which a number tells how far the one in a slot lies.
fn measured_from(far: &Int, slot: u16) -> Option<&Int> {
    let Int::Distance(a, b) = far else { return None };
    let [from, own] = if **a == Int::Slot(slot) { [b, a] } else { [a, b] };
    (**own == Int::Slot(slot) && !from.reads(slot)).then_some(&**from)
}

/// How far the site in a slot lies from another, or how far at most, if that is what a test says.
fn how_far<'t>(test: &'t Test, from: &Int, slot: u16) -> Option<(Reach, &'t Int)> {
    let is_distance = |int: &Int| measured_from(int, slot) == Some(from);
    let Test::Compare(op, a, b) = test else { return None };
    match op {
        CompareOp::Equal if is_distance(a) => Some((Reach::Exactly, b)),
        CompareOp::Equal if is_distance(b) => Some((Reach::Exactly, a)),
        CompareOp::LessEqual if is_distance(a) => Some((Reach::Within, b)),
        CompareOp::GreaterEqual if is_distance(b) => Some((Reach::Within, a)),
        CompareOp::Equal
        | CompareOp::NotEqual
        | CompareOp::Less
        | CompareOp::LessEqual
        | CompareOp::Greater
        | CompareOp::GreaterEqual => None,
    }
}
