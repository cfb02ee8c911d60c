//! Whether random games had better keep together what the last piece would part: they do in games that ask for a connection.
//!
//! Source: S. Huang, B. Arneson, R. Hayward, M. Müller and J. Pawlewicz, *MoHex 2.0: a pattern-based MCTS Hex player* (2013),
//! where random games save bridges.

use super::insight::Insight;
use crate::engine::fast::Fast;
use crate::game::Game;

/// Whether a search by such random games plays better. This is read off the rules: something is to be connected, pieces are put
/// on single sites of a board whose rings are closed, and two players take turns ply by ply. A pair that is parted by two pieces
/// in a row is not kept by one.
///
/// Random games do not tell it: they are won by who plays between own pieces in games of rows too, where a search that does so
/// loses, and are not won by who does so at the edge, where such a search wins.
pub(super) fn helps(game: &Game, insight: &Insight) -> bool {
    let rules = game.rules();
    let whose = |place: usize| rules.order.get(place);
    let alternate = || (0..rules.order.len()).all(|place| whose(place) != whose(rules.place_behind(place)));
    let asks = || {
        let program = game.fast().map(Fast::program).filter(|program| program.passes_on_after_every_ply());
        program.is_some_and(|program| program.names_lone_sites() && program.asks_for_connection())
    };
    insight.may_keep_together() && rules.players.len() == 2 && alternate() && rules.board.has_closed_rings() && asks()
}

impl Insight {
    /// That levels keep pieces together in random games, as a sentence; none where they do not.
    #[must_use]
    pub fn kept_together(&self, game: &Game) -> Option<&'static str> {
        helps(game, self).then_some(
            "In random games `medium` and `hard` keep pieces together that the last piece would part, since `end` asks what is \
             connected.",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;

    #[test]
    fn it_helps_in_games_of_connection_whose_plies_are_listed() {
        let kept = |name: &str| {
            let game = Game::from_text(name, Library::text(name).unwrap(), None, &[], &Library).unwrap();
            helps(&game, &Insight::of(&game, false))
        };
        assert_eq!(["hex", "y", "havannah"].map(kept), [true; 3]);
        assert_eq!(["gomoku", "tic_tac_toe", "lines_of_action", "go", "twixt"].map(kept), [false; 5]);
    }

    #[test]
    fn it_helps_where_players_take_turns_ply_by_ply_on_a_board_of_closed_rings() {
        let kept = |(order, board, turn): (&str, &str, &str)| {
            let text = format!(
                "game \"Joined\"\nplayers A, B\norder {order}\nboard {board}\npiece stone of each player\n\
                 move put \"{{cell}}\" {{\n  cell : empty\n  cell becomes stone of mover\n}}\n\
                 turn {{ {turn} }}\n\
                 end {{\n  mover wins when connects(own, side(N), side(S))\n  draw when stuck\n}}\n"
            );
            let game =
                Game::from_text("joined", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{error:?}"));
            helps(&game, &Insight::of(&game, false))
        };
        let helped = [
            ("A, B", "rhombus(5)", "put"),
            ("A then B, A", "rhombus(5)", "put"),
            ("A, B", "square(5) adjacent all", "put"),
        ];
        assert_eq!(helped.map(kept), [true; 3]);
        let not = [
            ("A, B", "square(5)", "put"),
            ("A, B", "rhombus(5)", "put, (put else nothing)"),
            ("A then B, B, A, A", "rhombus(5)", "put"),
            ("A, B", "rhombus(5)", "put\n  extra turn when turn mod 3 = 0"),
        ];
        assert_eq!(not.map(kept), [false; 4]);
    }
}
