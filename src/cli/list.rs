//! `list`: the shipped games.

use super::envelope::Subject;
use super::error::CliError;
use super::output::Output;
use crate::author::declared::About;
use crate::check::Project;
use crate::library::Library;
use clap::Args;
use serde_json::{Value, json};

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  ludwright list\n  ludwright list --json")]
pub struct ListArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ListArgs, output: &mut Output) -> Result<(), CliError> {
    let games: Vec<(&str, About)> = Library::names()
        .into_iter()
        .map(|name| (name, About::of(&Project::load(name, Library::text(name).unwrap_or(""), &Library))))
        .collect();
    if args.json {
        return output.answer(&Subject::nothing(), json!({ "games": games.iter().map(to_json).collect::<Vec<_>>() }));
    }
    let rows: Vec<[String; 3]> = games
        .iter()
        .map(|(name, about)| [(*name).to_owned(), about.title.clone().unwrap_or_default(), about.origin()])
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (names, titles) = (width(0), width(1));
    for [name, title, origin] in &rows {
        output.line(format!("{name:names$}  {title:titles$}  {origin}").trim_end())?;
    }
    Ok(())
}

fn to_json((name, about): &(&str, About)) -> Value {
    json!({ "name": name, "title": about.title, "author": about.author, "year": about.year, "summary": about.summary })
}
