//! What stands behind a form that ends before it: names of `some x in S with C` behind its one comparison, moves behind the
//! one that `possible` asks about.

use super::Checker;
use super::moved::called_in;
use super::moves::mentions;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind};

impl Checker<'_> {
    /// `some g in S with g in A and g in B`, where brackets are missing: what stands behind `and` does not know `g`.
    pub(super) fn beyond_with(&self, parts: &[ast::Expr], joined_by: &str) -> Option<Diagnostic> {
        parts.iter().enumerate().find_map(|(at, part)| {
            let ExprKind::Some { name, condition, none, .. } = &part.kind else { return None };
            let behind: Vec<&ast::Expr> =
                parts[at + 1..].iter().take_while(|later| mentions(later, &name.text)).collect();
            let (first, last) = (behind.first()?, behind.last()?);
            if self.is_known(&name.text) {
                return None;
            }
            let mut names = Vec::new();
            called_in(first, &mut names);
            let span = names.into_iter().find(|(found, _)| *found == name.text).map(|(_, span)| span)?;
            let (text, word) = (&name.text, if *none { "no" } else { "some" });
            let whole = condition.span.to(last.span);
            let asked = self.project.sources.slice(whole);
            Some(
                Diagnostic::new(Code::UnknownName, span, format!("`{text}` is not known behind this `{joined_by}`"))
                    .also(Span { end: condition.span.end, ..part.span }, format!("`{word} {text}` ends here"))
                    .help(format!(
                        "`with` takes one comparison: put all that is asked of `{text}` in brackets, `with ({asked})`"
                    ))
                    .fix("write the brackets", whole, format!("({asked})")),
            )
        })
    }

    /// `possible a or b`, where brackets are missing: `possible` takes one move.
    pub(super) fn beyond_possible(&self, parts: &[ast::Expr], joined_by: &str) -> Option<Diagnostic> {
        let asks = |expr: &ast::Expr| {
            let asked = if let ExprKind::Not(inner) = &expr.kind { &inner.kind } else { &expr.kind };
            if let ExprKind::Possible { pattern, .. } = asked { Some(pattern.span) } else { None }
        };
        let is_move = |expr: &&ast::Expr| {
            let ExprKind::Name(name) = &expr.kind else { return false };
            let names_move = self.move_items.iter().any(|mv| mv.name.text == *name) || self.patterns.contains_key(name);
            names_move && !self.is_known(name)
        };
        parts.iter().enumerate().find_map(|(at, part)| {
            let first = asks(part)?;
            let behind: Vec<&ast::Expr> = parts[at + 1..].iter().take_while(is_move).collect();
            let (next, last) = (behind.first()?, behind.last()?);
            let name = self.project.sources.slice(next.span);
            let whole = first.to(last.span);
            let found = Diagnostic::new(
                Code::UnknownName,
                next.span,
                format!("`{name}` is a move, and `possible` ends before this `{joined_by}`"),
            )
            .also(part.span, "this asks about one move");
            Some(if joined_by == "or" {
                let asked = self.project.sources.slice(whole);
                found
                    .help(format!("a pattern of several moves stands in brackets behind it: `possible ({asked})`"))
                    .fix("write the brackets", whole, format!("({asked})"))
            } else {
                found.help(format!("ask about each: `{joined_by} possible {name}`")).guess(
                    "ask about this one too",
                    next.span,
                    format!("possible {name}"),
                )
            })
        })
    }
}
