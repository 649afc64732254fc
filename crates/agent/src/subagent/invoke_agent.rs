//! `invoke_agent`: hands a job to another agent and returns its report.

use super::definition::{DefinitionSource, RemoteSubagent, SubagentDefinition, SubagentKind};
use super::local_run::LocalAgentRun;
use super::registry::{SubagentRegistry, WorkspaceSubagents};
use super::{local_run, remote_run};
use crate::media_parts::MAX_BYTES;
use crate::turn_agent::TurnAgent;
use pollux_session::{ApprovalMode, AskDetails, BoxFuture, BuiltInTool, CallState, Grant, InvokedAgent, ToolKind};
use pollux_tools::{CallPreview, Tool, ToolCallContext, ToolError, ToolRunOutcome, ToolSpec};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

pub(super) const NAME: &str = BuiltInTool::InvokeAgent.name();

/// The longest job that is handed on.
const JOB_BYTES: usize = 256 * 1024;

/// The tool, for one turn of one session.
pub(super) struct InvokeAgent {
    pub(super) agent: TurnAgent,
    pub(super) subagents: Arc<SubagentRegistry>,
    /// The agents there are; never none.
    pub(super) agents: Arc<WorkspaceSubagents>,
    /// The model of the turn.
    pub(super) model: Option<String>,
    pub(super) mode: ApprovalMode,
}

impl InvokeAgent {
    fn job<'a>(&'a self, args: &'a Value) -> Result<(&'a SubagentDefinition, &'a str), ToolError> {
        let text = |name: &str| {
            let text = args.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
            text.ok_or_else(|| ToolError::BadArguments(format!("`{name}` is missing: it must be text")))
        };
        let (name, prompt) = (text("agent_name")?, text("prompt")?);
        let Some(found) = self.agents.iter().find(|agent| agent.name == name) else {
            let names: Vec<&str> = self.agents.iter().map(|agent| agent.name.as_str()).collect();
            let message = format!("there is no agent `{name}`; the agents are {}", names.join(", "));
            return Err(ToolError::BadArguments(message));
        };
        if prompt.len() > JOB_BYTES {
            let message =
                format!("`prompt` has {} bytes, more than the {JOB_BYTES} that can be handed on", prompt.len());
            return Err(ToolError::BadArguments(message));
        }
        Ok((found, prompt))
    }

    fn build_preview(&self, args: &Value) -> Result<CallPreview, ToolError> {
        let (definition, prompt) = self.job(args)?;
        let name = &definition.name;
        let (kind, shown) = match &definition.kind {
            SubagentKind::Local(_) => (ToolKind::Delegate, format!("hand to {name}:\n{prompt}")),
            // The job leaves this machine.
            SubagentKind::Remote(remote) => {
                (ToolKind::Fetch, format!("send to the agent {name} at {}:\n{prompt}", destination(remote)))
            }
        };
        let digest = definition.digest();
        let grant = Grant::Agent { agent: name.clone(), digest: digest.clone() };
        let is_workspaces = definition.source == DefinitionSource::Workspace;
        let agent = Some(InvokedAgent { name: name.clone(), digest, is_workspaces });
        let preview = CallPreview::new(NAME, kind, format!("{name}: {prompt}"), AskDetails::generic(shown));
        Ok(CallPreview { grant, agent, ..preview })
    }

    /// True if `call` goes where its ask said, to the agent that was meant, if it has asked: the agent's file may have changed
    /// since. The digest of the agent is in what the ask could allow for longer.
    fn matches_ask(&self, call: &CallState) -> Result<bool, ToolError> {
        let Some(ask) = &call.ask else { return Ok(true) };
        let preview = self.build_preview(&call.args)?;
        let mut grants = ask.options.iter().filter_map(|option| option.grant.as_ref());
        let is_same_agent = grants.all(|grant| !matches!(grant, Grant::Agent { .. }) || *grant == preview.grant);
        Ok(is_same_agent && preview.details == ask.details)
    }
}

/// Where the work goes, for people: every address that its card may lead to, and the secret that goes along.
fn destination(remote: &RemoteSubagent) -> String {
    let others = remote.others.iter().map(|other| format!(" or {other}"));
    let secret = remote.auth.iter().map(|auth| format!(", with the secret in ${}", auth.variable()));
    format!("{}{}", remote.card.address(), others.chain(secret).collect::<String>())
}

/// The description of the tool for a model where there are these agents.
pub(super) fn declaration(agents: &[SubagentDefinition]) -> ToolSpec {
    let lines = agents.iter().map(|agent| format!("\n- {}: {}", agent.name, agent.description));
    let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    ToolSpec {
        name: NAME.into(),
        description: format!(
            "Hands a job to another agent and returns its report. The agent sees nothing of this conversation, only \
             the prompt. Several may work at once. The agents are:{}",
            lines.collect::<String>()
        ),
        parameters: json!({
            "type": "object",
            "properties": {
                "agent_name": {"type": "string", "enum": names, "description": "Which agent."},
                "prompt": {
                    "type": "string",
                    "description": "The whole job: what is wanted, all it has to know for it, and what its report \
                                    shall hold.",
                },
            },
            "required": ["agent_name", "prompt"],
        })
        .into(),
    }
}

impl Tool for InvokeAgent {
    fn declaration(&self) -> ToolSpec {
        self.agents.declaration.clone()
    }

    fn preview<'a>(&'a self, _: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move { self.build_preview(args) })
    }

    fn run<'a>(
        &'a self,
        _: &'a Path,
        call: &'a CallState,
        out: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            if !self.matches_ask(call)? {
                return Ok(ToolRunOutcome::Stale);
            }
            let (definition, prompt) = self.job(&call.args)?;
            match &definition.kind {
                SubagentKind::Remote(remote) => remote_run::run(&self.subagents, definition, remote, prompt, out).await,
                SubagentKind::Local(local) => {
                    let model = local.model.as_deref().or(self.model.as_deref());
                    let call_context = self.agent.model_call_context(model, self.mode);
                    let call_context =
                        call_context.map_err(|failure| ToolError::failed("model_unknown", failure.message))?;
                    let tools = local_run::tools(local, &call_context.toolbox, call_context.mode);
                    let system = call_context.subagent_prompt(&local_run::instructions(local)).await;
                    let (keeper, room) = (call_context.toolbox.output_store(), MAX_BYTES);
                    LocalAgentRun { local, model: call_context.model, system, tools, outputs: keeper, room }
                        .run(prompt, out)
                        .await
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::definition;
    use super::*;
    use pretty_assertions::assert_eq;

    fn remote(head: &str) -> RemoteSubagent {
        let text = format!("---\nname: far\nkind: remote\nagent_card_url: https://a.example\n{head}\n---\n");
        match definition::read(&text, DefinitionSource::Workspace).unwrap().remove(0).0.kind {
            SubagentKind::Remote(remote) => remote,
            SubagentKind::Local(_) => panic!("it is remote"),
        }
    }

    #[test]
    fn an_ask_names_every_address_that_work_may_go_to_and_the_variable_that_goes_along() {
        assert_eq!(destination(&remote("")), "https://a.example");
        let several = remote("other_addresses: [https://a.example:8443, a.example:50051]");
        assert_eq!(destination(&several), "https://a.example or https://a.example:8443 or a.example:50051");
        let secret = remote("auth:\n  type: apiKey\n  name: X-Build\n  key: $BUILD_KEY");
        assert_eq!(destination(&secret), "https://a.example, with the secret in $BUILD_KEY");
    }
}
