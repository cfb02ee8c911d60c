//! `compare`: two games side by side: what is different in play, and how sure that is.

use super::envelope::Subject;
use super::error::CliError;
use super::output::Output;
use super::source::{Choice, RuleText};
use super::stop::Stop;
use super::store::{goes_to_stdout, promised};
use super::sweep::{Look, Row, play, print, rows_json};
use super::{csv, sweep};
use crate::ai::measure::compare::Compared;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright compare hex hex -o size=4 --b-option pie=yes --games 50\n  ludwright compare tic_tac_toe tic_tac_toe --b-ruleset misere --player random --games 300 --json\n\nTo compare with an earlier state of a file, write that into a file of its own (`git show HEAD~1:my.game`).\nA star says that a difference is sure (95 %, corrected for the number of measures)."
)]
pub struct CompareArgs {
    /// A game
    #[arg(value_name = "A")]
    a: String,
    /// Another one, or the same with other options
    #[arg(value_name = "B")]
    b: String,
    #[command(flatten)]
    both: Choice,
    /// A ruleset of A
    #[arg(long, value_name = "NAME")]
    a_ruleset: Option<String>,
    /// A ruleset of B
    #[arg(long, value_name = "NAME")]
    b_ruleset: Option<String>,
    /// The value of an option of A; may be repeated
    #[arg(long, value_name = "OPTION=VALUE", value_parser = super::source::option_value)]
    a_option: Vec<(String, String)>,
    /// The value of an option of B; may be repeated
    #[arg(long, value_name = "OPTION=VALUE", value_parser = super::source::option_value)]
    b_option: Vec<(String, String)>,
    #[command(flatten)]
    look: Look,
    /// Write a table for spreadsheets, one row for each side; docs/data.md has its columns
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Overwrite the file of `--csv` if there is one
    #[arg(long)]
    force: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &CompareArgs, output: &mut Output) -> Result<(), CliError> {
    let row = |name: &str, ruleset: &Option<String>, options: &[(String, String)]| {
        let choice = Choice {
            ruleset: ruleset.clone().or_else(|| args.both.ruleset.clone()),
            options: args.both.options.iter().chain(options).cloned().collect(),
        };
        let game = RuleText::of_game(name)?.load(&choice)?;
        Ok::<Row, CliError>(Row { label: name.to_owned(), game })
    };
    let mut rows = vec![row(&args.a, &args.a_ruleset, &args.a_option)?, row(&args.b, &args.b_ruleset, &args.b_option)?];
    for (row, side) in rows.iter_mut().zip(["A", "B"]) {
        row.label = format!("{side}: {}", row.label);
    }
    let to_stdout = goes_to_stdout(args.json, &[&args.csv])?;
    let store = promised(args.csv.as_ref(), args.force)?;
    let stop = Stop::new();
    let (table, ended) = play(&rows, &args.look, &stop, output);
    let halted = stop.is_set();
    if halted {
        output.note("stopped; this is what the games so far came to");
    }
    if let Some(store) = store {
        csv::write(store, &csv_rows(args, &rows, &table))?;
    }
    if args.json {
        let first = rows.first().map(|row| Subject::game(&args.a, &row.game));
        let subject = first.unwrap_or_default().by_chance(args.look.effort.seed);
        let mut answer = json!({ "rows": rows_json(&rows, &table) });
        if halted {
            answer["interrupted"] = json!(true);
        }
        return output.answer_of_games(&subject, answer, ended);
    }
    if !to_stdout {
        print(&rows, &table, output)?;
    }
    ended
}

/// Each side under the name that was given to it.
fn csv_rows(args: &CompareArgs, rows: &[Row], table: &[Vec<Compared>]) -> Vec<csv::Row> {
    let mut all = sweep::csv_rows(&args.a, rows, table, args.look.effort.seed);
    for (row, name) in all.iter_mut().zip([&args.a, &args.b]) {
        row.iter_mut().filter(|(column, _)| column == "game").for_each(|(_, cell)| cell.clone_from(name));
    }
    all
}
