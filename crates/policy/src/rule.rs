//! One rule: what it speaks of and what it says.

pub(crate) mod awk_script;
mod command_test;
mod git_command;
mod mention_matching;
mod option_matching;
pub(crate) mod sed_script;
mod tool_pattern;

pub(crate) use command_test::{CommandTest, SimpleCommand};
pub(crate) use tool_pattern::ToolPattern;

use crate::policy_request::PolicyDecision;
use crate::rule_origin::RuleOrigin;
use pollux_session::{ApprovalMode, McpToolVersion, PlannedWord, ToolKind};
use regex::Regex;
use std::cell::OnceCell;
use std::path::Path;

/// Whose rule it is. A later tier wins over an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleTier {
    /// Comes with Pollux.
    Default = 1,
    /// Comes with the workspace. It can only narrow: its allow rules are not used.
    Workspace = 3,
    /// The person's own.
    User = 4,
    /// Whoever runs the machine.
    Admin = 5,
}

/// One rule.
#[derive(Clone, Debug)]
pub(crate) struct PolicyRule {
    pub(crate) origin: RuleOrigin,
    pub(crate) tier: RuleTier,
    /// 0 to 999, within the tier.
    pub(crate) priority: u16,
    pub(crate) decision: PolicyDecision,
    /// What the rule is for, in a person's words.
    pub(crate) description: Option<String>,
    /// What the model is told when the rule denies.
    pub(crate) deny_message: Option<String>,
    /// Tools it speaks of; empty means all.
    pub(crate) tools: Vec<ToolPattern>,
    /// The MCP server it speaks of; `*` means any.
    pub(crate) server: Option<String>,
    /// For a kept grant of an MCP tool: the version of the tool, or of its server, that it was given for.
    pub(crate) mcp_digest: Option<McpDigest>,
    /// The agent that a kept grant was given for: see [`pollux_session::InvokedAgent::digest`].
    pub(crate) agent_digest: Option<String>,
    /// Kinds of tool it speaks of; empty means all.
    pub(crate) kinds: Vec<ToolKind>,
    /// The sub-agent whose calls it speaks of; without it, anybody's.
    pub(crate) subagent: Option<String>,
    /// Modes it is in force in; `None` means all (but see [`PolicyRule::is_in_force`]).
    pub(crate) modes: Option<Vec<ApprovalMode>>,
    pub(crate) args: Option<Regex>,
    pub(crate) command: Option<CommandTest>,
    pub(crate) redirection: RedirectionPolicy,
    pub(crate) trust: TrustNeed,
    pub(crate) firmness: RuleFirmness,
}

/// What a kept grant of MCP tools was given for, as SHA-256 in hex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum McpDigest {
    /// One tool.
    Tool(String),
    /// A server and all the tools it offered.
    Server(String),
}

impl McpDigest {
    fn matches_version(&self, version: Option<&McpToolVersion>) -> bool {
        version.is_some_and(|version| match self {
            McpDigest::Tool(digest) => *digest == version.tool_digest,
            McpDigest::Server(digest) => *digest == version.server_digest,
        })
    }
}

/// Whether an allowed command may write where a redirection points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RedirectionPolicy {
    Asks,
    Allowed,
}

/// Where a rule is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrustNeed {
    Anywhere,
    TrustedWorkspace,
    UntrustedWorkspace,
}

/// What may overrule a rule. Later is firmer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RuleFirmness {
    /// A rule of higher tier or priority, and a grant.
    Ordinary,
    /// No rule or grant that speaks of how a command begins, but one for this very command or for all commands.
    FirmForParts,
    /// No rule that allows, whatever its tier, and no grant.
    Firm,
}

/// How surely a rule speaks of something. Part of a command may be known only when it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RuleMatch {
    No,
    Maybe,
    Yes,
}

/// A call's arguments as stable JSON.
pub(crate) struct ArgumentTexts {
    /// All of them.
    pub(crate) given: String,
    /// Those that the tool acts on.
    pub(crate) obeyed: String,
}

/// The arguments that a tool acts on, as they would be for a part of a command alone.
pub(crate) struct PartArguments {
    /// With the part as it is written.
    pub(crate) written: String,
    /// With each of its spellings.
    pub(crate) spelled: [String; 3],
    /// Whether the command has no other part.
    pub(crate) is_only: bool,
}

/// What rules are held against.
pub(crate) struct RuleSubject<'a> {
    pub(crate) tool: &'a str,
    /// The MCP server and its own name for the tool.
    pub(crate) mcp: Option<(&'a str, &'a str)>,
    /// What that tool is now.
    pub(crate) mcp_version: Option<&'a McpToolVersion>,
    /// The digest of the agent that work is handed to, if it is.
    pub(crate) agent_digest: Option<&'a str>,
    pub(crate) kind: ToolKind,
    /// The sub-agent that makes the call, if one does.
    pub(crate) subagent: Option<&'a str>,
    /// The arguments as stable JSON.
    pub(crate) args: &'a ArgumentTexts,
    /// For a sub-command: the arguments with that sub-command alone.
    pub(crate) part_args: Option<PartArguments>,
    /// For a shell command: all of it, to the letter.
    pub(crate) whole: Option<&'a str>,
    /// For a shell command: the sub-command in question; `None` when the question is the tool itself.
    pub(crate) part: Option<&'a SimpleCommand>,
    /// The words of that sub-command, if the command can run without a shell.
    pub(crate) planned: Option<&'a [PlannedWord]>,
    /// For a shell command: where it runs, as grants name directories.
    pub(crate) directory: Option<&'a str>,
    /// For a shell command: where the call starts it, before a `cd` of its own.
    pub(crate) started_in: Option<&'a str>,
    /// The session's workspace.
    pub(crate) workspace: &'a Path,
    /// Every spelling of the part, once a rule has wanted to know.
    pub(crate) spellings: OnceCell<[String; 3]>,
}

impl PolicyRule {
    /// Tier and priority as one number: the higher one wins.
    pub(crate) fn rank(&self) -> u32 {
        self.tier as u32 * 1000 + u32::from(self.priority)
    }

    /// Whether it speaks of one command, to the letter: whoever wrote it has seen all of it.
    pub(crate) fn is_exact(&self) -> bool {
        self.command.as_ref().is_some_and(|test| test.exact.is_some())
    }

    /// Whether it is a built-in rule that makes commands ask which something else allows. It must not win over what denies
    /// them: plan mode.
    pub(crate) fn only_restricts_commands(&self) -> bool {
        let is_firm_ask = self.firmness != RuleFirmness::Ordinary && self.decision == PolicyDecision::Ask;
        self.tier == RuleTier::Default && is_firm_ask && self.command.is_some()
    }

    /// Whether it is in force. A rule outside the built-in ones that allows something reaches into plan mode only if
    /// it says so: who writes "allow `git push`" is not thinking of the mode that changes nothing.
    pub(crate) fn is_in_force(&self, mode: ApprovalMode, trusted: bool) -> bool {
        let here = match &self.modes {
            Some(modes) => modes.contains(&mode),
            None => {
                mode != ApprovalMode::Plan || self.tier == RuleTier::Default || self.decision != PolicyDecision::Allow
            }
        };
        let trust = match self.trust {
            TrustNeed::Anywhere => true,
            TrustNeed::TrustedWorkspace => trusted,
            TrustNeed::UntrustedWorkspace => !trusted,
        };
        here && trust
    }

    /// Whether it speaks of `subject`.
    pub(crate) fn matches(&self, subject: &RuleSubject<'_>) -> RuleMatch {
        if self.mcp_digest.as_ref().is_some_and(|digest| !digest.matches_version(subject.mcp_version)) {
            return RuleMatch::No;
        }
        if self.agent_digest.is_some() && self.agent_digest.as_deref() != subject.agent_digest {
            return RuleMatch::No;
        }
        self.matches_conditions(subject)
    }

    /// Whether it is a kept grant of the MCP tool in question as that was before its server changed it.
    pub(crate) fn is_outdated_for(&self, subject: &RuleSubject<'_>) -> bool {
        self.mcp_digest.is_some()
            && self.matches(subject) == RuleMatch::No
            && self.matches_conditions(subject) == RuleMatch::Yes
    }

    /// Whether it speaks of calls of `tool`, for an MCP tool `mcp` of its server.
    pub(crate) fn names_tool(&self, tool: &str, mcp: Option<(&str, &str)>) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|pattern| pattern.matches(tool, mcp))
    }

    fn matches_conditions(&self, subject: &RuleSubject<'_>) -> RuleMatch {
        let tool = self.names_tool(subject.tool, subject.mcp);
        let server = match (self.server.as_deref(), subject.mcp) {
            (None, _) | (Some("*"), Some(_)) => true,
            (Some(_), None) => false,
            (Some(wanted), Some((server, _))) => wanted == server,
        };
        let kind = self.kinds.is_empty() || self.kinds.contains(&subject.kind);
        let caller = self.subagent.is_none() || self.subagent.as_deref() == subject.subagent;
        let args = self.args.as_ref().is_none_or(|pattern| self.fits_arguments(pattern, subject));
        if !(tool && server && kind && caller && args) {
            return RuleMatch::No;
        }
        match &self.command {
            None => RuleMatch::Yes,
            Some(test) => test.matches(self.decision, subject),
        }
    }

    /// Whether `pattern` is found in the arguments. What allows one command of a line says nothing of the others on it, and
    /// nothing of arguments that the tool does not know; what limits one holds wherever and however it is written.
    fn fits_arguments(&self, pattern: &Regex, subject: &RuleSubject<'_>) -> bool {
        let ArgumentTexts { given, obeyed } = subject.args;
        match (self.decision, &subject.part_args) {
            (PolicyDecision::Allow, Some(part)) => {
                pattern.is_match(&part.written) && (!part.is_only || pattern.is_match(obeyed))
            }
            (PolicyDecision::Allow, None) => pattern.is_match(obeyed),
            (PolicyDecision::Ask | PolicyDecision::Deny, part) => {
                let spelled = part.iter().flat_map(|part| &part.spelled);
                [given, obeyed].into_iter().chain(spelled).any(|text| pattern.is_match(text))
            }
        }
    }

    /// Why it says what it says, and where it stands.
    pub(crate) fn describe_reason(&self, tool: &str) -> String {
        let at = &self.origin;
        match (self.decision, &self.deny_message, &self.description) {
            (PolicyDecision::Deny, Some(message), _) => format!("{message} ({at})"),
            (PolicyDecision::Deny, None, Some(description)) => format!("{description} ({at})"),
            (PolicyDecision::Deny, None, None) => format!("{tool} is denied by {at}; change that rule to allow it"),
            (PolicyDecision::Allow | PolicyDecision::Ask, _, Some(description)) => format!("{description} ({at})"),
            (PolicyDecision::Allow, _, None) => format!("allowed by {at}"),
            (PolicyDecision::Ask, _, None) => format!("{at} says to ask"),
        }
    }
}
