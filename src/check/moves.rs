//! Moves: their lines put in order, lowered to a chain of nodes of the rule graph.

use super::changes::Moving;
use super::phrases;
use super::picks::pick_of;
use super::pieces::gives;
use super::{Checker, Frame, Ty};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue::Id;
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast, MoveLineKind};
use petgraph::graph::NodeIndex;

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
    pub(super) fn append(&mut self, after: &mut NodeIndex, kind: NodeKind, span: Span) {
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
        self.written = self.made_in_moves.get(index).cloned().unwrap_or_default();
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
        // What is done after each turn begins on the board as it is then: nothing was before.
        let in_move = self.rules.after_turn != Some(id);
        self.frame = Frame { next: names.len(), in_move, ..Frame::default() };
        let mut named: Vec<Named> = Vec::new();
        let mut at = entry;
        let mut moved = Moving::default();
        let lines = self.weighed(&item);
        for stage in lines.split(|line| matches!(line.kind, MoveLineKind::Then)) {
            self.check_stage(stage, &names, &mut named, &mut at, &mut moved);
        }
        // `so that` lines may stand anywhere in the last stage: they are read after all changes.
        for line in &item.lines {
            let MoveLineKind::SoThat { condition, reason } = &line.kind else { continue };
            // What the options switch off is looked at all the same, and leaves no node.
            let dead = self.passes(line.guard.as_ref()).is_none();
            self.frame.after = Some(id);
            let condition = self.dead(dead, |checker| checker.guarded_condition(condition, line.guard.as_ref()));
            self.frame.after = None;
            if dead {
                continue;
            }
            let reason = reason.as_ref().map(|reason| reason.text.clone());
            self.append(&mut at, NodeKind::Require { condition, reason }, line.span);
        }
        let lines = self.lines_up_to(entry, at);
        self.check_guarded_parts(&item, &lines);
        // Its name stands for where the move is made.
        self.append(&mut at, NodeKind::Done, item.name.span);
        named.sort_by_key(|named| named.local);
        // What the options switched off has no value, but keeps its place.
        for (local, name) in names.iter().enumerate() {
            if !named.iter().any(|known| known.local == Local(local)) {
                named.push(Named {
                    name: name.text.clone(),
                    local: Local(local),
                    ty: Type::Unknown,
                    part: false,
                    witness: false,
                    pick: None,
                    span: name.span,
                });
            }
        }
        named.sort_by_key(|named| named.local);
        if let (None, Some(defined)) = (moved.picked, moved.defined) {
            self.defined_movers.insert(id, defined);
        }
        self.rules.moves.push(Move {
            name: item.name.text.clone(),
            doc: item.doc.as_ref().map(|doc| doc.text.clone()).unwrap_or_default(),
            chance: item.chance,
            names: named,
            entry,
            lines,
            notation: Vec::new(),
            moved: moved.picked,
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
        self.written.clear();
    }

    /// Whether a line is in force: none if the options switch it off, else whether its guard is still open.
    pub(super) fn passes(&mut self, guard: Option<&ast::Expr>) -> Option<bool> {
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
        moved: &mut Moving,
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

    /// `x : S when C` where C speaks of `x`: whether there is a part at all cannot hang on what is picked for it.
    fn guarded_by_itself(&self, line: &ast::MoveLine, names: &[ast::Name]) -> Option<Diagnostic> {
        let MoveLineKind::Part { name, domain, conditions } = &line.kind else { return None };
        let guard = line.guard.as_ref().filter(|guard| needs_of_expr(guard, names).contains(&name.text))?;
        let last = conditions.last().unwrap_or(domain).span;
        let (name, text) = (&name.text, self.project.sources.slice(guard.span));
        let message = format!("`when` says whether `{name}` is picked at all, before anything is picked for it");
        let between = Span { start: last.end, end: guard.span.start, ..last };
        Some(
            Diagnostic::new(Code::Cycle, guard.span, message)
                .label(format!("this asks about `{name}`"))
                .help(format!("what a part must fulfil stands behind a comma: `, {text}`"))
                .fix("write a comma", between, ", "),
        )
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
        if let Some(guarded) =
            std::iter::once(&first).chain(others).find_map(|line| self.guarded_by_itself(line, names))
        {
            return guarded;
        }
        let itself = of_itself(first).or_else(|| others.iter().find_map(|line| of_itself(line)));
        let Some((text, span)) = itself else {
            let waiting = Diagnostic::new(Code::Cycle, first.span, "these lines wait for one another")
                .help("one of them must be found without the others");
            return others.iter().fold(waiting, |waiting, line| waiting.also(line.span, "and this one"));
        };
        if let Some(diagnostic) = self.phrase_in(first, others, (&text, span)) {
            return diagnostic;
        }
        let diagnostic = Diagnostic::new(Code::Cycle, span, format!("`{text}` is found by means of itself"));
        let line = std::iter::once(&first).chain(others).find(|line| line.span == span);
        if let Some(question) = line.and_then(|line| question_in_row(line)) {
            let asked = self.project.sources.slice(question);
            let before = self.project.sources.slice(Span { end: question.start, ..span }).trim_end().len();
            let place = Span { start: span.start + u32::try_from(before).unwrap_or(0), end: question.start, ..span };
            return diagnostic
                .also(question, "this is a condition")
                .help(format!("what a part must fulfil stands behind a comma: `, {asked}`"))
                .guess("write a comma", place, ", ");
        }
        if self.tracks.contains_key(&text)
            && let Some((_, value)) = self.project.sources.slice(span).split_once('=')
        {
            let written = format!("{text} becomes {}", value.trim());
            return diagnostic
                .label("`=` gives something a name within this move")
                .help(format!("a value that is kept changes by `becomes`: `{written}`"))
                .fix(format!("write `{written}`"), span, written);
        }
        match self.kinds.contains_key(&text) {
            true => diagnostic
                .label(format!("within this move `{text}` is the part, not the piece"))
                .help(format!("give the part another name than the piece, as in `from : {text} of mover`")),
            false => {
                diagnostic.help(format!("say what `{text}` is without `{text}`, or give one of the two another name"))
            }
        }
    }

    /// A word of rule sheets among lines that ask for themselves: `to : empty adjacent to from`.
    fn phrase_in(
        &self,
        first: &ast::MoveLine,
        others: &[&ast::MoveLine],
        (itself, of): (&str, Span),
    ) -> Option<Diagnostic> {
        let line = std::iter::once(&first).chain(others).find(|line| line.span == of)?;
        let (MoveLineKind::Part { domain: value, .. } | MoveLineKind::Definition { value, .. }) = &line.kind else {
            return None;
        };
        let mut found: Vec<Diagnostic> = Vec::new();
        let mut waiting = vec![value];
        while let Some(expr) = waiting.pop() {
            if let Ast::Name(name) = &expr.kind
                && name != itself
                && let Some(written) = phrases::meant(name)
                && !self.is_known(name)
            {
                let message = format!("unknown word `{name}`");
                let unknown = Diagnostic::new(Code::UnknownName, expr.span, message).label("no word of the language");
                found.push(unknown.help(written));
            }
            expr.kind.visit(&mut |inner| waiting.push(inner));
        }
        found.into_iter().min_by_key(|found| found.span.start)
    }

    /// What a part is picked from, if that is no set.
    fn no_set(&self, name: &ast::Name, written: &ast::Expr, domain: &Expr, found: Type) -> Diagnostic {
        let message = format!("a part is picked from a set, and this is {}", found.describe());
        let diagnostic = Diagnostic::new(Code::WrongType, domain.span, message);
        if let Ast::Binary(ast::BinaryOp::Arithmetic(ArithmeticOp::Subtract), low, high) = &written.kind
            && let (Ast::Number(low), Ast::Number(high)) = (&low.kind, &high.kind)
        {
            let range = format!("{low}..{high}");
            return diagnostic.help(format!("a range is written with two dots: `{range}`")).fix(
                format!("write `{range}`"),
                written.span,
                range,
            );
        }
        diagnostic.help(format!("`{0} = ...` defines a value; `{0} : ...` picks one", name.text))
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
                let (value, ty) = self.dead(dead, |checker| checker.defined(value));
                self.bind_as(name, local, Ty::Known(ty));
                named.push(Named {
                    name: name.text.clone(),
                    local,
                    ty,
                    part: false,
                    witness: false,
                    pick: None,
                    span: name.span,
                });
                self.note_local(local, Some(&value), open != Some(false));
                if !dead {
                    let guard = self.open_guard(line.guard.as_ref());
                    self.append(at, NodeKind::Let { local, value, guard }, line.span);
                }
            }
            MoveLineKind::Part { name, domain: written, conditions } => {
                let local = local_of(names, name);
                let (domain, ty) = self.dead(dead, |checker| {
                    let (domain, ty) = checker.infer(written);
                    (domain, checker.settle(ty))
                });
                let element = match ty {
                    Type::Range => Type::Number,
                    ty if ty.is_set() || ty == Type::Unknown => ty,
                    other => {
                        let diagnostic = self.no_set(name, written, &domain, other);
                        self.report(diagnostic);
                        Type::Unknown
                    }
                };
                self.bind_as(name, local, Ty::Known(element));
                let picked = pick_of(&name.text);
                let find = |wanted: &str| names.iter().position(|known| known.text == wanted).map(Local);
                let pick = picked.as_ref().and_then(|(pick, _)| find(pick));
                named.push(Named {
                    name: name.text.clone(),
                    local,
                    ty: element,
                    part: true,
                    witness: false,
                    pick,
                    span: name.span,
                });
                self.note_local(local, None, open != Some(false));
                if open == Some(false) {
                    self.frame.singles.push(local);
                }
                self.check_picked(name, &domain);
                let mut now = Vec::new();
                if pick.is_some() && element != Type::Sites && element != Type::Unknown {
                    self.error(
                        Code::WrongType,
                        domain.span,
                        format!("several are picked from a set of sites, and this is {}", element.describe()),
                        "write a part for each of them",
                    );
                }
                if let Some(before) = picked.as_ref().and_then(|(_, before)| find(before.as_ref()?)) {
                    now.push(self.in_order(local, before, name.span));
                }
                for condition in conditions {
                    let needs = needs_of_expr(condition, names);
                    if self.all_bound(&needs) {
                        let members = asked_of(local, picked.as_ref().map(|(pick, _)| *pick), &needs, names);
                        let condition =
                            self.dead(dead, |checker| checker.part_condition(condition, Some((&members, element))));
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
    /// A value that is given a name, and its type.
    pub(super) fn defined(&mut self, value: &ast::Expr) -> (Expr, Type) {
        if self.makes_piece_value(value) {
            (self.typed(value, Type::Piece), Type::Piece)
        } else {
            let (value, ty) = self.infer(value);
            (value, self.settle(ty))
        }
    }

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
    fn part_condition(&mut self, condition: &ast::Expr, part: Option<(&[Local], Type)>) -> Expr {
        let (checked, ty) = self.infer(condition);
        let ty = self.settle(ty);
        match (ty, part) {
            (ty, Some((members, element))) if ty.is_set() && ty == element => {
                let span = checked.span;
                let lies = |local: &Local| {
                    let left = Box::new(Expr { kind: ExprKind::Local(*local), span });
                    Expr { kind: ExprKind::In { left, not: false, right: Box::new(checked.clone()) }, span }
                };
                match members {
                    [only] => lies(only),
                    several => Expr { kind: ExprKind::And(several.iter().map(lies).collect()), span },
                }
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

    // ---- notation ----
}

/// A question among the words that say what a part is picked from.
fn question_in_row(line: &ast::MoveLine) -> Option<Span> {
    let MoveLineKind::Part { domain, .. } = &line.kind else { return None };
    let ast::ExprKind::Row(terms) = &domain.kind else { return None };
    let asks = |term: &&ast::Expr| {
        matches!(
            term.kind,
            ast::ExprKind::Quantified(ast::Quantifier::Any | ast::Quantifier::No, _) | ast::ExprKind::Some { .. }
        )
    };
    terms.iter().skip(1).find(asks).map(|term| term.span)
}

/// The parts that a condition of a part is asked of: the part itself, or all members of its pick where it speaks of them.
fn asked_of(local: Local, pick: Option<&str>, needs: &[String], names: &[ast::Name]) -> Vec<Local> {
    let is_member = |name: &str| pick_of(name).is_some_and(|(of, _)| Some(of) == pick);
    if !needs.iter().any(|need| is_member(need)) {
        return vec![local];
    }
    (0..).zip(names).filter(|(_, name)| is_member(&name.text)).map(|(at, _)| Local(at)).collect()
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

/// Whether an expression speaks of a name.
pub(super) fn mentions(expr: &ast::Expr, name: &str) -> bool {
    let mut found = Vec::new();
    names_in(expr, &mut found);
    found.iter().any(|found| found == name)
}

/// All names in an expression, but for those that it gives itself to members of a set.
pub(super) fn names_in(expr: &ast::Expr, found: &mut Vec<String>) {
    if let Ast::Name(name) = &expr.kind {
        found.push(name.clone());
    }
    if let Ast::Family { member, rounds } = &expr.kind {
        return names_in_family(member, rounds, found);
    }
    let given = if let Ast::Some { name, domain, .. }
    | Ast::SetOf { name, domain, .. }
    | Ast::Each { name, domain, .. } = &expr.kind
    {
        Some((name.text.as_str(), &**domain))
    } else {
        None
    };
    expr.kind.visit(&mut |part| {
        let before = found.len();
        names_in(part, found);
        // The members are those of the domain, which does not know their name.
        if let Some((name, domain)) = given
            && !std::ptr::eq(part, domain)
        {
            let inside: Vec<String> = found.drain(before..).filter(|inner| inner != name).collect();
            found.extend(inside);
        }
    });
}

/// The same of a family, in which each name is known behind the set that it ranges over.
fn names_in_family(member: &ast::Expr, rounds: &[ast::Round], found: &mut Vec<String>) {
    let Some((round, rest)) = rounds.split_first() else { return names_in(member, found) };
    names_in(&round.domain, found);
    let before = found.len();
    round.condition.iter().for_each(|condition| names_in(condition, found));
    names_in_family(member, rest, found);
    let inside: Vec<String> = found.drain(before..).filter(|inner| *inner != round.name.text).collect();
    found.extend(inside);
}
