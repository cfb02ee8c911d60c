//! Games on disk, one file each, written as a whole or not at all.

use super::message::Saved;
use crate::library::{read_bytes, state_folder};
use crate::play::table::Ended;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// A game that nobody has touched for so long is thrown away.
const LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// When there are too many, a game that was touched this lately is not thrown away for a new one.
const RECENT: Duration = Duration::from_secs(60 * 60);
/// The letters of an id: half a byte each.
const ID_LENGTH: usize = 32;

/// Why the folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the folder `{}` cannot be used: {}", .0.display(), crate::library::describe(.1))]
    Folder(PathBuf, io::Error),
    #[error("another server keeps its games in `{}`", .0.display())]
    Taken(PathBuf),
}

/// The folder with the games.
pub struct Store {
    folder: PathBuf,
    most: usize,
    /// When each game was last touched.
    known: Mutex<HashMap<String, SystemTime>>,
    /// Held as long as the server runs.
    _lock: File,
}

/// The folder that a server has unless it is given another.
pub fn usual_folder() -> PathBuf {
    state_folder().unwrap_or_else(std::env::temp_dir).join("serve")
}

/// A name for a game that nobody can guess.
pub fn new_id() -> io::Result<String> {
    let mut bytes = [0; ID_LENGTH / 2];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether a text can be an id; so no id is a path.
pub fn is_id(text: &str) -> bool {
    text.len() == ID_LENGTH && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

impl Store {
    pub fn open(folder: &Path, most: usize) -> Result<Self, StoreError> {
        let unusable = |error| StoreError::Folder(folder.to_owned(), error);
        fs::create_dir_all(folder).map_err(unusable)?;
        let lock = OpenOptions::new().create(true).append(true).open(folder.join("lock")).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::Taken(folder.to_owned())),
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        let mut known = HashMap::new();
        for entry in fs::read_dir(folder).map_err(unusable)?.filter_map(Result::ok) {
            let name = entry.file_name();
            if name.to_str().is_some_and(|name| name.ends_with(".new")) {
                // The last server was killed while it wrote; the game as it was before stands beside.
                let _ = fs::remove_file(entry.path());
            }
            let id = name.to_str().and_then(|name| name.strip_suffix(".json")).filter(|id| is_id(id));
            if let (Some(id), Ok(touched)) = (id, entry.metadata().and_then(|data| data.modified())) {
                known.insert(id.to_owned(), touched);
            }
        }
        Ok(Self { folder: folder.to_owned(), most, known: Mutex::new(known), _lock: lock })
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, SystemTime>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    pub fn has(&self, id: &str) -> bool {
        self.known().contains_key(id)
    }

    /// Whether there is room for one more, made by throwing the oldest game away if need be.
    pub fn make_room(&self) -> bool {
        let oldest = {
            let known = self.known();
            if known.len() < self.most {
                return true;
            }
            known.iter().min_by_key(|(_, touched)| **touched).map(|(id, touched)| (id.clone(), *touched))
        };
        match oldest {
            Some((id, touched)) if age(touched) > RECENT => {
                self.remove(&id);
                true
            }
            _ => false,
        }
    }

    /// A game as it was kept.
    pub fn load(&self, id: &str) -> io::Result<Saved> {
        let mut saved: Saved = serde_json::from_slice(&read_bytes(&self.path(id))?).map_err(io::Error::other)?;
        saved.ended = saved.ended.or(saved.resigned.take().map(Ended::Resigned));
        Ok(saved)
    }

    /// Writes beside the file and puts it in its place: whoever reads sees the old game or the new one.
    pub fn save(&self, id: &str, saved: &Saved) -> io::Result<()> {
        let beside = self.folder.join(format!("{id}.new"));
        let text = serde_json::to_string(saved)?;
        let written = write(&beside, text.as_bytes()).and_then(|()| fs::rename(&beside, self.path(id)));
        if written.is_err() {
            // It may not even have come into being.
            let _ = fs::remove_file(&beside);
            return written;
        }
        self.known().insert(id.to_owned(), SystemTime::now());
        Ok(())
    }

    pub fn remove(&self, id: &str) {
        self.known().remove(id);
        // What is left behind is found, and thrown away, by the next start.
        let _ = fs::remove_file(self.path(id));
    }

    /// Throws away what nobody has touched for long; the ids.
    pub fn expire(&self) -> Vec<String> {
        let old: Vec<String> =
            self.known().iter().filter(|(_, touched)| age(**touched) > LIFETIME).map(|(id, _)| id.clone()).collect();
        old.iter().for_each(|id| self.remove(id));
        old
    }
}

/// Writes a new file, to the disk itself.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_data()
}

fn age(touched: SystemTime) -> Duration {
    touched.elapsed().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::message::Source;

    fn saved() -> Saved {
        Saved {
            source: Source::Shipped { name: "hex".to_owned() },
            ruleset: None,
            options: Vec::new(),
            seats: vec!["human".to_owned()],
            plies: Vec::new(),
            now: 0,
            ended: None,
            resigned: None,
            clock: None,
            date: "2026-01-31".to_owned(),
            names: Vec::new(),
            keys: Vec::new(),
            own_dice: false,
            next: None,
            version: 1,
        }
    }

    #[test]
    fn games_come_back_and_the_folder_is_for_one_server() {
        let folder = std::env::temp_dir().join(format!("ludwright-store-{}", std::process::id()));
        let store = Store::open(&folder, 1).unwrap();
        let id = new_id().unwrap();
        store.save(&id, &saved()).unwrap();
        assert!(matches!(Store::open(&folder, 1), Err(StoreError::Taken(_))));
        assert!(!store.make_room(), "the only game is a recent one");
        drop(store);
        let store = Store::open(&folder, 2).unwrap();
        assert!(store.has(&id) && store.make_room());
        assert_eq!(store.load(&id).unwrap(), saved());
        // Games kept before there were other ends say who gave up.
        let text = serde_json::to_string(&saved()).unwrap();
        assert!(text.contains("\"ended\":null") && !text.contains("resigned"), "{text}");
        fs::write(store.path(&id), text.replace("\"ended\":null", "\"resigned\":1")).unwrap();
        assert_eq!(store.load(&id).unwrap().ended, Some(Ended::Resigned(1)));
        store.remove(&id);
        assert!(store.load(&id).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn ids_are_no_paths_and_differ() {
        assert!(!["", "..", "../../etc/passwd", &"A".repeat(32), &"a".repeat(31)].into_iter().any(is_id));
        let ids: std::collections::HashSet<String> = (0..100).map(|_| new_id().unwrap()).collect();
        assert!(ids.len() == 100 && ids.iter().all(|id| is_id(id)));
    }
}
