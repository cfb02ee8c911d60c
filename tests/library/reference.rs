//! The reference of the language in docs/reference.md is made from the grammar, the catalogue, the prelude and the list of
//! codes: a page that has fallen behind them fails. `UPDATE=1 cargo test --lib tests::reference::` writes it anew.

use crate::board::{SIZED, SizedShape, WRITTEN_OUT};
use crate::diagnostic::Code;
use crate::rules::catalogue::{CATALOGUE, Must, Primitive};
use crate::rules::{Figure, Type};
use std::fmt::Write as _;
use std::path::Path;

const GRAMMAR: &str = include_str!("../../grammar/game.pest");
const PRELUDE: &str = include_str!("../../grammar/prelude.game");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn language() -> String {
    std::fs::read_to_string(root().join("docs/language.md")).unwrap()
}

fn sections() -> Vec<&'static str> {
    let start = GRAMMAR.find("\nsection_word = ").unwrap();
    let body = GRAMMAR[start..].split("\n}").next().unwrap();
    body.split('"').skip(1).step_by(2).filter(|word| !matches!(*word, "whole")).collect()
}

/// The heading of the language page that speaks of a section, and its anchor.
fn heading(language: &str, section: &str) -> (String, String) {
    let names = |heading: &str| heading.split(", ").map(|word| word.trim().to_lowercase()).collect::<Vec<_>>();
    let found = language
        .lines()
        .filter_map(|line| line.strip_prefix("### ").or(line.strip_prefix("## ")))
        .find(|heading| names(heading).iter().any(|name| name == section));
    let heading = found.unwrap_or_else(|| panic!("docs/language.md has no heading for the section `{section}`"));
    let anchor = heading.to_lowercase().replace(' ', "-").replace(',', "");
    (heading.to_owned(), anchor)
}

/// What stands in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn call(primitive: &Primitive) -> String {
    let count = primitive.params.len();
    let mut shown: Vec<String> = (0..count)
        .map(|at| {
            let param = primitive.params[at];
            let name = if param.must == Must::BeOne { param.ty.name().trim_end_matches('s') } else { param.ty.name() };
            if at + primitive.optional >= count { format!("[{name}]") } else { name.to_owned() }
        })
        .collect();
    if primitive.joins {
        shown.push("...".to_owned());
    }
    if shown.is_empty() { primitive.name.to_owned() } else { format!("{}({})", primitive.name, shown.join(", ")) }
}

/// The definitions of the prelude, with lines that go on joined: (section, head, meaning, what it stands for).
fn prelude() -> Vec<(String, String, String, String)> {
    let mut lines: Vec<String> = Vec::new();
    for line in PRELUDE.lines().filter(|line| !line.starts_with("//") && !line.is_empty()) {
        match lines.last_mut().filter(|_| line.starts_with([' ', '}'])) {
            Some(last) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            None => lines.push(line.to_owned()),
        }
    }
    let read = |line: &String| {
        let (section, rest) = line.split_once(' ').unwrap();
        let quoted: Vec<&str> = rest.split('"').collect();
        let doc = quoted[quoted.len() - 2];
        let body = quoted.last().unwrap().trim().trim_start_matches('=').trim();
        (section.to_owned(), quoted[0].trim().to_owned(), doc.to_owned(), body.to_owned())
    };
    lines.iter().map(read).collect()
}

fn reference() -> String {
    let language = language();
    let mut text = String::from(
        "# Reference\n\nThis page is made from the program: what it lists is what the program knows. The [language page](language.md) tells how it all fits together, [the guide](guide.md) what to write for a task.\n\n## Sections\n\n",
    );
    for section in sections() {
        let (heading, anchor) = heading(&language, section);
        let _ = writeln!(text, "* `{section}`: [{heading}](language.md#{anchor})");
    }
    text.push_str("\n## Words of the catalogue\n\nWhat stands in square brackets may be left out; after `...` more of the last kind may follow. A word that wants a site, a player or a direction is about one: given several it is asked about each, and the sets it gives are joined; a number or piece of several has [no value](language.md#sites-come-in-sets).\n");
    for (title, result) in [
        ("Sites", Type::Sites),
        ("Directions", Type::Directions),
        ("Players", Type::Players),
        ("Pieces and kinds", Type::Kinds),
        ("Pieces on a site", Type::Piece),
        ("Numbers", Type::Number),
        ("Conditions", Type::Condition),
    ] {
        let rows: Vec<&Primitive> = CATALOGUE.iter().filter(|primitive| primitive.result == result).collect();
        if rows.is_empty() {
            continue;
        }
        let _ = write!(text, "\n### {title}\n\n| word | meaning | as in |\n|---|---|---|\n");
        for row in rows {
            let _ = writeln!(text, "| `{}` | {} | `{}` |", cell(&call(row)), cell(row.doc), cell(row.example));
        }
    }
    let _ = write!(
        text,
        "\n## Words of the prelude\n\nThese are said in the language itself, in `grammar/prelude.game`; a file that defines one of them means its own.\n\n| word | meaning | stands for |\n|---|---|---|\n"
    );
    let (words, moves): (Vec<_>, Vec<_>) = prelude().into_iter().partition(|(section, ..)| section != "move");
    for (_, head, doc, body) in &words {
        let _ = writeln!(text, "| `{}` | {} | `{}` |", cell(head), cell(doc), cell(body));
    }
    text.push_str("\n## Moves of the prelude\n\n| move | meaning |\n|---|---|\n");
    for (_, head, doc, _) in &moves {
        let _ = writeln!(text, "| `{}` | {} |", cell(head), cell(doc));
    }
    text.push_str("\n## Shapes of boards\n\n| shape | sizes | sites |\n|---|---|---|\n");
    for SizedShape { name, sizes: (least, most), doc, .. } in &SIZED {
        let sizes = if least == most { least.to_string() } else { format!("{least} or {most}") };
        let _ = writeln!(text, "| `{name}` | {sizes} | {doc} |");
    }
    for (word, doc) in WRITTEN_OUT {
        let _ = writeln!(text, "| `{word}` | | {doc} |");
    }
    text.push_str("\n## Shapes of pieces\n\n");
    let figures: Vec<String> = Figure::ALL.iter().map(|figure| format!("`{}`", figure.name())).collect();
    let _ = writeln!(text, "{}.", figures.join(", "));
    text.push_str("\n## Diagnostics\n\n| code | what it says | name of the lint |\n|---|---|---|\n");
    for code in Code::ALL {
        let lint = code.lint().map_or(String::new(), |lint| format!("`{lint}`"));
        let _ = writeln!(text, "| [{code}](errors/{code}.md) | {} | {lint} |", code.title());
    }
    text
}

#[test]
fn the_reference_lists_what_the_program_knows() {
    let path = root().join("docs/reference.md");
    let fresh = reference();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == fresh,
        "docs/reference.md is out of date; write it with UPDATE=1 cargo test --lib tests::reference::"
    );
}

#[test]
fn every_result_of_a_word_has_its_table() {
    let text = reference();
    for primitive in CATALOGUE {
        assert!(text.contains(&format!("| `{}", primitive.name)), "{}", primitive.name);
    }
}

#[test]
fn the_language_page_has_every_shape_of_boards() {
    let language = language();
    let rows: Vec<&str> = language.lines().filter(|line| line.starts_with("| `")).collect();
    for shape in &SIZED {
        let call = format!("`{}(", shape.name);
        assert!(rows.iter().any(|row| row.contains(&call)), "{call}");
    }
    for (word, _) in WRITTEN_OUT {
        let start = format!("`{word} ");
        assert!(rows.iter().any(|row| row.contains(&start)), "{start}");
    }
}
