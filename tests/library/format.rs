//! The one layout: what it looks like, that it says the same, that it stays, and that our own files have it.

use super::common::mutants::{Dice, mutate};
use crate::format::{Refusal, format};
use crate::game::Game;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files_in(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_in(&path, extension));
        } else if path.extension().is_some_and(|known| known == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Every file of rules that is ours and can be read.
fn own_files() -> Vec<PathBuf> {
    let files: Vec<PathBuf> = ["games", "examples", "grammar", "tests/variants"]
        .iter()
        .flat_map(|at| files_in(&root().join(at), "game"))
        .collect();
    assert!(files.len() > 30);
    files
}

/// The complete files within the pages.
fn own_pages() -> Vec<(PathBuf, String)> {
    let pages = files_in(&root().join("docs"), "md").into_iter().chain([root().join("README.md")]);
    let mut found = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        for block in text.split("```game\n").skip(1) {
            found.push((page.clone(), block.split("```").next().unwrap().to_owned()));
        }
    }
    assert!(found.len() >= 2);
    found
}

/// What the formatter must hold for any text: it refuses, or its result is its own.
fn assert_sound(name: &str, text: &str) -> bool {
    match format(text) {
        Ok(once) => {
            assert_eq!(
                format(&once).unwrap_or_else(|_| panic!("{name}: refused again")),
                once,
                "{name}: not idempotent\n{text}"
            );
            true
        }
        Err(Refusal::Unread(_)) => false,
        Err(Refusal::Changed) => panic!("{name}: the layout would change it\n{text}"),
    }
}

#[test]
fn our_own_files_have_the_layout() {
    for path in own_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(format(&text).unwrap(), text, "run `ludwright fmt {}`", path.display());
    }
    for (path, text) in own_pages() {
        // Some blocks show mistakes; what they show is not to be improved.
        if assert_sound(&path.display().to_string(), &text) {
            assert_eq!(format(&text).unwrap(), text, "a block of {}", path.display());
        }
    }
}

#[test]
fn the_layout_does_not_depend_on_blanks() {
    // Every line set in alike and ended as elsewhere: only drawings mind.
    for path in own_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        if text.contains("drawn") {
            continue;
        }
        let ugly: String = text.lines().map(|line| format!("   {}\r\n", line.trim())).collect();
        let Ok(laid_out) = format(&ugly) else { continue };
        assert!(laid_out.contains("\r\n"));
        assert_eq!(laid_out.replace("\r\n", "\n"), text, "{}", path.display());
    }
}

#[test]
fn the_hash_of_the_rules_is_that_of_the_text_before() {
    let library = crate::library::Library;
    let of = |text: &str| Game::from_text("ugly.game", text, None, &[], &library).unwrap().rules_hash();
    let ugly = std::fs::read_to_string(root().join("tests/format/ugly.game")).unwrap();
    assert_eq!(of(&ugly), of(&format(&ugly).unwrap()));
}

#[test]
fn ugly_files_become_handsome() {
    insta::glob!("../format", "*.game", |path| {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(assert_sound(&path.display().to_string(), &text));
        let shown = |text: &str| text.replace('\r', "<CR>").replace('\t', "<TAB>");
        let laid_out = format(&text).unwrap();
        insta::assert_snapshot!(format!("{}\n======== laid out ========\n{}", shown(&text), shown(&laid_out)));
    });
}

fn mutants_keep_their_meaning(count: usize, seed: u64) {
    let games: Vec<(String, String)> = own_files()
        .into_iter()
        .map(|path| (path.display().to_string(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    let mut dice = Dice(seed);
    let mut read = 0;
    for index in 0..count {
        let (name, text) = &games[index % games.len()];
        let (mutant, _, how) = mutate(text, &mut dice);
        read += usize::from(assert_sound(&format!("{name}, {how}"), &mutant));
        // Blanks and breaks where they do not belong.
        let broken = scatter(text, &mut dice);
        read += usize::from(assert_sound(&format!("{name}, scattered"), &broken));
    }
    println!("{read} of {} could be read", 2 * count);
    assert!(read > count / 3);
}

/// The text with blanks, newlines and comments strewn over the places where blanks are.
fn scatter(text: &str, dice: &mut Dice) -> String {
    let mut out = String::new();
    let mut quoted = false;
    for c in text.chars() {
        quoted ^= c == '"';
        quoted &= c != '\n';
        let free = !quoted && matches!(c, ' ' | '\n') && dice.roll(120) == 0;
        match (free, dice.roll(6)) {
            (true, 0) => out.push_str("\n\n\n"),
            (true, 1) => out.push_str("     "),
            (true, 2) => out.push_str(" // strewn\n"),
            (true, 3) => out.push_str("\t\t"),
            (true, 4) => out.push(';'),
            (true, _) => out.push_str("\r\n"),
            _ => {}
        }
        out.push(c);
    }
    out
}

#[test]
fn mutants_that_can_be_read_keep_their_meaning() {
    mutants_keep_their_meaning(120, 0x9E37_79B9_7F4A_7C15);
}

#[test]
#[ignore = "a minute of the same"]
fn a_thousand_mutants_keep_their_meaning() {
    mutants_keep_their_meaning(1000, 0xD1B5_4A32_D192_ED03);
}
