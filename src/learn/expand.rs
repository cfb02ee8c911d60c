//! Sets of sites as bytes: what stands together in both is moved together.

/// Planes of more cells are written site by site.
const MAX_CELLS: usize = 64 * WORDS;
const WORDS: usize = 8;

/// Runs shorter than this on the average are not worth it.
const SHORT: usize = 4;

/// How the bits of a set come to stand in the order of the cells of a plane.
#[derive(Clone, Debug)]
pub(super) struct Expansion {
    runs: Vec<Run>,
    cells: usize,
}

/// Bits of one word that go to one word, side by side.
#[derive(Clone, Copy, Debug)]
struct Run {
    from: usize,
    shift: u32,
    mask: u64,
    to: usize,
    up: u32,
}

impl Expansion {
    /// For a plane of so many cells, by the place of each site its cell; none where sites lie scattered.
    pub(super) fn of(cells: usize, of_places: &[(usize, usize)]) -> Option<Self> {
        let mut sorted = of_places.to_vec();
        sorted.sort_unstable();
        let mut runs: Vec<(usize, usize, usize)> = Vec::new();
        for (place, cell) in sorted {
            match runs.last_mut() {
                Some((from, to, length))
                    if place == *from + *length && cell == *to + *length && place % 64 > 0 && cell % 64 > 0 =>
                {
                    *length += 1;
                }
                Some(_) | None => runs.push((place, cell, 1)),
            }
        }
        let is_worth = cells <= MAX_CELLS && runs.len() * SHORT <= of_places.len();
        is_worth.then(|| Self { runs: runs.into_iter().map(run).collect(), cells })
    }

    /// Writes a byte for every cell of a plane, 1 for those in the set.
    #[inline]
    pub(super) fn write(&self, words: &[u64], plane: &mut [u8]) {
        let mut bits = [0u64; WORDS];
        for run in &self.runs {
            if let (Some(word), Some(to)) = (words.get(run.from), bits.get_mut(run.to)) {
                *to |= (word >> run.shift & run.mask) << run.up;
            }
        }
        let Some(plane) = plane.get_mut(..self.cells) else { return };
        for (cells, word) in plane.chunks_mut(64).zip(bits) {
            let (rows, rest) = cells.as_chunks_mut::<8>();
            let mut left = word;
            for row in rows {
                *row = spread(left & 0xff).to_le_bytes();
                left >>= 8;
            }
            for (bit, byte) in rest.iter_mut().enumerate() {
                *byte = u8::from(left >> bit & 1 == 1);
            }
        }
    }
}

/// Eight bits as the lowest bits of eight bytes.
#[inline]
fn spread(bits: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // Every byte gets all eight bits, keeps its own one, and carries it to its top.
    let own = bits.wrapping_mul(ONES) & 0x8040_2010_0804_0201;
    own.wrapping_add(0x7f * ONES) >> 7 & ONES
}

fn run((from, to, length): (usize, usize, usize)) -> Run {
    let small = |number: usize| u32::try_from(number % 64).unwrap_or(0);
    let mask = u64::MAX.checked_shr(64 - u32::try_from(length).unwrap_or(64)).unwrap_or(0);
    Run { from: from / 64, shift: small(from), mask, to: to / 64, up: small(to) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_comes_to_its_cell_and_nothing_else_is_set() {
        // Rows of seven with a gap between them, upside down, over the borders of words.
        let places: Vec<(usize, usize)> =
            (0..20).flat_map(|row| (0..7).map(move |at| (8 * row + at, 7 * (19 - row) + at))).collect();
        let expansion = Expansion::of(140, &places).unwrap();
        for (place, cell) in &places {
            let mut words = [0; 3];
            words[place / 64] = 1 << (place % 64);
            let mut plane = [9; 141];
            expansion.write(&words, &mut plane);
            assert_eq!(plane[*cell], 1);
            assert_eq!(plane[..140].iter().map(|byte| u32::from(*byte)).sum::<u32>(), 1, "{place}");
            assert_eq!(plane[140], 9, "behind the plane nothing is written");
        }
        let mut plane = [9; 140];
        expansion.write(&[u64::MAX; 3], &mut plane);
        assert_eq!(plane, [1; 140]);
    }

    #[test]
    fn scattered_sites_and_large_planes_are_left_alone() {
        let scattered: Vec<(usize, usize)> = (0..40).map(|at| (at, at * 7 % 40)).collect();
        assert!(Expansion::of(40, &scattered).is_none());
        let large: Vec<(usize, usize)> = (0..513).map(|at| (at, at)).collect();
        assert!(Expansion::of(513, &large).is_none());
    }
}
