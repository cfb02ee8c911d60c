//! Names that `some x in S with C` gives, used behind the one comparison that C is.

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
}
