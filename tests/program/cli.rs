//! The program as people and programs run it: output, messages, exit statuses.

use super::common;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::process::{Command, Output, Stdio};

fn ludwright(args: &[&str]) -> Command {
    let mut command = common::ludwright();
    command.args(args).env_remove("NO_COLOR");
    command
}

fn run(args: &[&str]) -> Output {
    ludwright(args).stdin(Stdio::null()).output().unwrap()
}

fn json_of(args: &[&str]) -> Value {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Fails with one message on stderr, nothing on stdout, and no trace of the program's insides.
fn fails(args: &[&str], status: i32, says: &[&str]) {
    let output = run(args);
    // Of `check` the findings are the output; everything else complains on stderr only.
    let findings = if args[0] == "check" {
        String::from_utf8_lossy(&output.stdout)
    } else {
        assert!(output.stdout.is_empty(), "{args:?}");
        "".into()
    };
    let message = format!("{findings}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "{args:?}: {message}");
    for part in says {
        assert!(message.contains(part), "{args:?} does not say `{part}`: {message}");
    }
    for inside in ["panicked", "RUST_BACKTRACE", "Err(", "unwrap"] {
        assert!(!message.contains(inside), "{args:?}: {message}");
    }
}

fn session(requests: &[&str]) -> Vec<Value> {
    let mut child = ludwright(&["session"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(requests.join("\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_session_runs_on_either_engine_with_the_same_answers() {
    let answers = |engine: &str| {
        let load = format!("{{\"cmd\":\"load\",\"game\":\"english_draughts\",\"engine\":\"{engine}\"}}");
        let requests = ["{\"cmd\":\"random\",\"plies\":12,\"seed\":3}", "{\"cmd\":\"moves\",\"successors\":true}"];
        session(&[load.as_str(), requests[0], requests[1]])
    };
    let (mut fast, mut reference) = (answers("fast"), answers("reference"));
    assert_eq!((&fast[0]["engine"], &reference[0]["engine"]), (&json!("fast"), &json!("reference")));
    assert_eq!(fast.split_off(1), reference.split_off(1));
    let refused = session(&["{\"cmd\":\"load\",\"game\":\"hex\",\"engine\":\"slow\"}"]);
    assert_eq!(refused[0]["error"]["code"], json!("unknown_engine"));
}

#[test]
fn programs_play_each_other_and_small_games_are_solved() {
    let results = json_of(&["arena", "tic_tac_toe", "--players", "mcts:60,random", "-n", "20", "--json"]);
    let standings = results["standings"].as_array().unwrap();
    assert!(standings[0]["mean"].as_f64() > standings[1]["mean"].as_f64(), "{results}");
    assert!(standings[0]["interval"][0].as_f64() <= standings[0]["mean"].as_f64());
    let solution = json_of(&["solve", "hex", "-o", "size=3", "--json"]);
    assert_eq!(solution["values"], json!({"Red": 1.0, "Blue": 0.0}));
    assert_eq!(json_of(&["solve", "chess", "--nodes", "100", "--json"])["solved"], json!(false));
    fails(&["arena", "hex", "--players", "easy"], 1, &["the game has 2 seats, but `--players` names 1"]);
    fails(&["arena", "hex", "--players", "easy,human"], 1, &["only programs play in an arena"]);
    fails(&["arena", "hex", "--players", "easy,strong"], 1, &["there is no player `strong`", "a seat is `human`"]);
    fails(&["solve", "hex", "--moves", "z99"], 1, &["move 1"]);
}

#[test]
fn mistakes_on_the_command_line_have_their_status_and_a_way_out() {
    fails(&["frobnicate"], 2, &["frobnicate"]);
    fails(&["perft", "pushpin"], 2, &["--depth"]);
    fails(&["moves", "pushpi"], 1, &["pushpi", "did you mean `pushpin`"]);
    fails(&["moves", "pushpin", "-o", "side=99"], 1, &["side", "99", "2 to 10"]);
    fails(&["moves", "pushpin", "-o", "sid=4"], 1, &["sid", "did you mean `side`"]);
    fails(&["moves", "equi", "--ruleset", "equivers"], 1, &["did you mean `equiversi`"]);
    fails(&["moves", "pushpin", "--moves", "e4 2, e4 2"], 1, &["move 2", "e4 2"]);
    fails(&["check", "no/such/file.game"], 1, &["no/such/file.game"]);
    fails(&["check", "README.md"], 1, &["README.md"]);
    fails(&["replay", "pushpin", "no/such/record"], 1, &["no/such/record"]);
}

#[test]
fn a_full_disk_is_told_and_a_closed_pipe_is_not() {
    if std::path::Path::new("/dev/full").exists() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = ludwright(&["list"]).stdin(Stdio::null()).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("cannot be written"));
    }
    // More than a pipe holds, and nobody reads on.
    let mut child = ludwright(&["dump", "equi", "--stage", "rules", "-o", "size=12"]);
    let mut child = child.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 10]).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
}

#[test]
fn counts_and_plays_come_as_the_contract_says() {
    let after = json_of(&["perft", "tic_tac_toe", "--depth", "2", "--moves", "b2, a1", "--json"]);
    assert_eq!((&after["nodes"], &after["engine"]), (&json!([7, 42]), &json!("reference")));
    let perft = json_of(&["perft", "pushpin", "-o", "side=3", "--depth", "3", "--json"]);
    assert_eq!(perft["nodes"], json!([19, 325, 5064]));
    assert_eq!(perft["options"]["side"], json!(3));
    let one = json_of(&["playout", "pushpin", "-n", "20", "--seed", "5", "--threads", "1", "--json"]);
    let two = json_of(&["playout", "pushpin", "-n", "20", "--seed", "5", "--threads", "2", "--json"]);
    assert_eq!(one["fingerprint"], two["fingerprint"]);
    assert_eq!(one["unfinished"], json!(0));
    let moves = json_of(&["moves", "iqishiqi", "-o", "side=6", "--moves", "c6, q6", "--json"]);
    assert_eq!(moves["sites"], json!({ "c6": "stone", "k6": "ball", "q6": "stone" }));
    assert_eq!(moves["mover"], json!("North"));
    let show = json_of(&["show", "equi", "--json"]);
    assert_eq!(show["players"], json!(["Black", "White"]));
    assert_eq!(show["sites"].as_array().unwrap().len(), 61);
    let list = json_of(&["list", "--json"]);
    assert!(list["games"].as_array().unwrap().iter().any(|game| game["name"] == json!("epoxy")));
    let check = json_of(&["check", "games", "--deny", "warnings", "--format", "json"]);
    assert_eq!((&check["errors"], &check["warnings"]), (&json!(0), &json!(0)));
}

#[test]
fn a_bench_tells_what_the_contract_names_and_plays_the_games_of_playout() {
    let short = ["bench", "pushpin", "-o", "side=3", "--seconds", "0.05"];
    let bench = json_of(&[&short[..], &["--json"]].concat());
    assert_eq!((&bench["game"], &bench["sites"], &bench["engine"]), (&json!("pushpin"), &json!(19), &json!("fast")));
    assert_eq!(bench["options"]["side"], json!(3));
    let number = |name: &str| bench[name].as_f64().unwrap_or_else(|| panic!("no number `{name}` in {bench}"));
    for name in ["playouts_per_second", "moves_per_second", "ns_per_move", "compile_ms"] {
        assert!(number(name) > 0.0, "{name}");
    }
    assert!(number("best") <= number("median") && number("median") <= number("worst"));
    assert!(number("seconds") >= 0.05);
    // The rates are of one and the same time.
    assert!((number("ns_per_move") * number("moves_per_second") / 1e9 - 1.0).abs() < 1e-6);
    let plies = number("moves_per_second") / number("playouts_per_second");
    assert!((plies / number("mean_plies") - 1.0).abs() < 1e-6);
    // As many random games as this differ little on average.
    let playout = json_of(&["playout", "pushpin", "-o", "side=3", "-n", "400", "--json"]);
    for name in ["mean_plies", "mean_branching"] {
        assert!((number(name) / playout[name].as_f64().unwrap() - 1.0).abs() < 0.25, "{name}");
    }
    let human = String::from_utf8(run(&short).stdout).unwrap();
    for row in ["pushpin, 19 sites, engine fast", "ns per move", "median", "compiled in"] {
        assert!(human.contains(row), "{human}");
    }
    let reference = json_of(&[&short[..], &["--engine", "reference", "--json"]].concat());
    assert_eq!(reference["engine"], json!("reference"));
}

#[test]
fn a_bench_refuses_what_it_cannot_measure() {
    for seconds in ["0", "-1", "NaN", "inf", "1e9", "soon"] {
        fails(&["bench", "pushpin", &format!("--seconds={seconds}")], 2, &["--seconds"]);
    }
    fails(&["bench", "pushpi"], 1, &["did you mean `pushpin`"]);
    fails(&["bench", "pushpin", "--engine", "slow"], 2, &["reference"]);
}

#[test]
fn records_replay_and_a_wrong_move_is_named_with_its_place() {
    assert_eq!(json_of(&["replay", "push_and_pull", "--json"])["ok"], json!(true));
    let file = common::fresh("moves.txt");
    std::fs::write(&file, "side=4\n// a remark\ne4 2, l5 2\nj1 9\n").unwrap();
    let output = run(&["replay", "pushpin", file.to_str().unwrap(), "--json"]);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(output.status.code(), Some(1));
    let replay: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&replay["failed_at"], &replay["move"]), (&json!(3), &json!("j1 9")));
    assert_eq!(replay["position"]["ply"], json!(2));
}

#[test]
fn a_session_answers_every_line_in_order() {
    let replies = session(&[
        r#"{"cmd":"state"}"#,
        r#"{"cmd":"load","game":"iqishiqi","options":{"side":6}}"#,
        "no json",
        r#"{"cmd":"play","move":"c6"}"#,
        r#"{"cmd":"play","move":"zz9"}"#,
        r#"{"cmd":"undo"}"#,
        r#"{"cmd":"undo"}"#,
        r#"{"cmd":"reset","moves":["c6","q6"]}"#,
        r#"{"cmd":"moves","successors":true}"#,
        r#"{"cmd":"random","seed":1}"#,
        r#"{"cmd":"setup","position":{"mover":"South","sites":{"k6":"ball","c6":"stone"}}}"#,
        r#"{"cmd":"setup","position":{"mover":"East","sites":{}}}"#,
        r#"{"cmd":"dance"}"#,
    ]);
    let ok: Vec<bool> = replies.iter().map(|reply| reply["ok"].as_bool().unwrap()).collect();
    assert_eq!(ok, [false, true, false, true, false, true, false, true, true, true, true, false, false]);
    assert!(
        replies.iter().filter(|reply| reply["ok"] == json!(false)).all(|reply| reply["error"]["message"].is_string())
    );
    assert_eq!(replies[3]["sites"], json!({ "c6": "stone", "m6": "ball" }));
    assert_eq!(replies[7]["ply"], json!(2));
    assert!(replies[8]["moves"][0]["state"]["sites"].is_object());
    assert_eq!(replies[9]["over"], json!(true));
}

#[test]
fn a_game_is_played_saved_and_resumed_without_a_terminal() {
    let output = run(&["play", "pushpin", "-o", "side=3", "--seed", "3"]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("The game is over"));
    let file = common::fresh("save.txt");
    let path = file.to_str().unwrap();
    let mut child = ludwright(&["play", "pushpin", "--players", "human,human"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let script = format!("e4 2\nnonsense\n?\nl5 2\nundo\nl5 2\nsave {path}\nquit\n");
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("`nonsense` is no legal move"), "{text}");
    assert_eq!(text.matches("moves are read from standard input").count(), 1, "{text}");
    let saved = std::fs::read_to_string(&file).unwrap();
    assert!(saved.contains("e4 2") && saved.contains("l5 2"), "{saved}");
    assert_eq!(json_of(&["replay", "pushpin", path, "--json"])["plies"], json!(2));
    // A hash is there to warn: what was saved by other rules, or by a program that wrote them out in another way, is read.
    let other = saved.lines().map(|line| if line.starts_with("// rules ") { "// rules 00ff" } else { line });
    std::fs::write(&file, other.collect::<Vec<_>>().join("\n")).unwrap();
    let output = run(&["replay", "pushpin", path, "--json"]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("the rules have changed"));
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["plies"], json!(2));
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn coverage_names_what_no_test_reaches_and_counts_random_games_on_request() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("fill.game");
    let text = r#"game "Fill"
option bold : no, yes = no "two stones at once"
players A, B
board square(2)
piece stone of each player
move put "{cell}" "a stone" {
  cell : empty, bold is yes or cell in next_to own or no own
  cell becomes stone of mover
  ahead(cell, N) becomes stone of mover when bold is yes
}
turn { put or pass }
end { mover wins when no empty; draw when turns without put = 2 }
test "one stone" { legal a1 }
test "bold" { set bold yes; play a1 }
"#;
    std::fs::write(&file, text).unwrap();
    let path = file.to_str().unwrap();
    let missing = |args: &[&str]| {
        let coverage = json_of(args)["files"][0]["coverage"].clone();
        let uncovered = coverage["uncovered"].as_array().unwrap().clone();
        assert_eq!(coverage["clauses"], json!(coverage["covered"].as_u64().unwrap() + uncovered.len() as u64));
        uncovered.iter().map(|clause| clause["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        missing(&["test", path, "--coverage", "--json"]),
        ["cell in next_to own", "no own", "no empty", "turns without put = 2"]
    );
    assert_eq!(missing(&["test", path, "--coverage", "--playouts", "20", "--json"]), [""; 0]);
    let human = run(&["test", path, "--coverage"]);
    let human = String::from_utf8_lossy(&human.stdout).into_owned();
    assert!(human.contains(&format!("{path}: clauses 5 of 9\n")), "{human}");
    assert!(human.contains(&format!("{path}:12: no empty (never true)\n")), "{human}");
    fails(&["test", path, "--playouts", "20"], 2, &["--coverage"]);
}

#[test]
fn slow_clauses_are_told_with_their_lines() {
    let told = |file: &str| String::from_utf8(run(&["check", "--verbose", file]).stdout).unwrap();
    let slow = told("games/iqishiqi/iqishiqi.game");
    assert!(slow.contains("slow: games/iqishiqi/iqishiqi.game:23:10: `empty` is worked out for one site"), "{slow}");
    assert!(!told("games/epoxy/epoxy.game").contains("slow:"));
    let program = String::from_utf8(run(&["dump", "epoxy", "--stage", "program"]).stdout).unwrap();
    assert!(program.contains("everything is evaluated for the whole board at once"), "{program}");
    // Which stones have no liberty is asked of all groups at once, and only of those that matter.
    let program = String::from_utf8(run(&["dump", "go", "--stage", "program"]).stdout).unwrap();
    let taken = "S0 := (stone:White & !connected((stone:White & dilate(empty)), stone:White))";
    assert!(program.contains(taken), "{program}");
}

#[test]
fn what_comes_after_a_change_is_read_before_it() {
    let program = |game: &str| String::from_utf8(run(&["dump", game, "--stage", "program"]).stdout).unwrap();
    // A piece that may be any, or become another, can be followed; and who attacks is asked piece by piece, from the king.
    for game in ["chess", "examples/makruk.game", "tests/variants/stages.game"] {
        let program = program(game);
        assert!(!program.contains("on a copy of the state"), "{program}");
        assert!(program.contains("machine code: everything\n"), "{program}");
    }
    let makruk = program("examples/makruk.game");
    let king = makruk
        .lines()
        .find(|line| line.contains(":= only king") && line.contains("beyond(S") && line.contains("N+E+S+W"));
    assert!(king.is_some_and(|line| line.contains(":= {s1}")), "checks are asked from the king");
    // That changes can be made is said by tests of what they need.
    let draughts = program("examples/frisian_draughts.game");
    assert!(!draughts.contains("can_apply"), "{draughts}");
    assert!(draughts.contains("<= 20"), "{draughts}");
    assert!(draughts.ends_with("machine code: everything\n"), "{draughts}");
    // A row that was not there before goes through a new stone.
    let pente = program("examples/pente.game");
    assert!(pente.contains("in stone:White: exists"), "{pente}");
}

#[test]
fn both_engines_count_alike() {
    for game in [&["epoxy", "-o", "size=hexagon", "-o", "side=2"][..], &["equi", "-o", "size=3"], &["pushpin"]] {
        let count = |engine: &str| {
            let args = [&["perft"], game, &["--depth", "3", "--divide", "--json", "--engine", engine]].concat();
            let counted = json_of(&args);
            assert_eq!(counted["engine"], *engine, "{game:?}");
            (counted["nodes"].clone(), counted["divide"].clone())
        };
        assert_eq!(count("fast"), count("reference"), "{game:?}");
    }
}

#[test]
fn moves_tells_what_is_kept_beside_the_pieces() {
    let output = run(&["moves", "oware", "--moves", "a1"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let board = text.split("\nSeeds:\n").nth(1).unwrap();
    assert!(board.starts_with("2 4 4 4 4 4 4\n1 . 5 5 5 5 4\n"), "{board}");
    assert!(text.contains("\nStore: South 0, North 0\n"), "{text}");
}

#[test]
fn the_help_lists_commands_by_what_they_are_for() {
    let help = String::from_utf8(run(&["--help"]).stdout).unwrap();
    let titles: Vec<&str> = help.lines().filter(|line| line.ends_with(':') && !line.starts_with(' ')).collect();
    assert_eq!(titles, ["Play:", "Write:", "Study:", "Tools:", "Options:", "Examples:"]);
}
