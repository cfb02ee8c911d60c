//! `train` and the seat `learned`: a file is written, sits at seats of its own game, and is refused by all others.

use super::common::{folder, run_in, text_in};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn json(folder: &Path, line: &str) -> Value {
    serde_json::from_str(&text_in(folder, line)).unwrap()
}

fn refused(folder: &Path, line: &str, code: &str) -> String {
    let output = run_in(folder, line);
    assert_eq!(output.status.code(), Some(1), "{line}");
    let error = serde_json::from_slice::<Value>(&output.stdout).unwrap()["error"].clone();
    assert_eq!(error["code"], code, "{line}: {error}");
    assert!(error["help"].is_string(), "{error}");
    error["message"].as_str().unwrap().to_owned()
}

#[test]
fn what_was_trained_sits_at_a_seat() {
    let folder = folder("trained");
    let told = json(&folder, "train tic_tac_toe --games 300 --seed 4 --threads 1 --json");
    assert_eq!((&told["accepted"], &told["games"], &told["trained_games"]), (&false.into(), &0.into(), &300.into()));
    assert!(told["elo"].is_null() && told["rules_hash"].is_string() && told["seed"] == 4);
    text_in(&folder, "train tic_tac_toe --games 300 --seed 4 --threads 2 --output again.weights");
    let bytes = |name: &str| fs::read(folder.join(name)).unwrap();
    assert!(bytes("tic_tac_toe.weights") == bytes("again.weights"), "the threads change nothing");
    let arena = json(&folder, "arena tic_tac_toe --players learned:20,random -n 20 --json");
    assert!(arena["standings"][0]["points"].as_f64().unwrap() > 14.0, "{arena}");
    let asked = json(&folder, "suggest tic_tac_toe --moves a1,a2,b1,b2 --player learned:again.weights:50 --json");
    assert_eq!((&asked["player"], &asked["move"]), (&"learned:50".into(), &"c1".into()));
    text_in(&folder, "play tic_tac_toe --players learned:20,learned:20");
    let explained = text_in(&folder, "train tic_tac_toe --explain again.weights");
    assert!(explained.contains("For ") && explained.contains("mark of"), "{explained}");
    assert!(json(&folder, "train tic_tac_toe --explain again.weights --json")["features"].is_array());
}

#[test]
fn a_training_is_gone_on_with_and_no_file_is_overwritten_unasked() {
    let folder = folder("train_resumed");
    text_in(&folder, "train tic_tac_toe --games 64 --output half.weights");
    refused(&folder, "train tic_tac_toe --games 1 --output half.weights --json", "exists");
    assert_eq!(json(&folder, "train tic_tac_toe --resume half.weights --games 36 --json")["trained_games"], 100);
    text_in(&folder, "train tic_tac_toe --games 100 --output whole.weights");
    assert!(fs::read(folder.join("half.weights")).unwrap() == fs::read(folder.join("whole.weights")).unwrap());
    let told = json(&folder, "train tic_tac_toe --minutes 0.02 --output timed.weights --json");
    assert!(told["games"].as_u64().unwrap() > 0 && told["matches"].as_u64().unwrap() > 0, "{told}");
}

#[test]
fn what_is_needed_to_play_is_written_by_itself() {
    let folder = folder("light");
    text_in(&folder, "train tic_tac_toe --games 300 --seed 4 --output whole.weights");
    text_in(&folder, "train tic_tac_toe --light whole.weights --output tic_tac_toe.weights");
    let size = |name: &str| fs::metadata(folder.join(name)).unwrap().len();
    assert!(4 * size("tic_tac_toe.weights") < size("whole.weights"));
    refused(&folder, "train tic_tac_toe --light whole.weights --output tic_tac_toe.weights --json", "exists");
    let again = "train tic_tac_toe --light whole.weights --output tic_tac_toe.weights --force --json";
    assert_eq!(json(&folder, again)["trained_games"], 300);
    refused(&folder, "train tic_tac_toe --resume tic_tac_toe.weights --games 2 --json", "bad_weights");
    let arena = json(&folder, "arena tic_tac_toe --players learned:20,random -n 20 --json");
    assert!(arena["standings"][0]["points"].as_f64().unwrap() > 14.0, "{arena}");
    assert!(json(&folder, "train tic_tac_toe --explain tic_tac_toe.weights --json")["features"].is_array());
}

#[test]
fn weights_that_do_not_fit_are_refused_with_one_message() {
    let folder = folder("unfit");
    text_in(&folder, "train hex -o size=3 --games 20 --output hex.weights");
    let seat = "--players learned,random -n 2 --json";
    let other = refused(&folder, &format!("arena hex -o size=4 {seat}"), "bad_weights");
    assert!(other.contains("hex with size=3"), "{other}");
    // Nobody has trained this one, here or anywhere.
    refused(&folder, &format!("arena tic_tac_toe -o size=4 {seat}"), "no_weights");
    let mut bytes = fs::read(folder.join("hex.weights")).unwrap();
    fs::write(folder.join("a.weights"), &bytes).unwrap();
    let two = "tournament hex -o size=3 --players learned,learned:a.weights:2s -n 2 --json";
    refused(&folder, two, "bad_player");
    bytes.truncate(bytes.len() - 5);
    fs::write(folder.join("hex.weights"), &bytes).unwrap();
    let damaged = refused(&folder, &format!("arena hex -o size=3 {seat}"), "bad_weights");
    assert!(damaged.contains("is damaged"), "{damaged}");
    fs::write(folder.join("hex.weights"), "size 3").unwrap();
    refused(&folder, "train hex -o size=3 --resume hex.weights --json", "bad_weights");
    refused(&folder, "train hops_a_daisy -o player_count=3 --games 2 --json", "cannot_train");
}
