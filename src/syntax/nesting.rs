//! Every form that can hold itself, nested as deep as a rule file may nest: the parser reads each in a bounded number of steps.

use super::ast::File;
use super::limits;
use super::parse::{Rule, parse, parse_by};
use super::tree::{Memory, Node};
use crate::diagnostic::Diagnostic;
use crate::source::SourceId;
use std::collections::{BTreeMap, BTreeSet};

/// Expressions that hold one, in the place of `X`.
const EXPRESSIONS: &[&str] = &[
    "(X)",
    "f(X)",
    "f(a, X)",
    "[X]",
    "[1, X]",
    "[ X for x in a ]",
    "[ a for x in b with X ]",
    "{ x in X }",
    "{ x in a with X }",
    "{ x in { y in a with b } with X }",
    "{ X for x in a }",
    "{ a for x in X }",
    "{ { X for y in b } for x in a }",
    "{ a for x in b with X }",
    "sum { X for x in a }",
    "least { a for x in X }",
    "most { a for x in b with X }",
    "if X then a else b",
    "if a then X else b",
    "if a then b else X",
    "(if X then a else b)",
    "case o { 1: X }",
    "case o { 1: a, no, free: X }",
    "case X { 1: a }",
    "case least { 1: X }",
    "any X",
    "no X",
    "the X",
    "count X",
    "every X",
    "any (X)",
    "no (X) in a",
    "not X",
    "not (X)",
    "before X",
    "before no x in (X)",
    "- X",
    "a of X",
    "of (X)",
    "some x in (X) with a",
    "some x in a with X",
    "some x in a with (X)",
    "no x in (X)",
    "no x in (X) with a",
    "no x in a with X",
    "some put this turn with (X)",
    "some (put with (X) or hop with a) last turn",
    "last to put with (X)",
    "turns without put with (X)",
    "possible (put with X)",
    "possible (maybe put with a when X)",
    "possible (put such that X)",
    "possible ((put, hop) until X or pass such that a)",
    "a + (X)",
    "(X) - a",
    "1 .. (X)",
    "a but (X)",
    "a * (X)",
    "a div X",
    "a mod X",
    "(X) = a",
    "a > (X)",
    "a is (X)",
    "a is not in (X)",
    "(X) in a",
    "a not in (X)",
    "a and (X)",
    "a or (X)",
    "a (X)",
    "a next_to (X) b",
    "(X) (a) f(b)",
];

/// Patterns of turns that hold one.
const PATTERNS: &[&str] = &[
    "(X)",
    "maybe (X)",
    "again (X) until a",
    "chain (X)",
    "(X), put",
    "put, (X)",
    "put or (X)",
    "(X) else put",
    "put when possible (X)",
    "(X) by it with a such that b",
];

/// Files with an expression in the place of `X`, for every kind of line that holds one.
const LINES: &[&str] = &[
    "word w = X\n",
    "rule \"r\" requires X\n",
    "start { every x in a : x becomes X }\n",
    "start { (X) becomes a }\n",
    "start { a -> (X) as b when c }\n",
    "move m { if X }\n",
    "move m { a : b, X when c }\n",
    "move m { a = X }\n",
    "move m { (X) changes seats with a }\n",
    "move m { repeat at most 3 while X { a becomes b } }\n",
    "move m { so that X \"why\" }\n",
    "turn { put\n such that X when a }\n",
    "end { (X) wins when a }\n",
    "ties X when a\n",
    "test \"t\" { expect X }\n",
    "board square(X) keeping a\n",
];

/// Other forms that hold themselves, with what stands in their middle and the file around them.
const OTHERS: &[(&str, &str, &str)] = &[
    ("(X)", "put", "word w = some X this turn\n"),
    ("(X or hop)", "put", "turn { put\n must X }\n"),
    ("case o { 1: X }", "square(3)", "board X\n"),
    ("case o { 1: square(2), no: X }", "square(3)", "board X\n"),
];

/// A form within itself so many times, around a middle.
fn nested(form: &str, middle: &str, depth: usize) -> String {
    (0..depth).fold(middle.to_owned(), |inside, _| form.replacen('X', &inside, 1))
}

/// A form in a file, as deep as the limits allow.
fn deepest(form: &str, middle: &str, file: &str) -> String {
    let text = |depth| file.replacen('X', &nested(form, middle, depth), 1);
    let (mut fits, mut fails) = (1, 300);
    while fits + 1 < fails {
        let depth = usize::midpoint(fits, fails);
        if limits::check(SourceId(0), &text(depth)).is_ok() {
            fits = depth;
        } else {
            fails = depth;
        }
    }
    assert!(fits >= 20, "{form} may be nested {fits} times");
    text(fits)
}

fn every_form() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let expressions = LINES.iter().flat_map(|line| EXPRESSIONS.iter().map(|form| (*form, "a", *line)));
    let notations = EXPRESSIONS.iter().map(|form| (*form, "a", "move m \"x{X?}\" { a : b }\n"));
    let patterns = ["turn { X }\n", "pattern p = X\n", "word w = possible (X)\n"];
    let patterns = patterns.into_iter().flat_map(|line| PATTERNS.iter().map(move |form| (*form, "hop", line)));
    expressions.chain(notations).chain(patterns).chain(OTHERS.iter().copied())
}

fn read(text: &str) -> (File, Vec<Diagnostic>) {
    parse_by(|text| Memory::default().read(text), SourceId(0), text)
}

#[test]
fn every_form_is_read_at_every_depth() {
    for (form, middle, line) in every_form() {
        let text = deepest(form, middle, line);
        let (_, diagnostics) = read(&text);
        // Whatever takes time that doubles with each level ends at the limit on steps, with a diagnostic.
        assert!(diagnostics.is_empty(), "{form} in {line}: {diagnostics:?}\n{text}");
    }
}

#[test]
fn a_mistake_in_any_form_is_found() {
    for (form, _, line) in every_form() {
        let text = line.replacen('X', &nested(form, "+", 5), 1);
        let (_, diagnostics) = read(&text);
        assert!(!diagnostics.is_empty(), "{text}");
    }
}

#[test]
fn a_mistake_in_the_depth_of_forms_that_look_again_is_told_in_bounded_time() {
    let text = LINES[0].replacen('X', &nested("any a (X)", "+", 60), 1);
    let (_, diagnostics) = read(&format!("players A, B\n{text}board square(3)\n"));
    let [one] = diagnostics.as_slice() else { panic!("{diagnostics:?}") };
    assert_eq!(one.code, crate::diagnostic::Code::TooDeep);
    assert_eq!((one.span.start, one.span.source), (13, SourceId(0)));
    let (file, _) = parse(SourceId(0), &format!("players A, B\n{text}board square(3)\n"));
    assert_eq!(file.items.len(), 2, "the other sections are read");
}

/// The rules of the grammar with those that each mentions.
fn mentions() -> BTreeMap<String, BTreeSet<String>> {
    let grammar = include_str!("../../grammar/game.pest");
    let mut rules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut current = String::new();
    for line in grammar.lines().map(|line| line.split("//").next().unwrap_or("")) {
        let body = match line.split_once(" = ") {
            Some((name, body)) if !name.starts_with([' ', '\t']) => {
                current = name.to_owned();
                body
            }
            _ => line,
        };
        let unquoted: String = body.replace("\\\"", "").split('"').step_by(2).collect::<Vec<_>>().join(" ");
        let words = unquoted.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        rules.entry(current.clone()).or_default().extend(words.map(str::to_owned));
    }
    rules
}

#[test]
fn no_rule_of_the_grammar_that_can_hold_itself_is_left_out() {
    let rules = mentions();
    let holds_itself = |rule: &String| {
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<&String> = rules[rule].iter().collect();
        while let Some(next) = waiting.pop() {
            if let (true, Some(mentioned)) = (seen.insert(next), rules.get(next)) {
                waiting.extend(mentioned);
            }
        }
        seen.contains(rule)
    };
    // Only looked at ahead of the braces of a notation and of a part of a stack, they leave nothing in the tree.
    let wanted: BTreeSet<String> = rules
        .keys()
        .filter(|rule| !["braced", "bracketed"].contains(&rule.as_str()) && holds_itself(rule))
        .cloned()
        .collect();
    assert!(wanted.len() > 30, "{wanted:?}");

    fn walk(node: &Node<'_>, above: &mut Vec<Rule>, found: &mut BTreeSet<String>) {
        let rule = node.as_rule();
        if above.contains(&rule) {
            found.insert(format!("{rule:?}"));
        }
        above.push(rule);
        node.inner().for_each(|inner| walk(&inner, above, found));
        above.pop();
    }
    let mut found = BTreeSet::new();
    for (form, middle, line) in every_form() {
        let text = line.replacen('X', &nested(form, middle, 3), 1);
        for section in Memory::default().read(&text) {
            walk(&section.root(&text).unwrap(), &mut Vec::new(), &mut found);
        }
    }
    let missing: Vec<&String> = wanted.difference(&found).collect();
    assert!(missing.is_empty(), "nest these in themselves: {missing:?}");
}
