//! The files of the project, for tests that go through them all.

use crate::game::Game;
use crate::library::Library;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

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

/// The game of a rule file with its own options. It is read once for all tests: the program and the machine code that it
/// becomes take longer than most of what is asked of them.
pub fn game_of(path: &Path) -> Game {
    type Known = BTreeMap<PathBuf, Arc<OnceLock<Game>>>;
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    let own = KNOWN.lock().unwrap().entry(path.to_owned()).or_default().clone();
    let read = || {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Game::from_text(&path.to_string_lossy(), &text, None, &[], &Library)
            .unwrap_or_else(|error| panic!("{}: {error:?}", path.display()))
    };
    own.get_or_init(read).clone()
}

/// A shipped game with its own options, likewise.
pub fn shipped(name: &str) -> Game {
    static FILES: OnceLock<Vec<PathBuf>> = OnceLock::new();
    let files = FILES.get_or_init(|| rule_files(&["games"]));
    let file = files.iter().find(|file| file.file_stem().is_some_and(|stem| stem == name));
    game_of(file.unwrap_or_else(|| panic!("no game is called {name}")))
}

/// Options that make a game small, where it has such.
pub fn small(name: &str) -> Game {
    let load =
        |options: &[(String, String)]| Game::from_text(name, Library::text(name).unwrap(), None, options, &Library);
    let sizes =
        ["side", "size"].iter().flat_map(|option| (3..6).map(move |size| (option.to_string(), size.to_string())));
    sizes.map(|option| load(&[option])).find_map(Result::ok).unwrap_or_else(|| load(&[]).expect("a game"))
}
