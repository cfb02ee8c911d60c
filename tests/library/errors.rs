//! The pages of docs/errors are true: each one's file gives the output that the page shows.
//! `UPDATE_PAGES=1 cargo test --lib errors::` writes the outputs anew.

use crate::author::costly::{Pace, warnings};
use crate::author::inspect::{Further, check_file_and};
use crate::author::trial::trial;
use crate::check::Project;
use crate::diagnostic::{Code, Format, Severity, page, render};
use crate::engine::Engine;
use crate::engine::steps::counted;
use crate::game::Game;
use crate::library::Library;
use crate::study::playout::{Dice, generator};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A page of Markdown in which blocks of files are followed by blocks of what is said about them.
struct Page {
    path: PathBuf,
    text: String,
}

/// A file of a page: how it is checked, its text, and the place of the output behind it.
struct Example {
    how: String,
    file: String,
    output: std::ops::Range<usize>,
}

impl Page {
    fn read(path: PathBuf) -> Self {
        let text = std::fs::read_to_string(&path).unwrap();
        Self { path, text }
    }

    fn examples(&self) -> Vec<Example> {
        let mut examples = Vec::new();
        let mut at = 0;
        while let Some(start) = self.text[at..].find("```game").map(|found| at + found + 7) {
            let line = self.text[start..].find('\n').unwrap() + start;
            let end = self.text[line..].find("\n```").unwrap() + line;
            let output = self.text[end + 4..].find("```text\n").expect("an output behind every file") + end + 12;
            let close = self.text[output..].find("```").unwrap() + output;
            examples.push(Example {
                how: self.text[start..line].trim().to_owned(),
                file: self.text[line + 1..=end].to_owned(),
                output: output..close,
            });
            at = close + 3;
        }
        examples
    }

    /// Compares the outputs with what is said today, or puts them right.
    fn check(mut self, wrong: &mut Vec<String>, codes: &mut dyn FnMut(&Example, &[Code])) {
        for index in 0..self.examples().len() {
            let example = self.examples().swap_remove(index);
            let (output, found) = output_of(&example);
            codes(&example, &found);
            if self.text[example.output.clone()] != output {
                wrong.push(self.path.display().to_string());
                self.text.replace_range(example.output, &output);
            }
        }
        if std::env::var_os("UPDATE_PAGES").is_some() {
            std::fs::write(&self.path, &self.text).unwrap();
        }
    }
}

/// A game of the reference engine, every step of which takes a nanosecond.
fn pace(game: &Game, most: u64) -> Option<Pace> {
    let mut player = game.player(Engine::Reference);
    let (plies, steps) = counted(|| player.playout(&mut Dice::new(generator(0, 0)), most.min(40)));
    let of = |all: u64| all as f64 / plies.0 as f64;
    Some(Pace { ply: of(steps), branching: of(plies.1), plies: plies.0 as f64 })
}

fn output_of(example: &Example) -> (String, Vec<Code>) {
    let text = match example.how.as_str() {
        // What a page cannot hold.
        "zero" => example.file.replace('␀', "\0"),
        "long" => example.file.clone() + &"\n".repeat(5000),
        _ => example.file.clone(),
    };
    let costly = |project: &Project| warnings(project, Duration::MAX, &mut pace);
    let further: Further<'_> = match example.how.as_str() {
        "play" => Some(&trial),
        "costly" => Some(&costly),
        _ => None,
    };
    let (diagnostics, sources) = check_file_and("my.game", &text, &Library, further);
    let shown: String =
        diagnostics.iter().map(|found| render(found, &sources, Format::Human { color: false })).collect();
    let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
    let shown = lines.join("\n").replace('\0', "␀");
    (format!("{}\n", shown.trim_matches('\n')), diagnostics.iter().map(|found| found.code).collect())
}

#[test]
fn every_page_shows_what_the_program_says() {
    let (mut wrong, mut other) = (Vec::new(), Vec::new());
    for code in Code::ALL {
        let path = Path::new("docs/errors").join(format!("{code}.md"));
        assert!(path.is_file(), "{code} has no page");
        let page = Page::read(path);
        let heading = page.text.lines().next().unwrap().to_owned();
        let name = code.lint().map_or(String::new(), |lint| format!(" (`{lint}`)"));
        assert_eq!(heading, format!("# {code}: {}{name}", code.title()));
        assert!(page.text.contains("\n## How to mend it\n"), "{code}");
        assert_eq!(page.examples().len(), 1, "{code}");
        page.check(&mut wrong, &mut |_, found| {
            if found.is_empty() || found.iter().any(|found| found != code) {
                other.push(format!("the file of {code} gives {found:?}"));
            }
        });
    }
    assert!(other.is_empty(), "{}", other.join("\n"));
    assert!(wrong.is_empty() || std::env::var_os("UPDATE_PAGES").is_some(), "not as the pages say: {wrong:?}");
}

#[test]
fn every_page_belongs_to_a_code_and_is_in_the_program() {
    let codes: BTreeSet<String> = Code::ALL.iter().map(|code| format!("{code}.md")).collect();
    for entry in std::fs::read_dir("docs/errors").unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(codes.contains(&name), "docs/errors/{name} is of no code");
    }
    for code in Code::ALL {
        assert!(page(*code).starts_with(&format!("# {code}: ")), "{code}");
    }
}

#[test]
fn warnings_have_names_and_errors_have_none() {
    let mut names = BTreeSet::new();
    for code in Code::ALL {
        assert_eq!(code.lint().is_some(), code.severity() == Severity::Warning, "{code}");
        for name in [Some(code.id()), code.lint()].into_iter().flatten() {
            assert!(names.insert(name), "{name} is there twice");
            assert_eq!(Code::find(name), Some(*code));
            assert_eq!(Code::find(&name.to_lowercase()), Some(*code));
        }
    }
}

#[test]
fn the_page_of_messages_shows_what_the_program_says() {
    let page = Page::read(PathBuf::from("docs/messages.md"));
    assert_eq!(page.examples().len(), 8);
    let mut wrong = Vec::new();
    page.check(&mut wrong, &mut |_, found| assert!(!found.is_empty()));
    assert!(wrong.is_empty() || std::env::var_os("UPDATE_PAGES").is_some(), "not as the page says");
}
