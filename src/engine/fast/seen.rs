//! The positions that a game has come through, found again by their hashes.

/// A position by its hash, and by that of its board alone.
pub type Position = [u64; 2];

/// As many chains of positions, by the lowest bits of a hash.
const CHAINS: usize = 256;

/// As many counters of positions, by the lowest bits of a hash: most positions are found to be new without looking for others.
const COUNTERS: usize = 1024;

/// No earlier position.
const NOWHERE: u32 = u32::MAX;

/// Positions in the order in which they came up. Those that may be alike are chained, so that a long game takes no longer
/// to look back than a short one.
#[derive(Debug, Default)]
pub struct Seen {
    /// Positions by the [`CHUNK`]: more of them move none. All chunks are full but the last one that is not empty.
    chunks: Vec<Vec<Entry>>,
    count: usize,
    /// The last position of each chain, for each of the two hashes; made with the first position.
    last: Vec<[u32; 2]>,
    /// At least as many as there are positions whose hash ends like this, for each of the two hashes. What has reached the
    /// greatest number stays there.
    at_most: Vec<[u8; 2]>,
}

/// So many positions lie together.
const CHUNK: usize = 256;

#[derive(Clone, Copy, PartialEq, Debug)]
struct Entry {
    position: Position,
    /// The one before in the same chain, for each of the two hashes.
    before: [u32; 2],
}

impl PartialEq for Seen {
    fn eq(&self, other: &Self) -> bool {
        let rest = (&self.last, &self.at_most) == (&other.last, &other.at_most);
        rest && self.chunks.iter().flatten().eq(other.chunks.iter().flatten())
    }
}

impl Clone for Seen {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Reuses the room of the old list.
    #[inline]
    fn clone_from(&mut self, other: &Self) {
        // Most games never look back.
        if self.last.is_empty() && other.last.is_empty() {
            return;
        }
        let used = other.count.div_ceil(CHUNK);
        self.chunks.iter_mut().skip(used).for_each(Vec::clear);
        self.chunks.resize_with(self.chunks.len().max(used), || Vec::with_capacity(CHUNK));
        for (room, chunk) in self.chunks.iter_mut().zip(&other.chunks) {
            room.clone_from(chunk);
        }
        self.count = other.count;
        self.last.clone_from(&other.last);
        self.at_most.clone_from(&other.at_most);
    }
}

fn counter(hash: u64) -> usize {
    usize::try_from((hash >> 8) % COUNTERS as u64).unwrap_or(0)
}

fn chain(hash: u64) -> usize {
    hash as usize % CHAINS
}

impl Seen {
    /// Adds a position. How often it may have come up now, and its board: at least so often, or what cannot be counted.
    pub fn push(&mut self, position: Position) -> [u8; 2] {
        if self.last.is_empty() {
            self.last.resize(CHAINS, [NOWHERE; 2]);
            self.at_most.resize(COUNTERS, [0; 2]);
        }
        let at = u32::try_from(self.count).unwrap_or(NOWHERE);
        let (mut before, mut counts) = ([NOWHERE; 2], [0; 2]);
        for (which, hash) in position.iter().enumerate() {
            before[which] = std::mem::replace(&mut self.last[chain(*hash)][which], at);
            let count = &mut self.at_most[counter(*hash)][which];
            *count = count.saturating_add(1);
            counts[which] = *count;
        }
        let chunk = self.count / CHUNK;
        if chunk == self.chunks.len() {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        self.chunks[chunk].push(Entry { position, before });
        self.count += 1;
        counts
    }

    /// Forgets the last position.
    pub fn pop(&mut self) {
        let Some(at) = self.count.checked_sub(1) else { return };
        let Some(entry) = self.chunks.get_mut(at / CHUNK).and_then(Vec::pop) else { return };
        self.count = at;
        for (which, hash) in entry.position.iter().enumerate() {
            self.last[chain(*hash)][which] = entry.before[which];
            let count = &mut self.at_most[counter(*hash)][which];
            if *count < u8::MAX {
                *count -= 1;
            }
        }
    }

    /// Forgets all positions.
    pub fn clear(&mut self) {
        self.chunks.iter_mut().for_each(Vec::clear);
        self.count = 0;
        self.last.clear();
        self.at_most.clear();
    }

    #[must_use]
    pub fn last(&self) -> Option<Position> {
        self.entry(self.count.checked_sub(1)?).map(|entry| entry.position)
    }

    fn entry(&self, at: usize) -> Option<&Entry> {
        self.chunks.get(at / CHUNK)?.get(at % CHUNK)
    }

    /// Whether a position has come up so often, or, with `board`, its board.
    #[inline]
    #[must_use]
    pub fn reaches(&self, position: Position, board: bool, times: usize) -> bool {
        let which = usize::from(board);
        let at_most = self.at_most.get(counter(position[which])).map_or(0, |count| usize::from(count[which]));
        (at_most >= times || at_most == usize::from(u8::MAX)) && self.count(position, board, times) >= times
    }

    /// How often it has come up, counted up to a number.
    fn count(&self, position: Position, board: bool, most: usize) -> usize {
        let which = usize::from(board);
        let mut at = self.last.get(chain(position[which])).map_or(NOWHERE, |last| last[which]);
        let mut count = 0;
        while count < most
            && let Some(entry) = self.entry(at as usize)
        {
            count += usize::from(entry.position[which] == position[which]);
            at = entry.before[which];
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted_as_by_looking_at_all_of_them() {
        let mut seen = Seen::default();
        let mut list: Vec<Position> = Vec::new();
        for step in 0..3_000u64 {
            // Hashes that share chains, come again, and differ where their boards do not.
            let position = [step * step % 1_009 * 64, step % 301];
            if step % 5 == 4 {
                seen.pop();
                list.pop();
            } else {
                seen.push(position);
                list.push(position);
            }
            assert_eq!(seen.last(), list.last().copied());
            for board in [false, true] {
                let which = usize::from(board);
                let expected = list.iter().filter(|known| known[which] == position[which]).count();
                assert!(seen.reaches(position, board, expected), "after {step} steps");
                assert!(!seen.reaches(position, board, expected + 1), "after {step} steps");
            }
        }
        while seen.last().is_some() {
            seen.pop();
        }
        assert!(!seen.reaches([0, 0], false, 1));
        // Counters that are full say no less than what is there.
        for _ in 0..300 {
            seen.push([7, 7]);
        }
        assert!(seen.reaches([7, 7], false, 300) && !seen.reaches([7, 7], false, 301));
    }
}
