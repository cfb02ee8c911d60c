//! The server and games that hide something: every request that it takes is sent for two games that a seat cannot tell apart,
//! and is answered alike.

use super::common::browser::Browser;
use super::common::server::{Reply, Server};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/phantom_tic_tac_toe.game");
const GAME: &str = "phantom_tic_tac_toe";
const PEOPLE: [&str; 2] = ["human", "human"];
/// The last seconds of a stream of events come to nothing more.
const STREAM: &str = "GET /sessions/{id}/events";

/// Every request of the server, with what is sent of it. A route that is not here fails the test.
const DOORS: [(&str, &[&str]); 33] = [
    ("GET /games", &[""]),
    ("GET /games/{name}", &[""]),
    ("GET /games/{name}/text", &[""]),
    ("GET /games/{name}/picture.svg", &[""]),
    ("POST /sessions", &[r#"{"from":"ID"}"#, r#"{"from":"ID","seats":["random","human"]}"#]),
    ("GET /sessions/{id}", &[""]),
    ("DELETE /sessions/{id}", &[""]),
    ("GET /sessions/{id}/status", &[""]),
    (STREAM, &["", "?seat=0", "?seat=1&version=3"]),
    ("GET /sessions/{id}/lesson", &[""]),
    ("GET /sessions/{id}/board.svg", &["", "?ply=0", "?ply=1", "?ply=2&theme=dark", "?ply=9"]),
    ("GET /sessions/{id}/record", &[""]),
    ("GET /sessions/{id}/text", &[""]),
    ("GET /sessions/{id}/facts", &[""]),
    (
        "POST /sessions/{id}/choices",
        &[
            r#"{"picked":[]}"#,
            r#"{"picked":[{"site":"b2"}]}"#,
            r#"{"picked":[{"site":"a1"}]}"#,
            r#"{"picked":[{"site":"c3"},{"site":"b2"}]}"#,
        ],
    ),
    (
        "POST /sessions/{id}/why",
        &[
            "{}",
            r#"{"move":"b2"}"#,
            r#"{"move":"a1"}"#,
            r#"{"picked":[{"site":"b2"}]}"#,
            r#"{"picked":[{"site":"c3"}]}"#,
        ],
    ),
    (
        "POST /sessions/{id}/moves",
        &[
            r#"{"move":"c1"}"#,
            r#"{"move":"a1"}"#,
            r#"{"move":"z9"}"#,
            r#"{"index":4000}"#,
            r#"{"picked":[{"site":"c1"}]}"#,
            r#"{"picked":[{"site":"a1"}]}"#,
            r#"{"picked":[]}"#,
        ],
    ),
    ("POST /sessions/{id}/undo", &["{}"]),
    ("POST /sessions/{id}/redo", &["{}"]),
    ("POST /sessions/{id}/goto", &[r#"{"ply":0}"#, r#"{"ply":1}"#, r#"{"ply":2}"#]),
    ("POST /sessions/{id}/resign", &["{}", r#"{"seat":0}"#, r#"{"seat":1}"#]),
    (
        "POST /sessions/{id}/seats",
        &[r#"{"seats":["human","random"]}"#, r#"{"seats":["human","human"]}"#, r#"{"seats":["human"]}"#],
    ),
    ("POST /sessions/{id}/claim", &["{}", r#"{"seat":0}"#, r#"{"seat":1}"#]),
    ("POST /sessions/{id}/names", &[r#"{"seat":0,"name":"Ada"}"#, r#"{"seat":1,"name":"Ada"}"#]),
    ("POST /sessions/{id}/request", &[r#"{"undo":0}"#, r#"{"undo":1}"#, r#"{"draw":0}"#, r#"{"draw":1}"#]),
    ("POST /sessions/{id}/answer", &[r#"{"yes":true}"#, r#"{"yes":false}"#]),
    ("POST /sessions/{id}/rematch", &["{}", r#"{"swap":true}"#]),
    ("POST /sessions/{id}/stop", &["{}"]),
    ("POST /sessions/{id}/retry", &["{}"]),
    ("POST /sessions/{id}/hint", &[r#"{"program":"random"}"#, r#"{"program":"mcts:64"}"#, r#"{"program":"human"}"#]),
    ("POST /check", &[r#"{"text":"game"}"#]),
    ("POST /test", &[r#"{"text":"game"}"#]),
    ("GET /explain/{code}", &[""]),
];

/// Requests that know a text and a place in it, and nothing of any session.
const OF_TEXTS: [&str; 3] = ["POST /format", "POST /hover", "POST /complete"];

/// Two games in one of which a player has moved elsewhere; with the keys of both seats.
struct Pair {
    games: [(String, Vec<String>); 2],
}

fn begin(server: &Server, wish: &Value) -> String {
    let reply = server.post("/api/sessions", wish);
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.json()["id"].as_str().unwrap().to_owned()
}

fn claim(server: &Server, id: &str, seat: usize) -> String {
    let reply = server.post(&format!("/api/sessions/{id}/claim"), &json!({ "seat": seat }));
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.json()["key"].as_str().unwrap().to_owned()
}

fn play(server: &Server, id: &str, key: &str, text: &str) -> Value {
    let reply = server.post(&format!("/api/sessions/{id}/moves?key={key}"), &json!({ "move": text }));
    assert_eq!(reply.status, 200, "{text}: {}", reply.body);
    reply.json()
}

impl Pair {
    fn new(server: &Server, moves: [&[&str]; 2]) -> Self {
        let games = moves.map(|moves| {
            let id = begin(server, &json!({ "game": GAME, "seats": PEOPLE }));
            let keys = vec![claim(server, &id, 0), claim(server, &id, 1)];
            for (ply, text) in moves.iter().enumerate() {
                play(server, &id, &keys[ply % 2], text);
            }
            (id, keys)
        });
        Self { games }
    }

    /// What both are answered, with all that is drawn by lot taken out.
    fn ask(&self, server: &Server, door: &str, sent: &str, key: &str) -> [(u16, String); 2] {
        [0, 1].map(|at| {
            let (id, keys) = &self.games[at];
            let key = match key {
                "first" => &keys[0],
                "second" => &keys[1],
                other => other,
            };
            let reply = ask(server, door, sent, id, key);
            (reply.status, anonymous(&reply.body))
        })
    }

    fn are_over(&self, server: &Server) -> [bool; 2] {
        [0, 1].map(|at| server.get(&format!("/api/sessions/{}", self.games[at].0)).json()["over"] == true)
    }
}

fn ask(server: &Server, door: &str, sent: &str, id: &str, key: &str) -> Reply {
    let (method, path) = door.split_once(' ').unwrap();
    let path = path.replace("{id}", id).replace("{name}", GAME).replace("{code}", "LW201");
    let (query, body) = if sent.starts_with('?') { (sent, "") } else { ("", sent) };
    let with_key = match (key.is_empty(), query.is_empty()) {
        (true, _) => query.to_owned(),
        (false, true) => format!("?key={key}"),
        (false, false) => format!("{query}&key={key}"),
    };
    let path = format!("/api{path}{with_key}");
    if door == STREAM {
        return first_events(server, &path);
    }
    let json = if method == "POST" { "Content-Type: application/json\r\n" } else { "" };
    server.request(method, &path, json, body.replace("ID", id).as_bytes())
}

/// What a stream of events says at first.
fn first_events(server: &Server, path: &str) -> Reply {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address).unwrap();
    let (mut told, mut bytes) = (Vec::new(), [0; 4096]);
    let text = loop {
        let count = stream.read(&mut bytes).unwrap();
        told.extend_from_slice(&bytes[..count]);
        let text = String::from_utf8_lossy(&told).into_owned();
        let status = text.find("event: status").is_some_and(|at| text[at..].contains("\n\n"));
        if count == 0 || status {
            break text;
        }
    };
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Reply { status, head: head.to_owned(), body: body.lines().filter(|line| line.len() > 6).collect() }
}

/// A text without numbers of games and keys, which have 32 hexadecimal digits, and without who looks on at the moment: that
/// depends on when somebody was missed.
fn anonymous(text: &str) -> String {
    let mut words = String::new();
    let (before, behind) = text.split_once("\"present\":[").unwrap_or((text, ""));
    let text = &format!("{before}{}", behind.trim_start_matches(|c: char| c != ']'));
    for word in text.split_inclusive(|c: char| !c.is_ascii_hexdigit()) {
        let digits = word.trim_end_matches(|c: char| !c.is_ascii_hexdigit());
        words.push_str(if digits.len() == 32 { "#" } else { digits });
        words.push_str(&word[digits.len()..]);
    }
    words
}

/// The routes in the source of the server, as `METHOD /path`.
fn routes() -> BTreeSet<String> {
    let source = include_str!("../../src/serve/api.rs");
    let lines = source.lines().filter_map(|line| line.trim().strip_prefix(".route(\""));
    let mut routes = BTreeSet::new();
    for line in lines {
        let (path, methods) = line.split_once('"').unwrap();
        let known = [("get(", "GET"), ("post(", "POST"), ("delete(", "DELETE"), ("put(", "PUT"), ("patch(", "PATCH")];
        let found: Vec<_> = known.iter().filter(|(call, _)| methods.contains(call)).collect();
        assert!(!found.is_empty(), "{line}");
        routes.extend(found.iter().map(|(_, method)| format!("{method} {path}")));
    }
    routes
}

/// Two answers are the same; shown is where they begin to differ.
fn assert_alike(here: &(u16, String), there: &(u16, String), what: &str) {
    let same = here.1.bytes().zip(there.1.bytes()).take_while(|(a, b)| a == b).count();
    let part = |text: &str| {
        String::from_utf8_lossy(&text.as_bytes()[same.saturating_sub(80)..]).chars().take(160).collect::<String>()
    };
    assert!(here == there, "{what}: {} {:?} and {} {:?}", here.0, part(&here.1), there.0, part(&there.1));
}

#[test]
fn the_test_knows_every_route() {
    let known: BTreeSet<String> = DOORS.iter().map(|(door, _)| *door).chain(OF_TEXTS).map(str::to_owned).collect();
    assert_eq!(known, routes());
}

/// Sends every request for two games that whoever looks cannot tell apart, before and after it asks how they stand, and finds
/// no difference.
fn every_request_is_answered_alike(name: &str, moves: [&[&str]; 2], looker: &str) {
    let server = Server::start(name, &[FILE]);
    let mut sent_in_all = 0;
    let mut pair = Pair::new(&server, moves);
    for (door, bodies) in DOORS {
        for body in bodies {
            for key in [looker, "", "0123456789abcdef0123456789abcdef"] {
                let [here, there] = pair.ask(&server, door, body, key);
                sent_in_all += 1;
                let own_resigns = door.ends_with("/resign") && key == looker && here.0 == 200;
                assert_eq!(pair.are_over(&server), [own_resigns; 2], "{door} {body} {key}: {}", here.1);
                if !own_resigns {
                    assert_alike(&here, &there, &format!("{door} {body} by {key:?}"));
                    for asked in ["GET /sessions/{id}", "GET /sessions/{id}/board.svg"] {
                        let [here, there] = pair.ask(&server, asked, "", looker);
                        assert_alike(&here, &there, &format!("{asked} after {door} {body} by {key:?}"));
                    }
                }
                // Whatever has changed the games, the next request finds them as they were.
                if !door.starts_with("GET") && here.0 < 300 {
                    pair = Pair::new(&server, moves);
                }
            }
        }
    }
    assert!(sent_in_all > 150, "{sent_in_all}");
}

#[test]
fn whoever_is_to_move_learns_nothing_by_any_request() {
    every_request_is_answered_alike("hidden-mover", [&["a1", "b2"], &["a1", "c3"]], "first");
}

#[test]
fn whoever_waits_learns_nothing_by_any_request() {
    every_request_is_answered_alike("hidden-waits", [&["a1", "c3"], &["b1", "c3"]], "second");
    every_request_is_answered_alike("hidden-other", [&["a1", "b2", "c2"], &["a1", "c3", "c2"]], "first");
}

#[test]
fn two_people_see_different_boards_and_at_the_end_the_same() {
    let mut server = Server::start("hidden-two", &[FILE]);
    let id = begin(&server, &json!({ "game": GAME, "seats": PEOPLE }));
    let keys = [claim(&server, &id, 0), claim(&server, &id, 1)];
    play(&server, &id, &keys[0], "a1");
    let view = play(&server, &id, &keys[1], "a1");
    assert_eq!((&view["moves"], view["now"].as_u64()), (&json!(["?", "a1"]), Some(2)));
    server.restart(&[FILE]);
    let seen = |key: &str| server.get(&format!("/api/sessions/{id}?key={key}")).json();
    let (cross, nought, anybody) = (seen(&keys[0]), seen(&keys[1]), seen(""));
    assert_eq!((&cross["moves"], &cross["choices"], &cross["last"]), (&json!(["a1", "?"]), &Value::Null, &json!([])));
    assert_eq!(
        (&anybody["moves"], &anybody["choices"], &anybody["legal"]),
        (&json!(["?", "?"]), &Value::Null, &json!(0))
    );
    assert_eq!((nought["choices"]["sites"].as_array().map(Vec::len), nought["legal"].as_u64()), (Some(8), Some(8)));
    assert!(nought["choices"]["effects"].as_array().is_some_and(Vec::is_empty), "{}", nought["choices"]);
    let marks = |view: &Value| view["board"].as_str().unwrap().matches("piece p").count();
    assert_eq!((marks(&cross), marks(&nought), marks(&anybody)), (1, 1, 0));
    // Whoever is not to move plays nothing, and nobody plays without a key.
    for key in ["", keys[0].as_str()] {
        let reply = server.post(&format!("/api/sessions/{id}/moves?key={key}"), &json!({ "move": "b2" }));
        assert_eq!((reply.status, reply.code().as_str()), (409, "not_yours"), "{}", reply.body);
    }
    for (ply, text) in ["b2", "b1", "b3", "c1"].iter().enumerate() {
        play(&server, &id, &keys[(ply + 1) % 2], text);
    }
    let over = seen("");
    assert_eq!((&over["over"], &over["moves"]), (&json!(true), &json!(["a1", "a1", "b2", "b1", "b3", "c1"])));
    assert!(server.get(&format!("/api/sessions/{id}/record")).body.contains("b3"));
    // Nobody goes back with what he knows by now.
    for (what, body) in [("undo", json!({})), ("goto", json!({ "ply": 0 })), ("redo", json!({}))] {
        let reply = server.post(&format!("/api/sessions/{id}/{what}?key={}", keys[0]), &body);
        assert_eq!(reply.code(), "hidden", "{}", reply.body);
    }
    // The keys are those of the next game, one seat further on.
    let next = server.post(&format!("/api/sessions/{id}/rematch?key={}", keys[0]), &json!({ "swap": true })).json();
    let next = next["id"].as_str().unwrap().to_owned();
    play(&server, &next, &keys[1], "a1");
}

#[test]
fn what_a_program_thinks_is_told_to_nobody() {
    let server = Server::start("hidden-thinks", &[FILE]);
    let id = begin(&server, &json!({ "game": GAME, "seats": ["human", "mcts:1000000000"] }));
    let key = claim(&server, &id, 0);
    let taken = server.post(&format!("/api/sessions/{id}/claim"), &json!({ "seat": 1 }));
    assert_eq!((taken.status, taken.code().as_str()), (409, "taken"));
    play(&server, &id, &key, "a1");
    let status = server.wait_until(&format!("/api/sessions/{id}/status"), |status| !status["thinking"].is_null());
    let told = &status["thinking"];
    assert_eq!((&told["text"], &told["rounds"], &told["value"]), (&json!(""), &json!(0), &json!(0.5)));
    // Whoever takes over the seat of a program would see what it has seen.
    let seats = server.post(&format!("/api/sessions/{id}/seats?key={key}"), &json!({ "seats": PEOPLE }));
    assert_eq!((seats.status, seats.code().as_str()), (403, "not_yours"));
    server.post(&format!("/api/sessions/{id}/stop"), &json!({}));
    assert_eq!(server.wait_for(&id, |view| view["now"] == 2)["moves"], json!(["?", "?"]));
}

#[test]
fn a_game_that_hides_something_begins_at_its_start_with_the_dice_of_the_server() {
    let server = Server::start("hidden-begins", &[FILE]);
    for wish in [json!({ "game": GAME, "record": "a1" }), json!({ "game": GAME, "own_dice": true })] {
        let reply = server.post("/api/sessions", &wish);
        assert_eq!((reply.status, reply.code().as_str()), (409, "hidden"), "{}", reply.body);
    }
    let open = begin(&server, &json!({ "text": include_str!("../../games/rows/tic_tac_toe.game") }));
    let reply = server.post(&format!("/api/sessions/{open}/claim"), &json!({}));
    assert_eq!((reply.status, reply.code().as_str()), (409, "nothing_to_do"));
}

#[test]
fn two_browsers_at_one_game_show_what_each_sees() {
    let (Some(mut first), Some(mut second)) = (Browser::start("hidden-first"), Browser::start("hidden-second")) else {
        return;
    };
    let server = Server::start("hidden-browsers", &[FILE]);
    let id = begin(&server, &json!({ "game": GAME, "seats": PEOPLE }));
    // The first to come has the first seat, the other one what is left.
    for (browser, name) in [(&mut first, "Cross"), (&mut second, "Nought")] {
        browser.open(&format!("http://{}/play/{id}", server.address));
        browser.wait(&format!("document.querySelector('#seat').selectedOptions[0]?.textContent === '{name}'"));
    }
    first.wait("document.querySelectorAll('#board .can').length === 9");
    first.click("#board [data-site='a1']");
    second.wait("document.querySelectorAll('#board .can').length === 9");
    let marks = "document.querySelectorAll('#board .piece').length";
    assert_eq!((first.eval(marks), second.eval(marks)), (json!(1), json!(0)));
    second.click("#board [data-site='b2']");
    first.wait(
        "document.querySelectorAll('#moves li').length === 2 && document.querySelectorAll('#board .can').length > 0",
    );
    let told = "[...document.querySelectorAll('#moves li')].map((li) => li.textContent).join(' ')";
    assert_eq!((first.eval(told), second.eval(told)), (json!("a1 ?"), json!("? b2")));
    assert_eq!((first.eval(marks), second.eval(marks)), (json!(1), json!(1)));
    // Looking back shows no more.
    first.click("#back");
    first.wait("document.querySelector('#at').textContent.startsWith('1')");
    assert_eq!(first.eval(marks), json!(1));
    for browser in [&first, &second] {
        browser.assert_no_errors();
    }
}
