//! What a row of the catalogue asks of the values of a word: rows, steps, directions and sides that the board has.

use super::Checker;
use crate::board::{Direction, Directions};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue::{Id, Must, Primitive};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast;

impl Checker<'_> {
    /// Whether questions about sites can be answered: not of a board that is in error itself.
    pub(super) fn on_board(&self) -> bool {
        self.live && self.board_known
    }

    /// What the row of a word asks of a value in brackets, as far as it is known by now.
    pub(super) fn check_argument(&mut self, primitive: &Primitive, must: Must, arg: &Expr) {
        if !self.on_board() {
            return;
        }
        match (must, arg.as_constant()) {
            (Must::BeOne, _) if [Id::RowNumber, Id::ColumnNumber].contains(&primitive.id) => {
                self.check_lines_of(primitive, arg.span);
            }
            (Must::BeLine, Some(Value::Number(Some(number)))) => self.check_row_number(primitive, *number, arg.span),
            (Must::BeSteps, Some(Value::Number(Some(number)))) => {
                let message = format!("no line of this board is {} steps long", number.abs());
                self.check_length(number.abs(), arg, message);
            }
            (Must::BeDirections, Some(Value::Directions(ways))) => self.check_ways(*ways, arg.span),
            (Must::BeSides, Some(Value::Directions(wanted))) => self.check_sides(*wanted, arg.span),
            (Must::Fit | Must::BeOne | Must::BeLine | Must::BeSteps | Must::BeDirections | Must::BeSides, _) => {}
        }
    }

    /// Rows or columns asked for by number, on a board that has none.
    fn check_lines_of(&mut self, primitive: &Primitive, span: Span) {
        let board = &self.rules.board;
        let number = |primitive: &Primitive, site| primitive.settled(board, &[], &[Value::of_site(site)]);
        let has = |primitive: &Primitive| {
            board.all().iter().any(|site| matches!(number(primitive, site), Some(Value::Number(Some(_)))))
        };
        if has(primitive) {
            return;
        }
        let (what, other) = match primitive.id {
            Id::RowNumber => ("rows", Id::ColumnNumber),
            _ => ("columns", Id::RowNumber),
        };
        let help = match has(other.row()) {
            true => format!("this board numbers sites another way: `{}(x)`", other.name()),
            false => "name sites by their names, by `edge` or by `side(N)`".to_owned(),
        };
        self.report(
            Diagnostic::new(Code::OutOfRange, span, format!("`{}` has no value on this board", primitive.name))
                .label(format!("this board has no {what}"))
                .help(help),
        );
    }

    /// `row(x)` of a site, where the number of its row is meant: whether it was said so.
    pub(super) fn report_line_of_site(&mut self, primitive: &Primitive, name: &ast::Name, args: &[ast::Expr]) -> bool {
        let ([param], [arg]) = (primitive.params, args) else { return false };
        if param.must != Must::BeLine {
            return false;
        }
        let (_, ty) = self.infer_as(arg, Some(param.ty));
        if self.resolved(ty) != Some(Type::Sites) {
            return false;
        }
        let number = if primitive.id == Id::Row { Id::RowNumber } else { Id::ColumnNumber }.name();
        let (line, site) = (primitive.name, self.project.sources.slice(arg.span));
        let message = format!("`{line}` takes the number of a {line}, and `{site}` is a set of sites");
        self.report(
            Diagnostic::new(Code::WrongType, arg.span, message)
                .help(format!(
                    "the number of the {line} of `{site}` is `{number}({site})`, the sites of that {line} are `{line}({number}({site}))`"
                ))
                .guess(format!("write `{number}`"), name.span, number),
        );
        true
    }

    /// The number of a row or column that the board does not have.
    fn check_row_number(&mut self, primitive: &Primitive, number: i64, span: Span) {
        let board = &self.rules.board;
        let there = |number: i64| {
            let line = primitive.settled(board, &[], &[Value::Number(Some(number))]);
            line.is_some_and(|line| !line.is_empty_set())
        };
        if there(number) {
            return;
        }
        let name = primitive.name;
        let message = format!("there is no {name} {number} on this board");
        let (label, help) = match (1..=board.len() as i64).rev().find(|number| there(*number)) {
            Some(last) => {
                (format!("{name}s go from 1 to {last}"), format!("write a number up to {last}, as in `{name}({last})`"))
            }
            None => (
                format!("this board has no {name}s"),
                "name sites by their names, by `edge` or by `side(N)`".to_owned(),
            ),
        };
        self.report(Diagnostic::new(Code::OutOfRange, span, message).label(label).help(help));
    }

    /// Directions in which no site of the board has another one.
    fn check_ways(&mut self, ways: Directions, span: Span) {
        let (compass, board) = (self.rules.board.compass(), &self.rules.board);
        if let Some(missing) = ways.iter().find(|way| !board.ways().contains(*way)) {
            let known: Vec<&str> = compass.iter().map(|direction| direction.name()).collect();
            let message = format!("no site of this board has a site to its {}", missing.name());
            self.report(
                Diagnostic::new(Code::NoDirection, span, message)
                    .label(format!("the directions are {}", known.join(", ")))
                    .help(format!("write one of them, as in `{}`", known.first().unwrap_or(&"directions"))),
            );
        }
    }

    /// Edges and vertices that this board has not been given.
    pub(super) fn check_class(&mut self, primitive: &Primitive, span: Span) {
        let sites = || primitive.settled(&self.rules.board, &[], &[]);
        if primitive.class && self.on_board() && sites().is_some_and(|sites| sites.is_empty_set()) {
            let name = primitive.name;
            self.report(
                Diagnostic::new(Code::UnknownSite, span, format!("this board has no {name} to play on"))
                    .help(format!("write what sites it has: board square(4) with cells, {name}")),
            );
        }
    }

    /// A number of steps that no straight line of this board has.
    pub(super) fn check_length(&mut self, steps: i64, arg: &Expr, message: String) {
        let board = &self.rules.board;
        if !self.on_board() || steps <= 1 {
            return;
        }
        let reach = |from: crate::board::Site, way: Direction| {
            let mut at = from;
            // On a ring a line has no end.
            (0..board.len()).take_while(|_| board.step(at, way).map(|next| at = next).is_some()).count()
        };
        let longest = board.ways().iter().flat_map(|way| board.all().iter().map(move |site| reach(site, way))).max();
        let longest = longest.unwrap_or(0);
        if steps > longest as i64 {
            let label = format!("the longest line has {} sites", longest + 1);
            // `line` counts sites where `ahead` counts steps.
            let more = match arg.as_constant() {
                Some(Value::Number(Some(number))) => (number.abs() - steps).max(0),
                _ => 0,
            };
            let help = match longest as i64 + more {
                most if most > 1 => format!("write a number up to {most}, or choose a larger board"),
                _ => "choose a larger board".to_owned(),
            };
            self.report(Diagnostic::new(Code::OutOfRange, arg.span, message).label(label).help(help));
        }
    }

    /// Directions in which the board has no side.
    fn check_sides(&mut self, wanted: Directions, span: Span) {
        let sides = self.rules.board.sides();
        if let Some(missing) = wanted.iter().find(|direction| !sides.contains(*direction)) {
            let known: Vec<&str> = sides.iter().map(|direction| direction.name()).collect();
            let label = if known.is_empty() {
                "this board has no sides".to_owned()
            } else {
                format!("its sides are {}", known.join(", "))
            };
            let message = format!("this board has no side {}", missing.name());
            self.report(Diagnostic::new(Code::NoDirection, span, message).label(label));
        }
    }
}
