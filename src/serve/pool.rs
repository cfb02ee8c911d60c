//! Processes that do the work: as many as there is room for, each killed when it takes too long.
//!
//! A rule text from a stranger may be slow or huge on purpose, and a thread cannot be killed.

use super::message::{Answer, Ask, Progress, Refusal, STOP, Saved};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{Mutex, MutexGuard, Notify, Semaphore};
use tokio::time::timeout;

/// How long a question waits for the worker that knows its game before any other will do.
const PATIENCE: Duration = Duration::from_millis(100);
/// How long it waits at all.
const QUEUE_TIME: Duration = Duration::from_secs(20);
/// How long a worker that is asked to stop may take for it.
const GRACE: Duration = Duration::from_secs(3);

/// The signal by which a program ends itself that finds no memory.
const ABORTED: i32 = 6;

/// Why there is no answer.
#[derive(Debug)]
pub enum Trouble {
    /// Too many questions wait already.
    Busy,
    /// The time was over.
    Late(Duration),
    /// The worker is gone for want of memory.
    Died,
    /// The worker is gone for another reason: how it ended.
    Gone(String),
    /// No worker can be started.
    Start(io::Error),
    Refused(Refusal),
}

/// An answer, and what became of the game if it changed.
#[derive(Debug)]
pub struct Done {
    pub body: Value,
    pub saved: Option<Box<Saved>>,
}

/// What makes a long answer come early, and hears how far it is.
pub struct Watch<'w> {
    pub stop: &'w Notify,
    pub progress: &'w (dyn Fn(Progress) + Sync),
}

/// Workers for one kind of questions.
pub struct Pool {
    slots: Vec<Mutex<Option<Worker>>>,
    places: Semaphore,
    deadline: Duration,
    /// As many steps a ply may take.
    steps: u64,
    /// How far its workers stand back for others where the processor is not enough for all.
    nice: u8,
}

impl Pool {
    pub fn new(workers: usize, queue: usize, deadline: Duration, steps: u64, nice: u8) -> Self {
        let slots = (0..workers.max(1)).map(|_| Mutex::new(None)).collect();
        Self { slots, places: Semaphore::new(queue), deadline, steps, nice }
    }

    /// Asks the worker that knows a key best, or another one if that is busy.
    pub async fn ask(&self, key: &str, ask: &Ask, watch: Option<Watch<'_>>) -> Result<Done, Trouble> {
        let line = serde_json::to_string(ask).map_err(|error| Trouble::Start(error.into()))? + "\n";
        let _place = self.places.try_acquire().map_err(|_| Trouble::Busy)?;
        let mut slot = self.slot(key).await?;
        // While it works the worker is not in its slot: if nobody waits any longer it is dropped, and so killed.
        let mut worker = match slot.take() {
            Some(worker) => worker,
            None => Worker::start(self.steps, self.nice).map_err(Trouble::Start)?,
        };
        let answer = match worker.answer(&line, self.deadline, watch).await {
            Err(Trouble::Died) => return Err(worker.died().await),
            answer => answer?,
        };
        *slot = Some(worker);
        match answer {
            Answer::Done { body, saved } => Ok(Done { body, saved }),
            Answer::Refused(refusal) => Err(Trouble::Refused(refusal)),
            Answer::Progress(_) => Err(Trouble::Died),
        }
    }

    async fn slot(&self, key: &str) -> Result<MutexGuard<'_, Option<Worker>>, Trouble> {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let own = usize::try_from(hasher.finish() % self.slots.len() as u64).unwrap_or(0);
        let own = self.slots.get(own).ok_or(Trouble::Busy)?;
        if let Ok(slot) = timeout(PATIENCE, own.lock()).await {
            return Ok(slot);
        }
        if let Some(free) = self.slots.iter().find_map(|slot| slot.try_lock().ok()) {
            return Ok(free);
        }
        timeout(QUEUE_TIME, own.lock()).await.map_err(|_| Trouble::Busy)
    }
}

/// The program that runs, also after its file has been replaced by another version.
#[cfg(target_os = "linux")]
fn this_program() -> io::Result<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    if running.exists() { Ok(running) } else { std::env::current_exe() }
}

#[cfg(not(target_os = "linux"))]
fn this_program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

struct Worker {
    /// Killed when it is dropped.
    child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Worker {
    fn start(steps: u64, nice: u8) -> io::Result<Self> {
        let mut child = Command::new(this_program()?)
            .args(["serve", "--worker", "--steps"])
            .arg(steps.to_string())
            .args(["--nice", &nice.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Ctrl-C is for the server.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let stdin = child.stdin.take().ok_or_else(gone)?;
        let stdout = child.stdout.take().ok_or_else(gone)?;
        Ok(Self { child, stdin, lines: BufReader::new(stdout).lines() })
    }

    /// Asks and listens. When the time is over, or on demand, a worker that is watched is first asked to stop.
    async fn answer(&mut self, line: &str, deadline: Duration, watch: Option<Watch<'_>>) -> Result<Answer, Trouble> {
        let Some(watch) = watch else {
            return timeout(deadline, self.talk(line, &|_| {})).await.unwrap_or(Err(Trouble::Late(deadline)));
        };
        tokio::select! {
            answer = self.talk(line, watch.progress) => return answer,
            () = watch.stop.notified() => {}
            () = tokio::time::sleep(deadline) => {}
        }
        let stop = format!("{STOP}\n");
        timeout(GRACE, self.talk(&stop, watch.progress)).await.unwrap_or(Err(Trouble::Late(deadline)))
    }

    /// How a worker ended that says nothing any more. One that finds no memory ends itself by the signal for that.
    async fn died(&mut self) -> Trouble {
        let Ok(Ok(status)) = timeout(GRACE, self.child.wait()).await else {
            return Trouble::Gone("it says nothing any more".to_owned());
        };
        if std::os::unix::process::ExitStatusExt::signal(&status) == Some(ABORTED) {
            return Trouble::Died;
        }
        Trouble::Gone(status.to_string())
    }

    async fn talk(&mut self, line: &str, progress: &(dyn Fn(Progress) + Sync)) -> Result<Answer, Trouble> {
        self.stdin.write_all(line.as_bytes()).await.map_err(|_| Trouble::Died)?;
        self.stdin.flush().await.map_err(|_| Trouble::Died)?;
        while let Ok(Some(line)) = self.lines.next_line().await {
            match serde_json::from_str(&line) {
                Ok(Answer::Progress(now)) => progress(now),
                Ok(answer) => return Ok(answer),
                Err(_) => break,
            }
        }
        Err(Trouble::Died)
    }
}
