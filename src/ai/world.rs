//! A game as a search sees it: plies are numbers, and the end is worth something to every seat.

use crate::engine::{Engine, Play, Stopped};
use crate::game::Line;
use crate::game::Position;
use crate::rules::MAX_PLAYERS;

/// What an end is worth to each seat: 1 for the first place alone, 0 for the last, the mean where places are shared.
pub type Values = [f32; MAX_PLAYERS];

/// A game at a position of a line, ready to be searched.
pub struct World<'g> {
    pub player: Box<dyn Play + 'g>,
    pub seats: usize,
}

impl<'g> World<'g> {
    /// The position that counts, marked; and the numbers that the plies on the way there have here.
    #[must_use]
    pub fn at(line: &'g Line) -> (Self, Vec<usize>) {
        let mut player = line.game().player(Engine::Fast);
        player.load(&line.start().snapshot());
        let mut path = Vec::new();
        for wanted in line.plies() {
            let found = (0..player.count()).find(|index| player.ply(*index).as_ref() == Some(&wanted));
            let Some(index) = found else { break };
            player.play(index);
            path.push(index);
        }
        player.mark();
        let seats = player.players();
        (Self { player, seats }, path)
    }

    /// The seat that decides.
    #[must_use]
    pub fn seat(&self) -> usize {
        self.player.seat(self.player.mover())
    }

    /// The end, if it is one.
    #[must_use]
    pub fn values(&self) -> Option<Values> {
        let over = self.player.over()?;
        let places = over.places.get(..self.seats)?;
        Some(self.by_seat(|player| worth(places, player)))
    }

    /// A position that is no end, as far as scores tell: all seats equal where there are none.
    #[must_use]
    pub fn standing(&mut self) -> Values {
        let scores = self.player.scores();
        if scores.is_empty() {
            return [0.5; MAX_PLAYERS];
        }
        self.by_seat(|player| {
            let own = scores.get(player).copied().unwrap_or(0);
            let others = scores.iter().enumerate().filter(|(other, _)| *other != player).map(|(_, score)| *score);
            let lead = own.saturating_sub(others.max().unwrap_or(0)) as f32;
            0.5 + 0.49 * lead / (lead.abs() + 8.0)
        })
    }

    /// By seat what holds for players.
    pub fn by_seat(&self, worth: impl Fn(usize) -> f32) -> Values {
        let mut values = [0.0; MAX_PLAYERS];
        for player in 0..self.seats {
            if let Some(value) = values.get_mut(self.player.seat(player)) {
                *value = worth(player);
            }
        }
        values
    }

    /// Which legal move of a position, the present one, a ply is.
    #[must_use]
    pub fn legal_index(&mut self, position: &Position, index: usize) -> Option<usize> {
        let (mv, parts) = self.player.ply(index)?;
        let rules = position.game().rules();
        position.situation().legal.iter().position(|ply| ply.mv == mv && ply.parts(rules).eq(parts.iter().cloned()))
    }

    /// Which legal moves of a position, the present one, the plies are; those that it does not know are left out.
    #[must_use]
    pub fn legal_indices(&mut self, position: &Position) -> Vec<usize> {
        let places = position.places_of_plies();
        let place = |ply| places.get(&ply).copied();
        (0..self.player.count()).filter_map(|index| self.player.ply(index).and_then(place)).collect()
    }
}

/// Why the position of a line cannot be worked out, if it cannot: by the engine that has played the line, or by the one that
/// searches, which may need more steps for the same.
#[must_use]
pub fn given_up(line: &Line) -> Option<Stopped> {
    line.position().stopped().copied().or_else(|| World::at(line).0.player.stopped())
}

/// The share of the others that a place is better than; those at the same place count half.
pub fn worth(places: &[u8], player: usize) -> f32 {
    let own = places.get(player).copied().unwrap_or(u8::MAX);
    let others = places.len().saturating_sub(1).max(1) as f32;
    let behind = places.iter().filter(|place| **place > own).count() as f32;
    let beside = places.iter().filter(|place| **place == own).count().saturating_sub(1) as f32;
    (behind + beside / 2.0) / others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_worth_what_they_are_better_than() {
        assert_eq!([0, 1].map(|player| worth(&[1, 2], player)), [1.0, 0.0]);
        assert_eq!([0, 1].map(|player| worth(&[1, 1], player)), [0.5, 0.5]);
        assert_eq!([0, 1, 2].map(|player| worth(&[1, 2, 2], player)), [1.0, 0.25, 0.25]);
        assert_eq!([0, 1, 2].map(|player| worth(&[2, 1, 3], player)), [0.5, 1.0, 0.0]);
    }
}
