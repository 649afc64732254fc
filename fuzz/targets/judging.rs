//! One judgement of policy, as the targets share it.

#![allow(dead_code, reason = "not every target asks for all of it")]

use pollux_policy::{Policy, PolicyJudgement, PolicyRequest};
use pollux_session::{
    ApprovalMode, AskDetails, CommandPlan, EntryAuthor, Grant, PlannedCommand, PlannedWord, ToolKind,
};
use std::path::Path;
use std::sync::LazyLock;

static POLICY: LazyLock<Policy> = LazyLock::new(Policy::default);

pub(crate) const WORKSPACE: &str = "/ws";
/// The longest command that policy reads.
pub(crate) const MAX_BYTES: usize = 16 * 1024;

/// A shell command in a trusted workspace, in default mode.
pub(crate) fn request<'a>(
    details: &'a AskDetails,
    args: &'a serde_json::Value,
    grants: &'a [(Grant, EntryAuthor)],
) -> PolicyRequest<'a> {
    PolicyRequest {
        mode: ApprovalMode::Default,
        kind: ToolKind::Execute,
        tool: "run_shell_command",
        args,
        obeyed_args: args,
        details,
        grants,
        protected: None,
        outside: None,
        secret: None,
        workspace_trusted: true,
        subagent: None,
        agent: None,
        workspace: Path::new(WORKSPACE),
        objection: None,
    }
}

/// Judge `command`, with what `change` makes of the request.
pub(crate) fn judge_as(
    policy: &Policy,
    command: &str,
    directory: &str,
    change: impl for<'a> FnOnce(PolicyRequest<'a>) -> PolicyRequest<'a>,
) -> PolicyJudgement {
    let details = AskDetails::Execute { command: command.into(), directory: directory.into() };
    let args = serde_json::json!({ "command": command });
    policy.judge(&change(request(&details, &args, &[])))
}

/// Judge `command` by the built-in rules.
pub(crate) fn judge(command: &str, mode: ApprovalMode, workspace_trusted: bool) -> PolicyJudgement {
    judge_as(&POLICY, command, WORKSPACE, |request| PolicyRequest { mode, workspace_trusted, ..request })
}

/// Judge `command`, started in `directory`, after a person gave `grant`.
pub(crate) fn judge_granted(command: &str, directory: &str, grant: &Grant) -> PolicyJudgement {
    let details = AskDetails::Execute { command: command.into(), directory: directory.into() };
    let args = serde_json::json!({ "command": command });
    POLICY.judge(&request(&details, &args, &[(grant.clone(), EntryAuthor::Agent)]))
}

/// The grants that an ask about `command` offers.
pub(crate) fn grants_for(command: &str) -> Vec<Grant> {
    let details = AskDetails::Execute { command: command.into(), directory: WORKSPACE.into() };
    let args = serde_json::json!({ "command": command });
    let choices = POLICY.options(&request(&details, &args, &[]));
    let mut grants: Vec<Grant> = choices.into_iter().filter_map(|choice| choice.grant).collect();
    grants.sort();
    grants.dedup();
    grants
}

pub(crate) fn commands_of(plan: &CommandPlan) -> impl Iterator<Item = &PlannedCommand> {
    plan.pipelines.iter().flat_map(|pipeline| &pipeline.commands)
}

/// The words of a command, if all of them are fixed text.
pub(crate) fn literals(words: &[PlannedWord]) -> Option<Vec<&str>> {
    words.iter().map(PlannedWord::literal).collect()
}
