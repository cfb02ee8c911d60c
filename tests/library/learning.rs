//! What programs that learn are told: every legal ply has a number of its own, and what is written is what stands on the board.

use super::common::files::{game_of, rule_files, text_of};
use crate::engine::Engine;
use crate::game::Game;
use crate::learn::{Actions, Format, Planes, Session};
use crate::library::Library;
use crate::study::playout::{generator, pick};
use std::collections::BTreeSet;

fn shipped(name: &str, options: &[(&str, &str)]) -> Game {
    let options: Vec<(String, String)> =
        options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Game::from_text(name, Library::text(name).unwrap(), None, &options, &Library).unwrap()
}

/// Plays one random game by actions and beside it by plies.
fn round_trip(label: &str, game: &Game, most: u32, seed: u64) -> u32 {
    let actions = Actions::of(game);
    let mut session = Session::new(game, &actions);
    let mut player = game.player(Engine::Fast);
    let mut dice = generator(seed, 0);
    while session.plies() < most && session.over().is_none() {
        assert!(!session.has_lost(), "{label}: a legal ply has no number at ply {}", session.plies());
        let count = player.count();
        if !actions.is_split() {
            assert_eq!(session.legal().len(), count, "{label}");
            let different: BTreeSet<u32> = session.legal().iter().copied().collect();
            assert_eq!(different.len(), count, "{label}: two plies have one number");
            for (index, action) in session.legal().iter().enumerate() {
                let meant = actions.ply(game.rules(), *action as usize);
                assert_eq!(meant, player.ply(index), "{label}: action {action}");
            }
        }
        let before = player.snapshot();
        let plies = session.plies();
        let mut meant: Vec<usize> = (0..count).collect();
        while session.plies() == plies {
            let index = pick(session.legal().len(), &mut dice).unwrap();
            let action = session.legal()[index];
            assert!((action as usize) < actions.len(), "{label}");
            if !actions.is_split() {
                meant = vec![index];
            }
            session.apply(action).unwrap();
        }
        // Of split actions it is found which ply they came to.
        let after = session.snapshot();
        let found = meant.into_iter().find(|index| {
            player.push();
            player.play(*index);
            let same = player.snapshot() == after;
            if !same {
                player.pop();
            }
            same
        });
        assert!(found.is_some(), "{label}: the actions came to no legal ply of {before:?}");
        assert_eq!(session.over(), player.over(), "{label}");
    }
    session.plies()
}

#[test]
fn every_legal_ply_of_every_shipped_game_has_one_number_and_goes_back_to_it() {
    let mut plies = 0;
    let wanted = std::env::var("GAME").ok();
    for path in rule_files(&["games", "examples", "tests/variants"]) {
        let name = path.to_string_lossy().into_owned();
        if wanted.as_ref().is_some_and(|wanted| !name.contains(wanted.as_str())) {
            continue;
        }
        let game = game_of(&path);
        let most = if game.rules().turns.iter().any(|turn| turn.whole) { 12 } else { 120 };
        plies += round_trip(&name, &game, most, 1);
    }
    assert!(plies > 1_000 || wanted.is_some());
}

/// The cells of planes as sites have them, and of cells that the board lacks nothing.
fn by_site(planes: &Planes, seen: &[u8]) -> Vec<u8> {
    let [count, height, width] = planes.shape() else { panic!("planes lie one after the other") };
    let sites = planes.cells().iter().map(|cell| *cell as usize);
    let on_board: BTreeSet<usize> = sites.clone().collect();
    for (cell, byte) in seen.iter().enumerate() {
        assert!(*byte == 0 || on_board.contains(&(cell % (height * width))), "cell {cell} is on no board");
    }
    sites.flat_map(|cell| (0..*count).map(move |plane| seen[plane * height * width + cell])).collect()
}

/// What machine code lists many plies at a time, and what is written for many sites at a time, beside the same one by one.
fn told_alike(label: &str, (cold, warm): (&Game, &Game), most: u32) -> u32 {
    warm.warm();
    let (slow, fast) = (Actions::of(cold), Actions::of(warm));
    let one_by_one = Planes::of(cold, &slow, Format::Nodes);
    let together = Planes::of(warm, &fast, Format::Channels);
    let (mut slowly, mut quickly) = (Session::new(cold, &slow), Session::new(warm, &fast));
    let mut dice = generator(2, 0);
    let (mut sites, mut cells) = (vec![7; one_by_one.len()], vec![7; together.len()]);
    let (mut mask, mut marked) = (vec![7; slow.len()], vec![7; fast.len()]);
    while slowly.plies() < most && slowly.over().is_none() {
        let (mut expected, mut found) = (slowly.legal().to_vec(), quickly.legal().to_vec());
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{label}, ply {}", slowly.plies());
        slowly.mask(&mut mask);
        quickly.mask(&mut marked);
        assert_eq!(marked, mask, "{label}, ply {}", slowly.plies());
        slowly.observe(&one_by_one, &mut sites);
        quickly.observe(&together, &mut cells);
        assert_eq!(by_site(&together, &cells), sites, "{label}, ply {}", slowly.plies());
        let action = expected[pick(expected.len(), &mut dice).unwrap()];
        slowly.apply(action).unwrap();
        let index = quickly.find(action).unwrap();
        assert_eq!(quickly.legal()[index], action, "{label}");
        quickly.take(index).unwrap();
    }
    assert_eq!(slowly.over(), quickly.over(), "{label}");
    slowly.plies()
}

#[test]
fn what_is_told_and_written_many_at_a_time_is_what_is_told_one_by_one() {
    let wanted = std::env::var("GAME").ok();
    let mut plies = 0;
    for path in rule_files(&["games", "examples"]) {
        let name = path.to_string_lossy().into_owned();
        if wanted.as_ref().is_some_and(|wanted| !name.contains(wanted.as_str())) {
            continue;
        }
        let warm = game_of(&path);
        let most = if warm.rules().turns.iter().any(|turn| turn.whole) { 8 } else { 24 };
        // One game that nobody has played yet.
        let cold = Game::from_text(&name, &text_of(&name), None, &[], &Library).unwrap();
        plies += told_alike(&name, (&cold, &warm), most);
    }
    assert!(plies > 1_000 || wanted.is_some());
}

/// These change if the numbers are made in another way: then all that was learned before is worth nothing.
#[test]
fn the_numbers_of_actions_stay_what_they_are() {
    let told = |name: &str, options: &[(&str, &str)]| {
        let game = shipped(name, options);
        let actions = Actions::of(&game);
        let text = |action: usize| actions.text(game.rules(), action).unwrap();
        (actions.len(), text(1), text(actions.len() / 2), text(actions.len() - 1))
    };
    let expect =
        |count: usize, texts: [&str; 3]| (count, texts[0].to_owned(), texts[1].to_owned(), texts[2].to_owned());
    assert_eq!(told("hex", &[]), expect(121, ["put b1", "put f6", "put k11"]));
    assert_eq!(told("connect_four", &[]).0, 42);
    assert_eq!(told("breakthrough", &[]).0, 308);
    let chess = told("chess", &[]);
    assert!((1_900..5_000).contains(&chess.0), "{chess:?}");
}

#[test]
fn an_action_that_is_not_legal_changes_nothing() {
    let game = shipped("hex", &[("size", "3")]);
    let actions = Actions::of(&game);
    let mut session = Session::new(&game, &actions);
    session.apply(4).unwrap();
    let before = session.snapshot();
    let error = session.apply(4).unwrap_err().to_string();
    assert!(error.contains("action 4 is not legal here"), "{error}");
    assert!(session.apply(99).is_err());
    assert_eq!((session.snapshot(), session.plies(), session.legal().len()), (before, 1, 8));
}

/// What a session shows: who is to move, what is over, and the planes.
fn shown(session: &Session<'_>, planes: &Planes) -> (usize, Option<Vec<f32>>, Vec<u8>) {
    let mut room = vec![9; planes.len()];
    session.observe(planes, &mut room);
    (session.seat(), session.rewards(), room)
}

#[test]
fn successors_are_what_comes_of_playing_each_action() {
    for name in ["connect_four", "chess", "amazons", "backgammon", "push_and_pull", "hex"] {
        let game = shipped(name, &[]);
        let actions = Actions::of(&game);
        let planes = Planes::of(&game, &actions, Format::Channels);
        let mut session = Session::new(&game, &actions);
        let mut dice = generator(5, 0);
        for _ in 0..12 {
            if session.over().is_some() {
                break;
            }
            let before = (session.snapshot(), session.legal().to_vec(), session.chosen().to_vec(), session.plies());
            let mut told = Vec::new();
            session.each_successor(&mut |action, after| told.push((action, shown(after, &planes)))).unwrap();
            let again = (session.snapshot(), session.legal().to_vec(), session.chosen().to_vec(), session.plies());
            assert_eq!(again, before, "{name}: nothing was changed");
            let mut meant: Vec<u32> = session.legal().to_vec();
            meant.sort_unstable();
            assert_eq!(told.iter().map(|(action, _)| *action).collect::<Vec<_>>(), meant, "{name}");
            // Some of them, since there may be hundreds of thousands.
            for (action, seen) in told.into_iter().step_by(before.1.len().div_ceil(40)) {
                let mut copy = Session::restored(&game, &actions, &session.saved());
                copy.apply(action).unwrap();
                assert_eq!(shown(&copy, &planes), seen, "{name}: action {action}");
            }
            let next = session.legal()[pick(session.legal().len(), &mut dice).unwrap()];
            session.apply(next).unwrap();
        }
    }
}

#[test]
fn a_copy_goes_on_by_itself() {
    for name in ["hex", "chess", "reversi", "amazons", "backgammon"] {
        let Some(text) = Library::text(name) else { continue };
        let game = Game::from_text(name, text, None, &[], &Library).unwrap();
        let actions = Actions::of(&game);
        let mut session = Session::new(&game, &actions);
        let mut dice = generator(3, 0);
        for _ in 0..20 {
            if session.over().is_none() {
                session.play_any(&mut |count| pick(count, &mut dice).unwrap()).unwrap();
            }
        }
        let mut copy = Session::restored(&game, &actions, &session.saved());
        assert_eq!((copy.legal(), copy.snapshot()), (session.legal(), session.snapshot()), "{name}");
        let before = session.snapshot();
        if copy.over().is_none() {
            copy.play(0).unwrap();
            assert_ne!(copy.snapshot(), before, "{name}");
        }
        assert_eq!(session.snapshot(), before, "{name}");
    }
}

#[test]
fn planes_say_what_stands_where_as_the_mover_sees_it() {
    let game = shipped("hex", &[("size", "3")]);
    let actions = Actions::of(&game);
    let planes = Planes::of(&game, &actions, Format::Channels);
    assert_eq!(planes.names(), ["mover stone", "next stone", "Blue to move", "board"]);
    let mut session = Session::new(&game, &actions);
    let seen = |session: &Session<'_>| {
        let mut room = vec![7; planes.len()];
        session.observe(&planes, &mut room);
        room
    };
    let start = seen(&session);
    assert_eq!(start, [vec![0; 27], vec![1; 9]].concat());
    session.apply(4).unwrap();
    let one = seen(&session);
    assert_eq!(one[..18].iter().positions_of(1), [9 + 4], "Red stands there, and Blue is to move");
    assert_eq!(one[18..], [1; 18]);
    session.apply(0).unwrap();
    assert_eq!(seen(&session)[..18].iter().positions_of(1), [4, 9]);
    let cells = Planes::of(&game, &actions, Format::Cells);
    let mut room = vec![0; cells.len()];
    session.observe(&cells, &mut room);
    assert_eq!(cells.shape(), [3, 3, 4]);
    assert_eq!(room[4 * 4..5 * 4], [1, 0, 0, 1]);
}

#[test]
fn observations_of_every_shipped_game_fill_their_room_and_tell_positions_apart() {
    for name in Library::names() {
        let game = Game::from_text(name, Library::text(name).unwrap(), None, &[], &Library).unwrap();
        let actions = Actions::of(&game);
        for format in [Format::Channels, Format::Cells, Format::Nodes] {
            let planes = Planes::of(&game, &actions, format);
            let mut session = Session::new(&game, &actions);
            let (mut before, mut after) = (vec![9; planes.len()], vec![9; planes.len()]);
            session.observe(&planes, &mut before);
            assert!(before.contains(&1), "{name}");
            let mut dice = generator(1, 0);
            session.play_any(&mut |count| pick(count, &mut dice).unwrap()).unwrap();
            session.observe(&planes, &mut after);
            assert_ne!(before, after, "{name}");
        }
    }
}

trait PositionsOf {
    fn positions_of(self, byte: u8) -> Vec<usize>;
}

impl<'b, I: Iterator<Item = &'b u8>> PositionsOf for I {
    fn positions_of(self, byte: u8) -> Vec<usize> {
        self.enumerate().filter(|(_, here)| **here == byte).map(|(at, _)| at).collect()
    }
}
