//! Files of lines that long work adds to: nobody else writes to one meanwhile, and what a program was ended in the middle of is
//! dropped.

use super::error::CliError;
use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// Is given every line with its number, and says whether it belongs there.
pub type Take<'t> = dyn FnMut(u64, &[u8]) -> Result<(), CliError> + 't;

/// A file of lines that is added to.
pub struct Appended {
    file: File,
    path: PathBuf,
    /// Where half a line begins that is dropped as soon as something is added.
    half: Option<u64>,
}

impl Appended {
    /// A file that is there, or a new one. Two programs that write to one file would each spoil what the other writes, so it is
    /// locked before anything is read. Where files cannot be locked, as some disks of a network cannot, nobody is kept off.
    pub fn open(path: &Path) -> Result<Self, CliError> {
        let opened = File::options().create(true).read(true).append(true).open(path);
        let file = opened.map_err(|error| CliError::write(path, error))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let help = "wait for it to end, or name another file".to_owned();
                let message = format!("another program is writing to `{}`", path.display());
                Err(CliError::coded("in_use", message, Some(help)))
            }
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self { file, path: path.to_owned(), half: None }),
        }
    }

    /// Hands over every line with its number. Half a line at the end is dropped when something is added, and not before: the file
    /// may be somebody else's. So half a line alone must begin as the first line of such a file does.
    pub fn read(&mut self, begins: &[u8], take: &mut Take<'_>) -> Result<(), CliError> {
        let mut lines = BufReader::new(&self.file);
        let (mut line, mut whole) = (Vec::new(), 0);
        for number in 1.. {
            line.clear();
            let read = lines.read_until(b'\n', &mut line).map_err(|error| CliError::read(&self.path, error))?;
            let Some(text) = line.strip_suffix(b"\n") else { break };
            whole += read as u64;
            if !text.is_empty() {
                take(number, text)?;
            }
        }
        let shared = begins.len().min(line.len());
        if whole == 0 && line.get(..shared) != begins.get(..shared) {
            let message = format!("`{}` holds something else", self.path.display());
            return Err(CliError::coded("exists", message, Some("name another file".to_owned())));
        }
        self.half = (!line.is_empty()).then_some(whole);
        Ok(())
    }

    /// Drops all that is in it.
    pub fn clear(&mut self) -> Result<(), CliError> {
        self.half = None;
        self.cut(0)
    }

    fn cut(&mut self, length: u64) -> Result<(), CliError> {
        self.file.set_len(length).map_err(|error| CliError::write(&self.path, error))
    }

    /// One more line, in one piece, so that whatever ends the program leaves whole lines.
    pub fn add(&mut self, line: &[u8]) -> Result<(), CliError> {
        if let Some(half) = self.half.take() {
            self.cut(half)?;
        }
        self.file.write_all(line).map_err(|error| CliError::write(&self.path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_in_use_is_not_even_read_and_half_a_line_is_dropped_once_the_others_were_taken() {
        let path = std::env::temp_dir().join(format!("ludwright-append-{}", std::process::id()));
        fs::write(&path, "one\n\ntwo\nthr").unwrap();
        let mut held = Appended::open(&path).unwrap();
        assert!(matches!(Appended::open(&path), Err(CliError::Message { code: "in_use", .. })));
        assert!(held.read(b"o", &mut |_, _| Err(CliError::message("no"))).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\n\ntwo\nthr");
        drop(held);
        let mut file = Appended::open(&path).unwrap();
        let mut seen = Vec::new();
        file.read(b"one", &mut |number, line| {
            seen.push((number, String::from_utf8_lossy(line).into_owned()));
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, [(1, "one".to_owned()), (3, "two".to_owned())]);
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\n\ntwo\nthr", "nothing is added yet");
        file.add(b"three\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\n\ntwo\nthree\n");
        file.clear().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
        drop(file);
        fs::write(&path, "of somebody else").unwrap();
        let mut file = Appended::open(&path).unwrap();
        let other = file.read(b"one", &mut |_, _| Ok(()));
        assert!(matches!(other, Err(CliError::Message { code: "exists", .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), "of somebody else");
        drop(file);
        // Half a first line alone is what a program leaves that was ended in the middle of it.
        for half in ["o", "one tw"] {
            fs::write(&path, half).unwrap();
            let mut file = Appended::open(&path).unwrap();
            file.read(b"one", &mut |_, _| Ok(())).unwrap();
            file.add(b"one two\n").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "one two\n");
        }
        fs::remove_file(&path).unwrap();
    }
}
