//! `list_background_processes`: what the session has left running.

use crate::background::BackgroundRegistry;
use crate::error::ToolError;
use crate::output::ToolCallContext;
use crate::tool::{CallPreview, Tool, ToolRunOutcome, ToolSpec};
use pollux_session::{BoxFuture, BuiltInTool, CallState};
use schemars::JsonSchema;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

const NAME: &str = BuiltInTool::ListBackgroundProcesses.name();

#[derive(JsonSchema)]
struct Arguments {}

pub(crate) struct ListBackgroundProcessesTool(pub(crate) Arc<BackgroundRegistry>);

impl Tool for ListBackgroundProcessesTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<Arguments>(
            NAME,
            "Lists the commands you have started in the background in this session, running and ended.",
        )
    }

    fn preview<'a>(&'a self, _: &'a Path, _: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move { Ok(CallPreview::reading(NAME, "List background processes")) })
    }

    fn run<'a>(
        &'a self,
        _: &'a Path,
        _: &'a CallState,
        out: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            let mut processes = self.0.processes_of(out.session());
            for process in &mut processes {
                process.settle().await;
            }
            let lines = processes
                .iter()
                .map(|process| format!("- [PID {}] {}: `{}`", process.pid, process.state(), process.command));
            let lines: Vec<String> = lines.collect();
            let text = if lines.is_empty() { "Nothing runs in the background.".to_owned() } else { lines.join("\n") };
            Ok(ToolRunOutcome::from_text(text))
        })
    }
}
