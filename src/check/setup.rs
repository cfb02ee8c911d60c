//! All that must stand before expressions can be read, in the order in which it is set up; pieces, phases and tracked values.

use super::board::placeholder;
use super::uses::Meaning;
use super::{Checker, Frame, Project, WordState};
use crate::board;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::*;
use crate::syntax::ast::{self, ValueKind};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

impl<'p> Checker<'p> {
    /// Resolves the options; if they make no sense nothing else can be checked.
    pub(super) fn new(
        project: &'p Project,
        settings: &BTreeMap<String, ValueKind>,
        ruleset: Option<&str>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let Some(mut checker) = Self::begin(project, ruleset) else { return Err(Vec::new()) };
        checker.resolve_options(settings, ruleset);
        Ok(checker)
    }

    /// A checker that knows nothing yet.
    pub(super) fn begin(project: &'p Project, ruleset: Option<&str>) -> Option<Self> {
        let board = board::build(&placeholder()).ok()?;
        let rules = Rules {
            about: about(project),
            ruleset: ruleset.map(str::to_owned),
            settings: Vec::new(),
            choices: vec!["no".to_owned(), "yes".to_owned()],
            players: Vec::new(),
            opening: 0,
            order: Vec::new(),
            kinds: Vec::new(),
            board,
            words: Vec::new(),
            stacks: None,
            memories: Vec::new(),
            chronicles: Vec::new(),
            phase: None,
            seats: None,
            left: None,
            start: Vec::new(),
            moves: Vec::new(),
            after_turn: None,
            graph: Graph::new(),
            turns: Vec::new(),
            endings: Vec::new(),
            score: None,
            hidden: Vec::new(),
            halves: false,
            ties: Vec::new(),
            repetition: Repetition::default(),
            cost: 0,
            cost_once: 0,
            most_plies: 0,
            dearest: (Span::default(), Span::default()),
        };
        Some(Self {
            project,
            rules,
            diagnostics: Vec::new(),
            live: true,
            board_known: false,
            asks_possible: false,
            frame: Frame::default(),
            open_types: Vec::new(),
            words: BTreeMap::new(),
            bounds: Vec::new(),
            word_members: Vec::new(),
            lone_kinds: BTreeSet::new(),
            extent: super::cost::Extent::default(),
            open: 0,
            inside: false,
            counting_halves: 0,
            nodes_of_moves: 0,
            word_stack: Vec::new(),
            tracks: BTreeMap::new(),
            paths: BTreeMap::new(),
            options: BTreeMap::new(),
            option_values: BTreeMap::new(),
            players: BTreeMap::new(),
            kinds: BTreeMap::new(),
            move_items: Vec::new(),
            made_in_moves: Vec::new(),
            unset: Vec::new(),
            looked_for: BTreeSet::new(),
            facing_words: BTreeSet::new(),
            asks_facing: false,
            parts_around: Vec::new(),
            written: Vec::new(),
            move_ids: BTreeMap::new(),
            patterns: BTreeMap::new(),
            pattern_stack: Vec::new(),
            replies: Vec::new(),
            unasked: BTreeMap::new(),
            defined_movers: BTreeMap::new(),
            pending: Vec::new(),
            history: HashMap::new(),
            used: BTreeSet::new(),
            notes: None,
        })
    }

    pub(super) fn set_up(&mut self) {
        let project = self.project;
        for item in project.items() {
            match &item.kind {
                ast::ItemKind::Word(word) | ast::ItemKind::Region(word) => {
                    self.words.insert(word.name.text.clone(), WordState::Unchecked(Rc::new(word.clone())));
                }
                ast::ItemKind::Score(word) => {
                    let word = self.score_in_halves(word);
                    self.words.insert(ast::SCORE.to_owned(), WordState::Unchecked(Rc::new(word)));
                }
                ast::ItemKind::Move(mv) => {
                    self.move_ids.insert(mv.name.text.clone(), MoveId(self.move_items.len()));
                    self.move_items.push(Rc::new(mv.clone()));
                }
                ast::ItemKind::Pattern { name, pattern, .. } => {
                    self.patterns.insert(name.text.clone(), Rc::new(pattern.clone()));
                }
                _ => {}
            }
        }
        self.set_up_players();
        self.set_up_pieces();
        if let Some(ast::ItemKind::Board(board)) =
            project.items().map(|item| &item.kind).find(|kind| matches!(kind, ast::ItemKind::Board(_)))
            && let Some(built) = self.build_board(board)
        {
            self.rules.board = built;
            self.board_known = true;
        }
        self.set_up_paths();
        self.set_up_stacks();
        self.check_facing();
        self.write_out_moves();
        self.find_lone_kinds();
        self.set_up_phases();
        for item in project.items() {
            if let ast::ItemKind::Track(track) = &item.kind {
                self.set_up_track(track);
            }
        }
        self.set_up_leaving();
        for item in project.items() {
            if let ast::ItemKind::Requires { text, condition } = &item.kind {
                let checked = self.typed(condition, Type::Condition);
                match checked.as_decided() {
                    Some(true) => {}
                    Some(false) => self.report(
                        Diagnostic::new(
                            Code::Excluded,
                            condition.span,
                            format!("these options do not go together: {}", text.text),
                        )
                        .label("this is required")
                        .help("choose other values, or take the rule out"),
                    ),
                    None => self.error(Code::WrongType, condition.span, "`requires` speaks of options only", "ask about options, as in `side mod 2 = 0`; what the position must be belongs into a move or `end`"),
                }
            }
        }
    }

    fn set_up_pieces(&mut self) {
        let project = self.project;
        let mut marks: BTreeMap<String, ast::Name> = BTreeMap::new();
        for item in project.items() {
            let ast::ItemKind::Piece(piece) = &item.kind else { continue };
            for ast::PieceKind { name, mark, shapes } in &piece.kinds {
                if self.rules.kinds.len() >= MAX_KINDS {
                    self.error(
                        Code::OutOfRange,
                        name.span,
                        format!("a game has at most {MAX_KINDS} kinds of pieces"),
                        "let one kind stand for several, and `track` what tells them apart",
                    );
                    return;
                }
                let given = mark.as_ref();
                let mark = given.map_or_else(|| name.text.chars().take(1).collect(), |mark| mark.text.clone());
                if let Some(other) =
                    marks.insert(mark.to_lowercase(), name.clone()).filter(|other| other.text != name.text)
                {
                    let message = format!("`{}` and `{}` have the same mark `{mark}`", name.text, other.text);
                    let free = self.free_mark(&name.text);
                    let given = format!("{} \"{free}\"", name.text);
                    self.report(
                        Diagnostic::new(Code::DefinedTwice, name.span, message)
                            .label("the first letter, unless another mark is given")
                            .also(other.span, "the same mark")
                            .help(format!("give it another one: piece {given}"))
                            .guess(format!("write `{given}`"), name.span, given),
                    );
                }
                if let Some(given) = given {
                    self.check_mark(&given.text, given.span);
                }
                if let Some(word) = crate::rules::catalogue::find(&name.text) {
                    let message = format!("a piece cannot be called `{}`", name.text);
                    self.report(
                        Diagnostic::new(Code::Reserved, name.span, message)
                            .label(format!("this word means: {}", word.doc))
                            .help("give the piece another name"),
                    );
                }
                self.kinds.insert(name.text.clone(), KindId(self.rules.kinds.len() as u8));
                let figures = shapes.iter().filter_map(|shape| self.figure(shape)).collect();
                self.rules.kinds.push(Kind { name: name.text.clone(), mark, neutral: piece.neutral, figures });
            }
        }
    }

    /// A mark that drawings read as something else than a piece.
    fn check_mark(&mut self, mark: &str, span: crate::source::Span) {
        let what = if mark.is_empty() {
            "drawings need a sign for each piece"
        } else if matches!(mark, "-" | "*") {
            "in drawings it stands where the board has no site"
        } else if mark.contains(char::is_whitespace) {
            "in drawings a blank ends a mark"
        } else if mark.contains('}') {
            "in drawings it ends the drawing"
        } else {
            return;
        };
        self.report(
            Diagnostic::new(Code::BadDrawing, span, format!("`{mark}` cannot be the mark of a piece"))
                .label(what)
                .help("take a letter or another sign, as in: piece king \"K\""),
        );
    }

    /// The shape of a piece in pictures by its name.
    fn figure(&mut self, shape: &ast::Name) -> Option<Figure> {
        self.note(shape.span, Meaning::Figure);
        let found = Figure::find(&shape.text);
        if found.is_none() {
            let names = || Figure::ALL.iter().map(|figure| figure.name());
            let diagnostic =
                Diagnostic::new(Code::UnknownShape, shape.span, format!("there is no shape `{}`", shape.text))
                    .label("not a shape of pieces")
                    .did_you_mean(&shape.text, names())
                    .or_help(|| format!("the shapes are {}", names().collect::<Vec<_>>().join(", ")));
            self.report(diagnostic);
        }
        found
    }

    /// How many pieces a site can hold, which only options may decide.
    fn set_up_stacks(&mut self) {
        let project = self.project;
        let declared = project
            .items()
            .find_map(|item| if let ast::ItemKind::Stacks(height) = &item.kind { Some(height) } else { None });
        let Some(height) = declared else { return };
        let checked = self.typed(height, Type::Number);
        let most = checked.as_constant().and_then(Value::number);
        match most.map(usize::try_from) {
            Some(Ok(most @ 2..=MAX_HEIGHT)) => self.rules.stacks = Some(Stacking { most, span: height.span }),
            Some(_) => self.error(
                Code::OutOfRange,
                height.span,
                "a site cannot hold so many pieces",
                format!("write a number from 2 to {MAX_HEIGHT}; without the line a site holds one piece"),
            ),
            None => self.error(
                Code::WrongType,
                height.span,
                "how high stacks can be is a number that is known before the game",
                "as in `stacks to 5`; options may be part of it",
            ),
        }
        // What follows from a number that cannot be is not reported.
        self.rules.stacks.get_or_insert(Stacking { most: MAX_HEIGHT, span: height.span });
    }

    fn set_up_phases(&mut self) {
        let project = self.project;
        let Some((phases, span)) = project.items().find_map(|item| {
            if let ast::ItemKind::Phases(phases) = &item.kind { Some((phases, item.span)) } else { None }
        }) else {
            return;
        };
        let ids: Vec<ChoiceId> = phases.iter().map(|phase| self.choice(&phase.text)).collect();
        self.option_values.insert("phase".to_owned(), phases.iter().map(|phase| phase.text.clone()).collect());
        let Some(first) = ids.first() else { return };
        let memory = self.memory(Memory {
            name: "phase".to_owned(),
            ty: Type::Choice,
            scope: Scope::Game,
            range: None,
            first: Expr::constant(Value::Choice(*first), span),
            each_turn: false,
            with_piece: false,
            declared: true,
            span,
        });
        self.rules.phase = Some(memory);
        self.tracks.insert("phase".to_owned(), memory);
    }

    fn set_up_track(&mut self, track: &ast::TrackItem) {
        let of = |param: &ast::Param, names: [&str; 2]| {
            names.contains(&param.kind.as_ref().unwrap_or(&param.name).text.as_str())
        };
        let with_piece = matches!(track.params.as_slice(), [only] if of(only, ["piece", "piece"]));
        let scope = match track.params.as_slice() {
            [] => Scope::Game,
            // Where a piece stands is where its value is.
            [_] if with_piece => Scope::Site,
            [param] => match param.kind.as_ref().unwrap_or(&param.name).text.as_str() {
                "player" | "p" => Scope::Player,
                "site" | "x" => Scope::Site,
                "kind" | "k" => Scope::Kind,
                other => {
                    let message =
                        format!("a value is tracked for each player, site, piece or kind, not for each `{other}`");
                    self.report(
                        Diagnostic::new(Code::WrongType, param.name.span, message)
                            .help("write `(player)`, `(site)`, `(piece)`, `(kind)` or `(player, kind)`"),
                    );
                    Scope::Game
                }
            },
            [player, kind] if of(player, ["player", "p"]) && of(kind, ["kind", "k"]) => Scope::PlayerKind,
            [_, second, ..] => {
                self.error(
                    Code::WrongArity,
                    second.name.span,
                    "a tracked value belongs to a player, a site, a piece, a kind, or a player and a kind",
                    format!("write `track {}(player, kind) : ...`", track.name.text),
                );
                Scope::Game
            }
        };
        let (ty, range) = match &track.values {
            ast::Values::Range { low, high, .. } => (Type::Number, Some((*low, *high))),
            ast::Values::List(values) => match values.as_slice() {
                [ast::Value { kind: ValueKind::Name(name), span }] => match Type::find(name) {
                    Some(ty) if ty.is_set() => (ty, None),
                    Some(_) | None => {
                        self.report(
                            Diagnostic::new(Code::WrongType, *span, format!("`{name}` is not something that can be tracked"))
                                .help("track a range (0..9), `player`, `site`, `sites`, `direction`, `kind`, or a list of names"),
                        );
                        (Type::Unknown, None)
                    }
                },
                values => {
                    let names: Vec<String> = values.iter().map(|value| value.kind.to_string()).collect();
                    for name in &names {
                        self.choice(name);
                    }
                    self.option_values.insert(track.name.text.clone(), names);
                    (Type::Choice, None)
                }
            },
        };
        if scope != Scope::Game && ty == Type::Sites {
            self.error(
                Code::WrongType,
                track.name.span,
                "sets of sites are tracked once for the game, not per player, site, piece or kind",
                format!(
                    "track a mark for each {0} instead: track {1}({0}) : 0..1 = 0",
                    if with_piece { "piece" } else { "site" },
                    track.name.text
                ),
            );
        }
        let first = match &track.first {
            Some(first) if ty == Type::Choice => self.choice_named(&track.name.text, first),
            Some(first) => self.typed(first, ty),
            None if ty == Type::Choice => {
                // A name without a first value begins as the first one listed.
                let first = self.option_values.get(&track.name.text).and_then(|names| names.first()).cloned();
                let id = self.choice(first.as_deref().unwrap_or("no"));
                Expr::constant(Value::Choice(id), track.name.span)
            }
            None => Expr::constant(first_value(ty, range), track.name.span),
        };
        let first = if with_piece { self.first_of_piece(&track.name.text, track.name.span, first) } else { first };
        if let (Some((low, high)), Some(Value::Number(Some(number)))) = (range, first.as_constant())
            && !(low..=high).contains(number)
        {
            let message = format!("`{}` cannot begin with {number}", track.name.text);
            self.report(
                Diagnostic::new(Code::OutOfRange, first.span, message).help(format!("it goes from {low} to {high}")),
            );
        }
        let memory = self.memory(Memory {
            name: track.name.text.clone(),
            ty,
            scope,
            range,
            first,
            each_turn: track.each_turn,
            with_piece,
            declared: true,
            span: track.name.span,
        });
        self.tracks.insert(track.name.text.clone(), memory);
    }

    /// The branch of a case over constants that the options pick.
    pub(super) fn constant_case<'c, T>(
        &mut self,
        subject: &ast::Expr,
        cases: &'c [(Vec<ast::Value>, T)],
    ) -> Option<&'c T> {
        let (checked, _) = self.subject(subject);
        let Some(value) = checked.as_constant().cloned() else {
            if !matches!(checked.kind, ExprKind::Constant(_)) {
                self.error(
                    Code::WrongType,
                    subject.span,
                    "only options can be asked about here",
                    "name an option; declare one with `option NAME : a, b = a`",
                );
            }
            return None;
        };
        self.check_keys(subject, cases.iter().flat_map(|(keys, _)| keys));
        for (keys, result) in cases {
            for key in keys {
                let fits = match (&value, &key.kind) {
                    (Value::Number(Some(number)), ValueKind::Number(key)) => number == key,
                    (Value::Choice(id), ValueKind::Name(name)) => self.rules.choice(*id) == name,
                    _ => false,
                };
                if fits {
                    return Some(result);
                }
            }
        }
        let text = match &value {
            Value::Number(Some(number)) => number.to_string(),
            Value::Choice(id) => self.rules.choice(*id).to_owned(),
            _ => return None,
        };
        self.report(
            Diagnostic::new(Code::BadOption, subject.span, format!("no case is given for `{text}`"))
                .label("this can have that value")
                .help(format!("add a case: {text}: ...")),
        );
        None
    }
}

pub(super) fn about(project: &Project) -> About {
    let mut about = About::default();
    for item in project.items() {
        match &item.kind {
            ast::ItemKind::Game(game) => {
                about.title.clone_from(&game.title.text);
                about.author = game.author.as_ref().map(|author| author.text.clone()).unwrap_or_default();
                about.year = game.year;
            }
            ast::ItemKind::About(text) => about.summary.clone_from(&text.text),
            ast::ItemKind::Source(text) => about.source.clone_from(&text.text),
            ast::ItemKind::Score(score) => {
                about.score = score.doc.as_ref().map(|doc| doc.text.clone()).unwrap_or_default();
            }
            _ => {}
        }
    }
    about
}

/// What a memory holds before anything is said: the empty set, or the number nearest to zero.
fn first_value(ty: Type, range: Option<(i64, i64)>) -> Value {
    match ty {
        Type::Number => Value::Number(Some(range.map_or(0, |(low, high)| 0.clamp(low.min(high), high)))),
        other => super::infer::no_value(other),
    }
}
