//! Proof from the text that a rule says the same of a direction and of its opposite, so that a line may be read from either end.

use crate::board::{Direction, Directions};
use crate::rules::catalogue::Id;
use crate::rules::{ArithmeticOp, Expr, ExprKind, Local, Rules};

/// Whether directions and their images lie on the same axes, each axis once.
#[must_use]
pub fn are_kept(ways: Directions, images: Directions) -> bool {
    let axis = |way: Direction| way.index().min(way.opposite().index());
    let axes = |ways: Directions| {
        let mut axes: Vec<usize> = ways.iter().map(axis).collect();
        axes.sort_unstable();
        axes
    };
    let own = axes(ways);
    own == axes(images) && own.windows(2).all(|pair| pair[0] != pair[1])
}

/// Whether an expression has the same value when the direction that a name stands for is replaced by its opposite. Where this
/// says no it may still be so: only parts that change places are recognised, as in `run(x, d or opposite(d), S)` and in
/// `count run(x, d, S) + count run(x, opposite(d), S)`.
#[must_use]
pub fn says_the_same(rules: &Rules, expr: &Expr, way: Local) -> bool {
    if !expr.asks_for(way) {
        return true;
    }
    if let ExprKind::Word(word, args) = &expr.kind {
        // What a word is told is the direction itself, or says the same already.
        let body = rules.words.get(word.0).map(|word| &word.body);
        return args.iter().zip(0..).all(|(arg, param)| {
            says_the_same(rules, arg, way)
                || is_name(arg, way) && body.is_some_and(|body| says_the_same(rules, body, Local(param)))
        });
    }
    let parts = expr.children();
    let changes = |part: &&Expr| in_any_order(&expr.kind) && parts.iter().any(|other| is_turned(part, other, way));
    !is_name(expr, way) && parts.iter().all(|part| says_the_same(rules, part, way) || changes(part))
}

/// Whether the parts may change places.
fn in_any_order(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Union(_)
            | ExprKind::Intersection(_)
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Arithmetic(ArithmeticOp::Add | ArithmeticOp::Multiply, ..)
    )
}

fn is_name(expr: &Expr, way: Local) -> bool {
    expr.kind == ExprKind::Local(way)
}

/// Whether it is the opposite of the direction.
fn is_opposite(expr: &Expr, way: Local) -> bool {
    matches!(&expr.kind, ExprKind::Primitive(word, args) if word.id == Id::Opposite
        && matches!(&args[..], [inner] if is_name(inner, way)))
}

/// Whether two expressions are each other with the direction turned round.
fn is_turned(one: &Expr, other: &Expr, way: Local) -> bool {
    if !one.asks_for(way) {
        return one == other;
    }
    let ends = |a, b| is_name(a, way) && is_opposite(b, way);
    let all = |own: &[Expr], others: &[Expr]| {
        own.len() == others.len() && own.iter().zip(others).all(|(own, other)| is_turned(own, other, way))
    };
    ends(one, other)
        || ends(other, one)
        || match (&one.kind, &other.kind) {
            (ExprKind::Primitive(a, own), ExprKind::Primitive(b, others)) => {
                a.id == b.id && !is_opposite(one, way) && all(own, others)
            }
            (ExprKind::Word(a, own), ExprKind::Word(b, others)) => a == b && all(own, others),
            (ExprKind::Count(own), ExprKind::Count(other)) => is_turned(own, other, way),
            _unlike => false,
        }
}
