//! What a session works with, for surfaces that list it.

use super::Agent;
use crate::lent::ClientPrograms;
use pollux_session::{Mode, ServerInfo, ServerStatus, SessionId, ToolInfo, Tooling};
use pollux_tools::{Declaration, McpServers, McpStatus};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

impl Agent {
    /// Whether clients may name programs to start.
    pub fn client_programs(&self) -> ClientPrograms {
        self.lendings.programs()
    }

    /// The tools and MCP servers of `session`, which works in `workspace`. A server's tools are in its own list and in that
    /// of all tools.
    pub fn tooling(&self, workspace: &Path, session: SessionId) -> Tooling {
        let mut agent = self.listing_at(workspace);
        if let Some(lent) = self.lendings.of(session) {
            let (keeper, taken) = (agent.tools.keeper(), agent.server_names());
            agent.lent_servers = lent.servers(workspace, &keeper, &taken);
        }
        let declared = agent.toolbox_for(agent.place(workspace), None, Mode::default()).declarations(Mode::default());
        let tools: BTreeMap<String, ToolInfo> =
            declared.into_iter().map(|tool| (tool.name.clone(), info(tool))).collect();
        let servers = agent.all_servers().flat_map(|servers| listed(servers, &tools)).collect();
        Tooling { tools: tools.into_values().collect(), servers }
    }
}

fn info(tool: Declaration) -> ToolInfo {
    ToolInfo { name: tool.name, description: tool.description, schema: Arc::unwrap_or_clone(tool.parameters) }
}

fn listed(servers: &Arc<McpServers>, tools: &BTreeMap<String, ToolInfo>) -> Vec<ServerInfo> {
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
