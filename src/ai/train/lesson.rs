//! One game against oneself, and what is learnt from it when it is over.

use crate::ai::learned::{Sight, Weights, share};
use crate::ai::worth;
use crate::engine::{Engine, Play};
use crate::game::{Game, Line};
use crate::study::playout::{generator, pick};
use rand_xoshiro::Xoshiro256PlusPlus;

/// One ply in so many is played at random, so that more is seen than what seems best.
const STRAY: usize = 12;

/// As many plies at the beginning may be random.
const OPENING: usize = 6;

/// A game that lasts longer is cut, and nothing is learnt from how it ended.
const LONGEST: usize = 500;

/// Of more plies than that some are chosen at random to be looked at.
const WIDEST: usize = 300;

/// How much of what a position is told comes from the end of the game, and not from the next positions.
const FAR: f32 = 0.7;

/// Somebody who plays against himself.
pub struct Pupil<'g> {
    player: Box<dyn Play + 'g>,
    weights: &'g Weights,
    sight: Sight,
    seats: usize,
}

/// A position of a game.
struct Moment {
    sight: Sight,
    /// What came before it was no choice of the pupil's.
    strayed: bool,
}

/// What there is to learn from a game.
pub struct Lesson {
    moments: Vec<Moment>,
    /// What the end was worth to the first player, and whether it came by a stray; none if the game was cut.
    end: Option<(f32, bool)>,
}

impl<'g> Pupil<'g> {
    /// One who judges by these weights.
    pub fn new(game: &'g Game, weights: &'g Weights) -> Self {
        let line = Line::new(game.start());
        let mut player = game.player(Engine::Fast);
        player.load(&line.start().snapshot());
        player.mark();
        let seats = player.players();
        Self { player, weights, sight: Sight::default(), seats }
    }

    /// The game of this number.
    pub fn play(&mut self, seed: u64, number: u64) -> Lesson {
        let mut chance = generator(seed, number);
        self.player.reset();
        let opening = pick(OPENING, &mut chance).unwrap_or(0);
        let mut moments = Vec::new();
        let mut played = 0;
        let mut strayed = true;
        while self.player.count() > 0 && played < LONGEST {
            if !self.player.chance() {
                self.weights.shape.see(&mut *self.player, &mut self.sight);
                moments.push(Moment { sight: self.sight.clone(), strayed });
            }
            let random = played < opening || pick(STRAY, &mut chance) == Some(0);
            let by_chance = self.player.chance();
            let index = if random || by_chance {
                self.player.choose(&mut |count| pick(count, &mut chance).unwrap_or(0))
            } else {
                self.best(&mut chance)
            };
            // Dice are part of the game, and no mistake.
            strayed = if by_chance { strayed } else { random };
            self.player.play(index);
            played += 1;
        }
        let end = self.player.over().map(|over| {
            let places = over.places.get(..self.seats).unwrap_or_default();
            worth(places, 0)
        });
        Lesson { moments, end: end.map(|end| (end, strayed)) }
    }

    /// The ply after which the mover stands best.
    fn best(&mut self, chance: &mut Xoshiro256PlusPlus) -> usize {
        let mover = self.player.mover();
        let count = self.player.count();
        if count == 1 {
            return 0;
        }
        let mut best = (f32::NEG_INFINITY, 0);
        let looked = count.min(WIDEST);
        for at in 0..looked {
            let index = if looked < count { pick(count, chance).unwrap_or(at) } else { at };
            self.player.push();
            self.player.play(index);
            let odds = match self.player.over() {
                Some(over) => certain(worth(over.places.get(..self.seats).unwrap_or_default(), 0)),
                None => self.weights.odds(&mut *self.player, &mut self.sight),
            };
            self.player.pop();
            let own = if mover == 0 { odds } else { -odds };
            if own > best.0 {
                best = (own, index);
            }
        }
        best.1
    }
}

/// An end as odds: more than any position that is none.
fn certain(worth: f32) -> f32 {
    200.0 * (worth - 0.5)
}

impl Lesson {
    /// How long the game was, without plies of chance.
    pub fn plies(&self) -> u64 {
        self.moments.len() as u64
    }

    /// From the end back to the start every position learns what came of it, as long as nobody strayed.
    pub fn learn(self, weights: &mut Weights, told: &mut dyn FnMut(f32)) {
        let mut after = self.end;
        for moment in self.moments.into_iter().rev() {
            let now = share(weights.seen(&moment.sight));
            let worth = match after {
                Some((worth, false)) => {
                    told(weights.learn(&moment.sight, worth));
                    (1.0 - FAR) * now + FAR * worth
                }
                // What came of a stray says nothing about the position before it.
                Some((_, true)) | None => now,
            };
            after = Some((worth, moment.strayed));
        }
    }
}
