//! Halves: where one can be among the numbers of a score or of a comparison, all of them are counted in halves, so that 6.5 is
//! 13 of them. Nothing behind the checker knows of fractions.

use super::infer::Typed;
use super::uses::Meaning;
use super::{Checker, Defined};
use crate::diagnostic::{Code, Diagnostic};
use crate::operator::{ArithmeticOp, Halves};
use crate::rules::catalogue::Id;
use crate::rules::{Setting, Type};
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, CompareOp, Expr, ExprKind, SCORE, ValueKind, Values};

impl Checker<'_> {
    /// What a score counts: halves, if there can be one among them.
    pub(super) fn score_in_halves(&mut self, word: &ast::Definition) -> ast::Definition {
        let mut word = word.clone();
        if self.has_halves(&word.body) {
            word.body = self.in_halves(&word.body);
            self.rules.halves = true;
        }
        word
    }

    /// A comparison in which halves stand; none where it is one of whole numbers.
    pub(super) fn compared_in_halves(&mut self, first: &Expr, rest: &[(CompareOp, Expr)], span: Span) -> Option<Typed> {
        if !self.has_halves(first) && !rest.iter().any(|(_, other)| self.has_halves(other)) {
            return None;
        }
        let first = self.in_halves(first);
        let rest: Vec<(CompareOp, Expr)> = rest.iter().map(|(op, other)| (*op, self.in_halves(other))).collect();
        self.counting_halves += 1;
        let compared = self.compare(&first, &rest, span);
        self.counting_halves -= 1;
        Some(compared)
    }

    /// A half, or a score that counts halves, where a whole number is needed.
    pub(super) fn refuse_half(&mut self, span: Span) {
        self.report(
            Diagnostic::new(Code::WrongType, span, "a half is allowed in a score, in an option and in comparisons only")
                .label(format!("{} is needed here", Type::Number.describe()))
                .help("there it can be added, subtracted and multiplied by a whole number: `area(p) + 6.5`, `score(mover) > 10.5`"),
        );
    }

    /// Whether a call asks for a score that counts halves, and halves are not counted here.
    pub(super) fn is_halved_score(&self, name: &str) -> bool {
        name == SCORE && self.rules.halves && self.counting_halves == 0
    }

    fn has_halves(&self, expr: &Expr) -> bool {
        // What is compared within it is counted by itself.
        if matches!(expr.kind, ExprKind::Compare { .. } | ExprKind::Is { .. }) {
            return false;
        }
        let named = matches!(&expr.kind, ExprKind::Name(name) if self.is_half_option(name));
        let scored = matches!(&expr.kind, ExprKind::Call { name, .. } if name.text == SCORE && self.rules.halves);
        let mut found = named || scored || matches!(expr.kind, ExprKind::Half(_));
        expr.kind.visit(&mut |part| found = found || self.has_halves(part));
        found
    }

    /// Whether some value of an option is a half.
    fn is_half_option(&self, name: &str) -> bool {
        let bound = self.frame.bound.iter().any(|bound| bound.name == name);
        let is_half =
            |value: &ast::Value| matches!(&value.kind, ValueKind::Name(text) if Halves::parse(text).is_some());
        !bound
            && self.project.options().any(|option| {
                option.names.iter().any(|known| known.text == name)
                    && matches!(&option.values, Values::List(values) if values.iter().any(is_half))
            })
    }

    /// An expression that comes to twice the number.
    fn in_halves(&mut self, expr: &Expr) -> Expr {
        let span = expr.span;
        let boxed = |checker: &mut Self, part: &Expr| Box::new(checker.in_halves(part));
        let kind = match &expr.kind {
            ExprKind::Half(halves) => ExprKind::Number(*halves),
            ExprKind::Number(number) => ExprKind::Number(number.saturating_mul(2)),
            ExprKind::Name(name) if self.is_half_option(name) => ExprKind::Number(self.halves_of_option(name, span)),
            ExprKind::Negative(inner) => ExprKind::Negative(boxed(self, inner)),
            ExprKind::Binary(op @ BinaryOp::Arithmetic(ArithmeticOp::Add | ArithmeticOp::Subtract), left, right) => {
                ExprKind::Binary(*op, boxed(self, left), boxed(self, right))
            }
            ExprKind::Binary(op @ BinaryOp::Arithmetic(ArithmeticOp::Multiply), left, right) => {
                // Of two factors one is a whole number.
                if self.has_halves(left) {
                    self.refuse_halves_in(right);
                    ExprKind::Binary(*op, boxed(self, left), right.clone())
                } else {
                    ExprKind::Binary(*op, left.clone(), boxed(self, right))
                }
            }
            ExprKind::If { condition, then, otherwise } => {
                self.refuse_halves_in(condition);
                let (then, otherwise) = (boxed(self, then), boxed(self, otherwise));
                ExprKind::If { condition: condition.clone(), then, otherwise }
            }
            ExprKind::Case { subject, cases } => {
                self.refuse_halves_in(subject);
                let cases = cases.iter().map(|(keys, value)| (keys.clone(), self.in_halves(value))).collect();
                ExprKind::Case { subject: subject.clone(), cases }
            }
            ExprKind::Reduce(reduce, inner) => ExprKind::Reduce(*reduce, Box::new(self.each_in_halves(inner))),
            ExprKind::Call { name, args } if [Id::Max, Id::Min, Id::Abs].iter().any(|id| id.name() == name.text) => {
                let args = args.iter().map(|arg| self.in_halves(arg)).collect();
                ExprKind::Call { name: name.clone(), args }
            }
            ExprKind::Call { name, .. } if name.text == SCORE && self.rules.halves => return expr.clone(),
            ExprKind::Name(_)
            | ExprKind::Bare(_)
            | ExprKind::Call { .. }
            | ExprKind::Row(_)
            | ExprKind::Of(_)
            | ExprKind::Not(_)
            | ExprKind::Before(_)
            | ExprKind::Quantified(..)
            | ExprKind::Or(_)
            | ExprKind::And(_)
            | ExprKind::Binary(..)
            | ExprKind::Compare { .. }
            | ExprKind::Is { .. }
            | ExprKind::In { .. }
            | ExprKind::Some { .. }
            | ExprKind::Happened { .. }
            | ExprKind::LastTo(_)
            | ExprKind::TurnsWithout(_)
            | ExprKind::PartOf { .. }
            | ExprKind::Seen { .. }
            | ExprKind::Possible { .. }
            | ExprKind::SetOf { .. }
            | ExprKind::Each { .. }
            | ExprKind::List(_)
            | ExprKind::Family { .. } => {
                self.refuse_halves_in(expr);
                let two = Expr { kind: ExprKind::Number(2), span };
                let twice = BinaryOp::Arithmetic(ArithmeticOp::Multiply);
                ExprKind::Binary(twice, Box::new(two), Box::new(expr.clone()))
            }
        };
        Expr { kind, span }
    }

    /// What is added up, counted in halves: nothing around it is.
    fn each_in_halves(&mut self, each: &Expr) -> Expr {
        let mut counted = each.clone();
        if let (ExprKind::Each { body, .. }, ExprKind::Each { body: halves, .. }) = (&each.kind, &mut counted.kind) {
            **halves = self.in_halves(body);
            each.kind.visit(&mut |part| {
                if !std::ptr::eq(part, &**body) {
                    self.refuse_halves_in(part);
                }
            });
        }
        counted
    }

    /// Reports what counts halves in a part that is read as it is; what is compared in it is counted by itself.
    fn refuse_halves_in(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Compare { .. } | ExprKind::Is { .. } => {}
            ExprKind::Call { name, .. } if name.text == SCORE && self.rules.halves => self.refuse_half(expr.span),
            ExprKind::Name(name) if self.is_half_option(name) => self.refuse_half(expr.span),
            kind => kind.visit(&mut |part| self.refuse_halves_in(part)),
        }
    }

    fn halves_of_option(&mut self, name: &str, span: Span) -> i64 {
        self.mark_used(Defined::Option, name);
        self.note(span, Meaning::Option);
        match self.options.get(name) {
            Some(Setting::Number(number)) => number.saturating_mul(2),
            Some(Setting::Choice(choice)) => Halves::parse(self.rules.choice(*choice)).map_or(0, |halves| halves.0),
            None => 0,
        }
    }
}
