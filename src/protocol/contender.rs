//! Who may sit at a seat of a series: a program of this crate, or one of somebody else.

use super::guest::Visit;
use super::name::{Guest, NameError, entries};
use crate::ai::{Agent, AgentError, Contestant, Player};
use crate::game::Game;
use std::fmt;
use std::str::FromStr;

/// A program that plays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Contender {
    /// One that knows any game.
    Own(Agent),
    /// One that is started and spoken to.
    Guest(Guest),
}

/// Why a name is no program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ContenderError {
    /// It is none of ours.
    #[error(transparent)]
    Own(#[from] AgentError),
    /// It is none of somebody else.
    #[error(transparent)]
    Guest(#[from] NameError),
}

impl ContenderError {
    /// What can be written instead.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::Own(error) => error.help(),
            Self::Guest(error) => error.help(),
        }
    }
}

impl Contender {
    /// Whether the same seed gives the same games; of programs of others nobody knows.
    #[must_use]
    pub fn repeats_itself(&self) -> bool {
        match self {
            Self::Own(agent) => agent.repeats_itself(),
            Self::Guest(_) => false,
        }
    }

    /// Starts a program of somebody else once, and looks whether it plays this game: why it does not.
    pub fn try_out(&self, game: &Game) -> Result<(), String> {
        match self {
            Self::Own(_) => Ok(()),
            Self::Guest(guest) => Visit::of(guest).try_out(game).map_err(|why| format!("`{guest}` {why}")),
        }
    }
}

impl Contestant for Contender {
    fn player(&self) -> Box<dyn Player> {
        match self {
            Self::Own(agent) => agent.player(),
            Self::Guest(guest) => Box::new(Visit::of(guest)),
        }
    }
}

impl FromStr for Contender {
    type Err = ContenderError;

    fn from_str(name: &str) -> Result<Self, ContenderError> {
        Ok(if Guest::is_meant(name) { Self::Guest(name.parse()?) } else { Self::Own(name.parse()?) })
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(agent) => agent.fmt(f),
            Self::Guest(guest) => guest.fmt(f),
        }
    }
}

/// The names of a list, which are parted by commas outside of quotation marks and brackets.
#[must_use]
pub fn list(lists: &[String]) -> Vec<String> {
    lists.iter().flat_map(|list| entries(list)).collect()
}
