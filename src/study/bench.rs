//! Times random games on one thread.

use super::playout::{Played, play};
use super::totals::{Totals, ratio};
use crate::engine::Engine;
use crate::game::Game;
use std::time::{Duration, Instant};

/// Into how many windows the time is divided, if a window holds a whole game.
const WINDOWS: u32 = 100;

/// How long is measured, and what.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How long to measure. Games are played to their end, so long ones take more.
    pub time: Duration,
    /// The same seed gives the same games, as many as there is time for.
    pub seed: u64,
    /// Games that last longer are cut; none for no bound.
    pub max_plies: Option<u64>,
    /// On which engine.
    pub engine: Engine,
}

/// Some games in a row, between two looks at the clock.
#[derive(Clone, Copy, Debug)]
struct Window {
    plies: u64,
    cpu: Duration,
}

/// What was measured. Times are those of the thread where the system tells them.
#[derive(Clone, Debug, Default)]
pub struct Timing {
    /// How much was played.
    pub totals: Totals,
    /// The time of the thread that played.
    pub cpu: Duration,
    /// The time on the wall.
    pub wall: Duration,
    /// Nanoseconds per ply of each window, sorted.
    pub windows: Vec<f64>,
    /// Taken from the heap by all games; none where nobody counts.
    pub bytes: Option<u64>,
    /// The most that one player holds of the heap at any time, for its own position and while it plays.
    pub most_bytes: Option<u64>,
}

/// Whether the time is that of the thread, as against the one on the wall.
pub const THREAD_CLOCK: bool = cfg!(any(target_os = "linux", target_os = "macos", target_os = "freebsd"));

/// The time that this thread has worked, from some moment on.
#[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
#[must_use]
pub fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    // Neither part is ever negative.
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The time on the wall, from some moment on.
#[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "freebsd")))]
#[must_use]
pub fn cpu_time() -> Duration {
    use std::sync::OnceLock;
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed()
}

/// Bytes of the heap.
#[derive(Clone, Copy, Debug)]
struct Heap {
    /// All that was taken, whether given back or not.
    taken: u64,
    /// The most that was held at a time.
    most: u64,
    /// What was still held at the end.
    kept: u64,
}

/// What the work of this thread takes from the heap.
#[cfg(feature = "count-allocations")]
fn heap(work: impl FnOnce()) -> Option<Heap> {
    let counted = allocation_counter::measure(work);
    let kept = u64::try_from(counted.bytes_current).unwrap_or(0);
    Some(Heap { taken: counted.bytes_total, most: counted.bytes_max, kept })
}

#[cfg(not(feature = "count-allocations"))]
fn heap(work: impl FnOnce()) -> Option<Heap> {
    work();
    None
}

/// As many games at most show what a player holds of the heap.
const WEIGHED: u64 = 64;

/// Plays random games for a time, after a warm-up.
#[must_use]
pub fn bench(game: &Game, settings: Settings) -> Timing {
    let mut player = game.player(settings.engine);
    let mut timing =
        measure(settings.time, &mut |number| play(player.as_mut(), settings.seed, settings.max_plies, number));
    // By now everything that players share has been made.
    if timing.bytes.is_some() {
        let mut player = None;
        let made = heap(|| player = Some(game.player(settings.engine)));
        let played = heap(|| {
            for number in 0..timing.totals.games.min(WEIGHED) {
                if let Some(player) = &mut player {
                    play(player.as_mut(), settings.seed, settings.max_plies, number);
                }
            }
        });
        timing.most_bytes = made.zip(played).map(|(made, played)| made.kept + played.most);
    }
    timing
}

/// Runs games, given by their number, until the time is over.
fn measure(time: Duration, game: &mut dyn FnMut(u64) -> Played) -> Timing {
    let mut next = 0;
    let mut timing = Timing { bytes: Some(0), ..Timing::default() };
    // Reading the clock takes longer than a short game, so a window is a number of games. Finding it warms up.
    let mut batch = 1;
    while timing.window(batch, &mut next, game).cpu < time / WINDOWS {
        batch *= 2;
    }
    timing = Timing { bytes: Some(0), ..Timing::default() };
    let began = Instant::now();
    loop {
        let window = timing.window(batch, &mut next, game);
        timing.windows.push(ratio(window.cpu.as_nanos() as f64, window.plies as f64));
        timing.cpu += window.cpu;
        if timing.cpu >= time {
            break;
        }
    }
    timing.wall = began.elapsed();
    timing.windows.sort_by(f64::total_cmp);
    timing
}

impl Timing {
    /// Plays a number of games and adds what they came to, all but the time.
    fn window(&mut self, batch: u64, next: &mut u64, game: &mut dyn FnMut(u64) -> Played) -> Window {
        let mut window = Totals::default();
        let began = cpu_time();
        let heap = heap(|| {
            for number in *next..*next + batch {
                let played = game(number);
                window.add(played.plies, played.choices);
            }
        });
        let cpu = cpu_time().saturating_sub(began);
        *next += batch;
        self.totals.merge(window);
        self.bytes = self.bytes.zip(heap).map(|(all, these)| all + these.taken);
        Window { plies: window.plies, cpu }
    }

    /// Nanoseconds for a ply.
    #[must_use]
    pub fn ns_per_move(&self) -> f64 {
        ratio(self.cpu.as_nanos() as f64, self.totals.plies as f64)
    }

    /// Nanoseconds per ply of the fastest window.
    #[must_use]
    pub fn best(&self) -> f64 {
        self.windows.first().copied().unwrap_or(0.0)
    }

    /// Nanoseconds per ply of the window in the middle.
    #[must_use]
    pub fn median(&self) -> f64 {
        let middle = self.windows.len() / 2;
        let at = |index: usize| self.windows.get(index).copied().unwrap_or(0.0);
        if self.windows.len() % 2 == 1 { at(middle) } else { f64::midpoint(at(middle.saturating_sub(1)), at(middle)) }
    }

    /// Nanoseconds per ply of the slowest window.
    #[must_use]
    pub fn worst(&self) -> f64 {
        self.windows.last().copied().unwrap_or(0.0)
    }

    /// Bytes taken from the heap by a game, on average.
    #[must_use]
    pub fn bytes_per_game(&self) -> Option<f64> {
        self.bytes.map(|bytes| ratio(bytes as f64, self.totals.games as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(plies: u64, choices: u64) -> Played {
        Played { plies, choices, over: None, digest: 0, stopped: None }
    }

    #[test]
    fn the_median_of_an_even_number_lies_between() {
        let timing = |windows: &[f64]| Timing { windows: windows.to_vec(), ..Timing::default() };
        assert_eq!(timing(&[1.0, 2.0, 9.0]).median(), 2.0);
        assert_eq!(timing(&[1.0, 2.0, 4.0, 9.0]).median(), 3.0);
        assert_eq!(timing(&[]).median(), 0.0);
        assert_eq!((timing(&[1.0, 9.0]).best(), timing(&[1.0, 9.0]).worst()), (1.0, 9.0));
    }

    #[test]
    fn windows_hold_many_short_games_and_the_warm_up_does_not_count() {
        let mut number = 0;
        let timing = measure(Duration::from_millis(20), &mut |game| {
            assert_eq!(game, number);
            number += 1;
            played(3, 12)
        });
        assert!(timing.cpu >= Duration::from_millis(20));
        assert!(timing.totals.games < number);
        assert!(timing.totals.games > timing.windows.len() as u64);
        assert_eq!((timing.totals.mean_plies(), timing.totals.mean_branching()), (3.0, 4.0));
        assert_eq!(timing.bytes_per_game(), cfg!(feature = "count-allocations").then_some(0.0));
        assert!(timing.best() <= timing.median() && timing.median() <= timing.worst());
    }

    #[test]
    #[cfg(feature = "count-allocations")]
    fn the_heap_is_counted() {
        let timing = measure(Duration::from_millis(1), &mut |_| {
            std::hint::black_box(vec![0_u8; 1000]);
            played(1, 1)
        });
        assert_eq!(timing.bytes_per_game(), Some(1000.0));
    }

    #[test]
    #[cfg(feature = "count-allocations")]
    fn what_is_held_at_a_time_is_less_than_what_is_taken() {
        let held = heap(|| {
            for _ in 0..3 {
                std::hint::black_box(vec![0_u8; 1000]);
            }
        });
        assert_eq!(held.map(|held| (held.taken, held.most, held.kept)), Some((3000, 1000, 0)));
    }
}
