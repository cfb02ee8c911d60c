//! Players who have left a game that goes on: the order of turns without them, and their places in the end.

use super::eval::Core;
use super::state::State;
use crate::engine::Over;
use crate::rules::MAX_PLAYERS;

impl<const W: usize> Core<W> {
    /// What is remembered of a player who has left; 0 of one who is playing, and in games that nobody leaves.
    #[inline]
    fn left(&self, state: &State<W>, player: usize) -> i64 {
        let cell = self.program.left.and_then(|base| state.cells.get(usize::from(base) + player));
        cell.copied().unwrap_or(0)
    }

    #[inline]
    pub(super) fn has_left(&self, state: &State<W>, player: u8) -> bool {
        self.program.left.is_some() && self.left(state, usize::from(player)) != 0
    }

    /// The players who are still in the game, as a mask.
    pub(super) fn playing(&self, state: &State<W>) -> i64 {
        let all = 0..self.program.players.min(MAX_PLAYERS);
        all.filter(|player| self.left(state, *player) == 0).fold(0, |mask, player| mask | 1 << player)
    }

    /// The place after one in the order of turns.
    #[inline]
    pub(super) fn following(&self, state: &State<W>, order: usize) -> usize {
        let next = self.next_place(order);
        if self.program.left.is_none() { next } else { self.passing_over(state, next, Self::next_place) }
    }

    /// The next place at which a player sits, after that of a state.
    pub(super) fn place_of(&self, state: &State<W>, player: u8) -> Option<usize> {
        let mut place = state.order;
        (0..self.program.order.len()).find_map(|_| {
            place = self.next_place(place);
            (self.player_at(state, place) == player).then_some(place)
        })
    }

    /// The place before one.
    pub(super) fn preceding(&self, state: &State<W>, order: usize) -> usize {
        let before = |own: &Self, order: usize| {
            let round = [0, own.program.opening].contains(&order);
            if round { own.program.order.len().saturating_sub(1) } else { order.saturating_sub(1) }
        };
        self.passing_over(state, before(self, order), before)
    }

    #[inline]
    fn next_place(&self, order: usize) -> usize {
        let next = order + 1;
        if next >= self.program.order.len() { self.program.opening } else { next }
    }

    /// The first place from one on whose player is still in the game; the place itself where nobody is.
    fn passing_over(&self, state: &State<W>, from: usize, next: impl Fn(&Self, usize) -> usize) -> usize {
        let mut place = from;
        for _ in 0..self.program.order.len() {
            if !self.has_left(state, self.player_at(state, place)) {
                return place;
            }
            place = next(self, place);
        }
        from
    }

    /// The game is over when nobody is left to play with.
    pub(super) fn over_for_want_of_players(&self, state: &State<W>) -> Option<Over> {
        let alone = self.program.left.is_some() && self.playing(state).count_ones() <= 1;
        alone.then(|| {
            let mut places = [0; MAX_PLAYERS];
            places.iter_mut().take(self.program.players).for_each(|place| *place = 1);
            self.placed(state, Over { places, line: None }, 0)
        })
    }

    /// The places of all, when these are the places of those who were still playing, and of some who win for certain.
    pub(super) fn placed(&self, state: &State<W>, over: Over, winners: i64) -> Over {
        if self.program.left.is_none() {
            return over;
        }
        let count = self.program.players.min(MAX_PLAYERS);
        let mut places = over.places;
        for (player, place) in places.iter_mut().enumerate().take(count) {
            let left = |player: usize| if winners >> player & 1 == 1 { 0 } else { self.left(state, player) };
            let own = left(player);
            let ahead = |other: &usize| {
                let its = left(*other);
                its > own || its == own && own == 0 && over.places.get(*other) < over.places.get(player)
            };
            *place = 1 + u8::try_from((0..count).filter(ahead).count()).unwrap_or(u8::MAX - 1);
        }
        Over { places, ..over }
    }
}
