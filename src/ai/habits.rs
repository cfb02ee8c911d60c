//! How good plies have been wherever they were played, which is what the random games of a search go by.
//!
//! Sources: H. Finnsson and Y. Björnsson, *Simulation-based approach to general game playing* (2008) for one mean for every
//! ply in the whole tree (MAST); M. Tak, M. Winands and Y. Björnsson, *N-grams and the last-good-reply policy applied in
//! general game playing* (2012) for how it compares with others. Here of two plies that chance picks the one that has been
//! better is played, so that no more than two are looked at.

use super::world::Values;

/// Plies are told apart by seat and key; where two share a place they share what is known.
const PLACES: usize = 1 << 14;

/// Of so many games the last ones count.
const MOST: f32 = 1_000.0;

#[derive(Clone, Copy, Debug)]
struct Habit {
    /// What games with the ply were worth to who played it.
    mean: f32,
    games: f32,
}

/// What is known of plies, whatever the position.
#[derive(Clone, Debug)]
pub(super) struct Habits {
    known: Vec<Habit>,
}

impl Habits {
    /// Nothing is known yet: every ply is as good as a draw.
    pub fn new() -> Self {
        Self { known: vec![Habit { mean: 0.5, games: 1.0 }; PLACES] }
    }

    /// What games were worth in which a seat played a ply.
    pub fn of(&self, seat: u8, key: u64) -> f32 {
        self.known.get(place(seat, key)).map_or(0.5, |habit| habit.mean)
    }

    /// A game was worth so much to all seats, and these plies were played in it.
    pub fn note(&mut self, plies: &[(u8, u64)], values: &Values) {
        for (seat, key) in plies {
            // Chance has no seat, and no habits.
            let Some(value) = values.get(usize::from(*seat)) else { continue };
            if let Some(habit) = self.known.get_mut(place(*seat, *key)) {
                habit.games = (habit.games + 1.0).min(MOST);
                habit.mean += (value - habit.mean) / habit.games;
            }
        }
    }
}

fn place(seat: u8, key: u64) -> usize {
    let sign = key ^ u64::from(seat).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (sign.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % PLACES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::MAX_PLAYERS;

    #[test]
    fn a_ply_is_worth_what_its_games_were_to_who_played_it() {
        let mut habits = Habits::new();
        let mut values = [0.0; MAX_PLAYERS];
        values[0] = 1.0;
        for _ in 0..10_000 {
            habits.note(&[(0, 7), (1, 8), (u8::MAX, 9)], &values);
        }
        assert!(habits.of(0, 7) > 0.95 && habits.of(1, 8) < 0.05);
        assert_eq!([habits.of(1, 7), habits.of(0, 8), habits.of(0, 9)], [0.5; 3]);
        // What was long ago counts little, however often it was.
        for _ in 0..3_000 {
            habits.note(&[(1, 7)], &values);
            habits.note(&[(1, 8)], &values.map(|value| 1.0 - value));
        }
        assert!(habits.of(1, 8) > 0.9);
    }
}
