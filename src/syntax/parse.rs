//! The pest grammar turned into the syntax tree.

mod expressions;
mod moves;
mod script;
mod sections;
mod turns;

use super::ast::*;
use super::explain::{JOINING, OUTCOMES, words};
use super::limits;
use super::tree::{Memory, Node, Section};
use crate::diagnostic::{Code, Diagnostic, closest};
use crate::operator::Halves;
use crate::source::{SourceId, Span};
use crate::stack::on_large_stack;
use pest::Parser as _;
use pest::error::Error;
use pest::iterators::Pairs;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;

#[derive(pest_derive::Parser)]
#[grammar = "../grammar/game.pest"]
struct GameParser;

/// Steps of the parser on one part of a file. A mistake within brackets within brackets may be looked at again by all that is
/// around it; no text in which everything fits comes near.
const MAX_STEPS: usize = 50_000_000;

/// What the grammar says of a text, in bounded time.
pub(super) fn grammar(rule: Rule, text: &str) -> Result<Pairs<'_, Rule>, Box<Error<Rule>>> {
    pest::set_call_limit(NonZeroUsize::new(MAX_STEPS));
    GameParser::parse(rule, text).map_err(Box::new)
}

/// Reads a whole file. What could not be read is reported and left out of the tree.
#[must_use]
pub fn parse(source: SourceId, text: &str) -> (File, Vec<Diagnostic>) {
    parse_by(|text| Memory::shared().read(text), source, &without_mark(text))
}

/// The text with blanks for a byte order mark, so that every place stays what it is.
pub(super) fn without_mark(text: &str) -> Cow<'_, str> {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Cow::Owned(format!("   {rest}")),
        None => Cow::Borrowed(text),
    }
}

/// Reads a file whose sections are found in one way or another.
pub(super) fn parse_by(
    read: impl FnOnce(&str) -> Vec<Section> + Send,
    source: SourceId,
    text: &str,
) -> (File, Vec<Diagnostic>) {
    on_large_stack(|| {
        let mut builder = Builder { source, text, diagnostics: Vec::new(), lost: BTreeSet::new(), open: false };
        let mut file = builder.file(read);
        file.lost = builder.lost;
        (file, builder.diagnostics)
    })
    .unwrap_or_else(|| {
        let span = Span::new(source, 0, 0);
        (File::default(), vec![Diagnostic::new(Code::TooDeep, span, "the text could not be parsed within the stack")])
    })
}

pub(super) struct Builder<'i> {
    pub(super) source: SourceId,
    pub(super) text: &'i str,
    diagnostics: Vec<Diagnostic>,
    /// Names that would have been given by what could not be read.
    pub(super) lost: BTreeSet<String>,
    /// Whether a line that could not be read has opened a brace, so that the block around it ends too early.
    pub(super) open: bool,
}

/// The pairs below a pair that carry something; keywords are skipped.
fn below<'i>(node: &Node<'i>) -> impl Iterator<Item = Node<'i>> + use<'i> {
    node.inner().filter(|pair| !(Rule::k_about..=Rule::k_word).contains(&pair.as_rule()))
}

/// A text without the blanks and comments at its end, which the grammar reads along.
pub(super) fn without_tail(text: &str) -> &str {
    let mut text = text.trim_end();
    loop {
        let line = text.rfind('\n').map_or(0, |at| at + 1);
        let quotes_before = |at: usize| text[line..at].matches('"').count();
        match text[line..].find("//").map(|at| line + at).filter(|at| quotes_before(*at) % 2 == 0) {
            Some(at) => text = text[..at].trim_end(),
            None => return text,
        }
    }
}

/// The first `{` that stands in no quoted text.
pub(super) fn opening_brace(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.char_indices().find_map(|(at, c)| {
        quoted ^= c == '"';
        (c == '{' && !quoted).then_some(at)
    })
}

fn has(node: &Node<'_>, rule: Rule) -> bool {
    node.inner().any(|pair| pair.as_rule() == rule)
}

impl<'i> Builder<'i> {
    pub(super) fn span(&self, node: &Node<'_>) -> Span {
        Span::new(self.source, node.start(), node.trimmed_end())
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn file(&mut self, read: impl FnOnce(&str) -> Vec<Section>) -> File {
        if let Err(diagnostic) = limits::check(self.source, self.text) {
            self.report(diagnostic);
            return File::default();
        }
        let mut items = Vec::new();
        for section in read(self.text) {
            let Some(root) = section.root(self.text) else {
                self.too_slow(section.range());
                continue;
            };
            for item in below(&root).filter(|pair| pair.as_rule() == Rule::item) {
                items.extend(below(&item).filter_map(|section| self.item(&section)));
            }
        }
        File { items, lost: BTreeSet::new() }
    }

    // ---- small things ----

    fn name(&self, node: &Node<'_>) -> Name {
        Name { text: node.as_str().to_owned(), span: self.span(node) }
    }

    /// What stands between the quotes.
    fn string(&mut self, node: &Node<'_>) -> Text {
        let span = self.span(node);
        let mut text = node.as_str().strip_prefix('"').unwrap_or_default();
        if has(node, Rule::unterminated) {
            self.report(
                Diagnostic::new(Code::Unterminated, span, "this quoted text does not end")
                    .label("it begins here and the line ends before it")
                    .help("close it with `\"` on the same line"),
            );
        } else {
            text = text.strip_suffix('"').unwrap_or(text);
        }
        Text { text: text.to_owned(), span }
    }

    fn raw(&self, node: &Node<'_>) -> Text {
        Text { text: node.as_str().trim_end().to_owned(), span: self.span(node) }
    }

    fn number(&mut self, node: &Node<'_>) -> i64 {
        // Small enough that no arithmetic on a few of them can overflow.
        const LARGEST: i64 = 1_000_000_000;
        match node.as_str().parse::<i64>() {
            Ok(number) if number.abs() <= LARGEST => number,
            _ => {
                let span = self.span(node);
                self.report(
                    Diagnostic::new(Code::BadNumber, span, format!("the number {} is too large", node.as_str()))
                        .help(format!("numbers go up to {LARGEST}")),
                );
                1
            }
        }
    }

    /// A number with a half.
    fn half(&mut self, node: &Node<'_>) -> Halves {
        let found = Halves::parse(node.as_str());
        found.filter(|halves| halves.0.abs() <= 2_000_000_000).unwrap_or_else(|| {
            let span = self.span(node);
            self.report(
                Diagnostic::new(Code::BadNumber, span, format!("`{}` is no number of halves", node.as_str()))
                    .help("numbers are whole or end in .5, as in `6.5`, and go up to 1000000000"),
            );
            Halves(1)
        })
    }

    fn value(&mut self, node: &Node<'_>) -> Value {
        let span = self.span(node);
        let number = below(node).find(|pair| matches!(pair.as_rule(), Rule::signed | Rule::half));
        let kind = match number {
            Some(half) if half.as_rule() == Rule::half => ValueKind::Name(self.half(&half).to_string()),
            Some(signed) => ValueKind::Number(self.number(&signed)),
            None => ValueKind::Name(node.as_str().trim().to_owned()),
        };
        Value { kind, span }
    }

    fn names(&self, node: &Node<'_>) -> Vec<Name> {
        below(node).map(|name| self.name(&name)).collect()
    }

    fn keys(&mut self, node: &Node<'_>) -> Vec<Value> {
        below(node).filter_map(|key| below(&key).next()).map(|value| self.value(&value)).collect()
    }

    fn closed(&mut self, node: &Node<'_>) {
        if has(node, Rule::unclosed) {
            let start = opening_brace(node.as_str()).map_or(node.start(), |at| node.start() + at);
            let end = self.span(node).end as usize;
            let last = end - self.text[..end].chars().next_back().map_or(0, char::len_utf8);
            let closing = if self.text[start..end].contains('\n') { "\n}" } else { " }" };
            let found =
                Diagnostic::new(Code::Unclosed, Span::new(self.source, start, start + 1), "this brace is never closed")
                    .label("opened here")
                    .also(Span::new(self.source, last, end), "it goes on to here, where the next section begins")
                    .help("add a `}` where the block ends");
            // A section begins on a line of its own, or something else is amiss.
            let place = Span::new(self.source, end, end);
            let before = self.text[..end].trim_end_matches([' ', '\t']);
            let behind = self.text[end..].trim_start_matches([' ', '\t']);
            let on_its_own = before.ends_with('\n') || behind.is_empty() || behind.starts_with(['\n', '\r']);
            self.report(match on_its_own {
                true => found.fix("close the block", place, closing),
                false => found.guess("close the block", place, closing),
            });
        }
    }

    fn guard(&mut self, node: &Node<'_>) -> Option<Expr> {
        let guard = below(node).find(|pair| pair.as_rule() == Rule::guard)?;
        below(&guard).next().map(|expr| self.expr(&expr))
    }

    fn doc(&mut self, node: &Node<'_>) -> Option<Text> {
        let string = below(node).find(|pair| pair.as_rule() == Rule::string)?;
        Some(self.string(&string))
    }

    /// The first part of a kind, which the grammar guarantees; an empty name stands in for what is not there.
    fn named(&mut self, node: &Node<'_>) -> Name {
        below(node)
            .find(|pair| pair.as_rule() == Rule::name)
            .map_or(Name { text: String::new(), span: self.span(node) }, |name| self.name(&name))
    }

    fn first_expr(&mut self, node: &Node<'_>) -> Expr {
        let expr = below(node).find(|pair| is_expression(pair.as_rule()));
        match expr {
            Some(expr) => self.expr(&expr),
            None => Expr { kind: ExprKind::Number(0), span: self.span(node) },
        }
    }
}

fn is_expression(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::expr
            | Rule::conj
            | Rule::overlap
            | Rule::negation
            | Rule::cmp
            | Rule::sum
            | Rule::prod
            | Rule::phrase
            | Rule::term
            | Rule::bare
            | Rule::set
    )
}
