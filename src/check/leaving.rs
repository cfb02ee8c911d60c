//! Players who leave a game that goes on: what is remembered of them, and who is still playing.

use super::{Checker, WordState};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue::Id;
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast, MoveLineKind};
use std::rc::Rc;

/// What it is called that is remembered of those who have left, and the word for those who have not.
const LEFT: &str = "left";
const PLAYING: &str = "playing";

impl Checker<'_> {
    /// Where a move lets players leave, it is remembered who has, and `playing` are all others.
    pub(super) fn set_up_leaving(&mut self) {
        let lines = self.move_items.iter().flat_map(|mv| &mv.lines);
        let mut changes = lines.flat_map(|line| match &line.kind {
            MoveLineKind::Change(change) => std::slice::from_ref(change),
            MoveLineKind::Repeat { changes, .. } => changes.as_slice(),
            MoveLineKind::Then
            | MoveLineKind::Part { .. }
            | MoveLineKind::Definition { .. }
            | MoveLineKind::If(_)
            | MoveLineKind::Weight(_)
            | MoveLineKind::SoThat { .. } => &[],
        });
        let leaves = |change: &&ast::Change| matches!(change.kind, ast::ChangeKind::Leaves { .. });
        let Some(span) = changes.find(leaves).map(|change| change.span) else { return };
        if let Some(memory) = self.tracks.get(LEFT).and_then(|memory| self.rules.memories.get(memory.0)) {
            let message = "`left` is what the game remembers of players who leave it";
            self.report(
                Diagnostic::new(Code::DefinedTwice, memory.span, message)
                    .also(span, "somebody leaves here")
                    .help("call the tracked value something else"),
            );
            return;
        }
        let players = i64::try_from(self.rules.players.len()).unwrap_or(0);
        let memory = self.memory(Memory {
            name: LEFT.to_owned(),
            ty: Type::Number,
            scope: Scope::Player,
            range: Some((-players, players)),
            first: Expr::constant(Value::Number(Some(0)), span),
            each_turn: false,
            with_piece: false,
            declared: true,
            span,
        });
        self.tracks.insert(LEFT.to_owned(), memory);
        self.say_who_plays();
    }

    /// The standard word `playing` asks for those of whom nothing is remembered.
    fn say_who_plays(&mut self) {
        let Some(WordState::Unchecked(standard)) = self.words.get(PLAYING) else { return };
        if !self.project.is_standard(standard.body.span) {
            return;
        }
        let span = standard.body.span;
        let expr = |kind: Ast| ast::Expr { kind, span };
        let name = |text: &str| ast::Name { text: text.to_owned(), span };
        let left = expr(Ast::Call { name: name(LEFT), args: vec![expr(Ast::Name("p".to_owned()))] });
        let is_in = Ast::Compare { first: Box::new(left), rest: vec![(CompareOp::Equal, expr(Ast::Number(0)))] };
        let body = expr(Ast::SetOf {
            name: name("p"),
            domain: Box::new(standard.body.clone()),
            condition: Some(Box::new(expr(is_in))),
        });
        let word = ast::Definition { body, ..ast::Definition::clone(standard) };
        self.words.insert(PLAYING.to_owned(), WordState::Unchecked(Rc::new(word)));
    }

    /// Of whom `P leaves` speaks, member by member; none where that is one player in any case. Of nobody nothing is said.
    pub(super) fn those_who_leave(&mut self, change: &ast::Change) -> Option<(Local, Expr)> {
        let ast::ChangeKind::Leaves { .. } = &change.kind else { return None };
        if change.each.is_some() {
            return None;
        }
        let players = self.typed(&change.target, Type::Players);
        let always = [Id::Mover, Id::Next, Id::Previous];
        let named = matches!(&players.kind, ExprKind::Primitive(word, _) if always.contains(&word.id));
        let one = named || players.as_constant().is_some_and(|value| value.players().only().is_some());
        if one {
            return None;
        }
        let local = Local(self.frame.next);
        self.frame.next += 1;
        Some((local, players))
    }

    /// `P leaves` and `P finishes`, as what is remembered of him: how many players there were.
    pub(super) fn leaves(&mut self, player: Expr, finishes: bool, span: Span) -> Option<ChangeKind> {
        let Some(memory) = self.tracks.get(LEFT).copied() else {
            self.report(
                Diagnostic::new(Code::BadLeaving, span, "in play nobody leaves this game").help(
                    "let a move or `after each ply` say when a player leaves; then a position can say who has left",
                ),
            );
            return None;
        };
        if self.live {
            self.rules.left = Some(memory);
        }
        let expr = |kind: ExprKind| Expr { kind, span };
        let local = Local(self.frame.next);
        self.frame.next += 1;
        let zero = Expr::constant(Value::Number(Some(0)), span);
        let left = expr(ExprKind::Memory { memory, index: Some(Box::new(expr(ExprKind::Local(local)))) });
        let is_in = expr(ExprKind::Compare { first: Box::new(left), rest: vec![(CompareOp::Equal, zero)] });
        let everyone = expr(ExprKind::Primitive(Id::Players.row(), Vec::new()));
        let playing = ExprKind::SetOf { local, domain: Box::new(everyone), condition: Some(Box::new(is_in)) };
        let count = expr(ExprKind::Count(Box::new(expr(playing))));
        let value = if finishes { count } else { expr(ExprKind::Negative(Box::new(count))) };
        // Who has left already keeps his place.
        let own = || expr(ExprKind::Memory { memory, index: Some(Box::new(player.clone())) });
        let zero = Expr::constant(Value::Number(Some(0)), span);
        let is_in = ExprKind::Compare { first: Box::new(own()), rest: vec![(CompareOp::Equal, zero)] };
        let (then, otherwise) = (Box::new(value), Box::new(own()));
        let value = expr(ExprKind::If { condition: Box::new(expr(is_in)), then, otherwise });
        Some(ChangeKind::Remember { memory, index: Some(player), value })
    }

    /// Whether all that a stage does is that the mover leaves, and that sites become a piece of one sort, which can always be
    /// done.
    pub(super) fn surely_leaves(&self, changes: &[Change]) -> bool {
        let is_mover = |expr: &Expr| matches!(&expr.kind, ExprKind::Primitive(word, _) if word.id == Id::Mover);
        let leaves = |change: &&Change| match &change.kind {
            ChangeKind::Remember { memory, index: Some(index), .. } => {
                Some(*memory) == self.rules.left && is_mover(index)
            }
            ChangeKind::Becomes { .. }
            | ChangeKind::MoveTo { .. }
            | ChangeKind::Gets { .. }
            | ChangeKind::Slice { .. }
            | ChangeKind::Carry { .. }
            | ChangeKind::Remember { .. }
            | ChangeKind::Seats { .. }
            | ChangeKind::Know { .. } => false,
        };
        let pieces: Vec<&Change> = changes.iter().filter(|change| !leaves(change)).collect();
        let sure = |change: &&Change| match &change.kind {
            ChangeKind::Becomes { piece, .. } => match &piece.kind {
                ExprKind::Piece { kind, owner: None } => kind.as_constant().is_some(),
                kind => matches!(kind, ExprKind::Constant(_)),
            },
            ChangeKind::MoveTo { .. }
            | ChangeKind::Gets { .. }
            | ChangeKind::Slice { .. }
            | ChangeKind::Carry { .. }
            | ChangeKind::Remember { .. }
            | ChangeKind::Seats { .. }
            | ChangeKind::Know { .. } => false,
        };
        pieces.len() < changes.len() && pieces.len() <= 1 && pieces.iter().all(sure)
    }

    /// Two or more players are needed for a game that goes on when one has left.
    pub(super) fn check_leaving(&mut self) {
        let Some(memory) = self.rules.left.filter(|_| self.rules.players.len() == 1) else { return };
        let Some(span) = self.rules.memories.get(memory.0).map(|memory| memory.span) else { return };
        self.error(
            Code::BadLeaving,
            span,
            "the only player of this game cannot leave it",
            "end the game with a line of `end`, as in `mover loses when ...`",
        );
    }
}
