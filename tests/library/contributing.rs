//! CONTRIBUTING.md names places that exist, and as many as it says; tests/README.md names all modules of tests.

use super::common::files::{root, text_of};
use std::path::Path;

/// Whether a file, or any file below a folder, has a text.
fn holds(path: &Path, text: &str) -> bool {
    if path.is_dir() {
        return std::fs::read_dir(path).unwrap().any(|entry| holds(&entry.unwrap().path(), text));
    }
    std::fs::read_to_string(path).is_ok_and(|found| found.contains(text))
}

#[test]
fn what_one_new_thing_costs_is_said_truly() {
    let page = text_of("CONTRIBUTING.md");
    let table = page.split("| one more | places | where |").nth(1).expect("the table");
    let mut rows = 0;
    for row in table.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (thing, said, places) = (cells[1], cells[2], cells[3]);
        let quoted: Vec<&str> = places.split('`').skip(1).step_by(2).collect();
        let pairs = quoted.chunks_exact(2);
        assert!(pairs.remainder().is_empty(), "{thing}: a text without a place");
        assert_eq!(pairs.len().to_string(), said, "{thing}: {places}");
        for pair in pairs {
            let path = root().join(pair[1]);
            assert!(path.exists(), "{thing}: there is no {}", pair[1]);
            assert!(holds(&path, pair[0]), "{thing}: `{}` is not in {}", pair[0], pair[1]);
        }
        rows += 1;
    }
    assert!(rows >= 12, "only {rows} rows");
}

#[test]
fn every_module_of_tests_is_said_to_prove_something() {
    let page = text_of("tests/README.md");
    for (file, section) in [("tests/library/mod.rs", "## The library"), ("tests/program/main.rs", "## The program")] {
        let rows = page.split(section).nth(1).unwrap().split("\n## ").next().unwrap();
        let named: Vec<&str> =
            rows.lines().filter(|line| line.starts_with("| `")).flat_map(|line| line.split('|').nth(1)).collect();
        let named: Vec<&str> = named.iter().flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
        let text = text_of(file);
        let modules: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
            .filter(|name| *name != "common")
            .collect();
        assert_eq!(named, modules, "{section} of tests/README.md and {file}");
    }
}
