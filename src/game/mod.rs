//! The façade: a game loaded from text, its positions and its moves.

pub mod line;
pub(crate) mod notation;
pub mod record;
pub(crate) mod telling;
mod why;

pub use line::Line;
pub use record::Record;
pub use why::Explanation;

use crate::board::{Direction, Directions, Site, SiteSet};
use crate::check::{Checked, Project, Resolve, check};
use crate::diagnostic::{Code, Diagnostic, closest};
pub use crate::engine::Outcome;
use crate::engine::fast::Fast;
use crate::engine::fast::native::Coverage;
use crate::engine::reference::{Reference, Situation};
use crate::engine::{Engine, Play, Snapshot};
use crate::game::notation::{Found, Texts, content_text, value_text as print_value};
use crate::program::{self, Unsupported};
use crate::rules::{
    ChoiceId, Content, KindId, Kinds, MoveId, PlayerId, Players, Recorder, Rules, Scope, Type, Value, canonical,
};
use crate::source::{SourceId, Sources, Span};
use crate::syntax::ast::{self, ValueKind};
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::xxh3_64;

/// A checked game with all options resolved; cheap to clone.
#[derive(Clone, Debug)]
pub struct Game {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    rules: Arc<Rules>,
    engine: Reference,
    fast: OnceLock<Result<Fast, Unsupported>>,
    sources: Sources,
    hash: String,
}

/// Why a game cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The text is in error; the diagnostics say where.
    #[error("{message}")]
    Rules {
        /// How many errors there are.
        message: String,
        /// The errors.
        diagnostics: Vec<Diagnostic>,
        /// The texts they are in.
        sources: Sources,
    },
    /// The command names something that is not there.
    #[error("{message}")]
    Other {
        /// What is not there.
        message: String,
        /// What there is instead.
        help: Option<String>,
    },
}

/// Why a move cannot be played.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PlayError {
    /// No legal move is called so.
    #[error("`{text}` is no legal move{hint}")]
    Illegal {
        /// What was asked for.
        text: String,
        /// What may have been meant.
        hint: String,
    },
    /// Several legal moves are called so.
    #[error("`{text}` could be {}", candidates.join(" or "))]
    Ambiguous {
        /// What was asked for.
        text: String,
        /// The moves that it may mean.
        candidates: Vec<String>,
    },
    /// Nothing can be played any more.
    #[error("the game is over: {reason}")]
    Over {
        /// Why it is over.
        reason: String,
    },
}

impl PlayError {
    /// A word for programs, which stays when the sentence is written anew.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Illegal { .. } => "illegal_move",
            Self::Ambiguous { .. } => "ambiguous_move",
            Self::Over { .. } => "game_over",
        }
    }
}

impl Game {
    /// Compiles a rule text. `name` is what messages call it; options are as written on a command line.
    pub fn from_text(
        name: &str,
        text: &str,
        ruleset: Option<&str>,
        options: &[(String, String)],
        resolve: &dyn Resolve,
    ) -> Result<Self, LoadError> {
        let project = Project::load(name, text, resolve);
        Self::from_project(&project, ruleset, options)
    }

    /// Compiles a project with the options chosen.
    pub fn from_project(
        project: &Project,
        ruleset: Option<&str>,
        options: &[(String, String)],
    ) -> Result<Self, LoadError> {
        let ruleset = chosen_ruleset(project, ruleset)?;
        let settings = chosen_options(project, options)?;
        let Checked { rules, diagnostics } = check(project, &settings, ruleset.as_deref());
        Self::from_rules(project, rules, diagnostics)
    }

    /// A game from rules that have been checked, or the reason why there are none.
    pub(crate) fn from_rules(
        project: &Project,
        rules: Option<Rules>,
        diagnostics: Vec<Diagnostic>,
    ) -> Result<Self, LoadError> {
        let Some(rules) = rules else {
            let errors: Vec<Diagnostic> = diagnostics.into_iter().filter(Diagnostic::is_error).collect();
            let count = errors.len();
            let message = format!("the rules have {count} error{}", if count == 1 { "" } else { "s" });
            return Err(LoadError::Rules { message, diagnostics: errors, sources: project.sources.clone() });
        };
        let hash = format!("{:016x}", xxh3_64(canonical(&rules).as_bytes()));
        let rules = Arc::new(rules);
        let engine = Reference::new(Arc::clone(&rules));
        if engine.apply_setup(&engine.blank(), &rules.start).is_none() {
            let span = rules.start.first().map_or(project.head(), |change| change.span);
            let diagnostic = Diagnostic::new(
                Code::BadStart,
                span,
                "the start cannot be set up: a piece goes to no site, or two to one",
            )
            .help("every `->` needs one site on each side, and every value must fit what is tracked");
            let message = "the rules have 1 error".to_owned();
            return Err(LoadError::Rules { message, diagnostics: vec![diagnostic], sources: project.sources.clone() });
        }
        Ok(Self {
            inner: Arc::new(Inner { rules, engine, fast: OnceLock::new(), sources: project.sources.clone(), hash }),
        })
    }

    /// The same game, which tells a recorder the clauses of one of its texts that play comes to.
    #[must_use]
    pub fn recording(&self, recorder: &Arc<Recorder>, text: SourceId) -> Self {
        recorder.watch(self.rules(), text);
        let Inner { rules, engine, sources, hash, .. } = self.inner.as_ref();
        let engine = engine.clone().recording(Arc::clone(recorder));
        Self {
            inner: Arc::new(Inner {
                rules: Arc::clone(rules),
                engine,
                fast: OnceLock::new(),
                sources: sources.clone(),
                hash: hash.clone(),
            }),
        }
    }

    /// The rules as checked, with all options resolved.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.inner.rules
    }

    /// The texts that the rules come from.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        &self.inner.sources
    }

    /// The reference engine of these rules.
    #[must_use]
    pub fn engine(&self) -> &Reference {
        &self.inner.engine
    }

    /// The fast engine; none for rules that it cannot run.
    #[must_use]
    pub fn fast(&self) -> Option<&Fast> {
        self.lowered().ok()
    }

    /// The fast engine, or what keeps these rules from running on it.
    pub fn lowered(&self) -> Result<&Fast, &Unsupported> {
        self.inner.fast.get_or_init(|| Fast::new(&self.inner.rules)).as_ref()
    }

    /// Makes machine code now, for many short games: each player would else wait until it has played enough by itself.
    pub fn warm(&self) {
        if let Some(fast) = self.fast() {
            fast.warm();
        }
    }

    /// How long it took to write the machine code of the fast engine; none as long as there is none.
    #[must_use]
    pub fn machine_code_time(&self) -> Option<std::time::Duration> {
        self.inner.fast.get().and_then(|fast| fast.as_ref().ok()).and_then(Fast::machine_code_time)
    }

    /// The program that the fast engine runs, as text; or why there is none, with the place.
    pub fn dump_program(&self) -> Result<String, String> {
        let place = |span: Span| self.place(span);
        match self.lowered() {
            Ok(fast) => {
                let code = Coverage::of(fast.program());
                let drawn = fast.drawn_places().iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
                let drawn =
                    if drawn.is_empty() { drawn } else { format!("random games draw plies at place {drawn}\n") };
                Ok(format!("{}\n{drawn}machine code: {code}\n", program::dump(self.rules(), fast.program(), &place)))
            }
            Err(reason) => Err(format!("{} ({})", reason.what, place(reason.span))),
        }
    }

    /// The clauses that the fast engine does not evaluate for the whole board at once, each with its place and what is
    /// done instead; or why it cannot run the game at all.
    #[must_use]
    pub fn slow_clauses(&self) -> Vec<String> {
        match self.lowered() {
            Ok(fast) => {
                let slow = fast.program().slow.iter();
                slow.map(|slow| {
                    let clause = self.sources().slice(slow.span).lines().next().unwrap_or_default();
                    let (place, how, cure) = (self.place(slow.span), slow.how.text(), slow.how.cure());
                    format!("{place}: `{}` is {how}; instead: {cure}", clause.trim())
                })
                .collect()
            }
            Err(reason) => {
                vec![format!("{}: runs on the reference engine only: {}", self.place(reason.span), reason.what)]
            }
        }
    }

    /// A place as people write it: file, line and column.
    fn place(&self, span: Span) -> String {
        self.sources().get(span.source).map_or_else(String::new, |source| {
            let at = source.locate(span.range().start);
            format!("{}:{}:{}", source.name, at.line, at.column)
        })
    }

    /// The engine that runs this game if this one is asked for: the reference where rules cannot be lowered.
    #[must_use]
    pub fn runner(&self, wanted: Engine) -> Engine {
        if wanted == Engine::Fast && self.fast().is_some() { Engine::Fast } else { Engine::Reference }
    }

    /// Somebody to play the game on an engine, from its start; on the reference where rules cannot be lowered.
    #[must_use]
    pub fn player(&self, engine: Engine) -> Box<dyn Play + '_> {
        let fast = match engine {
            Engine::Fast => self.fast(),
            // Lowering takes time, which only the fast engine is worth.
            Engine::Reference => None,
        };
        let mut player = fast.map_or_else(|| self.inner.engine.player(), Fast::player);
        player.load(&self.start_snapshot());
        player
    }

    /// The position before the first move, as engines exchange it.
    #[must_use]
    pub fn start_snapshot(&self) -> crate::engine::Snapshot {
        self.inner.engine.snapshot(&self.inner.engine.start().state)
    }

    /// 16 hexadecimal digits, taken from the checked rules: comments and layout do not change them.
    #[must_use]
    pub fn rules_hash(&self) -> String {
        self.inner.hash.clone()
    }

    /// The position before the first move.
    #[must_use]
    pub fn start(&self) -> Position {
        Position::new(self, self.inner.engine.start())
    }

    fn player_named(&self, name: &str) -> Result<PlayerId, String> {
        let players = &self.rules().players;
        match players.iter().position(|player| player.name == name) {
            Some(index) => Ok(PlayerId(index as u8)),
            None => {
                let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
                Err(format!("there is no player `{name}`; the players are {}", names.join(", ")))
            }
        }
    }

    fn content(&self, text: &str) -> Result<Content, String> {
        let (name, owner) = match text.split_once(':') {
            Some((name, owner)) => (name, Some(self.player_named(owner)?)),
            None => (text, None),
        };
        let kinds = &self.rules().kinds;
        let Some(index) = kinds.iter().position(|kind| kind.name == name) else {
            return Err(format!("there is no piece `{name}`"));
        };
        match (kinds[index].neutral, owner) {
            (true, Some(_)) => Err(format!("a `{name}` belongs to nobody")),
            (false, None) => {
                Err(format!("it is not said whose `{name}` this is; write `{name}:{}`", self.rules().players[0].name))
            }
            _ => Ok(Content::piece(KindId(index as u8), owner)),
        }
    }

    fn site(&self, name: &str) -> Result<Site, String> {
        self.rules().board.find(name).ok_or_else(|| format!("there is no site `{name}` on this board"))
    }

    /// The position that changes make of an empty board, with a player to move.
    pub(crate) fn arranged(
        &self,
        changes: &[crate::rules::Change],
        mover: Option<PlayerId>,
        turn: Option<u32>,
    ) -> Option<Position> {
        let engine = &self.inner.engine;
        let mut state = engine.blank();
        if let Some(mover) = mover {
            engine.set_mover(&mut state, mover);
        }
        // With something on the board the first turn is over, unless it is said otherwise.
        state.turn = turn.unwrap_or(if changes.is_empty() { 1 } else { 2 });
        let mut state = engine.apply_setup(&state, changes)?;
        // The changes may have given him another seat.
        if let Some(mover) = mover {
            engine.set_mover(&mut state, mover);
        }
        Some(Position::new(self, engine.begin(state)))
    }

    /// A position as JSON describes it: `{"mover":..,"sites":{..},"state":{..}?,"turn":n?}`.
    pub fn set_up(&self, position: &Json) -> Result<Position, String> {
        let engine = &self.inner.engine;
        let mut state = engine.blank();
        let object = position.as_object().ok_or("a position is an object with `mover` and `sites`")?;
        if let Some(unknown) = object.keys().find(|key| {
            ![
                "mover", "sites", "stacks", "state", "turn", "ply", "over", "result", "scores", "reason", "moves",
                "chance", "weights",
            ]
            .contains(&key.as_str())
        }) {
            return Err(format!("a position has no `{unknown}`"));
        }
        if let Some(turn) = object.get("turn") {
            let turn = turn.as_u64().and_then(|turn| u32::try_from(turn).ok()).filter(|turn| *turn > 0);
            state.turn = turn.ok_or("`turn` is a number from 1")?;
        } else if object.get("sites").and_then(Json::as_object).is_some_and(|sites| !sites.is_empty()) {
            // With something on the board the first turn is over, unless it is said otherwise.
            state.turn = 2;
        }
        let sites = object.get("sites").ok_or("`sites` is missing: an object of sites and pieces")?;
        for (name, piece) in sites.as_object().ok_or("`sites` is an object of sites and pieces")? {
            let piece = piece.as_str().ok_or_else(|| format!("what stands on {name} is the name of a piece"))?;
            state.put(self.site(name)?, self.content(piece)?);
        }
        if let Some(stacks) = object.get("stacks") {
            self.set_stacks(&mut state, stacks)?;
        }
        if let Some(values) = object.get("state") {
            for (name, value) in values.as_object().ok_or("`state` is an object of names and values")? {
                self.set_value(&mut state, name, value)?;
            }
        }
        match object.get("mover") {
            Some(Json::String(name)) => engine.set_mover(&mut state, self.player_named(name)?),
            // Somebody may sit elsewhere.
            None => {
                let mover = state.mover;
                engine.set_mover(&mut state, mover);
            }
            Some(_) => return Err("`mover` is the name of a player".to_owned()),
        }
        Ok(Position::new(self, engine.arrange(state)))
    }

    /// Stacks by site, each from the bottom to the top, which is what `sites` says of the site if it says anything.
    fn set_stacks(&self, state: &mut crate::engine::reference::State, stacks: &Json) -> Result<(), String> {
        let Some(most) = self.rules().stacks else { return Err("this game has no stacks".to_owned()) };
        for (name, pieces) in stacks.as_object().ok_or("`stacks` is an object of sites and lists of pieces")? {
            let site = self.site(name)?;
            let wanted = || format!("the stack on {name} is a list of pieces, from the bottom to the top");
            let pieces = pieces.as_array().ok_or_else(wanted)?;
            let piece = |piece: &Json| self.content(piece.as_str().ok_or_else(wanted)?);
            let pieces = pieces.iter().map(piece).collect::<Result<Vec<Content>, String>>()?;
            if pieces.len() > most {
                return Err(format!("{name} holds {} pieces; in this game a site holds {most} at most", pieces.len()));
            }
            let top = state.content(site);
            if !top.is_empty() && pieces.last() != Some(&top) {
                return Err(format!("`sites` and `stacks` differ on what is on top of {name}"));
            }
            state.put_stack(site, pieces);
        }
        Ok(())
    }

    fn set_value(&self, state: &mut crate::engine::reference::State, name: &str, value: &Json) -> Result<(), String> {
        let rules = self.rules();
        let Some(index) = rules.memories.iter().position(|memory| memory.declared && memory.name == name) else {
            return Err(format!("the game keeps no value `{name}`"));
        };
        let memory = &rules.memories[index];
        let read = |json: &Json| -> Result<Value, String> {
            let wrong = || format!("`{name}` cannot be {json}");
            Ok(match memory.ty {
                Type::Number => {
                    let number = json.as_i64().ok_or_else(wrong)?;
                    if memory.range.is_some_and(|(low, high)| !(low..=high).contains(&number)) {
                        return Err(wrong());
                    }
                    Value::Number(Some(number))
                }
                Type::Players => match json {
                    Json::Null => Value::Players(Players(0)),
                    json => Value::Players(Players::single(self.player_named(json.as_str().ok_or_else(wrong)?)?)),
                },
                Type::Choice => {
                    let text = json.as_str().ok_or_else(wrong)?;
                    let id = rules.choices.iter().position(|choice| choice == text).ok_or_else(wrong)?;
                    Value::Choice(ChoiceId(id as u16))
                }
                Type::Sites => {
                    let names = json.as_array().ok_or_else(wrong)?;
                    let mut set = SiteSet::EMPTY;
                    for name in names {
                        set.insert(self.site(name.as_str().ok_or_else(wrong)?)?);
                    }
                    Value::Sites(set)
                }
                Type::Directions => match json {
                    Json::Null => Value::Directions(Directions::EMPTY),
                    json => {
                        let way = Direction::parse(&json.as_str().ok_or_else(wrong)?.to_uppercase());
                        Value::Directions(Directions::single(way.ok_or_else(wrong)?))
                    }
                },
                Type::Kinds => match json {
                    Json::Null => Value::Kinds(Kinds(0)),
                    json => {
                        let text = json.as_str().ok_or_else(wrong)?;
                        let kind =
                            |kind: &crate::rules::Kind| kind.name == text || kind.mark.eq_ignore_ascii_case(text);
                        let index = rules.kinds.iter().position(kind).ok_or_else(wrong)?;
                        Value::Kinds(Kinds::single(KindId(index as u8)))
                    }
                },
                _ => return Err(format!("`{name}` cannot be set")),
            })
        };
        match memory.scope {
            Scope::Game => self.inner.engine.set_value(state, index, 0, read(value)?),
            Scope::Player | Scope::Site => {
                for (key, value) in
                    value.as_object().ok_or_else(|| format!("`{name}` has a value for each player or site"))?
                {
                    let offset = if memory.scope == Scope::Player {
                        usize::from(self.player_named(key)?.0)
                    } else {
                        self.site(key)?.index()
                    };
                    self.inner.engine.set_value(state, index, offset, read(value)?);
                }
            }
        }
        Ok(())
    }
}

pub(crate) fn chosen_ruleset(project: &Project, wanted: Option<&str>) -> Result<Option<String>, LoadError> {
    let Some(wanted) = wanted else { return Ok(None) };
    let known: Vec<&str> = project.rulesets().map(|ruleset| ruleset.name.text.as_str()).collect();
    if known.contains(&wanted) {
        return Ok(Some(wanted.to_owned()));
    }
    let help = if known.is_empty() {
        "the game has no rulesets".to_owned()
    } else {
        let list = format!("the rulesets are {}", known.join(", "));
        closest(wanted, known.iter().copied()).map_or(list.clone(), |best| format!("did you mean `{best}`? {list}"))
    };
    Err(LoadError::Other { message: format!("there is no ruleset `{wanted}`"), help: Some(help) })
}

/// Options as text, checked against what the game declares.
pub(crate) fn chosen_options(
    project: &Project,
    options: &[(String, String)],
) -> Result<BTreeMap<String, ValueKind>, LoadError> {
    let mut settings = BTreeMap::new();
    for (name, text) in options {
        let known = || project.options().flat_map(|option| option.names.iter().map(|name| name.text.as_str()));
        let Some(option) = project.options().find(|option| option.names.iter().any(|known| known.text == *name)) else {
            let list: Vec<&str> = known().collect();
            let help = match closest(name, known()) {
                Some(best) => format!("did you mean `{best}`?"),
                None if list.is_empty() => "the game has no options".to_owned(),
                None => format!("the options are {}", list.join(", ")),
            };
            return Err(LoadError::Other { message: format!("there is no option `{name}`"), help: Some(help) });
        };
        let value = text.parse().map_or_else(|_| ValueKind::Name(text.clone()), ValueKind::Number);
        let allowed = match &option.values {
            ast::Values::Range { low, high, .. } => {
                let fits = matches!(&value, ValueKind::Number(number) if (low..=high).contains(&number));
                if fits { None } else { Some(format!("it goes from {low} to {high}")) }
            }
            ast::Values::List(values) => {
                let fits = values.iter().any(|known| known.kind == value);
                let list = || values.iter().map(|value| value.kind.to_string()).collect::<Vec<_>>();
                if fits {
                    None
                } else {
                    let list = list();
                    let best =
                        closest(text, list.iter().map(String::as_str)).map(|best| format!("did you mean `{best}`? "));
                    Some(format!("{}it can be {}", best.unwrap_or_default(), list.join(", ")))
                }
            }
        };
        if let Some(help) = allowed {
            return Err(LoadError::Other {
                message: format!("the option `{name}` cannot be `{text}`"),
                help: Some(help),
            });
        }
        settings.insert(name.clone(), value);
    }
    Ok(settings)
}

/// A value as JSON holds it: numbers and sites as such, all else as text.
pub(crate) fn value_json(rules: &Rules, value: &Value) -> Json {
    match value {
        Value::Number(number) => json!(number),
        Value::Condition(condition) => json!(condition),
        Value::Sites(sites) => json!(sites.iter().map(|site| rules.board.name(site)).collect::<Vec<_>>()),
        Value::Range(range) => json!(range.map(|(low, high)| format!("{low}..{high}"))),
        Value::List(numbers) => json!(numbers),
        value if value.is_empty_set() => Json::Null,
        value => json!(print_value(rules, value)),
    }
}

/// Who came where, as JSON says it.
pub(crate) fn result_json(rules: &Rules, places: &[u8]) -> Json {
    let players = &rules.players;
    let first: Vec<usize> = (0..places.len()).filter(|player| places[*player] == 1).collect();
    let others_equal = places.iter().all(|place| *place <= 2);
    match first.as_slice() {
        [winner] if others_equal => json!({ "winner": players[*winner].name }),
        all if all.len() == places.len() => json!({ "draw": true }),
        _ => {
            let ranks: Map<String, Json> =
                players.iter().zip(places).map(|(player, place)| (player.name.clone(), json!(place))).collect();
            json!({ "ranks": ranks })
        }
    }
}

/// A position of a game; cheap to clone.
#[derive(Clone, Debug)]
pub struct Position {
    inner: Arc<PositionInner>,
}

#[derive(Debug)]
struct PositionInner {
    game: Game,
    situation: Situation,
    texts: OnceLock<Texts>,
}

impl Position {
    fn new(game: &Game, situation: Situation) -> Self {
        Self { inner: Arc::new(PositionInner { game: game.clone(), situation, texts: OnceLock::new() }) }
    }

    /// The game it is a position of.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.inner.game
    }

    /// The state, its legal plies and its outcome, as the reference engine has them.
    #[must_use]
    pub fn situation(&self) -> &Situation {
        &self.inner.situation
    }

    /// Plies played.
    #[must_use]
    pub fn ply(&self) -> u32 {
        self.inner.situation.state.ply
    }

    /// The number of the turn, from 1.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.inner.situation.state.turn
    }

    /// Which seat is to move, counted from 0 in the order of players: whoever sits there may play another side by now.
    #[must_use]
    pub fn seat(&self) -> Option<usize> {
        let state = &self.inner.situation.state;
        (!self.is_over()).then(|| usize::from(self.game().inner.engine.seat(state, state.mover).0))
    }

    /// Who is to move; none when the game is over.
    #[must_use]
    pub fn mover(&self) -> Option<&str> {
        if self.is_over() {
            return None;
        }
        let mover = self.inner.situation.state.mover;
        self.game().rules().players.get(usize::from(mover.0)).map(|player| player.name.as_str())
    }

    /// Who came where, and why; none while the game goes on.
    #[must_use]
    pub fn outcome(&self) -> Option<&Outcome> {
        self.inner.situation.outcome.as_ref()
    }

    /// The place of each seat, from 1; none while the game goes on.
    #[must_use]
    pub fn outcome_by_seat(&self) -> Option<Vec<u8>> {
        let outcome = self.outcome()?;
        let (engine, state) = (&self.game().inner.engine, &self.inner.situation.state);
        let mut places = outcome.places.clone();
        for (player, place) in (0..).zip(&outcome.places) {
            if let Some(seat) = places.get_mut(usize::from(engine.seat(state, PlayerId(player)).0)) {
                *seat = *place;
            }
        }
        Some(places)
    }

    /// Whether the game has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.outcome().is_some()
    }

    /// The sites where something else stands than in another position of the game.
    #[must_use]
    pub fn changed_since(&self, other: &Position) -> SiteSet {
        let (before, now) = (&other.inner.situation.state, &self.inner.situation.state);
        let board = &self.game().rules().board;
        board.all().iter().filter(|site| before.stack(*site) != now.stack(*site)).collect()
    }

    /// The sites where the n-th legal move changes what stands there, with what comes there.
    pub(crate) fn changes_by(&self, index: usize) -> Vec<(Site, Content)> {
        let situation = &self.inner.situation;
        let Some(ply) = situation.legal.get(index) else { return Vec::new() };
        let after = self.game().inner.engine.after(&situation.state, ply);
        let board = &self.game().rules().board;
        let changed = board.all().iter().filter(|site| situation.state.content(*site) != after.content(*site));
        changed.map(|site| (site, after.content(site))).collect()
    }

    /// The number of legal moves, 0 when the game is over.
    #[must_use]
    pub fn move_count(&self) -> usize {
        self.inner.situation.legal.len()
    }

    /// Whether chance decides now, and not the player whose turn it is.
    #[must_use]
    pub fn is_chance(&self) -> bool {
        self.game().inner.engine.is_chance(&self.inner.situation.legal)
    }

    /// How heavy each legal move is where chance decides: one that is twice as heavy comes twice as often. None where a player
    /// decides.
    #[must_use]
    pub fn weights(&self) -> Option<Vec<u32>> {
        let Situation { state, legal, .. } = &self.inner.situation;
        self.is_chance().then(|| legal.iter().map(|ply| self.game().inner.engine.weight(state, ply)).collect())
    }

    /// Where each legal ply stands in the list of them, by its move and its parts.
    pub(crate) fn places_of_plies(&self) -> HashMap<(MoveId, Vec<Value>), usize> {
        let rules = self.game().rules();
        let legal = self.inner.situation.legal.iter().enumerate();
        legal.map(|(at, ply)| ((ply.mv, ply.parts(rules).collect()), at)).collect()
    }

    fn texts(&self) -> &Texts {
        let situation = &self.inner.situation;
        self.inner.texts.get_or_init(|| Texts::new(&self.game().inner.engine, &situation.state, &situation.legal))
    }

    /// The legal moves in notation, in the order of the rules.
    #[must_use]
    pub fn moves(&self) -> Vec<String> {
        self.texts().printed().to_vec()
    }

    /// A legal move by its number, in notation.
    #[must_use]
    pub fn move_text(&self, index: usize) -> Option<String> {
        self.texts().printed().get(index).cloned()
    }

    /// The position as engines exchange it: at the beginning of a turn all that there is, but for the positions before.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.game().inner.engine.snapshot(&self.inner.situation.state)
    }

    /// The position after the n-th legal move.
    #[must_use]
    pub fn play_index(&self, index: usize) -> Option<Position> {
        let situation = &self.inner.situation;
        let ply = situation.legal.get(index)?;
        Some(Position::new(self.game(), self.game().inner.engine.play(situation, ply)))
    }

    /// Which legal move a text means.
    pub fn find(&self, text: &str) -> Result<usize, PlayError> {
        if let Some(outcome) = self.outcome() {
            return Err(PlayError::Over { reason: outcome.reason.clone() });
        }
        match self.texts().find(text) {
            Found::One(index) => Ok(index),
            Found::Several(indices) => {
                let mut candidates: Vec<String> = indices.iter().filter_map(|index| self.move_text(*index)).collect();
                let more = candidates.len().saturating_sub(6);
                candidates.truncate(6);
                if more > 0 {
                    candidates.push(format!("{more} others"));
                }
                Err(PlayError::Ambiguous { text: text.trim().to_owned(), candidates })
            }
            Found::None => Err(PlayError::Illegal { text: text.trim().to_owned(), hint: self.hint(text) }),
        }
    }

    /// Which legal move a text means, also when it is written as people write who leave out what is plain: `e4`, `Nf3`,
    /// `e1g1`. What is a move in the notation of the rules, legal or not, is never read like that.
    pub fn find_short(&self, text: &str) -> Result<usize, PlayError> {
        let found = self.find(text);
        if !matches!(found, Err(PlayError::Illegal { .. })) {
            return found;
        }
        let written = notation::is_written(self.game().rules(), text);
        let meant = if written { self.carrying(text) } else { self.short(text) };
        match meant.as_slice() {
            [only] => Ok(*only),
            [] => found,
            several => {
                let candidates = several.iter().take(6).filter_map(|index| self.move_text(*index)).collect();
                Err(PlayError::Ambiguous { text: text.trim().to_owned(), candidates })
            }
        }
    }

    /// The legal moves that a text may be short for: it ends like the move from its last site on, and what stands before is
    /// part of the rest, in order.
    fn short(&self, text: &str) -> Vec<usize> {
        let situation = &self.inner.situation;
        let rules = self.game().rules();
        let input = notation::bare(text);
        let fits = |index: &usize| {
            let Some(ply) = situation.legal.get(*index) else { return false };
            let sites = ply.parts(rules).filter_map(|value| value.site()).map(|site| rules.board.name(site));
            let whole = self.texts().whole(*index);
            sites.last().is_some_and(|last| notation::is_short_for(&input, &whole, last))
        };
        let all = || 0..situation.legal.len();
        let fitting: Vec<usize> = all().filter(fits).collect();
        if !fitting.is_empty() {
            return self.unsaid(fitting);
        }
        self.carrying(text)
    }

    /// The legal moves without parts that carry a piece between the two sites of a text, as castling carries the king.
    fn carrying(&self, text: &str) -> Vec<usize> {
        let situation = &self.inner.situation;
        let (rules, input) = (self.game().rules(), notation::bare(text));
        let carried = |index: &usize| {
            let ply = situation.legal.get(*index);
            ply.is_some_and(|ply| ply.parts(rules).next().is_none())
                && self
                    .carried_by(*index)
                    .iter()
                    .any(|(from, to)| input == format!("{}{}", rules.board.name(*from), rules.board.name(*to)))
        };
        (0..situation.legal.len()).filter(carried).collect()
    }

    /// Where pieces of several kinds could make a move, the kind that is most numerous at the start of the game goes without
    /// saying, as pawns do.
    fn unsaid(&self, fitting: Vec<usize>) -> Vec<usize> {
        let kind = |index: &usize| {
            let site =
                self.inner.situation.legal.get(*index)?.parts(self.game().rules()).find_map(|value| value.site())?;
            self.inner.situation.state.content(site).kind()
        };
        let start = self.game().start();
        let number = |kind: Option<KindId>| {
            let state = &start.inner.situation.state;
            kind.map_or(0, |kind| state.contents().iter().filter(|content| content.kind() == Some(kind)).count())
        };
        let most = fitting.iter().map(|index| number(kind(index))).max().unwrap_or(0);
        let plain: Vec<usize> = fitting.iter().copied().filter(|index| number(kind(index)) == most).collect();
        if plain.is_empty() { fitting } else { plain }
    }

    /// The pieces that the n-th legal move takes from one site to another, where there is no doubt which went where.
    pub(crate) fn carried_by(&self, index: usize) -> Vec<(Site, Site)> {
        let state = &self.inner.situation.state;
        let changes = self.changes_by(index);
        let left = |content: Content| changes.iter().filter(move |(site, _)| state.content(*site) == content);
        let come = |content: Content| changes.iter().filter(move |(_, now)| *now == content);
        let carried = changes.iter().filter(|(_, content)| !content.is_empty()).filter_map(|(to, content)| {
            let from = left(*content).next()?.0;
            (left(*content).count() == 1 && come(*content).count() == 1).then_some((from, *to))
        });
        carried.collect()
    }

    /// The legal moves that begin like what was tried, or a few of all.
    fn hint(&self, text: &str) -> String {
        let all = self.texts().printed();
        let wanted = text.trim().to_lowercase();
        let close: Vec<&String> = all
            .iter()
            .filter(|known| {
                wanted.len() > 1
                    && known.to_lowercase().starts_with(&wanted[..wanted.chars().next().map_or(0, char::len_utf8)])
            })
            .collect();
        let list = if close.is_empty() || close.len() > 12 { all.iter().take(6).collect::<Vec<_>>() } else { close };
        let shown: Vec<&str> = list.iter().take(6).map(|text| text.as_str()).collect();
        match (all.len(), shown.len()) {
            (1, _) => format!("; the only one is {}", all[0]),
            (all, shown_count) if all == shown_count => format!("; the legal ones are {}", shown.join(", ")),
            (all, _) => format!("; there are {all} legal ones, among them {}", shown.join(", ")),
        }
    }

    /// The position after a move given as text.
    pub fn play(&self, text: &str) -> Result<Position, PlayError> {
        let index = self.find(text)?;
        self.play_index(index).ok_or_else(|| PlayError::Illegal { text: text.to_owned(), hint: String::new() })
    }

    /// The score of each player; empty for games without score.
    #[must_use]
    pub fn scores(&self) -> Vec<(String, i64)> {
        let scores = self.game().inner.engine.scores(&self.inner.situation.state);
        self.game().rules().players.iter().map(|player| player.name.clone()).zip(scores).collect()
    }

    /// The same for equal positions, on every machine.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.inner.situation.state.hash()
    }

    /// Whether a condition holds here, read as in `end`.
    #[must_use]
    pub fn holds(&self, expr: &crate::rules::Expr) -> bool {
        self.game().inner.engine.check(&self.inner.situation.state, expr)
    }

    fn result_json(&self, outcome: &Outcome) -> Json {
        result_json(self.game().rules(), &outcome.places)
    }

    /// The result in words; none while the game goes on.
    #[must_use]
    pub fn result_text(&self) -> Option<String> {
        let result = self.result_json(self.outcome()?);
        Some(match (&result["winner"], &result["ranks"]) {
            (Json::String(winner), _) => format!("{winner} wins"),
            (_, Json::Object(ranks)) => {
                let mut ranks: Vec<(i64, String)> =
                    ranks.iter().map(|(name, place)| (place.as_i64().unwrap_or(0), name.clone())).collect();
                ranks.sort();
                ranks.iter().map(|(place, name)| format!("{place}. {name}")).collect::<Vec<_>>().join(", ")
            }
            _ => "draw".to_owned(),
        })
    }

    /// The position object of the command contract.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let rules = self.game().rules();
        let state = &self.inner.situation.state;
        let sites: Map<String, Json> = rules
            .board
            .all()
            .iter()
            .filter(|site| !state.content(*site).is_empty())
            .map(|site| (rules.board.name(site).to_owned(), json!(content_text(rules, state.content(site)))))
            .collect();
        let scores: Map<String, Json> = self.scores().into_iter().map(|(name, score)| (name, json!(score))).collect();
        let mut object = Map::new();
        object.insert("ply".to_owned(), json!(state.ply));
        object.insert("turn".to_owned(), json!(state.turn));
        object.insert("mover".to_owned(), json!(self.mover()));
        if self.is_chance() {
            object.insert("chance".to_owned(), json!(true));
        }
        object.insert("over".to_owned(), json!(self.is_over()));
        object.insert("result".to_owned(), self.outcome().map_or(Json::Null, |outcome| self.result_json(outcome)));
        if let Some(outcome) = self.outcome() {
            object.insert("reason".to_owned(), json!(outcome.reason));
        }
        object.insert("scores".to_owned(), Json::Object(scores));
        object.insert("sites".to_owned(), Json::Object(sites));
        if rules.stacks.is_some() {
            object.insert("stacks".to_owned(), self.stacks());
        }
        let tracked = self.tracked();
        if !tracked.is_empty() {
            object.insert("state".to_owned(), Json::Object(tracked));
        }
        Json::Object(object)
    }

    /// The sites with more than one piece, from the bottom to the top.
    fn stacks(&self) -> Json {
        let rules = self.game().rules();
        let stacks = rules.board.all().iter().map(|site| (site, self.inner.situation.state.stack(site)));
        let high = stacks.filter(|(_, stack)| stack.len() > 1);
        let text = |(site, stack): (Site, Vec<Content>)| {
            let pieces = stack.into_iter().map(|piece| json!(content_text(rules, piece))).collect();
            (rules.board.name(site).to_owned(), Json::Array(pieces))
        };
        Json::Object(high.map(text).collect())
    }

    /// The tracked values by name.
    fn tracked(&self) -> Map<String, Json> {
        let rules = self.game().rules();
        let mut map = Map::new();
        let text = |value: &Value| value_json(rules, value);
        for (index, memory) in rules.memories.iter().enumerate().filter(|(_, memory)| memory.declared) {
            let values = self.game().inner.engine.values(&self.inner.situation.state, index);
            let json = match memory.scope {
                Scope::Game => values.first().map_or(Json::Null, text),
                Scope::Player => {
                    let each: Map<String, Json> = rules
                        .players
                        .iter()
                        .zip(values)
                        .map(|(player, value)| (player.name.clone(), text(value)))
                        .collect();
                    Json::Object(each)
                }
                Scope::Site => {
                    let each: Map<String, Json> = rules
                        .board
                        .all()
                        .iter()
                        .zip(values)
                        .map(|(site, value)| (rules.board.name(site).to_owned(), text(value)))
                        .collect();
                    Json::Object(each)
                }
            };
            map.insert(memory.name.clone(), json);
        }
        map
    }

    /// The board as text, with coordinates.
    #[must_use]
    pub fn draw(&self) -> String {
        let rules = self.game().rules();
        let state = &self.inner.situation.state;
        let mark = |content: Content| {
            let Some(kind) = content.kind().and_then(|kind| rules.kinds.get(usize::from(kind.0))) else {
                return ".".to_owned();
            };
            match (content.owner(), rules.players.len()) {
                (None, _) => kind.mark.clone(),
                (Some(PlayerId(0)), 1 | 2) => kind.mark.to_uppercase(),
                (Some(_), 1 | 2) => kind.mark.to_lowercase(),
                (Some(player), _) => format!("{}{}", kind.mark.to_uppercase(), player.0 + 1),
            }
        };
        let stack = |site: Site| match state.stack(site).as_slice() {
            [] => mark(Content::EMPTY),
            pieces => {
                let hidden = pieces.len().saturating_sub(MARKS);
                let first = (hidden > 0).then(|| format!("+{hidden}"));
                let marks = first.into_iter().chain(pieces.iter().skip(hidden).map(|piece| mark(*piece)));
                marks.collect::<Vec<_>>().join("/")
            }
        };
        crate::board::text::draw(&rules.board, &stack, true)
    }
}

/// So many pieces of a stack are drawn as text; of those beneath it is said how many they are.
const MARKS: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;

    const ROW: &str = r#"
        game "Row"
        players Black, White
        board square(3)
        piece stone of each player
        move put "{cell}" { cell : empty; cell becomes stone of mover }
        turn { put }
        end { mover wins when line(3, own, directions) "three in a row"; draw when stuck }
    "#;

    #[test]
    fn moves_may_be_written_as_people_write_them_where_only_one_is_meant() {
        let chess = Game::from_text("chess", Library::text("chess").unwrap(), None, &[], &Library).unwrap();
        let mut position = chess.start();
        for short in ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "e1g1"] {
            let index = position.find_short(short).unwrap_or_else(|error| panic!("{short}: {error}"));
            position = position.play_index(index).unwrap();
        }
        // The notation of the rules comes first, also where it is no legal move.
        for wrong in ["e2e5", "a9", "Qd9", "Nf3"] {
            assert!(matches!(position.find_short(wrong), Err(PlayError::Illegal { .. })), "{wrong}");
        }
        let epoxy = Game::from_text("epoxy", Library::text("epoxy").unwrap(), None, &[], &Library).unwrap();
        let position = epoxy.start().play("e3").unwrap().play("l8").unwrap();
        let hidden = position.moves().iter().all(|mv| mv != "g3");
        assert!(hidden && position.find_short("g3").is_err(), "a stone that may not be added is no slide");
    }

    #[test]
    fn a_refusal_can_be_said_without_a_word_of_the_rule_text() {
        let position = Game::from_text("row", ROW, None, &[], &Library).unwrap().start().play("b2").unwrap();
        let said = position.why("b2").plain(&position);
        assert_eq!(said, "b2 cannot be chosen: a stone of Black stands there.");
    }

    const SLIDE: &str = r#"
        game "Slide"
        option far : 1..3 = 2
        players Light, Dark
        board square(4)
        piece stone of each player
        track passed : 0..3 = 0
        start { every x in row(1) : x becomes stone of Light; every x in row(4) : x becomes stone of Dark }
        move slide "{from}-{to}[x]?" {
          from : own
          d : directions
          k : 1..far
          to = ahead(from, d, k)
          if to in empty
          from -> to
          passed becomes 0
        }
        move wait "wait" { if passed < 2; passed becomes passed + 1 }
        turn {
          slide or wait
          extra turn when some slide this turn with to in corner
        }
        end { draw when turns without slide > 3 "nobody moves"; draw when position seen 3; next loses when stuck }
    "#;

    const HEXES: &str = r#"
        game "Hexes"
        players A, B
        board hexagon(3)
        piece stone of each player
        word near(x) = count (own next_to x)
        move put "{cell}{if near(cell) > 1 then 1 else 0}" { cell : empty; if not (some put last turn with cell in edge); cell becomes stone of mover }
        turn { two or pass }
        pattern two = put, (put with near(cell) = 1 or skip)
        end { best score when ply >= 12 }
        score(p) = most { count connected(x, of p) for x in of p }
    "#;

    fn game(text: &str) -> Game {
        match Game::from_text("test.game", text, None, &[], &Library) {
            Ok(game) => game,
            Err(error) => panic!("{error:?}"),
        }
    }

    /// These change if the rules are written out in another way. Games saved before then warn that the rules have changed:
    /// raise the version in `rules/canonical.rs`, and say so in the list of changes. They change too if the words of the
    /// prelude that the games use say something else, which is a change of the rules.
    #[test]
    fn hashes_of_rules_stay_what_they_are() {
        let hashes = [ROW, SLIDE, HEXES].map(|text| game(text).rules_hash());
        assert_eq!(hashes, ["7cddbdf7be5ccfa7", "f2284258fa4df5a9", "c59863756986ad3e"]);
    }

    #[test]
    fn rules_that_differ_only_in_a_reason_that_looks_like_a_place_have_two_hashes() {
        let [one, two] = ["span: one", "span: two"].map(|reason| game(&ROW.replace("three in a row", reason)));
        assert_ne!(one.rules_hash(), two.rules_hash());
    }

    #[test]
    fn places_and_names_of_words_and_what_the_game_does_not_reach_are_not_in_the_hash() {
        let hash = game(HEXES).rules_hash();
        assert_eq!(game(&format!("\n\n// moved\n{HEXES}")).rules_hash(), hash, "places");
        assert_eq!(game(&HEXES.replace("near", "friends_of")).rules_hash(), hash, "names");
        assert_eq!(game(&format!("{HEXES}\nword spare = own next_to empty\n")).rules_hash(), hash, "words without use");
        assert_eq!(game(&format!("{HEXES}\nmove spare {{ a : own; a becomes empty }}\n")).rules_hash(), hash, "moves");
        assert_ne!(game(&HEXES.replace("> 1", "> 2")).rules_hash(), hash);
        assert_ne!(game(&HEXES.replace("connected(x, of p)", "connected(x, empty)")).rules_hash(), hash);
    }

    #[test]
    fn what_is_asked_twice_is_remembered_once() {
        let text = SLIDE.replace("if passed < 2", "if passed < 2; if not some slide this turn with to in corner");
        let memories = |text: &str| game(text).rules().memories.len();
        assert_eq!(memories(&text), memories(SLIDE));
        let other = text.replace("with to in corner\n", "with to in edge\n");
        assert_ne!(other, text);
        assert_eq!(memories(&other), memories(SLIDE) + 1);
    }
}
