//! `tournament` and `suggest`: tables that come out the same however often they are interrupted, and a move that is asked for.

use super::common::{folder, ludwright, run_in, text_in};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Stdio;

fn refused(folder: &Path, line: &str) -> Value {
    let output = run_in(folder, line);
    assert_eq!(output.status.code(), Some(1), "{line}");
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["error"].clone()
}

const TOURNAMENT: &str = "tournament tic_tac_toe --players easy,greedy,random -n 6 --openings 1 --seed 5";

#[test]
fn a_tournament_that_is_gone_on_with_has_the_same_table_and_the_same_file() {
    let folder = folder("resumed");
    let table = text_in(&folder, &format!("{TOURNAMENT} --output whole.jsonl --threads 2"));
    let whole = fs::read_to_string(folder.join("whole.jsonl")).unwrap();
    assert_eq!(whole.lines().count(), 18);
    let ends: Vec<usize> = whole.match_indices('\n').map(|(at, _)| at + 1).collect();
    // Nothing, whole games, an odd number of them, half a line, and everything.
    for cut in [0, ends[3], ends[6], ends[8] + 40, whole.len()] {
        fs::write(folder.join("cut.jsonl"), &whole[..cut]).unwrap();
        assert_eq!(text_in(&folder, &format!("{TOURNAMENT} --output cut.jsonl --threads 1")), table, "{cut}");
        assert_eq!(fs::read_to_string(folder.join("cut.jsonl")).unwrap(), whole, "{cut}");
    }
    fs::write(folder.join("cut.jsonl"), &whole[..ends[2]]).unwrap();
    assert_eq!(text_in(&folder, &format!("{TOURNAMENT} --resume cut.jsonl")), table);
    assert_eq!(text_in(&folder, TOURNAMENT), table, "with no file at all");
    let replayed = text_in(&folder, "replay tic_tac_toe whole.jsonl");
    assert!(replayed.contains("18 games"), "{replayed}");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn games_of_another_tournament_are_not_gone_on_with() {
    let folder = folder("other");
    text_in(&folder, &format!("{TOURNAMENT} --output t.jsonl"));
    let before = fs::read(folder.join("t.jsonl")).unwrap();
    for (line, why) in [
        (TOURNAMENT.replace("--seed 5", "--seed 6"), "the seed is another"),
        (TOURNAMENT.replace("easy,greedy", "greedy,easy"), "the players are others"),
        (TOURNAMENT.replace("--openings 1", "--openings 2"), "it has another opening"),
        (TOURNAMENT.replace("tic_tac_toe", "wild_tic_tac_toe"), "the rules or options are others"),
        (TOURNAMENT.replace("-n 6", "-n 2"), "more games than are to be played"),
    ] {
        let error = refused(&folder, &format!("{line} --output t.jsonl --json"));
        assert_eq!(error["code"], "other_tournament", "{line}");
        assert!(error["message"].as_str().unwrap().contains(why), "{line}: {error}");
        assert_eq!(fs::read(folder.join("t.jsonl")).unwrap(), before, "{line}");
    }
    assert_eq!(refused(&folder, &format!("{TOURNAMENT} --resume none.jsonl --json"))["code"], "no_file");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_makes_no_tournament_is_said() {
    let folder = folder("none");
    for (line, code) in [
        ("tournament tic_tac_toe --players random --json", "bad_player"),
        ("tournament tic_tac_toe --players random,random --json", "bad_player"),
        ("tournament tic_tac_toe --players random,human --json", "bad_player"),
        ("tournament tic_tac_toe --players random,easy -n 3 --json", "bad_number"),
        ("tournament tic_tac_toe --players random,easy,medium --sprt 0,5 --json", "bad_player"),
        ("tournament iqishiqi -o player_count=3 --players random,easy --json", "bad_player"),
    ] {
        assert_eq!(refused(&folder, line)["code"], code, "{line}");
    }
    assert_eq!(run_in(&folder, "tournament hex --players random,easy --sprt 5,0").status.code(), Some(2));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_table_is_json_and_a_page_as_well() {
    let folder = folder("table");
    let line = "tournament tic_tac_toe --players mcts:60,greedy,random -n 10 --gauntlet --html t.html --json";
    let told: Value = serde_json::from_str(&text_in(&folder, line)).unwrap();
    assert_eq!(told["command"], "tournament");
    let table = told["table"].as_array().unwrap();
    assert_eq!((table.len(), &table[0]["player"], &table[0]["games"]), (3, &"mcts:60".into(), &20.into()));
    for row in table {
        for name in ["player", "elo", "low", "high", "points", "games"] {
            assert!(row.get(name).is_some(), "{row}");
        }
    }
    let pairs = told["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 2, "only the first meets others");
    for meeting in pairs {
        let counts = meeting["pentanomial"].as_array().unwrap();
        assert_eq!(counts.iter().map(|count| count.as_u64().unwrap()).sum::<u64>(), 5, "{meeting}");
        assert_eq!(meeting["players"][0], "mcts:60");
    }
    let page = fs::read_to_string(folder.join("t.html")).unwrap();
    assert!(page.contains("<td>mcts:60</td>") && page.ends_with("</html>\n"), "{page}");
    assert!(!page.contains("http") && !page.contains("src=") && !page.contains("<script"), "it needs nothing else");
    assert_eq!(run_in(&folder, line).status.code(), Some(1), "a page is not overwritten unasked");
    fs::remove_dir_all(&folder).unwrap();
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_every_game_and_says_how_to_go_on() {
    let folder = folder("interrupted");
    let line = "tournament hex -o size=5 --players mcts:60,mcts:40 -n 2000 --threads 1 --output t.jsonl";
    let mut command = ludwright();
    command.args(line.split(' ')).current_dir(&folder).stdin(Stdio::null()).stdout(Stdio::piped());
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    let games = || fs::read_to_string(folder.join("t.jsonl")).unwrap_or_default();
    while games().lines().count() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let interrupt = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("the same command again goes on"), "{said}");
    let kept = games();
    assert!(kept.ends_with('\n') && kept.lines().count() < 2000);
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains(&format!("{} games", kept.lines().count())), "{told}");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_suggestion_has_a_move_a_value_and_a_line() {
    let folder = folder("suggested");
    let line = "suggest tic_tac_toe --player mcts:500 --json --moves";
    let told = |moves: &str| {
        let output = ludwright().args(line.split(' ')).arg(moves).stdin(Stdio::null()).output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let won = told("a1, b1, a2, b2");
    assert_eq!((&won["move"], &won["value"], &won["proven"]), (&"a3".into(), &1.0.into(), &true.into()), "{won}");
    assert_eq!(won["line"], serde_json::json!(["a3"]));
    let open = told("");
    assert_eq!(open["line"][0], open["move"]);
    assert!(open["rounds"].as_u64().unwrap() > 0 && open["seconds"].is_f64() && open["rules_hash"].is_string());
    assert_eq!(told("a1, b1, a2, b2, a3")["error"]["code"], "game_over");
    assert_eq!(told("a1, a1")["error"]["code"], "illegal_move");
    assert_eq!(refused(&folder, "suggest hex --player human --json")["code"], "bad_player");
    assert_eq!(refused(&folder, "suggest snakes_and_ladders --json")["code"], "chance");
    let said = text_in(&folder, "suggest tic_tac_toe --moves a1,b1,a2,b2 --player mcts:500");
    assert!(said.starts_with("X: a3 (wins for certain)\n"), "{said}");
    fs::remove_dir_all(&folder).unwrap();
}
