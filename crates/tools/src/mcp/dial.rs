//! Reaching a server: over the pipes of a child, or over HTTP.

mod http;
mod sse;
mod stdio;

use super::client::Client;
use super::config::{McpServerConfig, Way};
use super::failure::Failure;
use super::limits::McpLimits;
use super::meter::Meter;
use super::plain::plain_line;
use crate::process::Group;
use pollux_session::Pending;
use rmcp::service::{ClientInitializeError, RunningService};
use rmcp::transport::IntoTransport;
use rmcp::{RoleClient, ServiceExt};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use stdio::LastWords;

/// The most characters of what the protocol crate says went wrong.
const MAX_WHY: usize = 300;

/// Reaches one server, again and again.
pub(super) trait Dial: Send + Sync {
    /// Connect and shake hands. Dropping the connection ends the server, if it is ours.
    fn dial(&self, client: Client) -> Pending<'_, Result<Connection, Failure>>;
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
}

impl Cause {
    pub(super) fn new(meter: Arc<Meter>) -> Cause {
        Cause { meter, words: None }
    }

    /// Resolves when the server has sent too much.
    pub(super) async fn flooded(&self) -> Failure {
        Failure::Flood(self.meter.flooded().await)
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
    pub(super) config: McpServerConfig,
    /// Where a program runs whose entry names no directory.
    pub(super) directory: PathBuf,
    pub(super) limits: McpLimits,
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
