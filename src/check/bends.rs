//! Lines that may turn a corner: `ahead(ahead(x, directions), directions)` takes each of its two steps in any direction.

use super::Checker;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue::Members;
use crate::rules::*;
use crate::source::Span;
use std::collections::BTreeMap;

impl Checker<'_> {
    /// Warns of steps behind steps where the same set of directions is gone through for each of the two by itself.
    pub(super) fn check_bends(&mut self) {
        let mut found = BTreeMap::new();
        let words = self.rules.words.iter().map(|word| &word.body);
        let nodes = self.rules.graph.node_weights().flat_map(|node| node.kind.exprs());
        let endings = self.rules.endings.iter().filter_map(|ending| ending.condition.as_ref());
        let mut waiting: Vec<&Expr> = words.chain(nodes).chain(endings).collect();
        while let Some(expr) = waiting.pop() {
            waiting.extend(expr.children());
            if expr.span.source == self.project.main
                && let Some(bend) = self.bend(expr)
            {
                found.entry(expr.span).or_insert(bend);
            }
        }
        found.into_values().for_each(|bend| self.report(bend));
    }

    fn bend(&self, outer: &Expr) -> Option<Diagnostic> {
        let (from, ways) = self.steps(outer)?;
        let inner = self.step_within(from, ways)?;
        let (_, first) = self.steps(inner)?;
        let set = self.project.sources.phrase(ways.span);
        let diagnostic = Diagnostic::new(Code::Bend, outer.span, "the second step may go another way than the first")
            .label(format!("each of the two goes through all of `{set}` by itself"));
        Some(match self.straight(outer.span, first.span, ways.span) {
            Some(straight) => diagnostic.help(format!(
                "to go straight on, one direction is gone through for both: `{{ {straight} for d in {set} }}`, or let it be picked: `d : {set}`; if the corner is meant: allow bend \"why\""
            )),
            None => diagnostic.help(format!(
                "to go straight on, let one direction be picked for both, `d : {set}`, or go through them: `{{ ... for d in {set} }}`"
            )),
        })
    }

    /// From where a word takes steps, and in which directions, if these are several.
    fn steps<'e>(&self, expr: &'e Expr) -> Option<(&'e Expr, &'e Expr)> {
        let (args, takes_ways) = if let ExprKind::Primitive(word, args) = &expr.kind {
            (args, word.params.get(1).is_some_and(|param| param.ty == Type::Directions))
        } else if let ExprKind::Word(word, args) = &expr.kind {
            let word = self.rules.words.get(word.0)?;
            (args, word.params.get(1) == Some(&Type::Directions) && word.result == Type::Sites)
        } else {
            return None;
        };
        let [from, ways, ..] = args.as_slice() else { return None };
        (takes_ways && self.is_many(ways)).then_some((from, ways))
    }

    /// A step in the same directions among what a set is taken from.
    fn step_within<'e>(&self, set: &'e Expr, ways: &Expr) -> Option<&'e Expr> {
        if let ExprKind::Intersection(parts) = &set.kind {
            return parts.iter().find_map(|part| self.step_within(part, ways));
        }
        if let ExprKind::The(inner) = &set.kind {
            return self.step_within(inner, ways);
        }
        self.steps(set).is_some_and(|(_, own)| own == ways).then_some(set)
    }

    /// Whether a set of directions surely has several members.
    fn is_many(&self, ways: &Expr) -> bool {
        let of_word = |word: &WordId| self.rules.words.get(word.0).is_some_and(|word| self.is_many(&word.body));
        matches!(&ways.kind, ExprKind::Constant(value) if value.members().len() > 1)
            || matches!(&ways.kind, ExprKind::Primitive(word, args) if args.is_empty() && word.members == Members::Any)
            || matches!(&ways.kind, ExprKind::Union(parts) if parts.len() > 1)
            || matches!(&ways.kind, ExprKind::Word(word, _) if of_word(word))
    }

    /// The text of both steps with one direction.
    fn straight(&self, whole: Span, first: Span, second: Span) -> Option<String> {
        let within = |span: Span| span.source == whole.source && whole.start <= span.start && span.end <= whole.end;
        if !within(first) || !within(second) || first.end > second.start {
            return None;
        }
        let slice = |start: u32, end: u32| self.project.sources.slice(Span { start, end, ..whole });
        let text =
            [slice(whole.start, first.start), "d", slice(first.end, second.start), "d", slice(second.end, whole.end)];
        Some(text.concat().split_whitespace().collect::<Vec<_>>().join(" "))
    }
}
