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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ai::Agent;
    use crate::ai::measure::{Plan, Settings, measure, page};
    use crate::jobs::JobFile;
    use crate::library::Library;
    use crate::study::halt::Halt;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    const TEXT: &str = r#"
        game "Coin"
        option side : 2..9 = 3
        players Heads, Tails
        board square(side)
        piece stone of each player
        move put "{cell}" { cell : empty; cell becomes stone of mover }
        move rest "rest" { if no empty }
        turn { put or rest }
        end { mover wins when ply >= 1 "the first throw" }
    "#;

    fn game(side: &str) -> Game {
        Game::from_text("coin.game", TEXT, None, &[("side".to_owned(), side.to_owned())], &Library).unwrap()
    }

    fn job(game: &Game, work: Work, games: u64) -> Job {
        let job = Job { work, games, max_plies: Some(50), ..Job::default() };
        JobFile::new(("coin.game", TEXT), game, 3, job).job
    }

    fn series(side: &str, games: u64) -> (Game, Job) {
        let game = game(side);
        let job = job(&game, Work::Series { player: "mcts:9".to_owned() }, games);
        (game, job)
    }

    fn crew(halt: Halt<'_>) -> Crew<'_, Agent> {
        Crew { players: &[], threads: 2, halt }
    }

    /// Plays and keeps the lines.
    fn played(journal: &mut Journal, (game, job): &(Game, Job), games: u64) -> (Sums, String) {
        let mut text = String::new();
        let sums = journal.play(job, game, &crew(Halt::never()), games, &mut |line| {
            text.push_str(&line.text());
            true
        });
        (sums.unwrap(), text)
    }

    fn read(text: &str) -> Journal {
        let mut journal = Journal::new("f");
        text.lines().for_each(|line| journal.read(Line::read(line.as_bytes()).unwrap()).unwrap());
        journal
    }

    #[test]
    fn wherever_a_file_is_cut_going_on_writes_the_rest_and_says_the_same() {
        let both = [series("3", 40), series("4", 40)];
        let mut whole = Journal::new("f");
        let runs: Vec<(Sums, String)> = both.iter().map(|one| played(&mut whole, one, 40)).collect();
        let text: String = runs.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(text.lines().count(), 82);
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        for cut in [0, ends[0], ends[1], ends[40], ends[41], ends[50], text.len()] {
            let mut journal = read(&text[..cut]);
            let more: Vec<(Sums, String)> = both.iter().map(|one| played(&mut journal, one, 40)).collect();
            let rest: String = more.iter().map(|(_, text)| text.as_str()).collect();
            assert_eq!(format!("{}{rest}", &text[..cut]), text, "{cut}");
            assert!(more.iter().zip(&runs).all(|(more, run)| more.0 == run.0), "{cut}");
            assert_eq!(journal.games(), 80);
        }
    }

    #[test]
    fn no_more_games_are_played_than_are_asked_for() {
        let one = series("3", 40);
        let mut journal = Journal::new("f");
        let (few, _) = played(&mut journal, &one, 7);
        let (more, text) = played(&mut journal, &one, 12);
        assert_eq!((few.games(), more.games(), text.lines().count()), (7, 12, 5));
    }

    #[test]
    fn a_job_of_another_run_is_refused_and_its_fields_are_named() {
        let mut journal = Journal::new("f");
        played(&mut journal, &series("3", 4), 4);
        let (game, mut other) = series("4", 4);
        other.about.insert("seed".to_owned(), 8.into());
        for (job, field) in [(other, "`seed`"), (series("4", 5).1, "`number of games`")] {
            let refused = journal.play(&job, &game, &crew(Halt::never()), 4, &mut |_| true).unwrap_err();
            assert!(matches!(&refused, MergeError::OtherJob { what, .. } if what.contains(field)), "{refused}");
        }
        // The same options with other rules: the file was changed in between.
        let mut changed = series("3", 4).1;
        changed.about.insert("rules_hash".to_owned(), "0".into());
        assert!(journal.play(&changed, &game, &crew(Halt::never()), 4, &mut |_| true).is_err());
    }

    #[test]
    fn a_measure_that_is_gone_on_with_says_what_one_run_says_and_leaves_out_what_does_not_matter() {
        let game = game("3");
        let plan = Plan::of(&game, 20);
        let (all, words) = (plan.games(), plan.words.clone());
        let job = job(&game, Work::Measure(Box::new(plan.clone())), all);
        let stop = AtomicBool::new(false);
        let mut text = String::new();
        let mut journal = Journal::new("f");
        let halted = journal.play(&job, &game, &crew(Halt::when(&stop)), all, &mut |line| {
            text.push_str(&line.text());
            stop.store(text.lines().count() >= 500, Ordering::Relaxed);
            true
        });
        assert!(halted.unwrap().games() < all);
        let mut journal = read(&text);
        let sums = journal.play(&job, &game, &crew(Halt::never()), all, &mut |_| true).unwrap();
        // Two rungs show that thinking is worth nothing, and nobody ever rests.
        assert!(sums.games() < all);
        let Sums::Measured(stages) = sums else { panic!() };
        let stages: Vec<_> = stages.into_iter().map(|(at, tally)| (plan.stages[at].0, tally)).collect();
        let settings = Settings { time: Duration::ZERO, games: Some(20), seed: 3, threads: 2, max_plies: 50 };
        assert_eq!(page(&words, Some(20), &stages), measure(&game, settings, Halt::never(), &mut |_| {}));
    }
}
