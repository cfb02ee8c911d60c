//! The files of the tutorial check, pass their tests and can be played; the book has all pages, and links lead somewhere.

use crate::author::inspect::check_file;
use crate::author::script::run_scripts;
use crate::check::Resolve;
use crate::diagnostic::{Code, Format, render};
use crate::game::Game;
use crate::library::Library;
use crate::study::playout::{Engine, Settings, playout};
use std::path::{Path, PathBuf};

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

/// The files of a folder and of those in it, by their paths from `docs`.
fn pages_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let inner = entries.flat_map(|path| if path.is_dir() { pages_in(&path) } else { vec![path] });
    inner.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect()
}

/// What a page links to, outside of its code.
fn links(text: &str) -> Vec<String> {
    let prose = text.split("```").step_by(2);
    let targets = prose.flat_map(|prose| prose.split("](").skip(1)).map(|rest| rest.split([')', ' ']).next().unwrap());
    targets.filter(|target| !target.contains("://") && !target.is_empty()).map(str::to_owned).collect()
}

/// What a heading is called in a link.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || ['-', '_', ' '].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn the_book_has_every_page_once() {
    let summary = links(&page("SUMMARY.md"));
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    for path in pages_in(&docs) {
        let name = path.strip_prefix(&docs).unwrap().to_str().unwrap().replace('\\', "/");
        let times = summary.iter().filter(|link| **link == name).count();
        assert_eq!(times, usize::from(name != "SUMMARY.md"), "docs/SUMMARY.md and {name}");
    }
}

#[test]
fn every_link_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let others = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"].map(|name| root.join(name));
    let mut count = 0;
    for path in pages_in(&root.join("docs")).into_iter().chain(others) {
        let text = std::fs::read_to_string(&path).unwrap();
        for link in links(&text) {
            let (file, place) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: {link}", path.display());
            if !place.is_empty() {
                let text = std::fs::read_to_string(&target).unwrap();
                let headings =
                    text.lines().filter_map(|line| line.strip_prefix('#')).map(|line| line.trim_start_matches('#'));
                assert!(headings.map(anchor).any(|anchor| anchor == place), "{}: {link}", path.display());
            }
            count += 1;
        }
    }
    assert!(count > 200, "{count}");
}
