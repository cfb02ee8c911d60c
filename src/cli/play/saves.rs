//! Where games are kept while they are played, so that nothing is lost and no other game overwritten.

use crate::cli::error::CliError;
use crate::cli::source::read_record;
use crate::date::moment;
use crate::game::Record;
use crate::library::state_folder;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How many names are tried for a game before that is given up.
const MAX_NAMES: u32 = 1000;

/// Saves one game, again and again.
#[derive(Debug)]
pub struct Keeper {
    place: Place,
    /// What was written last, to notice when somebody else writes there.
    last: Option<String>,
    /// Further files that this game was saved to by name.
    own: Vec<PathBuf>,
}

#[derive(Debug)]
enum Place {
    Nowhere,
    /// A file of its own in the usual folder, made when there is something to save.
    New {
        game: String,
    },
    At(PathBuf),
}

impl Keeper {
    /// Saves only where it is told to.
    pub fn nowhere() -> Self {
        Self { place: Place::Nowhere, last: None, own: Vec::new() }
    }

    /// Saves to a file of its own among the games of the user.
    pub fn usual(game: &str) -> Self {
        Self { place: Place::New { game: stem(game) }, last: None, own: Vec::new() }
    }

    /// Goes on saving to the file that a game was read from.
    pub fn resumed(file: &Path, text: String) -> Self {
        Self { place: Place::At(file.to_owned()), last: Some(text), own: Vec::new() }
    }

    /// Saves to a file that has been asked for: a new one, an empty one, or the one that the game comes from.
    pub fn asked(file: &Path, resumed: Option<&Path>) -> Result<Self, CliError> {
        if !file.is_file() {
            return Ok(Self { place: Place::At(file.to_owned()), last: None, own: Vec::new() });
        }
        let text = fs::read_to_string(file).unwrap_or_default();
        let same = resumed.is_some_and(|resumed| same_file(resumed, file));
        if !same && fs::metadata(file).is_ok_and(|data| data.len() > 0) {
            return Err(taken(file));
        }
        Ok(Self::resumed(file, text))
    }

    /// Where the game is kept, if it is.
    pub fn file(&self) -> Option<&Path> {
        match &self.place {
            Place::At(file) => Some(file),
            _ => None,
        }
    }

    /// Saves the game. When somebody else has written there meanwhile it goes to a new file, which is the answer.
    pub fn save(&mut self, text: &str) -> Result<Option<PathBuf>, CliError> {
        let (file, moved) = match &self.place {
            Place::Nowhere => return Ok(None),
            Place::New { game } => (claim_usual(game)?, false),
            Place::At(file) => match &self.last {
                Some(last) if fs::read_to_string(file).is_ok_and(|there| there != *last) => (claim(file)?, true),
                // It has come into being since the game began.
                None if file.is_file() && fs::metadata(file).is_ok_and(|data| data.len() > 0) => (claim(file)?, true),
                _ => (file.clone(), false),
            },
        };
        // A new file is kept even if it cannot be written now: it is claimed, and empty.
        if self.file() != Some(&file) {
            (self.place, self.last) = (Place::At(file.clone()), Some(String::new()));
        }
        write(&file, text).map_err(|error| CliError::write(&file, error))?;
        self.last = Some(text.to_owned());
        Ok(moved.then_some(file))
    }

    /// Saves the game to one more file, unless something else is there.
    pub fn copy(&mut self, file: &Path, text: &str) -> Result<(), CliError> {
        let own = self.own.iter().map(PathBuf::as_path).chain(self.file()).any(|own| same_file(own, file));
        if !own && fs::metadata(file).is_ok_and(|data| data.is_file() && data.len() > 0) {
            return Err(taken(file));
        }
        write(file, text).map_err(|error| CliError::write(file, error))?;
        if self.file().is_some_and(|kept| same_file(kept, file)) {
            self.last = Some(text.to_owned());
        }
        self.own.push(file.to_owned());
        Ok(())
    }
}

fn taken(file: &Path) -> CliError {
    CliError::with_help(
        format!("`{}` exists already and is not this game", file.display()),
        Some("go on with it by `--resume`, or save to a new file".to_owned()),
    )
}

fn same_file(a: &Path, b: &Path) -> bool {
    a == b || matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

/// The folder of the user's games.
pub fn folder() -> Option<PathBuf> {
    Some(state_folder()?.join("games"))
}

/// The game that was saved last, of one game or of all.
pub fn latest(game: Option<&str>) -> Result<PathBuf, CliError> {
    let folder = folder().ok_or_else(homeless)?;
    let mut files: Vec<(SystemTime, PathBuf)> = fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "txt"))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    let fits = |record: &Record| game.is_none() || record.game.as_deref() == game;
    let found = files.into_iter().map(|(_, path)| path).find(|path| {
        // A file that was begun and never written holds nothing.
        read_record(path).is_ok_and(|record| record.game.is_some() && fits(&record))
    });
    found.ok_or_else(|| {
        let what = game.map_or("no saved game".to_owned(), |game| format!("no saved game of `{game}`"));
        let help = "games are saved at every move when they are played at a terminal; name a file with `--resume FILE`";
        CliError::with_help(format!("there is {what} in `{}`", folder.display()), Some(help.to_owned()))
    })
}

fn homeless() -> CliError {
    let help = "set HOME, or name a file with `--save FILE`";
    CliError::with_help("there is no folder to save games in", Some(help.to_owned()))
}

/// The name of a game as part of a file name.
fn stem(game: &str) -> String {
    let name = Path::new(game).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    name.chars().map(|c| if c.is_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).take(60).collect()
}

/// A new file in the usual folder, called after the game and the moment.
fn claim_usual(game: &str) -> Result<PathBuf, CliError> {
    let folder = folder().ok_or_else(homeless)?;
    fs::create_dir_all(&folder).map_err(|error| CliError::write(&folder, error))?;
    claim(&folder.join(format!("{game}-{}.txt", moment())))
}

/// A file of this name, or with a number behind it, that did not exist before.
fn claim(file: &Path) -> Result<PathBuf, CliError> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let extension = file.extension().map(|extension| format!(".{}", extension.to_string_lossy())).unwrap_or_default();
    for number in 1..MAX_NAMES {
        let name =
            if number == 1 { file.to_owned() } else { file.with_file_name(format!("{stem}-{number}{extension}")) };
        match OpenOptions::new().write(true).create_new(true).open(&name) {
            Ok(_) => return Ok(name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(CliError::write(&name, error)),
        }
    }
    Err(CliError::write(file, io::ErrorKind::AlreadyExists.into()))
}

/// Writes a file as a whole or not at all: what is there stays until all of the new text is on the disk.
fn write(file: &Path, text: &str) -> io::Result<()> {
    // What is no plain file, as a device, cannot be replaced; behind a link lies the file that is meant.
    let file = &fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    if fs::metadata(file).is_ok_and(|data| !data.is_file()) {
        return fs::write(file, text);
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let fresh = file.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = File::create(&fresh)
        .and_then(|mut new| new.write_all(text.as_bytes()).and_then(|()| new.sync_all()))
        .and_then(|()| fs::rename(&fresh, file));
    if written.is_err() {
        // It may not even have come into being.
        let _ = fs::remove_file(&fresh);
        return written;
    }
    // Some systems cannot open folders: then the name is as safe as they make it.
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty())
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("ludwright-saves-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_game_is_saved_again_and_again_and_no_other_overwritten() {
        let folder = fresh("own");
        let file = folder.join("game.txt");
        let mut keeper = Keeper::asked(&file, None).unwrap();
        assert_eq!(keeper.save("a\n").unwrap(), None);
        assert_eq!(keeper.save("a\nb\n").unwrap(), None);
        assert_eq!(fs::read_to_string(&file).unwrap(), "a\nb\n");
        assert!(Keeper::asked(&file, None).is_err());
        assert!(Keeper::asked(&file, Some(&file)).is_ok());
        // Somebody else goes on with it.
        fs::write(&file, "other\n").unwrap();
        let moved = keeper.save("a\nb\nc\n").unwrap().unwrap();
        assert_eq!(moved, folder.join("game-2.txt"));
        assert_eq!(fs::read_to_string(&file).unwrap(), "other\n");
        assert!(keeper.copy(&file, "x").is_err());
        let copy = folder.join("copy.txt");
        assert!(keeper.copy(&copy, "x").is_ok() && keeper.copy(&copy, "y").is_ok());
        let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 3, "{left:?}");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_cannot_be_written_is_said() {
        let folder = fresh("nowhere");
        let mut keeper = Keeper::asked(&folder.join("none").join("game.txt"), None).unwrap();
        assert!(keeper.save("a").is_err());
        assert!(keeper.copy(&folder, "a").is_err());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn games_are_called_after_their_rules() {
        assert_eq!(stem("games/chess/my chess.game"), "my_chess");
        assert_eq!(stem("equi"), "equi");
    }
}
