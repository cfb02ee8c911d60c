//! What is known about one version of a text: its tokens, its definitions, and what each name means.

use super::text::Text;
use crate::check::{Meaning, Project, Resolve, Uses, uses};
use crate::game::Game;
use crate::library::Library;
use crate::rules::Type;
use crate::source::{SourceId, Span};
use crate::syntax::ast::{self, ItemKind, MoveLineKind, PieceKind};
use crate::syntax::{Token, tokens};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Finds files as the library does, but takes the text of one that is open from the editor.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    /// By path.
    pub open: Arc<BTreeMap<String, String>>,
}

impl Resolve for Overlay {
    fn resolve(&self, from: &str, wanted: &str) -> Result<(String, String), String> {
        let found = Library.resolve(from, wanted);
        let name = match &found {
            Ok((name, _)) => name.clone(),
            // A file that is not yet written, or no longer there.
            Err(_) => Path::new(from)
                .parent()
                .unwrap_or(Path::new(""))
                .join(wanted)
                .components()
                .collect::<PathBuf>()
                .display()
                .to_string(),
        };
        match self.open.get(&name) {
            Some(text) => Ok((name, text.clone())),
            None => found,
        }
    }
}

/// Something that a file gives a name to.
#[derive(Clone, Debug)]
pub struct Definition {
    pub meaning: Meaning,
    pub name: String,
    /// The name itself.
    pub span: Span,
    pub doc: String,
    /// The beginning of the section, with types.
    pub head: String,
    /// The types of its parameters, where it has any.
    pub params: Vec<(String, Type)>,
    pub ty: Option<Type>,
    /// The values of an option, phase or tracked name.
    pub values: Vec<String>,
}

/// A name in the text and what it means.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    pub span: Span,
    pub name: &'a str,
    pub meaning: Meaning,
}

pub struct Analysis {
    pub text: Text,
    pub project: Project,
    tokens: OnceCell<Vec<Token>>,
    pub definitions: Vec<Definition>,
    /// The numbers of the definitions by their names.
    by_name: HashMap<String, Vec<usize>>,
    pub uses: Option<Uses>,
    game: OnceCell<Option<Game>>,
}

impl Analysis {
    pub fn new(name: &str, text: Text, resolve: &dyn Resolve) -> Self {
        let project = Project::load(name, &text.text, resolve);
        let uses = uses(&project);
        let definitions = Definitions { uses: uses.as_ref(), found: Vec::new() }.of(&project);
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, definition) in definitions.iter().enumerate() {
            by_name.entry(definition.name.clone()).or_default().push(at);
        }
        Self { text, project, tokens: OnceCell::new(), definitions, by_name, uses, game: OnceCell::new() }
    }

    /// Read when colours are asked for: nothing else needs them.
    pub fn tokens(&self) -> &[Token] {
        self.tokens.get_or_init(|| tokens(self.main(), &self.text.text).unwrap_or_default())
    }

    pub fn main(&self) -> SourceId {
        self.project.main
    }

    /// The game with its default options, if it can be played.
    pub fn game(&self) -> Option<&Game> {
        self.game.get_or_init(|| Game::from_project(&self.project, None, &[]).ok()).as_ref()
    }

    pub fn slice(&self, span: Span) -> &str {
        self.project.sources.slice(span)
    }

    /// All names of all texts: where they are given and where they are used.
    pub fn names(&self) -> impl Iterator<Item = Found<'_>> {
        let given = self.definitions.iter().map(|definition| Found {
            span: definition.span,
            name: definition.name.as_str(),
            meaning: definition.meaning.clone(),
        });
        let bound = self.uses.iter().flat_map(|uses| &uses.bindings).map(|(span, _)| Found {
            span: *span,
            name: self.slice(*span),
            meaning: Meaning::Local(*span),
        });
        let used = self.uses.iter().flat_map(|uses| &uses.uses).map(|found| Found {
            span: found.span,
            name: self.slice(found.span),
            meaning: found.meaning.clone(),
        });
        given.chain(bound).chain(used)
    }

    /// The name at an offset of the text itself.
    pub fn at(&self, offset: usize) -> Option<Found<'_>> {
        let main = self.main();
        let within = |span: Span| span.source == main && span.start as usize <= offset && offset <= span.end as usize;
        self.names().filter(|found| within(found.span)).min_by_key(|found| found.span.end - found.span.start)
    }

    /// Where a name is given; none for words of the language.
    pub fn given(&self, found: &Found<'_>) -> Option<Span> {
        match &found.meaning {
            Meaning::Local(span) => Some(*span),
            _ => self.definition(&found.meaning, found.name).map(|definition| definition.span),
        }
    }

    pub fn definition(&self, meaning: &Meaning, name: &str) -> Option<&Definition> {
        let named = self.by_name.get(name)?.iter().filter_map(|at| self.definitions.get(*at));
        named.into_iter().find(|definition| definition.meaning == *meaning)
    }

    /// The type of what is given at a place.
    pub fn bound_type(&self, span: Span) -> Option<Type> {
        let bindings = &self.uses.as_ref()?.bindings;
        let found = bindings.binary_search_by_key(&span, |(span, _)| *span).ok()?;
        bindings.get(found).map(|(_, ty)| *ty)
    }

    /// The section of the file that holds an offset.
    pub fn item_at(&self, offset: usize) -> Option<&ast::Item> {
        let main = self.main();
        self.project
            .items()
            .filter(|item| item.span.source == main && item.span.start as usize <= offset)
            .max_by_key(|item| item.span.start)
            .filter(|item| offset <= item.span.end as usize)
    }
}

/// Gathers what the sections give names to.
struct Definitions<'a> {
    uses: Option<&'a Uses>,
    found: Vec<Definition>,
}

impl Definitions<'_> {
    fn of(mut self, project: &Project) -> Vec<Definition> {
        for item in project.items() {
            self.item(item);
        }
        self.found
    }

    fn add(&mut self, meaning: Meaning, name: &ast::Name, doc: Option<&ast::Text>, head: String) -> &mut Definition {
        let at = self.found.len();
        self.found.push(Definition {
            meaning,
            name: name.text.clone(),
            span: name.span,
            doc: doc.map(|doc| doc.text.clone()).unwrap_or_default(),
            head,
            params: Vec::new(),
            ty: None,
            values: Vec::new(),
        });
        &mut self.found[at]
    }

    fn values(&mut self, of: &str, values: &[ast::Value]) -> Vec<String> {
        values
            .iter()
            .map(|value| {
                let text = value.kind.to_string();
                let name = ast::Name { text: text.clone(), span: value.span };
                self.add(Meaning::Value { of: of.to_owned() }, &name, None, format!("{of} : {text}"));
                text
            })
            .collect()
    }

    fn item(&mut self, item: &ast::Item) {
        match &item.kind {
            ItemKind::Word(word) => self.word("word", word),
            ItemKind::Region(word) => self.word("region", word),
            ItemKind::Option(option) => {
                let text = match &option.values {
                    ast::Values::Range { low, high, .. } => format!("{low}..{high}"),
                    ast::Values::List(list) => {
                        list.iter().map(|value| value.kind.to_string()).collect::<Vec<_>>().join(", ")
                    }
                };
                for name in &option.names {
                    let default = option.default.kind.to_string();
                    let head = format!("option {} : {text} = {default}", name.text);
                    self.add(Meaning::Option, name, option.doc.as_ref(), head);
                    let at = self.found.len() - 1;
                    if let ast::Values::List(list) = &option.values {
                        let values = self.values(&name.text, list);
                        self.found[at].values = values;
                    }
                }
            }
            ItemKind::Ruleset(ruleset) => {
                let head = format!("ruleset {}", ruleset.name.text);
                self.add(Meaning::Ruleset, &ruleset.name, ruleset.doc.as_ref(), head);
            }
            ItemKind::Piece(piece) => {
                for PieceKind { name, .. } in &piece.kinds {
                    let whose = if piece.neutral { "neutral" } else { "of each player" };
                    self.add(Meaning::Piece, name, None, format!("piece {} {whose}", name.text));
                }
            }
            ItemKind::Path(path) => {
                let head = format!("path {}", path.name.text);
                let definition = self.add(Meaning::Path, &path.name, path.doc.as_ref(), head);
                definition.ty = Some(Type::Directions);
            }
            ItemKind::Track(track) => {
                let memory =
                    self.uses.and_then(|uses| uses.rules.memories.iter().find(|memory| memory.span == track.name.span));
                let ty = memory.map(|memory| memory.ty);
                let params: Vec<&str> = track.params.iter().map(|param| param.name.text.as_str()).collect();
                let index = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
                let head = format!("track {}{index}", track.name.text);
                let definition = self.add(Meaning::Tracked, &track.name, track.doc.as_ref(), head);
                definition.ty = ty;
                if let [only] = params.as_slice() {
                    let ty = if *only == "player" { Type::Players } else { Type::Sites };
                    definition.params = vec![((*only).to_owned(), ty)];
                }
                let at = self.found.len() - 1;
                if let (ast::Values::List(list), Some(Type::Choice)) = (&track.values, ty) {
                    let values = self.values(&track.name.text, list);
                    self.found[at].values = values;
                }
            }
            ItemKind::Phases(phases) => {
                for phase in phases {
                    let head = format!("phase {}", phase.text);
                    self.add(Meaning::Value { of: "phase".to_owned() }, phase, None, head);
                }
            }
            ItemKind::Move(mv) => {
                let notation = mv.notation.as_ref().map_or(String::new(), |text| format!(" \"{}\"", text.text));
                self.add(
                    Meaning::Move,
                    &mv.name,
                    mv.doc.as_ref(),
                    format!("{}move {}{notation}", if mv.chance { "chance " } else { "" }, mv.name.text),
                );
            }
            ItemKind::Change(change) => {
                let params: Vec<&str> = change.params.iter().map(|param| param.name.text.as_str()).collect();
                let given = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
                let head = format!("change {}{given}", change.name.text);
                self.add(Meaning::Change, &change.name, change.doc.as_ref(), head);
            }
            ItemKind::Pattern { name, doc, .. } => {
                self.add(Meaning::Pattern, name, doc.as_ref(), format!("pattern {}", name.text));
            }
            ItemKind::Players(players) => {
                let everyone: Vec<&ast::Player> = match players {
                    ast::PlayersItem::List(players) | ast::PlayersItem::Count { players, .. } => {
                        players.iter().collect()
                    }
                    ast::PlayersItem::By { cases, .. } => cases.iter().flat_map(|(_, players)| players).collect(),
                };
                for player in everyone {
                    if !self
                        .found
                        .iter()
                        .any(|known| known.meaning == Meaning::Player && known.name == player.name.text)
                    {
                        let facing =
                            player.facing.as_ref().map_or(String::new(), |way| format!(" facing {}", way.text));
                        self.add(Meaning::Player, &player.name, None, format!("player {}{facing}", player.name.text));
                    }
                }
            }
            ItemKind::Game(_)
            | ItemKind::About(_)
            | ItemKind::Source(_)
            | ItemKind::Use(_)
            | ItemKind::Order(_)
            | ItemKind::Stacks(_)
            | ItemKind::Requires { .. }
            | ItemKind::Board(_)
            | ItemKind::Start(_)
            | ItemKind::After(..)
            | ItemKind::Turn(_)
            | ItemKind::End(_)
            | ItemKind::Score(_)
            | ItemKind::Hidden(_)
            | ItemKind::Ties { .. }
            | ItemKind::Drop(_)
            | ItemKind::Allow(_)
            | ItemKind::Script(_) => {}
        }
    }

    fn word(&mut self, section: &str, word: &ast::Definition) {
        let checked = self.uses.and_then(|uses| uses.rules.words.iter().find(|known| known.span == word.name.span));
        let types = checked.map(|checked| checked.params.clone()).unwrap_or_default();
        let params: Vec<(String, Type)> = word
            .params
            .iter()
            .enumerate()
            .map(|(at, param)| (param.name.text.clone(), types.get(at).copied().unwrap_or(Type::Unknown)))
            .collect();
        let result = checked.map(|checked| checked.result);
        let head = format!("{section} {}", signature(&word.name.text, &params, result));
        let definition = self.add(Meaning::Word, &word.name, word.doc.as_ref(), head);
        definition.params = params;
        definition.ty = result;
    }
}

/// `name(x: sites, d: directions): number`
pub fn signature(name: &str, params: &[(String, Type)], result: Option<Type>) -> String {
    let params: Vec<String> = params
        .iter()
        .map(|(name, ty)| match (name.is_empty(), ty.name()) {
            (true, ty) => ty.to_owned(),
            (false, "") => name.clone(),
            (false, ty) => format!("{name}: {ty}"),
        })
        .collect();
    let mut text = name.to_owned();
    if !params.is_empty() {
        text.push_str(&format!("({})", params.join(", ")));
    }
    if let Some(result) = result.map(Type::name).filter(|result| !result.is_empty()) {
        text.push_str(&format!(" : {result}"));
    }
    text
}

/// The parts and definitions of a move, in order.
pub fn parts(mv: &ast::MoveItem) -> impl Iterator<Item = (&ast::Name, Span, bool)> {
    mv.lines.iter().filter_map(|line| match &line.kind {
        MoveLineKind::Part { name, .. } => Some((name, line.span, true)),
        MoveLineKind::Definition { name, .. } => Some((name, line.span, false)),
        _ => None,
    })
}
