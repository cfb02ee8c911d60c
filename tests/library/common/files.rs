//! The files of the project, for tests that go through them all.

use crate::game::Game;
use crate::library::Library;
use std::path::{Path, PathBuf};

/// The root of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file, by its path from the root.
pub fn text_of(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every file with an ending below some folders, sorted.
pub fn files(folders: &[&str], ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|found| found == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty());
    found
}

/// Every `.game` file below some folders, sorted.
pub fn rule_files(folders: &[&str]) -> Vec<PathBuf> {
    files(folders, "game")
}

/// Options that make a game small, where it has such.
pub fn small(name: &str) -> Game {
    let load =
        |options: &[(String, String)]| Game::from_text(name, Library::text(name).unwrap(), None, options, &Library);
    let sizes =
        ["side", "size"].iter().flat_map(|option| (3..6).map(move |size| (option.to_string(), size.to_string())));
    sizes.map(|option| load(&[option])).find_map(Result::ok).unwrap_or_else(|| load(&[]).expect("a game"))
}
