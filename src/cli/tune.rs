//! `tune`: the value of an option at which a measure comes to what is wanted.

use super::csv;
use super::envelope::Subject;
use super::error::CliError;
use super::measure::Effort;
use super::output::Output;
use super::range::bounds;
use super::resume::ResumeArgs;
use super::series::Source;
use super::source::{Choice, RuleText};
use super::stop::Stop;
use super::store::{goes_to_stdout, promised};
use super::sweep::{player, quantity};
use crate::ai::Agent;
use crate::ai::measure::tune::{Found, Tried, Wanted, tune};
use crate::ai::measure::{Measure, Quantity, against_itself};
use crate::game::{Game, LoadError};
use crate::library::Library;
use crate::study::halt::Halt;
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright tune equi --option disc_value=-3..3 --for first_seat=0.5 --player random --minutes 0.1\n  ludwright tune hex --option size=3..8 --for plies=20 --player random --games 100 --json\n  ludwright tune hex --option size=3..8 --for plies=20 --games 40 --resume tune.jsonl\n\nThe answer comes with the least and the greatest value that may be right as well (95 %). It takes for granted that\nthe measure rises or falls with the option. Ctrl-C ends it with what there is; with `--resume` the same command again\ngoes on."
)]
pub struct TuneArgs {
    /// Name of a shipped game, or path of a `.game` file
    #[arg(value_name = "GAME")]
    game: String,
    /// The option, with the least and the greatest value
    #[arg(long = "option", value_name = "OPTION=A..B", value_parser = range, allow_hyphen_values = true)]
    option: (String, (i64, i64)),
    /// The measure, and what it is to be
    #[arg(long = "for", value_name = "MEASURE=X", value_parser = target)]
    wanted: (Quantity, f64),
    /// A ruleset of the game
    #[arg(long, value_name = "NAME")]
    ruleset: Option<String>,
    /// The value of another option; may be repeated
    #[arg(short = 'o', long = "other", value_name = "OPTION=VALUE", value_parser = super::source::option_value)]
    others: Vec<(String, String)>,
    /// Who plays against himself: `random`, `easy`, `mcts:100` and so on
    #[arg(long, value_name = "PLAYER", default_value = "mcts:32", value_parser = player)]
    player: Agent,
    #[command(flatten)]
    effort: Effort,
    #[command(flatten)]
    resume: ResumeArgs,
    /// Write a table for spreadsheets, one row for each value that was tried; docs/data.md has its columns
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Overwrite the file of `--csv` if there is one
    #[arg(long)]
    force: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn range(text: &str) -> Result<(String, (i64, i64)), String> {
    let parts = text.split_once('=').and_then(|(name, values)| Some((name.trim().to_owned(), bounds(values)?)));
    parts.filter(|(_, (low, high))| low < high).ok_or_else(|| "write it as NAME=0..12".to_owned())
}

fn target(text: &str) -> Result<(Quantity, f64), String> {
    let (name, value) = text.split_once('=').ok_or("write it as MEASURE=X, as in first_seat=0.5")?;
    let value = value.trim().parse::<f64>().ok().filter(|value| value.is_finite());
    Ok((quantity(name)?, value.ok_or_else(|| format!("`{text}` has no number behind the `=`"))?))
}

pub fn run(args: &TuneArgs, output: &mut Output) -> Result<(), CliError> {
    let text = RuleText::of_game(&args.game)?;
    let (option, (low, high)) = &args.option;
    let choice = |value: i64| Choice {
        ruleset: args.ruleset.clone(),
        options: args.others.iter().cloned().chain([(option.clone(), value.to_string())]).collect(),
    };
    let game = |value: i64| {
        let Choice { ruleset, options } = choice(value);
        Game::from_text(&text.name, &text.text, ruleset.as_deref(), &options, &Library)
    };
    let to_stdout = goes_to_stdout(args.json, &[&args.csv, args.resume.file()])?;
    let table = promised(args.csv.as_ref(), args.force)?;
    let (quantity, target) = args.wanted;
    let wanted = Wanted { quantity, target, low: *low, high: *high };
    let settings = args.effort.settings(1);
    let resumed = args.resume.open(settings, Some(args.player), output)?;
    let stop = Stop::new();
    let halt = stop.halt();
    let halt = if settings.games.is_some() { halt } else { halt.by(Instant::now() + settings.time) };
    let source = Source { text: &text, player: args.player, settings, resumed };
    let found = look(source, wanted, &game, (halt, output))?;
    let halted = stop.is_set();
    if halted {
        args.resume.stopped(output);
    }
    if let Some(table) = table.filter(|_| args.resume.ends(halted)) {
        csv::write(table, &csv_rows(args, &text.name, &found, &game)?)?;
    }
    let games: u64 = found.tried.iter().map(|tried| tried.games).sum();
    if args.json {
        let subject = Subject::game(&text.name, &game(found.value.unwrap_or(*low))?).by_chance(args.effort.seed);
        let ended = stop.unless_given_up(&game(*low)?);
        let mut answer = to_json(args, &found, games);
        if halted {
            answer["interrupted"] = json!(true);
        }
        return output.answer_of_games(&subject, answer, ended);
    }
    if !to_stdout {
        print(args, &found, games, output)?;
    }
    stop.unless_given_up(&game(*low)?)
}

/// Looks for the value.
fn look(
    mut source: Source<'_>,
    wanted: Wanted,
    game: &dyn Fn(i64) -> Result<Game, LoadError>,
    (halt, output): (Halt<'_>, &Output),
) -> Result<Found, CliError> {
    // Both ends must be games before anything is played, so that a range that is too wide is said at once.
    let ends = [game(wanted.low)?, game(wanted.high)?];
    source.expect(&ends.each_ref())?;
    let mut bar = output.progress();
    let (most, mut played, mut games) = (source.settings.games, 0, BTreeMap::new());
    let found = tune(wanted, most, &mut |value, numbers: Range<u64>| {
        if halt.is_set() {
            return Ok(Vec::new());
        }
        let made = match games.entry(value) {
            Entry::Occupied(made) => made.into_mut(),
            Entry::Vacant(place) => place.insert(game(value)?),
        };
        let found = source.games(made, numbers, halt)?;
        played += found.len() as u64;
        bar.show(played, played);
        Ok(found)
    });
    bar.clear();
    found
}

/// The rows of a table for spreadsheets, one for each value that was tried.
fn csv_rows(
    args: &TuneArgs,
    name: &str,
    found: &Found,
    game: &dyn Fn(i64) -> Result<Game, LoadError>,
) -> Result<Vec<csv::Row>, CliError> {
    let row = |tried: &Tried| {
        let variant = format!("{}={}", args.option.0, tried.value);
        let mut cells = vec![("variant".to_owned(), variant)];
        cells.extend(csv::subject(name, &game(tried.value)?, args.effort.seed));
        let quantity = args.wanted.0;
        let ((name, unit, about), players) = (quantity.words(), against_itself(args.player));
        cells.push(("players".to_owned(), players.clone()));
        let measure = Measure { name, estimate: Some(tried.estimate), games: tried.games, players, unit, about };
        cells.extend(csv::measure(&measure));
        Ok(cells)
    };
    found.tried.iter().map(row).collect()
}

fn to_json(args: &TuneArgs, found: &Found, games: u64) -> Value {
    let tried = found.tried.iter().map(|tried| {
        let (value, low, high) = (tried.estimate.value, tried.estimate.low, tried.estimate.high);
        json!({ "option": tried.value, "value": value, "low": low, "high": high, "games": tried.games })
    });
    json!({
        "option": args.option.0,
        "measure": args.wanted.0.name(),
        "target": args.wanted.1,
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "games": games,
        "reached": found.reached,
        "players": args.player.to_string(),
        "tried": tried.collect::<Vec<_>>(),
    })
}

fn print(args: &TuneArgs, found: &Found, games: u64, output: &mut Output) -> Result<(), CliError> {
    let ((option, _), (quantity, target)) = (&args.option, args.wanted);
    for tried in &found.tried {
        let (value, low, high) = (tried.estimate.value, tried.estimate.low, tried.estimate.high);
        output.line(&format!(
            "{option}={:<6} {} {value:.3} ({low:.3} to {high:.3}, {} games)",
            tried.value,
            quantity.name(),
            tried.games
        ))?;
    }
    let (low, high) = (found.low, found.high);
    output.line(&match found.value {
        Some(value) if found.reached => {
            format!(
                "{option}={value} is nearest to {}={target} (95 %: {low} to {high}; {games} games)",
                quantity.name()
            )
        }
        Some(value) => format!(
            "{}={target} is not reached from {option}={low} to {high}; {option}={value} is nearest ({games} games)",
            quantity.name()
        ),
        None => format!("{} cannot be told of these games", quantity.name()),
    })
}
