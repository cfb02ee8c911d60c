//! Symmetries of a game: ways to turn and mirror the board, and to exchange both players, after which every game is the same
//! game. The board says which mappings keep its steps; the rules decide which of them keep the game.

mod axes;
mod compared;
mod group;
mod mapping;
mod plain;

pub use mapping::Mapping;

use crate::game::Game;

/// All symmetries of one game.
#[derive(Clone, Debug)]
pub struct Symmetries {
    /// Mappings of the board under which the start stays as it is, the one that changes nothing first. Made one after the
    /// other, two of them are a third.
    pub mappings: Vec<Mapping>,
    /// Mappings that exchange both players as well, and the start with them.
    pub swaps: Vec<Mapping>,
    /// Whether the rules name nothing that the mappings move. Where they do, random games were compared with their images,
    /// and no difference was found.
    pub proved: bool,
}

impl Symmetries {
    /// Those of a game. They are the same whenever they are asked for.
    #[must_use]
    pub fn of(game: &Game) -> Self {
        let rules = game.rules();
        let board = group::automorphisms(&rules.board);
        let start = game.start().snapshot();
        let keeps = |mapping: &Mapping| mapping.snapshot(rules, &start) == start;
        let kept: Vec<Mapping> = board.iter().filter(|mapping| keeps(mapping)).cloned().collect();
        let plain = |mapping: &Mapping| plain::keeps(rules, mapping);
        let mappings = group::closed(kept, |mapping| plain(mapping) || compared::agrees(game, mapping, &start));
        let proved = mappings.iter().all(plain);
        let swaps = if rules.players.len() == 2 { swaps(game, &board, &mappings) } else { Vec::new() };
        Self { mappings, swaps, proved }
    }

    /// How many mappings of the board there are, with the one that changes nothing.
    #[must_use]
    pub fn count(&self) -> usize {
        self.mappings.len()
    }
}

/// The mappings of a game's board of which its rules alone prove that they change nothing, wherever it stands; that which
/// moves nothing first.
#[must_use]
pub fn proved(game: &Game) -> Vec<Mapping> {
    let rules = game.rules();
    group::automorphisms(&rules.board).into_iter().filter(|mapping| plain::keeps(rules, mapping)).collect()
}

/// The mappings with which players can be exchanged: when one is found all others follow from it.
fn swaps(game: &Game, board: &[Mapping], mappings: &[Mapping]) -> Vec<Mapping> {
    let start = game.start().snapshot();
    let first = board.iter().map(Mapping::swapped).find_map(|mapping| {
        let image = mapping.snapshot(game.rules(), &start);
        compared::starts(game, image)
            .find_map(|image| compared::agrees_from(game, &mapping, &start, &image).then_some(()))?;
        Some(mapping)
    });
    first.map_or_else(Vec::new, |first| mappings.iter().map(|mapping| mapping.then(&first)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;

    fn found(name: &str, options: &[(&str, &str)]) -> Symmetries {
        let options: Vec<_> = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let text = Library::text(name).unwrap();
        Symmetries::of(&Game::from_text(name, text, None, &options, &Library).unwrap())
    }

    #[test]
    fn shipped_games_have_the_symmetries_that_people_know() {
        for (name, count, swaps) in
            [("tic_tac_toe", 8, 8), ("connect_four", 2, 2), ("breakthrough", 2, 2), ("reversi", 4, 4), ("chess", 1, 1)]
        {
            let found = found(name, &[]);
            assert_eq!((found.count(), found.swaps.len()), (count, swaps), "{name}");
        }
        let hex = found("hex", &[("size", "5")]);
        assert_eq!((hex.count(), hex.swaps.len()), (2, 2));
    }

    /// Stones are put until the board is full; the score is as told.
    fn made_up(score: &str) -> Symmetries {
        let text = format!(
            "game \"Made up\"\nplayers Red, Blue\nboard square(3)\npiece stone of each player\nscore(p) = {score}\n\
             move put \"{{cell}}\" {{\n  cell : empty\n  cell becomes stone of mover\n}}\nturn {{ put }}\n\
             end {{ best score when no empty \"the board is full\" }}\n"
        );
        Symmetries::of(&Game::from_text("made_up.game", &text, None, &[], &Library).unwrap())
    }

    #[test]
    fn rules_that_name_nothing_that_is_moved_are_proof_enough() {
        for (score, count, proved) in [
            ("count(of p corner)", 8, true),
            ("count(of p side(N, S))", 4, true),
            ("count(of p column(1))", 2, true),
            ("count(of p column(1)) + count(of p column(3))", 4, false),
            ("count(of p column(1)) + count(of p row(1))", 2, false),
            ("count(of p column(1)) + 2 * count(of p row(1))", 1, true),
            ("count { x in of p with some d in sides with x in side(d) }", 8, true),
            // A line is the same from both ends.
            (
                "if some d in (N or E) with some x in of p with count run(x, d or opposite(d), of p) = 2 then 1 else 0",
                8,
                true,
            ),
            (
                "most { count run(x, d, of p) + count run(x, opposite(d), of p) for d in (NE or SE) for x in of p }",
                8,
                true,
            ),
            ("sum { if b2 in of p then count row_through(b2, d) else 0 for d in (N or NE or E or SE) }", 8, true),
            ("count { d in (N or E) with count(of p run(b2, d or opposite(d), site)) = 2 }", 8, true),
            ("count { d in (N or E) with any(b2 of p) and any(ahead(b2, d) of p) }", 2, true),
            (
                "sum { 2 * count run(x, d, of p) + count run(x, opposite(d), of p) for d in (N or E) for x in of p }",
                8,
                false,
            ),
            ("sum { count run(x, d or opposite(d), of p) for d in (N or E or S) for x in of p }", 4, false),
        ] {
            let found = made_up(score);
            assert_eq!((found.count(), found.proved), (count, proved), "{score}");
        }
        assert!(!found("hex", &[("size", "5")]).proved, "its sides change places");
        for (game, count) in [("tic_tac_toe", 8), ("connect_four", 2), ("gomoku", 8), ("yavalath", 12)] {
            assert_eq!((found(game, &[]).count(), found(game, &[]).proved), (count, true), "{game}");
        }
    }
}
