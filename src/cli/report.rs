//! `report`: a folder with a page that shows a game, for those who have never heard of it.

use super::envelope::Subject;
use super::error::CliError;
use super::measure::{Effort, about, to_json};
use super::output::Output;
use super::source::GameArgs;
use super::stop::Stop;
use super::store::Store;
use crate::ai::measure::{Page, measure};
use crate::ai::{Agent, Budget};
use crate::check::Project;
use crate::game::{Game, Line};
use crate::library::Library;
use crate::render::{self, Style, Theme};
use crate::report::game::{Report, replay, sample};
use crate::report::options::{Swept, sweep};
use clap::Args;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright report hex -o size=5 --output hex_page --minutes 0.1 --force\n  ludwright report tic_tac_toe --output page --games 10 --force --json\n\nOpen `index.html` in the folder: it needs nothing else, so that it can be sent alone. Beside it lie the pictures, the\ngame as a page, the measures as JSON and the rules."
)]
pub struct ReportArgs {
    #[command(flatten)]
    game: GameArgs,
    /// The folder to write to
    #[arg(long, value_name = "DIR", required = true)]
    output: PathBuf,
    #[command(flatten)]
    effort: Effort,
    /// Write into the folder though there are files in it
    #[arg(long)]
    force: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Of all the time so much is for measures, for the sample game after them, and the rest for options.
const MEASURES: f64 = 0.6;
const SAMPLE: f64 = 0.7;

/// Who plays the variants.
const SWEEPER: Agent = Agent::Mcts(Budget::Rounds(32));

pub fn run(args: &ReportArgs, output: &mut Output) -> Result<(), CliError> {
    let (text, game) = args.game.load()?;
    let project = Project::load(&text.name, &text.text, &Library);
    prepare(&args.output, args.force)?;
    let stop = Stop::new();
    let (began, all) = (Instant::now(), args.effort.settings(1));
    let part = |part: f64| {
        if all.games.is_some() { stop.halt() } else { stop.halt().by(began + all.time.mul_f64(part)) }
    };
    let settings = |part: f64| crate::ai::measure::Settings { time: all.time.mul_f64(part), ..all };
    let mut bar = output.progress();
    let mut told = || bar.show((1000.0 * began.elapsed().as_secs_f64() / all.time.as_secs_f64()) as u64, 1000);
    let measured = measure(&game, settings(MEASURES), part(MEASURES), &mut |_| told());
    let (line, players) = sample(&game, all, part(SAMPLE), &mut told);
    let swept = sweep(&project, &game, (SWEEPER, settings(1.0 - SAMPLE)), part(1.0), &mut told);
    bar.clear();
    stop.unless_given_up(&game)?;
    let report = Report {
        game: &game,
        project: &project,
        measured: &measured,
        swept: &swept,
        sweeper: format!("Played by {SWEEPER} against itself."),
        sample: &line,
        players,
        about: about(&text.name, &game, args.effort.seed),
    };
    let files = files(&game, &text.text, (&measured, &swept), &line, report.html())?;
    for (name, bytes) in &files {
        let mut store = Store::create(&args.output.join(name), args.force)?;
        store.write(bytes)?;
        store.finish()?;
    }
    if args.json {
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        let told = json!({ "folder": args.output.display().to_string(), "files": names, "plies": line.played() });
        return output.answer(&Subject::game(&text.name, &game).by_chance(args.effort.seed), told);
    }
    output.line(&format!("written: {}", args.output.join("index.html").display()))
}

/// The folder, which must be new or empty unless it may be written to.
fn prepare(folder: &Path, force: bool) -> Result<(), CliError> {
    let failed = |error| CliError::write(folder, error);
    fs::create_dir_all(folder).map_err(failed)?;
    let used = fs::read_dir(folder).map_err(failed)?.next().is_some();
    if used && !force {
        let help = "choose another folder, or write into it with `--force`".to_owned();
        return Err(CliError::coded("exists", format!("`{}` is not empty", folder.display()), Some(help)));
    }
    Ok(())
}

type Files = Vec<(&'static str, Vec<u8>)>;

/// Everything that comes into the folder, the page last.
fn files(game: &Game, text: &str, told: (&Page, &[Swept]), line: &Line, page: String) -> Result<Files, CliError> {
    let style = Style { theme: Theme::Auto, caption: true, ..Style::default() };
    let picture = |position| render::svg(position, &style).into_bytes();
    let mut measures = to_json(told.0);
    measures["options_swept"] = swept_json(told.1);
    let mut files = vec![
        ("rules.game", text.as_bytes().to_vec()),
        ("start.svg", picture(&game.start())),
        ("end.svg", picture(line.position())),
        ("game.svg", replay(line).svg(&style, 900).into_bytes()),
        ("game.html", replay(line).html(&Style { theme: Theme::Auto, ..Style::default() }).into_bytes()),
        ("game.txt", format!("{}\n", line.moves().join("\n")).into_bytes()),
        ("measures.json", format!("{measures}\n").into_bytes()),
    ];
    #[cfg(feature = "pictures")]
    files.push((
        "end.png",
        render::png(line.position(), &Style { theme: Theme::Light, caption: true, ..Style::default() })?,
    ));
    files.push(("index.html", page.into_bytes()));
    Ok(files)
}

fn swept_json(swept: &[Swept]) -> serde_json::Value {
    let row = |(value, compared): &(String, Vec<crate::ai::measure::compare::Compared>)| json!({ "value": value, "measures": compared.iter().map(super::sweep::compared_json).collect::<Vec<_>>() });
    let one = |swept: &Swept| json!({ "option": swept.name, "rows": swept.rows.iter().map(row).collect::<Vec<_>>() });
    swept.iter().map(one).collect()
}
