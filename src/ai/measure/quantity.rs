//! What one game says: a number for each quantity, where it can be told.

use super::Measure;
use crate::study::estimate::{Estimate, Sample};

/// What can be told of a single game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// What the first seat gets.
    FirstSeat,
    /// 1 where the first place is shared.
    Draws,
    /// How long it is.
    Plies,
    /// 1 where it ends before it is cut.
    Completion,
    /// The mean number of legal moves.
    Branching,
    /// How far behind the winner was.
    Drama,
    /// How often the lead changes.
    LeadChanges,
    /// From where on the winner stays ahead.
    DecisionPly,
    /// Where little thinking finds as good a move as more of it.
    Clarity,
    /// The logarithm of the product of the numbers of legal moves.
    GameTree,
    /// Where there is one legal move.
    Forced,
}

/// The numbers of one game.
pub type Numbers = [Option<f64>; Quantity::ALL.len()];

impl Quantity {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 11] = [
        Self::FirstSeat,
        Self::Draws,
        Self::Plies,
        Self::Completion,
        Self::Branching,
        Self::Drama,
        Self::LeadChanges,
        Self::DecisionPly,
        Self::Clarity,
        Self::GameTree,
        Self::Forced,
    ];

    /// Its name, its unit, what it says.
    #[must_use]
    pub fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::FirstSeat => ("first_seat", "share", "what the first seat gets of 1"),
            Self::Draws => ("draws", "share", "games whose first place is shared"),
            Self::Plies => ("plies", "plies", "how long a game is"),
            Self::Completion => ("completion", "share", "games that end before they are cut"),
            Self::Branching => ("branching", "moves", "moves to choose from"),
            Self::Drama => ("drama", "root of a lead", "how far behind winners were"),
            Self::LeadChanges => ("lead_changes", "per game", "how often the lead changes"),
            Self::DecisionPly => ("decision_ply", "plies", "from where on the winner stays ahead"),
            Self::Clarity => ("clarity", "share", "where little thinking finds as good a move"),
            Self::GameTree => ("game_tree_log10", "log10", "how many games there are, along those played"),
            Self::Forced => ("forced", "share", "plies without a choice"),
        }
    }

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.words().0
    }

    /// The one that is called so.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|quantity| quantity.name() == name)
    }

    /// The place of its number among those of a game.
    #[must_use]
    pub fn at(self) -> usize {
        Self::ALL.into_iter().position(|quantity| quantity == self).unwrap_or(0)
    }

    /// The number of a game.
    #[must_use]
    pub fn of(self, numbers: &Numbers) -> Option<f64> {
        numbers.get(self.at()).copied().flatten()
    }

    /// What it comes to over games.
    #[must_use]
    pub fn estimate(self, games: &[Numbers]) -> (Option<Estimate>, u64) {
        let mut sample = Sample::default();
        games.iter().filter_map(|numbers| self.of(numbers)).for_each(|number| sample.add(number));
        let found = if self.words().1 == "share" { sample.score() } else { sample.mean() };
        // Nothing that is counted here is less than nothing.
        let found = Estimate { low: found.low.max(0.0), ..found };
        ((sample.count > 0).then_some(found), sample.count)
    }

    /// The same as a measure.
    #[must_use]
    pub fn measure(self, games: &[Numbers], players: String) -> Measure {
        let (name, unit, about) = self.words();
        let (estimate, games) = self.estimate(games);
        Measure { name, estimate, games, players, unit, about }
    }
}
