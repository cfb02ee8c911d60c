//! What an expression has become, asked for as a set, a site, a mask or a number; and values as they are stored.

use super::Unsupported;
use super::build::*;
use super::ir::*;
use super::lower::{Lowered, Lowering, mask_of_directions, plain};
use super::narrow::{count, counted};
use crate::board::SiteSet;
use crate::rules::{CompareOp, Content, KindId, PlayerId, Players, Scope, Type, Value};
use crate::source::Span;

/// What an expression has become; sets with one member at most are known as such.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Val {
    Missing,
    Sites(Sets),
    Site(Int),
    Number(Int),
    Range(Int, Int),
    Directions(Int),
    Direction(Int),
    Players(Int),
    Player(Int),
    Kinds(Int),
    Kind(Int),
    Piece(Int),
    Choice(Int),
    /// Tests for "true" and for "false".
    Condition(Test, Test),
    List(Vec<Int>),
}

impl Val {
    /// No value of a type, as of a part that is left out.
    pub fn nothing(ty: Type) -> Self {
        const NOT: Test = Test::Const(false);
        match ty {
            Type::Sites => Self::Site(Int::Const(NONE)),
            Type::Number => Self::Number(Int::Const(NONE)),
            Type::Directions => Self::Directions(Int::Const(0)),
            Type::Players => Self::Players(Int::Const(0)),
            Type::Kinds => Self::Kinds(Int::Const(0)),
            Type::Piece => Self::Piece(Int::Const(NONE)),
            Type::Choice => Self::Choice(Int::Const(NONE)),
            Type::Condition => Self::Condition(NOT, NOT),
            Type::Range | Type::List | Type::Unknown => Self::Missing,
        }
    }

    /// How many instructions it takes.
    pub fn size(&self) -> usize {
        match self {
            Self::Sites(set) => set.size(),
            Self::Site(int)
            | Self::Number(int)
            | Self::Directions(int)
            | Self::Direction(int)
            | Self::Players(int)
            | Self::Player(int)
            | Self::Kinds(int)
            | Self::Kind(int)
            | Self::Piece(int)
            | Self::Choice(int) => int.size(),
            Self::Range(low, high) => low.size() + high.size(),
            Self::Condition(yes, no) => yes.size() + no.size(),
            Self::List(all) => all.iter().map(Int::size).sum(),
            Self::Missing => 0,
        }
    }
}

impl Lowering<'_> {
    pub fn constant_sites(&self, set: SiteSet) -> Sets {
        Sets::Const(self.layout.set(set))
    }

    pub(super) fn all_players(&self) -> i64 {
        i64::from(Players::first(self.rules.players.len()).0)
    }

    pub(super) fn all_kinds(&self) -> i64 {
        (0..self.rules.kinds.len()).fold(0, |all, kind| all | 1 << kind)
    }

    pub(super) fn all_directions(&self) -> i64 {
        mask_of_directions(self.rules.board.directions())
    }

    /// All directions in which lines lead.
    pub(super) fn all_ways(&self) -> i64 {
        mask_of_directions(self.rules.board.compass())
    }

    pub fn sets_of(&self, value: Val) -> Sets {
        match value {
            Val::Sites(set) => set,
            Val::Site(site) => one(site),
            _ => nothing(),
        }
    }

    pub fn site_of(&self, value: Val) -> Int {
        match value {
            Val::Sites(set) => only(set),
            Val::Site(site) => site,
            _ => Int::Const(NONE),
        }
    }

    /// A set of directions, players or kinds.
    pub fn mask_of(&self, value: Val) -> Int {
        match value {
            Val::Directions(mask) | Val::Players(mask) | Val::Kinds(mask) => mask,
            Val::Direction(index) | Val::Player(index) | Val::Kind(index) => bit(index),
            _ => Int::Const(0),
        }
    }

    /// The only direction, player or kind.
    pub fn index_of(&self, value: Val) -> Int {
        match value {
            Val::Directions(mask) | Val::Players(mask) | Val::Kinds(mask) => only_bit(mask),
            Val::Direction(index) | Val::Player(index) | Val::Kind(index) => index,
            _ => Int::Const(NONE),
        }
    }

    pub fn number_of(&self, value: Val) -> Int {
        match value {
            Val::Number(number) => number,
            _ => Int::Const(NONE),
        }
    }

    /// The plane of a piece of a kind and an owner.
    pub fn made(&self, kind: i64, owner: i64) -> Option<Int> {
        let row = self.plane_of.get(usize::try_from(kind).ok()?)?;
        let plane = row.get(usize::try_from(owner).ok()?).filter(|plane| **plane > 0)?;
        Some(Int::Const(i64::from(*plane)))
    }

    pub fn plane(&self, content: Content) -> Int {
        Int::Const(self.planes.iter().position(|known| *known == content).map_or(NONE, count))
    }

    pub fn constant(&self, value: &Value) -> Val {
        match value {
            Value::Condition(None) => Val::Condition(Test::Const(false), Test::Const(false)),
            Value::Condition(Some(held)) => Val::Condition(Test::Const(*held), Test::Const(!held)),
            Value::Number(number) => Val::Number(Int::Const(number.unwrap_or(NONE))),
            Value::Range(range) => {
                let (low, high) = range.unwrap_or((NONE, NONE));
                Val::Range(Int::Const(low), Int::Const(high))
            }
            Value::Sites(set) => match set.only() {
                Some(site) => Val::Site(counted(self.layout.position(site))),
                None => Val::Sites(self.constant_sites(set.get())),
            },
            Value::Directions(set) => Val::Directions(Int::Const(mask_of_directions(*set))),
            Value::Players(set) => Val::Players(Int::Const(i64::from(set.0))),
            Value::Kinds(set) => Val::Kinds(Int::Const(i64::from(set.0))),
            Value::Piece(piece) => Val::Piece(piece.map_or(Int::Const(NONE), |piece| self.plane(piece))),
            Value::Choice(choice) => Val::Choice(Int::Const(i64::from(choice.0))),
            Value::List(list) => Val::List(list.iter().map(|number| Int::Const(number.unwrap_or(NONE))).collect()),
        }
    }

    pub(super) fn planes_where(&self, wanted: impl Fn(Content) -> bool) -> u64 {
        self.planes.iter().enumerate().fold(0, |mask, (plane, content)| mask | u64::from(wanted(*content)) << plane)
    }

    pub fn of_kinds(&self, mask: Int, when: When) -> Sets {
        match mask {
            Int::Const(mask) => {
                let holds = |kind: KindId| mask >> kind.0 & 1 == 1;
                self.ground.planes(self.planes_where(|content| content.kind().is_some_and(holds)), when)
            }
            mask => Sets::OfKinds(Box::new(mask), when),
        }
    }

    pub fn of_players(&self, mask: Int, when: When) -> Sets {
        match mask {
            Int::Const(mask) => {
                let holds = |player: PlayerId| mask >> player.0 & 1 == 1;
                self.ground.planes(self.planes_where(|content| content.owner().is_some_and(holds)), when)
            }
            mask => Sets::OfPlayers(Box::new(mask), when),
        }
    }

    /// A value for one member of a domain.
    pub fn member(&self, domain: &Val, member: Int) -> Val {
        match domain {
            Val::Sites(_) | Val::Site(_) => Val::Site(member),
            Val::Directions(_) | Val::Direction(_) => Val::Direction(member),
            Val::Players(_) | Val::Player(_) => Val::Player(member),
            Val::Kinds(_) | Val::Kind(_) => Val::Kind(member),
            Val::Range(..) => Val::Number(member),
            _ => Val::Missing,
        }
    }

    pub fn domain(&self, value: Val) -> Domain {
        match value {
            Val::Sites(set) => Domain::Sites(set),
            Val::Site(site) => Domain::Sites(one(site)),
            Val::Range(low, high) => Domain::Range(low, high),
            other => Domain::Mask(self.mask_of(other)),
        }
    }

    pub(super) fn recall(
        &mut self,
        memory: crate::rules::MemoryId,
        index: Option<Val>,
        when: When,
        span: Span,
    ) -> Lowered<Val> {
        let unknown = || Unsupported { what: "an unknown memory".into(), span };
        let info = self.rules.memories.get(memory.0).ok_or_else(unknown)?;
        let place = *self.memories.get(memory.0).ok_or_else(unknown)?;
        if place.sites {
            if info.scope != Scope::Game {
                return Err(Unsupported { what: "a set remembered for each player or site".into(), span });
            }
            return Ok(Val::Sites(Sets::Memory(place.base, when)));
        }
        let index = match (info.scope, index) {
            (Scope::Game, _) => None,
            (Scope::Player, Some(player)) => Some(self.index_of(player)),
            (Scope::Site, Some(site)) => Some(self.site_of(site)),
            (Scope::Kind, Some(kind)) => Some(self.index_of(kind)),
            (Scope::PlayerKind, Some(entry)) => Some(self.number_of(entry)),
            _ => Some(Int::Const(NONE)),
        };
        let cell = match index {
            None => Int::Cell(place.base, when),
            Some(Int::Const(NONE)) => Int::Const(missing(info.ty)),
            Some(index) => Int::CellAt { base: place.base, count: place.count, index: Box::new(index), when },
        };
        Ok(match info.ty {
            Type::Number => Val::Number(cell),
            Type::Directions => Val::Directions(cell),
            Type::Players => Val::Players(cell),
            Type::Kinds => Val::Kinds(cell),
            Type::Piece => Val::Piece(cell),
            Type::Choice => Val::Choice(cell),
            Type::Condition => Val::Condition(
                compare(CompareOp::Equal, cell.clone(), Int::Const(1)),
                compare(CompareOp::Equal, cell, Int::Const(0)),
            ),
            _ => return Err(Unsupported { what: "a remembered value of this type".into(), span }),
        })
    }

    /// What a memory of this type stores.
    pub fn stored(&self, ty: Type, value: Val) -> Int {
        match ty {
            Type::Directions | Type::Players | Type::Kinds => self.mask_of(value),
            Type::Condition => match value {
                Val::Condition(Test::Const(true), _) => Int::Const(1),
                Val::Condition(_, Test::Const(true)) => Int::Const(0),
                Val::Condition(yes, no) => Int::Truth(Box::new(yes), Box::new(no)),
                _ => Int::Const(NONE),
            },
            _ => plain(value),
        }
    }
}
