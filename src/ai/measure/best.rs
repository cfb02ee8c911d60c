//! Which of several variants is best: after each round the worse half is left out, and the others play twice as many games.
//!
//! This is successive halving after Z. Karnin, T. Koren and O. Somekh, *Almost Optimal Exploration in Multi-Armed Bandits*
//! (2013), with games that are kept from round to round.

use super::quantity::{Numbers, Quantity};
use super::tune::wider;
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
    /// The others that are not surely worse, those among them of which too little is known.
    pub open: Vec<usize>,
    /// Which variants played in each round that was played to its end.
    pub rounds: Vec<Vec<usize>>,
    /// The games of each variant.
    pub games: Vec<Vec<Numbers>>,
}

/// Plays a variant that has had so many games, and gives those that are new; none where the work is halted. A number stands for
/// the same game whenever it is asked for.
pub type Play<'a, E> = dyn FnMut(usize, u64, Round) -> Result<Option<Vec<Numbers>>, E> + 'a;

/// Of fewer games than this nothing is sure.
const FEW: u64 = 10;

/// Looks for the best of so many variants.
pub fn best<E>(variants: usize, sought: (Quantity, Goal), play: &mut Play<'_, E>) -> Result<Best, E> {
    let mut games = vec![Vec::new(); variants];
    let (mut left, mut rounds): (Vec<usize>, _) = ((0..variants).collect(), Vec::new());
    let of = variants.next_power_of_two().ilog2().max(1);
    for number in 1..=of {
        let round = Round { number, of, variants: left.len() };
        if !play_round(&left, round, &mut games, play)? {
            break;
        }
        rounds.push(left.clone());
        sort(&mut left, sought, &games);
        left.truncate(left.len().div_ceil(2));
    }
    sort(&mut left, sought, &games);
    let found = |variant: usize| away(sought, &games, variant);
    let variant = left.first().copied().filter(|variant| found(*variant).is_some());
    let surely = variant.and_then(|variant| surely_away(sought, &games, variant)).map(|off| off.high);
    let is_worse =
        |other: usize| surely_away(sought, &games, other).zip(surely).is_some_and(|(off, most)| off.low > most);
    let open = (0..variants).filter(|other| Some(*other) != variant && !is_worse(*other)).collect();
    Ok(Best { variant, open, rounds, games })
}

/// Whether a round was played to its end.
fn play_round<E>(left: &[usize], round: Round, games: &mut [Vec<Numbers>], play: &mut Play<'_, E>) -> Result<bool, E> {
    for variant in left {
        let Some(games) = games.get_mut(*variant) else { continue };
        let Some(new) = play(*variant, games.len() as u64, round)? else { return Ok(false) };
        games.extend(new);
    }
    Ok(true)
}

/// The best first. What cannot be told is worse than anything; of equals the first ones stay before the others.
fn sort(left: &mut [usize], sought: (Quantity, Goal), games: &[Vec<Numbers>]) {
    let value = |variant: usize| away(sought, games, variant).map_or(f64::INFINITY, |off| off.value);
    left.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
}

fn away((quantity, goal): (Quantity, Goal), games: &[Vec<Numbers>], variant: usize) -> Option<Estimate> {
    Some(goal.away(quantity.estimate(games.get(variant)?).0?))
}

/// The same with an interval as wide as it must be to be looked at after every round, and for all variants together.
fn surely_away((quantity, goal): (Quantity, Goal), games: &[Vec<Numbers>], variant: usize) -> Option<Estimate> {
    let (found, count) = quantity.estimate(games.get(variant)?);
    Some(goal.away(found.filter(|_| count >= FEW)?.wider(wider(games.len()))))
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
            Ok::<_, ()>(Some((played..round.games(4_000)).map(game).collect()))
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
            Ok::<_, ()>(Some(games.map(|number| if variant == 0 { Numbers::default() } else { tie(number) }).collect()))
        };
        let best = best(5, (Quantity::Draws, Goal::Least), &mut play).unwrap();
        assert_eq!((best.variant, best.open), (Some(1), vec![0, 2, 3, 4]));
        assert_eq!(best.rounds, [vec![0, 1, 2, 3, 4], vec![1, 2, 3], vec![1, 2]]);
    }

    #[test]
    fn nothing_is_sure_where_little_was_played() {
        let long = |length: f64| {
            let mut numbers = Numbers::default();
            numbers[Quantity::Plies.at()] = Some(length);
            numbers
        };
        // One length is one game's, another that of nine which were alike.
        for (games, open) in [(8, 3), (64, 0)] {
            let mut play = |variant: usize, played: u64, round: Round| {
                Ok::<_, ()>(Some((played..round.games(games)).map(|_| long(variant as f64)).collect()))
            };
            let best = best(4, (Quantity::Plies, Goal::Least), &mut play).unwrap();
            assert_eq!((best.variant, best.open.len()), (Some(0), open), "{games}");
        }
        // Halted in the second round, in which only one variant has played.
        let mut play = |variant: usize, played: u64, round: Round| {
            let goes_on = round.number == 1 || variant == 3;
            Ok::<_, ()>(goes_on.then(|| (played..round.games(64)).map(|_| long(-(variant as f64))).collect()))
        };
        let halted = best(4, (Quantity::Plies, Goal::Least), &mut play).unwrap();
        assert_eq!((halted.variant, halted.rounds), (Some(3), vec![vec![0, 1, 2, 3]]));
        let mut never = |_: usize, _: u64, _: Round| Ok::<_, ()>(None);
        let halted = best(3, (Quantity::Plies, Goal::Least), &mut never).unwrap();
        assert_eq!((halted.variant, halted.open, halted.rounds.len()), (None, vec![0, 1, 2], 0));
    }
}
