//! The positions that a game has come through, found again by their hashes.

/// As many chains of positions, by bits of a hash: hardly two positions of a game share one.
const CHAINS: usize = 1024;

/// No earlier position.
const NOWHERE: u32 = u32::MAX;

/// What the turns of a game began with, as far as its rules ask for it.
#[derive(Debug, Default, PartialEq)]
pub struct Seen {
    positions: Signs,
    /// What stood on the boards alone.
    boards: Signs,
}

/// Hashes in the order in which they came up. Those that may be alike are chained, so that a long game takes no longer to look
/// back than a short one.
#[derive(Debug, Default)]
struct Signs {
    entries: Vec<Entry>,
    /// The last one of each chain; made with the first entry.
    last: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Entry {
    sign: u64,
    /// The one before in the same chain.
    before: u32,
    /// How often the hash had come up by then, this time included.
    count: u32,
}

impl Clone for Seen {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Reuses the room of the old lists.
    #[inline]
    fn clone_from(&mut self, other: &Self) {
        self.positions.follow(&other.positions);
        self.boards.follow(&other.boards);
    }
}

impl PartialEq for Signs {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

fn chain(sign: u64) -> usize {
    sign as usize % CHAINS
}

impl Signs {
    /// Becomes the same as another list; most games never look back.
    #[inline]
    fn follow(&mut self, other: &Self) {
        if !(self.entries.is_empty() && other.entries.is_empty()) {
            self.entries.clone_from(&other.entries);
            self.last.clone_from(&other.last);
        }
    }

    /// Adds a hash: how often it has come up now.
    #[inline]
    fn push(&mut self, sign: u64) -> u32 {
        if self.last.is_empty() {
            self.last.resize(CHAINS, NOWHERE);
        }
        let count = self.count(sign).saturating_add(1);
        let at = u32::try_from(self.entries.len()).unwrap_or(NOWHERE);
        let before = std::mem::replace(&mut self.last[chain(sign)], at);
        self.entries.push(Entry { sign, before, count });
        count
    }

    /// Forgets the last one.
    fn pop(&mut self) {
        if let Some(entry) = self.entries.pop() {
            self.last[chain(entry.sign)] = entry.before;
        }
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.last.clear();
    }

    fn last(&self) -> Option<u64> {
        self.entries.last().map(|entry| entry.sign)
    }

    /// How often a hash has come up.
    #[inline]
    fn count(&self, sign: u64) -> u32 {
        let mut at = self.last.get(chain(sign)).copied().unwrap_or(NOWHERE);
        while let Some(entry) = self.entries.get(at as usize) {
            if entry.sign == sign {
                return entry.count;
            }
            at = entry.before;
        }
        0
    }
}

impl Seen {
    /// Adds a position and its board, those of them that are asked for. How often each has come up now, 0 where that is not
    /// asked for.
    #[inline]
    pub fn push(&mut self, position: Option<u64>, board: Option<u64>) -> [u32; 2] {
        [position.map_or(0, |sign| self.positions.push(sign)), board.map_or(0, |sign| self.boards.push(sign))]
    }

    /// Forgets the last position.
    pub fn pop(&mut self) {
        self.positions.pop();
        self.boards.pop();
    }

    /// Forgets all positions.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.boards.clear();
    }

    fn signs(&self, board: bool) -> &Signs {
        if board { &self.boards } else { &self.positions }
    }

    /// The last position, or with `board` the last board.
    #[must_use]
    pub fn last(&self, board: bool) -> Option<u64> {
        self.signs(board).last()
    }

    /// How often a position has come up, or with `board` a board.
    #[inline]
    #[must_use]
    pub fn count(&self, sign: u64, board: bool) -> u32 {
        self.signs(board).count(sign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted_as_by_looking_at_all_of_them() {
        let mut seen = Seen::default();
        let mut list: Vec<[u64; 2]> = Vec::new();
        let often = |list: &[[u64; 2]], which: usize, sign: u64| {
            u32::try_from(list.iter().filter(|known| known[which] == sign).count()).unwrap()
        };
        for step in 0..3_000u64 {
            // Hashes that share chains, come again, and differ where their boards do not.
            let position = [step * step % 1_009 * 64, step % 301];
            if step % 5 == 4 {
                seen.pop();
                list.pop();
            } else {
                list.push(position);
                let expected = [0, 1].map(|which| often(&list, which, position[which]));
                assert_eq!(seen.push(Some(position[0]), Some(position[1])), expected, "after {step} steps");
            }
            for (which, board) in [false, true].into_iter().enumerate() {
                assert_eq!(seen.last(board), list.last().map(|last| last[which]));
                let expected = often(&list, which, position[which]);
                assert_eq!(seen.count(position[which], board), expected, "after {step} steps");
            }
        }
        while seen.last(true).is_some() {
            seen.pop();
        }
        assert_eq!(seen, Seen::default());
        assert_eq!(seen.count(0, false), 0);
    }

    #[test]
    fn what_is_not_asked_for_is_not_kept() {
        let mut seen = Seen::default();
        assert_eq!(seen.push(None, Some(7)), [0, 1]);
        assert_eq!(seen.push(None, Some(7)), [0, 2]);
        assert_eq!((seen.last(false), seen.last(true)), (None, Some(7)));
        let copy = seen.clone();
        seen.pop();
        assert_eq!((seen.count(7, true), copy.count(7, true)), (1, 2));
    }
}
