//! Numbers and conditions that play does not change, worked out for each site, direction, player or kind when the board is,
//! and looked up in play.
//!
//! That is sound because such an expression reads nothing but the board, the players, the player to move (who is known
//! here) and the names in it; and a name whose value lies in a small domain is put through all of that domain.

use super::build::*;
use super::ir::*;
use super::lower::{Env, Lowering};
use super::narrow::count;
use super::values::Val;
use crate::board::{Direction, Directions, Site, SiteSet};
use crate::rules::catalogue::{Id, Primitive};
use crate::rules::settled::{Settled, bind};
use crate::rules::{ArithmeticOp, Expr, ExprKind, KindId, Kinds, Local, PlayerId, Players, Role, Rules, Type, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// Larger tables are not made.
const MOST_ENTRIES: usize = 1 << 14;

/// All tables of a player take no more steps than this, and one of them no more than a part of these.
const MOST_STEPS: u64 = 1_000_000;
const MOST_AT_ONCE: u64 = 300_000;

/// Of so many cases the right one is found as fast as by a table, and each can be asked the other way round.
const FEW_CASES: u32 = 3;

/// The tables made so far, and what is known of words.
pub(super) struct Tables {
    words: Vec<Option<Nature>>,
    known: HashMap<Asked, Option<Rc<Vec<Value>>>>,
    steps: u64,
}

/// An expression as it is read by a player, with its names.
type Asked = (Expr, PlayerId, Vec<Given>);

/// What a name in an expression stands for.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Given {
    Is(Local, Value),
    Each(Local, Over),
}

/// What a table has an entry for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Over {
    Sites,
    Directions,
    Players,
    Kinds,
    /// The numbers from one to another.
    Numbers(i64, i64),
}

/// What can be said of an expression without its names.
#[derive(Clone, Copy)]
struct Nature {
    /// Play does not change it.
    settled: bool,
    /// It goes through the members of a set, or is a word without an instruction.
    loops: bool,
    /// It counts or calculates.
    counts: bool,
    /// It follows lines as far as they lead through a set.
    walks: bool,
    /// Between so many cases it chooses.
    cases: u32,
}

impl Nature {
    /// A table is looked up in less time than it takes to find the case.
    fn has_many_cases(self) -> bool {
        self.cases > FEW_CASES
    }
}

impl Tables {
    pub fn of(rules: &Rules) -> Self {
        Self { words: vec![None; rules.words.len()], known: HashMap::new(), steps: MOST_STEPS }
    }

    fn nature(&mut self, expr: &Expr, rules: &Rules) -> Nature {
        let mut nature = Nature {
            settled: !expr.kind.is_in_play(),
            loops: false,
            counts: expr.kind.result() == Some(Type::Number),
            walks: false,
            cases: u32::from(matches!(expr.kind, ExprKind::If { .. })),
        };
        if let ExprKind::Primitive(primitive, _) = &expr.kind {
            nature.settled = primitive.is_settled() || primitive.id == Id::Mover;
            nature.loops = !has_instruction(primitive);
            nature.counts = primitive.result == Type::Number;
            nature.walks = matches!(primitive.id, Id::Run | Id::Beyond);
        }
        if let ExprKind::Word(word, _) | ExprKind::Adjective { word, .. } = &expr.kind {
            nature = self.word(word.0, rules);
            nature.loops |= matches!(expr.kind, ExprKind::Adjective { .. });
        }
        let mut parts = Vec::new();
        expr.kind.visit(&mut |part, role| parts.push((part, role)));
        for (part, role) in parts {
            if !nature.settled {
                break;
            }
            let inner = self.nature(part, rules);
            nature.settled = inner.settled;
            nature.loops |= inner.loops || role == Role::Domain;
            nature.counts |= inner.counts;
            nature.walks |= inner.walks;
            nature.cases = nature.cases.saturating_add(inner.cases);
        }
        nature
    }

    fn word(&mut self, at: usize, rules: &Rules) -> Nature {
        if let Some(Some(known)) = self.words.get(at) {
            return *known;
        }
        let nature = match rules.words.get(at) {
            Some(word) => self.nature(&word.body, rules),
            None => Nature { settled: false, loops: false, counts: false, walks: false, cases: 0 },
        };
        if let Some(place) = self.words.get_mut(at) {
            *place = Some(nature);
        }
        nature
    }
}

/// Words that the catalogue must be called for where their values are not known beforehand, and distances.
fn has_instruction(primitive: &Primitive) -> bool {
    !matches!(
        primitive.id,
        Id::Turned | Id::PlayerAfter | Id::Row | Id::Column | Id::Side | Id::Distance | Id::Connected
    )
}

impl Lowering<'_> {
    /// The value of an expression by tables, where that is worth it.
    pub fn tabled(&mut self, expr: &Expr, env: &Env) -> Option<Val> {
        let nature = self.tables.nature(expr, self.rules);
        if !nature.settled || !nature.loops && !nature.counts && !nature.has_many_cases() {
            return None;
        }
        let mut given = Vec::new();
        if !self.names_of(expr, env, &mut Vec::new(), &mut given) {
            return None;
        }
        let open: Vec<(Over, Int)> = given
            .iter()
            .filter_map(|name| match name {
                Given::Is(..) => None,
                Given::Each(local, over) => Some((*over, self.index_in(*over, env.locals.get(local.0)?))),
            })
            .collect();
        // Of two names only what goes through members itself is worth a table, or a word that says how far it is from one site
        // to another along lines: around it, each has one of its own.
        let is_way = nature.walks
            && matches!(&expr.kind, ExprKind::Word(word, _)
                if self.rules.words.get(word.0).is_some_and(|word| word.result == Type::Number))
            && open.iter().all(|(over, _)| *over == Over::Sites);
        if open.len() > 1 && !goes_through(expr) && !is_way || open.len() > 2 {
            return None;
        }
        let values = self.entries(expr, given)?;
        self.looked_up(&values, &open, nature)
    }

    /// The value of a word that play does not change, looked up by what it is given, where that has few values.
    pub fn word_by_table(&self, primitive: &Primitive, args: &[Val]) -> Option<Val> {
        if !primitive.is_settled() {
            return None;
        }
        let (mut given, mut open) = (Vec::new(), Vec::new());
        for (at, arg) in args.iter().enumerate() {
            given.push(match self.given(Local(at), arg)? {
                Given::Each(local, over) => {
                    open.push((over, self.index_in(over, arg)));
                    Given::Each(local, over)
                }
                known @ Given::Is(..) => known,
            });
        }
        let size = open.iter().map(|(over, _)| self.width(*over).saturating_add(1)).fold(1, usize::saturating_mul);
        if open.is_empty() || open.len() > 2 || size > MOST_ENTRIES {
            return None;
        }
        let entry = |at: usize| {
            let mut rest = at;
            let values = given.iter().rev().map(|name| self.value_at(name, &mut rest));
            let mut values: Vec<Value> = values.collect();
            values.reverse();
            primitive.settled(&self.rules.board, &self.rules.players, &values)
        };
        let values = (0..size).map(entry).collect::<Option<Vec<_>>>()?;
        self.looked_up(&values, &open, Nature { settled: true, loops: true, counts: true, walks: false, cases: 0 })
    }

    /// The value of a name in an entry of a table, by what is left of the number of the entry.
    fn value_at(&self, name: &Given, rest: &mut usize) -> Value {
        match name {
            Given::Is(_, value) => value.clone(),
            Given::Each(_, over) => {
                let width = self.width(*over) + 1;
                let value = self.nth(*over, *rest % width);
                *rest /= width;
                value
            }
        }
    }

    /// What the names in an expression stand for; false if one may be too much.
    fn names_of(&self, expr: &Expr, env: &Env, bound: &mut Vec<Local>, given: &mut Vec<Given>) -> bool {
        let before = bound.len();
        if let ExprKind::Local(local) = &expr.kind {
            if bound.contains(local) {
                return true;
            }
            let name = env.locals.get(local.0).and_then(|value| self.given(*local, value));
            let is_known = name.is_some();
            given.extend(name.filter(|name| !given.contains(name)));
            return is_known;
        }
        if let ExprKind::Some { local, .. }
        | ExprKind::SetOf { local, .. }
        | ExprKind::Each { local, .. }
        | ExprKind::Reduce { local, .. } = &expr.kind
        {
            bound.push(*local);
        }
        let all = expr.children().into_iter().all(|child| self.names_of(child, env, bound, given));
        bound.truncate(before);
        all
    }

    fn given(&self, local: Local, value: &Val) -> Option<Given> {
        if let Some(known) = self.known(value) {
            return Some(Given::Is(local, known));
        }
        let over = match value {
            Val::Site(_) => Over::Sites,
            Val::Direction(_) => Over::Directions,
            Val::Player(_) => Over::Players,
            Val::Kind(_) => Over::Kinds,
            Val::Number(number) => {
                let (low, high) = match number {
                    Int::Slot(slot) => *self.knowledge.ranges.get(slot)?,
                    // One that is not there has an entry of its own, or none.
                    number => self.ends_of(number)?,
                };
                Over::Numbers(low, high)
            }
            Val::Missing
            | Val::Sites(_)
            | Val::Range(..)
            | Val::Directions(_)
            | Val::Players(_)
            | Val::Kinds(_)
            | Val::Piece(_)
            | Val::Choice(_)
            | Val::Condition(..)
            | Val::List(_) => return None,
        };
        Some(Given::Each(local, over))
    }

    /// The number of the entry for a value, the last one for none.
    fn index_in(&self, over: Over, value: &Val) -> Int {
        match (over, value) {
            (Over::Numbers(low, _), Val::Number(number)) => {
                calculate(ArithmeticOp::Subtract, number.clone(), Int::Const(low))
            }
            (_, Val::Site(index) | Val::Direction(index) | Val::Player(index) | Val::Kind(index)) => index.clone(),
            _ => Int::Const(NONE),
        }
    }

    /// How many values a name may have, but for none.
    fn width(&self, over: Over) -> usize {
        match over {
            Over::Sites => self.layout.positions,
            Over::Directions => 16,
            Over::Players => self.rules.players.len(),
            Over::Kinds => self.rules.kinds.len(),
            Over::Numbers(low, high) => {
                high.checked_sub(low).and_then(|span| usize::try_from(span + 1).ok()).unwrap_or(usize::MAX)
            }
        }
    }

    /// The value of a name with a number, or none.
    fn nth(&self, over: Over, at: usize) -> Value {
        let small = || u8::try_from(at).unwrap_or(u8::MAX);
        let inside = at < self.width(over);
        match over {
            Over::Sites => Value::of_sites(self.layout.site(at).map_or(SiteSet::EMPTY, SiteSet::single)),
            Over::Directions => {
                Value::Directions(Direction::from_index(at).map_or(Directions::EMPTY, Directions::single))
            }
            Over::Players if inside => Value::Players(Players::single(PlayerId(small()))),
            Over::Players => Value::Players(Players(0)),
            Over::Kinds if inside => Value::Kinds(Kinds::single(KindId(small()))),
            Over::Kinds => Value::Kinds(Kinds(0)),
            Over::Numbers(low, _) => Value::Number(inside.then(|| low.saturating_add(count(at)))),
        }
    }

    /// The values of an expression, those for no value last; those of the second name lie next to each other.
    fn entries(&mut self, expr: &Expr, given: Vec<Given>) -> Option<Rc<Vec<Value>>> {
        let sizes = given.iter().map(|name| match name {
            Given::Is(..) => 1,
            Given::Each(_, over) => self.width(*over).saturating_add(1),
        });
        let size = sizes.fold(1, usize::saturating_mul);
        if size > MOST_ENTRIES {
            return None;
        }
        let key = (expr.clone(), self.mover, given);
        if let Some(known) = self.tables.known.get(&key) {
            return known.clone();
        }
        let steps = self.tables.steps.min(MOST_AT_ONCE);
        let settled = Settled::by_players(self.rules, self.mover, steps);
        let entry = |at: usize| {
            let mut frame = Vec::new();
            let mut rest = at;
            for name in key.2.iter().rev() {
                let (Given::Is(local, _) | Given::Each(local, _)) = name;
                bind(&mut frame, *local, self.value_at(name, &mut rest));
            }
            settled.value(expr, &mut frame)
        };
        let values = (0..size).map(entry).collect::<Option<Vec<_>>>().map(Rc::new);
        self.tables.steps -= steps - settled.left();
        self.tables.known.insert(key, values.clone());
        values
    }

    /// An entry of a table found by the values of its names.
    fn looked_up(&self, values: &[Value], open: &[(Over, Int)], nature: Nature) -> Option<Val> {
        let (first, rest) = values.split_first()?;
        if rest.iter().all(|value| value == first) {
            return Some(self.constant(first));
        }
        // A number that is none without a value needs no entry for that.
        if let ([(_, index)], Some((Value::Number(None), known))) = (open, values.split_last()) {
            let numbers: Vec<i64> = known.iter().map(|value| value.number().unwrap_or(NONE)).collect();
            if let Some(shifted) = shifted(&numbers, index) {
                return Some(Val::Number(shifted));
            }
            return Some(Val::Number(table(numbers.into(), index.clone())));
        }
        // Where names may have no value the last entry is meant.
        let last = |index: &Int, over: Over| {
            let there = if self.bounds(index).is_some() { Test::Const(true) } else { self.is_there(index) };
            pick(there, index.clone(), Int::Const(count(self.width(over))))
        };
        let index = if let [(one, first), (other, second)] = open {
            let width = Int::Const(count(self.width(*other) + 1));
            let row = calculate(ArithmeticOp::Multiply, last(first, *one), width);
            calculate(ArithmeticOp::Add, row, last(second, *other))
        } else {
            let (over, index) = open.first()?;
            last(index, *over)
        };
        let ints = |of: &dyn Fn(&Value) -> Option<i64>| -> Option<Int> {
            Some(table(values.iter().map(of).collect::<Option<Vec<_>>>()?.into(), index.clone()))
        };
        // Steps and sets of steps are best said as such, and can be asked the other way round.
        let many = nature.has_many_cases();
        let worth = nature.loops || many;
        let of_sites = open.iter().any(|(over, _)| *over == Over::Sites);
        Some(match first {
            Value::Number(_) => Val::Number(ints(&|value| Some(value.number().unwrap_or(NONE)))?),
            Value::Condition(_) => return self.settled_condition(values, open, &index),
            // Where each is one direction at most, it is known as such.
            Value::Directions(_) if worth && values.iter().all(|value| value.directions().iter().count() <= 1) => {
                let way = |value: &Value| value.directions().iter().next().map_or(NONE, direction_index);
                Val::Direction(ints(&|value| Some(way(value)))?)
            }
            Value::Directions(_) if worth => Val::Directions(ints(&|value| {
                Some(value.directions().iter().fold(0, |mask, way| mask | 1 << way.index()))
            })?),
            Value::Players(_) if worth => Val::Players(ints(&|value| Some(i64::from(value.players().0)))?),
            Value::Kinds(_) if worth => Val::Kinds(ints(&|value| Some(i64::from(value.kinds().0)))?),
            Value::Sites(_) if many && values.iter().all(|value| value.sites().len() <= 1) => {
                let only = |value: &Value| self.layout.set(value.sites()).iter().next();
                Val::Site(ints(&|value| Some(only(value).map_or(NONE, |site| i64::from(site.0))))?)
            }
            Value::Sites(_) if many || worth && !of_sites => {
                let rows: Vec<SiteSet> = values.iter().map(|value| self.layout.set(value.sites())).collect();
                Val::Sites(row(rows.into(), index))
            }
            Value::Sites(_)
            | Value::Directions(_)
            | Value::Players(_)
            | Value::Kinds(_)
            | Value::Range(_)
            | Value::Piece(_)
            | Value::Choice(_)
            | Value::List(_) => return None,
        })
    }

    /// A condition on a site is the set of the sites for which it is true; any other is looked up.
    fn settled_condition(&self, values: &[Value], open: &[(Over, Int)], index: &Int) -> Option<Val> {
        if let [(Over::Sites, site)] = open {
            let (last, sites) = values.split_last()?;
            let of = |held: bool| {
                let wanted = Value::Condition(Some(held));
                let fitting = sites.iter().enumerate().filter(|(_, value)| **value == wanted);
                let set: SiteSet = fitting.filter_map(|(at, _)| Site::from_index(at)).collect();
                let inside = contains(Sets::Const(set & self.ground.all), site.clone());
                if *last == wanted { or(vec![inside, not(self.is_there(site))]) } else { inside }
            };
            return Some(Val::Condition(of(true), of(false)));
        }
        let truth = values.iter().map(|value| value.condition().map_or(NONE, i64::from)).collect::<Vec<_>>();
        let found = table(truth.into(), index.clone());
        let is = |held: i64| compare(crate::rules::CompareOp::Equal, found.clone(), Int::Const(held));
        Some(Val::Condition(is(1), is(0)))
    }
}

/// An entry of numbers that follow each other one by one as a sum: what else is known of the index is known of it as well.
fn shifted(numbers: &[i64], index: &Int) -> Option<Int> {
    let first = *numbers.first().filter(|first| **first != NONE)?;
    let follow = numbers.iter().zip(0..).all(|(number, at)| *number == first + at);
    let number = || match index {
        Int::Arithmetic(ArithmeticOp::Subtract, of, low) if let Int::Const(low) = **low => {
            offset((**of).clone(), first - low)
        }
        Int::Arithmetic(ArithmeticOp::Add, of, more) if let Int::Const(more) = **more => {
            offset((**of).clone(), first + more)
        }
        other => offset(other.clone(), first),
    };
    follow.then(number)
}

/// Whether an expression itself goes through the members of a set, or calls the catalogue.
fn goes_through(expr: &Expr) -> bool {
    let calls = matches!(&expr.kind, ExprKind::Primitive(primitive, _)
        if !has_instruction(primitive) && !matches!(primitive.id, Id::Distance | Id::Connected));
    calls
        || matches!(
            expr.kind,
            ExprKind::Some { .. } | ExprKind::SetOf { .. } | ExprKind::Each { .. } | ExprKind::Reduce { .. }
        )
}
