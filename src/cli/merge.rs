//! `merge`: what the parts of a job came to, added up as if it had been one run.

use super::error::CliError;
use super::output::Output;
use super::{arena, measure, sums, tournament};
use crate::ai::arena::Results;
use crate::ai::measure::Page;
use crate::jobs::{Job, Line, Merge, MergeError, Sums, Work};
use crate::study::names::Names;
use crate::study::totals::Summary;
use clap::Args;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright merge part1.jsonl part2.jsonl\n  ludwright merge part2.jsonl part1.jsonl part2.jsonl --json\n\nThe parts are written by `run-job`, and by `playout`, `arena`, `tournament` and `measure` with `--shard I/K --output FILE`.\nTheir order does not matter, nor does it if a part is named twice; the answer is that of one run, without the times."
)]
pub struct MergeArgs {
    /// Files that `run-job`, or a command with `--shard`, has written
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
    let answer = Answer::of(&job, &sums)?;
    if !args.json {
        return answer.print(&job.names, output);
    }
    let mut whole = job.about.clone();
    match answer {
        Answer::Random(sums) => whole.extend(sums::fields(&job.names, sums)),
        Answer::Arena(players, results) => whole.extend(arena::fields(players, &job.names, &results)),
        Answer::Tournament(fields, _) => whole.extend(fields),
        Answer::Measures(page) => whole.extend(object(measure::to_json(&page))),
    }
    output.json(&Value::Object(whole))
}

/// What a command says that has played all by itself.
enum Answer<'a> {
    Random(&'a Summary),
    Arena(&'a [String], Results),
    Tournament(Map<String, Value>, String),
    Measures(Box<Page>),
}

impl<'a> Answer<'a> {
    fn of(job: &'a Job, sums: &'a Sums) -> Result<Self, CliError> {
        match (&job.work, sums) {
            (Work::Playout { .. }, Sums::Random(sums)) => Ok(Self::Random(sums)),
            (Work::Arena { players, .. }, Sums::Bouts(sums)) => Ok(Self::Arena(players, Results::of(sums))),
            (Work::Tournament { players, shape, .. }, Sums::Endings(endings)) => {
                let (fields, text) = tournament::merged(players, *shape, endings);
                Ok(Self::Tournament(object(fields), text))
            }
            (Work::Measure(plan), Sums::Measured(stages)) => {
                Ok(Self::Measures(Box::new(measure::merged(plan, stages))))
            }
            (Work::Series { .. }, _) => {
                let help = "`sweep` and `tune` go on with such a file by `--resume`; in Python `ludwright.distributed` adds parts up";
                Err(CliError::coded("bad_shard", "these are parts of a series", Some(help.to_owned())))
            }
            (
                Work::Playout { .. } | Work::Arena { .. } | Work::Tournament { .. } | Work::Measure(_),
                Sums::Random(_) | Sums::Bouts(_) | Sums::Endings(_) | Sums::Series(_) | Sums::Measured(_),
            ) => Err(CliError::coded("bad_shard", "the sums are not of the kind that their job asks for", None)),
        }
    }

    fn print(self, names: &Names, output: &mut Output) -> Result<(), CliError> {
        match self {
            Self::Random(sums) => sums::print(names, sums, output),
            Self::Arena(players, results) => arena::print(players, names, &results, output),
            Self::Tournament(_, text) => output.text(&text),
            Self::Measures(page) => measure::print(&page, output),
        }
    }
}

/// The fields of an answer.
fn object(answer: Value) -> Map<String, Value> {
    match answer {
        Value::Object(fields) => fields,
        other => Map::from_iter([("answer".to_owned(), other)]),
    }
}

/// Adds what a file holds. Of a file that was cut in the middle of a line the lines before are taken.
fn read(path: &Path, merge: &mut Merge, output: &Output) -> Result<(), CliError> {
    let name = path.display().to_string();
    let failed = |error| CliError::read(path, error);
    let mut lines = BufReader::new(File::open(path).map_err(failed)?);
    let (mut text, mut begun) = (Vec::new(), false);
    for number in 1.. {
        text.clear();
        if lines.read_until(b'\n', &mut text).map_err(failed)? == 0 {
            break;
        }
        match serde_json::from_slice(&text) {
            Ok(Line { job: Some(job), block: None }) => {
                merge.begin(job, &name)?;
                begun = true;
            }
            Ok(Line { job: None, block: Some(block) }) if begun => merge.add(block, &name)?,
            Ok(Line { job: None, block: Some(_) }) => {
                return Err(not_a_shard(&name, number, "it does not say first what it is a part of"));
            }
            Ok(Line { .. }) => return Err(not_a_shard(&name, number, "it holds neither a job nor a block")),
            Err(_) if text.last() != Some(&b'\n') => output.note(&format!("warning: `{name}` is cut in line {number}")),
            Err(error) => return Err(not_a_shard(&name, number, &error.to_string())),
        }
    }
    Ok(())
}

fn not_a_shard(name: &str, number: u64, error: &str) -> CliError {
    let help = "name files that `run-job`, or a command with `--shard I/K`, has written".to_owned();
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
