//! Reaching a server: over the pipes of a child, or over HTTP.

mod http;
mod reach;
mod sse;
mod stdio;

pub use reach::McpReach;

use super::client_handler::McpClientHandler;
use super::config::{McpServerConfig, McpTransport};
use super::connection_error::McpConnectionError;
use super::limits::McpLimits;
use super::meter::TrafficMeter;
use super::plain_text::to_plain_line;
use super::sign_in::McpTokenStore;
use crate::process::SupervisedProcesses;
use pollux_session::BoxFuture;
use rmcp::service::{ClientInitializeError, RunningService};
use rmcp::transport::IntoTransport;
use rmcp::{RoleClient, ServiceExt};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use stdio::StderrTail;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// The most characters of what the protocol crate says went wrong.
const MAX_WHY: usize = 300;
/// The interval of checks that the person has signed in.
const LOOK: Duration = Duration::from_secs(2);

/// Reaches one server, again and again.
pub(super) trait McpConnector: Send + Sync {
    /// Connect and shake hands before the deadline. Dropping the connection ends the server, if it is ours.
    fn connect(
        &self,
        client: McpClientHandler,
        deadline: StartDeadline,
    ) -> BoxFuture<'_, Result<McpConnection, McpConnectionError>>;

    /// Resolves when the person has signed in to the server anew.
    fn signed_in(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }
}

/// When a server has to be ready. Whoever starts one keeps to it, because only they know what it printed until then.
#[derive(Clone, Copy, Debug)]
pub(super) struct StartDeadline {
    at: Instant,
    limit: Duration,
}

impl StartDeadline {
    pub(super) fn after(limit: Duration) -> StartDeadline {
        StartDeadline { at: Instant::now() + limit, limit }
    }

    /// Do `step` of starting a server, if there is time for it.
    pub(super) async fn limit<T>(
        self,
        step: impl Future<Output = Result<T, McpConnectionError>>,
    ) -> Result<T, McpConnectionError> {
        timeout_at(self.at, step).await.unwrap_or(Err(McpConnectionError::Slow(self.limit)))
    }
}

/// A server that answers.
pub(super) struct McpConnection {
    pub(super) running: RunningService<RoleClient, McpClientHandler>,
    pub(super) cause: DisconnectCause,
    /// Ends with the connection.
    pub(super) _processes: Option<SupervisedProcesses>,
}

/// Why a connection ended, as far as it can be told from this side.
pub(super) struct DisconnectCause {
    meter: Arc<TrafficMeter>,
    stderr: Option<StderrTail>,
    /// Told when the server no longer takes our token.
    turned_away: Arc<Notify>,
}

impl DisconnectCause {
    pub(super) fn new(meter: Arc<TrafficMeter>) -> DisconnectCause {
        DisconnectCause { meter, stderr: None, turned_away: Arc::default() }
    }

    /// Resolves when the server has sent too much.
    pub(super) async fn flooded(&self) -> McpConnectionError {
        McpConnectionError::Flood(self.meter.flooded().await)
    }

    /// Resolves when the server wants the person to sign in again.
    pub(super) async fn turned_away(&self) {
        self.turned_away.notified().await;
    }

    /// The real cause, when `failure` is how it looks.
    pub(super) async fn explain(self, failure: McpConnectionError) -> McpConnectionError {
        match (self.meter.flood(), self.stderr) {
            (Some(flood), _) => McpConnectionError::Flood(flood),
            (None, Some(words)) => failure.with_stderr(words.collected().await),
            (None, None) => failure,
        }
    }
}

/// Reaches the server of one entry.
pub(super) struct EntryConnector {
    pub(super) name: String,
    pub(super) config: McpServerConfig,
    /// Where a program runs whose entry names no directory.
    pub(super) directory: PathBuf,
    /// Where no program runs, and none is looked for.
    pub(super) untrusted: Vec<PathBuf>,
    pub(super) limits: McpLimits,
    /// Where sign-ins are kept.
    pub(super) tokens: Option<McpTokenStore>,
    /// Where a server may be that is reached over HTTP.
    pub(super) reach: McpReach,
}

impl McpConnector for EntryConnector {
    fn connect(
        &self,
        client: McpClientHandler,
        deadline: StartDeadline,
    ) -> BoxFuture<'_, Result<McpConnection, McpConnectionError>> {
        Box::pin(async move {
            match self.config.transport()? {
                McpTransport::Command(command) => stdio::connect(self, command, client, deadline).await,
                McpTransport::Http(url) => deadline.limit(http::connect(self, url, client)).await,
                McpTransport::HttpOrSse(url) => {
                    let reached = deadline.limit(http::connect(self, url, client.clone())).await;
                    match reached {
                        // What a server of the older protocol says to a message where it expects a reader.
                        Err(McpConnectionError::Status(400 | 404 | 405)) => {
                            deadline.limit(sse::connect(self, url, client)).await
                        }
                        reached => reached,
                    }
                }
            }
        })
    }

    fn signed_in(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let (Some(tokens), Some(url)) = (&self.tokens, self.config.address()) else {
                return std::future::pending().await;
            };
            let known = tokens.fingerprint(&self.name, url).await;
            loop {
                // Another process does the sign-in, and it leaves nothing but the file.
                tokio::time::sleep(LOOK).await;
                let mark = tokens.fingerprint(&self.name, url).await;
                if mark.is_some() && mark != known {
                    return;
                }
            }
        })
    }
}

/// Shake hands over `transport`.
pub(super) async fn initialize<T, E, A>(
    client: McpClientHandler,
    transport: T,
) -> Result<RunningService<RoleClient, McpClientHandler>, McpConnectionError>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    client.serve(transport).await.map_err(|error| match error {
        ClientInitializeError::ConnectionClosed(_) => McpConnectionError::Ended,
        // It was gone before it could be greeted.
        ClientInitializeError::TransportError { error, .. } if error.error.is::<io::Error>() => {
            McpConnectionError::Ended
        }
        ClientInitializeError::TransportError { error, .. } => {
            McpConnectionError::Handshake(to_plain_line(&error.error.to_string(), MAX_WHY))
        }
        other => McpConnectionError::Handshake(to_plain_line(&other.to_string(), MAX_WHY)),
    })
}
