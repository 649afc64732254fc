//! Where the person's browser brings the answer: one address of this machine, open while it is awaited.

use super::SignInError;
use super::fetch::is_local;
use super::oauth_secret::OauthSecret;
use crate::mcp::plain_text::to_plain_line;
use reqwest::Url;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

const PATH: &str = "/oauth/callback";
/// The most bytes of a request's head.
const MAX_HEAD: usize = 16 * 1024;
/// The time limit of a request's arrival.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// The most requests that may arrive at once. Browsers open connections that they never use.
const MAX_OPEN: usize = 16;

/// An address of this machine that awaits an answer.
pub(super) struct CallbackListener {
    listener: TcpListener,
    redirect: Url,
}

impl CallbackListener {
    /// Listen at `wanted`, else wherever there is room. Only this machine can come in.
    pub(super) async fn open(wanted: Option<&str>) -> Result<CallbackListener, SignInError> {
        let redirect = wanted.map(|uri| {
            let bad = || SignInError::Redirect { uri: to_plain_line(uri, 300) };
            let url = Url::parse(uri).map_err(|_| bad())?;
            if url.scheme() == "http" && is_local(&url) && url.port().is_some() { Ok(url) } else { Err(bad()) }
        });
        let redirect = redirect.transpose()?;
        let port = redirect.as_ref().and_then(Url::port).unwrap_or(0);
        let failed = |why: String| SignInError::Listen { why };
        let listener = TcpListener::bind(("127.0.0.1", port)).await.map_err(|error| failed(error.to_string()))?;
        let redirect = match redirect {
            Some(redirect) => redirect,
            None => {
                let address = listener.local_addr().map_err(|error| failed(error.to_string()))?;
                Url::parse(&format!("http://{address}{PATH}")).map_err(|error| failed(error.to_string()))?
            }
        };
        Ok(CallbackListener { listener, redirect })
    }

    /// The address to come back to.
    pub(super) fn redirect(&self) -> &Url {
        &self.redirect
    }

    /// The code that comes with our `state`. Whatever comes without it is turned away and changes nothing.
    pub(super) async fn receive_code(&self, state: &str, issuer: Option<&str>) -> Result<OauthSecret, SignInError> {
        let mut arriving = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept() => {
                    let (stream, _) = accepted.map_err(|error| SignInError::Listen { why: error.to_string() })?;
                    if arriving.len() < MAX_OPEN {
                        arriving.spawn(receive(stream));
                    }
                }
                Some(Ok(Some((stream, target)))) = arriving.join_next() => {
                    let Some(answer) = self.read(&target, state) else {
                        respond(stream, "400 Bad Request", "This is not the answer that is awaited here.").await;
                        continue;
                    };
                    let outcome = answer.into_code(issuer);
                    let words = match &outcome {
                        Ok(_) => "Thank you. You can close this page and go back to the terminal.",
                        Err(_) => "You are not logged in. The terminal says why.",
                    };
                    respond(stream, "200 OK", words).await;
                    return outcome;
                }
            }
        }
    }

    /// The answer in a request, if it is meant for us.
    fn read(&self, target: &str, state: &str) -> Option<AuthorizationResponse> {
        let url = self.redirect.join(target).ok()?;
        let value = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        let ours = url.path() == self.redirect.path() && value("state").as_deref() == Some(state);
        ours.then(|| AuthorizationResponse {
            code: value("code").map(OauthSecret::new),
            error: value("error"),
            about: value("error_description"),
            issuer: value("iss"),
        })
    }
}

struct AuthorizationResponse {
    code: Option<OauthSecret>,
    error: Option<String>,
    about: Option<String>,
    issuer: Option<String>,
}

impl AuthorizationResponse {
    /// The code, if it is a yes from whom it should be.
    fn into_code(self, expected: Option<&str>) -> Result<OauthSecret, SignInError> {
        if let (Some(claimed), Some(expected)) = (&self.issuer, expected)
            && claimed != expected
        {
            let claimed = to_plain_line(claimed, 300);
            return Err(SignInError::WrongIssuer { expected: expected.to_owned(), claimed });
        }
        let why = match (self.error, self.about) {
            (None, _) => "no code came with the answer".to_owned(),
            (Some(error), None) => error,
            (Some(error), Some(about)) => format!("{error}: {about}"),
        };
        self.code.ok_or_else(|| SignInError::Denied { why: to_plain_line(&why, 300) })
    }
}

/// The request of a connection, if it makes one in time.
async fn receive(mut stream: TcpStream) -> Option<(TcpStream, String)> {
    let mut head = Vec::new();
    let read = async {
        let mut buffer = [0; 2048];
        while !head.windows(4).any(|end| end == b"\r\n\r\n") && head.len() < MAX_HEAD {
            match stream.read(&mut buffer).await {
                Ok(len @ 1..) => head.extend_from_slice(&buffer[..len]),
                _ => return None,
            }
        }
        let line = String::from_utf8_lossy(&head);
        let mut words = line.lines().next()?.split(' ');
        // A path of ours, never another site's address.
        match (words.next(), words.next()) {
            (Some("GET"), Some(target)) if target.starts_with('/') && !target.starts_with("//") => {
                Some(target.to_owned())
            }
            _ => None,
        }
    };
    let target = timeout(REQUEST_TIMEOUT, read).await.ok()??;
    Some((stream, target))
}

async fn respond(mut stream: TcpStream, status: &str, words: &str) {
    let page = format!("<!doctype html><meta charset=\"utf-8\"><title>Pollux</title><p>{words}</p>\n");
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\n\
         cache-control: no-store\r\nreferrer-policy: no-referrer\r\nconnection: close\r\n\r\n",
        page.len()
    );
    // A browser that is gone needs no page.
    let _ = stream.write_all((head + &page).as_bytes()).await;
    let _ = stream.shutdown().await;
}
