//! When a series has games enough: as soon as what the first seat gets is known well, asked after whole blocks of games only, so
//! that the answer does not depend on how threads fare.

use super::plan::Stage;
use super::quantity::Quantity;
use super::tally::Tally;

/// So narrow an interval, on either side, is enough.
const NARROW: f64 = 0.03;

/// After so many games it is asked whether that is reached, and not before this many: other measures need games as well.
const BLOCK: u64 = 50;
const LEAST: u64 = 400;

/// Whether the games of a stage are enough. Those that are not of somebody against himself are all played.
pub fn is_met(stage: Stage, tally: &Tally) -> bool {
    let games = tally.games();
    match (stage, tally) {
        (Stage::Weak | Stage::Strong(_), Tally::Series(series)) if games >= LEAST && games.is_multiple_of(BLOCK) => {
            let (found, _) = Quantity::FirstSeat.estimate(&series.games);
            found.is_some_and(|found| found.high - found.value <= NARROW && found.value - found.low <= NARROW)
        }
        (_, Tally::Series(_) | Tally::Shares(_) | Tally::Bouts(_) | Tally::Space(_) | Tally::Survey(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tally::Series;
    use super::*;
    use crate::ai::measure::{ENOUGH, Numbers};

    /// Games of which the first seat wins so many in ten.
    fn series(games: u64, wins: u64) -> Tally {
        let game = |number: u64| {
            let mut numbers = Numbers::default();
            numbers[Quantity::FirstSeat.at()] = Some(if number % 10 < wins { 1.0 } else { 0.0 });
            numbers
        };
        Tally::Series(Series { games: (0..games).map(game).collect(), ..Series::default() })
    }

    #[test]
    fn one_sided_games_need_fewer_and_even_ones_all() {
        let first = |wins| (1..=ENOUGH).find(|games| is_met(Stage::Weak, &series(*games, wins)));
        assert_eq!([10, 9, 8, 5].map(first), [Some(400), Some(500), Some(800), Some(1_100)]);
        // Where nothing is decided no number is enough.
        assert!(!is_met(
            Stage::Weak,
            &Tally::Series(Series { games: vec![Numbers::default(); 600], ..Series::default() })
        ));
        assert!(!is_met(Stage::Random, &series(600, 10)));
    }
}
