//! Words: those that files define, checked when they are first used, and calls of words with values.

use super::infer::{Typed, no_value, unknown};
use super::phrases;
use super::uses::Meaning;
use super::{Checker, Defined, Frame, Ty, WordState};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue::{self, Id, Primitive};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast;
use std::rc::Rc;

/// How many words may lead to one another.
const MAX_WORDS_DEEP: usize = 40;

impl Checker<'_> {
    pub(super) fn needs_values(&mut self, name: &str, count: usize, span: Span) {
        let values = if count == 1 { "a value" } else { "values" };
        let example = catalogue::find(name).map(|primitive| primitive.example);
        let diagnostic = Diagnostic::new(Code::WrongArity, span, format!("`{name}` needs {values} to go with it"));
        self.report(match (example, phrases::alone(name)) {
            (Some(example), None) => diagnostic.help(format!("as in `{example}`")),
            (Some(example), Some(meant)) => diagnostic.help(format!("as in `{example}`; {meant}")),
            (None, Some(meant)) => diagnostic.help(meant),
            (None, None) => {
                let values = self.params_of(name).map_or("...".to_owned(), |names| names.join(", "));
                diagnostic.help(format!("write `{name}({values})`"))
            }
        });
    }

    /// A word by itself: its value, or, of a condition about one site, the sites for which it holds.
    pub(super) fn word_name(&mut self, name: &str, span: Span) -> Typed {
        let Some(id) = self.word_asked_for(name) else {
            self.refuse_family(name, span);
            return unknown(span);
        };
        let (params, result) = (self.rules.words[id.0].params.clone(), self.rules.words[id.0].result);
        match (params.as_slice(), result) {
            ([], _) => (Expr { kind: ExprKind::Word(id, Vec::new()), span }, Ty::Known(result)),
            ([Type::Sites], Type::Condition) => {
                (Expr { kind: ExprKind::Adjective { word: id, holds: true }, span }, Ty::Known(Type::Sites))
            }
            (params, _) => {
                self.needs_values(name, params.len(), span);
                unknown(span)
            }
        }
    }

    /// The checked word of a name; none if it is in error, or asks for itself.
    pub(super) fn word(&mut self, name: &str) -> Option<WordId> {
        self.mark_used(Defined::Word, name);
        let definition = match self.words.get(name)? {
            WordState::Done(id) => return Some(*id),
            WordState::Failed | WordState::Family(_) => return None,
            WordState::InProgress => {
                self.report_cycle(name);
                return None;
            }
            WordState::Unchecked(definition) => Rc::clone(definition),
        };
        if self.word_stack.len() >= MAX_WORDS_DEEP {
            self.report(
                Diagnostic::new(Code::TooDeep, definition.name.span, "words are defined by words by words, too deeply")
                    .help(format!("at most {MAX_WORDS_DEEP} may lead to one another")),
            );
            self.words.insert(name.to_owned(), WordState::Failed);
            return None;
        }
        self.words.insert(name.to_owned(), WordState::InProgress);
        self.word_stack.push((name.to_owned(), definition.name.span));
        let outer = std::mem::take(&mut self.frame);
        let ones = vec![false; definition.params.len()];
        self.frame = Frame { in_end: name == ast::SCORE, in_word: true, ones, ..Frame::default() };
        let mut opens = Vec::new();
        for param in &definition.params {
            let ty = match &param.kind {
                Some(kind) => match self.param_type(kind) {
                    Some(ty) => Ty::Known(ty),
                    None => Ty::Known(Type::Unknown),
                },
                None if name == ast::SCORE => Ty::Known(Type::Players),
                None => {
                    self.open_types.push(None);
                    Ty::Open(self.open_types.len() - 1)
                }
            };
            opens.push(ty);
            self.bind(&param.name, ty);
        }
        let live = std::mem::replace(&mut self.live, true);
        let errors = self.diagnostics.len();
        let section = if name == ast::SCORE { Some(Type::Number) } else { super::hidden::type_of(name) };
        if let (ast::ExprKind::Family { member, rounds }, None) = (&definition.body.kind, section) {
            let written = self.written_family(member, rounds);
            if !live {
                self.diagnostics.truncate(errors);
            }
            self.live = live;
            self.frame = outer;
            self.word_stack.pop();
            let known = written.and_then(|written| self.family_word(&definition, opens, written, live));
            self.words
                .insert(name.to_owned(), known.map_or(WordState::Failed, |known| WordState::Family(Rc::new(known))));
            return None;
        }
        let is_region =
            |item: &ast::Item| matches!(&item.kind, ast::ItemKind::Region(region) if region.name.text == name);
        let region = self.project.items().any(is_region);
        // A region is made of sites, which may have numbers for names.
        let wanted = section.or(region.then_some(Type::Sites));
        let (body, ty) = if let Some(ty) = wanted {
            (self.typed(&definition.body, ty), Ty::Known(ty))
        } else if self.makes_piece(&definition.body) {
            (self.typed(&definition.body, Type::Piece), Ty::Known(Type::Piece))
        } else {
            self.infer(&definition.body)
        };
        // What goes wrong in a word that the options switch off is not reported for these options.
        if !live {
            self.diagnostics.truncate(errors);
        }
        self.live = live;
        let result = self.settle(ty);
        let params: Vec<Type> = opens.into_iter().map(|ty| self.settle(ty)).collect();
        let ones = std::mem::replace(&mut self.frame, outer).ones;
        self.word_stack.pop();
        if result == Type::Unknown {
            self.words.insert(name.to_owned(), WordState::Failed);
            return None;
        }
        if !self.is_shallow(&body) {
            self.words.insert(name.to_owned(), WordState::Failed);
            return None;
        }
        self.measure_word(name, &params, &body, live);
        self.note_members(&definition, &body, ones);
        self.rules.words.push(Word { name: name.to_owned(), params, result, body, region, span: definition.name.span });
        let id = WordId(self.rules.words.len() - 1);
        self.words.insert(name.to_owned(), WordState::Done(id));
        Some(id)
    }

    fn report_cycle(&mut self, name: &str) {
        let from = self.word_stack.iter().position(|(word, _)| word == name).unwrap_or(0);
        let cycle = self.word_stack[from..].to_vec();
        let mut path: Vec<&str> = cycle.iter().map(|(word, _)| word.as_str()).collect();
        path.push(name);
        let Some((_, span)) = cycle.first() else { return };
        let mut diagnostic = Diagnostic::new(Code::Cycle, *span, format!("`{name}` is defined by itself"))
            .label(path.join(" -> "))
            .help("a word may use only words that do not lead back to it");
        for (word, span) in &cycle[1..] {
            diagnostic = diagnostic.also(*span, format!("through `{word}`"));
        }
        self.report(diagnostic);
    }

    pub(super) fn param_type(&mut self, kind: &ast::Name) -> Option<Type> {
        let found = Type::find(&kind.text);
        if found.is_none() {
            let known: Vec<&str> = Type::written_names().collect();
            let message = format!("`{}` is no type of value", kind.text);
            let diagnostic = Diagnostic::new(Code::UnknownName, kind.span, message);
            self.report(diagnostic.help(format!("types are {}", known.join(", "))));
        }
        found
    }

    /// A name with values in brackets: a word of the file or the prelude, a tracked value, or a word of the catalogue.
    pub(super) fn call(&mut self, name: &ast::Name, args: &[ast::Expr], span: Span) -> Typed {
        if self.words.contains_key(&name.text) {
            self.note(name.span, Meaning::Word);
            return self.call_word(name, args, span);
        }
        if let Some(memory) = self.tracks.get(&name.text).copied() {
            self.mark_used(Defined::Tracked, &name.text);
            self.note(name.span, Meaning::Tracked);
            return self.call_tracked(memory, name, args, span);
        }
        if let Some(primitive) = catalogue::find(&name.text) {
            self.note(name.span, Meaning::Primitive);
            if self.report_line_of_site(primitive, name, args) {
                return unknown(span);
            }
            let asked = self.primitive(primitive, args, name.span, span);
            return self.asked_of_each((asked, Ty::Known(primitive.result)));
        }
        for arg in args {
            self.infer(arg);
        }
        self.unknown_call(name, args.len());
        unknown(span)
    }

    fn call_word(&mut self, name: &ast::Name, args: &[ast::Expr], span: Span) -> Typed {
        let Some(id) = self.word_asked_for(&name.text) else {
            for arg in args {
                self.infer(arg);
            }
            self.refuse_family(&name.text, span);
            return unknown(span);
        };
        let (params, result) = (self.rules.words[id.0].params.clone(), self.rules.words[id.0].result);
        if params.len() != args.len() {
            let also = self.rules.words[id.0].span;
            self.wrong_arity(&name.text, params.len(), params.len(), args.len(), name.span, Some(also));
            return unknown(span);
        }
        let args: Vec<Expr> = args.iter().zip(params).map(|(arg, ty)| self.typed(arg, ty)).collect();
        let standard = self.rules.words[id.0].span.source != self.project.main;
        if standard && name.text == "line" {
            self.check_row_length(&args);
        }
        self.asked_of_each((Expr { kind: ExprKind::Word(id, args), span }, Ty::Known(result)))
    }

    /// How many sites in a row are asked for, where that stands first.
    pub(super) fn check_row_length(&mut self, args: &[Expr]) {
        let Some(first) = args.first() else { return };
        if let Some(Value::Number(Some(n))) = first.as_constant() {
            self.check_length(*n - 1, first, format!("no line of this board has {n} sites"));
        }
    }

    /// The value of one player or one site.
    fn call_tracked(&mut self, memory: MemoryId, name: &ast::Name, args: &[ast::Expr], span: Span) -> Typed {
        let info = self.rules.memories[memory.0].clone();
        let wants: &[Type] = match info.scope {
            Scope::Player => &[Type::Players],
            Scope::Site => &[Type::Sites],
            Scope::Kind => &[Type::Kinds],
            Scope::PlayerKind => &[Type::Players, Type::Kinds],
            Scope::Game => &[],
        };
        if wants.is_empty() && args.len() == 1 && self.report_common(&info, name, args) {
            return unknown(span);
        }
        if wants.is_empty() || args.len() != wants.len() {
            self.wrong_arity(&name.text, wants.len(), wants.len(), args.len(), name.span, Some(info.span));
            return unknown(span);
        }
        let mut given = args.iter().zip(wants).map(|(arg, want)| Box::new(self.typed(arg, *want)));
        let index = match (given.next(), given.next()) {
            (Some(player), Some(kind)) => Some(Box::new(Expr { kind: ExprKind::Entry { player, kind }, span })),
            (first, _) => first,
        };
        (Expr { kind: ExprKind::Memory { memory, index }, span }, Ty::Known(info.ty))
    }

    /// `hand(mover)` of a number that all players have in common: whether it was said so.
    fn report_common(&mut self, info: &Memory, name: &ast::Name, args: &[ast::Expr]) -> bool {
        let Some(arg) = args.first() else { return false };
        let (_, ty) = self.infer(arg);
        let scopes = [(Type::Players, "player"), (Type::Sites, "site"), (Type::Kinds, "kind")];
        let Some((_, of)) = scopes.into_iter().find(|(of, _)| self.resolved(ty) == Some(*of)) else { return false };
        let name_text = &name.text;
        let message = format!("`{name_text}` is one value for the whole game, and here it is asked of a {of}");
        let declared = info.span;
        self.report(
            Diagnostic::new(Code::WrongArity, name.span, message)
                .also(declared, "defined here")
                .help(format!(
                    "if each {of} has a value, declare it so: `track {name_text}({of}) : ...`; if there is only one, write `{name_text}` alone"
                ))
                .guess(format!("write `{name_text}({of})`"), declared, format!("{name_text}({of})")),
        );
        true
    }

    fn unknown_call(&mut self, name: &ast::Name, count: usize) {
        let mut known = self.known_names();
        known.retain(|word| {
            catalogue::find(word).is_some_and(|primitive| !primitive.params.is_empty())
                || self.words.contains_key(word)
                || self.tracks.contains_key(word)
        });
        let diagnostic = Diagnostic::new(Code::UnknownName, name.span, format!("unknown word `{}`", name.text))
            .label("neither defined in this file nor a word of the language");
        let diagnostic = match phrases::meant(&name.text) {
            Some(written) => diagnostic.help(written),
            None => diagnostic.did_you_mean(&name.text, known.iter().map(String::as_str)),
        };
        let diagnostic = diagnostic.or_help(|| {
            let params: Vec<String> = (1..=count).map(|number| format!("x{number}")).collect();
            format!("define it: word {}({}) = ...", name.text, params.join(", "))
        });
        self.report(diagnostic);
    }

    pub(super) fn primitive(
        &mut self,
        primitive: &'static Primitive,
        args: &[ast::Expr],
        name: Span,
        span: Span,
    ) -> Expr {
        if primitive.stacked {
            self.ask_for_stacks(name);
        }
        if primitive.id == Id::Facing {
            self.ask_for_facing();
        }
        let most = primitive.params.len();
        let least = most - primitive.optional;
        if primitive.joins && !args.is_empty() {
            let Some(param) = primitive.params.first() else {
                return Expr::constant(no_value(primitive.result), span);
            };
            let parts: Vec<Expr> = args.iter().map(|arg| self.typed(arg, param.ty)).collect();
            for part in &parts {
                self.check_argument(primitive, param.must, part);
            }
            let joined = Expr { kind: ExprKind::Union(parts), span };
            return Expr { kind: ExprKind::Primitive(primitive, vec![joined]), span };
        }
        if args.len() < least || args.len() > most {
            self.wrong_arity(primitive.name, least, most, args.len(), name, None);
            return Expr::constant(no_value(primitive.result), span);
        }
        let args: Vec<Expr> = args.iter().zip(primitive.params).map(|(arg, param)| self.typed(arg, param.ty)).collect();
        if primitive.is_arithmetic()
            && let Some(constants) = args.iter().map(|arg| arg.as_constant().cloned()).collect::<Option<Vec<_>>>()
            && let Some(value) = primitive.settled(&self.rules.board, &self.rules.players, &constants)
        {
            return Expr::constant(value, span);
        }
        for (param, arg) in primitive.params.iter().zip(&args) {
            self.check_argument(primitive, param.must, arg);
        }
        Expr { kind: ExprKind::Primitive(primitive, args), span }
    }

    /// A word of which somebody makes use.
    pub(super) fn word_asked_for(&mut self, name: &str) -> Option<WordId> {
        let id = self.word(name)?;
        if self.facing_words.contains(name) {
            self.ask_for_facing();
        }
        Some(id)
    }

    /// Something asks which way a player faces: a word, or whoever needs the answer.
    fn ask_for_facing(&mut self) {
        match self.word_stack.last() {
            Some((word, _)) if self.live => {
                self.facing_words.insert(word.clone());
            }
            Some(_) => {}
            None => self.asks_facing |= self.live,
        }
    }

    /// The names that the definition of a word gives its values, or what a tracked value is tracked for.
    fn params_of(&self, name: &str) -> Option<Vec<String>> {
        let names = |params: &[ast::Param]| params.iter().map(|param| param.name.text.clone()).collect();
        self.project.items().find_map(|item| {
            if let ast::ItemKind::Word(word) | ast::ItemKind::Region(word) = &item.kind
                && word.name.text == name
            {
                Some(names(&word.params))
            } else if let ast::ItemKind::Track(track) = &item.kind
                && track.name.text == name
            {
                Some(names(&track.params))
            } else {
                None
            }
        })
    }

    pub(super) fn wrong_arity(
        &mut self,
        name: &str,
        least: usize,
        most: usize,
        found: usize,
        span: Span,
        also: Option<Span>,
    ) {
        let wanted = match (least, most) {
            (0, 0) => "no value".to_owned(),
            (1, 1) => "one value".to_owned(),
            (least, most) if least == most => format!("{least} values"),
            (least, most) => format!("{least} to {most} values"),
        };
        let mut diagnostic = Diagnostic::new(
            Code::WrongArity,
            span,
            format!("`{name}` takes {wanted}, and here {} {found}", if found == 1 { "is" } else { "are" }),
        );
        if let Some(also) = also {
            diagnostic = diagnostic.also(also, "defined here");
        }
        if let Some(primitive) = catalogue::find(name) {
            let rows = matches!(name, "row" | "column") && found > 1;
            let several =
                if rows { format!("; several are joined by `or`: `{name}(1) or {name}(2)`") } else { String::new() };
            diagnostic = diagnostic.help(format!("as in `{}`{several}", primitive.example));
        } else if let Some(meant) = phrases::alone(name) {
            diagnostic = diagnostic.help(meant);
        }
        self.report(diagnostic.or_help(|| {
            let values = self.params_of(name).unwrap_or_else(|| (1..=least).map(|at| format!("x{at}")).collect());
            match least {
                0 => format!("write `{name}` alone"),
                _ => format!("write `{name}({})`", values.join(", ")),
            }
        }));
    }
}
