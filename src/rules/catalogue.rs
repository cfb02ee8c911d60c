//! The catalogue of primitive words: name, meaning, example, types and evaluation of each, in one row.
//!
//! Whatever can be said in the language itself is not here but in `grammar/prelude.game`.

use super::value::{Content, Kinds, PlayerId, Players, Type, Value};
use super::{Kind, Player};
use crate::board::{Board, Directions, MOST_STEPS, Site, SiteSet};
use std::fmt;
use std::hash::{Hash, Hasher};

/// What a primitive word may look at.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub board: &'a Board,
    pub players: &'a [Player],
    pub kinds: &'a [Kind],
    /// The piece of each site, which is the top one of a stack.
    pub contents: &'a [Content],
    /// What lies beneath it on each site, from the bottom; empty in games without stacks.
    pub beneath: &'a [Vec<Content>],
    pub empty: SiteSet,
    pub mover: PlayerId,
    pub next: PlayerId,
    pub turn: u32,
    pub ply: u32,
    /// The player to move next has no legal turn.
    pub stuck: bool,
    /// The turn that has begun cannot be finished.
    pub unfinished: bool,
}

/// What decides the value of a word, besides what is written in its brackets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reads {
    /// The board, or nothing: nothing in play changes the value.
    Board,
    /// The players of the game and the board: nothing in play changes the value.
    Players,
    /// What stands on the sites.
    Position,
    /// Whose turn it is, how far the game is, or what can be played.
    Turn,
}

/// What is known to stand on the sites that a word gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stands {
    Anything,
    Nothing,
    Piece,
    /// What stands on those of a parameter, counted from 0, among which they are, or like which they are.
    As(usize),
}

/// How many members a set that a word gives always has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Members {
    Any,
    AtMostOne,
    One,
}

/// A number that play counts up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counter {
    Turns,
    Plies,
}

/// What is asked of a value in brackets that is known when the rules are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Must {
    /// No more than its type says.
    Fit,
    /// One member: of several there is no value. A word that gives a set is asked about each of them.
    BeOne,
    /// A number for which the word gives sites: that of a row or column of this board.
    BeLine,
    /// A number of steps that some line of this board has.
    BeSteps,
    /// Directions that lead from site to site on this board.
    BeDirections,
    /// Directions in which this board has sides.
    BeSides,
}

/// A value that a word takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    pub ty: Type,
    pub must: Must,
}

impl Param {
    const fn of(ty: Type) -> Self {
        Self { ty, must: Must::Fit }
    }

    const fn that_must(self, must: Must) -> Self {
        Self { must, ..self }
    }
}

/// All that is known of a primitive word. What other modules ask of words in general is a field here; `id` is for
/// what is true of one word alone.
pub struct Primitive {
    pub id: Id,
    pub name: &'static str,
    pub doc: &'static str,
    pub example: &'static str,
    pub params: &'static [Param],
    /// How many of the last parameters may be left out.
    pub optional: usize,
    /// Further values join the last one: `side(N, SE)`.
    pub joins: bool,
    pub result: Type,
    pub reads: Reads,
    pub stands: Stands,
    pub members: Members,
    pub counts: Option<Counter>,
    /// Sites of a sort that a board may be built without.
    pub class: bool,
    /// Speaks of more than the top piece of a site.
    pub stacked: bool,
    pub eval: fn(&Scene<'_>, &[Value]) -> Value,
}

impl Primitive {
    /// What a row need not say.
    const PLAIN: Self = Self {
        id: Id::Site,
        name: "",
        doc: "",
        example: "",
        params: &[],
        optional: 0,
        joins: false,
        result: Type::Unknown,
        reads: Reads::Turn,
        stands: Stands::Anything,
        members: Members::Any,
        counts: None,
        class: false,
        stacked: false,
        eval: |_, _| Value::Condition(None),
    };

    /// Whether nothing in play changes the value: it is settled by the board, the players and the values in brackets.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        matches!(self.reads, Reads::Board | Reads::Players)
    }

    /// The value for values that are known before the game, if nothing in play changes it.
    #[must_use]
    pub fn settled(&self, board: &Board, players: &[Player], values: &[Value]) -> Option<Value> {
        let scene = Scene {
            board,
            players,
            kinds: &[],
            contents: &[],
            beneath: &[],
            empty: board.all(),
            mover: PlayerId(0),
            next: PlayerId(0),
            turn: 1,
            ply: 0,
            stuck: false,
            unfinished: false,
        };
        self.is_settled().then(|| (self.eval)(&scene, values))
    }

    /// Whether it makes a number of numbers alone, as signs of arithmetic do.
    #[must_use]
    pub fn is_arithmetic(&self) -> bool {
        self.reads == Reads::Board
            && self.result == Type::Number
            && !self.params.is_empty()
            && self.params.iter().all(|param| param.ty == Type::Number)
    }

    /// Whether it takes the next term of a row: `empty next_to cell`.
    #[must_use]
    pub fn is_preposition(&self) -> bool {
        matches!(self.params, [Param { ty: Type::Sites, .. }]) && self.result == Type::Sites
    }
}

/// Rows are told apart by their ids.
impl PartialEq for Primitive {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Primitive {}

impl Hash for Primitive {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Id {
    /// The row of a word.
    #[must_use]
    pub fn row(self) -> &'static Primitive {
        // Ids and rows are made of one list.
        &CATALOGUE[self as usize]
    }

    /// What rule files call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }
}

/// The words that name players by their turn, the first to be offered where a player is wanted.
pub const OF_PLAYERS: [Id; 3] = [Id::Mover, Id::Next, Id::Players];

/// The row of a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Primitive> {
    CATALOGUE.iter().find(|primitive| primitive.name == name)
}

// A row: the id, the name, the types of what goes in brackets, each with what is asked of it, the type of the value, what
// decides it, whatever else is not as in `PLAIN`, the explanation, the example and the evaluation.
macro_rules! words {
    ($($id:ident $name:literal ($($ty:ident $($must:ident)?),*) -> $result:ident,
        reads $reads:ident $({ $($field:ident: $value:expr),* })?, $doc:literal, $example:literal, $eval:expr;)*) => {
        /// A primitive word as the program knows it.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Id { $($id),* }

        /// Every primitive word.
        pub static CATALOGUE: &[Primitive] = &[$(Primitive {
            id: Id::$id,
            name: $name,
            doc: $doc,
            example: $example,
            params: &[$(Param::of(Type::$ty)$(.that_must(Must::$must))?),*],
            result: Type::$result,
            reads: Reads::$reads,
            eval: $eval,
            $($($field: $value,)*)?
            ..Primitive::PLAIN
        }),*];
    };
}

words! {
    // ---- sites ----
    Empty "empty" () -> Sites, reads Position { stands: Stands::Nothing },
        "the sites on which nothing stands", "cell : empty",
        |s, _| Value::of_sites(s.empty);
    Piece "piece" () -> Sites, reads Position { stands: Stands::Piece },
        "the sites on which something stands", "any piece next_to cell",
        |s, _| Value::of_sites(s.board.all() - s.empty);
    Site "site" () -> Sites, reads Board,
        "every site of the board", "cell : site",
        |s, _| Value::of_sites(s.board.all());
    Cells "cells" () -> Sites, reads Board,
        "the sites that are cells: all, unless the board has edges or vertices too", "empty cells",
        |s, _| Value::of_sites(s.board.cells());
    Edges "edges" () -> Sites, reads Board { class: true },
        "the sites that are edges of cells", "empty edges",
        |s, _| Value::of_sites(s.board.edges());
    Vertices "vertices" () -> Sites, reads Board { class: true },
        "the sites that are vertices of cells", "empty vertices",
        |s, _| Value::of_sites(s.board.vertices());
    Edge "edge" () -> Sites, reads Board,
        "the sites on the border", "the ball in edge",
        |s, _| Value::of_sites(s.board.edge());
    Corner "corner" () -> Sites, reads Board,
        "the sites where two sides meet", "cell not in corner",
        |s, _| Value::of_sites(s.board.corners());
    Interior "interior" () -> Sites, reads Board,
        "the sites that are not on the border", "the pin in interior",
        |s, _| Value::of_sites(s.board.interior());
    Centre "centre" () -> Sites, reads Board,
        "the site in the middle, or those around the middle", "centre becomes ball",
        |s, _| Value::of_sites(s.board.centre());
    Side "side" (Directions BeSides) -> Sites, reads Board { joins: true },
        "the sites of the named sides", "side(N, SE, SW)",
        |s, v| Value::of_sites(directions(v, 0).iter().fold(SiteSet::EMPTY, |set, d| set | s.board.side(d)));
    Sides "sides" () -> Directions, reads Board,
        "the directions in which the board has a side", "count { d in sides with any (own side(d)) }",
        |s, _| Value::Directions(s.board.sides());
    Row "row" (Number BeLine) -> Sites, reads Board,
        "a row: of squares from 1 at the bottom, of hexes from 1 at the top", "row(1)",
        |s, v| line_of(v, |n| s.board.row(n));
    Column "column" (Number BeLine) -> Sites, reads Board,
        "a column of squares, from 1 at the left", "column(1)",
        |s, v| line_of(v, |n| s.board.column(n));
    Dark "dark" () -> Sites, reads Board,
        "the squares of the colour of the one at the bottom left", "keeping dark",
        |s, _| Value::of_sites(s.board.dark());
    NextTo "next_to" (Sites) -> Sites, reads Board,
        "the neighbours of sites", "empty next_to cell",
        |s, v| mapped(sites(v, 0), |x| s.board.neighbours(x));
    Ahead "ahead" (Sites, Directions BeDirections, Number BeSteps) -> Sites, reads Board { optional: 1 },
        "the site so many steps on (one, if nothing is said; backwards if negative)", "ahead(the pin, d, k)",
        |s, v| each_way(v, |x, d| ahead(s, x, d, steps(v, 2)));
    AheadAll "ahead_all" (Sites, Directions BeDirections, Number BeSteps) -> Sites, reads Board,
        "all sites from one step on up to so many steps on", "ahead_all(x, N, 2)",
        |s, v| each_way(v, |x, d| trail(s, x, d, steps(v, 2)));
    Run "run" (Sites, Directions BeDirections, Sites) -> Sites, reads Board { stands: Stands::As(2) },
        "the sites met from a site in a direction, as long as they lie in a set", "run(x, d, empty)",
        |s, v| each_way(v, |x, d| run(s, x, d, sites(v, 2)).0);
    Beyond "beyond" (Sites, Directions BeDirections, Sites) -> Sites, reads Board,
        "the first site from a site in a direction that does not lie in a set", "beyond(x, d, empty)",
        |s, v| each_way(v, |x, d| run(s, x, d, sites(v, 2)).1.map_or(SiteSet::EMPTY, SiteSet::single));
    Between "between" (Sites BeOne, Sites BeOne) -> Sites, reads Board,
        "the sites strictly between two sites in line", "no piece between(a, b)",
        |s, v| between(s, v);
    Connected "connected" (Sites, Sites) -> Sites, reads Board { stands: Stands::As(1) },
        "the sites of the second set that neighbours within it link to the first", "connected(x, own)",
        |s, v| Value::of_sites(connected(s, sites(v, 0), sites(v, 1)));
    Groups "groups" (Sites) -> Sites, reads Board { stands: Stands::As(0) },
        "one site of each group of a set, the first in the order of the board: sites that neighbours within the set link are a group", "count groups(own)",
        |s, v| {
            let mut left = sites(v, 0);
            let mut found = SiteSet::EMPTY;
            while let Some(first) = left.iter().next() {
                found.insert(first);
                left = left - connected(s, SiteSet::single(first), left);
            }
            Value::of_sites(found)
        };
    OneOf "one_of" (Sites) -> Sites, reads Board { stands: Stands::As(0), members: Members::AtMostOne },
        "one member of a set: the first in the order of the board", "connected(one_of(own), own)",
        |_, v| Value::of_sites(sites(v, 0).iter().next().map_or(SiteSet::EMPTY, SiteSet::single));
    ListedAfter "listed_after" (Sites BeOne) -> Sites, reads Board,
        "the sites that come after a site in the order of the board, in which positions and moves are listed", "b : own listed_after(a)",
        |s, v| Value::of_sites(sites(v, 0).only().map_or(SiteSet::EMPTY, |x| s.board.all().iter().filter(|other| *other > x).collect()));
    Alike "alike" (Sites BeOne) -> Sites, reads Position { stands: Stands::As(0) },
        "where pieces of the same kind and owner stand", "alike(x)",
        |s, v| match sites(v, 0).only().map(|x| content(s, x)) {
            Some(wanted) => holding(s, move |c| c == wanted),
            None => Value::of_sites(SiteSet::EMPTY),
        };
    // ---- directions ----
    Directions "directions" () -> Directions, reads Board,
        "the directions in which sites are neighbours", "d : directions",
        |s, _| Value::Directions(s.board.directions());
    Orthogonal "orthogonal" () -> Directions, reads Board,
        "the directions across the sides of a cell", "open(x, orthogonal)",
        |s, _| Value::Directions(s.board.orthogonal());
    Diagonal "diagonal" () -> Directions, reads Board,
        "the directions across the corners of a square", "open(x, diagonal)",
        |s, _| Value::Directions(s.board.diagonal());
    Direction "direction" (Sites BeOne, Sites BeOne) -> Directions, reads Board { members: Members::AtMostOne },
        "the direction of the straight line from one site to another", "direction(cell, the pin)",
        |s, v| {
            let found = pair(v).and_then(|(a, b)| s.board.direction(a, b));
            Value::Directions(found.map_or(Directions::EMPTY, Directions::single))
        };
    Opposite "opposite" (Directions) -> Directions, reads Board,
        "the other way", "opposite(d)",
        |_, v| Value::Directions(directions(v, 0).iter().fold(Directions::EMPTY, |set, d| set | Directions::single(d.opposite())));
    Turned "turned" (Directions, Number) -> Directions, reads Board,
        "turned clockwise by so many of the grid's directions", "turned(N, 1)",
        |s, v| turned(s, v);
    Facing "facing" (Players BeOne) -> Directions, reads Players { members: Members::AtMostOne },
        "the direction a player faces", "ahead(x, facing(mover))",
        |s, v| {
            let facing = players(v, 0).only().and_then(|p| s.players.get(usize::from(p.0))).and_then(|player| player.facing);
            Value::Directions(facing.map_or(Directions::EMPTY, Directions::single))
        };
    // ---- players and pieces ----
    Mover "mover" () -> Players, reads Turn { members: Members::One },
        "the player whose turn it is; in `end`, who has just moved", "stone of mover",
        |s, _| Value::Players(Players::single(s.mover));
    Next "next" () -> Players, reads Turn { members: Members::One },
        "the player whose turn comes after", "next loses when stuck",
        |s, _| Value::Players(Players::single(s.next));
    Previous "previous" () -> Players, reads Turn { members: Members::One },
        "the player before the mover in the order of players", "of previous",
        |s, _| Value::Players(Players::single(PlayerId(((usize::from(s.mover.0) + s.players.len().max(1) - 1) % s.players.len().max(1)) as u8)));
    PlayerAfter "player_after" (Players BeOne, Number) -> Players, reads Players { optional: 1, members: Members::AtMostOne },
        "the player so many places on in the order of players (one, if nothing is said; backwards if negative)", "player_after(next)",
        |s, v| {
            let found = players(v, 0).only().zip(steps(v, 1)).filter(|_| !s.players.is_empty());
            Value::Players(found.map_or(Players(0), |(p, n)| {
                let at = (i64::from(p.0) + n.rem_euclid(s.players.len() as i64)) % s.players.len() as i64;
                Players::single(PlayerId(at as u8))
            }))
        };
    Players "players" () -> Players, reads Players,
        "all players", "count players",
        |s, _| Value::Players(Players::first(s.players.len()));
    Other "other" (Players) -> Players, reads Players,
        "all players but these", "other(mover)",
        |s, v| Value::Players(Players(Players::first(s.players.len()).0 & !players(v, 0).0));
    Owner "owner" (Sites) -> Players, reads Position,
        "the owners of the pieces on sites", "owner(x) is mover",
        |s, v| Value::Players(Players(sites(v, 0).iter().filter_map(|x| content(s, x).owner()).fold(0, |set, p| set | Players::single(p).0)));
    Kind "kind" (Sites) -> Kinds, reads Position,
        "the kinds of the pieces on sites", "kind(x) of mover",
        |s, v| Value::Kinds(Kinds(sites(v, 0).iter().filter_map(|x| content(s, x).kind()).fold(0, |set, k| set | Kinds::single(k).0)));
    Kinds "kinds" (Kinds) -> Kinds, reads Board { joins: true },
        "kinds of pieces to pick from", "rank : kinds(queen, rook)",
        |_, v| v.first().cloned().unwrap_or(Value::Kinds(Kinds(0)));
    PieceOn "piece_on" (Sites BeOne) -> Piece, reads Position,
        "what stands on a site", "over becomes piece_on(from)",
        |s, v| Value::Piece(sites(v, 0).only().map(|x| content(s, x)));
    // ---- stacks ----
    Height "height" (Sites BeOne) -> Number, reads Position { stacked: true },
        "how many pieces stand on a site, one on another", "height(to) < 5",
        |s, v| Value::Number(sites(v, 0).only().map(|x| stack(s, x).count() as i64));
    PieceAt "piece_at" (Sites BeOne, Number) -> Piece, reads Position { stacked: true },
        "the piece so far down in a stack: 1 is the top one, -1 the lowest", "x becomes piece_at(from, 2)",
        |s, v| Value::Piece(level(s, v));
    OwnerAt "owner_at" (Sites BeOne, Number) -> Players, reads Position { stacked: true, members: Members::AtMostOne },
        "the owner of the piece so far down in a stack: 1 is the top one, -1 the lowest", "owner_at(from, -1) is mover",
        |s, v| Value::Players(level(s, v).and_then(Content::owner).map_or(Players(0), Players::single));
    KindAt "kind_at" (Sites BeOne, Number) -> Kinds, reads Position { stacked: true, members: Members::AtMostOne },
        "the kind of the piece so far down in a stack: 1 is the top one, -1 the lowest", "kind_at(from, 2) is king",
        |s, v| Value::Kinds(level(s, v).and_then(Content::kind).map_or(Kinds(0), Kinds::single));
    OwnedIn "owned_in" (Sites BeOne, Players) -> Number, reads Position { stacked: true },
        "how many pieces of players are in the stack on a site", "owned_in(from, mover) > 1",
        |s, v| among(s, v, |piece| piece.owner().is_some_and(|owner| players(v, 1).contains(owner)));
    KindsIn "kinds_in" (Sites BeOne, Kinds) -> Number, reads Position { stacked: true },
        "how many pieces of some kinds are in the stack on a site", "kinds_in(x, red) > 0",
        |s, v| among(s, v, |piece| piece.kind().is_some_and(|kind| kinds(v, 1).contains(kind)));
    // ---- numbers ----
    Distance "distance" (Sites BeOne, Sites BeOne) -> Number, reads Board,
        "the fewest steps between two sites, whatever stands there", "distance(a, b) = 2",
        |s, v| Value::Number(pair(v).and_then(|(a, b)| s.board.distance(a, b)).map(i64::from));
    RowNumber "row_number" (Sites BeOne) -> Number, reads Board,
        "the number of the row in which a site lies, counted as `row` counts", "row_number(cell) > 3",
        |s, v| number_of_line(s, v, |n| s.board.row(n));
    ColumnNumber "column_number" (Sites BeOne) -> Number, reads Board,
        "the number of the column in which a site lies, counted as `column` counts", "column_number(a) = column_number(b)",
        |s, v| number_of_line(s, v, |n| s.board.column(n));
    Max "max" (Number, Number) -> Number, reads Board,
        "the larger number", "max(1, k)",
        |_, v| both(v, i64::max);
    Min "min" (Number, Number) -> Number, reads Board,
        "the smaller number", "min(3, k)",
        |_, v| both(v, i64::min);
    Abs "abs" (Number) -> Number, reads Board,
        "a number without its sign", "abs(k)",
        |_, v| Value::Number(v.first().and_then(Value::number).and_then(i64::checked_abs));
    Turn "turn" () -> Number, reads Turn { counts: Some(Counter::Turns) },
        "the number of the turn, from 1", "turn > 1",
        |s, _| Value::Number(Some(i64::from(s.turn)));
    Ply "ply" () -> Number, reads Turn { counts: Some(Counter::Plies) },
        "the number of decisions made so far", "ply >= 400",
        |s, _| Value::Number(Some(i64::from(s.ply)));
    // ---- conditions ----
    Stuck "stuck" () -> Condition, reads Turn,
        "in `end`: the next player has no legal turn", "next loses when stuck",
        |s, _| Value::Condition(Some(s.stuck));
    Unfinished "unfinished" () -> Condition, reads Turn,
        "in `end`: the turn that has begun cannot be finished", "mover loses when unfinished",
        |s, _| Value::Condition(Some(s.unfinished));
}

fn sites(values: &[Value], index: usize) -> SiteSet {
    values.get(index).map_or(SiteSet::EMPTY, Value::sites)
}

fn directions(values: &[Value], index: usize) -> Directions {
    values.get(index).map_or(Directions::EMPTY, Value::directions)
}

fn players(values: &[Value], index: usize) -> Players {
    values.get(index).map_or(Players(0), Value::players)
}

/// The number of steps, one where it was left out.
fn steps(values: &[Value], index: usize) -> Option<i64> {
    values.get(index).map_or(Some(1), Value::number)
}

/// Two sets of which each has a single member.
fn pair(values: &[Value]) -> Option<(Site, Site)> {
    Some((sites(values, 0).only()?, sites(values, 1).only()?))
}

fn both(values: &[Value], op: fn(i64, i64) -> i64) -> Value {
    let number = |index: usize| values.get(index).and_then(Value::number);
    Value::Number(number(0).zip(number(1)).map(|(a, b)| op(a, b)))
}

#[must_use]
pub fn content(scene: &Scene<'_>, site: Site) -> Content {
    scene.contents.get(usize::from(site.0)).copied().unwrap_or_default()
}

/// The pieces on a site from the top.
fn stack(scene: &Scene<'_>, site: Site) -> impl Iterator<Item = Content> {
    let top = Some(content(scene, site)).filter(|top| !top.is_empty());
    let beneath = scene.beneath.get(site.index()).map_or(&[][..], Vec::as_slice);
    top.into_iter().chain(beneath.iter().rev().copied())
}

/// The piece so far down: counted from the top, or with a negative number from the bottom.
fn level(scene: &Scene<'_>, values: &[Value]) -> Option<Content> {
    let pieces: Vec<Content> = stack(scene, sites(values, 0).only()?).collect();
    let at = values.get(1)?.number()?;
    let at = if at < 0 { at.checked_add(i64::try_from(pieces.len()).ok()?)? } else { at.checked_sub(1)? };
    pieces.get(usize::try_from(at).ok()?).copied()
}

/// How many pieces in a stack are of a sort.
fn among(scene: &Scene<'_>, values: &[Value], wanted: impl Fn(Content) -> bool) -> Value {
    let count = |site| stack(scene, site).filter(|piece| wanted(*piece)).count();
    Value::Number(sites(values, 0).only().and_then(|site| i64::try_from(count(site)).ok()))
}

fn kinds(values: &[Value], index: usize) -> Kinds {
    values.get(index).map_or(Kinds(0), Value::kinds)
}

fn holding(scene: &Scene<'_>, wanted: impl Fn(Content) -> bool) -> Value {
    Value::of_sites(scene.board.all().iter().filter(|site| wanted(content(scene, *site))).collect())
}

fn mapped(set: SiteSet, map: impl Fn(Site) -> SiteSet) -> Value {
    Value::of_sites(set.iter().fold(SiteSet::EMPTY, |all, site| all | map(site)))
}

/// The union over all sites and directions given.
fn each_way(values: &[Value], map: impl Fn(Site, crate::board::Direction) -> SiteSet) -> Value {
    let ways = directions(values, 1);
    mapped(sites(values, 0), |site| ways.iter().fold(SiteSet::EMPTY, |all, d| all | map(site, d)))
}

fn line_of(values: &[Value], line: impl Fn(i32) -> SiteSet) -> Value {
    let number = values.first().and_then(Value::number).and_then(|n| i32::try_from(n).ok());
    Value::of_sites(number.map_or(SiteSet::EMPTY, line))
}

/// Which of the lines of the board, counted from 1, holds a site.
fn number_of_line(scene: &Scene<'_>, values: &[Value], line: impl Fn(i32) -> SiteSet) -> Value {
    let lines = 1..=i32::try_from(scene.board.len()).unwrap_or(i32::MAX);
    let found = sites(values, 0).only().and_then(|site| lines.into_iter().find(|n| line(*n).contains(site)));
    Value::Number(found.map(i64::from))
}

fn ahead(scene: &Scene<'_>, from: Site, way: crate::board::Direction, steps: Option<i64>) -> SiteSet {
    let Some(steps) = steps else { return SiteSet::EMPTY };
    let way = if steps < 0 { way.opposite() } else { way };
    let mut at = from;
    for _ in 0..steps.unsigned_abs().min(u64::from(MOST_STEPS)) {
        match scene.board.step(at, way) {
            Some(next) => at = next,
            None => return SiteSet::EMPTY,
        }
    }
    SiteSet::single(at)
}

fn trail(scene: &Scene<'_>, from: Site, way: crate::board::Direction, steps: Option<i64>) -> SiteSet {
    let mut set = SiteSet::EMPTY;
    let mut at = from;
    for _ in 0..steps.unwrap_or(0).clamp(0, scene.board.len() as i64) {
        match scene.board.step(at, way) {
            Some(next) => at = next,
            None => break,
        }
        set.insert(at);
    }
    set
}

/// The sites passed, and the first one outside `through`.
fn run(scene: &Scene<'_>, from: Site, way: crate::board::Direction, through: SiteSet) -> (SiteSet, Option<Site>) {
    let mut set = SiteSet::EMPTY;
    let mut at = from;
    loop {
        match scene.board.step(at, way) {
            // On a ring the run would come round to where it has been.
            Some(next) if through.contains(next) && !set.contains(next) => {
                set.insert(next);
                at = next;
            }
            Some(next) if !through.contains(next) => return (set, Some(next)),
            _ => return (set, None),
        }
    }
}

fn between(scene: &Scene<'_>, values: &[Value]) -> Value {
    let found = pair(values).and_then(|(a, b)| {
        let way = scene.board.direction(a, b)?;
        let (passed, _) = run(scene, a, way, scene.board.all() - SiteSet::single(b));
        Some(passed)
    });
    Value::of_sites(found.unwrap_or(SiteSet::EMPTY))
}

fn connected(scene: &Scene<'_>, from: SiteSet, within: SiteSet) -> SiteSet {
    let mut reached = from & within;
    let mut fresh = reached;
    while !fresh.is_empty() {
        let around = fresh.iter().fold(SiteSet::EMPTY, |set, site| set | scene.board.neighbours(site));
        fresh = (around & within) - reached;
        reached |= fresh;
    }
    reached
}

fn turned(scene: &Scene<'_>, values: &[Value]) -> Value {
    let compass: Vec<_> = scene.board.compass().iter().collect();
    let Some(by) = values.get(1).and_then(Value::number) else { return Value::Directions(Directions::EMPTY) };
    let turned = directions(values, 0).iter().fold(Directions::EMPTY, |set, direction| {
        match compass.iter().position(|d| *d == direction) {
            Some(at) => {
                let to = at as i64 + by.rem_euclid(compass.len() as i64);
                set | Directions::single(compass[to as usize % compass.len()])
            }
            None => set,
        }
    });
    Value::Directions(turned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_by_its_id_and_by_its_name() {
        for word in CATALOGUE {
            assert_eq!(word.id.row().name, word.name);
            assert_eq!(find(word.name).map(|found| found.id), Some(word.id));
        }
    }

    #[test]
    fn what_stands_on_the_sites_of_a_word_is_said_of_sites() {
        for word in CATALOGUE.iter().filter(|word| word.stands != Stands::Anything) {
            assert_eq!(word.result, Type::Sites, "{word:?}");
            if let Stands::As(param) = word.stands {
                assert_eq!(word.params[param].ty, Type::Sites, "{word:?}");
            }
        }
    }
}
