//! A thousand workers that are slow, die and repeat themselves: what their parts add up to, and how long it takes.

use crate::ai::Agent;
use crate::ai::measure::{Plan, Stage};
use crate::game::Game;
use crate::jobs::{Block, Crew, Job, JobError, JobFile, Merge, MergeError, Sums, Work};
use crate::library::Library;
use crate::study::halt::Halt;
use crate::study::names::Names;
use crate::study::totals::Summary;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// As many workers at most.
const MANY: usize = 1_000;

/// Thousandths of a second: a block, and what is lost on each part.
const BLOCK: u64 = 10_000;
const OVERHEAD: u64 = 500;

/// One worker in so many is slower by so much, and one part in so many is lost.
const SLOW: (u64, u64) = (20, 10);
const LOST: u64 = 10;

fn job() -> Job {
    let names = Names { players: vec!["A".to_owned(), "B".to_owned()], ends: Vec::new() };
    Job { games: 1_024_000, names, ..Job::default() }
}

/// The sums of a block, as every machine finds them.
fn block(job: &Job, number: u64) -> Block {
    let games = job.games_of(number);
    let mut sums = Summary::of(2, 0);
    sums.totals.games = games.end - games.start;
    sums.totals.plies = sums.totals.games * 30 + number % 7;
    sums.draws = number % 5;
    sums.fingerprint = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Block { number, from: games.start, to: games.end, sums: Sums::Random(sums) }
}

/// When a worker is done, which one, whether what it did is lost, and the blocks of its part.
type Errand = (u64, usize, bool, Vec<u64>);

/// What came of a run.
#[derive(Debug)]
struct Outcome {
    /// Until the last block was there.
    time: u64,
    /// Blocks that were played, those lost and repeated among them.
    played: u64,
    /// The sums of the whole.
    whole: Sums,
}

/// Plays a job with some workers, in parts of so many blocks. With `twice` idle workers are given what others have not brought yet.
fn run(workers: usize, size: usize, twice: bool) -> Outcome {
    let job = job();
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(7);
    let slow: Vec<bool> = (0..workers).map(|_| chance.next_u64().is_multiple_of(SLOW.0)).collect();
    let all: Vec<u64> = (0..job.blocks()).collect();
    let mut open: Vec<Vec<u64>> = all.chunks(size).rev().map(<[u64]>::to_vec).collect();
    let mut missing: BTreeSet<u64> = all.iter().copied().collect();
    let mut merge = Merge::default();
    merge.begin(job.clone(), "first").unwrap();
    // Who is free when, and what comes then, if it is not lost.
    let mut busy: BinaryHeap<Reverse<Errand>> = BinaryHeap::new();
    let mut idle: Vec<(u64, usize)> = (0..workers).rev().map(|worker| (0, worker)).collect();
    let (mut played, mut time) = (0, 0);
    while !missing.is_empty() {
        while let Some((since, worker)) = idle.pop() {
            let again = || missing.iter().copied().collect::<Vec<u64>>();
            let part = match open.pop() {
                Some(part) => part,
                None if twice => {
                    let late = again();
                    let at = (chance.next_u64() % late.len() as u64) as usize;
                    late[at..].iter().copied().take(size).collect()
                }
                None => {
                    idle.push((since, worker));
                    break;
                }
            };
            let one = BLOCK / 2 + chance.next_u64() % BLOCK;
            let factor = if slow[worker] { SLOW.1 } else { 1 };
            let lost = chance.next_u64().is_multiple_of(LOST);
            played += part.len() as u64;
            let end = since.max(time) + OVERHEAD + one * factor * part.len() as u64;
            busy.push(Reverse((end, worker, lost, part)));
        }
        let Some(Reverse((now, worker, lost, part))) = busy.pop() else { continue };
        time = now;
        idle.push((now, worker));
        if lost {
            // It is noticed when the part should have been there.
            open.insert(0, part);
            continue;
        }
        for number in part {
            merge.add(block(&job, number), &format!("part of worker {worker}")).unwrap();
            missing.remove(&number);
        }
    }
    Outcome { time, played, whole: merge.whole().unwrap().1 }
}

/// What one worker that is never slow would need.
fn alone() -> u64 {
    job().blocks() * BLOCK
}

fn rows() -> Vec<String> {
    let mut rows = Vec::new();
    for (workers, size) in [(100, 1), (100, 4), (MANY, 1), (MANY, 4)] {
        for twice in [false, true] {
            let outcome = run(workers, size, twice);
            let (seconds, speed_up) = (outcome.time / 1000, alone() / outcome.time);
            let more = (outcome.played * 100 / job().blocks()).saturating_sub(100);
            let ends = if twice { "twice at the end" } else { "once" };
            rows.push(format!("| {workers} | {size} | {ends} | {seconds} s | {speed_up} | {more} % |"));
        }
    }
    rows
}

#[test]
fn a_thousand_workers_add_up_to_one_whatever_is_slow_lost_or_repeated() {
    let job = job();
    let mut alone = Merge::default();
    alone.begin(job.clone(), "one").unwrap();
    (0..job.blocks()).for_each(|number| alone.add(block(&job, number), "one").unwrap());
    let (_, whole) = alone.whole().unwrap();
    for (size, twice) in [(1, false), (1, true), (8, true)] {
        let outcome = run(MANY, size, twice);
        assert_eq!(outcome.whole, whole, "{size} {twice}");
        assert!(outcome.played > job.blocks(), "nothing was lost");
    }
}

#[test]
fn the_table_of_the_page_is_what_comes_out() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/many_machines.md")).unwrap();
    for row in rows() {
        assert!(page.contains(&row), "docs/many_machines.md has no row\n{row}\nall of them are\n{}", rows().join("\n"));
    }
}

#[test]
fn a_worker_that_finds_other_sums_is_named() {
    let job = job();
    let mut merge = Merge::default();
    merge.begin(job.clone(), "good").unwrap();
    merge.add(block(&job, 5), "good").unwrap();
    let Sums::Random(mut sums) = block(&job, 5).sums else { panic!() };
    sums.draws += 1;
    let error = merge.add(Block { sums: Sums::Random(sums), ..block(&job, 5) }, "bad").unwrap_err();
    assert!(
        matches!(&error, MergeError::Differs { block: 5, first, second, .. } if first == "good" && second == "bad")
    );
    assert!(error.to_string().contains("games 5000 to 5999"), "{error}");
}

#[test]
fn a_job_is_read_as_it_was_written_and_fits_its_rules_alone() {
    let text = Library::text("hex").unwrap();
    let loaded =
        |size: &str| Game::from_text("hex", text, None, &[("size".to_owned(), size.to_owned())], &Library).unwrap();
    let job = Job { games: 9, ..Job::default() };
    let file = JobFile::new(("hex", text), &loaded("4"), 7, job);
    assert_eq!(JobFile::read(file.text().as_bytes()), Ok(file.clone()));
    assert_eq!((file.job.seed(), file.verb.as_str()), (7, "playout"));
    assert!(file.chosen().contains(&("size".to_owned(), "4".to_owned())));
    assert_eq!(file.fits(&loaded("4")), Ok(()));
    assert_eq!(file.fits(&loaded("5")), Err(JobError::OtherRules));
    let other = JobFile { ludwright: "0.0.0".to_owned(), ..file };
    let refused = Err(JobError::OtherVersion { made: "0.0.0".to_owned() });
    assert_eq!(JobFile::read(other.text().as_bytes()), refused);
    assert!(matches!(JobFile::read(b"{}"), Err(JobError::NoJob(_))));
}

/// Everything that is measured of a game, as a job.
fn measured(name: &str) -> (Game, Job) {
    let game = Game::from_text(name, Library::text(name).unwrap(), None, &[], &Library).unwrap();
    let plan = Plan::of(&game, 2);
    let job =
        Job { games: plan.games(), work: Work::Measure(Box::new(plan)), names: Names::of(&game), ..Job::default() };
    (game, job)
}

fn played(game: &Game, job: &Job, games: Range<u64>, halt: Halt<'_>) -> Vec<Block> {
    let (crew, mut blocks) = (Crew::<Agent> { players: &[], threads: 1, halt }, Vec::new());
    job.play(game, crew, job.blocks_from(games.start, games.end), &mut |block| {
        blocks.push(block);
        true
    });
    blocks
}

#[test]
fn a_block_has_as_many_games_of_each_stage_as_its_job() {
    let (game, job) = measured("tic_tac_toe");
    // Behind the random games, the positions and the survey come those of who thinks little.
    let [block] = <[Block; 1]>::try_from(played(&game, &job, 1_002..1_004, Halt::never())).unwrap();
    let mut merge = Merge::default();
    merge.begin(job, "a part").unwrap();
    merge.add(block.clone(), "a part").unwrap();
    let Sums::Measured(stages) = block.sums else { panic!() };
    assert_eq!(stages.keys().copied().collect::<Vec<_>>(), [3]);
    let moved = stages.into_iter().map(|(at, tally)| (at + 1, tally)).collect();
    let moved = Block { sums: Sums::Measured(moved), ..block };
    assert!(matches!(merge.add(moved, "another"), Err(MergeError::NoSuchBlock { .. })));
}

#[test]
fn a_question_that_is_halted_is_no_block() {
    let (game, mut job) = measured("equi");
    let Work::Measure(plan) = &mut job.work else { panic!() };
    plan.stages = vec![(Stage::Space, 1)];
    job.games = 1;
    // To count the positions takes longer than a person who ends it waits.
    let ended = AtomicBool::new(false);
    let blocks = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(30));
            ended.store(true, Ordering::Relaxed);
        });
        played(&game, &job, 0..1, Halt::when(&ended))
    });
    assert!(blocks.is_empty());
    assert_eq!(played(&game, &job, 0..1, Halt::never()).len(), 1);
}
