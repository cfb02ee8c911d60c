//! What is measured of games whose answers are known.

use crate::ai::Agent;
use crate::ai::measure::compare::{Compared, Variant, part, table};
use crate::ai::measure::tune::{Found, Wanted, tune};
use crate::ai::measure::{Measure, Page, Quantity, Settings, measure};
use crate::engine::Engine;
use crate::game::{Game, LoadError};
use crate::library::Library;
use crate::study::halt::Halt;
use crate::study::playout;
use std::ops::Range;
use std::time::Duration;

/// A game without skill: whoever throws first wins.
const COIN: &str = r#"
    game "Coin"
    players Heads, Tails
    board square(6)
    piece stone of each player
    move put "{cell}" { cell : empty; cell becomes stone of mover }
    turn { put }
    end { mover wins when ply >= 1 "the first throw" }
"#;

fn game(text: &str, options: &[(&str, &str)]) -> Game {
    let options: Vec<(String, String)> =
        options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Game::from_text("test.game", text, None, &options, &Library).unwrap()
}

fn page(game: &Game, games: u64) -> Page {
    let settings = Settings { time: Duration::ZERO, games: Some(games), seed: 1, threads: 2, max_plies: 500 };
    measure(game, settings, Halt::never(), &mut |_| {})
}

fn named<'p>(page: &'p Page, name: &str) -> &'p Measure {
    page.measures.iter().find(|measure| measure.name == name).unwrap()
}

fn value(page: &Page, name: &str) -> f64 {
    named(page, name).estimate.unwrap().value
}

#[test]
fn tic_tac_toe_is_a_draw_among_those_who_think_and_has_5478_positions() {
    let game = game(Library::text("tic_tac_toe").unwrap(), &[]);
    let page = page(&game, 30);
    assert!(value(&page, "draws") > 0.85, "{:?}", named(&page, "draws"));
    assert!((0.45..0.62).contains(&value(&page, "first_seat")));
    let positions = 10f64.powf(value(&page, "state_space_log10")).round();
    assert_eq!(positions, 5478.0);
    // Random games: known from counting all of them.
    let random = named(&page, "first_seat_random").estimate.unwrap();
    let exact = 0.5849 + 0.1270 / 2.0;
    assert!(random.low - 0.01 < exact && exact < random.high + 0.01, "{random:?}");
    for name in ["plies", "branching", "completion", "skill_rungs", "clarity", "game_tree_log10"] {
        let found = named(&page, name).estimate.unwrap();
        assert!(found.low <= found.value && found.value <= found.high, "{name}: {found:?}");
    }
    assert!(value(&page, "plies") > 8.5 && value(&page, "completion") == 1.0);
    assert!(page.ends.iter().map(|end| end.share).sum::<f64>() > 0.999, "{:?}", page.ends);
    // 9! lines of play, most of which are cut short by a row.
    assert!((4.5..5.6).contains(&value(&page, "game_tree_log10")));
}

#[test]
fn numbers_that_are_tracked_are_part_of_a_position() {
    let count = r#"
        game "Count"
        players Black, White
        board square(1)
        track sum : 0..4 = 0
        move add "+{n}" { n : 1..2; if sum + n <= 4; sum becomes sum + n }
        turn { add }
        end { mover wins when sum = 4 }
    "#;
    let page = page(&game(count, &[]), 1);
    // Nothing, 1, two ways of who is to move with 2 and with 3, and the end.
    assert_eq!(10f64.powf(value(&page, "state_space_log10")).round(), 7.0);
}

#[test]
fn whoever_begins_wins_small_hex_and_nobody_draws() {
    let game = game(Library::text("hex").unwrap(), &[("size", "3")]);
    let page = page(&game, 30);
    assert!(value(&page, "first_seat") > 0.9, "{:?}", named(&page, "first_seat"));
    assert_eq!(value(&page, "draws"), 0.0);
    assert!(value(&page, "drama") < 0.15 && value(&page, "decision_ply") < 4.0);
}

#[test]
fn a_game_that_the_first_ply_decides_has_no_skill() {
    let page = page(&game(COIN, &[]), 60);
    assert_eq!(value(&page, "skill_rungs"), 0.0, "{:?}", page.ladder);
    assert_eq!((value(&page, "first_seat"), value(&page, "plies")), (1.0, 1.0));
    // Two rungs show that thinking is worth nothing.
    assert!(page.ladder.iter().all(|rung| (0.3..0.7).contains(&rung.share.value)), "{:?}", page.ladder);
}

#[test]
fn games_are_played_until_the_first_seat_is_known_well_and_the_time_goes_to_others() {
    let settings = Settings { time: Duration::from_secs(20), games: None, seed: 1, threads: 2, max_plies: 500 };
    let page = measure(&game(COIN, &[]), settings, Halt::never(), &mut |_| {});
    // The first throw decides, which 400 games show; random games are cheap.
    let games = ["first_seat_random", "first_seat_weak", "first_seat"].map(|name| named(&page, name).games);
    assert_eq!(games, [1_100, 400, 400]);
}

#[test]
fn the_same_seed_gives_the_same_numbers() {
    let game = game(Library::text("tic_tac_toe").unwrap(), &[]);
    assert_eq!(page(&game, 4), page(&game, 4));
}

#[test]
fn a_game_of_three_is_measured_without_what_takes_two() {
    let game = game(Library::text("iqishiqi").unwrap(), &[("player_count", "3"), ("side", "3")]);
    let page = page(&game, 3);
    assert!(named(&page, "drama").estimate.is_none());
    assert!(named(&page, "first_seat").estimate.is_some());
}

/// Two who take turns; whoever has three in a row first wins. With `early` the first player begins
/// with some, and `idle` is asked about and changes nothing.
const RACE: &str = r#"
    game "Race"
    option early : 0..1 = 0
    option idle : 0..20 = 0
    players Black, White
    board square(6)
    piece stone of each player
    start { (a1 or b1 or a3 or b3 or d5 or e5) becomes stone of Black when early = 1 }
    move put "{cell}" { cell : empty; cell becomes stone of mover }
    move wait "wait" { if idle > 100 }
    turn { put or wait }
    end { mover wins when line(3, own, N or E) "three in a row"; draw when no empty "full" }
"#;

fn compared(games: u64, options: &[&[(&str, &str)]], seed: u64) -> Vec<Vec<Compared>> {
    let settings = Settings { time: Duration::ZERO, games: Some(games), seed, threads: 2, max_plies: 500 };
    let play = |options: &&[(&str, &str)]| {
        Variant::play(&game(RACE, options), settings, Agent::Random, Halt::never(), &mut || {})
    };
    let variants: Vec<Variant> = options.iter().map(play).collect();
    table(&variants, &[Quantity::FirstSeat, Quantity::Draws, Quantity::Plies, Quantity::Branching])
}

#[test]
fn an_option_without_effect_shows_none_and_a_planted_bias_is_found() {
    let rows = compared(600, &[&[], &[("idle", "7")], &[("early", "1")]], 3);
    let idle = &rows[1];
    assert!(idle.iter().all(|compared| !compared.differs()), "{idle:?}");
    // The same seeds play the same games.
    assert!(idle.iter().all(|compared| compared.difference.unwrap().estimate.value == 0.0), "{idle:?}");
    let early = &rows[2][0];
    assert!(early.differs() && early.difference.unwrap().estimate.low > 0.0, "{early:?}");
    assert!(!rows[0][0].differs());
}

#[test]
fn twenty_tables_of_equal_variants_raise_hardly_an_alarm() {
    // Other seeds make other games of the same rules: here chance is all that differs.
    let settings = |seed| Settings { time: Duration::ZERO, games: Some(200), seed, threads: 2, max_plies: 500 };
    let game = game(RACE, &[]);
    let play = |seed| Variant::play(&game, settings(seed), Agent::Random, Halt::never(), &mut || {});
    let quantities = [Quantity::FirstSeat, Quantity::Draws, Quantity::Plies, Quantity::Branching];
    let alarms = (0..20).filter(|at| {
        let variants: Vec<Variant> = (0..4).map(|row| play(at * 10 + row)).collect();
        table(&variants, &quantities).iter().flatten().any(Compared::differs)
    });
    assert!(alarms.count() <= 2);
}

/// What random games of each value say, 300 at most.
fn tuned(make: &dyn Fn(i64) -> Result<Game, LoadError>, wanted: Wanted) -> Found {
    let settings = Settings { time: Duration::ZERO, games: Some(300), seed: 1, threads: 2, max_plies: 500 };
    let mut play = |value, numbers: Range<u64>| {
        let mut games = Vec::new();
        part(&make(value)?, settings, Agent::Random, numbers, Halt::never(), &mut |game| {
            games.push(game);
            true
        });
        Ok::<_, LoadError>(games)
    };
    tune(wanted, Some(300), &mut play).unwrap()
}

#[test]
fn tuning_finds_the_size_at_which_games_have_a_length() {
    let text = Library::text("hex").unwrap();
    let make = |size: i64| {
        let options = [("size".to_owned(), size.to_string())];
        Game::from_text("hex", text, None, &options, &Library)
    };
    let length = |size: i64| {
        let settings = playout::Settings { games: 3_000, seed: 77, threads: 2, max_plies: None, engine: Engine::Fast };
        playout::playout(&make(size).unwrap(), settings, &mut |_| {}).totals.mean_plies()
    };
    let quantity = Quantity::Plies;
    for (target, size) in [(length(5), 5), (length(8) + 0.5, 8)] {
        let wanted = Wanted { quantity, target, low: 3, high: 11 };
        let found = tuned(&make, wanted);
        assert_eq!((found.value, found.reached), (Some(size), true), "{found:?}");
        assert!(found.low <= size && size <= found.high && found.high - found.low <= 1, "{found:?}");
    }
    let wanted = Wanted { quantity, target: 1000.0, low: 3, high: 6 };
    let found = tuned(&make, wanted);
    assert_eq!((found.value, found.reached), (Some(6), false));
}
