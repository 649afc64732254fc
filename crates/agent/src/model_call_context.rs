//! The context of one model call, and what the model is told before the conversation.

use crate::agent_settings::{AgentSettings, Attendance};
use crate::instructions::{self, SystemPromptContext};
use crate::memory;
use pollux_model::{Model, ModelRegistry};
use pollux_session::ApprovalMode;
use pollux_tools::{McpServers, Toolbox, run_file_work};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Everything one model call works with.
pub(crate) struct ModelCallContext {
    pub(crate) models: Arc<ModelRegistry>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) toolbox: Toolbox,
    pub(crate) servers: Option<Arc<McpServers>>,
    pub(crate) settings: Arc<AgentSettings>,
    pub(crate) workspace: String,
    /// True if the person trusts the workspace.
    pub(crate) trusted: bool,
    pub(crate) attendance: Attendance,
    pub(crate) mode: ApprovalMode,
    /// True if the mode denies every change of a file.
    pub(crate) forbids_file_changes: bool,
}

impl ModelCallContext {
    /// The model's instructions: its job, its surroundings and the person's wishes.
    pub(crate) async fn system_prompt(&self) -> String {
        self.build_prompt(self.settings.system_prompt.as_deref(), self.mode).await
    }

    /// The instructions of a sub-agent: `own` is its job. It makes no plans for people to agree to.
    pub(crate) async fn subagent_prompt(&self, own: &str) -> String {
        self.build_prompt(Some(own), ApprovalMode::Default).await
    }

    async fn build_prompt(&self, own: Option<&str>, mode: ApprovalMode) -> String {
        let added = self.toolbox.include_directories();
        let situation = SystemPromptContext {
            workspace: &self.workspace,
            added,
            mode,
            profile: self.model.info().profile,
            memory: &self.memory().await,
            trusted: self.trusted,
            attendance: self.attendance,
        };
        instructions::system_prompt(own, &situation)
    }

    /// The text of memory files. They are read off the async threads.
    async fn memory(&self) -> String {
        let included = self.toolbox.include_directories();
        if !memory::has_memory_files(Path::new(&self.workspace), included, &self.settings.memory) {
            return String::new();
        }
        let (workspace, settings) = (PathBuf::from(&self.workspace), self.settings.clone());
        let added = self.toolbox.include_directories().to_vec();
        let kept = self.toolbox.kept_files(&workspace);
        let load = run_file_work(move || memory::load(&workspace, &added, &settings.memory, &kept));
        load.await.unwrap_or_else(|error| {
            tracing::warn!("memory files are left out: {error}");
            format!("[Memory files are left out: {error}]\n")
        })
    }
}
