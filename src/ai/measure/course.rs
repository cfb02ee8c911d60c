//! The course of games, as plots show it: how long they are, how much there is to choose from, and where things happen.

use super::quantity::{Numbers, Quantity};
use crate::study::estimate::Estimate;
use crate::study::traffic::{Choices, Traffic};

/// How long games are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lengths {
    /// Who played them.
    pub players: String,
    /// The shortest, the longest, and the lengths that a quarter, half and three quarters do not exceed.
    pub quartiles: [u64; 5],
    /// Games by length: from, to, and how many.
    pub bars: Vec<(u64, u64, u64)>,
}

/// How much there is to choose from after so many plies.
#[derive(Clone, PartialEq, Debug)]
pub struct Offered {
    /// The number of the ply, from 1; of a range of plies the first.
    pub ply: u64,
    /// The mean number of legal plies.
    pub choices: Estimate,
    /// In how many positions.
    pub positions: u64,
}

/// What happens on a site.
#[derive(Clone, PartialEq, Debug)]
pub struct SiteUse {
    /// Its name.
    pub name: String,
    /// The share of plies after which something stands there that did not before.
    pub played: f64,
    /// The share of positions in which something stands there.
    pub occupied: f64,
}

/// As many bars and points as a plot has room for.
const BARS: u64 = 24;
const POINTS: usize = 60;

/// No game is so long.
const MOST: u64 = 1 << 50;

/// Where fewer than one in so many games have come to, means say little.
const RARE: u64 = 20;

impl Lengths {
    /// Those of a series; none where nothing was played.
    pub(super) fn of(games: &[Numbers], players: String) -> Option<Self> {
        // No game has more; a damaged file may say so.
        let plies = |numbers| Quantity::Plies.of(numbers).map(|plies| (plies as u64).min(MOST));
        let mut all: Vec<u64> = games.iter().filter_map(plies).collect();
        all.sort_unstable();
        let (least, most) = (*all.first()?, *all.last()?);
        let quartiles = [0, 1, 2, 3, 4].map(|quarter: usize| {
            let at = (all.len() * quarter).div_ceil(4).max(1) - 1;
            all.get(at).copied().unwrap_or(most)
        });
        let width = (most - least + 1).div_ceil(BARS).max(1);
        let bars = (0..=(most - least) / width).map(|bar| {
            let (from, to) = (least + bar * width, least + (bar + 1) * width - 1);
            (from, to, all.iter().filter(|plies| (from..=to).contains(plies)).count() as u64)
        });
        Some(Self { players, quartiles, bars: bars.collect() })
    }
}

/// How much there is to choose from in the course of games, as far as some of them go.
pub fn offered(traffic: &Traffic) -> Vec<Offered> {
    let common = |choices: &&Choices| choices.positions > 0 && choices.positions.saturating_mul(RARE) >= traffic.games;
    let choices: Vec<&Choices> = traffic.choices.iter().take_while(common).collect();
    let width = choices.len().div_ceil(POINTS).max(1);
    let point = |(at, group): (usize, &[&Choices])| {
        let sum = |of: fn(&Choices) -> u64| group.iter().map(|choices| of(choices)).fold(0, u64::saturating_add);
        let (all, total, squares) = (sum(|c| c.positions), sum(|c| c.sum), sum(|c| c.squares));
        let mean = Estimate::mean(total as f64, squares as f64, all as f64);
        let choices = Estimate { low: mean.low.max(0.0), ..mean };
        Offered { ply: (at * width + 1) as u64, choices, positions: all }
    };
    choices.chunks(width).enumerate().map(point).collect()
}

/// Where things happen, on sites of these names.
pub fn sites(names: &[String], traffic: &Traffic) -> Vec<SiteUse> {
    let share = |count: &u64, all: u64| *count as f64 / all.max(1) as f64;
    let counts = traffic.played.iter().zip(&traffic.occupied);
    let of = |(name, (played, occupied)): (&String, (&u64, &u64))| SiteUse {
        name: name.clone(),
        played: share(played, traffic.plies),
        occupied: share(occupied, traffic.positions),
    };
    names.iter().zip(counts).map(of).collect()
}
