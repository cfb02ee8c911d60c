//! How turns follow each other, and at which places machine code leads through them.

use super::plies::{Fulfilling, is_native_body, is_native_generator, is_native_place};
use crate::program::ir::{Int, Part, Sets, Test};
use crate::program::{Call, Duty, DutyKind, ForMover, Generator, Program, TurnNode, calls_behind};

/// What the host finds instead of a number of plies.
pub const OVER: i64 = -1;

/// How turns follow each other, as far as machine code is concerned.
#[derive(Debug)]
pub struct Course {
    /// The section that a place belongs to; none for places of several or of none.
    pub section_of: Vec<Option<usize>>,
    /// The places at which plies are found by machine code, by player.
    pub native: Vec<Vec<bool>>,
    /// Some line of `end` asks what follows the turn.
    pub asks: bool,
    /// Lines of `end` are left to the host where nothing can be done in the turn to come.
    pub stuck_by_host: bool,
}

impl Course {
    /// None where turns are such that the host has to lead through them.
    pub fn of(program: &Program) -> Option<Self> {
        let closed = program.by_mover.iter().all(|own| own.after_turn.is_none() || after_turn(own, program).is_some());
        if !closed || needs_two_turns(program) || program.by_mover.len() != program.players {
            return None;
        }
        let mut section_of: Vec<Option<usize>> = vec![None; program.nodes.len()];
        let mut shared = vec![false; program.nodes.len()];
        for (index, section) in program.sections.iter().enumerate() {
            for place in reachable(program, section.entry) {
                match section_of[place] {
                    None => section_of[place] = Some(index),
                    Some(other) if other != index => shared[place] = true,
                    Some(_) => {}
                }
            }
        }
        for (place, shared) in shared.iter().enumerate() {
            if *shared && !matches!(program.nodes[place], TurnNode::End) {
                section_of[place] = None;
            }
        }
        let native = (0..program.players)
            .map(|mover| {
                let at = |place: usize| {
                    let Some(section) = section_of[place] else { return false };
                    let duties = program.by_mover[mover].duties.get(section).map_or(&[][..], Vec::as_slice);
                    let must = own_duty(duties);
                    let bound = duties.iter().any(|duty| match &duty.kind {
                        DutyKind::ExtraTurn | DutyKind::NextTurn(_) => false,
                        DutyKind::Must(calls) if must.is_some() => {
                            let planes = program.planes.len();
                            let mut found = calls.iter().filter_map(|(_, generator)| generator.as_ref());
                            !found.all(|generator| is_native_generator(generator, planes))
                        }
                        // What the plies lead to is compared by the host, where there is something to compare.
                        DutyKind::MustMost(..) if own_most(duties).is_some() => false,
                        DutyKind::Must(_) | DutyKind::MustMost(..) => matches!(duty.guard, Test::Const(true)),
                    });
                    // What turns can be finished with is found by the host, if there is anything.
                    let searched = program.sections[section].whole && !calls_behind(&program.nodes, place).is_empty();
                    !searched && !bound && is_native_place(program, mover, place as u16)
                };
                (0..program.nodes.len()).map(at).collect()
            })
            .collect();
        let asks = program.by_mover.iter().flat_map(|own| &own.endings).any(|ending| asks(&ending.condition));
        Some(Self { section_of, native, asks, stuck_by_host: reads_two_turns(program) })
    }

    /// At a place the host finds out which plies can be followed to the end of the turn.
    pub fn is_searched(&self, program: &Program, mover: usize, place: u16) -> bool {
        let at = usize::from(place);
        let section = self.section_of.get(at).copied().flatten().and_then(|section| program.sections.get(section));
        !self.native[mover][at] && section.is_some_and(|section| section.whole)
    }

    /// Nothing is led through by machine code.
    pub fn of_nothing(program: &Program) -> Self {
        let none = vec![false; program.nodes.len()];
        Self {
            section_of: vec![None; program.nodes.len()],
            native: vec![none; program.players],
            asks: true,
            stuck_by_host: false,
        }
    }
}

/// Whether turns go round all players, each of whom has one place.
pub(super) fn goes_round(program: &Program) -> bool {
    let mut players: Vec<u8> = program.order.iter().map(|player| player.0).collect();
    players.sort_unstable();
    program.opening == 0 && players.iter().copied().map(usize::from).eq(0..program.players)
}

/// The only duty of a section that picks plies by their parts: of several the host finds which is in force.
pub(super) fn own_duty(duties: &[Duty]) -> Option<(&Test, &Fulfilling)> {
    let mut musts = duties.iter().filter_map(|duty| match &duty.kind {
        DutyKind::Must(calls) => Some((&duty.guard, calls.as_slice())),
        DutyKind::MustMost(..) | DutyKind::ExtraTurn | DutyKind::NextTurn(_) => None,
    });
    musts.next().filter(|_| musts.next().is_none())
}

/// The only duty of a section that compares what plies lead to, and the calls that it has nothing to compare of.
pub(super) fn own_most(duties: &[Duty]) -> Option<(&Test, &[bool])> {
    let mut mosts = duties.iter().filter_map(|duty| match &duty.kind {
        DutyKind::MustMost(_, leave) => Some((&duty.guard, leave.as_slice())),
        DutyKind::Must(_) | DutyKind::ExtraTurn | DutyKind::NextTurn(_) => None,
    });
    mosts.next().filter(|_| mosts.next().is_none())
}

/// Plies of a section are compared by what they lead to.
pub(super) fn compares_turns(program: &Program, mover: usize, section: Option<usize>) -> bool {
    let own = program.by_mover.get(mover);
    let duties = own.zip(section).and_then(|(own, section)| own.duties.get(section));
    duties.is_some_and(|duties| duties.iter().any(|duty| matches!(duty.kind, DutyKind::MustMost(..))))
}

/// All places that the plies of a section lead to.
fn reachable(program: &Program, entry: u16) -> Vec<usize> {
    let mut found = vec![usize::from(entry)];
    let mut at = 0;
    while let Some(place) = found.get(at).copied() {
        at += 1;
        let next: Vec<u16> = match program.nodes.get(place) {
            Some(TurnNode::Fork(next) | TurnNode::Prefer(next) | TurnNode::Guard(_, next)) => next.clone(),
            Some(TurnNode::Call(call)) => {
                let calls = program.by_mover.iter().filter_map(|own| own.calls.get(usize::from(*call)));
                calls.flat_map(|call| call.next.iter().chain(&call.until_next)).copied().collect()
            }
            Some(TurnNode::End) | None => Vec::new(),
        };
        for place in next {
            if !found.contains(&usize::from(place)) {
                found.push(usize::from(place));
            }
        }
    }
    found
}

/// What is done after each turn, and the test that it can be, where machine code can do it.
pub(super) fn after_turn<'p>(own: &'p ForMover, program: &Program) -> Option<(&'p Call, Option<&'p Test>)> {
    let call = own.calls.get(usize::from(own.after_turn?))?;
    let test = match &call.generator {
        Generator::One => None,
        Generator::Test(test, inner) if matches!(**inner, Generator::One) => Some(test),
        Generator::Leaf { .. }
        | Generator::Fan { .. }
        | Generator::Test(..)
        | Generator::If(..)
        | Generator::Either(_)
        | Generator::Let(..)
        | Generator::LetSites(..)
        | Generator::Loop { .. }
        | Generator::Stage(..)
        | Generator::Repeat(..) => return None,
    };
    is_native_body(call, program.planes.len()).then_some((call, test))
}

/// Whether a move is possible is asked of the turn to come, but lines of `end` read the turn that is over: where values begin
/// afresh with a turn, both are needed at once.
fn reads_two_turns(program: &Program) -> bool {
    program.asks_on && program.memories.iter().any(|memory| memory.each_turn)
}

/// The same of lines that ask while the game goes on. With nothing to be done in the turn to come it is over in any case, and
/// the host can look at the lines.
pub(super) fn needs_two_turns(program: &Program) -> bool {
    let mut endings = program.by_mover.iter().flat_map(|own| &own.endings);
    reads_two_turns(program)
        && endings.any(|ending| {
            if ending.at_once { asks_what_is_possible(&ending.condition) } else { asks_on_the_way(&ending.condition) }
        })
}

/// A test asks what is possible.
pub(super) fn asks_what_is_possible(test: &Test) -> bool {
    Part::Test(test).asks(&|part| matches!(part, Part::Test(Test::Possible { .. })))
}

/// A test asks what is possible although something can be done in the turn to come.
fn asks_on_the_way(test: &Test) -> bool {
    match test {
        Test::And(all) => !all.iter().any(|one| matches!(one, Test::Stuck)) && all.iter().any(asks_on_the_way),
        Test::Or(all) => all.iter().any(asks_on_the_way),
        other => asks_what_is_possible(other),
    }
}

/// A test reads what is only known when the next turn has begun; words without instructions may read anything.
fn asks(test: &Test) -> bool {
    Part::Test(test).asks(&|part| match part {
        Part::Sets(set) => matches!(set, Sets::Primitive(..)),
        Part::Int(int) => matches!(int, Int::Primitive(..)),
        Part::Test(test) => match test {
            Test::Stuck | Test::Seen { .. } | Test::Possible { .. } => true,
            Test::Const(_)
            | Test::Not(_)
            | Test::And(_)
            | Test::Or(_)
            | Test::Any(_)
            | Test::Contains(..)
            | Test::Subset(..)
            | Test::Compare(..)
            | Test::Known(_)
            | Test::Lists(..)
            | Test::Exists { .. }
            | Test::Unfinished
            | Test::CanApply(_)
            | Test::With { .. }
            | Test::WithSites { .. }
            | Test::OfNew { .. } => false,
        },
    })
}
