//! What is tracked and has no value at first: comparisons with it, which then hold neither way.

use super::Checker;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::*;
use crate::source::Span;

/// A comparison with something that may have no value yet.
pub(super) struct Unset {
    memory: MemoryId,
    operand: Span,
    /// What does not hold then, and whether that is a `not` around it.
    whole: Span,
    negated: bool,
}

impl Checker<'_> {
    /// `cell != mark` and `not (cell = mark)` where there may be no `mark`.
    pub(super) fn check_unset<'e>(&mut self, mut sides: impl Iterator<Item = &'e Expr>, whole: Span, negated: bool) {
        let Some((memory, operand)) = sides.find_map(|side| Some((self.unset(side)?, side.span))) else { return };
        if self.live && operand.source == self.project.main {
            self.unset.push(Unset { memory, operand, whole, negated });
        }
    }

    /// What is tracked without a value at first.
    fn unset(&self, expr: &Expr) -> Option<MemoryId> {
        let ExprKind::Memory { memory, .. } = &expr.kind else { return None };
        let info = self.rules.memories.get(memory.0)?;
        let unset =
            info.declared && info.ty != Type::Number && info.first.as_constant().is_some_and(Value::is_empty_set);
        unset.then_some(*memory)
    }

    /// Whoever asks somewhere whether there is a value knows that there may be none.
    pub(super) fn look_for(&mut self, expr: &Expr) {
        if let Some(memory) = self.unset(expr) {
            self.looked_for.insert(memory);
        }
    }

    /// Tells of these comparisons, but for what the start sets and what is looked for.
    pub(super) fn report_unset(&mut self) {
        for Unset { memory, operand, whole, negated } in std::mem::take(&mut self.unset) {
            let sets =
                |change: &Change| matches!(change.kind, ChangeKind::Remember { memory: set, .. } if set == memory);
            if self.looked_for.contains(&memory) || self.rules.start.iter().any(sets) {
                continue;
            }
            let text = self.project.sources.phrase(operand);
            let sign = if negated { "not" } else { "!=" };
            self.report(
                Diagnostic::new(
                    Code::NoValue,
                    operand,
                    format!("as long as there is no `{text}`, this `{sign}` does not hold"),
                )
                .label("this is nothing until it gets a value")
                .also(whole, "what is nothing is neither equal to anything nor different from it")
                .help(format!(
                    "say what is meant then, as in `no {text} or ...`, or ask `x not in {text}`, which holds without it"
                )),
            );
        }
    }
}
