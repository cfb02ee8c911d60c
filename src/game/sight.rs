//! What one seat sees of a position, and of the plies that led to it, in games that hide something; and what somebody sees who
//! sits at none.

use super::notation::seen_ply;
use super::{Game, Line, Position};
use crate::board::Site;
use crate::engine::reference::{Situation, Unseen};
use crate::rules::PlayerId;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Who looks at a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Eye {
    /// Whoever sits at a seat.
    Seat(usize),
    /// Somebody who sits at none, and sees what is never hidden from anybody.
    Anybody,
}

/// What is taken out of a position for whoever looks at it.
#[derive(Debug)]
pub(super) struct Veil {
    pub eye: Eye,
    pub unseen: Unseen,
    /// Whether chance decides in the position.
    pub chance: bool,
}

/// What a seat has been told of a ply and of the position after it: all that it can draw conclusions from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Told {
    /// As the seat reads it.
    pub ply: String,
    /// Another number for another sight.
    pub sight: u64,
}

impl Game {
    /// Whether players do not see everything.
    #[must_use]
    pub fn hides(&self) -> bool {
        !self.rules().hidden.is_empty()
    }

    /// The seat of a player, by its name.
    #[must_use]
    pub fn seat_called(&self, name: &str) -> Option<usize> {
        self.rules().players.iter().position(|player| player.name.eq_ignore_ascii_case(name))
    }
}

impl Position {
    /// The position as a seat sees it: without the pieces and values that are hidden from it, without legal moves, and without
    /// scores where something is hidden. When the game is over everybody sees everything.
    #[must_use]
    pub fn seen_from(&self, seat: usize) -> Position {
        self.seen_by(Eye::Seat(seat))
    }

    /// The position as somebody sees it; in other respects as [`Position::seen_from`].
    pub(crate) fn seen_by(&self, eye: Eye) -> Position {
        let unseen = self.unseen_by(eye);
        let Situation { state, outcome, stopped, .. } = self.situation();
        let state = self.game().engine().without(state, &unseen);
        let situation = Situation { state, legal: Arc::default(), outcome: outcome.clone(), stopped: *stopped };
        self.veiled(situation, Veil { eye, unseen, chance: self.is_chance() })
    }

    fn unseen_by(&self, eye: Eye) -> Unseen {
        match eye {
            _ if self.is_over() => Unseen::default(),
            Eye::Seat(seat) => self.game().engine().unseen(&self.situation().state, self.player_at(seat)),
            Eye::Anybody => self.game().engine().unseen_by_others(),
        }
    }

    /// Which player a seat plays here.
    fn player_at(&self, seat: usize) -> PlayerId {
        let (engine, state) = (self.game().engine(), &self.situation().state);
        let players = (0..).zip(&self.game().rules().players).map(|(player, _)| PlayerId(player));
        let mut found = players.filter(|player| usize::from(engine.seat(state, *player).0) == seat);
        found.next().unwrap_or(PlayerId(0))
    }

    /// What whoever looks plays here is called so; none for somebody who plays nothing.
    pub(super) fn name_of_eye(&self, eye: Eye) -> Option<&str> {
        let Eye::Seat(seat) = eye else { return None };
        let player = self.player_at(seat);
        self.game().rules().players.get(usize::from(player.0)).map(|player| player.name.as_str())
    }

    /// Whether something is taken out of it.
    pub(super) fn hides_something(&self) -> bool {
        self.veil().is_some_and(|veil| veil.unseen != Unseen::default())
    }

    /// Whether it is not seen if something stands on a site.
    pub(crate) fn is_hidden(&self, site: Site) -> bool {
        self.veil().is_some_and(|veil| veil.unseen.pieces.contains(site))
    }

    /// Whether the kind of what stands on a site is not seen.
    pub(crate) fn is_kind_hidden(&self, site: Site) -> bool {
        self.veil().is_some_and(|veil| veil.unseen.kinds.contains(site))
    }

    /// Whether an entry of a memory is not seen.
    pub(super) fn is_value_hidden(&self, memory: usize, entry: usize) -> bool {
        self.veil().is_some_and(|veil| veil.unseen.values.contains(&(memory, entry)))
    }

    /// Another number for another sight: of what is seen, and of the legal moves where the seat is to move.
    pub(crate) fn sight(&self, seat: usize) -> u64 {
        let seen = self.seen_from(seat).to_json().to_string();
        let own = self.seat() == Some(seat) && !self.is_chance();
        let moves = if own { self.moves().join(",") } else { String::new() };
        xxh3_64(format!("{seen}{moves}").as_bytes())
    }

    /// A legal ply as a seat reads it: `?` where it is hidden, or for its hidden parts.
    pub(crate) fn ply_seen_from(&self, index: usize, seat: usize) -> Option<String> {
        self.ply_seen_by(index, Eye::Seat(seat))
    }

    fn ply_seen_by(&self, index: usize, eye: Eye) -> Option<String> {
        let situation = self.situation();
        let ply = situation.legal.get(index)?;
        let engine = self.game().engine();
        let hidden = match eye {
            Eye::Seat(seat) => seen_ply(engine, &situation.state, ply, self.player_at(seat)),
            Eye::Anybody => engine.is_ever_hidden(ply.mv).then(|| "?".to_owned()),
        };
        let own = self.seat().map(Eye::Seat) == Some(eye) && !self.is_chance();
        // What is printed only where two plies would look alike tells others which plies there are.
        hidden.or_else(|| if own { self.move_text(index) } else { Some(self.texts().whole(index)) })
    }
}

impl Line {
    /// The plies up to now as a seat reads them: those that are hidden, or parts of them, are `?`. When the game is over
    /// everybody reads everything.
    #[must_use]
    pub fn moves_seen_from(&self, seat: usize) -> Vec<String> {
        self.moves_seen_by(Eye::Seat(seat))
    }

    /// The same for whoever looks.
    pub(crate) fn moves_seen_by(&self, eye: Eye) -> Vec<String> {
        if self.position().is_over() || !self.game().hides() {
            return self.moves();
        }
        let seen = |at: usize| self.at(at)?.ply_seen_by(*self.chosen().get(at)?, eye);
        (0..self.played()).map(|at| seen(at).unwrap_or_else(|| "?".to_owned())).collect()
    }

    /// All that a seat has been told since the start, as text: a line for each ply, as the seat reads it, and after it a number
    /// for what the seat saw then. Two games give the same text exactly if the seat cannot tell them apart.
    #[must_use]
    pub fn information_state(&self, seat: usize) -> String {
        let told = self.told(seat).into_iter();
        told.map(|Told { ply, sight }| format!("{ply} {sight:016x}")).collect::<Vec<_>>().join("\n")
    }

    /// All that a seat has been told since the start.
    pub(crate) fn told(&self, seat: usize) -> Vec<Told> {
        let sights = (1..=self.played()).filter_map(|ply| self.at(ply)).map(|position| position.sight(seat));
        self.moves_seen_from(seat).into_iter().zip(sights).map(|(ply, sight)| Told { ply, sight }).collect()
    }
}
