//! What stands behind a form that ends before it: names of `some x in S with C` behind its one comparison, sets behind the one
//! that a word asks about, moves behind the one that `possible` asks about.

use super::Checker;
use super::moved::called_in;
use super::moves::mentions;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::Type;
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

    /// `any A or B`, `x in A or B`, `n = 1 or 2`, where brackets are missing: each part joined is a condition by itself, and a
    /// set or a number is none.
    pub(super) fn beyond_question(&self, parts: &[ast::Expr], types: &[Type], joined_by: &str) -> Option<Diagnostic> {
        let is_left = |ty: &Type| ty.is_set() || *ty == Type::Number;
        let at = types.iter().position(is_left).filter(|at| *at > 0)?;
        let left = types.get(at..)?.iter().take_while(|ty| is_left(ty)).count();
        let (asked, behind, ty) = (parts.get(at - 1)?, parts.get(at..at + left)?, types.get(at)?);
        let (first, last) = (behind.first()?, behind.last()?);
        let (reaches, written) = if *ty == Type::Number {
            self.compared_with_all(asked, behind, joined_by)?
        } else {
            self.asked_of_all(asked, first, last)?
        };
        let message = format!("{} is needed here, and this is {}", Type::Condition.describe(), ty.describe());
        let diagnostic = Diagnostic::new(Code::WrongType, first.span, message).also(asked.span, reaches);
        Some(match self.each_asked_alone(asked, behind, joined_by) {
            // Which of the two is meant nobody can tell.
            Some(each) => diagnostic.help(format!(
                "to ask about all of them together write `{written}`, to ask about each by itself `{each}`"
            )),
            None => diagnostic.help(format!("to ask about all of them write `{written}`")).guess(
                format!("write `{written}`"),
                asked.span.to(last.span),
                written,
            ),
        })
    }

    /// A question asked anew about each of several sets, where that is another one than to ask about all of them.
    fn each_asked_alone(&self, asked: &ast::Expr, behind: &[ast::Expr], joined_by: &str) -> Option<String> {
        let ExprKind::Quantified(quantifier, inner) = &asked.kind else { return None };
        if *quantifier == ast::Quantifier::Any && joined_by == "or" {
            return None;
        }
        let slice = |span: Span| self.project.sources.slice(span).trim();
        let word = slice(Span { end: inner.span.start, ..asked.span }).trim_end_matches('(').trim();
        let all = std::iter::once(slice(asked.span).to_owned());
        let others = behind.iter().map(|part| format!("{word} {}", slice(part.span)));
        Some(all.chain(others).collect::<Vec<_>>().join(&format!(" {joined_by} ")))
    }

    /// What a question about a set asks about, and the same with all sets up to one behind it.
    fn asked_of_all(&self, asked: &ast::Expr, first: &ast::Expr, last: &ast::Expr) -> Option<(String, String)> {
        let end = last.span.end;
        let slice = |from: u32, to: u32| self.project.sources.slice(Span { start: from, end: to, ..asked.span }).trim();
        let behind = |from: u32, to: u32| slice(from, to).trim_start_matches(')').trim();
        let terms = |expr: &ast::Expr| {
            let ExprKind::Row(terms) = &expr.kind else { return None };
            Some((terms.get(1)?.span.start, terms.last()?.span.start))
        };
        if let ExprKind::In { right, .. } = &asked.kind {
            let head = slice(asked.span.start, right.span.start).trim_end_matches('(').trim();
            let (set, others) = (slice(right.span.start, right.span.end), behind(right.span.end, end));
            return Some((format!("`in` asks about `{set}` and no more"), format!("{head} ({set} {others})")));
        }
        let ExprKind::Quantified(_, inner) = &asked.kind else { return None };
        let Span { start, end: stop, .. } = inner.span;
        let (word, set) = (slice(asked.span.start, start).trim_end_matches('(').trim(), slice(start, stop));
        let written = match (terms(inner), terms(first)) {
            // The last word of the first row is one of several.
            (Some((_, last)), None) => {
                format!("{word} {} ({} {})", slice(start, last), slice(last, stop), behind(stop, end))
            }
            // The first word of the second one is.
            (None, Some((second, _))) => {
                format!("{word} ({set} {}) {}", behind(stop, second), slice(second, end))
            }
            (None, None) | (Some(_), Some(_)) => format!("{word} ({set} {})", behind(stop, end)),
        };
        Some((format!("`{word}` asks about `{set}` and no more"), written))
    }

    /// What a comparison compares with, and comparisons with that and with all numbers behind it.
    fn compared_with_all(&self, asked: &ast::Expr, behind: &[ast::Expr], joined_by: &str) -> Option<(String, String)> {
        let ExprKind::Compare { rest, .. } = &asked.kind else { return None };
        let (_, number) = rest.last()?;
        let slice = |span: Span| self.project.sources.slice(span).trim();
        let head = slice(Span { end: number.span.start, ..asked.span });
        let others = behind.iter().map(|part| format!("{head} {}", slice(part.span)));
        let all: Vec<String> = std::iter::once(slice(asked.span).to_owned()).chain(others).collect();
        let reaches = format!("a comparison takes one number, `{}` here", slice(number.span));
        Some((reaches, all.join(&format!(" {joined_by} "))))
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
