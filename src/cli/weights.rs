//! The seat `learned`: which file its weights come from, and whether that fits the game.

use super::error::CliError;
use super::source::RuleText;
use crate::library::read_bytes;

use crate::ai::learned::{WeightsError, is_ready, load};
use crate::ai::{Agent, Budget, Seat};
use crate::game::Game;
use std::path::{Path, PathBuf};

/// What the seat is called.
const NAME: &str = "learned";

/// The file that a training writes unless told otherwise, and where weights are looked for.
#[must_use]
pub fn usual(text: &RuleText) -> PathBuf {
    let stem = Path::new(&text.name).file_stem().unwrap_or_default();
    PathBuf::from(stem).with_extension("weights")
}

/// Reads the weights of all seats that take some. `learned:FILE`, with a time behind it or not, becomes what programs are
/// called everywhere.
pub fn seats(names: Vec<String>, text: &RuleText, game: &Game) -> Result<Vec<String>, CliError> {
    let mut known: Option<Option<PathBuf>> = None;
    let mut seat = |name: String| {
        let Some(meant) = Meant::of(&name) else { return Ok(name) };
        // What ships with a game is at hand, unless somebody has trained it here.
        let here = || Some(usual(text)).filter(|file| file.exists() || !is_ready(game));
        let file = meant.file.or_else(here);
        match (&known, &file) {
            (Some(known), file) if known == file => {}
            (Some(known), file) => return Err(two_files(known.as_deref(), file.as_deref())),
            (None, Some(file)) => read(file, game)?,
            (None, None) => {}
        }
        known = Some(file);
        Ok(meant.budget.map_or_else(|| NAME.to_owned(), |budget| format!("{NAME}:{budget}")))
    };
    names.into_iter().map(&mut seat).collect()
}

/// The same for one seat.
pub fn seat(name: &str, text: &RuleText, game: &Game) -> Result<String, CliError> {
    Ok(seats(vec![name.to_owned()], text, game)?.pop().unwrap_or_default())
}

/// Reads the usual file where a seat of a saved game needs it.
pub fn ready(seats: &[Seat], text: &RuleText, game: &Game) -> Result<(), CliError> {
    let wanted = seats.iter().any(|seat| matches!(seat, Seat::Program(Agent::Learned(_))));
    if wanted && !is_ready(game) { read(&usual(text), game) } else { Ok(()) }
}

/// What is written behind the name of the seat.
struct Meant {
    file: Option<PathBuf>,
    budget: Option<String>,
}

impl Meant {
    fn of(name: &str) -> Option<Self> {
        let rest = name.trim().strip_prefix(NAME)?;
        let Some(rest) = rest.strip_prefix(':') else {
            return rest.is_empty().then_some(Self { file: None, budget: None });
        };
        let is_budget = |text: &str| text.parse::<Budget>().is_ok();
        let (file, budget) = match rest.rsplit_once(':') {
            Some((file, budget)) if is_budget(budget) => (Some(file), Some(budget)),
            // What is neither a time nor looks like a file is told as a bad time.
            Some(_) => (Some(rest), None),
            None if is_budget(rest) || !(rest.contains('.') || rest.contains('/')) => (None, Some(rest)),
            None => (Some(rest), None),
        };
        Some(Self { file: file.map(PathBuf::from), budget: budget.map(str::to_owned) })
    }
}

/// Reads a file of weights, and lets `learned` play by it.
fn read(file: &Path, game: &Game) -> Result<(), CliError> {
    let bytes = bytes(file)?;
    load(&bytes, game).map_err(|error| unfit(file, &error))
}

/// What stands in a file of weights.
pub fn bytes(file: &Path) -> Result<Vec<u8>, CliError> {
    if !file.exists() {
        let help = "`ludwright train GAME` writes such a file; `learned:FILE` names another one".to_owned();
        return Err(CliError::coded(
            "no_weights",
            format!("there is no file of weights `{}`", file.display()),
            Some(help),
        ));
    }
    read_bytes(file).map_err(|error| CliError::read(file, error))
}

/// The weights are of no use here.
pub fn unfit(file: &Path, error: &WeightsError) -> CliError {
    CliError::coded("bad_weights", format!("`{}`: {error}", file.display()), Some(error.help().to_owned()))
}

fn two_files(one: Option<&Path>, other: Option<&Path>) -> CliError {
    let name = |file: Option<&Path>| {
        file.map_or_else(|| "what ships with the game".to_owned(), |file| format!("`{}`", file.display()))
    };
    let message = format!("{} and {} are two sets of weights for one game", name(one), name(other));
    let help = "`learned` plays with one of them at a time; let each play the same opponent".to_owned();
    CliError::coded("bad_player", message, Some(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_names_a_file_a_time_both_or_neither() {
        let told =
            |name: &str| Meant::of(name).map(|meant| (meant.file.map(|file| file.display().to_string()), meant.budget));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(told("learned"), Some((None, None)));
        assert_eq!(told("learned:2s"), Some((None, some("2s"))));
        assert_eq!(told("learned:x.weights"), Some((some("x.weights"), None)));
        assert_eq!(told("learned:a/b:20ms"), Some((some("a/b"), some("20ms"))));
        assert_eq!(told("learned:never"), Some((None, some("never"))), "which is refused as a time");
        assert_eq!(told("mcts:2s"), None);
        assert_eq!(told("learnedly"), None);
    }
}
