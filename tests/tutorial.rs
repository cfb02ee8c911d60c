//! The files of the tutorial check, pass their tests and can be played; the book names pages that are there.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ludwright::diagnostic::{Code, Format, render};
use ludwright::game::{Game, check_file, run_scripts};
use ludwright::library::Library;
use ludwright::rules::Resolve;
use ludwright::run::playout::{Engine, Settings, playout};
use std::path::Path;

fn page(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name)).unwrap()
}

/// The whole files of a page.
fn files(name: &str) -> Vec<String> {
    page(name).split("```game\n").skip(1).map(|block| block.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn each_step_of_the_tutorial_works() {
    let steps = files("tutorial.md");
    assert_eq!(steps.len(), 5);
    for (number, text) in steps.iter().enumerate() {
        let (found, sources) = check_file("pinch.game", text, &Library);
        let told: Vec<String> = found.iter().map(|found| render(found, &sources, Format::Short)).collect();
        // The second step shows what a game without an end is told.
        let endless = number == 1 && found.len() == 1 && found[0].code == Code::Unbounded;
        assert!(told.is_empty() || endless, "step {}: {told:?}", number + 1);
        let reports = run_scripts("pinch.game", text, None, &[], &Library, |_| true).unwrap();
        let failed: Vec<_> =
            reports.iter().filter(|report| !report.ok).map(|report| (&report.name, &report.message)).collect();
        assert!(failed.is_empty(), "step {}: {failed:?}", number + 1);
        let mut position = Game::from_text("pinch.game", text, None, &[], &Library).unwrap().start();
        for _ in 0..8 {
            position = position.play_index(0).unwrap();
        }
    }
}

#[test]
fn every_file_of_the_guide_works() {
    let files = files("guide.md");
    assert!(files.len() >= 12, "{}", files.len());
    for text in &files {
        let head = text.lines().next().unwrap();
        let (found, sources) = check_file("task.game", text, &Library);
        let told: Vec<String> = found.iter().map(|found| render(found, &sources, Format::Short)).collect();
        assert!(told.is_empty(), "{head}: {told:?}");
        for report in run_scripts("task.game", text, None, &[], &Library, |_| true).unwrap() {
            assert!(report.ok, "{head}: {} {:?}", report.name, report.message);
        }
        let game = Game::from_text("task.game", text, None, &[], &Library).unwrap();
        let settings = Settings { games: 20, seed: 1, threads: 1, max_plies: Some(2_000), engine: Engine::Fast };
        let summary = playout(&game, settings, &mut |_| {});
        assert_eq!(summary.unfinished, 0, "{head}");
    }
}

/// What a page calls a file of the repository is there.
#[test]
fn the_pages_name_games_that_are_there() {
    for name in ["guide.md", "from_ludii.md", "language.md", "tutorial.md"] {
        let text = page(name);
        for part in text.split('`').filter(|part| part.starts_with("games/") && part.ends_with(".game")) {
            assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(part).exists(), "{name}: {part}");
        }
    }
}

/// The last step's file under its name.
struct Beside(String);

impl Resolve for Beside {
    fn resolve(&self, _: &str, wanted: &str) -> Result<(String, String), String> {
        assert_eq!(wanted, "pinch.game");
        Ok((wanted.to_owned(), self.0.clone()))
    }
}

#[test]
fn the_variant_of_the_tutorial_works() {
    let text = page("tutorial.md");
    let start = text.find("game \"Heavy Pinch\"").unwrap();
    let variant = text[start..].split("```").next().unwrap();
    let (found, _) = check_file("heavy.game", variant, &Beside(files("tutorial.md").pop().unwrap()));
    assert!(found.iter().all(|found| !found.is_error()), "{found:?}");
}

#[test]
fn the_book_names_pages_that_are_there() {
    let summary = page("SUMMARY.md");
    for link in summary.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        assert!(!page(link).is_empty(), "{link}");
    }
}
