//! What goes wrong towards a page: a status, a code for programs, and a sentence for people.

use super::message::Refusal;
use super::pool::Trouble;
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// An answer that is none.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    refusal: Refusal,
}

impl ApiError {
    pub fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        Self { status, refusal: Refusal::new(code, message) }
    }

    pub fn help(mut self, help: &str) -> Self {
        self.refusal.help = Some(help.to_owned());
        self
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    pub fn no_session() -> Self {
        Self::new(StatusCode::NOT_FOUND, "unknown_session", "there is no such game here, or no longer")
            .help("games that nobody touches for 30 days are thrown away; begin a new one")
    }

    pub fn no_game(name: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "unknown_game", format!("there is no game `{name}` here"))
            .help("GET /api/games names them")
    }

    /// A game whose file says nothing that can be read.
    pub fn damaged(id: &str, error: &std::io::Error) -> Self {
        let message = format!("the file of this game, `{id}.json`, is damaged: {}", crate::library::describe(error));
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "damaged", message)
            .help("put back a copy of it, or throw the game away and begin a new one")
    }

    /// The page acts on a position that is not the present one.
    pub fn stale(now: u64) -> Self {
        Self::new(StatusCode::CONFLICT, "stale", format!("the game has gone on: it is at version {now}"))
            .help("look at it again before you play")
    }

    pub fn disk(error: &std::io::Error) -> Self {
        let message = format!("the game cannot be kept: {}", crate::library::describe(error));
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "disk", message)
    }

    pub fn message(&self) -> &str {
        &self.refusal.message
    }
}

impl From<Trouble> for ApiError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Busy => Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "too much is being worked at")
                .help("try again in a moment"),
            Trouble::Late(time) => {
                let message = format!("this took longer than {} s and was given up", time.as_secs());
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "too_slow", message)
                    .help("a smaller board, or rules with fewer choices in one move, are faster")
            }
            Trouble::Died => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "too_large", "this took more memory than there is for it")
                    .help("a smaller board, or rules with fewer choices in one move, take less")
            }
            Trouble::Gone(how) => {
                let message = format!("the process that worked at this is gone: {how}");
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, "gone", message).help("try again; nothing was lost")
            }
            Trouble::Start(error) => {
                let message = format!("no worker can be started: {error}");
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message).help("try again in a moment")
            }
            Trouble::Refused(refusal) => {
                let status = match refusal.code.as_str() {
                    "bad_request" | "bad_seat" => StatusCode::BAD_REQUEST,
                    "over" | "hidden" | "not_yours" | "nothing_to_do" | "rules_changed" | "too_long" => {
                        StatusCode::CONFLICT
                    }
                    "bad_question" => StatusCode::INTERNAL_SERVER_ERROR,
                    _ => StatusCode::UNPROCESSABLE_ENTITY,
                };
                Self { status, refusal }
            }
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.refusal }))).into_response()
    }
}
