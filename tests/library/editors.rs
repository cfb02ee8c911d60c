//! What is given to editors agrees with the language and the program.

use crate::rules::catalogue::CATALOGUE;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const GRAMMAR: &str = include_str!("../../grammar/game.pest");
const PRELUDE: &str = include_str!("../../grammar/prelude.game");

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn json_of(path: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(at(path)).unwrap()).unwrap()
}

/// The words in quotes of a rule of the grammar.
pub(super) fn words_of(rule: &str) -> BTreeSet<&'static str> {
    let start = GRAMMAR.find(&format!("\n{rule} = ")).unwrap();
    let body = GRAMMAR[start..].split("\n}").next().unwrap();
    body.split('"').skip(1).step_by(2).filter(|word| word.chars().all(|c| c.is_ascii_lowercase())).collect()
}

pub(super) fn keywords() -> BTreeSet<&'static str> {
    GRAMMAR.lines().filter(|line| line.starts_with("k_")).map(|line| line.split('"').nth(1).unwrap()).collect()
}

fn any(words: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| word.as_ref().to_owned()).collect();
    format!("\\b({})\\b", words.join("|"))
}

/// The words that every game has.
pub(super) fn library() -> BTreeSet<&'static str> {
    CATALOGUE
        .iter()
        .map(|primitive| primitive.name)
        .chain(PRELUDE.lines().filter_map(|line| {
            let name = line.strip_prefix("word ").or_else(|| line.strip_prefix("region "))?;
            name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()
        }))
        .collect()
}

/// The colours of an editor that knows no server: by the form of words alone.
fn text_mate() -> Value {
    let sections = words_of("section_word");
    let reserved = words_of("reserved");
    let others: Vec<&str> =
        keywords().into_iter().filter(|word| !sections.contains(word) && !reserved.contains(word)).collect();
    let library = library();
    let first: Vec<&str> = sections.iter().copied().filter(|word| *word != "whole").collect();
    let heads = first.join("|");
    json!({
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "Ludwright",
        "scopeName": "source.ludwright",
        "fileTypes": ["game"],
        "patterns": [
            { "include": "#comment" }, { "include": "#text" }, { "include": "#drawing" }, { "include": "#moves" },
            { "include": "#definition" }, { "include": "#section" }, { "include": "#number" }, { "include": "#word" },
            { "include": "#sign" }
        ],
        "repository": {
            "comment": { "name": "comment.line.double-slash.ludwright", "match": "//.*$" },
            "text": {
                "name": "string.quoted.double.ludwright", "begin": "\"", "end": "\"|$",
                "patterns": [{ "name": "constant.other.placeholder.ludwright", "match": "\\{[^}\"]*\\}|\\[[^\\]\"]*\\]\\??" }]
            },
            "drawing": {
                "begin": "\\b(drawn)\\b([^{\"/\\n]*)(\\{)", "end": "\\}", "contentName": "string.unquoted.drawing.ludwright",
                "beginCaptures": { "1": { "name": "keyword.other.ludwright" }, "2": { "name": "support.type.ludwright" } }
            },
            "moves": {
                "match": "\\b(play|legal|illegal|only)\\b([^\"{};/]*?)(?=\\bbecause\\b|[\"{};/]|$)",
                "captures": { "1": { "name": "keyword.other.ludwright" }, "2": { "name": "string.unquoted.moves.ludwright" } }
            },
            "definition": {
                "match": "^\\s*(word|region|move|pattern|option|ruleset|track|piece)\\s+([A-Za-z_][A-Za-z0-9_]*)",
                "captures": { "1": { "name": "keyword.declaration.ludwright" }, "2": { "name": "entity.name.function.ludwright" } }
            },
            // Only `score` has a parenthesis behind it.
            "section": { "match": format!("^\\s*((?:whole\\s+)?(?:{heads})(?!\\s*[:=(,])|score(?=\\s*\\())\\b"), "captures": { "1": { "name": "keyword.declaration.ludwright" } } },
            "number": { "name": "constant.numeric.ludwright", "match": "\\b[0-9]+\\b" },
            "word": {
                "patterns": [
                    { "name": "keyword.control.ludwright", "match": any(&reserved) },
                    { "name": "support.function.ludwright", "match": any(&library) },
                    { "name": "keyword.other.ludwright", "match": any(&others) },
                    // Words of sections that stand within lines too.
                    { "name": "keyword.other.ludwright", "match": "\\bscore\\b|(?<=\\bto )move\\b|(?<=\\bset )ruleset\\b" },
                    { "name": "constant.language.direction.ludwright", "match": "\\b(N|NE|E|SE|S|SW|W|NW|NNE|ENE|ESE|SSE|SSW|WSW|WNW|NNW)\\b" },
                    { "name": "entity.name.type.player.ludwright", "match": "\\b[A-Z][A-Za-z0-9_]*\\b" }
                ]
            },
            "sign": { "name": "keyword.operator.ludwright", "match": "->|!=|<=|>=|\\.\\.|[-+*=<>]" }
        }
    })
}

#[test]
fn the_text_mate_grammar_is_that_of_the_language() {
    let path = "editors/vscode/syntaxes/ludwright.tmLanguage.json";
    let wanted = text_mate();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(at(path), format!("{}\n", serde_json::to_string_pretty(&wanted).unwrap())).unwrap();
    }
    assert!(json_of(path) == wanted, "{path} is stale: UPDATE=1 cargo test --lib editors::");
}

#[test]
fn the_extension_fits_the_program() {
    let package = json_of("editors/vscode/package.json");
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(package["license"], env!("CARGO_PKG_LICENSE"));
    let main = std::fs::read_to_string(at("editors/vscode").join(package["main"].as_str().unwrap())).unwrap();
    assert!(main.contains("args: [\"lsp\"]"));
    for file in
        [&package["contributes"]["grammars"][0]["path"], &package["contributes"]["languages"][0]["configuration"]]
    {
        assert!(at("editors/vscode").join(file.as_str().unwrap()).is_file(), "{file}");
    }
    json_of("editors/vscode/language-configuration.json");
}

#[test]
fn the_page_on_editors_names_what_is_there() {
    let page = std::fs::read_to_string(at("docs/editors.md")).unwrap();
    for word in ["ludwright lsp", "Visual Studio Code", "Neovim", "Helix", "Zed", "tree-sitter"] {
        assert!(page.contains(word), "{word}");
    }
}
