//! The pages and what they are made of, all inside the program.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use include_dir::{Dir, include_dir};

static ASSETS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/serve/assets");

/// A page of the program.
fn page(name: &str) -> Html<&'static str> {
    Html(ASSETS.get_file(name).and_then(|file| file.contents_utf8()).unwrap_or(""))
}

pub async fn games() -> Html<&'static str> {
    page("games.html")
}

/// The page of any session: the script looks at its address.
pub async fn play() -> Html<&'static str> {
    page("play.html")
}

/// What the page can do, in words.
pub async fn help() -> Html<&'static str> {
    page("help.html")
}

/// An address where there is nothing.
pub async fn nothing() -> (StatusCode, Html<&'static str>) {
    (StatusCode::NOT_FOUND, page("nothing.html"))
}

pub async fn asset(Path(name): Path<String>) -> Response {
    let kind = match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    match ASSETS.get_file(&name) {
        Some(file) => {
            ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")], file.contents()).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
