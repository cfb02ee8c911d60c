//! A file of blocks that a run goes on with: what was played of each of its jobs.

use super::shard::{Block, Job, Line, Merge, MergeError, Sums};
use super::work::{Crew, Work};
use crate::ai::Contestant;
use crate::game::Game;
use std::ops::Range;

/// What was played of the jobs of one run, as it stands in a file.
#[derive(Clone, Debug)]
pub struct Journal {
    /// What the file is called in messages.
    file: String,
    parts: Vec<(Job, Merge)>,
    /// The job that the last line of the file belongs to.
    last: Option<usize>,
}

impl Journal {
    /// An empty file.
    #[must_use]
    pub fn new(file: &str) -> Self {
        Self { file: file.to_owned(), parts: Vec::new(), last: None }
    }

    /// Takes up the next line of the file.
    pub fn read(&mut self, line: Line) -> Result<(), MergeError> {
        match line {
            Line { job: Some(job), block: None } => {
                self.last = Some(self.place(&job)?);
                Ok(())
            }
            Line { job: None, block: Some(block) } => {
                let part = self.last.and_then(|at| self.parts.get_mut(at));
                part.map_or(Err(MergeError::Nothing), |(_, merge)| merge.add(block, &self.file))
            }
            Line { .. } => Err(MergeError::Nothing),
        }
    }

    /// Takes up a job that is to be played; an error where it does not belong to the run of the file.
    pub fn expect(&mut self, job: &Job) -> Result<(), MergeError> {
        self.place(job).map(|_| ())
    }

    /// How many games are known.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.parts.iter().map(|(_, merge)| merge.games()).fold(0, u64::saturating_add)
    }

    /// Plays what is missing of the first games of a job, and hands over the lines that are to be added to the file, until
    /// the taker says no. What comes of it are the sums of all that is known in one piece from the first game on; stages that
    /// can no longer change the answer are left out.
    pub fn play<A: Contestant + Clone>(
        &mut self,
        job: &Job,
        game: &Game,
        crew: &Crew<'_, A>,
        games: u64,
        write: &mut dyn FnMut(&Line) -> bool,
    ) -> Result<Sums, MergeError> {
        let at = self.place(job)?;
        let end = job.blocks_from(0, games).end;
        for (stage, blocks) in stages(job) {
            let blocks = blocks.start..blocks.end.min(end);
            if !is_needed(job, stage, &self.before(at, blocks.start)) {
                continue;
            }
            for missing in self.missing(at, blocks) {
                let Crew { players, threads, halt } = *crew;
                let mut failed = None;
                let (first, mut next) = (missing.start, missing.start);
                job.play(game, Crew { players, threads, halt }, missing.clone(), &mut |block| {
                    next += 1;
                    match self.add(at, block, write) {
                        Ok(more) => more,
                        Err(error) => {
                            failed = Some(error);
                            false
                        }
                    }
                });
                if let Some(error) = failed {
                    return Err(error);
                }
                if next < missing.end {
                    // Halted: what comes later does not follow in one piece.
                    return Ok(self.before(at, next.max(first)));
                }
            }
        }
        Ok(self.before(at, end))
    }

    /// One more block, as lines of the file.
    fn add(&mut self, at: usize, block: Block, write: &mut dyn FnMut(&Line) -> bool) -> Result<bool, MergeError> {
        let Some((job, merge)) = self.parts.get_mut(at) else { return Err(MergeError::Nothing) };
        merge.add(block.clone(), &self.file)?;
        if self.last != Some(at) && !write(&Line { job: Some(job.clone()), block: None }) {
            return Ok(false);
        }
        self.last = Some(at);
        Ok(write(&Line { job: None, block: Some(block) }))
    }

    /// Where a job stands among those that are known, the last if it was not. All belong to one run.
    fn place(&mut self, job: &Job) -> Result<usize, MergeError> {
        if let Some(at) = self.parts.iter().position(|(known, _)| known == job) {
            return Ok(at);
        }
        if let Some((known, _)) = self.parts.iter().find(|(known, _)| !are_of_one_run(known, job)) {
            return Err(MergeError::other_job(&self.file, known, "what is to be played", job));
        }
        let mut merge = Merge::default();
        merge.begin(job.clone(), &self.file)?;
        self.parts.push((job.clone(), merge));
        Ok(self.parts.len() - 1)
    }

    fn missing(&self, at: usize, blocks: Range<u64>) -> Vec<Range<u64>> {
        self.parts.get(at).map_or_else(Vec::new, |(_, merge)| merge.missing(blocks))
    }

    fn before(&self, at: usize, block: u64) -> Sums {
        self.parts.get(at).map_or_else(Sums::default, |(job, merge)| merge.before(job, block))
    }
}

/// Whether two jobs are of one run: the same is played with other rulesets or options.
fn are_of_one_run(one: &Job, other: &Job) -> bool {
    let field = |name: &'static str| one.about.get(name) == other.about.get(name);
    let variants = !(field("ruleset") && field("options"));
    let same = ["ludwright", "command", "game", "seed"].into_iter().all(field);
    variants && same && (one.games, one.max_plies, &one.work) == (other.games, other.max_plies, &other.work)
}

/// The blocks of a job in rows, each with the stage that its first games belong to, if there are stages.
fn stages(job: &Job) -> Vec<(Option<usize>, Range<u64>)> {
    match &job.work {
        Work::Measure(plan) => {
            let mut first = 0u64;
            let row = |(at, (_, games)): (usize, &(_, u64))| {
                let from = first;
                first = first.saturating_add(*games);
                (Some(at), job.blocks_from(from, first))
            };
            plan.stages.iter().enumerate().map(row).collect()
        }
        Work::Playout { .. } | Work::Arena { .. } | Work::Tournament { .. } | Work::Series { .. } => {
            vec![(None, 0..job.blocks())]
        }
    }
}

/// Whether a stage may change the answer, after those before it.
fn is_needed(job: &Job, stage: Option<usize>, sums: &Sums) -> bool {
    match (&job.work, stage, sums) {
        (Work::Measure(plan), Some(stage), Sums::Measured(known)) => plan.needs(stage, known),
        (
            Work::Measure(_)
            | Work::Playout { .. }
            | Work::Arena { .. }
            | Work::Tournament { .. }
            | Work::Series { .. },
            ..,
        ) => true,
    }
}
