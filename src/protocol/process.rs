//! A program of somebody else, line by line: it may be slow, silent, chatty or dead, and never holds this one up.
//!
//! This is the only file of the library that starts programs. Which ones is said on the command line, and nowhere else.

use crate::study::halt::Halt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A line that is longer is cut into several.
const MAX_LINE: u64 = 64 << 10;
/// So many lines may wait to be read; then the program waits.
const MAX_WAITING: usize = 1024;
/// As much of a complaint as is worth telling.
const MAX_COMPLAINT: usize = 160;
/// How often somebody who waits looks whether the series is to end.
const BEAT: Duration = Duration::from_millis(20);
/// How long a program may take to go when it was asked to.
const GRACE: Duration = Duration::from_millis(300);

/// What came of waiting for a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Heard {
    /// A line without its end.
    Line(String),
    /// The time is over.
    Late,
    /// The program has ended.
    Gone,
    /// The series is to end.
    Halted,
}

/// A running program. It is killed and waited for when this goes out of scope.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// Lines to be written; a thread writes them, since a program that does not read would hold up whoever writes.
    input: Sender<String>,
    output: Receiver<String>,
    /// The last line on its standard error.
    complaint: Arc<Mutex<String>>,
}

impl Process {
    /// Starts a program with arguments, as they are: no shell is asked.
    pub fn start(words: &[String]) -> io::Result<Self> {
        let (program, arguments) = words.split_first().ok_or(io::ErrorKind::NotFound)?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C is for this program, which ends the other one in good order.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let (input, lines) = channel::<String>();
        if let Some(mut stdin) = child.stdin.take() {
            thread::spawn(move || write_all(&mut stdin, &lines));
        }
        let (sender, output) = sync_channel(MAX_WAITING);
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || read_all(stdout, &sender));
        }
        let complaint = Arc::new(Mutex::new(String::new()));
        if let Some(stderr) = child.stderr.take() {
            let complaint = Arc::clone(&complaint);
            thread::spawn(move || keep_last(stderr, &complaint));
        }
        Ok(Self { child, input, output, complaint })
    }

    /// Says a line. Whether it arrives shows when an answer is waited for.
    pub fn say(&self, line: &str) {
        let _ = self.input.send(format!("{line}\n"));
    }

    /// Waits for a line.
    pub fn hear(&self, by: Instant, halt: Halt<'_>) -> Heard {
        loop {
            if halt.is_set() {
                return Heard::Halted;
            }
            let left = by.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left.min(BEAT)) {
                Ok(line) => return Heard::Line(line),
                Err(RecvTimeoutError::Disconnected) => return Heard::Gone,
                Err(RecvTimeoutError::Timeout) if left <= BEAT => return Heard::Late,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Forgets what has been said and not been read.
    pub fn forget(&self) {
        while self.output.try_recv().is_ok() {}
    }

    /// What it said last on its standard error, cut short.
    #[must_use]
    pub fn complaint(&self) -> String {
        // What it said before it ended may still be on its way.
        thread::sleep(BEAT);
        self.complaint.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let by = Instant::now() + GRACE;
        // Without anybody who speaks to it a program ends by itself.
        self.input = channel().0;
        while Instant::now() < by && matches!(self.child.try_wait(), Ok(None)) {
            self.forget();
            thread::sleep(BEAT / 4);
        }
        end_all(&mut self.child);
    }
}

/// Ends a program, and those that it has started.
fn end_all(child: &mut Child) {
    #[cfg(all(feature = "cli", any(target_os = "linux", target_os = "macos", target_os = "freebsd")))]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn write_all(stdin: &mut impl Write, lines: &Receiver<String>) {
    for line in lines {
        if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

/// Hands over line after line, until the program ends or nobody listens.
fn read_all(stdout: impl Read, sender: &SyncSender<String>) {
    let mut stdout = BufReader::new(stdout);
    let mut line = Vec::new();
    while stdout.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let text = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
        if sender.send(text).is_err() {
            return;
        }
        line.clear();
    }
}

fn keep_last(stderr: impl Read, complaint: &Mutex<String>) {
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    while stderr.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let text: String = String::from_utf8_lossy(&line).chars().filter(|c| !c.is_control()).collect();
        if !text.trim().is_empty() {
            let text = text.trim().chars().take(MAX_COMPLAINT).collect();
            *complaint.lock().unwrap_or_else(PoisonError::into_inner) = text;
        }
        line.clear();
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Process {
        Process::start(&["sh".to_owned(), "-c".to_owned(), script.to_owned()]).unwrap()
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    #[test]
    fn lines_go_both_ways_until_the_program_ends() {
        let process = sh("read x; echo \"you said $x\"; echo sorry >&2; exit 3");
        process.say("hello");
        assert_eq!(process.hear(soon(), Halt::never()), Heard::Line("you said hello".to_owned()));
        assert_eq!(process.hear(soon(), Halt::never()), Heard::Gone);
        assert_eq!(process.complaint(), "sorry");
    }

    #[test]
    fn who_is_silent_is_late_and_is_killed_with_all_that_it_started() {
        let began = Instant::now();
        let process = sh("trap '' TERM INT; sleep 600 & echo $!; sleep 600");
        let Heard::Line(pid) = process.hear(soon(), Halt::never()) else { panic!("nothing was said") };
        assert_eq!(process.hear(Instant::now() + Duration::from_millis(50), Halt::never()), Heard::Late);
        drop(process);
        assert!(began.elapsed() < Duration::from_secs(20));
        // It takes a moment until a process that was killed is gone, or at least a zombie of its new parent.
        let lives = || {
            let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            !state.is_empty() && !state.contains(") Z")
        };
        let by = soon();
        while lives() && Instant::now() < by {
            thread::sleep(BEAT);
        }
        assert!(!lives());
    }

    #[test]
    fn who_does_not_read_holds_up_nobody() {
        let process = sh("sleep 600");
        for _ in 0..100 {
            process.say(&"x".repeat(10_000));
        }
        assert_eq!(process.hear(Instant::now(), Halt::never()), Heard::Late);
    }

    #[test]
    fn what_is_no_program_is_said() {
        assert!(Process::start(&["/no/such/program".to_owned()]).is_err());
        assert!(Process::start(&[]).is_err());
    }
}
