//! Who comes where when a line of `end` names who wins or loses, and which lines say the same of every position.

use crate::engine::Over;
use crate::program::ir::Int;
use crate::program::{EndingResult, ForMover, Program};
use crate::rules::MAX_PLAYERS;

/// First place for those in the mask, or for all others.
pub(super) fn split(program: &Program, players: i64, wins: bool, line: Option<usize>) -> Over {
    let (mut places, mut behind) = ([0; MAX_PLAYERS], 1);
    for (player, place) in places.iter_mut().enumerate().take(program.players) {
        *place = u8::from((players >> player & 1 == 1) == wins);
        behind += *place;
    }
    let second = places.iter_mut().take(program.players).filter(|place| **place == 0);
    second.for_each(|place| *place = behind);
    Over { places, line }
}

/// By player to move and line of `end` what comes of the line, where no position changes it.
pub(super) fn certain(program: &Program) -> Vec<Vec<Option<Over>>> {
    let certain = |own: &ForMover| {
        let of = own.endings.iter().map(|ending| {
            let line = Some(ending.line);
            match &ending.result {
                // Places of those who left earlier come in between.
                _ if program.left.is_some() => None,
                EndingResult::Draw => Some(split(program, 0, false, line)),
                EndingResult::Players { players: Int::Const(players), wins } if *players > 0 => {
                    Some(split(program, *players, *wins, line))
                }
                EndingResult::Players { .. }
                | EndingResult::BestScore
                | EndingResult::LowestScore
                | EndingResult::Ranks(_) => None,
            }
        });
        of.collect()
    };
    program.by_mover.iter().map(certain).collect()
}
