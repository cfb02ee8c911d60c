//! The skill ladder: what twice the thinking is worth, again and again.

use super::Measure;
use super::plan::Stage;
use crate::ai::arena::Results;
use crate::study::bouts::Bouts;
use crate::study::estimate::Estimate;

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
pub const GAMES: u64 = 200;

/// A rung counts when the stronger one gets more than this.
const COUNTS: f64 = 0.6;

/// All rungs that may be climbed.
pub fn rungs() -> impl Iterator<Item = Stage> {
    (1..=RUNGS).map(|level| Stage::Rung(LEAST << level))
}

/// The rungs that were climbed, until twice the thinking is worth little on two of them in a row, and whether that came. A rung
/// with hardly any games says nothing.
#[must_use]
pub fn climbed<'t>(played: impl Iterator<Item = (u64, &'t Bouts)>, wanted: u64) -> (Vec<Rung>, bool) {
    let mut rungs: Vec<Rung> = Vec::new();
    for (rounds, bouts) in played {
        let enough = bouts.games >= (bouts.by_seat.len() as u64 * 4).min(wanted) && bouts.games > 0;
        if let (Some(stronger), true) = (Results::of(bouts).standings.first(), enough) {
            rungs.push(Rung { rounds, share: stronger.interval(bouts.games), games: bouts.games });
        }
        let flat = |rung: &Rung| rung.share.high <= COUNTS;
        if rungs.len() >= 2 && rungs.iter().rev().take(2).all(flat) {
            return (rungs, true);
        }
    }
    (rungs, false)
}

/// How many rungs the ladder has: those on which the stronger one gets more than 60 %, with the fewest and the most that the
/// intervals allow.
pub fn told(ladder: &[Rung]) -> Measure {
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
