//! Proof from the text: rules that name nothing that a mapping moves are kept by it.

use super::axes;
use super::mapping::Mapping;
use crate::board::Direction;
use crate::rules::asked;
use crate::rules::catalogue::Id;
use crate::rules::settled::Settled;
use crate::rules::{Expr, ExprKind, Local, Rules, Value, WordId};
use std::collections::BTreeSet;

/// Whether nothing in the rules tells the board from its image. Where this says no the mapping may still be a symmetry: two
/// things that are named may have changed places.
#[must_use]
pub fn keeps(rules: &Rules, mapping: &Mapping) -> bool {
    if mapping.swaps() {
        return false;
    }
    let sides =
        Direction::ALL.into_iter().all(|way| mapping.set(rules.board.side(way)) == rules.board.side(mapping.way(way)));
    let facing = rules.players.iter().filter_map(|player| player.facing).all(|way| mapping.way(way) == way);
    let mut proof = Proof { rules, mapping, sides, words: BTreeSet::new() };
    let score = rules.score.is_none_or(|word| proof.keeps_word(word));
    facing && score && asked::anywhere(rules).into_iter().all(|expr| proof.keeps(expr))
}

struct Proof<'a> {
    rules: &'a Rules,
    mapping: &'a Mapping,
    /// The side in each direction becomes that in its image.
    sides: bool,
    /// Words that have been looked at.
    words: BTreeSet<usize>,
}

impl Proof<'_> {
    /// Whether an expression says the same of the image.
    fn keeps(&mut self, expr: &Expr) -> bool {
        // What depends on nothing but the board is looked at as a whole.
        if let Some(value) = Settled::by_board(self.rules).value(expr, &mut Vec::new()) {
            return self.mapping.value(&value) == value;
        }
        // Which site stands for a group hangs on the order of the board; how many groups there are does not.
        if let ExprKind::Count(set) = &expr.kind
            && let ExprKind::Primitive(word, args) = &set.kind
            && word.id == Id::Groups
        {
            return args.iter().all(|arg| self.keeps(arg));
        }
        let parts = self.along_axes(&expr.kind).unwrap_or_else(|| expr.children());
        self.is_even(&expr.kind) && parts.into_iter().all(|part| self.keeps(part))
    }

    /// What is left to be proved of a form that goes through directions, where it says the same of each and of its opposite, and
    /// their images lie on the same axes.
    fn along_axes<'e>(&self, kind: &'e ExprKind) -> Option<Vec<&'e Expr>> {
        let (local, domain, parts): (Local, &Expr, Vec<&Expr>) = match kind {
            ExprKind::Some { local, domain, condition, none: _ } => (*local, domain, vec![&**condition]),
            ExprKind::Reduce { reduce: _, body, local, domain, condition } => {
                (*local, domain, std::iter::once(&**body).chain(condition.as_deref()).collect())
            }
            // Of the directions themselves nothing is asked but how many there are.
            ExprKind::Count(set) | ExprKind::Any(set) | ExprKind::None(set) => {
                let ExprKind::SetOf { local, domain, condition } = &set.kind else { return None };
                (*local, domain, condition.as_deref().into_iter().collect())
            }
            _others => return None,
        };
        let value = Settled::by_board(self.rules).value(domain, &mut Vec::new())?;
        let (Value::Directions(ways), Value::Directions(images)) = (&value, self.mapping.value(&value)) else {
            return None;
        };
        let alike =
            axes::are_kept(*ways, images) && parts.iter().all(|part| axes::says_the_same(self.rules, part, local));
        alike.then_some(parts)
    }

    /// Whether the definition of a word does, whatever it is told.
    fn keeps_word(&mut self, word: WordId) -> bool {
        let rules = self.rules;
        !self.words.insert(word.0) || rules.words.get(word.0).is_none_or(|word| self.keeps(&word.body))
    }

    /// Whether a form makes images of images.
    fn is_even(&mut self, kind: &ExprKind) -> bool {
        match kind {
            ExprKind::Primitive(word, _) if word.id == Id::Side => self.sides,
            ExprKind::Primitive(word, _) => !matches!(
                word.id,
                Id::Row
                    | Id::Column
                    | Id::RowNumber
                    | Id::ColumnNumber
                    | Id::Turned
                    | Id::Dark
                    | Id::Groups
                    | Id::OneOf
                    | Id::ListedAfter
            ),
            ExprKind::Word(word, _) | ExprKind::Adjective { word, holds: _ } => self.keeps_word(*word),
            ExprKind::Constant(_)
            | ExprKind::Local(_)
            | ExprKind::OfKinds(_)
            | ExprKind::OfPlayers(_)
            | ExprKind::Piece { .. }
            | ExprKind::Memory { .. }
            | ExprKind::Entry { .. }
            | ExprKind::Before(_)
            | ExprKind::Not(_)
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Complement(_)
            | ExprKind::Intersection(_)
            | ExprKind::Union(_)
            | ExprKind::Compare { .. }
            | ExprKind::In { .. }
            | ExprKind::Subset(..)
            | ExprKind::Arithmetic(..)
            | ExprKind::Range(..)
            | ExprKind::Negative(_)
            | ExprKind::Any(_)
            | ExprKind::None(_)
            | ExprKind::The(_)
            | ExprKind::Count(_)
            | ExprKind::If { .. }
            | ExprKind::Some { .. }
            | ExprKind::SetOf { .. }
            | ExprKind::Each { .. }
            | ExprKind::Reduce { .. }
            | ExprKind::List(_)
            | ExprKind::Seen { .. }
            | ExprKind::Possible { .. } => true,
        }
    }
}
