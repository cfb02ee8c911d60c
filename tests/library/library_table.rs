//! The table of shipped games in docs/library.md is the one that the files give.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- table: begin -->\n";
const END: &str = "<!-- table: end -->\n";

struct Sheet {
    name: String,
    /// The folder it lies in.
    family: String,
    head: String,
    source: String,
    lines: usize,
}

/// Lines that are neither blank nor comment and belong to no test or record.
fn lines(text: &str) -> usize {
    let mut count = 0;
    let mut in_script = false;
    for line in text.lines() {
        let script = line.starts_with("test \"") || line.starts_with("record \"");
        if in_script {
            in_script = line != "}";
        } else if script {
            in_script = line.matches('{').count() > line.matches('}').count();
        } else if !line.trim().is_empty() && !line.trim_start().starts_with("//") {
            count += 1;
        }
    }
    assert!(!in_script, "a test does not end with a bracket of its own line");
    count
}

fn sheets() -> Vec<Sheet> {
    let mut found = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    for family in entries(&root).into_iter().filter(|path| path.is_dir()) {
        for path in entries(&family).into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "game")) {
            let text = std::fs::read_to_string(&path).unwrap();
            let line = |word: &str| text.lines().find_map(|line| line.strip_prefix(word)).unwrap_or("").trim();
            found.push(Sheet {
                name: path.file_stem().unwrap().to_string_lossy().into_owned(),
                family: family.file_name().unwrap().to_string_lossy().into_owned(),
                head: line("game ").to_owned(),
                source: line("source ").trim_matches('"').to_owned(),
                lines: lines(&text),
            });
        }
    }
    found
}

/// Title, author with year, and the game that the file extends.
fn head(head: &str) -> (String, String, Option<String>) {
    let mut quoted = head.split('"');
    let title = quoted.nth(1).unwrap().to_owned();
    let author = if head.contains(" by \"") { quoted.nth(1).unwrap() } else { "" };
    let mut words = head.rsplit('"').next().unwrap().split_whitespace();
    let year = words.clone().find(|word| word.parse::<u32>().is_ok());
    let base = words.find(|word| *word == "extends").and_then(|_| words.next()).map(str::to_owned);
    let author = [Some(author), year].into_iter().flatten().filter(|text| !text.is_empty()).collect::<Vec<_>>();
    (title, author.join(", "), base)
}

fn table() -> String {
    let elsewhere: BTreeMap<String, Value> =
        serde_json::from_str(include_str!("../data/lines_elsewhere.json")).unwrap();
    let mut text = String::from(
        "| game | by | lines | with what it extends | Ludii | Regular Games | source and variant |\n|---|---|---:|---:|---:|---:|---|\n",
    );
    let sheets = sheets();
    for sheet in &sheets {
        let (title, author, base) = head(&sheet.head);
        let mut whole = sheet.lines;
        let mut next = base.clone();
        while let Some(name) = next {
            let base = sheets.iter().find(|sheet| sheet.name == name).unwrap();
            whole += base.lines;
            next = head(&base.head).2;
        }
        let whole = base.map_or(String::new(), |base| format!("{whole} ({base})"));
        let there = |who: &str| {
            elsewhere
                .get(&sheet.name)
                .map_or(String::new(), |row| row[who].as_u64().map_or(String::new(), |lines| lines.to_string()))
        };
        let Sheet { name, family, source, lines, .. } = sheet;
        let (ludii, regular) = (there("ludii"), there("regular_games"));
        let _ = writeln!(
            text,
            "| [{title}](../games/{family}/{name}.game) | {author} | {lines} | {whole} | {ludii} | {regular} | {source} |"
        );
    }
    text
}

/// `LIBRARY_TABLE=write cargo test --lib library_table::` writes it.
#[test]
fn the_table_of_the_library_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/library.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (there, after) = rest.split_once(END).unwrap();
    if std::env::var("LIBRARY_TABLE").is_ok_and(|wish| wish == "write") {
        std::fs::write(&path, format!("{before}{BEGIN}{}{END}{after}", table())).unwrap();
        return;
    }
    assert!(there == table(), "docs/library.md is out of date: LIBRARY_TABLE=write cargo test --lib library_table::");
}

#[test]
fn tests_and_comments_are_not_counted() {
    let text = "game \"X\"\n\n// a remark\nplayers A, B   // and more\ntest \"one\" { perft 1 }\ntest \"two\" {\n  play a1\n}\nend { draw }\n";
    assert_eq!(lines(text), 3);
}

#[test]
fn the_first_page_names_every_shipped_game_and_counts_them() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let section = page.split("\n## Shipped games\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let sheets = sheets();
    for sheet in &sheets {
        assert!(section.contains(&format!("`{}`", sheet.name)), "{} is missing in README.md", sheet.name);
    }
    let count = format!("any of the {} games", sheets.len());
    assert!(page.contains(&count), "README.md does not say `{count}`");
}

#[test]
fn the_games_that_are_said_to_use_a_word_use_it() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let page = std::fs::read_to_string(docs.join("library.md")).unwrap();
    let (_, rest) = page.split_once("<!-- words: begin -->\n").unwrap();
    let (table, _) = rest.split_once("<!-- words: end -->\n").unwrap();
    let mut looked_at = 0;
    for row in table.lines().skip(2) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, _, words, files, _] = cells.as_slice() else { panic!("{row}") };
        for link in files.split("](").skip(1).filter_map(|link| link.split(')').next()) {
            let text = std::fs::read_to_string(docs.join(link)).unwrap_or_else(|error| panic!("{link}: {error}"));
            for word in words.split('`').skip(1).step_by(2) {
                assert!(text.contains(word), "{link} has no `{word}`");
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 40, "{looked_at}");
}
