//! Moves and turns lowered: how the plies of each call are found, and what is done when one is played.

use super::build::*;
use super::ir::*;
use super::lower::{Env, Lowered, Lowering, Val};
use super::narrow::counted;
use super::numbering::Places;
use super::overlay::{Facts, Overlay, held};
use super::{
    Branch, Call, Chronicle, Duty, DutyKind, Ending, EndingResult, Generator, How, MAX_PARTS, Repeat, Step, Unsupported,
};
use crate::rules::{self, Change, ChangeKind, Edge, Event, Expr, MoveId, NodeKind, NotationPiece, Scope, Type};
use crate::source::Span;
use petgraph::graph::NodeIndex;
use std::collections::HashMap;

/// More ways through a move than this are followed one after the other.
const MAX_BRANCHES: usize = 64;

/// A line of a move, as the rule graph strings them together.
enum Line<'r> {
    Choose { local: rules::Local, domain: &'r Expr, conditions: &'r [Expr], guard: Option<&'r Expr> },
    Let { local: rules::Local, value: &'r Expr, guard: Option<&'r Expr> },
    Require(&'r Expr),
    Change(&'r [Change]),
    Repeat { times: &'r Expr, condition: Option<&'r Expr>, changes: &'r [Change] },
}

/// What else a call asks of its plies, on top of the lines of the move.
struct Asked<'r> {
    with: &'r [Expr],
    /// Of these one must hold; none that is unconditional is among them.
    one_of: Vec<&'r Expr>,
    by_it: Option<u16>,
    moved: Option<rules::Local>,
}

impl<'r> Lowering<'r> {
    fn lines(&self, mv: &rules::Move) -> Lowered<Vec<Line<'r>>> {
        let rules = self.rules;
        let strange = |span: Span| Unsupported { what: "a move of unusual form", span };
        let mut lines = Vec::new();
        let mut node = mv.entry;
        loop {
            let weight = rules.graph.node_weight(node).ok_or_else(|| strange(mv.span))?;
            let onward = rules.ways(node);
            match &weight.kind {
                NodeKind::Done => return Ok(lines),
                NodeKind::Move(_) => {}
                NodeKind::Choose { local, domain, conditions } => {
                    lines.push(Line::Choose { local: *local, domain, conditions, guard: None });
                }
                NodeKind::Let { local, value, guard } => {
                    lines.push(Line::Let { local: *local, value, guard: guard.as_ref() });
                }
                NodeKind::Require { condition, .. } => lines.push(Line::Require(condition)),
                NodeKind::Change(changes) => lines.push(Line::Change(changes)),
                NodeKind::Repeat { times, condition, changes } => {
                    lines.push(Line::Repeat { times, condition: condition.as_ref(), changes });
                }
                // A part with a condition: one way picks it, the other leaves it out, and both meet again.
                NodeKind::Fork if onward.len() == 2 => {
                    let yes = rules.graph.node_weight(onward[0].1).map(|node| &node.kind);
                    let Some(NodeKind::Guard { condition, holds: true }) = yes else {
                        return Err(strange(weight.span));
                    };
                    let choose = rules.ways(onward[0].1).first().map(|(_, next)| *next);
                    let choose = choose.ok_or_else(|| strange(weight.span))?;
                    let Some(NodeKind::Choose { local, domain, conditions }) =
                        rules.graph.node_weight(choose).map(|node| &node.kind)
                    else {
                        return Err(strange(weight.span));
                    };
                    lines.push(Line::Choose { local: *local, domain, conditions, guard: Some(condition) });
                    let join = rules.ways(choose).first().map(|(_, next)| *next);
                    node = join.ok_or_else(|| strange(weight.span))?;
                    continue;
                }
                NodeKind::Fork if onward.len() == 1 => {}
                _ => return Err(strange(weight.span)),
            }
            node = onward.first().map(|(_, next)| *next).ok_or_else(|| strange(weight.span))?;
        }
    }

    pub fn effects(&mut self, changes: &[Change], env: &Env) -> Lowered<Vec<Effect>> {
        let mut effects = Vec::new();
        for change in changes {
            match &change.kind {
                ChangeKind::Seats { one, other } => {
                    let Some(memory) = self.rules.seats else { continue };
                    let seat = |player: &rules::Expr| rules::ExprKind::Memory {
                        memory,
                        index: Some(Box::new(player.clone())),
                    };
                    for (to, from) in [(one, other), (other, one)] {
                        let value = rules::Expr { kind: seat(from), span: change.span };
                        let kind = ChangeKind::Remember { memory, index: Some(to.clone()), value };
                        effects.push(self.effect(&Change { kind, ..change.clone() }, env)?);
                    }
                }
                _ => effects.push(self.effect(change, env)?),
            }
        }
        Ok(effects)
    }

    fn effect(&mut self, change: &Change, env: &Env) -> Lowered<Effect> {
        if let Some((local, domain)) = &change.each {
            let domain = self.expr(domain, env)?;
            let slot = self.int_slot();
            let mut inner = env.clone();
            inner.set(*local, self.member(&domain, Int::Slot(slot)));
            let effect = Box::new(self.plain_effect(change, &inner)?);
            return Ok(Effect::Each { slot, domain: self.domain(domain), effect });
        }
        self.plain_effect(change, env)
    }

    fn plain_effect(&mut self, change: &Change, env: &Env) -> Lowered<Effect> {
        let guard = self.guard(change.guard.as_ref(), env)?;
        Ok(match &change.kind {
            ChangeKind::Becomes { target, piece } => {
                let target = self.sites(target, env)?;
                let piece = self.expr(piece, env)?;
                Effect::Put { target, piece: self.stored(Type::Piece, piece), guard }
            }
            ChangeKind::MoveTo { from, to, piece } => {
                let (from, to) = (self.expr(from, env)?, self.expr(to, env)?);
                let piece = match piece {
                    None => None,
                    Some(piece) => {
                        let piece = self.expr(piece, env)?;
                        Some(self.stored(Type::Piece, piece))
                    }
                };
                let from = self.site_of(from);
                // Where the only piece of a plane moves, it is known which.
                let piece = piece.or_else(|| match &from {
                    Int::Only(set) => match **set {
                        Sets::Planes(mask, When::Now) if mask.is_power_of_two() => {
                            Some(Int::Const(i64::from(mask.trailing_zeros())))
                        }
                        _ => None,
                    },
                    _ => None,
                });
                Effect::Move { from, to: self.site_of(to), piece, guard }
            }
            ChangeKind::Seats { .. } => return Err(Unsupported { what: "seats changed here", span: change.span }),
            ChangeKind::Remember { memory, index, value } => {
                let unknown = || Unsupported { what: "an unknown memory", span: change.span };
                let info = self.rules.memories.get(memory.0).ok_or_else(unknown)?;
                let place = *self.memories.get(memory.0).ok_or_else(unknown)?;
                let value = self.expr(value, env)?;
                if place.sites {
                    return Ok(Effect::SetSites { base: place.base, value: self.sets_of(value), guard });
                }
                let index = match (info.scope, index) {
                    (Scope::Game, _) => None,
                    (Scope::Player, Some(index)) => {
                        let index = self.expr(index, env)?;
                        Some(self.index_of(index))
                    }
                    (Scope::Site, Some(index)) => {
                        let index = self.expr(index, env)?;
                        Some(self.site_of(index))
                    }
                    _ => Some(Int::Const(NONE)),
                };
                Effect::Set {
                    base: place.base,
                    count: place.count,
                    index,
                    value: self.stored(info.ty, value),
                    range: info.range,
                    guard,
                }
            }
        })
    }

    /// A definition kept in slots, and the name that now stands for it.
    fn keep(&mut self, value: Val) -> (Vec<Step>, Val) {
        let mut steps = Vec::new();
        let mut int = |lowering: &mut Self, value: Int| {
            if let Int::Const(_) | Int::Slot(_) = value {
                return value;
            }
            let slot = lowering.int_slot();
            steps.push(Step::Let(slot, value));
            Int::Slot(slot)
        };
        let kept = match value {
            Val::Sites(Sets::Const(set)) => Val::Sites(Sets::Const(set)),
            Val::Sites(set) => {
                let slot = self.set_slot();
                steps.push(Step::LetSites(slot, set));
                Val::Sites(Sets::Slot(slot))
            }
            Val::Site(value) => Val::Site(int(self, value)),
            Val::Number(value) => Val::Number(int(self, value)),
            Val::Directions(value) => Val::Directions(int(self, value)),
            Val::Direction(value) => Val::Direction(int(self, value)),
            Val::Players(value) => Val::Players(int(self, value)),
            Val::Player(value) => Val::Player(int(self, value)),
            Val::Kinds(value) => Val::Kinds(int(self, value)),
            Val::Kind(value) => Val::Kind(int(self, value)),
            Val::Piece(value) => Val::Piece(int(self, value)),
            Val::Choice(value) => Val::Choice(int(self, value)),
            Val::Range(low, high) => {
                let low = int(self, low);
                Val::Range(low, int(self, high))
            }
            Val::List(list) => Val::List(list.into_iter().map(|value| int(self, value)).collect()),
            Val::Condition(yes, no) => match (&yes, &no) {
                (Test::Const(_), Test::Const(_)) => Val::Condition(yes, no),
                _ => {
                    let truth = int(self, Int::Truth(Box::new(yes), Box::new(no)));
                    Val::Condition(
                        compare(rules::CompareOp::Equal, truth.clone(), Int::Const(1)),
                        compare(rules::CompareOp::Equal, truth, Int::Const(0)),
                    )
                }
            },
            Val::Missing => Val::Missing,
        };
        (steps, kept)
    }

    fn guarded(&mut self, value: Val, guard: Option<&Expr>, env: &Env, span: Span) -> Lowered<Val> {
        let Some(guard) = guard else { return Ok(value) };
        let test = self.holds(guard, env)?;
        match test {
            Test::Const(true) => Ok(value),
            Test::Const(false) => Ok(Val::Missing),
            test => self.either(test, value, Val::Missing, span),
        }
    }

    /// One call of a move: at a node of the turn, or anywhere for a duty.
    pub fn call(&mut self, node: NodeIndex, call: &'r rules::Call, places: &Places) -> Lowered<Call> {
        let rules = self.rules;
        self.begin(0);
        let unknown = |span| Unsupported { what: "an unknown move", span };
        let span =
            rules.graph.node_weight(node).map_or(rules.turns.first().map(|turn| turn.span), |node| Some(node.span));
        let Some(mv) = rules.moves.get(call.mv.0) else {
            return Err(unknown(span.ok_or(Unsupported { what: "no turn", span: rules.words[0].span })?));
        };
        let lines = self.lines(mv)?;
        let locals: Vec<rules::Local> = mv.names.iter().filter(|name| name.part).map(|name| name.local).collect();
        if locals.len() > MAX_PARTS {
            return Err(Unsupported { what: "more parts than fit a ply", span: mv.span });
        }
        let slots: HashMap<usize, u16> = locals.iter().map(|local| (local.0, self.int_slot())).collect();
        let by_it = if call.by_it { self.it_set() } else { None };
        let asked = Asked { with: &call.with, one_of: Vec::new(), by_it, moved: mv.moved };
        let generator = self.generator(&lines, 0, &Env::new(), &slots, &asked, false)?;

        let facts = self.facts.clone();
        // Played: the parts stand in their slots, definitions are kept in slots of their own.
        let mut env = Env::new();
        let mut body = Vec::new();
        for line in &lines {
            match line {
                Line::Choose { local, domain, .. } => {
                    let domain = self.expr(domain, &env)?;
                    let slot = slots.get(&local.0).copied().unwrap_or(0);
                    env.set(*local, self.member(&domain, Int::Slot(slot)));
                }
                Line::Let { local, value, guard } => {
                    let value = self.expr(value, &env)?;
                    let value = self.guarded(value, *guard, &env, mv.span)?;
                    let (steps, kept) = self.keep(value);
                    body.extend(steps);
                    env.set(*local, kept);
                }
                Line::Require(_) => {}
                Line::Change(changes) => {
                    body.push(Step::Change(self.effects(changes, &env)?));
                    // What is known of pieces holds up to here only.
                    self.forget_pieces();
                }
                Line::Repeat { times, condition, changes } => {
                    self.forget_pieces();
                    let repeat = self.repeat(times, *condition, changes, &env)?;
                    body.push(Step::Repeat(repeat));
                }
            }
        }
        let early = Env { when: When::Before, ..env.clone() };
        let until = match &call.until {
            None => None,
            Some(until) => Some(self.holds(until, &early)?),
        };
        let next = |wanted: Edge| -> Vec<u16> {
            places.numbers(rules.ways(node).into_iter().filter(|(edge, _)| *edge == wanted).map(|(_, next)| next))
        };
        let chronicles = self.chronicles(call.mv, &early)?;
        let late = body.iter().skip_while(|step| !matches!(step, Step::Change(_) | Step::Repeat(_)));
        let asks = until.as_ref().is_some_and(|until| !matches!(until, Test::Const(_)))
            || chronicles
                .iter()
                .any(|chronicle| matches!(chronicle, Chronicle::Note { when, .. } if !matches!(when, Test::Const(_))));
        if asks && late.clone().any(|step| matches!(step, Step::Let(..) | Step::LetSites(..))) {
            return Err(Unsupported {
                what: "a definition after a stage, asked about by a word of history",
                span: mv.span,
            });
        }
        // The engine notes what a ply fulfils in the bits of a word.
        if chronicles.len() > 64 {
            return Err(Unsupported { what: "more than 64 words of history about one move", span: mv.span });
        }
        let mut shown = Vec::new();
        for piece in &mv.notation {
            if let NotationPiece::Value { value, .. } = piece {
                shown.push(match self.expr(value, &early)? {
                    value @ (Val::Sites(_) | Val::Site(_)) => self.site_of(value),
                    Val::Condition(yes, no) => Int::Truth(Box::new(yes), Box::new(no)),
                    Val::Number(value) | Val::Piece(value) | Val::Choice(value) => value,
                    other => self.mask_of(other),
                });
            }
        }
        Ok(Call {
            shown,
            reads_before: super::turns::reads_before(&body),
            takes: self.takes(&body, &facts),
            mv: call.mv,
            parts: locals.iter().filter_map(|local| slots.get(&local.0).copied()).collect(),
            may_repeat: self.hides(mv) && !self.told_apart(mv, &generator, &slots),
            generator: self.shared_generator(generator),
            body,
            until,
            next: next(Edge::Next),
            until_next: next(Edge::Until),
            chronicles,
        })
    }

    /// The planes from which the steps of a move may take a piece.
    fn takes(&self, body: &[Step], facts: &Facts) -> u64 {
        let all = self.ground.planes;
        let mut takes = 0;
        // What is known of sites holds before the first stage.
        let (nothing, mut known) = (Facts::new(), facts);
        for step in body {
            let effects = match step {
                Step::Let(..) | Step::LetSites(..) => continue,
                Step::Change(effects) => effects,
                Step::Repeat(_) => return all,
            };
            for effect in effects {
                takes |= match effect {
                    Effect::Put { target, .. } => held(target, known, all),
                    Effect::Move { from, to, .. } => {
                        held(&one(from.clone()), known, all) | held(&one(to.clone()), known, all)
                    }
                    Effect::Set { .. } | Effect::SetSites { .. } => 0,
                    Effect::Each { .. } => all,
                };
            }
            known = &nothing;
        }
        takes
    }

    fn repeat(&mut self, times: &Expr, condition: Option<&Expr>, changes: &[Change], env: &Env) -> Lowered<Repeat> {
        let times = self.expr(times, env)?;
        Ok(Repeat {
            times: self.number_of(times),
            condition: self.guard(condition, env)?,
            effects: self.effects(changes, env)?,
        })
    }

    fn it_set(&self) -> Option<u16> {
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

    fn generator(
        &mut self,
        lines: &[Line<'r>],
        at: usize,
        env: &Env,
        slots: &HashMap<usize, u16>,
        asked: &Asked<'_>,
        staged: bool,
    ) -> Lowered<Generator> {
        let Some(line) = lines.get(at) else {
            let test = self.asked(asked, env, staged)?;
            return Ok(guarded_by(test, Generator::One));
        };
        let next = at + 1;
        match line {
            Line::Choose { local, domain, conditions, guard } => {
                let slot = slots.get(&local.0).copied().unwrap_or(0);
                let span = domain.span;
                self.at = span;
                let domain = self.expr(domain, env)?;
                // Where the part may be left out, nothing is known behind both ways but what was known before.
                let before = guard.map(|_| self.facts.clone());
                self.bind(slot, &domain);
                let mut inner = env.clone();
                inner.set(*local, self.member(&domain, Int::Slot(slot)));
                let mut tests = Vec::new();
                for condition in *conditions {
                    tests.push(self.holds(condition, &inner)?);
                }
                let rest = self.generator(lines, next, &inner, slots, asked, staged)?;
                self.at = conditions.first().map_or(span, |condition| condition.span);
                let chosen = self.chosen(slot, self.domain(domain), and(tests), rest);
                match guard {
                    None => Ok(chosen),
                    Some(guard) => match self.holds(guard, env)? {
                        Test::Const(true) => Ok(chosen),
                        test => {
                            let before = before.unwrap_or_default();
                            self.facts.clone_from(&before);
                            let mut without = env.clone();
                            without.set(*local, Val::Missing);
                            let left_out = self.generator(lines, next, &without, slots, asked, staged)?;
                            self.facts = before;
                            let left_out = Generator::Let(slot, Int::Const(NONE), Box::new(left_out));
                            Ok(match test {
                                Test::Const(false) => left_out,
                                test => Generator::If(test, Box::new(chosen), Box::new(left_out)),
                            })
                        }
                    },
                }
            }
            Line::Let { local, value, guard } => {
                let value = self.expr(value, env)?;
                let value = self.guarded(value, *guard, env, lines_span(self.rules))?;
                let mut inner = env.clone();
                // What a stage changes may not be read again later: before one, definitions are kept.
                let stage = lines[next..].iter().position(|line| matches!(line, Line::Change(_) | Line::Repeat { .. }));
                if stage.is_some_and(|stage| lines.len() > next + stage + 1) {
                    let (steps, kept) = self.keep(value);
                    inner.set(*local, kept);
                    let rest = self.generator(lines, next, &inner, slots, asked, staged)?;
                    return Ok(steps.into_iter().rev().fold(rest, |rest, step| match step {
                        Step::Let(slot, value) => Generator::Let(slot, value, Box::new(rest)),
                        Step::LetSites(slot, value) => Generator::LetSites(slot, value, Box::new(rest)),
                        Step::Change(_) | Step::Repeat(_) => rest,
                    }));
                }
                inner.set(*local, value);
                self.generator(lines, next, &inner, slots, asked, staged)
            }
            Line::Require(condition) => {
                let test = self.holds(condition, env)?;
                let rest = self.generator(lines, next, env, slots, asked, staged)?;
                Ok(guarded_by(test, rest))
            }
            Line::Change(changes) => {
                let effects = self.effects(changes, env)?;
                let test = self.can_apply(&effects);
                // What is known of pieces holds up to here only.
                let facts = self.forget_pieces();
                if lines[next..].iter().any(deciding) || !self.rest_is_sure(&lines[next..], env)? {
                    let rest = self.generator(lines, next, env, slots, asked, true)?;
                    let overlaid =
                        Overlay::of(self, &effects, &facts, !staged).and_then(|stage| stage.generator(&rest));
                    self.facts = facts;
                    let rest = match overlaid {
                        Some(rest) => rest,
                        None => {
                            self.at = changes.first().map_or(self.at, |change| change.span);
                            self.note(How::Copies);
                            Generator::Stage(effects, Box::new(rest))
                        }
                    };
                    return Ok(guarded_by(test, rest));
                }
                self.facts = facts;
                let asked = self.asked(asked, env, staged)?;
                Ok(guarded_by(and(vec![asked, test]), Generator::One))
            }
            Line::Repeat { times, condition, changes } => {
                let facts = self.forget_pieces();
                let repeat = self.repeat(times, *condition, changes, env)?;
                let rest = self.generator(lines, next, env, slots, asked, true)?;
                self.facts = facts;
                self.at = times.span;
                self.note(How::Copies);
                Ok(Generator::Repeat(repeat, Box::new(rest)))
            }
        }
    }

    /// Whether nothing that comes can make the move unlawful.
    fn rest_is_sure(&mut self, lines: &[Line<'r>], env: &Env) -> Lowered<bool> {
        for line in lines {
            match line {
                Line::Let { .. } => {}
                Line::Change(changes) => {
                    // Definitions after a stage are not known here; only changes that need none are sure.
                    let effects = self.effects(changes, env)?;
                    if self.can_apply(&effects) != Test::Const(true) || effects.len() > 1 {
                        return Ok(false);
                    }
                }
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Picks a part: as one set at the end of a move, by functions of the first part, or one after the other.
    fn chosen(&mut self, slot: u16, domain: Domain, test: Test, rest: Generator) -> Generator {
        // What does not depend on the part is asked once.
        let (test, before): (Vec<Test>, Vec<Test>) = conjuncts(test).into_iter().partition(|test| test.reads(slot));
        let test = and(test);
        if !before.is_empty() {
            return guarded_by(and(before), self.chosen(slot, domain, test, rest));
        }
        let Domain::Sites(set) = domain else {
            return Generator::Loop { slot, domain, tests: conjuncts(test), inner: Box::new(rest) };
        };
        match rest {
            Generator::One => return Generator::Leaf { slot, set: self.filtered(slot, set, test) },
            Generator::Test(last, inner) if matches!(*inner, Generator::One) => {
                let (last, before): (Vec<Test>, Vec<Test>) =
                    conjuncts(last).into_iter().partition(|test| test.reads(slot));
                let last = and(last);
                if !before.is_empty() {
                    let rest = guarded_by(last, Generator::One);
                    return guarded_by(and(before), self.chosen(slot, Domain::Sites(set), test, rest));
                }
                return Generator::Leaf { slot, set: self.filtered(slot, set, and(vec![test, last])) };
            }
            _ => {}
        }
        if let Some(branches) = self.fanned(slot, &set, &test, &rest) {
            return Generator::Fan { slot, branches };
        }
        let set = match self.leading_somewhere(slot, &rest) {
            Some(leading) => self.ground.and(vec![set, leading]),
            None => set,
        };
        let set = self.filtered(slot, set, test);
        Generator::Loop { slot, domain: Domain::Sites(set), tests: Vec::new(), inner: Box::new(rest) }
    }

    /// The sites for which there may be a next part, where that is a piece: most pieces have none to take.
    fn leading_somewhere(&self, slot: u16, rest: &Generator) -> Option<Sets> {
        let next = match rest {
            Generator::Loop { domain: Domain::Sites(set), .. } | Generator::Leaf { set, .. } => set,
            Generator::Test(_, inner) => return self.leading_somewhere(slot, inner),
            _ => return None,
        };
        if !next.reads(slot) || held(next, &self.facts, self.ground.planes) & 1 != 0 {
            return None;
        }
        self.perhaps_any(next, slot)
    }

    /// The sites for which a set may have a member; the more parts of it can be lifted the fewer.
    fn perhaps_any(&self, set: &Sets, slot: u16) -> Option<Sets> {
        let parts = match set {
            Sets::Filter { domain, .. } => return self.perhaps_any(domain, slot),
            Sets::And(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        let (own, rest): (Vec<Sets>, Vec<Sets>) = parts.into_iter().partition(|part| part.reads(slot));
        own.into_iter().find_map(|part| {
            let mut all = rest.clone();
            all.push(part);
            self.lift_any(&self.ground.and(all), slot)
        })
    }

    /// The rest of a move as branches, in each of which further parts are steps from the site in the slot, or constants.
    fn fanned(&mut self, slot: u16, set: &Sets, test: &Test, rest: &Generator) -> Option<Vec<Branch>> {
        let own = self.lift(test, slot)?;
        let whole = self.ground.and(vec![set.clone(), own]);
        let mut branches = Vec::new();
        for (tests, derived) in self.paths(slot, rest)? {
            // What cannot be lifted is asked site by site, but not of all sites.
            let lifts = |test: &Test| test.reads(slot) && self.lift(test, slot).is_some();
            let conditions: Vec<Test> = tests.into_iter().flat_map(conjuncts).collect();
            if !conditions.is_empty() && !conditions.iter().any(lifts) {
                return None;
            }
            let set = self.filtered(slot, whole.clone(), and(conditions));
            if set != nothing() {
                branches.push(Branch { set, derived });
            }
        }
        Some(branches)
    }

    /// Every way through the rest of a move, with what is asked on it.
    #[allow(clippy::type_complexity)]
    fn paths(&self, slot: u16, rest: &Generator) -> Option<Vec<(Vec<Test>, Vec<(u16, Int)>)>> {
        match rest {
            Generator::One => Some(vec![(Vec::new(), Vec::new())]),
            Generator::Test(test, inner) => {
                let mut paths = self.paths(slot, inner)?;
                let asked: Vec<Test> =
                    conjuncts(test.clone()).into_iter().filter(|test| !self.applies(test, slot)).collect();
                paths.iter_mut().for_each(|(tests, _)| tests.extend(asked.iter().cloned()));
                Some(paths)
            }
            Generator::Leaf { slot: part, set } => self.spread(slot, *part, set, &Generator::One),
            Generator::Loop { slot: part, domain: Domain::Sites(set), tests, inner } => {
                let inner = guarded_by(and(tests.clone()), (**inner).clone());
                self.spread(slot, *part, set, &inner)
            }
            Generator::Loop { slot: part, domain: Domain::Mask(Int::Const(mask)), tests, inner } => {
                let mut all = Vec::new();
                for member in members(*mask) {
                    let member = Int::Const(member);
                    let mut rest = guarded_by(and(tests.clone()), (**inner).clone());
                    substitute(&mut rest, &|int| match int {
                        Int::Slot(slot) if slot == part => Some(member.clone()),
                        Int::Make(kind, owner) => match (&**kind, &**owner) {
                            (Int::Const(kind), Int::Const(owner)) => self.made(*kind, *owner),
                            _ => None,
                        },
                        _ => None,
                    });
                    for (tests, mut derived) in self.paths(slot, &rest)? {
                        derived.insert(0, (*part, member.clone()));
                        all.push((tests, derived));
                    }
                }
                (all.len() <= MAX_BRANCHES).then_some(all)
            }
            _ => None,
        }
    }

    /// A part whose sites are steps from the one in the slot: one way for each step.
    #[allow(clippy::type_complexity)]
    fn spread(&self, slot: u16, part: u16, set: &Sets, rest: &Generator) -> Option<Vec<(Vec<Test>, Vec<(u16, Int)>)>> {
        // What is asked of single sites is asked on each way.
        let (mut set, mut asked) = (set, Vec::new());
        while let Sets::Filter { slot: inner, domain, test } = set {
            asked.push((*inner, &**test));
            set = domain;
        }
        let mut all = Vec::new();
        for (site, within) in self.spots(slot, set)? {
            let mut rest = rest.clone();
            substitute(&mut rest, &|int| (*int == Int::Slot(part)).then(|| site.clone()));
            let mut here = vec![contains(within.clone(), site.clone())];
            for (inner, test) in &asked {
                let mut test = (*test).clone();
                put_in(PartMut::Test(&mut test), *inner, &site);
                here.extend(conjuncts(test).into_iter().filter(|test| !self.applies(test, slot)));
            }
            for (mut tests, mut derived) in self.paths(slot, &rest)? {
                tests.extend(here.iter().cloned());
                derived.insert(0, (part, site.clone()));
                all.push((tests, derived));
            }
        }
        Some(all)
    }

    /// A set as steps from the site in the slot, each with the set it must fall into; no two steps lead to one site.
    fn spots(&self, slot: u16, set: &Sets) -> Option<Vec<(Int, Sets)>> {
        let everything = self.ground.everything();
        match set {
            Sets::One(site) if chain(site, slot) => Some(vec![((**site).clone(), everything)]),
            Sets::Near(site) if **site == Int::Slot(slot) && self.steps_are_neighbours => Some(
                super::lower::ways_of(self)
                    .map(|way| (Int::Step(way, site.clone()), everything.clone()))
                    .collect(),
            ),
            Sets::Near(site) if chain(site, slot) && self.steps_are_neighbours => None,
            Sets::And(parts) => {
                let at = parts.iter().position(|part| self.spots(slot, part).is_some())?;
                let mut rest = parts.clone();
                let spots = self.spots(slot, &rest.remove(at))?;
                let rest = self.ground.and(rest);
                if rest.reads(slot) {
                    return None;
                }
                Some(
                    spots
                        .into_iter()
                        .map(|(site, within)| (site, self.ground.and(vec![within, rest.clone()])))
                        .collect(),
                )
            }
            Sets::Or(parts) => {
                let mut all: Vec<(Int, Sets)> = Vec::new();
                for part in parts {
                    for (site, within) in self.spots(slot, part)? {
                        match all.iter_mut().find(|(known, _)| *known == site) {
                            Some((_, known)) => *known = self.ground.or(vec![known.clone(), within]),
                            None => all.push((site, within)),
                        }
                    }
                }
                if self.rings { None } else { Some(all) }
            }
            _ => None,
        }
    }

    /// Whether a stage can surely be made: its sites are different steps from the one in the slot.
    fn applies(&self, test: &Test, slot: u16) -> bool {
        let Test::CanApply(effects) = test else { return false };
        let mut sites = Vec::new();
        for effect in effects {
            match effect {
                Effect::Put { target: Sets::One(site), piece, .. } if self.is_sure(piece) => sites.push(&**site),
                Effect::Move { to, piece, .. } if piece.as_ref().is_none_or(|piece| self.is_sure(piece)) => {
                    sites.push(to)
                }
                Effect::Set { .. } | Effect::SetSites { .. }
                    if self.can_apply(std::slice::from_ref(effect)) == Test::Const(true) => {}
                _ => return false,
            }
        }
        let leads = |int: &Int| chain(int, slot);
        let froms = effects.iter().all(|effect| !matches!(effect, Effect::Move { from, .. } if !chain(from, slot)));
        froms
            && sites.iter().all(|site| leads(site))
            && self.rules.board.all().iter().all(|from| {
                let mut seen: Vec<_> = sites.iter().filter_map(|site| self.follow(from, site)).collect();
                let count = seen.len();
                seen.sort_unstable();
                seen.dedup();
                seen.len() == count
            })
    }

    /// Where a chain of steps leads from a site.
    fn follow(&self, from: crate::board::Site, int: &Int) -> Option<crate::board::Site> {
        match int {
            Int::Step(way, inner) => {
                let at = self.follow(from, inner)?;
                self.rules.board.step(at, crate::board::Direction::from_index(usize::from(*way))?)
            }
            _ => Some(from),
        }
    }

    /// Whether a part is not printed.
    fn hides(&self, mv: &rules::Move) -> bool {
        mv.names.iter().any(|named| named.part && !shown(mv, named.local))
    }

    /// Whether plies that differ in a part that is not printed differ in one that is.
    fn told_apart(&self, mv: &rules::Move, generator: &Generator, slots: &HashMap<usize, u16>) -> bool {
        let Generator::Fan { slot, branches } = generator else { return false };
        let shown_slots: Vec<u16> = mv
            .names
            .iter()
            .filter(|named| named.part && shown(mv, named.local))
            .filter_map(|named| slots.get(&named.local.0).copied())
            .collect();
        if !shown_slots.contains(slot) {
            return false;
        }
        // Where each branch leads, site by site: no two may print the same.
        let board = &self.rules.board;
        let follow = |site, int: &Int| self.follow(site, int);
        board.all().iter().all(|site| {
            let mut seen = Vec::new();
            branches.iter().all(|branch| {
                let printed: Vec<_> = branch
                    .derived
                    .iter()
                    .filter(|(slot, _)| shown_slots.contains(slot))
                    .map(|(_, int)| follow(site, int))
                    .collect();
                let off = branch.derived.iter().any(|(_, int)| follow(site, int).is_none());
                let new = !seen.contains(&printed);
                seen.push(printed);
                off || new
            })
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

    /// The names of a move as they stand after its parts have been put into slots.
    fn names(&mut self, call: &rules::Call) -> Lowered<Env> {
        let rules = self.rules;
        let mut env = Env::new();
        let Some(mv) = rules.moves.get(call.mv.0) else { return Ok(env) };
        let locals: Vec<rules::Local> = mv.names.iter().filter(|name| name.part).map(|name| name.local).collect();
        for line in &self.lines(mv)? {
            match line {
                Line::Choose { local, domain, .. } => {
                    let domain = self.expr(domain, &env)?;
                    let slot = (0..).zip(&locals).find(|(_, known)| *known == local).map_or(0, |(slot, _)| slot);
                    env.set(*local, self.member(&domain, Int::Slot(slot)));
                }
                Line::Let { local, value, guard } => {
                    let value = self.expr(value, &env)?;
                    let value = self.guarded(value, *guard, &env, mv.span)?;
                    env.set(*local, value);
                }
                _ => {}
            }
        }
        Ok(env)
    }

    /// How those plies of a call are found that an event speaks of; none if it does not speak of the move.
    fn obliged(&mut self, event: &'r Event, call: &'r rules::Call) -> Lowered<Option<Generator>> {
        let rules = self.rules;
        let alternatives: Vec<_> = event.alternatives.iter().filter(|(mv, _)| *mv == call.mv).collect();
        let Some(mv) = rules.moves.get(call.mv.0).filter(|_| !alternatives.is_empty()) else { return Ok(None) };
        let free = alternatives.iter().any(|(_, condition)| condition.is_none());
        let one_of = alternatives.iter().filter_map(|(_, condition)| condition.as_ref().filter(|_| !free)).collect();
        let lines = self.lines(mv)?;
        let locals = mv.names.iter().filter(|name| name.part).map(|name| name.local.0);
        let slots: HashMap<usize, u16> = locals.zip(0..).collect();
        let by_it = if call.by_it { self.it_set() } else { None };
        let asked = Asked { with: &call.with, one_of, by_it, moved: mv.moved };
        let generator = self.generator(&lines, 0, &Env::new(), &slots, &asked, false)?;
        Ok(Some(self.shared_generator(generator)))
    }

    pub fn duty(&mut self, duty: &'r rules::Duty, calls: &[&'r rules::Call]) -> Lowered<Duty> {
        let guard = self.guard(duty.guard.as_ref(), &Env::new())?;
        let kind = match &duty.kind {
            rules::DutyKind::ExtraTurn => DutyKind::ExtraTurn,
            rules::DutyKind::MustMost(number) => {
                let number = self.expr(number, &Env::new())?;
                DutyKind::MustMost(self.number_of(number), Vec::new())
            }
            rules::DutyKind::Must(event) => {
                let mut tests = Vec::new();
                for call in calls {
                    self.begin(MAX_PARTS);
                    let env = self.names(call)?;
                    let test = self.event(event, call.mv, &env)?;
                    let generator = self.obliged(event, call)?;
                    tests.push((test, generator));
                }
                DutyKind::Must(tests)
            }
        };
        Ok(Duty { kind, guard })
    }

    pub fn ending(&mut self, line: usize, ending: &rules::Ending) -> Lowered<Vec<Ending>> {
        let count = self.rules.players.len();
        let single = |result, condition| Ending { result, at_once: ending.at_once, condition, line };
        let env = Env::new();
        if let rules::EndingResult::AnyPlayer { local, wins } = &ending.result {
            // Tried for every player, the mover first.
            let mut all = Vec::new();
            for step in 0..count {
                let player = (usize::from(self.mover.0) + step) % count;
                let mut env = Env::new();
                env.set(*local, Val::Player(counted(player)));
                let condition = self.guard(ending.condition.as_ref(), &env)?;
                let condition = self.rows_of_new(condition);
                let condition = self.shared_test(condition);
                let players = Int::Const(1 << player);
                all.push(single(EndingResult::Players { players, wins: *wins }, condition));
            }
            return Ok(all);
        }
        self.at = ending.span;
        let condition = self.guard(ending.condition.as_ref(), &env)?;
        let condition = self.rows_of_new(condition);
        let condition = self.shared_test(condition);
        let result = match &ending.result {
            rules::EndingResult::Draw => EndingResult::Draw,
            rules::EndingResult::BestScore => EndingResult::BestScore,
            rules::EndingResult::LowestScore => EndingResult::LowestScore,
            rules::EndingResult::Ranks(by) => {
                let mover = self.mover;
                let mut ranks = Vec::new();
                for player in (0..).map(rules::PlayerId).take(count) {
                    self.mover = player;
                    let value = self.expr(by, &env);
                    self.mover = mover;
                    ranks.push(self.number_of(value?));
                }
                EndingResult::Ranks(ranks)
            }
            rules::EndingResult::Player { player, wins } => {
                let player = self.expr(player, &env)?;
                EndingResult::Players { players: self.mask_of(player), wins: *wins }
            }
            rules::EndingResult::AnyPlayer { .. } => EndingResult::Draw,
        };
        Ok(vec![single(result, condition)])
    }

    pub fn scores(&mut self) -> Lowered<Vec<Int>> {
        let rules = self.rules;
        let Some(word) = rules.score.and_then(|score| rules.words.get(score.0)) else { return Ok(Vec::new()) };
        let mut scores = Vec::new();
        for player in 0..rules.players.len() {
            let locals = vec![Val::Player(counted(player))];
            let value = self.expr(&word.body, &Env { locals, when: When::Now })?;
            scores.push(self.number_of(value));
        }
        Ok(scores)
    }
}

fn shown(mv: &rules::Move, local: rules::Local) -> bool {
    mv.notation.iter().any(|piece| {
        matches!(piece, NotationPiece::Value { value, .. }
            if matches!(value.kind, rules::ExprKind::Local(shown) if shown == local))
    })
}

fn lines_span(rules: &rules::Rules) -> Span {
    rules.moves.first().map_or(rules.turns[0].span, |mv| mv.span)
}

/// Whether a line decides if a move is lawful, or how.
fn deciding(line: &Line<'_>) -> bool {
    matches!(line, Line::Choose { .. } | Line::Require(_))
}

fn guarded_by(test: Test, rest: Generator) -> Generator {
    match (test, rest) {
        (Test::Const(true), rest) => rest,
        (test, Generator::Test(other, inner)) => Generator::Test(and(vec![test, other]), inner),
        (test, rest) => Generator::Test(test, Box::new(rest)),
    }
}

fn conjuncts(test: Test) -> Vec<Test> {
    match test {
        Test::And(parts) => parts,
        Test::Const(true) => Vec::new(),
        other => vec![other],
    }
}

/// Whether a number is a chain of steps from the site in a slot.
fn chain(int: &Int, slot: u16) -> bool {
    match int {
        Int::Slot(own) => *own == slot,
        Int::Step(_, inner) => chain(inner, slot),
        _ => false,
    }
}

/// Puts others in the place of the numbers that a function knows of, throughout a generator.
fn substitute(generator: &mut Generator, known_as: &dyn Fn(&Int) -> Option<Int>) {
    match generator {
        Generator::One | Generator::Stage(..) | Generator::Repeat(..) => {}
        Generator::Leaf { set, .. } => refold(PartMut::Sets(set), known_as),
        Generator::Fan { branches, .. } => {
            for branch in branches {
                refold(PartMut::Sets(&mut branch.set), known_as);
            }
        }
        Generator::Loop { domain, tests, inner, .. } => {
            domain.parts_mut(&mut |part| refold(part, known_as));
            tests.iter_mut().for_each(|test| refold(PartMut::Test(test), known_as));
            substitute(inner, known_as);
        }
        Generator::Test(test, inner) => {
            refold(PartMut::Test(test), known_as);
            substitute(inner, known_as);
        }
        Generator::If(test, yes, no) => {
            refold(PartMut::Test(test), known_as);
            substitute(yes, known_as);
            substitute(no, known_as);
        }
        Generator::Let(_, int, inner) => {
            refold(PartMut::Int(int), known_as);
            substitute(inner, known_as);
        }
        Generator::LetSites(_, set, inner) => {
            refold(PartMut::Sets(set), known_as);
            substitute(inner, known_as);
        }
    }
}
