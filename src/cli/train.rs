//! `train`: a program learns a game by playing against itself, and proves what that is worth.

use super::envelope::{Subject, settings};
use super::error::CliError;
use super::output::Output;
use super::source::GameArgs;
use super::stop;
use super::store::{Store, is_stdout};
use super::weights::{bytes, unfit, usual};
use crate::ai::learned::Facts;
use crate::ai::learned::explain::Feature;
use crate::ai::train::{Plan, Progress, Proof, Trainer};
use crate::game::Game;
use crate::study::halt::Halt;
use clap::Args;
use serde_json::{Map, Value, json};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// As many patterns are explained.
const FEATURES: usize = 12;

/// How often it is told how far the training is.
const BEAT: Duration = Duration::from_secs(5);

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright train tic_tac_toe --minutes 0.05 --output t.weights --force\n  ludwright train hex -o size=3 --games 500 --seed 7 --output hex3.weights --force --json\n\nThe seat `learned` plays by what was trained: `ludwright play GAME --players human,learned` reads GAME.weights,\n`learned:FILE:500ms` another file. docs/opponents.md tells how it is trained and what the proof says."
)]
pub struct TrainArgs {
    #[command(flatten)]
    game: GameArgs,
    /// How long, with the matches that prove what was learnt; it ends sooner when the proof is found
    #[arg(long, value_name = "M", default_value = "5", value_parser = super::measure::minutes)]
    minutes: Duration,
    /// So many games, however long they take, and no proof; then the same seed gives the same file, on any number of threads
    #[arg(long, value_name = "N", conflicts_with = "minutes", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// What chance comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// How many threads play; by default as many as the machine has
    #[arg(long, value_name = "T")]
    threads: Option<NonZeroUsize>,
    /// Where the weights go; by default the name of the game with `.weights`
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite that file if it is there
    #[arg(long)]
    force: bool,
    /// Go on with the training in this file, which is written anew unless `--output` names another
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    resume: Option<PathBuf>,
    /// Train nothing, but show what weighs most in this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["minutes", "games", "seed", "output", "resume"])]
    explain: Option<PathBuf>,
    /// Train nothing, but write to `--output` what is needed to play by this file: many times smaller, with rounded weights
    #[arg(long, value_name = "FILE", requires = "output", conflicts_with_all = ["minutes", "games", "seed", "resume", "explain"])]
    light: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &TrainArgs, output: &mut Output) -> Result<(), CliError> {
    let (text, game) = args.game.load()?;
    if let Some(file) = &args.explain {
        let trainer = read(file, &game)?;
        let subject = Subject::game(&text.name, &game).by_chance(trainer.facts().seed);
        return explain(&trainer, args.json, &subject, output);
    }
    if let (Some(file), Some(path)) = (&args.light, &args.output) {
        return lighten(&read(file, &game)?, path, args, &text.name, &game, output);
    }
    let mut trainer = match &args.resume {
        Some(file) => resumed(file, &game)?,
        None => begun(&text.name, &game, args.seed)?,
    };
    let path = args.output.clone().or_else(|| args.resume.clone()).unwrap_or_else(|| usual(&text));
    if is_stdout(&path) && args.json {
        return Err(CliError::two_outputs());
    }
    // Whether it can be written is known before, and not after minutes of work.
    let mut store = Store::create(&path, args.force || args.resume.as_ref() == Some(&path))?;
    let threads = args.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let plan = Plan { time: args.games.is_none().then_some(args.minutes), games: args.games, threads };
    introduce(&trainer, output);
    let stop = stop::flag();
    let mut told = Instant::now();
    trainer.run(plan, Halt::when(&stop), &mut |progress| {
        if progress.is_match || told.elapsed() >= BEAT {
            told = Instant::now();
            output.note(&line(progress));
        }
    });
    store.write(&trainer.written())?;
    store.finish()?;
    let subject = Subject::game(&text.name, &game).by_chance(trainer.facts().seed);
    if args.json {
        return output.answer(&subject, to_json(trainer.facts(), &path));
    }
    if is_stdout(&path) { Ok(()) } else { print(trainer.facts(), &path, output) }
}

fn begun(name: &str, game: &Game, seed: u64) -> Result<Trainer, CliError> {
    let options = match settings(game) {
        Value::Object(options) => options,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    };
    let help = || Some("`ludwright list` names games; most are for two".to_owned());
    Trainer::new(name, game, options, seed).map_err(|error| CliError::coded("cannot_train", error.to_string(), help()))
}

fn resumed(file: &Path, game: &Game) -> Result<Trainer, CliError> {
    Trainer::resumed(&bytes(file)?, game).map_err(|error| unfit(file, &error))
}

fn read(file: &Path, game: &Game) -> Result<Trainer, CliError> {
    Trainer::read(&bytes(file)?, game).map_err(|error| unfit(file, &error))
}

/// Writes a light file.
fn lighten(
    trainer: &Trainer,
    path: &Path,
    args: &TrainArgs,
    name: &str,
    game: &Game,
    output: &mut Output,
) -> Result<(), CliError> {
    if is_stdout(path) && args.json {
        return Err(CliError::two_outputs());
    }
    let mut store = Store::create(path, args.force)?;
    store.write(&trainer.light())?;
    store.finish()?;
    if args.json {
        let subject = Subject::game(name, game).by_chance(trainer.facts().seed);
        return output.answer(&subject, to_json(trainer.facts(), path));
    }
    if is_stdout(path) {
        return Ok(());
    }
    output.line(&format!("What was learnt from {} games is in {}", trainer.facts().games, path.display()))
}

/// What is about to be learnt.
fn introduce(trainer: &Trainer, output: &Output) {
    let (patterns, weights) = trainer.size();
    let (symmetries, players) = trainer.sharing();
    let both = if players { " and by both players" } else { "" };
    let shared = match symmetries {
        1 if !players => String::new(),
        1 => ", shared by both players".to_owned(),
        count => format!(", shared by {count} symmetries{both}"),
    };
    output.note(&format!("{patterns} patterns with {weights} weights{shared}"));
}

/// How far it is, in one line.
fn line(progress: &Progress) -> String {
    let Progress { games, length, error, done, proof, is_match } = progress;
    let strength = match proof {
        Some(proof) if *is_match => format!("match {}: {}", proof.attempt, score(proof)),
        Some(proof) => format!("Elo {:+.0} at match {}", proof.elo, proof.attempt),
        None => "no match yet".to_owned(),
    };
    let percent = 100.0 * done;
    format!("{percent:3.0} %  {games} games of {length:.0} plies, foretold with an error of {error:.3}; {strength}")
}

/// What a match came to.
fn score(proof: &Proof) -> String {
    let Proof { score, games, against, elo, low, high, pairs, .. } = proof;
    let pairs = pairs.map(|count| count.to_string()).join(" ");
    format!(
        "{:.1} % of {games} games against {against} (Elo {elo:+.0}, 95 %: {low:+.0} to {high:+.0}; pairs {pairs})",
        100.0 * score
    )
}

fn to_json(facts: &Facts, path: &Path) -> Value {
    let proof = facts.proof.as_ref();
    let played = proof.filter(|proof| proof.games > 0);
    json!({
        "accepted": proof.is_some_and(|proof| proof.accepted),
        "elo": played.map(|proof| proof.elo),
        "low": played.map(|proof| proof.low),
        "high": played.map(|proof| proof.high),
        "games": proof.map_or(0, |proof| proof.games),
        "against": proof.map(|proof| &proof.against),
        "pairs": proof.map(|proof| proof.pairs),
        "matches": proof.map_or(0, |proof| proof.attempt),
        "trained_games": facts.games,
        "trained_plies": facts.plies,
        "minutes": facts.minutes,
        "output": path.display().to_string(),
    })
}

fn print(facts: &Facts, path: &Path, output: &mut Output) -> Result<(), CliError> {
    match &facts.proof {
        None => output.line("No match was played, so nothing is known of its strength.")?,
        Some(proof) if proof.accepted => output.line(&format!("It is stronger than tree search: {}.", score(proof)))?,
        Some(proof) => output.line(&format!(
            "It was not shown to be stronger than tree search at equal time: {}. More minutes may help (`--resume`).",
            score(proof)
        ))?,
    }
    output.line(&format!("{} games are learnt; the weights are in {}", facts.games, path.display()))
}

fn explain(trainer: &Trainer, json: bool, subject: &Subject, output: &mut Output) -> Result<(), CliError> {
    let features = trainer.explained(FEATURES);
    if json {
        let feature = |feature: &Feature| {
            let sites: Map<String, Value> =
                feature.sites.iter().map(|(site, what)| (site.clone(), json!(what))).collect();
            json!({ "player": feature.player, "mover": feature.mover, "weight": feature.weight, "sites": sites })
        };
        return output.answer(subject, json!({ "features": features.iter().map(feature).collect::<Vec<_>>() }));
    }
    let (symmetries, players) = trainer.sharing();
    let shared = if players { ", with both players exchanged as well" } else { "" };
    output.line(&format!(
        "What weighs most after {} games. Each holds in {symmetries} symmetric places{shared}.",
        trainer.facts().games
    ))?;
    for (feature, number) in features.iter().zip(1..) {
        let stands: Vec<String> = feature.sites.iter().map(|(site, what)| format!("{site} {what}")).collect();
        output.line(&format!(
            "\n{number}. For {}, when {} is to move: {:+.2}",
            feature.player, feature.mover, feature.weight
        ))?;
        for row in &feature.picture {
            output.line(&format!("   {row}"))?;
        }
        output.line(&format!("   {}", stands.join(", ")))?;
    }
    Ok(())
}
