//! What happens to files when the disk is full, when the program is killed while it writes, or when two write at once: what
//! stands under a name is the old text or the new one, never half of it, and what could not be written is said.
//!
//! `KILLS=10000 cargo test --test program faults:: -- --ignored --nocapture` kills programs that write at any moment.

use super::common::server::Server;
use super::common::{folder, ludwright, wish};
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// What a file holds before a command that is to write it anew.
const OLD: &str = "what was there before\n";

/// Commands that write the file `new`, each the same bytes whenever it runs.
const WRITERS: [&str; 8] = [
    "playout tic_tac_toe -n 40 --seed 1 --output new --force",
    "playout tic_tac_toe -n 40 --seed 1 --job new --force",
    "arena tic_tac_toe --players random,random -n 30 --seed 1 --positions new --force",
    "run-job job.json --from 0 --to 1 --output new --force",
    "train tic_tac_toe --games 64 --seed 1 --threads 1 --output new --force",
    "render chess --output new.svg --force",
    "fmt new.game",
    "check --fix new.game",
];

/// A rule file that `fmt` lays out anew and `check --fix` mends.
const UNTIDY: &str = "game \"Put\"   2026\nplayers A, B\nboard square(3)\npiece stone of each player\n\
                      move put \"{cell}\" { cell : emtpy ; cell becomes stone of mover }\nturn { put }\n\
                      end { next loses when stuck }\n";

/// The file that a command writes.
fn written(line: &str) -> &'static str {
    match line {
        line if line.contains("new.svg") => "new.svg",
        line if line.contains("new.game") => "new.game",
        _ => "new",
    }
}

/// A folder in which every writer can run, with the old text in its file.
fn prepare(folder: &Path, line: &str) {
    let old = if line.ends_with(".game") { UNTIDY } else { OLD };
    fs::write(folder.join(written(line)), old).unwrap();
}

/// What a command is with limits on what it may write, in blocks of 512 bytes: past them writing fails, or kills.
fn limited(folder: &Path, line: &str, blocks: u64, kills: bool) -> Output {
    let trap = if kills { "" } else { "trap '' XFSZ; " };
    let script = format!("{trap}ulimit -c 0; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_ludwright")).args(line.split(' '));
    shell.current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A folder with a job, and what a writer writes when nothing keeps it from it.
fn begin(name: &str, line: &str) -> (std::path::PathBuf, Vec<u8>) {
    let folder = folder(name);
    let run = |line: &str| ludwright().args(line.split(' ')).current_dir(&folder).output().unwrap();
    assert!(run("playout tic_tac_toe -n 40 --seed 1 --job job.json").status.success());
    prepare(&folder, line);
    let done = run(line);
    let file = folder.join(written(line));
    let new = fs::read(&file).unwrap();
    assert!(done.status.success() && !new.is_empty(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
    (folder, new)
}

#[test]
fn a_full_disk_leaves_the_old_file_and_is_told() {
    for line in WRITERS {
        let (folder, new) = begin("full", line);
        let blocks = new.len() as u64 / 512 + 1;
        for limit in [0, 1, blocks / 2, blocks.saturating_sub(1)] {
            prepare(&folder, line);
            let old = fs::read(folder.join(written(line))).unwrap();
            let before = names(&folder);
            let output = limited(&folder, line, limit, false);
            let now = fs::read(folder.join(written(line))).unwrap();
            let told = String::from_utf8_lossy(&output.stderr);
            if now == new && now != old {
                assert!(output.status.success() || told.contains("cannot be written"), "{line}, {limit}: {told}");
                continue;
            }
            assert!(now == old, "{line}, {limit} blocks: half a file");
            assert_eq!(output.status.code(), Some(1), "{line}, {limit} blocks: {told}");
            assert!(told.contains("cannot be written"), "{line}, {limit} blocks: {told}");
            assert_eq!(names(&folder), before, "{line}, {limit} blocks: something is left behind");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn who_is_killed_while_writing_leaves_the_old_file_or_the_new_one() {
    for line in WRITERS {
        let (folder, new) = begin("killed", line);
        for limit in [0, new.len() as u64 / 1024] {
            prepare(&folder, line);
            let old = fs::read(folder.join(written(line))).unwrap();
            let output = limited(&folder, line, limit, true);
            let now = fs::read(folder.join(written(line))).unwrap();
            assert!(now == old || now == new, "{line}, {limit} blocks: half a file");
            assert!(output.status.signal().is_some() || output.status.success(), "{line}: {:?}", output.status);
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn a_tournament_that_stops_anywhere_leaves_whole_games_and_goes_on() {
    let line = "tournament tic_tac_toe --players random,easy:9,easy:20 --games 4 --seed 1 --output games.jsonl";
    let folder = folder("tournament_faults");
    let whole = {
        assert!(ludwright().args(line.split(' ')).current_dir(&folder).output().unwrap().status.success());
        fs::read_to_string(folder.join("games.jsonl")).unwrap()
    };
    for limit in [1, 2, 3] {
        fs::remove_file(folder.join("games.jsonl")).unwrap();
        let output = limited(&folder, line, limit, false);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() || told.contains("cannot be written"), "{told}");
        let again = ludwright().args(line.split(' ')).current_dir(&folder).output().unwrap();
        assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
        let mut lines: Vec<String> =
            fs::read_to_string(folder.join("games.jsonl")).unwrap().lines().map(str::to_owned).collect();
        let mut wanted: Vec<String> = whole.lines().map(str::to_owned).collect();
        lines.sort();
        wanted.sort();
        assert_eq!(lines, wanted, "{limit} blocks");
    }
    // While one writes another is told to wait.
    let long = line.replace("--games 4", "--games 100000");
    let mut first = ludwright()
        .args(long.replace("games.jsonl", "long.jsonl").split(' '))
        .current_dir(&folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while fs::metadata(folder.join("long.jsonl")).map_or(0, |data| data.len()) == 0 {
        assert!(began.elapsed() < Duration::from_secs(60), "nothing is written");
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = long.replace("games.jsonl", "long.jsonl --force");
    let output = ludwright().args(second.split(' ')).current_dir(&folder).output().unwrap();
    first.kill().unwrap();
    first.wait().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && told.contains("another program is writing"), "{told}");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn two_who_write_one_file_leave_the_whole_of_one_of_them() {
    let line = "playout tic_tac_toe -n 200 --seed SEED --output new --force";
    let folder = folder("two");
    let command = |seed: &str| {
        let mut command = ludwright();
        command.args(line.replace("SEED", seed).split(' ')).current_dir(&folder);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let file = || fs::read(folder.join("new")).unwrap();
    let mut alone: Vec<Vec<u8>> = Vec::new();
    for seed in ["1", "2"] {
        assert!(command(seed).wait().unwrap().success());
        alone.push(file());
    }
    for _ in 0..4 {
        let (mut one, mut two) = (command("1"), command("2"));
        assert!(one.wait().unwrap().success() && two.wait().unwrap().success());
        assert!(alone.contains(&file()));
    }
    assert_eq!(names(&folder), ["new"]);
    fs::remove_dir_all(&folder).unwrap();
}

/// What `ludwright session` says of a saved game cut after so many bytes: it is read up to there, or refused.
#[test]
fn a_saved_game_that_is_cut_is_read_up_to_there() {
    let folder = folder("cut");
    let saved = "// a game of tic_tac_toe\ngame: tic_tac_toe\n\na1\nb2\nc3\n";
    for length in 0..=saved.len() {
        fs::write(folder.join("saved.txt"), &saved[..length]).unwrap();
        let output =
            ludwright().args(["replay", "tic_tac_toe", "saved.txt", "--json"]).current_dir(&folder).output().unwrap();
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{length}: {told}");
        assert!(told["ok"] == json!(true) || told["failed_at"].is_number() || told["error"].is_object(), "{told}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
#[ignore = "takes as long as it is told to"]
fn who_is_killed_at_any_moment_leaves_the_old_file_or_the_new_one() {
    let (kills, mut chance) = (wish("KILLS", 500), wish("SEED", 1));
    // Each is killed at any moment of the time that it takes, the last of which is when it writes.
    let timed = |line: &'static str| {
        let (folder, new) = begin("kills", line);
        prepare(&folder, line);
        let began = Instant::now();
        ludwright().args(line.split(' ')).current_dir(&folder).output().unwrap();
        (line, (folder, new), u64::try_from(began.elapsed().as_micros()).unwrap() * 5 / 4)
    };
    let prepared: Vec<_> = WRITERS.iter().map(|line| timed(line)).collect();
    let (mut old_ones, mut new_ones, mut ended, began) = (0, 0, 0, Instant::now());
    for kill in 0..kills {
        let (line, (folder, new), most) = &prepared[usize::try_from(kill).unwrap() % prepared.len()];
        prepare(folder, line);
        let old = fs::read(folder.join(written(line))).unwrap();
        let mut command = ludwright();
        command.args(line.split(' ')).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros((chance >> 33) % most));
        child.kill().unwrap();
        ended += u64::from(child.wait().unwrap().success());
        let now = fs::read(folder.join(written(line))).unwrap();
        assert!(now == old || now == *new, "{line}: half a file");
        *(if now == old { &mut old_ones } else { &mut new_ones }) += 1;
    }
    println!("{kills} kills in {:.0?}: {old_ones} old files, {new_ones} new ones; {ended} had ended", began.elapsed());
    prepared.iter().for_each(|(_, (folder, _), _)| fs::remove_dir_all(folder).unwrap());
}

/// `KILLS=1000 cargo test --test program kills_of_the_server -- --ignored --nocapture`
#[test]
#[ignore = "takes as long as it is told to"]
fn kills_of_the_server_lose_no_move_that_was_answered() {
    let (kills, began) = (wish("KILLS", 20), Instant::now());
    let mut server = Server::start("kills", &["tic_tac_toe"]);
    let begin = json!({ "game": "tic_tac_toe", "seats": ["human", "human"] });
    let mut id = server.post("/api/sessions", &begin).json()["id"].as_str().unwrap().to_owned();
    let (mut chance, mut answered, mut all) = (wish("SEED", 1), Vec::new(), 0);
    for _ in 0..kills {
        let path = format!("/api/sessions/{id}");
        for _ in 0..3 {
            let free = |mv: &&str| !answered.contains(&(*mv).to_owned());
            let cells = ["a1", "b2", "c3", "a2", "b1", "c2", "b3", "a3", "c1"];
            let Some(mv) = cells.iter().find(|mv| free(mv)) else { break };
            let reply = server.post(&format!("{path}/moves"), &json!({ "move": mv }));
            if reply.status != 200 {
                break;
            }
            answered.push((*mv).to_owned());
            all += 1;
        }
        // One more is asked for, and the server killed while it may be writing it.
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let next = json!({ "ply": answered.len() });
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let body = next.to_string();
                let head = format!(
                    "POST {path}/goto HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                    server.address,
                    body.len()
                );
                // The server may be gone already.
                let sent = TcpStream::connect(&server.address).and_then(|mut to| to.write_all((head + &body).as_bytes()));
                drop(sent);
            });
            std::thread::sleep(Duration::from_micros((chance >> 33) % 8_000));
            server.kill();
        });
        server.restart(&["tic_tac_toe"]);
        let view = server.get(&path).json();
        assert_eq!(view["moves"], json!(answered), "{view}");
        if view["over"] == true {
            id = server.post("/api/sessions", &begin).json()["id"].as_str().unwrap().to_owned();
            answered.clear();
        }
    }
    println!("{kills} kills in {:.0?}: {all} answered moves, none lost", began.elapsed());
}
