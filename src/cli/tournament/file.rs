//! The games of a tournament on disk: written when they end, read again to go on.

use crate::ai::tournament::{Ending, Standings, Tournament};
use crate::cli::error::CliError;
use crate::game::Game;
use crate::protocol::Contender;
use serde::Deserialize;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where games go to.
pub struct File {
    out: Box<dyn Write>,
    name: Option<PathBuf>,
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
    pub fn stdout() -> Self {
        Self { out: Box::new(io::stdout()), name: None }
    }

    /// A new file; or one that is there, of which the games are counted. Its last line is dropped if it is not whole.
    pub fn open(
        path: &Path,
        force: bool,
        game: &Game,
        tournament: &Tournament<Contender>,
        seed: u64,
        standings: &mut Standings,
    ) -> Result<Self, CliError> {
        let failed = |error| CliError::write(path, error);
        if path.exists() && !force {
            let text = fs::read(path).map_err(|error| CliError::read(path, error))?;
            let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
            let lines = text.get(..whole).unwrap_or_default().split(|byte| *byte == b'\n');
            let schedule = Schedule { path, game, tournament, seed };
            for (number, line) in (1..).zip(lines.filter(|line| !line.is_empty())) {
                schedule.count(number, line, standings)?;
            }
            let out = fs::File::options().append(true).open(path).map_err(failed)?;
            alone(&out, path)?;
            out.set_len(u64::try_from(whole).unwrap_or(u64::MAX)).map_err(failed)?;
            return Ok(Self { out: Box::new(out), name: Some(path.to_owned()) });
        }
        let out = fs::File::options().create(true).append(true).open(path).map_err(failed)?;
        alone(&out, path)?;
        out.set_len(0).map_err(failed)?;
        Ok(Self { out: Box::new(out), name: Some(path.to_owned()) })
    }

    /// A game that has ended, in one piece, so that whatever ends the program leaves whole lines.
    pub fn add(&mut self, line: &[u8]) -> Result<(), CliError> {
        self.out.write_all(line).map_err(|error| match &self.name {
            Some(name) => CliError::write(name, error),
            None => CliError::Output(error),
        })
    }
}

/// Two programs that write to one file would each spoil what the other writes. Where files cannot be locked, as some
/// disks of a network cannot, nobody is kept off.
fn alone(out: &fs::File, path: &Path) -> Result<(), CliError> {
    match out.try_lock() {
        Err(fs::TryLockError::WouldBlock) => {
            let help = "wait for it to end, or name another file".to_owned();
            let message = format!("another tournament is writing to `{}`", path.display());
            Err(CliError::coded("in_use", message, Some(help)))
        }
        Ok(()) | Err(fs::TryLockError::Error(_)) => Ok(()),
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
