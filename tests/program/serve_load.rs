//! How long the server takes for a move while many play: 200 games, a move a second in each, and how much memory it and its
//! workers take.
//!
//! `cargo test --release --test program serve_load:: -- --ignored --nocapture`; `SESSIONS` and `SECONDS` change the numbers,
//! `PAUSE` the seconds between two moves of a game, and `HOSTILE` how many strangers send rules that are slow or huge.

use super::common::server::Server;
use super::common::wish;
use serde_json::json;
use std::time::{Duration, Instant};

/// Games of all kinds, none of them chosen for its speed.
const GAMES: [&str; 10] = [
    "chess",
    "hex",
    "go",
    "equi",
    "reversi",
    "breakthrough",
    "oware",
    "international_draughts",
    "tic_tac_toe",
    "iqishiqi",
];

/// Plays a game at random, a move a second; how long each took.
fn play(server: &Server, number: u64, seconds: u64, pause: u64) -> Vec<Duration> {
    let name = GAMES[number as usize % GAMES.len()];
    // Not all at the same moment: people come one after the other.
    let begin = Instant::now() + Duration::from_millis(number * 5);
    std::thread::sleep(begin.saturating_duration_since(Instant::now()));
    let begun = server.post("/api/sessions", &json!({ "game": name, "seats": ["human", "human"] }));
    assert!(begun.status < 300, "{name}: {} {}", begun.status, begun.body);
    let mut view = begun.json();
    let path = format!("/api/sessions/{}", view["id"].as_str().unwrap());
    let mut chance = number;
    let mut times = Vec::new();
    for second in (0..seconds).step_by(usize::try_from(pause).unwrap().max(1)) {
        std::thread::sleep((begin + Duration::from_secs(second)).saturating_duration_since(Instant::now()));
        if view["over"] == true {
            view = server.post(&format!("{path}/goto"), &json!({ "ply": 0 })).json();
        }
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let index = (chance >> 33) % view["legal"].as_u64().unwrap();
        let asked = Instant::now();
        let reply = server.post(&format!("{path}/moves"), &json!({ "index": index, "version": view["version"] }));
        times.push(asked.elapsed());
        assert_eq!(reply.status, 200, "{name}: {}", reply.body);
        view = reply.json();
    }
    times
}

/// Sends rules that are slow, huge or wrong, over and over.
fn annoy(server: &Server, number: u64, until: Instant) -> usize {
    let slow = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/slow.game")).unwrap();
    let deep = format!("game \"D\"\nend {{ mover wins when {} }}", "(".repeat(5000));
    let long = "option a : 1..2 = 1\n".repeat(5000);
    let mut sent = 0;
    while Instant::now() < until {
        let reply = match (number + sent as u64) % 3 {
            0 => server.post("/api/sessions", &json!({ "text": slow })),
            1 => server.post("/api/check", &json!({ "text": deep, "whole": true })),
            _ => server.post("/api/check", &json!({ "text": long, "whole": true })),
        };
        assert!(matches!(reply.status, 200 | 422 | 503), "{} {}", reply.status, reply.body);
        sent += 1;
    }
    sent
}

/// What the server and its workers take, in megabytes.
#[cfg(target_os = "linux")]
fn memory(server: &Server) -> (u64, u64) {
    let of = |process: &str| {
        let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) >> 10
    };
    (of(&server.id()), server.workers().iter().map(|worker| of(worker)).max().unwrap_or(0))
}

#[test]
#[ignore = "takes a minute and the whole machine"]
fn two_hundred_games_at_once() {
    let (sessions, seconds, pause) = (wish("SESSIONS", 200), wish("SECONDS", 30), wish("PAUSE", 1));
    let server = Server::start("load", &["--max-sessions", "100000"]);
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut times: Vec<Duration> = std::thread::scope(|scope| {
        let playing: Vec<_> = (0..sessions)
            .map(|number| {
                scope.spawn({
                    let server = &server;
                    move || play(server, number, seconds, pause)
                })
            })
            .collect();
        let strangers: Vec<_> = (0..wish("HOSTILE", 0))
            .map(|number| {
                let server = &server;
                scope.spawn(move || annoy(server, number, until))
            })
            .collect();
        #[cfg(target_os = "linux")]
        scope.spawn(|| {
            while Instant::now() < until {
                std::thread::sleep(Duration::from_secs(10).min(until.saturating_duration_since(Instant::now())));
                let (own, worker) = memory(&server);
                println!("the server takes {own} MB, the largest worker {worker} MB");
            }
        });
        let sent: usize = strangers.into_iter().map(|one| one.join().unwrap()).sum();
        println!("{sent} hostile texts were answered");
        playing.into_iter().flat_map(|one| one.join().unwrap()).collect()
    });
    times.sort();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_millis();
    println!(
        "{sessions} games, {} moves: median {} ms, 90 % {} ms, 99 % {} ms, longest {} ms",
        times.len(),
        at(50),
        at(90),
        at(99),
        at(100)
    );
    assert!(at(50) < 100);
}
