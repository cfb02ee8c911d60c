//! The values that decide a condition: of its parts that are neither constants nor conditions made of others.

use super::eval::{Frame, View, set_local};
use crate::rules::{Expr, ExprKind, Rules, Type, Value};

/// More would not be read.
const MAX_VALUES: usize = 24;

/// Expressions with their values, the outer before the inner.
pub type Values<'r> = Vec<(&'r Expr, Value)>;

pub(super) struct Deciding<'r> {
    rules: &'r Rules,
    found: Values<'r>,
}

impl<'r> Deciding<'r> {
    pub(super) fn new(rules: &'r Rules) -> Self {
        Self { rules, found: Vec::new() }
    }

    pub(super) fn found(self) -> Values<'r> {
        self.found
    }

    /// What makes a condition hold or fail.
    pub(super) fn condition(&mut self, view: &View<'_>, expr: &'r Expr, frame: &mut Frame) {
        match &expr.kind {
            ExprKind::Not(inner) => self.condition(view, inner, frame),
            ExprKind::And(parts) | ExprKind::Or(parts) => {
                // One failing part of an `and` is enough, and so is one part of an `or` that holds.
                let holds = view.holds(expr, frame);
                let every = matches!(expr.kind, ExprKind::And(_)) == holds;
                for part in parts {
                    if every || view.holds(part, frame) == holds {
                        self.condition(view, part, frame);
                    }
                }
            }
            ExprKind::If { condition, then, otherwise } => {
                self.condition(view, condition, frame);
                let branch = if view.holds(condition, frame) { then } else { otherwise };
                self.condition(view, branch, frame);
            }
            ExprKind::Compare { first, rest } => {
                self.value(view, first, frame);
                rest.iter().for_each(|(_, part)| self.value(view, part, frame));
            }
            ExprKind::In { left, right, .. } => {
                // A set as condition of a part: the part itself does not stand in the text.
                if left.span != right.span {
                    self.value(view, left, frame);
                }
                let member = view.eval(left, frame);
                self.member(view, right, &member, frame);
            }
            ExprKind::Subset(left, right) => {
                self.value(view, left, frame);
                self.value(view, right, frame);
            }
            ExprKind::Any(inner) | ExprKind::None(inner) => {
                let before = self.found.len();
                self.value(view, inner, frame);
                if self.found.len() == before {
                    self.value(view, expr, frame);
                }
            }
            ExprKind::Some { local, domain, condition, .. } => {
                self.value(view, domain, frame);
                let witness = view.eval(domain, frame).members().into_iter().find(|member| {
                    set_local(frame, local.0, member.clone());
                    view.holds(condition, frame)
                });
                if let Some(witness) = witness {
                    set_local(frame, local.0, witness);
                    self.condition(view, condition, frame);
                }
            }
            ExprKind::Word(id, args) => {
                args.iter().for_each(|arg| self.value(view, arg, frame));
                if let Some(word) = self.rules.words.get(id.0) {
                    let mut inner = args.iter().map(|arg| view.eval(arg, frame)).collect();
                    self.condition(view, &word.body, &mut inner);
                }
            }
            ExprKind::Before(inner) => self.condition(&view.at(view.before), inner, frame),
            _ => self.value(view, expr, frame),
        }
    }

    /// What decides whether something is a member of a set.
    pub(super) fn member(&mut self, view: &View<'_>, set: &'r Expr, member: &Value, frame: &mut Frame) {
        match &set.kind {
            ExprKind::Intersection(parts) => {
                let whole = contains(view, set, member, frame);
                for part in parts {
                    if whole || !contains(view, part, member, frame) {
                        self.member(view, part, member, frame);
                    }
                }
            }
            ExprKind::Union(parts) => parts.iter().for_each(|part| self.member(view, part, member, frame)),
            ExprKind::Complement(inner) => self.member(view, inner, member, frame),
            ExprKind::Adjective { word, .. } => {
                if let Some(word) = self.rules.words.get(word.0) {
                    self.condition(view, &word.body, &mut vec![member.clone()]);
                }
            }
            _ => self.value(view, set, frame),
        }
    }

    /// A value, and those it is computed from.
    pub(super) fn value(&mut self, view: &View<'_>, expr: &'r Expr, frame: &mut Frame) {
        match &expr.kind {
            ExprKind::Constant(_) => return,
            // What the board is made of, and what is empty, is seen on the board.
            ExprKind::Primitive(primitive, args)
                if args.is_empty() && matches!(primitive.result, Type::Sites | Type::Directions) =>
            {
                return;
            }
            _ => {}
        }
        let known = |(other, _): &(&Expr, Value)| other.span == expr.span;
        if self.found.len() < MAX_VALUES && !self.found.iter().any(known) {
            self.found.push((expr, view.eval(expr, frame)));
        }
        match &expr.kind {
            ExprKind::Before(inner) => self.operands(&view.at(view.before), inner, frame),
            _ => self.operands(view, expr, frame),
        }
    }

    fn operands(&mut self, view: &View<'_>, expr: &'r Expr, frame: &mut Frame) {
        match &expr.kind {
            ExprKind::Arithmetic(_, left, right) | ExprKind::Range(left, right) => {
                self.value(view, left, frame);
                self.value(view, right, frame);
            }
            ExprKind::Negative(inner) | ExprKind::Count(inner) => self.value(view, inner, frame),
            ExprKind::Primitive(_, args) | ExprKind::Word(_, args) | ExprKind::List(args) => {
                args.iter().for_each(|arg| self.value(view, arg, frame));
            }
            ExprKind::Memory { index: Some(index), .. } => self.value(view, index, frame),
            _ => {}
        }
    }
}

/// Whether a value, as one thing, lies in a set or a range.
pub(super) fn contains(view: &View<'_>, set: &Expr, member: &Value, frame: &mut Frame) -> bool {
    match member {
        Value::Sites(sites) => {
            let sites = sites.get();
            view.sites(set, sites, frame) == sites
        }
        other => view.eval(set, frame).members().contains(other),
    }
}
