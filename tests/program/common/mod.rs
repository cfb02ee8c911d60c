//! What several tests of the program share: the program itself, a server, a browser, a terminal.

pub mod ahead;
pub mod browser;
#[cfg(unix)]
pub mod pty;
pub mod server;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// The program, to be given arguments; in the root of the project, so that names of files are those of the documents.
pub fn ludwright() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludwright"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// Whether somebody has said that tests which need a further program should be left out: `LUDWRIGHT_SKIP=browser`. Tests are
/// never left out for the reason alone that the program is missing.
pub fn left_out(program: &str) -> bool {
    std::env::var("LUDWRIGHT_SKIP").is_ok_and(|names| names.split(',').any(|name| name.trim() == program))
}

/// What a long campaign is asked for: the number that a variable of the environment holds, or the usual one.
pub fn wish(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// A path in the folder for temporary files that no other test has, of this run or of another.
pub fn fresh(name: &str) -> PathBuf {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    let number = TAKEN.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("ludwright-test-{}-{number}-{name}", std::process::id()))
}

/// A folder that is there and empty.
pub fn folder(name: &str) -> PathBuf {
    let folder = fresh(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a command line in a folder; words are parted by blanks.
pub fn run_in(folder: &Path, line: &str) -> Output {
    ludwright().args(line.split_whitespace()).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// What a command line that succeeds prints.
pub fn text_in(folder: &Path, line: &str) -> String {
    let output = run_in(folder, line);
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The names of the shipped games, as the program lists them.
pub fn shipped() -> Vec<String> {
    let output = ludwright().args(["list", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let games: Vec<String> =
        listed["games"].as_array().unwrap().iter().map(|game| game["name"].as_str().unwrap().to_owned()).collect();
    assert!(!games.is_empty());
    games
}
