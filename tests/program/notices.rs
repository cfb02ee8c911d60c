//! NOTICES.md says of every crate in the program under which licence it is there, with the text that this licence asks for.
//! `UPDATE=1 cargo test --locked notices` writes it anew.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/NOTICES.md");

const HEAD: &str = "\
# Notices

What the program `ludwright` and its crate hold of others, and under which licences. Where an author offers several
licences, one of them is named here: Apache-2.0 if it is among them. `ludwright notices` prints this text.

Made from the files of the crates by `UPDATE=1 cargo test --locked notices`; a test compares it with Cargo.lock.
";

/// The licences offered that are taken, the first that fits.
const TAKEN: [&str; 4] = ["Apache-2.0", "Apache-2.0 WITH LLVM-exception", "MIT", "Zlib"];

/// How the names of files begin that hold licences, in capitals.
const FILES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "OFL", "UFL"];

fn cargo(arguments: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let root = env!("CARGO_MANIFEST_DIR");
    let output = Command::new(cargo).args(arguments).arg("--locked").current_dir(root).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The crates that become part of the program, as `name 1.2.3`, with the licences offered.
fn shipped(target: &[&str]) -> BTreeMap<String, String> {
    let mut arguments = vec!["tree", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}|{l}"];
    arguments.extend(target);
    let tree = cargo(&arguments);
    let crates = tree.lines().filter_map(|line| {
        let (package, licence) = line.trim_end_matches(" (*)").split_once('|')?;
        let (name, version) = package.split_once(" v")?;
        // What has a path behind its version is this crate.
        (!version.contains(' ')).then(|| (format!("{name} {version}"), licence.replace('/', " OR ").replace("  ", " ")))
    });
    crates.collect()
}

/// The licences that apply: of each group of alternatives one.
fn applying(offered: &str) -> BTreeSet<String> {
    let one_of = |group: &str| {
        let group = group.trim_matches(|c| matches!(c, '(' | ')' | ' '));
        let choices: Vec<&str> = group.split(" OR ").map(str::trim).collect();
        let taken = TAKEN.iter().find(|taken| choices.contains(taken)).or(choices.first());
        taken.map(|taken| (*taken).to_owned())
    };
    offered.split(" AND ").filter_map(one_of).collect()
}

/// A line that names a crate with what applies to it.
fn row(package: &str, offered: &str) -> String {
    format!("* {package}: {}", applying(offered).into_iter().collect::<Vec<_>>().join(" and "))
}

/// The files of a crate that hold licences and notices.
fn texts(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in [folder.to_owned(), folder.join("fonts")] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().to_uppercase();
            let is_text = FILES.iter().any(|known| name.starts_with(known))
                || entry.path().parent().unwrap().ends_with("fonts") && name.ends_with(".TXT");
            if is_text && entry.path().is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// Whether a text has to go along when only these licences apply.
fn is_needed(file: &Path, applying: &BTreeSet<String>) -> bool {
    let name = file.file_name().unwrap().to_string_lossy().to_uppercase();
    let apache_alone = applying.iter().all(|licence| licence.starts_with("Apache-2.0"));
    match (apache_alone, name.contains("NOTICE")) {
        // Its own text stands at the end, once for all.
        (true, notice) => notice,
        (false, _) => !name.contains("APACHE") && !name.contains("UNLICENSE"),
    }
}

fn written(crates: &BTreeMap<String, String>) -> String {
    let metadata: Value = serde_json::from_str(&cargo(&["metadata", "--format-version", "1"])).unwrap();
    let text = |package: &Value, field: &str| package[field].as_str().unwrap_or_default().to_owned();
    let packages: BTreeMap<String, &Value> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| (format!("{} {}", text(package, "name"), text(package, "version")), package))
        .collect();
    let mut page =
        format!("{HEAD}\n## Crates\n\nThe standard library of Rust is there under Apache-2.0. The others:\n\n");
    let mut bodies: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let (mut apache, mut exception) = (None, None);
    for (package, offered) in crates {
        page.push_str(&row(package, offered));
        page.push('\n');
        let own = packages[package];
        let manifest = text(own, "manifest_path");
        let files = texts(Path::new(&manifest).parent().unwrap());
        let applying = applying(offered);
        for file in &files {
            let body = fs::read_to_string(file).unwrap().replace("\r\n", "\n").trim_matches('\n').to_owned();
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            if name == "LICENSE-APACHE" && apache.is_none() && body.contains("END OF TERMS AND CONDITIONS") {
                apache = Some(body.clone());
            }
            if body.contains("--- LLVM Exceptions to the Apache 2.0 License ----") && exception.is_none() {
                exception = body.find("--- LLVM Exceptions").map(|at| body[at..].to_owned());
            }
            if is_needed(file, &applying) {
                bodies.entry(body).or_default().push(package);
            }
        }
        let told = files.iter().any(|file| is_needed(file, &applying));
        if !told && !applying.iter().all(|licence| licence.starts_with("Apache-2.0")) {
            let authors: Vec<&str> = own["authors"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let whose = if authors.is_empty() { format!("the authors of {package}") } else { authors.join(", ") };
            let standard = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/LICENSE-MIT")).unwrap();
            let from = standard.find("Permission is hereby granted").unwrap();
            assert!(applying.len() == 1 && applying.contains("MIT"), "{package} has no text of its licence {offered}");
            bodies.entry(format!("Copyright (c) {whose}\n\n{}", standard[from..].trim())).or_default().push(package);
        }
    }
    let mut bodies: Vec<(String, Vec<&str>)> = bodies.into_iter().collect();
    bodies.sort_by(|a, b| a.1.cmp(&b.1));
    bodies.push((apache.expect("one of the crates holds the text of Apache-2.0"), vec!["Apache-2.0"]));
    bodies.push((exception.expect("Cranelift holds the exception"), vec!["LLVM-exception"]));
    for (body, mut of) in bodies {
        of.dedup();
        page.push_str(&format!("\n## {}\n\n~~~text\n{body}\n~~~\n", of.join(", ")));
    }
    page
}

#[test]
fn notices_name_every_crate_of_the_program() {
    let everywhere = ["--target", "all"];
    if std::env::var_os("UPDATE").is_some() {
        fs::write(PAGE, written(&shipped(&everywhere))).unwrap();
    }
    let page = fs::read_to_string(PAGE).unwrap();
    let rows: BTreeSet<&str> = page.lines().filter(|line| line.starts_with("* ")).collect();
    let crates = shipped(&[]);
    assert!(crates.len() > 100, "{crates:?}");
    for (package, offered) in &crates {
        let row = row(package, offered);
        assert!(rows.contains(row.as_str()), "NOTICES.md lacks `{row}`: UPDATE=1 cargo test --locked notices");
    }
}

#[test]
fn notices_hold_the_licences_of_the_fonts() {
    let page = fs::read_to_string(PAGE).unwrap();
    for text in [
        "UBUNTU FONT LICENCE Version 1.0",
        "SIL OPEN FONT LICENSE Version 1.1",
        "Bitstream Vera",
        "UNICODE LICENSE V3",
        "Apache License",
    ] {
        assert!(page.contains(text), "NOTICES.md lacks `{text}`");
    }
}

#[test]
fn of_alternatives_one_applies() {
    let one = |licence: &str| applying(licence).into_iter().collect::<Vec<_>>();
    assert_eq!(one("MIT OR Apache-2.0"), ["Apache-2.0"]);
    assert_eq!(one("Unlicense OR MIT"), ["MIT"]);
    assert_eq!(one("BSD-3-Clause"), ["BSD-3-Clause"]);
    assert_eq!(one("(MIT OR Apache-2.0) AND OFL-1.1"), ["Apache-2.0", "OFL-1.1"]);
}
