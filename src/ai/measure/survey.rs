//! Random games looked at closely: which sites, moves and clauses of the rules come up, and what nobody ever comes to.

use super::Settings;
use super::plan::Words;
use crate::game::Game;
use crate::rules::Recorder;
use crate::source::SourceId;
use crate::study::halt::Halt;
use crate::study::playout::{choose, generator};
use crate::study::traffic::Traffic;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What never came up.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dead {
    /// Sites on which nothing ever came to stand.
    pub sites: Vec<String>,
    /// Moves that nobody ever could make.
    pub moves: Vec<String>,
    /// Clauses that were never asked about, or never true.
    pub clauses: Vec<Idle>,
    /// In how many random games, and games of programs for sites and moves, all these were looked for.
    pub games: u64,
}

/// A clause of the rules that did nothing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Idle {
    /// The file and the line where it stands.
    pub place: String,
    /// What is written there.
    pub text: String,
    /// `never reached` or `never true`.
    pub missing: Cow<'static, str>,
}

/// What came up in random games, and which clauses did not.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Survey {
    /// What happened on the board.
    pub traffic: Traffic,
    /// Clauses that did nothing.
    pub idle: Vec<Idle>,
}

/// As many games, and as many plies of all of them, show what comes up.
const GAMES: u64 = 200;
const PLIES: usize = 20_000;

/// Random games, each position seen, and the clauses that were idle in them.
pub fn survey(game: &Game, settings: Settings, halt: Halt<'_>) -> Survey {
    let recorder = Arc::new(Recorder::default());
    // The texts of the game itself; the standard words end no games.
    let texts: BTreeSet<SourceId> = game.rules().endings.iter().map(|ending| ending.span.source).collect();
    let watched = texts.iter().fold(game.clone(), |game, text| game.recording(&recorder, *text));
    let mut traffic = Traffic::of(game);
    let mut left = PLIES;
    for number in 0..settings.games.unwrap_or(GAMES).min(GAMES) {
        if left == 0 || halt.is_set() {
            break;
        }
        let (mut position, mut chance) = (watched.start(), generator(settings.seed, number));
        traffic.begin(&position);
        let mut ply = 0;
        while left > 0 && !halt.is_set() {
            let Some(chosen) = choose(&position, &mut chance) else { break };
            let Some(next) = position.play_index(chosen) else { break };
            if let Some(stopped) = next.stopped() {
                halt.give_up(*stopped);
                break;
            }
            traffic.step(&position, chosen, &next, ply);
            position = next;
            ply += 1;
            left -= 1;
        }
    }
    Survey { traffic, idle: idle(game, &recorder) }
}

fn idle(game: &Game, recorder: &Recorder) -> Vec<Idle> {
    let clauses = recorder.clauses().into_iter();
    // A condition that always held refuses nothing, but what it leads to was done.
    let found = clauses.filter_map(|(span, clause)| Some((span, clause.missing().filter(|_| !clause.held)?)));
    found
        .filter_map(|(span, missing)| {
            let source = game.sources().get(span.source)?;
            let place = format!("{}:{}", source.name, source.locate(span.range().start).line);
            Some(Idle { place, text: game.sources().phrase(span), missing: missing.into() })
        })
        .collect()
}

/// What nobody came to in any of these games.
#[must_use]
pub fn dead(words: &Words, traffic: &Traffic, clauses: Vec<Idle>) -> Dead {
    if traffic.positions == 0 {
        return Dead::default();
    }
    let unused = |(played, occupied): (&u64, &u64)| *played == 0 && *occupied == 0;
    let sites = words.sites.iter().zip(traffic.played.iter().zip(&traffic.occupied));
    let moves = words.moves.iter().zip(&traffic.offered);
    Dead {
        sites: sites.filter(|(_, counts)| unused(*counts)).map(|(name, _)| name.clone()).collect(),
        moves: moves
            .filter(|((_, called), offered)| *called && **offered == 0)
            .map(|((name, _), _)| name.clone())
            .collect(),
        clauses,
        games: traffic.games,
    }
}
