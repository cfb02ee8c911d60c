//! How long to think, from what a runner says: a time for the move, clocks, or how deep to look.

use crate::ai::Budget;
use std::collections::HashMap;
use std::time::Duration;

/// What a `go` says, by its words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Go {
    numbers: HashMap<String, i64>,
    /// Until somebody says stop.
    pub infinite: bool,
}

/// So many more moves are reckoned with when nobody says how many.
const MOVES_LEFT: i64 = 30;

/// Telling the move takes a moment, in milliseconds.
const TELLING: i64 = 15;

/// A search until somebody says stop ends by itself after a day.
const FOREVER: Duration = Duration::from_secs(24 * 60 * 60);

impl Go {
    /// Reads what stands behind `go`. Words that nobody knows are passed over, as the protocols want it.
    #[must_use]
    pub fn read(words: &[&str]) -> Self {
        let mut go = Self { infinite: words.contains(&"infinite"), ..Self::default() };
        for pair in words.windows(2) {
            if let [name, number] = pair
                && let Ok(number) = number.parse()
            {
                go.numbers.insert((*name).to_owned(), number);
            }
        }
        go
    }

    fn number(&self, names: [&str; 2]) -> Option<i64> {
        names.iter().find_map(|name| self.numbers.get(*name)).copied()
    }

    /// How long to think for the first or the second player; none where nothing is said.
    #[must_use]
    pub fn budget(&self, first: bool) -> Option<Budget> {
        if self.infinite {
            return Some(Budget::Time(FOREVER));
        }
        if let Some(time) = self.number(["movetime", "movetime"]) {
            return Some(milliseconds(time - TELLING.min(time / 10)));
        }
        if let Some(nodes) = self.number(["nodes", "nodes"]) {
            return Some(Budget::Rounds(u64::try_from(nodes).unwrap_or(1).max(1)));
        }
        if let Some(depth) = self.number(["depth", "depth"]) {
            return Some(Budget::Rounds(rounds_for(depth)));
        }
        let (time, more) =
            if first { (["p1time", "wtime"], ["p1inc", "winc"]) } else { (["p2time", "btime"], ["p2inc", "binc"]) };
        let time = self.number(time)?;
        let left = self.number(["movestogo", "movestogo"]).filter(|moves| *moves > 0).unwrap_or(MOVES_LEFT);
        let share = time / left.min(MOVES_LEFT) + self.number(more).unwrap_or(0) * 3 / 4;
        Some(milliseconds(share.min(time / 2) - TELLING.min(time / 10)))
    }
}

/// At least one millisecond.
#[must_use]
pub fn milliseconds(time: i64) -> Budget {
    Budget::Time(Duration::from_millis(u64::try_from(time).unwrap_or(0).max(1)).min(FOREVER))
}

/// A tree search has no depth: it gets twice the rounds for each further ply.
fn rounds_for(depth: i64) -> u64 {
    let depth = u32::try_from(depth.clamp(1, 20)).unwrap_or(1);
    100 << depth
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(text: &str, first: bool) -> Option<Budget> {
        Go::read(&text.split(' ').collect::<Vec<_>>()).budget(first)
    }

    #[test]
    fn clocks_are_never_used_up() {
        assert_eq!(budget("movetime 200", true), Some(milliseconds(185)));
        assert_eq!(budget("p1time 60000 p2time 1000 p1inc 0 p2inc 0", true), Some(milliseconds(1985)));
        assert_eq!(budget("wtime 60000 btime 300 winc 0 binc 1000", false), Some(milliseconds(135)));
        assert_eq!(budget("wtime 60000 btime 1000 movestogo 1", true), Some(milliseconds(29985)));
        assert_eq!(budget("p1time 0 p2time 0", true), Some(milliseconds(1)));
        assert_eq!(budget("p1time -50 p2time 0", true), Some(milliseconds(1)));
    }

    #[test]
    fn what_is_no_time_is_a_number_of_rounds() {
        assert_eq!(budget("nodes 500", true), Some(Budget::Rounds(500)));
        assert_eq!(budget("depth 3", true), Some(Budget::Rounds(800)));
        assert_eq!(budget("", true), None);
        assert!(Go::read(&["infinite"]).infinite);
    }
}
