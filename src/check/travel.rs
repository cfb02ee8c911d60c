//! Values that belong to pieces: tracked by site, and taken along by lines of their own wherever pieces come and go.
//!
//! Both engines know values by site alone. So each stage in which pieces change gets further lines, made at the same time: what
//! a piece carries goes where it goes, and a site that is left, emptied or given a new piece has the first value again. What
//! the text itself gives to a site stands instead of both, as long as a piece stands there afterwards.

use super::Checker;
use crate::board::SiteSet;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue::{Id, Stands};
use crate::rules::settled::Settled;
use crate::rules::*;
use crate::source::Span;
use petgraph::Direction::Incoming;
use petgraph::graph::NodeIndex;
use std::cell::Cell;
use std::collections::BTreeSet;

/// Steps of a proof that a piece stands somewhere, or none.
const LONGEST: u32 = 1_000;

/// What the lines of a stage may come to with those that follow from them, in parts of expressions.
const MOST: usize = 50_000;

/// For whom and when a line is made.
#[derive(Clone, Copy)]
struct When<'c> {
    each: Option<&'c (Local, Expr)>,
    guard: Option<&'c Expr>,
}

/// A line that sends a piece somewhere.
struct Arrow<'c> {
    when: When<'c>,
    from: &'c Expr,
    to: &'c Expr,
    /// Whether a piece arrives.
    arrives: Expr,
    span: Span,
}

/// A line that puts pieces on sites, or clears them.
struct Put<'c> {
    when: When<'c>,
    target: &'c Expr,
    /// Whether it is a piece that is put there.
    stands: Expr,
    span: Span,
}

/// A line that gives a value to the piece on a site.
struct Said<'c> {
    /// Its place among the lines of the stage.
    at: usize,
    when: When<'c>,
    index: &'c Expr,
    value: &'c Expr,
    span: Span,
}

/// What a stage does to pieces.
struct Stage<'c> {
    arrows: Vec<Arrow<'c>>,
    puts: Vec<Put<'c>>,
    /// Parts that are surely picked among pieces, and among empty sites.
    held: Vec<Local>,
    free: Vec<Local>,
}

impl<'c> When<'c> {
    fn of(change: &'c Change) -> Self {
        Self { each: change.each.as_ref(), guard: change.guard.as_ref() }
    }

    /// Whether it is made once, and whenever another line is.
    fn goes_with(self, other: When<'_>) -> bool {
        self.each.is_none() && other.each.is_none() && (self.guard.is_none() || self.guard == other.guard)
    }

    /// The sites of an expression, for all for whom the line is made.
    fn all(self, sites: &Expr, also: Option<Expr>) -> Expr {
        let span = sites.span;
        let condition = match (self.guard, also) {
            (Some(guard), Some(also)) => Some(Expr { kind: ExprKind::And(vec![guard.clone(), also]), span }),
            (guard, also) => also.or_else(|| guard.cloned()),
        };
        let kind = match (self.each, condition) {
            (None, None) => return sites.clone(),
            (None, Some(condition)) => ExprKind::If {
                condition: Box::new(condition),
                then: Box::new(sites.clone()),
                otherwise: Box::new(no_sites(span)),
            },
            (Some((local, domain)), None) if sites.kind == ExprKind::Local(*local) => return domain.clone(),
            (Some((local, domain)), Some(condition)) if sites.kind == ExprKind::Local(*local) => ExprKind::SetOf {
                local: *local,
                domain: Box::new(domain.clone()),
                condition: Some(Box::new(condition)),
            },
            (Some((local, domain)), condition) => ExprKind::Each {
                result: Type::Sites,
                body: Box::new(sites.clone()),
                local: *local,
                domain: Box::new(domain.clone()),
                condition: condition.map(Box::new),
            },
        };
        Expr { kind, span }
    }
}

impl Checker<'_> {
    /// The values that belong to pieces.
    fn travelling(&self) -> Vec<MemoryId> {
        let all = self.rules.memories.iter().enumerate().filter(|(_, memory)| memory.with_piece);
        all.map(|(index, _)| MemoryId(index)).collect()
    }

    /// A stage with the lines by which values go along with pieces.
    pub(super) fn with_values(&mut self, mut changes: Vec<Change>, at: NodeIndex) -> Vec<Change> {
        let memories = self.travelling();
        if memories.is_empty() || self.is_too_much(&changes) {
            return changes;
        }
        let (held, free) = self.picked_among(at);
        let lines = changes.clone();
        let Some(stage) = self.stage(&lines, held, free) else { return changes };
        for memory in memories {
            self.take_along(memory, &lines, &stage, &mut changes);
        }
        changes
    }

    /// A line that is made by itself, behind the lines by which values go along with pieces: these ask of sites before
    /// anything stands elsewhere.
    pub(super) fn with_values_alone(&mut self, change: Change) -> Vec<Change> {
        let memories = self.travelling();
        if memories.is_empty() {
            return vec![change];
        }
        if change.kind.target().is_some()
            && let Some(read) =
                change.exprs().into_iter().find_map(|expr| self.asks_of_any(expr, &memories, &mut BTreeSet::new()))
        {
            let name = self.rules.memories.get(read.0).map(|memory| memory.name.clone()).unwrap_or_default();
            self.report(
                Diagnostic::new(
                    Code::WrongType,
                    change.span,
                    format!(
                        "`{name}` goes along with the piece, so that what becomes of the piece cannot hang on it here"
                    ),
                )
                .label("lines of `repeat` and of a start are made one after the other")
                .help(format!("note what `{name}` is in a tracked value of the game first, and ask for that")),
            );
            return vec![change];
        }
        let lines = vec![change];
        if self.is_too_much(&lines) {
            return lines;
        }
        let Some(stage) = self.stage(&lines, Vec::new(), Vec::new()) else { return lines };
        let mut changes = lines.clone();
        for memory in memories {
            self.take_along(memory, &lines, &stage, &mut changes);
        }
        // What follows comes first.
        changes.rotate_left(1);
        changes
    }

    /// Lines that would come to too much; said once.
    fn is_too_much(&mut self, changes: &[Change]) -> bool {
        let weight: usize = changes.iter().map(|change| change.exprs().into_iter().map(nodes).sum::<usize>() + 1).sum();
        let given = changes.iter().filter(|change| change.kind.target().is_none()).count();
        let too_much = weight.saturating_mul(given + 2) > MOST;
        if let (true, Some(first)) = (too_much, changes.first()) {
            self.error(
                Code::TooLarge,
                first.span,
                "these changes and the values that go along with pieces come to too much",
                "divide them by `then`, or say in a word of its own what is long",
            );
        }
        too_much
    }

    /// What the lines of a stage do to pieces; none if that cannot be told, which is said.
    fn stage<'c>(&mut self, changes: &'c [Change], held: Vec<Local>, free: Vec<Local>) -> Option<Stage<'c>> {
        let belongs = |memory: &MemoryId| self.rules.memories.get(memory.0).is_some_and(|it| it.with_piece);
        let gives =
            changes.iter().any(|change| matches!(&change.kind, ChangeKind::Remember { memory, .. } if belongs(memory)));
        let mut stage = Stage { arrows: Vec::new(), puts: Vec::new(), held, free };
        for change in changes {
            let (when, span) = (When::of(change), change.span);
            let (ChangeKind::Becomes { piece, .. } | ChangeKind::MoveTo { piece: Some(piece), .. }) = &change.kind
            else {
                if let ChangeKind::MoveTo { from, to, piece: None } = &change.kind {
                    let arrives = stage.stands_on(from);
                    stage.arrows.push(Arrow { when, from, to, arrives, span });
                }
                continue;
            };
            let stands = match self.stands(piece, &Cell::new(LONGEST)) {
                Some(stands) => stands,
                None if !gives => yes(true, span),
                None => {
                    self.report(
                        Diagnostic::new(Code::WrongType, piece.span, "this may be a piece or `empty`, and a value is given beside it")
                            .label("whether a piece stands there afterwards is not told")
                            .help("write a line for each, as in `x becomes empty when C` and `x becomes stone of mover when not C`"),
                    );
                    return None;
                }
            };
            match &change.kind {
                ChangeKind::MoveTo { from, to, .. } => {
                    stage.arrows.push(Arrow { when, from, to, arrives: stands, span });
                }
                ChangeKind::Becomes { target, .. } => stage.puts.push(Put { when, target, stands, span }),
                ChangeKind::Gets { .. }
                | ChangeKind::Slice { .. }
                | ChangeKind::Carry { .. }
                | ChangeKind::Remember { .. }
                | ChangeKind::Seats { .. }
                | ChangeKind::Know { .. } => {}
            }
        }
        Some(stage)
    }

    /// The lines by which one value goes along with pieces; what the text gives to a site is put in order.
    fn take_along(&mut self, memory: MemoryId, lines: &[Change], stage: &Stage<'_>, changes: &mut Vec<Change>) {
        let Some(first) = self.rules.memories.get(memory.0).map(|memory| memory.first.clone()) else { return };
        let said: Vec<Said<'_>> = lines
            .iter()
            .enumerate()
            .filter_map(|(at, change)| {
                let ChangeKind::Remember { memory: given, index: Some(index), value } = &change.kind else {
                    return None;
                };
                (*given == memory).then(|| Said { at, when: When::of(change), index, value, span: change.span })
            })
            .collect();
        for said in &said {
            self.warn_gone(memory, said, stage);
            let there = stage.stands_after(said);
            if there.as_decided() == Some(true) {
                continue;
            }
            let value = ExprKind::If {
                condition: Box::new(there),
                then: Box::new(said.value.clone()),
                otherwise: Box::new(first.clone()),
            };
            let value = Expr { kind: value, span: said.value.span };
            if let Some(change) = changes.get_mut(said.at) {
                change.kind = ChangeKind::Remember { memory, index: Some(said.index.clone()), value };
            }
        }
        let taken: Vec<Change> = stage.arrows.iter().filter_map(|arrow| carried(memory, arrow, &said)).collect();
        let cleared = self.cleared(memory, &first, stage, &said);
        for change in taken.into_iter().chain(cleared) {
            if change.exprs().into_iter().all(|expr| self.is_shallow(expr)) {
                changes.push(change);
            }
        }
    }

    /// The sites that lose what stood there, or get a new piece, have the first value.
    fn cleared(&mut self, memory: MemoryId, first: &Expr, stage: &Stage<'_>, said: &[Said<'_>]) -> Option<Change> {
        let is_said =
            |target: &Expr, when: When<'_>| said.iter().any(|said| said.index == target && said.when.goes_with(when));
        let puts: Vec<&Put<'_>> = stage
            .puts
            .iter()
            .filter(|put| !is_said(put.target, put.when))
            // Where nothing stands there is the first value already.
            .filter(|put| !stage.is_free(put.target))
            .collect();
        let span = stage.arrows.first().map(|arrow| arrow.span).or(puts.first().map(|put| put.span))?;
        let left = stage.arrows.iter().filter(|arrow| !stage.is_surely_reached(arrow));
        let left = union(left.map(|arrow| arrow.when.all(arrow.from, None)).collect(), span);
        let reached = stage.arrows.iter().map(|arrow| arrow.when.all(arrow.to, None)).collect();
        let left = minus(left, union(reached, span));
        let put = puts.iter().map(|put| put.when.all(put.target, None));
        let all = union(std::iter::once(left).chain(put).collect(), span);
        let given = union(said.iter().map(|said| said.when.all(said.index, None)).collect(), span);
        let sites = minus(all, given);
        if sites.kind == no_sites(span).kind {
            return None;
        }
        let set = |index: Expr| ChangeKind::Remember { memory, index: Some(index), value: first.clone() };
        if let ([], [only]) = (stage.arrows.as_slice(), puts.as_slice())
            && stage.is_picked(&sites)
            && only.when.each.is_none()
        {
            return Some(Change { each: None, kind: set(sites), guard: None, carried: true, span });
        }
        let local = Local(self.frame.next);
        self.frame.next += 1;
        let kind = set(Expr { kind: ExprKind::Local(local), span });
        Some(Change { each: Some((local, sites)), kind, guard: None, carried: true, span })
    }

    /// A value given to the site that a piece has just left is meant of the piece.
    fn warn_gone(&mut self, memory: MemoryId, said: &Said<'_>, stage: &Stage<'_>) {
        let comes = |to: &Expr| to == said.index;
        let stays = stage.puts.iter().any(|put| comes(put.target)) || stage.arrows.iter().any(|arrow| comes(arrow.to));
        let gone = stage.arrows.iter().find(|arrow| arrow.from == said.index && arrow.when.goes_with(said.when));
        let Some(arrow) = gone.filter(|_| !stays) else { return };
        let name = self.rules.memories.get(memory.0).map(|memory| memory.name.clone()).unwrap_or_default();
        let text = |span| self.project.sources.slice(span).trim().to_owned();
        let to = text(arrow.to.span);
        let found = Diagnostic::new(
            Code::Unreachable,
            said.span,
            format!("the piece has left this site, and its `{name}` with it"),
        )
        .label("nothing stands there afterwards that could have a value")
        .also(arrow.span, "it goes away here")
        .help(format!(
            "to change the value of the piece, give it to the site where it goes: `{name}({to}) becomes ...`"
        ))
        .guess(format!("write `{to}`"), said.index.span, to);
        self.report(found);
    }

    /// A value that is given before the piece is put down: with that it begins anew.
    pub(super) fn warn_begun_anew(&mut self, changes: &[Change]) {
        let sites =
            |of: &Expr| Settled::by_players(&self.rules, PlayerId(0), u64::from(LONGEST)).value(of, &mut Vec::new());
        let mut found = Vec::new();
        for (at, change) in changes.iter().enumerate() {
            let ChangeKind::Remember { memory, index: Some(index), .. } = &change.kind else { continue };
            let Some(memory) = self.rules.memories.get(memory.0).filter(|memory| memory.with_piece) else { continue };
            let puts = |later: &&Change| match &later.kind {
                ChangeKind::Becomes { target, .. } if later.each.is_none() && change.each.is_none() => {
                    sites(index).zip(sites(target)).is_some_and(|(one, two)| one.sites().intersects(two.sites()))
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
            let earlier = changes.iter().take(at).any(|earlier| puts(&earlier));
            if let Some(later) = changes.iter().skip(at + 1).find(puts).filter(|_| !earlier) {
                let message = format!("a piece that is put down begins with the first `{}`", memory.name);
                found.push(
                    Diagnostic::new(Code::Unreachable, change.span, message)
                        .label("nothing stands here yet that could have a value")
                        .also(later.span, "the piece is put down here")
                        .help("lines of a start are made one after the other: put the piece down first"),
                );
            }
        }
        found.into_iter().for_each(|diagnostic| self.report(diagnostic));
    }

    /// Whether a piece is put where an expression is: none if that cannot be told.
    fn stands(&self, piece: &Expr, left: &Cell<u32>) -> Option<Expr> {
        left.set(left.get().checked_sub(1)?);
        if let ExprKind::Constant(Value::Piece(content)) = &piece.kind {
            Some(yes(*content != Some(Content::EMPTY), piece.span))
        } else if let ExprKind::If { condition, then, otherwise } = &piece.kind {
            let (then, otherwise) = (self.stands(then, left)?, self.stands(otherwise, left)?);
            if then == otherwise {
                return Some(then);
            }
            let (then, otherwise) = (Box::new(then), Box::new(otherwise));
            Some(Expr { kind: ExprKind::If { condition: condition.clone(), then, otherwise }, span: piece.span })
        } else if let ExprKind::Piece { .. } = &piece.kind {
            Some(yes(true, piece.span))
        } else if let ExprKind::Word(word, _) = &piece.kind {
            let body = &self.rules.words.get(word.0)?.body;
            self.stands(body, left).filter(|stands| stands.as_decided().is_some())
        } else {
            None
        }
    }

    /// Whether an expression asks for one of these values, by words as well.
    fn asks_of_any(&self, expr: &Expr, memories: &[MemoryId], seen: &mut BTreeSet<WordId>) -> Option<MemoryId> {
        let mut inside =
            |exprs: Vec<&Expr>| exprs.into_iter().find_map(|inner| self.asks_of_any(inner, memories, seen));
        match &expr.kind {
            ExprKind::Memory { memory, .. } if memories.contains(memory) => Some(*memory),
            ExprKind::Word(word, _) | ExprKind::Adjective { word, .. } => {
                if let Some(memory) = inside(expr.children()) {
                    return Some(memory);
                }
                // What a word asks is the same wherever it stands.
                let body = self.rules.words.get(word.0).filter(|_| seen.insert(*word)).map(|word| &word.body)?;
                self.asks_of_any(body, memories, seen)
            }
            _ => inside(expr.children()),
        }
    }

    /// The parts of a move that are picked on the board as it is at a place of it: those among pieces, and those among
    /// empty sites.
    fn picked_among(&self, at: NodeIndex) -> (Vec<Local>, Vec<Local>) {
        let (mut held, mut free) = (Vec::new(), Vec::new());
        let mut node = Some(at);
        while let Some(place) = node {
            match self.rules.graph.node_weight(place).map(|node| &node.kind) {
                Some(NodeKind::Choose { local, domain, conditions, guard: None }) => {
                    let asked = conditions.iter().filter_map(|condition| {
                        let ExprKind::In { left, not: false, right } = &condition.kind else { return None };
                        (left.kind == ExprKind::Local(*local)).then_some(&**right)
                    });
                    let sets: Vec<&Expr> = std::iter::once(domain).chain(asked).collect();
                    for (stands, parts) in [(Stands::Piece, &mut held), (Stands::Nothing, &mut free)] {
                        if sets.iter().any(|set| self.lies_in(set, stands, &Cell::new(LONGEST))) {
                            parts.push(*local);
                        }
                    }
                }
                // Before that the board was another.
                None | Some(NodeKind::Change(_) | NodeKind::Repeat { .. } | NodeKind::Move(_)) => break,
                Some(_) => {}
            }
            node = self.rules.graph.neighbors_directed(place, Incoming).next();
        }
        (held, free)
    }

    /// Whether all sites of a set surely have a piece, or surely have none.
    fn lies_in(&self, set: &Expr, wanted: Stands, left: &Cell<u32>) -> bool {
        let Some(fewer) = left.get().checked_sub(1) else { return false };
        left.set(fewer);
        let all = |parts: &[Expr]| !parts.is_empty() && parts.iter().all(|part| self.lies_in(part, wanted, left));
        if let ExprKind::Primitive(word, args) = &set.kind {
            match word.stands {
                Stands::As(of) => args.get(of).is_some_and(|like| self.lies_in(like, wanted, left)),
                stands => stands == wanted,
            }
        } else if let ExprKind::Word(word, args) = &set.kind {
            args.is_empty() && self.rules.words.get(word.0).is_some_and(|word| self.lies_in(&word.body, wanted, left))
        } else if let ExprKind::Intersection(parts) = &set.kind {
            parts.iter().any(|part| self.lies_in(part, wanted, left))
        } else if let ExprKind::Union(parts) = &set.kind {
            all(parts)
        } else if let ExprKind::The(inner) | ExprKind::SetOf { domain: inner, .. } = &set.kind {
            self.lies_in(inner, wanted, left)
        } else if let ExprKind::If { then, otherwise, .. } = &set.kind {
            self.lies_in(then, wanted, left) && self.lies_in(otherwise, wanted, left)
        } else {
            wanted == Stands::Piece && matches!(set.kind, ExprKind::OfKinds(_) | ExprKind::OfPlayers(_))
        }
    }

    /// What is said of a value that belongs to pieces where it is declared: the first value is known before the game, and a
    /// site holds one piece.
    pub(super) fn first_of_piece(&mut self, name: &str, span: Span, first: Expr) -> Expr {
        if self.rules.stacks.is_some() {
            self.report(
                Diagnostic::new(Code::WrongType, span, format!("`{name}` cannot belong to pieces where a site holds several"))
                    .label("whose value it is could not be said by a site")
                    .help(format!("track it by site, `track {name}(site) : ...`, and say where it goes; or let a kind of piece stand for each value")),
            );
        }
        let settled = Settled::by_board(&self.rules).value(&first, &mut Vec::new());
        if let Some(value) = settled {
            return Expr::constant(value, first.span);
        }
        self.report(
            Diagnostic::new(Code::WrongType, first.span, format!("what `{name}` is at first must be known before the game"))
                .label("this is found in play")
                .help("begin with a number or a name, and change it where a piece is put down: `cell becomes stone of mover` beside `NAME(cell) becomes ...`".replace("NAME", name)),
        );
        first
    }
}

impl Stage<'_> {
    fn is_picked(&self, sites: &Expr) -> bool {
        matches!(&sites.kind, ExprKind::Local(local) if self.held.contains(local) || self.free.contains(local))
    }

    /// Whether something arrives where a piece leaves, whenever it does: two that change places, or a wheel.
    fn is_surely_reached(&self, arrow: &Arrow<'_>) -> bool {
        if self.arrows.iter().any(|other| other.to == arrow.from && other.when.goes_with(arrow.when)) {
            return true;
        }
        let (Some((local, domain)), None) = (arrow.when.each, arrow.when.guard) else { return false };
        let ExprKind::Intersection(parts) = &arrow.to.kind else { return false };
        let [whole, Expr { kind: ExprKind::Complement(own), .. }] = parts.as_slice() else { return false };
        // Each goes where the only other one was: of more than two there is no such site, and nothing can be done.
        let member = ExprKind::Local(*local);
        arrow.from.kind == member && own.kind == member && whole == domain
    }

    fn is_free(&self, sites: &Expr) -> bool {
        matches!(&sites.kind, ExprKind::Local(local) if self.free.contains(local))
    }

    /// Whether a piece stands on a site before the stage.
    fn stands_on(&self, site: &Expr) -> Expr {
        if matches!(&site.kind, ExprKind::Local(local) if self.held.contains(local)) {
            return yes(true, site.span);
        }
        within(site, nothing(site.span), true)
    }

    /// Whether a piece stands on the site of a line after the stage.
    fn stands_after(&self, said: &Said<'_>) -> Expr {
        let site = said.index;
        // A line that surely decides is enough.
        let arrow = self.arrows.iter().find(|arrow| arrow.to == site && arrow.when.goes_with(said.when));
        if let Some(arrow) = arrow {
            return arrow.arrives.clone();
        }
        if let Some(put) = self.puts.iter().find(|put| put.target == site && put.when.goes_with(said.when)) {
            return put.stands.clone();
        }
        if self.arrows.is_empty() && self.puts.is_empty() {
            return self.stands_on(site);
        }
        let span = said.span;
        let gone = self.arrows.iter().map(|arrow| arrow.when.all(arrow.from, None));
        let replaced = self.puts.iter().map(|put| put.when.all(put.target, None));
        let gone = union(gone.chain(replaced).collect(), span);
        let stays = minus(Expr { kind: ExprKind::Complement(Box::new(nothing(span))), span }, gone);
        let arrived = self.arrows.iter().map(|arrow| arrow.when.all(arrow.to, unless_sure(&arrow.arrives)));
        let placed = self.puts.iter().map(|put| put.when.all(put.target, unless_sure(&put.stands)));
        let all = std::iter::once(stays).chain(arrived).chain(placed).collect();
        within(site, union(all, span), false)
    }
}

/// What a piece carries goes where it goes, unless the text gives that site another value.
fn carried(memory: MemoryId, arrow: &Arrow<'_>, said: &[Said<'_>]) -> Option<Change> {
    let (span, when) = (arrow.span, arrow.when);
    let mut conditions: Vec<Expr> = when.guard.cloned().into_iter().collect();
    for said in said {
        if said.index != arrow.to || said.when.each.is_some() || when.each.is_some() {
            conditions.push(within(arrow.to, said.when.all(said.index, None), true));
            continue;
        }
        // No guard is no condition, and one without a value lets nothing be made.
        let guard = said.when.guard.filter(|guard| when.guard != Some(guard))?;
        let (then, otherwise) = (Box::new(yes(false, span)), Box::new(yes(true, span)));
        conditions.push(Expr { kind: ExprKind::If { condition: Box::new(guard.clone()), then, otherwise }, span });
    }
    let guard = match conditions.len() {
        0 => None,
        1 => conditions.pop(),
        _ => Some(Expr { kind: ExprKind::And(conditions), span }),
    };
    let value = Expr { kind: ExprKind::Memory { memory, index: Some(Box::new(arrow.from.clone())) }, span };
    let kind = ChangeKind::Remember { memory, index: Some(arrow.to.clone()), value };
    Some(Change { each: when.each.cloned(), kind, guard, carried: true, span })
}

fn yes(holds: bool, span: Span) -> Expr {
    Expr::constant(Value::Condition(Some(holds)), span)
}

fn unless_sure(condition: &Expr) -> Option<Expr> {
    (condition.as_decided() != Some(true)).then(|| condition.clone())
}

/// The empty sites.
fn nothing(span: Span) -> Expr {
    Expr { kind: ExprKind::Primitive(Id::Empty.row(), Vec::new()), span }
}

fn no_sites(span: Span) -> Expr {
    Expr::constant(Value::of_sites(SiteSet::EMPTY), span)
}

fn within(site: &Expr, set: Expr, not: bool) -> Expr {
    Expr { kind: ExprKind::In { left: Box::new(site.clone()), not, right: Box::new(set) }, span: site.span }
}

fn union(mut parts: Vec<Expr>, span: Span) -> Expr {
    parts.retain(|part| part.kind != no_sites(span).kind);
    match (parts.pop(), parts.is_empty()) {
        (None, _) => no_sites(span),
        (Some(only), true) => only,
        (Some(last), false) => {
            parts.push(last);
            Expr { kind: ExprKind::Union(parts), span }
        }
    }
}

fn minus(whole: Expr, taken: Expr) -> Expr {
    let span = whole.span;
    let none = no_sites(span).kind;
    if taken.kind == none || whole.kind == none {
        return whole;
    }
    let others = Expr { kind: ExprKind::Complement(Box::new(taken)), span };
    Expr { kind: ExprKind::Intersection(vec![whole, others]), span }
}

/// How many parts an expression has.
fn nodes(expr: &Expr) -> usize {
    1 + expr.children().into_iter().map(nodes).sum::<usize>()
}
