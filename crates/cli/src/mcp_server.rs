//! `pollux mcp-server`: Pollux's own tools, and whole tasks, for one MCP client over standard input and output.
//!
//! The client's tool calls are calls of a session like any other (`attendant.rs`), so policy, asks and the log hold for
//! them too. What asks is put to the person at the client by elicitation.

mod call_queue;
mod call_result;
mod call_session;
mod client_runner;
mod elicitation_form;
mod open_elicitations;
mod request_client;
mod request_handler;
mod server_state;
mod task;
mod tool_list;

use crate::console::{self, LineStyle};
use crate::leftover_processes::end_leftover_processes;
use crate::runtime::{ModelSelection, config_for};
use crate::session_storage::resolve_workspace;
use crate::settings::GlobalSettings;
use crate::signals::stop_on_signal;
use crate::{named_by_flags, system_prompt};
use request_handler::McpRequestHandler;
use rmcp::service::{RunningService, ServerInitializeError, serve_server_with_ct};
use rmcp::{RoleServer, transport};
use server_state::McpServerState;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A server for one MCP client.
pub(crate) struct McpServerSettings {
    pub(crate) workspace: PathBuf,
    /// The only tools to offer.
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) tasks: bool,
}

/// How long what is under way may take to stop when the client has gone.
const LAST_WORK: Duration = Duration::from_secs(10);

pub(crate) async fn run(mut global_settings: GlobalSettings, settings: McpServerSettings) -> anyhow::Result<ExitCode> {
    end_leftover_processes(&global_settings);
    console::start(global_settings.detail, LineStyle::Log, None);
    global_settings.system_prompt = system_prompt::read(&global_settings, &settings.workspace)?;
    let workspace = resolve_workspace(&settings.workspace)?;
    let config = config_for(&global_settings, &workspace);
    let model_selection = ModelSelection::choose(&global_settings, &config)?;
    named_by_flags::check(&global_settings, &config, Path::new(&workspace), &model_selection.chosen.model)?;
    if let Some(note) = &model_selection.chosen.note {
        tracing::warn!("{note}");
    }
    let shop =
        Arc::new(McpServerState::new(global_settings, config, workspace, &model_selection.chosen.model, &settings)?);
    let shutdown = CancellationToken::new();
    stop_on_signal(&shutdown)?;
    let endpoint = McpRequestHandler::new(shop.clone());
    match serve_server_with_ct(endpoint, transport::stdio_pipes(), shutdown.clone()).await {
        Ok(running) => until_closed(running, &shutdown).await,
        // A client that leaves before it has said hello wants nothing.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {}
        Err(error) => return Err(error.into()),
    }
    if tokio::time::timeout(LAST_WORK, shop.close()).await.is_err() {
        tracing::warn!("what was under way did not stop in time; it is marked as interrupted when it is resumed");
    }
    Ok(ExitCode::SUCCESS)
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
