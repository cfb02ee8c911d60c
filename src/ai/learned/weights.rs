//! The weights themselves: what they foretell, and how they follow what is seen. Every weight has a rate of its own, which
//! falls where what it is told points one way as often as the other (temporal coherence; S. Bagheri, M. Thill, P. Koch and
//! W. Konen, *Online adaptable learning rates for the game Connect-4*, 2016).

use super::shape::{Shape, Sight};
use crate::engine::Play;

/// How far one position moves what is foretold for it, as odds, if all that speaks about it is new.
const RATE: f32 = 16.0;

/// No position that is no end is worth more, as odds.
const MOST: f32 = 20.0;

/// Weights for all that a shape looks at.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    pub(crate) shape: Shape,
    /// What each adds to the odds.
    values: Vec<f32>,
    /// The sum of what each was told, and of how much that was.
    told: Vec<f32>,
    moved: Vec<f32>,
}

/// One weight that was told anything.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Weight {
    pub(crate) index: usize,
    pub(crate) value: f32,
    pub(crate) told: f32,
    pub(crate) moved: f32,
}

impl Weights {
    /// Weights that know nothing.
    pub(crate) fn new(shape: Shape) -> Self {
        let count = shape.weights();
        Self { shape, values: vec![0.0; count], told: vec![0.0; count], moved: vec![0.0; count] }
    }

    /// What is foretold for the first player in a position: the logarithm of the odds to win.
    pub(crate) fn odds(&self, play: &mut dyn Play, sight: &mut Sight) -> f32 {
        self.shape.see(play, sight);
        self.seen(sight)
    }

    /// The same for what was seen of it.
    pub(crate) fn seen(&self, sight: &Sight) -> f32 {
        let mut sum = 0.0;
        self.shape.each(sight, |index| sum += self.values.get(index).copied().unwrap_or(0.0));
        sight.for_first(sum.clamp(-MOST, MOST))
    }

    /// Learns that a position was worth so much to the first player, from 0 to 1. Tells how far off it was.
    pub(crate) fn learn(&mut self, sight: &Sight, worth: f32) -> f32 {
        let step = worth - share(self.seen(sight));
        let told = sight.for_first(step);
        let size = RATE / self.shape.active() as f32;
        let Self { shape, values, told: sums, moved } = self;
        shape.each(sight, |index| {
            let (Some(value), Some(sum), Some(moved)) =
                (values.get_mut(index), sums.get_mut(index), moved.get_mut(index))
            else {
                return;
            };
            let rate = if *moved > 0.0 { sum.abs() / *moved } else { 1.0 };
            *value += size * rate * told;
            *sum += told;
            *moved += told.abs();
        });
        step.abs()
    }

    /// All that were told anything, in the order of their numbers.
    pub(crate) fn each(&self) -> impl Iterator<Item = Weight> + '_ {
        let all = self.values.iter().zip(&self.told).zip(&self.moved).enumerate();
        all.filter(|(_, (_, moved))| **moved > 0.0).map(|(index, ((value, told), moved))| Weight {
            index,
            value: *value,
            told: *told,
            moved: *moved,
        })
    }

    /// Puts back one that was told something; false where there is no such weight.
    pub(crate) fn put(&mut self, weight: Weight) -> bool {
        let Weight { index, value, told, moved } = weight;
        let fine = [value, told, moved].iter().all(|number| number.is_finite());
        let (Some(to), Some(sum), Some(all), true) =
            (self.values.get_mut(index), self.told.get_mut(index), self.moved.get_mut(index), fine)
        else {
            return false;
        };
        (*to, *sum, *all) = (value, told, moved);
        true
    }
}

/// Odds as a share of the result.
pub(crate) fn share(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}
