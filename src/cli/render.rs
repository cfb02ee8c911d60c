//! `render`: pictures of positions and of recorded games.

use super::error::CliError;
use super::output::Output;
use super::source::{GameArgs, move_list};
use crate::game::Position;
use crate::render::{self, Marks, Style, Theme};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright render chess --moves \"e2-e4, e7-e5\" --output chess.svg\n  ludwright render hex -o size=7 --theme dark --size 800 --output hex.png\n  ludwright render oware > oware.svg"
)]
pub struct RenderArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Moves played first, separated by commas
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    moves: String,
    /// The file to write; its ending says what: .svg or .png. Without it, or with `-`, SVG goes to standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The colours
    #[arg(long, value_enum, default_value_t)]
    theme: ThemeName,
    /// The longer side in pixels
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(16..=8192))]
    size: Option<u32>,
    /// Leave out letters and numbers along the border
    #[arg(long)]
    no_coordinates: bool,
    /// Say below the board who is to move, who has won, and the scores
    #[arg(long)]
    caption: bool,
    /// What to mark, separated by commas
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    highlight: Vec<Highlight>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum ThemeName {
    #[default]
    Light,
    Dark,
    /// Black on white
    Print,
}

impl From<ThemeName> for Theme {
    fn from(name: ThemeName) -> Self {
        match name {
            ThemeName::Light => Self::Light,
            ThemeName::Dark => Self::Dark,
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
    Png,
}

impl Kind {
    fn of(path: &Path) -> Result<Self, CliError> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            _ => Err(CliError::with_help(
                format!("`{}` does not say what to draw", path.display()),
                Some("let the name end in .svg or .png".to_owned()),
            )),
        }
    }
}

pub fn run(args: &RenderArgs, output: &mut Output) -> Result<(), CliError> {
    let path = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let kind = path.map_or(Ok(Kind::Svg), Kind::of)?;
    let (_, game) = args.game.load()?;
    let (before, position) = play(game.start(), &move_list(&args.moves))?;
    let style = style(args, before.as_ref(), &position);
    match kind {
        Kind::Svg => write(path, render::svg(&position, &style).as_bytes(), output),
        Kind::Png => write(path, &render::png(&position, &style)?, output),
    }
}

/// The position after some moves, and the one before the last of them.
fn play(start: Position, moves: &[String]) -> Result<(Option<Position>, Position), CliError> {
    let mut pair = (None, start);
    for (index, mv) in moves.iter().enumerate() {
        let next = pair.1.play(mv).map_err(|error| CliError::message(format!("move {}: {error}", index + 1)))?;
        pair = (Some(pair.1), next);
    }
    Ok(pair)
}

fn style(args: &RenderArgs, before: Option<&Position>, position: &Position) -> Style {
    let mut marks = Marks::default();
    if let Some(before) = before.filter(|_| args.highlight.contains(&Highlight::Last)) {
        marks = marks.with_last(before, position);
    }
    if args.highlight.contains(&Highlight::Legal) {
        marks = marks.with_legal(position, None);
    }
    Style { theme: args.theme.into(), size: args.size, coordinates: !args.no_coordinates, caption: args.caption, marks }
}

fn write(path: Option<&Path>, bytes: &[u8], output: &mut Output) -> Result<(), CliError> {
    match path {
        Some(path) => std::fs::write(path, bytes).map_err(|error| CliError::write(path, error)),
        None => output.bytes(bytes),
    }
}
