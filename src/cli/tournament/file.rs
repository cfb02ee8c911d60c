//! The games of a tournament on disk: written when they end, read again to go on.

use crate::ai::tournament::{Ending, Standings, Tournament};
use crate::cli::append::Appended;
use crate::cli::csv;
use crate::cli::error::CliError;
use crate::game::Game;
use crate::protocol::Contender;
use serde::Deserialize;
use std::io::{self, Write};
use std::path::Path;

/// Where games go to.
pub enum File {
    /// Standard output.
    Stdout,
    /// A file, which can be gone on with.
    Lines(Appended),
}

/// What is read of a line.
#[derive(Deserialize)]
struct Written {
    index: u64,
    seed: u64,
    rules_hash: String,
    players: Vec<String>,
    moves: Vec<String>,
    places: Option<Vec<u8>>,
    forfeit: Option<String>,
}

impl File {
    /// A new file; or one that is there, of which the games are counted.
    pub fn open(
        path: &Path,
        force: bool,
        (game, tournament, seed): (&Game, &Tournament<Contender>, u64),
        standings: &mut Standings,
        rows: &mut Option<csv::Games>,
    ) -> Result<Self, CliError> {
        let mut file = Appended::open(path)?;
        if force {
            file.clear()?;
        }
        let schedule = Schedule { path, game, tournament, seed };
        file.read(br#"{"game":"#, &mut |number, line| {
            schedule.count(number, line, standings)?;
            rows.as_mut().map_or(Ok(()), |rows| rows.add(line))
        })?;
        Ok(Self::Lines(file))
    }

    /// A game that has ended.
    pub fn add(&mut self, line: &[u8]) -> Result<(), CliError> {
        match self {
            Self::Stdout => io::stdout().write_all(line).map_err(CliError::Output),
            Self::Lines(file) => file.add(line),
        }
    }
}

/// What the lines of a file must agree with.
struct Schedule<'a> {
    path: &'a Path,
    game: &'a Game,
    tournament: &'a Tournament<Contender>,
    seed: u64,
}

impl Schedule<'_> {
    fn count(&self, number: u64, line: &[u8], standings: &mut Standings) -> Result<(), CliError> {
        let written: Written =
            serde_json::from_slice(line).map_err(|error| self.refused(number, &format!("it is no game: {error}")))?;
        let index = standings.games;
        let Some((seats, start)) = self.tournament.seats(index).filter(|_| index < self.tournament.games()) else {
            return Err(self.refused(number, "there are more games than are to be played"));
        };
        let players = seats.map(|at| self.tournament.players.get(at).map(Contender::to_string).unwrap_or_default());
        let opening = self.tournament.opening_of(self.game, start);
        let differs = [
            (written.rules_hash != self.game.rules_hash(), "the rules or options are others"),
            (written.seed != self.seed, "the seed is another"),
            (written.index != index, "a game is missing before it"),
            (written.players != players, "the players are others, or meet in another order"),
            (!written.moves.starts_with(&opening), "it has another opening"),
        ];
        if let Some((_, why)) = differs.iter().find(|(differs, _)| *differs) {
            return Err(self.refused(number, why));
        }
        let (cut, places) = (written.places.is_none(), written.places.unwrap_or_else(|| vec![1, 1]));
        standings.add(&Ending { places, cut, forfeit: written.forfeit.is_some() });
        Ok(())
    }

    fn refused(&self, number: u64, why: &str) -> CliError {
        let message = format!("`{}` holds another tournament: line {number}: {why}", self.path.display());
        let help = "name another file, overwrite this one with `--force`, or repeat the command as it was".to_owned();
        CliError::coded("other_tournament", message, Some(help))
    }
}
