//! What happens in a game, told to the pages that look at it while it happens.

use super::error::ApiError;
use super::house::House;
use super::session::Session;
use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::body::{Body as Streamed, Frame};
use serde_json::Value;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// As many pages may be told at the same time; any further one asks again and again.
pub const PAGES: usize = 1024;
/// How often something is said where nothing happens, so that both sides notice when the other is gone.
const BEAT: Duration = Duration::from_secs(10);
/// A page that takes nothing for so long is left.
const PATIENCE: Duration = Duration::from_secs(20);

/// A body that is said piece by piece. It holds no thread, and its place is free when it is dropped.
struct Events {
    receiver: Receiver<Bytes>,
    _place: OwnedSemaphorePermit,
}

impl Streamed for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.receiver.poll_recv(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}

/// Tells a page what happens from a version on that it has seen. The seats are the one where it says that it sits, and the one
/// that it has the key of.
pub fn tell(
    house: &Arc<House>,
    session: Arc<Session>,
    seen: Option<u64>,
    seats: (Option<usize>, Option<usize>),
    places: &Arc<Semaphore>,
) -> Result<Response, ApiError> {
    let place = Arc::clone(places).try_acquire_owned().map_err(|_| {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "too many pages look on").help("ask for the status")
    })?;
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(watch(Arc::clone(house), session, seen, seats, sender));
    let headers = [(header::CONTENT_TYPE, "text/event-stream")];
    Ok((headers, Body::new(Events { receiver, _place: place })).into_response())
}

/// One page's share of what happens. What comes faster than it reads is told as it stands at last.
async fn watch(
    house: Arc<House>,
    session: Arc<Session>,
    mut seen: Option<u64>,
    (seat, own): (Option<usize>, Option<usize>),
    sender: Sender<Bytes>,
) {
    let mut changes = session.changes();
    let _present = session.arrive(seat);
    let mut told = Value::Null;
    loop {
        changes.mark_unchanged();
        session.touch();
        let Ok(view) = session.open_for(&house, own).await else { return };
        session.drive(&house);
        let mut text = String::new();
        let version = view["version"].as_u64();
        if version != seen {
            seen = version;
            text.push_str(&format!("id: {}\nevent: view\ndata: {view}\n\n", version.unwrap_or(0)));
        }
        let status = session.status();
        if status != told {
            text.push_str(&format!("event: status\ndata: {status}\n\n"));
            told = status;
        }
        if text.is_empty() {
            text.push_str(": still here\n\n");
        }
        match timeout(PATIENCE, sender.send(text.into())).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => return,
        }
        tokio::select! {
            changed = changes.changed() => if changed.is_err() || session.has_ended() { return },
            () = sender.closed() => return,
            () = tokio::time::sleep(BEAT) => {}
        }
    }
}
