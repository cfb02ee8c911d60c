//! The board: its shape with sizes, what is chosen besides, and what is kept of it.

use super::Checker;
use super::uses::Meaning;
use crate::board::{
    self, Adjacency, Axis, Board, BoardSpec, Class, Classes, Coordinates, Drawn, Lines, Named, SIZED, Shape, Signs,
    SizedShape, WRITTEN_OUT,
};
use crate::diagnostic::{Code, Diagnostic, listed};
use crate::rules::settled::Settled;
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast;

impl Checker<'_> {
    pub(super) fn build_board(&mut self, item: &ast::BoardExpr) -> Option<Board> {
        let chosen = self.modifiers(&item.modifiers)?;
        let shape = match &item.kind {
            ast::BoardKind::Case { subject, cases } => {
                let chosen = self.constant_case(subject, cases)?;
                for (_, other) in cases.iter().filter(|(_, other)| other.span != chosen.span) {
                    self.dead(true, |checker| checker.board_sizes(other));
                }
                let built = self.build_board(chosen)?;
                return self.kept(built, &item.modifiers);
            }
            ast::BoardKind::Drawn(drawn) => {
                let style = drawn.style.as_ref();
                let style = style.map_or(Some(Drawn::Square), |style| self.drawing_style(style))?;
                style.shape(drawn.text.clone())
            }
            ast::BoardKind::Lines(rows) => {
                Shape::Lines(rows.iter().map(|row| row.iter().map(|name| name.text.clone()).collect()).collect())
            }
            ast::BoardKind::Graph { points, links } => Shape::Graph {
                points: points.iter().map(|(name, x, y)| (name.text.clone(), *x, *y)).collect(),
                links: links.iter().map(|(a, b)| (a.text.clone(), b.text.clone())).collect(),
            },
            ast::BoardKind::Shape { name, args } => self.shape(name, args)?,
        };
        match board::build(&BoardSpec { shape, ..chosen }) {
            Ok(board) => self.kept(board, &item.modifiers),
            Err(error) => {
                let (code, span) = place_of(item, &error);
                self.board_error(code, span, &error);
                None
            }
        }
    }

    /// What is chosen behind the shape of a board; none if the board cannot be so.
    fn modifiers(&mut self, modifiers: &[ast::Modifier]) -> Option<BoardSpec> {
        let mut spec = placeholder();
        for modifier in modifiers {
            match modifier {
                ast::Modifier::Adjacent(name) => match Adjacency::find(&name.text) {
                    Some(adjacency) => spec.adjacency = Some(adjacency),
                    None => {
                        let message = format!("`{}` is no adjacency", name.text);
                        self.report(no_such::<Adjacency>(name, message));
                    }
                },
                ast::Modifier::Coordinates(name) => match Coordinates::find(&name.text) {
                    Some(coordinates) => spec.coordinates = Some(coordinates),
                    None => {
                        let message = format!("`{}` is no kind of coordinates", name.text);
                        self.report(no_such::<Coordinates>(name, message));
                    }
                },
                ast::Modifier::Axes(axes) => spec.coordinates = Some(self.axes(axes)?),
                ast::Modifier::Keeping(_) => {}
                ast::Modifier::With(names) => {
                    let mut classes = Classes::default();
                    for name in names {
                        let Some(class) = Class::find(&name.text) else {
                            let message = format!("a board has no `{}` to play on", name.text);
                            self.report(
                                no_such::<Class>(name, message)
                                    .help(format!("sites are {}", listed(&Class::names(), "or"))),
                            );
                            return None;
                        };
                        classes.insert(class);
                    }
                    spec.classes = Some(classes);
                }
            }
        }
        Some(spec)
    }

    /// What rows and columns are called.
    fn axes(&mut self, asked: &[ast::Axis]) -> Option<Coordinates> {
        let axes: Vec<Axis> = asked.iter().map(|axis| self.axis(axis)).collect::<Option<_>>()?;
        let [first, second] = axes.as_slice() else { return None };
        if first.of != second.of {
            return Some(Coordinates::Axes([*first, *second]));
        }
        let span = asked.last()?.lines.span;
        let message = "a site is named by its row and its column";
        self.report(
            Diagnostic::new(Code::BadBoard, span, message)
                .help("as in `coordinates columns numbers from right, rows letters from top`"),
        );
        None
    }

    fn axis(&mut self, axis: &ast::Axis) -> Option<Axis> {
        let (of, signs) = (Lines::find(&axis.lines.text), Signs::find(&axis.signs.text));
        let sides = match of {
            Some(Lines::Rows) => ["top", "bottom"],
            Some(Lines::Columns) | None => ["left", "right"],
        };
        let side = sides.iter().position(|side| *side == axis.side.text);
        let wrong = match (of, signs, side) {
            (Some(of), Some(signs), Some(side)) => return Some(Axis { of, signs, backwards: side == 1 }),
            (None, _, _) => &axis.lines,
            (_, None, _) => &axis.signs,
            (_, _, None) => &axis.side,
        };
        self.report(
            Diagnostic::new(Code::BadBoard, wrong.span, format!("rows and columns are not named by `{}`", wrong.text))
                .help("as in `coordinates columns numbers from right, rows letters from top`: `rows` or `columns`, `letters` or `numbers`, from `left` or `right`, `top` or `bottom`"),
        );
        None
    }

    fn drawing_style(&mut self, style: &ast::Name) -> Option<Drawn> {
        let found = Drawn::find(&style.text);
        if found.is_none() {
            let message = format!("a board is not drawn `{}`", style.text);
            let known: Vec<String> = Drawn::names().iter().map(|name| format!("`drawn {name}`")).collect();
            self.report(no_such::<Drawn>(style, message).help(format!("write {}", known.join(" or "))));
        }
        found
    }

    fn board_error(&mut self, code: Code, span: Span, error: &board::BoardError) {
        let diagnostic = Diagnostic::new(code, span, error.to_string());
        self.report(match error.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }

    /// What `keeping` leaves of a board.
    pub(super) fn kept(&mut self, mut board: Board, modifiers: &[ast::Modifier]) -> Option<Board> {
        for modifier in modifiers {
            let ast::Modifier::Keeping(set) = modifier else { continue };
            // Words are read on the whole board, and forgotten again: they hold sites of that board.
            let before = std::mem::replace(&mut self.rules.board, board);
            let known = std::mem::replace(&mut self.board_known, true);
            let mistakes = self.diagnostics.len();
            let value = self.forgetting_words(|checker| {
                let checked = checker.typed(set, Type::Sites);
                Settled::by_board(&checker.rules).value(&checked, &mut Vec::new())
            });
            self.board_known = known;
            board = std::mem::replace(&mut self.rules.board, before);
            if self.diagnostics.len() > mistakes {
                return None;
            }
            let Some(Value::Sites(sites)) = value else {
                self.report(
                    Diagnostic::new(Code::BadBoard, set.span, "the board alone must tell what is kept of it").help(
                        "name sites by rows, sides, names and the like; pieces, players and turns are not known yet",
                    ),
                );
                return None;
            };
            match board.keeping(sites.get()) {
                Ok(kept) => board = kept,
                Err(error) => {
                    self.board_error(Code::BadBoard, set.span, &error);
                    return None;
                }
            }
        }
        Some(board)
    }

    /// Reads the sizes of a board that the options switch off.
    fn board_sizes(&mut self, item: &ast::BoardExpr) {
        match &item.kind {
            ast::BoardKind::Case { cases, .. } => cases.iter().for_each(|(_, board)| self.board_sizes(board)),
            ast::BoardKind::Shape { args, .. } => {
                for arg in args {
                    self.typed(arg, Type::Number);
                }
            }
            ast::BoardKind::Drawn(_) | ast::BoardKind::Lines(_) | ast::BoardKind::Graph { .. } => {}
        }
    }

    /// A shape by its name and sizes.
    pub(super) fn shape(&mut self, name: &ast::Name, args: &[ast::Expr]) -> Option<Shape> {
        let Some(shape) = SizedShape::find(&name.text) else {
            let named: Vec<&str> = SIZED.iter().map(|shape| shape.name).collect();
            let written: Vec<String> = WRITTEN_OUT.iter().map(|(word, _)| format!("`{word}`")).collect();
            let known: Vec<&str> = named.iter().copied().chain(written.iter().map(String::as_str)).collect();
            self.report(
                Diagnostic::new(Code::BadBoard, name.span, format!("there is no board shape `{}`", name.text))
                    .did_you_mean(&name.text, named)
                    .or_help(|| format!("shapes are {}", listed(&known, "and"))),
            );
            return None;
        };
        self.note(name.span, Meaning::Shape);
        let (least, most) = shape.sizes;
        if args.len() < least || args.len() > most {
            let wanted = match (least, most) {
                (1, 1) => "one size".to_owned(),
                (least, most) if least == most => format!("{least} sizes"),
                (least, most) => format!("{least} or {most} sizes"),
            };
            let be = if args.len() == 1 { "is" } else { "are" };
            let example: Vec<String> = (0..most).map(|index| (5 + index).to_string()).collect();
            self.report(
                Diagnostic::new(
                    Code::WrongArity,
                    name.span,
                    format!("`{}` takes {wanted}, and here {be} {}", name.text, args.len()),
                )
                .help(format!("as in {}({})", name.text, example.join(", "))),
            );
            return None;
        }
        let sizes = args.iter().map(|arg| self.board_size(arg)).collect::<Option<Vec<u32>>>()?;
        let first = *sizes.first()?;
        Some((shape.of)(first, sizes.get(1).copied().unwrap_or(first)))
    }

    fn board_size(&mut self, arg: &ast::Expr) -> Option<u32> {
        let checked = self.typed(arg, Type::Number);
        let Some(Value::Number(Some(number))) = checked.as_constant() else {
            if !self.diagnostics.iter().any(|diagnostic| diagnostic.span == arg.span) {
                self.error(
                    Code::WrongType,
                    arg.span,
                    "the size of a board is made of numbers and options only",
                    "make it an option: `option side : 3..9 = 5`, and then `square(side)`",
                );
            }
            return None;
        };
        let size = u32::try_from(*number).ok();
        if size.is_none() {
            self.error(
                Code::BadBoard,
                arg.span,
                format!("a board cannot have a side of {number}"),
                "write a size from 1 on, as in `square(8)`",
            );
        }
        size
    }
}

/// What stands for a board that is not known: a single site.
pub(super) fn placeholder() -> BoardSpec {
    BoardSpec { shape: Shape::Rectangle { width: 1, height: 1 }, adjacency: None, coordinates: None, classes: None }
}

/// A name that is none of those to choose from.
fn no_such<T: Named>(name: &ast::Name, message: String) -> Diagnostic {
    Diagnostic::new(Code::BadBoard, name.span, message).did_you_mean(&name.text, T::names())
}

/// Where in the text of a board a mistake is, and what kind of mistake.
fn place_of(item: &ast::BoardExpr, error: &board::BoardError) -> (Code, Span) {
    match (&item.kind, error.offset()) {
        (ast::BoardKind::Drawn(drawn), Some(offset)) => {
            let at = drawn.span.start as usize + offset;
            (Code::BadDrawing, Span::new(drawn.span.source, at, at + 1))
        }
        (ast::BoardKind::Drawn(drawn), None) => (Code::BadDrawing, drawn.span),
        (_, _) => (Code::BadBoard, named_in(item, error).unwrap_or(item.span)),
    }
}

/// The point of a graph that a mistake speaks of.
fn named_in(item: &ast::BoardExpr, error: &board::BoardError) -> Option<Span> {
    let ast::BoardKind::Graph { points, links } = &item.kind else { return None };
    let wanted = match error {
        board::BoardError::UnknownPoint { name }
        | board::BoardError::SelfLink { name }
        | board::BoardError::DuplicateName { name }
        | board::BoardError::BadPlace { name }
        | board::BoardError::SamePlace { second: name, .. } => name,
        _ => return None,
    };
    let point = || points.iter().rev().map(|(name, ..)| name).find(|name| name.text == *wanted);
    let link = match error {
        board::BoardError::UnknownPoint { .. } => {
            links.iter().flat_map(|(a, b)| [a, b]).find(|name| name.text == *wanted)
        }
        board::BoardError::SelfLink { .. } => {
            links.iter().find(|(a, b)| a.text == b.text && a.text == *wanted).map(|(_, b)| b)
        }
        _ => None,
    };
    link.or_else(point).map(|name| name.span)
}
