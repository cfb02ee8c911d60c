//! The values that expressions have while a game is played, and their types.

use super::held::Held;
use crate::board::{Direction, Directions, Site, SiteSet};
use std::fmt;

/// Index of a player in turn order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PlayerId(pub u8);

/// A set of at most [`MAX_PLAYERS`] players.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Players(pub u16);

/// Index of a kind of piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KindId(pub u8);

/// A set of at most [`MAX_KINDS`] kinds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Kinds(pub u32);

pub const MAX_PLAYERS: usize = 16;
pub const MAX_KINDS: usize = 32;
/// The most numbers of one range that are gone through.
pub const MAX_RANGE: usize = 100_000;
/// The most rounds of one `repeat`.
pub const MAX_ROUNDS: u32 = 10_000;

impl Players {
    #[must_use]
    pub fn single(player: PlayerId) -> Self {
        Self(1 << player.0)
    }

    #[must_use]
    pub fn first(count: usize) -> Self {
        Self((0..MAX_PLAYERS).take(count).fold(0, |all, player| all | 1 << player))
    }

    #[must_use]
    pub fn contains(self, player: PlayerId) -> bool {
        self.0 >> player.0 & 1 == 1
    }

    /// The only member.
    #[must_use]
    pub fn only(self) -> Option<PlayerId> {
        (self.0.count_ones() == 1).then(|| PlayerId(self.0.trailing_zeros() as u8))
    }

    pub fn iter(self) -> impl Iterator<Item = PlayerId> {
        (0..MAX_PLAYERS as u8).map(PlayerId).filter(move |player| self.contains(*player))
    }
}

impl Kinds {
    #[must_use]
    pub fn single(kind: KindId) -> Self {
        Self(1 << kind.0)
    }

    #[must_use]
    pub fn contains(self, kind: KindId) -> bool {
        self.0 >> kind.0 & 1 == 1
    }

    /// The only member.
    #[must_use]
    pub fn only(self) -> Option<KindId> {
        (self.0.count_ones() == 1).then(|| KindId(self.0.trailing_zeros() as u8))
    }

    pub fn iter(self) -> impl Iterator<Item = KindId> {
        (0..MAX_KINDS as u8).map(KindId).filter(move |kind| self.contains(*kind))
    }
}

/// What stands on a site: nothing, or a piece with a kind and perhaps an owner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Content(u16);

/// So many players have the low codes, which fit a byte and are all that most games need; those of the others follow.
const NEAR: u16 = 6;
const FAR: u16 = MAX_PLAYERS as u16 - NEAR;

/// How many codes the pieces of the first players and those of nobody have, with the empty site.
const LOW: u16 = 1 + MAX_KINDS as u16 * (NEAR + 1);

impl Content {
    pub const EMPTY: Self = Self(0);

    /// All codes are below this number.
    pub const CODES: usize = LOW as usize + MAX_KINDS * FAR as usize;

    /// All codes of a game for so many players are below this number.
    #[must_use]
    pub fn codes(players: usize) -> usize {
        if players <= usize::from(NEAR) { usize::from(LOW) } else { Self::CODES }
    }

    #[must_use]
    pub fn piece(kind: KindId, owner: Option<PlayerId>) -> Self {
        let kind = u16::from(kind.0);
        Self(match owner.map(|player| u16::from(player.0)) {
            None => 1 + kind * (NEAR + 1),
            Some(near @ 0..NEAR) => 2 + kind * (NEAR + 1) + near,
            Some(far) => LOW + kind * FAR + far - NEAR,
        })
    }

    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[must_use]
    pub fn kind(self) -> Option<KindId> {
        let kind = if self.0 < LOW { self.0.checked_sub(1)? / (NEAR + 1) } else { (self.0 - LOW) / FAR };
        u8::try_from(kind).ok().map(KindId)
    }

    #[must_use]
    pub fn owner(self) -> Option<PlayerId> {
        let owner = if self.0 < LOW {
            (self.0.checked_sub(1)? % (NEAR + 1)).checked_sub(1)?
        } else {
            NEAR + (self.0 - LOW) % FAR
        };
        u8::try_from(owner).ok().map(PlayerId)
    }

    #[must_use]
    pub fn code(self) -> u16 {
        self.0
    }

    /// What has this code.
    #[must_use]
    pub fn from_code(code: u16) -> Self {
        Self(code)
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}/{:?}", self.kind(), self.owner())
    }
}

/// A name among the values of options, phases and tracked names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChoiceId(pub u16);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Condition,
    Number,
    Range,
    Sites,
    Directions,
    Players,
    Kinds,
    Piece,
    Choice,
    List,
    /// The type of what has already been reported; it fits everywhere.
    Unknown,
}

impl Type {
    /// The types that rule files can name.
    pub const NAMED: [Self; 7] =
        [Type::Sites, Type::Directions, Type::Players, Type::Kinds, Type::Number, Type::Condition, Type::Piece];

    /// What the type is called: of sets by one member, and by all.
    #[must_use]
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Type::Condition => &["condition"],
            Type::Number => &["number"],
            Type::Range => &["range"],
            Type::Sites => &["site", "sites"],
            Type::Directions => &["direction", "directions"],
            Type::Players => &["player", "players"],
            Type::Kinds => &["kind", "kinds"],
            Type::Piece => &["piece"],
            Type::Choice => &["name"],
            Type::List => &["list"],
            Type::Unknown => &[],
        }
    }

    /// The name of the type; empty for the unknown one.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.names().last().copied().unwrap_or_default()
    }

    /// Every name that a rule file may give a type.
    pub fn written_names() -> impl Iterator<Item = &'static str> {
        Self::NAMED.iter().flat_map(|ty| ty.names()).copied()
    }

    /// The type that a rule file names.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|ty| ty.names().contains(&name))
    }

    /// What a value of the type is called towards people.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Type::Condition => "a condition",
            Type::Number => "a number",
            Type::Range => "a range of numbers",
            Type::Sites => "a set of sites",
            Type::Directions => "a direction",
            Type::Players => "a player",
            Type::Kinds => "a kind of piece",
            Type::Piece => "a piece",
            Type::Choice => "a value of an option",
            Type::List => "a list of numbers",
            Type::Unknown => "something unknown",
        }
    }

    /// How a value of the type is written, for help.
    #[must_use]
    pub fn example(self) -> String {
        let example = match self {
            Type::Condition => "ask something, as in `any own`, `n > 2`, `x in edge`",
            Type::Number => "write a number, as in `3`, `count own`, `if any own then 1 else 0`",
            Type::Range => "write a range, as in `1..3`",
            Type::Sites => "name sites, as in `empty`, `own next_to x`, `edge`",
            Type::Directions => "name a direction, as in `N`, `orthogonal`, `facing(mover)`",
            Type::Players => "name a player, or `mover` or `next`",
            Type::Kinds => "name a kind of piece",
            Type::Piece => "name a piece with its owner, as in `stone of mover`, or `empty`",
            Type::Choice => "name one of the values",
            Type::List => "write numbers in brackets, as in `[1, 2]`",
            Type::Unknown => "say it in another way",
        };
        example.to_owned()
    }

    #[must_use]
    pub fn is_set(self) -> bool {
        matches!(self, Type::Sites | Type::Directions | Type::Players | Type::Kinds)
    }
}

/// A value. `None` inside stands for "no value": a comparison with it is neither true nor false.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    Condition(Option<bool>),
    Number(Option<i64>),
    Range(Option<(i64, i64)>),
    Sites(Held),
    Directions(Directions),
    Players(Players),
    Kinds(Kinds),
    Piece(Option<Content>),
    Choice(ChoiceId),
    List(Vec<Option<i64>>),
}

impl Value {
    #[must_use]
    pub fn of_sites(set: SiteSet) -> Self {
        Self::Sites(set.into())
    }

    #[must_use]
    pub fn of_site(site: Site) -> Self {
        Self::Sites(site.into())
    }

    /// The bytes that it takes beside itself.
    #[must_use]
    pub fn room(&self) -> usize {
        match self {
            Self::Sites(sites) => sites.room(),
            Self::List(numbers) => size_of_val(numbers.as_slice()),
            Self::Condition(_)
            | Self::Number(_)
            | Self::Range(_)
            | Self::Directions(_)
            | Self::Players(_)
            | Self::Kinds(_)
            | Self::Piece(_)
            | Self::Choice(_) => 0,
        }
    }

    #[must_use]
    pub fn is_true(&self) -> bool {
        matches!(self, Value::Condition(Some(true)))
    }

    #[must_use]
    pub fn condition(&self) -> Option<bool> {
        if let Value::Condition(condition) = self { *condition } else { None }
    }

    #[must_use]
    pub fn number(&self) -> Option<i64> {
        if let Value::Number(number) = self { *number } else { None }
    }

    #[must_use]
    pub fn sites(&self) -> SiteSet {
        if let Value::Sites(sites) = self { sites.get() } else { SiteSet::EMPTY }
    }

    /// The only site.
    #[must_use]
    pub fn site(&self) -> Option<Site> {
        if let Value::Sites(sites) = self { sites.only() } else { None }
    }

    #[must_use]
    pub fn directions(&self) -> Directions {
        if let Value::Directions(directions) = self { *directions } else { Directions::EMPTY }
    }

    #[must_use]
    pub fn direction(&self) -> Option<Direction> {
        self.directions().only()
    }

    #[must_use]
    pub fn players(&self) -> Players {
        if let Value::Players(players) = self { *players } else { Players::default() }
    }

    #[must_use]
    pub fn kinds(&self) -> Kinds {
        if let Value::Kinds(kinds) = self { *kinds } else { Kinds::default() }
    }

    /// Whether a set has no member; other values are never empty.
    #[must_use]
    pub fn is_empty_set(&self) -> bool {
        match self {
            Value::Sites(set) => set.is_empty(),
            Value::Directions(set) => set.is_empty(),
            Value::Players(set) => set.0 == 0,
            Value::Kinds(set) => set.0 == 0,
            _ => false,
        }
    }

    /// A value of the same type that tells nothing.
    #[must_use]
    pub fn nothing(&self) -> Self {
        match self {
            Value::Condition(_) => Value::Condition(None),
            Value::Number(_) => Value::Number(None),
            Value::Range(_) => Value::Range(None),
            Value::Sites(_) => Value::of_sites(SiteSet::EMPTY),
            Value::Directions(_) => Value::Directions(Directions::default()),
            Value::Players(_) => Value::Players(Players::default()),
            Value::Kinds(_) => Value::Kinds(Kinds::default()),
            Value::Piece(_) => Value::Piece(None),
            Value::Choice(_) => Value::Choice(ChoiceId(0)),
            Value::List(_) => Value::List(Vec::new()),
        }
    }

    /// The number of members of a set.
    #[must_use]
    pub fn count(&self) -> i64 {
        match self {
            Value::Sites(set) => set.len() as i64,
            Value::Directions(set) => set.len() as i64,
            Value::Players(set) => i64::from(set.0.count_ones()),
            Value::Kinds(set) => i64::from(set.0.count_ones()),
            _ => 0,
        }
    }

    /// The members of a set, or the numbers of a range, each as a value.
    #[must_use]
    pub fn members(&self) -> Vec<Value> {
        match self {
            Value::Sites(set) => set.iter().map(Value::of_site).collect(),
            Value::Directions(set) => {
                set.iter().map(|direction| Value::Directions(Directions::single(direction))).collect()
            }
            Value::Players(set) => set.iter().map(|player| Value::Players(Players::single(player))).collect(),
            Value::Kinds(set) => set.iter().map(|kind| Value::Kinds(Kinds::single(kind))).collect(),
            // The bound keeps a silly range from exhausting time; no part needs more numbers than sites squared.
            Value::Range(Some((low, high))) => {
                (*low..=*high).take(MAX_RANGE).map(|number| Value::Number(Some(number))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A bit pattern that tells values of one type apart.
    #[must_use]
    pub fn type_of(&self) -> Type {
        match self {
            Value::Condition(_) => Type::Condition,
            Value::Number(_) => Type::Number,
            Value::Range(_) => Type::Range,
            Value::Sites(_) => Type::Sites,
            Value::Directions(_) => Type::Directions,
            Value::Players(_) => Type::Players,
            Value::Kinds(_) => Type::Kinds,
            Value::Piece(_) => Type::Piece,
            Value::Choice(_) => Type::Choice,
            Value::List(_) => Type::List,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_piece_of_every_player_has_a_code_of_its_own() {
        let kinds = (0..MAX_KINDS as u8).map(KindId);
        let owners = || (0..MAX_PLAYERS as u8).map(PlayerId).map(Some).chain([None]);
        let pieces: Vec<_> = kinds.flat_map(|kind| owners().map(move |owner| (kind, owner))).collect();
        let mut codes = HashSet::from([Content::EMPTY.code()]);
        for (kind, owner) in pieces {
            let piece = Content::piece(kind, owner);
            assert_eq!((piece.kind(), piece.owner(), piece.is_empty()), (Some(kind), owner, false));
            assert_eq!(Content::from_code(piece.code()), piece);
            assert!(codes.insert(piece.code()) && usize::from(piece.code()) < Content::CODES, "{piece:?}");
            let near = owner.is_none_or(|player| player.0 < 6);
            assert_eq!(usize::from(piece.code()) < Content::codes(2), near, "{piece:?}");
        }
        assert_eq!(codes.len(), Content::CODES);
        assert_eq!((Content::EMPTY.kind(), Content::EMPTY.owner()), (None, None));
    }

    #[test]
    fn sets_of_players_hold_all_there_may_be() {
        let all = Players::first(MAX_PLAYERS);
        assert_eq!(all.iter().count(), MAX_PLAYERS);
        assert!(all.contains(PlayerId(15)) && !Players::first(15).contains(PlayerId(15)));
        assert_eq!(Players::first(usize::MAX), all);
        assert_eq!(Players::single(PlayerId(15)).only(), Some(PlayerId(15)));
    }
}
