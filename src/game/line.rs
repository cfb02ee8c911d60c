//! The positions of a game from its start on, with those that were taken back.

use crate::board::SiteSet;
use crate::game::{Game, PlayError, Position};
use crate::rules::{MoveId, Value};

/// The legal moves of past positions that are kept, in bytes; those of older ones are found again when they are asked for.
const LISTED: u64 = 64 << 20;

/// A game in progress. There is always a start, and what was taken back can be played again until something else is.
#[derive(Clone, Debug)]
pub struct Line {
    positions: Vec<Position>,
    /// Which legal move follows each position but the last.
    chosen: Vec<usize>,
    /// The same moves as they are written, and in terms of the rules.
    played: Vec<(String, MoveId, Vec<Value>)>,
    now: usize,
    /// How many positions from the start on keep no list of their legal moves.
    unlisted: usize,
    /// How many bytes the lists of the others take.
    listed: u64,
    /// How many bytes they may take.
    most: u64,
}

impl Line {
    /// A game of which nothing has been played.
    #[must_use]
    pub fn new(start: Position) -> Self {
        Self::keeping(start, LISTED)
    }

    /// The same, with so many bytes for the legal moves of past positions.
    fn keeping(start: Position, most: u64) -> Self {
        let listed = start.listed_bytes();
        Self { positions: vec![start], chosen: Vec::new(), played: Vec::new(), now: 0, unlisted: 0, listed, most }
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
        self.played.iter().map(|(text, ..)| text.clone())
    }

    /// Which legal move followed each position, with what was taken back.
    #[must_use]
    pub fn chosen(&self) -> &[usize] {
        &self.chosen
    }

    /// The plies up to now in terms of the rules.
    pub fn plies(&self) -> impl Iterator<Item = (MoveId, Vec<Value>)> + '_ {
        self.played.iter().take(self.now).map(|(_, mv, parts)| (*mv, parts.clone()))
    }

    /// About how many bytes its positions take, with the legal moves that are kept.
    #[must_use]
    pub(crate) fn bytes(&self) -> u64 {
        let each = self.position().bytes();
        self.listed.saturating_add(each.saturating_mul(self.positions.len() as u64))
    }

    /// Plays a legal move; what had been taken back is forgotten. The move as text.
    pub fn play(&mut self, index: usize) -> Option<String> {
        let after = self.position().play_index(index)?;
        self.go_on(after, index)
    }

    /// The move as text; none if there is no such move.
    fn go_on(&mut self, after: Position, index: usize) -> Option<String> {
        let text = self.position().move_text(index)?;
        let ply = self.position().situation().legal.get(index)?;
        let played = (text.clone(), ply.mv, ply.parts(self.game().rules()).collect());
        self.forget_from(self.now + 1);
        self.listed = self.listed.saturating_add(after.listed_bytes());
        self.positions.push(after);
        self.chosen.push(index);
        self.played.push(played);
        self.now += 1;
        self.let_go();
        Some(text)
    }

    /// Forgets what was taken back.
    fn forget_from(&mut self, ply: usize) {
        let gone: u64 = self.positions.iter().skip(ply).map(Position::listed_bytes).sum();
        self.listed = self.listed.saturating_sub(gone);
        self.positions.truncate(ply);
        self.chosen.truncate(ply.saturating_sub(1));
        self.played.truncate(ply.saturating_sub(1));
        self.unlisted = self.unlisted.min(ply.saturating_sub(1));
    }

    /// Lets go of the legal moves of the oldest positions, as long as those of all take too much memory.
    fn let_go(&mut self) {
        while self.listed > self.most && self.unlisted < self.now {
            if let Some(position) = self.positions.get_mut(self.unlisted) {
                self.listed = self.listed.saturating_sub(position.listed_bytes());
                *position = position.unlisted();
            }
            self.unlisted += 1;
        }
    }

    /// Plays a move given as text, unless what follows it cannot be worked out.
    pub fn play_text(&mut self, text: &str) -> Result<String, PlayError> {
        let index = self.position().find(text)?;
        let illegal = || PlayError::Illegal { text: text.to_owned(), hint: String::new() };
        let after = self.position().play_index(index).ok_or_else(illegal)?.unless_stopped()?;
        self.go_on(after, index).ok_or_else(illegal)
    }

    /// Goes to the position after so many plies, which may have been taken back; false if there are not so many.
    pub fn go_to(&mut self, ply: usize) -> bool {
        let known = ply < self.positions.len();
        if known {
            // What was listed again while somebody looked at it is let go.
            if let Some(left) = self.positions.get_mut(self.now).filter(|_| self.now < self.unlisted && ply != self.now)
            {
                *left = left.unlisted();
            }
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
    fn what_is_no_longer_listed_is_found_again_when_it_is_asked_for() {
        let kept = line(&["a1", "b2", "c3", "c1", "a3"]);
        let one = kept.start().listed_bytes();
        let mut line = Line::keeping(kept.start().clone(), 2 * one);
        for text in kept.moves() {
            line.play_text(&text).unwrap();
        }
        assert!((3..5).contains(&line.unlisted) && line.listed <= 2 * one, "{} {}", line.unlisted, line.listed);
        assert!(line.bytes() < kept.bytes());
        assert_eq!((line.moves(), line.plies().collect::<Vec<_>>()), (kept.moves(), kept.plies().collect()));
        for ply in (0..=kept.len()).rev() {
            assert!(line.go_to(ply));
            let (here, there) = (line.position(), kept.at(ply).unwrap());
            assert_eq!((here.moves(), here.is_chance(), here.is_over()), (there.moves(), false, false), "{ply}");
            assert_eq!(here.play_index(0).unwrap().hash(), there.play_index(0).unwrap().hash(), "{ply}");
        }
        line.go_to(1);
        line.play_text("c1").unwrap();
        assert_eq!((line.len(), line.unlisted), (2, 1));
        assert_eq!(line.listed, line.positions.iter().map(Position::listed_bytes).sum::<u64>());
    }

    #[test]
    fn the_last_ply_changed_the_site_it_was_played_on() {
        let line = line(&["a1", "b2"]);
        let board = &line.game().rules().board;
        assert_eq!(line.changed().iter().map(|site| board.name(site)).collect::<Vec<_>>(), ["b2"]);
        assert_eq!(line.plies().count(), 2);
    }
}
