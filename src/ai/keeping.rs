//! With what random games answer in games that ask for a connection: with sites that keep together what the last piece would part.
//!
//! Source: S. Huang, B. Arneson, R. Hayward, M. Müller and J. Pawlewicz, *MoHex 2.0: a pattern-based MCTS Hex player* (2013),
//! where random games save bridges.

use super::insight::Insight;
use crate::engine::answers::{Answers, Lie, Stands};
use crate::engine::fast::Fast;
use crate::game::Game;
use std::sync::Arc;

/// Between two own pieces, and between one and the edge.
const KEEPING: [Lie; 2] = [Lie::of(Stands::Own, Stands::Own), Lie::of(Stands::Own, Stands::Outside)];

/// With what random games of a game answer; none where nothing is to be connected, or where somebody plays twice in a row: who
/// parts two pieces by two at a time is not answered so. All that is read off the rules: who wins among random players tells
/// little of it. In a game of rows most of their games are won by who plays between own pieces, and a search that does so
/// loses; on the edge it is the other way round.
pub(super) fn of(game: &Game, insight: &Insight) -> Option<Arc<Answers>> {
    let connects = || {
        let program = game.fast().map(Fast::program).filter(|program| program.has_turns_of_one_ply());
        program.is_some_and(|program| program.names_lone_sites() && program.asks_for_connection())
    };
    let rules = game.rules();
    let whose = |place: usize| rules.order.get(place);
    let alternate = || (0..rules.order.len()).all(|place| whose(place) != whose(rules.place_behind(place)));
    let seats = rules.players.len();
    (insight.may_answer() && seats == 2 && alternate() && connects()).then(|| {
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

    #[test]
    fn nothing_is_answered_where_somebody_plays_twice_in_a_row() {
        let answers = |(order, turn): (&str, &str)| {
            let text = format!(
                "game \"Joined\"\nplayers A, B\norder {order}\nboard rhombus(5)\npiece stone of each player\n\
                 move put \"{{cell}}\" {{\n  cell : empty\n  cell becomes stone of mover\n}}\n\
                 turn {{ {turn} }}\n\
                 end {{\n  mover wins when connects(own, side(N), side(S))\n  draw when stuck\n}}\n"
            );
            let game = Game::from_text("joined", &text, None, &[], &Library).unwrap();
            of(&game, &Insight::of(&game, false)).is_some()
        };
        let games = [
            ("A, B", "put"),
            ("A then B, A", "put"),
            ("A, B", "put, (put else nothing)"),
            ("A then B, B, A, A", "put"),
        ];
        assert_eq!(games.map(answers), [true, true, false, false]);
    }
}
