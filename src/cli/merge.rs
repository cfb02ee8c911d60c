//! `merge`: what shards of random games came to, added up as if it had been one run.

use super::error::CliError;
use super::output::Output;
use super::{arena, sums};
use crate::ai::arena::Results;
use crate::study::shard::{Job, Line, Merge, MergeError, Sums};
use clap::Args;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright merge part1.jsonl part2.jsonl\n  ludwright merge part2.jsonl part1.jsonl part2.jsonl --json\n\nThe parts are written by `playout --shard I/K --output FILE`. Their order does not matter, nor does it if a part\nis named twice; the answer is that of `playout` in one run, without the times."
)]
pub struct MergeArgs {
    /// Files that `playout --shard` has written
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &MergeArgs, output: &mut Output) -> Result<(), CliError> {
    let mut merge = Merge::default();
    for file in &args.files {
        read(file, &mut merge, output)?;
    }
    let (job, sums) = merge.whole()?;
    if args.json {
        let mut whole = job.about.clone();
        match &sums {
            Sums::Random(sums) => whole.extend(sums::fields(&job.names, sums)),
            Sums::Bouts(sums) => whole.extend(arena::fields(&players(&job), &job.names, &Results::of(sums))),
        }
        return output.json(&Value::Object(whole));
    }
    match &sums {
        Sums::Random(sums) => sums::print(&job.names, sums, output),
        Sums::Bouts(sums) => arena::print(&players(&job), &job.names, &Results::of(sums), output),
    }
}

/// The programs that played.
fn players(job: &Job) -> Vec<String> {
    job.players.clone().unwrap_or_default()
}

/// Adds what a file holds. Of a file that was cut in the middle of a line the lines before are taken.
fn read(path: &Path, merge: &mut Merge, output: &Output) -> Result<(), CliError> {
    let name = path.display().to_string();
    let failed = |error| CliError::read(path, error);
    let mut lines = BufReader::new(File::open(path).map_err(failed)?);
    let mut text = Vec::new();
    for number in 1.. {
        text.clear();
        if lines.read_until(b'\n', &mut text).map_err(failed)? == 0 {
            break;
        }
        match serde_json::from_slice(&text) {
            Ok(Line { job: Some(job), block: None }) => merge.begin(job, &name)?,
            Ok(Line { job: None, block: Some(block) }) => merge.add(block, &name)?,
            Ok(Line { .. }) => return Err(not_a_shard(&name, number, "it holds neither a job nor a block")),
            Err(_) if text.last() != Some(&b'\n') => output.note(&format!("warning: `{name}` is cut in line {number}")),
            Err(error) => return Err(not_a_shard(&name, number, &error.to_string())),
        }
    }
    Ok(())
}

fn not_a_shard(name: &str, number: u64, error: &str) -> CliError {
    let help = "name files that `playout --shard I/K` or `run-job` has written".to_owned();
    CliError::coded("bad_shard", format!("`{name}`, line {number}, is no part of a run: {error}"), Some(help))
}

impl From<MergeError> for CliError {
    fn from(error: MergeError) -> Self {
        let (code, help) = match &error {
            MergeError::OtherJob { .. } => {
                ("other_job", Some("merge only parts of one run: same game, options, seed, `-n`"))
            }
            MergeError::Differs { .. } => {
                ("blocks_differ", Some("play both shards again; if they still differ, one machine is wrong"))
            }
            MergeError::NoSuchBlock { .. } => ("bad_shard", Some("play the shard again")),
            MergeError::Missing { .. } => ("incomplete", Some("play the missing shards, or name their files too")),
            MergeError::Nothing => ("bad_shard", None),
        };
        Self::coded(code, error.to_string(), help.map(str::to_owned))
    }
}
