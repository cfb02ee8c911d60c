//! How much of a program has machine code, and why what has none is left out.

use super::course::{Course, after_turn, asks_what_is_possible};
use super::plies::{is_listed_place, is_native_call, is_native_generator};
use crate::program::{Duty, DutyKind, Program, TurnNode, calls_behind};
use crate::rules::{Change, ChangeKind, Move, NodeKind, Rules, Span};

/// How much of a program machine code runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// All of it, but for places where the host compares the plies that machine code has listed, and for places whose plies
    /// are left to the interpreter.
    AllBut { compared: Vec<u16>, left: Vec<u16> },
    /// The order of turns, or what `end` asks of them, is left to the interpreter, and so is the game.
    Nothing,
}

impl Coverage {
    #[must_use]
    pub fn of(program: &Program) -> Self {
        let Some(course) = Course::of(program) else { return Self::Nothing };
        let fits = |place: u16, listed: bool| {
            let native = |mover: usize| course.native.get(mover).and_then(|native| native.get(usize::from(place)));
            (0..program.players)
                .all(|mover| native(mover) == Some(&true) || listed && is_listed_place(program, mover, place))
        };
        let is_end = |place: &u16| matches!(program.nodes.get(usize::from(*place)), Some(TurnNode::End));
        let others = program.stations().into_iter().filter(|place| !is_end(place) && !fits(*place, false));
        let (compared, left) = others.partition(|place| fits(*place, true));
        Self::AllBut { compared, left }
    }
}

impl std::fmt::Display for Coverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |places: &[u16]| places.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
        let Self::AllBut { compared, left } = self else {
            return f.write_str("none of the turns, whose order needs the interpreter");
        };
        f.write_str("everything")?;
        if !left.is_empty() {
            write!(f, " but the plies at place {}", list(left))?;
        }
        if !compared.is_empty() {
            write!(f, "; the plies at place {} are listed and compared", list(compared))?;
        }
        Ok(())
    }
}

/// A clause for which a place of the turn is left to the interpreter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Left {
    pub span: Span,
    pub why: &'static str,
}

/// The clauses that keep machine code from a game or from places of its turns.
pub fn left(program: &Program, rules: &Rules) -> Vec<Left> {
    match Coverage::of(program) {
        Coverage::Nothing => vec![whole(program, rules)],
        Coverage::AllBut { compared, left } => {
            let mut all = Vec::new();
            for place in left.into_iter().chain(compared) {
                for one in at_place(program, rules, place) {
                    if !all.contains(&one) {
                        all.push(one);
                    }
                }
            }
            all
        }
    }
}

/// Why no turn has machine code.
fn whole(program: &Program, rules: &Rules) -> Left {
    let turn = rules.turns.first().map_or_else(Span::default, |turn| turn.span);
    let after = rules.after_turn.and_then(|mv| rules.moves.get(mv.0));
    if let (Some(mv), false) = (after, program.by_mover.iter().all(|own| after_turn(own, program).is_some())) {
        return Left {
            span: mv.span,
            why: "what is done after each turn changes something else for each member of a set",
        };
    }
    let mut endings = program.by_mover.iter().flat_map(|own| &own.endings);
    let asks = endings.find(|ending| asks_what_is_possible(&ending.condition));
    let span = asks.and_then(|ending| rules.endings.get(ending.line)).map_or(turn, |ending| ending.span);
    let why =
        "it asks what is possible in the turn to come, and what is remembered for one turn only is forgotten by then";
    Left { span, why }
}

/// The line of a move that makes a change for each member of a set: one that tracks something, where there is one. It may be
/// a line of `after each ply`, which moves of other files end with as well.
fn each_change<'r>(rules: &'r Rules, mv: &'r Move) -> Option<&'r Change> {
    let lines = mv.lines.iter().filter_map(|line| rules.graph.node_weight(*line));
    let changes = lines.filter_map(|line| {
        let (NodeKind::Change(changes) | NodeKind::Repeat { changes, .. }) = &line.kind else { return None };
        Some(changes)
    });
    let each: Vec<&Change> = changes.flatten().filter(|change| change.each.is_some()).collect();
    let tracks = |change: &&&Change| matches!(change.kind, ChangeKind::Remember { .. });
    each.iter().find(tracks).or(each.first()).copied()
}

/// What keeps machine code from the plies of a place; what is tried on copies is told elsewhere.
fn at_place(program: &Program, rules: &Rules, place: u16) -> Vec<Left> {
    let mut all = Vec::new();
    for own in &program.by_mover {
        for call in calls_behind(&program.nodes, usize::from(place)) {
            let Some(call) = own.calls.get(usize::from(call)) else { continue };
            let Some(mv) = rules.moves.get(call.mv.0) else { continue };
            if is_native_generator(&call.generator, program.planes.len()) && !is_native_call(call, program.planes.len())
            {
                all.push(if call.next.len() == 1 {
                    let span = each_change(rules, mv).map_or(mv.span, |change| change.span);
                    Left { span, why: "it changes something else for each member of a set" }
                } else {
                    Left { span: mv.span, why: "the turn can go on in several ways behind it" }
                });
            }
        }
    }
    let section = Course::of(program).and_then(|course| course.section_of.get(usize::from(place)).copied());
    let Some(Some(section)) = section else {
        all.extend(
            section
                .map(|_| rules.turns.first())
                .into_iter()
                .flatten()
                .map(|turn| Left { span: turn.span, why: "part of its pattern is shared with another turn" }),
        );
        return all;
    };
    let mosts = |duties: &[Duty]| duties.iter().filter(|duty| matches!(duty.kind, DutyKind::MustMost(..))).count();
    let several = program.by_mover.iter().filter_map(|own| own.duties.get(section)).any(|duties| mosts(duties) > 1);
    if let (true, Some(turn)) = (several, rules.turns.get(section)) {
        all.push(Left { span: turn.span, why: "several lines of `must most` compare what all plies lead to" });
    }
    all
}
