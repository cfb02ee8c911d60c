//! Moves as they are shown to somebody who does not know the game: for each a real position before it and after it.

use crate::board::SiteSet;
use crate::game::{Game, Position};
use crate::study::playout::{choose, generator};
use std::time::{Duration, Instant};

/// As many random games are looked through.
const GAMES: u64 = 8;
/// As many plies of each.
const PLIES: usize = 80;
/// Slow games are looked through as far as this takes.
const TIME: Duration = Duration::from_millis(1500);
/// On a board with fewer pieces little is to be seen.
const FEW: usize = 3;

/// A ply that shows a move well.
#[derive(Clone, Debug)]
pub struct Example {
    /// The name of the move.
    pub name: String,
    /// The ply as text.
    pub text: String,
    /// Who plays it.
    pub mover: String,
    pub before: Position,
    pub after: Position,
    /// Where something else stands afterwards.
    pub changed: SiteSet,
}

/// An example of each move that comes up in some random games, in the order of the rules. A move that changes nothing on the
/// board has none.
#[must_use]
pub fn examples(game: &Game) -> Vec<Example> {
    let moves = &game.rules().moves;
    let mut best: Vec<Option<(usize, Example)>> = vec![None; moves.len()];
    let begun = Instant::now();
    for number in 0..GAMES {
        let (mut position, mut dice) = (game.start(), generator(1, number));
        for _ in 0..PLIES {
            let Some(chosen) = choose(&position, &mut dice) else { break };
            let Some(next) = position.play_index(chosen) else { break };
            let unseen = |mv: usize| best.get(mv).is_some_and(Option::is_none);
            // Of moves that nobody has chosen yet any will do.
            let legal = &position.situation().legal;
            let rare =
                (0..moves.len()).filter(|mv| unseen(*mv)).filter_map(|mv| legal.iter().position(|ply| ply.mv.0 == mv));
            let rare: Vec<usize> = rare.filter(|index| *index != chosen).collect();
            let shown = rare.into_iter().filter_map(|index| Some((index, position.play_index(index)?)));
            for (index, after) in shown.chain([(chosen, next.clone())]) {
                note(&mut best, &position, index, after);
            }
            position = next;
            if begun.elapsed() > TIME {
                break;
            }
        }
        if begun.elapsed() > TIME {
            break;
        }
    }
    best.into_iter().flatten().map(|(_, example)| example).collect()
}

/// Keeps a ply if it shows its move better than the one known.
fn note(best: &mut [Option<(usize, Example)>], before: &Position, index: usize, after: Position) {
    let Some(ply) = before.situation().legal.get(index) else { return };
    let changed = after.changed_since(before);
    let name = before.game().rules().moves.get(ply.mv.0).map(|mv| mv.name.clone());
    let (Some(place), Some(name), false) = (best.get_mut(ply.mv.0), name, changed.is_empty()) else { return };
    let merit = merit(before, &after, changed);
    if place.as_ref().is_none_or(|(known, _)| *known < merit) {
        let text = before.move_text(index).unwrap_or_default();
        let mover = before.mover().unwrap_or_default().to_owned();
        *place = Some((merit, Example { name, text, mover, before: before.clone(), after, changed }));
    }
}

/// How well a ply shows what its move does: much happens, something is taken, and other pieces stand around.
fn merit(before: &Position, after: &Position, changed: SiteSet) -> usize {
    let pieces = |position: &Position| {
        let state = &position.situation().state;
        position.game().rules().board.all().iter().filter(|site| !state.content(*site).is_empty()).count()
    };
    let (had, has) = (pieces(before), pieces(after));
    let board = &before.game().rules().board;
    let around = changed.iter().fold(SiteSet::EMPTY, |around, site| around | board.neighbours(site)) - changed;
    let beside = around.iter().filter(|site| !before.situation().state.content(*site).is_empty()).count();
    let crowded = had * 3 > before.game().rules().board.len() * 2;
    2 * changed.len().min(5)
        + if has < had { 4 } else { 0 }
        + if had > FEW { 3 } else { 0 }
        + beside.min(3)
        + if crowded { 0 } else { 2 }
        + if after.is_over() { 0 } else { 1 }
}
