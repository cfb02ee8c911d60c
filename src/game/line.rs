//! The positions of a game from its start on, with those that were taken back.

use crate::board::SiteSet;
use crate::game::{Game, PlayError, Position};
use crate::rules::{MoveId, Value};

/// A game in progress. There is always a start, and what was taken back can be played again until something else is.
#[derive(Clone, Debug)]
pub struct Line {
    positions: Vec<Position>,
    /// Which legal move follows each position but the last.
    chosen: Vec<usize>,
    now: usize,
}

impl Line {
    /// A game of which nothing has been played.
    #[must_use]
    pub fn new(start: Position) -> Self {
        Self { positions: vec![start], chosen: Vec::new(), now: 0 }
    }

    /// The position after each of these moves from the start of a game, or the number of the first that cannot be played,
    /// counted from 1, and why.
    pub fn replayed<S: AsRef<str>>(game: &Game, moves: &[S]) -> Result<Self, (usize, PlayError)> {
        let mut line = Self::new(game.start());
        for (index, mv) in moves.iter().enumerate() {
            line.play_text(mv.as_ref()).map_err(|error| (index + 1, error))?;
        }
        Ok(line)
    }

    /// The game that is played.
    #[must_use]
    pub fn game(&self) -> &Game {
        self.start().game()
    }

    /// The position it began with.
    #[must_use]
    pub fn start(&self) -> &Position {
        // There is always a start.
        &self.positions[0]
    }

    /// The position that counts.
    #[must_use]
    pub fn position(&self) -> &Position {
        // `now` never passes the end.
        &self.positions[self.now]
    }

    /// The position after so many plies.
    #[must_use]
    pub fn at(&self, ply: usize) -> Option<&Position> {
        self.positions.get(ply)
    }

    /// How many plies have been played up to now.
    #[must_use]
    pub fn played(&self) -> usize {
        self.now
    }

    /// How many plies there are, those taken back among them.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Whether nothing has been played, or all of it forgotten.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// The moves up to now, as text.
    #[must_use]
    pub fn moves(&self) -> Vec<String> {
        self.all_moves().take(self.now).collect()
    }

    /// The moves with those that were taken back.
    pub fn all_moves(&self) -> impl Iterator<Item = String> + '_ {
        self.positions.iter().zip(&self.chosen).map(|(position, index)| position.move_text(*index).unwrap_or_default())
    }

    /// Which legal move followed each position, with what was taken back.
    #[must_use]
    pub fn chosen(&self) -> &[usize] {
        &self.chosen
    }

    /// The plies up to now in terms of the rules.
    pub fn plies(&self) -> impl Iterator<Item = (MoveId, Vec<Value>)> + '_ {
        let rules = self.game().rules();
        self.positions.iter().zip(&self.chosen).take(self.now).filter_map(|(position, index)| {
            let ply = position.situation().legal.get(*index)?;
            Some((ply.mv, ply.parts(rules).collect()))
        })
    }

    /// Plays a legal move; what had been taken back is forgotten. The move as text.
    pub fn play(&mut self, index: usize) -> Option<String> {
        let text = self.position().move_text(index)?;
        let after = self.position().play_index(index)?;
        self.go_on(after, index);
        Some(text)
    }

    fn go_on(&mut self, after: Position, index: usize) {
        self.positions.truncate(self.now + 1);
        self.chosen.truncate(self.now);
        self.positions.push(after);
        self.chosen.push(index);
        self.now += 1;
    }

    /// Plays a move given as text, unless what follows it cannot be worked out.
    pub fn play_text(&mut self, text: &str) -> Result<String, PlayError> {
        let index = self.position().find(text)?;
        let illegal = || PlayError::Illegal { text: text.to_owned(), hint: String::new() };
        let told = self.position().move_text(index).ok_or_else(illegal)?;
        let after = self.position().play_index(index).ok_or_else(illegal)?.unless_stopped()?;
        self.go_on(after, index);
        Ok(told)
    }

    /// Goes to the position after so many plies, which may have been taken back; false if there are not so many.
    pub fn go_to(&mut self, ply: usize) -> bool {
        let known = ply < self.positions.len();
        if known {
            self.now = ply;
        }
        known
    }

    /// The sites where the last ply changed something.
    #[must_use]
    pub fn changed(&self) -> SiteSet {
        let Some(before) = self.now.checked_sub(1).and_then(|ply| self.at(ply)) else { return SiteSet::EMPTY };
        self.position().changed_since(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;

    fn line(moves: &[&str]) -> Line {
        let text = Library::text("tic_tac_toe").unwrap();
        let game = Game::from_text("tic_tac_toe", text, None, &[], &Library).unwrap();
        Line::replayed(&game, moves).unwrap()
    }

    #[test]
    fn what_is_taken_back_can_be_played_again_until_something_else_is() {
        let mut line = line(&["a1", "b2", "c3"]);
        assert!(line.go_to(1));
        assert_eq!(line.moves(), ["a1"]);
        assert!(line.go_to(3));
        assert_eq!(line.moves(), ["a1", "b2", "c3"]);
        assert!(line.go_to(1));
        line.play_text("c1").unwrap();
        assert_eq!((line.moves(), line.len()), (vec!["a1".to_owned(), "c1".to_owned()], 2));
        assert!(!line.go_to(3));
    }

    #[test]
    fn the_last_ply_changed_the_site_it_was_played_on() {
        let line = line(&["a1", "b2"]);
        let board = &line.game().rules().board;
        assert_eq!(line.changed().iter().map(|site| board.name(site)).collect::<Vec<_>>(), ["b2"]);
        assert_eq!(line.plies().count(), 2);
    }
}
