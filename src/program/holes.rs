//! Whether a set in one piece shuts off anything, told by counting instead of filling what is around it.
//!
//! Where steps lead round each site to six neighbours, and every site is a neighbour of the next, sites, steps and triangles
//! are the corners, edges and faces of a part of the plane. Of a set in one piece the sites less its steps, plus its
//! triangles, are one less the number of its holes (Euler's formula). A hole is what it shuts off from the edge, if the
//! board has none itself.

use super::build::*;
use super::ir::*;
use super::lower::Lowering;
use crate::board::SiteSet;
use crate::operator::{ArithmeticOp, CompareOp};

impl Lowering<'_> {
    /// That a set has a member, where it is what another one in one piece shuts off from the edge of the board.
    pub(super) fn has_holes(&self, shut_off: &Sets) -> Option<Test> {
        let ways = self.ways.triangles?;
        let (set, edge) = what_shuts_off(shut_off)?;
        let border = self.rules.board.all().iter().filter(|site| self.rules.board.neighbours(*site).len() < 6);
        if !is_in_one_piece(set) || *edge != self.layout.set(border.collect()) {
            return None;
        }
        let also = |ways: &[u8]| {
            let goal = || Box::new(set.clone());
            let from = ways.iter().map(|way| Sets::Pull(*way, goal())).chain([set.clone()]);
            Int::Count(Box::new(Sets::And(from.collect())))
        };
        let sum = |counts: [Int; 3]| {
            let [first, second, third] = counts;
            let add = |a, b| calculate(ArithmeticOp::Add, a, b);
            add(add(first, second), third)
        };
        let [a, b, c] = ways.map(|way| u8::try_from(way.index()).unwrap_or_default());
        let steps = sum([also(&[a]), also(&[b]), also(&[c])]);
        let sites_and_triangles = sum([also(&[]), also(&[a, b]), also(&[b, c])]);
        Some(and(vec![any(set.clone()), compare(CompareOp::LessEqual, sites_and_triangles, steps)]))
    }
}

/// Of which set another one is what it shuts off from some sites, and those sites.
fn what_shuts_off(shut_off: &Sets) -> Option<(&Sets, &SiteSet)> {
    let (free, reached) = without(shut_off)?;
    let (Sets::Not(set), Sets::Connected { from, within }) = (free, reached) else { return None };
    if &**within != free {
        return None;
    }
    if let Sets::And(parts) = &**from
        && let [Sets::Const(edge), other] | [other, Sets::Const(edge)] = parts.as_slice()
        && other == free
    {
        return Some((set, edge));
    }
    let Sets::Minus(edge, taken) = &**from else { return None };
    let Sets::Const(edge) = &**edge else { return None };
    (taken == set).then_some((set, edge))
}

/// A set and the connected sites that are taken out of it.
fn without(set: &Sets) -> Option<(&Sets, &Sets)> {
    if let Sets::Minus(whole, taken) = set {
        return Some((whole, taken));
    }
    let Sets::And(parts) = set else { return None };
    let [one, other] = parts.as_slice() else { return None };
    [(one, other), (other, one)].into_iter().find_map(|(whole, taken)| {
        let Sets::Not(taken) = taken else { return None };
        matches!(**taken, Sets::Connected { .. }).then_some((whole, &**taken))
    })
}

/// Whether a set is connected, in every state: what is connected to one site.
fn is_in_one_piece(set: &Sets) -> bool {
    let Sets::Connected { from, within } = set else { return false };
    // What is like the only one of several is nothing.
    let like_one = |site: &Int| matches!(site, Int::Only(only) if only == from);
    matches!(**from, Sets::One(_)) || matches!(&**within, Sets::Alike(site, _) if like_one(site))
}
