//! Generators walked: what stands in one, what it leads to, and passes over all of it. The engine alone gives them meaning.

use super::build::{Reads, and, compare, put_in};
use super::ir::{Domain, Effect, Int, Part, PartMut, Sets, Test};
use super::parts::conjuncts;
use crate::rules::CompareOp;

/// How the plies of a call are found.
#[derive(Clone, PartialEq, Debug)]
pub enum Generator {
    /// One ply with the parts bound so far.
    One,
    /// One ply for every member.
    Leaf {
        slot: u16,
        set: Sets,
    },
    /// One ply for every member of every branch; further parts are functions of it.
    Fan {
        slot: u16,
        branches: Vec<Branch>,
    },
    Loop {
        slot: u16,
        domain: Domain,
        tests: Vec<Test>,
        inner: Box<Generator>,
    },
    Test(Test, Box<Generator>),
    If(Test, Box<Generator>, Box<Generator>),
    /// The plies of each, of which no two find the same.
    Either(Vec<Generator>),
    Let(u16, Int, Box<Generator>),
    LetSites(u16, Sets, Box<Generator>),
    /// The changes are made on a copy of the state, then it goes on.
    Stage(Vec<Effect>, Box<Generator>),
    Repeat(Repeat, Box<Generator>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Branch {
    pub set: Sets,
    pub derived: Vec<(u16, Int)>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Repeat {
    pub times: Int,
    pub condition: Test,
    /// What is done in a round, one change after the other, and what is known from one to the next.
    pub steps: Vec<Step>,
}

/// A step of playing a move whose parts are known.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    Let(u16, Int),
    LetSites(u16, Sets),
    Change(Vec<Effect>),
    Repeat(Repeat),
}

impl Branch {
    /// Puts a number in the place of a slot.
    pub(super) fn put_in(&mut self, slot: u16, value: &Int) {
        put_in(PartMut::Sets(&mut self.set), slot, value);
        self.derived.iter_mut().for_each(|(_, derived)| put_in(PartMut::Int(derived), slot, value));
    }
}

impl Generator {
    /// Whether a slot is bound somewhere within.
    pub(super) fn binds(&self, wanted: u16) -> bool {
        let own = match self {
            Self::Leaf { slot, .. } | Self::Loop { slot, .. } | Self::Let(slot, ..) => *slot == wanted,
            Self::Fan { slot, branches } => {
                let derived = branches.iter().flat_map(|branch| &branch.derived);
                *slot == wanted || derived.into_iter().any(|(slot, _)| *slot == wanted)
            }
            Self::One
            | Self::Test(..)
            | Self::If(..)
            | Self::Either(_)
            | Self::LetSites(..)
            | Self::Stage(..)
            | Self::Repeat(..) => false,
        };
        own || self.inner().into_iter().any(|inner| inner.binds(wanted))
    }

    /// The loop that binds a slot, or the branches of which each tells nothing but it, behind other loops, tests and
    /// definitions at most.
    pub(super) fn loop_of(&mut self, wanted: u16) -> Option<&mut Self> {
        let tells = |branch: &Branch| matches!(branch.derived.as_slice(), [(slot, Int::Const(_))] if *slot == wanted);
        if matches!(self, Self::Loop { slot, .. } if *slot == wanted)
            || matches!(self, Self::Fan { branches, .. } if branches.iter().all(tells))
        {
            return Some(self);
        }
        match self {
            Self::Loop { inner, .. } | Self::Test(_, inner) | Self::Let(_, _, inner) | Self::LetSites(_, _, inner) => {
                inner.loop_of(wanted)
            }
            Self::One
            | Self::Leaf { .. }
            | Self::Fan { .. }
            | Self::If(..)
            | Self::Either(_)
            | Self::Stage(..)
            | Self::Repeat(..) => None,
        }
    }

    /// All ways through the rest of a move are known, whatever is asked before.
    pub(super) fn is_fan(&self) -> bool {
        matches!(self, Self::Fan { .. }) || matches!(self, Self::Test(_, inner) if inner.is_fan())
    }

    /// What is asked first, then the rest.
    pub(super) fn guarded_by(self, test: Test) -> Self {
        match (test, self) {
            (Test::Const(true), rest) => rest,
            (test, Self::Test(other, inner)) => Self::Test(and(vec![test, other]), inner),
            (test, rest) => Self::Test(test, Box::new(rest)),
        }
    }

    /// The same, where a number of a range that a condition tells is worked out and not looked for, and a range ends where a
    /// run does that a condition ends it with. `most` tells how large a number can be.
    pub(super) fn with_told_numbers(self, most: &dyn Fn(&Int) -> Option<i64>) -> Self {
        let whole = self.map_inner(&mut |inner| inner.with_told_numbers(most));
        let Self::Loop { slot, domain: Domain::Range(low, high), tests, inner } = &whole else { return whole };
        let (asked, rest) =
            if let Self::Test(asked, rest) = &**inner { (asked.clone(), rest) } else { (Test::Const(true), inner) };
        let mut tests: Vec<Test> = tests.iter().cloned().chain(conjuncts(asked)).collect();
        let find =
            |tests: &[Test], op| tests.iter().enumerate().find_map(|(at, test)| Some((at, beside(test, op, *slot)?)));
        if let Some((at, number)) = find(&tests, CompareOp::Equal) {
            tests.remove(at);
            return (**rest).clone().guarded_by(and(tests)).of_told_number((*slot, number), (low, high));
        }
        // How many sites a run has at most, the board says as well: numbers beyond its end need not be drawn in vain.
        if let (Int::Const(end), Some((at, number))) = (high, find(&tests, CompareOp::LessEqual))
            && matches!(&number, Int::Count(set) if matches!(**set, Sets::Run { .. }))
            && most(&number).is_some_and(|most| most <= *end)
        {
            tests.remove(at);
            let domain = Domain::Range(low.clone(), number);
            return Self::Loop { slot: *slot, domain, tests, inner: rest.clone() };
        }
        whole
    }

    /// The same for a number of a range that is worked out and not looked for.
    pub(super) fn of_told_number(self, (slot, number): (u16, Int), (low, high): (&Int, &Int)) -> Self {
        let ends = [(CompareOp::GreaterEqual, low), (CompareOp::LessEqual, high)];
        let within = ends.map(|(op, end)| compare(op, Int::Slot(slot), end.clone()));
        Self::Let(slot, number, Box::new(self.guarded_by(and(within.into()))))
    }

    /// The generators that it leads to.
    fn inner(&self) -> Vec<&Self> {
        match self {
            Self::One | Self::Leaf { .. } | Self::Fan { .. } => Vec::new(),
            Self::Loop { inner, .. }
            | Self::Test(_, inner)
            | Self::Let(_, _, inner)
            | Self::LetSites(_, _, inner)
            | Self::Stage(_, inner)
            | Self::Repeat(_, inner) => vec![inner],
            Self::If(_, yes, no) => vec![yes, no],
            Self::Either(all) => all.iter().collect(),
        }
    }

    /// The same, to be changed.
    pub(super) fn inner_mut(&mut self) -> Vec<&mut Self> {
        match self {
            Self::One | Self::Leaf { .. } | Self::Fan { .. } => Vec::new(),
            Self::Loop { inner, .. }
            | Self::Test(_, inner)
            | Self::Let(_, _, inner)
            | Self::LetSites(_, _, inner)
            | Self::Stage(_, inner)
            | Self::Repeat(_, inner) => vec![inner],
            Self::If(_, yes, no) => vec![yes, no],
            Self::Either(all) => all.iter_mut().collect(),
        }
    }

    /// Visits the instructions that stand in it, without those of what it leads to.
    pub(super) fn own_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>)) {
        match self {
            Self::One | Self::Either(_) => {}
            Self::Leaf { set, .. } | Self::LetSites(_, set, _) => f(PartMut::Sets(set)),
            Self::Fan { branches, .. } => {
                for Branch { set, derived } in branches {
                    f(PartMut::Sets(set));
                    derived.iter_mut().for_each(|(_, int)| f(PartMut::Int(int)));
                }
            }
            Self::Loop { domain, tests, .. } => {
                domain.parts_mut(f);
                tests.iter_mut().for_each(|test| f(PartMut::Test(test)));
            }
            Self::Test(test, _) | Self::If(test, ..) => f(PartMut::Test(test)),
            Self::Let(_, int, _) => f(PartMut::Int(int)),
            Self::Stage(effects, _) => effects.iter_mut().for_each(|effect| effect.parts_mut(f)),
            Self::Repeat(repeat, _) => repeat.parts_mut(f),
        }
    }

    /// Whether it, or one that it leads to, is of a kind.
    pub(crate) fn any(&self, wanted: &dyn Fn(&Self) -> bool) -> bool {
        wanted(self) || self.inner().into_iter().any(|inner| inner.any(wanted))
    }

    /// Visits every instruction that stands by itself, from the outside in.
    pub(super) fn walk_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>)) {
        self.own_mut(f);
        self.inner_mut().into_iter().for_each(|inner| inner.walk_mut(f));
    }

    /// Whether something in it reads what a step keeps in a slot.
    pub(super) fn reads(&mut self, kept: &Step) -> bool {
        let is_it = |part: &Part<'_>| match (kept, part) {
            (Step::Let(slot, _), Part::Int(Int::Slot(read))) => slot == read,
            (Step::LetSites(slot, _), Part::Sets(Sets::Slot(read))) => slot == read,
            (Step::Let(..) | Step::LetSites(..) | Step::Change(_) | Step::Repeat(_), _) => false,
        };
        let mut read = false;
        self.walk_mut(&mut |part| read = read || part.as_part().asks(&is_it));
        read
    }

    /// Puts others in the place of what it leads to.
    pub(super) fn map_inner(mut self, f: &mut dyn FnMut(Self) -> Self) -> Self {
        for inner in self.inner_mut() {
            *inner = f(std::mem::replace(inner, Self::One));
        }
        self
    }
}

/// What a test compares the number in a slot with in this way, if that does not hang on it.
pub(super) fn beside(test: &Test, op: CompareOp, slot: u16) -> Option<Int> {
    let Test::Compare(own, a, b) = test else { return None };
    let sides = [(*own, a, b), (own.turned(), b, a)];
    let (.., other) = sides.into_iter().find(|(own, a, _)| *own == op && **a == Int::Slot(slot))?;
    (!other.reads(slot)).then(|| other.clone())
}

impl Repeat {
    pub(super) fn parts(&self, f: &mut dyn FnMut(Part<'_>)) {
        f(Part::Int(&self.times));
        f(Part::Test(&self.condition));
        self.steps.iter().for_each(|step| step.parts(f));
    }

    pub(super) fn parts_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>)) {
        f(PartMut::Int(&mut self.times));
        f(PartMut::Test(&mut self.condition));
        self.steps.iter_mut().for_each(|step| step.parts_mut(f));
    }

    /// All changes of a round.
    pub(crate) fn effects(&self) -> impl Iterator<Item = &Effect> {
        self.steps.iter().flat_map(Step::effects)
    }
}

impl Step {
    /// The changes that it makes all at once.
    pub(crate) fn effects(&self) -> &[Effect] {
        match self {
            Self::Change(effects) => effects,
            Self::Let(..) | Self::LetSites(..) | Self::Repeat(_) => &[],
        }
    }

    /// Visits the instructions that stand in it.
    pub(super) fn parts(&self, f: &mut dyn FnMut(Part<'_>)) {
        match self {
            Self::Let(_, int) => f(Part::Int(int)),
            Self::LetSites(_, set) => f(Part::Sets(set)),
            Self::Change(effects) => effects.iter().for_each(|effect| effect.parts(f)),
            Self::Repeat(repeat) => repeat.parts(f),
        }
    }

    pub(super) fn parts_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>)) {
        match self {
            Self::Let(_, int) => f(PartMut::Int(int)),
            Self::LetSites(_, set) => f(PartMut::Sets(set)),
            Self::Change(effects) => effects.iter_mut().for_each(|effect| effect.parts_mut(f)),
            Self::Repeat(repeat) => repeat.parts_mut(f),
        }
    }
}
