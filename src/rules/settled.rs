//! The value of an expression that nothing in play changes: the board decides it, or the board and the players.

use super::catalogue::{Id, Primitive, Reads};
use super::{CompareOp, Expr, ExprKind, Kinds, Local, PlayerId, Players, Reduce, Rules, Type, Value, WordId};
use crate::board::{Directions, SiteSet};
use std::cell::Cell;

/// Works such values out, within a bound on the steps that it takes.
pub struct Settled<'r> {
    rules: &'r Rules,
    /// The player to move; none where the board alone may decide.
    mover: Option<PlayerId>,
    /// How many steps may still be taken.
    left: Cell<u64>,
}

/// The values of names.
pub type Frame = Vec<Value>;

impl<'r> Settled<'r> {
    /// What the board alone decides.
    #[must_use]
    pub fn by_board(rules: &'r Rules) -> Self {
        Self { rules, mover: None, left: Cell::new(u64::MAX) }
    }

    /// What the board, the players and the player to move decide, in so many steps.
    #[must_use]
    pub fn by_players(rules: &'r Rules, mover: PlayerId, steps: u64) -> Self {
        Self { rules, mover: Some(mover), left: Cell::new(steps) }
    }

    /// The steps that are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Whether a word of the catalogue has a value here.
    #[must_use]
    pub fn knows(&self, primitive: &Primitive) -> bool {
        primitive.reads == Reads::Board || self.mover.is_some() && is_of_players(primitive)
    }

    /// The value of an expression with the names in a frame; none if it is about pieces or the course of the game, or takes
    /// too many steps.
    pub fn value(&self, expr: &Expr, frame: &mut Frame) -> Option<Value> {
        self.left.set(self.left.get().checked_sub(1)?);
        Some(match &expr.kind {
            ExprKind::Constant(value) => value.clone(),
            ExprKind::Local(local) => frame.get(local.0)?.clone(),
            ExprKind::Primitive(primitive, args) => {
                let values = args.iter().map(|arg| self.value(arg, frame)).collect::<Option<Vec<_>>>()?;
                self.primitive(primitive, &values)?
            }
            ExprKind::Word(word, args) => {
                let mut inner = args.iter().map(|arg| self.value(arg, frame)).collect::<Option<Vec<_>>>()?;
                self.value(&self.rules.words.get(word.0)?.body, &mut inner)?
            }
            ExprKind::Adjective { word, holds } => self.adjective(*word, *holds)?,
            ExprKind::Before(inner) => self.value(inner, frame)?,
            ExprKind::Not(inner) => Value::Condition(self.value(inner, frame)?.condition().map(|holds| !holds)),
            ExprKind::And(parts) => self.joined(parts, true, frame)?,
            ExprKind::Or(parts) => self.joined(parts, false, frame)?,
            ExprKind::Complement(inner) => self.complement(self.value(inner, frame)?)?,
            ExprKind::Intersection(parts) => self.gathered(parts, frame, intersection)?,
            ExprKind::Union(parts) => self.gathered(parts, frame, union)?,
            ExprKind::Compare { first, rest } => self.compare(first, rest, frame)?,
            ExprKind::In { left, not, right } => {
                let inside = is_in(&self.value(left, frame)?, &self.value(right, frame)?);
                Value::Condition(inside.map(|inside| inside != *not))
            }
            ExprKind::Subset(left, right) => {
                Value::Condition(Some(is_subset(&self.value(left, frame)?, &self.value(right, frame)?)))
            }
            ExprKind::Arithmetic(op, left, right) => {
                let (left, right) = (self.value(left, frame)?, self.value(right, frame)?);
                Value::Number(left.number().zip(right.number()).and_then(|(a, b)| op.apply(a, b)))
            }
            ExprKind::Range(left, right) => {
                let (left, right) = (self.value(left, frame)?, self.value(right, frame)?);
                Value::Range(left.number().zip(right.number()))
            }
            ExprKind::Negative(inner) => Value::Number(self.value(inner, frame)?.number().and_then(i64::checked_neg)),
            ExprKind::Any(inner) => Value::Condition(Some(!self.value(inner, frame)?.is_empty_set())),
            ExprKind::None(inner) => Value::Condition(Some(self.value(inner, frame)?.is_empty_set())),
            ExprKind::The(inner) => {
                let set = self.value(inner, frame)?;
                if set.count() == 1 { set } else { nothing(set.type_of())? }
            }
            ExprKind::Count(inner) => Value::Number(Some(self.value(inner, frame)?.count())),
            ExprKind::If { condition, then, otherwise } => {
                let branch = if self.value(condition, frame)?.is_true() { then } else { otherwise };
                self.value(branch, frame)?
            }
            ExprKind::Some { local, domain, condition, none } => {
                let found = !self.members(*local, domain, Some(condition), frame, |_, _| Some(()))?.is_empty();
                Value::Condition(Some(found != *none))
            }
            ExprKind::SetOf { local, domain, condition } => {
                let ty = self.value(domain, frame)?.type_of();
                let found =
                    self.members(*local, domain, condition.as_deref(), frame, |_, frame| frame.get(local.0).cloned())?;
                found.into_iter().fold(nothing(ty)?, union)
            }
            ExprKind::Each { body, local, domain, condition, result } => {
                let found =
                    self.members(*local, domain, condition.as_deref(), frame, |own, frame| own.value(body, frame))?;
                found.into_iter().fold(nothing(*result)?, union)
            }
            ExprKind::Reduce { reduce, body, local, domain, condition } => {
                let found = self.members(*local, domain, condition.as_deref(), frame, |own, frame| {
                    Some(own.value(body, frame)?.number())
                })?;
                Value::Number(reduced(*reduce, found))
            }
            ExprKind::Entry { player, kind } => {
                let (player, kind) = (self.value(player, frame)?, self.value(kind, frame)?);
                Value::Number(self.rules.entry(&player, &kind))
            }
            ExprKind::List(parts) => {
                let numbers = parts.iter().map(|part| Some(self.value(part, frame)?.number()));
                Value::List(numbers.collect::<Option<_>>()?)
            }
            ExprKind::OfKinds(_)
            | ExprKind::OfPlayers(_)
            | ExprKind::Piece { .. }
            | ExprKind::Memory { .. }
            | ExprKind::Seen { .. }
            | ExprKind::Possible { .. } => return None,
        })
    }

    fn primitive(&self, primitive: &Primitive, values: &[Value]) -> Option<Value> {
        if primitive.id == Id::Mover {
            return self.mover.map(|mover| Value::Players(Players::single(mover)));
        }
        if !self.knows(primitive) {
            return None;
        }
        primitive.settled(&self.rules.board, &self.rules.players, values)
    }

    fn adjective(&self, word: WordId, holds: bool) -> Option<Value> {
        let body = &self.rules.words.get(word.0)?.body;
        let mut found = SiteSet::EMPTY;
        for site in self.rules.board.all().iter() {
            let value = self.value(body, &mut vec![Value::of_site(site)])?;
            if value == Value::Condition(Some(holds)) {
                found.insert(site);
            }
        }
        Some(Value::of_sites(found))
    }

    fn joined(&self, parts: &[Expr], and: bool, frame: &mut Frame) -> Option<Value> {
        let mut result = Some(and);
        for part in parts {
            match self.value(part, frame)?.condition() {
                Some(value) if value != and => return Some(Value::Condition(Some(!and))),
                Some(_) => {}
                None => result = None,
            }
        }
        Some(Value::Condition(result))
    }

    fn gathered(&self, parts: &[Expr], frame: &mut Frame, join: fn(Value, Value) -> Value) -> Option<Value> {
        let values = parts.iter().map(|part| self.value(part, frame)).collect::<Option<Vec<_>>>()?;
        values.into_iter().reduce(join).filter(|value| value.type_of().is_set())
    }

    fn complement(&self, set: Value) -> Option<Value> {
        let rules = self.rules;
        Some(match set {
            Value::Sites(set) => Value::of_sites(rules.board.all() - set.get()),
            Value::Directions(set) => {
                Value::Directions(rules.board.directions().iter().filter(|way| !set.contains(*way)).collect())
            }
            Value::Players(players) => Value::Players(Players(Players::first(rules.players.len()).0 & !players.0)),
            Value::Kinds(kinds) => {
                Value::Kinds((0..).take(rules.kinds.len()).fold(Kinds(0), |all, at| Kinds(all.0 | 1 << at & !kinds.0)))
            }
            Value::Condition(_)
            | Value::Number(_)
            | Value::Range(_)
            | Value::Piece(_)
            | Value::Choice(_)
            | Value::List(_) => return None,
        })
    }

    fn compare(&self, first: &Expr, rest: &[(CompareOp, Expr)], frame: &mut Frame) -> Option<Value> {
        let mut left = self.value(first, frame)?;
        let mut result = Some(true);
        for (op, right) in rest {
            let right = self.value(right, frame)?;
            match compared(*op, &left, &right) {
                Some(false) => return Some(Value::Condition(Some(false))),
                Some(true) => {}
                None => result = None,
            }
            left = right;
        }
        Some(Value::Condition(result))
    }

    /// What a function gives for those members of a domain that pass.
    fn members<T>(
        &self,
        local: Local,
        domain: &Expr,
        condition: Option<&Expr>,
        frame: &mut Frame,
        each: impl Fn(&Self, &mut Frame) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut found = Vec::new();
        for member in self.value(domain, frame)?.members() {
            bind(frame, local, member);
            let passes = match condition {
                None => true,
                Some(condition) => self.value(condition, frame)?.is_true(),
            };
            if passes {
                found.push(each(self, frame)?);
            }
        }
        Some(found)
    }
}

/// Whether the players and the board decide a word, or who is to move.
fn is_of_players(primitive: &Primitive) -> bool {
    primitive.id == Id::Mover || primitive.is_settled()
}

/// Gives a name its value.
pub fn bind(frame: &mut Frame, local: Local, member: Value) {
    if frame.len() <= local.0 {
        frame.resize(local.0 + 1, Value::Condition(None));
    }
    if let Some(place) = frame.get_mut(local.0) {
        *place = member;
    }
}

/// The set of a type without members.
#[must_use]
pub fn nothing(ty: Type) -> Option<Value> {
    Some(match ty {
        Type::Sites => Value::of_sites(SiteSet::EMPTY),
        Type::Directions => Value::Directions(Directions::EMPTY),
        Type::Players => Value::Players(Players(0)),
        Type::Kinds => Value::Kinds(Kinds(0)),
        Type::Number | Type::Range | Type::Condition | Type::Choice | Type::Piece | Type::List | Type::Unknown => {
            return None;
        }
    })
}

fn union(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Sites(a), Value::Sites(b)) => Value::of_sites(a.get() | b.get()),
        (Value::Directions(a), Value::Directions(b)) => Value::Directions(a | b),
        (Value::Players(a), Value::Players(b)) => Value::Players(Players(a.0 | b.0)),
        (Value::Kinds(a), Value::Kinds(b)) => Value::Kinds(Kinds(a.0 | b.0)),
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

fn is_subset(a: &Value, b: &Value) -> bool {
    let both = intersection(a.clone(), b.clone());
    a.type_of() == b.type_of() && both == *a
}

/// Whether a number lies in a range, or a set that is not empty wholly in another one.
fn is_in(left: &Value, right: &Value) -> Option<bool> {
    match (left, right) {
        (Value::Number(number), Value::Range(range)) => {
            let (low, high) = (*range)?;
            Some((low..=high).contains(&(*number)?))
        }
        (Value::Number(_), _) => None,
        (left, right) => (!left.is_empty_set()).then(|| is_subset(left, right)),
    }
}

/// Sets are compared by their only members.
fn compared(op: CompareOp, left: &Value, right: &Value) -> Option<bool> {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => Some(op.holds((*a)?, (*b)?)),
        (Value::List(a), Value::List(b)) => {
            let a: Vec<i64> = a.iter().copied().collect::<Option<_>>()?;
            let b: Vec<i64> = b.iter().copied().collect::<Option<_>>()?;
            Some(op.holds(a, b))
        }
        (Value::Choice(a), Value::Choice(b)) => Some((a == b) == (op == CompareOp::Equal)),
        (a, b) => (a.count() == 1 && b.count() == 1).then(|| (a == b) == (op == CompareOp::Equal)),
    }
}

fn reduced(reduce: Reduce, numbers: Vec<Option<i64>>) -> Option<i64> {
    let numbers: Vec<i64> = numbers.into_iter().collect::<Option<_>>()?;
    match reduce {
        Reduce::Sum => numbers.iter().try_fold(0i64, |sum, number| sum.checked_add(*number)),
        Reduce::Least => numbers.into_iter().min(),
        Reduce::Most => numbers.into_iter().max(),
    }
}
