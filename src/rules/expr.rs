//! Checked expressions: every name resolved, every option folded away, every node with its place in the text.

use super::catalogue::Primitive;
use super::value::{Type, Value};
pub use crate::operator::{ArithmeticOp, CompareOp, Reduce};
use crate::source::Span;
use petgraph::graph::NodeIndex;
use std::fmt;
use std::hash::{Hash, Hasher};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WordId(pub usize);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MoveId(pub usize);

/// A place for a value in the frame of a move or a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Local(pub usize);

/// A remembered value: declared with `track`, or kept for a history word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MemoryId(pub usize);

#[derive(Clone)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// Equal expressions say the same, wherever they stand.
impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        let Self { kind, span: _ } = self;
        *kind == other.kind
    }
}

impl Eq for Expr {}

impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { kind, span: _ } = self;
        kind.hash(state);
    }
}

/// Listings show what is said, not where.
impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExprKind {
    Constant(Value),
    Local(Local),
    /// A word of the catalogue.
    Primitive(&'static Primitive, Vec<Expr>),
    /// A word defined in the language.
    Word(WordId, Vec<Expr>),
    /// The sites for which a word of one site holds (or, negated, fails).
    Adjective {
        word: WordId,
        holds: bool,
    },
    /// Where pieces of these kinds stand.
    OfKinds(Box<Expr>),
    /// Where pieces of these players stand.
    OfPlayers(Box<Expr>),
    /// A piece from a kind and its owner.
    Piece {
        kind: Box<Expr>,
        owner: Option<Box<Expr>>,
    },
    Memory {
        memory: MemoryId,
        index: Option<Box<Expr>>,
    },
    /// The value on the board before the move.
    Before(Box<Expr>),
    Not(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Complement(Box<Expr>),
    Intersection(Vec<Expr>),
    Union(Vec<Expr>),
    Compare {
        first: Box<Expr>,
        rest: Vec<(CompareOp, Expr)>,
    },
    /// The left is not empty and lies wholly in the right; a number lies in a range.
    In {
        left: Box<Expr>,
        not: bool,
        right: Box<Expr>,
    },
    /// Every member of the left is one of the right, which holds of no members too.
    Subset(Box<Expr>, Box<Expr>),
    Arithmetic(ArithmeticOp, Box<Expr>, Box<Expr>),
    /// The numbers from the first to the second.
    Range(Box<Expr>, Box<Expr>),
    Negative(Box<Expr>),
    Any(Box<Expr>),
    None(Box<Expr>),
    /// The set if it has exactly one member, else the empty set.
    The(Box<Expr>),
    Count(Box<Expr>),
    If {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Some {
        local: Local,
        domain: Box<Expr>,
        condition: Box<Expr>,
        none: bool,
    },
    SetOf {
        local: Local,
        domain: Box<Expr>,
        condition: Option<Box<Expr>>,
    },
    Each {
        body: Box<Expr>,
        local: Local,
        domain: Box<Expr>,
        condition: Option<Box<Expr>>,
        result: Type,
    },
    Reduce {
        reduce: Reduce,
        body: Box<Expr>,
        local: Local,
        domain: Box<Expr>,
        condition: Option<Box<Expr>>,
    },
    List(Vec<Expr>),
    /// How often the position (or the board alone) has come up is compared with a number; none means "never before".
    Seen {
        board: bool,
        times: Option<i64>,
    },
    /// The pattern that begins at this node can be played to its end by the player to move.
    Possible(NodeIndex),
}

impl Expr {
    #[must_use]
    pub fn constant(value: Value, span: Span) -> Self {
        Self { kind: ExprKind::Constant(value), span }
    }

    #[must_use]
    pub fn as_constant(&self) -> Option<&Value> {
        if let ExprKind::Constant(value) = &self.kind { Some(value) } else { None }
    }

    /// Whether the expression is the constant true, or the constant false or without value.
    #[must_use]
    pub fn as_decided(&self) -> Option<bool> {
        match self.as_constant() {
            Some(Value::Condition(condition)) => Some(*condition == Some(true)),
            _ => None,
        }
    }

    /// The expressions right below this one.
    #[must_use]
    pub fn children(&self) -> Vec<&Expr> {
        fn some(expr: &Option<Box<Expr>>) -> Option<&Expr> {
            expr.as_deref()
        }
        match &self.kind {
            ExprKind::Constant(_)
            | ExprKind::Local(_)
            | ExprKind::Adjective { .. }
            | ExprKind::Seen { .. }
            | ExprKind::Possible(_) => Vec::new(),
            ExprKind::Primitive(_, parts)
            | ExprKind::Word(_, parts)
            | ExprKind::And(parts)
            | ExprKind::Or(parts)
            | ExprKind::Intersection(parts)
            | ExprKind::Union(parts)
            | ExprKind::List(parts) => parts.iter().collect(),
            ExprKind::OfKinds(inner)
            | ExprKind::OfPlayers(inner)
            | ExprKind::Before(inner)
            | ExprKind::Not(inner)
            | ExprKind::Complement(inner)
            | ExprKind::Negative(inner)
            | ExprKind::Any(inner)
            | ExprKind::None(inner)
            | ExprKind::The(inner)
            | ExprKind::Count(inner) => vec![inner],
            ExprKind::Piece { kind, owner } => std::iter::once(kind.as_ref()).chain(some(owner)).collect(),
            ExprKind::Memory { index, .. } => some(index).into_iter().collect(),
            ExprKind::Compare { first, rest } => {
                std::iter::once(first.as_ref()).chain(rest.iter().map(|(_, part)| part)).collect()
            }
            ExprKind::In { left, right, .. }
            | ExprKind::Subset(left, right)
            | ExprKind::Arithmetic(_, left, right)
            | ExprKind::Range(left, right) => {
                vec![left, right]
            }
            ExprKind::If { condition, then, otherwise } => vec![condition, then, otherwise],
            ExprKind::Some { domain, condition, .. } => vec![domain, condition],
            ExprKind::SetOf { domain, condition, .. } => {
                std::iter::once(domain.as_ref()).chain(some(condition)).collect()
            }
            ExprKind::Each { body, domain, condition, .. } | ExprKind::Reduce { body, domain, condition, .. } => {
                [body.as_ref(), domain].into_iter().chain(some(condition)).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;
    use std::collections::HashSet;

    #[test]
    fn expressions_are_equal_wherever_they_stand() {
        let at = |start: usize, local: usize| {
            let span = Span::new(SourceId(start as u16), start, start + 1);
            let inner = Expr { kind: ExprKind::Local(Local(local)), span };
            Expr { kind: ExprKind::Not(Box::new(inner)), span }
        };
        assert_eq!(at(0, 1), at(7, 1));
        assert_ne!(at(0, 1), at(0, 2));
        assert_eq!(HashSet::from([at(0, 1), at(7, 1), at(7, 2)]).len(), 2);
        assert_eq!(format!("{:?}", at(7, 1)), "Not(Local(Local(1)))");
    }
}
