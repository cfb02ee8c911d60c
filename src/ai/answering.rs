//! With what random games answer in games that ask for a connection: with sites that keep together what the last piece would part.
//!
//! Source: S. Huang, B. Arneson, R. Hayward, M. Müller and J. Pawlewicz, *MoHex 2.0: a pattern-based MCTS Hex player* (2013),
//! where random games save bridges.

use super::insight::Insight;
use crate::engine::answers::{Answers, Lie, Stands};
use crate::game::Game;
use std::sync::Arc;

/// Between two own pieces, and between one and the edge.
const KEEPING: [Lie; 2] = [Lie::of(Stands::Own, Stands::Own), Lie::of(Stands::Own, Stands::Outside)];

/// With what random games of a game answer; none where nothing is to be connected. That is read off the rules: who wins among
/// random players tells little of it. In a game of rows most of their games are won by who plays between own pieces, and a
/// search that does so loses; on the edge it is the other way round.
pub(super) fn of(game: &Game, insight: &Insight) -> Option<Arc<Answers>> {
    let connects = || game.fast().is_some_and(|fast| fast.program().asks_for_connection());
    let seats = game.rules().players.len();
    (insight.may_answer() && seats == 2 && connects()).then(|| {
        let mut answers = Answers::default();
        KEEPING.iter().for_each(|lie| (0..seats).for_each(|seat| answers.add(seat, *lie)));
        Arc::new(answers)
    })
}

impl Insight {
    /// With what levels answer in random games, as a sentence; none where they answer with nothing.
    #[must_use]
    pub fn answered(&self, game: &Game) -> Option<&'static str> {
        of(game, self).map(|_| {
            "In random games `medium` and `hard` keep pieces together that the last piece would part, since `end` asks what is \
             connected."
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;

    #[test]
    fn only_games_of_connection_whose_plies_are_listed_are_answered_in() {
        let answers = |name: &str| {
            let game = Game::from_text(name, Library::text(name).unwrap(), None, &[], &Library).unwrap();
            of(&game, &Insight::of(&game, false)).is_some()
        };
        assert_eq!(["hex", "y", "havannah"].map(answers), [true; 3]);
        assert_eq!(["gomoku", "tic_tac_toe", "lines_of_action", "go"].map(answers), [false; 4]);
    }
}
