//! A local web page to play and to write games.

mod api;
mod assets;
mod author;
mod desk;
mod error;
mod events;
mod eye;
mod guard;
mod house;
mod lesson;
mod message;
mod patience;
mod pool;
mod session;
mod shelf;
mod store;
mod view;
mod worker;

pub use house::shipped;
pub use message::Source;
pub use store::{StoreError, usual_folder};
pub use worker::work;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use guard::{Hosts, guard};
use house::House;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use patience::Patient;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// How often what nobody needs is let go of.
const TIDY: Duration = Duration::from_secs(60);
/// How often the files of games are looked at.
const LOOK: Duration = Duration::from_millis(400);
/// How long the head of a request may take to come, and how long a connection may rest between two.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// So many connections at once; whoever comes later waits until one of them ends.
const CONNECTIONS: usize = 4096;
/// How long it is waited when no connection can be taken.
const BREATH: Duration = Duration::from_millis(50);
/// How long open connections may hold up the end.
const FAREWELL: Duration = Duration::from_secs(2);

/// What a server is to be like.
#[derive(Clone, Debug)]
pub struct Config {
    pub address: SocketAddr,
    /// Names besides its own under which it may be called.
    pub hosts: Vec<String>,
    /// The games on offer.
    pub games: Vec<Source>,
    /// Where games are kept.
    pub folder: PathBuf,
    /// As many games are kept.
    pub most: usize,
    /// As many steps a ply may take.
    pub steps: u64,
    /// Told, in a sentence, what whoever runs the server should know.
    pub complain: fn(&str),
}

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0} is in use already")]
    InUse(SocketAddr),
    #[error("{0} cannot be listened to: {1}")]
    Listen(SocketAddr, io::Error),
    #[error("the server cannot be run: {0}")]
    Run(#[from] io::Error),
}

/// Serves until it is interrupted. `ready` is told the address as soon as it can be asked.
///
/// # Errors
/// When the address or the folder cannot be had.
pub fn serve(config: Config, ready: impl FnOnce(SocketAddr) -> io::Result<()>) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(run(config, ready));
    runtime.shutdown_timeout(FAREWELL);
    served
}

async fn run(config: Config, ready: impl FnOnce(SocketAddr) -> io::Result<()>) -> Result<(), ServeError> {
    let Config { address, hosts, games, folder, most, steps, complain } = config;
    let listener = TcpListener::bind(address).await.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => ServeError::InUse(address),
        _ => ServeError::Listen(address, error),
    })?;
    let house = Arc::new(House::new(games, Store::open(&folder, most)?, steps, complain));
    let address = listener.local_addr()?;
    tokio::spawn(tidy(Arc::clone(&house)));
    if house.has_files() {
        tokio::spawn(watch_files(Arc::clone(&house)));
    }
    // The first page that is opened asks for it.
    let listed = Arc::clone(&house);
    tokio::task::spawn_blocking(move || listed.list().is_object());
    ready(address)?;
    let app = app(house, address.ip(), &hosts);
    tokio::select! {
        () = answer(&listener, &app) => {}
        () = interrupted() => {}
    }
    Ok(())
}

/// Answers whoever comes. Who does not finish a head of a request in time, or does not read the answer, is left, so that
/// nobody holds connections.
async fn answer(listener: &TcpListener, app: &Router) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                // It would only be slower.
                let _ = stream.set_nodelay(true);
                let connection =
                    http.serve_connection(TokioIo::new(Patient::new(stream)), TowerToHyperService::new(app.clone()));
                // What goes wrong with one connection is its own affair.
                tokio::spawn(async move {
                    let _place = place;
                    connection.await.is_ok()
                });
            }
            // No more files may be open, for instance; some will be closed.
            Err(_) => tokio::time::sleep(BREATH).await,
        }
    }
}

fn app(house: Arc<House>, address: IpAddr, hosts: &[String]) -> Router {
    Router::new()
        .route("/", get(assets::games))
        .route("/help", get(assets::help))
        .route("/play/{id}", get(assets::play))
        .route("/assets/{name}", get(assets::asset))
        .nest("/api", api::routes().fallback(async || StatusCode::NOT_FOUND))
        .fallback(assets::nothing)
        .with_state(house)
        .layer(from_fn_with_state(Arc::new(Hosts::new(address, hosts)), guard))
}

async fn tidy(house: Arc<House>) {
    loop {
        tokio::time::sleep(TIDY).await;
        house.tidy();
    }
}

async fn watch_files(house: Arc<House>) {
    loop {
        tokio::time::sleep(LOOK).await;
        let house = Arc::clone(&house);
        // A disk that is slow holds up nobody.
        let _ = tokio::task::spawn_blocking(move || house.look_at_files()).await;
    }
}

/// Ctrl-C, or what a system says to end a program.
async fn interrupted() {
    let ctrl_c = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let ended = async {
            match signal(SignalKind::terminate()) {
                Ok(mut signal) => {
                    signal.recv().await;
                }
                Err(_) => std::future::pending::<()>().await,
            }
        };
        tokio::select! {
            () = ctrl_c => {}
            () = ended => {}
        }
    }
    #[cfg(not(unix))]
    ctrl_c.await;
}
