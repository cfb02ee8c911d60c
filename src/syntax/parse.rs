//! The pest grammar turned into the syntax tree.

use super::ast::*;
use super::explain::{JOINING, OUTCOMES, words};
use super::limits;
use super::tree::{Memory, Node, Section};
use crate::diagnostic::{Code, Diagnostic, closest};
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
        let mut builder = Builder { source, text, diagnostics: Vec::new(), lost: BTreeSet::new() };
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

    fn value(&mut self, node: &Node<'_>) -> Value {
        let span = self.span(node);
        let signed = below(node).find(|pair| pair.as_rule() == Rule::signed);
        let kind = match signed {
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
            self.report(
                Diagnostic::new(Code::Unclosed, Span::new(self.source, start, start + 1), "this brace is never closed")
                    .label("opened here")
                    .also(Span::new(self.source, last, end), "it goes on to here, where the next section begins")
                    .help("add a `}` where the block ends")
                    .fix("close the block", Span::new(self.source, end, end), closing),
            );
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

    // ---- sections ----

    fn item(&mut self, node: &Node<'_>) -> Option<Item> {
        let span = self.span(node);
        let kind = match node.as_rule() {
            Rule::bad_item => {
                self.bad_item(node);
                return None;
            }
            Rule::game => self.game(node),
            Rule::about => ItemKind::About(self.doc(node)?),
            Rule::source => ItemKind::Source(self.doc(node)?),
            Rule::uses => ItemKind::Use(self.file_name(node)?),
            Rule::players => self.players(&below(node).next()?),
            Rule::order => ItemKind::Order(self.names(&below(node).next()?)),
            Rule::option => self.option(node),
            Rule::ruleset => self.ruleset(node),
            Rule::requires => ItemKind::Requires { text: self.doc(node)?, condition: self.first_expr(node) },
            Rule::board => ItemKind::Board(self.board(&below(node).next()?)),
            Rule::region => ItemKind::Region(self.definition(node)),
            Rule::word => ItemKind::Word(self.definition(node)),
            Rule::score => ItemKind::Score(self.score(node)),
            Rule::piece => self.piece(node),
            Rule::track => self.track(node),
            Rule::phases => ItemKind::Phases(self.names(&below(node).next()?)),
            Rule::start => ItemKind::Start(self.setup(&below(node).next()?)),
            Rule::mv => self.move_item(node),
            Rule::pattern => {
                let name = self.named(node);
                let doc = self.doc(node);
                let pattern = below(node).find(|pair| pair.as_rule() == Rule::pat)?;
                ItemKind::Pattern { name, doc, pattern: self.pattern(&pattern) }
            }
            Rule::turn => self.turn(node)?,
            Rule::end => {
                self.closed(node);
                ItemKind::End(below(node).filter_map(|line| self.outcome(&line)).collect())
            }
            Rule::ties => {
                let players = below(node).find(|pair| pair.as_rule() == Rule::expr).map(|expr| self.expr(&expr));
                ItemKind::Ties { players, guard: self.guard(node) }
            }
            Rule::drop => {
                let word = node.as_str().split_whitespace().nth(1).unwrap_or("").to_owned();
                ItemKind::Drop(Name { text: word, span })
            }
            Rule::allow => self.allow(node)?,
            Rule::test | Rule::record => self.script(node)?,
            _ => return None,
        };
        Some(Item { kind, span })
    }

    fn allow(&mut self, node: &Node<'_>) -> Option<ItemKind> {
        let lint = below(node).find(|pair| pair.as_rule() == Rule::lint)?;
        let within = below(node).filter(|pair| pair.as_rule() == Rule::allowed).map(|name| self.name(&name)).collect();
        Some(ItemKind::Allow(AllowItem { lint: self.name(&lint), within, doc: self.doc(node) }))
    }

    fn file_name(&mut self, node: &Node<'_>) -> Option<Text> {
        let inner = below(node).find(|pair| matches!(pair.as_rule(), Rule::string | Rule::name))?;
        Some(if inner.as_rule() == Rule::string { self.string(&inner) } else { self.raw(&inner) })
    }

    fn game(&mut self, node: &Node<'_>) -> ItemKind {
        let mut title = None;
        let mut author = None;
        let mut extends = None;
        let mut year = None;
        let mut last_keyword = None;
        for inner in node.inner() {
            match inner.as_rule() {
                Rule::string if title.is_none() => title = Some(self.string(&inner)),
                Rule::string if last_keyword == Some(Rule::k_by) => author = Some(self.string(&inner)),
                Rule::string => extends = Some(self.string(&inner)),
                Rule::name => extends = Some(self.raw(&inner)),
                Rule::int => year = Some(self.number(&inner)),
                keyword => last_keyword = Some(keyword),
            }
        }
        let title = title.unwrap_or(Text { text: String::new(), span: self.span(node) });
        ItemKind::Game(GameItem { title, author, year, extends })
    }

    fn player_list(&mut self, node: &Node<'_>) -> Vec<Player> {
        below(node)
            .map(|player| {
                let mut names = below(&player).map(|name| self.name(&name)).collect::<Vec<_>>().into_iter();
                let name = names.next().unwrap_or(Name { text: String::new(), span: self.span(&player) });
                Player { name, facing: names.next() }
            })
            .collect()
    }

    fn players(&mut self, node: &Node<'_>) -> ItemKind {
        let item = match node.as_rule() {
            Rule::players_by => {
                let subject = self.first_expr(node);
                let mut cases = Vec::new();
                let mut keys = Vec::new();
                for inner in below(node) {
                    match inner.as_rule() {
                        Rule::keys => keys = self.keys(&inner),
                        Rule::player_list => cases.push((std::mem::take(&mut keys), self.player_list(&inner))),
                        _ => {}
                    }
                }
                PlayersItem::By { subject, cases }
            }
            Rule::players_of => {
                let mut inner = below(node);
                let count = inner.next().map(|count| self.atom(&count));
                let players = inner.next().map(|list| self.player_list(&list)).unwrap_or_default();
                match count {
                    Some(count) => PlayersItem::Count { count, players },
                    None => PlayersItem::List(players),
                }
            }
            _ => PlayersItem::List(self.player_list(node)),
        };
        ItemKind::Players(item)
    }

    /// A number or a name standing by itself.
    fn atom(&mut self, node: &Node<'_>) -> Expr {
        let kind = match node.as_rule() {
            Rule::int | Rule::signed => ExprKind::Number(self.number(node)),
            _ => ExprKind::Name(node.as_str().to_owned()),
        };
        Expr { kind, span: self.span(node) }
    }

    fn values(&mut self, node: &Node<'_>) -> Values {
        let span = self.span(node);
        if node.as_rule() == Rule::option_range {
            let bounds: Vec<i64> = below(node).map(|bound| self.number(&bound)).collect();
            Values::Range { low: bounds.first().copied().unwrap_or(0), high: bounds.get(1).copied().unwrap_or(0), span }
        } else {
            Values::List(below(node).map(|value| self.value(&value)).collect())
        }
    }

    fn option(&mut self, node: &Node<'_>) -> ItemKind {
        let mut names = Vec::new();
        let mut values = Values::List(Vec::new());
        let mut default = Value { kind: ValueKind::Number(0), span: self.span(node) };
        for inner in below(node) {
            match inner.as_rule() {
                Rule::names => names = self.names(&inner),
                Rule::option_range | Rule::option_values => values = self.values(&inner),
                Rule::value => default = self.value(&inner),
                _ => {}
            }
        }
        ItemKind::Option(OptionItem { names, values, default, doc: self.doc(node) })
    }

    fn settings(&mut self, node: &Node<'_>) -> Vec<Setting> {
        below(node)
            .filter(|pair| pair.as_rule() == Rule::setting)
            .filter_map(|setting| {
                let name = self.named(&setting);
                let value = below(&setting).find(|pair| pair.as_rule() == Rule::value)?;
                Some(Setting { name, value: self.value(&value) })
            })
            .collect()
    }

    fn ruleset(&mut self, node: &Node<'_>) -> ItemKind {
        self.closed(node);
        let names: Vec<Name> =
            below(node).filter(|pair| pair.as_rule() == Rule::name).map(|name| self.name(&name)).collect();
        let settings =
            below(node).find(|pair| pair.as_rule() == Rule::settings).map(|settings| self.settings(&settings));
        let mut names = names.into_iter();
        ItemKind::Ruleset(RulesetItem {
            name: names.next().unwrap_or(Name { text: String::new(), span: self.span(node) }),
            extends: names.next(),
            doc: self.doc(node),
            settings: settings.unwrap_or_default(),
        })
    }

    fn board(&mut self, node: &Node<'_>) -> BoardExpr {
        let span = self.span(node);
        let mut kind = BoardKind::Lines(Vec::new());
        let mut modifiers = Vec::new();
        for inner in below(node) {
            match inner.as_rule() {
                Rule::board_case => {
                    self.closed(&inner);
                    let subject = self.first_expr(&inner);
                    let mut cases = Vec::new();
                    let mut keys = Vec::new();
                    for part in below(&inner) {
                        match part.as_rule() {
                            Rule::keys => keys = self.keys(&part),
                            Rule::boardx => cases.push((std::mem::take(&mut keys), self.board(&part))),
                            _ => {}
                        }
                    }
                    kind = BoardKind::Case { subject, cases };
                }
                Rule::drawn => kind = BoardKind::Drawn(self.drawn(&inner)),
                Rule::board_lines => {
                    self.closed(&inner);
                    kind = BoardKind::Lines(
                        below(&inner).filter(|p| p.as_rule() == Rule::point_row).map(|row| self.names(&row)).collect(),
                    );
                }
                Rule::board_graph => kind = self.graph(&inner),
                Rule::call => {
                    let (name, args) = self.call(&inner);
                    kind = BoardKind::Shape { name, args };
                }
                Rule::modifier => {
                    modifiers.extend(self.modifier(&inner));
                    // Both are words like others, so the set that is kept takes them along.
                    while let Some(Modifier::Keeping(kept)) = modifiers.last_mut()
                        && let Some(behind) = taken_along(kept)
                    {
                        modifiers.insert(modifiers.len() - 1, behind);
                    }
                }
                _ => {}
            }
        }
        BoardExpr { kind, modifiers, span }
    }

    fn graph(&mut self, node: &Node<'_>) -> BoardKind {
        self.closed(node);
        let mut points = Vec::new();
        let mut links = Vec::new();
        for inner in below(node) {
            match inner.as_rule() {
                Rule::point => {
                    let name = self.named(&inner);
                    let at: Vec<f64> = below(&inner)
                        .filter(|pair| pair.as_rule() == Rule::decimal)
                        .map(|pair| pair.as_str().parse().unwrap_or(0.0))
                        .collect();
                    points.push((name, at.first().copied().unwrap_or(0.0), at.get(1).copied().unwrap_or(0.0)));
                }
                Rule::link => {
                    let names = self.names(&inner);
                    links.extend(names.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())));
                }
                _ => {}
            }
        }
        BoardKind::Graph { points, links }
    }

    fn modifier(&mut self, node: &Node<'_>) -> Option<Modifier> {
        let keyword = node.inner().next()?.as_rule();
        Some(match keyword {
            Rule::k_adjacent => Modifier::Adjacent(self.named(node)),
            Rule::k_coordinates => Modifier::Coordinates(self.named(node)),
            Rule::k_with => {
                let classes = below(node).filter(|part| part.as_rule() == Rule::classes);
                Modifier::With(classes.flat_map(|list| self.names(&list)).collect())
            }
            _ => Modifier::Keeping(self.first_expr(node)),
        })
    }

    fn drawn(&mut self, node: &Node<'_>) -> Drawn {
        let mut style = None;
        let mut text = String::new();
        let mut span = self.span(node);
        for inner in below(node) {
            match inner.as_rule() {
                Rule::name => style = Some(self.name(&inner)),
                Rule::drawing => {
                    // The blanks before the first row belong to it, and the grammar has skipped them.
                    let start = node.as_str().find('{').map_or(inner.start(), |at| node.start() + at + 1);
                    let end = inner.end().max(start);
                    self.text[start..end].clone_into(&mut text);
                    span = Span::new(self.source, start, end);
                }
                _ => {}
            }
        }
        Drawn { style, text, span }
    }

    fn head(&mut self, node: &Node<'_>) -> (Name, Vec<Param>) {
        let params = below(node).filter(|pair| pair.as_rule() == Rule::param).map(|param| self.param(&param)).collect();
        (self.named(node), params)
    }

    fn param(&mut self, node: &Node<'_>) -> Param {
        let mut names = self.names(node).into_iter();
        let name = names.next().unwrap_or(Name { text: String::new(), span: self.span(node) });
        Param { name, kind: names.next() }
    }

    fn definition(&mut self, node: &Node<'_>) -> Definition {
        let (name, params) = match below(node).find(|pair| pair.as_rule() == Rule::head) {
            Some(head) => self.head(&head),
            None => (Name { text: String::new(), span: self.span(node) }, Vec::new()),
        };
        Definition { name, params, doc: self.doc(node), body: self.first_expr(node) }
    }

    fn score(&mut self, node: &Node<'_>) -> Definition {
        let span = self.span(node);
        let params = below(node).filter(|pair| pair.as_rule() == Rule::param).map(|param| self.param(&param)).collect();
        let name = Name { text: "score".to_owned(), span };
        Definition { name, params, doc: None, body: self.first_expr(node) }
    }

    fn piece(&mut self, node: &Node<'_>) -> ItemKind {
        let kinds = below(node)
            .filter(|pair| pair.as_rule() == Rule::piece_name)
            .map(|piece| {
                let shape = below(&piece).find(|pair| pair.as_rule() == Rule::piece_shape);
                let shapes = shape.iter().flat_map(below).filter(|pair| pair.as_rule() == Rule::name);
                let shapes = shapes.map(|name| self.name(&name)).collect();
                PieceKind { name: self.named(&piece), mark: self.doc(&piece), shapes }
            })
            .collect();
        ItemKind::Piece(PieceItem { kinds, neutral: has(node, Rule::k_neutral) })
    }

    fn track(&mut self, node: &Node<'_>) -> ItemKind {
        let mut head = (Name { text: String::new(), span: self.span(node) }, Vec::new());
        let mut values = Values::List(Vec::new());
        for inner in below(node) {
            match inner.as_rule() {
                Rule::head => head = self.head(&inner),
                Rule::option_range | Rule::option_values => values = self.values(&inner),
                _ => {}
            }
        }
        let first = below(node).find(|pair| pair.as_rule() == Rule::expr).map(|expr| self.expr(&expr));
        ItemKind::Track(TrackItem {
            name: head.0,
            params: head.1,
            values,
            first,
            each_turn: has(node, Rule::each_turn),
            doc: self.doc(node),
        })
    }

    fn setup(&mut self, node: &Node<'_>) -> Setup {
        if node.as_rule() == Rule::drawn { Setup::Drawn(self.drawn(node)) } else { Setup::Changes(self.changes(node)) }
    }

    fn changes(&mut self, node: &Node<'_>) -> Vec<Change> {
        self.closed(node);
        below(node)
            .filter_map(|line| match line.as_rule() {
                Rule::change => Some(self.change(&line)),
                Rule::bad_change => {
                    self.explain(&line, Rule::change, "");
                    None
                }
                _ => None,
            })
            .collect()
    }

    fn change(&mut self, node: &Node<'_>) -> Change {
        let span = self.span(node);
        let guard = self.guard(node);
        let mut each = None;
        let mut target = Expr { kind: ExprKind::Number(0), span };
        let mut kind = ChangeKind::Becomes(target.clone());
        for inner in below(node) {
            match inner.as_rule() {
                Rule::each => {
                    let name = self.named(&inner);
                    let members = below(&inner).find(|part| part.as_rule() == Rule::target);
                    each = members.map(|members| (name, self.expr(&members)));
                }
                Rule::target => target = self.expr(&inner),
                Rule::exchange => {
                    let mut players = below(&inner).filter(|part| is_expression(part.as_rule()));
                    if let (Some(one), Some(with)) = (players.next(), players.next()) {
                        target = self.expr(&one);
                        kind = ChangeKind::Seats { with: self.expr(&with) };
                    }
                }
                Rule::becomes => kind = ChangeKind::Becomes(self.first_expr(&inner)),
                Rule::move_to => {
                    let mut parts: Vec<Expr> = below(&inner).map(|part| self.expr(&part)).collect();
                    let piece = if parts.len() > 1 { parts.pop() } else { None };
                    if let Some(to) = parts.pop() {
                        kind = ChangeKind::MoveTo { to, piece };
                    }
                }
                _ => {}
            }
        }
        Change { each, target, kind, guard, span }
    }

    // ---- moves ----

    fn move_item(&mut self, node: &Node<'_>) -> ItemKind {
        self.closed(node);
        let name = self.named(node);
        let (mut notation, mut doc) = (None, None);
        let mut lines = Vec::new();
        for inner in below(node) {
            match inner.as_rule() {
                Rule::notation => notation = Some(inner),
                Rule::string => doc = Some(self.string(&inner)),
                Rule::name | Rule::unclosed | Rule::k_chance | Rule::k_move => {}
                _ => lines.extend(self.move_line(&inner)),
            }
        }
        // Only now is it known which parts are lost, of which nothing is said in the notation.
        let notation = notation.map(|notation| self.notation(&notation));
        ItemKind::Move(MoveItem { chance: has(node, Rule::k_chance), name, notation, doc, lines })
    }

    fn notation(&mut self, node: &Node<'_>) -> Notation {
        let Text { text, span } = self.string(node);
        // Of a text that does not end nothing more is said.
        let pieces = match has(node, Rule::unterminated) {
            true => Vec::new(),
            false => below(node).filter_map(|piece| self.notation_piece(&piece)).collect(),
        };
        Notation { text, pieces, span }
    }

    fn notation_piece(&mut self, node: &Node<'_>) -> Option<NotationPiece> {
        let where_needed = has(node, Rule::where_needed);
        match node.as_rule() {
            Rule::literal => Some(NotationPiece::Text(node.as_str().to_owned())),
            Rule::optional => {
                let text = below(node).next().map_or(String::new(), |text| text.as_str().to_owned());
                Some(NotationPiece::Optional { text, where_needed })
            }
            Rule::shown => {
                let value = self.first_expr(node);
                let text = self.text[value.span.range()].to_owned();
                Some(NotationPiece::Value { text, value, where_needed, dash: has(node, Rule::dash) })
            }
            Rule::bad_shown => {
                let body = node.as_str().strip_prefix('{').and_then(|body| body.strip_suffix('}')).unwrap_or_default();
                let body = body.strip_suffix('?').or(body.strip_suffix("|-")).unwrap_or(body);
                if words(body).any(|word| self.lost.contains(word)) {
                    return None;
                }
                let (message, help) = if body.trim().is_empty() {
                    let message = "nothing stands between `{` and `}` in the notation".to_owned();
                    (message, "write the name of a part between them")
                } else {
                    let message = format!("`{{{body}}}` in the notation is no expression");
                    (message, "write the name of a part between the braces, as in `{cell}`")
                };
                self.report(Diagnostic::new(Code::BadNotation, self.span(node), message).help(help));
                None
            }
            Rule::unclosed_shown => {
                let (message, help) = if node.as_str().starts_with('{') {
                    ("a `{` in the notation is never closed", "write `}` behind the name of the part: \"{cell}\"")
                } else {
                    (
                        "a `[` in the notation is never closed",
                        "write `]` behind the text that may be left out: \"[x]{to}\"",
                    )
                };
                self.report(Diagnostic::new(Code::BadNotation, self.span(node), message).help(help));
                None
            }
            _ => None,
        }
    }

    fn move_line(&mut self, node: &Node<'_>) -> Option<MoveLine> {
        let span = self.span(node);
        let mut guard = self.guard(node);
        let exprs = |builder: &mut Self| -> Vec<Expr> {
            below(node).filter(|pair| is_expression(pair.as_rule())).map(|expr| builder.expr(&expr)).collect()
        };
        let kind = match node.as_rule() {
            Rule::then => MoveLineKind::Then,
            Rule::part => {
                let name = self.named(node);
                let mut conditions = exprs(self);
                if conditions.is_empty() {
                    return None;
                }
                let domain = conditions.remove(0);
                MoveLineKind::Part { name, domain, conditions }
            }
            Rule::def => MoveLineKind::Definition { name: self.named(node), value: exprs(self).into_iter().next()? },
            Rule::cond => MoveLineKind::If(exprs(self).into_iter().next()?),
            Rule::weight => MoveLineKind::Weight(exprs(self).into_iter().next()?),
            Rule::sothat => MoveLineKind::SoThat { condition: exprs(self).into_iter().next()?, reason: self.doc(node) },
            Rule::change => {
                let change = self.change(node);
                guard = None;
                MoveLineKind::Change(change)
            }
            Rule::repeat => {
                let mut exprs = exprs(self).into_iter();
                let times = exprs.next()?;
                let condition = exprs.next();
                let block = below(node).find(|pair| pair.as_rule() == Rule::change_block)?;
                MoveLineKind::Repeat { times, condition, changes: self.changes(&block) }
            }
            Rule::bad_move_line => {
                self.bad_move_line(node);
                return None;
            }
            _ => return None,
        };
        Some(MoveLine { kind, guard, span })
    }

    // ---- turns ----

    fn pattern(&mut self, node: &Node<'_>) -> Pattern {
        let span = self.span(node);
        let mut parts: Vec<Pattern> = below(node)
            .filter(|pair| matches!(pair.as_rule(), Rule::alt | Rule::seq | Rule::unit))
            .map(|part| if part.as_rule() == Rule::unit { self.unit(&part) } else { self.pattern(&part) })
            .collect();
        if parts.len() == 1 {
            return parts.remove(0);
        }
        if node.as_rule() == Rule::pat {
            self.check_commas_beside_else(node);
        }
        let kind = match node.as_rule() {
            Rule::pat => PatternKind::Else(parts),
            Rule::alt => PatternKind::Either(parts),
            _ => PatternKind::Sequence(parts),
        };
        Pattern { kind, span }
    }

    /// `a else b, c`: a rule sheet would read the comma last, and the language `else`. Brackets say which is meant.
    fn check_commas_beside_else(&mut self, node: &Node<'_>) {
        // The pattern cut at each `else`, and each way again at its commas.
        let mut ways: Vec<Vec<Span>> = Vec::new();
        for way in below(node) {
            let mut pieces: Vec<Span> = Vec::new();
            for sequence in below(&way) {
                let mut units = below(&sequence).map(|unit| self.span(&unit));
                // `or` stands between the last piece and this unit, and a comma before each further one.
                if let Some(first) = units.next() {
                    match pieces.pop() {
                        Some(last) => pieces.push(last.to(first)),
                        None => pieces.push(first),
                    }
                }
                pieces.extend(units);
            }
            ways.push(pieces);
        }
        let Some(comma) = ways.iter().find_map(|pieces| pieces.get(1)) else { return };
        let whole = self.span(node);
        let bracketed = |groups: Vec<Span>| {
            let mut text = self.text[whole.range()].trim_end().to_owned();
            for group in groups.into_iter().rev() {
                text.insert((group.end - whole.start) as usize, ')');
                text.insert((group.start - whole.start) as usize, '(');
            }
            text
        };
        let first_else: Vec<Span> = joined_by_else(&ways);
        let long = ways.iter().filter(|pieces| pieces.len() > 1);
        let first_commas: Vec<Span> = long.filter_map(|pieces| Some(pieces.first()?.to(*pieces.last()?))).collect();
        let (sheet, language) = (bracketed(first_else), bracketed(first_commas));
        self.report(
            Diagnostic::new(Code::TwoReadings, *comma, "it is not clear whether this still belongs to `else`")
                .label("a comma stands between this and `else`")
                .help(format!(
                    "put brackets around what belongs together: `{}` or `{}`",
                    one_line(&sheet),
                    one_line(&language)
                ))
                .guess("bracket what stands beside `else`", whole, sheet)
                .guess("bracket what the commas join", whole, language),
        );
    }

    fn unit(&mut self, node: &Node<'_>) -> Pattern {
        let span = self.span(node);
        let mut pattern = Pattern { kind: PatternKind::Nothing, span };
        let mut suffixes = Vec::new();
        for inner in below(node) {
            match inner.as_rule() {
                Rule::name => {
                    let name = self.name(&inner);
                    pattern = Pattern { span: name.span, kind: PatternKind::Name(name) };
                }
                Rule::pat => pattern = self.pattern(&inner),
                Rule::suffix => suffixes.extend(below(&inner)),
                _ => {}
            }
        }
        // `by it`, `with` and `when` belong to the plies; `until` and `such that` to the whole of the unit.
        let wrap =
            |inner: Pattern, kind: fn(Box<Pattern>) -> PatternKind| Pattern { span, kind: kind(Box::new(inner)) };
        let (outer, inner): (Vec<Node<'_>>, Vec<Node<'_>>) = suffixes
            .into_iter()
            .partition(|suffix| matches!(suffix.as_rule(), Rule::unit_until | Rule::unit_such | Rule::unit_when));
        for suffix in inner {
            pattern = match suffix.as_rule() {
                Rule::by_it => wrap(pattern, PatternKind::ByIt),
                _ => {
                    let condition = self.first_expr(&suffix);
                    Pattern { span, kind: PatternKind::With(Box::new(pattern), condition) }
                }
            };
        }
        if has(node, Rule::k_maybe) {
            pattern = wrap(pattern, PatternKind::Maybe);
        } else if has(node, Rule::k_again) {
            pattern = wrap(pattern, PatternKind::Again);
        } else if has(node, Rule::k_chain) {
            pattern = wrap(pattern, PatternKind::Chain);
        }
        for suffix in outer {
            let condition = self.first_expr(&suffix);
            let boxed = Box::new(pattern);
            let kind = match suffix.as_rule() {
                Rule::unit_until => PatternKind::Until(boxed, condition),
                Rule::unit_such => PatternKind::SuchThat(boxed, condition),
                _ => PatternKind::When(boxed, condition),
            };
            pattern = Pattern { kind, span };
        }
        pattern
    }

    fn turn(&mut self, node: &Node<'_>) -> Option<ItemKind> {
        self.closed(node);
        let span = self.span(node);
        let mut of = TurnOf::Any;
        let mut pattern = None;
        let mut duties = Vec::new();
        for inner in below(node) {
            match inner.as_rule() {
                Rule::int => of = TurnOf::Number(self.number(&inner)),
                Rule::name => of = TurnOf::Phase(self.name(&inner)),
                Rule::pat => pattern = Some(self.pattern(&inner)),
                Rule::duty => duties.extend(self.duty(&inner)),
                Rule::bad_pat => self.explain(&inner, Rule::pat, JOINING),
                Rule::bad_duty => {
                    let span = self.span(&inner);
                    let word = inner.as_str().split_whitespace().next().unwrap_or("");
                    if matches!(word, "must" | "such" | "extra") {
                        self.explain(&inner, Rule::duty, "");
                    } else {
                        self.report(
                            Diagnostic::new(Code::Syntax, span, "this line of a turn says nothing")
                                .label("expected `must ...`, `such that ...` or `extra turn ...`")
                                .help("one pattern comes first; its lines go on with `,`, `or` or `else`"),
                        );
                    }
                }
                _ => {}
            }
        }
        Some(ItemKind::Turn(TurnItem { of, whole: has(node, Rule::k_whole), pattern: pattern?, duties, span }))
    }

    fn duty(&mut self, node: &Node<'_>) -> Option<Duty> {
        let span = self.span(node);
        let inner = below(node).next()?;
        let kind = match inner.as_rule() {
            Rule::must => DutyKind::Must(self.event(&below(&inner).next()?)),
            Rule::must_most => DutyKind::MustMost(self.first_expr(&inner)),
            Rule::such_that => DutyKind::SuchThat(self.first_expr(&inner)),
            _ => DutyKind::ExtraTurn,
        };
        Some(Duty { kind, guard: self.guard(node), reason: self.doc(node), span })
    }

    fn event(&mut self, node: &Node<'_>) -> Event {
        let span = self.span(node);
        let mut events = Vec::new();
        let mut name = None;
        let mut with = None;
        for inner in below(node) {
            match inner.as_rule() {
                Rule::event => events.push(self.event(&inner)),
                Rule::name => name = Some(self.name(&inner)),
                Rule::event_with => with = Some(Box::new(self.first_expr(&inner))),
                _ => {}
            }
        }
        let kind = match name {
            Some(name) => EventKind::Name { name, with },
            None => EventKind::Any(events),
        };
        Event { kind, span }
    }

    // ---- endings ----

    fn outcome(&mut self, node: &Node<'_>) -> Option<OutcomeLine> {
        let span = self.span(node);
        if node.as_rule() == Rule::bad_outcome {
            // `drwa when ...` reads well up to `when`, as who might win.
            let mut words = node.as_str().split_whitespace();
            if let (Some(first), None | Some("when")) = (words.next(), words.next())
                && first != "draw"
                && closest(first, ["draw"]).is_some()
            {
                let at = Span::new(self.source, node.start(), node.start() + first.len());
                self.report(
                    Diagnostic::new(Code::Syntax, at, format!("`{first}` does not fit here"))
                        .did_you_mean(first, ["draw"]),
                );
                return None;
            }
            self.explain(node, Rule::outcome, OUTCOMES);
            return None;
        }
        if node.as_rule() != Rule::outcome {
            return None;
        }
        let result = below(node).find(|pair| pair.as_rule() == Rule::result)?;
        let wins = |pair: &Node<'_>| has(pair, Rule::k_wins);
        let result = match below(&result).next() {
            None => ResultOf::Draw,
            Some(inner) => match inner.as_rule() {
                Rule::best if has(&inner, Rule::k_best) => ResultOf::BestScore,
                Rule::best => ResultOf::LowestScore,
                Rule::ranks => ResultOf::Ranks(self.first_expr(&inner)),
                Rule::any_player => ResultOf::AnyPlayer { name: self.named(&inner), wins: wins(&inner) },
                _ => ResultOf::Player { player: self.first_expr(&inner), wins: wins(&inner) },
            },
        };
        let at_once = has(node, Rule::at_once);
        Some(OutcomeLine { result, at_once, guard: self.guard(node), reason: self.doc(node), span })
    }

    // ---- tests and records ----

    fn script(&mut self, node: &Node<'_>) -> Option<ItemKind> {
        self.closed(node);
        let mut texts = Vec::new();
        let mut steps = Vec::new();
        for inner in below(node) {
            match inner.as_rule() {
                Rule::string => texts.push(self.string(&inner)),
                Rule::step => steps.extend(self.step(&inner)),
                Rule::bad_step => {
                    let span = self.span(&inner);
                    let word = inner.as_str().split_whitespace().next().unwrap_or("").to_owned();
                    const STEPS: [&str; 9] =
                        ["set", "position", "perft", "illegal", "play", "legal", "only", "result", "expect"];
                    if STEPS.contains(&word.as_str()) {
                        self.explain(&inner, Rule::step, "");
                    } else {
                        self.report(
                            Diagnostic::new(Code::Syntax, span, format!("no step begins with `{word}`"))
                                .label("expected `set`, `position`, `play`, `legal`, `illegal`, `only`, `expect`, `perft` or `result`")
                                .did_you_mean(&word, STEPS)
                                .or_help(|| "as in: play e4, e5; legal c3; illegal a1; expect own in centre".to_owned()),
                        );
                    }
                }
                _ => {}
            }
        }
        let mut texts = texts.into_iter();
        let record = node.as_rule() == Rule::record;
        Some(ItemKind::Script(Script { record, name: texts.next()?, doc: texts.next(), steps }))
    }

    fn step(&mut self, node: &Node<'_>) -> Option<Step> {
        let span = self.span(node);
        let inner = below(node).next()?;
        let kind = match inner.as_rule() {
            Rule::step_set => StepKind::Set(self.settings(&below(&inner).next()?)),
            Rule::step_position => {
                let setup = self.setup(&below(&inner).next()?);
                let mut besides = Vec::new();
                let (mut mover, mut turn) = (None, None);
                for part in below(&inner).skip(1) {
                    match part.as_rule() {
                        Rule::change_block => besides = self.changes(&part),
                        Rule::name => mover = Some(self.name(&part)),
                        Rule::int => turn = Some(self.number(&part)),
                        _ => {}
                    }
                }
                StepKind::Position { setup, besides, mover, turn }
            }
            Rule::step_perft => StepKind::Perft {
                turns: has(&inner, Rule::k_turns),
                counts: below(&inner).map(|count| self.number(&count)).collect(),
            },
            Rule::step_illegal => {
                let moves = self.raw(&below(&inner).next()?);
                StepKind::Illegal { moves, because: self.doc(&inner) }
            }
            Rule::step_moves => {
                let text = below(&inner).next()?;
                let text = if text.as_rule() == Rule::move_block { below(&text).next()? } else { text };
                let text = self.raw(&text);
                match inner.inner().next()?.as_rule() {
                    Rule::k_play => StepKind::Play(text),
                    Rule::k_legal => StepKind::Legal(text),
                    _ => StepKind::Only(text),
                }
            }
            Rule::step_result => StepKind::Result(self.doc(&inner)?),
            _ => StepKind::Expect(self.first_expr(&inner)),
        };
        Some(Step { kind, span })
    }

    // ---- expressions ----

    fn call(&mut self, node: &Node<'_>) -> (Name, Vec<Expr>) {
        let name = self.named(node);
        let args = below(node).find(|pair| pair.as_rule() == Rule::args);
        let args = args.map(|args| below(&args).map(|arg| self.expr(&arg)).collect()).unwrap_or_default();
        (name, args)
    }

    fn expr(&mut self, node: &Node<'_>) -> Expr {
        let span = self.span(node);
        let kind = match node.as_rule() {
            Rule::expr | Rule::conj | Rule::target | Rule::overlap => {
                let mut parts: Vec<Expr> = below(node).map(|part| self.expr(&part)).collect();
                if parts.len() == 1 {
                    return parts.remove(0);
                }
                match node.as_rule() {
                    Rule::conj | Rule::overlap => ExprKind::And(parts),
                    _ => ExprKind::Or(parts),
                }
            }
            Rule::negation => return self.negation(node),
            Rule::cmp => return self.comparison(node),
            Rule::sum | Rule::prod => return self.arithmetic(node),
            Rule::phrase => {
                let mut terms: Vec<Expr> = below(node).map(|term| self.expr(&term)).collect();
                if terms.len() == 1 {
                    return terms.remove(0);
                }
                ExprKind::Row(terms)
            }
            Rule::term => match below(node).next() {
                Some(inner) => return self.expr(&inner),
                None => ExprKind::Number(0),
            },
            Rule::int | Rule::signed => ExprKind::Number(self.number(node)),
            Rule::name | Rule::bare => ExprKind::Name(node.as_str().to_owned()),
            Rule::call => {
                let (name, args) = self.call(node);
                ExprKind::Call { name, args }
            }
            Rule::of => ExprKind::Of(Box::new(self.first_expr(node))),
            Rule::prefixed => {
                let inner = Box::new(self.first_expr(node));
                match node.inner().next().map(|first| first.as_rule()) {
                    Some(Rule::k_not) => ExprKind::Not(inner),
                    Some(Rule::k_before) => ExprKind::Before(inner),
                    _ => ExprKind::Negative(inner),
                }
            }
            Rule::quantified => {
                let inner = Box::new(self.first_expr(node));
                let quantifier = match node.inner().next().map(|first| first.as_rule()) {
                    Some(Rule::k_any) => Quantifier::Any,
                    Some(Rule::k_no) => Quantifier::No,
                    Some(Rule::k_the) => Quantifier::The,
                    Some(Rule::k_count) => Quantifier::Count,
                    _ => Quantifier::Every,
                };
                ExprKind::Quantified(quantifier, inner)
            }
            Rule::conditional => {
                let mut parts = below(node).map(|part| Box::new(self.expr(&part))).collect::<Vec<_>>().into_iter();
                match (parts.next(), parts.next(), parts.next()) {
                    (Some(condition), Some(then), Some(otherwise)) => ExprKind::If { condition, then, otherwise },
                    _ => ExprKind::Number(0),
                }
            }
            Rule::case => {
                let mut subject = None;
                let mut cases = Vec::new();
                let mut keys = Vec::new();
                for inner in below(node) {
                    match inner.as_rule() {
                        Rule::keys => keys = self.keys(&inner),
                        _ if subject.is_none() => subject = Some(Box::new(self.expr(&inner))),
                        _ => cases.push((std::mem::take(&mut keys), self.expr(&inner))),
                    }
                }
                match subject {
                    Some(subject) => ExprKind::Case { subject, cases },
                    None => ExprKind::Number(0),
                }
            }
            Rule::some => {
                let name = self.named(node);
                let mut parts =
                    below(node).skip(1).map(|part| Box::new(self.expr(&part))).collect::<Vec<_>>().into_iter();
                match (parts.next(), parts.next()) {
                    (Some(domain), Some(condition)) => ExprKind::Some { none: false, name, domain, condition },
                    _ => ExprKind::Number(0),
                }
            }
            Rule::happened => {
                let event = below(node).find(|pair| pair.as_rule() == Rule::event).map(|event| self.event(&event));
                let with =
                    below(node).find(|pair| pair.as_rule() == Rule::event_with).map(|with| self.first_expr(&with));
                match event {
                    Some(event) => ExprKind::Happened { event: limited(event, with), history: history(node) },
                    None => ExprKind::Number(0),
                }
            }
            Rule::last_to | Rule::without => {
                let event = below(node).find(|pair| pair.as_rule() == Rule::event).map(|event| self.event(&event));
                match event {
                    Some(event) if node.as_rule() == Rule::last_to => ExprKind::LastTo(event),
                    Some(event) => ExprKind::TurnsWithout(event),
                    None => ExprKind::Number(0),
                }
            }
            Rule::history => {
                let names = below(node).next().map(|part| self.names(&part)).unwrap_or_default();
                let mut names = names.into_iter();
                match (names.next(), names.next()) {
                    (Some(of), Some(part)) => ExprKind::PartOf { of, part, history: history(node) },
                    _ => ExprKind::Number(0),
                }
            }
            Rule::seen => {
                let times = below(node).next().map(|times| self.number(&times));
                ExprKind::Seen { board: has(node, Rule::k_board), times }
            }
            Rule::possible => {
                let inner = below(node).next();
                let pattern = match inner {
                    Some(inner) if inner.as_rule() == Rule::pat => self.pattern(&inner),
                    Some(inner) => {
                        let name = self.name(&inner);
                        Pattern { span: name.span, kind: PatternKind::Name(name) }
                    }
                    None => Pattern { span, kind: PatternKind::Nothing },
                };
                ExprKind::Possible(Box::new(pattern))
            }
            Rule::set => match below(node).next() {
                Some(inner) => return self.set(&inner),
                None => ExprKind::Number(0),
            },
            Rule::reduce => {
                let inner = Box::new(self.first_expr(node));
                let reduce = match node.inner().next().map(|first| first.as_rule()) {
                    Some(Rule::k_least) => Reduce::Least,
                    Some(Rule::k_most) => Reduce::Most,
                    _ => Reduce::Sum,
                };
                ExprKind::Reduce(reduce, inner)
            }
            Rule::list => ExprKind::List(below(node).map(|part| self.expr(&part)).collect()),
            _ => match below(node).next() {
                Some(inner) => return self.expr(&inner),
                None => ExprKind::Number(0),
            },
        };
        Expr { kind, span }
    }

    /// `not` before a comparison is about the whole of it, and before a row or `but` about the next term, as everywhere.
    fn negation(&mut self, node: &Node<'_>) -> Expr {
        let nots: Vec<Span> =
            node.inner().filter(|pair| pair.as_rule() == Rule::k_not).map(|not| self.span(&not)).collect();
        let mut start = below(node).next().map_or(0, |asked| self.span(&asked).start);
        let mut inner = self.first_expr(node);
        for not in nots.into_iter().rev() {
            inner = negated(not, inner, start);
            start = not.start;
        }
        inner
    }

    fn set(&mut self, node: &Node<'_>) -> Expr {
        let span = self.span(node);
        let name = self.named(node);
        let mut parts = below(node)
            .filter(|pair| is_expression(pair.as_rule()))
            .map(|part| Box::new(self.expr(&part)))
            .collect::<Vec<_>>()
            .into_iter();
        let kind = if node.as_rule() == Rule::set_with {
            match parts.next() {
                Some(domain) => ExprKind::SetOf { name, domain, condition: parts.next() },
                None => ExprKind::Number(0),
            }
        } else {
            match (parts.next(), parts.next()) {
                (Some(body), Some(domain)) => ExprKind::Each { body, name, domain, condition: parts.next() },
                _ => ExprKind::Number(0),
            }
        };
        Expr { kind, span }
    }

    /// `no x in S with C`, or `no x in S`.
    fn none(&mut self, node: &Node<'_>) -> Expr {
        let span = self.span(node);
        let name = self.named(node);
        let mut parts = below(node).filter(|pair| is_expression(pair.as_rule()));
        let domain = parts.next().map(|part| Box::new(self.expr(&part)));
        let condition = parts.next().map(|part| Box::new(self.expr(&part)));
        let no = node.inner().find(|pair| pair.as_rule() == Rule::k_no).map_or(span, |no| self.span(&no));
        let befores: Vec<Span> =
            node.inner().filter(|pair| pair.as_rule() == Rule::k_before).map(|before| self.span(&before)).collect();
        let before = |inner: Expr| {
            befores.iter().rev().fold(inner, |inner, before| {
                let span = before.to(inner.span);
                Expr { kind: ExprKind::Before(Box::new(inner)), span }
            })
        };
        match (domain, condition) {
            (Some(domain), Some(condition)) => {
                let span = no.to(span);
                before(Expr { kind: ExprKind::Some { none: true, name, domain, condition }, span })
            }
            (Some(right), None) => {
                let quantified = no.to(name.span);
                let name = Expr { span: name.span, kind: ExprKind::Name(name.text) };
                let kind = ExprKind::Quantified(Quantifier::No, Box::new(name));
                let left = Box::new(before(Expr { kind, span: quantified }));
                Expr { kind: ExprKind::In { left, not: false, right }, span }
            }
            (None, _) => Expr { kind: ExprKind::Number(0), span },
        }
    }

    fn comparison(&mut self, node: &Node<'_>) -> Expr {
        let span = self.span(node);
        let mut parts = below(node);
        let Some(first) = parts.next() else { return Expr { kind: ExprKind::Number(0), span } };
        if first.as_rule() == Rule::none {
            return self.none(&first);
        }
        let first = self.expr(&first);
        let Some(tail) = parts.next() else { return first };
        let left = Box::new(first);
        let not = has(&tail, Rule::k_not);
        let kind = match tail.as_rule() {
            Rule::cmp_is => {
                let right = Box::new(self.first_expr(&tail));
                if has(&tail, Rule::k_in) {
                    ExprKind::In { left, not, right }
                } else {
                    ExprKind::Is { left, not, right }
                }
            }
            Rule::cmp_in => ExprKind::In { left, not, right: Box::new(self.first_expr(&tail)) },
            _ => {
                let rest = std::iter::once(tail)
                    .chain(parts)
                    .map(|tail| {
                        let op = match below(&tail).next().map(|op| op.as_str().to_owned()).as_deref() {
                            Some("!=") => CompareOp::NotEqual,
                            Some("<") => CompareOp::Less,
                            Some("<=") => CompareOp::LessEqual,
                            Some(">") => CompareOp::Greater,
                            Some(">=") => CompareOp::GreaterEqual,
                            _ => CompareOp::Equal,
                        };
                        (op, self.first_expr(&tail))
                    })
                    .collect();
                ExprKind::Compare { first: left, rest }
            }
        };
        Expr { kind, span }
    }

    fn arithmetic(&mut self, node: &Node<'_>) -> Expr {
        let mut result: Option<Expr> = None;
        let mut op = BinaryOp::Arithmetic(ArithmeticOp::Add);
        for inner in below(node) {
            match inner.as_rule() {
                Rule::sum_op | Rule::prod_op => {
                    op = match inner.as_str().trim() {
                        "-" => BinaryOp::Arithmetic(ArithmeticOp::Subtract),
                        ".." => BinaryOp::Range,
                        "but" => BinaryOp::But,
                        "*" => BinaryOp::Arithmetic(ArithmeticOp::Multiply),
                        "div" => BinaryOp::Arithmetic(ArithmeticOp::Divide),
                        "mod" => BinaryOp::Arithmetic(ArithmeticOp::Modulo),
                        _ => BinaryOp::Arithmetic(ArithmeticOp::Add),
                    };
                }
                _ => {
                    let operand = self.expr(&inner);
                    result = Some(match result {
                        None => operand,
                        Some(left) => {
                            let span = left.span.to(operand.span);
                            Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(operand)), span }
                        }
                    });
                }
            }
        }
        result.unwrap_or(Expr { kind: ExprKind::Number(0), span: self.span(node) })
    }
}

fn history(node: &Node<'_>) -> History {
    let span = node.inner().find(|pair| pair.as_rule() == Rule::span);
    match span.and_then(|span| span.inner().next()).map(|first| first.as_rule()) {
        Some(Rule::k_last) => History::LastTurn,
        Some(Rule::k_so) => History::SoFar,
        _ => History::ThisTurn,
    }
}

/// `some drop this turn with C` says the same as `some drop with C this turn`.
fn limited(event: Event, condition: Option<Expr>) -> Event {
    let Some(condition) = condition else { return event };
    let span = event.span;
    let kind = match event.kind {
        EventKind::Name { name, with: None } => EventKind::Name { name, with: Some(Box::new(condition)) },
        EventKind::Name { name, with: Some(with) } => {
            let both = Expr { span: with.span, kind: ExprKind::And(vec![*with, condition]) };
            EventKind::Name { name, with: Some(Box::new(both)) }
        }
        EventKind::Any(events) => {
            EventKind::Any(events.into_iter().map(|event| limited(event, Some(condition.clone()))).collect())
        }
    };
    Event { kind, span }
}

/// An expression under a `not`, which takes the next term. What does not begin at `start` begins with a bracket and is one.
fn negated(not: Span, inner: Expr, start: u32) -> Expr {
    let span = not.to(inner.span);
    let open = inner.span.start == start;
    let kind = match inner.kind {
        ExprKind::Row(mut terms) if open && !terms.is_empty() => {
            let first = terms.remove(0);
            terms.insert(0, negated(not, first, start));
            ExprKind::Row(terms)
        }
        ExprKind::Binary(BinaryOp::But, left, right) if open => {
            ExprKind::Binary(BinaryOp::But, Box::new(negated(not, *left, start)), right)
        }
        kind => ExprKind::Not(Box::new(Expr { kind, span: inner.span })),
    };
    Expr { kind, span }
}

/// The runs of pieces that `else` joins if it binds more tightly than the comma.
fn joined_by_else(ways: &[Vec<Span>]) -> Vec<Span> {
    let mut runs: Vec<Span> = Vec::new();
    let mut open: Option<Span> = None;
    for (index, pieces) in ways.iter().enumerate() {
        for (at, piece) in pieces.iter().enumerate() {
            open = Some(match open.filter(|_| at == 0) {
                Some(run) => run.to(*piece),
                None => *piece,
            });
            let beside = at == 0 && index > 0 || at + 1 == pieces.len() && index + 1 < ways.len();
            if at + 1 < pieces.len() || index + 1 == ways.len() {
                runs.extend(open.take().filter(|_| beside));
            }
        }
    }
    runs
}

/// A text as a message shows it.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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

/// Takes `adjacent NAME` or `coordinates NAME` off the end of an expression.
fn taken_along(expr: &mut Expr) -> Option<Modifier> {
    match &mut expr.kind {
        ExprKind::Or(parts) | ExprKind::And(parts) => taken_along(parts.last_mut()?),
        ExprKind::Binary(_, _, right) => taken_along(right),
        ExprKind::Not(inner) => taken_along(inner),
        ExprKind::Row(terms) => {
            let [_, .., keyword, value] = terms.as_slice() else { return None };
            let (ExprKind::Name(keyword), ExprKind::Name(text)) = (&keyword.kind, &value.kind) else { return None };
            let name = Name { text: text.clone(), span: value.span };
            let modifier = match keyword.as_str() {
                "adjacent" => Modifier::Adjacent(name),
                "coordinates" => Modifier::Coordinates(name),
                _ => return None,
            };
            terms.truncate(terms.len() - 2);
            if let [only] = terms.as_mut_slice() {
                let only = std::mem::replace(only, Expr { kind: ExprKind::Number(0), span: expr.span });
                *expr = only;
            }
            Some(modifier)
        }
        _ => None,
    }
}
