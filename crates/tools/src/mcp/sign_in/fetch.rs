//! Talking to authorization servers: over https, in small answers, without being led elsewhere.

use super::SignInError;
use crate::mcp::plain_text::to_plain_line;
use oauth2::HttpRequest;
use reqwest::header::{ACCEPT, WWW_AUTHENTICATE};
use reqwest::{Request, RequestBuilder, Response, Url, redirect};
use serde_json::{Value, json};
use std::net::IpAddr;
use std::time::Duration;

/// The time limit of an answer.
const TIME: Duration = Duration::from_secs(30);
/// The most bytes of one.
const MAX_BODY: usize = 256 * 1024;
/// The most characters of what went wrong.
const MAX_WHY: usize = 300;
/// The most redirects that are followed.
const MAX_REDIRECTS: usize = 5;

/// Follows redirects that stay on their site.
pub(in crate::mcp) fn same_site() -> redirect::Policy {
    redirect::Policy::custom(|attempt| match attempt.previous().last() {
        Some(from) if from.origin() == attempt.url().origin() && attempt.previous().len() <= MAX_REDIRECTS => {
            attempt.follow()
        }
        _ => attempt.stop(),
    })
}

/// Make sure that there is somebody who does the cryptography of TLS.
pub(in crate::mcp) fn install_tls_provider() {
    // An error means that one is installed already, which is what is wanted.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Fetches for the sign-in to one server.
pub(super) struct OauthFetcher {
    client: reqwest::Client,
    /// True if the server is on this machine, where plain http is good enough.
    local: bool,
}

impl OauthFetcher {
    pub(super) fn new(server: &Url) -> Result<OauthFetcher, SignInError> {
        install_tls_provider();
        let unreachable = |error: reqwest::Error| SignInError::Unreachable { url: server.to_string(), why: why(error) };
        let builder = reqwest::Client::builder().timeout(TIME).redirect(same_site());
        let fetcher = OauthFetcher { client: builder.build().map_err(unreachable)?, local: is_local(server) };
        fetcher.check(server.as_str())?;
        Ok(fetcher)
    }

    /// The address, if a secret may go there: https, or this machine for a server that is on it. A server elsewhere
    /// cannot make us talk to this machine.
    pub(super) fn check(&self, address: &str) -> Result<Url, SignInError> {
        let bad = || SignInError::Unsafe { url: to_plain_line(address, MAX_WHY) };
        let url = Url::parse(address).map_err(|_| bad())?;
        let is_safe = url.scheme() == "https" && (self.local || !leads_here(&url));
        let is_own = url.scheme() == "http" && self.local && is_local(&url);
        if is_safe || is_own { Ok(url) } else { Err(bad()) }
    }

    /// The `WWW-Authenticate` of a server that wants a sign-in, whichever way it is talked to.
    pub(super) async fn fetch_challenge(&self, server: &Url) -> Result<Option<String>, SignInError> {
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "pollux", "version": env!("CARGO_PKG_VERSION") },
        }});
        let post = self.client.post(server.clone()).header(ACCEPT, "application/json, text/event-stream").json(&hello);
        let get = self.client.get(server.clone()).header(ACCEPT, "text/event-stream");
        for request in [post, get] {
            let response = self.send(server, request).await?;
            if response.status().as_u16() == 401 {
                let header = response.headers().get(WWW_AUTHENTICATE).and_then(|header| header.to_str().ok());
                return Ok(Some(header.unwrap_or_default().to_owned()));
            }
        }
        Ok(None)
    }

    /// The JSON document at an address; `None` when there is none.
    pub(super) async fn fetch_document(&self, url: &Url) -> Result<Option<Value>, SignInError> {
        let response = self.send(url, self.client.get(url.clone()).header(ACCEPT, "application/json")).await?;
        if !response.status().is_success() {
            return Ok(None);
        }
        // A page that says "not found" with a good status is no document either.
        Ok(serde_json::from_slice(&self.body(url, response).await?).ok())
    }

    /// Post a JSON document: the status and what was answered.
    pub(super) async fn post_json(&self, url: &Url, body: &Value) -> Result<(u16, Value), SignInError> {
        self.answer(url, self.client.post(url.clone()).json(body)).await
    }

    /// Send a request to `url` that the oauth2 crate has made: the status and what was answered.
    pub(super) async fn send_request(&self, url: &Url, request: HttpRequest) -> Result<(u16, Value), SignInError> {
        let unreachable = |error| SignInError::Unreachable { url: redact_url(url), why: why(error) };
        let request = Request::try_from(request).map_err(unreachable)?;
        self.answer(url, RequestBuilder::from_parts(self.client.clone(), request)).await
    }

    async fn answer(&self, url: &Url, request: RequestBuilder) -> Result<(u16, Value), SignInError> {
        let response = self.send(url, request).await?;
        let status = response.status().as_u16();
        let body = self.body(url, response).await?;
        Ok((status, serde_json::from_slice(&body).unwrap_or_default()))
    }

    async fn send(&self, url: &Url, request: RequestBuilder) -> Result<Response, SignInError> {
        request.send().await.map_err(|error| SignInError::Unreachable { url: redact_url(url), why: why(error) })
    }

    async fn body(&self, url: &Url, mut response: Response) -> Result<Vec<u8>, SignInError> {
        let mut body = Vec::new();
        let unreachable = |error| SignInError::Unreachable { url: redact_url(url), why: why(error) };
        while let Some(piece) = response.chunk().await.map_err(unreachable)? {
            if body.len() + piece.len() > MAX_BODY {
                let why = format!("its answer has more than {MAX_BODY} bytes");
                return Err(SignInError::Nonsense { url: redact_url(url), why });
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }
}

/// True if an address is one of this machine, in one of the usual spellings.
pub(super) fn is_local(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost" | "[::1]") => true,
        Some(host) => host.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback()),
        None => false,
    }
}

/// True if an address says by itself that it is one of this machine, however it is written.
fn leads_here(url: &Url) -> bool {
    let is_own = |address: IpAddr| address.is_loopback() || address.is_unspecified();
    let Some(host) = url.host_str() else { return false };
    match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(address) => is_own(address.to_canonical()),
        Err(_) => {
            let name = host.trim_end_matches('.').to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
    }
}

/// An address without what may be secret in it.
fn redact_url(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    to_plain_line(url.as_str(), MAX_WHY)
}

/// The cause, without the address.
fn why(error: reqwest::Error) -> String {
    first_cause(&error.without_url())
}

/// The root cause.
pub(in crate::mcp) fn first_cause(error: &reqwest::Error) -> String {
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(deeper) = cause {
        words = deeper.to_string();
        cause = deeper.source();
    }
    to_plain_line(&words, MAX_WHY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_elsewhere_leads_to_this_machine_in_no_spelling() {
        let fetcher = OauthFetcher::new(&Url::parse("https://mcp.example/").unwrap()).ok().unwrap();
        for host in ["localhost", "localhost.", "a.localhost", "127.0.0.1", "127.1", "0.0.0.0", "[::1]", "[::]"] {
            assert!(fetcher.check(&format!("https://{host}/token")).is_err(), "{host}");
        }
        for host in ["[::ffff:127.0.0.1]", "[::ffff:0.0.0.0]", "LOCALHOST", "2130706433"] {
            assert!(fetcher.check(&format!("https://{host}/token")).is_err(), "{host}");
        }
        assert!(fetcher.check("https://sign-in.example/token").is_ok());
        assert!(fetcher.check("http://sign-in.example/token").is_err());
    }
}
