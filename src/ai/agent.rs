//! Who sits at a seat: a person, or a program by name, as in `mcts:500ms`.

use super::insight::Plan;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// How long a program may think about one decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// On the clock on the wall.
    Time(Duration),
    /// So many simulated games, or positions for alpha-beta: the same seed plays the same on every machine.
    Rounds(u64),
}

/// How strong a program plays against people, in any game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Sees what wins or loses at once, and plans little.
    Easy,
    /// Answers within half a second.
    Medium,
    /// Takes its time.
    Hard,
}

/// A program that plays any game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agent {
    /// Every legal move is as likely as any other.
    Random,
    /// Looks one ply ahead: for the end of the game, then for the lead in score.
    Greedy,
    /// Random games after every legal move, more of them after the better ones.
    Flat(Budget),
    /// Monte Carlo tree search.
    Mcts(Budget),
    /// Alpha-beta search, deeper and deeper.
    AlphaBeta(Budget),
    /// Alpha-beta that judges positions by weights that were trained for the game.
    Learned(Budget),
    /// What suits the game, as strong as a level, or as a budget allows.
    Level(Level, Option<Budget>),
}

/// Who decides for a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seat {
    /// A person, who chooses moves elsewhere.
    Human,
    /// A program.
    Program(Agent),
    /// A program of somebody else, by its whole name. No text is read as one: only the command line may say so.
    Guest(&'static str),
}

/// Levels for people, from the weakest, with what plays at them.
pub const LEVELS: [(&str, Agent); 3] = [
    ("easy", Agent::Level(Level::Easy, None)),
    ("medium", Agent::Level(Level::Medium, None)),
    ("hard", Agent::Level(Level::Hard, None)),
];

/// Who plays against a person when nothing else is said.
pub const OPPONENT: Agent = LEVELS[1].1;

/// What a program does when nothing else is said.
const USUAL: Budget = Budget::Time(Duration::from_secs(1));

/// More time than anybody waits for a move.
const MAX_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Why a name is no player.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AgentError {
    /// Nobody is called so.
    #[error("there is no player `{name}`")]
    Unknown {
        /// What was written.
        name: String,
    },
    /// What stands behind the name is no time.
    #[error("`{budget}` is no time and no number of rounds")]
    Budget {
        /// What was written.
        budget: String,
    },
    /// It needs no time.
    #[error("`{name}` does not think, so it takes no time")]
    Thoughtless {
        /// Who was given a time.
        name: String,
    },
}

impl AgentError {
    /// What can be written instead.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => {
                "a seat is `human`, `easy`, `medium`, `hard`, `random`, `greedy`, `flat`, `mcts`, `alphabeta` or `learned`; all but `human`, `random` and `greedy` take a time if you like: `mcts:500ms`"
            }
            Self::Budget { .. } => "write a time, `mcts:500ms` or `mcts:2s`, or a number of rounds, `mcts:2000`",
            Self::Thoughtless { .. } => "leave out what follows the colon",
        }
    }
}

impl FromStr for Seat {
    type Err = AgentError;

    fn from_str(text: &str) -> Result<Self, AgentError> {
        match text.trim() {
            "human" => Ok(Self::Human),
            other => other.parse().map(Self::Program),
        }
    }
}

impl FromStr for Agent {
    type Err = AgentError;

    fn from_str(text: &str) -> Result<Self, AgentError> {
        let text = text.trim();
        let (name, budget) = match text.split_once(':') {
            Some((name, budget)) => (name.trim(), Some(budget.trim())),
            None => (text, None),
        };
        if let Some((_, agent @ Self::Level(level, _))) = LEVELS.iter().find(|(level, _)| *level == name) {
            return budget.map_or(Ok(*agent), |budget| Ok(Self::Level(*level, Some(budget.parse()?))));
        }
        let thoughtless = match name {
            "random" => Some(Self::Random),
            "greedy" => Some(Self::Greedy),
            _ => None,
        };
        if let Some(agent) = thoughtless {
            return match budget {
                None => Ok(agent),
                Some(_) => Err(AgentError::Thoughtless { name: name.to_owned() }),
            };
        }
        let make: fn(Budget) -> Self = match name {
            "flat" => Self::Flat,
            "mcts" => Self::Mcts,
            "alphabeta" => Self::AlphaBeta,
            "learned" => Self::Learned,
            _ => return Err(AgentError::Unknown { name: name.to_owned() }),
        };
        budget.map_or(Ok(USUAL), str::parse).map(make)
    }
}

/// A time with its unit, `500ms`, `2s` or `1m`, up to a day.
#[must_use]
pub fn time(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: f64 = digits.parse().ok()?;
    let seconds = match text.get(digits.len()..)? {
        "ms" => number / 1000.0,
        "s" => number,
        "m" => number * 60.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds).ok().filter(|time| *time <= MAX_TIME)
}

impl Agent {
    /// Whether the same seed gives the same games anywhere: it does not go by the clock, does not look how fast the machine
    /// is, and needs no file beside the rules.
    #[must_use]
    pub fn repeats_itself(self) -> bool {
        match self {
            Self::Random | Self::Greedy => true,
            Self::Flat(budget) | Self::Mcts(budget) | Self::AlphaBeta(budget) => !budget.is_time(),
            Self::Level(_, budget) => budget.is_some_and(|budget| !budget.is_time()),
            Self::Learned(_) => false,
        }
    }
}

impl Agent {
    /// The same with one of so many parts of its budget, for a search that is picked when it has to be known.
    pub(super) fn hurried(self, parts: u32, plan: impl Fn() -> Plan) -> Self {
        match self {
            Self::Random | Self::Greedy => self,
            Self::Flat(budget) => Self::Flat(budget.part(parts)),
            Self::Mcts(budget) => Self::Mcts(budget.part(parts)),
            Self::AlphaBeta(budget) => Self::AlphaBeta(budget.part(parts)),
            Self::Learned(budget) => Self::Learned(budget.part(parts)),
            Self::Level(level, budget) => {
                Self::Level(level, Some(budget.unwrap_or_else(|| level.budget(plan())).part(parts)))
            }
        }
    }

    /// How long it thinks on the clock; none where it does not go by the clock.
    pub(super) fn time(self) -> Option<Duration> {
        match self {
            Self::Random | Self::Greedy => None,
            Self::Flat(budget) | Self::Mcts(budget) | Self::AlphaBeta(budget) | Self::Learned(budget) => budget.time(),
            Self::Level(_, budget) => budget.and_then(Budget::time),
        }
    }
}

impl Budget {
    /// How long, if it goes by the clock.
    fn time(self) -> Option<Duration> {
        match self {
            Self::Time(time) => Some(time),
            Self::Rounds(_) => None,
        }
    }

    /// Whether it goes by the clock.
    #[must_use]
    pub fn is_time(self) -> bool {
        matches!(self, Self::Time(_))
    }

    /// One part of so many.
    pub(super) fn part(self, parts: u32) -> Self {
        match self {
            Self::Time(time) => Self::Time(time / parts.max(1)),
            Self::Rounds(rounds) => Self::Rounds((rounds / u64::from(parts.max(1))).max(1)),
        }
    }
}

impl Level {
    /// How long it thinks, where it is not told.
    pub(super) fn budget(self, plan: Plan) -> Budget {
        match (self, plan) {
            (Self::Easy, Plan::AlphaBeta | Plan::Learned) => Budget::Rounds(300),
            (Self::Easy, Plan::Tree) => Budget::Rounds(60),
            (Self::Medium, _) => Budget::Time(Duration::from_millis(300)),
            (Self::Hard, _) => Budget::Time(Duration::from_secs(2)),
        }
    }
}

impl FromStr for Budget {
    type Err = AgentError;

    fn from_str(text: &str) -> Result<Self, AgentError> {
        let time = time(text).filter(|time| !time.is_zero()).map(Self::Time);
        let rounds = || text.parse().ok().filter(|rounds| *rounds > 0).map(Self::Rounds);
        time.or_else(rounds).ok_or_else(|| AgentError::Budget { budget: text.to_owned() })
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rounds(rounds) => write!(f, "{rounds}"),
            Self::Time(time) if time.subsec_millis() == 0 => write!(f, "{}s", time.as_secs()),
            Self::Time(time) => write!(f, "{}ms", time.as_millis()),
        }
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::Greedy => f.write_str("greedy"),
            Self::Flat(budget) => write!(f, "flat:{budget}"),
            Self::Mcts(budget) => write!(f, "mcts:{budget}"),
            Self::AlphaBeta(budget) => write!(f, "alphabeta:{budget}"),
            Self::Learned(budget) => write!(f, "learned:{budget}"),
            Self::Level(level, None) => level.fmt(f),
            Self::Level(level, Some(budget)) => write!(f, "{level}:{budget}"),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Easy => "easy",
            Self::Medium => "medium",
            Self::Hard => "hard",
        })
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Human => f.write_str("human"),
            Self::Program(agent) => agent.fmt(f),
            Self::Guest(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read() {
        for text in [
            "human",
            "easy",
            "medium",
            "hard",
            "random",
            "greedy",
            "flat:64",
            "mcts:500ms",
            "alphabeta:2s",
            "learned:20ms",
            "hard:500ms",
            "medium:2000",
        ] {
            assert_eq!(text.parse::<Seat>().map(|seat| seat.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("mcts".parse(), Ok(Agent::Mcts(USUAL)));
        assert_eq!("mcts:1.5s".parse::<Agent>().map(|agent| agent.to_string()), Ok("mcts:1500ms".to_owned()));
    }

    #[test]
    fn what_is_no_player_is_refused() {
        let refused = |text: &str| text.parse::<Seat>().unwrap_err();
        assert_eq!(refused("deep"), AgentError::Unknown { name: "deep".to_owned() });
        assert_eq!(refused("random:1s"), AgentError::Thoughtless { name: "random".to_owned() });
        for budget in ["", "0", "0s", "-1s", "1h", "s", "NaNs", "infs", "1e300s", "1.5"] {
            assert_eq!(
                refused(&format!("mcts:{budget}")),
                AgentError::Budget { budget: budget.to_owned() },
                "{budget}"
            );
        }
    }
}
