//! The skill ladder: what twice the thinking is worth, again and again.

use super::{Measure, Settings};
use crate::ai::agent::{Agent, Budget};
use crate::ai::arena::{self, play_each};
use crate::game::Game;
use crate::study::estimate::Estimate;
use crate::study::halt::Halt;

/// A program against one that thinks half as long.
#[derive(Clone, PartialEq, Debug)]
pub struct Rung {
    /// How many rounds the stronger one simulates.
    pub rounds: u64,
    /// What it gets of the points.
    pub share: Estimate,
    /// In how many games.
    pub games: u64,
}

/// The rounds of the weakest program.
const LEAST: u64 = 8;

/// More rungs than any game has in the time that people wait.
const RUNGS: u32 = 10;

/// Games on a rung, if they are not counted out.
const GAMES: u64 = 200;

/// A rung counts when the stronger one gets more than this.
const COUNTS: f64 = 0.6;

/// Climbs until twice the thinking is worth little on two rungs in a row, or the time is over. A rung with hardly any games
/// says nothing.
pub fn climb(game: &Game, settings: Settings, halt: Halt<'_>, told: &mut dyn FnMut()) -> Vec<Rung> {
    let mut rungs: Vec<Rung> = Vec::new();
    let wanted = settings.games.unwrap_or(GAMES);
    for level in 0..RUNGS {
        let flat = |rung: &Rung| rung.share.high <= COUNTS;
        if halt.is_set() || rungs.len() >= 2 && rungs.iter().rev().take(2).all(flat) {
            break;
        }
        let rounds = LEAST << (level + 1);
        if let Some(rung) = step(game, settings, (rounds, wanted), halt, told) {
            rungs.push(rung);
        }
    }
    rungs
}

fn step(
    game: &Game,
    settings: Settings,
    (rounds, games): (u64, u64),
    halt: Halt<'_>,
    told: &mut dyn FnMut(),
) -> Option<Rung> {
    let agent = |rounds| Agent::Mcts(Budget::Rounds(rounds));
    let seats = game.rules().players.len();
    let agents = (0..seats).map(|seat| agent(if seat == 0 { rounds } else { rounds / 2 })).collect();
    let (seed, threads) = (settings.seed.wrapping_add(rounds), settings.threads);
    let arena = arena::Settings { agents, games, seed, threads, max_plies: Some(settings.max_plies), opening: 0 };
    let results = play_each(game, &arena, halt, None, &mut |_, _| {
        told();
        true
    });
    let stronger = results.standings.first()?;
    let enough = results.games >= (seats as u64 * 4).min(games) && results.games > 0;
    enough.then(|| Rung { rounds, share: stronger.interval(results.games), games: results.games })
}

/// How many rungs the ladder has: those on which the stronger one gets more than 60 %, with the fewest and the most that the
/// intervals allow.
pub fn rungs(ladder: &[Rung]) -> Measure {
    let count = |end: fn(&Estimate) -> f64| ladder.iter().filter(|rung| end(&rung.share) > COUNTS).count() as f64;
    let estimate =
        Estimate { value: count(|share| share.value), low: count(|share| share.low), high: count(|share| share.high) };
    Measure {
        name: "skill_rungs",
        estimate: (!ladder.is_empty()).then_some(estimate),
        games: ladder.iter().map(|rung| rung.games).sum(),
        players: "mcts against one that thinks half as long".to_owned(),
        unit: "rungs",
        about: "how often twice the thinking wins over 60 %",
    }
}
