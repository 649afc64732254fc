//! The agent's skills, as the extended card lists them: every tool, MCP server and command is a skill.

use pollux_wire::v1::AgentSkill;

/// The agent's skills.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillCatalogue {
    /// The tools that the model may call.
    pub tools: Vec<SkillListing>,
    /// The MCP servers that are connected.
    pub servers: Vec<SkillListing>,
    /// The slash commands, without the slash.
    pub commands: Vec<SkillListing>,
}

/// One thing in the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillListing {
    pub name: String,
    pub description: String,
}

impl SkillCatalogue {
    /// All of it as skills. The kind stands before the name, so that no two have the same id.
    pub(super) fn skills(&self) -> impl Iterator<Item = AgentSkill> + '_ {
        let tools = self.tools.iter().map(|tool| skill("tool", tool, Vec::new()));
        let servers = self.servers.iter().map(|server| skill("mcp", server, Vec::new()));
        let commands =
            self.commands.iter().map(|command| skill("command", command, vec![format!("/{}", command.name)]));
        tools.chain(servers).chain(commands)
    }
}

fn skill(kind: &str, listing: &SkillListing, examples: Vec<String>) -> AgentSkill {
    AgentSkill {
        id: format!("{kind}:{}", listing.name),
        name: listing.name.clone(),
        description: listing.description.clone(),
        tags: vec![kind.to_owned()],
        examples,
        ..AgentSkill::default()
    }
}
