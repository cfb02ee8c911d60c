//! Conditions and sets joined by `and` and `or`.

use super::infer::{Typed, truth, unknown};
use super::{Checker, Ty};
use crate::diagnostic::Code;
use crate::rules::{Expr, ExprKind, Type, Value};
use crate::source::Span;
use crate::syntax::ast;

impl Checker<'_> {
    /// `and`/`or` between conditions or between sets.
    pub(super) fn joined(&mut self, parts: &[ast::Expr], or: bool, span: Span, want: Option<Type>) -> Typed {
        if or && let Some(diagnostic) = self.narrowed_by_in_or(parts, span) {
            self.report(diagnostic);
            return unknown(span);
        }
        let joined_by = if or { "or" } else { "and" };
        if let Some(diagnostic) = self.beyond_with(parts, joined_by).or_else(|| self.beyond_possible(parts, joined_by))
        {
            self.report(diagnostic);
            return unknown(span);
        }
        let mut checked: Vec<Typed> = Vec::new();
        // What an option decides switches the rest of the row off.
        let mut dead = false;
        for part in parts {
            let typed = self.dead(dead, |checker| checker.among(part, or, want));
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
            self.error(
                Code::WrongType,
                span,
                format!("`{joined_by}` joins conditions or sets, and this is {}", ty.describe()),
                "numbers are joined by `+`, or compared first: `n > 2`; of a part that may be one of two write `n : 1..6, n = a or n = b`",
            );
            return unknown(span);
        }
        if ty == Type::Condition {
            let types: Vec<Type> =
                checked.iter().map(|(_, part)| self.resolved(*part).unwrap_or(Type::Unknown)).collect();
            if let Some(diagnostic) = self.beyond_question(parts, &types, joined_by) {
                self.report(diagnostic);
                return unknown(span);
            }
        }
        let written = parts;
        let parts: Vec<Expr> = checked.into_iter().map(|part| self.coerce(part, ty)).collect();
        if ty == Type::Condition {
            return (join_conditions(parts, or, span), Ty::Known(ty));
        }
        if or && ty == Type::Sites {
            self.check_owner_of_one(written, span);
            self.check_place_of_one(written, span);
        } else if ty == Type::Sites {
            self.check_two_lines(written, span);
        }
        let kind = if or { ExprKind::Union(parts) } else { ExprKind::Intersection(parts) };
        (Expr { kind, span }, Ty::Known(ty))
    }
}

/// Conditions joined without those that are decided.
pub(super) fn join_conditions(parts: Vec<Expr>, or: bool, span: Span) -> Expr {
    let mut open = Vec::new();
    for part in parts {
        let Some(Value::Condition(Some(value))) = part.as_constant() else {
            open.push(part);
            continue;
        };
        if *value == or {
            return truth(or, span);
        }
    }
    match open.len() {
        0 => truth(!or, span),
        1 => open.remove(0),
        _ => Expr { kind: if or { ExprKind::Or(open) } else { ExprKind::And(open) }, span },
    }
}
