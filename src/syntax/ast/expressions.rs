//! Expressions as a rule file says them.

use super::{ArithmeticOp, CompareOp, Event, History, Name, Pattern, Reduce, Value};
use crate::source::Span;
use crate::syntax::parts::{Field as _, forms};

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Quantifier {
    Any,
    No,
    The,
    Count,
    Every,
}

/// What joins two terms of a sum or a product.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum BinaryOp {
    Arithmetic(ArithmeticOp),
    /// `but`: the members of the left set that are not in the right one.
    But,
    /// `..`
    Range,
}

forms! {
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub enum ExprKind {
        Number(number: i64),
        /// `6.5`, as a number of halves.
        Half(halves: i64),
        Name(name: String),
        /// `no` or `any` after `is`: a value of an option.
        Bare(name: String),
        Call {
            name: Name,
            args: Vec<Expr>,
        },
        /// Terms side by side.
        Row(terms: Vec<Expr>),
        Of(players: Box<Expr>),
        Not(inner: Box<Expr>),
        Before(inner: Box<Expr>),
        Negative(inner: Box<Expr>),
        Quantified(quantifier: Quantifier, inner: Box<Expr>),
        Or(parts: Vec<Expr>),
        And(parts: Vec<Expr>),
        Binary(op: BinaryOp, left: Box<Expr>, right: Box<Expr>),
        Compare {
            first: Box<Expr>,
            rest: Vec<(CompareOp, Expr)>,
        },
        Is {
            left: Box<Expr>,
            not: bool,
            right: Box<Expr>,
        },
        In {
            left: Box<Expr>,
            not: bool,
            right: Box<Expr>,
        },
        If {
            condition: Box<Expr>,
            then: Box<Expr>,
            otherwise: Box<Expr>,
        },
        Case {
            subject: Box<Expr>,
            cases: Vec<(Vec<Value>, Expr)>,
        },
        /// `some x in S with C`, or `no x in S with C`.
        Some {
            none: bool,
            name: Name,
            domain: Box<Expr>,
            condition: Box<Expr>,
        },
        Happened {
            event: Event,
            history: History,
        },
        LastTo(event: Event),
        TurnsWithout(event: Event),
        PartOf {
            of: Name,
            part: Name,
            history: History,
        },
        /// `position seen 3`, `board new` (`times` is none).
        Seen {
            board: bool,
            times: Option<i64>,
        },
        /// `possible P`; `apart from this` leaves out what the moves of the pattern themselves ask of answers.
        Possible {
            pattern: Box<Pattern>,
            apart: bool,
        },
        /// `{ x in S with C }`
        SetOf {
            name: Name,
            domain: Box<Expr>,
            condition: Option<Box<Expr>>,
        },
        /// `{ E for x in S with C }`
        Each {
            body: Box<Expr>,
            name: Name,
            domain: Box<Expr>,
            condition: Option<Box<Expr>>,
        },
        Reduce(reduce: Reduce, inner: Box<Expr>),
        List(parts: Vec<Expr>),
        /// `[ E for x in S with C ]`: sets to be gone through one by one, which a word gives a name.
        Family {
            member: Box<Expr>,
            rounds: Vec<Round>,
        },
    }
}

/// `for x in S with C`: what a name ranges over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Round {
    pub name: Name,
    pub domain: Expr,
    pub condition: Option<Expr>,
}
