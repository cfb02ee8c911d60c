//! How a move changes the number of pieces: whether it never leaves fewer, or always more, or never more, or always fewer.

use super::length::Length;
use crate::rules::catalogue::{Id, Members, Stands};
use crate::rules::*;
use petgraph::graph::NodeIndex;
use std::collections::BTreeSet;

/// What is known of the parts and definitions of a move since the board changed last.
#[derive(Default)]
struct Facts<'r> {
    /// What a part was picked from.
    parts: Vec<(Local, &'r Expr)>,
    definitions: Vec<(Local, &'r Expr)>,
    conditions: Vec<&'r Expr>,
}

impl Facts<'_> {
    /// Whether something was picked that lies in a set: it is a part, or several that were picked together.
    fn is_picked(&self, set: &Expr) -> bool {
        if let ExprKind::Union(parts) = &set.kind {
            return parts.iter().any(|part| self.is_picked(part));
        }
        let ExprKind::Local(local) = &set.kind else { return false };
        let is_union = |value: &Expr| matches!(value.kind, ExprKind::Union(_));
        let defined = |(known, value): &(Local, &Expr)| known == local && is_union(value) && self.is_picked(value);
        self.parts.iter().any(|(known, _)| known == local) || self.definitions.iter().any(defined)
    }
}

/// What every way to make a move does.
#[derive(Clone, Copy)]
pub(super) struct Effect {
    /// It never leaves fewer pieces than there were.
    pub keeps: bool,
    /// It always leaves more.
    pub fills: bool,
    /// It never leaves more pieces than there were.
    pub clears: bool,
    /// It always leaves fewer.
    pub takes: bool,
}

impl Effect {
    pub(super) const NOTHING: Self = Self { keeps: true, fills: false, clears: true, takes: false };
}

impl<'r> Length<'r> {
    pub(super) fn effect(&self, call: NodeIndex) -> Effect {
        let mv = self.mv(call).and_then(|mv| self.rules.moves.get(mv.0));
        mv.map_or(Effect::NOTHING, |mv| self.effect_from(mv.entry))
    }

    /// What the lines of a move do.
    pub(super) fn effect_from(&self, entry: NodeIndex) -> Effect {
        let mut effect = Effect::NOTHING;
        let mut facts = Facts::default();
        let mut at = Some(entry);
        while let Some(node) = at {
            match self.kind(node) {
                // Of a part that may be left out nothing is known.
                Some(NodeKind::Choose { local, domain, conditions, guard: None }) => {
                    facts.parts.push((*local, domain));
                    facts.conditions.extend(conditions);
                }
                Some(NodeKind::Let { local, value, guard: None }) => facts.definitions.push((*local, value)),
                Some(NodeKind::Require { condition, .. }) => facts.conditions.push(condition),
                Some(NodeKind::Change(changes)) => {
                    effect.keeps &= changes.iter().all(|change| self.keeps(change, &facts));
                    let moving: Vec<&Change> = changes.iter().filter(|change| change.kind.source().is_some()).collect();
                    effect.keeps &= moving.len() <= 1;
                    effect.fills |= changes.iter().any(|change| self.fills(change, &moving, &facts));
                    effect.clears &= changes.iter().all(|change| self.clears(change, &moving, &facts));
                    effect.takes |= changes.iter().any(|change| self.takes(change, changes, &facts));
                    facts = Facts::default();
                }
                Some(NodeKind::Repeat { changes, .. }) => {
                    let apart = |change: &Change| {
                        matches!(
                            change.kind,
                            ChangeKind::Remember { .. } | ChangeKind::Seats { .. } | ChangeKind::Know { .. }
                        )
                    };
                    let no_pieces = changes.iter().all(apart);
                    effect.keeps &= no_pieces;
                    effect.clears &= no_pieces;
                }
                Some(
                    NodeKind::Choose { guard: Some(_), .. }
                    | NodeKind::Let { guard: Some(_), .. }
                    | NodeKind::Weigh(_)
                    | NodeKind::Guard { .. }
                    | NodeKind::Call(_)
                    | NodeKind::Turn
                    | NodeKind::Fork
                    | NodeKind::Prefer
                    | NodeKind::End
                    | NodeKind::Move(_)
                    | NodeKind::Done,
                )
                | None => {}
            }
            at = self.next(node).next();
        }
        effect.fills &= effect.keeps;
        effect.takes &= effect.clears;
        effect
    }

    fn keeps(&self, change: &Change, facts: &Facts<'r>) -> bool {
        match &change.kind {
            ChangeKind::Remember { .. } | ChangeKind::Seats { .. } | ChangeKind::Know { .. } => true,
            ChangeKind::Becomes { piece, .. } => self.is_piece(piece),
            ChangeKind::Gets { .. } => true,
            ChangeKind::Slice { piece, .. } => self.is_piece(piece),
            ChangeKind::Carry { to, piece, .. } => {
                change.each.is_none()
                    && piece.as_ref().is_none_or(|piece| self.is_piece(piece))
                    && self.is_empty(to, facts)
            }
            ChangeKind::MoveTo { from, to, piece } => {
                change.each.is_none()
                    && piece.as_ref().is_none_or(|piece| self.is_piece(piece))
                    && (self.is_empty(to, facts) || self.slides(from, to, facts))
            }
        }
    }

    fn fills(&self, change: &Change, moving: &[&Change], facts: &Facts<'r>) -> bool {
        let ChangeKind::Becomes { target, piece } = &change.kind else { return false };
        // A piece of the same kind that moves there would make no difference to be seen.
        let other_kind = |moving: &&Change| {
            let ChangeKind::MoveTo { from, piece: None, .. } = &moving.kind else { return false };
            kinds(from, facts).zip(made_of(piece)).is_some_and(|(a, b)| a.0 & b.0 == 0)
        };
        change.each.is_none()
            && change.guard.is_none()
            && self.is_piece(piece)
            && self.has_free_site(target, facts)
            && moving.iter().all(other_kind)
    }

    /// Whether a set surely has a member on which nothing stands; the others may have pieces.
    fn has_free_site(&self, set: &Expr, facts: &Facts<'r>) -> bool {
        facts.is_picked(set) && self.is_empty(set, facts)
            || matches!(&set.kind, ExprKind::Union(parts) if parts.iter().any(|part| self.has_free_site(part, facts)))
    }

    /// Whether a change leaves no more pieces than there were.
    fn clears(&self, change: &Change, moving: &[&Change], facts: &Facts<'r>) -> bool {
        match &change.kind {
            ChangeKind::Remember { .. } | ChangeKind::Seats { .. } | ChangeKind::Know { .. } => true,
            ChangeKind::MoveTo { .. } | ChangeKind::Carry { slice: None, .. } => change.each.is_none(),
            ChangeKind::Slice { .. } => true,
            // What was empty may be so no more.
            ChangeKind::Gets { target, .. } => change.each.is_none() && self.is_full(target, facts),
            ChangeKind::Carry { to, .. } => change.each.is_none() && self.is_full(to, facts),
            ChangeKind::Becomes { target, piece } => {
                let replaced = || {
                    let full = |set: &Expr, facts: &Facts<'r>| self.is_full(set, facts);
                    let told = change.guard.iter().any(|guard| self.is_told(target, guard, &facts.picks(), &full));
                    change.each.is_none() && (told || self.is_full(target, facts))
                };
                is_nothing(piece) || moving.is_empty() && replaced()
            }
        }
    }

    /// Whether a set surely has a member: something was picked that lies in it, or it is asked for.
    fn has_some(&self, set: &Expr, facts: &Facts<'r>) -> bool {
        let is_asked = |asked: &Expr| matches!(&asked.kind, ExprKind::Any(some) if **some == *set);
        let asked = |condition: &Expr| {
            is_asked(condition) || matches!(&condition.kind, ExprKind::And(parts) if parts.iter().any(is_asked))
        };
        // A number from 1 to how many there are can be picked only where there is one.
        let counted = |(_, from): &(Local, &Expr)| {
            matches!(&from.kind, ExprKind::Range(low, high)
                if matches!(low.as_constant(), Some(Value::Number(Some(1..))))
                    && matches!(&high.kind, ExprKind::Count(some) if **some == *set))
        };
        let defined = |local: Local| {
            let of = |(known, value): &(Local, &Expr)| *known == local && self.has_some(value, facts);
            facts.definitions.iter().any(of)
        };
        let is_part = |set: &Expr| {
            matches!(&set.kind, ExprKind::Union(parts) if parts.iter().any(|part| self.has_some(part, facts)))
                || matches!(set.kind, ExprKind::Local(local) if defined(local))
        };
        facts.is_picked(set)
            || is_part(set)
            || facts.conditions.iter().any(|condition| asked(condition))
            || facts.parts.iter().any(counted)
    }

    /// Whether a change takes a piece away that does not leave by itself.
    fn takes(&self, change: &Change, changes: &[Change], facts: &Facts<'r>) -> bool {
        let moving = || changes.iter().filter(|change| change.kind.source().is_some());
        let surely = change.each.is_none() && change.guard.is_none();
        let stays = |moving: &Change, target: &Expr| {
            let ChangeKind::MoveTo { from, .. } = &moving.kind else { return false };
            self.differ(from, target, facts)
        };
        match &change.kind {
            ChangeKind::Becomes { target, piece } => {
                surely
                    && is_nothing(piece)
                    && self.has_some(target, facts)
                    && self.is_full(target, facts)
                    && moving().all(|moving| stays(moving, target))
            }
            // What stood there is gone, or beneath it, and nothing is put where it has left.
            ChangeKind::MoveTo { from, to, .. } | ChangeKind::Carry { slice: None, from, to, .. } => {
                let puts_nothing = |other: &Change| match &other.kind {
                    ChangeKind::Remember { .. } | ChangeKind::Seats { .. } | ChangeKind::Know { .. } => true,
                    ChangeKind::Becomes { piece, .. } => is_nothing(piece),
                    ChangeKind::MoveTo { .. }
                    | ChangeKind::Gets { .. }
                    | ChangeKind::Slice { .. }
                    | ChangeKind::Carry { .. } => std::ptr::eq(other, change),
                };
                surely
                    && self.is_full(from, facts)
                    && self.is_full(to, facts)
                    && self.differ(from, to, facts)
                    && changes.iter().all(puts_nothing)
            }
            ChangeKind::Remember { .. }
            | ChangeKind::Seats { .. }
            | ChangeKind::Know { .. }
            | ChangeKind::Gets { .. }
            | ChangeKind::Slice { .. }
            | ChangeKind::Carry { slice: Some(_), .. } => false,
        }
    }

    /// Whether two sets of pieces have none in common, by their owners or their kinds.
    fn differ(&self, one: &Expr, other: &Expr, facts: &Facts<'r>) -> bool {
        let owners = self.is_mine(one, facts).zip(self.is_mine(other, facts));
        let kinds = kinds(one, facts).zip(kinds(other, facts));
        owners.is_some_and(|(one, other)| one != other) || kinds.is_some_and(|(one, other)| one.0 & other.0 == 0)
    }

    /// Whether a condition says that the sites of a set lie in one of a certain sort.
    fn is_told(
        &self,
        set: &Expr,
        condition: &Expr,
        facts: &Facts<'r>,
        sort: &impl Fn(&Expr, &Facts<'r>) -> bool,
    ) -> bool {
        match &condition.kind {
            ExprKind::And(parts) => parts.iter().any(|part| self.is_told(set, part, facts, sort)),
            ExprKind::In { left, not: false, right } | ExprKind::Subset(left, right) => {
                **left == *set && sort(right, facts)
            }
            // The names inside a word are its own.
            ExprKind::Word(word, args) => self.rules.words.get(word.0).is_some_and(|word| {
                let given = args.iter().enumerate().filter(|(_, given)| *given == set);
                given.into_iter().any(|(at, _)| {
                    let own = Expr { kind: ExprKind::Local(Local(at)), span: set.span };
                    self.is_told(&own, &word.body, &Facts::default(), sort)
                })
            }),
            _ => false,
        }
    }

    /// Whether it is asked that the sites of a set lie in one of a certain sort.
    fn is_asked(&self, set: &Expr, facts: &Facts<'r>, sort: impl Fn(&Expr, &Facts<'r>) -> bool) -> bool {
        let picks = facts.picks();
        facts.conditions.iter().any(|condition| self.is_told(set, condition, &picks, &sort))
    }

    /// Whether a piece stands on each site of a set.
    fn is_full(&self, expr: &Expr, facts: &Facts<'r>) -> bool {
        let from_itself = match &expr.kind {
            ExprKind::OfKinds(_) | ExprKind::OfPlayers(_) => true,
            ExprKind::Primitive(word, args) => match word.stands {
                Stands::Piece => true,
                Stands::As(param) => args.get(param).is_some_and(|like| self.is_full(like, facts)),
                Stands::Nothing | Stands::Anything => false,
            },
            ExprKind::Intersection(parts) => parts.iter().any(|part| self.is_full(part, facts)),
            ExprKind::Union(parts) => parts.iter().all(|part| self.is_full(part, facts)),
            ExprKind::The(inner) => self.is_full(inner, facts),
            ExprKind::SetOf { domain, .. } => self.is_full(domain, facts),
            ExprKind::Word(word, _) => {
                self.rules.words.get(word.0).is_some_and(|word| self.is_full(&word.body, &Facts::default()))
            }
            ExprKind::Each { body, .. } => self.is_full(body, facts),
            ExprKind::If { then, otherwise, .. } => self.is_full(then, facts) && self.is_full(otherwise, facts),
            ExprKind::Local(local) => facts.of(*local).is_some_and(|from| self.is_full(from, facts)),
            _ => false,
        };
        from_itself || self.is_asked(expr, facts, |set, facts| self.is_full(set, facts))
    }

    /// Whether the mover owns what stands on the sites of a set, or others do.
    fn is_mine(&self, expr: &Expr, facts: &Facts<'r>) -> Option<bool> {
        let mover = |expr: &Expr| matches!(&expr.kind, ExprKind::Primitive(word, _) if word.id == Id::Mover);
        match &expr.kind {
            ExprKind::OfPlayers(owners) => match &owners.kind {
                ExprKind::Intersection(parts) => {
                    let others = |part: &Expr| matches!(&part.kind, ExprKind::Complement(inner) if mover(inner));
                    parts.iter().any(others).then_some(false)
                }
                _ => mover(owners).then_some(true),
            },
            ExprKind::Intersection(parts) => parts.iter().find_map(|part| self.is_mine(part, facts)),
            ExprKind::The(inner) => self.is_mine(inner, facts),
            ExprKind::SetOf { domain, .. } => self.is_mine(domain, facts),
            ExprKind::Word(word, _) => self.is_mine(&self.rules.words.get(word.0)?.body, &Facts::default()),
            ExprKind::Primitive(word, args) => match word.stands {
                Stands::As(param) => self.is_mine(args.get(param)?, facts),
                Stands::Nothing | Stands::Piece | Stands::Anything => None,
            },
            ExprKind::Local(local) => {
                let told =
                    |mine: &bool| self.is_asked(expr, facts, |set, facts| self.is_mine(set, facts) == Some(*mine));
                let picked = facts.of(*local).and_then(|from| self.is_mine(from, facts));
                picked.or_else(|| [true, false].into_iter().find(told))
            }
            _ => None,
        }
    }

    /// Whether an expression gives a piece (or no value), never `empty`.
    fn is_piece(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Constant(Value::Piece(content)) => content.is_none_or(|content| !content.is_empty()),
            ExprKind::Piece { .. } => true,
            ExprKind::If { condition, then, otherwise } => {
                (never(condition) || self.is_piece(then)) && self.is_piece(otherwise)
            }
            ExprKind::Word(word, _) => self.rules.words.get(word.0).is_some_and(|word| self.is_piece(&word.body)),
            _ => false,
        }
    }

    /// Whether nothing stands on the sites of a set.
    fn is_empty(&self, expr: &Expr, facts: &Facts<'r>) -> bool {
        let from_itself = match &expr.kind {
            ExprKind::Primitive(word, args) => match word.stands {
                Stands::Nothing => true,
                Stands::As(param) => args.get(param).is_some_and(|like| self.is_empty(like, facts)),
                Stands::Piece | Stands::Anything => false,
            },
            ExprKind::Intersection(parts) => parts.iter().any(|part| self.is_empty(part, facts)),
            ExprKind::Union(parts) => parts.iter().all(|part| self.is_empty(part, facts)),
            ExprKind::The(inner) => self.is_empty(inner, facts),
            ExprKind::SetOf { domain, .. } => self.is_empty(domain, facts),
            // The names inside a word are its own.
            ExprKind::Word(word, _) => {
                self.rules.words.get(word.0).is_some_and(|word| self.is_empty(&word.body, &Facts::default()))
            }
            ExprKind::Each { body, .. } => self.is_empty(body, facts),
            ExprKind::If { then, otherwise, .. } => self.is_empty(then, facts) && self.is_empty(otherwise, facts),
            ExprKind::Local(local) => facts.of(*local).is_some_and(|from| self.is_empty(from, facts)),
            _ => false,
        };
        from_itself || self.is_asked(expr, facts, |set, facts| self.is_empty(set, facts))
    }

    /// Whether a piece goes no further in a direction than the sites before it are empty.
    fn slides(&self, from: &Expr, to: &Expr, facts: &Facts<'r>) -> bool {
        let ExprKind::Primitive(word, args) = &to.kind else { return false };
        let (Id::Ahead, [start, way, steps]) = (word.id, args.as_slice()) else { return false };
        let room = |count: &Expr| {
            let ExprKind::Count(open) = &count.kind else { return false };
            self.open(open).is_some_and(|(x, d)| x == start && d == way)
        };
        let forward = |from: &Expr| match &from.kind {
            ExprKind::Count(_) => true,
            ExprKind::Range(low, _) => {
                matches!(low.kind, ExprKind::Constant(Value::Number(Some(low))) if low >= 0)
            }
            _ => false,
        };
        let (ExprKind::Local(steps), ExprKind::Local(one)) = (&steps.kind, &way.kind) else { return false };
        let (steps, one) = (*steps, *one);
        let single = facts.parts.iter().any(|(known, _)| *known == one)
            || facts
                .of(one)
                .is_some_and(|way| matches!(&way.kind, ExprKind::Primitive(word, _) if word.members != Members::Any));
        let picked = facts.of(steps);
        let within = picked.is_some_and(|from| matches!(&from.kind, ExprKind::Range(_, high) if room(high)))
            || facts.conditions.iter().any(|condition| match &condition.kind {
                ExprKind::Compare { first, rest } => match rest.as_slice() {
                    [(CompareOp::GreaterEqual, right)] => {
                        room(first) && matches!(right.kind, ExprKind::Local(right) if right == steps)
                    }
                    _ => false,
                },
                _ => false,
            });
        single && start == from && within && picked.is_some_and(forward)
    }

    /// The start and the way of a run over empty sites.
    fn open<'e>(&'e self, expr: &'e Expr) -> Option<(&'e Expr, &'e Expr)> {
        match &expr.kind {
            ExprKind::Primitive(word, args) => match (word.id, args.as_slice()) {
                (Id::Run, [x, d, within]) if self.is_empty(within, &Facts::default()) => Some((x, d)),
                _ => None,
            },
            ExprKind::Word(word, args) => {
                let (x, d) = self.open(&self.rules.words.get(word.0)?.body)?;
                let given = |expr: &Expr| match expr.kind {
                    ExprKind::Local(local) => args.get(local.0),
                    _ => None,
                };
                Some((given(x)?, given(d)?))
            }
            _ => None,
        }
    }
}

impl<'r> Facts<'r> {
    /// What is known apart from the conditions. A condition may speak of the very site that it is asked about, so that no
    /// second one is looked at behind it.
    fn picks(&self) -> Self {
        Self { parts: self.parts.clone(), definitions: self.definitions.clone(), conditions: Vec::new() }
    }

    fn of(&self, local: Local) -> Option<&'r Expr> {
        self.parts.iter().chain(&self.definitions).find(|(known, _)| *known == local).map(|(_, from)| *from)
    }
}

/// Whether an expression is `empty`, of which a site becomes empty.
pub(super) fn is_nothing(piece: &Expr) -> bool {
    matches!(piece.as_constant(), Some(Value::Piece(Some(content))) if content.is_empty())
}

/// The kinds of which the pieces on the sites of a set can be.
fn kinds(expr: &Expr, facts: &Facts<'_>) -> Option<Kinds> {
    match &expr.kind {
        ExprKind::OfKinds(kinds) => kind_set(kinds),
        ExprKind::The(inner) => kinds(inner, facts),
        ExprKind::Intersection(parts) => parts.iter().find_map(|part| kinds(part, facts)),
        ExprKind::Local(local) => kinds(facts.of(*local)?, facts),
        _ => None,
    }
}

/// The kind of a piece that is made.
fn made_of(piece: &Expr) -> Option<Kinds> {
    if let ExprKind::Piece { kind, .. } = &piece.kind { kind_set(kind) } else { None }
}

fn kind_set(expr: &Expr) -> Option<Kinds> {
    if let Some(Value::Kinds(kinds)) = expr.as_constant() { Some(*kinds) } else { None }
}

/// Whether a name is compared with one that it cannot be: the options have decided.
fn never(condition: &Expr) -> bool {
    fn choices(expr: &Expr, found: &mut BTreeSet<ChoiceId>) -> bool {
        match &expr.kind {
            ExprKind::Constant(Value::Choice(choice)) => {
                found.insert(*choice);
                true
            }
            ExprKind::If { then, otherwise, .. } => choices(then, found) && choices(otherwise, found),
            _ => false,
        }
    }
    let ExprKind::Compare { first, rest } = &condition.kind else { return false };
    let [(CompareOp::Equal, key)] = rest.as_slice() else { return false };
    let Some(Value::Choice(key)) = key.as_constant() else { return false };
    let mut found = BTreeSet::new();
    choices(first, &mut found) && !found.contains(key)
}
