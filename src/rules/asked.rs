//! The expressions that a game asks once it has begun, wherever in its rules they stand.

use super::{Chronicle, Duty, DutyKind, Ending, EndingResult, Event, Expr, Rules};

/// All expressions that decide about play once the game has begun.
#[must_use]
pub fn anywhere(rules: &Rules) -> Vec<&Expr> {
    let mut all = but_in_endings(rules);
    rules.endings.iter().for_each(|ending| of_ending(ending, &mut all));
    all
}

/// The same without those of the lines of `end`.
#[must_use]
pub fn but_in_endings(rules: &Rules) -> Vec<&Expr> {
    let mut all: Vec<&Expr> = Vec::new();
    all.extend(rules.memories.iter().map(|memory| &memory.first));
    for chronicle in &rules.chronicles {
        match chronicle {
            Chronicle::Happened { event, .. } | Chronicle::LastTo { event, .. } | Chronicle::Without { event, .. } => {
                all.extend(of_event(event));
            }
            Chronicle::Part { .. } | Chronicle::Carry { .. } | Chronicle::It { .. } => {}
        }
    }
    all.extend(rules.graph.node_weights().flat_map(|node| node.kind.exprs()));
    rules.turns.iter().flat_map(|turn| &turn.duties).for_each(|duty| of_duty(duty, &mut all));
    for (first, second) in &rules.ties {
        all.push(first);
        all.extend(second);
    }
    all
}

fn of_event(event: &Event) -> impl Iterator<Item = &Expr> {
    event.alternatives.iter().filter_map(|(_, condition)| condition.as_ref())
}

fn of_duty<'r>(duty: &'r Duty, all: &mut Vec<&'r Expr>) {
    match &duty.kind {
        DutyKind::Must(event) => all.extend(of_event(event)),
        DutyKind::MustMost(expr) | DutyKind::NextTurn(expr) => all.push(expr),
        DutyKind::ExtraTurn => {}
    }
    all.extend(&duty.guard);
}

/// Those of one line of `end`.
pub fn of_ending<'r>(ending: &'r Ending, all: &mut Vec<&'r Expr>) {
    match &ending.result {
        EndingResult::Draw | EndingResult::BestScore | EndingResult::LowestScore | EndingResult::AnyPlayer { .. } => {}
        EndingResult::Ranks(expr) | EndingResult::Player { player: expr, wins: _ } => all.push(expr),
    }
    all.extend(&ending.condition);
}
