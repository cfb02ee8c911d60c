//! The words and signs of a text with the part that each plays: what the formatter lays out and the editor colours.

use super::limits;
use super::parse::{Rule, without_mark};
use super::sections::SECTIONS;
use super::tree::{Memory, Node};
use crate::source::{SourceId, Span};
use crate::stack::on_large_stack;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    Keyword,
    Name,
    Number,
    /// A quoted text with its quotes.
    Text,
    Sign,
    /// From `//` to the end of the line.
    Comment,
    Newline,
    /// Everything between the braces of a drawing.
    Drawing,
    /// One or several moves as a record writes them.
    Moves,
    /// All moves between braces.
    MoveBlock,
}

/// What a token is there for, as far as anybody wants to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Plain,
    /// The word that begins a section.
    Section,
    /// The bracket behind the name of what is called or defined.
    ArgumentsOpen,
    /// A brace around lines.
    BlockOpen,
    BlockClose,
    /// `:` behind the name of a part, `=` behind that of a definition.
    PartMark,
    /// `=` behind the name of a pattern.
    PatternMark,
    /// The brace of a turn.
    TurnOpen,
    /// `:` with nothing before it.
    Colon,
    /// `:` behind the key of a case.
    CaseColon,
    /// A comma that ends an entry, as a newline does.
    Separator,
    Arrow,
    /// The sign of a number or term, not a difference.
    Minus,
    /// `..` between the ends of an option's values.
    Ends,
    /// `when` behind a line.
    Guard,
    /// `then` between two stages of a move.
    Stage,
    /// A text that explains the line it ends.
    Doc,
    /// What could not be read.
    Unread,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub role: Role,
    pub span: Span,
}

/// All tokens of a text in order, newlines and comments included; none if it is beyond the limits of a rule file.
#[must_use]
pub fn tokens(source: SourceId, text: &str) -> Option<Vec<Token>> {
    limits::check(source, text).ok()?;
    let text = &*without_mark(text);
    on_large_stack(|| {
        let mut reader = Reader { source, text, tokens: Vec::new(), at: 0, head: false };
        for section in Memory::shared().read(text) {
            if let Some(root) = section.root(text) {
                reader.node(&root, Rule::file);
            }
        }
        reader.gap(text.len(), Rule::file);
        reader.tokens
    })
}

struct Reader<'i> {
    source: SourceId,
    text: &'i str,
    tokens: Vec<Token>,
    /// Up to where the text has been read.
    at: usize,
    /// The next keyword begins a section.
    head: bool,
}

impl Reader<'_> {
    fn push(&mut self, kind: TokenKind, role: Role, start: usize, end: usize) {
        self.tokens.push(Token { kind, role, span: Span::new(self.source, start, end) });
        self.at = self.at.max(end);
    }

    fn node(&mut self, node: &Node<'_>, parent: Rule) {
        let rule = node.as_rule();
        let (start, end) = (node.start(), node.end());
        let keyword = (Rule::k_about..=Rule::k_word).contains(&rule);
        match rule {
            Rule::EOI | Rule::unclosed => {}
            _ if keyword => {
                self.gap(start, parent);
                let role = match (rule, parent) {
                    _ if std::mem::take(&mut self.head) => Role::Section,
                    (Rule::k_when, Rule::guard) => Role::Guard,
                    (_, Rule::then) => Role::Stage,
                    _ => Role::Plain,
                };
                self.push(TokenKind::Keyword, role, start, end);
            }
            Rule::name | Rule::lint => self.leaf(TokenKind::Name, node, parent),
            Rule::int | Rule::half | Rule::signed | Rule::decimal => self.leaf(TokenKind::Number, node, parent),
            Rule::string | Rule::notation => {
                self.gap(start, parent);
                let doc = matches!(
                    parent,
                    Rule::option | Rule::track | Rule::duty | Rule::outcome | Rule::sothat | Rule::change
                );
                self.push(TokenKind::Text, if doc { Role::Doc } else { Role::Plain }, start, end);
            }
            Rule::drawing | Rule::move_list => {
                self.gap(start, parent);
                // The blanks behind the brace belong to it, and the grammar has skipped them.
                while self.tokens.last().is_some_and(|token| token.role != Role::BlockOpen) {
                    self.tokens.pop();
                }
                let start = self.tokens.last().map_or(start, |brace| brace.span.end as usize);
                let kind = if rule == Rule::drawing { TokenKind::Drawing } else { TokenKind::MoveBlock };
                self.push(kind, Role::Plain, start, end.max(start));
            }
            Rule::move_text => {
                self.gap(start, parent);
                let end = start + node.as_str().trim_end().len();
                self.push(TokenKind::Moves, Role::Plain, start, end);
            }
            Rule::bad_item
            | Rule::bad_change
            | Rule::bad_move_line
            | Rule::bad_pat
            | Rule::bad_duty
            | Rule::bad_outcome
            | Rule::bad_step => {
                self.gap(start, parent);
                self.gap(end, rule);
            }
            _ => {
                self.gap(start, parent);
                self.head |= is_section(rule);
                // What a result waits for is no guard: it is the line.
                let within = if rule == Rule::guard && parent == Rule::outcome { parent } else { rule };
                for inner in node.inner() {
                    self.node(&inner, within);
                }
                self.gap(end, within);
            }
        }
    }

    fn leaf(&mut self, kind: TokenKind, node: &Node<'_>, parent: Rule) {
        self.gap(node.start(), parent);
        let start = node.start();
        self.push(kind, Role::Plain, start, start + node.as_str().trim_end().len());
    }

    /// What stands between the pairs: blanks, comments, newlines and signs.
    fn gap(&mut self, end: usize, within: Rule) {
        while self.at < end {
            let rest = &self.text[self.at..end];
            let start = self.at;
            let Some(first) = rest.chars().next() else { return };
            if rest.starts_with("//") {
                let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
                let length = rest[..length].trim_end().len();
                self.push(TokenKind::Comment, Role::Plain, start, start + length);
            } else if rest.starts_with("\r\n") {
                self.push(TokenKind::Newline, Role::Plain, start, start + 2);
            } else if matches!(first, '\n' | '\r') {
                self.push(TokenKind::Newline, Role::Plain, start, start + 1);
            } else if first.is_whitespace() {
                self.at += first.len_utf8();
            } else if first == '"' {
                let length = rest[1..]
                    .find(['"', '\n', '\r'])
                    .map_or(rest.len(), |at| at + 1 + usize::from(rest[1 + at..].starts_with('"')));
                self.push(TokenKind::Text, Role::Unread, start, start + length);
            } else if first.is_alphanumeric() || first == '_' {
                let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                let kind = if first.is_ascii_digit() { TokenKind::Number } else { TokenKind::Name };
                self.push(kind, Role::Unread, start, start + length);
            } else {
                let two = ["->", "..", "!=", ">=", "<="].into_iter().find(|sign| rest.starts_with(sign));
                let sign = two.unwrap_or(&rest[..first.len_utf8()]);
                self.push(TokenKind::Sign, role_of(sign, within), start, start + sign.len());
            }
        }
    }
}

fn is_section(rule: Rule) -> bool {
    SECTIONS.iter().any(|section| section.rule == rule)
}

/// What a sign is there for, told from the form that it stands in.
fn role_of(sign: &str, within: Rule) -> Role {
    match (sign, within) {
        ("(", Rule::args | Rule::head | Rule::score) => Role::ArgumentsOpen,
        ("{", Rule::set) | ("}", Rule::set) => Role::Plain,
        ("{", Rule::turn) => Role::TurnOpen,
        ("{", _) => Role::BlockOpen,
        ("}", _) => Role::BlockClose,
        (":", Rule::part) | ("=", Rule::def) => Role::PartMark,
        ("=", Rule::pattern) => Role::PatternMark,
        (":", Rule::case | Rule::board_case | Rule::players_by) => Role::CaseColon,
        (":", Rule::param | Rule::each) => Role::Colon,
        (",", Rule::case | Rule::board_case | Rule::players_by | Rule::settings) => Role::Separator,
        ("->", _) => Role::Arrow,
        ("-", Rule::minus) => Role::Minus,
        ("..", Rule::option_range | Rule::turn) => Role::Ends,
        _ => Role::Plain,
    }
}
