//! The notation of moves: what it prints, whether all choices can be read off it, and whether lists of moves can hold it.

use super::Checker;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self};
use crate::syntax::move_lists::cut_by;
use std::collections::BTreeSet;

impl Checker<'_> {
    pub(super) fn notation(&mut self, id: MoveId, item: &ast::MoveItem) -> Vec<NotationPiece> {
        let Some(notation) = &item.notation else {
            return self.default_notation(id);
        };
        let (mut pieces, mut types) = (Vec::new(), Vec::new());
        for piece in &notation.pieces {
            pieces.extend(match piece {
                ast::NotationPiece::Text(text) => Some(NotationPiece::Text(text.clone())),
                ast::NotationPiece::Optional { text, where_needed } => {
                    Some(NotationPiece::Optional { text: text.clone(), where_needed: *where_needed })
                }
                ast::NotationPiece::Value { text, value, where_needed, dash, signs } => {
                    let signs = signs.as_ref().map(|(before, behind)| Signs {
                        before: before.clone(),
                        behind: behind.clone(),
                        mark: false,
                    });
                    self.notation_value(id, value, text).map(|(value, ty)| {
                        types.push((pieces.len(), ty));
                        NotationPiece::Value { value, where_needed: *where_needed, dash: *dash, signs }
                    })
                }
                ast::NotationPiece::Mark { text, condition, where_needed } => {
                    let value = self.on_parts(id, |checker| {
                        checker.frame.in_move = true;
                        checker.typed(condition, Type::Condition)
                    });
                    let signs = Some(Signs { before: text.clone(), behind: String::new(), mark: true });
                    Some(NotationPiece::Value { value, where_needed: *where_needed, dash: false, signs })
                }
            });
        }
        self.check_left_out(&pieces, &types, notation.span);
        self.check_shown(id, &pieces, notation.span);
        self.check_cut(id, &pieces, notation.span);
        pieces
    }

    /// Two values of which nobody could tell which is there, where only one is.
    fn check_left_out(&mut self, pieces: &[NotationPiece], types: &[(usize, Type)], span: Span) {
        let mut open: Vec<(&str, Type)> = Vec::new();
        for (at, piece) in pieces.iter().enumerate() {
            match piece {
                NotationPiece::Value { signs: Some(Signs { before, mark: false, .. }), .. } => {
                    let Some((_, ty)) = types.iter().find(|(known, _)| *known == at) else { continue };
                    if open.contains(&(before.as_str(), *ty)) {
                        self.report(
                            Diagnostic::new(
                                Code::BadNotation,
                                span,
                                "two values in square brackets print alike: where one of them is left out nobody can tell which",
                            )
                            .help("put different signs before them, as in \"{from}[x{prey}][>{to}]\""),
                        );
                        return;
                    }
                    open.push((before.as_str(), *ty));
                }
                NotationPiece::Value { signs: Some(_), .. } | NotationPiece::Optional { .. } => {}
                NotationPiece::Text(_) | NotationPiece::Value { signs: None, .. } => open.clear(),
            }
        }
    }

    /// Signs of a notation at which lists of moves are cut.
    fn check_cut(&mut self, id: MoveId, pieces: &[NotationPiece], span: Span) {
        let sign = pieces.iter().find_map(|piece| match piece {
            NotationPiece::Text(text) | NotationPiece::Optional { text, .. } => cut_by(text),
            NotationPiece::Value { signs, .. } => {
                let signs = signs.as_ref();
                signs.and_then(|signs| cut_by(&signs.before).or_else(|| cut_by(&signs.behind)))
            }
        });
        let number = |local| {
            let names = self.rules.moves.get(id.0).map(|mv| mv.names.as_slice()).unwrap_or_default();
            names.iter().any(|named| named.local == local && named.ty == Type::Number)
        };
        // `3.c4` is the third move of a list.
        let numbered = if let [
            NotationPiece::Value { value: Expr { kind: ExprKind::Local(local), .. }, .. },
            NotationPiece::Text(text),
            ..,
        ] = pieces
        {
            text.starts_with('.') && number(*local)
        } else {
            false
        };
        let Some(sign) = sign.or(numbered.then_some(".")) else { return };
        self.report(
            Diagnostic::new(Code::CutMoves, span, format!("a list of moves is cut at the `{}` of this notation", sign.trim()))
                .label("in lists these moves need quotation marks")
                .help("take another sign, as in \"{from}-{to}\"; or write such moves in quotation marks in tests, records and lists"),
        );
    }

    fn default_notation(&mut self, id: MoveId) -> Vec<NotationPiece> {
        let Some(mv) = self.rules.moves.get(id.0) else { return Vec::new() };
        let mut pieces = Vec::new();
        // Of several that are picked together, the whole pick.
        let is_pick = |local: Local| mv.names.iter().any(|named| named.pick == Some(local));
        let is_told = |named: &&Named| named.part && named.pick.is_none() || is_pick(named.local);
        for named in mv.names.iter().filter(is_told) {
            if !pieces.is_empty() {
                pieces.push(NotationPiece::Text("-".to_owned()));
            }
            let value = Expr { kind: ExprKind::Local(named.local), span: named.span };
            pieces.push(NotationPiece::Value { value, where_needed: false, dash: false, signs: None });
        }
        if pieces.is_empty() {
            pieces.push(NotationPiece::Text(mv.name.clone()));
        }
        pieces
    }

    fn notation_value(&mut self, id: MoveId, expr: &ast::Expr, text: &str) -> Option<(Expr, Type)> {
        // A part that it names is a line that could not be read.
        let named = |word: &str| self.project.lost.contains(word);
        if text.split(|c: char| !c.is_alphanumeric() && c != '_').any(named) {
            return None;
        }
        let (value, ty) = self.on_parts(id, |checker| {
            checker.frame.in_move = true;
            let (value, ty) = checker.infer(expr);
            (value, checker.settle(ty))
        });
        match ty {
            Type::Sites
            | Type::Directions
            | Type::Players
            | Type::Kinds
            | Type::Number
            | Type::Choice
            | Type::Unknown => Some((value, ty)),
            other => {
                let diagnostic = Diagnostic::new(
                    Code::BadNotation,
                    expr.span,
                    format!("`{{{text}}}` cannot be printed: it is {}", other.describe()),
                );
                self.report(match other {
                    Type::Condition => diagnostic.help(format!("to print a sign where it holds: `[x when {text}]`")),
                    _ => diagnostic,
                });
                None
            }
        }
    }

    /// A part that is not shown may make two different moves print alike.
    fn check_shown(&mut self, id: MoveId, pieces: &[NotationPiece], span: Span) {
        let shown: BTreeSet<usize> = pieces
            .iter()
            .filter_map(|piece| match piece {
                NotationPiece::Value { value: Expr { kind: ExprKind::Local(local), .. }, .. } => Some(local.0),
                _ => None,
            })
            .collect();
        let Some(mv) = self.rules.moves.get(id.0) else { return };
        let is_site = |local| mv.names.iter().any(|named| named.local == local && named.ty == Type::Sites);
        // What stands in an expression is told by what it comes to, as far as anybody can say.
        let mut told = BTreeSet::new();
        for piece in pieces {
            let NotationPiece::Value { value, signs, .. } = piece else { continue };
            let mut named = BTreeSet::new();
            locals_in(value, &mut named);
            // Whether something holds of a site does not tell which it is.
            let mark = signs.as_ref().is_some_and(|signs| signs.mark);
            told.extend(named.into_iter().filter(|local| !mark || !is_site(Local(*local))));
        }
        for line in mv.lines.iter().rev() {
            let Some(node) = self.rules.graph.node_weight(*line) else { continue };
            if let NodeKind::Let { local, value, .. } = &node.kind
                && told.contains(&local.0)
                && is_site(*local)
            {
                locals_in(value, &mut told);
            } else if let NodeKind::Choose { local, domain, .. } = &node.kind
                && told.contains(&local.0)
            {
                // A direction is told by the site that it leads to.
                ways_in(domain, &self.rules.words, &mut told);
            }
        }
        let is_shown = |local: Local| shown.contains(&local.0);
        let mut hidden: Vec<Named> = mv
            .names
            .iter()
            .filter(|named| named.part && !is_shown(named.local) && !named.pick.is_some_and(is_shown))
            .filter(|named| !told.contains(&named.local.0))
            .cloned()
            .collect();
        // A part between two shown ones in line is found again from them.
        hidden.retain(|named| named.ty != Type::Sites || shown.is_empty());
        for named in hidden {
            self.report(
                Diagnostic::new(
                    Code::SameNotation,
                    span,
                    format!("the notation does not show the part `{}`", named.called()),
                )
                .label("moves that differ in it print alike")
                .also(named.span, "picked here")
                .help(format!(
                    "add `{{{0}}}`, or `{{{0}?}}` to print it only where it is needed; what follows from the other parts is no choice: define it, `{0} = ...`",
                    named.called()
                )),
            );
        }
    }
}

/// The names that stand in an expression.
fn locals_in(expr: &Expr, found: &mut BTreeSet<usize>) {
    if let ExprKind::Local(local) = &expr.kind {
        found.insert(local.0);
    }
    expr.kind.visit(&mut |part, _| locals_in(part, found));
}

/// The names for directions in which a word looks from a site, and for how far; of a word of the text those that it hands on to
/// such a word.
fn ways_in(expr: &Expr, words: &[Word], found: &mut BTreeSet<usize>) {
    if let ExprKind::Primitive(word, args) = &expr.kind {
        let looks = word.params.iter().any(|param| param.ty == Type::Directions);
        let tells = |ty| ty == Type::Directions || looks && ty == Type::Number;
        for (_, arg) in word.params.iter().zip(args).filter(|(param, _)| tells(param.ty)) {
            locals_in(arg, found);
        }
    }
    if let ExprKind::Word(id, args) = &expr.kind
        && let Some(word) = words.get(id.0)
    {
        let mut handed_on = BTreeSet::new();
        ways_in(&word.body, words, &mut handed_on);
        let used = args.iter().enumerate().filter(|(param, _)| handed_on.contains(param));
        used.for_each(|(_, arg)| locals_in(arg, found));
    }
    expr.kind.visit(&mut |part, _| ways_in(part, words, found));
}
