//! The façade: a game loaded from text, its positions and its moves.

mod choice;
mod homes;
mod json;
pub mod line;
pub(crate) mod notation;
mod points;
mod position;
pub mod record;
mod setup;
mod short;
mod sight;
mod store;
pub(crate) mod telling;
#[cfg(test)]
mod tests;
mod why;

pub(crate) use choice::{chosen_options, chosen_ruleset};
pub(crate) use homes::{Home, joins};
pub(crate) use json::{result_json, value_json};
pub use line::Line;
pub use points::Points;
pub use position::Position;
pub use record::Record;
pub(crate) use sight::{Eye, Told};
pub use store::Departure;
pub use why::{Explanation, never_a_move};

use crate::check::{Checked, Project, Resolve, check};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::fast::native::{Coverage, left};
use crate::engine::fast::{Fast, MachineCode};
use crate::engine::reference::Reference;
pub use crate::engine::{Bound, Outcome, ROOM, STEPS, Stopped};
use crate::engine::{Engine, Play, Snapshot};
use crate::program::{self, How, Unsupported};
use crate::rules::{NodeKind, Recorder, Rules, canonical};
use crate::source::{SourceId, Sources, Span};
use std::borrow::Cow;
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
    /// The position in which games begin; none where it takes too long to work out.
    start: OnceLock<Option<Snapshot>>,
    sources: Sources,
    hash: String,
}

/// What is slow about a change that may be impossible.
const MAY_FAIL: &str = "is tried for one move after the other, since where it cannot be done the move is illegal";
/// How such a change is written so that it can always be done.
const CANNOT_FAIL: &str = "write what can always be done, as in `n becomes min(n + 1, 9)` for a number with a range, or ask before it for what it needs on the same part, as in `to : tall(to) < 9`";

/// A clause for which there is no fast way.
#[derive(Clone, Debug)]
pub(crate) struct SlowPlace {
    pub span: Span,
    /// How it is worked out, as a sentence without its subject.
    pub how: String,
    /// What can be written instead, where that is known.
    pub cure: Option<&'static str>,
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
    /// The move is legal, but what follows it takes more steps or more memory than a ply may.
    #[error("{message}")]
    Stopped {
        /// How many steps or bytes there were, and where in the rules they were used up.
        message: String,
        /// Which of the two.
        bound: Bound,
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
            Self::Stopped { bound: Bound::Steps(_), .. } => "too_many_steps",
            Self::Stopped { bound: Bound::Room(_), .. } => "too_many_moves",
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
            inner: Arc::new(Inner {
                rules,
                engine,
                fast: OnceLock::new(),
                start: OnceLock::new(),
                sources: project.sources.clone(),
                hash,
            }),
        })
    }

    /// The same game, which tells a recorder the clauses of one of its texts that play comes to.
    #[must_use]
    pub fn recording(&self, recorder: &Arc<Recorder>, text: SourceId) -> Self {
        recorder.watch(self.rules(), text);
        self.on(self.inner.engine.clone().recording(Arc::clone(recorder)))
    }

    /// The same game, in which working out one ply may take so many steps; [`STEPS`](crate::engine::STEPS) unless this is said.
    /// What takes more ends the game there, and nobody wins: [`Position::stopped`] tells it.
    #[must_use]
    pub fn with_steps(&self, steps: u64) -> Self {
        self.on(self.inner.engine.clone().with_steps(steps))
    }

    /// A game of other rules made from the same texts, to be played but not to be written down: the hash is that of this game.
    #[must_use]
    pub(crate) fn with_rules(&self, rules: Rules) -> Self {
        let rules = Arc::new(rules);
        let engine = Reference::new(Arc::clone(&rules)).with_steps(self.inner.engine.steps());
        self.of(rules, engine)
    }

    /// The same game on another reference engine.
    fn on(&self, engine: Reference) -> Self {
        self.of(Arc::clone(&self.inner.rules), engine)
    }

    fn of(&self, rules: Arc<Rules>, engine: Reference) -> Self {
        let Inner { sources, hash, .. } = self.inner.as_ref();
        Self {
            inner: Arc::new(Inner {
                rules,
                engine,
                fast: OnceLock::new(),
                start: OnceLock::new(),
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
        let Inner { fast, rules, engine, .. } = self.inner.as_ref();
        fast.get_or_init(|| Fast::within(rules, MachineCode::default(), engine.steps())).as_ref()
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

    /// The clauses that the fast engine does not evaluate for the whole board at once, or leaves to the interpreter. None where
    /// it cannot run the game.
    #[must_use]
    pub(crate) fn slow_places(&self) -> Vec<SlowPlace> {
        let Some(fast) = self.fast() else { return Vec::new() };
        let slow = fast.program().slow.iter().map(|slow| {
            let why = slow.because.map_or(String::new(), |span| {
                format!(", since `{}` ({}) may make the move illegal", self.line(span), self.place(span))
            });
            if slow.how == How::EachPick && self.is_change(slow.span) {
                return SlowPlace { span: slow.span, how: MAY_FAIL.to_owned(), cure: Some(CANNOT_FAIL) };
            }
            SlowPlace { span: slow.span, how: format!("is {}{why}", slow.how.text()), cure: Some(slow.how.cure()) }
        });
        let left = left(fast.program(), self.rules()).into_iter();
        let left = left.map(|left| SlowPlace {
            span: left.span,
            how: format!("has no machine code, since {}", left.why),
            cure: None,
        });
        slow.chain(left).collect()
    }

    /// Whether a line of a move changes something here.
    fn is_change(&self, span: Span) -> bool {
        self.rules().graph.node_weights().any(|node| {
            matches!(&node.kind, NodeKind::Change(changes) | NodeKind::Repeat { changes, .. }
                if changes.iter().any(|change| change.span == span))
        })
    }

    /// A place in the rules with the first line of what is written there.
    #[must_use]
    pub(crate) fn clause(&self, span: Span) -> String {
        let words: Vec<&str> = self.line(span).split_whitespace().collect();
        format!("{}: `{}`", self.place(span), words.join(" "))
    }

    /// The first line of a place in the rules.
    fn line(&self, span: Span) -> &str {
        self.sources().slice(span).lines().next().unwrap_or_default().trim()
    }

    /// The same in sentences; or why the fast engine cannot run the game at all.
    #[must_use]
    pub fn slow_clauses(&self) -> Vec<String> {
        match self.lowered() {
            Ok(_) => {
                let mut told: Vec<(Vec<Span>, SlowPlace)> = Vec::new();
                for slow in self.slow_places() {
                    let same = |(_, known): &&mut (Vec<Span>, SlowPlace)| {
                        known.how == slow.how && self.line(known.span) == self.line(slow.span)
                    };
                    match told.iter_mut().find(same) {
                        Some((others, _)) => others.push(slow.span),
                        None => told.push((Vec::new(), slow)),
                    }
                }
                let mut advised = Vec::new();
                told.into_iter().map(|(others, slow)| self.told_of_slow(&others, &slow, &mut advised)).collect()
            }
            Err(reason) => {
                let place = self.place(reason.span);
                let (cost, steps) = (self.rules().cost, self.inner.engine.steps());
                let more = if cost > steps && cost < u64::MAX {
                    format!(
                        "; instead: choose parts from smaller sets, or let a ply take so many, `--steps {cost}`: that is the most that what is declared allows, and what is taken may be far less"
                    )
                } else {
                    String::new()
                };
                vec![format!("{place}: runs on the reference engine only: {}{more}", reason.what)]
            }
        }
    }

    /// What is slow at some places where the same is written. A way out that has been told is not told again.
    fn told_of_slow(&self, others: &[Span], slow: &SlowPlace, advised: &mut Vec<&'static str>) -> String {
        let others: Vec<String> = others.iter().map(|other| self.place(*other)).collect();
        let others = if others.is_empty() { String::new() } else { format!(" (and {})", others.join(", ")) };
        let new = slow.cure.filter(|cure| !advised.contains(cure));
        advised.extend(new);
        let instead = new.map_or(String::new(), |cure| format!("; instead: {cure}"));
        format!("{}{others} {}{instead}", self.clause(slow.span), slow.how)
    }

    /// Why a ply was given up, with the place in the rules where its steps were used up, or the move that it is about.
    #[must_use]
    pub fn told_of_stop(&self, stopped: &Stopped) -> String {
        let place = self.place(stopped.at);
        let mv = self.rules().moves.iter().find(|mv| mv.span == stopped.at && matches!(stopped.bound, Bound::Room(_)));
        match mv {
            Some(mv) => format!("{stopped}; the move `{}`, at {place}, can be made in so many ways", mv.name),
            None => format!("{stopped}; the last of them at {place}"),
        }
    }

    /// What [`PlayError::Stopped`] says of it.
    #[must_use]
    pub fn error_of_stop(&self, stopped: &Stopped) -> PlayError {
        PlayError::Stopped { message: self.told_of_stop(stopped), bound: stopped.bound }
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
        let start = self.start_worked_out();
        let fast = match engine {
            // Where the start cannot be worked out, the reference says so.
            Engine::Fast if start.is_some() => self.fast(),
            // Lowering takes time, which only the fast engine is worth.
            Engine::Fast | Engine::Reference => None,
        };
        let mut player = fast.map_or_else(|| self.inner.engine.player(), Fast::player);
        player.load(&start.unwrap_or_else(|| Cow::Owned(self.start_snapshot())));
        player
    }

    /// The position in which games begin, worked out once; none where that takes more steps than a ply may.
    fn start_worked_out(&self) -> Option<Cow<'_, Snapshot>> {
        let engine = &self.inner.engine;
        let work_out = || {
            let start = engine.start();
            start.stopped.is_none().then(|| engine.snapshot(&start.state))
        };
        // A recorder hears of every game that begins.
        if engine.is_recording() {
            return work_out().map(Cow::Owned);
        }
        self.inner.start.get_or_init(work_out).as_ref().map(Cow::Borrowed)
    }

    /// The position before the first move, as engines exchange it.
    #[must_use]
    pub fn start_snapshot(&self) -> Snapshot {
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
}
