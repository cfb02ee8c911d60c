//! Whatever is read is read or refused: rule files, sessions, saved games, positions and files of sums with mistakes in
//! them. What is accepted of rule files is played on both engines.
//!
//! `MINUTES=60 SEED=7 cargo test --release --lib fuzz:: -- --ignored --nocapture` goes on for as long as it is told to, with
//! `LONGEST=1500` from files of so many bytes at most: these are read many times as fast.

use super::common::compare::compare;
use super::common::files::{rule_files, text_of};
use super::common::mutants::{Dice, mutate};
use super::common::wish;
use crate::ai::learned;
use crate::ai::train::{Plan, Trainer};
use crate::ai::{Agent, measure};
use crate::cli::session::Session;
use crate::engine::fast::Fast;
use crate::format::format;
use crate::game::{Game, Line, LoadError, Record};
use crate::jobs::{self, Crew, Job, JobFile, Merge, Work};
use crate::library::Library;
use crate::study::halt::Halt;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// No input may take longer than this, on a slow machine and without optimisation.
const HANG: Duration = Duration::from_secs(60);

/// A text with some mistakes: tokens left out, doubled, swapped, letters changed.
fn broken(text: &str, most: usize, dice: &mut Dice) -> String {
    (0..=dice.roll(most)).fold(text.to_owned(), |text, _| if text.len() > 8 { mutate(&text, dice).0 } else { text })
}

/// Does some work, and says what it was about if that takes too long or panics.
fn timed<T>(text: &str, work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| panic!("a panic on:\n{text}"));
    assert!(began.elapsed() < HANG, "{:?} on:\n{text}", began.elapsed());
    done
}

/// What was done so far.
#[derive(Clone, Copy, Default, Debug)]
struct Counts {
    texts: u64,
    accepted: u64,
    plies: u64,
    lines: u64,
    saved: u64,
}

/// The rule files to begin with: short ones, which have all forms of the language among them.
fn corpus() -> Vec<String> {
    let longest = wish("LONGEST", 6_000);
    let files = rule_files(&["games", "examples", "tests/warned"]).into_iter();
    files.map(|path| text_of(&path.display().to_string())).filter(|text| (text.len() as u64) < longest).collect()
}

/// One rule file with mistakes: laid out, checked, and if it is accepted played on both engines.
fn one_text(base: &str, seed: u64, dice: &mut Dice, counts: &mut Counts) {
    let text = broken(base, 3, dice);
    counts.texts += 1;
    if let Ok(laid_out) = timed(&text, || format(&text)) {
        assert_eq!(format(&laid_out).ok().as_ref(), Some(&laid_out), "the layout stays:\n{text}");
    }
    let game = match timed(&text, || Game::from_text("fuzz.game", &text, None, &[], &Library)) {
        Ok(game) => game,
        Err(LoadError::Rules { diagnostics, .. }) => return assert!(!diagnostics.is_empty(), "no reason:\n{text}"),
        Err(LoadError::Other { message, .. }) => panic!("{message}:\n{text}"),
    };
    counts.accepted += 1;
    let rules = Arc::new(game.rules().clone());
    // What takes long on the reference is left to the bounds on steps.
    let light = game.with_steps(3_000_000);
    if rules.cost > 1_000_000 || light.start().stopped().is_some() {
        return;
    }
    if Fast::new(&rules).is_ok() {
        counts.plies += compare(&text, &game, |games| games < 1, 8, seed);
    }
}

/// A session: requests, whole and broken, each of which is answered by an object that says whether it went well.
fn one_session(dice: &mut Dice, counts: &mut Counts) {
    let requests = [
        json!({ "cmd": "load", "game": "tic_tac_toe" }),
        json!({ "cmd": "load", "game": "konane", "engine": "fast", "options": { "size": "4" } }),
        json!({ "cmd": "moves", "successors": true }),
        json!({ "cmd": "play", "move": "a1" }),
        json!({ "cmd": "undo", "plies": 1 }),
        json!({ "cmd": "reset", "moves": ["a1", "b2"] }),
        json!({ "cmd": "random", "seed": 3, "plies": 3 }),
        json!({ "cmd": "why", "move": "c3" }),
        json!({ "cmd": "state" }),
        json!({ "cmd": "setup", "position": { "mover": "X", "sites": { "a1": "mark of X", "b2": "mark of O" } } }),
    ];
    let mut session = Session::default();
    let mut said = String::new();
    for _ in 0..12 {
        let whole = requests[dice.roll(requests.len())].to_string();
        let line = if dice.roll(2) == 0 { whole } else { broken(&whole, 2, dice) };
        said += &format!("{line}\n");
        let reply = timed(&said, || session.reply(&line));
        assert!(reply.get("ok").is_some_and(Value::is_boolean), "{reply} on:\n{said}");
        counts.lines += 1;
    }
}

/// A saved game, a position, and a line of a file of sums, with mistakes.
fn one_saved(dice: &mut Dice, counts: &mut Counts) {
    let game = Game::from_text("tic_tac_toe", Library::text("tic_tac_toe").unwrap(), None, &[], &Library).unwrap();
    let line = Line::replayed(&game, &["a1", "b2", "c3"]).unwrap();
    let record = Record { moves: line.moves(), game: Some("tic_tac_toe".to_owned()), ..Record::default() };
    let text = broken(&record.to_text(), 4, dice);
    timed(&text, || {
        let record = Record::parse(&text);
        let _ = Line::replayed(&game, &record.moves);
        let again = Record::parse(&record.to_text());
        assert_eq!(again.moves, record.moves, "what is saved is read:\n{text}");
    });
    let position = broken(&line.position().to_json().to_string(), 3, dice);
    timed(&position, || serde_json::from_str::<Value>(&position).ok().map(|json| game.set_up(&json).is_ok()));
    let job = jobs::Line { job: None, block: None };
    let sums = broken(&json!(job).to_string(), 3, dice);
    timed(&sums, || serde_json::from_str::<jobs::Line>(&sums).is_ok());
    counts.saved += 3;
}

/// The bytes of a file with some of them changed, left out, doubled or cut off.
fn spoiled(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=dice.roll(4) {
        let at = dice.roll(bytes.len());
        match (dice.roll(5), bytes.get_mut(at)) {
            (0, _) => bytes.truncate(at),
            (1, Some(_)) => drop(bytes.remove(at)),
            (2, Some(byte)) => *byte = dice.roll(256) as u8,
            (3, Some(byte)) => *byte ^= 1 << dice.roll(8),
            (_, _) => bytes.extend_from_within(at..(at + dice.roll(64)).min(bytes.len())),
        }
    }
    bytes
}

/// Files that programs write for programs: weights, jobs and parts of runs.
struct Files {
    game: Game,
    weights: Vec<u8>,
    file: JobFile,
    job: Vec<u8>,
    parts: Vec<Vec<u8>>,
}

impl Files {
    fn new() -> Self {
        let game = Game::from_text("tic_tac_toe", Library::text("tic_tac_toe").unwrap(), None, &[], &Library).unwrap();
        let mut trainer = Trainer::new("tic_tac_toe", &game, serde_json::Map::new(), 1).unwrap();
        trainer.run(Plan { time: None, games: Some(8), threads: 1 }, Halt::never(), &mut |_| {});
        let text = Library::text("tic_tac_toe").unwrap();
        let plan = measure::Plan::of(&game, 2);
        let (games, work) = (plan.games(), Work::Measure(Box::new(plan)));
        let file = JobFile::new(("tic_tac_toe", text), &game, 1, Job { games, work, ..Job::default() });
        // Of the first stage, and of those behind it.
        let mut parts = Vec::new();
        for blocks in [0..1, file.job.blocks() - 30..file.job.blocks() - 20] {
            let crew = Crew::<Agent> { players: &[], threads: 1, halt: Halt::never() };
            file.job.play(&game, crew, blocks, &mut |block| {
                parts.push(jobs::Line { job: None, block: Some(block) }.text().into_bytes());
                true
            });
        }
        let job = file.text().into_bytes();
        Self { game, weights: trainer.written(), file, job, parts }
    }

    fn one(&self, dice: &mut Dice, counts: &mut Counts) {
        let weights = spoiled(&self.weights, dice);
        let read = catch_unwind(AssertUnwindSafe(|| learned::load(&weights, &self.game).is_ok()));
        let read = read.unwrap_or_else(|_| panic!("a panic on weights of {} bytes: {weights:?}", weights.len()));
        assert!(!read || weights == self.weights, "damaged weights are read as if they were whole: {weights:?}");
        let job = spoiled(&self.job, dice);
        timed(&String::from_utf8_lossy(&job), || JobFile::read(&job).is_ok());
        let part = spoiled(&self.parts[dice.roll(self.parts.len())], dice);
        timed(&String::from_utf8_lossy(&part), || {
            let Ok(jobs::Line { block: Some(block), .. }) = jobs::Line::read(&part) else { return false };
            let mut merge = Merge::default();
            let begun = merge.begin(self.file.job.clone(), "a part").is_ok();
            begun && merge.add(block, "a part").is_ok() && merge.so_far().is_some()
        });
        counts.saved += 3;
    }
}

/// Rounds of everything, for as long as `more` says of the number of rounds.
fn campaign(seed: u64, more: impl Fn(u64) -> bool) -> Counts {
    let (corpus, mut dice, mut counts) = (corpus(), Dice(seed.wrapping_mul(0x9e37_79b9) | 1), Counts::default());
    let files = Files::new();
    let mut round = 0;
    while more(round) {
        round += 1;
        let base = &corpus[dice.roll(corpus.len())];
        one_text(base, seed ^ round, &mut dice, &mut counts);
        if round % 8 == 0 {
            one_session(&mut dice, &mut counts);
            one_saved(&mut dice, &mut counts);
            files.one(&mut dice, &mut counts);
        }
    }
    counts
}

/// `MESSAGES=100000 cargo test --lib senseless_sessions -- --ignored --nocapture`
#[test]
#[ignore = "takes as long as it is told to"]
fn senseless_sessions_are_answered_line_by_line() {
    let (messages, seed, began) = (wish("MESSAGES", 5_000), wish("SEED", 3), Instant::now());
    let (mut dice, mut counts) = (Dice(seed.wrapping_mul(0x9e37_79b9) | 1), Counts::default());
    while counts.lines < messages {
        one_session(&mut dice, &mut counts);
    }
    println!("seed {seed}: {} lines answered in {:.0?}", counts.lines, began.elapsed());
}

#[test]
fn whatever_is_read_is_read_or_refused_and_what_is_accepted_is_played_alike() {
    let counts = campaign(1, |round| round < 160);
    println!("{counts:?}");
    assert!(counts.accepted >= 8 && counts.plies > 50, "{counts:?}");
}

#[test]
#[ignore = "takes as long as it is told to"]
fn whatever_is_read_for_long() {
    let (minutes, seed, began) = (wish("MINUTES", 10), wish("SEED", 2), Instant::now());
    let counts = campaign(seed, |_| began.elapsed() < Duration::from_secs(60 * minutes));
    println!("seed {seed}, {minutes} minutes: {counts:?}");
}
