//! The real server over HTTP: whole games, restarts, and all that a page or a stranger may send.

use super::common::server::{Reply, Server};
use super::common::{fresh, ludwright};
use serde_json::{Value, json};
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

fn begin(server: &Server, wish: &Value) -> (String, Value) {
    let reply = server.post("/api/sessions", wish);
    assert_eq!(reply.status, 201, "{}", reply.body);
    let view = reply.json();
    (view["id"].as_str().unwrap().to_owned(), view)
}

fn act(server: &Server, id: &str, what: &str, body: &Value) -> Value {
    let reply = server.post(&format!("/api/sessions/{id}/{what}"), body);
    assert_eq!(reply.status, 200, "{what}: {}", reply.body);
    reply.json()
}

fn moves(view: &Value) -> Vec<&str> {
    view["moves"].as_array().unwrap().iter().filter_map(Value::as_str).collect()
}

/// The part of a refusal that people read.
fn told(reply: &Reply) -> String {
    let error = &reply.json()["error"];
    let help = error["help"].as_str().map_or(String::new(), |help| format!(" ({help})"));
    format!("{} {}: {}{help}", reply.status, error["code"].as_str().unwrap(), error["message"].as_str().unwrap())
}

#[test]
fn a_game_is_played_taken_back_and_kept_over_a_restart() {
    let mut server = Server::start("play", &[]);
    let (id, view) = begin(&server, &json!({ "game": "tic_tac_toe", "seats": ["human", "human"] }));
    assert_eq!((view["to_move"].as_u64(), view["legal"].as_u64()), (Some(0), Some(9)));
    let view = act(&server, &id, "moves", &json!({ "move": "a1" }));
    assert_eq!(view["last"], json!(["a1"]));
    let view = act(&server, &id, "moves", &json!({ "move": "b2", "version": view["version"] }));
    let stale = server.post(&format!("/api/sessions/{id}/moves"), &json!({ "move": "c3", "version": 1 }));
    let view_after = act(&server, &id, "undo", &json!({ "version": view["version"] }));
    assert_eq!((view_after["now"].as_u64(), moves(&view_after).len()), (Some(1), 2));
    let view = act(&server, &id, "redo", &json!({}));
    assert_eq!(view["now"], 2);
    let illegal = server.post(&format!("/api/sessions/{id}/moves"), &json!({ "move": "a1" }));
    let clause = &illegal.json()["error"]["detail"]["clause"];
    assert_eq!(clause["text"].as_str().map(|text| text.contains("empty")), Some(true), "{clause}");
    insta::assert_snapshot!(format!("{}\n{}", told(&stale), told(&illegal)), @r"
    409 stale: the game has gone on: it is at version 3 (look at it again before you play)
    422 illegal: `a1` is no legal move; there are 7 legal ones, among them a3, a2
    ");

    server.restart(&[]);
    let view = server.get(&format!("/api/sessions/{id}")).json();
    assert_eq!(moves(&view), ["a1", "b2"]);
    for mv in ["a2", "c3", "a3"] {
        act(&server, &id, "moves", &json!({ "move": mv }));
    }
    let view = server.get(&format!("/api/sessions/{id}")).json();
    assert_eq!(view["over"], true);
    let more = server.post(&format!("/api/sessions/{id}/moves"), &json!({ "move": "c1" }));
    assert_eq!((more.status, more.code()), (409, "over".to_owned()));
    let record = server.get(&format!("/api/sessions/{id}/record"));
    assert!(
        record.body.contains("// game tic_tac_toe") && record.body.ends_with("a1\nb2\na2\nc3\na3\n"),
        "{}",
        record.body
    );

    // A record is a game again.
    let (_, again) =
        begin(&server, &json!({ "game": "tic_tac_toe", "record": record.body, "seats": ["human", "human"] }));
    assert_eq!((moves(&again).len(), again["over"].as_bool()), (5, Some(true)));
    let wrong = server.post("/api/sessions", &json!({ "game": "tic_tac_toe", "record": "a1\na1" }));
    assert_eq!((wrong.status, wrong.code()), (409, "rules_changed".to_owned()));
}

#[test]
fn moves_are_chosen_part_by_part_and_refused_with_the_line() {
    let server = Server::start("choose", &[]);
    let (id, view) = begin(&server, &json!({ "game": "breakthrough", "seats": ["human", "human"] }));
    assert_eq!(view["choices"]["sites"].as_array().unwrap().len(), 8);
    let step = |picked: Value| act(&server, &id, "choices", &json!({ "picked": picked }));
    assert_eq!(step(json!([{ "site": "b2" }]))["sites"], json!(["a3", "b3", "c3"]));
    let whole = step(json!([{ "site": "b2" }, { "site": "b3" }]));
    let why = act(&server, &id, "why", &json!({ "picked": [{ "site": "b2" }, { "site": "b5" }] }));
    assert!(why["clause"]["line"].as_u64().is_some() && why["legal"] == false, "{why}");
    let view = act(&server, &id, "moves", &json!({ "index": whole["index"] }));
    assert_eq!(moves(&view), [whole["move"].as_str().unwrap()]);
    let picture = server.get(&format!("/api/sessions/{id}/board.svg?ply=1&theme=dark"));
    assert!(picture.body.contains(r#"data-site="b3""#) && picture.head.contains("image/svg+xml"), "{}", picture.head);
    assert_eq!(server.get(&format!("/api/sessions/{id}/board.svg?ply=9")).status, 400);
}

#[test]
fn people_may_roll_dice_of_their_own() {
    let server = Server::start("dice", &[]);
    let wish = |own: bool| json!({ "game": "snakes_and_ladders", "seats": ["human", "human"], "own_dice": own });
    let (id, view) = begin(&server, &wish(true));
    assert_eq!((&view["chance"], &view["decider"], &view["own_dice"]), (&json!(true), &json!("human"), &json!(true)));
    assert_eq!(view["choices"]["names"].as_array().map(Vec::len), Some(6), "{}", view["choices"]);
    let view = act(&server, &id, "moves", &json!({ "move": "5" }));
    assert_eq!(moves(&view), ["5"]);
    assert_eq!(act(&server, &id, "undo", &json!({}))["now"], 0);
    // Otherwise nobody says what chance decides: the server has done so before anybody could.
    let (id, view) = begin(&server, &wish(false));
    assert_eq!(view["decider"], "chance");
    server.wait_for(&id, |view| view["now"].as_u64() > Some(0));
    let facts = server.get(&format!("/api/sessions/{id}/facts")).json();
    assert_eq!((&facts["chance"], &facts["hides"]), (&json!(true), &json!(false)));
}

#[test]
fn programs_play_along_think_among_themselves_and_are_replaced() {
    let server = Server::start("programs", &[]);
    let (id, _) = begin(&server, &json!({ "game": "tic_tac_toe", "seats": ["random", "random"] }));
    let over = server.wait_for(&id, |view| view["over"] == true);
    assert!(over["result"].is_string());
    let (id, _) = begin(&server, &json!({ "game": "hex", "options": { "size": 3 }, "seats": ["human", "random"] }));
    act(&server, &id, "moves", &json!({ "move": "b2" }));
    let view = server.wait_for(&id, |view| view["now"] == 2);
    assert_eq!(view["decider"], "human");
    assert_eq!(act(&server, &id, "undo", &json!({}))["now"], 0);
    let hint = act(&server, &id, "hint", &json!({ "program": "random" }));
    assert!(hint["sites"].as_array().unwrap().len() == 1, "{hint}");
    let view = act(&server, &id, "seats", &json!({ "seats": ["human", "human"] }));
    assert_eq!(view["seats"], json!(["human", "human"]));
    let view = act(&server, &id, "resign", &json!({}));
    assert_eq!(view["result"].as_str().map(|text| text.contains("resigned")), Some(true));
    let refused = [
        server.post(&format!("/api/sessions/{id}/seats"), &json!({ "seats": ["deep", "human"] })),
        server.post(&format!("/api/sessions/{id}/seats"), &json!({ "seats": ["human"] })),
        server.post("/api/sessions", &json!({ "game": "hex", "options": { "size": 99 } })),
        server.post("/api/sessions", &json!({ "game": "hex", "ruleset": "none" })),
        server.post("/api/sessions", &json!({ "game": "hexx" })),
        server.post("/api/sessions", &json!({})),
    ];
    insta::assert_snapshot!(refused.iter().map(told).collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_program_that_thinks_is_not_interrupted_but_hurried() {
    let server = Server::start("think", &[]);
    let (id, _) = begin(&server, &json!({ "game": "go", "seats": ["human", "mcts:1000000000"] }));
    act(&server, &id, "moves", &json!({ "index": 40 }));
    let early = server.post(&format!("/api/sessions/{id}/moves"), &json!({ "index": 3 }));
    assert_eq!((early.status, early.code()), (409, "not_yours".to_owned()));
    server.wait_until(&format!("/api/sessions/{id}/status"), |status| status["thinking"]["rounds"].as_u64() > Some(0));
    act(&server, &id, "stop", &json!({}));
    server.wait_for(&id, |view| view["now"] == 2);
}

#[test]
fn what_cannot_be_understood_is_refused_and_does_no_harm() {
    let server = Server::start("refuse", &[]);
    let (id, _) = begin(&server, &json!({ "game": "tic_tac_toe" }));
    let json_type = "Content-Type: application/json\r\n";
    let moves = format!("/api/sessions/{id}/moves");
    let cross = |header: &str| format!("{json_type}{header}\r\n");
    let host = |name: &str| {
        server.raw(format!("GET /api/games HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n").as_bytes())
    };
    let own = format!("Origin: http://{}", server.address);
    assert_eq!(server.request("POST", &moves, &cross(&own), br#"{"move":"a1"}"#).status, 200);
    let refused = [
        ("half a body", server.request("POST", &moves, json_type, b"{\"move\":")),
        ("no object", server.request("POST", &moves, json_type, b"[1,2]")),
        ("nothing", server.request("POST", &moves, json_type, b"{}")),
        ("unknown field", server.request("POST", &moves, json_type, br#"{"move":"a1","x":1}"#)),
        ("no text", server.request("POST", &moves, json_type, b"\xff\xfe")),
        ("a form", server.request("POST", &moves, "Content-Type: application/x-www-form-urlencoded\r\n", b"move=a1")),
        ("plain text", server.request("POST", &moves, "Content-Type: text/plain\r\n", br#"{"move":"a1"}"#)),
        ("other site", server.request("POST", &moves, &cross("Origin: https://evil.example"), br#"{"move":"a1"}"#)),
        ("null origin", server.request("POST", &moves, &cross("Origin: null"), br#"{"move":"a1"}"#)),
        ("other port", server.request("POST", &moves, &cross("Origin: http://127.0.0.1:1"), br#"{"move":"a1"}"#)),
        ("fetched elsewhere", server.request("GET", "/api/games", "Sec-Fetch-Site: cross-site\r\n", b"")),
        ("name of another", host("evil.example")),
        ("unknown id", server.get("/api/sessions/00000000000000000000000000000000")),
        ("a path as id", server.get("/api/sessions/..%2f..%2fetc%2fpasswd")),
        ("a path as game", server.get("/api/games/..%2f..%2fCargo.toml/text")),
        ("a path as asset", server.get("/assets/..%2fapi.rs")),
        ("no address", server.get("/api/nothing")),
        ("no such way", server.request("PUT", "/api/games", "", b"")),
        ("no number", server.get(&format!("/api/sessions/{id}/board.svg?ply=-1"))),
    ];
    let all: Vec<String> = refused.iter().map(|(what, reply)| format!("{what}: {}", told(reply))).collect();
    insta::assert_snapshot!(all.join("\n"));
    // People are told on a page.
    for nowhere in ["/nowhere", "/assets/../../Cargo.toml"] {
        let reply = server.get(nowhere);
        assert_eq!(reply.status, 404, "{nowhere}");
        assert!(
            reply.body.contains("There is nothing at this address") && reply.head.contains("text/html"),
            "{nowhere}"
        );
    }
    assert_eq!(server.get("/help").status, 200);
    assert_eq!(server.raw(b"\x16\x03\x01\x02\x00").status, 400);
    // Only the one move that was allowed has been played.
    assert_eq!(server.get(&format!("/api/sessions/{id}")).json()["moves"][0], "a1");
    let page = server.get("/");
    let policy = page.head.to_lowercase();
    assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe"), "{policy}");
    assert!(!page.body.contains("<script>") && !page.body.contains("onclick="));
}

#[test]
fn huge_bodies_are_cut_off() {
    let server = Server::start("huge", &[]);
    let json_type = "Content-Type: application/json\r\n";
    let reply = server.request("POST", "/api/check", json_type, &vec![b' '; 100 << 20]);
    // The server hangs up while it is being sent; what it said may be lost on the way.
    assert!(matches!(reply.status, 413 | 0), "{}", reply.status);
    let bytes = format!(
        "POST /api/check HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{json_type}Content-Length: {}\r\n\r\n{{",
        server.address,
        100 << 20
    );
    let announced = server.raw(bytes.as_bytes());
    assert_eq!(told(&announced), "413 too_large: a request holds at most 524288 bytes");
    let long = server.post("/api/check", &json!({ "text": "x".repeat(200 << 10) }));
    assert_eq!(told(&long), "413 too_large: a rule text here holds at most 131072 bytes");
    assert_eq!(server.get("/api/games").status, 200);
}

const SMALL: &str = r#"game "Small" by "Somebody"
players A, B
board square(3)
piece stone of each player
move place "{cell}" {
  cell : empty
  cell becomes stone of mover
}
turn { place }
end { mover wins when line(own stone) >= 3 "a row" }
"#;

#[test]
fn who_never_finishes_asking_is_left() {
    let server = Server::start("slow", &["tic_tac_toe"]);
    let begun = std::time::Instant::now();
    let mut stream = std::net::TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_millis(200))).unwrap();
    let _ = write!(stream, "GET / HTTP/1.1\r\nHost: {}\r\nX-Slow: ", server.address);
    loop {
        // A letter now and then, so that the connection never rests.
        let sent = stream.write_all(b"a");
        match (sent, stream.read(&mut [0; 512])) {
            (Ok(()), Err(error)) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            (Ok(()), Ok(1..)) => {}
            _ => break,
        }
        assert!(begun.elapsed() < std::time::Duration::from_secs(40), "the connection is still open");
    }
    assert!(begun.elapsed() > std::time::Duration::from_secs(5));
    assert_eq!(server.get("/api/games").status, 200);
}

#[test]
fn places_of_a_text_are_told_of_as_in_an_editor() {
    let server = Server::start("places", &["tic_tac_toe"]);
    let text = "game \"Put \u{1F600}\"\nplayers Black, White\nboard square(3)\npiece stone of each player\n\
                move put \"{cell}\" { cell : em }\nturn { put }\nend { draw when stuck }\n";
    let ask = |what: &str, line: u32, column: u32| {
        let reply = server.post(&format!("/api/{what}"), &json!({ "text": text, "line": line, "column": column }));
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.json()
    };
    let items = ask("complete", 4, 27)["items"].clone();
    let labels: Vec<&str> = items.as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap()).collect();
    assert!(labels.contains(&"empty") && labels.contains(&"next_to"), "{labels:?}");
    let told = ask("hover", 3, 8)["hover"].clone();
    assert!(told["contents"]["value"].as_str().unwrap().contains("piece stone of each player"), "{told}");
    assert_eq!(ask("hover", 99, 99)["hover"], Value::Null);
    assert_eq!(server.post("/api/hover", &json!({ "text": text })).code(), "bad_request");
}

#[test]
fn authors_are_told_what_check_tells_and_play_what_they_wrote() {
    let server = Server::start("author", &[]);
    let shipped = server.get("/api/games/tic_tac_toe/text").body;
    let fine = server.post("/api/check", &json!({ "text": shipped, "whole": true })).json();
    assert_eq!((fine["errors"].as_u64(), fine["whole"].as_bool()), (Some(0), Some(true)), "{fine}");
    assert!(fine["colours"].as_array().unwrap().len() > 50);
    let wrong = shipped.replace("players ", "players \u{1F600}").replace("turn", "trun");
    let found = server.post("/api/check", &json!({ "text": wrong })).json();
    let diagnostic = &found["diagnostics"][0];
    assert!(diagnostic["code"].as_str().unwrap().starts_with("LW") && diagnostic["units"]["start"].is_u64(), "{found}");
    let refused = server.post("/api/sessions", &json!({ "text": wrong }));
    assert_eq!((refused.status, refused.code()), (422, "bad_rules".to_owned()));
    let formatted = server.post("/api/format", &json!({ "text": "game   \"X\"\n" })).json();
    assert_eq!(formatted["text"], "game \"X\"\n");
    assert_eq!(server.post("/api/format", &json!({ "text": "game (" })).code(), "unformatted");

    let found = server.post("/api/check", &json!({ "text": SMALL })).json();
    let (id, view) = begin(&server, &json!({ "text": shipped, "seats": ["human", "human"] }));
    assert_eq!(view["game"]["name"], Value::Null, "{found}");
    assert_eq!(server.get(&format!("/api/sessions/{id}/text")).body, shipped);
    let (_, other) = begin(&server, &json!({ "from": id, "seats": ["human", "human"] }));
    assert_eq!(other["rules_hash"], view["rules_hash"]);
    assert!(server.get("/api/explain/LW101").body.contains("LW101"));
    assert_eq!(server.get("/api/explain/LW999").status, 404);
}

#[test]
fn rules_of_strangers_read_no_file_and_hold_up_nobody() {
    let server = Server::start("hostile", &[]);
    let secret = server.folder().join("secret.game");
    std::fs::write(&secret, SMALL).unwrap();
    for named in [secret.to_str().unwrap(), "./secret.game", "../../etc/passwd", "/etc/passwd"] {
        for word in ["extends", "use"] {
            let text = format!("game \"X\" {word} \"{named}\"\n");
            let found = server.post("/api/check", &json!({ "text": text })).body;
            assert!(!found.contains("Somebody") && !found.contains("root:"), "{found}");
        }
    }
    let variant = "game \"Mine\" extends tic_tac_toe\n";
    assert_eq!(server.post("/api/check", &json!({ "text": variant })).json()["errors"], 0);

    // Deep, long and senseless texts are answered; what takes too long is given up.
    let deep = format!("game \"D\"\nend {{ mover wins when {} }}", "(".repeat(5000));
    let long = "option a : 1..2 = 1\n".repeat(5000);
    for text in [deep, long, "\u{0}".to_owned(), "\u{202e}\u{1F600}".repeat(1000), "\n".repeat(100_000)] {
        let reply = server.post("/api/check", &json!({ "text": text, "whole": true }));
        assert!(matches!(reply.status, 200 | 422), "{} {}", reply.status, reply.body);
    }
    let slow = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/slow.game")).unwrap();
    let (id, _) = begin(&server, &json!({ "game": "tic_tac_toe", "seats": ["human", "human"] }));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let reply = server.post("/api/sessions", &json!({ "text": slow }));
                let expected = ["too_slow", "too_large", "too_many_moves", "busy"];
                assert!(expected.contains(&reply.code().as_str()), "{}", reply.body);
            });
        }
        // Meanwhile others play on.
        for _ in 0..5 {
            for mv in ["a1", "b2"] {
                act(&server, &id, "moves", &json!({ "move": mv }));
            }
            act(&server, &id, "goto", &json!({ "ply": 0 }));
        }
    });
    assert_eq!(server.post("/api/check", &json!({ "text": variant })).json()["errors"], 0);

    // Nor do tests that take their time hold up those who write.
    let _asked: Vec<TcpStream> = (0..3).map(|_| ask_for_slow_test(&server, &slow)).collect();
    std::thread::sleep(Duration::from_millis(500));
    let begun = Instant::now();
    assert_eq!(server.post("/api/check", &json!({ "text": variant })).json()["errors"], 0);
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}

/// Asks for the test of a game that is slow, without waiting for the answer.
fn ask_for_slow_test(server: &Server, slow: &str) -> TcpStream {
    let text = format!("{slow}\ntest \"slow\" {{ perft 1 2 }}\n");
    let body = json!({ "text": text }).to_string();
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let head = format!("POST /api/test HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json", server.address);
    write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    stream
}

#[test]
fn a_file_has_changed_when_its_own_text_has() {
    const RULES: &str = "game \"Grid\"\nplayers A, B\nboard square(3)\npiece man of each player\nmove put \"{cell}\" {\n  cell : empty\n  cell becomes man of mover\n}\nturn { put }\nend {\n  next loses when stuck\n}\n";
    let folder = fresh("changed-games");
    let [one, other] = ["one", "other"].map(|part| folder.join(part).join("grid.game"));
    for path in [&one, &other] {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    }
    std::fs::write(&one, RULES).unwrap();
    std::fs::write(&other, format!("{RULES}\n// another\n")).unwrap();
    let mut server = Server::start("changed", &[one.to_str().unwrap()]);
    let (id, view) = begin(&server, &json!({ "game": "grid" }));
    assert_eq!((&view["game"]["name"], &view["game"]["shipped"]), (&json!("grid"), &json!(false)));
    let changed = |server: &Server| server.get(&format!("/api/sessions/{id}/status")).json()["changed"].clone();
    server.restart(&[other.to_str().unwrap()]);
    assert_eq!(changed(&server), json!(false), "another file of the same name");
    std::fs::write(&one, format!("{RULES}\n// more\n")).unwrap();
    server.restart(&[one.to_str().unwrap()]);
    assert_eq!(changed(&server), json!(true));
}

#[test]
fn several_games_are_kept_apart_and_their_number_is_bounded() {
    let server = Server::start("many", &["--max-sessions", "3", "hex", "tic_tac_toe"]);
    let games = server.get("/api/games").json();
    let names: Vec<&str> = games["games"].as_array().unwrap().iter().filter_map(|game| game["name"].as_str()).collect();
    assert_eq!(names, ["hex", "tic_tac_toe"]);
    let two = ["human", "human"];
    let ids: Vec<String> = (0..3).map(|_| begin(&server, &json!({ "game": "tic_tac_toe", "seats": two })).0).collect();
    for (id, mv) in ids.iter().zip(["a1", "b2", "c3"]) {
        act(&server, id, "moves", &json!({ "move": mv }));
    }
    for (id, mv) in ids.iter().zip(["a1", "b2", "c3"]) {
        assert_eq!(moves(&server.get(&format!("/api/sessions/{id}")).json()), [mv]);
    }
    let full = server.post("/api/sessions", &json!({ "game": "hex" }));
    assert_eq!((full.status, full.code()), (503, "full".to_owned()));
    let id = &ids[0];
    assert_eq!(server.request("DELETE", &format!("/api/sessions/{id}"), "", b"").status, 200);
    assert_eq!(server.get(&format!("/api/sessions/{id}")).status, 404);
    begin(&server, &json!({ "game": "hex" }));
    assert_eq!(server.get("/api/games/chess").status, 404);
    let facts = server.get("/api/games/hex").json();
    assert!(facts["options"][0]["values"].is_object(), "{facts}");
    assert!(server.get("/api/games/hex/picture.svg").body.starts_with("<svg"));
}

#[test]
fn addresses_and_folders_in_use_are_errors_and_ctrl_c_is_none() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let folder = fresh("port");
    let output = ludwright().args(["serve", "--port", &port, "--data"]).arg(&folder).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap().replace(&port, "PORT");
    insta::assert_snapshot!(said, @r"
    error: 127.0.0.1:PORT is in use already
      help: another --port, or 0 for any that is free
    ");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let mut server = Server::start("end", &[]);
    let output = ludwright().args(["serve", "--port", "0", "--data"]).arg(server.folder()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("another server keeps its games"));
    let unknown = ludwright().args(["serve", "--port", "0", "hexx"]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(1));
    #[cfg(unix)]
    assert_eq!(server.interrupt(), Some(0));
}

#[test]
fn a_game_whose_file_is_damaged_is_named_and_so_is_one_that_is_no_file() {
    let mut server = Server::start("damaged", &["tic_tac_toe"]);
    let (id, _) = begin(&server, &json!({ "game": "tic_tac_toe", "seats": ["human", "human"] }));
    let file = server.folder().join(format!("{id}.json"));
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    // A pipe that nobody writes to, where a game should lie.
    let pipe = server.folder().join(format!("{}.json", "a".repeat(32)));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    server.restart(&["tic_tac_toe"]);
    for damaged in [id.clone(), "a".repeat(32)] {
        let reply = server.get(&format!("/api/sessions/{damaged}"));
        assert_eq!((reply.status, reply.code().as_str()), (500, "damaged"), "{}", reply.body);
        assert!(reply.body.contains(&damaged), "{}", reply.body);
    }
    // A copy that is put back is played on.
    std::fs::write(&file, &whole).unwrap();
    assert_eq!(act(&server, &id, "moves", &json!({ "move": "a1" }))["moves"], json!(["a1"]));
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full_keeps_the_old_game_and_leaves_nothing_behind() {
    // No file may have more than 1,024 bytes: a game of many moves has.
    let server = Server::limited("full", 2, &["hex"]);
    let (id, _) = begin(&server, &json!({ "game": "hex", "seats": ["human", "human"] }));
    act(&server, &id, "moves", &json!({ "move": "a1" }));
    let reply = server.post("/api/sessions", &json!({ "text": LARGE }));
    assert_eq!((reply.status, reply.code().as_str()), (500, "disk"), "{}", reply.body);
    let left: Vec<String> = std::fs::read_dir(server.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".new"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    // The game that was kept before goes on, until it does not fit any more; then it stands as it was.
    let path = format!("/api/sessions/{id}");
    let mut moves = vec!["a1".to_owned()];
    let refused = (2..=99).find_map(|number| {
        let mv = format!("{}{}", char::from(b'a' + (number - 1) % 11), (number - 1) / 11 + 1);
        let reply = server.post(&format!("{path}/moves"), &json!({ "move": mv }));
        moves.push(mv);
        (reply.status != 200).then_some(reply)
    });
    let reply = refused.expect("the game grows beyond its bound");
    assert_eq!(reply.code(), "disk", "{}", reply.body);
    moves.pop();
    assert_eq!(server.get(&path).json()["moves"], json!(moves));
}

/// A game whose text alone is longer than the file that may be written.
const LARGE: &str = concat!(
    "game \"Large\"\nplayers A, B\nboard square(3)\npiece stone of each player\n",
    "// ..............................................................................................................\n",
    "// ..............................................................................................................\n",
    "// ..............................................................................................................\n",
    "// ..............................................................................................................\n",
    "// ..............................................................................................................\n",
    "// ..............................................................................................................\n",
    "// ..............................................................................................................\n",
    "// ..............................................................................................................\n",
    "// ..............................................................................................................\n",
    "move put \"{cell}\" { cell : empty; cell becomes stone of mover }\nturn { put }\nend { next loses when stuck }\n",
);

#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_is_killed_is_not_said_to_want_memory_and_the_next_one_goes_on() {
    let server = Server::start("killed", &["tic_tac_toe"]);
    let (id, _) = begin(&server, &json!({ "game": "tic_tac_toe", "seats": ["human", "human"] }));
    let workers = server.workers();
    assert!(!workers.is_empty());
    for worker in workers {
        assert!(std::process::Command::new("kill").args(["-KILL", &worker]).status().unwrap().success());
    }
    let path = format!("/api/sessions/{id}/moves");
    let reply = server.post(&path, &json!({ "move": "a1" }));
    if reply.status != 200 {
        assert_eq!((reply.status, reply.code().as_str()), (500, "gone"), "{}", reply.body);
        assert!(reply.body.contains("signal: 9"), "{}", reply.body);
        assert_eq!(server.post(&path, &json!({ "move": "a1" })).status, 200);
    }
    assert_eq!(server.get(&format!("/api/sessions/{id}")).json()["moves"], json!(["a1"]));
}

#[test]
fn a_ply_that_takes_more_steps_than_the_server_allows_is_refused() {
    let server = Server::start("steps", &["--steps", "20000", "tic_tac_toe"]);
    let slow = "game \"Slow\"\nplayers A, B\nboard square(9)\npiece stone of each player\nmove put \"{cell}\" {\n  \
                cell : empty, no a in site with (some b in site with (distance(a, b) > 99))\n  \
                cell becomes stone of mover\n}\nturn { put }\nend { next loses when stuck }\n";
    let reply = server.post("/api/sessions", &json!({ "text": slow }));
    assert_eq!((reply.status, reply.code().as_str()), (422, "too_many_steps"), "{}", reply.body);
    assert!(reply.body.contains("more than 20000 steps"), "{}", reply.body);
    let (id, _) = begin(&server, &json!({ "game": "tic_tac_toe", "seats": ["human", "human"] }));
    act(&server, &id, "moves", &json!({ "move": "a1" }));
}

#[test]
fn who_never_reads_is_left() {
    let server = Server::start("deaf", &[]);
    let mut stream = std::net::TcpStream::connect(&server.address).unwrap();
    let request = format!("GET /api/games HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    let begun = Instant::now();
    stream.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    // Far more than the buffers of both ends hold, and nobody reads the answers.
    loop {
        match stream.write_all(request.as_bytes()) {
            Ok(()) => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => break,
        }
        assert!(begun.elapsed() < Duration::from_secs(90), "the connection is still open");
    }
    assert_eq!(server.get("/api/games").status, 200);
}
