//! Counts of the classics, published or found a second time, and whole games played side by side with a second writing of their rules.

use super::classics::go::{Go, Slither};
use super::classics::jumping::{Ataxx, Halma, Konane};
use super::classics::others::{Morris, Slimetrail, Trike};
use super::classics::rows::{Ban, Gomoku};
use super::classics::sowing::Oware;
use super::classics::{Position, Settings};
use crate::game::Game;
use crate::library::Library;
use crate::study::perft::perft;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;
use std::collections::BTreeMap;

struct Row {
    game: String,
    ruleset: Option<String>,
    options: Settings,
    turns: bool,
    nodes: Vec<u64>,
    published: bool,
    checked: bool,
}

fn rows() -> Vec<Row> {
    let table: Value = serde_json::from_str(include_str!("../data/counts_of_classics.json")).unwrap();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let options = |row: &Value| {
        let set = row["options"].as_object().unwrap().iter();
        set.map(|(name, value)| (name.clone(), text(value).unwrap())).collect()
    };
    let row = |row: &Value| Row {
        game: text(&row["game"]).unwrap(),
        ruleset: text(&row["ruleset"]),
        options: options(row),
        turns: row["turns"].as_bool().unwrap_or(false),
        nodes: row["nodes"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).collect(),
        published: row["published"].is_string(),
        checked: row["cross_checked"].as_bool().unwrap_or(false),
    };
    table["counts"].as_array().unwrap().iter().map(row).collect()
}

fn load(game: &str, ruleset: Option<&str>, options: &Settings) -> Game {
    let options: Vec<_> = options.clone().into_iter().collect();
    Game::from_text(game, Library::text(game).unwrap(), ruleset, &options, &Library).unwrap()
}

/// How deep a row goes within a budget of positions.
fn depth(nodes: &[u64], budget: u64) -> usize {
    (1..=nodes.len()).filter(|depth| nodes[..*depth].iter().sum::<u64>() <= budget).max().unwrap_or(1)
}

fn engine_counts(budget: u64) {
    for row in rows() {
        assert!(row.published || row.checked, "nobody but the engine says so: {}", row.game);
        let depth = depth(&row.nodes, budget);
        let start = load(&row.game, row.ruleset.as_deref(), &row.options).start();
        let counted = perft(&start, depth, row.turns, &mut |_, _| {});
        assert_eq!(counted.nodes, row.nodes[..depth], "{} {:?} {:?}", row.game, row.ruleset, row.options);
    }
}

#[test]
fn the_engine_counts_what_the_table_says() {
    engine_counts(20_000);
}

/// The whole table: `cargo test --release -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn the_engine_counts_what_the_table_says_to_the_last_number() {
    engine_counts(u64::MAX);
}

#[test]
fn a_second_writing_of_the_rules_counts_the_same() {
    let mut checked = 0;
    for row in rows().iter().filter(|row| row.checked) {
        let depth = depth(&row.nodes, 300_000);
        let nodes = visit(&row.game, row.ruleset.as_deref(), &row.options, &Count(depth));
        assert_eq!(nodes, row.nodes[..depth], "{} {:?} {:?}", row.game, row.ruleset, row.options);
        checked += 1;
    }
    assert!(checked >= 20);
}

/// What is done with a second writing, whichever game it is of.
trait Visitor {
    type Answer;
    fn visit<P: Position>(&self, game: &Game, start: P) -> Self::Answer;
}

fn visit<V: Visitor>(name: &str, ruleset: Option<&str>, options: &Settings, visitor: &V) -> V::Answer {
    let game = load(name, ruleset, options);
    // What a ruleset sets, the second writing is told as options.
    let mut set = options.clone();
    let add = |set: &mut Settings, pairs: &[(&str, &str)]| {
        pairs.iter().for_each(|(name, value)| {
            set.entry((*name).to_owned()).or_insert((*value).to_owned());
        });
    };
    match ruleset {
        None => {}
        Some("tromp_taylor") => add(&mut set, &[("suicide", "allowed")]),
        Some("new_zealand") => add(&mut set, &[("suicide", "allowed"), ("ko", "situational"), ("komi", "14")]),
        Some("simple_ko") => add(&mut set, &[("ko", "simple")]),
        Some("freestyle") => {}
        Some("standard") => add(&mut set, &[("more", "counts_nothing")]),
        Some("renju") => add(&mut set, &[("bans", "yes"), ("opening", "renju")]),
        Some("advanced") => add(&mut set, &[("movable", "touching")]),
        Some("four_players") => add(&mut set, &[("player_count", "4")]),
        Some("parlett") => add(&mut set, &[("goal", "parlett")]),
        Some(other) => panic!("the second writing does not know the ruleset {other}"),
    }
    match name {
        "ataxx" => visitor.visit(&game, Ataxx::start(&set)),
        "go" => visitor.visit(&game, Go::start(&set)),
        "gomoku" => visitor.visit(&game, Gomoku::start(&set)),
        "halma" => visitor.visit(&game, Halma::start(&set)),
        "konane" => visitor.visit(&game, Konane::start(&set)),
        "nine_mens_morris" | "six_mens_morris" | "twelve_mens_morris" => {
            visitor.visit(&game, Morris::start(name, &set))
        }
        "oware" => visitor.visit(&game, Oware::start(&set)),
        "slimetrail" => visitor.visit(&game, Slimetrail::start(&set)),
        "slither" => visitor.visit(&game, Slither::start(&set)),
        "trike" => visitor.visit(&game, Trike::start(&set)),
        other => panic!("there is no second writing of {other}"),
    }
}

/// Counts sequences up to a depth.
struct Count(usize);

impl Visitor for Count {
    type Answer = Vec<u64>;

    fn visit<P: Position>(&self, _: &Game, start: P) -> Vec<u64> {
        fn below<P: Position>(position: &P, nodes: &mut [u64]) {
            if let [count, deeper @ ..] = nodes {
                let next = position.next();
                *count += next.len() as u64;
                if !deeper.is_empty() {
                    next.iter().for_each(|(_, position)| below(position, deeper));
                }
            }
        }
        let mut nodes = vec![0; self.0];
        below(&start, &mut nodes);
        nodes
    }
}

/// Plays random games on both, and compares the moves by name at every ply and the result; the plies compared.
struct Games {
    games: u64,
    plies: usize,
}

impl Visitor for Games {
    type Answer = (usize, usize);

    fn visit<P: Position>(&self, game: &Game, start: P) -> (usize, usize) {
        let (mut plies, mut ends) = (0, 0);
        for number in 0..self.games {
            let mut generator = Xoshiro256PlusPlus::seed_from_u64(number);
            let (mut ours, mut theirs) = (start.clone(), game.start());
            let mut seen: Vec<Vec<u16>> = ours.repeats().into_iter().collect();
            let mut history: Vec<String> = Vec::new();
            for _ in 0..self.plies {
                let thrice = ours.repeats().is_some_and(|now| seen.iter().filter(|past| **past == now).count() >= 3);
                let mut next = ours.next();
                let result = ours.result().or(if thrice { Some(None) } else { None });
                assert_eq!(result.is_some(), theirs.is_over(), "after {history:?}: {:?}", theirs.result_text());
                if let Some(winner) = result {
                    let winner = winner.map(|winner| game.rules().players[winner].name.clone());
                    let said = theirs.result_text().unwrap();
                    // Where repetition decides by score the second writing leaves the result to the engine.
                    assert!(
                        thrice || said.starts_with(&winner.map_or("draw".to_owned(), |name| format!("{name} wins"))),
                        "{said} after {history:?}"
                    );
                    ends += 1;
                    break;
                }
                next.sort_by(|a, b| a.0.cmp(&b.0));
                let mut moves = theirs.moves();
                moves.sort();
                let names: Vec<&String> = next.iter().map(|(name, _)| name).collect();
                assert_eq!(names, moves.iter().collect::<Vec<_>>(), "after {history:?}");
                let (name, position) = next.swap_remove(generator.random_range(0..next.len() as u64) as usize);
                theirs = theirs.play(&name).unwrap();
                ours = position;
                history.push(name);
                seen.extend(ours.repeats());
                plies += 1;
            }
        }
        (plies, ends)
    }
}

/// A game, a ruleset, options.
type Setting = (&'static str, Option<&'static str>, &'static [(&'static str, &'static str)]);

#[test]
fn whole_games_go_the_same_way() {
    let settings: &[Setting] = &[
        ("ataxx", None, &[("size", "5")]),
        ("ataxx", None, &[("blocks", "cross"), ("size", "5")]),
        ("ataxx", None, &[("blocks", "straight")]),
        ("go", None, &[("size", "4")]),
        ("go", Some("tromp_taylor"), &[("size", "4")]),
        ("go", Some("new_zealand"), &[("size", "4")]),
        ("go", Some("simple_ko"), &[("size", "4")]),
        ("gomoku", None, &[("size", "9")]),
        ("gomoku", Some("standard"), &[("size", "9")]),
        ("gomoku", Some("renju"), &[("size", "9")]),
        ("halma", None, &[("size", "8")]),
        ("halma", Some("four_players"), &[("size", "8")]),
        ("halma", Some("parlett"), &[("size", "8"), ("settled", "no")]),
        ("konane", None, &[]),
        ("konane", None, &[("size", "6")]),
        ("nine_mens_morris", None, &[]),
        ("nine_mens_morris", None, &[("flying", "no"), ("men", "5")]),
        ("six_mens_morris", None, &[]),
        ("twelve_mens_morris", None, &[]),
        ("oware", None, &[]),
        ("oware", None, &[("grand_slam", "unlawful"), ("pits", "3"), ("seeds_each", "2")]),
        ("oware", None, &[("grand_slam", "leaves_the_rest"), ("pits", "4"), ("seeds_each", "3")]),
        ("slimetrail", None, &[]),
        ("slimetrail", None, &[("steps", "rook"), ("blocked", "draws")]),
        ("slimetrail", None, &[("dead_ends", "forbidden"), ("size", "6")]),
        ("slither", None, &[("size", "5")]),
        ("slither", Some("advanced"), &[("size", "5")]),
        ("trike", None, &[]),
        ("trike", None, &[("size", "4")]),
    ];
    let mut ends = 0;
    for (game, ruleset, options) in settings {
        let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let (plies, ended) = visit(game, *ruleset, &options, &Games { games: 8, plies: 150 });
        println!("{game} {ruleset:?} {options:?}: {plies} plies, {ended} of 8 games ended");
        ends += ended;
    }
    assert!(ends >= 150, "only {ends} games came to an end");
}

/// Games of Renju in which Black crowds his stones and White stays out of his way, so that bans come up all the time.
struct Crowded(u64);

impl Crowded {
    /// How often each ban came up.
    fn compare(&self, game: &Game, options: &Settings) -> BTreeMap<Ban, usize> {
        let mut met = BTreeMap::new();
        for number in 0..self.0 {
            let mut generator = Xoshiro256PlusPlus::seed_from_u64(number);
            let (mut ours, mut theirs) = (Gomoku::start(options), game.start());
            let mut history: Vec<String> = Vec::new();
            while ours.result().is_none() {
                ours.banned().into_iter().for_each(|(_, ban)| *met.entry(ban).or_insert(0) += 1);
                let next = ours.next();
                let mut moves = theirs.moves();
                let mut names: Vec<&String> = next.iter().map(|(name, _)| name).collect();
                moves.sort();
                names.sort();
                assert_eq!(names, moves.iter().collect::<Vec<_>>(), "after {history:?}");
                let nearest = |name: &str| {
                    let at = ours.stones(0).find(|point| ours.name(*point) == name).unwrap();
                    ours.stones(1).map(|stone| ours.distance(stone, at)).min().unwrap_or(0)
                };
                let wanted = |name: &str| if ours.black_moves() { nearest(name) <= 2 } else { nearest(name) >= 4 };
                let mut chosen: Vec<&String> = names.iter().copied().filter(|name| wanted(name)).collect();
                // Five in a row would end the game.
                chosen.retain(|name| next.iter().any(|(other, after)| other == *name && after.result().is_none()));
                let pool = if chosen.is_empty() { names } else { chosen };
                let Some(name) = pool.get(generator.random_range(0..pool.len().max(1) as u64) as usize) else { break };
                let name = (*name).clone();
                theirs = theirs.play(&name).unwrap();
                ours = next.into_iter().find(|(other, _)| *other == name).unwrap().1;
                history.push(name);
            }
            assert_eq!(ours.result().is_some(), theirs.is_over(), "after {history:?}");
        }
        met
    }
}

#[test]
fn the_bans_of_renju_are_those_of_a_second_writing() {
    for size in ["11", "15"] {
        let options: Settings = [("size", size), ("bans", "yes")].map(|(a, b)| (a.to_owned(), b.to_owned())).into();
        let met = Crowded(6).compare(&load("gomoku", None, &options), &options);
        println!("{size}: {met:?}");
        for ban in [Ban::Overline, Ban::DoubleFour, Ban::DoubleThree] {
            assert!(met.get(&ban).is_some_and(|times| *times >= 20), "{size}: {ban:?} hardly came up: {met:?}");
        }
    }
}

/// What it shows, Black's stones in order, and the points that are banned then.
type Made = (&'static str, &'static [&'static str], &'static [(&'static str, Ban)]);

/// Black's stones as they are put, White's on the rim, then all points that are banned.
#[test]
fn points_banned_in_positions_made_for_it() {
    let options: Settings = [("bans".to_owned(), "yes".to_owned())].into();
    let cases: &[Made] = &[
        ("six in a row", &["d5", "e5", "f5", "h5", "i5"], &[("g5", Ban::Overline)]),
        (
            "two fours in two lines, and in one",
            &["d4", "e4", "f4", "g5", "g6", "g7", "c10", "e10", "g10", "i10"],
            &[("g4", Ban::DoubleFour), ("f10", Ban::DoubleFour)],
        ),
        ("two threes across", &["f8", "g8", "h9", "h10"], &[("h8", Ban::DoubleThree)]),
        ("two threes with gaps", &["e8", "g8", "h5", "h7"], &[("h8", Ban::DoubleThree)]),
        ("a four and a three", &["e8", "f8", "g8", "h9", "h10"], &[]),
    ];
    for (label, black, banned) in cases {
        let game = load("gomoku", None, &options);
        let (mut ours, mut theirs) = (Gomoku::start(&options), game.start());
        // White's stones must not make five, nor stand in the way.
        let mut white = ["a1", "c1", "e1", "g1", "i1", "k1", "m1", "o1", "a15", "c15", "e15", "g15"].into_iter();
        for stone in *black {
            for name in [*stone, white.next().unwrap()] {
                ours = ours.next().into_iter().find(|(other, _)| other == name).unwrap().1;
                theirs = theirs.play(name).unwrap();
            }
        }
        let found: Vec<(String, Ban)> = ours.banned().into_iter().map(|(point, ban)| (ours.name(point), ban)).collect();
        let wanted: Vec<(String, Ban)> = banned.iter().map(|(name, ban)| ((*name).to_owned(), *ban)).collect();
        assert_eq!(found, wanted, "{label}");
        let mut names: Vec<String> = ours.next().into_iter().map(|(name, _)| name).collect();
        let mut moves = theirs.moves();
        names.sort();
        moves.sort();
        assert_eq!(names, moves, "{label}");
    }
}
