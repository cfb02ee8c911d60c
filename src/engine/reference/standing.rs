//! Players who have left a game that goes on: whose turn it is without them, and where they come in the end.

use super::{Outcome, Reference, State};
use crate::engine::ALL_LEFT;
use crate::rules::{PlayerId, Players};
use std::iter::successors;

impl Reference {
    /// What is remembered of a player who has left, the greater the better; 0 of one who is still playing.
    fn left(&self, state: &State, player: PlayerId) -> i64 {
        let values = self.rules.left.map(|left| self.values(state, left.0));
        values.and_then(|values| values.get(usize::from(player.0))?.number()).unwrap_or(0)
    }

    /// Whether a player is still in the game.
    #[must_use]
    pub fn is_playing(&self, state: &State, player: PlayerId) -> bool {
        self.left(state, player) == 0
    }

    /// The player to move, or, where he has left, the next one who has not.
    #[must_use]
    pub fn first_playing(&self, state: &State) -> PlayerId {
        if self.is_playing(state, state.mover) { state.mover } else { self.player_at(state, self.place_after(state)) }
    }

    fn everyone(&self) -> Vec<PlayerId> {
        (0..).map(PlayerId).take(self.rules.players.len()).collect()
    }

    /// Of some players those who are still in the game.
    pub(super) fn still_open(&self, state: &State, players: Players) -> Players {
        let open = players.iter().filter(|player| self.is_playing(state, *player));
        open.fold(Players::default(), |all, player| Players(all.0 | Players::single(player).0))
    }

    /// The places that follow that of a state, as many as there are.
    fn places_behind(&self, state: &State) -> impl Iterator<Item = usize> {
        let behind = |place: &usize| Some(self.rules.place_behind(*place));
        successors(behind(&state.order), behind).take(self.rules.order.len())
    }

    /// The place in the order of turns after that of a state, without those who have left.
    pub(super) fn place_after(&self, state: &State) -> usize {
        let mut places = self.places_behind(state);
        let first = self.rules.place_behind(state.order);
        places.find(|place| self.is_playing(state, self.player_at(state, *place))).unwrap_or(first)
    }

    /// The next place in the order of turns at which a player sits.
    pub(super) fn place_of(&self, state: &State, player: PlayerId) -> usize {
        let mut places = self.places_behind(state);
        places.find(|place| self.player_at(state, *place) == player).unwrap_or_else(|| self.place_after(state))
    }

    /// The place before it.
    pub(super) fn place_before(&self, state: &State) -> usize {
        let before = self.rules.place_ahead_of(state.order);
        let ahead = |place: &usize| Some(self.rules.place_ahead_of(*place));
        let mut places = successors(Some(before), ahead).take(self.rules.order.len());
        places.find(|place| self.is_playing(state, self.player_at(state, *place))).unwrap_or(before)
    }

    /// The game is over when nobody is left to play with.
    pub(super) fn nobody_to_play_with(&self, state: &State) -> Option<Outcome> {
        self.rules.left?;
        let playing = self.still_open(state, Players::first(self.rules.players.len()));
        if playing.0.count_ones() > 1 {
            return None;
        }
        let places = vec![1; self.rules.players.len()];
        Some(self.placed(state, Outcome { places, reason: ALL_LEFT.to_owned(), ending: None }))
    }

    /// Those who have left compare with nobody.
    pub(super) fn scores_of_those_playing(&self, state: &State, scores: Vec<i64>) -> Vec<i64> {
        let mut players = self.everyone().into_iter();
        let own = |score: i64| match players.next() {
            Some(player) if !self.is_playing(state, player) => i64::MIN,
            Some(_) | None => score,
        };
        scores.into_iter().map(own).collect()
    }

    /// Who has finished comes before all who were still playing, whose places these are, and who dropped out behind them.
    pub(super) fn placed(&self, state: &State, outcome: Outcome) -> Outcome {
        self.placed_with(state, outcome, Players::default())
    }

    /// The same where some win for certain: those among them who have left win with the others.
    pub(super) fn placed_with(&self, state: &State, outcome: Outcome, winners: Players) -> Outcome {
        if self.rules.left.is_none() {
            return outcome;
        }
        let rank = |player: &PlayerId| {
            let left = if winners.contains(*player) { 0 } else { self.left(state, *player) };
            let place = outcome.places.get(usize::from(player.0)).copied().unwrap_or(u8::MAX);
            (left, if left == 0 { -i64::from(place) } else { 0 })
        };
        let ranks: Vec<(i64, i64)> = self.everyone().iter().map(rank).collect();
        let ahead = |own: &(i64, i64)| ranks.iter().filter(|other| *other > own).map(|_| 1u8).sum::<u8>();
        Outcome { places: ranks.iter().map(|own| 1 + ahead(own)).collect(), ..outcome }
    }
}
