//! Expressions lowered: words written out, the player to move put in, sets seen as planes of the board.

use super::binders::Binders;
use super::build::*;
pub(super) use super::frame::{Env, FrameSize};
use super::frame::{Knowledge, Slots};
use super::heads::first_of_each;
use super::ir::*;
use super::narrow::counted;
use super::parts::conjuncts;
use super::plan::MovePlan;
use super::relation::Relation;
use super::tables::Tables;
use super::turn_places::Places;
use super::values::Val;
use super::ways::Ways;
use super::witnesses::Witnesses;
use super::{Generator, MAX_PARTS, Unsupported, compile::Shared, layout::Layout};
use crate::board::{Direction, Directions, SiteSet};
use crate::rules::{CompareOp, Content, Expr, ExprKind, MoveId, PlayerId, Reduce, Rules, Value};
use crate::source::Span;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// More instructions than this in one expression are left to the reference engine.
const MAX_SIZE: usize = 60_000;

/// So many instructions are put together for one player at most. The largest shipped game needs a fiftieth of them; words
/// that call others twice, in a chain, may need any number.
const MAX_LOWERED: usize = 1_000_000;

pub(super) type Lowered<T> = Result<T, Unsupported>;

/// Lowers what one player reads.
pub(super) struct Lowering<'r> {
    pub shared: &'r Shared<'r>,
    pub rules: &'r Rules,
    pub layout: &'r Layout,
    pub ground: Ground,
    pub planes: &'r [Content],
    pub plane_of: &'r [Vec<u8>],
    pub memories: &'r [super::MemoryInfo],
    pub stacks: Option<super::Stacks>,
    pub mover: PlayerId,
    /// The next player, where he is the same in every turn of the mover.
    pub next: Option<PlayerId>,
    pub places: &'r Places<'r>,
    pub(super) ints: Slots,
    pub(super) sets: Slots,
    /// The slots that are taken by what all of this will stand in.
    pub floor: FrameSize,
    /// How many instructions have been put together, and how many were looked at to find what is shared.
    lowered: usize,
    pub compared: usize,
    /// What the form of the board says of the steps on it.
    pub ways: Ways,
    pub knowledge: Knowledge,
    /// What goes through members, by what it says.
    pub binders: Binders,
    /// The slots of the parts of the move at hand.
    pub parts: Vec<u16>,
    /// The moves lowered so far.
    pub plans: HashMap<MoveId, Rc<MovePlan<'r>>>,
    /// Parts of the move at hand of which any will do.
    pub witnesses: Witnesses,
    /// How the plies of calls are found, before what they have in common is kept, where turns must be finished.
    pub plain: Vec<Generator>,
    /// What is worked out before there is a game.
    pub tables: Tables,
    /// Where conditions that a clause asks for stand in the text of it.
    written: Vec<(Test, Span)>,
    /// The clause that is being lowered, and those that stay slow.
    pub at: Span,
    pub slow: Vec<super::Slow>,
    /// The sets that were noted as slow, and which notes were made of each.
    pub slow_sets: Vec<(Sets, Vec<super::Slow>)>,
    /// Notes of sets that have since become what is told of the whole board.
    pub mended: Vec<super::Slow>,
    /// Set when rules read the number of the turn or of the ply.
    pub clock: Cell<bool>,
    /// What was found of tests that play does not change.
    pub relations: RefCell<Vec<Relation>>,
    /// How many steps may still be taken to find out whether one holds.
    pub left_to_judge: Cell<u64>,
    /// By direction and site, the sites from which a step leads there.
    pub sources_of_steps: OnceCell<Vec<Vec<SiteSet>>>,
    /// Set when they ask for earlier positions, and whether moves and turns do.
    pub recalls: bool,
    pub moves_recall: bool,
}

impl<'r> Lowering<'r> {
    pub fn of(shared: &'r Shared<'r>, mover: PlayerId, next: Option<PlayerId>) -> Self {
        Self {
            shared,
            rules: shared.rules,
            layout: &shared.layout,
            ground: Ground::of(&shared.rules.board, &shared.layout, shared.planes.all()),
            planes: &shared.planes.contents,
            plane_of: &shared.planes.of,
            memories: &shared.memories.places,
            stacks: shared.memories.stacks,
            mover,
            next,
            places: &shared.places,
            ints: Slots::from(MAX_PARTS),
            sets: Slots::from(1),
            floor: FrameSize::default(),
            lowered: 0,
            compared: 0,
            ways: shared.ways,
            knowledge: Knowledge::default(),
            binders: Binders::default(),
            parts: Vec::new(),
            plans: HashMap::new(),
            witnesses: Witnesses::default(),
            plain: Vec::new(),
            tables: Tables::of(shared.rules),
            written: Vec::new(),
            at: shared.span,
            slow: Vec::new(),
            slow_sets: Vec::new(),
            mended: Vec::new(),
            clock: Cell::new(false),
            relations: RefCell::default(),
            left_to_judge: Cell::new(u64::MAX),
            sources_of_steps: OnceCell::new(),
            recalls: false,
            moves_recall: false,
        }
    }
}

impl Lowering<'_> {
    /// Lowers what is read as if another player were to move.
    pub fn as_player<T>(&mut self, player: PlayerId, f: impl FnOnce(&mut Self) -> T) -> T {
        let mover = std::mem::replace(&mut self.mover, player);
        let result = f(self);
        self.mover = mover;
        result
    }

    /// The planes that the piece on a site can be of.
    pub fn planes_at(&self, site: &Int, when: When) -> u64 {
        match (site, when) {
            (Int::Slot(slot), When::Now) => self.facts().get(slot).copied().unwrap_or(self.ground.planes),
            _ => self.ground.planes,
        }
    }

    /// What the piece on a site has, where all that can be there have the same of it.
    pub fn same_there<T: PartialEq>(&self, site: &Int, when: When, of: impl Fn(Content) -> T) -> Option<T> {
        let there = self.planes_at(site, when);
        if there == self.ground.planes {
            return None;
        }
        let mut all =
            self.planes.iter().enumerate().filter(|(plane, _)| there >> plane & 1 == 1).map(|(_, one)| of(*one));
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }

    pub fn holds(&mut self, expr: &Expr, env: &Env) -> Lowered<Test> {
        Ok(self.condition(expr, env)?.0)
    }

    /// The tests for "true" and "false".
    pub fn condition(&mut self, expr: &Expr, env: &Env) -> Lowered<(Test, Test)> {
        Ok(match self.expr(expr, env)? {
            Val::Condition(yes, no) => (yes, no),
            _ => (Test::Const(false), Test::Const(false)),
        })
    }

    pub fn sites(&mut self, expr: &Expr, env: &Env) -> Lowered<Sets> {
        let value = self.expr(expr, env)?;
        Ok(self.sets_of(value))
    }

    pub fn expr(&mut self, expr: &Expr, env: &Env) -> Lowered<Val> {
        let value = match self.tabled(expr, env) {
            Some(value) => value,
            None => self.form(expr, env)?,
        };
        let size = value.size();
        if size > MAX_SIZE {
            return Err(Unsupported { what: "too large an expression".into(), span: expr.span });
        }
        self.lowered += 1 + size;
        if self.lowered > MAX_LOWERED {
            return Err(Unsupported { what: "words that are written out too often".into(), span: expr.span });
        }
        Ok(value)
    }

    fn two(yes: Test) -> Val {
        let no = not(yes.clone());
        Val::Condition(yes, no)
    }

    /// Remembers where a condition is written, unless that is another text than the clause that asks for it.
    pub fn written(&mut self, test: &Test, span: Span) {
        if span.source == self.at.source {
            self.written.extend(conjuncts(test.clone()).into_iter().map(|part| (part, span)));
        }
    }

    /// What is asked first behind a stage is asked before it now: it is written where the condition is that it was.
    pub fn rewritten(&mut self, doubt: Option<&Test>, rest: &Generator) {
        if let (Some(span), Generator::Test(test, _)) = (doubt.and_then(|doubt| self.where_written(doubt)), rest) {
            let unknown = |part: &Test| self.where_written(part).is_none();
            let new: Vec<Test> = conjuncts(test.clone()).into_iter().filter(unknown).collect();
            self.written.extend(new.into_iter().map(|part| (part, span)));
        }
    }

    /// Where the first part of a condition is written.
    fn where_written(&self, test: &Test) -> Option<Span> {
        let written = |part: &Test| self.written.iter().find(|(known, _)| known == part).map(|(_, span)| *span);
        conjuncts(test.clone()).iter().find_map(written)
    }

    /// Notes that what follows the stage being lowered is tried on copies, and the clause behind it that may make the move
    /// illegal.
    pub fn note_copies(&mut self, doubt: Option<&Test>) {
        let because = doubt.and_then(|doubt| self.where_written(doubt)).filter(|span| *span != self.at);
        self.note_slow(super::Slow { how: super::How::Copies, span: self.at, because });
    }

    /// Notes that conditions stay slow, by their places where these are known.
    pub fn note_tests(&mut self, how: super::How, tests: &[Test]) {
        for test in tests {
            let mut known = self.written.iter().filter(|(written, _)| written == test).map(|(_, span)| *span);
            let here = |span: &Span| self.at.start <= span.start && span.end <= self.at.end;
            let span = known.clone().find(here).or_else(|| known.next()).unwrap_or(self.at);
            self.note_slow(super::Slow { how, span, because: None });
        }
    }

    fn note_slow(&mut self, slow: super::Slow) {
        self.mended.retain(|mended| *mended != slow);
        if !self.slow.contains(&slow) {
            self.slow.push(slow);
        }
    }

    fn form(&mut self, expr: &Expr, env: &Env) -> Lowered<Val> {
        let when = env.when;
        Ok(match &expr.kind {
            ExprKind::Constant(value) => self.constant(value),
            ExprKind::Local(local) => env.locals.get(local.0).cloned().unwrap_or(Val::Missing),
            ExprKind::Primitive(primitive, args) => {
                let args = args.iter().map(|arg| self.expr(arg, env)).collect::<Lowered<Vec<_>>>()?;
                match self.listed(primitive, &args) {
                    Some(first) => Val::Sites(first),
                    None => self.primitive(primitive, args, when),
                }
            }
            ExprKind::Word(id, args) => {
                let locals = args.iter().map(|arg| self.expr(arg, env)).collect::<Lowered<Vec<_>>>()?;
                let rules = self.rules;
                let Some(word) = rules.words.get(id.0) else { return Ok(Val::Missing) };
                self.expr(&word.body, &Env { locals, when })?
            }
            ExprKind::Adjective { word, holds } => {
                let rules = self.rules;
                let Some(word) = rules.words.get(word.0) else { return Ok(Val::Missing) };
                let slot = self.int_slot();
                self.bind(slot, &Val::Sites(self.ground.everything()));
                let inner = Env { locals: vec![Val::Site(Int::Slot(slot))], when };
                let mut lower = |own: &mut Self| {
                    let (yes, no) = own.condition(&word.body, &inner)?;
                    Ok(if *holds { yes } else { no })
                };
                let test = lower(self)?;
                Val::Sites(self.passing(slot, self.ground.everything(), test, &mut lower)?)
            }
            ExprKind::OfKinds(kinds) => {
                let kinds = self.expr(kinds, env)?;
                Val::Sites(self.of_kinds(self.mask_of(kinds), when))
            }
            ExprKind::OfPlayers(players) => {
                let players = self.expr(players, env)?;
                Val::Sites(self.of_players(self.mask_of(players), when))
            }
            ExprKind::Piece { kind, owner } => {
                let kind = self.expr(kind, env)?;
                let kind = self.index_of(kind);
                let owner = match owner {
                    None => counted(self.rules.players.len()),
                    Some(owner) => {
                        let owner = self.expr(owner, env)?;
                        self.index_of(owner)
                    }
                };
                Val::Piece(match (&kind, &owner) {
                    (Int::Const(NONE), _) | (_, Int::Const(NONE)) => Int::Const(NONE),
                    (Int::Const(kind), Int::Const(owner)) => self
                        .made(*kind, *owner)
                        .ok_or(Unsupported { what: "a piece of an owner it cannot have".into(), span: expr.span })?,
                    _ => Int::Make(Box::new(kind), Box::new(owner)),
                })
            }
            ExprKind::Memory { memory, index } => {
                let index = match index {
                    None => None,
                    Some(index) => Some(self.expr(index, env)?),
                };
                self.recall(*memory, index, when, expr.span)?
            }
            ExprKind::Entry { player, kind } => {
                let (player, kind) = (self.expr(player, env)?, self.expr(kind, env)?);
                let kinds = counted(self.rules.kinds.len());
                let first = calculate(crate::rules::ArithmeticOp::Multiply, self.index_of(player), kinds);
                Val::Number(calculate(crate::rules::ArithmeticOp::Add, first, self.index_of(kind)))
            }
            ExprKind::Before(inner) => self.expr(inner, &Env { when: When::Before, ..env.clone() })?,
            ExprKind::Not(inner) => {
                let (yes, no) = self.condition(inner, env)?;
                Val::Condition(no, yes)
            }
            ExprKind::And(parts) => {
                let (yes, no) = self.conditions(parts, env)?;
                yes.iter().zip(parts).for_each(|(test, part)| self.written(test, part.span));
                Val::Condition(and(dear_last(yes)), or(dear_last(no)))
            }
            ExprKind::Or(parts) => {
                let (yes, no) = self.conditions(parts, env)?;
                Val::Condition(or(dear_last(yes)), and(dear_last(no)))
            }
            ExprKind::Compare { first, rest } => {
                if let Some((counted, op, bound)) = compared_count(first, rest)
                    && asks_for_any(op, bound)
                {
                    let some = self.any_of(counted, env)?;
                    return Ok(Self::two(if op.holds(1, bound) { some } else { not(some) }));
                }
                let mut left = self.expr(first, env)?;
                let (mut yes, mut no) = (Vec::new(), Vec::new());
                for (op, right) in rest {
                    let right = self.expr(right, env)?;
                    let (held, failed) = self.compare(*op, left, right.clone());
                    yes.push(held);
                    no.push(failed);
                    left = right;
                }
                Val::Condition(and(yes), or(no))
            }
            ExprKind::In { left, not: negative, right } => {
                let (left, right) = (self.expr(left, env)?, self.expr(right, env)?);
                let (inside, outside) = self.inside(left, right);
                if *negative { Val::Condition(outside, inside) } else { Val::Condition(inside, outside) }
            }
            ExprKind::Subset(left, right) => {
                let (left, right) = (self.expr(left, env)?, self.expr(right, env)?);
                Self::two(match left {
                    Val::Sites(_) | Val::Site(_) => self.lies_within(self.sets_of(left), self.sets_of(right)),
                    left => {
                        let outside = mask_not(i64::from(u32::MAX), self.mask_of(right));
                        compare(CompareOp::Equal, mask_and(self.mask_of(left), outside), Int::Const(0))
                    }
                })
            }
            ExprKind::Arithmetic(op, a, b) => {
                let (a, b) = (self.expr(a, env)?, self.expr(b, env)?);
                let (a, b) = (self.number_of(a), self.number_of(b));
                Val::Number(calculate(*op, a, b))
            }
            ExprKind::Range(a, b) => {
                let (a, b) = (self.expr(a, env)?, self.expr(b, env)?);
                Val::Range(self.number_of(a), self.number_of(b))
            }
            ExprKind::Negative(inner) => {
                let inner = self.expr(inner, env)?;
                Val::Number(calculate(crate::rules::ArithmeticOp::Subtract, Int::Const(0), self.number_of(inner)))
            }
            ExprKind::Any(inner) => Self::two(self.any_of(inner, env)?),
            ExprKind::None(inner) => Self::two(not(self.any_of(inner, env)?)),
            ExprKind::The(inner) => match self.expr(inner, env)? {
                Val::Sites(set) => Val::Site(only(set)),
                Val::Directions(mask) => Val::Direction(only_bit(mask)),
                Val::Players(mask) => Val::Player(only_bit(mask)),
                Val::Kinds(mask) => Val::Kind(only_bit(mask)),
                other => other,
            },
            ExprKind::Count(inner) => Val::Number(match self.counted_set(inner, env)? {
                Val::Sites(Sets::Const(set)) => counted(set.len()),
                // How many groups there are does not depend on which site stands for each.
                Val::Sites(set) => Int::Count(Box::new(first_of_each(&set).map_or(&set, |(heads, _)| heads).clone())),
                Val::Site(site) => pick(known(site), Int::Const(1), Int::Const(0)),
                other => match self.mask_of(other) {
                    Int::Const(mask) => Int::Const(i64::from(mask.count_ones())),
                    mask => self.ones(mask),
                },
            }),
            ExprKind::If { condition, then, otherwise } => {
                let test = self.holds(condition, env)?;
                match test {
                    Test::Const(true) => self.expr(then, env)?,
                    Test::Const(false) => self.expr(otherwise, env)?,
                    test => {
                        let (yes, no) = (self.expr(then, env)?, self.expr(otherwise, env)?);
                        self.either(test, yes, no, expr.span)?
                    }
                }
            }
            ExprKind::Some { local, domain, condition, none } => {
                let domain = self.expr(domain, env)?;
                let found = self.exists(*local, domain, Some(condition), env)?;
                Self::two(if *none { not(found) } else { found })
            }
            ExprKind::SetOf { local, domain, condition } => {
                let domain = self.expr(domain, env)?;
                self.set_of(*local, domain, condition.as_deref(), env, expr.span)?
            }
            ExprKind::Each { body, local, domain, condition, result } => {
                let domain = self.expr(domain, env)?;
                self.each(*local, domain, condition.as_deref(), body, *result, env, expr.span)?
            }
            ExprKind::Reduce { reduce, body, local, domain, condition } => {
                let domain = self.expr(domain, env)?;
                if *reduce == Reduce::Sum
                    && let Some(sum) = self.written_out(*local, &domain, condition.as_deref(), body, env)?
                {
                    return Ok(Val::Number(sum));
                }
                let slot = self.int_slot();
                let mut inner = env.clone();
                let (domain, conditions) = self.narrowed(*local, domain, condition.as_deref(), env)?;
                inner.set(*local, self.member(&domain, Int::Slot(slot)));
                self.bind(slot, &domain);
                let test = self.all_hold(&conditions, &inner)?;
                let body = self.expr(body, &inner)?;
                let body = self.number_of(body);
                let parts = [Part::Test(&test), Part::Int(&body)];
                let domain = match reduce {
                    Reduce::Sum => self.any_of_each_group(slot, domain, &parts),
                    Reduce::Most | Reduce::Least => self.once_for_each_group(slot, domain, &parts),
                };
                let domain = self.domain(domain);
                Val::Number(self.reduced(*reduce, slot, domain, test, body))
            }
            ExprKind::List(parts) => {
                let parts = parts.iter().map(|part| self.expr(part, env)).collect::<Lowered<Vec<_>>>()?;
                Val::List(parts.into_iter().map(|part| self.number_of(part)).collect())
            }
            ExprKind::Seen { board, times } => {
                self.recalls = true;
                Self::two(Test::Seen { board: *board, times: *times })
            }
            ExprKind::Possible { entry, answers } => match self.places.number.get(entry) {
                Some(place) => {
                    let answered = if *answers { self.answered(*place, expr.span) } else { None };
                    Self::two(answered.unwrap_or(Test::Possible { place: *place, answers: *answers }))
                }
                None => return Err(Unsupported { what: "an unknown pattern".into(), span: expr.span }),
            },
            ExprKind::Complement(inner) => match self.expr(inner, env)? {
                Val::Missing => Val::Sites(self.ground.everything()),
                value @ (Val::Sites(_) | Val::Site(_)) => Val::Sites(self.ground.not(self.sets_of(value))),
                value @ (Val::Directions(_) | Val::Direction(_)) => {
                    Val::Directions(mask_not(self.all_directions(), self.mask_of(value)))
                }
                value @ (Val::Players(_) | Val::Player(_)) => {
                    Val::Players(mask_not(self.all_players(), self.mask_of(value)))
                }
                value @ (Val::Kinds(_) | Val::Kind(_)) => Val::Kinds(mask_not(self.all_kinds(), self.mask_of(value))),
                other => other,
            },
            ExprKind::Intersection(parts) => self.joined(parts, env, true)?,
            ExprKind::Union(parts) => self.joined(parts, env, false)?,
        })
    }

    /// A set that is counted: of groups that pass a test any site may stand for each, if only the group is asked about.
    fn counted_set(&mut self, counted: &Expr, env: &Env) -> Lowered<Val> {
        let ExprKind::SetOf { local, domain, condition } = &counted.kind else { return self.expr(counted, env) };
        let domain = self.expr(domain, env)?;
        if let Val::Sites(set) = &domain
            && first_of_each(set).is_some()
        {
            let (slot, mut inner) = (self.int_slot(), env.clone());
            inner.set(*local, Val::Site(Int::Slot(slot)));
            self.bind(slot, &domain);
            let test = self.guard(condition.as_deref(), &inner)?;
            if let Some(heads) = self.any_heads_for(slot, set, &[Part::Test(&test)]) {
                let (domain, test) = (Box::new(heads), Box::new(test));
                return Ok(Val::Sites(self.named_set(Sets::Filter { slot, domain, test })));
            }
        }
        self.set_of(*local, domain, condition.as_deref(), env, counted.span)
    }

    /// Whether something is in a set. Of a set that is described by a condition it is asked whether some member passes, whether
    /// it is written here or is a word.
    fn any_of(&mut self, set: &Expr, env: &Env) -> Lowered<Test> {
        let rules = self.rules;
        let (mut set, mut env) = (set, env.clone());
        while let ExprKind::Word(id, args) = &set.kind
            && let Some(word) = rules.words.get(id.0)
        {
            let locals = args.iter().map(|arg| self.expr(arg, &env)).collect::<Lowered<Vec<_>>>()?;
            (set, env) = (&word.body, Env { locals, when: env.when });
        }
        if let ExprKind::SetOf { local, domain, condition } = &set.kind {
            let domain = self.expr(domain, &env)?;
            return self.exists(*local, domain, condition.as_deref(), &env);
        }
        let value = self.expr(set, &env)?;
        Ok(self.some_member(value))
    }

    fn conditions(&mut self, parts: &[Expr], env: &Env) -> Lowered<(Vec<Test>, Vec<Test>)> {
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for part in parts {
            let (held, failed) = self.condition(part, env)?;
            yes.push(held);
            no.push(failed);
        }
        Ok((yes, no))
    }

    /// Whether all of several conditions hold, each of them remembered with its place.
    pub fn all_hold(&mut self, conditions: &[&Expr], env: &Env) -> Lowered<Test> {
        let mut tests = Vec::new();
        for condition in conditions {
            let test = self.holds(condition, env)?;
            if conditions.len() > 1 {
                self.written(&test, condition.span);
            }
            tests.push(test);
        }
        Ok(and(tests))
    }

    pub fn guard(&mut self, condition: Option<&Expr>, env: &Env) -> Lowered<Test> {
        condition.map_or(Ok(Test::Const(true)), |condition| self.holds(condition, env))
    }

    fn joined(&mut self, parts: &[Expr], env: &Env, all: bool) -> Lowered<Val> {
        let values = parts.iter().map(|part| self.expr(part, env)).collect::<Lowered<Vec<_>>>()?;
        let Some(first) = values.iter().find(|value| **value != Val::Missing).cloned() else { return Ok(Val::Missing) };
        Ok(match first {
            Val::Sites(_) | Val::Site(_) => {
                let sets: Vec<Sets> = values.into_iter().map(|value| self.sets_of(value)).collect();
                Val::Sites(if all { self.ground.and(sets) } else { self.ground.or(sets) })
            }
            _ => {
                let masks = values.into_iter().map(|value| self.mask_of(value));
                let joined = if all { masks.reduce(mask_and) } else { masks.reduce(mask_or) }.unwrap_or(Int::Const(0));
                match first {
                    Val::Directions(_) | Val::Direction(_) => Val::Directions(joined),
                    Val::Players(_) | Val::Player(_) => Val::Players(joined),
                    _ => Val::Kinds(joined),
                }
            }
        })
    }

    pub fn either(&self, test: Test, yes: Val, no: Val, span: Span) -> Lowered<Val> {
        let pair = if yes == Val::Missing { no.clone() } else { yes.clone() };
        Ok(match pair {
            Val::Missing => Val::Missing,
            Val::Site(_) | Val::Sites(_) => match (yes, no) {
                (Val::Site(yes), Val::Site(no)) => Val::Site(pick(test, yes, no)),
                (yes, no) => Val::Sites(self.ground.choose(test, self.sets_of(yes), self.sets_of(no))),
            },
            Val::Number(_) => Val::Number(pick(test, self.number_of(yes), self.number_of(no))),
            Val::Directions(_) | Val::Direction(_) => Val::Directions(pick(test, self.mask_of(yes), self.mask_of(no))),
            Val::Players(_) | Val::Player(_) => Val::Players(pick(test, self.mask_of(yes), self.mask_of(no))),
            Val::Kinds(_) | Val::Kind(_) => Val::Kinds(pick(test, self.mask_of(yes), self.mask_of(no))),
            Val::Piece(_) => Val::Piece(pick(test, plain(yes), plain(no))),
            Val::Choice(_) => Val::Choice(pick(test, plain(yes), plain(no))),
            Val::Range(..) => match (yes, no) {
                (Val::Range(a, b), Val::Range(c, d)) => Val::Range(pick(test.clone(), a, c), pick(test, b, d)),
                _ => return Err(Unsupported { what: "a range that may be missing".into(), span }),
            },
            Val::Condition(..) => {
                let tests = |value: Val| match value {
                    Val::Condition(yes, no) => (yes, no),
                    _ => (Test::Const(false), Test::Const(false)),
                };
                let ((a, b), (c, d)) = (tests(yes), tests(no));
                let otherwise = not(test.clone());
                Val::Condition(
                    or(vec![and(vec![test.clone(), a]), and(vec![otherwise.clone(), c])]),
                    or(vec![and(vec![test, b]), and(vec![otherwise, d])]),
                )
            }
            Val::List(_) => match (yes, no) {
                (Val::List(a), Val::List(b)) if a.len() == b.len() => {
                    Val::List(a.into_iter().zip(b).map(|(a, b)| pick(test.clone(), a, b)).collect())
                }
                _ => return Err(Unsupported { what: "lists of different length".into(), span }),
            },
        })
    }

    pub fn facing(&self, player: PlayerId) -> Option<Direction> {
        self.rules.players.get(usize::from(player.0)).and_then(|player| player.facing)
    }
}

/// A set whose members are counted and compared with one number, on either side.
fn compared_count<'e>(first: &'e Expr, rest: &'e [(CompareOp, Expr)]) -> Option<(&'e Expr, CompareOp, i64)> {
    let [(op, second)] = rest else { return None };
    let number = |expr: &Expr| expr.as_constant().and_then(Value::number);
    if let ExprKind::Count(set) = &first.kind {
        Some((set, *op, number(second)?))
    } else if let ExprKind::Count(set) = &second.kind {
        Some((set, op.turned(), number(first)?))
    } else {
        None
    }
}

/// Whether an instruction asks for the piece on the site in a slot.
pub(super) fn asks_piece(part: &Part<'_>, slot: u16) -> bool {
    let own = |site: &Int| *site == Int::Slot(slot);
    match part {
        Part::Int(Int::Kind(site, When::Now) | Int::Owner(site, When::Now) | Int::Piece(site, When::Now)) => own(site),
        Part::Sets(Sets::Alike(site, When::Now)) => own(site),
        Part::Test(Test::Contains(Sets::Planes(_, When::Now), site)) => own(site),
        _ => false,
    }
}

pub(super) fn plain(value: Val) -> Int {
    match value {
        Val::Number(int) | Val::Piece(int) | Val::Choice(int) | Val::Site(int) => int,
        _ => Int::Const(NONE),
    }
}

pub(super) fn mask_of_directions(set: Directions) -> i64 {
    set.iter().fold(0, |mask, direction| mask | 1 << direction.index())
}

/// The directions in which sites are neighbours.
pub(super) fn ways_of(lowering: &Lowering<'_>) -> impl Iterator<Item = u8> + use<> {
    ways(mask_of_directions(lowering.rules.board.directions()))
}
