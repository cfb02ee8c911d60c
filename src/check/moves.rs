//! Moves: their lines put in order, lowered to a chain of nodes of the rule graph; changes; notation.

use super::pieces::gives;
use super::{Checker, Defined, Frame, Ty};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue::Id;
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast, MoveLineKind};
use crate::syntax::move_lists::cut_by;
use petgraph::graph::NodeIndex;
use std::collections::BTreeSet;

/// Nodes of one move: both engines go from one to the next within each other.
const MAX_CLAUSES: usize = 200;

/// The names of a move's parts and definitions, in the order of the text.
pub(super) fn named_lines(item: &ast::MoveItem) -> Vec<ast::Name> {
    item.lines
        .iter()
        .filter_map(|line| match &line.kind {
            MoveLineKind::Part { name, .. } | MoveLineKind::Definition { name, .. } => Some(name.clone()),
            _ => None,
        })
        .collect()
}

impl Checker<'_> {
    pub(super) fn node(&mut self, kind: NodeKind, span: Span) -> NodeIndex {
        self.rules.graph.add_node(Node { kind, span })
    }

    /// Adds a node behind another one.
    fn append(&mut self, after: &mut NodeIndex, kind: NodeKind, span: Span) {
        let node = self.node(kind, span);
        self.rules.graph.add_edge(*after, node, Edge::Next);
        *after = node;
    }

    /// The nodes behind the entry of a move, up to the one that was added last.
    fn lines_up_to(&self, entry: NodeIndex, last: NodeIndex) -> Vec<NodeIndex> {
        let mut lines = Vec::new();
        let mut at = entry;
        while at != last
            && let Some(next) = self.rules.graph.neighbors(at).next()
        {
            lines.push(next);
            at = next;
        }
        lines
    }

    pub(super) fn check_move(&mut self, index: usize) {
        let item = std::rc::Rc::clone(&self.move_items[index]);
        let id = MoveId(index);
        let names = named_lines(&item);
        let mut seen: Vec<&ast::Name> = Vec::new();
        for name in &names {
            if let Some(first) = seen.iter().find(|first| first.text == name.text) {
                self.report(
                    Diagnostic::new(
                        Code::DefinedTwice,
                        name.span,
                        format!("the part `{}` is defined twice in this move", name.text),
                    )
                    .label("again here")
                    .also(first.span, "first here")
                    .help(format!(
                        "rename one of them; to change what stands there, write `{} becomes ...`",
                        name.text
                    )),
                );
            }
            seen.push(name);
        }
        let entry = self.node(NodeKind::Move(id), item.name.span);
        self.frame = Frame { next: names.len(), in_move: true, ..Frame::default() };
        let mut named: Vec<Named> = Vec::new();
        let mut at = entry;
        let mut moved = None;
        let lines = self.weighed(&item);
        for stage in lines.split(|line| matches!(line.kind, MoveLineKind::Then)) {
            self.check_stage(stage, &names, &mut named, &mut at, &mut moved);
        }
        // `so that` lines may stand anywhere in the last stage: they are read after all changes.
        for line in &item.lines {
            let MoveLineKind::SoThat { condition, reason } = &line.kind else { continue };
            // What the options switch off is looked at all the same, and leaves no node.
            let dead = self.passes(line.guard.as_ref()).is_none();
            let condition = self.dead(dead, |checker| checker.guarded_condition(condition, line.guard.as_ref()));
            if dead {
                continue;
            }
            let reason = reason.as_ref().map(|reason| reason.text.clone());
            self.append(&mut at, NodeKind::Require { condition, reason }, line.span);
        }
        let lines = self.lines_up_to(entry, at);
        self.append(&mut at, NodeKind::Done, item.span_of_end());
        named.sort_by_key(|named| named.local);
        // What the options switched off has no value, but keeps its place.
        for (local, name) in names.iter().enumerate() {
            if !named.iter().any(|known| known.local == Local(local)) {
                named.push(Named {
                    name: name.text.clone(),
                    local: Local(local),
                    ty: Type::Unknown,
                    part: false,
                    span: name.span,
                });
            }
        }
        named.sort_by_key(|named| named.local);
        self.rules.moves.push(Move {
            name: item.name.text.clone(),
            doc: item.doc.as_ref().map(|doc| doc.text.clone()).unwrap_or_default(),
            chance: item.chance,
            names: named,
            entry,
            lines,
            notation: Vec::new(),
            moved,
            span: item.name.span,
        });
        if self.rules.graph.node_count() - entry.index() > MAX_CLAUSES {
            let message = format!("the move `{}` has too many lines and conditions", item.name.text);
            self.error(
                Code::TooLarge,
                item.name.span,
                message,
                format!("a move has at most {MAX_CLAUSES}, each condition counted"),
            );
        }
        let notation = self.notation(id, &item);
        if let Some(mv) = self.rules.moves.get_mut(index) {
            mv.notation = notation;
        }
        if item.chance {
            self.check_told_apart(id);
        }
        self.frame = Frame::default();
    }

    /// Whether a line is in force: none if the options switch it off, else whether its guard is still open.
    fn passes(&mut self, guard: Option<&ast::Expr>) -> Option<bool> {
        let Some(guard) = guard else { return Some(false) };
        match self.typed(guard, Type::Condition).as_decided() {
            Some(false) => None,
            Some(true) => Some(false),
            None => Some(true),
        }
    }

    /// A condition that counts only when its guard is true.
    fn guarded_condition(&mut self, condition: &ast::Expr, guard: Option<&ast::Expr>) -> Expr {
        let condition = self.typed(condition, Type::Condition);
        let Some(guard) =
            guard.map(|guard| self.typed(guard, Type::Condition)).filter(|guard| guard.as_decided().is_none())
        else {
            return condition;
        };
        let span = condition.span;
        let otherwise = Expr::constant(Value::Condition(Some(true)), span);
        Expr {
            kind: ExprKind::If {
                condition: Box::new(guard),
                then: Box::new(condition),
                otherwise: Box::new(otherwise),
            },
            span,
        }
    }

    fn check_stage(
        &mut self,
        stage: &[ast::MoveLine],
        names: &[ast::Name],
        named: &mut Vec<Named>,
        at: &mut NodeIndex,
        moved: &mut Option<Local>,
    ) {
        let mut waiting: Vec<&ast::MoveLine> = stage
            .iter()
            .filter(|line| {
                matches!(
                    line.kind,
                    MoveLineKind::Part { .. }
                        | MoveLineKind::Definition { .. }
                        | MoveLineKind::If(_)
                        | MoveLineKind::Weight(_)
                )
            })
            .collect();
        let mut late: Vec<(&ast::Expr, Vec<String>)> = Vec::new();
        while !waiting.is_empty() || !late.is_empty() {
            // Conditions first: they cut the search; then definitions; then parts in the order of the text.
            if let Some(ready) = late.iter().position(|(_, needs)| self.all_bound(needs)) {
                let (condition, _) = late.remove(ready);
                let condition = self.part_condition(condition, None);
                let span = condition.span;
                self.append(at, NodeKind::Require { condition, reason: None }, span);
                continue;
            }
            let next = [0, 1, 2].into_iter().find_map(|class| {
                waiting.iter().position(|line| line_class(line) == class && self.all_bound(&needs_of_line(line, names)))
            });
            let Some(next) = next else {
                if let Some((first, others)) = waiting.split_first() {
                    let diagnostic = self.waiting(first, others, names);
                    self.report(diagnostic);
                }
                for line in &waiting {
                    if let MoveLineKind::Part { name, .. } | MoveLineKind::Definition { name, .. } = &line.kind {
                        let (local, ty) = (local_of(names, name), Ty::Known(Type::Unknown));
                        self.bind_as(name, local, ty);
                    }
                }
                break;
            };
            let line = waiting.remove(next);
            self.check_line(line, names, named, at, &mut late);
        }
        self.check_changes(stage, at, moved, named);
    }

    /// Lines of which none can be found first; of a part with the name of a piece another thing was meant.
    fn waiting(&self, first: &ast::MoveLine, others: &[&ast::MoveLine], names: &[ast::Name]) -> Diagnostic {
        let of_itself = |line: &ast::MoveLine| {
            let (MoveLineKind::Part { name, domain: value, .. } | MoveLineKind::Definition { name, value }) =
                &line.kind
            else {
                return None;
            };
            needs_of_expr(value, names).contains(&name.text).then(|| (name.text.clone(), line.span))
        };
        let itself = of_itself(first).or_else(|| others.iter().find_map(|line| of_itself(line)));
        let Some((text, span)) = itself else {
            let waiting = Diagnostic::new(Code::Cycle, first.span, "these lines wait for one another")
                .help("one of them must be found without the others");
            return others.iter().fold(waiting, |waiting, line| waiting.also(line.span, "and this one"));
        };
        let diagnostic = Diagnostic::new(Code::Cycle, span, format!("`{text}` is found by means of itself"));
        match self.kinds.contains_key(&text) {
            true => diagnostic
                .label(format!("within this move `{text}` is the part, not the piece"))
                .help(format!("give the part another name than the piece, as in `from : {text} of mover`")),
            false => {
                diagnostic.help(format!("say what `{text}` is without `{text}`, or give one of the two another name"))
            }
        }
    }

    fn all_bound(&self, needs: &[String]) -> bool {
        needs.iter().all(|name| self.frame.bound.iter().any(|bound| bound.name == *name))
    }

    fn check_line<'l>(
        &mut self,
        line: &'l ast::MoveLine,
        names: &[ast::Name],
        named: &mut Vec<Named>,
        at: &mut NodeIndex,
        late: &mut Vec<(&'l ast::Expr, Vec<String>)>,
    ) {
        let open = self.passes(line.guard.as_ref());
        let dead = open.is_none();
        match &line.kind {
            MoveLineKind::If(condition) => {
                let condition = self.dead(dead, |checker| checker.guarded_condition(condition, line.guard.as_ref()));
                if !dead && condition.as_decided() != Some(true) {
                    self.append(at, NodeKind::Require { condition, reason: None }, line.span);
                }
            }
            MoveLineKind::Weight(weight) => {
                if let Some(weight) = self.weight(weight) {
                    self.append(at, NodeKind::Weigh(weight), line.span);
                }
            }
            MoveLineKind::Definition { name, value } => {
                let local = local_of(names, name);
                let (value, ty) = self.dead(dead, |checker| {
                    if checker.makes_piece_value(value) {
                        (checker.typed(value, Type::Piece), Type::Piece)
                    } else {
                        let (value, ty) = checker.infer(value);
                        (value, checker.settle(ty))
                    }
                });
                self.bind_as(name, local, Ty::Known(ty));
                named.push(Named { name: name.text.clone(), local, ty, part: false, span: name.span });
                self.note_local(local, Some(&value), open != Some(false));
                if !dead {
                    let guard = self.open_guard(line.guard.as_ref());
                    self.append(at, NodeKind::Let { local, value, guard }, line.span);
                }
            }
            MoveLineKind::Part { name, domain, conditions } => {
                let local = local_of(names, name);
                let (domain, ty) = self.dead(dead, |checker| {
                    let (domain, ty) = checker.infer(domain);
                    (domain, checker.settle(ty))
                });
                let element = match ty {
                    Type::Range => Type::Number,
                    ty if ty.is_set() || ty == Type::Unknown => ty,
                    other => {
                        self.report(
                            Diagnostic::new(
                                Code::WrongType,
                                domain.span,
                                format!("a part is picked from a set, and this is {}", other.describe()),
                            )
                            .help(format!("`{} = ...` defines a value; `{} : ...` picks one", name.text, name.text)),
                        );
                        Type::Unknown
                    }
                };
                self.bind_as(name, local, Ty::Known(element));
                named.push(Named { name: name.text.clone(), local, ty: element, part: true, span: name.span });
                self.note_local(local, None, open != Some(false));
                let mut now = Vec::new();
                for condition in conditions {
                    let needs = needs_of_expr(condition, names);
                    if self.all_bound(&needs) {
                        let condition =
                            self.dead(dead, |checker| checker.part_condition(condition, Some((local, element))));
                        if condition.as_decided() != Some(true) {
                            now.push(condition);
                        }
                    } else if !dead {
                        late.push((condition, needs));
                    }
                }
                if dead {
                    return;
                }
                self.warn_never(&now);
                let guard = self.open_guard(line.guard.as_ref());
                self.append(at, NodeKind::Choose { local, domain, conditions: now, guard }, line.span);
            }
            _ => {}
        }
    }

    /// A definition that is meant as a piece.
    fn makes_piece_value(&self, value: &ast::Expr) -> bool {
        match &value.kind {
            Ast::Call { name, .. } => gives(&name.text, Type::Piece),
            Ast::Row(terms) => {
                matches!(terms.as_slice(), [ast::Expr { kind: Ast::Call { name, .. }, .. }, ast::Expr { kind: Ast::Of(_), .. }] if name.text == Id::Kind.name())
            }
            _ => false,
        }
    }

    fn open_guard(&mut self, guard: Option<&ast::Expr>) -> Option<Expr> {
        let guard = self.typed(guard?, Type::Condition);
        guard.as_decided().is_none().then_some(guard)
    }

    fn warn_never(&mut self, conditions: &[Expr]) {
        for condition in conditions {
            if condition.as_decided() == Some(false) && self.live {
                self.report(
                    Diagnostic::new(
                        Code::NeverTrue,
                        condition.span,
                        "this is never true, so that the part can never be picked",
                    )
                    .label("false whatever the position")
                    .help("take it out, or ask for something that can happen"),
                );
            }
        }
    }

    /// A condition of a part: a condition, or a set in which the part must lie.
    fn part_condition(&mut self, condition: &ast::Expr, part: Option<(Local, Type)>) -> Expr {
        let (checked, ty) = self.infer(condition);
        let ty = self.settle(ty);
        match (ty, part) {
            (ty, Some((local, element))) if ty.is_set() && ty == element => {
                let span = checked.span;
                let left = Expr { kind: ExprKind::Local(local), span };
                Expr { kind: ExprKind::In { left: Box::new(left), not: false, right: Box::new(checked) }, span }
            }
            (Type::Condition | Type::Choice | Type::Unknown, _) => self.condition_of(checked, ty),
            (other, _) => {
                self.error(
                    Code::WrongType,
                    checked.span,
                    format!("a condition or a set for the part is needed here, and this is {}", other.describe()),
                    "compare it, as in `n > 2`, or name the set in which the part must lie",
                );
                checked
            }
        }
    }

    fn condition_of(&mut self, checked: Expr, ty: Type) -> Expr {
        if ty != Type::Choice {
            return checked;
        }
        let yes = self.choice("yes");
        Expr::constant(Value::Condition(Some(checked.as_constant() == Some(&Value::Choice(yes)))), checked.span)
    }

    // ---- changes ----

    fn check_changes(
        &mut self,
        stage: &[ast::MoveLine],
        at: &mut NodeIndex,
        moved: &mut Option<Local>,
        named: &[Named],
    ) {
        let mut changes = Vec::new();
        for line in stage {
            match &line.kind {
                MoveLineKind::Change(change) => changes.extend(self.change(change)),
                MoveLineKind::Repeat { times, condition, changes: lines } => {
                    let times = self.typed(times, Type::Number);
                    let condition = condition.as_ref().map(|condition| self.typed(condition, Type::Condition));
                    let lines: Vec<Change> = lines.iter().filter_map(|line| self.change(line)).collect();
                    if self.passes(line.guard.as_ref()).is_some() {
                        self.append(at, NodeKind::Repeat { times, condition, changes: lines }, line.span);
                    }
                }
                _ => {}
            }
        }
        for change in &changes {
            if let None = *moved
                && let Some(ExprKind::Local(local)) = change.kind.source().map(|from| &from.kind)
                && named.iter().any(|name| name.local == *local && name.part)
            {
                *moved = Some(*local);
            }
        }
        self.check_meeting(&changes);
        if let Some(first) = changes.first() {
            let span = first.span;
            self.append(at, NodeKind::Change(changes), span);
        }
    }

    /// Two lines that surely change one site in different ways.
    fn check_meeting(&mut self, changes: &[Change]) {
        for (index, change) in changes.iter().enumerate() {
            if change.guard.is_some() || change.each.is_some() {
                continue;
            }
            let Some(first) = change.kind.target() else { continue };
            for other in &changes[index + 1..] {
                if other.guard.is_none() && other.each.is_none() && other.kind.target() == Some(first) {
                    self.report(
                        Diagnostic::new(Code::TwoChanges, other.span, "this site is changed twice in one stage")
                            .label("changed again")
                            .also(change.span, "changed here")
                            .help("changes of one stage happen at once; put `then` between them, or a `when` that excludes one"),
                    );
                }
            }
        }
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
        let kind = self.dead(decided == Some(false), |checker| checker.change_kind(change));
        if each.is_some() {
            self.unbind();
        }
        if decided == Some(false) {
            return None;
        }
        Some(Change { each, kind: kind?, guard: guard.filter(|_| decided.is_none()), span: change.span })
    }

    fn change_kind(&mut self, change: &ast::Change) -> Option<ChangeKind> {
        match &change.kind {
            ast::ChangeKind::Seats { with } => {
                let one = self.typed(&change.target, Type::Players);
                let other = self.typed(with, Type::Players);
                Some(ChangeKind::Seats { one, other })
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
                    let value =
                        if ty == Type::Choice { self.choice_named(&name, value) } else { self.typed(value, ty) };
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
        match checked.kind {
            ExprKind::Memory { memory, index } => Some((memory, index.map(|index| *index))),
            _ => None,
        }
    }

    /// Who plays which side is remembered only where a turn holds a move that changes it.
    pub(super) fn check_seats(&mut self) {
        let graph = &self.rules.graph;
        let changes = |node: NodeIndex| match &graph[node].kind {
            NodeKind::Change(changes) | NodeKind::Repeat { changes, .. } => {
                changes.iter().find(|change| matches!(change.kind, ChangeKind::Seats { .. })).map(|change| change.span)
            }
            _ => None,
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
            declared: true,
            span,
        });
        self.rules.seats = Some(memory);
    }

    pub(super) fn check_start(&mut self) {
        let project = self.project;
        let Some(setup) = project
            .items()
            .find_map(|item| if let ast::ItemKind::Start(setup) = &item.kind { Some(setup.clone()) } else { None })
        else {
            return;
        };
        self.rules.start = self.setup(&setup);
    }

    /// The changes that make a position: as written, or read off a drawing.
    pub(super) fn setup(&mut self, setup: &ast::Setup) -> Vec<Change> {
        match setup {
            ast::Setup::Changes(changes) => changes.iter().filter_map(|change| self.change(change)).collect(),
            ast::Setup::Drawn(drawn) => self.drawn_setup(drawn),
        }
    }

    /// A drawn position: one mark a site in reading order of the board; capitals and `2`, `3` say whose.
    fn drawn_setup(&mut self, drawn: &ast::Drawn) -> Vec<Change> {
        let marks: Vec<(usize, &str)> = drawn
            .text
            .split_whitespace()
            .map(|mark| (mark.as_ptr() as usize - drawn.text.as_ptr() as usize, mark))
            .filter(|(_, mark)| !matches!(*mark, "-" | "*"))
            .collect();
        let mut sites: Vec<crate::board::Site> = self.rules.board.all().iter().collect();
        let place = |site: &crate::board::Site| {
            let (x, y) = self.rules.board.xy(*site);
            ((y * 1000.0) as i64, (x * 1000.0) as i64)
        };
        sites.sort_by_key(place);
        if !self.board_known {
            return Vec::new();
        }
        if marks.len() != sites.len() {
            let message = format!("the drawing has {} sites, and the board {}", marks.len(), sites.len());
            self.report(
                Diagnostic::new(Code::BadDrawing, drawn.span, message)
                    .help("one mark for each site, `.` for an empty one"),
            );
            return Vec::new();
        }
        let mut changes = Vec::new();
        for ((offset, mark), site) in marks.into_iter().zip(sites) {
            if matches!(mark, "." | "o" | "_") && !self.rules.kinds.iter().any(|kind| kind.mark == mark) {
                continue;
            }
            let start = drawn.span.start as usize + offset;
            let span = Span::new(drawn.span.source, start, start + mark.len());
            // From the bottom to the top.
            let pieces: Option<Vec<Content>> = mark.split('/').map(|mark| self.marked(mark)).collect();
            let Some(pieces) = pieces.or_else(|| self.marked(mark).map(|piece| vec![piece])) else {
                let known: Vec<&str> = self.rules.kinds.iter().map(|kind| kind.mark.as_str()).collect();
                self.report(
                    Diagnostic::new(Code::BadDrawing, span, format!("`{mark}` stands for no piece"))
                        .label(format!("the marks are {}", known.join(" ")))
                        .help("the first player's pieces in capitals, the second's in small letters; or a mark with the player's number: D1 D2"),
                );
                return Vec::new();
            };
            for kind in pieces.iter().filter_map(|piece| piece.kind()) {
                if let Some(kind) = self.rules.kinds.get(usize::from(kind.0)) {
                    let name = kind.name.clone();
                    self.mark_used(Defined::Piece, &name);
                }
            }
            let target = Expr::constant(Value::Sites(crate::board::SiteSet::single(site)), span);
            let piece = |piece: Content| Expr::constant(Value::Piece(Some(piece)), span);
            let kind = match pieces.as_slice() {
                [only] => ChangeKind::Becomes { target, piece: piece(*only) },
                _ => {
                    self.ask_for_stacks(span);
                    let pieces = pieces.into_iter().map(piece).collect();
                    ChangeKind::Gets { target, pieces, bottom: false }
                }
            };
            changes.push(Change { each: None, kind, guard: None, span });
        }
        changes
    }

    pub(super) fn marked(&self, mark: &str) -> Option<Content> {
        let (letters, number) = match mark.find(|c: char| c.is_ascii_digit()) {
            Some(at) if at > 0 => (&mark[..at], mark[at..].parse::<u8>().ok()),
            _ => (mark, None),
        };
        let index = self.rules.kinds.iter().position(|kind| kind.mark.eq_ignore_ascii_case(letters))?;
        let kind = KindId(index as u8);
        if self.rules.kinds.get(index)?.neutral {
            return Some(Content::piece(kind, None));
        }
        let owner = match number {
            Some(number) => number.checked_sub(1)?,
            None => u8::from(!letters.chars().any(char::is_uppercase)),
        };
        (usize::from(owner) < self.rules.players.len()).then(|| Content::piece(kind, Some(PlayerId(owner))))
    }

    // ---- notation ----

    fn notation(&mut self, id: MoveId, item: &ast::MoveItem) -> Vec<NotationPiece> {
        let Some(notation) = &item.notation else {
            return self.default_notation(id);
        };
        let mut pieces = Vec::new();
        for piece in &notation.pieces {
            pieces.extend(match piece {
                ast::NotationPiece::Text(text) => Some(NotationPiece::Text(text.clone())),
                ast::NotationPiece::Optional { text, where_needed } => {
                    Some(NotationPiece::Optional { text: text.clone(), where_needed: *where_needed })
                }
                ast::NotationPiece::Value { text, value, where_needed, dash } => self
                    .notation_value(id, value, text)
                    .map(|value| NotationPiece::Value { value, where_needed: *where_needed, dash: *dash }),
            });
        }
        self.check_shown(id, &pieces, notation.span);
        self.check_cut(id, &pieces, notation.span);
        pieces
    }

    /// Signs of a notation at which lists of moves are cut.
    fn check_cut(&mut self, id: MoveId, pieces: &[NotationPiece], span: Span) {
        let sign = pieces.iter().find_map(|piece| match piece {
            NotationPiece::Text(text) | NotationPiece::Optional { text, .. } => cut_by(text),
            NotationPiece::Value { .. } => None,
        });
        let number = |local| {
            let names = self.rules.moves.get(id.0).map(|mv| mv.names.as_slice()).unwrap_or_default();
            names.iter().any(|named| named.local == local && named.ty == Type::Number)
        };
        // `3.c4` is the third move of a list.
        let numbered = if let [
            NotationPiece::Value { value: Expr { kind: ExprKind::Local(local), .. }, .. },
            NotationPiece::Text(text),
            ..,
        ] = pieces
        {
            text.starts_with('.') && number(*local)
        } else {
            false
        };
        let Some(sign) = sign.or(numbered.then_some(".")) else { return };
        self.report(
            Diagnostic::new(Code::CutMoves, span, format!("a list of moves is cut at the `{}` of this notation", sign.trim()))
                .label("in lists these moves need quotation marks")
                .help("take another sign, as in \"{from}-{to}\"; or write such moves in quotation marks in tests, records and lists"),
        );
    }

    fn default_notation(&mut self, id: MoveId) -> Vec<NotationPiece> {
        let Some(mv) = self.rules.moves.get(id.0) else { return Vec::new() };
        let mut pieces = Vec::new();
        for named in mv.names.iter().filter(|named| named.part) {
            if !pieces.is_empty() {
                pieces.push(NotationPiece::Text("-".to_owned()));
            }
            let value = Expr { kind: ExprKind::Local(named.local), span: named.span };
            pieces.push(NotationPiece::Value { value, where_needed: false, dash: false });
        }
        if pieces.is_empty() {
            pieces.push(NotationPiece::Text(mv.name.clone()));
        }
        pieces
    }

    fn notation_value(&mut self, id: MoveId, expr: &ast::Expr, text: &str) -> Option<Expr> {
        // A part that it names is a line that could not be read.
        let named = |word: &str| self.project.lost.contains(word);
        if text.split(|c: char| !c.is_alphanumeric() && c != '_').any(named) {
            return None;
        }
        let (value, ty) = self.on_parts(id, |checker| {
            checker.frame.in_move = true;
            let (value, ty) = checker.infer(expr);
            (value, checker.settle(ty))
        });
        match ty {
            Type::Sites
            | Type::Directions
            | Type::Players
            | Type::Kinds
            | Type::Number
            | Type::Choice
            | Type::Unknown => Some(value),
            other => {
                self.report(Diagnostic::new(
                    Code::BadNotation,
                    expr.span,
                    format!("`{{{text}}}` cannot be printed: it is {}", other.describe()),
                ));
                None
            }
        }
    }

    /// A part that is not shown may make two different moves print alike.
    fn check_shown(&mut self, id: MoveId, pieces: &[NotationPiece], span: Span) {
        let shown: BTreeSet<usize> = pieces
            .iter()
            .filter_map(|piece| match piece {
                NotationPiece::Value { value: Expr { kind: ExprKind::Local(local), .. }, .. } => Some(local.0),
                _ => None,
            })
            .collect();
        let expressions = pieces.iter().any(
            |piece| matches!(piece, NotationPiece::Value { value, .. } if !matches!(value.kind, ExprKind::Local(_))),
        );
        if expressions {
            return;
        }
        let Some(mv) = self.rules.moves.get(id.0) else { return };
        let mut hidden: Vec<Named> =
            mv.names.iter().filter(|named| named.part && !shown.contains(&named.local.0)).cloned().collect();
        // A part between two shown ones in line is found again from them.
        hidden.retain(|named| named.ty != Type::Sites || shown.is_empty());
        for named in hidden {
            self.report(
                Diagnostic::new(
                    Code::SameNotation,
                    span,
                    format!("the notation does not show the part `{}`", named.name),
                )
                .label("moves that differ in it print alike")
                .also(named.span, "picked here")
                .help(format!(
                    "add `{{{0}}}`, or `{{{0}?}}` to print it only where it is needed; what follows from the other parts is no choice: define it, `{0} = ...`",
                    named.name
                )),
            );
        }
    }
}

trait EndSpan {
    fn span_of_end(&self) -> Span;
}

impl EndSpan for ast::MoveItem {
    /// Where the move is made: its name stands for it.
    fn span_of_end(&self) -> Span {
        self.name.span
    }
}

fn local_of(names: &[ast::Name], name: &ast::Name) -> Local {
    Local(names.iter().position(|known| known.text == name.text).unwrap_or(names.len()))
}

fn line_class(line: &ast::MoveLine) -> u8 {
    match line.kind {
        MoveLineKind::If(_) | MoveLineKind::Weight(_) => 0,
        MoveLineKind::Definition { .. } => 1,
        _ => 2,
    }
}

fn needs_of_line(line: &ast::MoveLine, names: &[ast::Name]) -> Vec<String> {
    let mut needs = match &line.kind {
        MoveLineKind::If(condition) => needs_of_expr(condition, names),
        MoveLineKind::Weight(weight) => needs_of_expr(weight, names),
        MoveLineKind::Definition { value, .. } => needs_of_expr(value, names),
        MoveLineKind::Part { domain, .. } => needs_of_expr(domain, names),
        _ => Vec::new(),
    };
    if let Some(guard) = &line.guard {
        needs.extend(needs_of_expr(guard, names));
    }
    needs
}

/// The parts and definitions of the move that an expression mentions.
fn needs_of_expr(expr: &ast::Expr, names: &[ast::Name]) -> Vec<String> {
    let mut found = Vec::new();
    names_in(expr, &mut found);
    found.retain(|name| names.iter().any(|known| known.text == *name));
    found
}

/// All names in an expression.
pub(super) fn names_in(expr: &ast::Expr, found: &mut Vec<String>) {
    if let Ast::Name(name) = &expr.kind {
        found.push(name.clone());
    }
    expr.kind.visit(&mut |part| names_in(part, found));
}
