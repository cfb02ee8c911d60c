//! A match of what was learnt against tree search with the same time for each ply.

use super::Proof;
use crate::ai::agent::{Agent, Budget};
use crate::ai::learned::{self, Weights};
use crate::ai::tournament::{Shape, Standings, Tournament};
use crate::game::Game;
use crate::study::elo::{Model, Sprt, Verdict};
use crate::study::halt::Halt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Nothing in it, or as much as is hoped for, in normalized Elo.
const TEST: Sprt = Sprt { elo0: 0.0, elo1: 50.0, model: Model::Normalized };

/// As many games as a match should have time for.
const GAMES: f64 = 120.0;

/// Bounds of the time for one ply, in milliseconds.
const LEAST: f64 = 5.0;
const MOST: f64 = 50.0;

/// Pairs of a match, if it is not decided before.
const PAIRS: u64 = 2_000;

/// Plies at the beginning that chance plays.
const OPENING: u64 = 2;

/// A game that lasts longer counts as drawn.
const LONGEST: u64 = 600;

/// Plays it, for so long at most; games last about so many plies.
pub fn play(
    game: &Game,
    weights: &Arc<Weights>,
    time: Duration,
    threads: usize,
    halt: Halt<'_>,
    length: f64,
    attempt: u64,
) -> Proof {
    learned::install(&game.rules_hash(), Arc::clone(weights));
    let budget = Budget::Time(per_ply(time, threads, length));
    let tournament = Tournament {
        players: vec![Agent::Learned(budget), Agent::Mcts(budget)],
        shape: Shape::RoundRobin,
        pairs: PAIRS,
        seed: attempt,
        threads,
        max_plies: Some(LONGEST),
        opening: OPENING,
        sprt: Some(TEST),
    };
    let mut standings = tournament.standings();
    let halt = halt.by(Instant::now() + time);
    tournament.play(game, &mut standings, (halt, None), &mut |_, _| true);
    told(&standings, &Agent::Mcts(budget).to_string(), attempt)
}

/// The time for a ply, so that there is time for enough games.
fn per_ply(time: Duration, threads: usize, length: f64) -> Duration {
    let all = time.as_secs_f64() * 1_000.0 * threads.max(1) as f64;
    let each = all / (GAMES * length.max(1.0));
    Duration::from_millis(each.clamp(LEAST, MOST).floor().max(LEAST) as u64)
}

fn told(standings: &Standings, against: &str, attempt: u64) -> Proof {
    let pairs = standings.meetings.first().map(|meeting| meeting.pairs).unwrap_or_default();
    let elo = pairs.elo();
    // A score of all or nothing has no bound, and files have no sign for that.
    let bounded = |elo: f64| elo.clamp(-9_999.0, 9_999.0);
    Proof {
        accepted: standings.verdict == Some(Verdict::Accepted),
        against: against.to_owned(),
        games: standings.games,
        pairs: pairs.0,
        score: pairs.score().value,
        elo: bounded(elo.value),
        low: bounded(elo.low),
        high: bounded(elo.high),
        attempt,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_matches_are_played_faster() {
        let slow = per_ply(Duration::from_secs(100), 2, 30.0);
        assert_eq!(slow, Duration::from_millis(50));
        assert_eq!(per_ply(Duration::from_secs(1), 1, 60.0), Duration::from_millis(5));
        assert_eq!(per_ply(Duration::from_secs(36), 2, 30.0), Duration::from_millis(20));
    }
}
