//! How long the server takes for a move while many play: 200 games, a move a second in each.
//!
//! `cargo test --release --test program serve_load:: -- --ignored --nocapture`; `SESSIONS` and `SECONDS` change the numbers.

use super::common::server::Server;
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

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Plays a game at random, a move a second; how long each took.
fn play(server: &Server, number: u64, seconds: u64) -> Vec<Duration> {
    let name = GAMES[number as usize % GAMES.len()];
    let two = ["human", "human"];
    let mut view = server.post("/api/sessions", &json!({ "game": name, "seats": two })).json();
    let path = format!("/api/sessions/{}", view["id"].as_str().unwrap());
    let mut chance = number;
    let mut times = Vec::new();
    // Not all at the same moment.
    let begin = Instant::now() + Duration::from_millis(number * 5);
    for second in 0..seconds {
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

#[test]
#[ignore = "takes a minute and the whole machine"]
fn two_hundred_games_at_once() {
    let (sessions, seconds) = (number("SESSIONS", 200), number("SECONDS", 30));
    let server = Server::start("load", &[]);
    let mut times: Vec<Duration> = std::thread::scope(|scope| {
        let playing: Vec<_> = (0..sessions)
            .map(|number| {
                scope.spawn({
                    let server = &server;
                    move || play(server, number, seconds)
                })
            })
            .collect();
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
