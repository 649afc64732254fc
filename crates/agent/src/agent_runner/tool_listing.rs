//! The model, tools and servers of a session, for surfaces that list them.

use super::AgentRunner;
use crate::client_credentials::ClientPrograms;
use pollux_session::{ApprovalMode, ServerInfo, ServerStatus, SessionId, SessionTools, ToolInfo};
use pollux_tools::{McpServers, McpStatus, ToolSpec};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

impl AgentRunner {
    /// The permission for clients to name programs to start.
    pub fn client_programs(&self) -> ClientPrograms {
        self.client_credentials.programs()
    }

    /// The tools and MCP servers of `session`, which works in `workspace`. A server's tools are in its own list and in that
    /// of all tools.
    pub fn tooling(&self, workspace: &Path, session: SessionId) -> SessionTools {
        let mut agent = self.without_session(self.for_listing(workspace));
        if let Some(lent) = self.client_credentials.get(session) {
            agent.start_client_servers(&lent);
        }
        let declared = agent.toolbox_for(None, ApprovalMode::default()).declarations(ApprovalMode::default());
        let tools: BTreeMap<String, ToolInfo> =
            declared.into_iter().map(|tool| (tool.name.clone(), tool_info(tool))).collect();
        let servers = agent.all_servers().flat_map(|servers| list_servers(servers, &tools)).collect();
        SessionTools { tools: tools.into_values().collect(), servers }
    }
}

fn tool_info(tool: ToolSpec) -> ToolInfo {
    ToolInfo { name: tool.name, description: tool.description, schema: Arc::unwrap_or_clone(tool.parameters) }
}

fn list_servers(servers: &Arc<McpServers>, tools: &BTreeMap<String, ToolInfo>) -> Vec<ServerInfo> {
    let status = servers.status().borrow().clone();
    let server = |(name, status): (String, McpStatus)| {
        let status = match status {
            McpStatus::Connecting => ServerStatus::Connecting,
            McpStatus::Ready { .. } => ServerStatus::Connected,
            McpStatus::Failed { .. } | McpStatus::NeedsSignIn { .. } | McpStatus::Stopped => ServerStatus::Disconnected,
        };
        let tools = servers.tools_of(&name).iter().filter_map(|tool| tools.get(tool).cloned()).collect();
        ServerInfo { name, status, tools }
    };
    status.into_iter().map(server).collect()
}
