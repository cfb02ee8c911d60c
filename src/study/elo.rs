//! How much stronger one player is than another, from games in pairs: both games of a pair begin alike, with seats swapped.
//!
//! The formulas are those of fastchess and fishtest, which test changes to chess programs: what the two games of a pair came
//! to is one number, since they are not independent.

use super::estimate::{Estimate, Z};

/// Ten times as strong in wins per loss is 400 of these.
const SCALE: f64 = 400.0;

/// Normalized Elo for one standard deviation of a game.
const NORMALIZED: f64 = 800.0 / std::f64::consts::LN_10;

/// What never happened is taken as this often, so that it is not impossible.
const NEVER: f64 = 1e-3;

/// Steps when an equation is solved by halving.
const HALVINGS: u32 = 200;

/// Pairs of games by what they came to for one player: 0, ½, 1, 1½ or 2 points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pentanomial(pub [u64; 5]);

/// What an Elo difference is measured by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// Points: a difference means the same share of points in every game.
    Logistic,
    /// Points by their spread: a difference takes as many games to see in every game.
    Normalized,
}

/// A test of which of two differences is nearer the truth, which ends as soon as that is clear.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// The difference if there is nothing in it.
    pub elo0: f64,
    /// The difference that is hoped for.
    pub elo1: f64,
    /// What both are measured by.
    pub model: Model,
}

/// What a test has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The difference that is hoped for is there.
    Accepted,
    /// It is not.
    Rejected,
    /// That is not clear yet.
    Open,
}

impl Sprt {
    /// Either kind of mistake is made in one test among twenty: so far must the logarithm of the likelihoods go.
    pub const BOUND: f64 = 2.944_438_979_166_44;

    /// How much likelier what happened is under the second difference, as a logarithm.
    #[must_use]
    pub fn likelihood(&self, pairs: &Pentanomial) -> f64 {
        let count = pairs.count() as f64;
        if count == 0.0 {
            return 0.0;
        }
        let seen = pairs.shares();
        let [zero, one] = [self.elo0, self.elo1].map(|elo| match self.model {
            Model::Logistic => likeliest(&points(&seen), score(elo)),
            Model::Normalized => likeliest_spread(&seen, elo / NORMALIZED * std::f64::consts::SQRT_2),
        });
        let terms = seen.iter().zip(zero.iter().zip(&one));
        count * terms.map(|(seen, (zero, one))| seen * (one / zero).ln()).sum::<f64>()
    }

    /// What the test says of these pairs.
    #[must_use]
    pub fn verdict(&self, pairs: &Pentanomial) -> Verdict {
        match self.likelihood(pairs) {
            sure if sure >= Self::BOUND => Verdict::Accepted,
            sure if sure <= -Self::BOUND => Verdict::Rejected,
            _ => Verdict::Open,
        }
    }
}

impl Pentanomial {
    /// One more pair, with so many half points of 4.
    pub fn add(&mut self, half_points: usize) {
        if let Some(count) = self.0.get_mut(half_points) {
            *count += 1;
        }
    }

    /// Those of another count as well.
    pub fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, more)| *sum += more);
    }

    /// The same pairs as the other player saw them.
    #[must_use]
    pub fn turned(mut self) -> Self {
        self.0.reverse();
        self
    }

    /// How many pairs there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The share of the points with its 95 % interval; where all pairs came to the same, Wilson's.
    #[must_use]
    pub fn score(&self) -> Estimate {
        let all = self.count() as f64;
        let (sum, variance) = self.moments();
        if all == 0.0 || variance <= 0.0 {
            return Estimate::share(sum * all, all);
        }
        let half = Z * (variance / all).sqrt();
        Estimate { value: sum, low: (sum - half).max(0.0), high: (sum + half).min(1.0) }
    }

    /// The difference in Elo with its 95 % interval. Who won all is better without bound.
    #[must_use]
    pub fn elo(&self) -> Estimate {
        let Estimate { value, low, high } = self.score();
        Estimate { value: elo(value), low: elo(low), high: elo(high) }
    }

    /// The difference in normalized Elo with its 95 % interval; none where all pairs came to the same.
    #[must_use]
    pub fn normalized(&self) -> Option<Estimate> {
        let (mean, variance) = self.moments();
        if variance <= 0.0 {
            return None;
        }
        let value = (mean - 0.5) / (2.0 * variance).sqrt() * NORMALIZED;
        let half = Z * NORMALIZED / (2.0 * self.count() as f64).sqrt();
        Some(Estimate { value, low: value - half, high: value + half })
    }

    /// How likely it is that the player is the better one, if nothing was known before.
    #[must_use]
    pub fn superiority(&self) -> f64 {
        let (mean, variance) = self.moments();
        if self.count() == 0 || variance <= 0.0 {
            return if mean > 0.5 {
                1.0
            } else if mean < 0.5 && self.count() > 0 {
                0.0
            } else {
                0.5
            };
        }
        below((mean - 0.5) / (variance / self.count() as f64).sqrt())
    }

    /// Mean and variance of the share of the points in a pair.
    fn moments(&self) -> (f64, f64) {
        let all = self.count() as f64;
        if all == 0.0 {
            return (0.5, 0.0);
        }
        let each = || (0..5).zip(&self.0).map(|(half, count)| (f64::from(half) / 4.0, *count as f64 / all));
        let mean: f64 = each().map(|(points, share)| points * share).sum();
        (mean, each().map(|(points, share)| (points - mean).powi(2) * share).sum())
    }

    /// How often each came, as a share; what never came a little.
    fn shares(&self) -> [f64; 5] {
        let counts = self.0.map(|count| if count == 0 { NEVER } else { count as f64 });
        let all: f64 = counts.iter().sum();
        counts.map(|count| count / all)
    }
}

/// The difference at which somebody gets a share of the points.
#[must_use]
pub fn elo(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        -SCALE * (1.0 / score - 1.0).log10()
    }
}

/// The share of the points at a difference.
#[must_use]
pub fn score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / SCALE))
}

/// The chance of a normal number below so many standard deviations.
fn below(deviations: f64) -> f64 {
    let outside = super::estimate::two_sided(deviations) / 2.0;
    if deviations < 0.0 { outside } else { 1.0 - outside }
}

/// What each kind of pair counts, with how often it came.
fn points(shares: &[f64; 5]) -> [(f64, f64); 5] {
    let mut points = [(0.0, 0.0); 5];
    for (at, (half, share)) in (0..5).zip(shares).enumerate() {
        if let Some(point) = points.get_mut(at) {
            *point = (f64::from(half) / 4.0, *share);
        }
    }
    points
}

/// The distribution nearest to what was seen among those with this mean.
fn likeliest(seen: &[(f64, f64); 5], mean: f64) -> [f64; 5] {
    let least = seen.iter().map(|(value, _)| *value).fold(f64::INFINITY, f64::min);
    let most = seen.iter().map(|(value, _)| *value).fold(f64::NEG_INFINITY, f64::max);
    let weight = |x: f64, value: f64| 1.0 / (1.0 + x * (value - mean));
    let excess = |x: f64| seen.iter().map(|(value, share)| share * (value - mean) * weight(x, *value)).sum::<f64>();
    let (mut low, mut high) = (-1.0 / (most - mean), 1.0 / (mean - least));
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let x = f64::midpoint(low, high);
    seen.map(|(value, share)| share * weight(x, value))
}

/// The distribution nearest to what was seen among those whose mean lies so many standard deviations above one half.
fn likeliest_spread(seen: &[f64; 5], deviations: f64) -> [f64; 5] {
    let mut found = [0.2; 5];
    for _ in 0..50 {
        let now = points(&found);
        let mean: f64 = now.iter().map(|(value, share)| value * share).sum();
        let variance: f64 = now.iter().map(|(value, share)| (value - mean).powi(2) * share).sum();
        let spread = variance.sqrt();
        let bent = |value: f64| value - 0.5 - deviations * spread * (1.0 + ((mean - value) / spread).powi(2)) / 2.0;
        let next = likeliest(&points(seen).map(|(value, share)| (bent(value), share)), 0.0);
        let moved = found.iter().zip(&next).map(|(old, new)| (old - new).abs()).fold(0.0, f64::max);
        found = next;
        if moved < 1e-9 {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, wanted: f64) {
        assert!((value - wanted).abs() < 1e-3 * wanted.abs().max(1e-3), "{value} is not {wanted}");
    }

    /// The numbers come from a second writing of the formulas in another language.
    #[test]
    fn differences_are_those_of_the_formulas() {
        let pairs = Pentanomial([10, 40, 80, 55, 15]);
        let elo = pairs.elo();
        near(elo.value, 21.743_065);
        near(elo.low, -1.866_803);
        near(elo.high, 45.555_518);
        let normalized = pairs.normalized().unwrap();
        near(normalized.value, 31.352_713);
        near(normalized.high - normalized.value, 34.048_062);
        near(pairs.superiority(), 0.964_447_57);
        near(pairs.turned().elo().value, -21.743_065);
        near(pairs.turned().superiority(), 1.0 - 0.964_447_57);
    }

    #[test]
    fn likelihoods_are_those_of_the_formulas() {
        for (pairs, elo1, logistic, normalized) in [
            ([10, 40, 80, 55, 15], 10.0, 1.136_242_11, 0.863_087_86),
            ([10, 40, 80, 55, 15], 50.0, -1.094_043_42, 1.044_661_57),
            ([2, 5, 20, 30, 43], 50.0, 12.185_559_85, 12.412_022_12),
            ([0, 0, 10, 20, 30], 50.0, 8.015_352_82, 8.775_585_23),
        ] {
            let test = |model| Sprt { elo0: 0.0, elo1, model }.likelihood(&Pentanomial(pairs));
            near(test(Model::Logistic), logistic);
            near(test(Model::Normalized), normalized);
        }
    }

    #[test]
    fn a_test_accepts_the_better_rejects_the_worse_and_waits_otherwise() {
        let test = Sprt { elo0: 0.0, elo1: 50.0, model: Model::Normalized };
        assert_eq!(test.verdict(&Pentanomial([2, 5, 20, 30, 43])), Verdict::Accepted);
        assert_eq!(test.verdict(&Pentanomial([43, 30, 20, 5, 2])), Verdict::Rejected);
        assert_eq!(test.verdict(&Pentanomial([1, 2, 4, 2, 1])), Verdict::Open);
        assert_eq!(test.verdict(&Pentanomial::default()), Verdict::Open);
    }

    #[test]
    fn who_wins_all_is_better_without_bound_and_nothing_says_nothing() {
        let all = Pentanomial([0, 0, 0, 0, 20]);
        let elo = all.elo();
        assert!(elo.value.is_infinite() && elo.low > 150.0 && elo.low.is_finite(), "{elo:?}");
        assert_eq!((all.normalized(), all.superiority()), (None, 1.0));
        let none = Pentanomial::default();
        assert_eq!((none.superiority(), none.normalized()), (0.5, None));
        assert_eq!(Pentanomial([0, 0, 9, 0, 0]).superiority(), 0.5);
    }

    #[test]
    fn a_score_and_its_difference_belong_together() {
        for difference in [-300.0, 0.0, 17.5, 400.0] {
            near(elo(score(difference)) + 1000.0, difference + 1000.0);
        }
        near(score(400.0), 10.0 / 11.0);
    }
}
