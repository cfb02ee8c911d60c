//! From syntax trees to checked rules: one project of texts, any number of choices of its options.

mod arguments;
mod balance;
mod bends;
mod beyond;
mod board;
mod chance;
mod changes;
mod cost;
mod endings;
mod families;
mod flow;
mod halves;
mod hidden;
mod history;
mod infer;
mod joined;
mod leaving;
mod left_out;
mod length;
mod lints;
mod members;
mod moved;
mod moves;
mod named;
mod names;
mod narrowed;
mod notation;
mod options;
mod owners;
mod paths;
mod phrases;
mod picks;
mod pieces;
mod players;
mod project;
mod questions;
mod replies;
mod rows;
mod script;
mod setup;
mod spent;
mod start;
mod substitute;
mod travel;
mod turns;
mod unset;
mod uses;
mod ways;
mod words;

#[cfg(test)]
pub(crate) use project::Alone;
pub use project::{Project, Resolve};
pub use script::{CheckedScript, ScriptStep, ScriptStepKind, check_script};
pub use uses::{Meaning, Uses, uses};

use crate::board::Direction;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::*;
use crate::source::Span;
use crate::stack::on_large_stack;
use crate::syntax::ast;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// The outcome of a check: rules if there was no error, and all that was found.
#[derive(Debug)]
pub struct Checked {
    pub rules: Option<Rules>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks a project with the options of a ruleset and further settings, which come on top of it.
#[must_use]
pub fn check(project: &Project, settings: &BTreeMap<String, ast::ValueKind>, ruleset: Option<&str>) -> Checked {
    check_with(project, settings, ruleset, |_| {})
}

/// Checks the rules, and then something that speaks of them.
fn check_with(
    project: &Project,
    settings: &BTreeMap<String, ast::ValueKind>,
    ruleset: Option<&str>,
    also: impl FnOnce(&mut Checker<'_>) + Send,
) -> Checked {
    // The checker recurses; so deep the stack of a caller need not be.
    on_large_stack(|| checked(project, settings, ruleset, also)).unwrap_or_else(|| Checked {
        rules: None,
        diagnostics: vec![Diagnostic::new(
            Code::TooDeep,
            project.head(),
            "the rules could not be checked within the stack",
        )],
    })
}

fn checked(
    project: &Project,
    settings: &BTreeMap<String, ast::ValueKind>,
    ruleset: Option<&str>,
    also: impl FnOnce(&mut Checker<'_>),
) -> Checked {
    let mut checker = match Checker::new(project, settings, ruleset) {
        Ok(checker) => checker,
        Err(diagnostics) => return Checked { rules: None, diagnostics: all(project, diagnostics) },
    };
    let of_options = checker.diagnostics.len();
    let guessed = checker.diagnostics.iter().any(Diagnostic::is_error);
    checker.run();
    also(&mut checker);
    checker.finish_events();
    checker.remember_unasked();
    checker.check_who_faces();
    checker.report_unset();
    checker.check_costs();
    checker.check_bounded();
    checker.check_lints();
    let Checker { mut rules, mut diagnostics, .. } = checker;
    rules.mark_witnesses();
    if guessed {
        // What depends on a value that nobody chose is not to be told.
        let mut index = 0;
        diagnostics.retain(|diagnostic| {
            index += 1;
            let of_values = matches!(
                diagnostic.code,
                Code::OutOfRange
                    | Code::UnknownSite
                    | Code::NoDirection
                    | Code::Excluded
                    | Code::BadBoard
                    | Code::BadStart
            );
            index <= of_options || !of_values || diagnostic.code == Code::BadBoard && !diagnostic.fixes.is_empty()
        });
    }
    let diagnostics = all(project, diagnostics);
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    Checked { rules: (!failed).then_some(rules), diagnostics }
}

/// What reading and checking found, without what only follows from something else.
fn all(project: &Project, checked: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let lost = |diagnostic: &Diagnostic| {
        let unknown = matches!(
            diagnostic.code,
            Code::UnknownName
                | Code::UnknownPlayer
                | Code::UnknownPiece
                | Code::UnknownMove
                | Code::UnknownOption
                | Code::BadRuleset
                | Code::WrongArity
        );
        unknown && project.lost.contains(project.sources.slice(diagnostic.span))
    };
    let mut all: Vec<Diagnostic> = project.diagnostics.clone();
    all.extend(blamed(project, checked.into_iter().filter(|diagnostic| !lost(diagnostic)).collect()));
    // A lint beside an error is most often its shadow.
    if all.iter().any(Diagnostic::is_error) {
        all.retain(Diagnostic::is_error);
    }
    in_the_file(project, all)
}

/// Errors in a shipped game stand where the file that extends it has brought them about, once for each place.
fn blamed(project: &Project, all: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut told: Vec<Diagnostic> = Vec::new();
    for found in all {
        let Some(base) = project.shipped(found.span).filter(|_| found.is_error()) else {
            told.push(found);
            continue;
        };
        let name = project.sources.slice(found.span);
        let dropped = project.dropped(name);
        let span = dropped.unwrap_or_else(|| project.head());
        if told.iter().any(|known| (known.span, known.code) == (span, found.code)) {
            continue;
        }
        let line =
            project.sources.get(found.span.source).map_or(1, |source| source.locate(found.span.range().start).line);
        let place = format!("`{base}`, line {line}");
        let blamed = match dropped {
            Some(_) => Diagnostic::new(found.code, span, format!("`{name}` is dropped, but {place}, asks for it"))
                .help(format!("define a `{name}` of your own, or drop what asks for it too")),
            None => Diagnostic::new(
                found.code,
                span,
                format!("{place}, no longer fits what this file says: {}", found.message),
            )
            .help("write what is there anew in this file, so that it fits, or drop it"),
        };
        told.push(blamed.also(found.span, found.label));
    }
    told
}

/// Nobody can mend the standard words: where they no longer fit, a name of the file is to blame, and the file is shown.
fn in_the_file(project: &Project, all: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let (standard, mut own): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|diagnostic| project.is_standard(diagnostic.span));
    if own.iter().any(Diagnostic::is_error) {
        return own;
    }
    own.extend(standard.into_iter().take(1).map(|diagnostic| {
        Diagnostic::new(
            Code::Reserved,
            project.head(),
            format!("the standard words no longer mean what they should: {}", diagnostic.message),
        )
        .help("a player, a piece or a word of this file has a name that the language uses: give it another name")
    }));
    own
}

/// A type that may not be known yet: that of a parameter without annotation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ty {
    Known(Type),
    Open(usize),
}

#[derive(Clone, Debug)]
struct Bound {
    name: String,
    span: Span,
    local: Local,
    ty: Ty,
    /// What a name of a member of a family stands for.
    member: Option<Expr>,
}

/// The names in force where an expression stands.
#[derive(Clone, Debug, Default)]
struct Frame {
    bound: Vec<Bound>,
    next: usize,
    /// In a word, the parameters of which one member is needed.
    ones: Vec<bool>,
    /// In a move, the definitions that may have several members, and what may have none.
    several: Vec<Local>,
    missing: Vec<Local>,
    /// What stands for one member of a set: parts that are always picked, and names that go through a set.
    singles: Vec<Local>,
    /// Inside a move, `before` has a meaning.
    in_move: bool,
    /// Inside `end`, `score` and `ties`.
    in_end: bool,
    /// Inside a word, which may be one for `end`.
    in_word: bool,
    /// Inside a line `so that` of this move.
    after: Option<MoveId>,
}

/// What a file defines by a name, and may never use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Defined {
    /// A word or a region.
    Word,
    Path,
    Tracked,
    Piece,
    Option,
    Move,
    Pattern,
    /// A change that moves make by name.
    Change,
}

#[derive(Clone, Debug)]
enum WordState {
    Unchecked(Rc<ast::Definition>),
    InProgress,
    Done(WordId),
    /// Several sets, to be gone through one by one.
    Family(Rc<families::Family>),
    Failed,
}

struct Checker<'p> {
    project: &'p Project,
    rules: Rules,
    diagnostics: Vec<Diagnostic>,
    /// False inside what the options switch off: types are checked there, boards and players are not.
    live: bool,
    /// False if the board cannot be built: nothing is said about its sites then.
    board_known: bool,
    /// Something asks whether a pattern of turns is possible: it is looked through, with what its plies change.
    asks_possible: bool,
    frame: Frame,
    open_types: Vec<Option<Type>>,
    words: BTreeMap<String, WordState>,
    /// What each checked word may come to.
    bounds: Vec<cost::Bounds>,
    /// And how many members it asks for and gives.
    word_members: Vec<members::WordMembers>,
    /// Of which each player has one piece at most.
    lone_kinds: BTreeSet<KindId>,
    extent: cost::Extent,
    /// Levels of the text that are being checked, words that are looked up on the way included.
    open: usize,
    /// Inside an expression, whose levels are counted from its outermost.
    inside: bool,
    /// Inside comparisons whose numbers are counted in halves.
    counting_halves: usize,
    /// Comparisons with what may have no value yet, and what is asked whether it has one.
    unset: Vec<unset::Unset>,
    looked_for: BTreeSet<MemoryId>,
    /// Words that ask which way a player faces, and whether anything but words does.
    facing_words: BTreeSet<String>,
    asks_facing: bool,
    /// Nodes of the graph that belong to moves; those of turns come after them.
    nodes_of_moves: usize,
    word_stack: Vec<(String, Span)>,
    tracks: BTreeMap<String, MemoryId>,
    /// The direction of each path; none of one that could not be made.
    paths: BTreeMap<String, Option<Direction>>,
    options: BTreeMap<String, Setting>,
    option_values: BTreeMap<String, Vec<String>>,
    players: BTreeMap<String, Option<PlayerId>>,
    kinds: BTreeMap<String, KindId>,
    /// With all that they say in short written out.
    move_items: Vec<Rc<ast::MoveItem>>,
    /// The changes with names that each move makes, and those that what is being checked makes.
    made_in_moves: Vec<Vec<named::WrittenOut>>,
    /// The parts of the move that is being written out.
    parts_around: Vec<ast::Name>,
    written: Vec<named::WrittenOut>,
    move_ids: BTreeMap<String, MoveId>,
    patterns: BTreeMap<String, Rc<ast::Pattern>>,
    pattern_stack: Vec<String>,
    /// What could be answered to moves; built when all moves are checked.
    replies: Vec<replies::Reply>,
    /// Moves that ask what could be answered to them, and the same without such questions.
    unasked: BTreeMap<MoveId, MoveId>,
    /// Of moves that move no part, the definition that they move: `by it` asks for it.
    defined_movers: BTreeMap<MoveId, Local>,
    /// Events whose conditions wait until all moves are checked.
    pending: Vec<(usize, ast::Event)>,
    history: HashMap<history::Question, MemoryId>,
    used: BTreeSet<(Defined, String)>,
    /// What names were found to mean, where somebody asks.
    notes: Option<uses::Notes>,
}

impl<'p> Checker<'p> {
    fn run(&mut self) {
        self.set_up();
        self.check_named_changes();
        for index in 0..self.move_items.len() {
            self.check_move(index);
        }
        self.check_words();
        self.check_start();
        self.check_turns();
        self.check_endings();
        self.check_patterns();
        self.check_hidden();
        self.check_seats();
        self.check_leaving();
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        let Some(diagnostic) = self.told_where_made(diagnostic) else { return };
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.report(Diagnostic::new(code, span, message).help(help));
    }

    /// Checks something that the options switch off.
    fn dead<T>(&mut self, dead: bool, check: impl FnOnce(&mut Self) -> T) -> T {
        let live = self.live;
        self.live = live && !dead;
        let result = check(self);
        self.live = live;
        result
    }

    fn choice(&mut self, name: &str) -> ChoiceId {
        let at = self.rules.choices.iter().position(|choice| choice == name).unwrap_or_else(|| {
            self.rules.choices.push(name.to_owned());
            self.rules.choices.len() - 1
        });
        ChoiceId(u16::try_from(at).unwrap_or(u16::MAX))
    }

    fn bind(&mut self, name: &ast::Name, ty: Ty) -> Local {
        let local = Local(self.frame.next);
        self.frame.next += 1;
        self.bind_as(name, local, ty);
        local
    }

    fn bind_as(&mut self, name: &ast::Name, local: Local, ty: Ty) {
        self.note_binding(name.span, ty);
        self.frame.bound.push(Bound { name: name.text.clone(), span: name.span, local, ty, member: None });
    }

    fn unbind(&mut self) {
        self.frame.bound.pop();
    }

    fn memory(&mut self, memory: Memory) -> MemoryId {
        self.rules.memories.push(memory);
        MemoryId(self.rules.memories.len() - 1)
    }

    fn check_words(&mut self) {
        let names: Vec<String> = self.words.keys().cloned().collect();
        for name in names {
            // To be checked is not to be used.
            let used = self.is_used(Defined::Word, &name);
            self.word(&name);
            if !used {
                self.used.remove(&(Defined::Word, name));
            }
        }
    }

    fn mark_used(&mut self, what: Defined, name: &str) {
        self.used.insert((what, name.to_owned()));
    }

    fn is_used(&self, what: Defined, name: &str) -> bool {
        self.used.contains(&(what, name.to_owned()))
    }
}
