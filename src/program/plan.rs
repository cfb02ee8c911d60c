//! The lines of a move lowered, once for each player: what its calls and the duties about it look for is made of this, and so
//! is what it does.

use super::build::{and, compare, only};
use super::conditions::known;
use super::frame::Knowledge;
use super::ir::*;
use super::lower::{Env, FrameSize, Lowered, Lowering};
use super::narrow::narrow;
use super::values::Val;
use super::{MAX_PARTS, Repeat, Step, Unsupported};
use crate::rules::{self, Change, ChangeKind, CompareOp, Expr, ExprKind, Local, MoveId, NodeKind};
use crate::source::Span;
use petgraph::graph::NodeIndex;
use std::rc::Rc;

/// A definition of more instructions than this is worked out once and kept, where others are written out at each use, to be
/// asked of all parts at once.
const LARGE: usize = 300;

/// So many numbers at most are gone through up to an end that play tells, each of them known.
const FEW_NUMBERS: i64 = 8;

/// A move lowered for one player.
pub(super) struct MovePlan<'r> {
    pub id: MoveId,
    pub mv: &'r rules::Move,
    /// The slots of its parts, in the order of the text, with those that only witness that a ply is legal behind the others.
    pub parts: Vec<(Local, u16)>,
    /// How its plies are looked for.
    pub line: Line,
    /// What its parts are, and nothing of its definitions.
    pub picked: Env,
    /// What is done when it is played, with the names as they stand then: definitions have slots of their own.
    pub body: Vec<Step>,
    pub played: Env,
    /// What is known of its parts before that is done, and when it is.
    pub before: Knowledge,
    pub known: Knowledge,
    /// The planes from which playing it may take a piece.
    pub takes: u64,
    /// The slots of a frame that all this has taken.
    pub slots: FrameSize,
}

impl MovePlan<'_> {
    /// Whether a part only witnesses that a ply is legal.
    pub fn is_witness(&self, part: Local) -> bool {
        self.mv.names.iter().any(|name| name.local == part && name.witness)
    }

    /// The slots of the parts that only witness that a ply is legal.
    pub fn witnesses(&self) -> Vec<u16> {
        self.parts.iter().filter(|(local, _)| self.is_witness(*local)).map(|(_, slot)| *slot).collect()
    }
}

/// A line of a move and those after it.
pub(super) enum Line {
    /// One of a domain is picked; `at` is the clause to blame where that is slow.
    Part {
        slot: u16,
        domain: Domain,
        test: Test,
        at: Span,
        rest: Box<Line>,
    },
    /// A part that is picked or left out; none is picked where the guard never holds. Behind both ways nothing is known but
    /// what was known before.
    Guarded {
        guard: Test,
        slot: u16,
        picked: Option<Box<Line>>,
        left_out: Box<Line>,
        known: Knowledge,
    },
    /// Definitions that later stages must not change.
    Keep(Vec<Step>, Box<Line>),
    Require(Test, Box<Line>),
    /// A stage, the test that it can be made, and what holds before it.
    Change {
        effects: Vec<Effect>,
        test: Test,
        here: Here,
        at: Span,
        rest: Box<Line>,
    },
    /// Changes made again and again; the test of the first that may fail in some state, without which nothing need be tried.
    Repeat {
        repeat: Repeat,
        open: Option<Test>,
        here: Here,
        at: Span,
        rest: Box<Line>,
    },
    Done(Here),
}

/// The names at a place of a move, and what is known of its parts there.
pub(super) struct Here {
    pub env: Env,
    pub known: Knowledge,
}

impl Line {
    /// Whether nothing from here on can make the move illegal.
    pub fn is_sure(&self) -> bool {
        match self {
            Self::Done(_) => true,
            Self::Keep(_, rest) => rest.is_sure(),
            Self::Change { test, rest, .. } => *test == Test::Const(true) && rest.is_sure(),
            Self::Repeat { open, rest, .. } => open.is_none() && rest.is_sure(),
            Self::Part { .. } | Self::Guarded { .. } | Self::Require(..) => false,
        }
    }

    /// The same behind definitions that are kept.
    fn after(self, kept: Vec<Step>) -> Self {
        if kept.is_empty() { self } else { Self::Keep(kept, Box::new(self)) }
    }

    /// The first condition from here on that may make the move illegal.
    pub fn doubt(&self) -> Option<&Test> {
        match self {
            Self::Done(_) => None,
            Self::Keep(_, rest) => rest.doubt(),
            Self::Repeat { open, rest, .. } => open.as_ref().or_else(|| rest.doubt()),
            Self::Change { test: Test::Const(true), rest, .. } => rest.doubt(),
            Self::Change { test, .. } | Self::Part { test, .. } | Self::Require(test, _) => Some(test),
            Self::Guarded { picked, left_out, .. } => {
                picked.as_ref().and_then(|picked| picked.doubt()).or_else(|| left_out.doubt())
            }
        }
    }
}

impl<'r> Lowering<'r> {
    /// A move lowered now, unless it was before. Its slots are taken from the beginning of a frame.
    pub fn plan(&mut self, id: MoveId, span: Span) -> Lowered<Rc<MovePlan<'r>>> {
        let plan = match self.plans.get(&id) {
            Some(plan) => Rc::clone(plan),
            None => {
                let plan = Rc::new(self.planned(id, span)?);
                self.plans.insert(id, Rc::clone(&plan));
                plan
            }
        };
        self.begin(plan.slots);
        self.parts.extend(plan.parts.iter().map(|(_, slot)| *slot));
        Ok(plan)
    }

    fn planned(&mut self, id: MoveId, span: Span) -> Lowered<MovePlan<'r>> {
        let mv = self.rules.moves.get(id.0).ok_or(Unsupported { what: "an unknown move".into(), span })?;
        let first: u16 = narrow(self.floor.ints, "more values at once than can be numbered", span)?;
        let witnesses = mv.names.iter().filter(|name| name.witness);
        let parts: Vec<(Local, u16)> = mv.parts().chain(witnesses).map(|name| name.local).zip(first..).collect();
        if parts.len() > MAX_PARTS {
            return Err(Unsupported { what: "more parts than fit a ply".into(), span: mv.span });
        }
        self.begin(FrameSize { ints: self.floor.ints + parts.len(), sets: 0 });
        self.parts.extend(parts.iter().map(|(_, slot)| *slot));
        let unpicked = unpicked(mv);
        let mut picked = unpicked.clone();
        let about = About { parts: &parts, asked: self.rules.asked_of(id), moved: mv.moved };
        let line = self.line(&mv.lines, &unpicked, &about, &mut picked)?;
        let before = self.knowledge.clone();
        let (body, played) = self.body(mv, &picked)?;
        Ok(MovePlan {
            id,
            mv,
            parts,
            line,
            picked,
            takes: self.takes(&body, &before.pieces),
            body,
            played,
            before,
            known: self.knowledge.clone(),
            slots: self.used(),
        })
    }

    fn here(&self, env: &Env) -> Here {
        Here { env: env.clone(), known: self.knowledge.clone() }
    }

    fn line(&mut self, lines: &[NodeIndex], env: &Env, about: &About<'_>, picked: &mut Env) -> Lowered<Line> {
        let Some((first, rest)) = lines.split_first() else { return Ok(Line::Done(self.here(env))) };
        let rules = self.rules;
        let node = &rules.graph[*first];
        Ok(match &node.kind {
            NodeKind::Choose { local, domain, conditions, guard } => {
                let slot = about.parts.iter().find(|(part, _)| part == local).map_or(0, |(_, slot)| *slot);
                let part = Choice { local: *local, slot, domain, conditions };
                let guard = self.guard(guard.as_ref(), env)?;
                if guard == Test::Const(true) {
                    return self.part(&part, rest, env, about, picked);
                }
                let known = self.knowledge.clone();
                let chosen = match guard {
                    Test::Const(false) => None,
                    _ => Some(Box::new(self.scoped(|own| own.part(&part, rest, env, about, picked))?)),
                };
                let left_out = self.scoped(|own| own.line(rest, env, about, picked))?;
                Line::Guarded { guard, slot, picked: chosen, left_out: Box::new(left_out), known }
            }
            NodeKind::Let { local, value, guard } => {
                let mut inner = env.clone();
                self.at = value.span;
                let (value, single) = self.defined((*local, value), guard.as_ref(), env, rest, node.span)?;
                let (steps, kept) = if value.size() <= LARGE { (Vec::new(), value) } else { self.keep(value) };
                // What it is may be kept in a slot by now.
                let single = single.then(|| known(self.site_of(kept.clone())));
                inner.set(*local, kept);
                let rest = self.line(rest, &inner, about, picked)?;
                let rest = match single {
                    Some(single) => Line::Require(single, Box::new(rest)),
                    None => rest,
                };
                if steps.is_empty() { rest } else { Line::Keep(steps, Box::new(rest)) }
            }
            NodeKind::Require { condition, .. } => {
                self.at = condition.span;
                let test = self.holds(condition, env)?;
                self.written(&test, condition.span);
                Line::Require(test, Box::new(self.line(rest, env, about, picked)?))
            }
            NodeKind::Weigh(weight) => {
                let test = self.weighs(weight, env)?;
                Line::Require(test, Box::new(self.line(rest, env, about, picked)?))
            }
            NodeKind::Change(changes) => {
                let at = changes.first().map_or(node.span, |change| change.span);
                self.at = at;
                let mut effects = Vec::new();
                for change in changes {
                    let own = self.effects(std::slice::from_ref(change), env)?;
                    let test = self.can_apply(&own);
                    self.written(&test, change.span);
                    effects.extend(own);
                }
                let test = self.can_apply(&effects);
                self.written(&test, at);
                let here = self.here(env);
                let (kept, env) = self.kept_behind(rest, env, about);
                let rest = Box::new(self.behind_stage(|own| own.line(rest, &env, about, picked))?);
                Line::Change { effects, test, here, at, rest }.after(kept)
            }
            NodeKind::Repeat { times, condition, changes } => {
                let here = self.here(env);
                // Its changes are read behind each other.
                let (kept, env) = &self.kept_behind(lines, env, about);
                let (repeat, open, rest) = self.behind_stage(|own| {
                    let repeat = own.repeat(times, condition.as_ref(), changes, env)?;
                    // They are made one after the other, each in a state of which nothing is known.
                    let knows = |change: &&Change| matches!(change.kind, ChangeKind::Know { .. });
                    let made = repeat.steps.iter().filter(|step| matches!(step, Step::Change(_)));
                    let mut open = None;
                    for (step, change) in made.zip(changes.iter().filter(|change| !knows(change))) {
                        let test = own.can_apply(step.effects());
                        own.written(&test, change.span);
                        open = open.or_else(|| (test != Test::Const(true)).then_some(test));
                    }
                    Ok((repeat, open, Box::new(own.line(rest, env, about, picked)?)))
                })?;
                let at = Span { start: node.span.start.min(times.span.start), ..times.span };
                Line::Repeat { repeat, open, here, at, rest }.after(kept.clone())
            }
            // These are no lines of a move.
            NodeKind::Turn
            | NodeKind::Fork
            | NodeKind::Prefer
            | NodeKind::Guard { .. }
            | NodeKind::Call(_)
            | NodeKind::End
            | NodeKind::Move(_)
            | NodeKind::Done => self.line(rest, env, about, picked)?,
        })
    }

    /// The definitions that lines behind a stage read, kept before it: what it changes may not be read again then. Before the
    /// stage they are written out wherever they are read.
    fn kept_behind(&mut self, behind: &[NodeIndex], env: &Env, about: &About<'_>) -> (Vec<Step>, Env) {
        let (mut steps, mut kept) = (Vec::new(), env.clone());
        if behind.is_empty() {
            return (steps, kept);
        }
        for (at, value) in env.locals.iter().enumerate() {
            let local = Local(at);
            let asks = |expr: &Expr| mentions(expr, &[local]);
            let is_read = about.moved == Some(local)
                || about.asked.iter().copied().any(asks)
                || behind.iter().any(|line| self.rules.graph[*line].kind.exprs().into_iter().any(asks));
            if is_read {
                let (own, name) = self.keep(value.clone());
                steps.extend(own);
                kept.set(local, name);
            }
        }
        (steps, kept)
    }

    /// A part that is not left out, and what comes after it.
    fn part(
        &mut self,
        part: &Choice<'_>,
        rest: &[NodeIndex],
        env: &Env,
        about: &About<'_>,
        picked: &mut Env,
    ) -> Lowered<Line> {
        let Choice { local, slot, .. } = *part;
        let span = part.domain.span;
        self.at = span;
        let domain = self.expr(part.domain, env)?;
        let (domain, conditions) = self.narrowed(local, domain, part.conditions, env)?;
        let (domain, end) = self.with_known_end(domain, slot);
        self.bind(slot, &domain);
        let member = self.member(&domain, Int::Slot(slot));
        let mut inner = env.clone();
        inner.set(local, member.clone());
        picked.set(local, member);
        let domain = self.domain(domain);
        self.know_apart(slot, &domain, &Test::Const(true));
        let mut tests: Vec<Test> = end.into_iter().collect();
        for condition in conditions {
            let test = self.holds(condition, &inner)?;
            self.written(&test, condition.span);
            self.know_apart(slot, &domain, &test);
            tests.push(test);
        }
        let rest = Box::new(self.line(rest, &inner, about, picked)?);
        let at = part.conditions.first().map_or(span, |condition| condition.span);
        Ok(Line::Part { slot, domain, test: and(tests), at, rest })
    }

    /// A range of numbers that play ends somewhere, among few: it is as if all of these were meant, up to that end. Each of them
    /// is known then.
    fn with_known_end(&self, domain: Val, slot: u16) -> (Val, Option<Test>) {
        if let Val::Range(Int::Const(low), high) = &domain
            && !matches!(high, Int::Const(_))
            && let Some(most) = self.most(high)
            && most.saturating_sub(*low) < FEW_NUMBERS
        {
            let within = compare(CompareOp::LessEqual, Int::Slot(slot), high.clone());
            return (Val::Range(Int::Const(*low), Int::Const(most)), Some(within));
        }
        (domain, None)
    }

    /// The most that a number can be where it is there.
    pub(super) fn most(&self, number: &Int) -> Option<i64> {
        match number {
            Int::Const(NONE) => Some(i64::MIN + 1),
            Int::If(_, yes, no) => Some(self.most(yes)?.max(self.most(no)?)),
            number => self.bounds(number).map(|(_, most)| most),
        }
    }

    /// What is done when the move is played, and the names as they stand then. The parts stand in their slots, any of them
    /// may have been left out, and definitions are kept in slots of their own.
    fn body(&mut self, mv: &rules::Move, picked: &Env) -> Lowered<(Vec<Step>, Env)> {
        let rules = self.rules;
        let mut env = picked.clone();
        let mut body = Vec::new();
        for line in &mv.lines {
            match &rules.graph[*line].kind {
                NodeKind::Let { local, value, guard } => {
                    self.at = value.span;
                    let (value, _) = self.defined((*local, value), guard.as_ref(), &env, &mv.lines, mv.span)?;
                    let (steps, kept) = self.keep(value);
                    body.extend(steps);
                    env.set(*local, kept);
                }
                NodeKind::Change(changes) => {
                    let effects = self.effects(changes, &env)?;
                    body.push(Step::Change(effects));
                    // What is known of pieces holds up to here only.
                    self.forget_pieces();
                }
                NodeKind::Repeat { times, condition, changes } => {
                    self.forget_pieces();
                    body.push(Step::Repeat(self.repeat(times, condition.as_ref(), changes, &env)?));
                }
                // Asked while plies are looked for, and no lines of a move.
                NodeKind::Choose { .. }
                | NodeKind::Require { .. }
                | NodeKind::Weigh(_)
                | NodeKind::Turn
                | NodeKind::Fork
                | NodeKind::Prefer
                | NodeKind::Guard { .. }
                | NodeKind::Call(_)
                | NodeKind::End
                | NodeKind::Move(_)
                | NodeKind::Done => {}
            }
        }
        Ok((body, env))
    }

    /// Whether a ply of chance can happen.
    fn weighs(&mut self, weight: &Expr, env: &Env) -> Lowered<Test> {
        let weight = self.expr(weight, env)?;
        let weight = self.number_of(weight);
        Ok(compare(CompareOp::Greater, weight, Int::Const(0)))
    }

    /// How heavy a ply of chance is, told by its parts; none where all weigh the same.
    pub fn weight(&mut self, plan: &MovePlan<'_>) -> Lowered<Option<Int>> {
        let Some(weight) = self.rules.weight_of(plan.id) else { return Ok(None) };
        let env = self.names(plan, &[weight])?;
        let weight = self.expr(weight, &env)?;
        Ok(Some(self.number_of(weight)))
    }

    /// The names that some expressions ask for, before a move is played: definitions are written out. It goes on with what is
    /// known of the parts then.
    pub fn names(&mut self, plan: &MovePlan<'_>, wanted: &[&Expr]) -> Lowered<Env> {
        let rules = self.rules;
        self.know(&plan.before);
        let mut asked: Vec<&Expr> = wanted.to_vec();
        let mut definitions = Vec::new();
        for line in plan.mv.lines.iter().rev() {
            if let NodeKind::Let { local, value, guard } = &rules.graph[*line].kind
                && asked.iter().any(|expr| mentions(expr, &[*local]))
            {
                asked.extend(std::iter::once(value).chain(guard));
                definitions.push((*local, value, guard.as_ref()));
            }
        }
        let mut env = plan.picked.clone();
        for (local, value, guard) in definitions.into_iter().rev() {
            let (value, _) = self.defined((local, value), guard, &env, &plan.mv.lines, plan.mv.span)?;
            env.set(local, value);
        }
        Ok(env)
    }

    /// The value of a definition, or none of its type where the guard does not hold. Sites are one site where lines make a piece
    /// move from there or to there in any ply: only one site can be meant then, and there is no ply where there is none or more.
    /// Whether that has to be asked.
    fn defined(
        &mut self,
        (local, value): (Local, &Expr),
        guard: Option<&Expr>,
        env: &Env,
        lines: &[NodeIndex],
        span: Span,
    ) -> Lowered<(Val, bool)> {
        let value = self.expr(value, env)?;
        let nothing = || env.locals.get(local.0).cloned().unwrap_or(Val::Missing);
        let value = match self.guard(guard, env)? {
            Test::Const(true) => value,
            Test::Const(false) => nothing(),
            test => self.either(test, value, nothing(), span)?,
        };
        Ok(match value {
            Val::Sites(set) if self.stacks.is_none() && self.moves_one(local, lines) => {
                let is_known = matches!(set, Sets::One(_));
                (Val::Site(only(set)), !is_known)
            }
            value => (value, false),
        })
    }

    /// Whether lines of a move make a piece move from what a name stands for, or to there, whatever is picked.
    fn moves_one(&self, local: Local, lines: &[NodeIndex]) -> bool {
        let is_named = |expr: &Expr| matches!(expr.kind, ExprKind::Local(name) if name == local);
        let moves = |change: &Change| {
            let ChangeKind::MoveTo { from, to, .. } = &change.kind else { return false };
            change.guard.is_none() && change.each.is_none() && (is_named(from) || is_named(to))
        };
        lines.iter().any(|line| {
            if let NodeKind::Change(changes) = &self.rules.graph[*line].kind {
                changes.iter().any(moves)
            } else {
                false
            }
        })
    }

    /// A definition kept in slots, and the name that now stands for it.
    pub(super) fn keep(&mut self, value: Val) -> (Vec<Step>, Val) {
        let mut steps = Vec::new();
        let mut int = |lowering: &mut Self, value: Int| {
            if let Int::Const(_) | Int::Slot(_) = value {
                return value;
            }
            let slot = lowering.int_slot();
            let bounds = lowering.bounds(&value);
            lowering.know_range(slot, bounds);
            steps.push(Step::Let(slot, value));
            Int::Slot(slot)
        };
        let kept = match value {
            Val::Sites(set @ (Sets::Const(_) | Sets::Slot(_))) => Val::Sites(set),
            // What changes a stack does so to one site, and to those of a set one after the other.
            Val::Sites(set) if self.stacks.is_some() && self.is_one_at_most(&set) => Val::Site(int(self, only(set))),
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
                        compare(CompareOp::Equal, truth.clone(), Int::Const(1)),
                        compare(CompareOp::Equal, truth, Int::Const(0)),
                    )
                }
            },
            Val::Missing => Val::Missing,
        };
        (steps, kept)
    }
}

/// What the names of a move are before anything is picked: nothing of their types.
fn unpicked(mv: &rules::Move) -> Env {
    let mut env = Env::new();
    for name in &mv.names {
        env.set(name.local, Val::nothing(name.ty));
    }
    env
}

/// Whether an expression speaks of one of some names.
pub(super) fn mentions(expr: &Expr, names: &[Local]) -> bool {
    let named = if let rules::ExprKind::Local(local) = &expr.kind { names.contains(local) } else { false };
    named || expr.children().into_iter().any(|part| mentions(part, names))
}

/// The values that the notation of a move prints.
pub(super) fn values_printed(mv: &rules::Move) -> Vec<&Expr> {
    let mut values = Vec::new();
    for piece in &mv.notation {
        if let rules::NotationPiece::Value { value, .. } = piece {
            values.push(value);
        }
    }
    values
}

/// What is known of a move wherever one stands in its lines.
struct About<'p> {
    /// Its parts with their slots.
    parts: &'p [(Local, u16)],
    /// What is asked of its plies elsewhere.
    asked: Vec<&'p Expr>,
    /// The part that is the piece moved last.
    moved: Option<Local>,
}

/// A line that picks a part.
struct Choice<'l> {
    local: Local,
    slot: u16,
    domain: &'l Expr,
    conditions: &'l [Expr],
}
