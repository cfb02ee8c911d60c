//! Games between people beside the moves: clocks that run on the server or at the terminal, and draws that are agreed on.

use super::browser::{look, open};
use super::common::browser::Browser;
use super::common::ludwright;
use super::common::pty::{ENTER, Pty, QUIT, UNDO};
use super::common::server::Server;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;

fn begin(server: &Server, wish: &Value) -> String {
    let reply = server.post("/api/sessions", wish);
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.json()["id"].as_str().unwrap().to_owned()
}

fn act(server: &Server, id: &str, what: &str, body: &Value) -> Value {
    let reply = server.post(&format!("/api/sessions/{id}/{what}"), body);
    assert!(reply.status < 300, "{what} {body}: {}", reply.body);
    reply.json()
}

fn refused(server: &Server, id: &str, what: &str, body: &Value) -> String {
    let reply = server.post(&format!("/api/sessions/{id}/{what}"), body);
    assert!(reply.status >= 400, "{what} {body}: {}", reply.body);
    reply.code()
}

const PEOPLE: [&str; 2] = ["human", "human"];

#[test]
fn a_flag_falls_on_the_server_whoever_looks() {
    let server = Server::start("flag", &[]);
    let clock = json!({ "seconds": 1 });
    let id = begin(&server, &json!({ "game": "tic_tac_toe", "seats": PEOPLE, "clock": clock }));
    // Nobody's time runs before the first move.
    std::thread::sleep(std::time::Duration::from_millis(1200));
    let view = act(&server, &id, "moves", &json!({ "move": "b2" }));
    assert_eq!(view["clock"]["running"], 1, "{view}");
    let over = server.wait_for(&id, |view| view["over"] == true);
    assert_eq!(over["result"], "X wins (O ran out of time)");
    assert_eq!(over["clock"]["left"], json!([1000, 0]));
    // Time that is gone does not come back.
    assert_eq!(refused(&server, &id, "undo", &json!({})), "nothing_to_do");
    assert_eq!(refused(&server, &id, "goto", &json!({ "ply": 0 })), "over");
    assert_eq!(refused(&server, &id, "moves", &json!({ "move": "a1" })), "over");
    let next = act(&server, &id, "rematch", &json!({ "swap": false }));
    assert_eq!(next["clock"]["left"], json!([1000, 1000]));
    for clock in [json!({ "seconds": 0 }), json!({ "seconds": 60, "increment": 9999 }), json!({ "minutes": 1 })] {
        let reply = server.post("/api/sessions", &json!({ "game": "hex", "clock": clock }));
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad_request"), "{}", reply.body);
    }
}

#[test]
fn time_is_saved_with_the_game_and_goes_on_after_a_restart() {
    let mut server = Server::start("time", &[]);
    let clock = json!({ "seconds": 60, "increment": 5 });
    let id = begin(&server, &json!({ "game": "tic_tac_toe", "seats": PEOPLE, "clock": clock }));
    act(&server, &id, "moves", &json!({ "move": "b2" }));
    std::thread::sleep(std::time::Duration::from_millis(700));
    let left = |view: &Value, seat: usize| view["clock"]["left"][seat].as_u64().unwrap();
    let view = act(&server, &id, "moves", &json!({ "move": "a1" }));
    let second = left(&view, 1);
    assert!((55_000..=64_300).contains(&second), "{second}");
    assert_eq!(view["clock"]["running"], 0);
    server.restart(&[]);
    let view = server.get(&format!("/api/sessions/{id}")).json();
    assert_eq!((left(&view, 1), view["clock"]["running"].as_u64()), (second, Some(0)));
    assert!(left(&view, 0) > 59_000);
    std::thread::sleep(std::time::Duration::from_millis(300));
    let status = server.get(&format!("/api/sessions/{id}/status")).json();
    assert!(left(&status, 0) <= 59_800, "{status}");
    // What somebody is called takes no time and gives none.
    act(&server, &id, "names", &json!({ "seat": 0, "name": "Ada" }));
    let status = server.get(&format!("/api/sessions/{id}/status")).json();
    assert!((40_000..=59_800).contains(&left(&status, 0)), "{status}");
}

#[test]
fn a_turn_that_is_played_again_brings_no_more_time() {
    let server = Server::start("again", &[]);
    let clock = json!({ "seconds": 60, "increment": 20 });
    let id = begin(&server, &json!({ "game": "tic_tac_toe", "seats": PEOPLE, "clock": clock }));
    let play = |text: &str| act(&server, &id, "moves", &json!({ "move": text }));
    play("b2");
    play("a1");
    for text in ["c3", "c1", "a3"] {
        // The turn of O brought time once; it is asked for again by another move.
        act(&server, &id, "undo", &json!({}));
        play(text);
    }
    let view = play("b1");
    let left = |seat: usize| view["clock"]["left"][seat].as_u64().unwrap();
    // The first turn took no time and brought none.
    assert!((30_000..=80_000).contains(&left(0)) && (30_000..=80_000).contains(&left(1)), "{view}");
}

#[test]
fn a_draw_is_offered_and_taken_or_not() {
    let server = Server::start("draw", &[]);
    let id = begin(&server, &json!({ "game": "tic_tac_toe", "seats": PEOPLE }));
    let told = act(&server, &id, "request", &json!({ "draw": 0 }));
    assert_eq!(told["request"], json!({ "draw": 0 }));
    act(&server, &id, "answer", &json!({ "yes": false }));
    assert_eq!(refused(&server, &id, "answer", &json!({ "yes": true })), "nothing_to_do");
    // Whoever offers may move before the other one answers; whoever moves instead of answering declines.
    let status = || server.get(&format!("/api/sessions/{id}/status")).json();
    act(&server, &id, "request", &json!({ "draw": 0 }));
    act(&server, &id, "moves", &json!({ "move": "b2" }));
    assert_eq!(status()["request"], json!({ "draw": 0 }));
    act(&server, &id, "moves", &json!({ "move": "a1" }));
    assert_eq!(status()["request"], Value::Null);
    // Two offers are an agreement.
    act(&server, &id, "request", &json!({ "draw": 1 }));
    let view = act(&server, &id, "request", &json!({ "draw": 0 }));
    assert_eq!((&view["result"], &view["over"]), (&json!("draw (agreed)"), &json!(true)));
    let record = server.get(&format!("/api/sessions/{id}/record")).body;
    assert!(record.contains("// result draw (agreed)"), "{record}");
    // Like a resignation it can be taken back.
    assert_eq!(act(&server, &id, "undo", &json!({}))["over"], false);
    // Where the rules know no draw, and against a program, none is offered.
    for wish in [json!({ "game": "iqishiqi", "seats": PEOPLE }), json!({ "game": "tic_tac_toe" })] {
        let id = begin(&server, &wish);
        assert_eq!(refused(&server, &id, "request", &json!({ "draw": 0 })), "nothing_to_do", "{wish}");
    }
}

#[test]
fn two_people_see_their_clocks_and_agree_on_a_draw() {
    let Some(mut white) = Browser::start("clock-white") else { return };
    let Some(mut black) = Browser::start("clock-black") else { return };
    let server = Server::start("clocks", &[]);
    open(&mut white, &server, &json!({ "game": "chess" }));
    assert_eq!(white.eval("document.querySelectorAll('[data-clock]').length"), json!(0));
    white.click("#new");
    white.wait("!!document.querySelector('#time')");
    white.eval("(() => { const list = document.querySelector('#time'); list.value = [...list.options].find((one) => one.textContent === '5 min + 3 s a turn').value; })()");
    white.click("#setup button[type=submit]");
    white.wait("document.querySelector('[data-clock=\"0\"]')?.textContent === '5:00'");
    let path = white.eval("location.pathname");
    let id = path.as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    look(&mut white, &server, &id, "?as=0");
    look(&mut black, &server, &id, "?as=1");
    act(&server, &id, "moves", &json!({ "move": "e4" }));
    for browser in [&mut white, &mut black] {
        browser.wait("document.querySelector('.clock.running')?.dataset.clock === '1'");
        // It counts down by itself.
        browser.wait("/^4:5\\d$/.test(document.querySelector('[data-clock=\"1\"]').textContent)");
        browser.picture("clocks");
    }
    white.click("#draw");
    white.wait("document.querySelector('#draw').textContent === 'Really offer?'");
    white.click("#draw");
    white.wait("document.querySelector('#request').textContent.includes('You have offered a draw')");
    black.wait("document.querySelector('#request').textContent.includes('White offers a draw')");
    black.picture("draw-offered");
    black.click("#request .primary");
    for browser in [&mut white, &mut black] {
        browser.wait("document.querySelector('#over').textContent.includes('Draw (agreed)')");
        browser.wait("document.querySelectorAll('.clock.running').length === 0");
        browser.assert_no_errors();
    }
    black.picture("draw-agreed");
}

/// A folder for the games of one test at the terminal.
fn state(name: &str) -> std::path::PathBuf {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("clocks").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The only game that was saved.
fn saved(state: &std::path::Path) -> String {
    let mut files = std::fs::read_dir(state.join("ludwright/games")).unwrap();
    std::fs::read_to_string(files.next().unwrap().unwrap().path()).unwrap()
}

const AT_TERMINAL: [&str; 5] = ["tic_tac_toe", "--players", "human,human", "--clock", "2s"];

#[test]
fn at_the_terminal_time_runs_out_while_nobody_types() {
    let state = state("flag");
    let mut pty = Pty::play(&AT_TERMINAL, 80, 24, &state);
    pty.expect("X (human) to move, 0:02.0");
    // Nobody's time runs before the first move.
    std::thread::sleep(std::time::Duration::from_millis(2200));
    pty.send(&format!("b2{ENTER}"));
    pty.expect("O (human) to move, 0:01.");
    pty.expect("The game is over: X wins (O ran out of time)");
    pty.expect("O 0:00.0 human");
    pty.send(UNDO);
    pty.expect("A game that ended because time ran out cannot be taken back.");
    pty.send(QUIT);
    assert_eq!(pty.end(), 0);
    let text = saved(&state);
    assert!(text.contains("// clock 2s 2000 0\n") && text.contains("ran out of time"), "{text}");
}

#[test]
fn at_the_terminal_time_is_saved_with_the_game() {
    let state = state("saved");
    let mut pty = Pty::play(&["tic_tac_toe", "--players", "human,human", "--clock", "1h+30m"], 80, 24, &state);
    pty.send(&format!("b2{ENTER}"));
    pty.expect("O (human) to move");
    pty.send(&format!("a1{ENTER}"));
    pty.expect("X (human) to move, ");
    // A turn of the second player has ended, which brought half an hour.
    let both = |screen: &vt100::Screen| ["O 90:00 human", "O 89:5"].iter().any(|text| screen.contents().contains(text));
    pty.until("an hour and a half", both);
    pty.send(QUIT);
    assert_eq!(pty.end(), 0);
    let text = saved(&state);
    assert!(text.contains("// clock 1h+30m 359") && text.contains(" 53"), "{text}");
    let mut pty = Pty::play(&["--resume"], 80, 24, &state);
    pty.expect("X (human) to move, 59:5");
    pty.until("an hour and a half", both);
    pty.send(QUIT);
    assert_eq!(pty.end(), 0);
}

#[test]
fn at_the_terminal_a_draw_is_offered_and_taken_or_not() {
    let state = state("draw");
    let mut pty = Pty::play(&AT_TERMINAL[..3], 80, 24, &state);
    pty.send(&format!(":draw{ENTER}"));
    pty.expect("X offers a draw. Does O accept?");
    pty.send("n");
    pty.expect("The offer is declined.");
    pty.send(&format!(":draw{ENTER}"));
    pty.expect("X offers a draw. Does O accept?");
    pty.send("y");
    pty.expect("The game is over: draw (agreed)");
    pty.send(&format!(":draw{ENTER}"));
    pty.expect("The game is over.");
    pty.send(UNDO);
    pty.expect("X (human) to move");
    pty.send(QUIT);
    assert_eq!(pty.end(), 0);
    for (arguments, why) in [
        (&["iqishiqi", "--players", "human,human"][..], "The rules of this game know no draw."),
        (&["tic_tac_toe"], "programs agree to none"),
        (
            &["chinese_checkers", "-o", "player_count=3", "--players", "human,human,human"],
            "A draw can be agreed on only where two play.",
        ),
    ] {
        let mut pty = Pty::play(arguments, 80, 24, &state);
        pty.expect("to move");
        pty.send(&format!(":draw{ENTER}"));
        pty.expect(why);
        pty.send(QUIT);
        assert_eq!(pty.end(), 0);
    }
}

#[test]
fn line_by_line_draws_are_answered_and_clocks_are_shown() {
    let play = |input: &str, more: &[&str]| {
        let arguments = [&["play"], &AT_TERMINAL[..3], &["--plain"], more].concat();
        let mut child = ludwright().args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    let said = play("b2\ndraw\nno\ndraw\nYes\n", &[]);
    assert!(said.contains("O offers a draw. Does X accept?\nThe offer is declined.\n"), "{said}");
    assert!(said.ends_with("O offers a draw. Does X accept?\nThe game is over: draw (agreed)\n"), "{said}");
    let said = play("b2\nresign\n", &["--clock", "90s"]);
    assert!(said.contains("Time left: X 1:30, O 1:30") && said.ends_with("X wins (O resigned)\n"), "{said}");
}

/// A second or more: whoever thinks so long has used it.
fn think() {
    std::thread::sleep(std::time::Duration::from_millis(1100));
}

#[test]
fn time_of_whoever_thinks_is_saved_on_leaving() {
    let people = ["tic_tac_toe", "--players", "human,human", "--clock", "1h"];
    let plain = [&people[..], &["--plain"]].concat();
    let ways: [(&str, &[&str], &str); 4] = [
        ("quit", &people, QUIT),
        ("signal", &people, ""),
        ("plain-quit", &plain, "quit\r"),
        ("plain-end", &plain, "\x04"),
    ];
    for (name, arguments, keys) in ways {
        let state = state(name);
        let mut pty = Pty::play(arguments, 80, 24, &state);
        pty.expect(" to move");
        pty.send(&format!("b2{ENTER}"));
        pty.until("a saved game", |_| state.join("ludwright/games").is_dir());
        think();
        match keys {
            "" => {
                let id = pty.child.process_id().unwrap().to_string();
                assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
            }
            keys => pty.send(keys),
        }
        assert_eq!(pty.end(), 0, "{name}");
        let text = saved(&state);
        let clock = text.lines().find_map(|line| line.strip_prefix("// clock 1h 3600000 ")).unwrap();
        assert!(clock.parse::<u64>().unwrap() <= 3_598_900, "{name}: {text}");
    }
    // Where nothing was played there is nothing to save.
    let state = state("nothing");
    let mut pty = Pty::play(&people, 80, 24, &state);
    pty.expect("X (human) to move");
    pty.send(QUIT);
    assert_eq!(pty.end(), 0);
    assert!(!state.join("ludwright/games").exists());
}

#[test]
fn a_pipe_that_ends_too_late_ends_the_game_in_good_order() {
    let arguments = ["play", "tic_tac_toe", "--players", "human,human", "--clock", "1s", "--plain"];
    let mut child = ludwright().args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"b2\n").unwrap();
    think();
    // Until the move has been read no time runs.
    std::thread::sleep(std::time::Duration::from_secs(2));
    drop(input);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && said.ends_with("The game is over: X wins (O ran out of time)\n"), "{said}");
}

#[test]
fn line_by_line_what_comes_too_late_is_no_answer_and_no_move() {
    let state = state("late");
    let mut pty = Pty::play(&[&AT_TERMINAL[..], &["--plain"]].concat(), 80, 40, &state);
    pty.expect("Your move");
    pty.send(&format!("b2{ENTER}"));
    pty.expect("1. X: b2");
    pty.send(&format!("draw{ENTER}"));
    pty.expect("yes or no: ");
    think();
    think();
    pty.send(&format!("y{ENTER}"));
    pty.expect("The game is over: X wins (O ran out of time)");
    pty.expect("save FILE or quit: ");
    let text = pty.text();
    assert!(!text.contains("undo") && !text.contains("`y`"), "{text}");
    pty.send(&format!("undo{ENTER}"));
    pty.expect("A game that ended because time ran out cannot be taken back.");
    pty.send(&format!("quit{ENTER}"));
    assert_eq!(pty.end(), 0);
}

#[test]
fn line_by_line_whoever_goes_on_instead_of_answering_says_no() {
    let state = state("answers");
    let mut pty = Pty::play(&[&AT_TERMINAL[..3], &["--plain"]].concat(), 80, 60, &state);
    pty.expect("Your move");
    pty.send(&format!("resign{ENTER}"));
    pty.expect("Does X resign?");
    pty.send(&format!("perhaps{ENTER}"));
    pty.expect("Nobody resigns.");
    pty.send(&format!("draw{ENTER}"));
    pty.expect("X offers a draw. Does O accept?");
    pty.send(&format!("b2{ENTER}"));
    pty.expect("The offer is declined.");
    pty.expect("1. X: b2");
    pty.send(&format!("resign{ENTER}"));
    pty.expect("Does O resign?");
    pty.send(&format!("quit{ENTER}"));
    assert_eq!(pty.end(), 0);
    assert!(!saved(&state).contains("result"), "{}", saved(&state));
}

#[test]
fn a_saved_clock_that_cannot_be_read_is_replaced_and_a_comment_is_none() {
    let file = state("clock").join("game.txt");
    let name = file.to_str().unwrap();
    let resume = |text: &str, more: &[&str]| {
        std::fs::write(&file, text).unwrap();
        let output = ludwright().args(["play", "--resume", name]).args(more).stdin(Stdio::null()).output().unwrap();
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    let ours = "// game tic_tac_toe\n// rules 00\n// clock 5m+3s 18446744073709551615 18446744073709551615\nb2\n";
    let (well, said) = resume(ours, &[]);
    assert!(!well && said.contains("`--clock TIME`") && said.contains("at most 16 times left"), "{said}");
    assert!(resume(ours, &["--clock", "5m"]).0);
    let (well, said) = resume("// game tic_tac_toe\n// clock ran down in the cafe\nb2\n", &[]);
    assert!(well, "{said}");
}
