//! Options, players, pieces, tracked values and the board: all that must stand before expressions can be read.

use super::uses::Meaning;
use super::{Checker, Frame, Project, WordState};
use crate::board::{
    self, Adjacency, Board, BoardSpec, Class, Classes, Coordinates, Direction, Directions, Drawn, Named, SIZED, Shape,
    SizedShape, WRITTEN_OUT,
};
use crate::diagnostic::{Code, Diagnostic, listed};
use crate::rules::*;
use crate::source::Span;
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
            order: Vec::new(),
            kinds: Vec::new(),
            board,
            words: Vec::new(),
            memories: Vec::new(),
            chronicles: Vec::new(),
            phase: None,
            seats: None,
            start: Vec::new(),
            moves: Vec::new(),
            graph: Graph::new(),
            turns: Vec::new(),
            endings: Vec::new(),
            score: None,
            ties: Vec::new(),
            repetition: false,
        };
        Some(Self {
            project,
            rules,
            diagnostics: Vec::new(),
            live: true,
            board_known: false,
            frame: Frame::default(),
            open_types: Vec::new(),
            words: BTreeMap::new(),
            costs: Vec::new(),
            word_stack: Vec::new(),
            tracks: BTreeMap::new(),
            options: BTreeMap::new(),
            option_values: BTreeMap::new(),
            players: BTreeMap::new(),
            kinds: BTreeMap::new(),
            move_items: Vec::new(),
            move_ids: BTreeMap::new(),
            patterns: BTreeMap::new(),
            pattern_stack: Vec::new(),
            pending: Vec::new(),
            history: HashMap::new(),
            used: BTreeSet::new(),
            notes: None,
        })
    }

    pub(super) fn resolve_options(&mut self, settings: &BTreeMap<String, ValueKind>, ruleset: Option<&str>) {
        let project = self.project;
        let mut chosen: BTreeMap<String, (ValueKind, Span)> = BTreeMap::new();
        for option in project.options() {
            self.check_option(option);
            for name in &option.names {
                chosen.insert(name.text.clone(), (option.default.kind.clone(), option.default.span));
            }
        }
        for item in project.rulesets() {
            self.check_ruleset(item);
        }
        let mut wanted = ruleset;
        let mut lines = Vec::new();
        // A chain of rulesets cannot be longer than there are rulesets; a circle has been reported.
        for _ in 0..=project.rulesets().count() {
            let Some(name) = wanted else { break };
            let Some(item) = project.rulesets().find(|item| item.name.text == name) else { break };
            lines.push(item);
            wanted = item.extends.as_ref().map(|base| base.text.as_str());
        }
        for setting in lines.iter().rev().flat_map(|item| &item.settings) {
            chosen.insert(setting.name.text.clone(), (setting.value.kind.clone(), setting.value.span));
        }
        for (name, value) in settings {
            let span = project.head();
            chosen.insert(name.clone(), (value.clone(), span));
        }
        for option in project.options() {
            for name in &option.names {
                let Some((value, span)) = chosen.get(&name.text).cloned() else { continue };
                // With an option that cannot be so the rest is still looked through, with a value that can.
                let setting = self.option_value(option, &name.text, &value, span);
                let setting = setting.or_else(|| self.stand_in(option, &value));
                if let Some(setting) = setting {
                    self.options.insert(name.text.clone(), setting);
                    self.rules.settings.push((name.text.clone(), setting));
                }
            }
        }
    }

    /// The possible value that comes closest to an impossible one.
    fn stand_in(&mut self, option: &ast::OptionItem, wanted: &ValueKind) -> Option<Setting> {
        match (&option.values, wanted) {
            (ast::Values::Range { low, high, .. }, ValueKind::Number(number)) if low <= high => {
                Some(Setting::Number(*number.clamp(low, high)))
            }
            (ast::Values::Range { low, high, .. }, _) => Some(Setting::Number(*low.min(high))),
            (ast::Values::List(values), _) => values.first().map(|value| match &value.kind {
                ValueKind::Number(number) => Setting::Number(*number),
                ValueKind::Name(text) => Setting::Choice(self.choice(text)),
            }),
        }
    }

    fn check_option(&mut self, option: &ast::OptionItem) {
        let mut names = Vec::new();
        match &option.values {
            ast::Values::Range { low, high, span } => {
                if low > high {
                    self.report(
                        Diagnostic::new(Code::BadOption, *span, format!("the range {low}..{high} holds no number"))
                            .help(format!("write {high}..{low}")),
                    );
                }
            }
            ast::Values::List(values) => {
                for value in values {
                    let text = value.kind.to_string();
                    if names.contains(&text) {
                        self.error(
                            Code::BadOption,
                            value.span,
                            format!("the value `{text}` is listed twice"),
                            "take one of them out",
                        );
                    }
                    names.push(text);
                }
            }
        }
        for name in &option.names {
            self.option_values.insert(name.text.clone(), names.clone());
        }
        if let Some(name) = option.names.first() {
            self.note_value(&name.text, option.default.span);
            // A range without numbers has been reported.
            if !matches!(&option.values, ast::Values::Range { low, high, .. } if low > high) {
                self.option_value(option, &name.text, &option.default.kind, option.default.span);
            }
        }
    }

    fn option_value(&mut self, option: &ast::OptionItem, name: &str, value: &ValueKind, span: Span) -> Option<Setting> {
        match (&option.values, value) {
            (ast::Values::Range { low, high, .. }, ValueKind::Number(number)) => {
                if number < low || number > high {
                    self.report(
                        Diagnostic::new(Code::OutOfRange, span, format!("`{name}` cannot be {number}"))
                            .help(format!("it goes from {low} to {high}")),
                    );
                    return None;
                }
                Some(Setting::Number(*number))
            }
            (ast::Values::List(values), value) => {
                if !values.iter().any(|known| known.kind == *value) {
                    let known: Vec<String> = values.iter().map(|value| value.kind.to_string()).collect();
                    let text = value.to_string();
                    let diagnostic =
                        Diagnostic::new(Code::BadOption, span, format!("`{text}` is no value of the option `{name}`"))
                            .help(format!("it can be {}", known.join(", ")));
                    let best = crate::diagnostic::closest(&text, known.iter().map(String::as_str)).map(str::to_owned);
                    self.report(match best {
                        Some(best) => diagnostic
                            .help(format!("did you mean `{best}`? It can be {}", known.join(", ")))
                            .fix(format!("write `{best}`"), span, best),
                        None => diagnostic,
                    });
                    return None;
                }
                Some(match value {
                    ValueKind::Number(number) => Setting::Number(*number),
                    ValueKind::Name(text) => Setting::Choice(self.choice(text)),
                })
            }
            (ast::Values::Range { low, high, .. }, ValueKind::Name(text)) => {
                self.report(
                    Diagnostic::new(Code::BadOption, span, format!("`{name}` is a number, not `{text}`"))
                        .help(format!("it goes from {low} to {high}")),
                );
                None
            }
        }
    }

    fn check_ruleset(&mut self, ruleset: &ast::RulesetItem) {
        let project = self.project;
        if let Some(base) = &ruleset.extends {
            self.note(base.span, Meaning::Ruleset);
            let mut at = Some(base.text.as_str());
            for step in 0.. {
                let Some(name) = at else { break };
                match project.rulesets().find(|item| item.name.text == name) {
                    None => {
                        let known = project.rulesets().map(|item| item.name.text.as_str());
                        let diagnostic =
                            Diagnostic::new(Code::BadRuleset, base.span, format!("there is no ruleset `{name}`"));
                        self.report(diagnostic.did_you_mean(name, known));
                        break;
                    }
                    Some(_) if step > project.rulesets().count() => {
                        let message = "rulesets extend one another in a circle";
                        if !self.diagnostics.iter().any(|known| known.message == message) {
                            let way = format!("{} -> {} -> ...", ruleset.name.text, base.text);
                            self.report(
                                Diagnostic::new(Code::Cycle, base.span, message)
                                    .label(way)
                                    .help("one of them must not extend another"),
                            );
                        }
                        break;
                    }
                    Some(item) => at = item.extends.as_ref().map(|base| base.text.as_str()),
                }
            }
        }
        self.check_settings(&ruleset.settings, &format!("the ruleset `{}` sets it", ruleset.name.text));
    }

    /// Values of options, as a ruleset or a test sets them.
    pub(super) fn check_settings(&mut self, settings: &[ast::Setting], who: &str) {
        let project = self.project;
        self.note_settings(settings);
        for setting in settings {
            match project.options().find(|option| option.names.iter().any(|name| name.text == setting.name.text)) {
                Some(option) => {
                    self.option_value(option, &setting.name.text, &setting.value.kind, setting.value.span);
                }
                None => {
                    let known = self.option_values.keys().map(String::as_str);
                    let message = format!("there is no option `{}`", setting.name.text);
                    let diagnostic = Diagnostic::new(Code::UnknownOption, setting.name.span, message)
                        .label(who)
                        .did_you_mean(&setting.name.text, known)
                        .or_help(|| format!("declare it: option {} : 3..9 = 5", setting.name.text));
                    self.report(diagnostic);
                }
            }
        }
    }

    pub(super) fn set_up(&mut self) {
        let project = self.project;
        for item in project.items() {
            match &item.kind {
                ast::ItemKind::Word(word) | ast::ItemKind::Region(word) => {
                    self.words.insert(word.name.text.clone(), WordState::Unchecked(Rc::new(word.clone())));
                }
                ast::ItemKind::Score(word) => {
                    self.words.insert("score".to_owned(), WordState::Unchecked(Rc::new(word.clone())));
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
        self.check_facing();
        self.set_up_phases();
        for item in project.items() {
            if let ast::ItemKind::Track(track) = &item.kind {
                self.set_up_track(track);
            }
        }
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

    fn set_up_players(&mut self) {
        let project = self.project;
        let Some(players) = project
            .items()
            .find_map(|item| if let ast::ItemKind::Players(players) = &item.kind { Some(players) } else { None })
        else {
            return;
        };
        let everyone: Vec<&ast::Player> = match players {
            ast::PlayersItem::List(players) | ast::PlayersItem::Count { players, .. } => players.iter().collect(),
            ast::PlayersItem::By { cases, .. } => cases.iter().flat_map(|(_, players)| players).collect(),
        };
        for player in everyone {
            self.players.insert(player.name.text.clone(), None);
        }
        let playing: Vec<ast::Player> = match players {
            ast::PlayersItem::List(players) => players.clone(),
            ast::PlayersItem::Count { count, players } => {
                let number = self.typed(count, Type::Number).as_constant().and_then(Value::number);
                match number.and_then(|number| usize::try_from(number).ok()) {
                    Some(number) if (1..=players.len()).contains(&number) => players[..number].to_vec(),
                    _ => {
                        self.error(
                            Code::OutOfRange,
                            count.span,
                            format!("between 1 and {} players are listed", players.len()),
                            format!("write a number from 1 to {}", players.len()),
                        );
                        players.clone()
                    }
                }
            }
            ast::PlayersItem::By { subject, cases } => self.constant_case(subject, cases).cloned().unwrap_or_default(),
        };
        if playing.len() > MAX_PLAYERS {
            let span = playing[MAX_PLAYERS].name.span;
            self.report(
                Diagnostic::new(Code::OutOfRange, span, format!("{} players are too many", playing.len()))
                    .help(format!("a game has at most {MAX_PLAYERS} players")),
            );
        }
        for (index, player) in playing.iter().take(MAX_PLAYERS).enumerate() {
            let id = PlayerId(index as u8);
            if let Some(first) = playing[..index].iter().find(|first| first.name.text == player.name.text) {
                let message = format!("the player `{}` is listed twice", player.name.text);
                self.report(
                    Diagnostic::new(Code::DefinedTwice, player.name.span, message)
                        .label("again here")
                        .also(first.name.span, "first here")
                        .help("give each player a name of its own; who moves twice in a round stands twice in `order`"),
                );
            }
            self.players.insert(player.name.text.clone(), Some(id));
            let facing = player.facing.as_ref().and_then(|name| {
                let direction = Direction::parse(&name.text);
                self.note(name.span, Meaning::Direction);
                if direction.is_none() {
                    self.unknown_direction(name);
                }
                direction
            });
            self.rules.players.push(Player { name: player.name.text.clone(), facing });
        }
        if self.rules.players.is_empty() {
            let span = project.head();
            self.error(
                Code::Section,
                span,
                "nobody plays with these options",
                "list players for every value that the options can have",
            );
        }
        self.rules.order = (0..self.rules.players.len() as u8).map(PlayerId).collect();
        let order = project
            .items()
            .find_map(|item| if let ast::ItemKind::Order(order) = &item.kind { Some(order) } else { None });
        if let Some(order) = order {
            let mut ids = Vec::new();
            for name in order {
                self.note(name.span, Meaning::Player);
                match self.players.get(&name.text) {
                    Some(Some(id)) => ids.push(*id),
                    _ => self.unknown_player(&name.text, name.span),
                }
            }
            if !ids.is_empty() {
                self.rules.order = ids;
            }
        }
    }

    fn unknown_direction(&mut self, name: &ast::Name) {
        let known = Direction::ALL.iter().map(|direction| direction.name());
        let diagnostic = Diagnostic::new(Code::NoDirection, name.span, format!("`{}` is no direction", name.text))
            .did_you_mean(&name.text, known);
        let usual: Vec<&str> = Directions::EIGHT.iter().map(Direction::name).collect();
        self.report(diagnostic.help(format!("directions are {}", listed(&usual, "and"))));
    }

    pub(super) fn unknown_player(&mut self, text: &str, span: Span) {
        let names: Vec<String> = self.rules.players.iter().map(|player| player.name.clone()).collect();
        let diagnostic = Diagnostic::new(Code::UnknownPlayer, span, format!("there is no player `{text}`"))
            .label(format!("the players are {}", names.join(", ")))
            .did_you_mean(text, names.iter().map(String::as_str))
            .or_help(|| format!("name one of them, or add `{text}` to `players`"));
        self.report(diagnostic);
    }

    /// Where it is said which way a player faces.
    fn facing_span(&self, name: &str) -> Option<Span> {
        let players = self.project.items().find_map(|item| match &item.kind {
            ast::ItemKind::Players(players) => Some(players),
            _ => None,
        })?;
        let everyone: Vec<&ast::Player> = match players {
            ast::PlayersItem::List(players) | ast::PlayersItem::Count { players, .. } => players.iter().collect(),
            ast::PlayersItem::By { cases, .. } => cases.iter().flat_map(|(_, players)| players).collect(),
        };
        let player = everyone.into_iter().find(|player| player.name.text == name && player.facing.is_some())?;
        player.facing.as_ref().map(|facing| facing.span)
    }

    fn check_facing(&mut self) {
        if !self.board_known {
            return;
        }
        let compass = self.rules.board.compass();
        for player in self.rules.players.clone() {
            if let Some(facing) = player.facing.filter(|facing| !compass.contains(*facing)) {
                let span = self.facing_span(&player.name).unwrap_or(self.project.head());
                let known: Vec<&str> = compass.iter().map(|direction| direction.name()).collect();
                let message = format!("{} faces {}, which is no direction of this board", player.name, facing.name());
                self.report(
                    Diagnostic::new(Code::NoDirection, span, message)
                        .help(format!("the directions of this board are {}", known.join(", "))),
                );
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
                let mark = mark.as_ref().map_or_else(|| name.text.chars().take(1).collect(), |mark| mark.text.clone());
                if let Some(other) =
                    marks.insert(mark.to_lowercase(), name.clone()).filter(|other| other.text != name.text)
                {
                    let message = format!("`{}` and `{}` have the same mark `{mark}`", name.text, other.text);
                    let free = name.text.chars().chain('a'..='z').map(|letter| letter.to_lowercase().to_string());
                    let free = free.into_iter().find(|letter| !marks.contains_key(letter)).unwrap_or_default();
                    let given = format!("{} \"{free}\"", name.text);
                    self.report(
                        Diagnostic::new(Code::DefinedTwice, name.span, message)
                            .label("the first letter, unless another mark is given")
                            .also(other.span, "the same mark")
                            .help(format!("give it another one: piece {given}"))
                            .guess(format!("write `{given}`"), name.span, given),
                    );
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
            declared: true,
            span,
        });
        self.rules.phase = Some(memory);
        self.tracks.insert("phase".to_owned(), memory);
    }

    fn set_up_track(&mut self, track: &ast::TrackItem) {
        let scope = match track.params.as_slice() {
            [] => Scope::Game,
            [param] => match param.kind.as_ref().unwrap_or(&param.name).text.as_str() {
                "player" | "p" => Scope::Player,
                "site" | "x" => Scope::Site,
                other => {
                    let message = format!("a value is tracked for each player or each site, not for each `{other}`");
                    self.report(
                        Diagnostic::new(Code::WrongType, param.name.span, message).help("write `(player)` or `(site)`"),
                    );
                    Scope::Game
                }
            },
            [_, second, ..] => {
                self.error(
                    Code::WrongArity,
                    second.name.span,
                    "a tracked value belongs to one player or one site",
                    format!("write `track {}({}) : ...`", track.name.text, track.params[0].name.text),
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
                "sets of sites are tracked once for the game, not per player or site",
                format!("track a mark for each site instead: track {}(site) : 0..1 = 0", track.name.text),
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
            declared: true,
            span: track.name.span,
        });
        self.tracks.insert(track.name.text.clone(), memory);
    }

    /// The branch of a case over constants that the options pick.
    fn constant_case<'c, T>(&mut self, subject: &ast::Expr, cases: &'c [(Vec<ast::Value>, T)]) -> Option<&'c T> {
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

    fn build_board(&mut self, item: &ast::BoardExpr) -> Option<Board> {
        let chosen = self.modifiers(&item.modifiers)?;
        let shape = match &item.kind {
            ast::BoardKind::Case { subject, cases } => {
                let chosen = self.constant_case(subject, cases)?;
                for (_, other) in cases.iter().filter(|(_, other)| other.span != chosen.span) {
                    self.dead(true, |checker| checker.board_sizes(other));
                }
                let built = self.build_board(chosen)?;
                return self.kept(built, &item.modifiers);
            }
            ast::BoardKind::Drawn(drawn) => {
                let style = drawn.style.as_ref();
                let style = style.map_or(Some(Drawn::Square), |style| self.drawing_style(style))?;
                style.shape(drawn.text.clone())
            }
            ast::BoardKind::Lines(rows) => {
                Shape::Lines(rows.iter().map(|row| row.iter().map(|name| name.text.clone()).collect()).collect())
            }
            ast::BoardKind::Graph { points, links } => Shape::Graph {
                points: points.iter().map(|(name, x, y)| (name.text.clone(), *x, *y)).collect(),
                links: links.iter().map(|(a, b)| (a.text.clone(), b.text.clone())).collect(),
            },
            ast::BoardKind::Shape { name, args } => self.shape(name, args)?,
        };
        match board::build(&BoardSpec { shape, ..chosen }) {
            Ok(board) => self.kept(board, &item.modifiers),
            Err(error) => {
                let (code, span) = place_of(item, &error);
                self.board_error(code, span, &error);
                None
            }
        }
    }

    /// What is chosen behind the shape of a board; none if the board cannot be so.
    fn modifiers(&mut self, modifiers: &[ast::Modifier]) -> Option<BoardSpec> {
        let mut spec = placeholder();
        for modifier in modifiers {
            match modifier {
                ast::Modifier::Adjacent(name) => match Adjacency::find(&name.text) {
                    Some(adjacency) => spec.adjacency = Some(adjacency),
                    None => {
                        let message = format!("`{}` is no adjacency", name.text);
                        self.report(no_such::<Adjacency>(name, message));
                    }
                },
                ast::Modifier::Coordinates(name) => match Coordinates::find(&name.text) {
                    Some(coordinates) => spec.coordinates = Some(coordinates),
                    None => {
                        let message = format!("`{}` is no kind of coordinates", name.text);
                        self.report(no_such::<Coordinates>(name, message));
                    }
                },
                ast::Modifier::Keeping(_) => {}
                ast::Modifier::With(names) => {
                    let mut classes = Classes::default();
                    for name in names {
                        let Some(class) = Class::find(&name.text) else {
                            let message = format!("a board has no `{}` to play on", name.text);
                            self.report(
                                no_such::<Class>(name, message)
                                    .help(format!("sites are {}", listed(&Class::names(), "or"))),
                            );
                            return None;
                        };
                        classes.insert(class);
                    }
                    spec.classes = Some(classes);
                }
            }
        }
        Some(spec)
    }

    fn drawing_style(&mut self, style: &ast::Name) -> Option<Drawn> {
        let found = Drawn::find(&style.text);
        if found.is_none() {
            let message = format!("a board is not drawn `{}`", style.text);
            let known: Vec<String> = Drawn::names().iter().map(|name| format!("`drawn {name}`")).collect();
            self.report(no_such::<Drawn>(style, message).help(format!("write {}", known.join(" or "))));
        }
        found
    }

    fn board_error(&mut self, code: Code, span: Span, error: &board::BoardError) {
        let diagnostic = Diagnostic::new(code, span, error.to_string());
        self.report(match error.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }

    /// What `keeping` leaves of a board.
    fn kept(&mut self, mut board: Board, modifiers: &[ast::Modifier]) -> Option<Board> {
        for modifier in modifiers {
            let ast::Modifier::Keeping(set) = modifier else { continue };
            // Words are read on the whole board, and forgotten again: they hold sites of that board.
            let words = (self.words.clone(), self.rules.words.len(), self.costs.len());
            let before = std::mem::replace(&mut self.rules.board, board);
            let known = std::mem::replace(&mut self.board_known, true);
            let mistakes = self.diagnostics.len();
            let checked = self.typed(set, Type::Sites);
            let value = self.fixed(&checked, &mut Vec::new());
            self.words = words.0;
            self.rules.words.truncate(words.1);
            self.costs.truncate(words.2);
            self.board_known = known;
            board = std::mem::replace(&mut self.rules.board, before);
            let Some(Value::Sites(sites)) = value else {
                if self.diagnostics.len() == mistakes {
                    self.report(
                        Diagnostic::new(Code::BadBoard, set.span, "the board alone must tell what is kept of it")
                            .help("name sites by rows, sides, names and the like; pieces, players and turns are not known yet"),
                    );
                }
                return None;
            };
            match board.keeping(sites) {
                Ok(kept) => board = kept,
                Err(_) if self.diagnostics.len() > mistakes => return None,
                Err(error) => {
                    self.board_error(Code::BadBoard, set.span, &error);
                    return None;
                }
            }
        }
        Some(board)
    }

    /// Reads the sizes of a board that the options switch off.
    fn board_sizes(&mut self, item: &ast::BoardExpr) {
        match &item.kind {
            ast::BoardKind::Case { cases, .. } => cases.iter().for_each(|(_, board)| self.board_sizes(board)),
            ast::BoardKind::Shape { args, .. } => {
                for arg in args {
                    self.typed(arg, Type::Number);
                }
            }
            ast::BoardKind::Drawn(_) | ast::BoardKind::Lines(_) | ast::BoardKind::Graph { .. } => {}
        }
    }

    /// A shape by its name and sizes.
    fn shape(&mut self, name: &ast::Name, args: &[ast::Expr]) -> Option<Shape> {
        let Some(shape) = SizedShape::find(&name.text) else {
            let named: Vec<&str> = SIZED.iter().map(|shape| shape.name).collect();
            let written: Vec<String> = WRITTEN_OUT.iter().map(|(word, _)| format!("`{word}`")).collect();
            let known: Vec<&str> = named.iter().copied().chain(written.iter().map(String::as_str)).collect();
            self.report(
                Diagnostic::new(Code::BadBoard, name.span, format!("there is no board shape `{}`", name.text))
                    .did_you_mean(&name.text, named)
                    .or_help(|| format!("shapes are {}", listed(&known, "and"))),
            );
            return None;
        };
        self.note(name.span, Meaning::Shape);
        let (least, most) = shape.sizes;
        if args.len() < least || args.len() > most {
            let wanted = match (least, most) {
                (1, 1) => "one size".to_owned(),
                (least, most) if least == most => format!("{least} sizes"),
                (least, most) => format!("{least} or {most} sizes"),
            };
            let be = if args.len() == 1 { "is" } else { "are" };
            let example: Vec<String> = (0..most).map(|index| (5 + index).to_string()).collect();
            self.report(
                Diagnostic::new(
                    Code::WrongArity,
                    name.span,
                    format!("`{}` takes {wanted}, and here {be} {}", name.text, args.len()),
                )
                .help(format!("as in {}({})", name.text, example.join(", "))),
            );
            return None;
        }
        let sizes = args.iter().map(|arg| self.board_size(arg)).collect::<Option<Vec<u32>>>()?;
        let first = *sizes.first()?;
        Some((shape.of)(first, sizes.get(1).copied().unwrap_or(first)))
    }

    fn board_size(&mut self, arg: &ast::Expr) -> Option<u32> {
        let checked = self.typed(arg, Type::Number);
        let Some(Value::Number(Some(number))) = checked.as_constant() else {
            if !self.diagnostics.iter().any(|diagnostic| diagnostic.span == arg.span) {
                self.error(
                    Code::WrongType,
                    arg.span,
                    "the size of a board is made of numbers and options only",
                    "make it an option: `option side : 3..9 = 5`, and then `square(side)`",
                );
            }
            return None;
        };
        let size = u32::try_from(*number).ok();
        if size.is_none() {
            self.error(
                Code::BadBoard,
                arg.span,
                format!("a board cannot have a side of {number}"),
                "write a size from 1 on, as in `square(8)`",
            );
        }
        size
    }
}

/// What stands for a board that is not known: a single site.
fn placeholder() -> BoardSpec {
    BoardSpec { shape: Shape::Rectangle { width: 1, height: 1 }, adjacency: None, coordinates: None, classes: None }
}

/// A name that is none of those to choose from.
fn no_such<T: Named>(name: &ast::Name, message: String) -> Diagnostic {
    Diagnostic::new(Code::BadBoard, name.span, message).did_you_mean(&name.text, T::names())
}

/// Where in the text of a board a mistake is, and what kind of mistake.
fn place_of(item: &ast::BoardExpr, error: &board::BoardError) -> (Code, Span) {
    match (&item.kind, error.offset()) {
        (ast::BoardKind::Drawn(drawn), Some(offset)) => {
            let at = drawn.span.start as usize + offset;
            (Code::BadDrawing, Span::new(drawn.span.source, at, at + 1))
        }
        (ast::BoardKind::Drawn(drawn), None) => (Code::BadDrawing, drawn.span),
        (_, _) => (Code::BadBoard, named_in(item, error).unwrap_or(item.span)),
    }
}

/// The point of a graph that a mistake speaks of.
fn named_in(item: &ast::BoardExpr, error: &board::BoardError) -> Option<Span> {
    let ast::BoardKind::Graph { points, links } = &item.kind else { return None };
    let wanted = match error {
        board::BoardError::UnknownPoint { name }
        | board::BoardError::SelfLink { name }
        | board::BoardError::DuplicateName { name }
        | board::BoardError::BadPlace { name }
        | board::BoardError::SamePlace { second: name, .. } => name,
        _ => return None,
    };
    let point = || points.iter().rev().map(|(name, ..)| name).find(|name| name.text == *wanted);
    let link = match error {
        board::BoardError::UnknownPoint { .. } => {
            links.iter().flat_map(|(a, b)| [a, b]).find(|name| name.text == *wanted)
        }
        board::BoardError::SelfLink { .. } => {
            links.iter().find(|(a, b)| a.text == b.text && a.text == *wanted).map(|(_, b)| b)
        }
        _ => None,
    };
    link.or_else(point).map(|name| name.span)
}

fn about(project: &Project) -> About {
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
            _ => {}
        }
    }
    about
}

/// What a memory holds before anything is said: the empty set, or the number nearest to zero.
fn first_value(ty: Type, range: Option<(i64, i64)>) -> Value {
    match ty {
        Type::Number => Value::Number(Some(range.map_or(0, |(low, high)| 0.clamp(low.min(high), high)))),
        other => super::expr::no_value(other),
    }
}
