//! Variants side by side: the same seeds for all, and how sure it is that they differ.

use super::quantity::{Numbers, Quantity};
use super::series;
use super::{Measure, Settings};
use crate::ai::agent::Agent;
use crate::game::Game;
use crate::study::estimate::{Difference, Sample, holm};
use crate::study::halt::Halt;
use std::ops::Range;
use std::time::Instant;

/// What was played of one variant.
#[derive(Clone, Debug)]
pub struct Variant {
    games: Vec<Numbers>,
    players: String,
}

/// A measure of a variant, and how it differs from that of the first one.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    /// The measure itself.
    pub measure: Measure,
    /// How much more it is than in the first variant; none where it cannot be told.
    pub difference: Option<Difference>,
    /// How likely so large a difference is by chance, among all that were looked at together.
    pub corrected: Option<f64>,
}

/// Below this a difference is held for one.
pub const SURE: f64 = 0.05;

impl Compared {
    /// Whether the variant surely differs.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.corrected.is_some_and(|corrected| corrected < SURE)
    }
}

impl Variant {
    /// Plays a variant. Game for game it has the seeds of the others.
    #[must_use]
    pub fn play(game: &Game, settings: Settings, player: Agent, halt: Halt<'_>, told: &mut dyn FnMut()) -> Self {
        let halt = if settings.games.is_some() { halt } else { halt.by(Instant::now() + settings.time) };
        let games = settings.games.unwrap_or(super::ENOUGH);
        Self::of(player, series::numbers(game, settings, player, 0..games, halt, told))
    }

    /// A variant whose games were played in parts, in the order of their numbers.
    #[must_use]
    pub fn of(player: Agent, games: Vec<Numbers>) -> Self {
        Self { games, players: series::against_itself(player) }
    }

    /// How many games of it were played.
    #[must_use]
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// What a quantity comes to.
    #[must_use]
    pub fn measure(&self, quantity: Quantity) -> Measure {
        quantity.measure(&self.games, self.players.clone())
    }

    /// How much more it is than in another variant, game by game.
    fn difference(&self, other: &Self, quantity: Quantity) -> Option<Difference> {
        let mut sample = Sample::default();
        let pairs = self.games.iter().zip(&other.games);
        for (own, first) in pairs.filter_map(|(own, other)| quantity.of(own).zip(quantity.of(other))) {
            sample.add(own - first);
        }
        (sample.count > 0).then(|| sample.difference())
    }
}

/// Some of the games that [`Variant::play`] plays where games are counted: the numbers of those with these numbers are handed
/// over, in order. Fewer come when it is halted, or when the taker says no.
pub fn part(
    game: &Game,
    settings: Settings,
    player: Agent,
    games: Range<u64>,
    halt: Halt<'_>,
    take: &mut dyn FnMut(Numbers) -> bool,
) {
    series::of(game, settings, (player, None), games, (halt, None), &mut |told, _| take(told.numbers));
}

/// The rows of a table: each variant with each quantity, compared with the first variant, and corrected for their number.
#[must_use]
pub fn table(variants: &[Variant], quantities: &[Quantity]) -> Vec<Vec<Compared>> {
    let Some(first) = variants.first() else { return Vec::new() };
    let mut rows: Vec<Vec<Compared>> = Vec::new();
    for (at, variant) in variants.iter().enumerate() {
        let compared = |quantity: &Quantity| Compared {
            measure: variant.measure(*quantity),
            difference: if at == 0 { None } else { variant.difference(first, *quantity) },
            corrected: None,
        };
        rows.push(quantities.iter().map(compared).collect());
    }
    let chances: Vec<f64> =
        rows.iter().flatten().filter_map(|compared| Some(compared.difference.as_ref()?.chance)).collect();
    let mut corrected = holm(&chances).into_iter();
    for compared in rows.iter_mut().flatten().filter(|compared| compared.difference.is_some()) {
        compared.corrected = corrected.next();
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;
    use std::time::Duration;

    #[test]
    fn a_variant_played_in_parts_is_that_of_one_run() {
        let game = Game::from_text("tic_tac_toe", Library::text("tic_tac_toe").unwrap(), None, &[], &Library).unwrap();
        let settings = Settings { time: Duration::ZERO, games: Some(30), seed: 4, threads: 2, max_plies: 100 };
        for player in ["random", "mcts:9"].map(|name| name.parse::<Agent>().unwrap()) {
            let whole = Variant::play(&game, settings, player, Halt::never(), &mut || {});
            let mut all = Vec::new();
            for games in [0..1, 1..19, 19..30] {
                part(&game, settings, player, games, Halt::never(), &mut |numbers| {
                    all.push(numbers);
                    true
                });
            }
            let added = Variant::of(player, all);
            assert_eq!((added.games, added.players), (whole.games, whole.players));
        }
    }
}
