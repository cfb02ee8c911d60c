//! Checked expressions: every name resolved, every option folded away, every node with its place in the text.

use super::canonical::Written;
use super::catalogue::Primitive;
use super::form::{Field as _, Role, forms};
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

forms! {
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub enum ExprKind of Role {
        Constant(value: Value),
        Local(local: Local),
        /// A word of the catalogue.
        "the" Primitive(word: &'static Primitive, args: Vec<Expr>),
        /// A word defined in the language.
        "apply" Word(word: WordId, args: Vec<Expr>),
        /// The sites for which a word of one site holds (or, negated, fails).
        "adjective" Adjective { word: WordId, holds: bool } -> Sites,
        /// Where pieces of these kinds stand.
        "of-kinds" OfKinds(kinds: Box<Expr>) -> Sites in play,
        /// Where pieces of these players stand.
        "of-players" OfPlayers(players: Box<Expr>) -> Sites in play,
        /// A piece from a kind and its owner.
        "piece" Piece { kind: Box<Expr>, owner: Option<Box<Expr>> } -> Piece in play,
        /// The number of the entry of a player and a kind, where there is one for every such pair.
        "entry" Entry { player: Box<Expr>, kind: Box<Expr> } -> Number,
        "recall" Memory { memory: MemoryId, index: Option<Box<Expr>> } in play,
        /// The value on the board before the move.
        "before" Before(inner: Box<Expr>),
        "not" Not(inner: Box<Expr> as Condition) -> Condition,
        "and" And(parts: Vec<Expr> as Condition) -> Condition,
        "or" Or(parts: Vec<Expr> as Condition) -> Condition,
        "others" Complement(inner: Box<Expr>),
        "common" Intersection(parts: Vec<Expr>),
        "joined" Union(parts: Vec<Expr>),
        "compare" Compare { first: Box<Expr>, rest: Vec<(CompareOp, Expr)> } -> Condition,
        /// The left is not empty and lies wholly in the right; a number lies in a range.
        "in" In { left: Box<Expr>, not: bool, right: Box<Expr> } -> Condition,
        /// Every member of the left is one of the right, which holds of no members too.
        "within" Subset(left: Box<Expr>, right: Box<Expr>) -> Condition,
        "reckon" Arithmetic(op: ArithmeticOp, left: Box<Expr>, right: Box<Expr>) -> Number,
        /// The numbers from the first to the second.
        "range" Range(low: Box<Expr>, high: Box<Expr>) -> Range,
        "negative" Negative(inner: Box<Expr>) -> Number,
        "any" Any(inner: Box<Expr>) -> Condition,
        "none" None(inner: Box<Expr>) -> Condition,
        /// The set if it has exactly one member, else the empty set.
        "only" The(inner: Box<Expr>),
        "count" Count(inner: Box<Expr>) -> Number,
        "if" If { condition: Box<Expr> as Condition, then: Box<Expr>, otherwise: Box<Expr> },
        "some" Some { local: Local, domain: Box<Expr> as Domain, condition: Box<Expr> as Condition, none: bool } -> Condition,
        "set" SetOf { local: Local, domain: Box<Expr> as Domain, condition: Option<Box<Expr>> as Condition },
        "each" Each {
            result: Type,
            body: Box<Expr>,
            local: Local,
            domain: Box<Expr> as Domain,
            condition: Option<Box<Expr>> as Condition
        },
        "reduce" Reduce {
            reduce: Reduce,
            body: Box<Expr>,
            local: Local,
            domain: Box<Expr> as Domain,
            condition: Option<Box<Expr>> as Condition
        } -> Number,
        "list" List(parts: Vec<Expr>) -> List,
        /// How often the position (or the board alone) has come up is compared with a number; none means "never before".
        "seen" Seen { board: bool, times: Option<i64> } -> Condition in play,
        /// The pattern that begins at this node can be played to its end by the player to move; where `answers`, by the next
        /// player, as if the turn were over.
        "possible" Possible { entry: NodeIndex, answers: bool } -> Condition in play,
    }
}

impl Expr {
    /// Whether a local is asked for anywhere in it.
    #[must_use]
    pub fn asks_for(&self, local: Local) -> bool {
        self.kind == ExprKind::Local(local) || self.children().into_iter().any(|part| part.asks_for(local))
    }

    /// The conditions that hold together where this one holds.
    #[must_use]
    pub fn conjuncts(&self) -> &[Self] {
        if let ExprKind::And(parts) = &self.kind { parts } else { std::slice::from_ref(self) }
    }

    /// The set that a condition says a local is in, where that set does not hang on the local.
    #[must_use]
    pub fn set_around(&self, local: Local) -> Option<&Self> {
        let ExprKind::In { left, not: false, right } = &self.kind else { return None };
        (left.kind == ExprKind::Local(local) && !right.asks_for(local)).then_some(right)
    }

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
        let mut children = Vec::new();
        self.kind.visit(&mut |child, _| children.push(child));
        children
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
