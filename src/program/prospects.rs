//! Plies after which nothing becomes possible that was not before: they take away what the condition on the rest of a turn
//! asks for, and put nothing there that it asks for. Where that condition does not hold before them it does not hold after
//! them either, which is found out once for all of them.
//!
//! What a state loses and wins is followed through the condition: a set may grow where a set grows that it is made of, or one
//! shrinks that it leaves out. Such a rule holds of any two states, so of the same two in the opposite order as well: that
//! says where the set may shrink, and every rule is written once for both ways. What is not followed changes either way as soon
//! as something changes that it reads, and is left out of the condition: it has to hold *after* a ply, so what is asked before
//! one may be less.

use super::build::{and, any, not, one, or};
use super::closing::closing;
use super::effects::plane_of;
use super::ir::*;
use super::lower::Lowering;
use super::overlay::held;
use super::told::reads_only;
use super::writes::{Writes, reads_play};
use super::{Call, Chronicle, ForMover, Step, TurnNode};
use crate::operator::{ArithmeticOp, CompareOp};
use std::ops::Not;

impl Lowering<'_> {
    /// After which plies of a call the turn can be finished only if something holds before them: a condition on their parts,
    /// and what that is.
    pub(super) fn prospect(&self, nodes: &[TurnNode], own: &ForMover, call: &Call) -> Option<(Test, Test)> {
        let [next] = call.next.as_slice() else { return None };
        if call.until.is_some() || closing(nodes, own, call).is_some() {
            return None;
        }
        let finish = (*own.finishes.get(usize::from(*next))?)?;
        let finish = own.guards.get(usize::from(finish))?;
        let (idle, writes) = Writes::of_idle(self, call)?;
        let needs = writes.weakened(finish, &Names::default());
        (needs != Test::Const(true)).then_some((idle, needs))
    }
}

/// Which way something goes: a test becomes true, a set wins members, a number becomes greater; or a test becomes false, a set
/// loses members, a number becomes less.
#[derive(Clone, Copy)]
enum Way {
    More,
    Less,
}

impl Not for Way {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::More => Self::Less,
            Self::Less => Self::More,
        }
    }
}

/// What slots hold within a condition: what was worked out for them, or members that are the same before and after.
#[derive(Default)]
struct Names<'n> {
    of: Option<Name<'n>>,
    outer: Option<&'n Names<'n>>,
}

#[derive(Clone, Copy)]
enum Name<'n> {
    Int(u16, &'n Int),
    Sets(u16, &'n Sets),
    Member(u16),
}

impl<'n> Names<'n> {
    fn with(&'n self, name: Name<'n>) -> Self {
        Self { of: Some(name), outer: Some(self) }
    }

    fn kept(&'n self, kept: &'n Kept) -> Self {
        self.with(match kept {
            Kept::Int(slot, value) => Name::Int(*slot, value),
            Kept::Sets(held, value) => Name::Sets(*held, value),
        })
    }

    /// What a number in a slot is made of, and what names stand for there; nothing of a member.
    fn int(&self, slot: u16) -> Option<(&'n Int, &'n Names<'n>)> {
        match self.of {
            Some(Name::Int(at, value)) if at == slot => Some((value, self.outer?)),
            Some(Name::Member(at)) if at == slot => None,
            Some(Name::Int(..) | Name::Sets(..) | Name::Member(_)) | None => self.outer?.int(slot),
        }
    }

    /// The same of a set.
    fn sets(&self, slot: u16) -> Option<(&'n Sets, &'n Names<'n>)> {
        match self.of {
            Some(Name::Sets(at, value)) if at == slot => Some((value, self.outer?)),
            Some(Name::Int(..) | Name::Sets(..) | Name::Member(_)) | None => self.outer?.sets(slot),
        }
    }
}

impl Writes {
    /// What the plies of a call write of which a condition on their parts holds: those whose parts tell that as little as can
    /// be is done. None where that is not known.
    fn of_idle(lowering: &Lowering<'_>, call: &Call) -> Option<(Test, Self)> {
        let (mut idle, mut writes) = (Vec::new(), Self::default());
        let all = lowering.ground.planes;
        let (nothing, mut facts) = (Default::default(), &lowering.plans.get(&call.mv)?.before.pieces);
        for step in &call.body {
            let effects = match step {
                Step::Let(..) | Step::LetSites(..) => continue,
                Step::Change(effects) => effects,
                Step::Repeat(_) => return None,
            };
            for effect in effects {
                let guard = match effect {
                    Effect::Put { guard, .. }
                    | Effect::Move { guard, .. }
                    | Effect::Set { guard, .. }
                    | Effect::SetSites { guard, .. } => guard,
                    Effect::Each { .. } => return None,
                };
                if is_told(guard, call) {
                    idle.push(not(guard.clone()));
                    continue;
                }
                match effect {
                    Effect::Put { target, piece, .. } => {
                        writes.lost |= held(target, facts, all);
                        writes.won |= plane_of(piece).unwrap_or(all);
                    }
                    Effect::Move { from, to, piece, .. } => {
                        let moves = held(&one(from.clone()), facts, all);
                        writes.lost |= moves | held(&one(to.clone()), facts, all);
                        // Plane 0 is that of the empty sites.
                        writes.won |= 1 | piece.as_ref().map_or(Some(moves), plane_of).unwrap_or(all);
                    }
                    Effect::Set { .. } | Effect::SetSites { .. } | Effect::Each { .. } => writes.remember(effect),
                }
            }
            // What is known of sites holds before the first stage.
            facts = &nothing;
        }
        for chronicle in &call.chronicles {
            match chronicle {
                Chronicle::Note { when, .. } if is_told(when, call) => idle.push(not(when.clone())),
                Chronicle::Note { .. } | Chronicle::Collect { .. } | Chronicle::It { .. } => writes.note(chronicle),
            }
        }
        Some((and(idle), writes))
    }

    /// What holds before a ply wherever a test holds after it: everything in it that may become true is left out.
    fn weakened(&self, test: &Test, names: &Names<'_>) -> Test {
        if !self.test_goes(test, Way::More, names) {
            return test.clone();
        }
        match test {
            Test::And(parts) => and(parts.iter().map(|part| self.weakened(part, names)).collect()),
            Test::Or(parts) => or(parts.iter().map(|part| self.weakened(part, names)).collect()),
            Test::Exists { slot, domain, test } if !self.domain_goes(domain, Way::More, names) => {
                match (self.weakened(test, &names.with(Name::Member(*slot))), &**domain) {
                    (Test::Const(true), Domain::Sites(set)) => any(set.clone()),
                    (test, domain) => {
                        Test::Exists { slot: *slot, domain: Box::new(domain.clone()), test: Box::new(test) }
                    }
                }
            }
            Test::With { slot, value, test } => match self.weakened(test, &names.with(Name::Int(*slot, value))) {
                Test::Const(held) => Test::Const(held),
                test => Test::With { slot: *slot, value: value.clone(), test: Box::new(test) },
            },
            Test::WithSites { held, value, test } => match self.weakened(test, &names.with(Name::Sets(*held, value))) {
                Test::Const(held) => Test::Const(held),
                test => Test::WithSites { held: *held, value: value.clone(), test: Box::new(test) },
            },
            // What may become true says nothing of what was before.
            Test::Const(_)
            | Test::Not(_)
            | Test::Any(_)
            | Test::Contains(..)
            | Test::Subset(..)
            | Test::Compare(..)
            | Test::Known(_)
            | Test::Lists(..)
            | Test::Exists { .. }
            | Test::Seen { .. }
            | Test::Possible { .. }
            | Test::Stuck
            | Test::Unfinished
            | Test::CanApply(_)
            | Test::OfNew { .. } => Test::Const(true),
        }
    }

    /// Whether a test may go a way.
    fn test_goes(&self, test: &Test, way: Way, names: &Names<'_>) -> bool {
        match test {
            Test::Not(inner) => self.test_goes(inner, !way, names),
            Test::And(parts) | Test::Or(parts) => parts.iter().any(|part| self.test_goes(part, way, names)),
            Test::Any(set) => self.set_goes(set, way, names),
            Test::Contains(set, member) if !self.changes(&Part::Int(member), names) => {
                self.member_goes(set, self.stays(member, names), way, names)
            }
            Test::Subset(a, b) => self.set_goes(a, !way, names) || self.set_goes(b, way, names),
            Test::Compare(CompareOp::Less | CompareOp::LessEqual, a, b) => {
                self.number_goes(a, !way, names) || self.number_goes(b, way, names)
            }
            Test::Compare(CompareOp::Greater | CompareOp::GreaterEqual, a, b) => {
                self.number_goes(a, way, names) || self.number_goes(b, !way, names)
            }
            Test::Exists { slot, domain, test } => {
                self.domain_goes(domain, way, names) || self.test_goes(test, way, &names.with(Name::Member(*slot)))
            }
            Test::With { slot, value, test } => self.test_goes(test, way, &names.with(Name::Int(*slot, value))),
            Test::WithSites { held, value, test } => self.test_goes(test, way, &names.with(Name::Sets(*held, value))),
            other => self.changes(&Part::Test(other), names),
        }
    }

    /// The same of a domain and its members.
    fn domain_goes(&self, domain: &Domain, way: Way, names: &Names<'_>) -> bool {
        match domain {
            Domain::Sites(set) => self.set_goes(set, way, names),
            Domain::Mask(mask) => self.changes(&Part::Int(mask), names),
            Domain::Range(low, high) => self.number_goes(low, !way, names) || self.number_goes(high, way, names),
        }
    }

    /// The same of a set.
    fn set_goes(&self, set: &Sets, way: Way, names: &Names<'_>) -> bool {
        match set {
            Sets::Planes(planes, When::Now) => {
                let (from, to) = match way {
                    Way::More => (self.lost, self.won),
                    Way::Less => (self.won, self.lost),
                };
                to & planes != 0 && from & !planes != 0
            }
            Sets::Slot(slot) => names.sets(*slot).is_some_and(|(set, names)| self.set_goes(set, way, names)),
            Sets::And(parts) | Sets::Or(parts) => parts.iter().any(|part| self.set_goes(part, way, names)),
            Sets::Not(inner) => self.set_goes(inner, !way, names),
            Sets::Minus(a, b) => self.set_goes(a, way, names) || self.set_goes(b, !way, names),
            Sets::Dilate(inner) | Sets::Pull(_, inner) | Sets::PullAny(_, inner) => self.set_goes(inner, way, names),
            Sets::Within { of, steps } => self.set_goes(of, way, names) || self.number_goes(steps, way, names),
            Sets::Nearer { to, than, .. } => {
                self.set_goes(to, way, names) || [way, !way].into_iter().any(|way| self.set_goes(than, way, names))
            }
            Sets::PullRun { goal: a, through: b, .. } | Sets::Connected { from: a, within: b } => {
                self.set_goes(a, way, names) || self.set_goes(b, way, names)
            }
            Sets::Run { from, directions, through } => {
                self.changes(&Part::Int(directions), names)
                    || self.set_goes(from, way, names)
                    || self.set_goes(through, way, names)
            }
            Sets::If(test, a, b) if !self.changes(&Part::Test(test), names) => {
                self.set_goes(a, way, names) || self.set_goes(b, way, names)
            }
            Sets::With { kept, of } => self.set_goes(of, way, &names.kept(kept)),
            Sets::Filter { slot, domain, test } => {
                self.set_goes(domain, way, names) || self.test_goes(test, way, &names.with(Name::Member(*slot)))
            }
            other => self.changes(&Part::Sets(other), names),
        }
    }

    /// Whether a member that is the same after a ply may join a set in which it was not, or leave one; what stands on that site
    /// may be known to stay.
    fn member_goes(&self, set: &Sets, stays: bool, way: Way, names: &Names<'_>) -> bool {
        match set {
            Sets::Slot(slot) => names.sets(*slot).is_some_and(|(set, names)| self.member_goes(set, stays, way, names)),
            Sets::And(parts) | Sets::Or(parts) => parts.iter().any(|part| self.member_goes(part, stays, way, names)),
            // What comes next on a line is not led through, and of a site that stays that is as it was. So it comes next where
            // it did not only if a line leads further, and no longer does only if one leads less far.
            Sets::Beyond { from, directions, through }
                if stays
                    && matches!(**through, Sets::Planes(_, When::Now))
                    && !self.changes(&Part::Sets(from), names)
                    && !self.changes(&Part::Int(directions), names) =>
            {
                self.set_goes(through, way, names)
            }
            other => self.set_goes(other, way, names),
        }
    }

    /// What a number is made of, wherever it was kept.
    fn lookup<'n>(&self, int: &'n Int, names: &'n Names<'n>) -> Option<(&'n Int, &'n Names<'n>)> {
        let mut at = (int, names);
        while let Int::Slot(slot) = at.0 {
            at = at.1.int(*slot)?;
        }
        Some(at)
    }

    /// Whether nothing changes on the site that a number stands for: what stands there is of a plane that is not touched.
    fn stays(&self, site: &Int, names: &Names<'_>) -> bool {
        let Some((Int::Only(set), names)) = self.lookup(site, names) else { return false };
        let mut at = (&**set, names);
        while let Sets::Slot(slot) = at.0 {
            let Some(next) = at.1.sets(*slot) else { return false };
            at = next;
        }
        matches!(at.0, Sets::Planes(planes, When::Now) if planes & (self.lost | self.won) == 0)
    }

    /// Whether a number may go a way.
    fn number_goes(&self, int: &Int, way: Way, names: &Names<'_>) -> bool {
        match int {
            Int::Slot(slot) => names.int(*slot).is_some_and(|(int, names)| self.number_goes(int, way, names)),
            Int::Count(set) => self.set_goes(set, way, names),
            Int::Arithmetic(ArithmeticOp::Add, a, b) => {
                self.number_goes(a, way, names) || self.number_goes(b, way, names)
            }
            Int::Arithmetic(ArithmeticOp::Subtract, a, b) => {
                self.number_goes(a, way, names) || self.number_goes(b, !way, names)
            }
            other => self.changes(&Part::Int(other), names),
        }
    }

    /// Whether an instruction, or one within it, reads something that changes.
    fn changes(&self, part: &Part<'_>, names: &Names<'_>) -> bool {
        part.asks(&|part| match part {
            Part::Sets(Sets::Slot(slot)) => {
                names.sets(*slot).is_some_and(|(set, names)| self.changes(&Part::Sets(set), names))
            }
            Part::Int(Int::Slot(slot)) => {
                names.int(*slot).is_some_and(|(int, names)| self.changes(&Part::Int(int), names))
            }
            // The turn is the same after the ply, unless it is over.
            Part::Int(Int::Turn) => false,
            other => self.are_read_by(other),
        })
    }
}

/// The parts of a ply alone tell whether a test holds, and that is not always.
fn is_told(test: &Test, call: &Call) -> bool {
    let part = Part::Test(test);
    *test != Test::Const(true) && reads_only(&part, &call.parts) && !part.asks(&reads_play)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: Sets = Sets::Planes(1, When::Now);
    const MEN: Sets = Sets::Planes(2, When::Now);
    const STONES: Sets = Sets::Planes(4, When::Now);

    fn boxed(set: &Sets) -> Box<Sets> {
        Box::new(set.clone())
    }

    /// Whether a condition may become true, and whether it may become false, where men leave their sites empty.
    fn ways(test: &Test) -> [bool; 2] {
        let mut writes = Writes::default();
        (writes.lost, writes.won) = (2, 1);
        [Way::More, Way::Less].map(|way| writes.test_goes(test, way, &Names::default()))
    }

    #[test]
    fn what_goes_one_way_where_its_parts_do_goes_the_other_way_where_they_do() {
        let site = || one(Int::Const(0));
        let men_of = |domain: Sets| Sets::Filter {
            slot: 1,
            domain: Box::new(domain),
            test: Box::new(Test::Contains(MEN, Int::Slot(1))),
        };
        let run = Sets::Run { from: Box::new(site()), directions: Box::new(Int::Const(1)), through: boxed(&EMPTY) };
        let growing = [
            EMPTY,
            Sets::Not(boxed(&MEN)),
            Sets::Minus(boxed(&EMPTY), boxed(&MEN)),
            Sets::Connected { from: Box::new(site()), within: boxed(&EMPTY) },
            Sets::PullRun { directions: 1, goal: Box::new(site()), through: boxed(&EMPTY) },
            run,
        ];
        for set in growing {
            assert_eq!(ways(&Test::Any(set.clone())), [true, false], "{set:?}");
            assert_eq!(ways(&Test::Subset(set.clone(), STONES)), [false, true], "{set:?}");
            assert_eq!(ways(&Test::Contains(set.clone(), Int::Const(0))), [true, false], "{set:?}");
            let count = || Box::new(Int::Count(boxed(&set)));
            assert_eq!(ways(&Test::Compare(CompareOp::Greater, *count(), Int::Const(3))), [true, false], "{set:?}");
            let left = Int::Arithmetic(ArithmeticOp::Subtract, Box::new(Int::Const(9)), count());
            assert_eq!(ways(&Test::Compare(CompareOp::Greater, left, Int::Const(3))), [false, true], "{set:?}");
        }
        for set in [MEN, men_of(STONES), Sets::If(Box::new(Test::Any(STONES)), boxed(&MEN), boxed(&STONES))] {
            assert_eq!(ways(&Test::Any(set.clone())), [false, true], "{set:?}");
            assert_eq!(ways(&Test::Not(Box::new(Test::Any(set.clone())))), [true, false], "{set:?}");
        }
        let stands = Test::Contains(MEN, Int::Slot(1));
        let exists = Test::Exists { slot: 1, domain: Box::new(Domain::Sites(STONES)), test: Box::new(stands) };
        assert_eq!(ways(&exists), [false, true]);
        // What is not followed goes both ways, and what reads nothing that changes goes none.
        let first = Sets::First(boxed(&MEN));
        assert_eq!(ways(&Test::Any(first)), [true, true]);
        assert_eq!(ways(&Test::Any(Sets::First(boxed(&STONES)))), [false, false]);
    }

    #[test]
    fn a_line_leads_on_to_a_site_that_stays_only_if_it_leads_further() {
        let next = Sets::Beyond {
            from: Box::new(one(Int::Const(0))),
            directions: Box::new(Int::Const(1)),
            through: boxed(&EMPTY),
        };
        assert_eq!(ways(&Test::Contains(next.clone(), Int::Only(boxed(&STONES)))), [true, false]);
        assert_eq!(ways(&Test::Contains(next, Int::Const(3))), [true, true]);
    }
}
