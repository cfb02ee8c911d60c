//! Expressions: what is written becomes a checked expression of a type, with constants folded.

use super::cost::MAX_OPEN;
use super::{Bound, Checker, Frame, Ty, families};
use crate::board::{Direction, Directions, SiteSet};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, ExprKind as Ast, Quantifier};

pub(super) type Typed = (Expr, Ty);

impl Checker<'_> {
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

    pub(super) fn settle_as(&mut self, ty: Ty, default: Type) -> Type {
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

    pub(super) fn coerce(&mut self, (expr, ty): Typed, want: Type) -> Expr {
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
        } else if want == Type::Number && found == Type::Range {
            diagnostic = diagnostic.help(
                "a range says what a part is picked from, `n : 1..3`; several rows are joined by `or`: `row(1) or row(2)`",
            );
        } else if want == Type::Condition && found == Type::Number {
            diagnostic = diagnostic.help("compare it with a number: `... > 0`");
        } else if want == Type::Players {
            let names: Vec<&str> = self.rules.players.iter().map(|player| player.name.as_str()).collect();
            let before = Span { start: expr.span.start.saturating_sub(3), end: expr.span.start, ..expr.span };
            let brackets = if found == Type::Sites && self.project.sources.slice(before) == "of " {
                "; a word that is asked about sites stands before brackets: `count groups(own)`"
            } else {
                ""
            };
            diagnostic = diagnostic.help(format!("players are {}, `mover` and `next`{brackets}", names.join(", ")));
        } else if want == Type::Kinds {
            diagnostic = diagnostic.help(self.kind_help(&expr, found));
        } else if want == Type::Sites && found == Type::Players {
            diagnostic = self.of_players(diagnostic, expr.span);
        } else if want == Type::Directions && found == Type::Players {
            diagnostic = self.hidden_direction(diagnostic, expr.span);
        } else if want == Type::Sites && found == Type::Number && self.rules.board.find("1").is_some() {
            diagnostic = diagnostic.help("a number is the site that it names only where it is written in the place of a site: give sites their names by `region` instead of `word`, as in `region home = 1 .. 6`, and go through them as `x in home`");
        } else if want == Type::Sites && found == Type::Number {
            diagnostic = diagnostic.help("name sites, as in `empty`, `own next_to x`; how many there are is asked by `count`: `count(own row(1)) >= 3`");
        } else if want == Type::Sites && found == Type::Range {
            diagnostic = diagnostic.help("sites that have numbers for names are joined by `or`: `1 or 2 or 3`");
        } else if want == Type::Sites && found == Type::Directions {
            diagnostic = diagnostic.help("`ahead(x, d)` is the next site from `x` in the direction `d`");
        } else if want == Type::Sites && found == Type::Condition {
            diagnostic =
                diagnostic.help("use `and`, `or`, `not` between sets inside brackets: `x in (empty and not edge)`");
        }
        self.report(diagnostic.or_help(|| want.example()));
        Expr::constant(no_value(want), expr.span)
    }

    /// The sites of a player, where a player alone is written.
    fn of_players(&self, diagnostic: Diagnostic, span: Span) -> Diagnostic {
        let text = self.project.sources.slice(span).trim();
        if !text.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return diagnostic.help("`of mover` are the sites on which the mover's pieces stand");
        }
        let written = format!("of {text}");
        diagnostic.help(format!("the sites on which the pieces of `{text}` stand are `{written}`")).fix(
            format!("write `{written}`"),
            span,
            written,
        )
    }

    /// A player whose name is that of a direction.
    fn hidden_direction(&self, diagnostic: Diagnostic, span: Span) -> Diagnostic {
        let text = self.project.sources.slice(span);
        let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| self.players.contains_key(*word));
        match words.find(|word| Direction::parse(word).is_some()) {
            Some(name) => diagnostic.help(format!(
                "the player `{name}` has the name of a direction, and hides it: give the player another name"
            )),
            None => diagnostic.help("the direction in which a player goes is `facing(mover)`"),
        }
    }

    /// The name of a kind where an expression is nothing but that, and where it stands.
    fn named_kind(&self, expr: &Expr) -> Option<(String, Span)> {
        let text = self.project.sources.slice(expr.span).trim();
        self.kinds.contains_key(text).then(|| (text.to_owned(), expr.span))
    }

    /// Why something is no kind of piece, and what would be one.
    fn kind_help(&self, expr: &Expr, found: Type) -> String {
        let names: Vec<&str> = self.rules.kinds.iter().map(|kind| kind.name.as_str()).collect();
        let text = self.project.sources.slice(expr.span);
        if names.contains(&text) {
            return format!(
                "`{text}` is a part or another name of this line here, and hides the piece of that name: give it another name"
            );
        }
        match names.first() {
            Some(first) if found == Type::Sites => format!(
                "the name of a piece stands for the sites of such pieces; the kind itself is `kinds({first})`, and that of the piece on `x` is `kind(x)`"
            ),
            _ => format!("kinds of pieces are {}", names.join(", ")),
        }
    }

    pub(super) fn infer(&mut self, expr: &ast::Expr) -> Typed {
        self.infer_as(expr, None)
    }

    /// The type of an expression; what is wanted decides only what could be read in two ways.
    pub(super) fn infer_as(&mut self, expr: &ast::Expr, want: Option<Type>) -> Typed {
        let inside = std::mem::replace(&mut self.inside, true);
        let checked = self.within(expr.span, |checker| checker.infer_form(expr, want));
        self.inside = inside;
        checked.filter(|(checked, _)| inside || self.is_shallow(checked)).unwrap_or_else(|| unknown(expr.span))
    }

    /// Checks something one level further in; none if that is too deep, which is said.
    pub(super) fn within<T>(&mut self, span: Span, check: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.open >= MAX_OPEN {
            self.too_deep(span);
            return None;
        }
        self.open += 1;
        let checked = check(self);
        self.open -= 1;
        Some(checked)
    }

    fn infer_form(&mut self, expr: &ast::Expr, want: Option<Type>) -> Typed {
        let span = expr.span;
        let known = |kind: ExprKind, ty: Type| (Expr { kind, span }, Ty::Known(ty));
        match &expr.kind {
            Ast::Number(number) => {
                if want == Some(Type::Sites)
                    && let Some(site) = self.rules.board.find(&number.to_string())
                {
                    return (Expr::constant(Value::of_site(site), span), Ty::Known(Type::Sites));
                }
                (Expr::constant(Value::Number(Some(*number)), span), Ty::Known(Type::Number))
            }
            Ast::Half(_) => {
                self.refuse_half(span);
                unknown(span)
            }
            Ast::Name(name) | Ast::Bare(name) => self.name(name, span, want),
            Ast::Call { name, .. } if self.is_halved_score(&name.text) => {
                self.refuse_half(span);
                unknown(span)
            }
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
            Ast::Compare { first, rest } => {
                self.compared_in_halves(first, rest, span).unwrap_or_else(|| self.compare(first, rest, span))
            }
            Ast::Is { left, not, right } if matches!(right.kind, Ast::Half(_)) => {
                let op = if *not { CompareOp::NotEqual } else { CompareOp::Equal };
                self.compared_in_halves(left, &[(op, ast::Expr::clone(right))], span).unwrap_or_else(|| unknown(span))
            }
            Ast::Is { left, not, right } => self.is(left, *not, right, span),
            Ast::In { .. } => self.is_in(expr),
            Ast::If { condition, then, otherwise } => {
                let condition = self.typed(condition, Type::Condition);
                let decided = condition.as_decided();
                let then = self.dead(decided == Some(false), |checker| checker.infer_as(then, want));
                let want = want.or(self.resolved(then.1));
                let otherwise = self.dead(decided == Some(true), |checker| checker.infer_as(otherwise, want));
                let then = self.as_site_beside(then, otherwise.1);
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
                let rounds = self.rounds(name, domain);
                let condition = self.typed(condition, Type::Condition);
                self.unbind();
                (families::some(&rounds, condition, *none, span), Ty::Known(Type::Condition))
            }
            Ast::SetOf { name, domain, condition } => {
                let (local, domain, ty) = self.binder(name, domain);
                let condition = condition.as_ref().map(|condition| Box::new(self.typed(condition, Type::Condition)));
                self.unbind();
                if ty == Type::Range && condition.is_some() {
                    let text = self.project.sources.phrase(domain.span);
                    self.error(
                        Code::WrongType,
                        span,
                        "numbers cannot be gathered in a set: a range holds all numbers from one to another",
                        format!(
                            "of a part ask behind a comma: `n : {text}, n = 4 or n = 6`; how many there are is `count {{ n in {text} with ... }}`, and of all of them `sum {{ n for n in {text} with ... }}`"
                        ),
                    );
                    return unknown(span);
                }
                known(ExprKind::SetOf { local, domain: Box::new(domain), condition }, ty)
            }
            Ast::Each { body, name, domain, condition } => {
                let rounds = self.rounds(name, domain);
                let condition = condition.as_ref().map(|condition| self.typed(condition, Type::Condition));
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
                (families::each(&rounds, condition, body, result, span), Ty::Known(result))
            }
            Ast::Reduce(reduce, inner) => {
                let Ast::Each { body, name, domain, condition } = &inner.kind else {
                    self.report(
                        Diagnostic::new(Code::WrongType, inner.span, "numbers are joined from a list of them")
                            .help("write `sum { number for x in set }`"),
                    );
                    return unknown(span);
                };
                let rounds = self.rounds(name, domain);
                let condition = condition.as_ref().map(|condition| self.typed(condition, Type::Condition));
                let body = self.typed(body, Type::Number);
                self.unbind();
                (families::reduced(*reduce, &rounds, condition, body, span), Ty::Known(Type::Number))
            }
            Ast::List(parts) => {
                let parts = parts.iter().map(|part| self.typed(part, Type::Number)).collect();
                known(ExprKind::List(parts), Type::List)
            }
            Ast::Family { .. } => {
                self.error(
                    Code::WrongType,
                    span,
                    "sets to be gone through one by one have a name",
                    "give them one, `word files = [ column(n) for n in 1 .. 8 ]`, and go through them: `some l in files with ...`",
                );
                unknown(span)
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
                let asked = &mut self.rules.repetition;
                *if *board { &mut asked.boards } else { &mut asked.positions } = true;
                known(ExprKind::Seen { board: *board, times: *times }, Type::Condition)
            }
            Ast::Possible { pattern, apart } => {
                self.asks_possible = true;
                let entry = match self.frame.after {
                    Some(of) => Some(self.reply(pattern, of, *apart)),
                    None if *apart => {
                        self.error(
                            Code::WrongType,
                            span,
                            "`apart from this` leaves out what moves ask of answers, and nothing is asked of them here",
                            "it stands in a line `so that possible ... apart from this` of a move; take it out here",
                        );
                        None
                    }
                    None if self.frame.in_end => self.possible(pattern),
                    None => {
                        self.error(
                            Code::WrongType,
                            span,
                            "`possible` is asked in `end` and behind `so that` only: of the player to move next",
                            "ask it in a line of `end`: mover wins when not possible ..., or of a move: so that possible ...",
                        );
                        None
                    }
                };
                match entry {
                    Some(entry) => {
                        let answers = self.frame.after.is_some();
                        known(ExprKind::Possible { entry, answers }, Type::Condition)
                    }
                    None => unknown(span),
                }
            }
        }
    }

    /// A number is the site that it names where sites stand beside it.
    pub(super) fn as_site_beside(&mut self, (expr, ty): Typed, other: Ty) -> Typed {
        let number = expr.as_constant().and_then(Value::number);
        let named = number.filter(|_| self.resolved(ty) == Some(Type::Number));
        match named.and_then(|number| self.sites_numbered(number, number)) {
            Some(site) if self.resolved(other) == Some(Type::Sites) => {
                (Expr::constant(site, expr.span), Ty::Known(Type::Sites))
            }
            _ => (expr, ty),
        }
    }

    /// The sites that have the numbers from one to another for their names; none where one of them names no site.
    fn sites_numbered(&self, first: i64, last: i64) -> Option<Value> {
        let board = &self.rules.board;
        let all: Option<SiteSet> = (first..=last).map(|number| board.find(&number.to_string())).collect();
        all.filter(|sites| !sites.is_empty()).map(Value::of_sites)
    }

    /// The common type of two branches.
    pub(super) fn common(&mut self, a: &Typed, b: &Typed, span: Span) -> Ty {
        match (self.resolved(a.1), self.resolved(b.1)) {
            (Some(Type::Unknown), _) => b.1,
            (_, Some(Type::Unknown)) => a.1,
            (Some(left), Some(right)) if left == right => a.1,
            (Some(left), Some(right)) => {
                let at = |span| Diagnostic::new(Code::WrongType, span, "the branches are of different kinds");
                let named = if (left, right) == (Type::Sites, Type::Kinds) {
                    self.named_kind(&a.0)
                } else if (left, right) == (Type::Kinds, Type::Sites) {
                    self.named_kind(&b.0)
                } else {
                    None
                };
                self.report(match named {
                    Some((name, place)) => at(place)
                        .label("these are sites, and another branch is a kind of piece")
                        .help(format!(
                            "the name of a piece stands for the sites of such pieces; the kind itself is `kinds({name})`"
                        ))
                        .guess(format!("write `kinds({name})`"), place, format!("kinds({name})")),
                    None => at(span)
                        .label(format!("one is {}, another {}", left.describe(), right.describe()))
                        .help("let every branch be of one kind; `none` is the empty set of any kind"),
                });
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

    pub(super) fn binder(&mut self, name: &ast::Name, domain: &ast::Expr) -> (Local, Expr, Type) {
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
        self.frame.singles.push(local);
        (local, domain, ty)
    }

    pub(super) fn negate(&mut self, inner: Expr, ty: Type, span: Span) -> Typed {
        match ty {
            Type::Condition | Type::Unknown => {
                if let Some(Value::Condition(condition)) = inner.as_constant() {
                    return (Expr::constant(Value::Condition(condition.map(|c| !c)), span), Ty::Known(ty));
                }
                self.check_under_not(&inner);
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
        if quantifier != Quantifier::The
            && let Some(diagnostic) = self.narrowed_in_brackets(inner, span)
        {
            self.report(diagnostic);
            return unknown(span);
        }
        if let Some(asked) = self.quantified_family(quantifier, inner, span) {
            return asked;
        }
        let set_wanted = if quantifier == Quantifier::The { want } else { None };
        let (inner, ty) = self.infer_as(inner, set_wanted.filter(|ty| ty.is_set()));
        let ty = self.settle(ty);
        if !ty.is_set() && ty != Type::Unknown {
            let message = format!("a set is needed here, and this is {}", ty.describe());
            self.error(Code::WrongType, inner.span, message, "name a set, as in `any own`, `count empty`");
            return unknown(span);
        }
        if ty == Type::Players {
            self.check_one_player(quantifier, &inner, span);
        }
        if matches!(quantifier, Quantifier::Any | Quantifier::No) {
            self.look_for(&inner);
        } else if quantifier == Quantifier::Count {
            self.check_counted(&inner, ty, span);
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

    fn binary(&mut self, op: BinaryOp, left: &ast::Expr, right: &ast::Expr, span: Span, want: Option<Type>) -> Typed {
        if op == BinaryOp::But {
            if matches!(left.kind, Ast::Not(_))
                && left.span.start == span.start
                && self.two_meanings_of_not(span, right.span.start, "but")
            {
                return unknown(span);
            }
            // What `any` and `no` ask about ends before `but`.
            let asked = if let Ast::Quantified(Quantifier::Any | Quantifier::No, asked) = &left.kind {
                Some(asked.span)
            } else {
                None
            };
            let (left, ty) = self.infer_as(left, want);
            let ty = self.settle(ty);
            if !ty.is_set() && ty != Type::Unknown {
                let message = format!("`but` takes a set, and this is {}", ty.describe());
                let found = Diagnostic::new(Code::WrongType, left.span, message);
                self.report(match asked {
                    Some(asked) => {
                        let text = |span| self.project.sources.slice(span).trim().to_owned();
                        let word = text(Span { end: asked.start, ..left.span });
                        let written = format!("{word} ({} but {})", text(asked), text(right.span));
                        found.help(format!("put brackets around what is meant: `{written}`")).guess(
                            format!("write `{written}`"),
                            span,
                            written,
                        )
                    }
                    None => found.help("write sets on both sides, as in `own but edge`"),
                });
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
        if op == BinaryOp::Range
            && let Some(sites) = self.sites_from_to(left, right, span)
        {
            return sites;
        }
        let left = self.typed(left, Type::Number);
        let right = self.typed(right, Type::Number);
        let known = left.as_constant().and_then(Value::number).zip(right.as_constant().and_then(Value::number));
        let BinaryOp::Arithmetic(op) = op else {
            if want == Some(Type::Sites)
                && let Some(sites) = known.and_then(|(first, last)| self.sites_numbered(first, last))
            {
                return (Expr::constant(sites, span), Ty::Known(Type::Sites));
            }
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

    /// `a1 .. e1`: the sites on the straight line from one to the other, or those with the numbers between theirs.
    fn sites_from_to(&mut self, left: &ast::Expr, right: &ast::Expr, span: Span) -> Option<Typed> {
        let site = |expr: &ast::Expr| {
            let Ast::Name(name) = &expr.kind else { return None };
            self.rules.board.find(name)
        };
        let (first, last) = (site(left)?, site(right)?);
        let Some(sites) = self.sites_between(first, last, span) else { return Some(unknown(span)) };
        let sites = sites.into_iter().collect();
        Some((Expr::constant(Value::of_sites(sites), span), Ty::Known(Type::Sites)))
    }

    /// Checks something that speaks of the parts of a move.
    pub(super) fn on_parts<T>(&mut self, mv: MoveId, check: impl FnOnce(&mut Self) -> T) -> T {
        let names = self.rules.moves.get(mv.0).map(|mv| mv.names.clone()).unwrap_or_default();
        let next = names.len();
        let bound = names
            .into_iter()
            .map(|named| Bound {
                name: named.name,
                span: named.span,
                local: named.local,
                ty: Ty::Known(named.ty),
                member: None,
            })
            .collect();
        let outer = std::mem::replace(&mut self.frame, Frame { bound, next: next + 64, ..Frame::default() });
        let result = check(self);
        self.frame = outer;
        result
    }
}

/// What stands for a missing value of a type: no number, the empty set.
pub(super) fn no_value(ty: Type) -> Value {
    match ty {
        Type::Number => Value::Number(None),
        Type::Range => Value::Range(None),
        Type::Sites => Value::of_sites(SiteSet::EMPTY),
        Type::Directions => Value::Directions(Directions::EMPTY),
        Type::Players => Value::Players(Players(0)),
        Type::Kinds => Value::Kinds(Kinds(0)),
        Type::Piece => Value::Piece(None),
        Type::Choice => Value::Choice(ChoiceId(0)),
        Type::List => Value::List(Vec::new()),
        Type::Condition | Type::Unknown => Value::Condition(None),
    }
}

pub(super) fn unknown(span: Span) -> Typed {
    (Expr::constant(Value::Condition(None), span), Ty::Known(Type::Unknown))
}

pub(super) fn truth(value: bool, span: Span) -> Expr {
    Expr::constant(Value::Condition(Some(value)), span)
}
