//! Reaching a server: over the pipes of a child, or over HTTP.

mod http;
mod reach;
mod sse;
mod stdio;

pub use reach::McpReach;

use super::client::Client;
use super::config::{McpServerConfig, Way};
use super::failure::Failure;
use super::limits::McpLimits;
use super::meter::Meter;
use super::plain::plain_line;
use super::sign_in::McpTokens;
use crate::process::Group;
use pollux_session::Pending;
use rmcp::service::{ClientInitializeError, RunningService};
use rmcp::transport::IntoTransport;
use rmcp::{RoleClient, ServiceExt};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use stdio::LastWords;
use tokio::sync::Notify;

/// The most characters of what the protocol crate says went wrong.
const MAX_WHY: usize = 300;
/// How often it is looked whether the person has signed in.
const LOOK: Duration = Duration::from_secs(2);

/// Reaches one server, again and again.
pub(super) trait Dial: Send + Sync {
    /// Connect and shake hands. Dropping the connection ends the server, if it is ours.
    fn dial(&self, client: Client) -> Pending<'_, Result<Connection, Failure>>;

    /// Resolves when the person has signed in to the server anew.
    fn signed_in(&self) -> Pending<'_, ()> {
        Box::pin(std::future::pending())
    }
}

/// A server that answers.
pub(super) struct Connection {
    pub(super) running: RunningService<RoleClient, Client>,
    pub(super) cause: Cause,
    /// Ends with the connection.
    pub(super) _processes: Option<Group>,
}

/// Why a connection ended, as far as it can be told from this side.
pub(super) struct Cause {
    meter: Arc<Meter>,
    words: Option<LastWords>,
    /// Told when the server no longer takes our token.
    turned_away: Arc<Notify>,
}

impl Cause {
    pub(super) fn new(meter: Arc<Meter>) -> Cause {
        Cause { meter, words: None, turned_away: Arc::default() }
    }

    /// Resolves when the server has sent too much.
    pub(super) async fn flooded(&self) -> Failure {
        Failure::Flood(self.meter.flooded().await)
    }

    /// Resolves when the server wants the person to sign in again.
    pub(super) async fn turned_away(&self) {
        self.turned_away.notified().await;
    }

    /// What really went wrong, when `failure` is what it looks like.
    pub(super) async fn explain(self, failure: Failure) -> Failure {
        match (self.meter.flood(), self.words) {
            (Some(flood), _) => Failure::Flood(flood),
            (None, Some(words)) => failure.with_words(words.collected().await),
            (None, None) => failure,
        }
    }
}

/// Reaches the server of one entry.
pub(super) struct Line {
    pub(super) name: String,
    pub(super) config: McpServerConfig,
    /// Where a program runs whose entry names no directory.
    pub(super) directory: PathBuf,
    /// Where no program runs, and none is looked for.
    pub(super) untrusted: Vec<PathBuf>,
    pub(super) limits: McpLimits,
    /// Where sign-ins are kept.
    pub(super) tokens: Option<McpTokens>,
    /// Where a server may be that is reached over HTTP.
    pub(super) reach: McpReach,
}

impl Dial for Line {
    fn dial(&self, client: Client) -> Pending<'_, Result<Connection, Failure>> {
        Box::pin(async move {
            match self.config.way()? {
                Way::Command(command) => stdio::dial(self, command, client).await,
                Way::Http(url) => http::dial(self, url, client).await,
                Way::HttpOrSse(url) => match http::dial(self, url, client.clone()).await {
                    // What a server of the older protocol says to a message where it expects a reader.
                    Err(Failure::Status(400 | 404 | 405)) => sse::dial(self, url, client).await,
                    reached => reached,
                },
            }
        })
    }

    fn signed_in(&self) -> Pending<'_, ()> {
        Box::pin(async move {
            let (Some(tokens), Some(url)) = (&self.tokens, self.config.address()) else {
                return std::future::pending().await;
            };
            let known = tokens.mark(&self.name, url).await;
            loop {
                // Another process does the sign-in, and it leaves nothing but the file.
                tokio::time::sleep(LOOK).await;
                let mark = tokens.mark(&self.name, url).await;
                if mark.is_some() && mark != known {
                    return;
                }
            }
        })
    }
}

/// Shake hands over `transport`.
pub(super) async fn shake_hands<T, E, A>(
    client: Client,
    transport: T,
) -> Result<RunningService<RoleClient, Client>, Failure>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    client.serve(transport).await.map_err(|error| match error {
        ClientInitializeError::ConnectionClosed(_) => Failure::Ended,
        // It was gone before it could be greeted.
        ClientInitializeError::TransportError { error, .. } if error.error.is::<io::Error>() => Failure::Ended,
        ClientInitializeError::TransportError { error, .. } => {
            Failure::Handshake(plain_line(&error.error.to_string(), MAX_WHY))
        }
        other => Failure::Handshake(plain_line(&other.to_string(), MAX_WHY)),
    })
}
