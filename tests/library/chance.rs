//! Chance: outcomes come as often as they weigh, on both engines and however many threads there are, and programs know it.

use crate::ai::arena::{self, Results};
use crate::ai::solve::solve;
use crate::ai::{Agent, Budget, Mind};
use crate::author::inspect::check_file;
use crate::diagnostic::Code;
use crate::engine::dice::Dice;
use crate::engine::fast::{Fast, MachineCode};
use crate::engine::{Engine, Play};
use crate::game::{Game, Line};
use crate::library::Library;
use crate::study::playout::{Settings, choose, generator, playout};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A gamble of one turn: a sure thing worth little, or one of two urns.
const URNS: &str = r#"
    game "Urns"
    players Gambler, Bank
    board ring(3)
    track won : 0..9 = 0
    track urn : 0..2 = 0
    move take "urn {n}" { n : 1..2; urn becomes n }
    chance move draw "{n}" {
      n : 0..3
      weight if urn = 1 then (case n { 0: 3; 1: 1 }) else (case n { 1: 2; 2: 0; 3: 3 })
      won becomes n
    }
    turn { take, draw }
    end {
      mover wins when won = 1 or won = 3
      next wins when won = 0
      draw when turn > 5
    }
"#;

fn game(text: &str) -> Game {
    match Game::from_text("chance.game", text, None, &[], &Library) {
        Ok(game) => game,
        Err(error) => panic!("{error:?}"),
    }
}

fn shipped(name: &str) -> Game {
    game(Library::text(name).expect("shipped"))
}

/// Four places of the Royal Game of Ur: a throw weighs 1, 4, 6, 4, 1.
fn chi_squared(player: &mut dyn Play, draws: u64) -> f64 {
    let mut counts = [0.0; 5];
    for number in 0..draws {
        player.reset();
        let index = player.choose(&mut |sum| {
            assert_eq!(sum, 16);
            Dice::new(generator(7, number)).roll(sum)
        });
        let Some((_, parts)) = player.ply(index) else { panic!("no ply {index}") };
        counts[parts[0].number().unwrap() as usize] += 1.0;
    }
    let expected = [1.0, 4.0, 6.0, 4.0, 1.0].map(|weight| weight / 16.0 * draws as f64);
    counts.iter().zip(expected).map(|(count, mean): (&f64, f64)| (count - mean).powi(2) / mean).sum()
}

#[test]
fn throws_come_as_often_as_they_weigh_on_both_engines() {
    let game = shipped("royal_game_of_ur");
    let rules = Arc::new(game.rules().clone());
    let (code, steps) =
        (Fast::with(&rules, MachineCode::AtOnce).unwrap(), Fast::with(&rules, MachineCode::Never).unwrap());
    let (mut code, mut steps) = (code.player(), steps.player());
    code.load(&game.start_snapshot());
    steps.load(&game.start_snapshot());
    let mut reference = game.player(Engine::Reference);
    for (player, draws) in [(code.as_mut(), 40_000), (steps.as_mut(), 40_000), (reference.as_mut(), 4_000)] {
        // The 99.99 % point of chi-squared with 4 degrees of freedom.
        let chi = chi_squared(player, draws);
        assert!(chi < 23.51, "{chi}");
    }
    // A position weighs its moves as the engines do.
    let mut random = generator(3, 0);
    let mut counts = [0; 5];
    (0..1600).for_each(|_| counts[choose(&game.start(), &mut random).unwrap()] += 1);
    assert!(counts[2] > 500 && counts[0] < 160 && counts.iter().sum::<i32>() == 1600, "{counts:?}");
}

#[test]
fn random_games_do_not_depend_on_threads_or_machine_code() {
    for name in ["royal_game_of_ur", "einstein_wuerfelt_nicht"] {
        let game = shipped(name);
        let settings = |threads| Settings { games: 80, seed: 5, threads, max_plies: Some(2_000), engine: Engine::Fast };
        let one = playout(&game, settings(1), &mut |_| {});
        assert_eq!(one.fingerprint, playout(&game, settings(3), &mut |_| {}).fingerprint, "{name}");
        let rules = Arc::new(game.rules().clone());
        let [code, steps] = [MachineCode::AtOnce, MachineCode::Never].map(|code| Fast::with(&rules, code).unwrap());
        let digest = |fast: &Fast| {
            let mut player = fast.player();
            player.load(&game.start_snapshot());
            let mut dice = Dice::new(generator(9, 1));
            let played = player.playout(&mut dice, 500);
            (played, dice.digest(), player.hash())
        };
        assert_eq!(digest(&code), digest(&steps), "{name}");
    }
}

#[test]
fn what_weighs_nothing_cannot_happen_and_why_says_so() {
    let line = Line::replayed(&game(URNS), &["urn 2"]).unwrap();
    let position = line.position();
    assert!(position.is_chance());
    assert_eq!(position.moves(), ["1", "3"]);
    assert_eq!(position.weights(), Some(vec![2, 3]));
    assert_eq!(position.to_json()["chance"], true);
    assert_eq!(position.mover(), Some("Gambler"));
    let why = position.why("2");
    assert!(!why.legal && why.reason.contains("chance never comes to this"), "{}", why.reason);
    let start = game(URNS).start();
    assert!(!start.is_chance() && start.weights().is_none() && start.to_json().get("chance").is_none());
}

#[test]
fn games_with_chance_are_worth_their_mean() {
    let game = game(URNS);
    let solved = |moves: &[&str]| solve(&Line::replayed(&game, moves).unwrap(), 10_000, &mut |_| {});
    assert_eq!(solved(&["urn 1"]).values, Some(vec![0.25, 0.75]));
    assert_eq!(solved(&["urn 2"]).values, Some(vec![1.0, 0.0]));
    assert_eq!(solved(&[]).values, Some(vec![1.0, 0.0]));
    assert_eq!(solved(&[]).moves, ["urn 2"]);
}

/// Like the urns, but the second is good in one case of three only, and what is worth most is rare.
fn worse() -> String {
    URNS.replace("{ 0: 3; 1: 1 }", "{ 0: 3; 1: 2 }").replace("{ 1: 2; 2: 0; 3: 3 }", "{ 0: 3; 1: 1; 3: 1 }")
}

#[test]
fn programs_weigh_chance() {
    let one = game(URNS);
    let even = game(&worse());
    let think = |game: &Game, agent: Agent| {
        let line = Line::new(game.start());
        Mind::new(agent, 1).think(&line, &AtomicBool::new(false), &mut |_, _| {}).unwrap()
    };
    for agent in
        [Agent::Mcts(Budget::Rounds(600)), Agent::Flat(Budget::Rounds(600)), Agent::AlphaBeta(Budget::Rounds(1_000))]
    {
        assert_eq!(think(&one, agent).index, 1, "{agent}");
    }
    let exact = think(&even, Agent::AlphaBeta(Budget::Rounds(1_000)));
    assert!((exact.value - 0.4).abs() < 1e-6 && exact.proven, "{exact:?}");
    let tried = think(&even, Agent::Mcts(Budget::Rounds(4_000)));
    assert!((tried.value - 0.4).abs() < 0.06, "{tried:?}");
}

#[test]
fn programs_that_think_win_against_random_ones() {
    let series = |name: &str, agent: Agent| -> Results {
        let settings = arena::Settings {
            agents: vec![agent, Agent::Random],
            games: 30,
            seed: 1,
            threads: 2,
            max_plies: Some(2_000),
            opening: 0,
        };
        arena::play(&shipped(name), &settings, &mut |_| {})
    };
    let played = series("einstein_wuerfelt_nicht", Agent::Mcts(Budget::Rounds(100)));
    let low = played.standings[0].interval(played.games).low;
    assert!(low > 0.5, "{:?}", played.standings);
}

#[test]
fn games_of_a_pair_have_the_same_dice() {
    // Nobody decides anything: who changes seats changes nothing.
    let settings = arena::Settings {
        agents: vec![Agent::Random, Agent::Random],
        games: 40,
        seed: 4,
        threads: 2,
        max_plies: None,
        opening: 0,
    };
    let played = arena::play(&shipped("snakes_and_ladders"), &settings, &mut |_| {});
    assert_eq!(played.standings[0].wins, 20);
    assert_eq!(played.standings[1].wins, 20);
}

#[test]
fn a_move_that_never_happens_is_warned_of() {
    let codes = |text: &str| {
        let (found, _) = check_file("chance.game", text, &Library);
        found.into_iter().map(|diagnostic| diagnostic.code).collect::<Vec<Code>>()
    };
    assert!(!codes(URNS).contains(&Code::NeverTrue));
    let none =
        URNS.replace("weight if urn = 1 then (case n { 0: 3; 1: 1 }) else (case n { 1: 2; 2: 0; 3: 3 })", "weight 0");
    // A turn that cannot be finished would be an error, beside which no warning is given.
    let none = none.replace("draw when turn > 5", "draw when turn > 5\n      mover loses when unfinished");
    assert!(none.contains("weight 0") && codes(&none).contains(&Code::NeverTrue));
    let unused = URNS.replace("turn { take, draw }", "turn { take }");
    assert!(codes(&unused).contains(&Code::Unused));
}

#[test]
fn one_place_may_lead_to_both_where_only_one_is_there() {
    let errors = |turn: &str| {
        let text = URNS.replace("turn { take, draw }", turn);
        assert_ne!(text, URNS);
        let text = text.replace("draw when turn > 5", "draw when turn > 5\n      mover loses when unfinished");
        let (found, _) = check_file("chance.game", &text, &Library);
        found
            .into_iter()
            .filter(|diagnostic| diagnostic.is_error())
            .map(|diagnostic| diagnostic.code)
            .collect::<Vec<_>>()
    };
    assert_eq!(errors("turn { draw when urn = 0, take }"), []);
    assert_eq!(errors("turn { draw else take }"), []);
    assert_eq!(errors("turn { draw when urn = 0 or take when not (urn = 0) }"), []);
    assert_eq!(errors("turn { draw when urn = 0 or take when urn != 0 }"), []);
    assert_eq!(errors("turn { draw when mover is Gambler or take when mover is not Gambler }"), []);
    assert_eq!(errors("turn { draw when urn < 1 or take when urn >= 1 }"), []);
    assert_eq!(errors("turn { draw when urn < 2 or take when urn > 1 }"), [Code::BadChance]);
    assert_eq!(errors("turn { draw when urn = 0 or take }"), [Code::BadChance]);
    assert_eq!(errors("turn { draw or take }"), [Code::BadChance]);
}

#[test]
fn the_hash_tells_chance_and_weights_apart() {
    let hash = |text: &str| game(text).rules_hash();
    assert_ne!(hash(URNS), hash(&worse()));
    // Pinned as those in `game/mod.rs`: it changes only if the rules are written out in another way.
    assert_eq!(hash(URNS), "aad6af49a6703b45");
}
