//! Sums over games between programs: whole numbers, so that sums of parts add up to those of the whole, in any order.

use super::totals::{Points, numbered, units};
use serde::{Deserialize, Serialize};

/// What one game says: who sat where, and how it ended.
#[derive(Clone, Copy, Debug)]
pub struct Bout<'a> {
    /// Its number in the series.
    pub number: u64,
    /// How many plies it has.
    pub plies: u64,
    /// The place of each seat, from 1.
    pub places: &'a [u8],
    /// Which program sat at each seat.
    pub sat: &'a [usize],
    /// Whether it came to an end.
    pub ended: bool,
    /// Whether somebody lost because no legal move came from him in time.
    pub forfeited: bool,
    /// Another number for other moves.
    pub digest: u64,
}

/// What many games came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bouts {
    /// Games played.
    pub games: u64,
    /// Their plies.
    pub plies: u64,
    /// Games that were given up.
    pub unfinished: u64,
    /// Games that somebody lost because no legal move came from him in time.
    pub forfeits: u64,
    /// By program, games won alone.
    pub alone: Vec<u64>,
    /// By program, games in which the first place was shared.
    pub shared: Vec<u64>,
    /// By program, what it got.
    pub got: Vec<Points>,
    /// By seat, games won alone.
    pub by_seat: Vec<u64>,
    /// A number that changes with any move of any game: the sum over the games of a hash of each with its number.
    pub fingerprint: u64,
}

impl Bouts {
    /// Nothing played yet, by so many programs at so many seats.
    #[must_use]
    pub fn of(programs: usize, seats: usize) -> Self {
        Self {
            alone: vec![0; programs],
            shared: vec![0; programs],
            got: vec![Points::default(); programs],
            by_seat: vec![0; seats],
            ..Self::default()
        }
    }

    /// Whether others are between as many programs, at as many seats.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let sizes = |bouts: &Self| [bouts.alone.len(), bouts.shared.len(), bouts.got.len(), bouts.by_seat.len()];
        sizes(self) == sizes(other)
    }

    /// One more game.
    pub fn add(&mut self, bout: &Bout<'_>) {
        self.games += 1;
        self.plies += bout.plies;
        self.unfinished += u64::from(!bout.ended);
        self.forfeits += u64::from(bout.forfeited);
        self.fingerprint = self.fingerprint.wrapping_add(numbered(bout.number, bout.digest));
        let first = bout.places.iter().filter(|place| **place == 1).count();
        for ((seat, program), place) in bout.sat.iter().enumerate().zip(bout.places) {
            if let Some(points) = self.got.get_mut(*program) {
                let got = units(bout.places, *place);
                points.sum += got;
                points.squares += got * got;
            }
            let counts = if first == 1 { &mut self.alone } else { &mut self.shared };
            if *place != 1 {
                continue;
            }
            if let Some(count) = counts.get_mut(*program) {
                *count += 1;
            }
            if let Some(wins) = self.by_seat.get_mut(seat).filter(|_| first == 1) {
                *wins += 1;
            }
        }
    }

    /// What other games of the same series came to, too.
    pub fn merge(&mut self, other: &Self) {
        self.games = self.games.saturating_add(other.games);
        self.plies = self.plies.saturating_add(other.plies);
        self.unfinished = self.unfinished.saturating_add(other.unfinished);
        self.forfeits = self.forfeits.saturating_add(other.forfeits);
        self.fingerprint = self.fingerprint.wrapping_add(other.fingerprint);
        let own = [&mut self.alone, &mut self.shared, &mut self.by_seat];
        for (sums, more) in own.into_iter().zip([&other.alone, &other.shared, &other.by_seat]) {
            sums.iter_mut().zip(more).for_each(|(sum, one)| *sum = sum.saturating_add(*one));
        }
        for (sum, one) in self.got.iter_mut().zip(&other.got) {
            sum.sum = sum.sum.saturating_add(one.sum);
            sum.squares = sum.squares.saturating_add(one.squares);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wins_and_shared_places_are_counted_by_program_and_by_seat_and_parts_add_up() {
        let bout = |number, places: &'static [u8], sat: &'static [usize]| Bout {
            number,
            plies: 9,
            places,
            sat,
            ended: true,
            forfeited: false,
            digest: number + 7,
        };
        let all = [bout(0, &[1, 2], &[0, 1]), bout(1, &[1, 2], &[1, 0]), bout(2, &[1, 1], &[0, 1])];
        let sums = |bouts: &[Bout<'_>]| {
            let mut sums = Bouts::of(2, 2);
            bouts.iter().for_each(|bout| sums.add(bout));
            sums
        };
        let whole = sums(&all);
        assert_eq!(
            (whole.alone.as_slice(), whole.shared.as_slice(), whole.by_seat.as_slice()),
            (&[1, 1][..], &[1, 1][..], &[2, 0][..])
        );
        // Two halves for a win, one for a shared place.
        assert_eq!(whole.got[0], Points { sum: 3, squares: 5 });
        let mut parts = sums(&all[2..]);
        parts.merge(&sums(&all[..2]));
        assert_eq!(parts, whole);
    }
}
