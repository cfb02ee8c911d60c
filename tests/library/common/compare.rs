//! What the tests of the engines share: a game played at random on both of them at once.

use crate::engine::fast::native::Coverage;
use crate::engine::fast::{Fast, MachineCode};
use crate::engine::reference::Ply;
use crate::game::Game;
use crate::rules::{MoveId, Rules, Value};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

fn describe(rules: &Rules, plies: &[(MoveId, Vec<Value>)]) -> String {
    let mut text = String::new();
    for (mv, parts) in plies {
        let _ = write!(text, "{} {parts:?}; ", rules.moves[mv.0].name);
    }
    text
}

/// The fast engine with machine code, which must have been made wherever there can be any: else nothing would be compared.
pub fn with_machine_code(label: &str, rules: &Arc<Rules>) -> Fast {
    // `LUDWRIGHT_CHECKED=1` compares every place that machine code reads or writes with where it may: a program that is wrong
    // there is aborted.
    let checked = std::env::var_os("LUDWRIGHT_CHECKED").is_some();
    let fast = match Fast::with(rules, if checked { MachineCode::Checked } else { MachineCode::AtOnce }) {
        Ok(fast) => fast,
        Err(error) => panic!("{label}: not lowered: {error}"),
    };
    let wanted = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
    let missing = fast.machine_code_time().is_none() && Coverage::of(fast.program()) != Coverage::Nothing;
    assert!(!(wanted && missing), "{label}: no machine code could be made");
    fast
}

/// Plays random games of at most so many plies on both engines, the fast one with machine code and without, as long as
/// `more` says so of the number of games played; the plies compared.
pub fn compare(label: &str, game: &Game, mut more: impl FnMut(u64) -> bool, most: u64, seed: u64) -> u64 {
    let reference = game.engine();
    let start = reference.start();
    // What takes too many steps is given up, by each engine where it stands then: the reference says so sooner.
    if start.stopped.is_some() {
        return 0;
    }
    let rules = Arc::new(game.rules().clone());
    let fast = with_machine_code(label, &rules);
    let mut player = fast.player();
    // The same program without machine code.
    let interpreted = Fast::with(&rules, MachineCode::Never).expect("lowered before");
    let mut steps = interpreted.player();
    player.load(&reference.snapshot(&start.state));
    steps.load(&reference.snapshot(&start.state));
    let (mut compared, mut number) = (0, 0);
    while more(number) {
        number += 1;
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed ^ (number - 1) << 8);
        let mut situation = start.clone();
        player.reset();
        steps.reset();
        let mut history = String::new();
        for _ in 0..most {
            let own = |ply: &Ply| (ply.mv, ply.parts(&rules).collect::<Vec<_>>());
            let expected: Vec<(MoveId, Vec<Value>)> = situation.legal.iter().map(own).collect();
            let found: Vec<(MoveId, Vec<Value>)> =
                (0..player.count()).map(|index| player.ply(index).unwrap()).collect();
            let (wanted, listed): (HashSet<_>, HashSet<_>) = (expected.iter().collect(), found.iter().collect());
            let missing: Vec<_> = expected.iter().filter(|ply| !listed.contains(ply)).cloned().collect();
            let surplus: Vec<_> = found.iter().filter(|ply| !wanted.contains(ply)).cloned().collect();
            assert!(
                missing.is_empty() && surplus.is_empty() && found.len() == expected.len(),
                "{label}: after {history}\nthe fast engine lacks {}\nand has besides {}",
                describe(&rules, &missing),
                describe(&rules, &surplus),
            );
            let again: Vec<(MoveId, Vec<Value>)> = (0..steps.count()).map(|index| steps.ply(index).unwrap()).collect();
            assert_eq!(found, again, "{label}: after {history}: machine code and the interpreter list otherwise");
            assert_eq!(player.hash(), steps.hash(), "{label}: after {history}");
            assert_eq!(player.over(), steps.over(), "{label}: after {history}");
            let state = &situation.state;
            assert_eq!(player.snapshot(), reference.snapshot(state), "{label}: after {history}");
            assert_eq!(player.scores(), reference.scores(state), "{label}: after {history}");
            assert_eq!(player.mover(), usize::from(state.mover.0), "{label}: after {history}");
            for side in 0..rules.players.len() {
                let seat = reference.seat(state, crate::rules::PlayerId(side as u8));
                assert_eq!(player.seat(side), usize::from(seat.0), "{label}: after {history}");
            }
            let chance = reference.is_chance(&situation.legal);
            assert_eq!((player.chance(), steps.chance()), (chance, chance), "{label}: after {history}");
            if chance {
                for (at, ply) in found.iter().enumerate() {
                    let ply = situation.legal.iter().find(|known| own(known) == *ply).unwrap();
                    let weight = reference.weight(state, ply);
                    assert!(weight > 0, "{label}: after {history}");
                    assert_eq!((player.weight(at), steps.weight(at)), (weight, weight), "{label}: after {history}");
                }
            }
            match (&situation.outcome, player.over()) {
                (None, None) => {}
                (Some(outcome), Some(over)) => {
                    assert_eq!(outcome.places, over.places[..rules.players.len()], "{label}: after {history}");
                    assert_eq!(outcome.ending, over.line, "{label}: after {history}");
                    break;
                }
                (expected, found) => panic!("{label}: after {history}\n{expected:?}\n{found:?}"),
            }
            let index = generator.random_range(0..found.len() as u64) as usize;
            let ply = situation.legal.iter().find(|ply| own(ply) == found[index]).unwrap().clone();
            history.push_str(&describe(&rules, &found[index..=index]));
            situation = reference.play(&situation, &ply);
            if situation.stopped.is_some() {
                break;
            }
            player.play(index);
            steps.play(index);
            compared += 1;
        }
    }
    compared
}
