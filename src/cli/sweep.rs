//! `sweep`: variants of a game side by side, and which of them surely differ.

use super::best::{self, Sought, sought};
use super::csv;
use super::envelope::{Subject, VERSION, settings};
use super::error::CliError;
use super::measure::{Effort, measure_json};
use super::output::Output;
use super::range::{Values, product, values};
use super::resume::{ResumeArgs, Resumed};
use super::series::{Source, series, told};
use super::source::{Choice, RuleText};
use super::stop::Stop;
use super::store::{goes_to_stdout, promised};
use crate::ai::Agent;
use crate::ai::measure::Quantity;
use crate::ai::measure::compare::{Compared, Variant, table};
use crate::check::Project;
use crate::diagnostic::closest;
use crate::game::{Game, LoadError};
use crate::jobs::Job;
use crate::library::Library;
use crate::report;
use crate::study::estimate::Estimate;
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;

/// More variants than anybody reads.
const MOST: usize = 500;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright sweep hex -o size=3..5 --player random --games 200\n  ludwright sweep hex -o size=3,4 -o pie=yes,no --measure first_seat --minutes 0.1\n  ludwright sweep tic_tac_toe --ruleset all --games 20 --json\n  ludwright sweep hex -o size=3..5 --games 50 --resume sweep.jsonl --html sweep.html\n  ludwright sweep hex -o size=3..6 --player random --games 60 --best plies=20\n\nThe first row is what the others are compared with. A star says that a difference is sure (95 %, corrected for the\nnumber of comparisons); docs/measures.md says what the measures are. Ctrl-C ends it with what there is; with `--resume`\nthe same command again goes on."
)]
pub struct SweepArgs {
    /// Name of a shipped game, or path of a `.game` file
    #[arg(value_name = "GAME")]
    game: String,
    /// An option with its values, as 5..9 or x,y,z; may be repeated, then every combination is a row
    #[arg(short = 'o', long = "option", value_name = "OPTION=VALUES", value_parser = values)]
    options: Vec<Values>,
    /// Rulesets separated by commas, or `all`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    ruleset: Vec<String>,
    #[command(flatten)]
    look: Look,
    /// Find the best variant, with X as `least`, `most` or a number: after each round the worse half is left out
    #[arg(long, value_name = "MEASURE=X", value_parser = sought)]
    best: Option<Sought>,
    #[command(flatten)]
    resume: ResumeArgs,
    /// Write a page with a plot for each measure, which needs nothing but itself; `-` is standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write a table for spreadsheets, one row a variant; docs/data.md has its columns
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Overwrite the files of `--html` and `--csv` if they are there
    #[arg(long)]
    force: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What is looked at, and who plays.
#[derive(Args, Clone, Debug)]
pub struct Look {
    /// The measures, separated by commas
    #[arg(long = "measure", value_name = "NAMES", value_delimiter = ',', default_value = "first_seat,draws,plies,branching", value_parser = quantity)]
    measures: Vec<Quantity>,
    /// Who plays against himself: `random`, `easy`, `mcts:100` and so on
    #[arg(long, value_name = "PLAYER", default_value = "mcts:32", value_parser = player)]
    pub player: Agent,
    #[command(flatten)]
    pub effort: Effort,
}

pub fn quantity(name: &str) -> Result<Quantity, String> {
    let names = || Quantity::ALL.into_iter().map(Quantity::name);
    Quantity::named(name.trim()).ok_or_else(|| match closest(name, names()) {
        Some(best) => format!("did you mean `{best}`?"),
        None => format!("the measures are {}", names().collect::<Vec<_>>().join(", ")),
    })
}

pub fn player(name: &str) -> Result<Agent, String> {
    match name.parse() {
        Ok(Agent::Learned(_)) => {
            Err("its weights are for one game, and this plays several; name another program".to_owned())
        }
        Ok(agent) => Ok(agent),
        Err(error) => {
            let error: crate::ai::AgentError = error;
            Err(format!("{error}; {}", error.help()))
        }
    }
}

/// A row of the table: a variant by its name.
pub struct Row {
    pub label: String,
    pub game: Game,
}

pub fn run(args: &SweepArgs, output: &mut Output) -> Result<(), CliError> {
    let text = RuleText::of_game(&args.game)?;
    let to_stdout = goes_to_stdout(args.json, &[&args.html, &args.csv, args.resume.file()])?;
    let (page, cells) = (promised(args.html.as_ref(), args.force)?, promised(args.csv.as_ref(), args.force)?);
    let rows = rows(args, &text, output)?;
    let settings = args.look.effort.settings(1);
    let resumed = args.resume.open(settings, Some(args.look.player), output)?;
    let stop = Stop::new();
    let (table, found, ended) = match (args.best, resumed) {
        (Some(sought), resumed) => {
            let source = Source { text: &text, player: args.look.player, settings, resumed };
            let found = best::seek(source, &rows, sought, (stop.halt(), output))?;
            let variants: Vec<Variant> =
                found.games.iter().map(|games| Variant::of(args.look.player, games.clone())).collect();
            let ended = rows.first().map_or(Ok(()), |row| stop.unless_given_up(&row.game));
            (table(&variants, &args.measures()), Some((found, sought)), ended)
        }
        (None, Some((resumed, games))) => {
            let (table, ended) = go_on(&text, &rows, (&args.look, &stop), (resumed, games), output)?;
            (table, None, ended)
        }
        (None, None) => {
            let (table, ended) = play(&rows, &args.look, &stop, output);
            (table, None, ended)
        }
    };
    let halted = stop.is_set();
    if halted {
        args.resume.stopped(output);
    }
    if let Some(cells) = cells.filter(|_| args.resume.ends(halted)) {
        csv::write(cells, &csv_rows(&text.name, &rows, &table, args.look.effort.seed))?;
    }
    if let Some(mut page) = page.filter(|_| args.resume.ends(halted)) {
        page.write(html(&text.name, &rows, &table, args.look.effort.seed).as_bytes())?;
        page.finish()?;
    }
    if args.json {
        let first = rows.first().map(|row| Subject::game(&text.name, &row.game));
        let subject = first.unwrap_or_default().by_chance(args.look.effort.seed);
        let mut answer = json!({ "rows": rows_json(&rows, &table) });
        if let Some((best, sought)) = &found {
            answer["best"] = best::to_json(best, *sought);
        }
        if halted {
            answer["interrupted"] = json!(true);
        }
        return output.answer_of_games(&subject, answer, ended);
    }
    if to_stdout {
        return ended;
    }
    print(&rows, &table, output)?;
    found.map_or(Ok(()), |(best, sought)| best::print(&best, sought, &rows, output))?;
    ended
}

impl SweepArgs {
    /// The measures of the table; that of which the best is sought is one of them.
    fn measures(&self) -> Vec<Quantity> {
        let mut all = self.look.measures.clone();
        all.extend(self.best.map(|(quantity, _)| quantity).filter(|quantity| !all.contains(quantity)));
        all
    }
}

/// The variants that there are; combinations that the game excludes are left out, which is said.
fn rows(args: &SweepArgs, text: &RuleText, output: &Output) -> Result<Vec<Row>, CliError> {
    let project = Project::load(&text.name, &text.text, &Library);
    let named = || project.rulesets().map(|ruleset| Some(ruleset.name.text.clone()));
    let rulesets: Vec<Option<String>> = match args.ruleset.as_slice() {
        [] => vec![None],
        [all] if all == "all" => std::iter::once(None).chain(named()).collect(),
        names => names.iter().cloned().map(Some).collect(),
    };
    let ways = product(&args.options);
    if rulesets.len().saturating_mul(ways.len()) > MOST {
        return Err(CliError::message(format!("a sweep has at most {MOST} rows")));
    }
    let mut rows = Vec::new();
    for ruleset in rulesets {
        for options in &ways {
            let label = label(ruleset.as_deref(), options);
            let choice = Choice { ruleset: ruleset.clone(), options: options.clone() };
            match Game::from_text(&text.name, &text.text, choice.ruleset.as_deref(), &choice.options, &Library) {
                Ok(game) => rows.push(Row { label, game }),
                Err(LoadError::Rules { message, .. }) if ways.len() > 1 => {
                    output.note(&format!("left out: {label}: {message}"));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    if rows.is_empty() {
        return Err(CliError::message("no combination of these options is a game"));
    }
    Ok(rows)
}

fn label(ruleset: Option<&str>, options: &[(String, String)]) -> String {
    let options = options.iter().map(|(name, value)| format!("{name}={value}"));
    let words: Vec<String> = ruleset.map(str::to_owned).into_iter().chain(options).collect();
    if words.is_empty() { "as it is".to_owned() } else { words.join(" ") }
}

/// The table as a page.
fn html(name: &str, rows: &[Row], table: &[Vec<Compared>], seed: u64) -> String {
    let title = rows.first().map_or(name, |row| row.game.rules().about.title.as_str());
    let variants: Vec<(String, &[Compared])> =
        rows.iter().zip(table).map(|(row, compared)| (row.label.clone(), compared.as_slice())).collect();
    report::sweep::whole(title, &format!("{name}; seed {seed}; Ludwright {VERSION}"), &variants)
}

/// What rows came to, and an error where a ply of one was given up.
type Swept = (Vec<Vec<Compared>>, Result<(), CliError>);

/// Plays all rows and compares them with the first.
pub fn play(rows: &[Row], look: &Look, stop: &Stop, output: &Output) -> Swept {
    let settings = look.effort.settings(rows.len());
    let mut bar = output.progress();
    let (mut variants, mut ended) = (Vec::new(), Ok(()));
    for row in rows {
        let done = variants.len() as u64;
        let variant = Variant::play(&row.game, settings, look.player, stop.halt(), &mut || {
            bar.show(done, rows.len() as u64);
        });
        variants.push(variant);
        ended = ended.and_then(|()| stop.unless_given_up(&row.game));
    }
    bar.clear();
    (table(&variants, &look.measures), ended)
}

/// The same with the games that a file holds, to which those that are played now are added.
fn go_on(
    text: &RuleText,
    rows: &[Row],
    (look, stop): (&Look, &Stop),
    (mut resumed, games): (Resumed, u64),
    output: &Output,
) -> Result<Swept, CliError> {
    let settings = look.effort.settings(1);
    let mut bar = output.progress();
    let jobs: Vec<Job> = rows.iter().map(|row| series((text, &row.game), look.player, settings, games)).collect();
    resumed.expect(jobs.iter().cloned())?;
    let (mut variants, mut ended) = (Vec::new(), Ok(()));
    let (mut done, all) = (0, games.saturating_mul(rows.len() as u64));
    for (row, job) in rows.iter().zip(&jobs) {
        let crew = (settings.threads, stop.halt());
        let sums = resumed.play((job, &row.game), crew, games, &mut |more| {
            done += more;
            bar.show(done, all);
        })?;
        variants.push(Variant::of(look.player, told(sums)));
        ended = ended.and_then(|()| stop.unless_given_up(&row.game));
    }
    bar.clear();
    Ok((table(&variants, &look.measures), ended))
}

/// The rows of a table for spreadsheets.
pub fn csv_rows(name: &str, rows: &[Row], table: &[Vec<Compared>], seed: u64) -> Vec<csv::Row> {
    let row = |(row, compared): (&Row, &Vec<Compared>)| {
        let mut cells = vec![("variant".to_owned(), row.label.clone())];
        cells.extend(csv::subject(name, &row.game, seed));
        let players = compared.first().map(|compared| compared.measure.players.clone());
        cells.push(("players".to_owned(), players.unwrap_or_default()));
        cells.extend(compared.iter().flat_map(csv::compared));
        cells
    };
    rows.iter().zip(table).map(row).collect()
}

/// The rows as programs read them.
pub fn rows_json(rows: &[Row], table: &[Vec<Compared>]) -> Value {
    let measures = |row: &Vec<Compared>| row.iter().map(compared_json).collect::<Vec<_>>();
    let rows = rows.iter().zip(table).map(|(row, compared)| {
        json!({
            "ruleset": row.game.rules().ruleset,
            "options": settings(&row.game),
            "rules_hash": row.game.rules_hash(),
            "measures": measures(compared),
        })
    });
    rows.collect()
}

pub fn compared_json(compared: &Compared) -> Value {
    let mut fields = measure_json(&compared.measure);
    if let Some(difference) = compared.difference {
        let Estimate { value, low, high } = difference.estimate;
        fields["difference"] = json!({
            "value": value, "low": low, "high": high,
            "p": difference.chance, "p_corrected": compared.corrected, "sure": compared.differs(),
        });
    }
    fields
}

/// A table with a column for each measure.
pub fn print(rows: &[Row], table: &[Vec<Compared>], output: &mut Output) -> Result<(), CliError> {
    let width = rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0).max(8);
    let names = table.first().into_iter().flatten().map(|compared| format!("{:>30}", compared.measure.name));
    output.line(&format!("{:width$}{}", "", names.collect::<String>()))?;
    for (row, compared) in rows.iter().zip(table) {
        let cells: String = compared.iter().map(|compared| format!("{:>30}", cell(compared))).collect();
        output.line(&format!("{:width$}{cells}", row.label))?;
    }
    let players = table.first().and_then(|row| row.first()).map_or("", |compared| compared.measure.players.as_str());
    output.line(&format!("95 % intervals; {players}; * surely not as in the first row"))
}

fn cell(compared: &Compared) -> String {
    let Some(Estimate { value, low, high }) = compared.measure.estimate else { return "-".to_owned() };
    let star = if compared.differs() { " *" } else { "" };
    match compared.measure.unit {
        "share" => format!("{:.1} % ({:.1}..{:.1}){star}", 100.0 * value, 100.0 * low, 100.0 * high),
        _ => format!("{value:.2} ({low:.2}..{high:.2}){star}"),
    }
}
