//! Other agents that work is handed to: on this machine with a context, tools and a budget of their own, or elsewhere
//! over A2A. `invoke_agent` is the tool; what an agent here does are calls of the session like any other.

mod built_in;
mod definition;
mod front_matter;
mod invoke_agent;
mod local_run;
pub(crate) mod model_answer;
mod registry;
mod remote_ask;
mod remote_run;

pub use registry::{AgentVariables, SubagentRegistry};

use crate::turn_agent::TurnAgent;
use invoke_agent::InvokeAgent;
use pollux_session::{ApprovalMode, CallState};
use pollux_tools::Tool;
use remote_ask::RemoteAsk;
use std::sync::Arc;

/// The tool that hands work to an agent.
pub(crate) const INVOKE: &str = invoke_agent::NAME;

/// The tools that hand work on, for a turn that asks `model` in `mode`. `trusted` says whether the person trusts the workspace; none when there is nobody to hand it to.
pub(crate) fn tools(
    agent: &TurnAgent,
    subagents: &Arc<SubagentRegistry>,
    trusted: bool,
    model: Option<&str>,
    mode: ApprovalMode,
) -> Vec<Arc<dyn Tool>> {
    let agents = subagents.for_workspace(&agent.workspace.root, trusted);
    if agents.is_empty() {
        return Vec::new();
    }
    let invoke = InvokeAgent {
        agent: agent.clone(),
        subagents: subagents.clone(),
        agents,
        model: model.map(str::to_owned),
        mode,
    };
    vec![Arc::new(invoke), Arc::new(RemoteAsk)]
}

/// The agent whose work `parent` is, if it is one's.
pub(crate) fn caller(parent: Option<&CallState>) -> Option<&str> {
    let parent = parent.filter(|parent| parent.tool == INVOKE)?;
    parent.args.get("agent_name")?.as_str()
}

/// Why a call may not be made here: questions of remote agents are theirs, not a model's.
pub(crate) fn misplaced(call: &CallState, parent: Option<&CallState>) -> Option<String> {
    let theirs = call.tool == remote_ask::NAME && caller(parent).is_none();
    theirs.then(|| format!("there is no tool `{}`", call.tool))
}
