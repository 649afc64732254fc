//! `/mcp`: the MCP servers, whether they answer, and what they offer.

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use async_trait::async_trait;
use pollux_session::{BuiltInCommand, CommandInfo, code_span};
use pollux_tools::{McpServers, McpStatus};

/// The command.
pub(super) struct McpCommand;

#[async_trait]
impl SlashCommand for McpCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Mcp.info()
    }

    fn default_subcommand(&self, _: &str) -> Option<&'static str> {
        Some("list")
    }

    async fn step(&self, command_context: &CommandContext<'_>, _: &CommandInvocation) -> Result<CommandOutput, String> {
        let lines: Vec<String> = command_context.agent.all_servers().flat_map(|servers| listed(servers)).collect();
        if lines.is_empty() {
            let none = "No MCP server is set up. Servers are named under mcpServers in settings.json.";
            return Ok(CommandOutput::say(none));
        }
        Ok(CommandOutput::say(lines.join("\n")))
    }
}

fn listed(servers: &McpServers) -> Vec<String> {
    let status = servers.status().borrow().clone();
    let mut lines = Vec::new();
    for (name, status) in status {
        let state = match status {
            McpStatus::Connecting => "connecting".to_owned(),
            McpStatus::Ready { tools, prompts, resources, .. } => {
                format!("ready, {tools} tools, {prompts} prompts, {resources} resources")
            }
            McpStatus::Failed { why } => format!("failed: {why}"),
            McpStatus::NeedsSignIn { how } => format!("wants you to sign in: {how}"),
            McpStatus::Stopped => "stopped".to_owned(),
        };
        lines.push(format!("- {}: {state}", code_span(&name)));
        lines.extend(servers.tools_of(&name).into_iter().map(|tool| format!("  - {}", code_span(&tool))));
        let prompts = servers.prompts().into_iter().filter(|prompt| prompt.server == name);
        lines.extend(prompts.map(|prompt| format!("  - {}", code_span(&format!("/{name}:{}", prompt.name)))));
    }
    lines
}
