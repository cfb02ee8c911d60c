//! A program as text: what every call, duty and ending has become, for one player to move.

use super::ir::*;
use super::{Call, Chronicle, DutyKind, EndingResult, FirstValue, Generator, Program, Repeat, Step, TurnNode};
use crate::board::{Direction, SiteSet};
use crate::rules::{PlayerId, Rules};
use std::fmt::Write as _;

/// Writes out a program; `place` gives the line of a place in the text.
#[must_use]
pub fn dump(rules: &Rules, program: &Program, place: &dyn Fn(crate::source::Span) -> String) -> String {
    let mut out = String::new();
    let layout = &program.layout;
    let _ = writeln!(out, "board: {} sites in {} words", layout.sites, layout.words);
    let printer = Printer { rules, program };
    for plane in 0..program.planes.len() {
        let _ = writeln!(out, "plane {plane}: {}", printer.plane(plane));
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

fn way(at: i64) -> String {
    usize::try_from(at)
        .ok()
        .and_then(Direction::from_index)
        .map_or_else(|| format!("way {at}"), |direction| direction.to_string())
}

fn ways(mask: i64) -> String {
    members(mask).map(way).collect::<Vec<_>>().join("+")
}

fn number(value: i64) -> String {
    if value == NONE { "none".to_owned() } else { value.to_string() }
}

struct Printer<'a> {
    rules: &'a Rules,
    program: &'a Program,
}

impl Printer<'_> {
    fn plane(&self, plane: usize) -> String {
        let Some(content) = self.program.planes.get(plane) else { return format!("plane {plane}") };
        let Some(kind) = content.kind() else { return "empty".to_owned() };
        let kind = self.rules.kinds.get(usize::from(kind.0)).map_or("?", |kind| kind.name.as_str());
        match content.owner().and_then(|PlayerId(owner)| self.rules.players.get(usize::from(owner))) {
            Some(owner) => format!("{kind}:{}", owner.name),
            None => kind.to_owned(),
        }
    }

    fn constant(&self, set: &SiteSet) -> String {
        let all = self.program.layout.set(self.rules.board.all());
        if *set == all {
            "all".to_owned()
        } else if set.len() <= 4 {
            let sites = self.program.layout.sites_at(*set);
            let names: Vec<&str> = sites.iter().map(|site| self.rules.board.name(site)).collect();
            format!("{{{}}}", names.join(" "))
        } else {
            format!("{{{} sites}}", set.len())
        }
    }

    fn when(when: When) -> &'static str {
        match when {
            When::Now => "",
            When::Before => "before ",
        }
    }

    fn all(&self, parts: &[Sets], with: &str) -> String {
        let parts: Vec<String> = parts.iter().map(|part| self.sets(part)).collect();
        format!("({})", parts.join(with))
    }

    fn sets(&self, sets: &Sets) -> String {
        match sets {
            Sets::Const(set) => self.constant(set),
            Sets::Planes(mask, when) => {
                let planes: Vec<String> =
                    (0..64).filter(|plane| mask >> plane & 1 == 1).map(|plane| self.plane(plane)).collect();
                format!("{}{}", Self::when(*when), planes.join("+"))
            }
            Sets::Memory(at, when) => format!("{}sites[{at}]", Self::when(*when)),
            Sets::Slot(slot) => format!("S{slot}"),
            Sets::One(site) => format!("{{{}}}", self.int(site)),
            Sets::And(parts) => self.all(parts, " & "),
            Sets::Or(parts) => self.all(parts, " | "),
            Sets::Not(inner) => format!("!{}", self.sets(inner)),
            Sets::Minus(a, b) => format!("({} - {})", self.sets(a), self.sets(b)),
            Sets::Near(site) => format!("near({})", self.int(site)),
            Sets::Dilate(inner) => format!("dilate({})", self.sets(inner)),
            Sets::Pull(direction, inner) => format!("pull({}, {})", way(i64::from(*direction)), self.sets(inner)),
            Sets::PullAny(directions, inner) => format!("pull({}, {})", ways(*directions), self.sets(inner)),
            Sets::PullBeyond { directions, goal, through } => {
                format!("seeing({}, {} through {})", ways(*directions), self.sets(goal), self.sets(through))
            }
            Sets::PullRun { directions, goal, through } => {
                format!("reaching({}, {} through {})", ways(*directions), self.sets(goal), self.sets(through))
            }
            Sets::Ahead { from, directions, steps } => {
                format!("ahead({}, {}, {})", self.sets(from), self.ways(directions), self.int(steps))
            }
            Sets::Trail { from, directions, steps } => {
                format!("trail({}, {}, {})", self.sets(from), self.ways(directions), self.int(steps))
            }
            Sets::Run { from, directions, through } => {
                format!("run({}, {}, {})", self.sets(from), self.ways(directions), self.sets(through))
            }
            Sets::Beyond { from, directions, through } => {
                format!("beyond({}, {}, {})", self.sets(from), self.ways(directions), self.sets(through))
            }
            Sets::Between(a, b) => format!("between({}, {})", self.int(a), self.int(b)),
            Sets::Connected { from, within } => format!("connected({}, {})", self.sets(from), self.sets(within)),
            Sets::Grown { kept, from, within } => {
                format!("kept {kept} connected({}, {})", self.sets(from), self.sets(within))
            }
            Sets::Enclosed { from, directions, through, goal } => format!(
                "enclosed({}, {}, {} up to {})",
                self.int(from),
                self.ways(&Int::Const(*directions)),
                self.sets(through),
                self.sets(goal)
            ),
            Sets::Alike(site, when) => format!("{}alike({})", Self::when(*when), self.int(site)),
            Sets::OfKinds(kinds, when) => format!("{}of_kinds({})", Self::when(*when), self.int(kinds)),
            Sets::OfPlayers(players, when) => format!("{}of_players({})", Self::when(*when), self.int(players)),
            Sets::If(test, a, b) => format!("({} ? {} : {})", self.test(test), self.sets(a), self.sets(b)),
            Sets::Filter { slot, domain, test } => {
                format!("one by one s{slot} in {} where {}", self.sets(domain), self.test(test))
            }
            Sets::Collect { slot, domain, test, body } => {
                format!("union of {} for s{slot} in {} where {}", self.sets(body), self.domain(domain), self.test(test))
            }
            Sets::Tally(tally) => format!(
                "where(#{} + {} {} #{})",
                self.all(&tally.left, ", "),
                self.int(&tally.offset),
                tally.op,
                self.all(&tally.right, ", ")
            ),
            Sets::Ranked { greater, equal, levels } => {
                let sides = |tally: &Tally| {
                    format!(
                        "#{} + {} : #{}",
                        self.all(&tally.left, ", "),
                        self.int(&tally.offset),
                        self.all(&tally.right, ", ")
                    )
                };
                let levels: Vec<String> = levels.iter().map(sides).collect();
                let sign = match (greater, equal) {
                    (true, true) => ">=",
                    (true, false) => ">",
                    (false, true) => "<=",
                    (false, false) => "<",
                };
                format!("where in turn {sign} ({})", levels.join("; "))
            }
            Sets::Primitive(primitive, args, when) => self.called(primitive.name, args, *when),
        }
    }

    fn called(&self, name: &str, args: &[(crate::rules::Type, Arg)], when: When) -> String {
        let args: Vec<String> = args
            .iter()
            .map(|(_, arg)| match arg {
                Arg::Sets(set) => self.sets(set),
                Arg::Int(int) => self.int(int),
            })
            .collect();
        format!("{}word {name}({})", Self::when(when), args.join(", "))
    }

    fn ways(&self, mask: &Int) -> String {
        match mask {
            Int::Const(mask) => ways(*mask),
            other => self.int(other),
        }
    }

    fn int(&self, int: &Int) -> String {
        let two = |name: &str, a: &Int, b: &Int| format!("{name}({}, {})", self.int(a), self.int(b));
        match int {
            Int::Const(value) => number(*value),
            Int::Slot(slot) => format!("s{slot}"),
            Int::Cell(at, when) => format!("{}number[{at}]", Self::when(*when)),
            Int::CellAt { base, index, when, .. } => {
                format!("{}number[{base} + {}]", Self::when(*when), self.int(index))
            }
            Int::Count(set) => format!("count {}", self.sets(set)),
            Int::Only(set) => format!("only {}", self.sets(set)),
            Int::Step(direction, inner) => format!("{}.{}", self.int(inner), way(i64::from(*direction))),
            Int::Ahead { from, direction, steps } => {
                format!("ahead({}, {}, {})", self.int(from), self.int(direction), self.int(steps))
            }
            Int::Beyond { from, direction, through } => {
                format!("first({}, {} through {})", self.int(from), self.int(direction), self.sets(through))
            }
            Int::RowLength { from, directions, through } => {
                format!("row({}, {}, {})", self.sets(from), self.ways(directions), self.sets(through))
            }
            Int::Direction(a, b) => two("direction", a, b),
            Int::Distance(a, b) => two("distance", a, b),
            Int::Owner(site, when) => format!("{}owner({})", Self::when(*when), self.int(site)),
            Int::Kind(site, when) => format!("{}kind({})", Self::when(*when), self.int(site)),
            Int::Piece(site, when) => format!("{}piece({})", Self::when(*when), self.int(site)),
            Int::Owners(set, when) => format!("{}owners({})", Self::when(*when), self.sets(set)),
            Int::KindsIn(set, when) => format!("{}kinds({})", Self::when(*when), self.sets(set)),
            Int::Make(kind, owner) => two("piece", kind, owner),
            Int::Arithmetic(op, a, b) => {
                format!("({} {op} {})", self.int(a), self.int(b))
            }
            Int::Negative(inner) => format!("-{}", self.int(inner)),
            Int::Max(a, b) => two("max", a, b),
            Int::Min(a, b) => two("min", a, b),
            Int::Abs(inner) => format!("abs({})", self.int(inner)),
            Int::If(test, a, b) => format!("({} ? {} : {})", self.test(test), self.int(a), self.int(b)),
            Int::Reduce { reduce, slot, domain, test, body } => format!(
                "{} of {} for s{slot} in {} where {}",
                format!("{reduce:?}").to_lowercase(),
                self.int(body),
                self.domain(domain),
                self.test(test)
            ),
            Int::MaskWhere { slot, domain, test } => {
                format!("those s{slot} in {} where {}", self.int(domain), self.test(test))
            }
            Int::MaskCollect { slot, domain, test, body } => {
                format!("union of {} for s{slot} in {} where {}", self.int(body), self.domain(domain), self.test(test))
            }
            Int::MaskAnd(a, b) => two("both", a, b),
            Int::MaskOr(a, b) => two("either", a, b),
            Int::MaskNot(all, inner) => format!("{all:#x} but {}", self.int(inner)),
            Int::Bit(inner) => format!("bit({})", self.int(inner)),
            Int::OnlyBit(inner) => format!("only({})", self.int(inner)),
            Int::Ones(inner) => format!("count({})", self.int(inner)),
            Int::Opposite(inner) | Int::OppositeMask(inner) => format!("opposite({})", self.int(inner)),
            Int::Turn => "turn".to_owned(),
            Int::Ply => "ply".to_owned(),
            Int::Next => "next".to_owned(),
            Int::Truth(yes, no) => format!("truth({}, {})", self.test(yes), self.test(no)),
            Int::Primitive(primitive, args, when) => self.called(primitive.name, args, *when),
        }
    }

    fn tests(&self, parts: &[Test], with: &str) -> String {
        let parts: Vec<String> = parts.iter().map(|part| self.test(part)).collect();
        format!("({})", parts.join(with))
    }

    fn test(&self, test: &Test) -> String {
        match test {
            Test::Const(value) => value.to_string(),
            Test::Not(inner) => format!("not {}", self.test(inner)),
            Test::And(parts) => self.tests(parts, " and "),
            Test::Or(parts) => self.tests(parts, " or "),
            Test::Any(set) => format!("any {}", self.sets(set)),
            Test::Contains(set, site) => format!("{} in {}", self.int(site), self.sets(set)),
            Test::Subset(a, b) => format!("{} within {}", self.sets(a), self.sets(b)),
            Test::Compare(op, a, b) => format!("{} {} {}", self.int(a), op, self.int(b)),
            Test::Known(int) => format!("known {}", self.int(int)),
            Test::Lists(op, a, b) => {
                let side = |all: &[Int]| list(&all.iter().map(|int| self.int(int)).collect::<Vec<_>>());
                format!("[{}] {} [{}]", side(a), op, side(b))
            }
            Test::Exists { slot, domain, test } => {
                format!("some s{slot} in {} with {}", self.domain(domain), self.test(test))
            }
            Test::Seen { board, times } => {
                format!("{} seen {times:?}", if *board { "board" } else { "position" })
            }
            Test::Possible(place) => format!("possible from place {place}"),
            Test::Stuck => "stuck".to_owned(),
            Test::Unfinished => "unfinished".to_owned(),
            Test::With { slot, value, test } => format!("s{slot} := {}: {}", self.int(value), self.test(test)),
            Test::WithSites { slot, value, test } => format!("S{slot} := {}: {}", self.sets(value), self.test(test)),
            Test::OfNew { slot, set, test, .. } => format!("S{slot} := new in {}: {}", self.sets(set), self.test(test)),
            Test::CanApply(effects) => format!("possible to do {}", self.effects(effects)),
        }
    }

    fn domain(&self, domain: &Domain) -> String {
        match domain {
            Domain::Sites(set) => self.sets(set),
            Domain::Mask(mask) => self.int(mask),
            Domain::Range(low, high) => format!("{} .. {}", self.int(low), self.int(high)),
        }
    }

    fn effects(&self, effects: &[Effect]) -> String {
        effects.iter().map(|effect| self.effect(effect)).collect::<Vec<_>>().join("; ")
    }

    fn effect(&self, effect: &Effect) -> String {
        let guarded = |guard: &Test, text: String| {
            if *guard == Test::Const(true) { text } else { format!("{text} if {}", self.test(guard)) }
        };
        match effect {
            Effect::Put { target, piece, guard } => {
                let piece = match piece {
                    Int::Const(plane) => self.plane(usize::try_from(*plane).unwrap_or(usize::MAX)),
                    piece => self.int(piece),
                };
                guarded(guard, format!("{} := {piece}", self.sets(target)))
            }
            Effect::Move { from, to, piece, guard } => {
                let piece = piece.as_ref().map_or_else(String::new, |piece| format!(" as {}", self.int(piece)));
                guarded(guard, format!("{} -> {}{piece}", self.int(from), self.int(to)))
            }
            Effect::Set { base, index, value, guard, .. } => {
                let index = index.as_ref().map_or_else(String::new, |index| format!(" + {}", self.int(index)));
                guarded(guard, format!("number[{base}{index}] := {}", self.int(value)))
            }
            Effect::SetSites { base, value, guard } => guarded(guard, format!("sites[{base}] := {}", self.sets(value))),
            Effect::Each { slot, domain, effect } => {
                format!("for s{slot} in {}: {}", self.domain(domain), self.effect(effect))
            }
        }
    }

    fn call(&self, out: &mut String, call: &Call) {
        self.generator(out, &call.generator, 2);
        for step in &call.body {
            let text = match step {
                Step::Let(slot, int) => format!("s{slot} := {}", self.int(int)),
                Step::LetSites(slot, set) => format!("S{slot} := {}", self.sets(set)),
                Step::Change(effects) => self.effects(effects),
                Step::Repeat(repeat) => self.repeat(repeat),
            };
            let _ = writeln!(out, "    do {text}");
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

    fn repeat(&self, repeat: &Repeat) -> String {
        let (times, test) = (self.int(&repeat.times), self.test(&repeat.condition));
        format!("{times} times while {test}: {}", self.effects(&repeat.effects))
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

fn members(mask: i64) -> impl Iterator<Item = i64> {
    super::build::members(mask)
}
