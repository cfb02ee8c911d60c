//! What every request passes: pages of other sites are refused, and every answer says what a browser may do with it.

use super::error::ApiError;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;
use std::sync::Arc;

/// Scripts and styles come from here only; nothing may frame the page or be sent elsewhere.
const PAGES: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// A picture by itself has its style within.
pub const PICTURES: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// The names under which the server may be called.
#[derive(Debug)]
pub struct Hosts {
    named: Vec<String>,
    /// Whoever listens to the network is called by its addresses.
    any_address: bool,
}

impl Hosts {
    pub fn new(address: IpAddr, allowed: &[String]) -> Self {
        let mut named: Vec<String> = allowed.iter().map(|name| name.to_ascii_lowercase()).collect();
        named.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
        named.push(match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        });
        Self { named, any_address: !address.is_loopback() }
    }

    /// Whether a name, perhaps with a port, is one of the server's. A name that somebody else points at this address
    /// would make his page a page of ours.
    fn include(&self, host: &str) -> bool {
        let name = name_of(host).to_ascii_lowercase();
        let is_address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok();
        self.named.contains(&name) || (self.any_address && is_address)
    }
}

/// A host without its port.
fn name_of(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty() => name,
        _ => host,
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

/// Why a request is refused.
fn refused(hosts: &Hosts, headers: &HeaderMap, uri: &Uri) -> Option<ApiError> {
    let forbidden = |code, message: String| Some(ApiError::new(StatusCode::FORBIDDEN, code, message));
    let host = text(headers, header::HOST).or(uri.host()).unwrap_or("");
    if !hosts.include(host) {
        let refusal = forbidden("wrong_host", format!("this server is not called `{host}`"));
        return refusal.map(|error| error.help("start it with --allow-host NAME if it is"));
    }
    if let Some(origin) = text(headers, header::ORIGIN)
        && origin.split_once("://").map(|(_, authority)| authority) != Some(host)
    {
        return forbidden("cross_site", "a page of another site may not ask this".to_owned());
    }
    // Other sites may lead people to a page, and nothing else.
    let site = text(headers, HeaderName::from_static("sec-fetch-site")).unwrap_or("none");
    if uri.path().starts_with("/api/") && !matches!(site, "none" | "same-origin") {
        return forbidden("cross_site", "a page of another site may not ask this".to_owned());
    }
    None
}

/// Refuses what comes from elsewhere, and completes the answer to what does not.
pub async fn guard(State(hosts): State<Arc<Hosts>>, request: Request, next: Next) -> Response {
    let mut response = match refused(&hosts, request.headers(), request.uri()) {
        Some(error) => error.into_response(),
        None => next.run(request).await,
    };
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let is_said = kind.ends_with(b"json") || kind.starts_with(b"text/html");
    if (status.is_client_error() || status.is_server_error()) && !is_said {
        response = plain(status).into_response();
    }
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(header::CONTENT_SECURITY_POLICY, PAGES);
    set(header::CACHE_CONTROL, "no-store");
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    // The address of a game is its key.
    set(header::REFERRER_POLICY, "no-referrer");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    response
}

/// What the framework refuses, in the words of all refusals.
fn plain(status: StatusCode) -> ApiError {
    match status {
        StatusCode::NOT_FOUND => ApiError::new(status, "not_found", "there is nothing at this address"),
        StatusCode::METHOD_NOT_ALLOWED => {
            ApiError::new(status, "wrong_method", "this address is not asked in this way")
        }
        status => ApiError::new(status, "bad_request", status.canonical_reason().unwrap_or("it cannot be understood")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_are_not_ours() {
        let hosts = Hosts::new([127, 0, 0, 1].into(), &["games.example".to_owned()]);
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:8000", "[::1]:1", "[::1]", "games.example"] {
            assert!(hosts.include(host), "{host}");
        }
        for host in ["", "evil.example", "localhost.evil.example", "192.168.0.1", "evil.example:127.0.0.1", "::1"] {
            assert!(!hosts.include(host), "{host}");
        }
        let open = Hosts::new([0, 0, 0, 0].into(), &[]);
        assert!(open.include("192.168.0.1:8000") && !open.include("evil.example"));
    }
}
