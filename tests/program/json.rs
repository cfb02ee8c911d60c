//! What `--json` prints: one object, which says first what it is about, also where there is no answer.

use super::common::{fresh, ludwright};
use serde_json::{Value, json};
use std::process::{Output, Stdio};

fn run(args: &[&str]) -> Output {
    ludwright().args(args).stdin(Stdio::null()).output().unwrap()
}

fn object(args: &[&str], status: i32) -> Value {
    let output = run(args);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(status), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text.lines().count(), 1, "{args:?}: {text}");
    serde_json::from_str(&text).unwrap()
}

/// What is typed behind a command, whether it is about one game, and whether chance plays a part.
const COMMANDS: &[(&str, &str, bool, bool)] = &[
    ("arena", "tic_tac_toe --players random,random -n 2", true, true),
    ("bench", "tic_tac_toe --seconds 0.05", true, true),
    ("compare", "tic_tac_toe tic_tac_toe --games 3 --player random --b-ruleset misere", true, true),
    ("list", "", false, false),
    ("measure", "tic_tac_toe --games 2", true, true),
    ("merge", "", true, true),
    ("moves", "tic_tac_toe -o size=4", true, false),
    ("perft", "tic_tac_toe --depth 2", true, false),
    ("playout", "tic_tac_toe -n 3 --seed 7", true, true),
    ("replay", "tic_tac_toe", true, false),
    ("report", "tic_tac_toe --games 2 --force --output", true, true),
    ("run-job", "", true, true),
    ("show", "tic_tac_toe", true, false),
    ("solve", "tic_tac_toe", true, false),
    ("suggest", "tic_tac_toe --player mcts:50", true, true),
    ("sweep", "tic_tac_toe -o size=3..4 --games 3 --player random", true, true),
    ("test", "tic_tac_toe", false, false),
    ("tournament", "tic_tac_toe --players random,greedy -n 2", true, true),
    ("train", "tic_tac_toe --games 2", true, true),
    ("tune", "hex --option size=3..5 --for plies=15 --player random --games 20", true, true),
    ("why", "tic_tac_toe --move a1", true, false),
];

fn typed<'a>(command: &'a str, rest: &'a str) -> Vec<&'a str> {
    std::iter::once(command).chain(rest.split_whitespace()).chain(["--json"]).collect()
}

/// A file with the only part of a run.
fn part() -> String {
    let folder = fresh("json_part");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("all.part").to_str().unwrap().to_owned();
    assert!(run(&["playout", "tic_tac_toe", "-n", "3", "--shard", "1/1", "--output", &file]).status.success());
    file
}

/// A job, and where its only part goes.
fn job() -> String {
    let folder = fresh("json_job");
    std::fs::create_dir_all(&folder).unwrap();
    let [job, part] = ["job.json", "all.part"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    assert!(run(&["playout", "tic_tac_toe", "-n", "3", "--job", &job]).status.success());
    format!("{job} --output {part}")
}

/// The name of a file that is not there yet.
fn weights() -> String {
    let folder = fresh("json_weights");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join("new.weights").to_str().unwrap().to_owned()
}

#[test]
fn every_answer_says_what_it_is_about() {
    for (command, rest, game, chance) in COMMANDS {
        let rest = match *command {
            "merge" => part(),
            "run-job" => job(),
            "report" => format!("{rest} {}", fresh("json_report").to_str().unwrap()),
            "train" => format!("{rest} --output {}", weights()),
            _ => (*rest).to_owned(),
        };
        let answer = object(&typed(command, &rest), 0);
        assert_eq!(answer["ludwright"], json!(env!("CARGO_PKG_VERSION")), "{command}");
        // What is merged is the answer of one run.
        assert_eq!(answer["command"], json!(if *command == "merge" { "playout" } else { command }));
        for field in ["game", "options", "rules_hash"] {
            assert_eq!(answer[field].is_null(), !game, "{command}: {field}");
        }
        assert_eq!(answer.get("ruleset").is_some(), *game, "{command}: ruleset");
        assert_eq!(answer["seed"].is_u64(), *chance, "{command}: seed");
    }
    assert_eq!(object(&["check", "tic_tac_toe", "--format", "json"], 0)["command"], json!("check"));
    assert_eq!(object(&typed("moves", "hex -o size=5"), 0)["options"]["size"], json!(5));
}

#[test]
fn every_command_that_answers_in_json_is_asked_above() {
    let help = String::from_utf8(run(&["--help"]).stdout).unwrap();
    let listed = help.lines().skip_while(|line| !line.starts_with("Usage:")).take_while(|line| *line != "Options:");
    let lines = listed.filter(|line| line.starts_with("  "));
    for name in lines.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        let page = String::from_utf8(run(&[name, "--help"]).stdout).unwrap();
        let offers = page.lines().any(|line| line.trim().starts_with("--json"));
        assert_eq!(offers, COMMANDS.iter().any(|(command, ..)| *command == name), "{name}");
    }
}

#[test]
fn what_goes_wrong_is_told_in_json_too_with_the_same_status() {
    let folder = fresh("json_errors");
    std::fs::create_dir_all(&folder).unwrap();
    let broken = folder.join("broken.game");
    std::fs::write(&broken, "game \"Broken\"\nplayers A, B\nboard sqare(3)\n").unwrap();
    let broken = broken.to_str().unwrap();
    let cases: &[(&[&str], i32, &str, &str)] = &[
        (&["moves", "hexx", "--json"], 1, "unknown_game", "hexx"),
        (&["moves", "hex", "-o", "size=999", "--json"], 1, "bad_option", "size"),
        (&["moves", "hex", "--moves", "z99", "--json"], 1, "illegal_move", "move 1"),
        (&["solve", "hex", "--moves", "z99", "--json"], 1, "illegal_move", "move 1"),
        (&["arena", "hex", "--players", "easy", "--json"], 1, "bad_player", "2 seats"),
        (&["arena", "hex", "--players", "easy,strong", "--json"], 1, "bad_player", "strong"),
        (&["show", "no/such.game", "--json"], 1, "not_readable", "no/such.game"),
        (&["show", broken, "--json"], 1, "bad_rules", "error"),
        (&["perft", "hex", "--json"], 2, "usage", "--depth"),
        (&["moves", "hex", "--json", "--frobnicate"], 2, "usage", "--frobnicate"),
    ];
    for (args, status, code, says) in cases {
        let answer = object(args, *status);
        let error = &answer["error"];
        assert_eq!(error["code"], json!(code), "{args:?}: {answer}");
        assert!(error["message"].as_str().unwrap().contains(says), "{args:?}: {answer}");
        assert!(error.get("help").is_some() && answer["ludwright"].is_string(), "{args:?}: {answer}");
        assert_eq!(answer["command"], json!(args[0]));
        // People still read it where they look for it.
        assert!(!run(args).stderr.is_empty(), "{args:?}");
    }
    let rules = object(&["show", broken, "--json"], 1);
    assert!(rules["error"]["diagnostics"][0]["start"]["line"].is_u64(), "{rules}");
    // An answer that says itself what failed is the only one.
    let record = folder.join("record.txt");
    std::fs::write(&record, "a1, a1").unwrap();
    assert_eq!(object(&["replay", "tic_tac_toe", record.to_str().unwrap(), "--json"], 1)["failed_at"], json!(2));
}
