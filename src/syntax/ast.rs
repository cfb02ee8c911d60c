//! What a rule file says, as it says it: names are not yet looked up, rows of words not yet understood.
//!
//! Two nodes are equal if they say the same, wherever they stand: places are not compared.

mod expressions;

pub use expressions::{BinaryOp, Expr, ExprKind, Quantifier, Round};

pub use crate::operator::{ArithmeticOp, CompareOp, End, Place, Reduce};
use crate::source::Span;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Equality and hash of nodes without their places. It takes a node apart, so that no field can be forgotten.
macro_rules! equal_wherever_they_stand {
    ($($node:ident { $($field:ident),* })*) => {$(
        impl PartialEq for $node {
            fn eq(&self, other: &Self) -> bool {
                let Self { $($field,)* span: _ } = self;
                $(*$field == other.$field)&&*
            }
        }
    )*};
}

/// The same for nodes that are looked up in tables.
macro_rules! hashed_wherever_they_stand {
    ($($node:ident { $field:ident })*) => {$(
        equal_wherever_they_stand! { $node { $field } }

        impl Eq for $node {}

        impl Hash for $node {
            fn hash<H: Hasher>(&self, state: &mut H) {
                let Self { $field, span: _ } = self;
                $field.hash(state);
            }
        }
    )*};
}

hashed_wherever_they_stand! {
    Name { text }
    Text { text }
    Value { kind }
    Pattern { kind }
    Event { kind }
    Expr { kind }
}

equal_wherever_they_stand! {
    Item { kind }
    BoardExpr { kind, modifiers }
    Drawn { style, text }
    Leg { sites, order }
    MoveLine { kind, guard }
    Change { each, slice, target, kind, guard }
    TurnItem { of, whole, pattern, duties }
    Duty { kind, guard, reason }
    OutcomeLine { result, at_once, guard, reason }
    Step { kind }
    Notation { text, pieces }
}

#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// A quoted text.
#[derive(Clone, Debug)]
pub struct Text {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    pub items: Vec<Item>,
    /// The names that lines which could not be read would have given.
    pub lost: BTreeSet<String>,
}

#[derive(Clone, Debug)]
pub struct Item {
    pub kind: ItemKind,
    pub span: Span,
}

/// What changes that come again and again come after.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Period {
    Ply,
    Turn,
}

impl Period {
    /// As the section says it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ply => "after each ply",
            Self::Turn => "after each turn",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    Game(GameItem),
    About(Text),
    Source(Text),
    Use(Text),
    Players(PlayersItem),
    Order(OrderItem),
    Option(OptionItem),
    Ruleset(RulesetItem),
    Requires {
        text: Text,
        condition: Expr,
    },
    Board(BoardExpr),
    /// `path NAME = a1, b1 .. f1, round`: rows of sites that lead on from each to the next.
    Path(PathItem),
    Region(Definition),
    Piece(PieceItem),
    Word(Definition),
    /// `change NAME(x) { ... }`: changes that moves make by name.
    Change(NamedChange),
    Track(TrackItem),
    /// `stacks to 5`
    Stacks(Expr),
    Phases(Vec<Name>),
    Start(Setup),
    Move(MoveItem),
    /// `after each ply { ... }`, `after each turn { ... }`: changes that every move, or every turn, ends with.
    After(Period, Vec<Change>),
    Pattern {
        name: Name,
        doc: Option<Text>,
        pattern: Pattern,
    },
    Turn(TurnItem),
    End(Vec<OutcomeLine>),
    Score(Definition),
    /// `hidden hand(p, q) = ...`: what a player does not see.
    Hidden(HiddenItem),
    Ties {
        players: Option<Expr>,
        guard: Option<Expr>,
    },
    Drop(Vec<Name>),
    Allow(AllowItem),
    Script(Script),
}

#[derive(Clone, Debug, PartialEq)]
pub struct GameItem {
    pub title: Text,
    pub author: Option<Text>,
    pub year: Option<i64>,
    pub extends: Option<Text>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Player {
    pub name: Name,
    pub facing: Option<Name>,
}

/// Whose turns follow each other: at first, and then round and round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderItem {
    pub opening: Vec<Name>,
    pub round: Vec<Name>,
}

impl OrderItem {
    /// All places in their order.
    pub fn places(&self) -> impl Iterator<Item = &Name> {
        self.opening.iter().chain(&self.round)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum PlayersItem {
    List(Vec<Player>),
    /// The first so many of the list.
    Count {
        count: Expr,
        players: Vec<Player>,
    },
    By {
        subject: Expr,
        cases: Vec<(Vec<Value>, Vec<Player>)>,
    },
}

/// A literal of an option: a number or a name (`yes`, `no` and `any` included).
#[derive(Clone, Debug)]
pub struct Value {
    pub kind: ValueKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ValueKind {
    Number(i64),
    Name(String),
}

/// As a rule file writes it.
impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

#[derive(Clone, Debug)]
pub enum Values {
    Range { low: i64, high: i64, span: Span },
    List(Vec<Value>),
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Range { low, high, span: _ }, Self::Range { low: other_low, high: other_high, span: _ }) => {
                (low, high) == (other_low, other_high)
            }
            (Self::List(values), Self::List(others)) => values == others,
            (Self::Range { .. }, Self::List(_)) | (Self::List(_), Self::Range { .. }) => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct OptionItem {
    pub names: Vec<Name>,
    pub values: Values,
    pub default: Value,
    pub doc: Option<Text>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    pub name: Name,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RulesetItem {
    pub name: Name,
    pub extends: Option<Name>,
    pub doc: Option<Text>,
    pub settings: Vec<Setting>,
}

#[derive(Clone, Debug)]
pub struct BoardExpr {
    pub kind: BoardKind,
    pub modifiers: Vec<Modifier>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum BoardKind {
    Case { subject: Expr, cases: Vec<(Vec<Value>, BoardExpr)> },
    Drawn(Drawn),
    Lines(Vec<Vec<Name>>),
    Graph { points: Vec<(Name, f64, f64)>, links: Vec<(Name, Name)> },
    Shape { name: Name, args: Vec<Expr> },
}

/// One half of the names of sites: `columns`, `numbers`, `right`.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub lines: Name,
    pub signs: Name,
    pub side: Name,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Modifier {
    Adjacent(Name),
    Coordinates(Name),
    /// `coordinates columns numbers from right, rows letters from top`
    Axes(Vec<Axis>),
    Keeping(Expr),
    /// Which sites the board has: cells, edges, vertices.
    With(Vec<Name>),
}

/// A picture in rows of characters, exactly as written between the braces.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub style: Option<Name>,
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    pub name: Name,
    pub kind: Option<Name>,
}

/// What a player does not see, as a word of that player: sites, or whether it is hidden.
#[derive(Clone, Debug, PartialEq)]
pub struct HiddenItem {
    /// The name is that of a move, and the parameters behind the first are its parts.
    pub of_move: bool,
    pub definition: Definition,
}

impl HiddenItem {
    /// The name of the word, which nothing else can have.
    #[must_use]
    pub fn word(&self) -> String {
        format!("hidden {}{}", if self.of_move { "move " } else { "" }, self.definition.name.text)
    }
}

/// The word that the section of scores defines.
pub const SCORE: &str = "score";

#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    pub name: Name,
    pub params: Vec<Param>,
    pub doc: Option<Text>,
    pub body: Expr,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NamedChange {
    pub name: Name,
    pub params: Vec<Param>,
    pub doc: Option<Text>,
    pub changes: Vec<Change>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PieceItem {
    pub kinds: Vec<PieceKind>,
    pub neutral: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PieceKind {
    pub name: Name,
    pub mark: Option<Text>,
    /// What it looks like; several stand for the players in their order.
    pub shapes: Vec<Name>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PathItem {
    pub name: Name,
    pub doc: Option<Text>,
    pub stretches: Vec<Stretch>,
}

/// Sites in a row; behind the last comes the first where it is round.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    pub legs: Vec<Leg>,
    pub round: bool,
}

/// A piece of a path: `a1`, `a1 .. f1`, or `row(1) from W`.
#[derive(Clone, Debug)]
pub struct Leg {
    pub sites: Expr,
    pub order: LegOrder,
    pub span: Span,
}

/// How the sites of a leg follow one another.
#[derive(Clone, Debug, PartialEq)]
pub enum LegOrder {
    /// There is one.
    Alone,
    /// On the way to another site, or number.
    To(Expr),
    /// Beginning with the one that lies farthest in a direction.
    From(Name),
}

#[derive(Clone, Debug, PartialEq)]
pub struct TrackItem {
    pub name: Name,
    pub params: Vec<Param>,
    pub values: Values,
    pub first: Option<Expr>,
    pub each_turn: bool,
    pub doc: Option<Text>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Setup {
    Drawn(Drawn),
    Changes(Vec<Change>),
}

/// How a move is printed and read: a quoted text with expressions in braces.
#[derive(Clone, Debug)]
pub struct Notation {
    /// All that stands between the quotes.
    pub text: String,
    pub pieces: Vec<NotationPiece>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum NotationPiece {
    Text(String),
    /// `[text]`, with `?` printed only where needed.
    Optional {
        text: String,
        where_needed: bool,
    },
    /// `{value}`, with `?` printed only where needed, with `|-` as `-` where it is 0 or nothing.
    Value {
        text: String,
        value: Expr,
        where_needed: bool,
        dash: bool,
        /// In `[={value}]` the signs before and behind it, printed only where there is a value.
        signs: Option<(String, String)>,
    },
    /// `[text when condition]`, printed only where the condition holds.
    Mark {
        text: String,
        condition: Expr,
        where_needed: bool,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct MoveItem {
    /// Chance makes it, and not the player to move.
    pub chance: bool,
    pub name: Name,
    pub notation: Option<Notation>,
    pub doc: Option<Text>,
    pub lines: Vec<MoveLine>,
}

#[derive(Clone, Debug)]
pub struct MoveLine {
    pub kind: MoveLineKind,
    pub guard: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum MoveLineKind {
    Then,
    /// `name : set, condition, ...`: freely picked.
    Part {
        name: Name,
        domain: Expr,
        conditions: Vec<Expr>,
    },
    /// `name = value`
    Definition {
        name: Name,
        value: Expr,
    },
    If(Expr),
    /// How likely a ply of chance is beside the others.
    Weight(Expr),
    SoThat {
        condition: Expr,
        reason: Option<Text>,
    },
    Change(Change),
    Repeat {
        times: Expr,
        condition: Option<Expr>,
        changes: Vec<Change>,
    },
}

#[derive(Clone, Debug)]
pub struct Change {
    pub each: Option<(Name, Expr)>,
    /// Only a part of what stands on the target: `top 2 of a -> b`.
    pub slice: Option<Slice>,
    pub target: Expr,
    pub kind: ChangeKind,
    pub guard: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ChangeKind {
    Becomes(Expr),
    MoveTo {
        place: Place,
        to: Expr,
        piece: Option<Expr>,
    },
    /// `x gets P, Q`, the last one on top, or `x gets P as bottom`
    Gets {
        pieces: Vec<Expr>,
        bottom: bool,
    },
    /// `do NAME(x)`: the changes that have this name; the target is the call.
    Do,
    /// Nobody writes it: the target is a name for what a change with a name is given, found out before its lines are made one
    /// after the other.
    Know(Known),
    /// `A changes seats with B`
    Seats {
        with: Expr,
    },
    /// `A leaves`, behind all who are still in the game, or `A finishes`, before them
    Leaves {
        finishes: bool,
    },
}

/// What lines that are made one after the other know from the beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    pub value: Expr,
    pub sort: Sort,
}

/// What sort of value it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Sort {
    Condition,
    /// As the parameter says that it is given to, or as is found.
    Given(Option<Name>),
}

/// `top of`, `top 2 of`, `bottom n of`: a part of a stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    pub end: End,
    /// How many pieces; one where nothing is said.
    pub count: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Pattern {
    pub kind: PatternKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PatternKind {
    Nothing,
    Name(Name),
    /// `A, B`
    Sequence(Vec<Pattern>),
    /// `A or B`
    Either(Vec<Pattern>),
    /// `A else B`
    Else(Vec<Pattern>),
    Maybe(Box<Pattern>),
    Again(Box<Pattern>),
    /// `chain A until C`; `again A until C` has `again` in place of the first and following plies.
    Chain(Box<Pattern>),
    ByIt(Box<Pattern>),
    With(Box<Pattern>, Expr),
    Until(Box<Pattern>, Expr),
    SuchThat(Box<Pattern>, Expr),
    When(Box<Pattern>, Expr),
}

#[derive(Clone, Debug, PartialEq)]
pub enum TurnOf {
    Any,
    /// From the first number to the last.
    Numbers(i64, i64),
    Phase(Name),
}

#[derive(Clone, Debug)]
pub struct TurnItem {
    pub of: TurnOf,
    pub whole: bool,
    pub pattern: Pattern,
    pub duties: Vec<Duty>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Duty {
    pub kind: DutyKind,
    pub guard: Option<Expr>,
    pub reason: Option<Text>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum DutyKind {
    Must(Event),
    MustMost(Expr),
    SuchThat(Expr),
    ExtraTurn,
    /// `next turn to P`
    NextTurn(Expr),
}

/// Plies of certain moves or patterns, perhaps only those whose parts fulfil a condition.
#[derive(Clone, Debug)]
pub struct Event {
    pub kind: EventKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    Name { name: Name, with: Option<Box<Expr>> },
    Any(Vec<Event>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum History {
    ThisTurn,
    LastTurn,
    SoFar,
}

#[derive(Clone, Debug)]
pub struct OutcomeLine {
    pub result: ResultOf,
    pub at_once: bool,
    pub guard: Option<Expr>,
    pub reason: Option<Text>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ResultOf {
    Draw,
    BestScore,
    LowestScore,
    Ranks(Expr),
    /// `any p wins when ...`: the players are tried in turn order, the mover first.
    AnyPlayer {
        name: Name,
        wins: bool,
    },
    Player {
        player: Expr,
        wins: bool,
    },
}

/// `allow LINT in NAME, NAME "why"`: a warning that is not given, in the whole file or within what has these names.
#[derive(Clone, Debug, PartialEq)]
pub struct AllowItem {
    pub lint: Name,
    pub within: Vec<Name>,
    pub doc: Option<Text>,
}

/// A `test`, or a `record` of a published game.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    pub record: bool,
    pub name: Text,
    pub doc: Option<Text>,
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug)]
pub struct Step {
    pub kind: StepKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    Set(Vec<Setting>),
    /// What is drawn or changed, what is changed besides, whose turn it is, and which.
    Position {
        setup: Setup,
        besides: Vec<Change>,
        mover: Option<Name>,
        turn: Option<i64>,
    },
    /// Sequences of 1, 2, 3 ... plies, or of whole turns.
    Perft {
        turns: bool,
        counts: Vec<i64>,
    },
    Illegal {
        moves: Text,
        because: Option<Text>,
    },
    Play(Text),
    Legal(Text),
    Only(Text),
    Result(Text),
    Expect(Expr),
}
