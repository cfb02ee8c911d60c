//! What a name by itself means, and what is said of one that means nothing.

use super::infer::{Typed, no_value, truth, unknown};
use super::phrases;
use super::questions::setting_value;
use super::uses::Meaning;
use super::{Checker, Defined, Ty};
use crate::board::{Direction, Directions};
use crate::diagnostic::{Applicability, Code, Diagnostic};
use crate::rules::catalogue::{self, Id, OF_PLAYERS, Primitive};
use crate::rules::*;
use crate::source::Span;

/// One thing that a name can be; none if it is not.
type Reading<C> = fn(&mut C, &str, Span, Option<Type>) -> Option<Typed>;

/// What newcomers let a piece become that is taken from the board.
const GONE: &[&str] = &["nothing", "captured", "taken", "removed", "gone", "dead", "killed", "blank", "vacant", "free"];

impl Checker<'_> {
    /// What a name means: the first that it can be, in the order of this list. What is bound where it stands comes
    /// first, then what the file defines, then the words of the language. Options and sites come after these, so that no
    /// option and no board changes what a word of the language means.
    pub(super) fn name(&mut self, name: &str, span: Span, want: Option<Type>) -> Typed {
        let readings: [Reading<Self>; 13] = [
            Self::as_bound,
            Self::as_it,
            Self::as_word,
            Self::as_tracked,
            Self::as_path,
            Self::as_piece,
            Self::as_player,
            Self::as_primitive,
            Self::as_direction,
            Self::as_option,
            Self::as_site,
            Self::as_choice,
            Self::as_truth_or_nothing,
        ];
        for reading in readings {
            if let Some(found) = reading(self, name, span, want) {
                return found;
            }
        }
        self.unknown_name(name, span, want);
        unknown(span)
    }

    /// A part, a definition, a parameter, or a name that an expression binds.
    fn as_bound(&mut self, name: &str, span: Span, want: Option<Type>) -> Option<Typed> {
        let bound = self.frame.bound.iter().rev().find(|bound| bound.name == name).cloned()?;
        if let (None, Some(want)) = (self.resolved(bound.ty), want) {
            self.settle_as(bound.ty, want);
        }
        // What was put in for something written is no name that anybody has given.
        if bound.span != span {
            self.note(span, Meaning::Local(bound.span));
        }
        let kind = bound.member.map_or(ExprKind::Local(bound.local), |member| member.kind);
        Some((Expr { kind, span }, bound.ty))
    }

    fn as_it(&mut self, name: &str, span: Span, _: Option<Type>) -> Option<Typed> {
        if name != "it" {
            return None;
        }
        self.note(span, Meaning::It);
        let memory = self.it();
        Some((Expr { kind: ExprKind::Memory { memory, index: None }, span }, Ty::Known(Type::Sites)))
    }

    fn as_word(&mut self, name: &str, span: Span, _: Option<Type>) -> Option<Typed> {
        if !self.words.contains_key(name) {
            return None;
        }
        self.note(span, Meaning::Word);
        Some(self.word_name(name, span))
    }

    fn as_tracked(&mut self, name: &str, span: Span, _: Option<Type>) -> Option<Typed> {
        let memory = self.tracks.get(name).copied()?;
        self.note(span, Meaning::Tracked);
        self.mark_used(Defined::Tracked, name);
        let Some(info) = self.rules.memories.get(memory.0).cloned() else { return Some(unknown(span)) };
        let (what, example) = match info.scope {
            Scope::Game => {
                return Some((Expr { kind: ExprKind::Memory { memory, index: None }, span }, Ty::Known(info.ty)));
            }
            Scope::Player => ("player", "mover"),
            Scope::Site if info.with_piece => ("piece", "x"),
            Scope::Site => ("site", "x"),
            Scope::Kind => ("kind", "k"),
            Scope::PlayerKind => ("player and kind", "mover, k"),
        };
        self.report(
            Diagnostic::new(Code::WrongArity, span, format!("`{name}` has a value for each {what}"))
                .help(format!("say of which {what}, as in `{name}({example})`")),
        );
        Some(unknown(span))
    }

    /// A kind of piece: the kind itself where kinds or pieces are wanted, and else the sites on which such pieces stand.
    fn as_piece(&mut self, name: &str, span: Span, want: Option<Type>) -> Option<Typed> {
        let kind = self.kinds.get(name).copied()?;
        self.mark_used(Defined::Piece, name);
        self.note(span, Meaning::Piece);
        let kinds = Expr::constant(Value::Kinds(Kinds::single(kind)), span);
        if matches!(want, Some(Type::Kinds | Type::Piece)) {
            return Some((kinds, Ty::Known(Type::Kinds)));
        }
        Some((Expr { kind: ExprKind::OfKinds(Box::new(kinds)), span }, Ty::Known(Type::Sites)))
    }

    fn as_player(&mut self, name: &str, span: Span, _: Option<Type>) -> Option<Typed> {
        let player = self.players.get(name).copied()?;
        self.note(span, Meaning::Player);
        let message = format!("`{name}` does not play with these options");
        // Said once: who is missing is missing everywhere.
        let said = self.diagnostics.iter().any(|said| said.code == Code::UnknownPlayer && said.message == message);
        if player.is_none() && self.live && !said {
            self.report(
                Diagnostic::new(Code::UnknownPlayer, span, message)
                    .label(self.in_force())
                    .help("speak of this player only where an option says so: `if OPTION is VALUE then ... else ...`"),
            );
        }
        let players = player.map_or(Players(0), Players::single);
        Some((Expr::constant(Value::Players(players), span), Ty::Known(Type::Players)))
    }

    /// A word of the catalogue. An option may have the name of one that needs values.
    fn as_primitive(&mut self, name: &str, span: Span, _: Option<Type>) -> Option<Typed> {
        let primitive = catalogue::find(name)?;
        if primitive.params.is_empty() {
            self.note(span, Meaning::Primitive);
            self.check_class(primitive, span);
            self.check_when_asked(primitive, span);
            return Some((
                Expr { kind: ExprKind::Primitive(primitive, Vec::new()), span },
                Ty::Known(primitive.result),
            ));
        }
        if self.options.contains_key(name) {
            return None;
        }
        self.note(span, Meaning::Primitive);
        self.needs_values(name, primitive.params.len(), span);
        Some(unknown(span))
    }

    /// How a turn ended is known in `end`.
    fn check_when_asked(&mut self, primitive: &Primitive, span: Span) {
        if !matches!(primitive.id, Id::Stuck | Id::Unfinished) || self.frame.in_end || self.frame.in_word {
            return;
        }
        let name = primitive.name;
        self.error(
            Code::WrongType,
            span,
            format!("`{name}` is asked in `end` only"),
            "what may be done where nothing else is possible stands behind `else`, as in `turn { go else pass }`; whether a move is possible for who comes next is asked by `so that possible ...`",
        );
    }

    fn as_direction(&mut self, name: &str, span: Span, _: Option<Type>) -> Option<Typed> {
        let direction = Direction::parse(name)?;
        self.note(span, Meaning::Direction);
        let board = &self.rules.board;
        if self.on_board() && !board.compass().contains(direction) && !board.sides().contains(direction) {
            let known: Vec<&str> = board.compass().iter().map(|direction| direction.name()).collect();
            self.report(
                Diagnostic::new(Code::NoDirection, span, format!("there is no direction {name} on this board"))
                    .label(format!("its directions are {}", known.join(", "))),
            );
        }
        Some((Expr::constant(Value::Directions(Directions::single(direction)), span), Ty::Known(Type::Directions)))
    }

    fn as_option(&mut self, name: &str, span: Span, _: Option<Type>) -> Option<Typed> {
        let setting = self.options.get(name).copied()?;
        self.mark_used(Defined::Option, name);
        self.note(span, Meaning::Option);
        Some(setting_value(setting, span))
    }

    fn as_site(&mut self, name: &str, span: Span, _: Option<Type>) -> Option<Typed> {
        let site = self.rules.board.find(name)?;
        self.note(span, Meaning::Site);
        Some((Expr::constant(Value::of_site(site), span), Ty::Known(Type::Sites)))
    }

    /// Any name at all, where a value of an option or of a tracked name is wanted.
    fn as_choice(&mut self, name: &str, span: Span, want: Option<Type>) -> Option<Typed> {
        if want != Some(Type::Choice) {
            return None;
        }
        let id = self.choice(name);
        Some((Expr::constant(Value::Choice(id), span), Ty::Known(Type::Choice)))
    }

    fn as_truth_or_nothing(&mut self, name: &str, span: Span, want: Option<Type>) -> Option<Typed> {
        match name {
            "yes" | "no" => Some((truth(name == "yes", span), Ty::Known(Type::Condition))),
            "none" => {
                let ty = want.unwrap_or(Type::Sites);
                Some((Expr::constant(no_value(ty), span), Ty::Known(ty)))
            }
            _ => None,
        }
    }

    fn in_force(&self) -> String {
        let settings: Vec<String> = self
            .rules
            .settings
            .iter()
            .map(|(name, setting)| format!("{name} {}", self.rules.setting_text(*setting)))
            .collect();
        format!("with {}", settings.join(", "))
    }

    pub(super) fn unknown_name(&mut self, name: &str, span: Span, want: Option<Type>) {
        let looks_like_site = name.chars().last().is_some_and(|c| c.is_ascii_digit())
            && name.chars().next().is_some_and(|c| c.is_ascii_lowercase());
        if looks_like_site && want != Some(Type::Players) {
            if self.on_board() {
                let names: Vec<String> = self.rules.board.names().take(400).map(str::to_owned).collect();
                let shown: Vec<&str> = names.iter().take(6).map(String::as_str).collect();
                let diagnostic =
                    Diagnostic::new(Code::UnknownSite, span, format!("there is no site `{name}` on this board"))
                        .label(format!("the board has {} sites: {}, ...", self.rules.board.len(), shown.join(", ")));
                let mut found = diagnostic.did_you_mean(name, names.iter().map(String::as_str));
                // Every name of a site is near another one.
                found.help = None;
                for fix in &mut found.fixes {
                    fix.applicability = Applicability::Unsafe;
                }
                let names: Vec<&str> = self.rules.board.names().collect();
                self.report(found.help(sites_beside(name, &names)));
            }
            return;
        }
        let known = self.known_names();
        // Capital letters are the commonest slip, and names in them are said before anything is guessed.
        let site = name.to_lowercase();
        if want != Some(Type::Players) && site != name && self.on_board() && self.rules.board.find(&site).is_some() {
            let message = format!("unknown word `{name}`");
            self.report(Diagnostic::new(Code::UnknownName, span, message).did_you_mean(name, [site.as_str()]));
            return;
        }
        if want == Some(Type::Sites)
            && let Some(player) = self.players.keys().find(|player| player.eq_ignore_ascii_case(name))
        {
            let written = format!("of {player}");
            let help = format!("the sites on which the pieces of {player} stand are `{written}`");
            let message = format!("unknown word `{name}`");
            let found = Diagnostic::new(Code::UnknownName, span, message).help(help);
            self.report(found.fix(format!("write `{written}`"), span, written));
            return;
        }
        let alike = known.iter().find(|known| *known != name && known.eq_ignore_ascii_case(name));
        let (code, message) = match want {
            Some(Type::Players) => (Code::UnknownPlayer, format!("there is no player `{name}`")),
            Some(Type::Kinds | Type::Piece) => (Code::UnknownPiece, format!("there is no piece `{name}`")),
            _ => (Code::UnknownName, format!("unknown word `{name}`")),
        };
        if let Some(at) = self.project.dropped(name) {
            self.report(still_used(Diagnostic::new(code, span, message), name, at));
            return;
        }
        let mut diagnostic =
            Diagnostic::new(code, span, message).label("neither defined in this file nor a word of the language");
        diagnostic = match want {
            Some(Type::Players) => {
                let names: Vec<String> = self.rules.players.iter().map(|player| player.name.clone()).collect();
                // Words of the language are small; a capital begins the name of somebody.
                let (small, capital) = (name.to_lowercase(), name.starts_with(char::is_uppercase));
                let words = OF_PLAYERS.map(Id::name).into_iter().filter(|word| !capital || *word == small);
                let known = names.iter().map(String::as_str).chain(words);
                let diagnostic = diagnostic.label(format!("the players are {}", names.join(", ")));
                match phrases::meant(name) {
                    Some(written) => diagnostic.help(written),
                    None => diagnostic.did_you_mean(name, known),
                }
            }
            Some(Type::Kinds | Type::Piece) if GONE.contains(&name) => diagnostic
                .label("no piece of this game")
                .help("a site with nothing on it is `empty`: `x becomes empty`"),
            Some(Type::Kinds | Type::Piece) => {
                let names: Vec<String> = self.rules.kinds.iter().map(|kind| kind.name.clone()).collect();
                diagnostic
                    .label(match names.as_slice() {
                        [] => "no piece is declared".to_owned(),
                        names => format!("the pieces are {}", names.join(", ")),
                    })
                    .did_you_mean(name, names.iter().map(String::as_str))
            }
            _ if self.rules.choices.iter().any(|choice| choice == name) => diagnostic
                .label("a value of an option or of something tracked")
                .help("such a value is asked about by `is` and given by `becomes`; of a word make a condition of it, as in `phase is play`, or use numbers"),
            Some(Type::Number) if alike.is_none() && matches!(name.as_bytes(), [b'a'..=b'z']) => diagnostic
                .help("columns and rows have numbers: `column(1)` is the column `a`, and `row(1)` the first row"),
            _ => match phrases::meant(name).filter(|_| alike.is_none()) {
                Some(written) => diagnostic.label("no word of the language").help(written),
                None => diagnostic.did_you_mean(name, known.iter().map(String::as_str)),
            },
        };
        self.report(diagnostic.or_help(|| match want {
            Some(Type::Players) => "name one of them, `mover` or `next`".to_owned(),
            Some(Type::Kinds | Type::Piece) => format!("declare it: piece {name} of each player"),
            _ => format!("define it: word {name} = ..."),
        }));
    }

    /// Everything that has a name where we are.
    fn names(&self) -> impl Iterator<Item = &str> {
        let bound = self.frame.bound.iter().map(|bound| &bound.name);
        let kinds = self.rules.kinds.iter().map(|kind| &kind.name);
        let words = self.words.keys().chain(self.tracks.keys()).chain(self.players.keys()).chain(self.options.keys());
        let declared = bound.chain(kinds).chain(words).chain(self.paths.keys()).map(String::as_str);
        declared.chain(catalogue::CATALOGUE.iter().map(|primitive| primitive.name))
    }

    pub(super) fn is_known(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }

    pub(super) fn known_names(&self) -> Vec<String> {
        self.names().map(str::to_owned).collect()
    }
}

/// What uses something that the file has taken away.
pub(super) fn still_used(diagnostic: Diagnostic, name: &str, dropped: Span) -> Diagnostic {
    diagnostic
        .label("still used here")
        .also(dropped, "dropped here")
        .help(format!("write what uses `{name}` again without it, or define another `{name}`"))
}

/// The letters and the number of which the name of a site is made.
fn halves(name: &str) -> (&str, &str) {
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (letters, &name[letters.len()..])
}

/// The sites that share the letters or the number of a name that no site has, or two that tell what names there are.
fn sites_beside(name: &str, sites: &[&str]) -> String {
    /// So many are named of a line.
    const NAMED: usize = 12;
    let (letters, number) = halves(name);
    let line = |shared: &str, mut found: Vec<&str>| {
        found.sort_by_key(|site| (site.len(), *site));
        let shown = match (found.as_slice(), found.len() > NAMED) {
            ([], _) => return None,
            ([first, .., last], true) => format!("{} sites from `{first}` to `{last}`", found.len()),
            (few, _) => few.join(", "),
        };
        Some(format!("with `{shared}` there are {shown}"))
    };
    let with = |shares: &dyn Fn(&str) -> bool| sites.iter().copied().filter(|site| shares(site)).collect::<Vec<_>>();
    let lines =
        [line(letters, with(&|site| halves(site).0 == letters)), line(number, with(&|site| halves(site).1 == number))];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    if lines.is_empty() || letters.is_empty() || number.is_empty() {
        let (first, last) = (sites.first().unwrap_or(&"a1"), sites.last().unwrap_or(&"a1"));
        return format!("the sites of the board have names such as `{first}` and `{last}`");
    }
    lines.join("; ")
}
