//! How long levels think about a move of each shipped game.

use super::common::{folder, ludwright, shipped, text_in};
use serde_json::Value;
use std::path::Path;

/// Plies at random before the move that is asked for.
const PLAYED: usize = 9;

/// The moves at the beginning of one random game.
fn moves(folder: &Path, game: &str) -> Vec<String> {
    let lines = text_in(folder, &format!("playout {game} -n 1 --seed 3 --output -"));
    let line: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    let all: Vec<String> =
        line["moves"].as_array().unwrap().iter().filter_map(Value::as_str).map(str::to_owned).collect();
    all[..PLAYED.min(all.len() / 2)].to_vec()
}

/// Seconds that a level has thought after the moves, or after fewer of them where chance decides; none where it always does.
fn seconds(folder: &Path, game: &str, level: &str, moves: &[String]) -> Option<f64> {
    (0..=moves.len()).rev().find_map(|count| {
        let mut command = ludwright();
        let moves = moves[..count].join(", ");
        command.current_dir(folder).args(["suggest", game, "--player", level, "--moves", &moves, "--json"]);
        let told: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        assert!(told["error"].is_null() || told["error"]["code"] == "chance", "{game}: {told}");
        told["seconds"].as_f64()
    })
}

/// Prints a table for docs/opponents.md: the first move of a process, for which the game is looked at as well.
#[test]
#[ignore = "takes minutes, and goes by the clock: GAME=shogi for one game"]
fn how_long_levels_think() {
    let folder = folder("thinking");
    let wanted = std::env::var("GAME").ok();
    println!("| game | `easy` | `medium` | `hard` |\n|---|---|---|---|");
    for game in shipped().iter().filter(|game| wanted.as_ref().is_none_or(|wanted| wanted == *game)) {
        let moves = moves(&folder, game);
        let time = |level| seconds(&folder, game, level, &moves);
        let times = ["easy", "medium", "hard"].map(|level| time(level).map_or("-".to_owned(), |s| format!("{s:.2}")));
        println!("| {game} | {} |", times.join(" | "));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
