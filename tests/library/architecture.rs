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
