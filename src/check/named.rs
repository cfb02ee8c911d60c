//! Changes that have a name, and those after each ply and turn: written out where they are made, so that nothing behind the checker
//! knows of them.

use super::moves::{named_lines, names_in};
use super::substitute::{Values, names_in_line, weight};
use super::uses::Meaning;
use super::{Checker, Defined, Frame, Ty};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::{MoveId, Type, catalogue};
use crate::source::Span;
use crate::syntax::ast::{self, ChangeKind, ExprKind, MoveLine, MoveLineKind, Period};
use std::rc::Rc;

/// Lines that one list of changes may come to.
const MAX_LINES: usize = 200;
/// Changes that may lead to one another.
const MAX_DEEP: usize = 40;
/// Names, numbers and signs in one line with all values put in.
const MAX_WEIGHT: usize = 10_000;

/// A change by name that was written out: where it is defined and where it is made.
#[derive(Clone, Copy)]
pub(super) struct WrittenOut {
    definition: Span,
    made: Span,
}

/// How changes of a list follow each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// As those of a stage: all of them read the same state.
    AtOnce,
    /// As those of a start or of a `repeat`: each reads what the one before it has left.
    InTurn,
}

/// A change by its name, where it is defined, and what its parameters stand for.
struct Made<'p> {
    item: &'p ast::NamedChange,
    definition: Span,
    values: Vec<(String, ast::Expr)>,
}

/// The name of a change and what it is given; none where something else stands behind `do`.
fn called(target: &ast::Expr) -> Option<(&str, Span, &[ast::Expr])> {
    if let ExprKind::Name(text) = &target.kind {
        Some((text, target.span, &[]))
    } else if let ExprKind::Call { name, args } = &target.kind {
        Some((&name.text, name.span, args))
    } else {
        None
    }
}

impl<'p> Checker<'p> {
    /// Writes out what moves say in short: changes with a name, those after each ply and turn, and picks of several.
    pub(super) fn write_out_moves(&mut self) {
        let project = self.project;
        let after = project.after_each(Period::Ply);
        if let Some((after, _)) = after {
            let lines = self.written_out(after, Order::AtOnce, &mut Vec::new());
            self.refuse_words_of_it(&lines);
        }
        for index in 0..self.move_items.len() {
            let mut item = ast::MoveItem::clone(&self.move_items[index]);
            let mut made = Vec::new();
            self.parts_around = named_lines(&item);
            let lines = std::mem::take(&mut item.lines);
            item.lines = lines.into_iter().flat_map(|line| self.written_line(line, &mut made)).collect();
            if let Some((after, span)) = after {
                item.lines.push(MoveLine { kind: MoveLineKind::Then, guard: None, span });
                self.catches(after, &[], span);
                let mut after = self.written_out(after, Order::AtOnce, &mut made);
                self.name_moved(&item, &mut after);
                item.lines.extend(after.into_iter().map(line_of));
            }
            self.move_items[index] = Rc::new(item);
            self.made_in_moves.push(made);
        }
        self.parts_around.clear();
        self.write_out_turns();
    }

    /// What is done after each turn becomes a move without parts that nobody plays.
    fn write_out_turns(&mut self) {
        let Some((changes, span)) = self.project.after_each(Period::Turn) else { return };
        let mut made = Vec::new();
        let lines = self.written_out(changes, Order::AtOnce, &mut made).into_iter().map(line_of).collect();
        let name = ast::Name { text: Period::Turn.name().to_owned(), span };
        self.rules.after_turn = Some(MoveId(self.move_items.len()));
        self.move_items.push(Rc::new(ast::MoveItem { chance: false, name, notation: None, doc: None, lines }));
        self.made_in_moves.push(made);
    }

    /// Reports a part of the move that is being written out whose name lines from elsewhere use for something else.
    fn catches(&mut self, lines: &[ast::Change], params: &[ast::Param], made: Span) {
        let names: Vec<String> = lines.iter().flat_map(names_in_line).collect();
        let own = |name: &str| params.iter().any(|param| param.name.text == name);
        // What means nothing elsewhere is told where the lines are looked at by themselves.
        let means_more = |name: &str| {
            self.words.contains_key(name)
                || self.tracks_value(name)
                || self.kinds.contains_key(name)
                || catalogue::find(name).is_some()
        };
        let is_caught = |name: &str| names.iter().any(|known| known == name) && !own(name) && means_more(name);
        let caught = self.parts_around.iter().find(|part| is_caught(&part.text)).cloned();
        if let Some(part) = caught {
            let message =
                format!("`{}` is a part of this move, and something else in the lines that it makes", part.text);
            self.report(
                Diagnostic::new(Code::TwoReadings, part.span, message)
                    .also(made, "made here")
                    .help("lines that moves share know nothing of a move: give the part another name, or a parameter to the change"),
            );
        }
    }

    fn written_line(&mut self, line: MoveLine, made: &mut Vec<WrittenOut>) -> Vec<MoveLine> {
        let MoveLine { kind, guard, span } = line;
        match kind {
            MoveLineKind::Change(change) => {
                let change = std::slice::from_ref(&change);
                self.written_out(change, Order::AtOnce, made).into_iter().map(line_of).collect()
            }
            MoveLineKind::Repeat { times, condition, changes } => {
                let changes = self.written_out(&changes, Order::InTurn, made);
                vec![MoveLine { kind: MoveLineKind::Repeat { times, condition, changes }, guard, span }]
            }
            kind @ MoveLineKind::Part { .. } => self.picks(MoveLine { kind, guard, span }),
            kind @ (MoveLineKind::Then
            | MoveLineKind::Definition { .. }
            | MoveLineKind::If(_)
            | MoveLineKind::Weight(_)
            | MoveLineKind::SoThat { .. }) => vec![MoveLine { kind, guard, span }],
        }
    }

    /// Lines of changes, those with a name replaced by what they stand for.
    pub(super) fn written_out(
        &mut self,
        changes: &[ast::Change],
        order: Order,
        made: &mut Vec<WrittenOut>,
    ) -> Vec<ast::Change> {
        let mut lines = Vec::new();
        for change in changes {
            self.write_out(change, order, &mut Vec::new(), made, &mut lines);
        }
        lines
    }

    fn write_out(
        &mut self,
        change: &ast::Change,
        order: Order,
        within: &mut Vec<String>,
        made: &mut Vec<WrittenOut>,
        lines: &mut Vec<ast::Change>,
    ) {
        if !matches!(change.kind, ChangeKind::Do) {
            lines.push(change.clone());
            return;
        }
        let Some(Made { item, definition, mut values }) = self.made(change, within) else { return };
        made.push(WrittenOut { definition, made: change.span });
        within.push(item.name.text.clone());
        self.catches(&item.changes, &item.params, change.span);
        let mut change = change.clone();
        if order == Order::InTurn && item.changes.len() > 1 {
            let given = values.iter_mut().map(|(_, value)| value).zip(&item.params);
            self.know_before(&mut change, given, lines);
        }
        let values = Values::new(values).beside(change.guard.as_ref());
        for line in &item.changes {
            let guards = change.guard.as_ref().map_or(0, weight) + values.weight_in(line);
            let many = lines.len() + made.len() >= MAX_LINES;
            if many || within.len() > MAX_DEEP || guards > MAX_WEIGHT {
                self.error(
                    Code::TooLarge,
                    change.span,
                    "changes with names come to too much",
                    format!("a list of changes has at most {MAX_LINES} lines, those within named ones counted, and at most {MAX_DEEP} may lead to one another"),
                );
                break;
            }
            let mut line = line.clone();
            values.put_into_change(&mut line);
            line.guard = both(change.guard.clone(), line.guard);
            match (&change.each, &line.each) {
                (Some((name, _)), Some((inner, _))) => {
                    self.report(
                        Diagnostic::new(
                            Code::Syntax,
                            change.span,
                            format!(
                                "`{}` says `every` itself, and cannot be made for every `{}`",
                                item.name.text, name.text
                            ),
                        )
                        .also(inner.span, "here")
                        .help("give it the whole set: `do NAME(S)`, and let its lines speak of all of S"),
                    );
                    continue;
                }
                (Some(_), None) => line.each.clone_from(&change.each),
                (None, _) => {}
            }
            self.write_out(&line, order, within, made, lines);
        }
        within.pop();
    }

    /// What all lines of a change ask for is found out before the first of them, where each changes what the next one reads:
    /// what they are given, for which members they are made, and whether they are.
    fn know_before<'a>(
        &self,
        change: &mut ast::Change,
        given: impl Iterator<Item = (&'a mut ast::Expr, &'a ast::Param)>,
        lines: &mut Vec<ast::Change>,
    ) {
        let ast::Change { each, guard, span, .. } = change;
        let member = each.as_ref().map(|(name, _)| name.text.clone());
        let speaks_of_it = |expr: &ast::Expr| {
            let mut names = Vec::new();
            names_in(expr, &mut names);
            member.as_ref().is_some_and(|member| names.contains(member))
        };
        let mut know = |value: &mut ast::Expr, sort: ast::Sort| {
            if !self.may_change(value) {
                return;
            }
            // No name of a text holds a blank.
            let name = ast::Expr { kind: ExprKind::Name(format!("known {}", lines.len())), span: value.span };
            let kind = ChangeKind::Know(ast::Known { value: std::mem::replace(value, name.clone()), sort });
            lines.push(ast::Change { each: None, slice: None, target: name, kind, guard: None, span: *span });
        };
        for (value, param) in given {
            if !speaks_of_it(value) {
                know(value, ast::Sort::Given(param.kind.clone()));
            }
        }
        if let Some(guard) = guard.as_mut().filter(|guard| !speaks_of_it(guard)) {
            know(guard, ast::Sort::Condition);
        }
        // Numbers are gone through as they are.
        let are_numbers = |domain: &ast::Expr| matches!(domain.kind, ExprKind::Binary(ast::BinaryOp::Range, _, _));
        if let Some((name, domain)) = each.as_mut().filter(|(_, domain)| !are_numbers(domain)) {
            if let Some(condition) = guard.take_if(|guard| speaks_of_it(guard)) {
                let whole = Box::new(domain.clone());
                domain.kind =
                    ExprKind::SetOf { name: name.clone(), domain: whole, condition: Some(Box::new(condition)) };
            }
            know(domain, ast::Sort::Given(None));
        }
    }

    /// Whether a tracked value has this name. Moves are written out before the values are known.
    pub(super) fn tracks_value(&self, name: &str) -> bool {
        let declares = |item: &ast::Item| matches!(&item.kind, ast::ItemKind::Track(track) if track.name.text == name);
        name == "phase" || self.project.items().any(declares)
    }

    /// Whether the value of an expression may be another when something has been changed.
    fn may_change(&self, expr: &ast::Expr) -> bool {
        let reads = |name: &str| {
            let known = || name != "none" && catalogue::find(name).is_some();
            self.tracks_value(name) || self.words.contains_key(name) || known()
        };
        let mut found = if let ExprKind::Name(name) = &expr.kind {
            reads(name)
        } else {
            matches!(expr.kind, ExprKind::Call { .. })
        };
        expr.kind.visit(&mut |part| found |= self.may_change(part));
        found
    }

    /// The change that a line makes by name.
    fn made(&mut self, change: &ast::Change, within: &[String]) -> Option<Made<'p>> {
        let Some((text, span, args)) = called(&change.target) else {
            self.error(
                Code::Syntax,
                change.target.span,
                "behind `do` stands the name of a change",
                "as in `do take(prey)`, where `change take(S) { ... }` says what that is",
            );
            return None;
        };
        let Some((item, definition)) = self.named_change(text) else {
            self.unknown_change(text, span, args.len());
            return None;
        };
        self.mark_used(Defined::Change, text);
        self.note(span, Meaning::Change);
        if within.iter().any(|open| open == text) {
            self.report(
                Diagnostic::new(Code::Cycle, item.name.span, format!("the change `{text}` is made of itself"))
                    .also(change.span, "made again here")
                    .help("a change may make only changes that do not lead back to it; `repeat at most N` says something again"),
            );
            return None;
        }
        if item.params.len() != args.len() {
            self.wrong_values(item, span, args.len());
            return None;
        }
        let values = item.params.iter().map(|param| param.name.text.clone()).zip(args.iter().cloned()).collect();
        Some(Made { item, definition, values })
    }

    fn named_changes(&self) -> impl Iterator<Item = (&'p ast::NamedChange, Span)> + use<'p> {
        self.project.items().filter_map(|item| {
            if let ast::ItemKind::Change(named) = &item.kind { Some((named, item.span)) } else { None }
        })
    }

    fn named_change(&self, text: &str) -> Option<(&'p ast::NamedChange, Span)> {
        self.named_changes().find(|(named, _)| named.name.text == text)
    }

    fn unknown_change(&mut self, text: &str, span: Span, count: usize) {
        let known: Vec<&str> = self.named_changes().map(|(named, _)| named.name.text.as_str()).collect();
        let params: Vec<String> = (1..=count).map(|number| format!("x{number}")).collect();
        let params = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
        self.report(
            Diagnostic::new(Code::UnknownName, span, format!("there is no change called `{text}`"))
                .did_you_mean(text, known)
                .or_help(|| format!("define it: change {text}{params} {{ ... }}")),
        );
    }

    fn wrong_values(&mut self, item: &ast::NamedChange, span: Span, found: usize) {
        let (text, names) = (&item.name.text, item.params.iter().map(|param| param.name.text.as_str()));
        let names: Vec<&str> = names.collect();
        let wanted = match names.len() {
            0 => "no value".to_owned(),
            1 => "one value".to_owned(),
            count => format!("{count} values"),
        };
        let given = if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) };
        self.report(
            Diagnostic::new(Code::WrongArity, span, format!("`{text}` takes {wanted}, and is given {found}"))
                .also(item.name.span, "defined here")
                .help(format!("write `do {text}{given}`")),
        );
    }

    /// Looks at each change with a name by itself, so that a mistake in it is told once, whoever makes it.
    pub(super) fn check_named_changes(&mut self) {
        for (named, _) in self.named_changes() {
            self.frame = Frame { in_move: true, ..Frame::default() };
            for param in &named.params {
                let ty = param.kind.as_ref().and_then(|kind| self.param_type(kind)).unwrap_or(Type::Unknown);
                self.bind(&param.name, Ty::Known(ty));
            }
            let used = self.used.clone();
            let mut made = Vec::new();
            for change in self.written_out(&named.changes, Order::AtOnce, &mut made) {
                self.change(&change);
            }
            // What only an unused change speaks of is not used.
            if !self.is_used(Defined::Change, &named.name.text) {
                self.used = used;
            }
            self.frame = Frame::default();
        }
    }

    /// A diagnostic about a line that was written out tells as well where it is made; none if it has been told.
    pub(super) fn told_where_made(&self, mut diagnostic: Diagnostic) -> Option<Diagnostic> {
        let holds = |outer: Span, inner: Span| {
            outer.source == inner.source && outer.start <= inner.start && inner.end <= outer.end
        };
        let mut place = diagnostic.span;
        let told = |known: &Diagnostic| {
            (known.code, known.span, &known.message) == (diagnostic.code, diagnostic.span, &diagnostic.message)
        };
        if self.written.iter().any(|written| holds(written.definition, place)) && self.diagnostics.iter().any(told) {
            return None;
        }
        for written in self.written.iter().rev() {
            if holds(written.definition, place) {
                place = written.made;
                diagnostic = diagnostic.also(place, "made here");
            }
        }
        Some(diagnostic)
    }
}

fn line_of(change: ast::Change) -> MoveLine {
    let span = change.span;
    MoveLine { kind: MoveLineKind::Change(change), guard: None, span }
}

/// Both guards joined, where there are two.
fn both(one: Option<ast::Expr>, two: Option<ast::Expr>) -> Option<ast::Expr> {
    match (one, two) {
        (Some(one), Some(two)) => {
            let span = two.span;
            Some(ast::Expr { kind: ExprKind::And(vec![one, two]), span })
        }
        (one, two) => one.or(two),
    }
}
