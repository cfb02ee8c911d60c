//! Programs that play: they see what is won at once, know what is proven, and play every shipped game.

use super::common::files::shipped;
use crate::ai::arena::{Settings, play};
use crate::ai::insight::{Insight, Plan};
use crate::ai::solve::solve;
use crate::ai::{Agent, Budget, Level, Mind, Seat};
use crate::board::Site;
use crate::engine::Engine;
use crate::engine::Play;
use crate::engine::guide::Guide;
use crate::game::Game;
use crate::game::Line;
use crate::library::Library;
use crate::play::table::Table;
use crate::study::playout::{Dice, generator, pick};
use std::cell::RefCell;
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
    for engine in [Engine::Fast, Engine::Reference] {
        let game = game("tic_tac_toe", &[]);
        let mut player = game.player(engine);
        player.load(&game.start().snapshot());
        let (mut asked, mut second) = (0, 0);
        for number in 0..20 {
            let pairs = RefCell::new(Vec::new());
            let better = |seat: u8, key: u64, other: u64| {
                pairs.borrow_mut().push((seat, key, other));
                other < key
            };
            let guide = Guide { better: Some((&better, 5)), ..Guide::default() };
            let (mut noted, mut dice) = (Vec::new(), Dice::new(generator(3, number)));
            player.reset();
            let played = player.playout_noted(&mut dice, guide, 9, &mut noted);
            assert_eq!(played as usize, noted.len());
            // The smaller of both keys was played, in the first five plies; where chance picked one twice nobody was asked.
            let mut plies = noted.iter().take(5);
            for (seat, key, other) in pairs.take() {
                assert!(plies.any(|ply| *ply == (seat, key.min(other))), "{engine:?}");
                (asked, second) = (asked + 1, second + i32::from(other < key));
            }
        }
        assert!((60..=100).contains(&asked) && (20..80).contains(&second), "{engine:?}: {asked} {second}");
    }
}

/// The only site that a ply names, where it names nothing else.
fn only_site(player: &mut dyn Play, index: usize) -> Option<Site> {
    let (_, parts) = player.ply(index)?;
    let [part] = parts.as_slice() else { return None };
    part.site()
}

/// The positions of the reference tell what keeps pieces together; the fast engine plays that, before machine code is made and
/// after.
#[test]
fn a_random_game_keeps_together_what_the_last_piece_would_part() {
    let games: [(&str, &[(&str, &str)]); 5] = [
        ("hex", &[("size", "6")]),
        ("gomoku", &[("size", "9")]),
        ("havannah", &[("size", "4")]),
        ("nine_mens_morris", &[]),
        ("breakthrough", &[]),
    ];
    for (name, options) in games {
        let game = game(name, options);
        let board = &game.rules().board;
        let (mut player, mut fresh) = (game.player(Engine::Fast), game.player(Engine::Fast));
        let mut slow = game.player(Engine::Reference);
        [&mut player, &mut fresh, &mut slow].into_iter().for_each(|player| player.load(&game.start().snapshot()));
        let (mut kept, mut plies) = (0, 0);
        for number in 0..60 {
            let better = |_: u8, key: u64, other: u64| other < key;
            let guide = Guide { keeps_together: true, better: (number % 2 == 0).then_some((&better, 8)) };
            let mut noted = Vec::new();
            player.reset();
            plies += player.playout_noted(&mut Dice::new(generator(5, number)), guide, 60, &mut noted);
            // The first games are cold, the last ones are not.
            if (4..54).contains(&number) {
                continue;
            }
            slow.reset();
            fresh.reset();
            let mut last = None;
            for (at, (_, key)) in noted.iter().enumerate() {
                let now = slow.snapshot();
                let stands = |site: Option<Site>| match site.map(|site| now.contents[site.index()]) {
                    None => "edge",
                    Some(content) if content.is_empty() => "empty",
                    Some(content) if content.owner() == Some(now.mover) => "own",
                    Some(_) => "other",
                };
                let stone = last.filter(|stone| stands(Some(*stone)) == "other");
                let around: Vec<Option<Site>> = stone
                    .iter()
                    .flat_map(|stone| board.directions().iter().map(|way| board.step(*stone, way)))
                    .collect();
                let keeps = |site: Site| {
                    let Some(at) = around.iter().position(|there| *there == Some(site)) else { return false };
                    let beside = [at + around.len() - 1, at + 1].map(|at| stands(around[at % around.len()]));
                    stands(Some(site)) == "empty"
                        && [["own", "own"], ["own", "edge"], ["edge", "own"]].contains(&beside)
                };
                let count = slow.count();
                let there = (0..count).find(|index| fresh.key(*index) == *key).unwrap();
                let ply = fresh.ply(there);
                let index = (0..count).find(|index| slow.ply(*index) == ply).unwrap();
                let wanted: Vec<usize> =
                    (0..count).filter(|index| only_site(slow.as_mut(), *index).is_some_and(keeps)).collect();
                assert!(wanted.is_empty() || wanted.contains(&index), "{name} {number}, ply {at}: {wanted:?}, {index}");
                kept += usize::from(!wanted.is_empty());
                last = only_site(slow.as_mut(), index);
                slow.play(index);
                fresh.play(there);
            }
        }
        assert!(plies > 1_500 && (options.is_empty() || kept > 20), "{name}: {kept} kept, {plies} plies");
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
            let played = player.playout_noted(&mut dice, Guide::default(), 40, &mut noted);
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
fn no_more_games_are_simulated_than_were_asked_for() {
    let game = game("connect_four", &[]);
    let line = Line::new(game.start());
    for games in 1500..1506 {
        let thought = Mind::new(Agent::Mcts(Budget::Rounds(games)), 1)
            .think(&line, &AtomicBool::new(false), &mut |_, _| {})
            .unwrap();
        assert_eq!(thought.rounds, games);
    }
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
