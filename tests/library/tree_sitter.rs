//! The tree-sitter grammar reads what the grammar of the language reads, and colours its words.

use super::common::files::{root, rule_files};
use super::editors::{keywords, library, words_of};
use super::generated::made;
use crate::source::Sources;
use crate::syntax::{Token, TokenKind, tokens};
use ::tree_sitter::{Node, Parser, Query, QueryCursor, StreamingIterator as _, Tree};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use tree_sitter_ludwright::LANGUAGE;

/// How many rule files made at random are read.
const MADE: u64 = 200;

/// Words that stand in few places as keywords, and as names nearly everywhere: queries look at what is beside them.
const BY_NEIGHBOURS: [&str; 2] = ["from", "to"];

/// Words of sections that within lines are mostly words of every game: `any piece`, `count players`.
const WORDS_FIRST: [&str; 2] = ["piece", "players"];

fn at(path: &str) -> PathBuf {
    root().join("editors/tree-sitter-ludwright").join(path)
}

fn parse(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&LANGUAGE.into()).unwrap();
    parser.parse(text, None).unwrap()
}

/// The first place that could not be read.
fn trouble(node: Node<'_>) -> Option<Node<'_>> {
    if node.is_error() || node.is_missing() {
        return Some(node);
    }
    (0..node.child_count()).filter_map(|at| node.child(at)).find_map(trouble)
}

fn read(label: &str, text: &str) -> Tree {
    let tree = parse(text);
    if let Some(node) = trouble(tree.root_node()) {
        let line = text.lines().nth(node.start_position().row).unwrap_or_default();
        panic!("{label}: editors/tree-sitter-ludwright/grammar.js cannot read {:?}: {line}", node.range());
    }
    tree
}

/// The files of the repository that must be read, with their texts.
fn texts() -> Vec<(String, String)> {
    let mut files = rule_files(&["games", "examples", "tests/variants", "tests/warned"]);
    files.push(root().join("grammar/prelude.game"));
    files.into_iter().map(|file| (file.display().to_string(), fs::read_to_string(file).unwrap())).collect()
}

/// What each stretch of a text is coloured as.
fn colours(text: &str, tree: &Tree) -> Vec<(usize, usize, String)> {
    let queries = fs::read_to_string(at("queries/highlights.scm")).unwrap();
    let query = Query::new(&LANGUAGE.into(), &queries).unwrap();
    let mut cursor = QueryCursor::new();
    let mut found = Vec::new();
    let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
    while let Some(matched) = matches.next() {
        for capture in matched.captures {
            let name = query.capture_names()[capture.index as usize];
            // Names with `_` are for the conditions of the query.
            if !name.starts_with('_') {
                found.push((capture.node.start_byte(), capture.node.end_byte(), name.to_owned()));
            }
        }
    }
    found
}

/// What a token must be coloured as; nothing where it does not matter.
fn wanted(token: &Token) -> &'static str {
    match token.kind {
        TokenKind::Keyword => "keyword",
        TokenKind::Number => "number",
        TokenKind::Text | TokenKind::Drawing => "string",
        TokenKind::Comment => "comment",
        TokenKind::Name | TokenKind::Sign | TokenKind::Newline | TokenKind::Moves | TokenKind::MoveBlock => "",
    }
}

/// The tokens of a text that have another colour than the language asks for.
fn wrong(label: &str, text: &str) -> Vec<String> {
    let mut sources = Sources::default();
    let source = sources.add(label, text);
    let colours = colours(text, &read(label, text));
    let has = |token: &Token, colour: &str| {
        let (start, end) = (token.span.start as usize, token.span.end as usize);
        // The sign of a number is coloured as signs are.
        let start = start + usize::from(token.kind == TokenKind::Number && text[start..].starts_with('-'));
        colours.iter().any(|(from, to, name)| *from <= start && end <= *to && name.starts_with(colour))
    };
    let tokens = tokens(source, text).unwrap();
    let told = |token: &&Token| {
        format!("{label}: {:?} {:?}", token.kind, &text[token.span.start as usize..token.span.end as usize])
    };
    tokens
        .iter()
        .filter(|token| !has(token, wanted(token)) && !wanted(token).is_empty())
        .map(|token| told(&token))
        .collect()
}

#[test]
fn every_rule_file_is_read_and_its_keywords_texts_and_numbers_are_coloured() {
    let mut missed = Vec::new();
    for (label, text) in texts() {
        missed.extend(wrong(&label, &text));
    }
    for seed in 0..MADE {
        missed.extend(wrong(&format!("made from {seed}"), &made(1, seed)));
    }
    assert!(missed.is_empty(), "{} words have no colour: {:#?}", missed.len(), &missed[..missed.len().min(20)]);
}

/// The words that the grammar asks for: words.json beside it.
fn words() -> Value {
    json!({ "sections": words_of("section_word"), "reserved": words_of("reserved") })
}

/// The words of a list, quoted, in lines.
fn listed<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let mut lines = String::new();
    let mut width = usize::MAX;
    for word in words {
        if width.saturating_add(word.len()) > 100 {
            lines.push_str("\n   ");
            width = 0;
        }
        let _ = write!(lines, " \"{word}\"");
        width += word.len() + 3;
    }
    lines
}

/// What colours the nodes: by their kinds, and words that are keywords in some places and names in others by the lists of
/// the language. No two of the queries colour one node, since editors differ in which of them then counts.
fn highlights() -> String {
    let reserved = words_of("reserved");
    let left_out = |word: &&str| reserved.contains(word) || BY_NEIGHBOURS.contains(word) || WORDS_FIRST.contains(word);
    let within: BTreeSet<&str> = keywords().into_iter().filter(|word| !left_out(word)).collect();
    let library: BTreeSet<&str> = library().into_iter().filter(|word| !within.contains(word)).collect();
    let (within, library) = (listed(within), listed(library));
    format!(
        r#"; Made from the words of the language by `UPDATE=1 cargo test --lib tree_sitter::`.

(comment) @comment
[(string) (notation)] @string
(drawing) @string.special
[(moves) (move_text)] @string.special
(shown) @embedded
(number) @number
(operator) @operator
(colon) @punctuation.delimiter
["(" ")" "[" "]" "{{" "}}"] @punctuation.bracket

(section_word) @keyword
(keyword) @keyword
(definition name: (defined) @function)
(move name: (defined) @function.method)
(label (part) @variable.parameter)
((called) @function.builtin
  (#any-of? @function.builtin{library}))
((called) @function
  (#not-any-of? @function{library}))

((name) @keyword
  (#any-of? @keyword{within}))
((name) @variable.builtin
  (#any-of? @variable.builtin{library}))
; Directions and players.
((name) @constant
  (#match? @constant "^[A-Z]"))

; `to` and `from` are names of parts nearly everywhere.
((name) @_before . (name) @keyword
  (#any-of? @_before "last" "next" "turn")
  (#eq? @keyword "to"))
((name) @keyword . (name) @_behind
  (#eq? @keyword "to")
  (#eq? @_behind "move"))
((name) @_before . (name) @keyword
  (#eq? @_before "apart")
  (#eq? @keyword "from"))
(section keyword: (section_word) @_stacks . (name) @keyword
  (#eq? @_stacks "stacks")
  (#eq? @keyword "to"))
(section keyword: (section_word) @_board (name) @keyword
  (#eq? @_board "board")
  (#eq? @keyword "from"))
(definition keyword: (section_word) @_path (name) @keyword
  (#eq? @_path "path")
  (#eq? @keyword "from"))
"#
    )
}

/// The texts of all literals of a grammar.
fn literals(rule: &Value, found: &mut BTreeSet<String>) {
    match rule {
        Value::Object(map) if map.get("type") == Some(&json!("STRING")) => {
            found.extend(map["value"].as_str().map(str::to_owned));
        }
        Value::Object(map) => map.values().for_each(|part| literals(part, found)),
        Value::Array(parts) => parts.iter().for_each(|part| literals(part, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn words_and_colours_are_those_of_the_language() {
    let wanted = [
        ("words.json", format!("{}\n", serde_json::to_string_pretty(&words()).unwrap())),
        ("queries/highlights.scm", highlights()),
    ];
    for (path, wanted) in wanted {
        if std::env::var_os("UPDATE").is_some() {
            fs::write(at(path), &wanted).unwrap();
        }
        assert!(
            fs::read_to_string(at(path)).unwrap() == wanted,
            "{path} is stale: UPDATE=1 cargo test --lib tree_sitter::"
        );
    }
}

#[test]
fn the_parser_is_made_for_the_words_of_the_language() {
    let grammar: Value = serde_json::from_str(&fs::read_to_string(at("src/grammar.json")).unwrap()).unwrap();
    let mut found = BTreeSet::new();
    literals(&grammar["rules"], &mut found);
    let missing: Vec<&str> =
        words_of("section_word").union(&words_of("reserved")).copied().filter(|word| !found.contains(*word)).collect();
    assert!(
        missing.is_empty(),
        "the parser lacks {missing:?}: run `npm run generate` in editors/tree-sitter-ludwright"
    );
}

#[test]
fn the_package_has_the_version_of_the_program() {
    let package: Value = serde_json::from_str(&fs::read_to_string(at("package.json")).unwrap()).unwrap();
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(package["license"], env!("CARGO_PKG_LICENSE"));
    let manifest = fs::read_to_string(at("Cargo.toml")).unwrap();
    assert!(manifest.contains(concat!("version = \"", env!("CARGO_PKG_VERSION"), "\"")));
}

#[test]
fn the_examples_of_the_grammar_are_read_as_they_say() {
    let mut read = 0;
    for file in ["sections.txt", "moves.txt", "tests.txt"] {
        let text = fs::read_to_string(at("test/corpus").join(file)).unwrap();
        for example in text.split("==================\n").skip(1).collect::<Vec<_>>().chunks(2) {
            let [name, rest] = example else { panic!("{file}: a name without an example") };
            let (source, wanted) = rest.split_once("\n---\n").unwrap();
            let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" )", ")");
            assert_eq!(
                plain(&parse(&format!("{}\n", source.trim())).root_node().to_sexp()),
                plain(wanted),
                "{file}: {name}"
            );
            read += 1;
        }
    }
    assert!(read >= 10, "only {read} examples were read");
}
