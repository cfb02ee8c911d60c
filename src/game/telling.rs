//! Moves as text while a game is played on an engine: what [`Position::move_text`](super::Position::move_text) prints,
//! without a position.

use super::Game;
use super::notation::{pieces, signed, told_apart, value_text};
use crate::board::SiteSet;
use crate::engine::{Play, Shown};
use crate::rules::{ExprKind, Move, MoveId, NotationPiece, Rules, Type, Value};

/// Writes legal plies as they are printed.
#[derive(Clone, Debug)]
pub struct Teller<'g> {
    rules: &'g Rules,
    /// By move, whether no other legal ply can print alike.
    plain: Vec<bool>,
    values: Vec<Shown>,
    other: String,
}

impl<'g> Teller<'g> {
    /// For the games of these rules.
    #[must_use]
    pub fn new(game: &'g Game) -> Self {
        let rules = game.rules();
        let plain = (0..rules.moves.len()).map(|at| is_plain(game, MoveId(at))).collect();
        Self { rules, plain, values: Vec::new(), other: String::new() }
    }

    /// Appends a legal ply as it is printed here; none where it takes a position to tell.
    pub fn write(&mut self, player: &mut dyn Play, index: usize, text: &mut String) -> Option<()> {
        let from = text.len();
        let mv = self.print(player, index, text)?;
        if self.plain.get(mv.0) == Some(&true) {
            return Some(());
        }
        if player.is_drawn() {
            return None;
        }
        let mut other = std::mem::take(&mut self.other);
        let mut alone = Some(true);
        for at in (0..player.count()).filter(|at| *at != index) {
            other.clear();
            alone = self.print(player, at, &mut other).and(alone);
            if alone.is_none() || Some(other.as_str()) == text.get(from..) {
                alone = alone.map(|_| false);
                break;
            }
        }
        self.other = other;
        if !alone? {
            let apart = self.apart(player, index)?;
            text.truncate(from);
            text.push_str(&apart);
        }
        Some(())
    }

    /// A ply with as much of what may be left out as tells it from the others; none where nothing does.
    fn apart(&mut self, player: &mut dyn Play, index: usize) -> Option<String> {
        let mut all = Vec::with_capacity(player.count());
        for at in 0..player.count() {
            let mv = player.shown(at, &mut self.values)?;
            let values: Vec<Value> = self.values.iter().map(value_of).collect();
            all.push(pieces(self.rules, self.rules.moves.get(mv.0)?, &values));
        }
        let printed = told_apart(&all);
        let text = printed.get(index)?;
        (printed.iter().filter(|other| *other == text).count() == 1).then(|| text.clone())
    }

    /// Appends a ply without regard to others.
    fn print(&mut self, player: &mut dyn Play, index: usize, text: &mut String) -> Option<MoveId> {
        let mv = player.shown(index, &mut self.values)?;
        let mut shown = self.values.iter();
        for piece in &self.rules.moves.get(mv.0)?.notation {
            match piece {
                NotationPiece::Text(fixed) | NotationPiece::Optional { text: fixed, where_needed: false } => {
                    text.push_str(fixed);
                }
                NotationPiece::Optional { where_needed: true, .. } => {}
                NotationPiece::Value { where_needed, signs: Some(signs), .. } => {
                    let value = shown.next()?;
                    if !where_needed {
                        text.push_str(&signed(self.rules, &value_of(value), signs));
                    }
                }
                NotationPiece::Value { where_needed, dash, signs: None, .. } => {
                    let value = shown.next()?;
                    if !where_needed {
                        self.push(value, *dash, text);
                    }
                }
            }
        }
        Some(mv)
    }

    fn push(&self, value: &Shown, dash: bool, text: &mut String) {
        let from = text.len();
        match value {
            Shown::Site(site) => text.push_str(site.map_or("", |site| self.rules.board.name(site))),
            Shown::Value(value) => text.push_str(&value_text(self.rules, value)),
        }
        if dash && (text.len() == from || *value == Shown::Value(Value::Number(Some(0)))) {
            text.truncate(from);
            text.push('-');
        }
    }
}

/// The same value as the rules have it.
fn value_of(shown: &Shown) -> Value {
    match shown {
        Shown::Site(site) => Value::of_sites(site.map_or(SiteSet::EMPTY, SiteSet::single)),
        Shown::Value(value) => value.clone(),
    }
}

/// Whether no other legal ply can print like a ply of this move, as far as its notation tells.
fn is_plain(game: &Game, id: MoveId) -> bool {
    let rules = game.rules();
    let (Some(mv), Some(fast)) = (rules.moves.get(id.0), game.fast()) else { return false };
    let own = || fast.program().by_mover.iter().flat_map(|own| &own.calls).filter(|call| call.mv == id);
    let others = rules.moves.iter().enumerate().filter(|(other, _)| *other != id.0).map(|(_, other)| other);
    own().all(|call| !call.may_print_alike)
        && is_readable(rules, mv)
        && others.into_iter().all(|other| differ(rules, mv, other))
}

/// Whether the values can be read back from the text: they are sites and numbers, and between any two stands something
/// that is part of neither.
fn is_readable(rules: &Rules, mv: &Move) -> bool {
    let Some(numbers) = has_numbers(mv) else { return false };
    let names = rules.board.all().iter().all(|site| rules.board.name(site).chars().all(char::is_alphanumeric));
    let parts = |c: char| !c.is_alphanumeric() && (c != '-' || !numbers);
    let between = mv.notation.windows(2).all(|pair| match pair {
        [NotationPiece::Value { .. }, after] => fixed(after).and_then(|text| text.chars().next()).is_some_and(parts),
        _ => true,
    });
    let always = mv.notation.iter().all(|piece| match piece {
        NotationPiece::Text(_) | NotationPiece::Optional { where_needed: false, .. } => true,
        NotationPiece::Optional { where_needed: true, .. } => false,
        NotationPiece::Value { where_needed, signs, .. } => !where_needed && signs.is_none(),
    });
    names && between && always
}

/// Whether numbers are among the values printed, which may begin with a sign; none where there is anything but numbers and
/// sites.
fn has_numbers(mv: &Move) -> Option<bool> {
    let mut numbers = false;
    for piece in &mv.notation {
        if let NotationPiece::Value { value, dash, signs, .. } = piece {
            // What is not always there tells nothing.
            if signs.is_some() {
                return None;
            }
            let ExprKind::Local(local) = value.kind else { return None };
            match mv.names.iter().find(|named| named.local == local)?.ty {
                Type::Sites => numbers |= dash,
                Type::Number => numbers = true,
                Type::Condition
                | Type::Range
                | Type::Directions
                | Type::Players
                | Type::Kinds
                | Type::Piece
                | Type::Choice
                | Type::List
                | Type::Unknown => return None,
            }
        }
    }
    Some(numbers)
}

/// What a piece of a notation prints in any case.
fn fixed(piece: &NotationPiece) -> Option<&str> {
    match piece {
        NotationPiece::Text(text) | NotationPiece::Optional { text, where_needed: false } => Some(text),
        NotationPiece::Optional { where_needed: true, .. } | NotationPiece::Value { .. } => None,
    }
}

/// Whether no ply of one move is printed like one of the other: the signs in the texts differ, or one is a word that no
/// site is called by.
fn differ(rules: &Rules, one: &Move, other: &Move) -> bool {
    let always = |mv: &Move| mv.notation.iter().filter_map(fixed).collect::<String>();
    let word = |mv: &Move| mv.notation.iter().all(|piece| matches!(piece, NotationPiece::Text(_))).then(|| always(mv));
    let (Some(numbers), Some(more)) = (has_numbers(one), has_numbers(other)) else { return false };
    let signs = |mv: &Move| -> String {
        always(mv).chars().filter(|c| "^/+*=<>()#@".contains(*c) || *c == '-' && !numbers && !more).collect()
    };
    match (word(one), word(other)) {
        (Some(one), Some(other)) => one != other,
        (Some(word), None) | (None, Some(word)) => {
            word.chars().all(char::is_alphabetic) && rules.board.find(&word).is_none()
        }
        (None, None) => signs(one) != signs(other),
    }
}
