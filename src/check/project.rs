//! The texts of a game: the prelude, the file itself, and what it extends or uses, merged by name.

use crate::diagnostic::{Code, Diagnostic};
use crate::source::{SourceId, Sources, Span};
use crate::syntax::{ast, parse};
use std::collections::{BTreeMap, BTreeSet};

const PRELUDE: &str = include_str!("../../grammar/prelude.game");

/// Finds the text of a file that another one names.
pub trait Resolve {
    /// The name under which the file is known, and its text; or why it is not to be had.
    fn resolve(&self, from: &str, wanted: &str) -> Result<(String, String), String>;
}

/// Tests of one text: there are no other files.
#[cfg(test)]
pub(crate) struct Alone;

#[cfg(test)]
impl Resolve for Alone {
    fn resolve(&self, _: &str, wanted: &str) -> Result<(String, String), String> {
        Err(format!("there is no {wanted}"))
    }
}

/// A game with all its texts, before any option is chosen.
#[derive(Debug)]
pub struct Project {
    /// The texts, the prelude first.
    pub sources: Sources,
    /// The text that was asked for.
    pub main: SourceId,
    prelude: SourceId,
    items: Vec<ast::Item>,
    /// What was found while reading, whatever the options.
    pub diagnostics: Vec<Diagnostic>,
    /// Names that lines which could not be read would have given: nothing is said about their use.
    pub(super) lost: BTreeSet<String>,
    /// What files take away from those that they extend, and where.
    dropped: BTreeMap<String, Span>,
}

/// How deep files may extend and use one another.
const MAX_FILES: usize = 32;
/// Names of options, values that one of them lists, rulesets, and tests and records of one game.
const MAX_OPTIONS: usize = 100;
const MAX_VALUES: usize = 200;
const MAX_RULESETS: usize = 100;
const MAX_SCRIPTS: usize = 500;
/// Files that a game is made of, besides its own.
const MAX_READ: usize = 64;

impl Project {
    /// Reads a file and all that it names. Problems are in `diagnostics`.
    #[must_use]
    pub fn load(name: &str, text: &str, resolve: &dyn Resolve) -> Self {
        let mut sources = Sources::default();
        let prelude = sources.add("prelude.game", PRELUDE);
        let main = sources.add(name, text);
        let (standard, mut diagnostics) = parse(prelude, PRELUDE);
        let mut loader = Loader {
            sources,
            diagnostics: Vec::new(),
            resolve,
            stack: Vec::new(),
            read: BTreeMap::new(),
            lost: BTreeSet::new(),
            dropped: BTreeMap::new(),
        };
        let own = loader.file(main, name, text, true);
        let mut items = Vec::new();
        merge(&mut items, standard.items, true, &mut loader.diagnostics);
        merge(&mut items, own, false, &mut loader.diagnostics);
        diagnostics.extend(loader.diagnostics);
        let Loader { sources, lost, dropped, .. } = loader;
        let mut project = Self { sources, main, prelude, items, diagnostics, lost, dropped };
        project.check_sections();
        project.check_counts();
        project
    }

    /// All items, after those of the same name have been replaced.
    pub fn items(&self) -> impl Iterator<Item = &ast::Item> {
        self.items.iter()
    }

    /// Whether a place is in the standard words, and not in a file of the game.
    #[must_use]
    pub fn is_standard(&self, span: Span) -> bool {
        span.source == self.prelude
    }

    /// The name of the file that a place is in, if that is a game of the library: sound as it stands, so that what no
    /// longer fits in it was changed elsewhere.
    #[must_use]
    pub fn shipped(&self, span: Span) -> Option<&str> {
        let source = self.sources.get(span.source)?;
        let is_file = span.source == self.main || self.is_standard(span) || source.name.ends_with(".game");
        (!is_file).then_some(source.name.as_str())
    }

    /// What is done after each ply or turn, and where the first line of it stands; none where nothing is.
    pub fn after_each(&self, period: ast::Period) -> Option<(&[ast::Change], Span)> {
        self.items().find_map(|item| {
            let ast::ItemKind::After(of, changes) = &item.kind else { return None };
            (*of == period).then_some((changes.as_slice(), changes.first()?.span))
        })
    }

    /// Where a file takes away what has this name.
    #[must_use]
    pub fn dropped(&self, name: &str) -> Option<Span> {
        self.dropped.get(name).copied()
    }

    /// The rulesets that may be chosen.
    pub fn rulesets(&self) -> impl Iterator<Item = &ast::RulesetItem> {
        self.items()
            .filter_map(|item| if let ast::ItemKind::Ruleset(ruleset) = &item.kind { Some(ruleset) } else { None })
    }

    /// The options that may be chosen.
    pub fn options(&self) -> impl Iterator<Item = &ast::OptionItem> {
        self.items().filter_map(|item| if let ast::ItemKind::Option(option) = &item.kind { Some(option) } else { None })
    }

    /// Tests and records of the file itself; those of a base speak of another game.
    #[must_use]
    pub fn scripts(&self) -> Vec<ast::Script> {
        self.items()
            .filter(|item| item.span.source == self.main)
            .filter_map(|item| if let ast::ItemKind::Script(script) = &item.kind { Some(script.clone()) } else { None })
            .collect()
    }

    /// The warnings that a file does not want.
    pub fn allowed(&self) -> impl Iterator<Item = (&ast::AllowItem, Span)> {
        self.items().filter_map(|item| {
            if let ast::ItemKind::Allow(allow) = &item.kind { Some((allow, item.span)) } else { None }
        })
    }

    /// Whether a place lies in what has a name: a word, a move, a section and the like.
    #[must_use]
    pub fn is_within(&self, span: Span, name: &str) -> bool {
        self.items().filter(|item| item.span.covers(span)).any(|item| {
            let names = names_of(&item.kind);
            let named = |known: &String| known.split_once(' ').is_some_and(|(_, known)| known == name);
            names.iter().any(named) && (names.len() == 1 || self.sources.slice(span) == name)
        })
    }

    /// A place to point at when something is missing: the `game` line, or the beginning.
    #[must_use]
    pub fn head(&self) -> Span {
        self.items()
            .find(|item| matches!(item.kind, ast::ItemKind::Game(_)) && item.span.source == self.main)
            .map_or(Span::new(self.main, 0, 0), |item| item.span)
    }

    fn check_sections(&mut self) {
        let main = self.main;
        let has = |wanted: fn(&ast::ItemKind) -> bool| self.items.iter().any(|item| wanted(&item.kind));
        let own_game =
            self.items.iter().any(|item| matches!(item.kind, ast::ItemKind::Game(_)) && item.span.source == main);
        let mut missing = Vec::new();
        // A file of which something could not be read has said enough already.
        let read = !self.diagnostics.iter().any(Diagnostic::is_error);
        let own_items = self.items.iter().any(|item| item.span.source == main);
        if read && !own_items {
            let skeleton = "begin with: game \"Name\" by \"Author\" 2026\n\
                            and then write the sections `players`, `board`, `piece`, `move`, `turn` and `end`";
            missing.push(
                Diagnostic::new(Code::NoGame, Span::new(main, 0, 0), "there are no rules in this file").help(skeleton),
            );
        } else if read && !own_game {
            missing.push(
                Diagnostic::new(Code::NoGame, Span::new(main, 0, 0), "the file does not begin with a `game` line")
                    .help("begin with: game \"Name\" by \"Author\" 2026"),
            );
        }
        if read && own_items {
            let head = self.head();
            let mut section = |present: bool, name: &str, example: &str| {
                if !present {
                    missing.push(
                        Diagnostic::new(Code::Section, head, format!("the game has no `{name}` section"))
                            .help(format!("write one: {example}")),
                    );
                }
            };
            section(has(|kind| matches!(kind, ast::ItemKind::Players(_))), "players", "players Black, White");
            section(has(|kind| matches!(kind, ast::ItemKind::Board(_))), "board", "board square(8)");
            section(has(|kind| matches!(kind, ast::ItemKind::Turn(_))), "turn", "turn { put }");
            section(has(|kind| matches!(kind, ast::ItemKind::End(_))), "end", "end { next loses when stuck }");
        }
        self.diagnostics.extend(missing);
    }

    /// What is checked with each choice of it, or once more, has bounds.
    fn check_counts(&mut self) {
        let mut counts =
            [("options", MAX_OPTIONS, 0), ("rulesets", MAX_RULESETS, 0), ("tests and records", MAX_SCRIPTS, 0)];
        let mut found = Vec::new();
        for item in &self.items {
            if let ast::ItemKind::Option(option) = &item.kind
                && let ast::Values::List(list) = &option.values
                && let Some(surplus) = list.get(MAX_VALUES)
            {
                found.push(
                    Diagnostic::new(Code::TooLarge, surplus.span, "an option has too many values")
                        .label(format!("value {}", MAX_VALUES + 1))
                        .help(format!("an option has at most {MAX_VALUES} values, or a range of numbers")),
                );
            }
            let (which, more) = if let ast::ItemKind::Option(option) = &item.kind {
                (0, option.names.len())
            } else if let ast::ItemKind::Ruleset(_) = item.kind {
                (1, 1)
            } else if let ast::ItemKind::Script(_) = item.kind {
                (2, 1)
            } else {
                continue;
            };
            let (what, most, count) = &mut counts[which];
            if *count <= *most && *count + more > *most {
                found.push(
                    Diagnostic::new(Code::TooLarge, item.span, format!("the game has too many {what}"))
                        .label("one too many")
                        .help(format!("a game has at most {most} {what}")),
                );
            }
            *count += more;
        }
        self.diagnostics.extend(found);
    }
}

struct Loader<'r> {
    sources: Sources,
    diagnostics: Vec<Diagnostic>,
    resolve: &'r dyn Resolve,
    stack: Vec<String>,
    /// The items of each file that has been read: others may name it again.
    read: BTreeMap<String, Vec<ast::Item>>,
    lost: BTreeSet<String>,
    dropped: BTreeMap<String, Span>,
}

impl Loader<'_> {
    /// The items of a file after those of its base; a library gives its definitions and moves only.
    fn file(&mut self, source: SourceId, name: &str, text: &str, main: bool) -> Vec<ast::Item> {
        let (file, diagnostics) = parse(source, text);
        self.diagnostics.extend(diagnostics);
        self.lost.extend(file.lost);
        self.stack.push(name.to_owned());
        let mut items = Vec::new();
        for item in &file.items {
            match &item.kind {
                ast::ItemKind::Game(ast::GameItem { extends: Some(base), .. }) => {
                    let base = self.other(name, base);
                    merge(&mut items, base, true, &mut self.diagnostics);
                }
                ast::ItemKind::Use(library) => {
                    let mut library = self.other(name, library);
                    library.retain(|item| {
                        matches!(
                            item.kind,
                            ast::ItemKind::Word(_)
                                | ast::ItemKind::Change(_)
                                | ast::ItemKind::Region(_)
                                | ast::ItemKind::Move(_)
                                | ast::ItemKind::Pattern { .. }
                        )
                    });
                    merge(&mut items, library, true, &mut self.diagnostics);
                }
                _ => {}
            }
        }
        self.stack.pop();
        merge(&mut items, file.items, !main, &mut self.diagnostics);
        items.retain(|item| {
            let ast::ItemKind::Drop(dropped) = &item.kind else { return true };
            self.dropped.extend(dropped.iter().map(|name| (name.text.clone(), name.span)));
            false
        });
        items
    }

    fn other(&mut self, from: &str, wanted: &ast::Text) -> Vec<ast::Item> {
        match self.resolve.resolve(from, &wanted.text) {
            Ok((name, _)) if self.stack.contains(&name) => {
                self.diagnostics.push(
                    Diagnostic::new(Code::Cycle, wanted.span, "files extend or use one another in a circle")
                        .label(format!("{} -> {name}", self.stack.join(" -> ")))
                        .help("take `extends` or `use` out of one of them"),
                );
                Vec::new()
            }
            Ok(_) if self.stack.len() >= MAX_FILES => {
                self.diagnostics.push(Diagnostic::new(
                    Code::UnknownFile,
                    wanted.span,
                    "files extend one another too deeply",
                ));
                Vec::new()
            }
            Ok((name, text)) => {
                if let Some(items) = self.read.get(&name) {
                    return items.clone();
                }
                if self.read.len() >= MAX_READ {
                    self.diagnostics.push(
                        Diagnostic::new(Code::UnknownFile, wanted.span, "too many files extend or use one another")
                            .help(format!("a game is made of at most {MAX_READ} files besides its own")),
                    );
                    return Vec::new();
                }
                let source = self.sources.add(name.clone(), text.clone());
                let items = self.file(source, &name, &text, false);
                self.read.insert(name, items.clone());
                items
            }
            Err(why) => {
                self.diagnostics.push(
                    Diagnostic::new(Code::UnknownFile, wanted.span, format!("`{}` cannot be read: {why}", wanted.text))
                        .help("name a shipped game, or a path relative to this file in quotes"),
                );
                Vec::new()
            }
        }
    }
}

/// What an item is replaced by name under; sections are replaced whole.
fn names_of(item: &ast::ItemKind) -> Vec<String> {
    let one = |kind: &str, name: &str| vec![format!("{kind} {name}")];
    match item {
        ast::ItemKind::Game(_) => one("section", "game"),
        ast::ItemKind::About(_) => one("section", "about"),
        ast::ItemKind::Source(_) => one("section", "source"),
        ast::ItemKind::Players(_) => one("section", "players"),
        ast::ItemKind::Order(_) => one("section", "order"),
        ast::ItemKind::Board(_) => one("section", "board"),
        ast::ItemKind::Stacks(_) => one("section", "stacks"),
        ast::ItemKind::Phases(_) => one("section", "phases"),
        ast::ItemKind::Start(_) => one("section", "start"),
        ast::ItemKind::Turn(_) => one("section", "turn"),
        ast::ItemKind::End(_) => one("section", "end"),
        ast::ItemKind::Score(_) => one("section", ast::SCORE),
        ast::ItemKind::Hidden(hidden) => one("section", &hidden.word()),
        ast::ItemKind::Ties { .. } => one("section", "ties"),
        ast::ItemKind::Option(option) => option.names.iter().map(|name| format!("option {}", name.text)).collect(),
        ast::ItemKind::Ruleset(ruleset) => one("ruleset", &ruleset.name.text),
        ast::ItemKind::Region(word) | ast::ItemKind::Word(word) => one("word", &word.name.text),
        ast::ItemKind::Piece(piece) => piece.kinds.iter().map(|kind| format!("word {}", kind.name.text)).collect(),
        ast::ItemKind::Path(path) => one("word", &path.name.text),
        ast::ItemKind::Track(track) => one("word", &track.name.text),
        ast::ItemKind::Move(mv) => one("move", &mv.name.text),
        ast::ItemKind::Pattern { name, .. } => one("move", &name.text),
        ast::ItemKind::Change(change) => one("change", &change.name.text),
        ast::ItemKind::After(period, _) => one("section", period.name()),
        ast::ItemKind::Use(_)
        | ast::ItemKind::Requires { .. }
        | ast::ItemKind::Drop(_)
        | ast::ItemKind::Allow(_)
        | ast::ItemKind::Script(_) => Vec::new(),
    }
}

/// Sections of which a file may have several.
fn repeatable(name: &str) -> bool {
    matches!(name, "section turn" | "section ties")
}

/// Lays the items of a file over those it builds on: what is named again replaces what it names.
fn merge(items: &mut Vec<ast::Item>, own: Vec<ast::Item>, library: bool, diagnostics: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<String, Span> = BTreeMap::new();
    for item in &own {
        for name in names_of(&item.kind) {
            if let Some(first) = seen.get(&name).filter(|first| first.source == item.span.source && !repeatable(&name))
            {
                let what = name.split_once(' ').map_or(name.as_str(), |(_, name)| name);
                let (code, message) = if name.starts_with("section ") {
                    (Code::Section, format!("the section `{what}` is written twice"))
                } else {
                    (Code::DefinedTwice, format!("`{what}` is defined twice"))
                };
                diagnostics.push(
                    Diagnostic::new(code, item.span, message)
                        .label("again here")
                        .also(*first, "first here")
                        .help("rename or remove one of them"),
                );
            }
            seen.entry(name).or_insert(item.span);
        }
        let names = if let ast::ItemKind::Drop(names) = &item.kind { names.as_slice() } else { &[] };
        for dropped in names {
            let known = |base: &ast::Item| {
                names_of(&base.kind)
                    .iter()
                    .any(|name| name.split_once(' ').is_some_and(|(_, name)| name == dropped.text))
            };
            if !items.iter().any(known) && !library {
                diagnostics.push(
                    Diagnostic::new(
                        Code::UnknownName,
                        dropped.span,
                        format!("there is nothing called `{}` to drop", dropped.text),
                    )
                    .help("`drop` takes away something that the file this one extends has"),
                );
            }
            items.retain(|base| !known(base));
        }
    }
    let replaced = |item: &ast::Item| names_of(&item.kind).iter().any(|name| seen.contains_key(name));
    items.retain(|item| !replaced(item));
    items.extend(own);
}
