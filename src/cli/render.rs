//! `render`: pictures of positions and of recorded games.

use super::error::CliError;
use super::output::Output;
use super::replay::warn_of_other_rules;
use super::source::{Choice, GameArgs, RuleText, move_list, read_record, seat_of};
use super::store::write_whole;
use crate::author::script::Scripts;
use crate::check::Project;
use crate::diagnostic::closest;
use crate::game::{Line, PlayError, Position};
use crate::library::Library;
use crate::render::{self, Marks, Replay, Style, Theme};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright render chess --moves \"e2-e4, e7-e5\" --output chess.svg --force\n  ludwright render hex -o size=7 --theme dark --size 800 --output hex.png --force\n  ludwright render iqishiqi --record saved.txt --output game.gif --force\n  ludwright render oware > oware.svg"
)]
pub struct RenderArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Moves played first, separated by commas
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    moves: String,
    /// A record of the rule file by its name, or a saved game: .svg, .gif and .html then show all of it
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "moves")]
    record: Option<String>,
    /// Show what the seat of this player sees, in games that hide something
    #[arg(long, value_name = "PLAYER")]
    seat: Option<String>,
    /// The file to write; its ending says what: .svg, .png, .gif or .html. Without it, or with `-`, SVG goes to standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite a file that is there already
    #[arg(long)]
    force: bool,
    /// The colours; light, or for pages those that the reader prefers
    #[arg(long, value_enum)]
    theme: Option<ThemeName>,
    /// The longer side in pixels
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(16..=8192))]
    size: Option<u32>,
    /// Leave out letters and numbers along the border
    #[arg(long)]
    no_coordinates: bool,
    /// Say below the board who is to move, who has won, and the scores; games in motion always do
    #[arg(long)]
    caption: bool,
    /// What to mark, separated by commas; games in motion mark what the last move changed
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    highlight: Vec<Highlight>,
    /// How long each position stays, in thousandths of a second
    #[arg(long, value_name = "MS", default_value_t = 900, value_parser = clap::value_parser!(u32).range(20..=60_000))]
    delay: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ThemeName {
    Light,
    Dark,
    /// Light or dark, as the reader has it
    Auto,
    /// Black on white
    Print,
}

impl From<ThemeName> for Theme {
    fn from(name: ThemeName) -> Self {
        match name {
            ThemeName::Light => Self::Light,
            ThemeName::Dark => Self::Dark,
            ThemeName::Auto => Self::Auto,
            ThemeName::Print => Self::Print,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Highlight {
    /// What the last move changed
    Last,
    /// Where legal moves begin or put something
    Legal,
}

/// What a file is to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Svg,
    #[cfg(feature = "pictures")]
    Png,
    #[cfg(feature = "pictures")]
    Gif,
    Html,
}

impl Kind {
    fn of(path: &Path) -> Result<Self, CliError> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("svg") => Ok(Self::Svg),
            #[cfg(feature = "pictures")]
            Some("png") => Ok(Self::Png),
            #[cfg(feature = "pictures")]
            Some("gif") => Ok(Self::Gif),
            #[cfg(not(feature = "pictures"))]
            Some("png" | "gif") => Err(CliError::with_help(
                "this program was built without pictures in pixels".to_owned(),
                Some("let the name end in .svg or .html, or build with the feature `pictures`".to_owned()),
            )),
            Some("html" | "htm") => Ok(Self::Html),
            _ => Err(CliError::with_help(
                format!("`{}` does not say what to draw", path.display()),
                Some("let the name end in .svg, .png, .gif or .html".to_owned()),
            )),
        }
    }
}

pub fn run(args: &RenderArgs, output: &mut Output) -> Result<(), CliError> {
    let path = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let kind = path.map_or(Ok(Kind::Svg), Kind::of)?;
    let text = RuleText::of_game(&args.game.game)?;
    let replay = match &args.record {
        Some(record) => recorded(&text, &args.game.choice, record, output)?,
        None => played(String::new(), text.load(&args.game.choice)?.start(), &move_list(&args.moves))?,
    };
    let replay = match &args.seat {
        Some(name) => seen(replay, name)?,
        None => replay,
    };
    let style = style(args, kind, &replay);
    let bytes = match kind {
        Kind::Svg if args.record.is_some() => replay.svg(&style, args.delay).into_bytes(),
        Kind::Svg => last(&replay).map_or_else(Vec::new, |position| render::svg(position, &style).into_bytes()),
        #[cfg(feature = "pictures")]
        Kind::Png => last(&replay).map_or_else(|| Ok(Vec::new()), |position| render::png(position, &style))?,
        #[cfg(feature = "pictures")]
        Kind::Gif => replay.gif(&style, args.delay)?,
        Kind::Html => replay.html(&style).into_bytes(),
    };
    match path {
        Some(path) => write_whole(path, args.force, &bytes),
        None => output.bytes(&bytes),
    }
}

fn last(replay: &Replay) -> Option<&Position> {
    replay.steps.last().map(|(_, position)| position)
}

/// The game that some moves make.
fn played(name: String, start: Position, moves: &[String]) -> Result<Replay, CliError> {
    let mut position = start.clone();
    let mut steps = vec![(None, start)];
    for (index, mv) in moves.iter().enumerate() {
        let wrong = |error: &PlayError| CliError::message(format!("move {}: {}", index + 1, position.explained(error)));
        let found = position.find(mv).map_err(|error| wrong(&error))?;
        let next =
            position.play_index(found).ok_or_else(|| CliError::message(format!("move {}: `{mv}`", index + 1)))?;
        steps.push((position.move_text(found), next.clone()));
        position = next;
    }
    Ok(Replay { name, steps })
}

/// The same game as a seat sees it.
fn seen(replay: Replay, name: &str) -> Result<Replay, CliError> {
    let Some((_, start)) = replay.steps.first() else { return Ok(replay) };
    let seat = seat_of(start.game(), name)?;
    let mut line = Line::new(start.clone());
    for mv in replay.steps.iter().filter_map(|(mv, _)| mv.as_deref()) {
        line.play_text(mv).map_err(|error| CliError::bad_move(line.played() + 1, &error))?;
    }
    let told = std::iter::once(None).chain(line.moves_seen_from(seat).into_iter().map(Some));
    let steps = told.zip(&replay.steps).map(|(mv, (_, position))| (mv, position.seen_from(seat))).collect();
    Ok(Replay { steps, ..replay })
}

/// A record of the rule file, or else a saved game.
fn recorded(text: &RuleText, choice: &Choice, wanted: &str, output: &Output) -> Result<Replay, CliError> {
    let project = Project::load(&text.name, &text.text, &Library);
    let scripts = project.scripts();
    let names: Vec<&str> =
        scripts.iter().filter(|script| script.record).map(|script| script.name.text.as_str()).collect();
    if !names.contains(&wanted) {
        let path = Path::new(wanted);
        if wanted != "-" && !path.exists() {
            return Err(no_record(&text.name, wanted, &names));
        }
        let record = read_record(path)?;
        let game = text.load(&choice.over(&record))?;
        warn_of_other_rules(&record, &game.rules_hash(), output);
        return played(String::new(), game.start(), &record.moves);
    }
    let reports = Scripts { wanted: |script| script.record, keep_course: true, ..Scripts::default() }.run(
        &project,
        choice.ruleset.as_deref(),
        &choice.options,
    )?;
    let report = reports.into_iter().find(|report| report.name == wanted);
    let report = report.ok_or_else(|| no_record(&text.name, wanted, &names))?;
    match (report.ok, report.message) {
        (false, message) => Err(CliError::message(format!("the record `{wanted}`: {}", message.unwrap_or_default()))),
        _ => Ok(Replay { name: report.name, steps: report.course }),
    }
}

fn no_record(game: &str, wanted: &str, names: &[&str]) -> CliError {
    let list = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let help = match closest(wanted, names.iter().copied()) {
        Some(best) => format!("did you mean `{best}`?"),
        None if names.is_empty() => "it holds no records; name a file with moves".to_owned(),
        None => format!("its records are {list}"),
    };
    CliError::with_help(format!("`{wanted}` is neither a record of `{game}` nor a file"), Some(help))
}

fn style(args: &RenderArgs, kind: Kind, replay: &Replay) -> Style {
    let mut marks = Marks::default();
    if let [.., (_, before), (_, position)] = replay.steps.as_slice()
        && args.highlight.contains(&Highlight::Last)
    {
        marks = marks.with_last(before, position);
    }
    if let Some(position) = last(replay).filter(|_| args.highlight.contains(&Highlight::Legal)) {
        marks = marks.with_legal(position, None);
    }
    let usual = if kind == Kind::Html { Theme::Auto } else { Theme::Light };
    Style {
        theme: args.theme.map_or(usual, Theme::from),
        size: args.size,
        coordinates: !args.no_coordinates,
        caption: args.caption,
        marks,
        ..Style::default()
    }
}
