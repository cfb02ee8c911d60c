//! `replay`: plays through a recorded game, up to the first move that is not legal.

use super::envelope::Subject;
use super::error::CliError;
use super::games;
use super::output::Output;
use super::source::{GameArgs, RuleText, record_in, status_line};
use crate::author::script::{ScriptReport, run_scripts};
use crate::game::{Game, Position, Record};
use crate::library::Library;
use clap::Args;
use serde_json::{Value, json};
use std::io::BufRead;
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright replay pushpin\n  ludwright replay iqishiqi saved.txt\n  echo 'c6, q6' | ludwright replay iqishiqi -o side=6 - --json"
)]
pub struct ReplayArgs {
    #[command(flatten)]
    game: GameArgs,
    /// A saved game, moves separated by commas or newlines, or games as `--output` writes them; `-` is standard input; without it, the records in the rule file
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// How far a record could be played.
pub struct Played {
    pub name: String,
    pub plies: u32,
    pub ok: bool,
    failed_at: Option<u32>,
    mv: Option<String>,
    reason: Option<String>,
    position: Position,
}

impl Played {
    /// Plays moves from the start, up to the first that is not legal.
    pub fn of(game: &Game, moves: &[String], name: String) -> Self {
        let position = game.start();
        let mut played = Self { name, plies: 0, ok: true, failed_at: None, mv: None, reason: None, position };
        for mv in moves {
            match played.position.play(mv) {
                Ok(after) => {
                    played.position = after;
                    played.plies += 1;
                }
                Err(error) => {
                    played.ok = false;
                    played.failed_at = Some(played.plies + 1);
                    played.mv = Some(mv.clone());
                    played.reason = Some(played.position.explained(&error));
                    break;
                }
            }
        }
        played
    }

    /// What was written down as the result must be the one that was reached; a game that was cut has none.
    pub fn compare(&mut self, written: Option<&Value>) {
        let reached = self.position.to_json()["result"].clone();
        if let Some(written) = written.filter(|written| self.ok && **written != reached) {
            self.ok = false;
            self.reason = Some(format!("the result is {reached}, not {written}"));
        }
    }
}

pub fn run(args: &ReplayArgs, output: &mut Output) -> Result<(), CliError> {
    let text = RuleText::of_game(&args.game.game)?;
    match &args.file {
        Some(file) => {
            let mut input = games::open(file)?;
            if games::are_next(input.as_mut()) {
                return replay_games(&text, args, file, input.as_mut(), output);
            }
            let played = replay_file(&text, args, file, input.as_mut(), output)?;
            if args.json {
                output.answer(&Subject::game(&text.name, played.position.game()), fields(&played))?
            } else {
                print(&played, output)?
            }
            if played.ok { Ok(()) } else { Err(CliError::Told) }
        }
        None => replay_records(&text, args, output),
    }
}

/// A file of games in JSON: the last one, or the first that fails, is told at length.
fn replay_games(
    text: &RuleText,
    args: &ReplayArgs,
    file: &Path,
    input: &mut dyn BufRead,
    output: &mut Output,
) -> Result<(), CliError> {
    let all = games::replay(text, &args.game.choice, file, input, output)?;
    let Some(last) = &all.last else {
        return Err(CliError::coded("bad_games", format!("`{}` holds no whole game", file.display()), None));
    };
    if args.json {
        let mut answer = fields(last);
        answer["plies"] = json!(all.plies);
        answer["games"] = json!(all.games);
        answer["line"] = json!(all.line);
        answer["cut"] = json!(all.cut.is_some());
        output.answer(&Subject::game(&text.name, last.position.game()), answer)?;
    } else {
        output.line(&format!("{}: {} games, {} plies", file.display(), all.games, all.plies))?;
        if !last.ok {
            print(last, output)?;
        }
    }
    if last.ok { Ok(()) } else { Err(CliError::Told) }
}

fn replay_file(
    text: &RuleText,
    args: &ReplayArgs,
    file: &Path,
    input: &mut dyn BufRead,
    output: &Output,
) -> Result<Played, CliError> {
    let record = record_in(file, input)?;
    let game = text.load(&args.game.choice.over(&record))?;
    warn_of_other_rules(&record, &game.rules_hash(), output);
    Ok(Played::of(&game, &record.moves, file.display().to_string()))
}

/// Says when a game was saved under rules that have changed since.
pub fn warn_of_other_rules(record: &Record, hash: &str, output: &Output) {
    if record.rules_hash.as_ref().is_some_and(|saved| saved != hash) {
        output.note("warning: the rules have changed since the game was saved, or its options differ");
    }
}

impl From<ScriptReport> for Played {
    fn from(report: ScriptReport) -> Self {
        Self {
            name: report.name,
            plies: report.plies,
            ok: report.ok,
            failed_at: report.failed_at,
            mv: report.mv,
            reason: report.message,
            position: report.position,
        }
    }
}

fn replay_records(text: &RuleText, args: &ReplayArgs, output: &mut Output) -> Result<(), CliError> {
    let choice = &args.game.choice;
    let reports =
        run_scripts(&text.name, &text.text, choice.ruleset.as_deref(), &choice.options, &Library, |script| {
            script.record
        })?;
    let records: Vec<Played> = reports.into_iter().map(Played::from).collect();
    if records.is_empty() {
        let help = Some("name a file with moves, or `-` for standard input".to_owned());
        return Err(CliError::with_help(format!("`{}` holds no records", text.name), help));
    }
    if args.json {
        let subject = records.first().map(|record| Subject::game(&text.name, record.position.game()));
        output.answer(&subject.unwrap_or_default(), summary(&records))?;
    } else {
        records.iter().try_for_each(|record| print(record, output))?;
    }
    if records.iter().all(|record| record.ok) { Ok(()) } else { Err(CliError::Told) }
}

fn fields(played: &Played) -> Value {
    json!({
        "plies": played.plies,
        "ok": played.ok,
        "failed_at": played.failed_at,
        "move": played.mv,
        "reason": played.reason,
        "position": played.position.to_json(),
    })
}

/// The whole as one: the first failure decides, otherwise the last record.
fn summary(records: &[Played]) -> Value {
    let told = records.iter().find(|record| !record.ok).or(records.last());
    let mut object = told.map_or(Value::Null, fields);
    if let Value::Object(object) = &mut object {
        object.insert("plies".to_owned(), json!(records.iter().map(|record| record.plies).sum::<u32>()));
        let each = records.iter().map(|record| {
            let mut one = fields(record);
            if let Value::Object(one) = &mut one {
                one.shift_remove("position");
                one.shift_insert(0, "name".to_owned(), json!(record.name));
            }
            one
        });
        object.insert("records".to_owned(), each.collect());
    }
    object
}

fn print(played: &Played, output: &mut Output) -> Result<(), CliError> {
    output.line(&format!("{}: {} plies", played.name, played.plies))?;
    let reason = played.reason.as_deref().unwrap_or("it cannot be played");
    match (played.ok, played.failed_at, &played.mv) {
        (true, ..) => {}
        (false, Some(at), Some(mv)) => output.line(&format!("Move {at} `{mv}` fails: {reason}"))?,
        (false, ..) => output.line(&format!("Failed: {reason}"))?,
    }
    output.block(&played.position.draw())?;
    output.line(&status_line(&played.position))
}
