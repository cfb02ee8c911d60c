//! The looks of the source: what every file has, what none has, and what becomes less from change to change.

use super::common::files::{files, root, text_of};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// The path from the root, with slashes.
fn shown(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap()
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}

/// The code of a file without the tests at its end.
fn code(text: &str) -> &str {
    text.find("#[cfg(test)]\nmod tests {").map_or(text, |at| &text[..at])
}

#[test]
fn every_file_opens_with_a_sentence() {
    for path in files(&["src", "tests", "benches"], "rs") {
        let text = std::fs::read_to_string(&path).unwrap();
        let head: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//! ")).collect();
        let sentence = head.join(" ");
        let whole =
            sentence.starts_with(|c: char| c.is_uppercase() || "`\"".contains(c)) && sentence.contains(['.', '?']);
        assert!(whole, "{} does not open with a sentence that says what it is for", shown(&path));
    }
}

#[test]
fn nothing_is_left_to_be_done_or_to_be_looked_at() {
    let words = ["todo", "unimplemented", "dbg"].map(|word| format!("{word}!("));
    let marks = ["TODO", "FIXME", "XXX"].map(|mark| format!("// {mark}"));
    for path in files(&["src", "tests", "benches"], "rs") {
        let text = std::fs::read_to_string(&path).unwrap();
        for word in words.iter().chain(&marks) {
            assert!(!text.contains(word.as_str()), "{} has `{word}`", shown(&path));
        }
    }
}

/// The body of an arm that says nothing of what it takes: a constant, or a way out.
fn is_silent(body: &str) -> bool {
    let body = body.trim().trim_end_matches([',', ';']).trim_start_matches("return ");
    let name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "_:<>".contains(c));
    let constant = |text: &str| {
        let last = text.rsplit("::").next().unwrap_or(text);
        name(text) && (last == "None" || (last.len() > 1 && last.chars().all(|c| c.is_uppercase() || c == '_')))
    };
    ["{}", "()", "true", "false", "return", "continue", "break"].contains(&body)
        || body.chars().all(|c| c.is_ascii_digit())
        || body.strip_suffix("::new()").is_some_and(name)
        || constant(body)
}

fn silent_arms(code: &str) -> usize {
    code.lines().filter_map(|line| line.trim_start().strip_prefix("_ =>")).filter(|body| is_silent(body)).count()
}

/// `as` with a type that may be too narrow; what is known to fit says so with `from`, what is not with `try_from`.
fn narrowings(code: &str) -> usize {
    let narrow = ["u8", "u16", "u32", "i32", "usize"];
    let casts =
        code.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| line.split(" as ").skip(1));
    casts.filter(|after| narrow.contains(&after.split(|c: char| !c.is_alphanumeric()).next().unwrap_or(""))).count()
}

/// A kind of thing, a file: how often.
type Table = BTreeMap<(String, String), usize>;

fn counted() -> Table {
    let mut table = Table::new();
    let mut note = |kind: &str, path: &Path, count: usize| {
        if count > 0 {
            table.insert((kind.to_owned(), shown(path)), count);
        }
    };
    for path in files(&["src/rules", "src/check", "src/program", "src/engine"], "rs") {
        let text = std::fs::read_to_string(&path).unwrap();
        note("silent_arm", &path, silent_arms(code(&text)));
    }
    for path in files(&["src/program", "src/engine"], "rs") {
        let text = std::fs::read_to_string(&path).unwrap();
        note("narrowing", &path, narrowings(code(&text)));
    }
    table
}

const ALLOWED: &str = "tests/library/tidy.txt";

fn allowed() -> Table {
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let mut next = || words.next().unwrap_or_else(|| panic!("{ALLOWED}: {line}")).to_owned();
        let (kind, count, path) = (next(), next(), next());
        ((kind, path), count.parse().unwrap())
    };
    text_of(ALLOWED).lines().filter(|line| !line.starts_with('#')).map(row).collect()
}

fn total(table: &Table, kind: &str) -> usize {
    table.iter().filter(|((of, _), _)| of == kind).map(|(_, count)| count).sum()
}

/// `UPDATE=1 cargo test --lib tidy::` writes the numbers anew as long as their sums do not grow.
#[test]
fn silent_arms_and_narrowings_become_fewer() {
    let (counted, allowed) = (counted(), allowed());
    if counted == allowed {
        return;
    }
    let grown = ["silent_arm", "narrowing"].into_iter().find(|kind| total(&counted, kind) > total(&allowed, kind));
    if let (Some(_), None) = (std::env::var_os("UPDATE"), grown) {
        let mut text: String =
            text_of(ALLOWED).lines().filter(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect();
        for ((kind, path), count) in &counted {
            writeln!(text, "{kind} {count} {path}").unwrap();
        }
        std::fs::write(root().join(ALLOWED), text).unwrap();
        return;
    }
    let mut changes = String::new();
    for key in counted.keys().chain(allowed.keys()).collect::<std::collections::BTreeSet<_>>() {
        let of = |table: &Table| table.get(key).copied().unwrap_or(0);
        let (now, before) = (of(&counted), of(&allowed));
        if now != before {
            writeln!(changes, "  {} {}: {before} are allowed, there are {now}", key.0, key.1).unwrap();
        }
    }
    panic!(
        "{ALLOWED} says otherwise:\n{changes}Name what an arm takes (`A | B => ...`) and narrow with `try_from`; where there \
         are fewer now, `UPDATE=1 cargo test --lib tidy::` lowers the numbers."
    );
}

#[test]
fn silent_arms_are_told_from_others() {
    for silent in
        ["{}", "(),", "false,", "None,", "Set::EMPTY,", "NONE,", "return None,", "0,", "Vec::new(),", "return,"]
    {
        assert!(is_silent(silent), "{silent}");
    }
    for other in
        ["return self.word(expr),", "self.other(),", "{", "Err(error),", "Type::Number,", "x,", "kind => kind,"]
    {
        assert!(!is_silent(other), "{other}");
    }
    assert_eq!(narrowings("let a = b as u8 + c as usize;\nlet d = e as i64; // f as u8"), 3);
    assert_eq!(silent_arms("match a {\n    A => 1,\n    _ => 0,\n    _ => b(),\n}"), 1);
}

/// A snapshot that no test reads proves nothing, and one that is new has not been looked at.
#[test]
fn every_snapshot_belongs_to_a_test() {
    let new: Vec<_> = ["tests", "src"]
        .iter()
        .flat_map(|folder| walk(&root().join(folder)))
        .filter(|path| path.to_string_lossy().ends_with(".snap.new"))
        .collect();
    assert!(new.is_empty(), "{new:?}");
    let sources: String =
        files(&["src", "tests"], "rs").iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    for path in files(&["src", "tests"], "snap") {
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let (name, of) = stem.split_once('@').map_or((stem.as_str(), None), |(name, of)| (name, Some(of)));
        let name = name.rsplit("__").next().unwrap();
        // `show` makes the names of its own from those of the games.
        let known = [format!("fn {name}()"), format!("\"{name}\"")].iter().any(|text| sources.contains(text.as_str()));
        let game = name.strip_prefix("show_").is_some_and(|game| crate::library::Library::text(game).is_some());
        assert!(known || game, "no test reads {}", shown(&path));
        if let Some(of) = of {
            let found = files(&["tests"], "game").iter().any(|file| file.file_name().unwrap().to_string_lossy() == of);
            assert!(found, "{} is of no file", shown(&path));
        }
    }
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}
