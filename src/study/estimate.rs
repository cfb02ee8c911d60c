//! How sure a number is that was found by playing: the ends of its 95 % interval.

/// So many standard deviations on either side hold 95 % of a normal distribution.
pub const Z: f64 = 1.959_964;

/// A number found from a sample, with the ends of its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Estimate {
    /// The number itself.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Estimate {
    /// The same with an interval that is so many times as wide.
    #[must_use]
    pub fn wider(self, times: f64) -> Self {
        let Self { value, low, high } = self;
        let end = |end: f64| value + times * (end - value);
        Self { value, low: end(low), high: end(high) }
    }

    /// The share of `hits` among `all`, with the interval of Wilson, which stays between 0 and 1. Of nothing everything may
    /// be true.
    #[must_use]
    pub fn share(hits: f64, all: f64) -> Self {
        if all <= 0.0 {
            return Self { value: 0.0, low: 0.0, high: 1.0 };
        }
        let value = hits / all;
        let whole = 1.0 + Z * Z / all;
        let centre = (value + Z * Z / (2.0 * all)) / whole;
        let half = Z / whole * (value * (1.0 - value) / all + Z * Z / (4.0 * all * all)).sqrt();
        Self { value, low: (centre - half).clamp(0.0, value), high: (centre + half).clamp(value, 1.0) }
    }

    /// The mean of `all` numbers with this sum and sum of squares, by the normal distribution. One number alone says nothing
    /// of how much they differ: then the ends are the number.
    #[must_use]
    pub fn mean(sum: f64, squares: f64, all: f64) -> Self {
        if all <= 0.0 {
            return Self::default();
        }
        let value = sum / all;
        let variance = (squares / all - value * value).max(0.0) * all / (all - 1.0).max(1.0);
        let half = Z * (variance / all).sqrt();
        Self { value, low: value - half, high: value + half }
    }

    /// The mean of results from 0 to 1: where all are 0 or 1 the interval of Wilson, which does not shrink to nothing when
    /// all are alike. Where some are drawn the normal one, but no narrower than Wilson's would be if the same mean came of
    /// wins alone when all results are alike.
    #[must_use]
    pub fn score(sum: f64, squares: f64, all: f64) -> Self {
        let mean = Self::mean(sum, squares, all);
        // No two results differ, or all are wins and losses.
        if squares >= sum || mean.high <= mean.low {
            return Self::share(sum, all);
        }
        Self { value: mean.value, low: mean.low.max(0.0), high: mean.high.min(1.0) }
    }
}

/// How much two things differ, and how likely so large a difference is if they do not.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Difference {
    /// How much.
    pub estimate: Estimate,
    /// The chance that it comes out at least so large when there is none.
    pub chance: f64,
}

/// Fewer pairs than these say nothing.
const FEW: u64 = 10;

/// The chance of a number at least so many standard deviations away from the middle (Abramowitz and Stegun 7.1.26; the error
/// is below 2 in ten million).
pub(super) fn two_sided(deviations: f64) -> f64 {
    let x = deviations.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let sum = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    (sum.into_iter().fold(0.0, |sum, factor| sum * t + factor) * t * (-x * x).exp()).clamp(0.0, 1.0)
}

/// Chances of many differences looked at together, corrected after Holm: below 5 % for one that is none no more often than in
/// one table among twenty.
#[must_use]
pub fn holm(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    let chance = |at: usize| chances.get(at).copied().unwrap_or(1.0);
    order.sort_by(|a, b| chance(*a).total_cmp(&chance(*b)));
    let mut corrected = vec![1.0; chances.len()];
    let mut greatest: f64 = 0.0;
    for (rank, at) in order.into_iter().enumerate() {
        greatest = greatest.max((chance(at) * (chances.len() - rank) as f64).min(1.0));
        if let Some(corrected) = corrected.get_mut(at) {
            *corrected = greatest;
        }
    }
    corrected
}

/// Numbers of which the mean is wanted.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Sample {
    /// How many there are.
    pub count: u64,
    sum: f64,
    squares: f64,
}

impl Sample {
    /// One more.
    pub fn add(&mut self, number: f64) {
        self.count += 1;
        self.sum += number;
        self.squares += number * number;
    }

    /// Their mean, whatever they are.
    #[must_use]
    pub fn mean(&self) -> Estimate {
        Estimate::mean(self.sum, self.squares, self.count as f64)
    }

    /// Their mean as the difference of two things that were measured in pairs.
    #[must_use]
    pub fn difference(&self) -> Difference {
        let estimate = self.mean();
        if self.squares == 0.0 || self.count < FEW {
            return Difference { estimate, chance: 1.0 };
        }
        let all = self.count as f64;
        // Pairs that all differ alike are as sure as their number, and no surer.
        let least = (self.squares / all).sqrt() / all;
        let error = ((estimate.high - estimate.value) / Z).max(least);
        let estimate = Estimate { low: estimate.value - Z * error, high: estimate.value + Z * error, ..estimate };
        Difference { estimate, chance: two_sided(estimate.value / error) }
    }

    /// Their mean if they lie between 0 and 1.
    #[must_use]
    pub fn score(&self) -> Estimate {
        Estimate::score(self.sum, self.squares, self.count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_the_value_and_shrink_with_the_sample() {
        let one = Estimate::share(70.0, 100.0);
        assert!((one.low - 0.604).abs() < 1e-3 && (one.high - 0.781).abs() < 1e-3, "{one:?}");
        let more = Estimate::share(7000.0, 10_000.0);
        assert!(more.high - more.low < (one.high - one.low) / 9.0);
        let all = Estimate::share(200.0, 200.0);
        assert!(all.low > 0.97 && all.low < all.high && all.high <= 1.0, "{all:?}");
        assert_eq!(Estimate::share(0.0, 0.0), Estimate { value: 0.0, low: 0.0, high: 1.0 });
    }

    #[test]
    fn a_mean_has_the_interval_of_its_spread() {
        // 1 and 3, a hundred times each: mean 2, deviation 1.
        let mean = Estimate::mean(400.0, 1000.0, 200.0);
        assert!((mean.value - 2.0).abs() < 1e-9 && (mean.high - 2.0 - Z / 200f64.sqrt()).abs() < 1e-3, "{mean:?}");
    }

    #[test]
    fn chances_are_those_of_the_normal_distribution() {
        for (deviations, chance) in [(0.0, 1.0), (1.0, 0.317_310_5), (1.959_964, 0.05), (3.0, 0.002_699_8)] {
            assert!((two_sided(deviations) - chance).abs() < 1e-6, "{deviations}");
            assert!((two_sided(-deviations) - chance).abs() < 1e-6, "{deviations}");
        }
    }

    #[test]
    fn many_comparisons_are_corrected_in_order() {
        assert_eq!(holm(&[0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02]);
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert_eq!(holm(&[]), [0.0; 0]);
    }

    #[test]
    fn pairs_without_a_difference_show_none_and_few_pairs_say_nothing() {
        let of = |numbers: &[f64]| {
            let mut sample = Sample::default();
            numbers.iter().for_each(|number| sample.add(*number));
            sample.difference()
        };
        assert_eq!(of(&[0.0; 50]).chance, 1.0);
        assert_eq!(of(&[1.0; 5]).chance, 1.0);
        assert!(of(&[1.0; 50]).chance < 1e-9);
        let mixed: Vec<f64> = (0..100).map(|n| if n % 2 == 0 { 1.0 } else { -1.0 }).collect();
        assert!(of(&mixed).chance > 0.99);
    }

    #[test]
    fn draws_alone_are_no_certainty() {
        let drawn = Estimate::score(10.0, 5.0, 20.0);
        assert!(drawn.low < 0.35 && drawn.high > 0.65, "{drawn:?}");
    }
}
