//! What `why` answers on a terminal and in a session.

use super::common::ludwright;
use serde_json::Value as Json;
use std::io::Write as _;
use std::process::Stdio;

/// The questions and the answers to them, as on a terminal.
fn asked(game: &str, options: &str, questions: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (moves, mv) in questions {
        let mut args: Vec<String> = vec!["why".to_owned(), game.to_owned()];
        args.extend(options.split_whitespace().flat_map(|option| ["-o".to_owned(), option.to_owned()]));
        if !moves.is_empty() {
            args.extend(["--moves".to_owned(), (*moves).to_owned()]);
        }
        args.extend(["--move".to_owned(), (*mv).to_owned()]);
        let output = ludwright().args(&args).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        let quoted: Vec<String> =
            args.iter().map(|arg| if arg.contains(' ') { format!("\"{arg}\"") } else { arg.clone() }).collect();
        text.push_str(&format!("$ ludwright {}\n{}\n", quoted.join(" "), String::from_utf8(output.stdout).unwrap()));
    }
    text
}

#[test]
fn equi() {
    insta::assert_snapshot!(asked(
        "equi",
        "size=3",
        &[
            ("", "e9"),
            ("", "c1"),
            ("", "a3 disc"),
            ("e1", "e1 territory"),
            ("e1", "c1 territory"),
            ("e1", "b2 disc"),
            ("e1", "skip"),
            ("e1", "pass"),
            ("e1, c1", "e1-e3"),
            ("e1, c1, d2", "c1-b2"),
            ("e1, c1, d2", "b2"),
            ("e1, c1, d2", "c1^e3"),
            ("e1, c1, d2, c1^e3", "b2 disc"),
            ("e1, c1, d2, c1^e3", "e3-c3"),
        ]
    ));
}

#[test]
fn equi_by_other_rules() {
    insta::assert_snapshot!(asked(
        "equi",
        "size=3 step_then_hop=yes placing=after_movement",
        &[("e1, c1", "skip"), ("e1, c1", "pass"),]
    ));
    insta::assert_snapshot!(
        "equi_same_piece_twice",
        asked("equi", "size=3 own_capture=same", &[("e5, f4, b2, f4-g5, i3, e1, g5^c5", "c5^g5")])
    );
    insta::assert_snapshot!(
        "equi_safe_discs",
        asked("equi", "size=3 disc_safety=safe opening=anywhere", &[("g5, f4", "e3 disc")])
    );
}

#[test]
fn epoxy() {
    insta::assert_snapshot!(asked(
        "epoxy",
        "size=hexagon side=3",
        &[
            ("", "skip"),
            ("c1", "e1"),
            ("c1", "c1"),
            ("c1", "c1-e1"),
            ("c1, b4, i3", "b4-a3"),
            ("c1, b4, i3", "c1-c1"),
            ("c1, b4, i3", "c1-h2"),
            ("c1, b4, i3", "c1-b2"),
            ("c1, b4, i3", "c1-d2"),
            ("c1, b4, i3", "skip"),
        ]
    ));
}

#[test]
fn iqishiqi() {
    insta::assert_snapshot!(asked(
        "iqishiqi",
        "side=3",
        &[
            ("", "e3"),
            ("", "c1n"),
            ("", "c1"),
            ("", "e1"),
            ("", "pass"),
            ("c1", "c1"),
            ("c1", "g3 3"),
            ("g5", "f4"),
            ("c1, h2", "a3"),
        ]
    ));
}

#[test]
fn weituweiqi() {
    insta::assert_snapshot!(asked(
        "weituweiqi",
        "side=3",
        &[
            ("take", "take"),
            ("take", "e3"),
            ("take", "e1"),
            ("", "drop"),
            ("", "take"),
            ("take, c5", "b4"),
            ("take", "pass"),
            ("take, c1, h2", "a3"),
        ]
    ));
}

#[test]
fn pushpin() {
    insta::assert_snapshot!(asked(
        "pushpin",
        "side=3",
        &[
            ("", "e3 1"),
            ("", "d2 2"),
            ("", "d2 0"),
            ("", "d2 -"),
            ("", "c1 1"),
            ("", "d2"),
            ("", "skip"),
            ("", "d2 1"),
            ("pass, pass", "c1 -"),
        ]
    ));
    insta::assert_snapshot!("pushpin_at_the_rim", asked("pushpin", "side=2", &[("", "b1 1"), ("", "b1 -")]));
}

#[test]
fn push_and_pull() {
    insta::assert_snapshot!(asked(
        "push_and_pull",
        "side=3",
        &[
            ("", "b2 - -"),
            ("", "f2 -2 -1"),
            ("", "f2 - -"),
            ("", "f2 -1 +3"),
            ("f2 -1 -1", "c1 - -"),
            ("", "f2 -1 -1"),
            ("", "pass"),
        ]
    ));
    insta::assert_snapshot!(
        "push_and_pull_single",
        asked("push_and_pull", "side=3 protocol=single", &[("", "g1 - -")])
    );
}

#[test]
fn hops_a_daisy() {
    insta::assert_snapshot!(asked(
        "hops_a_daisy",
        "size=2",
        &[
            ("a2, c2", "c2"),
            ("b1, d1", "c2 hex"),
            ("b1, d1", "b1-d1"),
            ("", "skip"),
            ("", "a1"),
            ("", "a2^e2"),
            ("", "a2 disc"),
            ("b3, c2", "e2 disc"),
            ("pass, d5, h1, c2, a2, b1", "d1"),
            ("pass, d5, h1, c2, a2, b1", "a2^d1"),
            ("pass, pass", "a2"),
        ]
    ));
}

#[test]
fn refugia() {
    insta::assert_snapshot!(asked(
        "refugia",
        "size=2 shape=wide",
        &[
            ("c2, g2", "e2"),
            ("c2, g2", "c2-a2"),
            ("c2, g2", "c2^g2"),
            ("c2, e2", "c2^g2"),
            ("c2, e2", "e2-g2"),
            ("c2, e2", "c2-b1"),
            ("", "skip"),
            ("pass, pass", "c2"),
        ]
    ));
}

#[test]
fn situ() {
    insta::assert_snapshot!(asked(
        "situ",
        "",
        &[
            ("", "a2"),
            ("a2 x", "a2 x"),
            ("pass", "pass"),
            ("pass", "-a2"),
            ("pass, b1, d1, f1", "-b1"),
            ("pass", "c2 x"),
            ("pass, b1", "b1"),
            ("pass, b1, d1", "-b"),
        ]
    ));
    insta::assert_snapshot!(
        "situ_controlled",
        asked("situ", "surplus=2", &[("pass, g4, h1, a2", "b1"), ("pass, g4", "-g4"), ("pass, d1, a2, i2", "-a2"),])
    );
}

/// Kinds of clauses that the shipped games do not have.
#[test]
fn other_clauses() {
    insta::assert_snapshot!(asked(
        "tests/data/clauses.game",
        "",
        &[
            ("", "earn 9"),
            ("earn 2", "earn 1"),
            ("", "calmx"),
            ("", "angry"),
            ("", "a1n"),
            ("+a4", "+b4"),
            ("", "a1x"),
            ("", "a1xb2"),
            ("", "a1>9"),
            ("", "a1>3"),
            ("a1-a2", "b2^d2"),
            ("", "stop"),
            ("calm", "earn 1"),
            ("+d2, d4-d3", "d2^d4"),
            ("+d2, d4-d3, a1-a2, earn 1, a2^c2", "d2^d4"),
            ("+d2, d4-d3, a1-a2, earn 1, a2^c2", "c2^a2"),
            ("a1-a2, earn 1, a2-a3, b2-b3", "a3>2"),
        ]
    ));
}

#[test]
fn variants_written_in_text_alone() {
    let draughts = "tests/variants/draughts.game";
    insta::assert_snapshot!(
        "draughts",
        asked(
            draughts,
            "",
            &[("", "a5-c3"), ("", "a5-a4"), ("a5-b4", "b2xd4"), ("c5-d4, b2-a3, d4-c3", "a3-b4"), ("", "b2-a3")]
        )
    );
    let go = "tests/variants/go.game";
    insta::assert_snapshot!(
        "go",
        asked(go, "", &[("a2, a1", "a1"), ("a2, e5, b1", "a1"), ("a1, d1, b2, c2, c1, b1", "c1")])
    );
}

#[test]
fn a_session_tells_why() {
    let requests = [
        r#"{"cmd":"load","game":"pushpin","options":{"side":3}}"#,
        r#"{"cmd":"why","move":"d2 2"}"#,
        r#"{"cmd":"why","move":"d2 1"}"#,
        r#"{"cmd":"why"}"#,
        r#"{"cmd":"reset","moves":["pass","pass"]}"#,
        r#"{"cmd":"why","move":"d2 1"}"#,
    ];
    let mut child = ludwright().arg("session").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(requests.join("\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let replies: Vec<Json> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    insta::assert_snapshot!(serde_json::to_string_pretty(&replies[1..]).unwrap());
}
