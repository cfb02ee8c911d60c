//! Calls of moves and duties about them: how their plies are found, and what a call leaves in memory.

use super::build::*;
use super::generator::beside;
use super::ir::*;
use super::lower::{Env, Lowered, Lowering};
use super::overlay::Overlay;
use super::parts::conjuncts;
use super::plan::{Line, MovePlan, mentions, values_printed};
use super::share::shared_part;
use super::single::has_one_at_most;
use super::told::hidden;
use super::turn_places::Place;
use super::values::Val;
use super::{Call, Chronicle, Duty, DutyKind, Generator, Printed, Step, Unsupported};
use crate::rules::{self, CompareOp, Event, Expr, MoveId, NodeKind, NotationPiece, Type};
use crate::source::Span;

/// What else a call asks of its plies, on top of the lines of the move.
pub(super) struct Asked<'r> {
    with: &'r [Expr],
    /// Of these one must hold; none that is unconditional is among them.
    one_of: Vec<&'r Expr>,
    by_it: Option<u16>,
    moved: Option<rules::Local>,
}

impl<'r> Lowering<'r> {
    /// One call of a move: at a node of the turn, or anywhere for a duty.
    pub fn call(&mut self, place: &Place<'_>, call: &'r rules::Call) -> Lowered<Call> {
        let rules = self.rules;
        let plan = self.plan(call.mv, rules.graph[place.node].span)?;
        let asked = self.asked_by(call, plan.mv, Vec::new());
        let (mut generator, alike) = self.found(&plan, &asked)?;
        let weight = self.weight(&plan)?;
        // Read before the ply, when definitions are not kept yet.
        let names = self.names(&plan, &values_printed(plan.mv))?;
        let (shown, shown_as) = self.shown(plan.mv, &names)?;
        self.know(&plan.known);
        let early = Env { when: When::Before, ..plan.played.clone() };
        let until = match &call.until {
            None => None,
            Some(until) => Some(self.holds(until, &early)?),
        };
        let chronicles = self.chronicles(call.mv, &early)?;
        check_history(&plan, until.as_ref(), &chronicles)?;
        let body = self.shared_body(asked_for(&plan.body, until.as_ref(), &chronicles));
        let may_print_alike = alike && self.may_repeat((&plan, &body), &mut generator, until.as_ref(), &chronicles)?;
        let may_repeat = may_print_alike && !self.leave_apart(&plan, &hidden(&plan, &generator));
        self.know(&plan.before);
        let generator = self.with_told_numbers(generator);
        self.know(&plan.known);
        if rules.turns.iter().any(|turn| turn.whole) {
            self.plain.push(generator.clone());
        }
        Ok(Call {
            shown,
            shown_as,
            reads_before: super::writes::reads_before(&body),
            takes: plan.takes,
            mv: call.mv,
            chance: plan.mv.chance,
            weight,
            parts: plan.parts.iter().filter(|(local, _)| !plan.is_witness(*local)).map(|(_, slot)| *slot).collect(),
            only_site: only_site(&plan),
            may_print_alike,
            may_repeat,
            generator: self.shared_plies(generator),
            body,
            until,
            next: place.next.clone(),
            until_next: place.until.clone(),
            chronicles,
        })
    }

    /// A generator whose ranges have no numbers that a condition tells, or rules out by their end.
    fn with_told_numbers(&mut self, generator: Generator) -> Generator {
        let generator = self.with_strides(generator);
        generator.with_told_numbers(&|number| self.most(number))
    }

    /// Whether a duty may ask for plies of a move.
    pub(super) fn may_be_obliged(&self, id: MoveId) -> bool {
        let is_asked = |duty: &rules::Duty| match &duty.kind {
            rules::DutyKind::Must(event) => event.alternatives.iter().any(|(mv, _)| *mv == id),
            rules::DutyKind::MustMost(_) | rules::DutyKind::ExtraTurn | rules::DutyKind::NextTurn(_) => false,
        };
        self.rules.turns.iter().flat_map(|turn| &turn.duties).any(is_asked)
    }

    /// The move that is made after each turn: it has no parts, nothing is asked of it and nothing noted.
    pub fn after_turn(&mut self, id: MoveId, span: Span) -> Lowered<Call> {
        let plan = self.plan(id, span)?;
        let asked = Asked { with: &[], one_of: Vec::new(), by_it: None, moved: None };
        let generator = self.generator(&plan.line, &asked, false)?;
        let generator = self.with_told_numbers(generator);
        let body = self.shared_body(asked_for(&plan.body, None, &[]));
        Ok(Call {
            mv: id,
            chance: false,
            weight: None,
            generator,
            parts: Vec::new(),
            only_site: None,
            reads_before: super::writes::reads_before(&body),
            body,
            until: None,
            next: Vec::new(),
            until_next: Vec::new(),
            chronicles: Vec::new(),
            may_print_alike: false,
            may_repeat: false,
            shown: Vec::new(),
            shown_as: Vec::new(),
            takes: plan.takes,
        })
    }

    /// What the notation of a move prints, and what it is.
    pub fn shown(&mut self, mv: &rules::Move, env: &Env) -> Lowered<(Vec<Printed>, Vec<Option<Type>>)> {
        let (mut shown, mut types) = (Vec::new(), Vec::new());
        let late = self.late(mv);
        for piece in &mv.notation {
            if let NotationPiece::Value { value: written, .. } = piece {
                let value = self.expr(written, env)?;
                types.push(printed_as(&value).filter(|_| !mentions(written, &late)));
                shown.push(match value {
                    Val::Sites(set) if !has_one_at_most(&set) => Printed::Sites(set),
                    value @ (Val::Sites(_) | Val::Site(_)) => Printed::Number(self.site_of(value)),
                    Val::Condition(yes, no) => Printed::Number(Int::Truth(Box::new(yes), Box::new(no))),
                    Val::Number(value) | Val::Piece(value) | Val::Choice(value) => Printed::Number(value),
                    other => Printed::Number(self.mask_of(other)),
                });
            }
        }
        Ok((shown, types))
    }

    /// The definitions of a move that read what a stage has changed: before the ply they are not what is printed.
    fn late(&self, mv: &rules::Move) -> Vec<rules::Local> {
        let lines = mv.lines.iter().filter_map(|line| self.rules.graph.node_weight(*line));
        let late = lines.skip_while(|line| !matches!(line.kind, NodeKind::Change(_) | NodeKind::Repeat { .. }));
        late.filter_map(|line| if let NodeKind::Let { local, .. } = line.kind { Some(local) } else { None }).collect()
    }

    fn asked_by(&self, call: &'r rules::Call, mv: &rules::Move, one_of: Vec<&'r Expr>) -> Asked<'r> {
        let by_it = if call.by_it { self.it_set() } else { None };
        Asked { with: &call.with, one_of, by_it, moved: mv.moved }
    }

    /// Where the site of the piece that was moved last is remembered.
    pub(super) fn it_set(&self) -> Option<u16> {
        self.rules.chronicles.iter().find_map(|chronicle| match chronicle {
            rules::Chronicle::It { memory } => self.memories.get(memory.0).map(|place| place.base),
            _ => None,
        })
    }

    /// The conditions of the call, read in the state in which the move began.
    fn asked(&mut self, asked: &Asked<'_>, env: &Env, staged: bool) -> Lowered<Test> {
        let env = Env { when: if staged { When::Before } else { When::Now }, ..env.clone() };
        let mut tests = Vec::new();
        if let Some(it) = asked.by_it {
            let moved = asked.moved.and_then(|local| env.locals.get(local.0).cloned()).unwrap_or(Val::Missing);
            let moved = self.site_of(moved);
            let last = Int::Only(Box::new(Sets::Memory(it, env.when)));
            let neither = and(vec![not(known(moved.clone())), not(known(last.clone()))]);
            tests.push(match moved {
                Int::Slot(_) => contains(Sets::One(Box::new(last)), moved),
                _ => or(vec![compare(rules::CompareOp::Equal, moved, last), neither]),
            });
        }
        for condition in asked.with {
            tests.push(self.holds(condition, &env)?);
        }
        if !asked.one_of.is_empty() {
            let mut any = Vec::new();
            for condition in &asked.one_of {
                any.push(self.holds(condition, &env)?);
            }
            tests.push(or(any));
        }
        Ok(and(tests))
    }

    /// How the plies are found that the lines of a move allow from one on, behind a stage or not.
    pub(super) fn generator(&mut self, line: &Line, asked: &Asked<'_>, staged: bool) -> Lowered<Generator> {
        Ok(match line {
            Line::Done(here) => {
                self.know(&here.known);
                Generator::One.guarded_by(self.asked(asked, &here.env, staged)?)
            }
            // A number that the next part tells is worked out behind it.
            Line::Part { slot, domain: Domain::Range(low, high), test, rest, .. }
                if let Line::Part { slot: next, domain, test: asked_next, at, rest } = &**rest
                    && !domain.reads(*slot)
                    && let Some((number, others)) = told_number(asked_next, *slot, *next) =>
            {
                let rest = self.generator(rest, asked, staged)?;
                let (own, before): (Vec<Test>, Vec<Test>) = others.into_iter().partition(|test| test.reads(*slot));
                let rest = rest.guarded_by(and(own)).guarded_by(test.clone());
                self.at = *at;
                let rest = rest.of_told_number((*slot, number), (low, high));
                self.chosen(*next, domain.clone(), and(before), rest)
            }
            Line::Part { slot, domain, test, at, rest } => {
                let before = self.slow.len();
                let rest = self.generator(rest, asked, staged)?;
                let noted = before..self.slow.len();
                self.at = *at;
                let chosen = self.chosen(*slot, domain.clone(), test.clone(), rest);
                // Where all ways are known, nothing is asked of one further part after the other.
                if chosen.is_fan() {
                    self.slow.drain(noted);
                }
                chosen
            }
            Line::Guarded { guard, slot, picked, left_out, known } => {
                let picked = match picked {
                    None => None,
                    Some(picked) => Some(Box::new(self.generator(picked, asked, staged)?)),
                };
                let left_out = self.generator(left_out, asked, staged)?;
                let left_out = Generator::Let(*slot, Int::Const(NONE), Box::new(left_out));
                self.know(known);
                match picked {
                    None => left_out,
                    Some(picked) => Generator::If(guard.clone(), picked, Box::new(left_out)),
                }
            }
            Line::Keep(steps, rest) => {
                let rest = self.generator(rest, asked, staged)?;
                // What no condition behind the stage reads is needed only when the ply is played.
                steps.iter().rev().fold(rest, |mut rest, step| match step {
                    Step::Let(slot, value) if rest.reads(step) => Generator::Let(*slot, value.clone(), Box::new(rest)),
                    Step::LetSites(slot, value) if rest.reads(step) => {
                        Generator::LetSites(*slot, value.clone(), Box::new(rest))
                    }
                    Step::Let(..) | Step::LetSites(..) | Step::Change(_) | Step::Repeat(_) => rest,
                })
            }
            Line::Require(test, rest) => self.generator(rest, asked, staged)?.guarded_by(test.clone()),
            Line::Change { effects, test, here, at, rest } => {
                if rest.is_sure() {
                    self.know(&here.known);
                    let asked = self.asked(asked, &here.env, staged)?;
                    return Ok(Generator::One.guarded_by(and(vec![asked, test.clone()])));
                }
                let doubt = rest.doubt();
                let rest = self.generator(rest, asked, true)?;
                self.know(&here.known);
                let overlaid = Overlay::of(self, effects, &here.known.pieces, !staged);
                let rest = match overlaid.and_then(|stage| stage.generator(&rest)) {
                    Some(rest) => {
                        self.rewritten(doubt, &rest);
                        rest
                    }
                    None => {
                        self.at = *at;
                        self.note_copies(doubt);
                        Generator::Stage(effects.clone(), Box::new(rest))
                    }
                };
                rest.guarded_by(test.clone())
            }
            line @ Line::Repeat { here, .. } if line.is_sure() => {
                self.know(&here.known);
                Generator::One.guarded_by(self.asked(asked, &here.env, staged)?)
            }
            line @ Line::Repeat { repeat, here, at, rest, .. } => {
                let doubt = line.doubt();
                let rest = self.generator(rest, asked, true)?;
                self.know(&here.known);
                self.at = *at;
                self.note_copies(doubt);
                Generator::Repeat(repeat.clone(), Box::new(rest))
            }
        })
    }

    fn chronicles(&mut self, mv: MoveId, env: &Env) -> Lowered<Vec<Chronicle>> {
        let rules = self.rules;
        let mut all = Vec::new();
        for chronicle in &rules.chronicles {
            let place = |memory: rules::MemoryId| self.memories.get(memory.0).map_or(0, |place| place.base);
            match chronicle {
                rules::Chronicle::Happened { event, memory }
                | rules::Chronicle::Without { event, seen: memory, .. } => {
                    let cell = place(*memory);
                    let when = self.event(event, mv, env)?;
                    all.push(Chronicle::Note { when, cell, value: 1 });
                }
                rules::Chronicle::LastTo { event, memory } => {
                    let cell = place(*memory);
                    let when = self.event(event, mv, env)?;
                    all.push(Chronicle::Note { when, cell, value: 1 << self.mover.0 });
                }
                rules::Chronicle::Part { of, part, memory } if *of == mv => {
                    let set = place(*memory);
                    let taken = env.locals.get(part.0).cloned().unwrap_or(Val::Missing);
                    all.push(Chronicle::Collect { sites: self.sets_of(taken), set });
                }
                rules::Chronicle::It { memory } => all.push(Chronicle::It { set: place(*memory) }),
                rules::Chronicle::Part { .. } | rules::Chronicle::Carry { .. } => {}
            }
        }
        all.retain(|chronicle| !matches!(chronicle, Chronicle::Note { when: Test::Const(false), .. }));
        Ok(all)
    }

    /// Whether a ply of a move is one of those that an event speaks of.
    pub fn event(&mut self, event: &Event, mv: MoveId, env: &Env) -> Lowered<Test> {
        let mut tests = Vec::new();
        for (other, condition) in &event.alternatives {
            if *other == mv {
                tests.push(self.guard(condition.as_ref(), env)?);
            }
        }
        Ok(or(tests))
    }

    /// How those plies of a call are found that an event speaks of, of which there may be none.
    fn obliged(&mut self, event: &'r Event, call: &'r rules::Call, plan: &MovePlan<'_>) -> Lowered<Generator> {
        let conditions = || event.alternatives.iter().filter(|(mv, _)| *mv == call.mv).map(|(_, condition)| condition);
        let free = conditions().any(Option::is_none);
        let one_of = conditions().flatten().filter(|_| !free).collect();
        let asked = self.asked_by(call, plan.mv, one_of);
        let generator = self.generator(&plan.line, &asked, false)?;
        let generator = self.with_told_numbers(generator);
        Ok(self.shared_plies(generator))
    }

    pub fn duty(&mut self, duty: &'r rules::Duty, calls: &[&'r rules::Call]) -> Lowered<Duty> {
        let guard = self.guard(duty.guard.as_ref(), &Env::new())?;
        let kind = match &duty.kind {
            rules::DutyKind::ExtraTurn => DutyKind::ExtraTurn,
            rules::DutyKind::NextTurn(player) => {
                let player = self.expr(player, &Env::new())?;
                DutyKind::NextTurn(self.mask_of(player))
            }
            rules::DutyKind::MustMost(number) => {
                let number = self.expr(number, &Env::new())?;
                DutyKind::MustMost(self.number_of(number), Vec::new())
            }
            rules::DutyKind::Must(event) => {
                let mut tests = Vec::new();
                for call in calls {
                    tests.push(if event.alternatives.iter().any(|(mv, _)| *mv == call.mv) {
                        let plan = self.plan(call.mv, duty.span)?;
                        let conditions: Vec<&Expr> =
                            event.alternatives.iter().filter_map(|(_, asked)| asked.as_ref()).collect();
                        let env = self.names(&plan, &conditions)?;
                        (self.event(event, call.mv, &env)?, Some(self.obliged(event, call, &plan)?))
                    } else {
                        (Test::Const(false), None)
                    });
                }
                DutyKind::Must(tests)
            }
        };
        Ok(Duty { kind, guard: self.shared_test(guard) })
    }
}

/// The steps of playing a ply without definitions that nothing behind them reads.
fn asked_for(body: &[Step], until: Option<&Test>, chronicles: &[Chronicle]) -> Vec<Step> {
    let mut kept: Vec<Step> = Vec::new();
    for step in body.iter().rev() {
        let mut read = |wanted: &dyn Fn(&Part<'_>) -> bool| {
            let mut found = until.is_some_and(|until| Part::Test(until).asks(wanted));
            for chronicle in chronicles {
                found |= match chronicle {
                    Chronicle::Note { when, .. } => Part::Test(when).asks(wanted),
                    Chronicle::Collect { sites, .. } => Part::Sets(sites).asks(wanted),
                    Chronicle::It { .. } => false,
                };
            }
            for step in &mut kept {
                step.parts_mut(&mut |part| {
                    found |= shared_part(&part).asks(wanted);
                });
            }
            found
        };
        let wanted = match step {
            Step::Let(slot, _) => read(&|part| matches!(part, Part::Int(Int::Slot(own)) if own == slot)),
            Step::LetSites(slot, _) => read(&|part| matches!(part, Part::Sets(Sets::Slot(own)) if own == slot)),
            Step::Change(_) | Step::Repeat(_) => true,
        };
        if wanted {
            kept.push(step.clone());
        }
    }
    kept.reverse();
    kept
}

/// Words of history ask about a ply in the state before it, in which definitions after a stage have no value yet.
fn check_history(plan: &MovePlan<'_>, until: Option<&Test>, chronicles: &[Chronicle]) -> Lowered<()> {
    let asked = chronicles.iter().filter_map(|chronicle| match chronicle {
        Chronicle::Note { when, .. } => Some(when),
        Chronicle::Collect { .. } | Chronicle::It { .. } => None,
    });
    let late = |step: &Step| until.into_iter().chain(asked.clone()).any(|test| reads_defined(test, step));
    let span = plan.mv.span;
    let stages = plan.body.iter().skip_while(|step| !matches!(step, Step::Change(_) | Step::Repeat(_)));
    if stages.into_iter().any(late) {
        return Err(Unsupported { what: "a definition after a stage, asked about by a word of history".into(), span });
    }
    // The engine notes what a ply fulfils in the bits of a word.
    if chronicles.len() > 64 {
        return Err(Unsupported { what: "more than 64 words of history about one move".into(), span });
    }
    Ok(())
}

/// Whether a test reads what a step gives a name.
fn reads_defined(test: &Test, step: &Step) -> bool {
    match step {
        Step::Let(slot, _) => test.reads(*slot),
        Step::LetSites(slot, _) => {
            Part::Test(test).asks(&|part| matches!(part, Part::Sets(Sets::Slot(own)) if own == slot))
        }
        Step::Change(_) | Step::Repeat(_) => false,
    }
}

/// What a value is whose number tells how it is printed.
fn printed_as(value: &Val) -> Option<Type> {
    match value {
        Val::Site(_) => Some(Type::Sites),
        Val::Number(_) => Some(Type::Number),
        Val::Direction(_) | Val::Directions(_) => Some(Type::Directions),
        Val::Player(_) | Val::Players(_) => Some(Type::Players),
        Val::Kind(_) | Val::Kinds(_) => Some(Type::Kinds),
        Val::Piece(_) => Some(Type::Piece),
        Val::Choice(_) => Some(Type::Choice),
        Val::Condition(..) => Some(Type::Condition),
        // Of sites the number tells one at most.
        Val::Sites(set) => has_one_at_most(set).then_some(Type::Sites),
        Val::Missing | Val::Range(..) | Val::List(_) => None,
    }
}
/// The slot of the only part of a move, where that is a site.
fn only_site(plan: &MovePlan<'_>) -> Option<u16> {
    let mut parts = plan.mv.parts();
    let (only, none) = (parts.next()?, parts.next());
    plan.parts.first().filter(|_| none.is_none() && only.ty == Type::Sites).map(|(_, slot)| *slot)
}

/// The number in a slot, if a test says which one it is by the part in another slot, and what else is asked.
fn told_number(test: &Test, slot: u16, part: u16) -> Option<(Int, Vec<Test>)> {
    let mut tests = conjuncts(test.clone());
    let number = |test: &Test| beside(test, CompareOp::Equal, slot).filter(|number| number.reads(part));
    let (at, number) = tests.iter().enumerate().find_map(|(at, test)| Some((at, number(test)?)))?;
    tests.remove(at);
    Some((number, tests))
}
