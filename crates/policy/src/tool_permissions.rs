//! Rules that flags and `settings.json` stand for: `--allowed-tools`, `tools.exclude`, `mcp.allowed` and their like.

use crate::policy_request::PolicyDecision;
use crate::rule::{CommandTest, PolicyRule, RedirectionPolicy, RuleFirmness, RuleTier, ToolPattern, TrustNeed};
use crate::rule_origin::RuleOrigin;
use pollux_session::ToolEntry;

/// What flags and settings of the person say about tools. A tool is written as its name, or `name(words)` for shell
/// commands that begin with those words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ToolPermissions {
    /// `--allowed-tools`, `tools.allowed`: run without asking.
    pub allowed: Vec<String>,
    /// `tools.confirmationRequired`: ask.
    pub confirmed: Vec<String>,
    /// `tools.exclude`: never run.
    pub excluded: Vec<String>,
    /// `mcp.allowed` and servers with `trust`: their tools run without asking.
    pub trusted_servers: Vec<String>,
    /// `mcp.excluded`: their tools never run.
    pub excluded_servers: Vec<String>,
}

impl ToolPermissions {
    /// The rules they stand for, in the person's tier, with Gemini CLI's priorities.
    pub(crate) fn rules(&self) -> Vec<PolicyRule> {
        let tools = [
            (&self.allowed, "tools.allowed", PolicyDecision::Allow, 300),
            (&self.confirmed, "tools.confirmationRequired", PolicyDecision::Ask, 350),
            (&self.excluded, "tools.exclude", PolicyDecision::Deny, 400),
        ];
        let servers = [
            (&self.trusted_servers, "mcpServers.trust", PolicyDecision::Allow, 200),
            (&self.excluded_servers, "mcp.excluded", PolicyDecision::Deny, 900),
        ];
        let of_tools = tools.into_iter().flat_map(|(names, setting, decision, priority)| {
            names.iter().map(move |name| {
                let (tool, command) = split_entry(name);
                PolicyRule {
                    tools: vec![ToolPattern::new(tool)],
                    command,
                    ..rule_of_setting(setting, name, decision, priority)
                }
            })
        });
        let of_servers = servers.into_iter().flat_map(|(names, setting, decision, priority)| {
            names.iter().map(move |name| PolicyRule {
                server: Some(name.clone()),
                ..rule_of_setting(setting, name, decision, priority)
            })
        });
        of_tools.chain(of_servers).collect()
    }
}

/// Whether an entry of `tools.allowed` and its like is about `tool`, whatever it says of the calls. For an MCP tool `mcp`
/// is the server and the server's own name for it.
pub fn entry_names_tool(entry: &str, tool: &str, mcp: Option<(&str, &str)>) -> bool {
    ToolPattern::new(ToolEntry::read(entry).tool).matches(tool, mcp)
}

fn rule_of_setting(setting: &str, value: &str, decision: PolicyDecision, priority: u16) -> PolicyRule {
    PolicyRule {
        origin: RuleOrigin::Setting { name: format!("{setting} = {value:?}") },
        tier: RuleTier::User,
        priority,
        decision,
        description: None,
        deny_message: None,
        tools: Vec::new(),
        server: None,
        mcp_digest: None,
        agent_digest: None,
        kinds: Vec::new(),
        subagent: None,
        modes: None,
        args: None,
        command: None,
        redirection: RedirectionPolicy::Asks,
        trust: TrustNeed::Anywhere,
        firmness: RuleFirmness::Ordinary,
    }
}

/// The tool that an entry names, and what its words say of shell commands.
fn split_entry(text: &str) -> (&str, Option<CommandTest>) {
    let ToolEntry { tool, words } = ToolEntry::read(text);
    let command = words.map(|words| CommandTest { prefixes: vec![words], ..CommandTest::default() });
    (tool, command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn settings_become_rules_that_name_them() {
        let settings = ToolPermissions {
            allowed: vec!["run_shell_command(git status)".into(), "web_fetch".into()],
            excluded_servers: vec!["evil".into()],
            ..ToolPermissions::default()
        };
        let shown: Vec<String> = settings
            .rules()
            .iter()
            .map(|rule| {
                let prefix = rule.command.as_ref().map(|test| test.prefixes[0].join(" "));
                format!("{} {} {} {prefix:?} {:?}", rule.origin, rule.rank(), rule.decision.name(), rule.server)
            })
            .collect();
        assert_eq!(
            shown,
            [
                r#"tools.allowed = "run_shell_command(git status)" 4300 allow Some("git status") None"#,
                r#"tools.allowed = "web_fetch" 4300 allow None None"#,
                r#"mcp.excluded = "evil" 4900 deny None Some("evil")"#,
            ]
        );
    }

    #[test]
    fn an_entry_that_is_not_closed_allows_no_tool_by_accident() {
        let settings = ToolPermissions { allowed: vec!["run_shell_command(git".into()], ..ToolPermissions::default() };
        let rules = settings.rules();
        assert!(rules.iter().all(|rule| rule.command.is_some()), "{rules:?}");
    }
}
