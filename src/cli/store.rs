//! Files that long work fills: they get their name when they are whole, and none is overwritten unasked.

use super::error::CliError;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What was written longer ago than this is in the file, should the program be killed.
const KEPT_BACK: Duration = Duration::from_secs(1);

/// Writes a whole file: old or new, never half. What is there already is an error unless `force` is given.
pub fn write_whole(path: &Path, force: bool, bytes: &[u8]) -> Result<(), CliError> {
    let mut store = Store::create(path, force)?;
    store.write(bytes)?;
    store.finish()
}

/// A file that is written at the end of long work, which must not show only then that it cannot be written.
pub fn promised(path: Option<&PathBuf>, force: bool) -> Result<Option<Store>, CliError> {
    path.map(|path| Store::create(path, force)).transpose()
}

/// Where lines go to: a file, or standard output for `-`.
pub struct Store {
    out: BufWriter<Box<dyn Write>>,
    /// When all that had been written went to the file.
    flushed: Instant,
    fresh: Option<Fresh>,
}

/// A file that gets its name when it is whole.
struct Fresh {
    name: PathBuf,
    /// What it is called until then.
    beside: PathBuf,
    file: File,
}

impl Store {
    /// A new store. What is there already is an error unless `force` is given.
    pub fn create(path: &Path, force: bool) -> Result<Self, CliError> {
        let failed = |error| CliError::write(path, error);
        if is_stdout(path) {
            return Ok(Self::to(BufWriter::new(Box::new(io::stdout())), None));
        }
        let known = fs::metadata(path).ok();
        if known.as_ref().is_some_and(|data| !data.is_file()) {
            // What is no plain file, as a device, cannot be replaced.
            let out = File::options().write(true).open(path).map_err(failed)?;
            return Ok(Self::to(BufWriter::new(Box::new(out)), None));
        }
        if known.is_some() && !force {
            let help = "choose another name, or overwrite it with `--force`".to_owned();
            return Err(CliError::coded("exists", format!("`{}` exists already", path.display()), Some(help)));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let beside = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
        let file = File::create(&beside).map_err(failed)?;
        let out = file.try_clone().map_err(failed)?;
        let fresh = Some(Fresh { name: path.to_owned(), beside, file });
        Ok(Self::to(BufWriter::with_capacity(1 << 18, Box::new(out)), fresh))
    }

    fn to(out: BufWriter<Box<dyn Write>>, fresh: Option<Fresh>) -> Self {
        Self { out, flushed: Instant::now(), fresh }
    }

    /// Writes one line or more.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        let mut written = self.out.write_all(bytes);
        if self.flushed.elapsed() > KEPT_BACK {
            written = written.and_then(|()| self.out.flush());
            self.flushed = Instant::now();
        }
        written.map_err(|error| self.failed(error))
    }

    /// All is written, to the disk itself: the file gets its name.
    pub fn finish(mut self) -> Result<(), CliError> {
        let flushed = self.out.flush();
        flushed.map_err(|error| self.failed(error))?;
        let Some(fresh) = &self.fresh else { return Ok(()) };
        let named = fresh.file.sync_all().and_then(|()| fs::rename(&fresh.beside, &fresh.name));
        named.map_err(|error| self.failed(error))?;
        self.fresh = None;
        Ok(())
    }

    fn failed(&self, error: io::Error) -> CliError {
        match &self.fresh {
            Some(fresh) => CliError::write(&fresh.name, error),
            None => CliError::Output(error),
        }
    }
}

impl Drop for Store {
    /// What was not finished is of no use to anybody.
    fn drop(&mut self) {
        if let Some(fresh) = &self.fresh {
            let _ = fs::remove_file(&fresh.beside);
        }
    }
}

/// Writes a file as a whole: what stands beside it under another name takes its place.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    // A link stays one: what it leads to is replaced.
    let path = fs::canonicalize(path)?;
    let permissions = fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied));
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let beside = folder.join(format!(".{name}.{}.tmp", std::process::id()));
    let written = fs::File::create_new(&beside)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.set_permissions(permissions)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&beside, &path));
    if written.is_err() {
        // Nobody else knows of it.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Whether one of the files is standard output. Only one thing can go there: the answer in JSON, or a file. Nor can two things go
/// to one file.
pub fn goes_to_stdout(json: bool, files: &[&Option<PathBuf>]) -> Result<bool, CliError> {
    let mut named: Vec<PathBuf> = files.iter().filter_map(|file| file.as_deref()).map(place).collect();
    named.retain(|path| !is_stdout(path));
    named.sort();
    if let Some([same, _]) = named.array_windows().find(|[one, other]| one == other) {
        let help = "name another file for one of the two".to_owned();
        let message = format!("two things would be written to `{}`", same.display());
        return Err(CliError::coded("exists", message, Some(help)));
    }
    match files.iter().filter(|file| file.as_deref().is_some_and(is_stdout)).count() {
        0 => Ok(false),
        1 if !json => Ok(true),
        _ => Err(CliError::two_outputs()),
    }
}

/// A name as it is whatever folder it is said from.
fn place(path: &Path) -> PathBuf {
    if is_stdout(path) { path.to_owned() } else { std::path::absolute(path).unwrap_or_else(|_| path.to_owned()) }
}

/// Whether a name stands for standard output.
#[must_use]
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_when_it_is_whole_and_is_not_overwritten_unasked() {
        let folder = std::env::temp_dir().join(format!("ludwright-store-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("games.jsonl");
        let mut store = Store::create(&path, false).unwrap();
        store.write(b"one\n").unwrap();
        assert!(!path.exists());
        store.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one\n");
        assert!(Store::create(&path, false).is_err());
        let mut store = Store::create(&path, true).unwrap();
        store.write(b"two\n").unwrap();
        drop(store);
        assert_eq!(fs::read(&path).unwrap(), b"one\n");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left behind");
        fs::remove_dir_all(&folder).unwrap();
    }
}
