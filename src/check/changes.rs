//! What moves change: each line with its types, and lines of one stage that surely meet.

use super::{Bound, Checker, Ty};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue::Id;
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast, MoveLineKind};
use petgraph::graph::NodeIndex;

/// The names of what a move moves first: a part of it, and a definition.
#[derive(Default)]
pub(super) struct Moving {
    pub picked: Option<Local>,
    pub defined: Option<Local>,
}

impl Checker<'_> {
    pub(super) fn check_changes(
        &mut self,
        stage: &[ast::MoveLine],
        at: &mut NodeIndex,
        moved: &mut Moving,
        named: &[Named],
    ) {
        let mut changes = Vec::new();
        for line in stage {
            match &line.kind {
                MoveLineKind::Change(change) => changes.extend(self.change(change)),
                MoveLineKind::Repeat { times, condition, changes: lines } => {
                    let times = self.typed(times, Type::Number);
                    let condition = condition.as_ref().map(|condition| self.typed(condition, Type::Condition));
                    let lines = self.changes_in_turn(lines);
                    let lines = lines.into_iter().flat_map(|line| self.with_values_alone(line)).collect();
                    if self.passes(line.guard.as_ref()).is_some() {
                        self.append(at, NodeKind::Repeat { times, condition, changes: lines }, line.span);
                    }
                }
                MoveLineKind::Then
                | MoveLineKind::Part { .. }
                | MoveLineKind::Definition { .. }
                | MoveLineKind::If(_)
                | MoveLineKind::Weight(_)
                | MoveLineKind::SoThat { .. } => {}
            }
        }
        // What is defined behind a change says where the piece is then, and not which one it was.
        let before_all = self.nothing_changed(*at);
        for change in &changes {
            if let Some(ExprKind::Local(local)) = change.kind.source().map(|from| &from.kind)
                && let Some(name) = named.iter().find(|name| name.local == *local)
            {
                if name.part {
                    moved.picked.get_or_insert(*local);
                } else if before_all {
                    moved.defined.get_or_insert(*local);
                }
            }
        }
        self.check_meeting(&changes);
        let changes = self.with_values(changes, *at);
        if let Some(first) = changes.first() {
            let span = first.span;
            self.append(at, NodeKind::Change(changes), span);
        }
    }

    /// Whether a move has changed nothing up to a node of its line.
    fn nothing_changed(&self, mut at: NodeIndex) -> bool {
        let graph = &self.rules.graph;
        loop {
            if matches!(graph[at].kind, NodeKind::Change(_) | NodeKind::Repeat { .. }) {
                return false;
            }
            let mut before = graph.neighbors_directed(at, petgraph::Direction::Incoming);
            match before.next() {
                Some(before) if !matches!(graph[at].kind, NodeKind::Move(_)) => at = before,
                Some(_) | None => return true,
            }
        }
    }

    /// Two lines that surely change one site, or one tracked value, in different ways.
    fn check_meeting(&mut self, changes: &[Change]) {
        for (index, change) in changes.iter().enumerate() {
            if change.each.is_some() {
                continue;
            }
            let Some(first) = Changed::by(change) else { continue };
            let meets = |other: &&Change| {
                let same = put(change).is_some() && put(change) == put(other);
                other.each.is_none() && Changed::by(other) == Some(first) && !same
            };
            if change.guard.is_some() {
                if let Some(always) = changes.iter().filter(|other| other.guard.is_none()).find(meets) {
                    self.never_made(change, always);
                }
                continue;
            }
            for other in &changes[index + 1..] {
                if other.guard.is_none() && other.each.is_none() && Changed::by(other) == Some(first) {
                    let what = if let Changed::Site(_) = first { "site" } else { "value" };
                    let message = format!("this {what} is changed twice in one stage");
                    self.report(
                        Diagnostic::new(Code::TwoChanges, other.span, message)
                            .label("changed again")
                            .also(change.span, "changed here")
                            .help(if self.frame.in_move {
                                "changes of one stage happen at once; put `then` between them, or a `when` on each, so that only one of them is made"
                            } else {
                                "what is done after each turn happens at once; put a `when` on each, so that only one of them is made"
                            }),
                    );
                }
            }
        }
    }

    /// A change that is made only sometimes, and always meets another one then.
    fn never_made(&mut self, change: &Change, always: &Change) {
        // A line of a named change may be made by another move.
        let item = |span: Span| self.project.items().find(|item| item.span.covers(span)).map(|item| item.span);
        if item(change.span) != item(always.span) {
            return;
        }
        let text = |span| self.project.sources.slice(span).trim();
        let taken = matches!(&change.kind, ChangeKind::Becomes { piece, .. } if piece.as_constant() == Some(&Value::Piece(Some(Content::EMPTY))));
        let arrow = always.kind.source().is_some();
        // Two lines that put the same on a stack say the same.
        let alike = matches!(
            (&change.kind, &always.kind),
            (ChangeKind::Gets { bottom, pieces, .. }, ChangeKind::Gets { bottom: same, pieces: others, .. })
                if bottom == same && pieces == others
        );
        let (message, label) = if alike {
            ("this change adds nothing: both lines put the same at once, and it is put once", "the same is put here")
        } else {
            (
                "this change is never made: whenever its condition holds, the move is illegal",
                "where it would be made, two changes meet",
            )
        };
        let found = Diagnostic::new(Code::Unreachable, change.span, message)
            .label(label)
            .also(always.span, "this is made at the same time");
        let found = if taken && arrow {
            found
                .help(format!("what stands there is taken by `{}` without this line: take it out", text(always.span)))
                .guess("remove the line", change.span, "")
        } else if change.span.start > always.span.start {
            let line = Span { end: change.span.start, ..change.span };
            found.help("write `then` between the two, so that one is made after the other").guess(
                "write `then` before it",
                line,
                "then\n  ",
            )
        } else {
            found.help("put the line that is always made first, and `then` between the two, so that one is made after the other")
        };
        self.report(found);
    }

    /// Changes that are made one after the other. What one of them knows is known to those behind it.
    pub(super) fn changes_in_turn(&mut self, lines: &[ast::Change]) -> Vec<Change> {
        let bound = self.frame.bound.len();
        let lines: Vec<Change> = lines.iter().filter_map(|line| self.change(line)).collect();
        self.frame.bound.truncate(bound);
        lines
    }

    /// A name for what the lines of a change with a name know; the names that a text gives hold no blank.
    fn known(&mut self, target: &ast::Expr, known: &ast::Known) -> Option<ChangeKind> {
        let Ast::Name(text) = &target.kind else { return None };
        let (value, ty) = match &known.sort {
            ast::Sort::Condition => (self.typed(&known.value, Type::Condition), Type::Condition),
            ast::Sort::Given(kind) => match kind.as_ref().and_then(|kind| self.param_type(kind)) {
                Some(ty) => (self.typed(&known.value, ty), ty),
                None => self.defined(&known.value),
            },
        };
        let local = Local(self.frame.next);
        self.frame.next += 1;
        let ty = Ty::Known(ty);
        // What is certain need not be found out, and may decide which lines are left.
        let certain = value.as_constant().is_some();
        let member = certain.then(|| value.clone());
        self.frame.bound.push(Bound { name: text.clone(), span: target.span, local, ty, member });
        (!certain).then_some(ChangeKind::Know { local, value })
    }

    /// None if the options switch the change off.
    pub(super) fn change(&mut self, change: &ast::Change) -> Option<Change> {
        let each = change.each.as_ref().map(|(name, domain)| {
            let (domain, ty) = self.infer(domain);
            let ty = match self.settle(ty) {
                Type::Range => Type::Number,
                ty => ty,
            };
            (self.bind(name, Ty::Known(ty)), domain)
        });
        let guard = change.guard.as_ref().map(|guard| self.typed(guard, Type::Condition));
        let decided = guard.as_ref().and_then(Expr::as_decided);
        let (kind, each) = self.dead(decided == Some(false), |checker| match checker.those_who_leave(change) {
            Some((one, players)) => {
                let each_of_them = Expr { kind: ExprKind::Local(one), span: players.span };
                let finishes = matches!(change.kind, ast::ChangeKind::Leaves { finishes: true });
                (checker.leaves(each_of_them, finishes, change.span), Some((one, players)))
            }
            None => (checker.change_kind(change), each),
        });
        if change.each.is_some() {
            self.unbind();
        }
        if decided == Some(false) {
            return None;
        }
        Some(Change {
            each,
            kind: kind?,
            guard: guard.filter(|_| decided.is_none()),
            carried: false,
            span: change.span,
        })
    }

    fn change_kind(&mut self, change: &ast::Change) -> Option<ChangeKind> {
        match &change.kind {
            // It has been written out, or could not be.
            ast::ChangeKind::Do => None,
            ast::ChangeKind::Know(known) => self.known(&change.target, known),
            ast::ChangeKind::Seats { with } => {
                let one = self.typed(&change.target, Type::Players);
                let other = self.typed(with, Type::Players);
                Some(ChangeKind::Seats { one, other })
            }
            ast::ChangeKind::Leaves { finishes } => {
                let player = self.typed(&change.target, Type::Players);
                self.leaves(player, *finishes, change.span)
            }
            ast::ChangeKind::MoveTo { place, to, piece } => {
                let slice = self.slice(change);
                let from = self.typed(&change.target, Type::Sites);
                let to = self.typed(to, Type::Sites);
                let piece = piece.as_ref().map(|piece| self.typed(piece, Type::Piece));
                if (slice.is_none(), *place) == (true, Place::Instead) {
                    return Some(ChangeKind::MoveTo { from, to, piece });
                }
                self.ask_for_stacks(change.span);
                Some(ChangeKind::Carry { from, slice, to, place: *place, piece })
            }
            ast::ChangeKind::Gets { pieces, bottom } => {
                self.ask_for_stacks(change.span);
                let target = self.typed(&change.target, Type::Sites);
                let pieces = pieces.iter().map(|piece| self.typed(piece, Type::Piece)).collect();
                Some(ChangeKind::Gets { target, pieces, bottom: *bottom })
            }
            ast::ChangeKind::Becomes(value) if change.slice.is_some() => {
                self.ask_for_stacks(change.span);
                let slice = self.slice(change)?;
                let target = self.typed(&change.target, Type::Sites);
                let piece = self.typed(value, Type::Piece);
                Some(ChangeKind::Slice { target, slice, piece })
            }
            ast::ChangeKind::Becomes(value) => {
                if let Some((memory, index)) = self.remembered(&change.target) {
                    let ty = self.rules.memories[memory.0].ty;
                    let name = self.rules.memories[memory.0].name.clone();
                    if ty == Type::Sites {
                        self.warn_of_emptied(&change.target, value);
                    }
                    let value = if ty != Type::Choice {
                        self.typed(value, ty)
                    } else if self.is_same_choice(&name, value) {
                        self.infer(value).0
                    } else {
                        self.choice_value(&name, value)
                    };
                    let range = self.rules.memories[memory.0].range;
                    if let (Some((low, high)), Some(Value::Number(Some(number)))) = (range, value.as_constant())
                        && !(low..=high).contains(number)
                    {
                        let message = format!("`{name}` cannot become {number}");
                        self.report(
                            Diagnostic::new(Code::OutOfRange, value.span, message)
                                .help(format!("it goes from {low} to {high}")),
                        );
                    }
                    return Some(ChangeKind::Remember { memory, index, value });
                }
                let target = match self.infer(&change.target) {
                    // What is changed is not understood, so that nothing can be said of the value either.
                    (_, Ty::Known(Type::Unknown)) => {
                        // A kind with an owner is a piece, whatever becomes it.
                        if matches!(&value.kind, Ast::Row(terms) if matches!(terms.last(), Some(ast::Expr { kind: Ast::Of(_), .. })))
                        {
                            self.typed(value, Type::Piece);
                        }
                        return None;
                    }
                    _ => self.typed(&change.target, Type::Sites),
                };
                let piece = self.typed(value, Type::Piece);
                Some(ChangeKind::Becomes { target, piece })
            }
        }
    }

    /// Whether a value is one that is tracked too, with the same names.
    fn is_same_choice(&self, name: &str, value: &ast::Expr) -> bool {
        let Ast::Call { name: other, .. } = &value.kind else { return false };
        self.tracks.contains_key(&other.text) && self.option_values.get(&other.text) == self.option_values.get(name)
    }

    fn slice(&mut self, change: &ast::Change) -> Option<Slice> {
        let ast::Slice { end, count } = change.slice.as_ref()?;
        let count = count.as_ref().map(|count| self.typed(count, Type::Number));
        Some(Slice { end: *end, count })
    }

    /// What speaks of stacks needs a game that has them.
    pub(super) fn ask_for_stacks(&mut self, span: Span) {
        if self.rules.stacks.is_none() {
            self.report(
                Diagnostic::new(Code::NoStacks, span, "a site of this game holds one piece at most")
                    .label("this speaks of several pieces on a site")
                    .help("declare how high stacks can be, beside the pieces: `stacks to 5`"),
            );
        }
    }

    /// The tracked value that a change speaks of.
    fn remembered(&mut self, target: &ast::Expr) -> Option<(MemoryId, Option<Expr>)> {
        let name = match &target.kind {
            Ast::Name(name) => name,
            Ast::Call { name, .. } => &name.text,
            _ => return None,
        };
        if !self.tracks.contains_key(name) || self.frame.bound.iter().any(|bound| bound.name == *name) {
            return None;
        }
        let (checked, _) = self.infer(target);
        let ExprKind::Memory { memory, index } = checked.kind else { return None };
        let index = index.map(|index| *index);
        if let Some(index) = &index {
            self.check_places(name, target.span, index);
        }
        Some((memory, index))
    }

    /// `doomed becomes empty` of tracked sites: they are what is empty then, and nothing is taken off the board.
    fn warn_of_emptied(&mut self, target: &ast::Expr, value: &ast::Expr) {
        if !matches!(&value.kind, ast::ExprKind::Name(name) if name == "empty") {
            return;
        }
        let name = self.project.sources.slice(target.span);
        let span = target.span.to(value.span);
        self.report(
            Diagnostic::new(Code::Emptied, span, format!("`{name}` is a set of sites that is remembered, and this makes it the set of all empty sites"))
                .label("nothing is taken off the board")
                .help(format!("to take off what stands there write `every x in {name}: x becomes empty`; to remember no sites write `{name} becomes none`")),
        );
    }

    /// Who plays which side is remembered only where a turn holds a move that changes it.
    pub(super) fn check_seats(&mut self) {
        let graph = &self.rules.graph;
        let changes = |node: NodeIndex| {
            let (NodeKind::Change(changes) | NodeKind::Repeat { changes, .. }) = &graph[node].kind else { return None };
            changes.iter().find(|change| matches!(change.kind, ChangeKind::Seats { .. })).map(|change| change.span)
        };
        let found = self.rules.turns.iter().find_map(|turn| {
            let mut nodes = petgraph::visit::Dfs::new(graph, turn.entry);
            while let Some(node) = nodes.next(graph) {
                if let Some(span) = changes(node) {
                    return Some(span);
                }
            }
            None
        });
        let Some(span) = found else { return };
        if let Some(memory) = self.tracks.get("seats").and_then(|memory| self.rules.memories.get(memory.0)) {
            self.report(
                Diagnostic::new(
                    Code::DefinedTwice,
                    memory.span,
                    "`seats` is what the game remembers when players change seats",
                )
                .help("call the tracked value something else"),
            );
        }
        let first = ExprKind::Primitive(Id::Mover.row(), Vec::new());
        let memory = self.memory(Memory {
            name: "seats".to_owned(),
            ty: Type::Players,
            scope: Scope::Player,
            range: None,
            first: Expr { kind: first, span },
            each_turn: false,
            with_piece: false,
            declared: true,
            span,
        });
        self.rules.seats = Some(memory);
    }
}

/// What a change leaves on its site.
fn put(change: &Change) -> Option<&Expr> {
    match &change.kind {
        ChangeKind::Becomes { piece: put, .. } | ChangeKind::Remember { value: put, .. } => Some(put),
        ChangeKind::MoveTo { .. }
        | ChangeKind::Gets { .. }
        | ChangeKind::Slice { .. }
        | ChangeKind::Carry { .. }
        | ChangeKind::Seats { .. }
        | ChangeKind::Know { .. } => None,
    }
}

/// What a change is made to.
#[derive(Clone, Copy, PartialEq)]
enum Changed<'a> {
    Site(&'a Expr),
    Value(MemoryId, Option<&'a Expr>),
}

impl<'a> Changed<'a> {
    fn by(change: &'a Change) -> Option<Self> {
        if let ChangeKind::Remember { memory, index, .. } = &change.kind {
            return Some(Self::Value(*memory, index.as_ref()));
        }
        change.kind.target().map(Self::Site)
    }
}
