//! The addresses that programs ask: games, sessions, and what authors need. docs/serve.md describes them.

mod people;

use super::error::ApiError;
use super::events::tell;
use super::guard::PICTURES;
use super::house::House;
use super::message::{Act, Ask, Pick, Ply, Saved, Source};
use super::session::Session;
use crate::date::today;
use crate::diagnostic::{Code, page};
use crate::game::Record;
use crate::play::clock::Clock;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use people::{answer, claim, name, rematch, request, sit};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// No request is nearly as long.
const MAX_BODY: usize = 512 << 10;
/// A rule text from a page; the longest known one has some 20 kB.
const MAX_TEXT: usize = 128 << 10;
/// A body comes in this time or not at all.
const BODY_TIME: Duration = Duration::from_secs(20);
/// Who gives hints, and how long he thinks.
const ADVISER: &str = "hard:1s";

type Shared = State<Arc<House>>;
type Answer = Result<Response, ApiError>;

pub fn routes() -> Router<Arc<House>> {
    Router::new()
        .route("/games", get(games))
        .route("/games/{name}", get(facts))
        .route("/games/{name}/text", get(text))
        .route("/games/{name}/picture.svg", get(picture))
        .route("/sessions", post(begin))
        .route("/sessions/{id}", get(view).delete(end))
        .route("/sessions/{id}/status", get(status))
        .route("/sessions/{id}/events", get(events))
        .route("/sessions/{id}/lesson", get(lesson))
        .route("/sessions/{id}/board.svg", get(board))
        .route("/sessions/{id}/record", get(record))
        .route("/sessions/{id}/text", get(session_text))
        .route("/sessions/{id}/facts", get(session_facts))
        .route("/sessions/{id}/choices", post(choices))
        .route("/sessions/{id}/why", post(why))
        .route("/sessions/{id}/moves", post(play))
        .route("/sessions/{id}/undo", post(undo))
        .route("/sessions/{id}/redo", post(redo))
        .route("/sessions/{id}/goto", post(go_to))
        .route("/sessions/{id}/resign", post(resign))
        .route("/sessions/{id}/seats", post(sit))
        .route("/sessions/{id}/claim", post(claim))
        .route("/sessions/{id}/names", post(name))
        .route("/sessions/{id}/request", post(request))
        .route("/sessions/{id}/answer", post(answer))
        .route("/sessions/{id}/rematch", post(rematch))
        .route("/sessions/{id}/stop", post(stop))
        .route("/sessions/{id}/retry", post(retry))
        .route("/sessions/{id}/hint", post(hint))
        .route("/check", post(check))
        .route("/test", post(test))
        .route("/format", post(format))
        .route("/hover", post(hover))
        .route("/complete", post(complete))
        .route("/explain/{code}", get(explain))
        .layer(DefaultBodyLimit::max(MAX_BODY))
}

/// A body of JSON that says it is one: no form of another site can send that.
struct Body<T>(T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
        if kind.split(';').next().map(str::trim) != Some("application/json") {
            let message = "the body must be JSON, with the content type `application/json`";
            return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", message));
        }
        let too_large = || {
            let message = format!("a request holds at most {MAX_BODY} bytes");
            ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
        };
        let announced = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
        if announced.and_then(|length| length.parse().ok()).is_some_and(|length: usize| length > MAX_BODY) {
            return Err(too_large());
        }
        let body = tokio::time::timeout(BODY_TIME, Bytes::from_request(request, state)).await;
        let late = || ApiError::new(StatusCode::REQUEST_TIMEOUT, "too_slow", "the request does not come to its end");
        let bytes = body.map_err(|_| late())?.map_err(|error| match error.status() {
            StatusCode::PAYLOAD_TOO_LARGE => too_large(),
            status => ApiError::new(status, "bad_request", "the body cannot be read"),
        })?;
        serde_json::from_slice(&bytes)
            .map(Self)
            .map_err(|error| ApiError::bad_request(format!("the body is not what is asked for: {error}")))
    }
}

fn json_of(value: impl serde::Serialize) -> Response {
    Json(value).into_response()
}

fn svg(text: String) -> Response {
    let headers = [(header::CONTENT_TYPE, "image/svg+xml"), (header::CONTENT_SECURITY_POLICY, PICTURES)];
    (headers, text).into_response()
}

fn plain(text: String) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

/// What is begun is finished, also when the page does not wait for it.
async fn finish<T: Send + 'static>(
    work: impl Future<Output = Result<T, ApiError>> + Send + 'static,
) -> Result<T, ApiError> {
    let broken = |_| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "broken", "something broke in the server");
    tokio::spawn(work).await.map_err(broken)?
}

async fn games(State(house): Shared) -> Answer {
    let list = super::house::blocking(move || house.list()).await?;
    Ok(json_of(&*list))
}

async fn facts(State(house): Shared, Path(name): Path<String>) -> Answer {
    let source = house.game(&name)?;
    Ok(json_of(house.pools.ask(&Ask::Facts { source }, None).await?.body))
}

async fn text(State(house): Shared, Path(name): Path<String>) -> Answer {
    Ok(plain(house.game(&name)?.text().to_owned()))
}

/// How a picture is wanted.
#[derive(Deserialize)]
struct Look {
    #[serde(default)]
    theme: String,
    ply: Option<usize>,
    key: Option<String>,
}

impl Look {
    fn is_dark(&self) -> bool {
        self.theme == "dark"
    }
}

async fn picture(State(house): Shared, Path(name): Path<String>, Query(look): Query<Look>) -> Answer {
    let picture = house.picture(&name, look.is_dark()).await?;
    let mut response = svg(picture.to_string());
    response.headers_mut().insert(header::CACHE_CONTROL, header::HeaderValue::from_static("private, max-age=3600"));
    Ok(response)
}

/// A new game.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Begin {
    /// A game on offer, or
    game: Option<String>,
    /// rules of one's own, or
    text: Option<String>,
    /// the rules of another session.
    from: Option<String>,
    ruleset: Option<String>,
    #[serde(default)]
    options: Map<String, Value>,
    #[serde(default)]
    seats: Vec<String>,
    /// A saved game to go on with.
    record: Option<String>,
    /// The time that everybody has.
    clock: Option<Clock>,
    /// People roll dice of their own.
    #[serde(default)]
    own_dice: bool,
}

async fn begin(State(house): Shared, Body(wish): Body<Begin>) -> Answer {
    let source = match (&wish.game, wish.text, &wish.from) {
        (Some(name), None, None) => house.game(name)?,
        (None, Some(text), None) => Source::Own { text: bounded(text)? },
        (None, None, Some(id)) => house.session(id).await?.saved().await.source,
        _ => return Err(ApiError::bad_request("a game is named by one of `game`, `text` and `from`")),
    };
    if wish.clock.as_ref().is_some_and(|clock| !clock.is_possible()) {
        return Err(ApiError::bad_request(Clock::advice()));
    }
    let record = Record::parse(wish.record.as_deref().unwrap_or(""));
    let mut options = record.options;
    for (name, value) in &wish.options {
        options.retain(|(known, _)| known != name);
        options.push((name.clone(), option_text(name, value)?));
    }
    let now = record.moves.len();
    let saved = Saved {
        source,
        ruleset: wish.ruleset.or(record.ruleset),
        options,
        seats: wish.seats,
        // Their numbers are found when they are played.
        plies: record.moves.into_iter().map(|text| Ply(usize::MAX, text)).collect(),
        now,
        ended: None,
        resigned: None,
        clock: wish.clock,
        date: record.date.unwrap_or_else(today),
        names: Vec::new(),
        keys: Vec::new(),
        own_dice: wish.own_dice,
        next: None,
        version: 1,
    };
    let (session, view) = finish(async move {
        let known = saved.own_dice || !saved.plies.is_empty();
        let session = house.begin(saved).await?;
        let view = session.open(&house).await?;
        if known && session.hides(&house).await? {
            house.forget(&session.id);
            let message = "a game that hides something begins at its start, and the server rolls its dice";
            return Err(ApiError::new(StatusCode::CONFLICT, "hidden", message));
        }
        session.drive(&house);
        Ok((session, view))
    })
    .await?;
    let location = [(header::LOCATION, format!("/play/{}", session.id))];
    Ok((StatusCode::CREATED, location, Json(&*view)).into_response())
}

fn bounded(text: String) -> Result<String, ApiError> {
    if text.len() > MAX_TEXT {
        let message = format!("a rule text here holds at most {MAX_TEXT} bytes");
        return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message));
    }
    Ok(text)
}

/// The value of an option as a command line has it.
fn option_text(name: &str, value: &Value) -> Result<String, ApiError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(yes) => Ok(if *yes { "yes" } else { "no" }.to_owned()),
        _ => Err(ApiError::bad_request(format!("the option `{name}` must be a text, a number, or true or false"))),
    }
}

/// The session of an address; somebody looks at it, so its programs play.
async fn opened(house: &Arc<House>, id: &str) -> Result<Arc<Session>, ApiError> {
    let session = house.session(id).await?;
    session.touch();
    Ok(session)
}

/// What a person proves a seat with, in a game that hides something.
#[derive(Deserialize)]
struct Key {
    key: Option<String>,
}

/// The session of an address, and the seat that a key proves.
async fn entered(house: &Arc<House>, id: &str, key: Option<&str>) -> Result<(Arc<Session>, Option<usize>), ApiError> {
    let session = opened(house, id).await?;
    let seat = session.seat_of(key).await?;
    Ok((session, seat))
}

/// In a game that hides something nobody acts for another seat than that of the key.
async fn only_own(house: &House, session: &Session, own: Option<usize>, meant: usize) -> Result<(), ApiError> {
    if own != Some(meant) && session.hides(house).await? {
        let message = "in a game that hides something nobody speaks for another seat";
        return Err(ApiError::new(StatusCode::FORBIDDEN, "not_yours", message).help("send the `key` of the seat"));
    }
    Ok(())
}

async fn view(State(house): Shared, Path(id): Path<String>, Query(Key { key }): Query<Key>) -> Answer {
    let (session, seat) = entered(&house, &id, key.as_deref()).await?;
    let view = session.open_for(&house, seat).await?;
    session.drive(&house);
    Ok(json_of(&*view))
}

async fn status(State(house): Shared, Path(id): Path<String>) -> Answer {
    let session = opened(&house, &id).await?;
    session.drive(&house);
    Ok(json_of(session.status()))
}

/// From where on a page wants to be told, and where it sits.
#[derive(Deserialize)]
struct Since {
    version: Option<u64>,
    seat: Option<usize>,
    key: Option<String>,
}

async fn events(
    State(house): Shared,
    Path(id): Path<String>,
    Query(since): Query<Since>,
    headers: HeaderMap,
) -> Answer {
    let (session, own) = entered(&house, &id, since.key.as_deref()).await?;
    // A browser that comes back says what it has heard last.
    let last = headers.get("last-event-id").and_then(|last| last.to_str().ok()?.parse().ok());
    tell(&house, session, last.or(since.version), (since.seat, own), &house.pages)
}

async fn lesson(State(house): Shared, Path(id): Path<String>) -> Answer {
    let session = opened(&house, &id).await?;
    Ok(json_of(session.look(&house, Act::Lesson, None).await?))
}

async fn end(State(house): Shared, Path(id): Path<String>) -> Answer {
    let session = opened(&house, &id).await?;
    house.forget(&session.id);
    Ok(json_of(json!({})))
}

async fn board(State(house): Shared, Path(id): Path<String>, Query(look): Query<Look>) -> Answer {
    let (session, seat) = entered(&house, &id, look.key.as_deref()).await?;
    let drawn = session.look(&house, Act::Board { ply: look.ply, dark: look.is_dark() }, seat).await?;
    Ok(svg(drawn.as_str().unwrap_or_default().to_owned()))
}

async fn record(State(house): Shared, Path(id): Path<String>) -> Answer {
    let session = opened(&house, &id).await?;
    let record = session.look(&house, Act::Record, None).await?;
    Ok(plain(record.as_str().unwrap_or_default().to_owned()))
}

async fn session_text(State(house): Shared, Path(id): Path<String>) -> Answer {
    Ok(plain(opened(&house, &id).await?.saved().await.source.text().to_owned()))
}

async fn session_facts(State(house): Shared, Path(id): Path<String>) -> Answer {
    let source = opened(&house, &id).await?.saved().await.source;
    Ok(json_of(house.pools.ask(&Ask::Facts { source }, None).await?.body))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Picked {
    picked: Vec<Pick>,
}

async fn choices(
    State(house): Shared,
    Path(id): Path<String>,
    Query(Key { key }): Query<Key>,
    Body(wish): Body<Picked>,
) -> Answer {
    let (session, seat) = entered(&house, &id, key.as_deref()).await?;
    Ok(json_of(session.look(&house, Act::Choices { picked: wish.picked }, seat).await?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Why {
    #[serde(rename = "move")]
    text: Option<String>,
    #[serde(default)]
    picked: Vec<Pick>,
}

async fn why(State(house): Shared, Path(id): Path<String>, Body(wish): Body<Why>) -> Answer {
    let session = opened(&house, &id).await?;
    Ok(json_of(session.look(&house, Act::Why { text: wish.text, picked: wish.picked }, None).await?))
}

/// A change, with the version of the game that it is meant for.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Change {
    version: Option<u64>,
    index: Option<usize>,
    #[serde(rename = "move")]
    text: Option<String>,
    picked: Option<Vec<Pick>>,
    ply: Option<usize>,
    seat: Option<usize>,
}

async fn change(house: Arc<House>, (id, Key { key }): (String, Key), version: Option<u64>, act: Act) -> Answer {
    let (session, seat) = entered(&house, &id, key.as_deref()).await?;
    let view = finish(async move {
        let changed = session.change(&house, version, act, seat).await;
        session.drive(&house);
        changed
    })
    .await?;
    Ok(json_of(&*view))
}

async fn play(
    State(house): Shared,
    Path(id): Path<String>,
    Query(key): Query<Key>,
    Body(wish): Body<Change>,
) -> Answer {
    let Change { version, index, text, picked, .. } = wish;
    if [index.is_some(), text.is_some(), picked.is_some()].into_iter().filter(|said| *said).count() != 1 {
        return Err(ApiError::bad_request("a move is either an `index`, a `move` as text, or what was `picked`"));
    }
    change(house, (id, key), version, Act::Play { index, text, picked, thought: false }).await
}

async fn undo(
    State(house): Shared,
    Path(id): Path<String>,
    Query(key): Query<Key>,
    Body(wish): Body<Change>,
) -> Answer {
    change(house, (id, key), wish.version, Act::Undo).await
}

async fn redo(
    State(house): Shared,
    Path(id): Path<String>,
    Query(key): Query<Key>,
    Body(wish): Body<Change>,
) -> Answer {
    change(house, (id, key), wish.version, Act::Redo).await
}

async fn go_to(
    State(house): Shared,
    Path(id): Path<String>,
    Query(key): Query<Key>,
    Body(wish): Body<Change>,
) -> Answer {
    let ply = wish.ply.ok_or_else(|| ApiError::bad_request("`ply` is missing"))?;
    change(house, (id, key), wish.version, Act::GoTo { ply }).await
}

async fn resign(
    State(house): Shared,
    Path(id): Path<String>,
    Query(key): Query<Key>,
    Body(wish): Body<Change>,
) -> Answer {
    change(house, (id, key), wish.version, Act::Resign { seat: wish.seat }).await
}

/// A request that says nothing; its content type shows that no other site has sent it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

async fn stop(State(house): Shared, Path(id): Path<String>, Body(Nothing {}): Body<Nothing>) -> Answer {
    opened(&house, &id).await?.hurry();
    Ok(json_of(json!({})))
}

async fn retry(State(house): Shared, Path(id): Path<String>, Body(Nothing {}): Body<Nothing>) -> Answer {
    let session = opened(&house, &id).await?;
    session.retry();
    session.drive(&house);
    Ok(json_of(session.status()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hint {
    program: Option<String>,
}

async fn hint(
    State(house): Shared,
    Path(id): Path<String>,
    Query(Key { key }): Query<Key>,
    Body(wish): Body<Hint>,
) -> Answer {
    let (session, seat) = entered(&house, &id, key.as_deref()).await?;
    let program = wish.program.unwrap_or_else(|| ADVISER.to_owned());
    Ok(json_of(session.hint(&house, program, seat).await?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    text: String,
    /// With every ruleset and the options in pairs.
    #[serde(default)]
    whole: bool,
}

async fn check(State(house): Shared, Body(wish): Body<Text>) -> Answer {
    let ask = Ask::Check { text: bounded(wish.text)?, whole: wish.whole };
    Ok(json_of(house.pools.ask(&ask, None).await?.body))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tested {
    text: String,
    /// The only test or record that is to be run, and whose last position is to be shown.
    wanted: Option<String>,
}

async fn test(State(house): Shared, Body(wish): Body<Tested>) -> Answer {
    let ask = Ask::Test { text: bounded(wish.text)?, wanted: wish.wanted };
    Ok(json_of(house.pools.ask(&ask, None).await?.body))
}

async fn format(State(house): Shared, Body(wish): Body<Text>) -> Answer {
    let ask = Ask::Format { text: bounded(wish.text)? };
    Ok(json_of(house.pools.ask(&ask, None).await?.body))
}

/// A place in a text: line and column from 0, in units of UTF-16.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    text: String,
    line: u32,
    column: u32,
}

async fn about(house: &House, Place { text, line, column }: Place, complete: bool) -> Answer {
    let ask = Ask::About { text: bounded(text)?, line, column, complete };
    Ok(json_of(house.pools.ask(&ask, None).await?.body))
}

async fn hover(State(house): Shared, Body(wish): Body<Place>) -> Answer {
    about(&house, wish, false).await
}

async fn complete(State(house): Shared, Body(wish): Body<Place>) -> Answer {
    about(&house, wish, true).await
}

async fn explain(Path(code): Path<String>) -> Answer {
    match Code::find(&code) {
        Some(code) => Ok(plain(page(code).to_owned())),
        None => Err(ApiError::new(StatusCode::NOT_FOUND, "unknown_code", format!("there is no code `{code}`"))),
    }
}
