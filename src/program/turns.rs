//! What the graph of turns tells beforehand: where a turn can always be finished, and where no two plies are alike.

use super::build::not;
use super::ir::{Int, Part};
use super::writes::Writes;
use super::{Call, Chances, ForMover, Generator, Program, Straight, TurnNode};
use crate::rules::MoveId;

/// Whether a turn can be finished whatever is played first in it, so that no ply need be tried for that.
pub(super) fn always_finished(program: &Program, entry: u16) -> bool {
    let mut reached = vec![entry];
    let mut at = 0;
    let mut after = Vec::new();
    while let Some(node) = reached.get(at).and_then(|node| program.nodes.get(usize::from(*node))) {
        at += 1;
        let next: Vec<u16> = match node {
            TurnNode::End => Vec::new(),
            TurnNode::Fork(next) | TurnNode::Prefer(next) | TurnNode::Guard(_, next) => next.clone(),
            TurnNode::Call(call) => {
                let calls = program.by_mover.iter().filter_map(|own| own.calls.get(usize::from(*call)));
                let next: Vec<u16> = calls.flat_map(|call| call.next.iter().chain(&call.until_next)).copied().collect();
                after.extend(next.iter().copied());
                next
            }
        };
        next.into_iter().for_each(|node| {
            if !reached.contains(&node) {
                reached.push(node);
            }
        });
    }
    after.iter().all(|node| may_end(program, *node, &mut Vec::new()))
}

/// Whether the turn may end at a node, or else something can be played there. Of a preference the last way is left if no
/// other one offers a ply, and of two ways with opposite conditions one is open.
fn may_end(program: &Program, node: u16, path: &mut Vec<u16>) -> bool {
    if path.contains(&node) {
        return false;
    }
    path.push(node);
    let ends = match program.nodes.get(usize::from(node)) {
        Some(TurnNode::End) => true,
        Some(TurnNode::Fork(next)) => {
            let mut ends = next.iter().any(|next| may_end(program, *next, path));
            let mut ending = Vec::new();
            for next in next.iter().filter_map(|next| program.nodes.get(usize::from(*next))) {
                if let TurnNode::Guard(guard, ways) = next
                    && ways.iter().any(|way| may_end(program, *way, path))
                {
                    ends |= ending.iter().any(|other| are_opposite(program, *guard, *other));
                    ending.push(*guard);
                }
            }
            ends
        }
        Some(TurnNode::Prefer(next)) => next.last().is_some_and(|last| may_end(program, *last, path)),
        // A move without parts or conditions, as `stop`.
        Some(TurnNode::Call(call)) => {
            let mut calls = program.by_mover.iter().map(|own| own.calls.get(usize::from(*call)));
            calls.all(|call| call.is_some_and(|call| matches!(call.generator, Generator::One)))
        }
        Some(TurnNode::Guard(..)) | None => false,
    };
    path.pop();
    ends
}

/// Whether of two conditions of turns one holds where the other does not, whoever is to move.
fn are_opposite(program: &Program, one: u16, other: u16) -> bool {
    program.by_mover.iter().all(|own| {
        let guard = |at: u16| own.guards.get(usize::from(at));
        guard(one).zip(guard(other)).is_some_and(|(one, other)| not(one.clone()) == *other)
    })
}

/// What chance has to do with a place.
pub(super) fn chances(program: &Program, place: u16) -> Chances {
    let calls = calls_behind(&program.nodes, usize::from(place));
    let mut calls = program
        .by_mover
        .iter()
        .flat_map(|own| calls.iter().filter_map(|call| own.calls.get(usize::from(*call))))
        .map(|call| (call.chance, call.weight.is_none()));
    match calls.next() {
        Some((true, true)) if calls.all(|call| call == (true, true)) => Chances::Even,
        None | Some((false, _)) if calls.all(|(chance, _)| !chance) => Chances::Never,
        None | Some(_) => Chances::Asked,
    }
}

/// The calls that a place may lead to, whatever stands before them.
pub fn calls_behind(nodes: &[TurnNode], place: usize) -> Vec<u16> {
    let call = |node: &TurnNode| match node {
        TurnNode::Call(call) => Some(*call),
        TurnNode::End | TurnNode::Fork(_) | TurnNode::Prefer(_) | TurnNode::Guard(..) => None,
    };
    nodes_behind(nodes, place).into_iter().filter_map(call).collect()
}

/// The node of a place and those that it leads to before anything is played.
pub fn nodes_behind(nodes: &[TurnNode], place: usize) -> Vec<&TurnNode> {
    let (mut reached, mut behind) = (vec![place], Vec::new());
    while let Some(node) = reached.get(behind.len()).and_then(|node| nodes.get(*node)) {
        behind.push(node);
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
    behind
}

/// Follows forks to the calls behind a node; false where a condition stands in between.
pub(super) fn straighten(nodes: &[TurnNode], node: u16, path: &mut Vec<u16>, straight: &mut Straight) -> bool {
    if path.contains(&node) {
        return false;
    }
    match nodes.get(usize::from(node)) {
        Some(TurnNode::End) => straight.end = true,
        Some(TurnNode::Call(call)) => straight.calls.push(*call),
        Some(TurnNode::Fork(next)) => {
            path.push(node);
            let all = next.iter().all(|next| straighten(nodes, *next, path, straight));
            path.pop();
            return all;
        }
        Some(TurnNode::Prefer(_) | TurnNode::Guard(..)) | None => return false,
    }
    true
}

/// Whether no move is called twice on the way from a place, and all calls are as wanted.
pub(super) fn calls_once(program: &Program, place: u16, wanted: &dyn Fn(&Call) -> bool) -> bool {
    let mut moves = Vec::new();
    let mut path = Vec::new();
    program.by_mover.iter().all(|own| {
        moves.clear();
        path.clear();
        visit(program, own, place, wanted, &mut path, &mut moves)
    })
}

fn visit(
    program: &Program,
    own: &ForMover,
    node: u16,
    wanted: &dyn Fn(&Call) -> bool,
    path: &mut Vec<u16>,
    moves: &mut Vec<MoveId>,
) -> bool {
    if path.contains(&node) {
        return false;
    }
    path.push(node);
    let plain = match program.nodes.get(usize::from(node)) {
        None | Some(TurnNode::End) => true,
        Some(TurnNode::Call(call)) => match own.calls.get(usize::from(*call)) {
            Some(call) => {
                let new = !moves.contains(&call.mv);
                moves.push(call.mv);
                new && wanted(call)
            }
            None => false,
        },
        // Of the ways of a preference only one is taken, and of two with opposite conditions only one is open.
        Some(TurnNode::Prefer(next)) => visit_one(program, own, next, wanted, path, moves),
        Some(TurnNode::Fork(next)) if are_exclusive(program, next) => {
            visit_one(program, own, next, wanted, path, moves)
        }
        Some(TurnNode::Fork(next) | TurnNode::Guard(_, next)) => {
            next.iter().all(|next| visit(program, own, *next, wanted, path, moves))
        }
    };
    path.pop();
    plain
}

/// The same of ways of which only one is taken.
fn visit_one(
    program: &Program,
    own: &ForMover,
    ways: &[u16],
    wanted: &dyn Fn(&Call) -> bool,
    path: &mut Vec<u16>,
    moves: &mut Vec<MoveId>,
) -> bool {
    let mut taken = Vec::new();
    let plain = ways.iter().all(|way| {
        let mut branch = moves.clone();
        let plain = visit(program, own, *way, wanted, path, &mut branch);
        taken.extend(branch);
        plain
    });
    moves.extend(taken);
    plain
}

/// Whether there are two ways, of which one is open where the other is not.
fn are_exclusive(program: &Program, ways: &[u16]) -> bool {
    let guards = ways.iter().map(|way| match program.nodes.get(usize::from(*way)) {
        Some(TurnNode::Guard(guard, _)) => Some(*guard),
        Some(TurnNode::Fork(_) | TurnNode::Prefer(_) | TurnNode::Call(_) | TurnNode::End) | None => None,
    });
    let guards: Option<Vec<u16>> = guards.collect();
    guards.is_some_and(|guards| matches!(guards.as_slice(), [one, other] if are_opposite(program, *one, *other)))
}

/// By call, whether the turn can end once it is played, and neither it nor what may follow in the turn changes what a number
/// reads: whatever is played then, the number ends as it is now.
pub(super) fn that_leave(nodes: &[TurnNode], calls: &[Call], number: &Int) -> Vec<bool> {
    let is_left_by = |call: &Call| {
        let writes = Writes::of(call);
        !Part::Int(number).asks(&|part| writes.are_read_by(part))
    };
    let plain: Vec<bool> = calls.iter().map(is_left_by).collect();
    let is_plain = |call: u16| plain.get(usize::from(call)) == Some(&true);
    let leads_on = |place: &u16| {
        ends_here(nodes, *place, &mut Vec::new()) && follow(nodes, calls, *place).into_iter().all(is_plain)
    };
    let leaves = |(call, plain): (&Call, &bool)| {
        *plain && !call.next.is_empty() && call.next.iter().chain(&call.until_next).all(leads_on)
    };
    calls.iter().zip(&plain).map(leaves).collect()
}

/// All calls that may be played in a turn from a place on.
fn follow(nodes: &[TurnNode], calls: &[Call], place: u16) -> Vec<u16> {
    let (mut found, mut places) = (Vec::new(), vec![place]);
    while let Some(place) = places.pop() {
        for call in calls_behind(nodes, usize::from(place)) {
            if !found.contains(&call) {
                found.push(call);
                let next = calls.get(usize::from(call)).map(|call| call.next.iter().chain(&call.until_next));
                places.extend(next.into_iter().flatten());
            }
        }
    }
    found
}

/// Whether the turn can end at a node whatever is played there.
fn ends_here(nodes: &[TurnNode], node: u16, path: &mut Vec<u16>) -> bool {
    if path.contains(&node) {
        return false;
    }
    path.push(node);
    let ends = match nodes.get(usize::from(node)) {
        Some(TurnNode::End) => true,
        Some(TurnNode::Fork(next)) => next.iter().any(|next| ends_here(nodes, *next, path)),
        Some(TurnNode::Prefer(_) | TurnNode::Call(_) | TurnNode::Guard(..)) | None => false,
    };
    path.pop();
    ends
}
