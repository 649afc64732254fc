//! The state of one MCP client: the tools on offer, its session of calls and its tasks.

use super::call_session::McpCallSession;
use super::request_client::McpRequestClient;
use super::task;
use super::tool_list::{self, McpToolList, UnknownToolError};
use super::{McpServerSettings, McpSessionHosting};
use pollux_session::{ApprovalMode, Owner, describe_error_chain};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool};
use std::sync::Arc;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The state of a server.
pub(super) struct McpServerState {
    pub(super) owner: Owner,
    pub(super) workspace: String,
    /// The mode that holds here: what a request may narrow and never widen.
    pub(super) mode: ApprovalMode,
    /// The model for sessions that are gone on with.
    pub(super) model: Option<String>,
    pub(super) hosting: Box<dyn McpSessionHosting>,
    tool_list: McpToolList,
    /// The session that holds the client's own calls. A client that calls nothing leaves none behind.
    calls: OnceCell<McpCallSession>,
    /// Everything that is under way. It goes on to a clean end even when nobody waits for the answer any more.
    under_way: TaskTracker,
    /// Cancelled when the client has gone.
    pub(super) closing: CancellationToken,
}

impl McpServerState {
    pub(super) fn new(
        settings: McpServerSettings,
        hosting: Box<dyn McpSessionHosting>,
    ) -> Result<McpServerState, UnknownToolError> {
        let McpServerSettings { owner, workspace, mode, model, tools, only_tools, tasks } = settings;
        Ok(McpServerState {
            owner,
            workspace,
            mode,
            model,
            hosting,
            tool_list: McpToolList::new(tools, only_tools.as_deref(), tasks)?,
            calls: OnceCell::new(),
            under_way: TaskTracker::new(),
            closing: CancellationToken::new(),
        })
    }

    /// The tools on offer.
    pub(super) fn tools(&self) -> &[Tool] {
        self.tool_list.tools()
    }

    /// Do what the client asks for. `None`: no such tool.
    pub(super) async fn call(
        self: &Arc<Self>,
        tool: &str,
        args: JsonObject,
        client: McpRequestClient,
    ) -> Option<CallToolResult> {
        self.tool_list.tools().iter().find(|offered| offered.name == tool)?;
        let (server, tool) = (self.clone(), tool.to_owned());
        let work = async move {
            match tool.as_str() {
                tool_list::RUN_TASK => task::run(&server, args, client).await,
                _ => server.call_tool(tool, args, client).await,
            }
        };
        let done = self.under_way.spawn(work).await;
        let broken = |error| anyhow::anyhow!("the call was stopped by an internal error: {error}");
        let done = done.map_err(broken).and_then(|done| done);
        let failed = |error: anyhow::Error| {
            CallToolResult::error(vec![ContentBlock::text(describe_error_chain(error.as_ref()))])
        };
        Some(done.unwrap_or_else(failed))
    }

    async fn call_tool(
        &self,
        tool: String,
        args: JsonObject,
        client: McpRequestClient,
    ) -> anyhow::Result<CallToolResult> {
        let calls = self.calls.get_or_try_init(|| McpCallSession::open(self, &client)).await?;
        calls.call(tool, args, client).await
    }

    /// Stop what is under way and end the client's session.
    pub(super) async fn close(&self) {
        self.closing.cancel();
        self.under_way.close();
        self.under_way.wait().await;
        if let Some(calls) = self.calls.get() {
            calls.close().await;
        }
    }
}
