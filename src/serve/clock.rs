//! The time that the people of a game have, and what is left of it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The longest time that somebody may have for a game.
const MOST_SECONDS: u32 = 24 * 60 * 60;
/// The longest time that somebody may get for a turn.
const MOST_INCREMENT: u32 = 60 * 60;

/// Everybody's time for a game. Programs need none: they think as long as their level says.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    /// What everybody begins with.
    pub seconds: u32,
    /// What is added after every turn.
    #[serde(default)]
    pub increment: u32,
    /// The milliseconds left at each seat; whoever is missing has used none.
    #[serde(default)]
    pub left: Vec<u64>,
}

/// The seat whose time is running, and since when.
#[derive(Clone, Copy, Debug)]
pub struct Running {
    pub seat: usize,
    since: Instant,
}

impl Clock {
    /// Whether a game can be played with it.
    pub fn is_possible(&self) -> bool {
        (1..=MOST_SECONDS).contains(&self.seconds) && self.increment <= MOST_INCREMENT && self.left.is_empty()
    }

    /// What is asked for where it is not possible.
    pub fn advice() -> String {
        format!(
            "a clock has `seconds` from 1 to {MOST_SECONDS}, and perhaps an `increment` of at most {MOST_INCREMENT}"
        )
    }

    /// The same for another game.
    pub fn wound_up(&self) -> Self {
        Self { left: Vec::new(), ..self.clone() }
    }

    /// The milliseconds that a seat has left.
    fn left(&self, seat: usize) -> u64 {
        self.left.get(seat).copied().unwrap_or(u64::from(self.seconds) * 1000)
    }

    fn set(&mut self, seat: usize, left: u64) {
        let all = u64::from(self.seconds) * 1000;
        if self.left.len() <= seat {
            self.left.resize(seat + 1, all);
        }
        if let Some(place) = self.left.get_mut(seat) {
            *place = left;
        }
    }

    /// Takes off what has been used, and adds what a turn brings if it has ended.
    pub fn charge(&mut self, running: Running, turn_has_ended: bool) {
        let added = if turn_has_ended { u64::from(self.increment) * 1000 } else { 0 };
        self.set(running.seat, self.left(running.seat).saturating_sub(running.used()) + added);
    }

    /// The time until whoever is to move has none left.
    pub fn until_late(&self, running: Running) -> Duration {
        Duration::from_millis(self.left(running.seat).saturating_sub(running.used()))
    }

    /// What is left now at each seat, and which one is running.
    pub fn tell(&self, seats: usize, running: Option<Running>) -> Value {
        let used = |seat: usize| running.filter(|running| running.seat == seat).map_or(0, Running::used);
        let left: Vec<u64> = (0..seats).map(|seat| self.left(seat).saturating_sub(used(seat))).collect();
        json!({
            "seconds": self.seconds,
            "increment": self.increment,
            "left": left,
            "running": running.map(|running| running.seat),
        })
    }
}

impl Running {
    /// Whose time runs in a game as its view shows it: a person's, once somebody has moved.
    pub fn of(view: &Value) -> Option<Self> {
        let runs = view["decider"] == "human" && view["over"] == false && view["now"] != 0;
        let seat = usize::try_from(view["to_move"].as_u64().filter(|_| runs)?).ok()?;
        Some(Self { seat, since: Instant::now() })
    }

    fn used(self) -> u64 {
        u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ago(seat: usize, used: u64) -> Running {
        Running { seat, since: Instant::now().checked_sub(Duration::from_millis(used)).unwrap() }
    }

    #[test]
    fn time_is_used_and_a_turn_brings_some() {
        let mut clock = Clock { seconds: 60, increment: 2, left: Vec::new() };
        clock.charge(ago(1, 10_000), true);
        assert_eq!(clock.left(0), 60_000);
        assert!((51_000..=52_000).contains(&clock.left(1)), "{clock:?}");
        clock.charge(ago(1, 1_000), false);
        assert!((50_000..=51_000).contains(&clock.left(1)), "{clock:?}");
        assert!(clock.until_late(ago(1, 50_000)) <= Duration::from_secs(1));
        assert_eq!(clock.until_late(ago(1, 90_000)), Duration::ZERO);
        assert_eq!(clock.wound_up().left, Vec::<u64>::new());
    }

    #[test]
    fn the_first_move_takes_no_time_and_programs_need_none() {
        let view = |now: u64, decider: &str| json!({ "now": now, "decider": decider, "over": false, "to_move": 1 });
        assert!(Running::of(&view(0, "human")).is_none());
        assert!(Running::of(&view(1, "medium")).is_none());
        assert_eq!(Running::of(&view(1, "human")).map(|running| running.seat), Some(1));
    }
}
