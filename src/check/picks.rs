//! Picks of several: `pair : 2 of S` is two parts in the order of the board, and a name for both.

use super::Checker;
use super::moves::mentions;
use super::substitute::Values;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue::Id;
use crate::rules::{Expr, ExprKind, Local, Type, Value};
use crate::syntax::ast::{self, BinaryOp, ExprKind as Ast, MoveLine, MoveLineKind};

/// How many may be picked as one part.
const MOST: i64 = 8;

/// The name of a member: that of the pick and its number, which no rule file can write.
fn member(name: &ast::Name, number: i64) -> ast::Name {
    ast::Name { text: format!("{} {number}", name.text), span: name.span }
}

/// The name of the pick that a part is a member of, and that of the member before it.
pub(super) fn pick_of(name: &str) -> Option<(&str, Option<String>)> {
    let (pick, number) = name.split_once(' ')?;
    let before = number.parse::<i64>().ok()? - 1;
    Some((pick, (before > 0).then(|| format!("{pick} {before}"))))
}

impl Checker<'_> {
    /// The lines that a part stands for: itself, or, where several are picked, a part for each and a definition of all.
    pub(super) fn picks(&mut self, line: MoveLine) -> Vec<MoveLine> {
        let MoveLineKind::Part { name, domain, conditions } = &line.kind else { return vec![line] };
        let single = self.one_number_of_several(domain);
        let Some((count, set)) = self.counted(single.unwrap_or(domain)) else { return vec![line] };
        let number = self.typed(&count, Type::Number).as_constant().and_then(Value::number);
        let fitting = number.filter(|number| (1..=MOST).contains(number));
        if fitting.is_none() {
            self.report(
                Diagnostic::new(Code::OutOfRange, count.span, "so many cannot be picked as one part")
                    .label(format!("a number from 1 to {MOST}, known before the game"))
                    .help("write a number or an option, as in `pair : 2 of own`; more are picked in several plies"),
            );
        }
        // What follows from a number that cannot be is not reported.
        let number = fitting.unwrap_or(1);
        let part = |kind| MoveLine { kind, guard: line.guard.clone(), span: line.span };
        let names: Vec<ast::Name> = (1..=number).map(|number| member(name, number)).collect();
        let of_name = |name: &ast::Name| ast::Expr { kind: Ast::Name(name.text.clone()), span: name.span };
        let all = ast::Expr { kind: Ast::Or(names.iter().map(of_name).collect()), span: name.span };
        let (of_all, of_each): (Vec<ast::Expr>, Vec<ast::Expr>) =
            conditions.iter().cloned().partition(|condition| mentions(condition, &name.text));
        let mut lines = Vec::new();
        for (at, member) in names.iter().enumerate() {
            let mut conditions = of_each.clone();
            if at + 1 == names.len() {
                let values = Values::new(vec![(name.text.clone(), all.clone())]);
                conditions.extend(of_all.iter().cloned().map(|mut condition| {
                    values.put_into(&mut condition);
                    condition
                }));
            }
            lines.push(part(MoveLineKind::Part { name: member.clone(), domain: set.clone(), conditions }));
        }
        lines.push(part(MoveLineKind::Definition { name: name.clone(), value: all }));
        lines
    }

    /// `1..2 of S` is read as a range that ends with `2 of S`: how many are picked is one number.
    fn one_number_of_several<'e>(&mut self, domain: &'e ast::Expr) -> Option<&'e ast::Expr> {
        let Ast::Binary(BinaryOp::Range, low, high) = &domain.kind else { return None };
        let (_, set) = self.counted(high)?;
        let set = self.project.sources.phrase(set.span);
        self.report(
            Diagnostic::new(Code::WrongType, low.span.to(high.span), "how many are picked as one part is one number")
                .label("a range of numbers")
                .help(format!(
                    "write a move for each number, `x : {set}` and `xs : 2 of {set}`, and let the turn offer both: turn {{ one or two }}"
                )),
        );
        Some(&**high)
    }

    /// How many of which set, where a domain says so: `2 of own`, `2 of empty next_to x but corner`.
    fn counted(&self, domain: &ast::Expr) -> Option<(ast::Expr, ast::Expr)> {
        let whole = |kind, from: &ast::Expr| ast::Expr { kind, span: from.span.to(domain.span) };
        if let Ast::Row(terms) = &domain.kind {
            let [count, ast::Expr { kind: Ast::Of(of), .. }, rest @ ..] = terms.as_slice() else { return None };
            let set = match rest {
                [] => (**of).clone(),
                rest => whole(Ast::Row([std::slice::from_ref(&**of), rest].concat()), of),
            };
            (self.is_count(count) && !self.is_player(of)).then(|| (count.clone(), set))
        } else if let Ast::Binary(BinaryOp::But, left, right) = &domain.kind {
            let (count, left) = self.counted(left)?;
            let set = whole(Ast::Binary(BinaryOp::But, Box::new(left.clone()), right.clone()), &left);
            Some((count, set))
        } else if let Ast::Or(parts) | Ast::And(parts) = &domain.kind {
            let (first, rest) = parts.split_first()?;
            let (count, first) = self.counted(first)?;
            let parts = [std::slice::from_ref(&first), rest].concat();
            let joined = if matches!(domain.kind, Ast::Or(_)) { Ast::Or(parts) } else { Ast::And(parts) };
            Some((count, whole(joined, &first)))
        } else {
            None
        }
    }

    fn is_count(&self, expr: &ast::Expr) -> bool {
        let is_option = |name: &String| self.options.contains_key(name) && !self.kinds.contains_key(name);
        matches!(&expr.kind, Ast::Number(_) | Ast::Binary(BinaryOp::Arithmetic(_), ..))
            || matches!(&expr.kind, Ast::Name(name) if is_option(name))
    }

    /// Whether a term names players: `5 of mover` is a site with a number for its name.
    fn is_player(&self, expr: &ast::Expr) -> bool {
        matches!(&expr.kind, Ast::Name(name)
            if self.players.contains_key(name)
                || [Id::Mover, Id::Next, Id::Previous, Id::Players].iter().any(|id| id.name() == name))
    }

    /// That a member of a pick comes after the one before it, so that each set is found once.
    pub(super) fn in_order(&self, part: Local, before: Local, span: crate::source::Span) -> Expr {
        let local = |local| Expr { kind: ExprKind::Local(local), span };
        let later = Expr { kind: ExprKind::Primitive(Id::ListedAfter.row(), vec![local(before)]), span };
        Expr { kind: ExprKind::In { left: Box::new(local(part)), not: false, right: Box::new(later) }, span }
    }
}
