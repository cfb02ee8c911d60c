//! The counts of games: one table, met by the engine, and by a second writing of the rules where there is one; whole games
//! played side by side with that; positions of chess; games that are solved.

mod chess;
mod renju;
mod second_writing;
mod solved;

use crate::game::Game;
use crate::library::Library;
use crate::study::perft::perft;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use second_writing::go::{Go, Slither};
use second_writing::jumping::{Ataxx, Halma, Konane};
use second_writing::others::{Morris, Slimetrail, Trike};
use second_writing::rays::{Epoxy, Equi, Pushpin};
use second_writing::rows::Gomoku;
use second_writing::sowing::Oware;
use second_writing::stacking::{Dvonn, Focus, Lasca};
use second_writing::{Counted, Position, Settings};
use serde_json::Value;

struct Row {
    game: String,
    ruleset: Option<String>,
    options: Settings,
    turns: bool,
    nodes: Vec<u64>,
    checked: bool,
    /// Nobody but the engine says so.
    alone: bool,
}

impl Row {
    /// How deep a row goes within a budget of positions whose moves are looked for; the moves of the last ply are not made.
    fn depth(&self, budget: u64) -> usize {
        let looked = |depth: usize| self.nodes[..if self.turns { depth } else { depth - 1 }].iter().sum::<u64>();
        (1..=self.nodes.len()).filter(|depth| looked(*depth) <= budget).max().unwrap_or(1)
    }
}

fn rows() -> Vec<Row> {
    let table: Value = serde_json::from_str(include_str!("counts.json")).unwrap();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let options = |row: &Value| {
        let set = row["options"].as_object().unwrap().iter();
        set.map(|(name, value)| (name.clone(), text(value).unwrap())).collect()
    };
    let row = |row: &Value| Row {
        alone: !row["published"].is_string() && row["cross_checked"] != true,
        game: text(&row["game"]).unwrap(),
        ruleset: text(&row["ruleset"]),
        options: options(row),
        turns: row["turns"].as_bool().unwrap_or(false),
        nodes: row["nodes"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).collect(),
        checked: row["cross_checked"].as_bool().unwrap_or(false),
    };
    table["counts"].as_array().unwrap().iter().map(row).collect()
}

fn load(game: &str, ruleset: Option<&str>, options: &Settings) -> Game {
    let options: Vec<_> = options.clone().into_iter().collect();
    Game::from_text(game, Library::text(game).unwrap(), ruleset, &options, &Library)
        .unwrap_or_else(|error| panic!("{game}: {error}"))
}

fn engine_counts(budget: u64) {
    for row in rows() {
        let depth = row.depth(budget);
        let start = load(&row.game, row.ruleset.as_deref(), &row.options).start();
        let counted = perft(&start, depth, row.turns, &mut |_, _| {});
        assert_eq!(counted.nodes, row.nodes[..depth], "{} {:?} {:?}", row.game, row.ruleset, row.options);
    }
}

#[test]
fn the_engine_counts_what_the_table_says() {
    engine_counts(1_000);
}

/// A row of the engine alone shows only that nothing changes: a new row names its source or is counted a second time.
#[test]
fn no_further_row_is_the_word_of_the_engine_alone() {
    assert!(rows().iter().filter(|row| row.alone).count() <= 14);
}

/// The whole table: `cargo test --release --lib counts:: -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn the_engine_counts_what_the_table_says_to_the_last_number() {
    engine_counts(u64::MAX);
}

#[test]
fn a_second_writing_of_the_rules_counts_the_same() {
    let mut checked = 0;
    for row in rows().iter().filter(|row| row.checked) {
        let depth = row.depth(6_000);
        let nodes = match row.game.as_str() {
            "pushpin" => count(&Pushpin::start(&row.options), depth),
            "epoxy" => count(&Epoxy::start(&row.options), depth),
            "equi" => count(&Equi::start(&row.options), depth),
            name => visit(name, row.ruleset.as_deref(), &row.options, &Count(depth)),
        };
        assert_eq!(nodes, row.nodes[..depth], "{} {:?} {:?}", row.game, row.ruleset, row.options);
        checked += 1;
    }
    assert!(checked >= 30, "only {checked} rows");
}

/// The sequences of each length up to a depth.
fn count<P: Counted>(start: &P, depth: usize) -> Vec<u64> {
    fn below<P: Counted>(position: &P, nodes: &mut [u64]) {
        if let [count, deeper @ ..] = nodes {
            let next = position.following();
            *count += next.len() as u64;
            if !deeper.is_empty() {
                next.iter().for_each(|position| below(position, deeper));
            }
        }
    }
    let mut nodes = vec![0; depth];
    below(start, &mut nodes);
    nodes
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
        "dvonn" => visitor.visit(&game, Dvonn::start()),
        "focus" => visitor.visit(&game, Focus::start()),
        "go" => visitor.visit(&game, Go::start(&set)),
        "gomoku" => visitor.visit(&game, Gomoku::start(&set)),
        "halma" => visitor.visit(&game, Halma::start(&set)),
        "konane" => visitor.visit(&game, Konane::start(&set)),
        "lasca" => visitor.visit(&game, Lasca::start()),
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
        count(&start, self.0)
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
        ("lasca", None, &[]),
        ("focus", None, &[]),
        ("dvonn", None, &[]),
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
        let (plies, ended) = visit(game, *ruleset, &options, &Games { games: 5, plies: 150 });
        println!("{game} {ruleset:?} {options:?}: {plies} plies, {ended} of 5 games ended");
        ends += ended;
    }
    assert!(ends >= 90, "only {ends} games came to an end");
}
