//! `measure`: what a game is like, in numbers with intervals.

use super::csv;
use super::envelope::{Subject, VERSION};
use super::error::CliError;
use super::job::{PartArgs, Whole};
use super::output::Output;
use super::resume::{ResumeArgs, Resumed, counted};
use super::source::{GameArgs, RuleText};
use super::stop::Stop;
use super::store::{Store, goes_to_stdout, promised};
use crate::ai::measure::{
    Book, Dead, End, First, Lengths, Measure, Offered, Page, Plan, Restricted, Settings, SiteUse, Stage, Tally,
    fairest, measure_written, page,
};
use crate::game::Game;
use crate::jobs::{Job, JobFile, Sums, Work};
use crate::report;
use crate::study::estimate::Estimate;
use crate::study::halt::Halt;
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args, Debug)]
#[command(
    mut_arg("resume", |resume| resume.conflicts_with_all(["output", "shard", "job"])),
    after_help = "Examples:\n  ludwright measure hex -o size=5 --minutes 0.1\n  ludwright measure tic_tac_toe --games 20 --seed 3 --json\n  ludwright measure tic_tac_toe --games 20 --html measures.html --force\n  ludwright measure tic_tac_toe --games 20 --output games.jsonl --csv measures.csv --force\n  ludwright measure tic_tac_toe --games 20 --resume measures.jsonl\n  ludwright measure tic_tac_toe --games 20 --shard 1/2 --output part1.jsonl --force\n\nWhat the numbers mean, and what they do not say, stands in docs/measures.md. Ctrl-C stops it and prints\nwhat the games so far came to; with `--resume` the same command again goes on."
)]
pub struct MeasureArgs {
    #[command(flatten)]
    game: GameArgs,
    #[command(flatten)]
    effort: Effort,
    /// Write a page with plots and pictures of the board, which needs nothing but itself; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["shard", "job"])]
    html: Option<PathBuf>,
    #[command(flatten)]
    part: PartArgs,
    /// Write the games down, one JSON object a line; with `--shard` the sums of the part. `-` is standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    resume: ResumeArgs,
    /// Write all measures as one row of a table for spreadsheets; docs/data.md has its columns
    #[arg(long, value_name = "FILE", conflicts_with_all = ["shard", "job"])]
    csv: Option<PathBuf>,
    /// Overwrite the files of `--output`, `--html` and `--csv` if they are there
    #[arg(long)]
    force: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// How much is played, for all commands that measure.
#[derive(Args, Clone, Debug)]
pub struct Effort {
    /// How long to measure
    #[arg(long, value_name = "M", default_value = "1", value_parser = minutes)]
    minutes: Duration,
    /// So many games in each series, however long they take; then the same seed gives the same numbers
    #[arg(long, value_name = "N", conflicts_with = "minutes", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// What chance comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// How many threads play; by default as many as the machine has
    #[arg(long, value_name = "T")]
    threads: Option<NonZeroUsize>,
    /// Cut games that last longer
    #[arg(long, value_name = "P", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..))]
    max_plies: u64,
}

/// Nobody waits for longer than a week.
const MOST: f64 = 7.0 * 24.0 * 60.0;

pub fn minutes(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(minutes) if minutes > 0.0 && minutes <= MOST => Ok(Duration::from_secs_f64(60.0 * minutes)),
        _ => Err("write a number of minutes above 0, at most a week".to_owned()),
    }
}

impl Effort {
    /// How much is played for one of so many things that are measured.
    #[must_use]
    pub fn settings(&self, of: usize) -> Settings {
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        Settings {
            time: self.minutes / u32::try_from(of.max(1)).unwrap_or(u32::MAX),
            games: self.games,
            seed: self.seed,
            threads,
            max_plies: self.max_plies,
        }
    }
}

pub fn run(args: &MeasureArgs, output: &mut Output) -> Result<(), CliError> {
    let (text, game) = args.game.load()?;
    if args.part.are_given() {
        return part(args, (&text, &game), output);
    }
    let to_stdout = goes_to_stdout(args.json, &[&args.html, &args.output, &args.csv, args.resume.file()])?;
    let (store, table) = (promised(args.html.as_ref(), args.force)?, promised(args.csv.as_ref(), args.force)?);
    let subject = Subject::game(&text.name, &game).by_chance(args.effort.seed);
    let stop = Stop::new();
    let settings = args.effort.settings(1);
    let page = match args.resume.open(settings, None, output)? {
        Some(resumed) => go_on((&text, &game), settings, resumed, stop.halt(), output)?,
        None => play(args, &subject, &game, stop.halt(), output)?,
    };
    let halted = stop.is_set();
    if halted {
        args.resume.stopped(output);
    }
    if let Some(mut store) = store.filter(|_| args.resume.ends(halted)) {
        store.write(report::measures::whole(&game, &about(&text.name, &game, args.effort.seed), &page).as_bytes())?;
        store.finish()?;
    }
    if let Some(table) = table.filter(|_| args.resume.ends(halted)) {
        csv::write(table, &[csv_row(&text.name, &game, args.effort.seed, &page)])?;
    }
    if args.json {
        let mut answer = to_json(&page);
        if halted {
            answer["interrupted"] = json!(true);
        }
        return output.answer_of_games(&subject, answer, stop.unless_given_up(&game));
    }
    if !to_stdout {
        print(&page, output)?;
    }
    stop.unless_given_up(&game)
}

/// Measures the game, and writes the games down where that is wanted.
fn play(args: &MeasureArgs, subject: &Subject, game: &Game, halt: Halt<'_>, output: &Output) -> Result<Page, CliError> {
    let mut store = args.output.as_deref().map(|path| Store::create(path, args.force)).transpose()?;
    let mut bar = output.progress();
    let mut written = Ok(());
    let mut take = |line: &[u8]| {
        if let Some(store) = &mut store {
            written = store.write(line);
        }
        written.is_ok()
    };
    let book = args.output.as_ref().map(|_| Book { head: subject.clone().line_fields(), take: &mut take });
    let settings = args.effort.settings(1);
    let page = measure_written(game, settings, halt, book, &mut |part| bar.show((1000.0 * part) as u64, 1000));
    bar.clear();
    written?;
    store.map_or(Ok(()), Store::finish)?;
    Ok(page)
}

/// The same with the games that a file holds, to which those that are played now are added.
fn go_on(
    (text, game): (&RuleText, &Game),
    settings: Settings,
    (mut resumed, each): (Resumed, u64),
    halt: Halt<'_>,
    output: &Output,
) -> Result<Page, CliError> {
    let plan = Plan::of(game, each);
    let (games, work) = (plan.games(), Work::Measure(Box::new(plan.clone())));
    let job = Job { work, games, max_plies: Some(settings.max_plies), ..Job::default() };
    let job = JobFile::new((&text.name, &text.text), game, settings.seed, job).job;
    let (mut bar, mut done) = (output.progress(), 0);
    let sums = resumed.play((&job, game), (settings.threads, halt), games, &mut |more| {
        done += more;
        bar.show(done, games);
    })?;
    bar.clear();
    match sums {
        Sums::Measured(stages) => Ok(merged(&plan, &stages)),
        Sums::Random(_) | Sums::Bouts(_) | Sums::Endings(_) | Sums::Series(_) => Ok(merged(&plan, &BTreeMap::new())),
    }
}

/// All measures of the game in one row of a table.
fn csv_row(name: &str, game: &Game, seed: u64, page: &Page) -> csv::Row {
    let players = ("players".to_owned(), page.ends_of.clone());
    let measures = page.measures.iter().flat_map(csv::measure);
    csv::subject(name, game, seed).into_iter().chain([players]).chain(measures).collect()
}

/// Plays a part of the games, or writes a job that others play parts of. How many there are must not depend on the clock.
fn part(args: &MeasureArgs, (text, game): (&RuleText, &Game), output: &mut Output) -> Result<(), CliError> {
    let settings = args.effort.settings(1);
    let each = counted(settings, "parts must not depend on the clock")?;
    let Settings { seed, threads, max_plies, .. } = settings;
    let plan = Plan::of(game, each);
    let whole = Whole {
        rules: (text, game),
        games: plan.games(),
        work: Work::Measure(Box::new(plan)),
        max_plies: Some(max_plies),
        seed,
        output: args.output.as_deref(),
        force: args.force,
        json: args.json,
    };
    args.part.run(whole, (&[], threads), output)
}

/// What was measured in parts.
#[must_use]
pub fn merged(plan: &Plan, stages: &BTreeMap<usize, Tally>) -> Page {
    let tally = |at: usize, stage: Stage| stages.get(&at).cloned().unwrap_or_else(|| stage.nothing(&plan.words));
    let played = plan.stages.iter().enumerate().map(|(at, (stage, _))| (*stage, tally(at, *stage)));
    page(&plan.words, Some(plan.each), &played.collect::<Vec<_>>())
}

/// What was measured, in a line below the title of a page.
#[must_use]
pub fn about(name: &str, game: &Game, seed: u64) -> String {
    let rules = game.rules();
    let options = rules.settings.iter().map(|(name, setting)| format!("{name}={}", rules.setting_text(*setting)));
    let chosen: Vec<String> = rules.ruleset.clone().into_iter().chain(options).collect();
    let chosen = if chosen.is_empty() { String::new() } else { format!(" ({})", chosen.join(", ")) };
    format!("{name}{chosen}; seed {seed}; rules {}; Ludwright {VERSION}", game.rules_hash())
}

/// A measure as programs read it; what cannot be told is null.
#[must_use]
pub fn measure_json(measure: &Measure) -> Value {
    let number = |of: fn(&crate::study::estimate::Estimate) -> f64| measure.estimate.as_ref().map(of);
    json!({
        "name": measure.name,
        "value": number(|found| found.value),
        "low": number(|found| found.low),
        "high": number(|found| found.high),
        "games": measure.games,
        "players": measure.players,
        "unit": measure.unit,
    })
}

/// What was measured, as programs read it.
pub fn to_json(page: &Page) -> Value {
    let ladder = page.ladder.iter().map(|rung| {
        let share = rung.share;
        let (value, low, high) = (share.value, share.low, share.high);
        json!({ "rounds": rung.rounds, "against": rung.rounds / 2, "share": value, "low": low, "high": high, "games": rung.games })
    });
    json!({
        "measures": page.measures.iter().map(measure_json).collect::<Vec<_>>(),
        "ends": page.ends.iter().map(end_json).collect::<Vec<_>>(),
        "ladder": ladder.collect::<Vec<_>>(),
        "lengths": page.lengths.iter().map(lengths_json).collect::<Vec<_>>(),
        "offered": page.offered.iter().map(offered_json).collect::<Vec<_>>(),
        "sites": page.sites.iter().map(site_json).collect::<Vec<_>>(),
        "first_moves": page.firsts.iter().map(first_json).collect::<Vec<_>>(),
        "fairest_first_move": fairest(&page.firsts).map(|first| &first.text),
        "restricted": page.restricted.iter().map(restricted_json).collect::<Vec<_>>(),
        "dead": dead_json(&page.dead),
    })
}

fn end_json(end: &End) -> Value {
    json!({ "reason": end.reason, "place": end.place, "games": end.games, "share": end.share })
}

fn lengths_json(lengths: &Lengths) -> Value {
    let [least, lower, median, upper, most] = lengths.quartiles;
    let bars = lengths.bars.iter().map(|(from, to, games)| json!({ "from": from, "to": to, "games": games }));
    json!({
        "players": lengths.players,
        "least": least, "lower": lower, "median": median, "upper": upper, "most": most,
        "bars": bars.collect::<Vec<_>>(),
    })
}

fn offered_json(offered: &Offered) -> Value {
    let Estimate { value, low, high } = offered.choices;
    json!({ "ply": offered.ply, "value": value, "low": low, "high": high, "positions": offered.positions })
}

fn site_json(site: &SiteUse) -> Value {
    json!({ "name": site.name, "played": site.played, "occupied": site.occupied })
}

fn first_json(first: &First) -> Value {
    let Estimate { value, low, high } = first.share;
    json!({ "move": first.text, "value": value, "low": low, "high": high, "games": first.games })
}

fn restricted_json(restricted: &Restricted) -> Value {
    let Estimate { value, low, high } = restricted.share;
    json!({ "without": restricted.name, "value": value, "low": low, "high": high, "games": restricted.games })
}

fn dead_json(dead: &Dead) -> Value {
    let clauses =
        dead.clauses.iter().map(|idle| json!({ "place": idle.place, "text": idle.text, "missing": idle.missing }));
    json!({ "games": dead.games, "sites": dead.sites, "moves": dead.moves, "clauses": clauses.collect::<Vec<_>>() })
}

pub fn print(page: &Page, output: &mut Output) -> Result<(), CliError> {
    let mut players = "";
    for measure in &page.measures {
        if measure.players != players {
            players = &measure.players;
            output.line(&format!("{players}:"))?;
        }
        output.line(&format!("  {:<18} {}", measure.name, line(measure)))?;
    }
    output.line(&format!("games end by ({}):", page.ends_of))?;
    for end in &page.ends {
        output.line(&format!("  {:5.1} %  {}", 100.0 * end.share, end.reason))?;
    }
    print_moves(page, output)?;
    output.line("twice the thinking wins:")?;
    for rung in &page.ladder {
        let bar = "█".repeat(((rung.share.value * 40.0).round().clamp(0.0, 40.0)) as usize);
        let (against, share) = (rung.rounds / 2, rung.share);
        output.line(&format!(
            "  {:>5} against {against:<5} {:5.1} % ({:.1} to {:.1})  {bar}",
            rung.rounds,
            100.0 * share.value,
            100.0 * share.low,
            100.0 * share.high
        ))?;
    }
    Ok(())
}

/// First moves, moves that are done without, and what never came up.
fn print_moves(page: &Page, output: &mut Output) -> Result<(), CliError> {
    let share = |share: &Estimate| {
        format!("{:.1} % ({:.1} to {:.1})", 100.0 * share.value, 100.0 * share.low, 100.0 * share.high)
    };
    if let (Some(best), Some(fair)) = (page.firsts.first(), fairest(&page.firsts)) {
        output.line(&format!("first moves ({}):", page.trials_of))?;
        output.line(&format!("  best       {}: {}", best.text, share(&best.share)))?;
        output.line(&format!("  for a pie  {}: {}", fair.text, share(&fair.share)))?;
    }
    if !page.restricted.is_empty() {
        output.line("who must do without a move gets:")?;
    }
    for one in &page.restricted {
        output.line(&format!("  {:<10} {}, {} games", one.name, share(&one.share), one.games))?;
    }
    let dead = &page.dead;
    let places = dead.clauses.iter().map(|idle| format!("{} `{}` ({})", idle.place, idle.text, idle.missing));
    let places: Vec<String> = places.collect();
    for (what, names) in [("sites", &dead.sites), ("moves", &dead.moves), ("clauses", &places)] {
        if let Some(first) = names.first() {
            let more = if names.len() > 1 { format!(", and {} more", names.len() - 1) } else { String::new() };
            output.line(&format!("{what} that never came up in {} games: {first}{more}", dead.games))?;
        }
    }
    Ok(())
}

/// A number with its interval and what it says.
fn line(measure: &Measure) -> String {
    let Some(found) = measure.estimate else { return format!("cannot be told: {}", measure.about) };
    let number = |number: f64| match measure.unit {
        "share" => format!("{:.1} %", 100.0 * number),
        "rungs" => format!("{number:.0}"),
        _ => format!("{number:.2}"),
    };
    let (value, low, high) = (number(found.value), number(found.low), number(found.high));
    let games = if measure.games > 0 { format!(", {} games", measure.games) } else { String::new() };
    format!("{value} ({low} to {high}{games})  {}", measure.about)
}
