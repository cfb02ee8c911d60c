//! The arrows between modules are those of the table in ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn rust_files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    std::fs::read_dir(path).unwrap().flat_map(|entry| rust_files(&entry.unwrap().path())).collect()
}

/// The words in backquotes of a table cell.
fn quoted(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn modules_import_what_the_table_allows_and_nothing_else() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let mut table: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        if let (Some(name), true) = (quoted(cells[1]).into_iter().next(), cells.len() >= 4) {
            table.entry(name).or_default().extend(quoted(cells[2]));
        }
    }
    // A module comes below all that it may use.
    let mut below: BTreeSet<&str> = BTreeSet::new();
    while let Some((next, _)) = table.iter().find(|(name, uses)| {
        !below.contains(name.as_str()) && uses.iter().all(|used| below.contains(used.as_str()) || used == *name)
    }) {
        below.insert(next);
    }
    let circle: Vec<&String> = table.keys().filter(|name| !below.contains(name.as_str())).collect();
    assert!(circle.is_empty(), "these modules use each other in a circle: {circle:?}");
    let mut checked = 0;
    for entry in std::fs::read_dir(root.join("src")).unwrap() {
        let path = entry.unwrap().path();
        let module = path.file_stem().unwrap().to_string_lossy().into_owned();
        if matches!(module.as_str(), "lib" | "main") {
            continue;
        }
        let allowed = table.get(&module).unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for `{module}`"));
        for file in rust_files(&path) {
            let text = std::fs::read_to_string(&file).unwrap();
            for at in text.match_indices("crate::").map(|(at, word)| at + word.len()) {
                let used: String = text[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let fine = used == module || allowed.contains(&used) || used.is_empty();
                assert!(fine, "{} uses `{used}`, which the table does not allow to `{module}`", file.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 50);
}

/// What checks and plays rules can do no harm, whatever they say.
#[test]
fn only_the_program_the_page_editors_and_the_library_reach_files_processes_and_the_network() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in rust_files(&root) {
        let path = file.strip_prefix(&root).unwrap();
        if path == Path::new("library.rs") || path == Path::new("main.rs") || path.starts_with("cli") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let reached = ["fs", "net", "process"]
            .iter()
            .find(|name| ["std", "tokio"].iter().any(|from| code.contains(&format!("{from}::{name}"))));
        let leaf = path.starts_with("serve") || path.starts_with("lsp");
        // Programs that somebody names on the command line.
        let starts = path == Path::new("protocol/process.rs") && reached == Some(&"process");
        assert!(reached.is_none() || leaf || starts, "{} reaches {reached:?}", path.display());
    }
}

/// The paths below `super` and `crate` that a file names outside comments and tests, with the lists in braces taken apart.
fn paths(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let mut found = Vec::new();
    // What an indented `use` names is seen from a module within the file.
    for (at, _) in code.match_indices("super::").chain(code.match_indices("crate::engine")) {
        let line = code[..at].rsplit('\n').next().unwrap_or_default();
        if line.ends_with("super::") || line.ends_with("(in ") || line.starts_with("    use ") {
            continue;
        }
        let path: String = code[at..].chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':')).collect();
        match code[at + path.len()..].strip_prefix('{').and_then(|list| list.split_once('}')) {
            Some((list, _)) => found.extend(list.split(',').map(|name| format!("{path}{}", name.trim()))),
            None => found.push(path),
        }
    }
    // A file that has others below it may name them without `super` or `crate`.
    let inner = code.lines().filter_map(|line| line.strip_prefix("use ").or_else(|| line.strip_prefix("pub use ")));
    let inner = inner.filter(|path| !path.starts_with("super") && !path.starts_with("crate"));
    found.extend(inner.map(|path| format!("self::{}", path.trim_end_matches(';'))));
    found
}

#[test]
fn the_files_of_the_engine_use_each_other_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    // The modules that a file is in.
    let module = |file: &Path| -> Vec<String> {
        let inside = file.strip_prefix(&root).unwrap().with_extension("");
        let mut path: Vec<String> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        path.retain(|name| name != "mod");
        path
    };
    let files = rust_files(&root.join("engine"));
    let known: BTreeSet<Vec<String>> = files.iter().map(|file| module(file)).collect();
    let mut arrows: BTreeMap<Vec<String>, BTreeSet<Vec<String>>> = BTreeMap::new();
    for file in &files {
        let own = module(file);
        for path in paths(&std::fs::read_to_string(file).unwrap()) {
            let mut to = if path.starts_with("crate") { Vec::new() } else { own.clone() };
            for part in path.split("::") {
                match part {
                    "crate" | "self" => {}
                    "super" => drop(to.pop()),
                    name => {
                        to.push(name.to_owned());
                        if !known.contains(&to) {
                            to.pop();
                            break;
                        }
                    }
                }
            }
            if to != own && known.contains(&to) {
                arrows.entry(own.clone()).or_default().insert(to);
            }
        }
    }
    assert!(arrows.values().map(BTreeSet::len).sum::<usize>() > 100);
    // In a room each file, and each room within it, comes below all that use it. The parts of the reference are one object.
    let rooms = known.iter().filter(|path| path.get(1).is_none_or(|name| name != "reference"));
    for room in rooms.filter(|path| known.iter().any(|other| other.len() > path.len() && other.starts_with(path))) {
        let part = |path: &Vec<String>| path.get(room.len()).cloned().unwrap_or_else(|| "mod".to_owned());
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, all) in arrows.iter().filter(|(from, _)| from.starts_with(room)) {
            let inside = all.iter().filter(|to| to.starts_with(room) && part(to) != part(from));
            uses.entry(part(from)).or_default().extend(inside.map(part));
        }
        while let Some((free, _)) = uses.iter().find(|(_, to)| to.iter().all(|name| !uses.contains_key(name))) {
            let free = free.clone();
            uses.remove(&free);
        }
        assert!(uses.is_empty(), "in {room:?} these use each other in a circle, or one of those that do: {uses:#?}");
    }
}
