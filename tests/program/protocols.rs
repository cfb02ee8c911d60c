//! Programs of others: what they are told and believed at a seat, and how this one answers theirs.

use super::common::{folder, left_out, ludwright};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Output, Stdio};
use std::time::{Duration, Instant};

/// The program as an engine, spoken to line by line.
struct Engine {
    child: Child,
    stdin: ChildStdin,
    lines: BufReader<ChildStdout>,
}

impl Engine {
    fn start(arguments: &str) -> Self {
        let mut command = ludwright();
        command.arg("engine").args(arguments.split(' ')).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, stdin, lines: BufReader::new(stdout) }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").unwrap();
    }

    /// The next line that is no remark on the way.
    fn hear(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "the engine has ended");
            if !line.starts_with("info ") {
                return line.trim_end().to_owned();
            }
        }
    }

    fn ask(&mut self, line: &str) -> String {
        self.say(line);
        self.hear()
    }

    fn hear_until(&mut self, last: &str) -> Vec<String> {
        let mut heard = Vec::new();
        while heard.last().is_none_or(|line| line != last) {
            heard.push(self.hear());
        }
        heard
    }

    fn quit(mut self) {
        self.say("quit");
        assert!(self.child.wait().unwrap().success());
    }
}

/// The commands that CuteGames sends, in its order, through a whole game in which it asks the engine for everything.
#[test]
fn a_runner_without_rules_plays_a_whole_game_by_ugi() {
    let mut engine = Engine::start("tic_tac_toe --ugi --player mcts:50");
    engine.say("ugi");
    let hello = engine.hear_until("ugiok");
    assert!(hello[0].starts_with("id name Ludwright") && hello[1].starts_with("id author "), "{hello:?}");
    assert!(hello[2..hello.len() - 1].iter().all(|line| line.starts_with("option name ")), "{hello:?}");
    assert_eq!(engine.ask("isready"), "readyok");
    engine.say("uginewgame");
    assert_eq!(engine.ask("isready"), "readyok");
    let mut moves: Vec<String> = Vec::new();
    loop {
        let played = if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
        engine.say(&format!("position startpos{played}"));
        if engine.ask("query gameover") == "response true" {
            break;
        }
        assert_eq!(engine.ask("query result"), "response none");
        assert_eq!(engine.ask("query p1turn"), format!("response {}", moves.len().is_multiple_of(2)));
        assert_eq!(engine.ask("isready"), "readyok");
        let answer = engine.ask("go p1time 1000 p2time 1000 p1inc 10 p2inc 10");
        let words: Vec<&str> = answer.split(' ').collect();
        assert_eq!((words[0], words.len()), ("bestmove", 2), "{answer}");
        moves.push(words[1].to_owned());
    }
    assert_eq!(engine.ask("query result"), "response draw", "{moves:?}");
    engine.quit();
}

#[test]
fn moves_with_blanks_and_positions_are_one_word_in_ugi() {
    let mut engine = Engine::start("pushpin -o side=3 --ugi --player random");
    let answer = engine.ask("go");
    let mv = answer.strip_prefix("bestmove ").unwrap().to_owned();
    assert!(!mv.contains(' '), "{mv}");
    engine.say(&format!("position startpos moves {mv}"));
    let fen = engine.ask("query fen");
    let token = fen.strip_prefix("response ").unwrap();
    assert!(!token.contains(' '));
    engine.say(&format!("position fen {token}"));
    assert_eq!(engine.ask("query fen"), fen);
    assert_eq!(engine.ask("query p1turn"), "response false");
    engine.say("position fen nonsense");
    assert_eq!(engine.ask("go movetime 10"), "bestmove 0000");
    engine.quit();
}

#[test]
fn a_search_without_end_is_heard_of_when_it_is_stopped() {
    let mut engine = Engine::start("hex -o size=5 --ugi --player mcts:20");
    engine.say("go infinite");
    // While it thinks it answers, and holds the move back.
    for _ in 0..3 {
        assert_eq!(engine.ask("isready"), "readyok");
    }
    assert!(engine.ask("stop").starts_with("bestmove "));
    engine.say("position startpos");
    assert!(engine.ask("go depth 2").starts_with("bestmove "));
    engine.quit();
    // Where there is only one move the search ends by itself, and the move waits for `stop` all the same.
    let mut engine = Engine::start("reversi -o size=4 --ugi --player random");
    engine.say("position startpos moves b1 a1 d3 c1 a2 b4 c4 d2 a4 d4 d1");
    engine.say("go infinite");
    for _ in 0..200 {
        assert_eq!(engine.ask("isready"), "readyok");
    }
    assert_eq!(engine.ask("stop"), "bestmove a3");
    engine.quit();
}

#[test]
fn chess_is_played_as_chess_programs_write_it() {
    let mut engine = Engine::start("chess --uci --player mcts:20");
    engine.say("uci");
    assert!(engine.hear_until("uciok").len() > 2);
    engine.say("ucinewgame");
    engine.say("position startpos moves e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8");
    let answer = engine.ask("go wtime 300 btime 300 winc 0 binc 0");
    let mv = answer.strip_prefix("bestmove ").unwrap();
    assert!(mv.len() == 4 && mv.is_ascii() && mv[1..2].parse::<u8>().is_ok(), "{mv}");
    // What cannot be set up is not played from.
    engine.say("position startpos moves e2e5");
    assert_eq!(engine.ask("go movetime 50"), "bestmove 0000");
    engine.quit();
}

#[test]
fn what_does_not_fit_a_protocol_is_refused_at_once() {
    for (line, status, said) in [
        ("engine chess --gtp", 1, "no points"),
        ("engine amazons --gtp", 1, "no single point"),
        ("engine iqishiqi -o player_count=3 --ugi", 1, "two players"),
        ("engine hex", 2, "--ugi"),
        ("engine hex --ugi --gtp", 2, "cannot be used with"),
        ("arena hex --players random,ugi:", 1, "names no program"),
        ("arena hex --players random,ugi[time=1s:x", 1, "do not end"),
        ("arena hex --players random,uci[time=never]:x", 1, "time=never"),
        ("arena hex --players random,ugi:/no/such/program", 1, "cannot be started"),
    ] {
        let output = ludwright().args(line.split(' ')).stdin(Stdio::null()).output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        let expected = if line == "engine chess --gtp" { ["no points", "no single point"] } else { [said, said] };
        assert_eq!(output.status.code(), Some(status), "{line}: {complaint}");
        assert!(expected.iter().any(|said| complaint.contains(said)), "{line}: {complaint}");
    }
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    ludwright().args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

fn answer(folder: &Path, arguments: &[&str]) -> Value {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
}

/// A program that speaks UGI and does something to `go`.
#[cfg(unix)]
fn script(folder: &Path, name: &str, go: &str) {
    let text = format!(
        "while read -r line; do\n  case \"$line\" in\n    ugi) echo ugiok ;;\n    isready) echo readyok ;;\n    \
         go*) {go} ;;\n    quit) exit 0 ;;\n  esac\ndone\n"
    );
    fs::write(folder.join(name), text).unwrap();
}

#[cfg(unix)]
#[test]
fn who_makes_no_legal_move_in_time_loses_that_game_and_nothing_else_ends() {
    let folder = folder("guests");
    for (name, go, reason) in [
        ("illegal", "echo bestmove z9", "answered `z9`, which is no legal move"),
        ("taken", "echo bestmove b2; echo bestmove b2", "answered `b2`, which is no legal move"),
        ("unreadable", "printf 'bestmove \\033[31m\\n'", "answered ` [31m`, which is no legal move"),
        ("empty", "echo bestmove", "answered without a move"),
        ("silent", ":", "gave no answer within 0.3 s"),
        ("dead", "echo I am tired >&2; exit 1", "ended without an answer (`I am tired`)"),
    ] {
        script(&folder, name, go);
        let players = format!("random,ugi[time=100ms, late=200ms]:sh {name}");
        let arguments =
            ["arena", "tic_tac_toe", "--players", &players, "-n", "4", "--json", "--force", "--output", "g"];
        let sums = answer(&folder, &arguments);
        assert_eq!((&sums["games"], &sums["forfeits"]), (&4.into(), &4.into()), "{name}: {sums}");
        assert_eq!(sums["standings"][0]["wins"], 4, "{name}");
        let games = fs::read_to_string(folder.join("g")).unwrap();
        for (index, line) in games.lines().enumerate() {
            let game: Value = serde_json::from_str(line).unwrap();
            let loser = ["O", "X"][index % 2];
            assert_eq!(game["reason"], format!("{loser} {reason}"), "{line}");
            assert_eq!((&game["forfeit"], &game["result"]["winner"]), (&loser.into(), &["X", "O"][index % 2].into()));
        }
        assert_eq!(answer(&folder, &["replay", "tic_tac_toe", "g", "--json"])["games"], 4, "{name}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[cfg(unix)]
#[test]
fn a_program_of_others_sits_at_the_table_and_may_lose_there() {
    let folder = folder("table");
    script(&folder, "first", "echo bestmove a1");
    let arguments = ["play", "tic_tac_toe", "--plain", "--players", "human,ugi[time=1s]:sh first", "--save", "g.txt"];
    let mut child =
        ludwright().args(arguments).current_dir(&folder).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"b2\nb3\nundo\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("2. O: a1\n"), "{said}");
    assert!(said.contains("The game is over: X wins (O answered `a1`, which is no legal move)"), "{said}");
    let saved = fs::read_to_string(folder.join("g.txt")).unwrap();
    assert!(saved.contains("// players human, ugi[time=1s]:sh first"), "{saved}");
    fs::remove_dir_all(&folder).unwrap();
}

#[cfg(unix)]
#[test]
fn no_program_is_left_running() {
    let folder = folder("left");
    let go = "echo $$ >> pids; sleep 300 & echo $! >> pids; wait";
    script(&folder, "sleepy", go);
    let players = "random,ugi[time=50ms, late=50ms]:sh sleepy";
    answer(&folder, &["arena", "tic_tac_toe", "--players", players, "-n", "2", "--json"]);
    let pids = fs::read_to_string(folder.join("pids")).unwrap();
    assert!(pids.lines().count() >= 4, "{pids}");
    for pid in pids.lines() {
        // It takes a moment until a process that was killed is gone, or at least a zombie of its new parent.
        let lives = || {
            let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            !state.is_empty() && !state.contains(") Z")
        };
        let begun = Instant::now();
        while lives() && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(!lives(), "{pid}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn this_program_at_a_seat_of_its_own_plays_whole_games_in_every_protocol() {
    let folder = folder("selves");
    let own = env!("CARGO_BIN_EXE_ludwright");
    for (game, options, protocol) in [
        ("pushpin", "side=3", "ugi"),
        ("hex", "size=4", "ugi"),
        ("hex", "size=4", "gtp"),
        ("reversi", "size=6", "gtp"),
        ("breakthrough", "", "uci"),
    ] {
        let options = if options.is_empty() { String::new() } else { format!("-o {options}") };
        let players =
            format!("random,{protocol}[late=1m]:'{own}' engine {game} {options} --{protocol} --player random");
        let mut arguments = vec!["arena", game, "--players", &players, "-n", "2", "--json", "--opening", "2"];
        arguments.extend(options.split(' ').filter(|word| !word.is_empty()));
        let sums = answer(&folder, &arguments);
        assert_eq!(
            (&sums["games"], &sums["forfeits"], &sums["unfinished"]),
            (&2.into(), &0.into(), &0.into()),
            "{sums}"
        );
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_program_is_named_on_the_command_line_only() {
    let folder = folder("named");
    let marked = folder.join("started");
    let seat = format!("ugi:touch {}", marked.display());
    // Neither a saved game, nor a program that is spoken to, can have another program started.
    fs::write(folder.join("saved.txt"), format!("// game tic_tac_toe\n// players {seat}, {seat}\nb2\n")).unwrap();
    run(&folder, &["play", "--resume", "saved.txt"]);
    run(&folder, &["suggest", "tic_tac_toe", "--player", &seat]);
    let mut engine = Engine::start("tic_tac_toe --ugi --player random");
    engine.say(&format!("setoption name Player value {seat}"));
    assert!(engine.ask("go").starts_with("bestmove "));
    engine.quit();
    assert!(!marked.exists());
    // The other way round, so that this test would notice.
    let players = format!("random,{seat}");
    assert_eq!(run(&folder, &["arena", "tic_tac_toe", "--players", &players]).status.code(), Some(1));
    assert!(marked.exists());
    fs::remove_dir_all(&folder).unwrap();
}

/// Whether a program of Debian is there; a test that wants it fails if it is not, unless it is left out.
fn found(program: &str) -> Option<String> {
    let folders = std::env::var("PATH").unwrap_or_default();
    let places = folders.split(':').map(str::to_owned).chain(["/usr/games".to_owned()]);
    let path = places.map(|folder| format!("{folder}/{program}")).find(|path| Path::new(path).is_file());
    if path.is_none() {
        assert!(left_out(program), "{program} is missing: `apt install {program}`, or LUDWRIGHT_SKIP={program}");
        println!("{program} is left out");
    }
    path
}

/// Whole games against a program; there may be no illegal move on either side.
fn whole_games(game: &[&str], guest: &str, own: &str, games: &str) {
    let folder = folder("whole");
    let players = format!("{own},{guest}");
    let mut arguments = vec!["arena"];
    arguments.extend(game);
    arguments.extend(["--players", &players, "-n", games, "--threads", "2", "--json", "--output", "g"]);
    let sums = answer(&folder, &arguments);
    let lines = fs::read_to_string(folder.join("g")).unwrap();
    for line in lines.lines() {
        let game: Value = serde_json::from_str(line).unwrap();
        let reason = game["reason"].as_str().unwrap_or_default();
        assert!(game["forfeit"].is_null() || reason.ends_with(" resigned"), "{line}");
    }
    println!("{sums}");
    assert_eq!(sums["games"].to_string(), games);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
#[ignore = "needs GNU Go, and takes a minute"]
fn gnu_go_plays_whole_games_without_an_illegal_move_on_either_side() {
    if let Some(program) = found("gnugo") {
        let guest = format!("gtp[late=1m]:{program} --mode gtp --level 1 --chinese-rules --capture-all-dead");
        whole_games(&["go", "--ruleset", "simple_ko", "--max-plies", "300"], &guest, "flat:5", "4");
    }
}

#[test]
#[ignore = "needs Stockfish, and takes a minute"]
fn stockfish_plays_whole_games_without_an_illegal_move_on_either_side() {
    if let Some(program) = found("stockfish") {
        let guest = format!("uci[nodes=200, late=1m, Skill Level=0]:{program}");
        whole_games(&["chess"], &guest, "mcts:100", "4");
    }
}
