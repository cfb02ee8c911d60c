//! All that one server has: its games, the workers, and the sessions that are being played.

use super::error::ApiError;
use super::events::PAGES;
use super::message::{Act, Ask, Saved, Source};
use super::pool::{Done, Pool, Trouble, Watch};
use super::session::Session;
use super::store::{Store, is_id, new_id};
use crate::author::declared::About;
use crate::library::Library;
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
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
/// A session that nobody asks about for so long is only on disk.
const IDLE: Duration = Duration::from_secs(10 * 60);

/// Who answers what. Rules of strangers have workers of their own, so that they hold up nobody else.
pub struct Pools {
    shipped: Pool,
    own: Pool,
    thinkers: Pool,
    own_thinkers: Pool,
    checks: Pool,
    /// Nobody's move waits for the pictures of a list of games.
    pictures: Pool,
}

impl Pools {
    fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            shipped: Pool::new(cores, QUEUE, SHIPPED_TIME),
            own: Pool::new(2, OWN_QUEUE, OWN_TIME),
            thinkers: Pool::new(cores, QUEUE, THINK_TIME),
            own_thinkers: Pool::new(1, OWN_QUEUE, OWN_THINK_TIME),
            checks: Pool::new(2, OWN_QUEUE, CHECK_TIME),
            pictures: Pool::new(cores, QUEUE, SHIPPED_TIME),
        }
    }

    pub async fn ask(&self, ask: &Ask, watch: Option<Watch<'_>>) -> Result<Done, Trouble> {
        let is_own = |source: &Source| matches!(source, Source::Own { .. });
        let (pool, key) = match ask {
            Ask::Check { .. } | Ask::Format { .. } | Ask::About { .. } => (&self.checks, ""),
            Ask::Facts { source } | Ask::Picture { source, .. } if is_own(source) => (&self.own, ""),
            Ask::Facts { source } | Ask::Picture { source, .. } => (&self.pictures, source.name().unwrap_or("")),
            Ask::Table { id, saved, act } => {
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
    games: Vec<Source>,
    list: OnceLock<Value>,
    pictures: Mutex<HashMap<(String, bool), Arc<str>>>,
    pub pools: Pools,
    pub store: Arc<Store>,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    /// How many more pages may be told what happens.
    pub pages: Arc<Semaphore>,
}

impl House {
    pub fn new(games: Vec<Source>, store: Store) -> Self {
        Self {
            games,
            list: OnceLock::new(),
            pictures: Mutex::default(),
            pools: Pools::new(),
            store: Arc::new(store),
            sessions: Mutex::default(),
            pages: Arc::new(Semaphore::new(PAGES)),
        }
    }

    /// The games on offer with what their files say of them.
    pub fn list(&self) -> &Value {
        self.list.get_or_init(|| {
            let about = |source: &Source| {
                let About { title, author, year, summary } = About::of(&source.project());
                json!({ "name": source.name(), "title": title, "author": author, "year": year, "summary": summary })
            };
            json!({ "games": self.games.iter().map(about).collect::<Vec<_>>() })
        })
    }

    pub fn game(&self, name: &str) -> Result<&Source, ApiError> {
        self.games.iter().find(|game| game.name() == Some(name)).ok_or_else(|| ApiError::no_game(name))
    }

    /// The picture of a game, drawn once.
    pub async fn picture(&self, name: &str, dark: bool) -> Result<Arc<str>, ApiError> {
        let source = self.game(name)?.clone();
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
        let saved = blocking(move || store.load(&name)).await?.map_err(|_| ApiError::no_session())?;
        let fresh = Arc::new(Session::new(id.to_owned(), saved));
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
