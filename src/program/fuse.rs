//! The last pass: instructions that often stand together become one, and floods over pieces that never leave are kept.

use super::ir::*;
use super::narrow::narrow;
use super::{Call, Chronicle, DutyKind, EndingResult, FirstValue, ForMover, Printed, Program, Unsupported};
use crate::board::SiteSet;
use crate::source::Span;

/// Lets a function see every instruction of a player's part that stands by itself.
fn each_root(own: &mut ForMover, f: &mut dyn FnMut(PartMut<'_>)) {
    for test in &mut own.guards {
        f(PartMut::Test(test));
    }
    for call in &mut own.calls {
        each_in_call(call, f);
    }
    for duty in own.duties.iter_mut().flatten() {
        f(PartMut::Test(&mut duty.guard));
        match &mut duty.kind {
            DutyKind::ExtraTurn => {}
            DutyKind::MustMost(int, _) | DutyKind::NextTurn(int) => f(PartMut::Int(int)),
            DutyKind::Must(calls) => {
                for (test, generator) in calls {
                    f(PartMut::Test(test));
                    if let Some(generator) = generator {
                        generator.walk_mut(f);
                    }
                }
            }
        }
    }
    own.kept.iter_mut().for_each(|kept| kept.parts_mut(f));
    for ending in &mut own.endings {
        f(PartMut::Test(&mut ending.condition));
        match &mut ending.result {
            EndingResult::Draw | EndingResult::BestScore | EndingResult::LowestScore => {}
            EndingResult::Ranks(ranks) => ranks.iter_mut().for_each(|rank| f(PartMut::Int(rank))),
            EndingResult::Players { players, .. } => f(PartMut::Int(players)),
        }
    }
    own.scores.iter_mut().for_each(|score| f(PartMut::Int(score)));
    for (favoured, guard) in &mut own.ties {
        f(PartMut::Int(favoured));
        f(PartMut::Test(guard));
    }
    for reset in &mut own.resets {
        match &mut reset.value {
            FirstValue::Int(int) => f(PartMut::Int(int)),
            FirstValue::Sets(set) => f(PartMut::Sets(set)),
        }
    }
}

/// How many instructions of a player's part follow what is connected, each time anew.
#[must_use]
pub fn floods(own: &ForMover) -> usize {
    fn count(mut part: PartMut<'_>, found: &mut usize) {
        *found += usize::from(matches!(&part, PartMut::Sets(Sets::Connected { .. } | Sets::Heads(_))));
        part.parts_mut(&mut |part| count(part, found));
    }
    let mut found = 0;
    each_root(&mut own.clone(), &mut |part| count(part, &mut found));
    found
}

fn each_in_call(call: &mut Call, f: &mut dyn FnMut(PartMut<'_>)) {
    call.generator.walk_mut(f);
    call.body.iter_mut().for_each(|step| step.parts_mut(f));
    if let Some(until) = &mut call.until {
        f(PartMut::Test(until));
    }
    if let Some(weight) = &mut call.weight {
        f(PartMut::Int(weight));
    }
    for chronicle in &mut call.chronicles {
        match chronicle {
            Chronicle::Note { when, .. } => f(PartMut::Test(when)),
            Chronicle::Collect { sites, .. } => f(PartMut::Sets(sites)),
            Chronicle::It { .. } => {}
        }
    }
    call.shown.iter_mut().for_each(|shown| match shown {
        Printed::Number(int) => f(PartMut::Int(int)),
        Printed::Sites(set) => f(PartMut::Sets(set)),
    });
}

/// Fuses what a program does; `rings` tells whether lines lead back to where they began, and `lost` the planes from
/// which pieces may be taken.
pub(super) fn fuse(program: &mut Program, rings: bool, lost: u64, span: Span) -> Result<(), Unsupported> {
    for own in &mut program.by_mover {
        each_root(own, &mut |part| fuse_part(part, rings));
    }
    let mut grown: Vec<(Sets, Sets)> = Vec::new();
    for own in &mut program.by_mover {
        own.kept.iter_mut().for_each(|kept| kept.parts_mut(&mut |part| keep_floods(part, lost, &mut grown)));
        own.endings.iter_mut().for_each(|line| keep_floods(PartMut::Test(&mut line.condition), lost, &mut grown));
    }
    program.grown = grown.len();
    for own in &mut program.by_mover {
        each_root(own, &mut |part| number_failed(part, &mut program.failed));
    }
    let _: u16 = narrow(program.failed, "more rows to remember than can be numbered", span)?;
    Ok(())
}

/// Every test of what is new has a set of its own that it is new to. Where there are too many, all are refused in the end.
fn number_failed(mut part: PartMut<'_>, count: &mut usize) {
    if let PartMut::Test(Test::OfNew { kept, .. }) = &mut part {
        *kept = u16::try_from(*count).unwrap_or(u16::MAX);
        *count += 1;
    }
    part.parts_mut(&mut |part| number_failed(part, count));
}

fn fuse_part(mut part: PartMut<'_>, rings: bool) {
    part.parts_mut(&mut |part| fuse_part(part, rings));
    match part {
        PartMut::Sets(sets) => {
            if let Some(fused) = joined(sets) {
                *sets = fused;
            }
        }
        PartMut::Int(int) if !rings => {
            if let Some(fused) = row_length(int) {
                *int = fused;
            }
        }
        _ => {}
    }
}

/// A run that counts only if a site of the goal stands at its end, and what is asked in several directions, as one.
fn joined(sets: &Sets) -> Option<Sets> {
    match sets {
        Sets::If(test, yes, no) => {
            let (goal, Int::Beyond { from, direction, through }) = asked_of_one(test)? else { return None };
            let Sets::Const(none) = &**no else { return None };
            let (Int::Const(way @ 0..16), Sets::Run { from: start, directions, through: passed }) =
                (&**direction, &**yes)
            else {
                return None;
            };
            let same = **start == Sets::One(from.clone()) && passed == through && **directions == Int::Const(1 << way);
            (same && none.is_empty()).then(|| Sets::Bracketed {
                from: from.clone(),
                directions: 1 << way,
                through: through.clone(),
                goal: Box::new(goal.clone()),
            })
        }
        Sets::Or(parts) => {
            let mut rest: Vec<Sets> = Vec::new();
            for part in parts {
                if !rest.iter_mut().any(|known| join(known, part)) {
                    rest.push(part.clone());
                }
            }
            if rest.len() == parts.len() {
                return None;
            }
            Some(if rest.len() == 1 { rest.remove(0) } else { Sets::Or(rest) })
        }
        _ => None,
    }
}

/// A test that asks whether one site lies in a set.
fn asked_of_one(test: &Test) -> Option<(&Sets, &Int)> {
    if let Test::Contains(goal, site) = test {
        return Some((goal, site));
    }
    let Test::Any(Sets::And(parts)) = test else { return None };
    let [one, other] = parts.as_slice() else { return None };
    if let Sets::One(site) = one {
        return Some((other, site));
    }
    if let Sets::One(site) = other { Some((one, site)) } else { None }
}

/// Adds the directions of a set to another one that is the same but for these, if it is.
fn join(known: &mut Sets, part: &Sets) -> bool {
    let mask = |set: &Sets| match set {
        Sets::Pull(way, _) => Some(1 << way),
        Sets::PullAny(ways, _) => Some(*ways),
        _ => None,
    };
    match (&mut *known, part) {
        (
            Sets::Bracketed { from, directions, through, goal },
            Sets::Bracketed { from: f, directions: more, through: t, goal: g },
        ) if from == f && through == t && goal == g => *directions |= more,
        (
            Sets::PullBeyond { directions, goal, through },
            Sets::PullBeyond { directions: more, goal: g, through: t },
        )
        | (Sets::PullRun { directions, goal, through }, Sets::PullRun { directions: more, goal: g, through: t })
            if goal == g && through == t =>
        {
            *directions |= more;
        }
        (Sets::Pull(_, a) | Sets::PullAny(_, a), Sets::Pull(_, b) | Sets::PullAny(_, b)) if a == b => {
            let (Some(ways), Some(more)) = (mask(known), mask(part)) else { return false };
            let (Sets::Pull(_, inner) | Sets::PullAny(_, inner)) = known else { return false };
            let inner = std::mem::replace(inner, Box::new(Sets::Const(SiteSet::EMPTY)));
            *known = Sets::PullAny(ways | more, inner);
        }
        _ => return false,
    }
    true
}

/// The number of sites in a row with one, itself included.
fn row_length(int: &Int) -> Option<Int> {
    let Int::Count(set) = int else { return None };
    let Sets::Or(parts) = &**set else { return None };
    let ([first, Sets::Run { from, directions, through }] | [Sets::Run { from, directions, through }, first]) =
        parts.as_slice()
    else {
        return None;
    };
    (**from == *first).then(|| Int::RowLength {
        from: from.clone(),
        directions: directions.clone(),
        through: through.clone(),
    })
}

/// Floods from fixed sites over planes that only gain pieces: what was reached once stays reached.
fn keep_floods(mut part: PartMut<'_>, lost: u64, grown: &mut Vec<(Sets, Sets)>) {
    if let PartMut::Sets(sets) = &mut part
        && let Sets::Connected { from, within } = &**sets
        && let (Sets::Const(_), Sets::Planes(mask, When::Now)) = (&**from, &**within)
        && mask & lost == 0
    {
        let key = ((**from).clone(), (**within).clone());
        let at = grown.iter().position(|known| *known == key).unwrap_or_else(|| {
            grown.push(key);
            grown.len() - 1
        });
        if let Ok(kept) = u16::try_from(at) {
            **sets = Sets::Grown { kept, from: from.clone(), within: within.clone() };
        }
        return;
    }
    part.parts_mut(&mut |part| keep_floods(part, lost, grown));
}
