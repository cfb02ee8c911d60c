//! Expressions: names looked up, rows of words understood, types settled, constants folded.

use super::cost::MAX_COST;
use super::uses::Meaning;
use super::{Bound, Checker, Defined, Frame, Ty, WordState};
use crate::board::{Direction, Directions, SiteSet};
use crate::diagnostic::{Applicability, Code, Diagnostic};
use crate::rules::catalogue::{self, Id, Must, OF_PLAYERS, Primitive, Stands};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, ExprKind as Ast, Quantifier, ValueKind};
use std::rc::Rc;

type Typed = (Expr, Ty);

/// One thing that a name can be; none if it is not.
type Reading<C> = fn(&mut C, &str, Span, Option<Type>) -> Option<Typed>;

/// How many words may lead to one another.
const MAX_WORDS_DEEP: usize = 40;

/// What stands for a missing value of a type: no number, the empty set.
pub(super) fn no_value(ty: Type) -> Value {
    match ty {
        Type::Number => Value::Number(None),
        Type::Range => Value::Range(None),
        Type::Sites => Value::Sites(SiteSet::EMPTY),
        Type::Directions => Value::Directions(Directions::EMPTY),
        Type::Players => Value::Players(Players(0)),
        Type::Kinds => Value::Kinds(Kinds(0)),
        Type::Piece => Value::Piece(None),
        Type::Choice => Value::Choice(ChoiceId(0)),
        Type::List => Value::List(Vec::new()),
        Type::Condition | Type::Unknown => Value::Condition(None),
    }
}

fn unknown(span: Span) -> Typed {
    (Expr::constant(Value::Condition(None), span), Ty::Known(Type::Unknown))
}

fn truth(value: bool, span: Span) -> Expr {
    Expr::constant(Value::Condition(Some(value)), span)
}

impl Checker<'_> {
    // ---- types ----

    pub(super) fn resolved(&self, ty: Ty) -> Option<Type> {
        match ty {
            Ty::Known(ty) => Some(ty),
            Ty::Open(index) => self.open_types.get(index).copied().flatten(),
        }
    }

    /// The type, an open one becoming a set of sites.
    pub(super) fn settle(&mut self, ty: Ty) -> Type {
        self.settle_as(ty, Type::Sites)
    }

    fn settle_as(&mut self, ty: Ty, default: Type) -> Type {
        match (self.resolved(ty), ty) {
            (Some(ty), _) => ty,
            (None, Ty::Open(index)) => {
                self.open_types[index] = Some(default);
                default
            }
            (None, Ty::Known(ty)) => ty,
        }
    }

    /// An expression that must have a type.
    pub(super) fn typed(&mut self, expr: &ast::Expr, want: Type) -> Expr {
        if want == Type::Piece {
            return self.piece(expr);
        }
        let checked = self.infer_as(expr, Some(want));
        self.coerce(checked, want)
    }

    fn coerce(&mut self, (expr, ty): Typed, want: Type) -> Expr {
        let found = self.settle_as(ty, want);
        if found == want || found == Type::Unknown || want == Type::Unknown {
            return expr;
        }
        match (found, want) {
            // A yes/no option is a condition by itself.
            (Type::Choice, Type::Condition) => {
                if let Some(Value::Choice(id)) = expr.as_constant() {
                    match self.rules.choice(*id) {
                        "yes" => return truth(true, expr.span),
                        "no" => return truth(false, expr.span),
                        _ => {}
                    }
                }
            }
            (Type::Number, Type::Range) => {
                let both = ExprKind::Range(Box::new(expr.clone()), Box::new(expr.clone()));
                return Expr { kind: both, span: expr.span };
            }
            _ => {}
        }
        let mut diagnostic = Diagnostic::new(
            Code::WrongType,
            expr.span,
            format!("{} is needed here, and this is {}", want.describe(), found.describe()),
        );
        if want == Type::Condition && found.is_set() {
            diagnostic = diagnostic.help("ask something about it: `any ...`, `no ...`, `x in ...`");
        } else if want == Type::Number && found.is_set() {
            diagnostic = diagnostic.help("`count ...` gives the number of its members");
        } else if want == Type::Condition && found == Type::Number {
            diagnostic = diagnostic.help("compare it with a number: `... > 0`");
        } else if want == Type::Players {
            let names: Vec<&str> = self.rules.players.iter().map(|player| player.name.as_str()).collect();
            diagnostic = diagnostic.help(format!("players are {}, `mover` and `next`", names.join(", ")));
        } else if want == Type::Kinds {
            let names: Vec<&str> = self.rules.kinds.iter().map(|kind| kind.name.as_str()).collect();
            diagnostic = diagnostic.help(format!("kinds of pieces are {}", names.join(", ")));
        } else if want == Type::Sites && found == Type::Players {
            diagnostic = diagnostic.help("`of mover` are the sites on which the mover's pieces stand");
        } else if want == Type::Sites && found == Type::Directions {
            diagnostic = diagnostic.help("`ahead(x, d)` is the next site from `x` in the direction `d`");
        } else if want == Type::Sites && found == Type::Condition {
            diagnostic =
                diagnostic.help("use `and`, `or`, `not` between sets inside brackets: `x in (empty and not edge)`");
        }
        self.report(diagnostic.or_help(|| want.example()));
        Expr::constant(no_value(want), expr.span)
    }

    pub(super) fn infer(&mut self, expr: &ast::Expr) -> Typed {
        self.infer_as(expr, None)
    }

    /// The type of an expression; what is wanted decides only what could be read in two ways.
    fn infer_as(&mut self, expr: &ast::Expr, want: Option<Type>) -> Typed {
        let span = expr.span;
        let known = |kind: ExprKind, ty: Type| (Expr { kind, span }, Ty::Known(ty));
        match &expr.kind {
            Ast::Number(number) => {
                if want == Some(Type::Sites)
                    && let Some(site) = self.rules.board.find(&number.to_string())
                {
                    return (Expr::constant(Value::Sites(SiteSet::single(site)), span), Ty::Known(Type::Sites));
                }
                (Expr::constant(Value::Number(Some(*number)), span), Ty::Known(Type::Number))
            }
            Ast::Name(name) | Ast::Bare(name) => self.name(name, span, want),
            Ast::Call { name, args } => self.call(name, args, span),
            Ast::Row(terms) => self.row(terms, span),
            Ast::Of(players) => {
                let players = self.typed(players, Type::Players);
                known(ExprKind::OfPlayers(Box::new(players)), Type::Sites)
            }
            Ast::Not(inner) => {
                let (inner, ty) = self.infer_as(inner, want);
                let ty = self.settle_as(ty, want.unwrap_or(Type::Sites));
                self.negate(inner, ty, span)
            }
            Ast::Before(inner) => {
                if !self.frame.in_move {
                    self.report(
                        Diagnostic::new(Code::WrongType, span, "`before` has a meaning inside a move only")
                            .help("to compare with an earlier turn, keep the number with `track`"),
                    );
                    return unknown(span);
                }
                let (inner, ty) = self.infer_as(inner, want);
                (Expr { kind: ExprKind::Before(Box::new(inner)), span }, ty)
            }
            Ast::Negative(inner) => {
                let inner = self.typed(inner, Type::Number);
                if let Some(Value::Number(number)) = inner.as_constant() {
                    return (
                        Expr::constant(Value::Number(number.and_then(i64::checked_neg)), span),
                        Ty::Known(Type::Number),
                    );
                }
                known(ExprKind::Negative(Box::new(inner)), Type::Number)
            }
            Ast::Quantified(quantifier, inner) => self.quantified(*quantifier, inner, span, want),
            Ast::Or(parts) => self.joined(parts, true, span, want),
            Ast::And(parts) => self.joined(parts, false, span, want),
            Ast::Binary(op, left, right) => self.binary(*op, left, right, span, want),
            Ast::Compare { first, rest } => self.compare(first, rest, span),
            Ast::Is { left, not, right } => self.is(left, *not, right, span),
            Ast::In { left, not, right } => self.is_in(left, *not, right, span),
            Ast::If { condition, then, otherwise } => {
                let condition = self.typed(condition, Type::Condition);
                let decided = condition.as_decided();
                let then = self.dead(decided == Some(false), |checker| checker.infer_as(then, want));
                let want = want.or(self.resolved(then.1));
                let otherwise = self.dead(decided == Some(true), |checker| checker.infer_as(otherwise, want));
                let ty = self.common(&then, &otherwise, span);
                match decided {
                    Some(true) => (then.0, ty),
                    Some(false) => (otherwise.0, ty),
                    None => {
                        let kind = ExprKind::If {
                            condition: Box::new(condition),
                            then: Box::new(then.0),
                            otherwise: Box::new(otherwise.0),
                        };
                        (Expr { kind, span }, ty)
                    }
                }
            }
            Ast::Case { subject, cases } => self.case(subject, cases, span, want),
            Ast::Some { none, name, domain, condition } => {
                let (local, domain, _) = self.binder(name, domain);
                let condition = self.typed(condition, Type::Condition);
                self.unbind();
                let kind =
                    ExprKind::Some { local, domain: Box::new(domain), condition: Box::new(condition), none: *none };
                known(kind, Type::Condition)
            }
            Ast::SetOf { name, domain, condition } => {
                let (local, domain, ty) = self.binder(name, domain);
                let condition = condition.as_ref().map(|condition| Box::new(self.typed(condition, Type::Condition)));
                self.unbind();
                known(ExprKind::SetOf { local, domain: Box::new(domain), condition }, ty)
            }
            Ast::Each { body, name, domain, condition } => {
                let (local, domain, _) = self.binder(name, domain);
                let condition = condition.as_ref().map(|condition| Box::new(self.typed(condition, Type::Condition)));
                let (body, ty) = self.infer_as(body, want);
                let result = self.settle(ty);
                self.unbind();
                if !result.is_set() && result != Type::Unknown {
                    let message = format!("sets are joined here, and this is {}", result.describe());
                    self.report(
                        Diagnostic::new(Code::WrongType, body.span, message)
                            .help("`sum`, `least` or `most` before `{` join numbers"),
                    );
                }
                let kind = ExprKind::Each { body: Box::new(body), local, domain: Box::new(domain), condition, result };
                known(kind, result)
            }
            Ast::Reduce(reduce, inner) => {
                let Ast::Each { body, name, domain, condition } = &inner.kind else {
                    self.report(
                        Diagnostic::new(Code::WrongType, inner.span, "numbers are joined from a list of them")
                            .help("write `sum { number for x in set }`"),
                    );
                    return unknown(span);
                };
                let (local, domain, _) = self.binder(name, domain);
                let condition = condition.as_ref().map(|condition| Box::new(self.typed(condition, Type::Condition)));
                let body = self.typed(body, Type::Number);
                self.unbind();
                let kind = ExprKind::Reduce {
                    reduce: *reduce,
                    body: Box::new(body),
                    local,
                    domain: Box::new(domain),
                    condition,
                };
                known(kind, Type::Number)
            }
            Ast::List(parts) => {
                let parts = parts.iter().map(|part| self.typed(part, Type::Number)).collect();
                known(ExprKind::List(parts), Type::List)
            }
            Ast::Happened { event, history } => {
                let memory = self.happened(event, *history);
                known(ExprKind::Memory { memory, index: None }, Type::Condition)
            }
            Ast::LastTo(event) => {
                let memory = self.last_to(event);
                known(ExprKind::Memory { memory, index: None }, Type::Players)
            }
            Ast::TurnsWithout(event) => {
                let memory = self.turns_without(event);
                known(ExprKind::Memory { memory, index: None }, Type::Number)
            }
            Ast::PartOf { of, part, history } => match self.part_of(of, part, *history) {
                Some(memory) => known(ExprKind::Memory { memory, index: None }, Type::Sites),
                None => unknown(span),
            },
            Ast::Seen { board, times } => {
                self.rules.repetition = true;
                known(ExprKind::Seen { board: *board, times: *times }, Type::Condition)
            }
            Ast::Possible(pattern) => {
                if !self.frame.in_end {
                    self.error(
                        Code::WrongType,
                        span,
                        "`possible` is asked in `end` only: of the player to move next",
                        "ask it in a line of `end`: mover wins when not possible ...",
                    );
                    return unknown(span);
                }
                match self.possible(pattern) {
                    Some(entry) => known(ExprKind::Possible(entry), Type::Condition),
                    None => unknown(span),
                }
            }
        }
    }

    /// The common type of two branches.
    fn common(&mut self, a: &Typed, b: &Typed, span: Span) -> Ty {
        match (self.resolved(a.1), self.resolved(b.1)) {
            (Some(Type::Unknown), _) => b.1,
            (_, Some(Type::Unknown)) => a.1,
            (Some(left), Some(right)) if left == right => a.1,
            (Some(left), Some(right)) => {
                self.report(
                    Diagnostic::new(Code::WrongType, span, "the branches are of different kinds")
                        .label(format!("one is {}, another {}", left.describe(), right.describe()))
                        .help("let every branch be of one kind; `none` is the empty set of any kind"),
                );
                Ty::Known(Type::Unknown)
            }
            (None, Some(right)) => {
                self.settle_as(a.1, right);
                a.1
            }
            (Some(left), None) => {
                self.settle_as(b.1, left);
                b.1
            }
            (None, None) => a.1,
        }
    }

    fn binder(&mut self, name: &ast::Name, domain: &ast::Expr) -> (Local, Expr, Type) {
        let (domain, ty) = self.infer(domain);
        let ty = self.settle(ty);
        let (element, domain) = match ty {
            Type::Range => (Type::Number, domain),
            ty if ty.is_set() || ty == Type::Unknown => (ty, domain),
            other => {
                self.error(
                    Code::WrongType,
                    domain.span,
                    format!("members are taken from a set, and this is {}", other.describe()),
                    "name a set: `x in own`, `d in directions`, `p in players`",
                );
                (Type::Unknown, domain)
            }
        };
        let local = self.bind(name, Ty::Known(element));
        (local, domain, ty)
    }

    fn negate(&mut self, inner: Expr, ty: Type, span: Span) -> Typed {
        match ty {
            Type::Condition | Type::Unknown => {
                if let Some(Value::Condition(condition)) = inner.as_constant() {
                    return (Expr::constant(Value::Condition(condition.map(|c| !c)), span), Ty::Known(ty));
                }
                (Expr { kind: ExprKind::Not(Box::new(inner)), span }, Ty::Known(Type::Condition))
            }
            Type::Choice => {
                let inner = self.coerce((inner, Ty::Known(ty)), Type::Condition);
                self.negate(inner, Type::Condition, span)
            }
            ty if ty.is_set() => {
                let kind = match inner.kind {
                    ExprKind::Adjective { word, holds } => ExprKind::Adjective { word, holds: !holds },
                    kind => ExprKind::Complement(Box::new(Expr { kind, span: inner.span })),
                };
                (Expr { kind, span }, Ty::Known(ty))
            }
            other => {
                self.error(
                    Code::WrongType,
                    span,
                    format!("`not` goes with conditions and sets, and this is {}", other.describe()),
                    "compare it first, as in `not n > 2`",
                );
                unknown(span)
            }
        }
    }

    fn quantified(&mut self, quantifier: Quantifier, inner: &ast::Expr, span: Span, want: Option<Type>) -> Typed {
        let set_wanted = if quantifier == Quantifier::The { want } else { None };
        let (inner, ty) = self.infer_as(inner, set_wanted.filter(|ty| ty.is_set()));
        let ty = self.settle(ty);
        if !ty.is_set() && ty != Type::Unknown {
            let message = format!("a set is needed here, and this is {}", ty.describe());
            self.error(Code::WrongType, inner.span, message, "name a set, as in `any own`, `count empty`");
            return unknown(span);
        }
        let inner = Box::new(inner);
        let (kind, ty) = match quantifier {
            Quantifier::Any => (ExprKind::Any(inner), Type::Condition),
            Quantifier::No => (ExprKind::None(inner), Type::Condition),
            Quantifier::The => (ExprKind::The(inner), ty),
            Quantifier::Count => (ExprKind::Count(inner), Type::Number),
            Quantifier::Every => {
                self.report(
                    Diagnostic::new(Code::WrongType, span, "`every ...` needs `is` or `in` behind it")
                        .help("write `every own piece is edge`"),
                );
                return unknown(span);
            }
        };
        (Expr { kind, span }, Ty::Known(ty))
    }

    /// `and`/`or` between conditions or between sets.
    fn joined(&mut self, parts: &[ast::Expr], or: bool, span: Span, want: Option<Type>) -> Typed {
        let mut checked: Vec<Typed> = Vec::new();
        // What an option decides switches the rest of the row off.
        let mut dead = false;
        for part in parts {
            let typed = self.dead(dead, |checker| checker.infer_as(part, want));
            dead |= typed.0.as_decided() == Some(or);
            checked.push(typed);
        }
        let mut ty = Type::Unknown;
        for (_, part) in &checked {
            if let Some(found) = self.resolved(*part)
                && found != Type::Unknown
                && !(found == Type::Choice && ty == Type::Condition)
            {
                ty = found;
                break;
            }
        }
        if ty == Type::Choice {
            ty = Type::Condition;
        }
        // On a numbered board `1 or 2` are sites.
        if ty == Type::Number && want != Some(Type::Sites) && self.rules.board.find("1").is_some() {
            return self.joined(parts, or, span, Some(Type::Sites));
        }
        if ty == Type::Unknown {
            ty = want.unwrap_or(Type::Sites);
        }
        if !ty.is_set() && ty != Type::Condition {
            let word = if or { "or" } else { "and" };
            self.error(
                Code::WrongType,
                span,
                format!("`{word}` joins conditions or sets, and this is {}", ty.describe()),
                "numbers are joined by `+`, or compared first: `n > 2`",
            );
            return unknown(span);
        }
        let parts: Vec<Expr> = checked.into_iter().map(|part| self.coerce(part, ty)).collect();
        if ty == Type::Condition {
            return (join_conditions(parts, or, span), Ty::Known(ty));
        }
        let kind = if or { ExprKind::Union(parts) } else { ExprKind::Intersection(parts) };
        (Expr { kind, span }, Ty::Known(ty))
    }

    fn binary(&mut self, op: BinaryOp, left: &ast::Expr, right: &ast::Expr, span: Span, want: Option<Type>) -> Typed {
        if op == BinaryOp::But {
            let (left, ty) = self.infer_as(left, want);
            let ty = self.settle(ty);
            if !ty.is_set() && ty != Type::Unknown {
                self.error(
                    Code::WrongType,
                    left.span,
                    format!("`but` takes a set, and this is {}", ty.describe()),
                    "write sets on both sides, as in `own but edge`",
                );
                return unknown(span);
            }
            let right = self.typed(right, ty);
            let right = match right.kind {
                ExprKind::Adjective { word, holds } => ExprKind::Adjective { word, holds: !holds },
                kind => ExprKind::Complement(Box::new(Expr { kind, span: right.span })),
            };
            return (
                Expr { kind: ExprKind::Intersection(vec![left, Expr { kind: right, span }]), span },
                Ty::Known(ty),
            );
        }
        let left = self.typed(left, Type::Number);
        let right = self.typed(right, Type::Number);
        let known = left.as_constant().and_then(Value::number).zip(right.as_constant().and_then(Value::number));
        let BinaryOp::Arithmetic(op) = op else {
            let kind = match known {
                Some(ends) => ExprKind::Constant(Value::Range(Some(ends))),
                None => ExprKind::Range(Box::new(left), Box::new(right)),
            };
            return (Expr { kind, span }, Ty::Known(Type::Range));
        };
        let ty = Type::Number;
        if let Some((a, b)) = known {
            let value = op.apply(a, b);
            if value.is_none() && matches!(op, ArithmeticOp::Divide | ArithmeticOp::Modulo) {
                self.error(
                    Code::OutOfRange,
                    span,
                    "this divides by zero",
                    "divide by a number that is never 0, as in `max(1, n)`",
                );
            }
            return (Expr::constant(Value::Number(value), span), Ty::Known(ty));
        }
        (Expr { kind: ExprKind::Arithmetic(op, Box::new(left), Box::new(right)), span }, Ty::Known(ty))
    }

    fn compare(&mut self, first: &ast::Expr, rest: &[(CompareOp, ast::Expr)], span: Span) -> Typed {
        // `phase = auction`: names are values of what is on the left.
        if let ([(op @ (CompareOp::Equal | CompareOp::NotEqual), right)], Some(_)) = (rest, self.choice_subject(first))
        {
            return self.is(first, *op == CompareOp::NotEqual, right, span);
        }
        let (first, ty) = self.infer(first);
        let mut ty = ty;
        let mut others: Vec<(CompareOp, Typed)> = Vec::new();
        for (op, other) in rest {
            let want = self.resolved(ty);
            let other = self.infer_as(other, want);
            if want.is_none() {
                ty = other.1;
            }
            others.push((*op, other));
        }
        let ty = self.settle_as(ty, Type::Number);
        let ordered = others.iter().any(|(op, _)| !matches!(op, CompareOp::Equal | CompareOp::NotEqual));
        let comparable = matches!(ty, Type::Number | Type::List | Type::Unknown)
            || (!ordered && (ty.is_set() || ty == Type::Choice));
        if !comparable {
            let mut diagnostic =
                Diagnostic::new(Code::WrongType, span, format!("{} cannot be compared like this", ty.describe()));
            if ty.is_set() {
                diagnostic = diagnostic.help("`count ...` gives the number of members; `=` and `!=` compare sets");
            }
            self.report(diagnostic);
            return unknown(span);
        }
        let first = self.coerce((first, Ty::Known(ty)), ty);
        let rest: Vec<(CompareOp, Expr)> = others.into_iter().map(|(op, other)| (op, self.coerce(other, ty))).collect();
        if let (Some(a), [(op, right)]) = (first.as_constant(), rest.as_slice())
            && let (Value::Number(Some(a)), Some(Value::Number(Some(b)))) = (a, right.as_constant())
        {
            return (truth(op.holds(a, b), span), Ty::Known(Type::Condition));
        }
        (Expr { kind: ExprKind::Compare { first: Box::new(first), rest }, span }, Ty::Known(Type::Condition))
    }

    /// The names that something on the left of `is` may be: an option, a phase, a tracked name.
    fn choice_subject(&self, left: &ast::Expr) -> Option<(String, Vec<String>)> {
        let Ast::Name(name) = &left.kind else { return None };
        if self.frame.bound.iter().any(|bound| bound.name == *name) && !self.options.contains_key(name) {
            return None;
        }
        let values = self.option_values.get(name)?;
        (!values.is_empty()).then(|| (name.clone(), values.clone()))
    }

    /// A name read as one of the values of a subject.
    pub(super) fn choice_named(&mut self, subject: &str, right: &ast::Expr) -> Expr {
        let values = self.option_values.get(subject).cloned().unwrap_or_default();
        let text = match &right.kind {
            Ast::Name(name) | Ast::Bare(name) => name.clone(),
            Ast::Number(number) => number.to_string(),
            _ => {
                self.report(
                    Diagnostic::new(
                        Code::WrongType,
                        right.span,
                        format!("`{subject}` is compared with one of its values"),
                    )
                    .help(format!("it can be {}", values.join(", "))),
                );
                return Expr::constant(Value::Choice(ChoiceId(0)), right.span);
            }
        };
        if !values.contains(&text) {
            let diagnostic = Diagnostic::new(Code::BadOption, right.span, format!("`{subject}` is never `{text}`"))
                .label(format!("it can be {}", values.join(", ")))
                .did_you_mean(&text, values.iter().map(String::as_str));
            self.report(diagnostic);
            return Expr::constant(Value::Choice(ChoiceId(0)), right.span);
        }
        self.note_value(subject, right.span);
        Expr::constant(Value::Choice(self.choice(&text)), right.span)
    }

    fn is(&mut self, left: &ast::Expr, not: bool, right: &ast::Expr, span: Span) -> Typed {
        if let Some((subject, _)) = self.choice_subject(left) {
            self.mark_used(Defined::Option, &subject);
            if self.options.contains_key(&subject) {
                self.note(left.span, Meaning::Option);
            }
            if let Some(Setting::Choice(value)) = self.options.get(&subject).copied() {
                let right = self.choice_named(&subject, right);
                let equal = right.as_constant() == Some(&Value::Choice(value));
                return (truth(equal != not, span), Ty::Known(Type::Condition));
            }
            if let Some(Setting::Number(value)) = self.options.get(&subject).copied() {
                let right = self.typed(right, Type::Number);
                let equal = right.as_constant() == Some(&Value::Number(Some(value)));
                return (truth(equal != not, span), Ty::Known(Type::Condition));
            }
            let (left, ty) = self.infer(left);
            if self.resolved(ty) == Some(Type::Choice) {
                let right = self.choice_named(&subject, right);
                let op = if not { CompareOp::NotEqual } else { CompareOp::Equal };
                let kind = ExprKind::Compare { first: Box::new(left), rest: vec![(op, right)] };
                return (Expr { kind, span }, Ty::Known(Type::Condition));
            }
        }
        if let Ast::Quantified(Quantifier::Every, domain) = &left.kind {
            let (domain, ty) = self.infer(domain);
            let ty = self.settle(ty);
            let right = self.typed(right, if ty.is_set() { ty } else { Type::Sites });
            let kind = ExprKind::Subset(Box::new(domain), Box::new(right));
            let subset = Expr { kind, span };
            return if not { self.negate(subset, Type::Condition, span) } else { (subset, Ty::Known(Type::Condition)) };
        }
        let (checked, ty) = self.infer(left);
        match self.resolved(ty) {
            Some(Type::Number) => {
                let op = if not { CompareOp::NotEqual } else { CompareOp::Equal };
                self.compare(left, &[(op, right.clone())], span)
            }
            Some(Type::Condition) => {
                let right = self.typed(right, Type::Condition);
                let Some(wanted) = right.as_decided() else {
                    self.error(
                        Code::WrongType,
                        right.span,
                        "a condition is `yes` or `no`",
                        "write `is yes` or `is no`, or leave it out: the condition says it by itself",
                    );
                    return unknown(span);
                };
                if wanted == not {
                    self.negate(checked, Type::Condition, span)
                } else {
                    (checked, Ty::Known(Type::Condition))
                }
            }
            Some(Type::Choice) => {
                // An option reached through `if`: its value is a constant by now, and any name may be asked for.
                let text = match &right.kind {
                    Ast::Name(name) | Ast::Bare(name) => name.clone(),
                    _ => {
                        self.error(
                            Code::WrongType,
                            right.span,
                            "a name of a value is needed here",
                            "name one of the values, as in `phase is play`",
                        );
                        return unknown(span);
                    }
                };
                let id = self.choice(&text);
                let equal = checked.as_constant() == Some(&Value::Choice(id));
                (truth(equal != not, span), Ty::Known(Type::Condition))
            }
            _ => self.membership((checked, ty), not, right, span),
        }
    }

    fn is_in(&mut self, left: &ast::Expr, not: bool, right: &ast::Expr, span: Span) -> Typed {
        if matches!(left.kind, Ast::Quantified(Quantifier::Every, _)) {
            return self.is(left, not, right, span);
        }
        let left = self.infer(left);
        self.membership(left, not, right, span)
    }

    fn membership(&mut self, left: Typed, not: bool, right: &ast::Expr, span: Span) -> Typed {
        let want = self.resolved(left.1);
        // Of a subject that is not understood, a name may be any value.
        if want == Some(Type::Unknown) && matches!(right.kind, Ast::Name(_) | Ast::Bare(_)) {
            return unknown(span);
        }
        let want = if want == Some(Type::Number) { Some(Type::Range) } else { want };
        let right = self.infer_as(right, want);
        let ty = match (want, self.resolved(right.1)) {
            (Some(ty), _) if ty != Type::Unknown => ty,
            (_, Some(Type::Range)) => Type::Range,
            (_, Some(ty)) => ty,
            _ => Type::Sites,
        };
        if !ty.is_set() && ty != Type::Range && ty != Type::Unknown {
            self.error(
                Code::WrongType,
                left.0.span,
                format!("`in` asks about members of a set, and this is {}", ty.describe()),
                "compare numbers with `=` or `<`; ask `x in set` of sites, players and the like",
            );
            return unknown(span);
        }
        let element = if ty == Type::Range { Type::Number } else { ty };
        let left = self.coerce(left, element);
        let right = self.coerce(right, ty);
        let kind = ExprKind::In { left: Box::new(left), not, right: Box::new(right) };
        (Expr { kind, span }, Ty::Known(Type::Condition))
    }

    /// What stands behind `case`: an option before anything else.
    pub(super) fn subject(&mut self, subject: &ast::Expr) -> Typed {
        if let Ast::Name(name) = &subject.kind
            && let Some(setting) = self.options.get(name).copied()
        {
            self.mark_used(Defined::Option, name);
            self.note(subject.span, Meaning::Option);
            return setting_value(setting, subject.span);
        }
        self.infer(subject)
    }

    /// Every key must be a value that the subject can have.
    pub(super) fn check_keys<'k>(&mut self, subject: &ast::Expr, keys: impl Iterator<Item = &'k ast::Value>) {
        let names = match &subject.kind {
            Ast::Name(name) => self.option_values.get(name).cloned().unwrap_or_default(),
            _ => Vec::new(),
        };
        for key in keys {
            let text = key.kind.to_string();
            if let (Ast::Name(name), true) = (&subject.kind, names.contains(&text)) {
                self.note_value(name, key.span);
            }
            if !names.is_empty() && !names.contains(&text) {
                let diagnostic = Diagnostic::new(Code::BadOption, key.span, format!("this is never `{text}`"))
                    .label(format!("it can be {}", names.join(", ")))
                    .did_you_mean(&text, names.iter().map(String::as_str));
                self.report(diagnostic);
            }
        }
    }

    fn case(
        &mut self,
        subject: &ast::Expr,
        cases: &[(Vec<ast::Value>, ast::Expr)],
        span: Span,
        want: Option<Type>,
    ) -> Typed {
        let (checked, ty) = self.subject(subject);
        let ty = self.settle_as(ty, Type::Players);
        self.check_keys(subject, cases.iter().flat_map(|(keys, _)| keys));
        let mut branches: Vec<(Expr, Typed)> = Vec::new();
        let mut want = want;
        for (keys, result) in cases {
            let mut tests = Vec::new();
            for key in keys {
                let test = match (&checked.kind, &key.kind, ty) {
                    (ExprKind::Constant(Value::Choice(id)), ValueKind::Name(name), _) => {
                        truth(self.rules.choice(*id) == name, key.span)
                    }
                    (ExprKind::Constant(Value::Number(Some(number))), ValueKind::Number(wanted), _) => {
                        truth(number == wanted, key.span)
                    }
                    (_, ValueKind::Name(name), Type::Choice) => {
                        let id = self.choice(name);
                        let right = Expr::constant(Value::Choice(id), key.span);
                        let kind = ExprKind::Compare {
                            first: Box::new(checked.clone()),
                            rest: vec![(CompareOp::Equal, right)],
                        };
                        Expr { kind, span: key.span }
                    }
                    (_, ValueKind::Number(number), Type::Number) => {
                        let right = Expr::constant(Value::Number(Some(*number)), key.span);
                        let kind = ExprKind::Compare {
                            first: Box::new(checked.clone()),
                            rest: vec![(CompareOp::Equal, right)],
                        };
                        Expr { kind, span: key.span }
                    }
                    (_, ValueKind::Name(name), ty) if ty.is_set() => {
                        let right = ast::Expr { kind: Ast::Name(name.clone()), span: key.span };
                        let right = self.typed(&right, ty);
                        let kind = ExprKind::In { left: Box::new(checked.clone()), not: false, right: Box::new(right) };
                        Expr { kind, span: key.span }
                    }
                    (_, _, Type::Unknown) => truth(false, key.span),
                    _ => {
                        self.error(
                            Code::WrongType,
                            key.span,
                            format!("the case is about {}", ty.describe()),
                            "write keys of that kind before the `:`",
                        );
                        truth(false, key.span)
                    }
                };
                tests.push(test);
            }
            let test = join_conditions(tests, true, span);
            let dead = test.as_decided() == Some(false);
            let result = self.dead(dead, |checker| {
                if want == Some(Type::Piece) {
                    (checker.typed(result, Type::Piece), Ty::Known(Type::Piece))
                } else {
                    checker.infer_as(result, want)
                }
            });
            want = want.or(self.resolved(result.1).filter(|ty| *ty != Type::Unknown));
            branches.push((test, result));
        }
        let Some((_, (_, mut common))) = branches.first().cloned() else { return unknown(span) };
        for index in 1..branches.len() {
            let pair = (branches[index - 1].1.clone(), branches[index].1.clone());
            common = self.common(&pair.0, &pair.1, span);
        }
        let result = self.settle_as(common, want.unwrap_or(Type::Sites));
        let mut whole = Expr::constant(no_value(result), span);
        for (test, (value, _)) in branches.into_iter().rev() {
            whole = match test.as_decided() {
                Some(true) => value,
                Some(false) => whole,
                None => {
                    let kind =
                        ExprKind::If { condition: Box::new(test), then: Box::new(value), otherwise: Box::new(whole) };
                    Expr { kind, span }
                }
            };
        }
        (whole, Ty::Known(result))
    }

    // ---- names ----

    /// What a name means: the first that it can be, in the order of this list. What is bound where it stands comes
    /// first, then what the file defines, then the words of the language. Options and sites come after these, so that no
    /// option and no board changes what a word of the language means.
    fn name(&mut self, name: &str, span: Span, want: Option<Type>) -> Typed {
        let readings: [Reading<Self>; 12] = [
            Self::as_bound,
            Self::as_it,
            Self::as_word,
            Self::as_tracked,
            Self::as_piece,
            Self::as_player,
            Self::as_primitive,
            Self::as_direction,
            Self::as_option,
            Self::as_site,
            Self::as_choice,
            Self::as_truth_or_nothing,
        ];
        for reading in readings {
            if let Some(found) = reading(self, name, span, want) {
                return found;
            }
        }
        self.unknown_name(name, span, want);
        unknown(span)
    }

    /// A part, a definition, a parameter, or a name that an expression binds.
    fn as_bound(&mut self, name: &str, span: Span, want: Option<Type>) -> Option<Typed> {
        let bound = self.frame.bound.iter().rev().find(|bound| bound.name == name).cloned()?;
        if let (None, Some(want)) = (self.resolved(bound.ty), want) {
            self.settle_as(bound.ty, want);
        }
        self.note(span, Meaning::Local(bound.span));
        Some((Expr { kind: ExprKind::Local(bound.local), span }, bound.ty))
    }

    fn as_it(&mut self, name: &str, span: Span, _: Option<Type>) -> Option<Typed> {
        if name != "it" {
            return None;
        }
        self.note(span, Meaning::It);
        let memory = self.it();
        Some((Expr { kind: ExprKind::Memory { memory, index: None }, span }, Ty::Known(Type::Sites)))
    }

    fn as_word(&mut self, name: &str, span: Span, _: Option<Type>) -> Option<Typed> {
        if !self.words.contains_key(name) {
            return None;
        }
        self.note(span, Meaning::Word);
        Some(self.word_name(name, span))
    }

    fn as_tracked(&mut self, name: &str, span: Span, _: Option<Type>) -> Option<Typed> {
        let memory = self.tracks.get(name).copied()?;
        self.note(span, Meaning::Tracked);
        self.mark_used(Defined::Tracked, name);
        let Some(info) = self.rules.memories.get(memory.0).cloned() else { return Some(unknown(span)) };
        let what = match info.scope {
            Scope::Game => {
                return Some((Expr { kind: ExprKind::Memory { memory, index: None }, span }, Ty::Known(info.ty)));
            }
            Scope::Player => "player",
            Scope::Site => "site",
        };
        self.report(
            Diagnostic::new(Code::WrongArity, span, format!("`{name}` has a value for each {what}"))
                .help(format!("write `{name}(...)`")),
        );
        Some(unknown(span))
    }

    /// A kind of piece: the kind itself where kinds or pieces are wanted, and else the sites on which such pieces stand.
    fn as_piece(&mut self, name: &str, span: Span, want: Option<Type>) -> Option<Typed> {
        let kind = self.kinds.get(name).copied()?;
        self.mark_used(Defined::Piece, name);
        self.note(span, Meaning::Piece);
        let kinds = Expr::constant(Value::Kinds(Kinds::single(kind)), span);
        if matches!(want, Some(Type::Kinds | Type::Piece)) {
            return Some((kinds, Ty::Known(Type::Kinds)));
        }
        Some((Expr { kind: ExprKind::OfKinds(Box::new(kinds)), span }, Ty::Known(Type::Sites)))
    }

    fn as_player(&mut self, name: &str, span: Span, _: Option<Type>) -> Option<Typed> {
        let player = self.players.get(name).copied()?;
        self.note(span, Meaning::Player);
        if player.is_none() && self.live {
            self.report(
                Diagnostic::new(Code::UnknownPlayer, span, format!("`{name}` does not play with these options"))
                    .label(self.in_force())
                    .help("speak of this player only where an option says so: `if OPTION is VALUE then ... else ...`"),
            );
        }
        let players = player.map_or(Players(0), Players::single);
        Some((Expr::constant(Value::Players(players), span), Ty::Known(Type::Players)))
    }

    /// A word of the catalogue. An option may have the name of one that needs values.
    fn as_primitive(&mut self, name: &str, span: Span, _: Option<Type>) -> Option<Typed> {
        let primitive = catalogue::find(name)?;
        if primitive.params.is_empty() {
            self.note(span, Meaning::Primitive);
            self.check_class(primitive, span);
            return Some((
                Expr { kind: ExprKind::Primitive(primitive, Vec::new()), span },
                Ty::Known(primitive.result),
            ));
        }
        if self.options.contains_key(name) {
            return None;
        }
        self.note(span, Meaning::Primitive);
        self.needs_values(name, primitive.params.len(), span);
        Some(unknown(span))
    }

    fn as_direction(&mut self, name: &str, span: Span, _: Option<Type>) -> Option<Typed> {
        let direction = Direction::parse(name)?;
        self.note(span, Meaning::Direction);
        let board = &self.rules.board;
        if self.on_board() && !board.compass().contains(direction) && !board.sides().contains(direction) {
            let known: Vec<&str> = board.compass().iter().map(|direction| direction.name()).collect();
            self.report(
                Diagnostic::new(Code::NoDirection, span, format!("there is no direction {name} on this board"))
                    .label(format!("its directions are {}", known.join(", "))),
            );
        }
        Some((Expr::constant(Value::Directions(Directions::single(direction)), span), Ty::Known(Type::Directions)))
    }

    fn as_option(&mut self, name: &str, span: Span, _: Option<Type>) -> Option<Typed> {
        let setting = self.options.get(name).copied()?;
        self.mark_used(Defined::Option, name);
        self.note(span, Meaning::Option);
        Some(setting_value(setting, span))
    }

    fn as_site(&mut self, name: &str, span: Span, _: Option<Type>) -> Option<Typed> {
        let site = self.rules.board.find(name)?;
        self.note(span, Meaning::Site);
        Some((Expr::constant(Value::Sites(SiteSet::single(site)), span), Ty::Known(Type::Sites)))
    }

    /// Any name at all, where a value of an option or of a tracked name is wanted.
    fn as_choice(&mut self, name: &str, span: Span, want: Option<Type>) -> Option<Typed> {
        if want != Some(Type::Choice) {
            return None;
        }
        let id = self.choice(name);
        Some((Expr::constant(Value::Choice(id), span), Ty::Known(Type::Choice)))
    }

    fn as_truth_or_nothing(&mut self, name: &str, span: Span, want: Option<Type>) -> Option<Typed> {
        match name {
            "yes" | "no" => Some((truth(name == "yes", span), Ty::Known(Type::Condition))),
            "none" => {
                let ty = want.unwrap_or(Type::Sites);
                Some((Expr::constant(no_value(ty), span), Ty::Known(ty)))
            }
            _ => None,
        }
    }

    fn in_force(&self) -> String {
        let settings: Vec<String> = self
            .rules
            .settings
            .iter()
            .map(|(name, setting)| format!("{name} {}", self.rules.setting_text(*setting)))
            .collect();
        format!("with {}", settings.join(", "))
    }

    fn unknown_name(&mut self, name: &str, span: Span, want: Option<Type>) {
        let looks_like_site = name.chars().last().is_some_and(|c| c.is_ascii_digit())
            && name.chars().next().is_some_and(|c| c.is_ascii_lowercase());
        if looks_like_site && want != Some(Type::Players) {
            if self.on_board() {
                let names: Vec<String> = self.rules.board.names().take(400).map(str::to_owned).collect();
                let shown: Vec<&str> = names.iter().take(6).map(String::as_str).collect();
                let diagnostic =
                    Diagnostic::new(Code::UnknownSite, span, format!("there is no site `{name}` on this board"))
                        .label(format!("the board has {} sites: {}, ...", self.rules.board.len(), shown.join(", ")));
                let mut found = diagnostic.did_you_mean(name, names.iter().map(String::as_str));
                // Every name of a site is near another one.
                found.help = None;
                for fix in &mut found.fixes {
                    fix.applicability = Applicability::Unsafe;
                }
                let example = names.last().map_or("a1", String::as_str).to_owned();
                self.report(found.help(format!(
                    "name a site of the board, from `{}` to `{example}`",
                    names.first().map_or("a1", String::as_str)
                )));
            }
            return;
        }
        let known = self.known_names();
        let (code, message) = match want {
            Some(Type::Players) => (Code::UnknownPlayer, format!("there is no player `{name}`")),
            Some(Type::Kinds | Type::Piece) => (Code::UnknownPiece, format!("there is no piece `{name}`")),
            _ => (Code::UnknownName, format!("unknown word `{name}`")),
        };
        if let Some(at) = self.dropped(name) {
            self.report(still_used(Diagnostic::new(code, span, message), name, at));
            return;
        }
        let mut diagnostic =
            Diagnostic::new(code, span, message).label("neither defined in this file nor a word of the language");
        diagnostic = match want {
            Some(Type::Players) => {
                let names: Vec<String> = self.rules.players.iter().map(|player| player.name.clone()).collect();
                let known = names.iter().map(String::as_str).chain(OF_PLAYERS.map(Id::name));
                diagnostic.label(format!("the players are {}", names.join(", "))).did_you_mean(name, known)
            }
            Some(Type::Kinds | Type::Piece) => {
                let names: Vec<String> = self.rules.kinds.iter().map(|kind| kind.name.clone()).collect();
                diagnostic
                    .label(match names.as_slice() {
                        [] => "no piece is declared".to_owned(),
                        names => format!("the pieces are {}", names.join(", ")),
                    })
                    .did_you_mean(name, names.iter().map(String::as_str))
            }
            _ => diagnostic.did_you_mean(name, known.iter().map(String::as_str)),
        };
        self.report(diagnostic.or_help(|| match want {
            Some(Type::Players) => "name one of them, `mover` or `next`".to_owned(),
            Some(Type::Kinds | Type::Piece) => format!("declare it: piece {name} of each player"),
            _ => format!("define it: word {name} = ..."),
        }));
    }

    /// Where a file takes away what it extends.
    pub(super) fn dropped(&self, name: &str) -> Option<Span> {
        self.project.items().find_map(|item| match &item.kind {
            ast::ItemKind::Drop(dropped) if dropped.text == name => Some(dropped.span),
            _ => None,
        })
    }

    /// A piece as this file would write one.
    fn piece_help(&self) -> String {
        match self.rules.kinds.first() {
            Some(kind) if kind.neutral => format!("write a piece, as in `{}` or `empty`", kind.name),
            Some(kind) => format!("write a piece, as in `{} of mover` or `empty`", kind.name),
            None => "declare a piece first: piece stone of each player".to_owned(),
        }
    }

    fn known_names(&self) -> Vec<String> {
        let bound = self.frame.bound.iter().map(|bound| bound.name.clone());
        let kinds = self.rules.kinds.iter().map(|kind| kind.name.clone());
        let words =
            self.words.keys().chain(self.tracks.keys()).chain(self.players.keys()).chain(self.options.keys()).cloned();
        bound
            .chain(kinds)
            .chain(words)
            .chain(catalogue::CATALOGUE.iter().map(|primitive| primitive.name.to_owned()))
            .collect()
    }

    fn needs_values(&mut self, name: &str, count: usize, span: Span) {
        let values = if count == 1 { "a value" } else { "values" };
        let example = catalogue::find(name).map(|primitive| primitive.example);
        let diagnostic = Diagnostic::new(Code::WrongArity, span, format!("`{name}` needs {values} to go with it"));
        self.report(match example {
            Some(example) => diagnostic.help(format!("as in `{example}`")),
            None => diagnostic.help(format!("write `{name}(...)`")),
        });
    }

    /// A word by itself: its value, or, of a condition about one site, the sites for which it holds.
    fn word_name(&mut self, name: &str, span: Span) -> Typed {
        let Some(id) = self.word(name) else { return unknown(span) };
        let (params, result) = (self.rules.words[id.0].params.clone(), self.rules.words[id.0].result);
        match (params.as_slice(), result) {
            ([], _) => (Expr { kind: ExprKind::Word(id, Vec::new()), span }, Ty::Known(result)),
            ([Type::Sites], Type::Condition) => {
                (Expr { kind: ExprKind::Adjective { word: id, holds: true }, span }, Ty::Known(Type::Sites))
            }
            (params, _) => {
                self.needs_values(name, params.len(), span);
                unknown(span)
            }
        }
    }

    /// The checked word of a name; none if it is in error, or asks for itself.
    pub(super) fn word(&mut self, name: &str) -> Option<WordId> {
        self.mark_used(Defined::Word, name);
        let definition = match self.words.get(name)? {
            WordState::Done(id) => return Some(*id),
            WordState::Failed => return None,
            WordState::InProgress => {
                self.report_cycle(name);
                return None;
            }
            WordState::Unchecked(definition) => Rc::clone(definition),
        };
        if self.word_stack.len() >= MAX_WORDS_DEEP {
            self.report(
                Diagnostic::new(Code::TooDeep, definition.name.span, "words are defined by words by words, too deeply")
                    .help(format!("at most {MAX_WORDS_DEEP} may lead to one another")),
            );
            self.words.insert(name.to_owned(), WordState::Failed);
            return None;
        }
        self.words.insert(name.to_owned(), WordState::InProgress);
        self.word_stack.push((name.to_owned(), definition.name.span));
        let outer = std::mem::take(&mut self.frame);
        self.frame = Frame { in_end: name == "score", ..Frame::default() };
        let mut opens = Vec::new();
        for param in &definition.params {
            let ty = match &param.kind {
                Some(kind) => match self.param_type(kind) {
                    Some(ty) => Ty::Known(ty),
                    None => Ty::Known(Type::Unknown),
                },
                None if name == "score" => Ty::Known(Type::Players),
                None => {
                    self.open_types.push(None);
                    Ty::Open(self.open_types.len() - 1)
                }
            };
            opens.push(ty);
            self.bind(&param.name, ty);
        }
        let live = std::mem::replace(&mut self.live, true);
        let errors = self.diagnostics.len();
        let (body, ty) = if name == "score" {
            (self.typed(&definition.body, Type::Number), Ty::Known(Type::Number))
        } else if self.makes_piece(&definition.body) {
            (self.typed(&definition.body, Type::Piece), Ty::Known(Type::Piece))
        } else {
            self.infer(&definition.body)
        };
        // What goes wrong in a word that the options switch off is not reported for these options.
        if !live {
            self.diagnostics.truncate(errors);
        }
        self.live = live;
        let result = self.settle(ty);
        let params = opens.into_iter().map(|ty| self.settle(ty)).collect();
        self.frame = outer;
        self.word_stack.pop();
        if result == Type::Unknown {
            self.words.insert(name.to_owned(), WordState::Failed);
            return None;
        }
        let cost = self.cost(&body);
        if cost > MAX_COST && live {
            self.report(
                Diagnostic::new(
                    Code::TooCostly,
                    definition.name.span,
                    format!("finding `{name}` may take more than {MAX_COST} steps"),
                )
                .label("each time it is asked for")
                .help("avoid sets of all sites inside one another, and words that ask for the same word many times"),
            );
        }
        self.costs.push(cost);
        let is_region =
            |item: &ast::Item| matches!(&item.kind, ast::ItemKind::Region(region) if region.name.text == name);
        let region = self.project.items().any(is_region);
        self.rules.words.push(Word { name: name.to_owned(), params, result, body, region, span: definition.name.span });
        let id = WordId(self.rules.words.len() - 1);
        self.words.insert(name.to_owned(), WordState::Done(id));
        Some(id)
    }

    fn report_cycle(&mut self, name: &str) {
        let from = self.word_stack.iter().position(|(word, _)| word == name).unwrap_or(0);
        let cycle = self.word_stack[from..].to_vec();
        let mut path: Vec<&str> = cycle.iter().map(|(word, _)| word.as_str()).collect();
        path.push(name);
        let Some((_, span)) = cycle.first() else { return };
        let mut diagnostic = Diagnostic::new(Code::Cycle, *span, format!("`{name}` is defined by itself"))
            .label(path.join(" -> "))
            .help("a word may use only words that do not lead back to it");
        for (word, span) in &cycle[1..] {
            diagnostic = diagnostic.also(*span, format!("through `{word}`"));
        }
        self.report(diagnostic);
    }

    fn param_type(&mut self, kind: &ast::Name) -> Option<Type> {
        let found = Type::find(&kind.text);
        if found.is_none() {
            let known: Vec<&str> = Type::written_names().collect();
            let message = format!("`{}` is no type of value", kind.text);
            let diagnostic = Diagnostic::new(Code::UnknownName, kind.span, message);
            self.report(diagnostic.help(format!("types are {}", known.join(", "))));
        }
        found
    }

    /// Whether a definition can only be meant as a piece: `stone of mover`, `empty`, `kind(x) of p` under `if` and `case`.
    fn makes_piece(&self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            Ast::Row(terms) => match terms.as_slice() {
                [first, ast::Expr { kind: Ast::Of(_), .. }] => self.makes_kind(first),
                _ => false,
            },
            Ast::Call { name, .. } => gives(&name.text, Type::Piece),
            Ast::If { then, otherwise, .. } => self.makes_piece(then) || self.makes_piece(otherwise),
            Ast::Case { cases, .. } => cases.iter().any(|(_, result)| self.makes_piece(result)),
            _ => false,
        }
    }

    fn makes_kind(&self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            // A piece's name with an owner is also a set of sites; only words that no set begins with decide.
            Ast::Call { name, .. } => gives(&name.text, Type::Kinds),
            Ast::If { then, otherwise, .. } => {
                let named = |expr: &ast::Expr| matches!(&expr.kind, Ast::Name(name) if self.kinds.contains_key(name));
                (named(then) || self.makes_kind(then)) && (named(otherwise) || self.makes_kind(otherwise))
            }
            _ => false,
        }
    }

    fn call(&mut self, name: &ast::Name, args: &[ast::Expr], span: Span) -> Typed {
        if self.words.contains_key(&name.text) {
            self.note(name.span, Meaning::Word);
            let Some(id) = self.word(&name.text) else {
                for arg in args {
                    self.infer(arg);
                }
                return unknown(span);
            };
            let (params, result) = (self.rules.words[id.0].params.clone(), self.rules.words[id.0].result);
            if params.len() != args.len() {
                let also = self.rules.words[id.0].span;
                self.wrong_arity(&name.text, params.len(), params.len(), args.len(), name.span, Some(also));
                return unknown(span);
            }
            let args: Vec<Expr> = args.iter().zip(params).map(|(arg, ty)| self.typed(arg, ty)).collect();
            let standard = self.rules.words[id.0].span.source != self.project.main;
            if let (true, "line", Some(Value::Number(Some(n)))) =
                (standard, name.text.as_str(), args.first().and_then(Expr::as_constant))
            {
                self.check_length(*n - 1, &args[0], format!("no line of this board has {n} sites"));
            }
            return (Expr { kind: ExprKind::Word(id, args), span }, Ty::Known(result));
        }
        if let Some(memory) = self.tracks.get(&name.text).copied() {
            self.mark_used(Defined::Tracked, &name.text);
            self.note(name.span, Meaning::Tracked);
            let info = self.rules.memories[memory.0].clone();
            let want = match info.scope {
                Scope::Player => Type::Players,
                Scope::Site => Type::Sites,
                Scope::Game => {
                    self.wrong_arity(&name.text, 0, 0, args.len(), name.span, Some(info.span));
                    return unknown(span);
                }
            };
            let [index] = args else {
                self.wrong_arity(&name.text, 1, 1, args.len(), name.span, Some(info.span));
                return unknown(span);
            };
            let index = Some(Box::new(self.typed(index, want)));
            return (Expr { kind: ExprKind::Memory { memory, index }, span }, Ty::Known(info.ty));
        }
        let Some(primitive) = catalogue::find(&name.text) else {
            for arg in args {
                self.infer(arg);
            }
            let mut known = self.known_names();
            known.retain(|word| {
                catalogue::find(word).is_some_and(|primitive| !primitive.params.is_empty())
                    || self.words.contains_key(word)
                    || self.tracks.contains_key(word)
            });
            let diagnostic = Diagnostic::new(Code::UnknownName, name.span, format!("unknown word `{}`", name.text))
                .label("neither defined in this file nor a word of the language")
                .did_you_mean(&name.text, known.iter().map(String::as_str))
                .or_help(|| {
                    let params: Vec<String> = (1..=args.len()).map(|number| format!("x{number}")).collect();
                    format!("define it: word {}({}) = ...", name.text, params.join(", "))
                });
            self.report(diagnostic);
            return unknown(span);
        };
        self.note(name.span, Meaning::Primitive);
        (self.primitive(primitive, args, name.span, span), Ty::Known(primitive.result))
    }

    fn primitive(&mut self, primitive: &'static Primitive, args: &[ast::Expr], name: Span, span: Span) -> Expr {
        let most = primitive.params.len();
        let least = most - primitive.optional;
        if primitive.joins && !args.is_empty() {
            let Some(param) = primitive.params.first() else {
                return Expr::constant(no_value(primitive.result), span);
            };
            let parts: Vec<Expr> = args.iter().map(|arg| self.typed(arg, param.ty)).collect();
            for part in &parts {
                self.check_argument(primitive, param.must, part);
            }
            let joined = Expr { kind: ExprKind::Union(parts), span };
            return Expr { kind: ExprKind::Primitive(primitive, vec![joined]), span };
        }
        if args.len() < least || args.len() > most {
            self.wrong_arity(primitive.name, least, most, args.len(), name, None);
            return Expr::constant(no_value(primitive.result), span);
        }
        let args: Vec<Expr> = args.iter().zip(primitive.params).map(|(arg, param)| self.typed(arg, param.ty)).collect();
        if primitive.is_arithmetic()
            && let Some(constants) = args.iter().map(|arg| arg.as_constant().cloned()).collect::<Option<Vec<_>>>()
            && let Some(value) = primitive.settled(&self.rules.board, &self.rules.players, &constants)
        {
            return Expr::constant(value, span);
        }
        for (param, arg) in primitive.params.iter().zip(&args) {
            self.check_argument(primitive, param.must, arg);
        }
        Expr { kind: ExprKind::Primitive(primitive, args), span }
    }

    /// Whether questions about sites can be answered: not of a board that is in error itself.
    fn on_board(&self) -> bool {
        self.live && self.board_known
    }

    /// What the row of a word asks of a value in brackets, as far as it is known by now.
    fn check_argument(&mut self, primitive: &Primitive, must: Must, arg: &Expr) {
        if !self.on_board() {
            return;
        }
        match (must, arg.as_constant()) {
            (Must::BeLine, Some(Value::Number(Some(number)))) => self.check_row_number(primitive, *number, arg.span),
            (Must::BeSteps, Some(Value::Number(Some(number)))) => {
                let message = format!("no line of this board is {} steps long", number.abs());
                self.check_length(number.abs(), arg, message);
            }
            (Must::BeDirections, Some(Value::Directions(ways))) => self.check_ways(*ways, arg.span),
            (Must::BeSides, Some(Value::Directions(wanted))) => self.check_sides(*wanted, arg.span),
            (Must::Fit | Must::BeLine | Must::BeSteps | Must::BeDirections | Must::BeSides, _) => {}
        }
    }

    /// The number of a row or column that the board does not have.
    fn check_row_number(&mut self, primitive: &Primitive, number: i64, span: Span) {
        let board = &self.rules.board;
        let there = |number: i64| {
            let line = primitive.settled(board, &[], &[Value::Number(Some(number))]);
            line.is_some_and(|line| !line.is_empty_set())
        };
        if there(number) {
            return;
        }
        let name = primitive.name;
        let message = format!("there is no {name} {number} on this board");
        let (label, help) = match (1..=board.len() as i64).rev().find(|number| there(*number)) {
            Some(last) => {
                (format!("{name}s go from 1 to {last}"), format!("write a number up to {last}, as in `{name}({last})`"))
            }
            None => (
                format!("this board has no {name}s"),
                "name sites by their names, by `edge` or by `side(N)`".to_owned(),
            ),
        };
        self.report(Diagnostic::new(Code::OutOfRange, span, message).label(label).help(help));
    }

    /// Directions in which no site of the board has another one.
    fn check_ways(&mut self, ways: Directions, span: Span) {
        let compass = self.rules.board.compass();
        if let Some(missing) = ways.iter().find(|way| !compass.contains(*way)) {
            let known: Vec<&str> = compass.iter().map(|direction| direction.name()).collect();
            let message = format!("no site of this board has a site to its {}", missing.name());
            self.report(
                Diagnostic::new(Code::NoDirection, span, message)
                    .label(format!("the directions are {}", known.join(", ")))
                    .help(format!("write one of them, as in `{}`", known.first().unwrap_or(&"directions"))),
            );
        }
    }

    /// Edges and vertices that this board has not been given.
    fn check_class(&mut self, primitive: &Primitive, span: Span) {
        let sites = || primitive.settled(&self.rules.board, &[], &[]);
        if primitive.class && self.on_board() && sites().is_some_and(|sites| sites.is_empty_set()) {
            let name = primitive.name;
            self.report(
                Diagnostic::new(Code::UnknownSite, span, format!("this board has no {name} to play on"))
                    .help(format!("write what sites it has: board square(4) with cells, {name}")),
            );
        }
    }

    /// A number of steps that no straight line of this board has.
    fn check_length(&mut self, steps: i64, arg: &Expr, message: String) {
        let board = &self.rules.board;
        if !self.on_board() || steps <= 1 {
            return;
        }
        let reach = |from: crate::board::Site, way: Direction| {
            let mut at = from;
            // On a ring a line has no end.
            (0..board.len()).take_while(|_| board.step(at, way).map(|next| at = next).is_some()).count()
        };
        let longest = board.compass().iter().flat_map(|way| board.all().iter().map(move |site| reach(site, way))).max();
        let longest = longest.unwrap_or(0);
        if steps > longest as i64 {
            let label = format!("the longest line has {} sites", longest + 1);
            // `line` counts sites where `ahead` counts steps.
            let more = match arg.as_constant() {
                Some(Value::Number(Some(number))) => (number.abs() - steps).max(0),
                _ => 0,
            };
            let help = match longest as i64 + more {
                most if most > 1 => format!("write a number up to {most}, or choose a larger board"),
                _ => "choose a larger board".to_owned(),
            };
            self.report(Diagnostic::new(Code::OutOfRange, arg.span, message).label(label).help(help));
        }
    }

    /// Directions in which the board has no side.
    fn check_sides(&mut self, wanted: Directions, span: Span) {
        let sides = self.rules.board.sides();
        if let Some(missing) = wanted.iter().find(|direction| !sides.contains(*direction)) {
            let known: Vec<&str> = sides.iter().map(|direction| direction.name()).collect();
            let label = if known.is_empty() {
                "this board has no sides".to_owned()
            } else {
                format!("its sides are {}", known.join(", "))
            };
            let message = format!("this board has no side {}", missing.name());
            self.report(Diagnostic::new(Code::NoDirection, span, message).label(label));
        }
    }

    fn wrong_arity(&mut self, name: &str, least: usize, most: usize, found: usize, span: Span, also: Option<Span>) {
        let wanted = match (least, most) {
            (0, 0) => "no value".to_owned(),
            (1, 1) => "one value".to_owned(),
            (least, most) if least == most => format!("{least} values"),
            (least, most) => format!("{least} to {most} values"),
        };
        let mut diagnostic = Diagnostic::new(
            Code::WrongArity,
            span,
            format!("`{name}` takes {wanted}, and here {} {found}", if found == 1 { "is" } else { "are" }),
        );
        if let Some(also) = also {
            diagnostic = diagnostic.also(also, "defined here");
        }
        if let Some(primitive) = catalogue::find(name) {
            diagnostic = diagnostic.help(format!("as in `{}`", primitive.example));
        }
        self.report(diagnostic.or_help(|| {
            let values: Vec<String> = (1..=least).map(|number| format!("x{number}")).collect();
            match least {
                0 => format!("write `{name}` alone"),
                _ => format!("write `{name}({})`", values.join(", ")),
            }
        }));
    }

    // ---- rows of words ----

    /// Terms side by side narrow one another; a preposition takes the next term.
    fn row(&mut self, terms: &[ast::Expr], span: Span) -> Typed {
        if let [ast::Expr { kind: Ast::Name(what), .. }, ast::Expr { kind: Ast::Name(seen), .. }, ..] = terms
            && matches!(what.as_str(), "position" | "board")
            && seen == "seen"
        {
            self.error(
                Code::Syntax,
                span,
                format!("`{what} seen` needs a number"),
                format!("say how often: `{what} seen 3`; or `{what} new`, which has never come up before"),
            );
            return unknown(span);
        }
        let errors = self.diagnostics.len();
        let mut sets = Vec::new();
        let mut rest = terms;
        while !rest.is_empty() {
            let (set, taken) = self.row_term(rest);
            sets.push(set);
            rest = &rest[taken..];
        }
        // With a term that is not understood nothing is known of the row.
        if self.diagnostics[errors..].iter().any(Diagnostic::is_error) {
            return unknown(span);
        }
        if sets.len() == 1 {
            return (sets.remove(0), Ty::Known(Type::Sites));
        }
        self.check_contradiction(&sets, span);
        (Expr { kind: ExprKind::Intersection(sets), span }, Ty::Known(Type::Sites))
    }

    fn row_term(&mut self, terms: &[ast::Expr]) -> (Expr, usize) {
        let Some(first) = terms.first() else { return (Expr::constant(no_value(Type::Sites), Span::default()), 1) };
        match &first.kind {
            Ast::Not(inner)
                // `not next_to x`: the preposition under `not` takes what follows.
                if self.is_preposition(inner) => {
                    let mut row = vec![(**inner).clone()];
                    row.extend(terms[1..].iter().cloned());
                    let (set, taken) = self.row_term(&row);
                    let span = first.span.to(set.span);
                    return (self.negate(set, Type::Sites, span).0, taken);
                }
            Ast::Name(name) if self.is_preposition(first) => {
                let word = self.words.contains_key(name);
                self.note(first.span, if word { Meaning::Word } else { Meaning::Primitive });
                let Some(next) = terms.get(1) else {
                    self.needs_values(name, 1, first.span);
                    return (Expr::constant(no_value(Type::Sites), first.span), 1);
                };
                if self.is_preposition(next) || matches!(next.kind, Ast::Not(_)) {
                    let (argument, taken) = self.row_term(&terms[1..]);
                    return (self.apply_preposition(name, argument, first.span), taken + 1);
                }
                let argument = self.typed(next, Type::Sites);
                let mut set = self.apply_preposition(name, argument, first.span);
                set.span = first.span.to(next.span);
                return (set, 2);
            }
            _ => {}
        }
        (self.typed(first, Type::Sites), 1)
    }

    fn is_preposition(&mut self, term: &ast::Expr) -> bool {
        let Ast::Name(name) = &term.kind else { return false };
        if self.frame.bound.iter().any(|bound| bound.name == *name) {
            return false;
        }
        if self.words.contains_key(name) {
            let Some(id) = self.word(name) else { return false };
            let word = &self.rules.words[id.0];
            return word.params.len() == 1 && word.params[0] == Type::Sites && word.result == Type::Sites;
        }
        catalogue::find(name).is_some_and(Primitive::is_preposition)
    }

    fn apply_preposition(&mut self, name: &str, argument: Expr, span: Span) -> Expr {
        let span = span.to(argument.span);
        if self.words.contains_key(name) {
            return match self.word(name) {
                Some(id) => Expr { kind: ExprKind::Word(id, vec![argument]), span },
                None => Expr::constant(no_value(Type::Sites), span),
            };
        }
        match catalogue::find(name) {
            Some(primitive) => Expr { kind: ExprKind::Primitive(primitive, vec![argument]), span },
            None => Expr::constant(no_value(Type::Sites), span),
        }
    }

    /// `disc territory`, `empty enemy`: two words that never hold of one site.
    fn check_contradiction(&mut self, sets: &[Expr], span: Span) {
        let mut kinds: Option<(Kinds, Span)> = None;
        let mut empty: Option<Span> = None;
        let mut pieces: Option<Span> = None;
        for set in sets {
            match &set.kind {
                ExprKind::OfKinds(inner) => {
                    pieces = Some(set.span);
                    if let Some(Value::Kinds(found)) = inner.as_constant() {
                        if let Some((_, first)) = kinds.filter(|(other, _)| other.0 & found.0 == 0) {
                            self.report(
                                Diagnostic::new(
                                    Code::AlwaysEmpty,
                                    span,
                                    "no piece is of two kinds, so that nothing can be found here",
                                )
                                .also(first, "one kind")
                                .also(set.span, "another")
                                .help(format!(
                                    "for sites with either of them write `{} or {}`",
                                    self.project.sources.slice(first),
                                    self.project.sources.slice(set.span)
                                )),
                            );
                            return;
                        }
                        kinds = Some((*found, set.span));
                    }
                }
                ExprKind::OfPlayers(_) => pieces = Some(set.span),
                ExprKind::Primitive(primitive, _) => match primitive.stands {
                    Stands::Nothing => empty = Some(set.span),
                    Stands::Piece => pieces = Some(set.span),
                    Stands::Anything | Stands::As(_) => {}
                },
                ExprKind::Word(id, _)
                    if self
                        .rules
                        .words
                        .get(id.0)
                        .is_some_and(|word| matches!(word.name.as_str(), "own" | "enemy" | "neutral")) =>
                {
                    pieces = Some(set.span);
                }
                _ => {}
            }
        }
        if let (Some(empty), Some(pieces)) = (empty, pieces) {
            // A preposition before it took less than was meant for it.
            let short = sets.iter().find(|set| {
                let taken =
                    matches!(&set.kind, ExprKind::Primitive(_, args) | ExprKind::Word(_, args) if !args.is_empty());
                taken && set.span.end <= pieces.start
            });
            let help = match short {
                Some(short) => {
                    let text = |span| self.project.sources.slice(span).trim();
                    format!(
                        "a word such as `next_to` takes one word behind it; put brackets around more: `({} {})`",
                        text(short.span).rsplit(' ').next().unwrap_or_default(),
                        text(pieces)
                    )
                }
                None => "take one of them out, or write `or` between them for sites of either sort".to_owned(),
            };
            self.report(
                Diagnostic::new(
                    Code::AlwaysEmpty,
                    span,
                    "an empty site holds no piece, so that nothing can be found here",
                )
                .also(empty, "nothing stands there")
                .also(pieces, "something stands there")
                .help(help),
            );
        }
    }

    // ---- pieces ----

    /// `KIND of PLAYER`, a neutral kind, `empty`, or `if` and `case` over these.
    fn piece(&mut self, expr: &ast::Expr) -> Expr {
        let span = expr.span;
        match &expr.kind {
            Ast::Name(name) if name == Id::Empty.name() => Expr::constant(Value::Piece(Some(Content::EMPTY)), span),
            Ast::If { condition, then, otherwise } => {
                let condition = self.typed(condition, Type::Condition);
                let decided = condition.as_decided();
                let then = self.dead(decided == Some(false), |checker| checker.piece(then));
                let otherwise = self.dead(decided == Some(true), |checker| checker.piece(otherwise));
                match decided {
                    Some(true) => then,
                    Some(false) => otherwise,
                    None => Expr {
                        kind: ExprKind::If {
                            condition: Box::new(condition),
                            then: Box::new(then),
                            otherwise: Box::new(otherwise),
                        },
                        span,
                    },
                }
            }
            Ast::Case { subject, cases } => self.case(subject, cases, span, Some(Type::Piece)).0,
            Ast::Row(terms) => match terms.as_slice() {
                [kind, ast::Expr { kind: Ast::Of(owner), .. }] => {
                    let kind = self.typed(kind, Type::Kinds);
                    let owner = self.typed(owner, Type::Players);
                    if let Some(name) = self.neutral_kind(&kind) {
                        self.report(
                            Diagnostic::new(Code::NoOwner, span, format!("a `{name}` belongs to nobody"))
                                .help(format!("write `{name}` alone")),
                        );
                    }
                    Expr { kind: ExprKind::Piece { kind: Box::new(kind), owner: Some(Box::new(owner)) }, span }
                }
                _ => {
                    self.report(
                        Diagnostic::new(Code::WrongType, span, "this is no piece")
                            .help("a piece is a kind and perhaps an owner: `stone of mover`"),
                    );
                    Expr::constant(Value::Piece(None), span)
                }
            },
            _ => {
                let (checked, ty) = self.infer_as(expr, Some(Type::Piece));
                match self.resolved(ty) {
                    Some(Type::Piece | Type::Unknown) => checked,
                    Some(Type::Kinds) => {
                        if let Some(Value::Kinds(kinds)) = checked.as_constant() {
                            let owned = kinds
                                .iter()
                                .filter_map(|kind| self.rules.kinds.get(usize::from(kind.0)))
                                .find(|kind| !kind.neutral);
                            if let Some(kind) = owned {
                                let message = format!("it is not said whose `{}` this is", kind.name);
                                let help = format!(
                                    "write `{} of mover`, or declare it: piece {} neutral",
                                    kind.name, kind.name
                                );
                                self.report(Diagnostic::new(Code::NoOwner, span, message).help(help));
                            }
                        }
                        Expr { kind: ExprKind::Piece { kind: Box::new(checked), owner: None }, span }
                    }
                    Some(other) => {
                        self.error(
                            Code::WrongType,
                            span,
                            format!("a piece is needed here, and this is {}", other.describe()),
                            self.piece_help(),
                        );
                        Expr::constant(Value::Piece(None), span)
                    }
                    None => {
                        self.settle_as(ty, Type::Piece);
                        checked
                    }
                }
            }
        }
    }

    fn neutral_kind(&self, kind: &Expr) -> Option<String> {
        let Some(Value::Kinds(kinds)) = kind.as_constant() else { return None };
        let kind = self.rules.kinds.get(usize::from(kinds.only()?.0))?;
        kind.neutral.then(|| kind.name.clone())
    }

    /// Checks something that speaks of the parts of a move.
    pub(super) fn on_parts<T>(&mut self, mv: MoveId, check: impl FnOnce(&mut Self) -> T) -> T {
        let names = self.rules.moves.get(mv.0).map(|mv| mv.names.clone()).unwrap_or_default();
        let next = names.len();
        let bound = names
            .into_iter()
            .map(|named| Bound { name: named.name, span: named.span, local: named.local, ty: Ty::Known(named.ty) })
            .collect();
        let outer = std::mem::replace(&mut self.frame, Frame { bound, next: next + 64, in_move: false, in_end: false });
        let result = check(self);
        self.frame = outer;
        result
    }
}

pub(super) fn join_conditions(parts: Vec<Expr>, or: bool, span: Span) -> Expr {
    let mut open = Vec::new();
    for part in parts {
        match part.as_constant() {
            Some(Value::Condition(Some(value))) if *value == or => return truth(or, span),
            Some(Value::Condition(Some(_))) => {}
            _ => open.push(part),
        }
    }
    match open.len() {
        0 => truth(!or, span),
        1 => open.remove(0),
        _ => Expr { kind: if or { ExprKind::Or(open) } else { ExprKind::And(open) }, span },
    }
}

fn setting_value(setting: Setting, span: Span) -> Typed {
    match setting {
        Setting::Number(number) => (Expr::constant(Value::Number(Some(number)), span), Ty::Known(Type::Number)),
        Setting::Choice(id) => (Expr::constant(Value::Choice(id), span), Ty::Known(Type::Choice)),
    }
}

/// What uses something that the file has taken away.
pub(super) fn still_used(diagnostic: Diagnostic, name: &str, dropped: Span) -> Diagnostic {
    diagnostic
        .label("still used here")
        .also(dropped, "dropped here")
        .help(format!("write what uses `{name}` again without it, or define another `{name}`"))
}

/// Whether a name is a primitive word with values of a type.
pub(super) fn gives(name: &str, ty: Type) -> bool {
    catalogue::find(name).is_some_and(|primitive| primitive.result == ty)
}
