//! Pieces as values: a kind and perhaps an owner, or `empty`.

use super::Checker;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue::{self, Id};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast};

impl Checker<'_> {
    /// A piece as this file would write one.
    fn piece_help(&self) -> String {
        match self.rules.kinds.first() {
            Some(kind) if kind.neutral => format!("write a piece, as in `{}` or `empty`", kind.name),
            Some(kind) => format!("write a piece, as in `{} of mover` or `empty`", kind.name),
            None => "declare a piece first: piece stone of each player".to_owned(),
        }
    }

    /// Whether a definition can only be meant as a piece: `stone of mover`, `empty`, `kind(x) of p` under `if` and `case`.
    pub(super) fn makes_piece(&self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            Ast::Row(terms) => match terms.as_slice() {
                [first, ast::Expr { kind: Ast::Of(_), .. }] => self.makes_kind(first),
                _ => false,
            },
            Ast::Call { name, .. } => gives(&name.text, Type::Piece),
            Ast::If { then, otherwise, .. } => self.makes_piece(then) || self.makes_piece(otherwise),
            Ast::Case { cases, .. } => cases.iter().any(|(_, result)| self.makes_piece(result)),
            _ => false,
        }
    }

    fn makes_kind(&self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            // A piece's name with an owner is also a set of sites; only words that no set begins with decide.
            Ast::Call { name, .. } => gives(&name.text, Type::Kinds),
            Ast::If { then, otherwise, .. } => {
                let named = |expr: &ast::Expr| matches!(&expr.kind, Ast::Name(name) if self.kinds.contains_key(name));
                (named(then) || self.makes_kind(then)) && (named(otherwise) || self.makes_kind(otherwise))
            }
            _ => false,
        }
    }

    /// `KIND of PLAYER`, a neutral kind, `empty`, or `if` and `case` over these.
    pub(super) fn piece(&mut self, expr: &ast::Expr) -> Expr {
        let none = || Expr::constant(Value::Piece(None), expr.span);
        let inside = std::mem::replace(&mut self.inside, true);
        let checked = self.within(expr.span, |checker| checker.piece_form(expr));
        self.inside = inside;
        checked.filter(|checked| inside || self.is_shallow(checked)).unwrap_or_else(none)
    }

    fn piece_form(&mut self, expr: &ast::Expr) -> Expr {
        let span = expr.span;
        match &expr.kind {
            Ast::Name(name) if name == Id::Empty.name() => Expr::constant(Value::Piece(Some(Content::EMPTY)), span),
            Ast::If { condition, then, otherwise } => {
                let condition = self.typed(condition, Type::Condition);
                let decided = condition.as_decided();
                let then = self.dead(decided == Some(false), |checker| checker.piece(then));
                let otherwise = self.dead(decided == Some(true), |checker| checker.piece(otherwise));
                match decided {
                    Some(true) => then,
                    Some(false) => otherwise,
                    None => Expr {
                        kind: ExprKind::If {
                            condition: Box::new(condition),
                            then: Box::new(then),
                            otherwise: Box::new(otherwise),
                        },
                        span,
                    },
                }
            }
            Ast::Case { subject, cases } => self.case(subject, cases, span, Some(Type::Piece)).0,
            Ast::Row(terms) => match terms.as_slice() {
                [kind, ast::Expr { kind: Ast::Of(owner), .. }] => {
                    let kind = self.typed(kind, Type::Kinds);
                    let owner = self.typed(owner, Type::Players);
                    if let Some(name) = self.neutral_kind(&kind) {
                        self.report(
                            Diagnostic::new(Code::NoOwner, span, format!("a `{name}` belongs to nobody"))
                                .help(format!("write `{name}` alone")),
                        );
                    }
                    Expr { kind: ExprKind::Piece { kind: Box::new(kind), owner: Some(Box::new(owner)) }, span }
                }
                _ => {
                    let diagnostic = self.no_piece(terms, span);
                    self.report(diagnostic);
                    Expr::constant(Value::Piece(None), span)
                }
            },
            _ => {
                let (checked, ty) = self.infer_as(expr, Some(Type::Piece));
                match self.resolved(ty) {
                    Some(Type::Piece | Type::Unknown) => checked,
                    Some(Type::Kinds) => {
                        if let Some(Value::Kinds(kinds)) = checked.as_constant() {
                            let owned = kinds
                                .iter()
                                .filter_map(|kind| self.rules.kinds.get(usize::from(kind.0)))
                                .find(|kind| !kind.neutral);
                            if let Some(kind) = owned {
                                let message = format!("it is not said whose `{}` this is", kind.name);
                                let help = format!(
                                    "write `{} of mover`, or declare it: piece {} neutral",
                                    kind.name, kind.name
                                );
                                self.report(Diagnostic::new(Code::NoOwner, span, message).help(help));
                            }
                        }
                        Expr { kind: ExprKind::Piece { kind: Box::new(checked), owner: None }, span }
                    }
                    Some(other) => {
                        self.error(
                            Code::WrongType,
                            span,
                            format!("a piece is needed here, and this is {}", other.describe()),
                            self.piece_help(),
                        );
                        Expr::constant(Value::Piece(None), span)
                    }
                    None => {
                        self.settle_as(ty, Type::Piece);
                        checked
                    }
                }
            }
        }
    }

    /// `White man`, `own man`: the owner stands behind the kind.
    fn no_piece(&self, terms: &[ast::Expr], span: Span) -> Diagnostic {
        let diagnostic = Diagnostic::new(Code::WrongType, span, "this is no piece");
        let first = terms.first().map(|term| &term.kind);
        let owner = if let Some(Ast::Name(name)) = first {
            let words = [("own", "mover"), ("enemy", "next")];
            let word = words.into_iter().find(|(word, _)| name == word).map(|(_, owner)| owner);
            word.or(self.players.contains_key(name).then_some(name.as_str()))
        } else {
            None
        };
        if let (Some(owner), [_, ast::Expr { kind: Ast::Name(kind), .. }]) = (owner, terms)
            && self.kinds.contains_key(kind)
        {
            let written = format!("{kind} of {owner}");
            return diagnostic.help(format!("the owner of a piece stands behind it: `{written}`")).fix(
                format!("write `{written}`"),
                span,
                written,
            );
        }
        diagnostic.help("a piece is a kind and perhaps an owner: `stone of mover`")
    }

    fn neutral_kind(&self, kind: &Expr) -> Option<String> {
        let Some(Value::Kinds(kinds)) = kind.as_constant() else { return None };
        let kind = self.rules.kinds.get(usize::from(kinds.only()?.0))?;
        kind.neutral.then(|| kind.name.clone())
    }
}

/// Whether a name is a primitive word with values of a type.
pub(super) fn gives(name: &str, ty: Type) -> bool {
    catalogue::find(name).is_some_and(|primitive| primitive.result == ty)
}
