//! A ply that takes more steps than it may: whatever plays the game ends there, says at which clause, and keeps what the games
//! before it came to.

use super::common::{folder, run_in};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Half of the games are over after a ply; what follows the second ply of the others takes more steps than are allowed here.
const HEAVY: &str = r#"game "Heavy"
players A, B
board square(6)
piece stone of each player
track left : 0..1 = 0
move leave "leave" { if ply = 0; left becomes 1 }
move stay "stay" { if ply = 0; a1 becomes stone of mover }
move rest "rest" { if ply = 1 }
move put "{cell}" { cell : empty; cell becomes stone of mover }
turn 1 { leave or stay }
turn 2 { rest }
turn {
  put, put, put, put, put, put, put, put
  must most count corner
}
end {
  draw when left = 1 "left"
  next loses when stuck
  mover loses when unfinished
}
"#;

const STEPS: &str = "--steps 100000";

/// What a command prints that fails, and what it says beside.
fn failed(folder: &Path, line: &str) -> (String, String) {
    let told = run_in(folder, &format!("{line} {STEPS}"));
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    assert_eq!(told.status.code(), Some(1), "{line}: {} {}", text(told.stdout), text(told.stderr));
    (text(told.stdout), text(told.stderr))
}

#[test]
fn every_command_that_plays_games_ends_at_a_ply_that_is_given_up_and_says_where() {
    let folder = folder("given_up");
    fs::write(folder.join("heavy.game"), HEAVY).unwrap();
    for line in [
        "playout heavy.game -n 40 --seed 3",
        "playout heavy.game -n 40 --seed 3 --draw listed",
        "playout heavy.game -n 40 --seed 3 --shard 1/1 --output part.jsonl --force",
        "arena heavy.game --players random,random -n 40 --seed 3",
        "arena heavy.game --players random,random -n 40 --seed 3 --opening 1",
        "arena heavy.game --players random,random -n 40 --shard 1/1 --output part.jsonl --force",
        "tournament heavy.game --players random,greedy -n 40 --seed 3",
        "tournament heavy.game --players random,greedy -n 40 --shard 1/1 --output part.jsonl --force",
        "measure heavy.game --games 4",
        "measure heavy.game --games 4 --resume run.jsonl",
    ] {
        let (_, said) = failed(&folder, line);
        let last = said.lines().rev().take(2).collect::<Vec<_>>().join(" | ");
        assert!(said.contains("error: this ply was given up: it takes more than 100000 steps"), "{line}: {said}");
        assert!(said.contains("; the last of them at heavy.game:"), "{line}: {said}");
        assert!(last.contains("help: `--steps N` allows more"), "{line}: {said}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_was_played_before_it_is_told_and_kept() {
    let folder = folder("given_up_kept");
    fs::write(folder.join("heavy.game"), HEAVY).unwrap();
    let games = |name: &str| fs::read_to_string(folder.join(name)).unwrap().lines().count();
    for (command, counted) in [
        ("playout heavy.game -n 40", "games"),
        ("arena heavy.game --players random,random -n 40", "games"),
        ("tournament heavy.game --players random,greedy -n 40 --openings 0", "games"),
    ] {
        let most = (0..20).map(|seed| {
            let line = format!("{command} --seed {seed} --output games.jsonl --force");
            let (told, said) = failed(&folder, &format!("{line} --json"));
            let told: Value = serde_json::from_str(&told).unwrap_or_else(|error| panic!("{line}: {error}: {told}"));
            assert_eq!(
                (&told["error"]["code"], &told["interrupted"]),
                (&json!("too_many_steps"), &json!(true)),
                "{told}"
            );
            let played = usize::try_from(told[counted].as_u64().unwrap()).unwrap();
            assert_eq!(games("games.jsonl"), played, "{line}");
            assert!(said.starts_with(&format!("stopped after {played} of 40 games")), "{said}");
            let again = failed(&folder, &format!("{line} --threads 1 --json")).0;
            assert_eq!(serde_json::from_str::<Value>(&again).unwrap()[counted], told[counted], "{line}");
            played
        });
        assert!(most.max() > Some(1), "{command}: no game came before it");
    }
    fs::remove_dir_all(&folder).unwrap();
}
