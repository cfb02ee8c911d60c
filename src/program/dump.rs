//! A program as text: what every call, duty and ending has become, for one player to move.

use super::instruction::{Field, Names};
use super::ir::{Domain, Effect, Int, Kept, Sets, Test};
use super::{Call, Chronicle, DutyKind, EndingResult, FirstValue, Generator, Program, Repeat, Step, TurnNode};
use crate::rules::Rules;
use std::fmt::Write as _;

/// Writes out a program; `place` gives the line of a place in the text.
#[must_use]
pub fn dump(rules: &Rules, program: &Program, place: &dyn Fn(crate::source::Span) -> String) -> String {
    let mut out = String::new();
    let layout = &program.layout;
    let _ = writeln!(out, "board: {} sites in {} words", layout.sites, layout.words);
    let printer = Printer(Names { rules, program });
    for plane in 0..program.planes.len() {
        let _ = writeln!(out, "plane {plane}: {}", printer.0.plane(plane));
    }
    for (memory, info) in rules.memories.iter().zip(&program.memories) {
        let kind = if info.sites { "sites" } else { "number" };
        let _ = writeln!(out, "{kind} {}: {}", info.base, memory.name);
    }
    for (at, section) in program.sections.iter().enumerate() {
        let whole = if section.whole { ", whole turns only" } else { "" };
        let _ = writeln!(out, "turn {:?}: from place {}{whole}; duties {at}", section.of, section.entry);
    }
    for (at, node) in program.nodes.iter().enumerate() {
        let distinct = if program.plain.get(at) == Some(&true) { "" } else { "  (plies may be alike)" };
        let text = match node {
            TurnNode::Fork(next) if next.is_empty() => continue,
            TurnNode::Fork(next) => format!("fork to {}", list(next)),
            TurnNode::Prefer(next) => format!("first that offers a ply of {}", list(next)),
            TurnNode::Guard(test, next) => format!("if test {test}: {}", list(next)),
            TurnNode::Call(call) => format!("call {call}"),
            TurnNode::End => "end of the turn".to_owned(),
        };
        let _ = writeln!(out, "place {at}: {text}{distinct}");
    }
    if program.slow.is_empty() {
        let _ = writeln!(out, "everything is evaluated for the whole board at once");
    }
    for slow in &program.slow {
        let _ = writeln!(out, "slow: {} {}", place(slow.span), slow.how.text());
    }
    for (player, own) in program.by_mover.iter().enumerate() {
        let name = rules.players.get(player).map_or("?", |player| player.name.as_str());
        let _ = writeln!(out, "\n{name} to move");
        for (at, test) in own.guards.iter().enumerate() {
            let _ = writeln!(out, "  test {at}: {}", printer.test(test));
        }
        for (place, finish) in own.finishes.iter().enumerate() {
            if let Some(test) = finish {
                let _ = writeln!(out, "  place {place}: the turn ends there, or with one more ply, if test {test}");
            }
        }
        for (at, call) in own.calls.iter().enumerate() {
            let mv = rules.moves.get(call.mv.0);
            let name = mv.map_or("?", |mv| mv.name.as_str());
            let line = mv.map_or_else(String::new, |mv| place(mv.span));
            let _ = writeln!(out, "  call {at}: {name}  ({line}), then {}", list(&call.next));
            printer.call(&mut out, call);
        }
        for (at, duties) in own.duties.iter().enumerate() {
            for duty in duties {
                let _ = writeln!(out, "  duty {at} if {}", printer.test(&duty.guard));
                match &duty.kind {
                    DutyKind::ExtraTurn => {
                        let _ = writeln!(out, "    one more turn");
                    }
                    DutyKind::NextTurn(player) => {
                        let _ = writeln!(out, "    next the turn of {}", printer.int(player));
                    }
                    DutyKind::MustMost(number, _) => {
                        let _ = writeln!(out, "    the most of {}", printer.int(number));
                    }
                    DutyKind::Must(calls) => {
                        for (call, (test, generator)) in calls.iter().enumerate() {
                            if let Some(generator) = generator {
                                let _ = writeln!(out, "    must call {call} where {}", printer.test(test));
                                printer.generator(&mut out, generator, 3);
                            }
                        }
                    }
                }
            }
        }
        for kept in &own.kept {
            let value = match kept {
                Kept::Sets(slot, set) => format!("S{slot} := {}", printer.sets(set)),
                Kept::Int(slot, int) => format!("s{slot} := {}", printer.int(int)),
            };
            let _ = writeln!(out, "  before all lines of end {value}");
        }
        for ending in &own.endings {
            let line = rules.endings.get(ending.line).map_or_else(String::new, |ending| place(ending.span));
            let result = match &ending.result {
                EndingResult::Draw => "draw".to_owned(),
                EndingResult::BestScore => "best score".to_owned(),
                EndingResult::LowestScore => "lowest score".to_owned(),
                EndingResult::Ranks(_) => "ranks".to_owned(),
                EndingResult::Players { players, wins } => {
                    format!("{} {}", if *wins { "won by" } else { "lost by" }, printer.int(players))
                }
            };
            let once = if ending.at_once { "at once " } else { "" };
            let _ = writeln!(out, "  end {once}({line}) {result} if {}", printer.test(&ending.condition));
        }
        for (player, score) in own.scores.iter().enumerate() {
            let _ = writeln!(out, "  score {player} = {}", printer.int(score));
        }
        for reset in &own.resets {
            let value = match &reset.value {
                FirstValue::Int(int) => printer.int(int),
                FirstValue::Sets(set) => printer.sets(set),
            };
            let _ = writeln!(out, "  each turn {} := {value}", reset.place.base);
        }
    }
    out
}

fn list<T: std::fmt::Display>(all: &[T]) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Writes with the names of a game.
struct Printer<'a>(Names<'a>);

impl Printer<'_> {
    fn sets(&self, sets: &Sets) -> String {
        sets.list(&self.0)
    }

    fn int(&self, int: &Int) -> String {
        int.list(&self.0)
    }

    fn test(&self, test: &Test) -> String {
        test.list(&self.0)
    }

    fn domain(&self, domain: &Domain) -> String {
        domain.list(&self.0)
    }

    fn effects(&self, effects: &[Effect]) -> String {
        effects.iter().map(|effect| effect.list(&self.0)).collect::<Vec<_>>().join("; ")
    }

    fn call(&self, out: &mut String, call: &Call) {
        self.generator(out, &call.generator, 2);
        if call.chance {
            let weight = call.weight.as_ref().map_or_else(|| "1".to_owned(), |weight| self.int(weight));
            let _ = writeln!(out, "    by chance, weight {weight}");
        }
        for step in &call.body {
            let _ = writeln!(out, "    do {}", self.step(step));
        }
        for chronicle in &call.chronicles {
            let text = match chronicle {
                Chronicle::Note { when, cell, value } => {
                    format!("number[{cell}] := {value} if {}", self.test(when))
                }
                Chronicle::Collect { sites, set } => format!("sites[{set}] |= {}", self.sets(sites)),
                Chronicle::It { set } => format!("sites[{set}] := it"),
            };
            let _ = writeln!(out, "    note {text}");
        }
        if let Some(until) = &call.until {
            let _ = writeln!(out, "    until {}, then {}", self.test(until), list(&call.until_next));
        }
    }

    fn step(&self, step: &Step) -> String {
        match step {
            Step::Let(slot, int) => format!("s{slot} := {}", self.int(int)),
            Step::LetSites(slot, set) => format!("S{slot} := {}", self.sets(set)),
            Step::Change(effects) => self.effects(effects),
            Step::Repeat(repeat) => self.repeat(repeat),
        }
    }

    fn repeat(&self, repeat: &Repeat) -> String {
        let (times, test) = (self.int(&repeat.times), self.test(&repeat.condition));
        let steps: Vec<String> = repeat.steps.iter().map(|step| self.step(step)).collect();
        format!("{times} times while {test}: {}", steps.join("; "))
    }

    fn generator(&self, out: &mut String, generator: &Generator, depth: usize) {
        let indent = "  ".repeat(depth);
        let (text, inner): (String, Vec<&Generator>) = match generator {
            Generator::One => ("a ply".to_owned(), Vec::new()),
            Generator::Leaf { slot, set } => (format!("plies s{slot} in {}", self.sets(set)), Vec::new()),
            Generator::Fan { slot, branches } => {
                for branch in branches {
                    let derived: Vec<String> =
                        branch.derived.iter().map(|(slot, int)| format!(", s{slot} = {}", self.int(int))).collect();
                    let _ = writeln!(out, "{indent}plies s{slot} in {}{}", self.sets(&branch.set), derived.concat());
                }
                return;
            }
            Generator::Loop { slot, domain, tests, inner } => {
                let tests: Vec<String> = tests.iter().map(|test| format!(" where {}", self.test(test))).collect();
                (format!("for s{slot} in {}{}", self.domain(domain), tests.concat()), vec![inner])
            }
            Generator::Test(test, inner) => (format!("if {}", self.test(test)), vec![inner]),
            Generator::If(test, yes, no) => (format!("if {} this, else that", self.test(test)), vec![yes, no]),
            Generator::Either(all) => ("each of".to_owned(), all.iter().collect()),
            Generator::Let(slot, int, inner) => {
                let _ = writeln!(out, "{indent}s{slot} := {}", self.int(int));
                return self.generator(out, inner, depth);
            }
            Generator::LetSites(slot, set, inner) => {
                let _ = writeln!(out, "{indent}S{slot} := {}", self.sets(set));
                return self.generator(out, inner, depth);
            }
            Generator::Stage(effects, inner) => {
                (format!("on a copy of the state: {}", self.effects(effects)), vec![inner])
            }
            Generator::Repeat(repeat, inner) => {
                (format!("on a copy of the state: {}", self.repeat(repeat)), vec![inner])
            }
        };
        let _ = writeln!(out, "{indent}{text}");
        for inner in inner {
            self.generator(out, inner, depth + 1);
        }
    }
}
