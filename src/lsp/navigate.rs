//! From a name to where it is given and used, new names, and the outline of a file.

use super::analysis::{Analysis, Found, parts};
use super::homes;
use super::text::{Encoding, Text};
use crate::check::Meaning;
use crate::rules::catalogue;
use crate::source::{SourceId, Span};
use crate::syntax::ast::{self, ItemKind, PieceKind};
use crate::syntax::{Role, TokenKind, tokens};
use lsp_types::{DocumentSymbol, Location, SymbolKind, TextEdit, Uri, WorkspaceEdit};
use std::collections::{BTreeMap, HashMap};

/// Where a place is for the editor.
pub fn location(analysis: &Analysis, span: Span, main: &Uri, encoding: Encoding) -> Option<Location> {
    let uri = homes::uri(analysis, span.source, main)?;
    let range = if span.source == analysis.main() {
        analysis.text.range(span.range(), encoding)
    } else {
        let text = analysis.project.sources.get(span.source)?.text.clone();
        Text::new(text).range(span.range(), encoding)
    };
    Some(Location { uri, range })
}

/// Where the name at an offset is given: in this file, in one it builds on, or in the prelude.
pub fn definition(analysis: &Analysis, offset: usize) -> Option<Span> {
    if let Some(found) = analysis.at(offset) {
        return analysis.given(&found);
    }
    // The name of a file leads to its beginning.
    let item = analysis.item_at(offset)?;
    let wanted = match &item.kind {
        ItemKind::Game(ast::GameItem { extends: Some(base), .. }) => base,
        ItemKind::Use(library) => library,
        _ => return None,
    };
    if !(wanted.span.start as usize..=wanted.span.end as usize).contains(&offset) {
        return None;
    }
    let stem = |name: &str| {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        name.strip_suffix(".game").unwrap_or(name).to_owned()
    };
    let (id, _) = analysis
        .project
        .sources
        .iter()
        .find(|(id, source)| *id != analysis.main() && stem(&source.name) == stem(&wanted.text))?;
    Some(Span::new(id, 0, 0))
}

/// All places that mean the same as a name, the one that gives it included or not.
pub fn references(analysis: &Analysis, found: &Found<'_>, with_given: bool) -> Vec<Span> {
    let given = analysis.given(found);
    let mut places: Vec<Span> = analysis
        .names()
        .filter(|other| match given {
            Some(given) => analysis.given(other) == Some(given),
            None => other.meaning == found.meaning && other.name == found.name,
        })
        .map(|other| other.span)
        .filter(|span| with_given || Some(*span) != given)
        .collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// The places to change for a new name, or why it cannot be had.
///
/// # Errors
/// If the name is not the author's, or the new one is none or taken.
pub fn rename(
    analysis: &Analysis,
    offset: usize,
    name: &str,
    main: &Uri,
    encoding: Encoding,
) -> Result<WorkspaceEdit, String> {
    let found = analysis.at(offset).ok_or("there is no name here")?;
    renamable(analysis, &found)?;
    if !is_name(name) {
        return Err(format!("`{name}` cannot be a name: letters, digits and `_`, and no word of the language"));
    }
    if name != found.name && is_taken(analysis, &found, name) {
        return Err(format!("there is a `{name}` already"));
    }
    let places = references(analysis, &found, true);
    if places.iter().any(|place| !homes::is_own(analysis, place.source)) {
        return Err(format!("`{}` is used in a file inside the program", found.name));
    }
    let mut texts: BTreeMap<SourceId, (Uri, Vec<TextEdit>)> = BTreeMap::new();
    for place in places {
        let Some(at) = location(analysis, place, main, encoding) else { continue };
        let edit = TextEdit { range: at.range, new_text: name.to_owned() };
        texts.entry(place.source).or_insert((at.uri, Vec::new())).1.push(edit);
    }
    // The editor's URIs are keys, and nothing in them changes.
    #[allow(clippy::mutable_key_type)]
    let changes: HashMap<Uri, Vec<TextEdit>> = texts.into_values().collect();
    Ok(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
}

/// Whether a name is the author's to change.
///
/// # Errors
/// Why not.
pub fn renamable(analysis: &Analysis, found: &Found<'_>) -> Result<Span, String> {
    let given = analysis.given(found).ok_or_else(|| format!("`{}` is a word of the language", found.name))?;
    if !homes::is_own(analysis, given.source) {
        return Err(format!("`{}` comes from a file inside the program", found.name));
    }
    if matches!(found.meaning, Meaning::Value { .. }) && found.name.parse::<i64>().is_ok() {
        return Err("a number is no name".to_owned());
    }
    Ok(found.span)
}

/// Whether a text can be a name, as the grammar says.
fn is_name(text: &str) -> bool {
    let shape = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    shape
        && tokens(SourceId::default(), &format!("order {text}")).is_some_and(|tokens| {
            matches!(tokens.as_slice(), [_, name] if name.kind == TokenKind::Name && name.role != Role::Unread)
        })
}

fn is_taken(analysis: &Analysis, found: &Found<'_>, name: &str) -> bool {
    let given = analysis.given(found);
    // Rulesets and moves are never read where words are.
    if !matches!(found.meaning, Meaning::Ruleset | Meaning::Move) && catalogue::find(name).is_some() {
        return true;
    }
    let same = || analysis.definitions.iter().any(|other| other.meaning == found.meaning && other.name == name);
    let in_rows = || {
        analysis.definitions.iter().any(|other| {
            other.name == name
                && Some(other.span) != given
                && !matches!(other.meaning, Meaning::Value { .. } | Meaning::Option | Meaning::Ruleset)
        })
    };
    match &found.meaning {
        // Within its section a local name must not meet another one, nor hide what is used there.
        Meaning::Local(span) => {
            let section = analysis.item_at(span.start as usize).map(|item| item.span);
            let within = |other: Span| {
                section.is_some_and(|section| {
                    section.source == other.source && section.start <= other.start && other.end <= section.end
                })
            };
            analysis.names().any(|other| other.name == name && within(other.span))
        }
        Meaning::Value { .. } | Meaning::Ruleset => same(),
        Meaning::Option => same() || in_rows(),
        _ => in_rows(),
    }
}

/// The sections of the text with the parts of its moves.
pub fn symbols(analysis: &Analysis, encoding: Encoding) -> Vec<DocumentSymbol> {
    let main = analysis.main();
    let mut symbols = Vec::new();
    for item in analysis.project.items().filter(|item| item.span.source == main) {
        let text = |text: &str| text.to_owned();
        let first = |word: &str| Span::new(main, item.span.start as usize, item.span.start as usize + word.len());
        let mut add = |name: String, kind: SymbolKind, at: Span, detail: String, children: Vec<DocumentSymbol>| {
            symbols.push(symbol(analysis, encoding, (name, detail), kind, (item.span, at), children));
        };
        match &item.kind {
            ItemKind::Game(game) => {
                add(game.title.text.clone(), SymbolKind::FILE, game.title.span, text("game"), Vec::new())
            }
            ItemKind::Word(word) | ItemKind::Region(word) => {
                let doc = word.doc.as_ref().map(|doc| doc.text.clone()).unwrap_or_default();
                add(word.name.text.clone(), SymbolKind::FUNCTION, word.name.span, doc, Vec::new());
            }
            ItemKind::Option(option) => {
                for name in &option.names {
                    let doc = option.doc.as_ref().map(|doc| doc.text.clone()).unwrap_or_default();
                    add(name.text.clone(), SymbolKind::ENUM, name.span, doc, Vec::new());
                }
            }
            ItemKind::Ruleset(ruleset) => {
                add(ruleset.name.text.clone(), SymbolKind::OBJECT, ruleset.name.span, text("ruleset"), Vec::new());
            }
            ItemKind::Piece(piece) => {
                for PieceKind { name, .. } in &piece.kinds {
                    add(name.text.clone(), SymbolKind::CLASS, name.span, text("piece"), Vec::new());
                }
            }
            ItemKind::Path(path) => {
                add(path.name.text.clone(), SymbolKind::VARIABLE, path.name.span, text("path"), Vec::new());
            }
            ItemKind::Track(track) => {
                add(track.name.text.clone(), SymbolKind::VARIABLE, track.name.span, text("track"), Vec::new());
            }
            ItemKind::Move(mv) => {
                let inner = parts(mv)
                    .map(|(name, line, picked)| {
                        let kind = if picked { SymbolKind::FIELD } else { SymbolKind::CONSTANT };
                        let label = (name.text.clone(), String::new());
                        symbol(analysis, encoding, label, kind, (line, name.span), Vec::new())
                    })
                    .collect();
                add(mv.name.text.clone(), SymbolKind::METHOD, mv.name.span, text("move"), inner);
            }
            ItemKind::Pattern { name, .. } => {
                add(name.text.clone(), SymbolKind::INTERFACE, name.span, text("pattern"), Vec::new())
            }
            ItemKind::Change(change) => {
                add(change.name.text.clone(), SymbolKind::FUNCTION, change.name.span, text("change"), Vec::new());
            }
            ItemKind::After(period, _) => {
                add(text(period.name()), SymbolKind::NAMESPACE, first("after"), String::new(), Vec::new());
            }
            ItemKind::Script(script) => {
                let what = if script.record { "record" } else { "test" };
                add(script.name.text.clone(), SymbolKind::EVENT, script.name.span, text(what), Vec::new());
            }
            ItemKind::Players(_) => {
                add(text("players"), SymbolKind::NAMESPACE, first("players"), String::new(), Vec::new())
            }
            ItemKind::Board(_) => add(text("board"), SymbolKind::NAMESPACE, first("board"), String::new(), Vec::new()),
            ItemKind::Start(_) => add(text("start"), SymbolKind::NAMESPACE, first("start"), String::new(), Vec::new()),
            ItemKind::Turn(turn) => {
                let name = match &turn.of {
                    ast::TurnOf::Any => text("turn"),
                    ast::TurnOf::Numbers(first, last) if first == last => format!("turn {first}"),
                    ast::TurnOf::Numbers(first, last) => format!("turn {first}..{last}"),
                    ast::TurnOf::Phase(phase) => format!("turn in {}", phase.text),
                };
                add(name, SymbolKind::NAMESPACE, first("turn"), String::new(), Vec::new());
            }
            ItemKind::End(_) => add(text("end"), SymbolKind::NAMESPACE, first("end"), String::new(), Vec::new()),
            ItemKind::Score(_) => add(text("score"), SymbolKind::FUNCTION, first("score"), String::new(), Vec::new()),
            ItemKind::Hidden(hidden) => {
                add(hidden.word(), SymbolKind::FUNCTION, first("hidden"), String::new(), Vec::new())
            }
            ItemKind::Phases(_) => {
                add(text("phases"), SymbolKind::NAMESPACE, first("phases"), String::new(), Vec::new())
            }
            ItemKind::About(_)
            | ItemKind::Source(_)
            | ItemKind::Use(_)
            | ItemKind::Order(_)
            | ItemKind::Stacks(_)
            | ItemKind::Requires { .. }
            | ItemKind::Ties { .. }
            | ItemKind::Allow(_)
            | ItemKind::Drop(_) => {}
        }
    }
    symbols
}

fn symbol(
    analysis: &Analysis,
    encoding: Encoding,
    (name, detail): (String, String),
    kind: SymbolKind,
    (whole, at): (Span, Span),
    children: Vec<DocumentSymbol>,
) -> DocumentSymbol {
    // The editor refuses a name outside its section.
    let at = Span::new(at.source, at.start.max(whole.start) as usize, at.end.min(whole.end) as usize);
    #[allow(deprecated)]
    DocumentSymbol {
        name: if name.is_empty() { "?".to_owned() } else { name },
        detail: (!detail.is_empty()).then_some(detail),
        kind,
        tags: None,
        deprecated: None,
        range: analysis.text.range(whole.range(), encoding),
        selection_range: analysis.text.range(at.range(), encoding),
        children: (!children.is_empty()).then_some(children),
    }
}
