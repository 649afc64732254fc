//! The context of one model call, and what the model is told before the conversation.

use crate::agent_settings::{AgentSettings, Attendance};
use crate::conversation_memory::{ConversationMemory, ConversationStart, MemorySources};
use crate::instructions::{self, SystemPromptContext};
use pollux_model::{InstructionProfile, Model, ModelRegistry, ToolDeclaration};
use pollux_session::{ApprovalMode, BuiltInTool, ToolKind, Transcript};
use pollux_tools::{KeptFiles, McpServers, Toolbox};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The tools that a model with the short profile is offered.
const SHORT_TOOLS: [BuiltInTool; 5] = [
    BuiltInTool::ListDirectory,
    BuiltInTool::ReadFile,
    BuiltInTool::Replace,
    BuiltInTool::RunShellCommand,
    BuiltInTool::WriteFile,
];

/// Everything one model call works with.
pub(crate) struct ModelCallContext {
    pub(crate) models: Arc<ModelRegistry>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) toolbox: Toolbox,
    pub(crate) servers: Option<Arc<McpServers>>,
    pub(crate) settings: Arc<AgentSettings>,
    pub(crate) workspace: String,
    pub(crate) memory: Arc<ConversationMemory>,
    /// True if the person trusts the workspace.
    pub(crate) trusted: bool,
    pub(crate) attendance: Attendance,
    pub(crate) mode: ApprovalMode,
    /// True if the mode denies every change of a file.
    pub(crate) forbids_file_changes: bool,
}

impl ModelCallContext {
    /// The model's instructions in this conversation: its job, its surroundings and the person's wishes.
    pub(crate) async fn system_prompt(&self, transcript: &Transcript) -> String {
        let start = ConversationStart::of(transcript);
        let memory = self.memory.text(start, &self.memory_sources(), self.kept_files()).await;
        self.build_prompt(self.settings.system_prompt.as_deref(), self.mode, &memory)
    }

    /// The instructions of a sub-agent: `own` is its job. It makes no plans for people to agree to.
    pub(crate) async fn subagent_prompt(&self, own: &str) -> String {
        let memory = self.memory_sources().load(self.kept_files()).await;
        self.build_prompt(Some(own), ApprovalMode::Default, &memory)
    }

    fn build_prompt(&self, own: Option<&str>, mode: ApprovalMode, memory: &str) -> String {
        let added = self.toolbox.include_directories();
        let situation = SystemPromptContext {
            workspace: &self.workspace,
            added,
            mode,
            profile: self.model.info().profile,
            memory,
            trusted: self.trusted,
            attendance: self.attendance,
        };
        instructions::system_prompt(own, &situation)
    }

    /// The tools offered: those that the mode allows, and of these the few that a small model can keep apart.
    pub(crate) fn tool_declarations(&self) -> Vec<ToolDeclaration> {
        let short = self.model.info().profile == InstructionProfile::Short;
        let is_edit = |name: &str| BuiltInTool::from_name(name).is_some_and(|tool| tool.kind() == ToolKind::Edit);
        self.toolbox
            .declarations(self.mode)
            .into_iter()
            .filter(|tool| !short || SHORT_TOOLS.iter().any(|short| short.name() == tool.name))
            .filter(|tool| !self.forbids_file_changes || !is_edit(&tool.name))
            .map(|tool| ToolDeclaration { name: tool.name, description: tool.description, parameters: tool.parameters })
            .collect()
    }

    fn memory_sources(&self) -> MemorySources {
        MemorySources {
            workspace: PathBuf::from(&self.workspace),
            added: self.toolbox.include_directories().to_vec(),
            settings: self.settings.memory.clone(),
        }
    }

    fn kept_files(&self) -> KeptFiles {
        self.toolbox.kept_files(Path::new(&self.workspace))
    }
}
