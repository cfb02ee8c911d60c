//! `new`: a starting file that checks and plays.

use super::error::CliError;
use super::output::Output;
use crate::library::{EXTENSION, Library, is_path};
use clap::Args;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

/// A complete small game, with what most games need.
const START: &str = include_str!("new.game");

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright new hedges\n  ludwright new my_hex --from hex\n  ludwright new games/rows/mine.game"
)]
pub struct NewArgs {
    /// Name of the game, or path of its file
    name: String,
    /// Begin as a variant of a shipped game or of a file
    #[arg(long, value_name = "GAME")]
    from: Option<String>,
}

pub fn run(args: &NewArgs, output: &mut Output) -> Result<(), CliError> {
    let path = match args.name.strip_suffix(&format!(".{EXTENSION}")) {
        Some(_) => PathBuf::from(&args.name),
        None => PathBuf::from(format!("{}.{EXTENSION}", args.name)),
    };
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let title = title(&stem);
    if title.is_empty() {
        return Err(CliError::with_help(
            format!("`{}` names no game", args.name),
            Some("give it a name of letters and digits, as in `ludwright new hedges`".to_owned()),
        ));
    }
    let text = match &args.from {
        None => START.replace("TITLE", &title),
        Some(base) => variant(&title, base)?,
    };
    // The layout of a file depends on its title, and that of a variant on its base.
    let text = crate::format::format(&text).unwrap_or(text);
    let file = OpenOptions::new().write(true).create_new(true).open(&path);
    let mut file = file.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => CliError::with_help(
            format!("`{}` already exists and was left as it is", path.display()),
            Some("choose another name, or remove the file first".to_owned()),
        ),
        _ => CliError::write(&path, error),
    })?;
    file.write_all(text.as_bytes()).map_err(|error| CliError::write(&path, error))?;
    output.line(&path.display().to_string())?;
    let name = as_argument(&path.display().to_string());
    output.note(&format!("next: ludwright check {name} --watch, ludwright play {name}"));
    Ok(())
}

/// A path as a shell takes it for one argument.
fn as_argument(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || c == std::path::MAIN_SEPARATOR || "/._-+=:,@%".contains(c);
    if !path.is_empty() && path.chars().all(plain) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    }
}

/// `red_hedges` as `Red Hedges`; without what cannot stand in a quoted text.
fn title(stem: &str) -> String {
    let words = stem.split(['_', '-', ' ']).map(|word| {
        let word: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
        let mut letters = word.chars();
        letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
    });
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A file that changes nothing yet of the game it extends.
fn variant(title: &str, base: &str) -> Result<String, CliError> {
    let extends = if is_path(base) {
        let path = std::path::absolute(base).map_err(|error| CliError::read(base.as_ref(), error))?;
        if !path.is_file() {
            return Err(CliError::read(base.as_ref(), std::io::Error::from(std::io::ErrorKind::NotFound)));
        }
        format!("\"{}\"", path.display())
    } else if Library::text(base).is_some() {
        base.to_owned()
    } else {
        let help = Library::similar(base).map(|best| format!("did you mean `{best}`?"));
        return Err(CliError::with_help(format!("there is no shipped game `{base}`"), help));
    };
    Ok(format!(
        "game \"{title}\" extends {extends}\n\
         about \"A variant.\"\n\n\
         // All of the base is here. Name a move, a word, an option or a section again to replace it, `drop` it, or add one:\n\
         // ruleset large \"on a larger board\" {{ ... }}\n\
         // `ludwright show {base}` prints its sheet.\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_one_argument() {
        assert_eq!(as_argument("games/red_hedges.game"), "games/red_hedges.game");
        assert_eq!(as_argument("my games/jo's.game"), r"'my games/jo'\''s.game'");
    }

    #[test]
    fn names_become_titles() {
        assert_eq!(title("red_hedges-2"), "Red Hedges 2");
        assert_eq!(title("--"), "");
    }
}
