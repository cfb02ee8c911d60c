//! `suggest`: what a program would play, what it expects, and how it thinks that the game goes on.

use super::envelope::Subject;
use super::error::CliError;
use super::output::Output;
use super::source::{GameArgs, line_after, move_list};
use super::stop;
use super::weights;
use crate::ai::suggest::{Suggestion, suggest};
use crate::ai::{Agent, Candidate, given_up};
use crate::game::{PlayError, Position};
use clap::Args;
use serde_json::{Value, json};
use std::num::NonZeroUsize;

/// As many other moves are told to people.
const OTHERS: usize = 4;
/// Other moves are told if they were looked at in one of so many rounds of the one that is advised.
const SELDOM: u64 = 20;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright suggest tic_tac_toe --moves \"b2, a1\"\n  ludwright suggest hex -o size=5 --moves \"c3\" --player mcts:200ms\n  ludwright suggest connect_four --player medium --json\n\nCtrl-C ends the thinking with the best move so far."
)]
pub struct SuggestArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Moves played first, separated by commas
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    moves: String,
    /// The program that is asked, as in `play`
    #[arg(long, value_name = "PROGRAM", default_value = "hard")]
    player: String,
    /// The same seed gives the same answer, unless the program goes by the clock
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// How many threads think
    #[arg(long, value_name = "T", default_value = "1")]
    threads: NonZeroUsize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &SuggestArgs, output: &mut Output) -> Result<(), CliError> {
    let (text, game) = args.game.load()?;
    let player = weights::seat(&args.player, &text, &game)?;
    let agent = program(&player)?;
    let line = line_after(&game, &move_list(&args.moves))?;
    can_be_asked(line.position())?;
    let mut bar = output.progress();
    let stop = stop::flag();
    let told = suggest(&line, agent, args.seed, args.threads.get(), &stop, &mut |done, _| {
        // In thousandths, so that the bar moves.
        bar.show((done * 1000.0) as u64, 1000);
    });
    bar.clear();
    let Some(suggestion) = told else {
        CliError::unless_stopped(&game, given_up(&line))?;
        return Err(CliError::message("there is no legal move, and the game is not over"));
    };
    if args.json {
        let subject = Subject::game(&text.name, &game).by_chance(args.seed);
        return output.answer(&subject, to_json(&suggestion, line.position(), agent));
    }
    print(&suggestion, line.position(), output)
}

fn program(name: &str) -> Result<Agent, CliError> {
    match name.trim() {
        "human" => Err(CliError::coded("bad_player", "only programs can be asked", None)),
        name => name.parse().map_err(CliError::from),
    }
}

/// Somebody must be to move.
fn can_be_asked(position: &Position) -> Result<(), CliError> {
    if let Some(outcome) = position.outcome() {
        let over = PlayError::Over { reason: outcome.reason.clone() };
        return Err(CliError::coded(over.code(), over.to_string(), None));
    }
    if position.is_chance() {
        let help = "`moves` lists the outcomes; play one of them with `--moves`".to_owned();
        return Err(CliError::coded("chance", "chance decides here, and nobody else", Some(help)));
    }
    Ok(())
}

fn to_json(suggestion: &Suggestion, position: &Position, agent: Agent) -> Value {
    let thought = &suggestion.thought;
    let candidate = |candidate: &Candidate| json!({ "move": position.move_text(candidate.index), "value": candidate.value, "rounds": candidate.rounds });
    json!({
        "player": agent.to_string(),
        "mover": position.mover(),
        "move": suggestion.mv,
        "value": suggestion.value(),
        "proven": thought.proven,
        "seconds": suggestion.time.as_secs_f64(),
        "rounds": thought.rounds,
        "line": suggestion.line,
        "candidates": thought.candidates.iter().map(candidate).collect::<Vec<_>>(),
    })
}

fn print(suggestion: &Suggestion, position: &Position, output: &mut Output) -> Result<(), CliError> {
    let Suggestion { thought, mv, line, time } = suggestion;
    let mover = position.mover().unwrap_or_default();
    let expects = match (suggestion.value(), thought.proven) {
        (None, _) if position.move_count() == 1 => "the only legal move".to_owned(),
        (None, _) => "without thinking about it".to_owned(),
        (Some(value), true) if value >= 1.0 => "wins for certain".to_owned(),
        (Some(value), true) if value <= 0.0 => "loses for certain, this way as late as possible".to_owned(),
        (Some(value), proven) => format!("expects {:.0} %{}", 100.0 * value, if proven { " for certain" } else { "" }),
    };
    output.line(&format!("{mover}: {mv} ({expects})"))?;
    if let Some(after) = line.get(1..).filter(|after| !after.is_empty()) {
        output.line(&format!("then  {}", after.join(", ")))?;
    }
    // What was hardly looked at is no advice, however well it went.
    let chosen = thought.candidates.iter().find(|other| other.index == thought.index);
    let least = chosen.map_or(0, |chosen| chosen.rounds / SELDOM);
    let others = thought.candidates.iter().filter(|other| other.index != thought.index && other.rounds >= least);
    let others = others.take(OTHERS);
    let others: Vec<String> = others
        .filter_map(|other| Some(format!("{} {:.0} %", position.move_text(other.index)?, 100.0 * other.value)))
        .collect();
    if !others.is_empty() {
        output.line(&format!("else  {}", others.join(", ")))?;
    }
    if thought.rounds > 0 {
        output.note(&format!("{} rounds in {:.2} s", thought.rounds, time.as_secs_f64()));
    }
    Ok(())
}
