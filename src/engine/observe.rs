//! What those who learn a game are told of a position: its legal plies many at a time, what stands where, what is remembered.

use crate::board::Site;
use crate::rules::{Content, MoveId, Value};
use std::any::Any;

/// Stands for a part that is left out, and for a number that is not known.
pub const MISSING: i64 = i64::MIN;

/// Legal plies of one move that have the same parts, but for one at most.
#[derive(Clone, Copy, Debug)]
pub struct Sheaf<'a> {
    /// The move.
    pub mv: MoveId,
    /// Its parts in the order of the text, each as a number: a site by its place ([`Observe::places`]), a direction, a player
    /// or a kind by its index, a number as itself.
    pub parts: &'a [i64],
    /// The part that differs, and its values as bits, one ply for each from the lowest on; none for a single ply.
    pub varied: Option<(usize, &'a [u64])>,
    /// The parts that follow from the part that differs. What stands for them in `parts` does not count.
    pub follows: &'a [Follow],
    /// Where each value of the part that differs stands for the same ply at every position: a number that all sheaves of these
    /// plies have, and no others.
    pub shape: Option<usize>,
}

impl Sheaf<'_> {
    /// What a part is in the ply in which the part that differs, the one in this slot, has a value.
    #[must_use]
    pub fn part(&self, part: usize, slot: usize, value: i64) -> i64 {
        let follow = self.follows.iter().find(|follow| follow.part == part);
        match follow {
            _ if part == slot => value,
            Some(follow) => {
                let known = usize::try_from(value).ok().and_then(|value| follow.by_value.get(value));
                known.copied().unwrap_or(MISSING)
            }
            None => self.parts.get(part).copied().unwrap_or(MISSING),
        }
    }
}

/// A part that is the same for the same value of another one, whatever the position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Follow {
    /// Which part.
    pub part: usize,
    /// By the value of the other part.
    pub by_value: Vec<i64>,
}

/// A remembered value: a set of sites as bits by place, anything else as a number. Sets of directions, players and kinds are
/// masks, and a piece the code of its content.
#[derive(Clone, Copy, Debug)]
pub enum Remembered<'a> {
    /// Sites.
    Sites(&'a [u64]),
    /// Anything else; [`MISSING`] where there is no value.
    Number(i64),
}

/// A position of an engine, to go back to.
#[derive(Debug)]
pub struct Saved(pub(super) Box<dyn Any + Send>);

/// What can be seen of the present position without a word of text.
pub trait Observe {
    /// The place of every site: the number of its bit.
    fn places(&self) -> Vec<usize>;
    /// Tells of all legal plies in the order of their numbers.
    fn sheaves(&mut self, tell: &mut dyn FnMut(Sheaf<'_>));
    /// Tells where the pieces of each kind and owner stand.
    fn standing(&self, tell: &mut dyn FnMut(Content, &[u64]));
    /// Tells what a memory of the rules holds: one value, or one for every player, or for every site by its place.
    fn remembered(&self, memory: usize, tell: &mut dyn FnMut(usize, Remembered<'_>));
    /// The place in the turn, as a number; none where several are possible.
    fn place_in_turn(&self) -> Option<usize>;
    /// A copy of the present position.
    fn save(&self) -> Saved;
    /// Goes back to a position that was saved by a player of the same game on the same engine; false where it was another.
    fn restore(&mut self, saved: &Saved) -> bool;
}

/// The number of a value that is a part of a ply, with sites by their index.
#[must_use]
pub fn number_of(value: &Value) -> i64 {
    let index = |index: Option<usize>| index.and_then(|index| i64::try_from(index).ok()).unwrap_or(MISSING);
    match value {
        Value::Sites(sites) => index(sites.only().map(Site::index)),
        Value::Directions(ways) => index(ways.only().map(|way| way.index())),
        Value::Players(players) => players.only().map_or(MISSING, |player| i64::from(player.0)),
        Value::Kinds(kinds) => kinds.only().map_or(MISSING, |kind| i64::from(kind.0)),
        Value::Number(number) => number.unwrap_or(MISSING),
        Value::Condition(condition) => condition.map_or(MISSING, i64::from),
        Value::Piece(piece) => piece.map_or(MISSING, |piece| i64::from(piece.code())),
        Value::Choice(choice) => i64::from(choice.0),
        Value::Range(_) | Value::List(_) => MISSING,
    }
}

/// The same of a value that is remembered: sets are masks. None for sets of sites.
#[must_use]
pub fn mask_of(value: &Value) -> Option<i64> {
    match value {
        Value::Sites(_) => None,
        Value::Directions(ways) => Some(ways.iter().fold(0, |mask, way| mask | 1 << way.index())),
        Value::Players(players) => Some(i64::from(players.0)),
        Value::Kinds(kinds) => Some(i64::from(kinds.0)),
        Value::Number(_)
        | Value::Condition(_)
        | Value::Piece(_)
        | Value::Choice(_)
        | Value::Range(_)
        | Value::List(_) => Some(number_of(value)),
    }
}
