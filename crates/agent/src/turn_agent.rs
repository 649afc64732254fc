//! The turn scope: the agent of a workspace as one session has it for the work at hand. A client may have lent the session a
//! key, which pays for its models, and tool servers; and it may have been opened with only some of the tools.

use crate::client_credentials::SessionCredentials;
use crate::commands::CommandSources;
use crate::conversation_memory::ConversationMemory;
use crate::model_call_context::ModelCallContext;
use crate::sampling::SampleModel;
use crate::subagent::{self, SubagentRegistry};
use crate::workspace_agent::WorkspaceAgent;
use pollux_model::{Model, ModelNature, ModelRegistry};
use pollux_session::{ApprovalMode, TurnFailure};
use pollux_tools::{McpServers, Tool, Toolbox, elicitation_tool};
use std::sync::Arc;

/// The beginning of the names of all tools of MCP servers.
pub(crate) const MCP_TOOL: &str = "mcp_";

/// The agent for one piece of a turn's work. Cloning is cheap.
#[derive(Clone)]
pub(crate) struct TurnAgent {
    pub(crate) workspace: WorkspaceAgent,
    /// Where slash commands find what they need.
    pub(crate) commands: Arc<CommandSources>,
    pub(crate) models: Arc<ModelRegistry>,
    pub(crate) default_model: Arc<dyn Model>,
    /// Those of the workspace that come with Pollux, without what would be at the operator's expense.
    tools: Toolbox,
    subagents: Option<Arc<SubagentRegistry>>,
    /// Tool servers that the session was lent.
    pub(crate) client_servers: Vec<Arc<McpServers>>,
    /// Memory files as the conversation of the session began with them.
    pub(crate) memory: Arc<ConversationMemory>,
    /// The only tools that the session has.
    pub(crate) allowed_tools: Option<Arc<Vec<String>>>,
}

impl TurnAgent {
    /// For a session that brings nothing of its own.
    pub(crate) fn new(workspace: WorkspaceAgent, commands: Arc<CommandSources>) -> TurnAgent {
        TurnAgent {
            commands,
            models: workspace.models.clone(),
            default_model: workspace.default_model.clone(),
            tools: workspace.tools.clone(),
            subagents: workspace.subagents.clone(),
            client_servers: Vec::new(),
            memory: Arc::default(),
            allowed_tools: None,
            workspace,
        }
    }

    /// The agent with the credentials that the session was lent. A failure says why its model cannot be asked: nothing
    /// pays for it then. `model` is the one that the work is for.
    pub(crate) fn with_credentials(
        mut self,
        lent: &SessionCredentials,
        model: Option<&str>,
    ) -> (TurnAgent, Option<TurnFailure>) {
        self.start_client_servers(lent);
        // What searches and reads the web does so with the operator's model.
        if lent.has_key() {
            self.tools = self.tools.without_models();
        }
        match self.pay_with_key(lent, model) {
            Ok(()) => (self, None),
            Err(failure) => (self, Some(failure)),
        }
    }

    /// Have the tool servers that the session was lent.
    pub(crate) fn start_client_servers(&mut self, lent: &SessionCredentials) {
        let (keeper, taken) = (self.tools.output_store(), self.workspace.server_names());
        self.client_servers = lent.servers(&self.workspace.root, &keeper, &taken);
    }

    /// The agent without anything that the operator would pay for. A call that was approved before runs still.
    pub(crate) fn without_models(self) -> TurnAgent {
        TurnAgent { tools: self.tools.without_models(), subagents: None, ..self }
    }

    /// Have the models of a session that chose `model`, paid for with what it was lent.
    pub(crate) fn pay_with_key(&mut self, lent: &SessionCredentials, model: Option<&str>) -> Result<(), TurnFailure> {
        let usual = self.default_model.info();
        let models = lent.models_with_key(&self.models, model.unwrap_or(&usual.id));
        let unpayable =
            |error: pollux_model::ChooseError| TurnFailure { kind: "model_unknown".into(), message: error.to_string() };
        let default_model = match usual.nature {
            _ if !lent.has_key() => self.default_model.clone(),
            ModelNature::Real if self.models.provider_of(&usual.id).is_some() => {
                models.resolve(&usual.id).map_err(unpayable)?
            }
            // It answers only for want of a key.
            ModelNature::Demo => models.choose(None).map_err(unpayable)?.model,
            ModelNature::Real | ModelNature::Script => self.default_model.clone(),
        };
        (self.models, self.default_model) = (models, default_model);
        Ok(())
    }

    /// The MCP servers there are: everybody's, and those that the session was lent.
    pub(crate) fn all_servers(&self) -> impl Iterator<Item = &Arc<McpServers>> {
        self.workspace.servers.iter().chain(&self.client_servers)
    }

    /// The tools for a turn that asks `model` in `mode`: those there are, and those that hand work on.
    pub(crate) fn toolbox_for(&self, model: Option<&str>, mode: ApprovalMode) -> Toolbox {
        self.toolbox_given_trust(self.workspace.is_trusted(), model, mode)
    }

    /// The toolbox where it is known if the person trusts the workspace.
    fn toolbox_given_trust(&self, trusted: bool, model: Option<&str>, mode: ApprovalMode) -> Toolbox {
        let tools = match &self.subagents {
            Some(subagents) => self.own_tools().and(subagent::tools(self, subagents, trusted, model, mode)),
            None => self.own_tools(),
        };
        self.session_toolbox(tools.and(self.sampling(model, mode).into_iter().collect()))
    }

    /// The tool with which MCP servers ask the model of a turn, if there are any.
    fn sampling(&self, model: Option<&str>, mode: ApprovalMode) -> Option<Arc<dyn Tool>> {
        let servers: Vec<_> = self.all_servers().cloned().collect();
        let (agent, model) = (self.clone(), model.map(str::to_owned));
        (!servers.is_empty()).then(|| Arc::new(SampleModel { agent, servers, model, mode }) as Arc<dyn Tool>)
    }

    fn own_tools(&self) -> Toolbox {
        self.workspace.add_server_tools(&self.tools)
    }

    /// `tools` with what the session was lent, without what it was not opened with.
    fn session_toolbox(&self, tools: Toolbox) -> Toolbox {
        let tools = self.client_servers.iter().fold(tools, |tools, servers| {
            let known = tools.names();
            let is_new = |tool: &Arc<dyn Tool>| !known.contains(&tool.declaration().name);
            tools.and(servers.tools().into_iter().filter(is_new).collect())
        });
        let tools = tools.and(elicitation_tool(self.all_servers()).into_iter().collect());
        match &self.allowed_tools {
            None => tools,
            Some(names) => tools.only_offered(names),
        }
    }

    /// Why the session may not call `tool`, if it was opened with others only.
    pub(crate) fn tool_refusal(&self, tool: &str) -> Option<String> {
        let names = self.allowed_tools.as_ref()?;
        let has = |tools: &Toolbox| tools.names().iter().any(|name| name == tool);
        let all = TurnAgent { allowed_tools: None, ..self.clone() };
        let all = all.session_toolbox(all.own_tools());
        (has(&all) && !has(&all.only_offered(names))).then(|| {
            let listed = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            format!("this session was opened without the tool `{tool}`; the tools it has: {listed}")
        })
    }

    /// Check that each of `names` is a tool of a session here, or may become one: an MCP server's tools are there only
    /// once it answers, and a client may lend another server later.
    pub(crate) fn check_tool_names(&self, names: &[String]) -> Result<(), String> {
        let toolbox = self.toolbox_for(None, ApprovalMode::default());
        let known = toolbox.ever_offered();
        let is_unknown = |name: &&String| !known.contains(&name.as_str()) && !name.starts_with(MCP_TOOL);
        match names.iter().find(is_unknown) {
            None => Ok(()),
            Some(name) => {
                Err(format!("there is no tool {name:?} here to narrow a session to; there are {}", known.join(", ")))
            }
        }
    }

    /// The context of a model call that asks `model`, or why there can be none.
    pub(crate) fn model_call_context(
        &self,
        model: Option<&str>,
        mode: ApprovalMode,
    ) -> Result<ModelCallContext, TurnFailure> {
        let (trusted, settings) = (self.workspace.is_trusted(), self.workspace.settings.clone());
        let toolbox = self.toolbox_given_trust(trusted, model, mode);
        let model = match model {
            None => self.default_model.clone(),
            Some(name) => self.resolve_model(name)?,
        };
        let (workspace, mode) = (self.workspace.root.display().to_string(), settings.effective_mode(mode));
        let (models, servers) = (self.models.clone(), self.workspace.servers.clone());
        let attendance = self.workspace.attendance;
        let policy = self.workspace.policies.for_workspace(&self.workspace.root, trusted);
        let forbids_file_changes = policy.forbids_file_changes(mode, trusted);
        Ok(ModelCallContext {
            models,
            model,
            toolbox,
            servers,
            settings,
            trusted,
            attendance,
            workspace,
            memory: self.memory.clone(),
            mode,
            forbids_file_changes,
        })
    }

    /// The model a client named.
    pub(crate) fn resolve_model(&self, name: &str) -> Result<Arc<dyn Model>, TurnFailure> {
        let unknown = |message| TurnFailure { kind: "model_unknown".into(), message };
        if name == self.default_model.info().id {
            return Ok(self.default_model.clone());
        }
        // A script is a file of this machine, and so are weights: only whoever starts the program may name one.
        if name.starts_with("script:") || name.starts_with("gguf:") {
            return Err(unknown("a file can be chosen with --model only, when the program is started".into()));
        }
        self.models.resolve(name).map_err(|error| unknown(error.to_string()))
    }
}
