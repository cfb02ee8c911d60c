//! Games written down while they are played say the same as positions do, and are the games that playouts play.

use super::common::files::{game_of, rule_files, shipped};
use crate::ai::Agent;
use crate::engine::Engine;
use crate::game::Game;
use crate::jobs::{Crew, Job, Merge};
use crate::library::Library;
use crate::study::games::Lines;
use crate::study::halt::Halt;
use crate::study::names::Names;
use crate::study::playout::{Draw, Run, Settings, empty, playout};
use serde_json::{Map, Value, json};
use std::sync::atomic::AtomicBool;

const SETTINGS: Settings = Settings { games: 2, seed: 7, threads: 2, max_plies: Some(14), engine: Engine::Fast };

/// As many moves the reference lists in no time.
const LISTED: usize = 3_000;

/// Plays through a line by positions, each move being written exactly as they print it.
fn follow(label: &str, game: &Game, line: &Value) {
    let mut position = game.start();
    for mv in line["moves"].as_array().unwrap() {
        let text = mv.as_str().unwrap();
        assert!(position.moves().iter().any(|known| known == text), "{label}: `{text}` in {line}");
        position = position.play(text).unwrap();
    }
    assert_eq!(line["plies"], json!(position.ply()), "{label}");
    assert_eq!(line["result"], position.to_json()["result"], "{label}: {line}");
    assert_eq!(line["reason"], json!(position.outcome().map(|outcome| &outcome.reason)), "{label}");
    assert_eq!(line["places"], json!(position.outcome_by_seat()), "{label}");
}

#[test]
fn lines_are_written_as_positions_print_them_on_both_engines() {
    let mut retold = Vec::new();
    for path in rule_files(&["games", "examples", "tests/variants"]) {
        let (game, label) = (game_of(&path), path.display().to_string());
        if game.player(Engine::Fast).count() > LISTED {
            continue;
        }
        for (engine, games) in [(Engine::Fast, SETTINGS.games), (Engine::Reference, 1)] {
            let settings = Settings { engine, games, ..SETTINGS };
            let lines = Lines::new(&game, &Map::new());
            let (mut pen, mut player) = (lines.pen(), game.player(engine));
            let mut sums = empty(&game);
            for number in 0..games {
                let mut line = Vec::new();
                sums.add(number, &pen.play(player.as_mut(), settings, Draw::Own, number, &mut line));
                follow(&label, &game, &serde_json::from_slice(&line).unwrap());
            }
            assert_eq!(sums.fingerprint, playout(&game, settings, &mut |_| {}).fingerprint, "{label}");
            if pen.retold() > 0 {
                retold.push(path.file_stem().unwrap().to_string_lossy().into_owned());
            }
        }
    }
    // Where a number must be added to the text, the order of positions decides which; and where plies are drawn without a
    // list, what a notation may leave out is known from positions alone.
    let slow = [
        "abalone",
        "cephalopod",
        "cram",
        "dodgem",
        "left_out",
        "chess",
        "mensch_aergere_dich_nicht",
        "los_alamos_chess",
        "makruk",
        "minishogi",
        "judkins_shogi",
        "toguz_kumalak",
        "two_pins",
        "shogi",
        "xiangqi",
        "crazyhouse",
        "dobutsu_shogi",
        "iqishiqi",
        "konane",
        "quoridor",
        "square_iqishiqi",
        "weituweiqi",
        "between",
        "stages",
        "remembered",
        "flags",
        "words_of_several",
    ];
    assert!(
        retold.iter().all(|name| slow.contains(&name.as_str())),
        "these take positions to be told, which is slow: {retold:?}"
    );
}

/// A way of drawing plies is that of the games, also where the text of a move is told by positions.
#[test]
fn games_told_by_positions_are_drawn_as_those_that_were_counted() {
    let text = "game \"Alike\"\nabout \"a test\"\nplayers A, B\nboard square(3)\npiece stone, coin of each player\n\
                move put \"{cell}\" { cell : empty; d : directions; k : kinds(stone, coin); if any ahead(cell, d); \
                cell becomes k of mover }\nturn { put }\nend { mover wins when count stone > 3; draw when no empty }\n";
    let game = Game::from_text("alike.game", text, None, &[], &Library).unwrap();
    let settings = Settings { max_plies: None, ..SETTINGS };
    let lines = Lines::new(&game, &Map::new());
    for number in 0..8 {
        let written = [Engine::Fast, Engine::Reference].map(|engine| {
            let mut line = Vec::new();
            let mut pen = lines.pen();
            let played = pen.play(game.player(engine).as_mut(), settings, Draw::Listed, number, &mut line);
            let line: Value = serde_json::from_slice(&line).unwrap();
            assert_eq!(line["moves"].as_array().unwrap().len() as u64, played.plies, "{line}");
            assert_eq!(pen.retold(), 1);
            line
        });
        assert_eq!(written[0], written[1]);
    }
}

#[test]
fn shards_in_any_order_are_the_whole() {
    let game = shipped("hex");
    let settings = Settings { games: 3000, seed: 5, threads: 2, max_plies: None, engine: Engine::Fast };
    let about = Map::from_iter([("game".to_owned(), json!("hex")), ("seed".to_owned(), json!(settings.seed))]);
    let job = Job { about, games: settings.games, names: Names::of(&game), ..Job::default() };
    let merged = |shares: &[u64], of: u64| {
        let mut merge = Merge::default();
        merge.begin(job.clone(), "all").unwrap();
        for share in shares {
            let crew = Crew::<Agent> { players: &[], threads: settings.threads, halt: Halt::never() };
            job.play(&game, crew, job.share(*share, of), &mut |block| {
                // What is read is what was written.
                let text = serde_json::to_string(&block).unwrap();
                merge.add(serde_json::from_str(&text).unwrap(), &share.to_string()).unwrap();
                true
            });
        }
        merge.whole().map(|(_, sums)| sums)
    };
    let whole = playout(&game, settings, &mut |_| {});
    let seven = merged(&[3, 7, 1, 6, 2, 2, 5, 4], 7).unwrap();
    assert_eq!(seven, merged(&[1], 1).unwrap());
    let crate::jobs::Sums::Random(seven) = seven else { panic!() };
    assert_eq!(crate::study::totals::Summary { elapsed: whole.elapsed, ..seven }, whole);
    assert!(merged(&[1, 2], 3).is_err());
}

#[test]
fn a_run_that_is_stopped_has_the_games_of_a_shorter_one() {
    let game = shipped("hex");
    let stop = AtomicBool::new(false);
    let settings = Settings { games: 100_000, max_plies: None, ..SETTINGS };
    let mut sums = empty(&game);
    Run { settings, games: 0..settings.games, halt: Halt::when(&stop), lines: None }.each(
        &game,
        &mut |number, played, _| {
            sums.add(number, played);
            stop.store(number >= 50, std::sync::atomic::Ordering::Relaxed);
            true
        },
    );
    assert!((51..100_000).contains(&sums.totals.games), "{}", sums.totals.games);
    let shorter = playout(&game, Settings { games: sums.totals.games, ..settings }, &mut |_| {});
    assert_eq!(sums.fingerprint, shorter.fingerprint);
}
