//! `tune`: the value of an option at which a measure comes to what is wanted.

use super::envelope::Subject;
use super::error::CliError;
use super::measure::Effort;
use super::output::Output;
use super::range::bounds;
use super::source::{Choice, RuleText};
use super::stop;
use super::sweep::{player, quantity};
use crate::ai::Agent;
use crate::ai::measure::Quantity;
use crate::ai::measure::tune::{Found, Wanted, tune};
use crate::game::Game;
use crate::library::Library;
use crate::study::halt::Halt;
use clap::Args;
use serde_json::{Value, json};
use std::time::Instant;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright tune equi --option disc_value=-3..3 --for first_seat=0.5 --player random --minutes 0.1\n  ludwright tune hex --option size=3..8 --for plies=20 --player random --games 100 --json\n\nThe answer comes with the least and the greatest value that may be right as well (95 %). It takes for granted that\nthe measure rises or falls with the option."
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
    let (quantity, target) = args.wanted;
    let wanted = Wanted { quantity, target, low: *low, high: *high };
    let settings = args.effort.settings(1);
    let stop = stop::flag();
    let halt = Halt::when(&stop);
    let halt = if settings.games.is_some() { halt } else { halt.by(Instant::now() + settings.time) };
    let mut bar = output.progress();
    let found = tune(&game, wanted, (settings, args.player), halt, &mut |games| bar.show(games, games))?;
    bar.clear();
    let games: u64 = found.tried.iter().map(|tried| tried.games).sum();
    if args.json {
        let subject = Subject::game(&text.name, &game(found.value.unwrap_or(*low))?).by_chance(args.effort.seed);
        return output.answer(&subject, to_json(args, &found, games));
    }
    print(args, &found, games, output)
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
