//! The shipped games and variants written in text alone: they check, their tests and records pass, random plays end.

use super::common::files::{game_of, rule_files};
use crate::author::inspect::check_file;
use crate::author::script::run_scripts;
use crate::game::Game;
use crate::library::Library;
use crate::study::playout::{Engine, Settings, playout};
use crate::syntax::ast::Values;
use std::path::Path;

fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[test]
fn every_shipped_file_and_variant_checks_clean_and_passes_its_own_tests() {
    let mut scripts = 0;
    for path in rule_files(&["games", "examples", "tests/variants"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        let (diagnostics, _) = check_file(&name(&path), &text, &Library);
        assert!(diagnostics.is_empty(), "{}: {diagnostics:#?}", path.display());
        for report in run_scripts(&name(&path), &text, None, &[], &Library, |_| true).unwrap() {
            assert!(report.ok, "{}: {}: {:?}", path.display(), report.name, report.message);
            scripts += 1;
        }
    }
    assert!(scripts >= 30, "only {scripts} tests and records were run");
}

#[test]
fn records_replay_from_the_notation_as_printed() {
    let (mut seeds, mut classics) = (Vec::new(), 0);
    for path in rule_files(&["games"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        for report in run_scripts(&name(&path), &text, None, &[], &Library, |script| script.record).unwrap() {
            assert!(report.ok, "{}: {:?}", report.name, report.message);
            if path.components().any(|part| part.as_os_str() == "iqishiqi") {
                seeds.push((report.name, report.plies));
            } else {
                classics += 1;
            }
        }
    }
    let counts: Vec<u32> = seeds.iter().map(|(_, plies)| *plies).collect();
    // Push and Pull 1 to its 14th ply, 2, and 3; Pushpin; Weituweiqi A and B.
    assert_eq!(counts, [14, 22, 25, 13, 14, 20], "{seeds:?}");
    assert!(classics >= 25, "only {classics} records of classics");
}

#[test]
fn random_plays_of_every_game_end_the_same_with_one_thread_and_with_two() {
    for path in rule_files(&["games", "examples", "tests/variants"]) {
        let game = game_of(&path);
        let run = |threads| {
            playout(
                &game,
                Settings { games: 4, seed: 7, threads, max_plies: Some(10_000), engine: Engine::Fast },
                &mut |_| {},
            )
        };
        let (one, two) = (run(1), run(2));
        assert_eq!(one.unfinished, 0, "{}", path.display());
        assert_eq!(one.fingerprint, two.fingerprint, "{}", path.display());
    }
}

/// Every game and ruleset: 1,000 plays on the smallest and on the default board, 20 on the largest. Push and Pull looks
/// ahead over whole turns, and one play of its default takes about a second: there it is 20 plays and 1.
#[test]
#[ignore = "takes minutes"]
fn thousands_of_random_plays_come_to_their_end() {
    for name in Library::names() {
        let project = crate::check::Project::load(name, Library::text(name).unwrap(), &Library);
        let usual = if name == "push_and_pull" { 20 } else { 1_000 };
        let mut boards = vec![(Vec::new(), usual)];
        for option in project.options().filter(|option| ["size", "side"].contains(&option.names[0].text.as_str())) {
            let values: Vec<String> = match &option.values {
                Values::Range { low, high, .. } => vec![low.to_string(), high.to_string()],
                Values::List(list) => list.iter().map(|value| value.kind.to_string()).collect(),
            };
            let set = |value: &String| vec![(option.names[0].text.clone(), value.clone())];
            let sites = |value: &&String| Game::from_project(&project, None, &set(value)).unwrap().rules().board.len();
            boards.push((set(values.iter().min_by_key(sites).unwrap()), 1_000));
            boards.push((set(values.iter().max_by_key(sites).unwrap()), if usual < 1_000 { 1 } else { 20 }));
        }
        let rulesets = project.rulesets().map(|ruleset| Some(ruleset.name.text.as_str()));
        for ruleset in std::iter::once(None).chain(rulesets) {
            for (options, games) in &boards {
                let game = Game::from_project(&project, ruleset, options).unwrap();
                let settings =
                    Settings { games: *games, seed: 1, threads: 2, max_plies: Some(100_000), engine: Engine::Fast };
                let summary = playout(&game, settings, &mut |_| {});
                assert_eq!((summary.totals.games, summary.unfinished), (*games, 0), "{name} {ruleset:?} {options:?}");
            }
        }
    }
}

#[test]
fn every_board_of_every_size_can_be_started() {
    let mut boards = 0;
    for path in rule_files(&["games"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        let project = crate::check::Project::load(&name(&path), &text, &Library);
        for option in project.options() {
            let crate::syntax::ast::Values::Range { low, high, .. } = option.values else { continue };
            let size = &option.names[0].text;
            if size != "size" && size != "side" {
                continue;
            }
            for value in low..=high {
                let game = Game::from_project(&project, None, &[(size.clone(), value.to_string())]).unwrap();
                assert!(game.start().move_count() > 0 || game.start().is_over(), "{} {value}", path.display());
                boards += 1;
            }
        }
    }
    assert!(boards > 40);
}

/// Positions reached by random play keep the promises that every tool relies on.
#[test]
fn every_printed_move_is_read_back_as_itself_and_undone_by_keeping_the_position() {
    for path in rule_files(&["games"]) {
        let game = game_of(&path);
        let mut position = game.start();
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..12 {
            if position.is_over() {
                break;
            }
            let moves = position.moves();
            assert_eq!(moves.len(), position.move_count());
            for (index, printed) in moves.iter().enumerate().step_by(1 + moves.len() / 40) {
                assert_eq!(position.find(printed).unwrap(), index, "{} {printed}", path.display());
            }
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let before = position.hash();
            let next = position.play_index((random >> 33) as usize % moves.len()).unwrap();
            assert_eq!(position.hash(), before);
            // Setting the position up by hand gives the same moves at the start of a turn.
            position = next;
        }
    }
}

#[test]
fn comments_layout_and_names_of_files_do_not_change_the_hash_of_the_rules_and_options_do() {
    let text = std::fs::read_to_string(
        rule_files(&["games"]).into_iter().find(|path| path.ends_with("pushpin.game")).unwrap(),
    )
    .unwrap();
    let hash = |name: &str, text: &str, options: &[(String, String)]| {
        Game::from_text(name, text, None, options, &Library).unwrap().rules_hash()
    };
    let plain = hash("a.game", &text, &[]);
    let dressed = format!("// a remark\n\n{}", text.replace("turn {", "turn   {   // who may push\n  "));
    assert_eq!(hash("b.game", &dressed, &[]), plain);
    assert_ne!(hash("a.game", &text, &[("side".to_owned(), "5".to_owned())]), plain);
    assert_ne!(hash("a.game", &text.replace("or pass", "or skip"), &[]), plain);
}

/// A position set up by hand goes on like the one it was read from.
#[test]
fn a_position_written_as_json_is_the_same_position() {
    for game in ["iqishiqi", "pushpin", "weituweiqi"] {
        let game = Game::from_text(game, Library::text(game).unwrap(), None, &[], &Library).unwrap();
        let mut position = game.start();
        for _ in 0..6 {
            position = position.play_index(position.move_count() / 2).unwrap();
        }
        let copy = game.set_up(&position.to_json()).unwrap();
        assert_eq!(copy.moves(), position.moves());
        assert_eq!(copy.to_json()["sites"], position.to_json()["sites"]);
    }
}
