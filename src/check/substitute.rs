//! Names in the tree replaced by what they stand for, so that no bound name catches another of the same name.

use super::moves::names_in;
use crate::syntax::ast::{Change, ChangeKind, Expr, ExprKind, Known, Name};

/// What names are to be replaced by, and the names that mean something where that comes to stand.
#[derive(Clone)]
pub(super) struct Values {
    values: Vec<(String, Expr)>,
    taken: Vec<String>,
}

impl Values {
    pub fn new(values: Vec<(String, Expr)>) -> Self {
        let mut taken = Vec::new();
        values.iter().for_each(|(_, value)| names_in(value, &mut taken));
        Self { values, taken }
    }

    /// Keeps bound names apart from those of a further expression.
    pub fn beside(mut self, expr: Option<&Expr>) -> Self {
        expr.into_iter().for_each(|expr| names_in(expr, &mut self.taken));
        self
    }

    /// The same within a name that is bound, which is renamed where it would catch another.
    fn within(&self, name: &mut Name) -> Self {
        let mut inner = self.clone();
        inner.values.retain(|(known, _)| *known != name.text);
        let old = name.text.clone();
        // No name of a text holds this sign, but one that was renamed before may.
        while self.taken.contains(&name.text) {
            name.text.push('\'');
        }
        if name.text != old {
            inner.taken.push(name.text.clone());
            inner.values.push((old, Expr { kind: ExprKind::Name(name.text.clone()), span: name.span }));
        }
        inner
    }

    /// An upper bound of what a line comes to with the values put in, in nodes of the tree.
    pub fn weight_in(&self, change: &Change) -> usize {
        let heaviest = self.values.iter().map(|(_, value)| weight(value)).max().unwrap_or(1).max(1);
        let mut nodes = change.each.as_ref().map_or(1, |(_, domain)| 1 + weight(domain));
        within_line(change, &mut |expr| nodes += weight(expr));
        nodes.saturating_mul(heaviest)
    }

    pub fn put_into(&self, expr: &mut Expr) {
        if let ExprKind::Name(name) = &expr.kind {
            if let Some((_, value)) = self.values.iter().find(|(known, _)| known == name) {
                *expr = value.clone();
            }
            return;
        }
        if let ExprKind::Some { name, domain, condition, .. } = &mut expr.kind {
            self.put_into(domain);
            self.within(name).put_into(condition);
        } else if let ExprKind::SetOf { name, domain, condition } = &mut expr.kind {
            self.put_into(domain);
            let inner = self.within(name);
            condition.iter_mut().for_each(|condition| inner.put_into(condition));
        } else if let ExprKind::Each { body, name, domain, condition } = &mut expr.kind {
            self.put_into(domain);
            let inner = self.within(name);
            inner.put_into(body);
            condition.iter_mut().for_each(|condition| inner.put_into(condition));
        } else {
            expr.kind.visit_mut(&mut |part| self.put_into(part));
        }
    }

    pub fn put_into_change(&self, change: &mut Change) {
        let mut inner = self.clone();
        if let Some((name, domain)) = &mut change.each {
            self.put_into(domain);
            inner = self.within(name);
        }
        let mut put = |expr: &mut Expr| inner.put_into(expr);
        change.slice.iter_mut().filter_map(|slice| slice.count.as_mut()).for_each(&mut put);
        put(&mut change.target);
        change.guard.iter_mut().for_each(&mut put);
        match &mut change.kind {
            ChangeKind::Becomes(value) | ChangeKind::Seats { with: value } | ChangeKind::Know(Known { value, .. }) => {
                put(value)
            }
            ChangeKind::MoveTo { to, piece, .. } => {
                put(to);
                piece.iter_mut().for_each(put);
            }
            ChangeKind::Gets { pieces, .. } => pieces.iter_mut().for_each(put),
            ChangeKind::Leaves { finishes: _ } | ChangeKind::Do => {}
        }
    }
}

/// The expressions of a line, but for the set whose members it is made for.
pub(super) fn within_line<'e>(change: &'e Change, f: &mut dyn FnMut(&'e Expr)) {
    change.slice.iter().filter_map(|slice| slice.count.as_ref()).for_each(&mut *f);
    f(&change.target);
    change.guard.iter().for_each(&mut *f);
    match &change.kind {
        ChangeKind::Becomes(value) | ChangeKind::Seats { with: value } | ChangeKind::Know(Known { value, .. }) => {
            f(value)
        }
        ChangeKind::MoveTo { to, piece, .. } => {
            f(to);
            piece.iter().for_each(f);
        }
        ChangeKind::Gets { pieces, .. } => pieces.iter().for_each(f),
        ChangeKind::Leaves { finishes: _ } | ChangeKind::Do => {}
    }
}

/// The names in a line that it does not give itself. The name of a change that it makes is none of them.
pub(super) fn names_in_line(change: &Change) -> Vec<String> {
    let mut found = Vec::new();
    let names_another = |expr: &Expr| {
        matches!(change.kind, ChangeKind::Do)
            && std::ptr::eq(expr, &raw const change.target)
            && matches!(expr.kind, ExprKind::Name(_))
    };
    within_line(change, &mut |expr| {
        if !names_another(expr) {
            names_in(expr, &mut found);
        }
    });
    if let Some((name, domain)) = &change.each {
        found.retain(|known| *known != name.text);
        names_in(domain, &mut found);
    }
    found
}

/// How many nodes of the tree an expression has.
pub(super) fn weight(expr: &Expr) -> usize {
    let mut nodes = 1;
    expr.kind.visit(&mut |part| nodes += weight(part));
    nodes
}
