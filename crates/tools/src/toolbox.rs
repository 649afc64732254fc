//! All tools, by name.

use crate::ask_user::AskUser;
use crate::background::Background;
use crate::enter_plan_mode::EnterPlanMode;
use crate::error::ToolError;
use crate::exit_plan_mode::ExitPlanMode;
use crate::glob::Glob;
use crate::google_web_search::GoogleWebSearch;
use crate::grep_search::GrepSearch;
use crate::list_background_processes::ListBackgroundProcesses;
use crate::list_directory::ListDirectory;
use crate::output::{Output, OutputKeeper};
use crate::read_background_output::ReadBackgroundOutput;
use crate::read_file::ReadFile;
use crate::replace::Replace;
use crate::run_shell_command::RunShellCommand;
use crate::save_memory::SaveMemory;
use crate::settings::ToolSettings;
use crate::tool::{Declaration, Preview, Ran, Tool};
use crate::web_fetch::WebFetch;
use crate::write_file::WriteFile;
use crate::write_todos::WriteTodos;
use pollux_session::{Call, CallOutcome, Mode};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The tools a model may call. Cloning is cheap.
#[derive(Clone)]
pub struct Toolbox {
    tools: Arc<BTreeMap<String, Placed>>,
}

/// A tool in its place. Its declaration is made once: it is told with every model call.
#[derive(Clone)]
struct Placed {
    declaration: Arc<Declaration>,
    tool: Arc<dyn Tool>,
}

impl Toolbox {
    /// Every tool that needs nothing special. Output too long for the log goes to `blobs`.
    pub fn standard(blobs: Arc<dyn OutputKeeper>) -> Toolbox {
        Toolbox::new(ToolSettings::new(blobs))
    }

    /// Every tool that `settings` has what it needs for.
    pub fn new(settings: ToolSettings) -> Toolbox {
        let background = Arc::new(Background::new(settings.background_logs.unwrap_or_else(std::env::temp_dir)));
        let mut tools: Vec<Arc<dyn Tool>> = vec![
            Arc::new(AskUser),
            Arc::new(EnterPlanMode),
            Arc::new(ExitPlanMode),
            Arc::new(Glob),
            Arc::new(GrepSearch),
            Arc::new(ListBackgroundProcesses(Arc::clone(&background))),
            Arc::new(ListDirectory),
            Arc::new(ReadBackgroundOutput(Arc::clone(&background))),
            Arc::new(ReadFile),
            Arc::new(Replace),
            Arc::new(RunShellCommand {
                blobs: settings.keeper,
                limits: settings.shell,
                environment: settings.environment,
                background,
            }),
            Arc::new(WebFetch::new(settings.fetch)),
            Arc::new(WriteFile),
            Arc::new(WriteTodos),
        ];
        tools.extend(settings.search.map(|search| Arc::new(GoogleWebSearch(search)) as Arc<dyn Tool>));
        tools.extend(settings.memory.map(|file| Arc::new(SaveMemory::new(file)) as Arc<dyn Tool>));
        Toolbox { tools: Arc::default() }.and(tools)
    }

    /// These tools and `more`, made elsewhere. One that has the name of a tool already here is left out.
    #[must_use]
    pub fn and(&self, more: Vec<Arc<dyn Tool>>) -> Toolbox {
        let mut tools = BTreeMap::clone(&self.tools);
        for tool in more {
            let declaration = Arc::new(tool.declaration());
            let name = declaration.name.clone();
            if tools.contains_key(&name) {
                tracing::warn!(%name, "two tools have one name; the second is left out");
                continue;
            }
            tools.insert(name, Placed { declaration, tool });
        }
        Toolbox { tools: Arc::new(tools) }
    }

    /// Those of these tools that `names` lists. A name may be followed by words in brackets, as in policy rules.
    #[must_use]
    pub fn only(&self, names: &[String]) -> Toolbox {
        let listed = |tool: &str| names.iter().any(|name| name.split('(').next().unwrap_or(name).trim() == tool);
        let kept = self.tools.iter().filter(|(name, _)| listed(name));
        Toolbox { tools: Arc::new(kept.map(|(name, placed)| (name.clone(), placed.clone())).collect()) }
    }

    /// What a model is told about the tools it has in `mode`, by name.
    pub fn declarations(&self, mode: Mode) -> Vec<Declaration> {
        let offered = self.tools.values().filter(|placed| placed.tool.offered_in(mode));
        offered.map(|placed| Declaration::clone(&placed.declaration)).collect()
    }

    /// The names of all tools, sorted, whatever the mode.
    pub fn names(&self) -> Vec<String> {
        self.tools.keys().cloned().collect()
    }

    /// What the call would do, without doing it. An error is how the call ends: unknown tool, bad arguments, a path
    /// outside the workspace, no such file.
    pub async fn preview(&self, workspace: &Path, tool: &str, args: &Value) -> Result<Preview, CallOutcome> {
        let preview = async { self.find(tool)?.preview(workspace, args).await };
        preview.await.map_err(CallOutcome::from)
    }

    /// Run `call`: what was shown, with the person's edit, is what runs. Output is streamed to `out`. Dropping the
    /// future ends everything the call started, background processes aside: those end with the last toolbox.
    pub async fn run(&self, workspace: &Path, call: &Call, out: &mut dyn Output) -> Ran {
        let run = async { self.find(&call.tool)?.run(workspace, call, out).await };
        run.await.unwrap_or_else(|error| Ran::Done(error.into()))
    }

    fn find(&self, tool: &str) -> Result<&dyn Tool, ToolError> {
        match self.tools.get(tool) {
            Some(found) => Ok(found.tool.as_ref()),
            None => Err(ToolError::UnknownTool { tool: tool.to_owned(), known: self.names().join(", ") }),
        }
    }
}
