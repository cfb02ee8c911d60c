//! Broken rule files: what is said about each of them, that mistakes are found where they are, and that nothing breaks.

use super::common::mutants::{Dice, mutate};
use super::common::wish;
use crate::author::inspect::check_file;
use crate::check::Resolve;
use crate::diagnostic::{Code, Diagnostic, Format, render};
use crate::library::Library;
use crate::source::Sources;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The shipped games by name, and two files that extend one another.
struct Files {
    shipped: BTreeMap<String, PathBuf>,
}

impl Files {
    fn new() -> Self {
        let mut shipped = BTreeMap::new();
        collect(Path::new("games"), &mut |path| {
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            shipped.insert(stem, path.to_owned());
        });
        Self { shipped }
    }
}

fn collect(folder: &Path, add: &mut dyn FnMut(&Path)) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, add);
        } else if path.extension().is_some_and(|extension| extension == "game") {
            add(&path);
        }
    }
}

impl Resolve for Files {
    fn resolve(&self, _from: &str, wanted: &str) -> Result<(String, String), String> {
        match wanted {
            "circle_b" => {
                Ok(("circle_b".to_owned(), "game \"B\" by \"A. Player\" 2026 extends \"circle_c\"\n".to_owned()))
            }
            "circle_c" => {
                Ok(("circle_c".to_owned(), "game \"C\" by \"A. Player\" 2026 extends \"circle_b\"\n".to_owned()))
            }
            name => match self.shipped.get(name) {
                Some(path) => Ok((path.display().to_string(), std::fs::read_to_string(path).unwrap())),
                None => Err("there is no such file".to_owned()),
            },
        }
    }
}

/// Signs that a message was written for programmers.
const FOREIGN: &[&str] =
    &["panicked", "unwrap", "Rule::", "Some(", "None", "Err(", "ParsingError", "Expr", "::", "utf-8 sequence"];

/// What every diagnostic has to fulfil: an honest place, a sentence for people.
fn assert_sound(name: &str, diagnostics: &[Diagnostic], sources: &Sources) {
    for diagnostic in diagnostics {
        let source = sources.get(diagnostic.span.source).unwrap_or_else(|| panic!("{name}: no source"));
        let (start, end) = (diagnostic.span.start as usize, diagnostic.span.end as usize);
        assert!(start <= end && end <= source.text.len(), "{name}: {start}..{end} lies outside the file");
        assert!(
            source.text.is_char_boundary(start) && source.text.is_char_boundary(end),
            "{name}: the place splits a character"
        );
        assert!(source.name != "prelude.game", "{name}: points into the prelude: {}", diagnostic.message);
        let texts = [Some(&diagnostic.message), Some(&diagnostic.label), diagnostic.help.as_ref()];
        for text in texts.into_iter().flatten() {
            for sign in FOREIGN {
                assert!(!text.contains(sign), "{name}: `{text}` looks like {sign}");
            }
        }
        assert!(!diagnostic.message.is_empty());
    }
}

fn all_rendered(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    diagnostics.iter().map(|diagnostic| render(diagnostic, sources, Format::Human { color: false })).collect()
}

#[test]
fn every_broken_file_is_explained() {
    let files = Files::new();
    let silent = std::cell::RefCell::new(Vec::new());
    insta::glob!("../broken", "*.game", |path| {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let (diagnostics, sources) = check_file(&name, &text, &files);
        let shown = format!("{text}\n{}\n{}", "=".repeat(100), all_rendered(&diagnostics, &sources));
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(shown);
        });
        assert_sound(&name, &diagnostics, &sources);
        if !diagnostics.iter().any(Diagnostic::is_error) {
            silent.borrow_mut().push(name);
        }
    });
    assert!(silent.borrow().is_empty(), "no error was found in {:?}", silent.borrow());
}

#[test]
fn every_shipped_game_checks_without_a_word() {
    let files = Files::new();
    assert!(!files.shipped.is_empty());
    for path in files.shipped.values() {
        let text = std::fs::read_to_string(path).unwrap();
        let (diagnostics, sources) = check_file(&path.display().to_string(), &text, &files);
        assert!(diagnostics.is_empty(), "{}", all_rendered(&diagnostics, &sources));
    }
}

#[test]
fn monstrous_files_are_refused_quickly() {
    let put = "game \"Put\" by \"A. Player\" 2026\nplayers Black, White\nboard square(3)\npiece stone of each player\n\
               turn { put }\nend { draw when stuck }\n";
    let game = |domain: &str| format!("{put}move put {{ cell : {domain}; cell becomes stone of mover }}\n");
    let deep = 10_000;
    let bytes: Vec<u8> = (0..=255u8).cycle().take(5000).collect();
    let many_words = "own ".repeat(100_000);
    let cases: Vec<(&str, String)> = vec![
        ("invalid UTF-8, as it is read", String::from_utf8_lossy(&bytes).into_owned()),
        (
            "invalid UTF-8 without zero bytes",
            String::from_utf8_lossy(&[0xff, 0xfe, 0xc3, 0x28].repeat(500)).into_owned(),
        ),
        ("a zero byte", format!("{put}\0")),
        ("10 MB", format!("{put}// {}\n", "x".repeat(10 << 20))),
        ("10 MB of moves", "move a { x : empty }\n".repeat(500_000)),
        ("deep (", game(&format!("{}empty{}", "(".repeat(deep), ")".repeat(deep)))),
        ("deep ( never closed", game(&"(".repeat(deep))),
        ("deep {", game(&format!("{}empty{}", "{".repeat(deep), "}".repeat(deep)))),
        ("deep [", game(&"[".repeat(deep))),
        ("deep not", game(&format!("{}empty", "not ".repeat(deep)))),
        ("deep if", game(&format!("{}empty{}", "if stuck then ".repeat(deep), " else empty".repeat(deep)))),
        ("deep before", game(&format!("{}empty", "before ".repeat(deep)))),
        ("deep the", game(&format!("{}empty", "the ".repeat(deep)))),
        ("deep -", game(&format!("{}1", "- ".repeat(deep)))),
        ("deep of", game(&format!("{}mover", "of ".repeat(deep)))),
        ("100,000 words", game(&many_words)),
        ("100,000 words where a section is expected", format!("{put}{many_words}\n")),
        ("100,000 words in a turn", format!("{put}turn 2 {{ {many_words} }}\n")),
        ("100,000 commas", game(&"empty, ".repeat(100_000))),
        ("100,000 lines", format!("{put}{}", "\n".repeat(100_000))),
        ("4,900 blank lines", format!("{put}{}\nmove a {{ x : emtpy }}", "\n".repeat(4_900))),
        ("1,000 comments", format!("{put}{}\nmove a {{ x : emtpy }}", "// a comment\n".repeat(1_000))),
        ("only quotes", "\"".repeat(20_000)),
        ("only braces that close", "}".repeat(20_000)),
        ("only reserved words", "and or not when ".repeat(5_000)),
    ];
    let files = Files::new();
    for (name, text) in cases {
        let begin = Instant::now();
        let (diagnostics, sources) = check_file(name, &text, &files);
        let took = begin.elapsed();
        assert!(diagnostics.iter().any(Diagnostic::is_error), "{name}: no error was found");
        assert_sound(name, &diagnostics, &sources);
        let first = render(&diagnostics[0], &sources, Format::Short);
        assert!(first.len() < 1000, "{name}: a message of {} bytes", first.len());
        println!("{name}: {} in {took:.1?}: {}", diagnostics.len(), first.trim_end());
        assert!(took < Duration::from_secs(60), "{name} took {took:?}: a hang");
    }
}

// ---- mutants ----

#[test]
fn mutants_of_the_shipped_games_are_caught_where_they_were_changed() {
    play_mutants(180, 0x9E37_79B9_7F4A_7C15);
}

/// `cargo test --lib broken:: -- --ignored --nocapture` names those that are reported elsewhere; `MUTANTS=n SEED=n` for more
/// of them and others.
#[test]
#[ignore = "takes minutes"]
fn a_thousand_mutants_are_caught_where_they_were_changed() {
    play_mutants(wish("MUTANTS", 1000) as usize, wish("SEED", 0x2545_F491_4F6C_DD1D));
}

/// Checks so many mutants, and asks that at least 95 % of those that do not check are reported within a line of the change.
fn play_mutants(mutants: usize, seed: u64) {
    let files = Files::new();
    let games: Vec<(String, String)> = files
        .shipped
        .values()
        .map(|path| (path.display().to_string(), std::fs::read_to_string(path).unwrap()))
        .collect();
    let mut dice = Dice(seed);
    let begin = Instant::now();
    let (mut caught, mut near) = (0, 0);
    let mut slowest = Duration::ZERO;
    for index in 0..mutants {
        let (name, text) = &games[index % games.len()];
        let (mutant, changed, how) = mutate(text, &mut dice);
        let one = Instant::now();
        let (diagnostics, sources) = check_file(name, &mutant, &files);
        slowest = slowest.max(one.elapsed());
        assert!(one.elapsed() < Duration::from_secs(60), "{name}, {how}: a hang");
        assert_sound(&format!("{name}, {how}"), &diagnostics, &sources);
        let line_of = |offset: usize| mutant[..offset.min(mutant.len())].matches('\n').count();
        let changed = line_of(changed);
        let errors: Vec<&Diagnostic> = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).collect();
        if errors.is_empty() {
            continue;
        }
        caught += 1;
        let close = |diagnostic: &&Diagnostic| {
            sources.get(diagnostic.span.source).is_some_and(|source| source.name == *name)
                && std::iter::once(diagnostic.span)
                    .chain(diagnostic.labels.iter().map(|(span, _)| *span))
                    .any(|span| line_of(span.start as usize).abs_diff(changed) <= 1)
        };
        if diagnostics.iter().any(|diagnostic| close(&diagnostic)) {
            near += 1;
        } else {
            println!("far: {name}:{}: {how}", changed + 1);
            for diagnostic in errors.iter().take(3) {
                print!("     {}", render(diagnostic, &sources, Format::Short));
            }
        }
    }
    let percent = near * 100 / caught.max(1);
    println!(
        "{caught} of {mutants} mutants do not check; {near} ({percent} %) are reported within a line of the change; {:.1?}, \
         the slowest {slowest:.1?}",
        begin.elapsed()
    );
    assert!(percent >= 95, "only {percent} % are reported where they were changed");
}

#[test]
fn what_no_longer_fits_in_a_shipped_game_is_told_in_the_file_that_extends_it() {
    let told = |lines: &str| {
        let (found, sources) = check_file("mine.game", &format!("game \"Mine\" extends chess\n{lines}\n"), &Library);
        let errors: Vec<Diagnostic> = found.into_iter().filter(Diagnostic::is_error).collect();
        assert!(errors.iter().all(|found| found.fixes.is_empty()), "nobody mends a shipped game: {errors:#?}");
        errors.iter().map(|found| render(found, &sources, Format::Short)).collect::<Vec<_>>()
    };
    let dropped = told("drop attacked");
    assert_eq!(dropped.len(), 1, "{dropped:?}");
    assert!(
        dropped[0].starts_with("mine.game:2:6: error[LW201]: `attacked` is dropped, but `chess`, line "),
        "{dropped:?}"
    );
    let board = told("board ring(12)");
    let is_here = |line: &String| line.starts_with("mine.game:1:") && line.contains("`chess`, line ");
    assert!(!board.is_empty() && board.iter().all(is_here), "{board:?}");
}

#[test]
fn brackets_say_what_a_not_takes() {
    let found = |set: &str| {
        let text = format!(
            "game \"Not\"\nplayers A, B\nboard square(4)\npiece stone of each player\n\
             move put \"{{cell}}\" {{ cell : empty\n  {set} becomes stone of mover }}\n\
             turn {{ put }}\nend {{ next loses when stuck }}\n"
        );
        let (found, _) = check_file("mine.game", &text, &Library);
        found.into_iter().find(Diagnostic::is_error)
    };
    for set in
        ["((not own) but cell)", "(cell or ((not own) but edge))", "(not (own but cell))", "((not (own)) but cell)"]
    {
        assert_eq!(found(set), None, "{set}");
    }
    for set in ["(not own but cell)", "not (own) but cell", "(not own (edge))"] {
        assert_eq!(found(set).map(|found| found.code), Some(Code::TwoReadings), "{set}");
    }
}
