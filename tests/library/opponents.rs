//! Programs that play: they see what is won at once, know what is proven, and play every shipped game.

use super::common::files::shipped;
use crate::ai::arena::{Settings, play};
use crate::ai::insight::{Insight, Plan};
use crate::ai::solve::solve;
use crate::ai::{Agent, Budget, Level, Mind, Seat};
use crate::engine::Engine;
use crate::game::Game;
use crate::game::Line;
use crate::library::Library;
use crate::play::table::Table;
use crate::study::playout::{Dice, generator, pick};
use std::sync::atomic::AtomicBool;

fn game(name: &str, options: &[(&str, &str)]) -> Game {
    let options: Vec<(String, String)> =
        options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Game::from_text(name, Library::text(name).unwrap(), None, &options, &Library).unwrap()
}

fn thought(agent: Agent, line: &Line, seed: u64) -> crate::ai::Thought {
    Mind::new(agent, seed).think(line, &AtomicBool::new(false), &mut |_, _| {}).unwrap()
}

/// Whether the seat to move has the first place alone after a ply.
fn wins(line: &Line, index: usize) -> bool {
    let seat = line.position().seat().unwrap();
    let places = line.position().play_index(index).unwrap().outcome_by_seat();
    places.is_some_and(|places| places[seat] == 1 && places.iter().filter(|place| **place == 1).count() == 1)
}

/// In Focus hardly any random game ends, so that a search by random games knows nothing; in Konane all do.
#[test]
fn games_whose_random_games_do_not_end_are_played_by_alpha_beta() {
    let plan = |name: &str| Insight::of(&game(name, &[]), false);
    let (focus, konane) = (plan("focus"), plan("konane"));
    assert_eq!((focus.plan, konane.plan), (Plan::AlphaBeta, Plan::Tree));
    assert!(focus.choice().contains("hardly ever come to an end"), "{}", focus.choice());
    assert!(konane.ended > 0.9, "{}", konane.ended);
}

#[test]
fn what_wins_at_once_is_seen() {
    let agents = [
        Agent::Greedy,
        Agent::Flat(Budget::Rounds(600)),
        Agent::Mcts(Budget::Rounds(600)),
        Agent::AlphaBeta(Budget::Rounds(2_000)),
        Agent::Level(Level::Easy, Some(Budget::Rounds(60))),
        Agent::Level(Level::Medium, Some(Budget::Rounds(20))),
        Agent::Level(Level::Hard, Some(Budget::Rounds(50))),
    ];
    for (name, options) in [
        ("tic_tac_toe", &[][..]),
        ("connect_four", &[]),
        ("breakthrough", &[]),
        ("hex", &[("size", "4")]),
        ("iqishiqi", &[("side", "4")]),
        ("yavalath", &[]),
    ] {
        let game = game(name, options);
        let mut seen = 0;
        for number in 0..40 {
            if seen == 10 {
                break;
            }
            let mut chance = generator(7, number);
            let mut line = Line::new(game.start());
            while let Some(index) = pick(line.position().move_count(), &mut chance) {
                let winning: Vec<usize> =
                    (0..line.position().move_count()).filter(|index| wins(&line, *index)).collect();
                if !winning.is_empty() && winning.len() < line.position().move_count() {
                    for agent in agents {
                        let chosen = thought(agent, &line, number).index;
                        assert!(
                            winning.contains(&chosen),
                            "{name}, {agent}: after {:?} {:?} wins and is not seen",
                            line.moves(),
                            line.position().move_text(winning[0])
                        );
                    }
                    seen += 1;
                    break;
                }
                line.play(index);
            }
        }
        assert!(seen >= 5, "{name}: only {seen} positions");
    }
}

/// Whether somebody else can take the first place alone right after a ply.
fn loses(line: &Line, index: usize) -> bool {
    let mut after = line.clone();
    after.play(index);
    (0..after.position().move_count()).any(|answer| wins(&after, answer))
}

#[test]
fn no_level_loses_at_once_where_it_need_not() {
    for name in ["tic_tac_toe", "connect_four"] {
        let game = game(name, &[]);
        let mut seen = 0;
        for number in 0..15 {
            let mut chance = generator(8, number);
            let mut line = Line::new(game.start());
            while let Some(index) = pick(line.position().move_count(), &mut chance) {
                let all = line.position().move_count();
                let lost: Vec<usize> = (0..all).filter(|index| loses(&line, *index)).collect();
                let won = (0..all).any(|index| wins(&line, index));
                if !won && !lost.is_empty() && lost.len() < all {
                    for level in [Level::Easy, Level::Medium, Level::Hard] {
                        let chosen = thought(Agent::Level(level, Some(Budget::Rounds(10))), &line, number).index;
                        assert!(!lost.contains(&chosen), "{name}, {level}: {:?}", line.moves());
                    }
                    seen += 1;
                    break;
                }
                line.play(index);
            }
        }
        assert!(seen >= 3, "{name}: only {seen} positions");
    }
}

#[test]
fn of_two_plies_that_chance_picks_a_random_game_plays_the_better_one() {
    // Chance picks the first and the last ply in turn, so that both are compared wherever there are two.
    let played = |engine: Engine, wanted: &dyn Fn(u64, u64) -> bool| {
        let game = game("tic_tac_toe", &[]);
        let mut player = game.player(engine);
        player.load(&game.start().snapshot());
        let mut turn = 0;
        let mut roll = |count: usize| {
            turn += 1;
            if turn % 2 == 1 { 0 } else { count - 1 }
        };
        let mut noted = Vec::new();
        player.playout_preferring(&mut roll, &|_, key, other| wanted(key, other), 5, &mut noted);
        let mut fresh = game.player(engine);
        fresh.load(&game.start().snapshot());
        let numbers = noted.iter().map(|(seat, key)| {
            assert_eq!(usize::from(*seat), fresh.mover());
            let count = fresh.count();
            let index = (0..count).find(|index| fresh.key(*index) == *key).unwrap();
            fresh.play(index);
            (index, count)
        });
        numbers.collect::<Vec<_>>()
    };
    for engine in [Engine::Fast, Engine::Reference] {
        assert_eq!(played(engine, &|_, _| false), [(0, 9), (0, 8), (0, 7), (0, 6), (0, 5)], "{engine:?}");
        assert_eq!(played(engine, &|_, _| true), [(8, 9), (7, 8), (6, 7), (5, 6), (4, 5)], "{engine:?}");
        // Whoever is asked is told both plies: one of them is the larger number.
        let smaller = played(engine, &|key, other| other < key);
        assert!(smaller.iter().all(|(index, count)| *index == 0 || index + 1 == *count), "{engine:?}");
    }
}

#[test]
fn what_a_random_game_notes_of_its_plies_is_what_was_played() {
    let games: [(&str, &[(&str, &str)]); 7] = [
        ("hex", &[("size", "5")]),
        ("connect_four", &[]),
        ("chess", &[]),
        ("english_draughts", &[]),
        ("go", &[("size", "5")]),
        ("push_and_pull", &[("side", "3")]),
        ("royal_game_of_ur", &[]),
    ];
    for (name, options) in games {
        let game = game(name, options);
        let mut player = game.player(Engine::Fast);
        player.load(&game.start().snapshot());
        let mut fresh = game.player(Engine::Fast);
        let mut plies = 0;
        // Long enough for machine code to be made on the way, and used.
        for number in 0..160 {
            let mut dice = Dice::new(generator(17, number));
            player.reset();
            let mut noted = Vec::new();
            let played = player.playout_noted(&mut dice, 40, &mut noted);
            plies += played;
            if number % 8 != 0 {
                continue;
            }
            // Where chance has no say the notes tell the whole game.
            fresh.load(&game.start().snapshot());
            if name == "royal_game_of_ur" {
                assert!(noted.len() < played as usize && !noted.is_empty());
                continue;
            }
            assert_eq!(noted.len() as u64, played, "{name}");
            for (seat, key) in &noted {
                assert_eq!(usize::from(*seat), fresh.seat(fresh.mover()), "{name}");
                let mut keys = Vec::new();
                fresh.keys(&mut keys);
                assert_eq!(keys, (0..fresh.count()).map(|index| fresh.key(index)).collect::<Vec<_>>(), "{name}");
                let index = keys.iter().position(|other| other == key);
                fresh.play(index.unwrap_or_else(|| panic!("{name}: a ply is noted that is not legal")));
            }
            assert_eq!((fresh.snapshot(), fresh.over()), (player.snapshot(), player.over()), "{name}");
        }
        assert!(plies > 800, "{name}: {plies}");
    }
}

#[test]
fn what_is_lost_is_defended_where_most_answers_miss() {
    // Four in a row with both ends open: one end is closed, whatever comes.
    let game = game("gomoku", &[("size", "9")]);
    let line = Line::replayed(&game, &["c5", "a1", "d5", "i9", "e5", "a9", "f5"]).unwrap();
    for level in [Level::Easy, Level::Hard] {
        let thought = thought(Agent::Level(level, Some(Budget::Rounds(10))), &line, 1);
        let text = line.position().move_text(thought.index).unwrap();
        assert!(text == "b5" || text == "g5", "{level} plays {text}");
        assert!(thought.proven && thought.value == 0.0);
    }
}

#[test]
fn a_search_that_proves_a_value_is_right() {
    let game = game("tic_tac_toe", &[]);
    let mut proven = 0;
    for number in 0..30 {
        let mut chance = generator(3, number);
        let mut line = Line::new(game.start());
        for _ in 0..4 {
            let index = pick(line.position().move_count(), &mut chance).unwrap();
            line.play(index);
        }
        if line.position().is_over() {
            continue;
        }
        let seat = line.position().seat().unwrap();
        let value = f64::from(solve(&line, 1_000_000, &mut |_| {}).values.unwrap()[seat]);
        for agent in [Agent::Mcts(Budget::Rounds(20_000)), Agent::AlphaBeta(Budget::Rounds(1_000_000))] {
            let thought = thought(agent, &line, number);
            if thought.proven {
                assert_eq!(thought.value, value, "{agent} after {:?}", line.moves());
                // The move keeps the value.
                let mut after = line.clone();
                after.play(thought.index);
                let values = solve(&after, 1_000_000, &mut |_| {}).values.unwrap();
                assert_eq!(f64::from(values[seat]), value, "{agent} after {:?}", line.moves());
                proven += 1;
            }
        }
    }
    assert!(proven >= 50, "{proven}");
}

#[test]
fn every_program_plays_every_shipped_game() {
    for name in Library::names() {
        let game = shipped(name);
        let seats = game.rules().players.len();
        for agent in [Agent::Greedy, Agent::Flat(Budget::Rounds(1)), Agent::Mcts(Budget::Rounds(2))] {
            let seats = vec![Seat::Program(agent); seats];
            let mut table = Table::new(name, None, &[], Line::new(game.start()), &seats, Some(1));
            for _ in 0..3 {
                let Some(place) = table.to_move() else { break };
                let mut mind = table.take_mind(place).unwrap();
                let thought = mind.think(table.line(), &AtomicBool::new(false), &mut |_, _| {}).unwrap();
                table.give_back(place, mind);
                assert!(table.play(thought.index).is_some(), "{name}, {agent}");
            }
        }
    }
}

#[test]
fn the_same_seed_plays_the_same_whatever_the_threads() {
    let game = game("reversi", &[]);
    let series = |threads| {
        let agents = vec![Agent::Mcts(Budget::Rounds(20)), Agent::Greedy];
        play(&game, &Settings { agents, games: 4, seed: 5, threads, max_plies: None, opening: 2 }, &mut |_| {})
    };
    let (one, two) = (series(1), series(2));
    assert_eq!((one.plies, one.by_seat), (two.plies, two.by_seat));
    assert_eq!(one.standings, two.standings);
}

#[test]
fn more_thought_wins_more() {
    let game = game("connect_four", &[]);
    let agents = vec![Agent::Mcts(Budget::Rounds(200)), Agent::Flat(Budget::Rounds(20))];
    let results =
        play(&game, &Settings { agents, games: 20, seed: 1, threads: 2, max_plies: None, opening: 0 }, &mut |_| {});
    assert!(results.standings[0].points >= 15.0, "{:?}", results.standings);
}

#[test]
fn what_was_thought_is_kept_only_for_the_game_it_belongs_to() {
    let game = game("hex", &[("size", "5")]);
    let mut mind = Mind::new(Agent::Mcts(Budget::Rounds(300)), 1);
    let mut line = Line::new(game.start());
    let stop = AtomicBool::new(false);
    for _ in 0..3 {
        let own = mind.think(&line, &stop, &mut |_, _| {}).unwrap();
        line.play(own.index);
        let reply = line.position().move_count() / 2;
        line.play(reply);
    }
    // Taken back, played otherwise, and another game: all of it is legal.
    line.go_to(2);
    let thought = mind.think(&line, &stop, &mut |_, _| {}).unwrap();
    assert!(line.play(thought.index).is_some());
    let other = Line::new(tiny().start());
    assert!(mind.think(&other, &stop, &mut |_, _| {}).unwrap().index < other.position().move_count());
}

fn tiny() -> Game {
    game("hex", &[("size", "2")])
}

#[test]
fn a_search_that_is_stopped_answers_with_what_it_has() {
    let game = game("hex", &[]);
    let line = Line::new(game.start());
    let thought = Mind::new(Agent::Mcts(Budget::Time(std::time::Duration::from_secs(3600))), 1)
        .think(&line, &AtomicBool::new(true), &mut |_, _| {})
        .unwrap();
    assert!(thought.index < line.position().move_count());
}

#[test]
fn several_trees_at_once_add_up() {
    let game = game("breakthrough", &[]);
    let line = Line::new(game.start());
    let thought = Mind::new(Agent::Mcts(Budget::Rounds(400)), 1)
        .with_threads(4)
        .think(&line, &AtomicBool::new(false), &mut |_, _| {})
        .unwrap();
    assert_eq!(thought.rounds, 400);
    assert!(thought.candidates.iter().map(|candidate| candidate.rounds).sum::<u64>() <= 400);
}

#[test]
fn who_takes_over_a_side_plays_for_himself() {
    // After the swap the second seat has the first stone; a search for it must not help the other.
    let game = game("hex", &[("size", "3"), ("pie", "yes")]);
    let line = Line::replayed(&game, &["b2"]).unwrap();
    let swap = thought(Agent::Mcts(Budget::Rounds(4_000)), &line, 1);
    assert_eq!(line.position().move_text(swap.index).as_deref(), Some("swap"), "{swap:?}");
    let values = solve(&line, 2_000_000, &mut |_| {}).values.unwrap();
    assert_eq!(values, [0.0, 1.0], "the second seat swaps and wins");
}
