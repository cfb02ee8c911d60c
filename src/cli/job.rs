//! Jobs: what is to be played altogether as one file, and the parts of it that one process plays.

use super::arena::contenders;
use super::envelope::Subject;
use super::error::CliError;
use super::output::Output;
use super::resume::refuse_clock;
use super::source::RuleText;
use super::stop::Stop;
use super::store::{Store, is_stdout};
use crate::game::Game;
use crate::jobs::{Block, Crew, Job, JobError, JobFile, Line, Work};
use crate::library::{Library, read_bytes};
use crate::protocol::Contender;
use clap::Args;
use serde_json::json;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright run-job job.json --from 0 --to 1000 --output part1.jsonl --force\n  ludwright run-job job.json --shard 2/4 --output part2.jsonl --force --json\n\n`playout`, `arena`, `tournament` and `measure` write jobs with `--job FILE`, and `merge` adds the parts up;\ndocs/many_machines.md shows it with GNU parallel, make and job arrays. A part gets its name when it is whole."
)]
pub struct JobArgs {
    /// The job, as `--job` has written it
    #[arg(value_name = "JOB")]
    job: PathBuf,
    /// Begin with this game; games are counted from 0
    #[arg(long, value_name = "A", default_value_t = 0)]
    from: u64,
    /// End before this game; by default the end of the job
    #[arg(long, value_name = "B")]
    to: Option<u64>,
    /// Play the I-th of K parts instead
    #[arg(long, value_name = "I/K", value_parser = share, conflicts_with_all = ["from", "to"])]
    shard: Option<(u64, u64)>,
    /// The file for the sums; `-` is standard output
    #[arg(long, value_name = "FILE", required = true)]
    output: PathBuf,
    /// Overwrite the file if there is one
    #[arg(long)]
    force: bool,
    /// How many threads play; by default as many as the machine has
    #[arg(long, value_name = "T")]
    threads: Option<NonZeroUsize>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What is asked of a command whose work may be played in parts.
#[derive(Args, Clone, Debug)]
pub struct PartArgs {
    /// Play only the I-th of K parts, and write its sums to the file of `--output` for `merge`
    #[arg(long, value_name = "I/K", value_parser = share, requires = "output")]
    shard: Option<(u64, u64)>,
    /// Write a job for `run-job` instead of playing: its parts can be played on many machines
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "shard"])]
    job: Option<PathBuf>,
}

/// Reads `I/K`.
fn share(text: &str) -> Result<(u64, u64), String> {
    let parts = text.split_once('/').and_then(|(share, of)| Some((share.parse().ok()?, of.parse().ok()?)));
    match parts {
        Some((share, of)) if 0 < share && share <= of => Ok((share, of)),
        _ => Err("write it as I/K, with I from 1 to K: `--shard 2/4`".to_owned()),
    }
}

/// The whole of what a command plays, for those who want a part of it.
pub struct Whole<'a> {
    /// The rules as text, and the game that they make.
    pub rules: (&'a RuleText, &'a Game),
    /// What is played.
    pub work: Work,
    /// How many games.
    pub games: u64,
    /// Games that last longer are cut.
    pub max_plies: Option<u64>,
    /// What chance comes from.
    pub seed: u64,
    /// Where the sums go.
    pub output: Option<&'a Path>,
    /// Whether a file that is there is overwritten.
    pub force: bool,
    /// Whether the answer is JSON.
    pub json: bool,
}

impl PartArgs {
    /// Whether only a part is wanted, or nothing but a job.
    pub fn are_given(&self) -> bool {
        self.shard.is_some() || self.job.is_some()
    }

    /// Writes the job, or plays the part.
    pub fn run(
        &self,
        whole: Whole<'_>,
        (players, threads): (&[Contender], usize),
        output: &mut Output,
    ) -> Result<(), CliError> {
        refuse_clocks(players)?;
        let (text, game) = whole.rules;
        let job = Job { work: whole.work, games: whole.games, max_plies: whole.max_plies, ..Job::default() };
        let file = JobFile::new((&text.name, &text.text), game, whole.seed, job);
        if let Some(path) = &self.job {
            return write(path, whole.force, file, output);
        }
        let path = whole.output.unwrap_or(Path::new("-"));
        let (share, of) = self.shard.unwrap_or((1, 1));
        let part = Ordered { path, force: whole.force, json: whole.json, shard: Some((share, of)) };
        play(&file, game, file.job.share(share, of), (players, threads), &part, output)
    }
}

/// Writes a job instead of playing it.
fn write(path: &Path, force: bool, file: JobFile, output: &Output) -> Result<(), CliError> {
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
    let text = RuleText { name: file.name.clone(), text: file.text.clone() };
    let players = contenders(job.work.players(), &text, &game)?;
    refuse_clocks(&players)?;
    let threads = args.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let part = Ordered { path: &args.output, force: args.force, json: args.json, shard: args.shard };
    play(&file, &game, blocks, (&players, threads), &part, output)
}

/// How a part was asked for.
struct Ordered<'a> {
    path: &'a Path,
    force: bool,
    json: bool,
    shard: Option<(u64, u64)>,
}

/// Plays blocks of a job and writes their sums.
fn play(
    file: &JobFile,
    game: &Game,
    blocks: Range<u64>,
    (players, threads): (&[Contender], usize),
    ordered: &Ordered<'_>,
    output: &mut Output,
) -> Result<(), CliError> {
    if ordered.json && is_stdout(ordered.path) {
        return Err(CliError::two_outputs());
    }
    let job = &file.job;
    let mut part = Part::begin(Store::create(ordered.path, ordered.force)?, job, blocks.clone(), output)?;
    let stop = Stop::new();
    let crew = Crew { players, threads, halt: stop.halt() };
    job.play(game, crew, blocks, &mut |block| part.take(block));
    let told = ordered.json.then_some(ordered.shard);
    part.finish(&Subject::of(&job.about), told, stop.unless_given_up(game), output)
}

/// A part that is being written.
struct Part {
    store: Store,
    blocks: Range<u64>,
    done: u64,
    games: u64,
    written: Result<(), CliError>,
    bar: super::output::Progress,
}

impl Part {
    /// A new part, which says first what it belongs to.
    fn begin(mut store: Store, job: &Job, blocks: Range<u64>, output: &Output) -> Result<Self, CliError> {
        let head = Line { job: Some(job.clone()), block: None };
        store.write(format!("{}\n", json!(head)).as_bytes())?;
        Ok(Self { store, blocks, done: 0, games: 0, written: Ok(()), bar: output.progress() })
    }

    /// One more block; false when it cannot be written.
    fn take(&mut self, block: Block) -> bool {
        self.done += 1;
        self.games += block.to.saturating_sub(block.from);
        self.bar.show(self.done, self.blocks.end - self.blocks.start);
        let line = Line { job: None, block: Some(block) };
        self.written = self.store.write(format!("{}\n", json!(line)).as_bytes());
        self.written.is_ok()
    }

    /// The file gets its name, and it is said what is in it; in JSON with the share, if one was asked for.
    fn finish(
        self,
        subject: &Subject,
        told: Option<Option<(u64, u64)>>,
        ended: Result<(), CliError>,
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
                let answer = json!({ "shard": share, "first_block": first, "blocks": done, "games": games });
                output.answer_of_games(subject, answer, ended)
            }
            None => {
                output
                    .note(&format!("{games} games in {done} blocks of {wanted}; `ludwright merge` adds the parts up"));
                ended
            }
        }
    }
}

fn read(path: &Path) -> Result<JobFile, CliError> {
    let bytes = read_bytes(path).map_err(|error| CliError::read(path, error))?;
    JobFile::read(&bytes).map_err(|error| refused(path, &error))
}

/// Why a file is not played, with a way out.
fn refused(path: &Path, error: &JobError) -> CliError {
    let (code, help) = match error {
        JobError::NoJob(_) => {
            ("bad_job", "name a file that a command has written with `--job`, as `playout hex --job FILE`")
        }
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
fn refuse_clocks(agents: &[Contender]) -> Result<(), CliError> {
    agents.iter().try_for_each(|agent| refuse_clock(agent.repeats_itself(), agent))
}
