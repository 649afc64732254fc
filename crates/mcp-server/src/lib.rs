//! Lends Pollux's own tools, and whole tasks, to one MCP client over standard input and output.
//!
//! The client's tool calls are calls of a session like any other (`client_runner.rs`), so policy, asks and the log hold for
//! them too. What asks is put to the person at the client by elicitation.

mod call_queue;
mod call_result;
mod call_session;
mod client_runner;
mod elicitation_form;
mod hosting;
mod open_elicitations;
mod request_client;
mod request_handler;
mod server_state;
mod task;
mod tool_list;

pub use hosting::{HostedSession, McpSessionHosting, RunnerWrapper};
pub use tool_list::UnknownToolError;

use pollux_session::{ApprovalMode, Owner, ToolInfo};
use request_handler::McpRequestHandler;
use rmcp::service::{RunningService, ServerInitializeError, serve_server_with_ct};
use rmcp::{RoleServer, transport};
use server_state::McpServerState;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The time that running work may take to stop when the client has gone.
const LAST_WORK: Duration = Duration::from_secs(10);

/// The offer to clients, and its limits.
pub struct McpServerSettings {
    /// Whose sessions these are.
    pub owner: Owner,
    /// Where tools and tasks work.
    pub workspace: String,
    /// The approval mode. A request may narrow it and never widen it.
    pub mode: ApprovalMode,
    /// The model for sessions that are gone on with; without it they keep theirs.
    pub model: Option<String>,
    /// Pollux's own tools.
    pub tools: Vec<ToolInfo>,
    /// The only ones of them to offer.
    pub only_tools: Option<Vec<String>>,
    /// True if whole tasks are taken.
    pub tasks: bool,
}

/// A server for one MCP client.
pub struct McpServer(Arc<McpServerState>);

impl McpServer {
    /// A server that works in the sessions of `hosting`.
    pub fn new(settings: McpServerSettings, hosting: impl McpSessionHosting) -> Result<McpServer, UnknownToolError> {
        Ok(McpServer(Arc::new(McpServerState::new(settings, Box::new(hosting))?)))
    }

    /// Answer the client at standard input and output, until it has gone or `shutdown` is cancelled.
    pub async fn serve_stdio(self, shutdown: CancellationToken) -> anyhow::Result<()> {
        let McpServer(state) = self;
        let handler = McpRequestHandler::new(state.clone());
        match serve_server_with_ct(handler, transport::stdio_pipes(), shutdown.clone()).await {
            Ok(running) => until_closed(running, &shutdown).await,
            // A client that leaves before it has said hello wants nothing.
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {}
            Err(error) => return Err(error.into()),
        }
        if tokio::time::timeout(LAST_WORK, state.close()).await.is_err() {
            tracing::warn!("what was under way did not stop in time; it is marked as interrupted when it is resumed");
        }
        Ok(())
    }
}

async fn until_closed(running: RunningService<RoleServer, McpRequestHandler>, shutdown: &CancellationToken) {
    tokio::select! {
        ended = running.waiting() => {
            if let Err(error) = ended {
                tracing::warn!(%error, "the connection broke off");
            }
        }
        () = shutdown.cancelled() => {}
    }
}
