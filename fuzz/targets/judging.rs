//! One judgement of policy, as the targets share it.

use pollux_policy::{Judgement, Policy, Request};
use pollux_session::{By, CommandPlan, Details, Grant, Mode, ToolKind};
use std::path::Path;
use std::sync::LazyLock;

static POLICY: LazyLock<Policy> = LazyLock::new(Policy::default);

/// A shell command in a trusted workspace, in default mode.
pub(crate) fn request<'a>(details: &'a Details, args: &'a serde_json::Value, grants: &'a [(Grant, By)]) -> Request<'a> {
    Request {
        mode: Mode::Default,
        kind: ToolKind::Execute,
        tool: "run_shell_command",
        args,
        details,
        grants,
        protected: None,
        secret: None,
        workspace_trusted: true,
        subagent: None,
        workspace: Path::new("/ws"),
        objection: None,
    }
}

/// What is said of `command`.
pub(crate) fn judge(command: &str, grants: &[(Grant, By)]) -> Judgement {
    let details = Details::Execute { command: command.into(), directory: "/ws".into() };
    POLICY.judge(&request(&details, &serde_json::json!({ "command": command }), grants))
}

/// The plan of a command that is allowed.
#[allow(dead_code, reason = "not every target asks for it")]
pub(crate) fn plan_of(command: &str) -> Option<CommandPlan> {
    judge(command, &[]).plan
}

/// The grants that an ask about `command` offers.
#[allow(dead_code, reason = "not every target asks for it")]
pub(crate) fn grants_for(command: &str) -> Vec<Grant> {
    let details = Details::Execute { command: command.into(), directory: "/ws".into() };
    let args = serde_json::json!({ "command": command });
    POLICY.options(&request(&details, &args, &[])).into_iter().filter_map(|choice| choice.grant).collect()
}
