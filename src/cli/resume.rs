//! `--resume`: long work is written down block by block, so that it goes on where it was ended, by whatever ended it.

use super::append::Appended;
use super::error::CliError;
use super::output::Output;
use super::store::is_stdout;
use crate::ai::Agent;
use crate::ai::measure::Settings;
use crate::game::Game;
use crate::jobs::{Crew, Job, Journal, Line, MergeError, Sums};
use crate::study::halt::Halt;
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args, Clone, Debug)]
pub struct ResumeArgs {
    /// Write down what is played, block by block; if the file is there, go on with it. Takes `--games`
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

impl ResumeArgs {
    /// The file, if one was named; what it holds must not depend on the clock.
    pub fn open(
        &self,
        settings: Settings,
        player: Option<Agent>,
        output: &Output,
    ) -> Result<Option<(Resumed, u64)>, CliError> {
        let Some(path) = &self.resume else { return Ok(None) };
        if is_stdout(path) {
            let help = "name a file, as `--resume run.jsonl`".to_owned();
            return Err(CliError::with_help("nothing can be gone on with from standard output", Some(help)));
        }
        let games = counted(settings, "what is gone on with must not depend on the clock")?;
        player.map_or(Ok(()), |player| refuse_clock(player.repeats_itself(), &player))?;
        let resumed = Resumed::open(path)?;
        if resumed.journal.games() > 0 {
            output.note(&format!("going on after the {} games in {}", resumed.journal.games(), path.display()));
        }
        Ok(Some((resumed, games)))
    }

    /// The file, if one was named.
    pub fn file(&self) -> &Option<PathBuf> {
        &self.resume
    }

    /// Whether tables and pages are written though somebody stopped the work: not if the same command goes on and writes them.
    pub fn ends(&self, halted: bool) -> bool {
        !halted || self.resume.is_none()
    }

    /// What is said when somebody stopped the work.
    pub fn stopped(&self, output: &Output) {
        output.note(&match &self.resume {
            Some(path) => {
                format!("stopped; what was played is in {}, and the same command again goes on", path.display())
            }
            None => "stopped; with `--games N --resume FILE` what was played is kept, to go on later".to_owned(),
        });
    }
}

/// How many games a series has, where that must be said.
pub fn counted(settings: Settings, why: &str) -> Result<u64, CliError> {
    let help = || Some("say how many games each series has, as `--games 200`".to_owned());
    settings.games.ok_or_else(|| CliError::coded("bad_number", why, help()))
}

/// Programs that play other games each time cannot be parts of one run.
pub fn refuse_clock(repeats_itself: bool, player: &dyn std::fmt::Display) -> Result<(), CliError> {
    if repeats_itself {
        return Ok(());
    }
    let message = format!("`{player}` does not play the same games again, so that parts could not be checked");
    let help = "name programs with a number of rounds, as `mcts:400` or `hard:2000`".to_owned();
    Err(CliError::coded("not_repeatable", message, Some(help)))
}

/// A file of blocks that is added to.
pub struct Resumed {
    journal: Journal,
    file: Appended,
    path: PathBuf,
}

impl Resumed {
    /// The file, with what it holds. Half a line at its end is dropped.
    fn open(path: &Path) -> Result<Self, CliError> {
        let mut file = Appended::open(path)?;
        let mut journal = Journal::new(&path.display().to_string());
        file.read(br#"{"job":"#, &mut |number, line| {
            let line = Line::read(line).map_err(|error| not_a_run(path, number, &error))?;
            journal.read(line).map_err(|error| refused(path, number, &error))
        })?;
        Ok(Self { journal, file, path: path.to_owned() })
    }

    /// Refuses the file before anything is played if one of these jobs does not belong to its run.
    pub fn expect(&mut self, jobs: impl IntoIterator<Item = Job>) -> Result<(), CliError> {
        let Self { journal, path, .. } = self;
        jobs.into_iter().try_for_each(|job| journal.expect(&job)).map_err(|error| refused(path, 1, &error))
    }

    /// Plays what is missing of the first games of a job; `told` hears how many games each new block has.
    pub fn play(
        &mut self,
        (job, game): (&Job, &Game),
        (threads, halt): (usize, Halt<'_>),
        games: u64,
        told: &mut dyn FnMut(u64),
    ) -> Result<Sums, CliError> {
        let Self { journal, file, path } = self;
        let crew = Crew::<Agent> { players: &[], threads, halt };
        let mut written = Ok(());
        let sums = journal.play(job, game, &crew, games, &mut |line| {
            told(line.block.as_ref().map_or(0, |block| block.to.saturating_sub(block.from)));
            written = file.add(line.text().as_bytes());
            written.is_ok()
        });
        written?;
        sums.map_err(|error| refused(path, 1, &error))
    }
}

fn not_a_run(path: &Path, number: u64, why: &str) -> CliError {
    let help = "name a file that `--resume` has written, or one that is not there yet".to_owned();
    CliError::coded("bad_shard", format!("`{}`, line {number}, is no part of a run: {why}", path.display()), Some(help))
}

/// Why a file is not gone on with.
fn refused(path: &Path, number: u64, error: &MergeError) -> CliError {
    let what = match error {
        MergeError::OtherJob { what, .. } => what,
        MergeError::Nothing => return not_a_run(path, number, "no line before it says what it is a part of"),
        MergeError::Differs { .. } | MergeError::NoSuchBlock { .. } | MergeError::Missing { .. } => {
            return not_a_run(path, number, &error.to_string());
        }
    };
    let help = "name another file, or repeat the command as it was".to_owned();
    CliError::coded("other_job", format!("`{}` holds another run: it differs in {what}", path.display()), Some(help))
}
