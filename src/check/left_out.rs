//! Parts that `when` leaves out although the move needs them: `to : S, C when D` is no part at all where D fails.

use super::Checker;
use super::length::changes_of;
use super::moves::mentions;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, MoveLineKind};

impl Checker<'_> {
    /// Warns of parts of a move that may be left out, where nothing can then be moved, or nothing changes on the board.
    pub(super) fn check_guarded_parts(&mut self, item: &ast::MoveItem, lines: &[petgraph::graph::NodeIndex]) {
        let kinds = || lines.iter().filter_map(|line| self.rules.graph.node_weight(*line)).map(|node| &node.kind);
        let changes: Vec<&Change> = kinds()
            .flat_map(|kind| changes_of(Some(kind)))
            .filter(|change| !change.carried && change.kind.target().is_some())
            .collect();
        let mut found = Vec::new();
        for kind in kinds() {
            let NodeKind::Choose { local, conditions, guard: Some(guard), .. } = kind else { continue };
            if let Some(without) = comes_to(&changes, *local) {
                found.extend(self.left_out(item, guard.span, conditions, without));
            }
        }
        found.into_iter().for_each(|found| self.report(found));
    }

    fn left_out(&self, item: &ast::MoveItem, guard: Span, checked: &[Expr], without: &str) -> Option<Diagnostic> {
        let line = item.lines.iter().find(|line| line.guard.as_ref().is_some_and(|own| own.span == guard))?;
        let MoveLineKind::Part { name, conditions, .. } = &line.kind else { return None };
        let (name, asked) = (&name.text, self.project.sources.phrase(guard));
        let message = format!("where this does not hold `{name}` is not picked at all, and {without}");
        let only = format!("`if {asked}`");
        let help = match conditions.last() {
            Some(last) => {
                let text = self.project.sources.phrase(last.span);
                // A set in which the part must lie, or a condition.
                let is_set = !mentions(last, name)
                    && checked
                        .iter()
                        .any(|condition| condition.span == last.span && matches!(condition.kind, ExprKind::In { .. }));
                let text = if is_set { format!("{name} in ({text})") } else { text };
                format!(
                    "what is asked only then has a line of its own: `if {text} when {asked}`; if the move is meant for these cases alone, write {only} on a line of its own"
                )
            }
            None => format!(
                "if the move is meant for these cases alone, write {only} on a line of its own; else say which part is picked otherwise"
            ),
        };
        Some(
            Diagnostic::new(Code::LeftOut, guard, message)
                .label("`when` is about the whole line, with all that stands behind its commas")
                .help(help),
        )
    }
}

/// What becomes of a move without a part that it needs.
fn comes_to(changes: &[&Change], part: Local) -> Option<&'static str> {
    let is_part = |expr: &Expr| expr.kind == ExprKind::Local(part);
    let always = |change: &&&Change| change.guard.is_none() && change.each.is_none();
    let goes = |change: &&Change| change.kind.exprs().into_iter().any(is_part) && change.kind.source().is_some();
    if changes.iter().filter(always).any(goes) {
        return Some("the move cannot be made");
    }
    let all_there = |change: &&Change| always(&change) && change.kind.target().is_some_and(is_part);
    (!changes.is_empty() && changes.iter().all(all_there)).then_some("the move changes nothing on the board")
}
