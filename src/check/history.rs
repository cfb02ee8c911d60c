//! History words: what they ask is kept by the smallest memory that serves, followed by a chronicle.

use super::infer::no_value;
use super::names::still_used;
use super::uses::Meaning;
use super::{Checker, Defined};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, History};

/// What is asked of the past. What is asked twice, in whatever places, is remembered once.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Question {
    Happened {
        event: ast::Event,
        this_turn: bool,
    },
    Part {
        of: ast::Name,
        part: ast::Name,
        this_turn: bool,
    },
    /// What a memory held at the end of the turn before.
    LastTurn(MemoryId),
    LastTo(ast::Event),
    /// Whether this turn had such a ply, asked by those who count the turns without.
    Seen(ast::Event),
    TurnsWithout(ast::Event),
    It,
}

impl Checker<'_> {
    fn history_memory(&mut self, key: Question, name: &str, ty: Type, each_turn: bool, span: Span) -> (MemoryId, bool) {
        if let Some(memory) = self.history.get(&key) {
            return (*memory, false);
        }
        let first = Expr::constant(
            match ty {
                Type::Number => Value::Number(Some(0)),
                Type::Condition => Value::Condition(Some(false)),
                other => no_value(other),
            },
            span,
        );
        let memory = self.memory(Memory {
            name: name.to_owned(),
            ty,
            scope: Scope::Game,
            range: None,
            first,
            each_turn,
            with_piece: false,
            declared: false,
            span,
        });
        self.history.insert(key, memory);
        (memory, true)
    }

    /// Registers a chronicle whose event is checked once all moves are known.
    fn follow(&mut self, event: &ast::Event, make: impl FnOnce(Event) -> Chronicle) {
        self.rules.chronicles.push(make(Event::default()));
        self.pending.push((self.rules.chronicles.len() - 1, event.clone()));
    }

    pub(super) fn happened(&mut self, event: &ast::Event, history: History) -> MemoryId {
        let this_turn = history != History::SoFar;
        let question = Question::Happened { event: event.clone(), this_turn };
        let (memory, new) = self.history_memory(question, "happened", Type::Condition, this_turn, event.span);
        if new {
            self.follow(event, |event| Chronicle::Happened { event, memory });
        }
        if history == History::LastTurn { self.carried(memory, event.span) } else { memory }
    }

    fn carried(&mut self, from: MemoryId, span: Span) -> MemoryId {
        let ty = self.rules.memories[from.0].ty;
        let (to, new) = self.history_memory(Question::LastTurn(from), "last turn", ty, true, span);
        if new {
            self.rules.chronicles.push(Chronicle::Carry { from, to });
        }
        to
    }

    pub(super) fn last_to(&mut self, event: &ast::Event) -> MemoryId {
        let question = Question::LastTo(event.clone());
        let (memory, new) = self.history_memory(question, "last to", Type::Players, false, event.span);
        if new {
            self.follow(event, |event| Chronicle::LastTo { event, memory });
        }
        memory
    }

    pub(super) fn turns_without(&mut self, event: &ast::Event) -> MemoryId {
        let seen = Question::Seen(event.clone());
        let (seen, _) = self.history_memory(seen, "seen", Type::Condition, true, event.span);
        let count = Question::TurnsWithout(event.clone());
        let (count, new) = self.history_memory(count, "turns without", Type::Number, false, event.span);
        if new {
            self.follow(event, |event| Chronicle::Without { event, seen, count });
        }
        count
    }

    pub(super) fn it(&mut self) -> MemoryId {
        let span = self.project.head();
        let (memory, new) = self.history_memory(Question::It, "it", Type::Sites, true, span);
        if new {
            self.rules.chronicles.push(Chronicle::It { memory });
        }
        memory
    }

    pub(super) fn part_of(&mut self, of: &ast::Name, part: &ast::Name, history: History) -> Option<MemoryId> {
        let Some(id) = self.move_ids.get(&of.text).copied() else {
            if self.patterns.contains_key(&of.text) {
                self.part_of_pattern(of, part);
            } else {
                self.unknown_move(of, false);
            }
            return None;
        };
        self.mark_used(Defined::Move, &of.text);
        self.note(of.span, Meaning::Move);
        let names = super::moves::named_lines(&self.move_items[id.0]);
        let Some(local) = names.iter().position(|name| name.text == part.text) else {
            let known = names.iter().map(|name| name.text.as_str());
            let diagnostic = Diagnostic::new(
                Code::UnknownName,
                part.span,
                format!("the move `{}` has no part `{}`", of.text, part.text),
            )
            .did_you_mean(&part.text, known);
            self.report(diagnostic);
            return None;
        };
        self.note(part.span, Meaning::Local(names[local].span));
        let this_turn = history != History::SoFar;
        let question = Question::Part { of: of.clone(), part: part.clone(), this_turn };
        let (memory, new) =
            self.history_memory(question, &format!("{}.{}", of.text, part.text), Type::Sites, this_turn, part.span);
        if new {
            self.rules.chronicles.push(Chronicle::Part { of: id, part: Local(local), memory });
        }
        Some(if history == History::LastTurn { self.carried(memory, part.span) } else { memory })
    }

    /// Parts belong to moves, of which a pattern may have several.
    fn part_of_pattern(&mut self, of: &ast::Name, part: &ast::Name) {
        let moves = self.moves_named(of);
        let names = moves.iter().filter_map(|mv| self.move_items.get(mv.0)).map(|mv| &mv.name.text);
        let asked: Vec<String> = names.map(|name| format!("({name}.{} this turn)", part.text)).collect();
        self.report(
            Diagnostic::new(
                Code::UnknownMove,
                of.span,
                format!("`{}` is a pattern, and parts belong to moves", of.text),
            )
            .help(format!("ask for the part of each of its moves: {}", asked.join(" or "))),
        );
    }

    pub(super) fn unknown_move(&mut self, name: &ast::Name, patterns: bool) {
        let mut known: Vec<String> = self.move_ids.keys().cloned().collect();
        if patterns {
            known.extend(self.patterns.keys().cloned());
        }
        let what = if patterns { "move or pattern" } else { "move" };
        if let Some(at) = self.project.dropped(&name.text) {
            let message = format!("there is no {what} `{}`", name.text);
            self.report(still_used(Diagnostic::new(Code::UnknownMove, name.span, message), &name.text, at));
            return;
        }
        let own: Vec<&str> = known
            .iter()
            .map(String::as_str)
            .filter(|name| !matches!(*name, "pass" | "skip" | "stop" | "swap"))
            .collect();
        let diagnostic = Diagnostic::new(Code::UnknownMove, name.span, format!("there is no {what} `{}`", name.text))
            .label(format!("the file has {}", if own.is_empty() { "none".to_owned() } else { own.join(", ") }))
            .did_you_mean(&name.text, known.iter().map(String::as_str))
            .or_help(|| format!("write it: move {} \"{{cell}}\" {{ cell : empty; ... }}", name.text));
        self.report(diagnostic);
    }

    /// Fills in the events of all chronicles, now that the parts of every move are known.
    pub(super) fn finish_events(&mut self) {
        // Conditions of events may ask for history themselves, which adds further events.
        let mut at = 0;
        while at < self.pending.len() {
            let (index, event) = self.pending[at].clone();
            let checked = self.event(&event);
            match &mut self.rules.chronicles[index] {
                Chronicle::Happened { event, .. }
                | Chronicle::LastTo { event, .. }
                | Chronicle::Without { event, .. } => *event = checked,
                Chronicle::Part { .. } | Chronicle::Carry { .. } | Chronicle::It { .. } => {}
            }
            at += 1;
        }
        for index in 0..self.rules.chronicles.len() {
            if let Chronicle::Part { of, part, memory } = self.rules.chronicles[index] {
                let ty = self.rules.moves.get(of.0).and_then(|mv| mv.names.get(part.0)).map(|named| named.ty);
                if ty.is_some_and(|ty| ty != Type::Sites && ty != Type::Unknown) {
                    let span = self.rules.memories[memory.0].span;
                    self.error(
                        Code::WrongType,
                        span,
                        "only parts that are sites are remembered",
                        "ask for a part that is a site, or keep the value with `track`",
                    );
                }
            }
        }
    }

    /// The plies that an event speaks of.
    pub(super) fn event(&mut self, event: &ast::Event) -> Event {
        let mut alternatives = Vec::new();
        match &event.kind {
            ast::EventKind::Any(events) => {
                for event in events {
                    alternatives.extend(self.event(event).alternatives);
                }
            }
            ast::EventKind::Name { name, with } => {
                for mv in self.moves_named(name) {
                    let condition =
                        with.as_ref().map(|with| self.on_parts(mv, |checker| checker.typed(with, Type::Condition)));
                    alternatives.push((mv, condition));
                }
            }
        }
        Event { alternatives }
    }
}
