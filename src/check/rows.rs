//! Rows of words: terms side by side narrow one another, and a preposition takes the next term.

use super::infer::{Typed, no_value, unknown};
use super::phrases;
use super::uses::Meaning;
use super::{Checker, Ty};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue::{self, Primitive, Stands};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast};

impl Checker<'_> {
    /// Terms side by side narrow one another; a preposition takes the next term.
    pub(super) fn row(&mut self, terms: &[ast::Expr], span: Span) -> Typed {
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
        if self.is_phrase(terms) {
            return unknown(span);
        }
        let errors = self.diagnostics.len();
        let mut sets = Vec::new();
        let mut rest = terms;
        while !rest.is_empty() {
            if let [first, ..] = terms
                && sets.len() == 1
            {
                self.check_leading_not(first, rest, span);
            }
            let (set, taken) = self.row_term(rest);
            sets.push(set);
            rest = rest.get(taken..).unwrap_or_default();
            // What follows a term that is not understood was meant for it.
            if self.diagnostics[errors..].iter().any(Diagnostic::is_error) {
                return unknown(span);
            }
        }
        if sets.len() == 1 {
            return (sets.remove(0), Ty::Known(Type::Sites));
        }
        self.check_contradiction(&sets, span);
        self.check_two_lines(terms, span);
        (Expr { kind: ExprKind::Intersection(sets), span }, Ty::Known(Type::Sites))
    }

    /// `row(1) row(2)`, `row(1) and row(2)`: what lies in both is nothing.
    pub(super) fn check_two_lines(&mut self, terms: &[ast::Expr], span: Span) {
        let line = |term: &ast::Expr| {
            let Ast::Call { name, args } = &term.kind else { return None };
            let [ast::Expr { kind: Ast::Number(number), .. }] = args.as_slice() else { return None };
            matches!(name.text.as_str(), "row" | "column").then(|| (name.text.clone(), *number, term.span))
        };
        let lines: Vec<_> = terms.iter().filter_map(line).collect();
        let Some((word, number, first)) = lines.first() else { return };
        let Some((.., second)) = lines.iter().find(|(other, at, _)| other == word && at != number) else { return };
        let slice = |span: Span| self.project.sources.slice(span);
        let help = format!("for the sites of either of them write `{} or {}`", slice(*first), slice(*second));
        let message = format!("no site lies in two {word}s, so that nothing can be found here");
        self.report(
            Diagnostic::new(Code::AlwaysEmpty, span, message)
                .also(*first, format!("one {word}"))
                .also(*second, "another")
                .help(help),
        );
    }

    /// An error where a row has words of rule sheets, or begins with a number; whether there was one.
    fn is_phrase(&mut self, terms: &[ast::Expr]) -> bool {
        if let [ast::Expr { kind: Ast::Number(number), span }, next, ..] = terms
            && !matches!(next.kind, Ast::Of(_))
            // The sites of some boards are called by numbers.
            && self.rules.board.find(&number.to_string()).is_none()
        {
            self.error(
                Code::WrongType,
                *span,
                format!("`{number}` does not say how many there are of what stands behind it"),
                format!(
                    "numbers are compared, as in `count own >= {number}`; so many in a row are `line({number}, own, directions)`, so many steps away is `distance(x, y) = {number}`"
                ),
            );
            return true;
        }
        let phrase = terms.iter().find_map(|term| {
            let Ast::Name(name) = &term.kind else { return None };
            phrases::meant(name).map(|_| (name, term.span))
        });
        let unknown = |name: &str| !self.is_known(name) && self.rules.board.find(name).is_none();
        let Some((name, at)) = phrase.filter(|(name, _)| unknown(name)) else { return false };
        self.unknown_name(name, at, None);
        true
    }

    /// `not dark row(1)`: the language means `(not dark) row(1)`, and many a reader the whole row.
    fn check_leading_not(&mut self, first: &ast::Expr, rest: &[ast::Expr], span: Span) {
        let Some(next) = rest.first().filter(|_| matches!(first.kind, Ast::Not(_)) && first.span.start == span.start)
        else {
            return;
        };
        self.two_meanings_of_not(span, next.span.start, "");
    }

    /// An error for a `not` in front of a row or of `but`, of which the first term ends somewhere before `next`; none where
    /// brackets say what it takes. Whether there was one.
    pub(super) fn two_meanings_of_not(&mut self, span: Span, next: u32, joint: &str) -> bool {
        let text = |span| self.project.sources.slice(span).trim_end();
        let first = text(Span { end: next, ..span }).trim_end_matches(['(', ' ', '\t', '\n', '\r']);
        let first = first.strip_suffix(joint).unwrap_or(first).trim_end();
        // A bracket that was opened before `not` and closes here.
        if first.matches(')').count() > first.matches('(').count() {
            return false;
        }
        let all = text(span);
        let (Some(taken), Some(more), Some(whole)) =
            (first.strip_prefix("not"), all.strip_prefix(first), all.strip_prefix("not"))
        else {
            return false;
        };
        let short = format!("({first}){more}");
        let long = format!("not ({})", whole.trim_start());
        let message = format!("this `not` may be meant of `{}` alone, or of all that follows", taken.trim());
        let diagnostic = Diagnostic::new(Code::TwoReadings, span, message)
            .label("it is not clear how much of this it takes")
            .help(format!("put brackets around what it takes: `{short}` or `{long}`"))
            .guess("`not` of the first word", span, short.clone())
            .guess("`not` of all that follows", span, long.clone());
        self.report(diagnostic);
        true
    }

    fn row_term(&mut self, terms: &[ast::Expr]) -> (Expr, usize) {
        let span = terms.first().map_or(Span::default(), |term| term.span);
        let nothing = || (Expr::constant(no_value(Type::Sites), span), terms.len());
        self.within(span, |checker| checker.row_terms(terms)).unwrap_or_else(nothing)
    }

    fn row_terms(&mut self, terms: &[ast::Expr]) -> (Expr, usize) {
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
        let (term, ty) = self.infer_as(first, Some(Type::Sites));
        // A kind that was picked or asked for stands for the sites of such pieces, as its name does.
        if self.resolved(ty) == Some(Type::Kinds) {
            let span = term.span;
            return (Expr { kind: ExprKind::OfKinds(Box::new(term)), span }, 1);
        }
        (self.coerce((term, ty), Type::Sites), 1)
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
                Some(id) => self.of_each_site(ExprKind::Word(id, vec![argument]), span),
                None => Expr::constant(no_value(Type::Sites), span),
            };
        }
        match catalogue::find(name) {
            Some(primitive) => self.of_each_site(ExprKind::Primitive(primitive, vec![argument]), span),
            None => Expr::constant(no_value(Type::Sites), span),
        }
    }

    fn of_each_site(&mut self, kind: ExprKind, span: Span) -> Expr {
        self.asked_of_each((Expr { kind, span }, Ty::Known(Type::Sites))).0
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
}
