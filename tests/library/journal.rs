//! A file of blocks that a run goes on with: whatever it holds already, the rest is played, and the answer is that of one run.

use crate::ai::Agent;
use crate::ai::measure::{Plan, Settings, measure, page};
use crate::game::Game;
use crate::jobs::{Crew, Job, JobFile, Journal, Line, MergeError, Sums, Work};
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
