//! What is asked of policy, and what it answers.

use crate::rule_origin::RuleOrigin;
use pollux_session::{ApprovalMode, AskDetails, CommandPlan, EntryAuthor, Grant, InvokedAgent, ToolKind};
use serde_json::Value;
use std::path::Path;

/// A call, with everything policy needs to know of it.
#[derive(Clone, Copy, Debug)]
pub struct PolicyRequest<'a> {
    /// How freely tools run.
    pub mode: ApprovalMode,
    /// What the tool does to the world.
    pub kind: ToolKind,
    /// The tool's name.
    pub tool: &'a str,
    /// The arguments as the model gave them.
    pub args: &'a Value,
    /// Those of them that the tool acts on. Rules that allow look at no others: the model may add whatever it likes.
    pub obeyed_args: &'a Value,
    /// What the call is about to do.
    pub details: &'a AskDetails,
    /// What was granted in this session, and by whom.
    pub grants: &'a [(Grant, EntryAuthor)],
    /// The protected place the call would change (`.git`, `.vscode`), if any.
    pub protected: Option<&'a str>,
    /// The directory outside the workspace that the call would look into, if any: a real path.
    pub outside: Option<&'a Path>,
    /// What the call would read or overwrite that is a secret by its name, and why: a sentence. Such a call always asks.
    pub secret: Option<&'a str>,
    /// Whether the person trusts the workspace.
    pub workspace_trusted: bool,
    /// The sub-agent that makes the call, if one does.
    pub subagent: Option<&'a str>,
    /// The agent that the call hands work to, if it does.
    pub agent: Option<&'a InvokedAgent>,
    /// The session's workspace, as a canonical path.
    pub workspace: &'a Path,
    /// Why the plan of an earlier judgement of this call cannot run without a question, if the disk says so.
    pub objection: Option<PolicyObjection<'a>>,
}

/// What the disk says against a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyObjection<'a> {
    /// In words for people.
    pub why: &'a str,
    /// The command of the plan that it is about, counted from 0, if it is about one.
    pub command: Option<usize>,
}

/// What a rule, or all of them together, say. Later is stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PolicyDecision {
    /// It may run.
    Allow,
    /// A person decides.
    Ask,
    /// It may not run.
    Deny,
}

impl PolicyDecision {
    /// The word for it in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            PolicyDecision::Allow => "allow",
            PolicyDecision::Ask => "ask",
            PolicyDecision::Deny => "deny",
        }
    }
}

/// What policy says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyJudgement {
    /// The strictest of the findings.
    pub verdict: PolicyDecision,
    /// Why, naming the rule and where it stands.
    pub why: String,
    /// One for each sub-command of a shell command and each thing in it that could not be read; one for other calls.
    pub findings: Vec<PolicyFinding>,
    /// What a shell command that is allowed runs as. Without one it runs in a shell: a person, or a rule of theirs, has
    /// allowed this very command or all commands.
    pub plan: Option<CommandPlan>,
}

/// What policy says of one part of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyFinding {
    /// The part: a sub-command, or the tool's name.
    pub part: String,
    /// What is said of it.
    pub decision: PolicyDecision,
    /// Why.
    pub why: String,
    /// The rule that decided, unless it was a grant or that nothing is known of the part.
    pub rule: Option<RuleOrigin>,
}
