//! Which of several variants is best: after each round the worse half is left out, and the others play twice as many games.
//!
//! This is successive halving after Z. Karnin, T. Koren and O. Somekh, *Almost Optimal Exploration in Multi-Armed Bandits*
//! (2013), with games that are kept from round to round.

use super::quantity::{Numbers, Quantity};
use super::tune::WIDER;
use crate::study::estimate::Estimate;

/// What a measure should be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Goal {
    /// As little as can be.
    Least,
    /// As much as can be.
    Most,
    /// Near to a number.
    Near(f64),
}

impl Goal {
    /// How far off a number is; the less, the better.
    pub(super) fn away(self, number: Estimate) -> Estimate {
        let Estimate { value, low, high } = number;
        match self {
            Self::Least => number,
            Self::Most => Estimate { value: -value, low: -high, high: -low },
            Self::Near(target) => {
                let (one, other) = ((low - target).abs(), (high - target).abs());
                let least = if (low..=high).contains(&target) { 0.0 } else { one.min(other) };
                Estimate { value: (value - target).abs(), low: least, high: one.max(other) }
            }
        }
    }
}

/// One of the rounds.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// From 1 on.
    pub number: u32,
    /// How many rounds there are.
    pub of: u32,
    /// How many variants play in it.
    pub variants: usize,
}

impl Round {
    /// How many games of a variant are played when the round is over, where those in the last round play so many.
    #[must_use]
    pub fn games(&self, most: u64) -> u64 {
        most.checked_shr(self.of.saturating_sub(self.number)).unwrap_or(0).max(1)
    }
}

/// What came out.
#[derive(Clone, PartialEq, Debug)]
pub struct Best {
    /// The best variant; none where the measure cannot be told.
    pub variant: Option<usize>,
    /// The others that are not surely worse.
    pub open: Vec<usize>,
    /// Which variants played in each round.
    pub rounds: Vec<Vec<usize>>,
    /// The games of each variant.
    pub games: Vec<Vec<Numbers>>,
}

/// Plays a variant that has had so many games, and gives those that are new. A number stands for the same game whenever it is
/// asked for.
pub type Play<'a, E> = dyn FnMut(usize, u64, Round) -> Result<Vec<Numbers>, E> + 'a;

/// Looks for the best of so many variants.
pub fn best<E>(variants: usize, (quantity, goal): (Quantity, Goal), play: &mut Play<'_, E>) -> Result<Best, E> {
    let mut games = vec![Vec::new(); variants];
    let (mut left, mut rounds): (Vec<usize>, _) = ((0..variants).collect(), Vec::new());
    let of = variants.next_power_of_two().ilog2().max(1);
    for number in 1..=of {
        let round = Round { number, of, variants: left.len() };
        for variant in &left {
            if let Some(games) = games.get_mut(*variant) {
                let new = play(*variant, games.len() as u64, round)?;
                games.extend(new);
            }
        }
        rounds.push(left.clone());
        // What cannot be told is worse than anything; of equals the first ones stay.
        let value = |variant: &usize| away(quantity, goal, &games, *variant).map_or(f64::INFINITY, |off| off.value);
        left.sort_by(|a, b| value(a).total_cmp(&value(b)));
        left.truncate(left.len().div_ceil(2));
    }
    let found = |variant: &usize| away(quantity, goal, &games, *variant);
    let variant = left.first().copied().filter(|variant| found(variant).is_some());
    let surely = variant.and_then(|variant| Some(found(&variant)?.high));
    let may_be =
        |other: &usize| Some(*other) != variant && found(other).zip(surely).is_some_and(|(off, most)| off.low <= most);
    Ok(Best { variant, open: (0..variants).filter(may_be).collect(), rounds, games })
}

fn away(quantity: Quantity, goal: Goal, games: &[Vec<Numbers>], variant: usize) -> Option<Estimate> {
    let (found, _) = quantity.estimate(games.get(variant)?);
    Some(goal.away(found?.wider(WIDER)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::playout::generator;
    use rand::Rng;

    /// What the first seat gets in each of sixteen variants; one half in the twelfth.
    fn share(variant: usize) -> f64 {
        0.5 + 0.03 * (variant as f64 - 11.0)
    }

    fn found(seed: u64, goal: Goal) -> Best {
        let mut play = |variant: usize, played: u64, round: Round| {
            let game = |number: u64| {
                let mut chance = generator(seed * 100 + variant as u64, number);
                let won = (chance.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
                let mut numbers = Numbers::default();
                numbers[Quantity::FirstSeat.at()] = Some(if won < share(variant) { 1.0 } else { 0.0 });
                numbers
            };
            Ok::<_, ()>((played..round.games(4_000)).map(game).collect())
        };
        best(16, (Quantity::FirstSeat, goal), &mut play).unwrap()
    }

    #[test]
    fn the_best_of_sixteen_is_found_with_a_third_of_the_games() {
        for (goal, right) in [(Goal::Near(0.5), 11), (Goal::Most, 15), (Goal::Least, 0)] {
            let all: Vec<Best> = (0..40).map(|seed| found(seed, goal)).collect();
            let right = |best: &&Best| best.variant == Some(right) || best.open.contains(&right);
            assert!(all.iter().filter(right).count() >= 38, "{goal:?}");
            for best in all {
                let sizes: Vec<usize> = best.rounds.iter().map(Vec::len).collect();
                assert_eq!(sizes, [16, 8, 4, 2]);
                let games: usize = best.games.iter().map(Vec::len).sum();
                assert_eq!(games, 8 * 500 + 4 * 1_000 + 2 * 2_000 + 2 * 4_000);
                assert!(best.open.iter().all(|open| Some(*open) != best.variant));
            }
        }
    }

    #[test]
    fn variants_alike_are_not_surely_worse_and_what_cannot_be_told_is_not_best() {
        let tie = |number: u64| {
            let mut numbers = Numbers::default();
            numbers[Quantity::Draws.at()] = Some((number % 2) as f64);
            numbers
        };
        let mut play = |variant: usize, played: u64, round: Round| {
            let games = played..round.games(400);
            Ok::<_, ()>(games.map(|number| if variant == 0 { Numbers::default() } else { tie(number) }).collect())
        };
        let best = best(5, (Quantity::Draws, Goal::Least), &mut play).unwrap();
        assert_eq!((best.variant, best.open), (Some(1), vec![2, 3, 4]));
        assert_eq!(best.rounds, [vec![0, 1, 2, 3, 4], vec![1, 2, 3], vec![1, 2]]);
    }
}
