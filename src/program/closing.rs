//! Conditions on the end of a turn, asked of a ply that would end it in the state before that ply, so that it need not be
//! played to find out.

use super::ir::{Effect, Int, Part, PartMut, Sets, Test, When};
use super::{Call, Chronicle, ForMover, Step, TurnNode};

/// Whether a turn is over after a ply of a call, as a test of the state before it in which the parts of the ply are bound.
/// None where that takes more than to look at what the ply notes.
pub fn closing(nodes: &[TurnNode], own: &ForMover, call: &Call) -> Option<Test> {
    let [next] = call.next.as_slice() else { return None };
    let is_end = |node: u16| matches!(nodes.get(usize::from(node)), Some(TurnNode::End));
    if is_end(*next) && call.until.is_none() {
        return Some(Test::Const(true));
    }
    let guard = only_guard(nodes, own, call)?;
    let plain = call.body.iter().all(leaves(guard)) && call.chronicles.iter().all(reads_parts(call));
    if plain { after(guard, call) } else { None }
}

/// The condition on which the turn is over after a ply of a call; none where it may go on.
pub(super) fn only_guard<'o>(nodes: &[TurnNode], own: &'o ForMover, call: &Call) -> Option<&'o Test> {
    let [next] = call.next.as_slice() else { return None };
    let Some(TurnNode::Guard(guard, behind)) = nodes.get(usize::from(*next)) else { return None };
    let [end] = behind.as_slice() else { return None };
    let ends = matches!(nodes.get(usize::from(*end)), Some(TurnNode::End)) && call.until.is_none();
    own.guards.get(usize::from(*guard)).filter(|_| ends)
}

/// A step of a move changes no number that a condition reads.
fn leaves(guard: &Test) -> impl Fn(&Step) -> bool {
    |step| match step {
        Step::Let(..) | Step::LetSites(..) => true,
        Step::Repeat(_) => false,
        Step::Change(effects) => effects.iter().all(|effect| leaves_numbers(effect, guard)),
    }
}

fn leaves_numbers(effect: &Effect, guard: &Test) -> bool {
    match effect {
        Effect::Put { .. } | Effect::Move { .. } | Effect::SetSites { .. } => true,
        Effect::Each { effect, .. } => leaves_numbers(effect, guard),
        Effect::Set { base, count, .. } => !Part::Test(guard).asks(
            &|part| matches!(part, Part::Int(Int::Cell(read, _)) if (*base..base.saturating_add(*count)).contains(read)),
        ),
    }
}

/// What is noted of a ply depends on nothing that its move names beside its parts.
fn reads_parts(call: &Call) -> impl Fn(&Chronicle) -> bool {
    |chronicle| match chronicle {
        Chronicle::Note { when, .. } => !Part::Test(when).asks(&|part| match part {
            Part::Int(Int::Slot(slot)) => !call.parts.contains(slot),
            Part::Int(int) => !matches!(int, Int::Const(_) | Int::Cell(..) | Int::Turn),
            Part::Sets(set) => !matches!(set, Sets::Const(_)),
            Part::Test(test) => !is_plain(test) && !matches!(test, Test::Contains(..)),
        }),
        Chronicle::Collect { .. } | Chronicle::It { .. } => true,
    }
}

fn is_plain(test: &Test) -> bool {
    matches!(test, Test::Const(_) | Test::Not(_) | Test::And(_) | Test::Or(_) | Test::Compare(..) | Test::Known(_))
}

/// A test as it will stand after a ply of the call; none where it reads more than numbers that are remembered.
fn after(test: &Test, call: &Call) -> Option<Test> {
    let reads_more = Part::Test(test).asks(&|part| match part {
        Part::Sets(_) => true,
        Part::Int(int) => !matches!(int, Int::Const(_) | Int::Turn | Int::Cell(_, When::Now)),
        Part::Test(test) => !is_plain(test),
    });
    let mut test = test.clone();
    PartMut::Test(&mut test).parts_mut(&mut |part| put_notes(part, call));
    (!reads_more).then_some(test)
}

/// Numbers become what the ply makes of them.
fn put_notes(mut part: PartMut<'_>, call: &Call) {
    match &mut part {
        PartMut::Int(int) => {
            if let Int::Cell(read, When::Now) = **int {
                **int = noted(read, call);
            }
        }
        PartMut::Test(_) | PartMut::Sets(_) => part.parts_mut(&mut |part| put_notes(part, call)),
    }
}

/// What a number is after a ply, told in the state before it.
fn noted(read: u16, call: &Call) -> Int {
    call.chronicles.iter().fold(Int::Cell(read, When::Now), |number, chronicle| match chronicle {
        Chronicle::Note { when, cell, value } if *cell == read => {
            Int::If(Box::new(when.clone()), Box::new(Int::Const(*value)), Box::new(number))
        }
        Chronicle::Note { .. } | Chronicle::Collect { .. } | Chronicle::It { .. } => number,
    })
}
