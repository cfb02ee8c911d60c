//! Comparisons, `is`, `in` and `case`: what an expression is asked about another one.

use super::cost::MAX_LEVELS;
use super::infer::{Typed, no_value, truth, unknown};
use super::joined::join_conditions;
use super::uses::Meaning;
use super::{Checker, Defined, Ty};
use crate::board::Direction;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast, Quantifier, ValueKind};

impl Checker<'_> {
    pub(super) fn compare(&mut self, first: &ast::Expr, rest: &[(CompareOp, ast::Expr)], span: Span) -> Typed {
        // `phase = auction`: names are values of what is on the left.
        if let ([(op @ (CompareOp::Equal | CompareOp::NotEqual), right)], Some(_)) = (rest, self.choice_subject(first))
        {
            return self.is(first, *op == CompareOp::NotEqual, right, span);
        }
        let (first, ty) = self.among(first, true, None);
        let mut ty = ty;
        let mut others: Vec<(CompareOp, Typed)> = Vec::new();
        for (op, other) in rest {
            let want = self.resolved(ty);
            let other = self.among(other, true, want);
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
            if ty == Type::Kinds {
                diagnostic = diagnostic.help(self.numbers_of_kinds());
            } else if ty.is_set() {
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
        if let [(op @ (CompareOp::Equal | CompareOp::NotEqual), right)] = rest.as_slice() {
            let differs = *op == CompareOp::NotEqual;
            self.check_compared(&first, differs, right, ty);
            if differs {
                self.check_unset([&first, right].into_iter(), span, false);
            }
        }
        (Expr { kind: ExprKind::Compare { first: Box::new(first), rest }, span }, Ty::Known(Type::Condition))
    }

    /// How kinds are ranked, which have no order of their own.
    fn numbers_of_kinds(&self) -> String {
        let names = self.rules.kinds.iter().map(|kind| kind.name.as_str());
        let ranks: Vec<String> = (1..).zip(names).map(|(rank, name): (u32, &str)| format!("{name}: {rank}")).collect();
        format!(
            "kinds have no order: give each a number in a word, `word rank(k: kind) = case k {{ {} }}`, and compare these, as in `rank(kind(x)) < rank(k)`",
            ranks.join(", ")
        )
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

    /// One of the values of a subject, as a name or one of several on conditions.
    pub(super) fn choice_value(&mut self, subject: &str, value: &ast::Expr) -> Expr {
        let mut leaves = Vec::new();
        leaves_of(value, &mut leaves);
        let copied = leaves.iter().any(|leaf| self.has_values_of(leaf, subject));
        let one = leaves.len() == 1 && leaves.iter().all(|leaf| leaf.span == value.span);
        if one && !copied {
            return self.choice_named(subject, value);
        }
        for leaf in leaves {
            if !self.has_values_of(leaf, subject) {
                self.choice_named(subject, leaf);
            }
        }
        self.infer_as(value, Some(Type::Choice)).0
    }

    /// Whether something is an option or a tracked name that is always one of the values of a subject.
    fn has_values_of(&self, value: &ast::Expr, subject: &str) -> bool {
        let Some((_, own)) = self.choice_subject(value) else { return false };
        let values = self.option_values.get(subject).map_or(&[][..], Vec::as_slice);
        own.iter().all(|name| values.contains(name))
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

    pub(super) fn is(&mut self, left: &ast::Expr, not: bool, right: &ast::Expr, span: Span) -> Typed {
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
            if not {
                self.report_every_not(&domain, &right, span);
                return unknown(span);
            }
            let kind = ExprKind::Subset(Box::new(domain), Box::new(right));
            return (Expr { kind, span }, Ty::Known(Type::Condition));
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
                if checked.as_constant().is_none() {
                    // What is tracked for each player, site or piece changes in play.
                    let of = self.tracked_choice(&checked);
                    let right = match of {
                        Some(name) => self.choice_named(&name, right),
                        None => Expr::constant(Value::Choice(self.choice(&text)), right.span),
                    };
                    let op = if not { CompareOp::NotEqual } else { CompareOp::Equal };
                    let kind = ExprKind::Compare { first: Box::new(checked), rest: vec![(op, right)] };
                    return (Expr { kind, span }, Ty::Known(Type::Condition));
                }
                let id = self.choice(&text);
                let equal = checked.as_constant() == Some(&Value::Choice(id));
                (truth(equal != not, span), Ty::Known(Type::Condition))
            }
            _ => self.membership((checked, ty), not, right, span),
        }
    }

    /// `every S is not T`: that not all of them are in T, or that none is.
    fn report_every_not(&mut self, all: &Expr, of: &Expr, span: Span) {
        let slice = |span: Span| self.project.sources.slice(span).trim();
        let (all, of) = (slice(all.span), slice(of.span));
        let none = format!("every {all} is (not {of})");
        let some = format!("not (every {all} is {of})");
        self.report(
            Diagnostic::new(Code::TwoReadings, span, "this may mean that none of them is, or that not all of them are")
                .help(format!("write `{none}` if none may be, and `{some}` if one that is not is enough"))
                .guess("none of them is", span, none.clone())
                .guess("not all of them are", span, some.clone()),
        );
    }

    /// The tracked value whose names an expression comes to.
    fn tracked_choice(&self, expr: &Expr) -> Option<String> {
        if let ExprKind::Memory { memory, .. } = &expr.kind {
            self.rules.memories.get(memory.0).map(|memory| memory.name.clone())
        } else if let ExprKind::Word(word, _) = &expr.kind {
            self.tracked_choice(&self.rules.words.get(word.0)?.body)
        } else if let ExprKind::Before(inner) = &expr.kind {
            self.tracked_choice(inner)
        } else {
            None
        }
    }

    /// `left in right`, or `left not in right`, as the expression that it is.
    pub(super) fn is_in(&mut self, expr: &ast::Expr) -> Typed {
        let span = expr.span;
        let Ast::In { left, not, right } = &expr.kind else { return unknown(span) };
        let not = *not;
        if matches!(left.kind, Ast::Quantified(Quantifier::Every, _)) {
            return self.is(left, not, right, span);
        }
        if let Some(diagnostic) = self.narrowed_by_in(expr) {
            self.report(diagnostic);
            return unknown(span);
        }
        let left = self.among(left, true, None);
        self.membership(left, not, right, span)
    }

    fn membership(&mut self, left: Typed, not: bool, right: &ast::Expr, span: Span) -> Typed {
        let want = self.resolved(left.1);
        // Of a subject that is not understood, a name may be any value.
        if want == Some(Type::Unknown) && matches!(right.kind, Ast::Name(_) | Ast::Bare(_)) {
            return unknown(span);
        }
        let want = if want == Some(Type::Number) { Some(Type::Range) } else { want };
        let right = self.among(right, true, want);
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
        self.check_member(&left, not, &right, ty);
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

    /// What a key of a case looks like where nothing else tells what the case is about.
    fn type_of_key(&self, key: &ast::Value) -> Option<Type> {
        let name = match &key.kind {
            ValueKind::Number(_) => return Some(Type::Number),
            ValueKind::Name(name) => name,
        };
        let region = || self.words.contains_key(name) || self.rules.board.find(name).is_some();
        if self.players.contains_key(name) {
            Some(Type::Players)
        } else if self.kinds.contains_key(name) {
            Some(Type::Kinds)
        } else if Direction::parse(name).is_some() {
            Some(Type::Directions)
        } else {
            region().then_some(Type::Sites)
        }
    }

    pub(super) fn case(
        &mut self,
        subject: &ast::Expr,
        cases: &[(Vec<ast::Value>, ast::Expr)],
        span: Span,
        want: Option<Type>,
    ) -> Typed {
        let (checked, ty) = self.subject(subject);
        let keys = cases.iter().flat_map(|(keys, _)| keys);
        let ty = self.settle_as(ty, keys.clone().find_map(|key| self.type_of_key(key)).unwrap_or(Type::Players));
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
                    // What is said of a player who does not play with these options is not asked.
                    (_, ValueKind::Name(name), Type::Players) if matches!(self.players.get(name), Some(None)) => {
                        self.note(key.span, Meaning::Player);
                        truth(false, key.span)
                    }
                    (_, ValueKind::Name(name), ty) if ty.is_set() => {
                        let right = ast::Expr { kind: Ast::Name(name.clone()), span: key.span };
                        let right = self.typed(&right, ty);
                        let kind = ExprKind::In { left: Box::new(checked.clone()), not: false, right: Box::new(right) };
                        Expr { kind, span: key.span }
                    }
                    // On a numbered board.
                    (_, ValueKind::Number(number), Type::Sites)
                        if self.rules.board.find(&number.to_string()).is_some() =>
                    {
                        let right = ast::Expr { kind: Ast::Number(*number), span: key.span };
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
        // One that names sites says that the numbers beside it do too.
        if let Some(sites) = branches.iter().map(|(_, (_, ty))| *ty).find(|ty| self.resolved(*ty) == Some(Type::Sites))
        {
            for (_, branch) in &mut branches {
                *branch = self.as_site_beside(branch.clone(), sites);
            }
        }
        let Some((_, (_, mut common))) = branches.first().cloned() else { return unknown(span) };
        for index in 1..branches.len() {
            let pair = (branches[index - 1].1.clone(), branches[index].1.clone());
            common = self.common(&pair.0, &pair.1, span);
        }
        let result = self.settle_as(common, want.unwrap_or(Type::Sites));
        // Each branch stands behind those before it.
        if branches.iter().filter(|(test, _)| test.as_decided().is_none()).count() > MAX_LEVELS {
            self.too_deep(span);
            return unknown(span);
        }
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
}

pub(super) fn setting_value(setting: Setting, span: Span) -> Typed {
    match setting {
        Setting::Number(number) => (Expr::constant(Value::Number(Some(number)), span), Ty::Known(Type::Number)),
        Setting::Choice(id) => (Expr::constant(Value::Choice(id), span), Ty::Known(Type::Choice)),
    }
}

/// What an expression may come to, whatever its conditions are.
fn leaves_of<'e>(value: &'e ast::Expr, leaves: &mut Vec<&'e ast::Expr>) {
    if let Ast::If { then, otherwise, .. } = &value.kind {
        leaves_of(then, leaves);
        leaves_of(otherwise, leaves);
    } else if let Ast::Case { cases, .. } = &value.kind {
        cases.iter().for_each(|(_, value)| leaves_of(value, leaves));
    } else {
        leaves.push(value);
    }
}
