//! What players do not see: sections `hidden`, each of which becomes a word of the player who looks.

use super::{Checker, WordState};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::{Hidden, Hides, Local, Scope, Type};
use crate::syntax::ast::{self, HiddenItem, ItemKind, Name, Param};
use std::rc::Rc;

/// What stands on sites, and which kind it is, under the names that the section gives them.
const PIECES: &str = "pieces";
const KINDS: &str = "kinds";

/// The type of the word that a section `hidden` becomes; none for other words, whose names have no blank.
pub(super) fn type_of(word: &str) -> Option<Type> {
    let hidden = word.strip_prefix("hidden ")?;
    Some(if [PIECES, KINDS].contains(&hidden) { Type::Sites } else { Type::Condition })
}

/// What a section speaks of, and the types of the parameters behind the first.
type Meant = (Hides, Vec<Type>);

impl Checker<'_> {
    pub(super) fn check_hidden(&mut self) {
        let project = self.project;
        for item in project.items() {
            let ItemKind::Hidden(hidden) = &item.kind else { continue };
            let Some((what, mut types)) = self.meant(hidden) else { continue };
            types.insert(0, Type::Players);
            let Some(definition) = self.with_types(hidden, &types) else { continue };
            let word = hidden.word();
            self.words.insert(word.clone(), WordState::Unchecked(Rc::new(definition)));
            if let Some(word) = self.word(&word) {
                self.rules.hidden.push(Hidden { what, word, span: item.span });
            }
        }
    }

    /// What is hidden by the name of the section.
    fn meant(&mut self, hidden: &HiddenItem) -> Option<Meant> {
        let name = &hidden.definition.name;
        if hidden.of_move {
            return self.hidden_move(hidden);
        }
        if name.text == PIECES {
            return Some((Hides::Pieces, Vec::new()));
        }
        if name.text == KINDS {
            return Some((Hides::Kinds, Vec::new()));
        }
        let Some(memory) = self.tracks.get(&name.text).copied() else {
            let known: Vec<String> = self.tracks.keys().cloned().collect();
            let known = known.iter().map(String::as_str).chain([PIECES, KINDS]);
            self.report(
                Diagnostic::new(
                    Code::UnknownName,
                    name.span,
                    format!("there is no `{}` that could be hidden", name.text),
                )
                .help("`pieces`, `kinds` or a tracked value can be hidden, and a move: hidden move NAME(p) = ...")
                .did_you_mean(&name.text, known),
            );
            return None;
        };
        let types = match self.rules.memories.get(memory.0)?.scope {
            Scope::Game => Vec::new(),
            Scope::Player => vec![Type::Players],
            Scope::Site => vec![Type::Sites],
            Scope::Kind => vec![Type::Kinds],
            Scope::PlayerKind => vec![Type::Players, Type::Kinds],
        };
        Some((Hides::Memory(memory), types))
    }

    /// A move, and which of its parts are hidden.
    fn hidden_move(&mut self, hidden: &HiddenItem) -> Option<Meant> {
        let name = &hidden.definition.name;
        let Some(id) = self.move_ids.get(&name.text).copied() else {
            let known: Vec<String> = self.move_ids.keys().cloned().collect();
            self.report(
                Diagnostic::new(Code::UnknownMove, name.span, format!("there is no move `{}`", name.text))
                    .help("write the move first: move NAME \"...\" { ... }")
                    .did_you_mean(&name.text, known.iter().map(String::as_str)),
            );
            return None;
        };
        let parts = hidden.definition.params.get(1..).unwrap_or_default();
        let found: Option<Vec<(Local, Type)>> = parts.iter().map(|part| self.hidden_part(id.0, &part.name)).collect();
        let (locals, types) = found?.into_iter().unzip();
        Some((Hides::Move(id, locals), types))
    }

    fn hidden_part(&mut self, mv: usize, part: &Name) -> Option<(Local, Type)> {
        let names = self.rules.moves.get(mv).map(|mv| mv.names.clone()).unwrap_or_default();
        let found = names.iter().find(|named| named.name == part.text).map(|named| (named.local, named.ty));
        if found.is_none() {
            self.report(
                Diagnostic::new(Code::UnknownName, part.span, format!("the move has no part called `{}`", part.text))
                    .help("behind the player who looks stand the parts that are hidden; with none all of the ply is")
                    .did_you_mean(&part.text, names.iter().map(|named| named.name.as_str())),
            );
        }
        found
    }

    /// The definition with the types of its parameters, if there are so many.
    fn with_types(&mut self, hidden: &HiddenItem, types: &[Type]) -> Option<ast::Definition> {
        let mut definition = hidden.definition.clone();
        if definition.params.len() != types.len() {
            let rest: Vec<&str> = types.iter().skip(1).filter_map(|ty| ty.names().first().copied()).collect();
            let behind =
                if rest.is_empty() { "nothing else".to_owned() } else { format!("then a {}", rest.join(" and a ")) };
            let message = format!("`{}` needs other names in its brackets", hidden.word());
            self.error(
                Code::WrongArity,
                definition.name.span,
                message,
                format!("first the player who does not see it, {behind}"),
            );
            return None;
        }
        for (Param { name, kind }, ty) in definition.params.iter_mut().zip(types) {
            *kind = Some(Name { text: ty.name().to_owned(), span: name.span });
        }
        definition.name.text = hidden.word();
        Some(definition)
    }
}
