//! What the games of a stage said, added up so that parts come to what the whole comes to.

use super::positions::Space;
use super::quantity::Numbers;
use super::series::Told;
use super::survey::Survey;
use crate::study::bouts::{Bout, Bouts};
use crate::study::traffic::Traffic;
use serde::{Deserialize, Serialize};

/// What one game said.
#[derive(Clone, Copy, Debug)]
pub enum Item<'a> {
    /// A game of somebody against himself.
    Game(&'a Told),
    /// What a player got of 1; none where the game says nothing of that.
    Share(Option<f64>),
    /// A game between two strengths.
    Bout(&'a Bout<'a>),
    /// How many positions there are.
    Space(Space),
    /// What came up in random games.
    Survey(&'a Survey),
}

/// What many games said, in the order of their numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tally {
    /// Games of somebody against himself.
    Series(Series),
    /// What a player got of 1, game by game.
    Shares(Vec<Option<f64>>),
    /// Games between two strengths.
    Bouts(Bouts),
    /// How many positions there are, once that was asked.
    Space(Option<Space>),
    /// What came up in random games, once they were played.
    Survey(Option<Survey>),
}

/// Games in the order of their numbers.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Series {
    /// What each game says.
    pub games: Vec<Numbers>,
    /// How games ended, by the order of the lines of `end` and the words of other ends.
    pub ends: Vec<Ended>,
    /// What happened on the board, where that was followed.
    pub traffic: Traffic,
}

/// Games that ended for one reason.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Ended {
    /// Why.
    pub reason: String,
    /// The number of the line of `end`, if one decided.
    pub line: Option<usize>,
    /// How many.
    pub games: u64,
}

impl Series {
    fn ended(&mut self, ended: &Ended) {
        let key = |one: &Ended| (one.reason.clone(), one.line);
        match self.ends.binary_search_by_key(&key(ended), key) {
            Ok(at) => {
                if let Some(known) = self.ends.get_mut(at) {
                    known.games = known.games.saturating_add(ended.games);
                }
            }
            Err(at) => self.ends.insert(at, ended.clone()),
        }
    }

    /// One more game.
    pub fn add(&mut self, told: &Told) {
        self.games.push(told.numbers);
        self.ended(&Ended { reason: told.reason.clone(), line: told.line, games: 1 });
        if let Some(traffic) = &told.traffic {
            self.traffic.merge(traffic);
        }
    }
}

impl Tally {
    /// No games yet, on a board with so many sites, with so many moves.
    #[must_use]
    pub fn series(sites: usize, moves: usize) -> Self {
        Self::Series(Series { traffic: Traffic::sized(sites, moves), ..Series::default() })
    }

    /// No games yet between programs at so many seats.
    #[must_use]
    pub fn bouts(seats: usize) -> Self {
        Self::Bouts(Bouts::of(seats, seats))
    }

    /// How many games were played.
    #[must_use]
    pub fn games(&self) -> u64 {
        match self {
            Self::Series(series) => series.games.len() as u64,
            Self::Shares(shares) => shares.len() as u64,
            Self::Bouts(bouts) => bouts.games,
            Self::Space(found) => u64::from(found.is_some()),
            Self::Survey(found) => u64::from(found.is_some()),
        }
    }

    /// One more game. What another stage says is not taken up.
    pub fn add(&mut self, item: Item<'_>) {
        match (self, item) {
            (Self::Series(series), Item::Game(told)) => series.add(told),
            (Self::Shares(shares), Item::Share(share)) => shares.push(share),
            (Self::Bouts(bouts), Item::Bout(bout)) => bouts.add(bout),
            (Self::Space(space), Item::Space(found)) => *space = Some(found),
            (Self::Survey(survey), Item::Survey(found)) => *survey = Some(found.clone()),
            (Self::Series(_) | Self::Shares(_) | Self::Bouts(_) | Self::Space(_) | Self::Survey(_), _) => {}
        }
    }

    /// Whether another tally is of the same kind, with as many numbers.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Series(one), Self::Series(two)) => one.traffic.is_like(&two.traffic),
            (Self::Bouts(one), Self::Bouts(two)) => one.is_like(two),
            (Self::Shares(_), Self::Shares(_))
            | (Self::Space(_), Self::Space(_))
            | (Self::Survey(_), Self::Survey(_)) => true,
            (Self::Series(_) | Self::Shares(_) | Self::Bouts(_) | Self::Space(_) | Self::Survey(_), _) => false,
        }
    }

    /// What the games that come next said, too, if it is of the same kind.
    pub fn merge(&mut self, next: &Self) {
        match (self, next) {
            (Self::Series(series), Self::Series(more)) => {
                series.games.extend_from_slice(&more.games);
                more.ends.iter().for_each(|ended| series.ended(ended));
                series.traffic.merge(&more.traffic);
            }
            (Self::Shares(shares), Self::Shares(more)) => shares.extend_from_slice(more),
            (Self::Bouts(bouts), Self::Bouts(more)) => bouts.merge(more),
            (Self::Space(space), Self::Space(found)) => *space = space.or(*found),
            (Self::Survey(survey), Self::Survey(found)) => {
                if survey.is_none() {
                    survey.clone_from(found);
                }
            }
            (Self::Series(_) | Self::Shares(_) | Self::Bouts(_) | Self::Space(_) | Self::Survey(_), _) => {}
        }
    }
}
