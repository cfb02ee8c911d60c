//! Work in parts, on one machine or many: sums over fixed blocks of games, which add up to those of one run.

use super::work::Work;
use crate::ai::measure::{Numbers, Tally};
use crate::ai::tournament::Ending;
use crate::study::bouts::Bouts;
use crate::study::names::Names;
use crate::study::totals::Summary;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::ops::Range;

/// So many blocks at most a series is cut into. Their size depends on the series alone, never on how it is shared out.
const BLOCKS: u64 = 1024;

/// What is to be done altogether: equal for all parts of one series, and for no others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// What is said of the series in every answer: the command, the game, its options and rules, the seed.
    pub about: Map<String, Value>,
    /// What is played.
    pub work: Work,
    /// How many games.
    pub games: u64,
    /// Games that last longer are cut.
    pub max_plies: Option<u64>,
    /// The names of the players, and of the lines of `end`.
    pub names: Names,
}

/// The sums over one block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Its number.
    pub number: u64,
    /// The number of its first game.
    pub from: u64,
    /// The number behind its last game.
    pub to: u64,
    /// What they came to.
    pub sums: Sums,
}

/// What games came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sums {
    /// Random games.
    Random(Summary),
    /// Games between programs.
    Bouts(Bouts),
    /// The games of a tournament, in order.
    Endings(Vec<Ending>),
    /// Games of a program against itself, in order.
    Series(Vec<Numbers>),
    /// What was measured, by the number of the stage.
    Measured(BTreeMap<usize, Tally>),
}

impl Default for Sums {
    fn default() -> Self {
        Job::default().nothing()
    }
}

impl Sums {
    /// Of how many games.
    #[must_use]
    pub fn games(&self) -> u64 {
        match self {
            Self::Random(sums) => sums.totals.games,
            Self::Bouts(sums) => sums.games,
            Self::Endings(endings) => endings.len() as u64,
            Self::Series(games) => games.len() as u64,
            Self::Measured(stages) => stages.values().map(Tally::games).fold(0, u64::saturating_add),
        }
    }

    /// Whether games are told from each other by their order.
    fn are_ordered(&self) -> bool {
        match self {
            Self::Random(_) | Self::Bouts(_) => false,
            Self::Endings(_) | Self::Series(_) | Self::Measured(_) => true,
        }
    }

    /// Whether they are of the kind that a job asks for, with as many numbers.
    fn fits(&self, job: &Job, games: &Range<u64>) -> bool {
        let (seats, ends) = (job.names.players.len(), job.names.ends.len());
        match (self, &job.work) {
            (Self::Random(sums), Work::Playout { .. }) => {
                sums.wins.len() == seats
                    && sums.last.len() == seats
                    && sums.points.len() == seats
                    && sums.places.len() == if seats > 2 { seats } else { 0 }
                    && sums.places.iter().all(|places| places.len() == seats)
                    && sums.ends.len() == ends
            }
            (Self::Bouts(sums), Work::Arena { players, .. }) => sums.is_like(&Bouts::of(players.len(), seats)),
            (Self::Endings(all), Work::Tournament { .. }) => all.iter().all(|ending| ending.places.len() == seats),
            (Self::Series(_), Work::Series { .. }) => true,
            (Self::Measured(sums), Work::Measure(plan)) => {
                let mut wanted =
                    plan.within(games).map(|(at, stage, own)| (at, stage.nothing(&plan.words), own.end - own.start));
                let mut found = sums.iter();
                let fits = |(at, nothing, count): (usize, Tally, u64)| {
                    found
                        .next()
                        .is_some_and(|(own, tally)| *own == at && nothing.is_like(tally) && tally.games() == count)
                };
                wanted.all(fits) && found.next().is_none()
            }
            (Self::Random(_) | Self::Bouts(_) | Self::Endings(_) | Self::Series(_) | Self::Measured(_), _) => false,
        }
    }

    /// Those of the games of the same job that come next. What does not fit the job was not taken up.
    fn merge(&mut self, next: &Self) {
        match (self, next) {
            (Self::Random(sums), Self::Random(more)) => sums.merge(more),
            (Self::Bouts(sums), Self::Bouts(more)) => sums.merge(more),
            (Self::Endings(all), Self::Endings(more)) => all.extend_from_slice(more),
            (Self::Series(all), Self::Series(more)) => all.extend_from_slice(more),
            (Self::Measured(all), Self::Measured(more)) => {
                for (at, tally) in more {
                    match all.get_mut(at) {
                        Some(known) => known.merge(tally),
                        None => {
                            all.insert(*at, tally.clone());
                        }
                    }
                }
            }
            (Self::Random(_) | Self::Bouts(_) | Self::Endings(_) | Self::Series(_) | Self::Measured(_), _) => {}
        }
    }
}

/// A line of a file: the first says what the job is, the others what blocks came to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<Job>,
    /// A block of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<Block>,
}

impl Job {
    /// How many games a block has.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.games.div_ceil(BLOCKS).max(1)
    }

    /// How many blocks there are.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.games.div_ceil(self.size())
    }

    /// The games of a block.
    #[must_use]
    pub fn games_of(&self, block: u64) -> Range<u64> {
        let first = block.saturating_mul(self.size()).min(self.games);
        first..first.saturating_add(self.size()).min(self.games)
    }

    /// The blocks that begin within some games, so that ranges without a gap hold every block once.
    #[must_use]
    pub fn blocks_from(&self, from: u64, to: u64) -> Range<u64> {
        let first = from.div_ceil(self.size()).min(self.blocks());
        first..to.div_ceil(self.size()).clamp(first, self.blocks())
    }

    /// What all chance comes from.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.about.get("seed").and_then(Value::as_u64).unwrap_or_default()
    }

    /// Nothing played yet of it.
    fn nothing(&self) -> Sums {
        let seats = self.names.players.len();
        match &self.work {
            Work::Playout { .. } => Sums::Random(Summary::of(seats, self.names.ends.len())),
            Work::Arena { players, .. } => Sums::Bouts(Bouts::of(players.len(), seats)),
            Work::Tournament { .. } => Sums::Endings(Vec::new()),
            Work::Series { .. } => Sums::Series(Vec::new()),
            Work::Measure(_) => Sums::Measured(BTreeMap::new()),
        }
    }

    /// The blocks of one share among so many, counted from 1.
    #[must_use]
    pub fn share(&self, share: u64, of: u64) -> Range<u64> {
        let end = |shares: u64| {
            let end = u128::from(self.blocks()) * u128::from(shares) / u128::from(of.max(1));
            u64::try_from(end).unwrap_or(u64::MAX).min(self.blocks())
        };
        end(share.saturating_sub(1))..end(share)
    }
}

impl Line {
    /// Reads a line, with or without its end.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    }

    /// The line as it stands in a file, with its end.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}\n", json!(self))
    }
}

/// Why parts do not make a whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// They are parts of different things.
    #[error("`{first}` and `{second}` are parts of different runs: they differ in {what}")]
    OtherJob {
        /// The file that came first.
        first: String,
        /// The file that is not like it.
        second: String,
        /// The fields that differ.
        what: String,
    },
    /// The same games came to something else.
    #[error("block {block} (games {from} to {to}) has other sums in `{second}` than in `{first}`")]
    Differs {
        /// Its number.
        block: u64,
        /// Its first game.
        from: u64,
        /// Its last game.
        to: u64,
        /// Where it came first.
        first: String,
        /// Where it is different.
        second: String,
    },
    /// A block that the job does not have.
    #[error("`{file}` has a block {block} that is not one of its run")]
    NoSuchBlock {
        /// Where.
        file: String,
        /// Its number.
        block: u64,
    },
    /// Some games are in no part.
    #[error("{games} of the games are in none of the files: {ranges}")]
    Missing {
        /// How many.
        games: u64,
        /// Which ones.
        ranges: String,
    },
    /// Nothing was given.
    #[error("there is nothing to merge")]
    Nothing,
}

impl MergeError {
    /// Two files are parts of different jobs.
    pub(super) fn other_job(first: &str, known: &Job, second: &str, job: &Job) -> Self {
        Self::OtherJob { first: first.to_owned(), second: second.to_owned(), what: differences(known, job) }
    }
}

/// The union of parts, block by block.
#[derive(Clone, Debug, Default)]
pub struct Merge {
    job: Option<(Job, String)>,
    blocks: BTreeMap<u64, (Block, String)>,
}

impl Merge {
    /// A file of this job comes next.
    pub fn begin(&mut self, job: Job, file: &str) -> Result<(), MergeError> {
        match &self.job {
            Some((known, first)) if *known != job => Err(MergeError::other_job(first, known, file, &job)),
            Some(_) => Ok(()),
            None => {
                self.job = Some((job, file.to_owned()));
                Ok(())
            }
        }
    }

    /// A block of the file that was begun.
    pub fn add(&mut self, block: Block, file: &str) -> Result<(), MergeError> {
        let Some((job, _)) = &self.job else { return Err(MergeError::Nothing) };
        let games = job.games_of(block.number);
        let counted = block.sums.games() == games.end - games.start;
        let shaped = block.sums.fits(job, &games);
        if games.is_empty() || (block.from, block.to) != (games.start, games.end) || !counted || !shaped {
            return Err(MergeError::NoSuchBlock { file: file.to_owned(), block: block.number });
        }
        match self.blocks.get(&block.number) {
            Some((known, first)) if *known != block => Err(MergeError::Differs {
                block: block.number,
                from: block.from,
                to: block.to.saturating_sub(1),
                first: first.clone(),
                second: file.to_owned(),
            }),
            Some(_) => Ok(()),
            None => {
                self.blocks.insert(block.number, (block, file.to_owned()));
                Ok(())
            }
        }
    }

    /// How many games are there.
    pub(super) fn games(&self) -> u64 {
        self.blocks.values().map(|(block, _)| block.to.saturating_sub(block.from)).fold(0, u64::saturating_add)
    }

    /// The blocks of a range that are not there, in rows.
    pub(super) fn missing(&self, within: Range<u64>) -> Vec<Range<u64>> {
        let missing: Vec<u64> = within.filter(|block| !self.blocks.contains_key(block)).collect();
        let rows = missing.chunk_by(|one, next| one + 1 == *next);
        rows.filter_map(|row| Some(*row.first()?..*row.last()? + 1)).collect()
    }

    /// The sums of what is there of a job before a block, whatever is missing.
    pub(super) fn before(&self, job: &Job, block: u64) -> Sums {
        let mut sums = job.nothing();
        self.blocks.range(..block).for_each(|(_, (block, _))| sums.merge(&block.sums));
        sums
    }

    /// The whole, if nothing is missing.
    pub fn whole(self) -> Result<(Job, Sums), MergeError> {
        let sums = self.so_far().ok_or(MergeError::Nothing)?;
        let Some((job, _)) = self.job else { return Err(MergeError::Nothing) };
        let missing: Vec<u64> = (0..job.blocks()).filter(|block| !self.blocks.contains_key(block)).collect();
        if !missing.is_empty() {
            let games = missing.iter().map(|block| job.games_of(*block)).map(|games| games.end - games.start).sum();
            return Err(MergeError::Missing { games, ranges: ranges(&job, &missing) });
        }
        Ok((job, sums))
    }

    /// The sums of what is there, whatever is missing; none before a job was named. Where the order of games tells which is
    /// which, what comes behind a gap is left out.
    #[must_use]
    pub fn so_far(&self) -> Option<Sums> {
        let (job, _) = self.job.as_ref()?;
        let mut sums = job.nothing();
        let gapless = self.blocks.keys().zip(0..).take_while(|(number, wanted)| *number == wanted).count();
        let count = if sums.are_ordered() { gapless } else { self.blocks.len() };
        self.blocks.values().take(count).for_each(|(block, _)| sums.merge(&block.sums));
        Some(sums)
    }
}

/// Blocks as ranges of games, the first few.
fn ranges(job: &Job, blocks: &[u64]) -> String {
    let runs: Vec<String> = blocks
        .chunk_by(|one, next| one + 1 == *next)
        .filter_map(|run| Some((job.games_of(*run.first()?), job.games_of(*run.last()?))))
        .map(|(first, last)| format!("{} to {}", first.start, last.end.saturating_sub(1)))
        .collect();
    match runs.len() {
        many if many > 5 => format!("{}, and more", runs.get(..5).unwrap_or_default().join(", ")),
        _ => runs.join(", "),
    }
}

/// In which fields two jobs are not equal.
fn differences(one: &Job, other: &Job) -> String {
    let fields = |job: &Job| {
        let mut fields = job.about.clone();
        fields.insert("number of games".to_owned(), job.games.into());
        fields.insert("max_plies".to_owned(), job.max_plies.into());
        if let Value::Object(work) = json!(job.work) {
            fields.extend(work);
        }
        fields
    };
    let (one, other) = (fields(one), fields(other));
    let names = one.keys().chain(other.keys().filter(|name| !one.contains_key(*name)));
    let differ: Vec<String> =
        names.filter(|name| one.get(*name) != other.get(*name)).map(|name| format!("`{name}`")).collect();
    if differ.is_empty() { "the names of players or endings".to_owned() } else { differ.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(games: u64) -> Job {
        let names = Names { players: vec!["A".to_owned(), "B".to_owned()], ends: Vec::new() };
        Job { games, names, ..Job::default() }
    }

    #[test]
    fn shares_hold_every_game_once_whatever_their_number() {
        for games in [0, 1, 5, 1023, 1024, 1025, 5000] {
            for of in [1, 2, 7, 3000] {
                let job = job(games);
                let mut next = 0;
                for share in 1..=of {
                    for block in job.share(share, of) {
                        assert_eq!(job.games_of(block).start, next, "{games} {of}");
                        next = job.games_of(block).end;
                    }
                }
                assert_eq!(next, games, "{games} {of}");
            }
        }
    }

    #[test]
    fn ranges_of_games_hold_every_block_once_wherever_they_are_cut() {
        for cuts in [vec![0, 5000], vec![0, 1, 2, 4999, 5000], vec![0, 700, 705, 3333, 9000]] {
            let job = job(5000);
            let blocks: Vec<u64> = cuts.windows(2).flat_map(|pair| job.blocks_from(pair[0], pair[1])).collect();
            assert_eq!(blocks, (0..job.blocks()).collect::<Vec<u64>>(), "{cuts:?}");
        }
    }

    #[test]
    fn blocks_are_taken_once_and_must_agree() {
        let block = |block: u64, fingerprint: u64| {
            let mut sums = Summary::of(2, 0);
            sums.totals.games = 1;
            sums.fingerprint = fingerprint;
            Block { number: block, from: block, to: block + 1, sums: Sums::Random(sums) }
        };
        let mut merge = Merge::default();
        assert_eq!(merge.add(block(0, 1), "a"), Err(MergeError::Nothing));
        merge.begin(job(3), "a").unwrap();
        merge.add(block(2, 7), "a").unwrap();
        merge.add(block(2, 7), "a").unwrap();
        assert!(matches!(merge.add(block(2, 8), "b"), Err(MergeError::Differs { block: 2, .. })));
        assert!(matches!(merge.add(block(9, 8), "b"), Err(MergeError::NoSuchBlock { block: 9, .. })));
        assert!(matches!(merge.begin(job(4), "c"), Err(MergeError::OtherJob { what, .. }) if what.contains("games")));
        let missing = merge.clone().whole().unwrap_err();
        assert_eq!(missing.to_string(), "2 of the games are in none of the files: 0 to 1");
        merge.add(block(0, 1), "b").unwrap();
        merge.add(block(1, 1), "b").unwrap();
        let (_, Sums::Random(sums)) = merge.whole().unwrap() else { panic!() };
        assert_eq!(sums.fingerprint, 9);
    }
}
