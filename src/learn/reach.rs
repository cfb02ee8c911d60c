//! What the parts of a move can be, whatever stands on the board: an upper bound of every set and number.

use crate::board::{Direction, Directions, SiteSet};
use crate::operator::ArithmeticOp;
use crate::rules::catalogue::{Id, Primitive};
use crate::rules::settled::Settled;
use crate::rules::{Expr, ExprKind, Kinds, Local, MAX_KINDS, MAX_PLAYERS, Players, Rules, Type, Value};

/// What is known of a name.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// This is its value.
    Exactly(Value),
    /// Its members are among these.
    Among(Value),
    Nothing,
}

/// The names of a move or a word.
pub(super) type Names = Vec<Known>;

/// Looks at expressions for one player to move.
pub(super) struct Reach<'r> {
    pub rules: &'r Rules,
    pub settled: Settled<'r>,
}

/// Gives a name what is known of it.
pub(super) fn know(names: &mut Names, local: Local, known: Known) {
    if names.len() <= local.0 {
        names.resize(local.0 + 1, Known::Nothing);
    }
    if let Some(place) = names.get_mut(local.0) {
        *place = known;
    }
}

impl Reach<'_> {
    /// The value of an expression that nothing in play changes.
    pub fn exactly(&self, expr: &Expr, names: &Names) -> Option<Value> {
        if !self.is_told(expr, names) {
            return None;
        }
        let value = |known: &Known| match known {
            Known::Exactly(value) => value.clone(),
            Known::Among(_) | Known::Nothing => Value::Condition(None),
        };
        self.settled.value(expr, &mut names.iter().map(value).collect())
    }

    /// Whether all names in an expression have values, but for those that it binds itself.
    fn is_told(&self, expr: &Expr, names: &Names) -> bool {
        let own = if let ExprKind::Local(local) = expr.kind {
            !matches!(names.get(local.0), Some(Known::Among(_) | Known::Nothing))
        } else {
            true
        };
        own && expr.children().into_iter().all(|part| self.is_told(part, names))
    }

    /// Whether a condition holds in no position.
    pub fn fails(&self, expr: &Expr, names: &Names) -> bool {
        match &expr.kind {
            ExprKind::And(parts) => parts.iter().any(|part| self.fails(part, names)),
            ExprKind::Or(parts) => parts.iter().all(|part| self.fails(part, names)),
            _ => self.exactly(expr, names).is_some_and(|value| !value.is_true()),
        }
    }

    /// A set or a range in which all members lie that an expression can have; none where nothing is known.
    pub fn among(&self, expr: &Expr, names: &Names) -> Option<Value> {
        if let Some(value) = self.exactly(expr, names) {
            return Some(value);
        }
        match &expr.kind {
            ExprKind::Local(local) => match names.get(local.0)? {
                Known::Exactly(value) | Known::Among(value) => Some(value.clone()),
                Known::Nothing => None,
            },
            ExprKind::Intersection(parts) => {
                parts.iter().filter_map(|part| self.among(part, names)).reduce(|a, b| meet(a, &b))
            }
            ExprKind::Union(parts) => {
                let parts = parts.iter().map(|part| self.among(part, names)).collect::<Option<Vec<_>>>()?;
                parts.into_iter().reduce(|a, b| join(a, &b))
            }
            ExprKind::The(inner) | ExprKind::Before(inner) => self.among(inner, names),
            ExprKind::SetOf { local, domain, condition } => {
                let domain = self.among(domain, names)?;
                let Some(condition) = condition else { return Some(domain) };
                let passes = |member: &Value| {
                    let mut inner = names.clone();
                    know(&mut inner, *local, Known::Exactly(member.clone()));
                    !self.fails(condition, &inner)
                };
                domain.members().into_iter().filter(passes).reduce(|a, b| join(a, &b)).or(Some(empty_like(&domain)))
            }
            ExprKind::Each { body, local, domain, .. } => {
                let mut all: Option<Value> = None;
                for member in self.among(domain, names)?.members() {
                    let mut inner = names.clone();
                    know(&mut inner, *local, Known::Exactly(member));
                    let one = self.among(body, &inner)?;
                    all = Some(match all {
                        Some(all) => join(all, &one),
                        None => one,
                    });
                }
                all
            }
            ExprKind::If { condition, then, otherwise } => match self.exactly(condition, names) {
                Some(value) => self.among(if value.is_true() { then } else { otherwise }, names),
                None => Some(join(self.among(then, names)?, &self.among(otherwise, names)?)),
            },
            ExprKind::Word(word, args) => {
                let inner: Names = args.iter().map(|arg| self.known(arg, names)).collect();
                self.among(&self.rules.words.get(word.0)?.body, &inner)
            }
            ExprKind::Primitive(primitive, args) => self.of_primitive(primitive, args, names),
            ExprKind::Range(low, high) => {
                let (low, high) = (self.span(low, names), self.span(high, names));
                Some(Value::Range(Some((low.0, high.1))))
            }
            _ => None,
        }
    }

    /// What is known of an argument.
    fn known(&self, expr: &Expr, names: &Names) -> Known {
        if let Some(value) = self.exactly(expr, names) {
            return Known::Exactly(value);
        }
        self.among(expr, names).map_or(Known::Nothing, Known::Among)
    }

    fn sites(&self, expr: Option<&Expr>, names: &Names) -> SiteSet {
        let known = expr.and_then(|expr| self.among(expr, names));
        known.map_or(self.rules.board.all(), |value| value.sites())
    }

    fn ways(&self, expr: Option<&Expr>, names: &Names) -> Directions {
        let known = expr.and_then(|expr| self.among(expr, names));
        known.map_or(self.rules.board.ways(), |value| value.directions())
    }

    fn of_primitive(&self, primitive: &Primitive, args: &[Expr], names: &Names) -> Option<Value> {
        let board = &self.rules.board;
        let eval = |values: &[Value]| primitive.settled(board, &self.rules.players, values);
        let (first, second) = (args.first(), args.get(1));
        match primitive.id {
            Id::NextTo => eval(&[Value::of_sites(self.sites(first, names))]),
            Id::Ahead => {
                let (from, ways) = (self.sites(first, names), self.ways(second, names));
                let Some(steps) = args.get(2) else { return eval(&[Value::of_sites(from), Value::Directions(ways)]) };
                if let Some(steps) = self.exactly(steps, names) {
                    return eval(&[Value::of_sites(from), Value::Directions(ways), steps]);
                }
                // No step leads to the site itself, and steps below nothing lead back.
                let (low, high) = self.span(steps, names);
                let here = if low <= 0 && high >= 0 { from } else { SiteSet::EMPTY };
                let back = if low < 0 { ways.iter().map(Direction::opposite).collect() } else { Directions::EMPTY };
                Some(Value::of_sites(self.lines(from, ways) | self.lines(from, back) | here))
            }
            Id::AheadAll | Id::Run | Id::Beyond => {
                Some(Value::of_sites(self.lines(self.sites(first, names), self.ways(second, names))))
            }
            Id::Connected => Some(Value::of_sites(self.sites(first, names) | self.sites(second, names))),
            Id::Opposite => eval(&[Value::Directions(self.ways(first, names))]),
            Id::Turned => eval(&[Value::Directions(self.ways(first, names)), self.exactly(second?, names)?]),
            // One player at a time, whoever it may be.
            Id::Facing => {
                let players = self.among(first?, names)?.members();
                players.into_iter().filter_map(|player| eval(&[player])).reduce(|a, b| join(a, &b))
            }
            _ => None,
        }
    }

    /// All sites on the lines from some sites, to their ends.
    fn lines(&self, from: SiteSet, ways: Directions) -> SiteSet {
        let board = &self.rules.board;
        let mut found = SiteSet::EMPTY;
        for site in from {
            for way in ways.iter() {
                let mut at = site;
                // A line that runs in a circle ends where it has been.
                for _ in 0..board.len() {
                    let Some(next) = board.step(at, way) else { break };
                    found.insert(next);
                    at = next;
                }
            }
        }
        found
    }

    /// Between what a number lies; what nothing is known of counts sites.
    pub fn span(&self, expr: &Expr, names: &Names) -> (i64, i64) {
        let sites = i64::try_from(self.rules.board.len()).unwrap_or(i64::MAX);
        if let Some(value) = self.exactly(expr, names) {
            return value.number().map_or((0, -1), |number| (number, number));
        }
        match &expr.kind {
            ExprKind::Negative(inner) => {
                let (low, high) = self.span(inner, names);
                (high.saturating_neg(), low.saturating_neg())
            }
            ExprKind::Before(inner) => self.span(inner, names),
            ExprKind::Arithmetic(op, left, right) => {
                let (left, right) = (self.span(left, names), self.span(right, names));
                match op {
                    ArithmeticOp::Add => (left.0.saturating_add(right.0), left.1.saturating_add(right.1)),
                    ArithmeticOp::Subtract => (left.0.saturating_sub(right.1), left.1.saturating_sub(right.0)),
                    _ => {
                        let most = [left.0, left.1].map(i64::saturating_abs).into_iter().max().unwrap_or(0);
                        let other = [right.0, right.1].map(i64::saturating_abs).into_iter().max().unwrap_or(0);
                        let most = most.saturating_mul(other.max(1));
                        (most.saturating_neg(), most)
                    }
                }
            }
            ExprKind::Count(set) => (0, self.among(set, names).map_or(sites, |set| set.count())),
            ExprKind::If { then, otherwise, .. } => {
                let (one, other) = (self.span(then, names), self.span(otherwise, names));
                (one.0.min(other.0), one.1.max(other.1))
            }
            ExprKind::Word(word, args) => {
                let inner: Names = args.iter().map(|arg| self.known(arg, names)).collect();
                self.rules.words.get(word.0).map_or((-sites, sites), |word| self.span(&word.body, &inner))
            }
            ExprKind::Memory { memory, .. } => {
                let range = self.rules.memories.get(memory.0).and_then(|memory| memory.range);
                range.unwrap_or((-sites, sites))
            }
            _ => (-sites, sites),
        }
    }

    /// All values of a type, where nothing is known of them.
    pub fn every(&self, ty: Type) -> Option<Value> {
        let board = &self.rules.board;
        Some(match ty {
            Type::Sites => Value::of_sites(board.all()),
            Type::Directions => Value::Directions(board.ways()),
            Type::Players => Value::Players(Players::first(self.rules.players.len().min(MAX_PLAYERS))),
            Type::Kinds => {
                let kinds = (0..).take(self.rules.kinds.len().min(MAX_KINDS));
                Value::Kinds(Kinds(kinds.fold(0, |all, at: u32| all | 1 << at)))
            }
            Type::Number | Type::Range => {
                let sites = i64::try_from(board.len()).unwrap_or(0);
                Value::Range(Some((-sites, sites)))
            }
            Type::Condition | Type::Piece | Type::Choice | Type::List | Type::Unknown => return None,
        })
    }
}

fn empty_like(value: &Value) -> Value {
    match value {
        Value::Sites(_) => Value::of_sites(SiteSet::EMPTY),
        Value::Directions(_) => Value::Directions(Directions::EMPTY),
        Value::Players(_) => Value::Players(Players(0)),
        Value::Kinds(_) => Value::Kinds(Kinds(0)),
        Value::Range(_)
        | Value::Number(_)
        | Value::Condition(_)
        | Value::Piece(_)
        | Value::Choice(_)
        | Value::List(_) => Value::Range(None),
    }
}

/// A single number counts as a range of one.
fn range_of(value: &Value) -> Option<(i64, i64)> {
    match value {
        Value::Range(range) => *range,
        Value::Number(number) => number.map(|number| (number, number)),
        _ => None,
    }
}

fn join(a: Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Sites(a), Value::Sites(b)) => Value::of_sites(a.get() | b.get()),
        (Value::Directions(a), Value::Directions(b)) => Value::Directions(a | *b),
        (Value::Players(a), Value::Players(b)) => Value::Players(Players(a.0 | b.0)),
        (Value::Kinds(a), Value::Kinds(b)) => Value::Kinds(Kinds(a.0 | b.0)),
        (a, b) => match (range_of(&a), range_of(b)) {
            (Some(a), Some(b)) => Value::Range(Some((a.0.min(b.0), a.1.max(b.1)))),
            (one, other) => Value::Range(one.or(other)),
        },
    }
}

fn meet(a: Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Sites(a), Value::Sites(b)) => Value::of_sites(a.get() & b.get()),
        (Value::Directions(a), Value::Directions(b)) => Value::Directions(a & *b),
        (Value::Players(a), Value::Players(b)) => Value::Players(Players(a.0 & b.0)),
        (Value::Kinds(a), Value::Kinds(b)) => Value::Kinds(Kinds(a.0 & b.0)),
        (a, _) => a,
    }
}
