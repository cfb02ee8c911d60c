//! Games as data: files of games, their schema, reading them again, and runs in parts.

use super::common::{folder, ludwright, run_in, text_in};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Stdio;

fn answer(folder: &Path, line: &str) -> Value {
    serde_json::from_str(&text_in(folder, line)).unwrap_or(Value::Null)
}

/// A command line fails with a code, and says something.
fn refused(folder: &Path, line: &str, code: &str, says: &str) {
    let told = run_in(folder, line);
    assert_eq!(told.status.code(), Some(1), "{line}");
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(told["error"]["code"], json!(code), "{told}");
    assert!(told["error"]["message"].as_str().unwrap().contains(says), "{told}");
}

/// The schema of a line that the page shows.
pub fn schema() -> Value {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/data.md")).unwrap();
    serde_json::from_str(page.split("```json-schema\n").nth(1).unwrap().split("```").next().unwrap()).unwrap()
}

/// As much of JSON schemas as the page needs.
pub fn fits(value: &Value, schema: &Value, at: &str) {
    let types = &schema["type"];
    let is = |name: &Value| match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{other}"),
    };
    assert!(types.as_array().map_or_else(|| is(types), |types| types.iter().any(is)), "{at}: {value} is no {types}");
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(name.as_str().unwrap()).is_some(), "{at}: no {name}");
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        match (&schema["properties"][name], &schema["additionalProperties"]) {
            (Value::Null, Value::Object(_)) => fits(inner, &schema["additionalProperties"], name),
            (Value::Null, _) => panic!("{at}: the schema knows no {name}"),
            (known, _) => fits(inner, known, name),
        }
    }
    value.as_array().into_iter().flatten().for_each(|inner| fits(inner, &schema["items"], at));
}

#[test]
fn lines_of_games_are_as_the_schema_says_and_can_be_replayed() {
    let (folder, schema) = (folder("data"), schema());
    for (line, games) in [
        ("playout hex -o size=4 -n 40 --seed 3", 40),
        ("playout pushpin -o side=3 -n 20 --max-plies 9", 20),
        ("playout chess -n 2 --max-plies 60", 2),
        ("arena iqishiqi -o player_count=3 -o side=3 --players random,easy,random -n 3", 3),
    ] {
        let sums = answer(&folder, &format!("{line} --threads 2 --output games.jsonl --force --json"));
        let text = fs::read_to_string(folder.join("games.jsonl")).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), games, "{line}");
        for (index, line) in lines.iter().enumerate() {
            fits(line, &schema, "line");
            assert_eq!((&line["index"], &line["rules_hash"]), (&json!(index), &sums["rules_hash"]));
        }
        let plies: u64 = lines.iter().map(|line| line["plies"].as_u64().unwrap()).sum();
        assert_eq!(sums["plies"], json!(plies), "{line}");
        let game = line.split_whitespace().nth(1).unwrap();
        let replayed = answer(&folder, &format!("replay {game} games.jsonl --json"));
        assert_eq!((&replayed["games"], &replayed["plies"]), (&json!(games), &json!(plies)), "{line}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_file_of_games_is_the_same_whatever_the_threads_and_is_not_overwritten() {
    let folder = folder("data_threads");
    for threads in [1, 3] {
        answer(&folder, &format!("playout hex -o size=4 -n 100 --threads {threads} --output {threads}.jsonl"));
    }
    let text = fs::read(folder.join("1.jsonl")).unwrap();
    assert_eq!(text, fs::read(folder.join("3.jsonl")).unwrap());
    let refused = run_in(&folder, "playout hex -n 1 --output 1.jsonl");
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--force"));
    assert_eq!(text, fs::read(folder.join("1.jsonl")).unwrap());
    let piped = run_in(&folder, "playout hex -o size=4 -n 100 --output -");
    assert_eq!(text, piped.stdout);
    assert_eq!(run_in(&folder, "playout hex -n 1 --output - --json").status.code(), Some(1));
    assert_eq!(run_in(&folder, "playout hex -n 1 --output no/such/folder/x.jsonl").status.code(), Some(1));
    let mut left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["1.jsonl", "3.jsonl"]);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_file_that_is_cut_is_read_up_to_there_and_wrong_games_are_found() {
    let folder = folder("data_cut");
    answer(&folder, "playout hex -o size=4 -n 10 --output games.jsonl");
    let text = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    fs::write(folder.join("cut.jsonl"), &text[..text.len() - 20]).unwrap();
    let cut = run_in(&folder, "replay hex cut.jsonl --json");
    assert!(String::from_utf8_lossy(&cut.stderr).contains("cut in line 10"));
    let told: Value = serde_json::from_slice(&cut.stdout).unwrap();
    assert_eq!((&told["games"], &told["cut"], &told["ok"]), (&json!(9), &json!(true), &json!(true)));
    let (winner, other) =
        if text.lines().nth(3).unwrap().contains("{\"winner\":\"Red\"}") { ("Red", "Blue") } else { ("Blue", "Red") };
    let line = text.lines().nth(3).unwrap();
    let wrong = line.replace(&format!("{{\"winner\":\"{winner}\"}}"), &format!("{{\"winner\":\"{other}\"}}"));
    fs::write(folder.join("wrong.jsonl"), text.replace(line, &wrong)).unwrap();
    let told = run_in(&folder, "replay hex wrong.jsonl --json");
    assert_eq!(told.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!((&told["line"], &told["ok"]), (&json!(4), &json!(false)), "{told}");
    fs::write(folder.join("bad.jsonl"), text.replacen("\"moves\":", "\"moved\":", 1)).unwrap();
    let told = run_in(&folder, "replay hex bad.jsonl --json");
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(told["error"]["code"], json!("bad_games"));
    assert!(told["error"]["message"].as_str().unwrap().contains("line 1"), "{told}");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn parts_of_a_run_are_merged_to_what_one_run_says() {
    let folder = folder("data_merge");
    let command = "playout hex -o size=5 -n 5000 --seed 9";
    for share in 1..=7 {
        let told = run_in(&folder, &format!("{command} --shard {share}/7 --output {share}.part"));
        assert!(told.status.success() && told.stdout.is_empty(), "{}", String::from_utf8_lossy(&told.stderr));
    }
    answer(&folder, &format!("{command} --shard 1/1 --output all.part"));
    let merged = run_in(&folder, "merge 5.part 1.part 7.part 2.part 4.part 2.part 3.part 6.part --json").stdout;
    assert_eq!(merged, run_in(&folder, "merge all.part --json").stdout);
    assert_eq!(merged, run_in(&folder, "merge all.part 3.part --json").stdout);
    // The same text as one run prints, without the times.
    let whole = String::from_utf8(run_in(&folder, &format!("{command} --json")).stdout).unwrap();
    let from = whole.find(",\"seconds\":").unwrap();
    assert_eq!(String::from_utf8(merged).unwrap(), format!("{}}}\n", &whole[..from]));

    let refused = |line: &str, code: &str, says: &str| refused(&folder, line, code, says);
    refused("merge 1.part 3.part --json", "incomplete", "none of the files");
    // Somebody else's sums.
    let text = fs::read_to_string(folder.join("1.part")).unwrap();
    let line = text.lines().nth(2).unwrap();
    let block: Value = serde_json::from_str(line).unwrap();
    let mut other = block.clone();
    other["block"]["sums"]["random"]["draws"] = json!(1);
    fs::write(folder.join("other.part"), text.replace(line, &other.to_string())).unwrap();
    refused("merge all.part other.part --json", "blocks_differ", "block 1 (games 5 to 9)");
    answer(&folder, "playout hex -o size=5 -n 5000 --seed 8 --shard 1/7 --output seed.part");
    refused("merge 2.part seed.part --json", "other_job", "`seed`");
    fs::write(folder.join("cut.part"), &text[..text.len() - 9]).unwrap();
    let told = run_in(&folder, "merge cut.part 2.part --json");
    assert!(String::from_utf8_lossy(&told.stderr).contains("`cut.part` is cut"));
    fs::write(folder.join("no.part"), "a1, a2\n").unwrap();
    refused("merge no.part --json", "bad_shard", "line 1");
    assert_eq!(run_in(&folder, "playout hex -n 9 --shard 3/2 --output x.part").status.code(), Some(2));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn positions_are_written_with_what_was_thought_about_them() {
    let folder = folder("data_positions");
    let line = "arena tic_tac_toe --players mcts:50,random -n 6 --opening 1 --seed 4 --output g.jsonl --positions p.jsonl --json";
    let told = answer(&folder, line);
    let read = |name: &str| -> Vec<Value> {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let (games, positions) = (read("g.jsonl"), read("p.jsonl"));
    // One for each ply, in the order of the games, and each chose what was played.
    assert_eq!(told["plies"], json!(positions.len()));
    let chosen: Vec<&Value> = positions.iter().map(|position| &position["chosen"]).collect();
    let played: Vec<&Value> = games.iter().flat_map(|game| game["moves"].as_array().unwrap()).collect();
    assert_eq!(chosen, played);
    for position in &positions {
        let (moves, state) = (position["moves"].as_array().unwrap(), &position["state"]);
        assert!(moves.contains(&position["chosen"]), "{position}");
        assert_eq!(moves.len() as u64, 9 - state["ply"].as_u64().unwrap(), "{position}");
        let game = &games[position["index"].as_u64().unwrap() as usize];
        assert_eq!(position["player"], game["players"][position["seat"].as_u64().unwrap() as usize]);
        let thought = position["player"] == json!("mcts:50") && state["ply"] != json!(0) && moves.len() > 1;
        assert_eq!(position["value"].is_f64(), thought, "{position}");
        assert_eq!(position["candidates"].as_array().unwrap().is_empty(), !thought, "{position}");
        assert_eq!(position["rules_hash"], told["rules_hash"]);
    }
    let again = run_in(&folder, "arena tic_tac_toe --players random,random -n 1 --positions p.jsonl");
    assert_eq!(again.status.code(), Some(1));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn parts_of_a_job_are_merged_to_what_one_run_says() {
    let folder = folder("data_job");
    for (name, command, parts) in [
        ("playout", "playout hex -o size=4 -n 3000 --seed 5", [0, 1, 700, 701, 1500, 2222, 2999, 3000]),
        (
            "arena",
            "arena iqishiqi -o player_count=3 -o side=3 --players mcts:8,random,greedy -n 25 --seed 5",
            [0, 1, 2, 5, 9, 15, 20, 25],
        ),
        (
            "opened",
            "arena tic_tac_toe --players mcts:8,random -n 40 --opening 2 --max-plies 7",
            [0, 3, 6, 9, 20, 30, 39, 40],
        ),
        ("tournament", "tournament tic_tac_toe --players mcts:8,greedy,random -n 10", [0, 1, 4, 6, 15, 20, 29, 30]),
        (
            "gauntlet",
            "tournament tic_tac_toe --players mcts:8,greedy,random -n 8 --gauntlet --openings 0",
            [0, 2, 3, 5, 8, 11, 13, 16],
        ),
        ("measure", "measure tic_tac_toe --games 12 --seed 3", [0, 300, 1000, 1005, 1020, 1090, 1150, 9999]),
    ] {
        let told = run_in(&folder, &format!("{command} --job {name}.json"));
        assert!(told.status.success() && told.stdout.is_empty(), "{}", String::from_utf8_lossy(&told.stderr));
        for (part, range) in parts.windows(2).enumerate() {
            let (from, to) = (range[0], range[1]);
            answer(&folder, &format!("run-job {name}.json --from {from} --to {to} --output {name}{part}.jsonl"));
        }
        // One of them again, another number of threads, all in one.
        answer(&folder, &format!("run-job {name}.json --shard 3/7 --threads 1 --output {name}again.jsonl"));
        answer(&folder, &format!("run-job {name}.json --output {name}all.jsonl"));
        let files: Vec<String> = ["3", "0", "6", "1", "again", "5", "2", "4", "3"]
            .iter()
            .map(|part| format!("{name}{part}.jsonl"))
            .collect();
        let merged = run_in(&folder, &format!("merge {} --json", files.join(" ")));
        assert!(merged.status.success(), "{name}: {}", String::from_utf8_lossy(&merged.stderr));
        assert_eq!(merged.stdout, run_in(&folder, &format!("merge {name}all.jsonl --json")).stdout, "{name}");
        let whole = String::from_utf8(run_in(&folder, &format!("{command} --json")).stdout).unwrap();
        let whole = whole.split(",\"seconds\":").next().unwrap().trim_end().trim_end_matches('}').to_owned();
        assert_eq!(String::from_utf8(merged.stdout).unwrap().trim_end().trim_end_matches('}'), whole, "{name}");
    }
    // For people too, in the words of the command itself; the parts of a command are those of its job.
    for (part, command) in [
        ("arenaall", "arena iqishiqi -o player_count=3 -o side=3 --players mcts:8,random,greedy -n 25 --seed 5"),
        ("tournamentall", "tournament tic_tac_toe --players mcts:8,greedy,random -n 10"),
        ("measureall", "measure tic_tac_toe --games 12 --seed 3"),
    ] {
        let told = run_in(&folder, &format!("merge {part}.jsonl")).stdout;
        assert_eq!(String::from_utf8_lossy(&told), String::from_utf8_lossy(&run_in(&folder, command).stdout), "{part}");
        for share in 1..=2 {
            answer(&folder, &format!("{command} --shard {share}/2 --output {part}{share}.jsonl"));
        }
        assert_eq!(run_in(&folder, &format!("merge {part}2.jsonl {part}1.jsonl")).stdout, told, "{part}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_worker_that_is_killed_leaves_no_part_and_what_does_not_belong_together_is_refused() {
    let folder = folder("data_refused");
    answer(&folder, "arena tic_tac_toe --players mcts:20000,mcts:20000 -n 40 --job slow.json");
    let mut worker = ludwright();
    worker.args(["run-job", "slow.json", "--output", "slow.jsonl"]).current_dir(&folder).stdin(Stdio::null());
    let mut worker = worker.stderr(Stdio::null()).spawn().unwrap();
    let temporary = || {
        let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with(".slow.jsonl")).count()
    };
    while temporary() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    worker.kill().unwrap();
    worker.wait().unwrap();
    assert!(!folder.join("slow.jsonl").exists());

    let refused = |line: &str, code: &str, says: &str| refused(&folder, line, code, says);
    refused("arena tic_tac_toe --players hard,random -n 4 --job x.json --json", "not_repeatable", "`hard`");
    refused("arena tic_tac_toe --players mcts:50ms,random -n 4 --job x.json --json", "not_repeatable", "mcts:50ms");
    answer(&folder, "arena tic_tac_toe --players mcts:9,random -n 4 --job job.json");
    answer(&folder, "run-job job.json --output part.jsonl");
    let text = fs::read_to_string(folder.join("part.jsonl")).unwrap();
    fs::write(folder.join("other.jsonl"), text.replacen("\"plies\":", "\"plies\":1", 1)).unwrap();
    refused(
        "merge part.jsonl other.jsonl --json",
        "blocks_differ",
        "block 0 (games 0 to 0) has other sums in `other.jsonl`",
    );
    let job = fs::read_to_string(folder.join("job.json")).unwrap();
    let own = format!("\"ludwright\":\"{}\"", env!("CARGO_PKG_VERSION"));
    fs::write(folder.join("old.json"), job.replacen(&own, "\"ludwright\":\"0.0.1\"", 1)).unwrap();
    refused("run-job old.json --output x.jsonl --json", "other_version", "0.0.1");
    fs::write(folder.join("rules.json"), job.replacen("\"size\":3", "\"size\":4", 1)).unwrap();
    refused("run-job rules.json --output x.jsonl --json", "other_rules", "rules.json");
    refused("run-job part.jsonl --output x.jsonl --json", "bad_job", "part.jsonl");
    // What depends on the clock, or on what came before, is not cut into parts.
    refused("measure tic_tac_toe --shard 1/2 --output x.jsonl --json", "bad_number", "the clock");
    assert_eq!(
        run_in(&folder, "tournament tic_tac_toe --players easy,random --sprt 0,50 --job x.json").status.code(),
        Some(2)
    );
    assert_eq!(run_in(&folder, "run-job job.json --shard 1/2 --from 3 --output x.jsonl").status.code(), Some(2));
    fs::remove_dir_all(&folder).unwrap();
}

#[cfg(unix)]
#[test]
fn the_first_interrupt_ends_a_run_with_what_there_is() {
    let folder = folder("data_interrupt");
    let mut command = ludwright();
    let line = "playout hex -n 1000000000 --output games.jsonl --json";
    command
        .args(line.split(' '))
        .current_dir(&folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let child = command.spawn().unwrap();
    // It has begun when something is written.
    let written = || fs::read_dir(&folder).unwrap().any(|entry| entry.unwrap().metadata().unwrap().len() > 0);
    while !written() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["interrupted"], json!(true));
    let lines = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    assert!(lines.ends_with("}\n"));
    assert_eq!(told["games"], json!(lines.lines().count()));
    fs::remove_dir_all(&folder).unwrap();
}

/// A program that thinks for long plays few games, which must not be lost with it: they are on the disk long before the last
/// of them is played and the file gets its name.
#[cfg(unix)]
#[test]
fn a_run_that_is_killed_leaves_the_games_before() {
    let folder = folder("data_killed");
    let mut command = ludwright();
    let line = "arena tic_tac_toe --players mcts:50ms,random -n 100 --threads 1 --output games.jsonl --json";
    command.args(line.split(' ')).current_dir(&folder).stdin(Stdio::null());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let written = || fs::read_dir(&folder).unwrap().any(|entry| entry.unwrap().metadata().unwrap().len() > 0);
    while !written() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let name = left[0].file_name().unwrap().to_string_lossy();
    assert!(left.len() == 1 && name.starts_with(".games.jsonl.") && name.ends_with(".tmp"), "{left:?}");
    let lines = fs::read_to_string(&left[0]).unwrap();
    assert!(lines.ends_with("}\n") && lines.lines().count() < 100, "{lines}");
    fs::remove_dir_all(&folder).unwrap();
}

/// What a command prints that is interrupted once after a while, by Ctrl-C or as `timeout` does.
#[cfg(unix)]
fn interrupted(line: &str, signal: &str) -> Value {
    let mut command = ludwright();
    let child = command.args(line.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert!(std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{line}: {:?}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[cfg(unix)]
#[test]
fn an_interrupted_count_and_an_interrupted_proof_tell_what_they_have_found() {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let told = interrupted("perft hex -d 9 --json", "-INT");
            assert_eq!((&told["interrupted"], &told["nodes"][0]), (&json!(true), &json!(121)), "{told}");
            assert!(told["nodes"].as_array().unwrap().len() < 9);
        });
        scope.spawn(|| {
            let told = interrupted("solve hex -o size=9 --nodes 1000000000000 --json", "-TERM");
            assert_eq!((&told["interrupted"], &told["solved"]), (&json!(true), &json!(false)), "{told}");
            assert!(told["nodes"].as_u64().unwrap() > 0);
        });
    });
}

#[test]
fn a_report_is_a_folder_whose_page_needs_nothing_else() {
    let folder = folder("data_report");
    let told = answer(&folder, "report tic_tac_toe --output page --games 2 --json");
    assert_eq!(told["folder"], json!("page"));
    for name in told["files"].as_array().unwrap() {
        let path = folder.join("page").join(name.as_str().unwrap());
        assert!(fs::metadata(&path).unwrap().len() > 0, "{name}");
    }
    let page = fs::read_to_string(folder.join("page/index.html")).unwrap();
    for heading in ["How to play", "A game", "Is it fair", "Where it happens", "What the options change", "All numbers"]
    {
        assert!(page.contains(&format!("<h2>{heading}")), "{heading}");
    }
    for fetched in ["<link", " src=", "@import", "url(", "fetch("] {
        assert!(!page.contains(fetched), "{fetched}");
    }
    // The game of the page can be played through, and the rules are those that were given.
    let replayed = answer(&folder, "replay tic_tac_toe page/game.txt --json");
    assert_eq!((&replayed["ok"], &replayed["plies"]), (&json!(true), &told["plies"]));
    assert!(run_in(&folder, "check page/rules.game").status.success());
    let measures: Value = serde_json::from_slice(&fs::read(folder.join("page/measures.json")).unwrap()).unwrap();
    assert_eq!(measures["options_swept"][0]["option"], json!("size"));
    // What is there is not overwritten unasked; the same seed writes the same page.
    assert_eq!(run_in(&folder, "report tic_tac_toe --output page --games 2").status.code(), Some(1));
    answer(&folder, "report tic_tac_toe --output page --games 2 --force --json");
    assert_eq!(page, fs::read_to_string(folder.join("page/index.html")).unwrap());
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn measures_are_written_as_a_page_that_is_not_overwritten_unasked() {
    let folder = folder("data_page");
    let told = answer(&folder, "measure tic_tac_toe --games 2 --html page.html --json");
    assert_eq!(told["sites"].as_array().unwrap().len(), 9);
    assert_eq!(told["first_moves"].as_array().unwrap().len(), 9);
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("data-site=\"b2\"") && page.ends_with("</html>\n"));
    assert_eq!(run_in(&folder, "measure tic_tac_toe --games 2 --html page.html").status.code(), Some(1));
    assert_eq!(run_in(&folder, "measure tic_tac_toe --games 2 --html - --json").status.code(), Some(1));
    let piped = run_in(&folder, "measure tic_tac_toe --games 2 --html -");
    assert_eq!(String::from_utf8_lossy(&piped.stdout), page);
    fs::remove_dir_all(&folder).unwrap();
}
