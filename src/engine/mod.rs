//! Engines: they run checked rules and know no text.
//!
//! There are two: the slow and obvious [`reference`], and the [`fast`] one, which is compared with it and never the other way
//! round.

pub mod dice;
pub(crate) mod fast;
pub mod guide;
pub mod observe;
pub(crate) mod reference;
pub mod shunned;
pub(crate) mod steps;

use crate::board::Site;
use crate::rules::{Content, Kinds, MAX_PLAYERS, MemoryId, MoveId, PlayerId, Value};
use dice::Dice;
use guide::Guide;
use observe::{Observe, number_of};
use shunned::{Shunned, Surroundings};
use std::sync::Arc;
pub use steps::{Bound, ROOM, STEPS, Stopped};

/// Which of the two. The fast one has an order of its own for the plies of a position, so that a seed stands for different
/// games unless these are put in the order of [`Rank`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// Compiled rules.
    #[default]
    Fast,
    /// The interpreter of the rule graph.
    Reference,
}

/// The order of plies in which engines can be compared: by their moves in the order of the text, and then by their parts,
/// sites in the order of the board.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rank(MoveId, Vec<i64>);

impl Rank {
    /// Of a ply as engines tell it.
    #[must_use]
    pub fn of((mv, parts): (MoveId, Vec<Value>)) -> Self {
        Self(mv, parts.iter().map(number_of).collect())
    }
}

/// Who came where, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The place of each player in turn order, from 1; equal places share.
    pub places: Vec<u8>,
    /// The name of the ending, or its condition as written.
    pub reason: String,
    /// Which line of `end` decided; none where no line spoke.
    pub ending: Option<usize>,
}

/// Why a game is over when all but one player have left it and no line of `end` said more.
pub(crate) const ALL_LEFT: &str = "at most one player is left";

/// A state as both engines know it: what stands where, what is remembered, and whose turn it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// By site.
    pub contents: Vec<Content>,
    /// What lies beneath the piece of each site, from the bottom; empty in games without stacks.
    pub beneath: Vec<Vec<Content>>,
    /// Memory by memory, each with one value or one for every player or site.
    pub memory: Vec<Value>,
    /// The player to move.
    pub mover: PlayerId,
    /// Where in the order of turns.
    pub order: usize,
    /// The number of the turn.
    pub turn: u32,
    /// The number of plies played.
    pub ply: u32,
}

/// How a game ended, as play needs it; [`Outcome`] tells it to people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Over {
    /// The place of each player, from 1; equal places share.
    pub places: [u8; MAX_PLAYERS],
    /// The line of `end` that decided; none where no line spoke.
    pub line: Option<usize>,
}

/// A value that a notation prints. Most are single sites, and as such they take no time.
#[derive(Clone, PartialEq, Debug)]
pub enum Shown {
    /// One site, or none.
    Site(Option<Site>),
    /// Anything else.
    Value(Value),
}

/// No number of a site is so large, in any engine.
pub const MAX_PLACES: usize = crate::board::MAX_SITES;

/// What tells plies apart before they are played: the move, the kinds that it names, and what stands on its first sites.
/// Plies that look alike often do alike, whatever the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Look(u64);

impl Look {
    /// So many sites are looked at.
    const SITES: u32 = 4;

    /// A ply of a move that names nothing yet.
    pub(crate) fn of(mv: MoveId) -> Self {
        Self((mv.0 as u64 & 0xfff) << 52)
    }

    /// The same with one more site, on which this stands; those after the first few are left out.
    pub(crate) fn with_site(self, content: Content) -> Self {
        let free = (0..Self::SITES).map(|site| site * 9).find(|shift| self.0 >> shift & 0x100 == 0);
        // Eight bits hold the codes of most games; the others look alike.
        let code = u8::try_from(content.code()).unwrap_or(u8::MAX);
        free.map_or(self, |shift| Self(self.0 | (0x100 | u64::from(code)) << shift))
    }

    /// The same with kinds of pieces that are named.
    pub(crate) fn with_kinds(self, kinds: Kinds) -> Self {
        Self(self.0 ^ (u64::from(kinds.0).wrapping_mul(0x9e37_79b9) & 0xffff) << 36)
    }

    /// The code of what stands on the first site, if it is one that no other looks like.
    #[must_use]
    pub fn first(self) -> Option<u16> {
        u8::try_from(self.0 & 0xff).ok().filter(|code| self.0 & 0x100 != 0 && *code < u8::MAX).map(u16::from)
    }

    /// A number that is another one for another look.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }
}

/// One game in progress, with all the room it needs. Plies are numbers below [`Play::count`], in an order that depends on
/// the state alone.
pub trait Play: Observe + Send {
    /// Sets up a state at the beginning of a turn, and marks it.
    fn load(&mut self, from: &Snapshot);
    /// Remembers the state as it is now, in place of what was marked before.
    fn mark(&mut self);
    /// Goes back to the state that was marked last.
    fn reset(&mut self);
    /// Puts the state as it is now on a stack.
    fn push(&mut self);
    /// Goes back to the state on top of the stack, and takes it away; without one nothing happens.
    fn pop(&mut self);
    /// How many plies are legal; none when the game is over.
    fn count(&self) -> usize;
    /// How the game ended; none while it goes on.
    fn over(&self) -> Option<Over>;
    /// Whether it has ended: the same, without who came where.
    fn is_over(&self) -> bool {
        self.over().is_some()
    }
    /// The player to move.
    fn mover(&self) -> usize;
    /// Who has taken over what a player began with; players are their own seats where nobody changes.
    fn seat(&self, player: usize) -> usize;
    /// The move and the values of the parts of a legal ply.
    fn ply(&mut self, index: usize) -> Option<(MoveId, Vec<Value>)>;
    /// A number for a legal ply, equal for the same move with the same parts in other states.
    fn key(&mut self, index: usize) -> u64;
    /// Adds the numbers of all legal plies, in their order.
    fn keys(&mut self, keys: &mut Vec<u64>) {
        keys.extend((0..self.count()).map(|index| self.key(index)));
    }
    /// Plays a legal ply.
    fn play(&mut self, index: usize);
    /// Whether chance decides here, and not the player to move.
    fn chance(&mut self) -> bool;
    /// How heavy a legal ply is where chance decides: the heavier the likelier.
    fn weight(&mut self, index: usize) -> u32;
    /// The number of one legal ply: `roll` gives a number below the one that it is told. Where the player to move decides each
    /// ply is as likely as any other, where chance does as likely as it is heavy.
    fn choose(&mut self, roll: &mut dyn FnMut(usize) -> usize) -> usize {
        if self.chance() { drawn(self, roll) } else { roll(self.count()) }
    }
    /// Plays on at random; the plies played, and the choices there were.
    fn playout(&mut self, dice: &mut Dice, most: u64) -> (u64, u64) {
        let (mut plies, mut choices) = (0, 0);
        while plies < most {
            let count = self.count();
            if count == 0 {
                break;
            }
            let index = self.choose(&mut |count| dice.choose(count));
            self.play(index);
            plies += 1;
            choices += count as u64;
        }
        (plies, choices)
    }
    /// Plays the game of [`Play::playout`] with the same dice, and tells of each ply before it is played: the player, who may
    /// be asked about it, and its number.
    fn playout_told(&mut self, dice: &mut Dice, most: u64, tell: &mut dyn FnMut(&mut dyn Play, usize)) -> (u64, u64);
    /// The move of a legal ply, and in `values` what its notation prints; none where the engine cannot say.
    fn shown(&mut self, index: usize, values: &mut Vec<Shown>) -> Option<MoveId>;
    /// A ply that took more steps than it may, since this was asked last: the game ended there, and nobody won.
    fn stopped(&mut self) -> Option<Stopped>;
    /// Whether the ply of this position was drawn in a random game, without a look at what else is legal.
    fn is_drawn(&self) -> bool {
        false
    }
    /// Plays on at random but for what a guide says, and each ply that a player decided on is noted: the seat and the key. The
    /// plies that were noted before led here. Where chance has its say nothing is kept together.
    fn playout_noted(&mut self, dice: &mut Dice, guide: Guide<'_>, most: u64, plies: &mut Vec<(u8, u64)>) -> u64 {
        let mut played = 0;
        while played < most && self.count() > 0 {
            let mut index = self.choose(&mut |count| dice.roll(count));
            if !self.chance() {
                let seat = seat_to_move(self);
                let mut key = self.key(index);
                if let Some((better, _)) = guide.better.filter(|(_, compared)| played < *compared) {
                    let other = dice.roll(self.count());
                    let its = self.key(other);
                    if other != index && better(seat, key, its) {
                        (index, key) = (other, its);
                    }
                }
                plies.push((seat, key));
            }
            self.play(index);
            played += 1;
        }
        played
    }
    /// From now on none of these plies is drawn in random games; those of positions whose plies are listed may be any.
    fn shun(&mut self, _shunned: Option<Arc<Shunned>>) {}
    /// What stands around the only site that a legal ply names, where it names one.
    fn surroundings(&mut self, _index: usize) -> Option<Surroundings> {
        None
    }
    /// How many sequences of so many plies there are.
    fn perft(&mut self, depth: u32) -> u64;
    /// Equal only where the game can go on alike, but for what [`Play::looks_back`] says.
    fn hash(&self) -> u64;
    /// Whether the positions that were decide about what is to come.
    fn looks_back(&self) -> bool;
    /// Goes on as if the game had begun here: no position was before, and these memories, which hold one number each, count
    /// from 0 on. They may be none that decide what is legal. With a clock, turn and ply have these numbers.
    fn forget(&mut self, counts: &[MemoryId], clock: Option<(u32, u32)>);
    /// What stands on the board: each piece with a number of its site, which is below [`MAX_PLACES`] and always the same.
    fn each_piece(&self, tell: &mut dyn FnMut(Content, usize));
    /// How a legal ply looks: its move, and what stands on the sites that it names.
    fn look(&mut self, index: usize) -> Look;
    /// How many pieces each player has on the board.
    fn pieces(&self) -> [u32; MAX_PLAYERS];
    /// The state as both engines know it.
    fn snapshot(&self) -> Snapshot;
    /// The scores of all players; empty where the game has none.
    fn scores(&mut self) -> Vec<i64>;
    /// How many players there are.
    fn players(&self) -> usize;
}

/// Who decides, as searches note it.
fn seat_to_move<P: Play + ?Sized>(play: &P) -> u8 {
    play.seat(play.mover()) as u8
}

/// The number of one ply of chance, as likely as it is heavy.
fn drawn<P: Play + ?Sized>(play: &mut P, roll: &mut dyn FnMut(usize) -> usize) -> usize {
    let weights: Vec<u32> = (0..play.count()).map(|index| play.weight(index)).collect();
    by_weight(&weights, roll)
}

/// One of some weights, as likely as it is heavy; `roll` gives a number below their sum.
pub(crate) fn by_weight(weights: &[u32], roll: &mut dyn FnMut(usize) -> usize) -> usize {
    // No list of plies is so long that the sum of its weights, a million at most, is too large.
    let mut left = roll(weights.iter().map(|weight| size(*weight)).sum());
    for (index, weight) in weights.iter().enumerate() {
        match left.checked_sub(size(*weight)) {
            Some(rest) => left = rest,
            None => return index,
        }
    }
    0
}

fn size(weight: u32) -> usize {
    usize::try_from(weight).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_below_the_sum_stands_for_one_weight() {
        let picks: Vec<usize> = (0..6).map(|number| by_weight(&[1, 0, 3, 2], &mut |_| number)).collect();
        assert_eq!(picks, [0, 2, 2, 2, 3, 3]);
        let mut told = 0;
        by_weight(&[4, 5], &mut |sum| {
            told = sum;
            0
        });
        assert_eq!(told, 9);
    }
}
