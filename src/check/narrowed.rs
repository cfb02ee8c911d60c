//! `any own in row(1)`: what is said where `in` stands for two sets side by side, which are narrowed to what lies in both.

use super::Checker;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::Type;
use crate::rules::catalogue;
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast, Quantifier};

impl Checker<'_> {
    /// Whether `in` stands behind the answer to a question, where no range is meant. Never right, whatever is in it.
    fn misused_in(&mut self, expr: &ast::Expr) -> bool {
        let Ast::In { left, right, .. } = &expr.kind else { return false };
        matches!(left.kind, Ast::Quantified(Quantifier::Any | Quantifier::No, _))
            || matches!(left.kind, Ast::Quantified(Quantifier::Count, _)) && self.names_sites(right)
    }

    /// Whether something is surely a set of sites, without looking into it.
    fn names_sites(&mut self, expr: &ast::Expr) -> bool {
        let (Ast::Name(name) | Ast::Call { name: ast::Name { text: name, .. }, .. }) = &expr.kind else {
            return matches!(expr.kind, Ast::Row(_) | Ast::Or(_));
        };
        match self.words.contains_key(name).then(|| self.word(name)).flatten() {
            Some(id) => self.rules.words.get(id.0).is_some_and(|word| word.result == Type::Sites),
            None => catalogue::find(name).is_some_and(|primitive| primitive.result == Type::Sites),
        }
    }

    /// `any own in S`. None if it is not that.
    pub(super) fn narrowed_by_in(&mut self, expr: &ast::Expr) -> Option<Diagnostic> {
        let Ast::In { right, .. } = &expr.kind else { return None };
        if !self.misused_in(expr) {
            return None;
        }
        Some(match self.is_set_of_sites(right) {
            true => self.in_for_row(expr, None),
            false => self.in_behind_answer(expr),
        })
    }

    /// `any own in S or T`, where T is a set too. None if it is not that.
    pub(super) fn narrowed_by_in_or(&mut self, parts: &[ast::Expr], span: Span) -> Option<Diagnostic> {
        let (first, others) = parts.split_first()?;
        if !self.misused_in(first) {
            return None;
        }
        let mut sets = 0;
        for other in others {
            sets += usize::from(self.is_set_of_sites(other));
        }
        if sets < others.len() {
            return self.narrowed_by_in(first);
        }
        Some(self.in_for_row(first, Some(span)))
    }

    /// `any (own in S)`, `any (own in S or T)`: a condition in any case. None if it is not that.
    pub(super) fn narrowed_in_brackets(&mut self, inner: &ast::Expr, span: Span) -> Option<Diagnostic> {
        let (first, others) = match &inner.kind {
            Ast::Or(parts) => parts.split_first()?,
            _ => (inner, [].as_slice()),
        };
        let Ast::In { left, not, right } = &first.kind else { return None };
        let quantifier = self.project.sources.slice(span).split([' ', '(']).next().unwrap_or("any").to_owned();
        let message = format!("`{quantifier}` asks about a set, and `in` makes a condition of it");
        let found = Diagnostic::new(Code::WrongType, span, message);
        let mut sets = usize::from(self.is_set_of_sites(left)) + usize::from(self.is_set_of_sites(right));
        for other in others {
            sets += usize::from(self.is_set_of_sites(other));
        }
        if *not || sets < others.len() + 2 {
            return Some(found.help("name a set, as in `any own`, `count empty`"));
        }
        let head = self.before_in(first.span, right.span, false);
        let head = if is_plain(left) { head } else { format!("({head})") };
        let set = self.set_behind_in(right, (!others.is_empty()).then_some(inner.span));
        let written = match quantifier.as_str() {
            "count" => format!("count({head} {set})"),
            _ => format!("{quantifier} {head} {set}"),
        };
        Some(side_by_side(found, span, written))
    }

    fn in_behind_answer(&self, expr: &ast::Expr) -> Diagnostic {
        let Ast::In { left, not, right } = &expr.kind else {
            return Diagnostic::new(Code::WrongType, expr.span, "`in` asks about members of a set");
        };
        let answer = if matches!(left.kind, Ast::Quantified(Quantifier::Count, _)) { "a number" } else { "yes or no" };
        let head = self.before_in(expr.span, right.span, *not);
        let message = format!("`{head}` is {answer} by itself, and `in` asks where a site lies");
        Diagnostic::new(Code::WrongType, expr.span, message).help("ask `x in S` of a site, a player and the like")
    }

    /// `any own in S`, or up to the end of `more`, as a row of words.
    fn in_for_row(&self, expr: &ast::Expr, more: Option<Span>) -> Diagnostic {
        let found = self.in_behind_answer(expr);
        let Ast::In { not, right, .. } = &expr.kind else { return found };
        let whole = more.unwrap_or(expr.span);
        let head = self.before_in(expr.span, right.span, *not);
        let set = self.set_behind_in(right, more);
        let written = match head.split_once(' ').filter(|_| *not) {
            Some((quantifier, set_before)) => format!("{quantifier} ({set_before} but {set})"),
            None => format!("{head} {set}"),
        };
        side_by_side(Diagnostic { span: whole, ..found }, whole, written)
    }

    /// What stands before `in`, with its brackets.
    fn before_in(&self, whole: Span, right: Span, not: bool) -> String {
        let text = self.project.sources.slice(Span { end: right.start, ..whole });
        let text = text.trim_end_matches(|c: char| c == '(' || c.is_whitespace());
        let text = text.strip_suffix("in").unwrap_or(text).trim_end();
        let text = if not { text.strip_suffix("not").unwrap_or(text) } else { text };
        text.trim().to_owned()
    }

    /// The set behind `in`, in brackets if other words may follow only then.
    fn set_behind_in(&self, right: &ast::Expr, more: Option<Span>) -> String {
        let slice = |span: Span| self.project.sources.slice(span).trim().to_owned();
        match more {
            Some(more) => {
                let text = slice(Span { end: more.end, ..right.span });
                // Brackets that were open before the set close behind it.
                let closing = text.matches(')').count().saturating_sub(text.matches('(').count());
                format!("({}{text})", "(".repeat(closing))
            }
            None if is_plain(right) => slice(right.span),
            None => format!("({})", slice(right.span)),
        }
    }

    fn is_set_of_sites(&mut self, expr: &ast::Expr) -> bool {
        let (_, ty) = self.infer(expr);
        self.resolved(ty) == Some(Type::Sites)
    }
}

/// Whether an expression may stand in a row of words as it is.
fn is_plain(expr: &ast::Expr) -> bool {
    matches!(expr.kind, Ast::Name(_) | Ast::Call { .. } | Ast::Row(_) | Ast::Of(_))
}

/// How two sets are narrowed.
fn side_by_side(diagnostic: Diagnostic, span: Span, written: String) -> Diagnostic {
    diagnostic.help(format!("sets side by side are narrowed to what lies in all of them: `{written}`")).fix(
        format!("write `{written}`"),
        span,
        written,
    )
}
