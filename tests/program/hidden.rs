//! What commands show a seat of a game that hides something, and which of them refuse such games.

use super::common;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;

const GAME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/phantom_tic_tac_toe.game");

/// What a command prints on both streams, and its status.
fn run(args: &[&str], input: &str) -> (String, String, Option<i32>) {
    let mut command = common::ludwright();
    let command = command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Who refuses the arguments reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

#[test]
fn moves_and_pictures_of_a_seat_tell_what_it_sees() {
    let (seen, _, _) = run(&["moves", GAME, "--moves", "a1, a1, b2", "--seat", "cross"], "");
    for part in ["1 M ? ?", "Played, as cross reads it: a1, ?, ?", "8 legal moves"] {
        assert!(seen.contains(part), "{seen}");
    }
    let (seen, _, _) = run(&["moves", GAME, "--moves", "a1, a1, b2", "--seat", "Nought", "--json"], "");
    let seen: Value = serde_json::from_str(&seen).unwrap();
    assert_eq!((&seen["moves"], &seen["told"]), (&json!([]), &json!(["?", "a1", "b2"])));
    let (picture, _, _) = run(&["render", GAME, "--moves", "a1, b2", "--seat", "Cross", "--caption"], "");
    assert!(
        picture.contains("b2 not seen") && !picture.contains("mark:Nought") && !picture.contains("b2 mark"),
        "{picture}"
    );
    let (_, error, status) = run(&["moves", GAME, "--seat", "Crosses"], "");
    assert!(error.contains("there is no player `Crosses`") && error.contains("did you mean `Cross`?"), "{error}");
    assert_eq!(status, Some(1));
}

#[test]
fn a_session_tells_each_seat_its_own() {
    let requests = [
        json!({ "cmd": "load", "game": GAME }),
        json!({ "cmd": "play", "move": "a1" }),
        json!({ "cmd": "state", "seat": "Nought" }),
        json!({ "cmd": "moves", "seat": "Cross" }),
        json!({ "cmd": "moves", "seat": "Nought" }),
        json!({ "cmd": "moves", "seat": "Nought", "successors": true }),
        json!({ "cmd": "state", "seat": "Circle" }),
    ];
    let input: Vec<String> = requests.iter().map(ToString::to_string).collect();
    let (output, _, _) = run(&["session"], &input.join("\n"));
    let replies: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&replies[2]["sites"], &replies[2]["told"]), (&json!({}), &json!(["?"])));
    assert_eq!(replies[3]["moves"], json!([]));
    assert_eq!(replies[4]["moves"].as_array().map(Vec::len), Some(9));
    assert_eq!(
        (&replies[5]["error"]["code"], &replies[6]["error"]["code"]),
        (&json!("bad_request"), &json!("bad_request"))
    );
}

#[test]
fn people_at_one_terminal_see_their_own_boards() {
    let input = "a1\na1\nundo\nwhy b2\nb2\n";
    let (shown, _, _) = run(&["play", GAME, "--players", "human,human", "--seed", "1"], input);
    // What Nought is shown once Cross has marked a1, and then has met it there.
    let parts: Vec<&str> = shown.split("to move").collect();
    assert!(parts[1].contains("1. Cross: a1") && parts[2].contains("1. Cross: ?"), "{shown}");
    assert!(parts[2].contains("1 ? ? ?") && parts[3].contains("1 M ? ?"), "{shown}");
    assert!(shown.contains("Nothing is taken back in a game that hides something."), "{shown}");
    assert!(shown.contains("Why is told when the game is over"), "{shown}");
    let (shown, _, _) = run(&["play", GAME, "--players", "human,random", "--seed", "1"], "a1\n");
    assert!(shown.contains("Nought: ?") && !shown.contains("2. Nought: b"), "{shown}");
}

#[test]
fn what_would_show_everything_is_refused() {
    for (args, says) in [
        (&["solve", GAME][..], "nobody sees everything"),
        (&["engine", GAME, "--ugi"][..], "the protocols tell programs everything"),
        (&["play", GAME, "--players", "human,ugi:cat"][..], "would be told everything"),
    ] {
        let (_, error, status) = run(args, "");
        assert!(error.contains(says) && status == Some(1), "{args:?} {status:?} {error}");
    }
}
