//! Numbered work on several threads, taken up in the order of the numbers however the threads fare.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::thread;

/// So many results per thread may wait for an earlier one, so that what waits does not fill the memory.
const AHEAD: u64 = 64;

/// Runs jobs by number, each thread with a worker of its own, and hands over what they came to in the order of the numbers.
/// A worker that gives nothing ends the series: what comes behind its job is dropped. So does a taker that says no.
pub fn in_order<T: Send, W: FnMut(u64) -> Option<T>>(
    jobs: Range<u64>,
    threads: usize,
    worker: &(impl Fn() -> W + Sync),
    take: &mut dyn FnMut(T) -> bool,
) {
    let threads = u64::try_from(threads).unwrap_or(1).clamp(1, (jobs.end.saturating_sub(jobs.start)).max(1));
    let next = AtomicU64::new(jobs.start);
    let gate = Gate { state: Mutex::new(Some(jobs.start)), changed: Condvar::new(), ahead: AHEAD * threads };
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next, gate) = (sender.clone(), &next, &gate);
            scope.spawn(move || {
                let _closing = Closing(gate);
                let mut work = worker();
                loop {
                    let job = next.fetch_add(1, Ordering::Relaxed);
                    if job >= jobs.end || !gate.pass(job) || sender.send((job, work(job))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut wanted = jobs.start;
        for (job, done) in receiver {
            waiting.insert(job, done);
            while let Some(done) = waiting.remove(&wanted) {
                if !done.is_some_and(&mut *take) {
                    gate.close();
                    return;
                }
                wanted += 1;
                gate.open_to(wanted);
            }
        }
    });
}

/// Keeps threads from running too far ahead of the result that is wanted next.
struct Gate {
    /// The number wanted next; none when the series is over.
    state: Mutex<Option<u64>>,
    changed: Condvar,
    ahead: u64,
}

impl Gate {
    /// Waits until a job may begin; false if none may any more.
    fn pass(&self, job: u64) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let far = |state: &mut Option<u64>| state.is_some_and(|wanted| job >= wanted.saturating_add(self.ahead));
        let state = self.changed.wait_while(state, far).unwrap_or_else(PoisonError::into_inner);
        state.is_some()
    }

    fn set(&self, to: Option<u64>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = to;
        self.changed.notify_all();
    }

    fn open_to(&self, wanted: u64) {
        self.set(Some(wanted));
    }

    fn close(&self) {
        self.set(None);
    }
}

/// A thread that ends by a panic leaves a result that nobody waits for any more.
struct Closing<'g>(&'g Gate);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn results_come_in_order_however_long_they_take() {
        let mut taken = Vec::new();
        let slow = |job: u64| {
            thread::sleep(Duration::from_micros(if job.is_multiple_of(17) { 900 } else { 1 }));
            Some(job)
        };
        in_order(3..700, 4, &|| slow, &mut |job| {
            taken.push(job);
            true
        });
        assert_eq!(taken, (3..700).collect::<Vec<_>>());
    }

    #[test]
    fn a_series_ends_where_a_worker_gives_nothing_or_the_taker_has_enough() {
        let mut taken = Vec::new();
        in_order(0..1000, 3, &|| |job| (job != 40).then_some(job), &mut |job| {
            taken.push(job);
            true
        });
        assert_eq!(taken.len(), 40);
        in_order(0..1000, 3, &|| Some, &mut |job| job < 7);
        in_order(5..5, 3, &|| Some, &mut |_: u64| unreachable!());
    }
}
