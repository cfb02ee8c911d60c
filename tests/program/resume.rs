//! `--resume`: what was played is kept in a file of blocks, and whatever ends a run, it goes on and says the same.

use super::common::{folder, ludwright, run_in, text_in};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

const MEASURE: &str = "measure tic_tac_toe --games 2 --seed 3";
const SWEEP: &str = "sweep tic_tac_toe -o size=3,4 --player mcts:9 --games 30 --seed 3";
const TUNE: &str = "tune hex --option size=3..6 --for plies=14 --player mcts:4 --games 150 --seed 3";
const BEST: &str = "sweep hex -o size=3..5 --best plies=14 --player mcts:4 --games 60 --seed 3";

/// What a command answers as JSON, and what it says beside.
fn said(folder: &Path, line: &str) -> (String, String) {
    let told = run_in(folder, &format!("{line} --json"));
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    assert!(told.status.success(), "{line}: {}", text(told.stderr));
    (text(told.stdout), text(told.stderr))
}

#[test]
fn wherever_a_run_was_ended_it_goes_on_and_ends_with_the_same_bytes() {
    let folder = folder("resume_cut");
    for command in [MEASURE, SWEEP, TUNE, BEST] {
        let (whole, _) = said(&folder, command);
        let (first, note) = said(&folder, &format!("{command} --resume whole.jsonl --threads 2"));
        assert_eq!(first, whole, "{command}");
        assert!(!note.contains("going on"), "{note}");
        let file = fs::read(folder.join("whole.jsonl")).unwrap();
        let ends: Vec<usize> =
            file.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
        // Nothing, the job alone, some blocks, half a line, and everything.
        for cut in [0, ends[0], ends[ends.len() / 3], ends[ends.len() / 2] + 25, file.len()] {
            fs::write(folder.join("cut.jsonl"), &file[..cut]).unwrap();
            let (again, note) = said(&folder, &format!("{command} --resume cut.jsonl --threads 1"));
            assert_eq!(again, whole, "{command}, {cut}");
            assert!(fs::read(folder.join("cut.jsonl")).unwrap() == file, "{command}, {cut}");
            assert_eq!(note.contains("going on after"), cut > ends[0], "{note}");
        }
        fs::remove_file(folder.join("whole.jsonl")).unwrap();
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_does_not_belong_to_the_run_is_refused_and_left_as_it_is() {
    let folder = folder("resume_refused");
    text_in(&folder, &format!("{SWEEP} --resume f.jsonl"));
    let before = fs::read(folder.join("f.jsonl")).unwrap();
    fs::write(folder.join("games.jsonl"), "{\"game\":\"hex\"}\nhalf").unwrap();
    let clock = SWEEP.replace("mcts:9", "mcts:9ms");
    for (line, code, says) in [
        (format!("{} --resume f.jsonl", SWEEP.replace("--seed 3", "--seed 4")), "other_job", "`seed`"),
        (format!("{} --resume f.jsonl", SWEEP.replace("--games 30", "--games 31")), "other_job", "`number of games`"),
        (format!("{} --resume f.jsonl", SWEEP.replace("mcts:9", "random")), "other_job", "`player`"),
        (format!("{MEASURE} --resume f.jsonl"), "other_job", "`command`"),
        (format!("{SWEEP} --resume games.jsonl"), "bad_shard", "line 1"),
        ("sweep tic_tac_toe --resume f.jsonl".to_owned(), "bad_number", "the clock"),
        ("measure tic_tac_toe --minutes 1 --resume f.jsonl".to_owned(), "bad_number", "the clock"),
        (format!("{clock} --resume f.jsonl"), "not_repeatable", "mcts:9ms"),
        (format!("{SWEEP} --resume -"), "not_possible", "standard output"),
    ] {
        let told = run_in(&folder, &format!("{line} --json"));
        assert_eq!(told.status.code(), Some(1), "{line}");
        let told: Value = serde_json::from_slice(&told.stdout).unwrap();
        assert_eq!(told["error"]["code"], json!(code), "{line}: {told}");
        assert!(told["error"]["message"].as_str().unwrap().contains(says), "{line}: {told}");
        assert!(told["error"]["help"].is_string(), "{told}");
    }
    assert_eq!(fs::read(folder.join("f.jsonl")).unwrap(), before);
    assert_eq!(fs::read(folder.join("games.jsonl")).unwrap(), b"{\"game\":\"hex\"}\nhalf");
    for line in ["--output g.jsonl", "--job j.json", "--shard 1/2 --output p.jsonl"] {
        let told = run_in(&folder, &format!("{MEASURE} --resume f.jsonl {line}"));
        assert_eq!(told.status.code(), Some(2), "{line}");
    }
    // One more value of an option is one more row of the same run.
    let (more, note) = said(&folder, &format!("{} --resume f.jsonl", SWEEP.replace("size=3,4", "size=3,4,5")));
    assert_eq!(serde_json::from_str::<Value>(&more).unwrap()["rows"].as_array().unwrap().len(), 3);
    assert!(note.contains("going on after the 60 games"), "{note}");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_text_that_was_changed_is_refused_before_anything_is_played() {
    let folder = folder("resume_changed");
    let text = |turns: u32| {
        format!(
            "game \"Fill\"\noption size : 3..5 = 3 \"rows\"\nboard square(size)\nplayers A, B\npiece stone\n\
             move put \"{{cell}}\" {{ cell : empty; cell becomes stone of mover }}\n\
             turn {{ put else pass }}\nend {{ mover wins when turn = {turns}; draw when no empty }}\n"
        )
    };
    fs::write(folder.join("fill.game"), text(5)).unwrap();
    let sweep = "sweep fill.game --player random --games 30 --seed 3 --resume f.jsonl";
    let tune = "tune fill.game --option size=3..4 --for plies=5 --player random --games 30 --seed 3 --resume t.jsonl";
    text_in(&folder, &format!("{sweep} -o size=3,4"));
    text_in(&folder, tune);
    let before = ["f.jsonl", "t.jsonl"].map(|file| fs::read(folder.join(file)).unwrap());
    // The first row is a new one, which alone would be played and written.
    fs::write(folder.join("fill.game"), text(6)).unwrap();
    for line in [&format!("{sweep} -o size=5,3"), &tune.replace("3..4", "3..5")] {
        let told = run_in(&folder, &format!("{line} --json"));
        let told: Value = serde_json::from_slice(&told.stdout).unwrap();
        assert_eq!(told["error"]["code"], json!("other_job"), "{line}: {told}");
    }
    assert!(before == ["f.jsonl", "t.jsonl"].map(|file| fs::read(folder.join(file)).unwrap()));
    fs::remove_dir_all(&folder).unwrap();
}

#[cfg(unix)]
#[test]
fn a_tournament_that_is_interrupted_writes_no_table_and_goes_on() {
    let folder = folder("resume_csv");
    let line = "tournament tic_tac_toe --players random,mcts:20 --games 4000 --seed 2 --output f.jsonl --csv f.csv";
    let stopped = ended(&folder, line, "-INT");
    assert!(stopped.status.success(), "{}", String::from_utf8_lossy(&stopped.stderr));
    assert!(!folder.join("f.csv").exists());
    // Games are played in pairs.
    let played = fs::read_to_string(folder.join("f.jsonl")).unwrap().lines().count() / 2 * 2;
    text_in(&folder, &line.replace("4000", &(played + 10).to_string()));
    let rows = fs::read_to_string(folder.join("f.csv")).unwrap().lines().count();
    let lines = fs::read_to_string(folder.join("f.jsonl")).unwrap().lines().count();
    assert_eq!(rows, 1 + lines, "one line names the columns");
    fs::remove_dir_all(&folder).unwrap();
}

/// Begins a long run, and ends it when some of it is written.
#[cfg(unix)]
fn ended(folder: &Path, line: &str, signal: &str) -> std::process::Output {
    let mut command = ludwright();
    command.args(line.split(' ')).current_dir(folder).stdin(Stdio::null());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = || fs::read_to_string(folder.join("f.jsonl")).unwrap_or_default().lines().count();
    while lines() < 4 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let kill = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn ctrl_c_says_how_to_go_on_and_a_run_that_is_killed_goes_on() {
    let folder = folder("resume_killed");
    let long = "sweep hex -o size=3,4 --player mcts:200 --games 60 --threads 1 --seed 5";
    let resumed = format!("{long} --resume f.jsonl");
    let stopped = ended(&folder, &format!("{resumed} --json"), "-INT");
    let note = String::from_utf8_lossy(&stopped.stderr).into_owned();
    assert!(stopped.status.success() && note.contains("the same command again goes on"), "{note}");
    let told: Value = serde_json::from_slice(&stopped.stdout).unwrap();
    assert_eq!(told["interrupted"], json!(true));
    fs::remove_file(folder.join("f.jsonl")).unwrap();
    assert!(!ended(&folder, &resumed, "-KILL").status.success());
    let whole = text_in(&folder, &format!("{long} --resume whole.jsonl"));
    assert_eq!(text_in(&folder, &resumed), whole);
    assert!(fs::read(folder.join("f.jsonl")).unwrap() == fs::read(folder.join("whole.jsonl")).unwrap());
    fs::remove_dir_all(&folder).unwrap();
}

#[cfg(unix)]
#[test]
fn a_tournament_that_somebody_else_writes_to_is_not_even_read() {
    let folder = folder("resume_locked");
    // Whoever comes second has another seed: he would be told of another tournament if he read the file.
    let line = |seed: u64| {
        format!(
            "tournament hex -o size=5 --players mcts:200,mcts:150 -n 2000 --seed {seed} --threads 1 --output f.jsonl --json"
        )
    };
    let mut command = ludwright();
    command
        .args(line(1).split(' '))
        .current_dir(&folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut first = command.spawn().unwrap();
    while fs::read_to_string(folder.join("f.jsonl")).unwrap_or_default().lines().count() < 2 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let told = run_in(&folder, &line(2));
    first.kill().unwrap();
    first.wait().unwrap();
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(told["error"]["code"], json!("in_use"), "{told}");
    fs::remove_dir_all(&folder).unwrap();
}
