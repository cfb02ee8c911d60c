//! What could stand at a place: by the section, by the word before, by the type wanted.

use super::analysis::{Analysis, Definition, parts, signature};
use super::hover::primitive_params;
use crate::board::{Adjacency, Coordinates, Directions, Drawn, Lines, Named, SIZED, WRITTEN_OUT};
use crate::check::Meaning;
use crate::library::Library;
use crate::rules::catalogue::{self, CATALOGUE, Id, OF_PLAYERS, Primitive};
use crate::rules::{Figure, Type};
use crate::syntax::SECTIONS;
use crate::syntax::ast::{HiddenItem, ItemKind};
use lsp_types::{CompletionItem, CompletionItemKind, Documentation};

const IN_EXPRESSIONS: [&str; 27] = [
    "any", "no", "the", "count", "every", "some", "not", "before", "of", "in", "is", "and", "or", "but", "if", "then",
    "else", "case", "sum", "least", "most", "with", "for", "position", "turns", "last", "possible",
];

pub fn complete(analysis: &Analysis, offset: usize) -> Vec<CompletionItem> {
    let text = &analysis.text.text;
    let Some(before) = text.get(..offset) else { return Vec::new() };
    // The word that is being written does not decide what may stand there.
    let typed = before.len() - before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
    let before = &before[..before.len() - typed];
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    if line.matches('"').count() % 2 == 1 {
        return in_text(analysis, before, line);
    }
    if line.contains("//") {
        return Vec::new();
    }
    let place = Place::of(before);
    let mut list = List { analysis, offset, items: Vec::new() };
    list.fill(&place, line, before);
    list.items
}

/// Names of files in quotes, parts in the braces of a notation.
fn in_text(analysis: &Analysis, before: &str, line: &str) -> Vec<CompletionItem> {
    let mut list = List { analysis, offset: before.len(), items: Vec::new() };
    if line.trim_start().starts_with("move ") && line.rfind('{') > line.rfind('}') {
        list.locals(None);
    }
    list.items
}

/// The section and the block that hold a place.
struct Place {
    /// The word that begins the section; none where one may begin.
    section: Option<String>,
    /// At the beginning of a line.
    fresh: bool,
    /// The words before, the nearest first.
    words: Vec<String>,
    /// The last sign before.
    sign: Option<char>,
}

impl Place {
    fn of(before: &str) -> Self {
        let mut section = None;
        let mut depth = 0usize;
        for line in before.lines() {
            let first: String = line.chars().take_while(char::is_ascii_alphabetic).collect();
            // A section word at the margin begins a section, whatever is still open.
            if SECTIONS.iter().any(|section| section.word == first) {
                section = Some(first);
                depth = 0;
            }
            let mut quoted = false;
            for (at, c) in line.char_indices() {
                match c {
                    '"' => quoted = !quoted,
                    '/' if !quoted && line[at..].starts_with("//") => break,
                    '{' if !quoted => depth += 1,
                    '}' if !quoted => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
        }
        let tail = before.trim_end_matches([' ', '\t']);
        let fresh = tail.is_empty() || tail.ends_with(['\n', '\r', ';', '{', '}']);
        let line = before.rfind('\n').map_or(before, |at| &before[at + 1..]);
        let at_margin = depth == 0 && (line.trim().is_empty());
        let words = line
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .rev()
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        let sign = tail.chars().next_back().filter(|c| !c.is_alphanumeric() && *c != '_');
        Self { section: if at_margin { None } else { section }, fresh, words, sign }
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }
}

struct List<'a> {
    analysis: &'a Analysis,
    offset: usize,
    items: Vec<CompletionItem>,
}

impl List<'_> {
    fn fill(&mut self, place: &Place, line: &str, before: &str) {
        let Some(section) = place.section.as_deref() else {
            for section in SECTIONS {
                self.add(section.word, CompletionItemKind::KEYWORD, "section", section.doc, 0);
            }
            return;
        };
        let last = if place.sign.is_some() { "" } else { place.word(0) };
        match (section, last) {
            (_, "extends" | "use") => {
                for name in Library::names() {
                    self.add(name, CompletionItemKind::FILE, "shipped game", "", 0);
                }
                self.defined(|known| known.meaning == Meaning::Ruleset, 0);
            }
            ("board", "board") => {
                let shapes = SIZED.iter().map(|shape| (shape.name, shape.doc)).chain(WRITTEN_OUT);
                for (name, doc) in shapes {
                    self.add(name, CompletionItemKind::KEYWORD, "", doc, 1);
                }
                self.keywords(&["case"]);
            }
            ("board", "adjacent") => self.keywords(&Adjacency::names()),
            ("board", "coordinates") => self.keywords(&[Coordinates::names(), Lines::names()].concat()),
            ("board", "drawn") => self.keywords(&Drawn::names()),
            ("piece", "shape") => {
                let names: Vec<&str> = Figure::ALL.iter().map(|figure| figure.name()).collect();
                self.keywords(&names);
            }
            ("players", "facing") => self.directions(),
            ("order", _) => self.players(0),
            ("drop", "drop") => self.defined(|known| !matches!(known.meaning, Meaning::Value { .. }), 0),
            ("word" | "region" | "track", _) if place.sign == Some(':') && !line.contains('=') => {
                self.keywords(&Type::written_names().collect::<Vec<_>>());
            }
            (_, "is") | (_, "not") if last == "is" || place.word(1) == "is" => {
                let subject = if last == "is" { place.word(1) } else { place.word(2) };
                self.values(subject);
                self.expressions(None);
            }
            (_, "becomes" | "as") => {
                let subject = place.word(1).to_owned();
                self.values(&subject);
                self.defined(|known| known.meaning == Meaning::Piece, 0);
                self.keywords(&[Id::Empty.name()]);
                self.expressions(Some(Type::Piece));
            }
            (_, "do") => self.defined(|known| known.meaning == Meaning::Change, 0),
            (_, "of") => {
                self.players(0);
                self.expressions(Some(Type::Players));
            }
            ("turn" | "whole" | "pattern", last) => self.in_turn(place, last),
            ("ruleset", _) => self.settings(place),
            ("test" | "record", _) => self.in_test(place, line),
            ("move" | "chance", "") if place.fresh => {
                self.keywords(&["then", "if", "so", "do", "every", "repeat", "weight"]);
                self.expressions(None);
            }
            ("end", "") if place.fresh => {
                self.keywords(&["draw", "best", "lowest", "ranks", "any"]);
                self.players(0);
                self.expressions(Some(Type::Players));
            }
            ("end", "when" | "and" | "or") => {
                self.keywords(&[Id::Stuck.name(), Id::Unfinished.name()]);
                self.expressions(Some(Type::Condition));
            }
            ("end", word) if self.is_player(word) => self.keywords(&["wins", "loses"]),
            ("end", "wins" | "loses" | "draw") => self.keywords(&["when", "at once when"]),
            (_, "count" | "any" | "no" | "the" | "every" | "in") => self.expressions(Some(Type::Sites)),
            (_, "if" | "when" | "until" | "while" | "requires" | "expect") => self.expressions(Some(Type::Condition)),
            ("piece" | "about" | "source" | "game" | "phases" | "players", _) => {
                let more: &[&str] = match section {
                    "piece" => &["neutral", "of each player", "shape"],
                    "game" => &["by", "extends"],
                    "players" => &["facing", "by", "of"],
                    _ => &[],
                };
                self.keywords(more);
            }
            ("move", _) if place.sign == Some(':') => self.expressions(Some(Type::Sites)),
            (_, word) if self.is_preposition(word) => self.expressions(Some(Type::Sites)),
            _ => {
                let arrow = before.trim_end().ends_with("->");
                self.expressions(arrow.then_some(Type::Sites));
                if section == "move" || section == "chance" {
                    self.keywords(&["becomes", "leaves", "finishes", "when", "as"]);
                }
            }
        }
    }

    fn add(&mut self, label: &str, kind: CompletionItemKind, detail: &str, doc: &str, rank: u8) {
        if self.items.iter().any(|item| item.label == label) {
            return;
        }
        self.items.push(CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            detail: (!detail.is_empty()).then(|| detail.to_owned()),
            documentation: (!doc.is_empty()).then(|| Documentation::String(doc.to_owned())),
            sort_text: Some(format!("{rank}{label}")),
            ..CompletionItem::default()
        });
    }

    fn keywords(&mut self, words: &[&str]) {
        for word in words {
            self.add(word, CompletionItemKind::KEYWORD, "", "", 1);
        }
    }

    fn directions(&mut self) {
        let board = self.analysis.uses.as_ref().filter(|uses| uses.board_known).map(|uses| uses.rules.board.compass());
        for direction in board.unwrap_or(Directions::EIGHT) {
            self.add(direction.name(), CompletionItemKind::ENUM_MEMBER, "direction", "", 0);
        }
    }

    fn is_player(&self, word: &str) -> bool {
        word == "p"
            || [Id::Mover, Id::Next].iter().any(|id| id.name() == word)
            || self.analysis.definitions.iter().any(|known| known.meaning == Meaning::Player && known.name == word)
    }

    /// Whether a word takes the next term of a row.
    fn is_preposition(&self, word: &str) -> bool {
        let own = self.analysis.definitions.iter().find(|known| known.meaning == Meaning::Word && known.name == word);
        match own {
            Some(own) => matches!(own.params.as_slice(), [(_, Type::Sites)]) && own.ty == Some(Type::Sites),
            None => catalogue::find(word).is_some_and(Primitive::is_preposition),
        }
    }

    fn players(&mut self, rank: u8) {
        self.defined(|known| known.meaning == Meaning::Player, rank);
        for word in OF_PLAYERS.map(Id::row) {
            self.add(word.name, CompletionItemKind::FUNCTION, "players", word.doc, rank);
        }
    }

    fn defined(&mut self, wanted: impl Fn(&Definition) -> bool, rank: u8) {
        let analysis = self.analysis;
        for known in analysis.definitions.iter().filter(|known| wanted(known)) {
            let kind = match known.meaning {
                Meaning::Word => CompletionItemKind::FUNCTION,
                Meaning::Piece => CompletionItemKind::CLASS,
                Meaning::Player => CompletionItemKind::CONSTANT,
                Meaning::Move | Meaning::Pattern => CompletionItemKind::METHOD,
                Meaning::Value { .. } => CompletionItemKind::ENUM_MEMBER,
                Meaning::Option | Meaning::Ruleset => CompletionItemKind::ENUM,
                _ => CompletionItemKind::VARIABLE,
            };
            // What the file says itself comes before the standard words.
            let rank = rank + u8::from(analysis.project.is_standard(known.span));
            self.add(&known.name, kind, &known.head, &known.doc, rank);
        }
    }

    /// The values of an option, phase or tracked name.
    fn values(&mut self, of: &str) {
        let meaning = Meaning::Value { of: of.to_owned() };
        self.defined(|known| known.meaning == meaning, 0);
        let range = self.analysis.definitions.iter().find(|known| known.meaning == Meaning::Option && known.name == of);
        if let Some(range) = range.filter(|range| range.values.is_empty()) {
            let default = range.head.rsplit(" = ").next().unwrap_or("").to_owned();
            let head = range.head.clone();
            self.add(&default, CompletionItemKind::VALUE, &head, "", 0);
        }
    }

    fn settings(&mut self, place: &Place) {
        let word = place.word(0);
        let option = |name: &str| {
            self.analysis.definitions.iter().any(|known| known.meaning == Meaning::Option && known.name == name)
        };
        if word == "ruleset" && place.sign.is_none() {
            self.defined(|known| known.meaning == Meaning::Ruleset, 0);
        } else if option(word) && place.sign.is_none() {
            self.values(word);
        } else {
            self.defined(|known| known.meaning == Meaning::Option, 0);
        }
    }

    fn in_test(&mut self, place: &Place, line: &str) {
        let step = line.trim_start().split(' ').next().unwrap_or("");
        let step = if step == "test" || step == "record" {
            line.rsplit(['{', ';']).next().unwrap_or("").trim_start().split(' ').next().unwrap_or("")
        } else {
            step
        };
        match step {
            _ if place.fresh && place.sign != Some('}') => {
                self.keywords(&["set", "position", "play", "legal", "illegal", "only", "expect", "perft", "result"]);
                self.expressions(None);
            }
            "set" => {
                self.settings(place);
                self.keywords(&["ruleset"]);
            }
            "position" if place.word(0) == "move" => self.players(0),
            "play" | "legal" | "illegal" | "only" => {}
            "position" | "expect" => self.expressions(None),
            _ => self.expressions(None),
        }
    }

    fn in_turn(&mut self, place: &Place, last: &str) {
        match last {
            "in" if place.word(1) == "turn" => self.values("phase"),
            "when" | "that" | "with" | "until" | "most" => {
                if last == "with" {
                    self.locals(Some(place.word(1)));
                }
                self.expressions(Some(Type::Condition));
            }
            _ => {
                self.defined(|known| matches!(known.meaning, Meaning::Move | Meaning::Pattern), 0);
                for word in ["pass", "skip", "stop"] {
                    self.add(word, CompletionItemKind::METHOD, "changes nothing", "", 1);
                }
                self.keywords(&[
                    "or",
                    "else",
                    "maybe",
                    "again",
                    "chain",
                    "nothing",
                    "by it",
                    "with",
                    "until",
                    "such that",
                    "when",
                    "must",
                    "must most",
                    "extra turn",
                    "next turn to",
                ]);
            }
        }
    }

    /// The parts and definitions of the move here, or of one that is named; the parameters of a word.
    fn locals(&mut self, of: Option<&str>) {
        let analysis = self.analysis;
        let item = match of {
            None => analysis.item_at(self.offset),
            Some(name) => {
                analysis.project.items().find(|item| matches!(&item.kind, ItemKind::Move(mv) if mv.name.text == name))
            }
        };
        let names: Vec<(String, Option<Type>)> = match item.map(|item| &item.kind) {
            Some(ItemKind::Move(mv)) => {
                parts(mv).map(|(name, _, _)| (name.text.clone(), analysis.bound_type(name.span))).collect()
            }
            Some(
                ItemKind::Word(word)
                | ItemKind::Region(word)
                | ItemKind::Score(word)
                | ItemKind::Hidden(HiddenItem { definition: word, .. }),
            ) => word
                .params
                .iter()
                .map(|param| (param.name.text.clone(), analysis.bound_type(param.name.span)))
                .collect(),
            _ => Vec::new(),
        };
        for (name, ty) in names {
            self.add(&name, CompletionItemKind::VARIABLE, ty.map_or("", Type::name), "", 0);
        }
    }

    /// Everything that an expression may name; what has the type wanted comes first.
    fn expressions(&mut self, want: Option<Type>) {
        let analysis = self.analysis;
        self.locals(None);
        let rank = |ty: Option<Type>| match (want, ty) {
            (None, _) => 1,
            (Some(want), Some(ty)) if want == ty => 1,
            _ => 3,
        };
        for known in &analysis.definitions {
            let ty = match known.meaning {
                // A condition about one site is the set of those for which it holds.
                Meaning::Word
                    if want == Some(Type::Sites) && known.ty == Some(Type::Condition) && known.params.len() == 1 =>
                {
                    want
                }
                Meaning::Word | Meaning::Tracked => known.ty,
                Meaning::Piece => Some(if want == Some(Type::Piece) { Type::Piece } else { Type::Sites }),
                Meaning::Player => Some(Type::Players),
                Meaning::Path => Some(Type::Directions),
                Meaning::Option => None,
                // They stand in places of their own.
                Meaning::Value { .. }
                | Meaning::Ruleset
                | Meaning::Move
                | Meaning::Pattern
                | Meaning::Change
                | Meaning::Shape
                | Meaning::Figure => continue,
                // Nobody defines them as a section.
                Meaning::Local(_) | Meaning::Primitive | Meaning::Direction | Meaning::Site | Meaning::It => continue,
            };
            let rank = rank(ty);
            let name = known.name.clone();
            self.defined(|other| other.span == known.span && other.name == name, rank);
        }
        for primitive in CATALOGUE {
            let detail = signature(primitive.name, &primitive_params(primitive), Some(primitive.result));
            let doc = format!("{}\n\nas in `{}`", primitive.doc, primitive.example);
            self.add(primitive.name, CompletionItemKind::FUNCTION, &detail, &doc, rank(Some(primitive.result)) + 1);
        }
        if want == Some(Type::Directions) {
            self.directions();
        }
        for word in IN_EXPRESSIONS {
            self.add(word, CompletionItemKind::KEYWORD, "", "", 6);
        }
    }
}
