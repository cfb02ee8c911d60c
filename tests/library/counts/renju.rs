//! The bans of Renju, compared with a second writing of them.

use super::load;
use super::second_writing::rows::{Ban, Gomoku};
use super::second_writing::{Position, Settings};
use crate::game::Game;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;

/// Games of Renju in which Black crowds his stones and White stays out of his way, so that bans come up all the time.
struct Crowded(u64);

impl Crowded {
    /// How often each ban came up.
    fn compare(&self, game: &Game, options: &Settings) -> BTreeMap<Ban, usize> {
        let mut met = BTreeMap::new();
        for number in 0..self.0 {
            let mut generator = Xoshiro256PlusPlus::seed_from_u64(number);
            let (mut ours, mut theirs) = (Gomoku::start(options), game.start());
            let mut history: Vec<String> = Vec::new();
            while ours.result().is_none() {
                ours.banned().into_iter().for_each(|(_, ban)| *met.entry(ban).or_insert(0) += 1);
                let next = ours.next();
                let mut moves = theirs.moves();
                let mut names: Vec<&String> = next.iter().map(|(name, _)| name).collect();
                moves.sort();
                names.sort();
                assert_eq!(names, moves.iter().collect::<Vec<_>>(), "after {history:?}");
                let nearest = |name: &str| {
                    let at = ours.stones(0).find(|point| ours.name(*point) == name).unwrap();
                    ours.stones(1).map(|stone| ours.distance(stone, at)).min().unwrap_or(0)
                };
                let wanted = |name: &str| if ours.black_moves() { nearest(name) <= 2 } else { nearest(name) >= 4 };
                let mut chosen: Vec<&String> = names.iter().copied().filter(|name| wanted(name)).collect();
                // Five in a row would end the game.
                chosen.retain(|name| next.iter().any(|(other, after)| other == *name && after.result().is_none()));
                let pool = if chosen.is_empty() { names } else { chosen };
                let Some(name) = pool.get(generator.random_range(0..pool.len().max(1) as u64) as usize) else { break };
                let name = (*name).clone();
                theirs = theirs.play(&name).unwrap();
                ours = next.into_iter().find(|(other, _)| *other == name).unwrap().1;
                history.push(name);
            }
            assert_eq!(ours.result().is_some(), theirs.is_over(), "after {history:?}");
        }
        met
    }
}

#[test]
fn the_bans_of_renju_are_those_of_a_second_writing() {
    for size in ["11", "15"] {
        let options: Settings = [("size", size), ("bans", "yes")].map(|(a, b)| (a.to_owned(), b.to_owned())).into();
        let met = Crowded(3).compare(&load("gomoku", None, &options), &options);
        println!("{size}: {met:?}");
        for ban in [Ban::Overline, Ban::DoubleFour, Ban::DoubleThree] {
            assert!(met.get(&ban).is_some_and(|times| *times >= 8), "{size}: {ban:?} hardly came up: {met:?}");
        }
    }
}

/// What it shows, Black's stones in order, and the points that are banned then.
type Made = (&'static str, &'static [&'static str], &'static [(&'static str, Ban)]);

/// Black's stones as they are put, White's on the rim, then all points that are banned.
#[test]
fn points_banned_in_positions_made_for_it() {
    let options: Settings = [("bans".to_owned(), "yes".to_owned())].into();
    let cases: &[Made] = &[
        ("six in a row", &["d5", "e5", "f5", "h5", "i5"], &[("g5", Ban::Overline)]),
        (
            "two fours in two lines, and in one",
            &["d4", "e4", "f4", "g5", "g6", "g7", "c10", "e10", "g10", "i10"],
            &[("g4", Ban::DoubleFour), ("f10", Ban::DoubleFour)],
        ),
        ("two threes across", &["f8", "g8", "h9", "h10"], &[("h8", Ban::DoubleThree)]),
        ("two threes with gaps", &["e8", "g8", "h5", "h7"], &[("h8", Ban::DoubleThree)]),
        ("a four and a three", &["e8", "f8", "g8", "h9", "h10"], &[]),
    ];
    for (label, black, banned) in cases {
        let game = load("gomoku", None, &options);
        let (mut ours, mut theirs) = (Gomoku::start(&options), game.start());
        // White's stones must not make five, nor stand in the way.
        let mut white = ["a1", "c1", "e1", "g1", "i1", "k1", "m1", "o1", "a15", "c15", "e15", "g15"].into_iter();
        for stone in *black {
            for name in [*stone, white.next().unwrap()] {
                ours = ours.next().into_iter().find(|(other, _)| other == name).unwrap().1;
                theirs = theirs.play(name).unwrap();
            }
        }
        let found: Vec<(String, Ban)> = ours.banned().into_iter().map(|(point, ban)| (ours.name(point), ban)).collect();
        let wanted: Vec<(String, Ban)> = banned.iter().map(|(name, ban)| ((*name).to_owned(), *ban)).collect();
        assert_eq!(found, wanted, "{label}");
        let mut names: Vec<String> = ours.next().into_iter().map(|(name, _)| name).collect();
        let mut moves = theirs.moves();
        names.sort();
        moves.sort();
        assert_eq!(names, moves, "{label}");
    }
}
