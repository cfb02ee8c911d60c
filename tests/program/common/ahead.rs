//! Somebody who wants to arrive: he has seen where everybody began and goes to the side across, a piece at a time. He
//! knows no rules, and no more of a board than where things lie on it.

use std::collections::BTreeMap;

/// A place on a screen, in whatever it is measured.
pub type Place = (f64, f64);

/// When a game has gone on so long without an end, somebody should want one.
pub const LONG: usize = 250;

/// So many pieces are looked at before one goes back.
const PATIENCE: usize = 25;

/// So many pieces are looked at before something is chosen that is no place, as the end of a turn.
const FIRST: usize = 4;

/// What can be chosen now.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    pub place: Place,
    /// Whether it is a word beside the board.
    pub named: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// One of the choices.
    Take(usize),
    /// What has been picked is let go.
    Back,
}

pub struct Ahead {
    /// Where the pieces of each player stood when he moved for the first time.
    homes: BTreeMap<String, Place>,
    /// The piece that is picked.
    from: Place,
    tried: usize,
    state: u64,
}

impl Ahead {
    pub fn new(seed: u64) -> Self {
        Self { homes: BTreeMap::new(), from: (0.0, 0.0), tried: 0, state: seed }
    }

    /// One of so many, at random.
    pub fn any(&mut self, count: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % count
    }

    /// A move has been made. What a player may pick for the first time is where he comes from.
    pub fn begin(&mut self, player: &str, choices: &[Choice]) {
        self.tried = 0;
        let places: Vec<Place> = choices.iter().filter(|choice| !choice.named).map(|choice| choice.place).collect();
        if !self.homes.contains_key(player) && !places.is_empty() {
            self.homes.insert(player.to_owned(), mean(places.iter().copied()));
        }
    }

    /// How far it is from a place to where a player wants to go: across the middle of all homes, and on to the border.
    fn way(&self, player: &str, from: Place) -> f64 {
        let Some(home) = self.homes.get(player) else { return 0.0 };
        let middle = mean(self.homes.values().copied());
        let across = |middle: f64, home: f64| middle + 1.4 * (middle - home);
        (across(middle.0, home.0) - from.0).hypot(across(middle.1, home.1) - from.1)
    }

    /// What to do when so much of a move has been picked.
    pub fn step(&mut self, player: &str, picked: usize, choices: &[Choice]) -> Step {
        let of = |named: bool| (0..choices.len()).filter(|at| choices[*at].named == named).collect::<Vec<_>>();
        let (sites, names) = (of(false), of(true));
        let take = |mind: &mut Self, among: &[usize]| Step::Take(among[mind.any(among.len())]);
        match picked {
            0 if sites.is_empty() || (self.tried >= FIRST && !names.is_empty()) => take(self, &names),
            0 => {
                // Rather one that has stayed behind.
                let drawn = [self.any(sites.len()), self.any(sites.len())].map(|at| sites[at]);
                let [one, other] = drawn.map(|at| self.way(player, choices[at].place));
                let piece = if one > other { drawn[0] } else { drawn[1] };
                self.from = choices[piece].place;
                Step::Take(piece)
            }
            1 if !sites.is_empty() => self.target(player, choices, &sites),
            _ if choices.is_empty() => Step::Back,
            _ => Step::Take(self.any(choices.len())),
        }
    }

    /// As far ahead as the piece can go. It goes back only if much else has been tried, and now and then for no reason:
    /// two who stand in each other's way would wait for ever.
    fn target(&mut self, player: &str, choices: &[Choice], sites: &[usize]) -> Step {
        if self.tried > PATIENCE || self.any(60) == 0 {
            return Step::Take(sites[self.any(sites.len())]);
        }
        let way = |at: &usize| self.way(player, choices[*at].place);
        let best = sites
            .iter()
            .min_by(|a, b| way(a).total_cmp(&way(b)))
            .filter(|at| way(at) < self.way(player, self.from) - 1e-6);
        if let Some(best) = best {
            return Step::Take(*best);
        }
        self.tried += 1;
        Step::Back
    }
}

fn mean(places: impl Iterator<Item = Place> + Clone) -> Place {
    let count = places.clone().count().max(1) as f64;
    let sum = places.fold((0.0, 0.0), |sum, place| (sum.0 + place.0, sum.1 + place.1));
    (sum.0 / count, sum.1 / count)
}
