//! The time that the people of a game have, and what is left of it.

use crate::rules::MAX_PLAYERS;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// The longest time that somebody may have for a game.
const MOST_SECONDS: u32 = 24 * 60 * 60;
/// The longest time that somebody may get for a turn.
const MOST_INCREMENT: u32 = 60 * 60;
/// The most milliseconds that anybody can have left, however much the turns of a game have brought.
const MOST_LEFT: u64 = 100 * MOST_SECONDS as u64 * 1000;

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
    /// The last turn that has brought what a turn brings: one that is taken back and played again brings nothing.
    #[serde(default)]
    pub paid: u32,
}

/// The seat whose time is running, and since when.
#[derive(Clone, Copy, Debug)]
pub struct Running {
    pub seat: usize,
    since: Instant,
}

/// A clock that stands beside a board, and goes.
#[derive(Clone, Debug)]
pub struct Timer {
    clock: Clock,
    running: Option<Running>,
}

impl Clock {
    /// Whether a game can be played with it.
    pub fn is_possible(&self) -> bool {
        (1..=MOST_SECONDS).contains(&self.seconds)
            && self.increment <= MOST_INCREMENT
            && self.left.is_empty()
            && self.paid == 0
    }

    /// What is asked for where it is not possible.
    pub fn advice() -> String {
        format!(
            "a clock has `seconds` from 1 to {MOST_SECONDS}, and perhaps an `increment` of at most {MOST_INCREMENT}"
        )
    }

    /// The same for another game.
    pub fn wound_up(&self) -> Self {
        Self { left: Vec::new(), paid: 0, ..self.clone() }
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

    /// Takes off what has been used, and adds what a turn brings where one has ended, once for each turn.
    pub fn charge(&mut self, running: Running, ended: Option<u32>) {
        let pays = ended.is_some_and(|turn| turn > self.paid);
        let added = if pays { u64::from(self.increment) * 1000 } else { 0 };
        self.paid = self.paid.max(ended.unwrap_or(0));
        let left = self.left(running.seat).saturating_sub(running.used()).saturating_add(added);
        self.set(running.seat, left.min(MOST_LEFT));
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
    /// The time of a seat begins to run.
    #[must_use]
    pub fn of(seat: usize) -> Self {
        Self { seat, since: Instant::now() }
    }

    fn used(self) -> u64 {
        u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

impl Timer {
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self { clock, running: None }
    }

    /// Something has changed: what was used is taken off, and from now on the time of this seat runs, or nobody's.
    pub fn turn(&mut self, ended: Option<u32>, next: Option<usize>) {
        if let Some(running) = self.running.take() {
            self.clock.charge(running, ended);
        }
        self.running = next.map(Running::of);
    }

    /// Who has no time left.
    #[must_use]
    pub fn late(&self) -> Option<usize> {
        let running = self.running?;
        self.clock.until_late(running).is_zero().then_some(running.seat)
    }

    /// Whether somebody's time is running.
    #[must_use]
    pub fn runs(&self) -> bool {
        self.running.is_some()
    }

    /// What a seat has left now.
    #[must_use]
    pub fn left(&self, seat: usize) -> Duration {
        match self.running.filter(|running| running.seat == seat) {
            Some(running) => self.clock.until_late(running),
            None => Duration::from_millis(self.clock.left(seat)),
        }
    }

    /// The clock as it would be found again if the game were left now.
    #[must_use]
    pub fn stopped(&self) -> Clock {
        let mut clock = self.clock.clone();
        if let Some(running) = self.running {
            clock.charge(running, None);
        }
        clock
    }
}

/// A time as clocks show it: `4:07`, and tenths where they matter.
#[must_use]
pub fn shown(left: Duration) -> String {
    let tenths = left.as_millis().div_ceil(100);
    if tenths < 100 {
        return format!("0:{:02}.{}", tenths / 10, tenths % 10);
    }
    // A whole second is shown until it is over.
    let seconds = tenths.div_ceil(10);
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// A whole number of seconds with a unit: `90s`, `5m`, `1h`.
fn seconds(text: &str) -> Option<u32> {
    let units = [('h', 3600), ('m', 60), ('s', 1)];
    let (number, times) = units.into_iter().find_map(|(unit, times)| Some((text.strip_suffix(unit)?, times)))?;
    number.parse::<u32>().ok()?.checked_mul(times)
}

/// Seconds with the largest unit that holds them.
fn with_unit(seconds: u32) -> String {
    match seconds {
        0 => "0s".to_owned(),
        _ if seconds.is_multiple_of(3600) => format!("{}h", seconds / 3600),
        _ if seconds.is_multiple_of(60) => format!("{}m", seconds / 60),
        _ => format!("{seconds}s"),
    }
}

/// As it is asked for and written down: `5m+3s`, and with what is left at each seat in milliseconds `5m+3s 291000 300000`.
impl FromStr for Clock {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "write a clock as `10m`, or `5m+3s` with what each turn adds: 1s to {}, and at most {} more",
                with_unit(MOST_SECONDS),
                with_unit(MOST_INCREMENT)
            )
        };
        let mut words = text.split_whitespace();
        let times = words.next().ok_or_else(wrong)?;
        let (all, more) = times.split_once('+').unwrap_or((times, "0s"));
        let clock = Self {
            seconds: seconds(all).ok_or_else(wrong)?,
            increment: seconds(more).ok_or_else(wrong)?,
            left: Vec::new(),
            paid: 0,
        };
        if !clock.is_possible() {
            return Err(wrong());
        }
        let left: Vec<u64> = words.map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
        if left.len() > MAX_PLAYERS || left.iter().any(|left| *left > MOST_LEFT) {
            let limit =
                format!("behind a clock stand at most {MAX_PLAYERS} times left, each of at most {MOST_LEFT} ms");
            return Err(format!("{limit}; {}", wrong()));
        }
        Ok(Self { left, ..clock })
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", with_unit(self.seconds))?;
        if self.increment > 0 {
            write!(f, "+{}", with_unit(self.increment))?;
        }
        self.left.iter().try_for_each(|left| write!(f, " {left}"))
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
        let mut clock = Clock { seconds: 60, increment: 2, left: Vec::new(), paid: 0 };
        clock.charge(ago(1, 10_000), Some(2));
        assert_eq!(clock.left(0), 60_000);
        assert!((51_000..=52_000).contains(&clock.left(1)), "{clock:?}");
        // A turn that was taken back and is played again.
        clock.charge(ago(1, 500), Some(2));
        clock.charge(ago(1, 500), None);
        assert!((50_000..=51_000).contains(&clock.left(1)), "{clock:?}");
        assert!(clock.until_late(ago(1, 50_000)) <= Duration::from_secs(1));
        assert_eq!(clock.until_late(ago(1, 90_000)), Duration::ZERO);
        assert_eq!(clock.wound_up(), Clock { left: Vec::new(), paid: 0, ..clock });
    }

    #[test]
    fn clocks_are_written_and_read() {
        for text in ["10m", "90s", "5m+3s", "1h+1m", "5m+3s 291000 300000"] {
            assert_eq!(text.parse::<Clock>().unwrap().to_string(), text);
        }
        for wrong in ["", "5", "m", "0s", "-1s", "25h", "5m+2h", "5m+", "5m3s", "5m soon", "99999999999s", "5mm"] {
            assert!(wrong.parse::<Clock>().unwrap_err().contains("`5m+3s`"), "{wrong}");
        }
    }

    #[test]
    fn no_time_left_is_more_than_a_game_can_have() {
        let many = format!("5m+3s{}", " 1".repeat(MAX_PLAYERS + 1));
        let large = format!("5m+3s 1 {}", MOST_LEFT + 1);
        for wrong in [many.as_str(), &large, "5m+3s 18446744073709551615 18446744073709551615"] {
            assert!(wrong.parse::<Clock>().unwrap_err().contains("8640000000 ms"), "{wrong}");
        }
        // What is added at the limit can be read again.
        let mut clock: Clock = format!("5m+3s {MOST_LEFT}").parse().unwrap();
        clock.charge(ago(0, 0), Some(1));
        assert_eq!(clock.to_string().parse(), Ok(Clock { paid: 0, ..clock }));
        // A server may have saved whatever it likes.
        let mut clock = Clock { seconds: 60, increment: 2, left: vec![u64::MAX], paid: 0 };
        clock.charge(ago(0, 0), Some(1));
        assert_eq!(clock.left(0), MOST_LEFT);
    }

    #[test]
    fn times_are_shown_to_the_second_and_at_the_end_to_the_tenth() {
        let told = |millis| shown(Duration::from_millis(millis));
        assert_eq!([told(300_000), told(299_950), told(240_000), told(239_999)], ["5:00", "5:00", "4:00", "4:00"]);
        assert_eq!([told(67_000), told(59_100), told(10_000)], ["1:07", "1:00", "0:10"]);
        assert_eq!([told(9_900), told(9_950), told(80), told(0)], ["0:09.9", "0:10", "0:00.1", "0:00.0"]);
    }

    #[test]
    fn a_clock_stands_still_until_it_is_somebodys_turn() {
        let mut timer = Timer::new(Clock { seconds: 1, increment: 0, left: vec![1000, 1], paid: 0 });
        assert_eq!((timer.late(), timer.left(1)), (None, Duration::from_millis(1)));
        timer.turn(Some(1), Some(1));
        std::thread::sleep(Duration::from_millis(3));
        assert_eq!((timer.late(), timer.left(1)), (Some(1), Duration::ZERO));
        assert_eq!(timer.stopped().left, [1000, 0]);
        timer.turn(Some(2), None);
        assert_eq!(timer.late(), None);
    }
}
