//! Which name means which thing, noted while the checker looks names up: what an editor asks for.

use super::{Checker, Project, Ty};
use crate::rules::{Rules, Type};
use crate::source::Span;
use crate::stack::on_large_stack;
use crate::syntax::ast;
use std::collections::BTreeMap;

/// What a name was found to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A part, definition, parameter or bound name, with the place where it is given.
    Local(Span),
    Word,
    Tracked,
    Path,
    Piece,
    Player,
    Option,
    /// A value of an option, a tracked name or `phase`.
    Value {
        of: String,
    },
    Ruleset,
    Move,
    Pattern,
    /// A change that moves make by name.
    Change,
    /// A word of the catalogue.
    Primitive,
    Direction,
    Site,
    /// The piece moved last.
    It,
    /// A shape of board.
    Shape,
    /// The shape of a piece in pictures.
    Figure,
}

/// A place where a name is used.
#[derive(Clone, Debug)]
pub struct Use {
    pub span: Span,
    pub meaning: Meaning,
}

/// All names of a project that could be looked up, with its default options, tests included.
#[derive(Debug)]
pub struct Uses {
    pub uses: Vec<Use>,
    /// The places that give a name within a line, a move or a word, with the type of its value.
    pub bindings: Vec<(Span, Type)>,
    /// The rules as far as they could be checked; not to be played.
    pub rules: Rules,
    /// Whether the board of the rules is that of the file.
    pub board_known: bool,
}

#[derive(Default)]
pub(super) struct Notes {
    uses: Vec<Use>,
    bindings: Vec<(Span, Ty)>,
}

/// Looks up every name of a project. Mistakes are passed over: `check` tells them.
#[must_use]
pub fn uses(project: &Project) -> Option<Uses> {
    on_large_stack(|| looked_up(project)).flatten()
}

fn looked_up(project: &Project) -> Option<Uses> {
    let mut checker = Checker::begin(project, None)?;
    checker.notes = Some(Notes::default());
    checker.resolve_options(&BTreeMap::new(), None);
    checker.run();
    checker.live = false;
    for script in project.scripts() {
        for step in &script.steps {
            if let ast::StepKind::Set(settings) = &step.kind {
                checker.note_settings(settings);
            }
        }
        checker.script(&script);
    }
    checker.finish_events();
    checker.remember_unasked();
    let Notes { mut uses, bindings } = checker.notes.take()?;
    uses.sort_by_key(|found| (found.span, !matches!(found.meaning, Meaning::Local(_))));
    uses.dedup_by_key(|found| found.span);
    let mut bindings: Vec<(Span, Type)> =
        bindings.into_iter().map(|(span, ty)| (span, checker.resolved(ty).unwrap_or(Type::Unknown))).collect();
    bindings.sort_by_key(|(span, ty)| (*span, *ty == Type::Unknown));
    bindings.dedup_by_key(|(span, _)| *span);
    Some(Uses { uses, bindings, board_known: checker.board_known, rules: checker.rules })
}

impl Checker<'_> {
    pub(super) fn note(&mut self, span: Span, meaning: Meaning) {
        if let Some(notes) = &mut self.notes {
            notes.uses.push(Use { span, meaning });
        }
    }

    pub(super) fn note_binding(&mut self, span: Span, ty: Ty) {
        if let Some(notes) = &mut self.notes {
            notes.bindings.push((span, ty));
        }
    }

    pub(super) fn note_value(&mut self, of: &str, span: Span) {
        if self.notes.is_some() {
            self.note(span, Meaning::Value { of: of.to_owned() });
        }
    }

    pub(super) fn note_settings(&mut self, settings: &[ast::Setting]) {
        for setting in settings {
            if setting.name.text == "ruleset" {
                self.note(setting.value.span, Meaning::Ruleset);
            } else if self.option_values.contains_key(&setting.name.text) {
                self.note(setting.name.span, Meaning::Option);
                self.note_value(&setting.name.text, setting.value.span);
            }
        }
    }
}
