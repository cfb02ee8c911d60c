//! Loops over sites told apart by what the numbers within ask of the site: where a range has one number whatever the state,
//! nothing is gone through, and those sites are one set.

use super::build::*;
use super::ir::*;
use super::lower::Lowering;
use super::parts::{conjuncts, substitute};
use super::{Branch, Generator};

/// Sites are told apart by no more conditions than this: each doubles the loops.
const MOST_CONDITIONS: usize = 2;

/// Larger loops are left as they are.
const MOST_PARTED: usize = 1_000;

impl Lowering<'_> {
    /// The same plies, with loops over sites told apart by the conditions that ranges within ask of the site.
    pub(super) fn parted(&mut self, generator: Generator) -> Generator {
        let ranges = generator.any(&|inner| matches!(inner, Generator::Loop { domain: Domain::Range(..), .. }));
        let copies = generator.any(&|inner| matches!(inner, Generator::Stage(..) | Generator::Repeat(..)));
        if !ranges || copies {
            return generator;
        }
        self.scoped(|own| {
            // What is known of pieces is known of another state by now.
            own.forget_pieces();
            own.parted_by_ranges(generator)
        })
    }

    fn parted_by_ranges(&mut self, generator: Generator) -> Generator {
        let whole = generator.map_inner(&mut |inner| self.parted_by_ranges(inner));
        let Generator::Loop { slot, domain: Domain::Sites(set), tests, mut inner } = whole else { return whole };
        let asked = self.asked_by_ranges(slot, &mut inner);
        if asked.is_empty() || instructions(&mut inner) > MOST_PARTED {
            return Generator::Loop { slot, domain: Domain::Sites(set), tests, inner };
        }
        let mut ways = Vec::new();
        for way in 0..1usize << asked.len() {
            let (mut sets, mut rest) = (vec![set.clone()], (*inner).clone());
            for (at, (test, sites)) in asked.iter().enumerate() {
                let holds = way >> at & 1 == 1;
                sets.push(if holds { sites.clone() } else { self.ground.not(sites.clone()) });
                decide(&mut rest, test, holds);
            }
            let set = self.ground.and(sets);
            if set != nothing() {
                ways.push(self.one_way(slot, set, &tests, settled(rest)));
            }
        }
        match <[Generator; 1]>::try_from(ways) {
            Ok([only]) => only,
            Err(ways) => Generator::Either(ways),
        }
    }

    /// A loop, as one set where all that follows is known numbers and can be asked of the whole board.
    fn one_way(&self, slot: u16, set: Sets, tests: &[Test], rest: Generator) -> Generator {
        let kept = |set: Sets, rest: Generator| Generator::Loop {
            slot,
            domain: Domain::Sites(set),
            tests: tests.to_vec(),
            inner: Box::new(rest),
        };
        let (mut asked, mut derived) = (tests.to_vec(), Vec::new());
        if !known_numbers(&rest, &mut asked, &mut derived) {
            return kept(set, rest);
        }
        let (own, before): (Vec<Test>, Vec<Test>) = asked.into_iter().partition(|test| test.reads(slot));
        let lifted: Option<Vec<Sets>> = own.iter().map(|test| self.lift(test, slot)).collect();
        let Some(mut sets) = lifted else { return kept(set, rest) };
        sets.push(set);
        let set = self.ground.and(sets);
        let plies = if derived.is_empty() {
            Generator::Leaf { slot, set }
        } else {
            Generator::Fan { slot, branches: vec![Branch { set, derived }] }
        };
        plies.guarded_by(and(before))
    }

    /// The conditions of a site on which ranges within a loop hang, each with all sites for which it holds: where it does
    /// not, a range has one number.
    fn asked_by_ranges(&self, slot: u16, inner: &mut Generator) -> Vec<(Test, Sets)> {
        let (mut bound, mut ranges) = (Vec::new(), Vec::new());
        ranges_within(inner, &mut bound, &mut ranges);
        let mut asked: Vec<(Test, Sets)> = Vec::new();
        for (low, high) in ranges {
            let mut conditions = Vec::new();
            for int in [&low, &high] {
                note_conditions(int, &mut conditions);
            }
            for test in conditions {
                let free = test.reads(slot) && !bound.iter().any(|inner| reads_any(&test, *inner));
                if asked.len() == MOST_CONDITIONS || !free || asked.iter().any(|(known, _)| *known == test) {
                    continue;
                }
                let (mut first, mut last) = (low.clone(), high.clone());
                decide_part(PartMut::Int(&mut first), &test, false);
                decide_part(PartMut::Int(&mut last), &test, false);
                if let (Int::Const(first), Int::Const(last)) = (first, last)
                    && first == last
                    && first != NONE
                    && let Some(sites) = self.lift(&test, slot)
                {
                    asked.push((test, sites));
                }
            }
        }
        asked
    }
}

/// Whether a test reads a slot, of numbers or of sets.
fn reads_any(test: &Test, slot: u16) -> bool {
    test.reads(slot) || Part::Test(test).asks(&|part| matches!(part, Part::Sets(Sets::Slot(own)) if *own == slot))
}

/// The ranges that are gone through within a generator, and the slots that it binds.
fn ranges_within(generator: &mut Generator, bound: &mut Vec<u16>, ranges: &mut Vec<(Int, Int)>) {
    match generator {
        Generator::Loop { slot, domain, .. } => {
            bound.push(*slot);
            if let Domain::Range(low, high) = domain {
                ranges.push((low.clone(), high.clone()));
            }
        }
        Generator::Leaf { slot, .. } | Generator::Let(slot, ..) | Generator::LetSites(slot, ..) => bound.push(*slot),
        Generator::Fan { slot, branches } => {
            bound.push(*slot);
            bound.extend(branches.iter().flat_map(|branch| branch.derived.iter().map(|(slot, _)| *slot)));
        }
        Generator::One
        | Generator::Test(..)
        | Generator::If(..)
        | Generator::Either(_)
        | Generator::Stage(..)
        | Generator::Repeat(..) => {}
    }
    generator.inner_mut().into_iter().for_each(|inner| ranges_within(inner, bound, ranges));
}

/// The conditions on which a number hangs.
fn note_conditions(int: &Int, conditions: &mut Vec<Test>) {
    if let Int::If(test, ..) = int {
        conditions.push((**test).clone());
    }
    if let Int::Arithmetic(_, a, b) = int {
        [a, b].into_iter().for_each(|int| note_conditions(int, conditions));
    }
}

/// A condition is known to hold, or not to, wherever a number hangs on it.
fn decide(generator: &mut Generator, test: &Test, holds: bool) {
    generator.walk_mut(&mut |part| decide_part(part, test, holds));
}

fn decide_part(part: PartMut<'_>, test: &Test, holds: bool) {
    refold(part, &|int| {
        let Int::If(asked, yes, no) = int else { return None };
        (**asked == *test).then(|| if holds { (**yes).clone() } else { (**no).clone() })
    });
}

/// Ranges of one number become that number.
fn settled(generator: Generator) -> Generator {
    let generator = match generator {
        Generator::Loop { slot, domain: Domain::Range(Int::Const(low), Int::Const(high)), tests, inner }
            if low == high && low != NONE =>
        {
            let mut rest = inner.guarded_by(and(tests));
            substitute(&mut rest, &|int| (*int == Int::Slot(slot)).then_some(Int::Const(low)));
            Generator::Let(slot, Int::Const(low), Box::new(rest))
        }
        other => other,
    };
    generator.map_inner(&mut settled)
}

/// The tests and the known numbers of a generator that binds nothing else; false where there is more.
fn known_numbers(generator: &Generator, asked: &mut Vec<Test>, numbers: &mut Vec<(u16, Int)>) -> bool {
    match generator {
        Generator::One => true,
        Generator::Let(slot, number @ Int::Const(_), inner) => {
            numbers.push((*slot, number.clone()));
            known_numbers(inner, asked, numbers)
        }
        Generator::Test(test, inner) => {
            asked.extend(conjuncts(test.clone()));
            known_numbers(inner, asked, numbers)
        }
        Generator::Leaf { .. }
        | Generator::Fan { .. }
        | Generator::Loop { .. }
        | Generator::If(..)
        | Generator::Either(_)
        | Generator::Let(..)
        | Generator::LetSites(..)
        | Generator::Stage(..)
        | Generator::Repeat(..) => false,
    }
}

/// How many instructions stand in a generator.
pub(super) fn instructions(generator: &mut Generator) -> usize {
    let mut size = 0usize;
    generator.walk_mut(&mut |part| size = size.saturating_add(super::lift::written(&super::share::shared_part(&part))));
    size
}
