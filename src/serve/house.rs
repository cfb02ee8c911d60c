//! All that one server has: its games, the workers, and the sessions that are being played.

use super::error::ApiError;
use super::events::PAGES;
use super::message::{Act, Ask, Saved, Source};
use super::pool::{Done, Pool, Trouble, Watch};
use super::session::Session;
use super::store::{Store, is_id, new_id};
use crate::author::declared::About;
use crate::library::{Library, read_bytes, unmarked};
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;
use tokio::sync::Semaphore;

/// How long a shipped game may take for one answer: its rules are known to be sound.
const SHIPPED_TIME: Duration = Duration::from_secs(30);
/// How long the rules of a stranger may.
const OWN_TIME: Duration = Duration::from_secs(5);
const CHECK_TIME: Duration = Duration::from_secs(15);
/// How long programs think at most; then the best so far is played.
pub const THINK_TIME: Duration = Duration::from_secs(60);
const OWN_THINK_TIME: Duration = Duration::from_secs(20);
/// As many questions may wait for the workers of one pool.
const QUEUE: usize = 256;
/// Strangers wait in a shorter queue.
const OWN_QUEUE: usize = 32;
/// Whoever plays goes before programs that think, these before rules of strangers and before texts that are written.
const THINKERS: u8 = 5;
const STRANGERS: u8 = 10;
/// A session that nobody asks about for so long is only on disk.
const IDLE: Duration = Duration::from_secs(10 * 60);

/// Who answers what. Rules of strangers have workers of their own, so that they hold up nobody else.
pub struct Pools {
    shipped: Pool,
    own: Pool,
    thinkers: Pool,
    own_thinkers: Pool,
    checks: Pool,
    /// Whoever writes waits for nobody's tests.
    tests: Pool,
    /// Nobody's move waits for the pictures of a list of games.
    pictures: Pool,
}

impl Pools {
    fn new(steps: u64) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            shipped: Pool::new(cores, QUEUE, SHIPPED_TIME, steps, 0),
            own: Pool::new(2, OWN_QUEUE, OWN_TIME, steps, STRANGERS),
            thinkers: Pool::new(cores, QUEUE, THINK_TIME, steps, THINKERS),
            own_thinkers: Pool::new(1, OWN_QUEUE, OWN_THINK_TIME, steps, STRANGERS),
            checks: Pool::new(2, OWN_QUEUE, CHECK_TIME, steps, STRANGERS),
            tests: Pool::new(1, OWN_QUEUE, CHECK_TIME, steps, STRANGERS),
            pictures: Pool::new(cores, QUEUE, SHIPPED_TIME, steps, THINKERS),
        }
    }

    pub async fn ask(&self, ask: &Ask, watch: Option<Watch<'_>>) -> Result<Done, Trouble> {
        let is_own = |source: &Source| matches!(source, Source::Own { .. });
        let (pool, key) = match ask {
            Ask::Check { .. } | Ask::Format { .. } | Ask::About { .. } => (&self.checks, ""),
            Ask::Test { .. } => (&self.tests, ""),
            Ask::Facts { source } | Ask::Picture { source, .. } if is_own(source) => (&self.own, ""),
            Ask::Facts { source } | Ask::Picture { source, .. } => (&self.pictures, source.name().unwrap_or("")),
            Ask::Table { id, saved, act, .. } => {
                let pool = match (act, is_own(&saved.source)) {
                    (Act::Think | Act::Hint { .. } | Act::Lesson, true) => &self.own_thinkers,
                    (Act::Think | Act::Hint { .. }, false) => &self.thinkers,
                    (Act::Lesson, false) => &self.pictures,
                    (_, true) => &self.own,
                    (_, false) => &self.shipped,
                };
                (pool, id.as_str())
            }
        };
        pool.ask(key, ask, watch).await
    }
}

/// The server behind its addresses.
pub struct House {
    /// The games on offer, with the texts of their files as they are now.
    games: RwLock<Vec<Source>>,
    list: Mutex<Option<Arc<Value>>>,
    pictures: Mutex<HashMap<(String, bool), Arc<str>>>,
    pub pools: Pools,
    pub store: Arc<Store>,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    /// Told what whoever runs the server should know.
    complain: fn(&str),
    /// How many more pages may be told what happens.
    pub pages: Arc<Semaphore>,
}

impl House {
    pub fn new(games: Vec<Source>, store: Store, steps: u64, complain: fn(&str)) -> Self {
        Self {
            games: RwLock::new(games),
            list: Mutex::default(),
            pictures: Mutex::default(),
            pools: Pools::new(steps),
            store: Arc::new(store),
            sessions: Mutex::default(),
            complain,
            pages: Arc::new(Semaphore::new(PAGES)),
        }
    }

    fn games(&self) -> RwLockReadGuard<'_, Vec<Source>> {
        self.games.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The games on offer with what their files say of them.
    pub fn list(&self) -> Arc<Value> {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || Arc::new(json!({ "games": self.games().iter().map(entry).collect::<Vec<_>>() }));
        Arc::clone(list.get_or_insert_with(made))
    }

    pub fn game(&self, name: &str) -> Result<Source, ApiError> {
        let games = self.games();
        games.iter().find(|game| game.name() == Some(name)).cloned().ok_or_else(|| ApiError::no_game(name))
    }

    /// Whether any game on offer is a file, which may change while it is played.
    pub fn has_files(&self) -> bool {
        self.games().iter().any(|game| game.path().is_some())
    }

    /// Reads the files of games again; the pages of those that have changed are told.
    pub fn look_at_files(&self) {
        let known = self.games().clone();
        let fresh: Vec<Source> = known.iter().filter_map(changed).collect();
        if fresh.is_empty() {
            return;
        }
        for game in self.games.write().unwrap_or_else(PoisonError::into_inner).iter_mut() {
            if let Some(fresh) = fresh.iter().find(|fresh| fresh.name() == game.name()) {
                *game = fresh.clone();
            }
        }
        *self.list.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.pictures.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let sessions: Vec<Arc<Session>> = self.sessions().values().cloned().collect();
        for session in sessions {
            session.compare(&self.games());
        }
    }

    /// The picture of a game, drawn once.
    pub async fn picture(&self, name: &str, dark: bool) -> Result<Arc<str>, ApiError> {
        let source = self.game(name)?;
        let key = (name.to_owned(), dark);
        let known = |pictures: &Mutex<HashMap<_, _>>| {
            pictures.lock().unwrap_or_else(PoisonError::into_inner).get(&key).map(Arc::clone)
        };
        if let Some(picture) = known(&self.pictures) {
            return Ok(picture);
        }
        let done = self.pools.ask(&Ask::Picture { source, dark }, None).await?;
        let picture: Arc<str> = done.body.as_str().unwrap_or_default().into();
        self.pictures.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&picture));
        Ok(picture)
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a game: only one that can be played gets an id.
    pub async fn begin(&self, saved: Saved) -> Result<Arc<Session>, ApiError> {
        if !self.store.make_room() {
            return Err(ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "full",
                "there are too many games here already",
            )
            .help("try again later; games that nobody plays any more make room"));
        }
        let id = new_id().map_err(|error| ApiError::disk(&error))?;
        let session = Arc::new(Session::new(id, saved));
        session.open(self).await?;
        session.write(self).await?;
        self.sessions().insert(session.id.clone(), Arc::clone(&session));
        // Its file may have changed meanwhile, when nobody knew of it yet.
        session.compare(&self.games());
        Ok(session)
    }

    /// A session that is known, or was before the server began.
    pub async fn session(&self, id: &str) -> Result<Arc<Session>, ApiError> {
        if !is_id(id) || !self.store.has(id) {
            return Err(ApiError::no_session());
        }
        if let Some(session) = self.sessions().get(id) {
            return Ok(Arc::clone(session));
        }
        let (store, name) = (Arc::clone(&self.store), id.to_owned());
        let saved = match blocking(move || store.load(&name)).await? {
            Ok(saved) => saved,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(ApiError::no_session()),
            Err(error) => {
                let damaged = ApiError::damaged(id, &error);
                (self.complain)(damaged.message());
                return Err(damaged);
            }
        };
        let fresh = Arc::new(Session::new(id.to_owned(), saved));
        fresh.compare(&self.games());
        // Somebody else may have asked for it meanwhile.
        Ok(Arc::clone(self.sessions().entry(id.to_owned()).or_insert(fresh)))
    }

    pub fn forget(&self, id: &str) {
        if let Some(session) = self.sessions().remove(id) {
            session.end();
        }
        self.store.remove(id);
    }

    /// Lets go of what nobody asks about.
    pub fn tidy(&self) {
        for id in self.store.expire() {
            self.sessions().remove(&id);
        }
        self.sessions().retain(|_, session| Arc::strong_count(session) > 1 || session.idle() < IDLE);
    }
}

/// A game as the list has it.
fn entry(source: &Source) -> Value {
    let About { title, author, year, summary, players, chance, extends } = About::of(&source.project());
    let family = match source {
        Source::Shipped { name } => Library::family(name),
        Source::File { .. } | Source::Own { .. } => None,
    };
    json!({
        "name": source.name(),
        "title": title,
        "author": author,
        "year": year,
        "summary": summary,
        "players": players.map(|(few, many)| [few, many]),
        "chance": chance,
        "family": family,
        "extends": extends,
        "lines": lines(source.text()),
    })
}

/// How many lines of rules a text has: tests and games played stand below them.
fn lines(text: &str) -> usize {
    let rules =
        text.lines().map(str::trim).take_while(|line| !line.starts_with("test ") && !line.starts_with("record "));
    rules.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

/// A game with the text that its file has now, if that is another one. A file that cannot be read is just being written.
fn changed(game: &Source) -> Option<Source> {
    let Source::File { name, path, text } = game else { return None };
    let now = unmarked(String::from_utf8(read_bytes(Path::new(path)).ok()?).ok()?);
    (now != *text && !now.is_empty()).then(|| Source::File { name: name.clone(), path: path.clone(), text: now })
}

/// Runs what waits for the disk beside the threads that answer.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "broken", "something broke in the server"))
}

/// The games of the program.
pub fn shipped() -> Vec<Source> {
    Library::names().into_iter().map(|name| Source::Shipped { name: name.to_owned() }).collect()
}
