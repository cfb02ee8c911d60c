//! Work in parts, on one machine or many: sums over fixed blocks of games, which add up to those of one run.

use super::bouts::Bouts;
use super::playout::{Run, empty};
use super::totals::Summary;
use crate::game::Game;
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
    /// How many games.
    pub games: u64,
    /// On which engine.
    pub engine: String,
    /// Games that last longer are cut.
    pub max_plies: Option<u64>,
    /// The programs that play; none where all moves are random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<Vec<String>>,
    /// Plies at the beginning that chance plays.
    #[serde(default, skip_serializing_if = "is_none")]
    pub opening: u64,
    /// The names of the players, and of the lines of `end`.
    pub names: Names,
}

/// What sums are about, in the words of the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    /// In turn order.
    pub players: Vec<String>,
    /// In the order of the rules.
    pub ends: Vec<EndLine>,
}

/// A line of `end`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndLine {
    /// Its name, or its condition as written.
    pub reason: String,
    /// The file and the line where it stands.
    pub place: String,
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
}

impl Sums {
    /// Of how many games.
    #[must_use]
    pub fn games(&self) -> u64 {
        match self {
            Self::Random(sums) => sums.totals.games,
            Self::Bouts(sums) => sums.games,
        }
    }

    /// Whether they are of the kind that a job asks for, with as many numbers.
    fn fits(&self, job: &Job) -> bool {
        let (seats, ends) = (job.names.players.len(), job.names.ends.len());
        match (self, &job.players) {
            (Self::Random(sums), None) => {
                sums.wins.len() == seats && sums.last.len() == seats && sums.ends.len() == ends
            }
            (Self::Bouts(sums), Some(players)) => sums.got.len() == players.len() && sums.by_seat.len() == seats,
            (Self::Random(_), Some(_)) | (Self::Bouts(_), None) => false,
        }
    }

    /// Those of other games of the same job, too.
    fn merge(&mut self, other: &Self) {
        match (self, other) {
            (Self::Random(sums), Self::Random(more)) => sums.merge(more),
            (Self::Bouts(sums), Self::Bouts(more)) => sums.merge(more),
            // What does not fit the job is not taken up.
            (Self::Random(_), Self::Bouts(_)) | (Self::Bouts(_), Self::Random(_)) => {}
        }
    }
}

/// Whether there is nothing to tell.
#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
fn is_none(number: &u64) -> bool {
    *number == 0
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

impl Names {
    /// Those of a game.
    #[must_use]
    pub fn of(game: &Game) -> Self {
        let rules = game.rules();
        let place = |span: crate::source::Span| {
            let source = game.sources().get(span.source);
            source.map_or(String::new(), |source| format!("{}:{}", source.name, source.locate(span.range().start).line))
        };
        let ends = rules.endings.iter().map(|end| EndLine { reason: end.reason.clone(), place: place(end.span) });
        Self { players: rules.players.iter().map(|player| player.name.clone()).collect(), ends: ends.collect() }
    }
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

    /// Nothing played yet of it.
    fn nothing(&self) -> Sums {
        let seats = self.names.players.len();
        match &self.players {
            None => Sums::Random(Summary::of(seats, self.names.ends.len())),
            Some(players) => Sums::Bouts(Bouts::of(players.len(), seats)),
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

    /// Plays blocks of the job and hands over each when it is whole; what was begun when it is stopped is dropped.
    pub fn play(&self, game: &Game, blocks: Range<u64>, run: &mut Run<'_>, take: &mut dyn FnMut(Block) -> bool) {
        run.games = self.games_of(blocks.start).start..self.games_of(blocks.end).start;
        let (mut now, mut sums) = (blocks.start, empty(game));
        run.each(game, &mut |number, played, _| {
            sums.add(number, played);
            let games = self.games_of(now);
            if number + 1 < games.end {
                return true;
            }
            let sums = Sums::Random(std::mem::replace(&mut sums, empty(game)));
            let go_on = take(Block { number: now, from: games.start, to: games.end, sums });
            now += 1;
            go_on
        });
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
            Some((known, first)) if *known != job => Err(MergeError::OtherJob {
                first: first.clone(),
                second: file.to_owned(),
                what: differences(known, &job),
            }),
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
        let shaped = block.sums.fits(job);
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

    /// The sums of what is there, whatever is missing; none before a job was named.
    #[must_use]
    pub fn so_far(&self) -> Option<Sums> {
        let (job, _) = self.job.as_ref()?;
        let mut sums = job.nothing();
        self.blocks.values().for_each(|(block, _)| sums.merge(&block.sums));
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
        fields.insert("engine".to_owned(), job.engine.clone().into());
        fields.insert("max_plies".to_owned(), job.max_plies.into());
        fields.insert("players".to_owned(), job.players.clone().into());
        fields.insert("opening".to_owned(), job.opening.into());
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
        Job { games, engine: "fast".to_owned(), names, ..Job::default() }
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
