//! Random playouts choose every lawful move equally often: counts of positions after one ply, by chi-squared.

use crate::engine::dice::Dice;
use crate::engine::reference::Ply;
use crate::game::Game;
use crate::library::Library;
use crate::study::playout::{generator, pick};
use std::collections::HashMap;

/// Games for each position.
const DRAWS: u64 = 20_000;

/// The 99.99 % point of chi-squared, by the approximation of Wilson and Hilferty.
fn bound(degrees: f64) -> f64 {
    let part = 2.0 / (9.0 * degrees);
    degrees * (1.0 - part + 3.719 * part.sqrt()).powi(3)
}

/// Plays some plies, then the next one again and again as playouts do, with a generator for each game.
fn draw(name: &str, game: &Game, plies: u64, seed: u64) {
    let (rules, engine) = (game.rules(), game.engine());
    let mut player = game.fast().expect("lowered").player();
    player.load(&game.start_snapshot());
    let mut situation = engine.start();
    let mut path = Vec::new();
    for ply in 0..plies {
        let Some(index) = pick(player.count(), &mut generator(seed, ply)) else { return };
        let (mv, parts) = player.ply(index).unwrap();
        let same = |ply: &&Ply| ply.mv == mv && ply.parts(rules).eq(parts.iter().cloned());
        let ply = situation.legal.iter().find(same).unwrap().clone();
        situation = engine.play(&situation, &ply);
        player.play(index);
        path.push(index);
    }
    // Each move the reference offers, by the state it leads to: several may lead to one.
    let count = situation.legal.len();
    if situation.outcome.is_some() {
        return;
    }
    let mut expected: HashMap<String, f64> = HashMap::new();
    for ply in situation.legal.iter() {
        let after = engine.play(&situation, ply);
        *expected.entry(format!("{:?}", engine.snapshot(&after.state))).or_default() += DRAWS as f64 / count as f64;
    }
    let mut drawn: HashMap<String, f64> = HashMap::new();
    for number in 0..DRAWS {
        player.reset();
        path.iter().for_each(|index| player.play(*index));
        player.playout(&mut Dice::new(generator(seed, plies + number)), 1);
        *drawn.entry(format!("{:?}", player.snapshot())).or_default() += 1.0;
    }
    let unknown: Vec<_> = drawn.keys().filter(|state| !expected.contains_key(*state)).collect();
    assert!(unknown.is_empty(), "{}: states that no lawful move leads to: {unknown:?}", name);
    if expected.len() > 1 {
        let times = |state| drawn.get(state).copied().unwrap_or(0.0);
        let chi: f64 = expected.iter().map(|(state, mean)| (times(state) - mean).powi(2) / mean).sum();
        let most = bound(expected.len() as f64 - 1.0);
        assert!(chi < most, "{}: chi-squared {chi:.1} of at most {most:.1}, {count} moves", name);
    }
}

#[test]
fn every_lawful_move_is_as_likely() {
    for (name, options, plies) in [
        ("tic_tac_toe", &[][..], [0, 3]),
        ("equi", &[("size", "3")], [4, 9]),
        ("epoxy", &[("size", "hexagon"), ("side", "2")], [1, 5]),
        ("pushpin", &[("side", "2")], [0, 3]),
        ("iqishiqi", &[("side", "4")], [0, 2]),
        ("reversi", &[("size", "4")], [0, 4]),
        ("english_draughts", &[], [0, 12]),
    ] {
        let text = Library::text(name).expect("shipped");
        let options: Vec<(String, String)> =
            options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let game = Game::from_text(name, text, None, &options, &Library).expect(name);
        for plies in plies {
            draw(name, &game, plies, 20_261_121);
        }
    }
}
