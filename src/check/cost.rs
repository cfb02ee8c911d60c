//! What an expression may cost: an upper bound on its steps, so that no accepted file seems to hang.

use super::Checker;
use crate::rules::*;

/// More steps than this in one question would look like a program that hangs.
pub(super) const MAX_COST: u64 = 10_000_000_000;

impl Checker<'_> {
    /// At most how many steps an expression takes: what stands in a set is done for every member.
    pub(super) fn cost(&self, expr: &Expr) -> u64 {
        let each =
            |domain: &Expr, inner: u64| self.cost(domain).saturating_add(self.members(domain).saturating_mul(inner));
        let guarded = |condition: &Option<Box<Expr>>| condition.as_ref().map_or(1, |condition| self.cost(condition));
        let all = |parts: &[Expr]| parts.iter().fold(1u64, |sum, part| sum.saturating_add(self.cost(part)));
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Local(_) | ExprKind::Seen { .. } | ExprKind::Possible(_) => 1,
            ExprKind::Primitive(_, parts) | ExprKind::And(parts) | ExprKind::Or(parts) | ExprKind::List(parts) => {
                all(parts)
            }
            ExprKind::Intersection(parts) | ExprKind::Union(parts) => all(parts),
            ExprKind::Word(word, args) => all(args).saturating_add(self.costs.get(word.0).copied().unwrap_or(1)),
            ExprKind::Adjective { word, .. } => {
                (self.rules.board.len() as u64).saturating_mul(self.costs.get(word.0).copied().unwrap_or(1))
            }
            ExprKind::Memory { index, .. } => index.as_ref().map_or(1, |index| self.cost(index)),
            ExprKind::OfKinds(inner) | ExprKind::OfPlayers(inner) | ExprKind::Before(inner) | ExprKind::Not(inner) => {
                self.cost(inner)
            }
            ExprKind::Complement(inner) | ExprKind::Negative(inner) | ExprKind::Any(inner) | ExprKind::None(inner) => {
                self.cost(inner)
            }
            ExprKind::The(inner) | ExprKind::Count(inner) => self.cost(inner),
            ExprKind::Piece { kind, owner } => {
                self.cost(kind).saturating_add(owner.as_ref().map_or(0, |owner| self.cost(owner)))
            }
            ExprKind::Compare { first, rest } => {
                rest.iter().fold(self.cost(first), |sum, (_, part)| sum.saturating_add(self.cost(part)))
            }
            ExprKind::In { left, right, .. }
            | ExprKind::Subset(left, right)
            | ExprKind::Arithmetic(_, left, right)
            | ExprKind::Range(left, right) => self.cost(left).saturating_add(self.cost(right)),
            ExprKind::If { condition, then, otherwise } => {
                self.cost(condition).saturating_add(self.cost(then).max(self.cost(otherwise)))
            }
            ExprKind::Some { domain, condition, .. } => each(domain, self.cost(condition)),
            ExprKind::SetOf { domain, condition, .. } => each(domain, guarded(condition)),
            ExprKind::Each { body, domain, condition, .. } | ExprKind::Reduce { body, domain, condition, .. } => {
                each(domain, guarded(condition).saturating_add(self.cost(body)))
            }
        }
    }

    /// At most how many members a set has.
    fn members(&self, domain: &Expr) -> u64 {
        match &domain.kind {
            ExprKind::Constant(value) => value.members().len() as u64,
            ExprKind::Primitive(primitive, _) if primitive.result == Type::Directions => 16,
            ExprKind::Primitive(primitive, _) if primitive.result == Type::Players => MAX_PLAYERS as u64,
            _ => self.rules.board.len() as u64,
        }
    }
}
