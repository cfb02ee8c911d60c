//! Expressions evaluated, the obvious way.

use super::{Reference, State};
use crate::board::{Site, SiteSet};
use crate::engine::steps::take;
use crate::rules::catalogue::Scene;
use crate::rules::{CompareOp, Expr, ExprKind, Kinds, Move, PlayerId, Players, Reduce, Scope, Type, Value};

/// To look at an expression takes so many steps. (What it takes faster engines is one, or less.)
const EVALUATION: u64 = 8;

/// The values of parts, definitions and bound names.
pub(super) type Frame = Vec<Value>;

/// Where an expression is read.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub engine: &'a Reference,
    pub state: &'a State,
    /// The state at the beginning of the move.
    pub before: &'a State,
    pub mover: PlayerId,
    pub next: PlayerId,
    pub stuck: bool,
    pub unfinished: bool,
    /// In `end`: the state in which the next player is to move.
    pub following: Option<&'a State>,
}

impl<'a> View<'a> {
    pub(super) fn of(engine: &'a Reference, state: &'a State) -> Self {
        Self {
            engine,
            state,
            before: state,
            mover: state.mover,
            next: state.next,
            stuck: false,
            unfinished: false,
            following: None,
        }
    }

    /// The same move, further on.
    pub(super) fn at(self, state: &'a State) -> Self {
        Self { state, ..self }
    }

    fn scene(&self) -> Scene<'a> {
        let rules = self.engine.rules();
        Scene {
            board: &rules.board,
            players: &rules.players,
            kinds: &rules.kinds,
            contents: self.state.contents(),
            beneath: self.state.beneath(),
            empty: self.state.empty(),
            mover: self.mover,
            next: self.next,
            turn: self.state.turn,
            ply: self.state.ply,
            stuck: self.stuck,
            unfinished: self.unfinished,
        }
    }

    pub(super) fn holds(&self, expr: &Expr, frame: &mut Frame) -> bool {
        self.eval(expr, frame).is_true()
    }

    pub(super) fn eval(&self, expr: &Expr, frame: &mut Frame) -> Value {
        if !take(EVALUATION, expr.span) {
            return Value::Condition(None);
        }
        let value = self.value(expr, frame);
        // Of a guarded condition it is the parts that are of interest.
        if let (Value::Condition(held), false) = (&value, matches!(expr.kind, ExprKind::If { .. })) {
            self.engine.saw(expr.span, *held == Some(true));
        }
        value
    }

    fn value(&self, expr: &Expr, frame: &mut Frame) -> Value {
        match &expr.kind {
            ExprKind::Constant(value) => value.clone(),
            ExprKind::Local(local) => frame.get(local.0).cloned().unwrap_or(Value::Condition(None)),
            ExprKind::Primitive(primitive, args) => {
                let values: Vec<Value> = args.iter().map(|arg| self.eval(arg, frame)).collect();
                (primitive.eval)(&self.scene(), &values)
            }
            ExprKind::Word(id, args) => {
                let mut inner: Frame = args.iter().map(|arg| self.eval(arg, frame)).collect();
                match self.engine.rules().words.get(id.0) {
                    Some(word) => self.eval(&word.body, &mut inner),
                    None => Value::Condition(None),
                }
            }
            ExprKind::Memory { memory, index } => {
                let index = index.as_ref().map(|index| self.eval(index, frame));
                self.recall(*memory, index.as_ref())
            }
            ExprKind::Entry { player, kind } => {
                let (player, kind) = (self.eval(player, frame), self.eval(kind, frame));
                Value::Number(self.engine.rules().entry(&player, &kind))
            }
            ExprKind::Before(inner) => self.at(self.before).eval(inner, frame),
            ExprKind::Not(inner) => Value::Condition(self.eval(inner, frame).condition().map(|condition| !condition)),
            ExprKind::And(parts) => self.all(parts, true, frame),
            ExprKind::Or(parts) => self.all(parts, false, frame),
            ExprKind::Compare { first, rest } => self.compare(first, rest, frame),
            ExprKind::In { left, not, right } => {
                Value::Condition(self.is_in(left, right, frame).map(|inside| inside != *not))
            }
            ExprKind::Subset(left, right) => {
                let (left, right) = (self.eval(left, frame), self.eval(right, frame));
                Value::Condition(Some(subset(&left, &right)))
            }
            ExprKind::Arithmetic(op, left, right) => {
                let (left, right) = (self.eval(left, frame), self.eval(right, frame));
                Value::Number(left.number().zip(right.number()).and_then(|(a, b)| op.apply(a, b)))
            }
            ExprKind::Range(left, right) => {
                let (left, right) = (self.eval(left, frame), self.eval(right, frame));
                Value::Range(left.number().zip(right.number()))
            }
            ExprKind::Negative(inner) => Value::Number(self.eval(inner, frame).number().and_then(i64::checked_neg)),
            ExprKind::Any(inner) => Value::Condition(Some(!self.eval(inner, frame).is_empty_set())),
            ExprKind::None(inner) => Value::Condition(Some(self.eval(inner, frame).is_empty_set())),
            ExprKind::The(inner) => {
                let set = self.eval(inner, frame);
                if set.count() == 1 { set } else { empty_like(&set) }
            }
            ExprKind::Count(inner) => Value::Number(Some(self.eval(inner, frame).count())),
            ExprKind::If { condition, then, otherwise } => {
                if self.holds(condition, frame) {
                    self.eval(then, frame)
                } else {
                    self.eval(otherwise, frame)
                }
            }
            ExprKind::Some { local, domain, condition, none } => {
                let members = self.eval(domain, frame).members();
                let found = members.into_iter().any(|member| {
                    set_local(frame, local.0, member);
                    self.holds(condition, frame)
                });
                Value::Condition(Some(found != *none))
            }
            ExprKind::SetOf { local, domain, condition } => {
                let domain = self.eval(domain, frame);
                let mut result = empty_like(&domain);
                for member in domain.members() {
                    set_local(frame, local.0, member.clone());
                    if condition.as_ref().is_none_or(|condition| self.holds(condition, frame)) {
                        result = union(result, member);
                    }
                }
                result
            }
            ExprKind::Each { body, local, domain, condition, result } => {
                let mut all = empty_of(*result);
                for member in self.eval(domain, frame).members() {
                    set_local(frame, local.0, member);
                    if condition.as_ref().is_none_or(|condition| self.holds(condition, frame)) {
                        all = union(all, self.eval(body, frame));
                    }
                }
                all
            }
            ExprKind::Reduce { reduce, body, local, domain, condition } => {
                let mut numbers = Vec::new();
                for member in self.eval(domain, frame).members() {
                    set_local(frame, local.0, member);
                    if condition.as_ref().is_none_or(|condition| self.holds(condition, frame)) {
                        numbers.push(self.eval(body, frame).number());
                    }
                }
                let numbers: Option<Vec<i64>> = numbers.into_iter().collect();
                Value::Number(numbers.and_then(|numbers| match reduce {
                    Reduce::Sum => numbers.iter().try_fold(0i64, |sum, number| sum.checked_add(*number)),
                    Reduce::Least => numbers.into_iter().min(),
                    Reduce::Most => numbers.into_iter().max(),
                }))
            }
            ExprKind::List(parts) => Value::List(parts.iter().map(|part| self.eval(part, frame).number()).collect()),
            ExprKind::Piece { kind, owner } => {
                let kind = self.eval(kind, frame).kinds().only();
                let owner = owner.as_ref().map(|owner| self.eval(owner, frame).players().only());
                let kinds = &self.engine.rules().kinds;
                let neutral = kind.and_then(|kind| kinds.get(usize::from(kind.0))).is_some_and(|kind| kind.neutral);
                // A kind that belongs to somebody is no piece without an owner, and one that belongs to nobody has none.
                Value::Piece(match (kind, owner) {
                    (Some(kind), None) if neutral => Some(crate::rules::Content::piece(kind, None)),
                    (Some(kind), Some(Some(owner))) if !neutral => {
                        Some(crate::rules::Content::piece(kind, Some(owner)))
                    }
                    _ => None,
                })
            }
            ExprKind::Seen { board, times } => Value::Condition(Some(self.seen(*board, *times))),
            ExprKind::Possible { entry, answers } => Value::Condition(Some(if *answers {
                self.engine.is_possible(&self.engine.passed_on(self.state), *entry)
            } else {
                self.engine.is_possible(self.following.unwrap_or(self.state), *entry)
            })),
            ExprKind::OfKinds(_)
            | ExprKind::OfPlayers(_)
            | ExprKind::Adjective { .. }
            | ExprKind::Complement(_)
            | ExprKind::Intersection(_)
            | ExprKind::Union(_) => self.set(expr, frame),
        }
    }

    /// Sets are evaluated within a bound, so that a test of one site does not look at the whole board.
    fn set(&self, expr: &Expr, frame: &mut Frame) -> Value {
        match &expr.kind {
            ExprKind::Intersection(parts) | ExprKind::Union(parts) => {
                let other = parts.iter().find(|part| !matches!(self.type_hint(part, frame), Some(Type::Sites) | None));
                if other.is_none() {
                    return Value::of_sites(self.sites(expr, self.engine.rules().board.all(), frame));
                }
                let mut values = parts.iter().map(|part| self.eval(part, frame)).collect::<Vec<_>>().into_iter();
                let Some(first) = values.next() else { return Value::Condition(None) };
                let join = if matches!(expr.kind, ExprKind::Union(_)) { union } else { intersection };
                values.fold(first, join)
            }
            ExprKind::Complement(inner) => match self.type_hint(inner, frame) {
                Some(Type::Sites) | None => Value::of_sites(self.sites(expr, self.engine.rules().board.all(), frame)),
                Some(_) => complement(self.engine, self.eval(inner, frame)),
            },
            _ => Value::of_sites(self.sites(expr, self.engine.rules().board.all(), frame)),
        }
    }

    /// The type of a set where it can be told without evaluating a set of sites.
    fn type_hint(&self, expr: &Expr, frame: &Frame) -> Option<Type> {
        match &expr.kind {
            ExprKind::Constant(value) => Some(value.type_of()),
            ExprKind::Local(local) => frame.get(local.0).map(Value::type_of),
            ExprKind::Primitive(primitive, _) => Some(primitive.result),
            ExprKind::Word(id, _) => self.engine.rules().words.get(id.0).map(|word| word.result),
            ExprKind::Memory { memory, .. } => self.engine.rules().memories.get(memory.0).map(|memory| memory.ty),
            ExprKind::Intersection(parts) | ExprKind::Union(parts) => {
                parts.iter().find_map(|part| self.type_hint(part, frame))
            }
            ExprKind::Complement(inner) | ExprKind::The(inner) | ExprKind::Before(inner) => {
                self.type_hint(inner, frame)
            }
            ExprKind::If { then, otherwise, .. } => {
                self.type_hint(then, frame).or_else(|| self.type_hint(otherwise, frame))
            }
            ExprKind::SetOf { domain, .. } => self.type_hint(domain, frame),
            ExprKind::Each { result, .. } => Some(*result),
            ExprKind::OfKinds(_) | ExprKind::OfPlayers(_) | ExprKind::Adjective { .. } => Some(Type::Sites),
            _ => None,
        }
    }

    /// The members of a set of sites that lie in `bound`.
    pub(super) fn sites(&self, expr: &Expr, bound: SiteSet, frame: &mut Frame) -> SiteSet {
        if bound.is_empty() {
            return bound;
        }
        if !take(EVALUATION, expr.span) {
            return SiteSet::EMPTY;
        }
        match &expr.kind {
            ExprKind::Intersection(parts) => {
                // Words about single sites come last: fewer sites are left for them.
                let (late, early): (Vec<&Expr>, Vec<&Expr>) =
                    parts.iter().partition(|part| matches!(part.kind, ExprKind::Adjective { .. }));
                early.into_iter().chain(late).fold(bound, |bound, part| self.sites(part, bound, frame))
            }
            ExprKind::Union(parts) => {
                parts.iter().fold(SiteSet::EMPTY, |all, part| all | self.sites(part, bound - all, frame))
            }
            ExprKind::Complement(inner) => bound - self.sites(inner, bound, frame),
            ExprKind::Adjective { word, holds } => {
                let Some(word) = self.engine.rules().words.get(word.0) else { return SiteSet::EMPTY };
                let fits = |site: &Site| {
                    let mut inner = vec![Value::of_site(*site)];
                    self.eval(&word.body, &mut inner) == Value::Condition(Some(*holds))
                };
                bound.iter().filter(fits).collect()
            }
            ExprKind::OfKinds(kinds) => self.state.of_kinds(self.eval(kinds, frame).kinds()) & bound,
            ExprKind::OfPlayers(players) => self.state.of_players(self.eval(players, frame).players()) & bound,
            ExprKind::Word(id, args) => {
                let mut inner: Frame = args.iter().map(|arg| self.eval(arg, frame)).collect();
                match self.engine.rules().words.get(id.0) {
                    Some(word) => self.sites(&word.body, bound, &mut inner),
                    None => SiteSet::EMPTY,
                }
            }
            ExprKind::If { condition, then, otherwise } => {
                if self.holds(condition, frame) {
                    self.sites(then, bound, frame)
                } else {
                    self.sites(otherwise, bound, frame)
                }
            }
            ExprKind::Before(inner) => self.at(self.before).sites(inner, bound, frame),
            _ => self.eval(expr, frame).sites() & bound,
        }
    }

    fn all(&self, parts: &[Expr], and: bool, frame: &mut Frame) -> Value {
        let mut result = Some(and);
        for part in parts {
            match self.eval(part, frame).condition() {
                Some(value) if value != and => return Value::Condition(Some(!and)),
                Some(_) => {}
                None => result = None,
            }
        }
        Value::Condition(result)
    }

    fn compare(&self, first: &Expr, rest: &[(CompareOp, Expr)], frame: &mut Frame) -> Value {
        let mut left = self.eval(first, frame);
        let mut result = Some(true);
        for (op, right) in rest {
            let right = self.eval(right, frame);
            match compare_values(*op, &left, &right) {
                Some(false) => return Value::Condition(Some(false)),
                Some(true) => {}
                None => result = None,
            }
            left = right;
        }
        Value::Condition(result)
    }

    fn is_in(&self, left: &Expr, right: &Expr, frame: &mut Frame) -> Option<bool> {
        match self.eval(left, frame) {
            Value::Number(number) => match self.eval(right, frame) {
                Value::Range(Some((low, high))) => number.map(|number| (low..=high).contains(&number)),
                _ => None,
            },
            Value::Sites(left) => (!left.is_empty()).then(|| self.sites(right, left.get(), frame) == left.get()),
            left => (!left.is_empty_set()).then(|| subset(&left, &self.eval(right, frame))),
        }
    }

    fn recall(&self, memory: crate::rules::MemoryId, index: Option<&Value>) -> Value {
        let Some(info) = self.engine.rules().memories.get(memory.0) else { return Value::Condition(None) };
        let base = self.engine.base(memory);
        let offset = match (info.scope, index) {
            (Scope::Game, _) => Some(0),
            (Scope::Player, Some(index)) => index.players().only().map(|player| usize::from(player.0)),
            (Scope::Site, Some(index)) => index.site().map(Site::index),
            (Scope::Kind, Some(index)) => index.kinds().only().map(|kind| usize::from(kind.0)),
            (Scope::PlayerKind, Some(index)) => index.number().and_then(|entry| usize::try_from(entry).ok()),
            _ => None,
        };
        match offset.and_then(|offset| self.state.memory.get(base + offset)) {
            Some(value) => value.clone(),
            None => empty_of(info.ty),
        }
    }

    fn seen(&self, board: bool, times: Option<i64>) -> bool {
        let (seen, now) = match self.following {
            // The position reached is the last one remembered.
            Some(following) => (&following.seen, following.seen.last().copied()),
            None => (&self.state.seen, None),
        };
        // While a turn lasts, the position is the one that the next player would face if it were over.
        let now = now.unwrap_or_else(|| super::state::Seen {
            position: self.engine.position_hash(self.state, self.next),
            board: self.state.board_hash(),
        });
        let found = seen
            .iter()
            .filter(|seen| if board { seen.board == now.board } else { seen.position == now.position })
            .count();
        let earlier = if self.following.is_some() { found.saturating_sub(1) } else { found };
        match times {
            None => earlier == 0,
            Some(times) => earlier as i64 + 1 >= times,
        }
    }
}

pub(super) fn set_local(frame: &mut Frame, index: usize, value: Value) {
    if frame.len() <= index {
        frame.resize(index + 1, Value::Condition(None));
    }
    frame[index] = value;
}

/// What the names of a move are before anything is picked: nothing of their types.
pub(super) fn unpicked(mv: &Move) -> Frame {
    let mut frame = Frame::new();
    for name in &mv.names {
        set_local(&mut frame, name.local.0, empty_of(name.ty));
    }
    frame
}

/// Gives a name no value, whatever it had on another way.
pub(super) fn leave_out(frame: &mut Frame, index: usize) {
    if let Some(place) = frame.get_mut(index) {
        *place = empty_like(place);
    }
}

pub(super) fn empty_of(ty: Type) -> Value {
    match ty {
        Type::Number => Value::Number(None),
        Type::Range => Value::Range(None),
        Type::Sites => Value::of_sites(SiteSet::EMPTY),
        Type::Directions => Value::Directions(crate::board::Directions::EMPTY),
        Type::Players => Value::Players(Players(0)),
        Type::Kinds => Value::Kinds(Kinds(0)),
        Type::Piece => Value::Piece(None),
        Type::List => Value::List(Vec::new()),
        Type::Condition | Type::Choice | Type::Unknown => Value::Condition(None),
    }
}

fn empty_like(value: &Value) -> Value {
    empty_of(value.type_of())
}

fn union(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Sites(a), Value::Sites(b)) => Value::of_sites(a.get() | b.get()),
        (Value::Directions(a), Value::Directions(b)) => Value::Directions(a | b),
        (Value::Players(a), Value::Players(b)) => Value::Players(Players(a.0 | b.0)),
        (Value::Kinds(a), Value::Kinds(b)) => Value::Kinds(Kinds(a.0 | b.0)),
        // The numbers of a range, picked one by one.
        (Value::Range(None), Value::Number(Some(number))) => Value::Range(Some((number, number))),
        (Value::Range(Some((low, high))), Value::Number(Some(number))) => {
            Value::Range(Some((low.min(number), high.max(number))))
        }
        (a, _) => a,
    }
}

fn intersection(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Sites(a), Value::Sites(b)) => Value::of_sites(a.get() & b.get()),
        (Value::Directions(a), Value::Directions(b)) => Value::Directions(a & b),
        (Value::Players(a), Value::Players(b)) => Value::Players(Players(a.0 & b.0)),
        (Value::Kinds(a), Value::Kinds(b)) => Value::Kinds(Kinds(a.0 & b.0)),
        (a, _) => a,
    }
}

fn complement(engine: &Reference, value: Value) -> Value {
    let rules = engine.rules();
    match value {
        Value::Sites(set) => Value::of_sites(rules.board.all() - set.get()),
        Value::Directions(set) => {
            let others = rules.board.directions().iter().filter(|direction| !set.contains(*direction));
            Value::Directions(others.fold(crate::board::Directions::EMPTY, |all, direction| {
                all | crate::board::Directions::single(direction)
            }))
        }
        Value::Players(players) => Value::Players(Players(Players::first(rules.players.len()).0 & !players.0)),
        Value::Kinds(kinds) => {
            let all = if rules.kinds.len() >= 32 { u32::MAX } else { (1u32 << rules.kinds.len()) - 1 };
            Value::Kinds(Kinds(all & !kinds.0))
        }
        other => other,
    }
}

fn subset(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Sites(a), Value::Sites(b)) => a.get().is_subset(b.get()),
        (Value::Directions(a), Value::Directions(b)) => a.iter().all(|direction| b.contains(direction)),
        (Value::Players(a), Value::Players(b)) => a.0 & !b.0 == 0,
        (Value::Kinds(a), Value::Kinds(b)) => a.0 & !b.0 == 0,
        _ => false,
    }
}

/// None when one side has no value; sets are compared by their only members.
fn compare_values(op: CompareOp, left: &Value, right: &Value) -> Option<bool> {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => Some(op.holds((*a)?, (*b)?)),
        (Value::List(a), Value::List(b)) => {
            let a: Vec<i64> = a.iter().copied().collect::<Option<_>>()?;
            let b: Vec<i64> = b.iter().copied().collect::<Option<_>>()?;
            Some(op.holds(a, b))
        }
        (Value::Choice(a), Value::Choice(b)) => Some((a == b) == (op == CompareOp::Equal)),
        (a, b) => {
            if a.count() != 1 || b.count() != 1 {
                return None;
            }
            Some((a == b) == (op == CompareOp::Equal))
        }
    }
}
