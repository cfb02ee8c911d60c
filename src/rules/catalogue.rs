//! The catalogue of primitive words: name, meaning, example, types and evaluation of each, in one row.
//!
//! Whatever can be said in the language itself is not here but in `grammar/prelude.game`.

use super::value::{Content, Kinds, PlayerId, Players, Type, Value};
use super::{Kind, Player};
use crate::board::{Board, Directions, Site, SiteSet};
use std::fmt;

/// What a primitive word may look at.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub board: &'a Board,
    pub players: &'a [Player],
    pub kinds: &'a [Kind],
    pub contents: &'a [Content],
    pub empty: SiteSet,
    pub mover: PlayerId,
    pub next: PlayerId,
    pub turn: u32,
    pub ply: u32,
    /// The player to move next has no lawful turn.
    pub stuck: bool,
    /// The turn that has begun cannot be finished.
    pub unfinished: bool,
}

pub struct Primitive {
    pub name: &'static str,
    pub doc: &'static str,
    pub example: &'static str,
    pub params: &'static [Type],
    /// How many of the last parameters may be left out.
    pub optional: usize,
    /// Further values join the last one: `side(N, SE)`.
    pub joins: bool,
    pub result: Type,
    pub eval: fn(&Scene<'_>, &[Value]) -> Value,
}

/// Rows are told apart by their names.
impl PartialEq for Primitive {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The row of a word.
#[must_use]
pub fn find(name: &str) -> Option<&'static Primitive> {
    CATALOGUE.iter().find(|primitive| primitive.name == name)
}

macro_rules! word {
    ($name:literal ($($param:ident),*) $result:ident, $doc:literal, $example:literal, $eval:expr) => {
        word!($name ($($param),*) optional 0 joins false $result, $doc, $example, $eval)
    };
    ($name:literal ($($param:ident),*) optional $optional:literal joins $joins:literal $result:ident, $doc:literal, $example:literal, $eval:expr) => {
        Primitive {
            name: $name, doc: $doc, example: $example, params: &[$(Type::$param),*], optional: $optional, joins: $joins,
            result: Type::$result, eval: $eval,
        }
    };
}

/// Every primitive word.
pub static CATALOGUE: &[Primitive] = &[
    // ---- sites ----
    word!("empty" () Sites, "the sites on which nothing stands", "cell : empty", |s, _| Value::Sites(s.empty)),
    word!("piece" () Sites, "the sites on which something stands", "any piece next_to cell", |s, _| Value::Sites(s.board.all() - s.empty)),
    word!("site" () Sites, "every site of the board", "cell : site", |s, _| Value::Sites(s.board.all())),
    word!("cells" () Sites, "the sites that are cells: all, unless the board has edges or vertices too", "empty cells", |s, _| Value::Sites(s.board.cells())),
    word!("edges" () Sites, "the sites that are edges of cells", "empty edges", |s, _| Value::Sites(s.board.edges())),
    word!("vertices" () Sites, "the sites that are vertices of cells", "empty vertices", |s, _| Value::Sites(s.board.vertices())),
    word!("edge" () Sites, "the sites on the border", "the ball in edge", |s, _| Value::Sites(s.board.edge())),
    word!("corner" () Sites, "the sites where two sides meet", "cell not in corner", |s, _| Value::Sites(s.board.corners())),
    word!("interior" () Sites, "the sites that are not on the border", "the pin in interior", |s, _| Value::Sites(s.board.interior())),
    word!("centre" () Sites, "the site in the middle, or those around the middle", "centre becomes ball", |s, _| Value::Sites(s.board.centre())),
    word!("side" (Directions) optional 0 joins true Sites, "the sites of the named sides", "side(N, SE, SW)",
        |s, v| Value::Sites(directions(v, 0).iter().fold(SiteSet::EMPTY, |set, d| set | s.board.side(d)))),
    word!("sides" () Directions, "the directions in which the board has a side", "count { d in sides with any (own side(d)) }",
        |s, _| Value::Directions(s.board.sides())),
    word!("row" (Number) Sites, "a row: of squares from 1 at the bottom, of hexes from 1 at the top", "row(1)", |s, v| line_of(v, |n| s.board.row(n))),
    word!("column" (Number) Sites, "a column of squares, from 1 at the left", "column(1)", |s, v| line_of(v, |n| s.board.column(n))),
    word!("dark" () Sites, "the squares of the colour of the one at the bottom left", "keeping dark", |s, _| Value::Sites(s.board.dark())),
    word!("next_to" (Sites) Sites, "the neighbours of sites", "empty next_to cell", |s, v| mapped(sites(v, 0), |x| s.board.neighbours(x))),
    word!("ahead" (Sites, Directions, Number) optional 1 joins false Sites, "the site so many steps on (one, if nothing is said; backwards if negative)",
        "ahead(the pin, d, k)", |s, v| each_way(v, |x, d| ahead(s, x, d, steps(v, 2)))),
    word!("ahead_all" (Sites, Directions, Number) Sites, "all sites from one step on up to so many steps on", "ahead_all(x, N, 2)",
        |s, v| each_way(v, |x, d| trail(s, x, d, steps(v, 2)))),
    word!("run" (Sites, Directions, Sites) Sites, "the sites met from a site in a direction, as long as they lie in a set", "run(x, d, empty)",
        |s, v| each_way(v, |x, d| run(s, x, d, sites(v, 2)).0)),
    word!("beyond" (Sites, Directions, Sites) Sites, "the first site from a site in a direction that does not lie in a set", "beyond(x, d, empty)",
        |s, v| each_way(v, |x, d| run(s, x, d, sites(v, 2)).1.map_or(SiteSet::EMPTY, SiteSet::single))),
    word!("between" (Sites, Sites) Sites, "the sites strictly between two sites in line", "no piece between(a, b)", |s, v| between(s, v)),
    word!("connected" (Sites, Sites) Sites, "the sites of the second set that neighbours within it link to the first", "connected(x, own)",
        |s, v| Value::Sites(connected(s, sites(v, 0), sites(v, 1)))),
    word!("alike" (Sites) Sites, "where pieces of the same kind and owner stand", "alike(x)",
    |s, v| match sites(v, 0).only().map(|x| content(s, x)) {
        Some(wanted) => holding(s, move |c| c == wanted),
        None => Value::Sites(SiteSet::EMPTY),
    }),
    // ---- directions ----
    word!("directions" () Directions, "the directions in which sites are neighbours", "d : directions", |s, _| Value::Directions(s.board.directions())),
    word!("orthogonal" () Directions, "the directions across the sides of a cell", "open(x, orthogonal)", |s, _| Value::Directions(s.board.orthogonal())),
    word!("diagonal" () Directions, "the directions across the corners of a square", "open(x, diagonal)", |s, _| Value::Directions(s.board.diagonal())),
    word!("direction" (Sites, Sites) Directions, "the direction of the straight line from one site to another", "direction(cell, the pin)",
    |s, v| {
        let found = pair(v).and_then(|(a, b)| s.board.direction(a, b));
        Value::Directions(found.map_or(Directions::EMPTY, Directions::single))
    }),
    word!("opposite" (Directions) Directions, "the other way", "opposite(d)",
        |_, v| Value::Directions(directions(v, 0).iter().fold(Directions::EMPTY, |set, d| set | Directions::single(d.opposite())))),
    word!("turned" (Directions, Number) Directions, "turned clockwise by so many of the grid's directions", "turned(N, 1)", |s, v| turned(s, v)),
    word!("facing" (Players) Directions, "the direction a player faces", "ahead(x, facing(mover))",
    |s, v| {
        let facing = players(v, 0).only().and_then(|p| s.players.get(usize::from(p.0))).and_then(|player| player.facing);
        Value::Directions(facing.map_or(Directions::EMPTY, Directions::single))
    }),
    // ---- players and pieces ----
    word!("mover" () Players, "the player whose turn it is; in `end`, who has just moved", "stone of mover", |s, _| Value::Players(Players::single(s.mover))),
    word!("next" () Players, "the player whose turn comes after", "next loses when stuck", |s, _| Value::Players(Players::single(s.next))),
    word!("previous" () Players, "the player before the mover in the order of players", "of previous",
        |s, _| Value::Players(Players::single(PlayerId(((usize::from(s.mover.0) + s.players.len().max(1) - 1) % s.players.len().max(1)) as u8)))),
    word!("player_after" (Players, Number) optional 1 joins false Players,
        "the player so many places on in the order of players (one, if nothing is said; backwards if negative)", "player_after(next)",
    |s, v| {
        let found = players(v, 0).only().zip(steps(v, 1)).filter(|_| !s.players.is_empty());
        Value::Players(found.map_or(Players(0), |(p, n)| {
            let at = (i64::from(p.0) + n.rem_euclid(s.players.len() as i64)) % s.players.len() as i64;
            Players::single(PlayerId(at as u8))
        }))
    }),
    word!("players" () Players, "all players", "count players", |s, _| Value::Players(Players::first(s.players.len()))),
    word!("other" (Players) Players, "all players but these", "other(mover)", |s, v| Value::Players(Players(Players::first(s.players.len()).0 & !players(v, 0).0))),
    word!("owner" (Sites) Players, "the owners of the pieces on sites", "owner(x) is mover",
        |s, v| Value::Players(Players(sites(v, 0).iter().filter_map(|x| content(s, x).owner()).fold(0, |set, p| set | Players::single(p).0)))),
    word!("kind" (Sites) Kinds, "the kinds of the pieces on sites", "kind(x) of mover",
        |s, v| Value::Kinds(Kinds(sites(v, 0).iter().filter_map(|x| content(s, x).kind()).fold(0, |set, k| set | Kinds::single(k).0)))),
    word!("kinds" (Kinds) optional 0 joins true Kinds, "kinds of pieces to pick from", "rank : kinds(queen, rook)", |_, v| v.first().cloned().unwrap_or(Value::Kinds(Kinds(0)))),
    word!("piece_on" (Sites) Piece, "what stands on a site", "over becomes piece_on(from)", |s, v| Value::Piece(sites(v, 0).only().map(|x| content(s, x)))),
    // ---- numbers ----
    word!("distance" (Sites, Sites) Number, "the fewest steps between two sites, whatever stands there", "distance(a, b) = 2",
        |s, v| Value::Number(pair(v).and_then(|(a, b)| s.board.distance(a, b)).map(i64::from))),
    word!("max" (Number, Number) Number, "the larger number", "max(1, k)", |_, v| both(v, i64::max)),
    word!("min" (Number, Number) Number, "the smaller number", "min(3, k)", |_, v| both(v, i64::min)),
    word!("abs" (Number) Number, "a number without its sign", "abs(k)", |_, v| Value::Number(v.first().and_then(Value::number).and_then(i64::checked_abs))),
    word!("turn" () Number, "the number of the turn, from 1", "turn > 1", |s, _| Value::Number(Some(i64::from(s.turn)))),
    word!("ply" () Number, "the number of decisions made so far", "ply >= 400", |s, _| Value::Number(Some(i64::from(s.ply)))),
    // ---- conditions ----
    word!("stuck" () Condition, "in `end`: the next player has no lawful turn", "next loses when stuck", |s, _| Value::Condition(Some(s.stuck))),
    word!("unfinished" () Condition, "in `end`: the turn that has begun cannot be finished", "mover loses when unfinished", |s, _| Value::Condition(Some(s.unfinished))),
];

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

fn holding(scene: &Scene<'_>, wanted: impl Fn(Content) -> bool) -> Value {
    Value::Sites(scene.board.all().iter().filter(|site| wanted(content(scene, *site))).collect())
}

fn mapped(set: SiteSet, map: impl Fn(Site) -> SiteSet) -> Value {
    Value::Sites(set.iter().fold(SiteSet::EMPTY, |all, site| all | map(site)))
}

/// The union over all sites and directions given.
fn each_way(values: &[Value], map: impl Fn(Site, crate::board::Direction) -> SiteSet) -> Value {
    let ways = directions(values, 1);
    mapped(sites(values, 0), |site| ways.iter().fold(SiteSet::EMPTY, |all, d| all | map(site, d)))
}

fn line_of(values: &[Value], line: impl Fn(i32) -> SiteSet) -> Value {
    let number = values.first().and_then(Value::number).and_then(|n| i32::try_from(n).ok());
    Value::Sites(number.map_or(SiteSet::EMPTY, line))
}

fn ahead(scene: &Scene<'_>, from: Site, way: crate::board::Direction, steps: Option<i64>) -> SiteSet {
    let Some(steps) = steps else { return SiteSet::EMPTY };
    let way = if steps < 0 { way.opposite() } else { way };
    let mut at = from;
    // No line is longer than the board, so that a huge number of steps leaves it soon.
    for _ in 0..steps.unsigned_abs().min(scene.board.len() as u64 + 1) {
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
    Value::Sites(found.unwrap_or(SiteSet::EMPTY))
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
                let to = (at as i64 + by).rem_euclid(compass.len() as i64) as usize;
                set | Directions::single(compass[to])
            }
            None => set,
        }
    });
    Value::Directions(turned)
}
