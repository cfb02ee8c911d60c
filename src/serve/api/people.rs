//! What people at one game do besides playing: taking seats, giving names, asking each other for something, and another game.

use super::{Answer, Body, Key, Shared, change, entered, finish, json_of, only_own, opened};
use crate::date::today;
use crate::play::clock::Clock;
use crate::play::table::Ended;
use crate::serve::error::ApiError;
use crate::serve::message::{Act, Next, Saved};
use crate::serve::session::Wish;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

/// No name of a person is longer.
const MAX_NAME: usize = 40;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Seats {
    seats: Vec<String>,
}

pub(super) async fn sit(
    State(house): Shared,
    Path(id): Path<String>,
    Query(Key { key }): Query<Key>,
    Body(wish): Body<Seats>,
) -> Answer {
    let (session, seat) = entered(&house, &id, key.as_deref()).await?;
    let view = finish(async move {
        let sat = session.sit(&house, wish.seats, seat).await;
        session.drive(&house);
        sat?;
        session.open_for(&house, seat).await
    })
    .await?;
    Ok(json_of(&*view))
}

/// The seat of a game that hides something that somebody wants to play.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claim {
    seat: Option<usize>,
}

pub(super) async fn claim(State(house): Shared, Path(id): Path<String>, Body(wish): Body<Claim>) -> Answer {
    let session = opened(&house, &id).await?;
    let (seat, key) = finish(async move { session.claim(&house, wish.seat).await }).await?;
    Ok(json_of(json!({ "seat": seat, "key": key })))
}

/// What the person at a seat is called.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Called {
    seat: usize,
    name: String,
}

pub(super) async fn name(
    State(house): Shared,
    Path(id): Path<String>,
    Query(Key { key }): Query<Key>,
    Body(wish): Body<Called>,
) -> Answer {
    let (session, seat) = entered(&house, &id, key.as_deref()).await?;
    only_own(&house, &session, seat, wish.seat).await?;
    let name: String = wish.name.trim().chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
    let view = finish(async move {
        session
            .note(&house, |saved| {
                saved.names.resize(saved.seats.len(), String::new());
                if let Some(place) = saved.names.get_mut(wish.seat) {
                    *place = name;
                }
            })
            .await?;
        session.open_for(&house, seat).await
    })
    .await?;
    Ok(json_of(&*view))
}

/// Takes a move back at once if nobody else plays along, and asks the others first if somebody does. A draw is always
/// offered to the other player, and agreed when he has offered one as well.
pub(super) async fn request(
    State(house): Shared,
    Path(id): Path<String>,
    Query(key): Query<Key>,
    Body(wish): Body<Wish>,
) -> Answer {
    let (session, seat) = entered(&house, &id, key.key.as_deref()).await?;
    only_own(&house, &session, seat, wish.seat()).await?;
    let asked = session.requested();
    let both = matches!((wish, asked), (Wish::Draw(seat), Some(Wish::Draw(other))) if seat != other);
    let alone = matches!(wish, Wish::Undo(seat) if !session.has_others(seat));
    // Whether it is taken back at all is found by trying.
    if both || alone || matches!(wish, Wish::Undo(_)) && session.hides(&house).await? {
        return change(house, (id, key), None, granted(wish)).await;
    }
    if matches!(wish, Wish::Draw(_)) && !session.open(&house).await.is_ok_and(|view| may_be_drawn(&view)) {
        return Err(ApiError::new(StatusCode::CONFLICT, "nothing_to_do", "no draw can be agreed on in this game"));
    }
    session.request(Some(wish));
    Ok(json_of(session.status()))
}

/// Whether two people may agree on a draw now.
fn may_be_drawn(view: &Value) -> bool {
    view["draws"] == true && view["over"] == false
}

/// What is done when a wish is granted.
fn granted(wish: Wish) -> Act {
    match wish {
        Wish::Undo(_) => Act::Undo,
        Wish::Draw(_) => Act::End { ended: Ended::Agreed },
    }
}

/// What is said to a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Said {
    yes: bool,
    /// The request that is answered; it may have been replaced by another one meanwhile.
    to: Option<Wish>,
    version: Option<u64>,
}

pub(super) async fn answer(
    State(house): Shared,
    Path(id): Path<String>,
    Query(key): Query<Key>,
    Body(wish): Body<Said>,
) -> Answer {
    let (session, seat) = entered(&house, &id, key.key.as_deref()).await?;
    let Some(asked) = session.requested() else {
        return Err(ApiError::new(StatusCode::CONFLICT, "nothing_to_do", "nobody asks for anything now"));
    };
    if wish.to.is_some_and(|to| to != asked) {
        return Err(ApiError::new(StatusCode::CONFLICT, "changed", "something else is asked for by now"));
    }
    // Whoever has asked may take it back, and only somebody else may grant it.
    let is_other = seat.is_some_and(|seat| seat != asked.seat());
    if (wish.yes || seat.is_none()) && !is_other && session.hides(&house).await? {
        let message = "in a game that hides something only the person at another seat can answer this";
        return Err(ApiError::new(StatusCode::FORBIDDEN, "not_yours", message));
    }
    if wish.yes {
        return change(house, (id, key), wish.version, granted(asked)).await;
    }
    session.request(None);
    Ok(json_of(session.status()))
}

/// Another game between the same people, perhaps with their seats changed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rematch {
    #[serde(default)]
    swap: bool,
}

pub(super) async fn rematch(
    State(house): Shared,
    Path(id): Path<String>,
    Query(Key { key }): Query<Key>,
    Body(wish): Body<Rematch>,
) -> Answer {
    let (session, _) = entered(&house, &id, key.as_deref()).await?;
    let view = finish(async move {
        let before = session.saved().await;
        // Whoever comes second goes to the game that the first one has begun.
        if let Some(next) = &before.next
            && let Ok(next) = house.session(&next.id).await
        {
            return next.open_for(&house, next.seat_of(key.as_deref()).await?).await;
        }
        let fresh = Saved { plies: Vec::new(), now: 0, ended: None, next: None, date: today(), version: 1, ..before };
        let mut saved = fresh;
        saved.clock = saved.clock.as_ref().map(Clock::wound_up);
        saved.names.resize(saved.seats.len(), String::new());
        let moved = usize::from(wish.swap);
        saved.seats.rotate_right(moved);
        saved.names.rotate_right(moved);
        saved.keys.resize(saved.seats.len(), String::new());
        saved.keys.rotate_right(moved);
        let next = house.begin(saved).await?;
        session.note(&house, |saved| saved.next = Some(Next { id: next.id.clone(), moved })).await?;
        next.drive(&house);
        next.open_for(&house, next.seat_of(key.as_deref()).await?).await
    })
    .await?;
    Ok(json_of(&*view))
}
