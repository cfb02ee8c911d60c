//! Which directions a set of them can have, and the conditions on directions that this decides: those that never hold, and
//! those that always do.

use super::Checker;
use crate::board::Directions;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue::{Id, Must, Primitive, Reads};
use crate::rules::*;
use crate::syntax::ast::ItemKind;
use petgraph::graph::NodeIndex;
use std::cell::Cell;
use std::collections::BTreeMap;

/// Expressions that are looked into altogether: words that ask for one another over and over are left alone.
const MOST_STEPS: u32 = 200_000;

/// What is known of a set of directions before the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ways {
    /// All of these are in it,
    least: Directions,
    /// and none but these.
    most: Directions,
    /// Whether it has a member for sure,
    some: bool,
    /// and whether it has one and no more.
    one: bool,
}

impl Ways {
    const UNKNOWN: Ways = Ways { least: Directions::EMPTY, most: Directions::ALL, some: false, one: false };

    fn exactly(set: Directions) -> Self {
        Self { least: set, most: set, some: !set.is_empty(), one: set.len() == 1 }
    }

    fn between(least: Directions, most: Directions) -> Self {
        if least == most { Self::exactly(most) } else { Self { least, most, some: !least.is_empty(), one: false } }
    }

    /// One member of the set, if it has any.
    fn member(self) -> Self {
        Self { some: true, one: true, ..Self::between(Directions::EMPTY, self.most) }.settled()
    }

    /// The same set where it may not be there.
    fn if_there(self) -> Self {
        Self { least: Directions::EMPTY, some: false, one: false, ..self }
    }

    /// Of one direction it is known which, where only one can be.
    fn settled(self) -> Self {
        if self.one && self.most.len() == 1 { Self::exactly(self.most) } else { self }
    }
}

/// What a condition may come to.
#[derive(Clone, Copy)]
struct Outcomes {
    holds: bool,
    fails: bool,
    /// It may have no value.
    open: bool,
}

impl Outcomes {
    fn negated(self) -> Self {
        Self { holds: self.fails, fails: self.holds, open: self.open }
    }

    /// Whether it always holds, or never does.
    fn decided(self) -> Option<bool> {
        if !self.holds {
            Some(false)
        } else if !self.fails && !self.open {
            Some(true)
        } else {
            None
        }
    }
}

/// What a name stands for, and where that was said last.
#[derive(Clone, Copy)]
struct Known {
    ways: Ways,
    said: Option<Span>,
}

type Names = BTreeMap<Local, Known>;

/// What was found where something is asked: nothing where it is asked for several moves, and not decided for all of them.
type Found = BTreeMap<Span, Option<Diagnostic>>;

struct Looker<'c, 'p> {
    checker: &'c Checker<'p>,
    /// For each word, whether options decide a part of it.
    words_vary: Vec<bool>,
    players_vary: bool,
    left: Cell<u32>,
    found: Found,
}

impl Checker<'_> {
    /// Conditions on directions that no position decides. What an option picks is left alone.
    pub(super) fn check_ways_asked(&mut self) {
        if !self.board_known || self.board_varies() {
            return;
        }
        let varies = |span: Span| self.mentions_option(span);
        let players = self.project.items().find(|item| matches!(item.kind, ItemKind::Players(_)));
        let mut looker = Looker {
            words_vary: self.rules.words.iter().map(|word| varies(word.span)).collect(),
            players_vary: players.is_some_and(|item| varies(item.span)),
            left: Cell::new(MOST_STEPS),
            found: Found::new(),
            checker: self,
        };
        looker.look();
        let here = |span: &Span| span.source == self.project.main;
        let found = std::mem::take(&mut looker.found);
        let found: Vec<Diagnostic> =
            found.into_iter().filter(|(span, _)| here(span)).filter_map(|(_, told)| told).collect();
        found.into_iter().for_each(|told| self.report(told));
    }

    /// Whether the name of an option stands in a text.
    fn mentions_option(&self, span: Span) -> bool {
        let text = self.project.sources.slice(span);
        text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| self.options.contains_key(word))
    }
}

impl<'c> Looker<'c, '_> {
    fn look(&mut self) {
        let rules = &self.checker.rules;
        // What a word is given is not known.
        for (word, varies) in rules.words.iter().zip(self.words_vary.clone()) {
            let params = (0..).zip(&word.params).filter(|(_, ty)| **ty == Type::Directions);
            let mut names = params.map(|(at, _)| (Local(at), Known { ways: Ways::UNKNOWN, said: None })).collect();
            if !varies {
                self.walk(&word.body, &mut names, true);
            }
        }
        let after_moves: Vec<Names> = rules.moves.iter().map(|mv| self.look_at_move(mv)).collect();
        let of_move = |mv: MoveId| after_moves.get(mv.0).cloned().unwrap_or_default();
        let mut nowhere = Names::new();
        let mut events: Vec<&Event> = rules.chronicles.iter().filter_map(Chronicle::event).collect();
        for duty in rules.turns.iter().flat_map(|turn| &turn.duties) {
            match &duty.kind {
                DutyKind::Must(event) => events.push(event),
                DutyKind::MustMost(expr) | DutyKind::NextTurn(expr) => self.ask(expr, &mut nowhere),
                DutyKind::ExtraTurn => {}
            }
            duty.guard.iter().for_each(|guard| self.ask(guard, &mut nowhere));
        }
        for (mv, condition) in events.into_iter().flat_map(|event| &event.alternatives) {
            condition.iter().for_each(|condition| self.ask(condition, &mut of_move(*mv)));
        }
        for node in rules.graph.node_weights() {
            match &node.kind {
                NodeKind::Call(call) => {
                    let mut names = of_move(call.mv);
                    call.with.iter().chain(&call.until).for_each(|condition| self.ask(condition, &mut names));
                }
                NodeKind::Guard { condition, .. } => self.ask(condition, &mut nowhere),
                // Lines of moves have been looked at with what stands before them.
                NodeKind::Choose { .. }
                | NodeKind::Let { .. }
                | NodeKind::Require { .. }
                | NodeKind::Weigh(_)
                | NodeKind::Change(_)
                | NodeKind::Repeat { .. } => {}
                NodeKind::Turn
                | NodeKind::Fork
                | NodeKind::Prefer
                | NodeKind::End
                | NodeKind::Move(_)
                | NodeKind::Done => {}
            }
        }
        for condition in rules.endings.iter().filter_map(|ending| ending.condition.as_ref()) {
            self.ask(condition, &mut nowhere);
        }
    }

    /// Looks at an expression, unless options decide a part of it.
    fn ask(&mut self, expr: &'c Expr, names: &mut Names) {
        if !self.checker.mentions_option(expr.span) {
            self.walk(expr, names, true);
        }
    }

    /// The lines of a move, and what is known of its parts behind them.
    fn look_at_move(&mut self, mv: &'c Move) -> Names {
        let mut names = Names::new();
        for node in mv.lines.iter().filter_map(|at: &NodeIndex| self.checker.rules.graph.node_weight(*at)) {
            let varies = self.checker.mentions_option(node.span);
            let bind = |names: &mut Names, local: Local, ways: Option<Ways>, said: Span| {
                if let Some(ways) = ways {
                    let ways = if varies { Ways::UNKNOWN } else { ways };
                    names.insert(local, Known { ways, said: Some(said) });
                }
            };
            match &node.kind {
                NodeKind::Choose { local, domain, conditions, guard } => {
                    let ways = self.bounds(domain, &names).map(Ways::member);
                    if !varies {
                        self.walk(domain, &mut names.clone(), true);
                        guard.iter().for_each(|guard| self.walk(guard, &mut names.clone(), true));
                    }
                    bind(&mut names, *local, ways, domain.span);
                    if !varies {
                        conditions.iter().for_each(|condition| self.walk(condition, &mut names, true));
                    }
                    if let Some(known) = names.get_mut(local).filter(|_| guard.is_some()) {
                        known.ways = known.ways.if_there();
                    }
                }
                NodeKind::Let { local, value, guard } => {
                    let ways = self.bounds(value, &names);
                    if !varies {
                        self.walk(value, &mut names.clone(), true);
                        guard.iter().for_each(|guard| self.walk(guard, &mut names.clone(), true));
                    }
                    let ways = ways.map(|ways| if guard.is_some() { ways.if_there() } else { ways });
                    bind(&mut names, *local, ways, value.span);
                }
                NodeKind::Require { condition, .. } if !varies => self.walk(condition, &mut names, true),
                NodeKind::Change(_) | NodeKind::Repeat { .. } | NodeKind::Weigh(_) if !varies => {
                    // What one line asks says nothing about the next.
                    node.kind.exprs().into_iter().for_each(|expr| self.walk(expr, &mut names.clone(), true));
                }
                NodeKind::Require { .. } | NodeKind::Change(_) | NodeKind::Repeat { .. } | NodeKind::Weigh(_) => {}
                NodeKind::Guard { .. } | NodeKind::Call(_) => {}
                NodeKind::Turn
                | NodeKind::Fork
                | NodeKind::Prefer
                | NodeKind::End
                | NodeKind::Move(_)
                | NodeKind::Done => {}
            }
        }
        names
    }

    /// Looks at an expression and all within it. Afterwards names stand for what they can if it holds. A set that is a part of
    /// a larger one (not `outer`) may be empty.
    fn walk(&mut self, expr: &'c Expr, names: &mut Names, outer: bool) {
        if let Some(outcomes) = self.outcomes(expr, names) {
            let decided = outcomes.decided();
            let told = decided.map(|holds| self.told(expr, holds, names));
            self.note(expr.span, told);
            if decided.is_none() {
                self.walk_into(expr, names, false);
                self.narrow(expr, names);
            }
            return;
        }
        if let Some(ways) = self.bounds(expr, names) {
            // `none` is written by who means it, and of a name it was said where the name is given.
            let named = matches!(expr.kind, ExprKind::Constant(_) | ExprKind::Local(_));
            let empty = outer && ways.most.is_empty() && !named;
            self.note(expr.span, empty.then(|| self.no_such(expr)));
            self.walk_into(expr, names, false);
            return;
        }
        match &expr.kind {
            // What stands behind holds only where the parts before do.
            ExprKind::And(parts) => parts.iter().for_each(|part| self.walk(part, names, true)),
            ExprKind::If { condition, then, otherwise } => {
                let mut within = names.clone();
                self.walk(condition, &mut within, true);
                self.walk(then, &mut within, true);
                self.walk(otherwise, &mut names.clone(), true);
            }
            _ => self.walk_into(expr, names, true),
        }
    }

    /// The parts of an expression, each with what is known of the names in force there.
    fn walk_into(&mut self, expr: &'c Expr, names: &Names, outer: bool) {
        match &expr.kind {
            ExprKind::Some { local, domain, condition, .. } => {
                self.members(*local, domain, Some(condition), &[], names);
            }
            ExprKind::SetOf { local, domain, condition } => {
                self.members(*local, domain, condition.as_deref(), &[], names);
            }
            ExprKind::Each { body, local, domain, condition, .. }
            | ExprKind::Reduce { body, local, domain, condition, .. } => {
                self.members(*local, domain, condition.as_deref(), &[body], names);
            }
            ExprKind::Primitive(primitive, args) => {
                for (at, arg) in args.iter().enumerate() {
                    self.walk(arg, &mut names.clone(), true);
                    self.check_steps(primitive, at, arg, names);
                }
            }
            ExprKind::Word(_, args) => args.iter().for_each(|arg| self.walk(arg, &mut names.clone(), true)),
            _ => expr.children().into_iter().for_each(|part| self.walk(part, &mut names.clone(), outer)),
        }
    }

    fn members(
        &mut self,
        local: Local,
        domain: &'c Expr,
        condition: Option<&'c Expr>,
        bodies: &[&'c Expr],
        names: &Names,
    ) {
        let mut within = names.clone();
        self.walk(domain, &mut within, true);
        within.clone_from(names);
        within.remove(&local);
        if let Some(ways) = self.bounds(domain, names) {
            within.insert(local, Known { ways: ways.member(), said: Some(domain.span) });
        }
        condition.into_iter().chain(bodies.iter().copied()).for_each(|part| self.walk(part, &mut within, true));
    }

    /// Steps in directions that the board does not have: where one direction alone is written, that is an error by now.
    fn check_steps(&mut self, primitive: &Primitive, at: usize, arg: &'c Expr, names: &Names) {
        let steps = primitive.params.get(at).is_some_and(|param| param.must == Must::BeDirections);
        let Some(ways) = self.bounds(arg, names).filter(|_| steps && arg.as_constant().is_none()) else { return };
        let none = !ways.most.is_empty() && !ways.most.intersects(self.checker.rules.board.ways());
        if !ways.most.is_empty() {
            self.note(arg.span, none.then(|| self.no_such(arg)));
        }
    }

    /// Keeps what is found at a place; of several moves that share the place it must be the same.
    fn note(&mut self, span: Span, told: Option<Diagnostic>) {
        let known = self.found.entry(span).or_insert_with(|| told.clone());
        if known.as_ref().map(|known| known.code) != told.as_ref().map(|told| told.code) {
            *known = None;
        }
    }
    // ---- what is known ----

    /// What a set of directions can have; none of what is no such set.
    fn bounds(&self, expr: &Expr, names: &Names) -> Option<Ways> {
        self.left.set(self.left.get().checked_sub(1)?);
        let all = |parts: &[Expr]| parts.iter().map(|part| self.bounds(part, names)).collect::<Option<Vec<Ways>>>();
        match &expr.kind {
            ExprKind::Constant(Value::Directions(set)) => Some(Ways::exactly(*set)),
            ExprKind::Local(local) => names.get(local).map(|known| known.ways),
            ExprKind::Primitive(primitive, args) => self.primitive(primitive, args, names),
            ExprKind::Word(word, args) => {
                let body = self.checker.rules.words.get(word.0).filter(|word| word.result == Type::Directions)?;
                if self.words_vary.get(word.0) != Some(&false) {
                    return Some(Ways::UNKNOWN);
                }
                let given = (0..).zip(args).filter_map(|(at, arg)| Some((Local(at), self.bounds(arg, names)?)));
                let given = given.map(|(local, ways)| (local, Known { ways, said: None })).collect();
                self.bounds(&body.body, &given)
            }
            ExprKind::Memory { memory, .. } => {
                let memory = self.checker.rules.memories.get(memory.0)?;
                (memory.ty == Type::Directions).then_some(Ways::UNKNOWN)
            }
            ExprKind::Before(inner) => self.bounds(inner, names),
            // All that the board has but these.
            ExprKind::Complement(inner) => {
                let (inner, all) = (self.bounds(inner, names)?, self.checker.rules.board.directions());
                Some(Ways::between(all - inner.most, all - inner.least))
            }
            ExprKind::Intersection(parts) => {
                all(parts)?.into_iter().reduce(|a, b| Ways::between(a.least & b.least, a.most & b.most))
            }
            ExprKind::Union(parts) => all(parts)?.into_iter().reduce(|a, b| {
                let both = Ways::between(a.least | b.least, a.most | b.most);
                Ways { some: both.some || a.some || b.some, ..both }
            }),
            ExprKind::The(inner) => {
                let inner = self.bounds(inner, names)?;
                Some(if inner.one { inner } else { Ways::between(Directions::EMPTY, inner.most) })
            }
            ExprKind::If { then, otherwise, .. } => {
                let (a, b) = (self.bounds(then, names)?, self.bounds(otherwise, names)?);
                let either = Ways::between(a.least & b.least, a.most | b.most);
                Some(Ways { some: either.some || a.some && b.some, one: either.one || a.one && b.one, ..either })
            }
            ExprKind::SetOf { domain, .. } => self.bounds(domain, names).map(Ways::if_there),
            ExprKind::Each { result: Type::Directions, body, local, domain, .. } => {
                let mut within = names.clone();
                within.remove(local);
                if let Some(ways) = self.bounds(domain, names) {
                    within.insert(*local, Known { ways: ways.member(), said: None });
                }
                self.bounds(body, &within).map(Ways::if_there)
            }
            ExprKind::Each { .. }
            | ExprKind::Constant(_)
            | ExprKind::Adjective { .. }
            | ExprKind::OfKinds(_)
            | ExprKind::OfPlayers(_)
            | ExprKind::Piece { .. }
            | ExprKind::Entry { .. }
            | ExprKind::Not(_)
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Compare { .. }
            | ExprKind::In { .. }
            | ExprKind::Subset(..)
            | ExprKind::Arithmetic(..)
            | ExprKind::Range(..)
            | ExprKind::Negative(_)
            | ExprKind::Any(_)
            | ExprKind::None(_)
            | ExprKind::Count(_)
            | ExprKind::Some { .. }
            | ExprKind::Reduce { .. }
            | ExprKind::List(_)
            | ExprKind::Seen { .. }
            | ExprKind::Possible { .. } => None,
        }
    }

    fn primitive(&self, primitive: &Primitive, args: &[Expr], names: &Names) -> Option<Ways> {
        if primitive.result != Type::Directions {
            return None;
        }
        let (board, players) = (&self.checker.rules.board, &self.checker.rules.players);
        let given = || args.first().and_then(|arg| self.bounds(arg, names));
        let turned = |ways: Ways, by: &[Value]| {
            let of = |set: Directions| {
                let values: Vec<Value> = std::iter::once(Value::Directions(set)).chain(by.iter().cloned()).collect();
                primitive.settled(board, players, &values).map(|value| value.directions())
            };
            let (least, most) = (of(ways.least)?, of(ways.most)?);
            // Nothing is lost on the way, or how many there are is not known any more.
            let kept = least.len() == ways.least.len() && most.len() == ways.most.len();
            let kept = Ways { some: kept && ways.some, one: kept && ways.one, ..Ways::between(least, most) };
            Some(kept.settled())
        };
        let some_of = |ways: Directions| Some(Ways::between(Directions::EMPTY, ways));
        if primitive.reads == Reads::Board && args.is_empty() {
            return Some(Ways::exactly(primitive.settled(board, players, &[])?.directions()));
        }
        if primitive.id == Id::Opposite {
            return turned(given()?, &[]);
        }
        if primitive.id == Id::Turned {
            return match args.get(1).and_then(Expr::as_constant) {
                Some(by) => turned(given()?, std::slice::from_ref(by)),
                None => some_of(board.compass()),
            };
        }
        if primitive.id == Id::Direction {
            return some_of(board.compass());
        }
        if primitive.id == Id::Facing && !self.players_vary {
            return some_of(players.iter().filter_map(|player| player.facing).collect());
        }
        Some(Ways::UNKNOWN)
    }

    /// What a condition on directions may come to; none of any other condition.
    fn outcomes(&self, condition: &Expr, names: &Names) -> Option<Outcomes> {
        if let ExprKind::Not(inner) = &condition.kind {
            return self.outcomes(inner, names).map(Outcomes::negated);
        }
        if let ExprKind::In { left, not, right } = &condition.kind {
            let (left, right) = (self.bounds(left, names)?, self.bounds(right, names)?);
            let lies = Outcomes {
                holds: left.most.intersects(right.most) && left.least.is_subset(right.most),
                fails: !left.most.is_subset(right.least),
                open: !left.some,
            };
            return Some(if *not { lies.negated() } else { lies });
        }
        if let Some((first, equal, right)) = compared(condition) {
            let (left, right) = (self.bounds(first, names)?, self.bounds(right, names)?);
            let same = Outcomes {
                holds: left.most.intersects(right.most) && (left.least | right.least).len() <= 1,
                fails: !(left.one && right.one && left.most == right.most && left.most.len() == 1),
                open: !(left.one && right.one),
            };
            return Some(if equal { same } else { same.negated() });
        }
        if let ExprKind::Subset(left, right) = &condition.kind {
            let (left, right) = (self.bounds(left, names)?, self.bounds(right, names)?);
            let holds = left.least.is_subset(right.most);
            return Some(Outcomes { holds, fails: !left.most.is_subset(right.least), open: false });
        }
        let (set, there) = match &condition.kind {
            ExprKind::Any(set) => (Some(set), true),
            ExprKind::None(set) => (Some(set), false),
            _ => (None, true),
        };
        let any = is_there(self.bounds(set?, names)?);
        Some(if there { any } else { any.negated() })
    }

    /// What a name stands for where a condition holds.
    fn narrow(&self, condition: &Expr, names: &mut Names) {
        let (name, most) = if let ExprKind::In { left, not, right } = &condition.kind {
            let right = self.bounds(right, names);
            (&**left, right.map(|right| if *not { Directions::ALL - right.least } else { right.most }))
        } else if let Some((first, equal, right)) = compared(condition) {
            let right = self.bounds(right, names);
            (first, right.map(|right| if equal { right.most } else { but_one(right) }))
        } else {
            return;
        };
        let ExprKind::Local(local) = &name.kind else { return };
        if let (Some(most), Some(known)) = (most, names.get_mut(local)) {
            let ways = known.ways;
            // Of several the condition may speak of all together.
            if ways.one && !ways.most.is_subset(most) {
                known.ways = Ways { most: ways.most & most, ..ways }.settled();
                known.said = Some(condition.span);
            }
        }
    }

    // ---- what is said ----

    fn told(&self, condition: &Expr, holds: bool, names: &Names) -> Diagnostic {
        let subject = subject(condition);
        let ways = self.bounds(subject, names).unwrap_or(Ways::UNKNOWN);
        let text = self.checker.project.sources.phrase(subject.span);
        let label = match self.listed(ways.most) {
            None => format!("`{text}` is nothing on this board"),
            Some(listed) if ways.one => format!("`{text}` can be {listed}"),
            Some(listed) => format!("`{text}` can have {listed}"),
        };
        let mut found = match holds {
            false => Diagnostic::new(Code::NeverTrue, condition.span, "this is never true")
                .help("ask for a direction that it can be, or take the condition out"),
            true => Diagnostic::new(Code::AlwaysTrue, condition.span, "this is always true")
                .help("take the condition out, or ask for what can fail"),
        };
        let said = if let ExprKind::Local(local) = &subject.kind { names.get(local) } else { None };
        found = found.label(label);
        match said.and_then(|known| known.said) {
            Some(said) => found.also(said, "this is said of it before"),
            None => found,
        }
    }

    fn no_such(&self, set: &Expr) -> Diagnostic {
        if let ExprKind::Intersection(parts) = &set.kind {
            let each: Vec<String> = parts.iter().map(|part| self.checker.project.sources.phrase(part.span)).collect();
            return Diagnostic::new(Code::NeverTrue, set.span, "there is no such direction")
                .label("no direction is all of these at once")
                .help(format!("directions are joined by `or`: `{}`", each.join(" or ")));
        }
        let compass = self.listed(self.checker.rules.board.compass()).unwrap_or_default();
        Diagnostic::new(Code::NeverTrue, set.span, "there is no such direction on this board")
            .label(format!("the directions of the board are {compass}"))
            .help("name directions that the board has, as in `directions`, or take out what asks for these")
    }

    fn listed(&self, ways: Directions) -> Option<String> {
        let names: Vec<String> = ways.iter().map(|way| self.checker.rules.board.way_name(way)).collect();
        let (last, others) = names.split_last()?;
        Some(if others.is_empty() { last.clone() } else { format!("{} or {last}", others.join(", ")) })
    }
}

fn is_there(set: Ways) -> Outcomes {
    Outcomes { holds: !set.most.is_empty(), fails: !set.some, open: false }
}

/// The two sides of `=` (or, not equal, of `!=`), if nothing else is compared.
fn compared(condition: &Expr) -> Option<(&Expr, bool, &Expr)> {
    let ExprKind::Compare { first, rest } = &condition.kind else { return None };
    let [(op, right)] = rest.as_slice() else { return None };
    let equal = match op {
        CompareOp::Equal => true,
        CompareOp::NotEqual => false,
        CompareOp::Less | CompareOp::LessEqual | CompareOp::Greater | CompareOp::GreaterEqual => return None,
    };
    Some((first, equal, right))
}

/// All directions but one that something is for sure.
fn but_one(right: Ways) -> Directions {
    if right.one { Directions::ALL - right.least } else { Directions::ALL }
}

/// What a condition speaks of.
fn subject(condition: &Expr) -> &Expr {
    match &condition.kind {
        ExprKind::Not(inner) => subject(inner),
        ExprKind::In { left, .. } => left,
        ExprKind::Compare { first, .. } => first,
        ExprKind::Subset(left, _) => left,
        ExprKind::Any(set) | ExprKind::None(set) => set,
        _ => condition,
    }
}
