//! Numbers kept for every site at once: each bit of them is a set.

use crate::engine::fast::set::Set;
use crate::rules::CompareOp;

/// As many bits as a count of sets can need: no text that can be read has room for more.
pub(super) const SUM_BITS: usize = 16;

/// A number for every position, its bits spread over sets, so that all are counted at once.
pub(super) struct Sum<const W: usize, const B: usize> {
    bits: [Set<W>; B],
    used: usize,
}

impl<const W: usize, const B: usize> Sum<W, B> {
    #[inline]
    pub fn new(all: Set<W>, first: u64) -> Self {
        let used = (u64::BITS - first.leading_zeros()) as usize;
        let mut bits = [Set::EMPTY; B];
        for (place, bit) in bits.iter_mut().enumerate().take(used) {
            if first >> place & 1 == 1 {
                *bit = all;
            }
        }
        Self { bits, used: used.min(B) }
    }

    #[inline]
    pub fn add(&mut self, set: Set<W>) {
        let mut carry = set;
        let used = self.used;
        for bit in self.bits.iter_mut().take(used) {
            let both = *bit & carry;
            *bit ^= carry;
            carry = both;
        }
        if carry.any()
            && let Some(bit) = self.bits.get_mut(used)
        {
            *bit = carry;
            self.used = used + 1;
        }
    }

    #[inline]
    pub fn compare(&self, op: CompareOp, other: &Self, all: Set<W>) -> Set<W> {
        let used = self.used.max(other.used);
        let pairs = || self.bits.iter().zip(&other.bits).take(used);
        if matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
            let differ = pairs().fold(Set::EMPTY, |differ, (a, b)| differ | (*a ^ *b));
            return if op == CompareOp::Equal { all - differ } else { differ & all };
        }
        let (mut greater, mut equal) = (Set::EMPTY, all);
        for (a, b) in pairs().rev() {
            greater |= equal & (*a - *b);
            equal -= *a ^ *b;
        }
        match op {
            CompareOp::Greater => greater,
            CompareOp::GreaterEqual => greater | equal,
            CompareOp::Less => all - greater - equal,
            _ => all - greater,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_compare_as_numbers_do() {
        let all: Set<1> = (0..40).collect();
        // Every set holds other multiples, so that the counts differ from site to site.
        let sets: Vec<Set<1>> = (1..=12).map(|step| (0..40).step_by(step).collect()).collect();
        let ops = [
            CompareOp::Equal,
            CompareOp::NotEqual,
            CompareOp::Less,
            CompareOp::LessEqual,
            CompareOp::Greater,
            CompareOp::GreaterEqual,
        ];
        for first in 0..4u64 {
            for split in 0..=sets.len() {
                let (mine, theirs) = sets.split_at(split);
                let (mut left, mut right) = (Sum::<1, 4>::new(all, first), Sum::<1, 4>::new(all, 0));
                mine.iter().for_each(|set| left.add(*set));
                theirs.iter().for_each(|set| right.add(*set));
                let count = |sets: &[Set<1>], site: usize| sets.iter().filter(|set| set.contains(site)).count() as i64;
                for op in ops {
                    let expected: Set<1> = all
                        .iter()
                        .filter(|site| op.holds(count(mine, *site) + first as i64, count(theirs, *site)))
                        .collect();
                    assert_eq!(left.compare(op, &right, all), expected, "{op:?} {split}");
                }
            }
        }
    }
}
