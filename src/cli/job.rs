//! Jobs: what is to be played altogether as one file, and the parts of it that one process plays.

use super::arena::contenders;
use super::envelope::Subject;
use super::error::CliError;
use super::output::Output;
use super::source::RuleText;
use super::stop;
use super::store::Store;
use crate::ai::arena;
use crate::game::Game;
use crate::library::{Library, read_bytes};
use crate::protocol::Contender;
use crate::study::halt::Halt;
use crate::study::job::{JobError, JobFile};
use crate::study::playout::{Run, Settings};
use crate::study::shard::{Block, Job, Line};
use clap::Args;
use serde_json::json;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright run-job job.json --from 0 --to 1000 --output part1.jsonl --force\n  ludwright run-job job.json --shard 2/4 --output part2.jsonl --force --json\n\n`playout ... --job FILE` and `arena ... --job FILE` write jobs, `merge` adds the parts up; docs/many_machines.md shows\nit with GNU parallel, make and job arrays. A part gets its name when it is whole."
)]
pub struct JobArgs {
    /// The job, as `--job` has written it
    #[arg(value_name = "JOB")]
    job: PathBuf,
    /// Begin with this game; games are counted from 0
    #[arg(long, value_name = "A", default_value_t = 0)]
    from: u64,
    /// End before this game; the end of the job unless given
    #[arg(long, value_name = "B")]
    to: Option<u64>,
    /// Play the I-th of K parts instead
    #[arg(long, value_name = "I/K", value_parser = super::playout::share, conflicts_with_all = ["from", "to"])]
    shard: Option<(u64, u64)>,
    /// The file for the sums; `-` is standard output
    #[arg(long, value_name = "FILE", required = true)]
    output: PathBuf,
    /// Overwrite the file if there is one
    #[arg(long)]
    force: bool,
    /// How many threads play; as many as the machine has unless given
    #[arg(long, value_name = "T")]
    threads: Option<NonZeroUsize>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Writes a job instead of playing it.
pub fn write(path: &Path, force: bool, file: JobFile, output: &Output) -> Result<(), CliError> {
    let mut store = Store::create(path, force)?;
    store.write(format!("{}\n", json!(file)).as_bytes())?;
    store.finish()?;
    let (games, blocks) = (file.job.games, file.job.blocks());
    output.note(&format!("{games} games in {blocks} blocks; `ludwright run-job` plays parts of them"));
    Ok(())
}

pub fn run(args: &JobArgs, output: &mut Output) -> Result<(), CliError> {
    let file = read(&args.job)?;
    let game = game(&args.job, &file)?;
    let job = &file.job;
    let blocks = match args.shard {
        Some((share, of)) => job.share(share, of),
        None => job.blocks_from(args.from, args.to.unwrap_or(job.games)),
    };
    if args.json && super::store::is_stdout(&args.output) {
        return Err(CliError::two_outputs());
    }
    let threads = args.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let mut part = Part::begin(Store::create(&args.output, args.force)?, job, blocks, output)?;
    let stop = stop::flag();
    let seed = file.seed();
    match &job.players {
        None => {
            let settings =
                Settings { games: job.games, seed, threads, max_plies: job.max_plies, engine: file.engine() };
            let mut run = Run { settings, games: 0..job.games, halt: Halt::when(&stop), lines: None };
            job.play(&game, part.blocks.clone(), &mut run, &mut |block| part.take(block));
        }
        Some(players) => {
            let text = RuleText { name: file.name.clone(), text: file.text.clone() };
            let agents = contenders(players, &text, &game)?;
            refuse_clocks(&agents)?;
            let (games, max_plies, opening) = (job.games, job.max_plies, job.opening);
            let settings = arena::Settings { agents, games, seed, threads, max_plies, opening };
            arena::blocks(&game, &settings, (job, part.blocks.clone()), Halt::when(&stop), &mut |block| {
                part.take(block)
            });
        }
    }
    part.finish(&Subject::of(&job.about), args.json.then_some(args.shard), output)
}

/// A part that is being written.
pub struct Part {
    store: Store,
    blocks: Range<u64>,
    done: u64,
    games: u64,
    written: Result<(), CliError>,
    bar: super::output::Progress,
}

impl Part {
    /// A new part, which says first what it belongs to.
    pub fn begin(mut store: Store, job: &Job, blocks: Range<u64>, output: &Output) -> Result<Self, CliError> {
        let head = Line { job: Some(job.clone()), block: None };
        store.write(format!("{}\n", json!(head)).as_bytes())?;
        Ok(Self { store, blocks, done: 0, games: 0, written: Ok(()), bar: output.progress() })
    }

    /// One more block; false when it cannot be written.
    pub fn take(&mut self, block: Block) -> bool {
        self.done += 1;
        self.games += block.to.saturating_sub(block.from);
        self.bar.show(self.done, self.blocks.end - self.blocks.start);
        let line = Line { job: None, block: Some(block) };
        self.written = self.store.write(format!("{}\n", json!(line)).as_bytes());
        self.written.is_ok()
    }

    /// The file gets its name, and it is said what is in it; in JSON with the share, if one was asked for.
    pub fn finish(
        self,
        subject: &Subject,
        told: Option<Option<(u64, u64)>>,
        output: &mut Output,
    ) -> Result<(), CliError> {
        let Self { store, blocks, done, games, written, bar } = self;
        bar.clear();
        written?;
        store.finish()?;
        let (first, wanted) = (blocks.start, blocks.end - blocks.start);
        match told {
            Some(share) => {
                let share = share.map(|(share, of)| [share, of]);
                output.answer(subject, json!({ "shard": share, "first_block": first, "blocks": done, "games": games }))
            }
            None => {
                output
                    .note(&format!("{games} games in {done} blocks of {wanted}; `ludwright merge` adds the parts up"));
                Ok(())
            }
        }
    }
}

fn read(path: &Path) -> Result<JobFile, CliError> {
    let bytes = read_bytes(path).map_err(|error| CliError::read(path, error))?;
    let file = JobFile::read(&bytes).map_err(|error| refused(path, &error))?;
    // Only these two write lines that `merge` adds up.
    match (file.verb.as_str(), &file.job.players) {
        ("playout", None) | ("arena", Some(_)) => Ok(file),
        (verb, _) => Err(CliError::coded(
            "bad_job",
            format!("`{}`: `run-job` plays jobs of `playout` and `arena`, and this is one of `{verb}`", path.display()),
            Some("jobs of other commands are played from Python, with `ludwright.distributed`".to_owned()),
        )),
    }
}

/// Why a file is not played, with a way out.
fn refused(path: &Path, error: &JobError) -> CliError {
    let (code, help) = match error {
        JobError::NoJob(_) => ("bad_job", "name a file that `playout --job FILE` or `arena --job FILE` has written"),
        JobError::OtherVersion { .. } => {
            ("other_version", "all machines must have one version; write the job anew, or install the other")
        }
        JobError::OtherRules => {
            ("other_rules", "a text that it uses may be another one here; write the job anew on this machine")
        }
    };
    CliError::coded(code, format!("`{}`: {error}", path.display()), Some(help.to_owned()))
}

/// The game of a job, if its rules are those that were meant.
fn game(path: &Path, file: &JobFile) -> Result<Game, CliError> {
    let game = Game::from_text(&file.name, &file.text, file.ruleset.as_deref(), &file.chosen(), &Library)?;
    file.fits(&game).map_err(|error| refused(path, &error))?;
    Ok(game)
}

/// Programs that play other games each time cannot be parts of one run.
pub fn refuse_clocks(agents: &[Contender]) -> Result<(), CliError> {
    match agents.iter().find(|agent| !agent.repeats_itself()) {
        None => Ok(()),
        Some(agent) => Err(CliError::coded(
            "not_repeatable",
            format!("`{agent}` does not play the same games again, so that parts could not be checked"),
            Some("name programs with a number of rounds, as `mcts:400` or `hard:2000`".to_owned()),
        )),
    }
}
