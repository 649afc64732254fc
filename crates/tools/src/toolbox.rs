//! All tools, by name.

use crate::error::ToolError;
use crate::list_directory::ListDirectory;
use crate::output::{Output, OutputKeeper};
use crate::read_file::ReadFile;
use crate::run_shell_command::{RunShellCommand, ShellLimits};
use crate::tool::{Declaration, Preview, Ran, Tool};
use crate::write_file::WriteFile;
use pollux_session::{Call, CallOutcome};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The tools a model may call. Cloning is cheap.
#[derive(Clone)]
pub struct Toolbox {
    tools: Arc<BTreeMap<&'static str, Box<dyn Tool>>>,
}

impl Toolbox {
    /// Every tool there is. Output too long for the log goes to `blobs`.
    pub fn standard(blobs: Arc<dyn OutputKeeper>) -> Toolbox {
        Toolbox::with_limits(blobs, ShellLimits::default())
    }

    /// As [`Toolbox::standard`], with other limits on commands.
    pub fn with_limits(blobs: Arc<dyn OutputKeeper>, limits: ShellLimits) -> Toolbox {
        let tools: [Box<dyn Tool>; 4] = [
            Box::new(ListDirectory),
            Box::new(ReadFile),
            Box::new(RunShellCommand::new(blobs, limits)),
            Box::new(WriteFile),
        ];
        Toolbox { tools: Arc::new(tools.into_iter().map(|tool| (tool.declaration().name, tool)).collect()) }
    }

    /// What a model is told about the tools, by name.
    pub fn declarations(&self) -> Vec<Declaration> {
        self.tools.values().map(|tool| tool.declaration()).collect()
    }

    /// The tools' names, sorted.
    pub fn names(&self) -> Vec<String> {
        self.tools.keys().map(|name| (*name).to_owned()).collect()
    }

    /// What the call would do, without doing it. An error is how the call ends: unknown tool, bad arguments, a path
    /// outside the workspace, no such file.
    pub async fn preview(&self, workspace: &Path, tool: &str, args: &Value) -> Result<Preview, CallOutcome> {
        let preview = async { self.find(tool)?.preview(workspace, args).await };
        preview.await.map_err(CallOutcome::from)
    }

    /// Run `call`: what was shown, with the person's edit, is what runs. Output is streamed to `out`. Dropping the
    /// future ends everything the call started.
    pub async fn run(&self, workspace: &Path, call: &Call, out: &mut dyn Output) -> Ran {
        let run = async { self.find(&call.tool)?.run(workspace, call, out).await };
        run.await.unwrap_or_else(|error| Ran::Done(error.into()))
    }

    fn find(&self, tool: &str) -> Result<&dyn Tool, ToolError> {
        match self.tools.get(tool) {
            Some(found) => Ok(found.as_ref()),
            None => Err(ToolError::UnknownTool { tool: tool.to_owned(), known: self.names().join(", ") }),
        }
    }
}
