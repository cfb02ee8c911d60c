//! The checked rules of one game with all options resolved: the rule graph and everything that its nodes speak of.

pub mod asked;
mod canonical;
pub mod catalogue;
mod change;
mod coverage;
mod dump;
mod expr;
mod figure;
mod form;
mod held;
pub mod settled;
mod value;
mod witness;

pub use crate::operator::{End, Place};
pub use canonical::canonical;
pub use change::{Change, ChangeKind, Slice};
pub use coverage::Recorder;
pub use dump::{dump, to_dot, to_mermaid};
pub use expr::{ArithmeticOp, CompareOp, Expr, ExprKind, Local, MemoryId, MoveId, Reduce, WordId};
pub use figure::Figure;
pub use form::Role;
pub use value::{
    ChoiceId, Content, KindId, Kinds, MAX_KINDS, MAX_PLAYERS, MAX_RANGE, MAX_ROUNDS, PlayerId, Players, Type, Value,
};

use crate::board::{Board, Direction};
pub use crate::source::Span;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

/// The value an option has in these rules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Setting {
    Number(i64),
    Choice(ChoiceId),
}

#[derive(Clone, Debug)]
pub struct Player {
    pub name: String,
    pub facing: Option<Direction>,
}

#[derive(Clone, Debug)]
pub struct Kind {
    pub name: String,
    /// The character that stands for it in drawings.
    pub mark: String,
    pub neutral: bool,
    /// What it looks like in pictures, by player; empty where the text does not say.
    pub figures: Vec<Figure>,
}

impl Kind {
    /// Its shape: as the text says for this player, else as its name says, else a disc.
    #[must_use]
    pub fn figure(&self, player: usize) -> Figure {
        let said = self.figures.get(player).or(self.figures.last()).copied();
        said.or_else(|| Figure::find(&self.name)).unwrap_or(Figure::Disc)
    }
}

/// A word of the language, of the prelude or of the file.
#[derive(Clone, Debug)]
pub struct Word {
    pub name: String,
    pub params: Vec<Type>,
    pub result: Type,
    pub body: Expr,
    /// Declared as a region of the board, which pictures may show.
    pub region: bool,
    pub span: Span,
}

/// What one entry of a memory belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Scope {
    Game,
    Player,
    Site,
    Kind,
    /// Each player has one for every kind; those of the first player come first.
    PlayerKind,
}

impl Scope {
    /// How many entries there are, if there are so many for sites.
    #[must_use]
    pub fn entries(self, rules: &Rules, sites: usize) -> usize {
        match self {
            Self::Game => 1,
            Self::Player => rules.players.len(),
            Self::Site => sites,
            Self::Kind => rules.kinds.len(),
            Self::PlayerKind => rules.players.len() * rules.kinds.len(),
        }
    }

    /// The player to whom an entry belongs.
    #[must_use]
    pub fn player(self, rules: &Rules, entry: usize) -> Option<usize> {
        match self {
            Self::Game | Self::Site | Self::Kind => None,
            Self::Player => Some(entry),
            Self::PlayerKind => entry.checked_div(rules.kinds.len()),
        }
    }
}

/// A remembered value; all of one type are stored as numbers, sets of sites as sets.
#[derive(Clone, Debug)]
pub struct Memory {
    pub name: String,
    pub ty: Type,
    pub scope: Scope,
    /// The numbers it may take.
    pub range: Option<(i64, i64)>,
    pub first: Expr,
    pub each_turn: bool,
    /// It belongs to the piece on a site: it goes where the piece goes, and where nothing stands it is what it was at first.
    pub with_piece: bool,
    /// Shown as state and counted as part of the position; history counters are not.
    pub declared: bool,
    pub span: Span,
}

/// Plies of certain moves, each perhaps limited by a condition on its parts.
#[derive(Clone, Debug, Default)]
pub struct Event {
    pub alternatives: Vec<(MoveId, Option<Expr>)>,
}

/// How a memory follows the play.
#[derive(Clone, Debug)]
pub enum Chronicle {
    /// Set when such a ply is played.
    Happened { event: Event, memory: MemoryId },
    /// Collects the sites that a part took.
    Part { of: MoveId, part: Local, memory: MemoryId },
    /// The player of the last such ply.
    LastTo { event: Event, memory: MemoryId },
    /// Counts the turns in a row without such a ply; `seen` says whether this turn had one.
    Without { event: Event, seen: MemoryId, count: MemoryId },
    /// When a turn begins, one memory takes over what another held in the turn before.
    Carry { from: MemoryId, to: MemoryId },
    /// The site of the piece placed or moved last in this turn.
    It { memory: MemoryId },
}

impl Chronicle {
    /// The plies that it waits for, if it is about some.
    #[must_use]
    pub fn event(&self) -> Option<&Event> {
        match self {
            Self::Happened { event, .. } | Self::LastTo { event, .. } | Self::Without { event, .. } => Some(event),
            Self::Part { .. } | Self::Carry { .. } | Self::It { .. } => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Named {
    pub name: String,
    pub local: Local,
    pub ty: Type,
    /// Freely picked, as against defined.
    pub part: bool,
    /// A part that is no part of a ply: whichever value makes it legal, it prints the same and does the same.
    pub witness: bool,
    /// What several are called that are picked together, this among them.
    pub pick: Option<Local>,
    pub span: Span,
}

impl Named {
    /// What the rules call it: of several that are picked together, the name of the pick.
    #[must_use]
    pub fn called(&self) -> &str {
        match self.pick {
            Some(_) => self.name.split_once(' ').map_or(&self.name, |(pick, _)| pick),
            None => &self.name,
        }
    }
}

#[derive(Clone, Debug)]
pub enum NotationPiece {
    Text(String),
    /// `[text]` printed always, left out on input at will; `[text]?` printed only where needed.
    Optional {
        text: String,
        where_needed: bool,
    },
    Value {
        value: Expr,
        where_needed: bool,
        dash: bool,
        signs: Option<Signs>,
    },
}

/// Signs that are printed around a value, where there is one. A value that is a condition is not printed itself: the signs are
/// where it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signs {
    pub before: String,
    pub behind: String,
    /// The value is a condition.
    pub mark: bool,
}

#[derive(Clone, Debug)]
pub struct Move {
    pub name: String,
    pub doc: String,
    /// Chance makes it, and not the player to move.
    pub chance: bool,
    pub names: Vec<Named>,
    /// Where its body begins in the graph, which has one node for every line.
    pub entry: NodeIndex,
    /// These nodes, in the order in which the lines are read.
    pub lines: Vec<NodeIndex>,
    pub notation: Vec<NotationPiece>,
    /// The part that is the piece moved, for `by it`.
    pub moved: Option<Local>,
    pub span: Span,
}

impl Move {
    /// The parts of which its plies are made, in the order of the text.
    pub fn parts(&self) -> impl Iterator<Item = &Named> {
        self.names.iter().filter(|named| named.part && !named.witness)
    }
}

/// One ply at a place in a turn.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    pub mv: MoveId,
    /// Only the piece of the last ply may move.
    pub by_it: bool,
    pub with: Vec<Expr>,
    /// After a ply that fulfils this the loop around it is left.
    pub until: Option<Expr>,
}

/// A node of the rule graph. A path from one ply to the next is a legal move.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// Where a turn begins.
    Turn,
    /// Every way out may be taken.
    Fork,
    /// The ways out are tried in order; the first that holds a legal ply is the one.
    Prefer,
    /// Passed when the condition is true (or, with `holds` false, is not).
    Guard {
        condition: Expr,
        holds: bool,
    },
    Call(Call),
    /// The turn, or a pattern asked about, is complete.
    End,
    /// Where the body of a move begins.
    Move(MoveId),
    /// With the guard false the part is left out and has no value.
    Choose {
        local: Local,
        domain: Expr,
        conditions: Vec<Expr>,
        guard: Option<Expr>,
    },
    Let {
        local: Local,
        value: Expr,
        guard: Option<Expr>,
    },
    Require {
        condition: Expr,
        reason: Option<String>,
    },
    /// How heavy a ply of chance is beside the others of the place: a number that is read when its parts are picked. What
    /// weighs nothing cannot happen.
    Weigh(Expr),
    Change(Vec<Change>),
    Repeat {
        times: Expr,
        condition: Option<Expr>,
        changes: Vec<Change>,
    },
    /// The move is made.
    Done,
}

impl NodeKind {
    /// The expressions in it.
    #[must_use]
    pub fn exprs(&self) -> Vec<&Expr> {
        let mut found: Vec<&Expr> = Vec::new();
        match self {
            Self::Guard { condition, .. } | Self::Require { condition, .. } | Self::Weigh(condition) => {
                found.push(condition)
            }
            Self::Call(call) => found.extend(call.with.iter().chain(&call.until)),
            Self::Choose { domain, conditions, guard, .. } => {
                found.extend(std::iter::once(domain).chain(conditions).chain(guard));
            }
            Self::Let { value, guard, .. } => found.extend(std::iter::once(value).chain(guard)),
            Self::Change(changes) => found.extend(changes.iter().flat_map(Change::exprs)),
            Self::Repeat { times, condition, changes } => {
                found.extend(std::iter::once(times).chain(condition));
                found.extend(changes.iter().flat_map(Change::exprs));
            }
            Self::Turn | Self::Fork | Self::Prefer | Self::End | Self::Move(_) | Self::Done => {}
        }
        found
    }
}

#[derive(Clone, Debug)]
pub struct Node {
    pub kind: NodeKind,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Edge {
    Next,
    /// The n-th way out of a preference.
    Choice(u32),
    /// Taken instead of `Next` after a ply that fulfils `until`.
    Until,
    /// From a call to the move it plays.
    Plays,
}

pub type Graph = DiGraph<Node, Edge>;

#[derive(Clone, Debug)]
pub enum DutyKind {
    Must(Event),
    MustMost(Expr),
    ExtraTurn,
    /// The next turn is not that of the next player in order.
    NextTurn(Expr),
}

#[derive(Clone)]
pub struct Duty {
    pub kind: DutyKind,
    pub guard: Option<Expr>,
    pub reason: Option<String>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TurnOf {
    Any,
    /// The turns from the first number to the last.
    Numbers(i64, i64),
    Phase(ChoiceId),
}

#[derive(Clone, Debug)]
pub struct Turn {
    pub of: TurnOf,
    pub entry: NodeIndex,
    /// A ply is legal only if the turn can still be completed.
    pub whole: bool,
    pub duties: Vec<Duty>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum EndingResult {
    Draw,
    BestScore,
    LowestScore,
    Ranks(Expr),
    /// Tried for every player, the mover first; the player is the value of the local.
    AnyPlayer {
        local: Local,
        wins: bool,
    },
    Player {
        player: Expr,
        wins: bool,
    },
}

#[derive(Clone, Debug)]
pub struct Ending {
    pub result: EndingResult,
    pub at_once: bool,
    pub condition: Option<Expr>,
    pub reason: String,
    pub span: Span,
}

/// What is asked for of the turns that have begun before: whole positions, what stood on the board alone, both or neither.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repetition {
    pub positions: bool,
    pub boards: bool,
}

impl Repetition {
    /// Whether anything is.
    #[must_use]
    pub fn any(self) -> bool {
        self.positions || self.boards
    }
}

#[derive(Clone, Debug, Default)]
pub struct About {
    pub title: String,
    pub author: String,
    pub year: Option<i64>,
    pub summary: String,
    pub source: String,
    /// What the score counts; empty where the text does not say.
    pub score: String,
}

/// The rules of one game, one choice of options.
#[derive(Clone, Debug)]
pub struct Rules {
    pub about: About,
    pub ruleset: Option<String>,
    /// Every option with its value, in the order of the text.
    pub settings: Vec<(String, Setting)>,
    pub choices: Vec<String>,
    pub players: Vec<Player>,
    /// The order of turns; it is repeated, but for the opening.
    pub order: Vec<PlayerId>,
    /// How many places at its beginning are taken once in a game.
    pub opening: usize,
    pub kinds: Vec<Kind>,
    pub board: Board,
    pub words: Vec<Word>,
    /// How many pieces a site can hold; none where it is one, as in most games.
    pub stacks: Option<Stacking>,
    pub memories: Vec<Memory>,
    pub chronicles: Vec<Chronicle>,
    pub phase: Option<MemoryId>,
    /// For each player of the rules who began in the seat that now plays it; only where seats can change.
    pub seats: Option<MemoryId>,
    /// For each player a number: 0 while he is in the game, how many players there were when he finished, and less than 0, as
    /// many below, when he dropped out. The greater the better. Only where players can leave a game that goes on.
    pub left: Option<MemoryId>,
    pub start: Vec<Change>,
    pub moves: Vec<Move>,
    /// The last of the moves where something is done after each turn: nobody plays it, and it has no parts.
    pub after_turn: Option<MoveId>,
    pub graph: Graph,
    pub turns: Vec<Turn>,
    pub endings: Vec<Ending>,
    pub score: Option<WordId>,
    /// What players do not see, in the order of the text.
    pub hidden: Vec<Hidden>,
    /// Scores are counted in halves.
    pub halves: bool,
    pub ties: Vec<(Expr, Option<Expr>)>,
    /// What is asked for of the past.
    pub repetition: Repetition,
    /// At most how many steps all clauses of one ply take together.
    pub cost: u64,
    /// The same where what is done at the end of a move is done once, and not for each way to make the move.
    pub cost_once: u64,
    /// At most how many ways there are to make all moves in one position.
    pub most_plies: u64,
    /// The clause that may take the most of these steps, and the move of the most of these plies.
    pub dearest: (Span, Span),
}

/// What a player does not see while the game goes on, as a word whose first parameter is that player.
#[derive(Clone, Debug)]
pub struct Hidden {
    pub what: Hides,
    /// Sites for pieces and kinds, else a condition: of the entry of a memory, or of the parts of a ply before it is played.
    pub word: WordId,
    pub span: Span,
}

/// What is hidden.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Hides {
    /// What stands on the sites of the word, and whether anything does.
    Pieces,
    /// Which kinds stand there; whose they are is seen.
    Kinds,
    /// The entries of a memory for which the word is true.
    Memory(MemoryId),
    /// These parts of a ply; with none of them all that is printed of it.
    Move(MoveId, Vec<Local>),
}

/// What is said of stacks.
#[derive(Clone, Copy, Debug)]
pub struct Stacking {
    /// How many pieces a site can hold.
    pub most: usize,
    /// Where the text says so.
    pub span: Span,
}

/// The most pieces that a site can be declared to hold.
pub const MAX_HEIGHT: usize = 64;

/// The heaviest that a ply of chance can be: what comes to more weighs as much.
pub const MAX_WEIGHT: i64 = 1_000_000;

/// The weight of a ply of chance; none where it cannot happen.
#[must_use]
pub fn weight(number: Option<i64>) -> Option<u32> {
    number.filter(|number| *number > 0).and_then(|number| u32::try_from(number.min(MAX_WEIGHT)).ok())
}

impl Rules {
    /// Whether a game may end without a winner by its rules.
    #[must_use]
    pub fn knows_draws(&self) -> bool {
        self.endings.iter().any(|ending| match ending.result {
            EndingResult::Draw | EndingResult::BestScore | EndingResult::LowestScore | EndingResult::Ranks(_) => true,
            EndingResult::AnyPlayer { .. } | EndingResult::Player { .. } => false,
        })
    }

    /// The moves that somebody plays, chance among them: not what is done after each turn.
    pub fn played_moves(&self) -> impl Iterator<Item = (MoveId, &Move)> {
        let all = self.moves.iter().enumerate().map(|(at, mv)| (MoveId(at), mv));
        all.filter(|(id, _)| self.after_turn != Some(*id))
    }

    /// The number of the entry of a player and a kind, if they are one each.
    #[must_use]
    pub fn entry(&self, player: &Value, kind: &Value) -> Option<i64> {
        let (player, kind) = (player.players().only()?, kind.kinds().only()?);
        i64::try_from(usize::from(player.0) * self.kinds.len() + usize::from(kind.0)).ok()
    }

    /// The memory whose value a memory takes over when a turn begins, if it is such a one.
    #[must_use]
    pub fn carried_from(&self, id: MemoryId) -> Option<MemoryId> {
        self.chronicles.iter().find_map(|chronicle| match chronicle {
            Chronicle::Carry { from, to } if *to == id => Some(*from),
            Chronicle::Carry { .. }
            | Chronicle::Happened { .. }
            | Chronicle::Part { .. }
            | Chronicle::LastTo { .. }
            | Chronicle::Without { .. }
            | Chronicle::It { .. } => None,
        })
    }

    /// Whether some move is made by chance.
    #[must_use]
    pub fn has_chance(&self) -> bool {
        self.moves.iter().any(|mv| mv.chance)
    }

    /// How heavy the plies of a move of chance are; none where all of them weigh the same.
    #[must_use]
    pub fn weight_of(&self, mv: MoveId) -> Option<&Expr> {
        self.moves.get(mv.0)?.lines.iter().find_map(|line| {
            let NodeKind::Weigh(weight) = &self.graph.node_weight(*line)?.kind else { return None };
            Some(weight)
        })
    }

    /// The place in the order of turns behind another.
    #[must_use]
    pub fn place_behind(&self, place: usize) -> usize {
        if place + 1 < self.order.len() { place + 1 } else { self.opening }
    }

    /// The place before another; before the first of the round that is repeated it is the last one.
    #[must_use]
    pub fn place_ahead_of(&self, place: usize) -> usize {
        let round = [0, self.opening].contains(&place);
        if round { self.order.len().saturating_sub(1) } else { place.saturating_sub(1) }
    }

    /// The ways out of a node of the graph in the order of the text; a call plays its move, but does not lead there.
    #[must_use]
    pub fn ways(&self, node: NodeIndex) -> Vec<(Edge, NodeIndex)> {
        // petgraph lists the edges of a node from the newest to the oldest.
        let mut ways: Vec<_> = self
            .graph
            .edges(node)
            .filter(|edge| *edge.weight() != Edge::Plays)
            .map(|edge| (edge.id(), *edge.weight(), edge.target()))
            .collect();
        ways.sort_by_key(|(id, ..)| *id);
        ways.into_iter().map(|(_, weight, target)| (weight, target)).collect()
    }

    #[must_use]
    pub fn choice(&self, id: ChoiceId) -> &str {
        self.choices.get(usize::from(id.0)).map_or("", String::as_str)
    }

    #[must_use]
    pub fn setting_text(&self, setting: Setting) -> String {
        match setting {
            Setting::Number(number) => number.to_string(),
            Setting::Choice(id) => self.choice(id).to_owned(),
        }
    }
}
