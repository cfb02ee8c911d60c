//! The games shipped inside the program, and the files that rule files name.

use crate::check::Resolve;
use crate::diagnostic::closest;
use include_dir::{Dir, include_dir};
use std::env;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

static GAMES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/games");

/// The extension of rule files.
pub const EXTENSION: &str = "game";

/// That of files of what was learnt of a game.
pub const WEIGHTS: &str = "weights";

/// No rule file is nearly as long; what is longer is cut here, and the parser refuses it.
const MAX_READ: u64 = 16 << 20;

/// Finds shipped games by name and other files by path.
#[derive(Clone, Copy, Debug, Default)]
pub struct Library;

impl Library {
    /// The names of all shipped games, sorted.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        let mut names: Vec<_> = shipped().into_iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        names
    }

    /// The text of a shipped game.
    #[must_use]
    pub fn text(name: &str) -> Option<&'static str> {
        shipped().into_iter().find(|(known, _)| *known == name).map(|(_, text)| text)
    }

    /// Files of what was learnt of shipped games, by name, sorted.
    #[must_use]
    pub fn weights() -> Vec<(&'static str, &'static [u8])> {
        let mut found: Vec<_> = kept(WEIGHTS).into_iter().map(|(name, file)| (name, file.contents())).collect();
        found.sort_unstable_by_key(|(name, _)| *name);
        found
    }

    /// The family that a shipped game is kept with, if it holds more than this one.
    #[must_use]
    pub fn family(name: &str) -> Option<&'static str> {
        let mut folders = vec![&GAMES];
        while let Some(folder) = folders.pop() {
            folders.extend(folder.dirs());
            let games = folder.files().filter(|file| file.path().extension().is_some_and(|found| found == EXTENSION));
            let stems: Vec<&str> = games.filter_map(|file| file.path().file_stem()?.to_str()).collect();
            if stems.contains(&name) {
                return folder.path().file_name()?.to_str().filter(|_| stems.len() > 1);
            }
        }
        None
    }

    /// The shipped name that was probably meant.
    #[must_use]
    pub fn similar(name: &str) -> Option<&'static str> {
        closest(name, Self::names())
    }
}

impl Resolve for Library {
    fn resolve(&self, from: &str, wanted: &str) -> Result<(String, String), String> {
        if !is_path(wanted) {
            return Self::text(wanted).map(|text| (wanted.to_owned(), text.to_owned())).ok_or_else(|| unknown(wanted));
        }
        // A shipped file knows its neighbours by path too; those are in the program, not on the disk.
        if Self::text(from).is_some() && !is_path(from) {
            let stem = Path::new(wanted).file_stem().and_then(|stem| stem.to_str()).unwrap_or("");
            return Self::text(stem).map(|text| (stem.to_owned(), text.to_owned())).ok_or_else(|| unknown(stem));
        }
        let path: PathBuf = Path::new(from).parent().unwrap_or(Path::new("")).join(wanted).components().collect();
        if path.extension().is_none_or(|extension| extension != EXTENSION) {
            return Err(format!("the name of a rule file ends in `.{EXTENSION}`"));
        }
        let bytes = read_bytes(&path).map_err(|error| describe(&error))?;
        let text = String::from_utf8(bytes).map_err(|_| "it is not text in UTF-8".to_owned())?;
        Ok((path.display().to_string(), unmarked(text)))
    }
}

/// Finds shipped games by name, and nothing else: for texts from strangers, who are not to look at the disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shipped;

impl Resolve for Shipped {
    fn resolve(&self, from: &str, wanted: &str) -> Result<(String, String), String> {
        let within = Library::text(from).is_some() && !is_path(from);
        if is_path(wanted) && !within {
            return Err("files cannot be named here, only shipped games".to_owned());
        }
        Library.resolve(from, wanted)
    }
}

fn unknown(name: &str) -> String {
    let hint = Library::similar(name).map_or(String::new(), |best| format!("; did you mean `{best}`?"));
    format!("there is no shipped game of this name{hint}")
}

/// Where programs keep what a user has begun, with a folder of ours; none where the system names no place.
#[must_use]
pub fn state_folder() -> Option<PathBuf> {
    let named = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = named("XDG_STATE_HOME")
        .or_else(|| if cfg!(windows) { named("LOCALAPPDATA") } else { None })
        .or_else(|| Some(named("HOME").or_else(|| named("USERPROFILE"))?.join(".local").join("state")))?;
    Some(state.join("ludwright"))
}

/// Whether a name given for a game stands for a file.
#[must_use]
pub fn is_path(name: &str) -> bool {
    name.contains('/') || name.contains(std::path::MAIN_SEPARATOR) || name.ends_with(".game")
}

/// Reads a file up to a bound, so that an endless one does no harm.
///
/// # Errors
/// Whatever the system says, also for folders.
pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    // Asked before it is opened: to open a pipe is to wait for somebody who writes.
    let found = std::fs::metadata(path)?;
    if found.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    if !found.is_file() {
        return Err(io::Error::other("it is a device or a pipe, and no plain file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_READ).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A text without the byte order mark that some editors put before it.
#[must_use]
pub fn unmarked(text: String) -> String {
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}

/// An error of the system in the words of a sentence.
#[must_use]
pub fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "reading or writing it is not permitted".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string(),
    }
}

fn shipped() -> Vec<(&'static str, &'static str)> {
    kept(EXTENSION).into_iter().filter_map(|(name, file)| Some((name, file.contents_utf8()?))).collect()
}

/// The files of a kind, with their names.
fn kept(extension: &str) -> Vec<(&'static str, &'static include_dir::File<'static>)> {
    let mut found = Vec::new();
    let mut folders = vec![&GAMES];
    while let Some(folder) = folders.pop() {
        folders.extend(folder.dirs());
        found.extend(folder.files().filter_map(|file| {
            let path = file.path();
            let name = path.file_stem()?.to_str()?;
            (path.extension()? == extension).then_some((name, file))
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_resolve() {
        let names = Library::names();
        assert!(names.contains(&"iqishiqi"));
        let mut unique = names.clone();
        unique.dedup();
        assert_eq!(names, unique);
        for name in names {
            assert_eq!(Library.resolve("x.game", name).unwrap().0, name);
        }
    }

    #[test]
    fn strangers_see_shipped_games_and_no_file() {
        assert_eq!(Shipped.resolve("x.game", "hex").unwrap().0, "hex");
        for path in ["./x.game", "/etc/passwd", "../x.game", "x.game", "games/hex.game"] {
            assert!(Shipped.resolve("mine.game", path).is_err(), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_are_not_opened() {
        let why = describe(&read_bytes(Path::new("/dev/null")).unwrap_err());
        assert_eq!(why, "it is a device or a pipe, and no plain file");
    }

    #[test]
    fn unknown_names_are_explained() {
        assert!(Library.resolve("x.game", "iqishiqui").unwrap_err().contains("did you mean `iqishiqi`"));
        assert_eq!(Library.resolve("x.game", "./none.game").unwrap_err(), "there is no such file");
    }
}
